"""Kronecker and cross products, Vandermonde matrices, and block matrices."""

import numpy as np

from cuarray import _core
from cuarray._arguments.axes import integer, normalise_axis
from cuarray._arguments.functions import broadcast_shapes, empty, moveaxis
from cuarray._arguments.operands import as_arrays
from cuarray._arguments.ufuncs import multiply
from cuarray._functions.creation import as_array, asarray
from cuarray._runtime.fuse import fused_call

__all__ = ["block", "cross", "kron", "vander"]


def kron(a, b):
    """Return the Kronecker product of two arrays.

    Parameters
    ----------
    a, b : array_like
        The array with fewer axes gets leading axes of length 1.

    Returns
    -------
    ndarray
        Each extent is the product of the extents of `a` and `b`.

    See Also
    --------
    numpy.kron

    Examples
    --------
    >>> import cuarray as ca
    >>> ca.kron([1, 10], [1, 2, 3])
    array([ 1,  2,  3, 10, 20, 30])
    """
    a, b = as_arrays("kron", a, b)
    rank = np.maximum(a.ndim, b.ndim)
    a, b = (x.reshape((1,) * (rank - x.ndim) + x.shape) for x in (a, b))
    apart = (
        tuple(n for extent in a.shape for n in (extent, 1)),
        tuple(n for extent in b.shape for n in (1, extent)),
    )
    return (a.reshape(apart[0]) * b.reshape(apart[1])).reshape(
        tuple(m * n for m, n in zip(a.shape, b.shape, strict=True))
    )


@_core.with_fast_path
def cross(a, b, axisa=-1, axisb=-1, axisc=-1, axis=None):
    """Return the cross products of 3-d vectors; of 2-d vectors, only the third component.

    Parameters
    ----------
    a, b : array_like
        Broadcast together, except for the axis of the vectors.
    axisa, axisb : int
        The axes of the vectors in `a` and `b`.
    axisc : int
        The axis of the vectors in the result.
    axis : int, optional
        Overrides all three.

    Returns
    -------
    ndarray

    Raises
    ------
    ValueError
        If the length of vectors is not 2 or 3, or the shapes do not broadcast.
    AxisError
        If an axis does not exist.

    See Also
    --------
    numpy.cross

    Examples
    --------
    >>> import cuarray as ca
    >>> ca.cross([1, 0, 0], [0, 1, 0])
    array([0, 0, 1])
    """
    if axis is not None:
        axisa = axisb = axisc = axis
    a, b = as_arrays("cross", a, b)
    if a.ndim < 1 or b.ndim < 1:
        raise ValueError("cross: at least one array has zero dimension")
    a = moveaxis(a, normalise_axis(axisa, a.ndim, "cross"), -1)
    b = moveaxis(b, normalise_axis(axisb, b.ndim, "cross"), -1)
    if a.shape[-1] not in (2, 3) or b.shape[-1] not in (2, 3):
        raise ValueError(f"cross: vectors must have 2 or 3 components, not {a.shape[-1]} and {b.shape[-1]}")
    p, q = ([x[..., i] if i < x.shape[-1] else None for i in range(3)] for x in (a, b))
    if p[2] is None and q[2] is None:
        return asarray(minor(p, q, 0, 1))  # an array, not a value
    shape = (*broadcast_shapes(a.shape[:-1], b.shape[:-1]), 3)
    axisc = normalise_axis(axisc, len(shape), "cross")
    result = empty(shape, _core.result_type(a.dtype, b.dtype), device=a.device)
    for i in range(3):
        result[..., i] = minor(p, q, (i + 1) % 3, (i + 2) % 3)
    return moveaxis(result, -1, axisc)


def minor(p, q, i, j):
    """Return p[i] q[j] - p[j] q[i]; a component None is zero."""
    with fused_call():
        first = None if p[i] is None or q[j] is None else p[i] * q[j]
        second = None if p[j] is None or q[i] is None else p[j] * q[i]
        if first is None:
            return -second
        return first if second is None else first - second


def vander(x, N=None, increasing=False):
    """Return the Vandermonde matrix: a row with the powers of each number.

    Parameters
    ----------
    x : array_like
        One axis.
    N : int, optional
        The number of columns; the length of `x` by default.
    increasing : bool
        Whether the powers grow from left to right.

    Returns
    -------
    ndarray

    Raises
    ------
    ValueError
        If `x` is not one-dimensional, or `N` is negative.

    See Also
    --------
    numpy.vander

    Examples
    --------
    >>> import cuarray as ca
    >>> ca.vander([1, 2, 3], 3)
    array([[1, 1, 1],
           [4, 2, 1],
           [9, 3, 1]])
    """
    x = as_array(x)
    if x.ndim != 1:
        raise ValueError(f"vander: x must have one axis, not {x.ndim}")
    count = x.size if N is None else integer(N, "N", "vander")
    result = empty((x.size, count), _core.result_type(x.dtype, np.int64), device=x.device)
    powers = result if increasing else result[:, ::-1]
    powers[:, :1] = 1
    powers[:, 1:2] = x[:, None]
    for i in range(2, count if x.size else 0):
        multiply(powers[:, i - 1], x, out=powers[:, i])
    return result


def block(arrays):
    """Join the arrays of nested lists into a block matrix.

    Parameters
    ----------
    arrays : array_like or nested list of array_like
        The innermost lists are joined along the last axis, the next outer lists along the axis before it.

    Returns
    -------
    ndarray
        A new array.

    Raises
    ------
    ValueError
        If lists are nested to different depths or empty, or shapes do not fit.
    TypeError
        If there is a tuple among the lists.

    See Also
    --------
    numpy.block

    Examples
    --------
    >>> import cuarray as ca
    >>> ca.block([[ca.eye(2), ca.zeros((2, 1))], [ca.ones((1, 3))]])
    array([[1., 0., 0.],
           [0., 1., 0.],
           [1., 1., 1.]])
    """
    depth = nesting(arrays)
    leaves = list(leaves_of(arrays))
    rank = max(depth, *map(np.ndim, leaves))
    leaves = as_arrays("block", *leaves)
    shape, places = arranged(iter(leaves), arrays, 0, depth, rank)
    in_columns = depth and all(leaf.flags.f_contiguous for leaf in leaves)
    order = "F" if in_columns and not all(leaf.flags.c_contiguous for leaf in leaves) else "C"
    result = empty(shape, _core.result_type(*leaves), order=order, device=leaves[0].device)
    for leaf, corner in places:
        result[tuple(slice(k, k + n) for k, n in zip(corner, leaf.shape, strict=True))] = leaf
    return result


def nesting(arrays):
    """Return the depth of nested lists; raises if it is not uniform."""
    if isinstance(arrays, tuple):
        raise TypeError("block: arrays is a tuple; only lists can be used to arrange blocks")
    if not isinstance(arrays, list):
        return 0
    if not arrays:
        raise ValueError("block: list at arrays cannot be empty")
    depths = {nesting(entry) for entry in arrays}
    if len(depths) > 1:
        raise ValueError(f"block: list depths are mismatched: {sorted(depths)} lie in one list")
    return 1 + depths.pop()


def leaves_of(arrays):
    if isinstance(arrays, list):
        for entry in arrays:
            yield from leaves_of(entry)
    else:
        yield arrays


def arranged(leaves, arrays, level, depth, rank):
    """Return the shape of the joined arrays of one list, and each leaf, of `rank` axes, with its first position."""
    if level == depth:
        leaf = next(leaves)
        leaf = leaf.reshape((1,) * (rank - leaf.ndim) + leaf.shape)
        return leaf.shape, [(leaf, (0,) * rank)]
    axis, end, places = rank - depth + level, 0, []
    for k, entry in enumerate(arrays):
        shape, inside = arranged(leaves, entry, level + 1, depth, rank)
        if k == 0:
            around = shape[:axis], shape[axis + 1 :]
        elif around != (shape[:axis], shape[axis + 1 :]):
            raise ValueError(
                f"block: arrays of shape {shape} and {(*around[0], end, *around[1])} do not join on axis {axis}"
            )
        places += [(leaf, (*at[:axis], at[axis] + end, *at[axis + 1 :])) for leaf, at in inside]
        end += shape[axis]
    return (*around[0], end, *around[1]), places
