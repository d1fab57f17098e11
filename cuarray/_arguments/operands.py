"""Conversion of arguments to arrays on one device, and of results into the caller's out=."""

import functools

import numpy as np

from cuarray import _core
from cuarray._arguments.axes import bounded
from cuarray._core import ndarray

#: Number types that take the precision of the array operands ("weak" scalars).
WEAK = (bool, int, float, complex)


def under_its_name(function):
    """Decorate a function that calls NumPy with its arguments: errors then begin with the function's name."""

    @functools.wraps(function)
    def call(*args, **options):
        try:
            return function(*args, **options)
        except NAMED as error:
            raise_named(error, function.__name__)

    return call


#: Exceptions whose texts get the name of the function that raises them.
NAMED = (TypeError, AttributeError, IndexError)


def raise_named(error, name):
    """Raise the error, which is being handled, with the name of a function before its text."""
    if type(error) not in NAMED or str(error).startswith(name):
        raise error
    raise type(error)(f"{name}: {error}") from error


KDLCPU = 1  # DLPack's device type of host memory


def is_on_host(array):
    """Whether the host can read the array's memory."""
    return array.__dlpack_device__()[0] == KDLCPU


def host_copy(array):
    """Return the values as a numpy.ndarray, a view where the memory is on the host."""
    return array.__array__() if is_on_host(array) else array.numpy()


def device_of(*objects):
    """Return the device of the first object that is an array, or None."""
    for x in objects:
        if isinstance(x, ndarray):
            return x.device
    return None


def as_arrays(function, *objects, optional=()):
    """Return the objects as arrays, followed by those of `optional`, in which None stays None.

    Lists go to the first array's device, and so do NumPy arrays if that is `cpu`; with a GPU array they raise
    TypeError. Without an array, all go to the current device.
    """
    return _core.as_arrays(function, objects, optional)


def arrays_and_numbers(function, *objects, optional=()):
    """Return the objects as `as_arrays` does, but weak Python scalars unchanged."""
    return _core.as_arrays(function, objects, optional, True)


def word(value, choices, what, function):
    """Return a word that is one of `choices`; TypeError if it is not a string, else ValueError."""
    if not isinstance(value, str):
        raise TypeError(f"{function}: {what} must be a string, not {value!r}")
    if value not in choices:
        *first, last = map(repr, choices)
        names = f"{', '.join(first)} or {last}" if first else last
        raise ValueError(f"{function}: {what} must be {names}, not {value!r}")
    return value


def members(value, what, function):
    """Return a sequence of objects as one with a length; TypeError if it is not a sequence."""
    if not np.iterable(value):
        raise TypeError(f"{function}: {what} must be a sequence, not {type(value).__name__}")
    if hasattr(value, "__len__") and hasattr(value, "__getitem__"):
        return value
    return list(bounded(value, what, function))


def target(a, function, is_out=False):
    """Return the output argument as an array: `a` itself, or a view of a NumPy array.

    Raises TypeError for anything else, and ValueError if it is read-only, even if it has no elements.
    """
    if isinstance(a, np.ndarray):
        if not a.dtype.isnative:
            name = _core.called_function(function)
            raise TypeError(
                f"{name}: the bytes of {a.dtype} are swapped; fill an array of ours and write y[...] = x.numpy()"
            )
        a = _core.array_from_object(a, None, "cpu", False)
    if not isinstance(a, ndarray):
        need = "out must be an array" if is_out else "expected an array to write into"
        raise TypeError(f"{_core.called_function(function)}: {need}, not {type(a).__name__}")
    if not a.flags.writeable:
        what = "output array" if is_out else "the array"
        raise ValueError(f"{_core.called_function(function)}: {what} is read-only")
    return a


def values_for(a, values, function):
    """Return values to write into `a` as an array; OverflowError if Python ints do not fit."""
    if isinstance(values, ndarray):  # before WEAK: a value may be a float as well
        return values.to_device(a.device)
    if isinstance(values, (*WEAK, list, tuple)):
        return _core.array_from_object(values, a.dtype, a.device)
    if isinstance(values, np.ndarray):
        _core.refuse_to_strip(values, function)
        return _core.array_from_object(values, None, a.device)
    return _core.beside(values, a, function)


def host_values(x, function):
    """Return a parameter that the host reads as a NumPy array; TypeError if that drops units or a mask."""
    if isinstance(x, ndarray):
        return x.numpy()
    _core.refuse_to_strip(x, function)
    try:
        return np.asarray(x)
    except ValueError:  # also where `__array__` gives an array of ours
        if isinstance(given := x.__array__() if hasattr(type(x), "__array__") else None, ndarray):
            return given.numpy()
        raise


def real_number(value, what, function):
    """Return a parameter that is one real number as a float; TypeError if it is none."""
    host = host_values(value, function)
    if host.dtype.kind not in "biuf" or host.ndim:
        raise TypeError(f"{function}: {what} must be a real number, not {value!r:.80}")
    return float(host)


def dtype_into(dtype, out):
    """Return the type of a computation that `out`, if given, helps to choose: as in NumPy, the common one.

    But uint64 does not become float64 beside signed integers.
    """
    if not hasattr(out, "dtype"):
        return dtype
    common = _core.result_type(dtype, out.dtype)
    return dtype if common.kind == "f" and dtype.kind in "iu" and out.dtype.kind in "iu" else common


def sole_output(out, function):
    """Return the output of a ufunc with one result, which may be given as a tuple of one."""
    if not isinstance(out, tuple):
        return out
    if len(out) != 1:
        raise ValueError(f"{_core.called_function(function)}: out= is a tuple of {len(out)}, and there is one result")
    return out[0]


def array_output(out, function):
    """Return the same where a tuple must hold an array: in methods of ufuncs."""
    sole = sole_output(out, function)
    return target(sole, function, is_out=True) if isinstance(out, tuple) else sole


def check_output_cast(result, out, casting, function):
    """Raise TypeError unless the dtype of a result may be cast to that of `out`."""
    if not _core.can_cast(result, out, casting):
        raise TypeError(
            f"{_core.called_function(function)}: cannot cast the output from {result} to {out} "
            f"with casting rule {casting!r}"
        )


def write_output(result, out, function, casting="same_kind", *, broadcasts=False):
    """Return the result, written to `out` if given: an array of its shape, or to which it broadcasts.

    Without `out`, a 0-d result is a value, as NumPy's scalars are.
    """
    if out is None:
        return _core.as_value(result)
    taker = target(out, function, is_out=True)
    if out.shape != result.shape and not (broadcasts and is_broadcast(result.shape, out.shape)):
        raise ValueError(f"{_core.called_function(function)}: out= has shape {out.shape}, the result {result.shape}")
    check_output_cast(result.dtype, out.dtype, casting, function)
    taker[...] = result
    return out


def is_broadcast(shape, larger):
    """Tell whether a shape broadcasts to another one, which has as many axes or more."""
    behind = larger[len(larger) - len(shape) :]
    return len(shape) <= len(larger) and all(n in (1, m) for n, m in zip(shape, behind, strict=True))
