"""Axes as users give them, checked and counted from the front."""

from collections.abc import Iterator, Mapping, Set
from itertools import islice
from operator import index

import numpy as np

from cuarray import _core

#: The most entries that are read of an iterator, which may be endless: more than the axes of an array.
MOST_ENTRIES = 1024


def integer(value, what, function):
    """Return a number as an int; TypeError that names the argument if it is not an integer."""
    try:
        return index(value)
    except TypeError:
        if hasattr(type(value), "__index__") and not hasattr(type(value), "shape"):
            raise  # an error of the object's own
    raise TypeError(f"{_core.called_function(function)}: {what} must be an integer, not {value!r:.80}")


def integer_tuple(values, what, function):
    """Return a number or a sequence of numbers as a tuple of ints."""
    if not has_entries(values) and not isinstance(values, Iterator):
        return (integer(values, what, function),)
    return tuple([integer(value, what, function) for value in bounded(values, what, function)])


def bounded(values, what, function, most=MOST_ENTRIES):
    """Return an iterable itself if it has a length, else its entries; ValueError for more than `most`."""
    if hasattr(values, "__len__"):
        return values
    entries = list(islice(values, most + 1))
    if len(entries) > most:
        raise ValueError(f"{_core.called_function(function)}: {what} has more than {most} entries, and no length")
    return entries


def shape_tuple(values, what, function):
    """Return a shape as a tuple of ints; like NumPy, rejects bools and unordered collections."""
    if type(values) is tuple and set(map(type, values)) <= {int}:
        shape = values
    else:
        is_sequence = has_entries(values) and not isinstance(values, Mapping | Set)
        entries = list(values) if is_sequence else [values]
        if any(isinstance(entry, bool) for entry in entries):
            raise TypeError(f"{_core.called_function(function)}: {what} must hold integers, not {values!r:.80}")
        shape = tuple([integer(entry, what, function) for entry in entries])
    if min(shape, default=0) < 0:
        raise ValueError(f"{_core.called_function(function)}: negative dimensions are not allowed: {shape}")
    return shape


def has_entries(x):
    """Whether an argument is a sequence with a length, not a number or a 0-d array."""
    return hasattr(x, "__len__") and getattr(x, "ndim", 1) != 0


def normalise_axis(axis, of, function):
    """Return the axis of an array, or of a number of axes, as an int in 0..ndim-1; AxisError if out of range.

    The array's ndim is read last, because the conversion of `axis` to an int may resize the array.
    """
    number = integer(axis, "axis", function)
    ndim = of if isinstance(of, int) else of.ndim
    if not -ndim <= number < ndim:
        raise np.exceptions.AxisError(number, ndim, _core.called_function(function))
    return number % ndim


def normalise_axes(axis, of, function):
    """Return an axis, or a sequence of different axes, as a list of ints in 0..ndim-1, in the given order."""
    is_several = np.iterable(axis) and not isinstance(axis, str | bytes)
    ndim = of if isinstance(of, int) else of.ndim
    # One more entry than there are axes repeats one, or is out of range: an endless sequence is not read further.
    numbers = [integer(one, "axis", function) for one in (islice(iter(axis), ndim + 1) if is_several else [axis])]
    axes = [normalise_axis(number, of, function) for number in numbers]
    if len(set(axes)) != len(axes):
        raise ValueError(f"{_core.called_function(function)}: repeated axis in {axis}")
    return axes
