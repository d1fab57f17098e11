"""Where numbers are drawn: by NumPy on the host, into the memory of arrays or for upload to their device."""

import numpy as np

from cuarray import _core
from cuarray._arguments.operands import target
from cuarray._arguments.ufuncs import positive
from cuarray._core import ndarray
from cuarray._functions.array_text import is_on_host
from cuarray._functions.creation import array, empty

#: Parameters that NumPy takes as they are.
PLAIN = frozenset([bool, int, float, str, type, type(None), tuple, np.ndarray, np.float64, np.int64])

#: So many numbers are copied in less time than NumPy takes to look at an output.
FEW = 1000

#: Numbers that `positive` makes a value of, of the same type.
NUMBERS = frozenset([float, int, np.float32, np.int64])


class Source:
    """A bit generator, as the NumPy generator over it, and the device of new arrays (None: the current one)."""

    __slots__ = ("__weakref__", "_bits", "_device", "_host", "_lock")

    def __init__(self, host, device):
        self._use(host)
        self._device = None if device is None else _core.device(device)

    def _use(self, host):
        """Draw from a NumPy generator from now on."""
        self._host = host
        self._bits, self._lock = host.bit_generator.capsule, host.bit_generator.lock

    def __reduce__(self):
        return type(self), (self._host.bit_generator, self._device)

    def __str__(self):
        return f"{type(self).__name__}({type(self._host.bit_generator).__name__})"

    def __repr__(self):
        return f"{self} at 0x{id(self):X}"

    def _draw(self, name, *parameters, **options):
        """Return what a method of NumPy's generator draws, as an array or a value of the device."""
        if not PLAIN.issuperset(map(type, parameters)):
            parameters = [on_host(x, name) for x in parameters]
        numbers = getattr(self._host, name)(*parameters, **options)
        return placed(numbers, self._device)

    def _uniform(self, low, high, size):
        """Return uniform numbers; few of them are drawn without NumPy's functions."""
        if self._device is None:
            drawn = _core.draw_uniform(self._bits, self._lock, low, high, size, np.float64)
            if drawn is not None:
                return drawn
        return self._draw("uniform", low, high, size)

    def _integers(self, low, high, size, dtype, endpoint):
        """Return integers; few of them are drawn without NumPy's functions."""
        if self._device is None and (dtype is np.int64 or dtype is int):
            drawn = _core.draw_integers(self._bits, self._lock, low, high, size, endpoint)
            if drawn is not None:
                return drawn
        return self._draw("integers", low, high, size, dtype, endpoint)

    def _random(self, size, dtype=np.float64, out=None):
        """Return uniform numbers from 0 to 1; few of them are drawn without NumPy's functions."""
        if self._device is None and out is None:
            drawn = _core.draw_uniform(self._bits, self._lock, 0.0, 1.0, size, dtype)
            if drawn is not None:
                return drawn
        return self._fill("random", size, dtype, out)

    def _fill(self, name, size, dtype, out, *parameters, **options):
        """Return what such a method draws into memory that it is given: of a new array, or of `out`."""
        if type(size) is int and size <= FEW and out is None and dtype is np.float64 and not parameters:
            return placed(getattr(self._host, name)(size, **options), self._device)
        return self._fill_memory(name, size, dtype, out, parameters, options)

    def _fill_memory(self, name, size, dtype, out, parameters, options):
        draw = getattr(self._host, name)
        if parameters and not PLAIN.issuperset(map(type, parameters)):
            parameters = [on_host(x, name) for x in parameters]
        if out is not None:
            size = on_host(size, name)
            return drawn_into(out, name, lambda place: draw(*parameters, size=size, dtype=dtype, out=place, **options))
        if size is None:
            if dtype is np.float64:
                return placed(draw(*parameters, **options), self._device)
            numbers = draw(*parameters, dtype=dtype, **options)
            if type(numbers) is not np.ndarray:
                numbers = np.dtype(dtype).type(numbers)
            return placed(numbers, self._device)
        made = self._made(size, dtype)
        if made is None:
            return placed(draw(*parameters, size=size, dtype=dtype, **options), self._device)
        if parameters:  # NumPy compares their shape with the size
            options["size"] = made.shape
        draw(*parameters, dtype=dtype, out=made.__array__(), **options)
        return made

    def _made(self, size, dtype):
        """Return a new array in the host's memory; None for a GPU, and where NumPy says what is wrong."""
        try:
            made = empty(size, dtype) if self._device is None else empty(size, dtype, device=self._device)
        except (TypeError, ValueError):
            return None
        return made if is_on_host(made) else None


def on_host(x, function):
    """Return a parameter as NumPy reads it: arrays of the host as views. TypeError for arrays of a GPU."""
    if type(x) in PLAIN:
        return x
    if not isinstance(x, ndarray):
        _core.refuse_to_strip(x, function)
        return x
    if not is_on_host(x):
        raise TypeError(
            f"{function}: numbers are drawn on the host, and a parameter is on {x.device}; "
            'write x.to_device("cpu") or x.numpy()'
        )
    return x.__array__()


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
