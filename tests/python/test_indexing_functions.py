"""The functions around indices and masks: values, types, shapes and errors of NumPy."""

import contextlib
import itertools

import layouts
import numpy as np
import pytest
from same import agree, public_type

import cuarray

NAMES = {
    "x": lambda xp: xp.arange(24).reshape(2, 3, 4),
    "f": lambda xp: xp.asarray(np.linspace(-2, 3, 12).reshape(3, 4)),
    "y": lambda xp: xp.arange(24).reshape(2, 3, 4).transpose(2, 0, 1),
    "t": lambda xp: xp.arange(12).reshape(4, 3).T,
    "v": lambda xp: xp.arange(7),
    "z": lambda xp: xp.asarray([[0, 3, 0], [1, 0, 2]]),
    "i": lambda xp: xp.asarray([[2, -1], [0, 1]]),
    "m": lambda xp: xp.asarray([[True, False, True, False], [False, False, True, True], [True, True, False, False]]),
    "e": lambda xp: xp.zeros((0, 3)),
    "s": lambda xp: xp.asarray(3),
}

VALUES = """
xp.take(x, 1)
xp.take(x, i)
xp.take(x, i, axis=0, mode='wrap')
xp.take(x, i, axis=1)
xp.take(x, i, axis=-1)
xp.take(t, [0, 0, 2], 0)
xp.take(v, [])
xp.take(v, [[], []])
xp.take(v, [True, False])
xp.take(v, [7, -8, 100], mode='wrap')
xp.take(v, [7, -8, 100], mode='clip')
xp.take(v, [7])
xp.take(v, [-8])
xp.take(v, xp.asarray([1.5]))
xp.take(v, [0], axis=1)
xp.take(v, [0], mode='no')
xp.take(e, [], axis=0)
xp.take(e, [0], axis=0)
xp.take(e, [2, 0], axis=1)
xp.take(s, [0, 0])
xp.take([5, 6], [1])
x.take([3, 1])
x.take(i, axis=1)
xp.take(x, [0, 1], out=xp.zeros(2, dtype=int))
xp.take(x, [0, 1], out=xp.zeros(3, dtype=int))
xp.take(v, [9, 1], out=xp.zeros(2, dtype=int), mode='clip')
xp.take_along_axis(f, f.argmax(axis=1, keepdims=True), 1)
xp.take_along_axis(f, f.argmin(axis=0, keepdims=True), axis=0)
xp.take_along_axis(x, xp.asarray([[[0, -1]]]), -1)
xp.take_along_axis(x, xp.asarray([[[0]], [[1]]]), 1)
xp.take_along_axis(v, xp.asarray([1, 1, 6]), None)
xp.take_along_axis(x, xp.asarray([23, 0]), None)
xp.take_along_axis(v, xp.asarray([7]), 0)
xp.take_along_axis(v, xp.asarray([0.0]), 0)
xp.take_along_axis(v, xp.asarray([[0]]), 0)
xp.take_along_axis(f, xp.asarray([[0], [1]]), 1)
xp.take_along_axis(f, xp.asarray([[0]]), 2)
xp.choose([0, 2, 1], [[1, 2, 3], [10, 20, 30], 0.5])
xp.choose(i, (v[:2], -v[:2], [[5], [6]]), mode='wrap')
xp.choose(i, (v[:2], -v[:2]), mode='clip')
xp.choose(i, (v[:2], -v[:2]))
i.choose(v[:2], -v[:2])
i.choose(v[:2], -v[:2], mode='clip')
i.choose([v[:2], -v[:2]])
xp.choose([0, 3], [1, 2])
xp.choose([0.5], [1])
xp.choose(xp.asarray([True, False]), [1, 2.5])
xp.choose([0, 0], [[1, 2]])
xp.choose([[0], [0]], [[1, 2]])
xp.choose([], [1])
xp.choose([0, 1], v.reshape(7, 1))
xp.asarray([1, 0]).choose([[1, 2], [3, 4]])
xp.choose([0, 1], [[1, 2], [3, 4]], out=xp.zeros(2))
xp.choose([0, 1], [1, 2], mode='no')
xp.compress([False, True], x, axis=0)
xp.compress([0, 1, 1], x, axis=1)
xp.compress([True, False, True, True], x)
xp.compress([False] * 30, x)
xp.compress([False] * 30 + [True], x)
xp.compress([[True]], x)
xp.compress([True], x, axis=3)
x.compress([0, 1], axis=2)
xp.extract(f > 0, f)
xp.extract(x % 2, x)
xp.extract([True, False, True], v)
xp.extract([True] * 8, v)
xp.nonzero(z)
xp.nonzero(x)
xp.nonzero(f)
xp.nonzero(t)
xp.nonzero(e)
xp.nonzero(s)
xp.nonzero(m[:, ::-2])
xp.nonzero([])
xp.nonzero(xp.asarray([0j, 1j, 1]))
xp.nonzero(xp.asarray([0.0, -0.0, np.nan]))
z.nonzero()
xp.where(z)
xp.where(m)
xp.where(s)
xp.flatnonzero(z)
xp.flatnonzero(t)
xp.flatnonzero(s)
xp.argwhere(z)
xp.argwhere(x > 20)
xp.argwhere(s)
xp.argwhere(0)
xp.argwhere(e)
xp.select([v > 4, v > 2], [v, -v], 100)
xp.select([v > 4, v > 2], [v, 0.5])
xp.select([v > 4, v[:, None] > 2], [v, v[:, None]], -1)
xp.select([v > 4], [v, v])
xp.select([], [])
xp.select([v], [v])
xp.select([m, ~m], [1, 2])
xp.diagonal(f)
xp.diagonal(x)
xp.diagonal(x, 1, 1, 2)
xp.diagonal(x, -1, 2, 0)
xp.diagonal(f, 9)
xp.diagonal(f, -9)
xp.diagonal(t, 1)
xp.diagonal(v)
xp.diagonal(f, 0, 1, 1)
xp.diagonal(f, 0, 0, 2)
xp.diagonal(e, -1)
x.diagonal(offset=1)
x.diagonal(1, 2, -3)
xp.diagonal(a=x, axis2=0, axis1=-1, offset=1)
xp.diagonal(f, 0.5)
xp.trace(f)
xp.trace(f, 1)
xp.trace(f, -9)
xp.trace(x, -1, 2, 0)
xp.trace(x, axis1=1, axis2=2, dtype='f4')
xp.trace(x, 0, 1, 2, out=xp.zeros(x.shape[0], x.dtype))
xp.trace(f, dtype='i1')
xp.trace(f > 2)
xp.trace(v)
xp.trace(f, 0, 1, -1)
xp.trace(e)
x.trace(1)
xp.diag_indices(3)
xp.diag_indices(2, 3)
xp.diag_indices_from(xp.zeros((3, 3)))
xp.diag_indices_from(f)
xp.diag_indices_from(v)
xp.tril_indices(3)
xp.tril_indices(3, 1, 4)
xp.tril_indices(3, -1, 2)
xp.triu_indices(3)
xp.triu_indices(4, 1, 3)
xp.triu_indices(0)
xp.tril_indices_from(f, 1)
xp.triu_indices_from(f, -1)
xp.triu_indices_from(x)
xp.mask_indices(3, xp.triu, 1)
xp.indices((2, 3))
xp.indices((2, 3), dtype=float)
xp.indices((2, 0, 3))
xp.indices(())
xp.indices((2, 3), sparse=True)
xp.ix_([0, 2], [1, 3])
xp.ix_([True, False, True], [2])
xp.ix_([], [1])
xp.ix_([[1]], [1])
xp.ix_(v, v[:2])
x[xp.ix_([1], [0, 2], [3, 0])]
xp.ravel_multi_index(([0, 1], [2, 0]), (2, 3))
xp.ravel_multi_index(([0, 1], [2, 0]), (2, 3), order='F')
xp.ravel_multi_index(([5], [-1]), (2, 3), mode='wrap')
xp.ravel_multi_index(([5], [-1]), (2, 3), mode='clip')
xp.ravel_multi_index(([5], [-1]), (2, 3), mode=('clip', 'wrap'))
xp.ravel_multi_index(([2], [0]), (2, 3))
xp.ravel_multi_index(([0],), (2, 3))
xp.ravel_multi_index((1, 2), (2, 3))
xp.ravel_multi_index(([0.5], [0]), (2, 3))
xp.ravel_multi_index((v[:2], [[0], [1]]), (2, 3))
xp.ravel_multi_index((v[:3], 2), (7, 4))
xp.ravel_multi_index((v, v[::-1], v), (7, 7, 7), order='F')
xp.ravel_multi_index((v - 3, v - 4), (3, 2), mode='clip')
xp.ravel_multi_index((v - 3, v - 4), (3, 2), mode='wrap')
xp.ravel_multi_index((v, v - 4), (7, 2), mode=('raise', 'wrap'))
xp.ravel_multi_index((v, v - 4), (7, 2), mode=('wrap', 'raise'))
xp.ravel_multi_index(([0, 3], [1, 1]), (3, 2))
xp.ravel_multi_index(([0, 2], [1, 2]), (3, 2))
xp.ravel_multi_index(([0, 2], -1), (3, 2))
xp.ravel_multi_index(([[0], [2]], [[1], [1]]), (3, 2))
xp.ravel_multi_index((v[:0], 9), (3, 2))
xp.unravel_index([2, 3], (2, 3))
xp.unravel_index([[2, 3], [0, 5]], (2, 3), order='F')
xp.unravel_index(5, (2, 3))
xp.unravel_index(v, 7)
xp.unravel_index([6], (2, 3))
xp.unravel_index([-1], (2, 3))
xp.unravel_index([1.5], (2, 3))
xp.unravel_index(0, ())
xp.unravel_index([0], ())
xp.unravel_index([0], (0, 3))
xp.repeat(v, [0, 1, 2, 3, 2, 1, 0])
xp.repeat(v, v)
xp.repeat(x, [2, 0, 1], axis=1)
xp.repeat(f, [1, 2, 0], 0)
xp.repeat(v, [1, 2])
xp.repeat(v, [-1] * 7)
xp.repeat(v, xp.asarray([1.5] * 7))
xp.repeat(v, [3])
xp.repeat(v, [[1]])
xp.repeat(v, xp.asarray(2))
xp.repeat([], [])
v.repeat(v)
x.flat[5]
x.flat[-1]
x.flat[24]
x.flat[2:7:2]
x.flat[[1, 3]]
x.flat[[[1, 3]]]
x.flat[[30]]
x.flat[...]
x.flat[1, 2]
x.flat[None]
t.flat[[1, 2]]
t.flat[1]
list(t.flat)
len(t.flat)
""".strip().split("\n")


@pytest.mark.parametrize("expression", VALUES)
def test_values(expression, device):
    agree(expression, NAMES)


@pytest.mark.parametrize(
    "expression", ["xp.select([v[0] > 4, v[1] > 2], [v[0], v[1]])", "xp.choose(0, [1, 2])", "xp.choose([0], [1, 2])"]
)
def test_results_that_are_values(expression):
    """On `cpu`, where NumPy gives a number; on a GPU they are 0-d arrays."""
    with cuarray.device("cpu"):
        agree(f"type({expression}).__name__ == 'ndarray'", NAMES)


@pytest.mark.parametrize("view", ["x", "x[1:]", "x.T", "x[:, ::2]"])
def test_flat_as_an_array_of_numpy(view):
    """A view where the elements are contiguous; else a copy, which cannot be written to."""
    for call in ("x.flat.__array__()", "np.asarray(x.flat)"):
        ours, numpys = cuarray.ones((3, 4), device="cpu"), np.ones((3, 4))
        got, expected = (eval(call, {"x": eval(view, {"x": x}), "np": np}) for x in (ours, numpys))
        assert np.shares_memory(got, ours) == np.shares_memory(expected, numpys)
        assert got.flags.writeable == expected.flags.writeable and got.shape == expected.shape
    copied = cuarray.array(eval(view, {"x": ours}).flat, device="cpu")
    assert copied.flags.writeable and not cuarray.shares_memory(copied, ours)


def test_flat_is_an_argument_on_every_device(device):
    x = cuarray.arange(6).reshape(2, 3)
    assert cuarray.bincount(x.flat).tolist() == [1] * 6 and cuarray.shares_memory(cuarray.asarray(x.flat), x)
    assert cuarray.asarray(x.T.flat).tolist() == [0, 3, 1, 4, 2, 5] and cuarray.asarray(x.flat).device == x.device


STATEMENTS = """
xp.put(v, [0, 2], [9, 8])
xp.put(v, [0, 2, 4], [9, 8])
xp.put(v, [0, 2, 0], [9, 8, 7])
xp.put(v, [0], [9, 8])
xp.put(v, 3, 5.7)
xp.put(v, [], 5)
xp.put(v, [1], [])
xp.put(v, [8, -9], [1, 2], mode='wrap')
xp.put(v, [8, -9], [1, 2], mode='clip')
xp.put(v, xp.asarray([1.0]), 2)
xp.put(v, [1], 2, mode='no')
xp.put(t, [0, 5, -1], [50, 60, 70])
xp.put(t, i, 90)
xp.put(t, [13, -14, 5], [1, 2, 3], mode='wrap')
xp.put(t, [99, -99, 5], [1, 2, 3], mode='clip')
xp.put(y, [99, -99, 5], [1, 2, 3], mode='clip')
xp.put(v, np.arange(600) % 9, np.arange(300), mode='clip')
xp.put(v, np.arange(-300, 300), np.arange(300), mode='wrap')
xp.take(v, [6, 5, 4, 3, 2, 1, 0], out=v, mode='clip')
xp.take(x, [2, 1, 0], 1, out=x, mode='wrap')
xp.put(y, [0, 5, -1, 13], [50, 60, 70, 80])
xp.put(e, [0], 1)
xp.put([1], [0], 1)
v.put([1, 2], [3, 4])
xp.put_along_axis(f, f.argmax(axis=1, keepdims=True), 99, 1)
xp.put_along_axis(x, xp.asarray([[[0], [1], [2]]]), xp.asarray([[[7]], [[8]]]), 2)
xp.put_along_axis(t, xp.asarray([[0, -1, 1, 0]]), 5, 0)
xp.put_along_axis(v, xp.asarray([0, 2]), [5, 6], None)
xp.put_along_axis(f, xp.asarray([[0.0]]), 1, 1)
xp.place(v, v > 3, [1, 2])
xp.place(v, v > 3, xp.asarray([1.5]))
xp.place(v, v > 3, [1.5])
xp.putmask(v, v > 3, xp.asarray([1.5, 2.5]))
xp.putmask(v, v > 3, xp.asarray([300], dtype='i2'))
xp.place(f, f > 0, [1, 2, 3])
xp.place(v, v > 3, 9)
xp.place(v, [-1, 0, 2, 0, 0, 0, -5], [8, 9])
xp.place(v, v > 90, [])
xp.place(v, v > 3, [])
xp.place(v, [True], [3])
xp.place(t, t % 2 == 0, [1, 2])
xp.putmask(v, v > 3, [1, 2])
xp.putmask(v, v > 3, v * 10)
xp.putmask(v, v > 3, 9.5)
xp.putmask(v, [-1, 0, 2, 0, 0, 0, -5], 9)
xp.putmask(t, t > 3, [1, 2])
xp.putmask(v, v > 3, [])
xp.putmask(v, [True], [3])
xp.putmask(v, [0.5, 0, 256, -1, 0, 1e-9, np.nan], 9)
xp.place(v, xp.asarray([0, 256, 1 << 40, 0, 0, -256, 0]), [8, 9])
xp.copyto(v, 9, where=xp.asarray([1, 0, 1, 0, 1, 0, 1]))
xp.copyto(v, v[::-1], where=np.asarray([1, 0, 1, 0, 1, 0, 1]))
xp.put(v, [1, 2, 3, 4], v[:4])
xp.put(v, [3, 2, 1, 0], v[:4])
xp.putmask(v, v > 2, range(0))
xp.place(v, v > 2, range(3))
xp.place(v, v > 2, float('nan'))
xp.put(v, xp.zeros(0), 1)
xp.put(v, [1], np.float64(2.5))
xp.copyto(f, 1)
xp.copyto(f, v[:4])
xp.copyto(f, -1, where=m)
xp.copyto(f, v[:4], where=m)
xp.copyto(f, [[1], [2], [3]], where=[True, False, True, False])
xp.copyto(v, 1.5)
xp.copyto(v, 1.5, casting='unsafe')
xp.copyto(v, f[0, :1])
xp.copyto(v, [1, 2])
xp.copyto(v, 1, where=[1, 0, 1, 0, 1, 0, 1])
xp.copyto(v, v[::-1], where=v > 2)
xp.copyto(f, v[:4].reshape(1, 1, 4), where=m)
xp.copyto(f, v[:4].reshape(1, 4, 1), where=m)
xp.copyto(f, 1, where=xp.ones((1, 3, 4), dtype=bool))
xp.copyto(f, 1, where=xp.ones(3, dtype=bool))
xp.copyto(f, 3, casting='no')
xp.copyto(v, 3.5, casting='safe')
xp.copyto(v, True, casting='no')
xp.copyto(v, 3+1j, casting='unsafe')
xp.place(v, v > 2, xp.sum(xp.asarray([1.5, 1.25])))
xp.place(v, v > 2, xp.asarray([1.5, 1.25]))
xp.place(v, v > 2, xp.asarray(1.5))
xp.putmask(v, v > 2, xp.max(xp.asarray([1.5, 1.25])))
xp.putmask(v, v > 2, xp.asarray([1.5]))
xp.copyto([1], 2)
xp.fill_diagonal(f, 7)
xp.fill_diagonal(t, [1, 2])
xp.fill_diagonal(x, 1)
xp.fill_diagonal(v, 1)
xp.fill_diagonal(t.T, [1, 2, 3, 4], wrap=True)
xp.fill_diagonal(e, 1)
v.flat[3] = 9
v.flat[-1] = 9
v.flat[9] = 9
t.flat[5] = 99
t.flat[[5, 1]] = [50, 10]
t.flat[[5, 1, 0]] = [50, 10]
t.flat[2:9:3] = [1, 2]
t.flat[2:9:3] = 5
t.flat = [1, 2, 3]
t.flat[...] = 4
f.flat[[0, 99]] = 1
x.flat[1:3] = []
x[xp.ix_([0, 1], [0, 2])] = 5
f[xp.diag_indices(3)] = [1, 2, 3]
f[xp.tril_indices(3)] = 0
x[xp.nonzero(x % 3)] = 0
""".strip().split("\n")


@pytest.mark.parametrize("statement", STATEMENTS)
def test_statements(statement, device):
    """All arrays after the statement are NumPy's, or the exception is."""
    results = []
    for xp in (np, cuarray):
        names = {name: make(xp) for name, make in NAMES.items()}
        try:
            exec(statement, {"xp": xp}, names)
            results.append({n: np.asarray(a.numpy() if xp is cuarray else a).tolist() for n, a in names.items()})
        except Exception as error:
            results.append(error)
            with contextlib.suppress(IndexError):
                cuarray.synchronize()
    want, got = results
    if isinstance(want, Exception):
        assert isinstance(got, public_type(want)), f"{got!r} instead of {want!r}"
    else:
        assert not isinstance(got, Exception), f"{got!r} instead of {want!r}"
        assert got == want


@pytest.mark.parametrize("way", layouts.LAYOUTS)
@pytest.mark.parametrize("dtype", ["bool", "int8", "float16", "float32", "int64", "complex64", "complex128"])
def test_layouts(way, dtype, rng, device):
    values = rng.integers(0, 3, (13, 7)).astype(dtype)
    x = way(values)
    rows, columns = rng.integers(-13, 13, 31), rng.integers(0, 7, (13, 5))
    for got, want in [
        (cuarray.take(x, cuarray.asarray(rows), 0), values[rows]),
        (cuarray.take_along_axis(x, cuarray.asarray(columns), 1), np.take_along_axis(values, columns, 1)),
        (cuarray.argwhere(x), np.argwhere(values)),
        (x[x != 0], values[values != 0]),
        (cuarray.diagonal(x, 2), np.diagonal(values, 2)),
        (x.flat[[3, 88]], values.flat[[3, 88]]),
    ]:
        np.testing.assert_array_equal(got.numpy(), want)
    cuarray.put_along_axis(x, cuarray.asarray(columns), 1, 1)
    np.put_along_axis(values, columns, 1, 1)
    cuarray.put(x, cuarray.asarray(rows % 5), cuarray.asarray([0, 1]).astype(dtype))
    np.put(values, rows % 5, np.array([0, 1], dtype))
    np.testing.assert_array_equal(x.numpy(), values)


def test_better_than_numpy(device):
    """Where NumPy truncates, rejects or does not check (docs/differences.md)."""
    x = cuarray.arange(6).reshape(3, 2).T
    for wrong in ([1.5], cuarray.asarray([1.0])):
        with pytest.raises(TypeError, match="integers"):
            cuarray.take(x, wrong)
        with pytest.raises(TypeError, match="integers"):
            cuarray.put(x, wrong, 0)
    with pytest.raises(IndexError):
        cuarray.take(cuarray.zeros((0, 3)), [3], axis=1).numpy()
        cuarray.synchronize()
    cuarray.put_along_axis(x, cuarray.asarray([5, 0]), cuarray.asarray([50, 10]), None)
    assert x.tolist() == [[10, 2, 4], [1, 3, 50]]
    assert cuarray.take(x, cuarray.asarray([1], dtype=cuarray.uint64)).tolist() == [2]


def test_a_diagonal_is_a_read_only_view(device):
    x = cuarray.arange(9).reshape(3, 3)
    d = x.diagonal()
    x[1, 1] = 50
    assert d.tolist() == [0, 50, 8] and cuarray.shares_memory(d, x)
    with pytest.raises(ValueError, match="read-only"):
        d[0] = 1


def test_numpy_spelling(device):
    """numpy's functions on cuarray's arrays call cuarray's."""
    x = cuarray.asarray([3, 1, 2])
    for result, want in [(np.take(x, [0, 2]), [3, 2]), (np.flatnonzero(x > 1), [0, 2]), (np.extract(x > 1, x), [3, 2])]:
        assert isinstance(result, cuarray.ndarray) and result.tolist() == want
    np.put(x, [0], 9)
    np.copyto(x, 5, where=x == 1)
    assert x.tolist() == [9, 5, 2]


def test_many_axes(device):
    """More axes than a kernel supports, in an order that cannot be collapsed."""
    values = np.arange(2**10).reshape((2,) * 10)
    order = (9, 0, 8, 1, 7, 2, 6, 3, 5, 4)
    want, got = values.transpose(order), cuarray.asarray(values).transpose(order)
    mask = (want * 7) % 5 == 0
    np.testing.assert_array_equal(got[cuarray.asarray(mask)].numpy(), want[mask])
    for a, b in zip(cuarray.nonzero(cuarray.asarray(mask)), np.nonzero(mask), strict=True):
        np.testing.assert_array_equal(a.numpy(), b)
    key = (slice(None), [1, 0, 1]) * 3
    np.testing.assert_array_equal(got[key].numpy(), want[key])
    want, got = want.copy(), got.copy()
    got, want = got.transpose(order), want.transpose(order)
    got[key] = 5
    want[key] = 5
    got[cuarray.asarray(mask)] = cuarray.arange(int(mask.sum()))
    want[mask] = np.arange(mask.sum())
    np.testing.assert_array_equal(got.numpy(), want)


def test_numbers_of_axes_meet(device):
    for shape, axis in itertools.product([(5,), (3, 4), (2, 3, 4), (1, 1), (4, 1, 3)], (0, -1)):
        want = np.arange(np.prod(shape)).reshape(shape)
        places = want % shape[axis]
        agree(
            f"xp.take_along_axis(a, b, {axis})",
            {"a": lambda xp, w=want: xp.asarray(w), "b": lambda xp, p=places: xp.asarray(p)},
        )


@pytest.mark.parametrize("most", [2, 200])
def test_repeat_of_many(most, rng, device):
    """Elements without copies among them, more than the caller writes itself; tests/ops tests all chunks."""
    for shape, axis in (((90_000,), 0), ((3, 40_000), 1), ((30_000, 3), 0), ((2, 0), 0), ((0,), 0)):
        want, counts = np.arange(np.prod(shape)).reshape(shape), rng.integers(0, most, shape[axis])
        counts[rng.random(len(counts)) < 1 - 8 / most] = 0
        for x in (cuarray.asarray(want), cuarray.asarray(want.T).T):
            got = cuarray.repeat(x, cuarray.asarray(counts), axis)
            np.testing.assert_array_equal(got.numpy(), np.repeat(want, counts, axis))
    nothing = cuarray.repeat(cuarray.arange(4), [0, 0, 0, 0])
    assert nothing.shape == (0,)


def test_repeat_more_often_than_can_be_counted(device):
    for counts in ([2**62] * 4 + [3], [2**62, 2**62, 0, 0, 0]):
        with pytest.raises(ValueError, match="repeat: the counts add up to more than int64 holds"):
            cuarray.repeat(cuarray.arange(5), counts)


def test_diagonals_far_outside(device):
    x = cuarray.ones((3, 4))
    for k in (2**63 - 1, 2**63 - 3, 5):
        assert cuarray.tril(x, k).sum() == cuarray.triu(x, -k).sum() == 12
        assert cuarray.triu(x, k).sum() == cuarray.tril(x, -k).sum() == 0


def test_positions_of_int8_beside_many_elements(device):
    places = np.array([5, -3], "i1")
    choices = [np.array([k, -k]) for k in range(140)]
    for mode in ("wrap", "clip"):
        x, host = cuarray.zeros(200, int), np.zeros(200, int)
        cuarray.put(x, cuarray.asarray(places), 7, mode=mode)
        np.put(host, places, 7, mode=mode)
        assert x.tolist() == host.tolist()
    x, host = cuarray.zeros((2, 200), int).T, np.zeros((2, 200), int).T
    cuarray.put(x, cuarray.asarray(places), 7)
    np.put(host, places, 7)
    cuarray.put_along_axis(x, cuarray.asarray(places + 20), 8, None)
    np.put(host, places + 20, 8)
    assert x.tolist() == host.tolist()
    chosen = cuarray.choose(cuarray.asarray(places), [cuarray.asarray(c) for c in choices], mode="wrap")
    assert chosen.tolist() == [5, -137]


def test_the_axis_is_looked_at_first(device):
    for axis in (0, 3):
        with pytest.raises(np.exceptions.AxisError):
            cuarray.put_along_axis(cuarray.asarray(0.0), cuarray.asarray(0.5), 1, axis)
        with pytest.raises(np.exceptions.AxisError):
            cuarray.take_along_axis(cuarray.asarray(0.0), cuarray.asarray(0.5), axis)
    assert cuarray.zeros((0, 2)).view("f2").shape == (0, 8) and cuarray.zeros((2, 0)).T.view("f2").shape == (0, 8)


def test_positions_that_int64_does_not_hold(device):
    """They must not become negative indices that count from the end."""
    x, far = cuarray.arange(3), cuarray.asarray([2**64 - 1], dtype="uint64")

    def write(call):
        call()
        cuarray.synchronize()

    for call in (
        lambda: cuarray.take(x, far),
        lambda: x[far],
        lambda: x.__setitem__(far, 9),
        lambda: cuarray.put(x, far, 9),
        lambda: cuarray.take_along_axis(x, far, 0),
        lambda: cuarray.add.at(x, far, 1),
    ):
        with pytest.raises(IndexError, match="out of bounds"):
            write(call)
    assert x.tolist() == [0, 1, 2]


PLACES = [True, False, True, True]


def wide_values(dtype):
    """Return numbers that a narrower or a floating-point type cannot represent."""
    kind, bits = np.dtype(dtype).kind, 8 * np.dtype(dtype).itemsize - 1
    if kind == "b":
        return [True, False, True, False]
    return [2 ** (bits - 1) + 3, 2**bits - 70, 3, 2**bits - 1] if kind in "iu" else [1.25, 3.0, 100.5, 0.0]


@pytest.mark.parametrize("to", "?bhilBHILefdFD")
@pytest.mark.parametrize("of", "?bhilBHILefdFD")
@pytest.mark.filterwarnings("ignore:Casting complex", "ignore:overflow encountered")
def test_copyto_where_casts_straight(of, to, device):
    """Elements are cast directly to the other type, not through a common one; the others keep every bit."""
    source, old = np.array(wide_values(of), of), np.array(wide_values(to), to)[::-1].copy()
    want = np.where(PLACES, source.astype(to), old)
    for mask in (np.array(PLACES), np.array(PLACES)[::-1][::-1]):
        x = cuarray.asarray(old.copy(), device=device)
        cuarray.copyto(
            x, cuarray.asarray(source, device=device), casting="unsafe", where=cuarray.asarray(mask, device=device)
        )
        assert x.numpy().tobytes() == want.tobytes()
    x = cuarray.asarray(old.copy(), device=device)
    if cuarray.can_cast(of, to, "safe"):
        cuarray.putmask(x, cuarray.asarray(PLACES, device=device), cuarray.asarray(source, device=device))
        assert x.numpy().tobytes() == want.tobytes()


def test_copyto_where_keeps_digits(device):
    x = cuarray.asarray([2**62 + 1, 5], device=device)
    cuarray.copyto(
        x,
        cuarray.asarray([1.0, 2.0], device=device),
        casting="unsafe",
        where=cuarray.asarray([False, True], device=device),
    )
    assert x.tolist() == [2**62 + 1, 2]
    x = cuarray.zeros(2, "i2", device=device)
    cuarray.copyto(
        x, cuarray.asarray([70000, 2**64 - 1], dtype="u8", device=device), casting="unsafe", where=[True, True]
    )
    assert x.tolist() == [4464, -1]
    nan = np.array([0x7FF8000000000123, 0x7FF0000000000001], "u8").view("f8")  # payloads, one of them signalling
    y = cuarray.asarray(nan.copy(), device=device)
    cuarray.copyto(y, 1.0, where=False)
    y[cuarray.asarray([False, False], device=device)] = 2.0
    assert y.numpy().tobytes() == nan.tobytes()


def test_copyto_where_of_what_overlaps(device):
    x, y = cuarray.arange(8, device=device), np.arange(8)
    for to, source, mask in (
        (slice(1, None), slice(None, -1), 2),
        (slice(None, None, -1), slice(None), 3),
        (slice(None), slice(None), 2),
    ):
        cuarray.copyto(x[to], x[source], where=x[source] % mask == 0)
        np.copyto(y[to], y[source].copy(), where=y[source] % mask == 0)
        assert x.tolist() == y.tolist()
    for shift in (
        slice(1, None),
        slice(None, None, -1),
    ):  # more than a block, so that one is written before the next is read
        m, n = cuarray.arange(2000, device=device) % 3 == 0, np.arange(2000) % 3 == 0
        before = n.copy()
        cuarray.copyto(m[shift], True, where=m[: m[shift].size])
        n[shift][before[: n[shift].size]] = True
        assert np.array_equal(m.numpy(), n)  # lists so long take pytest minutes to compare
    with cuarray.fuse():
        z = cuarray.arange(4, device=device) + 1
        cuarray.copyto(z, z[::-1] * 2, where=z > 2)
    assert z.tolist() == [1, 2, 4, 2]


@pytest.mark.parametrize("order", "CF")
@pytest.mark.parametrize(
    "shape", [(60, 50), (1, 7, 1, 3), (5,), (2**16, 2**16), (2**16, 2**16 + 1), (3, 2**40, 5)], ids=str
)
def test_unravelled_positions(shape, order, device):
    """Products of extents of 32 bits and of more, in both orders."""
    size = int(np.prod(shape, dtype=object))
    positions = np.array([[0, size - 1, size // 2], [size // 3, size - 2, min(4, size - 1)]])
    found = cuarray.unravel_index(cuarray.asarray(positions, device=device), shape, order)
    for along, want in zip(found, np.unravel_index(positions, shape, order), strict=True):
        np.testing.assert_array_equal(along.numpy(), want)
    with pytest.raises(ValueError, match="out of bounds"):
        cuarray.unravel_index(cuarray.asarray([0, size], device=device), shape, order)[0].numpy()


def test_flat_iterates_over_the_elements_as_they_are(device):
    layouts = ("x", "x.T", "x[:, ::-1, ::2]", "x[1:2, 0]", "x[0, 0, 0]", "x[:, :0]", "x[..., None]")
    for layout in layouts:
        ours = eval(layout, {"x": cuarray.arange(24, device=device).reshape(2, 3, 4)})
        theirs = eval(layout, {"x": np.arange(24).reshape(2, 3, 4)})
        flat, expected = cuarray.asarray(ours).flat, np.asarray(theirs).flat
        assert (flat.index, len(flat)) == (expected.index, len(expected))
        for value in flat:
            assert value == next(expected) and flat.index == expected.index
            if flat.index < len(flat):
                assert flat.coords == expected.coords
        with pytest.raises(StopIteration):
            next(flat)
    x = cuarray.arange(6, device=device).reshape(2, 3).T  # what ravel() would copy
    flat = x.flat
    assert next(flat) == 0
    x[...] = 7
    assert [int(value) for value in flat] == [7] * 5
