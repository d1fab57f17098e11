"""The portfolio of least variance from simulated returns."""

import numpy as np

rng = np.random.default_rng(2024)
names = ["bonds", "shares", "gold", "land"]
means = np.array([0.02, 0.07, 0.03, 0.05]) / 252
spread = np.array([0.05, 0.18, 0.15, 0.11]) / np.sqrt(252)
noise = rng.standard_normal((2520, 4))
mixing = np.linalg.cholesky(np.array([[1, 0.1, 0, 0.2], [0.1, 1, 0.05, 0.5], [0, 0.05, 1, 0.1], [0.2, 0.5, 0.1, 1]]))
returns = means + spread * (noise @ mixing.T)
cov = np.cov(returns, rowvar=False) * 252
weights = np.linalg.solve(cov, np.ones(4))
weights /= weights.sum()
print("correlations")
print(np.round(np.corrcoef(returns.T), 3))
for name, weight in sorted(zip(names, weights), key=lambda pair: -pair[1]):
    print(f"{name:8s} {weight:8.4f}")
print("volatility %.4f" % np.sqrt(weights @ cov @ weights))
wealth = np.cumprod(1 + returns @ weights)
peak = np.maximum.accumulate(wealth)
print("largest loss from a peak: {:.4f}".format((1 - wealth / peak).max()))
print("year by year:", [round(float(w), 4) for w in wealth[251::252]])
