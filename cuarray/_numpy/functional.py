"""Functions made of a program's own: results that are numbers are ours, texts, dates and objects are NumPy's."""

import numpy as np

from cuarray import _core
from cuarray._functions import functional
from cuarray._numpy import fallbacks
from cuarray._numpy.arguments import HostCopies, is_known_dtype, needs_numpy
from cuarray._numpy.fallbacks import count


def on_host(function, name, excluded=()):
    """Return a function that calls another with host copies, and gives its results as ours where they are numbers."""

    def call(*args, **kwargs):
        copies = HostCopies()
        results = function(*copies.to_host(args), **copies.to_host(kwargs))
        if copies.bytes:
            count(f"numpy.{name}", 0.0, copies)
        if isinstance(results, tuple):
            return tuple(array_of_results(result, copies.device) for result in results)
        return array_of_results(results, copies.device)

    return call


def array_of_results(result, device):
    """Return a result as an array of ours, if it is one of numbers; objects that are numbers get their common type."""
    if isinstance(result, np.ndarray) and type(result) is not np.ndarray:
        return result
    numbers = np.asarray(result)
    if numbers.dtype == object:
        try:
            numbers = np.array(numbers.tolist())
        except ValueError:  # lists of different lengths
            return result
    if numbers.shape != np.shape(result) or not is_known_dtype(numbers.dtype):
        return result
    return _core.array_from_object(numbers, None, device)


class Vectorize(functional.vectorize):
    _through_host = staticmethod(on_host)


class FunctionOfObjects(functional.FunctionOfObjects):
    _through_host = staticmethod(on_host)

    def _on_host(self, method, *args, out=None, **kwargs):
        """Call a method with host copies; NumPy's arrays, such as those of objects, are written themselves."""
        outputs = [x for x in (out if isinstance(out, tuple) else (out,)) if x is not None]
        if outputs and all(isinstance(x, np.ndarray) for x in outputs):
            copies = HostCopies()
            return method(*copies.to_host(args), out=out, **copies.to_host(kwargs))
        return super()._on_host(method, *args, out=out, **kwargs)

    def at(self, a, indices, *b):
        """Apply the function in place to the elements at indices; see numpy.ufunc.at."""
        if isinstance(a, np.ndarray):
            return self._numpys.at(a, *HostCopies().to_host((indices, *b)))
        return super().at(a, indices, *b)


def frompyfunc(func, /, nin, nout, **kwargs):
    return FunctionOfObjects(functional.frompyfunc(func, nin, nout, **kwargs)._numpys)


for own, ours in ((Vectorize, functional.vectorize), (frompyfunc, functional.frompyfunc)):
    own.__name__, own.__qualname__, own.__doc__ = ours.__name__, ours.__qualname__, ours.__doc__
    own.__module__ = "cuarray.numpy"  # where pickles find them


class NoNumbers(Exception):
    """Raised where a function has made a text, a date or an object."""


def apply_along_axis(func1d, axis, arr, *args, **kwargs):
    """Call a function with each 1-d slice along an axis; see numpy.apply_along_axis."""
    made = []  # what it has made of the first slice

    def call(line, *args, **kwargs):
        result = func1d(line, *args, **kwargs)
        if not made:
            made.append(result)
            if needs_numpy(result, names_dtypes=False):
                raise NoNumbers
        return result

    def go_on(line, *args, **kwargs):
        return made.pop() if made else func1d(line, *args, **kwargs)

    try:
        return functional.apply_along_axis(call, axis, arr, *args, **kwargs)
    except NoNumbers:
        return fallbacks.on_host(np.apply_along_axis, (go_on, axis, arr, *args), kwargs)
