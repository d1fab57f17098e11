"""Reshaping, permuting and broadcasting of axes: views where possible."""

import numpy as np

from cuarray import _core
from cuarray._arguments.axes import integer, normalise_axes, normalise_axis
from cuarray._arguments.operands import as_arrays
from cuarray._core import ndarray
from cuarray._functions.creation import as_array

__all__ = [
    "atleast_1d", "atleast_2d", "atleast_3d", "broadcast_arrays", "broadcast_shapes", "broadcast_to",
    "expand_dims", "matrix_transpose", "moveaxis", "ndim", "permute_dims", "ravel", "reshape", "rollaxis",
    "shape", "size", "squeeze", "swapaxes",
]  # fmt: skip


def reshape(a, /, shape, order="C", *, copy=None):
    """Give the same elements another shape.

    Parameters
    ----------
    a : array_like
    shape : int or tuple of int
        One entry may be -1; it is inferred from the size.
    order : {'C', 'F', 'A'}
        The index order: last axis fastest, first axis fastest, or 'A': 'F' if `a` is Fortran-contiguous, else
        'C'.
    copy : bool, optional
        True always copies, False never (ValueError if a copy would be needed), None only if needed.

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

    Returns
    -------
    ndarray

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

    Returns
    -------
    ndarray

    Raises
    ------
    ValueError
        If `axes` is not a permutation.

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


def matrix_transpose(x, /):
    """Return a view with the last two axes exchanged.

    Parameters
    ----------
    x : array_like
        At least two-dimensional.

    Returns
    -------
    ndarray

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


@_core.with_fast_path
def moveaxis(a, source, destination):
    """Return a view with some axes moved to other positions; the others keep their order.

    Parameters
    ----------
    a : array_like
    source, destination : int or sequence of int
        Equal numbers of axes, none twice.

    Returns
    -------
    ndarray

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
    """Return a view with one axis moved to the position before `start`; `moveaxis` is clearer.

    Parameters
    ----------
    a : array_like
    axis : int
    start : int

    Returns
    -------
    ndarray

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
    start = integer(start, "start", "rollaxis")
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

    Returns
    -------
    ndarray

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
        Positions of the new axes in the result.

    Returns
    -------
    ndarray

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

    Returns
    -------
    ndarray

    Raises
    ------
    ValueError
        If an axis to remove is longer than 1.
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

    Returns
    -------
    ndarray or tuple of ndarray

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
    """Return each array with at least two axes; new axes come first.

    Parameters
    ----------
    *arys : array_like

    Returns
    -------
    ndarray or tuple of ndarray

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

    Returns
    -------
    ndarray or tuple of ndarray

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
    """Return the only array, or a tuple of all, as atleast_1d and its like do."""
    arrays = tuple(arrays)
    return arrays[0] if len(arrays) == 1 else arrays


def broadcast_to(array, shape, subok=False):
    """Return a read-only view at a larger shape.

    Parameters
    ----------
    array : array_like
    shape : int or tuple of int
    subok : bool
        Accepted and ignored: there are no subclasses.

    Returns
    -------
    ndarray

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

    Returns
    -------
    tuple of int

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
        Read-only if the shape changed.

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
    arrays = as_arrays("broadcast_arrays", *args)
    common = broadcast_shapes(*(a.shape for a in arrays))
    return tuple(a if a.shape == common else broadcast_to(a, common) for a in arrays)


def shape(a):
    """Return the shape of an array or of anything that becomes one.

    Parameters
    ----------
    a : array_like

    Returns
    -------
    tuple of int

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

    Returns
    -------
    int

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

    Returns
    -------
    int

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
