"""Convolution and correlation of sequences."""

import numpy as np

from cuarray import _core
from cuarray._arguments.operands import as_arrays, word
from cuarray._runtime.fuse import fused_call

__all__ = ["convolve", "correlate"]

MODES = ("valid", "same", "full")


@_core.with_fast_path
def convolve(a, v, mode="full"):
    """Return the discrete convolution of two sequences.

    Parameters
    ----------
    a, v : array_like
        One axis.
    mode : {'full', 'same', 'valid', 2, 1, 0}
        'full' has all overlaps of at least one element, 'same' the middle part with the length of the longer
        sequence, 'valid' only complete overlaps; 2, 1 and 0 mean the same.

    Returns
    -------
    ndarray
        Of length n + m - 1, max(n, m) or max(n, m) - min(n, m) + 1.

    Raises
    ------
    ValueError
        If a sequence is empty or has several axes, or there is no such mode.

    Notes
    -----
    Takes n m multiplications and no temporary memory. Terms are added from left to right along
    the shorter sequence, as far as it overlaps the longer one; float16 and bfloat16 in float32.

    See Also
    --------
    numpy.convolve

    Examples
    --------
    >>> import cuarray as ca
    >>> ca.convolve([1, 2, 3], [0, 1, 0.5])
    array([0. , 1. , 2.5, 4. , 1.5])
    """
    a, v = sequences(a, v, "convolve")
    if len(v) > len(a):
        a, v = v, a
    return sums_of_products(a, v[::-1], mode, "convolve")


@_core.with_fast_path
def correlate(a, v, mode="valid"):
    """Return the cross-correlation of two sequences: sums of a[n + k] times the conjugate of v[n].

    Parameters
    ----------
    a, v : array_like
        One axis.
    mode : {'valid', 'same', 'full', 0, 1, 2}
        As in `convolve`.

    Returns
    -------
    ndarray
        Of length max(n, m) - min(n, m) + 1, max(n, m) or n + m - 1.

    Raises
    ------
    ValueError
        If a sequence is empty or has several axes, or there is no such mode.

    Notes
    -----
    Run time and order of additions are those of `convolve`.

    See Also
    --------
    numpy.correlate

    Examples
    --------
    >>> import cuarray as ca
    >>> ca.correlate([1, 2, 3], [0, 1, 0.5], "same")
    array([2. , 3.5, 3. ])
    """
    a, v = sequences(a, v, "correlate")
    v = v.conj() if v.dtype.kind == "c" else v
    if len(v) > len(a):
        return sums_of_products(v, a, mode, "correlate")[::-1].copy()
    return sums_of_products(a, v, mode, "correlate")


def sequences(a, v, function):
    """Return both arguments as arrays of one axis and one type."""
    a, v = (x.reshape(1) if x.ndim == 0 else x for x in as_arrays(function, a, v))
    for name, x in (("a", a), ("v", v)):
        if x.ndim > 1:
            raise ValueError(f"{function}: {name} has {x.ndim} axes and must have one")
        if x.size == 0:
            raise ValueError(f"{function}: {name} cannot be empty")
    dtype = _core.result_type(a.dtype, v.dtype)
    return a.astype(dtype, copy=False), v.astype(dtype, copy=False)


def number_of_mode(mode, function):
    """Return a mode as its number, by which it may be given."""
    if isinstance(mode, bool) or not isinstance(mode, int | np.integer):
        return MODES.index(word(mode, MODES, "mode", function))
    if not 0 <= mode <= 2:
        raise ValueError(f"{function}: mode must be 0, 1, 2 or one of the words {', '.join(MODES)}, not {mode!r}")
    return int(mode)


def sums_of_products(x, taps, mode, function):
    """Return the sums of products of `taps` with the overlapped elements of `x`, from left to right."""
    mode = number_of_mode(mode, function)
    dtype = x.dtype
    if dtype.kind in "fV" and dtype.itemsize == 2:
        x, taps = x.astype(np.float32), taps.astype(np.float32)
    extra = len(taps) - 1
    before = (0, len(taps) // 2, extra)[mode]
    count = len(x) + (-extra, 0, extra)[mode]
    if count < len(taps):
        # Few sums of many terms: a fold for each.
        windows = _core.strided_view(x, (count, len(taps)), x.strides * 2)
        with fused_call():
            products = windows * taps
            result = products.any(1) if dtype.kind == "b" else products.sum(1, dtype=x.dtype)
    else:
        result = _core.correlate(x, taps, before, count, function)
    return result.astype(dtype, copy=False)
