"""Value at risk by three methods."""

import numpy as np

np.random.seed(7)
days = 1000
shocks = np.random.standard_t(4, size=days) * 0.01
volatility = np.ones(days)
for t in range(1, days):
    volatility[t] = np.sqrt(0.05 + 0.9 * volatility[t - 1] ** 2 + 0.05 * (shocks[t - 1] / 0.01) ** 2)
returns = volatility * shocks
losses = -returns
for level in (0.95, 0.99):
    historical = np.quantile(losses, level)
    tail = losses[losses >= historical]
    print(f"{level:.0%}: historical {historical:.5f}, expected shortfall {tail.mean():.5f}, {tail.size} days")
mean, sd = losses.mean(), losses.std(ddof=1)
print("normal 95%%: %.5f" % (mean + 1.6448536269514722 * sd))
centred = (losses - mean) / sd
print("skewness %.4f, kurtosis %.4f" % ((centred**3).mean(), (centred**4).mean() - 3))
exceed = losses > np.quantile(losses, 0.95)
runs = np.flatnonzero(np.diff(np.concatenate(([0], exceed.astype(int), [0]))))
lengths = runs[1::2] - runs[::2]
print("runs of losses:", np.bincount(lengths).tolist(), "longest", lengths.max())
print(np.histogram(returns, bins=[-1, -0.05, -0.02, 0, 0.02, 0.05, 1])[0])
