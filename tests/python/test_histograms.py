"""Histograms: counts, edges, types and errors of NumPy."""

import itertools

import ml_dtypes
import numpy as np
import pytest
from same import agree

import cuarray

RULES = ["auto", "doane", "fd", "rice", "scott", "sqrt", "stone", "sturges"]


def same(got, want, rtol=0.0):
    for g, w in zip(got, want, strict=True):
        host = g.numpy()
        assert (host.dtype, host.shape) == (w.dtype, w.shape)
        np.testing.assert_allclose(host, w, rtol=rtol, atol=0)


@pytest.mark.parametrize("dtype", ["int8", "uint8", "int32", "uint64", "float16", "float32", "float64"])
@pytest.mark.parametrize("bins", [1, 3, 10, 257, [-3, -1, 0, 0, 2, 5], [0.5, 1.5]], ids=str)
def test_histogram(device, dtype, bins, rng):
    x = (
        (rng.standard_normal(5000) * 3 + (3 if dtype[0] == "u" else 0))
        .clip(0 if dtype[0] == "u" else -9, 9)
        .astype(dtype)
    )
    weights = rng.integers(0, 8, 5000) / 8  # whose sums are exact
    for w, limits in itertools.product([None, weights, weights * (1 + 2j), (weights * 8).astype(int)], [None, (-1, 4)]):
        if limits and not isinstance(bins, int):
            continue
        for density in (False, True):
            with np.errstate(divide="ignore", invalid="ignore"):
                want = np.histogram(x, bins, limits, density, w)
            given = None if w is None else cuarray.asarray(w)
            got = cuarray.histogram(cuarray.asarray(x), bins, limits, density, given)
            same(got, want, 1e-14 if density else 0)


def test_values_on_edges_and_outside(device, rng):
    edges = np.linspace(-1, 1, 18)
    x = np.concatenate([edges, np.nextafter(edges, 2), np.nextafter(edges, -2), [np.nan, -5, 5]])
    same(cuarray.histogram(cuarray.asarray(x), 17, (-1, 1)), np.histogram(x[~np.isnan(x)], 17, (-1, 1)))
    same(cuarray.histogram(cuarray.asarray(x), edges), np.histogram(x[~np.isnan(x)], edges))
    tiny = np.array([0, 5e-324, 1e-323])
    assert cuarray.histogram(cuarray.asarray(tiny), 2)[0].numpy().sum() == 3


@pytest.mark.parametrize(
    "dtype", ["int8", "uint8", "int16", "uint32", "int64", "uint64", "float32", "float64", "complex64"]
)
@pytest.mark.parametrize("edges", [[0, 1, 2], [0, 1, 2, np.nan], [0, np.nan]], ids=str)
def test_sums_of_weights_wrap_around(dtype, edges, device, rng):
    """As NumPy's, with NaN among the edges and without."""
    x, weights = rng.uniform(0, 3, 900), rng.integers(90, 120, 900).astype(dtype)
    same(
        cuarray.histogram(cuarray.asarray(x), edges, weights=cuarray.asarray(weights)),
        np.histogram(x, edges, weights=weights),
    )


@pytest.mark.parametrize("edges", [[0, 1, 2, 3], [0, 1, 2, np.nan], [0, np.nan]], ids=str)
def test_weights_of_few_bits(edges, device, rng):
    """Bools tell whether any is true; sums of halves are rounded once, at the end."""
    for x, weights in (([0.5, 0.6, 0.7, 1.5], [True, True, False, True]), ([0.5, 2.5], [True, False])):
        counts = cuarray.histogram(cuarray.asarray(x), edges, weights=cuarray.asarray(weights))[0]
        wanted = np.histogram(x, edges, weights=np.array(weights, int))[0]
        assert counts.dtype == bool and counts.tolist() == (wanted > 0).tolist()
    x, ones = rng.uniform(0, 3, 9000), np.ones(9000)
    wanted = np.histogram(x, edges, weights=ones)[0].astype(np.float16)
    got = cuarray.histogram(cuarray.asarray(x), edges, weights=cuarray.asarray(ones.astype(np.float16)))[0]
    same([got], [wanted])


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("weighted", [False, True])
def test_values_near_edges(dtype, weighted, device, rng):
    """On every edge, next to it, outside, and NaN: a guess of the bin must be corrected."""
    for first, last, bins in (
        (-1, 1, 7),
        (0, 100, 100),
        (1e5, 1e5 + 3, 13),
        (0, 1e-40, 5),
        (-3, 3e38, 9),
        (0, 1, 5000),
    ):
        edges = np.linspace(first, last, bins + 1, dtype=dtype)
        limits = np.array([np.inf, -np.inf], dtype)
        close = np.concatenate([edges, *(np.nextafter(edges, limit) for limit in limits)])
        between = rng.uniform(first, last, 3000).astype(dtype)
        outside = np.array([np.nan, np.inf, -np.inf, first - 1, last + abs(last) / 16 + 1], dtype)
        x = rng.permutation(np.concatenate([np.tile(close, 1 + 2000 // close.size), between, outside]))
        weights = rng.integers(-8, 8, x.size) / 8 if weighted else None  # whose sums are exact
        given = cuarray.asarray(edges)
        got = cuarray._core.histogram(
            cuarray.asarray(x), given, True, None if weights is None else cuarray.asarray(weights), bins, "test"
        ).numpy()
        place = np.searchsorted(edges, x, side="right") - 1
        place[x == edges[-1]] = bins - 1
        inside = (x >= edges[0]) & (x <= edges[-1])
        if weighted:
            want = np.zeros(bins)
            np.add.at(want, place[inside], weights[inside])
        else:
            want = np.bincount(place[inside], minlength=bins)
        np.testing.assert_array_equal(got, want)


def test_half_types(device):
    x = np.array([0.5, 1, 1.5, 2, 2.5], ml_dtypes.bfloat16)
    counts, edges = cuarray.histogram(cuarray.asarray(x), [0, 1, 2, 3])
    assert counts.numpy().tolist() == [1, 2, 2]
    assert edges.numpy().tolist() == [0, 1, 2, 3]


@pytest.mark.filterwarnings("ignore:The number of bins estimated")
@pytest.mark.parametrize("rule", RULES)
def test_rules(device, rule, rng):
    for x in (
        rng.standard_normal(300),
        rng.integers(0, 50, 200),
        np.full(9, 4.0),
        np.array([1.0]),
        rng.exponential(1, 400),
    ):
        for limits in (None, (0.25, 1.5)) if rule != "stone" else (None,):
            want = np.histogram_bin_edges(x, rule, limits)
            got = cuarray.histogram_bin_edges(cuarray.asarray(x), rule, limits)
            same([got], [want], 1e-12)


def test_bincount(device, rng):
    for n, top in [(0, 1), (1, 1), (1000, 7), (100_000 if device == "cpu" else 3000, 40_000)]:
        for dtype in ("int64", "int8", "uint8", "uint16", "bool"):
            x = rng.integers(0, min(top, np.iinfo(dtype).max if dtype != "bool" else 2), n).astype(dtype)
            want = np.bincount(x, minlength=5)
            same([cuarray.bincount(cuarray.asarray(x), minlength=5)], [want])
        w = rng.integers(-1000, 1000, n) / 64
        for weights in (w, w.astype("float32"), w.astype("int16")) if n else ():
            same([cuarray.bincount(cuarray.asarray(x), cuarray.asarray(weights))], [np.bincount(x, weights)])


def test_sums_of_weights_are_repeated_bit_by_bit(device, rng):
    x, w = rng.integers(0, 9, 5000), rng.standard_normal(5000)
    first = cuarray.bincount(cuarray.asarray(x), cuarray.asarray(w)).numpy()
    np.testing.assert_allclose(first, np.bincount(x, w), rtol=1e-10, atol=1e-10)
    for _ in range(3):
        assert cuarray.bincount(cuarray.asarray(x), cuarray.asarray(w)).numpy().tobytes() == first.tobytes()


@pytest.mark.parametrize("threads", [1, 2, 5])
def test_threads_change_nothing(threads, rng):
    known = cuarray.get_num_threads()
    cuarray.set_num_threads(threads)
    try:
        x = rng.integers(0, 99, 500_000)
        same([cuarray.bincount(cuarray.asarray(x, device="cpu"))], [np.bincount(x)])
        y = rng.standard_normal(500_000)
        same(cuarray.histogram(cuarray.asarray(y, device="cpu"), 50), np.histogram(y, 50))
    finally:
        cuarray.set_num_threads(known)


def test_histogramdd(device, rng):
    x = rng.standard_normal((400, 3))
    w = rng.integers(0, 16, 400) / 16
    for bins in (4, (2, 3, 5), [[-1, 0, 1], 4, [0.0, 0.5]]):
        for density, weights in itertools.product((False, True), (None, w)):
            want = np.histogramdd(x, bins, density=density, weights=weights)
            got = cuarray.histogramdd(
                cuarray.asarray(x), bins, density=density, weights=None if weights is None else cuarray.asarray(weights)
            )
            same([got[0], *got[1]], [want[0], *want[1]], 1e-14)
    want = np.histogram2d(x[:, 0], x[:, 1], [3, [-1, 0, 1]], [(-1, 1), None])
    same(cuarray.histogram2d(*cuarray.asarray(x[:, :2].T.copy()), [3, [-1, 0, 1]], [(-1, 1), None]), want)


EXPRESSIONS = """
xp.histogram([1, 2, 1], bins=[0, 1, 2, 3])
xp.histogram([True, False, True], 2)
xp.histogram([1, 2], bins=0)
xp.histogram([1, 2], bins=2.5)
xp.histogram([1, 2], bins=[3, 1])
xp.histogram([1, 2], bins=[[1, 2]])
xp.histogram([1, 2], bins='no')
xp.histogram([1, 2], bins='auto', weights=[1, 2])
xp.histogram([1, 2], range=(2, 1))
xp.histogram([1, np.nan])
xp.histogram([1, 2], range=(0, np.inf))
xp.histogram([1, 2], weights=[1])
xp.histogram([1, 2], bins=2, weights=[True, False])
xp.histogram([], bins=3)
xp.histogram([5, 5, 5], bins=3)
xp.histogram([1, 2], bins=[])
xp.histogram([1, 2], bins=[1])
xp.histogram([1, 2], bins=[1, 1])
xp.histogram([1e300, -1e300], bins=3)
xp.histogram([[1, 2], [3, 4]], bins=3)
xp.histogram([1, 2, 3], bins=3, range=(1, 2))
xp.histogram([1.0, 1.0000000000000002], bins=10)
xp.histogram(xp.asarray([1, 200], dtype='uint8'), bins=2)
xp.histogram(xp.asarray([-128, 127], dtype='int8'), bins=2)
xp.histogram_bin_edges([1, 2], bins=[1, 5, 9])
xp.histogram_bin_edges([1, 2, 9], bins='sqrt', range=(1, 5))
xp.histogram_bin_edges([], bins='auto')
xp.histogram2d([1, 2, 3], [1, 2, 1], bins=2)
xp.histogramdd([1, 2, 3], bins=xp.asarray(2))
xp.histogram2d(xp.asarray([0.1, 0.2, 0.7, 0.3], dtype='f2'), xp.asarray([0.1, 0.2, 0.7, 0.3]), bins=7)
xp.histogram2d([1, 2, 3], [1, 2], bins=2)
xp.histogram2d([1, 2, 3], [1, 2, 1], bins=[0, 1, 4])
xp.histogram2d([1, 2, 3], [1, 2, 1], bins=[2, 3])
xp.histogram2d([1, 2, 3], [1, 2, 1], bins=2, range=[[0, 2], [0, 2]], weights=[1, 2, 3])
xp.histogramdd([[1, 2, 3], [4, 5, 6]], bins=(2, 2))
xp.histogramdd([[1, 2, 3], [4, 5, 6]], bins=(2, 2, 2))
xp.histogramdd(xp.arange(12).reshape(4, 3), bins=(2, 2, 0))
xp.histogramdd(xp.arange(12).reshape(4, 3), bins=(2, 2, [3, 1]))
xp.histogramdd(xp.arange(12).reshape(4, 3), bins=(2, 2, [[3, 1]]))
xp.histogramdd(xp.arange(12).reshape(4, 3), bins=2, range=[(0, 1)])
xp.histogramdd(xp.arange(12).reshape(4, 3), bins=(2, 2, 2.5))
xp.histogramdd(xp.arange(4), bins=2)
xp.histogramdd((xp.arange(4), xp.arange(4)), bins=2, weights=[1, 2])
xp.bincount([])
xp.bincount([], minlength=3)
xp.bincount([1, 2], minlength=-1)
xp.bincount([1, -2])
xp.bincount(xp.asarray([1.0]))
xp.bincount(xp.asarray([1], dtype='uint64'))
xp.bincount([[1]])
xp.bincount([1, 2], weights=[1])
xp.bincount([1, 2], weights=[1j, 1])
xp.bincount([True, False])
xp.bincount([1, 2], weights=[[1, 2]])
xp.bincount(5)
xp.bincount([1], minlength=None)
xp.bincount([1], minlength=2.0)
"""


@pytest.mark.parametrize("expression", EXPRESSIONS.strip().split("\n"))
def test_as_numpy(device, expression):
    agree(expression)


def test_bincount_of_the_largest_numbers(device):
    for numbers in ([2**63 - 1], [0, 2**63 - 1], [2**62], [2**40, 1]):
        with pytest.raises((MemoryError, ValueError, OverflowError)):
            cuarray.bincount(cuarray.asarray(numbers, device=device))
    assert cuarray.bincount(cuarray.asarray([1023, 0], device=device)).sum() == 2
    assert cuarray.bincount(cuarray.asarray([1024, 0], device=device)).size == 1025
