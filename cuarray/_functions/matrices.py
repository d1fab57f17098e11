"""Matrices from diagonals, and triangles of matrices."""

from cuarray import _core
from cuarray._arguments.axes import integer
from cuarray._arguments.functions import broadcast_to, ones, zeros
from cuarray._functions.creation import as_array

__all__ = ["eye", "identity", "tri", "tril", "triu"]


@_core.with_fast_path
def eye(N, M=None, k=0, dtype=float, order="C", *, device=None, like=None):
    """Make a matrix of ones on a diagonal and zeros elsewhere.

    Parameters
    ----------
    N : int
        Rows.
    M : int, optional
        Columns; as many as rows by default.
    k : int
        Index of the diagonal: 0 is the main one, positive ones are above it.
    dtype : dtype
    order : {'C', 'F'}
    device : device or str, optional
    like : ndarray, optional

    Returns
    -------
    ndarray

    Raises
    ------
    ValueError
        If an extent is negative.

    See Also
    --------
    numpy.eye

    Examples
    --------
    >>> import cuarray as ca
    >>> ca.eye(2, 3, k=1)
    array([[0., 1., 0.],
           [0., 0., 1.]])
    """
    result = zeros(
        (integer(N, "N", "eye"), integer(N if M is None else M, "M", "eye")),
        dtype,
        order,
        device=device,
        like=like,
    )
    diagonal(result, integer(k, "k", "eye"))[...] = 1
    return result


def identity(n, dtype=None, *, device=None, like=None):
    """Make the square matrix of ones on the main diagonal.

    Parameters
    ----------
    n : int
    dtype : dtype
        float64 by default.
    device : device or str, optional
    like : ndarray, optional

    Returns
    -------
    ndarray

    Raises
    ------
    ValueError
        If `n` is negative.

    See Also
    --------
    numpy.identity

    Examples
    --------
    >>> import cuarray as ca
    >>> ca.identity(2)
    array([[1., 0.],
           [0., 1.]])
    """
    return eye(n, dtype=dtype, device=device, like=like)


def diagonal(matrix, k):
    """Return a view of the k-th diagonal of a two-dimensional array."""
    rows, columns = matrix.shape
    down, right = matrix.strides
    first = k * right if k >= 0 else -k * down
    length = max(min(rows + min(k, 0), columns - max(k, 0)), 0)
    return _core.strided_view(matrix, (length,), (down + right,), first if length else 0)


def tri(N, M=None, k=0, dtype=float, *, device=None, like=None):
    """Make a matrix of ones at and below a diagonal, and zeros above.

    Parameters
    ----------
    N : int
        Rows; negative numbers count as 0.
    M : int, optional
        Columns; as many as rows by default.
    k : int
        Index of the diagonal: 0 is the main one, positive ones are above it.
    dtype : dtype
    device : device or str, optional
    like : ndarray, optional

    Returns
    -------
    ndarray

    Raises
    ------
    TypeError
        If an extent is not an integer.

    See Also
    --------
    numpy.tri

    Examples
    --------
    >>> import cuarray as ca
    >>> ca.tri(2, 3, dtype=int)
    array([[1, 0, 0],
           [1, 1, 0]])
    """
    rows = integer(N, "N", "tri")
    columns = rows if M is None else integer(M, "M", "tri")
    return tril(ones((max(rows, 0), max(columns, 0)), dtype, device=device, like=like), k)


def tril(m, k=0):
    """Return a copy with zeros above a diagonal of the last two axes.

    Parameters
    ----------
    m : array_like
        At least one-dimensional; a 1-d array is broadcast to every row of a square matrix.
    k : int
        Index of the diagonal: 0 is the main one, positive ones are above it.

    Returns
    -------
    ndarray

    Raises
    ------
    ValueError
        If `m` has no axis.

    See Also
    --------
    numpy.tril

    Examples
    --------
    >>> import cuarray as ca
    >>> ca.tril([[1, 2], [3, 4]])
    array([[1, 0],
           [3, 4]])
    """
    return _core.triangle(matrices(m, "tril"), integer(k, "k", "tril"), False)


def triu(m, k=0):
    """Return a copy with zeros below a diagonal of the last two axes.

    Parameters
    ----------
    m : array_like
        At least one-dimensional; a 1-d array is broadcast to every row of a square matrix.
    k : int
        Index of the diagonal: 0 is the main one, positive ones are above it.

    Returns
    -------
    ndarray

    Raises
    ------
    ValueError
        If `m` has no axis.

    See Also
    --------
    numpy.triu

    Examples
    --------
    >>> import cuarray as ca
    >>> ca.triu([[1, 2], [3, 4]])
    array([[1, 2],
           [0, 4]])
    """
    return _core.triangle(matrices(m, "triu"), integer(k, "k", "triu"), True)


def matrices(m, function):
    """Return `m` as an array of at least two axes; a 1-d array is broadcast to a square of equal rows."""
    m = as_array(m)
    if m.ndim == 0:
        raise ValueError(f"{function}: the array has no axis")
    return broadcast_to(m, m.shape * 2) if m.ndim == 1 else m
