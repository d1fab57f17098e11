"""The Array API standard's inspection of this namespace."""

from typing import Any

import numpy as np

from cuarray import _core
from cuarray._functions.dtypes import isdtype, numpy_types
from cuarray._runtime.devices import default_device, devices

__all__ = ["__array_namespace_info__"]

#: The edition of the standard that the namespace follows.
ARRAY_API_VERSION = "2025.12"


class Info:
    """Capabilities, devices and types, by the Array API standard's inspection interface."""

    def capabilities(self) -> dict[str, int]:
        """Return whether boolean indexing and data-dependent shapes are supported, and the maximum ndim."""
        return {"boolean indexing": True, "data-dependent shapes": True, "max dimensions": 64}

    def default_device(self) -> _core.device:
        """Return the device that new arrays go to."""
        return default_device()

    def devices(self) -> list[_core.device]:
        """Return all devices."""
        return list(devices())

    def default_dtypes(self, *, device: _core.device | str | None = None) -> dict[str, np.dtype[Any]]:
        """Return the types of new arrays by kind; they are the same on every device."""
        return {
            "real floating": np.dtype(float),
            "complex floating": np.dtype(complex),
            "integral": np.dtype(int),
            "indexing": np.dtype(int),
        }

    def dtypes(
        self, *, device: _core.device | str | None = None, kind: str | tuple[str, ...] | None = None
    ) -> dict[str, np.dtype[Any]]:
        """Return the standard's types of a kind, by name; they are the same on every device."""
        names = standard_names()
        types = {name: np.dtype(t) for name, t in numpy_types().items() if name in names}
        return {name: t for name, t in types.items() if kind is None or isdtype(t, kind)}


def standard_names():
    """Return the names of the standard's types, without float16 and bfloat16."""
    found = {np.dtype(getattr(np, name)).name for name in _core.dtype_names() if hasattr(np, name)}
    return found - {"float16"}


def __array_namespace_info__():
    """Return an object that describes devices and types.

    Source: the Array API standard, section "inspection".

    Returns
    -------
    Info

    Examples
    --------
    >>> import cuarray as ca
    >>> ca.__array_namespace_info__().capabilities()["max dimensions"]
    64
    """
    return Info()
