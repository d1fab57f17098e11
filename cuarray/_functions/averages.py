"""Averages with weights, ranges, covariances and correlations."""

import numpy as np

from cuarray import _core
from cuarray._arguments.axes import normalise_axes
from cuarray._arguments.functions import atleast_2d, broadcast_to, concat, diag, full, squeeze, zeros
from cuarray._arguments.operands import as_arrays, dtype_into, write_output
from cuarray._arguments.ufuncs import clip, multiply, real, rint, sqrt
from cuarray._functions.creation import as_array
from cuarray._functions.reductions import mean
from cuarray._runtime.fuse import fused_call

__all__ = ["average", "corrcoef", "cov", "ptp"]


def average(a, axis=None, weights=None, returned=False, *, keepdims=False):
    """Return the weighted average along axes.

    Parameters
    ----------
    a : array_like
    axis : int or tuple of int, optional
        All axes by default.
    weights : array_like, optional
        Of the shape of `a`, or of the shape of the axes in `axis`; equal weights by default.
    returned : bool
        Whether the sum of the weights is returned, too.
    keepdims : bool
        Whether the reduced axes are kept with length 1.

    Returns
    -------
    ndarray or (ndarray, ndarray)
        The averages, and the sums of the weights in the same shape.

    Raises
    ------
    ZeroDivisionError
        If weights add up to zero; the call waits for the sums.
    TypeError
        If the shapes of `a` and `weights` differ and no axis is given.
    ValueError
        If the shape of `weights` fits neither `a` nor the axes.

    See Also
    --------
    numpy.average

    Examples
    --------
    >>> import cuarray as ca
    >>> ca.average([1, 2, 4], weights=[2, 1, 1])
    np.float64(2.0)
    """
    a, weights = as_arrays("average", a, optional=(weights,))
    if axis is not None:
        axis = tuple(normalise_axes(axis, a.ndim, "average"))
    if weights is None:
        result = mean(a, axis, keepdims=keepdims)
        if result.size == 0:
            raise ZeroDivisionError(f"average: no element of shape {a.shape} goes into any of {result.shape} results")
        if not returned:
            return result
        total = full((), a.size / result.size, result.dtype, device=result.device)
        return result, _core.as_value(broadcast_to(total, result.shape).copy())
    weights = weights_along(weights, a, axis)
    dtype = _core.result_type(a.dtype, weights.dtype, *(["f8"] if a.dtype.kind in "biu" else []))
    work = _core.result_type(dtype, "f4") if dtype.itemsize == 2 else dtype  # halves hold no sums beyond 65504
    if weights.shape == a.shape:
        products, total = _core.weighted_sums("average", a, weights, axis, work, keepdims)
    else:  # a few weights, used for many results
        total = weights.sum(axis, dtype=work, keepdims=keepdims)
        with fused_call():
            products = multiply(a, weights, dtype=work).sum(axis, keepdims=keepdims)
    if bool((total == 0).any()):
        raise ZeroDivisionError("average: weights sum to zero, can't be normalized")
    result = (products / total).astype(dtype, copy=False)
    if not returned:
        return _core.as_value(result)
    return result, broadcast_to(total.astype(dtype, copy=False), result.shape).copy()


def weights_along(weights, a, axis):
    """Return weights in a shape that broadcasts with `a`: unchanged, or reshaped to the axes."""
    if weights.shape == a.shape:
        return weights
    if axis is None:
        raise TypeError(f"average: give axis, because the shapes of a, {a.shape}, and weights, {weights.shape}, differ")
    if weights.shape != tuple(a.shape[i] for i in axis):
        raise ValueError(f"average: weights of shape {weights.shape} do not go with axes {axis} of {a.shape}")
    weights = weights.transpose(sorted(range(len(axis)), key=axis.__getitem__))
    return weights.reshape(tuple(extent if i in axis else 1 for i, extent in enumerate(a.shape)))


def ptp(a, axis=None, out=None, keepdims=False):
    """Return the difference of the largest and the smallest element along axes.

    Parameters
    ----------
    a : array_like
    axis : int or tuple of int, optional
        All axes by default.
    out : ndarray, optional
        Output array.
    keepdims : bool
        Whether the reduced axes are kept with length 1.

    Returns
    -------
    ndarray
        Of the type of `a`: differences of small integers may wrap.

    Raises
    ------
    ValueError
        If there are no elements.
    TypeError
        If the elements are bools.

    See Also
    --------
    numpy.ptp

    Examples
    --------
    >>> import cuarray as ca
    >>> ca.ptp([[4, 9], [2, 3]], axis=0)
    array([2, 6])
    """
    a = as_array(a)
    if a.dtype.kind == "c":  # two complex accumulators need too many registers for one fold
        a = a.astype(dtype_into(a.dtype, out), copy=False)
        return write_output(a.max(axis, keepdims=keepdims) - a.min(axis, keepdims=keepdims), out, "ptp")
    return _core.reduce("ptp", a, axis, out=out, keepdims=keepdims)


def cov(m, y=None, rowvar=True, bias=False, ddof=None, fweights=None, aweights=None, *, dtype=None):
    """Estimate the covariance matrix of variables.

    Parameters
    ----------
    m : array_like
        One or two axes: a variable in each row, an observation in each column.
    y : array_like, optional
        More variables, with as many observations.
    rowvar : bool
        False if the variables are the columns.
    bias : bool
        Whether sums are divided by n instead of n - 1.
    ddof : int, optional
        Sums are divided by n - ddof; overrides `bias`.
    fweights : array_like of int, optional
        Frequency weights: the number of occurrences of each observation.
    aweights : array_like, optional
        The weight of each observation.
    dtype : dtype, optional
        The type of the result, at least float64 by default.

    Returns
    -------
    ndarray
        A square matrix, a 0-d array for one variable.

    Raises
    ------
    ValueError
        If there are more than two axes, `ddof` is not an integer, or weights are negative.
    TypeError
        If `fweights` are not integers.
    RuntimeError
        If weights have more than one axis or another number than observations.

    See Also
    --------
    numpy.cov

    Examples
    --------
    >>> import cuarray as ca
    >>> ca.cov([[0, 1, 2], [2, 1, 0]])
    array([[ 1., -1.],
           [-1.,  1.]])
    """
    if ddof is not None and ddof != int(ddof):
        raise ValueError(f"cov: ddof must be an integer, not {ddof}")
    m, y, fweights, aweights = as_arrays("cov", m, optional=(y, fweights, aweights))
    others = [] if y is None else [y]
    for x in (m, *others):
        if x.ndim > 2:
            raise ValueError(f"{_core.called_function('cov')}: {x.ndim} axes are more than the 2 of a matrix")
    types = (m.dtype, *(x.dtype for x in others), "f8")
    dtype = _core.result_type(*types) if dtype is None else _core.dtype(dtype)
    if dtype.kind in "biu":
        raise TypeError(f"{_core.called_function('cov')}: dtype must be floating or complex, not {dtype}")
    if not rowvar:  # as NumPy, a y of one row stays one
        m, others = m.T, [x if x.shape[:1] == (1,) else x.T for x in others]
    rows = [atleast_2d(x).astype(dtype, copy=False) for x in (m, *others)]
    if rows[0].shape[0] == 0:
        return zeros((0, 0), device=m.device)
    x = concat(rows) if others else rows[0]
    ddof = int(not bias) if ddof is None else int(ddof)

    weights = observation_weights(x, fweights, aweights)
    centre, total = average(x, 1, weights, returned=True)
    count = divisor(x, total, weights, aweights, ddof)
    with fused_call():
        x = x - centre[:, None]
        weighted = x if weights is None else x * weights
    result = squeeze((x @ weighted.conj().T) * (1 / np.float64(count) if count else np.inf))
    return result.astype(dtype, copy=False)


def observation_weights(x, fweights, aweights):
    """Return the product of both kinds of weights, or None if neither is given."""
    weights = None
    for name, given in (("fweights", fweights), ("aweights", aweights)):
        if given is None:
            continue
        given = given.astype("f8", copy=False)
        if name == "fweights" and bool((given != rint(given)).any()):
            raise TypeError("cov: fweights must be integers")
        if given.ndim > 1:
            raise RuntimeError(f"cov: {name} must have one axis, not {given.ndim}")
        if given.shape[:1] != x.shape[1:]:
            raise RuntimeError(f"cov: {given.size} {name} do not go with {x.shape[1]} observations")
        if bool((given < 0).any()):
            raise ValueError(f"cov: {name} cannot be negative")
        weights = given if weights is None else weights * given
    return weights


def divisor(x, total, weights, aweights, ddof):
    """Return the divisor of the sums of products, at least 0."""
    if weights is None:
        return max(x.shape[1] - ddof, 0)
    total = total[0].item().real
    if ddof and aweights is not None:
        total -= ddof * (weights * aweights).sum().item() / total
    else:
        total -= ddof
    return np.maximum(total, 0.0)


def corrcoef(x, y=None, rowvar=True, *, dtype=None):
    """Return the matrix of Pearson's correlation coefficients of variables.

    Parameters
    ----------
    x : array_like
        One or two axes: a variable in each row, an observation in each column.
    y : array_like, optional
        More variables, with as many observations.
    rowvar : bool
        False if the variables are the columns.
    dtype : dtype, optional
        The type of the result, at least float64 by default.

    Returns
    -------
    ndarray
        A square matrix of numbers between -1 and 1, a 0-d array for one variable.

    Raises
    ------
    ValueError
        If there are more than two axes.

    See Also
    --------
    numpy.corrcoef

    Examples
    --------
    >>> import cuarray as ca
    >>> ca.corrcoef([[0, 1, 2], [2, 1, 0]])
    array([[ 1., -1.],
           [-1.,  1.]])
    """
    c = cov(x, y, rowvar, dtype=dtype)
    if c.ndim == 0:
        return c / c
    with fused_call():
        deviation = sqrt(real(diag(c)))
        c = c / deviation[:, None] / deviation[None, :]
        if c.dtype.kind != "c":
            return clip(c, -1, 1)
    for part in (c.real, c.imag):
        clip(part, -1, 1, out=part)
    return c
