"""Rearranging and repeating of elements."""

import itertools
import math

import numpy as np

from cuarray import _core
from cuarray._arguments.axes import integer, integer_tuple, normalise_axes, normalise_axis
from cuarray._arguments.operands import host_values
from cuarray._core import ndarray
from cuarray._functions.creation import as_array, empty, empty_like
from cuarray._functions.shaping import swapaxes
from cuarray._functions.sorting import searchsorted

__all__ = ["flip", "fliplr", "flipud", "repeat", "roll", "rot90", "tile"]


@_core.with_fast_path
def flip(m, axis=None):
    """Return a view with the elements of some axes, or of all, in reverse order.

    Parameters
    ----------
    m : array_like
    axis : int or tuple of int, optional

    Returns
    -------
    ndarray

    Raises
    ------
    AxisError
        If an axis does not exist.

    See Also
    --------
    numpy.flip

    Examples
    --------
    >>> import cuarray as ca
    >>> ca.flip([[1, 2], [3, 4]], axis=1)
    array([[2, 1],
           [4, 3]])
    """
    m = as_array(m)
    axes = range(m.ndim) if axis is None else normalise_axes(axis, m.ndim, "flip")
    if not m.ndim:
        return _core.as_value(m.copy())
    return m[(*(slice(None, None, -1 if i in axes else 1) for i in range(m.ndim)), ...)]


def fliplr(m):
    """Return a view with the second axis reversed.

    Parameters
    ----------
    m : array_like
        At least two-dimensional.

    Returns
    -------
    ndarray

    Raises
    ------
    ValueError
        If `m` has fewer than two axes.

    See Also
    --------
    numpy.fliplr

    Examples
    --------
    >>> import cuarray as ca
    >>> ca.fliplr([[1, 2], [3, 4]])
    array([[2, 1],
           [4, 3]])
    """
    m = as_array(m)
    if m.ndim < 2:
        raise ValueError(f"fliplr: the array has {m.ndim} axes and at least 2 are needed")
    return flip(m, 1)


def flipud(m):
    """Return a view with the first axis reversed.

    Parameters
    ----------
    m : array_like
        At least one-dimensional.

    Returns
    -------
    ndarray

    Raises
    ------
    ValueError
        If `m` has no axis.

    See Also
    --------
    numpy.flipud

    Examples
    --------
    >>> import cuarray as ca
    >>> ca.flipud([1, 2, 3])
    array([3, 2, 1])
    """
    m = as_array(m)
    if m.ndim < 1:
        raise ValueError("flipud: the array has 0 axes and at least 1 is needed")
    return flip(m, 0)


def rot90(m, k=1, axes=(0, 1)):
    """Return a view rotated by k quarter turns, from the first axis towards the second.

    Parameters
    ----------
    m : array_like
    k : int
    axes : pair of int

    Returns
    -------
    ndarray

    Raises
    ------
    ValueError
        If `axes` are not two different axes of `m`.

    See Also
    --------
    numpy.rot90

    Examples
    --------
    >>> import cuarray as ca
    >>> ca.rot90([[1, 2], [3, 4]])
    array([[2, 4],
           [1, 3]])
    """
    m = as_array(m)
    axes = integer_tuple(axes, "axes", "rot90")
    if len(axes) != 2:
        raise ValueError(f"rot90: axes has {len(axes)} entries and must have 2")
    first, second = axes
    if first == second or abs(first - second) == m.ndim:
        raise ValueError(f"rot90: axes {tuple(axes)} must differ")
    if not all(-m.ndim <= axis < m.ndim for axis in axes):
        raise ValueError(f"rot90: axes {tuple(axes)} are out of range for {m.ndim} axes")
    match integer(k, "k", "rot90") % 4:
        case 0:
            return m[...]
        case 1:
            return swapaxes(flip(m, second), first, second)
        case 2:
            return flip(m, (first, second))
        case _:
            return flip(swapaxes(m, first, second), second)


@_core.with_fast_path
def roll(a, shift, axis=None):
    """Roll the elements along axes; those beyond the end reappear at the start.

    Parameters
    ----------
    a : array_like
    shift : int or tuple of int
        The shift of each axis; an int applies to every axis.
    axis : int or tuple of int, optional
        By default the flattened array is rolled, and the shape is restored.

    Returns
    -------
    ndarray
        A new array.

    Raises
    ------
    AxisError
        If an axis does not exist.
    ValueError
        If the numbers of shifts and axes differ.

    See Also
    --------
    numpy.roll

    Examples
    --------
    >>> import cuarray as ca
    >>> ca.roll(ca.arange(5), 2)
    array([3, 4, 0, 1, 2])
    """
    a = as_array(a)
    if axis is None:
        return roll(a.ravel(), shift, 0).reshape(a.shape)
    if np.ndim(shift) > 1:
        raise ValueError("roll: shift must be an integer or have one axis")
    shifts = integer_tuple(shift, "shift", "roll") if np.ndim(shift) else (integer(shift, "shift", "roll"),)
    axes = [normalise_axis(one, a.ndim, "roll") for one in integer_tuple(axis, "axis", "roll")]
    if 1 not in (len(shifts), len(axes)) and len(shifts) != len(axes):
        raise ValueError(f"roll: {len(shifts)} shifts do not go with {len(axes)} axes")
    if not shifts or not axes:
        return a.copy()
    count = max(len(shifts), len(axes))
    total = [0] * a.ndim
    for place, distance in zip(axes * (count // len(axes)), shifts * (count // len(shifts)), strict=True):
        total[place] += distance
    result = empty_like(a)
    pieces = [roll_pieces(extent, distance) for extent, distance in zip(a.shape, total, strict=True)]
    for piece in itertools.product(*pieces):
        target, source = zip(*piece, strict=True) if piece else ((), ())
        result[(*target, ...)] = a[(*source, ...)]
    return result


def roll_pieces(extent, distance):
    """Return the (target, source) slices that roll one axis: one pair if nothing moves, else two."""
    distance %= max(extent, 1)
    if distance == 0:
        return [(slice(None), slice(None))]
    return [(slice(distance, None), slice(None, -distance)), (slice(None, distance), slice(-distance, None))]


@_core.with_fast_path
def tile(A, reps):
    """Repeat a whole array along each axis.

    Parameters
    ----------
    A : array_like
    reps : int or tuple of int
        Repetitions along each axis; the shorter of `reps` and `A.shape` is padded with leading ones.

    Returns
    -------
    ndarray
        A new array.

    See Also
    --------
    numpy.tile

    Examples
    --------
    >>> import cuarray as ca
    >>> ca.tile([1, 2], (2, 2))
    array([[1, 2, 1, 2],
           [1, 2, 1, 2]])
    """
    a = as_array(A)
    counts = integer_tuple(reps, "reps", "tile")
    rank = max(a.ndim, len(counts))
    counts = (1,) * (rank - len(counts)) + counts
    extents = (1,) * (rank - a.ndim) + a.shape
    shape = tuple(n * extent for n, extent in zip(counts, extents, strict=True))
    if a.size == 0:
        return empty(shape, a.dtype, device=a.device)
    apart = a.reshape(tuple(n for extent in extents for n in (1, extent)))
    spread = tuple(n for pair in zip(counts, extents, strict=True) for n in pair)
    result = empty(spread, a.dtype, device=a.device)
    result[...] = apart
    return result.reshape(shape)


@_core.with_fast_path
def repeat(a, repeats, axis=None):
    """Repeat each element, along one axis or of the flattened array.

    Parameters
    ----------
    a : array_like
    repeats : int or array_like of int
        Repetitions of all elements, or of each along the axis. The call waits for the values of an array.
    axis : int, optional

    Returns
    -------
    ndarray
        A new array.

    Raises
    ------
    ValueError
        If a count is negative, or the number of counts is not the length of the axis.
    TypeError
        If the counts are not integers.

    See Also
    --------
    numpy.repeat

    Examples
    --------
    >>> import cuarray as ca
    >>> ca.repeat([1, 2], 2)
    array([1, 1, 2, 2])
    >>> ca.repeat([[1, 2], [3, 4]], [0, 2], axis=0)
    array([[3, 4],
           [3, 4]])
    """
    a = as_array(a)
    counts = repeats if isinstance(repeats, ndarray) else host_values(repeats, "repeat")
    if counts.dtype.kind == "O":
        # Before the shape is read: __index__ may resize the array.
        whole = [integer(count, "repeats", "repeat") for count in counts.ravel()]
        counts = np.asarray(whole, np.int64).reshape(counts.shape)
    if axis is None:
        a, axis = a.ravel(), 0
    elif a.ndim == 0:
        a = a.reshape(1)
    axis = normalise_axis(axis, a, "repeat")
    if counts.dtype.kind not in "bui" and (counts.size or isinstance(repeats, ndarray | np.ndarray)):
        raise TypeError(f"repeat: counts must be integers, not {counts.dtype}")
    if counts.ndim > 1:
        raise ValueError(f"repeat: counts have one axis, not {counts.ndim}")
    if counts.size and (least := int(counts.min())) < 0:
        raise ValueError(f"repeat: the count {least} is negative")
    before, extent, after = a.shape[:axis], a.shape[axis], a.shape[axis + 1 :]
    if counts.size != 1:
        if counts.size != extent:
            raise ValueError(f"repeat: {counts.size} counts do not go with {extent} elements along axis {axis}")
        return repeat_each(a, as_array(counts, a.device).to_device(a.device), axis)
    count = int(counts.reshape(()))
    result = empty((*before, extent * count, *after), a.dtype, device=a.device)
    if a.size == 0:
        return result
    # One axis before and one behind: the limit of 64 axes leaves no room for another.
    outer, inner = math.prod(before), math.prod(after)
    result.reshape((outer, extent, count, inner))[...] = a.reshape((outer, extent, 1, inner))
    return result


def copies_at_a_time(device):
    """Return the chunk size of repeat_each in copies, whose indices fit the caches of one core."""
    alone = device.kind == "cpu" and _core.get_num_threads() == 1
    return 1 << (16 if alone else 20)


def repeat_each(a, counts, axis):
    """Repeat each element along an axis by its count, copied in chunks."""
    ends = _core.accumulate("repeat", "add", counts, 0, "int64")
    total = int(ends[-1]) if counts.size else 0
    if counts.size and int(ends.min()) < 0:
        raise ValueError("repeat: the counts add up to more than int64 holds")
    result = empty((*a.shape[:axis], total, *a.shape[axis + 1 :]), a.dtype, device=a.device)
    piece = copies_at_a_time(a.device)
    begins = np.arange(0, total, piece)
    places = searchsorted(ends, as_array(begins, a.device), side="right").tolist()
    spans = itertools.pairwise([*places, counts.size - 1])
    along = (slice(None),) * axis
    for begin, (first, last) in zip(begins.tolist(), spans, strict=True):
        # The copies of an element begin after those of the elements before it.
        copies = min(piece, total - begin)
        steps = _core.histogram(ends[first:last] - begin, None, False, None, copies, "repeat")
        numbers = _core.accumulate("repeat", "add", steps, 0, out=steps)
        elements, copied = (*along, slice(first, last + 1)), (*along, slice(begin, begin + copies))
        _core.take(a[elements], numbers, axis, out=result[copied])
    return result
