"""The same expression with numpy and with cuarray: equal values, types and shapes, or the same exception."""

import warnings

import numpy as np
from oracle import same_bits

import cuarray


def evaluate(expression, xp, names):
    """Return the value of an expression, or the exception that it raises."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            value = eval(expression, {"xp": xp, "np": np, **{n: make(xp) for n, make in names.items()}})
            if xp is cuarray:
                # Faults in values are raised by the next wait.
                cuarray.synchronize()
            return value
        except Exception as error:
            return error


def public_type(error):
    """Return the type of an exception that a program would catch: Python's own, or one of numpy.exceptions."""
    return next(t for t in type(error).__mro__ if t.__module__ in ("builtins", "numpy.exceptions"))


def agree(expression, names=None, rtol=0.0):
    """Assert that numpy and cuarray agree on an expression in `xp`.

    `names` maps further names to functions of `xp` that make their values. With `rtol`, inexact elements may differ by
    that factor.
    """
    names = names or {}
    want, got = evaluate(expression, np, names), evaluate(expression, cuarray, names)
    if isinstance(want, Exception):
        assert isinstance(got, Exception), f"{expression} gives {got!r} instead of {want!r}"
        assert isinstance(got, public_type(want)), f"{expression} raises {got!r} instead of {want!r}"
        return
    if isinstance(want, np.ndarray) and want.dtype.kind not in "biufc":
        assert isinstance(got, TypeError), f"{expression} gives {got!r} although {want.dtype} is not supported"
        return
    if isinstance(got, Exception):
        raise AssertionError(f"{expression} raises {got!r} instead of giving {want!r}") from got
    compare(got, want, expression, rtol)


def compare(got, want, what, rtol):
    """Assert that a result of cuarray equals NumPy's; 0-d arrays count as NumPy's scalars."""
    if isinstance(want, tuple | list):
        assert type(got) is type(want) or isinstance(want, list), f"{what}: {type(got)} instead of {type(want)}"
        assert len(got) == len(want), f"{what}: {len(got)} results instead of {len(want)}"
        for a, b in zip(got, want, strict=True):
            compare(a, b, what, rtol)
        return
    if not isinstance(got, cuarray.ndarray):
        assert type(got) is type(want) or isinstance(want, np.generic), f"{what}: {type(got)} instead of {type(want)}"
        assert got == want, f"{what}: {got!r} instead of {want!r}"
        return
    host, want = got.numpy(), np.asarray(want)
    assert (host.dtype, host.shape) == (want.dtype, want.shape), (
        f"{what}: {host.dtype} {host.shape} instead of {want.dtype} {want.shape}"
    )
    if rtol and want.dtype.kind in "fc":
        np.testing.assert_allclose(host, want, rtol=rtol, atol=0, err_msg=what)
    else:
        assert same_bits(host, want).all(), f"{what}: {host!r} instead of {want!r}"
