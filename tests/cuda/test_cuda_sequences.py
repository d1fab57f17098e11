"""Numbers of a PCG64 where many thread blocks of a grid run at once, as on a GPU: tiles look back at many others."""

import backend_program
import pytest

PROGRAM = """
import numpy as np, cuarray as ca
with ca.device("cuda:0"):
    for n in (300_000, 30_001):
        ours = ca.random.default_rng(n).standard_normal(n, dtype="{dtype}").numpy()
        theirs = np.random.default_rng(n).standard_normal(n, dtype="{dtype}")
        differ = ours != theirs
        assert (abs(theirs[differ]) > 3.6541).all() and np.allclose(ours, theirs, rtol=1e-6), differ.sum()
print("passed")
"""


@pytest.mark.parametrize("dtype", ["f4", "f8"])
@pytest.mark.parametrize("resident", [40, 90])
def test_tiles_look_back_far(dtype, resident):
    program = PROGRAM.format(dtype=dtype)
    backend_program.check(["python", "-c", program], CUDASIM_RESIDENT=resident, CUDASIM_SEED=1, CUDASIM_CHECK=1)


FAR = """
import sys
sys.path.insert(0, "{tests}")
import cuarray as ca
import test_sequence as numbers
words, state, inc = numbers.LONG_TAILS[1]
with ca.device("cuda:0"), ca.profile() as profile:
    numbers.check_floats("normal_double", numbers.with_numbers(numbers.advanced(state, inc, -2047), inc), 30_000)
calls = [row[2] for row in profile.rows() if row[3] == "draw_sequence"]
assert calls == ["3"], calls
print("passed")
"""


def test_the_gpu_goes_on_behind_a_number_that_ends_far_behind_a_tile():
    """The host draws to the end of a tile, also while operations are recorded."""
    program = FAR.format(tests=backend_program.ROOT / "tests" / "python")
    backend_program.check(["python", "-c", program], CUDASIM_SEED=1)
