"""Arrays and masks as indices on simulated GPUs, with every access of every kernel checked."""

import sys

import backend_program
import pytest


@pytest.mark.rest
@pytest.mark.parametrize(("seed", "mode"), enumerate(["lazy", "eager", "random"]))
@pytest.mark.parametrize("tests", ["random", "repeated", "borders"])
def test_python_tests_judged(tests, seed, mode):
    file = backend_program.ROOT / "tests/python/test_indexing_arrays.py"
    command = [
        sys.executable,
        "-m",
        "pytest",
        "-q",
        "-p",
        "no:cacheprovider",
        file,
        "-k",
        f"{tests} and cuda",
    ]
    backend_program.check(command, CUDASIM_CHECK=1, CUDASIM_SEED=seed, CUDASIM_PROGRESS=mode)
