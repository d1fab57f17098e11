"""Memory of the devices: statistics, limits, custom allocators, and tracking of allocations.

``python -c "import cuarray; print(cuarray.memory.stats())"`` prints a table; see docs/memory.md.
"""

import contextlib
import sys
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from types import EllipsisType
from typing import Any, NamedTuple, Self, SupportsInt, overload

import numpy as np

from cuarray import _core

__all__ = [
    "flush_peers", "limit", "register_flush", "reset_peak", "set_allocator", "snapshot", "stats", "track",
    "trim", "unregister_flush", "use_pool",
]  # fmt: skip


def __dir__() -> list[str]:
    return sorted(__all__)


def size_text(size: float) -> str:
    """Return '1.5 GiB' for a number of bytes."""
    units = ["B", "KiB", "MiB", "GiB", "TiB", "PiB"]
    while size >= 1024 and len(units) > 1:
        size /= 1024
        del units[0]
    return f"{size:.0f} {units[0]}" if size == int(size) else f"{size:.1f} {units[0]}"


def table(rows: Sequence[tuple[str, ...]]) -> str:
    """Return rows of text in columns, the first left-aligned, the others right-aligned."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines = [
        "  ".join(c.rjust(w) if i else c.ljust(w) for i, (c, w) in enumerate(zip(row, widths, strict=True)))
        for row in rows
    ]
    return "\n".join(line.rstrip() for line in lines)


class Stats(dict[str, Any]):
    """Memory statistics of a device, as `stats` returns them; str() gives a table."""

    def __str__(self) -> str:
        limit = "no limit" if self["limit"] is None else f"limit {size_text(self['limit'])}"
        head = (
            f"{self['device']}: {size_text(self['current'])} in {self['allocations']} blocks, "
            f"at most {size_text(self['peak'])}; {size_text(self['reserved'])} reserved; {limit}; "
            f"{size_text(self['available'])} of {size_text(self['total'])} available"
        )
        rows = [("", "in arrays", "cached", "blocks")]
        for prefix, part in (("", "kinds"), ("stream ", "streams")):
            for name, share in self[part].items():
                sizes = size_text(share["current"]), size_text(share["cached"])
                rows.append((prefix + name, *sizes, str(share["allocations"])))
        return f"{head}\n{table(rows)}"


def stats(device: _core.device | str | None = None) -> Stats:
    """Return the memory statistics of a device.

    Parameters
    ----------
    device : device or str, optional
        The current device by default.

    Returns
    -------
    Stats
        A dict; `print` shows it as a table. In bytes: 'current' in arrays, 'peak' the maximum so far,
        'reserved' from the system including cached blocks, 'limit' (None: none), 'available' and 'total' of
        the device; 'allocations', the number of live blocks; 'kinds' (of memory, such as 'device' and
        'pinned') and 'streams', dicts with 'current', 'cached' and 'allocations' of each. Pinned host memory
        is counted only there.

    Raises
    ------
    ValueError
        If there is no such device.

    Examples
    --------
    >>> import cuarray as ca
    >>> before = ca.memory.stats("cpu")["current"]
    >>> x = ca.zeros(1000, device="cpu")
    >>> ca.memory.stats("cpu")["current"] - before
    8000
    """
    figures = Stats(_core.memory_stats(device))
    keys = ("current", "cached", "allocations")
    for part in ("kinds", "streams"):
        figures[part] = {name: dict(zip(keys, values, strict=True)) for name, *values in figures[part]}
    return figures


def trim(device: _core.device | str | None = None) -> None:
    """Wait for a device and return its cached memory to the system.

    Parameters
    ----------
    device : device or str, optional
        The current device by default.

    Examples
    --------
    >>> import cuarray as ca
    >>> ca.memory.trim("cpu")
    """
    _core.memory_trim(device)


def reset_peak(device: _core.device | str | None = None) -> None:
    """Reset 'peak' of `stats` to the memory in use now.

    Parameters
    ----------
    device : device or str, optional
        The current device by default.

    Examples
    --------
    >>> import cuarray as ca
    >>> ca.memory.reset_peak("cpu")
    >>> ca.memory.stats("cpu")["peak"] == ca.memory.stats("cpu")["current"]
    True
    """
    _core.reset_memory_peak(device)


class Limit:
    """The context manager that `limit` returns: leaving its `with` block restores the previous limit."""

    def __init__(self, device: _core.device | str | None, former: int | None) -> None:
        self.device = device
        self.former = former

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exception: object) -> None:
        _core.set_memory_limit(self.former, self.device)


@overload
def limit(size: EllipsisType = ..., device: _core.device | str | None = None) -> int | None: ...
@overload
def limit(size: float | None, device: _core.device | str | None = None) -> Limit: ...
def limit(size=Ellipsis, device=None):
    """Return or set the limit on the bytes of arrays on a device.

    An allocation that would exceed the limit runs gc.collect() and then raises MemoryError. Cached memory
    beyond the limit is returned to the system.

    Parameters
    ----------
    size : int, float or None, optional
        Bytes; or a fraction of the device's memory, 0.0 to 1.0; or None for no limit. If omitted, the limit
        is returned.
    device : device or str, optional
        The current device by default.

    Returns
    -------
    int or None, or a context manager
        The limit, if `size` is not given. Otherwise an object that restores the previous limit at the end of
        a ``with`` block.

    Raises
    ------
    TypeError
        If the size is not a number.
    ValueError
        If it is negative, or a fraction above 1.

    Examples
    --------
    >>> import cuarray as ca
    >>> with ca.memory.limit(2**20, "cpu"):
    ...     ca.memory.limit(device="cpu")
    1048576
    >>> print(ca.memory.limit(device="cpu"))
    None
    """
    device = _core.device(device)
    former = _core.memory_limit(device)
    if size is Ellipsis:
        return former
    if isinstance(size, (float, np.floating)):
        if not 0 <= size <= 1:
            raise ValueError(f"limit: {size} is no fraction from 0.0 to 1.0; bytes are given as an int")
        size = int(size * _core.memory_stats(device)["total"])
    elif size is not None:
        if isinstance(size, (bool, np.bool_)) or not hasattr(size, "__index__"):
            raise TypeError(f"limit: bytes as an int, a fraction as a float, or None, not {size!r}")
        size = size.__index__()
        if size < 0:
            raise ValueError(f"limit: {size} bytes is negative; None means no limit")
        size = min(size, 2**63 - 1)
    _core.set_memory_limit(size, device)
    return Limit(device, former)


def set_allocator(allocator: Any, device: _core.device | str | None = None) -> None:
    """Set the allocator of the memory of new arrays.

    The memory of existing arrays is freed by the allocator that it came from.

    Parameters
    ----------
    allocator : object, capsule or None
        An object with the methods ``allocate(bytes, stream) -> address`` and ``free(address, bytes,
        stream)``; or a pair of such functions; or a capsule with the C struct of cuarray/runtime/allocator.h;
        or None, the device's own pool. `stream` is a CUstream as an integer, 0 on cpu. The address is an
        integer and a multiple of 256. If memory has run out, `allocate` returns 0 or None, or raises
        MemoryError: then caches are emptied and it is called again. Work queued on `stream` before `free` may
        still use the memory.
    device : device or str, optional
        The current device by default.

    Raises
    ------
    TypeError
        If the allocator is none of these.
    ValueError
        Raised by later allocations: if an address is misaligned, in use already, or not memory of the device.

    Examples
    --------
    >>> import cuarray as ca
    >>> import ctypes
    >>> class Aligned:
    ...     libc = ctypes.CDLL(None)
    ...     libc.aligned_alloc.restype = ctypes.c_void_p
    ...     def allocate(self, size, stream):
    ...         multiple = -(-size // 256) * 256  # as aligned_alloc asks for
    ...         return self.libc.aligned_alloc(ctypes.c_size_t(256), ctypes.c_size_t(multiple))
    ...     def free(self, address, size, stream):
    ...         self.libc.free(ctypes.c_void_p(address))
    >>> ca.memory.set_allocator(Aligned(), "cpu")
    >>> ca.ones(3, device="cpu").sum().item()
    3.0
    >>> ca.memory.set_allocator(None, "cpu")
    """
    if allocator is None or type(allocator).__name__ == "PyCapsule":
        functions = allocator, None
    elif isinstance(allocator, tuple) and len(allocator) == 2:
        functions = allocator
    else:
        functions = getattr(allocator, "allocate", None), getattr(allocator, "free", None)
    if functions != (allocator, None) and not all(map(callable, functions)):
        raise TypeError(
            "set_allocator: an object with methods allocate and free, a pair of functions, a capsule or "
            f"None, not {allocator!r}"
        )
    name = getattr(functions[0], "__qualname__", type(allocator).__name__)
    _core.set_memory_allocator(*functions, name, device)


def use_pool(pool: Any, device: _core.device | str | None = None) -> None:
    """Choose the memory pool of new arrays.

    Parameters
    ----------
    pool : None, 'cuarray', int or object
        None is the device's current CUDA memory pool, which other libraries use as well; 'cuarray' is
        cuarray's pool over cuMemAlloc, as on devices without pools; an int is a CUmemoryPool, and so is the
        attribute `handle` of an object such as cuda.core's MemoryPool, which must outlive its arrays.
    device : device or str, optional
        The current device by default.

    Raises
    ------
    TypeError
        If it is none of these.
    ValueError
        If the device has no such pool. The cpu has only 'cuarray'.

    Examples
    --------
    >>> import cuarray as ca
    >>> ca.memory.use_pool("cuarray", "cpu")
    >>> ca.memory.use_pool(None, "cpu")
    """
    handle = getattr(pool, "handle", pool)
    if isinstance(handle, str):
        if handle != "cuarray":
            raise ValueError(f"use_pool: there is no pool {handle!r}, only 'cuarray'")
    elif handle is not None:
        if isinstance(handle, (bool, float)) or not isinstance(handle, SupportsInt):
            raise TypeError(f"use_pool: a CUmemoryPool as an int, 'cuarray' or None, not {pool!r}")
        handle = int(handle)
        if not 0 < handle < 2**64:
            raise ValueError(f"use_pool: {handle} is no CUmemoryPool")
    _core.use_memory_pool(handle, device)


#: Functions of `register_flush`, in order of registration.
flushes: list[Callable[[], object]] = []


def register_flush(flush: Callable[[], object]) -> Callable[[], object]:
    """Register a function that is called when a device is out of memory, to empty another library's cache.

    It is called after cuarray's caches were emptied and cycles collected, with the GIL and without any lock.
    The caches of torch, CuPy, Dr.Jit and Numba need no registration; they are emptied if imported and in use.

    Parameters
    ----------
    flush : callable
        Takes no arguments. Its exceptions are reported and not raised.

    Returns
    -------
    callable
        `flush`, so that this can be used as a decorator.

    Raises
    ------
    TypeError
        If it cannot be called.

    Examples
    --------
    >>> import cuarray as ca
    >>> cache = {"table": b"1234"}
    >>> flush = ca.memory.register_flush(cache.clear)
    >>> ca.memory.unregister_flush(flush)
    """
    if not callable(flush):
        raise TypeError(f"register_flush: a function without arguments, not {flush!r}")
    flushes.append(flush)
    return flush


def unregister_flush(flush: Callable[[], object]) -> None:
    """Undo one `register_flush`.

    Parameters
    ----------
    flush : callable

    Raises
    ------
    ValueError
        If it is not registered.

    Examples
    --------
    >>> import cuarray as ca
    >>> ca.memory.unregister_flush(ca.memory.register_flush(lambda: None))
    """
    if flush not in flushes:
        raise ValueError(f"unregister_flush: {flush!r} is not registered")
    flushes.remove(flush)


def flush_torch(torch: Any) -> None:
    if torch.cuda.is_initialized():
        torch.cuda.empty_cache()


def flush_numba(numba: Any) -> None:
    if numba.cuda.cudadrv.devices.gpus.current is not None:
        numba.cuda.current_context().deallocations.clear()


#: Functions that empty the memory caches of other libraries, by the module whose import enables them.
PEERS: dict[str, Callable[..., object]] = {
    "torch.cuda": flush_torch,
    "cupy.cuda": lambda cupy: cupy.get_default_memory_pool().free_all_blocks(),
    "drjit": lambda drjit: drjit.flush_malloc_cache(),
    "numba.cuda": flush_numba,
}


def flush_peers() -> None:
    """Empty the device memory caches of other libraries.

    These are torch, CuPy, Dr.Jit and Numba, where they are imported and use a GPU, and the functions of
    `register_flush`. Their exceptions are reported and not raised.

    Examples
    --------
    >>> import cuarray as ca
    >>> ca.memory.flush_peers()
    """
    used = {name: flush for name, flush in PEERS.items() if name in sys.modules}
    known: list[Callable[[], object]] = [
        partial(flush, sys.modules[name.split(".")[0]]) for name, flush in used.items()
    ]
    for flush in [*known, *flushes]:
        try:
            flush()
        except Exception as error:
            _core.report_unraisable(error, flush)


class Line(NamedTuple):
    """Live arrays made by one source line: their number and bytes."""

    file: str
    line: int
    allocations: int
    bytes: int


class Snapshot(list[Line]):
    """Source lines that made live arrays, most bytes first; str() gives a table."""

    def __str__(self) -> str:
        rows = [("line", "arrays", "bytes", "")]
        for line in self:
            sizes = str(line.bytes), size_text(line.bytes)
            rows.append((f"{line.file}:{line.line}", str(line.allocations), *sizes))
        return table(rows)


@contextlib.contextmanager
def track() -> Iterator[None]:
    """Record inside a `with` block which source line makes each array; see `snapshot`.

    The environment variable ``CUARRAY_TRACK_MEMORY=1`` records from the start.

    Examples
    --------
    >>> import cuarray as ca
    >>> with ca.memory.track():
    ...     x = ca.ones(100, device="cpu")
    ...     y = x * 2
    ...     [(line.line, line.allocations, line.bytes) for line in ca.memory.snapshot("cpu")]
    [(2, 1, 800), (3, 1, 800)]
    """
    _core.track_memory(True)
    try:
        yield
    finally:
        _core.track_memory(False)


def snapshot(device: _core.device | str | None = None) -> Snapshot:
    """Return the source lines of live arrays that were made under `track`.

    Parameters
    ----------
    device : device or str, optional
        The current device by default.

    Returns
    -------
    Snapshot
        A list of tuples (file, line, allocations, bytes), most bytes first; `print` shows a table.

    Raises
    ------
    RuntimeError
        If nothing was tracked.

    Examples
    --------
    >>> import cuarray as ca
    >>> with ca.memory.track():
    ...     x = ca.ones(100, device="cpu")
    >>> ca.memory.snapshot("cpu")[0].bytes
    800
    """
    lines = Snapshot(Line(*line) for line in _core.tracked_memory(device))
    if not lines and not _core.is_tracking_memory():
        raise RuntimeError(
            "snapshot: nothing was tracked; use `with cuarray.memory.track():` or set CUARRAY_TRACK_MEMORY=1"
        )
    return lines
