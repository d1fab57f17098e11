"""Streams, events and graphs: ordering of work on a device, and synchronization."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from operator import index
from typing import Any

from cuarray import _core
from cuarray._arguments.axes import integer

__all__ = ["Event", "Graph", "Stream", "current_stream", "default_stream"]


def told_handle(stream):
    """Return the handle that another library's stream reports, or the object itself."""
    protocol = getattr(stream, "__cuda_stream__", None)
    if protocol is not None:
        answer = protocol() if callable(protocol) else protocol
        if not isinstance(answer, tuple) or len(answer) != 2:
            raise TypeError(f"Stream: __cuda_stream__ must return a version and a handle, not {answer!r}")
        version, handle = answer
        if version != 0:
            raise ValueError(f"Stream: version {version!r} of __cuda_stream__ is not known; version 0 is")
        return handle
    for name in ("cuda_stream", "ptr", "handle"):
        handle = getattr(stream, name, None)
        if handle is not None:
            # Numba wraps the number in another object.
            value = getattr(handle, "value", handle)
            return 0 if value is None else value
    return stream


def handle_of(stream):
    """Return the handle of another library's stream: an integer, or from its protocols and attributes."""
    handle = told_handle(stream)
    try:
        number = index(handle)
    except TypeError:
        raise TypeError(
            f"a stream must be a cuarray.Stream, a handle, or have __cuda_stream__, not {type(handle).__name__}"
        ) from None
    if not 0 <= number < 1 << 63:
        raise ValueError(f"Stream: {number} is no stream handle")
    return number


def core_stream(stream, device=None):
    """Return the _core object of a cuarray stream, or of another library's stream."""
    if isinstance(stream, Stream):
        return stream._core
    return _core.foreign_stream(handle_of(stream), device)


class Stream:
    """A queue of work on one device, which runs in order, concurrently with other streams.

    Inside ``with stream:`` this thread's work on the stream's device is queued there. Arrays may be used on
    any stream at any time: cuarray makes one stream wait for another where their values require it.

    Parameters
    ----------
    device : device or str, optional
        The current device by default.
    priority : int
        Smaller numbers run first where the device has to choose; 0 is the lowest priority, -5 often the
        highest; others are clamped.
    non_blocking : bool
        Whether the stream is independent of CUDA's legacy default stream, on which other libraries work.

    Notes
    -----
    On cpu, work is done when the call returns, so nothing has to wait; programs with streams also run there.

    See Also
    --------
    default_stream, current_stream, Event, Graph

    Examples
    --------
    >>> import cuarray as ca
    >>> stream = ca.Stream()
    >>> with stream:
    ...     x = ca.ones(3) + 1
    >>> stream.synchronize()
    >>> x.tolist()
    [2.0, 2.0, 2.0]
    """

    __slots__ = ("__weakref__", "_core")

    def __init__(self, device: _core.device | str | None = None, priority: int = 0, non_blocking: bool = True) -> None:
        number = integer(priority, "priority", "Stream")
        if not -(2**31) <= number < 2**31:
            raise ValueError(f"Stream: priority must fit 32 bits, not {number}")
        self._core = _core.make_stream(device, number, bool(non_blocking))

    @classmethod
    def _of(cls, core):
        made = object.__new__(cls)
        made._core = core
        return made

    @classmethod
    def from_external(cls, stream: Any, device: _core.device | str | None = None) -> Stream:
        """Use a stream of another library.

        It must outlive the returned object. cuarray records an event after each operation on it, so that
        other streams can wait for it.

        Parameters
        ----------
        stream : int or object
            A CUstream handle, or an object with ``__cuda_stream__`` (CuPy, torch, Numba, cuda.core). 0 and 1,
            CUDA's legacy default stream, give the device's default stream, which CUDA keeps in order with it.
        device : device or str, optional
            The device it belongs to; by default that of a `Stream`, and for other streams the current one.

        Returns
        -------
        Stream

        Raises
        ------
        ValueError
            If the stream belongs to another device, or is the per-thread default stream (2).

        Examples
        --------
        >>> import cuarray as ca
        >>> stream = ca.Stream()
        >>> ca.Stream.from_external(stream) == stream
        True
        """
        core = core_stream(stream, device)
        if device is not None and core.device != _core.device(device):
            raise ValueError(f"Stream: the stream {core.handle} belongs to {core.device}, not to {device}")
        return cls._of(core)

    @property
    def device(self) -> _core.device:
        """The device whose work is queued here."""
        return self._core.device

    @property
    def handle(self) -> int:
        """The CUstream as an integer; 0 on cpu."""
        return self._core.handle

    @property
    def priority(self) -> int:
        """The priority on the device: 0 or less, smaller numbers first."""
        return self._core.priority

    @property
    def is_external(self) -> bool:
        """Whether another library made the stream."""
        return self._core.is_foreign

    @property
    def __cuda_stream__(self) -> Callable[[], tuple[int, int]]:
        """The protocol for other libraries to use the stream: a function that returns (0, handle)."""
        if not self.handle:
            raise AttributeError(f"a stream of {self.device} is no CUDA stream")
        return lambda: (0, self.handle)

    def synchronize(self) -> None:
        """Wait until all work queued here has run, and raise its errors.

        Examples
        --------
        >>> import cuarray as ca
        >>> stream = ca.Stream()
        >>> with stream:
        ...     x = ca.ones(3) + 1
        >>> stream.synchronize()
        >>> stream.query()
        True
        """
        self._core.synchronize()

    def query(self) -> bool:
        """Tell whether all work queued here has run; does not wait.

        Returns
        -------
        bool

        Examples
        --------
        >>> import cuarray as ca
        >>> stream = ca.Stream()
        >>> stream.synchronize()
        >>> stream.query()
        True
        """
        return self._core.is_done()

    is_done = query

    def wait(self, other: Any) -> None:
        """Make later work of this stream wait for a stream or an event. The caller does not wait.

        Parameters
        ----------
        other : Stream or Event
            The current work of a stream, or the work that the event recorded last. Streams of other libraries
            are accepted, too.

        Examples
        --------
        >>> import cuarray as ca
        >>> first, second = ca.Stream(), ca.Stream()
        >>> second.wait(first)
        """
        if isinstance(other, Event):
            self._core.wait_for_event(other._core)
        else:
            self._core.wait_for_stream(core_stream(other, self.device))

    def record(self, event: Event | None = None) -> Event:
        """Record the current point of the stream in an event.

        Parameters
        ----------
        event : Event, optional
            A new one without timing by default.

        Returns
        -------
        Event

        Examples
        --------
        >>> import cuarray as ca
        >>> event = ca.Stream().record()
        >>> event.synchronize()
        >>> event.query()
        True
        """
        if event is None:
            event = Event(device=self.device)
        event._core.record(self._core)
        return event

    def __enter__(self) -> Stream:
        self._core.enter()
        return self

    def __exit__(self, *exception: object) -> None:
        try:
            if exception[0] is None:  # else what waits runs as well, and its errors are raised where values are read
                _core.settle_all()
        finally:
            _core.leave_stream()

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Stream):
            return NotImplemented
        return self._core.id == other._core.id

    def __hash__(self) -> int:
        return hash((Stream, self._core.id))

    def __repr__(self) -> str:
        return f"<cuarray.Stream {self.handle:#x} on {self.device}>"


class Event:
    """A point in a stream, to wait for or to measure time with.

    Parameters
    ----------
    timing : bool
        Whether the device records the time. Events without it are cheaper.
    device : device or str, optional
        The current device by default.

    See Also
    --------
    Stream.record, Stream.wait

    Examples
    --------
    >>> import cuarray as ca
    >>> start, end = ca.Event(timing=True), ca.Event(timing=True)
    >>> _ = start.record()
    >>> x = ca.ones(1000).sum()
    >>> _ = end.record()
    >>> end.synchronize()
    >>> end - start >= 0
    True
    """

    __slots__ = ("__weakref__", "_core")

    def __init__(self, timing: bool = False, device: _core.device | str | None = None) -> None:
        self._core = _core.make_event(device, bool(timing))

    @property
    def device(self) -> _core.device:
        """The device whose streams can record it."""
        return self._core.device

    @property
    def timing(self) -> bool:
        """Whether the device records the time."""
        return self._core.timing

    def record(self, stream: Any = None) -> Event:
        """Record the current point of a stream, replacing an earlier record.

        Parameters
        ----------
        stream : Stream, optional
            The current one of the event's device by default.

        Returns
        -------
        Event
            This one.

        Raises
        ------
        ValueError
            If the stream belongs to another device.

        Examples
        --------
        >>> import cuarray as ca
        >>> ca.Event().record(ca.Stream()).query() in (True, False)
        True
        """
        core = _core.current_stream(self.device) if stream is None else core_stream(stream, self.device)
        self._core.record(core)
        return self

    def query(self) -> bool:
        """Tell whether the recorded work has run; True if nothing was recorded.

        Returns
        -------
        bool

        Examples
        --------
        >>> import cuarray as ca
        >>> ca.Event().query()
        True
        """
        return self._core.is_done()

    is_done = query

    def synchronize(self) -> None:
        """Wait until the recorded work has run, and raise its errors.

        Examples
        --------
        >>> import cuarray as ca
        >>> event = ca.Event().record()
        >>> event.synchronize()
        >>> event.query()
        True
        """
        self._core.synchronize()

    def elapsed_ms(self, start: Event) -> float:
        """Return the milliseconds from another event to this later one, as ``end - start`` does.

        Parameters
        ----------
        start : Event

        Returns
        -------
        float

        Raises
        ------
        ValueError
            If one of the two has no timing or was not recorded, or they are of different devices; if `start` is later.
        RuntimeError
            If the work before them has not run yet: `synchronize` first.

        Examples
        --------
        >>> import cuarray as ca
        >>> start, end = ca.Event(timing=True).record(), ca.Event(timing=True).record()
        >>> end.synchronize()
        >>> end.elapsed_ms(start) >= 0
        True
        """
        time = self._core.elapsed_ms(start._core)
        if time < 0:
            raise ValueError("elapsed_ms: the other event is the later one; write end.elapsed_ms(start)")
        return time

    def __sub__(self, other: Event) -> float:
        if not isinstance(other, Event):
            return NotImplemented
        return self._core.elapsed_ms(other._core)

    def __repr__(self) -> str:
        return f"<cuarray.Event on {self.device}{', timing' if self.timing else ''}>"


class Graph:
    """Operations that are recorded once and then run repeatedly, with one launch for all of them.

    Work inside ``with graph.capture():`` on the graph's device is recorded and not run. Each `launch`
    runs it on the same arrays: inputs are read again, results are overwritten. The graph keeps all memory
    that its operations use alive.

    Parameters
    ----------
    device : device or str, optional
        The current device by default.

    Notes
    -----
    Inside a capture, values cannot be read (``print(x)``, ``float(x)``, ``x.numpy()``) and data cannot
    come from the host: nothing has run yet. Python runs once: branches and loops are recorded as executed.

    Examples
    --------
    >>> import cuarray as ca
    >>> x = ca.zeros(3)
    >>> graph = ca.Graph()
    >>> with graph.capture():
    ...     y = x * 2 + 1
    >>> x[...] = 5
    >>> graph.launch()
    >>> y.tolist()
    [11.0, 11.0, 11.0]
    """

    __slots__ = ("__weakref__", "_core", "_device")

    def __init__(self, device: _core.device | str | None = None) -> None:
        self._device = _core.current_stream(device).device
        self._core: Any = None

    @property
    def device(self) -> _core.device:
        """The device whose work is recorded."""
        return self._device

    @property
    def is_captured(self) -> bool:
        """Whether the graph has been captured."""
        return self._core is not None

    @contextmanager
    def capture(self) -> Iterator[Graph]:
        """Record this thread's work on the graph's device instead of running it; no other thread's.

        Raises
        ------
        RuntimeError
            If the graph was captured before, or this thread is capturing already. Inside: if values are
            read.

        Examples
        --------
        >>> import cuarray as ca
        >>> x, graph = ca.zeros(2), ca.Graph()
        >>> with graph.capture():
        ...     x += 1
        >>> graph.is_captured, x.tolist()
        (True, [0.0, 0.0])
        """
        if self.is_captured:
            raise RuntimeError("Graph.capture: the graph was captured before; make a new one")
        if os.environ.get("CUARRAY_VALIDATE") == "1":
            raise RuntimeError(
                "Graph.capture: CUARRAY_VALIDATE=1 compares results, and there are none in a capture; unset it"
            )
        stream = _core.begin_capture(self._device)
        try:
            yield self
        except BaseException:
            _core.drop_capture(stream)
            raise
        self._core = _core.end_capture(stream)

    def launch(self, stream: Any = None) -> None:
        """Queue all operations again.

        Parameters
        ----------
        stream : Stream, optional
            The current one of the graph's device by default.

        Raises
        ------
        RuntimeError
            If nothing was captured.
        ValueError
            If the stream belongs to another device.

        Examples
        --------
        >>> import cuarray as ca
        >>> x, graph = ca.zeros(2), ca.Graph()
        >>> with graph.capture():
        ...     x += 1
        >>> graph.launch()
        >>> graph.launch()
        >>> x.tolist()
        [2.0, 2.0]
        """
        if not self.is_captured:
            raise RuntimeError("Graph.launch: nothing was captured; do that inside `with graph.capture():`")
        core = _core.current_stream(self._device) if stream is None else core_stream(stream, self._device)
        self._core.launch(core)

    def __repr__(self) -> str:
        state = f"{self._core.operations} operations" if self.is_captured else "not captured"
        return f"<cuarray.Graph on {self._device}, {state}>"


def current_stream(device=None):
    """Return the stream on which this thread's work on a device is queued.

    Parameters
    ----------
    device : device or str, optional
        The current device by default.

    Returns
    -------
    Stream
        The innermost ``with stream:`` of the device, else its default stream.

    Examples
    --------
    >>> import cuarray as ca
    >>> ca.current_stream() == ca.default_stream()
    True
    >>> with ca.Stream() as stream:
    ...     ca.current_stream() == stream
    True
    """
    return Stream._of(_core.current_stream(device))


def default_stream(device=None):
    """Return the stream for work on a device outside of every ``with stream:``.

    On a GPU it is a stream of cuarray that CUDA keeps in order with the legacy default stream,
    which other libraries use by default.

    Parameters
    ----------
    device : device or str, optional
        The current device by default.

    Returns
    -------
    Stream

    Examples
    --------
    >>> import cuarray as ca
    >>> ca.default_stream("cpu").device
    device('cpu')
    """
    return Stream._of(_core.default_stream(device))
