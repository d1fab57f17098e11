"""Array creation from objects."""

import numpy as np

from cuarray import _core
from cuarray._arguments.functions import empty
from cuarray._core import ndarray

__all__ = [
    "array", "asarray", "ascontiguousarray", "asfortranarray", "copy", "from_dlpack", "frombuffer", "fromiter",
]  # fmt: skip


def as_array(a, device=None):
    """Return `a` itself if it is an array, else convert it."""
    return a if isinstance(a, ndarray) else _core.array_from_object(a, None, device)


def device_for(device, like):
    """Return the device of the keywords device= and like=; None is the current one."""
    if like is None or device is not None:
        return device
    if isinstance(like, ndarray):
        return like.device
    raise TypeError(f"like must be a cuarray.ndarray, not {type(like).__name__}")


# From objects.


@_core.array_function
def array(object, dtype=None, *, copy=True, order="K", subok=False, ndmin=0, device=None, like=None, ndmax=64):
    """Make a new array from any object that holds numbers.

    Parameters
    ----------
    object : array_like or object
        An array, a number, nested lists or tuples, a buffer, or an object with `__dlpack__`,
        `__cuda_array_interface__` or `__array__`.
    dtype : dtype, optional
        By default the smallest that holds all elements.
    copy : bool or None
        True always copies, None only if needed, False never (ValueError if a copy would be needed).
    order : {'K', 'A', 'C', 'F'}
        The layout in memory.
    subok : bool
        Accepted and ignored: there are no subclasses.
    ndmin : int
        Leading axes of length 1 are added up to this number of axes.
    device : device or str, optional
        By default that of `object`, else the current device.
    like : ndarray, optional
        The result goes to the device of this array.
    ndmax : int
        The number of axes that nested lists may give, at most 64.

    Returns
    -------
    ndarray

    Raises
    ------
    TypeError
        If the elements are not numbers (object, str, datetime64) or have no supported type (longdouble).
    ValueError
        If nested lists are ragged or deeper than `ndmax`, or `copy` is False and a copy is needed.

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


@_core.array_function
def asarray(a, dtype=None, order=None, *, device=None, copy=None, like=None):
    """Make an array from any object that holds numbers, without a copy if possible.

    Parameters
    ----------
    a : array_like or object
        As of `array`.
    dtype : dtype, optional
    order : {'K', 'A', 'C', 'F'}, optional
    device : device or str, optional
        By default that of `a`, else the current device. A NumPy array on 'cpu' is not copied.
    copy : bool, optional
        True always copies, None only if needed, False never (ValueError if a copy would be needed).
    like : ndarray, optional
        The result goes to the device of this array.

    Returns
    -------
    ndarray

    Raises
    ------
    TypeError
        If the elements are not numbers or have no supported type.
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


@_core.array_function
def ascontiguousarray(a, dtype=None, *, device=None, like=None):
    """Make a C-contiguous array of at least one axis, without a copy if `a` is one already.

    Parameters
    ----------
    a : array_like
    dtype : dtype, optional
    device : device or str, optional
    like : ndarray, optional

    Returns
    -------
    ndarray

    See Also
    --------
    numpy.ascontiguousarray

    Examples
    --------
    >>> import cuarray as ca
    >>> ca.ascontiguousarray(ca.zeros((2, 3)).T).flags.c_contiguous
    True
    """


@_core.array_function
def asfortranarray(a, dtype=None, *, device=None, like=None):
    """Make a Fortran-contiguous array of at least one axis, without a copy if `a` is one already.

    Parameters
    ----------
    a : array_like
    dtype : dtype, optional
    device : device or str, optional
    like : ndarray, optional

    Returns
    -------
    ndarray

    See Also
    --------
    numpy.asfortranarray

    Examples
    --------
    >>> import cuarray as ca
    >>> ca.asfortranarray(ca.zeros((2, 3))).strides
    (8, 16)
    """


def copy(a, order="K", subok=False):
    """Copy an array.

    Parameters
    ----------
    a : array_like
    order : {'K', 'A', 'C', 'F'}
        The layout of the copy; 'K' keeps that of `a`.
    subok : bool
        Accepted and ignored: there are no subclasses.

    Returns
    -------
    ndarray

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


@_core.array_function
def frombuffer(buffer, dtype=float, count=-1, offset=0, *, device=None, like=None):
    """Read an object's memory as a one-dimensional array; on 'cpu' the memory is shared.

    Memory that may be written stays on 'cpu', whatever the default device is, unless `device` says another.

    Parameters
    ----------
    buffer : buffer
        For example bytes; a read-only buffer gives a read-only array.
    dtype : dtype
        Big-endian numbers (``">f4"``) of a read-only buffer are converted, which copies.
    count : int
        How many elements; -1 takes all.
    offset : int
        Number of bytes to skip at the start.
    device : device or str, optional
    like : ndarray, optional

    Returns
    -------
    ndarray

    Raises
    ------
    ValueError
        If the buffer is too small, or not a multiple of the item size, or writable and of big-endian numbers.

    See Also
    --------
    numpy.frombuffer

    Examples
    --------
    >>> import cuarray as ca
    >>> ca.frombuffer(b"abc", dtype=ca.uint8)
    array([97, 98, 99], dtype=uint8)
    """


def new_ndarray(shape, dtype=None, buffer=None, offset=0, strides=None, order=None):
    """The constructor of the type; see numpy.ndarray."""
    if buffer is not None:
        return _core.shown(
            np.ndarray(shape, dtype and _core.stored_dtype(dtype, "ndarray"), buffer, offset, strides, order)
        )
    if offset or strides is not None:
        raise ValueError("ndarray: offset and strides are those of a buffer, and there is none")
    return empty(shape, np.float64 if dtype is None else dtype, order or "C")


@_core.array_function
def fromiter(iter, dtype, count=-1, *, device=None, like=None):
    """Make a one-dimensional array from the numbers of an iterable.

    Parameters
    ----------
    iter : iterable
    dtype : dtype
    count : int
        Number of elements to read; -1 reads all.
    device : device or str, optional
    like : ndarray, optional

    Returns
    -------
    ndarray

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


@_core.array_function
def from_dlpack(x, /, *, device=None, copy=None):
    """Import another library's array through DLPack, without a copy if it is on the same device.

    Parameters
    ----------
    x : object
        With `__dlpack__` and `__dlpack_device__`, such as a PyTorch tensor or a JAX array; or a DLPack
        capsule.
    device : device or str, optional
        Device of the result; by default that of `x`.
    copy : bool, optional
        True always copies, None only if needed, False never.

    Returns
    -------
    ndarray
        Read-only if `x` is.

    Raises
    ------
    BufferError
        If the memory or its type cannot be used here.
    ValueError
        If `copy` is False and a copy is needed.

    See Also
    --------
    numpy.from_dlpack

    Examples
    --------
    >>> import cuarray as ca
    >>> import numpy as np
    >>> ca.from_dlpack(np.arange(3), device="cpu").shape
    (3,)
    """
