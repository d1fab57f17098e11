"""standin.py -- NumPy as another library of its semantics would be: only numbers, 0-d arrays as results, and no warnings.

A test of NumPy's that fails with it asks for what is NumPy's alone, such as scalars that are no arrays, text, or a warning.
"""

import functools

import numpy as np

import cuarray as ca

NUMBERS = {np.dtype(t) for t in "? b h i l B H I L e f d F D q Q".split()}


class Standin(np.ndarray):
    """An array whose elements and results are 0-d arrays that cannot be written to."""

    def __init_subclass__(cls):
        raise TypeError("no class of its own for the elements of another library")

    def __array_wrap__(self, array, context=None, return_scalar=False):
        array = array.view(Standin)
        return value(array) if return_scalar else array

    def __hash__(self):
        return hash(self.item()) if self.ndim == 0 and not self.flags.writeable else object.__hash__(self)


def value(number):
    """Return a 0-d array that cannot be written to."""
    array = np.array(number).view(Standin)
    array.flags.writeable = False
    return array


def converted(result):
    """Return a result of NumPy's as this library would have it."""
    if isinstance(result, np.generic):
        return value(result) if checked(result) is result else result
    if isinstance(result, np.ndarray):
        if type(result) not in (np.ndarray, Standin):
            return result
        result = checked(result)
        return result if type(result) is Standin else result.view(Standin)
    if type(result) in (tuple, list):
        return type(result)(converted(part) for part in result)
    if isinstance(result, tuple) and hasattr(result, "_fields"):
        return type(result)(*(converted(part) for part in result))
    return result


def checked(result):
    """Return an array of the processor's byte order; refuse what are no numbers."""
    if result.dtype not in NUMBERS:
        if result.dtype.newbyteorder("=") in NUMBERS:
            return result.astype(result.dtype.newbyteorder("="))
        raise TypeError(f"dtype {result.dtype} is no number")
    return result


def refuse(argument):
    """Raise where an argument is, or names, a dtype or an array that are no numbers."""
    if isinstance(argument, np.ndarray | np.generic | np.dtype):
        dtype = getattr(argument, "dtype", argument)
    elif isinstance(argument, type) and issubclass(argument, np.generic | str | bytes):
        dtype = np.dtype(argument) if not issubclass(argument, np.generic) or not argument.__subclasses__() else None
    else:
        return
    if dtype is not None and dtype.newbyteorder("=") not in NUMBERS:
        raise TypeError(f"dtype {dtype} is no number")


def wrapped(function):
    """A function whose results are this library's."""

    @functools.wraps(function, updated=())
    def call(*arguments, **options):
        for argument in (*arguments, *options.values()):
            refuse(argument)
        return converted(function(*arguments, **options))

    return call


def method(name):
    function = wrapped(getattr(np.ndarray, name))
    in_place = (
        name.startswith("__i")
        and "__" + name[3:] in vars(np.ndarray)
        and name not in ("__int__", "__invert__", "__index__")
    )
    if not in_place:
        return function
    plain = wrapped(getattr(np.ndarray, "__" + name[3:]))

    def call(self, other):
        return plain(self, other) if self.ndim == 0 and not self.flags.writeable else function(self, other)

    return call


SPECIAL = {"__new__", "__init__", "__class__", "__getattribute__", "__setattr__", "__delattr__", "__dir__", "__doc__",
           "__init_subclass__", "__subclasshook__", "__class_getitem__", "__array_finalize__", "__array_wrap__", "__array_prepare__",
           "__array_ufunc__", "__array_function__", "__reduce__", "__reduce_ex__", "__setstate__", "__hash__", "__sizeof__",
           "__array__", "__buffer__", "__release_buffer__", "__deepcopy__", "__copy__"}  # fmt: skip

for _name in dir(np.ndarray):
    if _name not in SPECIAL and callable(getattr(np.ndarray, _name)):
        setattr(Standin, _name, method(_name))


class Ufunc:
    """A ufunc whose results are this library's."""

    def __init__(self, ufunc):
        self._ufunc = ufunc
        functools.update_wrapper(self, ufunc, assigned=("__name__", "__doc__", "__qualname__"), updated=())

    def __call__(self, *arguments, **options):
        return wrapped(self._ufunc)(*arguments, **options)

    def __getattr__(self, name):
        found = getattr(self._ufunc, name)
        return wrapped(found) if callable(found) else found

    def __repr__(self):
        return repr(self._ufunc)


def standin_for(numpys):
    """Return this library's object for one of NumPy's."""
    if numpys is np.ndarray:
        return Standin
    if numpys is np.ufunc:
        return Ufunc
    if numpys is np.errstate:
        return ca.errstate
    if numpys is np.seterr:
        return ca.seterr
    if numpys is np.geterr:
        return ca.geterr
    if isinstance(numpys, np.ufunc):
        return Ufunc(numpys)
    if callable(numpys) and not isinstance(numpys, type):
        return wrapped(numpys)
    return numpys
