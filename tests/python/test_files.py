"""Files and text representations of arrays are NumPy's."""

import io

import numpy as np
import pytest
from same import agree, evaluate

import cuarray


@pytest.mark.parametrize("dtype", ["?", "i2", "u8", "f2", "f4", "c16"])
def test_files_of_arrays(dtype, device, tmp_path):
    host = np.arange(12).reshape(3, 4).astype(dtype)
    x = cuarray.asarray(host)
    for y, want in (
        (x, host),
        (x.T, host.T),
        (x[::-1, ::2], host[::-1, ::2]),
        (x[1, 2], host[1, 2]),
        (x[:0], host[:0]),
    ):
        cuarray.save(tmp_path / "x.npy", y)
        for found in (np.load(tmp_path / "x.npy"), cuarray.load(tmp_path / "x.npy").numpy()):
            assert found.dtype == want.dtype and found.shape == want.shape and np.array_equal(found, want)
    assert str(cuarray.load(tmp_path / "x.npy").device) == device
    np.savez(tmp_path / "x.npz", a=host, b=host[0])
    both = cuarray.load(tmp_path / "x.npz")
    assert sorted(both) == ["a", "b"] and np.array_equal(both["b"].numpy(), host[0])
    with pytest.raises(FileNotFoundError):
        cuarray.load(tmp_path / "none.npy")


def test_bfloat16_files(device, tmp_path):
    x = cuarray.asarray([1.5, -2, cuarray.inf], dtype=cuarray.bfloat16)
    cuarray.save(tmp_path / "x.npy", x)
    cuarray.savez(tmp_path / "x.npz", x=x)
    for found in (cuarray.load(tmp_path / "x.npy"), cuarray.load(tmp_path / "x.npz")["x"]):
        assert found.dtype == cuarray.bfloat16 and found.tolist() == x.tolist()


def test_text_files(device):
    x = np.linspace(0, 1, 6).reshape(2, 3)
    ours, theirs = io.StringIO(), io.StringIO()
    cuarray.savetxt(ours, cuarray.asarray(x), fmt="%.3f", delimiter=",", header="h")
    np.savetxt(theirs, x, fmt="%.3f", delimiter=",", header="h")
    assert ours.getvalue() == theirs.getvalue()
    with pytest.raises(ValueError):
        cuarray.savetxt(ours, cuarray.ones((2, 2, 2)))


def test_archives(device, tmp_path):
    a, b = np.arange(6.0).reshape(2, 3), np.arange(3, dtype="i2")
    for save in (cuarray.savez, cuarray.savez_compressed):
        save(tmp_path / "x.npz", cuarray.asarray(a).T, [1, 2], small=cuarray.asarray(b))
        theirs, ours = np.load(tmp_path / "x.npz"), cuarray.load(tmp_path / "x.npz")
        assert sorted(ours) == sorted(theirs.files) == ["arr_0", "arr_1", "small"]
        for name, want in (("arr_0", a.T), ("arr_1", np.asarray([1, 2])), ("small", b)):
            assert theirs[name].dtype == want.dtype == ours[name].dtype and str(ours[name].device) == device
            assert np.array_equal(theirs[name], want) and np.array_equal(ours[name].numpy(), want)
        with cuarray.load(tmp_path / "x.npz") as ours:
            assert ours.files == theirs.files and np.array_equal(ours.f.small.numpy(), b)
        with pytest.raises(ValueError):
            save(tmp_path / "y.npz", a, arr_0=b)
        with pytest.raises(TypeError):
            save(tmp_path / "y.npz", np.asarray(["text"]))
    assert (tmp_path / "x.npz").stat().st_size < 3000


LINES = ["# head", "1 2 3", "4 5 6"]


@pytest.mark.parametrize(
    "call",
    [
        "xp.loadtxt(lines)",
        "xp.loadtxt(lines, 'i4', skiprows=1, usecols=(0, 2), unpack=True)",
        "xp.loadtxt(lines, ndmin=2, max_rows=1)",
        "xp.loadtxt(['1,2', '3,x'], delimiter=',', converters={1: lambda s: len(s)})",
        "xp.loadtxt(['1%2', '3%4'], float, '#', '%')",
        "xp.loadtxt([\"'1','2'\"], delimiter=',', quotechar=\"'\")",
        "xp.loadtxt(['1', 'x'])",
        "xp.loadtxt(['1 2', '3'])",
        "xp.loadtxt('no such file')",
        "xp.genfromtxt(lines)",
        "xp.genfromtxt(['1,,3', '4,5,'], delimiter=',', filling_values=-1, dtype='i8')",
        "xp.genfromtxt(['1,N/A', '3,4'], delimiter=',', missing_values='N/A', filling_values={1: 9}, skip_header=0)",
        "xp.genfromtxt(['1 2', '3 4'], dtype=None)",
        "xp.genfromtxt(['1 2', '3 4 5'], invalid_raise=True)",
        "xp.genfromtxt(['1 2', '3 4'], unpack=True, ndmin=2, usecols=1)",
        "xp.fromstring('1 2  3', sep=' ')",
        "xp.fromstring('1,2,3', 'i2', 2, sep=',')",
        "xp.fromstring('1,x', sep=',')",
        "xp.fromstring('1 2', sep=' ', count=1)",
        "xp.fromstring('1 2 x', sep=' ', count=2)",
        "xp.fromstring('1 2 x', sep=' ', count=3)",
        "xp.fromstring('', sep=',')",
        "xp.fromstring('12', 'u1', sep='')",
    ],
)
def test_read_texts(call, device):
    agree(call, {"lines": lambda xp: list(LINES)})
    result = evaluate(call, cuarray, {"lines": lambda xp: list(LINES)})
    assert isinstance(result, Exception) or str(result.device) == device


def test_read_files(device, tmp_path):
    x = np.arange(5, dtype="f4")
    x.tofile(tmp_path / "bytes")
    (tmp_path / "text").write_text("1;2;3")
    agree("xp.fromfile(file, 'f4', 3, offset=4)", {"file": lambda xp: tmp_path / "bytes"})
    agree("xp.fromfile(file)", {"file": lambda xp: tmp_path / "bytes"})
    agree("xp.fromfile(file, sep=';', dtype='i4')", {"file": lambda xp: tmp_path / "text"})
    agree("xp.fromfile('no such file')")
    assert str(cuarray.fromfile(tmp_path / "bytes", "f4").device) == device
    (tmp_path / "text").write_text("x=3, y=14.5")
    found = cuarray.fromregex(tmp_path / "text", r"=([\d.]+)", "f4")
    assert found.tolist() == [3, 14.5] and found.dtype == np.float32 and str(found.device) == device


def test_read_to_a_device_of_ones_own():
    like = cuarray.ones(1, device=cuarray.devices()[-1])
    with cuarray.device("cpu"):
        for function, source in ((cuarray.loadtxt, ["1 2"]), (cuarray.genfromtxt, ["1 2"])):
            assert function(source, like=like).device == like.device == function(source, device=like.device).device
        assert cuarray.fromstring("1", sep=" ", like=like).device == like.device


@pytest.mark.parametrize("call", ["loadtxt(['1 a'], dtype='U3')", "genfromtxt(['1 a'], dtype=None)", "genfromtxt(['1'], usemask=True)",
                                  "fromstring('1', 'M8[s]', sep=' ')", "loadtxt(['1 2'], dtype='i4,f4')"])  # fmt: skip
def test_types_that_are_not_there(call):
    with pytest.raises(TypeError):
        eval(f"cuarray.{call}")


def test_forms(device):
    x = np.linspace(-1, 1e-9, 2001).reshape(3, 667)
    y = cuarray.asarray(x)
    for settings in ({}, {"precision": 2}, {"separator": ", ", "prefix": "y = "}, {"threshold": 5000}, {"edgeitems": 1}, {"suppress_small": True},
                     {"threshold": 3, "edgeitems": 1, "formatter": {"float_kind": "{:.1f}".format}}, {"sign": "+", "floatmode": "fixed"}):  # fmt: skip
        assert cuarray.array2string(y, **settings) == np.array2string(x, **settings)
    assert cuarray.array2string([1, 2]) == "[1 2]"
    for dtype in ("f2", "f4", "f8"):
        third = np.asarray(1 / 3, dtype)[()]
        for form in ("format_float_positional", "format_float_scientific"):
            for settings in (
                {},
                {"precision": 3},
                {"unique": False, "precision": 20},
                {"trim": "-", "sign": True},
                {"pad_left": 5},
            ):
                want = getattr(np, form)(third, **settings)
                assert (
                    getattr(cuarray, form)(cuarray.asarray(third), **settings)
                    == want
                    == getattr(cuarray, form)(third, **settings)
                )
    assert cuarray.binary_repr(cuarray.asarray(5), 8) == "00000101" and cuarray.base_repr(255, 16) == "FF"
    assert cuarray.typename("f") == np.typename("f") and cuarray.mintypecode("if") == np.mintypecode("if")
    with cuarray.printoptions(precision=1):
        assert str(cuarray.asarray([0.25])) == "[0.2]"


def test_texts(device):
    x = np.linspace(0, 1e-9, 7)
    with cuarray.device(device):
        y = cuarray.asarray(x)
        assert cuarray.array_str(y) == np.array_str(x) == str(y) and cuarray.array_repr(y) == repr(y)
        for settings in ((20,), (None, 2), (None, None, True)):
            assert cuarray.array_str(y, *settings) == np.array_str(x, *settings)
            assert cuarray.array_repr(y, *settings) == np.array_repr(x, *settings)
    with np.printoptions():
        cuarray.set_printoptions(precision=2, suppress=True)
        assert cuarray.get_printoptions() == np.get_printoptions() and np.get_printoptions()["precision"] == 2
