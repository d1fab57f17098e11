"""Sorting, partitioning and searching."""

import numpy as np

from cuarray import _core
from cuarray._arguments.axes import integer, normalise_axis
from cuarray._arguments.operands import as_arrays, host_values, word
from cuarray._arguments.ufuncs import less, not_equal
from cuarray._core import ndarray
from cuarray._functions.creation import as_array

__all__ = [
    "argpartition",
    "argsort",
    "digitize",
    "lexsort",
    "partition",
    "searchsorted",
    "sort",
    "sort_complex",
    "top_k",
]


def check_kind(kind, order, stable, function):
    """Raise ValueError where NumPy would; every kind is the same stable sort in cuarray."""
    if order is not None:
        raise ValueError(f"{function}: cannot specify order when the array has no fields")
    if kind is not None and not isinstance(kind, str):
        raise TypeError(f"{function}: kind must be a string, not {kind!r}")
    if kind is not None and stable is not None:
        raise ValueError(f"{function}: kind and stable cannot both be given")
    if kind is not None and kind[:1].lower() not in {"q", "h", "m", "s"}:
        kinds = "'quicksort', 'heapsort', 'mergesort' or 'stable'"
        raise ValueError(f"{function}: kind must be {kinds}, not {kind!r}")


def along(a, axis, function):
    """Return an array and the normalized axis to sort along; flattened if the axis is None."""
    a = as_array(a)
    return (a.ravel(), 0) if axis is None else (a, normalise_axis(axis, a, function))


def with_an_axis(a):
    """Return an array of at least one axis; a 0-d array as one element."""
    a = as_array(a)
    return a if a.ndim else a.reshape(1)


@_core.with_fast_path
def sort(a, axis=-1, kind=None, order=None, *, stable=None, descending=False):
    """Return a sorted copy.

    The sort is always stable: equal elements keep their order. It needs temporary memory of the size of the
    result; twice as much along another axis than the last.

    Parameters
    ----------
    a : array_like
    axis : int or None
        None sorts the flattened array.
    kind : {'quicksort', 'heapsort', 'mergesort', 'stable'}, optional
        Accepted for NumPy compatibility; all are the same stable sort.
    order : None
        Accepted for NumPy compatibility.
    stable : bool, optional
        Accepted for NumPy compatibility.
    descending : bool
        Whether to sort in descending order.

    Returns
    -------
    ndarray
        Of the type and shape of `a`. NaN is last in either direction; complex numbers are ordered by their
        real parts, then by their imaginary parts.

    Raises
    ------
    AxisError
        If the axis does not exist.
    ValueError
        If `kind` is unknown, or given together with `stable`.

    See Also
    --------
    numpy.sort

    Examples
    --------
    >>> import cuarray as ca
    >>> ca.sort([[3, 1, 2], [0, 5, 4]])
    array([[1, 2, 3],
           [0, 4, 5]])
    >>> ca.sort([1.0, ca.nan, 2.0], descending=True)
    array([ 2.,  1., nan])
    """
    check_kind(kind, order, stable, "sort")
    return _core.sort(*along(a, axis, "sort"), bool(descending))


@_core.with_fast_path
def argsort(a, axis=-1, kind=None, order=None, *, stable=None, descending=False):
    """Return the indices that sort an array.

    The sort is stable. It needs temporary memory of the size of the result; twice as much along another axis
    than the last.

    Parameters
    ----------
    a : array_like
    axis : int or None
        None sorts the flattened array.
    kind : {'quicksort', 'heapsort', 'mergesort', 'stable'}, optional
        Accepted for NumPy compatibility; all are the same stable sort.
    order : None
        Accepted for NumPy compatibility.
    stable : bool, optional
        Accepted for NumPy compatibility.
    descending : bool
        Whether to sort in descending order.

    Returns
    -------
    ndarray
        int64, of the shape of `a`.

    Raises
    ------
    AxisError
        If the axis does not exist.
    ValueError
        If `kind` is unknown, or given together with `stable`.

    See Also
    --------
    numpy.argsort

    Examples
    --------
    >>> import cuarray as ca
    >>> ca.argsort([30, 10, 20])
    array([1, 2, 0])
    """
    check_kind(kind, order, stable, "argsort")
    return _core.argsort(*along(with_an_axis(a), axis, "argsort"), bool(descending))


def ranks_of(kth, size, kind, order, function):
    """Return the positions of `kth`, ascending; TypeError or ValueError if it is invalid."""
    if order is not None:
        raise ValueError(f"{function}: cannot specify order when the array has no fields")
    word(kind, ("introselect",), "kind", function)
    places = host_values(kth, function)
    if places.ndim > 1:
        raise ValueError(f"{function}: kth is a place or a sequence of places, not of shape {places.shape}")
    if places.dtype.kind == "b":
        raise ValueError(f"{function}: kth holds places, not bools")
    if places.dtype.kind not in "iu":
        raise TypeError(f"{function}: kth holds integers, not {places.dtype}")
    places = places.reshape(-1).tolist() if size else []
    for place in places:
        if not -size <= place < size:
            raise ValueError(f"{function}: kth {place} is out of bounds for size {size}")
    return sorted({place % size for place in places})


@_core.with_fast_path
def partition(a, kth, axis=-1, kind="introselect", order=None, *, descending=False):
    """Return a partitioned copy: the elements at the positions `kth` are those of the sorted array.

    Smaller elements are before such a position, larger ones after it.

    Parameters
    ----------
    a : array_like
    kth : int or sequence of int
        The positions; negative ones count from the end.
    axis : int or None
        None partitions the flattened array.
    kind : {'introselect'}
        Accepted for NumPy compatibility.
    order : None
        Accepted for NumPy compatibility.
    descending : bool
        Whether the larger elements are before the position.

    Returns
    -------
    ndarray
        Of the type and shape of `a`.

    Raises
    ------
    AxisError
        If the axis does not exist.
    TypeError
        If a position is not an integer.
    ValueError
        If a position is out of bounds.

    See Also
    --------
    numpy.partition

    Examples
    --------
    >>> import cuarray as ca
    >>> x = ca.partition([7, 1, 9, 3, 5], 2)
    >>> x[2]
    np.int64(5)
    """
    a, axis = along(a, axis, "partition")
    ranks = ranks_of(kth, a.shape[axis], kind, order, "partition")
    return _core.partition(a, axis, ranks, bool(descending), "partition")


@_core.with_fast_path
def argpartition(a, kth, axis=-1, kind="introselect", order=None, *, descending=False):
    """Return the indices that partition an array.

    Parameters
    ----------
    a : array_like
    kth : int or sequence of int
        The positions; negative ones count from the end.
    axis : int or None
        None partitions the flattened array.
    kind : {'introselect'}
        Accepted for NumPy compatibility.
    order : None
        Accepted for NumPy compatibility.
    descending : bool
        Whether the larger elements are before the position.

    Returns
    -------
    ndarray
        int64, of the shape of `a`.

    Raises
    ------
    AxisError
        If the axis does not exist.
    TypeError
        If a position is not an integer.
    ValueError
        If a position is out of bounds.

    See Also
    --------
    numpy.argpartition

    Examples
    --------
    >>> import cuarray as ca
    >>> ca.argpartition([7, 1, 9, 3, 5], 2)[2]
    np.int64(4)
    """
    a, axis = along(with_an_axis(a), axis, "argpartition")
    ranks = ranks_of(kth, a.shape[axis], kind, order, "argpartition")
    return _core.argpartition(a, axis, ranks, bool(descending), "argpartition")


@_core.with_fast_path
def lexsort(keys, axis=-1):
    """Return the indices that sort by several keys: by the last one, then by the one before it, and so on.

    Parameters
    ----------
    keys : array_like or sequence of array_like
        Of one shape.
    axis : int

    Returns
    -------
    ndarray
        int64, of the shape of one key.

    Raises
    ------
    TypeError
        If there are no keys.
    ValueError
        If the shapes differ.
    AxisError
        If the axis does not exist.

    See Also
    --------
    numpy.lexsort

    Examples
    --------
    >>> import cuarray as ca
    >>> surname, name = [2, 1, 1], [5, 9, 3]
    >>> ca.lexsort([name, surname])
    array([2, 1, 0])
    """
    if isinstance(keys, ndarray):
        keys = [keys[i, ...] for i in range(keys.shape[0])] if keys.ndim else []
    elif not hasattr(keys, "__len__"):
        keys = []
    keys, axis = as_arrays("lexsort", *keys), integer(axis, "axis", "lexsort")
    if not keys:
        raise TypeError("lexsort: a sequence of at least one key is needed")
    if keys[0].ndim == 0 and all(key.ndim == 0 for key in keys):
        if axis not in (0, -1):
            raise np.exceptions.AxisError(axis, 0, "lexsort")
        return _core.as_value(as_array(np.int64(0), keys[0].device))
    return _core.lexsort(keys, normalise_axis(axis, keys[0].ndim, "lexsort"))


def sort_complex(a):
    """Return a sorted copy along the last axis, of a complex type.

    Parameters
    ----------
    a : array_like

    Returns
    -------
    ndarray
        complex64 for integers of at most 16 bits, complex128 for all other types that are not complex.

    Raises
    ------
    AxisError
        If the array has no axis.

    See Also
    --------
    numpy.sort_complex

    Examples
    --------
    >>> import cuarray as ca
    >>> ca.sort_complex([3, 1 + 2j, 1])
    array([1.+0.j, 1.+2.j, 3.+0.j])
    """
    result = sort(a)
    if result.dtype.kind == "c":
        return result
    small = result.dtype.kind in "iu" and result.dtype.itemsize <= 2
    return result.astype(np.complex64 if small else np.complex128)


def top_k(a, k, /, *, axis=-1, largest=True, sorted=True):
    """Return the largest or smallest elements along an axis, and their positions.

    Parameters
    ----------
    a : array_like
    k : int
        The number of elements; at most the length of the axis.
    axis : int or None
        None takes the flattened array.
    largest : bool
        Whether to return the largest or the smallest elements.
    sorted : bool
        Accepted for NumPy compatibility: results are always sorted, with the first of equal elements.

    Returns
    -------
    tuple of ndarray
        The values, with the length `k` along the axis, and their positions, int64. NaN is taken only after
        all other elements.

    Raises
    ------
    AxisError
        If the axis does not exist.
    ValueError
        If `k` is negative or larger than the axis.

    See Also
    --------
    numpy.top_k : of NumPy 2.6

    Examples
    --------
    >>> import cuarray as ca
    >>> ca.top_k([3, 9, 5], 2)
    (array([9, 5]), array([1, 2]))
    """
    k = integer(k, "k", "top_k")
    a, axis = along(a, axis, "top_k")
    if not 0 <= k <= a.shape[axis]:
        raise ValueError(f"top_k: k must be in 0..{a.shape[axis]}, not {k}")
    first = (*(slice(None),) * axis, slice(k))
    places = _core.argpartition(a, axis, [k - 1] if k else [], bool(largest), "top_k")[first]
    values = _core.take_along_axis(a, places, axis)
    order = _core.argsort(values, axis, bool(largest), "top_k")
    return _core.take_along_axis(values, order, axis), _core.take_along_axis(places, order, axis)


def searchsorted(a, v, side="left", sorter=None):
    """Return the positions at which to insert values into a sorted array to keep its order.

    Parameters
    ----------
    a : array_like
        One-dimensional, in ascending order unless `sorter` is given.
    v : array_like
    side : {'left', 'right'}
        Whether a value is inserted before equal elements or after them.
    sorter : array_like of int, optional
        Positions that sort `a`, as of `argsort`; the sorted elements are then copied.

    Returns
    -------
    ndarray
        int64, of the shape of `v`.

    Raises
    ------
    TypeError
        If `sorter` does not hold integers.
    ValueError
        If `a` is not one-dimensional, `side` is unknown, or `sorter` is invalid.

    See Also
    --------
    numpy.searchsorted

    Examples
    --------
    >>> import cuarray as ca
    >>> ca.searchsorted([11, 12, 13, 14], [13, -20, 20])
    array([2, 0, 4])
    """
    if sorter is not None:
        a, v, sorter = as_arrays("searchsorted", a, v, sorter)
        a = sorted_by(a, sorter)
    return _core.search_sorted(a, v, side)


def sorted_by(a, sorter):
    """Return the elements of `a` in the order of `sorter`, which is checked."""
    if a.ndim != 1:
        raise ValueError(f"searchsorted: the sorted array needs one axis, it has shape {a.shape}")
    if sorter.ndim != 1 or sorter.dtype.kind not in "iu":
        raise TypeError(
            f"searchsorted: sorter must have one axis of integers, not {sorter.dtype} of shape {sorter.shape}"
        )
    if sorter.size != a.size:
        raise ValueError(f"searchsorted: sorter has {sorter.size} elements, the array {a.size}")
    if sorter.size and (int(sorter.min()) < 0 or int(sorter.max()) >= a.size):
        raise ValueError(f"searchsorted: sorter holds positions outside 0..{a.size - 1}")
    return _core.take(a, sorter, 0, "clip")


def digitize(x, bins, right=False):
    """Return the indices of the bins to which elements belong.

    Parameters
    ----------
    x : array_like
    bins : array_like
        The edges, one axis, ascending or descending.
    right : bool
        Whether a bin includes its right edge, not its left one.

    Returns
    -------
    ndarray
        int64, of the shape of `x`; for ascending edges `i` where ``bins[i - 1] <= x < bins[i]``, 0 below the
        first edge, ``len(bins)`` above the last.

    Raises
    ------
    TypeError
        If `x` is complex.
    ValueError
        If the edges are neither ascending nor descending.

    See Also
    --------
    numpy.digitize

    Examples
    --------
    >>> import cuarray as ca
    >>> ca.digitize([0.2, 6.4, 3.0], [0.0, 1.0, 2.5, 4.0])
    array([1, 4, 3])
    """
    x, bins = as_arrays("digitize", x, bins)
    if "c" in (x.dtype.kind, bins.dtype.kind):
        raise TypeError("digitize: x and bins must be real")
    if bins.ndim != 1:
        raise ValueError(f"digitize: the edges need one axis, they have shape {bins.shape}")
    side = "left" if right else "right"
    if ascend(bins):
        return searchsorted(bins, x, side)
    if bool((bins[1:] != bins[1:]).any()):  # a NaN behind others: no order, so that only NumPy's steps find its places
        places = as_array(np.digitize(x.numpy(), bins.numpy(), right), x.device)
        return places if x.ndim else _core.as_value(places)
    return bins.size - searchsorted(bins[::-1], x, side)


def ascend(edges):
    """Return whether edges ascend, or are all equal; ValueError if they neither ascend nor descend.

    As in NumPy, edges descend unless the first that differs is greater, which a NaN never is.
    """
    before, after = edges[:-1], edges[1:]
    changes = not_equal(before, after)
    first = int(changes.argmax()) if changes.size else 0
    ascends = not changes.size or not bool(changes[first]) or bool(before[first] < after[first])
    if bool((less(after, before) if ascends else less(before, after)).any()):
        raise ValueError("digitize: the edges must ascend or descend")
    return ascends
