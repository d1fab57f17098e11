"""Fusion of elementwise operations into one kernel."""

import functools
import inspect
import sys

from cuarray import _core

__all__ = ["fuse"]

# A frame with one of these flags can be suspended while the context is open.
SUSPENDABLE = inspect.CO_GENERATOR | inspect.CO_COROUTINE | inspect.CO_ASYNC_GENERATOR


class fuse:
    """Fuse elementwise operations into one kernel, with bit-identical results.

    A decorator or a context manager. Inside, elementwise operations, `where`, casts and the reductions that
    follow them are deferred and run together, when the function returns or when a value is needed. The Python
    code runs at every call; it is not traced. Other operations, and code that needs a value
    (`if x > 0:`, `print(x)`, `float(x)`), first run the pending operations that they depend on.

    Parameters
    ----------
    function : callable, optional
        The function to decorate.

    Raises
    ------
    TypeError
        If `function` is a generator or a coroutine, or the context is opened inside one, which could be
        suspended.

    Notes
    -----
    Shapes, types and all errors are those of the single operations, raised at the operation.
    Contexts may be nested; the outermost one runs the pending operations. Each thread has its own.
    An operation that reads memory shared with other code, such as a NumPy array passed to `asarray`, runs
    immediately, because deferring could change its result; `cuarray.array(x)` makes a copy that fuses.

    Examples
    --------
    >>> import cuarray as ca
    >>> @ca.fuse
    ... def soft(x, k):
    ...     return ca.log1p(ca.exp(k * x)) / k
    >>> soft(ca.asarray([0.0, 1.0]), 2.0)
    array([0.34657359, 1.06346401])

    >>> with ca.fuse():
    ...     y = ca.arange(3) * 2 + 1
    >>> y
    array([1, 3, 5])
    """

    def __new__(cls, function=None):
        if function is None:
            return super().__new__(cls)
        if not callable(function):
            raise TypeError(f"fuse: a function is needed, not {type(function).__name__}")
        tests = (inspect.isgeneratorfunction, inspect.iscoroutinefunction, inspect.isasyncgenfunction)
        if any(test(function) for test in tests):
            name = getattr(function, "__qualname__", repr(function))
            raise TypeError(f"fuse: {name} is a generator or coroutine; fuse the functions that it calls")

        @functools.wraps(function)
        def fused(*args, **kwargs):
            _core.begin_deferral()
            try:
                return function(*args, **kwargs)
            finally:
                _core.end_deferral()

        return fused

    def __call__(self, function):
        return type(self)(function)

    def __enter__(self):
        caller = sys._getframe(1).f_code
        if caller.co_flags & SUSPENDABLE:
            name = caller.co_qualname
            raise TypeError(f"fuse: {name} is a generator or coroutine; fuse the functions that it calls")
        _core.begin_deferral()
        return self

    def __exit__(self, *exception):
        _core.end_deferral()


class fused_call:
    """`fuse` for the body of a cuarray function, during which no other code writes shared memory.

    Operations that read shared memory are therefore deferred too, until the function ends.
    """

    def __enter__(self):
        _core.begin_call_deferral()

    def __exit__(self, *exception):
        _core.end_call_deferral()
