"""Padding of arrays."""

import itertools

import numpy as np

from cuarray import _core
from cuarray._arguments.functions import linspace, median, moveaxis, take
from cuarray._arguments.functions import round as rounded
from cuarray._arguments.operands import WEAK, host_values
from cuarray._arguments.ufuncs import where
from cuarray._functions.creation import as_array
from cuarray._functions.reductions import max, mean, min
from cuarray._runtime.fuse import fused_call

__all__ = ["pad"]

#: The keywords that each mode takes, with their defaults.
KEYWORDS = {
    "constant": {"constant_values": 0},
    "edge": {},
    "empty": {},
    "linear_ramp": {"end_values": 0},
    "maximum": {"stat_length": None},
    "mean": {"stat_length": None},
    "median": {"stat_length": None},
    "minimum": {"stat_length": None},
    "reflect": {"reflect_type": "even"},
    "symmetric": {"reflect_type": "even"},
    "wrap": {},
}


#: Modes whose margins hold constants, or elements as they are.
OF_ELEMENTS = frozenset(("constant", "edge", "empty", "reflect", "symmetric", "wrap"))


def pad(array, pad_width, mode="constant", **kwargs):
    """Pad an array.

    Parameters
    ----------
    array : array_like
    pad_width : int, pair, sequence of pairs, or dict
        The width of the padding before and after each axis; one number applies to all sides, one pair to all
        axes. A dict maps axes to widths.
    mode : str or callable
        The values of the padding. 'constant': `constant_values`; 'edge': the edge elements; 'linear_ramp':
        a linear ramp from there to `end_values`; 'maximum', 'minimum', 'mean' and 'median': that of the
        outermost `stat_length` elements; 'reflect' and 'symmetric': the elements mirrored at the edge element
        or at the border; 'wrap': the elements of the other end; 'empty': undefined.
        A function is called as ``function(slice, widths, axis, kwargs)`` with each 1-d slice along each axis,
        padded with zeros, and modifies it in place.
    **kwargs
        `constant_values`, `end_values` and `stat_length`, given as `pad_width` is; or `reflect_type`, where
        'odd' subtracts the mirrored elements from twice the edge element. For a function, its `kwargs`.

    Returns
    -------
    ndarray
        A new array.

    Raises
    ------
    ValueError
        If the mode is unknown, a keyword does not belong to it, a width is negative, or an empty axis is
        padded in a mode that needs elements.
    TypeError
        If a width is not an integer.

    See Also
    --------
    numpy.pad

    Examples
    --------
    >>> import cuarray as ca
    >>> ca.pad([1, 2, 3], (2, 1), "reflect")
    array([3, 2, 1, 2, 3, 2])
    >>> ca.pad([[1, 2]], ((0, 1), (1, 0)), constant_values=9)
    array([[9, 1, 2],
           [9, 9, 9]])
    """
    a = as_array(array)
    if type(pad_width) is int and pad_width >= 0 and mode in OF_ELEMENTS and not kwargs:
        return _core.pad(a, pad_width, mode, None)
    widths = pad_widths(pad_width, a.ndim)
    if callable(mode):
        result = _core.pad(a, widths, "constant", None)
        call_for_lines(mode, result, widths, kwargs)
        return result
    settings = mode_settings(mode, kwargs)
    if mode == "constant":
        return _core.pad(a, widths, mode, constants(settings["constant_values"], a))
    if mode in OF_ELEMENTS and settings.get("reflect_type") != "odd":
        return _core.pad(a, widths, mode, None)
    return padded_by_parts(a, widths, mode, settings)


def padded_by_parts(a, widths, mode, settings):
    """Return the array with margins that are computed from the elements, one axis after another."""
    for axis, (extent, both) in enumerate(zip(a.shape, widths, strict=True)):
        if extent == 0 and any(both):
            raise ValueError(f"pad: can't extend empty axis {axis} using modes other than 'constant' or 'empty'")
    result = _core.pad(a, widths, "empty", None)
    inside = tuple(slice(before, before + n) for (before, _), n in zip(widths, a.shape, strict=True))
    by_axis = {key: READERS[key](value, a, mode) for key, value in settings.items()}
    for axis, (before, after) in enumerate(widths):
        # Earlier axes are padded already; of later axes only the interior is valid.
        lines = moveaxis(result[(*(slice(None),) * axis, *inside[axis:], ...)], axis, -1)
        whole = moveaxis(result[(*(slice(None),) * (axis + 1), *inside[axis + 1 :], ...)], axis, -1)
        own = {key: values[axis] for key, values in by_axis.items()}
        FILLERS[mode](whole, lines, before, after, mode, **own)
    return result


def pad_widths(given, ndim):
    """Return the widths before and after each axis."""
    if type(given) is int and given >= 0:
        return ((given, given),) * ndim
    if type(given) is tuple:
        if len(given) == ndim and all(type(both) is tuple and are_widths(both) for both in given):
            return given
        if are_widths(given):
            return (given,) * ndim
    if isinstance(given, dict):
        table = [(0, 0)] * ndim
        for axis, width in given.items():
            table[axis] = (width, width) if isinstance(width, int | np.integer) else tuple(width)
        given = table
    given = host_values(given, "pad")
    if given.dtype.kind not in "iu":
        raise TypeError(f"pad: `pad_width` must be of integral type, not {given.dtype}")
    if np.any(given < 0):
        raise ValueError(f"pad: pad_width can't contain negative values: {given.tolist()}")
    return pairs(given, ndim)


def are_widths(both):
    """Tell whether it is a pair of Python's integers that are not negative."""
    return len(both) == 2 and type(both[0]) is type(both[1]) is int and both[0] >= 0 <= both[1]


def pairs(given, ndim):
    """Return a pair for each axis, from one value for all, for each side, or for each side of each axis."""
    if given is None:
        return ((None, None),) * ndim
    given = host_values(given, "pad")
    return tuple(tuple(both) for both in np.broadcast_to(given, (ndim, 2)).tolist())


def mode_settings(mode, given):
    """Return the keywords of a mode; ValueError for keywords of other modes."""
    if mode not in KEYWORDS:
        raise ValueError(f"pad: mode {mode!r} is not supported; there are {', '.join(KEYWORDS)} and functions")
    wrong = sorted(given.keys() - KEYWORDS[mode].keys())
    if wrong:
        raise ValueError(f"pad: unsupported keyword arguments for mode {mode!r}: {', '.join(wrong)}")
    return KEYWORDS[mode] | given


# The keywords, read for all axes: an error does not depend on the widths.


def constants(given, a):
    """Return the numbers of the padding before and after each axis, one for all, or None for zeros."""
    if type(given) in WEAK or given is None:
        return given
    return as_array(np.broadcast_to(host_values(given, "pad").astype(a.dtype), (a.ndim, 2)), "cpu")


def lengths_of_statistics(given, a, mode):
    """Return how many elements before and after each axis count; None: all."""
    if given is None or a.size == 0:
        return [(None, None)] * a.ndim
    lengths = np.rint(host_values(given, "pad")).astype(np.intp)
    if (lengths < 0).any():
        raise ValueError(f"pad: stat_length can't be negative: {lengths.tolist()}")
    if a.ndim and (lengths == 0).any() and mode in ("maximum", "minimum"):
        raise ValueError("pad: stat_length of 0 yields no value for padding")
    return pairs(lengths, a.ndim)


READERS = {
    "end_values": lambda given, a, mode: pairs(given, a.ndim),
    "reflect_type": lambda given, a, mode: [given] * a.ndim,
    "stat_length": lengths_of_statistics,
}


def call_for_lines(function, result, widths, kwargs):
    """Call the user's function for every 1-d slice along every axis."""
    for axis, both in enumerate(widths):
        lines = moveaxis(result, axis, -1)
        for place in itertools.product(*map(range, lines.shape[:-1])):
            function(lines[(*place, slice(None))], both, axis, kwargs)


# The modes: each writes the padding of `whole` along its last axis; `lines` is the interior.


def margins(whole, before, after):
    """Return the sides with padding, as (view, whether it is the first side)."""
    sides = ((whole[..., :before], True), (whole[..., whole.shape[-1] - after :], False))
    return [(margin, first) for margin, first in sides if margin.size]


def fill_ramp(whole, lines, before, after, mode, end_values):
    for margin, first in margins(whole, before, after):
        edge = lines[..., 0 if first else -1]
        line = linspace(
            end_values[not first],
            edge,
            margin.shape[-1],
            False,
            dtype=whole.dtype,
            axis=-1,
            device=whole.device,
        )
        margin[...] = line if first else line[..., ::-1]


def fill_statistic(whole, lines, before, after, mode, stat_length):
    for margin, first in margins(whole, before, after):
        length = stat_length[not first]
        length = lines.shape[-1] if length is None else int(np.minimum(length, lines.shape[-1]))
        chosen = lines[..., :length] if first else lines[..., lines.shape[-1] - length :]
        value = statistic(mode)(chosen, axis=-1, keepdims=True)
        margin[...] = (rounded(value) if whole.dtype.kind in "iu" else value).astype(whole.dtype)


def statistic(mode):
    return {"maximum": max, "mean": mean, "median": median, "minimum": min}[mode]


def fill_odd(whole, lines, before, after, mode, reflect_type):
    """Reflect the slices at their end points, repeatedly.

    The values repeat after `turn` elements (two reflections), raised by twice the difference of the ends.
    """
    if whole.dtype.kind == "b":
        raise TypeError("pad: reflect_type='odd' calculates, which bools do not; pad x.astype('i1')")
    extent = lines.shape[-1]
    if extent == 1:  # nothing to mirror
        for margin, _ in margins(whole, before, after):
            margin[...] = lines
        return
    gap = mode == "symmetric"
    turn = 2 * (extent - 1 + gap)
    step, place = np.divmod(np.arange(-before, extent + after), turn)
    upside_down = place >= extent
    source = np.where(upside_down, turn - gap - place, place)
    low, high = lines[..., :1], lines[..., -1:]
    for margin, first in margins(whole, before, after):
        part = slice(0, before) if first else slice(before + extent, None)
        own = [as_array(x[part], whole.device) for x in (source, upside_down, step)]
        taken = take(lines, own[0], lines.ndim - 1)
        with fused_call():
            mirrored = where(own[1], 2 * high - taken, taken)
            margin[...] = mirrored + (2 * own[2]).astype(whole.dtype) * (high - low)


FILLERS = {
    "linear_ramp": fill_ramp,
    "maximum": fill_statistic,
    "mean": fill_statistic,
    "median": fill_statistic,
    "minimum": fill_statistic,
    "reflect": fill_odd,
    "symmetric": fill_odd,
}
