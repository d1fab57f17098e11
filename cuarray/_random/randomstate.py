"""The older interface: the class RandomState, and the functions of the module over one generator of it."""

import warnings
from functools import lru_cache

import numpy as np

from cuarray._random.distributions import DISTRIBUTIONS, OF_RANDOMSTATE, add_methods
from cuarray._random.draws import Source, seed_of
from cuarray._random.generator import RANDOM, STANDARD_NORMAL, Generator, bit_generator_of


@lru_cache(maxsize=64)
def state_of(kind, seed):
    """Return the state in which a bit generator of a class begins; programs set the same seeds again and again."""
    return kind(seed).state


class RandomState(Source):
    """Draws random numbers with the methods of numpy.random.RandomState, but not with the same numbers.

    The numbers are those that `Generator` draws from the same bit generator: those of ``RandomState(7).normal()``
    are those of ``default_rng(7).normal()``. NumPy keeps the numbers of its older class for old programs alone;
    new programs use `default_rng`.

    Parameters
    ----------
    seed : int, sequence of int, SeedSequence, bit generator or generator, optional
        As of `default_rng`.
    device : device or str, optional
        Where new arrays go; the current device of each call by default.

    Raises
    ------
    TypeError
        If the seed is none of these.
    ValueError
        If it is negative, or there is no such device.

    See Also
    --------
    default_rng, numpy.random.RandomState

    Examples
    --------
    >>> import cuarray as ca
    >>> ca.random.RandomState(7).randn(2, 3).shape
    (2, 3)
    """

    __module__ = "cuarray.random"
    __slots__ = ("_twin",)
    _is_older = True

    def __init__(self, seed=None, device=None):
        self._twin = None
        if isinstance(seed, type) and issubclass(seed, np.random.BitGenerator):
            raise ValueError(f"RandomState: a bit generator must be instantiated: {seed.__name__}(7)")
        super().__init__(np.random.Generator(bit_generator_of(seed)), device)

    def seed(self, seed=None):
        """Begin again with the numbers of a seed.

        Parameters
        ----------
        seed : int or sequence of int, optional
            By default the system chooses.

        Raises
        ------
        TypeError
            If the seed is neither.
        ValueError
            If it is negative.

        See Also
        --------
        default_rng

        Examples
        --------
        >>> import cuarray as ca
        >>> ca.random.seed(7)
        >>> x = ca.random.rand(3)
        >>> ca.random.seed(7)
        >>> (x == ca.random.rand(3)).all().item()
        True
        """
        bit_generator = self._host.bit_generator
        kind = type(bit_generator)
        state = state_of(kind, seed) if type(seed) is int else kind(seed_of(seed)).state
        with bit_generator.lock:
            bit_generator.state = state

    def get_state(self, legacy=True):
        """Return the state of the bit generator, for `set_state`.

        Parameters
        ----------
        legacy : bool, optional
            Whether that of an MT19937 is a tuple, as NumPy's RandomState has it, and not a dict.

        Returns
        -------
        dict or tuple

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
        bit_generator = self._host.bit_generator
        with bit_generator.lock:
            state = bit_generator.state
        if legacy and state["bit_generator"] == "MT19937":
            return "MT19937", state["state"]["key"], state["state"]["pos"], 0, 0.0
        return state

    def set_state(self, state):
        """Set the state of the bit generator.

        Parameters
        ----------
        state : dict or tuple
            As `get_state` returns it.

        Raises
        ------
        TypeError
            If it is neither.
        IndexError
            If it is a tuple of another length than 3 or 5.
        ValueError
            If it is the state of another type of bit generator, such as those of NumPy's module functions.

        See Also
        --------
        numpy.random.set_state

        Examples
        --------
        >>> import cuarray as ca
        >>> ca.random.set_state(ca.random.get_state())
        """
        if isinstance(state, tuple | list):
            if len(state) not in (3, 5):
                raise IndexError(f"set_state: the tuple must have 3 or 5 entries, not {len(state)}")
            state = {"bit_generator": state[0], "state": {"key": state[1], "pos": state[2]}}
        if not isinstance(state, dict):
            raise TypeError(f"set_state: a dict or a tuple of 3 or 5, as get_state returns it, not {state!r}")
        bit_generator = self._host.bit_generator
        with bit_generator.lock:
            bit_generator.state = state

    def __getstate__(self):
        return self.get_state(legacy=False)

    def __setstate__(self, state):
        self.set_state(state)

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
        drawn = self._draw_floats(RANDOM, "rand", None, args or None, None)
        return self._fill("random", args or None, np.float64, None) if drawn is None else drawn

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
        drawn = self._draw_floats(STANDARD_NORMAL, "randn", None, args or None, None)
        return self._fill("standard_normal", args or None, np.float64, None) if drawn is None else drawn

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
        drawn = self._draw_floats(RANDOM, "random", None, size, None)
        return self._fill("random", size, np.float64, None) if drawn is None else drawn

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
        drawn = self._draw_integers(low, high, size, dtype, False, "randint")
        return self._integers(low, high, size, dtype, False, "randint") if drawn is None else drawn

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
        return self._integers(0, np.iinfo(np.int64).max, size, np.int64, True, "tomaxint")

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
        TypeError
            If `a` has no numbers.
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
        rows = a[0] if isinstance(a, list | tuple) and len(a) else a  # a list may be long
        axes = np.ndim(rows) + (rows is not a)
        if axes > 1:
            raise ValueError(f"choice: a must have one axis, not {axes}")
        return self._generator.choice(a, size, replace, p)

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
        return self._generator.permutation(x)

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
        self._generator.shuffle(x)

    def random_integers(self, low, high=None, size=None):
        """Draw integers, all equally often; NumPy has given this up for `randint`.

        Parameters
        ----------
        low : array_like of int
            The smallest number; if `high` is not given, the largest, and 1 is the smallest.
        high : array_like of int, optional
            The largest number.
        size : int or tuple of int, optional
            Shape of the result; by default that of the parameters, broadcast.

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
        return self._integers(low, high, size, np.int64, True, "random_integers")

    @property
    def _generator(self):
        """A Generator that draws the same numbers."""
        if self._twin is None or self._twin.bit_generator is not self._host.bit_generator:
            self._twin = Generator(self._host.bit_generator, self._device)
        return self._twin


if not hasattr(np.random.RandomState, "random_integers"):
    del RandomState.random_integers  # NumPy has given it up
add_methods(RandomState, (*DISTRIBUTIONS, *OF_RANDOMSTATE), legacy=True)

#: The generator of the module's functions.
shared = RandomState()


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
    'Philox'
    """
    return shared._host.bit_generator


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
    shared._use(np.random.Generator(bitgen))


get_bit_generator.__module__ = set_bit_generator.__module__ = "cuarray.random"
