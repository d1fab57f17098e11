"""Confidence intervals by the bootstrap and a permutation test."""

import numpy as np

rng = np.random.default_rng(12345)
a = rng.gamma(2.0, 2.0, size=80)
b = rng.gamma(2.5, 2.0, size=70)
means = np.array([rng.choice(a, a.size).mean() for _ in range(500)])
print("mean %.4f, 95%% in [%.4f, %.4f]" % (a.mean(), *np.quantile(means, [0.025, 0.975])))
index = rng.integers(0, b.size, size=(1000, b.size))
medians = np.median(b[index], axis=1)
print("median %.4f +- %.4f" % (np.median(b), medians.std(ddof=1)))
both, observed = np.concatenate([a, b]), b.mean() - a.mean()
extreme = 0
for _ in range(400):
    mixed = rng.permutation(both)
    extreme += abs(mixed[:70].mean() - mixed[70:].mean()) >= abs(observed)
print("difference %.4f, p = %.4f" % (observed, (extreme + 1) / 401))
jack = np.array([np.delete(a, i).mean() for i in range(a.size)])
print("jackknife error %.5f, formula %.5f" % (np.sqrt((a.size - 1) * jack.var()), a.std(ddof=1) / np.sqrt(a.size)))
