"""hostile.py -- objects that raise, or modify or resize an array, during their conversion to a number."""

import itertools

from call_arrays import interface, protected, sample, unaligned

import cuarray as ca


class Planted(Exception):
    """Raised by hostile objects: it must propagate unchanged, or as with NumPy."""


def boom(*_):
    raise Planted("planted")


def hostile(**methods):
    """Return an object with special methods: hostile(index=lambda: 2) has an __index__ that returns 2."""

    def method(function):
        return lambda self, *args, **options: function()

    special = {f"__{name}__": method(function) for name, function in methods.items()}
    if {"len", "getitem"} <= methods.keys():

        def item(self, k):
            if k >= methods["len"]():
                raise IndexError(k)  # or it would be endless, also for NumPy
            return methods["getitem"]()

        special["__getitem__"] = item
    return type("Hostile", (), special)()


def shrink(x, result=1):
    """Replace the memory of a cuarray array, as x.resize does; NumPy would crash."""
    if isinstance(x, ca.ndarray):
        x.resize(1)
    return result


def scribble(x, result=1):
    """Write into an array."""
    x[...] = 0
    return result


def freeze(x, result=1):
    """Make an array read-only."""
    x.setflags(write=False)
    return result


#: The names available to programs.
NAMES = {
    "nan": float("nan"),
    "inf": float("inf"),
    "sample": sample,
    "interface": interface,
    "endless": itertools.count,
    "protected": protected,
    "unaligned": unaligned,
    "Planted": Planted,
    "boom": boom,
    "hostile": hostile,
    "shrink": shrink,
    "scribble": scribble,
    "freeze": freeze,
}
