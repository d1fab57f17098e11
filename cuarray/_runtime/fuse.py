"""Fusion of elementwise operations into one kernel."""

from cuarray import _core
from cuarray._runtime.thread_context import ThreadContext

__all__ = ["fuse"]


class fuse(ThreadContext):
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

    begin, end = _core.begin_deferral, _core.end_deferral


class fused_call:
    """`fuse` for the body of a cuarray function, during which no other code writes shared memory.

    Operations that read shared memory are therefore deferred too, until the function ends.
    """

    def __enter__(self):
        _core.begin_call_deferral()

    def __exit__(self, *exception):
        _core.end_call_deferral()
