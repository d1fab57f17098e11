"""Methods of ufuncs that fold parts of an axis, or elements that indices choose, made of reduce and indexing."""

from operator import index

import numpy as np

import cuarray
from cuarray import _core
from cuarray._creation import as_array, empty
from cuarray._indexing import put, take

#: Elements for one place that are applied one after the other, as NumPy does; more are folded by `reduce`.
IN_ORDER = 32


def groups_of_equal(lengths):
    """Yield each value among `lengths` and where it stands."""
    order = np.argsort(lengths, kind="stable")
    borders = np.flatnonzero(np.diff(lengths[order])) + 1
    for group in np.split(order, borders) if len(order) else ():
        yield int(lengths[group[0]]), group


def bounds(indices, extent, name):
    """Return where the segments of reduceat begin, on the host, and how long they are."""
    host = indices.numpy() if isinstance(indices, cuarray.ndarray) else np.asarray(indices)
    if host.ndim != 1:
        raise ValueError(f"{name}.reduceat: indices must have one axis, not shape {host.shape}")
    if not np.can_cast(host.dtype, np.intp) and isinstance(indices, cuarray.ndarray | np.ndarray):
        raise TypeError(f"{name}.reduceat: indices must be integers, not {host.dtype}")
    begins = host.astype(np.intp)
    outside = begins[(begins < 0) | (begins >= extent)]
    if len(outside):
        raise IndexError(
            f"{name}.reduceat: index {outside[0]} is out of bounds for an axis of {extent} elements"
        )
    ends = np.append(begins[1:], extent)[: len(begins)]
    return begins, np.where(begins < ends, ends - begins, 1)


def segments(array, begins, length, axis):
    """Return segments of one length as two axes in place of one: a view where they lie side by side."""
    before = (slice(None),) * axis
    first, end = int(begins[0]), int(begins[0]) + len(begins) * length
    if np.array_equal(begins, np.arange(first, end, length)):
        part = array[(*before, slice(first, end))]
        return part.reshape(*array.shape[:axis], len(begins), length, *array.shape[axis + 1 :])
    places = np.add.outer(begins, np.arange(length))
    return take(array, _core.array_from_object(places, device=array.device), axis)


def reduceat(function, array, indices, axis=0, dtype=None, out=None):
    """Fold the segments of an axis that begin at `indices`; see numpy.ufunc.reduceat."""
    name = function.__name__
    if function.nin != 2:
        raise ValueError(f"{name}.reduceat: only supported for binary functions")
    if function.nout != 1:
        raise ValueError(f"{name}.reduceat: only supported for functions returning a single value")
    if isinstance(out, tuple):
        (out,) = out
    array = as_array(array)
    if array.ndim == 0:
        raise TypeError(f"{name}.reduceat: cannot reduceat on a scalar")
    if isinstance(axis, tuple):
        if len(axis) != 1:
            raise ValueError(f"{name}.reduceat does not allow multiple axes")
        (axis,) = axis
    axis = index(axis)
    if not -array.ndim <= axis < array.ndim:
        raise np.exceptions.AxisError(axis, array.ndim)
    axis %= array.ndim
    begins, lengths = bounds(indices, array.shape[axis], name)
    shape = (*array.shape[:axis], len(begins), *array.shape[axis + 1 :])
    if out is not None and tuple(out.shape) != shape:
        raise ValueError(f"{name}.reduceat: out= has shape {tuple(out.shape)}, the result {shape}")
    dtype = dtype or (None if out is None else function.resolve_dtypes((out.dtype, array.dtype))[-1])
    # The type that the function folds in, found with no elements.
    dtype = function.accumulate(array[(slice(None),) * axis + (slice(0, 0),)], axis, dtype).dtype
    result = empty(shape, dtype, device=array.device)
    for length, group in groups_of_equal(lengths):
        parts = segments(array, begins[group], length, axis)
        folded = function.reduce(parts, axis + 1, dtype) if length > 1 else parts.squeeze(axis + 1)
        where = slice(None) if len(group) == len(begins) else _core.array_from_object(group, device=array.device)
        result[(slice(None),) * axis + (where,)] = folded
    if out is None:
        return result
    out[...] = result
    return out


def stable_order(places):
    """Return the positions that sort `places`, equal ones in their order."""
    host = np.argsort(places.numpy(), kind="stable")
    return _core.array_from_object(host, device=places.device)


def apply(function, a, places, values):
    """Do a[places] = function(a[places], values), where no place comes twice, on one axis of elements."""
    put(a, places, function(take(a, places), *values))


def at(function, a, indices, *values):
    """Apply a function to the elements that `indices` choose, once for each time; see numpy.ufunc.at."""
    name = function.__name__
    if function.nout != 1 or function.nin > 2:
        raise ValueError(f"{name}.at: only unary and binary functions with one result are supported")
    if len(values) != function.nin - 1:
        needs = "no second operand" if function.nin == 1 else "a second operand"
        raise ValueError(f"{name}.at: the function takes {needs}")
    if not isinstance(a, cuarray.ndarray):
        raise TypeError(f"{name}.at: the first operand must be a cuarray.ndarray, not {type(a).__name__}")
    if not a.flags.writeable:
        raise ValueError(f"{name}.at: the array is read-only")
    values = [_core.beside(v, a, name) for v in values]
    types = function.resolve_dtypes((a.dtype, *(v.dtype for v in values)))
    places = cuarray.arange(a.size, device=a.device).reshape(a.shape)[indices]
    values = [cuarray.broadcast_to(v, places.shape).reshape(-1) for v in values]
    places = places.reshape(-1)
    if places.size == 0:
        return
    order = stable_order(places)
    ordered = places[order]
    begins = np.append(0, cuarray.nonzero(ordered[1:] != ordered[:-1])[0].numpy() + 1)
    counts = np.diff(np.append(begins, places.size))
    for count, group in groups_of_equal(counts):
        first = _core.array_from_object(begins[group], device=a.device)
        at_once = ordered[first]
        if count <= IN_ORDER or not values or set(types) != {types[0]}:
            for i in range(count):
                apply(function, a, at_once, [v[order[first + i]] for v in values])
        else:
            chosen = order[first[:, None] + cuarray.arange(count, device=a.device)]
            lines = cuarray.concat([take(a, at_once)[:, None], values[0][chosen]], axis=1, dtype=types[0])
            put(a, at_once, function.reduce(lines, 1, types[0]))
