"""Scans along an axis: NumPy's values, types, shapes and errors, in an order that depends only on the position."""

import math

import layouts
import numpy as np
import pytest
from oracle import same_bits
from same import agree

import cuarray

NAMES = {
    "x": lambda xp: xp.arange(24).reshape(2, 3, 4) - 7,
    "f": lambda xp: xp.asarray([[1.5, -2.0, 0.25], [4.0, 0.0, -8.5]]),
    "c": lambda xp: xp.asarray([[1 + 2j, 4 - 3j], [0.5, 2 - 1j]]),
    "b": lambda xp: xp.asarray([[True, False], [True, True]]),
    "u": lambda xp: xp.asarray([[200, 100], [255, 1]], "u1"),
    "i": lambda xp: xp.asarray([100, -100, 100, 27], "i1"),
    "n": lambda xp: xp.asarray([[1.0, np.nan, 3.0], [np.nan, np.nan, -1.0]]),
    "e": lambda xp: xp.zeros((0, 3)),
    "s": lambda xp: xp.asarray(-2.5),
    "v": lambda xp: xp.asarray([3, 1, 4, 1, 5]),
    "k": lambda xp: xp.asarray([5, -3, 2]),
}

VALUES = """
xp.cumsum(x)
x.cumsum()
x.cumsum(1)
x.cumsum(axis=-1, dtype='f4')
x.cumprod(axis=2)
xp.cumprod(f, axis=1)
xp.cumsum(u, axis=0)
xp.cumsum(u, axis=0, dtype='u1')
xp.cumprod(i)
xp.cumsum(b, axis=1)
xp.cumprod(b)
xp.cumsum(c, axis=0)
xp.cumprod(c, axis=1)
xp.cumsum(e)
xp.cumsum(e, axis=0)
xp.cumsum(e, axis=1)
xp.cumsum(s)
xp.cumsum(s, axis=0)
xp.cumsum(s, axis=1)
xp.cumsum(x, axis=3)
xp.cumsum(x, axis=-4)
xp.cumsum(x, axis=1.5)
xp.cumsum(x, axis=(0,))
xp.cumsum([1.5, 2.5])
xp.cumsum([[1, 2], [3, 4]], axis=1)
xp.cumsum([])
xp.cumsum(f, dtype='i8')
xp.cumsum(v, out=xp.zeros(5))
xp.cumsum(v, out=xp.zeros(5, dtype='i2'))
xp.cumsum(f, axis=1, out=xp.zeros((2, 3), dtype='f4'))
xp.cumsum(v, out=xp.zeros(4))
xp.cumsum(f, out=xp.zeros((2, 3)))
xp.cumulative_sum(v)
xp.cumulative_sum(s)
xp.cumulative_sum(x)
xp.cumulative_sum(x, axis=1)
xp.cumulative_sum(x, axis=1, include_initial=True)
xp.cumulative_sum(i, include_initial=True)
xp.cumulative_sum(i, include_initial=True, dtype='f4')
xp.cumulative_sum(e, axis=0, include_initial=True)
xp.cumulative_sum(v, out=xp.zeros(6), include_initial=True)
xp.cumulative_sum(v, out=xp.zeros(5), include_initial=True)
xp.cumulative_sum(x, axis=4, include_initial=True)
xp.cumulative_prod(f, axis=-2, include_initial=True)
xp.cumulative_prod(v, dtype='i2')
xp.cumulative_prod(x)
xp.nancumsum(n)
xp.nancumsum(n, axis=0)
xp.nancumprod(n, axis=1)
xp.nancumsum(x, axis=1)
xp.nancumsum(b)
xp.nancumprod(s)
xp.nancumsum(xp.asarray([[np.nan + 1j, 1], [2, 3]]), axis=0)
xp.add.accumulate(x)
xp.add.accumulate(x, 1, None, None)
xp.add.accumulate(x, axis=(2,))
xp.add.accumulate(x, axis=(0, 1))
xp.add.accumulate(x, axis=None)
xp.add.accumulate(v, axis=None)
xp.add.accumulate(s)
xp.add.accumulate(u, out=xp.zeros((2, 2), dtype='u1'))
xp.add.accumulate(i, out=xp.zeros(4, dtype='i2'))
xp.add.accumulate(f, out=(xp.zeros((2, 3)),))
xp.add.accumulate(f, out=xp.zeros((2, 3), dtype='i8'))
xp.add.accumulate(f, dtype='i8')
xp.add.accumulate(b)
xp.add.accumulate(b, out=xp.zeros((2, 2), dtype=bool))
xp.add.accumulate(x, keepdims=True)
xp.subtract.accumulate(x, axis=1)
xp.subtract.accumulate(b)
xp.divide.accumulate(v)
xp.divide.accumulate(i)
xp.floor_divide.accumulate(x + 20, axis=1)
xp.remainder.accumulate(x, axis=2)
xp.maximum.accumulate(n, axis=1)
xp.fmax.accumulate(n, axis=1)
xp.minimum.accumulate(x, axis=2)
xp.fmin.accumulate(n)
xp.maximum.accumulate(c, axis=1)
xp.logical_and.accumulate(v)
xp.logical_or.accumulate(f, axis=1)
xp.logical_xor.accumulate(x, axis=0)
xp.logical_and.accumulate(v, dtype=int)
xp.bitwise_and.accumulate(u)
xp.bitwise_or.accumulate(x, axis=2)
xp.bitwise_xor.accumulate(b, axis=1)
xp.gcd.accumulate(xp.asarray([12, 18, 8, 5]))
xp.lcm.accumulate(xp.asarray([2, 3, 4, 5]))
xp.left_shift.accumulate(v)
xp.copysign.accumulate(f, axis=1)
xp.power.accumulate(v)
xp.power.accumulate(k)
xp.power.accumulate(xp.asarray([-2, 3, 2]))
xp.power.accumulate(xp.asarray([2.0, -1.0]))
xp.power.reduce(k)
xp.equal.accumulate(b)
xp.equal.accumulate(v)
xp.less.reduce(v)
xp.less.reduce(b)
xp.hypot.accumulate(xp.asarray([3.0, 4.0, 12.0]))
xp.sin.accumulate(v)
xp.divmod.accumulate(v)
xp.maximum.accumulate(e)
""".strip().splitlines()


@pytest.mark.parametrize("expression", VALUES)
def test_values_and_errors(expression, device):
    agree(expression, NAMES, rtol=1e-14)


def in_scan_order(x, combine):
    """Return the scan along the first axis, in the order defined by kernel/scan.h."""
    trees, results = [x], [None]
    while len(trees[-1]) > 1:
        half = len(trees[-1]) // 2 * 2
        trees.append(combine(trees[-1][0:half:2], trees[-1][1:half:2]))
    for m in range(1, len(x) + 1):
        level = (m & -m).bit_length() - 1
        tree = trees[level][(m >> level) - 1]
        before = m & (m - 1)
        results.append(combine(results[before], tree) if before else tree)
    return np.stack(results[1:]) if len(x) else x


#: Lengths around the boundaries of groups, tiles and chunks.
LENGTHS = [0, 1, 2, 3, 7, 8, 15, 16, 17, 31, 33, 127, 128, 129, 255, 257, 1023, 1025]
LONG = [4095, 4096, 4097, 8192, 12289, 40001]


@pytest.mark.parametrize("dtype", ["f4", "f8", "c8", "c16"])
def test_order_of_additions(dtype, device, rng):
    """Bit for bit, for any layout: along rows and down columns, few rows and many."""
    for n in LENGTHS + LONG:
        shapes = [(n,), (n, 3)] if n > 1025 else [(n,), (n, 2), (n, 16), (n, 45)]
        for shape in shapes:
            x = (rng.standard_normal(shape) * 10.0 ** rng.integers(-3, 4, shape)).astype(dtype)
            want = in_scan_order(x, np.add)
            assert same_bits(cuarray.asarray(x).cumsum(0).numpy(), want).all(), shape
            rows = cuarray.asarray(np.ascontiguousarray(x.T))
            assert same_bits(rows.cumsum(-1).numpy().T, want).all(), shape
            assert same_bits(rows.T.cumsum(0).numpy(), want).all(), shape


@pytest.mark.parametrize("dtype", ["f2", "bfloat16"])
def test_halves_are_added_in_float32(dtype, device, rng):
    dtype = np.dtype(getattr(cuarray, dtype) if dtype == "bfloat16" else dtype)
    for shape in [(5,), (300,), (4100,), (130, 33), (6000, 2)]:
        x = rng.standard_normal(shape).astype(dtype)
        want = in_scan_order(x.astype("f4"), np.add).astype(dtype)
        got = cuarray.cumsum(cuarray.asarray(x), axis=0)
        assert got.dtype == dtype
        assert same_bits(got.numpy(), want).all(), shape


@pytest.mark.parametrize("dtype", ["?", "i1", "f2", "f4", "f8", "c8", "c16"])
def test_rows_of_whole_and_broken_vectors(dtype, device, rng):
    """Rows that end within a tile or fill it, aligned to vectors or not, and each element repeated along a row."""
    x = (rng.integers(0, 9, 3 * 4500) * (0.25 if np.dtype(dtype).kind in "fc" else 1)).astype(dtype)
    for n in (16, 64, 100, 132, 2048, 4096, 4112, 4100):
        for first in (0, 1, 4):
            rows = len(x) // n - 1
            here = x[first : first + rows * n].reshape(rows, n)
            there = cuarray.asarray(x)[first : first + rows * n].reshape(rows, n)
            for name in ("add", "maximum"):
                want = getattr(np, name).accumulate(here[:40], axis=1, dtype="f4" if dtype == "f2" else dtype)
                got = getattr(cuarray, name).accumulate(there[:40], axis=1, dtype=dtype)
                np.testing.assert_array_equal(got.numpy(), want.astype(dtype))
    for n in (16, 48, 100, 37):
        for first in (0, 1, 4):
            shape = (2, (len(x) - 4) // n // 2, n)
            here = x[first : first + math.prod(shape)].reshape(shape)
            there = cuarray.asarray(x)[first : first + math.prod(shape)].reshape(shape)
            want = np.maximum.accumulate(here, axis=1)
            np.testing.assert_array_equal(cuarray.maximum.accumulate(there, axis=1).numpy(), want)
            want = np.maximum.accumulate(here[0].reshape(-1, 1, n) + here[0, 0], axis=0)
            with cuarray.fuse():
                sums = there[0].reshape(-1, 1, n) + there[0, 0]
                got = cuarray.maximum.accumulate(sums, axis=0)
            np.testing.assert_array_equal(got.numpy(), want)
    here = x[: 48 * 48].reshape(48, 48)
    for axis in (0, 1):
        wide = cuarray.zeros((48, 48), dtype)
        cuarray.maximum.accumulate(cuarray.asarray(here)[:, :37], axis=axis, out=wide[:, :37])
        want = np.zeros_like(here)
        np.maximum.accumulate(here[:, :37], axis=axis, out=want[:, :37])
        np.testing.assert_array_equal(wide.numpy(), want)
    repeated = cuarray.broadcast_to(cuarray.asarray(x[:5, None]), (5, 5000))
    want = np.maximum.accumulate(np.broadcast_to(x[:5, None], (5, 5000)), axis=1)
    np.testing.assert_array_equal(cuarray.maximum.accumulate(repeated, axis=1).numpy(), want)


@pytest.mark.parametrize("layout", layouts.LAYOUTS)
@pytest.mark.parametrize("dtype", ["?", "i1", "u2", "i4", "u8", "f2", "f4", "f8", "c8", "c16"])
def test_layouts(layout, dtype, device, rng):
    x = (rng.integers(0, 9, (7, 66)) * (0.25 if np.dtype(dtype).kind in "fc" else 1)).astype(dtype)
    there = layout(x)
    for axis in (0, 1):
        for name in ("add", "maximum", "subtract"):
            if name == "subtract" and dtype == "?":
                continue
            want = getattr(np, name).accumulate(x, axis=axis)
            got = getattr(cuarray, name).accumulate(there, axis=axis)
            assert got.dtype == want.dtype
            np.testing.assert_array_equal(got.numpy(), want)


def test_any_axis_of_many(device, rng):
    x = rng.integers(0, 100, (3, 2, 5, 1, 4, 3))
    for order in [(0, 1, 2, 3, 4, 5), (5, 3, 1, 0, 2, 4), (2, 0, 5, 4, 3, 1)]:
        for axis in range(6):
            want = np.cumsum(x.transpose(order), axis=axis)
            np.testing.assert_array_equal(cuarray.asarray(x).transpose(order).cumsum(axis).numpy(), want)


def test_more_axes_than_a_kernel_takes(device):
    x = np.arange(2**11).reshape((2,) * 11)
    there = cuarray.asarray(x).transpose(*range(0, 11, 2), *range(1, 11, 2))
    again = x.transpose(*range(0, 11, 2), *range(1, 11, 2))
    for axis in (0, 5, 10):
        np.testing.assert_array_equal(there.cumsum(axis).numpy(), again.cumsum(axis))


@pytest.mark.parametrize("name", ["add", "multiply", "maximum", "bitwise_xor", "gcd", "subtract", "left_shift"])
def test_long_lines(name, device, rng):
    n = 70_001
    x = rng.integers(1, 5, n)
    want = getattr(np, name).accumulate(x)
    np.testing.assert_array_equal(getattr(cuarray, name).accumulate(cuarray.asarray(x)).numpy(), want)


@pytest.mark.parametrize("threads", [2, 5])
def test_lines_that_threads_share(threads, rng):
    known = cuarray.get_num_threads()
    cuarray.set_num_threads(threads)
    try:
        for n in (2**20, 2**20 + 777):
            x = rng.integers(-9, 10, n)
            assert (cuarray.cumsum(cuarray.asarray(x, device="cpu")).numpy() == np.cumsum(x)).all()
    finally:
        cuarray.set_num_threads(known)


def test_accuracy_of_a_long_sum(device, rng):
    """The error grows with the logarithm of the length, not with the length."""
    n = 100_000
    x = rng.random(n).astype("f4")
    exact = np.cumsum(x.astype("f8"))
    error = np.abs(cuarray.asarray(x).cumsum().numpy() - exact) / exact
    assert error.max() < 2 * np.log2(n) * 2.0**-24


def test_out_in_place_and_overlapping(device, rng):
    x = rng.integers(0, 9, (40, 50))
    for axis in (0, 1):
        there = cuarray.array(x)
        assert cuarray.cumsum(there, axis=axis, out=there) is there
        np.testing.assert_array_equal(there.numpy(), np.cumsum(x, axis=axis))
    there, here = cuarray.asarray(np.arange(100.0)), np.arange(100.0)
    np.add.accumulate(here[:-1], out=here[1:])
    cuarray.add.accumulate(there[:-1], out=there[1:])
    np.testing.assert_array_equal(there.numpy(), here)
    there, here = cuarray.array(x[:, :40]), x[:, :40].copy()
    cuarray.cumsum(there, 0, out=there.T)
    np.testing.assert_array_equal(there.numpy(), np.cumsum(here, 0).T)
    there = cuarray.asarray(np.arange(6.0))
    with pytest.raises(ValueError, match="shape"):
        cuarray.cumsum(there, out=there[:5])


def test_pending_arguments_join_the_scan(device, rng):
    x = rng.random((30, 40))
    plain = cuarray.cumsum(cuarray.asarray(x) * 2 + 1, axis=1)
    with cuarray.fuse():
        y = cuarray.asarray(x) * 2 + 1
        fused = cuarray.cumsum(y, axis=1)
    assert same_bits(fused.numpy(), plain.numpy()).all()
    with cuarray.fuse():
        numbered = cuarray.cumsum(cuarray.arange(5000) * 3)
    np.testing.assert_array_equal(numbered.numpy(), np.cumsum(np.arange(5000) * 3))


def test_through_numpy(device):
    x = cuarray.asarray([3, 1, 2])
    assert isinstance(np.cumsum(x), cuarray.ndarray)
    assert np.cumsum(x).tolist() == [3, 4, 6]
    assert np.add.accumulate(x).tolist() == [3, 4, 6]
    out = cuarray.zeros(3, dtype=int)
    assert np.maximum.accumulate(x, out=out) is out
    assert out.tolist() == [3, 3, 3]
