"""A product of matrices by Numba, in tiles of shared memory, for matrices of any size.

python -m cuarray --simulate --memcheck examples/simulated/matrix_product.py
"""

from numba import cuda, float32

import cuarray as ca

TILE = 8


@cuda.jit
def product(a, b, out):
    tile_a = cuda.shared.array((TILE, TILE), float32)
    tile_b = cuda.shared.array((TILE, TILE), float32)
    x, y = cuda.grid(2)
    tx, ty = cuda.threadIdx.x, cuda.threadIdx.y
    total = float32(0.0)
    for k in range(0, a.shape[1], TILE):
        tile_a[ty, tx] = a[y, k + tx] if y < a.shape[0] and k + tx < a.shape[1] else 0.0
        tile_b[ty, tx] = b[k + ty, x] if x < b.shape[1] and k + ty < b.shape[0] else 0.0
        cuda.syncthreads()
        for j in range(TILE):
            total += tile_a[ty, j] * tile_b[j, tx]
        cuda.syncthreads()  # nobody fills the tiles again before all have read them
    if y < out.shape[0] and x < out.shape[1]:
        out[y, x] = total


a = ca.arange(30 * 21, dtype="float32").reshape(30, 21) % 7
b = ca.arange(21 * 19, dtype="float32").reshape(21, 19) % 5
out = ca.empty((30, 19), dtype="float32")
blocks = ((out.shape[1] + TILE - 1) // TILE, (out.shape[0] + TILE - 1) // TILE)
product[blocks, (TILE, TILE)](a, b, out)

assert (out == a @ b).all()
print(f"a product of shape {out.shape} on {out.device}")
