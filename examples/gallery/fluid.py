"""The flow around a cylinder by the lattice Boltzmann method (D2Q9), in array operations."""

from PIL import Image

import cuarray as ca

DIRECTIONS = [(0, 0), (1, 0), (0, 1), (-1, 0), (0, -1), (1, 1), (-1, 1), (-1, -1), (1, -1)]
OPPOSITE = [0, 3, 4, 1, 2, 7, 8, 5, 6]
WEIGHTS = [4 / 9] + [1 / 9] * 4 + [1 / 36] * 4
INFLOW, VISCOSITY = 0.1, 0.02


@ca.fuse
def relaxed(part, density, u, v, dx, dy, weight):
    """The particles of one direction after collisions."""
    along = 3 * (dx * u + dy * v)
    rest = weight * density * (1 + along + 0.5 * along * along - 1.5 * (u * u + v * v))
    return part + (rest - part) / (3 * VISCOSITY + 0.5)


def draw(width=300, height=100, steps=1500):
    """The vorticity as an array of bytes of shape (2 height, 2 width, 3)."""
    y, x = ca.meshgrid(ca.arange(height), ca.arange(width), indexing="ij")
    solid = (x - width // 5) ** 2 + (y - height // 2 - 1) ** 2 < (height // 9) ** 2
    start = ca.ones((height, width))
    inflow = [
        w * (1 + 3 * dx * INFLOW + 4.5 * (dx * INFLOW) ** 2 - 1.5 * INFLOW**2)
        for w, (dx, _) in zip(WEIGHTS, DIRECTIONS, strict=True)
    ]
    parts = [start * value for value in inflow]
    for _ in range(steps):
        parts = [ca.roll(part, (dy, dx), axis=(0, 1)) for part, (dx, dy) in zip(parts, DIRECTIONS, strict=True)]
        for part, value in zip(parts, inflow, strict=True):
            part[:, 0] = value
        density = sum(parts)
        u = sum(dx * part for part, (dx, _) in zip(parts, DIRECTIONS, strict=True) if dx) / density
        v = sum(dy * part for part, (_, dy) in zip(parts, DIRECTIONS, strict=True) if dy) / density
        after = [
            relaxed(part, density, u, v, dx, dy, weight)
            for part, (dx, dy), weight in zip(parts, DIRECTIONS, WEIGHTS, strict=True)
        ]
        parts = [ca.where(solid, parts[OPPOSITE[k]], after[k]) for k in range(9)]
    vorticity = ca.where(solid, 0, ca.gradient(v, axis=1) - ca.gradient(u, axis=0))
    level = ca.clip(vorticity / 0.02, -1, 1)
    colour = ca.stack([1 + ca.minimum(level, 0), 1 - abs(level), 1 - ca.maximum(level, 0)], axis=-1)
    colour = ca.where(solid[..., None], 0.2, colour)
    return ca.repeat(ca.repeat((255 * colour).astype(ca.uint8), 2, axis=0), 2, axis=1)


if __name__ == "__main__":
    Image.fromarray(draw().numpy()).save("fluid.png")
