"""Number sequences, and coordinate grids."""

import math

import numpy as np

from cuarray import _core
from cuarray._arguments.axes import integer, normalise_axis, shape_tuple
from cuarray._arguments.functions import broadcast_shapes, broadcast_to
from cuarray._arguments.operands import as_arrays, device_of, is_scalar
from cuarray._arguments.ufuncs import floor, pow, where
from cuarray._core import ndarray
from cuarray._functions.creation import as_array, asarray, device_for
from cuarray._runtime.fuse import fused_call

__all__ = ["arange", "fromfunction", "geomspace", "linspace", "logspace", "meshgrid"]


INT64 = np.dtype(np.int64)
ARRAYS = (ndarray, np.ndarray, np.generic)


@_core.without_binding
@_core.with_fast_path
def arange(start=None, stop=None, step=None, dtype=None, *, device=None, like=None):
    """Make the numbers start, start + step, ... up to, but not including, stop.

    Parameters
    ----------
    start : number
        0 if only one number is given, which is then `stop`.
    stop : number
    step : number
        1 by default; may be negative.
    dtype : dtype, optional
        By default int64, or the floating-point type that holds the numbers given.
    device : device or str, optional
    like : ndarray, optional

    Returns
    -------
    ndarray

    Raises
    ------
    TypeError
        If `stop` is missing.
    ZeroDivisionError
        If `step` is 0.
    ValueError
        If the length is not finite or too large.

    See Also
    --------
    numpy.arange

    Examples
    --------
    >>> import cuarray as ca
    >>> ca.arange(1, 2, 0.25)
    array([1.  , 1.25, 1.5 , 1.75])
    """
    if stop is None:
        if start is None:
            raise TypeError("arange: stop is missing")
        start, stop = 0, start
    numbers = (0 if start is None else start, stop, 1 if step is None else step)
    if dtype is not None:
        dtype = _core.dtype(dtype)  # report an unsupported type before checking the numbers
    try:
        dtype = number_type(numbers) if dtype is None else dtype
        first, stop, step = (number_of(x) if isinstance(x, ARRAYS) else x for x in numbers)
        count = steps_between(first, stop, step)
    except TypeError as error:
        raise TypeError(f"arange: start, stop and step must be numbers, not {numbers}") from error
    if count > 2 and np.dtype(dtype) == np.bool_:
        raise TypeError("arange: a bool array has at most 2 elements")
    if count == 0:
        first = 0  # an empty result need not fit the dtype
    second = first + step if count > 1 else first
    return _core.arange_fill(count, first, second, dtype, device_for(device, like))


def number_of(x):
    """Return the number in an array of one element; a masked element is not a number."""
    _core.refuse_to_strip(x, "arange")
    return x.item()


def number_type(numbers):
    """Return the type that holds int64 and the numbers."""
    if all(type(x) is int for x in numbers):
        return INT64
    dtypes = (x.dtype if isinstance(x, ARRAYS) else np.asarray(x).dtype for x in numbers)
    return np.result_type(INT64, *dtypes)


def steps_between(start, stop, step):
    """Return the count of numbers start, start + step, ... before stop."""
    if not step:
        raise ZeroDivisionError("arange: step must not be 0")
    if isinstance(start, int) and isinstance(stop, int) and isinstance(step, int):
        count = -((start - stop) // step)
    elif any(isinstance(x, complex) for x in (start, stop, step)):
        length = (stop - start) / step
        count = min(math.ceil(length.real), math.ceil(length.imag))
    else:
        length = (stop - start) / step
        if math.isnan(length):
            raise ValueError("arange: the length is not a number")
        if length == 0 and stop != start:  # an infinite step, or a quotient too small for a float
            return int(math.copysign(1, length) > 0)
        count = math.ceil(length) if math.isfinite(length) else math.copysign(math.inf, length)
    if count >= 2**63:
        raise ValueError(f"arange: {count} elements are more than an array can have")
    return max(int(count), 0) if count > 0 else 0


@_core.with_fast_path
def linspace(start, stop, num=50, endpoint=True, retstep=False, dtype=None, axis=0, *, device=None):
    """Make equally spaced numbers from start to stop.

    Parameters
    ----------
    start, stop : array_like
        Arrays give one sequence for each element.
    num : int
        The number of elements.
    endpoint : bool
        Whether `stop` is the last number, or the one after it.
    retstep : bool
        Whether to return the step too.
    dtype : dtype, optional
        By default the floating-point type that holds start and stop; integers are rounded down.
    axis : int
        The axis of the result along which the numbers are stored.
    device : device or str, optional

    Returns
    -------
    ndarray, or (ndarray, step)

    Raises
    ------
    ValueError
        If `num` is negative.

    See Also
    --------
    numpy.linspace

    Examples
    --------
    >>> import cuarray as ca
    >>> ca.linspace(0, 1, 5)
    array([0.  , 0.25, 0.5 , 0.75, 1.  ])
    """
    num = integer(num, "num", "linspace")
    if num < 0:
        raise ValueError(f"{_core.called_function('linspace')}: the number of samples {num} is negative")
    start, stop, inexact = ends(start, stop, device)
    dtype = inexact if dtype is None else _core.dtype(dtype)
    device = start.device if isinstance(start, ndarray) else device

    intervals = num - bool(endpoint)
    delta = stop - start
    step = delta / intervals if intervals > 0 else np.nan
    y = arange(num, dtype=inexact, device=device).reshape((num,) + (1,) * np.ndim(delta))
    with fused_call():
        if intervals <= 0:
            y = y * delta
        # Divide first: a step may underflow in its type.
        elif isinstance(step, ndarray):
            y = where(step == 0, y / intervals * delta, y * step)
        else:
            y = y * step if step != 0 else y / intervals * delta
        y = y + start
    if endpoint and num > 1:
        y[-1, ...] = stop
    y = moved_axis(y, axis, "linspace")
    if dtype.kind in "iu":
        y = floor(y)
    y = y.astype(dtype, copy=False)
    if not retstep:
        return y
    return y, step.astype(inexact, copy=False) if isinstance(step, ndarray) else step


def ends(start, stop, device):
    """Return the ends of a sequence as inexact numbers or arrays, and their common type."""
    if is_scalar(start) and is_scalar(stop):
        inexact = np.result_type(start, stop, 1.0)
        return np.multiply(start, 1.0), np.multiply(stop, 1.0), inexact
    given, is_placed = (start, stop), device is None and device_of(start, stop) is not None
    arrays = as_arrays("linspace", *given) if is_placed else [asarray(x, device=device) for x in given]
    types = (x if is_scalar(x) else array for x, array in zip(given, arrays, strict=True))
    return arrays[0] * 1.0, arrays[1] * 1.0, _core.result_type(*types, 1.0)


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
