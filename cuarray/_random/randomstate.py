"""The older interface: the class RandomState, and the functions of the module over one generator of it."""

import warnings

import numpy as np
from numpy.random import MT19937

from cuarray import _core
from cuarray._random.distributions import DISTRIBUTIONS, OF_RANDOMSTATE, add_methods
from cuarray._random.draws import Source, seed_of


class RandomState(Source):
    """Draws random numbers with the methods of numpy.random.RandomState, and its numbers.

    Equal seeds give the numbers that NumPy keeps for old programs, drawn on the host by NumPy. New programs use
    `default_rng`.

    Parameters
    ----------
    seed : int, sequence of int or bit generator, optional
        By default the system chooses. Of a seed it makes an MT19937; a bit generator is shared and not copied.
    device : device or str, optional
        Where new arrays go; the current device of each call by default.

    Raises
    ------
    TypeError
        If the seed is none of these.
    ValueError
        If it is negative or exceeds 32 bits, or there is no such device.

    See Also
    --------
    default_rng, numpy.random.RandomState

    Examples
    --------
    >>> import cuarray as ca
    >>> ca.random.RandomState(7).randint(100, size=4)
    array([47, 68, 25, 67])
    """

    __module__ = "cuarray.random"
    __slots__ = ()

    def __init__(self, seed=None, device=None):
        device = None if device is None else _core.device(device)
        host = np.random.RandomState(seed_of(seed))
        self._use(host, host._bit_generator, device)

    @property
    def _bit_generator(self):
        """The bit generator, under the name that it has in NumPy's class."""
        return self._host._bit_generator

    def __reduce__(self):
        return type(self), (self._host._bit_generator, self._device), self.get_state(legacy=False)

    def __getstate__(self):
        return self.get_state(legacy=False)

    def __setstate__(self, state):
        self.set_state(state)

    def seed(self, seed=None):
        """Begin again with the numbers of a seed.

        Parameters
        ----------
        seed : int or sequence of int, optional
            By default the system chooses.

        Raises
        ------
        TypeError
            If the seed is neither, or the bit generator is no MT19937.
        ValueError
            If it is negative or exceeds 32 bits.

        See Also
        --------
        default_rng, numpy.random.seed

        Examples
        --------
        >>> import cuarray as ca
        >>> ca.random.seed(7)
        >>> ca.random.randint(100, size=4)
        array([47, 68, 25, 67])
        """
        self._host.seed(seed if type(seed) is int else seed_of(seed))

    def get_state(self, legacy=True):
        """Return the state, for `set_state` and for NumPy's.

        Parameters
        ----------
        legacy : bool, optional
            Whether that of an MT19937 is a tuple and not a dict.

        Returns
        -------
        dict or tuple
            The state of the bit generator, and of normal numbers, which are drawn in pairs, the one that is left.

        See Also
        --------
        numpy.random.get_state

        Examples
        --------
        >>> import cuarray as ca
        >>> state = ca.random.get_state()
        >>> x = ca.random.rand(3)
        >>> ca.random.set_state(state)
        >>> (x == ca.random.rand(3)).all().item()
        True
        """
        return self._host.get_state(legacy)

    def set_state(self, state):
        """Set the state.

        Parameters
        ----------
        state : dict or tuple
            As `get_state`, or that of NumPy, returns it.

        Raises
        ------
        TypeError
            If it is neither.
        IndexError
            If it is a tuple of another length than 3 or 5.
        ValueError
            If it is the state of another type of bit generator.

        See Also
        --------
        numpy.random.set_state

        Examples
        --------
        >>> import cuarray as ca
        >>> ca.random.set_state(ca.random.get_state())
        """
        self._numpys("set_state", state)

    @_core.random_method
    def rand(self, *args):
        """Draw from the uniform distribution over ``0 <= x < 1``; the arguments are the shape.

        Parameters
        ----------
        *args : int
            Extents of the result; without any, one number is drawn.

        Returns
        -------
        ndarray

        See Also
        --------
        random_sample, numpy.random.rand

        Examples
        --------
        >>> import cuarray as ca
        >>> ca.random.rand(2, 3).shape
        (2, 3)
        """

    @_core.random_method
    def randn(self, *args):
        """Draw from the normal distribution of mean 0 and variance 1; the arguments are the shape.

        Parameters
        ----------
        *args : int
            Extents of the result; without any, one number is drawn.

        Returns
        -------
        ndarray

        See Also
        --------
        standard_normal, numpy.random.randn

        Examples
        --------
        >>> import cuarray as ca
        >>> ca.random.randn(2, 3).shape
        (2, 3)
        """

    @_core.random_method
    def random(self, size=None):
        """Draw from the uniform distribution over ``0 <= x < 1``; another name of `random_sample`.

        Parameters
        ----------
        size : int or tuple of int, optional
            Shape of the result; by default one number is drawn.

        Returns
        -------
        ndarray

        See Also
        --------
        random_sample, numpy.random.random

        Examples
        --------
        >>> import cuarray as ca
        >>> ca.random.random((2, 3)).shape
        (2, 3)
        """

    @_core.random_method
    def randint(self, low, high=None, size=None, dtype=int):
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

        Returns
        -------
        ndarray

        Raises
        ------
        TypeError
            If there are no random integers of that type.
        ValueError
            If the range is empty, or exceeds that of the type.

        See Also
        --------
        numpy.random.randint

        Examples
        --------
        >>> import cuarray as ca
        >>> ca.unique(ca.random.randint(1, 4, size=1000))
        array([1, 2, 3])
        """

    @_core.random_method
    def tomaxint(self, size=None):
        """Draw integers from 0 to the largest one of the type int64.

        Parameters
        ----------
        size : int or tuple of int, optional
            Shape of the result; by default one number is drawn.

        Returns
        -------
        ndarray

        See Also
        --------
        numpy.random.RandomState.tomaxint

        Examples
        --------
        >>> import cuarray as ca
        >>> ca.random.RandomState(7).tomaxint(3).shape
        (3,)
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
        numpy.random.bytes

        Examples
        --------
        >>> import cuarray as ca
        >>> len(ca.random.bytes(10))
        10
        """
        return self._numpys("bytes", length)

    @_core.random_method
    def choice(self, a, size=None, replace=True, p=None):
        """Draw a sample of the elements of an array.

        Parameters
        ----------
        a : int or array_like
            One-dimensional, on any device; a number n stands for 0, 1, ... n - 1.
        size : int or tuple of int, optional
            Shape of the sample; by default one element is drawn.
        replace : bool, optional
            Whether an element may be drawn more than once.
        p : array_like of float, optional
            Probabilities of the elements, whose sum is 1; equal ones by default.

        Returns
        -------
        ndarray

        Raises
        ------
        ValueError
            If the array has more axes, is empty or is smaller than a sample without replacement, or the
            probabilities are wrong.

        See Also
        --------
        numpy.random.choice

        Examples
        --------
        >>> import cuarray as ca
        >>> x = ca.random.choice([2, 3, 5, 7], 4, replace=False)
        >>> ca.sort(x)
        array([2, 3, 5, 7])
        """

    @_core.random_method
    def permutation(self, x):
        """Return the entries of an array along its first axis in random order.

        Parameters
        ----------
        x : int or array_like
            The array, on any device; a number n stands for 0, 1, ... n - 1.

        Returns
        -------
        ndarray
            A copy.

        See Also
        --------
        shuffle, numpy.random.permutation

        Examples
        --------
        >>> import cuarray as ca
        >>> ca.sort(ca.random.permutation(5))
        array([0, 1, 2, 3, 4])
        """

    @_core.random_method
    def shuffle(self, x):
        """Bring the entries of an array, or of another sequence, into random order, in place.

        Parameters
        ----------
        x : ndarray or sequence
            The array, in any layout and on any device; its entries are those of the first axis.

        Raises
        ------
        TypeError
            If `x` has no axis or is no sequence.
        ValueError
            If it is read-only.

        See Also
        --------
        permutation, numpy.random.shuffle

        Examples
        --------
        >>> import cuarray as ca
        >>> x = ca.arange(5)
        >>> ca.random.shuffle(x)
        >>> ca.sort(x)
        array([0, 1, 2, 3, 4])
        """

    def random_integers(self, low, high=None, size=None):
        """Draw integers, all equally often; NumPy has given this up for `randint`.

        Parameters
        ----------
        low : int
            The smallest number; if `high` is not given, the largest, and 1 is the smallest.
        high : int, optional
            The largest number.
        size : int or tuple of int, optional
            Shape of the result; by default one number is drawn.

        Returns
        -------
        ndarray

        Raises
        ------
        ValueError
            If the range is empty.

        See Also
        --------
        randint

        Examples
        --------
        >>> import cuarray as ca
        >>> ca.random.randint(1, 4 + 1, size=(2, 3)).shape
        (2, 3)
        """
        advice = "random_integers: use randint, whose range does not have its end"
        warnings.warn(advice, DeprecationWarning, stacklevel=2)
        low, high = (1, low) if high is None else (low, high)
        return self.randint(low, int(high) + 1, size)


if not hasattr(np.random.RandomState, "random_integers"):
    del RandomState.random_integers  # NumPy has given it up
add_methods(RandomState, (*DISTRIBUTIONS, *OF_RANDOMSTATE), legacy=True)

#: The generator of the module's functions.
shared = RandomState()


def seed(seed=None):
    """Begin again with the numbers of a seed, whatever the bit generator of the module's functions.

    Parameters
    ----------
    seed : int or sequence of int, optional
        By default the system chooses.

    Raises
    ------
    TypeError
        If the seed is neither.
    ValueError
        If it is negative or exceeds 32 bits.

    See Also
    --------
    default_rng, numpy.random.seed

    Examples
    --------
    >>> import cuarray as ca
    >>> ca.random.seed(7)
    >>> ca.random.randint(100, size=4)
    array([47, 68, 25, 67])
    """
    host = shared._host
    bits = host._bit_generator
    if isinstance(bits, MT19937):
        host.seed(seed if type(seed) is int else seed_of(seed))
    else:
        bits.state = type(bits)(seed_of(seed)).state


def get_bit_generator():
    """Return the bit generator of the module's functions.

    Returns
    -------
    BitGenerator

    See Also
    --------
    numpy.random.get_bit_generator

    Examples
    --------
    >>> import cuarray as ca
    >>> type(ca.random.get_bit_generator()).__name__
    'MT19937'
    """
    return shared._host._bit_generator


def set_bit_generator(bitgen):
    """Let the module's functions draw from another bit generator.

    Parameters
    ----------
    bitgen : BitGenerator
        It is shared and not copied.

    Raises
    ------
    AttributeError, ValueError
        If that is no bit generator, or a class of them.

    See Also
    --------
    numpy.random.set_bit_generator

    Examples
    --------
    >>> import cuarray as ca
    >>> before = ca.random.get_bit_generator()
    >>> ca.random.set_bit_generator(ca.random.PCG64(7))
    >>> ca.random.set_bit_generator(before)
    """
    if not hasattr(bitgen, "capsule"):
        raise AttributeError(f"set_bit_generator: a bit generator expected, not {bitgen!r}")
    host = np.random.RandomState(bitgen)  # it refuses what breaks the functions of NumPy's module
    if shared._host is np.random.mtrand._rand:  # in programs whose `np` is cuarray.numpy
        np.random.set_bit_generator(bitgen)
        host = np.random.mtrand._rand
    shared._use(host, bitgen, shared._device)


seed.__module__ = get_bit_generator.__module__ = set_bit_generator.__module__ = "cuarray.random"
