"""Types for annotations, as those of numpy.typing: arrays, and what functions take as arrays and as dtypes."""

from collections.abc import Sequence
from typing import Any, TypeAlias

from numpy import typing as npt

from cuarray._core import ndarray

__all__ = ["ArrayLike", "DTypeLike", "NDArray"]

ArrayLike: TypeAlias = ndarray | npt.ArrayLike | Sequence[Any]
DTypeLike: TypeAlias = npt.DTypeLike
#: The type of arrays; ``NDArray[cuarray.float64]`` is accepted when a program runs, and no type checker looks at it.
NDArray: TypeAlias = ndarray


def __dir__() -> list[str]:
    return sorted(__all__)
