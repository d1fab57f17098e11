"""diff, ediff1d, gradient and trapezoid: NumPy's values, types, shapes and errors."""

import numpy as np
import pytest
from same import agree

import cuarray

NAMES = {
    "x": lambda xp: (xp.arange(24).reshape(2, 3, 4) - 7) ** 2,
    "v": lambda xp: xp.asarray([3, 1, 4, 1, 5, 9]),
    "f": lambda xp: xp.asarray([1.5, -2.0, 0.25, 4.0, 0.5, -8.5]),
    "h": lambda xp: xp.asarray([1.5, -2.0, 0.25, 4.0], "f2"),
    "g": lambda xp: xp.asarray([[1.5, -2.0, 0.25], [4.0, 0.5, -8.5], [1.0, 2.0, 4.0]], "f4"),
    "c": lambda xp: xp.asarray([1 + 2j, 4 - 3j, 0.5, 2 - 1j]),
    "u": lambda xp: xp.asarray([200, 100, 255], "u1"),
    "b": lambda xp: xp.asarray([[True, False, False], [True, True, False]]),
    "s": lambda xp: xp.asarray(-2.5),
    "e": lambda xp: xp.zeros((0, 3)),
    "p": lambda xp: xp.asarray([0.0, 1.0, 3.0, 3.5, 7.0, 8.0]),
    "q": lambda xp: xp.asarray([0, 2, 4, 6, 8, 10]),
}

EXPRESSIONS = """
xp.diff(v)
xp.diff(v, 3)
xp.diff(v, 9)
xp.diff(v, n=0)
xp.diff(v, n=-1)
xp.diff(x)
xp.diff(x, axis=0)
xp.diff(x, 2, 1)
xp.diff(x, axis=3)
xp.diff(s)
xp.diff(e)
xp.diff(e, axis=0)
xp.diff(b)
xp.diff(b, n=2, axis=0)
xp.diff(u)
xp.diff(c)
xp.diff([1, 4, 9])
xp.diff(v, prepend=0)
xp.diff(v, append=[1, 2], prepend=2.5)
xp.diff(x, axis=1, prepend=7, append=0)
xp.diff(x, axis=1, prepend=x[:, :1])
xp.diff(x, axis=1, prepend=[1, 2])
xp.ediff1d(v)
xp.ediff1d(x)
xp.ediff1d(v, to_begin=-9, to_end=[1, 2])
xp.ediff1d(f, to_begin=[[1, 2], [3, 4]])
xp.ediff1d(v, to_end=1.5)
xp.ediff1d(u, to_begin=1)
xp.ediff1d([])
xp.ediff1d(s)
xp.gradient(f)
xp.gradient(v)
xp.gradient(h)
xp.gradient(c)
xp.gradient(g)
xp.gradient(g, 2.0)
xp.gradient(g, 2, 0.5)
xp.gradient(g, axis=1)
xp.gradient(g, axis=(1, 0))
xp.gradient(g, axis=-1, edge_order=2)
xp.gradient(x, axis=(0, 2))
xp.gradient(x, axis=2, edge_order=2)
xp.gradient(x, 1, 2)
xp.gradient(x, 1, 2, 3, axis=0)
xp.gradient(f, p)
xp.gradient(f, p, edge_order=2)
xp.gradient(f, q)
xp.gradient(f, q, edge_order=2)
xp.gradient(f, [0, 1])
xp.gradient(f, [[0, 1]])
xp.gradient(v, p)
xp.gradient(g, [0.0, 1.0, 4.0], 2.0)
xp.gradient(g, [0.0, 1.0, 4.0], [0, 1, 2], edge_order=2)
xp.gradient(f, edge_order=3)
xp.gradient(f[:1])
xp.gradient(f[:2], edge_order=2)
xp.gradient(f, axis=1)
xp.gradient(f, 2, 3)
xp.gradient(xp.asarray([True, False]))
xp.gradient([1, 4, 9, 16])
xp.trapezoid(v)
xp.trapezoid(f, dx=0.5)
xp.trapezoid(f, p)
xp.trapezoid(f, x=q)
xp.trapezoid(x, axis=0)
xp.trapezoid(x, axis=1, dx=2)
xp.trapezoid(x, [0, 1, 5], axis=1)
xp.trapezoid(x, x * 2.0, axis=2)
xp.trapezoid(x, axis=3)
xp.trapezoid(g)
xp.trapezoid(c)
xp.trapezoid(b)
xp.trapezoid([1, 2, 3])
xp.trapezoid(f, [0, 1])
""".strip().splitlines()


@pytest.mark.parametrize("expression", EXPRESSIONS)
def test_values_and_errors(expression, device):
    agree(expression, NAMES, rtol=2e-3 if "(h" in expression else 2e-6 if "(g" in expression else 1e-13)


def test_large_arrays(device, rng):
    x = rng.standard_normal((300, 70))
    there = cuarray.asarray(x)
    for axis in (0, 1):
        np.testing.assert_array_equal(cuarray.diff(there, axis=axis).numpy(), np.diff(x, axis=axis))
        np.testing.assert_allclose(
            cuarray.gradient(there, 0.5, axis=axis).numpy(), np.gradient(x, 0.5, axis=axis), rtol=1e-14
        )
        np.testing.assert_allclose(cuarray.trapezoid(there, axis=axis).numpy(), np.trapezoid(x, axis=axis), rtol=1e-11)


@pytest.mark.parametrize("n", [3, 4, 5, 2**40, 2**62])
def test_more_steps_than_elements(n, device):
    x = cuarray.arange(12, device=device).reshape(3, 4)
    for axis in (0, 1):
        want = np.diff(np.arange(12).reshape(3, 4), min(n, 9), axis)
        got = cuarray.diff(x, n, axis)
        assert got.shape == want.shape and got.tolist() == want.tolist()
    assert cuarray.polyder(x[0], n).tolist() == np.polyder(np.arange(4), min(n, 9)).tolist()
    assert cuarray.diff(x[:0], n, 0).shape == (0, 4) and cuarray.diff(x > 3, n).dtype == bool


def test_more_steps_than_int64_counts():
    with pytest.raises(OverflowError, match="diff: n must be an integer of 64 bits"):
        cuarray.diff(cuarray.arange(3), 2**70)
    assert cuarray.polyder(cuarray.arange(4), 2**70).tolist() == np.polyder(np.arange(4), 9).tolist()


def test_trapezoid_counts_the_axis_of_x_from_its_own_end(device):
    x = [[0.0, 1.0], [0.0, 3.0], [1.0, 2.0]]
    got = cuarray.trapezoid([2, 4], x=cuarray.asarray(x, device=device))
    np.testing.assert_array_equal(got.numpy(), np.trapezoid([2, 4], x=np.array(x)))
