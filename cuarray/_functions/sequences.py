"""Number sequences, and coordinate grids."""

from cuarray._arguments.axes import shape_tuple
from cuarray._arguments.functions import broadcast_shapes, broadcast_to, indices
from cuarray._arguments.operands import as_arrays

__all__ = ["fromfunction", "meshgrid"]


def broadcast_arrays(*arrays):
    """Return read-only views of the arrays at their common shape."""
    common = broadcast_shapes(*(a.shape for a in arrays))
    return tuple(broadcast_to(a, common) for a in arrays)


def meshgrid(*xi, copy=True, sparse=False, indexing="xy"):
    """Make arrays of coordinates from the coordinates along each axis.

    Parameters
    ----------
    *xi : array_like
        One-dimensional.
    copy : bool
        Whether the results are copies; views are read-only.
    sparse : bool
        Whether each result extends only along its own axis, with length 1 along the others.
    indexing : {'xy', 'ij'}
        'xy' exchanges the first two axes of the results.

    Returns
    -------
    tuple of ndarray

    Raises
    ------
    ValueError
        If `indexing` is neither.

    See Also
    --------
    numpy.meshgrid

    Examples
    --------
    >>> import cuarray as ca
    >>> x, y = ca.meshgrid([1, 2, 3], [4, 5])
    >>> x
    array([[1, 2, 3],
           [1, 2, 3]])
    >>> y
    array([[4, 4, 4],
           [5, 5, 5]])
    """
    if indexing not in ("xy", "ij"):
        raise ValueError(f"meshgrid: indexing must be 'xy' or 'ij', not {indexing!r}")
    places = list(range(len(xi)))
    if indexing == "xy" and len(xi) > 1:
        places[:2] = [1, 0]
    grids = tuple(
        x.reshape([-1 if axis == place else 1 for axis in range(len(xi))])
        for x, place in zip(as_arrays("meshgrid", *xi), places, strict=True)
    )
    if not sparse and grids:
        grids = broadcast_arrays(*grids)
    return tuple(grid.copy() for grid in grids) if copy else grids


def fromfunction(function, shape, *, dtype=float, device=None, like=None, **kwargs):
    """Return the result of one call of a function with the indices of all elements.

    Parameters
    ----------
    function : callable
        Called with one array of `shape` per axis, which holds the index along that axis.
    shape : tuple of int
    dtype : dtype
        Type of the index arrays.
    device : device or str, optional
    like : ndarray, optional
    **kwargs
        Passed to `function`.

    Returns
    -------
    ndarray

    See Also
    --------
    numpy.fromfunction

    Examples
    --------
    >>> import cuarray as ca
    >>> ca.fromfunction(lambda i, j: 10 * i + j, (2, 3), dtype=int)
    array([[ 0,  1,  2],
           [10, 11, 12]])
    """
    shape = shape_tuple(shape, "shape", "fromfunction")
    return function(*indices(shape, dtype, device=device, like=like), **kwargs)
