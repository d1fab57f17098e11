"""Scans: cumulative sums and products along an axis."""

from cuarray import _core
from cuarray._arguments.axes import integer, normalise_axis
from cuarray._arguments.operands import target
from cuarray._arguments.ufuncs import isnan, where
from cuarray._functions.creation import as_array, empty
from cuarray._runtime.fuse import fused_call

__all__ = ["cumprod", "cumsum", "cumulative_prod", "cumulative_sum", "nancumprod", "nancumsum"]


def running(name, row, a, axis, dtype, out):
    """Accumulate with a row along an axis, or over the flattened array."""
    a = as_array(a)
    if axis is None or a.ndim == 0:
        a, axis = a.reshape(-1), 0 if axis is None else axis
    return _core.accumulate(name, row, a, integer(axis, "axis", name), dtype, out)


@_core.with_fast_path
def cumsum(a, axis=None, dtype=None, out=None):
    """Return the cumulative sum of the elements along an axis.

    Parameters
    ----------
    a : array_like
    axis : int, optional
        By default the array is flattened in C order.
    dtype : dtype, optional
        Type of the accumulator and of the result; as in `sum` by default.
    out : ndarray, optional
        Output array, of the result's shape.

    Returns
    -------
    ndarray
        Of the shape of `a`; 1-d without `axis`.

    Raises
    ------
    AxisError
        If the axis does not exist.
    ValueError
        If `out` has another shape.

    Notes
    -----
    The order of additions depends only on the position: sums of aligned powers of two of elements are added
    from the largest to the smallest. So results are the same from run to run and on every device, and
    rounding errors grow with the logarithm of the length; float16 and bfloat16 are added in float32.
    Neighbouring results are rounded differently: sums of positive numbers can decrease by a rounding error,
    which is impossible from left to right. ``cuarray.maximum.accumulate`` of them is nondecreasing.

    See Also
    --------
    numpy.cumsum

    Examples
    --------
    >>> import cuarray as ca
    >>> ca.cumsum([[1, 2], [3, 4]], axis=0)
    array([[1, 2],
           [4, 6]])
    """
    return running("cumsum", "add", a, axis, dtype, out)


def cumprod(a, axis=None, dtype=None, out=None):
    """Return the cumulative product of the elements along an axis.

    Parameters
    ----------
    a : array_like
    axis : int, optional
        By default the array is flattened in C order.
    dtype : dtype, optional
        Type of the accumulator and of the result; as in `prod` by default.
    out : ndarray, optional
        Output array, of the result's shape.

    Returns
    -------
    ndarray
        Of the shape of `a`; 1-d without `axis`.

    Raises
    ------
    AxisError
        If the axis does not exist.
    ValueError
        If `out` has another shape.

    See Also
    --------
    numpy.cumprod

    Examples
    --------
    >>> import cuarray as ca
    >>> ca.cumprod([1, 2, 3, 4])
    array([ 1,  2,  6, 24])
    """
    return running("cumprod", "multiply", a, axis, dtype, out)


def with_initial(name, row, x, axis, dtype, out, include_initial):
    """Accumulate as the Array API does, with the initial value first if requested."""
    x = as_array(x)
    if x.ndim == 0:
        x = x.reshape(1)
    if axis is None:
        if x.ndim > 1:
            raise ValueError(f"{name}: give axis= for an array of {x.ndim} dimensions")
        axis = 0
    axis = normalise_axis(axis, x.ndim, name)
    if not include_initial:
        return _core.accumulate(name, row, x, axis, dtype, out)
    shape = (*x.shape[:axis], x.shape[axis] + 1, *x.shape[axis + 1 :])
    if out is None:
        nothing = _core.ufuncs[row].reduce(x[:0], dtype=dtype)
        taker = out = empty(shape, nothing.dtype, device=x.device)
    else:
        taker = target(out, name, is_out=True)
    if taker.shape != shape:
        raise ValueError(f"{name}: out= has shape {taker.shape}, the result {shape}")
    before = (slice(None),) * axis
    taker[(*before, slice(0, 1))] = _core.ufuncs[row].identity
    _core.accumulate(name, row, x, axis, dtype, taker[(*before, slice(1, None))])
    return out


def cumulative_sum(x, /, *, axis=None, dtype=None, out=None, include_initial=False):
    """Return the cumulative sum of the elements along an axis.

    Parameters
    ----------
    x : array_like
    axis : int, optional
        May be omitted for a 1-d array.
    dtype : dtype, optional
        Type of the accumulator and of the result; as in `sum` by default.
    out : ndarray, optional
        Output array, of the result's shape.
    include_initial : bool
        Whether the result starts with the initial value 0, and is one element longer.

    Returns
    -------
    ndarray

    Raises
    ------
    AxisError
        If the axis does not exist.
    ValueError
        If `axis` is missing, or `out` has another shape.

    See Also
    --------
    cumsum, numpy.cumulative_sum

    Examples
    --------
    >>> import cuarray as ca
    >>> ca.cumulative_sum([1, 2, 3], include_initial=True)
    array([0, 1, 3, 6])
    """
    return with_initial("cumulative_sum", "add", x, axis, dtype, out, include_initial)


def cumulative_prod(x, /, *, axis=None, dtype=None, out=None, include_initial=False):
    """Return the cumulative product of the elements along an axis.

    Parameters
    ----------
    x : array_like
    axis : int, optional
        May be omitted for a 1-d array.
    dtype : dtype, optional
        Type of the accumulator and of the result; as in `prod` by default.
    out : ndarray, optional
        Output array, of the result's shape.
    include_initial : bool
        Whether the result starts with the initial value 1, and is one element longer.

    Returns
    -------
    ndarray

    Raises
    ------
    AxisError
        If the axis does not exist.
    ValueError
        If `axis` is missing, or `out` has another shape.

    See Also
    --------
    cumprod, numpy.cumulative_prod

    Examples
    --------
    >>> import cuarray as ca
    >>> ca.cumulative_prod([1, 2, 3], include_initial=True)
    array([1, 1, 2, 6])
    """
    return with_initial("cumulative_prod", "multiply", x, axis, dtype, out, include_initial)


def without_nan(a, value):
    """Replace NaN, which only inexact types have; the replacement fuses with the scan that reads it."""
    a = as_array(a)
    if a.dtype.kind in "biu":
        return a
    return where(isnan(a), a.dtype.type(value), a)


def nancumsum(a, axis=None, dtype=None, out=None):
    """Return the cumulative sum of the elements along an axis, with NaN as 0.

    Parameters
    ----------
    a : array_like
    axis : int, optional
        By default the array is flattened in C order.
    dtype : dtype, optional
        Type of the accumulator and of the result; as in `sum` by default.
    out : ndarray, optional
        Output array, of the result's shape.

    Returns
    -------
    ndarray

    Raises
    ------
    AxisError
        If the axis does not exist.

    See Also
    --------
    cumsum, numpy.nancumsum

    Examples
    --------
    >>> import cuarray as ca
    >>> ca.nancumsum([1.0, ca.nan, 2.0])
    array([1., 1., 3.])
    """
    with fused_call():
        return running("nancumsum", "add", without_nan(a, 0), axis, dtype, out)


def nancumprod(a, axis=None, dtype=None, out=None):
    """Return the cumulative product of the elements along an axis, with NaN as 1.

    Parameters
    ----------
    a : array_like
    axis : int, optional
        By default the array is flattened in C order.
    dtype : dtype, optional
        Type of the accumulator and of the result; as in `prod` by default.
    out : ndarray, optional
        Output array, of the result's shape.

    Returns
    -------
    ndarray

    Raises
    ------
    AxisError
        If the axis does not exist.

    See Also
    --------
    cumprod, numpy.nancumprod

    Examples
    --------
    >>> import cuarray as ca
    >>> ca.nancumprod([1.0, ca.nan, 2.0])
    array([1., 1., 2.])
    """
    with fused_call():
        return running("nancumprod", "multiply", without_nan(a, 1), axis, dtype, out)
