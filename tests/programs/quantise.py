"""Colours of an image by k-means."""

import numpy as np

rng = np.random.default_rng(3)
centres = np.array([[220, 40, 40], [40, 200, 60], [30, 60, 210], [230, 220, 60]])
pixels = np.clip(centres[rng.integers(0, 4, size=3000)] + rng.normal(0, 15, size=(3000, 3)), 0, 255)
palette = pixels[rng.choice(len(pixels), 4, replace=False)]
for step in range(50):
    distance = ((pixels[:, None, :] - palette[None]) ** 2).sum(axis=2)
    nearest = distance.argmin(axis=1)
    new = np.array(
        [pixels[nearest == k].mean(axis=0) if (nearest == k).any() else palette[k] for k in range(len(palette))]
    )
    if np.allclose(new, palette):
        break
    palette = new
order = np.lexsort(palette.T)
print("rounds:", step)
for colour, n in zip(palette[order], np.bincount(nearest, minlength=4)[order]):
    print("#%02x%02x%02x" % tuple(int(round(float(c))) for c in colour), n)
print("error per pixel: %.3f" % np.sqrt(distance.min(axis=1)).mean())
print("as bytes:", palette[order].astype(np.uint8).tobytes().hex())
