"""Least squares, by three ways, with standard errors."""

import numpy as np

rng = np.random.default_rng(123)
n = 200
X = np.column_stack([np.ones(n), rng.uniform(0, 10, n), rng.normal(size=n), rng.integers(0, 2, n)])
beta = np.array([2.0, 0.5, -1.0, 3.0])
y = X @ beta + rng.normal(scale=0.7, size=n)
by_lstsq, residual, rank, _ = np.linalg.lstsq(X, y, rcond=None)
by_normal = np.linalg.solve(X.T @ X, X.T @ y)
q, r = np.linalg.qr(X)
by_qr = np.linalg.solve(r, q.T @ y)
assert np.allclose(by_lstsq, by_normal) and np.allclose(by_lstsq, by_qr)
sigma2 = residual[0] / (n - rank)
errors = np.sqrt(np.diag(sigma2 * np.linalg.inv(X.T @ X)))
for name, b, e in zip(["constant", "slope", "noise", "group"], by_lstsq, errors):
    print(f"{name:10s}{b:9.4f} +- {e:.4f}  t = {b / e:7.2f}")
fitted = X @ by_lstsq
r2 = 1 - np.sum((y - fitted) ** 2) / np.sum((y - y.mean()) ** 2)
print(f"R2 {r2:.5f}, largest residual {np.abs(y - fitted).max():.4f}, rank {rank}")
hat = np.einsum("ij,jk,ik->i", X, np.linalg.inv(X.T @ X), X)
print("leverage sums to %.6f" % hat.sum(), "largest", np.round(np.sort(hat)[-3:], 4))
