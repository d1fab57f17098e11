"""Products in one written order of additions."""

from cuarray import _core
from cuarray._runtime.thread_context import ThreadContext

__all__ = ["deterministic"]


class deterministic(ThreadContext):
    """Compute products in one written order of additions: the same bits on every device, and for every layout.

    A decorator or a context manager. Outside, products of floating-point and complex matrices and vectors are
    computed by the vendor's library (the BLAS that NumPy uses, or cuBLAS), whose order of additions depends on the
    shapes, the layout in memory, the processor and the number of threads. Inside, and wherever there is no such
    library, the order depends only on the shapes: matrix products are sums of 256 products from left to right, which
    are then added, and products of vectors are added as by `sum`.

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
    Contexts may be nested. Each thread has its own. Products are slower inside.

    Examples
    --------
    >>> import cuarray as ca
    >>> x = ca.sin(ca.arange(600.0)).reshape(20, 30)
    >>> with ca.deterministic():
    ...     same = (x @ x.T == x.copy("F") @ x.T.copy()).all()
    >>> print(same)
    True
    """

    _begin, _end = _core.begin_deterministic, _core.end_deterministic
