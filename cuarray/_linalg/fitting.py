"""Polynomials through points, by least squares."""

import warnings

import numpy as np

from cuarray import _core
from cuarray._arguments.axes import integer
from cuarray._arguments.operands import as_arrays, real_number
from cuarray._arguments.ufuncs import sqrt, square
from cuarray._functions.blocks import vander
from cuarray._functions.creation import as_array
from cuarray._linalg.equations import inv, lstsq
from cuarray._linalg.lapack import named

__all__ = ["polyfit"]


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
    found = fit(x, y, deg + 1, rcond, bool(full), w, cov)
    if device == x.device:
        return found
    if isinstance(found, tuple):
        return tuple([_core.as_value(each.to_device(device)) for each in found])
    return found.to_device(device)


def fit(x, y, count, rcond, full, w, cov):
    """Return what `polyfit` does, of inexact arrays on the host, which it may change."""
    if rcond is None:
        rcond = x.size * np.finfo(x.dtype).eps
    powers = vander(x, count)
    if w is not None:
        powers *= w[:, None]
        y *= w if y.ndim == 1 else w[:, None]
    scale = sqrt(square(powers).sum(axis=0))
    powers /= scale
    solution, residuals, rank, singular = named("polyfit", lstsq, powers, y, rcond)
    solution = (solution.T / scale).T
    if full:
        return solution, residuals, rank, singular, _core.as_value(as_array(rcond, device=solution.device))
    if rank != count:
        warnings.warn("polyfit: the fit is poorly conditioned", np.exceptions.RankWarning, stacklevel=3)
    if not cov:
        return solution
    covariance = named("polyfit", inv, powers.T @ powers) / (scale[:, None] * scale)
    if cov != "unscaled":
        if x.size <= count:
            raise ValueError("polyfit: the number of data points must exceed order to scale the covariance matrix")
        residuals = residuals / (x.size - count)
        covariance = covariance * residuals if y.ndim == 1 else covariance[:, :, None] * residuals
    elif y.ndim > 1:
        covariance = covariance[:, :, None]
    return solution, covariance


def degree(deg):
    """Return the degree of a fit as an int; a float is truncated, as by NumPy."""
    return int(deg) if isinstance(deg, float) else integer(deg, "deg", "polyfit")
