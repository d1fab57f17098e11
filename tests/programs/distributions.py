"""Moments and quantiles of many distributions."""

import numpy as np

rng = np.random.default_rng(2**31)
n = 2000
draws = {
    "uniform": rng.uniform(-1, 1, n),
    "normal": rng.normal(1, 2, n),
    "exponential": rng.exponential(0.5, n),
    "gamma": rng.gamma(3, 1, n),
    "beta": rng.beta(2, 5, n),
    "poisson": rng.poisson(4, n),
    "binomial": rng.binomial(10, 0.3, n),
    "geometric": rng.geometric(0.2, n),
    "chisquare": rng.chisquare(3, n),
    "laplace": rng.laplace(0, 1, n),
    "weibull": rng.weibull(1.5, n),
    "triangular": rng.triangular(-1, 0, 2, n),
}
for name, x in draws.items():
    q = np.quantile(x, [0.05, 0.5, 0.95])
    print(f"{name:12s} {x.mean():8.4f} {x.var():8.4f}  " + " ".join(f"{v:7.3f}" for v in q), x.dtype)
both = rng.multivariate_normal([0, 1], [[1, 0.5], [0.5, 2]], size=500)
print(np.cov(both.T).round(3).tolist())
print("dirichlet:", rng.dirichlet([1, 2, 3]).round(5), "multinomial:", rng.multinomial(20, [0.2, 0.3, 0.5]))
cards = np.arange(52)
rng.shuffle(cards)
print(cards[:10], rng.permutation(5), rng.bytes(4).hex(), rng.integers(0, 2**40, 2))
