"""NumPy's settings for floating-point errors, which nobody looks for unless a program asks."""

import contextlib
import sys
from contextvars import ContextVar, Token
from typing import Any, Self

import numpy as np

from cuarray import _core
from cuarray._runtime.frames import warn_program

__all__ = ["errstate", "geterr", "geterrcall", "seterr", "seterrcall"]

#: The kinds of errors and NumPy's words for them, in the order of the bits of an error.
WORDS = {"divide": "divide by zero", "over": "overflow", "under": "underflow", "invalid": "invalid value"}
CHOICES = ("ignore", "warn", "raise", "call", "print", "log")
UNCHANGED = object()


class Settings:
    """What happens at each kind of error; while one that asks for any is alive, errors are looked for."""

    __slots__ = ("asks", "call", "choices")

    def __init__(self, choices, call):
        self.asks, self.call = False, call
        self.choose(choices)

    def choose(self, choices):
        """Set the choice for each kind of error."""
        asks = any(choice != "ignore" for choice in choices.values())
        if asks != self.asks:
            _core.want_floating_errors(asks)
        self.asks, self.choices = asks, choices

    def __del__(self, want=_core.want_floating_errors):
        if self.asks:
            want(False)

    def changed(self, function, call=UNCHANGED, all=None, **choices):
        """Return other settings; ValueError if there is no such choice."""
        check_choices(function, all, *choices.values())
        kept = self.choices if all is None else dict.fromkeys(WORDS, all)
        return Settings(
            kept | {kind: choice for kind, choice in choices.items() if choice is not None},
            self.call if call is UNCHANGED else check_call(call, function),
        )


def check_choices(function, *choices):
    """Raise ValueError if one of the choices is neither None nor one of NumPy's."""
    for choice in choices:
        if choice is not None and choice not in CHOICES:
            raise ValueError(f"{function}: {choice!r} is none of {', '.join(CHOICES)}")


def check_call(call, function):
    """Return a valid argument of seterrcall; TypeError for others."""
    if call is not None and not callable(call) and not callable(getattr(call, "write", None)):
        raise TypeError(f"{function}: a function, an object with write() or None is needed, not {call!r}")
    return call


#: Where nothing has been set.
DEFAULT = Settings(dict.fromkeys(WORDS, "ignore"), None)
CURRENT = ContextVar("cuarray.errstate", default=DEFAULT)


def handle(errors, function):
    """Do what the settings say at errors that a function has met; called after the results have been written."""
    # An exception that is kept keeps this frame: it must not hold the settings, which would go on asking.
    choices, to_call = CURRENT.get().choices, CURRENT.get().call
    name = getattr(getattr(np, function, None), "__name__", function)
    for bit, (kind, words) in enumerate(WORDS.items()):
        choice = choices[kind]
        if not errors >> bit & 1 or choice == "ignore":
            continue
        text = f"{words} encountered in {name}"
        if choice == "raise":
            raise FloatingPointError(text)
        if choice == "warn":
            warn_program(text, RuntimeWarning)
        elif choice == "print":
            sys.stderr.write(f"Warning: {text}\n")
        elif to_call is None:
            raise NameError(f"{choice} specified for {words} (in {name}) but no function or object was set")
        elif choice == "call":
            to_call(words, errors)
        else:
            to_call.write(f"Warning: {text}\n")


_core.set_floating_error_handler(handle)


def geterr():
    """Return what happens at floating-point errors.

    Returns
    -------
    dict of str
        The choice for each kind of error: ``'ignore'``, the default of all, or as set by `seterr` or `errstate`.

    See Also
    --------
    numpy.geterr

    Examples
    --------
    >>> import cuarray as ca
    >>> ca.geterr()
    {'divide': 'ignore', 'over': 'ignore', 'under': 'ignore', 'invalid': 'ignore'}
    """
    return dict(CURRENT.get().choices)


def seterr(all=None, divide=None, over=None, under=None, invalid=None):
    """Set what happens at floating-point errors, in this thread or asynchronous task.

    Parameters
    ----------
    all, divide, over, under, invalid : str, optional
        ``'ignore'``, ``'warn'``, ``'raise'``, ``'call'``, ``'print'`` or ``'log'``: nothing, a
        ``RuntimeWarning``, a ``FloatingPointError``, a call of the function of `seterrcall`, a line on
        ``sys.stderr``, or one to the object of `seterrcall`. The default leaves the choice as it is.

    Returns
    -------
    dict of str
        The settings before, as from `geterr`.

    Raises
    ------
    ValueError
        If there is no such setting.

    Notes
    -----
    While any thread asks for errors, each task looks at its operands and results on the host, which takes several
    times its own time, computations are not deferred, and a GPU is waited for. Errors are those of IEEE 754, decided
    from operands and results. Tasks that a graph captures do not report them.

    See Also
    --------
    numpy.seterr

    Examples
    --------
    >>> import cuarray as ca
    >>> before = ca.seterr(divide="raise")
    >>> ca.asarray([1.0]) / 0
    Traceback (most recent call last):
        ...
    FloatingPointError: divide by zero encountered in divide
    >>> ca.seterr(**before)["divide"]
    'raise'
    """
    before = geterr()
    changes = {"divide": divide, "over": over, "under": under, "invalid": invalid}
    CURRENT.set(CURRENT.get().changed("seterr", all=all, **changes))
    return before


def geterrcall():
    """Return the function or object of `seterrcall`.

    Returns
    -------
    object
        None if there is none.

    See Also
    --------
    numpy.geterrcall

    Examples
    --------
    >>> import cuarray as ca
    >>> ca.geterrcall() is None
    True
    """
    return CURRENT.get().call


def seterrcall(func):
    """Set the function that ``'call'`` calls at floating-point errors, or the object that ``'log'`` writes to.

    Parameters
    ----------
    func : object
        Called with NumPy's word for the error and a sum of 1 for a division by zero, 2 for an overflow, 4 for an
        underflow and 8 for an invalid value; or written to, one line for each.

    Returns
    -------
    object
        What was set before.

    Raises
    ------
    ValueError
        If it is neither.

    See Also
    --------
    numpy.seterrcall

    Examples
    --------
    >>> import cuarray as ca
    >>> before = ca.seterrcall(lambda error, sum: print(error, sum))
    >>> with ca.errstate(over="call"):
    ...     y = ca.exp(ca.asarray([1000.0]))
    overflow 2
    >>> function = ca.seterrcall(before)
    """
    before = geterrcall()
    CURRENT.set(CURRENT.get().changed("seterrcall", call=func))
    return before


class errstate(contextlib.ContextDecorator):
    """A context manager or decorator that sets what happens at floating-point errors.

    Parameters
    ----------
    call : object, optional
        As for `seterrcall`.
    all, divide, over, under, invalid : str, optional
        As for `seterr`.

    Raises
    ------
    ValueError
        If there is no such setting.
    TypeError
        If it is entered twice.

    See Also
    --------
    numpy.errstate

    Examples
    --------
    >>> import cuarray as ca
    >>> with ca.errstate(invalid="raise"):
    ...     ca.sqrt(ca.asarray([4.0, -1.0]))
    Traceback (most recent call last):
        ...
    FloatingPointError: invalid value encountered in sqrt
    """

    def __init__(
        self,
        *,
        call: Any = UNCHANGED,
        all: str | None = None,
        divide: str | None = None,
        over: str | None = None,
        under: str | None = None,
        invalid: str | None = None,
    ) -> None:
        choices = {"all": all, "divide": divide, "over": over, "under": under, "invalid": invalid}
        self._given = {"call": call, **choices}
        self._token: Token[Settings] | None = None
        check_choices("errstate", all, divide, over, under, invalid)
        if call is not UNCHANGED:
            check_call(call, "errstate")

    def _recreate_cm(self) -> Self:  # for each call of a decorated function
        return type(self)(**self._given)

    def __enter__(self) -> Self:
        if self._token is not None:
            raise TypeError("errstate: entered twice")
        self._token = CURRENT.set(CURRENT.get().changed("errstate", **self._given))
        return self

    def __exit__(self, *exception: object) -> None:
        if self._token is not None:
            CURRENT.reset(self._token)
        self._token = None
