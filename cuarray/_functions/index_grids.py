"""Index arrays of masks."""

from cuarray._arguments.functions import nonzero, ones

__all__ = ["mask_indices"]


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
