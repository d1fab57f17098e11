"""`python -m cuarray --report script.py`: what ran where, at the end of a program."""

import atexit
import os
import sys

from cuarray._numpy.fallbacks import fallbacks
from cuarray._tools.profile import profile
from cuarray._tools.profile_table import bytes_text, time_text

#: Lines of each table.
LONGEST = 30


def start(file=""):
    """Record the program from now on; at its end print the report to stderr, and save it as a page in a named file."""
    running = profile()
    running.__enter__()
    atexit.register(finish, running, file)


def finish(running, file):
    running.__exit__(None, None, None)
    print(text(running, fallbacks()), file=sys.stderr)
    if file:
        running.save(file)


def text(profiled, served):
    """Return the report: the table of the profile, the calls that NumPy has computed, and advice.

    Examples
    --------
    >>> import cuarray as ca
    >>> from cuarray._tools import run_report
    >>> with ca.profile() as p:
    ...     pass
    >>> run_report.text(p, []).splitlines()[-1]
    'NumPy computed nothing for arrays of cuarray.'
    """
    lines = str(profiled).splitlines()
    head, table = lines[:2], lines[2:]
    if len(table) > LONGEST + 1:
        table = [*table[: LONGEST + 1], f"... and {len(table) - LONGEST - 1} more; --report=FILE.html has all"]
    devices = sorted({event.device for event in profiled.events})
    where = [f"devices: {', '.join(devices)}"] if devices else []
    return "\n".join(
        ["", "cuarray report", *where, *head, *table, "", *served_by_numpy(served), *advice(profiled, served)]
    )


def served_by_numpy(served):
    """Yield the lines about calls that NumPy has computed."""
    if not served:
        yield "NumPy computed nothing for arrays of cuarray."
        return
    yield f"computed by NumPy on the host, {time_text(sum(f.seconds for f in served))}:"
    width = max(len(f.function) for f in served)
    for f in served[:LONGEST]:
        copied = f"  {bytes_text(f.bytes)} copied" if f.bytes else ""
        calls = "1 call" if f.calls == 1 else f"{f.calls} calls"
        place = f"{os.path.basename(f.file)}:{f.line}"
        yield f"{time_text(f.seconds):>8}  {calls:>9}  {f.function:{width}}  {place}{copied}"


def advice(profiled, served):
    """Yield what may make the program faster."""
    launches = [event for event in profiled.events if event.kind == "launch"]
    fallback_seconds = sum(f.seconds for f in served)
    if served and fallback_seconds > 0.1 * profiled.seconds:
        share = fallback_seconds / profiled.seconds
        yield f"advice: the calls above take {share:.0%} of the time; use functions of cuarray there"
    lines = {}
    for event in launches:
        lines.setdefault((event.file, event.line), []).append(event)
    for (file, line), group in lines.items():
        seconds = sum(event.seconds for event in group)
        if len({event.what for event in group}) >= 3 and seconds > 0.2 * profiled.seconds:
            place = f"{os.path.basename(file)}:{line}"
            share = seconds / profiled.seconds
            yield f"advice: {place} runs {len(group)} kernels, {share:.0%} of the time; try cuarray.fuse"
