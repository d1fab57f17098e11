"""The order of the products of einsum, which NumPy finds."""

from functools import lru_cache

import numpy as np

from cuarray._arguments.operands import under_its_name
from cuarray._core import ndarray

__all__ = ["einsum_path"]


@lru_cache(maxsize=256)
def found_path(text, shapes, optimize):
    """Return the steps that NumPy finds for arrays of these shapes."""
    stand_ins = [np.broadcast_to(np.int8(0), shape) for shape in shapes]
    return tuple(np.einsum_path(text, *stand_ins, optimize=optimize)[0][1:])


@under_its_name
def einsum_path(*operands, optimize="greedy", einsum_call=False):
    """Return the order of products in which `einsum` multiplies three and more arrays.

    Parameters
    ----------
    *operands
        As those of `einsum`; only the shapes of the arrays are used.
    optimize : bool, str or tuple
        As NumPy's: the method of optimization.
    einsum_call : bool
        As NumPy's.

    Returns
    -------
    tuple of list and str
        The positions of the operands of each product, and a report.

    Raises
    ------
    ValueError
        If subscripts and shapes do not match.

    See Also
    --------
    numpy.einsum_path

    Examples
    --------
    >>> import cuarray as ca
    >>> a, b, c = ca.ones((2, 9)), ca.ones((9, 9)), ca.ones((9, 3))
    >>> ca.einsum_path("ij,jk,kl->il", a, b, c)[0]
    ['einsum_path', (0, 1), (0, 1)]
    """

    def stands_for(place, x):
        if not isinstance(x, ndarray):
            return x
        is_operand = isinstance(operands[0], str) or (place % 2 == 0 and place + 1 < len(operands))
        return np.broadcast_to(np.int8(0), x.shape) if is_operand else x.to_numpy()

    shapes = [stands_for(place, x) for place, x in enumerate(operands)]
    return np.einsum_path(*shapes, optimize=optimize, einsum_call=einsum_call)
