"""A photograph before and after: noise is removed and edges are kept, by a bilateral filter of shifted views."""

from PIL import Image
from sklearn.datasets import load_sample_image

import cuarray as ca

RADIUS, NEAR, ALIKE = 3, 2.0, 0.12


@ca.fuse
def weighted(here, other, distance):
    """The weight of a neighbour: by its distance, and by how alike the two pixels are."""
    return ca.exp(-distance / (2 * NEAR**2) - ((here - other) ** 2).sum(axis=-1, keepdims=True) / (2 * ALIKE**2))


def smoothed(image):
    height, width, _ = image.shape
    padded = ca.pad(image, ((RADIUS, RADIUS), (RADIUS, RADIUS), (0, 0)), mode="edge")
    total, weights = ca.zeros_like(image), ca.zeros((height, width, 1))
    for dy in range(2 * RADIUS + 1):
        for dx in range(2 * RADIUS + 1):
            other = padded[dy : dy + height, dx : dx + width]
            weight = weighted(image, other, float((dy - RADIUS) ** 2 + (dx - RADIUS) ** 2))
            total += weight * other
            weights += weight
    return total / weights


def draw():
    """Before and after, side by side, as an array of bytes of shape (height, width, 3)."""
    image = ca.array(load_sample_image("flower.jpg")[60:300, 120:360]) / 255
    noisy = ca.clip(image + ca.random.default_rng(2).normal(0, 0.08, image.shape), 0, 1)
    return (255 * ca.concatenate([noisy, smoothed(noisy)], axis=1)).astype(ca.uint8)


if __name__ == "__main__":
    Image.fromarray(draw().numpy()).save("denoise.png")
