"""Arrays in files and as texts are NumPy's."""

import io

import numpy as np
import pytest

import cuarray


@pytest.mark.parametrize("dtype", ["?", "i2", "u8", "f2", "f4", "c16"])
def test_files_of_arrays(dtype, device, tmp_path):
    host = np.arange(12).reshape(3, 4).astype(dtype)
    x = cuarray.asarray(host)
    for y, want in ((x, host), (x.T, host.T), (x[::-1, ::2], host[::-1, ::2]), (x[1, 2], host[1, 2]), (x[:0], host[:0])):
        cuarray.save(tmp_path / "x.npy", y)
        for found in (np.load(tmp_path / "x.npy"), cuarray.load(tmp_path / "x.npy").numpy()):
            assert found.dtype == want.dtype and found.shape == want.shape and np.array_equal(found, want)
    assert str(cuarray.load(tmp_path / "x.npy").device) == device
    np.savez(tmp_path / "x.npz", a=host, b=host[0])
    both = cuarray.load(tmp_path / "x.npz")
    assert sorted(both) == ["a", "b"] and np.array_equal(both["b"].numpy(), host[0])
    with pytest.raises(FileNotFoundError):
        cuarray.load(tmp_path / "none.npy")


def test_text_files(device):
    x = np.linspace(0, 1, 6).reshape(2, 3)
    ours, theirs = io.StringIO(), io.StringIO()
    cuarray.savetxt(ours, cuarray.asarray(x), fmt="%.3f", delimiter=",", header="h")
    np.savetxt(theirs, x, fmt="%.3f", delimiter=",", header="h")
    assert ours.getvalue() == theirs.getvalue()
    with pytest.raises(ValueError):
        cuarray.savetxt(ours, cuarray.ones((2, 2, 2)))


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
