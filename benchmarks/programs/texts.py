"""Texts and other bytes as arrays of uint8."""

import numpy

from programs.registry import integers, program


def digits(n: int) -> numpy.ndarray:
    """The text of a table of integers, 8 in each line."""
    lines = (",".join(map(str, row)) for row in integers(1000, n, 8))
    return numpy.frombuffer(("\n".join(lines) + "\n").encode(), dtype=numpy.uint8)


def text(n: int) -> numpy.ndarray:
    """n words, most of them repeated."""
    return numpy.frombuffer(b" ".join(b"abcdefghijkl"[i % 5 : i % 5 + 1 + i % 7] for i in integers(60, n)), numpy.uint8)


@program(lambda n: [digits(n)], small=240, large=4400)
def read_table(np, text):
    """The integers of a text with commas and line ends, byte by byte."""
    rows, row, number = [], [], 0
    for byte in text:
        if byte == 44 or byte == 10:
            row.append(number)
            number = 0
            if byte == 10:
                rows.append(row)
                row = []
        else:
            number = 10 * number + int(byte) - 48
    return np.array(rows)


@program(lambda n: [text(n)], small=3200, large=56000)
def count_words(np, text):
    """The words of a text and how often each occurs, sorted by their bytes."""
    letter = (text >= 97) & (text <= 122)
    edges = np.flatnonzero(np.diff(np.concatenate(([False], letter, [False])).astype(np.int8)))
    counts = {}
    for start, stop in zip(edges[::2], edges[1::2], strict=True):
        word = text[start:stop].tobytes()
        counts[word] = counts.get(word, 0) + 1
    return np.array([counts[word] for word in sorted(counts)])


@program(lambda n: [integers(5, n, 40).astype("u1") // 4], small=120, large=2100)
def run_lengths(np, image):
    """Values and lengths of the runs of each row of an image; decoded again, to check."""
    runs = []
    restored = np.zeros_like(image)
    for i, row in enumerate(image):
        starts = np.concatenate(([0], np.flatnonzero(row[1:] != row[:-1]) + 1))
        lengths = np.diff(np.append(starts, len(row)))
        runs.append(lengths)
        restored[i] = np.repeat(row[starts], lengths)
    assert (restored == image).all()
    return np.concatenate(runs)


@program(lambda n: [integers(256, n).astype("u1")], small=4800, large=88000)
def checksum(np, data):
    """The CRC-32 of bytes, with a table of 256 remainders."""
    table = np.arange(256, dtype=np.uint32)
    for _ in range(8):
        table = np.where(table & 1, np.uint32(0xEDB88320) ^ (table >> 1), table >> 1)
    crc = np.uint32(0xFFFFFFFF)
    for byte in data:
        crc = table[(crc ^ byte) & 255] ^ (crc >> 8)
    return int(crc ^ 0xFFFFFFFF)
