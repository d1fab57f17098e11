"""Comparing arrays in tests: NumPy's assertions, and distances in units in the last place."""

from functools import wraps
from typing import Any

import numpy as np

from cuarray._arguments.operands import host_values
from cuarray._core import ndarray

__all__ = ["assert_allclose", "assert_array_equal", "assert_max_ulp", "to_host", "ulp_distance"]

#: NumPy's other comparisons, which are called with host copies of arrays.
COMPARISONS = {
    "assert_almost_equal", "assert_approx_equal", "assert_array_almost_equal",
    "assert_array_almost_equal_nulp", "assert_array_less", "assert_array_max_ulp", "assert_equal",
}  # fmt: skip


def __getattr__(name):
    if name.startswith("_") or name not in np.testing.__all__:
        raise AttributeError(f"module 'cuarray.testing' has no attribute {name!r}")
    theirs = getattr(np.testing, name)
    if name not in COMPARISONS:
        return theirs

    @wraps(theirs)
    def on_host(*args, **kwargs):
        return theirs(*nested_to_host(args), **nested_to_host(kwargs))

    return on_host


def __dir__():
    return sorted({*__all__, *(name for name in np.testing.__all__ if name.startswith("assert_"))})


def nested_to_host(x):
    """Return the object with cuarray's arrays replaced by NumPy's, also inside lists, tuples and dicts."""
    if isinstance(x, list | tuple):
        parts = map(nested_to_host, x)
        return type(x)(*parts) if hasattr(x, "_fields") else type(x)(parts)
    if isinstance(x, dict):
        return {key: nested_to_host(value) for key, value in x.items()}
    return x.numpy() if isinstance(x, ndarray) else x


def to_host(x) -> np.ndarray[Any, Any]:
    """Return any array as a NumPy array.

    Examples
    --------
    >>> import cuarray as ca
    >>> ca.testing.to_host(ca.arange(3))
    array([0, 1, 2])
    """
    return host_values(x, "testing")


def assert_array_equal(actual, desired, err_msg="", verbose=True, *, strict=False) -> None:
    """Raise AssertionError unless shapes and elements are equal; NaN equals NaN.

    Parameters
    ----------
    actual, desired : array_like
        On any device.
    err_msg : str
    verbose : bool
        Whether the message of the error has the values.
    strict : bool
        Whether the dtypes must be equal too, and scalars are not broadcast.

    See Also
    --------
    numpy.testing.assert_array_equal

    Examples
    --------
    >>> import cuarray as ca
    >>> ca.testing.assert_array_equal(ca.arange(3), [0, 1, 2])
    """
    np.testing.assert_array_equal(to_host(actual), to_host(desired), err_msg, verbose, strict=strict)


def assert_allclose(
    actual, desired, rtol=1e-07, atol=0, equal_nan=True, err_msg="", verbose=True, *, strict=False
) -> None:
    """Raise AssertionError unless all elements agree within tolerances.

    Parameters
    ----------
    actual, desired : array_like
        On any device.
    rtol, atol : float
    equal_nan : bool
    err_msg : str
    verbose : bool
        Whether the message of the error has the values.
    strict : bool
        Whether the dtypes must be equal too, and scalars are not broadcast.

    See Also
    --------
    numpy.testing.assert_allclose

    Examples
    --------
    >>> import cuarray as ca
    >>> ca.testing.assert_allclose(ca.sqrt(2.0), 1.41421356, rtol=1e-8)
    """
    np.testing.assert_allclose(
        to_host(actual), to_host(desired), rtol, atol, equal_nan, err_msg, verbose, strict=strict
    )


def ulp_distance(actual, exact) -> np.ndarray[Any, Any]:
    """Return the distance of results from the exact values, in units in the last place of the result's type.

    Parameters
    ----------
    actual : array_like
        float16, bfloat16, float32, float64, or complex (then the larger distance of both parts).
    exact : array_like
        In a type of higher precision.

    Returns
    -------
    numpy.ndarray
        float64. 0 where both are NaN or the same infinity, and where `exact` rounds to the infinity that
        `actual` is; infinite where only one of them is NaN or infinite.

    Examples
    --------
    >>> import cuarray as ca
    >>> import numpy as np
    >>> ca.testing.ulp_distance(np.asarray([1, 1 + 2**-23], "f4"), np.asarray([1.0, 1.0]))
    array([0., 1.])
    """
    actual, exact = to_host(actual), np.asarray(exact)
    if actual.dtype.kind == "c":
        return np.maximum(ulp_distance(actual.real, exact.real), ulp_distance(actual.imag, exact.imag))
    with np.errstate(all="ignore"):
        rounded = exact.astype(actual.dtype)
        wide = np.longdouble if exact.dtype == np.longdouble else np.float64
        unit = np.abs(np.spacing(np.abs(rounded))).astype(wide)
        unit = np.where(np.isfinite(unit), unit, np.spacing(largest(actual.dtype)).astype(wide))
        distance = np.abs(actual.astype(wide) - exact.astype(wide)) / unit
    same = (actual == rounded) & ~np.isfinite(rounded.astype(wide)) | (np.isnan(actual) & np.isnan(rounded))
    return np.where(same, 0.0, np.where(np.isnan(distance), np.inf, distance)).astype(np.float64)


def largest(dtype):
    """Return the largest number of a floating-point type, as a scalar of that type."""
    if dtype.kind == "f":
        return np.finfo(dtype).max
    import ml_dtypes

    return ml_dtypes.finfo(dtype).max


def assert_max_ulp(actual, exact, limit) -> None:
    """Raise AssertionError where a result is more than `limit` units in the last place off.

    Parameters
    ----------
    actual : array_like
    exact : array_like
        In a type of higher precision.
    limit : float

    Examples
    --------
    >>> import cuarray as ca
    >>> import numpy as np
    >>> x = np.linspace(0, 1, 100, dtype=np.float32)
    >>> ca.testing.assert_max_ulp(ca.exp(ca.asarray(x)), np.exp(x.astype(np.float64)), 4.5)
    """
    distance = ulp_distance(actual, exact)
    if distance.size and not (worst := distance.max()) <= limit:
        place = np.unravel_index(distance.argmax(), distance.shape)
        raise AssertionError(
            f"{worst:.4g} ulp instead of {limit} at {tuple(map(int, place))}: "
            f"{to_host(actual)[place]!r} for {np.asarray(exact)[place]!r}"
        )
