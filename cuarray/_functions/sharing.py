"""Memory overlap of arrays, and copies into existing arrays."""

import numpy as np

from cuarray import _core
from cuarray._arguments.operands import WEAK, as_cast, bends_to, index_array, target
from cuarray._core import ndarray
from cuarray._functions.creation import as_array

__all__ = ["copyto", "may_share_memory", "shares_memory"]


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


@_core.with_fast_path
def copyto(dst, src, casting="same_kind", where=True):
    """Copy elements into an existing array, broadcast to its shape; the two may be on different devices.

    Between a GPU and pinned memory (``empty(..., memory="pinned")``) the copy is queued on the current
    stream of the GPU and the call returns immediately, if shape, dtype and order agree. cuarray waits
    when it reads the pinned array; a NumPy view of it shows the data after
    ``current_stream().synchronize()``.

    Parameters
    ----------
    dst : ndarray or numpy.ndarray
    src : array_like
    casting : {'no', 'equiv', 'safe', 'same_kind', 'unsafe'}
    where : bool or array_like of bool
        The elements to copy; elsewhere `dst` keeps its values.

    Raises
    ------
    TypeError
        If `dst` is not an array, or `casting` forbids the conversion.
    ValueError
        If `src` does not fit, or `dst` is read-only.

    See Also
    --------
    numpy.copyto

    Examples
    --------
    >>> import cuarray as ca
    >>> x = ca.zeros(3)
    >>> ca.copyto(x, 7, where=[True, False, True])
    >>> x
    array([7., 0., 7.])
    """
    dst = target(dst, "copyto")
    if type(src) in WEAK:
        # A Python number is a weak scalar: only its kind counts. The write checks that it fits.
        kind = dst.dtype if bends_to(src, dst.dtype) else np.dtype(type(src))
        src = as_cast(src, dst.dtype)
    else:
        src = as_array(src, dst.device)
        kind = src.dtype
    if not _core.can_cast(kind, dst.dtype, casting):
        raise TypeError(f"copyto: cannot cast from {kind} to {dst.dtype} by the rule '{casting}'")
    if where is not True:
        _core.assign_where(dst, truth(where, dst), src, "copyto")
    elif isinstance(src, ndarray):
        _core.transfer(dst, src)
    else:
        dst[...] = src


def truth(where, dst):
    """Return the mask of copyto as a bool array; non-arrays are converted to truth values."""
    if where is None:
        raise TypeError("copyto: where= takes a bool array, not None")
    mask = _core.beside(index_array(where, dst), dst, "copyto")
    if mask.dtype != np.bool_ and hasattr(where, "dtype"):
        raise TypeError(f"copyto: where= takes a bool array, not {mask.dtype}")
    return mask.astype(bool, copy=False)
