"""Insertion and deletion of elements."""

import numpy as np

from cuarray import _core
from cuarray._arguments.axes import normalise_axes
from cuarray._arguments.operands import WEAK, as_arrays, values_for
from cuarray._core import ndarray
from cuarray._functions.creation import as_array
from cuarray._functions.reductions import any

__all__ = ["delete", "insert", "trim_zeros"]


def delete(arr, obj, axis=None):
    """Return an array without some of its elements.

    Parameters
    ----------
    arr : array_like
    obj : int, slice, array_like of int or bool
        The positions to remove along the axis. The call waits for the values of an array.
    axis : int, optional
        By default the flattened array is used.

    Returns
    -------
    ndarray
        A new array.

    Raises
    ------
    IndexError
        If an index is out of bounds or not an integer.
    ValueError
        If a mask has another length than the axis.
    AxisError
        If the axis does not exist.

    See Also
    --------
    numpy.delete

    Examples
    --------
    >>> import cuarray as ca
    >>> ca.delete([[1, 2, 3], [4, 5, 6]], 1, axis=1)
    array([[1, 3],
           [4, 6]])
    """
    return _core.delete(arr, obj, axis)


def insert(arr, obj, values, axis=None):
    """Return an array with values inserted before some of its elements.

    Parameters
    ----------
    arr : array_like
    obj : int, slice, array_like of int or bool
        The positions along the axis, as indices of `arr`; of a mask, the true elements. The call waits
        for the values of an array.
    values : array_like
        Broadcast to the inserted positions, and converted to the type of `arr`.
    axis : int, optional
        By default the flattened array is used.

    Returns
    -------
    ndarray
        A new array.

    Raises
    ------
    IndexError
        If an index is out of bounds, or positions are not integers; TypeError for a single one.
    ValueError
        If positions have several axes, or the values do not fit.
    AxisError
        If the axis does not exist.

    See Also
    --------
    numpy.insert

    Examples
    --------
    >>> import cuarray as ca
    >>> ca.insert([1, 2, 3], [1, 1], [8, 9])
    array([1, 8, 9, 2, 3])
    """
    arr, beside = as_arrays("insert", arr, values)
    is_read = isinstance(values, (*WEAK, list, tuple)) and not isinstance(values, ndarray)
    values = values_for(arr, values if is_read else beside, "insert")
    return _core.insert(arr, obj, values.astype(arr.dtype, copy=False), axis)


def trim_zeros(filt, trim="fb", axis=None):
    """Remove zeros from the ends of an array, along some axes or all.

    Parameters
    ----------
    filt : array_like
    trim : str
        'f' trims the front, 'b' the back, 'fb' both.
    axis : int or tuple of int, optional
        Trim slices of these axes that are all zeros; by default along all axes.

    Returns
    -------
    ndarray or list
        A view; a list if `filt` is a list. The call waits for the values.

    Raises
    ------
    ValueError
        If `trim` has other letters.
    AxisError
        If an axis does not exist.

    See Also
    --------
    numpy.trim_zeros

    Examples
    --------
    >>> import cuarray as ca
    >>> ca.trim_zeros(ca.asarray([0, 0, 1, 0, 2, 0]))
    array([1, 0, 2])
    """
    if not isinstance(trim, str):
        raise TypeError(f"trim_zeros: trim must be a string, not {type(trim).__name__}")
    trim = trim.lower()
    if trim not in ("fb", "bf", "f", "b"):
        raise ValueError(f"trim_zeros: unexpected character(s) in `trim`: {trim!r}")
    array = as_array(filt)
    axes = range(array.ndim) if axis is None else normalise_axes(axis, array, "trim_zeros")
    key = [slice(None)] * array.ndim
    for one in axes:
        key[one] = nonzero_part(any(array, tuple(i for i in range(array.ndim) if i != one)).numpy(), trim)
    return filt[key[0]] if isinstance(filt, list | tuple) and array.ndim == 1 else array[(*key, ...)]


def nonzero_part(used, trim):
    """Return the slice from the first to the last true element, open on a side that is not trimmed."""
    places = np.flatnonzero(used)
    if places.size == 0:
        return slice(0, 0)
    return slice(places[0] if "f" in trim else None, places[-1] + 1 if "b" in trim else None)
