"""Number sequences, and coordinate grids."""

import numpy as np

from cuarray import _core
from cuarray._arguments.axes import integer, normalise_axis, shape_tuple
from cuarray._arguments.functions import arange, broadcast_shapes, broadcast_to, linspace
from cuarray._arguments.operands import as_arrays, device_of, is_scalar
from cuarray._arguments.ufuncs import pow
from cuarray._functions.creation import as_array, asarray

__all__ = ["fromfunction", "geomspace", "logspace", "meshgrid"]


def logspace(start, stop, num=50, endpoint=True, base=10.0, dtype=None, axis=0, *, device=None):
    """Make numbers from base**start to base**stop, equally spaced on a logarithmic scale.

    Parameters
    ----------
    start, stop : array_like
        The exponents.
    num : int
        The number of elements.
    endpoint : bool
        Whether base**stop is the last number, or the one after it.
    base : array_like
    dtype : dtype, optional
    axis : int
        The axis of the result along which the numbers are stored.
    device : device or str, optional

    Returns
    -------
    ndarray

    Raises
    ------
    ValueError
        If `num` is negative.

    See Also
    --------
    numpy.logspace

    Examples
    --------
    >>> import cuarray as ca
    >>> ca.logspace(0, 3, 4)
    array([   1.,   10.,  100., 1000.])
    """
    if not is_scalar(base):
        start, stop, base = broadcast_arrays(*(as_array(x, device) for x in (start, stop, base)))
    y = pow(base, linspace(start, stop, num, endpoint, device=device))
    y = moved_axis(y, axis, "logspace")
    return y if dtype is None else y.astype(dtype, copy=False)


def ends(start, stop, device):
    """Return the ends of a sequence as inexact numbers or arrays, and their common type."""
    if is_scalar(start) and is_scalar(stop):
        inexact = np.result_type(start, stop, 1.0)
        return np.multiply(start, 1.0), np.multiply(stop, 1.0), inexact
    given, is_placed = (start, stop), device is None and device_of(start, stop) is not None
    arrays = as_arrays("linspace", *given) if is_placed else [asarray(x, device=device) for x in given]
    types = (x if is_scalar(x) else array for x, array in zip(given, arrays, strict=True))
    return arrays[0] * 1.0, arrays[1] * 1.0, _core.result_type(*types, 1.0)


def geomspace(start, stop, num=50, endpoint=True, dtype=None, axis=0, *, device=None):
    """Make numbers from start to stop whose ratio is constant.

    Parameters
    ----------
    start, stop : array_like
        Not zero; both of the same sign, or complex.
    num : int
        The number of elements.
    endpoint : bool
        Whether `stop` is the last number, or the one after it.
    dtype : dtype, optional
    axis : int
        The axis of the result along which the numbers are stored.
    device : device or str, optional

    Returns
    -------
    ndarray

    Raises
    ------
    ValueError
        If `num` is negative, or `start` or `stop` is zero.

    See Also
    --------
    numpy.geomspace

    Examples
    --------
    >>> import cuarray as ca
    >>> ca.geomspace(1, 1000, 4)
    array([   1.,   10.,  100., 1000.])
    """
    num = integer(num, "num", "geomspace")
    start, stop, inexact = ends(start, stop, device)
    if bool((start == 0).any()) or bool((stop == 0).any()):
        raise ValueError("geomspace: a geometric sequence cannot include zero")
    work = _core.result_type(inexact, "f8" if dtype is None else dtype)
    start, stop = start.astype(work), stop.astype(work)
    # Rotated so that the sequence starts on the positive real axis.
    direction = np.sign(start)
    start, stop = start / direction, stop / direction
    with np.errstate(invalid="ignore"):
        y = logspace(np.log10(start), np.log10(stop), num, endpoint, device=device)
    if num > 0:
        y[0, ...] = start
    if num > 1 and endpoint:
        y[-1, ...] = stop
    y = moved_axis(y * direction, axis, "geomspace")
    return y.astype(work if dtype is None else dtype, copy=False)


def moved_axis(y, axis, function):
    """Return a view of `y` with its first axis at `axis`."""
    order = list(range(1, y.ndim))
    order.insert(normalise_axis(axis, y.ndim, function), 0)
    return y.transpose(order)


def broadcast_arrays(*arrays):
    """Return read-only views of the arrays at their common shape."""
    common = broadcast_shapes(*(a.shape for a in arrays))
    return tuple(broadcast_to(a, common) for a in arrays)


def meshgrid(*xi, copy=True, sparse=False, indexing="xy"):
    """Make arrays of coordinates from the coordinates along each axis.

    Parameters
    ----------
    *xi : array_like
        One-dimensional.
    copy : bool
        Whether the results are copies; views are read-only.
    sparse : bool
        Whether each result extends only along its own axis, with length 1 along the others.
    indexing : {'xy', 'ij'}
        'xy' exchanges the first two axes of the results.

    Returns
    -------
    tuple of ndarray

    Raises
    ------
    ValueError
        If `indexing` is neither.

    See Also
    --------
    numpy.meshgrid

    Examples
    --------
    >>> import cuarray as ca
    >>> x, y = ca.meshgrid([1, 2, 3], [4, 5])
    >>> x
    array([[1, 2, 3],
           [1, 2, 3]])
    >>> y
    array([[4, 4, 4],
           [5, 5, 5]])
    """
    if indexing not in ("xy", "ij"):
        raise ValueError(f"meshgrid: indexing must be 'xy' or 'ij', not {indexing!r}")
    places = list(range(len(xi)))
    if indexing == "xy" and len(xi) > 1:
        places[:2] = [1, 0]
    grids = tuple(
        x.reshape([-1 if axis == place else 1 for axis in range(len(xi))])
        for x, place in zip(as_arrays("meshgrid", *xi), places, strict=True)
    )
    if not sparse and grids:
        grids = broadcast_arrays(*grids)
    return tuple(grid.copy() for grid in grids) if copy else grids


def fromfunction(function, shape, *, dtype=float, device=None, like=None, **kwargs):
    """Return the result of one call of a function with the indices of all elements.

    Parameters
    ----------
    function : callable
        Called with one array of `shape` per axis, which holds the index along that axis.
    shape : tuple of int
    dtype : dtype
        Type of the index arrays.
    device : device or str, optional
    like : ndarray, optional
    **kwargs
        Passed to `function`.

    Returns
    -------
    ndarray

    See Also
    --------
    numpy.fromfunction

    Examples
    --------
    >>> import cuarray as ca
    >>> ca.fromfunction(lambda i, j: 10 * i + j, (2, 3), dtype=int)
    array([[ 0,  1,  2],
           [10, 11, 12]])
    """
    shape = shape_tuple(shape, "shape", "fromfunction")
    if any(extent < 0 for extent in shape):
        raise ValueError(f"fromfunction: negative dimensions are not allowed: {shape}")
    dtype = _core.dtype(dtype)
    axes = [arange(extent, dtype=dtype, device=device, like=like) for extent in shape]
    return function(*meshgrid(*axes, indexing="ij"), **kwargs)
