"""Philox, and generators that draw from its sequence on the device of the result, each number by its place."""

from functools import cache

import numpy as np

from cuarray import _core
from cuarray._arguments.axes import normalise_axis
from cuarray._arguments.functions import take
from cuarray._arguments.operands import target
from cuarray._core import ndarray
from cuarray._functions.creation import as_array
from cuarray._random.choices import indices_by, integers_between
from cuarray._random.distributions import DISTRIBUTIONS, OF_GENERATOR, signature
from cuarray._random.each import COMPOSITES, EACH, OF_NUMBERS, as_counts, drawn_each
from cuarray._random.generator import OF_BIT_GENERATORS, Generator, in_order
from cuarray._random.rows import DEPENDENT
from cuarray._random.transforms import (
    DRAWS,
    TRANSFORMS,
    array_of,
    as_numbers,
    count_of,
    device_of,
    has_axes,
    number_of,
    transformed,
)

#: The methods of Generator that have two types, and their draws of float64 and float32.
OWN = {
    "random": (DRAWS["uniform_double"], DRAWS["uniform_float"]),
    "standard_normal": (DRAWS["normal_double"], DRAWS["normal_float"]),
    "standard_exponential": (DRAWS["exponential_double"], DRAWS["exponential_float"]),
    "standard_gamma": (DRAWS["gamma_double"], DRAWS["gamma_float"]),
}

#: The usual names of float32.
SINGLE = frozenset([np.float32, "float32", "f4"])

RANDOM, STANDARD_NORMAL, STANDARD_EXPONENTIAL, STANDARD_GAMMA = (draws[0] for draws in OWN.values())


class Philox(np.random.Philox):
    """NumPy's bit generator Philox, from which a `Generator` draws on the device of the result.

    Each number depends on its place in the sequence alone, so that any number of threads, of the host or of a GPU, draw
    at once, and equal seeds give equal numbers on every device. This is the fast way on GPUs for all distributions.

    The numbers of `random`, of `uniform`, of `bytes` and of `integers` in a range of a power of two are those of
    NumPy's generator over the same Philox, which is left in the same state. Those of all other distributions, integers
    in other ranges, permutations and choices differ from NumPy's. Small samples of many entries without replacement
    are drawn by NumPy on the host.

    A `Generator` over a ``numpy.random.Philox``, and a `RandomState` over any bit generator, draw NumPy's numbers.

    Parameters
    ----------
    seed : int, sequence of int or SeedSequence, optional
        By default the system chooses.
    counter, key : int or array_like of int, optional
        As of NumPy's class.

    See Also
    --------
    Generator, numpy.random.Philox

    Examples
    --------
    >>> import cuarray as ca
    >>> rng = ca.random.Generator(ca.random.Philox(7))
    >>> x = rng.normal(3.0, 0.5, size=1000)
    >>> abs(x.mean().item() - 3) < 0.2
    True
    """

    __module__ = "cuarray.random"


class PhiloxGenerator(Generator):
    """A Generator over a Philox of cuarray: `Generator` makes it."""

    __slots__ = (
        "_draw_few",
        "_draw_floats",
        "_draw_integers",
        "_draw_multinomial",
        "_draws",
        "_elsewhere",
    )

    def __init__(self, bit_generator, device=None):
        super().__init__(bit_generator, device)
        check_layout()
        self._draws = _core.philox_draws(bit_generator.capsule, bit_generator.lock, self._device, bit_generator)
        self._elsewhere = None, self._draws
        self._draw_floats, self._draw_integers, _, self._draw_few, self._draw_multinomial = self._draws

    def __reduce__(self):
        return Generator, (self._host.bit_generator, self._device)

    def __str__(self):
        return f"Generator({type(self._host.bit_generator).__name__})"

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
        return self if device in (None, self._device) else Generator(self._host.bit_generator, device), numbers

    def _each(self, name, size, *parameters):
        """Return what a distribution of EACH or COMPOSITES draws, if no kernel takes the parameters as they are."""
        size = _core.as_size(size, name)
        source, given = self._for_numbers(parameters)
        numbers = as_counts(given)
        if numbers is not None and [type(x) for x in numbers] != [type(x) for x in parameters]:
            return getattr(source, name)(*numbers, size=size)
        drawn = drawn_each(source, name, size, given)
        return getattr(super(), name)(*given, size=size) if drawn is None else drawn

    def _rows(self, name, size, *parameters, **options):
        """Return what a distribution of DEPENDENT draws."""
        size = _core.as_size(size, name)
        drawn = DEPENDENT[name](self, *parameters, size, **options)
        return getattr(super(), name)(*parameters, size=size, **options) if drawn is None else drawn

    def _transform(self, name, size, *parameters):
        """Return what a distribution of TRANSFORMS draws, if its kernel does not take the parameters."""
        size = _core.as_size(size, name)
        source, given = self._for_numbers(parameters)
        if given is not parameters and as_numbers(given) is not None:
            return getattr(source, name)(*given, size=size)
        return transformed(source, name, size, given)

    def integers(self, low, high=None, size=None, dtype=np.int64, endpoint=False):
        drawn = self._draw_integers(low, high, size, dtype, endpoint)
        if drawn is not None:
            return drawn
        low, high, size = as_integer(low), as_integer(high), _core.as_size(size, "integers")
        drawn = self._draw_integers(low, high, size, dtype, bool(endpoint))
        if drawn is None and (size is None or count_of(size)):
            drawn = integers_between(self, low, high, size, dtype, endpoint, "integers")
        return super().integers(low, high, size, dtype, endpoint) if drawn is None else drawn

    def random(self, size=None, dtype=np.float64, out=None):
        if out is None and dtype is np.float64:
            drawn = self._draw_floats(RANDOM, "random", None, size, None)
            if drawn is not None:
                return drawn
        return self._fill("random", size, dtype, out)

    def standard_normal(self, size=None, dtype=np.float64, out=None):
        if out is None and dtype is np.float64:
            drawn = self._draw_floats(STANDARD_NORMAL, "standard_normal", None, size, None)
            if drawn is not None:
                return drawn
        return self._fill("standard_normal", size, dtype, out)

    def standard_exponential(self, size=None, dtype=np.float64, method="zig", out=None):
        if out is None and dtype is np.float64:
            drawn = self._draw_floats(STANDARD_EXPONENTIAL, "standard_exponential", None, size, None)
            if drawn is not None:
                return drawn
        return self._fill("standard_exponential", size, dtype, out, method=method)

    def standard_gamma(self, shape, size=None, dtype=np.float64, out=None):
        if out is None and dtype is np.float64:
            drawn = self._draw_floats(STANDARD_GAMMA, "standard_gamma", None, size, None, shape)
            if drawn is not None:
                return drawn
        return self._fill("standard_gamma", size, dtype, out, shape)

    def _fill(self, name, size, dtype, out, *parameters, **options):
        """Return what a method that has a dtype draws, if its kernel does not take the arguments."""
        if out is None and type(dtype) in (type, str) and dtype in SINGLE and not parameters:
            drawn = self._draw_floats(OWN[name][True], name, np.float32, size, None)
            if drawn is not None:
                return drawn
        size = _core.as_size(size, name)
        source, parameters = self._for_numbers(parameters) if parameters else (self, parameters)
        if source is not self and out is None:
            return source._fill(name, size, dtype, out, *parameters, **options)
        numbers = as_numbers(parameters)
        drawn = None if numbers is None else self._own(name, size, dtype, out, numbers)
        if drawn is None and parameters:
            drawn = self._standard_gamma(size, dtype, out, *parameters)
        if drawn is not None:
            return drawn
        return getattr(super(), name)(*parameters, size=size, dtype=dtype, out=out, **options)

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

    def choice(self, a, size=None, replace=True, p=None, axis=0, shuffle=True):
        size = _core.as_size(size, "choice")
        a = a if np.isscalar(a) else _core.population(a, self._device, "choice")
        if not has_axes(a):
            n = number_of(a)
            chosen = self._chosen(n, size, replace, p, self._device)
            if chosen is None:
                return super().choice(n, size, replace, p, axis, shuffle)
            return chosen
        require_entries(a, size, axis)
        device = self._device if type(a) is np.ndarray else a.device
        chosen = self._chosen(a.shape[axis], size, replace, p, device)
        if type(a) is np.ndarray:  # of texts or objects
            if chosen is None:
                chosen = self._numpys("choice", a.shape[axis], size, replace, _core.on_host(p, "choice"), 0, shuffle)
            return a.take(_core.on_host(chosen, "choice"), axis)
        if chosen is None:
            return super().choice(a, size, replace, p, axis, shuffle)
        if chosen.device != a.device:
            raise ValueError(f"choice: a is on {a.device} and p on {chosen.device}; move one with .to_device(...)")
        sample = take(a, chosen, axis % a.ndim)
        # With size=() it is an array and no value.
        return sample if size is None or sample.ndim else _core.array_from_object(sample, None, None, True)

    def _chosen(self, n, size, replace, p, device):
        """Return a sample of 0 ... n - 1, drawn on a device; None where NumPy shall draw it."""
        n = int(n) if isinstance(n, np.integer) or (type(n) is np.ndarray and n.dtype.kind in "iu") else n
        if type(n) is not int or n <= 0:
            return None
        if p is not None:
            return indices_by(array_of(p, device, "choice"), self, n, size, replace)
        if replace:
            return self._draws_for(device)[1](0, n, size, np.int64, False, "choice")
        # A small sample of many: NumPy draws no order of all.
        count = count_of(size)
        if not 0 <= count <= n or (n > 1000 and count < n / 16):
            return None
        order = self._order((n,), 0, device)
        return _core.as_value(order[0]) if size is None else order[:count].reshape(size)

    def permutation(self, x, axis=0):
        n = number_of(x) if isinstance(x, ndarray) and _core.is_value(x) else x
        if isinstance(n, int | np.integer):
            return self._order((int(n),), 0, self._device) if n >= 0 else super().permutation(n)
        x = _core.population(x, self._device, "permutation")
        if type(x) is np.ndarray:
            return super().permutation(x, axis)
        axis = normalise_axis(axis, x, "permutation")
        return in_order(x, self._order_of(x, axis), axis)

    def shuffle(self, x, axis=0):
        if not isinstance(x, ndarray) or x.ndim == 0:
            return super().shuffle(x, axis)
        axis = normalise_axis(axis, x, "shuffle")
        target(x, "shuffle")
        if x.size:
            x[...] = in_order(x, self._order_of(x, axis), axis)

    def _is_drawn_by_numpy(self, x):
        return False

    def _order(self, shape, axis, device):
        """Draw an order of the entries of an axis, another one for each slice along it: that of random numbers.

        They are of 64 bits. Equal ones, of a billion two with a probability of 3 %, stay in their order.
        """
        return self._draws_for(device)[1](0, 2**64 - 1, shape, np.uint64, True, "permutation").argsort(axis)


#: The bodies of methods that a kernel draws: it declines parameters that are no numbers, nor arrays of several numbers
#: of the host. Of distributions that are made of others, it draws few numbers.
BY_KERNEL = """\
def {name}(self, {signature}):
    drawn = self.{draw}({arguments})
    return {call} if drawn is None else drawn
"""
BY_ROWS = """\
def {name}(self, {signature}):
    return {call}
"""


def source(row):
    """Return the text of the method that draws from a distribution."""
    names = [p.name for p in row.parameters]
    options = [f"{p.name}={p.name}" for p in (*row.after, *row.keywords)]
    way = "_transform" if row.name in TRANSFORMS else "_each" if row.name in EACH else "_rows"
    call = f"self.{way}({', '.join([repr(row.name), 'size', *names, *options])})"
    if row.name in DEPENDENT and row.name != "multinomial":
        return BY_ROWS.format(name=row.name, signature=signature(row), call=call)
    kernel = row.name if way == "_transform" else OF_NUMBERS.get(row.name, f"{row.name}_each")
    draw, arguments = "_draw_floats", "n, pvals, size"
    if row.name == "multinomial":
        draw = "_draw_multinomial"
    else:
        dtype = EACH.get(row.name, "float64").replace("float64", "None")
        arguments = ", ".join([str(DRAWS[kernel]), repr(row.name), dtype, "size", "None", *names])
    if row.name in COMPOSITES and row.name not in OF_NUMBERS:
        draw = "_draw_few"
    return BY_KERNEL.format(name=row.name, signature=signature(row), draw=draw, arguments=arguments, call=call)


def add_draws(kind):
    """Add the methods of the table of distributions to the class."""
    for row in (*DISTRIBUTIONS, *OF_GENERATOR):
        names = {"float64": np.float64, "int64": np.int64}
        exec(compile(source(row), f"<{kind.__name__}.{row.name}>", "exec"), names)
        setattr(kind, row.name, names[row.name])


def document(kind, documented):
    """Give the methods of a class the docstrings of those that they override."""
    for name, method in vars(kind).items():
        if not name.startswith("_"):
            method.__doc__, method.__module__ = getattr(documented, name).__doc__, documented.__module__
            method.__qualname__ = f"{documented.__name__}.{name}"


add_draws(PhiloxGenerator)
document(PhiloxGenerator, Generator)
OF_BIT_GENERATORS[Philox] = PhiloxGenerator


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


def as_integer(x):
    """Return the end of a range as an int, where it is one number; else as it is."""
    return x if type(x) is int or x is None or isinstance(x, str) or has_axes(x) else int(x)


def require_entries(a, size, axis):
    """Raise as NumPy does for an axis that is not there, and for a sample of nothing."""
    if not -a.ndim <= axis < a.ndim:
        raise IndexError(f"choice: axis {axis} is out of bounds for array of dimension {a.ndim}")
    if a.shape[axis] == 0 and count_of(size):
        raise ValueError("choice: a cannot be empty unless no samples are taken")
