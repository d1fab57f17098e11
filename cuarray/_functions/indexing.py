"""Indexing functions: elements selected by positions and by masks, read and written."""

import numpy as np

from cuarray import _core
from cuarray._arguments.axes import normalise_axis
from cuarray._arguments.functions import broadcast_shapes, broadcast_to, full
from cuarray._arguments.operands import (
    WEAK,
    arrays_and_numbers,
    as_arrays,
    index_array,
    members,
    rule_outside,
    target,
    values_for,
    write_output,
)
from cuarray._arguments.ufuncs import maximum, minimum, where
from cuarray._core import ndarray
from cuarray._functions.creation import as_array
from cuarray._functions.sequences import arange
from cuarray._runtime.fuse import fused_call

__all__ = [
    "argwhere",
    "choose",
    "compress",
    "extract",
    "flatnonzero",
    "nonzero",
    "place",
    "put",
    "put_along_axis",
    "putmask",
    "select",
    "take",
    "take_along_axis",
]


def positions(result, given, function):
    """Return given indices as an integer array; TypeError if they are not integers."""
    if result.size == 0 and not isinstance(given, (ndarray, np.ndarray)):
        result = result.astype(np.int64)  # an empty list has no type
    if result.dtype.kind == "b":
        result = result.astype(np.int64)
    if result.dtype.kind not in "iu":
        raise TypeError(f"{function}: indices must be integers, not {result.dtype}")
    return result


def cycle(values, count):
    """Return `count` elements of a one-dimensional array, repeated cyclically."""
    if values.size in (1, count):
        return values
    if values.size > count:
        return values[:count]
    return _core.take(values, arange(count, device=values.device), 0, "wrap")


# By positions.


@_core.with_fast_path
def take(a, indices, axis=None, out=None, mode="raise"):
    """Return elements along an axis.

    Parameters
    ----------
    a : array_like
    indices : array_like of int
        Positions, of any shape; negative ones count from the end.
    axis : int, optional
        By default the flattened array is used.
    out : ndarray, optional
        Output array.
    mode : {'raise', 'wrap', 'clip'}
        How to treat an out-of-bounds position: an error, the remainder, or the nearest position ('clip':
        negative ones become 0).

    Returns
    -------
    ndarray
        Of shape ``a.shape[:axis] + indices.shape + a.shape[axis + 1:]``.

    Raises
    ------
    IndexError
        If an index is out of bounds; on a GPU at the next synchronisation.
    TypeError
        If the indices are not integers.

    See Also
    --------
    numpy.take

    Examples
    --------
    >>> import cuarray as ca
    >>> ca.take([4, 3, 5, 7], [[0, -1], [1, 1]])
    array([[4, 7],
           [3, 3]])
    """
    a, places = as_arrays("take", a, index_array(indices, a))
    places = positions(places, indices, "take")
    if axis is None:
        return _core.take(a.ravel(), places, 0, mode, out)
    if a.ndim == 0:
        a = a.reshape(1)
    return _core.take(a, places, normalise_axis(axis, a.ndim, "take"), mode, out)


def put(a, ind, v, mode="raise"):
    """Store values at positions of the flattened array.

    Parameters
    ----------
    a : ndarray
        Written.
    ind : array_like of int
        Positions in C order; for repeated ones the last value is stored.
    v : array_like
        Repeated if there are fewer values than positions.
    mode : {'raise', 'wrap', 'clip'}
        How to treat an out-of-bounds position.

    Raises
    ------
    IndexError
        If an index is out of bounds; on a GPU at the next synchronisation.

    See Also
    --------
    numpy.put

    Examples
    --------
    >>> import cuarray as ca
    >>> x = ca.zeros(5, dtype=int)
    >>> ca.put(x, [0, 2, 4], [7, 8])
    >>> x
    array([7, 0, 8, 0, 7])
    """
    a = target(a, "put")
    places = countable(positions(_core.beside(index_array(ind, a), a, "put"), ind, "put")).ravel()
    values = values_for(a, v, "put").ravel()
    mode = rule_outside(mode, "put")
    if places.size and a.size == 0:
        raise IndexError(f"put: no positions in an empty array of shape {a.shape}")
    if places.size == 0 or values.size == 0:
        return
    if mode == "wrap":
        places = places % a.size
    elif mode == "clip":
        places = minimum(maximum(places, 0), a.size - 1)
    elements_at(a, places, cycle(values, places.size))


def countable(places):
    """Return positions in a type that can hold the extents they are divided by."""
    return places if places.dtype.itemsize == 8 else places.astype(np.int64)


def elements_at(a, places, values):
    """Store values at positions of the flattened array, of any layout."""
    if a.flags.c_contiguous:
        a.reshape(-1)[places] = values
        return
    # An out-of-bounds index must stay out of bounds, so the last quotient is not wrapped.
    places, coordinates = countable(places), []
    for extent in reversed(a.shape[1:]):
        coordinates.append(places % extent)
        places = places // extent
    a[(places, *reversed(coordinates))] = values


def take_along_axis(arr, indices, axis=-1):
    """Return elements along an axis by matching 1-d slices of indices and data.

    Parameters
    ----------
    arr : array_like
    indices : array_like of int
        With as many axes as `arr`; axes other than `axis` broadcast.
    axis : int or None
        With None both are flattened first.

    Returns
    -------
    ndarray

    Raises
    ------
    IndexError
        If an index is out of bounds (on a GPU at the next synchronisation), shapes do not broadcast, or the
        indices are not integers.

    See Also
    --------
    numpy.take_along_axis

    Examples
    --------
    >>> import cuarray as ca
    >>> x = ca.asarray([[30, 10, 20], [60, 40, 50]])
    >>> ca.take_along_axis(x, x.argmax(axis=1, keepdims=True), axis=1)
    array([[30],
           [60]])
    """
    arr, indices = as_arrays("take_along_axis", arr, index_array(indices, arr))
    if axis is None:
        arr, axis = arr.ravel(), 0
    axis = normalise_axis(axis, arr.ndim, "take_along_axis")
    return _core.take_along_axis(arr, along(indices, "take_along_axis"), axis)


def put_along_axis(arr, indices, values, axis):
    """Store values along an axis by matching 1-d slices of indices and data.

    Parameters
    ----------
    arr : ndarray
        Written.
    indices : array_like of int
        With as many axes as `arr`; axes other than `axis` broadcast. For repeated positions the last value is
        stored.
    values : array_like
        Broadcast with the indices.
    axis : int or None
        With None, positions are those of the flattened array.

    Raises
    ------
    IndexError
        If an index is out of bounds (on a GPU at the next synchronisation), shapes do not broadcast, or the
        indices are not integers.

    See Also
    --------
    numpy.put_along_axis

    Examples
    --------
    >>> import cuarray as ca
    >>> x = ca.asarray([[30, 10, 20], [60, 40, 50]])
    >>> ca.put_along_axis(x, x.argmax(axis=1, keepdims=True), 0, axis=1)
    >>> x
    array([[ 0, 10, 20],
           [ 0, 40, 50]])
    """
    arr = target(arr, "put_along_axis")
    axis = axis if axis is None else normalise_axis(axis, arr.ndim, "put_along_axis")
    indices = along(_core.beside(index_array(indices, arr), arr, "put_along_axis"), "put_along_axis")
    values = values_for(arr, values, "put_along_axis")
    if axis is not None:
        _core.put_along_axis(arr, indices, values, axis)
        return
    if indices.ndim != 1:
        raise ValueError(f"put_along_axis: with axis=None the indices must have one axis, not {indices.ndim}")
    elements_at(arr, indices, values)


def along(indices, function):
    """Return an array of indices; IndexError if they are not integers."""
    if indices.dtype.kind not in "iu":
        raise IndexError(f"{function}: `indices` must be an integer array, not {indices.dtype}")
    return indices


def choose(a, choices, out=None, mode="raise"):
    """Select each element from one of several arrays, by index.

    Parameters
    ----------
    a : array_like of int
        For each element, the index of its choice.
    choices : sequence of array_like
        Broadcast with `a`.
    out : ndarray, optional
        Output array.
    mode : {'raise', 'wrap', 'clip'}
        How to treat an out-of-bounds number. With 'raise' the call waits for the values of `a`.

    Returns
    -------
    ndarray

    Raises
    ------
    ValueError
        If a number lies outside, or shapes do not broadcast.

    See Also
    --------
    numpy.choose

    Examples
    --------
    >>> import cuarray as ca
    >>> ca.choose([0, 2, 1], [[1, 2, 3], [10, 20, 30], 0])
    array([ 1,  0, 30])
    """
    given = list(members(choices, "choices", "choose"))
    a, *choices = as_arrays("choose", a, *given)
    numbers = positions(a, a, "choose")
    count = len(choices)
    if count == 0:
        raise ValueError("choose: there are no choices")
    mode = rule_outside(mode, "choose")
    shape = broadcast_shapes(numbers.shape, *(one.shape for one in choices))
    if mode == "raise" and 0 not in shape and not 0 <= int(numbers.min()) <= int(numbers.max()) < count:
        raise ValueError(
            f"choose: invalid entry in choice array: numbers are from {numbers.min()} to {numbers.max()}, "
            f"there are {count} choices"
        )
    if mode == "wrap":
        numbers = countable(numbers) % count
    dtype = _core.result_type(*(x if type(x) in WEAK else one for x, one in zip(given, choices, strict=True)))
    with fused_call():
        # 'clip': the last choice serves all larger indices, and the first one negative indices.
        result = choices[-1].astype(dtype)
        for number in range(count - 2, -1, -1):
            result = where(numbers <= number, choices[number].astype(dtype), result)
    if result.shape != shape or count == 1:
        result = broadcast_to(result, shape).copy()
    if out is not None and target(out, "choose", is_out=True).shape != shape:
        raise TypeError(f"choose: out= has shape {out.shape}, the result {shape}")
    return write_output(result, out, "choose", "unsafe")


# By masks.


def nonzero(a):
    """Return the coordinates of the elements that are not zero, in C order.

    Parameters
    ----------
    a : array_like
        With at least one axis.

    Returns
    -------
    tuple of ndarray
        One int64 array per axis. The call waits for the number of elements.

    Raises
    ------
    ValueError
        If `a` has no axis.

    See Also
    --------
    numpy.nonzero

    Examples
    --------
    >>> import cuarray as ca
    >>> ca.nonzero([[3, 0], [0, 4]])
    (array([0, 1]), array([0, 1]))
    """
    return tuple(_core.nonzero(as_array(a)))


def flatnonzero(a):
    """Return the positions of the elements that are not zero in the flattened array.

    Parameters
    ----------
    a : array_like

    Returns
    -------
    ndarray
        int64, one axis.

    See Also
    --------
    numpy.flatnonzero

    Examples
    --------
    >>> import cuarray as ca
    >>> ca.flatnonzero([[3, 0], [0, 4]])
    array([0, 3])
    """
    return _core.nonzero(as_array(a).ravel())[0, :]


def argwhere(a):
    """Return the coordinates of the elements that are not zero, a row for each.

    Parameters
    ----------
    a : array_like

    Returns
    -------
    ndarray
        int64, of shape (count, a.ndim).

    See Also
    --------
    numpy.argwhere

    Examples
    --------
    >>> import cuarray as ca
    >>> ca.argwhere([[3, 0], [0, 4]])
    array([[0, 0],
           [1, 1]])
    """
    a = as_array(a)
    if a.ndim == 0:
        return argwhere(a.reshape(1))[:, :0]
    return _core.nonzero(a).T


def compress(condition, a, axis=None, out=None):
    """Return the slices along an axis at which a condition is true.

    Parameters
    ----------
    condition : array_like of bool
        One-dimensional; may be longer than `axis` only by false elements.
    a : array_like
    axis : int, optional
        By default the flattened array is used.
    out : ndarray, optional
        Output array.

    Returns
    -------
    ndarray

    Raises
    ------
    ValueError
        If the condition is not one-dimensional.
    IndexError
        If it is true beyond the end of the axis.

    See Also
    --------
    numpy.compress

    Examples
    --------
    >>> import cuarray as ca
    >>> ca.compress([False, True], [[1, 2], [3, 4]], axis=0)
    array([[3, 4]])
    """
    condition, a = as_arrays("compress", index_array(condition, a), a)
    if condition.ndim != 1:
        raise ValueError(f"compress: condition must have one axis, not {condition.ndim}")
    return take(a, flatnonzero(condition), axis, out)


def extract(condition, arr):
    """Return the elements at which a condition is true, in C order.

    Parameters
    ----------
    condition : array_like of bool
        Both arguments are flattened.
    arr : array_like

    Returns
    -------
    ndarray

    Raises
    ------
    IndexError
        If the condition is true beyond the end of the array.

    See Also
    --------
    numpy.extract

    Examples
    --------
    >>> import cuarray as ca
    >>> x = ca.arange(6)
    >>> ca.extract(x % 3 == 0, x)
    array([0, 3])
    """
    condition, arr = as_arrays("extract", condition, arr)
    mask = condition.astype(bool, copy=False).ravel()
    return arr.ravel()[mask] if mask.size == arr.size else take(arr, flatnonzero(mask))


def place(arr, mask, vals):
    """Store consecutive values where a mask is true.

    Parameters
    ----------
    arr : ndarray
        Written.
    mask : array_like of bool
        As many elements as `arr`.
    vals : array_like
        Repeated if there are fewer values than true elements.

    Raises
    ------
    ValueError
        If the sizes of `arr` and `mask` differ, or there is no value for a true element.

    See Also
    --------
    numpy.place

    Examples
    --------
    >>> import cuarray as ca
    >>> x = ca.arange(5)
    >>> ca.place(x, x > 1, [10, 20])
    >>> x
    array([ 0,  1, 10, 20, 10])
    """
    arr, mask = masked(arr, mask, "place")
    values = safe_values_for(arr, vals, "place").ravel()
    if values.size == 1:
        arr[mask] = values
        return
    count = int(_core.reduce("count_nonzero", mask))
    if count == 0:
        return
    if values.size == 0:
        raise ValueError(f"place: there is no value for {count} true elements")
    arr[mask] = cycle(values, count)


def putmask(a, mask, values):
    """Store the values at the positions of the true elements of a mask.

    Parameters
    ----------
    a : ndarray
        Written.
    mask : array_like of bool
        As many elements as `a`.
    values : array_like
        Repeated up to the size of `a`, in C order.

    Raises
    ------
    ValueError
        If the sizes of `a` and `mask` differ.

    See Also
    --------
    numpy.putmask

    Examples
    --------
    >>> import cuarray as ca
    >>> x = ca.arange(5)
    >>> ca.putmask(x, x > 1, [10, 20])
    >>> x
    array([ 0,  1, 10, 20, 10])
    """
    a, mask = masked(a, mask, "putmask")
    values = safe_values_for(a, values, "putmask")
    if values.size == 0 or a.size == 0:
        return
    if values.size == 1:
        values = values.reshape(())
    elif values.shape != a.shape:
        values = cycle(values.ravel(), a.size).reshape(a.shape)
    _core.assign_where(a, mask, values, "putmask")


def safe_values_for(a, values, function):
    """Return values to write into `a` as an array on its device; arrays must cast safely, as in NumPy.

    0-d values, which are scalars in NumPy, are cast.
    """
    is_array = hasattr(values, "__array__") and not isinstance(values, np.generic)
    if is_array and not _core.is_value(values):
        values = values_for(a, values, function)
        if not _core.can_cast(values.dtype, a.dtype, "safe"):
            raise TypeError(f"{function}: cannot cast values from {values.dtype} to {a.dtype} with casting rule 'safe'")
    return values_for(a, values, function)


def masked(a, mask, function):
    """Return the output array and a bool mask of its shape."""
    a = target(a, function)
    mask = _core.beside(index_array(mask, a), a, function).astype(bool, copy=False)
    if mask.size != a.size:
        raise ValueError(f"{function}: mask and data must be the same size, not {mask.size} and {a.size}")
    return a, mask.reshape(a.shape)


def select(condlist, choicelist, default=0):
    """Select each element from the first of several arrays whose condition is true.

    Parameters
    ----------
    condlist : sequence of array_like of bool
    choicelist : sequence of array_like
        As many as conditions; everything broadcasts.
    default : number or array_like
        The value where no condition is true.

    Returns
    -------
    ndarray

    Raises
    ------
    ValueError
        If there are no conditions, or their number is not that of the choices.
    TypeError
        If a condition is not of type bool.

    See Also
    --------
    numpy.select

    Examples
    --------
    >>> import cuarray as ca
    >>> x = ca.arange(6)
    >>> ca.select([x < 2, x > 3], [x, x**2], -1)
    array([ 0,  1, -1, -1, 16, 25])
    """
    condlist = members(condlist, "condlist", "select")
    choicelist = members(choicelist, "choicelist", "select")
    if len(condlist) != len(choicelist):
        raise ValueError(f"select: {len(condlist)} conditions do not go with {len(choicelist)} choices")
    if len(condlist) == 0:
        raise ValueError("select: there are no conditions")
    operands = arrays_and_numbers("select", *condlist, *choicelist, default)
    conditions, choices = as_arrays("select", *operands)[: len(condlist)], operands[len(condlist) :]
    for number, condition in enumerate(conditions):
        if condition.dtype != np.bool_:
            raise TypeError(f"select: condition {number} is of type {condition.dtype}, not bool")
    dtype = _core.result_type(*choices)
    choices = [
        full((), x, dtype, device=conditions[0].device) if type(x) in WEAK else x.astype(dtype, copy=False)
        for x in choices
    ]
    with fused_call():
        result = choices[-1]
        for condition, value in zip(reversed(conditions), reversed(choices[:-1]), strict=True):
            result = where(condition, value, result)
    return result
