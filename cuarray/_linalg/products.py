"""Products of vectors, matrices and tensors, and the diagonals and transposes of matrices."""

# mypy: disable-error-code="empty-body"

from typing import Any

from cuarray import _core
from cuarray._arguments import functions
from cuarray._arguments.axes import integer, normalise_axis
from cuarray._arguments.functions import empty_like, eye
from cuarray._arguments.operands import as_arrays
from cuarray._core import ndarray
from cuarray._linalg.equations import inv
from cuarray._linalg.lapack import as_matrices, named


def matmul(x1, x2, /) -> ndarray:
    """Multiply matrices, and stacks of matrices.

    Parameters
    ----------
    x1, x2 : array_like
        As in `cuarray.matmul`, which has more parameters.

    Returns
    -------
    ndarray

    Raises
    ------
    ValueError
        If the rows of `x1` are not as long as the columns of `x2`, or an argument is 0-dimensional.

    See Also
    --------
    numpy.linalg.matmul

    Examples
    --------
    >>> import cuarray as ca
    >>> ca.linalg.matmul([[1, 2], [3, 4]], [[1, 0], [1, 1]])
    array([[3, 2],
           [7, 4]])
    """
    return functions.matmul(x1, x2)


def vecdot(x1, x2, /, *, axis=-1) -> ndarray:
    """Return the dot product of vectors; the first argument is conjugated.

    Parameters
    ----------
    x1, x2 : array_like
        Vectors are along `axis`; the other axes broadcast.
    axis : int
        The vectors' axis in both arguments.

    Returns
    -------
    ndarray

    Raises
    ------
    ValueError
        If the vectors differ in length.
    AxisError
        If the axis does not exist.

    See Also
    --------
    numpy.linalg.vecdot

    Examples
    --------
    >>> import cuarray as ca
    >>> ca.linalg.vecdot([[1, 2], [3, 4]], [10, 1])
    array([12, 34])
    """
    return functions.vecdot(x1, x2, axis=axis)


def tensordot(x1, x2, /, *, axes: Any = 2) -> ndarray:
    """Return the sum of products of two arrays over axes of both.

    Parameters
    ----------
    x1, x2 : array_like
    axes : int or pair of sequences of int
        The number of last axes of `x1` to contract with the first axes of `x2`; or the axes of `x1`, and those
        of `x2`, in corresponding order.

    Returns
    -------
    ndarray
        The remaining axes of `x1`, then those of `x2`.

    Raises
    ------
    ValueError
        If contracted axes differ in length.

    See Also
    --------
    numpy.linalg.tensordot

    Examples
    --------
    >>> import cuarray as ca
    >>> ca.linalg.tensordot(ca.ones((2, 3, 4)), ca.ones((4, 3)), axes=([1, 2], [1, 0]))
    array([12., 12.])
    """
    return functions.tensordot(x1, x2, axes)


def outer(x1, x2, /) -> ndarray:
    """Multiply each element of one vector by each of another.

    Parameters
    ----------
    x1, x2 : array_like
        One-dimensional.

    Returns
    -------
    ndarray of shape (x1.size, x2.size)

    Raises
    ------
    ValueError
        If an array has another number of axes than one.

    See Also
    --------
    numpy.linalg.outer

    Examples
    --------
    >>> import cuarray as ca
    >>> ca.linalg.outer([1, 2], [3, 4, 5])
    array([[ 3,  4,  5],
           [ 6,  8, 10]])
    """
    x1, x2 = as_arrays("outer", x1, x2)
    if x1.ndim != 1 or x2.ndim != 1:
        raise ValueError(f"outer: the arrays must be one-dimensional, and they have {x1.ndim} and {x2.ndim} axes")
    return x1[:, None] * x2


def cross(x1, x2, /, *, axis=-1) -> ndarray:
    """Return the cross products of vectors of three components.

    Parameters
    ----------
    x1, x2 : array_like
        Broadcast together, except for the axis of the vectors.
    axis : int
        The axis of the vectors, in both arguments and in the result.

    Returns
    -------
    ndarray

    Raises
    ------
    ValueError
        If vectors do not have three components, or the shapes do not broadcast.
    AxisError
        If the axis does not exist.

    See Also
    --------
    numpy.linalg.cross

    Examples
    --------
    >>> import cuarray as ca
    >>> ca.linalg.cross([1, 0, 0], [0, 1, 0])
    array([0, 0, 1])
    """
    x1, x2 = as_arrays("cross", x1, x2)
    if x1.shape != (3,) or x2.shape != (3,):
        lengths = [x.shape[normalise_axis(axis, x, "cross")] for x in (x1, x2)]
        if lengths != [3, 3]:
            raise ValueError(f"cross: vectors must have 3 components, not {lengths[0]} and {lengths[1]}")
    return functions.cross(x1, x2, axis=axis)


def diagonal(x, /, *, offset=0) -> ndarray:
    """Return a read-only view of the diagonals of matrices.

    Parameters
    ----------
    x : array_like of shape (..., m, n)
    offset : int
        Index of the diagonal: 0 is the main one, positive ones are above it.

    Returns
    -------
    ndarray
        The diagonal is the last axis.

    Raises
    ------
    ValueError
        If `x` has fewer than two axes.

    See Also
    --------
    numpy.linalg.diagonal

    Examples
    --------
    >>> import cuarray as ca
    >>> ca.linalg.diagonal([[1, 2, 3], [4, 5, 6]], offset=1)
    array([2, 6])
    """
    return functions.diagonal(x, offset, -2, -1)


def trace(x, /, *, offset=0, dtype=None) -> ndarray:
    """Add the elements of the diagonals of matrices.

    Parameters
    ----------
    x : array_like of shape (..., m, n)
    offset : int
        Index of the diagonal: 0 is the main one, positive ones are above it.
    dtype : dtype, optional
        The type of the sum; by default as of `sum`.

    Returns
    -------
    ndarray of shape (...)

    Raises
    ------
    ValueError
        If `x` has fewer than two axes.

    See Also
    --------
    numpy.linalg.trace

    Examples
    --------
    >>> import cuarray as ca
    >>> ca.linalg.trace([[1, 2], [3, 4]])
    np.int64(5)
    """
    return functions.trace(x, offset, -2, -1, dtype)


def matrix_transpose(x, /) -> ndarray:
    """Return a view with the last two axes exchanged.

    Parameters
    ----------
    x : array_like of shape (..., m, n)

    Returns
    -------
    ndarray of shape (..., n, m)

    Raises
    ------
    ValueError
        If `x` has fewer than two axes.

    See Also
    --------
    numpy.linalg.matrix_transpose

    Examples
    --------
    >>> import cuarray as ca
    >>> ca.linalg.matrix_transpose([[1, 2], [3, 4]])
    array([[1, 3],
           [2, 4]])
    """
    return functions.matrix_transpose(x)


def matrix_power(a, n) -> ndarray:
    """Multiply square matrices by themselves.

    Parameters
    ----------
    a : array_like of shape (..., m, m)
    n : int
        The exponent; 0 gives the identity, negative ones powers of the inverse.

    Returns
    -------
    ndarray of shape (..., m, m)
        `a` itself if `n` is 1.

    Raises
    ------
    LinAlgError
        If a matrix is not square, or is singular and `n` negative.
    TypeError
        If `n` is not an integer.
    NotImplementedError
        If `n` is negative and `a` is on a GPU, and cuSOLVER is not installed.

    See Also
    --------
    numpy.linalg.matrix_power

    Examples
    --------
    >>> import cuarray as ca
    >>> ca.linalg.matrix_power([[1, 1], [1, 0]], 10)
    array([[89, 55],
           [55, 34]])
    """
    a = as_matrices("matrix_power", a, is_square=True)
    n = integer(n, "the exponent", "matrix_power")
    if n == 0:
        result = empty_like(a)
        result[...] = eye(a.shape[-1], dtype=a.dtype, device=a.device)
        return result
    if n < 0:
        a, n = named("matrix_power", inv, a), -n
    # The squares of a for the binary digits of n, multiplied where the digit is 1.
    result = None
    while True:
        n, digit = divmod(n, 2)
        if digit:
            result = a if result is None else functions.matmul(result, a)
        if not n:
            return result
        a = functions.matmul(a, a)


@_core.linalg_function
def multi_dot(arrays, *, out=None) -> ndarray:
    """Multiply several matrices in the order that needs the fewest multiplications.

    Parameters
    ----------
    arrays : sequence of array_like
        Two or more. The first may be one-dimensional, a row, and the last one a column.
    out : ndarray, optional
        Output array, of the result's type.

    Returns
    -------
    ndarray
        Without the axis of a row or a column.

    Raises
    ------
    ValueError
        If there are fewer than two arrays, or the lengths of neighbours differ.
    LinAlgError
        If an array is no matrix.

    See Also
    --------
    numpy.linalg.multi_dot

    Examples
    --------
    >>> import cuarray as ca
    >>> ca.linalg.multi_dot([[1, 2], [[1, 0], [1, 1]], [3, 4]])
    np.int64(17)
    """
