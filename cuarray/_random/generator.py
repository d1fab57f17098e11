"""The class Generator: NumPy's methods, whose results are arrays of a device."""

import numpy as np

from cuarray import _core
from cuarray._arguments.axes import normalise_axis
from cuarray._arguments.functions import take, take_along_axis
from cuarray._arguments.operands import is_on_host, target
from cuarray._core import ndarray
from cuarray._random.distributions import DISTRIBUTIONS, OF_GENERATOR, add_methods
from cuarray._random.draws import Source, seed_of

#: The classes of generators over bit generators that draw in a way of their own.
OF_BIT_GENERATORS: dict[type, type] = {}


class Generator(Source):
    """Draws random numbers as arrays: the methods of numpy.random.Generator, with its numbers.

    Equal seeds give NumPy's numbers, bit for bit, and leave the bit generator in NumPy's state. Over a `PCG64` arrays
    of the common distributions are drawn on the device of the result; on a GPU those that take logarithms and the
    like are as exact as its functions. All others are drawn on the host, by NumPy's code, and copied.

    Over a `cuarray.random.Philox` a generator draws on the device of the result, which is faster for arrays of a GPU:
    other numbers of the same distributions, the same on every device; see `Philox`.

    Threads may share a generator. A graph repeats the numbers of its capture; on a GPU only those over a
    `cuarray.random.Philox` can be captured.

    Parameters
    ----------
    bit_generator : BitGenerator
        One of NumPy's, such as ``PCG64(7)``, or a `Philox`. It is shared and not copied.
    device : device or str, optional
        Where new arrays go; the current device of each call by default. Results made of an array, or with parameters
        that are arrays, are on its device.

    Raises
    ------
    AttributeError, ValueError
        If that is no bit generator, or a class of them.
    TypeError
        If a derived class is to draw from a `Philox`.

    See Also
    --------
    default_rng, Philox, numpy.random.Generator

    Examples
    --------
    >>> import cuarray as ca
    >>> rng = ca.random.Generator(ca.random.PCG64(7))
    >>> rng.normal(size=(2, 3)).shape
    (2, 3)
    """

    __module__ = "cuarray.random"
    __slots__ = ()

    def __new__(cls, bit_generator, device=None):
        """Make a generator of the class that draws from such a bit generator."""
        for bits, kind in OF_BIT_GENERATORS.items():
            if isinstance(bit_generator, bits) and not issubclass(cls, kind):
                if cls is not Generator:
                    raise TypeError(
                        f"{cls.__name__}: a class derived from Generator cannot draw from a {bits.__name__}"
                    )
                cls = kind
        return super().__new__(cls)

    def __init__(self, bit_generator, device=None):
        device = None if device is None else _core.device(device)
        self._use(np.random.Generator(bit_generator), bit_generator, device)

    def __reduce__(self):
        return type(self), (self._host.bit_generator, self._device)

    @property
    def bit_generator(self):
        """NumPy's bit generator, whose `state` can be read and set."""
        return self._host.bit_generator

    def spawn(self, n_children):
        """Return new generators whose numbers are independent of one another.

        Parameters
        ----------
        n_children : int

        Returns
        -------
        list of Generator
            Over bit generators of the same type, for arrays of the same device.

        Raises
        ------
        TypeError
            If the bit generator was not made of a seed.

        See Also
        --------
        numpy.random.Generator.spawn

        Examples
        --------
        >>> import cuarray as ca
        >>> [rng.random(2).shape for rng in ca.random.default_rng(7).spawn(3)]
        [(2,), (2,), (2,)]
        """
        return [type(self)(child.bit_generator, self._device) for child in self._numpys("spawn", n_children)]

    @_core.random_method
    def random(self, size=None, dtype=np.float64, out=None):
        """Draw from the uniform distribution over ``0 <= x < 1``.

        Parameters
        ----------
        size : int or tuple of int, optional
            Shape of the result; by default one number is drawn.
        dtype : dtype, optional
            float64 or float32.
        out : ndarray, optional
            Array of that shape and type for the result, in any layout and on any device.

        Returns
        -------
        ndarray
            One number is a value.

        Raises
        ------
        TypeError
            If there are no random numbers of that type, or `out` has another one.
        ValueError
            If `out` is read-only or of another shape than `size`.

        See Also
        --------
        uniform, numpy.random.Generator.random

        Examples
        --------
        >>> import cuarray as ca
        >>> rng = ca.random.default_rng(7)
        >>> x = rng.random((2, 1000), dtype=ca.float32)
        >>> abs(x.mean().item() - 0.5) < 0.1
        True
        """

    @_core.random_method
    def standard_normal(self, size=None, dtype=np.float64, out=None):
        """Draw from the normal distribution of mean 0 and variance 1.

        Parameters
        ----------
        size : int or tuple of int, optional
            Shape of the result; by default one number is drawn.
        dtype : dtype, optional
            float64 or float32.
        out : ndarray, optional
            Array of that shape and type for the result, in any layout and on any device.

        Returns
        -------
        ndarray
            One number is a value.

        Raises
        ------
        TypeError
            If there are no random numbers of that type, or `out` has another one.
        ValueError
            If `out` is read-only or of another shape than `size`.

        See Also
        --------
        normal, numpy.random.Generator.standard_normal

        Examples
        --------
        >>> import cuarray as ca
        >>> rng = ca.random.default_rng(7)
        >>> x = rng.standard_normal(1000)
        >>> abs(x.mean().item()) < 0.2
        True
        """

    @_core.random_method
    def standard_exponential(self, size=None, dtype=np.float64, method="zig", out=None):
        """Draw from the exponential distribution of mean 1.

        Parameters
        ----------
        size : int or tuple of int, optional
            Shape of the result; by default one number is drawn.
        dtype : dtype, optional
            float64 or float32.
        method : str, optional
            'zig', the ziggurat method, or 'inv', which inverts the distribution function and is slower; over a
            `Philox` always the latter, by a kernel.
        out : ndarray, optional
            Array of that shape and type for the result, in any layout and on any device.

        Returns
        -------
        ndarray
            One number is a value.

        Raises
        ------
        TypeError
            If there are no random numbers of that type, or `out` has another one.
        ValueError
            If `out` is read-only or of another shape than `size`.

        See Also
        --------
        exponential, numpy.random.Generator.standard_exponential

        Examples
        --------
        >>> import cuarray as ca
        >>> rng = ca.random.default_rng(7)
        >>> x = rng.standard_exponential(1000)
        >>> abs(x.mean().item() - 1) < 0.3
        True
        """

    @_core.random_method
    def standard_gamma(self, shape, size=None, dtype=np.float64, out=None):
        """Draw from a gamma distribution of scale 1.

        Parameters
        ----------
        shape : array_like of float
            Shape of the distribution, not negative.
        size : int or tuple of int, optional
            Shape of the result; by default that of the parameter.
        dtype : dtype, optional
            float64 or float32.
        out : ndarray, optional
            Array of that shape and type for the result, in any layout and on any device.

        Returns
        -------
        ndarray
            One number is a value.

        Raises
        ------
        TypeError
            If there are no random numbers of that type, or `out` has another one.
        ValueError
            If `shape` is negative, `out` is read-only, or shapes do not fit.

        See Also
        --------
        gamma, numpy.random.Generator.standard_gamma

        Examples
        --------
        >>> import cuarray as ca
        >>> rng = ca.random.default_rng(7)
        >>> x = rng.standard_gamma(2.0, 1000)
        >>> abs(x.mean().item() - 2) < 0.4
        True
        """

    @_core.random_method
    def integers(self, low, high=None, size=None, dtype=np.int64, endpoint=False):
        """Draw integers, all equally often.

        Parameters
        ----------
        low : array_like of int
            The smallest number; if `high` is not given, the end, and 0 is the smallest.
        high : array_like of int, optional
            The end of the range, not in it.
        size : int or tuple of int, optional
            Shape of the result; by default that of the parameters, broadcast.
        dtype : dtype, optional
            An integer type or bool.
        endpoint : bool, optional
            Whether the end belongs to the range.

        Returns
        -------
        ndarray
            One number is a value.

        Raises
        ------
        TypeError
            If there are no random integers of that type.
        ValueError
            If the range is empty, or exceeds that of the type.

        See Also
        --------
        numpy.random.Generator.integers

        Examples
        --------
        >>> import cuarray as ca
        >>> rng = ca.random.default_rng(7)
        >>> x = rng.integers(1, 6, size=1000, endpoint=True)
        >>> ca.unique(x)
        array([1, 2, 3, 4, 5, 6])
        """

    def bytes(self, length):
        """Draw random bytes.

        Parameters
        ----------
        length : int
            How many.

        Returns
        -------
        bytes

        See Also
        --------
        numpy.random.Generator.bytes

        Examples
        --------
        >>> import cuarray as ca
        >>> rng = ca.random.default_rng(7)
        >>> len(rng.bytes(10))
        10
        """
        return self._numpys("bytes", length)

    @_core.random_method
    def choice(self, a, size=None, replace=True, p=None, axis=0, shuffle=True):
        """Draw a sample of the entries of an array.

        Parameters
        ----------
        a : int or array_like
            The array, on any device; a number n stands for 0, 1, ... n - 1.
        size : int or tuple of int, optional
            Shape of the sample; by default one entry is drawn.
        replace : bool, optional
            Whether an entry may be drawn more than once.
        p : array_like of float, optional
            Probabilities of the entries, whose sum is 1; equal ones by default.
        axis : int, optional
            Axis of the entries.
        shuffle : bool, optional
            Whether a sample without replacement is in random order; False is faster.

        Returns
        -------
        ndarray
            With the axes of `size` in the place of `axis`. One element is a value. A sample of texts or objects is
            NumPy's.

        Raises
        ------
        ValueError
            If the array is empty or smaller than a sample without replacement, or the probabilities are wrong.
        IndexError
            If the axis does not exist.

        See Also
        --------
        integers, permutation, numpy.random.Generator.choice

        Examples
        --------
        >>> import cuarray as ca
        >>> rng = ca.random.default_rng(7)
        >>> x = rng.choice([2, 3, 5, 7], 4, replace=False)
        >>> ca.sort(x)
        array([2, 3, 5, 7])
        """

    @_core.random_method
    def permutation(self, x, axis=0):
        """Return the entries of an array in random order.

        Parameters
        ----------
        x : int or array_like
            The array, on any device; a number n stands for 0, 1, ... n - 1.
        axis : int, optional
            Axis of the entries.

        Returns
        -------
        ndarray
            A copy.

        Raises
        ------
        AxisError
            If the axis does not exist.

        See Also
        --------
        shuffle, permuted, numpy.random.Generator.permutation

        Examples
        --------
        >>> import cuarray as ca
        >>> rng = ca.random.default_rng(7)
        >>> ca.sort(rng.permutation(5))
        array([0, 1, 2, 3, 4])
        """

    def permuted(self, x, *, axis=None, out=None):
        """Return an array in which each slice along an axis is in a random order of its own.

        Parameters
        ----------
        x : array_like
            The array, on any device.
        axis : int, optional
            Axis along which the elements move; by default all elements are one slice.
        out : ndarray, optional
            Array of the same shape for the result; may be `x`.

        Returns
        -------
        ndarray

        Raises
        ------
        TypeError
            If `x` has no axis, or `out` is no array or does not hold the type of `x`.
        ValueError
            If `out` is read-only, has another shape or is on another device.
        AxisError
            If the axis does not exist.

        See Also
        --------
        shuffle, permutation, numpy.random.Generator.permuted

        Examples
        --------
        >>> import cuarray as ca
        >>> rng = ca.random.default_rng(7)
        >>> x = rng.permuted(ca.arange(6).reshape(2, 3), axis=1)
        >>> ca.sort(x, axis=1)
        array([[0, 1, 2],
               [3, 4, 5]])
        """
        if out is None:
            x = _core.population(x, self._device, "permuted")
            if type(x) is np.ndarray:
                return self._numpys("permuted", x, axis=axis)
            axis = normalise_axis(axis, x, "permuted") if axis is not None and x.ndim else axis
            if self._is_drawn_by_numpy(x):
                return _core.array_from_object(self._numpys("permuted", x.__array__(), axis=axis), None, x.device, True)
        else:
            if not isinstance(out, ndarray | np.ndarray):
                raise TypeError(f"permuted: out must be an array, not {type(out).__name__}")
            place = target(out, "permuted", is_out=True)
            x = _core.beside(x, place, "permuted")
            if x.device != place.device:
                raise ValueError(
                    f"permuted: out= is on {place.device}, the array on {x.device}; move one with .to_device(...)"
                )
            if self._is_drawn_by_numpy(x):
                self._numpys("permuted", x.__array__(), axis=axis, out=place.__array__())
                return out
        if x.ndim == 0:
            raise TypeError("permuted: an array without axes has no order")
        if out is None:
            return self._permuted_like(x, x if x.flags.c_contiguous else x.copy(order="K"), axis)
        if place.shape != x.shape:
            raise ValueError(f"permuted: out= has shape {place.shape}, the array {x.shape}")
        if not _core.can_cast(x.dtype, place.dtype, "safe"):
            raise TypeError(f"permuted: cannot cast {x.dtype} to {place.dtype}, the type of out=, with the rule 'safe'")
        place[...] = self._permuted_like(x, place, axis)
        return out

    def _permuted_like(self, x, place, axis):
        """Permute by orders that are drawn. Without an axis, elements go by their order in `place`."""
        if axis is not None:
            axis = normalise_axis(axis, x, "permuted")
            return take_along_axis(x, self._order(x.shape, axis, x.device), axis)
        if place.flags.f_contiguous and not place.flags.c_contiguous:
            return self._permuted_like(x.T, place.T, None).T.copy(order="K")
        flat = x.reshape(-1)
        return flat[self._order_of(flat, 0).reshape(x.shape)] if x.size else x.copy()

    def _order_of(self, x, axis):
        """Draw the order of the entries of an axis, as an array on the device of x."""
        return self._order((x.shape[axis],), 0, x.device)

    def _order(self, shape, axis, device):
        """Draw an order of the entries of an axis, another one for each slice along it."""
        extents = [1] * len(shape)
        extents[axis] = shape[axis]
        orders = np.broadcast_to(np.arange(shape[axis]).reshape(extents), shape)
        return _core.array_from_object(self._host.permuted(orders, axis=axis), None, device)

    def _is_drawn_by_numpy(self, x):
        """Whether NumPy's generator takes an array as it is."""
        return is_on_host(x)

    @_core.random_method
    def shuffle(self, x, axis=0):
        """Bring the entries of an array, or of another sequence, into random order, in place.

        Parameters
        ----------
        x : ndarray or sequence
            The array, in any layout and on any device.
        axis : int, optional
            Axis of the entries.

        Raises
        ------
        TypeError
            If `x` has no axis or is no sequence.
        ValueError
            If it is read-only.
        AxisError
            If the axis does not exist.

        See Also
        --------
        permutation, permuted, numpy.random.Generator.shuffle

        Examples
        --------
        >>> import cuarray as ca
        >>> rng = ca.random.default_rng(7)
        >>> x = ca.arange(6).reshape(3, 2)
        >>> rng.shuffle(x)
        >>> ca.sort(x, axis=0)
        array([[0, 1],
               [2, 3],
               [4, 5]])
        """


add_methods(Generator, (*DISTRIBUTIONS, *OF_GENERATOR))


def in_order(x, order, axis):
    """Return the entries of an axis in another order."""
    return x[order] if axis == 0 else take(x, order, axis)  # the former is faster for few


def default_rng(seed=None, device=None):
    """Return a generator with the numbers of numpy.random.default_rng.

    They come from the bit generator PCG64. Arrays of the common distributions are drawn on the device of the result,
    other numbers on the host. ``Generator(cuarray.random.Philox(seed))`` draws others, on that device; see `Philox`.

    Parameters
    ----------
    seed : int, sequence of int, SeedSequence, bit generator or generator, optional
        The same seed gives the same numbers; by default the system chooses. Bit generators and generators, of
        NumPy too, are used as they are and not copied.
    device : device or str, optional
        Where new arrays go; the current device of each call by default.

    Returns
    -------
    Generator
        `seed` itself if it is one, and for that device.

    Raises
    ------
    TypeError
        If the seed is none of these.
    ValueError
        If it is negative, or there is no such device.

    See Also
    --------
    Philox, numpy.random.default_rng

    Examples
    --------
    >>> import cuarray as ca
    >>> rng = ca.random.default_rng(7)
    >>> rng.integers(100, size=5)
    array([94, 62, 68, 89, 57])
    """
    device = None if device is None else _core.device(device)
    if isinstance(seed, Generator) and device in (None, seed._device):
        return seed
    return Generator(bit_generator_of(seed), device)


def bit_generator_of(seed):
    """Return the bit generator that a seed is or has, or else a new one."""
    if isinstance(seed, np.random.BitGenerator):
        return seed
    if isinstance(seed, Source):
        return seed._host._bit_generator
    if isinstance(seed, np.random.Generator | np.random.RandomState):
        return seed._bit_generator
    return np.random.PCG64(seed_of(seed))


default_rng.__module__ = "cuarray.random"
