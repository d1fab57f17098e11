"""Checks that need another library: all checks of a file in one separate process.

A file test_interop_NAME.py defines functions check_... and ends with

    test_check = peers.test_of(__file__, "NAME")
    if __name__ == "__main__":
        peers.main(globals())
"""

import ast
import functools
import importlib.util
import json
import os
import subprocess
import sys
import tempfile
import traceback
from pathlib import Path

import pytest


def complaints(stderr):
    """Return the lines on a process's stderr, but for the simulator's and for how long a compilation took."""
    return [line for line in stderr.splitlines() if not line.startswith(("cudasim: ", "cuarray: compiling "))]


def checks_of(file):
    """Return the names of the checks in a file, without running it."""
    tree = ast.parse(Path(file).read_text("utf-8"))
    return [node.name for node in tree.body if isinstance(node, ast.FunctionDef) and node.name.startswith("check_")]


@functools.cache
def outcomes(file, command, environment):
    """Run all checks of a file and return {name: traceback, or '' if it passed}."""
    run = subprocess.run([*command, sys.executable, file], capture_output=True, text=True, timeout=900,
                         env={**os.environ, **dict(environment)}, cwd=Path(file).parent)  # fmt: skip
    merged = {}
    start = run.stdout.find("{")
    while start >= 0:  # one per process of the command; mpiexec may print two on a line
        results, end = json.JSONDecoder().raw_decode(run.stdout, start)
        for name, text in results.items():
            merged[name] = merged.get(name, "") + text
        start = run.stdout.find("{", end)
    if run.returncode != 0 or not merged:
        raise AssertionError(f"the process ended with status {run.returncode}\n{run.stdout}\n{run.stderr}")
    return merged


def report_of(program):
    """Run a program with a race; return what the simulator reports.

    Work is lazy: what has ended and was asked about is ordered before all that follows, and is no race.
    """
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "race.py")  # a file, because some libraries read the text of their kernels again
        path.write_text(program, "utf-8")
        run = subprocess.run([sys.executable, "-W", "ignore", path], capture_output=True, text=True,
                             env={**os.environ, "CUDASIM_PROGRESS": "lazy"})  # fmt: skip
    assert run.returncode != 0, run.stdout + run.stderr
    return run.stderr


def error_of(call, kind=Exception):
    """Return the error that a call raises; AssertionError if there is none."""
    try:
        call()
    except kind as error:
        return error
    raise AssertionError("nothing was raised")


#: For `environment`, where another compiler makes the kernels: its PTX may be newer than the simulated driver's default
#: version. Every access is checked, and streams are under the race detector.
FOREIGN_KERNELS = (("CUDASIM_DRIVER", "13900"), ("CUDASIM_NVRTC", "13.0"), ("CUDASIM_CHECK", "1"))


def on_gpus():
    """Return a command under which cuarray and other libraries find GPUs: real ones if there are any, or simulated ones."""
    import cuarray

    if not is_simulated() and any(device.kind == "cuda" for device in cuarray.devices()):
        return []
    run = Path(__file__).resolve().parents[1] / "cudasim" / "run"
    driver = subprocess.run([run, "--paths"], check=True, stdout=subprocess.PIPE, text=True).stdout.split()[0]
    return ["env", f"LD_LIBRARY_PATH={Path(driver).parent}", run]


def is_simulated():
    """Whether GPUs are simulated: only these tell of races and of accesses outside of arrays."""
    return "CUARRAY_LIBCUDA" in os.environ


#: The compiler of numba-cuda's kernels, from PyPI; or that of an installed CUDA toolkit.
NVVM = "nvidia.cu13.nvvm"
TOOLKIT = Path(os.environ.get("CUDA_HOME", "/usr/local/cuda"))


def is_installed(module):
    """Whether a module, perhaps one inside packages, can be found."""
    if module == NVVM and (TOOLKIT / "nvvm").is_dir() and on_gpus() == []:
        return True
    try:
        return importlib.util.find_spec(module) is not None
    except ModuleNotFoundError:
        return False


def test_of(file, *modules, command=(), environment=()):
    """Return a test function with one case per check of the file."""

    @pytest.mark.together
    @pytest.mark.parametrize("name", checks_of(file))
    def test_check(name):
        for module in modules:
            if not is_installed(module):
                pytest.skip(f"{module} is not installed")
        trouble = outcomes(file, tuple(command() if callable(command) else command), tuple(environment))[name]
        assert not trouble, trouble

    return test_check


test_of.__test__ = False


def main(names):
    """Run the checks among these names and print the results as one line of JSON."""
    results = {}
    for name, check in list(names.items()):
        if name.startswith("check_"):
            try:
                check()
                results[name] = ""
            except Exception:
                results[name] = traceback.format_exc()
    print(json.dumps(results), flush=True)
