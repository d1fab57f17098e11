"""Methods that handle an array's bytes: byte order, parts of elements, resizing in place, pickles, files."""

import io
import pickle
import zipfile

import layouts
import numpy as np
import pytest
from oracle import same_bits
from same import agree, public_type

import cuarray

DTYPES = ["?", "i1", "u2", "i4", "u8", "f2", "f4", "f8", "c8", "c16"]


def sample(dtype, shape=(3, 4)):
    return (
        np.random.default_rng(3).integers(0, 100, (*shape, np.dtype(dtype).itemsize)).astype("u1").view(dtype)[..., 0]
    )


@pytest.mark.parametrize("layout", layouts.LAYOUTS, ids=lambda layout: layout.__name__)
@pytest.mark.parametrize("dtype", DTYPES[1:])
def test_byteswap(dtype, layout, device):
    host, x = sample(dtype), layout(sample(dtype))
    before, want = x.numpy(), host.byteswap()
    assert same_bits(x.byteswap().numpy(), want).all() and same_bits(x.numpy(), before).all()
    assert x.byteswap(inplace=True) is x and same_bits(x.numpy(), want).all()


@pytest.mark.parametrize("layout", layouts.LAYOUTS, ids=lambda layout: layout.__name__)
@pytest.mark.parametrize("dtype", ["i1", "f8", "c16"])
@pytest.mark.parametrize("shape", [(3, 4), (0, 3), (2, 3, 4), (60, 70)], ids=str)
def test_tobytes(dtype, shape, layout, device):
    x = layout(sample(dtype, shape))
    host = x.numpy()
    for y, want in ((x, host), (x.T, host.T)):
        assert y.tobytes() == want.tobytes() == y.tobytes(order=None)
        for order in "CFAKcf":
            expected = want.tobytes({"A": "C", "K": "C"}.get(order, order))
            if order == "A" and y.flags.fnc:
                expected = want.tobytes("F")
            assert y.tobytes(order) == expected, order


def test_orders_of_tobytes():
    x = cuarray.ones((2, 2))
    for order, error in (("x", ValueError), ("CF", ValueError), (3, TypeError)):
        with pytest.raises(error, match="order"):
            x.tobytes(order)
    with pytest.raises(TypeError):
        x.tobytes("C", "F")
    assert (x * 2)[0, 0].tobytes() == np.float64(2).tobytes()


def test_bytes_of_another_machine(device):
    raw = np.arange(5, dtype=">f4").tobytes()
    assert cuarray.frombuffer(raw, "f4").byteswap().tolist() == [0, 1, 2, 3, 4]
    assert cuarray.asarray(1, dtype="u2").byteswap().item() == 256
    assert cuarray.ones((0, 3)).byteswap().shape == (0, 3)
    assert cuarray.ones(2, cuarray.bfloat16).byteswap().view("u2").tolist() == [0x803F, 0x803F]
    x = cuarray.broadcast_to(cuarray.ones(1), (3,))
    with pytest.raises(ValueError):
        x.byteswap(True)


@pytest.mark.parametrize("layout", layouts.LAYOUTS, ids=lambda layout: layout.__name__)
def test_fields(layout, device):
    host, x = sample("c16"), layout(sample("c16"))
    for dtype, offset in (("f8", 0), ("f8", 8), ("u1", 15), ("i4", 3), ("c16", 0), ("f2", 13)):
        part = x.getfield(dtype, offset)
        assert same_bits(part.numpy(), host.getfield(dtype, offset)).all() and cuarray.shares_memory(part, x)
    x.setfield(7.0, "f8", 8)
    host.setfield(7.0, "f8", 8)
    assert same_bits(x.numpy(), host).all()


@pytest.mark.parametrize(
    "call", ["x.getfield('f8', 9)", "x.getfield('f8', -1)", "x.getfield('c16', 1)", "x.getfield('f4', 1.5)"]
)
def test_parts_beyond_elements(call, device):
    agree(call, {"x": lambda xp: xp.ones(3, "c16")})
    agree("xp.ones(3, 'f4').getfield('f8')")


@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize("shape", [(2,), (3, 4), (5, 5), (4, 3), (0,), (), (2, 0), (1, 20), 7, np.int64(3)])
@pytest.mark.parametrize("dtype", ["?", "i2", "f4", "c16"])
def test_resize(dtype, shape, order, device):
    host = np.array(sample(dtype), order=order)
    x = cuarray.array(host, order=order)
    view, before, size = x[1], x[1].numpy(), x.size
    x.resize(shape)
    host.resize(shape, refcheck=False)
    assert x.shape == host.shape and x.dtype == host.dtype and same_bits(x.numpy(), host).all()
    assert x.flags.owndata and (x.ndim < 2 or x.flags.f_contiguous == host.flags.f_contiguous)
    assert same_bits(view.numpy(), before).all()
    assert cuarray.shares_memory(x, view) == (x.size == size), "as in NumPy, another shape alone needs no other memory"
    if x.size not in (0, size):
        x[...] = 1
        assert same_bits(view.numpy(), before).all(), "a view keeps its own memory"


def test_resize_to_the_same_size(device):
    base = cuarray.arange(12, device=device)
    for part, shape in ((base[2:8], (2, 3)), (base[:3], (1, 3)), (base[:0], (0, 4)), (base.reshape(3, 4).T, (2, 6))):
        host = part.numpy().copy(order="A")
        part.resize(shape)
        host.resize(shape)
        assert part.tolist() == host.tolist() and (part.strides == host.strides or not part.size)
        assert cuarray.shares_memory(part, base) or not part.size
    with pytest.raises(ValueError, match="does not own"):
        base[:3].resize(4)
    with pytest.raises(ValueError, match="side by side"):
        base[::2].resize(6)


def test_archives_with_other_files(tmp_path):
    cuarray.savez(tmp_path / "a.npz", x=cuarray.arange(3))
    with zipfile.ZipFile(tmp_path / "a.npz", "a") as archive:
        archive.writestr("readme.txt", "hello")
    found = cuarray.load(tmp_path / "a.npz")
    assert (
        found["x"].tolist() == [0, 1, 2]
        and found["readme.txt"] == b"hello" == np.load(tmp_path / "a.npz")["readme.txt"]
    )


def test_resize_by_several_numbers(device):
    x = cuarray.arange(4)
    assert x.resize(3, 2) is None and x.tolist() == [[0, 1], [2, 3], [0, 0]]
    for nothing in ((), (None,)):
        x.resize(*nothing)
        assert x.shape == (3, 2)
    for made in (cuarray.repeat(x, 2), cuarray.inner(x, x), cuarray.tensordot(x, x, 0)):
        made.resize(2)
        assert made.shape == (2,), "what a function has made is its own"
    waiting = cuarray.fuse(lambda v: v + 1)(x)
    x.resize(2)
    assert waiting.tolist() == [[1, 2], [3, 4], [1, 1]] and x.tolist() == [0, 1]


@pytest.mark.parametrize(
    "call",
    ["x[:2].resize(3)", "x.resize(-1)", "x.resize(2.5)", "x.T.resize(3)", "x.resize((2, 'a'))", "x.resize(1, other=2)"],
)
def test_wrong_resizing(call, device):
    with pytest.raises(Exception) as theirs:
        eval(call, {"x": np.ones((2, 3))})
    with pytest.raises(public_type(theirs.value)):
        eval(call, {"x": cuarray.ones((2, 3))})


def test_dumps(device, tmp_path):
    x = cuarray.arange(6, dtype="f4").reshape(2, 3)
    x.dump(tmp_path / "x")
    file = io.BytesIO()
    x.dump(file)
    for data in (x.dumps(), file.getvalue(), (tmp_path / "x").read_bytes()):
        y = pickle.loads(data)
        assert same_bits(y.numpy(), x.numpy()).all() and y.device == x.device


def test_resize_takes_an_array_of_one_extent(device):
    x = cuarray.ones(1, device=device)
    x.resize(np.array([2]))
    assert x.tolist() == [1.0, 0.0]


def test_resize_of_what_numpy_made():
    """Memory of a NumPy array that nobody else holds is ours; views of it and arrays that others hold are not."""
    x = cuarray.asarray(np.arange(3), device="cpu")
    x.resize(5)
    assert x.tolist() == [0, 1, 2, 0, 0]
    held = np.arange(3)
    shared, part = cuarray.asarray(held, device="cpu"), cuarray.asarray(np.arange(6)[:3], device="cpu")
    view = cuarray.asarray(np.arange(3), device="cpu")[:2]
    for array in (shared, part, view):
        before = array.tolist()
        with pytest.raises(ValueError, match="does not own its data"):
            array.resize(5)
        assert array.tolist() == before
