"""One loop over operands of any layout: copied, by rows, or planned, with the bits of contiguous operands."""

import contextlib
import itertools

import numpy as np
import pytest

import cuarray


@pytest.fixture
def cpu():
    with cuarray.device("cpu"):
        yield


SIZES = [1, 3, 63, 64, 65, 100, 255, 400, 1000, 1024, 1025, 2500]

# What lies in memory of 3 n elements and more, as an operand of n elements.
LINES = {
    "contiguous": lambda m, n: m[5 : 5 + n],
    "reversed": lambda m, n: m[n + 2 : 2 : -1],
    "second": lambda m, n: m[1 : 1 + 2 * n : 2],
    "third": lambda m, n: m[: 3 * n : 3],
    "one": lambda m, n: m[7:8],
}

# The same of matrices of (4, columns).
MATRICES = {
    "contiguous": lambda m, n: m[: 4 * n].reshape(4, n),
    "rows": lambda m, n: m[: 4 * (n + 3)].reshape(4, n + 3)[:, 2 : n + 2],
    "upside down": lambda m, n: m[: 4 * (n + 3)].reshape(4, n + 3)[::-1, 2 : n + 2],
    "mirrored": lambda m, n: m[: 4 * n].reshape(4, n)[:, ::-1],
    "transposed": lambda m, n: m[: 4 * n].reshape(n, 4).T,
    "row": lambda m, n: m[:n],
    "column": lambda m, n: m[:4].reshape(4, 1),
    "one": lambda m, n: m[3:4],
}

ROWS = [("add", "f8"), ("multiply", "i2"), ("logical_or", "?"), ("exp", "f4"), ("subtract", "c16"), ("minimum", "f2")]


def memory(dtype, count, seed):
    rng = np.random.default_rng(seed)
    if dtype == "?":
        return rng.random(count) < 0.5
    numbers = rng.integers(-50, 50, count) / (1 if dtype == "i2" else 8)
    return (numbers + 1j * rng.permutation(numbers)).astype(dtype) if dtype == "c16" else numbers.astype(dtype)


def compare(function, dtype, pick, other, n, device):
    ours, theirs = getattr(cuarray, function), getattr(np, function)
    left, right = memory(dtype, 5 * n + 20, 1), memory(dtype, 5 * n + 20, 2)
    a, b = (cuarray.array(m, device=device) for m in (left, right))
    args, wanted = [pick(a, n), other(b, n)], [pick(left, n), other(right, n)]
    if theirs.nin == 1:
        args, wanted = args[:1], wanted[:1]
    got, want = ours(*args), theirs(*wanted)
    packed = ours(*[cuarray.array(x.numpy(), order="C", device=device) for x in args])
    assert got.strides == want.strides
    assert np.asfortranarray(got.numpy()).tobytes() == np.asfortranarray(packed.numpy()).tobytes(), "position matters"
    if function != "exp":
        np.testing.assert_array_equal(got.numpy(), want, strict=True)
    out = cuarray.zeros(2 * want.size, want.dtype, device=device)[::2].reshape(want.shape, copy=False)
    ours(*args, out=out)
    np.testing.assert_array_equal(out.numpy(), got.numpy())
    if theirs.nin == 2:
        number = right[3].item()
        np.testing.assert_array_equal(ours(args[0], number).numpy(), theirs(wanted[0], number), strict=True)
        np.testing.assert_array_equal(ours(number, args[0]).numpy(), theirs(number, wanted[0]), strict=True)


@pytest.mark.parametrize("function, dtype", ROWS)
@pytest.mark.parametrize("n", SIZES)
def test_lines(function, dtype, n, device):
    for pick, other in itertools.product(LINES.values(), repeat=2):
        compare(function, dtype, pick, other, n, device)


@pytest.mark.parametrize("function, dtype", ROWS)
@pytest.mark.parametrize("n", [3, 30, 64, 70, 260, 1100, 2500])
def test_matrices(function, dtype, n, device):
    for pick, other in itertools.product(MATRICES.values(), repeat=2):
        compare(function, dtype, pick, other, n, device)


@pytest.mark.parametrize("n", [10, 100, 1500])
@pytest.mark.parametrize("function, dtype", [("logical_or", "?"), ("add", "i4"), ("subtract", "f8")])
def test_overlapping_outputs(function, dtype, n, device):
    """As if every operand was read before the output is written."""
    shifts = [0, 1, 2, 3]
    for axis, to, left, right in itertools.product([0, 1], shifts, shifts, shifts):
        x = memory(dtype, 9 * n, 5).reshape(9, n) if axis else memory(dtype, 9 * n, 5).reshape(n, 9)
        y = cuarray.array(x, device=device)

        def part(a, first, axis=axis):
            return a[:, first : first + a.shape[1] - 3] if axis else a[first : first + len(a) - 3]

        getattr(np, function)(part(x, left), part(x, right), out=part(x, to))
        getattr(cuarray, function)(part(y, left), part(y, right), out=part(y, to))
        np.testing.assert_array_equal(y.numpy(), x)
    if dtype != "f8":
        x[:, 1:] |= x[:, :-1]
        y[:, 1:] |= y[:, :-1]
        np.testing.assert_array_equal(y.numpy(), x)


@pytest.mark.parametrize("offset", [0, 1, 3])
def test_unaligned(offset, cpu):
    raw = np.random.default_rng(4).integers(0, 255, 8 * 1000 + 8, "u1")
    x = raw[offset : offset + 8 * 1000].view("i8")
    y = cuarray.asarray(x)
    for n in (10, 100, 700):
        np.testing.assert_array_equal((y[:n] + y[100 : 100 + n]).numpy(), x[:n] + x[100 : 100 + n])
        np.testing.assert_array_equal((y[n::-1] + y[: n + 1]).numpy(), x[n::-1] + x[: n + 1])
    rows = slice(None), slice(1, 150)
    np.testing.assert_array_equal((y.reshape(5, 200)[rows] * 3).numpy(), x.reshape(5, 200)[rows] * 3)


# Shapes whose rows are whole vectors of all or of some types, or no vector at all; rows that no block fills, and more
# than a block has.
GRIDS = [(2, 16), (3, 3), (5, 64), (37, 40), (300, 8), (9, 1056), (4, 5, 48), (2, 3, 5, 16), (3, 2, 2, 2, 7)]

# An array of the shape in memory of many elements.
SHEETS = {
    "contiguous": lambda m, s: m[: np.prod(s)].reshape(s),
    "padded": lambda m, s: m[: np.prod(s[:-1]) * (s[-1] + 16)].reshape(*s[:-1], s[-1] + 16)[..., : s[-1]],
    "shifted": lambda m, s: m[: np.prod(s[:-1]) * (s[-1] + 2)].reshape(*s[:-1], s[-1] + 2)[..., 1:-1],
    "mirrored": lambda m, s: m[: np.prod(s)].reshape(s)[..., ::-1],
    "upside down": lambda m, s: m[: np.prod(s)].reshape(s)[::-1],
    "every second": lambda m, s: m[: 2 * np.prod(s)].reshape(*s[:-1], 2 * s[-1])[..., ::2],
    "row": lambda m, s: m[: s[-1]],
    "column": lambda m, s: m[: s[-2]].reshape(-1, 1),
    "first axis": lambda m, s: m[: s[0]].reshape(-1, *[1] * (len(s) - 1)),
    "middle axes": lambda m, s: m[: np.prod(s[:-1])].reshape(*s[:-1], 1),
}


@pytest.mark.parametrize("dtype", ["?", "i1", "f2", "f4", "f8", "c16"])
@pytest.mark.parametrize("shape", GRIDS, ids=str)
def test_rows(dtype, shape, device):
    """Copies, sums, masked writes, choices and faults of rows, broadcast or not, into contiguous and other arrays."""
    count = 2 * np.prod(shape) + 40 * np.prod(shape[:-1])
    left, right = memory(dtype, count, 1), memory(dtype, count, 2)
    for first, second in itertools.product(SHEETS, ["contiguous", "row", "middle axes", "mirrored"]):
        a, b = (cuarray.array(m, device=device) for m in (left, right))
        x, y, p, q = (
            SHEETS[first](a, shape),
            SHEETS[second](b, shape),
            SHEETS[first](left, shape),
            SHEETS[second](right, shape),
        )
        assert (x + y).numpy().tobytes() == (p + q).tobytes(), (first, second)
        mask = SHEETS[second](memory("?", count, 3), shape)
        choice = cuarray.where(cuarray.asarray(mask, device=device), x, y)
        assert choice.numpy().tobytes() == np.where(mask, p, q).tobytes(), (first, second)
        if first not in ("row", "column", "first axis", "middle axes"):
            np.add(p, q, out=p, where=mask)
            cuarray.add(x, y, out=x, where=cuarray.asarray(mask, device=device))
            assert a.numpy().tobytes() == left.tobytes(), (first, second)
        assert x.astype("c16").numpy().tobytes() == p.astype("c16").tobytes()


# Shapes in whole tiles, in parts of tiles whose extents are vectors of all, some or no types, and with outer axes.
MATRIX_SHAPES = [(64, 128), (20, 300), (70, 66), (16, 17), (3, 24, 40), (2, 2, 17, 35)]

# An array of the shape, in memory of many elements, whose smallest stride is not along the last axis.
TRANSPOSED = {
    "transposed": lambda m, s: m[: np.prod(s)].reshape(*s[:-2], s[-1], s[-2]).swapaxes(-1, -2),
    "axes reversed": lambda m, s: m[: np.prod(s)].reshape(s[::-1]).T,
    "padded": lambda m, s: (
        m[: np.prod(s[:-1]) * 2 * s[-1]].reshape(*s[:-2], s[-1], 2 * s[-2])[..., : s[-2]].swapaxes(-1, -2)
    ),
    "wider": lambda m, s: (
        m[: np.prod(s) + 2 * np.prod(s) // s[-2]].reshape(*s[:-2], s[-1], s[-2] + 2)[..., : s[-2]].swapaxes(-1, -2)
    ),
    "shifted": lambda m, s: m[1 : np.prod(s) + 1].reshape(*s[:-2], s[-1], s[-2]).swapaxes(-1, -2),
    "upside down": lambda m, s: m[: np.prod(s)].reshape(*s[:-2], s[-1], s[-2]).swapaxes(-1, -2)[..., ::-1, :],
    "mirrored": lambda m, s: m[: np.prod(s)].reshape(*s[:-2], s[-1], s[-2]).swapaxes(-1, -2)[..., ::-1],
    "every second": lambda m, s: m[: 2 * np.prod(s)].reshape(*s[:-2], s[-1], 2 * s[-2])[..., ::2].swapaxes(-1, -2),
}


@pytest.mark.parametrize("dtype", ["?", "i1", "f2", "f4", "f8", "c16"])
@pytest.mark.parametrize("shape", MATRIX_SHAPES, ids=str)
def test_transposed(dtype, shape, device):
    """Copies, sums, choices, masked writes and casts of transposed operands, into contiguous and other arrays."""
    count = 2 * np.prod(shape) + 40 * np.prod(shape[:-1]) + 1
    left, right = memory(dtype, count, 1), memory(dtype, count, 2)
    beside = {name: SHEETS[name] for name in ("contiguous", "row", "column", "shifted")}
    pairs = [*itertools.product(TRANSPOSED, beside), *zip(TRANSPOSED, [*TRANSPOSED][::-1], strict=True)]
    for first, second in pairs:
        pick, other = TRANSPOSED[first], (beside | TRANSPOSED)[second]
        a, b = (cuarray.array(m, device=device) for m in (left, right))
        x, y, p, q = pick(a, shape), other(b, shape), pick(left, shape), other(right, shape)
        out = cuarray.empty(shape, dtype, device=device)
        assert cuarray.add(x, y, out=out).numpy().tobytes() == (p + q).tobytes("C"), (first, second)
        assert cuarray.add(y, x, out=out).numpy().tobytes() == (p + q).tobytes("C"), (first, second)
        mask = other(memory("?", count, 3), shape)
        choice = cuarray.where(cuarray.asarray(mask, device=device), x, y)
        assert choice.numpy().tobytes("C") == np.where(mask, p, q).tobytes("C"), (first, second)
        want = np.zeros(shape, dtype)
        np.add(p, q, out=want, where=mask)
        out[...] = 0
        cuarray.add(x, y, out=out, where=cuarray.asarray(mask, device=device))
        assert out.numpy().tobytes() == want.tobytes(), (first, second)
        if second == "contiguous":
            assert x.copy("C").numpy().tobytes() == p.tobytes("C"), first
            for type in ("c16", "f4" if dtype not in ("c16",) else dtype):
                assert x.astype(type, order="C").numpy().tobytes() == p.astype(type).tobytes("C"), first


@pytest.mark.parametrize("dtype", ["u1", "f4", "f8", "c16"])
@pytest.mark.parametrize(
    "shape", [(3, 3, 700), (5000, 3, 2), (2, 3000, 3, 4), (40, 2, 50, 2), (70_000, 2, 2), (3, 1, 2, 1500, 2)], ids=str
)
def test_copies_of_many_short_matrices(shape, dtype, cpu):
    """Many are copied at once, along the longest axis; in every order of the axes."""
    host = (np.arange(np.prod(shape)) % 251).reshape(shape).astype(dtype)
    x = cuarray.asarray(host)
    for axes in itertools.permutations(range(host.ndim)) if host.ndim < 5 else [(0, 4, 2, 3, 1), (3, 0, 4, 1, 2)]:
        np.testing.assert_array_equal(x.transpose(axes).copy().numpy(), host.transpose(axes))
        np.testing.assert_array_equal(x[..., ::-1].transpose(axes).copy().numpy(), host[..., ::-1].transpose(axes))
        y = cuarray.zeros(tuple(2 * n for n in x.transpose(axes).shape), dtype=dtype)
        part = y[tuple(slice(1, None, 2) for _ in axes)]
        part[...] = x.transpose(axes)
        np.testing.assert_array_equal(part.numpy(), host.transpose(axes))
        assert cuarray.count_nonzero(y) == np.count_nonzero(host)


@pytest.mark.parametrize("columns", [64, 200, 256])
@pytest.mark.parametrize("seed", range(6))
def test_rows_of_planes(columns, seed):
    """Operands whose rows are used in place beside reversed, strided and broadcast ones, over several planes."""
    rng = np.random.default_rng(seed)
    wide = rng.normal(size=(8, 11, 2 * columns + 5))
    flat = rng.normal(size=(8, 1, columns))

    def views(x, y):
        return [
            x[2:7, 1:10, 3 : columns + 3],
            x[6:1:-1, 9:0:-1, 2 : columns + 2],
            x[1:6, :9, columns + 3 : 3 : -1],
            x[:5, 2:, : 2 * columns : 2],
            y[:5],
            y[3:],
            x[2:7, 1:10, 4:5],
            y[0, 0],
        ]

    order = rng.permutation(8)[:4].tolist()

    def program(xp, x, y, target):
        a, b, c, d = (views(x, y)[k] for k in order)
        with fuse_of(xp):
            e = xp.where(a > b, a * b, c - d)
            target[1:6, 1:10, 5 : columns + 5] = e + a
            xp.add(e, b, out=target[2:7, :9, 1 : columns + 1], where=a > 0)
        return target

    def fuse_of(xp):
        return cuarray.fuse() if xp is cuarray else contextlib.nullcontext()

    x, y, target = (cuarray.array(z, device="cpu") for z in (wide, flat, wide))
    np.testing.assert_array_equal(program(cuarray, x, y, target).numpy(), program(np, wide, flat, wide.copy()))
