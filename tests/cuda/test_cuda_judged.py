"""Tests of the Python suite on simulated GPUs, with every access of every kernel checked."""

import sys

import backend_program
import pytest

TESTS = {
    "test_segments.py": "test_segments_in_layouts or test_updates_are or test_updates_cast or axes or repetitions",
    "test_convolution.py": "kinds or left",
    "test_sorting.py": "bools or in_place or top_k or partitions",
    "test_histograms.py": "bit_by_bit or on_edges",
}


@pytest.mark.rest
@pytest.mark.parametrize(("seed", "mode"), [pytest.param(0, "lazy", marks=pytest.mark.full), (1, "random")])
@pytest.mark.parametrize("file", TESTS)
def test_python_tests_judged(file, seed, mode):
    path = backend_program.ROOT / "tests/python" / file
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", path, "-k", f"({TESTS[file]}) and cuda"]
    backend_program.check(command, CUDASIM_CHECK=1, CUDASIM_SEED=seed, CUDASIM_PROGRESS=mode)
