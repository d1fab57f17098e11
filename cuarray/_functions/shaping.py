"""Shapes of arrays, and of what becomes one."""

import math

import numpy as np

from cuarray._arguments.axes import normalise_axes
from cuarray._core import ndarray

__all__ = ["ndim", "shape", "size"]


def shape(a):
    """Return the shape of an array or of anything that becomes one.

    Parameters
    ----------
    a : array_like

    Returns
    -------
    tuple of int

    See Also
    --------
    numpy.shape

    Examples
    --------
    >>> import cuarray as ca
    >>> ca.shape([[1, 2]])
    (1, 2)
    """
    return a.shape if isinstance(a, ndarray) else np.shape(a)


def ndim(a):
    """Return the number of axes of an array or of anything that becomes one.

    Parameters
    ----------
    a : array_like

    Returns
    -------
    int

    See Also
    --------
    numpy.ndim

    Examples
    --------
    >>> import cuarray as ca
    >>> ca.ndim(3)
    0
    """
    return len(shape(a))


def size(a, axis=None):
    """Return the number of elements, in all or along axes.

    Parameters
    ----------
    a : array_like
    axis : int or tuple of int, optional

    Returns
    -------
    int

    Raises
    ------
    AxisError
        If an axis does not exist.

    See Also
    --------
    numpy.size

    Examples
    --------
    >>> import cuarray as ca
    >>> ca.size([[1, 2, 3]], 1)
    3
    """
    extents = shape(a)
    if axis is not None:
        extents = [extents[i] for i in normalise_axes(axis, len(extents), "size")]
    return math.prod(extents)
