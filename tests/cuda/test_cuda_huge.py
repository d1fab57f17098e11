"""Few elements with offsets beyond 32 bits, in 6 GiB of mostly untouched memory."""

import sys

import backend_program
import pytest

PROGRAM = """
import sys
import numpy as np
import cuarray as ca

space = ca.empty(6 << 30, "u1", device="cuda:0")
for dtype in ("u1", "f4", "c16"):
    line = space.view(dtype)
    gib = (1 << 30) // line.itemsize
    rows = line.reshape(3, 2 * gib)
    layouts = {
        "1 GiB apart": line[:: gib + 1],
        "2 GiB apart": line[:: 2 * gib],
        "backwards": line[:: 3 - gib],
        "rows": rows[:, :40],
        "columns": rows[::-1, :: gib - 5],
        "turned": rows[:, 7:: gib // 30].T,
        "planes": line.reshape(2, 3, gib)[:, ::-1, :: gib // 20],
    }
    for name, x in layouts.items():
        case = f"{name} of {dtype}"
        values = (np.arange(x.size) % 7 + 1).reshape(x.shape).astype(dtype)
        x[...] = 0
        assert not x.numpy().any(), case
        x[...] = ca.asarray(values, device="cuda:0")
        for given, expected in (
            (x, values),
            (x + x[::-1], values + values[::-1]),
            (x.sum(axis=0), values.sum(axis=0)),
            (x.sum(), values.sum()),
            (ca.argmax(x.real, axis=-1), values.real.argmax(axis=-1)),
            (x[x == 3], values[values == 3]),
            (x[ca.asarray([-1, 0, -1])], values[[-1, 0, -1]]),
        ):
            np.testing.assert_array_equal(given.numpy(), expected, err_msg=case)
        x[ca.asarray([0])] = 9
        values[[0]] = 9
        x[x == 2] = 8
        values[values == 2] = 8
        x *= 2
        np.testing.assert_array_equal(x.numpy(), values * values.dtype.type(2), err_msg=case)
print("passed")
"""


@pytest.mark.rest
@pytest.mark.parametrize("check", [0, 1])
def test_elements_far_apart(check):
    backend_program.check([sys.executable, "-c", PROGRAM], CUDASIM_SEED=1, CUDASIM_CHECK=check)
