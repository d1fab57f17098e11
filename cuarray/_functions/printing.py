"""Formatting of arrays and numbers as text, by NumPy's settings."""

import numpy as np

from cuarray._arguments.operands import under_its_name
from cuarray._core import ndarray
from cuarray._functions.array_text import host_text, ndarray_repr, ndarray_str
from cuarray._functions.creation import as_array

__all__ = [
    "array2string", "array_repr", "array_str", "base_repr", "binary_repr", "format_float_positional",
    "format_float_scientific", "get_printoptions", "printoptions", "set_printoptions",
]  # fmt: skip

# The print settings and the formatting of Python integers are NumPy's.
base_repr = np.base_repr
binary_repr = np.binary_repr
get_printoptions = np.get_printoptions
printoptions = np.printoptions
set_printoptions = np.set_printoptions


@under_its_name
def array_repr(arr, max_line_width=None, precision=None, suppress_small=None):
    """Return the string representation of an array.

    Parameters
    ----------
    arr : array_like
    max_line_width, precision : int, optional
    suppress_small : bool, optional
        Whether numbers close to zero are shown as zero.

    Returns
    -------
    str

    See Also
    --------
    numpy.array_repr

    Examples
    --------
    >>> import cuarray as ca
    >>> ca.array_repr(ca.arange(3))
    'array([0, 1, 2])'
    """
    return text_by(np.array_repr, ndarray_repr, arr, max_line_width, precision, suppress_small)


@under_its_name
def array_str(a, max_line_width=None, precision=None, suppress_small=None):
    """Return the values of an array as a string.

    Parameters
    ----------
    a : array_like
    max_line_width, precision : int, optional
    suppress_small : bool, optional
        Whether numbers close to zero are shown as zero.

    Returns
    -------
    str

    See Also
    --------
    numpy.array_str

    Examples
    --------
    >>> import cuarray as ca
    >>> ca.array_str(ca.arange(3))
    '[0 1 2]'
    """
    return text_by(np.array_str, ndarray_str, a, max_line_width, precision, suppress_small)


def text_by(function, own, a, *settings):
    """Return NumPy's text with these settings, or cuarray's own if all are defaults."""
    if settings == (None, None, None):
        return own(as_array(a))
    settings = [number(x) for x in settings]
    return host_text(as_array(a), lambda host: function(host, *settings))


@under_its_name
def array2string(
    a,
    max_line_width=None,
    precision=None,
    suppress_small=None,
    separator=" ",
    prefix="",
    *,
    formatter=None,
    threshold=None,
    edgeitems=None,
    sign=None,
    floatmode=None,
    suffix="",
    legacy=None,
):
    """Return the text of an array's values in a form chosen by the caller.

    Parameters
    ----------
    a : array_like
        For a long array on a GPU, only the elements that are shown are copied.
    max_line_width, precision : int, optional
    suppress_small : bool, optional
        Whether numbers close to zero are shown as zero.
    separator, prefix, suffix : str
        The separator of elements, and texts around the result, whose lengths count for wrapping.
    formatter : dict of callable, optional
        Formatting functions by kind of type.
    threshold, edgeitems : int, optional
        The number of elements from which the array is summarized, and the number shown at each end.
    sign, floatmode, legacy
        As NumPy's.

    Returns
    -------
    str

    See Also
    --------
    numpy.array2string

    Examples
    --------
    >>> import cuarray as ca
    >>> ca.array2string(ca.arange(2000), separator=",", edgeitems=2)
    '[   0,   1,...,1998,1999]'
    """
    limits = {"threshold": threshold, "edgeitems": edgeitems}
    form = {"formatter": formatter, "sign": sign, "floatmode": floatmode, "suffix": suffix, "legacy": legacy}
    settings = [number(x) for x in (max_line_width, precision, suppress_small, separator, prefix)]
    with np.printoptions(**{name: limit for name, limit in limits.items() if limit is not None}):
        return host_text(as_array(a), lambda host: np.array2string(host, *settings, **form))


def number(x):
    """Return a 0-d array as a NumPy scalar, whose type determines the digits; others as copies."""
    return x.to_numpy()[()] if isinstance(x, ndarray) else x


@under_its_name
def format_float_positional(
    x,
    precision=None,
    unique=True,
    fractional=True,
    trim="k",
    sign=False,
    pad_left=None,
    pad_right=None,
    min_digits=None,
):
    """Return a number as text without an exponent.

    Parameters
    ----------
    x : number or ndarray
        An array must be 0-d.
    precision, min_digits : int, optional
        The most and the fewest digits.
    unique : bool
        Whether to use the fewest digits that identify the number uniquely in its type.
    fractional : bool
        Whether `precision` counts digits after the decimal point.
    trim : {'k', '.', '0', '-'}
        Which trailing zeros are kept.
    sign : bool
        Whether positive numbers get a sign.
    pad_left, pad_right : int, optional
        The width before and after the decimal point.

    Returns
    -------
    str

    See Also
    --------
    numpy.format_float_positional

    Examples
    --------
    >>> import cuarray as ca
    >>> ca.format_float_positional(ca.asarray(1e-5, dtype="f4"))
    '0.00001'
    """
    return np.format_float_positional(
        number(x), precision, unique, fractional, trim, sign, pad_left, pad_right, min_digits
    )


@under_its_name
def format_float_scientific(
    x, precision=None, unique=True, trim="k", sign=False, pad_left=None, exp_digits=None, min_digits=None
):
    """Return a number as text with an exponent.

    Parameters
    ----------
    x : number or ndarray
        An array must be 0-d.
    precision, min_digits : int, optional
        The most and the fewest digits.
    unique : bool
        Whether to use the fewest digits that identify the number uniquely in its type.
    trim : {'k', '.', '0', '-'}
        Which trailing zeros are kept.
    sign : bool
        Whether positive numbers get a sign.
    pad_left : int, optional
        The width before the decimal point.
    exp_digits : int, optional
        The minimum number of digits of the exponent.

    Returns
    -------
    str

    See Also
    --------
    numpy.format_float_scientific

    Examples
    --------
    >>> import cuarray as ca
    >>> ca.format_float_scientific(ca.asarray(0.1, dtype="f4"))
    '1.e-01'
    """
    return np.format_float_scientific(number(x), precision, unique, trim, sign, pad_left, exp_digits, min_digits)
