"""Values between given points, and angles without jumps."""

import math

import numpy as np

from cuarray import _core
from cuarray._arguments.axes import normalise_axis
from cuarray._arguments.operands import as_arrays, under_its_name
from cuarray._arguments.ufuncs import abs as abs_ufunc
from cuarray._arguments.ufuncs import clip, isnan, less, where
from cuarray._functions.creation import as_array, empty
from cuarray._functions.differences import diff
from cuarray._functions.joining import concat
from cuarray._functions.scans import cumsum
from cuarray._functions.sorting import argsort, searchsorted
from cuarray._runtime.fuse import fused_call

__all__ = ["interp", "unwrap"]


def interp(x, xp, fp, left=None, right=None, period=None):
    """Interpolate linearly between points whose first coordinates ascend.

    Parameters
    ----------
    x : array_like
        Where values are wanted, of any shape.
    xp : array_like
        First coordinates of the points, ascending, along one axis. With `period` in any order.
    fp : array_like
        Second coordinates, as many; real or complex.
    left, right : number, optional
        What stands before the first point and after the last one; by default their second coordinates.
    period : number, optional
        The distance after which the points repeat; `left` and `right` then count for nothing.

    Returns
    -------
    ndarray
        float64, or complex128 where `fp` is complex, in the shape of `x`.

    Raises
    ------
    ValueError
        If `xp` and `fp` are not of one length and one axis, are empty, or `period` is 0.

    Notes
    -----
    Whether `xp` ascends is not looked at. Temporaries are a few arrays of the size of the result.

    See Also
    --------
    numpy.interp

    Examples
    --------
    >>> import cuarray as ca
    >>> ca.interp([0, 1, 1.5, 2.72, 3.14], [1, 2, 3], [3, 2, 0])
    array([3.  , 3.  , 2.5 , 0.56, 0.  ])
    """
    x, xp, fp = as_arrays("interp", x, xp, fp)
    if x.dtype.kind == "c" or xp.dtype.kind == "c":
        raise TypeError(f"interp: coordinates are real, not {x.dtype} and {xp.dtype}")
    if xp.ndim != 1 or fp.ndim != 1:
        raise ValueError(f"interp: the points must lie along one axis, not {xp.ndim} and {fp.ndim}")
    if xp.size != fp.size:
        raise ValueError(f"interp: {xp.size} first and {fp.size} second coordinates of points")
    if xp.size == 0:
        raise ValueError("interp: array of sample points is empty")
    if fp.dtype.kind == "c":
        result = empty(x.shape, "c16", device=x.device)
        for part, of in (("real", np.real), ("imag", np.imag)):
            ends = (None if end is None else of(end) for end in (left, right))
            getattr(result, part)[...] = interp(x, xp, getattr(fp, part), *ends, period)
        return _core.as_value(result)
    x, xp, fp = (a.astype("f8", copy=False) for a in (x, xp, fp))
    if period is not None:
        if period == 0:
            raise ValueError("interp: period must be a non-zero value")
        period, left, right = abs(period), None, None
        x, xp = x % period, xp % period
        order = argsort(xp)
        xp, fp = _core.take(xp, order, 0), _core.take(fp, order, 0)
        xp = concat((xp[-1:] - period, xp, xp[:1] + period))
        fp = concat((fp[-1:], fp, fp[:1]))
    last = xp.size - 1
    place = clip(searchsorted(xp, x, side="right") - 1, 0, max(last - 1, 0))
    x0, y0 = _core.take(xp, place, 0), _core.take(fp, place, 0)
    x1, y1 = _core.take(xp[min(last, 1) :], place, 0), _core.take(fp[min(last, 1) :], place, 0)
    with fused_call():
        slope = (y1 - y0) / (x1 - x0)
        # From the other end where this one gives no number: a coordinate may be infinite.
        y = slope * (x - x0) + y0
        y = where(isnan(y), slope * (x - x1) + y1, y)
        y = where(isnan(y) & (y0 == y1), y0, y)
        y = where(x == x0, y0, where(x == x1, y1, y))
        y = where(x == xp[last], fp[last], y)  # of several points there the last one
        y = where(x < xp[0], fp[0] if left is None else left, y)
        y = where(x > xp[last], fp[last] if right is None else right, y)
        # One point alone answers NaN, too, as in NumPy.
        return where(isnan(x), x, y) if last else y


@under_its_name
def unwrap(p, discont=None, axis=-1, *, period=2 * math.pi):
    """Take whole periods away from numbers that jump by more than half of one.

    Parameters
    ----------
    p : array_like
    discont : number, optional
        Smaller jumps stay; half a period by default, and at least.
    axis : int
        Along which neighbours are compared.
    period : number

    Returns
    -------
    ndarray
        In the shape of `p`; an integer type where `p` and `period` are integers.

    Raises
    ------
    AxisError
        If there is no such axis.

    See Also
    --------
    numpy.unwrap

    Examples
    --------
    >>> import cuarray as ca
    >>> ca.unwrap([0, 1, 2, -1, 0], period=4)
    array([0, 1, 2, 3, 4])
    """
    p = as_array(p)
    axis = normalise_axis(axis, p.ndim, "unwrap")
    steps = diff(p, axis=axis)
    dtype = _core.result_type(steps.dtype, period)
    if dtype.kind in "iu":
        half, odd = divmod(period, 2)
        if dtype.kind == "u" and np.any(half):
            raise OverflowError(f"unwrap: {dtype} holds no steps back; use a signed type")
    else:
        half, odd = period / 2, 0
    with fused_call():
        within = (steps + half) % period - half
        if not odd:
            # A step of just half a period keeps its direction.
            within = where((within == -half) & (steps > 0), half, within)
        least = period / 2 if discont is None else discont
        turns = where(less(abs_ufunc(steps), least), 0, within - steps)
    result = p.astype(dtype, copy=True)
    behind = (slice(None),) * (axis % p.ndim) + (slice(1, None),)
    result[behind] += cumsum(turns, axis=axis)
    return result
