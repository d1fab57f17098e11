"""The rows and figures of a profile as text, and the bandwidth of a copy as reference."""

import time
from _thread import allocate_lock  # threading would cost every import of cuarray 0.6 ms
from functools import cache

import numpy as np

from cuarray import _core
from cuarray._arguments.functions import copyto, empty_like, ones

HEADS = ("time", "share", "calls", "what", "shape", "moved", "of copy", "build", "line")
LONGEST = 44  # characters in a cell of the table


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
    >>> from cuarray._tools import profile_table
    >>> [profile_table.time_text(t) for t in (2.5, 0.0123, 4.56e-6, 0)]
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
    >>> from cuarray._tools import profile_table
    >>> [profile_table.bytes_text(n) for n in (999, 12_300, 4_560_000_000)]
    ['999 B', '12.3 kB', '4.56 GB']
    """
    for scale, unit in ((1e9, "GB"), (1e6, "MB"), (1e3, "kB")):
        if count >= 0.9995 * scale:
            value = count / scale
            return f"{value:.{2 if value < 9.995 else 1 if value < 99.95 else 0}f} {unit}"
    return f"{count} B"


measuring = allocate_lock()


@cache
def measured_bandwidth(device):
    length = 1 << 18
    while True:
        source = ones(length, dtype=np.float32, device=device)
        target = empty_like(source)
        seconds = []
        for _ in range(4):
            _core.synchronize(device)
            start = time.perf_counter()
            copyto(target, source)
            _core.synchronize(device)
            seconds.append(time.perf_counter() - start)
        # Large enough to hide the launch time and to exceed every cache.
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
    >>> from cuarray._tools import profile_table
    >>> profile_table.copy_bandwidth("cpu") > 1e8
    True
    """
    with measuring, _core.Unrecorded():
        return measured_bandwidth(device)
