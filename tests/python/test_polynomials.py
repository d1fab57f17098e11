"""Polynomials, convolutions, windows and functions of numbers: NumPy's values, types, shapes and errors."""

import layouts
import numpy as np
import pytest
from same import agree

import cuarray

NAMES = {
    "v": lambda xp: xp.asarray([3, -1, 4, 1, -5]),
    "f": lambda xp: xp.asarray([0.5, -1.25, 2.0]),
    "g": lambda xp: xp.asarray([0.5, -1.25, 2.0], dtype="f4"),
    "h": lambda xp: xp.asarray([0.5, -1.25, 2.0, 0.25], dtype="f2"),
    "c": lambda xp: xp.asarray([1 + 2j, -1j, 0.5]),
    "b": lambda xp: xp.asarray([True, False, True]),
    "u": lambda xp: xp.asarray([200, 100, 3], dtype="u1"),
    "x": lambda xp: xp.asarray(np.arange(6).reshape(2, 3)),
    "n": lambda xp: xp.asarray([[np.nan, np.inf, 1.5], [-np.inf, -0.0, 3]]),
    "z": lambda xp: xp.asarray([np.nan + 1j, complex(np.inf, -np.inf), 1 + 2j]),
    "s": lambda xp: xp.asarray(2.5),
    "e": lambda xp: xp.zeros(0),
    "long": lambda xp: xp.asarray(np.arange(100.0) % 7),
    "taps": lambda xp: xp.asarray(np.arange(37.0) % 5),
}

SUMS = [f"xp.{name}({a}, {b}, {mode!r})"
        for name in ("convolve", "correlate")
        for a, b in (("v", "f"), ("f", "v"), ("v", "v"), ("c", "v"), ("v", "c"), ("c", "c"), ("b", "b"), ("u", "u"), ("g", "h"), ("h", "h"),
                     ("long", "taps"), ("taps", "long"), ("long", "long[:99]"), ("long[::-2]", "taps"), ("v", "[2]"), ("v", "[1, 2]"),
                     ("v", "[1, 2, 3, 4]"))
        for mode in ("full", "same", "valid")]  # fmt: skip

EXPRESSIONS = """
xp.convolve(v, f)
xp.correlate(v, f)
xp.convolve(e, v)
xp.correlate(v, e)
xp.convolve(x, v)
xp.correlate(v, x)
xp.convolve(s, v)
xp.convolve(v, v, 'no')
xp.poly([1, 2, 3])
xp.poly(f)
xp.poly([1j, -1j])
xp.poly([1j, 2])
xp.poly(xp.asarray([1, 2], dtype='f2'))
xp.poly([])
xp.poly(xp.ones((2, 3)))
xp.polyval(v, 3)
xp.polyval(v, x)
xp.polyval(f, v)
xp.polyval(c, v)
xp.polyval([], x)
xp.polyval(v, f)
xp.polyval(long, 0.5)
xp.polyval(v, n)
xp.polyval(2, x)
xp.polyadd(v, f)
xp.polyadd(f, v)
xp.polyadd(2, v)
xp.polysub(v, c)
xp.polysub(u, [1])
xp.polymul(v, f)
xp.polymul([0, 0, 1], v)
xp.polymul([0], v)
xp.polymul(2, v)
xp.polymul(x, v)
xp.polydiv(v, f)
xp.polydiv(f, v)
xp.polydiv(v, [2])
xp.polydiv([3, 5, 2], [2, 1])
xp.polydiv([2, 4], [1, 2])
xp.polydiv(c, [1, 1j])
xp.polyder(v)
xp.polyder(f, 2)
xp.polyder(v, 9)
xp.polyder(v, 0)
xp.polyder(v, -1)
xp.polyder([1])
xp.polyint(v)
xp.polyint(f, 2)
xp.polyint(v, 2, 3)
xp.polyint(v, 2, [3, 4])
xp.polyint(v, 2, k=[3])
xp.polyint(v, 3, k=[3, 4])
xp.polyint(v, -1)
xp.polyint(c, k=1j)
xp.angle(c)
xp.angle(c, deg=True)
xp.angle(f)
xp.angle(v)
xp.angle(-s)
xp.sinc(f)
xp.sinc(v)
xp.sinc(xp.asarray([0.0, -0.0, 1e-8, np.nan]))
xp.sinc(c)
xp.fix(f)
xp.fix(-s)
xp.fix(v)
xp.fix(n)
xp.fix(f, out=xp.zeros(3))
xp.fix(c)
xp.isposinf(n)
xp.isneginf(n)
xp.isneginf(v)
xp.isposinf(c)
xp.isposinf(n, out=xp.zeros((2, 3), bool))
xp.nan_to_num(n)
xp.nan_to_num(n, nan=1, posinf=2, neginf=3)
xp.nan_to_num(n.astype('f4'))
xp.nan_to_num(n.astype('f2'), posinf=8)
xp.nan_to_num(n, nan=[7, 8, 9])
xp.nan_to_num(z)
xp.nan_to_num(z, posinf=5)
xp.nan_to_num(v)
xp.nan_to_num(b)
xp.nan_to_num(xp.asarray(np.nan))
xp.real_if_close(c)
xp.real_if_close(xp.asarray([1 + 1e-15j]))
xp.real_if_close(xp.asarray([1 + 1e-5j]), tol=1e-4)
xp.real_if_close(f)
xp.iterable(v)
xp.iterable(s)
xp.isfortran(x)
xp.isfortran(x.T)
xp.min_scalar_type(-5)
xp.min_scalar_type(s)
xp.min_scalar_type(v)
xp.common_type(v, g)
xp.common_type(g)
xp.common_type(b)
xp.common_type(c, g)
xp.asarray_chkfinite(v, dtype='f4')
xp.asarray_chkfinite(n)
xp.require(x.T, requirements=['C']).flags.c_contiguous
xp.require(x, 'f4', 'F').flags.f_contiguous
xp.require(x, requirements=['C', 'F'])
xp.require(x, requirements=['no'])
xp.require(x[:1], requirements='OW').flags.owndata
xp.require(x)
""".split("\n")[1:-1]


@pytest.mark.parametrize("expression", SUMS + EXPRESSIONS)
def test_values(expression, device):
    agree(expression, NAMES, rtol=1e-3 if "(h" in expression else 1e-6 if "g" in expression else 1e-13)


@pytest.mark.parametrize("name", ["bartlett", "blackman", "hamming", "hanning", "kaiser"])
def test_windows(name, device):
    for count in (-1, 0, 1, 2, 3, 8, 51, 1000, 5.5):
        for more in ((0,), (5.0,), (14,), (8.6,)) if name == "kaiser" else ((),):
            got, want = getattr(cuarray, name)(count, *more), getattr(np, name)(count, *more)
            assert (got.dtype, got.shape) == (want.dtype, want.shape)
            # The ends are differences of cosines.
            np.testing.assert_allclose(got.numpy(), want, rtol=1e-13, atol=2e-16)


def test_bessel_function(device):
    x = np.concatenate((np.linspace(-9, 9, 1001), np.geomspace(1e-9, 700, 500), [0, 8, 709]))
    np.testing.assert_allclose(cuarray.i0(x).numpy(), np.i0(x), rtol=3e-15)
    for dtype in ("f2", "f4"):
        few = np.linspace(0, 10, 20).astype(dtype)
        got = cuarray.i0(cuarray.asarray(few))
        assert got.dtype == dtype
        np.testing.assert_allclose(got.numpy(), np.i0(few.astype(float)), rtol=1e-3 if dtype == "f2" else 1e-7)
    assert cuarray.i0([1, 2]).dtype == np.float64
    with pytest.raises(TypeError):
        cuarray.i0(1j)


def test_nan_to_num_writes_in_place(device):
    x = cuarray.asarray([np.nan, 1.0])
    assert cuarray.nan_to_num(x, copy=False) is x and x.tolist() == [0, 1]


@pytest.mark.parametrize("layout", layouts.LAYOUTS)
@pytest.mark.parametrize("dtype", ["i2", "f4", "f8", "c16"])
def test_layouts_and_types(layout, dtype, device, rng):
    # These layouts have two axes; one row of them is a strided 1-d array.
    x = rng.integers(-9, 9, (6, 40)).astype(dtype)
    y, taps = layout(x), rng.integers(-9, 9, 23).astype(dtype)
    own = cuarray.asarray(taps)
    for mode in ("full", "same", "valid"):
        for k in (0, 5):
            np.testing.assert_array_equal(cuarray.convolve(y[k], own, mode).numpy(), np.convolve(x[k], taps, mode))
            np.testing.assert_array_equal(cuarray.correlate(own, y[k], mode).numpy(), np.correlate(taps, x[k], mode))
    np.testing.assert_array_equal(cuarray.polyval(own[:3], y).numpy(), np.polyval(taps[:3], x))


@pytest.mark.parametrize(
    "call",
    ["p, 3", "p, x[0]", "p, x", "p[0], x", "p[:, :1], x", "p, xp.ones(5)", "p[:0], x", "xp.ones((40, 2)), x", "x, 2j"],
)
def test_coefficients_of_several_axes(call, device):
    agree(
        f"xp.polyval({call})",
        {"p": lambda xp: xp.arange(6).reshape(3, 2), "x": lambda xp: xp.asarray([[1.0, 2], [3, 4]])},
    )
