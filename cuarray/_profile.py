"""What the devices were asked to do, and how long it took."""

import os
import threading
import time
from functools import cache
from typing import Any, NamedTuple, Self

from cuarray import _core

__all__ = ["profile"]

# The kinds of events, in words.
WORDS = {
    "launch": ("launch", "launches"),
    "copy": ("copy", "copies"),
    "wait": ("wait", "waits"),
    "alloc": ("allocation", "allocations"),
}
HEADS = ("time", "share", "calls", "what", "shape", "moved", "of copy", "build", "line")
LONGEST = 44  # of a cell of the table


class Event(NamedTuple):
    """One operation of a profile. Times are seconds, `start` since the profile began."""

    kind: str
    name: str
    kernel: str
    expression: str
    file: str
    line: int
    shape: tuple
    dtype: str
    bytes: int
    device: str
    stream: int
    thread: int
    start: float
    seconds: float
    host_seconds: float
    build_seconds: float
    build: str
    failed: bool
    device_start: float | None
    device_seconds: float | None

    @property
    def bandwidth(self) -> float:
        """Bytes read and written per second; 0 where nothing was moved."""
        return self.bytes / self.seconds if self.seconds > 0 else 0.0

    @property
    def what(self) -> str:
        """The expression of a launch, the name of anything else; with both where one alone says little."""
        if self.expression.isidentifier() and self.expression != self.name:
            return f"{self.name}({self.expression})"
        return self.expression or self.name

    @property
    def where(self) -> str:
        """The line of the program: 'file.py:12', or ''."""
        return f"{os.path.basename(self.file)}:{self.line}" if self.line else ""


class profile:
    """Collect every kernel, copy, wait and allocation of a block of code.

    All threads and all devices are collected while the block runs. Profiles may be nested: each has
    everything of its own block. A profile that is entered again starts anew.

    Attributes
    ----------
    events : list of Event
        In the order in which they began. Each has `kind` ('launch', 'copy', 'wait' or 'alloc'), `name`,
        `kernel`, `expression`, `file` and `line` of the program that asked for it, `shape`, `dtype`, `bytes`
        (read and written, each element once), `device`, `stream`, `thread`, `start`, `seconds` (without the
        time that making the kernel ready took), `host_seconds` (all that the caller waited), `build_seconds`,
        `build` ('memory', 'disk' or 'compiled'; '' on cpu, where nothing is compiled), `failed`, `bandwidth`.
        On a GPU `seconds` of launches and copies is measured there, by events: `device_start` and
        `device_seconds`, which are None elsewhere.
    seconds : float
        How long the block took, and what it had queued.

    Raises
    ------
    RuntimeError
        If a profile is entered while it runs.
    IndexError, ValueError, CudaError
        At the end of the block, where a GPU is waited for: what went wrong there.

    Notes
    -----
    `print(p)` shows a table, sorted by time. Its column "of copy" compares the bytes per second with those of
    a copy on the same device, which is measured once, when it is first shown. `p.save("trace.json")` writes a
    trace for https://ui.perfetto.dev, `p.save("profile.html")` a page that needs nothing else.

    Each recorded operation takes a few microseconds more; outside of profiles nothing is slower.

    Examples
    --------
    >>> import cuarray as ca
    >>> x = ca.ones((100, 100), device="cpu")
    >>> with ca.profile() as p:
    ...     with ca.fuse():
    ...         y = x * 2 + ca.sin(x)
    >>> [(event.kind, event.expression) for event in p.events if event.kind == "launch"]
    [('launch', 'a*2 + sin(a)')]
    """

    def __init__(self) -> None:
        self.events: list[Event] = []
        self.seconds = 0.0
        self.lost = 0
        self._recording: Any = None

    def __enter__(self) -> Self:
        if self._recording is not None:
            raise RuntimeError("profile: it is running already; make another one to nest")
        self._recording = _core.Recording()
        self.events = []
        self._recording.start()
        self._clock = _core.record_clock()
        return self

    def __exit__(self, *exception):
        recording, self._recording = self._recording, None
        recording.stop()
        try:
            with _core.Unrecorded():
                for device in recording.devices():
                    _core.synchronize(device)
        except Exception as error:
            # What ended the block is what its caller hears of; what the wait found besides is noted there.
            if exception[1] is None:
                raise
            exception[1].add_note(f"and at the end of the profile: {type(error).__name__}: {error}")
        finally:
            self.seconds = (_core.record_clock() - self._clock) * 1e-9
            self.events = sorted(
                (self._event(*record) for record in recording.taken()), key=lambda e: e.start
            )
            self.lost = recording.lost

    def _event(
        self, kind, name, kernel, expression, file, line, shape, dtype, moved, device, stream, thread,
        start, end, built, build, failed, device_start, device_time,
    ):  # fmt: skip
        host = (end - start) * 1e-9
        built *= 1e-9
        on_device = None if device_time is None else device_time * 1e-9
        began = None if device_start is None else (device_start - self._clock) * 1e-9
        seconds = max(0.0, host - built) if on_device is None else on_device
        return Event(
            kind, name, kernel, expression, file, line, shape, dtype, moved, device, stream, thread,
            (start - self._clock) * 1e-9, seconds, host, built, build, failed, began, on_device,
        )  # fmt: skip

    def totals(self) -> dict[str, float]:
        """Return the seconds of each kind of event, and of making kernels ready ('build').

        Returns
        -------
        dict

        Examples
        --------
        >>> import cuarray as ca
        >>> with ca.profile() as p:
        ...     pass
        >>> p.totals()
        {'launch': 0.0, 'copy': 0.0, 'wait': 0.0, 'alloc': 0.0, 'build': 0.0}
        """
        sums = {kind: sum((e.seconds for e in self.events if e.kind == kind), 0.0) for kind in WORDS}
        return {**sums, "build": sum((e.build_seconds for e in self.events), 0.0)}

    def groups(self) -> list[list[Event]]:
        """Return the events that do the same thing at the same line, those that took longest first.

        Returns
        -------
        list of list of Event

        Examples
        --------
        >>> import cuarray as ca
        >>> with ca.profile() as p:
        ...     x = ca.ones(3) + 1
        >>> sum(len(group) for group in p.groups()) == len(p.events)
        True
        """
        found: dict[tuple[Any, ...], list[Event]] = {}
        for event in self.events:
            found.setdefault((event.kind, event.what, event.device, event.file, event.line), []).append(event)
        return sorted(found.values(), key=lambda group: -sum(e.seconds for e in group))

    def rows(self) -> list[tuple[str, ...]]:
        """Return the table's cells, one tuple of texts for each group.

        Examples
        --------
        >>> import cuarray as ca
        >>> with ca.profile() as p:
        ...     pass
        >>> p.rows()
        []
        """
        whole = sum(e.seconds for e in self.events) or 1.0
        return [row(group, whole) for group in self.groups()]

    def summary(self) -> str:
        """Return one line: how long the block took, and what with.

        Examples
        --------
        >>> import cuarray as ca
        >>> with ca.profile() as p:
        ...     pass
        >>> p.summary().endswith("nothing was done")
        True
        """
        totals, parts = self.totals(), []
        for kind, (one, many) in WORDS.items():
            if count := sum(e.kind == kind for e in self.events):
                parts.append(f"{count} {one if count == 1 else many} {time_text(totals[kind])}")
        if totals["build"]:
            parts.append(f"making kernels ready {time_text(totals['build'])}")
        if self.lost:
            parts.append(f"{self.lost} events lost for want of memory")
        return f"{time_text(self.seconds)}: " + (", ".join(parts) or "nothing was done")

    def __str__(self):
        rows = [HEADS, *(tuple(shorten(cell) for cell in cells) for cells in self.rows())]
        if len(rows) == 1:
            return self.summary()
        widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
        left = {HEADS.index(name) for name in ("what", "shape", "line")}
        lines = [
            "  ".join(
                cell.ljust(width) if i in left else cell.rjust(width)
                for i, (cell, width) in enumerate(zip(cells, widths, strict=True))
            ).rstrip()
            for cells in rows
        ]
        return "\n".join([self.summary(), "", *lines])

    def __repr__(self):
        return f"<cuarray.profile of {len(self.events)} events, {time_text(self.seconds)}>"

    def _repr_html_(self) -> str:
        from html import escape

        heads = "".join(f"<th>{head}</th>" for head in HEADS)
        body = "".join(
            "<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in cells) + "</tr>" for cells in self.rows()
        )
        return f"<p>{escape(self.summary())}</p><table><tr>{heads}</tr>{body}</table>"

    def save(self, path) -> None:
        """Write the profile to a file.

        Parameters
        ----------
        path : str or path-like
            A name that ends with .json for a trace in Chrome's format, which https://ui.perfetto.dev and
            chrome://tracing open; one that ends with .html for a page with a timeline and the table.

        Raises
        ------
        ValueError
            If the name ends otherwise.

        Examples
        --------
        >>> import cuarray as ca, json, tempfile
        >>> with ca.profile() as p:
        ...     x = ca.ones(3) + 1
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     p.save(folder + "/trace.json")
        ...     trace = json.load(open(folder + "/trace.json"))
        >>> sorted(trace)
        ['displayTimeUnit', 'traceEvents']
        """
        from cuarray import _profile_files

        writers = {".json": _profile_files.trace, ".html": _profile_files.page}
        suffix = os.path.splitext(path)[1]
        if suffix not in writers:
            raise ValueError(f"profile.save: {str(path)!r} must end with .json (a trace) or .html (a page)")
        text = writers[suffix](self)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)


def row(group, whole):
    """Return the cells of one line of the table."""
    first = group[0]
    seconds, moved = sum(e.seconds for e in group), sum(e.bytes for e in group)
    launched = first.kind == "launch" and seconds > 0
    share = f"{moved / seconds / copy_bandwidth(first.device):.0%}" if launched else ""
    built = sum(e.build_seconds for e in group)
    how = sorted({e.build for e in group if e.build in ("disk", "compiled")})
    shapes = {e.shape for e in group}
    shape = f"{first.shape} {first.dtype}" if len(shapes) == 1 else f"{len(shapes)} shapes"
    return (
        time_text(seconds),
        f"{seconds / whole:.0%}",
        str(len(group)),
        first.what + (" FAILED" if any(e.failed for e in group) else ""),
        shape if first.dtype else "",
        bytes_text(moved) if moved else "",
        share,
        f"{time_text(built)} {'+'.join(how)}" if built else "",
        first.where,
    )


def shorten(text):
    return text if len(text) <= LONGEST else text[: LONGEST - 3] + "..."


def time_text(seconds):
    """Return a time with three digits and a unit.

    Examples
    --------
    >>> from cuarray import _profile
    >>> [_profile.time_text(t) for t in (2.5, 0.0123, 4.56e-6, 0)]
    ['2.50 s', '12.3 ms', '4.56 us', '0 us']
    """
    for scale, unit in ((1, "s"), (1e-3, "ms"), (1e-6, "us")):
        if seconds >= 0.9995 * scale or (unit == "us" and seconds > 0):
            value = seconds / scale
            digits = 2 if value < 9.995 else 1 if value < 99.95 else 0
            return f"{value:.{digits}f} {unit}"
    return "0 us"


def bytes_text(count):
    """Return a number of bytes with three digits and a decimal unit, as bandwidths are counted.

    Examples
    --------
    >>> from cuarray import _profile
    >>> [_profile.bytes_text(n) for n in (999, 12_300, 4_560_000_000)]
    ['999 B', '12.3 kB', '4.56 GB']
    """
    for scale, unit in ((1e9, "GB"), (1e6, "MB"), (1e3, "kB")):
        if count >= 0.9995 * scale:
            value = count / scale
            return f"{value:.{2 if value < 9.995 else 1 if value < 99.95 else 0}f} {unit}"
    return f"{count} B"


measuring = threading.Lock()


@cache
def measured_bandwidth(device):
    import cuarray

    length = 1 << 18
    while True:
        source = cuarray.ones(length, dtype=cuarray.float32, device=device)
        target = cuarray.empty_like(source)
        seconds = []
        for _ in range(4):
            cuarray.synchronize(device)
            start = time.perf_counter()
            cuarray.copyto(target, source)
            cuarray.synchronize(device)
            seconds.append(time.perf_counter() - start)
        # Long enough that the start counts for nothing and no cache holds both arrays.
        if min(seconds) > 5e-3 or length >= 1 << 26:
            return 2 * source.nbytes / min(seconds)
        length *= 4


def copy_bandwidth(device):
    """Return the bytes per second, read and written, of a large copy on a device; measured once.

    Parameters
    ----------
    device : str

    Returns
    -------
    float

    Examples
    --------
    >>> from cuarray import _profile
    >>> _profile.copy_bandwidth("cpu") > 1e8
    True
    """
    with measuring, _core.Unrecorded():
        return measured_bandwidth(device)
