"""Phase unwrapping."""

import math

import numpy as np

from cuarray import _core
from cuarray._arguments.axes import normalise_axis
from cuarray._arguments.functions import cumsum, diff
from cuarray._arguments.operands import under_its_name
from cuarray._arguments.ufuncs import abs as abs_ufunc
from cuarray._arguments.ufuncs import less, where
from cuarray._functions.creation import as_array
from cuarray._runtime.fuse import fused_call

__all__ = ["unwrap"]


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
    behind = (slice(None),) * axis + (slice(1, None),)
    result[behind] += cumsum(turns, axis=axis)
    return result
