"""Subscript objects, and iteration over elements of arrays."""

import numpy as np
import pytest
from same import agree, evaluate

import cuarray


@pytest.mark.parametrize("kind", ["mgrid", "ogrid"])
@pytest.mark.parametrize(
    "key",
    [
        "0:5",
        "0:5, 0:3",
        "2:9:3, -1:1:0.25",
        "0:1:5j",
        "0:1:5j, 3:0:-1",
        "0:0, 0:3",
        "1.5:4",
        "0:5, 0:5, 0:2",
        "::2, 1:3",
        ":4",
        "0:2:3j, 0:2:1j",
        "5",
        "()",
    ],
)
def test_grids(kind, key, device):
    agree(f"xp.{kind}[{key}]")
    grid = evaluate(f"xp.{kind}[{key}]", cuarray, {})
    if not isinstance(grid, Exception):
        assert {str(x.device) for x in (grid if isinstance(grid, tuple) else (grid,))} <= {device}


NAMES = {
    "v": lambda xp: xp.arange(3, dtype="f4"), "i": lambda xp: xp.asarray([5, 6, 7], dtype="i2"), "a": lambda xp: xp.ones((2, 3)),
    "x": lambda xp: xp.arange(24).reshape(2, 3, 4), "s": lambda xp: xp.asarray(2.5, dtype="f4"),
}  # fmt: skip


@pytest.mark.parametrize("kind", ["r_", "c_"])
@pytest.mark.parametrize(
    "key",
    ["v", "v, i", "v, 0, i", "1:4", "1:4, 0, 4", "0:1:3j, 7", "v, 1.5", "i, 1.5", "i, 300", "i, 70000", "xp.ones(2, 'u1'), 7", "xp.ones(2, 'u1'), -1", "[1, 2], [3.5, 4]", "s, v", "v, 1j", "True, False",
     "a, a", "x, x", "'0', a, a", "'1', a, a", "'0,2', v, i", "'1,2', v, i", "'0,3', a, a", "'0,2,0', v, i", "'1,2,0', v, i",
     "'0,3,1', v, i", "'0,4,-2', a, a", "'0,2', 1:3, 3:5", "'1,3,0', 1:3, 3:5", "'0,2', 5, 6", "'-1', a, a",
     "0:36:np.complex64(3j)", "0:36:v[1] * 3j", "0.0:3", "0.0:3:v[2]", "i[1]:i[2] + 4", "'0,2', 0:1:np.complex64(2j), 3:5",
     "v, 'a'", "'q', v", "'1,q', v", "'0,2,5', v", "a, x", "()", "0:4:-1", "'0,2,-4', v", "'1', v"],
)  # fmt: skip
def test_joined(kind, key, device):
    agree(f"xp.{kind}[{key}]", NAMES)


def test_lists_join_the_device_of_the_arrays():
    device = cuarray.devices()[-1]
    x = cuarray.ones(2, device=device)
    with cuarray.device("cpu"):
        for joined in (cuarray.r_[[1, 2], x, 0:3, 5], cuarray.c_[x, [1, 2]]):
            assert joined.device == device
    with pytest.raises(ValueError):
        cuarray.r_["r", x]


def test_keys():
    assert cuarray.s_[1:2, ..., None] == np.s_[1:2, ..., None] and cuarray.index_exp[2] == (2,)
    assert cuarray.arange(6)[cuarray.s_[1::2]].tolist() == [1, 3, 5]
    assert list(cuarray.ndindex(2, 2)) == [(0, 0), (0, 1), (1, 0), (1, 1)]


@pytest.mark.parametrize("shape", [(), (0,), (3,), (2, 3), (2, 0, 3)])
def test_ndenumerate(shape, device):
    x = np.arange(np.prod(shape, dtype=int)).reshape(shape)
    for ours, theirs in ((cuarray.asarray(x), x), (cuarray.asarray(x).T, x.T), (x.tolist(), x)):
        got = list(cuarray.ndenumerate(ours))
        assert [(place, one.item()) for place, one in got] == list(np.ndenumerate(theirs))
        assert all(one.shape == () and one.dtype == x.dtype for _, one in got if shape != (0,) and x.size)


@pytest.mark.parametrize(
    "arguments",
    ["", "v", "v, 1", "v, a", "a, x[:, :, :3]", "xp.ones((2, 1)), [1, 2, 3], 5", "xp.ones((0, 3)), v", "s, s"],
)
def test_broadcast(arguments, device):
    for what in ("shape", "size", "ndim", "nd", "numiter", "index"):
        agree(f"xp.broadcast({arguments}).{what}", NAMES)
    agree(f"[tuple(map(float, row)) for row in xp.broadcast({arguments})]", NAMES)
    agree(f"(b := xp.broadcast({arguments})) and [next(b, 0), b.index, b.reset(), b.index, len(list(b))][1:]", NAMES)


def test_shapes_that_do_not_broadcast(device):
    agree("xp.broadcast(xp.ones(2), xp.ones(3))")


@pytest.mark.parametrize("count", [1, 2, 3])
def test_arrays_of_one_axis_join(count, device):
    for dtypes in (("f8", "i1", "f4"), ("u1", "i1", "?")):
        arrays = [np.arange(3).astype(dtype) for dtype in dtypes[:count]]
        for theirs, ours in ((np.r_, cuarray.r_), (np.c_, cuarray.c_)):
            joined = ours[tuple(map(cuarray.asarray, arrays))]
            expected = theirs[tuple(arrays)]
            assert joined.dtype == expected.dtype and np.array_equal(joined.numpy(), expected)
            if count == 1:  # a copy
                x = cuarray.asarray(arrays[0])
                ours[x][...] = 1
                assert x.tolist() == arrays[0].tolist()


@pytest.mark.parametrize("key", [
    (slice(0, 3), slice(0, 2)), (slice(3), slice(2)), (slice(1, 4), slice(-2, 3)), (slice(2, 2), slice(0, 2)), (slice(1, 3),),
    (slice(-3, None), slice(2)), (slice(0, 3), slice(0, 4, 2)), (slice(0, 2), slice(0.5, 2)), (slice(0, 2, 3j), slice(2)), (),
    (slice(True, 3), slice(2)), (slice(0, 2), slice(1, 3), slice(4, 6)), slice(1, 4),
])  # fmt: skip
def test_grids_of_slices(key):
    for name in ("mgrid", "ogrid"):
        try:
            want = getattr(np, name)[key]
        except (AttributeError, TypeError, ValueError) as error:
            with pytest.raises(type(error)):
                getattr(cuarray, name)[key]
            continue
        got = getattr(cuarray, name)[key]
        assert type(got) is tuple if isinstance(want, tuple) else got.shape == want.shape
        for ours, numpys in zip(got, want, strict=True):
            assert ours.dtype == numpys.dtype
            assert ours.shape == numpys.shape
            assert np.array_equal(ours.numpy(), numpys)
