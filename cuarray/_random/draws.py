"""Where NumPy draws: the source of generators, its parameters on the host, its results on a device."""

import re

import numpy as np

from cuarray import _core
from cuarray._arguments.functions import take
from cuarray._arguments.operands import target
from cuarray._arguments.ufuncs import positive
from cuarray._core import ndarray
from cuarray._functions.array_text import is_on_host
from cuarray._functions.creation import array
from cuarray._random.transforms import array_of, as_size, device_of, number_of, require_one_device

#: Parameters that NumPy takes as they are.
PLAIN = frozenset([bool, int, float, str, type, type(None), tuple, np.ndarray, np.float64, np.int64])

#: Errors of NumPy's generator that do not name the method.
PREFIXED = TypeError, ValueError, OverflowError, NotImplementedError

#: Numbers that `positive` makes a value of, of the same type.
NUMBERS = frozenset([float, int, np.float32, np.int64])


class Source(_core.RandomSource):
    """NumPy's Generator or RandomState, which draws, and the device of new arrays (None: the current one)."""

    __slots__ = ("__weakref__",)

    def __str__(self):
        return f"{type(self).__name__}({type(self._host._bit_generator).__name__})"

    def __repr__(self):
        return f"{self} at 0x{id(self):X}"

    def _draw(self, name, size, *parameters, **options):
        """Return what a method of NumPy's draws, as an array or a value: beside its parameters that are arrays."""
        size, device = as_size(size, name), self._device
        if not PLAIN.issuperset(map(type, parameters)):
            device = device_of(self, parameters)
            require_one_device(name, [x for x in parameters if isinstance(x, ndarray) and x.ndim])
            parameters = [on_host(x, name) for x in parameters]
        return placed(self._numpys(name, *parameters, size=size, **options), device)

    def _numpys(self, name, *parameters, **options):
        """Call a method of NumPy's; errors begin with its name."""
        try:
            return getattr(self._host, name)(*parameters, **options)
        except PREFIXED as error:
            if type(error) not in PREFIXED or re.search(rf"\b{name}\b", str(error)):
                raise
            raise type(error)(f"{name}: {error}") from error

    def _fill(self, name, size, dtype, out, *parameters, **options):
        """Return what a method that has a dtype draws: in a new array, or in `out`."""
        size, device = as_size(size, name), device_of(self, parameters)
        options |= {"size": size, "dtype": dtype}
        parameters = [on_host(x, name) for x in parameters]
        if out is not None:
            return drawn_into(out, name, lambda place: self._numpys(name, *parameters, out=place, **options))
        numbers = self._numpys(name, *parameters, **options)
        return placed(numbers if type(numbers) is np.ndarray else np.dtype(dtype).type(numbers), device)

    def _sampled(self, a, size, *options, axis=0):
        """Return a sample of the entries of an array of ours, whose positions NumPy draws."""
        chosen = self._numpys("choice", a.shape[axis], size, *options)
        if a.ndim == 1 and size is None:
            return a[int(chosen)]
        sample = take(a, _core.array_from_object(chosen, None, a.device), axis % a.ndim)
        # With size=() it is an array and no value.
        return sample if size is None or sample.ndim else _core.array_from_object(sample, None, None, True)


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


def placed(numbers, device):
    """Return what NumPy drew as an array with memory of its own, or as a value if it is one number."""
    if type(numbers) is np.ndarray:
        # A copy, since only memory of our own takes part in fused kernels.
        return array(numbers) if device is None else _core.array_from_object(numbers, None, device, True)
    if device is None and type(numbers) in NUMBERS:
        return positive(numbers)  # the shortest way to a value
    return _core.as_value(_core.array_from_object(numbers, None, device, True))


def drawn_into(out, function, draw):
    """Call draw(place) with the memory of `out`, or with other memory that is then copied to it; return `out`."""
    if not isinstance(out, ndarray):
        draw(out)
        return out
    target(out, function, is_out=True)
    # NumPy fills F-contiguous memory in its own order, but not for standard_gamma.
    is_fortran = out.flags.f_contiguous and not out.flags.c_contiguous and function != "standard_gamma"
    place = out.__array__() if is_on_host(out) else None
    if place is not None and place.flags.aligned and (place.flags.c_contiguous or is_fortran):
        draw(place)
        return out
    place = np.empty(out.shape, out.dtype, "F" if is_fortran else "C")
    draw(place)
    out[...] = _core.array_from_object(place, None, out.device, False if is_on_host(out) else None)
    return out
