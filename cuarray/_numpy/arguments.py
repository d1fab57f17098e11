"""Arguments and results on their way to NumPy's functions and back."""

import numbers
import operator
from collections import deque

import numpy as np

from cuarray import _core
from cuarray._core import is_ndarray
from cuarray._numpy.overrides import has_functions, is_override

#: Characters of dtypes of numbers that no device has.
LONG = "gG"

#: Numbers of dtypes from which on other libraries have defined them.
OF_OTHERS = 256

#: Types of arguments that NumPy's functions take as they are.
PLAIN = {np.ndarray, bool, int, float, complex, str, bytes, type(None), np.bool_, np.int64, np.float64, np.dtype, type}


def is_of_numbers(dtype):
    """Whether arrays of ours may hold such numbers, in the machine's own byte order."""
    if dtype.kind in "biufc":
        return dtype.char not in LONG
    return dtype.num >= OF_OTHERS and dtype.name == "bfloat16"  # names take long to make


def is_of_swapped_numbers(x):
    """Whether that is an array of NumPy's whose numbers have their bytes in the other order."""
    return type(x) is np.ndarray and not x.dtype.isnative and is_of_numbers(x.dtype)


def is_known_dtype(dtype):
    """Whether arrays of ours may have that dtype."""
    return dtype.isnative and is_of_numbers(dtype)


def needs_numpy(argument, names_dtypes=True):
    """Whether an argument, or an entry of it, is of a type that NumPy has and cuarray has not.

    These are texts, dates, objects, structured and long types, numbers of swapped bytes, their dtypes, and subclasses
    of numpy.ndarray. Numbers, arrays of numbers, and functions are not among them: an error about them is the caller's.

    Parameters
    ----------
    argument : object
    names_dtypes : bool
        Whether a text is the name of a dtype, as in ``dtype="S3"``, and no text of its own.

    Returns
    -------
    bool

    Examples
    --------
    >>> from cuarray._numpy.arguments import needs_numpy
    >>> needs_numpy(["a", "b"]), needs_numpy([1, 2.5]), needs_numpy("M8[D]"), needs_numpy("f4")
    (True, False, True, False)
    """
    if isinstance(argument, bool | float | complex) or is_ndarray(argument):
        return False
    if isinstance(argument, int):
        return not -(2**63) <= argument < 2**64
    if isinstance(argument, np.ndarray | np.generic):
        return (type(argument) not in (np.ndarray, np.memmap) and isinstance(argument, np.ndarray)) or (
            not is_known_dtype(argument.dtype)
        )
    if isinstance(argument, str | bytes):
        return not names_dtypes or is_foreign_dtype(argument)
    if isinstance(argument, type | np.dtype):
        return is_foreign_dtype(argument)
    if isinstance(argument, list | tuple | deque):
        return any(needs_numpy(entry, names_dtypes=False) for entry in argument)
    if isinstance(argument, numbers.Number | dict | set | frozenset):  # such as Decimal and Fraction
        return True
    # Other libraries' arrays, iterators and functions are read by ours as by NumPy.
    return not (callable(argument) or hasattr(argument, "__iter__") or hasattr(argument, "__dlpack__"))


def is_foreign_dtype(name):
    """Whether that names a dtype, and one that only NumPy has."""
    try:
        return not is_known_dtype(np.dtype(name))
    except (TypeError, ValueError, SyntaxError):
        return False


def call_needs_numpy(args, kwargs):
    """Whether a call that failed here may succeed with NumPy: one of its arguments is of a type that only NumPy has.

    A positional text is a text, one with a keyword mostly an option.
    """
    if any(needs_numpy(x, names_dtypes=False) or x is None for x in args):
        return True
    if "dtype" in kwargs and (kwargs["dtype"] is None or isinstance(kwargs["dtype"], list | dict)):
        return True  # a structured type, or one that the values decide
    options = (name for name, x in kwargs.items() if isinstance(x, str) and name not in ("dtype", "fill_value"))
    return any(needs_numpy(kwargs[name], names_dtypes=name == "dtype") for name in kwargs.keys() - set(options))


def on_device(x, device):
    """Return an argument with NumPy's arrays of numbers moved to a device."""
    if type(x) is np.ndarray and is_of_numbers(x.dtype):
        return _core.array_from_object(x, None, device)
    if type(x) in (list, tuple):
        return type(x)(on_device(entry, device) for entry in x)
    if type(x) is dict:
        return {key: on_device(value, device) for key, value in x.items()}
    return x


def rebuilt(x, entries, made, make):
    """Return make(made), or x itself where what is made of its entries are these: who is called may write to it."""
    made = list(made)
    return x if all(map(operator.is_, entries, made)) else make(made)


class HostCopies:
    """The arguments of a call as NumPy's functions take them, and its results as ours.

    Arrays on `cpu` are shared, those of a GPU are copied, which is counted.

    Attributes
    ----------
    asks : bool
        Whether all objects of a program's classes are asked for their array, which NumPy would refuse if it is ours,
        and not only those without functions of their own.
    device : device or None
        That of the first array of ours; None if there is none.
    bytes : int
        What has been copied from a GPU.
    """

    def __init__(self, asks=False):
        self.asks = asks
        self.device = None
        self.bytes = 0
        self.given = {}  # the arrays of ours, by the identity of NumPy's in their place

    def to_host(self, x):
        """Return an argument with NumPy's arrays and scalars in the place of ours; itself if none is in it."""
        kind = type(x)
        if kind in PLAIN:
            return x
        if is_ndarray(x):
            return self.host_array(x)
        if isinstance(x, np.ndarray):
            return x
        if kind in (list, tuple):
            return x if PLAIN.issuperset(map(type, x)) else rebuilt(x, x, map(self.to_host, x), kind)
        if isinstance(x, tuple) and hasattr(x, "_fields"):
            return rebuilt(x, x, map(self.to_host, x), kind._make)
        if kind is dict:
            return rebuilt(x, x.values(), map(self.to_host, x.values()), lambda made: dict(zip(x, made, strict=True)))
        if kind is slice:
            return slice(*map(self.to_host, (x.start, x.stop, x.step)))
        if is_override(x, "__array__") and (self.asks or not has_functions(x)):
            given = x.__array__()
            return self.host_array(given) if is_ndarray(given) else x
        return x

    def host_array(self, x):
        if self.device is None:
            self.device = x.device
        if x.device.kind == "cpu":
            host = x.__array__()
        else:
            host = x.numpy()
            self.bytes += x.nbytes
        if _core.is_value(x):
            return host[()]
        self.given[id(host)] = x, host
        return host

    def to_ours(self, result):
        """Return a result with our arrays in the place of NumPy's that hold numbers."""
        if type(result) is np.ndarray:
            if id(result) in self.given:
                return self.given[id(result)][0]
            if is_known_dtype(result.dtype):
                return _core.array_from_object(result, None, self.device)
            return result
        if type(result) in (list, tuple):
            return type(result)(map(self.to_ours, result))
        if isinstance(result, tuple) and hasattr(result, "_fields"):
            return type(result)._make(map(self.to_ours, result))
        return result

    def given_back(self, result):
        """Return a result with our arrays in the place of those of NumPy's that were given for them."""
        if id(result) in self.given:
            return self.given[id(result)][0]
        return tuple(map(self.given_back, result)) if type(result) is tuple else result

    def written(self):
        """Return those of the arrays given in the place of a GPU's that differ from them now."""
        hosts = [(array, host) for array, host in self.given.values() if array.device.kind != "cpu"]
        return tuple(host for array, host in hosts if host.tobytes() != array.numpy().tobytes())

    def write_back(self, out):
        """Write what NumPy's function has written to copies of arrays of a GPU."""
        for host in out if isinstance(out, tuple) else (out,):
            if id(host) in self.given:
                array, copy = self.given[id(host)]
                if array.device.kind != "cpu":
                    array[...] = copy
