"""Pi by random points, by Numba: each thread draws from a generator of its own.

python -m cuarray --simulate examples/simulated/monte_carlo.py
"""

import math

from numba import cuda
from numba.cuda.random import create_xoroshiro128p_states, xoroshiro128p_uniform_float64

import cuarray as ca

THREADS, POINTS = 256, 500


@cuda.jit
def count(states, points, inside):
    i = cuda.grid(1)
    if i < inside.size:
        hits = 0
        for _ in range(points):
            x = xoroshiro128p_uniform_float64(states, i)
            y = xoroshiro128p_uniform_float64(states, i)
            if x * x + y * y <= 1:
                hits += 1
        inside[i] = hits


inside = ca.zeros(THREADS, dtype="int64")
count[THREADS // 64, 64](create_xoroshiro128p_states(THREADS, seed=1), POINTS, inside)

pi = 4 * float(inside.sum()) / (THREADS * POINTS)
assert abs(pi - math.pi) < 0.02
print(f"pi is {pi:.3f} by {THREADS * POINTS} points, on {inside.device}")
