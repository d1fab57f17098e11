"""The methods that give arrays to other libraries: without the library, or with a stand-in where no CI has it.

Those of libraries that CI has are tested with them, in test_interop_*.py.
"""

import subprocess
import sys
import types

import numpy as np
import pytest

import cuarray

MISSING = [("torch", "torch", "pip install torch"), ("jax", "jax.dlpack", "pip install jax"),
           ("tf", "tensorflow", "pip install tensorflow"), ("cupy", "cupy", "pip install cupy-cuda13x"),
           ("numba", "numba.cuda", "pip install numba-cuda"), ("drjit", "drjit.llvm", "pip install drjit"),
           ("drjit", "drjit.cuda", "pip install drjit")]  # fmt: skip


@pytest.mark.parametrize(("method", "module", "command"), MISSING)
def test_a_missing_library_is_named(method, module, command, device, monkeypatch):
    monkeypatch.setitem(sys.modules, module, None)
    x = cuarray.arange(3.0)
    on_cpu = device == "cpu"
    if (
        (method == "cupy" and on_cpu)
        or (method == "numba" and on_cpu)
        or (module == f"drjit.{'cuda' if on_cpu else 'llvm'}")
    ):
        return
    with pytest.raises(ImportError) as caught:
        getattr(x, method)()
    package = module if module == "numba.cuda" else module.partition(".")[0]
    assert f"{method}: {package} is not installed; type: {command}" in str(caught.value)
    assert x.tolist() == [0, 1, 2]


def test_an_error_inside_of_a_library_is_its_own(monkeypatch, tmp_path):
    (tmp_path / "cupy.py").write_text("import a_module_that_is_not_there")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(sys.modules, "cupy", raising=False)
    from cuarray._ndarray.conversions import library

    with pytest.raises(ModuleNotFoundError, match="a_module_that_is_not_there"):
        library("cupy", "cupy")


def test_a_folder_may_have_the_name_of_a_library(tmp_path):
    """A folder without __init__.py, named jax: a package without a loader."""
    (tmp_path / "jax").mkdir()
    code = f"import sys, cuarray; sys.path[:] = [{str(tmp_path)!r}]; import jax; assert list(jax.__path__) == [{str(tmp_path / 'jax')!r}]"
    subprocess.run([sys.executable, "-c", code], check=True)


def test_cupy(device, monkeypatch):
    given = []
    monkeypatch.setitem(sys.modules, "cupy", types.SimpleNamespace(from_dlpack=lambda x: given.append(x) or "cupy's"))
    x = cuarray.arange(3.0)
    for call in (x.cupy, x.__cupy_get_ndarray__):
        if device == "cpu":
            with pytest.raises(ValueError, match=r"the array is on cpu; write x\.to_device\('cuda'\)\.cupy\(\)"):
                call()
        else:
            assert call() == "cupy's" and given.pop() is x


@pytest.mark.parametrize(
    ("dtype", "name"),
    [("float32", "TensorXf"), ("float64", "TensorXf64"), ("float16", "TensorXf16"), ("int32", "TensorXi"), ("int64", "TensorXi64"),
     ("uint32", "TensorXu"), ("uint64", "TensorXu64"), ("bool", "TensorXb")],
)  # fmt: skip
def test_drjit(dtype, name, device, monkeypatch):
    given = []
    backend = types.SimpleNamespace(**{name: lambda x: given.append(x) or "Dr.Jit's"})
    monkeypatch.setitem(sys.modules, "drjit.llvm" if device == "cpu" else "drjit.cuda", backend)
    x = cuarray.ones((2, 3)).astype(dtype)
    assert x.drjit() == "Dr.Jit's" and given.pop() is x
    assert x.T.drjit() == "Dr.Jit's" and given[0].flags.c_contiguous and given[0].shape == (3, 2)


@pytest.mark.parametrize("dtype", ["int8", "complex64", "bfloat16"])
def test_drjit_lacks_types(dtype, device, monkeypatch):
    monkeypatch.setitem(sys.modules, "drjit.llvm" if device == "cpu" else "drjit.cuda", types.SimpleNamespace())
    with pytest.raises(TypeError, match=rf"no tensors of {dtype}; write x\.astype\('float32'\)\.drjit\(\)"):
        cuarray.ones(3).astype(dtype).drjit()


def test_get_is_numpy(device):
    x = cuarray.arange(6.0).reshape(2, 3)
    out = np.empty((2, 3))
    assert type(x.get()) is np.ndarray and x.get(out=out) is out
    assert x.get().tolist() == out.tolist() == x.tolist()
    assert x[0, 1].get().shape == () and x[:0].T.get().shape == (3, 0)


@pytest.mark.parametrize("layout", [np.s_[:], np.s_[::-1, 1:], np.s_[:0]], ids=str)
def test_numpy_copies_or_not(layout, device):
    x = cuarray.arange(6.0).reshape(2, 3)[layout]
    out = np.empty(x.shape)
    for copy in (True, None):
        out[...] = 9
        assert x.numpy(out=out, copy=copy) is out and out.tolist() == x.tolist()
    for made in (x.numpy(), x.numpy(copy=True)):
        made[...] = 9
        assert (x != 9).all() and made.shape == x.shape
    if device == "cpu":
        for copy in (False, None):
            view = x.numpy(copy=copy)
            assert view.tolist() == x.tolist()
            assert not x.size or (view.strides == x.strides and view.ctypes.data == x.data_ptr())
        with pytest.raises(ValueError, match="out= is a copy"):
            x.numpy(out=np.empty(x.shape), copy=False)
        x.flags.writeable = False
        assert not x.numpy(copy=False).flags.writeable
    else:
        assert x.numpy(copy=None).tolist() == x.tolist()
        with pytest.raises(ValueError, match=rf"copy=False, and the array is on {device}"):
            x.numpy(copy=False)


def test_views_of_plain_bytes_are_numpys(device):
    x = cuarray.arange(6.0).reshape(2, 3)
    if device != "cpu":
        with pytest.raises(TypeError, match="V8 is not supported"):
            x.view("V8")
        return
    view = x[::-1].view("V8")
    assert view.dtype == "V8" and view.shape == (2, 3) and view.ctypes.data == x[::-1].data_ptr()
    assert np.array_equal(view, x[::-1].numpy().view("V8")) and x.view("V4").shape == (2, 6)
    x.flags.writeable = False
    assert not x.view("V8").flags.writeable
    with pytest.raises(TypeError, match="one array per field"):
        x.view([("a", "f8")])


def test_numba_on_cpu_is_a_view():
    x = cuarray.arange(6.0, device="cpu").reshape(2, 3)[:, ::-1]
    view = x.numba()
    view[0, 0] = 9
    assert x[0, 0] == 9 and view.strides == x.strides
    x.setflags(write=False)
    assert not x.numba().flags.writeable
    assert x.numba(copy=False).ctypes.data == x.data_ptr() != x.numba(copy=True).ctypes.data
