"""Norms of vectors and matrices, condition numbers and ranks."""

from math import inf, prod
from typing import Any

import numpy as np
from numpy.linalg import LinAlgError

from cuarray import _core
from cuarray._arguments.axes import integer, normalise_axes, normalise_axis
from cuarray._arguments.functions import moveaxis, stack
from cuarray._arguments.operands import as_arrays
from cuarray._arguments.ufuncs import isnan, sqrt
from cuarray._core import ndarray
from cuarray._functions.elementwise import where
from cuarray._linalg.decompositions import singular_values
from cuarray._linalg.lapack import inverse, require_matrices, require_supported
from cuarray._runtime.fuse import fused_call

#: Orders of the norm of matrices that need their singular values.
OF_SINGULAR_VALUES = (2, -2, "nuc")


def as_inexact(function, x):
    """Return an argument as an array of floating-point or complex numbers; integers and bools become float64."""
    (x,) = as_arrays(function, x)
    return x if x.dtype.kind in "fcV" else x.astype(np.float64)


@_core.with_fast_path
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
    x = as_inexact("norm", x)
    if axis is None:
        axes, count = None, x.ndim
        if ord is None or (count == 2 and ord in ("fro", "f")) or (count == 1 and is_order(ord, 2)):
            return length_of_all(x, keepdims)
    else:
        axes = (
            tuple([integer(one, "axis", "norm") for one in axis]) if isinstance(axis, tuple) else axis_of("norm", axis)
        )
        count = len(axes)
    if count == 1:
        return of_vectors("norm", x, ord, tuple(normalise_axes(axes or (0,), x, "norm")), keepdims)
    if count != 2:
        raise ValueError(f"norm: a vector has one axis and a matrix two, not {count}")
    return of_matrices("norm", x, ord, axes or (0, 1), keepdims)


def axis_of(function, axis):
    """Return an axis in a tuple."""
    return (integer(axis, "axis, if it is no tuple,", function),)


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
    x = as_inexact("vector_norm", x)
    if axis is None:
        if ord is None or is_order(ord, 2):
            return length_of_all(x, keepdims)
        axes = range(x.ndim)
    else:
        axes = normalise_axes(axis if isinstance(axis, tuple) else axis_of("vector_norm", axis), x, "vector_norm")
    return of_vectors("vector_norm", x, ord, tuple(axes), keepdims)


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
    return of_matrices("matrix_norm", as_inexact("matrix_norm", x), ord, (-2, -1), keepdims)


def is_order(ord, number):
    """Whether an order, which may be a word, is that number."""
    return not isinstance(ord, str) and bool(ord == number)


def order_number(ord, function):
    """Return the order of a norm as a float; ValueError for a word, TypeError if it is no number."""
    if isinstance(ord, str):
        raise ValueError(f"{function}: vectors have no norm of order {ord!r}")
    try:
        return float(ord)
    except (TypeError, ValueError):
        raise TypeError(f"{function}: the order must be a number, not {ord!r:.80}") from None


def computed(x):
    """Return an array in the type of the computation: float32 for float16 and bfloat16."""
    return x.astype(np.float32) if x.dtype.itemsize < 4 else x


def real_type(x):
    """Return the dtype of the norms of an array."""
    return x.real.dtype if x.dtype.kind == "c" else x.dtype


def as_result(result, x):
    """Return norms in the real type of the array; a value if there is one norm."""
    return _core.as_value(result if result.dtype == real_type(x) else result.astype(real_type(x)))


def length_of_all(x, keepdims):
    """Return the square root of the sum of the squares of all elements."""
    flat = computed(x.ravel("K"))
    if flat.dtype.kind == "c":
        flat = flat.view(real_type(x))
    result = sqrt(flat.dot(flat))
    return as_result(result.reshape((1,) * x.ndim) if keepdims else result, x)


def largest(x, axis, keepdims):
    """Return the largest of some numbers that are not negative; 0 of none."""
    return x.max(axis, keepdims=keepdims) if x.size else x.max(axis, keepdims=keepdims, initial=0)


def smallest(x, axis, keepdims, function):
    """Return the smallest of some numbers; ValueError if there are none."""
    axes = (axis,) if isinstance(axis, int) else axis
    if not x.size and not prod([x.shape[k] for k in axes]):
        raise ValueError(f"{function}: there is no smallest of no elements, in an array of shape {x.shape}")
    return x.min(axis, keepdims=keepdims)


def of_vectors(function, x, ord, axes, keepdims):
    """Return the norms of the vectors along axes, which are counted from the front."""
    keepdims = bool(keepdims)
    p = 2.0 if ord is None else order_number(ord, function)
    if p == 0:
        return as_result((x != 0).sum(axes, dtype=real_type(computed(x)), keepdims=keepdims), x)
    if p == inf:
        result = largest(abs(x), axes, keepdims)
    elif p == -inf:
        result = smallest(abs(x), axes, keepdims, function)
    elif p == 2:
        result = sqrt(sum_of_squares(computed(x), axes, keepdims))
    else:
        with fused_call():
            size = abs(computed(x))
            total = (size if p == 1 else size**p).sum(axes, keepdims=keepdims)
        result = total if p == 1 else total ** (1 / p)
    return as_result(result, x)


def sum_of_squares(x, axes, keepdims):
    """Return the sum of squared absolute values along axes."""
    with fused_call():
        squares = x.real * x.real + x.imag * x.imag if x.dtype.kind == "c" else x * x
        return squares.sum(axes, keepdims=keepdims)


def of_matrices(function, x, ord, axes, keepdims):
    """Return the norms of the matrices in two axes."""
    row, column = (normalise_axis(axis, x, function) for axis in axes)
    if row == column:
        raise ValueError(f"{function}: the axis {row} is given twice")
    if (row, column) != (x.ndim - 2, x.ndim - 1):
        moved = of_matrices(function, moveaxis(x, (row, column), (-2, -1)), ord, (-2, -1), False)
        return with_axes(moved, (row, column)) if keepdims else moved
    is_word = isinstance(ord, str)
    order = ord if is_word or ord is None or isinstance(ord, complex) else order_number(ord, function)
    if order is None or order in ("fro", "f"):
        result = sqrt(sum_of_squares(computed(x), (row, column), False))
    elif order in OF_SINGULAR_VALUES:
        s = singular_values(function, x)
        result = s.sum(-1) if is_word else largest(s, -1, False) if order > 0 else smallest(s, -1, False, function)
    elif is_word or isinstance(order, complex) or abs(order) not in (1, inf):
        raise ValueError(f"{function}: matrices have no norm of order {ord!r:.80}")
    else:
        with fused_call():
            sums = abs(computed(x)).sum(row if abs(order) == 1 else column)
        result = largest(sums, -1, False) if order > 0 else smallest(sums, -1, False, function)
    result = as_result(result, x)
    return with_axes(result, (row, column)) if keepdims else result


def with_axes(x, axes):
    """Return a view with axes of length 1 at these places."""
    lengths = iter(x.shape)
    return x.reshape([1 if axis in axes else next(lengths) for axis in range(x.ndim + len(axes))])


def cond(x, p=None) -> ndarray:
    """Return the condition numbers of matrices: how far errors of the right side may grow in `solve`.

    Parameters
    ----------
    x : array_like of shape (..., m, n)
        Square, except for the orders None, 2 and -2.
    p : {None, 'fro', 'nuc', 1, -1, 2, -2, inf, -inf}
        The order of the norm, as in `matrix_norm`; None means 2.

    Returns
    -------
    ndarray of shape (...)
        The norm of the matrix times that of its inverse; infinite if it is singular.

    Raises
    ------
    LinAlgError
        If there are no elements, fewer than two axes, or the matrices are not square and must be; for 'nuc', if
        a matrix is singular.
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
    by_values = p is None or is_order(abs(p) if isinstance(p, int | float) else p, 2)
    require_matrices("cond", x, is_square=not by_values)
    require_supported("cond", x)
    if by_values:
        s = singular_values("cond", x)
        first, last = s[..., 0], s[..., -1]
        result = last / first if p is not None and p < 0 else first / last
    else:
        result = of_matrices("cond", as_inexact("cond", x), p, (-2, -1), False)
        result = result * of_matrices("cond", inverses_or_nan(x), p, (-2, -1), False)
    return infinite_if_singular(result, x)


def infinite_if_singular(result, x):
    """Return condition numbers with infinity for the NaN that do not come from NaN in the matrix."""
    return _core.as_value(where(isnan(result) & ~isnan(x).any((-2, -1)), inf, result))


def inverses_or_nan(x):
    """Return the inverses of a stack of matrices; NaN for the singular ones."""
    try:
        return inverse("cond", x)
    except LinAlgError:
        if x.ndim > 2:
            return stack([inverses_or_nan(x[k, ...]) for k in range(x.shape[0])])
        return as_inexact("cond", x) * np.nan


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
    s = singular_values("matrix_rank", A, hermitian)
    if tol is not None:
        threshold = tol[..., None]
    else:
        part = max(A.shape[-2:]) * np.finfo(s.dtype).eps if rtol is None else rtol[..., None]
        threshold = part * largest(s, -1, True)
    return _core.as_value((s > threshold).sum(-1))
