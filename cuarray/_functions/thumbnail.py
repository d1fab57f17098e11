"""Thumbnails of images in notebooks: PNG files of a few kilobytes."""

import struct
import zlib
from base64 import b64encode

import numpy as np

SHORTEST = 32  # pixels of a side; the elements of a smaller array can be read
LONGEST = 128

#: PNG's types of colour, by the number of channels: grey and alpha, RGB, RGBA.
COLOURS = {2: 4, 3: 2, 4: 6}


def is_image(array):
    """Return whether an array is shown as a picture: 2-d and real, or 3 or 4 channels of uint8."""
    has_channels = array.ndim == 3 and array.shape[2] in (3, 4) and array.dtype == np.uint8
    return (array.ndim == 2 or has_channels) and array.dtype.kind != "c" and min(array.shape[:2]) >= SHORTEST


def grey_and_alpha(values):
    """Return bytes from 0, the smallest finite value, to 255, the largest, and transparency where there is NaN."""
    finite = values[np.isfinite(values)]
    largest = np.abs(finite).max(initial=0) or 1
    values, finite = values / largest, finite / largest
    low, high = finite.min(initial=1), finite.max(initial=-1)
    shown = np.nan_to_num(values, nan=low, posinf=high, neginf=low)
    grey = (shown - low) * (255 / (high - low)) if high > low else np.zeros_like(shown)
    return np.stack([grey.round(), np.where(np.isnan(values), 0, 255)], axis=-1).astype(np.uint8)


def png(pixels):
    """Return a PNG file of pixels: height, width, channels."""

    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    height, width, channels = pixels.shape
    header = struct.pack(">IIBBBBB", width, height, 8, COLOURS[channels], 0, 0, 0)
    rows = b"".join(b"\0" + row.tobytes() for row in pixels)  # no filter
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b"")


def html_image(array):
    """Return the HTML of a picture of an array, for which few of its elements are copied from a GPU."""
    steps = [-(-extent // LONGEST) for extent in array.shape[:2]]
    few = array[:: steps[0], :: steps[1]].numpy()
    pixels = few if few.ndim == 3 else grey_and_alpha(few.astype(np.float64))
    every = f"each {steps[0]}th row and {steps[1]}th column" if max(steps) > 1 else "each element"
    data = b64encode(png(pixels)).decode("ascii")
    return f'<img title="{every}" style="image-rendering: pixelated" src="data:image/png;base64,{data}">'
