"""Answers to NumPy's functions: which function of cuarray stands for which one of NumPy's."""

import functools

import numpy as np

import cuarray
from cuarray._core import ndarray


@functools.cache
def table():
    """Return {NumPy's function: ours} for every public name that both have and that NumPy lets others answer."""
    return {
        theirs: getattr(cuarray, name)
        for name in cuarray.__all__
        if is_overridable(theirs := getattr(np, name, None)) and callable(getattr(cuarray, name))
    }


def is_overridable(function):
    """Tell whether NumPy asks `__array_function__` for this function: those are the ones it has wrapped."""
    return callable(function) and not isinstance(function, type) and hasattr(function, "_implementation")


def dispatch(array, function, types, args, kwargs):
    """Answer a call of one of NumPy's functions with an array of ours among its arguments.

    Parameters
    ----------
    array : ndarray
        The one that NumPy asked.
    function : callable
        NumPy's function.
    types : collection of type
        The types of the arguments that have an `__array_function__`.
    args, kwargs
        The arguments.

    Returns
    -------
    object
        The result, or NotImplemented for a function that is missing here or arguments of a third library; NumPy then
        raises TypeError.
    """
    if not all(issubclass(t, ndarray | np.ndarray) for t in types):
        return NotImplemented
    if is_overridable(function):
        ours = table().get(function)
        return NotImplemented if ours is None else ours(*args, **kwargs)
    # The other functions, which make arrays, come here only with like=.
    ours = getattr(cuarray, function.__name__, None)
    return NotImplemented if ours is None else ours(*args, **{"device": array.device, **kwargs})
