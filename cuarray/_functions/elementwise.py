"""round and where: functions that extend the row of the table with the same name."""

import numpy as np

from cuarray import _core
from cuarray._arguments.axes import integer
from cuarray._arguments.functions import nonzero, zeros_like
from cuarray._arguments.operands import WEAK, arrays_and_numbers, dtype_into, target, write_output
from cuarray._arguments.ufuncs import rint
from cuarray._arguments.ufuncs import round as round_ufunc
from cuarray._arguments.ufuncs import where as where_ufunc
from cuarray._core import ndarray
from cuarray._functions.creation import as_array
from cuarray._functions.dtypes import is_inexact

__all__ = ["round", "where"]

MOST_DECIMALS = 308  # the largest power of ten in float64


def where(condition, x=None, y=None, /):
    """Select elements from x where the condition is true, else from y; or find the true elements.

    Parameters
    ----------
    condition : array_like
        bool; of other types, zero counts as false.
    x, y : array_like, optional
        Broadcast with the condition.

    Returns
    -------
    ndarray
        Of the common type of x and y; without them, the result of `nonzero(condition)`.

    Raises
    ------
    ValueError
        If the shapes do not broadcast, or only one of x and y is given.

    See Also
    --------
    numpy.where

    Examples
    --------
    >>> import cuarray as ca
    >>> x = ca.arange(-2, 3)
    >>> ca.where(x < 0, 0, x)
    array([0, 0, 0, 1, 2])
    """
    if x is None or y is None:
        if x is y:
            return nonzero(condition)
        raise ValueError("where: give both x and y, or neither")
    if not isinstance(condition, ndarray):
        condition, x, y = arrays_and_numbers("where", condition, x, y)
    if type(condition) in WEAK:
        condition = bool(condition)
    elif condition.dtype != np.bool_:
        condition = condition.astype(bool)
    return where_ufunc(condition, x, y)


def round(a, decimals=0, out=None):
    """Round to a number of decimals, halves to the even neighbour.

    Parameters
    ----------
    a : array_like
    decimals : int
        Negative numbers count digits before the decimal point. Rounding to decimals other than 0 scales,
        rounds and scales back, so the last bit may differ from correct decimal rounding.
    out : ndarray, optional
        Output array.

    Returns
    -------
    ndarray
        Of the type of `a`.

    See Also
    --------
    numpy.round

    Examples
    --------
    >>> import cuarray as ca
    >>> ca.round([0.5, 1.5, 2.345], 2)
    array([0.5 , 1.5 , 2.35])
    """
    a, decimals = as_array(a), integer(decimals, "decimals", "round")
    kind = a.dtype.kind
    if kind == "f" and out is None and 0 <= decimals <= MOST_DECIMALS:
        scale = 10.0**decimals
        return rint(a * scale) / scale if decimals else round_ufunc(a)
    if kind in "iu" and out is None and 0 <= decimals < 2**31:
        return _core.as_value(a.copy("K"))
    if not -(2**31) <= decimals < 2**31:
        raise OverflowError(f"round: decimals must fit 32 bits, not {decimals}")
    if out is not None and target(out, "round", is_out=True).size != a.size:
        raise ValueError(f"{_core.called_function('round')}: out= has shape {out.shape}, the result {a.shape}")
    if kind == "b":
        if decimals:
            called = _core.called_function("round")
            raise TypeError(f"{called}: bools have no decimals to round to {decimals}")
        return rint(a, out=out)
    if decimals == 0 or (kind in "iu" and decimals > 0):
        return round_ufunc(a, out=out)
    if kind == "c":
        result = _core.array_from_object(a, copy=True)
        result.real, result.imag = round(a.real, decimals), round(a.imag, decimals)
        return write_output(result, out, "round", broadcasts=True)
    if kind in "iu" and decimals < -MOST_DECIMALS:
        return write_output(zeros_like(a), out, "round", broadcasts=True)
    scale = 10.0 ** abs(decimals) if abs(decimals) <= MOST_DECIMALS else np.inf
    scaled = a * scale if decimals > 0 else a / scale
    taker = a if out is None else target(out, "round", is_out=True)
    dtype = taker.dtype if is_inexact(taker) else dtype_into(a.dtype, taker)
    if is_inexact(taker):  # as in NumPy, which stores the scaled numbers to out
        scaled = scaled.astype(dtype, copy=False)
    whole = rint(scaled)
    result = (whole / scale if decimals > 0 else whole * scale).astype(dtype, copy=False)
    return write_output(result, out, "round", broadcasts=True)
