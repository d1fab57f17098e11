"""Modules of NumPy that are Python alone: their text is run with our functions in the place of NumPy's."""

import builtins
import functools
import types
from importlib.machinery import ModuleSpec
from importlib.util import find_spec

import numpy as np

from cuarray._namespace.package import package
from cuarray._numpy.arguments import call_needs_numpy
from cuarray._numpy.facade import furnish


@functools.cache
def namespace():
    """Return what `numpy` is in such text: its namespace with our functions, which take objects, too."""
    module = types.ModuleType("cuarray.numpy")
    furnish(module, np, package())
    module.asanyarray = asanyarray
    return module


def asanyarray(x):
    """Return an argument of a polynomial: an array, of NumPy's if it holds objects, or a polynomial."""
    if getattr(x, "__array_ufunc__", np.add) is None:
        return x
    return np.asanyarray(x) if call_needs_numpy((x,), {}) else package().asanyarray(x)


def undispatched(*_, **__):
    """Stand for NumPy's decorator that asks `__array_function__`: functions over ours take all arrays."""
    return lambda function: function


OVERRIDES = types.SimpleNamespace(array_function_dispatch=undispatched)


def import_for_text(name, globals=None, locals=None, fromlist=(), level=0):
    """The `__import__` of such text."""
    if name == "numpy" and not level:
        return namespace()
    if name == "numpy._core.overrides":
        return OVERRIDES
    return builtins.__import__(name, globals, locals, fromlist, level)


def run(module, name):
    """Run the text of NumPy's module of that name in a module of ours."""
    spec = find_spec(name)
    module.__dict__.setdefault("__file__", spec.origin)
    module.__builtins__ = {**vars(builtins), "__import__": import_for_text}
    exec(spec.loader.get_code(name), vars(module))


def of_numpy(name):
    return f"numpy.{name.removeprefix('cuarray.')}"


class Finder:
    """Imports submodules of `cuarray.polynomial`."""

    @staticmethod
    def find_spec(name, path=None, target=None):
        is_text = name.startswith("cuarray.polynomial.") and find_spec(of_numpy(name))
        return ModuleSpec(name, Finder) if is_text else None

    @staticmethod
    def create_module(spec):
        """Leave it to Python."""

    @staticmethod
    def exec_module(module):
        run(module, of_numpy(module.__name__))
