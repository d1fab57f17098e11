"""Arguments brought to one device, and results brought into what the caller gave as out=."""

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


def deliver(result, out, function, casting="same_kind"):
    """Return the result, in `out` where one is given: an array of its shape, or a tuple of one."""
    if out is None:
        return result
    (out,) = out if isinstance(out, tuple) else (out,)
    if not isinstance(out, ndarray):
        raise TypeError(f"{function}: out= takes a cuarray.ndarray, not {type(out).__name__}")
    if out.shape != result.shape:
        raise ValueError(f"{function}: out= has shape {out.shape}, the result {result.shape}")
    if not _core.can_cast(result.dtype, out.dtype, casting):
        raise TypeError(
            f"{function}: cannot cast from {result.dtype} to {out.dtype} with casting rule {casting!r}"
        )
    out[...] = result
    return out
