"""The source that generators draw from, and seeds."""

from cuarray import _core
from cuarray._core import ndarray
from cuarray._random.transforms import number_of


class Source(_core.RandomSource):
    """NumPy's Generator or RandomState, which draws, and the device of new arrays (None: the current one)."""

    __slots__ = ("__weakref__",)

    @property  # type: ignore[misc]  # object's can be set
    def __class__(self):
        """NumPy's class, for libraries that ask for it by isinstance; derived classes keep their own."""
        own = type(self)
        return type(self._host) if own.__module__.startswith("cuarray.") else own

    def __str__(self):
        return f"{type(self).__name__}({type(self._host._bit_generator).__name__})"

    def __repr__(self):
        return f"{self} at 0x{id(self):X}"


def seed_of(seed):
    """Return a seed as NumPy's classes take it: numbers of ours as Python's."""
    if isinstance(seed, ndarray):
        return number_of(seed) if seed.ndim == 0 else _core.on_host(seed, "default_rng")
    return [number_of(x) for x in seed] if isinstance(seed, list | tuple) else seed


def holds_arrays(x):
    """Whether a list has arrays of ours in it."""
    return any(isinstance(e, ndarray) or (isinstance(e, list | tuple) and holds_arrays(e)) for e in x)
