"""Floyd-Steinberg dithering, in a loop over pixels."""

import numpy as np

grey = np.tile(np.linspace(0, 1, 32), (12, 1)) ** 1.5
work = np.pad(grey, ((0, 1), (1, 1)))
out = np.zeros((12, 32), dtype=bool)
for r in range(12):
    for c in range(1, 33):
        old = work[r, c]
        new = old > 0.5
        out[r, c - 1] = new
        error = old - new
        work[r, c + 1] += error * 7 / 16
        work[r + 1, c - 1 : c + 2] += error * np.array([3, 5, 1]) / 16
for line in out:
    print("".join("@" if pixel else " " for pixel in line) + "|")
print("mean before %.4f, after %.4f" % (grey.mean(), out.mean()))
bits = np.packbits(out, axis=1)
print(bits.shape, bits.dtype, bits[0].tolist(), np.array_equal(np.unpackbits(bits, axis=1).astype(bool), out))
