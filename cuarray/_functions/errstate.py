"""NumPy's settings for floating-point warnings, which are accepted and have no effect."""

import contextlib
from typing import Self

__all__ = ["errstate", "geterr", "seterr"]

KINDS = ("divide", "over", "under", "invalid")
CHOICES = ("ignore", "warn", "raise", "call", "print", "log")


def check(settings, function):
    """Raise NumPy's errors for invalid settings."""
    for choice in settings.values():
        if choice is not None and choice not in CHOICES:
            raise ValueError(f"{function}: {choice!r} is none of {', '.join(CHOICES)}")


def geterr():
    """Return the handling of floating-point errors: they are always ignored.

    Returns
    -------
    dict of str

    See Also
    --------
    numpy.geterr

    Examples
    --------
    >>> import cuarray as ca
    >>> ca.geterr()
    {'divide': 'ignore', 'over': 'ignore', 'under': 'ignore', 'invalid': 'ignore'}
    """
    return dict.fromkeys(KINDS, "ignore")


def seterr(all=None, divide=None, over=None, under=None, invalid=None):
    """Accept NumPy's settings for floating-point errors, without effect: devices do not report them.

    Parameters
    ----------
    all, divide, over, under, invalid : str, optional

    Returns
    -------
    dict of str
        As from `geterr`.

    Raises
    ------
    ValueError
        If there is no such setting.

    See Also
    --------
    numpy.seterr

    Examples
    --------
    >>> import cuarray as ca
    >>> ca.seterr(all="raise")["divide"]
    'ignore'
    """
    check({"all": all, "divide": divide, "over": over, "under": under, "invalid": invalid}, "seterr")
    return geterr()


class errstate(contextlib.ContextDecorator):
    """A context manager that accepts NumPy's settings for floating-point errors, without effect.

    Parameters
    ----------
    call : object, optional
    all, divide, over, under, invalid : str, optional

    Raises
    ------
    ValueError
        If there is no such setting.

    See Also
    --------
    numpy.errstate

    Examples
    --------
    >>> import cuarray as ca
    >>> with ca.errstate(divide="ignore"):
    ...     print(1 / ca.asarray(0.0))
    inf
    """

    def __init__(self, *, call=None, all=None, divide=None, over=None, under=None, invalid=None) -> None:
        check({"all": all, "divide": divide, "over": over, "under": under, "invalid": invalid}, "errstate")

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exception: object) -> None:
        return None
