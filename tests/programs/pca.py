"""Principal components and whitening."""

import numpy as np

rng = np.random.default_rng(seed=9)
mix = rng.normal(size=(3, 6))
data = rng.normal(size=(500, 3)) * [3, 2, 1] @ mix + 0.1 * rng.normal(size=(500, 6)) + np.arange(6)
mean = data.mean(axis=0)
values, vectors = np.linalg.eigh(np.cov(data - mean, rowvar=False))
order = np.argsort(values)[::-1]
values, vectors = values[order], vectors[:, order]
vectors *= np.sign(vectors[np.abs(vectors).argmax(axis=0), np.arange(6)])
print("share of variance:", np.round(values / values.sum(), 5))
print("needed for 99%:", int(np.argmax(np.cumsum(values) / values.sum() > 0.99)) + 1)
scores = (data - mean) @ vectors[:, :3]
white = scores / np.sqrt(values[:3])
print("covariance after whitening:\n", np.abs(np.cov(white.T).round(6)))
back = scores @ vectors[:, :3].T + mean
print("error of the reconstruction: %.5f" % np.sqrt(np.mean((back - data) ** 2)))
print("first vector:", vectors[:, 0].round(4))
