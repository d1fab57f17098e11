"""DLPack's table of C functions: ours, called by ctypes, and what keeps a table of others from being used."""

import ctypes
import gc
from ctypes import CFUNCTYPE, POINTER, c_char_p, c_int, c_int32, c_int64, c_void_p, py_object

import capsules
import numpy as np
import pytest
from capsules import IS_COPIED, READ_ONLY, Tensor, Versioned

import cuarray

SET_ERROR = CFUNCTYPE(None, c_void_p, c_char_p, c_char_p)


class Table(ctypes.Structure):
    """DLPackExchangeAPI of DLPack 1.3; its functions are called with the GIL."""

    _fields_ = [
        ("major", ctypes.c_uint32),
        ("minor", ctypes.c_uint32),
        ("previous", c_void_p),
        ("allocate", ctypes.PYFUNCTYPE(c_int, POINTER(Tensor), POINTER(c_void_p), c_void_p, SET_ERROR)),
        ("from_object", ctypes.PYFUNCTYPE(c_int, py_object, POINTER(c_void_p))),
        ("to_object", ctypes.PYFUNCTYPE(c_int, c_void_p, POINTER(c_void_p))),
        ("borrowed", c_void_p),
        ("work_stream", ctypes.PYFUNCTYPE(c_int, c_int32, c_int32, POINTER(c_void_p))),
    ]


CAPSULE = cuarray.ndarray.__dlpack_c_exchange_api__
TABLE = ctypes.cast(capsules.api.PyCapsule_GetPointer(CAPSULE, b"dlpack_exchange_api"), POINTER(Table))[0]


def tensor_of(x):
    """Return the tensor that the table gives for an array."""
    out = c_void_p()
    assert TABLE.from_object(x, ctypes.byref(out)) == 0
    return ctypes.cast(out, POINTER(Versioned))


def free(tensor):
    tensor[0].deleter(ctypes.cast(tensor, c_void_p))


def array_of(tensor):
    """Return the array that the table makes of a tensor, which it takes over."""
    out = c_void_p()
    assert TABLE.to_object(ctypes.cast(tensor, c_void_p), ctypes.byref(out)) == 0
    array = ctypes.cast(out, py_object).value
    ctypes.pythonapi.Py_DecRef(py_object(array))
    return array


def live_blocks(device):
    gc.collect()
    return cuarray.memory.stats(device)["allocations"]


def test_the_table_is_whole():
    assert (TABLE.major, TABLE.minor >= 3, TABLE.previous, TABLE.borrowed) == (1, True, None, None)
    assert all([TABLE.allocate, TABLE.from_object, TABLE.to_object, TABLE.work_stream])
    assert not hasattr(cuarray.zeros(1, device="cpu"), "__c_dlpack_exchange_api__")


@pytest.mark.parametrize("name", cuarray._core.dtype_names())
@pytest.mark.parametrize("shape", [(), (3,), (2, 3), (3, 0, 2)], ids=str)
def test_there_and_back(device, name, shape):
    x = cuarray.ones(shape, device=device).astype(name)
    tensor = tensor_of(x)
    assert list(tensor[0].tensor.shape[: x.ndim] if x.ndim else []) == list(shape)
    back = array_of(tensor)
    assert type(back) is cuarray.ndarray and back.dtype == x.dtype and back.device == x.device
    assert back.shape == shape and back.tolist() == x.tolist()
    if x.size and x.ndim:
        x[...] = 0
        assert not back.astype(bool).any(), "one memory"


def test_nothing_leaks(device):
    x = cuarray.ones(1000, device=device)
    before = live_blocks(device)
    for _ in range(100):
        free(tensor_of(x))
        array_of(tensor_of(x))
    assert live_blocks(device) == before
    tensor = tensor_of(x)
    del x
    assert live_blocks(device) == before, "the tensor keeps the memory"
    free(tensor)
    assert live_blocks(device) == before - 1


def test_flags(device):
    x = cuarray.arange(4.0, device=device)
    x.setflags(write=False)
    for array, flags in ((x, READ_ONLY), (x.copy(), 0), (x.copy()[::-1], IS_COPIED)):
        tensor = tensor_of(array)
        assert tensor[0].flags == flags
        assert array_of(tensor).flags.writeable == (not flags & READ_ONLY)


def test_other_objects_are_refused():
    out = c_void_p()
    for other in (1, None, np.ones(3), cuarray.ndarray):
        with pytest.raises(TypeError, match=r"expected a cuarray\.ndarray"):
            TABLE.from_object(other, ctypes.byref(out))


def test_a_tensor_that_is_refused_stays_with_the_caller():
    tensor = tensor_of(cuarray.ones(3, device="cpu"))
    tensor[0].tensor.dtype.lanes = 4
    with pytest.raises(BufferError, match="4 lanes"):
        array_of(tensor)
    tensor[0].tensor.dtype.lanes = 1
    assert array_of(tensor).tolist() == [1, 1, 1]


def test_allocation(device):
    like = tensor_of(cuarray.zeros((2, 3), "float32", device=device))
    errors = []
    report = SET_ERROR(lambda context, kind, message: errors.append((kind, message)))
    out = c_void_p()
    assert TABLE.allocate(ctypes.byref(like[0].tensor), ctypes.byref(out), None, report) == 0
    made = array_of(ctypes.cast(out, POINTER(Versioned)))
    assert made.shape == (2, 3) and made.dtype == np.float32 and made.device == cuarray.device(device)
    made[...] = 1
    like[0].tensor.shape[0] = -1
    assert TABLE.allocate(ctypes.byref(like[0].tensor), ctypes.byref(out), None, report) == -1
    assert errors == [(b"BufferError", b"from_dlpack: negative extent -1")]
    like[0].tensor.shape = (c_int64 * 2)(2, 3)
    like[0].tensor.dtype.bits = 7
    assert TABLE.allocate(ctypes.byref(like[0].tensor), ctypes.byref(out), None, report) == -1
    assert len(errors) == 2
    free(like)


def test_the_stream_of_the_work(device):
    x = cuarray.zeros(3, device=device)
    kind, index = x.__dlpack_device__()
    out = c_void_p(1)
    assert TABLE.work_stream(kind, index, ctypes.byref(out)) == 0
    if device == "cpu":
        assert out.value is None
        return
    with cuarray.Stream(device=device) as stream:
        assert TABLE.work_stream(kind, index, ctypes.byref(out)) == 0
        assert out.value == stream.handle


def test_work_on_other_streams_comes_first(device):
    """The consumer works on the stream that the table names, and only on that."""
    if device == "cpu":
        pytest.skip("cpu runs everything at the call")
    with cuarray.Stream(device=device):
        x = cuarray.arange(1000.0, device=device) + 1
    with cuarray.Stream(device=device) as other:
        tensor = tensor_of(x)
        out = c_void_p()
        kind, index = x.__dlpack_device__()
        assert TABLE.work_stream(kind, index, ctypes.byref(out)) == 0 and out.value == other.handle
        assert array_of(tensor).sum() == 500500


CALLS = []
NAME = b"dlpack_exchange_api"  # a capsule does not copy its name
COPIED = Table.from_buffer_copy(TABLE)


@Table._fields_[4][1]
def noted(x, out):
    CALLS.append(x)
    return TABLE.from_object(cuarray.ones(3, device="cpu"), out)


COPIED.from_object = noted


class Producer:
    """A class of Python's with a table that it may have copied: its objects are not what the functions take."""

    __dlpack_c_exchange_api__ = capsules.api.PyCapsule_New(ctypes.addressof(COPIED), NAME, None)

    def __dlpack_device__(self):
        return 1, 0

    def __dlpack__(self, **options):
        raise BufferError("asked by the method")


@pytest.mark.parametrize("read", [cuarray.from_dlpack, cuarray.asarray])
def test_tables_in_classes_of_python_are_not_used(read):
    with pytest.raises(BufferError, match="asked by the method"):
        read(Producer())
    for value in (None, 1, b"", capsules.Producer):
        other = type("Other", (Producer,), {"__dlpack_c_exchange_api__": value})
        with pytest.raises(BufferError, match="asked by the method"):
            read(other())
    assert not CALLS


def test_our_class_is_no_consumer_of_itself():
    with pytest.raises(TypeError, match="expected a class"):
        cuarray.zeros(1, device="cpu")._as_exchanged(3)
    assert cuarray.zeros(1, device="cpu")._as_exchanged(Producer) is None
