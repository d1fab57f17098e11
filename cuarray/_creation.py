"""Making arrays: from objects, from numbers, from other arrays."""

import math
from operator import index

import numpy as np

from cuarray import _core
from cuarray._core import from_dlpack, ndarray

__all__ = [
    "arange", "array", "asarray", "ascontiguousarray", "asfortranarray", "copy", "diag", "diagflat",
    "empty", "empty_like", "eye", "from_dlpack", "frombuffer", "fromfunction", "fromiter", "full",
    "full_like", "geomspace", "identity", "linspace", "logspace", "meshgrid", "ones", "ones_like", "tri",
    "tril", "triu", "zeros", "zeros_like",
]  # fmt: skip


def as_array(a, device=None):
    """Return `a` itself where it is an array already, else the array made of it."""
    return a if isinstance(a, ndarray) else _core.array_from_object(a, device=device)


def place(device, like):
    """Return the device that the keywords device= and like= ask for; None stands for the current one."""
    if like is None or device is not None:
        return device
    if isinstance(like, ndarray):
        return like.device
    raise TypeError(f"like must be a cuarray.ndarray, not {type(like).__name__}")


# From objects.


def array(object, dtype=None, *, copy=True, order="K", subok=False, ndmin=0, device=None, like=None):
    """Make a new array of anything that holds numbers.

    Parameters
    ----------
    object : array_like
        An array, a number, nested lists or tuples, a buffer, or an object with `__dlpack__`,
        `__cuda_array_interface__` or `__array__`.
    dtype : dtype, optional
        By default the one that holds all elements.
    copy : bool or None
        True copies always, None only where needed, False never (ValueError where a copy would be needed).
    order : {'K', 'A', 'C', 'F'}
        The layout in memory.
    subok : bool
        Accepted and ignored: there are no subclasses.
    ndmin : int
        Axes of length 1 are put in front up to this number.
    device : device or str, optional
        By default where `object` lies already, else the current device.
    like : ndarray, optional
        The result goes to the device of this array.

    Raises
    ------
    TypeError
        If the elements are no numbers (object, str, datetime64) or have no supported type (longdouble).
    ValueError
        If nested lists are ragged, or `copy` is False and a copy is needed.

    See Also
    --------
    numpy.array

    Examples
    --------
    >>> import cuarray as ca
    >>> ca.array([[1, 2], [3, 4.5]])
    array([[1. , 2. ],
           [3. , 4.5]])
    """
    return _core.array_from_object(object, dtype, place(device, like), copy, order or "K", ndmin)


def asarray(a, dtype=None, order=None, *, device=None, copy=None, like=None):
    """Make an array of anything that holds numbers, without a copy where that is possible.

    Parameters
    ----------
    a : array_like
    dtype : dtype, optional
    order : {'K', 'A', 'C', 'F'}, optional
    device : device or str, optional
        By default where `a` lies already, else the current device. A NumPy array on 'cpu' is not copied.
    copy : bool, optional
        True copies always, None only where needed, False never (ValueError where a copy would be needed).
    like : ndarray, optional
        The result goes to the device of this array.

    Raises
    ------
    TypeError
        If the elements are no numbers or have no supported type.
    ValueError
        If nested lists are ragged, or `copy` is False and a copy is needed.

    See Also
    --------
    numpy.asarray

    Examples
    --------
    >>> import cuarray as ca
    >>> x = ca.asarray([1, 2, 3])
    >>> ca.asarray(x) is x
    True
    """
    if type(a) is ndarray and dtype is order is copy is device is like is None:
        return a
    return _core.array_from_object(a, dtype, place(device, like), copy, order or "K")


asanyarray = asarray


def ascontiguousarray(a, dtype=None, *, device=None, like=None):
    """Make a C-contiguous array of at least one axis, without a copy where `a` is one.

    Parameters
    ----------
    a : array_like
    dtype : dtype, optional
    device : device or str, optional
    like : ndarray, optional

    See Also
    --------
    numpy.ascontiguousarray

    Examples
    --------
    >>> import cuarray as ca
    >>> ca.ascontiguousarray(ca.zeros((2, 3)).T).flags.c_contiguous
    True
    """
    return _core.array_from_object(a, dtype, place(device, like), None, "C", 1)


def asfortranarray(a, dtype=None, *, device=None, like=None):
    """Make a Fortran-contiguous array of at least one axis, without a copy where `a` is one.

    Parameters
    ----------
    a : array_like
    dtype : dtype, optional
    device : device or str, optional
    like : ndarray, optional

    See Also
    --------
    numpy.asfortranarray

    Examples
    --------
    >>> import cuarray as ca
    >>> ca.asfortranarray(ca.zeros((2, 3))).strides
    (8, 16)
    """
    return _core.array_from_object(a, dtype, place(device, like), None, "F", 1)


def copy(a, order="K", subok=False):
    """Copy an array.

    Parameters
    ----------
    a : array_like
    order : {'K', 'A', 'C', 'F'}
        The layout of the copy; 'K' keeps that of `a`.
    subok : bool
        Accepted and ignored: there are no subclasses.

    See Also
    --------
    numpy.copy

    Examples
    --------
    >>> import cuarray as ca
    >>> x = ca.zeros(2)
    >>> y = ca.copy(x)
    >>> y[0] = 1
    >>> x
    array([0., 0.])
    """
    return array(a, order=order)


def frombuffer(buffer, dtype=float, count=-1, offset=0, *, device=None, like=None):
    """Read an object's memory as a one-dimensional array; on 'cpu' the memory is shared.

    Parameters
    ----------
    buffer : buffer
        For example bytes; where it is read-only, so is the result.
    dtype : dtype
    count : int
        How many elements; -1 takes all.
    offset : int
        How many bytes to leave out in front.
    device : device or str, optional
    like : ndarray, optional

    Raises
    ------
    ValueError
        If the buffer is too small, or no multiple of the item size.

    See Also
    --------
    numpy.frombuffer

    Examples
    --------
    >>> import cuarray as ca
    >>> ca.frombuffer(b"abc", dtype=ca.uint8)
    array([97, 98, 99], dtype=uint8)
    """
    return asarray(np.frombuffer(buffer, _core.dtype(dtype), count, offset), device=device, like=like)


def fromiter(iter, dtype, count=-1, *, device=None, like=None):
    """Make a one-dimensional array of the numbers that an iterator gives.

    Parameters
    ----------
    iter : iterable
    dtype : dtype
    count : int
        How many to read; -1 reads all.
    device : device or str, optional
    like : ndarray, optional

    Raises
    ------
    ValueError
        If there are fewer than `count`.

    See Also
    --------
    numpy.fromiter

    Examples
    --------
    >>> import cuarray as ca
    >>> ca.fromiter((i * i for i in range(4)), dtype=ca.int32)
    array([0, 1, 4, 9], dtype=int32)
    """
    return asarray(np.fromiter(iter, _core.dtype(dtype), count), device=device, like=like)


def fromfunction(function, shape, *, dtype=float, device=None, like=None, **kwargs):
    """Return what a function gives when it is called once with the indices of all elements.

    Parameters
    ----------
    function : callable
        Called with one array of `shape` for each axis, which holds the index along that axis.
    shape : tuple of int
    dtype : dtype
        Of the arrays of indices.
    device : device or str, optional
    like : ndarray, optional
    **kwargs
        Handed to `function`.

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
    axes = [arange(extent, dtype=dtype, device=device, like=like) for extent in shape]
    return function(*meshgrid(*axes, indexing="ij"), **kwargs)


# Filled with one value.


def empty(shape, dtype=None, order="C", *, device=None, like=None):
    """Make an array whose contents are undefined.

    Parameters
    ----------
    shape : int or tuple of int
    dtype : dtype
        float64 by default.
    order : {'C', 'F'}
    device : device or str, optional
    like : ndarray, optional

    Raises
    ------
    ValueError
        If an extent is negative or the size is beyond 64 bits.
    MemoryError
        If the device has not as much memory.

    See Also
    --------
    numpy.empty

    Examples
    --------
    >>> import cuarray as ca
    >>> ca.empty((2, 3), dtype=ca.float32).nbytes
    24
    """
    return _core.empty(shape, dtype, place(device, like), order)


def zeros(shape, dtype=None, order="C", *, device=None, like=None):
    """Make an array of zeros.

    Parameters
    ----------
    shape : int or tuple of int
    dtype : dtype
        float64 by default.
    order : {'C', 'F'}
    device : device or str, optional
    like : ndarray, optional

    Raises
    ------
    ValueError
        If an extent is negative or the size is beyond 64 bits.
    MemoryError
        If the device has not as much memory.

    See Also
    --------
    numpy.zeros

    Examples
    --------
    >>> import cuarray as ca
    >>> ca.zeros(3)
    array([0., 0., 0.])
    """
    return _core.full(shape, 0, float if dtype is None else dtype, place(device, like), order)


def ones(shape, dtype=None, order="C", *, device=None, like=None):
    """Make an array of ones.

    Parameters
    ----------
    shape : int or tuple of int
    dtype : dtype
        float64 by default.
    order : {'C', 'F'}
    device : device or str, optional
    like : ndarray, optional

    Raises
    ------
    ValueError
        If an extent is negative or the size is beyond 64 bits.
    MemoryError
        If the device has not as much memory.

    See Also
    --------
    numpy.ones

    Examples
    --------
    >>> import cuarray as ca
    >>> ca.ones((2, 2), dtype=bool)
    array([[ True,  True],
           [ True,  True]])
    """
    return _core.full(shape, 1, float if dtype is None else dtype, place(device, like), order)


def full(shape, fill_value, dtype=None, order="C", *, device=None, like=None):
    """Make an array that holds one value everywhere.

    Parameters
    ----------
    shape : int or tuple of int
    fill_value : number or array_like
        An array is broadcast to the shape.
    dtype : dtype, optional
        By default that of the value.
    order : {'C', 'F'}
    device : device or str, optional
    like : ndarray, optional

    Raises
    ------
    OverflowError
        If a Python int does not fit the dtype.
    ValueError
        If an extent is negative, the size is beyond 64 bits, or the value does not fit the shape.
    MemoryError
        If the device has not as much memory.

    See Also
    --------
    numpy.full

    Examples
    --------
    >>> import cuarray as ca
    >>> ca.full((2, 2), [1, 2])
    array([[1, 2],
           [1, 2]])
    """
    device = place(device, like)
    if np.isscalar(fill_value):
        return _core.full(shape, fill_value, dtype, device, order)
    value = as_array(fill_value, device)
    result = _core.empty(shape, value.dtype if dtype is None else dtype, device or value.device, order)
    result[...] = value
    return result


def empty_like(prototype, /, dtype=None, order="K", subok=True, shape=None, *, device=None):
    """Make an array with undefined contents and the shape, dtype, layout and device of another.

    Parameters
    ----------
    prototype : array_like
    dtype, shape, device : optional
        What to take from here instead.
    order : {'K', 'A', 'C', 'F'}
        The layout in memory; 'K' is that of `prototype`.
    subok : bool
        Accepted and ignored: there are no subclasses.

    See Also
    --------
    numpy.empty_like

    Examples
    --------
    >>> import cuarray as ca
    >>> ca.empty_like(ca.zeros((2, 3)), dtype=ca.int8).dtype
    dtype('int8')
    """
    return _core.empty_like(as_array(prototype), dtype, order, shape, device)


def zeros_like(a, dtype=None, order="K", subok=True, shape=None, *, device=None):
    """Make an array of zeros with the shape, dtype, layout and device of another.

    Parameters
    ----------
    a : array_like
    dtype, shape, device : optional
        What to take from here instead.
    order : {'K', 'A', 'C', 'F'}
    subok : bool
        Accepted and ignored: there are no subclasses.

    See Also
    --------
    numpy.zeros_like

    Examples
    --------
    >>> import cuarray as ca
    >>> ca.zeros_like([1, 2])
    array([0, 0])
    """
    return full_like(a, 0, dtype, order, subok, shape, device=device)


def ones_like(a, dtype=None, order="K", subok=True, shape=None, *, device=None):
    """Make an array of ones with the shape, dtype, layout and device of another.

    Parameters
    ----------
    a : array_like
    dtype, shape, device : optional
        What to take from here instead.
    order : {'K', 'A', 'C', 'F'}
    subok : bool
        Accepted and ignored: there are no subclasses.

    See Also
    --------
    numpy.ones_like

    Examples
    --------
    >>> import cuarray as ca
    >>> ca.ones_like([1.5, 2.5])
    array([1., 1.])
    """
    return full_like(a, 1, dtype, order, subok, shape, device=device)


def full_like(a, fill_value, dtype=None, order="K", subok=True, shape=None, *, device=None):
    """Make an array that holds one value everywhere, with the shape, dtype, layout and device of another.

    Parameters
    ----------
    a : array_like
    fill_value : number or array_like
    dtype, shape, device : optional
        What to take from here instead.
    order : {'K', 'A', 'C', 'F'}
    subok : bool
        Accepted and ignored: there are no subclasses.

    Raises
    ------
    OverflowError
        If a Python int does not fit the dtype.

    See Also
    --------
    numpy.full_like

    Examples
    --------
    >>> import cuarray as ca
    >>> ca.full_like([1, 2], 7)
    array([7, 7])
    """
    result = _core.empty_like(as_array(a), dtype, order, shape, device)
    result[...] = fill_value
    return result


# Sequences of numbers.


def arange(start=None, stop=None, step=None, dtype=None, *, device=None, like=None):
    """Make the numbers start, start + step, ... up to but without stop.

    Parameters
    ----------
    start : number
        0 where only one number is given, which then is `stop`.
    stop : number
    step : number
        1 by default; may be negative.
    dtype : dtype, optional
        By default int64, or the floating-point type that holds the numbers given.
    device : device or str, optional
    like : ndarray, optional

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
        if start is None or step is not None:
            raise TypeError("arange: stop is missing")
        start, stop = 0, start
    numbers = [0 if start is None else start, stop, 1 if step is None else step]
    numbers = [x.item() if isinstance(x, ndarray) else x for x in numbers]
    kinds = [
        x.dtype if isinstance(x, ndarray) else np.asarray(y).dtype
        for x, y in zip((start, stop, step), numbers, strict=True)
    ]
    dtype = np.result_type(np.int64, *kinds) if dtype is None else dtype
    dtype = _core.dtype(dtype)
    first, stop, step = (x.item() if isinstance(x, np.generic | np.ndarray) else x for x in numbers)
    count = steps_between(first, stop, step)
    if dtype == np.bool_ and count > 2:
        raise TypeError("arange: a bool array has at most 2 elements")
    second = first + step if count > 1 else first
    ends = (np.asarray(x, dtype if isinstance(x, int) else None).astype(dtype)[()] for x in (first, second))
    return _core.arange_fill(count, *ends, dtype, place(device, like))


def steps_between(start, stop, step):
    """Return how many of start, start + step, ... come before stop."""
    if isinstance(start, int) and isinstance(stop, int) and isinstance(step, int):
        count = -((start - stop) // step)
    elif any(isinstance(x, complex) for x in (start, stop, step)):
        length = (stop - start) / step
        count = min(math.ceil(length.real), math.ceil(length.imag))
    else:
        length = (stop - start) / step
        if math.isnan(length):
            raise ValueError("arange: the length is not a number")
        count = math.ceil(length) if math.isfinite(length) else math.copysign(math.inf, length)
    if count >= 2**63:
        raise ValueError(f"arange: {count} elements are more than an array can have")
    return max(int(count), 0) if count > 0 else 0


def linspace(start, stop, num=50, endpoint=True, retstep=False, dtype=None, axis=0, *, device=None):
    """Make equally spaced numbers from start to stop.

    Parameters
    ----------
    start, stop : array_like
        Arrays give one sequence for each element.
    num : int
        How many.
    endpoint : bool
        Whether `stop` is the last number, or the one after.
    retstep : bool
        Whether to return the distance too.
    dtype : dtype, optional
        By default the floating-point type that holds start and stop; integers are rounded down.
    axis : int
        Along which axis of the result the numbers lie.
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
    num = index(num)
    if num < 0:
        raise ValueError(f"linspace: the number of samples {num} is negative")
    start, stop, inexact = ends(start, stop, device)
    dtype = inexact if dtype is None else _core.dtype(dtype)
    device = start.device if isinstance(start, ndarray) else device

    intervals = num - bool(endpoint)
    delta = stop - start
    step = delta / intervals if intervals > 0 else np.nan
    y = arange(num, dtype=inexact, device=device).reshape((num,) + (1,) * np.ndim(delta))
    if intervals > 0:
        # A distance too small for its type keeps its meaning when the division comes first.
        if isinstance(step, ndarray):
            y = _core.ufuncs["where"](step == 0, y / intervals * delta, y * step)
        else:
            y = y * step if step != 0 else y / intervals * delta
    else:
        y = y * delta
    y = y + start
    if endpoint and num > 1:
        y[-1, ...] = stop
    y = moved_axis(y, axis)
    if dtype.kind in "iu":
        y = _core.ufuncs["floor"](y)
    y = y.astype(dtype, copy=False)
    return (y, step) if retstep else y


def ends(start, stop, device):
    """Return the ends of a sequence as inexact numbers or arrays, and their common type."""
    if np.isscalar(start) and np.isscalar(stop):
        inexact = np.result_type(start, stop, 1.0)
        return np.multiply(start, 1.0), np.multiply(stop, 1.0), inexact
    device = next((x.device for x in (start, stop) if isinstance(x, ndarray)), device)
    inexact = _core.result_type(*(x if np.isscalar(x) else as_array(x, device) for x in (start, stop)), 1.0)
    return as_array(start, device) * 1.0, as_array(stop, device) * 1.0, inexact


def logspace(start, stop, num=50, endpoint=True, base=10.0, dtype=None, axis=0, *, device=None):
    """Make numbers from base**start to base**stop, equally spaced on a logarithmic scale.

    Parameters
    ----------
    start, stop : array_like
        The exponents.
    num : int
        How many.
    endpoint : bool
        Whether base**stop is the last number, or the one after.
    base : array_like
    dtype : dtype, optional
    axis : int
        Along which axis of the result the numbers lie.
    device : device or str, optional

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
    if not np.isscalar(base):
        start, stop, base = broadcast_arrays(*(as_array(x, device) for x in (start, stop, base)))
    y = _core.ufuncs["pow"](base, linspace(start, stop, num, endpoint, device=device))
    y = moved_axis(y, axis)
    return y if dtype is None else y.astype(dtype, copy=False)


def geomspace(start, stop, num=50, endpoint=True, dtype=None, axis=0, *, device=None):
    """Make numbers from start to stop whose ratio is constant.

    Parameters
    ----------
    start, stop : array_like
        Not zero; both of the same sign, or complex.
    num : int
        How many.
    endpoint : bool
        Whether `stop` is the last number, or the one after.
    dtype : dtype, optional
    axis : int
        Along which axis of the result the numbers lie.
    device : device or str, optional

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
    num = index(num)
    start, stop, inexact = ends(start, stop, device)
    if bool((start == 0).any()) or bool((stop == 0).any()):
        raise ValueError("geomspace: a geometric sequence cannot include zero")
    # Turned so that the sequence starts on the positive real axis.
    direction = np.sign(start)
    start, stop = start / direction, stop / direction
    with np.errstate(invalid="ignore"):
        y = logspace(np.log10(start), np.log10(stop), num, endpoint, device=device)
    if num > 0:
        y[0, ...] = start
    if num > 1 and endpoint:
        y[-1, ...] = stop
    y = moved_axis(y * direction, axis)
    return y.astype(inexact if dtype is None else dtype, copy=False)


def moved_axis(y, axis):
    """Return a view of `y` with its first axis at `axis`."""
    axis = index(axis)
    if not -y.ndim <= axis < y.ndim:
        raise np.exceptions.AxisError(axis, y.ndim)
    order = list(range(1, y.ndim))
    order.insert(axis % y.ndim, 0)
    return y.transpose(order)


def broadcast_arrays(*arrays):
    """Return read-only views of the arrays at their common shape."""
    common = _core.broadcast_shapes(*(a.shape for a in arrays))
    return tuple(_core.broadcast_to(a, common) for a in arrays)


def meshgrid(*xi, copy=True, sparse=False, indexing="xy"):
    """Make arrays of coordinates from the coordinates along each axis.

    Parameters
    ----------
    *xi : array_like
        One-dimensional.
    copy : bool
        Whether the results have memory of their own; views are read-only.
    sparse : bool
        Whether each result is long along its own axis only.
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
        as_array(x).reshape([-1 if axis == place else 1 for axis in range(len(xi))])
        for x, place in zip(xi, places, strict=True)
    )
    if not sparse and grids:
        grids = broadcast_arrays(*grids)
    return tuple(grid.copy() for grid in grids) if copy else grids


# Matrices.


def eye(N, M=None, k=0, dtype=float, order="C", *, device=None, like=None):
    """Make a matrix of ones on a diagonal and zeros elsewhere.

    Parameters
    ----------
    N : int
        Rows.
    M : int, optional
        Columns; as many as rows by default.
    k : int
        Which diagonal: 0 is the main one, positive ones lie above.
    dtype : dtype
    order : {'C', 'F'}
    device : device or str, optional
    like : ndarray, optional

    Raises
    ------
    ValueError
        If an extent is negative.

    See Also
    --------
    numpy.eye

    Examples
    --------
    >>> import cuarray as ca
    >>> ca.eye(2, 3, k=1)
    array([[0., 1., 0.],
           [0., 0., 1.]])
    """
    result = zeros((index(N), index(N if M is None else M)), dtype, order, device=device, like=like)
    diagonal(result, index(k))[...] = 1
    return result


def identity(n, dtype=None, *, device=None, like=None):
    """Make the square matrix of ones on the main diagonal.

    Parameters
    ----------
    n : int
    dtype : dtype
        float64 by default.
    device : device or str, optional
    like : ndarray, optional

    Raises
    ------
    ValueError
        If `n` is negative.

    See Also
    --------
    numpy.identity

    Examples
    --------
    >>> import cuarray as ca
    >>> ca.identity(2)
    array([[1., 0.],
           [0., 1.]])
    """
    return eye(n, dtype=dtype, device=device, like=like)


def diagonal(matrix, k):
    """Return a view of the k-th diagonal of a two-dimensional array."""
    rows, columns = matrix.shape
    down, right = matrix.strides
    first = k * right if k >= 0 else -k * down
    length = max(min(rows + min(k, 0), columns - max(k, 0)), 0)
    return _core.strided_view(matrix, (length,), (down + right,), first if length else 0)


def diag(v, k=0):
    """Make a matrix with a given diagonal, or take the diagonal of a matrix.

    Parameters
    ----------
    v : array_like
        One-dimensional: the diagonal of the result. Two-dimensional: the matrix whose diagonal is wanted.
    k : int
        Which diagonal: 0 is the main one, positive ones lie above.

    Returns
    -------
    ndarray
        A new array.

    Raises
    ------
    ValueError
        If `v` has other than one or two axes.

    See Also
    --------
    numpy.diag

    Examples
    --------
    >>> import cuarray as ca
    >>> ca.diag([1, 2])
    array([[1, 0],
           [0, 2]])
    >>> ca.diag([[1, 2], [3, 4]], k=1)
    array([2])
    """
    v, k = as_array(v), index(k)
    if v.ndim == 2:
        return diagonal(v, k).copy()
    if v.ndim != 1:
        raise ValueError(f"diag: the array has {v.ndim} axes and 1 or 2 are needed")
    n = v.shape[0] + abs(k)
    result = zeros((n, n), v.dtype, device=v.device)
    diagonal(result, k)[...] = v
    return result


def diagflat(v, k=0):
    """Make a matrix whose k-th diagonal holds the elements of an array in C order.

    Parameters
    ----------
    v : array_like
    k : int

    See Also
    --------
    numpy.diagflat

    Examples
    --------
    >>> import cuarray as ca
    >>> ca.diagflat([[1, 2]], 1)
    array([[0, 1, 0],
           [0, 0, 2],
           [0, 0, 0]])
    """
    return diag(as_array(v).ravel(), k)


def tri(N, M=None, k=0, dtype=float, *, device=None, like=None):
    """Make a matrix of ones at and below a diagonal, and zeros above.

    Parameters
    ----------
    N : int
        Rows.
    M : int, optional
        Columns; as many as rows by default.
    k : int
        Which diagonal: 0 is the main one, positive ones lie above.
    dtype : dtype
    device : device or str, optional
    like : ndarray, optional

    Raises
    ------
    ValueError
        If an extent is negative.

    See Also
    --------
    numpy.tri

    Examples
    --------
    >>> import cuarray as ca
    >>> ca.tri(2, 3, dtype=int)
    array([[1, 0, 0],
           [1, 1, 0]])
    """
    return tril(ones((index(N), index(N if M is None else M)), dtype, device=device, like=like), k)


def tril(m, k=0):
    """Return a copy with zeros above a diagonal of the last two axes.

    Parameters
    ----------
    m : array_like
        At least one-dimensional; a one-dimensional array stands for every row of a square matrix.
    k : int
        Which diagonal: 0 is the main one, positive ones lie above.

    Raises
    ------
    ValueError
        If `m` has no axis.

    See Also
    --------
    numpy.tril

    Examples
    --------
    >>> import cuarray as ca
    >>> ca.tril([[1, 2], [3, 4]])
    array([[1, 0],
           [3, 4]])
    """
    return _core.triangle(matrices(m, "tril"), index(k), False)


def triu(m, k=0):
    """Return a copy with zeros below a diagonal of the last two axes.

    Parameters
    ----------
    m : array_like
        At least one-dimensional; a one-dimensional array stands for every row of a square matrix.
    k : int
        Which diagonal: 0 is the main one, positive ones lie above.

    Raises
    ------
    ValueError
        If `m` has no axis.

    See Also
    --------
    numpy.triu

    Examples
    --------
    >>> import cuarray as ca
    >>> ca.triu([[1, 2], [3, 4]])
    array([[1, 2],
           [0, 4]])
    """
    return _core.triangle(matrices(m, "triu"), index(k), True)


def matrices(m, function):
    """Return `m` as an array of at least two axes, a row as a square of equal rows."""
    m = as_array(m)
    if m.ndim == 0:
        raise ValueError(f"{function}: the array has no axis")
    return _core.broadcast_to(m, m.shape * 2) if m.ndim == 1 else m
