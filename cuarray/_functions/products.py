"""Products of vectors, of matrices, and of stacks of them."""

from collections.abc import Iterable
from functools import partial
from math import prod

import numpy as np

from cuarray import _core
from cuarray._arguments.axes import bounded, integer, normalise_axes
from cuarray._arguments.functions import moveaxis
from cuarray._arguments.operands import as_arrays, check_output_cast, sole_output, target, write_output
from cuarray._arguments.ufuncs import conj

__all__ = ["matmul", "matvec", "tensordot", "vecdot", "vecmat"]

#: The core dimensions of both arguments and of the result of each product; the other axes broadcast.
CORES = {"matmul": (2, 2, 2), "vecdot": (1, 1, 0), "matvec": (2, 1, 1), "vecmat": (1, 2, 1)}


def common_dtype(arrays, dtype, casting, function):
    """Return the type of the computation, to which all arrays are castable."""
    dtypes = [x.dtype for x in arrays]
    if dtype is None and casting in ("safe", "same_kind") and dtypes.count(dtypes[0]) == len(dtypes):
        return dtypes[0]
    dtype = _core.result_type(*dtypes) if dtype is None else _core.dtype(dtype)
    for x in arrays:
        if not _core.can_cast(x.dtype, dtype, casting):
            raise TypeError(f"{function}: cannot cast {x.dtype} to {dtype} with casting rule {casting!r}")
    return dtype


def dtype_of_signature(signature, dtype, function):
    """Return the one dtype that a signature such as 'ff->f' names; None where any will do."""
    if dtype is not None:
        raise TypeError(f"{function}: only one of dtype= and signature= can be given")
    if isinstance(signature, str):
        inputs, _, output = signature.partition("->")
        signature = (*inputs, *output)
    if not isinstance(signature, tuple):
        raise TypeError(f"{function}: the signature must be a string or a tuple, not {signature!r}")
    if len(signature) != 3:
        error = TypeError if len(signature) == 1 else ValueError
        raise error(f"{function}: the signature must name 3 types, not {len(signature)}; use dtype= for one of all")
    dtypes = {_core.dtype(one) for one in signature if one is not None}
    if len(dtypes) > 1:
        raise TypeError(f"{function}: no loop has the signature {signature}; its types are the same in all places")
    return dtypes.pop() if dtypes else None


def own_axes(axes, axis, keepdims, arrays, function):
    """Return the core axes of both arguments and of the result, as tuples of ints, from axes= or axis=."""
    cores = CORES[function]
    counts = [min(core, x.ndim) for core, x in zip(cores[:2], arrays, strict=True)]
    # A 1-d argument of matmul removes its missing axis from the result.
    counts.append(sum(counts) - 2 if function == "matmul" else counts[0] if keepdims else cores[2])
    if axis is not np._NoValue:
        if axes is not None:
            raise TypeError(f"{function}: axis= and axes= are two ways to say the same; give one")
        axes = [axis, axis, axis if keepdims else ()]
    if axes is None:
        return [last(range(count)) for count in counts]
    if not isinstance(axes, list):
        raise TypeError(f"{function}: axes= takes a list, not {type(axes).__name__}")
    if len(axes) == 2 and cores[2] == 0:
        axes = [*axes, last(range(counts[2]))]
    if len(axes) != 3:
        raise ValueError(f"{function}: axes= takes a list of three entries, not of {len(axes)}")
    return [core_axes(one, count, function) for one, count in zip(axes, counts, strict=True)]


def core_axes(given, count, function):
    """Return an entry of axes= as a tuple of ints: a tuple, or a number for one axis."""
    if not isinstance(given, tuple):
        if count > 1 and hasattr(given, "__len__"):
            raise TypeError(f"{function}: an entry of axes= is a tuple, not {given!r:.80}")
        given = (given,)
    own = tuple([integer(one, "axis", function) for one in given])
    if len(own) != count:
        raise np.exceptions.AxisError(f"{function}: {count} axes are needed in {given}")
    return own


def last(own):
    """Return the last axes, as many as given, counted from the end."""
    return ((), (-1,), (-2, -1))[len(own)]


def gufunc(function, multiply, x1, x2, out, casting, order, dtype, signature, axes, axis=np._NoValue, keepdims=False):
    """Apply a product of CORES to arrays of any shapes and axes, with NumPy's keywords."""
    if not isinstance(keepdims, bool | np.bool_):
        raise TypeError(f"{function}: keepdims must be a bool, not {keepdims!r:.80}")
    arrays = as_arrays(function, x1, x2)
    for number, (x, core) in enumerate(zip(arrays, CORES[function], strict=False), 1):
        least = 1 if function == "matmul" else core
        if x.ndim < least:
            raise ValueError(f"{function}: argument {number} is {x.ndim}-dimensional and needs {least} axes at least")
    if signature is not None:
        dtype = dtype_of_signature(signature, dtype, function)
    result_dtype = common_dtype(arrays, dtype, casting, function)
    places = own_axes(axes, axis, keepdims, arrays, function)
    x1, x2 = (
        x if own == last(own) else moveaxis(x, normalise_axes(own, x.ndim, function), last(own))
        for x, own in zip(arrays, places, strict=False)
    )
    check_lengths(function, arrays, (x1, x2), places)
    result = multiply(x1, x2, result_dtype)
    if keepdims:
        result = result.reshape((*result.shape, 1))
    if out is not None and out is not Ellipsis:
        taker = sole_output(out, function)
        if taker is not None:
            return write_stack(result, taker, places[2], casting, function)
    if places[2] != last(places[2]):
        result = moveaxis(result, last(places[2]), normalise_axes(places[2], result.ndim, function))
    result = result if order in ("K", "A") else result.copy(order)
    if out is not Ellipsis:
        return _core.as_value(result)
    return result if result.ndim else _core.array_from_object(result, copy=True)


def check_lengths(function, arrays, moved, places):
    """Raise ValueError unless rows and columns are equally long and the stacks broadcast."""
    (x1, x2), (own, other) = moved, places[:2]
    lengths = x1.shape[-1], x2.shape[-len(other)]
    shapes = " and ".join(str(x.shape) for x in arrays)
    called = _core.called_function(function)
    if lengths[0] != lengths[1]:
        raise ValueError(
            f"{called}: shapes {shapes} do not go together: {lengths[0]} and {lengths[1]} elements to multiply"
        )
    stacks = x1.shape[: x1.ndim - len(own)], x2.shape[: x2.ndim - len(other)]
    if any(1 != n != m != 1 for n, m in zip(stacks[0][::-1], stacks[1][::-1], strict=False)):
        raise ValueError(f"{called}: the stacks of shapes {shapes} do not broadcast: {stacks[0]} and {stacks[1]}")


def write_stack(result, out, own, casting, function):
    """Write a product, whose core axes are the last ones, to `out`, to whose other axes it broadcasts; return `out`."""
    taker = target(out, function, is_out=True)
    missing = result.ndim - taker.ndim
    if missing > 0 and result.shape[:missing] == (1,) * missing and len(own) <= taker.ndim + (function == "matmul"):
        result = result.reshape(result.shape[missing:])
        own = own[max(len(own) - taker.ndim, 0) :]
    if len(own) > taker.ndim:
        error = np.exceptions.AxisError if own != last(own) else ValueError
        raise error(f"{function}: out= has shape {out.shape}, the result {result.shape}")
    if own != last(own):
        taker = moveaxis(taker, normalise_axes(own, taker.ndim, function), last(own))
    around = taker.ndim - len(own)
    core, extents = result.shape[result.ndim - len(own) :], taker.shape[around:]
    stack = result.shape[: result.ndim - len(own)]
    fits = core == extents and len(stack) <= around
    fits = fits and all(n in (1, m) for n, m in zip(stack[::-1], taker.shape[:around][::-1], strict=False))
    if not fits:
        raise ValueError(f"{_core.called_function(function)}: out= has shape {out.shape}, the result {result.shape}")
    check_output_cast(result.dtype, out.dtype, casting, function)
    taker[...] = result
    return out


def product(signature):
    """Make a function with a fast path a ufunc with the signature of its core dimensions."""

    def made(function):
        return _core.generalized_ufunc(_core.with_fast_path(function), signature)

    return made


def conjugated(x):
    """Return the complex conjugate; the array itself if it is real."""
    return conj(x) if x.dtype.kind == "c" else x


@product("(n?,k),(k,m?)->(n?,m?)")
def matmul(
    x1, x2, /, out=None, *, casting="same_kind", order="K", dtype=None, subok=True, signature=None, axes=None
):  # fmt: skip
    """Multiply matrices, and stacks of matrices.

    Parameters
    ----------
    x1, x2 : array_like
        Matrices are the last two axes; the axes before them broadcast. A 1-d `x1` is a row and a 1-d `x2` a
        column, whose axis is removed from the result.
    out : ndarray, optional
        Output array.
    casting : {'no', 'equiv', 'safe', 'same_kind', 'unsafe'}
        The casting rule from the arguments to `dtype`, and from the result to `out`.
    order : {'K', 'A', 'C', 'F'}
        The result's layout in memory.
    dtype : dtype, optional
        Type of the computation; the promoted type of both by default.
    subok : bool
        Accepted and ignored: there are no subclasses.
    signature : str or tuple of dtype, optional
        The same type three times, as ``'ff->f'``; another way to give `dtype`.
    axes : list of tuple of int, optional
        The axes of the matrices in `x1`, `x2` and the result; the last ones by default.

    Returns
    -------
    ndarray
        result[..., i, j] = sum over k of x1[..., i, k] * x2[..., k, j].

    Raises
    ------
    ValueError
        If the rows of `x1` are not as long as the columns of `x2`, or an argument is 0-dimensional.
    TypeError
        If a cast is not allowed.

    Notes
    -----
    float16 and bfloat16 are added in float32 and rounded once, integers wrap, and bool means "or" of "and".
    float32, float64 and complex numbers are multiplied by the vendor's library (the BLAS that NumPy uses on
    `cpu`), whose order of additions may depend on the layout and the number of threads; `deterministic()` gives the
    same bits for every layout, on every device.

    See Also
    --------
    deterministic, numpy.matmul

    Examples
    --------
    >>> import cuarray as ca
    >>> ca.matmul([[1, 2], [3, 4]], [[1, 0], [1, 1]])
    array([[3, 2],
           [7, 4]])
    """
    return gufunc("matmul", _core.matmul, x1, x2, out, casting, order, dtype, signature, axes)


@product("(n),(n)->()")
def vecdot(
    x1, x2, /, out=None, *, casting="same_kind", order="K", dtype=None, subok=True, signature=None, axes=None,
    axis=np._NoValue, keepdims=False,
):  # fmt: skip
    """Return the dot product of vectors; the first argument is conjugated.

    Parameters
    ----------
    x1, x2 : array_like
        Vectors are along `axis`; the other axes broadcast.
    out : ndarray, optional
        Output array.
    casting, order, dtype, subok, signature, axes
        As in `matmul`.
    axis : int, optional
        The vectors' axis in both arguments, counted after broadcasting from the end if it is negative; -1 by default.
    keepdims : bool
        Whether that axis is kept with length 1.

    Returns
    -------
    ndarray

    Raises
    ------
    ValueError
        If the vectors differ in length.
    AxisError
        If the axis does not exist.

    See Also
    --------
    numpy.vecdot

    Examples
    --------
    >>> import cuarray as ca
    >>> ca.vecdot([[1, 2], [3, 4]], [10, 1])
    array([12, 34])
    """

    def multiply(x, y, dtype):
        result = _core.matmul(conjugated(x)[..., None, :], y[..., None], dtype)
        return result.reshape(result.shape[:-2])

    return gufunc(
        "vecdot",
        multiply,
        x1,
        x2,
        out,
        casting,
        order,
        dtype,
        signature,
        axes,
        axis,
        keepdims,
    )


@product("(m,n),(n)->(m)")
def matvec(
    x1, x2, /, out=None, *, casting="same_kind", order="K", dtype=None, subok=True, signature=None, axes=None
):  # fmt: skip
    """Multiply matrices by vectors.

    Parameters
    ----------
    x1 : array_like
        Matrices are the last two axes.
    x2 : array_like
        Vectors are the last axis. The other axes of both broadcast.
    out, casting, order, dtype, subok, signature, axes
        As in `matmul`.

    Returns
    -------
    ndarray
        result[..., i] = sum over k of x1[..., i, k] * x2[..., k].

    Raises
    ------
    ValueError
        If the rows of `x1` are not as long as `x2`.

    See Also
    --------
    numpy.matvec

    Examples
    --------
    >>> import cuarray as ca
    >>> ca.matvec([[1, 2], [3, 4]], [10, 1])
    array([12, 34])
    """

    def multiply(x, y, dtype):
        return _core.matmul(x, y[..., None], dtype)[..., 0]

    return gufunc("matvec", multiply, x1, x2, out, casting, order, dtype, signature, axes)


@product("(n),(n,m)->(m)")
def vecmat(
    x1, x2, /, out=None, *, casting="same_kind", order="K", dtype=None, subok=True, signature=None, axes=None
):  # fmt: skip
    """Multiply vectors, conjugated, by matrices.

    Parameters
    ----------
    x1 : array_like
        Vectors are the last axis.
    x2 : array_like
        Matrices are the last two axes. The other axes of both broadcast.
    out, casting, order, dtype, subok, signature, axes
        As in `matmul`.

    Returns
    -------
    ndarray
        result[..., j] = sum over k of conj(x1[..., k]) * x2[..., k, j].

    Raises
    ------
    ValueError
        If `x1` is not as long as the columns of `x2`.

    See Also
    --------
    numpy.vecmat

    Examples
    --------
    >>> import cuarray as ca
    >>> ca.vecmat([10, 1], [[1, 2], [3, 4]])
    array([13, 24])
    """

    def multiply(x, y, dtype):
        return _core.matmul(conjugated(x)[..., None, :], y, dtype)[..., 0, :]

    return gufunc("vecmat", multiply, x1, x2, out, casting, order, dtype, signature, axes)


def tensordot(a, b, axes=2):
    """Return the sum of products of two arrays over axes of both.

    Parameters
    ----------
    a, b : array_like
    axes : int or pair of sequences of int
        The number of last axes of `a` to contract with the first axes of `b`; or the axes of `a`, and
        those of `b`, in corresponding order.

    Returns
    -------
    ndarray
        The remaining axes of `a`, then those of `b`.

    Raises
    ------
    ValueError
        If contracted axes differ in length.

    Notes
    -----
    Copies `a` and `b` if their axes are not in the order of contraction.

    See Also
    --------
    numpy.tensordot

    Examples
    --------
    >>> import cuarray as ca
    >>> ca.tensordot(ca.ones((2, 3, 4)), ca.ones((4, 3)), axes=([1, 2], [1, 0]))
    array([12., 12.])
    """
    a, b = as_arrays("tensordot", a, b)
    if isinstance(axes, Iterable):
        entries = partial(bounded, what="axes", function="tensordot")
        # Before the shapes are read: __index__ may resize an array.
        own, other = (
            [integer(k, "an axis", "tensordot") for k in entries(some if isinstance(some, Iterable) else [some])]
            for some in entries(axes)
        )
    else:
        count = integer(axes, "axes", "tensordot")
        if count > min(a.ndim, b.ndim):
            raise np.exceptions.AxisError(
                f"tensordot: {count} axes to contract of arrays that have {a.ndim} and {b.ndim}"
            )
        own, other = range(-count, 0), range(count)
    own = normalise_axes(own, a.ndim, "tensordot")
    other = normalise_axes(other, b.ndim, "tensordot")
    meeting, facing = [a.shape[k] for k in own], [b.shape[k] for k in other]
    if meeting != facing:
        raise ValueError(
            f"tensordot: axes {own} of shape {a.shape} and {other} of {b.shape} do not go together: "
            f"{meeting} and {facing} elements"
        )
    kept_a = [k for k in range(a.ndim) if k not in own]
    kept_b = [k for k in range(b.ndim) if k not in other]
    shape_a, shape_b = [a.shape[k] for k in kept_a], [b.shape[k] for k in kept_b]
    rows = a.transpose(kept_a + own).reshape((prod(shape_a), prod(meeting)))
    columns = b.transpose(other + kept_b).reshape((prod(meeting), prod(shape_b)))
    return _core.matmul(rows, columns).reshape((*shape_a, *shape_b))


def write_product(product, out, function):
    """Return the product, written to `out` if given; as in NumPy, ValueError if that has another type."""
    if out is not None and target(out, function, is_out=True).dtype != product.dtype:
        raise ValueError(f"{function}: out= has type {out.dtype}, the result {product.dtype}")
    return write_output(product, out, function)
