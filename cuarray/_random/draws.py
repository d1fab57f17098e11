"""Where numbers are drawn: on the device, from the sequence of a Philox; else by NumPy on the host."""

import re
from functools import cache, partial

import numpy as np

from cuarray import _core
from cuarray._arguments.operands import target
from cuarray._arguments.ufuncs import positive
from cuarray._core import ndarray
from cuarray._functions.array_text import is_on_host
from cuarray._functions.creation import array, as_array, empty
from cuarray._random.choices import integers_between
from cuarray._random.each import as_counts, drawn_each
from cuarray._random.rows import DEPENDENT
from cuarray._random.transforms import DRAWS, as_numbers, as_size, count_of, device_of, has_axes, number_of, transformed

#: Parameters that NumPy takes as they are.
PLAIN = frozenset([bool, int, float, str, type, type(None), tuple, np.ndarray, np.float64, np.int64])

#: Errors of NumPy's generator that do not name the method.
PREFIXED = TypeError, ValueError, OverflowError, NotImplementedError

#: So many numbers are copied in less time than NumPy takes to look at an output.
FEW = 1000

#: The methods of Generator that have two types, and their draws of float64 and float32.
OWN = {
    "random": (DRAWS["uniform_double"], DRAWS["uniform_float"]),
    "standard_normal": (DRAWS["normal_double"], DRAWS["normal_float"]),
    "standard_exponential": (DRAWS["exponential_double"], DRAWS["exponential_float"]),
    "standard_gamma": (DRAWS["gamma_double"], DRAWS["gamma_float"]),
}

#: The usual names of float32.
SINGLE = frozenset([np.float32, "float32", "f4"])

#: Numbers that `positive` makes a value of, of the same type.
NUMBERS = frozenset([float, int, np.float32, np.int64])


class Source:
    """A bit generator, as the NumPy generator over it, and the device of new arrays (None: the current one)."""

    __slots__ = (
        "__weakref__",
        "_device",
        "_draw_few",
        "_draw_floats",
        "_draw_integers",
        "_draw_multinomial",
        "_draws",
        "_elsewhere",
        "_host",
        "_is_philox",
    )

    #: Whether parameters are those of NumPy's older class, which are checked by rules of their own.
    _is_older = False

    def __init__(self, host, device):
        self._device = None if device is None else _core.device(device)
        self._use(host)

    def _use(self, host):
        """Draw from a NumPy generator from now on."""
        bits = host.bit_generator
        is_philox, draws = type(bits) is np.random.Philox, (decline,) * 5
        if is_philox:
            check_layout()
            draws = _core.philox_draws(bits.capsule, bits.lock, self._device, bits)
        self._host, self._is_philox, self._draws, self._elsewhere = host, is_philox, draws, (None, draws)
        self._draw_floats, self._draw_integers, _, self._draw_few, self._draw_multinomial = draws

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
        return placed(self._numpys(name, *parameters, **options), self._device)

    def _numpys(self, name, *parameters, **options):
        """Call a method of NumPy's generator; errors begin with its name."""
        try:
            return getattr(self._host, name)(*parameters, **options)
        except PREFIXED as error:
            if type(error) not in PREFIXED or re.search(rf"\b{name}\b", str(error)):
                raise
            raise type(error)(f"{name}: {error}") from error

    def _draws_for(self, device):
        """Return the functions of _core.philox_draws for arrays of a device."""
        seen, draws = self._elsewhere
        if device is seen and seen is not None:
            return draws
        if device == self._device:
            return self._draws
        bits = self._host.bit_generator
        draws = _core.philox_draws(bits.capsule, bits.lock, device, bits)
        self._elsewhere = device, draws
        return draws

    def _for_numbers(self, parameters):
        """Return parameters in which arrays without axes are numbers, and the source for the device of their draws."""
        numbers = [number_of(x) for x in parameters]
        if all(x is number for x, number in zip(parameters, numbers, strict=True)):
            return self, parameters
        arrays = [x for x in parameters if isinstance(x, ndarray) and x.ndim]
        device = device_of(self, arrays or parameters)
        return self if device in (None, self._device) else type(self)(self._host.bit_generator, device), numbers

    def _each(self, name, size, *parameters):
        """Return what a distribution of EACH or COMPOSITES draws, if no kernel takes the parameters as they are."""
        drawn, size = None, as_size(size, name)
        source, given = self._for_numbers(parameters)
        if self._is_philox:
            numbers = as_counts(given)
            if numbers is not None and [type(x) for x in numbers] != [type(x) for x in parameters]:
                return getattr(source, name)(*numbers, size=size)
            drawn = drawn_each(source, name, size, given)
        return self._draw(name, *given, size) if drawn is None else drawn

    def _rows(self, name, parameters, size, *options, **keywords):
        """Return what a distribution of DEPENDENT draws."""
        size = as_size(size, name)
        drawn = DEPENDENT[name](self, *parameters, size, *options, **keywords) if self._is_philox else None
        return self._draw(name, *parameters, size, *options, **keywords) if drawn is None else drawn

    def _transform(self, name, size, *parameters):
        """Return what a distribution of TRANSFORMS draws, if its kernel does not take the parameters."""
        size = as_size(size, name)
        source, given = self._for_numbers(parameters)
        if self._is_philox:
            if given is not parameters and as_numbers(given) is not None:
                return getattr(source, name)(*given, size=size)
            return transformed(source, name, size, given)
        return self._draw(name, *given, size)

    def _integers(self, low, high, size, dtype, endpoint, name="integers"):
        """Return integers, if their kernel does not take the parameters."""
        low, high, size = as_integer(low), as_integer(high), as_size(size, name)
        if self._is_philox:
            drawn = self._draw_integers(low, high, size, dtype, bool(endpoint), name)
            if drawn is None and (size is None or count_of(size)):
                drawn = integers_between(self, low, high, size, dtype, endpoint, name)
            if drawn is not None:
                return drawn
        return self._draw("integers", low, high, size, dtype, endpoint)

    def _fill(self, name, size, dtype, out, *parameters, **options):
        """Return what such a method draws into memory that it is given: of a new array, or of `out`."""
        if self._is_philox and out is None and type(dtype) in (type, str) and dtype in SINGLE and not parameters:
            drawn = self._draw_floats(OWN[name][True], name, np.float32, size, None)
            if drawn is not None:
                return drawn
        size = as_size(size, name)
        source, parameters = self._for_numbers(parameters) if parameters else (self, parameters)
        if source is not self and out is None:
            return source._fill(name, size, dtype, out, *parameters, **options)
        if self._is_philox:
            numbers = as_numbers(parameters)
            drawn = None if numbers is None else self._own(name, size, dtype, out, numbers)
            if drawn is None and parameters:
                drawn = self._standard_gamma(size, dtype, out, *parameters)
            if drawn is not None:
                return drawn
        if type(size) is int and size <= FEW and out is None and dtype is np.float64 and not parameters:
            return placed(self._numpys(name, size, **options), self._device)
        return self._fill_memory(name, size, dtype, out, parameters, options)

    def _own(self, name, size, dtype, out, parameters):
        """Return numbers of one of the types of OWN, drawn where they are wanted; None to decline the parameters."""
        numpys = np.dtype(dtype)
        if numpys not in (np.float64, np.float32) or not numpys.isnative:
            self._numpys(name, *parameters, dtype=dtype)  # raises
        draw = OWN[name][numpys == np.float32]
        if out is None:
            return self._draw_floats(draw, name, numpys, size, None, *parameters)
        if self._draw_floats(draw, name, numpys, 0, None, *parameters) is None:
            return None
        fill = lambda place: self._draw_floats(draw, name, numpys, None, place, *parameters)  # noqa: E731
        return self._own_into(out, name, size, numpys, fill)

    def _standard_gamma(self, size, dtype, out, shape):
        """Return gamma numbers for an array of shapes, in one of two types; None where NumPy must draw them."""
        drawn = drawn_each(self, "standard_gamma", size if out is None else out.shape, (shape,))
        if drawn is None:
            return None
        drawn = drawn.astype(dtype, copy=False)
        if out is None:
            return drawn

        def fill(place):
            place[...] = drawn

        return self._own_into(out, "standard_gamma", size, np.dtype(dtype), fill)

    def _own_into(self, out, function, size, dtype, fill):
        """Check `out` and call fill with it, transposed if need be; return `out`."""
        place = as_array(out, "cpu") if isinstance(out, np.ndarray) else target(out, function, is_out=True)
        if not out.flags.writeable:
            raise ValueError(f"{function}: out= is read-only")
        if out.dtype != dtype:
            raise TypeError(f"{function}: out= has dtype {out.dtype}, not {np.dtype(dtype)}")
        if size is not None and (size if isinstance(size, tuple) else (size,)) != place.shape:
            raise ValueError(f"{function}: out= has shape {place.shape}, size= is {size}")
        # Memory is filled in its own order, as NumPy does, but not for standard_gamma.
        is_fortran = place.flags.f_contiguous and not place.flags.c_contiguous and function != "standard_gamma"
        fill(place.T if is_fortran else place)
        return out

    def _fill_memory(self, name, size, dtype, out, parameters, options):
        draw = partial(self._numpys, name)
        if parameters and not PLAIN.issuperset(map(type, parameters)):
            parameters = [on_host(x, name) for x in parameters]
        if out is not None:
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


@cache
def check_layout():
    """Compare what _core reads of a Philox with its state. RuntimeError if NumPy keeps it in another way."""
    bits = np.random.Philox(1)
    np.random.Generator(bits).random(3, dtype=np.float32)
    state = bits.state
    seen = (
        tuple(state["state"]["counter"].tolist()),
        tuple(state["state"]["key"].tolist()),
        state["buffer_pos"],
        tuple(state["buffer"].tolist()),
        state["has_uint32"],
        state["uinteger"],
    )
    if _core.read_philox(bits.capsule) != seen:
        raise RuntimeError(
            f"cuarray.random: NumPy {np.__version__} keeps the state of Philox in a way that this version of cuarray "
            "does not know; install a newer cuarray, or write cuarray.random.Generator(numpy.random.PCG64())"
        )


def decline(*arguments):
    """Draw nothing: the bit generator is no Philox."""


def as_integer(x):
    """Return the end of a range as an int, where it is one number; else as it is."""
    return x if type(x) is int or x is None or isinstance(x, str) or has_axes(x) else int(x)


def seed_of(seed):
    """Return a seed as NumPy's classes take it: numbers of ours as Python's."""
    if isinstance(seed, ndarray):
        return number_of(seed) if seed.ndim == 0 else on_host(seed, "default_rng")
    return [number_of(x) for x in seed] if isinstance(seed, list | tuple) else seed


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
