"""where, which extends the row of the table with the same name."""

import numpy as np

from cuarray._arguments.functions import nonzero
from cuarray._arguments.operands import WEAK, arrays_and_numbers
from cuarray._arguments.ufuncs import where as where_ufunc
from cuarray._core import ndarray
from cuarray._functions.reductions import NOT_GIVEN

__all__ = ["where"]


def where(condition, x=NOT_GIVEN, y=NOT_GIVEN, /):
    """Select elements from x where the condition is true, else from y; or find the true elements.

    Parameters
    ----------
    condition : array_like
        bool; of other types, zero counts as false.
    x, y : array_like, optional
        Broadcast with the condition.

    Returns
    -------
    ndarray
        Of the common type of x and y; without them, the result of `nonzero(condition)`.

    Raises
    ------
    ValueError
        If the shapes do not broadcast, or only one of x and y is given.
    TypeError
        If x or y is None, or something else that is no number.

    See Also
    --------
    numpy.where

    Examples
    --------
    >>> import cuarray as ca
    >>> x = ca.arange(-2, 3)
    >>> ca.where(x < 0, 0, x)
    array([0, 0, 0, 1, 2])
    """
    if x is NOT_GIVEN or y is NOT_GIVEN:
        if x is y:
            return nonzero(condition)
        raise ValueError("where: give both x and y, or neither")
    if not isinstance(condition, ndarray):
        condition, x, y = arrays_and_numbers("where", condition, x, y)
    if type(condition) in WEAK:
        condition = bool(condition)
    elif condition.dtype != np.bool_:
        condition = condition.astype(bool)
    return where_ufunc(condition, x, y)
