"""xarray's `.values`, `float(d)` and `bool(d)` of arrays of a GPU: an explicit request for a copy on the host.

xarray makes it by `numpy.asarray`, which cuarray refuses elsewhere, because it hides a copy.
"""

import sys

__all__ = ["asks_for_values"]

#: The functions of xarray that read values, by module and name.
READERS = frozenset({("xarray.core.variable", "_as_array_or_item"), ("xarray.namedarray.pycompat", "to_numpy")})


def asks_for_values():
    """Whether the running call of `__array__` comes from a function of xarray that reads values.

    Returns
    -------
    bool
    """
    if "xarray" not in sys.modules:
        return False
    caller = sys._getframe(1)
    return (caller.f_globals.get("__name__"), caller.f_code.co_name) in READERS


def __dir__() -> list[str]:
    return sorted(__all__)
