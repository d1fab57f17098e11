"""Integers between arrays, and choices by probabilities, on every device."""

import numpy as np

from cuarray import _core
from cuarray._arguments.ufuncs import maximum, where
from cuarray._core import ndarray
from cuarray._functions.creation import as_array
from cuarray._random.each import spread
from cuarray._random.rows import read
from cuarray._random.transforms import DRAWS, REAL, as_parameter, count_of, shape_of


def integers_between(source, low, high, size, dtype, endpoint, function):
    """Return integers of ranges that are arrays; None where NumPy shall judge them."""
    dtype = np.dtype(dtype)
    if dtype.kind not in "biu" or not dtype.isnative:
        return None
    if high is None:
        low, high = 0, low
    device, ends = read(source, function, low=(low, REAL), high=(high, REAL))
    if ends is None:
        return None
    low, high = (as_integers(x, name, function) for name, x in (("low", ends[0]), ("high", ends[1])))
    behind = 0 if endpoint else 1  # the end is not in the range
    check_ends(low, high, dtype, behind, function)
    low = low.astype(np.uint64)  # all that follows is modulo 2**64
    most = as_array(high.astype(np.uint64) - low - np.uint64(behind), device)
    shape = shape_of(function, size, [low, high])
    bits = spread(most, shape or ()).view(np.float64)
    drawn = source._draws_for(device)[2](DRAWS["integer_each"], function, np.int64, shape or (), bits)
    drawn = (drawn.view(np.uint64) + as_array(low, drawn.device)).astype(dtype)
    return _core.as_value(drawn) if shape is None else drawn


def as_integers(x, name, function):
    """Return an end of ranges as integers: floats without their fractions, as NumPy does."""
    if x.dtype.kind != "f":
        return x
    if x.size and not abs(x).max() < 2**63:
        raise ValueError(f"{function}: {name} has numbers that int64 has not")
    return x.astype(np.int64)


def check_ends(low, high, dtype, behind, function):
    """Raise ValueError, as NumPy, for ends of ranges that are no numbers of a type, or in the wrong order."""
    least, most = (0, 1) if dtype.kind == "b" else (np.iinfo(dtype).min, np.iinfo(dtype).max)
    first, last = int(low.min()) if low.size else least, int(high.max()) if high.size else most
    if first < least:
        raise ValueError(f"{function}: low is out of bounds for {dtype}: {first}")
    if last > int(most) + behind:
        raise ValueError(f"{function}: high is out of bounds for {dtype}: {last}")
    if (low >= high if behind else low > high).any():
        numbers = f", {first} and {last}" if low.ndim == high.ndim == 0 else ""
        raise ValueError(f"{function}: low {'>=' if behind else '>'} high{numbers}")


def indices_by(p, source, n, size, replace):
    """Return indices of n entries with probabilities, drawn on the device of these; with replacement NumPy's."""
    if not isinstance(p, ndarray):
        _core.refuse_to_strip(p, "choice")
        p = np.asarray(p)
    if p.ndim != 1 or p.size != n:
        raise ValueError(f"choice: a has {n} entries, and p shape {p.shape}")
    close = max(np.finfo(p.dtype).eps if p.dtype.kind == "f" else 0, 2.0**-52) ** 0.5
    p = as_parameter(p, "choice", source._device)
    total, count = p.sum().item(), count_of(size)
    if not total >= 0 or (n and p.min() < 0):
        raise ValueError("choice: p has numbers that are negative or NaN")
    if abs(total - 1) > close and n:
        raise ValueError(f"choice: the sum of p is {total}; 1 expected")
    draw = source._draws_for(p.device)[0]
    if replace:
        before = maximum.accumulate(p.cumsum())
        u = draw(DRAWS["uniform_double"], "choice", None, size, None)
        return (before / before[-1:]).searchsorted(u, side="right")

    # The times of events that are as frequent as p says: the first ones are a sample.
    if count > n:
        raise ValueError(f"choice: a sample of {count} of {n} entries without replacement")
    if count > np.count_nonzero(p).item():
        raise ValueError(f"choice: p has fewer numbers that are not 0 than the sample of {count} needs")
    times = draw(DRAWS["exponential_double"], "choice", None, (n,), None)
    order = where(p > 0, times / where(p > 0, p, 1.0), np.inf).argsort()
    return order[0] if size is None else order[:count].reshape(size)
