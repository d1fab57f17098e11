"""Index arrays of diagonals, triangles and grids."""

import numpy as np

from cuarray._arguments.axes import integer
from cuarray._arguments.functions import arange, nonzero, ones, tri
from cuarray._arguments.operands import as_arrays
from cuarray._core import ndarray
from cuarray._functions.creation import as_array

__all__ = [
    "diag_indices",
    "diag_indices_from",
    "ix_",
    "mask_indices",
    "tril_indices",
    "tril_indices_from",
    "triu_indices",
    "triu_indices_from",
]


# Diagonals.


def diag_indices(n, ndim=2):
    """Return the coordinates of the main diagonal of an array with equal axes.

    Parameters
    ----------
    n : int
        Extent of the axes.
    ndim : int
        Number of axes.

    Returns
    -------
    tuple of ndarray

    See Also
    --------
    numpy.diag_indices

    Examples
    --------
    >>> import cuarray as ca
    >>> ca.diag_indices(2)
    (array([0, 1]), array([0, 1]))
    """
    return (arange(n),) * ndim


def diag_indices_from(arr):
    """Return the coordinates of the main diagonal of an array with equal axes.

    Parameters
    ----------
    arr : array_like
        At least two-dimensional.

    Returns
    -------
    tuple of ndarray
        On the array's device.

    Raises
    ------
    ValueError
        If `arr` has fewer than two axes, or they differ.

    See Also
    --------
    numpy.diag_indices_from

    Examples
    --------
    >>> import cuarray as ca
    >>> x = ca.eye(2)
    >>> x[ca.diag_indices_from(x)]
    array([1., 1.])
    """
    arr = as_array(arr)
    if arr.ndim < 2:
        raise ValueError(f"diag_indices_from: the array has {arr.ndim} axes and at least 2 are needed")
    if len(set(arr.shape)) != 1:
        raise ValueError(f"diag_indices_from: all dimensions must be of equal length, not {arr.shape}")
    return (arange(arr.shape[0], device=arr.device),) * arr.ndim


# Triangles.


def tril_indices(n, k=0, m=None):
    """Return the coordinates of the elements at and below a diagonal.

    Parameters
    ----------
    n : int
        Rows.
    k : int
        Index of the diagonal: 0 is the main one, positive ones are above it.
    m : int, optional
        Columns; as many as rows by default.

    Returns
    -------
    tuple of ndarray

    See Also
    --------
    numpy.tril_indices

    Examples
    --------
    >>> import cuarray as ca
    >>> ca.tril_indices(2)
    (array([0, 1, 1]), array([0, 0, 1]))
    """
    return nonzero(tri(n, m, k, dtype=bool))


def triu_indices(n, k=0, m=None):
    """Return the coordinates of the elements at and above a diagonal.

    Parameters
    ----------
    n : int
        Rows.
    k : int
        Index of the diagonal: 0 is the main one, positive ones are above it.
    m : int, optional
        Columns; as many as rows by default.

    Returns
    -------
    tuple of ndarray

    See Also
    --------
    numpy.triu_indices

    Examples
    --------
    >>> import cuarray as ca
    >>> ca.triu_indices(2)
    (array([0, 0, 1]), array([0, 1, 1]))
    """
    return nonzero(~tri(n, m, integer(k, "k", "triu_indices") - 1, dtype=bool))


def tril_indices_from(arr, k=0):
    """Return the coordinates of the elements of a matrix at and below a diagonal.

    Parameters
    ----------
    arr : array_like
        Two-dimensional.
    k : int
        Index of the diagonal: 0 is the main one, positive ones are above it.

    Returns
    -------
    tuple of ndarray
        On the array's device.

    Raises
    ------
    ValueError
        If `arr` is not two-dimensional.

    See Also
    --------
    numpy.tril_indices_from

    Examples
    --------
    >>> import cuarray as ca
    >>> x = ca.asarray([[1, 2], [3, 4]])
    >>> x[ca.tril_indices_from(x)]
    array([1, 3, 4])
    """
    rows, columns, device = matrix(arr, "tril_indices_from")
    with device:
        return tril_indices(rows, k, columns)


def triu_indices_from(arr, k=0):
    """Return the coordinates of the elements of a matrix at and above a diagonal.

    Parameters
    ----------
    arr : array_like
        Two-dimensional.
    k : int
        Index of the diagonal: 0 is the main one, positive ones are above it.

    Returns
    -------
    tuple of ndarray
        On the array's device.

    Raises
    ------
    ValueError
        If `arr` is not two-dimensional.

    See Also
    --------
    numpy.triu_indices_from

    Examples
    --------
    >>> import cuarray as ca
    >>> x = ca.asarray([[1, 2], [3, 4]])
    >>> x[ca.triu_indices_from(x)]
    array([1, 2, 4])
    """
    rows, columns, device = matrix(arr, "triu_indices_from")
    with device:
        return triu_indices(rows, k, columns)


def matrix(arr, function):
    """Return rows, columns and device of a 2-d array."""
    arr = as_array(arr)
    if arr.ndim != 2:
        raise ValueError(f"{function}: the array has {arr.ndim} axes and 2 are needed")
    return (*arr.shape, arr.device)


def mask_indices(n, mask_func, k=0):
    """Return the coordinates of the nonzero elements of ``mask_func(ones((n, n)), k)``.

    Parameters
    ----------
    n : int
        Rows and columns.
    mask_func : callable
        Called as ``mask_func(ones((n, n)), k)``, such as `triu` and `tril`.
    k : object
        Its second argument.

    Returns
    -------
    tuple of ndarray

    See Also
    --------
    numpy.mask_indices

    Examples
    --------
    >>> import cuarray as ca
    >>> ca.mask_indices(2, ca.triu)
    (array([0, 0, 1]), array([0, 1, 1]))
    """
    return nonzero(mask_func(ones((n, n), int), k) != 0)


# Grids.


def ix_(*args):
    """Make index arrays from sequences, one per axis, that select all combinations (an open mesh).

    Parameters
    ----------
    *args : array_like of int or bool
        One-dimensional; bools are converted to the positions of the true elements.

    Returns
    -------
    tuple of ndarray
        The k-th extends along axis k.

    Raises
    ------
    ValueError
        If an argument is not 1-d.

    See Also
    --------
    numpy.ix_

    Examples
    --------
    >>> import cuarray as ca
    >>> x = ca.arange(12).reshape(3, 4)
    >>> x[ca.ix_([0, 2], [True, False, False, True])]
    array([[ 0,  3],
           [ 8, 11]])
    """
    lines = []
    for axis, (given, line) in enumerate(zip(args, as_arrays("ix_", *args), strict=True)):
        if line.ndim != 1:
            raise ValueError(f"ix_: argument {axis} has {line.ndim} axes; each must have one")
        if line.size == 0 and not isinstance(given, (ndarray, np.ndarray)):
            line = line.astype(np.int64)
        if line.dtype.kind == "b":
            (line,) = nonzero(line)
        lines.append(line[(None,) * axis + (slice(None),) + (None,) * (len(args) - axis - 1)])
    return tuple(lines)
