"""The class Generator: NumPy's methods, whose results are arrays of a device."""

import operator

import numpy as np
from numpy.lib.array_utils import normalize_axis_index

from cuarray import _core
from cuarray._arguments.operands import target
from cuarray._core import ndarray
from cuarray._functions.array_text import is_on_host
from cuarray._functions.indexing import take_along_axis
from cuarray._random.choices import indices_by
from cuarray._random.distributions import DISTRIBUTIONS, OF_GENERATOR, add_methods
from cuarray._random.draws import OWN, Source, on_host, placed, seed_of
from cuarray._random.transforms import array_of, as_size, count_of, number_of

RANDOM, STANDARD_NORMAL, STANDARD_EXPONENTIAL, STANDARD_GAMMA = (draws[0] for draws in OWN.values())


class Generator(Source):
    """Draws random numbers as arrays: the methods of numpy.random.Generator.

    Over a `Philox`, which `default_rng` makes, most numbers are drawn on the device of the result, and are the
    same on every device. Those of `random`, of `uniform`, of `bytes` and of `integers` in a range of a power of
    two are the numbers of NumPy's generator over the same Philox, and leave it in the same state. Those of all
    other distributions, integers in other ranges, permutations and choices differ from NumPy's. Small samples of
    many entries without replacement are drawn by NumPy on the host.

    Over another bit generator all numbers are NumPy's, drawn on the host and uploaded, which is slower.

    Threads may share a generator. A graph repeats the numbers of its capture.

    Parameters
    ----------
    bit_generator : BitGenerator
        One of NumPy's, such as ``Philox(7)``. It is shared and not copied.
    device : device or str, optional
        Where new arrays go; the current device of each call by default. Results made of an array are on its
        device.

    Raises
    ------
    AttributeError, ValueError
        If that is no bit generator, or a class of them.

    See Also
    --------
    default_rng, numpy.random.Generator

    Examples
    --------
    >>> import cuarray as ca
    >>> rng = ca.random.Generator(ca.random.PCG64(7))
    >>> rng.normal(size=(2, 3)).shape
    (2, 3)
    """

    __module__ = "cuarray.random"
    __slots__ = ()

    def __init__(self, bit_generator, device=None):
        super().__init__(np.random.Generator(bit_generator), device)

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
        if out is None and dtype is np.float64:
            drawn = self._draw_floats(RANDOM, "random", None, size, None)
            if drawn is not None:
                return drawn
        return self._fill("random", size, dtype, out)

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
        if out is None and dtype is np.float64:
            drawn = self._draw_floats(STANDARD_NORMAL, "standard_normal", None, size, None)
            if drawn is not None:
                return drawn
        return self._fill("standard_normal", size, dtype, out)

    def standard_exponential(self, size=None, dtype=np.float64, method="zig", out=None):
        """Draw from the exponential distribution of mean 1.

        Parameters
        ----------
        size : int or tuple of int, optional
            Shape of the result; by default one number is drawn.
        dtype : dtype, optional
            float64 or float32.
        method : str, optional
            'zig', the ziggurat method, or 'inv', which inverts the distribution function and is slower; over Philox
            always the latter, by a kernel.
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
        if out is None and dtype is np.float64:
            drawn = self._draw_floats(STANDARD_EXPONENTIAL, "standard_exponential", None, size, None)
            if drawn is not None:
                return drawn
        return self._fill("standard_exponential", size, dtype, out, method=method)

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
        if out is None and dtype is np.float64:
            drawn = self._draw_floats(STANDARD_GAMMA, "standard_gamma", None, size, None, shape)
            if drawn is not None:
                return drawn
        return self._fill("standard_gamma", size, dtype, out, shape)

    def integers(self, low, high=None, size=None, dtype=np.int64, endpoint=False):
        """Draw integers, all equally often.

        Those of a generator over Philox, and its state afterwards, are NumPy's where the number of values is a power
        of two.

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
        drawn = self._draw_integers(low, high, size, dtype, endpoint)
        return self._integers(low, high, size, dtype, endpoint) if drawn is None else drawn

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
            With the axes of `size` in the place of `axis`. One element is a value.

        Raises
        ------
        TypeError
            If `a` has no numbers.
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
        size = as_size(size, "choice")
        a = a if np.isscalar(a) else array_of(a, self._device, "choice")
        if np.ndim(a) == 0:
            n = number_of(a)
            chosen = self._chosen(n, size, replace, p, self._device)
            if chosen is None:
                return self._draw("choice", n, size, replace, p, axis, shuffle)
            return chosen
        if not -a.ndim <= axis < a.ndim:
            raise IndexError(f"choice: axis {axis} is out of bounds for array of dimension {a.ndim}")
        n = a.shape[axis]
        if n == 0 and count_of(size):
            raise ValueError("choice: a cannot be empty unless no samples are taken")
        chosen = self._chosen(n, size, replace, p, a.device)
        if chosen is None:
            chosen = self._numpys("choice", n, size, replace, on_host(p, "choice"), 0, shuffle)
            if a.ndim == 1 and size is None:
                return a[int(chosen)]
            chosen = _core.array_from_object(chosen, None, a.device)
        elif chosen.device != a.device:
            raise ValueError(f"choice: a is on {a.device} and p on {chosen.device}; move one with .to_device(...)")
        sample = _core.take(a, chosen, axis % a.ndim)
        # With size=() it is an array and no value.
        return sample if size is None or sample.ndim else _core.array_from_object(sample, None, None, True)

    def _chosen(self, n, size, replace, p, device):
        """Return a sample of 0 ... n - 1, drawn on a device; None where NumPy shall draw it."""
        n = int(n) if isinstance(n, np.integer) or (type(n) is np.ndarray and n.dtype.kind in "iu") else n
        if not self._is_philox or type(n) is not int or n <= 0:
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
        x = number_of(x) if isinstance(x, ndarray) and _core.is_value(x) else x
        if isinstance(x, int | np.integer):
            is_ours = self._is_philox and x >= 0
            return self._order((int(x),), 0, self._device) if is_ours else self._draw("permutation", x)
        x = array_of(x, self._device, "permutation")
        axis = axis_of(x, axis, "permutation")
        if x.ndim == 1 and self._is_drawn_by_numpy(x):
            x = x.copy()
            self._host.shuffle(x.__array__())
            return x
        return in_order(x, self._order_of(x, axis), axis)

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
            x = array_of(x, self._device, "permuted")
            axis = axis_of(x, axis, "permuted") if axis is not None and x.ndim else axis
            if self._is_drawn_by_numpy(x):
                return placed(self._numpys("permuted", x.__array__(), axis=axis), x.device)
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
            axis = axis_of(x, axis, "permuted")
            return take_along_axis(x, self._order(x.shape, axis, x.device), axis)
        if place.flags.f_contiguous and not place.flags.c_contiguous:
            return self._permuted_like(x.T, place.T, None).T.copy(order="K")
        flat = x.reshape(-1)
        return flat[self._order_of(flat, 0).reshape(x.shape)] if x.size else x.copy()

    def _order_of(self, x, axis):
        """Draw the order of the entries of an axis, as an array on the device of x."""
        return self._order((x.shape[axis],), 0, x.device)

    def _order(self, shape, axis, device):
        """Draw an order of the entries of an axis, another one for each slice along it: that of random numbers.

        They are of 64 bits. Equal ones, of a billion two with a probability of 3 %, stay in their order.
        """
        if self._is_philox:
            return self._draws_for(device)[1](0, 2**64 - 1, shape, np.uint64, True, "permutation").argsort(axis)
        extents = [1] * len(shape)
        extents[axis] = shape[axis]
        orders = np.broadcast_to(np.arange(shape[axis]).reshape(extents), shape)
        return _core.array_from_object(self._host.permuted(orders, axis=axis), None, device)

    def _is_drawn_by_numpy(self, x):
        """Whether NumPy's generator takes an array as it is."""
        return not self._is_philox and is_on_host(x)

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
        if not isinstance(x, ndarray):
            self._numpys("shuffle", x, axis)
            return
        if x.ndim == 0:
            raise TypeError("shuffle: an array without axes has no order")
        axis = axis_of(x, axis, "shuffle")
        target(x, "shuffle")
        if x.ndim == 1 and self._is_drawn_by_numpy(x):
            self._host.shuffle(x.__array__())
        elif x.size:
            x[...] = in_order(x, self._order_of(x, axis), axis)


add_methods(Generator, (*DISTRIBUTIONS, *OF_GENERATOR))


def in_order(x, order, axis):
    """Return the entries of an axis in another order."""
    return x[order] if axis == 0 else _core.take(x, order, axis)  # the former is faster for few


def axis_of(x, axis, function):
    """Return an axis of an array as a number that is not negative."""
    return normalize_axis_index(operator.index(axis), x.ndim, function)


def default_rng(seed=None, device=None):
    """Return a generator over the bit generator Philox.

    Its uniform numbers are those of ``numpy.random.Generator(numpy.random.Philox(seed))``; see `Generator`. Those
    of `numpy.random.default_rng` come from another bit generator, PCG64.

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
    numpy.random.default_rng

    Examples
    --------
    >>> import cuarray as ca
    >>> rng = ca.random.default_rng(7)
    >>> x = rng.normal(3.0, 0.5, size=1000)
    >>> abs(x.mean().item() - 3) < 0.2
    True
    """
    device = None if device is None else _core.device(device)
    if type(seed) is Generator and device in (None, seed._device):
        return seed
    return Generator(bit_generator_of(seed), device)


def bit_generator_of(seed):
    """Return the bit generator that a seed is or has, or else a new one."""
    if isinstance(seed, np.random.BitGenerator):
        return seed
    if isinstance(seed, Source):
        return seed._host.bit_generator
    if isinstance(seed, np.random.Generator):
        return seed.bit_generator
    if isinstance(seed, np.random.RandomState):
        return seed._bit_generator
    return np.random.Philox(seed_of(seed))


default_rng.__module__ = "cuarray.random"
