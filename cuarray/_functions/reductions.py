"""Reductions along axes, with NumPy's signatures."""

from collections.abc import Callable
from typing import Any

import numpy as np

from cuarray import _core
from cuarray._functions.reduction_source import source

__all__ = ["std", "var"]

#: Marks a keyword that was not given; None is a valid value of `initial`.
NOT_GIVEN = np._NoValue


# The public rows of reductions.def: sum, prod, max ...
for row in _core.reductions():
    if row["parameters"]:
        exec(compile(source(row), __file__, "exec"))
        globals()[row["name"]] = _core.reduction_function(globals()[row["name"]])
        __all__ += [row["name"]]
del row


def __getattr__(name: str) -> Callable[..., Any]:
    # Type checkers take the functions of the rows from here.
    raise AttributeError(f"reductions.def has no public row {name!r}")


@_core.reduction_function
def var(a, axis=None, dtype=None, out=None, ddof=0, keepdims=False, *, where=True, mean=None, correction=NOT_GIVEN):
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
    np.float64(1.25)
    """


@_core.reduction_function
def std(a, axis=None, dtype=None, out=None, ddof=0, keepdims=False, *, where=True, mean=None, correction=NOT_GIVEN):
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
    np.float64(1.0)
    """
