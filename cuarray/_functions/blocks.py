"""Kronecker products, Vandermonde matrices, and block matrices."""

import numpy as np

from cuarray import _core
from cuarray._arguments.axes import integer
from cuarray._arguments.functions import empty
from cuarray._arguments.operands import as_arrays
from cuarray._arguments.ufuncs import multiply
from cuarray._functions.creation import as_array

__all__ = ["block", "kron", "vander"]


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
    if count > 1 and x.size:
        powers[:, 1:] = x[:, None]
        multiply.accumulate(powers[:, 1:], axis=1, out=powers[:, 1:])
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
    leaves = as_arrays("block", *leaves_of(arrays))  # classes with functions of their own are asked before all else
    depth = nesting(arrays)
    rank = max(depth, *(leaf.ndim for leaf in leaves))
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
        yield () if isinstance(arrays, tuple) else arrays  # `nesting` refuses tuples, whatever they hold


def arranged(leaves, arrays, level, depth, rank):
    """Return the shape of the joined arrays of one list, and each leaf, of `rank` axes, with its first position."""
    if level == depth:
        leaf = next(leaves)
        if leaf.ndim < rank:
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
