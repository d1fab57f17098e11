"""einops' functions and layers on arrays of cuarray: importing this module tells einops about them.

Its functions for the Array API, `einops.array_api`, take the arrays without it.
"""

import cuarray as ca

try:
    from einops._backends import AbstractBackend
except ImportError as error:
    raise ImportError("cuarray.interop.einops: needs einops; pip install einops") from error

__all__ = ["Backend"]


def __dir__() -> list[str]:
    return sorted(__all__)


class Backend(AbstractBackend):
    """What einops calls for arrays of ours. It finds the class among the subclasses of its base."""

    framework_name = "cuarray"

    def is_appropriate_type(self, tensor):
        return isinstance(tensor, ca.ndarray)

    def from_numpy(self, x):
        return ca.asarray(x)

    def to_numpy(self, x):
        return x.numpy()

    def arange(self, start, stop):
        return ca.arange(start, stop)

    def stack_on_zeroth_dimension(self, tensors):
        return ca.stack(tensors)

    def tile(self, x, repeats):
        return ca.tile(x, repeats)

    def concat(self, tensors, axis):
        return ca.concatenate(tensors, axis=axis)

    def is_float_type(self, x):
        return ca.isdtype(x.dtype, "real floating")

    def add_axis(self, x, new_position):
        return ca.expand_dims(x, new_position)

    def einsum(self, pattern, *x):
        return ca.einsum(pattern, *x)
