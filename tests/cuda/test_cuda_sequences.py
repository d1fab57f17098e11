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


@pytest.mark.rest
@pytest.mark.parametrize("dtype", ["f4", "f8"])
@pytest.mark.parametrize("resident", [40, 90])
def test_tiles_look_back_far(dtype, resident):
    program = PROGRAM.format(dtype=dtype)
    backend_program.check(["python", "-c", program], CUDASIM_RESIDENT=resident, CUDASIM_SEED=1, CUDASIM_CHECK=1)


CHAINS = """
import sys
sys.path.insert(0, "{tests}")
import cuarray as ca, numpy as np
import test_sequence as numbers
with ca.device("cuda:0"):
    for name in ("gamma_double-50.0-0.1", "gamma_float-0.7", "f-0.7-0.9", "f-2.0-2.0", "standard_cauchy-"):
        numbers.check_chain(name, numbers.numpys(3), 12_001)
print("passed")
"""


@pytest.mark.rest
@pytest.mark.parametrize("resident", [7, 60])
def test_chains_that_rarely_meet(resident):
    """Numbers of small shapes end far behind a tile; pairs of equal shapes begin at odd numbers, or at even ones."""
    program = CHAINS.format(tests=backend_program.ROOT / "tests" / "python")
    backend_program.check(["python", "-c", program], CUDASIM_RESIDENT=resident, CUDASIM_SEED=2, CUDASIM_CHECK=1)


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
