"""Joining and splitting of arrays."""

import functools
import itertools
import os
import sys

from cuarray import _core
from cuarray._arguments.axes import has_entries, integer, integer_tuple, normalise_axis
from cuarray._arguments.operands import WEAK, arrays_and_numbers, as_arrays, bends_to, device_of, target
from cuarray._core import ndarray
from cuarray._functions.creation import as_array
from cuarray._functions.shaping import atleast_1d, atleast_2d, atleast_3d, expand_dims, moveaxis

__all__ = [
    "array_split", "column_stack", "concat", "dsplit", "dstack", "hsplit", "hstack", "split", "stack",
    "unstack", "vsplit", "vstack",
]  # fmt: skip


@_core.with_fast_path
def concat(arrays, /, axis=0, out=None, *, dtype=None, casting="same_kind"):
    """Join arrays along an existing axis.

    Parameters
    ----------
    arrays : sequence of array_like
        Equal in every extent except that of `axis`.
    axis : int or None
        None joins the flattened arrays.
    out : ndarray, optional
        Output array.
    dtype : dtype, optional
        The result's type; by default the common type of all.
    casting : {'no', 'equiv', 'safe', 'same_kind', 'unsafe'}

    Returns
    -------
    ndarray
        A new array, or `out`.

    Raises
    ------
    ValueError
        If there are no arrays, or the shapes do not match.
    AxisError
        If the axis does not exist.
    TypeError
        If `casting` does not allow the conversion, or both `out` and `dtype` are given.

    See Also
    --------
    numpy.concatenate

    Examples
    --------
    >>> import cuarray as ca
    >>> ca.concat([[1, 2], [3.5]])
    array([1. , 2. , 3.5])
    """
    if out is not None and dtype is not None:
        raise TypeError(f"{_core.called_function('concatenate')}: give out or dtype, not both")
    if axis is None:
        arrays, axis = flat_arrays(arrays, dtype, out), 0
    else:
        arrays = members_as_arrays(arrays, "concatenate")
    return _core.concatenate(arrays, integer(axis, "axis", "concatenate"), out, dtype, casting)


def flat_arrays(sequence, dtype, out):
    """Return the elements of a sequence as 1-d arrays; Python numbers take the others' type."""
    numbers = has_entries(sequence) and any(type(x) in WEAK for x in sequence)
    if isinstance(sequence, ndarray) or not numbers:
        return [a.ravel() for a in members_as_arrays(sequence, "concatenate")]
    given = arrays_and_numbers("concatenate", *sequence)
    common, device = _core.result_type(*given), device_of(*given)
    if out is not None:
        target(out, "concatenate", is_out=True)
    wanted = _core.dtype(dtype) if dtype is not None else common if out is None else out.dtype

    def number(x):
        return _core.full((1,), x, wanted if bends_to(x, wanted) else common, device)

    return [number(x) if type(x) in WEAK else x.ravel() for x in given]


def members_as_arrays(sequence, function):
    """Return the elements of a sequence as arrays; lists and numbers go to the device of the first array."""
    if isinstance(sequence, ndarray):
        if sequence.ndim == 0:
            called = _core.called_function(function)
            raise TypeError(f"{called}: a sequence of arrays is needed, not an array without axes")
        return [sequence[i, ...] for i in range(sequence.shape[0])]
    if not (hasattr(sequence, "__getitem__") and hasattr(sequence, "__len__")):
        called = _core.called_function(function)
        raise TypeError(f"{called}: a sequence of arrays is needed, not {type(sequence).__name__}")
    return as_arrays(function, *sequence)


@_core.with_fast_path
def stack(arrays, axis=0, out=None, *, dtype=None, casting="same_kind"):
    """Join arrays of one shape along a new axis.

    Parameters
    ----------
    arrays : sequence of array_like
    axis : int
        Position of the new axis in the result.
    out : ndarray, optional
    dtype : dtype, optional
    casting : {'no', 'equiv', 'safe', 'same_kind', 'unsafe'}

    Returns
    -------
    ndarray

    Raises
    ------
    ValueError
        If there are no arrays, or the shapes differ.
    AxisError
        If the axis does not exist in the result.

    See Also
    --------
    numpy.stack

    Examples
    --------
    >>> import cuarray as ca
    >>> ca.stack([[1, 2], [3, 4]], axis=1)
    array([[1, 3],
           [2, 4]])
    """
    arrays = members_as_arrays(arrays, "stack")
    if not arrays:
        raise ValueError("stack: at least one array is needed")
    different = next((a.shape for a in arrays if a.shape != arrays[0].shape), None)
    if different is not None:
        raise ValueError(f"stack: shapes {arrays[0].shape} and {different} differ")
    axis = normalise_axis(axis, arrays[0].ndim + 1, "stack")
    return concat([expand_dims(a, axis) for a in arrays], axis, out, dtype=dtype, casting=casting)


def unstack(x, /, *, axis=0):
    """Split an array along an axis into views without that axis, or into numbers if it has one axis.

    Parameters
    ----------
    x : array_like
        At least one-dimensional.
    axis : int

    Returns
    -------
    tuple of ndarray

    Raises
    ------
    ValueError
        If `x` has no axis.
    AxisError
        If the axis does not exist.

    See Also
    --------
    numpy.unstack

    Examples
    --------
    >>> import cuarray as ca
    >>> ca.unstack([[1, 2], [3, 4]])
    (array([1, 2]), array([3, 4]))
    """
    x = as_array(x)
    if x.ndim == 0:
        raise ValueError("unstack: the array has no axis")
    first = moveaxis(x, axis, 0)
    return tuple(first[i] for i in range(first.shape[0]))


@_core.with_fast_path
def vstack(tup, *, dtype=None, casting="same_kind"):
    """Join arrays vertically: along the first axis, one-dimensional arrays as rows.

    Parameters
    ----------
    tup : sequence of array_like
    dtype : dtype, optional
    casting : {'no', 'equiv', 'safe', 'same_kind', 'unsafe'}

    Returns
    -------
    ndarray

    Raises
    ------
    ValueError
        If the shapes do not fit.

    See Also
    --------
    numpy.vstack

    Examples
    --------
    >>> import cuarray as ca
    >>> ca.vstack([[1, 2], [3, 4]])
    array([[1, 2],
           [3, 4]])
    """
    return concat([atleast_2d(a) for a in members_as_arrays(tup, "vstack")], 0, dtype=dtype, casting=casting)


@_core.with_fast_path
def hstack(tup, *, dtype=None, casting="same_kind"):
    """Join arrays horizontally: along the second axis, one-dimensional arrays along their only one.

    Parameters
    ----------
    tup : sequence of array_like
    dtype : dtype, optional
    casting : {'no', 'equiv', 'safe', 'same_kind', 'unsafe'}

    Returns
    -------
    ndarray

    Raises
    ------
    ValueError
        If the shapes do not fit.

    See Also
    --------
    numpy.hstack

    Examples
    --------
    >>> import cuarray as ca
    >>> ca.hstack([[1, 2], [3]])
    array([1, 2, 3])
    """
    arrays = [atleast_1d(a) for a in members_as_arrays(tup, "hstack")]
    axis = 0 if arrays and arrays[0].ndim == 1 else 1
    return concat(arrays, axis, dtype=dtype, casting=casting)


def dstack(tup):
    """Join arrays along the third axis.

    Parameters
    ----------
    tup : sequence of array_like

    Returns
    -------
    ndarray

    Raises
    ------
    ValueError
        If the shapes do not fit.

    See Also
    --------
    numpy.dstack

    Examples
    --------
    >>> import cuarray as ca
    >>> ca.dstack([[1, 2], [3, 4]])
    array([[[1, 3],
            [2, 4]]])
    """
    return concat([atleast_3d(a) for a in members_as_arrays(tup, "dstack")], 2)


@_core.with_fast_path
def column_stack(tup):
    """Join arrays as columns of a matrix; two-dimensional arrays are used unchanged.

    Parameters
    ----------
    tup : sequence of array_like

    Returns
    -------
    ndarray

    Raises
    ------
    ValueError
        If the shapes do not fit.

    See Also
    --------
    numpy.column_stack

    Examples
    --------
    >>> import cuarray as ca
    >>> ca.column_stack([[1, 2], [3, 4]])
    array([[1, 3],
           [2, 4]])
    """
    arrays = members_as_arrays(tup, "column_stack")
    return concat([a if a.ndim > 1 else a.reshape((a.size, 1)) for a in arrays], 1)


def array_split(ary, indices_or_sections, axis=0):
    """Split an array into views along an axis; the parts need not be equal.

    Parameters
    ----------
    ary : array_like
    indices_or_sections : int or sequence of int
        The number of parts, or the begins of the parts after the first.
    axis : int

    Returns
    -------
    list of ndarray

    Raises
    ------
    ValueError
        If the number of parts is not positive.
    AxisError
        If the axis does not exist.
    MemoryError
        If there would be more parts than memory for their views.

    See Also
    --------
    numpy.array_split

    Examples
    --------
    >>> import cuarray as ca
    >>> ca.array_split(ca.arange(5), 2)
    [array([0, 1, 2]), array([3, 4])]
    """
    a = as_array(ary)
    axis = normalise_axis(axis, a, "array_split")
    extent = a.shape[axis]
    if has_entries(indices_or_sections):
        places = [0, *integer_tuple(indices_or_sections, "indices", "array_split"), extent]
    else:
        count = integer(indices_or_sections, "the number of parts", "array_split")
        if count <= 0:
            raise ValueError(f"array_split: the number of parts must be positive, not {count}")
        size, larger = divmod(extent, count)
        if count * sys.getsizeof(a[...]) > memory_of_host():
            function = _core.called_function("array_split")
            raise MemoryError(f"{function}: {count} views are more than the memory holds")
        places = [i * size + min(i, larger) for i in range(count + 1)]
    before = (slice(None),) * axis
    return [a[(*before, slice(start, stop), ...)] for start, stop in itertools.pairwise(places)]


@functools.cache
def memory_of_host():
    """Return how many bytes of memory this machine has."""
    return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")


def split(ary, indices_or_sections, axis=0):
    """Split an array into equal views along an axis, or at given positions.

    Parameters
    ----------
    ary : array_like
    indices_or_sections : int or sequence of int
        The number of equal parts, or the begins of the parts after the first.
    axis : int

    Returns
    -------
    list of ndarray

    Raises
    ------
    ValueError
        If the parts would not be equal.
    AxisError
        If the axis does not exist.

    See Also
    --------
    numpy.split

    Examples
    --------
    >>> import cuarray as ca
    >>> ca.split(ca.arange(6), [2, 3])
    [array([0, 1]), array([2]), array([3, 4, 5])]
    """
    a = as_array(ary)
    if not has_entries(indices_or_sections):
        count = integer(indices_or_sections, "the number of parts", "split")
        axis = normalise_axis(axis, a, "split")
        extent = a.shape[axis]
        if count <= 0 or extent % count:
            called = _core.called_function("split")
            raise ValueError(f"{called}: {extent} elements do not make {count} equal parts; see array_split")
    return array_split(a, indices_or_sections, axis)


def vsplit(ary, indices_or_sections):
    """Split along the first axis; see `split`.

    Parameters
    ----------
    ary : array_like
        At least two-dimensional.
    indices_or_sections : int or sequence of int

    Returns
    -------
    list of ndarray

    Raises
    ------
    ValueError
        If there are too few axes or the parts would not be equal.

    See Also
    --------
    numpy.vsplit

    Examples
    --------
    >>> import cuarray as ca
    >>> ca.vsplit([[1, 2], [3, 4]], 2)
    [array([[1, 2]]), array([[3, 4]])]
    """
    return split(with_axes(ary, 2, "vsplit"), indices_or_sections, 0)


def hsplit(ary, indices_or_sections):
    """Split along the second axis, or the only one; see `split`.

    Parameters
    ----------
    ary : array_like
        At least one-dimensional.
    indices_or_sections : int or sequence of int

    Returns
    -------
    list of ndarray

    Raises
    ------
    ValueError
        If there are too few axes or the parts would not be equal.

    See Also
    --------
    numpy.hsplit

    Examples
    --------
    >>> import cuarray as ca
    >>> ca.hsplit([1, 2, 3, 4], 2)
    [array([1, 2]), array([3, 4])]
    """
    a = with_axes(ary, 1, "hsplit")
    return split(a, indices_or_sections, min(a.ndim - 1, 1))


def dsplit(ary, indices_or_sections):
    """Split along the third axis; see `split`.

    Parameters
    ----------
    ary : array_like
        At least three-dimensional.
    indices_or_sections : int or sequence of int

    Returns
    -------
    list of ndarray

    Raises
    ------
    ValueError
        If there are too few axes or the parts would not be equal.

    See Also
    --------
    numpy.dsplit

    Examples
    --------
    >>> import cuarray as ca
    >>> [part.shape for part in ca.dsplit(ca.zeros((2, 2, 4)), 2)]
    [(2, 2, 2), (2, 2, 2)]
    """
    return split(with_axes(ary, 3, "dsplit"), indices_or_sections, 2)


def with_axes(a, least, function):
    """Return `a` as an array; ValueError if it has fewer than `least` axes."""
    a = as_array(a)
    if a.ndim < least:
        raise ValueError(f"{function}: the array has {a.ndim} axes and at least {least} are needed")
    return a
