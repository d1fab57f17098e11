"""The supported part of `numpy.lib`: views with arbitrary strides."""

import numpy as np

from cuarray._namespace.missing import advice_on_missing
from cuarray.lib import stride_tricks as stride_tricks

__all__ = ["stride_tricks"]


def __getattr__(name):
    raise AttributeError(f"module 'cuarray.lib' has no attribute {name!r}" + advice_on_missing(name, np.lib))
