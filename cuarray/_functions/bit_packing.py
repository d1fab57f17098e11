"""Packing of bits into bytes, and unpacking."""

import numpy as np

from cuarray import _core
from cuarray._arguments.axes import integer, normalise_axis
from cuarray._functions.creation import as_array, ascontiguousarray, zeros
from cuarray._functions.joining import concat
from cuarray._functions.shaping import moveaxis
from cuarray._runtime.fuse import fused_call

__all__ = ["packbits", "unpackbits"]


def along_last(a, axis, function):
    """Return an array with the given axis moved to the end, flattened if it is None, and that axis."""
    if axis is None:
        return a.ravel(), 0
    axis = normalise_axis(axis, a.ndim, function)
    return moveaxis(a, axis, -1), axis


def comes_big(bitorder, function):
    """Return whether the bit order is big-endian."""
    if bitorder not in ("big", "little"):
        error = ValueError if isinstance(bitorder, str) else TypeError
        raise error(f"{function}: 'bitorder' must be either 'little' or 'big', not {bitorder!r}")
    return bitorder == "big"


# Eight bytes are one little-endian uint64. The terms of the products do not overlap in any bit.
ONES = np.uint64(0x0101010101010101)
#: Multiplier that collects the bits of eight bytes in the highest byte: byte i in bit 7 - i (big) or i.
GATHER = {True: np.uint64(0x8040201008040201), False: np.uint64(0x0102040810204080)}


def packed(flags, is_big):
    """Return the bytes that hold the bits along the last axis, of a multiple of eight bools."""
    words = ascontiguousarray(flags).view(np.uint64)
    with fused_call():
        return (words * GATHER[is_big] >> 56).astype(np.uint8)


def spread(data, is_big):
    """Return words with the bits of one byte each, as eight bytes."""
    with fused_call():
        words = data.astype(np.uint64)
        if is_big:
            return (words * GATHER[True] >> 7) & ONES
        lower = (words & 0x7F) * np.uint64(0x0002040810204081) & ONES
        return lower | (words >> 7 << 56)


@_core.with_fast_path
def packbits(a, /, axis=None, bitorder="big"):
    """Pack bits into bytes, eight elements in each; the last one is padded with zeros.

    Parameters
    ----------
    a : array_like of bool or int
        Nonzero elements are set bits.
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
    is_big = comes_big(bitorder, "packbits")
    if a.dtype.kind not in "biu":
        raise TypeError(f"packbits: expected an array of integers or bools, not {a.dtype}")
    bits, axis = along_last(a if a.ndim else a.ravel(), axis, "packbits")
    flags = bits != bits.dtype.type(0)  # a Python zero would promote bools to integers
    if bits.dtype.kind != "b" or not bits.flags.c_contiguous:
        return moveaxis(packbits(ascontiguousarray(flags), -1, bitorder), -1, axis)  # by the fast path
    if rest := bits.shape[-1] % 8:
        flags = concat([flags, zeros((*bits.shape[:-1], 8 - rest), bool, device=a.device)], -1)
    return moveaxis(packed(flags, is_big), -1, axis)


@_core.with_fast_path
def unpackbits(a, /, axis=None, count=None, bitorder="big"):
    """Unpack bytes into bits.

    Parameters
    ----------
    a : array_like of uint8
    axis : int, optional
        By default the flattened array is unpacked.
    count : int, optional
        The number of bits to return, padded with zeros; a negative number removes that many bits
        from the end.
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
        If `bitorder` is something else, or `count` removes more bits than there are.
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
    is_big = comes_big(bitorder, "unpackbits")
    data, axis = along_last(a if a.ndim else a.ravel(), axis, "unpackbits")
    extent = 8 * data.shape[-1]
    length = extent if count is None else integer(count, "count", "unpackbits")
    length += extent if length < 0 else 0
    if length < 0:
        raise ValueError(f"unpackbits: count={count} cuts off more than the {extent} bits that are there")
    if length == extent and data.flags.c_contiguous:
        return moveaxis(spread(data, is_big).view(np.uint8), -1, axis)
    used = min((length + 7) // 8, data.shape[-1])
    bits = unpackbits(ascontiguousarray(data[..., :used]), -1, bitorder=bitorder)[..., :length]  # by the fast path
    if missing := length - bits.shape[-1]:
        bits = concat([bits, zeros((*data.shape[:-1], missing), np.uint8, device=a.device)], -1)
    return moveaxis(bits, -1, axis)
