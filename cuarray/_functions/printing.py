"""Texts of arrays and of numbers, by NumPy's settings."""

import numpy as np

from cuarray._arguments.operands import under_its_name
from cuarray._core import ndarray
from cuarray._functions.array_text import host_text, ndarray_repr, ndarray_str
from cuarray._functions.creation import as_array

__all__ = [
    "array2string", "array_repr", "array_str", "base_repr", "binary_repr", "format_float_positional",
    "format_float_scientific", "get_printoptions", "printoptions", "set_printoptions",
]  # fmt: skip

# The settings are NumPy's, and so are the texts of Python's integers.
base_repr = np.base_repr
binary_repr = np.binary_repr
get_printoptions = np.get_printoptions
printoptions = np.printoptions
set_printoptions = np.set_printoptions


@under_its_name
def array_repr(arr, max_line_width=None, precision=None, suppress_small=None):
    """Return the text that shows an array with its type.

    Parameters
    ----------
    arr : array_like
    max_line_width, precision : int, optional
    suppress_small : bool, optional
        Whether numbers next to zero are shown as zero.

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
    """Return the text that shows the values of an array.

    Parameters
    ----------
    a : array_like
    max_line_width, precision : int, optional
    suppress_small : bool, optional
        Whether numbers next to zero are shown as zero.

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
    """Return NumPy's text by these settings, or our own where all are left alone."""
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
        Of a long one on a GPU, only the elements that are shown are fetched.
    max_line_width, precision : int, optional
    suppress_small : bool, optional
        Whether numbers next to zero are shown as zero.
    separator, prefix, suffix : str
        What stands between elements, and the length of what will stand around the text.
    formatter : dict of callable, optional
        By kind of type.
    threshold, edgeitems : int, optional
        From how many elements on the middle is left out, and how many are shown at each end.
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
    """Return a 0-d array as NumPy's scalar, whose type tells the digits; others as copies."""
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
        An array has no axes.
    precision, min_digits : int, optional
        The most and the fewest digits.
    unique : bool
        Whether as few digits are shown as tell the number from all others of its type.
    fractional : bool
        Whether digits are counted after the point.
    trim : {'k', '.', '0', '-'}
        Which zeros at the end stay.
    sign : bool
        Whether positive numbers get a sign.
    pad_left, pad_right : int, optional
        The width before and after the point.

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
        An array has no axes.
    precision, min_digits : int, optional
        The most and the fewest digits.
    unique : bool
        Whether as few digits are shown as tell the number from all others of its type.
    trim : {'k', '.', '0', '-'}
        Which zeros at the end stay.
    sign : bool
        Whether positive numbers get a sign.
    pad_left : int, optional
        The width before the point.
    exp_digits : int, optional
        The fewest digits of the exponent.

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
    return np.format_float_scientific(
        number(x), precision, unique, trim, sign, pad_left, exp_digits, min_digits
    )
