"""Tests of a project's kernels, for a machine without a GPU.

pytest --cuarray-simulate --cuarray-memcheck examples/simulated/test_kernels.py
"""

import pytest
from numba import cuda

import cuarray as ca


@cuda.jit
def scale(x, factor):
    i = cuda.grid(1)
    if i < x.size:
        x[i] *= factor


@pytest.mark.parametrize("size", [1, 255, 256, 257, 1000])
def test_scale(size):
    x = ca.arange(float(size), device="cuda")
    scale[(size + 255) // 256, 256](x, 3)
    assert (x == 3 * ca.arange(float(size), device="cuda")).all()
