"""Comparison of arrays as a whole, and type tests."""

from functools import partial

import numpy as np

from cuarray import _core
from cuarray._arguments.functions import broadcast_shapes
from cuarray._arguments.operands import as_arrays
from cuarray._arguments.ufuncs import imag, isnan, not_equal
from cuarray._functions.creation import as_array
from cuarray._functions.dtypes import is_inexact

__all__ = [
    "array_equal", "array_equiv", "iscomplex", "iscomplexobj", "isreal", "isrealobj", "isscalar",
]  # fmt: skip


def holds_objects(x):
    """Tell whether NumPy reads an object as texts, dates, other objects or long doubles: no numbers of ours."""
    try:
        dtype = np.asarray(x).dtype
    except Exception:
        return False
    return dtype.char in "gG" or (dtype.kind not in "biufc" and dtype.name != "bfloat16")


def is_ragged(x):
    """Tell whether an object is a list of sequences of different lengths."""
    try:
        if isinstance(x, list | tuple):
            as_array(x)
    except (TypeError, ValueError) as error:
        return isinstance(error, ValueError)
    return False


def compare_objects(function, error, a1, a2):
    """Return what a function of NumPy's says of arguments that are no arrays of ours; raise `error` if both are."""
    if is_ragged(a1) or is_ragged(a2):
        return False
    if not (holds_objects(a1) or holds_objects(a2)):
        raise error
    return function(*(x.numpy() if isinstance(x, _core.ndarray) else x for x in (a1, a2)))


def array_equal(a1, a2, equal_nan=False):
    """Tell whether two arrays have the same shape and equal elements.

    Parameters
    ----------
    a1, a2 : array_like
    equal_nan : bool
        Whether NaN equals NaN.

    Returns
    -------
    bool

    See Also
    --------
    numpy.array_equal

    Examples
    --------
    >>> import cuarray as ca
    >>> ca.array_equal([1, 2], [1, 2, 3])
    False
    """
    if a1 is None or a2 is None:
        return a1 is a2
    try:
        a, b = as_arrays("array_equal", a1, a2)
    except (TypeError, ValueError) as error:
        return compare_objects(partial(np.array_equal, equal_nan=equal_nan), error, a1, a2)
    if a.shape != b.shape:
        return False
    if equal_nan and a1 is a2:
        return True
    equal = a == b
    if equal_nan and is_inexact(a) and is_inexact(b):
        equal = equal | (isnan(a) & isnan(b))
    return bool(equal.all())


def array_equiv(a1, a2):
    """Tell whether two arrays broadcast together and then have equal elements.

    Parameters
    ----------
    a1, a2 : array_like

    Returns
    -------
    bool

    See Also
    --------
    numpy.array_equiv

    Examples
    --------
    >>> import cuarray as ca
    >>> ca.array_equiv([1, 1], 1)
    True
    """
    if a1 is None or a2 is None:
        return a1 is a2
    try:
        a, b = as_arrays("array_equiv", a1, a2)
    except (TypeError, ValueError) as error:
        return compare_objects(np.array_equiv, error, a1, a2)
    try:
        broadcast_shapes(a.shape, b.shape)
    except ValueError:
        return False
    return bool((a == b).all())


def iscomplexobj(x):
    """Tell whether an array has a complex type.

    Parameters
    ----------
    x : array_like

    Returns
    -------
    bool

    See Also
    --------
    numpy.iscomplexobj

    Examples
    --------
    >>> import cuarray as ca
    >>> ca.iscomplexobj([1 + 0j])
    True
    """
    try:
        kind = x.dtype.type  # of any class, such as pandas' arrays
    except AttributeError:
        try:
            kind = as_array(x).dtype.type
        except TypeError:
            if not holds_objects(x):
                raise
            return np.iscomplexobj(x)
    return issubclass(kind, np.complexfloating)


def isrealobj(x):
    """Tell whether an array has a type that is not complex.

    Parameters
    ----------
    x : array_like

    Returns
    -------
    bool

    See Also
    --------
    numpy.isrealobj

    Examples
    --------
    >>> import cuarray as ca
    >>> ca.isrealobj([1.5])
    True
    """
    return not iscomplexobj(x)


def iscomplex(x):
    """Tell for each element whether its imaginary part differs from zero.

    Parameters
    ----------
    x : array_like

    Returns
    -------
    ndarray

    See Also
    --------
    numpy.iscomplex

    Examples
    --------
    >>> import cuarray as ca
    >>> ca.iscomplex([1 + 1j, 1 + 0j])
    array([ True, False])
    """
    x = as_array(x)
    return not_equal(imag(x), 0, order="C")


def isreal(x):
    """Tell for each element whether its imaginary part is zero.

    Parameters
    ----------
    x : array_like

    Returns
    -------
    ndarray

    See Also
    --------
    numpy.isreal

    Examples
    --------
    >>> import cuarray as ca
    >>> ca.isreal([1 + 1j, 1 + 0j])
    array([False,  True])
    """
    return imag(as_array(x)) == 0


def isscalar(element):
    """Tell whether an object is a Python or NumPy number; a 0-d array is not.

    Parameters
    ----------
    element : object

    Returns
    -------
    bool

    See Also
    --------
    numpy.isscalar

    Examples
    --------
    >>> import cuarray as ca
    >>> ca.isscalar(3.5), ca.isscalar(ca.asarray(3.5))
    (True, False)
    """
    return np.isscalar(element)
