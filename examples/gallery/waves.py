"""Waves behind two slits: the wave equation on a grid, one fused kernel for each step in time."""

from PIL import Image

import cuarray as ca

SPEED = 0.5  # squared, in cells per step


@ca.fuse
def moved(here, before, up, down, left, right, open_cells):
    return open_cells * 0.999 * (2 * here - before + SPEED * (up + down + left + right - 4 * here))


def draw(width=360, height=240, steps=420):
    """The picture as an array of bytes of shape (height, width, 3)."""
    row, column = ca.arange(height)[:, None], ca.arange(width)[None, :]
    slits = (abs(row - height // 2 + 30) < 5) | (abs(row - height // 2 - 30) < 5)
    open_cells = ((abs(column - 90) > 2) | slits).astype(float)
    inner = open_cells[1:-1, 1:-1]
    before, here = ca.zeros((height, width)), ca.zeros((height, width))
    for n in range(steps):
        here[:, 20] = ca.sin(ca.asarray(0.45 * n))
        after = ca.zeros((height, width))
        after[1:-1, 1:-1] = moved(
            here[1:-1, 1:-1],
            before[1:-1, 1:-1],
            here[:-2, 1:-1],
            here[2:, 1:-1],
            here[1:-1, :-2],
            here[1:-1, 2:],
            inner,
        )
        before, here = here, after
    level = ca.clip(here, -1, 1)
    colour = ca.stack([0.5 + 0.5 * level, 0.5 + 0.2 * level, 0.5 - 0.5 * level], axis=-1)
    colour = ca.where(open_cells[..., None] > 0, colour, 0.1)
    return (255 * colour).astype(ca.uint8)


if __name__ == "__main__":
    Image.fromarray(draw().numpy()).save("waves.png")
