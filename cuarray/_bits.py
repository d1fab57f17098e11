"""Bits packed into bytes, and taken out again."""

from operator import index

import numpy as np

from cuarray._axes import normalise_axis
from cuarray._creation import as_array, empty
from cuarray._fuse import fuse
from cuarray._shaping import moveaxis

__all__ = ["packbits", "unpackbits"]


def along_last(a, axis, function):
    """Return an array with the axis to work on at the end, flattened where none is given, and that axis."""
    if axis is None:
        return a.ravel(), 0
    axis = normalise_axis(axis, a.ndim, function)
    return moveaxis(a, axis, -1), axis


def shifts(bitorder, function):
    """Return by how much each of eight bits is shifted in a byte."""
    if bitorder not in ("big", "little"):
        raise ValueError(f"{function}: 'bitorder' must be either 'little' or 'big', not {bitorder!r}")
    return range(7, -1, -1) if bitorder == "big" else range(8)


def packbits(a, /, axis=None, bitorder="big"):
    """Pack bits into bytes, eight elements in each; zeros fill up the last one.

    Parameters
    ----------
    a : array_like of bool or int
        Whatever is not zero is a set bit.
    axis : int, optional
        By default the flattened array is packed.
    bitorder : {'big', 'little'}
        Whether the first element is the highest bit of its byte, or the lowest.

    Returns
    -------
    ndarray
        uint8.

    Raises
    ------
    TypeError
        If the elements are neither bools nor integers.
    ValueError
        If `bitorder` is something else.
    AxisError
        If the axis does not exist.

    See Also
    --------
    numpy.packbits

    Examples
    --------
    >>> import cuarray as ca
    >>> ca.packbits([1, 0, 1, 0, 0, 0, 0, 1, 1])
    array([161, 128], dtype=uint8)
    """
    a = as_array(a)
    order = shifts(bitorder, "packbits")
    if a.dtype.kind not in "biu":
        raise TypeError(f"packbits: expected an array of integers or bools, not {a.dtype}")
    bits, axis = along_last(a if a.ndim else a.ravel(), axis if a.ndim else None, "packbits")
    whole, rest = divmod(bits.shape[-1], 8)
    result = empty((*bits.shape[:-1], whole + bool(rest)), np.uint8, device=a.device)
    result[..., :whole] = combined(bits[..., : 8 * whole], order)
    if rest:
        result[..., whole:] = combined(bits[..., 8 * whole :], order[:rest])
    return moveaxis(result, -1, axis)


def combined(bits, order):
    """Return bytes, each of as many neighbouring elements as there are shifts."""
    count = len(order)
    with fuse():
        result = (bits[..., ::count] != 0).astype(np.uint8) << order[0]
        for i in range(1, count):
            result = result | ((bits[..., i::count] != 0).astype(np.uint8) << order[i])
        return result


def unpackbits(a, /, axis=None, count=None, bitorder="big"):
    """Take the bits out of bytes.

    Parameters
    ----------
    a : array_like of uint8
    axis : int, optional
        By default the flattened array is unpacked.
    count : int, optional
        How many bits to return; zeros come behind the last one; a negative number cuts off so
        many at the end.
    bitorder : {'big', 'little'}
        Whether the highest bit comes first, or the lowest.

    Returns
    -------
    ndarray
        uint8, zeros and ones.

    Raises
    ------
    TypeError
        If the elements are not uint8.
    ValueError
        If `bitorder` is something else, or `count` cuts off more than there is.
    AxisError
        If the axis does not exist.

    See Also
    --------
    numpy.unpackbits

    Examples
    --------
    >>> import cuarray as ca
    >>> ca.unpackbits(ca.asarray([161], ca.uint8))
    array([1, 0, 1, 0, 0, 0, 0, 1], dtype=uint8)
    """
    a = as_array(a)
    if a.dtype != np.uint8:
        raise TypeError(f"unpackbits: expected an array of uint8, not {a.dtype}")
    order = shifts(bitorder, "unpackbits")
    data, axis = along_last(a if a.ndim else a.ravel(), axis if a.ndim else None, "unpackbits")
    extent = 8 * data.shape[-1]
    length = extent if count is None else index(count)
    length += extent if length < 0 else 0
    if length < 0:
        raise ValueError(f"unpackbits: count={count} cuts off more than the {extent} bits that are there")
    width = (length + 7) // 8
    result = empty((*data.shape[:-1], width, 8), np.uint8, device=a.device)
    used = min(width, data.shape[-1])
    steps = as_array(np.array(order, np.uint8), a.device)
    with fuse():
        result[..., :used, :] = (data[..., :used, None] >> steps) & 1
    result[..., used:, :] = 0
    return moveaxis(result.reshape((*data.shape[:-1], 8 * width))[..., :length], -1, axis)
