"""Distributions whose numbers are drawn one by one, with arrays of parameters, on every device."""

from typing import NamedTuple

import numpy as np

from cuarray import _core
from cuarray._arguments.functions import broadcast_to
from cuarray._arguments.operands import is_on_host
from cuarray._arguments.ufuncs import sqrt
from cuarray._core import ndarray
from cuarray._random.transforms import (
    DRAWS,
    array_of,
    as_numbers,
    as_parameter,
    count_of,
    device_of,
    evaluated,
    has_axes,
    require_one_device,
    shape_of,
)

#: The methods of kernel/distributions.h, and the dtype of their numbers. Rows of random_draws.def end in _each.
EACH = dict.fromkeys(
    ("beta", "chisquare", "f", "gamma", "noncentral_chisquare", "noncentral_f", "standard_t", "vonmises", "wald"),
    "float64",
)
EACH |= dict.fromkeys(
    ("binomial", "geometric", "hypergeometric", "logseries", "negative_binomial", "poisson", "zipf"), "int64"
)

#: The rows for parameters that are numbers, where there are others.
OF_NUMBERS = {name: name for name in ("binomial", "chisquare", "geometric", "poisson", "wald")}
OF_NUMBERS |= {"gamma": "gamma_double", "normal": "normal_double"}


class Composite(NamedTuple):
    """A distribution that is made of others.

    `takes` tells whether it is, for parameters; otherwise the row of EACH draws. `parts` returns the others with their
    parameters, and `formula` is the function of their numbers and of the parameters.
    """

    takes: object
    parts: object
    formula: object


def are_from(least, *parameters):
    """Whether parameters, numbers or arrays, are not below a number."""
    return all(x >= least if type(x) is float or type(x) is int else bool(np.all(x >= least)) for x in parameters)


def are_usual(*parameters):
    """Whether gamma numbers for these parameters are not 0, so that quotients are defined."""
    return are_from(0.1, *parameters)


def always(*parameters):
    return True


def student(z, x, df):
    return z / sqrt(x * (1 / df))


def noncentral(x, z, df, nonc):
    shifted = z + nonc**0.5
    return x + shifted * shifted


#: By method.
COMPOSITES = {
    "beta": Composite(are_usual, lambda a, b: (("gamma", a, 1.0), ("gamma", b, 1.0)), lambda x, y, a, b: x / (x + y)),
    "chisquare": Composite(always, lambda df: (("gamma", 0.5 * df, 2.0),), lambda x, df: x),
    "f": Composite(
        are_usual,
        lambda dfnum, dfden: (("gamma", 0.5 * dfnum, 2.0), ("gamma", 0.5 * dfden, 2.0)),
        lambda x, y, dfnum, dfden: (x * dfden) / (y * dfnum),
    ),
    "negative_binomial": Composite(always, lambda n, p: (("gamma", n, (1 - p) / p),), None),
    "noncentral_chisquare": Composite(
        lambda df, nonc: are_from(1.001, df),
        lambda df, nonc: (("gamma", 0.5 * (df - 1), 2.0), ("normal",)),
        noncentral,
    ),
    "noncentral_f": Composite(
        always,
        lambda dfnum, dfden, nonc: (("noncentral_chisquare", dfnum, nonc), ("gamma", 0.5 * dfden, 2.0)),
        lambda x, y, dfnum, dfden, nonc: (x * dfden) / (y * dfnum),
    ),
    "standard_gamma": Composite(always, lambda shape: (("gamma", shape, 1.0),), lambda x, shape: x),
    "standard_t": Composite(are_usual, lambda df: (("normal",), ("gamma", 0.5 * df, 2.0)), student),
}

PLAIN = frozenset([int, float])

#: Parameters below this are drawn by kernels: for others, infinities and NaN, NumPy draws.
MOST = 1e18

#: The same for the numbers of trials of binomial, which must be exact in float64.
MOST_TRIALS = 2**53


def drawn_each(source, name, size, parameters):
    """Return what a method of EACH or COMPOSITES draws, on the device of its parameters; None where NumPy must draw."""
    device = device_of(source, parameters)
    if are_plain(parameters) or not any(map(has_axes, parameters)):
        numbers = as_counts(parameters)
        if numbers is None or (name in COMPOSITES and not is_good(source, name, numbers)):
            return None
        return part(source, name, name, device, size, numbers)
    parameters = [as_given(x, device, name) for x in parameters]
    seen = judge(source, name, parameters)
    most = MOST_TRIALS if name == "binomial" else MOST
    if not all((abs(x) < most).all() if isinstance(x, np.ndarray) else abs(x) < most for x in seen):
        return None
    values = [as_parameter(x, name, device) for x in parameters]
    require_one_device(name, values)
    return part(source, name, name, device, shape_of(name, size, values), values)


def are_plain(parameters):
    """Whether parameters are numbers of Python."""
    return PLAIN.issuperset(map(type, parameters))


def is_good(source, name, numbers):
    """Whether parameters that are numbers are in the domain of a method of COMPOSITES."""
    if name != "negative_binomial" and all(0.1 <= x < MOST for x in numbers):
        return True
    try:
        source._numpys(name, *numbers, size=0)
    except (TypeError, ValueError):
        return False
    return all(abs(x) < MOST for x in numbers)


def part(source, function, name, device, shape, values):
    """Return numbers for parameters, of a shape, or a value if there is none; None for numbers out of the domain."""
    are_few = f"{name}_each" in DRAWS and has_arrays(values) and count_of(shape) <= _core.few_numbers
    if name in COMPOSITES and not are_few and COMPOSITES[name].takes(*values):
        row = COMPOSITES[name]
        drawn = [part(source, function, one, device, shape, p) for one, *p in row.parts(*values)]
        if name == "negative_binomial":
            return part(source, function, "poisson", device, shape, drawn)
        return evaluated(row.formula, shape, drawn, values)
    draw_floats, _, draw_each, *_ = source._draws_for(device)
    if not has_arrays(values):
        for row in (OF_NUMBERS.get(name), f"{name}_each"):
            drawn = row and draw_floats(DRAWS[row], function, EACH.get(name), shape, None, *values)
            if drawn is not None:
                return drawn
        return None
    shape_drawn = shape or ()
    values = [spread(x, shape_drawn) if isinstance(x, ndarray) else float(x) for x in values]
    drawn = draw_each(DRAWS[f"{name}_each"], function, EACH[name], shape_drawn, *values)
    return drawn if shape is not None else _core.as_value(drawn)


def has_arrays(values):
    """Whether one of the parameters is an array."""
    return any(isinstance(x, ndarray) for x in values)


def spread(x, shape):
    """Return an array of parameters, one for each number."""
    return broadcast_to(x, shape).copy("C")


def as_given(x, device, name):
    """Return a parameter of NumPy's, or a list, as an array where the numbers are drawn; a number as it is."""
    if isinstance(x, ndarray) or not has_axes(x):
        return x
    return array_of(x, device, name)


def as_counts(parameters):
    """Return parameters as Python's numbers, where they are real; None otherwise."""
    if are_plain(parameters):
        return parameters
    numbers = as_numbers(parameters)
    if numbers is None:
        return None
    return [
        int(x) if isinstance(x, int | np.integer) else number for x, number in zip(parameters, numbers, strict=True)
    ]


def judge(source, name, parameters):
    """Let NumPy check the parameters of a method, in a call that draws nothing; return what it saw: see `ends`."""
    seen = [ends(x) for x in parameters]
    are_seen = all(is_seen(x) for x in parameters)
    if name == "hypergeometric" and not are_seen:  # the sum of two is compared with the third
        seen[2] = np.minimum(seen[2], 0)
    shape = np.broadcast_shapes(*[np.shape(x) for x in seen])
    source._numpys(name, *seen, size=(0, *shape))
    if name == "hypergeometric" and not are_seen and np.any(parameters[0] + parameters[1] < parameters[2]):
        raise ValueError("hypergeometric: ngood + nbad < nsample")
    return seen


def is_seen(x):
    """Whether NumPy may look at a parameter."""
    return not isinstance(x, ndarray) or is_on_host(x)


def ends(x):
    """Return what NumPy shall see of a parameter: an array of the host, or the smallest and the largest number."""
    if not isinstance(x, ndarray):
        return x
    if is_on_host(x):
        return x.__array__()
    return np.array([x.min().item(), x.max().item()] if x.size else [], x.dtype)
