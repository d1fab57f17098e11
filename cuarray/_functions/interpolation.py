"""Linear interpolation, and phase unwrapping."""

import math

import numpy as np

from cuarray import _core
from cuarray._arguments.axes import normalise_axis
from cuarray._arguments.functions import concat, diff
from cuarray._arguments.operands import as_arrays, under_its_name
from cuarray._arguments.ufuncs import abs as abs_ufunc
from cuarray._arguments.ufuncs import clip, isnan, less, where
from cuarray._functions.creation import as_array, empty
from cuarray._functions.scans import cumsum
from cuarray._functions.sorting import argsort, searchsorted
from cuarray._runtime.fuse import fused_call

__all__ = ["interp", "unwrap"]


@_core.with_fast_path
def interp(x, xp, fp, left=None, right=None, period=None):
    """Interpolate linearly between points with ascending x coordinates.

    Parameters
    ----------
    x : array_like
        The x coordinates at which to interpolate, of any shape.
    xp : array_like
        The x coordinates of the points, one axis, ascending. With `period` in any order.
    fp : array_like
        The y coordinates of the points, as many; real or complex.
    left, right : number, optional
        The values left of the first point and right of the last one; by default their y coordinates.
    period : number, optional
        The period of the x coordinates; `left` and `right` are then ignored.

    Returns
    -------
    ndarray
        float64, or complex128 where `fp` is complex, in the shape of `x`.

    Raises
    ------
    ValueError
        If `xp` and `fp` are not 1-d of equal length, are empty, or `period` is 0.

    Notes
    -----
    It is not checked that `xp` ascends. Temporaries are a few arrays of the size of the result.

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
        raise ValueError(f"interp: xp and fp must be equally long, and have {xp.size} and {fp.size} elements")
    if xp.size == 0:
        raise ValueError("interp: array of sample points is empty")
    is_complex = fp.dtype.kind == "c"
    ends = (left, right)
    if period is None:
        ends = tuple([end_value(end, what, is_complex) for end, what in zip(ends, ("left", "right"), strict=True)])
    if is_complex:
        result = empty(x.shape, "c16", device=x.device)
        for part, of in (("real", np.real), ("imag", np.imag)):
            beyond = (None if end is None else float(of(end)) for end in ends)
            getattr(result, part)[...] = interp(x, xp, getattr(fp, part), *beyond, period)
        return _core.as_value(result)
    left, right = ends
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
        # From the other end where this one gives NaN: a coordinate may be infinite.
        y = slope * (x - x0) + y0
        y = where(isnan(y), slope * (x - x1) + y1, y)
        y = where(isnan(y) & (y0 == y1), y0, y)
        y = where(x == x0, y0, where(x == x1, y1, y))
        y = where(x == xp[last], fp[last], y)  # the last one of several points at that x
        y = where(x < xp[0], fp[0] if left is None else left, y)
        y = where(x > xp[last], fp[last] if right is None else right, y)
        # With a single point, NaN also gives its value, as in NumPy.
        return _core.as_value(where(isnan(x), x, y) if last else y)


def end_value(value, what, is_complex):
    """Return the value beyond an end of the points as a number of their kind; None stays None."""
    if value is None:
        return None
    is_number = not getattr(value, "ndim", 0) and not isinstance(value, str | bytes)
    if is_number and (is_complex or not isinstance(value, complex)):
        try:
            return complex(value) if is_complex else float(value)
        except TypeError:
            pass
    raise TypeError(f"interp: {what} must be a {'number' if is_complex else 'real number'}, not {value!r:.80}")


@under_its_name
def unwrap(p, discont=None, axis=-1, *, period=2 * math.pi):
    """Remove jumps of more than half a period by adding multiples of the period.

    Parameters
    ----------
    p : array_like
    discont : number, optional
        Smaller jumps are kept; at least half a period, which is the default.
    axis : int
        The axis along which neighbours are compared.
    period : number

    Returns
    -------
    ndarray
        In the shape of `p`; an integer type where `p` and `period` are integers.

    Raises
    ------
    AxisError
        If the axis does not exist.

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
            # A step of exactly half a period keeps its sign.
            within = where((within == -half) & (steps > 0), half, within)
        least = period / 2 if discont is None else discont
        turns = where(less(abs_ufunc(steps), least), 0, within - steps)
    result = p.astype(dtype, copy=True)
    behind = (slice(None),) * (axis % p.ndim) + (slice(1, None),)
    result[behind] += cumsum(turns, axis=axis)
    return result
