"""Reductions along axes, with NumPy's signatures."""

import numpy as np

from cuarray import _core

__all__ = [
    "all",
    "any",
    "argmax",
    "argmin",
    "count_nonzero",
    "max",
    "mean",
    "min",
    "prod",
    "std",
    "sum",
    "var",
]

#: Marks a keyword that was not given; None is a valid value of `initial`.
NOT_GIVEN = np._NoValue


def reduce(name, a, axis, dtype, out, keepdims, initial, where):
    """Reduce with a row of the table of reductions; keywords that were not given keep the core's defaults."""
    given = {"keepdims": keepdims, "initial": initial, "where": where}
    return _core.reduce(name, a, axis, dtype, out, **{k: v for k, v in given.items() if v is not NOT_GIVEN})


def sum(a, axis=None, dtype=None, out=None, keepdims=False, initial=NOT_GIVEN, where=True):
    """Add the elements along axes.

    Parameters
    ----------
    a : array_like
    axis : int or tuple of int, optional
        All axes by default.
    dtype : dtype, optional
        Type of the accumulator and of the result. By default the type of `a`, but int64 or uint64 for
        integers that are smaller.
    out : ndarray, optional
        Output array.
    keepdims : bool
        Whether the reduced axes are kept with length 1.
    initial : number, optional
        Added to each sum; 0 by default.
    where : array_like of bool
        The elements to include.

    Returns
    -------
    ndarray
        0-d if all axes are reduced.

    Raises
    ------
    AxisError
        If an axis does not exist.

    Notes
    -----
    The order of additions depends only on the shape, so results are equal from run to run; float16 and
    bfloat16 are added in float32.

    See Also
    --------
    numpy.sum

    Examples
    --------
    >>> import cuarray as ca
    >>> ca.sum([[1, 2], [3, 4]], axis=0)
    array([4, 6])
    """
    return reduce("sum", a, axis, dtype, out, keepdims, initial, where)


def prod(a, axis=None, dtype=None, out=None, keepdims=False, initial=NOT_GIVEN, where=True):
    """Multiply the elements along axes.

    Parameters
    ----------
    a : array_like
    axis : int or tuple of int, optional
        All axes by default.
    dtype : dtype, optional
        Type of the accumulator and of the result; as in `sum` by default.
    out : ndarray, optional
        Output array.
    keepdims : bool
        Whether the reduced axes are kept with length 1.
    initial : number, optional
        A factor of each product; 1 by default.
    where : array_like of bool
        The elements to include.

    Returns
    -------
    ndarray

    Raises
    ------
    AxisError
        If an axis does not exist.

    See Also
    --------
    numpy.prod

    Examples
    --------
    >>> import cuarray as ca
    >>> ca.prod([[1, 2], [3, 4]], axis=1)
    array([ 2, 12])
    """
    return reduce("prod", a, axis, dtype, out, keepdims, initial, where)


def max(a, axis=None, out=None, keepdims=False, initial=NOT_GIVEN, where=True):
    """Return the largest element along axes; NaN propagates.

    Parameters
    ----------
    a : array_like
    axis : int or tuple of int, optional
        All axes by default.
    out : ndarray, optional
        Output array.
    keepdims : bool
        Whether the reduced axes are kept with length 1.
    initial : number, optional
        Included in each maximum; required if no element is.
    where : array_like of bool
        The elements to include.

    Returns
    -------
    ndarray

    Raises
    ------
    ValueError
        If there are no elements.
    AxisError
        If an axis does not exist.

    See Also
    --------
    numpy.max

    Examples
    --------
    >>> import cuarray as ca
    >>> ca.max([[1, 5], [3, 4]], axis=0)
    array([3, 5])
    """
    return reduce("max", a, axis, None, out, keepdims, initial, where)


def min(a, axis=None, out=None, keepdims=False, initial=NOT_GIVEN, where=True):
    """Return the smallest element along axes; NaN propagates.

    Parameters
    ----------
    a : array_like
    axis : int or tuple of int, optional
        All axes by default.
    out : ndarray, optional
        Output array.
    keepdims : bool
        Whether the reduced axes are kept with length 1.
    initial : number, optional
        Included in each minimum; required if no element is.
    where : array_like of bool
        The elements to include.

    Returns
    -------
    ndarray

    Raises
    ------
    ValueError
        If there are no elements.
    AxisError
        If an axis does not exist.

    See Also
    --------
    numpy.min

    Examples
    --------
    >>> import cuarray as ca
    >>> ca.min([[1, 5], [3, 4]], axis=1)
    array([1, 3])
    """
    return reduce("min", a, axis, None, out, keepdims, initial, where)


def mean(a, axis=None, dtype=None, out=None, keepdims=False, *, where=True):
    """Average the elements along axes.

    Parameters
    ----------
    a : array_like
    axis : int or tuple of int, optional
        All axes by default.
    dtype : dtype, optional
        Type of the computation and of the result; by default the type of `a`, float64 for integers.
    out : ndarray, optional
        Output array.
    keepdims : bool
        Whether the reduced axes are kept with length 1.
    where : array_like of bool
        The elements to include.

    Returns
    -------
    ndarray
        NaN where no element is included.

    Raises
    ------
    AxisError
        If an axis does not exist.

    See Also
    --------
    numpy.mean

    Examples
    --------
    >>> import cuarray as ca
    >>> ca.mean([[1, 2], [3, 4]], axis=0)
    array([2., 3.])
    """
    return reduce("mean", a, axis, dtype, out, keepdims, NOT_GIVEN, where)


def any(a, axis=None, out=None, keepdims=False, *, where=True):
    """Tell whether any element along axes is nonzero.

    Parameters
    ----------
    a : array_like
    axis : int or tuple of int, optional
        All axes by default.
    out : ndarray, optional
        Output array.
    keepdims : bool
        Whether the reduced axes are kept with length 1.
    where : array_like of bool
        The elements to include.

    Returns
    -------
    ndarray
        bool.

    Raises
    ------
    AxisError
        If an axis does not exist.

    See Also
    --------
    numpy.any

    Examples
    --------
    >>> import cuarray as ca
    >>> ca.any([[0, 0], [0, 2]], axis=1)
    array([False,  True])
    """
    return reduce("any", a, axis, None, out, keepdims, NOT_GIVEN, where)


def all(a, axis=None, out=None, keepdims=False, *, where=True):
    """Tell whether all elements along axes are nonzero.

    Parameters
    ----------
    a : array_like
    axis : int or tuple of int, optional
        All axes by default.
    out : ndarray, optional
        Output array.
    keepdims : bool
        Whether the reduced axes are kept with length 1.
    where : array_like of bool
        The elements to include.

    Returns
    -------
    ndarray
        bool.

    Raises
    ------
    AxisError
        If an axis does not exist.

    See Also
    --------
    numpy.all

    Examples
    --------
    >>> import cuarray as ca
    >>> ca.all([[1, 0], [1, 2]], axis=0)
    array([ True, False])
    """
    return reduce("all", a, axis, None, out, keepdims, NOT_GIVEN, where)


def count_nonzero(a, axis=None, *, keepdims=False):
    """Count the nonzero elements along axes.

    Parameters
    ----------
    a : array_like
    axis : int or tuple of int, optional
        All axes by default.
    keepdims : bool
        Whether the reduced axes are kept with length 1.

    Returns
    -------
    ndarray
        int64.

    Raises
    ------
    AxisError
        If an axis does not exist.

    See Also
    --------
    numpy.count_nonzero

    Examples
    --------
    >>> import cuarray as ca
    >>> ca.count_nonzero([[1, 0], [1, 2]], axis=0)
    array([2, 1])
    """
    return reduce("count_nonzero", a, axis, None, None, keepdims, NOT_GIVEN, NOT_GIVEN)


def argmax(a, axis=None, out=None, *, keepdims=False):
    """Return the index of the largest element, the first one of several; NaN propagates.

    Parameters
    ----------
    a : array_like
    axis : int, optional
        By default the index is that of the flattened array in C order.
    out : ndarray, optional
        Output array.
    keepdims : bool
        Whether the reduced axis is kept with length 1.

    Returns
    -------
    ndarray
        int64.

    Raises
    ------
    ValueError
        If there are no elements.
    AxisError
        If the axis does not exist.

    See Also
    --------
    numpy.argmax

    Examples
    --------
    >>> import cuarray as ca
    >>> ca.argmax([[1, 5], [3, 4]], axis=0)
    array([1, 0])
    """
    return reduce("argmax", a, axis, None, out, keepdims, NOT_GIVEN, NOT_GIVEN)


def argmin(a, axis=None, out=None, *, keepdims=False):
    """Return the index of the smallest element, the first one of several; NaN propagates.

    Parameters
    ----------
    a : array_like
    axis : int, optional
        By default the index is that of the flattened array in C order.
    out : ndarray, optional
        Output array.
    keepdims : bool
        Whether the reduced axis is kept with length 1.

    Returns
    -------
    ndarray
        int64.

    Raises
    ------
    ValueError
        If there are no elements.
    AxisError
        If the axis does not exist.

    See Also
    --------
    numpy.argmin

    Examples
    --------
    >>> import cuarray as ca
    >>> ca.argmin([[1, 5], [3, 4]], axis=1)
    array([0, 0])
    """
    return reduce("argmin", a, axis, None, out, keepdims, NOT_GIVEN, NOT_GIVEN)


def var(
    a, axis=None, dtype=None, out=None, ddof=0, keepdims=False, *, where=True, mean=None, correction=NOT_GIVEN
):
    """Return the variance along axes: the mean squared deviation from the mean.

    Parameters
    ----------
    a : array_like
    axis : int or tuple of int, optional
        All axes by default.
    dtype : dtype, optional
        Type of the computation; by default the type of `a`, float64 for integers.
    out : ndarray, optional
        Output array.
    ddof : number
        The sum of squares is divided by n - ddof.
    keepdims : bool
        Whether the reduced axes are kept with length 1.
    where : array_like of bool
        The elements to include.
    mean : ndarray, optional
        The mean, if known, with the reduced axes kept.
    correction : number, optional
        The Array API's name of `ddof`.

    Returns
    -------
    ndarray
        Real, also for complex elements.

    Raises
    ------
    ValueError
        If both `ddof` and `correction` are given.
    AxisError
        If an axis does not exist.

    See Also
    --------
    numpy.var

    Examples
    --------
    >>> import cuarray as ca
    >>> ca.var([1, 2, 3, 4])
    array(1.25)
    """
    return spread("var", False, a, axis, dtype, out, ddof, keepdims, where, mean, correction)


def std(
    a, axis=None, dtype=None, out=None, ddof=0, keepdims=False, *, where=True, mean=None, correction=NOT_GIVEN
):
    """Return the standard deviation along axes: the square root of the variance.

    Parameters
    ----------
    a : array_like
    axis : int or tuple of int, optional
        All axes by default.
    dtype : dtype, optional
        Type of the computation; by default the type of `a`, float64 for integers.
    out : ndarray, optional
        Output array.
    ddof : number
        The sum of squares is divided by n - ddof.
    keepdims : bool
        Whether the reduced axes are kept with length 1.
    where : array_like of bool
        The elements to include.
    mean : ndarray, optional
        The mean, if known, with the reduced axes kept.
    correction : number, optional
        The Array API's name of `ddof`.

    Returns
    -------
    ndarray
        Real, also for complex elements.

    Raises
    ------
    ValueError
        If both `ddof` and `correction` are given.
    AxisError
        If an axis does not exist.

    See Also
    --------
    numpy.std

    Examples
    --------
    >>> import cuarray as ca
    >>> ca.std([1, 1, 3, 3])
    array(1.)
    """
    return spread("std", True, a, axis, dtype, out, ddof, keepdims, where, mean, correction)


def spread(name, root, a, axis, dtype, out, ddof, keepdims, where, mean, correction):
    """Compute the variance, or its square root, with ddof or correction."""
    if correction is NOT_GIVEN:
        correction = ddof
    elif ddof != 0:
        raise ValueError(f"{name}: give ddof or correction, not both")
    mean = None if mean is NOT_GIVEN else mean
    return _core.variance(a, axis, dtype, out, correction, bool(keepdims), where, mean, root)
