"""The namespace `numpy.lib`: views with arbitrary strides and `scimath` of cuarray's, and NumPy's files and mixins."""

import sys
from types import ModuleType
from typing import Any

from numpy import lib as _of_numpy

from cuarray import emath as scimath
from cuarray.lib import stride_tricks as stride_tricks

__all__ = list(_of_numpy.__all__)

for _name, _value in vars(_of_numpy).items():
    if _name in __all__ and _name not in globals():
        globals()[_name] = _value
        if isinstance(_value, ModuleType):
            sys.modules[f"{__name__}.{_name}"] = _value
sys.modules[f"{__name__}.scimath"] = scimath
del ModuleType, _name, _value, sys


def __getattr__(name: str) -> Any:
    raise AttributeError(f"module 'cuarray.lib' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
