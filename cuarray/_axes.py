"""Axes as users give them, checked and counted from the front."""

from operator import index

import numpy as np

from cuarray import _core


def normalise_axis(axis, ndim, function):
    """Return the axis as an int in 0..ndim-1; AxisError if it lies outside."""
    number = index(axis)
    if not -ndim <= number < ndim:
        raise np.exceptions.AxisError(number, ndim, _core.called_function(function))
    return number % ndim


def normalise_axes(axis, ndim, function):
    """Return an axis, or a sequence of different axes, as a list of ints in 0..ndim-1, in the given order."""
    axes = [normalise_axis(one, ndim, function) for one in (axis if np.iterable(axis) else [axis])]
    if len(set(axes)) != len(axes):
        raise ValueError(f"{_core.called_function(function)}: repeated axis in {axis}")
    return axes
