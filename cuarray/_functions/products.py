"""Products of arrays that are made of products of matrices."""

from collections.abc import Iterable
from functools import partial
from math import prod

import numpy as np

from cuarray._arguments.axes import bounded, integer, normalise_axes
from cuarray._arguments.functions import matmul
from cuarray._arguments.operands import as_arrays, target, write_output

__all__ = ["tensordot"]


def tensordot(a, b, axes=2):
    """Return the sum of products of two arrays over axes of both.

    Parameters
    ----------
    a, b : array_like
    axes : int or pair of sequences of int
        The number of last axes of `a` to contract with the first axes of `b`; or the axes of `a`, and
        those of `b`, in corresponding order.

    Returns
    -------
    ndarray
        The remaining axes of `a`, then those of `b`.

    Raises
    ------
    ValueError
        If contracted axes differ in length.

    Notes
    -----
    Copies `a` and `b` if their axes are not in the order of contraction.

    See Also
    --------
    numpy.tensordot

    Examples
    --------
    >>> import cuarray as ca
    >>> ca.tensordot(ca.ones((2, 3, 4)), ca.ones((4, 3)), axes=([1, 2], [1, 0]))
    array([12., 12.])
    """
    a, b = as_arrays("tensordot", a, b)
    if isinstance(axes, Iterable):
        entries = partial(bounded, what="axes", function="tensordot")
        # Before the shapes are read: __index__ may resize an array.
        own, other = (
            [integer(k, "an axis", "tensordot") for k in entries(some if isinstance(some, Iterable) else [some])]
            for some in entries(axes)
        )
    else:
        count = integer(axes, "axes", "tensordot")
        if count > min(a.ndim, b.ndim):
            raise np.exceptions.AxisError(
                f"tensordot: {count} axes to contract of arrays that have {a.ndim} and {b.ndim}"
            )
        own, other = range(-count, 0), range(count)
    own = normalise_axes(own, a.ndim, "tensordot")
    other = normalise_axes(other, b.ndim, "tensordot")
    meeting, facing = [a.shape[k] for k in own], [b.shape[k] for k in other]
    if meeting != facing:
        raise ValueError(
            f"tensordot: axes {own} of shape {a.shape} and {other} of {b.shape} do not go together: "
            f"{meeting} and {facing} elements"
        )
    kept_a = [k for k in range(a.ndim) if k not in own]
    kept_b = [k for k in range(b.ndim) if k not in other]
    shape_a, shape_b = [a.shape[k] for k in kept_a], [b.shape[k] for k in kept_b]
    rows = a.transpose(kept_a + own).reshape((prod(shape_a), prod(meeting)))
    columns = b.transpose(other + kept_b).reshape((prod(meeting), prod(shape_b)))
    return matmul(rows, columns).reshape((*shape_a, *shape_b))


def write_product(product, out, function):
    """Return the product, written to `out` if given; as in NumPy, ValueError if that has another type."""
    if out is not None and target(out, function, is_out=True).dtype != product.dtype:
        raise ValueError(f"{function}: out= has type {out.dtype}, the result {product.dtype}")
    return write_output(product, out, function)
