"""A sum by Numba: each block adds its part in shared memory, and one atomic addition adds the parts.

python -m cuarray --simulate --memcheck examples/simulated/reduction.py
"""

from numba import cuda, float64

import cuarray as ca

THREADS = 128


@cuda.jit
def total(x, out):
    part = cuda.shared.array(THREADS, float64)
    t, i = cuda.threadIdx.x, cuda.grid(1)
    part[t] = x[i] if i < x.size else 0.0
    cuda.syncthreads()
    n = THREADS // 2
    while n > 0:
        if t < n:
            part[t] += part[t + n]
        cuda.syncthreads()  # all threads of the block come here, also those that add nothing
        n //= 2
    if t == 0:
        cuda.atomic.add(out, 0, part[0])


x = ca.arange(10_000.0)
out = ca.zeros(1)
total[(x.size + THREADS - 1) // THREADS, THREADS](x, out)

assert float(out[0]) == float(x.sum())
print(f"the sum of {x.size} elements is {float(out[0]):.0f}, on {out.device}")
