"""Finite differences: diff, gradients, and the trapezoidal rule."""

from numbers import Number

import numpy as np

from cuarray import _core
from cuarray._arguments.axes import integer, normalise_axes, normalise_axis
from cuarray._arguments.operands import as_arrays
from cuarray._arguments.ufuncs import not_equal, subtract
from cuarray._core import ndarray
from cuarray._functions.creation import empty, full
from cuarray._functions.joining import concat
from cuarray._functions.reductions import sum as sum_of
from cuarray._runtime.fuse import fused_call

__all__ = ["diff", "ediff1d", "gradient", "trapezoid"]


def part(array, axis, begin, end):
    """Return a view of the elements from begin to end along an axis."""
    return array[(slice(None),) * axis + (slice(begin, end),)]


@_core.with_fast_path
def diff(a, n=1, axis=-1, prepend=None, append=None):
    """Return the n-th differences of neighbouring elements along an axis.

    Parameters
    ----------
    a : array_like
        For bool, the result tells whether neighbours differ.
    n : int
        The order.
    axis : int
    prepend, append : array_like, optional
        Values to join to `a` along the axis first; a scalar is broadcast to a slice of length 1.

    Returns
    -------
    ndarray
        Shorter by n along the axis, of the type of the differences.

    Raises
    ------
    ValueError
        If n is negative, `a` has no axes, or `prepend` or `append` do not fit.
    AxisError
        If the axis does not exist.

    See Also
    --------
    numpy.diff

    Examples
    --------
    >>> import cuarray as ca
    >>> ca.diff([1, 2, 4, 7])
    array([1, 2, 3])
    >>> ca.diff([1, 2, 4, 7], n=2, prepend=0)
    array([0, 1, 1])
    """
    n = integer(n, "n", "diff")
    if n == 0:
        return a
    if n < 0:
        raise ValueError(f"diff: order must be non-negative but got {n}")
    a, prepend, append = as_arrays("diff", a, optional=(prepend, append))
    if a.ndim == 0:
        raise ValueError(f"{_core.called_function('diff')}: requires an array of at least one dimension")
    axis = normalise_axis(axis, a, "diff")
    joined = [layer(prepend, a, axis), a, layer(append, a, axis)]
    if prepend is not None or append is not None:
        a = concat([x for x in joined if x is not None], axis=axis)
    function = not_equal if a.dtype == np.bool_ else subtract
    for _ in range(min(n, max(a.shape[axis], 1))):  # after that, the result is empty
        a = function(part(a, axis, 1, None), part(a, axis, None, -1))
    return a


def layer(values, like, axis):
    """Return values to join to an array along an axis; a number is broadcast to a slice of length 1."""
    if values is None:
        return None
    if values.ndim:
        return values
    shape = (*like.shape[:axis], 1, *like.shape[axis + 1 :])
    return values.reshape((1,) * like.ndim) + full(shape, 0, dtype=values.dtype, device=like.device)


def ediff1d(ary, to_end=None, to_begin=None):
    """Return the differences of neighbouring elements in C order.

    Parameters
    ----------
    ary : array_like
    to_end, to_begin : array_like, optional
        Values to append and prepend to the differences, cast to their type.

    Returns
    -------
    ndarray
        One axis.

    Raises
    ------
    TypeError
        If `to_end` or `to_begin` cannot be cast to the type of `ary` by the rule 'same_kind'.

    See Also
    --------
    numpy.ediff1d

    Examples
    --------
    >>> import cuarray as ca
    >>> ca.ediff1d([[1, 2], [4, 7]], to_begin=0)
    array([0, 1, 2, 3])
    """
    ary, to_begin, to_end = as_arrays("ediff1d", ary, optional=(to_begin, to_end))
    ary = ary.reshape(-1)
    parts = []
    for name, values in (("to_begin", to_begin), ("to_end", to_end)):
        if values is None:
            parts.append(None)
            continue
        if not np.can_cast(values.dtype, ary.dtype, "same_kind"):
            raise TypeError(f"ediff1d: {name} of {values.dtype} cannot be cast to {ary.dtype} by 'same_kind'")
        parts.append(values.reshape(-1).astype(ary.dtype))
    differences = subtract(ary[1:], ary[:-1])
    if to_begin is None and to_end is None:
        return differences
    return concat([x for x in (parts[0], differences, parts[1]) if x is not None], dtype=ary.dtype)


def is_number(x):
    """Tell whether an argument is a single number."""
    return (x.ndim if isinstance(x, ndarray) else np.ndim(x)) == 0


def spacing_along(distance, extent):
    """Return whether samples are evenly spaced, and the distance, or the distances of all neighbours."""
    if is_number(distance):
        if not isinstance(distance, Number | np.generic | np.ndarray | ndarray):
            raise TypeError(f"gradient: a distance must be a number, not {distance!r:.80}")
        return True, distance
    if distance.ndim != 1:
        raise ValueError("gradient: distances must be either scalars or 1d")
    if len(distance) != extent:
        raise ValueError(
            f"gradient: {len(distance)} coordinates for an axis of {extent} elements; "
            "when 1d, distances must match the length of the corresponding dimension"
        )
    if distance.dtype.kind in "iu":
        distance = distance.astype(np.float64)
    steps = diff(distance)
    if len(steps) and bool((steps == steps[:1]).all()):
        return True, steps[:1]
    return False, steps


def edge(f, axis, spacing, at_end, edge_order):
    """Return the derivative at one end of an axis, as a slice of length 1."""
    places = (-1, -2, -3) if at_end else (0, 1, 2)
    f0, f1, *f2 = (part(f, axis, i, i + 1 or None) for i in places[: edge_order + 1])
    is_even, first = spacing
    second = first
    if not is_even:
        first, second = (first[-1:], first[-2:-1]) if at_end else (first[:1], first[1:2])
    if edge_order == 1:
        return (f0 - f1) / first if at_end else (f1 - f0) / first
    sign = 1.0 if at_end else -1.0
    both = first + second
    a = sign * (first + both) / (first * both)
    b = -sign * both / (first * second)
    c = sign * first / (second * both)
    return a * f0 + b * f1 + c * f2[0]


def derivative(f, axis, spacing, edge_order, dtype):
    """Return the derivative along one axis."""
    if f.shape[axis] < edge_order + 1:
        raise ValueError(
            f"gradient: the axis has {f.shape[axis]} elements; with edge_order {edge_order} at least "
            f"{edge_order + 1} are required"
        )
    result = empty(f.shape, dtype, device=f.device)
    before, here, after = (part(f, axis, i, i - 2 or None) for i in range(3))
    inner = part(result, axis, 1, -1)
    is_even, steps = spacing
    with fused_call():
        if is_even:
            inner[...] = (after - before) / (2.0 * steps)
        else:
            shape = (-1,) + (1,) * (f.ndim - axis - 1)
            left, right = steps[:-1].reshape(shape), steps[1:].reshape(shape)
            both = left + right
            a, b, c = -right / (left * both), (right - left) / (left * right), left / (right * both)
            inner[...] = a * before + b * here + c * after
        part(result, axis, 0, 1)[...] = edge(f, axis, spacing, False, edge_order)
        part(result, axis, -1, None)[...] = edge(f, axis, spacing, True, edge_order)
    return result


@_core.with_fast_path
def gradient(f, *varargs, axis=None, edge_order=1):
    """Return derivatives by finite differences: central in the interior, one-sided at the ends.

    Parameters
    ----------
    f : array_like
    *varargs : number or array_like, optional
        The sample spacing, 1 by default: one number for all axes, or for each axis a number or the
        coordinates of its samples, which need not be evenly spaced.
    axis : int or tuple of int, optional
        All axes by default.
    edge_order : {1, 2}
        The order of the differences at the ends.

    Returns
    -------
    ndarray or tuple of ndarray
        The derivative along the axis, or along each of several axes; float64 for integers.

    Raises
    ------
    TypeError
        If the number of distances does not fit the axes.
    ValueError
        If an axis has fewer than edge_order + 1 elements, or its coordinates do not fit.
    AxisError
        If an axis does not exist.

    See Also
    --------
    numpy.gradient

    Examples
    --------
    >>> import cuarray as ca
    >>> ca.gradient([1.0, 2.0, 4.0, 7.0])
    array([1. , 1.5, 2.5, 3. ])
    >>> ca.gradient([1.0, 4.0, 9.0], [1.0, 2.0, 3.0], edge_order=2)
    array([2., 4., 6.])
    """
    f, *lines = as_arrays("gradient", f, optional=tuple(None if is_number(x) else x for x in varargs))
    varargs = [x if line is None else line for x, line in zip(varargs, lines, strict=True)]
    axes = tuple(range(f.ndim) if axis is None else normalise_axes(axis, f, "gradient"))
    if len(varargs) == 0:
        distances = [1.0] * len(axes)
    elif len(varargs) == 1 and is_number(varargs[0]):
        distances = list(varargs) * len(axes)
    elif len(varargs) == len(axes):
        distances = list(varargs)
    else:
        raise TypeError(f"gradient: {len(varargs)} distances for {len(axes)} axes; give none, one, or one per axis")
    spacings = [spacing_along(d, f.shape[a]) for a, d in zip(axes, distances, strict=True)]
    if edge_order not in (1, 2):
        raise ValueError(f"gradient: edge_order must be 1 or 2, not {edge_order}")
    dtype = f.dtype if f.dtype.kind not in "biu" else np.dtype(np.float64)
    if f.dtype.kind in "iu":
        f = f.astype(dtype)
    results = tuple(derivative(f, a, s, edge_order, dtype) for a, s in zip(axes, spacings, strict=True))
    return results[0] if len(axes) == 1 else results


@_core.with_fast_path
def trapezoid(y, x=None, dx=1.0, axis=-1):
    """Integrate along an axis by the trapezoidal rule.

    Parameters
    ----------
    y : array_like
    x : array_like, optional
        The coordinates of the samples: along the axis, or of the shape of `y`.
    dx : number
        The sample spacing, if `x` is not given.
    axis : int

    Returns
    -------
    ndarray

    Raises
    ------
    AxisError
        If the axis does not exist.

    See Also
    --------
    numpy.trapezoid

    Examples
    --------
    >>> import cuarray as ca
    >>> ca.trapezoid([1, 2, 3])
    array(4.)
    >>> ca.trapezoid([1, 2, 3], x=[4, 6, 8])
    array(8.)
    """
    y, x, steps = as_arrays("trapezoid", y, optional=(x, None if is_number(dx) else dx))
    along, axis = axis, normalise_axis(axis, y.ndim, "trapezoid")
    if x is None:
        distance = dx if steps is None else steps
    else:
        lines = (-1,) + (1,) * (y.ndim - axis - 1)
        distance = diff(x).reshape(lines) if x.ndim == 1 else diff(x, axis=along)
    with fused_call():
        return sum_of(distance * (part(y, axis, 1, None) + part(y, axis, None, -1)) / 2.0, axis=along)
