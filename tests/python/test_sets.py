"""unique and the set functions: values, types, shapes and errors of NumPy."""

import ml_dtypes
import numpy as np
import pytest
import samples
from same import agree

import cuarray

DTYPES = ["bool", "int8", "int64", "uint16", "uint64", "float16", "float32", "float64", "complex64"]
RETURNS = [(False, False, False), (True, False, False), (False, True, True), (True, True, True)]


def repeated(dtype, rng, count):
    """Return numbers with many repetitions, including NaNs."""
    pool = samples.numbers(dtype, rng, 80)[:80]
    if np.dtype(dtype).kind in "fc":
        pool[:3] = np.nan
    return rng.choice(pool, count)


@pytest.mark.parametrize("returns", RETURNS, ids=str)
@pytest.mark.parametrize("dtype", DTYPES)
def test_unique(device, dtype, returns, rng):
    for shape in [(0,), (1,), (700,), (3, 0, 2), (9, 11, 3)]:
        x = repeated(dtype, rng, int(np.prod(shape))).reshape(shape)
        for equal_nan in (True, False):
            # An index makes NumPy sort stably, so that the first of equal elements stays.
            want = np.unique(x, True, *returns[1:], equal_nan=equal_nan)
            want = [w for i, w in enumerate(want) if i != 1 or returns[0]]
            got = cuarray.unique(cuarray.asarray(x), *returns, equal_nan=equal_nan)
            got = got if any(returns) else (got,)
            assert len(got) == len(want)
            for g, w in zip(got, want, strict=True):
                np.testing.assert_array_equal(g.numpy(), w, strict=True)


@pytest.mark.parametrize("dtype", ["bool", "int16", "float32", "complex128"])
def test_unique_along_an_axis(device, dtype, rng):
    x = samples.numbers(dtype, rng, 60)[:48]
    x = (
        x[~np.isnan(x)][:4].repeat(6).reshape(4, 3, 2)[rng.integers(0, 4, 9)]
        if dtype != "bool"
        else x.reshape(12, 2, 2)
    )
    for axis in (0, 1, -1):
        want = np.unique(x, True, True, True, axis=axis)
        got = cuarray.unique(cuarray.asarray(x), True, True, True, axis=axis)
        for g, w in zip(got, want, strict=True):
            np.testing.assert_array_equal(g.numpy(), w, strict=True)
        np.testing.assert_array_equal(cuarray.unique(cuarray.asarray(x), axis=axis).numpy(), want[0], strict=True)


def test_unique_of_bfloat16(device):
    x = np.array([3, 1, 3, -2, 1], ml_dtypes.bfloat16)
    values, counts = cuarray.unique(cuarray.asarray(x), return_counts=True)
    assert values.dtype == x.dtype
    assert (values.astype(np.float32).tolist(), counts.tolist()) == ([-2, 1, 3], [1, 2, 2])


@pytest.mark.parametrize("name", ["unique_all", "unique_counts", "unique_inverse", "unique_values"])
def test_results_of_the_standard(device, name, rng):
    x = repeated("float64", rng, 60).reshape(5, 12)
    x[2, 3:5] = np.nan
    want, got = getattr(np, name)(x), getattr(cuarray, name)(cuarray.asarray(x))
    if name == "unique_values":
        np.testing.assert_array_equal(np.sort(want), got.numpy(), strict=True)
        return
    assert type(got)._fields == type(want)._fields
    for g, w in zip(got, want, strict=True):
        np.testing.assert_array_equal(g.numpy(), w, strict=True)


@pytest.mark.parametrize("dtype", DTYPES)
def test_sets(device, dtype, rng):
    a, b = repeated(dtype, rng, 300), repeated(dtype, rng, 70)
    a, b = a[~np.isnan(a)], b[~np.isnan(b)]
    x, y = cuarray.asarray(a), cuarray.asarray(b)
    for name in ("intersect1d", "setxor1d", "setdiff1d", "union1d", "isin"):
        for first, second, p, q in [(a, b, x, y), (b, a, y, x), (a, b[:0], x, y[:0])]:
            want, got = getattr(np, name)(first, second), getattr(cuarray, name)(p, q)
            np.testing.assert_array_equal(got.numpy(), want, strict=True)
    for g, w in zip(
        cuarray.intersect1d(x, y, return_indices=True), np.intersect1d(a, b, return_indices=True), strict=True
    ):
        np.testing.assert_array_equal(g.numpy(), w, strict=True)


EXPRESSIONS = """
xp.unique([3, 1, 3], return_inverse=True)
xp.unique([[3, 1], [3, 1]], return_inverse=True)
xp.unique([[3, 1, 3], [3, 1, 3]], axis=1, return_inverse=True)
xp.unique(xp.asarray([np.nan, 1, np.nan]), return_inverse=True, return_counts=True, return_index=True)
xp.unique(xp.asarray([np.nan, 1, np.nan]), return_inverse=True, return_counts=True, return_index=True, equal_nan=False)
xp.unique(xp.asarray([[1, np.nan], [1, np.nan]]), axis=0)
xp.unique(xp.asarray([np.nan, 1, np.nan]), axis=0)
xp.unique(xp.asarray([np.nan, 1, np.nan]), True, True, True, axis=-1)
xp.unique(xp.asarray([np.nan, 1, np.nan]), return_counts=True, axis=0, equal_nan=False)
xp.unique(xp.asarray([complex(np.nan, 1), 1, complex(1, np.nan)]), return_counts=True, axis=0)
xp.unique([], return_counts=True, axis=0)
xp.unique(5)
xp.unique(5, return_index=True, return_counts=True)
xp.unique(5, axis=0)
xp.unique(xp.zeros((0, 3)), axis=0)
xp.unique(xp.zeros((3, 0)), axis=0)
xp.unique(xp.zeros((3, 0)), axis=1, return_inverse=True)
xp.unique(xp.zeros((2, 3, 0)), axis=1)
xp.unique([], return_index=True, return_inverse=True, return_counts=True)
xp.unique([1], axis=3)
xp.unique([[1, 2]], axis=1.5)
xp.unique([2, 1, 2], sorted=False)
xp.isin([1, 2], [2], kind='x')
xp.isin([1.0, 2], [2], kind='table')
xp.isin([1, 2], [2], kind='table')
xp.isin([1, np.nan], [np.nan])
xp.isin(1, [1, 2])
xp.isin([[1, 2]], 5, invert=True)
xp.isin([1, 2], [])
xp.isin([1, 2], [1.0, 3.5])
xp.isin([], [1])
xp.isin(xp.asarray([2**62 + 1, 5, 2**53 + 1], dtype='u8'), [2**62, 5, 2**53])
xp.isin([-1, 5, 2**62], xp.asarray([2**64 - 1, 5], dtype='u8'), invert=True)
xp.setdiff1d(xp.asarray([2**62 + 1, 2**62 + 2, 7], dtype='u8'), [2**62])
xp.intersect1d([1, 3, 4, 3], [3, 1, 2, 1], return_indices=True)
xp.intersect1d([[1, 2], [3, 4]], [4, 1])
xp.intersect1d([1, 3], [3, 1], assume_unique=True)
xp.intersect1d([5, 3], [3, 1], assume_unique=True, return_indices=True)
xp.intersect1d([1, 2], [1.5, 2.0])
xp.intersect1d([2, 9], [3, 1, 2, 5, 9], return_indices=True)
xp.setxor1d([1, 2, 3, 2, 4], [2, 3, 5, 7, 5])
xp.setxor1d([1, 2], [2, 3], assume_unique=True)
xp.setxor1d([], [])
xp.setdiff1d([1, 2, 3, 2, 4, 1], [3, 4, 5, 6])
xp.setdiff1d([3, 2, 1], [2], assume_unique=True)
xp.union1d([-1, 0, 1], [[-2, 0, 2]])
"""


@pytest.mark.parametrize("expression", EXPRESSIONS.strip().split("\n"))
def test_as_numpy(device, expression):
    agree(expression)


def test_isin_of_64_bits_is_exact_however_many_there_are(device, rng):
    """NumPy compares them as float64, unless there are few."""
    signed, unsigned = rng.integers(-5, 50, 300), rng.integers(0, 50, 200).astype("u8")
    signed[::7] += 2**62
    unsigned[::5] += 2**62
    unsigned[0] = 2**64 - 1
    for a, b in ((signed, unsigned), (unsigned, signed), (signed, unsigned[:9]), (unsigned, signed[:9])):
        known = set(b.tolist())
        want = [n in known for n in a.tolist()]
        assert cuarray.isin(cuarray.asarray(a), cuarray.asarray(b)).tolist() == want


@pytest.mark.parametrize("kind", [None, "sort"])
@pytest.mark.parametrize("dtype", ["i1", "u1", "i2", "u4", "i8", "u8"])
@pytest.mark.parametrize("other", ["i1", "u2", "i8", "u8"])
def test_isin_of_neighbours(dtype, other, kind, device, rng):
    """Integers that lie close together are looked up in a table: also at both ends of their types."""
    ends = np.iinfo(other)
    for low in (ends.min, ends.max - 90, max(ends.min, -40)):
        wanted = low + rng.choice(90, 40, replace=False).astype(other)
        drawn = rng.integers(np.iinfo(dtype).min, np.iinfo(dtype).max, 400, dtype, endpoint=True)
        drawn[::2] = rng.choice(wanted, 200).astype(dtype)
        known = set(wanted.tolist())
        got = cuarray.isin(cuarray.asarray(drawn), cuarray.asarray(wanted), kind=kind)
        assert got.tolist() == [n in known for n in drawn.tolist()]


@pytest.mark.parametrize("call", ["union1d(x, 7)", "union1d(7, x)", "union1d(x, 2.5)", "setxor1d(x, 7)", "setxor1d(x, 7, assume_unique=True)",
                                  "setxor1d(x, [7])", "intersect1d(x, 2)", "setdiff1d(x, 2)", "union1d(x, [7])"])  # fmt: skip
def test_numbers_among_sets(call, device):
    agree(f"xp.{call}", {"x": lambda xp: xp.arange(5, dtype="i2")})
