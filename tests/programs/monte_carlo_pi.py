"""Pi by darts, with its error bar."""

import numpy as np

rng = np.random.default_rng(seed=314159)
for n in (1_000, 10_000, 100_000):
    x, y = rng.random(n), rng.random(n)
    inside = x * x + y * y < 1
    estimate = 4 * inside.mean()
    error = 4 * inside.std() / np.sqrt(n)
    print(f"{n:7d} darts: {estimate:.5f} +- {error:.5f}")
points = rng.uniform(-1, 1, size=(20_000, 5))
volume = 2**5 * np.mean(np.sum(points**2, axis=1) < 1)
print(f"ball in five dimensions: {volume:.4f} (exactly {8 * np.pi**2 / 15:.4f})")
strata = (np.arange(10_000) + rng.random(10_000)) / 10_000
print("stratified integral of sqrt(1-x^2): %.8f" % (4 * np.sqrt(1 - strata**2).mean()))
