"""Reductions that ignore NaN: the plain ones with `where=`, or rows that prefer numbers to NaN."""

import numpy as np

from cuarray import _core
from cuarray._arguments.operands import array_output, as_arrays
from cuarray._arguments.ufuncs import equal, fmax, fmin, isnan, logical_and
from cuarray._arguments.ufuncs import where as where_ufunc
from cuarray._core import ndarray
from cuarray._functions.creation import as_array
from cuarray._functions.dtypes import is_inexact
from cuarray._functions.reductions import (
    NOT_GIVEN,
    argmax,
    argmin,
    count_nonzero,
    max,
    mean,
    min,
    std,
    var,
)
from cuarray._functions.reductions import all as all_of
from cuarray._runtime.fuse import fused_call

__all__ = [
    "nanargmax", "nanargmin", "nanmax", "nanmean", "nanmin", "nanprod", "nanstd", "nansum", "nanvar",
]  # fmt: skip


def array_and_mask(function, a, where):
    """Return an array, and the mask of `where`: True if all elements are selected."""
    where = True if where is NOT_GIVEN else where
    if where is None:
        raise TypeError(f"{function}: where= takes a bool array, not None")
    a, mask = as_arrays(function, a, optional=(None if isinstance(where, bool) else where,))
    if mask is not None and mask.dtype != np.bool_:
        raise TypeError(f"{function}: where= takes a bool array, not {mask.dtype}")
    return a, where if mask is None else mask


def numbers(a, where):
    """Return a pending mask, for a fold to absorb, of the elements selected by `where` that are not NaN."""
    if not is_inexact(a):
        return where
    mask = equal(a, a)  # false for NaN
    return mask if where is True else logical_and(mask, where)


@_core.reduction_function
def nansum(a, axis=None, dtype=None, out=None, keepdims=False, initial=NOT_GIVEN, where=NOT_GIVEN):
    """Add the non-NaN elements along axes.

    Parameters
    ----------
    a : array_like
    axis : int or tuple of int, optional
        All axes by default.
    dtype : dtype, optional
        Type of the accumulator and of the result; as in `sum` by default.
    out : ndarray, optional
        Output array.
    keepdims : bool
        Whether the reduced axes are kept with length 1.
    initial : number, optional
        Added to each sum; 0 by default.
    where : array_like of bool, optional
        The elements to include.

    Returns
    -------
    ndarray
        0 where all elements are NaN.

    Raises
    ------
    AxisError
        If an axis does not exist.

    See Also
    --------
    numpy.nansum

    Examples
    --------
    >>> import cuarray as ca
    >>> ca.nansum([[1, ca.nan], [3, 4]], axis=0)
    array([4., 4.])
    """


@_core.reduction_function
def nanprod(a, axis=None, dtype=None, out=None, keepdims=False, initial=NOT_GIVEN, where=NOT_GIVEN):
    """Multiply the non-NaN elements along axes.

    Parameters
    ----------
    a : array_like
    axis : int or tuple of int, optional
        All axes by default.
    dtype : dtype, optional
        Type of the accumulator and of the result; as in `prod` by default.
    out : ndarray, optional
        Output array.
    keepdims : bool
        Whether the reduced axes are kept with length 1.
    initial : number, optional
        A factor of each product; 1 by default.
    where : array_like of bool, optional
        The elements to include.

    Returns
    -------
    ndarray
        1 where all elements are NaN.

    Raises
    ------
    AxisError
        If an axis does not exist.

    See Also
    --------
    numpy.nanprod

    Examples
    --------
    >>> import cuarray as ca
    >>> ca.nanprod([2, ca.nan, 3])
    np.float64(6.0)
    """


def nanmean(a, axis=None, dtype=None, out=None, keepdims=False, *, where=NOT_GIVEN):
    """Average the non-NaN elements along axes.

    Parameters
    ----------
    a : array_like
    axis : int or tuple of int, optional
        All axes by default.
    dtype : dtype, optional
        Type of the computation; by default the type of `a`, float64 for integers.
    out : ndarray, optional
        Output array.
    keepdims : bool
        Whether the reduced axes are kept with length 1.
    where : array_like of bool, optional
        The elements to include.

    Returns
    -------
    ndarray
        NaN where all elements are NaN.

    Raises
    ------
    AxisError
        If an axis does not exist.
    TypeError
        If `dtype` is an integer type.

    See Also
    --------
    numpy.nanmean

    Examples
    --------
    >>> import cuarray as ca
    >>> ca.nanmean([[1, ca.nan], [3, 4]], axis=0)
    array([2., 4.])
    """
    a, where = array_and_mask("nanmean", a, where)
    with fused_call():
        return mean(a, axis, dtype, out, keepdims, where=numbers(a, where))


def nanvar(
    a,
    axis=None,
    dtype=None,
    out=None,
    ddof=0,
    keepdims=False,
    *,
    where=NOT_GIVEN,
    mean=NOT_GIVEN,
    correction=NOT_GIVEN,
):
    """Compute the variance of the non-NaN elements along axes.

    Parameters
    ----------
    a : array_like
    axis : int or tuple of int, optional
        All axes by default.
    dtype : dtype, optional
        Type of the computation; by default the type of `a`, float64 for integers.
    out : ndarray, optional
        Output array.
    ddof : number
        The sum of squares is divided by n - ddof.
    keepdims : bool
        Whether the reduced axes are kept with length 1.
    where : array_like of bool, optional
        The elements to include.
    mean : ndarray, optional
        The mean, if known, with the reduced axes kept.
    correction : number, optional
        The Array API's name of `ddof`.

    Returns
    -------
    ndarray
        Real, also for complex elements; NaN where no more than `ddof` elements are included.

    Raises
    ------
    ValueError
        If both `ddof` and `correction` are given.
    AxisError
        If an axis does not exist.

    See Also
    --------
    numpy.nanvar

    Examples
    --------
    >>> import cuarray as ca
    >>> ca.nanvar([1, ca.nan, 3])
    np.float64(1.0)
    """
    return nan_spread("nanvar", var, a, axis, dtype, out, ddof, keepdims, where, mean, correction)


def nanstd(
    a,
    axis=None,
    dtype=None,
    out=None,
    ddof=0,
    keepdims=False,
    *,
    where=NOT_GIVEN,
    mean=NOT_GIVEN,
    correction=NOT_GIVEN,
):
    """Compute the standard deviation of the non-NaN elements along axes.

    Parameters
    ----------
    a : array_like
    axis : int or tuple of int, optional
        All axes by default.
    dtype : dtype, optional
        Type of the computation; by default the type of `a`, float64 for integers.
    out : ndarray, optional
        Output array.
    ddof : number
        The sum of squares is divided by n - ddof.
    keepdims : bool
        Whether the reduced axes are kept with length 1.
    where : array_like of bool, optional
        The elements to include.
    mean : ndarray, optional
        The mean, if known, with the reduced axes kept.
    correction : number, optional
        The Array API's name of `ddof`.

    Returns
    -------
    ndarray
        Real, also for complex elements; NaN where no more than `ddof` elements are included.

    Raises
    ------
    ValueError
        If both `ddof` and `correction` are given.
    AxisError
        If an axis does not exist.

    See Also
    --------
    numpy.nanstd

    Examples
    --------
    >>> import cuarray as ca
    >>> ca.nanstd([[1, ca.nan, 3], [2, 2, 5]], axis=0)
    array([0.5, 0. , 1. ])
    """
    return nan_spread("nanstd", std, a, axis, dtype, out, ddof, keepdims, where, mean, correction)


def nan_spread(name, variance, a, axis, dtype, out, ddof, keepdims, where, mean, correction):
    """Compute the variance of non-NaN elements, or its square root; NaN where too few are included."""
    a, where = array_and_mask(name, a, where)
    with fused_call():
        included = numbers(a, where)
        result = variance(a, axis, dtype, out, ddof, keepdims, where=included, mean=mean, correction=correction)
    less = ddof if correction is NOT_GIVEN else correction
    # With one element or none the sum of squares is 0, so that 0 / 0 gives NaN.
    if is_inexact(a) and float(less) > 1:
        count = count_nonzero(numbers(a, where), axis, keepdims=keepdims)
        if out is None or out is NOT_GIVEN:
            return _core.as_value(where_ufunc(count <= less, np.nan, result))
        result[...] = where_ufunc(count <= less, np.nan, result)
    return result


def nanmin(a, axis=None, out=None, keepdims=False, initial=NOT_GIVEN, where=NOT_GIVEN):
    """Find the smallest non-NaN element along axes.

    Parameters
    ----------
    a : array_like
    axis : int or tuple of int, optional
        All axes by default.
    out : ndarray, optional
        Output array.
    keepdims : bool
        Whether the reduced axes are kept with length 1.
    initial : number, optional
        Included in each minimum; required with `where`.
    where : array_like of bool, optional
        The elements to include.

    Returns
    -------
    ndarray
        NaN where all elements are NaN; there is no warning.

    Raises
    ------
    ValueError
        If there are no elements, and `initial` is not given.
    AxisError
        If an axis does not exist.

    See Also
    --------
    numpy.nanmin

    Examples
    --------
    >>> import cuarray as ca
    >>> ca.nanmin([[1, ca.nan], [3, 4]], axis=1)
    array([1., 3.])
    """
    return nan_extreme(min, fmin, a, axis, out, keepdims, initial, where)


def nanmax(a, axis=None, out=None, keepdims=False, initial=NOT_GIVEN, where=NOT_GIVEN):
    """Find the largest non-NaN element along axes.

    Parameters
    ----------
    a : array_like
    axis : int or tuple of int, optional
        All axes by default.
    out : ndarray, optional
        Output array.
    keepdims : bool
        Whether the reduced axes are kept with length 1.
    initial : number, optional
        Included in each maximum; required with `where`.
    where : array_like of bool, optional
        The elements to include.

    Returns
    -------
    ndarray
        NaN where all elements are NaN; there is no warning.

    Raises
    ------
    ValueError
        If there are no elements, and `initial` is not given.
    AxisError
        If an axis does not exist.

    See Also
    --------
    numpy.nanmax

    Examples
    --------
    >>> import cuarray as ca
    >>> ca.nanmax([[1, ca.nan], [3, 4]], axis=1)
    array([1., 4.])
    """
    return nan_extreme(max, fmax, a, axis, out, keepdims, initial, where)


def nan_extreme(plain, function, a, axis, out, keepdims, initial, where):
    """Fold with a row that prefers numbers to NaN; elements excluded by `where` become NaN."""
    a, where = array_and_mask(f"nan{plain.__name__}", a, where)
    out = array_output(out, f"nan{plain.__name__}")
    masked = where is not True
    # NaN as initial= loses against all numbers; integers have none, but in a floating-point out=.
    is_nan = isinstance(initial, float) and initial != initial
    if not is_inexact(a) and not (is_nan and isinstance(out, ndarray) and is_inexact(out)):
        return plain(a, axis, out, keepdims, initial, where)
    if masked and (initial is NOT_GIVEN or initial is None):
        raise ValueError(f"nan{plain.__name__}: where= takes part of the elements away, so give initial= too")
    given = {} if initial is NOT_GIVEN else {"initial": initial}
    with fused_call():
        if masked:
            shape, a = a.shape, where_ufunc(where, a, np.nan)
            if a.shape != shape:
                raise ValueError(f"nan{plain.__name__}: where= does not broadcast to {shape}")
        return function.reduce(a, axis, None, out, keepdims, **given)


def nanargmin(a, axis=None, out=None, *, keepdims=False):
    """Return the index of the smallest non-NaN element, the first one of several.

    Parameters
    ----------
    a : array_like
    axis : int, optional
        By default the index is that of the flattened array in C order.
    out : ndarray, optional
        Output array.
    keepdims : bool
        Whether the reduced axis is kept with length 1.

    Returns
    -------
    ndarray
        int64.

    Raises
    ------
    ValueError
        If all elements of a slice are NaN; the call waits for the elements.
    AxisError
        If the axis does not exist.

    Notes
    -----
    NaN counts as infinity, so if all elements are NaN or infinity, the first of either is found.

    See Also
    --------
    numpy.nanargmin

    Examples
    --------
    >>> import cuarray as ca
    >>> ca.nanargmin([[4, ca.nan], [3, 1]], axis=1)
    array([0, 1])
    """
    return nan_place(argmin, np.inf, a, axis, out, keepdims)


def nanargmax(a, axis=None, out=None, *, keepdims=False):
    """Return the index of the largest non-NaN element, the first one of several.

    Parameters
    ----------
    a : array_like
    axis : int, optional
        By default the index is that of the flattened array in C order.
    out : ndarray, optional
        Output array.
    keepdims : bool
        Whether the reduced axis is kept with length 1.

    Returns
    -------
    ndarray
        int64.

    Raises
    ------
    ValueError
        If all elements of a slice are NaN; the call waits for the elements.
    AxisError
        If the axis does not exist.

    Notes
    -----
    NaN counts as minus infinity, so if all elements are NaN or minus infinity, the first of either is
    found.

    See Also
    --------
    numpy.nanargmax

    Examples
    --------
    >>> import cuarray as ca
    >>> ca.nanargmax([[4, ca.nan], [3, 1]], axis=0)
    array([0, 1])
    """
    return nan_place(argmax, -np.inf, a, axis, out, keepdims)


def nan_place(find, replacement, a, axis, out, keepdims):
    """Return the index of an extreme element, with NaN replaced by the other extreme."""
    a = as_array(a)
    if not is_inexact(a):
        return find(a, axis, out, keepdims=keepdims)
    with fused_call():
        nan = isnan(a)
        nothing = all_of(nan, axis)
    if a.size and bool(nothing.any()):
        raise ValueError(f"nan{find.__name__}: All-NaN slice encountered")
    with fused_call():
        return find(where_ufunc(isnan(a), replacement, a), axis, out, keepdims=keepdims)
