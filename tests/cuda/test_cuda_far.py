"""Strides and sizes around 2^31, with few elements: the limit of 32-bit indices."""

import sys

import backend_program
import pytest

PROGRAM = """
import numpy as np
import cuarray as ca

step = {step}
def check(ours, theirs):
    np.testing.assert_array_equal(ours.numpy(), theirs)

line = ca.empty(4 * step + 1, dtype=ca.float32)[::step]
values = np.array([3, -1, 2, 7, -5], np.float32)
line[...] = ca.asarray(values)
check(line + line[::-1], values + values[::-1])
for fold in ("sum", "max", "argmax", "argmin", "any", "mean"):
    check(getattr(line, fold)(), getattr(values, fold)())
check(ca.subtract.reduce(line), np.subtract.reduce(values))
line += 1
check(line, values + 1)
del line

# Rows 2^31 bytes apart: both reduced axes, or either, reach beyond; tiles of a transpose do as well.
grid = ca.empty((17, step), dtype=ca.float32)[:, :18]
values = np.arange(17 * 18, dtype=np.float32).reshape(17, 18) % 23
grid[...] = ca.asarray(values)
check(grid * 2, values * 2)
check(grid.T + ca.asarray(values.T), 2 * values.T)
for axis in (None, 0, 1):
    for fold in ("sum", "min", "argmax"):
        check(getattr(grid, fold)(axis=axis), getattr(values, fold)(axis=axis))
check(grid[::4, ::-3].sum(), values[::4, ::-3].sum())
check(grid[ca.asarray([16, 0, 9]), ca.asarray([1, 17, 5])], values[[16, 0, 9], [1, 17, 5]])
print("passed")
"""


@pytest.mark.rest
@pytest.mark.parametrize("step", [(1 << 29) - 1, 1 << 29, (1 << 29) + 1])
def test_strides_about_2_to_the_31(step):
    program = PROGRAM.format(step=step)
    settings = {"CUARRAY_DEVICE": "cuda:0", "CUDASIM_SEED": 1, "CUDASIM_MEMORY": 80 << 30}
    assert backend_program.check([sys.executable, "-c", program], **settings) == "passed\n"
