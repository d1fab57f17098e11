"""A Julia set: z -> z*z + c for all points at once, with the step fused into one kernel."""

from PIL import Image

import cuarray as ca


@ca.fuse
def step(re, im, count):
    inside = re * re + im * im < 16
    new_re = ca.where(inside, re * re - im * im - 0.8, re)
    new_im = ca.where(inside, 2 * re * im + 0.156, im)
    return new_re, new_im, count + inside


def draw(width=480, height=300, steps=120):
    """The picture as an array of bytes of shape (height, width, 3)."""
    im, re = ca.meshgrid(ca.linspace(-1, 1, height), ca.linspace(-1.6, 1.6, width), indexing="ij")
    count = ca.zeros((height, width))
    for _ in range(steps):
        re, im, count = step(re, im, count)
    # Continuous between the counts of steps, so that there are no bands.
    level = ca.sqrt((count - ca.log2(ca.log2(ca.maximum(re * re + im * im, 4.0)))) / steps)
    level = ca.clip(level, 0, 1)
    colour = ca.stack([level, level**2, 0.3 + 0.7 * ca.sin(3 * level)], axis=-1)
    return (255 * ca.clip(colour, 0, 1)).astype(ca.uint8)


if __name__ == "__main__":
    Image.fromarray(draw().numpy()).save("fractal.png")
