"""`python -m cuarray --check script.py`: every call beside NumPy's, up to the first one whose result differs."""

import atexit
import functools
import inspect
import itertools
import sys
import threading
import warnings

import numpy as np

from cuarray import _core
from cuarray._core import ndarray
from cuarray._functions.sharing import may_share_memory
from cuarray._ndarray.protocols import flat
from cuarray._numpy import facade
from cuarray._runtime.frames import calling_frame

#: Functions whose results are no function of their arguments, or that have effects beyond them.
NOT_REPEATED = {
    "empty", "empty_like", "save", "savez", "savez_compressed", "savetxt", "tofile", "dump", "seterr", "shares_memory",
    "may_share_memory", "get_printoptions", "set_printoptions", "printoptions", "getbufsize", "setbufsize", "memmap",
    "ndarray.resize",  # counts references, of which the check holds one
}  # fmt: skip
#: Attributes of arrays that are not checked: protocols, and what names the object itself.
NOT_CHECKED = {
    "__array__", "__array_ufunc__", "__array_function__", "__array_namespace__", "__class__", "__del__", "__delattr__",
    "__dir__", "__dlpack__", "__dlpack_device__", "__doc__", "__getattribute__", "__hash__", "__init__", "__iter__",
    "__init_subclass__", "__new__", "__reduce__", "__reduce_ex__", "__repr__", "__setattr__", "__sizeof__", "__str__",
    "__subclasshook__", "__torch_function__", "__class_getitem__", "__copy__", "__deepcopy__", "__buffer__", "__len__",
    "__release_buffer__", "__jax_array__", "__setstate__", "__format__", "__getstate__", "__index__", "tofile", "dump",
    "dumps", "tobytes", "setflags",
}  # fmt: skip

#: Functions whose results are in an order that is defined in part, with their arguments.
ORDERS = {
    "argsort": inspect.signature(lambda a, axis=-1, kind=None, order=None, *, stable=None: None),
    "partition": inspect.signature(lambda a, kth, axis=-1, kind=None, order=None: None),
    "argpartition": inspect.signature(lambda a, kth, axis=-1, kind=None, order=None: None),
}
#: Elements may differ by so many units in the last place, which is more than docs/accuracy.md has for any function.
ULP = 64
compared = itertools.count()  # the calls that agreed
inside = threading.local()  # `call`: whether this thread is in a call that is being checked


class Difference(BaseException):
    """A call gave another result than NumPy's; no handler of the program's for `Exception` takes it."""


def start():
    """Check the calls of the program from now on."""
    facade.decorate = checked
    atexit.register(lambda: print(f"cuarray: {next(compared)} calls gave what NumPy's give", file=sys.stderr))
    for name in dir(np.ndarray):
        ours = getattr(ndarray, name, None)
        if callable(ours) and name not in NOT_CHECKED:
            _core.extend_ndarray({name: as_method(checked(ours, by_name(name), f"ndarray.{name}"))})


def by_name(name):
    """Return the method of NumPy's arrays and scalars; NotImplemented where those have none."""

    def method(self, *args, **kwargs):
        return getattr(self, name)(*args, **kwargs) if hasattr(self, name) else NotImplemented

    return method


def as_method(call):
    """Return a Python function, which classes bind."""

    def method(self, *args, **kwargs):
        return call(self, *args, **kwargs)

    return functools.wraps(call)(method)


def checked(ours, theirs, name):
    """Return the function of ours, or ufunc, whose calls are compared with NumPy's on copies of the arguments."""
    if isinstance(ours, type) or not NOT_REPEATED.isdisjoint({name, name.rpartition(".")[2]}):
        return ours
    call = checked_call(ours, theirs, name)
    return CheckedUfunc(call, ours, theirs, name) if isinstance(ours, _core.ufunc) else call


def checked_call(ours, theirs, name):
    def call(*args, **kwargs):
        if getattr(inside, "call", False) or not is_repeatable((args, kwargs)):
            return ours(*args, **kwargs)
        inside.call = True
        try:
            result = compare_calls(ours, theirs, name, args, kwargs)
            next(compared)
            return result
        finally:
            inside.call = False

    return functools.update_wrapper(call, ours, assigned=("__name__", "__qualname__", "__doc__"), updated=())


class CheckedUfunc:
    """A ufunc of ours whose calls are checked, those of its methods too."""

    def __init__(self, call, ours, theirs, name):
        self._call, self._ours = call, ours
        for method in ("reduce", "accumulate", "outer", "reduceat", "at"):
            pair = getattr(ours, method), getattr(theirs, method)
            setattr(self, method, checked_call(*pair, f"{name}.{method}"))

    def __call__(self, *args, **kwargs):
        return self._call(*args, **kwargs)

    def __getattr__(self, name):
        return getattr(self._ours, name)


def is_repeatable(x):
    """Whether arguments can be copied and used again: not iterators, files, generators of numbers and callbacks."""
    if isinstance(x, dict):
        return all(map(is_repeatable, x.values()))
    if isinstance(x, list | tuple):
        return len(x) < 100_000 and all(map(is_repeatable, x))
    if isinstance(x, ndarray | np.ndarray | np.generic | type | np.dtype) or np.isscalar(x):
        return True
    return x is None or x is Ellipsis or x is np.newaxis or isinstance(x, slice | range)


def copied(x, made=None):
    """Return an argument with copies of its arrays, as NumPy's: one for an array that occurs twice, as in ``out=x``."""
    made = {} if made is None else made
    if isinstance(x, ndarray | np.ndarray):
        if id(x) not in made:
            made[id(x)] = x.copy() if isinstance(x, np.ndarray) else x.numpy()
        return made[id(x)][()] if _core.is_value(x) else made[id(x)]
    if isinstance(x, dict):
        return {key: copied(value, made) for key, value in x.items()}
    if isinstance(x, list | tuple):
        entries = [copied(entry, made) for entry in x]
        return type(x)(*entries) if hasattr(x, "_fields") else type(x)(entries)
    return np.ndarray if x is ndarray else x


def overlap(x):
    """Whether different arrays of a call share memory, so that what is written to one changes another."""
    arrays = {id(array): array for array in flat(x) if isinstance(array, ndarray | np.ndarray)}
    return any(may_share_memory(a, b) for a, b in itertools.combinations(arrays.values(), 2))


def outcome(call, args, kwargs):
    """Return the result of a call and the error that it raised, one of them None."""
    try:
        return call(*args, **kwargs), None
    except Exception as error:
        return None, error


def compare_calls(ours, theirs, name, args, kwargs):
    """Call ours and NumPy's, and return what ours gives; Difference where that is not the same."""
    host_args, host_kwargs = copied((args, kwargs))
    share = overlap((args, kwargs))
    before = copied((args, kwargs))
    result, error = outcome(ours, args, kwargs)
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        expected, their_error = outcome(theirs, host_args, host_kwargs)
    if expected is NotImplemented or result is NotImplemented:  # left to the other operand
        return result
    if isinstance(error, FloatingPointError | Warning):  # the program's settings made it, which NumPy's call has not
        raise error
    if (error is None) != (their_error is None):
        fail(name, before, error or result, their_error or expected)
    if error is not None:
        raise error
    size = largest(before)
    if not same(result, expected, size) and not same_order(name, before, result, expected, size):
        fail(name, before, result, expected)
    if not share and not same((args, kwargs), (host_args, host_kwargs), size):
        fail(f"{name}, which has written to its arguments", before, (args, kwargs), (host_args, host_kwargs))
    return result


def largest(x):
    """Return the largest finite magnitude among numbers, at least 1."""
    if isinstance(x, dict):
        return largest(list(x.values()))
    if isinstance(x, list | tuple):
        return max(map(largest, x), default=1.0)
    if isinstance(x, np.ndarray | np.generic | int | float | complex) and np.asarray(x).dtype.kind in "biufc":
        with np.errstate(all="ignore"):
            magnitude = np.abs(np.asarray(x).astype(complex))
        return float(max(1.0, np.max(magnitude, where=np.isfinite(magnitude), initial=1.0)))
    return 1.0


def same(a, b, size):
    """Whether a result of ours is NumPy's, up to rounding."""
    if isinstance(a, ndarray | np.ndarray | np.generic) and isinstance(
        b, np.ndarray | np.generic | int | float | complex
    ):
        a, b = copied(a), np.asarray(b)
        return a.shape == b.shape and a.dtype == b.dtype and are_close(np.asarray(a), b, size)
    if isinstance(a, dict) and isinstance(b, dict):
        return a.keys() == b.keys() and all(same(a[key], b[key], size) for key in a)
    if isinstance(a, list | tuple) and isinstance(b, list | tuple):
        return len(a) == len(b) and all(same(x, y, size) for x, y in zip(a, b, strict=True))
    if isinstance(a, str | bytes | int | float | complex) and isinstance(b, str | bytes | int | float | complex):
        return a == b or a != a
    return True


def same_order(name, before, result, expected, size):
    """Whether results of argsort, partition or argpartition differ only where the order is not defined."""
    function = name.rpartition(".")[2]
    if function not in ORDERS or not isinstance(expected, np.ndarray):
        return False
    given = ORDERS[function].bind(*before[0], **before[1])
    given.apply_defaults()
    if "stable" in (given.arguments["kind"], *(key for key, value in given.arguments.items() if value is True)):
        return False
    x, axis = np.asarray(given.arguments["a"]), given.arguments["axis"]
    if axis is None:
        x, axis = x.reshape(-1), -1
    n, kth = x.shape[axis], given.arguments.get("kth")
    results = copied(result), expected
    if function.startswith("arg"):
        if not same(np.sort(results[0], axis), np.sort(expected, axis), size):
            return False
        results = [np.take_along_axis(x, positions, axis) for positions in results]
    if kth is None:
        return same(*results, size)
    ends = sorted({end for k in np.ravel(kth) for end in (k % n, k % n + 1)})
    parts = [[np.sort(part, axis) for part in np.split(values, ends, axis)] for values in results]
    return same(*parts, size)


def are_close(a, b, size):
    """Whether arrays of one shape agree: elements to some ulp, or to the rounding of sums of that size."""
    if a.dtype.kind not in "fc":
        return bool(np.array_equal(a, b))
    if not a.size:
        return True
    epsilon = float(np.finfo(a.dtype).eps)
    with np.errstate(all="ignore"):
        scale = max(size, largest(b))
        return bool(np.allclose(a, b, rtol=ULP * epsilon, atol=8 * epsilon * scale, equal_nan=True))


def fail(name, before, ours, theirs):
    frame = calling_frame()
    args, kwargs = before
    shown = ", ".join([*map(shortened, args), *(f"{key}={shortened(value)}" for key, value in kwargs.items())])
    raise Difference(
        f"{frame.f_code.co_filename}:{frame.f_lineno}: {name}({shown})\n"
        f"  gives    {shortened(ours)}\n  in NumPy {shortened(theirs)}"
    )


def shortened(x):
    inside.call = True
    text = f"{type(x).__name__}: {x}" if isinstance(x, Exception) else repr(x)
    return text if len(text) <= 300 else f"{text[:297]}..."
