"""Sorting of complex numbers, and the largest elements."""

import numpy as np

from cuarray._arguments.axes import integer, normalise_axis
from cuarray._arguments.functions import argpartition, argsort, sort, take_along_axis
from cuarray._functions.creation import as_array

__all__ = ["sort_complex", "top_k"]


def along(a, axis, function):
    """Return an array and the normalized axis to sort along; flattened if the axis is None."""
    a = as_array(a)
    return (a.ravel(), 0) if axis is None else (a, normalise_axis(axis, a, function))


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
    places = argpartition(a, max(k - 1, 0), axis, descending=largest)[first]
    values = take_along_axis(a, places, axis)
    order = argsort(values, axis, descending=largest)
    return take_along_axis(values, order, axis), take_along_axis(places, order, axis)
