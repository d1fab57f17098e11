"""A program's subclasses of numpy.ndarray: NumPy asks them, and they hear of what the program knows as NumPy's.

That are the functions of cuarray.numpy, by which they choose and which they look up in tables, and arrays of ours.
"""

import functools
import sys
from types import FunctionType

import numpy as np

from cuarray import _core
from cuarray._ndarray.protocols import flat
from cuarray._numpy.arguments import HostCopies, is_known_dtype
from cuarray._numpy.fallbacks import on_host
from cuarray._numpy.overrides import as_numpys, as_programs, numpys_class


def written(x):
    """Return an array that a function writes as one of ours over the same memory."""
    is_ours = type(x) is np.ndarray and is_known_dtype(x.dtype)
    return _core.array_from_object(x, None, _core.device("cpu")) if is_ours else x


def hears_ufunc(method):
    """Return an `__array_ufunc__` that is given the program's ufuncs and arrays."""

    @functools.wraps(method)
    def call(self, ufunc, how, *inputs, **kwargs):
        if "out" in kwargs:
            kwargs["out"] = tuple(map(written, kwargs["out"]))
        return method(self, as_programs(ufunc), how, *HostCopies().to_ours(inputs), **kwargs)

    return call


def hears_function(method):
    """Return an `__array_function__` that is given the program's functions, arrays and its numpy.ndarray."""

    @functools.wraps(method)
    def call(self, function, kinds, args, kwargs):
        array = sys.modules["cuarray.numpy"].ndarray
        kinds = tuple(array if kind in (_core.ndarray, np.ndarray) else kind for kind in kinds)
        kwargs = {name: (written if name == "out" else HostCopies().to_ours)(x) for name, x in kwargs.items()}
        return method(self, as_programs(function), kinds, HostCopies().to_ours(args), kwargs)

    return call


def hears_context(method):
    """Return an `__array_wrap__` that is given the program's ufuncs."""

    @functools.wraps(method)
    def call(self, array, context=None, *args, **kwargs):
        if context is not None:
            context = (as_programs(context[0]), *context[1:])
        return method(self, array, context, *args, **kwargs)

    return call


HEARS = {"__array_ufunc__": hears_ufunc, "__array_function__": hears_function, "__array_wrap__": hears_context}


class Inherited:
    """A method of numpy.ndarray that subclasses call by `super()`, with functions of cuarray.numpy.

    Of the class it is NumPy's own, by which NumPy knows classes without functions of their own.
    """

    def __init__(self, method):
        self.method = method

    def __get__(self, instance, kind=None):
        return self.method if instance is None else functools.partial(self.call, instance)

    def call(self, instance, function, how, *args, **kwargs):
        """Call NumPy's method with what is NumPy's; `how` names a ufunc's method, or has the classes of arguments."""
        if not isinstance(how, str):
            how = tuple(map(as_numpys, how))
        args = instance, as_numpys(function), how, *args
        if any(_core.is_ndarray(x) for x in flat((args, kwargs))):
            return on_host(self.method, args, kwargs)  # for NumPy they are of another class
        return self.method(*args, **kwargs)


class Subclass(np.ndarray):
    """The parent of a program's subclasses of numpy.ndarray: `x.view(np.ndarray)` gives NumPy's arrays."""

    __array_ufunc__ = Inherited(np.ndarray.__array_ufunc__)
    __array_function__ = Inherited(np.ndarray.__array_function__)

    def __init_subclass__(cls, **options):
        super().__init_subclass__(**options)
        for name, hears in HEARS.items():
            if type(method := vars(cls).get(name)) is FunctionType:
                setattr(cls, name, hears(method))

    def view(self, *args, **kwargs):
        """View the memory with another dtype, or as an array of another class; see numpy.ndarray.view."""
        args = map(numpys_class, args)
        return super().view(*args, **{name: numpys_class(x) for name, x in kwargs.items()})
