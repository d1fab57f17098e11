"""Floating-point errors in programs written for NumPy: settings that are also its own, and filters of warnings."""

import warnings
from typing import Any, Self

import numpy as np

from cuarray._functions import errstate as ours
from cuarray._functions.errstate import CURRENT, DEFAULT, UNCHANGED, WORDS, Settings

#: What NumPy does where nothing has been set.
OF_NUMPY = {kind: "ignore" if kind == "under" else "warn" for kind in WORDS}

#: The functions of `warnings` that are called after a change of the filters, by the version of Python.
NOTICES = ("_filters_mutated", "_filters_mutated_lock_held")


def follow_numpy(given):
    """Ask for nothing, where a program goes back to what NumPy does by default, as by ``seterr(**old)``."""
    if given["all"] is None and all(given[kind] == choice for kind, choice in OF_NUMPY.items()):
        call = CURRENT.get().call
        CURRENT.set(DEFAULT if call is None else Settings(DEFAULT.choices, call))


class errstate(ours.errstate):
    __doc__ = ours.errstate.__doc__

    def __enter__(self) -> Self:
        super().__enter__()
        follow_numpy(self._given)
        given = {key: value for key, value in self._given.items() if value is not UNCHANGED}
        self._of_numpy = np.errstate(**given)
        self._of_numpy.__enter__()
        return self

    def __exit__(self, *exception: Any) -> None:
        self._of_numpy.__exit__(*exception)
        super().__exit__(*exception)


def seterr(
    all: str | None = None,
    divide: str | None = None,
    over: str | None = None,
    under: str | None = None,
    invalid: str | None = None,
) -> Any:
    choices: dict[str, Any] = {"all": all, "divide": divide, "over": over, "under": under, "invalid": invalid}
    ours.seterr(**choices)
    follow_numpy(choices)
    return np.seterr(**choices)


def seterrcall(func: Any) -> Any:
    before = ours.seterrcall(func)
    np.seterrcall(func)
    return before


for function in (seterr, seterrcall):
    function.__doc__ = getattr(ours, function.__name__).__doc__


def filters_of_warnings():
    """Return the filters in force, from Python 3.14 on those of the thread or asynchronous task."""
    return warnings._get_filters() if hasattr(warnings, "_get_filters") else warnings.filters


def are_warnings_wanted():
    """Whether the filters make errors of RuntimeWarnings, or show all of them, so that a program meets each."""
    for action, message, category, module, _ in filters_of_warnings():
        if issubclass(RuntimeWarning, category):
            if action in ("error", "always", "all"):
                return True
            if message is None and module is None:
                return False
    return False


def follow_filters():
    DEFAULT.choose(OF_NUMPY if are_warnings_wanted() else dict.fromkeys(WORDS, "ignore"))


def noticing(notice):
    """Return a function of `warnings` that follows the filters, too."""

    def call():
        notice()
        follow_filters()

    call.notice = notice
    return call


def watch_filters():
    """From now on look for the floating-point errors that NumPy warns about while the filters want such warnings."""
    for name in NOTICES:
        notice = getattr(warnings, name, None)
        if notice and not hasattr(notice, "notice"):
            setattr(warnings, name, noticing(notice))
    follow_filters()


def leave_filters():
    """Undo `watch_filters`."""
    for name in NOTICES:
        if hasattr(getattr(warnings, name, None), "notice"):
            setattr(warnings, name, getattr(warnings, name).notice)
    DEFAULT.choose(dict.fromkeys(WORDS, "ignore"))
