"""Arrow's C data interface, read by ctypes as a consumer reads it: types, lengths, bits, memory, and who frees it."""

import ctypes
import gc

import numpy as np
import pytest

import cuarray as ca
from cuarray import memory


class Schema(ctypes.Structure):
    pass


class Column(ctypes.Structure):
    pass


Release = ctypes.CFUNCTYPE(None, ctypes.c_void_p)
Schema._fields_ = [
    ("format", ctypes.c_char_p), ("name", ctypes.c_char_p), ("metadata", ctypes.c_char_p), ("flags", ctypes.c_int64),
    ("n_children", ctypes.c_int64), ("children", ctypes.c_void_p), ("dictionary", ctypes.c_void_p), ("release", ctypes.c_void_p),
    ("private_data", ctypes.c_void_p),
]  # fmt: skip
Column._fields_ = [
    ("length", ctypes.c_int64), ("null_count", ctypes.c_int64), ("offset", ctypes.c_int64), ("n_buffers", ctypes.c_int64),
    ("n_children", ctypes.c_int64), ("buffers", ctypes.POINTER(ctypes.c_void_p)), ("children", ctypes.c_void_p),
    ("dictionary", ctypes.c_void_p), ("release", ctypes.c_void_p), ("private_data", ctypes.c_void_p),
]  # fmt: skip


class DeviceColumn(ctypes.Structure):
    _fields_ = [
        ("array", Column), ("device_id", ctypes.c_int64), ("device_type", ctypes.c_int32), ("sync_event", ctypes.c_void_p),
        ("reserved", ctypes.c_int64 * 3),
    ]  # fmt: skip


pointer = ctypes.pythonapi.PyCapsule_GetPointer
pointer.restype, pointer.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]


def content(capsule, kind, name):
    return kind.from_address(pointer(capsule, name))


def read(x):
    """Return (format, column, capsules) of an array on cpu."""
    capsules = x.__arrow_c_array__()
    schema = content(capsules[0], Schema, b"arrow_schema")
    return schema.format.decode(), content(capsules[1], Column, b"arrow_array"), capsules


def elements(column, dtype):
    """Return the elements of a column on cpu."""
    count = -(-column.length // 8) if np.dtype(dtype) == "?" else column.length
    if not count:
        return np.zeros(0, dtype)
    item = 1 if np.dtype(dtype) == "?" else np.dtype(dtype).itemsize
    data = np.frombuffer(
        ctypes.string_at(column.buffers[1], count * item), np.uint8 if np.dtype(dtype) == "?" else dtype
    )
    return np.unpackbits(data, count=column.length, bitorder="little").astype(bool) if np.dtype(dtype) == "?" else data


LETTERS = {
    "bool": "b", "int8": "c", "uint8": "C", "int16": "s", "uint16": "S", "int32": "i", "uint32": "I", "int64": "l",
    "uint64": "L", "float16": "e", "float32": "f", "float64": "g",
}  # fmt: skip
LAYOUTS = {
    "whole": lambda x: x, "reversed": lambda x: x[::-1], "steps": lambda x: x[1::3], "part": lambda x: x[5:9],
    "none": lambda x: x[:0], "repeated": lambda x: ca.broadcast_to(x[:1], (4,)), "column": lambda x: x.reshape(10, 2)[:, 1],
}  # fmt: skip


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("dtype", LETTERS)
def test_elements(dtype, layout):
    x = LAYOUTS[layout]((ca.arange(20, device="cpu") % 3).astype(dtype))
    letter, column, _capsules = read(x)
    assert letter == LETTERS[dtype]
    assert (column.length, column.null_count, column.offset, column.n_buffers) == (x.size, 0, 0, 2)
    assert column.buffers[0] is None and column.buffers[1]
    np.testing.assert_array_equal(elements(column, x.dtype), x.numpy())


def test_contiguous_elements_are_shared():
    x = ca.arange(6.0, device="cpu")
    _, column, _capsules = read(x[2:])
    assert column.buffers[1] == np.asarray(x)[2:].ctypes.data
    x[2] = 7
    assert elements(column, "f8")[0] == 7
    _, packed, _others = read(x[::2])
    start = np.asarray(x).ctypes.data
    assert not start <= packed.buffers[1] < start + x.nbytes


def test_memory_lives_as_long_as_the_column():
    def stand():
        gc.collect()
        return memory.stats("cpu")["current"]

    before = stand()
    capsules = ca.ones(1_000_000, device="cpu").__arrow_c_array__()
    assert stand() >= before + 8_000_000
    column = content(capsules[1], Column, b"arrow_array")
    assert elements(column, "f8").sum() == 1_000_000
    Release(column.release)(ctypes.addressof(column))  # as a consumer does that has moved the struct
    assert column.release is None and stand() < before + 1_000_000
    del capsules, column
    unused = ca.ones(1_000_000, device="cpu").__arrow_c_array__()
    assert stand() >= before + 8_000_000
    del unused
    assert stand() < before + 1_000_000


def test_pending_writes_are_seen():
    x = ca.zeros(100_000, device="cpu")
    with ca.fuse():
        y = x + 1
        _, column, _capsules = read(y)
    assert elements(column, "f8").min() == 1


REFUSED = {
    "x.reshape(2, 3)": "one axis, not shape (2, 3); write x.ravel()",
    "x.sum()": "write x.reshape(1)",
    "x * 1j": "no complex128; write x.real and x.imag",
    "x.astype(ca.bfloat16)": "no bfloat16; write x.astype('float32')",
}


@pytest.mark.parametrize("method", ["__arrow_c_array__", "__arrow_c_device_array__"])
@pytest.mark.parametrize("expression", REFUSED)
def test_what_arrow_does_not_have_is_refused(expression, method, device):
    if device != "cpu" and method == "__arrow_c_array__":
        return
    x = eval(expression, {"ca": ca, "x": ca.arange(6.0)})
    with pytest.raises(BufferError) as raised:
        getattr(x, method)()
    assert str(raised.value).startswith(method + ": ") and REFUSED[expression] in str(raised.value)


@pytest.mark.parametrize(
    "own, wanted, given",
    [
        ("f8", "f4", "f4"),
        ("i4", "i8", "i8"),
        ("i8", "i4", "i8"),
        ("f8", "i4", "f8"),
        ("i2", "f8", "f8"),
        ("?", "f8", "f8"),
    ],
)
def test_a_requested_type_is_given_where_nothing_is_lost(own, wanted, given):
    x = (ca.arange(6, device="cpu") % 2).astype(own)
    schema, _ = ca.ones(1, dtype=wanted, device="cpu").__arrow_c_array__()
    kind, capsule = x.__arrow_c_array__(schema)
    assert content(kind, Schema, b"arrow_schema").format.decode() == LETTERS[ca.dtype(given).name]
    column = content(capsule, Column, b"arrow_array")
    np.testing.assert_array_equal(elements(column, given), x.numpy())


def test_arguments():
    x = ca.ones(2, device="cpu")
    with pytest.raises(ValueError):
        x.__arrow_c_array__(x.__arrow_c_array__()[1])  # another capsule
    assert len(x.__arrow_c_array__(None)) == len(x.__arrow_c_array__(requested_schema=None)) == 2
    with pytest.raises(TypeError):
        x.__arrow_c_array__(1, 2)


@pytest.mark.parametrize("dtype", ["float32", "bool"])
def test_columns_of_each_device(dtype, device):
    x = ca.arange(1000).astype(dtype) + ca.zeros(1000, dtype=dtype)
    schema, capsule = x.__arrow_c_device_array__()
    column = content(capsule, DeviceColumn, b"arrow_device_array")
    assert content(schema, Schema, b"arrow_schema").format.decode() == LETTERS[dtype]
    if device == "cpu":
        assert (column.device_type, column.device_id) == (1, -1)
        np.testing.assert_array_equal(elements(column.array, x.dtype), x.numpy())
        return
    assert (column.device_type, column.device_id) == (2, int(device.partition(":")[2])) and column.sync_event is None
    if dtype != "bool":
        assert column.array.buffers[1] == x.__cuda_array_interface__["data"][0]
    with pytest.raises(BufferError, match=r"write x\.numpy\(\)"):
        x.__arrow_c_array__()
