"""A profile as a trace for Perfetto, and as an HTML page."""

import json
from pathlib import Path

from cuarray import _core
from cuarray._tools.profile_table import HEADS, copy_bandwidth

HOST = 1  # the process id of the host in traces; devices follow


def trace(profile):
    """Return the events in Chrome's trace format: one track per thread, and one per stream of a device.

    The format is that of "Trace Event Format" by the Chromium project: complete events (ph X) with times in
    microseconds, and metadata events (ph M) that name the tracks.
    """
    devices = sorted({event.device for event in profile.events})
    events = [named("process_name", HOST, 0, "host")]
    for thread in sorted({event.thread for event in profile.events}):
        events.append(named("thread_name", HOST, thread, f"thread {thread}"))
    numbers = {device: number for number, device in enumerate(devices, start=HOST + 1)}
    timed = [event for event in profile.events if event.device_seconds is not None]
    tracks = {key: track for track, key in enumerate(sorted({(e.device, e.stream) for e in timed}), start=1)}
    for (device, stream), track in tracks.items():
        events.append(named("process_name", numbers[device], 0, device))
        events.append(named("thread_name", numbers[device], track, f"stream {stream:#x}"))
    events += [complete(event) for event in profile.events]
    for event in timed:
        track = {"pid": numbers[event.device], "tid": tracks[event.device, event.stream]}
        events.append({**complete(event), **track, **times(event.device_start, event.device_seconds)})
    return json.dumps({"traceEvents": events, "displayTimeUnit": "ms"}, indent=0)


def named(what, process, track, name):
    return {"name": what, "ph": "M", "ts": 0, "pid": process, "tid": track, "args": {"name": name}}


def times(start, seconds):
    return {"ts": round(max(start, 0.0) * 1e6, 3), "dur": round(seconds * 1e6, 3)}


def complete(event):
    details = {
        "expression": event.expression,
        "kernel": event.kernel,
        "shape": str(event.shape) if event.dtype else "",
        "dtype": event.dtype,
        "bytes": event.bytes,
        "device": event.device,
        "stream": event.stream,
        "line": f"{event.file}:{event.line}" if event.line else "",
        "build": event.build,
        "build_us": round(event.build_seconds * 1e6, 3),
    }
    return {
        "name": event.what if event.kind == "launch" else event.name,
        "cat": event.kind,
        "ph": "X",
        **times(event.start, event.host_seconds),
        "pid": HOST,
        "tid": event.thread,
        "args": {name: value for name, value in details.items() if value not in ("", 0)},
    }


def page(profile):
    """Return one HTML page that shows the profile and needs no other file."""
    devices = sorted({event.device for event in profile.events if event.kind == "launch"})
    numbers = {id(event): number for number, event in enumerate(profile.events)}
    data = {
        "title": profile.summary(),
        "version": _core.__version__,
        "seconds": profile.seconds,
        "bandwidth": {device: copy_bandwidth(device) for device in devices},
        "heads": HEADS,
        "rows": profile.rows(),
        "groups": [[numbers[id(event)] for event in group] for group in profile.groups()],
        "events": [
            {
                "kind": event.kind,
                "what": event.what,
                "kernel": event.kernel,
                "shape": f"{event.shape} {event.dtype}" if event.dtype else "",
                "bytes": event.bytes,
                "device": event.device,
                "thread": event.thread,
                "start": event.start,
                "host": event.host_seconds,
                "seconds": event.seconds,
                "build": event.build_seconds,
                "how": event.build,
                "where": f"{event.file}:{event.line}" if event.line else "",
                "failed": event.failed,
            }
            for event in profile.events
        ],
    }
    # Text that would end the script element is escaped.
    text = json.dumps(data).replace("<", "\\u003c")
    template = Path(__file__).with_name("profile_page.html").read_text("utf-8")
    return template.replace("/*DATA*/null", text)
