"""Memory overlap of arrays, and copies into existing arrays."""

import numpy as np

from cuarray import _core

__all__ = ["may_share_memory", "shares_memory"]


def shares_memory(a, b, /, max_work=-1):
    """Tell whether two arrays have a byte in common.

    Parameters
    ----------
    a, b : ndarray or numpy.ndarray
    max_work : int
        Checked and ignored: the answer is exact for all views made by slicing, transposing and reshaping.

    Returns
    -------
    bool

    Raises
    ------
    ValueError
        If `max_work` is no limit of NumPy's.

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
    check_limit(max_work)
    return _core.shares_memory(seen_in_native_order(a), seen_in_native_order(b))


def may_share_memory(a, b, /, max_work=0):
    """Tell whether two arrays have a byte in common; the same as `shares_memory`.

    Parameters
    ----------
    a, b : ndarray or numpy.ndarray
    max_work : int
        Checked and ignored.

    Returns
    -------
    bool

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
    return shares_memory(a, b, max_work)


#: An array that shares nothing, so that NumPy only looks at the limit.
NOTHING = np.empty(0)


def check_limit(max_work):
    """Raise what NumPy raises for a limit of the search for shared elements."""
    if max_work not in (-1, 0):
        np.shares_memory(NOTHING, NOTHING, max_work)


def seen_in_native_order(x):
    """Return an array of NumPy's of another byte order as one of the machine's that shows the same memory."""
    is_swapped = isinstance(x, np.ndarray) and not x.dtype.isnative and x.dtype.kind in "iufc"
    return x.view(x.dtype.newbyteorder("=")) if is_swapped else x
