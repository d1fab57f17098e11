"""Joining, splitting and reshaping: short compositions of views and copies, in NumPy's signatures."""

import itertools
from operator import index

import numpy as np

from cuarray import _core
from cuarray._core import ndarray
from cuarray._creation import array, as_array, empty, empty_like

__all__ = [
    "array_split", "atleast_1d", "atleast_2d", "atleast_3d", "broadcast_arrays", "broadcast_shapes",
    "broadcast_to", "column_stack", "concat", "copyto", "dsplit", "dstack", "expand_dims", "flip", "fliplr",
    "flipud", "hsplit", "hstack", "matrix_transpose", "may_share_memory", "moveaxis", "ndim",
    "permute_dims", "ravel", "repeat", "reshape", "roll", "rollaxis", "rot90", "shape", "shares_memory",
    "size", "split", "squeeze", "stack", "swapaxes", "tile", "transpose", "unstack", "vsplit", "vstack",
]  # fmt: skip


def normalise_axis(axis, ndim, function):
    """Return the axis as an int in 0..ndim-1; AxisError if it lies outside."""
    number = index(axis)
    if not -ndim <= number < ndim:
        raise np.exceptions.AxisError(number, ndim, function)
    return number % ndim if ndim else 0


def normalise_axes(axis, ndim, function):
    """Return an axis, or a sequence of different axes, as a list of ints in 0..ndim-1, in the given order."""
    axes = [normalise_axis(one, ndim, function) for one in (axis if np.iterable(axis) else [axis])]
    if len(set(axes)) != len(axes):
        raise ValueError(f"{function}: repeated axis in {axis}")
    return axes


# Shapes of one array.


def reshape(a, /, shape, order="C", *, copy=None):
    """Give the same elements another shape.

    Parameters
    ----------
    a : array_like
    shape : int or tuple of int
        One entry may be -1; it is chosen so that the sizes agree.
    order : {'C', 'F', 'A'}
        How elements are read and placed: last axis fastest, first axis fastest, or 'F' only where `a` is
        Fortran-contiguous.
    copy : bool, optional
        True copies always, False never (ValueError where a copy would be needed), None only where needed.

    Returns
    -------
    ndarray
        A view where possible.

    Raises
    ------
    ValueError
        If the sizes differ, or `copy` is False and a view is impossible.

    See Also
    --------
    numpy.reshape

    Examples
    --------
    >>> import cuarray as ca
    >>> ca.reshape(ca.arange(6), (2, -1))
    array([[0, 1, 2],
           [3, 4, 5]])
    """
    return as_array(a).reshape(shape, order=order, copy=copy)


def ravel(a, order="C"):
    """Return the elements as a one-dimensional array, a view where possible.

    Parameters
    ----------
    a : array_like
    order : {'C', 'F', 'A', 'K'}

    See Also
    --------
    numpy.ravel

    Examples
    --------
    >>> import cuarray as ca
    >>> ca.ravel([[1, 2], [3, 4]], order="F")
    array([1, 3, 2, 4])
    """
    return as_array(a).ravel(order=order)


def permute_dims(a, axes=None):
    """Return a view with the axes in another order, reversed by default.

    Parameters
    ----------
    a : array_like
    axes : sequence of int, optional
        A permutation of the axes; negative entries count from the end.

    Raises
    ------
    ValueError
        If `axes` is no permutation.

    See Also
    --------
    numpy.permute_dims

    Examples
    --------
    >>> import cuarray as ca
    >>> ca.permute_dims(ca.zeros((2, 3, 4)), (1, 2, 0)).shape
    (3, 4, 2)
    """
    a = as_array(a)
    return a.transpose() if axes is None else a.transpose(axes)


transpose = permute_dims


def matrix_transpose(x, /):
    """Return a view with the last two axes exchanged.

    Parameters
    ----------
    x : array_like
        At least two-dimensional.

    Raises
    ------
    ValueError
        If `x` has fewer than two axes.

    See Also
    --------
    numpy.matrix_transpose

    Examples
    --------
    >>> import cuarray as ca
    >>> ca.matrix_transpose([[1, 2], [3, 4]])
    array([[1, 3],
           [2, 4]])
    """
    return as_array(x).mT


def moveaxis(a, source, destination):
    """Return a view with some axes moved to other places; the others keep their order.

    Parameters
    ----------
    a : array_like
    source, destination : int or sequence of int
        As many of one as of the other, none twice.

    Raises
    ------
    AxisError
        If an axis does not exist.
    ValueError
        If the numbers of axes differ or one is repeated.

    See Also
    --------
    numpy.moveaxis

    Examples
    --------
    >>> import cuarray as ca
    >>> ca.moveaxis(ca.zeros((2, 3, 4)), 0, -1).shape
    (3, 4, 2)
    """
    a = as_array(a)
    sources = normalise_axes(source, a.ndim, "moveaxis")
    destinations = normalise_axes(destination, a.ndim, "moveaxis")
    if len(sources) != len(destinations):
        raise ValueError(f"moveaxis: {len(sources)} source axes but {len(destinations)} destinations")
    order = [axis for axis in range(a.ndim) if axis not in sources]
    for destination, source in sorted(zip(destinations, sources, strict=True)):
        order.insert(destination, source)
    return a.transpose(order)


def rollaxis(a, axis, start=0):
    """Return a view with one axis moved back until it lies before `start`; `moveaxis` is clearer.

    Parameters
    ----------
    a : array_like
    axis : int
    start : int

    Raises
    ------
    AxisError
        If `axis` or `start` does not exist.

    See Also
    --------
    numpy.rollaxis

    Examples
    --------
    >>> import cuarray as ca
    >>> ca.rollaxis(ca.zeros((2, 3, 4)), 2).shape
    (4, 2, 3)
    """
    a = as_array(a)
    axis = normalise_axis(axis, a.ndim, "rollaxis")
    start = index(start)
    if not -a.ndim <= start <= a.ndim:
        raise np.exceptions.AxisError(f"rollaxis: start {start} is out of bounds for {a.ndim} axes")
    start += a.ndim * (start < 0)
    return moveaxis(a, axis, start - (axis < start))


def swapaxes(a, axis1, axis2):
    """Return a view with two axes exchanged.

    Parameters
    ----------
    a : array_like
    axis1, axis2 : int

    Raises
    ------
    AxisError
        If an axis does not exist.

    See Also
    --------
    numpy.swapaxes

    Examples
    --------
    >>> import cuarray as ca
    >>> ca.swapaxes(ca.zeros((2, 3, 4)), 0, 2).shape
    (4, 3, 2)
    """
    return as_array(a).swapaxes(axis1, axis2)


def expand_dims(a, axis):
    """Return a view with new axes of length 1.

    Parameters
    ----------
    a : array_like
    axis : int or tuple of int
        Where the new axes stand in the result.

    Raises
    ------
    AxisError
        If an axis does not exist in the result.

    See Also
    --------
    numpy.expand_dims

    Examples
    --------
    >>> import cuarray as ca
    >>> ca.expand_dims(ca.arange(3), (0, 2)).shape
    (1, 3, 1)
    """
    a = as_array(a)
    axes = axis if isinstance(axis, (tuple, list)) else (axis,)
    rank = a.ndim + len(axes)
    new = normalise_axes(axes, rank, "expand_dims")
    return a[(*(None if i in new else slice(None) for i in range(rank)), ...)]


def squeeze(a, axis=None):
    """Return a view without axes of length 1: all of them, or those in `axis`.

    Parameters
    ----------
    a : array_like
    axis : int or tuple of int, optional

    Raises
    ------
    ValueError
        If an axis to drop is longer than 1.
    AxisError
        If an axis does not exist.

    See Also
    --------
    numpy.squeeze

    Examples
    --------
    >>> import cuarray as ca
    >>> ca.squeeze(ca.zeros((1, 3, 1))).shape
    (3,)
    """
    return as_array(a).squeeze(axis)


def atleast_1d(*arys):
    """Return each array with at least one axis: one array, or a tuple of several.

    Parameters
    ----------
    *arys : array_like

    See Also
    --------
    numpy.atleast_1d

    Examples
    --------
    >>> import cuarray as ca
    >>> ca.atleast_1d(3.5)
    array([3.5])
    """
    return one_or_all(a.reshape(1) if a.ndim == 0 else a for a in map(as_array, arys))


def atleast_2d(*arys):
    """Return each array with at least two axes; new ones come first.

    Parameters
    ----------
    *arys : array_like

    See Also
    --------
    numpy.atleast_2d

    Examples
    --------
    >>> import cuarray as ca
    >>> ca.atleast_2d([1, 2])
    array([[1, 2]])
    """
    return one_or_all(a if a.ndim > 1 else a.reshape((1, a.size)) for a in map(as_array, arys))


def atleast_3d(*arys):
    """Return each array with at least three axes: shape (n,) becomes (1, n, 1), and (m, n) becomes (m, n, 1).

    Parameters
    ----------
    *arys : array_like

    See Also
    --------
    numpy.atleast_3d

    Examples
    --------
    >>> import cuarray as ca
    >>> ca.atleast_3d([1, 2]).shape
    (1, 2, 1)
    """
    return one_or_all(a if a.ndim > 2 else atleast_2d(a)[..., None] for a in map(as_array, arys))


def one_or_all(arrays):
    """Return the only array, or the tuple of all: what atleast_1d and its like give."""
    arrays = tuple(arrays)
    return arrays[0] if len(arrays) == 1 else arrays


# Order of elements along axes.


def flip(m, axis=None):
    """Return a view with the elements of some axes, or of all, in reverse order.

    Parameters
    ----------
    m : array_like
    axis : int or tuple of int, optional

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
    return m[(*(slice(None, None, -1 if i in axes else 1) for i in range(m.ndim)), ...)]


def fliplr(m):
    """Return a view with the second axis reversed.

    Parameters
    ----------
    m : array_like
        At least two-dimensional.

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
    """Return a view turned by k quarter turns, from the first axis towards the second.

    Parameters
    ----------
    m : array_like
    k : int
    axes : pair of int

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
    if len(axes) != 2:
        raise ValueError(f"rot90: axes has {len(axes)} entries and must have 2")
    first, second = axes
    if first == second or abs(first - second) == m.ndim:
        raise ValueError(f"rot90: axes {tuple(axes)} must differ")
    if not all(-m.ndim <= axis < m.ndim for axis in axes):
        raise ValueError(f"rot90: axes {tuple(axes)} are out of range for {m.ndim} axes")
    match index(k) % 4:
        case 0:
            return m[...]
        case 1:
            return swapaxes(flip(m, second), first, second)
        case 2:
            return flip(m, (first, second))
        case _:
            return flip(swapaxes(m, first, second), second)


def roll(a, shift, axis=None):
    """Move the elements along axes; those pushed out at one end come in at the other.

    Parameters
    ----------
    a : array_like
    shift : int or tuple of int
        How far, for each axis; an int goes with every axis.
    axis : int or tuple of int, optional
        By default the elements are rolled in C order and get their shape back.

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
    shifts = list(shift) if np.iterable(shift) else [shift]
    axes = list(axis) if np.iterable(axis) else [axis]
    if 1 not in (len(shifts), len(axes)) and len(shifts) != len(axes):
        raise ValueError(f"roll: {len(shifts)} shifts do not go with {len(axes)} axes")
    count = max(len(shifts), len(axes))
    total = [0] * a.ndim
    for place, distance in zip(axes * (count // len(axes)), shifts * (count // len(shifts)), strict=True):
        total[normalise_axis(place, a.ndim, "roll")] += index(distance)
    result = empty_like(a)
    pieces = [roll_pieces(extent, distance) for extent, distance in zip(a.shape, total, strict=True)]
    for piece in itertools.product(*pieces):
        target, source = zip(*piece, strict=True) if piece else ((), ())
        result[(*target, ...)] = a[(*source, ...)]
    return result


def roll_pieces(extent, distance):
    """Return the (target, source) slices that roll one axis: one pair where nothing moves, else two."""
    distance %= max(extent, 1)
    if distance == 0:
        return [(slice(None), slice(None))]
    return [(slice(distance, None), slice(None, -distance)), (slice(None, distance), slice(-distance, None))]


def tile(A, reps):
    """Repeat a whole array along each axis.

    Parameters
    ----------
    A : array_like
    reps : int or tuple of int
        How often along each axis; the shorter of `reps` and `A.shape` is filled with ones in front.

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
    counts = tuple(map(index, reps)) if np.iterable(reps) else (index(reps),)
    rank = max(a.ndim, len(counts))
    counts = (1,) * (rank - len(counts)) + counts
    extents = (1,) * (rank - a.ndim) + a.shape
    apart = a.reshape(tuple(n for extent in extents for n in (1, extent)))
    spread = tuple(n for pair in zip(counts, extents, strict=True) for n in pair)
    result = empty(spread, a.dtype, device=a.device)
    result[...] = apart
    return result.reshape(tuple(n * extent for n, extent in zip(counts, extents, strict=True)))


def repeat(a, repeats, axis=None):
    """Repeat each element, along one axis or of the flattened array.

    Parameters
    ----------
    a : array_like
    repeats : int
        How often. Different counts for different elements are not supported yet.
    axis : int, optional

    Returns
    -------
    ndarray
        A new array.

    Raises
    ------
    NotImplementedError
        If `repeats` holds several numbers.
    ValueError
        If `repeats` is negative.

    See Also
    --------
    numpy.repeat

    Examples
    --------
    >>> import cuarray as ca
    >>> ca.repeat([1, 2], 2)
    array([1, 1, 2, 2])
    """
    a = as_array(a)
    if np.ndim(repeats) and np.size(repeats) != 1:
        raise NotImplementedError(
            f"repeat: {np.size(repeats)} counts were given and one int is supported; join pieces with concat"
        )
    count = index(repeats.item() if hasattr(repeats, "item") else repeats[0] if np.ndim(repeats) else repeats)
    if count < 0:
        raise ValueError(f"repeat: the count {count} is negative")
    if axis is None:
        a, axis = a.ravel(), 0
    axis = normalise_axis(axis, a.ndim, "repeat")
    before, extent, after = a.shape[:axis], a.shape[axis], a.shape[axis + 1 :]
    result = empty((*before, extent, count, *after), a.dtype, device=a.device)
    result[...] = a.reshape((*before, extent, 1, *after))
    return result.reshape((*before, extent * count, *after))


# Broadcasting.


def broadcast_to(array, shape, subok=False):
    """Return a read-only view at a larger shape.

    Parameters
    ----------
    array : array_like
    shape : int or tuple of int
    subok : bool
        Accepted and ignored: there are no subclasses.

    Raises
    ------
    ValueError
        If the array does not fit the shape.

    See Also
    --------
    numpy.broadcast_to

    Examples
    --------
    >>> import cuarray as ca
    >>> ca.broadcast_to([1, 2], (2, 2))
    array([[1, 2],
           [1, 2]])
    """
    return _core.broadcast_to(as_array(array), shape)


def broadcast_shapes(*args):
    """Return the shape that results when arrays of these shapes are broadcast together.

    Parameters
    ----------
    *args : int or tuple of int

    Raises
    ------
    ValueError
        If they do not broadcast.

    See Also
    --------
    numpy.broadcast_shapes

    Examples
    --------
    >>> import cuarray as ca
    >>> ca.broadcast_shapes((3, 1), 4)
    (3, 4)
    """
    return _core.broadcast_shapes(*args)


def broadcast_arrays(*args, subok=False):
    """Return views of the arrays at their common shape.

    Parameters
    ----------
    *args : array_like
    subok : bool
        Accepted and ignored: there are no subclasses.

    Returns
    -------
    tuple of ndarray
        Read-only where the shape changed.

    Raises
    ------
    ValueError
        If the shapes do not broadcast.

    See Also
    --------
    numpy.broadcast_arrays

    Examples
    --------
    >>> import cuarray as ca
    >>> [x.shape for x in ca.broadcast_arrays([1, 2], [[3], [4]])]
    [(2, 2), (2, 2)]
    """
    arrays = [as_array(a) for a in args]
    common = broadcast_shapes(*(a.shape for a in arrays))
    return tuple(a if a.shape == common else broadcast_to(a, common) for a in arrays)


# Joining.


def concat(arrays, /, axis=0, out=None, *, dtype=None, casting="same_kind"):
    """Join arrays along an existing axis.

    Parameters
    ----------
    arrays : sequence of array_like
        Equal in every extent but that of `axis`.
    axis : int or None
        None joins the flattened arrays.
    out : ndarray, optional
        Where the result goes.
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
        If nothing is given to join, or the shapes do not fit.
    AxisError
        If the axis does not exist.
    TypeError
        If `casting` forbids the conversion, or both `out` and `dtype` are given.

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
        raise TypeError("concat: give out or dtype, not both")
    arrays = as_arrays(arrays, "concat")
    if axis is None:
        arrays, axis = [a.ravel() for a in arrays], 0
    return _core.concatenate(arrays, index(axis), out, dtype, casting)


def as_arrays(sequence, function):
    """Return the elements of a sequence as arrays; lists and numbers join the device of the first array."""
    if isinstance(sequence, ndarray):
        if sequence.ndim == 0:
            raise TypeError(f"{function}: a sequence of arrays is needed, not an array without axes")
        return [sequence[i, ...] for i in range(sequence.shape[0])]
    if not hasattr(sequence, "__getitem__"):
        raise TypeError(f"{function}: a sequence of arrays is needed, not {type(sequence).__name__}")
    items = list(sequence)
    device = next((item.device for item in items if isinstance(item, ndarray)), None)
    return [as_array(item, device) for item in items]


def stack(arrays, axis=0, out=None, *, dtype=None, casting="same_kind"):
    """Join arrays of one shape along a new axis.

    Parameters
    ----------
    arrays : sequence of array_like
    axis : int
        Where the new axis stands in the result.
    out : ndarray, optional
    dtype : dtype, optional
    casting : {'no', 'equiv', 'safe', 'same_kind', 'unsafe'}

    Returns
    -------
    ndarray

    Raises
    ------
    ValueError
        If nothing is given to stack, or the shapes differ.
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
    arrays = as_arrays(arrays, "stack")
    if not arrays:
        raise ValueError("stack: at least one array is needed")
    different = next((a.shape for a in arrays if a.shape != arrays[0].shape), None)
    if different is not None:
        raise ValueError(f"stack: shapes {arrays[0].shape} and {different} differ")
    axis = normalise_axis(axis, arrays[0].ndim + 1, "stack")
    return concat([expand_dims(a, axis) for a in arrays], axis, out, dtype=dtype, casting=casting)


def unstack(x, /, *, axis=0):
    """Return the parts of an array along an axis, without that axis, as a tuple of views.

    Parameters
    ----------
    x : array_like
        At least one-dimensional.
    axis : int

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
    return tuple(first[i, ...] for i in range(first.shape[0]))


def vstack(tup, *, dtype=None, casting="same_kind"):
    """Join arrays one below the other: along the first axis, one-dimensional arrays as rows.

    Parameters
    ----------
    tup : sequence of array_like
    dtype : dtype, optional
    casting : {'no', 'equiv', 'safe', 'same_kind', 'unsafe'}

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
    return concat([atleast_2d(a) for a in as_arrays(tup, "vstack")], 0, dtype=dtype, casting=casting)


def hstack(tup, *, dtype=None, casting="same_kind"):
    """Join arrays side by side: along the second axis, one-dimensional arrays along their only one.

    Parameters
    ----------
    tup : sequence of array_like
    dtype : dtype, optional
    casting : {'no', 'equiv', 'safe', 'same_kind', 'unsafe'}

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
    arrays = [atleast_1d(a) for a in as_arrays(tup, "hstack")]
    axis = 0 if arrays and arrays[0].ndim == 1 else 1
    return concat(arrays, axis, dtype=dtype, casting=casting)


def dstack(tup):
    """Join arrays along the third axis.

    Parameters
    ----------
    tup : sequence of array_like

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
    return concat([atleast_3d(a) for a in as_arrays(tup, "dstack")], 2)


def column_stack(tup):
    """Join arrays as columns of a matrix; two-dimensional arrays go in as they are.

    Parameters
    ----------
    tup : sequence of array_like

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
    return concat([a if a.ndim > 1 else a.reshape((a.size, 1)) for a in as_arrays(tup, "column_stack")], 1)


# Splitting.


def array_split(ary, indices_or_sections, axis=0):
    """Split an array into views along an axis; the parts need not be equal.

    Parameters
    ----------
    ary : array_like
    indices_or_sections : int or sequence of int
        How many parts, or where the parts after the first begin.
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
    axis = normalise_axis(axis, a.ndim, "array_split")
    extent = a.shape[axis]
    if np.iterable(indices_or_sections):
        places = [0, *map(index, indices_or_sections), extent]
    else:
        count = index(indices_or_sections)
        if count <= 0:
            raise ValueError(f"array_split: the number of parts must be positive, not {count}")
        size, larger = divmod(extent, count)
        places = [i * size + min(i, larger) for i in range(count + 1)]
    before = (slice(None),) * axis
    return [a[(*before, slice(start, stop), ...)] for start, stop in itertools.pairwise(places)]


def split(ary, indices_or_sections, axis=0):
    """Split an array into equal views along an axis, or at given places.

    Parameters
    ----------
    ary : array_like
    indices_or_sections : int or sequence of int
        How many equal parts, or where the parts after the first begin.
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
    if not np.iterable(indices_or_sections):
        count = index(indices_or_sections)
        extent = a.shape[normalise_axis(axis, a.ndim, "split")]
        if count <= 0 or extent % count:
            raise ValueError(f"split: {extent} elements do not make {count} equal parts; see array_split")
    return array_split(a, indices_or_sections, axis)


def vsplit(ary, indices_or_sections):
    """Split along the first axis; see `split`.

    Parameters
    ----------
    ary : array_like
        At least two-dimensional.
    indices_or_sections : int or sequence of int

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


# Questions, and copying into place.


def shape(a):
    """Return the shape of an array or of anything that becomes one.

    Parameters
    ----------
    a : array_like

    See Also
    --------
    numpy.shape

    Examples
    --------
    >>> import cuarray as ca
    >>> ca.shape([[1, 2]])
    (1, 2)
    """
    return a.shape if isinstance(a, ndarray) else np.shape(a)


def ndim(a):
    """Return the number of axes of an array or of anything that becomes one.

    Parameters
    ----------
    a : array_like

    See Also
    --------
    numpy.ndim

    Examples
    --------
    >>> import cuarray as ca
    >>> ca.ndim(3)
    0
    """
    return len(shape(a))


def size(a, axis=None):
    """Return the number of elements, in all or along axes.

    Parameters
    ----------
    a : array_like
    axis : int or tuple of int, optional

    Raises
    ------
    AxisError
        If an axis does not exist.

    See Also
    --------
    numpy.size

    Examples
    --------
    >>> import cuarray as ca
    >>> ca.size([[1, 2, 3]], 1)
    3
    """
    extents = shape(a)
    axes = range(len(extents)) if axis is None else normalise_axes(axis, len(extents), "size")
    result = 1
    for i in axes:
        result *= extents[i]
    return result


def shares_memory(a, b, /, max_work=-1):
    """Tell whether two arrays have a byte in common.

    Parameters
    ----------
    a, b : ndarray or numpy.ndarray
    max_work : int
        Accepted and ignored: the answer is exact for all views that slicing, transposing and reshaping make.

    See Also
    --------
    numpy.shares_memory

    Examples
    --------
    >>> import cuarray as ca
    >>> x = ca.arange(6)
    >>> ca.shares_memory(x[::2], x[1::2])
    False
    """
    return _core.shares_memory(a, b)


def may_share_memory(a, b, /, max_work=0):
    """Tell whether two arrays have a byte in common; the same as `shares_memory`.

    Parameters
    ----------
    a, b : ndarray or numpy.ndarray
    max_work : int
        Accepted and ignored.

    See Also
    --------
    numpy.may_share_memory

    Examples
    --------
    >>> import cuarray as ca
    >>> x = ca.arange(6)
    >>> ca.may_share_memory(x, x[2:])
    True
    """
    return shares_memory(a, b)


def copyto(dst, src, casting="same_kind", where=True):
    """Copy elements into an existing array, broadcast to its shape.

    Parameters
    ----------
    dst : ndarray
    src : array_like
    casting : {'no', 'equiv', 'safe', 'same_kind', 'unsafe'}
    where : bool or array_like of bool
        Where to copy; elsewhere `dst` keeps its values.

    Raises
    ------
    TypeError
        If `dst` is no array, or `casting` forbids the conversion.
    ValueError
        If `src` does not fit, or `dst` is read-only.

    See Also
    --------
    numpy.copyto

    Examples
    --------
    >>> import cuarray as ca
    >>> x = ca.zeros(3)
    >>> ca.copyto(x, 7, where=[True, False, True])
    >>> x
    array([7., 0., 7.])
    """
    if not isinstance(dst, ndarray):
        raise TypeError(f"copyto: dst must be a cuarray.ndarray, not {type(dst).__name__}")
    src = src if isinstance(src, (bool, int, float, complex)) else as_array(src, dst.device)
    if not _core.can_cast(src, dst.dtype, casting):
        kind = _core.result_type(src)
        raise TypeError(f"copyto: cannot cast from {kind} to {dst.dtype} by the rule '{casting}'")
    if where is True:
        dst[...] = src
    else:
        # Where the mask is false, dst is written with its own values.
        _core.ufuncs["where"](array(where, bool, device=dst.device), src, dst, out=dst, casting="unsafe")
