"""Histograms: counts of elements by bins."""

import math
import warnings
from operator import index

import numpy as np

from cuarray import _core
from cuarray._arguments.axes import bounded, has_entries, integer
from cuarray._arguments.functions import argsort, concat, cumulative_sum, diff, searchsorted, sort, zeros
from cuarray._arguments.operands import as_arrays, host_values
from cuarray._arguments.ufuncs import imag, real
from cuarray._core import ndarray
from cuarray._functions.creation import as_array
from cuarray._functions.quantiles import percentile

__all__ = ["histogram", "histogram2d", "histogram_bin_edges", "histogramdd"]


# Rules for the width of bins, for real data that is not empty.


def spread(x):
    """Return the difference between the largest and the smallest element, as a Python number."""
    return x.max().item() - x.min().item()


def sqrt_width(x, limits):
    return spread(x) / math.sqrt(x.size)


def sturges_width(x, limits):
    return spread(x) / (math.log2(x.size) + 1.0)


def rice_width(x, limits):
    return spread(x) / (2.0 * x.size ** (1.0 / 3))


def scott_width(x, limits):
    return (24.0 * math.sqrt(math.pi) / x.size) ** (1.0 / 3.0) * x.std().item()


def doane_width(x, limits):
    if x.size <= 2:
        return 0.0
    sigma = x.std().item()
    if not sigma > 0.0:
        return 0.0
    skewness = (((x - x.mean()) / sigma) ** 3).mean().item()
    error = math.sqrt(6.0 * (x.size - 2) / ((x.size + 1.0) * (x.size + 3)))
    return spread(x) / (1.0 + math.log2(x.size) + math.log2(1.0 + abs(skewness) / error))


def fd_width(x, limits):
    high, low = percentile(x, [75, 25]).numpy()
    return 2.0 * float(high - low) * x.size ** (-1.0 / 3.0)


def stone_width(x, limits):
    n, width = x.size, spread(x)
    if n <= 1 or width == 0:
        return 0

    def estimated_risk(bins):
        parts = histogram(x, bins, limits)[0].numpy() / n
        return (2 - (n + 1) * parts.dot(parts)) / (width / bins)

    most = max(100, math.isqrt(n))
    bins = min(range_of(1, most + 1), key=estimated_risk)
    if bins == most:
        warnings.warn("The number of bins estimated may be suboptimal.", RuntimeWarning, stacklevel=4)
    return width / bins


def auto_width(x, limits):
    # The width of Freedman and Diaconis can be far too small; Sturges' is good for few elements.
    return min(max(fd_width(x, limits), sqrt_width(x, limits) / 2), sturges_width(x, limits))


WIDTHS = {
    "auto": auto_width,
    "doane": doane_width,
    "fd": fd_width,
    "rice": rice_width,
    "scott": scott_width,
    "sqrt": sqrt_width,
    "stone": stone_width,
    "sturges": sturges_width,
}
range_of = range  # `range` is a parameter below


def outer_edges(a, range, function):
    """Return the outer edges, which differ."""
    if range is not None:
        try:
            first, last = range
            descends = first > last
        except (TypeError, ValueError) as error:
            raise type(error)(f"{function}: range must be a pair of numbers, not {range!r:.80}") from error
        what = "given"
        if descends:
            raise ValueError(f"{function}: the range ({first}, {last}) must ascend")
    elif a.size == 0:
        return 0, 1
    else:
        first, last = (x.numpy()[()] for x in (a.min(), a.max()))
        what = "found"
    if not (np.isfinite(first) and np.isfinite(last)):
        raise ValueError(f"{function}: the {what} range ({first}, {last}) is not finite")
    return (first - 0.5, last + 0.5) if first == last else (first, last)


def bins_by_rule(a, rule, range, function):
    """Return the number of bins of equal width by a rule."""
    if rule not in WIDTHS:
        names = ", ".join(sorted(WIDTHS))
        raise ValueError(f"{function}: bins {rule!r} is no number, no sequence and none of {names}")
    first, last = outer_edges(a, range, function)
    if range is not None:
        a = a[(a >= first) & (a <= last)]
    if a.size == 0:
        return 1
    width = WIDTHS[rule](a, (first, last))
    if not width:
        return 1
    if a.dtype.kind in "iu":
        width = max(width, 1)
        return math.ceil((int(last) - int(first) if range is None else last - first) / width)
    return int(np.ceil((last - first) / width))


def edges_on_host(a, bins, range, weights, function):
    """Return the edges as a NumPy array, and whether they are equally spaced."""
    if isinstance(bins, str):
        if weights is not None:
            raise TypeError(f"{function}: a rule for the bins does not take weights")
        bins = bins_by_rule(a, bins, range, function)
    if np.ndim(bins):
        bins = edges_given(bins, function)
    if np.ndim(bins) > 1:
        raise ValueError(f"{function}: bins must be a number or have one axis, not shape {np.shape(bins)}")
    if np.ndim(bins) == 1:
        edges = bins
        if np.any(edges[:-1] > edges[1:]):
            raise ValueError(f"{function}: the edges must ascend")
        return edges, False
    try:
        bins = index(bins)
    except TypeError:
        raise TypeError(f"{function}: bins must be an integer, a name or a sequence, not {bins!r}") from None
    if bins < 1:
        raise ValueError(f"{function}: the number of bins must be positive, it is {bins}")
    first, last = outer_edges(a, range, function)
    dtype = np.result_type(first, last, np.empty(0, a.dtype))
    dtype = np.result_type(dtype, float) if dtype.kind in "iu" else dtype
    edges = np.linspace(first, last, bins + 1, dtype=dtype)
    if np.any(edges[:-1] >= edges[1:]):
        raise ValueError(f"{function}: between {first} and {last} there is no room for {bins} bins")
    return edges, True


def edges_given(bins, function):
    """Return edges as a NumPy array of numbers; TypeError if they are not numbers."""
    edges = host_values(bins, function)
    if edges.dtype.kind not in "biufcV":
        raise TypeError(f"{function}: the edges must be numbers, not {edges.dtype}")
    return edges


def flat_data(a, weights, function):
    """Return data and weights flattened; bools as numbers."""
    a, weights = as_arrays(function, a, optional=(weights,))
    if a.dtype.kind == "c":
        raise TypeError(f"{function}: complex numbers do not fall into bins")
    if a.dtype.kind == "b":
        warnings.warn(f"{function}: bools are counted as uint8", RuntimeWarning, stacklevel=3)
        a = a.astype(np.uint8)
    if weights is not None:
        if weights.shape != a.shape:
            raise ValueError(f"{function}: weights have shape {weights.shape}, the data {a.shape}")
        weights = weights.ravel()
    return a.ravel(), weights


def histogram_bin_edges(a, bins=10, range=None, weights=None):
    """Return the bin edges of `histogram`.

    Parameters
    ----------
    a : array_like
        Real.
    bins : int, str or array_like
        As of `histogram`.
    range : (float, float), optional
        As of `histogram`.
    weights : array_like, optional
        Checked, but not used.

    Returns
    -------
    ndarray

    Raises
    ------
    TypeError, ValueError
        As of `histogram`.

    See Also
    --------
    numpy.histogram_bin_edges

    Examples
    --------
    >>> import cuarray as ca
    >>> ca.histogram_bin_edges([0, 1, 2, 4], bins=4)
    array([0., 1., 2., 3., 4.])
    """
    a, weights = flat_data(a, weights, "histogram_bin_edges")
    return as_array(edges_on_host(a, bins, range, weights, "histogram_bin_edges")[0], a.device)


def histogram(a, bins=10, range=None, density=None, weights=None):
    """Compute the histogram of an array.

    Parameters
    ----------
    a : array_like
        Real; flattened.
    bins : int, str or array_like
        The number of bins of equal width; or the edges, ascending; or a rule for their number: 'auto',
        'doane', 'fd', 'rice', 'scott', 'sqrt', 'stone' or 'sturges'.
    range : (float, float), optional
        The outer edges of bins of equal width; by default the smallest and the largest element.
    density : bool, optional
        Whether to divide by the bins' widths and the sum, so that the integral is 1.
    weights : array_like, optional
        Weight of each element, of the shape of `a`.

    Returns
    -------
    tuple of two ndarray
        The counts, int64, or of the weights' type, or float64 for a density; and the edges, one more. A bin
        includes its lower edge, the last one also its upper edge.

    Raises
    ------
    TypeError
        If the data is complex, or a rule is combined with weights.
    ValueError
        If the bins, the range or the weights are invalid.

    See Also
    --------
    numpy.histogram

    Examples
    --------
    >>> import cuarray as ca
    >>> ca.histogram([1, 2, 1, 4], bins=3)
    (array([2, 1, 1]), array([1., 2., 3., 4.]))
    """
    a, weights = flat_data(a, weights, "histogram")
    edges, is_equal = edges_on_host(a, bins, range, weights, "histogram")
    on_device = as_array(edges, a.device)
    if edges.dtype.kind == "f" and np.isnan(edges).any():
        counts = count_sorted(a, on_device, weights)
    else:
        counts = count_between(a, on_device, is_equal, weights)
    if density:
        widths = as_array(np.diff(edges).astype(float), a.device)
        return counts / widths / counts.sum(), on_device
    return counts, on_device


def count_sorted(a, edges, weights):
    """Return what `count_between` does, for edges that may be NaN, which comes after all numbers."""
    order = None if weights is None else argsort(a)
    a = sort(a) if weights is None else a[order]
    places = searchsorted(a, edges)
    places[-1:] = searchsorted(a, edges[-1:], side="right")
    if weights is None:
        return diff(places)
    wide = np.dtype({"c": np.complex128, "f": np.float64, "V": np.float64}.get(weights.dtype.kind, np.int64))
    sums = concat((zeros(1, wide, device=a.device), cumulative_sum(weights[order], dtype=wide)))
    return diff(sums[places]).astype(weights.dtype, copy=False)


def count_between(a, edges, is_equal, weights):
    """Return the counts of elements between edges, or the sums of their weights in the weights' type."""
    bins = max(edges.size - 1, 0)
    dtype = _core.result_type(a, edges)
    if dtype.kind in "fV":
        dtype = np.dtype(np.float64 if dtype.itemsize == 8 else np.float32)
    elif dtype != np.uint64:
        dtype = np.dtype(np.int64)
    values, edges = a.astype(dtype, copy=False), edges.astype(dtype, copy=False)

    def counts(weights):
        return _core.histogram(values, edges, is_equal, weights, bins, "histogram")

    if weights is None:
        return counts(None)
    if weights.dtype.kind == "c":
        of_real = counts(real(weights).astype(np.float64))
        of_imag = counts(imag(weights).astype(np.float64))
        return (of_real + of_imag * 1j).astype(weights.dtype, copy=False)
    sums = counts(weights.astype(np.float64, copy=False))
    if weights.dtype.kind in "iu" and weights.dtype.itemsize < 8:
        sums = sums.astype(np.int64)  # which wraps around where float64 saturates
    return sums.astype(weights.dtype, copy=False)


def histogram2d(x, y, bins=10, range=None, density=None, weights=None):
    """Compute the two-dimensional histogram of points.

    Parameters
    ----------
    x, y : array_like
        The points' coordinates, one axis each.
    bins : int, array_like, or two of them
        As of `histogram`, for both coordinates or for each.
    range : array_like, optional
        Of shape (2, 2), the outer edges for each coordinate.
    density : bool, optional
        Whether to divide by the rectangles' areas and the sum.
    weights : array_like, optional
        Weight of each point.

    Returns
    -------
    tuple of ndarray
        The counts, float64, by x and y, and the edges of both.

    Raises
    ------
    ValueError
        If lengths, bins, range or weights are invalid.

    See Also
    --------
    numpy.histogram2d

    Examples
    --------
    >>> import cuarray as ca
    >>> ca.histogram2d([1, 2, 3], [1, 2, 1], bins=2)[0]
    array([[1., 0.],
           [1., 1.]])
    """
    x, y = as_arrays("histogram2d", x, y)
    if x.ndim != 1 or x.shape != y.shape:
        raise ValueError(f"histogram2d: x and y must have as many points, not shapes {x.shape} and {y.shape}")
    both = not hasattr(bins, "__len__") or len(bins) in (1, 2)
    counts, (first, second) = histogramdd([x, y], bins if both else [bins, bins], range, density, weights)
    return counts, first, second


def histogramdd(sample, bins=10, range=None, density=None, weights=None):
    """Compute the multi-dimensional histogram of points.

    Parameters
    ----------
    sample : array_like
        The points, of shape (n, d); or a sequence of d arrays of n coordinates.
    bins : int or sequence
        The number of bins of equal width for all coordinates, or for each coordinate the number or the edges.
    range : sequence, optional
        For each coordinate the outer edges, or None.
    density : bool, optional
        Whether to divide by the boxes' volumes and the sum.
    weights : array_like, optional
        Weight of each point.

    Returns
    -------
    tuple
        The counts, float64, of one axis for each coordinate, and a list of the edges.

    Raises
    ------
    TypeError
        If a number of bins is not an integer.
    ValueError
        If bins, range or weights are invalid.

    See Also
    --------
    numpy.histogramdd

    Examples
    --------
    >>> import cuarray as ca
    >>> counts, edges = ca.histogramdd([[1, 2, 3], [4, 5, 6]], bins=(2, 2))
    >>> counts
    array([[1., 0.],
           [0., 2.]])
    """
    *columns, weights = as_arrays("histogramdd", *columns_of(sample), optional=(weights,))
    common = _core.result_type(*columns)
    columns = [x.astype(common, copy=False) for x in columns]
    d, device = len(columns), columns[0].device
    bins = list(bins) if has_entries(bins) else [bins] * d
    if not (range is None or np.iterable(range)):
        raise TypeError(f"histogramdd: range must have a pair for each coordinate, not {range!r:.80}")
    ranges = [None] * d if range is None else list(bounded(range, "range", "histogramdd"))
    if len(bins) != d:
        raise ValueError(f"histogramdd: there are {d} coordinates and bins for {len(bins)}")
    if len(ranges) != d:
        raise ValueError(f"histogramdd: there are {d} coordinates and a range for {len(ranges)}")
    edges = [box_edges(*of_one) for of_one in zip(columns, bins, ranges, strict=True)]
    # Two extra bins, below the first edge and above the last, count elements out of range.
    extents = [len(e) + 1 for e in edges]
    if math.prod(extents) > 2**60:
        raise ValueError(f"histogramdd: {extents!r:.80} bins are more than an array can have")
    places = None
    for x, e, extent in zip(columns, edges, extents, strict=True):
        along = as_array(e, device)
        dtype = _core.result_type(x, along)
        x, along = x.astype(dtype, copy=False), along.astype(dtype, copy=False)
        place = searchsorted(along, x, "right") - (x == along[-1:])
        places = place if places is None else places * extent + place
    if weights is not None:
        if weights.shape != places.shape:
            raise ValueError(f"histogramdd: weights have shape {weights.shape}, there are {places.size} points")
        weights = weights.astype(np.float64, casting="safe", copy=False)
    counts = _core.histogram(places, None, False, weights, math.prod(extents), "histogramdd")
    counts = counts.reshape(extents)[(slice(1, -1),) * d].astype(np.float64)
    if density:
        total = counts.sum()
        for i, e in enumerate(edges):
            widths = as_array(np.diff(e), device)
            counts = counts / widths.reshape([-1 if k == i else 1 for k in range_of(d)])
        counts = counts / total
    return counts, [as_array(e, device) for e in edges]


def columns_of(sample):
    """Return the coordinates of points, one array or list each."""
    if not isinstance(sample, list | tuple):
        sample = as_array(sample)
        if sample.ndim > 2:
            raise ValueError(f"histogramdd: points need two axes, the sample has shape {sample.shape}")
        return [sample[:, i] for i in range_of(sample.shape[1])] if sample.ndim == 2 else [sample.reshape(-1)]
    if not sample:
        raise ValueError("histogramdd: the sample is empty")
    return [sample] if np.ndim(sample[0]) == 0 else list(sample)


def box_edges(x, bins, range):
    """Return the edges along one coordinate as a NumPy array."""
    bins = bins.numpy() if isinstance(bins, ndarray) else bins
    if np.ndim(bins) == 0 and not isinstance(bins, str):
        if np.asarray(bins).dtype.kind in "biuf" and bins < 1:
            raise ValueError(f"histogramdd: the number of bins must be positive, it is {bins}")
        count = integer(bins, "the number of bins", "histogramdd")
        return np.linspace(*outer_edges(x, range, "histogramdd"), count + 1)
    if np.ndim(bins) != 1:
        raise ValueError("histogramdd: bins must be a number or have one axis")
    edges = edges_given(bins, "histogramdd")
    if np.any(edges[:-1] > edges[1:]):
        raise ValueError("histogramdd: the edges must ascend")
    return edges
