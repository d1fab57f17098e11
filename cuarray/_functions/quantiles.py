"""Quantiles and percentiles, over all elements or over those that are not NaN, and medians of the latter."""

import warnings
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from cuarray import _core
from cuarray._arguments import ufuncs
from cuarray._arguments.axes import normalise_axes
from cuarray._arguments.functions import (
    argsort,
    broadcast_to,
    concat,
    cumsum,
    empty,
    median,
    moveaxis,
    sort,
    stack,
    take,
    take_along_axis,
)
from cuarray._arguments.operands import array_output, as_arrays, host_values, write_output
from cuarray._arguments.ufuncs import clip, floor, isfinite, isnan, maximum, minimum, subtract, where
from cuarray._functions.creation import as_array
from cuarray._functions.dtypes import is_inexact
from cuarray._runtime.fuse import fused_call

__all__ = ["nanmedian", "nanpercentile", "nanquantile", "percentile", "quantile"]

# A quantile q of n sorted elements is at a fractional position between two of them, counted from 0.
# Hyndman and Fan (The American Statistician 50, 1996, 361-365) compare the definitions. Functions take the
# namespace of `n` and `q`: numpy for numbers and its arrays, ufuncs for cuarray's arrays.


def between(alpha, beta):
    """Return the rule of a continuous definition: the position, and the weight between its neighbours."""

    def rule(xp, n, q):
        place = n * q + (alpha + q * (1 - alpha - beta)) - 1
        return place, place - xp.floor(place)

    return rule


def linear(xp, n, q):
    # Equal to between(1, 1), with fewer roundings.
    place = (n - 1) * q
    # For integer q, 0 or 1, no interpolation, as in NumPy.
    return place, None if q.dtype.kind in "biu" else place - xp.floor(place)


def averaged(xp, n, q):
    place = n * q - 1
    return place, xp.where(place == xp.floor(place), 0.5, 1.0)


def midpoint(xp, n, q):
    place = 0.5 * (xp.floor((n - 1) * q) + xp.ceil((n - 1) * q))
    return place, xp.where(place == xp.floor(place), 0.0, 0.5)


def next_unless(xp, place, stays):
    """Return the position of one element: the one before if `stays`, else the next one; at least 0."""
    before = xp.floor(place)
    return xp.maximum(xp.where(stays(before), before, before + 1), 0), None


METHODS = {
    "inverted_cdf": lambda xp, n, q: next_unless(xp, n * q - 1, lambda before: before == n * q - 1),
    "averaged_inverted_cdf": averaged,
    "closest_observation": lambda xp, n, q: next_unless(
        xp, n * q - 1.5, lambda before: (before == n * q - 1.5) & (before % 2 == 1)
    ),
    "interpolated_inverted_cdf": between(0, 1),
    "hazen": between(0.5, 0.5),
    "weibull": between(0, 0),
    "linear": linear,
    "median_unbiased": between(1 / 3, 1 / 3),
    "normal_unbiased": between(3 / 8, 3 / 8),
    "lower": lambda xp, n, q: (xp.floor((n - 1) * q), None),
    "higher": lambda xp, n, q: (xp.ceil((n - 1) * q), None),
    "midpoint": midpoint,
    "nearest": lambda xp, n, q: (xp.round((n - 1) * q), None),
}


class Slices:
    """The slices of an array to reduce, with the reduced axes merged; and the shape of the result."""

    def __init__(self, a, axis, keepdims, function):
        self.function, self.is_whole = function, axis is None
        ndim = a.ndim
        self.axes = list(range(ndim)) if axis is None else normalise_axes(axis, ndim, function)
        self.keepdims = keepdims is not np._NoValue and bool(keepdims)
        self.skips_nan = function.startswith("nan")
        self.kept = [i for i in range(ndim) if i not in self.axes]
        self.shape = a.shape
        self.values = self.rows(a)

    def rows(self, x):
        """Return an array of the same shape with the reduced axes merged into the last one."""
        if x.ndim == 0:
            return x.reshape(1)
        moved = moveaxis(x, self.axes, range(len(self.kept), x.ndim))
        return moved.reshape(*(self.shape[i] for i in self.kept), -1) if x.size else self.empty_rows(moved)

    def empty_rows(self, moved):
        extents = [self.shape[i] for i in self.kept]
        return moved.reshape(*extents, int(np.prod([self.shape[i] for i in self.axes], dtype=np.int64)))

    def result(self, values, out, leading=0, *, broadcasts=False):
        """Return one value for each slice, after `leading` axes, in the requested shape, or `out`."""
        if self.keepdims:
            extents = [1 if i in self.axes else n for i, n in enumerate(self.shape)]
            values = values.reshape((*values.shape[:leading], *extents))
            # NumPy writes to the first places along the reduced axes, and leaves the others as they are.
            shape, ndim = getattr(out, "shape", ()), len(extents)
            broadcasts = broadcasts and len(shape) >= ndim and all(shape[i - ndim] == 1 for i in self.axes)
        if out is not None and broadcasts and self.skips_nan:  # as in NumPy, whose last step is an assignment then
            values = without_leading_ones(values, getattr(out, "ndim", 0))
        return write_output(values, out, self.function, broadcasts=broadcasts)


def without_leading_ones(x, ndim):
    """Return an array without the leading axes of one element that it has beyond `ndim`."""
    extra = x.ndim - ndim
    return x.reshape(x.shape[extra:]) if extra > 0 and x.shape[:extra] == (1,) * extra else x


def nan_where(result, largest):
    """Return the result, NaN where the largest element is NaN, which is sorted last."""
    return where(isnan(largest), largest, result)


def checked_quantiles(q, scale, function):
    """Return quantiles as a NumPy array from 0 to 1, and whether they are one Python number."""
    is_weak = type(q) in (int, float)
    q = host_values(q, function)
    if q.dtype.kind == "O" and all(type(x) is int for x in q.flat):
        q = q.astype(np.float64)  # beyond int64
    if q.dtype.kind not in "biuf":
        raise TypeError(f"{function}: q must have real numbers, not elements of type {q.dtype}")
    return shares(q.dtype, q.shape, q.tobytes(), scale, function), is_weak


@lru_cache(maxsize=256)
def shares(dtype, shape, numbers, scale, function):
    """Return quantiles, given by the bytes of an array, as an array of numbers from 0 to 1."""
    q = np.frombuffer(numbers, dtype).reshape(shape)
    if scale != 1:
        q = np.asanyarray(np.true_divide(q, scale))
    if q.size and not (q.min() >= 0 and q.max() <= 1):
        what = "percentiles" if scale != 1 else "quantiles"
        raise ValueError(f"{function}: {what} must be in the range [0, {scale}]")
    if q.ndim > 2:
        raise ValueError(f"{function}: q must be a scalar or have one axis, not shape {q.shape}")
    return q


class Neighbours(NamedTuple):
    """Where quantiles of n sorted elements lie; arrays on the host, in the shape of the quantiles."""

    ranks: list[int]  #: the elements that are needed, in ascending order; the last one of all if it may be NaN
    low: np.ndarray  #: the element below each quantile, or the quantile, by its place in `ranks`
    high: np.ndarray
    weight: np.ndarray | None  #: between both; None without interpolation


@lru_cache(maxsize=256)
def neighbours(method, n, dtype, shape, numbers, has_nan):
    """Return the neighbours of quantiles from 0 to 1, given by the bytes of an array."""
    q = np.frombuffer(numbers, dtype).reshape(shape)
    place, weight = METHODS[method](np, n, q.astype(position_dtype(n, dtype), copy=False))
    # Beyond an end, both neighbours are the end element.
    low = high = np.clip(np.floor(place), 0, n - 1).astype(np.int64)
    if weight is not None:
        high = np.where(place < 0, 0, np.minimum(np.floor(place) + 1, n - 1)).astype(np.int64)
        weight = np.asarray(weight, dtype if dtype.kind == "f" else None)
    ranks = sorted({*low.ravel().tolist(), *high.ravel().tolist(), *([n - 1] if has_nan else [])})
    return Neighbours(ranks, np.searchsorted(ranks, low), np.searchsorted(ranks, high), weight)


def method_named(method, function):
    if not isinstance(method, str) or method not in METHODS:
        raise ValueError(f"{function}: method {method!r} is none of {', '.join(METHODS)}")
    return METHODS[method]


def checked_arrays(a, weights, method, function):
    if weights is not None and method != "inverted_cdf":
        raise ValueError(f"{function}: method 'inverted_cdf' alone supports weights, not {method!r}")
    a, weights = as_arrays(function, a, optional=(weights,))
    if a.dtype.kind == "c":
        raise TypeError(f"{function}: a must be an array of real numbers, not of {a.dtype}")
    return a, weights


def dtype_of(out):
    """Return the type of an output array, if it may hold quantiles between elements."""
    return out.dtype if hasattr(out, "dtype") and is_inexact(out) else None


def interpolate(low, high, weight, rest, is_near_high, dtype):
    """Return low + (high - low) * weight, computed from the nearer end; `rest` is 1 - weight.

    As in NumPy, the last step from the high end has the type of the output array, if there is one.
    """
    step = high - low
    return where(is_near_high, subtract(high, step * rest, dtype=dtype, casting="unsafe"), low + step * weight)


def quantile(a, q, axis=None, out=None, overwrite_input=False, method="linear", keepdims=False, *, weights=None):
    """Return quantiles: values below which a given fraction of the elements lies.

    Parameters
    ----------
    a : array_like
        Real.
    q : array_like
        From 0 to 1; at most two axes, which the result has in front.
    axis : int or sequence of int, optional
        Axes to reduce; all by default.
    out : ndarray, optional
        Output array.
    overwrite_input : bool
        Accepted for NumPy compatibility; the input is not modified.
    method : str
        The method of interpolation between neighbours: 'inverted_cdf', 'averaged_inverted_cdf',
        'closest_observation', 'interpolated_inverted_cdf', 'hazen', 'weibull', 'linear', 'median_unbiased',
        'normal_unbiased', 'lower', 'higher', 'midpoint' or 'nearest'.
    keepdims : bool
        Whether the reduced axes are kept with length 1.
    weights : array_like, optional
        Weights of the elements; of the shape of `a`, or of its reduced axes. Only for 'inverted_cdf'.

    Returns
    -------
    ndarray
        NaN where an element is NaN.

    Raises
    ------
    AxisError
        If an axis does not exist.
    IndexError
        If there are no elements.
    TypeError
        If `a` is complex.
    ValueError
        If a quantile is out of range, the method is unknown, or the weights do not match.

    See Also
    --------
    numpy.quantile

    Examples
    --------
    >>> import cuarray as ca
    >>> ca.quantile([10, 7, 4, 3, 2, 1], [0.25, 0.5])
    array([2.25, 3.5 ])
    >>> ca.quantile([10, 7, 4, 3, 2, 1], 0.25, method="lower")
    np.int64(2)
    """
    return find_quantiles("quantile", a, q, 1, axis, out, method, keepdims, weights)


def percentile(a, q, axis=None, out=None, overwrite_input=False, method="linear", keepdims=False, *, weights=None):
    """Return percentiles: values below which a given percentage of the elements lies.

    Parameters
    ----------
    a : array_like
        Real.
    q : array_like
        From 0 to 100; at most two axes, which the result has in front.
    axis : int or sequence of int, optional
        Axes to reduce; all by default.
    out : ndarray, optional
        Output array.
    overwrite_input : bool
        Accepted for NumPy compatibility; the input is not modified.
    method : str
        As of `quantile`.
    keepdims : bool
        Whether the reduced axes are kept with length 1.
    weights : array_like, optional
        As of `quantile`.

    Returns
    -------
    ndarray
        NaN where an element is NaN.

    Raises
    ------
    AxisError
        If an axis does not exist.
    IndexError
        If there are no elements.
    TypeError
        If `a` is complex.
    ValueError
        If a percentile is out of range, the method is unknown, or the weights do not match.

    See Also
    --------
    numpy.percentile

    Examples
    --------
    >>> import cuarray as ca
    >>> ca.percentile([[10, 7, 4], [3, 2, 1]], 50, axis=0)
    array([6.5, 4.5, 2.5])
    """
    return find_quantiles("percentile", a, q, 100, axis, out, method, keepdims, weights)


def find_quantiles(function, a, q, scale, axis, out, method, keepdims, weights, *, skips_nan=False):
    a, weights = checked_arrays(a, weights, method, function)
    q, is_weak = checked_quantiles(q, scale, function)
    rule = method_named(method, function)
    slices = Slices(a, axis, keepdims, function)
    if weights is not None:
        return weighted_quantiles(function, a, q, slices, out, weights, skips_nan=skips_nan)
    rows, n = slices.values, slices.values.shape[-1]
    if n == 0 and rows.ndim == 1 + len(slices.kept):
        if q.size or is_inexact(a):
            raise IndexError(f"{function}: there is nothing to choose from in shape {a.shape}")
        dtype = rows.dtype if rule(np, n, q)[1] is None else np.float64
        nothing = empty(q.shape + rows.shape[:-1], dtype, device=a.device)
        return slices.result(nothing, out, q.ndim)
    inexact = is_inexact(a)
    near = neighbours(method, n, q.dtype, q.shape, q.tobytes(), inexact)
    found = moveaxis(_core.order_statistics(rows, rows.ndim - 1, near.ranks, function), -1, 0)

    def at(places):
        return found[int(places)] if q.ndim == 0 else take(found, as_array(places, a.device), 0)

    result = at(near.low)
    if near.weight is not None:
        # As in NumPy, where the last step of the interpolation is a ufunc.
        out = out if skips_nan else array_output(out, function)
        result = between_neighbours(result, at(near.high), near.weight, is_weak, dtype_of(out))
    if inexact:
        result = nan_where(result, found[-1])
    return slices.result(result, out, q.ndim, broadcasts=near.weight is not None or skips_nan)


def position_dtype(n, dtype):
    """Return the type to compute positions among n elements in: that of q, as in NumPy, if it counts to n exactly."""
    is_exact = dtype.kind != "f" or n <= 2 ** (np.finfo(dtype).nmant + 1)
    return dtype if is_exact else np.dtype(np.float64)


def between_neighbours(low, high, weight, is_weak, dtype):
    """Interpolate with weights known on the host, one for each quantile."""
    if is_weak:
        weight = float(weight)
        return interpolate(low, high, weight, 1 - weight, weight >= 0.5, dtype)
    weight = weight.reshape(weight.shape + (1,) * (low.ndim - weight.ndim))
    on_device = [as_array(x, low.device) for x in (weight, 1 - weight, weight >= 0.5)]
    return interpolate(low, high, *on_device, dtype)


def checked_weights(weights, a, slices, function):
    """Return weights in the shape of `a`; ValueError or TypeError if they do not match."""
    if weights.shape != a.shape:
        if slices.is_whole:
            raise TypeError(f"{function}: give axis=: weights have shape {weights.shape}, not {a.shape}")
        extents = tuple(a.shape[i] for i in slices.axes)
        if weights.shape != extents:
            raise ValueError(f"{function}: weights have shape {weights.shape}, the reduced axes {extents}")
        weights = weights.transpose(np.argsort(slices.axes).tolist())
        spread = tuple(n if i in slices.axes else 1 for i, n in enumerate(a.shape))
        weights = broadcast_to(weights.reshape(spread), a.shape)
    if bool((weights < 0).any()):
        raise ValueError(f"{function}: weights must not be negative")
    return weights


def gathered(results, q, rows):
    """Stack the results of all quantiles, possibly none."""
    shape = q.shape + rows.shape[:-1]
    if not results:
        return empty(shape, rows.dtype, device=rows.device)
    return stack(results).reshape(shape)


def weighted_quantiles(function, a, q, slices, out, weights, *, skips_nan=False):
    weights = slices.rows(checked_weights(weights, a, slices, function))
    rows, n = slices.values, slices.values.shape[-1]
    order = argsort(rows)
    ordered = take_along_axis(rows, order, rows.ndim - 1)
    weights = take_along_axis(weights, order, rows.ndim - 1).astype(np.float64)
    if skips_nan:
        weights = where(isnan(ordered), 0.0, weights)
    parts = cumsum(weights, axis=-1)
    total = parts[..., -1:]
    if skips_nan:  # a row of NaN alone gives NaN, for any weights
        total = where(isnan(ordered).all(-1, keepdims=True), 1.0, total)
    if not bool((isfinite(total) & (total != 0)).all()):
        raise ValueError(f"{function}: weights include NaN or infinity, or are all zero")
    parts = parts / total
    if q.dtype.kind == "f":
        parts = parts.astype(q.dtype)
    # The first element of nonzero weight, for the quantile 0.
    parts = where(parts == 0, -1, parts)
    chosen = []
    for one in q.ravel().tolist():
        place = minimum((parts < one).sum(axis=-1, keepdims=True), n - 1)
        chosen.append(take_along_axis(ordered, place, rows.ndim - 1)[..., 0])
    result = gathered(chosen, q, ordered)
    if is_inexact(a) and not skips_nan:
        result = nan_where(result, ordered[..., -1])
    found = slices.result(result, out, q.ndim, broadcasts=skips_nan)
    # As in NumPy, an array and no value.
    return found if out is not None or found.ndim or skips_nan else _core.array_from_object(found, copy=True)


def nanmedian(a, axis=None, out=None, overwrite_input=False, keepdims=np._NoValue):
    """Return the median of the elements that are not NaN.

    Parameters
    ----------
    a : array_like
    axis : int or sequence of int, optional
        Axes to reduce; all by default.
    out : ndarray, optional
        Output array.
    overwrite_input : bool
        Accepted for NumPy compatibility; the input is not modified.
    keepdims : bool, optional
        Whether the reduced axes are kept with length 1.

    Returns
    -------
    ndarray
        NaN, with a warning, where all elements are NaN.

    Raises
    ------
    AxisError
        If an axis does not exist.

    See Also
    --------
    numpy.nanmedian

    Examples
    --------
    >>> import cuarray as ca
    >>> ca.nanmedian([[10, ca.nan, 4], [3, 2, 1]])
    np.float64(3.0)
    """
    a = as_array(a)
    slices = Slices(a, axis, keepdims, "nanmedian")
    if not is_inexact(a) or a.size == 0:
        return slices.result(median(a, axis), out, broadcasts=a.size > 0)
    rows, last = slices.values, slices.values.ndim - 1
    count, least, most = counts_of_numbers(rows)
    if least == most > 0:
        middle = sorted({(most - 1) // 2, most // 2})
        found = _core.order_statistics(rows, last, middle, "nanmedian")
        return slices.result(found.mean(axis=-1), out, broadcasts=True)
    ordered = sort(rows)
    ends = [maximum(count - 1, 0) // 2, maximum(count // 2, 0)]
    middle = concat([take_along_axis(ordered, end, last) for end in ends], axis=-1)
    return slices.result(middle.mean(axis=-1), out, broadcasts=True)


def counts_of_numbers(rows):
    """Return the count of non-NaN elements of each row, its minimum and maximum; warn if a row has none."""
    with fused_call():
        count = (~isnan(rows)).sum(axis=-1, keepdims=True)
    least, most = (int(count.min()), int(count.max())) if count.size else (0, 0)
    if count.size and least == 0:
        warnings.warn("All-NaN slice encountered", RuntimeWarning, stacklevel=3)
    return count, least, most


def nanquantile(
    a, q, axis=None, out=None, overwrite_input=False, method="linear", keepdims=np._NoValue, *, weights=None
):
    """Return quantiles of the elements that are not NaN.

    Parameters
    ----------
    a : array_like
        Real.
    q : array_like
        From 0 to 1; at most two axes, which the result has in front.
    axis : int or sequence of int, optional
        Axes to reduce; all by default.
    out : ndarray, optional
        Output array.
    overwrite_input : bool
        Accepted for NumPy compatibility; the input is not modified.
    method : str
        As of `quantile`.
    keepdims : bool, optional
        Whether the reduced axes are kept with length 1.
    weights : array_like, optional
        As of `quantile`.

    Returns
    -------
    ndarray
        NaN where all elements are NaN.

    Raises
    ------
    AxisError
        If an axis does not exist.
    TypeError
        If `a` is complex.
    ValueError
        If a quantile is out of range, the method is unknown, or the weights do not match.

    See Also
    --------
    numpy.nanquantile

    Examples
    --------
    >>> import cuarray as ca
    >>> ca.nanquantile([10, ca.nan, 4, 3, 2, 1], 0.25)
    np.float64(2.0)
    """
    return find_nanquantiles("nanquantile", a, q, 1, axis, out, method, keepdims, weights)


def nanpercentile(
    a, q, axis=None, out=None, overwrite_input=False, method="linear", keepdims=np._NoValue, *, weights=None
):
    """Return percentiles of the elements that are not NaN.

    Parameters
    ----------
    a : array_like
        Real.
    q : array_like
        From 0 to 100; at most two axes, which the result has in front.
    axis : int or sequence of int, optional
        Axes to reduce; all by default.
    out : ndarray, optional
        Output array.
    overwrite_input : bool
        Accepted for NumPy compatibility; the input is not modified.
    method : str
        As of `quantile`.
    keepdims : bool, optional
        Whether the reduced axes are kept with length 1.
    weights : array_like, optional
        As of `quantile`.

    Returns
    -------
    ndarray
        NaN where all elements are NaN.

    Raises
    ------
    AxisError
        If an axis does not exist.
    TypeError
        If `a` is complex.
    ValueError
        If a percentile is out of range, the method is unknown, or the weights do not match.

    See Also
    --------
    numpy.nanpercentile

    Examples
    --------
    >>> import cuarray as ca
    >>> ca.nanpercentile([[10, ca.nan, 4], [3, 2, 1]], 50, axis=0)
    array([6.5, 2. , 2.5])
    """
    return find_nanquantiles("nanpercentile", a, q, 100, axis, out, method, keepdims, weights)


def find_nanquantiles(function, a, q, scale, axis, out, method, keepdims, weights):
    a, weights = checked_arrays(a, weights, method, function)
    if a.size == 0:
        checked_quantiles(q, scale, function)
        return slices_of_nothing(a, axis, out, keepdims, function, weights)
    if not is_inexact(a):
        return find_quantiles(function, a, q, scale, axis, out, method, keepdims, weights, skips_nan=True)
    given = q
    q, is_weak = checked_quantiles(given, scale, function)
    rule = method_named(method, function)
    slices = Slices(a, axis, keepdims, function)
    if weights is not None:
        return weighted_quantiles(function, a, q, slices, out, weights, skips_nan=True)
    rows = slices.values
    count, least, _ = counts_of_numbers(rows)
    if least == rows.shape[-1]:
        return find_quantiles(function, a, given, scale, axis, out, method, keepdims, None, skips_nan=True)
    ordered = sort(rows)
    results = [quantile_of_counts(ordered, count, one, rule, is_weak, dtype_of(out)) for one in q.reshape(-1)]
    result = gathered(results, q, ordered)
    return slices.result(result, out, q.ndim, broadcasts=True)


def slices_of_nothing(a, axis, out, keepdims, function, weights):
    """Return the means of empty slices, as NumPy does, for any quantiles."""
    slices = Slices(a, axis, keepdims, function)
    if weights is not None:
        checked_weights(weights, a, slices, function)
    return slices.result(slices.values.mean(axis=-1), out)


def quantile_of_counts(ordered, count, q, rule, is_weak, out_dtype):
    """Return one quantile of the first `count` elements of each sorted row."""
    last = ordered.ndim - 1
    dtype = q.dtype if q.dtype.kind == "f" else np.dtype(np.float64)
    place, weight = rule(ufuncs, count.astype(position_dtype(ordered.shape[last], dtype)), q)
    top = maximum(count - 1, 0)
    below = floor(place)
    low = clip(below, 0, top).astype(np.int64)
    result = take_along_axis(ordered, low, last)
    if weight is not None:
        high = where(place < 0, 0, minimum(below + 1, top)).astype(np.int64)
        weights = [w.astype(ordered.dtype if is_weak else dtype) for w in (weight, 1 - weight)]
        result = interpolate(result, take_along_axis(ordered, high, last), *weights, weight >= 0.5, out_dtype)
    return result[..., 0]
