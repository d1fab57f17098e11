"""Insertion, deletion and appending of elements."""

import numpy as np

from cuarray import _core
from cuarray._arguments.axes import normalise_axes, normalise_axis, shape_tuple
from cuarray._arguments.operands import WEAK, as_arrays, host_values, values_for
from cuarray._core import ndarray
from cuarray._functions.creation import as_array, empty
from cuarray._functions.joining import concat
from cuarray._functions.reductions import any
from cuarray._functions.shaping import moveaxis

__all__ = ["append", "delete", "insert", "resize", "trim_zeros"]


@_core.with_fast_path
def append(arr, values, axis=None):
    """Join two arrays; without an axis, both flattened.

    Parameters
    ----------
    arr, values : array_like
        Equal in every extent except that of `axis`.
    axis : int, optional

    Returns
    -------
    ndarray
        A new array.

    Raises
    ------
    ValueError
        If the shapes do not fit.
    AxisError
        If the axis does not exist.

    See Also
    --------
    numpy.append

    Examples
    --------
    >>> import cuarray as ca
    >>> ca.append([1, 2], [[3], [4]])
    array([1, 2, 3, 4])
    """
    # concat treats Python numbers as weak scalars; here they are arrays.
    arr, values = as_arrays("append", arr, values)
    return concat((arr, values), axis)


def one_axis(arr, axis, function):
    """Return an array and the axis to edit; the flattened array if the axis is None."""
    arr = as_array(arr)
    if axis is None:
        return arr.ravel(), 0
    return arr, normalise_axis(axis, arr, function)


def host_indices(obj):
    """Return the selected elements as a NumPy array; an empty list counts as integers."""
    indices = host_values(obj, "index")
    is_array = isinstance(obj, ndarray | np.ndarray)
    return indices.astype(np.intp) if indices.size == 0 and not is_array else indices


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
    arr, axis = one_axis(arr, axis, "delete")
    extent = arr.shape[axis]
    before = (slice(None),) * axis
    if not isinstance(obj, slice):
        obj = host_indices(obj)
        if obj.size == 1 and obj.dtype.kind in "iu":
            # A single element is handled as a slice, for any shape of `obj`.
            place = obj.item()
            if not -extent <= place < extent:
                raise IndexError(f"delete: index {place} is out of bounds for axis {axis} with size {extent}")
            place %= extent
            obj = slice(place, place + 1)
        elif obj.dtype.kind == "b" and obj.shape != (extent,):
            raise ValueError(f"delete: a mask of shape {obj.shape} does not go with {extent} elements")
    if isinstance(obj, slice):
        gone = range(extent)[obj]
        if len(gone) == 0:
            return arr.copy("K")
        if abs(gone.step) == 1:
            low, high = sorted((gone[0], gone[-1]))
            return concat((arr[(*before, slice(low))], arr[(*before, slice(high + 1, None))]), axis)
    keep = np.ones(extent, bool)
    keep[obj] = False
    return _core.take(arr, as_array(np.flatnonzero(keep), arr.device), axis)


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
    values = values_for(arr, values if isinstance(values, (*WEAK, list, tuple)) else beside, "insert")
    arr, axis = one_axis(arr, axis, "insert")
    extent = arr.shape[axis]
    if type(obj) is int and -extent <= obj <= extent:
        values = moveaxis(with_axes_before(values.astype(arr.dtype, copy=False), arr.ndim), 0, axis)
        return with_gap(arr, obj + extent * (obj < 0), values.shape[axis], values, axis)
    places = np.arange(extent)[obj] if isinstance(obj, slice) else host_indices(obj)
    if places.dtype.kind == "b":
        if places.ndim != 1:
            raise ValueError(f"insert: a mask must have one axis, not {places.ndim}")
        places = np.flatnonzero(places)
    if places.ndim > 1:
        raise ValueError(f"insert: positions must have one axis, not {places.ndim}")
    if places.dtype.kind not in "iu":
        kind = TypeError if places.size == 1 else IndexError
        raise kind(f"insert: positions must be integers, not {places.dtype}")
    if places.size and not -extent <= places.min() <= places.max() <= extent:
        outside = places[(places < -extent) | (places > extent)].flat[0]
        raise IndexError(f"insert: index {outside} is out of bounds for axis {axis} with size {extent}")
    places = np.where(places < 0, places + extent, places)
    values = with_axes_before(values.astype(arr.dtype, copy=False), arr.ndim)
    if places.ndim == 0:
        values = moveaxis(values, 0, axis)
    if places.size == 1:
        places = np.repeat(places.reshape(1), values.shape[axis])
    order = np.argsort(places, kind="stable")
    target = np.empty_like(places)
    target[order] = places[order] + np.arange(places.size)
    return with_values(arr, target, values, axis)


def with_axes_before(x, ndim):
    """Return a view with axes of length 1 at the front, of so many axes; the array if it has them."""
    return x.reshape((1,) * (ndim - x.ndim) + x.shape)


def with_gap(arr, first, count, values, axis):
    """Return `arr` with `values` at `count` positions from `first` on, and its own elements before and after."""
    shape = (*arr.shape[:axis], arr.shape[axis] + count, *arr.shape[axis + 1 :])
    result = empty(shape, arr.dtype, device=arr.device)
    before = (slice(None),) * axis
    result[(*before, slice(first))] = arr[(*before, slice(first))]
    result[(*before, slice(first, first + count))] = values
    result[(*before, slice(first + count, None))] = arr[(*before, slice(first, None))]
    return result


def with_values(arr, target, values, axis):
    """Return `arr` with `values` at positions `target` of the result, and its own elements at all others."""
    first = int(target[0]) if target.size else 0
    if np.array_equal(target, np.arange(first, first + target.size)):
        return with_gap(arr, first, target.size, values, axis)
    shape = (*arr.shape[:axis], arr.shape[axis] + target.size, *arr.shape[axis + 1 :])
    result = empty(shape, arr.dtype, device=arr.device)
    before = (slice(None),) * axis
    old = np.ones(shape[axis], bool)
    old[target] = False
    result[(*before, as_array(target, arr.device))] = values
    result[(*before, as_array(np.flatnonzero(old), arr.device))] = arr
    return result


def resize(a, new_shape):
    """Return an array of another shape, with the elements repeated in C order as needed.

    Parameters
    ----------
    a : array_like
    new_shape : int or tuple of int

    Returns
    -------
    ndarray
        A new array; zeros where `a` has no elements.

    Raises
    ------
    ValueError
        If an extent is negative.

    See Also
    --------
    numpy.resize

    Examples
    --------
    >>> import cuarray as ca
    >>> ca.resize([1, 2, 3], (2, 4))
    array([[1, 2, 3, 1],
           [2, 3, 1, 2]])
    """
    a = as_array(a).ravel()
    shape = shape_tuple(new_shape, "new_shape", "resize")
    result = empty(shape, a.dtype, device=a.device)
    if a.size == 0:
        result[...] = 0
        return result
    flat = result.reshape(-1)
    whole = flat.size // a.size
    flat[: whole * a.size].reshape(whole, a.size)[...] = a
    flat[whole * a.size :] = a[: flat.size - whole * a.size]
    return result


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
