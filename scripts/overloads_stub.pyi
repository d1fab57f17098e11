# overloads_stub.pyi -- the functions whose type of result depends on the arguments; the end of __init__.pyi.

from builtins import bool as _bool
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from typing import Any, Literal, SupportsIndex, TypeVar, overload

from cuarray._core import ArrayLike, Axis, DeviceLike, DTypeLike, Shape, ndarray

_Function = TypeVar("_Function", bound=Callable[..., Any])

@overload
def atleast_1d(ary: ArrayLike, /) -> ndarray: ...
@overload
def atleast_1d(*arys: ArrayLike) -> tuple[ndarray, ...]:
    """Return each array with at least one axis: one array, or a tuple of several."""

@overload
def atleast_2d(ary: ArrayLike, /) -> ndarray: ...
@overload
def atleast_2d(*arys: ArrayLike) -> tuple[ndarray, ...]:
    """Return each array with at least two axes; new axes come first."""

@overload
def atleast_3d(ary: ArrayLike, /) -> ndarray: ...
@overload
def atleast_3d(*arys: ArrayLike) -> tuple[ndarray, ...]:
    """Return each array with at least three axes: (n,) becomes (1, n, 1), and (m, n) becomes (m, n, 1)."""

@overload
def average(
    a: ArrayLike,
    axis: Axis = None,
    weights: ArrayLike | None = None,
    returned: Literal[False] = False,
    *,
    keepdims: _bool = False,
) -> ndarray: ...
@overload
def average(
    a: ArrayLike,
    axis: Axis = None,
    weights: ArrayLike | None = None,
    *,
    returned: Literal[True],
    keepdims: _bool = False,
) -> tuple[ndarray, ndarray]: ...
@overload
def average(
    a: ArrayLike, axis: Axis, weights: ArrayLike | None, returned: Literal[True], *, keepdims: _bool = False
) -> tuple[ndarray, ndarray]:
    """Return weighted averages."""

def frompyfunc(func: Callable[..., Any], /, nin: int, nout: int, **kwargs: Any) -> Any:
    """Return a function that calls a Python function for each element."""

class _ThreadContext:
    def __call__(self, function: _Function) -> _Function: ...
    def __enter__(self) -> _ThreadContext: ...
    def __exit__(self, *exception: object) -> None: ...

# Classes at run time; two functions each here, because checkers do not take a class for a decorated function.
@overload
def fuse(function: None = None) -> _ThreadContext: ...
@overload
def fuse(function: _Function) -> _Function:
    """Fuse elementwise operations into one kernel, with bit-identical results."""

@overload
def eager(function: None = None) -> _ThreadContext: ...
@overload
def eager(function: _Function) -> _Function:
    """Run each operation at its call, also where cuarray would wait and fuse it with those that follow."""

@overload
def deterministic(function: None = None) -> _ThreadContext: ...
@overload
def deterministic(function: _Function) -> _Function:
    """Compute products in one written order of additions: the same bits on every device, and for every layout."""

@overload
def gradient(f: ArrayLike, *varargs: ArrayLike, axis: SupportsIndex, edge_order: Literal[1, 2] = 1) -> ndarray: ...
@overload
def gradient(f: ArrayLike, *varargs: ArrayLike, axis: Shape | None = None, edge_order: Literal[1, 2] = 1) -> Any:
    """Return the derivative along the axis, or a tuple of those along several axes."""

def histogramdd(
    sample: ArrayLike,
    bins: Any = 10,
    range: Sequence[Any] | None = None,
    density: _bool | None = None,
    weights: ArrayLike | None = None,
) -> tuple[ndarray, list[ndarray]]:
    """Count points by the cells of a grid."""

@overload
def indices(
    dimensions: Sequence[SupportsIndex],
    dtype: DTypeLike = ...,
    sparse: Literal[False] = False,
    *,
    device: DeviceLike = None,
    like: ndarray | None = None,
) -> ndarray: ...
@overload
def indices(
    dimensions: Sequence[SupportsIndex],
    dtype: DTypeLike = ...,
    *,
    sparse: Literal[True],
    device: DeviceLike = None,
    like: ndarray | None = None,
) -> tuple[ndarray, ...]: ...
@overload
def indices(
    dimensions: Sequence[SupportsIndex],
    dtype: DTypeLike,
    sparse: Literal[True],
    *,
    device: DeviceLike = None,
    like: ndarray | None = None,
) -> tuple[ndarray, ...]:
    """Return the coordinates of each point of a grid."""

@overload
def intersect1d(
    ar1: ArrayLike, ar2: ArrayLike, assume_unique: _bool = False, return_indices: Literal[False] = False
) -> ndarray: ...
@overload
def intersect1d(
    ar1: ArrayLike, ar2: ArrayLike, assume_unique: _bool = False, *, return_indices: Literal[True]
) -> tuple[ndarray, ndarray, ndarray]: ...
@overload
def intersect1d(
    ar1: ArrayLike, ar2: ArrayLike, assume_unique: _bool, return_indices: Literal[True]
) -> tuple[ndarray, ndarray, ndarray]:
    """Return the common elements of two arrays, each once, in ascending order."""

@overload
def linspace(
    start: ArrayLike,
    stop: ArrayLike,
    num: SupportsIndex = 50,
    endpoint: _bool = True,
    retstep: Literal[False] = False,
    dtype: DTypeLike | None = None,
    axis: SupportsIndex = 0,
    *,
    device: DeviceLike = None,
) -> ndarray: ...
@overload
def linspace(
    start: ArrayLike,
    stop: ArrayLike,
    num: SupportsIndex = 50,
    endpoint: _bool = True,
    *,
    retstep: Literal[True],
    dtype: DTypeLike | None = None,
    axis: SupportsIndex = 0,
    device: DeviceLike = None,
) -> tuple[ndarray, Any]: ...
@overload
def linspace(
    start: ArrayLike,
    stop: ArrayLike,
    num: SupportsIndex,
    endpoint: _bool,
    retstep: Literal[True],
    dtype: DTypeLike | None = None,
    axis: SupportsIndex = 0,
    *,
    device: DeviceLike = None,
) -> tuple[ndarray, Any]:
    """Make equally spaced numbers."""

def load(
    file: Any,
    mmap_mode: Literal["r+", "r", "w+", "c"] | None = None,
    allow_pickle: _bool = False,
    fix_imports: _bool = True,
    encoding: str = "ASCII",
    *,
    max_header_size: int = 10000,
) -> Any:
    """Read a file of `save`, `savez` or NumPy: an array, or a dict of the arrays of an archive."""

def printoptions(*args: Any, **kwargs: Any) -> AbstractContextManager[Any]:
    """Set print options inside a context; numpy.printoptions."""

@overload
def polyfit(
    x: ArrayLike,
    y: ArrayLike,
    deg: SupportsIndex,
    rcond: float | None = None,
    full: Literal[False] = False,
    w: ArrayLike | None = None,
    cov: Literal[False] = False,
) -> ndarray: ...
@overload
def polyfit(
    x: ArrayLike,
    y: ArrayLike,
    deg: SupportsIndex,
    rcond: float | None = None,
    *,
    full: Literal[True],
    w: ArrayLike | None = None,
    cov: _bool | str = False,
) -> tuple[ndarray, ndarray, ndarray, ndarray, ndarray]: ...
@overload
def polyfit(
    x: ArrayLike,
    y: ArrayLike,
    deg: SupportsIndex,
    rcond: float | None = None,
    full: Literal[False] = False,
    w: ArrayLike | None = None,
    *,
    cov: Literal[True] | str,
) -> tuple[ndarray, ndarray]: ...
@overload
def polyfit(
    x: ArrayLike,
    y: ArrayLike,
    deg: SupportsIndex,
    rcond: float | None = None,
    full: _bool = False,
    w: ArrayLike | None = None,
    cov: _bool | str = False,
) -> Any:
    """Fit a polynomial to points by least squares."""

@overload
def trim_zeros(filt: ndarray, trim: str = "fb", axis: Shape | None = None) -> ndarray: ...
@overload
def trim_zeros(filt: list[Any], trim: str = "fb", axis: Shape | None = None) -> list[Any]: ...
@overload
def trim_zeros(filt: ArrayLike, trim: str = "fb", axis: Shape | None = None) -> Any:
    """Return the array without zeros at its ends."""

@overload
def unique(
    ar: ArrayLike,
    return_index: Literal[False] = False,
    return_inverse: Literal[False] = False,
    return_counts: Literal[False] = False,
    axis: SupportsIndex | None = None,
    *,
    equal_nan: _bool = True,
    sorted: _bool = True,
) -> ndarray: ...
@overload
def unique(
    ar: ArrayLike,
    return_index: _bool = False,
    return_inverse: _bool = False,
    return_counts: _bool = False,
    axis: SupportsIndex | None = None,
    *,
    equal_nan: _bool = True,
    sorted: _bool = True,
) -> tuple[ndarray, ...]:
    """Return the unique elements in ascending order, and on request their positions and counts."""

@overload
def where(condition: ArrayLike, /) -> tuple[ndarray, ...]: ...
@overload
def where(condition: ArrayLike, x: ArrayLike, y: ArrayLike, /) -> ndarray:
    """Select elements from x where the condition is true, else from y; or find the true elements."""
