"""Zeros removed from the ends of arrays."""

import numpy as np

from cuarray._arguments.axes import normalise_axes
from cuarray._functions.creation import as_array
from cuarray._functions.reductions import any

__all__ = ["trim_zeros"]


def trim_zeros(filt, trim="fb", axis=None):
    """Remove zeros from the ends of an array, along some axes or all.

    Parameters
    ----------
    filt : array_like
    trim : str
        'f' trims the front, 'b' the back, 'fb' both.
    axis : int or tuple of int, optional
        Trim slices of these axes that are all zeros; by default along all axes.

    Returns
    -------
    ndarray or list
        A view; a list if `filt` is a list. The call waits for the values.

    Raises
    ------
    ValueError
        If `trim` has other letters.
    AxisError
        If an axis does not exist.

    See Also
    --------
    numpy.trim_zeros

    Examples
    --------
    >>> import cuarray as ca
    >>> ca.trim_zeros(ca.asarray([0, 0, 1, 0, 2, 0]))
    array([1, 0, 2])
    """
    if not isinstance(trim, str):
        raise TypeError(f"trim_zeros: trim must be a string, not {type(trim).__name__}")
    trim = trim.lower()
    if trim not in ("fb", "bf", "f", "b"):
        raise ValueError(f"trim_zeros: unexpected character(s) in `trim`: {trim!r}")
    array = as_array(filt)
    axes = range(array.ndim) if axis is None else normalise_axes(axis, array, "trim_zeros")
    key = [slice(None)] * array.ndim
    for one in axes:
        key[one] = nonzero_part(any(array, tuple(i for i in range(array.ndim) if i != one)).numpy(), trim)
    return filt[key[0]] if isinstance(filt, list | tuple) and array.ndim == 1 else array[(*key, ...)]


def nonzero_part(used, trim):
    """Return the slice from the first to the last true element, open on a side that is not trimmed."""
    places = np.flatnonzero(used)
    if places.size == 0:
        return slice(0, 0)
    return slice(places[0] if "f" in trim else None, places[-1] + 1 if "b" in trim else None)
