"""CuPy, for `cuarray.interop.wrap`; CuPy has no gradients."""

import cuarray
from cuarray.interop._rules import nothing_kept, unchecked

try:
    import cupy
except ImportError as error:
    raise ImportError("this needs CuPy: pip install cupy-cuda12x, or cupy-cuda13x") from error

__all__ = ["give", "is_array", "make", "take"]


def is_array(x):
    return isinstance(x, cupy.ndarray)


def take(x):
    """Return a cuarray array over the memory of CuPy's, in the order of CuPy's current stream."""
    return cuarray.from_dlpack(x)


def give(x):
    """Return CuPy's array over the memory of an array of a GPU; CuPy has no others."""
    return cupy.from_dlpack(x)


def make(x, _like=None):
    return give(x if x.flags.writeable else x.copy())


check = unchecked
untaped = forgotten = repeated = nothing_kept


def __dir__() -> list[str]:
    return sorted(__all__)
