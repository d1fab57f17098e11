"""Least squares for `polyfit`."""

import warnings

import numpy as np

from cuarray import _core
from cuarray._arguments.functions import vander
from cuarray._arguments.ufuncs import sqrt, square
from cuarray._functions.creation import as_array
from cuarray._linalg.equations import inv, lstsq
from cuarray._linalg.lapack import named


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
