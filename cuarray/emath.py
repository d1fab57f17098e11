"""Elementary functions of real arguments outside their real domain, as in numpy.emath: results are complex there.

The type of a result depends on values: it is complex if one element of the argument is outside the domain. On a GPU
each call waits for that answer; complex arguments, as in ``cuarray.sqrt(x + 0j)``, need no waiting.
"""

from cuarray._arguments import ufuncs
from cuarray._core import ndarray
from cuarray._functions.creation import as_array

__all__ = ["arccos", "arcsin", "arctanh", "log", "log2", "log10", "logn", "power", "sqrt"]


def has_true(x, condition):
    """Whether x is real and the condition holds for an element."""
    return x.dtype.kind != "c" and bool(condition(x).any())


def as_complex(x):
    """Return a real array as complex numbers; complex64 holds all of its type, or nearly, as in NumPy."""
    is_short = x.dtype.itemsize <= 2 and x.dtype.kind in "iu"
    is_single = x.dtype == "float32" or x.dtype.name == "bfloat16"
    return x.astype("complex64" if is_short or is_single else "complex128")


def with_negatives(x):
    x = as_array(x)
    return as_complex(x) if has_true(x, lambda x: x < 0) else x


def beyond_one(x):
    x = as_array(x)
    return as_complex(x) if has_true(x, lambda x: ufuncs.abs(x) > 1) else x


def sqrt(x) -> ndarray:
    """Return the square root, complex if an element is negative.

    Parameters
    ----------
    x : array_like

    Returns
    -------
    ndarray
        complex64 for such arguments of float32 and integers of 8 and 16 bits, else complex128.

    See Also
    --------
    numpy.emath.sqrt

    Examples
    --------
    >>> from cuarray import emath
    >>> emath.sqrt([-4, 9])
    array([0.+2.j, 3.+0.j])
    """
    return ufuncs.sqrt(with_negatives(x))


def log(x) -> ndarray:
    """Return the natural logarithm, complex if an element is negative.

    Parameters
    ----------
    x : array_like

    Returns
    -------
    ndarray
        complex64 for such arguments of float32 and integers of 8 and 16 bits, else complex128.

    See Also
    --------
    numpy.emath.log

    Examples
    --------
    >>> from cuarray import emath
    >>> emath.log(-1)
    np.complex128(3.141592653589793j)
    """
    return ufuncs.log(with_negatives(x))


def log2(x) -> ndarray:
    """Return the logarithm to base 2, complex if an element is negative.

    Parameters
    ----------
    x : array_like

    Returns
    -------
    ndarray
        complex64 for such arguments of float32 and integers of 8 and 16 bits, else complex128.

    See Also
    --------
    numpy.emath.log2

    Examples
    --------
    >>> from cuarray import emath
    >>> emath.log2([-4, 8])
    array([2.+4.53236014j, 3.+0.j        ])
    """
    return ufuncs.log2(with_negatives(x))


def log10(x) -> ndarray:
    """Return the logarithm to base 10, complex if an element is negative.

    Parameters
    ----------
    x : array_like

    Returns
    -------
    ndarray
        complex64 for such arguments of float32 and integers of 8 and 16 bits, else complex128.

    See Also
    --------
    numpy.emath.log10

    Examples
    --------
    >>> from cuarray import emath
    >>> emath.log10([-10.0, 100.0])
    array([1.+1.36437635j, 2.+0.j        ])
    """
    return ufuncs.log10(with_negatives(x))


def arccos(x) -> ndarray:
    """Return the inverse cosine, complex if an element is below -1 or above 1.

    Parameters
    ----------
    x : array_like

    Returns
    -------
    ndarray
        complex64 for such arguments of float32 and integers of 8 and 16 bits, else complex128.

    See Also
    --------
    numpy.emath.arccos

    Examples
    --------
    >>> from cuarray import emath
    >>> emath.arccos(2)
    np.complex128(-1.3169578969248166j)
    """
    return ufuncs.acos(beyond_one(x))


def arcsin(x) -> ndarray:
    """Return the inverse sine, complex if an element is below -1 or above 1.

    Parameters
    ----------
    x : array_like

    Returns
    -------
    ndarray
        complex64 for such arguments of float32 and integers of 8 and 16 bits, else complex128.

    See Also
    --------
    numpy.emath.arcsin

    Examples
    --------
    >>> from cuarray import emath
    >>> emath.arcsin(2)
    np.complex128(1.5707963267948966+1.3169578969248166j)
    """
    return ufuncs.asin(beyond_one(x))


def arctanh(x) -> ndarray:
    """Return the inverse hyperbolic tangent, complex if an element is below -1 or above 1.

    Parameters
    ----------
    x : array_like

    Returns
    -------
    ndarray
        complex64 for such arguments of float32 and integers of 8 and 16 bits, else complex128.

    See Also
    --------
    numpy.emath.arctanh

    Examples
    --------
    >>> from cuarray import emath
    >>> emath.arctanh(0.5).round(12)
    np.float64(0.549306144334)
    """
    return ufuncs.atanh(beyond_one(x))


def logn(n, x) -> ndarray:
    """Return the logarithm to base n, complex if an element of an argument is negative.

    Parameters
    ----------
    n, x : array_like

    Returns
    -------
    ndarray

    See Also
    --------
    numpy.emath.logn

    Examples
    --------
    >>> from cuarray import emath
    >>> emath.logn(2, [4, 8])
    array([2., 3.])
    """
    n, x = with_negatives(n), with_negatives(x)
    return ufuncs.divide(ufuncs.log(x), ufuncs.log(n))


def power(x, p) -> ndarray:
    """Return x raised to the power p, complex if an element of x is negative.

    Parameters
    ----------
    x : array_like
    p : array_like
        Integers with a negative element count as float64.

    Returns
    -------
    ndarray

    See Also
    --------
    numpy.emath.power

    Examples
    --------
    >>> from cuarray import emath
    >>> emath.power([-2, 4], [2, -1])
    array([4.  -0.j, 0.25+0.j])
    """
    x, p = with_negatives(x), as_array(p)
    return ufuncs.pow(x, p * 1.0 if has_true(p, lambda p: p < 0) else p)


def __dir__() -> list[str]:
    return sorted(__all__)
