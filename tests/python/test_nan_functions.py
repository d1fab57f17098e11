"""Reductions that ignore NaN: NumPy's values, types, shapes and errors, for every type and layout."""

import layouts
import numpy as np
import pytest
from same import agree

import cuarray

NAMES = {
    "f": lambda xp: xp.asarray(
        [[3.0, np.nan, 1.5, -2.0], [np.nan, np.nan, np.nan, np.nan], [7.0, np.inf, np.nan, 0.25]]
    ),
    "g": lambda xp: xp.asarray([[3.0, np.nan, 1.5], [4.0, 2.0, np.nan]], dtype="f4"),
    "c": lambda xp: xp.asarray([[1 + 2j, np.nan, 3 - 1j], [np.nan + 1j, 2, 5j]]),
    "i": lambda xp: xp.asarray([[5, 2, 9], [1, 8, 3]]),
    "b": lambda xp: xp.asarray([True, False, True]),
    "e": lambda xp: xp.zeros((0, 3)),
    "s": lambda xp: xp.asarray(np.nan),
    "w": lambda xp: xp.asarray([[True, True, False], [False, True, True]]),
}

SUMS = ["nansum", "nanprod", "nanmean", "nanvar", "nanstd"]
EXTREMES = ["nanmin", "nanmax"]
PLACES = ["nanargmin", "nanargmax"]

CALLS = """
xp.{0}({1})
xp.{0}({1}, axis=0)
xp.{0}({1}, axis=-1)
xp.{0}({1}, axis=-1, keepdims=True)
xp.{0}({1}, axis=5)
""".split("\n")[1:-1]


@pytest.mark.parametrize("name", SUMS + EXTREMES + PLACES)
@pytest.mark.parametrize("operand", [n for n in NAMES if n != "w"] + ["[1.0, np.nan]", "g.T", "f[::-1, ::2]"])
def test_calls(name, operand, device):
    for call in CALLS:
        expression = call.format(name, operand)
        # NumPy's variance of float32 is about a rounded mean; of complex inf both give NaN in different parts.
        agree(expression, NAMES, rtol=1e-6 if operand.startswith("g") else 1e-14)


MORE = """
xp.nansum(f, (0, 1))
xp.nansum(g, dtype='f8')
xp.nansum(i, dtype='f4')
xp.nansum(g, initial=3)
xp.nansum(g, where=w)
xp.nansum(g, 0, where=[[True], [False]], keepdims=True)
xp.nansum(g, 0, out=xp.zeros(3, 'f4'))
xp.nansum(g, 0, out=xp.zeros(2, 'f4'))
xp.nansum(i, where=w)
xp.nanprod(g, where=w, axis=1)
xp.nanprod(g, initial=2.0)
xp.nanmean(g, dtype='f8')
xp.nanmean(g, where=w, axis=0)
xp.nanmean(i, where=w)
xp.nanmean(g, out=xp.zeros((), 'f4'))
xp.nanmean(g, dtype='i8')
xp.nanvar(g, ddof=1)
xp.nanvar(f, 0, ddof=2)
xp.nanvar(f, 1, ddof=2, keepdims=True)
xp.nanstd(g, 1, ddof=1)
xp.nanstd(g, 1, correction=1)
xp.nanstd(g, 1, correction=1, ddof=1)
xp.nanvar(g, where=w)
xp.nanvar(i, where=w)
xp.nanvar(g, 0, dtype='f8')
xp.nanvar(g, 0, mean=xp.nanmean(g, 0, keepdims=True))
xp.nanvar(f, 1, out=xp.zeros(3))
xp.nanstd(f, 1, ddof=3, out=xp.zeros(3))
xp.nanmin(g, initial=0)
xp.nanmin(g, where=w)
xp.nanmin(g, where=w, initial=100)
xp.nanmax(g, 0, where=w, initial=-100)
xp.nanmax(i, where=w, initial=-100)
xp.nanmin(f, 0, out=xp.zeros(4))
xp.nanmax(f, (0, 1))
xp.nanargmin(f, 1)
xp.nanargmin(g, 1)
xp.nanargmax(g, 0)
xp.nanargmax(g, axis=1, keepdims=True)
xp.nanargmin(i, 0, out=xp.zeros(3, 'i8'))
xp.nanargmin(xp.asarray([np.nan, np.inf]))
xp.nanargmax(g, axis=(0, 1))
xp.nanmin([])
xp.nansum(g, initial=None)
xp.nanmin(xp.asarray([3, 5]), out=xp.zeros(()), initial=np.nan)
xp.nanmax(g, where=w, initial=None)
xp.nanmax(b, initial=np.nan, where=xp.asarray([False, True, True]))
xp.nanmin(i, initial=5.5, where=w)
xp.nanmin(b, initial=np.nan)
xp.nan_to_num(xp.asarray(np.nan), copy=False)
""".split("\n")[1:-1]


@pytest.mark.parametrize("expression", MORE)
def test_keywords(expression, device):
    agree(expression, NAMES, rtol=1e-6)


@pytest.mark.parametrize("name", SUMS + EXTREMES + PLACES)
@pytest.mark.parametrize("layout", layouts.LAYOUTS)
@pytest.mark.parametrize("dtype", ["i2", "u8", "f2", "f4", "f8", "c8", "c16"])
def test_layouts_and_types(name, layout, dtype, device, rng):
    x = rng.uniform(1, 9, (35, 36)).astype(dtype)
    if x.dtype.kind in "fc":
        x[rng.random(x.shape) < 0.3] = np.nan
    if name == "nanprod":
        x = x[:, :6].copy() / 4 if x.dtype.kind in "fc" else x[:, :6].copy()
    for axis in (None, 0, 1):
        want = getattr(np, name)(x.astype("c16" if dtype[0] == "c" else "f8" if dtype[0] == "f" else dtype), axis=axis)
        got = getattr(cuarray, name)(layout(x), axis=axis).numpy()
        if name in PLACES or name in EXTREMES or dtype[0] in "iu":
            np.testing.assert_allclose(got, want, rtol=1e-12 if name in ("nanmean", "nanvar", "nanstd") else 0)
        else:
            limit = {"f2": 4e-3, "f4": 1e-5, "c8": 1e-5}.get(dtype, 1e-12)
            if name == "nanprod" and dtype == "f2":
                continue  # 1.0e5 overflows
            np.testing.assert_allclose(got, want, rtol=limit)


def test_nan_of_every_position_is_seen(device):
    x = cuarray.ones(40000)
    for place in (0, 255, 256, 16383, 16384, 39999):
        y = x.copy()
        y[place] = np.nan
        assert int(cuarray.nansum(y)) == 39999 and float(cuarray.nanmax(y)) == 1


@pytest.mark.parametrize("name", ["nansum", "nanprod", "nanmean"])
def test_no_mask_is_kept_in_memory(name, device):
    x = cuarray.ones((1000, 1000))
    getattr(cuarray, name)(x)
    cuarray.memory.reset_peak(device)
    before = cuarray.memory.stats(device)["peak"]
    getattr(cuarray, name)(x)
    assert cuarray.memory.stats(device)["peak"] - before < x.size // 8


def test_bfloat16(device):
    x = cuarray.asarray([1.0, np.nan, 3.0]).astype(cuarray.bfloat16)
    assert float(cuarray.nansum(x)) == 4 and float(cuarray.nanmin(x)) == 1 and int(cuarray.nanargmax(x)) == 2
    assert cuarray.nanmean(x).dtype == x.dtype and float(cuarray.nanvar(x)) == 1
