"""Elements selected from several arrays, by numbers and by conditions."""

import numpy as np

from cuarray import _core
from cuarray._arguments.functions import broadcast_shapes, broadcast_to, full
from cuarray._arguments.operands import (
    WEAK,
    arrays_and_numbers,
    as_arrays,
    members,
    rule_outside,
    target,
    write_output,
)
from cuarray._arguments.ufuncs import where
from cuarray._core import ndarray
from cuarray._runtime.fuse import fused_call

__all__ = ["choose", "select"]


def positions(result, given, function):
    """Return given indices as an integer array; TypeError if they are not integers."""
    if result.size == 0 and not isinstance(given, (ndarray, np.ndarray)):
        result = result.astype(np.int64)  # an empty list has no type
    if result.dtype.kind == "b":
        result = result.astype(np.int64)
    if result.dtype.kind not in "iu":
        raise TypeError(f"{function}: indices must be integers, not {result.dtype}")
    return result


def countable(places):
    """Return positions in a type that can hold the extents they are divided by."""
    return places if places.dtype.itemsize == 8 else places.astype(np.int64)


def choose(a, choices, out=None, mode="raise"):
    """Select each element from one of several arrays, by index.

    Parameters
    ----------
    a : array_like of int
        For each element, the index of its choice.
    choices : sequence of array_like
        Broadcast with `a`.
    out : ndarray, optional
        Output array.
    mode : {'raise', 'wrap', 'clip'}
        How to treat an out-of-bounds number. With 'raise' the call waits for the values of `a`.

    Returns
    -------
    ndarray

    Raises
    ------
    ValueError
        If a number lies outside, or shapes do not broadcast.

    See Also
    --------
    numpy.choose

    Examples
    --------
    >>> import cuarray as ca
    >>> ca.choose([0, 2, 1], [[1, 2, 3], [10, 20, 30], 0])
    array([ 1,  0, 30])
    """
    given = list(members(choices, "choices", "choose"))
    a, *choices = as_arrays("choose", a, *given)
    numbers = positions(a, a, "choose")
    count = len(choices)
    if count == 0:
        raise ValueError("choose: there are no choices")
    mode = rule_outside(mode, "choose")
    shape = broadcast_shapes(numbers.shape, *(one.shape for one in choices))
    if mode == "raise" and 0 not in shape and not 0 <= int(numbers.min()) <= int(numbers.max()) < count:
        raise ValueError(
            f"choose: invalid entry in choice array: numbers are from {numbers.min()} to {numbers.max()}, "
            f"there are {count} choices"
        )
    if mode == "wrap":
        numbers = countable(numbers) % count
    dtype = _core.result_type(*(x if type(x) in WEAK else one for x, one in zip(given, choices, strict=True)))
    with fused_call():
        # 'clip': the last choice serves all larger indices, and the first one negative indices.
        result = choices[-1].astype(dtype)
        for number in range(count - 2, -1, -1):
            result = where(numbers <= number, choices[number].astype(dtype), result)
    if result.shape != shape or count == 1:
        result = broadcast_to(result, shape).copy()
    if out is not None and target(out, "choose", is_out=True).shape != shape:
        raise TypeError(f"choose: out= has shape {out.shape}, the result {shape}")
    return write_output(result, out, "choose", "unsafe")


def select(condlist, choicelist, default=0):
    """Select each element from the first of several arrays whose condition is true.

    Parameters
    ----------
    condlist : sequence of array_like of bool
    choicelist : sequence of array_like
        As many as conditions; everything broadcasts.
    default : number or array_like
        The value where no condition is true.

    Returns
    -------
    ndarray

    Raises
    ------
    ValueError
        If there are no conditions, or their number is not that of the choices.
    TypeError
        If a condition is not of type bool.

    See Also
    --------
    numpy.select

    Examples
    --------
    >>> import cuarray as ca
    >>> x = ca.arange(6)
    >>> ca.select([x < 2, x > 3], [x, x**2], -1)
    array([ 0,  1, -1, -1, 16, 25])
    """
    condlist = members(condlist, "condlist", "select")
    choicelist = members(choicelist, "choicelist", "select")
    if len(condlist) != len(choicelist):
        raise ValueError(f"select: {len(condlist)} conditions do not go with {len(choicelist)} choices")
    if len(condlist) == 0:
        raise ValueError("select: there are no conditions")
    operands = arrays_and_numbers("select", *condlist, *choicelist, default)
    conditions, choices = as_arrays("select", *operands)[: len(condlist)], operands[len(condlist) :]
    for number, condition in enumerate(conditions):
        if condition.dtype != np.bool_:
            raise TypeError(f"select: condition {number} is of type {condition.dtype}, not bool")
    dtype = _core.result_type(*choices)
    choices = [
        full((), x, dtype, device=conditions[0].device) if type(x) in WEAK else x.astype(dtype, copy=False)
        for x in choices
    ]
    with fused_call():
        result = choices[-1]
        for condition, value in zip(reversed(conditions), reversed(choices[:-1]), strict=True):
            result = where(condition, value, result)
    return result
