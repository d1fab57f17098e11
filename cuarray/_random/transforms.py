"""Distributions that are elementwise functions of another one, with arrays of parameters, on every device."""

import math
from typing import NamedTuple

import numpy as np

from cuarray import _core
from cuarray._arguments.operands import is_on_host
from cuarray._arguments.ufuncs import exp, expm1, sqrt, where
from cuarray._core import ndarray
from cuarray._functions.creation import as_array
from cuarray._runtime.fuse import fuse


class Domain(NamedTuple):
    """Where a parameter must be: whether a number, or any element, is outside, and the words of the error."""

    refuses: object
    words: str


# NumPy's functions take numbers and, by its protocols, arrays of ours.


def is_negative(x):
    """Whether a number, or any element, is negative: as NumPy, with -0.0 and without NaN."""
    if isinstance(x, ndarray) and x.size and x.min() > 0:
        return False
    return np.any(np.signbit(x) & (x == x))


NOT_NEGATIVE = Domain(is_negative, "< 0")
POSITIVE = Domain(lambda x: np.any(x <= 0), "<= 0")


class Transform(NamedTuple):
    """Parameters with their domains, the draw, and the function of its numbers and of the parameters."""

    parameters: dict
    draw: str
    formula: object


def shift(number, loc, scale):
    return loc + scale * number


def triangle(u, left, mode, right):
    base, first, last = right - left, mode - left, right - mode
    return where(u * base <= first, left + sqrt(u * (first * base)), right - sqrt((1 - u) * (last * base)))


def lognormal(z, mean, sigma):
    return exp(mean + sigma * z)


def pareto(e, a):
    return expm1(e / a)


def power(e, a):
    return exp(-e / a)


def weibull(e, a):
    return where(a == 0, 0.0, e ** (1 / where(a == 0, 1.0, a)))


#: By method. Drawn with parameters that are numbers, distributions of this table are kernels of kernel/random.h.
TRANSFORMS = {
    "exponential": Transform({"scale": NOT_NEGATIVE}, "standard_exponential", lambda e, scale: scale * e),
    "gumbel": Transform({"loc": None, "scale": NOT_NEGATIVE}, "gumbel", shift),
    "laplace": Transform({"loc": None, "scale": NOT_NEGATIVE}, "laplace", shift),
    "logistic": Transform({"loc": None, "scale": NOT_NEGATIVE}, "logistic", shift),
    "lognormal": Transform({"mean": None, "sigma": NOT_NEGATIVE}, "standard_normal", lognormal),
    "normal": Transform({"loc": None, "scale": NOT_NEGATIVE}, "standard_normal", shift),
    "pareto": Transform({"a": POSITIVE}, "standard_exponential", pareto),
    "power": Transform({"a": POSITIVE}, "standard_exponential", power),
    "rayleigh": Transform({"scale": NOT_NEGATIVE}, "rayleigh", lambda x, scale: scale * x),
    "standard_cauchy": Transform({}, "standard_cauchy", None),
    "triangular": Transform({"left": None, "mode": None, "right": None}, "random", triangle),
    "uniform": Transform({"low": None, "high": None}, "random", lambda u, low, high: low + (high - low) * u),
    "weibull": Transform({"a": NOT_NEGATIVE}, "standard_exponential", weibull),
}


#: From so many elements on, formulas are compiled to one kernel.
MANY = 10_000


def evaluated(formula, size, numbers, parameters):
    """Return a formula of numbers, as a value if there is no size. That of many is compiled to one kernel."""
    if numbers[0].size < MANY:
        result = formula(*numbers, *parameters)
    else:
        with fuse():
            result = formula(*numbers, *parameters)
    return _core.as_value(result) if size is None else result


#: Kinds of dtypes of parameters.
REAL = "biuf"


def is_number(x):
    """Whether an object is a real number of Python or of NumPy."""
    return isinstance(x, float | int) or (isinstance(x, np.generic) and x.dtype.kind in REAL)


def is_number_of_host(x):
    """Whether an array is one number that the host may read without a wait."""
    return x.ndim == 0 and is_on_host(x)


def array_of(x, device, function):
    """Return an object as an array; the errors of other objects name the function."""
    if isinstance(x, ndarray):
        return x
    try:
        return as_array(x, device)
    except (TypeError, ValueError) as error:
        if type(error) not in (TypeError, ValueError):
            raise
        raise type(error)(f"{function}: {str(error).removeprefix('array: ')}") from None


def has_axes(x):
    """Whether a parameter is an array with axes, or a list."""
    return x.ndim > 0 if isinstance(x, ndarray) else isinstance(x, list | tuple) or np.ndim(x) > 0


def number_of(x):
    """Return an array without axes as a number, which waits for a GPU; all else as it is."""
    return x.item() if isinstance(x, ndarray) and x.ndim == 0 and x.dtype.kind in REAL else x


def count_of(size):
    """Return how many numbers a size asks for."""
    return 1 if size is None else size if type(size) is int else math.prod(size)


def as_numbers(parameters):
    """Return parameters as floats; None if one is an array."""
    numbers = []
    for x in parameters:
        if type(x) is float:
            numbers.append(x)
        elif is_number(x):
            numbers.append(float(x))
        else:
            return None
    return numbers


def check_range(low, high):
    """Raise as NumPy does for a range that is not finite, or of negative width."""
    width = high - low
    if not np.all(np.isfinite(width)):
        raise OverflowError("uniform: the range exceeds valid bounds")
    if np.any(np.signbit(width)):
        raise ValueError("uniform: high - low < 0")


def check_triangle(left, mode, right):
    """Raise as NumPy does for corners in the wrong order."""
    for words, wrong in (
        ("left > mode", left > mode),
        ("mode > right", mode > right),
        ("left == right", left == right),
    ):
        if np.any(wrong):
            raise ValueError(f"triangular: {words}")


#: Checks of several parameters at once.
CHECKS = {"triangular": check_triangle, "uniform": check_range}

#: The draws of random_draws.def, and those of NumPy's methods under other names.
DRAWS = dict(_core.random_draws)
DRAWS |= dict.fromkeys(("random", "uniform"), DRAWS["uniform_double"])
DRAWS |= dict.fromkeys(("standard_normal", "normal"), DRAWS["normal_double"])
DRAWS |= dict.fromkeys(("standard_exponential", "exponential"), DRAWS["exponential_double"])


def transformed(source, name, size, parameters):
    """Return what a distribution of TRANSFORMS draws, float64, on the device of its parameters."""
    row = TRANSFORMS[name]
    device = device_of(source, parameters)
    values = [as_parameter(x, name, device) for x in parameters]
    arrays = require_one_device(name, values)
    if not arrays and (drawn := source._draw_floats(DRAWS[name], name, None, size, None, *values)) is not None:
        return drawn
    for (parameter, domain), x in zip(row.parameters.items(), values, strict=True):
        if domain and domain.refuses(x):
            raise ValueError(f"{name}: {parameter} {domain.words}")
    if name in CHECKS:
        CHECKS[name](*values)
    draw = source._draws_for(arrays[0].device)[0] if arrays else source._draw_floats
    numbers = draw(DRAWS[row.draw], name, None, shape_of(name, size, values), None)
    return evaluated(row.formula, size, [numbers], values)


def device_of(source, parameters):
    """Return the device of the first array of parameters, else that of the source; None for the current one."""
    return next((x.device for x in parameters if isinstance(x, ndarray) and not is_number_of_host(x)), source._device)


def require_one_device(function, values):
    """Return those parameters that are arrays; ValueError if they are on several devices."""
    arrays = [x for x in values if type(x) is not float]
    for x in arrays[1:]:
        if x.device != arrays[0].device:
            raise ValueError(
                f"{function}: parameters are on {arrays[0].device} and {x.device}; move one with .to_device(...)"
            )
    return arrays


def as_parameter(x, function, device):
    """Return a parameter as a float, or as an array of float64."""
    if is_number(x):
        return float(x)
    _core.refuse_to_strip(x, function)
    x = array_of(x, device, function)
    if x.dtype.kind == "c":
        raise TypeError(f"{function}: a parameter has dtype {x.dtype}; a real one expected")
    return x.astype(np.float64, copy=False)


def shape_of(function, size, values):
    """Return the shape of numbers for such parameters, floats or arrays; None for a value."""
    return shape_for(function, size, [() if type(x) is float else x.shape for x in values])


def shape_for(function, size, shapes):
    """Return the shape of numbers for parameters of some shapes; None for a value."""
    if size is None and shapes.count(shapes[0]) == len(shapes):
        return shapes[0] or None
    wanted = () if size is None else size if isinstance(size, tuple) else tuple(np.atleast_1d(size).tolist())
    try:
        shape = np.broadcast_shapes(*shapes, wanted)
    except ValueError:
        shape = None
    if shape is None or (size is not None and shape != wanted):
        given = ", ".join(str(s) for s in shapes)
        raise ValueError(
            f"{function}: parameters of shape {given} do not fit {'one another' if size is None else size}"
        )
    return shape if size is not None else shape or None
