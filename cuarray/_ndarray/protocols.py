"""NumPy's protocols: calls of its functions, and of any ufuncs, with cuarray's arrays among the arguments.

Operands of another library are left to it. Subclasses of numpy.ndarray, and ufuncs that cuarray does not
have, only accept NumPy arrays: they get NumPy views of arrays on `cpu`.
"""

import sys
from collections.abc import Iterable, Iterator
from functools import partial
from importlib import import_module

import numpy as np

from cuarray import _core
from cuarray._core import is_ndarray, ndarray
from cuarray._namespace.missing import advice_on_missing
from cuarray._namespace.package import package

METHODS = ("__call__", "accumulate", "at", "outer", "reduce", "reduceat")

#: Names of scipy.special, and cuarray's names of the same functions.
SPECIAL_ALIASES = {"gammaln": "lgamma"}

#: Functions of NumPy that were called with arrays of cuarray's, and ours, which later calls take at once.
counterparts: dict[object, object] = {}

#: Functions that rearrange axes of several arrays, whose elements need not be numbers.
OF_ANY_TYPE = ("atleast_1d", "atleast_2d", "atleast_3d", "broadcast_arrays", "meshgrid")


def counterpart(ufunc):
    """Return cuarray's function for a ufunc of NumPy; None for other ufuncs."""
    name = ufunc.__name__  # looked up past __getattr__, which makes an error's text
    is_numpys = vars(np).get(name) is ufunc or (name == "clip" and np._core.umath.clip is ufunc)
    return vars(package()).get(name) if is_numpys else None


def special_counterpart(ufunc):
    """Return cuarray's function for a ufunc of scipy.special, or None."""
    name = ufunc.__name__
    special = sys.modules.get("scipy.special")
    is_special = special is not None and vars(special).get(name) is ufunc
    return vars(package()).get(SPECIAL_ALIASES.get(name, name)) if is_special else None


def is_other(x):
    """Whether an object's class handles ufunc calls itself, and is not NumPy's."""
    return _core.array_class(x) in ("foreign", "nothing") and hasattr(type(x), "__array_ufunc__")


def array_ufunc(self, ufunc, method, /, *inputs, **kwargs):
    """Run a ufunc call with arrays of cuarray, NumPy and other libraries."""
    if not isinstance(ufunc, np.ufunc) and not (callable(ufunc) and hasattr(ufunc, "nin")):  # such as Numba's
        raise TypeError(f"__array_ufunc__: expected a numpy.ufunc, not {type(ufunc).__name__}")
    if not isinstance(method, str) or method not in METHODS:
        raise TypeError(f"__array_ufunc__: the method must be one of {', '.join(METHODS)}")
    outputs = kwargs.get("out", ())
    outputs = outputs if isinstance(outputs, tuple) else (outputs,)
    arrays = [x for x in (*inputs, *outputs) if not is_ndarray(x)]
    name = ufunc.__name__
    others = [x for x in arrays if is_other(x)]
    if any(type(x).__array_ufunc__ is None for x in others):
        return NotImplemented
    for other in others:
        result = other.__array_ufunc__(ufunc, method, *inputs, **kwargs)
        if result is not NotImplemented:
            return result
    if others:  # such as pandas, which rejects unknown classes
        return on_views(getattr(ufunc, method), name, inputs, kwargs)
    kinds = {_core.array_class(x): x for x in arrays}
    for kind in ("masked", "matrix"):
        if kind in kinds:
            _core.refuse_to_strip(kinds[kind], name)
    call = getattr(ufunc, method)
    if "dispatching" in kinds or "wrapping" in kinds:
        return on_views(call, name, inputs, kwargs)
    if counterpart(ufunc):
        raise TypeError(f"{name}: cuarray.{name} has no method {method}")
    is_real = all(getattr(x, "dtype", np.dtype(float)).kind != "c" for x in inputs)
    if method == "__call__" and not kwargs and is_real and (ours := special_counterpart(ufunc)):
        return ours(*inputs)
    return on_views(call, name, inputs, kwargs, numbers_of)


def function_for(function, types, args, kwargs):
    """Return what a call of a NumPy function calls: ours, or NumPy's on views; NotImplemented for other libraries."""
    if not callable(function) or not isinstance(getattr(function, "__module__", None), str):
        raise TypeError(f"__array_function__: expected a function of NumPy's, not {type(function).__name__}")
    module, name = function.__module__, getattr(function, "__name__", "")
    if not isinstance(args, tuple | list) or not isinstance(kwargs, dict):
        raise TypeError(f"{name}: expected arguments in a tuple and in a dict")
    if not isinstance(types, Iterable):
        raise TypeError(f"{name}: expected an iterable of types, not {type(types).__name__}")
    if module.partition(".")[0] != "numpy":
        return NotImplemented
    numpys = partial(call_on_views, function, name)
    has_subclass = False
    for kind in types:
        if issubclass(kind, np.ndarray) and kind not in (np.ndarray, np.memmap):
            has_subclass = True
        elif not issubclass(kind, (ndarray, np.ndarray, np.generic)):
            return NotImplemented
    if has_subclass:
        for x in flat((args, kwargs)):
            if _core.array_class(x) in ("masked", "matrix"):
                _core.refuse_to_strip(x, name)
            if _core.array_class(x) in ("dispatching", "wrapping"):
                return numpys
    home = namespace(module.removeprefix("numpy"))
    if home is None:  # a module that cuarray has not, such as numpy.ma
        return numpys
    ours = getattr(home, name, None)
    if ours is None:
        advice = advice_on_missing(name, sys.modules[module])
        raise TypeError(f"there is no cuarray{module.removeprefix('numpy')}.{name}{advice}")
    if name not in OF_ANY_TYPE:
        if getattr(sys.modules[module], name, None) is function:
            counterparts[function] = ours
    elif not all(holds_numbers(x) for x in args):
        return numpys
    return ours


def namespace(part):
    """Return cuarray's module of a part of NumPy such as '.fft', imported if necessary; None if there is none."""
    first = part.removeprefix(".").partition(".")[0]
    if first in package().LAZY:
        import_module(f"cuarray.{first}")
    return sys.modules.get(f"cuarray{part}")


def flat(x):
    """Iterate over the items of lists, tuples and dicts, recursively."""
    entries = x.values() if isinstance(x, dict) else list(x) if isinstance(x, Iterator) else x
    if not any(issubclass(kind, list | tuple | dict) for kind in set(map(type, entries))):
        yield from entries  # long lists of numbers, or of texts
        return
    for entry in entries:
        if isinstance(entry, list | tuple | dict):
            yield from flat(entry)
        else:
            yield entry


def holds_numbers(x):
    """Whether an argument is an array of numbers, judged by its class and dtype."""
    if isinstance(x, list | tuple):
        return all(holds_numbers(entry) for entry in x)
    if isinstance(x, np.ndarray | np.generic):
        return x.dtype.kind in "biufc"
    return x is not None and not isinstance(x, str | bytes)


def on_views(call, name, args, kwargs, convert=None):
    """Call a function that only accepts NumPy arrays, and return its results as cuarray's arrays.

    Arrays of other classes are returned as they are. Outputs are returned as the given objects, unless a
    class returns them with units.
    """
    outputs = kwargs.get("out")
    results = call(*as_views(args, name), **as_views(kwargs, name))
    if outputs is None:
        return (convert or as_ours)(results)
    outputs = outputs if isinstance(outputs, tuple) else (outputs,)
    results = results if isinstance(results, tuple) else (results,)
    results = tuple(
        out if type(result) is np.ndarray and out is not None else (convert or as_ours)(result)
        for result, out in zip(results, outputs, strict=True)
    )
    return results if len(results) > 1 else results[0]


def call_on_views(call, name, /, *args, **kwargs):
    return on_views(call, name, args, kwargs)


def as_views(x, name):
    """Return arguments with NumPy views instead of cuarray's arrays, also in lists, tuples and dicts."""
    kind = type(x)
    if is_ndarray(x):
        if x.device.kind != "cpu":
            raise TypeError(f"{name}: works on NumPy's arrays alone, and one is on {x.device}; write x.numpy()")
        return x.__array__()
    if kind is tuple or kind is list:
        return kind([as_views(entry, name) for entry in x])
    if kind is dict:
        return {key: as_views(value, name) for key, value in x.items()}
    return x


def as_ours(result):
    """Return numeric NumPy arrays and scalars as cuarray's arrays, other objects unchanged."""
    if type(result) in (list, tuple):
        return type(result)(as_ours(entry) for entry in result)
    if type(result) is np.ndarray and result.dtype.kind in "biufc":
        return _core.array_from_object(result, None, "cpu")
    if isinstance(result, np.bool_ | np.number):
        return _core.array_from_object(result, None, "cpu").reshape(1)[0]
    return result


def numbers_of(result):
    """Return the results of a ufunc as `as_ours` does, with numbers in place of objects."""
    if result is None:  # of ufunc.at
        return None
    if isinstance(result, tuple):
        return tuple(numbers_of(entry) for entry in result)
    if isinstance(result, np.ndarray) and result.dtype == object:
        result = np.array(result.tolist())
    if isinstance(result, int | float | complex):
        result = np.asarray(result)[()]
    if not holds_numbers(result):
        kind = np.asarray(result).dtype
        raise TypeError(f"a ufunc's results of type {kind} are no numbers; write f(x.numpy())")
    return as_ours(result)
