"""Methods and operators of our arrays that only NumPy's types can serve, from the import of cuarray.numpy on."""

import operator
import sys

import numpy as np

from cuarray import _core
from cuarray._core import ndarray
from cuarray._numpy.arguments import HostCopies, call_needs_numpy, needs_numpy, on_device
from cuarray._numpy.fallbacks import count, is_of_program, on_host
from cuarray._numpy.overrides import numpys_class
from cuarray._numpy.subclasses import Subclass

#: Python's operators by the names of their ufuncs.
OPERATORS = {
    "add": operator.add,
    "subtract": operator.sub,
    "multiply": operator.mul,
    "divide": operator.truediv,
    "floor_divide": operator.floordiv,
    "remainder": operator.mod,
    "divmod": divmod,
    "pow": operator.pow,
    "bitwise_left_shift": operator.lshift,
    "bitwise_right_shift": operator.rshift,
    "bitwise_and": operator.and_,
    "bitwise_or": operator.or_,
    "bitwise_xor": operator.xor,
    "matmul": operator.matmul,
    "less": operator.lt,
    "less_equal": operator.le,
    "equal": operator.eq,
    "not_equal": operator.ne,
    "greater": operator.gt,
    "greater_equal": operator.ge,
}


def call_operator(name, a, b):
    """Return what NumPy's operator gives, or NotImplemented where the error of ours is to stand."""
    if not is_of_program(sys._getframe(1)):
        return NotImplemented
    if name == "setitem":
        return assign(a, *b)
    own, other = (a, b) if _core.is_ndarray(a) else (b, a)
    if call_needs_numpy((other,), {}):
        return on_host(OPERATORS[name], (a, b), {}, f"numpy.{name}")
    if own.device.kind == "cpu" or type(other) is not np.ndarray:
        return NotImplemented
    return OPERATORS[name](*on_device([a, b], own.device))


def assign(array, key, value):
    """Do array[key] = value where value is of a type that only NumPy has: objects that are numbers, dates, texts."""
    if _core.is_value(array) or not needs_numpy(value, names_dtypes=False):
        return NotImplemented
    copies = HostCopies(asks=True)
    host = copies.host_array(array)  # on cpu its memory
    host[copies.to_host(key)] = copies.to_host(value)
    copies.write_back(host)
    count("ndarray.__setitem__", 0.0, copies)
    return None


def call_put(_name, array, indices, values, mode="raise"):
    """Do array.put(indices, values) where `values` are of a subclass or of a type that only NumPy has."""
    if not call_needs_numpy((indices, values), {}):
        return NotImplemented
    copies = HostCopies(asks=True)
    host = copies.host_array(array)
    host.put(copies.to_host(indices), copies.to_host(values), mode)
    copies.write_back(host)
    count("ndarray.put", 0.0, copies)
    return None


class Fallback:
    """What a method of our arrays asks after an error about types."""

    __module__ = "cuarray"
    for_others = None  # NumPy has asked other classes before it asks ours

    def __init__(self, name, call):
        self.name, self.call = name, call

    def __call__(self, *args, **kwargs):
        if not is_of_program(sys._getframe(1)):
            return NotImplemented
        return self.call(self.name, *args, **kwargs)

    for_numpys_types = __call__


def call_method(name, array, *args, **kwargs):
    """Call the method of NumPy's arrays, if the arguments ask for types that are NumPy's."""
    if not call_needs_numpy(args, kwargs):
        return NotImplemented
    kind = np.generic if _core.is_value(array) else np.ndarray
    args, kwargs = map(numpys_class, args), {key: numpys_class(x) for key, x in kwargs.items()}
    return on_host(getattr(kind, name), (array, *args), kwargs, f"ndarray.{name}")


def call_array(_name, array, dtype=None, copy=None):
    """Give an array to a library that takes NumPy's: from a GPU, or as objects or texts, a copy."""
    copies = HostCopies()
    host = np.asarray(copies.host_array(array))
    result = host.astype(dtype) if dtype is not None else host.copy() if copy and not copies.bytes else host
    count("numpy.asarray", 0.0, copies)
    return result


def call_array_ufunc(name, array, ufunc, method, *inputs, **kwargs):
    if isinstance(array, np.ndarray):  # of a subclass, which calls its parent's method
        return vars(Subclass)[name].call(array, ufunc, method, *inputs, **kwargs)
    return on_host(getattr(ufunc, method), inputs, kwargs, f"numpy.{ufunc.__name__}")


def call_array_function(name, array, function, types, args, kwargs):
    if isinstance(array, np.ndarray):
        return vars(Subclass)[name].call(array, function, types, args, kwargs)
    return on_host(function, args, kwargs)


#: The methods that take an array, or a dtype, and do not write to the one that they belong to.
TAKING = (
    "astype", "choose", "clip", "compress", "cumprod", "cumsum", "dot", "mean", "prod", "repeat", "searchsorted", "std",
    "sum", "take", "trace", "var", "view",
)  # fmt: skip

#: The methods by which NumPy's functions ask classes.
PROTOCOLS = {"__array_ufunc__": call_array_ufunc, "__array_function__": call_array_function}

METHODS = dict.fromkeys(TAKING, call_method) | {"__array__": call_array, "put": call_put} | PROTOCOLS
ORIGINALS = {name: getattr(ndarray, name) for name in METHODS}


class OfScalars(type):
    """The type of a class of values, which is equal to the class of NumPy's scalars: `type(x[0]) == np.float64`.

    Its hash is another one, so that tables of other libraries tell them apart.
    """

    __hash__ = type.__hash__

    def __eq__(cls, other):
        return other is cls or other is cls.dtype.type


def set_classes_of_values(kind):
    for value_type in _core.value_types:
        if isinstance(value_type.dtype, np.dtype):  # not of bfloat16
            _core.set_class(value_type, kind)


def install():
    """From now on NumPy serves what only its types can."""
    set_classes_of_values(OfScalars)
    _core.extend_ndarray(
        {name: _core.with_fallback(ORIGINALS[name], Fallback(name, call)) for name, call in METHODS.items()}
    )
    _core.set_operator_fallback(call_operator)


def remove():
    """Undo `install`, for tests of cuarray alone."""
    set_classes_of_values(type)
    _core.extend_ndarray(ORIGINALS)
    _core.set_operator_fallback(None)
