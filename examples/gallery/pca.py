"""Principal components of 1797 handwritten digits: all in the plane of the first two, a colour for each digit."""

from PIL import Image
from sklearn.datasets import load_digits

import cuarray as ca

COLOURS = [
    (31, 119, 180), (255, 127, 14), (44, 160, 44), (214, 39, 40), (148, 103, 189),
    (140, 86, 75), (227, 119, 194), (127, 127, 127), (188, 189, 34), (23, 190, 207),
]  # fmt: skip


def components(data, count):
    """The data in the directions of the largest variance; each direction points to its largest entry."""
    centred = data - data.mean(axis=0)
    _, _, directions = ca.linalg.svd(centred, full_matrices=False)
    directions = directions[:count]
    largest = ca.take_along_axis(directions, abs(directions).argmax(axis=1)[:, None], axis=1)
    return centred @ (directions * ca.sign(largest)).T


def draw(size=360):
    """The picture as an array of bytes of shape (size, size, 3)."""
    digits = load_digits()
    plane = components(ca.array(digits.data), 2)
    low, high = plane.min(axis=0), plane.max(axis=0)
    cell = ((plane - low) / (high - low) * (size - 9)).astype(int) + 4
    image = ca.full((size, size, 3), 255, dtype=ca.uint8)
    colour = ca.asarray(COLOURS, dtype=ca.uint8)[ca.array(digits.target)]
    for k in range(len(COLOURS)):
        chosen = ca.array(digits.target == k)
        for dy in (-1, 0, 1):
            for dx in (-1, 0, 1):
                image[cell[chosen, 1] + dy, cell[chosen, 0] + dx] = colour[chosen]
    return image


if __name__ == "__main__":
    Image.fromarray(draw().numpy()).save("pca.png")
