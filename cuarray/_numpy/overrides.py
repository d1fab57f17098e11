"""Classes of a program with functions of their own: `__array_function__` and `__array_ufunc__`.

NumPy's dispatch would give them NumPy's functions, but a program whose `np` is cuarray.numpy compares with those of
this module, and keeps tables of them. So they are asked here, by the rules of NEP 13 and NEP 18, with the function that
the program has called. Where they return NotImplemented, and for classes of libraries, NumPy's function asks them.
Subclasses of numpy.ndarray are asked by NumPy, and hear of the functions of cuarray.numpy in the place of NumPy's.
"""

import functools
import sys
from importlib import import_module

import numpy as np

from cuarray._core import is_ndarray
from cuarray._ndarray.protocols import flat
from cuarray._runtime.frames import is_of_program

#: The positional arguments of ufuncs' methods behind the inputs, and the number of inputs.
AXES = ("axis", "dtype", "out", "keepdims", "initial", "where")
METHODS = {"reduce": (1, AXES), "accumulate": (1, AXES[:3]), "reduceat": (2, AXES[:3])}

#: NumPy's objects by those of cuarray.numpy that a program has in their place.
THEIRS: dict = {}


def is_override(x, protocol):
    """Whether the class of an argument is a program's own and has that protocol.

    Subclasses of numpy.ndarray are asked by NumPy alone: its arrays are what they compute with.
    """
    kind = type(x)
    if is_ndarray(x) or isinstance(x, np.ndarray) or getattr(kind, protocol, None) is None:
        return False
    module = sys.modules.get(kind.__module__)
    return module is not None and is_of_program(vars(module))


def has_functions(x):
    """Whether the class of an argument that is no array of ours or of NumPy's has functions or ufuncs of its own."""
    if is_ndarray(x) or isinstance(x, np.ndarray | np.generic):
        return False
    return any(getattr(type(x), name, None) is not None for name in ("__array_function__", "__array_ufunc__"))


def ask(arguments, protocol, call):
    """Return what the first class says that knows an answer, subclasses first; NotImplemented where there is none."""
    asked = []
    for x in arguments:
        if not is_override(x, protocol) or any(type(x) is type(other) for other in asked):
            continue
        place = next((k for k, other in enumerate(asked) if issubclass(type(x), type(other))), len(asked))
        asked.insert(place, x)
    for x in asked:
        result = call(x, {type(other) for other in asked})
        if result is not NotImplemented:
            return result
    return NotImplemented


def call_function(function, args, kwargs):
    """Return what the classes of the arguments make of a function, or NotImplemented."""
    return ask(
        flat((args, kwargs)),
        "__array_function__",
        lambda x, kinds: x.__array_function__(function, kinds, args, kwargs),
    )


def call_ufunc(ufunc, theirs, method, args, kwargs):
    """Return what the classes of the arguments make of a ufunc's method, or NotImplemented; `theirs` is NumPy's."""
    inputs, keywords = split(theirs, method, args, kwargs)
    return ask(
        (*inputs, *keywords.get("out", ())),
        "__array_ufunc__",
        lambda x, _: x.__array_ufunc__(ufunc, method, *inputs, **keywords),
    )


def split(ufunc, method, args, kwargs):
    """Return the inputs and keywords of a call as `__array_ufunc__` gets them: `out` is a tuple.

    Examples
    --------
    >>> import cuarray.numpy as np
    >>> from cuarray._numpy.overrides import split
    >>> split(np.add, "__call__", (1, 2, 3), {}), split(np.add, "reduce", (4, 0), {"out": 5})
    (((1, 2), {'out': (3,)}), ((4,), {'axis': 0, 'out': (5,)}))
    """
    keywords = dict(kwargs)
    if method == "__call__":
        inputs, outputs = args[: ufunc.nin], args[ufunc.nin :]
        if outputs:
            keywords["out"] = outputs + (None,) * (ufunc.nout - len(outputs))
    elif method in METHODS:
        count, names = METHODS[method]
        inputs = args[:count]
        keywords.update(zip(names, args[count:], strict=False))
    else:
        inputs = args
    out = keywords.get("out")
    if out is None:
        keywords.pop("out", None)
    elif not isinstance(out, tuple):
        keywords["out"] = (out,)
    return inputs, keywords


@functools.cache
def as_programs(theirs):
    """Return what programs know as a function of NumPy's: that of cuarray.numpy, or itself if it has none there."""
    module, name = getattr(theirs, "__module__", None) or "numpy", theirs.__name__
    if module.partition(".")[0] != "numpy" or getattr(sys.modules.get(module), name, None) is not theirs:
        return theirs
    return getattr(import_module(f"cuarray.{module}"), name)


def as_numpys(ours):
    """Return NumPy's object in the place of one of cuarray.numpy's."""
    return THEIRS.get(ours, ours)


def numpys_class(x):
    """Return numpy.ndarray in the place of the class that stands for it."""
    return np.ndarray if isinstance(x, type) and x == np.ndarray else x
