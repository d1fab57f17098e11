"""interp and unwrap: NumPy's values, types, shapes and errors."""

import layouts
import numpy as np
import pytest
from same import agree

import cuarray

NAMES = {
    "x": lambda xp: xp.asarray([[-1.0, 0.0, 0.25], [1.0, 2.5, np.nan], [3.0, 7.0, np.inf]]),
    "k": lambda xp: xp.asarray([0, 1, 3]),
    "p": lambda xp: xp.asarray([0.0, 1.0, 1.0, 3.0]),
    "f": lambda xp: xp.asarray([2.0, -1.0, 4.0, 0.5]),
    "c": lambda xp: xp.asarray([1 + 2j, 2, 3 - 1j]),
    "a": lambda xp: xp.asarray([0.0, 3.0, 6.0, -3.0, 0.5, 9.0]),
    "i": lambda xp: xp.asarray([[1, 2, 3, 4, 5, 6, 1, 2, 3], [1, 6, 5, 2, 8, 0, 0, 7, 1]]),
}


@pytest.mark.parametrize(
    "expression",
    [
        "xp.interp(x, k, k * 2)", "xp.interp(x, p, f)", "xp.interp(2, k, [1, 2, 4])", "xp.interp(x, [1.5], [7])", "xp.interp([], k, k)",
        "xp.interp(x, p, f, left=-9, right=9)", "xp.interp(x, k, c)", "xp.interp(x, k, c, left=1j, right=-1j)",
        "xp.interp(x[:2, :2], k, c, period=2.5)", "xp.interp(x[:2, :2], [0, 350, 20], [1, 2, 3], period=360)", "xp.interp(x[:2, :2], k, k, period=-2.0)",
        "xp.interp([0.5, 2], [0, np.inf], [1, 1])", "xp.interp([0.5, 2], [0, 1, 3], [np.nan, 1, 2])", "xp.interp(np.float32(0.5), k, k)",
        "xp.interp(x, [], [])", "xp.interp(x, k, [1, 2])", "xp.interp(x, k, k, period=0)", "xp.interp(x, x, x)",
        "xp.interp(x, p, f, left=-9)", "xp.interp(x, p, f, right=xp.asarray(9.0))", "xp.interp(x, p, f, True, np.float32(2.5))", "xp.interp(-1, p, f, 7)",
        "xp.interp(9, p, f, right=7)", "xp.interp(True, k, k)", "xp.interp(np.nan, p, f)", "xp.interp(0.5, k, c)", "xp.interp(-1, k, c, 2j)",
        "xp.interp(0.25, p, f, period=2)", "xp.interp(x[:2, :2], p, f, left=5, period=1.5)", "xp.interp(x.T, p[::2], f[::2])", "xp.interp(x.astype('f4'), k, k)",
        "xp.interp(x, k, c.astype('c8'))", "xp.interp(x=1, xp=k, fp=k)", "xp.interp(1, k)", "xp.interp(c, k, k)", "xp.interp(1j, k, k)", "xp.interp(x, c, k)",
        "xp.interp(x, k, k, left='a')", "xp.interp(x, k, k, left=1j)", "xp.interp(x, k, k, right=[1, 2])", "xp.interp(x, 1, 2)", "xp.interp([[0.5]], k, k > 1)",
        "xp.interp(xp.zeros((0, 2)), k, c)", "xp.interp(2**70, k, k)", "xp.interp(x, xp.asarray([1.0]), xp.asarray([np.nan]), 0, 3)",
        "xp.unwrap(a)", "xp.unwrap(a, 4)", "xp.unwrap(a, period=5)", "xp.unwrap(i, period=6)", "xp.unwrap(i, period=7, axis=0)",
        "xp.unwrap(i, axis=0)", "xp.unwrap(i[0], period=4, discont=3)", "xp.unwrap(xp.asarray([0, 2, 4, 2, 0.0]), period=4)", "xp.unwrap(a.astype('f4'))",
        "xp.unwrap(i, axis=2)", "xp.unwrap(xp.asarray([0, 3, 6], dtype='u1'), period=6)", "xp.unwrap(a[:0])", "xp.unwrap(a[:1])",
    ],
)  # fmt: skip
def test_values_types_and_errors(expression, device):
    agree(expression, NAMES, rtol=2e-6 if "f4" in expression else 1e-13)


@pytest.mark.parametrize("size", [1, 2, 31, 33, 257, 5000])
def test_random_points(size, device, rng):
    points = np.sort(rng.normal(size=size))
    values, wanted = rng.normal(size=size), rng.normal(size=(7, 300)) * 2
    for layout in layouts.LAYOUTS:
        x = layout(wanted)
        result = cuarray.interp(x, cuarray.asarray(points, device=device), cuarray.asarray(values, device=device))
        np.testing.assert_allclose(result.numpy(), np.interp(x.numpy(), points, values), rtol=1e-13, atol=1e-13)
    ascending = np.sort(wanted, axis=None)
    for x in (ascending, ascending[::-1].copy(), ascending[::-3], np.append(ascending, np.nan)):
        result = cuarray.interp(*(cuarray.asarray(a, device=device) for a in (x, points, values)))
        np.testing.assert_allclose(result.numpy(), np.interp(x, points, values), rtol=1e-13, atol=1e-13)


@pytest.mark.parametrize(
    "expression",
    ["i.trace()", "i.trace(1)", "xp.trace(i, -1, dtype='f4')", "i.tobytes()", "i.T.tobytes()", "i.tobytes('F')"],
)
def test_traces_and_bytes(expression, device):
    agree(expression, NAMES)


def test_tofile(tmp_path, device):
    x = cuarray.arange(6, device=device).reshape(2, 3)
    x.tofile(tmp_path / "bytes")
    x.T.tofile(tmp_path / "text", sep=",")
    assert np.fromfile(tmp_path / "bytes", int).tolist() == [0, 1, 2, 3, 4, 5]
    assert (tmp_path / "text").read_text() == "0,3,1,4,2,5"


@pytest.mark.parametrize("step", [1, -1])
@pytest.mark.parametrize("kind", ["finite", "signed zeros", "infinite values", "infinite points", "repeated points"])
def test_sorted_numbers_have_the_bits_of_single_ones(kind, step, device):
    """They are followed from interval to interval, which share what is the same for all numbers inside of one."""
    rng = np.random.default_rng(3)
    xp, fp = np.sort(rng.random(40)), rng.standard_normal(40)
    if kind == "signed zeros":
        fp[::2], fp[1::4] = -0.0, 0.0
    elif kind == "infinite values":
        fp[[3, 4, 17]] = np.inf
        fp[30] = -np.inf
    elif kind == "infinite points":
        xp[0], xp[-1] = -np.inf, np.inf
    elif kind == "repeated points":
        xp[5:9], xp[20:22] = xp[5], xp[20]
    x = np.sort(np.concatenate([rng.uniform(-0.2, 1.2, 200), xp, np.nextafter(xp, 9), np.nextafter(xp, -9)]))[::step]
    found = cuarray.interp(*(cuarray.asarray(a.copy(), device=device) for a in (x, xp, fp))).numpy()
    single = np.array([float(cuarray.interp(number, xp, fp)) for number in x.tolist()])
    assert_bits(found, single)
    assert_bits(found, np.interp(x, xp, fp))


def assert_bits(found, expected):
    """Of numbers; where both are NaN, either NaN."""
    same = (found.view("i8") == expected.view("i8")) | (np.isnan(found) & np.isnan(expected))
    assert same.all(), (found[~same], expected[~same])
