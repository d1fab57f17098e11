"""Linear equations, inverses and determinants.

Functions without a body are those of include/cuarray/ops/linalg.h; they are described here.
"""

# mypy: disable-error-code="empty-body"

from math import prod
from typing import NamedTuple

import numpy as np
from numpy.linalg import LinAlgError

from cuarray import _core
from cuarray._arguments.axes import integer, normalise_axes
from cuarray._arguments.functions import empty, matmul
from cuarray._arguments.operands import as_arrays, is_broadcast
from cuarray._core import ndarray
from cuarray._functions.elementwise import where
from cuarray._linalg.decompositions import svd
from cuarray._linalg.lapack import named, require_matrices


class SlogdetResult(NamedTuple):
    """The result of `slogdet`."""

    sign: ndarray
    logabsdet: ndarray


@_core.linalg_function
def det(a) -> ndarray:
    """Return the determinants of square matrices.

    Parameters
    ----------
    a : array_like of shape (..., n, n)

    Returns
    -------
    ndarray of shape (...)

    Raises
    ------
    LinAlgError
        If a matrix is not square.
    NotImplementedError
        If `a` is on a GPU, and cuSOLVER is not installed.

    See Also
    --------
    numpy.linalg.det, slogdet

    Examples
    --------
    >>> import cuarray as ca
    >>> ca.linalg.det(ca.asarray([[2.0, 0.0], [1.0, 4.0]], device="cpu"))
    np.float64(8.0)
    """


@_core.linalg_function
def slogdet(a) -> SlogdetResult:
    """Return the signs of determinants, and the logarithms of their absolute values.

    Parameters
    ----------
    a : array_like of shape (..., n, n)

    Returns
    -------
    sign : ndarray of shape (...)
        -1, 0 or 1; of complex matrices, a number of absolute value 1, or 0.
    logabsdet : ndarray of shape (...)
        Real; -inf if the determinant is zero. The determinant is sign * exp(logabsdet), which may overflow.

    Raises
    ------
    LinAlgError
        If a matrix is not square.
    NotImplementedError
        If `a` is on a GPU, and cuSOLVER is not installed.

    See Also
    --------
    numpy.linalg.slogdet, det

    Examples
    --------
    >>> import cuarray as ca
    >>> ca.linalg.slogdet(ca.asarray([[0.0, 1.0], [1.0, 0.0]], device="cpu"))
    SlogdetResult(sign=np.float64(-1.0), logabsdet=np.float64(0.0))
    """


@_core.linalg_function
def inv(a) -> ndarray:
    """Return the inverses of square matrices.

    Parameters
    ----------
    a : array_like of shape (..., n, n)

    Returns
    -------
    ndarray of shape (..., n, n)

    Raises
    ------
    LinAlgError
        If a matrix is not square, or is singular.
    NotImplementedError
        If `a` is on a GPU, and cuSOLVER is not installed.

    See Also
    --------
    numpy.linalg.inv, solve, pinv

    Examples
    --------
    >>> import cuarray as ca
    >>> ca.linalg.inv(ca.asarray([[2.0, 0.0], [0.0, 4.0]], device="cpu"))
    array([[0.5 , 0.  ],
           [0.  , 0.25]])
    """


@_core.linalg_function
def solve(a, b) -> ndarray:
    """Solve the linear equations a @ x = b.

    Parameters
    ----------
    a : array_like of shape (..., n, n)
    b : array_like of shape (n,) or (..., n, k)
        One right side, if `b` has one axis; otherwise its columns are right sides.

    Returns
    -------
    ndarray of shape (..., n) or (..., n, k)
        The stacks of `a` and `b` broadcast.

    Raises
    ------
    LinAlgError
        If a matrix is not square, or is singular.
    ValueError
        If the lengths of `a` and `b` differ, or the stacks do not broadcast.
    NotImplementedError
        If the arrays are on a GPU, and cuSOLVER is not installed.

    See Also
    --------
    numpy.linalg.solve, lstsq

    Examples
    --------
    >>> import cuarray as ca
    >>> a = ca.asarray([[2.0, 1.0], [0.0, 4.0]], device="cpu")
    >>> ca.linalg.solve(a, ca.asarray([4.0, 8.0], device="cpu"))
    array([1., 2.])
    """


@_core.linalg_function
def lstsq(a, b, rcond=None) -> tuple[ndarray, ndarray, ndarray, ndarray]:
    """Solve linear equations by least squares: make the length of a @ x - b as small as possible.

    Parameters
    ----------
    a : array_like of shape (m, n)
    b : array_like of shape (m,) or (m, k)
        Columns are right sides.
    rcond : float, optional
        Singular values of `a` below this part of the largest one count as zero; by default the machine epsilon
        times max(m, n). With -1, the machine epsilon.

    Returns
    -------
    x : ndarray of shape (n,) or (n, k)
        The shortest of the solutions, if there are several.
    residuals : ndarray of shape (1,), (k,) or (0,)
        The squared length of b - a @ x of each column; empty if the rank is below n, or m is not above n.
    rank : ndarray
        The rank of `a`.
    s : ndarray of shape (min(m, n),)
        The singular values of `a`.

    Raises
    ------
    LinAlgError
        If there are other numbers of axes, the numbers of rows differ, or the iteration does not converge.
    NotImplementedError
        If the arrays are on a GPU, and cuSOLVER is not installed.

    See Also
    --------
    numpy.linalg.lstsq, pinv

    Examples
    --------
    >>> import cuarray as ca
    >>> a = ca.asarray([[0.0, 1.0], [1.0, 1.0], [2.0, 1.0]], device="cpu")
    >>> x, residuals, rank, s = ca.linalg.lstsq(a, ca.asarray([1.0, 3.0, 5.0], device="cpu"))
    >>> x.round(12)
    array([2., 1.])
    """


def pinv(a, rcond=None, hermitian=False, *, rtol=np._NoValue) -> ndarray:
    """Return the pseudo-inverses of matrices (Moore and Penrose), through their singular values.

    Parameters
    ----------
    a : array_like of shape (..., m, n)
    rcond : array_like, optional
        Singular values up to this part of the largest one count as zero; 1e-15 by default. One number, or one
        for each matrix.
    hermitian : bool
        Whether `a` is symmetric or Hermitian, which is faster; only its lower triangle is read.
    rtol : array_like or None, optional
        The Array API's name of `rcond`; None means the machine epsilon times max(m, n).

    Returns
    -------
    ndarray of shape (..., n, m)

    Raises
    ------
    ValueError
        If both `rcond` and `rtol` are given, or have no number for each matrix.
    LinAlgError
        If `a` has fewer than two axes, or the iteration does not converge.
    NotImplementedError
        If `a` is on a GPU, and cuSOLVER is not installed.

    See Also
    --------
    numpy.linalg.pinv, inv

    Examples
    --------
    >>> import cuarray as ca
    >>> ca.linalg.pinv(ca.asarray([[2.0, 0.0], [0.0, 0.0]], device="cpu"))
    array([[0.5, 0. ],
           [0. , 0. ]])
    """
    if rcond is not None and rtol is not np._NoValue:
        raise ValueError("pinv: rcond and rtol are two ways to say the same; give one")
    (a, rcond) = as_arrays("pinv", a, optional=(rcond if rtol is np._NoValue else rtol,))
    require_matrices("pinv", a)
    *stack, rows, columns = a.shape
    if not rows or not columns:
        return empty((*stack, columns, rows), a.dtype, device=a.device)
    require_matrices("pinv", a, is_square=bool(hermitian))
    if rcond is not None and not is_broadcast(rcond.shape, tuple(stack)):
        raise ValueError(f"pinv: rcond has shape {rcond.shape}, which does not broadcast to {tuple(stack)}")
    options = {"full_matrices": False, "hermitian": bool(hermitian)}
    u, s, vh = named("pinv", svd, a.conj(), **options)
    if rcond is None:
        least = 1e-15 if rtol is np._NoValue else max(rows, columns) * np.finfo(s.dtype).eps
        threshold = least * s.max(-1, keepdims=True)
    else:
        threshold = rcond[..., None] * s.max(-1, keepdims=True)
    inverses = where(s > threshold, 1 / s, 0)
    return matmul(vh.mT, inverses[..., None] * u.mT)


def tensorinv(a, ind=2) -> ndarray:
    """Return the inverse of an array as a linear map from its last axes to its first ones.

    Parameters
    ----------
    a : array_like
        The products of the lengths of the first `ind` axes and of the others are equal.
    ind : int
        The number of first axes.

    Returns
    -------
    ndarray
        The axes after the first `ind` ones come first: tensordot(tensorinv(a, ind), b, b.ndim) is the x with
        tensordot(a, x, x.ndim) = b.

    Raises
    ------
    ValueError
        If `ind` is not positive.
    LinAlgError
        If both products differ, or the map is singular.
    NotImplementedError
        If `a` is on a GPU, and cuSOLVER is not installed.

    See Also
    --------
    numpy.linalg.tensorinv, tensorsolve

    Examples
    --------
    >>> import cuarray as ca
    >>> ca.linalg.tensorinv(ca.eye(6, device="cpu").reshape(6, 2, 3), ind=1).shape
    (2, 3, 6)
    """
    (a,), ind = as_arrays("tensorinv", a), integer(ind, "ind", "tensorinv")
    if ind <= 0:
        raise ValueError(f"tensorinv: ind must be positive, it is {ind}")
    first, last = a.shape[:ind], a.shape[ind:]
    if prod(first) != prod(last):
        raise LinAlgError(
            f"tensorinv: axes of {prod(first)} and {prod(last)} elements, in shape {a.shape} with ind={ind}, "
            "make no square matrix"
        )
    return named("tensorinv", inv, a.reshape((prod(first), prod(last)))).reshape((*last, *first))


def tensorsolve(a, b, axes=None) -> ndarray:
    """Solve the equations tensordot(a, x, x.ndim) = b.

    Parameters
    ----------
    a : array_like
        Its first axes have as many elements as `b`, and so do the others, which are those of the result.
    b : array_like
    axes : tuple of int, optional
        Axes of `a` to move to its end first.

    Returns
    -------
    ndarray

    Raises
    ------
    LinAlgError
        If the shapes do not make a square matrix, or it is singular.
    ValueError
        If an axis does not exist, or is repeated.
    NotImplementedError
        If the arrays are on a GPU, and cuSOLVER is not installed.

    See Also
    --------
    numpy.linalg.tensorsolve, tensorinv

    Examples
    --------
    >>> import cuarray as ca
    >>> a = ca.eye(4, device="cpu").reshape(2, 2, 2, 2)
    >>> ca.linalg.tensorsolve(a, ca.asarray([[1.0, 2.0], [3.0, 4.0]], device="cpu"))
    array([[1., 2.],
           [3., 4.]])
    """
    a, b = as_arrays("tensorsolve", a, b)
    if axes is not None:
        moved = normalise_axes(axes, a.ndim, "tensorsolve")
        a = a.transpose([axis for axis in range(a.ndim) if axis not in moved] + moved)
    shape = a.shape[b.ndim - a.ndim :]  # all axes where both have as many, as in NumPy
    count = prod(shape)
    if a.size != count * count or b.size != count:
        raise LinAlgError(
            f"tensorsolve: shapes {a.shape} and {b.shape} do not go together: the first {b.ndim} axes and the "
            "others must have as many elements as the right side"
        )
    matrix = a.reshape((count, count))
    return named("tensorsolve", solve, matrix, b.ravel()).reshape(shape)
