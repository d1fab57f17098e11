"""Calls that NumPy computes for cuarray.numpy: how they are made, counted and warned about."""

import functools
import os
import time
import warnings
from types import BuiltinFunctionType, FunctionType
from typing import NamedTuple

import numpy as np

from cuarray._functions.errstate import CURRENT
from cuarray._numpy.arguments import HostCopies
from cuarray._numpy.errstate import filters_of_warnings
from cuarray._numpy.warning import HostFallbackWarning
from cuarray._runtime.frames import PACKAGE, calling_frame, warn_program

#: The file of `--check`, which makes the program's calls.
CHECK = os.path.join(PACKAGE, "_tools", "check.py")


#: Errors that may be about types of NumPy's.
ERRORS = (TypeError, NotImplementedError, OverflowError)


class Fallback(NamedTuple):
    """What NumPy has computed for one line of a program: `bytes` have been copied from and to a GPU."""

    function: str
    file: str
    line: int
    calls: int
    seconds: float
    bytes: int


#: [calls, seconds, bytes] by function, file and line.
counts: dict[tuple[str, str, int], list] = {}


def fallbacks() -> list[Fallback]:
    """Return the calls with arrays of ours that NumPy has computed, by function and line, slowest first.

    Returns
    -------
    list of Fallback
        Each has `function`, `file`, `line`, `calls`, `seconds`, and the `bytes` that were copied from GPUs.

    Examples
    --------
    >>> import cuarray.numpy as np
    >>> before = len(np.fallbacks())
    >>> warnings.simplefilter("ignore")
    >>> np.ma.filled(np.array([4.0]), 0)
    array([4.])
    >>> len(np.fallbacks()) - before
    1
    """
    return sorted((Fallback(*place, *count) for place, count in counts.items()), key=lambda f: -f.seconds)


def is_of_program(frame):
    """Whether a call from a frame is a program's or another library's, and not one inside of cuarray."""
    while frame.f_code.co_filename == CHECK:
        frame = frame.f_back
    return not frame.f_code.co_filename.startswith(PACKAGE)


def on_numpys_types(function, args, kwargs):
    """Return function(*args, **kwargs) of arguments without arrays of ours, with our arrays as its numeric results."""
    settings = CURRENT.get()
    if not settings.asks:
        return HostCopies().to_ours(function(*args, **kwargs))
    with np.errstate(call=settings.call, **settings.choices):
        return HostCopies().to_ours(function(*args, **kwargs))


def on_host(function, args, kwargs, name=""):
    """Return function(*args, **kwargs), computed on arrays of NumPy's, with our arrays as its numeric results.

    With arrays of ours among the arguments, the call is counted, and the first one on a line warns.
    """
    start = time.perf_counter()
    copies = HostCopies(asks="like" not in kwargs and asks_no_classes(function))
    args = [copies.to_host(x) for x in args]
    if kwargs:
        kwargs = copies.to_host(kwargs)
    settings = CURRENT.get()
    if settings.asks:
        with np.errstate(call=settings.call, **settings.choices):
            result = function(*args, **kwargs)
    else:
        result = function(*args, **kwargs)
    if copies.bytes and "out" in kwargs:
        copies.write_back(kwargs["out"])
    result = copies.to_ours(result)
    if copies.device is not None:
        count(name or full_name(function), time.perf_counter() - start, copies)
    return result


@functools.lru_cache
def asks_no_classes(function):
    """Whether a function takes objects of any class without asking it, as a dispatching one or a ufunc would."""
    is_plain = isinstance(function, FunctionType | BuiltinFunctionType)
    return is_plain and not isinstance(getattr(function, "__self__", None), np.ufunc)


@functools.lru_cache
def full_name(function):
    """Return the name of a function of NumPy as programs write it."""
    module, name = getattr(function, "__module__", None) or "numpy", getattr(function, "__name__", str(function))
    return f"{module}.{name}" if "._" not in module else name


def count(name, seconds, copies):
    """Add a call to the counts, and warn of the first one on a line."""
    frame = calling_frame()
    place = name, frame.f_code.co_filename, frame.f_lineno
    is_new = place not in counts
    total = counts.setdefault(place, [0, 0.0, 0])
    total[:] = total[0] + 1, total[1] + seconds, total[2] + copies.bytes
    if is_new:
        copied = f", on a copy of {copies.bytes} bytes from {copies.device}" if copies.bytes else ""
        try:
            warn_program(f"{name}: computed by NumPy on the host{copied}", HostFallbackWarning)
        except HostFallbackWarning as warning:
            if any(issubclass(category, HostFallbackWarning) for _, _, category, *_ in filters_of_warnings()):
                raise
            # `simplefilter("error")` of a program that does not know of this warning.
            warnings.showwarning(warning, HostFallbackWarning, frame.f_code.co_filename, frame.f_lineno)
