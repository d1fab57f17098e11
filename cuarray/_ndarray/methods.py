"""The methods of ndarray that are written in Python; importing this module adds them to the type."""

import math
import numbers
from importlib import import_module
from types import GenericAlias

import numpy as np

from cuarray import _core
from cuarray._arguments import functions
from cuarray._arguments.functions import (
    argpartition,
    argsort,
    clip,
    cumprod,
    cumsum,
    diagonal,
    dot,
    nonzero,
    repeat,
    searchsorted,
    take,
    trace,
)
from cuarray._arguments.functions import round as rounded
from cuarray._arguments.ufuncs import ceil, floor, trunc
from cuarray._functions.array_text import html_table, ndarray_repr, ndarray_str
from cuarray._namespace.info import ARRAY_API_VERSION
from cuarray._namespace.package import package
from cuarray._ndarray import byte_methods, conversions, imports
from cuarray._ndarray.flat import Flat, set_flat

# Indexing


@_core.array_method
def put(self, indices, values, mode="raise"):
    """Store values at positions of the flattened array; see cuarray.put.

    Examples
    --------
    >>> import cuarray as ca
    >>> x = ca.zeros(3, int)
    >>> x.put([0, 2], [7, 8])
    >>> x
    array([7, 0, 8])
    """


def choose(self, *choices, out=None, mode="raise"):
    """Select each element from one of several arrays; see cuarray.choose.

    Examples
    --------
    >>> import cuarray as ca
    >>> ca.asarray([1, 0]).choose([[10, 11], [20, 21]])
    array([20, 11])
    """
    return functions.choose(self, choices[0] if len(choices) == 1 else choices, out, mode)


@_core.array_method
def compress(self, condition, axis=None, out=None):
    """Return the slices at which a condition is true; see cuarray.compress.

    Examples
    --------
    >>> import cuarray as ca
    >>> ca.arange(4).compress([True, False, True])
    array([0, 2])
    """


# Python's numbers


def to_numpy(self):
    """Return a copy as a numpy.ndarray.

    Examples
    --------
    >>> import cuarray as ca
    >>> type(ca.arange(3).to_numpy())
    <class 'numpy.ndarray'>
    """
    return self.numpy()


def array_complex(self):
    if self.ndim:
        raise TypeError(f"complex: only 0-dimensional arrays can be converted, not shape {self.shape}")
    return complex(self.item())


def python_round(self, ndigits=None):
    if self.ndim == 0 and ndigits is None:
        return round(self.item())
    return self.round(ndigits or 0)


def python_trunc(self):
    return math.trunc(self.item()) if self.ndim == 0 else trunc(self)


def python_floor(self):
    return math.floor(self.item()) if self.ndim == 0 else floor(self)


def python_ceil(self):
    return math.ceil(self.item()) if self.ndim == 0 else ceil(self)


def array_format(self, spec):
    if self.ndim == 0:
        return format(self.item(), spec)
    if spec:
        raise TypeError(f"format: {spec!r} formats one number, not an array of shape {self.shape}")
    return str(self)


# Protocols


def conform(self, protocol):
    """Return the number that a value is for sqlite3's adaptation protocol; None for arrays, which are bytes."""
    return self.item() if _core.is_value(self) else None


def dask_tokenize(self):
    """Return what names the array in Dask's graphs; at the first call, tell Dask about arrays of ours."""
    return import_module("cuarray.interop.dask").normalize(self)


def array_namespace(self, *, api_version=None):
    """Return the module cuarray, by the Array API standard."""
    if api_version not in (None, "2021.12", "2022.12", "2023.12", "2024.12", ARRAY_API_VERSION):
        raise ValueError(f"cuarray does not implement the Array API standard {api_version!r}")
    return package()


_core.extend_ndarray(
    {
        **byte_methods.METHODS,
        **conversions.METHODS,
        **_core.methods,
        "__array_namespace__": array_namespace,
        "__class_getitem__": classmethod(GenericAlias),
        "__ceil__": python_ceil,
        "__complex__": array_complex,
        "__conform__": conform,
        "__dask_tokenize__": dask_tokenize,
        "__floor__": python_floor,
        "__format__": array_format,
        "__repr__": ndarray_repr,
        "__round__": python_round,
        "__str__": ndarray_str,
        "__trunc__": python_trunc,
        "_repr_html_": html_table,
        "argpartition": argpartition,
        "argsort": argsort,
        "choose": choose,
        "clip": clip,
        "compress": compress,
        "cumprod": cumprod,
        "cumsum": cumsum,
        "diagonal": diagonal,
        "dot": dot,
        "flat": property(Flat, set_flat, doc="The elements as one axis, in C order."),
        "nonzero": nonzero,
        "put": put,
        "repeat": repeat,
        "round": rounded,
        "searchsorted": searchsorted,
        "take": take,
        "to_numpy": to_numpy,
        "trace": trace,
    }
)
imports.watch()

#: What values have by these names.
OF_INTEGERS = {
    "bit_count": lambda self: abs(int(self)).bit_count(),
    "denominator": property(
        lambda self: _core.array_from_object(1, self.dtype, self.device)[()], doc="One, of the dtype."
    ),
    "is_integer": lambda self: True,
    "numerator": property(lambda self: self, doc="The number itself."),
}
OF_FLOATS = {
    "as_integer_ratio": lambda self: float(self).as_integer_ratio(),
    "is_integer": lambda self: float(self).is_integer(),
}


def describe_values(dtype, kind):
    """Set what isinstance and numpy.dtype say of a class of values, and what Python's numbers of its kind have.

    Those of float64 and complex128 are Python's float and complex as well.
    """
    is_integer, is_float = dtype.startswith(("int", "uint")), "float" in dtype
    if hasattr(np, dtype):
        kind.dtype = np.dtype(dtype)
    if is_integer or is_float or "complex" in dtype:
        (numbers.Integral if is_integer else numbers.Real if is_float else numbers.Complex).register(kind)
    if dtype != "float64":
        for name, member in (OF_INTEGERS if is_integer else OF_FLOATS if is_float else {}).items():
            setattr(kind, name, member)


for names in zip(_core.dtype_names(), _core.value_types, strict=True):
    describe_values(*names)
