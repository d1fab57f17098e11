"""Writes of NumPy arrays, and of arrays of other devices, into existing arrays: transfers that are asked for."""

import mmap
import re

import numpy as np
import pytest

import cuarray

SHAPE = (4, 6)

#: Statements that write y into x; `i` and `m` are indices and a mask of x, as NumPy arrays and as ours.
WRITES = {
    "all": ("x[...] = y", SHAPE),
    "a slice": ("x[:] = y", SHAPE),
    "a row": ("x[1] = y", (6,)),
    "a column": ("x[:, 2] = y", (4,)),
    "a step": ("x[::2, ::-1] = y", (2, 6)),
    "transposed": ("x.T[...] = y", (6, 4)),
    "broadcast": ("x[...] = y", (6,)),
    "broadcast column": ("x[...] = y", (4, 1)),
    "leading axes": ("x[...] = y", (1, 1, 4, 6)),
    "of one element": ("x[...] = y", (1,)),
    "without axes": ("x[...] = y", ()),
    "an element": ("x[1, 2] = y", ()),
    "indices": ("x[i] = y", (3, 6)),
    "indices, broadcast": ("x[i] = y", (6,)),
    "indices of two axes": ("x[i, i + 1] = y", (3,)),
    "a mask": ("x[m] = y", (12,)),
    "a mask, one value": ("x[m] = y", (1,)),
    "a mask of rows": ("x[m[0, :4]] = y", (2, 6)),
    "None": ("x[None] = y", SHAPE),
    "nothing": ("x[:0] = y", (0, 6)),
    "flat": ("x.flat = y", (24,)),
    "flat slice": ("x.flat[2:9] = y", (7,)),
    "flat indices": ("x.flat[i] = y", (3,)),
    "copyto": ("np.copyto(x, y, casting='unsafe')", SHAPE),
    "copyto where": ("np.copyto(x, y, where=m, casting='unsafe')", SHAPE),
    "put": ("np.put(x, i, y)", (3,)),
    "place": ("np.place(x, m, y)", (5,)),
    "putmask": ("np.putmask(x, m, y)", SHAPE),
    "put_along_axis": ("np.put_along_axis(x, i[:, None], y, 0)", (3, 1)),
    "method put": ("x.put(i, y)", (3,)),
    "real": ("x.real = y", SHAPE),
    "setfield": ("x.setfield(y, x.dtype)", SHAPE),
}

#: The same values in other layouts; all but the first are not contiguous.
LAYOUTS = {
    "contiguous": lambda y: y,
    "fortran": lambda y: np.asfortranarray(y).reshape(y.shape),
    "gaps": lambda y: np.repeat(y, 2, -1)[..., ::2] if y.ndim else y,
    "reversed": lambda y: np.flip(np.flip(y).copy()),
    "big-endian": lambda y: y.astype(y.dtype.newbyteorder(">")),
    "read-only": lambda y: np.lib.stride_tricks.as_strided(y, writeable=False),
}


def source(shape, dtype):
    return (np.arange(np.prod(shape), dtype="f8").reshape(shape) % 7 + 1).astype(dtype)


def written(statement, x, y, xp):
    """Return x after the statement, or None where it raises TypeError: place and putmask cast safely only."""
    i, m = np.array([0, 2, 1]), np.arange(24).reshape(SHAPE) % 2 == 0
    with np.errstate(all="ignore"):
        try:
            exec(statement.replace("np.", "xp."), {"xp": xp, "x": x, "y": y, "i": i, "m": m})
        except TypeError:
            return None
    return x


def check(got, want, device):
    assert (got is None) == (want is None)
    if got is not None:
        assert str(got.device) == device
        np.testing.assert_array_equal(got.numpy(), want)


@pytest.mark.parametrize("how", WRITES)
@pytest.mark.parametrize("layout", LAYOUTS)
def test_numpy_arrays_are_written(device, how, layout):
    statement, shape = WRITES[how]
    for target, dtype in (("f8", "f8"), ("f4", "f8"), ("f8", "u1"), ("i2", "f4"), ("c16", "f4"), ("?", "i4")):
        y = LAYOUTS[layout](source(shape, dtype))
        want = written(statement, np.full(SHAPE, 9).astype(target), y, np)
        x = cuarray.full(SHAPE, 9, dtype=target)
        check(written(statement, x, y, cuarray), want, device)


@pytest.mark.parametrize("how", WRITES)
def test_arrays_of_any_device_are_written(device, how):
    statement, shape = WRITES[how]
    for here, there in ((device, "cpu"), ("cpu", device)):
        for target, dtype in (("f8", "f8"), ("f4", "f8"), ("f8", "i2")):
            y = source(shape, dtype)
            want = written(statement, np.full(SHAPE, 9).astype(target), y, np)
            for memory in (None, "pinned"):
                ours = cuarray.empty(shape, dtype, device=there, memory=memory)
                ours[...] = y
                x = cuarray.full(SHAPE, 9, dtype=target, device=here)
                check(written(statement, x, ours, cuarray), want, here)


def test_errors_of_writes_are_numpys(device):
    for key, y in (
        (..., np.ones((3, 3))),
        (0, np.ones(5)),
        ([0, 1], np.ones((3, 6))),
        (np.ones(SHAPE, bool), np.ones(5)),
    ):
        with pytest.raises(ValueError):
            np.zeros(SHAPE)[key] = y
        with pytest.raises(ValueError):
            cuarray.zeros(SHAPE)[key] = y
    locked = cuarray.zeros(3)
    locked.flags.writeable = False
    with pytest.raises(ValueError, match="read-only"):
        locked[...] = np.ones(3)
    for y in (
        np.ma.ones(3),
        np.array(["a", "b", "c"]),
        np.ones(3, "M8[s]"),
        np.zeros(3, "i4,f4"),
        np.array([None] * 3),
    ):
        with pytest.raises((TypeError, ValueError)):
            cuarray.zeros(3)[...] = y
    with pytest.warns(np.exceptions.ComplexWarning):
        cuarray.zeros(3)[...] = np.ones(3, "c8")


def test_operations_still_refuse_another_device(device):
    if device == "cpu":
        return
    x, y = cuarray.ones(3), np.ones(3)
    for call in (lambda: x + y, lambda: cuarray.add(x, y), lambda: cuarray.where(x > 0, x, y), lambda: x.__iadd__(y)):
        with pytest.raises(TypeError, match="NumPy array"):
            call()
    with pytest.raises(ValueError, match="are on"):
        x + cuarray.ones(3, device="cpu")


def test_writes_from_pinned_memory_do_not_wait(device):
    x, stream = cuarray.zeros(3000), cuarray.Stream()
    pinned = cuarray.empty(3000, memory="pinned")
    pinned[...] = np.arange(3000.0)
    with stream:
        x[...] = pinned
        x[1:3] = pinned[5:7]
        pinned[0] = 77  # waits for the copies
        y = x * 2
    assert y[:4].tolist() == [0, 10, 12, 6] and float(pinned[0]) == 77


def test_writes_within_fuse_run_at_once(device):
    x, y = cuarray.ones(5), np.arange(5.0)
    with cuarray.fuse():
        before = x * 2
        x[...] = y
        y[:] = 100  # the memory is the caller's again
        after = x + 1
    assert before.tolist() == [2] * 5 and after.tolist() == [1, 2, 3, 4, 5]


def test_writes_in_a_capture(device):
    if device == "cpu":
        return
    x, pinned = cuarray.zeros(4), cuarray.zeros(4, memory="pinned")
    graph = cuarray.Graph()
    with (
        pytest.raises(RuntimeError, match="a copy from the host: not while a graph is being captured"),
        graph.capture(),
    ):
        x[...] = np.ones(4)
    graph = cuarray.Graph()
    with graph.capture():
        x[...] = pinned
    for number in (3, 5):
        pinned[...] = number
        graph.launch()
        assert x.tolist() == [number] * 4


def test_set_names_the_write(device):
    with pytest.raises(AttributeError, match=re.escape("x[...] = a")):
        cuarray.ones(2).set(np.ones(2))


def test_get_casts_by_same_kind(device):
    x = cuarray.asarray([1.5, 2.5])
    for method in (x.get, x.numpy):
        out = np.zeros(2, "f4")
        assert method(out=out) is out and out.tolist() == [1.5, 2.5]
        for dtype in ("i8", "?", "u1"):
            out = np.zeros(2, dtype)
            with pytest.raises(TypeError, match="same_kind"):
                method(out=out)
            assert out.tolist() == [0, 0]
        with pytest.raises(TypeError, match="same_kind"):
            cuarray.ones(2, "c8").get(out=np.zeros(2))


# Numbers whose bytes are in the other order.

SWAPPED = [">i2", ">u4", ">i8", ">f2", ">f4", ">f8", ">c8", ">c16"]


@pytest.mark.parametrize("dtype", SWAPPED)
def test_swapped_bytes_are_converted(device, dtype):
    raw = np.arange(1, 13).astype(dtype).reshape(3, 4)
    native = raw.dtype.newbyteorder("=")
    for y in (raw, raw.T, raw[::2, ::-1], raw[:0], raw[1, 1:2], np.asarray(raw[1, 1]).astype(dtype), memoryview(raw)):
        for function in (cuarray.array, cuarray.asarray, cuarray.asanyarray, cuarray.ascontiguousarray, cuarray.copy):
            x = function(y)
            assert x.dtype == native and x.dtype.isnative and str(x.device) == device and x.flags.writeable
            np.testing.assert_array_equal(x.numpy(), np.asarray(y))
        wide = cuarray.asarray(y, dtype="c16")
        assert wide.dtype == "c16"
        np.testing.assert_array_equal(wide.numpy(), np.asarray(y).astype("c16"))
    assert not np.shares_memory(cuarray.asarray(raw, device="cpu").numpy(), raw)
    assert cuarray.asarray([raw, raw]).shape == (2, 3, 4)
    # Functions and, on cpu, operators read them as well.
    np.testing.assert_array_equal(cuarray.add(raw, 1).numpy(), raw + 1)
    np.testing.assert_array_equal(cuarray.concatenate([raw, raw]).numpy(), np.concatenate([raw, raw]))
    on_host = cuarray.ones((3, 4), native, device="cpu")
    np.testing.assert_array_equal((on_host + raw).numpy(), raw + native.type(1))
    np.testing.assert_array_equal((raw * on_host).numpy(), raw)
    x = cuarray.arange(10)
    if raw.dtype.kind in "iu":
        assert x[np.array([1, 3], dtype)].tolist() == [1, 3] and cuarray.take(x, np.array([2], dtype)).tolist() == [2]


@pytest.mark.parametrize("dtype", SWAPPED)
def test_swapped_bytes_in_files_and_buffers(device, dtype, tmp_path):
    raw = np.arange(1, 7).astype(dtype)
    native, data = raw.dtype.newbyteorder("="), raw.tobytes()
    np.save(tmp_path / "a.npy", raw)
    np.savez(tmp_path / "a.npz", raw=raw)
    raw.tofile(tmp_path / "a.raw")
    mapped = np.memmap(tmp_path / "a.raw", dtype, mode="r")
    structured = np.zeros(6, [("flag", "u1"), ("value", dtype)])
    structured["value"] = raw
    for x in (
        cuarray.frombuffer(data, dtype), cuarray.fromfile(tmp_path / "a.raw", dtype), cuarray.load(tmp_path / "a.npy"),
        cuarray.load(tmp_path / "a.npz")["raw"], cuarray.load(tmp_path / "a.npy", "r"), cuarray.asarray(mapped),
        cuarray.asarray(mapped[:]), cuarray.asarray(structured["value"]), cuarray.asarray(np.frombuffer(data, dtype)),
        cuarray.ndarray(6, dtype, data),
    ):  # fmt: skip
        assert x.dtype == native and x.dtype.isnative
        np.testing.assert_array_equal(x.numpy(), raw)
    assert cuarray.frombuffer(data, dtype, 2, raw.itemsize).tolist() == raw[1:3].tolist()
    with pytest.raises(TypeError, match="field"):
        cuarray.asarray(structured)


def test_swapped_bytes_are_not_shared(tmp_path):
    raw = np.arange(4).astype(">f4")
    raw.tofile(tmp_path / "a.raw")
    with cuarray.device("cpu"):
        for call in (
            lambda: cuarray.asarray(raw, copy=False),
            lambda: cuarray.array(raw, copy=False),
            lambda: cuarray.asarray(np.memmap(tmp_path / "a.raw", ">f4", mode="r+")),
            lambda: cuarray.asarray(np.memmap(tmp_path / "a.raw", ">f4", mode="r+")[1:]),
            lambda: cuarray.asarray(np.frombuffer(mmap.mmap(-1, 64), ">f4")),
            lambda: cuarray.load(mapped_file(tmp_path), "r+"),
            lambda: cuarray.frombuffer(bytearray(16), ">f4"),
            lambda: cuarray.ndarray(4, ">f4", bytearray(16)),
        ):
            with pytest.raises(ValueError, match=r"write cuarray\.array\("):
                call()
        with pytest.raises((BufferError, TypeError, ValueError), match=r"newbyteorder"):
            cuarray.from_dlpack(raw)
        # Asked for a copy, also a writable map gives one.
        assert cuarray.array(np.memmap(tmp_path / "a.raw", ">f4", mode="r+")).tolist() == [0, 1, 2, 3]
        assert cuarray.asarray(np.memmap(tmp_path / "a.raw", ">f4", mode="r+"), dtype="f8").tolist() == [0, 1, 2, 3]
        ones = cuarray.ones(4, "f4")
        for call in (
            lambda: cuarray.add(ones, 1, out=raw), lambda: cuarray.sum(ones.reshape(1, 4), 0, out=raw),
            lambda: cuarray.copyto(raw, ones), lambda: cuarray.put(raw, [0], 1), lambda: ones.numpy(out=raw),
            lambda: cuarray.take(ones, [0, 1, 2, 3], out=raw), lambda: cuarray.clip(ones, 0, 1, out=raw),
            lambda: cuarray.matmul(ones, cuarray.eye(4, dtype="f4"), out=raw), lambda: cuarray.round(ones, out=raw),
            lambda: cuarray.random.default_rng(1).permuted(ones, out=raw),
        ):  # fmt: skip
            with pytest.raises(TypeError, match=r"\.numpy\(\)"):
                call()
        assert raw.tolist() == [0, 1, 2, 3]
        raw[...] = ones.numpy()
        assert raw.tolist() == [1] * 4
        for call in (lambda: cuarray.zeros(3, ">f4"), lambda: ones.astype(">f4"), lambda: ones.view(">f4")):
            with pytest.raises(TypeError, match="the machine's byte order"):
                call()


def mapped_file(folder):
    np.save(folder / "b.npy", np.arange(4).astype(">f4"))
    return folder / "b.npy"
