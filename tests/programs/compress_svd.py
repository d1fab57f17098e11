"""An image of low rank by the singular value decomposition."""

import numpy as np

rng = np.random.default_rng(1)
u = np.linspace(0, 1, 60)
picture = np.sin(6 * u[:, None] * u) + np.outer(u, 1 - u) + 0.01 * rng.standard_normal((60, 60))
left, values, right = np.linalg.svd(picture)
print("singular values:", values[:6].round(4))
for rank in (1, 2, 4, 8):
    approximation = (left[:, :rank] * values[:rank]) @ right[:rank]
    error = np.linalg.norm(picture - approximation) / np.linalg.norm(picture)
    stored = rank * (2 * 60 + 1) / picture.size
    print(f"rank {rank}: error {error:.5f}, size {stored:.1%}")
energy = np.cumsum(values**2) / np.sum(values**2)
print("99.9%% of the energy in %d values" % (np.searchsorted(energy, 0.999) + 1))
print("orthogonal:", np.allclose(left.T @ left, np.eye(60)), np.allclose(right @ right.T, np.eye(60)))
print("condition number over 100:", np.linalg.cond(picture) > 100, "rank", np.linalg.matrix_rank(picture, tol=0.5))
