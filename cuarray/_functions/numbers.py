"""Functions of numbers composed of a few rows of the table, and tests of types and objects."""

import numpy as np

from cuarray import _core
from cuarray._arguments.operands import members, under_its_name
from cuarray._arguments.ufuncs import abs, atan2, equal, isfinite, isnan, sin, trunc, where
from cuarray._core import ndarray
from cuarray._functions.creation import as_array, asarray
from cuarray._functions.dtypes import finfo
from cuarray._functions.reductions import all
from cuarray._runtime.fuse import fused_call

__all__ = [
    "angle", "asarray_chkfinite", "common_type", "fix", "isfortran", "isneginf", "isposinf", "iterable",
    "min_scalar_type", "nan_to_num", "real_if_close", "require", "sinc",
]  # fmt: skip


def angle(z, deg=False):
    """Return the angles of complex numbers, from -pi to pi.

    Parameters
    ----------
    z : array_like
    deg : bool
        Whether the result is in degrees instead of radians.

    Returns
    -------
    ndarray

    See Also
    --------
    numpy.angle

    Examples
    --------
    >>> import cuarray as ca
    >>> ca.angle([1, 1j, -1], deg=True)
    array([  0.,  90., 180.])
    """
    z = as_array(z)
    x, y = (z.real, z.imag) if z.dtype.kind == "c" else (z, 0)
    if not deg:
        return atan2(y, x)
    with fused_call():
        return atan2(y, x) * (180 / np.pi)


def sinc(x):
    """Return sin(pi x) / (pi x), and 1 for 0.

    Parameters
    ----------
    x : array_like

    Returns
    -------
    ndarray

    See Also
    --------
    numpy.sinc

    Examples
    --------
    >>> import cuarray as ca
    >>> ca.sinc([0, 0.5, 1]).round(4)
    array([1.    , 0.6366, 0.    ])
    """
    x = as_array(x)
    with fused_call():
        y = x * np.pi
        return _core.as_value(where(y == 0, 1.0, sin(y) / y))


def fix(x, out=None):
    """Round towards zero; integers are unchanged.

    Parameters
    ----------
    x : array_like of real numbers
    out : ndarray, optional
        Output array.

    Returns
    -------
    ndarray

    See Also
    --------
    numpy.fix

    Examples
    --------
    >>> import cuarray as ca
    >>> ca.fix([2.9, -2.9])
    array([ 2., -2.])
    """
    return trunc(as_array(x), out=out)


def isposinf(x, out=None):
    """Tell for each element whether it is positive infinity.

    Parameters
    ----------
    x : array_like of real numbers
    out : ndarray, optional
        Output array.

    Returns
    -------
    ndarray
        bool.

    Raises
    ------
    TypeError
        If the elements are complex.

    See Also
    --------
    numpy.isposinf

    Examples
    --------
    >>> import cuarray as ca
    >>> ca.isposinf([-ca.inf, 0, ca.inf])
    array([False, False,  True])
    """
    return is_infinity(x, np.inf, out, "isposinf")


def isneginf(x, out=None):
    """Tell for each element whether it is negative infinity.

    Parameters
    ----------
    x : array_like of real numbers
    out : ndarray, optional
        Output array.

    Returns
    -------
    ndarray
        bool.

    Raises
    ------
    TypeError
        If the elements are complex.

    See Also
    --------
    numpy.isneginf

    Examples
    --------
    >>> import cuarray as ca
    >>> ca.isneginf([-ca.inf, 0, ca.inf])
    array([ True, False, False])
    """
    return is_infinity(x, -np.inf, out, "isneginf")


def is_infinity(x, infinity, out, function):
    x = as_array(x)
    if x.dtype.kind == "c":
        raise TypeError(f"{function}: not supported for {x.dtype} values because it would be ambiguous")
    return equal(x, infinity, out)


def nan_to_num(x, copy=True, nan=0.0, posinf=None, neginf=None):
    """Replace NaN and infinities by numbers.

    Parameters
    ----------
    x : array_like
    copy : bool
        False writes into `x` itself.
    nan : number or array_like
        Replacement of NaN.
    posinf, neginf : number or array_like, optional
        Replacements of infinities; by default the largest and the smallest number of the type.

    Returns
    -------
    ndarray
        Integers are unchanged; both parts of complex numbers are replaced.

    See Also
    --------
    numpy.nan_to_num

    Examples
    --------
    >>> import cuarray as ca
    >>> ca.nan_to_num([1.5, ca.nan, ca.inf], posinf=9)
    array([1.5, 0. , 9. ])
    """
    given = as_array(x)
    result = _core.array_from_object(given, copy=True, order="K") if copy or given is not x else given
    kind = result.dtype.kind
    for part in (result.real, result.imag) if kind == "c" else (result,) if kind in "fV" else ():
        limits = finfo(part.dtype)
        high = limits.max if posinf is None else posinf
        low = limits.min if neginf is None else neginf
        with fused_call():
            numbers = where(isnan(part), nan, part)
            numbers = where(part == np.inf, high, numbers)
            numbers = where(part == -np.inf, low, numbers)
            if numbers.dtype.kind == "c":
                raise TypeError(f"nan_to_num: cannot cast complex numbers to {part.dtype}")
            part[...] = numbers
    if result.ndim == 0 and result is x:
        return _core.as_value(x.copy())
    return result if result is x else _core.as_value(result)


@under_its_name
def real_if_close(a, tol=100):
    """Return the real parts of complex numbers if all imaginary parts are close to zero.

    Parameters
    ----------
    a : array_like
    tol : number
        The tolerance: if above 1, in units of the type's epsilon. The call waits for the values.

    Returns
    -------
    ndarray
        A view of the real parts, or `a`.

    See Also
    --------
    numpy.real_if_close

    Examples
    --------
    >>> import cuarray as ca
    >>> ca.real_if_close(ca.asarray([2.1 + 4e-14j, 5.2 + 3e-15j]), tol=1000)
    array([2.1, 5.2])
    """
    a = as_array(a)
    if a.dtype.kind != "c":
        return a
    limit = tol * finfo(a.dtype).eps if tol > 1 else tol
    return a.real if bool(all(abs(a.imag) < limit)) else a


# Tests of types and objects.


def iterable(y):
    """Tell whether one can iterate over an object.

    Parameters
    ----------
    y : object

    Returns
    -------
    bool

    See Also
    --------
    numpy.iterable

    Examples
    --------
    >>> import cuarray as ca
    >>> ca.iterable(ca.ones(2)), ca.iterable(2)
    (True, False)
    """
    return np.iterable(y)


def isfortran(a):
    """Tell whether an array is Fortran-contiguous and not C-contiguous.

    Parameters
    ----------
    a : ndarray

    Returns
    -------
    bool

    See Also
    --------
    numpy.isfortran

    Examples
    --------
    >>> import cuarray as ca
    >>> ca.isfortran(ca.ones((2, 3)).T)
    True
    """
    return as_array(a).flags.fnc


def min_scalar_type(a, /):
    """Return the smallest type that holds a number; for an array with axes, its type.

    Parameters
    ----------
    a : number or array_like
        The call waits for the value of a 0-d array.

    Returns
    -------
    dtype

    See Also
    --------
    numpy.min_scalar_type

    Examples
    --------
    >>> import cuarray as ca
    >>> ca.min_scalar_type(300)
    dtype('uint16')
    """
    if isinstance(a, ndarray):
        return a.dtype if a.ndim else np.min_scalar_type(a.numpy())
    return np.min_scalar_type(a)


@under_its_name
def common_type(*arrays):
    """Return the inexact type that holds the elements of all arrays; integers count as float64.

    Parameters
    ----------
    *arrays : ndarray

    Returns
    -------
    type

    Raises
    ------
    TypeError
        If the elements of an array are bools.

    See Also
    --------
    numpy.common_type

    Examples
    --------
    >>> import cuarray as ca
    >>> ca.common_type(ca.ones(2, ca.float32), ca.arange(2))
    <class 'numpy.float64'>
    """
    return np.common_type(*(np.empty(0, as_array(a).dtype) for a in arrays))


def asarray_chkfinite(a, dtype=None, order=None):
    """Make an array from an object, and check that all its numbers are finite.

    Parameters
    ----------
    a : array_like
    dtype : dtype, optional
    order : {'C', 'F', 'A', 'K'}, optional

    Returns
    -------
    ndarray

    Raises
    ------
    ValueError
        If there are infinities or NaN. The call waits for the elements.

    See Also
    --------
    numpy.asarray_chkfinite

    Examples
    --------
    >>> import cuarray as ca
    >>> ca.asarray_chkfinite([1, 2], dtype=float)
    array([1., 2.])
    """
    a = asarray(a, dtype, order)
    if a.dtype.kind in "fcV" and not bool(all(isfinite(a))):
        raise ValueError("asarray_chkfinite: array must not contain infs or NaNs")
    return a


#: The properties of `require`, by their names in NumPy.
REQUIREMENTS = {
    "C": "C", "C_CONTIGUOUS": "C", "CONTIGUOUS": "C", "F": "F", "F_CONTIGUOUS": "F", "FORTRAN": "F",
    "A": "A", "ALIGNED": "A",
    "W": "W", "WRITEABLE": "W", "O": "O", "OWNDATA": "O", "E": "E", "ENSUREARRAY": "E",
}  # fmt: skip


def require(a, dtype=None, requirements=None, *, like=None):
    """Return an array with the required memory layout, a copy if needed.

    Parameters
    ----------
    a : array_like
    dtype : dtype, optional
    requirements : str or sequence of str, optional
        'C' or 'F' contiguous, 'A' aligned, 'W' writeable, 'O' owning its memory, 'E' no subclass.
    like : ndarray, optional
        The result goes to the device of this array.

    Returns
    -------
    ndarray

    Raises
    ------
    ValueError
        If both C and Fortran order are required.
    KeyError
        If there is no such requirement.

    See Also
    --------
    numpy.require

    Examples
    --------
    >>> import cuarray as ca
    >>> ca.require(ca.ones((2, 3)).T, requirements="C").flags.c_contiguous
    True
    """
    if not requirements:
        return asarray(a, dtype, "A", like=like)
    names = members(requirements, "requirements", "require")
    if [name for name in names if not isinstance(name, str)]:
        raise TypeError(f"require: requirements must be strings, not {requirements!r}")
    wanted = {REQUIREMENTS[name.upper()] for name in names}
    if {"C", "F"} <= wanted:
        raise ValueError("require: cannot specify both C and Fortran order")
    order = "C" if "C" in wanted else "F" if "F" in wanted else "A"
    a = asarray(a, dtype, order, like=like)
    flags = a.flags
    return a.copy(order) if [name for name in wanted - {"E"} if not flags[name]] else a
