"""Reduce a photograph to a few colours with k-means: the same code with NumPy and with cuarray.

    python examples/palette.py [--device cpu] [--colours 16] [--image FILE]

Writes palette.png: the photograph before, after, and its palette. Without --image it takes the photograph
china.jpg that comes with scikit-learn.
"""

import argparse
import time

import numpy as np
from PIL import Image
from tqdm import tqdm

import cuarray

ROUNDS = 20
REPEATS = 3


def palette(xp, pixels, k):
    """Return the k colours of an (n, 3) array of pixels, and the index of the colour nearest to each pixel.

    `xp` is numpy or cuarray. With cuarray each function marked with `fuse` runs as one kernel.
    """
    fuse = getattr(xp, "fuse", lambda function: function)
    planes = xp.ascontiguousarray(pixels.T)
    red, green, blue = planes[0, :], planes[1, :], planes[2, :]

    @fuse
    def assign(colours):
        """Squared distance of each pixel to its nearest colour, and the index of that colour."""
        nearest, labels = xp.inf, xp.uint8(0)
        for index, (r, g, b) in enumerate(colours):
            distance = xp.square(red - r) + xp.square(green - g) + xp.square(blue - b)
            labels = xp.where(distance < nearest, xp.uint8(index), labels)
            nearest = xp.minimum(distance, nearest)
        return nearest, labels

    @fuse
    def members(labels, index):
        """How many pixels have the colour `index`, and the sums of their channels."""
        chosen = labels == index
        return xp.count_nonzero(chosen), xp.sum(xp.where(chosen, planes, 0), axis=1, dtype=xp.float64)

    # Start from the mean, then k - 1 times from the pixel that is farthest from every colour so far.
    colours = [xp.mean(pixels, axis=0, dtype=xp.float64).tolist()]
    while len(colours) < k:
        nearest, labels = assign(colours)
        colours.append(pixels[int(xp.argmax(nearest)), :].tolist())

    for _ in tqdm(range(ROUNDS), desc=f"{xp.__name__:10}", leave=False, disable=None):
        nearest, labels = assign(colours)
        counts, totals = zip(*[members(labels, index) for index in range(k)], strict=True)
        counts = xp.expand_dims(xp.stack(counts), 1)
        means = xp.stack(totals) / xp.maximum(counts, 1)
        colours = xp.where(counts > 0, means, xp.asarray(colours)).tolist()
    return colours, labels


def idiomatic_palette(pixels, k):
    """The same result in the way that suits NumPy best: a matrix product, argmin and bincount."""

    def assign(colours):
        offsets = (colours**2).sum(axis=1)
        return (offsets - 2 * (pixels @ colours.T)).argmin(axis=1)

    colours = pixels.mean(axis=0, keepdims=True)
    nearest = np.inf
    while len(colours) < k:
        nearest = np.minimum(((pixels - colours[-1]) ** 2).sum(axis=1), nearest)
        colours = np.vstack([colours, pixels[nearest.argmax()]])

    for _ in tqdm(range(ROUNDS), desc="idiomatic", leave=False, disable=None):
        labels = assign(colours)
        counts = np.bincount(labels, minlength=k)
        totals = np.stack([np.bincount(labels, weights=pixels[:, c], minlength=k) for c in range(3)], axis=1)
        means = totals / np.maximum(counts, 1)[:, None]
        colours = np.where(counts[:, None] > 0, means, colours).astype(np.float32)
    return colours.tolist(), labels


def timed(function):
    """Return function's result and its shortest time in seconds; a first call, to warm up, is not timed."""
    function()
    best = np.inf
    for _ in range(REPEATS):
        start = time.perf_counter()
        result = function()
        best = min(best, time.perf_counter() - start)
    return result, best


def on_device(pixels, k, device):
    """palette() with cuarray, from NumPy arrays to NumPy arrays."""
    with cuarray.device(device):
        colours, labels = palette(cuarray, cuarray.array(pixels), k)
        return colours, labels.numpy()


def read_image(file):
    """Return the image as an array of bytes of shape (height, width, 3)."""
    if file:
        return np.asarray(Image.open(file).convert("RGB"))
    from sklearn.datasets import load_sample_image

    return load_sample_image("china.jpg")


def picture(before, colours, labels):
    """Return the image before, after, and a strip of its colours from dark to light, side by side."""
    height, width, _ = before.shape
    table = np.round(colours).astype(np.uint8)
    after = table[labels].reshape(before.shape)
    strip = table[np.argsort(table @ [0.299, 0.587, 0.114])]
    strip = np.repeat(strip, -(-height // len(strip)), axis=0)[:height, None]
    gap = np.full((height, 12, 3), 255, dtype=np.uint8)
    return np.hstack([before, gap, after, gap, np.repeat(strip, width // 8, axis=1)])


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--device", default=str(cuarray.default_device()), help="cpu, cuda:0, ...")
    parser.add_argument("--colours", type=int, default=16, help="how many, 1 to 256")
    parser.add_argument("--image", help="any image file that Pillow reads")
    options = parser.parse_args()
    if not 1 <= options.colours <= 256:
        parser.error("--colours must be between 1 and 256")

    image = read_image(options.image)
    pixels = image.reshape(-1, 3).astype(np.float32)
    k = options.colours
    print(f"{image.shape[1]} x {image.shape[0]} pixels to {k} colours, {ROUNDS} rounds of k-means")

    (colours, labels), numpy_time = timed(lambda: palette(np, pixels, k))
    (idiomatic, _), idiomatic_time = timed(lambda: idiomatic_palette(pixels, k))
    (ours, our_labels), our_time = timed(lambda: on_device(pixels, k, options.device))

    np.testing.assert_allclose(ours, colours, atol=1e-3, err_msg="cuarray and NumPy found other colours")
    same = np.mean(our_labels == labels)
    assert same > 0.9999, f"cuarray and NumPy agree on only {same:.4%} of the pixels"
    assert np.abs(np.subtract(idiomatic, colours)).max() < 4, "the idiomatic version found other colours"

    where = options.device
    if where == "cpu":
        where += f", {cuarray.get_num_threads()} threads"
    numpy = f"NumPy {np.__version__}"
    for name, seconds in (
        (f"{numpy}, the same code", numpy_time),
        (f"{numpy}, idiomatic code", idiomatic_time),
        (f"cuarray on {where}", our_time),
    ):
        print(f"{name:30} {seconds * 1e3:8.1f} ms")
    print(
        f"cuarray is {numpy_time / our_time:.1f}x as fast as the same code, "
        f"{idiomatic_time / our_time:.1f}x as fast as the idiomatic one"
    )
    print(f"both agree on {same:.4%} of the pixels")

    Image.fromarray(picture(image, ours, our_labels)).save("palette.png")
    print("wrote palette.png: before | after | the palette")


if __name__ == "__main__":
    main()
