"""The attractor of Lorenz: Numba compiles the loop over time, cuarray makes the picture. Runs on the CPU."""

import numba
from PIL import Image

import cuarray as ca


@numba.njit
def follow(start, path, step):
    x, y, z = start
    for n in range(path.shape[0]):
        dx, dy, dz = 10 * (y - x), x * (28 - z) - y, x * y - 8 / 3 * z
        x, y, z = x + step * dx, y + step * dy, z + step * dz
        path[n, 0], path[n, 1] = x, z


def draw(width=420, height=300, points=40_000):
    """The density of a path as an array of bytes of shape (height, width, 3)."""
    with ca.device("cpu"):
        path = ca.empty((points, 2))
        follow((1.0, 1.0, 20.0), path, 0.002)
        density, _, _ = ca.histogram2d(path[:, 1], path[:, 0], bins=(height, width), range=((0, 50), (-22, 22)))
        level = 1 - ca.exp(-0.8 * density[::-1])
        colour = ca.stack([level * 1.0, level**1.5 * 0.8, 0.15 + 0.4 * level], axis=-1)
        return (255 * colour).astype(ca.uint8)


if __name__ == "__main__":
    Image.fromarray(draw().numpy()).save("lorenz.png")
