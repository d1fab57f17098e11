"""Polynomials as arrays of coefficients, the highest power first."""

from importlib import import_module

import numpy as np

from cuarray import _core
from cuarray._arguments.axes import integer
from cuarray._arguments.functions import arange, atleast_1d, broadcast_to, concat, convolve, zeros, zeros_like
from cuarray._arguments.operands import as_arrays, real_number
from cuarray._arguments.ufuncs import add, subtract
from cuarray._functions.creation import as_array
from cuarray._runtime.fuse import fused_call

__all__ = ["poly", "polyadd", "polyder", "polydiv", "polyfit", "polyint", "polymul", "polysub", "polyval", "roots"]

#: Steps of Horner's rule per fused kernel; each reads x and one coefficient.
STEPS_AT_ONCE = 16


def poly(seq_of_zeros):
    """Return the coefficients of the monic polynomial with the given zeros.

    Parameters
    ----------
    seq_of_zeros : array_like
        One-dimensional, or a square matrix, whose eigenvalues are the zeros.

    Returns
    -------
    ndarray
        Real if `seq_of_zeros` is, or if its complex zeros are conjugate pairs. Computed on the host,
        so the call waits for the zeros.

    Raises
    ------
    ValueError
        If there are more axes, or the matrix is not square.

    See Also
    --------
    numpy.poly

    Examples
    --------
    >>> import cuarray as ca
    >>> ca.poly([1, 2])
    array([ 1., -3.,  2.])
    """
    zeros = atleast_1d(as_array(seq_of_zeros))
    is_matrix = zeros.ndim == 2 and zeros.shape[0] == zeros.shape[1] != 0
    if zeros.ndim != 1 and not is_matrix:
        raise ValueError(f"poly: input must be 1d or a non-empty square 2d array, not of shape {zeros.shape}")
    if zeros.size == 0:
        return 1.0
    with np.errstate(all="ignore"):
        return _core.array_from_object(np.poly(zeros.numpy()), None, zeros.device, True)


def roots(p):
    """Return the zeros of a polynomial.

    Parameters
    ----------
    p : array_like
        Coefficients, the highest power first.

    Returns
    -------
    ndarray
        The eigenvalues of the companion matrix; real if their imaginary parts are all zero. Computed on the host,
        so the call waits for the coefficients.

    Raises
    ------
    ValueError
        If there is more than one axis.
    LinAlgError
        If coefficients are infinite or NaN, or the eigenvalues do not converge.

    See Also
    --------
    numpy.roots

    Examples
    --------
    >>> import cuarray as ca
    >>> ca.roots([1, 0, -4]).round(12)
    array([-2.,  2.])
    """
    (p,) = as_arrays("roots", p)
    if p.ndim == 0:
        raise TypeError("roots: coefficients are a sequence, not one number")
    return of_host("roots", np.roots, p.device, coefficients(p, "roots").numpy())


def of_host(function, call, device, *arguments, **options):
    """Return what a function of NumPy's gives, as arrays on a device; errors begin with the function's name."""
    try:
        with np.errstate(all="ignore"):
            found = call(*arguments, **options)
    except (TypeError, ValueError) as error:
        kind = next(kind for kind in (np.linalg.LinAlgError, ValueError, TypeError) if isinstance(error, kind))
        raise kind(f"{function}: {error}") from None
    if not isinstance(found, tuple):
        return _core.array_from_object(found, None, device, True)
    return tuple([_core.as_value(_core.array_from_object(x, None, device, True)) for x in found])


def polyfit(x, y, deg, rcond=None, full=False, w=None, cov=False):
    """Fit a polynomial to points by least squares.

    Parameters
    ----------
    x : array_like
        One-dimensional: where the values are.
    y : array_like
        The values there; of several fits at once, in columns.
    deg : int
        The degree.
    rcond : number or None, optional
        Singular values below this part of the largest one are ignored; len(x) times the machine epsilon by default.
    full : bool
        Whether to return what the fit tells about itself.
    w : array_like or None, optional
        Weights of the points, one for each; they multiply the residuals before these are squared.
    cov : bool or str
        Whether to return the covariances of the coefficients; 'unscaled': without the scale of the residuals.

    Returns
    -------
    ndarray, or a tuple with it
        Coefficients, the highest power first. With `full`, also the sum of the squared residuals, the rank, the
        singular values and rcond; else with `cov`, the covariances. Computed on the host, so the call waits.

    Raises
    ------
    TypeError
        If the points are not one-dimensional, there are none, or the numbers of points differ.
    ValueError
        If the degree is negative, or there are too few points for covariances.
    LinAlgError
        If the iteration does not converge, such as with NaN.

    Notes
    -----
    Warns of a poorly conditioned fit as NumPy does, with numpy.exceptions.RankWarning.

    See Also
    --------
    numpy.polyfit

    Examples
    --------
    >>> import cuarray as ca
    >>> ca.polyfit([0.0, 1.0, 2.0], [1.0, 3.0, 5.0], 1).round(12)
    array([2., 1.])
    """
    x, y, w = as_arrays("polyfit", x, y, optional=(w,))
    if x.ndim != 1 or not x.size:
        raise TypeError(f"polyfit: x must be a vector that is not empty, not of shape {x.shape}")
    if not 1 <= y.ndim <= 2 or y.shape[0] != x.size:
        raise TypeError(f"polyfit: y must have {x.size} values in one or two axes, as x has, not the shape {y.shape}")
    if w is not None and w.shape != x.shape:
        raise TypeError(f"polyfit: w must have the shape of x, {x.shape}, not {w.shape}")
    deg, rcond = degree(deg), None if rcond is None else real_number(rcond, "rcond", "polyfit")
    if deg < 0:
        raise ValueError(f"polyfit: the degree must not be negative, it is {deg}")
    # On the host, so that the coefficients are those of NumPy's LAPACK.
    device = x.device
    x, y, w = [None if each is None else each.to_device("cpu") + 0.0 for each in (x, y, w)]
    fit = import_module("cuarray._linalg.fitting").fit  # linalg is imported at its first use
    found = fit(x, y, deg + 1, rcond, bool(full), w, cov)
    if device == x.device:
        return found
    if isinstance(found, tuple):
        return tuple([_core.as_value(each.to_device(device)) for each in found])
    return found.to_device(device)


def degree(deg):
    """Return the degree of a fit as an int; a float is truncated, as by NumPy."""
    return int(deg) if isinstance(deg, float) else integer(deg, "deg", "polyfit")


def polyval(p, x):
    """Evaluate a polynomial by Horner's rule.

    Parameters
    ----------
    p : array_like
        Coefficients, the highest power first; along the first axis, if there are more.
    x : array_like
        Where to evaluate it; broadcast with the coefficients ``p[0]``.

    Returns
    -------
    ndarray
        In the shape of `x`, broadcast with ``p[0]``.

    Raises
    ------
    TypeError
        If `p` has no axis.

    See Also
    --------
    numpy.polyval

    Examples
    --------
    >>> import cuarray as ca
    >>> ca.polyval([3, 0, 1], [5, 2])
    array([76, 13])
    """
    p, x = as_arrays("polyval", p, x)
    if p.ndim == 0:
        raise TypeError("polyval: coefficients are a sequence, not one number")
    count = p.shape[0]
    if count == 0:
        return zeros_like(x)
    # The first step of the rule, 0 x + p[0], gives p[0], unless x is infinite or NaN.
    result = zeros_like(x)
    for first in range(0, count, STEPS_AT_ONCE):
        with fused_call():
            for k in range(first, min(first + STEPS_AT_ONCE, count)):
                result = result * x + p[k, ...]
    return result


def coefficients(p, function):
    """Return a 1-d array; a number has one coefficient."""
    p = atleast_1d(p)
    if p.ndim != 1:
        raise ValueError(f"{function}: coefficients must have one axis, not {p.ndim}")
    return p


def polyadd(a1, a2):
    """Add two polynomials.

    Parameters
    ----------
    a1, a2 : array_like
        Coefficients, the highest power first.

    Returns
    -------
    ndarray
        As long as the longer one.

    See Also
    --------
    numpy.polyadd

    Examples
    --------
    >>> import cuarray as ca
    >>> ca.polyadd([1, 2], [9, 5, 4])
    array([9, 6, 6])
    """
    return combined(add, a1, a2)


def polysub(a1, a2):
    """Subtract one polynomial from another.

    Parameters
    ----------
    a1, a2 : array_like
        Coefficients, the highest power first.

    Returns
    -------
    ndarray
        As long as the longer one.

    See Also
    --------
    numpy.polysub

    Examples
    --------
    >>> import cuarray as ca
    >>> ca.polysub([2, 10, -2], [3, 10, -4])
    array([-1,  0,  2])
    """
    return combined(subtract, a1, a2)


def combined(function, a1, a2):
    """Add or subtract coefficients; those of the shorter polynomial get leading zeros."""
    a, b = map(atleast_1d, as_arrays(f"poly{function.__name__[:3]}", a1, a2))
    longer = len(a) - len(b)
    if longer > 0:
        b = concat((zeros(longer, b.dtype, device=b.device), b))
    elif longer < 0:
        a = concat((zeros(-longer, a.dtype, device=a.device), a))
    return function(a, b)


def polymul(a1, a2):
    """Multiply two polynomials.

    Parameters
    ----------
    a1, a2 : array_like
        Coefficients, the highest power first. The call waits for their values, because leading zeros are
        removed.

    Returns
    -------
    ndarray

    Raises
    ------
    ValueError
        If coefficients have several axes.

    See Also
    --------
    numpy.polymul

    Examples
    --------
    >>> import cuarray as ca
    >>> ca.polymul([1, 2], [1, -2])
    array([ 1,  0, -4])
    """
    a, b = (without_leading_zeros(coefficients(x, "polymul")) for x in as_arrays("polymul", a1, a2))
    return convolve(a, b)


def without_leading_zeros(p):
    """Return the coefficients without leading zeros; one zero if there are no others."""
    places = np.flatnonzero(p.numpy())
    return p[places[0] :] if places.size else zeros(1, p.dtype, device=p.device)


def polydiv(u, v):
    """Divide one polynomial by another.

    Parameters
    ----------
    u, v : array_like
        Coefficients of dividend and divisor, the highest power first.

    Returns
    -------
    q, r : ndarray
        Quotient and remainder; leading coefficients of the remainder that are within 1e-8 of zero are
        removed. Computed on the host, so the call waits for the coefficients.

    Raises
    ------
    ValueError
        If coefficients have several axes.
    IndexError
        If there are no coefficients.

    See Also
    --------
    numpy.polydiv

    Examples
    --------
    >>> import cuarray as ca
    >>> ca.polydiv([3, 5, 2], [2, 1])
    (array([1.5 , 1.75]), array([0.25]))
    """
    u, v = (coefficients(x, "polydiv") + 0.0 for x in as_arrays("polydiv", u, v))
    if len(u) == 0 or len(v) == 0:
        raise IndexError(f"polydiv: no coefficients in the {'divisor' if len(u) else 'dividend'}")
    dtype = _core.result_type(u.dtype, v.dtype)
    with np.errstate(all="ignore"):
        found = np.polydiv(u.numpy(), v.numpy())
    quotient, remainder = (_core.array_from_object(x, dtype, u.device, True) for x in found)
    return quotient, remainder


def times(m, function):
    """Return the order of differentiation or integration."""
    m = integer(m, "m", function)
    if m < 0:
        raise ValueError(f"{function}: the order m must not be negative, it is {m}")
    return m


def polyder(p, m=1):
    """Differentiate a polynomial.

    Parameters
    ----------
    p : array_like
        Coefficients, the highest power first.
    m : int
        The order.

    Returns
    -------
    ndarray

    Raises
    ------
    ValueError
        If `m` is negative.

    See Also
    --------
    numpy.polyder

    Examples
    --------
    >>> import cuarray as ca
    >>> ca.polyder([1, 1, 1, 1])
    array([3, 2, 1])
    """
    p = coefficients(p, "polyder")
    for _ in range(min(times(m, "polyder"), len(p) + 1)):  # after that, the result is empty
        p = p[:-1] * arange(len(p) - 1, 0, -1, device=p.device)
    return p


def polyint(p, m=1, k=None):
    """Integrate a polynomial.

    Parameters
    ----------
    p : array_like
        Coefficients, the highest power first.
    m : int
        The order.
    k : number or array_like, optional
        The constants of integration, 0 by default; those of the first integration first.

    Returns
    -------
    ndarray

    Raises
    ------
    ValueError
        If `m` is negative, or there are fewer constants than integrations.

    See Also
    --------
    numpy.polyint

    Examples
    --------
    >>> import cuarray as ca
    >>> ca.polyint([3, 2, 1], k=5)
    array([1., 1., 1., 5.])
    """
    (p, k), m = as_arrays("polyint", p, optional=(k,)), times(m, "polyint")
    k = zeros(m, device=p.device) if k is None else atleast_1d(k)
    if len(k) == 1 and m > 1:
        k = broadcast_to(k, (m,))
    if len(k) < m:
        raise ValueError("polyint: k must be a scalar or a rank-1 array of length 1 or >m")
    for i in range(m):
        p = concat((p / arange(len(p), 0, -1, device=p.device), k[i : i + 1]))
    return p
