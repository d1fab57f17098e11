"""Random walks: how far, how often home."""

import numpy as np

rng = np.random.default_rng(11)
steps = rng.choice([-1, 1], size=(500, 400))
paths = np.cumsum(steps, axis=1)
print("mean", paths[:, -1].mean(), "variance", round(float(paths[:, -1].var()), 3))
returns = (paths == 0).sum(axis=1)
print("visits to the origin:", np.bincount(returns)[:10])
first = np.where((np.abs(paths) >= 20).any(axis=1), np.argmax(np.abs(paths) >= 20, axis=1), -1)
reached = first[first >= 0]
print("walks that reach 20:", reached.size, "median time", np.median(reached))
longest = np.maximum.reduce(paths, axis=1)
print("quartiles of the maximum:", np.percentile(longest, [25, 50, 75]))
angles = rng.uniform(0, 2 * np.pi, size=(200, 300))
ends = np.exp(1j * angles).sum(axis=1)
print("distance in the plane: %.4f" % np.abs(ends).mean(), "expected about %.4f" % (np.sqrt(300 * np.pi) / 2))
print("quadrants:", np.histogram(np.angle(ends), bins=4, range=(-np.pi, np.pi))[0].tolist())
