"""Natural cubic splines and Chebyshev interpolation."""

import numpy as np
from numpy.polynomial import chebyshev, polynomial


def spline(x, y, at):
    h = np.diff(x)
    A = np.diag(np.r_[1, 2 * (h[:-1] + h[1:]), 1]) + np.diag(np.r_[h[:-1], 0], -1) + np.diag(np.r_[0, h[1:]], 1)
    right = np.r_[0, 3 * (np.diff(y[1:]) / h[1:] - np.diff(y[:-1]) / h[:-1]), 0]
    c = np.linalg.solve(A, right)
    b = np.diff(y) / h - h * (2 * c[:-1] + c[1:]) / 3
    d = np.diff(c) / (3 * h)
    i = np.clip(np.searchsorted(x, at) - 1, 0, len(h) - 1)
    u = at - x[i]
    return y[i] + u * (b[i] + u * (c[:-1][i] + u * d[i]))


x = np.linspace(0, 2 * np.pi, 9)
at = np.linspace(0, 2 * np.pi, 101)
error = np.abs(spline(x, np.sin(x), at) - np.sin(at))
print("spline of a sine: %.6f at most" % error.max())
for degree in (5, 10, 20):
    nodes = np.cos(np.pi * (np.arange(degree + 1) + 0.5) / (degree + 1))
    coefficients = chebyshev.chebfit(nodes, 1 / (1 + 25 * nodes**2), degree)
    grid = np.linspace(-1, 1, 401)
    print(degree, "%.5f" % np.abs(chebyshev.chebval(grid, coefficients) - 1 / (1 + 25 * grid**2)).max())
cubic = polynomial.polyfromroots([1, 2, 3])
print(cubic, polynomial.polyroots(cubic).round(8), polynomial.polyval(4.0, cubic))
print(np.roots([1, -6, 11, -6]).round(6), np.poly([1, 2]), np.polyder([1, 2, 3]), np.polyint([2, 2]))
