"""Heat that spreads in a bar, by Numba: all steps in one launch, with a barrier of the whole grid between them.

python -m cuarray --simulate --memcheck examples/simulated/heat.py
"""

from numba import cuda

import cuarray as ca

STEPS, RATE = 50, 0.25


@cuda.jit
def spread(now, after, steps, rate):
    i = cuda.grid(1)
    grid = cuda.cg.this_grid()
    for step in range(steps):
        from_, to = (now, after) if step % 2 == 0 else (after, now)
        if i > 0 and i < from_.size - 1:
            to[i] = from_[i] + rate * (from_[i + 1] - 2 * from_[i] + from_[i - 1])
        grid.sync()  # a block reads what its neighbours have written


bar = ca.zeros(512)
bar[200:300] = 100.0
now, after = bar.copy(), bar.copy()
spread[8, 64](now, after, STEPS, RATE)

for _ in range(STEPS):
    bar[1:-1] += RATE * (bar[2:] - 2 * bar[1:-1] + bar[:-2])
assert ca.allclose(now, bar)
print(f"{STEPS} steps of heat in {bar.size} elements, up to {float(now.max()):.1f} degrees, on {now.device}")
