"""The precision of products by a vendor's library."""

from cuarray import _core
from cuarray._runtime.thread_context import ThreadContext


class Tf32(ThreadContext):
    """The context that `precision("tf32")` returns."""

    _begin, _end = _core.begin_tf32, _core.end_tf32


def precision(mode) -> ThreadContext:
    """Return a context, or a decorator, in which matrix products may be computed with less precision, but faster.

    Parameters
    ----------
    mode : {'tf32'}
        float32 and complex64 factors may be rounded to TensorFloat-32, which has 10 bits of mantissa instead of 23;
        sums stay float32. GPUs of compute capability 8.0 and newer multiply so with tensor cores. On other devices,
        for other dtypes and within `deterministic()` nothing changes.

    Returns
    -------
    context manager, also a decorator
        For the calling thread; contexts may be nested.

    Raises
    ------
    ValueError
        If there is no such mode.

    See Also
    --------
    cuarray.deterministic

    Examples
    --------
    >>> import cuarray as ca
    >>> x = ca.ones((2, 2), dtype=ca.float32)
    >>> with ca.linalg.precision("tf32"):
    ...     print(x @ x)
    [[2. 2.]
     [2. 2.]]
    """
    if mode != "tf32":
        raise ValueError(f"precision: mode must be 'tf32', not {mode!r}")
    return Tf32()
