"""Sorting and searching: values, indices, stability and errors of NumPy, over types, layouts, axes and lengths.

The reference sorts by keys that are defined here: NaN last in either direction, -0 equal to 0.
"""

import itertools

import layouts
import ml_dtypes
import numpy as np
import pytest
import samples
from same import agree

import cuarray

BFLOAT16 = np.dtype(ml_dtypes.bfloat16)
DTYPES = ["bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "float16", "float32",
          "float64", "complex64", "complex128", BFLOAT16]  # fmt: skip
# Around the lengths at which the algorithm changes: networks across rows, insertion, warps, blocks, tiles, the digits of long rows.
LENGTHS = [1, 2, 15, 16, 17, 31, 33, 40, 41, 63, 64, 65, 255, 257, 2047, 2049, 4096, 4097]
LONG = [8193, 16385, 70_001]


def columns(x):
    """Return keys of real numbers that order as sorting does, most significant first."""
    if x.dtype.kind == "c":
        re, im = x.real, x.imag
        group = 2 * np.isnan(re) + np.isnan(im)
        first = np.select([group == 0, group == 1, group == 2], [re, re, im], 0)
        return [group, first, np.where(group == 0, im, 0)]
    if x.dtype.kind in "fV":
        wide = x.astype(np.float64)
        return [np.isnan(wide), np.where(np.isnan(wide), 0, wide)]
    return [x.astype(np.uint8) if x.dtype.kind == "b" else x]


def places(x, descending=False):
    """Return the indices that sort the last axis, stable."""
    keys = columns(x)
    if descending:
        turned = [np.invert(k) if k.dtype.kind in "iu" else -k for k in keys[len(keys) > 1 :]]
        keys = keys[: len(keys) > 1] + turned
    return np.lexsort(keys[::-1], axis=-1)


def mixed(dtype, rng, count):
    """Return random numbers with many repetitions, special values and zeros of both signs."""
    dtype = np.dtype(dtype)
    if dtype.kind == "c":
        parts = mixed(f"f{dtype.itemsize // 2}", rng, 2 * count)
        result = np.empty(count, dtype)
        result.real, result.imag = parts[:count], parts[count:]
        return result
    pool = samples.numbers(dtype, rng, 300)
    pool = np.concatenate([rng.choice(pool, count // 2 + 1), rng.choice(pool[:20], count // 2 + 1)])
    if dtype.kind in "fV":
        zeros = np.array([0.0, -0.0, np.nan, -np.nan, np.inf, -np.inf]).astype(dtype)
        pool = np.concatenate([pool, rng.choice(zeros, count // 4 + 1)])
    return rng.permutation(pool)[:count]


def bits(x):
    return x.tobytes(), x.shape, x.dtype


@pytest.mark.parametrize("descending", [False, True])
@pytest.mark.parametrize("dtype", DTYPES, ids=str)
def test_lengths(device, dtype, descending, rng):
    for n in LENGTHS if device == "cpu" or not descending else LENGTHS[::3]:
        for rows in (1, 3) if n > 300 else (1, 7, 300):
            x = mixed(dtype, rng, rows * n).reshape(rows, n)
            want = places(x, descending)
            got = cuarray.asarray(x)
            assert bits(cuarray.argsort(got, descending=descending).numpy()) == bits(want)
            sorted_ = cuarray.sort(got, descending=descending)
            assert bits(sorted_.numpy()) == bits(np.take_along_axis(x, want, -1)), (n, rows)


@pytest.mark.parametrize("dtype", ["uint8", "int32", "float32", "float64", "complex64"])
def test_long_rows(device, dtype, rng):
    for n in LONG if device == "cpu" else LONG[:1]:
        x = mixed(dtype, rng, 2 * n).reshape(2, n)
        want = places(x)
        got = cuarray.array(x)
        assert bits(cuarray.argsort(got).numpy()) == bits(want)
        got.sort()
        assert bits(got.numpy()) == bits(np.take_along_axis(x, want, -1))


@pytest.mark.parametrize("dtype", ["int32", "uint64", "float32"])
def test_digits_that_all_keys_have(device, dtype, rng):
    """A GPU leaves their passes out: of one, of some, of all."""
    n = 5000
    steps = (0, 1, 1 << 8, 1 << 16, 1 << 16 | 1, 1 << 24 | 1)
    for x in (rng.integers(0, 3, n).astype(dtype) * np.array(step, dtype) + np.array(7, dtype) for step in steps):
        want = places(x)
        got = cuarray.array(x)
        assert bits(cuarray.argsort(got).numpy()) == bits(want)
        assert bits(cuarray.sort(got).numpy()) == bits(x[want])
        got.sort()
        assert bits(got.numpy()) == bits(x[want])


@pytest.mark.parametrize("layout", layouts.LAYOUTS, ids=lambda f: f.__name__)
@pytest.mark.parametrize("dtype", ["bool", "int16", "float32", "float64", "complex128"])
def test_layouts_and_axes(device, dtype, layout, rng):
    x = mixed(dtype, rng, 5 * 6 * 7).reshape(5, 6, 7)
    for axis in (0, 1, -1, None):
        moved = np.moveaxis(x, axis, -1) if axis is not None else x.reshape(-1)
        want = np.take_along_axis(moved, places(moved), -1)
        want = np.moveaxis(want, -1, axis) if axis is not None else want
        got = layout(x)
        assert bits(cuarray.sort(got, axis).numpy()) == bits(np.ascontiguousarray(want))
        assert bits(got.numpy()) == bits(x)
        chosen = np.take_along_axis(x, cuarray.argsort(got, axis).numpy(), axis)
        assert bits(np.ascontiguousarray(chosen)) == bits(np.ascontiguousarray(want))
        if axis is not None:
            got.sort(axis)
            assert bits(got.numpy()) == bits(np.ascontiguousarray(want))


def few_and_many(dtype, rng, n):
    """Yield rows of values that are their keys: unique, few, one, sorted, nearly sorted, far apart, some adjacent."""
    low, high = (0, 2**62) if np.dtype(dtype).kind == "u" else (-(2**62), 2**62)
    scale = 1e-12 if np.dtype(dtype).kind == "f" else 1
    yield (rng.integers(low, high, n) * scale).astype(dtype)
    yield rng.integers(0, 5, n).astype(dtype)
    yield np.full(n, 7, dtype)
    yield np.arange(n).astype(dtype)
    yield np.roll(np.arange(n), 3).astype(dtype)
    far = 2**60 if np.dtype(dtype).itemsize == 8 else 2**28
    yield (rng.integers(0, 3, n) * far + rng.integers(0, 7, n)).astype(dtype)
    x = (rng.integers(low, high, n) * scale).astype(dtype)
    places = np.arange(n // 12) * 12
    x[places] = (
        np.nextafter(x[places + 1], x.dtype.type(np.inf)) if x.dtype.kind == "f" else x[places + 1] + x.dtype.type(1)
    )
    yield x


def never_in_the_middle(n, lanes):
    """Return values for which a quicksort's pivot candidates are always among the smallest."""
    values, rest, known = np.full(n, -1), np.arange(n), 0
    while len(rest) > 16 * lanes:
        count = lanes if len(rest) < 1024 else 4 * lanes
        seen = rest[np.arange(count) * (len(rest) // count) + len(rest) // count // 2]
        unknown = seen[values[seen] < 0]
        values[unknown] = known + np.arange(len(unknown))
        known += len(unknown)
        rest = rest[(values[rest] < 0) | (values[rest] >= np.sort(values[seen])[count // 2])]
    unknown = np.flatnonzero(values < 0)
    values[unknown] = known + np.arange(len(unknown))[::-1]
    return values


@pytest.mark.parametrize("dtype", ["int32", "uint32", "float32", "int64", "uint64", "float64"])
def test_rows_of_every_length(device, dtype, rng):
    """Sizes for vector sorting networks, and sizes that are partitioned first."""
    short = range(1, 290) if device == "cpu" else [1, 2, 5, 31, 33, 128, 257]
    for n in [*short, 511, 512, 513, 1000, *([4097, 30_000] if device == "cpu" else [])]:
        for x in few_and_many(dtype, rng, n):
            want = np.sort(x)
            array = cuarray.asarray(x)
            assert bits(cuarray.sort(array).numpy()) == bits(want)
            assert bits(cuarray.sort(array, descending=True).numpy()) == bits(np.ascontiguousarray(want[::-1]))
            np.testing.assert_array_equal(cuarray.argsort(array).numpy(), np.argsort(x, kind="stable"))


@pytest.mark.parametrize(("dtype", "lanes"), [("int32", 16), ("float64", 8)])
def test_rows_that_defeat_a_quicksort(dtype, lanes):
    with cuarray.device("cpu"):
        x = never_in_the_middle(20_000, lanes).astype(dtype)
        np.testing.assert_array_equal(cuarray.sort(cuarray.asarray(x)).numpy(), np.arange(20_000))
        np.testing.assert_array_equal(cuarray.argsort(cuarray.asarray(x)).numpy(), np.argsort(x))


@pytest.mark.parametrize("threads", [1, 2, 5])
def test_threads_change_nothing(threads, rng):
    known = cuarray.get_num_threads()
    cuarray.set_num_threads(threads)
    try:
        for x in (rng.integers(-50, 50, 400_000), rng.standard_normal(400_000), np.arange(400_000)[::-1].copy()):
            want = np.argsort(x, kind="stable")
            assert (cuarray.argsort(cuarray.asarray(x, device="cpu")).numpy() == want).all()
            assert (cuarray.sort(cuarray.asarray(x, device="cpu")).numpy() == x[want]).all()
            in_place = cuarray.array(x, device="cpu")
            in_place.sort()
            assert (in_place.numpy() == x[want]).all()
            ranks = [0, 7, 200_000, 200_001, 399_999]
            chosen = cuarray._core.order_statistics(cuarray.asarray(x, device="cpu"), 0, ranks, "test")
            assert (chosen.numpy() == x[want[ranks]]).all()
    finally:
        cuarray.set_num_threads(known)


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("dtype", ["uint8", "int16", "float32", "int64"])
def test_rows_larger_than_caches(dtype, threads, rng):
    """Rows of more than 22 MB are moved by cache lines; the second row begins within one."""
    known = cuarray.get_num_threads()
    cuarray.set_num_threads(threads)
    try:
        n = (23 << 20) // np.dtype(dtype).itemsize + 5
        x = (rng.standard_normal((2, n)) * 1e5).astype(np.int64).astype(dtype)
        x[1, n // 3 :] = 7
        got = cuarray.sort(cuarray.asarray(x, device="cpu")).numpy()
        np.testing.assert_array_equal(got, np.sort(x, kind="stable"))
    finally:
        cuarray.set_num_threads(known)


def test_places_in_rows_larger_than_caches(rng):
    x = rng.integers(-1000, 1000, (23 << 20) // 8)
    places = cuarray.argsort(cuarray.asarray(x, device="cpu")).numpy()
    np.testing.assert_array_equal(places, np.argsort(x, kind="stable"))


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
def test_order_statistics(device, dtype, rng):
    short = [(rows, n) for n in (1, 2, 16, 17, 64, 65, 512, 513) for rows in (3, 70)]
    long = [(3, n) for n in (33, 40, 41, 300, 5000, 20_000, 70_001)]
    for rows, n in [*short, *long] if device == "cpu" else [(3, 33), (3, 300), (3, 5000), (1, 20_000)]:
        x = mixed(dtype, rng, rows * n).reshape(rows, n)
        want = np.take_along_axis(x, places(x), -1)
        for count in (1, 2, 8, 9):
            ranks = sorted(rng.integers(0, n, count).tolist())
            got = cuarray._core.order_statistics(cuarray.asarray(x), 1, ranks, "test")
            assert bits(got.numpy()) == bits(np.ascontiguousarray(want[:, ranks]))
        every = [0, n - 1] if n > 1 else [0]
        got = cuarray._core.order_statistics(cuarray.asarray(x), 1, every, "test")
        assert bits(got.numpy()) == bits(np.ascontiguousarray(want[:, every]))


def test_selection_of_skewed_values(rng):
    few = rng.choice(np.array([1.0, 1.0 + 2**-52, 2.0]), 100_000)
    nearly = np.concatenate([np.full(99_990, 5.5), rng.standard_normal(10)])
    for x in (few, nearly, np.arange(100_000.0), rng.integers(0, 2**62, 100_000), np.zeros(100_000, np.float32)):
        ranks = [0, 1, 49_999, 50_000, 99_999]
        got = cuarray._core.order_statistics(cuarray.asarray(x, device="cpu"), 0, ranks, "test")
        assert bits(got.numpy()) == bits(np.sort(x)[ranks])


@pytest.mark.parametrize("threads", [1, 3])
def test_selection_by_a_sample(threads, rng):
    """Ranks near each other, far apart, at the ends, and with equal elements that make a sample useless."""
    known = cuarray.get_num_threads()
    cuarray.set_num_threads(threads)
    try:
        n = 300_000
        waves = np.sin(np.arange(n) * (2 * np.pi / 64)) + np.arange(n) * 1e-9
        half = np.where(rng.random(n) < 0.5, 3.0, rng.standard_normal(n))
        ends = np.concatenate([np.full(n - 5, np.nan), [-0.0, 0.0, -np.inf, 2, 1]])
        zeros = np.where(rng.random(n) < 0.1, np.where(np.arange(n) < 9, 0.0, -0.0), rng.standard_normal(n))
        misled = rng.standard_normal(n)
        step = n // 4096  # the positions that are looked at hold the smallest elements
        within = np.array([(i * 0x9E3779B97F4A7C15 % 2**64 >> 32) % step for i in range(4096)])
        misled[np.arange(4096) * step + within] -= 10
        rows = (
            rng.standard_normal(n),
            waves,
            half,
            ends,
            rng.permutation(ends),
            zeros,
            misled,
            rng.integers(0, 200, n),
        )
        for x in rows:
            ordered = np.take_along_axis(x, places(x), -1)
            a = cuarray.asarray(x, device="cpu")
            for ranks in ([0], [n - 1], [n // 2 - 1, n // 2], [3, n // 4, n // 2, n - 1], list(range(0, n, n // 7))):
                got = cuarray._core.order_statistics(a, 0, ranks, "test").numpy()
                assert bits(got) == bits(ordered[ranks])
            for kth in (0, n // 2, n - 1, [n // 4, n // 2], [5, 9, n - 3]):
                found = cuarray.argpartition(a, kth).numpy()
                values = cuarray.partition(a, kth).numpy()
                assert bits(x[found]) == bits(values)
                assert bits(values[kth]) == bits(ordered[kth])
                edges = [0, *(k + d for k in np.atleast_1d(kth) for d in (0, 1)), n]
                for begin, end in itertools.pairwise(edges):
                    part = values[begin:end]
                    assert same_order(np.sort(part), np.sort(ordered[begin:end]))
    finally:
        cuarray.set_num_threads(known)


def test_bools_of_other_bytes(device):
    raw = np.array([2, 0, 255, 1, 0], np.uint8)
    x = cuarray.asarray(raw).view(bool)
    assert cuarray.argsort(x).numpy().tolist() == [1, 4, 0, 2, 3]
    assert cuarray.sort(x).numpy().tolist() == [False, False, True, True, True]


@pytest.mark.parametrize("dtypes", [("int8", "float32", "int64"), ("complex64", "bool"), ("float16",) * 3])
def test_lexsort(device, dtypes, rng):
    keys = [mixed(t, rng, 3 * 700).reshape(3, 700) for t in dtypes]
    keys = [k if i == 0 else np.repeat(k[:, ::20], 20, axis=1) for i, k in enumerate(keys)]
    for axis in (-1, 0):
        moved = [np.moveaxis(k, axis, -1) for k in keys]
        want = np.moveaxis(np.lexsort([c for k in moved for c in columns(k)[::-1]], axis=-1), -1, axis)
        assert bits(cuarray.lexsort([cuarray.asarray(k) for k in keys], axis).numpy()) == bits(
            np.ascontiguousarray(want)
        )


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
def test_searchsorted(device, dtype, rng):
    for n in (0, 1, 2, 3, 64, 1000):
        x = mixed(dtype, rng, n)
        x = x[places(x)]
        v = np.concatenate([mixed(dtype, rng, 60), x[:20]])
        v = v[: v.size // 2 * 2].reshape(2, -1)
        # Each value's position among the sorted ones: sort both together, stable.
        for side in ("left", "right"):
            both = np.concatenate([v.reshape(-1), x] if side == "left" else [x, v.reshape(-1)])
            order = places(both)
            is_value = order < v.size if side == "left" else order >= n
            want = np.empty(v.size, np.int64)
            want[order[is_value] - (0 if side == "left" else n)] = np.cumsum(~is_value)[is_value]
            got = cuarray.searchsorted(cuarray.asarray(x), cuarray.asarray(v), side)
            assert bits(got.numpy()) == bits(want.reshape(v.shape)), (n, side)
            ascending = places(v.reshape(-1))
            got = cuarray.searchsorted(cuarray.asarray(x), cuarray.asarray(v.reshape(-1)[ascending]), side)
            assert bits(got.numpy()) == bits(want[ascending]), (n, side)


@pytest.mark.parametrize("dtype", ["int32", "float16", "float64"])
def test_searchsorted_of_ascending_values(device, dtype, rng):
    """Runs that begin, end or lie between two elements of the sorted array, with repetitions and NaN at the end."""
    for n, count, most in ((1000, 17, 100), (1000, 130, 2000), (50, 5000, 100), (9, 64, 5)):
        x = np.sort(rng.integers(0, most, n)).astype(dtype)
        v = np.sort(rng.integers(-2, most + 2, count)).astype(dtype)
        if v.dtype.kind == "f":
            x[-2:] = v[-3:] = np.nan
        for side in ("left", "right"):
            got = cuarray.searchsorted(cuarray.asarray(x), cuarray.asarray(v), side)
            assert bits(got.numpy()) == bits(np.searchsorted(x, v, side)), (n, count, side)


@pytest.mark.parametrize("dtype", ["bool", "uint8", "int64", "float16", "float64"])
def test_searchsorted_of_what_does_not_ascend(device, dtype, rng):
    """Undefined, but positions stay within the array, and those of larger values are no smaller."""
    most = 2 if dtype == "bool" else 50
    for n in (9, 17, 40, 200):
        for side in ("left", "right"):
            x, v = rng.integers(0, most, n).astype(dtype), np.sort(rng.integers(0, most, 64)).astype(dtype)
            got = cuarray.searchsorted(cuarray.asarray(x), cuarray.asarray(v), side).numpy()
            assert got[0] >= 0 and got[-1] <= n and (np.diff(got) >= 0).all(), (n, side)


def test_top_k(device, rng):
    for dtype in ("int16", "float32", "complex64"):
        x = mixed(dtype, rng, 3 * 50).reshape(3, 50)
        for largest in (True, False):
            want = places(x, largest)[:, :7]
            values, found = cuarray.top_k(cuarray.asarray(x), 7, largest=largest)
            assert bits(found.numpy()) == bits(want)
            assert bits(values.numpy()) == bits(np.take_along_axis(x, want, 1))
    values, found = cuarray.top_k(cuarray.asarray([[1, 2], [3, 4]]), 0, axis=0)
    assert values.shape == found.shape == (0, 2)
    for k in (-1, 3):
        with pytest.raises(ValueError, match="top_k"):
            cuarray.top_k([1, 2], k)
    values, found = cuarray.top_k(cuarray.asarray([[1, 2], [3, 4]]), 3, axis=None, sorted=False)
    assert (values.numpy().tolist(), found.numpy().tolist()) == ([4, 3, 2], [3, 2, 1])


def test_partitions(device, rng):
    x = mixed("float64", rng, 3 * 101).reshape(3, 101)
    a = cuarray.asarray(x)
    for kth in (0, -1, 50, [3, 80], np.array([3, 80]), cuarray.asarray([7])):
        chosen = np.atleast_1d(kth.numpy() if isinstance(kth, cuarray.ndarray) else kth)
        for got in (cuarray.partition(a, kth), cuarray.take_along_axis(a, cuarray.argpartition(a, kth), -1)):
            host = got.numpy()
            ordered = np.take_along_axis(x, places(x), -1)
            assert bits(np.ascontiguousarray(host[:, chosen])) == bits(np.ascontiguousarray(ordered[:, chosen]))
            assert bits(np.sort(host.view(np.int64), axis=1)) == bits(np.sort(x.view(np.int64), axis=1))
            for k in chosen % 101:
                assert (host[:, :k][~np.isnan(host[:, :k])] <= np.nanmax(ordered[:, : k + 1], axis=1).max()).all()
    a.partition(5)
    assert bits(np.ascontiguousarray(a.numpy()[:, 5])) == bits(np.ascontiguousarray(ordered[:, 5]))


@pytest.mark.parametrize("dtype", ["bool", "int8", "uint16", "int64", "float16", "float32", "float64"])
@pytest.mark.parametrize("descending", [False, True])
def test_partitions_of_long_rows(dtype, descending, device, rng):
    """Elements before and after a position are partitioned, those of each part keep their order, and none is lost."""
    for shape in ((3, 700), (1, 3000)):
        x = mixed(dtype, rng, shape[0] * shape[1]).reshape(shape)
        ordered = cuarray.sort(cuarray.asarray(x), descending=descending).numpy()
        ranks = np.argsort(cuarray.argsort(cuarray.asarray(x), descending=descending).numpy(), axis=1)
        for kth in ([0], [shape[1] - 1], [shape[1] // 2], [5, 6, 300, 690], list(range(0, 600, 50))):
            a = cuarray.asarray(x)
            values = cuarray.partition(a, kth, descending=descending).numpy()
            places = cuarray.argpartition(a, kth, descending=descending).numpy()
            assert bits(np.take_along_axis(x, places, 1)) == bits(values)
            assert (np.sort(places, axis=1) == np.arange(shape[1])).all()
            for row, rank, place in zip(x, ranks, places, strict=True):
                if len(kth) > 8 or device != "cpu":  # such rows are sorted, and all of a GPU
                    assert (place == np.argsort(rank)).all()
                    continue
                parts = np.zeros(shape[1], int)
                for k in kth:
                    pivot = row[rank == k][0]
                    equal = rank[(row == pivot) | ((row != row) & (pivot != pivot))]
                    parts += (rank >= equal.min()).astype(int) + (rank > equal.max())
                assert (place == np.argsort(parts, kind="stable")).all()
            edges = [0, *(k + d for k in kth for d in (0, 1)), shape[1]]
            for begin, end in itertools.pairwise(edges):
                part = np.ascontiguousarray(values[:, begin:end])
                again = cuarray.sort(cuarray.asarray(part), descending=descending).numpy()
                assert same_order(again, ordered[:, begin:end])


def test_positions_of_partitions_in_any_order(device, rng):
    x = cuarray.asarray(rng.standard_normal((2, 3000)))
    for kth in ([2900, 5, 1500], [-1, 0], [7, 2000, 7, -2993]):
        ordered = sorted({k % 3000 for k in kth})
        assert bits(cuarray.partition(x, kth)) == bits(cuarray.partition(x, ordered))
        assert bits(cuarray.argpartition(x, kth)) == bits(cuarray.argpartition(x, ordered))


def same_order(a, b):
    """Whether two sorted arrays are equal, NaN to NaN."""
    return np.array_equal(a, b, equal_nan=a.dtype.kind == "f")


def test_top_k_of_long_rows(device, rng):
    x = rng.integers(0, 20, (4, 5000)).astype("f4")
    for k in (1, 7, 4999, 5000):
        for largest in (True, False):
            values, places = cuarray.top_k(cuarray.asarray(x), k, largest=largest)
            want = np.argsort(-x if largest else x, axis=1, kind="stable")[:, :k]
            np.testing.assert_array_equal(places.numpy(), want)
            np.testing.assert_array_equal(values.numpy(), np.take_along_axis(x, want, 1))


def test_pending_values_are_sorted(device):
    with_fusion = cuarray.fuse(lambda x: cuarray.sort(x * -1 + 3))
    assert with_fusion(cuarray.asarray([1.0, 3.0, 2.0])).numpy().tolist() == [0.0, 1.0, 2.0]


def test_in_place_sort_of_what_others_see(device):
    x = cuarray.asarray([[3, 1, 2], [9, 7, 8]])
    row, late = x[0], x + 0
    x[:, ::-1].sort(axis=1)
    assert x.numpy().tolist() == [[3, 2, 1], [9, 8, 7]]
    assert row.numpy().tolist() == [3, 2, 1]
    assert late.numpy().tolist() == [[3, 1, 2], [9, 7, 8]]
    with pytest.raises(ValueError, match="read-only"):
        cuarray.broadcast_to(x, (2, 2, 3)).sort()


NAMES = {
    "v": lambda xp: xp.asarray([3, 1, 2]),
    "x": lambda xp: xp.asarray([[3, 1, 2], [0, 9, -1]]),
    "s": lambda xp: xp.asarray(5),
    "n": lambda xp: xp.asarray([1.0, np.nan, -np.inf, 0.0, 2.0]),
    "c": lambda xp: xp.asarray(
        [1 + 2j, 1 + 1j, 0 + 5j, complex(np.nan, 1), complex(1, np.nan), complex(np.nan, np.nan)]
    ),
    "u": lambda xp: xp.asarray([1, 2, 200], dtype="uint8"),
    "e": lambda xp: xp.zeros((0, 3)),
    "w": lambda xp: xp.zeros((3, 0)),
}

EXPRESSIONS = """
xp.sort(v)
xp.sort(x, axis=None)
xp.sort(x, 0)
xp.sort(n)
xp.sort(c)
xp.sort(s)
xp.sort(s, axis=None)
xp.sort(s, axis=0)
xp.sort(v, axis=1)
xp.sort(v, axis=-2)
xp.sort(v, axis=1.5)
xp.sort(v, kind='x')
xp.sort(v, kind='Q')
xp.sort(v, kind='mergesort')
xp.sort(v, kind='mergesort', stable=True)
xp.sort(v, kind='mergesort', stable=False)
xp.sort(v, stable=False)
xp.sort(v, order='a')
xp.sort(e)
xp.sort(e, axis=0)
xp.sort(w)
xp.sort([])
xp.sort([True, False, True])
xp.argsort(v)
xp.argsort(s)
xp.argsort(s, axis=None)
xp.argsort(s, axis=1)
xp.argsort(n, kind='stable')
xp.argsort(c, kind='stable')
xp.argsort(e)
xp.argsort(e, axis=0)
xp.argsort(x, axis=None, kind='stable')
xp.argsort(v, axis=3)
xp.argsort(v, kind='no')
v.sort()
v.sort(axis=None)
s.sort()
v.sort(kind='x')
v.sort(axis=2)
v.argsort()
s.argsort()
x.argsort(axis=0)
x.argsort(axis=None)
xp.partition(v, 3)
xp.partition(v, 5)
xp.partition(v, -4)
xp.partition(v, [0, -1])
xp.partition(v, 1.5)
xp.partition(v, True)
xp.partition(v, [[1]])
xp.partition(v, [])
xp.partition([], 0)
xp.partition(v, 1, kind='x')
xp.partition(s, 0)
xp.partition(w, 0)
xp.partition(v, 1, axis=3)
xp.partition(v, 1, order='a')
xp.argpartition(s, 0)
xp.argpartition(v, 7)
v.partition(9)
v.argpartition(9)
s.partition(0)
xp.lexsort((v, [1, 1, 0]))
xp.lexsort(x)
xp.lexsort(([1, 2], [1]))
xp.lexsort([])
xp.lexsort(5)
xp.lexsort(e)
xp.lexsort((1, 2))
xp.lexsort([1, 2])
xp.lexsort((v,), axis=1)
xp.lexsort(([[1, 2], [0, 1]], [[3, 2], [2, 2]]), axis=0)
xp.searchsorted([1, 2, 3], 2)
xp.searchsorted([1, 2, 3], [[2.5]])
xp.searchsorted([1, 2, 3], 2, side='right')
xp.searchsorted([1, 2, 3], 2, side='x')
xp.searchsorted([1, 2, 3], 2, side='L')
xp.searchsorted([[1, 2, 3]], 2)
xp.searchsorted(xp.arange(12)[::3], [2, 5, 9])
xp.searchsorted(xp.arange(6)[::-1][::-2], xp.arange(4)[::-1])
xp.searchsorted(5, 2)
xp.searchsorted([1, 2, 3], 2, sorter=[0, 1])
xp.searchsorted(v, 2, sorter=[1, 2, 0])
xp.searchsorted(v, [1, 2.5], sorter=v.argsort(), side='right')
xp.searchsorted(v, 2, sorter=[0.0, 1, 2])
xp.searchsorted(v, 2, sorter=[[0, 1, 2]])
xp.searchsorted(u, 300)
xp.searchsorted(u, -1)
xp.searchsorted(xp.asarray([1, 2], dtype='uint64'), xp.asarray([-1, 1]))
xp.searchsorted([1, np.nan], np.nan)
xp.searchsorted([1, np.nan], np.nan, side='right')
xp.searchsorted([], [1.0])
xp.searchsorted([1.0], [])
xp.asarray([1, 2, 3]).searchsorted(2)
xp.digitize([1, 2], [1, 2, 3])
xp.digitize([1, 2.5], [3, 2, 1], right=True)
xp.digitize([1, 2.5, 2, 3, 0, 9], [3, 2, 1])
xp.digitize([1, 2.5, 2, 3, 0, 9], [1, 2, 3], right=True)
xp.digitize(1, [3, 2, 1])
xp.digitize([1, 2], [3, 1, 2])
xp.digitize([1j], [1, 2])
xp.digitize([1.0], [0, np.nan])
xp.digitize([1.0, np.nan, -1], [0, np.nan])
xp.digitize([1.0, np.nan, -1], [np.nan, 0])
xp.digitize([1.0, np.nan, -1], [np.nan, np.nan])
xp.digitize([1.0, np.nan, -1], [1, 0, np.nan], right=True)
xp.digitize([1.0, np.nan, -1], [0, 0, 1, np.nan])
xp.digitize([1.0, 0, -1], [1, 1, 0, 0, np.nan, -1])
xp.digitize(1.0, [0, np.nan])
xp.digitize(xp.zeros((2, 0)), [0, np.nan])
xp.digitize([1.0, 2], [np.nan, 1, 2])
xp.digitize([1.0, 2], [1, 1, 2, np.nan, 0])
xp.digitize([1.5, np.nan, 6.0], [0, 1, 2, np.nan, 3], right=True)
xp.digitize([1.0, 2], [1, 1])
xp.digitize([1], [])
xp.digitize([1], [[1, 2]])
xp.digitize([1], [2, 2])
xp.digitize(x, [0, 2, 5])
xp.digitize([0.5, np.nan], [1, 2])
xp.sort_complex([3, 1])
xp.sort_complex(u)
xp.sort_complex(n)
xp.sort_complex(c)
"""


@pytest.mark.parametrize("expression", EXPRESSIONS.strip().split("\n"))
def test_as_numpy(device, expression):
    agree(expression, NAMES)


def test_methods_are_of_arrays():
    """What sorts in place has no copy of a list or of NumPy's array to sort."""
    for method, args in ((cuarray.ndarray.sort, ()), (cuarray.ndarray.partition, (1,))):
        for other in ([2, 1], np.asarray([2, 1])):
            with pytest.raises(TypeError, match="doesn't apply to a"):
                method(other, *args)
    assert cuarray.ndarray.sort.__name__ == "sort"


@pytest.mark.parametrize(
    "kth", [[1, 3], (3, -1), np.asarray([2]), np.int8(1), cuarray.asarray([0, 4]), [2**70 - 2**70]]
)
def test_positions_of_every_kind(device, kth):
    x = np.asarray([3, 1, 4, 0, 2])
    got = cuarray.asarray(x)
    on_host = kth.numpy() if isinstance(kth, cuarray.ndarray) else kth
    places = np.asarray([int(k) for k in np.atleast_1d(on_host)])
    assert cuarray.partition(got, kth).numpy()[places].tolist() == np.sort(x)[places].tolist()
    assert x[cuarray.argpartition(got, kth).numpy()][places].tolist() == np.sort(x)[places].tolist()
    got.partition(kth)
    assert got.numpy()[places].tolist() == np.sort(x)[places].tolist()


@pytest.mark.parametrize(("kth", "error"), [(True, ValueError), ([], TypeError), ([1.0], TypeError), ([[1]], ValueError),
                                            (2**70, TypeError), (2**63, ValueError), ("1", TypeError)])  # fmt: skip
def test_positions_that_are_none(kth, error):
    for call in (cuarray.partition, cuarray.argpartition):
        with pytest.raises(error):
            call(cuarray.arange(5), kth)


ROWS = {
    "random": lambda rng, n: rng.normal(size=n) * 100,
    "few": lambda rng, n: rng.integers(0, 3, n),
    "equal": lambda rng, n: np.full(n, 7),
    "rising": lambda rng, n: np.arange(n),
    "falling": lambda rng, n: -np.arange(n),
    "organ pipe": lambda rng, n: np.minimum(np.arange(n), n - np.arange(n)),
    "one smallest": lambda rng, n: np.where(np.arange(n) == n // 3, -1, 5),
    "special": lambda rng, n: rng.choice([np.nan, np.inf, -np.inf, 0.0, -0.0, 1.0, 2.0], n),
}


@pytest.mark.parametrize("kind", ROWS)
@pytest.mark.parametrize("dtype", ["f4", "f8", "i4", "i8", "u4", "u8", "f2", "i1"])
def test_selected_ranks_of_rows(kind, dtype, device):
    """Order statistics and partitions of rows too long for a network: at the ranks the sorted row, around them its parts."""
    rng = np.random.default_rng(len(kind))
    for n in (100, 129, 257, 513, 1000, 3001):
        with np.errstate(invalid="ignore"):
            host = np.stack([ROWS[kind](rng, n) for _ in range(2)]).astype(dtype)
        x, ordered = cuarray.asarray(host, device=device), np.sort(host, axis=1)
        for kth in ([0], [n - 1], [5, n // 2], [n // 3, n // 3 + 1, n - 2], [0, 1, n // 2, n - 1]):
            ends = sorted({end for k in kth for end in (k, k + 1)})
            places = cuarray.argpartition(x, kth, axis=1).numpy()
            np.testing.assert_array_equal(np.sort(places, axis=1), [np.arange(n)] * 2)
            for found in (cuarray.partition(x, kth, axis=1).numpy(), np.take_along_axis(host, places, 1)):
                for part, want in zip(np.split(found, ends, 1), np.split(ordered, ends, 1), strict=True):
                    np.testing.assert_array_equal(np.sort(part, axis=1), want)
            if kind != "special":
                share = np.array(kth) / (n - 1)
                middle = cuarray.quantile(x, share, axis=1, method="nearest").numpy()
                np.testing.assert_array_equal(middle, np.quantile(host, share, axis=1, method="nearest"))
        if kind != "special" and dtype != "f2":
            np.testing.assert_array_equal(cuarray.median(x, axis=1).numpy(), np.median(host, axis=1))
