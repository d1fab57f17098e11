"""Array interfaces of NumPy and CUDA, buffers and streams: dictionaries and structures of every kind."""

import ctypes
import sys
from ctypes import POINTER, c_char, c_char_p, c_int, c_ssize_t, c_void_p
from typing import ClassVar

import numpy as np
from capsule_inputs import memory_of
from families import HOSTILE, Family, bare, expect, gpu, refused

import cuarray

ELEMENTS = 64

SHAPES = (
    [2, 3],
    [],
    [0],
    [4],
    [1, 1],
    [3, 0, 2],
    [2, 2, 2],
    [-1],
    [2**31],
    [2**62, 4],
    [2**63, 1],
    [2**70],
    [1] * 64,
    [1] * 65,
)
STRIDES = (
    "absent",
    "None",
    "C",
    "F",
    "zero",
    "reversed",
    "odd",
    "short",
    "long",
    "text",
    "huge",
    "lowest",
    "1.5",
    "raising",
)
TYPESTRS = ("<f4", "<f8", "|b1", "|u1", "<i8", "<c16", ">f4", "f4", "|V4", "<M8[s]", "<m8", "|S3", "|O", "<f16", "<f3", "", "<",
            "<f-4", "f4,f4", "float32", "\u0394", None, "None", "1", "bytes", "raising", "object", "class", "dtype", "endless list")  # fmt: skip


def strides_of(wish, shape, item):
    """Strides in bytes as the input gives them: a tuple, or an invalid object."""
    steps, step = [], item
    for extent in reversed(shape):
        steps.insert(0, step)
        step *= max(extent, 1)
    ways = {
        "C": lambda: tuple(steps),
        "F": lambda: tuple(reversed(steps)),
        "zero": lambda: (0,) * len(shape),
        "reversed": lambda: tuple(-s for s in steps),
        "odd": lambda: tuple(s + 1 for s in steps),
        "short": lambda: tuple(steps[1:]),
        "long": lambda: (*steps, item),
        "huge": lambda: (2**62,) * len(shape),
        "lowest": lambda: (-(2**63),) * len(shape),
    }
    return ways[wish]() if wish in ways else HOSTILE[wish]()


class Dictionary(Family):
    """The common part of the dictionaries of both array interfaces."""

    attribute = ""
    fields: ClassVar = {
        "shape": (*SHAPES, "None", "1", "text", "raising", "lying", "negative length", "endless", "array", "wrong index", "endless list"),
        "typestr": TYPESTRS,
        "strides": STRIDES,
        "pointer": ("memory", "offset", "unaligned", 0, 8, -1, 2**47, 2**63 - 1, 2**63, 2**64 - 8, 2**64, 2**200, "None", "text", "1.5",
                    "raising", "wrong index", "int subclass"),
        "read_only": (False, True, "None", "raising", "text"),
        "data": ("pair", "list", "absent", "None", "1", "()", "(1,)", "(1, 2, 3)", "text", "endless", "lying", "raising", "array"),
        "version": (3, "absent", 0, 2, 4, -1, 2**40, 2**70, "text", "None", "raising", "1.5"),
        "mask": ("absent", "None", "object", "array", "raising", "text"),
        "descr": ("absent", "None", "[]", "text", "endless list", "raising", "nested"),
        "stream": ("absent", "None", 1, 2, 0, -1, 2**63, 2**70, "text", "raising", "1.5", "True"),
        "offset": ("absent", 0, "1", "-1", "2**63", "text"),
        "missing": ("nothing", "shape", "typestr", "version", "data"),
        "container": ("dict", "None", "1", "text", "[]", "dict subclass", "raising", "object", "raises"),
    }  # fmt: skip
    share = 0.08

    def dictionary(self, wish, address, item):
        """The dictionary, or an object in its place."""
        named = lambda value: HOSTILE[value]() if isinstance(value, str) else value  # noqa: E731
        shape = named(wish["shape"])
        pointer = {"memory": address, "offset": address + 8 * item, "unaligned": address + 1}.get(wish["pointer"])
        pointer = named(wish["pointer"]) if pointer is None else pointer
        pair = (pointer, named(wish["read_only"]))
        data = {"pair": pair, "list": list(pair)}.get(wish["data"])
        typestr = wish["typestr"]
        entries = {
            "shape": tuple(shape) if isinstance(shape, list) and isinstance(wish["shape"], list) else shape,
            "typestr": HOSTILE[typestr]() if typestr in HOSTILE else typestr,
            "version": "absent" if wish["version"] == "absent" else named(wish["version"]),
            "data": data if data else "absent" if wish["data"] == "absent" else named(wish["data"]),
        }
        for name in ("mask", "descr", "stream", "offset"):
            entries[name] = wish[name] if wish[name] == "absent" else named(wish[name])
        entries["strides"] = wish["strides"]
        if wish["strides"] != "absent":
            lengths = wish["shape"] if isinstance(wish["shape"], list) else [2, 3]
            entries["strides"] = strides_of(wish["strides"], lengths, item)
        entries = {name: value for name, value in entries.items() if not (isinstance(value, str) and value == "absent")}
        entries.pop(wish["missing"], None)
        return entries if wish["container"] == "dict" else HOSTILE[wish["container"]]()

    def is_inside(self, wish, item):
        """Whether the memory of the dictionary exists for the whole shape."""
        if not isinstance(wish["shape"], list) or wish["pointer"] not in ("memory", "offset"):
            return False
        if any(n > 8 or n < 0 for n in wish["shape"]) or len(wish["shape"]) > 4 or wish["offset"] not in ("absent", 0):
            return False
        if wish["strides"] not in ("absent", "None", "C", "F", "zero") or item > 8:
            return False
        return not (wish["strides"] == "F" and np.prod(wish["shape"]) > 8)


def holder(attribute, value, raises):
    class Holder:
        pass

    if raises:

        def refuse(self):
            raise ValueError("no interface today")

        setattr(Holder, attribute, property(refuse))
    made = Holder()
    if not raises:
        setattr(made, attribute, value)
    return made


class CudaInterfaces(Dictionary):
    """__cuda_array_interface__: on a machine without a GPU everything is rejected, with a clear message."""

    name = "cuda interfaces"
    attribute = "__cuda_array_interface__"

    def run(self, fields):
        wish = self.filled(fields)
        typestr = wish["typestr"]
        item = 4 if typestr in (None, "<f4", ">f4", "f4") else 8
        device = gpu() or "cpu"
        numbers = np.arange(2 * ELEMENTS * 8, dtype="u1") % 2
        memory = cuarray.asarray(numbers, device=device)
        address = memory.__cuda_array_interface__["data"][0] if gpu() else numbers.ctypes.data
        raises = wish["container"] == "raises"
        entries = None if raises else self.dictionary(wish, address, item)
        foreign = holder(self.attribute, entries, raises)
        x, error = refused(lambda: cuarray.asarray(foreign), "asarray")
        expect(error is not None or gpu(), "taken without a GPU", x is not None and x.shape)
        if x is None:
            return
        expect(isinstance(entries, dict), "taken without a dictionary")
        dtype = np.dtype(typestr)
        expect(
            x.dtype == dtype and (not isinstance(wish["shape"], list) or x.shape == tuple(wish["shape"])),
            "description",
            x.shape,
            x.dtype,
        )
        expect(x.flags.writeable != bool(entries["data"][1]), "protection", entries["data"])
        if self.is_inside(wish, dtype.itemsize) and wish["stream"] in ("absent", "None", 1):
            start = 8 * item if wish["pointer"] == "offset" else 0
            shown = np.ndarray(x.shape, dtype, numbers, start, entries.get("strides"))
            expect(x.numpy().tobytes() == shown.tobytes(), "values", x.numpy().tolist(), shown.tolist())


class ArrayInterfaces(Dictionary):
    """__array_interface__: NumPy reads it, so that both must agree."""

    name = "array interfaces"
    attribute = "__array_interface__"

    def run(self, fields):
        wish = self.filled(fields)
        typestr = wish["typestr"]
        try:
            item = np.dtype(typestr).itemsize if isinstance(typestr, str) else 8
        except TypeError:
            item = 8
        numbers = np.arange(2 * ELEMENTS * 8, dtype="u1") % 2
        raises = wish["container"] == "raises"
        if typestr in ("|O", "|S3"):
            return  # NumPy would dereference invalid pointers
        entries = None if raises else self.dictionary(wish, numbers.ctypes.data, item)
        compare_with_numpy(holder(self.attribute, entries, raises), self.is_inside(wish, max(item, 1)))


def compare_with_numpy(foreign, is_inside):
    """Both accept the object, with equal description and values, or NumPy rejects it, or cuarray does with a reason."""
    before = sys.getrefcount(foreign)
    try:
        seen, trouble = np.asarray(foreign), None
    except Exception as error:
        seen, trouble = None, bare(error)
    if seen is not None and not seen.dtype.isnative and not is_inside:
        return  # cuarray would copy it, from memory that is not there
    references = sys.getrefcount(foreign)
    x, error = refused(lambda: cuarray.asarray(foreign, device="cpu"), "asarray", *([trouble] if trouble else []))
    if x is None:
        expect(sys.getrefcount(foreign) - references <= references - before, "buffers not given back")
        if seen is not None and seen.dtype.kind in "biufc" and seen.dtype.itemsize <= 16:
            is_odd = seen.size and (not is_inside or seen.dtype.itemsize == 16)
            expect(
                is_odd or "longdouble" in str(error),
                "refused unlike NumPy",
                str(error),
                seen.shape,
                seen.dtype,
            )
        return
    expect(seen is not None, "taken unlike NumPy", str(trouble))
    native = seen.dtype.newbyteorder("=")  # another byte order is copied
    expect(
        x.shape == seen.shape and x.dtype == native,
        "description",
        x.shape,
        x.dtype,
        seen.shape,
        seen.dtype,
    )
    expect(x.flags.writeable == (seen.flags.writeable or native != seen.dtype), "protection", seen.flags.writeable)
    if is_inside:
        expect(x.numpy().tobytes() == seen.astype(native).tobytes(), "values")


class ArrayStruct(ctypes.Structure):
    _fields_ = [("two", c_int), ("nd", c_int), ("kind", c_char), ("itemsize", c_int), ("flags", c_int), ("shape", POINTER(c_ssize_t)),
                ("strides", POINTER(c_ssize_t)), ("data", c_void_p), ("descr", c_void_p)]  # fmt: skip


PyCapsule_New = ctypes.PYFUNCTYPE(ctypes.py_object, c_void_p, c_void_p, c_void_p)(("PyCapsule_New", ctypes.pythonapi))


class ArrayStructs(Family):
    """__array_struct__; fields that NumPy does not check are always valid here."""

    name = "array structs"
    fields: ClassVar = {
        "two": (2, 0, 1, -1),
        "shape": ([2, 3], [], [0], [4], [1, 1], [2, 0, 2]),
        "kind": ("f", "b", "i", "u", "c", "V", "m", "?", "\0"),
        "itemsize": (8, 1, 2, 4, 16, 0, 3, -1, 2**31 - 1),
        "flags": (0x701, 0x301, 0x101, 0x501, 0, 0x702, 0xFFFF & ~0x800),
        "strides": ("C", "F", "zero", "odd"),
        "name": (None, "wrong"),
        "container": ("capsule", "None", "1", "text", "object", "raising"),
    }  # fmt: skip
    share = 0.15

    def run(self, fields):
        wish = self.filled(fields)
        numbers = np.arange(ELEMENTS * 16, dtype="u1") % 2
        shape = wish["shape"]
        item = max(min(wish["itemsize"], 16), 1)
        strides = strides_of(wish["strides"], shape, item)
        keep = [(c_ssize_t * 8)(*shape), (c_ssize_t * 8)(*strides), ctypes.create_string_buffer(b"wrong")]
        made = ArrayStruct(wish["two"], len(shape), wish["kind"].encode(), wish["itemsize"], wish["flags"],
                           ctypes.cast(keep[0], POINTER(c_ssize_t)), ctypes.cast(keep[1], POINTER(c_ssize_t)),
                           numbers.ctypes.data, None)  # fmt: skip
        if wish["container"] == "capsule":
            name = None if wish["name"] is None else ctypes.addressof(keep[2])
            value = PyCapsule_New(ctypes.addressof(made), name, None)
        else:
            value = HOSTILE[wish["container"]]()
        compare_with_numpy(holder("__array_struct__", value, False), is_inside=False)


class Buffer(ctypes.Structure):
    _fields_ = [("buf", c_void_p), ("obj", c_void_p), ("len", c_ssize_t), ("itemsize", c_ssize_t), ("readonly", c_int),
                ("ndim", c_int), ("format", c_char_p), ("shape", POINTER(c_ssize_t)), ("strides", POINTER(c_ssize_t)),
                ("suboffsets", POINTER(c_ssize_t)), ("internal", c_void_p)]  # fmt: skip


GetBuffer = ctypes.PYFUNCTYPE(c_int, ctypes.py_object, POINTER(Buffer), c_int)


class BufferSlots(ctypes.Structure):
    _fields_ = [("get", GetBuffer), ("release", c_void_p)]


#: The offset in words of a type's buffer slots (PyTypeObject.tp_as_buffer).
SLOT = 20
Py_IncRef = ctypes.PYFUNCTYPE(None, ctypes.py_object)(("Py_IncRef", ctypes.pythonapi))


class Exporter:
    """Exports the buffer that its ``wish`` describes; its class gets the slots below."""

    def __init__(self, wish, memory):
        self.wish, self.memory, self.kept = wish, memory, []


def _get(self, view, flags):
    wish, filled = self.wish, view.contents
    filled.obj = None
    shape, strides = (
        (c_ssize_t * 80)(*wish["shape"]),
        (c_ssize_t * 80)(*strides_of(wish["strides"], wish["shape"], 8)),
    )
    keep = (
        shape,
        strides,
        ctypes.create_string_buffer((wish["format"] or "").encode()),
        (c_ssize_t * 80)(*([-1] * 80)),
    )
    self.kept.append(keep)
    filled.buf = self.memory.ctypes.data
    filled.itemsize = wish["itemsize"]
    filled.len = int(np.prod(wish["shape"])) * wish["itemsize"] if wish["len"] is None else wish["len"]
    filled.readonly = wish["readonly"]
    filled.ndim = len(wish["shape"])
    filled.format = None if wish["format"] is None else ctypes.addressof(keep[2])
    filled.shape = ctypes.cast(shape, POINTER(c_ssize_t))
    filled.strides = ctypes.cast(strides, POINTER(c_ssize_t))
    filled.suboffsets = ctypes.cast(keep[3], POINTER(c_ssize_t)) if wish["suboffsets"] else None
    Py_IncRef(self)
    filled.obj = id(self)
    return 0


def _install():
    """Install the functions in the buffer slots of Exporter; None if the slots are not at the expected offset."""
    words = (c_void_p * (SLOT + 1)).from_address(id(Exporter))
    inside = range(id(Exporter), id(Exporter) + type.__sizeof__(Exporter))
    if words[SLOT] not in inside:
        return None
    slots = BufferSlots.from_address(words[SLOT])
    slots.get = GIVE
    return slots


GIVE = GetBuffer(_get)
INSTALLED = _install()


class BuffersIn(Family):
    """Objects with a C buffer slot that describes anything; read through NumPy, so that both must agree."""

    name = "buffers in"
    fields: ClassVar = {
        "shape": ([2, 3], [], [0], [4], [1, 1], [2, 0, 2]),
        "strides": ("C", "F", "zero", "reversed"),
        "itemsize": (8, 1, 4, 16, 0),
        "format": ("d", "l", "q", "Q", "?", "f", "Zd", "Zf", "e", "g", "<d", ">d", "@d", "=q", "B", "b", "c", "s", "2d", "(2,)d", "T{d:a:}", "O",
                   "P", "x", "", "z", "d d", None),
        "len": (None, 0, 8),
        "readonly": (0, 1),
        "suboffsets": (False, True),
    }  # fmt: skip
    share = 0.15

    def run(self, fields):
        wish = self.filled(fields)
        if INSTALLED is None or wish["format"] in ("O", "P"):
            return
        memory = np.arange(ELEMENTS * 8, dtype="u1") % 2
        exporter = Exporter(wish, memory)
        compare_with_numpy(exporter, is_inside=False)


class BuffersOut(Family):
    """Requests for the buffers of cuarray's arrays with any flags, while the array changes."""

    name = "buffers out"
    fields: ClassVar = {
        "dtype": ("f8", "b1", "u1", "i2", "c16", "bfloat16", "f2"),
        "view": (
            "plain",
            "transposed",
            "reversed",
            "stepped",
            "empty",
            "point",
            "spread",
            "one",
            "read-only",
            "line",
        ),
        "flags": (0x18 | 4, *range(0, 0x200, 7), 0x38, 0x58, 0x98, 0x1, 0x11C, 0x11D, 0, 4, 8, 2**31 - 1),
        "then": ("release", "shape", "resize", "drop", "twice"),
    }
    share = 0.4

    def run(self, fields):
        wish = self.filled(fields)
        before = cuarray.memory.stats("cpu")["allocations"]
        self.request(wish)
        after = cuarray.memory.stats("cpu")["allocations"]
        expect(after <= before, "leak of blocks", before, after)

    def request(self, wish):
        from capsule_inputs import views

        base = cuarray.array(memory_of(wish["dtype"])[:24].reshape(4, 6), device="cpu")
        x = base.ravel() if wish["view"] == "line" else views(base)[wish["view"]]()
        values, flags = x.numpy().copy(), wish["flags"]
        view = Buffer()
        got, error = refused(lambda: PyObject_GetBuffer(x, ctypes.byref(view), flags), "GetBuffer")
        if got is None:
            expect(isinstance(error, BufferError), "no BufferError", str(error))
            expect(not view.obj, "an object in a refused request")
            return
        description = (view.ndim, view.itemsize, view.len, view.readonly)
        expect(
            description == (x.ndim if flags & 8 else 1, x.itemsize, x.nbytes, int(not x.flags.writeable)),
            "description",
            description,
        )
        expect(bool(view.format) == bool(flags & 4), "format", view.format)
        expect(
            bool(view.shape) == bool(flags & 8) and bool(view.strides) == (flags & 0x18 == 0x18),
            "shape",
            flags,
        )
        expect(not (flags & 1 and view.readonly), "read-only memory for a writer")
        if wish["then"] == "shape" and x.flags.c_contiguous:
            x.shape = (x.size,)
        elif wish["then"] == "resize":
            refused(lambda: x.resize(3), "resize")
        elif wish["then"] == "drop":
            del x, base
        if view.shape and view.strides and values.size:
            shown = np.lib.stride_tricks.as_strided(
                np.ndarray((1,), values.dtype, (c_char * values.itemsize).from_address(view.buf)),
                tuple(view.shape[: view.ndim]),
                tuple(view.strides[: view.ndim]),
            )
            expect(shown.tobytes() == values.tobytes(), "values", shown.tolist(), values.tolist())
        PyBuffer_Release(ctypes.byref(view))


PyObject_GetBuffer = ctypes.PYFUNCTYPE(c_int, ctypes.py_object, POINTER(Buffer), c_int)(
    ("PyObject_GetBuffer", ctypes.pythonapi)
)
PyBuffer_Release = ctypes.PYFUNCTYPE(None, POINTER(Buffer))(("PyBuffer_Release", ctypes.pythonapi))


class Streams(Family):
    """Objects that claim to be streams."""

    name = "streams"
    fields: ClassVar = {
        "way": ("__cuda_stream__", "cuda_stream", "ptr", "handle", "plain", "not callable"),
        "answer": ("pair", *HOSTILE),
        "version": ("0", *HOSTILE),
        "handle": ("0", *HOSTILE),
        "device": ("None", "cpu", "cuda:0", "cuda:256", "text", "1", "raising"),
        "use": ("from_external", "wait", "record"),
    }
    share = 0.35

    def run(self, fields):
        wish = self.filled(fields)
        handle = HOSTILE[wish["handle"]]()
        answer = (HOSTILE[wish["version"]](), handle) if wish["answer"] == "pair" else HOSTILE[wish["answer"]]()
        foreign = handle
        if wish["way"] == "__cuda_stream__":
            foreign = holder(wish["way"], lambda: answer, False)
        elif wish["way"] == "not callable":
            foreign = holder("__cuda_stream__", answer, False)
        elif wish["way"] != "plain":
            foreign = holder(wish["way"], handle, False)
        device = HOSTILE[wish["device"]]() if wish["device"] in HOSTILE else wish["device"]
        if gpu() and _is_address(handle):
            return  # the driver would dereference the pointer
        calls = {
            "from_external": lambda: cuarray.Stream.from_external(foreign, device=device),
            "wait": lambda: cuarray.Stream("cpu").wait(foreign),
            "record": lambda: cuarray.Event("cpu").record(foreign),
        }
        _, error = refused(calls[wish["use"]], "Stream")
        if error is not None:
            expect(
                "incompatible function arguments" not in str(error),
                "internals in the message",
                str(error)[:200],
            )


def _is_address(handle):
    try:
        return int(handle) > 2
    except Exception:
        return False
