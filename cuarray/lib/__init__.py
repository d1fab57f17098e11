"""What NumPy has in `numpy.lib`: views with any strides."""

from cuarray.lib import stride_tricks as stride_tricks

__all__ = ["stride_tricks"]
