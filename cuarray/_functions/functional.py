"""Calls of Python functions for slices or elements, whose results form an array."""

import itertools
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from cuarray import _core
from cuarray._arguments.axes import integer, integer_tuple, normalise_axis, shape_tuple
from cuarray._arguments.functions import empty, expand_dims, indices, moveaxis, zeros_like
from cuarray._arguments.operands import as_arrays, device_of, members
from cuarray._core import ndarray
from cuarray._functions.creation import as_array

__all__ = ["apply_along_axis", "apply_over_axes", "fromfunction", "frompyfunc", "piecewise", "vectorize"]


def apply_along_axis(func1d, axis, arr, *args, **kwargs):
    """Call a function with each 1-d slice along an axis.

    Parameters
    ----------
    func1d : callable
        Called as ``func1d(slice, *args, **kwargs)`` with one-dimensional views; returns arrays of one shape.
    axis : int
    arr : array_like
    *args, **kwargs
        Passed to the function.

    Returns
    -------
    ndarray
        Of the type of the first result, with `axis` replaced by the axes of the results.

    Raises
    ------
    ValueError
        If there is no slice.
    AxisError
        If the axis does not exist.

    See Also
    --------
    numpy.apply_along_axis

    Examples
    --------
    >>> import cuarray as ca
    >>> ca.apply_along_axis(lambda line: line[0] + line[-1], 1, [[1, 2, 3], [4, 5, 6]])
    array([ 4, 10])
    """
    arr = as_array(arr)
    axis = normalise_axis(axis, arr.ndim, "apply_along_axis")
    lines = moveaxis(arr, axis, -1)
    result = None
    for place in itertools.product(*map(range, lines.shape[:-1])):
        one = _core.beside(func1d(lines[(*place, slice(None))], *args, **kwargs), arr, "apply_along_axis")
        if result is None:
            result = empty((*lines.shape[:-1], *one.shape), one.dtype, device=arr.device)
            rank = one.ndim
        result[(*place, ...)] = one
    if result is None:
        raise ValueError("apply_along_axis: cannot be called when any iteration dimensions are 0")
    return moveaxis(result, range(result.ndim - rank, result.ndim), range(axis, axis + rank))


def apply_over_axes(func, a, axes):
    """Call a function with an array and an axis, then with what it returned and the next axis.

    Parameters
    ----------
    func : callable
        Called as ``func(array, axis)``; its result has as many axes as the array, or one fewer.
    a : array_like
    axes : int or sequence of int

    Returns
    -------
    ndarray
        With as many axes as `a`.

    Raises
    ------
    ValueError
        If the function returns an array with another number of axes.

    See Also
    --------
    numpy.apply_over_axes

    Examples
    --------
    >>> import cuarray as ca
    >>> ca.apply_over_axes(ca.sum, ca.ones((2, 3, 4)), [0, 2])
    array([[[8.],
            [8.],
            [8.]]])
    """
    a = as_array(a)
    for axis in integer_tuple(axes, "axes", "apply_over_axes"):
        axis += a.ndim if axis < 0 else 0
        result = as_array(func(a, axis), a.device)
        if result.ndim == a.ndim - 1:
            result = expand_dims(result, axis)
        if result.ndim != a.ndim:
            raise ValueError("apply_over_axes: function is not returning an array of the correct shape")
        a = result
    return a


def fromfunction(function, shape, *, dtype=float, device=None, like=None, **kwargs):
    """Return the result of one call of a function with the indices of all elements.

    Parameters
    ----------
    function : callable
        Called with one array of `shape` per axis, which holds the index along that axis.
    shape : tuple of int
    dtype : dtype
        Type of the index arrays.
    device : device or str, optional
    like : ndarray, optional
    **kwargs
        Passed to `function`.

    Returns
    -------
    ndarray

    See Also
    --------
    numpy.fromfunction

    Examples
    --------
    >>> import cuarray as ca
    >>> ca.fromfunction(lambda i, j: 10 * i + j, (2, 3), dtype=int)
    array([[ 0,  1,  2],
           [10, 11, 12]])
    """
    shape = shape_tuple(shape, "shape", "fromfunction")
    return function(*indices(shape, dtype, device=device, like=like), **kwargs)


def piecewise(x, condlist, funclist, *args, **kw):
    """Evaluate a piecewise-defined function.

    Parameters
    ----------
    x : array_like
    condlist : list of array_like of bool
        The domain of each function; where several conditions are true, the last one applies.
    funclist : list of callable or number
        Functions are called with the selected elements, as ``f(x[condition], *args, **kw)``. If there is one
        more than conditions, the last applies to all other elements.
    *args, **kw
        Passed to the function.

    Returns
    -------
    ndarray
        Of the type of `x`; 0 where no condition is true.

    Raises
    ------
    ValueError
        If the numbers of conditions and functions do not match.

    See Also
    --------
    numpy.piecewise

    Examples
    --------
    >>> import cuarray as ca
    >>> x = ca.asarray([-2.0, 0.0, 3.0])
    >>> ca.piecewise(x, [x < 0, x > 0], [lambda v: -v, ca.square, 7])
    array([2., 7., 9.])
    """
    is_one = np.isscalar(condlist) or getattr(condlist, "ndim", 1) == 0
    if not is_one:
        condlist = members(condlist, "condlist", "piecewise")
        if len(condlist) == 0:
            raise IndexError("piecewise: there are no conditions")
    first = None if is_one else condlist[0]
    is_array = isinstance(first, list | np.ndarray | ndarray) and not _core.is_value(first)
    if is_one or (not is_array and np.ndim(x) != 0):
        condlist = [condlist]
    funclist = members(funclist, "funclist", "piecewise")
    x, *conditions = as_arrays("piecewise", x, *condlist)
    conditions = [c.astype(bool, copy=False) for c in conditions]
    if len(funclist) == len(conditions) + 1:
        rest = conditions[0]
        for condition in conditions[1:]:
            rest = rest | condition
        conditions.append(~rest)
    elif len(funclist) != len(conditions):
        raise ValueError(
            f"piecewise: with {len(conditions)} condition(s), either {len(conditions)} or "
            f"{len(conditions) + 1} functions are expected, not {len(funclist)}"
        )
    result = zeros_like(x)
    for condition, function in zip(conditions, funclist, strict=True):
        if callable(function):
            chosen = x[condition]
            if chosen.size:
                result[condition] = function(chosen, *args, **kw)
        else:
            result[condition] = function
    return result


def on_host(function, name, excluded=()):
    """Return a function that calls another with host copies and moves its results to the device.

    Arguments that would lose a mask or units are rejected, except those whose position or name is excluded.
    """

    def call(*args, **kwargs):
        for place, x in (*enumerate(args), *kwargs.items()):
            if place not in excluded:
                _core.refuse_to_strip(x, name)
        device = device_of(*args, *kwargs.values())
        args = [x.numpy() if isinstance(x, ndarray) else x for x in args]
        kwargs = {name: x.numpy() if isinstance(x, ndarray) else x for name, x in kwargs.items()}
        results = function(*args, **kwargs)
        if isinstance(results, tuple):
            return tuple(array_of_results(result, device) for result in results)
        return array_of_results(results, device)

    return call


def array_of_results(result, device):
    """Return a result of NumPy as an array; Python objects get the common type of all."""
    result = np.asarray(result)
    return as_array(np.array(result.tolist()) if result.dtype == object else result, device)


class vectorize:
    """Make a function of numbers work on arrays, by calling it for each element on the host.

    This is as slow as a Python loop; use cuarray's own functions where speed matters.

    Parameters
    ----------
    pyfunc : callable
        Takes and returns numbers; without it, the object is a decorator.
    otypes : str or list of dtype, optional
        The types of the results; by default those of the first call.
    doc : str, optional
        The docstring.
    excluded : set, optional
        Positions and names of arguments that are passed through unchanged.
    cache : bool
        Whether to reuse the result of the first call, which determines the types.
    signature : str, optional
        As ``"(m),(n)->(k)"``, for functions of vectors.

    See Also
    --------
    numpy.vectorize

    Examples
    --------
    >>> import cuarray as ca
    >>> @ca.vectorize
    ... def larger(a, b):
    ...     return a if a > b else b
    >>> larger(ca.arange(4), 2)
    array([2, 2, 2, 3])
    """

    _through_host: Callable[..., Any] = staticmethod(on_host)

    def __init__(
        self,
        pyfunc: Any = np._NoValue,
        otypes: str | Iterable[Any] | None = None,
        doc: str | None = None,
        excluded: Iterable[int | str] | None = None,
        cache: bool = False,
        signature: str | None = None,
    ) -> None:
        if excluded is not None:
            excluded = set(members(excluded, "excluded", "vectorize"))
        super().__setattr__("_numpys", np.vectorize(pyfunc, otypes, doc, excluded, cache, signature))
        super().__setattr__("__doc__", self._numpys.__doc__)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_") and name not in ("__name__", "_numpys"):
            raise AttributeError(f"'vectorize' object has no attribute {name!r}")
        return getattr(super().__getattribute__("_numpys"), name)

    def __setattr__(self, name: str, value: object) -> None:
        setattr(self._numpys, name, value)
        if name == "__doc__":
            super().__setattr__(name, value)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        numpys = self._numpys
        if numpys.pyfunc is np._NoValue:
            numpys(*args, **kwargs)
            super().__setattr__("__doc__", numpys.__doc__)
            return self
        return self._through_host(numpys, "vectorize", numpys.excluded)(*args, **kwargs)


class FunctionOfObjects:
    """A ufunc of Python objects: what `frompyfunc` returns, with the attributes and methods of a `numpy.ufunc`."""

    _through_host: Callable[..., Any] = staticmethod(on_host)

    def __init__(self, ufunc):
        self._numpys = ufunc
        self.__name__, self.__doc__ = ufunc.__name__, ufunc.__doc__
        self.nin, self.nout, self.nargs, self.ntypes = ufunc.nin, ufunc.nout, ufunc.nargs, ufunc.ntypes
        self.types, self.identity, self.signature = ufunc.types, ufunc.identity, ufunc.signature

    def __call__(self, *args, **kwargs):
        if len(args) > self.nin:
            args, kwargs = args[: self.nin], {"out": args[self.nin :], **kwargs}
        return self._on_host(self._numpys, *args, **kwargs)

    def reduce(self, array, axis=0, dtype=None, out=None, keepdims=False, initial=np._NoValue, where=True):
        """Combine the elements along axes; see numpy.ufunc.reduce."""
        return self._on_host(
            self._numpys.reduce, array, axis, dtype, out=out, keepdims=keepdims, initial=initial, where=where
        )

    def accumulate(self, array, axis=0, dtype=None, out=None):
        """Combine all elements up to each along an axis; see numpy.ufunc.accumulate."""
        return self._on_host(self._numpys.accumulate, array, axis, dtype, out=out)

    def reduceat(self, array, indices, axis=0, dtype=None, out=None):
        """Combine the elements of segments of an axis; see numpy.ufunc.reduceat."""
        return self._on_host(self._numpys.reduceat, array, indices, axis, dtype, out=out)

    def outer(self, A, B, /, **kwargs):
        """Combine each element of one array with each of another; see numpy.ufunc.outer."""
        return self._on_host(self._numpys.outer, A, B, **kwargs)

    def at(self, a, indices, b=np._NoValue, /):
        """Apply the function in place to the elements at indices, to repeated ones repeatedly; see numpy.ufunc.at."""
        if not isinstance(a, ndarray):
            raise TypeError("at: first operand must be array")
        host, indices = a.numpy(), as_numpys(indices)
        self._numpys.at(host, indices, *([] if b is np._NoValue else [as_numpys(b)]))
        a[...] = host

    def __repr__(self):
        return f"<ufunc {self.__name__!r}>"

    def __reduce__(self):
        return self._numpys.__reduce__()

    def _on_host(self, method, *args, out=None, **kwargs):
        """Call a method with host copies; outputs get what it wrote to arrays of objects."""
        outputs = [x for x in (out if isinstance(out, tuple) else (out,)) if x is not None]
        if out is None:
            results = self._through_host(method, self.__name__)(*args, **kwargs)
            if isinstance(results, tuple):
                return tuple(map(without_axes, results))
            return without_axes(results)
        if [x for x in outputs if not isinstance(x, ndarray)]:
            raise TypeError(f"{self.__name__}: return arrays must be of ArrayType")
        given = out if isinstance(out, tuple) else (out,)
        written = tuple(None if x is None else x.numpy().astype(object) for x in given)
        results = self._through_host(method, self.__name__)(*args, out=written, **kwargs)
        results = results if isinstance(results, tuple) else (results,)
        for x, values in zip(given, written, strict=True):
            if x is not None:
                x[...] = array_of_results(values, x.device)
        results = tuple(x if x is not None else without_axes(result) for x, result in zip(given, results, strict=True))
        return results[0] if len(results) == 1 else results


def as_numpys(x):
    """Return arrays as NumPy's, also in tuples; other objects as they are."""
    if type(x) is tuple:
        return tuple(map(as_numpys, x))
    return x.numpy() if isinstance(x, ndarray) else x


def without_axes(result):
    """Return a 0-d array as a value."""
    return _core.as_value(result) if isinstance(result, ndarray) and result.ndim == 0 else result


@_core.without_binding
def frompyfunc(func, /, nin, nout, **kwargs):
    """Make a function of Python objects work on arrays, by calling it for each element on the host.

    Parameters
    ----------
    func : callable
    nin, nout : int
        The number of arguments and of results.
    **kwargs
        `identity`, the result of reductions of nothing.

    Returns
    -------
    callable
        A ufunc with NumPy's attributes and methods. Its results are arrays of the common type of all returned numbers;
        NumPy's are arrays of objects.

    Raises
    ------
    ValueError
        If `nin` or `nout` is negative.

    See Also
    --------
    numpy.frompyfunc

    Examples
    --------
    >>> import cuarray as ca
    >>> ca.frompyfunc(bin, 1, 1)
    <ufunc 'bin (vectorized)'>
    >>> ca.frompyfunc(lambda n: n.bit_length(), 1, 1)(ca.arange(5))
    array([0, 1, 2, 2, 3])
    >>> ca.frompyfunc(max, 2, 1).reduce([3, 7, 5]).item()
    7
    """
    nin, nout = integer(nin, "nin", "frompyfunc"), integer(nout, "nout", "frompyfunc")
    if not callable(func):
        raise TypeError(f"frompyfunc: func must be callable, not {func!r:.80}")
    if nin < 0 or nout < 0:
        raise ValueError(f"frompyfunc: nin and nout must not be negative, they are {nin} and {nout}")
    return FunctionOfObjects(np.frompyfunc(func, nin, nout, **kwargs))
