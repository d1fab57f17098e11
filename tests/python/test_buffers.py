"""Arrays as bytes: what takes any object's bytes takes an array's, as NumPy's, and PyTorch is refused them."""

import base64
import ctypes
import hashlib
import io
import mmap
import os
import shutil
import socket
import sqlite3
import struct
import subprocess
import sys
import sysconfig
import types
import zlib
from tempfile import TemporaryFile

import numpy as np
import pytest

import cuarray


@pytest.fixture
def cpu():
    with cuarray.device("cpu"):
        yield


def written(x):
    with TemporaryFile(buffering=0) as file:
        file.write(x)
        file.seek(0)
        return file.read()


def through_a_pipe(x):
    reader, writer = os.pipe()
    with open(reader, "rb") as source, open(writer, "wb") as sink:
        os.write(writer, x)
        sink.write(x)
        sink.close()
        return source.read()


def sent(x):
    one, other = socket.socketpair()
    with one, other:
        one.sendall(x)
        one.close()
        return other.recv(4096)


def mapped(x):
    with mmap.mmap(-1, 4096) as memory:
        memory.write(x)
        return memory[:64]


def stored(x):
    return sqlite3.connect(":memory:").execute("select ?, typeof(?)", (x, x)).fetchone()


#: What reads bytes. Python asks each in its own way: with or without a shape and a format.
READERS = {
    "BytesIO": lambda x: (lambda file: (file.write(x), file.getvalue()))(io.BytesIO()),
    "file": written,
    "pipe": through_a_pipe,
    "socket": sent,
    "mmap": mapped,
    "sqlite3": stored,
    "hashlib": lambda x: [hashlib.new(name, x).digest() for name in ("sha256", "md5", "blake2b")],
    "zlib": lambda x: (zlib.crc32(x), zlib.compress(x)),
    "base64": base64.b64encode,
    "join": lambda x: b"-".join([x, x]),
    "bytes": lambda x: bytearray(x),
    "extend": lambda x: bytearray(b"-").__iadd__(x),
    "in": lambda x: x in b"abc",
    "struct": lambda x: struct.unpack_from("B", x),
    "from_bytes": lambda x: int.from_bytes(x, "little"),
    "from_buffer_copy": lambda x: bytes((ctypes.c_char * 2).from_buffer_copy(x)),
    "frombuffer": lambda x: np.frombuffer(x, "u1").tolist(),
    "frombuffer of ours": lambda x: cuarray.frombuffer(x, "u1").tolist(),
    "memoryview": lambda x: bytes(memoryview(x).cast("B")) if x.size else b"",
}


def into(read):
    """Return a function that fills a copy of an array with bytes."""

    def fill(x):
        x = x.copy()
        return read(x), x.tolist()

    return fill


def received(x):
    one, other = socket.socketpair()
    with one, other:
        one.sendall(b"\1" * x.nbytes)
        return other.recv_into(x)


def read_into(x):
    with TemporaryFile(buffering=0) as file:
        file.write(b"\2" * x.nbytes)
        file.seek(0)
        return file.readinto(x)


WRITERS = {
    "BytesIO": into(lambda x: io.BytesIO(b"\0" * 100).readinto(x)),
    "file": into(read_into),
    "socket": into(received),
    "struct": into(lambda x: struct.pack_into("B", x, 0, 1)),
    "from_buffer": into(lambda x: (ctypes.c_char * 2).from_buffer(x).__setitem__(0, b"\1")),
}

#: Arrays of every kind of layout: shape, dtype, and what is done to it.
LAYOUTS = {
    "line": lambda xp: xp.asarray([1.5, -2]),
    "ints": lambda xp: xp.asarray([[1, 2], [3, 400]], dtype="i2"),
    "bools": lambda xp: xp.asarray([True, False, True]),
    "halves": lambda xp: xp.ones((2, 1, 3), "f2")[:, :, 1:][:1],
    "complex": lambda xp: xp.asarray([[1 + 2j]]),
    "one": lambda xp: xp.full((), 2.5),
    "bytes": lambda xp: xp.asarray([[1, 2], [3, 4]], dtype="u1"),
    "column": lambda xp: xp.ones((4, 1))[:, ::1],
    "nothing": lambda xp: xp.ones((0, 3)),
    "fortran": lambda xp: xp.ones((2, 3)).T,
    "strided": lambda xp: xp.ones(6)[::2],
    "backwards": lambda xp: xp.asarray([1, 2])[::-1],
    "broadcast": lambda xp: xp.broadcast_to(xp.ones(1), (3,)),
    "part": lambda xp: xp.arange(5)[1:3],
}


def outcome(call, xp, layout):
    try:
        return call(LAYOUTS[layout](xp))
    except Exception as error:
        return "refused", isinstance(error, ValueError | BufferError | TypeError | struct.error)


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("reader", READERS)
def test_bytes_are_read_as_numpys(reader, layout, cpu):
    assert outcome(READERS[reader], cuarray, layout) == outcome(READERS[reader], np, layout)


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("writer", WRITERS)
def test_bytes_are_written_as_numpys(writer, layout, cpu):
    assert outcome(WRITERS[writer], cuarray, layout) == outcome(WRITERS[writer], np, layout)


def test_read_only_arrays_are_read_and_not_written(cpu):
    x = cuarray.ones(3)
    x.flags.writeable = False
    for name, read in READERS.items():
        assert read(x) == read(np.ones(3)), name
    with pytest.raises(TypeError):
        io.BytesIO(b"\0" * 24).readinto(x)


def test_values_give_their_bytes(cpu):
    for value in (cuarray.ones(2).sum(), cuarray.asarray([3]).max(), cuarray.ones(1, bool).any()):
        assert b"".join([value]) == written(value) == value.numpy().tobytes()
        with memoryview(value) as view:
            assert not view.readonly
        assert {value}
        with memoryview(value) as view:
            assert view.readonly


def test_bfloat16_has_bytes_but_no_format(cpu):
    x = cuarray.asarray([1.5, 2.5], dtype="bfloat16")
    assert hashlib.sha256(x).digest() == hashlib.sha256(x.view("u2")).digest() and written(x) == x.tobytes()
    with pytest.raises(BufferError, match="bfloat16"):
        memoryview(x)


@pytest.mark.parametrize("layout", LAYOUTS)
def test_memoryviews_describe_arrays_as_numpys(layout, cpu):
    for view in (memoryview, lambda x: x.data):
        ours, numpys = view(LAYOUTS[layout](cuarray)), view(LAYOUTS[layout](np))
        for name in (
            "format",
            "itemsize",
            "shape",
            "strides",
            "readonly",
            "ndim",
            "nbytes",
            "c_contiguous",
            "contiguous",
        ):
            assert getattr(ours, name) == getattr(numpys, name), name
        assert ours.tobytes() == numpys.tobytes()


@pytest.mark.parametrize("layout", LAYOUTS)
def test_array_interfaces_are_numpys(layout, cpu):
    ours, numpys = (LAYOUTS[layout](xp).__array_interface__ for xp in (cuarray, np))
    for name in ("shape", "typestr", "strides", "version"):
        assert ours[name] == numpys[name], name
    assert ours["data"][1] == numpys["data"][1]


def test_exported_bytes_are_of_shared_memory(cpu):
    """What reads the memory later sees what was written meanwhile, also where that was fused."""
    x = cuarray.zeros(3)
    view = x.data
    with cuarray.fuse():
        x += 1
        x *= 2
    assert view.tolist() == [2, 2, 2]
    view[0] = 5
    assert x.tolist() == [5, 2, 2]


def test_ctypes(cpu):
    x = cuarray.asarray([[1.0, 2], [3, 4]])
    pointer = x.ctypes.data_as(ctypes.POINTER(ctypes.c_double))
    pointer[3] = 7
    assert x.ctypes.data == x.__array_interface__["data"][0] and x[1, 1] == 7
    assert list(x.T.ctypes.shape) == [2, 2] and list(x.T.ctypes.strides) == [8, 16]
    assert list(x.ctypes.shape_as(ctypes.c_int)) == [2, 2] and list(x.ctypes.strides_as(ctypes.c_int)) == [16, 8]
    assert x.ctypes._as_parameter_.value == x.ctypes.data
    assert x.__array__().base.base is x
    ctypes.memset(x.ctypes, 0, 8)
    assert x[0, 0] == 0
    shared = np.ctypeslib.as_ctypes(x)
    shared[0][0] = 9
    assert x[0, 0] == 9
    with pytest.raises(TypeError):
        np.ctypeslib.as_ctypes(x.T)


def test_arrays_on_a_gpu_say_what_to_write():
    for gpu in (d for d in cuarray.devices() if d != "cpu"):
        x = cuarray.ones(3, device=gpu)
        for read in (hashlib.sha256, written, zlib.crc32, memoryview):
            with pytest.raises(BufferError, match=r"write x\.numpy\(\)"):
                read(x)
        for name in ("data", "ctypes"):
            with pytest.raises(AttributeError, match=rf"write x\.numpy\(\)\.{name}"):
                getattr(x, name)


REQUESTS = """
#include <Python.h>
extern "C" long long length_of(PyObject* object, int flags) {
    Py_buffer view;
    if (PyObject_GetBuffer(object, &view, flags) < 0) { PyErr_Clear(); return -1; }
    const long long length = view.len;
    PyBuffer_Release(&view);
    return length;
}
"""


@pytest.mark.skipif(shutil.which("g++") is None, reason="no C++ compiler")
@pytest.mark.parametrize("optimised", ["-O0", "-O2"])
def test_torchs_library_gets_no_bare_bytes(optimised, tmp_path, cpu, monkeypatch):
    """torch.asarray makes this request and reads the bytes as numbers of its default type (pytorch #188128)."""
    include = f"-I{sysconfig.get_paths()['include']}"
    (tmp_path / "requests.cpp").write_text(REQUESTS)
    torchs, others = tmp_path / "libtorch_python.so", tmp_path / "others.so"
    command = ["g++", optimised, "-shared", "-fPIC", include, tmp_path / "requests.cpp", "-o", torchs]
    subprocess.run(command, check=True)
    others.write_bytes(torchs.read_bytes())
    arrays = [cuarray.ones(4, "u1"), cuarray.ones(2), cuarray.ones((2, 2)), cuarray.full((), 1.0), cuarray.ones(1)[0]]
    bare, writable, full = 0, 1, 0x1C

    def lengths(library, flags):
        read = ctypes.PyDLL(str(library)).length_of
        read.argtypes, read.restype = [ctypes.py_object, ctypes.c_int], ctypes.c_longlong
        return [read(x, flags) for x in arrays]

    assert lengths(torchs, bare) == lengths(others, bare) == [x.nbytes for x in arrays], "PyTorch is not imported"
    monkeypatch.setitem(sys.modules, "torch", sys.modules.get("torch", types.ModuleType("torch")))
    assert lengths(torchs, bare) == lengths(torchs, writable) == [-1] * len(arrays)
    assert lengths(others, bare) == lengths(torchs, full) == [x.nbytes for x in arrays]
    assert hashlib.sha256(arrays[1]).digest() == hashlib.sha256(np.ones(2)).digest()
