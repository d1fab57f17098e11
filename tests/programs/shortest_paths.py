"""Graphs as matrices: shortest paths, components, triangles."""

import numpy as np

rng = np.random.default_rng(14)
n = 12
weights = np.where(rng.random((n, n)) < 0.25, rng.integers(1, 10, (n, n)), 0)
weights = np.triu(weights, 1)
weights = weights + weights.T
distance = np.where(weights > 0, weights.astype(float), np.inf)
np.fill_diagonal(distance, 0)
for k in range(n):
    distance = np.minimum(distance, distance[:, k, None] + distance[None, k, :])
print(distance[0])
finite = distance[np.isfinite(distance)]
print("diameter", finite.max(), "mean %.4f" % finite[finite > 0].mean(), "edges", np.count_nonzero(weights) // 2)
adjacency = (weights > 0).astype(int)
print("triangles:", np.trace(np.linalg.matrix_power(adjacency, 3)) // 6, "degrees:", adjacency.sum(axis=0))
component = np.arange(n)
while True:
    new = np.where(adjacency, component[None, :], n).min(axis=1)
    new = np.minimum(new, component)
    if np.array_equal(new, component):
        break
    component = new
print("components:", np.unique(component).size, np.sum(component == 0))
laplacian = np.diag(adjacency.sum(axis=0)) - adjacency
eigenvalues = np.linalg.eigvalsh(laplacian)
print("zero eigenvalues:", np.sum(np.abs(eigenvalues) < 1e-9), "largest %.5f" % eigenvalues[-1])
