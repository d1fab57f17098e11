"""Fusion of elementwise operations into one kernel."""

from cuarray import _core
from cuarray._runtime.thread_context import ThreadContext

__all__ = ["eager", "fuse"]


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
    Memory is shared while another library has it: a NumPy array that was passed to `asarray` and that
    somebody still holds, or a view, buffer or capsule of an array that is alive. An address that was read
    (`__array_interface__`, `__cuda_array_interface__`, `ctypes`) counts for ever. In a context, an
    operation that reads shared memory runs immediately, because deferring could change its result;
    `cuarray.array(x)` makes a copy that fuses. In a decorated function it is deferred, too: until the
    function returns, only operations of cuarray may write memory that was shared before the call. Memory
    that comes to be shared during the call is read immediately.

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

    _begin, _end = _core.begin_deferral, _core.end_deferral
    _begin_call, _end_call = _core.begin_function_deferral, _core.end_function_deferral


class eager(ThreadContext):
    """Run each operation at its call, also where cuarray would wait and fuse it with those that follow.

    A decorator or a context manager. On `cpu`, elementwise operations on 8,192 elements and more wait until a value
    is needed, while one thread alone computes; then all that is needed runs together, with the bits of the single
    steps. Inside, operations outside of `fuse` do not wait: for timing single operations, and to see errors of memory
    where the operation stands.

    Parameters
    ----------
    function : callable, optional
        The function to decorate.

    Raises
    ------
    TypeError
        If `function` is a generator or a coroutine, or the context is opened inside one, which could be
        suspended.

    See Also
    --------
    fuse, synchronize

    Notes
    -----
    The environment variable `CUARRAY_FUSE=off` does the same for a whole program. Errors in arguments are raised at
    the call in either case.

    Examples
    --------
    >>> import cuarray as ca
    >>> x = ca.ones(100_000)
    >>> with ca.eager():
    ...     y = x * 2
    >>> y[:2]
    array([2., 2.])
    """

    _begin, _end = _core.begin_eager, _core.end_eager


class fused_call:
    """`fuse` for the body of a cuarray function, during which no other code writes shared memory.

    Operations that read shared memory are therefore deferred too, until the function ends.
    """

    def __enter__(self):
        _core.begin_call_deferral()

    def __exit__(self, *exception):
        _core.end_call_deferral()
