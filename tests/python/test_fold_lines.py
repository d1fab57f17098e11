"""Folds of contiguous lines have the bits of the host's, whatever the length, the alignment and the layout of the lines."""

import numpy as np
import pytest

import cuarray

#: Parts of a row, a leaf and a chunk; several leaves in a warp, a block and a few chunks.
LENGTHS = [1, 3, 8, 15, 16, 17, 63, 64, 100, 255, 256, 257, 300, 1000, 2048, 4100, 16383, 16384, 16385, 40009]
ROWS = {
    "?": ["sum", "any", "argmax"],
    "i1": ["sum", "max", "argmin"],
    "u2": ["prod", "argmax"],
    "f2": ["sum", "argmax"],
    "i4": ["sum", "min"],
    "f4": ["sum", "prod", "argmax", "var"],
    "f8": ["mean", "argmin", "ptp"],
    "c8": ["sum", "argmax"],
    "c16": ["prod", "max"],
}
#: Lines of n elements in memory of many; the first is aligned to every vector.
LAYOUTS = {
    "line": lambda m, n: m[:n],
    "shifted": lambda m, n: m[1 : n + 1],
    "rows": lambda m, n: m[: 3 * n].reshape(3, n),
    "padded": lambda m, n: m[: 5 * (n + 16 - n % 16)].reshape(5, -1)[:, :n],
    "mirrored rows": lambda m, n: m[: 2 * n].reshape(2, n)[::-1],
    "blocks": lambda m, n: m[: 6 * (n + 16 - n % 16)].reshape(2, 3, -1)[:, 1:, :n],
    "one row again": lambda m, n: cuarray.broadcast_to(m[:n], (3, n)),
    "one element": lambda m, n: cuarray.broadcast_to(m[:2].reshape(2, 1), (2, n)),
}
#: What is folded, of x and of a mask of the same shape: a line, or several with the same or broadcast elements.
PRODUCERS = {
    "plain": lambda x, m: x,
    "two types": lambda x, m: cuarray.where(m, x, x[..., :1]),
    "cast": lambda x, m: x.astype("c16" if x.dtype.kind == "c" else "f8"),
    "index": lambda x, m: x * cuarray.arange(x.shape[-1], dtype="i2", device=x.device),
}


def memory(dtype, count, device):
    numbers = np.random.default_rng(count).integers(-5, 6, (2, count))
    values = (numbers[0] + 0.1 * numbers[1]).astype(dtype) if dtype[0] in "fc" else numbers[0].astype(dtype)
    if dtype[0] in "fc":
        values[count // 3 :: 997] = np.nan
    return cuarray.asarray(values, device=device)


def bits(result):
    """The bytes of a result; the sign of a NaN is the processor's choice."""
    values = np.atleast_1d(result.numpy())
    if values.dtype.kind in "fc":
        values[np.isnan(values)] = np.nan
    return values.tobytes()


@pytest.mark.parametrize("dtype", ROWS)
@pytest.mark.parametrize("layout", LAYOUTS)
def test_bits_of_lines(dtype, layout, device):
    for n in LENGTHS:
        found = []
        for where in (device, "cpu"):
            x = LAYOUTS[layout](memory(dtype, 6 * n + 96, where), n)
            found.append([bits(getattr(cuarray, name)(x, axis=-1)) for name in ROWS[dtype]])
        assert found[0] == found[1], n


@pytest.mark.parametrize("producer", PRODUCERS)
@pytest.mark.parametrize("layout", LAYOUTS)
def test_bits_of_made_lines(producer, layout, device):
    for dtype in ("i1", "f2", "f4", "c16"):
        for n in (5, 16, 100, 1024, 4099, 16400):
            found = []
            for where in (device, "cpu"):
                x = LAYOUTS[layout](memory(dtype, 6 * n + 96, where), n)
                mask = LAYOUTS[layout](memory("?", 6 * n + 96, where), n)

                @cuarray.fuse
                def fold(x, mask):
                    return PRODUCERS[producer](x, mask).sum(axis=-1, where=mask, initial=3)

                found.append(bits(fold(x, mask)))
            assert found[0] == found[1], (dtype, n)


def test_many_chunks(device):
    """More partial results than a block has threads."""
    n = 300 * 16384 + 5
    x = cuarray.arange(n, dtype="u1", device=device)
    whole, rest = divmod(n, 256)
    assert int(x.sum()) == whole * 255 * 128 + rest * (rest - 1) // 2
    assert int(x[3:].sum()) == int(x.sum()) - 3
    assert int(cuarray.argmax(x)) == 255 and int(cuarray.argmin(x[1:])) == 255
