"""The ufunc method reduceat: its arguments, in NumPy's conventions."""

import numpy as np

from cuarray import _core
from cuarray._arguments.axes import integer
from cuarray._arguments.operands import array_output, host_values
from cuarray._core import ndarray
from cuarray._functions.creation import as_array


def begins_on_host(indices, name):
    """Return the begins of segments as a 1-d NumPy array; waits for indices on a GPU."""
    host = host_values(indices, f"{name}.reduceat")
    if host.ndim != 1:
        raise ValueError(f"{name}.reduceat: indices must have one axis, not shape {host.shape}")
    if not np.can_cast(host.dtype, np.int64) and isinstance(indices, ndarray | np.ndarray):
        raise TypeError(f"{name}.reduceat: indices must be integers, not {host.dtype}")
    if host.dtype.kind == "f" and not np.isfinite(host).all():
        raise ValueError(f"{name}.reduceat: indices must be integers, not {host.tolist()}")
    return np.ascontiguousarray(host, np.int64)


def reduceat(function, array, indices, axis=0, dtype=None, out=None):
    """Reduce segments of an axis; the host reads their begins; see numpy.ufunc.reduceat."""
    name = function.__name__
    out = array_output(out, f"{name}.reduceat")
    array = as_array(array)
    if isinstance(axis, tuple):
        if len(axis) != 1:
            raise ValueError(f"{name}.reduceat does not allow multiple axes")
        (axis,) = axis
    elif axis is None:
        if array.ndim > 1:
            raise ValueError(f"{name}.reduceat does not allow multiple axes")
        axis = 0
    begins = begins_on_host(indices, name)
    return _core.reduceat(function, array, begins, integer(axis, "axis", name), dtype, out)
