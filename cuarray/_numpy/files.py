"""Functions that read files, in which there may be texts, objects, records and numbers of swapped bytes."""

import functools
from collections.abc import Iterator

import numpy as np

from cuarray._functions.files import Archive, from_file
from cuarray._numpy.arguments import is_known_dtype
from cuarray._numpy.fallbacks import ERRORS, on_host

#: NumPy's functions that read a text or plain numbers.
READERS = (np.fromfile, np.fromregex, np.genfromtxt, np.loadtxt)


def of_file(ours, theirs):
    """Return a function of ours that reads a file or lines, which NumPy reads again where types are its own."""

    @functools.wraps(ours)
    def call(*args, **kwargs):
        are_lines = bool(args) and isinstance(args[0], Iterator) and not hasattr(args[0], "seek")
        if are_lines:
            args = (list(args[0]), *args[1:])
        source = next((x for x in (*args[:1], *kwargs.values()) if hasattr(x, "seek") and x.seekable()), None)
        place = source and source.tell()
        try:
            return ours(*args, **kwargs)
        except ERRORS:
            if source is None and not are_lines:
                raise
            if source is not None:
                source.seek(place)
            return on_host(theirs, args, kwargs)

    return call


@functools.wraps(np.load)
def load(*args, **kwargs):
    found = np.load(*args, **kwargs)
    if not isinstance(found, np.lib.npyio.NpzFile):
        return as_read(found)
    with found:
        return Archive((name, as_read(found[name])) for name in found.files)


def as_read(x):
    """Return an array of numbers that NumPy has read as ours, anything else as it is."""
    is_ours = isinstance(x, np.ndarray) and (is_known_dtype(x.dtype) or x.dtype == np.dtype("V2"))
    return from_file(x) if is_ours else x
