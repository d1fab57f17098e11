"""Window functions, and the Bessel function of the Kaiser window."""

import numpy as np

from cuarray._arguments.functions import arange, empty, ones
from cuarray._arguments.ufuncs import abs, cos, exp, maximum, minimum, sqrt, square, where
from cuarray._functions.creation import as_array
from cuarray._runtime.fuse import fused_call

__all__ = ["bartlett", "blackman", "hamming", "hanning", "i0", "kaiser"]

# Chebyshev coefficients, the constant first, computed with mpmath at 40 digits: of exp(-x)
# I0(x) in x / 4 - 1 for x up to 8, and of sqrt(x) exp(-x) I0(x) in 16 / x - 1 beyond.
NEAR = (
    0.33839763720473803,
    -0.3046826723431984,
    0.17162090152220877,
    -0.09490109704804764,
    0.04930528423967071,
    -0.02373741480589947,
    0.010546460394594998,
    -0.004324309995050576,
    0.0016394756169413357,
    -0.0005763755745385824,
    0.00018850288509584165,
    -5.754195010082104e-05,
    1.6448448070728896e-05,
    -4.4167383584587505e-06,
    1.1173875391201037e-06,
    -2.670793853940612e-07,
    6.046995022541919e-08,
    -1.300025009986248e-08,
    2.6598237246823866e-09,
    -5.189795601635263e-10,
    9.675809035373237e-11,
    -1.726826291441556e-11,
    2.95505266312964e-12,
    -4.856446783111929e-13,
    7.676185498604936e-14,
    -1.1685332877993451e-14,
    1.715391285555133e-15,
    -2.431279846547955e-16,
    3.3307945188222384e-17,
    -4.4153416464793395e-18,
)
FAR = (
    0.4022452055070544,
    0.0033691164782556943,
    6.889758346916825e-05,
    2.8913705208347567e-06,
    2.0489185894690638e-07,
    2.266668990498178e-08,
    3.3962320257083865e-09,
    4.94060238822497e-10,
    1.1889147107846439e-11,
    -3.1499165279632416e-11,
    -1.3215811840447713e-11,
    -1.7941785315068062e-12,
    7.180124451383666e-13,
    3.8527783827421426e-13,
    1.54008621752141e-14,
    -4.150569347287222e-14,
    -9.554846698828307e-15,
    3.8116806693526224e-15,
    1.7725601330565263e-15,
    -3.425485619677219e-16,
    -2.8276239805165836e-16,
    3.461222867697461e-17,
    4.46562142029676e-17,
    -4.830504485944182e-18,
    -7.233180487874754e-18,
    9.921475412173699e-19,
    1.193650890845982e-18,
)


def length(M, function):
    """Return the length of a window as a real number; TypeError for anything else."""
    M = as_array(M)
    if M.ndim or M.dtype.kind == "c":
        raise TypeError(f"{function}: M must be a real number, not an array of {M.dtype} of shape {M.shape}")
    M = M.item()
    if M > 1 << 53:  # beyond exact integers in float64
        raise ValueError(f"{function}: {M} elements are more than an array can have")
    return M


def ramp(M, function):
    """Return M as a number, and 1 - M, 3 - M, ..., M - 1, or the window itself if it has fewer than two
    elements."""
    M = length(M, function)
    if M < 1:
        return M, empty(0), True
    if M == 1:
        return M, ones(1), True
    return M, arange(1 - float(M), float(M), 2), False


def cosines(function, M, *weights):
    """Return the window that is a sum of cosines of 0, 1, 2 ... half-periods per half width, with these
    weights."""
    M, n, is_window = ramp(M, function)
    if is_window:
        return n
    with fused_call():
        result = weights[0] + weights[1] * cos(np.pi * n / (M - 1))
        for k, weight in enumerate(weights[2:], 2):
            result = result + weight * cos(k * np.pi * n / (M - 1))
        return result


def bartlett(M):
    """Return the triangular window, which is zero at the ends.

    Parameters
    ----------
    M : int
        Number of elements; none if it is below 1.

    Returns
    -------
    ndarray
        float64, 1 in the middle.

    See Also
    --------
    numpy.bartlett

    Examples
    --------
    >>> import cuarray as ca
    >>> ca.bartlett(5)
    array([0. , 0.5, 1. , 0.5, 0. ])
    """
    M, n, is_window = ramp(M, "bartlett")
    if is_window:
        return n
    with fused_call():
        return 1 - abs(n) / (M - 1)


def blackman(M):
    """Return the Blackman window: 0.42 - 0.5 cos(t) + 0.08 cos(2 t) for t from 0 to 2 pi.

    Parameters
    ----------
    M : int
        Number of elements; none if it is below 1.

    Returns
    -------
    ndarray
        float64, at most 1 in the middle.

    See Also
    --------
    numpy.blackman

    Examples
    --------
    >>> import cuarray as ca
    >>> ca.blackman(5).round(2) + 0
    array([0.  , 0.34, 1.  , 0.34, 0.  ])
    """
    return cosines("blackman", M, 0.42, 0.5, 0.08)


def hamming(M):
    """Return the Hamming window: 0.54 - 0.46 cos(t) for t from 0 to 2 pi.

    Parameters
    ----------
    M : int
        Number of elements; none if it is below 1.

    Returns
    -------
    ndarray
        float64, at most 1 in the middle.

    See Also
    --------
    numpy.hamming

    Examples
    --------
    >>> import cuarray as ca
    >>> ca.hamming(5)
    array([0.08, 0.54, 1.  , 0.54, 0.08])
    """
    return cosines("hamming", M, 0.54, 0.46)


def hanning(M):
    """Return the Hann window: 0.5 - 0.5 cos(t) for t from 0 to 2 pi.

    Parameters
    ----------
    M : int
        Number of elements; none if it is below 1.

    Returns
    -------
    ndarray
        float64, at most 1 in the middle.

    See Also
    --------
    numpy.hanning

    Examples
    --------
    >>> import cuarray as ca
    >>> ca.hanning(5)
    array([0. , 0.5, 1. , 0.5, 0. ])
    """
    return cosines("hanning", M, 0.5, 0.5)


def kaiser(M, beta):
    """Return the Kaiser window, which is narrower for a larger `beta`.

    Parameters
    ----------
    M : int
        Number of elements; none if it is below 1.
    beta : number
        Shape: 0 makes a rectangle, 5 is near the Hamming window, 8.6 near the Blackman window.

    Returns
    -------
    ndarray
        float64, at most 1 in the middle.

    See Also
    --------
    numpy.kaiser

    Examples
    --------
    >>> import cuarray as ca
    >>> ca.kaiser(3, 5).round(4)
    array([0.0367, 1.    , 0.0367])
    """
    M, beta = length(M, "kaiser"), as_array(beta)
    if beta.dtype.kind == "c":
        raise TypeError("kaiser: beta must be real, not complex")
    if M == 1:
        return ones(1)
    n = arange(float(M))
    half = (M - 1) / 2
    beta = beta.astype(np.float64)
    with fused_call():
        x = beta * sqrt(1 - square((n - half) / half))
        return i0(x) / i0(beta)


def i0(x):
    """Evaluate the modified Bessel function of the first kind of order 0.

    Parameters
    ----------
    x : array_like
        Real.

    Returns
    -------
    ndarray
        float64, or the type of `x` if that is floating-point; computed in float64, to about 1e-15 of the
        value.

    Raises
    ------
    TypeError
        If `x` is complex.

    References
    ----------
    Abramowitz and Stegun, Handbook of Mathematical Functions, section 9.6.

    See Also
    --------
    numpy.i0

    Examples
    --------
    >>> import cuarray as ca
    >>> ca.i0([0.0, 1.0])
    array([1.        , 1.26606588])
    """
    x = as_array(x)
    if x.dtype.kind == "c":
        raise TypeError("i0: not supported for complex values")
    dtype = x.dtype if x.dtype.kind in "fV" else np.dtype(np.float64)
    with fused_call():
        x = abs(x.astype(np.float64))
        near = minimum(x, 8.0)
        far = maximum(x, 8.0)
        # exp(x) may overflow where exp(x) / sqrt(x) does not.
        half = exp(0.5 * far)
        result = where(
            x <= 8.0,
            exp(near) * chebyshev(NEAR, 0.25 * near - 1),
            half * (half * (chebyshev(FAR, 16 / far - 1) / sqrt(far))),
        )
        return result.astype(dtype, copy=False)


def chebyshev(coefficients, x):
    """Sum a Chebyshev series by Clenshaw's algorithm."""
    twice = x + x
    last, result = 0.0, coefficients[-1]
    for c in coefficients[-2:0:-1]:
        last, result = result, twice * result - last + c
    return x * result - last + coefficients[0]
