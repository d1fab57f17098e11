"""The Mandelbrot set as text, and its area."""

import numpy as np


def escape(c, limit=50):
    z = np.zeros_like(c)
    count = np.zeros(c.shape, dtype=int)
    alive = np.ones(c.shape, dtype=bool)
    for _ in range(limit):
        z[alive] = z[alive] ** 2 + c[alive]
        alive &= np.abs(z) <= 2
        count[alive] += 1
    return count


x = np.linspace(-2.0, 0.6, 66)
y = np.linspace(-1.2, 1.2, 25)
counts = escape(x[None, :] + 1j * y[:, None])
palette = np.array(list(" .:-=+*#%@"))
for line in palette[np.digitize(counts, [1, 2, 3, 4, 6, 9, 14, 25, 50])]:
    print("".join(line).rstrip())
cell = (x[1] - x[0]) * (y[1] - y[0])
print("area about %.3f" % (np.count_nonzero(counts == 50) * cell))
print("symmetric:", np.array_equal(counts, counts[::-1]))
print(np.histogram(counts, bins=[0, 1, 2, 5, 10, 50, 51])[0])
