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
