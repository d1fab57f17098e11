"""hostile.py -- objects that raise, change or resize an array while a function asks them for a number."""

import cuarray as ca


class Planted(Exception):
    """What hostile objects raise: it must arrive as it is, or as NumPy lets it arrive."""


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
                raise IndexError(k)  # or it would have no end, for NumPy as well
            return methods["getitem"]()

        special["__getitem__"] = item
    return type("Hostile", (), special)()


def shrink(x, result=1):
    """Take the memory of an array of ours away, as x.resize does; NumPy would not survive that."""
    if isinstance(x, ca.ndarray):
        x.resize(1)
    return result


def scribble(x, result=1):
    """Write into an array."""
    x[...] = 0
    return result


def freeze(x, result=1):
    """Protect an array."""
    x.setflags(write=False)
    return result


#: The names that programs use.
NAMES = {
    "Planted": Planted,
    "boom": boom,
    "hostile": hostile,
    "shrink": shrink,
    "scribble": scribble,
    "freeze": freeze,
}
