"""Every tests/*/test_*.cpp is a program: compiled against the installed library, run, and expected to exit with 0."""

import ctypes
import os
import pathlib
import re
import shutil
import subprocess
import sys

import numpy as np
import pytest

HERE = pathlib.Path(__file__).parent
PROGRAMS = sorted(HERE.glob("*/test_*.cpp"))
#: Programs that run several times: with these variables beside the environment's.
VARIANTS = {"test_chain": [{}, {"CUARRAY_JIT": "avx2"}]}


def package():
    import cuarray

    return pathlib.Path(cuarray.__file__).parent


def built(program, tmp_path):
    """Compile a program against the installed library."""
    root = package()
    binary = tmp_path / program.stem
    build = subprocess.run(
        [
            "g++",
            "-std=c++20",
            "-O1",
            "-Wall",
            "-Wextra",
            f"-I{root / 'include'}",
            f"-I{HERE}",
            f"-I{HERE.parent / 'src'}",
            str(program),
            f"-L{root}",
            "-lcuarray",
            "-lpthread",
            "-ldl",
            f"-Wl,-rpath,{root}",
            "-o",
            str(binary),
        ],
        capture_output=True,
        text=True,
    )
    assert build.returncode == 0, build.stderr
    return binary


@pytest.mark.few
@pytest.mark.skipif(shutil.which("g++") is None, reason="no C++ compiler")
@pytest.mark.parametrize("program", PROGRAMS, ids=lambda p: f"{p.parent.name}/{p.stem}")
def test_program(program, tmp_path):
    if program.stem == "test_fft":
        needs_fftw()
    binary = built(program, tmp_path)
    for extra in VARIANTS.get(program.stem, [{}]):
        env = (environment(program) or os.environ) | extra
        run = subprocess.run([str(binary)], capture_output=True, text=True, timeout=300, env=env)
        assert run.returncode == 0, str(extra) + run.stdout + run.stderr


def needs_fftw():
    for name in ("libfftw3.so.3", "libfftw3f.so.3"):
        try:
            ctypes.CDLL(name)
        except OSError:
            pytest.skip("FFTW is not installed")


def environment(program):
    """Return the environment of a program; that of factorisations finds the LAPACK of NumPy's wheels."""
    libraries = [*(pathlib.Path(np.__file__).parents[1] / "numpy.libs").glob("*openblas*")]
    if program.stem != "test_linalg" or not libraries:
        return None
    return os.environ | {"CUARRAY_LIBBLAS": str(libraries[0])}


@pytest.mark.rest
@pytest.mark.few
@pytest.mark.skipif(shutil.which("g++") is None, reason="no C++ compiler")
@pytest.mark.parametrize("name", ["test_api", "test_dlpack", "test_fft", "test_profile"])
def test_the_api_on_a_simulated_gpu(name, tmp_path):
    binary = built(HERE / f"api/{name}.cpp", tmp_path)
    command = [sys.executable, HERE / "cudasim/run", binary]
    env = os.environ | {"CUARRAY_DEVICE": "cuda:0", "CUDASIM_CHECK": "1"}
    run = subprocess.run(command, capture_output=True, text=True, timeout=300, env=env)
    assert run.returncode == 0, run.stdout + run.stderr


#: What cuarray.h includes beside api/ and ops/, and why a program needs it.
INCLUDED = {
    "array/array.h": "the array itself",
    "array/deferral.h": "FuseScope and EagerScope are inline",
    "array/explain.h": "explain",
    "core/device.h": "the place of an array",
    "core/dtype.h": "the type of its elements",
    "core/error.h": "what is thrown",
    "core/few.h": "lists of arrays as arguments",
    "core/integers.h": "integers of any type as arguments",
    "core/layout.h": "shapes and strides",
    "core/outside.h": "what take does with positions outside",
    "core/scalar.h": "numbers with a dtype",
    "core/table.h": "the rows by name, and the dtypes of a ufunc's loop",
    "core/operators.def": "the operators",
    "dtypes.def": "the dtypes",
    "reductions.def": "a function for each row",
    "ufuncs.def": "a function for each row",
    "kernel/flags.h": "a column of the tables",
    "runtime/devices.h": "the devices, DeviceScope",
    "runtime/record.h": "an operation of a profile",
    "runtime/runtime.h": "streams, events and graphs",
    "runtime/storage.h": "an array holds its memory by a counted reference",
    "runtime/uses.h": "a member of storages and streams",
    "runtime/threads.h": "the number of threads on cpu",
}
#: Classes of the inside, which a program must not meet.
INNER = ["PendingNode", "PendingGraph", "DirectLoops", "Backend", "Task", "View", "Expr", "SingleLoop", "Call"]


@pytest.mark.skipif(shutil.which("g++") is None, reason="no C++ compiler")
def test_the_public_header_has_only_what_programs_need(tmp_path):
    """Nor does it cause warnings."""
    program = tmp_path / "user.cpp"
    program.write_text("#include <cuarray/cuarray.h>\n")
    include = (package() / "include").resolve()
    command = ["g++", "-std=c++20", "-Wall", "-Wextra", "-Werror", f"-I{include}", str(program)]
    text = subprocess.run([*command, "-fsyntax-only"], capture_output=True, text=True)
    assert text.returncode == 0, text.stderr
    text = subprocess.run([*command, "-E"], capture_output=True, text=True, check=True).stdout
    files = {str(pathlib.Path(file).relative_to(include / "cuarray")) for file in included_files(text, include)}
    assert {file for file in files if not file.startswith(("api/", "ops/"))} == {*INCLUDED, "cuarray.h"}
    assert defined_classes(text) & set(INNER) == set()


def included_files(text, include):
    return set(re.findall(rf'^# \d+ "({re.escape(str(include))}/[^"]+)"', text, re.MULTILINE))


def defined_classes(text):
    attribute = r"__attribute__\(\(.*?\)\)\s+"
    return set(re.findall(rf"^\s*(?:class|struct)\s+(?:{attribute})?(\w+)[^;{{]*{{", text, re.MULTILINE))


def test_a_class_of_the_inside_is_seen():
    text = 'class Backend;\nstruct View {\n};\nclass __attribute__((visibility("default"))) Task : public X {\n};\n'
    assert defined_classes(text) == {"View", "Task"}


def printed_arrays():
    """Arrays of every kind of element, of shapes that are cut and wrapped, and of numbers that set a format."""
    rng = np.random.default_rng(1)
    specials = [
        0.0,
        -0.0,
        1.0,
        -1.5,
        np.nan,
        np.inf,
        -np.inf,
        0.1,
        1 / 3,
        1e-5,
        123456.789,
        1e16,
        5e-324,
        65504.0,
        1e300,
    ]
    for dtype in ("?", "i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8", "f2", "f4", "f8", "c8", "c16"):
        for shape in (
            (),
            (1,),
            (3,),
            (30,),
            (2, 3),
            (4, 12),
            (2, 2, 3),
            (1, 1, 1, 2),
            (0,),
            (0, 3),
            (1001,),
            (40, 40),
            (7, 200),
            (1200, 2),
            (11, 10, 12),
        ):
            yield np.asarray(rng.standard_normal(shape) * 100).astype(dtype)
    for dtype in ("f2", "f4", "f8", "c8", "c16"):
        with np.errstate(all="ignore"):
            for n in (1, 2, 4):
                for _ in range(60):
                    yield rng.choice(specials, n).astype(dtype)
            for exponent in (-310, -30, -9, -5, -4, -1, 0, 3, 7, 15, 16, 17, 40, 300):
                yield (rng.standard_normal(5) * 10.0**exponent).astype(dtype)
                yield (rng.integers(-9, 9, 4) * 10.0**exponent).astype(dtype)
    yield np.array([2**63, 0], "u8")
    yield np.array([1 + 2j, complex(np.nan, -np.inf), -0.0 - 0j])
    yield np.array([complex(1e20, 1e-20), 1j])


@pytest.mark.skipif(shutil.which("g++") is None, reason="no C++ compiler")
def test_arrays_are_printed_as_numpy_prints_them(tmp_path):
    arrays = list(printed_arrays())
    data = b"".join(
        " ".join([a.dtype.name, *map(str, a.shape)]).encode() + b"\n" + np.ascontiguousarray(a).tobytes()
        for a in arrays
    )
    run = subprocess.run([built(HERE / "api/print_arrays.cpp", tmp_path)], input=data, capture_output=True, timeout=60)
    assert run.returncode == 0, run.stderr
    texts = run.stdout.decode().split("\0")[:-1]
    assert len(texts) == len(arrays)
    for text, array in zip(texts, arrays, strict=True):
        assert text == repr(array)


@pytest.mark.skipif(shutil.which("objdump") is None, reason="no objdump")
def test_nothing_is_destroyed_at_exit():
    """Other threads may compute while the process ends: static objects of the library have no destructors."""
    calls, function = [], ""
    code = subprocess.run(["objdump", "-dC", package() / "libcuarray.so"], capture_output=True, text=True, check=True)
    for line in code.stdout.splitlines():
        if line.endswith(">:"):
            function = line
        elif line.endswith("<__cxa_atexit@plt>"):
            calls.append(function)
    assert len(calls) <= 1, calls  # that of atexit() itself, which a stripped library names otherwise


@pytest.mark.skipif(shutil.which("objdump") is None, reason="no objdump")
def test_the_registers_of_long_doubles_are_left_alone(every):
    """MMX registers alias the x87 stack: NumPy's next long double result would be NaN."""
    libraries = list(package().glob("*.so" if every else "_host_base.so"))
    assert libraries
    for library in libraries:
        code = subprocess.run(["objdump", "-d", str(library)], capture_output=True, text=True, check=True).stdout
        assert "%mm" not in code, library.name
