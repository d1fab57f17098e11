"""Arguments brought to one device, and results brought into what the caller gave as out=."""

import numpy as np

from cuarray import _core
from cuarray._core import ndarray

#: Types of numbers that take the precision of the arrays beside them.
WEAK = (bool, int, float, complex)


def device_of(*objects):
    """Return the device of the first object that is an array, or None."""
    return next((x.device for x in objects if isinstance(x, ndarray)), None)


def side_by_side(function, *objects):
    """Return the objects as arrays, None as None.

    Lists join the first array's device, and so do NumPy's arrays if that is `cpu`; beside a GPU's they raise
    TypeError. Where there is no array, all go to the current device.
    """
    return _core.side_by_side(function, *objects)


def with_numbers(function, *objects):
    """Return the objects as `side_by_side` does, but Python's numbers, whose type bends, as they are."""
    arrays = side_by_side(function, *(None if type(x) in WEAK else x for x in objects))
    return [x if array is None else array for x, array in zip(objects, arrays, strict=True)]


def target(a, function):
    """Return what is to be written as an array: `a` itself, or the memory of a NumPy array; else TypeError."""
    if isinstance(a, np.ndarray):
        return _core.array_from_object(a, device="cpu", copy=False)
    if not isinstance(a, ndarray):
        raise TypeError(f"{function}: expected an array to write into, not {type(a).__name__}")
    return a


def values_for(a, values, function):
    """Return what is to be written into `a` as an array beside it; OverflowError where Python's ints do not fit."""
    if isinstance(values, (*WEAK, list, tuple)):
        return _core.array_from_object(values, a.dtype, device=a.device)
    return _core.beside(values, a, function)


def host_values(x, function):
    """Return a parameter that the host reads as a NumPy array; TypeError where that loses units or a mask."""
    if isinstance(x, ndarray):
        return x.numpy()
    _core.refuse_to_strip(x, function)
    return np.asarray(x)


def deliver(result, out, function, casting="same_kind"):
    """Return the result, in `out` where one is given: an array of its shape, or a tuple of one.

    Without `out`, a result without axes is a value, as NumPy's scalars are.
    """
    if out is None:
        return _core.as_value(result)
    (out,) = out if isinstance(out, tuple) else (out,)
    taker = target(out, f"{function}: out")
    if out.shape != result.shape:
        raise ValueError(f"{function}: out= has shape {out.shape}, the result {result.shape}")
    if not _core.can_cast(result.dtype, out.dtype, casting):
        raise TypeError(
            f"{function}: cannot cast from {result.dtype} to {out.dtype} with casting rule {casting!r}"
        )
    taker[...] = result
    return out
