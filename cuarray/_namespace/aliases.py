"""NumPy's aliases of functions."""

from types import FunctionType

from cuarray import _core

#: NumPy's name of a function: its canonical name, that of the Array API standard.
ALIASES = {
    "absolute": "abs",
    "amax": "max",
    "amin": "min",
    "arccos": "acos",
    "arccosh": "acosh",
    "arcsin": "asin",
    "arcsinh": "asinh",
    "arctan": "atan",
    "arctan2": "atan2",
    "arctanh": "atanh",
    "around": "round",
    "asanyarray": "asarray",
    "bitwise_not": "bitwise_invert",
    "concatenate": "concat",
    "conjugate": "conj",
    "deg2rad": "radians",
    "invert": "bitwise_invert",
    "left_shift": "bitwise_left_shift",
    "mod": "remainder",
    "power": "pow",
    "rad2deg": "degrees",
    "right_shift": "bitwise_right_shift",
    "transpose": "permute_dims",
    "true_divide": "divide",
}


def alias(function, name):
    """Return the function under another name, which its errors then begin with."""
    if isinstance(function, _core.ufunc):
        return _core.alias(function, name)
    if isinstance(function, _core.function):
        return _core.function_alias(function, name)
    code = function.__code__.replace(co_name=name, co_qualname=name)
    other = FunctionType(code, function.__globals__, name, function.__defaults__, function.__closure__)
    other.__kwdefaults__ = function.__kwdefaults__
    other.__module__ = "cuarray"  # where pickles find it
    return other
