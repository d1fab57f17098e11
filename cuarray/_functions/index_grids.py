"""Index arrays of diagonals, masks and open meshes."""

import numpy as np

from cuarray._arguments.functions import arange, nonzero, ones
from cuarray._arguments.operands import as_arrays
from cuarray._core import ndarray
from cuarray._functions.creation import as_array

__all__ = ["diag_indices", "diag_indices_from", "ix_", "mask_indices"]


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
