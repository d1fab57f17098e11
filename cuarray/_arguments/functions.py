"""The rows of functions.def as importable names: `from cuarray._arguments.functions import moveaxis`."""

from collections.abc import Callable
from typing import Any

from cuarray._core import functions


def __getattr__(name: str) -> Callable[..., Any]:
    if name not in functions:
        raise AttributeError(f"functions.def has no row {name!r}")
    return functions[name]
