"""ufunc.reduceat, ufunc.at and ufunc.outer: NumPy's values, types, shapes and errors."""

import layouts
import numpy as np
import pytest
from same import agree

import cuarray

NAMES = {
    "x": lambda xp: xp.arange(24).reshape(2, 3, 4) - 7,
    "v": lambda xp: xp.asarray([3, 1, 4, 1, 5, 9, 2, 6]),
    "f": lambda xp: xp.asarray([1.5, -2.0, 0.25, 4.0, 0.5, -8.5]),
    "u": lambda xp: xp.asarray([200, 100, 255, 1], "u1"),
    "b": lambda xp: xp.asarray([True, False, True, True]),
    "i": lambda xp: xp.asarray([0, 4, 2, 5]),
    "s": lambda xp: xp.asarray(-2.5),
    "e": lambda xp: xp.zeros((0, 3)),
}

SEGMENTS = """
xp.add.reduceat(v, [0, 4, 1, 5])
xp.add.reduceat(v, [0, 4, 1, 5])[::2]
xp.add.reduceat(v, [0])
xp.add.reduceat(v, (0, 4))
xp.add.reduceat(v, [True, 4])
xp.add.reduceat(v, [0, 1 << 70])
xp.add.reduceat(v, [None])
xp.add.reduceat(v, 'ab')
xp.add.reduceat(v, indices=[0, 4], axis=None)
xp.add.reduceat(x, [0], axis=None)
xp.add.reduceat(array=v, indices=[0, 4])
xp.add.reduceat(v)
xp.add.reduceat(v, [0], 0, None, None, 1)
xp.add.reduceat(v, [0], keepdims=True)
xp.add.reduceat(v, [7, 0, 7])
xp.add.reduceat(v, [3, 3, 3])
xp.add.reduceat(v, [0, 2, 4, 6])
xp.add.reduceat(v, i)
xp.add.reduceat(v, [])
xp.add.reduceat(v, [0, 8])
xp.add.reduceat(v, [-1])
xp.add.reduceat(v, [0.0])
xp.add.reduceat(v, [[0, 1]])
xp.add.reduceat(v, 0)
xp.add.reduceat(s, [0])
xp.add.reduceat(e, [0])
xp.add.reduceat(e, [0], axis=1)
xp.add.reduceat(x, [0, 2], axis=1)
xp.add.reduceat(x, [0, 2], 2)
xp.add.reduceat(x, [1, 0, 1])
xp.add.reduceat(x, [0, 2], axis=-1, dtype='f4')
xp.add.reduceat(x, [0], axis=3)
xp.add.reduceat(x, [0], axis=(0, 1))
xp.add.reduceat(x, [0, 1], axis=(1,))
xp.add.reduceat(u, [0, 2])
xp.add.reduceat(u, [0, 2], dtype='u1')
xp.add.reduceat(u, [0, 2], out=xp.zeros(2, dtype='u1'))
xp.add.reduceat(u, [0, 2], out=xp.zeros(2))
xp.add.reduceat(u, [0, 2], out=xp.zeros(3))
xp.add.reduceat(u, [0, 2], 0, None, xp.zeros(2, dtype=int))
xp.add.reduceat(b, [0, 2])
xp.subtract.reduceat(v, [0, 4, 1, 5])
xp.divide.reduceat(v, [0, 3])
xp.multiply.reduceat(f, [0, 2, 3])
xp.maximum.reduceat(f, [0, 2, 5])
xp.fmin.reduceat(f, [0, 2, 5])
xp.logical_and.reduceat(v, [0, 3])
xp.logical_xor.reduceat(b, [0, 1])
xp.bitwise_or.reduceat(v, [0, 3])
xp.power.reduceat(xp.asarray([2, -1, 3]), [0, 1])
xp.power.reduceat(xp.asarray([2, 3, -1]), [0])
xp.less.reduceat(v, [0, 3])
xp.sin.reduceat(v, [0])
xp.divmod.reduceat(v, [0])
xp.add.outer([1, 2], [10, 20, 30])
xp.add.outer(1, [10, 20, 30])
xp.multiply.outer(v[:2].reshape(2, 1), f[:2])
xp.divmod.outer([7, 8], [2, 3])
xp.less.outer(v[:3], f[:2])
xp.subtract.outer(f[:2], f[:3], out=xp.zeros((2, 3)))
xp.add.outer(v[:2], v[:2], dtype='f4')
xp.sin.outer(v, v)
xp.add.reduce(x, axis=(0, 2), keepdims=True, initial=5)
xp.subtract.reduce(x, axis=1)
xp.subtract.reduce(x, axis=(0, 1))
xp.divide.reduce(f)
xp.bitwise_xor.reduce(x, axis=(0, 1))
xp.hypot.reduce(f, where=f > 0)
xp.hypot.reduce(f, axis=None)
xp.hypot.reduce(f, axis=(0, 1), keepdims=True)
xp.hypot.reduce(f, axis=None, where=f > 0, initial=2.0)
xp.logaddexp.reduce(xp.ones((2, 3, 4)), axis=(2, 0))
xp.logaddexp.reduce(xp.ones((2, 3, 4)), axis=(0, 1), out=xp.empty(4))
xp.hypot.reduce(xp.ones((0, 3)), axis=None)
xp.add.reduceat(v, [0, 4], axis=None)
xp.add.reduceat(f, [0], axis=None)
xp.maximum.reduce(f, initial=7, where=f > 0)
""".strip().splitlines()


@pytest.mark.parametrize("expression", SEGMENTS)
def test_values_and_errors(expression, device):
    agree(expression, NAMES, rtol=1e-15)


def test_many_segments(device, rng):
    x = rng.integers(0, 100, (3000, 3))
    for count in (1, 2, 50, 1500):
        begins = np.sort(rng.choice(3000, count, replace=False))
        for name in ("add", "maximum", "subtract"):
            want = getattr(np, name).reduceat(x, begins)
            np.testing.assert_array_equal(getattr(cuarray, name).reduceat(cuarray.asarray(x), begins).numpy(), want)
        unsorted = rng.permutation(begins)
        want = np.add.reduceat(x.T, unsorted, axis=1)
        np.testing.assert_array_equal(cuarray.add.reduceat(cuarray.asarray(x.T), unsorted, axis=1).numpy(), want)


@pytest.mark.parametrize("dtype", ["f2", "f4", "f8", "i4", "u8", "c8"])
def test_a_segment_is_what_reduce_gives(dtype, device, rng):
    """Bit for bit: the order depends only on the segment's length. The last segments end at the end of memory."""
    x = (rng.standard_normal(5000) * 100).astype(dtype)
    there = cuarray.asarray(x)
    short = np.cumsum(np.arange(20))
    begins = [*short, 217, 400, 4100, *(5000 - short[5:1:-1])]
    got = cuarray.add.reduceat(there, begins), cuarray.maximum.reduceat(there, begins)
    for k, (begin, end) in enumerate(zip(begins, [*begins[1:], 5000], strict=True)):
        part = there[begin:end]
        assert got[0][k].item() == part.sum(dtype=dtype).item()
        assert got[1][k].item() == part.max().item()


AT = """
xp.add.at(a, [0, 2, 2, 5], 1)
xp.power.at(a, [], -1)
xp.add.at(a, [0, 2, 2, 5], [1, 10, 100, 1000])
xp.add.at(a, i, 1.5)
xp.add.at(a, [], 1)
xp.add.at(a, slice(1, 4), 2)
xp.add.at(a, ..., 2)
xp.add.at(a, 3, 2)
xp.add.at(a, [-1, 7, -8], 1)
xp.add.at(a, [8], 1)
xp.add.at(a, a > 3, 1)
xp.add.at(a, [[0, 1], [1, 1]], [[1], [2]])
xp.add.at(a, [0, 1], [1, 2, 3])
xp.add.at(a, [0, 1])
xp.add.at(f, [0, 0, 1], [0.5, 0.25, 2])
xp.add.at(f, [0, 0, 1], 1)
xp.subtract.at(f, [0, 0, 1], [0.5, 0.25, 2])
xp.multiply.at(f, [0, 0, 1], -2.0)
xp.divide.at(f, [0, 0, 1], 2)
xp.divide.at(a, [0], 2)
xp.maximum.at(a, [1, 1, 3], [7, 2, 0])
xp.negative.at(a, [0, 1, 1, 2, 2, 2])
xp.negative.at(a, [0, 1, 1], 3)
xp.sqrt.at(f, [4])
xp.power.at(a, [0, 1], [2, 3])
xp.power.at(a, [0, 1], [2, -3])
xp.logical_or.at(c, [0, 1], True)
xp.bitwise_xor.at(a, [2, 2, 2], [1, 2, 4])
xp.less.at(c, [0, 1], 0.5)
xp.add.at(x, (0, [1, 1, 2]), [[1], [2], [3]])
xp.add.at(x, ([0, 1, 0], [2, 2, 2], [3, 3, 3]), 5)
xp.add.at(x, (slice(None), 1), 100)
xp.divmod.at(a, [0], 2)
xp.add.at(u, [0, 0, 1], 100)
xp.add.at(u, [0], 1.5)
""".strip().splitlines()


@pytest.mark.parametrize("expression", AT)
def test_at(expression, device):
    names = {
        **NAMES,
        "a": lambda xp: xp.asarray([3, 1, 4, 1, 5, 9, 2, 6]),
        "c": lambda xp: xp.asarray([True, False, True, False]),
    }
    word = expression.split("(")[1].split(",")[0]
    results = []

    def changed(xp):
        made = {name: make(xp) for name, make in names.items()}
        assert eval(expression, {"xp": xp, "slice": slice, **made}) is None
        return made[word]

    for xp in (np, cuarray):
        try:
            value = changed(xp)
            cuarray.synchronize()
            results.append(value)
        except Exception as error:
            results.append(error)
    want, got = results
    if isinstance(want, Exception):
        assert isinstance(got, Exception), f"{expression} gives {got!r} instead of {want!r}"
        assert isinstance(got, type(want)), f"{expression} raises {got!r} instead of {want!r}"
        return
    assert not isinstance(got, Exception), f"{expression} raises {got!r}"
    assert got.dtype == want.dtype
    np.testing.assert_array_equal(got.numpy(), want)


@pytest.mark.parametrize("layout", layouts.LAYOUTS)
def test_at_in_layouts(layout, device, rng):
    x = rng.integers(0, 9, (6, 10))
    there = layout(x)
    rows, columns = rng.integers(0, 6, 200), rng.integers(0, 10, 200)
    add = rng.integers(0, 9, 200)
    want = x.copy()
    np.add.at(want, (rows, columns), add)
    np.add.at(there, (cuarray.asarray(rows), cuarray.asarray(columns)), cuarray.asarray(add))
    np.testing.assert_array_equal(there.numpy(), want)


def test_many_repetitions(device, rng):
    """Few targets, many elements for each."""
    for dtype in ("i4", "f8", "f4"):
        places, values = rng.integers(0, 7, 3000), rng.integers(0, 50, 3000).astype(dtype)
        for name in ("add", "subtract", "maximum"):
            want = np.zeros(9, dtype)
            getattr(np, name).at(want, places, values)
            got = cuarray.zeros(9, dtype=dtype)
            getattr(cuarray, name).at(got, cuarray.asarray(places), cuarray.asarray(values))
            np.testing.assert_array_equal(got.numpy(), want)


def test_read_only_and_foreign_targets(device):
    with pytest.raises(ValueError, match="read-only"):
        cuarray.add.at(cuarray.broadcast_to(cuarray.zeros(1), (3,)), [0], 1)
    with pytest.raises(TypeError, match=r"add\.at: expected an array"):
        cuarray.add.at([1, 2], [0], 1)


DTYPES = ["?", "i1", "u2", "i4", "i8", "u8", "f2", "f4", "f8", "c8", "c16"]


def whole_numbers(dtype, rng, shape):
    """Numbers whose sums and differences are exact in any order."""
    return rng.integers(0, 2 if dtype == "?" else 5, shape).astype(dtype)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize(
    "name", ["add", "multiply", "maximum", "minimum", "logical_or", "logical_and", "subtract", "bitwise_or"]
)
def test_segments_of_every_type(name, dtype, device, rng):
    """Along rows and down columns, with lengths around those of lanes and leaves."""
    x = whole_numbers(dtype, rng, (2, 700, 18))
    begins = np.array([0, 1, 5, 20, 20, 36, 53, 300, 44, 650, 699, 699])
    there = cuarray.asarray(x)
    for axis in (1, 2):
        at = begins % x.shape[axis]
        try:
            with np.errstate(all="ignore"):
                # Which loop NumPy takes for the logical ones, if any, depends on what was called before.
                want = getattr(np, name).reduceat(x.astype(bool) if "logical" in name else x, at, axis)
        except TypeError:
            with pytest.raises(TypeError):
                getattr(cuarray, name).reduceat(there, at, axis)
            return
        got = getattr(cuarray, name).reduceat(there, at, axis)
        assert got.dtype == want.dtype
        np.testing.assert_array_equal(got.numpy(), want)


@pytest.mark.parametrize("layout", layouts.LAYOUTS)
@pytest.mark.parametrize("dtype", ["i2", "f4", "c16"])
def test_segments_in_layouts(layout, dtype, device, rng):
    x = rng.integers(-9, 9, (6, 40)).astype(dtype)
    there = layout(x)
    for axis, begins in ((0, [0, 2, 5, 1]), (1, [3, 20, 21, 39, 0])):
        for name in ("add", "subtract"):
            want = getattr(np, name).reduceat(x, begins, axis)
            np.testing.assert_array_equal(getattr(cuarray, name).reduceat(there, begins, axis).numpy(), want)


def test_segments_fold_as_reduce_does_in_any_direction(device, rng):
    """Bit for bit, over several chunks, along rows and down columns."""
    x = rng.standard_normal((40000, 17)).astype("f4")
    for there, axis in ((cuarray.asarray(x), 0), (cuarray.asarray(x.T.copy()), 1), (cuarray.asarray(x.T.copy()).T, 0)):
        begins = [0, 16385, 39000, 39999, 5]
        got = cuarray.add.reduceat(there, begins, axis)
        for k, (begin, end) in enumerate(((0, 16385), (16385, 39000), (39000, 39999), (39999, 40000), (5, 40000))):
            part = there[begin:end] if axis == 0 else there[:, begin:end]
            result = got[k, ...] if axis == 0 else got[:, k]
            assert result.numpy().tobytes() == part.sum(axis).numpy().tobytes()


def test_very_long_segments(device, rng):
    x = rng.integers(0, 100, 600_000).astype("i4")
    begins = [599_990, 0, 300_000, 3]
    got = cuarray.add.reduceat(cuarray.asarray(x), begins)
    np.testing.assert_array_equal(got.numpy(), np.add.reduceat(x, begins))


def test_segments_of_many_axes(device, rng):
    shape = (2,) * 10 + (9,)
    x = rng.integers(0, 9, shape)
    order = rng.permutation(11)
    there = cuarray.asarray(x).transpose(order.tolist())[::-1, :, ::-1]
    axis = int(np.argmax(there.shape))
    want = np.maximum.reduceat(x.transpose(order)[::-1, :, ::-1], [0, 4, 8], axis)
    np.testing.assert_array_equal(cuarray.maximum.reduceat(there, [0, 4, 8], axis).numpy(), want)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize(
    "name", ["add", "multiply", "maximum", "logical_or", "subtract", "divide", "negative", "bitwise_xor"]
)
def test_updates_of_every_type(name, dtype, device, rng):
    """Targets that occur once, a few times, and more often than a warp has threads."""
    x = whole_numbers(dtype, rng, 50)
    places = np.concatenate([rng.integers(-50, 50, 60), np.full(100, 7), rng.integers(20, 23, 70)])
    rng.shuffle(places)
    values = whole_numbers(dtype, rng, places.size) + np.ones(1, dtype)
    if name == "divide":
        values = (1 + rng.integers(0, 2, places.size)).astype(dtype)
    given = (values.astype(dtype),) if getattr(np, name).nin == 2 else ()
    there, want = cuarray.asarray(x.copy()), x.copy()
    try:
        with np.errstate(all="ignore"):
            getattr(np, name).at(want, places, *given)
    except TypeError:
        with pytest.raises(TypeError):
            getattr(cuarray, name).at(there, places, *given)
        return
    getattr(cuarray, name).at(there, cuarray.asarray(places), *map(cuarray.asarray, given))
    # NumPy makes smaller steps of float16 in float32, one at a time, as here.
    np.testing.assert_array_equal(there.numpy(), want)


def test_updates_are_taken_one_after_the_other(device, rng):
    """Bit for bit as NumPy's, although the steps are inexact."""
    for dtype in ("f4", "f8", "c8"):
        places, values = rng.integers(0, 5, 1000), rng.uniform(0.5, 1.9, 1000).astype(dtype)
        for name in ("add", "divide") if dtype != "c8" else ("add",):
            want = np.ones(6, dtype)
            getattr(np, name).at(want, places, values)
            got = cuarray.ones(6, dtype=dtype)
            getattr(cuarray, name).at(got, cuarray.asarray(places), cuarray.asarray(values))
            assert got.numpy().tobytes() == want.tobytes()


def test_updates_cast_each_step(device):
    want, got = np.zeros(3, "f4"), cuarray.zeros(3, dtype="f4")
    places, values = np.array([1, 1, 2, 1]), np.array([2.0**24, 1.0, 0.1, 1.0])
    np.add.at(want, places, values)
    cuarray.add.at(got, cuarray.asarray(places), cuarray.asarray(values))
    np.testing.assert_array_equal(got.numpy(), want)
    assert want[1] == 2.0**24


def test_updates_of_many_axes_and_runs(device, rng):
    x = rng.integers(0, 9, (7, 3, 2, 2, 2, 2, 2, 2, 2, 2, 5))
    rows, middle = rng.integers(0, 7, 4), rng.integers(-2, 2, 4)
    there, want = cuarray.asarray(x), x.copy()
    np.add.at(want, (rows, slice(None), middle), 3)
    cuarray.add.at(there, (cuarray.asarray(rows), slice(None), cuarray.asarray(middle)), 3)
    np.testing.assert_array_equal(there.numpy(), want)
    wide, want = cuarray.zeros((5, 3000)), np.zeros((5, 3000))
    rows, values = np.array([1, 3, 1]), rng.integers(0, 9, (3, 3000)).astype(float)
    np.add.at(want[:, ::-2], rows, values[:, ::2])
    cuarray.add.at(wide[:, ::-2], cuarray.asarray(rows), cuarray.asarray(values)[:, ::2])
    np.testing.assert_array_equal(wide.numpy(), want)


def test_updates_by_values_of_the_array_itself(device):
    x, there = np.arange(6.0), cuarray.arange(6.0)
    np.add.at(x, [0, 0, 1, 5, 5, 5], x[::-1].copy())
    cuarray.add.at(there, cuarray.asarray([0, 0, 1, 5, 5, 5]), there[::-1])
    np.testing.assert_array_equal(there.numpy(), x)
    i, own = np.array([1, 0, 1, 3]), cuarray.asarray([1, 0, 1, 3])
    np.add.at(i, i.copy(), 2)
    cuarray.add.at(own, own, 2)
    np.testing.assert_array_equal(own.numpy(), i)


def test_an_update_outside_changes_nothing(device):
    x = cuarray.zeros(4)
    with pytest.raises(IndexError):
        cuarray.add.at(x, cuarray.asarray([0, 9]), 1.0)
        cuarray.synchronize()
    if device.startswith("cpu"):
        assert x.numpy().tolist() == [0, 0, 0, 0]
