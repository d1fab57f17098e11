"""Test numbers: every kind of special value, every magnitude, and all numbers of small types."""

import ml_dtypes
import numpy as np

# The domains, or interesting ranges, of functions that do not cover all numbers.
RANGES = [(-1, 1), (0, 2), (-20, 20), (-1000, 1000)]


def floats(dtype, rng, count):
    """Return special values, then random ones: half of any magnitude, half of moderate size."""
    info = ml_dtypes.finfo(dtype)
    top, least, tiny = float(info.max), float(info.smallest_subnormal), float(info.smallest_normal)
    special = [0, 1, 2, 3, 0.5, 1.5, 2.5, 0.1, np.pi, np.pi / 2, 10, 100, 1 - 2**-9, 1 + 2**-7, top, top / 2, tiny,
               tiny / 4, least, np.inf]  # fmt: skip
    special = np.array([*special, *(-x for x in special), np.nan])
    bits = 8 * np.dtype(dtype).itemsize
    patterns = rng.integers(0, 2**bits, max(count // 2, 1), dtype=f"u{bits // 8}").view(dtype)
    everyday = np.concatenate([rng.uniform(low, high, count // 8 + 1) for low, high in RANGES])
    with np.errstate(over="ignore", invalid="ignore"):
        patterns = np.where(np.isnan(patterns), np.ones(1, dtype), patterns)
        return np.concatenate([special.astype(dtype), patterns.astype(dtype), everyday.astype(dtype)])


def integers(dtype, rng, count):
    """Return the limits, small numbers, powers of two and random ones, half of them small."""
    info = np.iinfo(dtype)
    powers = [2**k + d for k in range(info.bits) for d in (-1, 0)]
    special = [info.min, info.min + 1, info.max, info.max - 1, *range(-12, 13), *powers]
    special = [x for x in special if info.min <= x <= info.max]
    low, high = max(info.min, -100), min(info.max, 100)
    random = [
        rng.integers(info.min, info.max, count // 2 + 1, dtype, endpoint=True),
        rng.integers(low, high, count // 2 + 1),
    ]
    return np.concatenate([np.array(special, dtype), *(r.astype(dtype) for r in random)])


def numbers(dtype, rng, count):
    """Return at least `count` numbers of any dtype."""
    dtype = np.dtype(dtype)
    if dtype.kind == "b":
        return rng.integers(0, 2, count + 2).astype(bool)
    if dtype.kind in "iu":
        return integers(dtype, rng, count)
    if dtype.kind == "c":
        part = np.dtype(f"f{dtype.itemsize // 2}")
        real, imag = everyday(part, rng, count), everyday(part, rng, count)
        return (real + 1j * imag).astype(dtype)
    return floats(dtype, rng, count)


def everyday(dtype, rng, count):
    """Return finite numbers of moderate size, zero among them."""
    parts = [rng.uniform(low, high, count // 4 + 1) for low, high in [(-1, 1), (-10, 10), (-1e-3, 1e-3), (0, 3)]]
    result = np.concatenate([[0, 1, -1, 0.5, 2], *parts]).astype(dtype)
    rng.shuffle(result)
    return result


def every(dtype):
    """Return every number of a type of 8 or 16 bits, with a single NaN."""
    dtype = np.dtype(dtype)
    patterns = np.arange(2 ** (8 * dtype.itemsize), dtype=f"u{dtype.itemsize}").view(dtype)
    if dtype.kind in "iu":
        return patterns
    with np.errstate(invalid="ignore"):
        is_nan = np.isnan(patterns)
    return np.concatenate([patterns[~is_nan], patterns[is_nan][:1]])


def arguments(in_dtypes, rng, count):
    """Return one array of numbers per input, all of one length, so that many combinations occur."""
    columns = [numbers(t, rng, count) for t in in_dtypes]
    length = max(map(len, columns))
    if len(columns) == 1:
        return columns
    # The first part combines special values with each other, the rest any values.
    front = min(len(columns[0]), 64)
    mixed = []
    for i, column in enumerate(columns):
        head = column[:front]
        grid = np.tile(head, front) if i == 0 else np.repeat(head, front)[: front * front]
        mixed.append(np.concatenate([grid[: front * front], rng.permutation(np.resize(column, length))]))
    shortest = min(map(len, mixed))
    return [column[:shortest] for column in mixed]
