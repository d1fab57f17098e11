"""Subscript objects that make grids, joined arrays and keys; and iterators over elements of arrays."""

import math
from collections.abc import Callable
from typing import Any, Self

import numpy as np

from cuarray import _core
from cuarray._arguments.functions import (
    arange,
    broadcast_arrays,
    broadcast_shapes,
    column_stack,
    concat,
    empty,
    full,
    indices,
    linspace,
)
from cuarray._arguments.operands import WEAK, arrays_and_numbers, as_arrays, device_of
from cuarray._core import ndarray
from cuarray._functions.creation import as_array

__all__ = ["broadcast", "c_", "index_exp", "mgrid", "ndenumerate", "ndindex", "ogrid", "r_", "s_"]

# Keys and shapes do not involve arrays.
index_exp = np.index_exp
ndindex = np.ndindex
s_ = np.s_


class Grid:
    """Coordinate grids on the current device, made by slices in brackets.

    ``mgrid[0:3, 0:1:5j]`` is one array of the coordinates of all points; ``ogrid[...]`` is one array per
    axis, which broadcast. An imaginary step is the number of points, including the end.

    See Also
    --------
    numpy.mgrid, numpy.ogrid

    Examples
    --------
    >>> import cuarray as ca
    >>> ca.mgrid[0:2, 0:3]
    array([[[0, 0, 0],
            [1, 1, 1]],
           [[0, 1, 2],
            [0, 1, 2]]])
    >>> ca.ogrid[0:2, 0:3]
    (array([[0],
           [1]]), array([[0, 1, 2]]))
    """

    def __init__(self, is_open: bool) -> None:
        self.is_open = is_open

    def __getitem__(self, key: slice | tuple[slice, ...]) -> Any:
        for entry in key if isinstance(key, tuple) else (key,):
            if not isinstance(entry, slice):
                name = "ogrid" if self.is_open else "mgrid"
                raise AttributeError(f"{name}: takes slices, not {type(entry).__name__}")
        if key and isinstance(key, tuple) and all(map(has_plain_ends, key)):
            starts = [entry.start or 0 for entry in key]
            grids = indices([entry.stop - start for entry, start in zip(key, starts, strict=True)], sparse=self.is_open)
            for grid, start in zip(grids, starts, strict=True):
                if start:
                    grid += start
            return grids
        axes = np.ogrid[tuple(map(with_numbers, key)) if isinstance(key, tuple) else with_numbers(key)]
        if isinstance(axes, np.ndarray):
            return as_array(axes)
        axes = tuple(map(as_array, axes))
        if self.is_open:
            return axes
        dtype = axes[0].dtype if axes else np.int64
        result = empty((len(axes), *broadcast_shapes(*(x.shape for x in axes))), dtype)
        for place, x in enumerate(axes):
            result[place, ...] = x
        return result


def has_plain_ends(entry):
    """Tell whether a slice has a step of one and ascends from a Python int, or none, to another."""
    start = 0 if entry.start is None else entry.start
    return entry.step is None and type(start) is type(entry.stop) is int and start <= entry.stop


mgrid: Grid = Grid(False)
ogrid: Grid = Grid(True)


class Joiner:
    """Joins arrays, numbers and ranges in brackets along an axis.

    ``r_[...]`` joins along the first axis, ``c_[...]`` as columns. A slice denotes `arange`, or
    `linspace` if its step is an imaginary number of points. A leading string gives, as in NumPy,
    the axis, the minimum number of axes, and which of these the array's own first axis becomes.

    See Also
    --------
    numpy.r_, numpy.c_

    Examples
    --------
    >>> import cuarray as ca
    >>> ca.r_[ca.asarray([1, 2]), 0, 5:8]
    array([1, 2, 0, 5, 6, 7])
    >>> ca.c_[ca.asarray([1, 2, 3]), ca.asarray([4, 5, 6])]
    array([[1, 4],
           [2, 5],
           [3, 6]])
    """

    def __init__(self, join: Callable[..., ndarray], axis: int = 0, least: int = 1, first: int = -1) -> None:
        self.join = join
        self.settings: tuple[int, ...] = (axis, least, first)

    def __getitem__(self, key: Any) -> ndarray:
        key = key if isinstance(key, tuple) else (key,)
        if key and all(type(x) is ndarray and x.ndim == 1 for x in key):
            return self.join(key)  # most calls, in a fifth of the time
        settings = self.settings
        if key and isinstance(key[0], str):
            settings, key = self._read(key[0]), key[1:]
        if any(isinstance(entry, str) for entry in key):
            raise ValueError("r_: special directives must be the first entry")
        axis, least, first = settings
        device, others = device_of(*key), [x for x in key if not isinstance(x, slice)]
        arrays = iter(arrays_and_numbers("r_", *others))
        key = [x if isinstance(x, slice) else next(arrays) for x in key]
        # Python numbers do not determine the precision of the result.
        entries = [x if type(x) in WEAK else part(x, device, least, first) for x in key]
        dtype = _core.result_type(*entries) if entries else None
        parts = [full((1,) * least, x, dtype, device=device) if type(x) in WEAK else x for x in entries]
        return concat(parts, axis, dtype=dtype)

    def _read(self, text: str) -> tuple[int, ...]:
        """Parse the settings of a string: "axis", "axis,least" or "axis,least,first"."""
        try:
            numbers = [int(word) for word in text.split(",")]
            given = dict(enumerate(numbers))
        except ValueError as error:
            matrix = "; there are no matrices, use 2-d arrays" if text in ("r", "c") else ""
            raise ValueError(f"r_: unknown special directive {text!r}{matrix}") from error
        if len(numbers) > 3:
            raise ValueError(f"r_: unknown special directive {text!r}")
        return tuple(given.get(i, setting) for i, setting in enumerate(self.settings))


def with_numbers(entry):
    """Return a slice with NumPy's scalars in place of 0-d results: an imaginary step is a number of points."""
    ends = (entry.start, entry.stop, entry.step)
    start, stop, step = (x.numpy()[()] if _core.is_value(x) else x for x in ends)
    return slice(start, stop, step)


def part(entry, device, least, first):
    """Return one entry of a Joiner's brackets as an array of at least `least` axes."""
    if isinstance(entry, slice):
        entry = with_numbers(entry)
        start, step = 0 if entry.start is None else entry.start, 1 if entry.step is None else entry.step
        if isinstance(step, complex | np.complexfloating):
            x = linspace(start, entry.stop, int(abs(step)), device=device)
        else:
            x = arange(start, entry.stop, step, device=device)
    else:
        x = entry
    more = least - x.ndim
    if more <= 0:
        return x
    if x.ndim == 0:
        return x.reshape((1,) * least)
    before = first if first >= 0 else max(more + 1 + first, 0)
    if before > more:
        raise ValueError(f"r_: the first axis cannot become number {first} of {least}")
    return x.reshape((1,) * before + x.shape + (1,) * (more - before))


r_: Joiner = Joiner(concat)
c_: Joiner = Joiner(column_stack, -1, 2, 0)


class broadcast:
    """Iterator over the elements of arrays at their common shape.

    Parameters
    ----------
    *arrays : array_like
        Of shapes that broadcast.

    Attributes
    ----------
    shape : tuple of int
    size, ndim, nd, numiter : int
        The number of elements, axes, axes (again), and arrays.
    index : int
        The number of tuples of elements taken so far.
    iters : tuple
        The arrays' own iterators.

    Raises
    ------
    ValueError
        If the shapes do not broadcast.

    See Also
    --------
    numpy.broadcast

    Examples
    --------
    >>> import cuarray as ca
    >>> both = ca.broadcast(ca.ones((2, 1)), [1, 2, 3])
    >>> both.shape, both.size
    ((2, 3), 6)
    >>> next(both)
    (np.float64(1.0), np.int64(1))
    """

    shape: tuple[int, ...]
    size: int
    ndim: int
    nd: int
    numiter: int
    index: int
    iters: tuple[Any, ...]

    def __init__(self, *arrays: Any) -> None:
        self.arrays: list[ndarray] = broadcast_arrays(*as_arrays("broadcast", *arrays))
        self.shape = self.arrays[0].shape if arrays else ()
        self.nd = self.ndim = len(self.shape)
        self.size = math.prod(self.shape)
        self.numiter = len(arrays)
        self.reset()

    def reset(self) -> None:
        """Restart at the first elements.

        Examples
        --------
        >>> import cuarray as ca
        >>> both = ca.broadcast([1, 2], 3)
        >>> _ = next(both)
        >>> both.reset()
        >>> both.index
        0
        """
        self.index = 0
        self.iters = tuple(iter(x.flat) for x in self.arrays)

    def __iter__(self) -> Self:
        return self

    def __next__(self) -> tuple[ndarray, ...]:
        if self.index == self.size:
            raise StopIteration
        elements = tuple(map(next, self.iters))
        self.index += 1
        return elements


def ndenumerate(arr):
    """Return an iterator over coordinates and elements of an array, in C order.

    Parameters
    ----------
    arr : array_like

    Returns
    -------
    iterator of tuple
        Pairs of a tuple of int and a 0-d array.

    See Also
    --------
    numpy.ndenumerate

    Examples
    --------
    >>> import cuarray as ca
    >>> list(ca.ndenumerate([[7], [8]]))
    [((0, 0), np.int64(7)), ((1, 0), np.int64(8))]
    """
    arr = as_array(arr)
    return zip(np.ndindex(arr.shape), arr.flat, strict=True)
