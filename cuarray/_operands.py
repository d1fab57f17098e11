"""Arguments brought to one device, and results brought into what the caller gave as out=."""

from cuarray import _core
from cuarray._core import ndarray
from cuarray._creation import as_array


def device_of(*objects):
    """Return the device of the first object that is an array, or None."""
    return next((x.device for x in objects if isinstance(x, ndarray)), None)


def side_by_side(function, *objects):
    """Return the objects as arrays; lists join the first array's device, NumPy's arrays only `cpu`."""
    first = next((x for x in objects if isinstance(x, ndarray)), None)
    return [as_array(x) if first is None else _core.beside(x, first, function) for x in objects]


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
