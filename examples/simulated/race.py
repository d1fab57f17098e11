"""A kernel with a race, and the same kernel mended: `--mended` runs that one.

python -m cuarray --simulate --memcheck examples/simulated/race.py
python -m cuarray --simulate --memcheck examples/simulated/race.py --mended
"""

import sys

from numba import cuda, float64

import cuarray as ca


@cuda.jit
def reverse(x):
    part = cuda.shared.array(64, float64)
    t = cuda.threadIdx.x
    part[t] = x[t]
    x[t] = part[63 - t]


@cuda.jit
def reverse_in_order(x):
    part = cuda.shared.array(64, float64)
    t = cuda.threadIdx.x
    part[t] = x[t]
    cuda.syncthreads()
    x[t] = part[63 - t]


x = ca.arange(64.0)
kernel = reverse_in_order if "--mended" in sys.argv else reverse
kernel[1, 64](x)
print("reversed" if x.tolist() == list(range(63, -1, -1)) else "wrong", "on", x.device)
