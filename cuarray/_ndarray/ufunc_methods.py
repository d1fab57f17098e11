"""The ufunc method reduceat: the begins of its segments, in NumPy's conventions."""

import numpy as np

from cuarray._arguments.operands import host_values
from cuarray._core import ndarray


def begins_on_host(indices, function):
    """Return the begins of segments as a 1-d NumPy array; waits for indices on a GPU."""
    host = host_values(indices, function)
    if host.ndim != 1:
        raise ValueError(f"{function}: indices must have one axis, not shape {host.shape}")
    if not np.can_cast(host.dtype, np.int64) and isinstance(indices, ndarray | np.ndarray):
        raise TypeError(f"{function}: indices must be integers, not {host.dtype}")
    if host.dtype.kind == "f" and not np.isfinite(host).all():
        raise ValueError(f"{function}: indices must be integers, not {host.tolist()}")
    return np.ascontiguousarray(host, np.int64)
