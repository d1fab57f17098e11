"""Analysis of variance and rank tests by hand."""

import numpy as np

rng = np.random.default_rng(55)
groups = [rng.normal(m, 2.0, size=n) for m, n in ((10, 20), (11, 25), (12.5, 22))]
values = np.concatenate(groups)
which = np.repeat(np.arange(3), [g.size for g in groups])
grand = values.mean()
between = sum(g.size * (g.mean() - grand) ** 2 for g in groups)
within = sum(((g - g.mean()) ** 2).sum() for g in groups)
f = between / 2 / (within / (values.size - 3))
print(f"F = {f:.5f}, between {between:.4f}, within {within:.4f}")
ranks = np.empty(values.size)
ranks[np.argsort(values)] = np.arange(1, values.size + 1)
mean_rank = np.bincount(which, weights=ranks) / np.bincount(which)
n = values.size
h = 12 / (n * (n + 1)) * np.sum(np.bincount(which) * (mean_rank - (n + 1) / 2) ** 2)
print("Kruskal-Wallis H = %.5f" % h, "mean ranks", mean_rank.round(3))
x, y = groups[0][:20], groups[2][:20]
print("Pearson %.5f" % np.corrcoef(x, y)[0, 1], "t = %.5f" % ((x - y).mean() / (x - y).std(ddof=1) * np.sqrt(20)))
table = np.histogram2d(values, which, bins=[np.quantile(values, [0, 0.33, 0.67, 1]), [-0.5, 0.5, 1.5, 2.5]])[0]
expected = table.sum(1, keepdims=True) * table.sum(0) / table.sum()
print(table.astype(int).tolist(), "chi2 = %.5f" % ((table - expected) ** 2 / expected).sum())
