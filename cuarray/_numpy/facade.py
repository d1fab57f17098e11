"""Modules of NumPy in which our objects stand in the place of NumPy's: cuarray.numpy and its submodules."""

import functools
import sys
import types
from importlib import import_module
from importlib.machinery import ModuleSpec

import numpy as np

from cuarray import _core
from cuarray._functions.subscripts import Grid, Joiner
from cuarray._ndarray.protocols import flat
from cuarray._numpy import overrides
from cuarray._numpy.arguments import PLAIN, call_needs_numpy, is_of_swapped_numbers, on_device
from cuarray._numpy.classes import Array, OperatorsMixin, Ufunc
from cuarray._numpy.fallbacks import ERRORS, is_of_program, on_host, on_numpys_types
from cuarray._numpy.files import READERS, load, of_file
from cuarray._numpy.functional import Vectorize, apply_along_axis, frompyfunc
from cuarray._numpy.linalg import eig, eigvals

#: Functions in whose arguments functions are elements, as other objects are.
OF_ELEMENTS = (
    np.array, np.asarray, np.asanyarray, np.full, np.full_like, np.atleast_1d, np.atleast_2d, np.atleast_3d,
    np.append, np.insert, np.repeat, np.tile, np.where, np.select, np.ravel, np.reshape, np.broadcast_to,
)  # fmt: skip

#: The types of NumPy's functions: of Python, of C, and of those that dispatch.
DISPATCHING = type(np.sum)
FUNCTIONS = (types.FunctionType, types.BuiltinFunctionType, DISPATCHING)

#: Set by `python -m cuarray --check`: decorate(ours, theirs, name) is what programs get for a function.
decorate = None

#: Classes of which a program may meet two, ours and NumPy's.
CLASSES = {
    np.ndarray: Array,
    np.ufunc: Ufunc,
    np.lib.mixins.NDArrayOperatorsMixin: OperatorsMixin,
    np.vectorize: Vectorize,
}

#: Functions that differ from NumPy's in cuarray itself, by the Array API standard or as there are only numbers.
AS_NUMPYS = {
    np.linalg.eig: eig,
    np.linalg.eigvals: eigvals,
    np.frompyfunc: frompyfunc,
    np.apply_along_axis: apply_along_axis,
    np.load: load,
}

#: Modules whose classes stay NumPy's: generators draw NumPy's numbers over its own Philox. It is named, as NumPy
#: imports numpy.random at its first use.
KEPT = ("numpy.random._philox",)


def is_array(x):
    """Whether that is an array or a number of ours or of NumPy's."""
    return _core.is_ndarray(x) or isinstance(x, np.ndarray | np.generic)


def found(module, name):
    """Return the object of a facade: what pickles of ufuncs call."""
    return getattr(import_module(module), name)


class Retry:
    """What a function of ours asks before a call with objects of other classes, and after an error about types.

    Attributes
    ----------
    theirs, ours : function
        NumPy's, and ours, or a method of each that `method` names.
    made : function
        What the program has called.
    """

    made = None

    def __init__(self, theirs, ours, module, method="__call__"):
        self.theirs, self.ours, self.__module__, self.method = theirs, ours, module, method

    def __call__(self, *args, **kwargs):
        return self.compute(args, kwargs) if is_of_program(sys._getframe(1)) else NotImplemented

    def compute(self, args, kwargs):
        """Return what NumPy makes of types of its own, and ours of its numbers beside arrays of a GPU."""
        found = _core.one_of_each_type(args, kwargs)  # lists of texts are long
        others = [x for kind, x in found.items() if kind not in PLAIN and not is_array(x)]
        if any(map(overrides.has_functions, others)):  # in lists; the others have been asked before
            return self.ask(args, kwargs)
        if any(getattr(type(x), "__array_priority__", None) is not None for x in others):
            return on_host(self.theirs, args, kwargs)  # scipy.sparse's, whose methods NumPy calls
        if call_needs_numpy(args, kwargs) or (self.theirs in OF_ELEMENTS and any(map(callable, found.values()))):
            return on_host(self.theirs, args, kwargs)
        if np.ndarray not in found:
            return NotImplemented
        device = next((x.device for x in flat((args, kwargs)) if isinstance(x, _core.ndarray)), None)
        if device is None or device.kind == "cpu":
            return NotImplemented
        return self.ours(*on_device(args, device), **on_device(kwargs, device))

    def for_numpys_types(self, *args, **kwargs):
        """Return what NumPy makes of a list of texts, or with a dtype of its own."""
        if not is_of_program(sys._getframe(1)):
            return NotImplemented
        found = _core.one_of_each_type(args, kwargs)
        if found.keys() <= PLAIN:
            return on_numpys_types(self.theirs, args, kwargs)
        if args and is_of_swapped_numbers(args[0]) and any(map(_core.is_ndarray, found.values())):
            return NotImplemented  # ours reads them beside its own
        return self.compute(args, kwargs)

    def for_others(self, *args, **kwargs):
        """Return what a call with objects of other classes gives, such as columns of a table."""
        return self.ask(args, kwargs) if is_of_program(sys._getframe(1)) else NotImplemented

    def ask(self, args, kwargs):
        """Ask classes of the program with the function that it has called, and those of libraries by NumPy's."""
        result = NotImplemented
        if self.method != "__call__" or isinstance(self.theirs, np.ufunc):
            result = overrides.call_ufunc(self.made, self.theirs, self.method, args, kwargs)
        elif isinstance(self.theirs, DISPATCHING):
            result = overrides.call_function(self.made, args, kwargs)
        return on_host(self.theirs, args, kwargs) if result is NotImplemented else result

    @property
    def _implementation(self):
        """What NumPy computes without asking classes: what their own functions call."""
        return of_numpy(self.theirs._implementation, self.__module__)

    def pickled(self, name):
        """Return what a ufunc of a facade is pickled as."""
        return found, (self.__module__, name)

    def __getattr__(self, name):  # methods of ufuncs
        retry = Retry(getattr(self.theirs, name), getattr(self.ours, name), self.__module__, name)
        retry.made = self.made
        return retry


def of_numpy(theirs, module):
    """Return a function of NumPy that computes on arrays of ours."""

    @functools.wraps(theirs)
    def call(*args, **kwargs):
        result = overrides.call_function(call, args, kwargs) if isinstance(theirs, DISPATCHING) else NotImplemented
        return on_host(theirs, args, kwargs) if result is NotImplemented else result

    call.__module__ = module
    return call


class InBrackets:
    """Ours of the objects that make arrays of what stands in their brackets, and NumPy's for types of its own."""

    def __init__(self, theirs, ours):
        self.theirs, self.ours, self.__doc__ = theirs, ours, ours.__doc__

    def __getitem__(self, key):
        try:
            return self.ours[key]
        except (*ERRORS, ValueError):
            if not call_needs_numpy(key if isinstance(key, tuple) else (key,), {}):
                raise
        return on_host(self.theirs.__getitem__, (key,), {}, f"numpy.{type(self.theirs).__name__}")

    def __getattr__(self, name):
        return getattr(self.theirs, name)

    def __reduce__(self):
        return InBrackets, (self.theirs, self.ours)

    def __len__(self):
        return len(self.theirs)


def choose(theirs, ours, module):
    """Return what a program gets for an object of NumPy's of which we may have one of the same name, else None."""
    if isinstance(theirs, types.ModuleType):
        return facade(theirs, ours) if theirs.__name__.partition(".")[0] == "numpy" else theirs
    if isinstance(theirs, type):
        return CLASSES.get(theirs) or (theirs if ours is None or theirs.__module__ in KEPT else ours)
    if isinstance(ours, Grid | Joiner):
        return InBrackets(theirs, ours)
    if not callable(theirs) or theirs is ours or module == "cuarray.numpy.typing":  # annotations can be called
        return theirs
    if ours is not None and module == "cuarray.numpy.random":
        return ours  # NumPy's functions would draw from another sequence
    if ours is None:
        return of_numpy(theirs, module) if isinstance(theirs, FUNCTIONS) else theirs
    retry = Retry(theirs, ours, module)
    ours = AS_NUMPYS.get(theirs, ours)
    if theirs in READERS:
        ours = of_file(ours, theirs)
    made = (_core.ufunc_with_fallback if isinstance(ours, _core.ufunc) else _core.with_fallback)(ours, retry)
    retry.made = decorate(made, theirs, theirs.__name__) if decorate else made
    return retry.made


def lookup(module, theirs, ours):
    """Return the `__getattr__` of a module: what NumPy's has, of ours where we have it. It is found once."""

    def find(name):
        value = numpys = getattr(theirs, name)
        own = getattr(numpys, "__name__", name)
        if own != name and callable(numpys) and getattr(theirs, own, None) is numpys:
            value = getattr(module, own)  # np.abs is np.absolute
        elif name == "_rand":
            value = import_module("cuarray._random.randomstate").shared
        elif not name.startswith("_"):
            value = choose(numpys, getattr(ours, name, None), module.__name__)
        if value is not numpys:
            overrides.THEIRS[value] = numpys
        setattr(module, name, value)
        return value

    return find


def furnish(module, theirs, ours):
    """Make a module the facade of one of NumPy's."""
    module.__doc__ = module.__doc__ or theirs.__doc__
    module.__path__ = []
    module.__getattr__ = lookup(module, theirs, ours)
    module.__dir__ = lambda: sorted({*dir(theirs), *vars(module)})
    if hasattr(theirs, "__all__"):
        module.__all__ = list(theirs.__all__)


def fill(module):
    """Find all names of a facade, for who reads its `__dict__`: those that NumPy's modules have at this time."""
    for name in list(vars(import_module(module.__name__.removeprefix("cuarray.")))):
        value = getattr(module, name)
        if isinstance(value, types.ModuleType) and value.__name__ == f"{module.__name__}.{name}":
            fill(value)


def facade(theirs, ours):
    """Return the module cuarray.numpy.NAME of a module numpy.NAME."""
    name = f"cuarray.{theirs.__name__}"
    if name not in sys.modules:
        module = sys.modules[name] = types.ModuleType(name)
        module.__package__ = name
        furnish(module, theirs, ours)
    return sys.modules[name]


class Finder:
    """Imports `cuarray.numpy.NAME` as the facade of `numpy.NAME`."""

    @staticmethod
    def find_spec(name, path=None, target=None):
        return ModuleSpec(name, Finder) if name.startswith("cuarray.numpy.") else None

    @staticmethod
    def create_module(spec):
        import_module(spec.name.removeprefix("cuarray."))  # raises NumPy's error
        parent, _, child = spec.name.rpartition(".")
        return getattr(import_module(parent), child)

    @staticmethod
    def exec_module(module):
        """There is nothing to run."""
