"""Medians, quantiles and percentiles: values, types, shapes and errors of NumPy, for every method."""

import itertools
import warnings

import layouts
import numpy as np
import pytest
from same import agree

import cuarray

METHODS = ["inverted_cdf", "averaged_inverted_cdf", "closest_observation", "interpolated_inverted_cdf", "hazen",
           "weibull", "linear", "median_unbiased", "normal_unbiased", "lower", "higher", "midpoint", "nearest"]  # fmt: skip
# Python numbers, and arrays, which determine the type of the result.
QUANTILES = [0, 1, 0.5, 0.3, 1 / 3, np.float64(0.25), [0.1, 0.9, 0.5], np.array([[0.0, 0.25], [0.75, 1.0]]), np.float32(0.7),
             np.array([0.2], np.float32)]  # fmt: skip
EPS = {"f2": 2e-3, "f4": 3e-7, "f8": 1e-15}


def same(got, want):
    host, want = got.numpy(), np.asarray(want)
    assert (host.dtype, host.shape) == (want.dtype, want.shape)
    if want.dtype.kind in "fc":
        np.testing.assert_allclose(host, want, rtol=EPS.get(want.dtype.str[1:], 1e-6), atol=0)
    else:
        np.testing.assert_array_equal(host, want)


def quiet(function, *args, **kwargs):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return function(*args, **kwargs)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("dtype", ["int16", "uint8", "float16", "float32", "float64"])
def test_methods(device, dtype, method, rng):
    for n in (1, 2, 10, 41):
        x = rng.integers(0, 60, (3, n)).astype(dtype)
        nan = x.astype(dtype)
        if nan.dtype.kind == "f":
            nan[rng.random(nan.shape) < 0.3] = np.nan
            nan[1] = np.nan
            nan[0, 0] = 7  # the type of NumPy's result is that of its first slice
        for q in QUANTILES if n in (10, 41) else QUANTILES[:4]:
            for axis in (None, 0, 1):
                same(
                    cuarray.quantile(cuarray.asarray(x), q, axis, method=method),
                    quiet(np.quantile, x, q, axis, method=method),
                )
                want = quiet(np.nanquantile, nan, q, axis, method=method)
                same(quiet(cuarray.nanquantile, cuarray.asarray(nan), q, axis, method=method), want)


@pytest.mark.parametrize("layout", layouts.LAYOUTS, ids=lambda f: f.__name__)
def test_layouts_and_axes(device, layout, rng):
    x = rng.standard_normal((4, 5, 6)).astype(np.float32)
    for axis, keepdims in itertools.product([None, 0, 1, -1, (0, 2), (2, 1, 0), (1,)], [False, True]):
        for name in ("median", "nanmedian"):
            want = getattr(np, name)(x, axis=axis, keepdims=keepdims)
            same(getattr(cuarray, name)(layout(x), axis=axis, keepdims=keepdims), want)
        want = np.percentile(x, [30, 60], axis=axis, keepdims=keepdims)
        same(cuarray.percentile(layout(x), [30, 60], axis=axis, keepdims=keepdims), want)
        want = np.nanpercentile(x, [30, 60], axis=axis, keepdims=keepdims)
        same(cuarray.nanpercentile(layout(x), [30, 60], axis=axis, keepdims=keepdims), want)


@pytest.mark.parametrize("dtype", ["bool", "int8", "uint64", "float16", "float32", "complex64"])
def test_median(device, dtype, rng):
    for n in (1, 2, 3, 64, 65, 5000, 5001) if device == "cpu" else (1, 2, 65):
        x = rng.integers(0, 2 if dtype == "bool" else 100, (2, n)).astype(dtype)
        for axis in (None, 0, 1):
            same(cuarray.median(cuarray.asarray(x), axis), np.median(x, axis))
            same(cuarray.nanmedian(cuarray.asarray(x), axis), np.nanmedian(x, axis))
        if x.dtype.kind == "f":
            x[1, n // 2] = np.nan
            same(cuarray.median(cuarray.asarray(x), 1), quiet(np.median, x, 1))
            same(quiet(cuarray.nanmedian, cuarray.asarray(x), 1), quiet(np.nanmedian, x, 1))


def test_weights(device, rng):
    x = rng.integers(0, 9, (6, 7)).astype(np.float64)
    w = rng.integers(0, 4, (6, 7)) + 1.0
    w[0, 0] = 0
    for q in (0, 0.5, [0.0, 0.3, 1.0]):
        for axis in (None, 0, 1, (0, 1)):
            want = np.quantile(x, q, axis, method="inverted_cdf", weights=w)
            same(cuarray.quantile(cuarray.asarray(x), q, axis, method="inverted_cdf", weights=cuarray.asarray(w)), want)
        want = np.percentile(x, np.multiply(q, 100), 1, method="inverted_cdf", weights=w[0])
        got = cuarray.percentile(
            cuarray.asarray(x), np.multiply(q, 100), 1, method="inverted_cdf", weights=cuarray.asarray(w[0])
        )
        same(got, want)
        nan = np.where(x == 4, np.nan, x)
        want = np.nanquantile(nan, q, 1, method="inverted_cdf", weights=w)
        same(cuarray.nanquantile(cuarray.asarray(nan), q, 1, method="inverted_cdf", weights=cuarray.asarray(w)), want)


@pytest.mark.parametrize("name", ["quantile", "nanquantile", "percentile", "nanpercentile"])
def test_positions_beyond_the_type_of_q(name, device):
    """float16 counts to 2048, and holds no number above 65,504."""
    q = np.asarray([0.25, 0.5, 1], "f2") * (100 if "percentile" in name else 1)
    for n in (2048, 3001, 70_001):
        x = np.arange(n) % 7 + np.arange(n) // (n // 3)
        for nan in (0, 2):
            x = np.sort(x).astype("f2")
            x[:nan] = np.nan
            want = getattr(np, name)(x.astype("f8"), q.astype("f8"))
            got = getattr(cuarray, name)(cuarray.asarray(x[::-1]), q)
            np.testing.assert_array_equal(got.numpy(), want.astype("f2"), strict=True)


def test_warnings_about_nothing(device):
    with pytest.warns(RuntimeWarning, match="All-NaN slice"):
        assert np.isnan(cuarray.nanmedian([np.nan, np.nan]).numpy())
    with pytest.warns(RuntimeWarning, match="All-NaN slice"):
        cuarray.nanquantile(cuarray.asarray([[np.nan], [1.0]]), 0.5, axis=1)


NAMES = {
    "v": lambda xp: xp.asarray([3.0, 1.0, 2.0, 10.0]),
    "x": lambda xp: xp.asarray([[3, 1], [2, 4]]),
    "e": lambda xp: xp.zeros((0, 3)),
    "w": lambda xp: xp.zeros((3, 0)),
    "n": lambda xp: xp.asarray([1.0, np.nan, 3.0]),
}

EXPRESSIONS = """
xp.median(5)
xp.median([])
xp.median(e, axis=0)
xp.median(xp.zeros((0, 3), int), axis=0)
xp.median(w, axis=0)
xp.median(x, axis=2)
xp.median(x, axis=(0, 0))
xp.median(x, axis=())
xp.median(v, out=xp.zeros(3))
xp.median(v, out=xp.zeros(()))
xp.median(x, axis=1, out=xp.zeros(2), keepdims=False)
xp.median(x, axis=1, out=xp.zeros((2, 1)), keepdims=True)
xp.median(n)
xp.median(v, overwrite_input=True)
xp.median([True, False])
xp.median([1j, 2])
xp.median([np.inf, np.inf, 1])
xp.median([np.inf, -np.inf])
xp.quantile([1, np.inf], 0.3, method='lower')
xp.quantile([], 0.5)
xp.quantile(e, 0.5, axis=0)
xp.quantile(w, 0.5, axis=0)
xp.quantile(3, 0.5)
xp.quantile([True, False], 0.5)
xp.quantile([True, False], 0.5, method='lower')
xp.quantile(v, 1.5)
xp.quantile(v, -0.1)
xp.quantile(v, np.nan)
xp.quantile(v, [0.5, 2])
xp.quantile(v, 0.5, method='x')
xp.quantile([1j], 0.5)
xp.quantile(v, np.zeros((1, 1, 1)))
xp.quantile(v, xp.asarray([0.25, 0.5]))
xp.quantile(v, 0.5, axis=1)
xp.quantile(v, 0.5, weights=[1, 2, 1, 1])
xp.quantile(v, 0.5, weights=[1, 2, 1, 1], method='inverted_cdf')
xp.quantile(v, 0.5, weights=[-1, 2, 1, 1], method='inverted_cdf')
xp.quantile(v, 0.5, weights=[0, 0, 0, 0], method='inverted_cdf')
xp.quantile(v, 0.5, weights=[np.nan, 0, 0, 0], method='inverted_cdf')
xp.quantile(x, 0.5, weights=[1, 2], method='inverted_cdf')
xp.quantile(x, [0.5, 0.9], axis=0, weights=[1, 2], method='inverted_cdf')
xp.quantile(x, 0.5, axis=1, weights=[1, 2, 3], method='inverted_cdf')
xp.quantile(v, 0.3, out=xp.zeros((), int))
xp.quantile(v, 0.3, out=xp.zeros(()))
xp.quantile(n, 0.5)
xp.quantile(n, [0.5, 0.1])
xp.percentile(v, [25, 50])
xp.percentile(v, 101)
xp.percentile(x, 50, axis=0, keepdims=True)
xp.nanmedian([])
xp.nanmedian([np.nan])
xp.nanmedian(xp.asarray([[np.nan, 1], [np.nan, 3]]), axis=0)
xp.nanmedian(n)
xp.nanmedian(x)
xp.nanmedian(e, axis=0)
xp.nanmedian([1 + 1j, complex(np.nan, 1), 3])
xp.nanquantile([], 0.5)
xp.nanquantile([np.nan, np.nan], 0.5, weights=[1.0, 2.0], method='inverted_cdf')
xp.nanquantile([np.nan], [0.5, 0.2])
xp.nanquantile(n, 0.5)
xp.nanquantile([1, np.nan, np.inf], 1)
xp.nanquantile([[1, np.nan, np.inf], [1, 2, np.inf]], [0, 1], axis=1)
xp.nanquantile(n, 0.5, weights=[1, 1, 5], method='inverted_cdf')
xp.nanquantile(x, 0.25)
xp.nanquantile(n, 1.5)
xp.nanquantile(n, 0.5, method='x')
xp.nanpercentile(n, [20, 70])
xp.nanpercentile(n, 120)
xp.percentile(n, [], weights=xp.ones(n.shape), method='inverted_cdf')
xp.nanpercentile(n, [])
xp.quantile(v, xp.asarray([True, False]))
xp.quantile([], [])
xp.quantile([], 0.5, weights=[1.0], method='inverted_cdf')
"""


@pytest.mark.parametrize("expression", EXPRESSIONS.strip().split("\n"))
def test_as_numpy(device, expression):
    agree(expression, NAMES)


@pytest.mark.parametrize(
    "call",
    [
        "xp.median(5.0, keepdims=True)",
        "xp.quantile(5.0, 0.5, keepdims=True)",
        "xp.nanmedian(5.0, keepdims=True)",
        "xp.percentile(5.0, [10, 20], keepdims=True)",
    ],
)
def test_a_number_keeps_no_axes(call):
    got, want = eval(call, {"xp": cuarray}), eval(call, {"xp": np})
    assert got.shape == np.shape(want) and got.tolist() == np.asarray(want).tolist()


def test_quantiles_of_one_nan_are_values():
    x = y = cuarray.nanpercentile(cuarray.ones(1) * np.nan, 0)
    y += 1
    assert x is not y


@pytest.mark.parametrize("q", [0, 50.0, [25, 75], 100])
def test_percentiles_beside_nan(q, device):
    """Those of arrays of one length are found at the same places, with NaN and without."""
    x = cuarray.asarray([3.0, 1.0, 4.0, 1.0, 5.0, 9.0], device=device)
    want = np.percentile(x.numpy(), q)
    assert np.array_equal(cuarray.percentile(x, q).numpy(), want)
    x[2] = np.nan
    assert cuarray.isnan(cuarray.percentile(x, q)).all()
    x[2] = 4.0
    assert np.array_equal(cuarray.percentile(x, q).numpy(), want)
