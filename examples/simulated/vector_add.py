"""A vector add by Numba on cuarray's arrays: one thread for each element.

python -m cuarray --simulate examples/simulated/vector_add.py
"""

from numba import cuda

import cuarray as ca


@cuda.jit
def add(x, y, out):
    i = cuda.grid(1)
    if i < out.size:  # the last block has threads to spare
        out[i] = x[i] + y[i]


x = ca.arange(1_000_000, dtype="float32")
y = ca.ones_like(x)
out = ca.empty_like(x)

threads = 256
blocks = (x.size + threads - 1) // threads
add[blocks, threads](x, y, out)

assert (out == x + 1).all()
print(f"{blocks} blocks of {threads} threads added {x.size} pairs on {out.device}")
