"""Insertion, deletion, bit packing, block matrices; products by broadcasting; views with arbitrary strides."""

import layouts
import numpy as np
import pytest
from same import agree

import cuarray

NAMES = {
    "v": lambda xp: xp.arange(5),
    "f": lambda xp: xp.asarray(np.arange(12.0).reshape(3, 4)),
    "x": lambda xp: xp.asarray(np.arange(24).reshape(2, 3, 4)),
    "z": lambda xp: xp.asarray([[0, 0, 0, 0], [0, 1, 0, 0], [0, 0, 2, 0], [0, 0, 0, 0]]),
    "u": lambda xp: xp.asarray([[2, 7, 23], [255, 0, 1]], dtype="u1"),
    "m": lambda xp: xp.asarray([True, False, True, False, False]),
    "bits": lambda xp: xp.asarray(np.arange(60).reshape(3, 20) % 3 % 2),
    "c": lambda xp: xp.asarray([1 + 2j, -1j, 2]),
    "e": lambda xp: xp.zeros((0, 3)),
    "s": lambda xp: xp.asarray(7),
    "lib": lambda xp: __import__(xp.__name__ + ".lib.stride_tricks").lib.stride_tricks,
}

EDITS = """
xp.append(v.astype('i2'), 3)
xp.append(v.astype('f4')[:0], 1.5)
xp.append(v, 9)
xp.append(v, f)
xp.append(f, f[:1], 0)
xp.append(f, v, 0)
xp.append(f, f, 2)
xp.append(e, xp.ones((1, 3)), axis=0)
xp.delete(v, 2)
xp.delete(v, -1)
xp.delete(v, 5)
xp.delete(v, [1, 3])
xp.delete(v, [1, 1, -1])
xp.delete(v, [7])
xp.delete(v, [0, 7])
xp.delete(v, [])
xp.delete(v, [2])
xp.delete(v, m)
xp.delete(v, m[:3])
xp.delete(v, [True, False, True, False, False])
xp.delete(v, slice(1, 3))
xp.delete(v, slice(None, None, 2))
xp.delete(v, slice(3, None, -1))
xp.delete(v, slice(9, 12))
xp.delete(v, 1.5)
xp.delete(v, [1.5, 2.0])
xp.delete(f, 1)
xp.delete(f, 1, 0)
xp.delete(f, [0, 2], axis=1)
xp.delete(f.T, xp.asarray([0, 2]), axis=0)
xp.delete(x, slice(0, 2), axis=-1)
xp.delete(x, 0, axis=3)
xp.delete(s, 0)
xp.delete(s, [])
xp.delete([1, 2, 3], 1)
xp.insert(v, 2, 9)
xp.insert(v, -1, 9)
xp.insert(v, 5, 9)
xp.insert(v, 6, 9)
xp.insert(v, -6, 9)
xp.insert(v, 1, [7, 8, 9])
xp.insert(v, [1], [7, 8, 9])
xp.insert(v, [1, 3], 9)
xp.insert(v, [3, 1, 1], [7, 8, 9])
xp.insert(v, [1, 3], [7, 8, 9])
xp.insert(v, [0, 9], [7, 8])
xp.insert(v, [], 3)
xp.insert(v, m, 100)
xp.insert(v, slice(1, 4), [7, 8, 9])
xp.insert(v, slice(None, None, 2), 5)
xp.insert(v, 1, 2.9)
xp.insert(v, 1.5, 2)
xp.insert(v, [[1, 2]], 2)
xp.insert(f, 1, 9)
xp.insert(f, 1, 9, axis=0)
xp.insert(f, 1, [1, 2, 3], axis=1)
xp.insert(f, [1], [[1], [2], [3]], axis=1)
xp.insert(f, [1, 3], [[1], [2], [3]], axis=1)
xp.insert(f, [1, 2], f[:2], axis=0)
xp.insert(f.T, 2, v[:3], axis=0)
xp.insert(x, 1, x[:, :, 0], axis=2)
xp.insert(x, xp.asarray([0, 2]), -1, axis=1)
xp.insert(f, 1, v, axis=0)
xp.insert(f, 1, 1, axis=4)
xp.insert(s, 0, 5)
xp.insert(e, 0, 1, axis=0)
xp.resize(v, 3)
xp.resize(v, 12)
xp.resize(v, (3, 4))
xp.resize(f.T, (2, 7))
xp.resize(f, (0, 3))
xp.resize(f, ())
xp.resize(e, (2, 2))
xp.resize(s, 3)
xp.resize(v, -1)
xp.resize(v, (2, -3))
xp.trim_zeros(z)
xp.trim_zeros(z, 'f')
xp.trim_zeros(z, 'B')
xp.trim_zeros(z, axis=0)
xp.trim_zeros(z, 'b', axis=-1)
xp.trim_zeros(z, axis=(0, 1))
xp.trim_zeros(z, axis=2)
xp.trim_zeros(z, 'x')
xp.trim_zeros(z[1])
xp.trim_zeros(z[0])
xp.trim_zeros([0, 0, 3, 0])
xp.trim_zeros((0, 3, 0), 'f')
xp.trim_zeros(e)
xp.trim_zeros(xp.asarray([0.0, np.nan, -0.0]))
""".split("\n")[1:-1]

BITS = """
xp.packbits(bits)
xp.packbits(bits, 0)
xp.packbits(bits, axis=1)
xp.packbits(bits, axis=-1, bitorder='little')
xp.packbits(bits.T, axis=0)
xp.packbits(bits[:, ::-2], axis=1)
xp.packbits(bits[:, :16], 1)
xp.packbits(m)
xp.packbits(u * 3)
xp.packbits(f)
xp.packbits(bits, 2)
xp.packbits(bits, 0, 'middle')
xp.packbits(xp.zeros((0, 3), 'u1'), axis=1)
xp.packbits(xp.zeros((2, 0), 'u1'), axis=1)
xp.packbits(xp.zeros(0, bool))
xp.packbits([])
xp.packbits(xp.asarray(True))
xp.unpackbits(u)
xp.unpackbits(u, 0)
xp.unpackbits(u, axis=1, bitorder='little')
xp.unpackbits(u, axis=1, count=10)
xp.unpackbits(u, axis=1, count=-3)
xp.unpackbits(u, axis=1, count=40)
xp.unpackbits(u, axis=0, count=0)
xp.unpackbits(u, count=-50)
xp.unpackbits(u.T[:, ::-1], axis=0)
xp.unpackbits(v)
xp.unpackbits(u, 2)
xp.unpackbits(u, bitorder='no')
xp.unpackbits(xp.asarray(5, dtype='u1'))
xp.unpackbits(xp.zeros((0, 3), 'u1'), axis=0)
""".split("\n")[1:-1]

PRODUCTS = """
xp.kron(v, v)
xp.kron(f, v)
xp.kron(v, f)
xp.kron(x, f)
xp.kron(s, f)
xp.kron(s, s)
xp.kron(c, f[0])
xp.kron(e, f)
xp.kron([1, 2], [3, 4.5])
xp.cross([1, 2, 3], [4, 5, 6])
xp.cross(f[:, :3], f[:, 1:])
xp.cross(f, f[::-1], axis=0)
xp.cross(f, f[::-1].T, axisa=0, axisb=1, axisc=0)
xp.cross(c, [1, 2, 3])
xp.cross(f, [1, 2, 3])
xp.cross(s, [1, 2, 3])
xp.cross(x[:, :, :3], f[0, :3])
xp.cross(f[:, :3], f[:2, :3])
xp.cross(f, f, axis=3)
xp.vander(v)
xp.vander(v, 3)
xp.vander(f[1], 4, increasing=True)
xp.vander(c, 3)
xp.vander(m, 3)
xp.vander(v, 0)
xp.vander(v, 1)
xp.vander(f)
xp.vander(s)
xp.vander(v, -1)
xp.vander(xp.asarray([2, 3], dtype='i1'), 9)
xp.block(v)
xp.block(s)
xp.block([v, v])
xp.block([s, 2, 3])
xp.block([[f, f], [f, f]])
xp.block([[v], [v]])
xp.block([[f, [[1.5], [2.5], [3.5]]], [xp.zeros((1, 5))]])
xp.block([[[v]], [[v]]])
xp.block([x, x])
xp.block([])
xp.block([[]])
xp.block([v, [v]])
xp.block((v, v))
xp.block([[v, (v,)]])
xp.block([[v, v], [v]])
xp.block([c, v, f[0]])
""".split("\n")[1:-1]

CALLS = """
xp.apply_along_axis(lambda r: r.sum(), 0, f)
xp.apply_along_axis(lambda r: r[::-1], 1, f)
xp.apply_along_axis(lambda r, k, add=0: r[:k] + add, 1, x, 2, add=5)
xp.apply_along_axis(lambda r: xp.ones((2, 3)) * r[0], 1, x)
xp.apply_along_axis(lambda r: 1.5, -1, v)
xp.apply_along_axis(lambda r: r.sum(), 0, e)
xp.apply_along_axis(lambda r: r.sum(), 1, e)
xp.apply_along_axis(lambda r: r.sum(), 2, f)
xp.apply_along_axis(lambda r: 1 / 0, 0, f)
xp.apply_over_axes(xp.sum, x, [0, 2])
xp.apply_over_axes(xp.sum, x, -1)
xp.apply_over_axes(lambda a, i: a.max(axis=i, keepdims=True), x, (0, 1))
xp.apply_over_axes(lambda a, i: xp.ones(3), x, (0, 1))
xp.piecewise(v, [v < 2, v >= 3], [-1, 1])
xp.piecewise(v, [v < 2, v >= 3], [-1, 1, 100])
xp.piecewise(f, [f < 2, f >= 3], [lambda y: -y, lambda y: y * 2, 0.5])
xp.piecewise(f, f < 2, [lambda y, k: y + k, 0], 3)
xp.piecewise(v, [v < 2], [1, 2, 3])
xp.piecewise(v, [v < 2, v < 1], [1])
xp.piecewise(s, [s > 5], [1, 2])
xp.piecewise(s, s > 9, [1, 2])
xp.piecewise(v, [[True, False, True, False, True]], [9.7])
xp.vectorize(lambda a, b: a if a > b else b)(v, 2)
xp.vectorize(lambda a: a + 0.5)(f)
xp.vectorize(lambda a: (a, -a))(v)
xp.vectorize(lambda a: a, otypes='f')(v)
xp.vectorize(lambda a: a)(xp.zeros(0))
xp.vectorize(lambda a, b: a.sum() + b, signature='(n),()->()')(f, 1)
xp.vectorize(lambda a, k=1: a * k, excluded=['k'])(v, k=3)
xp.vectorize(otypes=['i4'])(lambda a: a + 1)(v)
""".split("\n")[1:-1]

VIEWS = """
lib.sliding_window_view(v, 3)
lib.sliding_window_view(f, (2, 3))
lib.sliding_window_view(f, 2, axis=1)
lib.sliding_window_view(x, (2, 2), axis=(0, -1))
lib.sliding_window_view(f, (2, 2), axis=(0, 0))
lib.sliding_window_view(f.T[::-1], (2, 2))
lib.sliding_window_view(v, 6)
lib.sliding_window_view(v, -1)
lib.sliding_window_view(f, 2)
lib.sliding_window_view(f, (2, 2), axis=0)
lib.sliding_window_view(f, 2, axis=2)
lib.sliding_window_view(v, 0)
lib.sliding_window_view(v, 2).flags.writeable
lib.as_strided(v, (3, 3), (8, 8))
lib.as_strided(v, (2,), (16,))
lib.as_strided(v[::-1], (2, 2))
lib.as_strided(f)
lib.as_strided(v, (3,), (0,), writeable=False).flags.writeable
lib.as_strided(v, (4,)).flags.writeable
""".split("\n")[1:-1]


@pytest.mark.parametrize("expression", EDITS + BITS + PRODUCTS)
def test_values(expression, device):
    agree(expression, NAMES)


@pytest.mark.parametrize("expression", CALLS)
def test_calls_of_python_functions(expression, device):
    agree(expression, NAMES, rtol=1e-14)


@pytest.mark.parametrize("expression", VIEWS)
def test_views(expression, device):
    agree(expression, NAMES)


def test_no_view_leaves_its_memory(device):
    x = cuarray.arange(5)
    for shape, strides in (((6,), (8,)), ((2,), (-8,)), ((2, 3), (24, 8)), ((5,), (9,))):
        with pytest.raises(ValueError, match="outside the memory"):
            cuarray.lib.stride_tricks.as_strided(x, shape, strides)
    cuarray.lib.stride_tricks.as_strided(x, (5,), (8,))[1] = 7
    assert x.tolist() == [0, 7, 2, 3, 4]


def test_numpys_functions_reach_ours(device):
    x = cuarray.arange(5)
    windows = np.lib.stride_tricks.sliding_window_view(x, 2)
    assert isinstance(windows, cuarray.ndarray) and windows.shape == (4, 2)
    for result in (np.insert(x, 0, 1), np.pad(x, 1), np.kron(x, x), np.average(x), np.packbits(x)):
        assert isinstance(result, cuarray.ndarray) and result.device == x.device


def test_functions_from_python(device):
    both = cuarray.frompyfunc(lambda a, b: (a + b, a * 0.5), 2, 2)(cuarray.arange(3), 1)
    assert [x.tolist() for x in both] == [[1, 2, 3], [0, 0.5, 1]] and both[0].device == cuarray.arange(1).device


@pytest.mark.parametrize("layout", layouts.LAYOUTS)
@pytest.mark.parametrize("dtype", ["?", "i2", "f4", "c16"])
def test_layouts_and_types(layout, dtype, device, rng):
    x = rng.uniform(0, 9, (9, 12)).astype(dtype)
    y = layout(x)
    for function, *args in (
        ("delete", [1, 4], 0), ("delete", slice(1, 7, 2), 1), ("insert", [1, 5, 5], 3, 1), ("insert", 2, x[:, 3], 1),
        ("append", x, 0), ("resize", (7, 31)), ("kron", x[:2, :3]), ("trim_zeros",),
    ):  # fmt: skip
        ours = [cuarray.asarray(arg) if isinstance(arg, np.ndarray) else arg for arg in args]
        got, want = getattr(cuarray, function)(y, *ours).numpy(), getattr(np, function)(x, *args)
        assert got.dtype == want.dtype and np.array_equal(got, want), function
    if dtype in "?i2":
        for axis in (None, 0, 1):
            assert np.array_equal(cuarray.packbits(y, axis).numpy(), np.packbits(x, axis))


@pytest.mark.parametrize("order", ["big", "little"])
@pytest.mark.parametrize("rows", [1, 3])
def test_bits_of_every_length(order, rows, device, rng):
    """Bytes other than 0 and 1 in bools are true; counts around the widths of vectors; views as copies."""
    for n in (*range(40), 63, 64, 65, 200, 1001):
        data = rng.choice(np.array([0, 0, 0, 1, 2, 4, 128, 255], "u1"), (rows, n))
        for step in (1, -1):
            bools, ours = (x.view(bool)[::step, ::step] for x in (data, cuarray.asarray(data)))
            for axis in (None, 0, 1, -1):
                got, want = cuarray.packbits(ours, axis, order), np.packbits(bools, axis, order)
                np.testing.assert_array_equal(got.numpy(), want, strict=True)
                got = cuarray.unpackbits(ours.view("u1"), axis, bitorder=order)
                want = np.unpackbits(bools.view("u1"), axis, bitorder=order)
                np.testing.assert_array_equal(got.numpy(), want, strict=True)


@pytest.mark.parametrize("extent", [1, 5, 64, 200, 5000])
@pytest.mark.parametrize("count", [1, 2, 3, 30, 70, 4000])
@pytest.mark.parametrize("axis", [0, 1, None])
def test_few_and_many_parts(extent, count, axis, device):
    """What is kept is joined where it is few parts, else selected; inserted likewise."""
    count = min(count, extent)
    rng = np.random.default_rng(extent + count)
    host = np.arange(3.0 * extent).reshape((extent, 3) if axis == 0 else (3, extent) if axis == 1 else (3 * extent,))
    x = cuarray.asarray(host, device=device)
    places = rng.integers(0, extent, count)
    mask = np.zeros(host.shape[axis or 0], bool)
    mask[places] = True
    first = slice(0, count) if axis == 0 else (slice(None), slice(0, count))
    new = -np.arange(1.0, 1 + host.size).reshape(host.shape)[first if axis is not None else slice(0, count)]
    for gone in (places, mask, slice(None, None, -2), slice(0, count)):
        np.testing.assert_array_equal(cuarray.delete(x, gone, axis).numpy(), np.delete(host, gone, axis))
    for where in (places, np.sort(places)):
        np.testing.assert_array_equal(
            cuarray.insert(x, where, cuarray.asarray(new, device=device), axis).numpy(),
            np.insert(host, where, new, axis),
        )
        np.testing.assert_array_equal(cuarray.insert(x, where, 2.5, axis).numpy(), np.insert(host, where, 2.5, axis))


def test_depth_of_nested_lists():
    def nested(depth):
        return [nested(depth - 1)] if depth > 1 else [1]

    for depth in (33, 63, 64):
        assert cuarray.block(nested(depth)).shape == (1,) * depth
    with pytest.raises(ValueError, match=r"^block: lists are nested more than 64 deep"):
        cuarray.block(nested(65))
    endless = []
    endless.append(endless)
    with pytest.raises(RecursionError, match=r"^block: a list contains itself"):
        cuarray.block(endless)
    line = [1, 2]
    assert cuarray.block([line, line]).tolist() == [[1, 2], [1, 2]]  # one list twice is not within itself
