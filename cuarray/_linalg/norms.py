"""Norms of vectors and matrices, condition numbers and ranks.

Functions without a body are those of include/cuarray/ops/linalg.h; they are described here.
"""

# mypy: disable-error-code="empty-body"

from math import inf, prod
from typing import Any

import numpy as np
from numpy.linalg import LinAlgError

from cuarray import _core
from cuarray._arguments.functions import stack
from cuarray._arguments.operands import as_arrays
from cuarray._arguments.ufuncs import isfinite, isnan
from cuarray._core import ndarray
from cuarray._functions.elementwise import where
from cuarray._linalg.decompositions import svd, svdvals
from cuarray._linalg.equations import inv
from cuarray._linalg.lapack import named, require_matrices, require_supported


@_core.linalg_function
def norm(x, ord=None, axis=None, keepdims=False) -> ndarray:
    """Return the norm of a vector or a matrix.

    Parameters
    ----------
    x : array_like
    ord : int, float, inf, -inf, 'fro', 'nuc' or None
        The order, as in `vector_norm` if there is one axis, and as in `matrix_norm` if there are two. None: the
        square root of the sum of squares; of all elements, whatever the number of axes, if `axis` is None.
    axis : int or pair of int, optional
        The axis of vectors, or the two axes of matrices; by default the only axis or both axes of `x`.
    keepdims : bool
        Whether these axes are kept with length 1.

    Returns
    -------
    ndarray
        Real.

    Raises
    ------
    ValueError
        If there is no norm of that order, or of that number of axes.
    AxisError
        If an axis does not exist.
    NotImplementedError
        For the orders 2, -2 and 'nuc' of matrices, if `x` is on a GPU, and cuSOLVER is not installed.

    Notes
    -----
    float16 and bfloat16 are computed in float32. The sum of the squares of all elements is a product, as of
    `vdot`, and overflows where one square or the sum does.

    See Also
    --------
    numpy.linalg.norm, vector_norm, matrix_norm

    Examples
    --------
    >>> import cuarray as ca
    >>> ca.linalg.norm([3.0, 4.0])
    np.float64(5.0)
    >>> ca.linalg.norm([[1.0, -2.0], [3.0, 4.0]], 1)
    np.float64(6.0)
    """


@_core.linalg_function
def vector_norm(x, /, *, axis=None, keepdims=False, ord: Any = 2) -> ndarray:
    """Return the norms of vectors.

    Parameters
    ----------
    x : array_like
    axis : int or tuple of int, optional
        The axes whose elements make a vector; all by default.
    keepdims : bool
        Whether these axes are kept with length 1.
    ord : int, float, inf or -inf
        inf: the largest absolute value; -inf: the smallest; 0: the number of elements that are not zero; other
        orders p: sum(abs(x) ** p) ** (1 / p).

    Returns
    -------
    ndarray
        Real.

    Raises
    ------
    ValueError
        If there is no such order, or an axis is repeated.
    AxisError
        If an axis does not exist.

    Notes
    -----
    float16 and bfloat16 are computed in float32.

    See Also
    --------
    numpy.linalg.vector_norm, norm

    Examples
    --------
    >>> import cuarray as ca
    >>> ca.linalg.vector_norm([[3.0, 4.0], [6.0, 8.0]], axis=1)
    array([ 5., 10.])
    """


@_core.linalg_function
def matrix_norm(x, /, *, keepdims=False, ord: Any = "fro") -> ndarray:
    """Return the norms of matrices.

    Parameters
    ----------
    x : array_like of shape (..., m, n)
    keepdims : bool
        Whether the last two axes are kept with length 1.
    ord : {'fro', 'nuc', 1, -1, 2, -2, inf, -inf}
        'fro': the square root of the sum of squares; 'nuc': the sum of the singular values; 2 and -2: the largest
        and the smallest of them; 1 and -1: the largest and the smallest sum of absolute values of a column; inf
        and -inf: of a row.

    Returns
    -------
    ndarray of shape (...)
        Real.

    Raises
    ------
    ValueError
        If there is no such order.
    AxisError
        If `x` has fewer than two axes.
    NotImplementedError
        For the orders 2, -2 and 'nuc', if `x` is on a GPU, and cuSOLVER is not installed.

    See Also
    --------
    numpy.linalg.matrix_norm, norm

    Examples
    --------
    >>> import cuarray as ca
    >>> ca.linalg.matrix_norm([[1.0, 2.0], [2.0, 4.0]])
    np.float64(5.0)
    """


def cond(x, p=None) -> ndarray:
    """Return the condition numbers of matrices: how far errors of the right side may grow in `solve`.

    Parameters
    ----------
    x : array_like of shape (..., m, n)
        Square, except for the orders None, 2 and -2.
    p : int, float, inf, -inf, 'fro', 'nuc' or None, optional
        The order of the norm, as in `matrix_norm`; None means 2.

    Returns
    -------
    ndarray of shape (...)
        The norm of the matrix times that of its inverse; infinite if it is singular, NaN if it holds NaN.

    Raises
    ------
    LinAlgError
        If there are no elements, fewer than two axes, or the matrices are not square and must be.
    ValueError
        If there is no such order.
    NotImplementedError
        If `x` is on a GPU, and cuSOLVER is not installed.

    See Also
    --------
    numpy.linalg.cond

    Examples
    --------
    >>> import cuarray as ca
    >>> ca.linalg.cond(ca.asarray([[1.0, 0.0], [0.0, 4.0]], device="cpu"))
    np.float64(4.0)
    """
    (x,) = as_arrays("cond", x)
    if x.ndim > 1 and not prod(x.shape[-2:]):
        raise LinAlgError(f"cond: matrices without elements have no condition number, and the shape is {x.shape}")
    by_values = p is None or (not isinstance(p, str) and bool((abs(p) if isinstance(p, int | float) else p) == 2))
    require_matrices("cond", x, is_square=not by_values)
    require_supported("cond", x)
    if by_values:
        s = values_or_nan(x)
        first, last = s[..., 0], s[..., -1]
        result = last / first if p is not None and p < 0 else first / last
    elif isinstance(p, str) and p == "nuc":
        result = values_or_nan(x).sum(-1) * values_or_nan(inverses_or_nan(x)).sum(-1)
    else:
        result = named("cond", matrix_norm, x, ord=p) * named("cond", matrix_norm, inverses_or_nan(x), ord=p)
    return infinite_if_singular(result, x)


def infinite_if_singular(result, x):
    """Return condition numbers with infinity for the NaN that do not come from NaN in the matrix."""
    return _core.as_value(where(isnan(result) & ~isnan(x).any((-2, -1)), inf, result))


def values_or_nan(x):
    """Return the singular values of a stack of matrices; NaN for those that are not finite, which have none."""
    is_finite = isfinite(x).all((-2, -1))[..., np.newaxis]
    return where(is_finite, named("cond", svdvals, where(is_finite[..., np.newaxis], x, 1)), np.nan)


def inverses_or_nan(x):
    """Return the inverses of a stack of matrices; NaN for the singular ones."""
    try:
        return named("cond", inv, x)
    except LinAlgError:
        if x.ndim > 2:
            return stack([inverses_or_nan(x[k, ...]) for k in range(x.shape[0])])
        return x * np.nan


def matrix_rank(A, tol=None, hermitian=False, *, rtol=None) -> ndarray:
    """Return the ranks of matrices: the numbers of singular values above a tolerance.

    Parameters
    ----------
    A : array_like of shape (..., m, n)
        A number or a vector has rank 1 if it has an element that is not zero, else 0.
    tol : array_like, optional
        The tolerance: one number, or one for each matrix.
    hermitian : bool
        Whether `A` is symmetric or Hermitian, which is faster; only its lower triangle is read.
    rtol : array_like, optional
        The tolerance as a part of the largest singular value; by default the machine epsilon times max(m, n).

    Returns
    -------
    ndarray of shape (...)
        int64.

    Raises
    ------
    ValueError
        If both `tol` and `rtol` are given.
    LinAlgError
        If the iteration does not converge.
    NotImplementedError
        If `A` is a matrix on a GPU, and cuSOLVER is not installed.

    See Also
    --------
    numpy.linalg.matrix_rank

    Examples
    --------
    >>> import cuarray as ca
    >>> ca.linalg.matrix_rank(ca.asarray([[1.0, 2.0], [2.0, 4.0]], device="cpu"))
    np.int64(1)
    """
    if tol is not None and rtol is not None:
        raise ValueError("matrix_rank: tol and rtol are both given; give one")
    A, tol, rtol = as_arrays("matrix_rank", A, optional=(tol, rtol))
    if A.ndim < 2:
        return _core.as_value((A != 0).any().astype(np.int64))
    require_matrices("matrix_rank", A, is_square=bool(hermitian))
    s = named("matrix_rank", svd, A, compute_uv=False, hermitian=hermitian)
    if tol is not None:
        threshold = tol[..., None]
    else:
        part = max(A.shape[-2:]) * np.finfo(s.dtype).eps if rtol is None else rtol[..., None]
        threshold = part * s.max(-1, keepdims=True, initial=0)
    return _core.as_value((s > threshold).sum(-1))
