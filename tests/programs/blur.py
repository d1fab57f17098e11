"""Filters on a made-up image: blur, edges, histogram equalisation."""

import numpy as np

y, x = np.mgrid[0:48, 0:64]
image = (128 + 100 * np.sin(x / 6.0) * np.cos(y / 9.0)).astype(np.uint8)
image[10:20, 20:40] = 250
print(image.dtype, image.shape, image.min(), image.max())


def convolve(image, kernel):
    image = np.pad(image.astype(float), [(k // 2, k // 2) for k in kernel.shape], mode="edge")
    windows = np.lib.stride_tricks.sliding_window_view(image, kernel.shape)
    return np.einsum("ijkl,kl->ij", windows, kernel)


ramp = np.exp(-(np.arange(-3, 4) ** 2) / 4.0)
gauss = np.outer(ramp, ramp) / ramp.sum() ** 2
soft = convolve(image, gauss)
sobel = np.array([[1, 0, -1], [2, 0, -2], [1, 0, -1]])
edges = np.hypot(convolve(soft, sobel), convolve(soft, sobel.T))
print("soft: mean %.3f, sd %.3f" % (soft.mean(), soft.std()))
print("edges: max %.3f at %s" % (edges.max(), tuple(map(int, np.unravel_index(edges.argmax(), edges.shape)))))
counts = np.bincount(image.ravel(), minlength=256)
table = np.round(255 * np.cumsum(counts) / image.size).astype(np.uint8)
equal = table[image]
print("equalised histogram:", np.histogram(equal, bins=8, range=(0, 256))[0])
blocks = equal.reshape(6, 8, 8, 8).mean(axis=(1, 3))
print(blocks.round(1))
print("flipped equal:", np.array_equal(np.fliplr(np.flipud(image)), np.rot90(image, 2)))
