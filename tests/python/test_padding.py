"""Padding: NumPy's values, types, shapes and errors in every mode."""

import itertools

import layouts
import numpy as np
import pytest
from same import agree

import cuarray

NAMES = {
    "v": lambda xp: xp.arange(1, 6),
    "f": lambda xp: xp.asarray(np.arange(12.0).reshape(3, 4) ** 2),
    "x": lambda xp: xp.asarray(np.arange(24).reshape(2, 3, 4) % 7, dtype="i2"),
    "u": lambda xp: xp.asarray([[3, 250], [9, 1]], dtype="u1"),
    "c": lambda xp: xp.asarray([1 + 2j, 3.5, -1j]),
    "b": lambda xp: xp.asarray([True, False, False]),
    "one": lambda xp: xp.asarray([[7.5, 2.0]]),
    "s": lambda xp: xp.asarray(3),
    "e": lambda xp: xp.zeros((0, 2)),
    "ramp": lambda xp: ramp,
}
MODES = ["constant", "edge", "linear_ramp", "maximum", "mean", "minimum", "reflect", "symmetric", "wrap"]
HAS_MEDIAN = hasattr(cuarray, "median")


def ramp(line, widths, axis, kwargs):
    line[: widths[0]] = kwargs.get("fill", 5) + axis
    if widths[1]:
        line[-widths[1] :] = -1


@pytest.mark.parametrize("mode", MODES + ["median"] * HAS_MEDIAN)
@pytest.mark.parametrize("operand", ["v", "f", "f.T", "x", "x[::-1, :, ::2]", "u", "c", "b", "one", "s", "e", "[1, 2]"])
@pytest.mark.parametrize("width", ["0", "2", "(1, 3)", "((0, 2),)", "11", "((1, 2), (3, 0))", "((0, 0), (2, 2))"])
def test_modes(mode, operand, width, device):
    agree(f"xp.pad({operand}, {width}, {mode!r})", NAMES, rtol=1e-13)


@pytest.mark.parametrize("mode", ["reflect", "symmetric"])
@pytest.mark.parametrize("operand", ["v", "f", "x", "c", "u", "one", "v[:2]"])
@pytest.mark.parametrize("width", ["1", "3", "(0, 9)", "(23, 6)"])
def test_odd_mirrors(mode, operand, width, device):
    agree(f"xp.pad({operand}, {width}, {mode!r}, reflect_type='odd')", NAMES)


MORE = """
xp.pad(v, 2, constant_values=9)
xp.pad(v, 2, constant_values=(9, 8))
xp.pad(f, ((1, 1), (2, 0)), constant_values=((1, 2), (3, 4)))
xp.pad(f, 1, 'constant', constant_values=2.5)
xp.pad(f, 1, constant_values=[2.5])
xp.pad(f, 1, constant_values=((1.5, 2),))
xp.pad(x, 2, constant_values=((1,), (2,), (3,)))
xp.pad(x, ((0, 0), (1, 0), (2, 2)), constant_values=(5, 6))
xp.pad(f, 1, constant_values=np.float64(2.5))
xp.pad(f, 1, constant_values=np.asarray(np.nan))
xp.pad(f, 1, constant_values=xp.asarray([[1.5, 2]]))
xp.pad(f, 1, constant_values=True)
xp.pad(f, 1, constant_values=((1, 2, 3),))
xp.pad(v, 1, constant_values=2.9)
xp.pad(u, 1, constant_values=7)
xp.pad(v, 1, constant_values=xp.asarray([3, 4]))
xp.pad(v, 4, 'linear_ramp', end_values=(20, -3))
xp.pad(f, 3, 'linear_ramp', end_values=((1, 2), (3, 4)))
xp.pad(c, 2, 'linear_ramp', end_values=1j)
xp.pad(v, 2, 'maximum', stat_length=2)
xp.pad(v, 2, 'minimum', stat_length=(2, 1))
xp.pad(f, 2, 'mean', stat_length=((1, 2), (3, 9)))
xp.pad(x, 1, 'mean')
xp.pad(v, 2, 'maximum', stat_length=0)
xp.pad(v, 2, 'mean', stat_length=-1)
xp.pad(v, 2, stat_length=3)
xp.pad(v, 2, 'edge', constant_values=3)
xp.pad(v, 2, 'reflect', reflect_type='odd', stat_length=2)
xp.pad(v, 2, 'unknown')
xp.pad(v, -1)
xp.pad(v, 1.5)
xp.pad(v, (1, 2, 3))
xp.pad(f, ((1, 2), (3, 4), (5, 6)))
xp.pad(f, {0: 1})
xp.pad(f, {-1: (1, 2)}, 'edge')
xp.pad(x, {0: (1, 0), 2: 2}, 'wrap')
xp.pad(v, xp.asarray([1, 2]))
xp.pad(e, ((0, 0), (1, 1)), 'edge')
xp.pad(e, ((1, 0), (1, 1)))
xp.pad(e, ((1, 0), (1, 1)), 'empty').shape
xp.pad(f, 2, 'empty')[2:-2, 2:-2]
xp.pad(f, 1, 'empty').dtype
xp.pad(v, (2, 1), ramp)
xp.pad(f, ((2, 1), (0, 3)), ramp, fill=8)
xp.pad(xp.zeros(0), 1)
xp.pad(xp.zeros(0), 1, 'reflect')
""".split("\n")[1:-1]


@pytest.mark.parametrize("expression", MORE)
def test_keywords(expression, device):
    agree(expression, NAMES, rtol=1e-13)


@pytest.mark.parametrize("layout", layouts.LAYOUTS)
@pytest.mark.parametrize("dtype", ["?", "i1", "u8", "f2", "f4", "c16"])
def test_layouts_and_types(layout, dtype, device, rng):
    x = rng.uniform(0, 9, (9, 12)).astype(dtype)
    for mode, width in itertools.product(
        ["constant", "edge", "reflect", "wrap", "maximum"], [(3, 1), ((0, 20), (5, 0))]
    ):
        assert np.array_equal(cuarray.pad(layout(x), width, mode).numpy(), np.pad(x, width, mode)), mode


def test_the_argument_stays(device):
    x = cuarray.arange(5)
    for mode in MODES:
        cuarray.pad(x, 0, mode)[...] = 7
        assert np.array_equal(x.numpy(), np.arange(5))


def test_bfloat16(device):
    x = cuarray.asarray([1.0, 2.0]).astype(cuarray.bfloat16)
    assert cuarray.pad(x, 1, "edge").tolist() == [1, 1, 2, 2] and cuarray.pad(x, 1).dtype == x.dtype


def test_pads_of_values_are_arrays(device):
    """In NumPy as well: y = pad(x, 0); y -= 1 changes y itself and keeps its type."""
    for mode in ("constant", "edge", "mean"):
        y = cuarray.pad(cuarray.asarray([3.0], dtype="f4", device=device)[0], 0, mode)
        z = y
        y -= np.float64(1)
        assert z is y and y.dtype == "f4" and y.shape == () and y.item() == 2
