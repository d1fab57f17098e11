"""Every tests/*/test_*.cpp is a program: compiled against the installed library, run, and expected to exit with 0."""

import os
import pathlib
import shutil
import subprocess

import numpy as np
import pytest

HERE = pathlib.Path(__file__).parent
PROGRAMS = sorted(HERE.glob("*/test_*.cpp"))
#: Programs that run several times: with these variables beside the environment's.
VARIANTS = {"test_chain": [{}, {"CUARRAY_JIT": "avx2"}]}


def package():
    import cuarray

    return pathlib.Path(cuarray.__file__).parent


@pytest.mark.few
@pytest.mark.skipif(shutil.which("g++") is None, reason="no C++ compiler")
@pytest.mark.parametrize("program", PROGRAMS, ids=lambda p: f"{p.parent.name}/{p.stem}")
def test_program(program, tmp_path):
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


@pytest.mark.skipif(shutil.which("objdump") is None, reason="no objdump")
def test_the_registers_of_long_doubles_are_left_alone(every):
    """MMX registers alias the x87 stack: NumPy's next long double result would be NaN."""
    libraries = list(package().glob("*.so" if every else "_host_base.so"))
    assert libraries
    for library in libraries:
        code = subprocess.run(["objdump", "-d", str(library)], capture_output=True, text=True, check=True).stdout
        assert "%mm" not in code, library.name
