"""The rows of ufuncs.def as importable names: `from cuarray._arguments.ufuncs import add`."""

from cuarray._core import ufunc, ufuncs


def __getattr__(name: str) -> ufunc:
    if name not in ufuncs:
        raise AttributeError(f"ufuncs.def has no row {name!r}")
    return ufuncs[name]
