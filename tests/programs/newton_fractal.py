"""Roots of polynomials: Newton's method over a grid of complex numbers."""

import numpy as np

roots = np.exp(2j * np.pi * np.arange(3) / 3)
re, im = np.meshgrid(np.linspace(-1.5, 1.5, 48), np.linspace(-1.5, 1.5, 24))
z = re + 1j * im
z[z == 0] = 1e-3
for _ in range(40):
    z = z - (z**3 - 1) / (3 * z**2)
basin = np.abs(z[..., None] - roots).argmin(axis=-1)
for row in basin[::3]:
    print("".join("abc"[k] for k in row))
print("sizes:", np.bincount(basin.ravel()), "worst %.1e" % max(np.abs(z**3 - 1).max(), 1e-15))
companion = np.diag(np.ones(4), -1)
companion[0] = [3, -1, 2, 5, -6]
values = np.linalg.eigvals(companion)
print("eigenvalues:", np.sort_complex(values).round(6))
print("by roots:   ", np.sort_complex(np.roots([1, -3, 1, -2, -5, 6])).round(6))
print("conjugate pairs:", np.allclose(np.sort_complex(values), np.sort_complex(values.conj())))
