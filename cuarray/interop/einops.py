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
        """Whether a tensor is an array of ours."""
        return isinstance(tensor, ca.ndarray)

    def from_numpy(self, x):
        """Return an array of NumPy as one of ours, on the current device."""
        return ca.asarray(x)

    def to_numpy(self, x):
        """Return a copy as an array of NumPy."""
        return x.numpy()

    def arange(self, start, stop):
        """Return the integers from start to stop."""
        return ca.arange(start, stop)

    def stack_on_zeroth_dimension(self, tensors):
        """Return the arrays stacked along a new first axis."""
        return ca.stack(tensors)

    def tile(self, x, repeats):
        """Return the array repeated."""
        return ca.tile(x, repeats)

    def concat(self, tensors, axis):
        """Return the arrays joined along an axis."""
        return ca.concatenate(tensors, axis=axis)

    def is_float_type(self, x):
        """Whether the elements are real floating-point numbers."""
        return ca.isdtype(x.dtype, "real floating")

    def add_axis(self, x, new_position):
        """Return a view with a new axis of length 1."""
        return ca.expand_dims(x, new_position)

    def einsum(self, pattern, *x):
        """Return the sum of products that the pattern names."""
        return ca.einsum(pattern, *x)
