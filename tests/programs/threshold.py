"""Otsu's threshold and connected runs in a noisy picture."""

import numpy as np

rng = np.random.default_rng(8)
yy, xx = np.ogrid[:60, :80]
truth = ((yy - 30) ** 2 + (xx - 25) ** 2 < 200) | ((np.abs(yy - 25) < 10) & (np.abs(xx - 60) < 8))
noisy = np.clip(rng.normal(np.where(truth, 170, 80), 25), 0, 255).astype(np.uint8)
hist = np.histogram(noisy, bins=256, range=(0, 256))[0] / noisy.size
levels = np.arange(256)
w0 = np.cumsum(hist)
mu = np.cumsum(hist * levels)
with np.errstate(divide="ignore", invalid="ignore"):
    between = (mu[-1] * w0 - mu) ** 2 / (w0 * (1 - w0))
between[(w0 < 0.01) | (w0 > 0.99)] = np.nan
best = int(np.nanargmax(between))
mask = noisy > best
print("threshold", best, "error %.4f" % np.mean(mask != truth))
padded = np.pad(mask.astype(np.uint8), 1)
votes = sum(padded[i : i + 60, j : j + 80] for i in range(3) for j in range(3))
clean = votes >= 5
print("after a majority vote: %.4f" % (clean != truth).mean())
rows, columns = np.nonzero(clean)
print("box:", rows.min(), rows.max(), columns.min(), columns.max(), "centre: %.2f %.2f" % (rows.mean(), columns.mean()))
for line in clean[::6, ::2]:
    print("".join(np.where(line, "#", ".")))
