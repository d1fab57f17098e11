"""Edges by direction: a bank of filters, each a fused sum of shifted views, and a colour for the strongest one."""

from PIL import Image
from sklearn.datasets import load_sample_image

import cuarray as ca


@ca.fuse
def edges(a, b, c, d, e, f, g, h, i, across, down):
    """The derivative in one direction, by Sobel's weights, from the 3 x 3 neighbours of every pixel."""
    return abs(across * (c + 2 * f + i - a - 2 * d - g) + down * (g + 2 * h + i - a - 2 * b - c))


def draw(directions=6):
    """The picture as an array of bytes of shape (height, width, 3)."""
    photograph = ca.array(load_sample_image("china.jpg")[::2, ::2])
    grey = photograph.astype(float) @ ca.asarray([0.299, 0.587, 0.114]) / 255
    height, width = grey.shape
    views = [grey[r : height - 2 + r, c : width - 2 + c] for r in range(3) for c in range(3)]
    angles = ca.arange(directions) * (ca.pi / directions)
    bank = ca.stack([edges(*views, ca.cos(angle), ca.sin(angle)) for angle in angles])
    strength, strongest = ca.clip(bank.max(axis=0), 0, 1), bank.argmax(axis=0)
    shift = 2 * ca.pi * ca.arange(3) / 3
    colours = 0.5 + 0.5 * ca.cos(2 * angles[:, None] + shift)
    return (255 * strength[..., None] * colours[strongest]).astype(ca.uint8)


if __name__ == "__main__":
    Image.fromarray(draw().numpy()).save("filter_bank.png")
