"""The profiler: a record of the devices' operations and their times."""

import os
from typing import TYPE_CHECKING, Any, Self

from cuarray import _core
from cuarray._tools.profile_table import HEADS, row, shorten, time_text

if TYPE_CHECKING:
    from cuarray._tools.profile_events import Event

__all__ = ["profile"]

# The kinds of events, in words.
WORDS = {
    "launch": ("launch", "launches"),
    "copy": ("copy", "copies"),
    "wait": ("wait", "waits"),
    "alloc": ("allocation", "allocations"),
}


class profile:
    """Record every kernel, copy, wait and allocation of a block of code.

    All threads and all devices are recorded while the block runs. Profiles may be nested: each has
    all events of its own block. Entering a profile again clears it.

    Attributes
    ----------
    events : list of Event
        In the order in which they began. Each has `kind` ('launch', 'copy', 'wait' or 'alloc'), `name`,
        `kernel`, `expression`, `file` and `line` of the calling program (of work that waited in `fuse`
        the first line that it comes from; `last_line` is the last one), `shape`, `dtype`, `bytes`
        (read and written, each element once), `device`, `stream`, `thread`, `start`, `seconds` (without
        building the kernel), `host_seconds` (the whole call), `build_seconds`,
        `build` ('memory', 'disk' or 'compiled'; '' on cpu, where nothing is compiled), `failed`, `bandwidth`.
        On a GPU, `seconds` of launches and copies is device time measured by events: `device_start` and
        `device_seconds`, which are None elsewhere.
    seconds : float
        Duration of the block and of the work that it queued.

    Raises
    ------
    RuntimeError
        If a profile is entered while it runs.
    IndexError, ValueError, CudaError
        At the end of the block, which waits for GPUs: their errors.

    Notes
    -----
    `print(p)` shows a table, sorted by time. Its column "of copy" compares the bytes per second with those of
    a copy on the same device, which is measured once, when it is first shown. `p.save("trace.json")` writes a
    trace for https://ui.perfetto.dev, `p.save("profile.html")` a self-contained page.

    Recording costs a few microseconds per operation; outside of profiles it costs nothing.

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
        self.seconds: float = 0.0
        self.lost: int = 0
        self._recording: Any = None

    def __enter__(self) -> Self:
        if self._recording is not None:
            raise RuntimeError("profile: it is running already; make another one to nest")
        recording = _core.Recording()
        self.events = []
        recording.start()  # may fail: what waits is computed before
        self._recording = recording
        self._clock = _core.record_clock()
        return self

    def __exit__(self, *exception: Any) -> None:
        recording, self._recording = self._recording, None
        try:
            try:
                _core.settle_all()  # what waits was asked for in the block
            finally:
                recording.stop()
            with _core.Unrecorded():
                for device in recording.devices():
                    _core.synchronize(device)
        except Exception as error:
            # The exception that ended the block is raised; an error of the wait is added to it as a note.
            if exception[1] is None:
                raise
            exception[1].add_note(f"and at the end of the profile: {type(error).__name__}: {error}")
        finally:
            self.seconds = (_core.record_clock() - self._clock) * 1e-9
            self.events = sorted((self._event(*record) for record in recording.taken()), key=lambda e: e.start)
            self.lost = recording.lost

    def _event(
        self, kind, name, kernel, expression, file, line, shape, dtype, moved, device, stream, thread,
        start, end, built, build, failed, device_start, device_time, last_line,
    ):  # fmt: skip
        # Imported when needed: creating a class of twenty fields takes 0.4 ms.
        from cuarray._tools.profile_events import Event

        host = (end - start) * 1e-9
        built *= 1e-9
        on_device = None if device_time is None else device_time * 1e-9
        began = None if device_start is None else (device_start - self._clock) * 1e-9
        seconds = max(0.0, host - built) if on_device is None else on_device
        return Event(
            kind, name, kernel, expression, file, line, shape, dtype, moved, device, stream, thread,
            (start - self._clock) * 1e-9, seconds, host, built, build, failed, began, on_device, last_line,
        )  # fmt: skip

    def totals(self) -> dict[str, float]:
        """Return the seconds of each kind of event, and of building kernels ('build').

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

    def groups(self) -> "list[list[Event]]":
        """Return the events grouped by operation and source line, longest first.

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
        """Return the table's cells, one tuple of strings for each group.

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
        """Return one line: the total time, and the time of each kind of event.

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

    def __str__(self) -> str:
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

    def __repr__(self) -> str:
        return f"<cuarray.profile of {len(self.events)} events, {time_text(self.seconds)}>"

    def _repr_html_(self) -> str:
        from html import escape

        heads = "".join(f"<th>{head}</th>" for head in HEADS)
        body = "".join(
            "<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in cells) + "</tr>" for cells in self.rows()
        )
        return f"<p>{escape(self.summary())}</p><table><tr>{heads}</tr>{body}</table>"

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the profile to a file.

        Parameters
        ----------
        path : str or path-like
            A name ending in .json for a trace in Chrome's format, which https://ui.perfetto.dev and
            chrome://tracing open; a name ending in .html for a page with a timeline and the table.

        Raises
        ------
        ValueError
            If the name has another ending.

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
        from cuarray._tools import profile_files  # imported when needed: json slows down every import

        writers = {".json": profile_files.trace, ".html": profile_files.page}
        suffix = os.path.splitext(path)[1]
        if suffix not in writers:
            raise ValueError(f"profile.save: {str(path)!r} must end with .json (a trace) or .html (a page)")
        text = writers[suffix](self)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
