"""The environment variables that cuarray reads, and a warning of those that have no effect."""

import re
import warnings
from typing import NamedTuple


class Setting(NamedTuple):
    """The values that a variable may have; docs/settings.md has the effects."""

    pattern: str
    expected: str  #: the pattern in words
    is_checked_where_read: bool = False  #: whether another value raises, or warns, at the first use


FILE, FILE_OR_OFF = Setting(r".+", "the path of a file"), Setting(r".+", "the path of a file, or off")
SWITCH, OFF = Setting(r"[01]", "1"), Setting(r"off|on", "off")
SETTINGS = {
    "CUARRAY_DEVICE": Setting(r"cpu|cuda(:\d+)?", "cpu, cuda or cuda:N", True),
    "CUARRAY_NUM_THREADS": Setting(r"[1-9]\d{0,3}", "a number from 1 to 4096", True),
    "CUARRAY_CPU_LEVEL": Setting(r"base|v3|v4", "base, v3 or v4", True),
    "CUARRAY_LIBMVEC": OFF,
    "CUARRAY_JIT": Setting(r"off|on|avx2|wait", "off, avx2 or wait"),
    "CUARRAY_FUSE": Setting(r"off|on|[1-9]\d{0,17}", "off, on, or a number of elements"),
    "CUARRAY_LIBBLAS": FILE_OR_OFF,
    "CUARRAY_STREAM_FROM": Setting(r"\d+", "a number of bytes", True),
    "CUARRAY_CACHE_DIR": Setting(r".+", "the path of a folder"),
    "CUARRAY_LIBCUDA": FILE,
    "CUARRAY_LIBNVRTC": FILE,
    "CUARRAY_LIBCUBLAS": FILE_OR_OFF,
    "CUARRAY_LIBCUFFT": FILE_OR_OFF,
    "CUARRAY_LIBCUSOLVER": FILE_OR_OFF,
    "CUARRAY_MPI_CUDA": Setting(r"[01]", "0 or 1", True),
    "CUARRAY_MEMORY_CACHE": OFF,
    "CUARRAY_TRACK_MEMORY": SWITCH,
    "CUARRAY_LOG": Setting(
        r"( *(launch|alloc|copy|wait) *,?)*", "launch, alloc, copy, wait, separated by commas", True
    ),
    "CUARRAY_SYNC": SWITCH,
    "CUARRAY_VALIDATE": SWITCH,
}


#: Variables that a build reads.
SETTINGS_OF_BUILD = {"CUARRAY_ISA_LEVELS"}


def fault(what, command):
    return {"what": what, "command": command}


def faults_of_settings(environment, reported=()):
    """Return a fault for each variable of ours that has no effect: an unknown name, or a value that is not valid.

    Examples
    --------
    >>> from cuarray._runtime.settings import faults_of_settings
    >>> faults_of_settings({"CUARRAY_SYNC": "yes"})
    [{'what': "CUARRAY_SYNC='yes' has no effect: 1 expected", 'command': 'export CUARRAY_SYNC=1'}]
    """
    faults = []
    for name, value in sorted(environment.items()):
        if not name.startswith("CUARRAY_") or name in reported or name in SETTINGS_OF_BUILD or not value:
            continue
        if name not in SETTINGS:
            near = meant(name)
            command = f"export {near}={value}" if near else f"unset {name}"
            faults.append(fault(f"{name} is no setting of cuarray", command))
            continue
        pattern, expected, is_checked_where_read = SETTINGS[name]
        if not re.fullmatch(pattern, value):
            command = f"unset {name}" if " " in expected else f"export {name}={expected}"
            what = "is not valid" if is_checked_where_read else "has no effect"
            faults.append(fault(f"{name}={value!r} {what}: {expected} expected", command))
    return faults


def meant(name):
    """Return the setting whose name was misspelt, or None."""
    from difflib import get_close_matches  # a millisecond, which imports without misspelt names save

    near = get_close_matches(name, SETTINGS, 1, cutoff=0.9)
    return near[0] if near else None


def warn_of_settings(environment):
    """Warn of variables without effect, but for names that resemble no setting: they may be the program's own.

    Values that raise where they are used are left to that error.
    """
    ours = {name: value for name, value in environment.items() if name.startswith("CUARRAY_")}
    of_others = {name for name in ours if name not in SETTINGS and not meant(name)}
    checked = {name for name, setting in SETTINGS.items() if setting.is_checked_where_read}
    for each in faults_of_settings(ours, of_others | checked):
        warnings.warn(f"{each['what']}; type `{each['command']}`", RuntimeWarning, stacklevel=3)
