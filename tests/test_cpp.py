"""Every tests/*/test_*.cpp is a program: compiled against the installed library, run, and expected to exit with 0."""

import os
import pathlib
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
    binary = built(program, tmp_path)
    for extra in VARIANTS.get(program.stem, [{}]):
        env = (environment(program) or os.environ) | extra
        run = subprocess.run([str(binary)], capture_output=True, text=True, timeout=300, env=env)
        assert run.returncode == 0, str(extra) + run.stdout + run.stderr


def environment(program):
    """Return the environment of a program; that of factorisations finds the LAPACK of NumPy's wheels."""
    libraries = [*(pathlib.Path(np.__file__).parents[1] / "numpy.libs").glob("*openblas*")]
    if program.stem != "test_linalg" or not libraries:
        return None
    return os.environ | {"CUARRAY_LIBBLAS": str(libraries[0])}


@pytest.mark.few
@pytest.mark.skipif(shutil.which("g++") is None, reason="no C++ compiler")
def test_the_api_on_a_simulated_gpu(tmp_path):
    binary = built(HERE / "api/test_api.cpp", tmp_path)
    command = [sys.executable, HERE / "cudasim/run", binary]
    env = os.environ | {"CUARRAY_DEVICE": "cuda:0", "CUDASIM_CHECK": "1"}
    run = subprocess.run(command, capture_output=True, text=True, timeout=300, env=env)
    assert run.returncode == 0, run.stdout + run.stderr


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
