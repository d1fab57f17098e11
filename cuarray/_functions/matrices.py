"""Triangles of matrices."""

from cuarray import _core
from cuarray._arguments.axes import integer
from cuarray._arguments.functions import broadcast_to
from cuarray._functions.creation import as_array

__all__ = ["tril", "triu"]


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
