"""DLPack by ctypes: producers and consumers for tests, also of invalid behaviour."""

import ctypes
from ctypes import POINTER, c_char_p, c_int32, c_int64, c_uint8, c_uint16, c_uint32, c_uint64, c_void_p

import numpy as np


class Device(ctypes.Structure):
    _fields_ = [("type", c_int32), ("id", c_int32)]


class DataType(ctypes.Structure):
    _fields_ = [("code", c_uint8), ("bits", c_uint8), ("lanes", c_uint16)]


class Tensor(ctypes.Structure):
    _fields_ = [
        ("data", c_void_p),
        ("device", Device),
        ("ndim", c_int32),
        ("dtype", DataType),
        ("shape", POINTER(c_int64)),
        ("strides", POINTER(c_int64)),
        ("byte_offset", c_uint64),
    ]


DELETER = ctypes.CFUNCTYPE(None, c_void_p)


class Legacy(ctypes.Structure):
    _fields_ = [("tensor", Tensor), ("context", c_void_p), ("deleter", DELETER)]


class Versioned(ctypes.Structure):
    _fields_ = [
        ("major", c_uint32),
        ("minor", c_uint32),
        ("context", c_void_p),
        ("deleter", DELETER),
        ("flags", c_uint64),
        ("tensor", Tensor),
    ]


READ_ONLY, IS_COPIED = 1, 2
NAMES = {Legacy: b"dltensor", Versioned: b"dltensor_versioned"}

api = ctypes.pythonapi
api.PyCapsule_New.restype = ctypes.py_object
api.PyCapsule_New.argtypes = [c_void_p, c_char_p, c_void_p]
api.PyCapsule_GetName.restype = c_char_p
api.PyCapsule_GetName.argtypes = [ctypes.py_object]
api.PyCapsule_GetPointer.restype = c_void_p
api.PyCapsule_GetPointer.argtypes = [ctypes.py_object, c_char_p]
api.PyCapsule_SetName.argtypes = [ctypes.py_object, c_char_p]


def name_of(capsule):
    return api.PyCapsule_GetName(capsule)


def open_capsule(capsule):
    """Return the structure that a capsule points to, without consuming it."""
    name = name_of(capsule)
    kind = Versioned if name == NAMES[Versioned] else Legacy
    return kind.from_address(api.PyCapsule_GetPointer(capsule, name))


#: Names that consumed capsules keep pointing to.
USED = {name: b"used_" + name for name in NAMES.values()}


def consume(capsule):
    """Take the structure out of its capsule, as a consumer does; the caller must call the deleter once."""
    opened = open_capsule(capsule)
    api.PyCapsule_SetName(capsule, USED[name_of(capsule)])
    return opened


#: Consumers may call deleters at any time: structures and callbacks are kept alive.
EXISTING = []


class Producer:
    """An object with __dlpack__ over the memory of a NumPy array; counts the calls of its deleter.

    Parameters
    ----------
    array : numpy.ndarray
    kind : Legacy or Versioned
    takes : set of str
        The keywords that __dlpack__ accepts; others give TypeError.
    changes : dict
        Fields of the tensor with invalid values: data, shape, shape_is_null, strides, ndim, byte_offset, code,
        bits, lanes, device; device_answer: the result of __dlpack_device__.
    """

    def __init__(self, array, kind=Versioned, takes=("stream", "max_version", "dl_device", "copy"), flags=0, major=1,
                 has_deleter=True, **changes):  # fmt: skip
        self.array, self.kind, self.takes, self.flags, self.major = array, kind, set(takes), flags, major
        self.changes, self.deleted, self.calls, self.alive = changes, 0, [], []
        self.delete = DELETER(self.count) if has_deleter else DELETER()
        EXISTING.append(self)

    def count(self, pointer):
        self.deleted += 1

    def __dlpack_device__(self):
        return self.changes.get("device_answer", self.changes.get("device", (1, 0)))

    def __dlpack__(self, **keywords):
        self.calls.append(keywords)
        if set(keywords) - self.takes:
            raise TypeError(f"unexpected keywords {set(keywords) - self.takes}")
        return self.capsule()

    def capsule(self):
        structure = self.kind()
        array, changes = self.array, self.changes
        shape = (c_int64 * array.ndim)(*array.shape)
        strides = (c_int64 * array.ndim)(*(s // array.itemsize for s in array.strides))
        codes = {"i": 0, "u": 1, "f": 2, "c": 5, "b": 6}
        tensor = structure.tensor
        tensor.data = changes.get("data", array.ctypes.data) or None
        tensor.device = Device(*changes.get("device", (1, 0)))
        tensor.ndim = changes.get("ndim", array.ndim)
        code = changes.get("code", codes.get(array.dtype.kind, 3))
        tensor.dtype = DataType(code, changes.get("bits", 8 * array.itemsize), changes.get("lanes", 1))
        if "shape" in changes:
            shape = (c_int64 * len(changes["shape"]))(*changes["shape"])
        if isinstance(changes.get("strides"), tuple):
            strides = (c_int64 * len(changes["strides"]))(*changes["strides"])
        if not changes.get("shape_is_null"):
            tensor.shape = shape
        tensor.strides = None if changes.get("strides", True) is None else strides
        tensor.byte_offset = changes.get("byte_offset", 0)
        structure.deleter = self.delete
        if self.kind is Versioned:
            structure.major, structure.minor, structure.flags = self.major, 99, self.flags
        self.alive.append((structure, shape, strides))
        return api.PyCapsule_New(ctypes.addressof(structure), NAMES[self.kind], None)


def values(tensor):
    """Read a tensor's elements as NumPy does from its description, for tensors on the host."""
    kinds = {0: "i", 1: "u", 2: "f", 5: "c", 6: "b"}
    dtype = np.dtype(f"{kinds[tensor.dtype.code]}{tensor.dtype.bits // 8}")
    shape = tuple(tensor.shape[: tensor.ndim]) if tensor.ndim else ()
    strides = tuple(s * dtype.itemsize for s in tensor.strides[: tensor.ndim]) if tensor.ndim else ()
    if 0 in shape:
        return np.empty(shape, dtype)
    reach = dtype.itemsize + sum((n - 1) * s for n, s in zip(shape, strides, strict=True))
    memory = (c_uint8 * reach).from_address(tensor.data + tensor.byte_offset)
    return np.ndarray(shape, dtype, memory, 0, strides).copy()
