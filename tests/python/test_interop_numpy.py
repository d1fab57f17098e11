"""NumPy's functions on cuarray's arrays, and memory shared by both."""

import os

import numpy as np
import pytest
from oracle import bits

import cuarray

TYPES = ["bool", "int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64", "float16", "float32", "float64",
         "complex64", "complex128"]  # fmt: skip


def address(x):
    return x.__array_interface__["data"][0]


@pytest.fixture
def cpu():
    with cuarray.device("cpu"):
        yield


# NumPy's functions


@pytest.mark.parametrize("name", sorted(n for n, f in vars(np).items() if isinstance(f, np.ufunc)))
def test_ufuncs_give_our_arrays(name, device):
    ufunc = getattr(np, name)
    if name == "isnat":
        with pytest.raises(TypeError):
            ufunc(cuarray.ones((2, 2)))
        return
    args = [cuarray.full((3, 3), k + 1, dtype="i4") for k in range(ufunc.nin)]
    theirs, ours = ufunc(*args), getattr(cuarray, name)(*args)
    for a, b in zip(*(r if isinstance(r, tuple) else (r,) for r in (theirs, ours)), strict=True):
        assert isinstance(a, cuarray.ndarray) and bits(a) == bits(b)


def test_methods_and_keywords_of_ufuncs(device):
    x, y = cuarray.arange(6.0).reshape(2, 3), cuarray.zeros((2, 3))
    assert np.add(x, 1, out=y) is y and y.tolist() == (x + 1).tolist()
    assert np.add.reduce(x).tolist() == [3, 5, 7] and np.add.reduce(x, axis=None).item() == 15
    assert np.multiply.outer(x[0], x[1]).shape == (3, 3)
    assert np.multiply(x, 2, where=x > 2, out=y).tolist() == [[1, 2, 3], [6, 8, 10]]
    assert np.add(x, x, dtype="f4").dtype == np.float32
    assert all(isinstance(r, cuarray.ndarray) for r in np.modf(x))
    total = cuarray.zeros(3)
    assert np.add.reduce(x, axis=0, out=total) is total
    assert np.add.accumulate(x, axis=1).tolist() == [[0, 1, 3], [3, 7, 12]]
    assert np.add.reduceat(x, [0, 2], axis=1).tolist() == [[1, 2], [7, 5]]
    np.add.at(y, (0, [1, 1]), 10)
    assert y.tolist() == [[1, 22, 3], [6, 8, 10]]
    with pytest.raises(TypeError):
        np.add(x, 1, out=np.zeros((2, 3), object))


CALLS = [
    "sum(x)", "mean(x, axis=0)", "max(x)", "amin(x, 1)", "var(x)", "argmax(x)", "any(x)", "count_nonzero(x)", "reshape(x, 6)", "transpose(x)",
    "concatenate([x, x])", "stack([x, x])", "vstack([x, x])", "where(x > 1, x, 0)", "clip(x, 1, 2)", "round(x)", "zeros_like(x)", "full_like(x, 3)",
    "expand_dims(x, 0)", "squeeze(x)", "flip(x)", "roll(x, 1)", "tile(x, 2)", "repeat(x, 2)", "split(x, 2)", "broadcast_to(x, (2, 2, 3))", "moveaxis(x, 0, 1)",
    "isclose(x, x)", "allclose(x, x)", "array_equal(x, x)", "atleast_3d(x)", "tril(x)", "diag(x)", "copy(x)", "shape(x)", "ndim(x)", "size(x)", "result_type(x, x)",
    "linspace(x, 1, 3)", "meshgrid(x, x)", "broadcast_arrays(x, x)", "shares_memory(x, x)", "can_cast(x.dtype, 'f4')", "swapaxes(x, 0, 1)", "ravel(x)", "std(x)",
    "prod(x)", "all(x)", "iscomplexobj(x)", "rot90(x)", "array_split(x, 2)", "column_stack([x, x])", "permute_dims(x)", "astype(x, 'f4')", "unstack(x)", "around(x)",
    "real(x)", "imag(x)",
]  # fmt: skip


@pytest.mark.parametrize("call", CALLS)
def test_functions_give_our_results(call, device):
    x = cuarray.arange(6.0).reshape(2, 3)
    theirs, ours = eval(f"np.{call}"), eval(f"cuarray.{call}")
    pairs = zip(theirs, ours, strict=True) if isinstance(ours, tuple | list) else [(theirs, ours)]
    for a, b in pairs:
        if isinstance(b, cuarray.ndarray):
            assert isinstance(a, cuarray.ndarray) and bits(a) == bits(b) and a.device == x.device
        else:
            assert a == b and not isinstance(a, np.ndarray)


def test_every_function_with_numpys_name_answers_for_it():
    """Every function: NumPy's version dispatches to cuarray, or takes no array."""
    from numpy.testing.overrides import get_overridable_numpy_array_functions

    overridable = get_overridable_numpy_array_functions()
    common = {name for name in cuarray.__all__ if callable(f := getattr(np, name, None)) and f in overridable}
    called = {call.partition("(")[0] for call in CALLS}
    assert len(common) >= 90, sorted(common)
    assert called <= common


@pytest.mark.parametrize("call", ["zeros(2, like=x)", "array([1], like=x)", "asarray([1], like=x)", "arange(3, like=x)", "eye(2, like=x)", "full(2, 5, like=x)", "ones(1, like=x)",
                                  "empty(2, like=x)", "identity(2, like=x)", "frombuffer(b'ab', 'u1', like=x)"])  # fmt: skip
def test_like(call, device):
    x = cuarray.ones(2)
    result = eval(f"np.{call}")
    assert isinstance(result, cuarray.ndarray) and result.device == x.device


# Operators between the two


def test_numpy_scalars_go_along(device):
    x = cuarray.ones(2, "f4")
    for value in (np.float32(2), np.int8(2)):
        assert (x * value).dtype == np.float32
        for result in (x * value, value * x, value + x, value - x, value > x, x / value):
            assert isinstance(result, cuarray.ndarray)
    assert (np.float64(2) * x).dtype == np.float64 == (x * np.float64(2)).dtype


def test_numpy_arrays_beside_cpu_arrays(cpu):
    host, x = np.arange(3.0), cuarray.ones(3)
    for result in (host + x, x + host, host * x, host < x, host**x, divmod(host, x)[0], x - host):
        assert isinstance(result, cuarray.ndarray)
    x += host
    assert x.tolist() == [1, 2, 3]
    assert cuarray.add(host, host).tolist() == [0, 2, 4]
    before = host
    host += x
    assert host is before and host.tolist() == [1, 3, 5], "ours is computed, NumPy's memory is written"
    assert cuarray.concat([host, x]).shape == (6,)


# One memory


@pytest.mark.parametrize("type", TYPES)
@pytest.mark.parametrize("view", ["x", "x.T", "x[::2]", "x[:, ::-1]", "x[1, ...]", "x[:0]", "x.reshape(2, 6)"])
def test_asarray_shares_memory(type, view, cpu):
    x = cuarray.arange(12).astype(type).reshape(3, 4)
    x = eval(view)
    for make in (np.asarray, np.from_dlpack, lambda x: np.array(x, copy=False), lambda x: np.asarray(memoryview(x))):
        host = make(x)
        assert host.dtype == x.dtype and host.shape == x.shape
        np.testing.assert_array_equal(host, x.numpy())
        # DLPack's consumers do not accept negative strides; they get a copy.
        if x.size and not (make is np.from_dlpack and min(x.strides) < 0):
            assert address(host) == address(x) and (host.strides == x.strides or x.size == 1)
    for back in (cuarray.asarray(np.asarray(x)), cuarray.from_dlpack(np.asarray(x))):
        if x.size:
            assert address(back) == address(x)
        assert bits(back) == bits(x)


def test_writes_are_seen_on_both_sides(cpu):
    x = cuarray.zeros(4)
    host = np.asarray(x)
    host[1] = 5
    x[2] = 7
    assert x.tolist() == host.tolist() == [0, 5, 7, 0]
    del x
    assert host.tolist() == [0, 5, 7, 0], "the memory lives as long as either side"


def test_memory_of_numpy_lives_on(cpu):
    host = np.arange(1000.0)
    x = cuarray.asarray(host)
    y = x[500:]
    del host, x
    assert y[0].item() == 500


def test_copy_and_dtype_of_array_protocol(cpu):
    x = cuarray.arange(3)
    assert np.array(x).base is None or address(np.array(x)) != address(x)
    assert np.asarray(x, dtype="f4").dtype == np.float32
    with pytest.raises(ValueError, match="copy"):
        np.array(x, dtype="f4", copy=False)
    assert np.array(x, copy=True).flags.writeable


def test_read_only_memory_stays_read_only(cpu):
    """By every protocol (numpy #20742, #28599, #28600, #28632)."""
    x = cuarray.broadcast_to(cuarray.ones(3), (2, 3))
    assert not np.asarray(x).flags.writeable and not np.from_dlpack(x).flags.writeable
    x = cuarray.ones(3)
    x.flags.writeable = False
    assert memoryview(x).readonly and not np.frombuffer(x).flags.writeable
    with pytest.raises((BufferError, TypeError)), open(os.devnull, "rb") as file:
        file.readinto(x)
    y = cuarray.asarray(memoryview(b"abc"))
    with pytest.raises(ValueError, match="read-only"):
        y[0] = 1


def test_buffer_protocol(cpu):
    x = cuarray.arange(6, dtype="i4").reshape(2, 3)
    view = memoryview(x)
    assert (view.format, view.shape, view.strides, view.readonly) == ("i", (2, 3), (12, 4), False)
    view[1, 2] = 50
    assert x[1, 2].item() == 50
    assert bytes(memoryview(x.T)) == x.T.numpy().tobytes()
    with pytest.raises(BufferError):
        memoryview(cuarray.ones(2, "bfloat16"))


def test_bfloat16_goes_by_array(cpu):
    x = cuarray.asarray([1.5, 2.5], dtype="bfloat16")
    assert not hasattr(x, "__array_interface__")
    host = np.asarray(x)
    assert host.dtype == cuarray.bfloat16 and host.astype("f8").tolist() == [1.5, 2.5]
    assert bits(cuarray.asarray(host)) == bits(x)


def test_arrays_on_a_gpu_refuse_silent_transfers():
    for gpu in (d for d in cuarray.devices() if d != "cpu"):
        x = cuarray.ones(3, device=gpu)
        with pytest.raises(TypeError, match=r"\.numpy\(\)"):
            np.asarray(x)
        assert not hasattr(x, "__array_interface__")
        with pytest.raises((BufferError, TypeError)):
            memoryview(x)
        interface = x.__cuda_array_interface__
        assert (interface["version"], interface["shape"], interface["typestr"]) == (3, (3,), "<f8")
        assert interface["stream"] != 0
    assert not hasattr(cuarray.ones(3, device="cpu"), "__cuda_array_interface__")


# DLPack


def test_dlpack_capsules(cpu):
    x = cuarray.arange(4)
    assert x.__dlpack_device__() == (1, 0)
    assert '"dltensor"' in repr(x.__dlpack__())
    assert '"dltensor_versioned"' in repr(x.__dlpack__(max_version=(1, 0)))
    assert '"dltensor"' in repr(x.__dlpack__(max_version=(0, 8)))
    copied = cuarray.from_dlpack(x, copy=True)
    assert address(copied) != address(x) and bits(copied) == bits(x)
    assert address(cuarray.from_dlpack(x)) == address(x)
    with pytest.raises(ValueError):
        x.__dlpack__(stream=1)
    with pytest.raises(BufferError):
        x.__dlpack__(dl_device=(2, 0), copy=False)


def test_unused_capsules_free_their_memory(cpu):
    """By every version of the protocol (pytorch #9261, onnxruntime #32732)."""
    import gc

    gc.collect()
    before = cuarray.memory.stats()["allocations"]
    for version in (None, (1, 0)):
        capsule = cuarray.ones(1000).__dlpack__(max_version=version)
        assert cuarray.memory.stats()["allocations"] == before + 1
        del capsule
        assert cuarray.memory.stats()["allocations"] == before


def test_iterating_numpy_functions_over_lists_of_ours(cpu):
    rows = [cuarray.arange(3), cuarray.ones(3, int)]
    assert np.asarray(rows).tolist() == [[0, 1, 2], [1, 1, 1]]
    np.testing.assert_allclose(cuarray.ones(3), np.ones(3))
    assert sorted(cuarray.asarray([3, 1, 2]).tolist()) == [1, 2, 3]
