"""Where NumPy draws: the source of generators, its parameters on the host, its results on a device."""

import numpy as np

from cuarray import _core
from cuarray._core import ndarray
from cuarray._functions.array_text import is_on_host
from cuarray._random.transforms import array_of, number_of

#: Parameters that NumPy takes as they are.
PLAIN = frozenset([bool, int, float, str, type, type(None), tuple, np.ndarray, np.float64, np.int64])


class Source(_core.RandomSource):
    """NumPy's Generator or RandomState, which draws, and the device of new arrays (None: the current one)."""

    __slots__ = ("__weakref__",)

    def __str__(self):
        return f"{type(self).__name__}({type(self._host._bit_generator).__name__})"

    def __repr__(self):
        return f"{self} at 0x{id(self):X}"


def seed_of(seed):
    """Return a seed as NumPy's classes take it: numbers of ours as Python's."""
    if isinstance(seed, ndarray):
        return number_of(seed) if seed.ndim == 0 else on_host(seed, "default_rng")
    return [number_of(x) for x in seed] if isinstance(seed, list | tuple) else seed


def on_host(x, function):
    """Return a parameter as NumPy reads it: arrays of the host as views, those of a GPU as copies, which waits."""
    if type(x) in PLAIN:
        return x
    if isinstance(x, ndarray):
        return x.__array__() if is_on_host(x) else x.numpy()
    if isinstance(x, list | tuple):
        return [on_host(entry, function) for entry in x] if holds_arrays(x) else x
    _core.refuse_to_strip(x, function)
    return x


def holds_arrays(x):
    """Whether a list has arrays of ours in it."""
    return any(isinstance(e, ndarray) or (isinstance(e, list | tuple) and holds_arrays(e)) for e in x)


def entries_of(x, device, function):
    """Return a population as an array of ours, or as NumPy's where its entries are no numbers: texts, objects."""
    _core.refuse_to_strip(x, function)
    try:
        return array_of(x, device, function)
    except TypeError:
        entries = np.asarray(x)
        if entries.dtype.kind in "biufc":
            raise
        return entries
