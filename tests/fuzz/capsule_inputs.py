"""DLPack capsules and producers of every kind, and the capsules that cuarray's arrays export."""

import ctypes
import sys
from ctypes import c_int64, c_void_p
from pathlib import Path
from typing import ClassVar

import numpy as np
from families import HOSTILE, Family, Planted, expect, gpu, refused
from protocol_runner import Fault

import cuarray

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "python"))
import capsules

MAX_DIMS = 64
#: DLPack's codes of the supported types: code, bits.
TYPES = {"f8": (2, 64), "b1": (6, 8), "i1": (0, 8), "u1": (1, 8), "i2": (0, 16), "u2": (1, 16), "i4": (0, 32),
         "u4": (1, 32), "i8": (0, 64), "u8": (1, 64), "f2": (2, 16), "f4": (2, 32), "c8": (5, 64), "c16": (5, 128),
         "bfloat16": (4, 16)}  # fmt: skip
HOST_DEVICES, GPU_DEVICES, GPU_DEVICES_HERE = (1, 3, 11), (2, 13), ((2, 0), (13, 0))
#: Number of elements of the memory of capsules, and the position of element 0, so that negative strides stay inside.
ELEMENTS, MIDDLE = 512, 256


def dtype_of(name):
    return cuarray.bfloat16 if name == "bfloat16" else np.dtype(name)


def memory_of(name):
    """Memory with a different pattern in each element; bools are 0 and 1."""
    dtype = np.dtype(dtype_of(name))
    numbers = np.arange(ELEMENTS * dtype.itemsize) * 37 % 251
    return (numbers % 2 if name == "b1" else numbers).astype("u1").view(dtype)


class Described:
    """A C tensor, its memory, and the result of an independent reader."""

    def __init__(self, wish):
        self.wish, self.deleted, self.destroyed = wish, 0, 0
        self.memory = memory_of(wish["dtype"])
        self.item = self.memory.dtype.itemsize
        shape, ndim = list(wish["shape"]), wish["ndim"]
        self.ndim = len(shape) if ndim is None else ndim
        # Room for every number of dimensions that a reader might accept.
        self.shape = (shape + [1] * 80)[:80]
        self.strides = self._strides(shape)
        self.shape_memory = (c_int64 * 80)(*self.shape)
        self.stride_memory = None if self.strides is None else (c_int64 * 80)(*self.strides)
        kind = capsules.Legacy if wish["kind"] == "legacy" else capsules.Versioned
        self.structure = structure = kind()
        tensor = structure.tensor
        self.on_gpu = None
        if wish["device"] in GPU_DEVICES_HERE and gpu():
            self.on_gpu = cuarray.asarray(self.memory.view("u1"), device="cuda:0")
        #: The address of the memory, on its device.
        self.address = (
            self.on_gpu.__cuda_array_interface__["data"][0] if self.on_gpu is not None else self.memory.ctypes.data
        )
        start = self.address + MIDDLE * self.item
        tensor.data = {"memory": start, "null": None}.get(wish["data"], wish["data"])
        tensor.device = capsules.Device(*wish["device"])
        tensor.ndim = self.ndim
        code, bits = TYPES[wish["dtype"]]
        tensor.dtype = capsules.DataType(
            code if wish["code"] is None else wish["code"],
            bits if wish["bits"] is None else wish["bits"],
            wish["lanes"],
        )
        if not wish["shape_null"]:
            tensor.shape = ctypes.cast(self.shape_memory, ctypes.POINTER(c_int64))
        if self.stride_memory is not None:
            tensor.strides = ctypes.cast(self.stride_memory, ctypes.POINTER(c_int64))
        tensor.byte_offset = wish["byte_offset"]
        self.delete = capsules.DELETER(self._count_delete)
        if wish["deleter"]:
            structure.deleter = self.delete
        if kind is capsules.Versioned:
            structure.major, structure.minor = wish["version"]
            structure.flags = wish["flags"]
        name = capsules.NAMES[kind] if wish["name"] is None else wish["name"].encode("latin-1")
        # The capsule does not copy its name.
        self.name = ctypes.create_string_buffer(name)
        self.destructor = DESTRUCTOR(self._destroy)

    def _strides(self, shape):
        ways = {"null": lambda: None, "C": lambda: [int(np.prod(shape[k + 1 :], dtype=object)) for k in range(len(shape))],
                "F": lambda: [int(np.prod(shape[:k], dtype=object)) for k in range(len(shape))]}  # fmt: skip
        wish = self.wish["strides"]
        if wish in ways:
            strides = ways[wish]()
        elif wish == "reversed":
            strides = [-s for s in ways["C"]()]
        elif wish == "double":
            strides = [2 * s for s in ways["C"]()]
        else:
            strides = [wish] * len(shape)
        if strides is None:
            return None
        return [max(-(1 << 63), min(s, (1 << 63) - 1)) for s in (strides + [1] * 80)[:80]]

    def _count_delete(self, pointer):
        self.deleted += 1

    def _destroy(self, pointer):
        """A producer's destructor: frees unless the name says that the capsule was consumed."""
        self.destroyed += 1
        if not PyCapsule_GetName(pointer).startswith(b"used") and self.wish["deleter"]:
            self.deleted += 1

    def capsule(self):
        return PyCapsule_New(
            ctypes.addressof(self.structure),
            ctypes.addressof(self.name),
            self.destructor if self.wish["destructor"] else DESTRUCTOR(),
        )

    @property
    def has_deleter(self):
        return bool(self.wish["deleter"])

    def is_sound(self):
        """Whether a careful reader accepts the tensor; None if either is right."""
        wish = self.wish
        if wish["name"] is not None and wish["name"].encode() != capsules.NAMES[type(self.structure)]:
            return False
        if wish["kind"] != "legacy" and wish["version"][0] != 1:
            return False
        type_, _ = wish["device"]
        if type_ not in HOST_DEVICES + GPU_DEVICES:
            return False
        if type_ in GPU_DEVICES and self.on_gpu is None:
            return False
        code, bits = (self.structure.tensor.dtype.code, self.structure.tensor.dtype.bits)
        if (code, bits) not in TYPES.values() or wish["lanes"] != 1:
            return False
        if not 0 <= self.ndim <= MAX_DIMS or (self.ndim and wish["shape_null"]):
            return False
        shape = self.shape[: self.ndim]
        item = bits // 8
        if any(n < 0 for n in shape):
            return False
        if np.prod([n for n in shape if n], dtype=object) * item >= 1 << 63:
            return False
        if 0 in shape:
            return None if self._strides_are_wild(item, shape) else True
        if not self.structure.tensor.data:
            return False
        low, high = self.reach(item, shape)
        address = self.structure.tensor.data + wish["byte_offset"]
        if low < -(1 << 63) or high >= 1 << 63 or address + low <= 0 or address + high >= 1 << 63:
            return False
        if self.on_gpu is not None and address % np.dtype(dtype_of(self.read_as)).alignment:
            return False
        if self._strides_are_wild(item, shape):
            return None
        return True

    @property
    def read_as(self):
        """The type by its code and bits, which need not be the one of the memory."""
        kind = self.structure.tensor.dtype
        return next(name for name, known in TYPES.items() if known == (kind.code, kind.bits))

    def _strides_are_wild(self, item, shape):
        """Strides of axes of length 1 that do not fit int64 in bytes."""
        return self.strides is not None and any(abs(s * item) >= 1 << 62 for s in self.strides[: len(shape)])

    def reach(self, item, shape):
        strides = self.strides
        if strides is None:
            strides = [int(np.prod(shape[k + 1 :], dtype=object)) for k in range(len(shape))]
        steps = [(n - 1) * s * item for n, s in zip(shape, strides, strict=False)]
        return sum(s for s in steps if s < 0), sum(s for s in steps if s > 0) + item

    def is_readable(self):
        """Whether all elements are inside the memory."""
        shape = self.shape[: self.ndim]
        if 0 in shape:
            return True
        item = self.structure.tensor.dtype.bits // 8
        low, high = self.reach(item, shape)
        first = (self.structure.tensor.data or 0) + self.wish["byte_offset"] - self.address
        return first + low >= 0 and first + high <= self.memory.nbytes and np.prod(shape, dtype=object) <= 4096

    def values(self):
        """The elements, read element by element by ctypes' arithmetic on addresses."""
        dtype = np.dtype(dtype_of(self.read_as))
        shape = tuple(self.shape[: self.ndim])
        out = np.empty(shape, dtype)
        strides = self.strides
        if strides is None:
            strides = [int(np.prod(shape[k + 1 :], dtype=object)) for k in range(len(shape))]
        base = (self.structure.tensor.data or 0) + self.wish["byte_offset"] - self.address + self.memory.ctypes.data
        flat = out.reshape(-1).view("u1") if out.size else out
        for n, index in enumerate(np.ndindex(shape)):
            at = base + sum(i * s for i, s in zip(index, strides, strict=False)) * dtype.itemsize
            piece = ctypes.string_at(at, dtype.itemsize)
            flat[n * dtype.itemsize : (n + 1) * dtype.itemsize] = np.frombuffer(piece, "u1")
        return out


DESTRUCTOR = ctypes.PYFUNCTYPE(None, c_void_p)
PyCapsule_New = ctypes.PYFUNCTYPE(ctypes.py_object, c_void_p, c_void_p, DESTRUCTOR)(("PyCapsule_New", ctypes.pythonapi))
# By its address: a destructor gets a capsule without references.
PyCapsule_GetName = ctypes.PYFUNCTYPE(ctypes.c_char_p, c_void_p)(("PyCapsule_GetName", ctypes.pythonapi))


class Giver:
    """A producer: exports the capsule in the way of the input."""

    def __init__(self, described):
        self.described, self.wish, self.kept, self.calls = described, described.wish, None, 0

    def __dlpack_device__(self):
        answer = self.wish["device_answer"]
        if answer == "raise":
            raise Planted("device")
        if answer is None:
            return self.wish["device"]
        return HOSTILE[answer]() if isinstance(answer, str) else tuple(answer)

    def __dlpack__(self, **keywords):
        self.calls += 1
        way, takes = self.wish["gives"], self.wish["takes"]
        if takes != "all" and set(keywords) - set(takes):
            raise TypeError("unexpected keywords")
        if way == "raise":
            raise Planted("dlpack")
        if way == "TypeError":
            raise TypeError("always")
        if way == "BufferError":
            raise BufferError("never")
        if way == "twice":
            self.kept = self.kept or self.described.capsule()
            return self.kept
        if way == "recursive" and self.calls == 1:
            return cuarray.from_dlpack(self)
        if way != "capsule" and way != "recursive":
            return HOSTILE[way]()
        return self.described.capsule()


class Loud(Giver):
    """A producer of an unknown class, with attributes that raise."""

    @property
    def dtype(self):
        raise Planted("dtype")

    def is_neg(self):
        raise Planted("neg")


def import_loud(giver):
    # Kept until the input ends: a capsule's destructor must not run beside the exception of a refused import, where
    # Python gives up the arguments of the call.
    giver.kept = Loud(giver.described)
    return cuarray.asarray(giver.kept)


WAYS = {
    "from_dlpack": lambda g, c: cuarray.from_dlpack(g),
    "capsule": lambda g, c: cuarray.from_dlpack(c()),
    "asarray": lambda g, c: cuarray.asarray(g),
    "asarray on cpu": lambda g, c: cuarray.asarray(g, device="cpu"),
    "copy": lambda g, c: cuarray.from_dlpack(g, copy=True),
    "no copy": lambda g, c: cuarray.from_dlpack(g, copy=False),
    "device": lambda g, c: cuarray.from_dlpack(g, device="cpu"),
    "device cuda": lambda g, c: cuarray.from_dlpack(g, device="cuda:0"),
    "array": lambda g, c: cuarray.array(g),
    "operand": lambda g, c: cuarray.positive(g),
    "loud": lambda g, c: import_loud(g),
}


class CapsulesIn(Family):
    name = "capsules in"
    fields: ClassVar = {
        "way": tuple(WAYS),
        "kind": ("versioned", "legacy"),
        "dtype": tuple(TYPES),
        "shape": ([2, 3], [], [0], [3, 0, 2], [1], [1, 1, 1], [5], [2, 1, 3], [4, 4, 4], [-1], [2, -3], [2**31],
                  [2**62, 4], [2**63 - 1], [2**63 - 1, 2**63 - 1], [0, 2**63 - 1], [-(2**63)], [0, -1], [1] * 64, [1] * 65,
                  [2**32, 2**32], [2**16, 2**16, 2**16, 2**16], [1, 2**40]),
        "ndim": (None, 0, 1, 3, 64, 65, 80, -1, -(2**31), 2**31 - 1),
        "shape_null": (False, True),
        "strides": ("C", "null", "F", "reversed", "double", 0, 1, -1, 2**31, 2**60, 2**62, 2**63 - 1, -(2**63), -(2**62), -(2**60)),
        "data": ("memory", "null", 1, 8, 2**47, 2**63, 2**64 - 8, 2**64 - 1),
        "byte_offset": (0, 16, 32, 1, 2**40, 2**63 - 1, 2**63, 2**64 - 16, 2**64 - 1),
        "code": (None, 0, 1, 2, 3, 4, 5, 6, 7, 8, 10, 12, 17, 18, 127, 255),
        "bits": (None, 0, 1, 4, 8, 12, 16, 32, 63, 64, 128, 255),
        "lanes": (1, 0, 2, 4, 256, 65535),
        "device": ((1, 0), (1, 5), (1, -1), (3, 0), (11, 0), (2, 0), (2, 256), (2, -1), (2, 2**31 - 1), (2, 255), (13, 0),
                   (13, 256), (7, 0), (0, 0), (-1, 0), (10, 0), (257, 0), (258, 0), (2**31 - 1, 0)),
        "deleter": (True, False),
        "destructor": (True, False),
        "version": ((1, 3), (1, 0), (1, 99), (1, 2**32 - 1), (0, 8), (0, 0), (2, 0), (2**32 - 1, 0)),
        "flags": (0, 1, 2, 3, 4, 5, 2**63, 2**64 - 1),
        "name": (None, "dltensor", "dltensor_versioned", "used_dltensor", "used_dltensor_versioned", "", "DLTENSOR",
                 "dltensor ", "dltensor\xff", "arrow_array"),
        "takes": ("all", (), ("stream",), ("max_version",), ("max_version", "copy"), ("max_version", "stream")),
        "gives": ("capsule", "twice", "raise", "TypeError", "BufferError", "recursive", "None", "1", "text", "object", "()", "array",
                  "class", "raising"),
        "device_answer": (None, "raise", "None", "1", "()", "(1,)", "(1, 2, 3)", "('a', 'b')", "(2**70, 2**70)", "raising",
                          "generator", "lying", "endless", "negative length", "endless list", "text", (1, 0), (2, 0), (2, 256), (13, 0), (99, 0), (-1, -1)),
        "then": ("read", "write", "again", "view", "export"),
    }  # fmt: skip
    share = 0.07

    def run(self, fields):
        wish = self.filled(fields)
        described = Described(wish)
        giver = Giver(described)
        made = []

        def capsule():
            made.append(described.capsule())
            return made[-1]

        if not described.is_readable() and wish["way"] not in ("from_dlpack", "capsule", "no copy", "device"):
            wish["way"] = "from_dlpack"  # the others would read invalid memory
        way = WAYS[wish["way"]]
        memory = described.memory.copy()
        x, error = refused(lambda giver=giver: way(giver, capsule), "import")
        sound = self.expected(wish, described)
        if sound is False:
            expect(x is None, "taken though wrong", x is not None and (x.shape, x.dtype, x.device))
        if sound is True:
            expect(error is None, "refused though right", type(error).__name__, str(error))
        if x is not None:
            self.judge(x, described, wish, memory)
        expect(
            (described.memory.view("u1") == memory.view("u1")).all() or wish["then"] == "write",
            "memory written",
        )
        consumed = x is not None
        del x, error, giver.kept
        deleted_with_capsules = described.deleted
        made.clear()
        del giver
        if described.destroyed > 1 or wish["gives"] == "recursive":
            return  # several capsules over one structure, which no producer makes
        if described.has_deleter and (wish["destructor"] or consumed):
            # An import that fails after the capsule was made frees it once; one that fails before has not seen it.
            given = consumed or (described.destroyed and not (wish["name"] or "").startswith("used"))
            expect(
                described.deleted == (1 if given else 0),
                "deleter calls",
                described.deleted,
                deleted_with_capsules,
            )
        elif described.has_deleter and wish["way"] not in ("device cuda", "operand"):
            expect(described.deleted == 0, "deleter calls without owner", described.deleted)

    def expected(self, wish, described):
        """True if the import must succeed, False if it must fail, None if either is right."""
        sound = described.is_sound()
        if wish["way"] != "capsule":
            if wish["gives"] not in ("capsule", "twice") or wish["device_answer"] == "raise":
                return None if wish["gives"] == "recursive" else False
            if wish["device_answer"] is not None or wish["takes"] != "all":
                return None if sound else sound
        if wish["way"] == "operand" and sound and described.read_as == "b1":
            return False  # numpy.positive has no loop for bool
        if wish["way"] == "device cuda":
            return False if sound is False or not gpu() else None
        return sound

    def judge(self, x, described, wish, memory):
        if not described.is_readable():
            return
        if 0 in described.shape[: described.ndim]:
            expect(list(x.shape) == described.shape[: described.ndim], "shape", x.shape)
            return  # NumPy has no arrays of some of these shapes
        values = described.values()
        host = x if str(x.device) == "cpu" else x.to_device("cpu")
        expect(host.shape == values.shape, "shape", host.shape, values.shape)
        expect(host.dtype == values.dtype, "dtype", host.dtype, values.dtype)
        shown = np.ascontiguousarray(host.numpy())
        expect(shown.tobytes() == values.tobytes(), "values", shown.tolist(), values.tolist())
        if wish["then"] == "write" and x.size:
            has_moved = (str(x.device) == "cpu") != (described.on_gpu is None)
            is_ours = has_moved or wish["way"] in ("copy", "array", "operand")
            is_protected = wish["kind"] == "versioned" and wish["flags"] & 1 and not is_ours
            _, refusal = refused(lambda: x.__setitem__(..., 1), "assignment")
            if described.on_gpu is not None:
                described.memory.view("u1")[:] = described.on_gpu.numpy()
            changed = not (described.memory.view("u1") == memory.view("u1")).all()
            expect(bool(refusal) == bool(is_protected), "protection", str(refusal))
            expect(not changed or not (is_ours or is_protected), "wrote into memory of others")
        elif wish["then"] == "again":
            y = cuarray.from_dlpack(x)
            expect(y.shape == x.shape and y.dtype == x.dtype, "again")
        elif wish["then"] == "view":
            expect(x.T.T.shape == x.shape and x[...].size == x.size, "view")
        elif wish["then"] == "export":
            _, _ = refused(lambda: x.__dlpack__(max_version=(1, 0)), "export")


def views(x):
    """Arrays over one memory, by name."""
    return {
        "plain": lambda: x,
        "transposed": lambda: x.T,
        "reversed": lambda: x[::-1],
        "stepped": lambda: x[:, ::2],
        "empty": lambda: x[:0],
        "point": lambda: x[1, 2, ...],
        "spread": lambda: cuarray.broadcast_to(x[0, ...], (3, x.shape[1])),
        "one": lambda: x[1:2, 2:3],
        "unaligned": lambda: x.ravel().view("u1")[1 : 1 + 8 * x.itemsize].view(x.dtype) if x.itemsize > 1 else x,
        "read-only": lambda: _frozen(x),
    }


def _frozen(x):
    y = x.copy()
    y.flags.writeable = False
    return y


class CapsulesOut(Family):
    """x.__dlpack__ with every argument; the capsule is read by ctypes, consumed or dropped."""

    name = "capsules out"
    fields: ClassVar = {
        "dtype": tuple(TYPES),
        "view": ("plain", "transposed", "reversed", "stepped", "empty", "point", "spread", "one", "unaligned", "read-only"),
        "stream": ("absent", *HOSTILE),
        "max_version": ("absent", *HOSTILE),
        "dl_device": ("absent", *HOSTILE),
        "copy": ("absent", *HOSTILE),
        "extra": ("absent", *HOSTILE),
        "then": ("drop", "consume", "consume late", "import", "import twice", "rename", "numpy"),
    }  # fmt: skip

    def run(self, fields):
        wish = self.filled(fields)
        before = cuarray.memory.stats("cpu")["allocations"]
        self.export(wish)
        after = cuarray.memory.stats("cpu")["allocations"]
        expect(after <= before, "leak of blocks", before, after)

    def export(self, wish):
        host = memory_of(wish["dtype"])[:24].reshape(4, 6)
        base = cuarray.array(host, device="cpu")
        x = views(base)[wish["view"]]()
        values = x.numpy().copy()
        keywords = {}
        for name in ("stream", "max_version", "dl_device", "copy", "extra"):
            if wish[name] != "absent":
                keywords[name] = HOSTILE[wish[name]]()
        capsule, error = refused(lambda x=x: x.__dlpack__(**keywords), "__dlpack__")
        if capsule is None:
            # Consumers take a TypeError for an old producer: it is only raised for unknown keywords.
            expect(not isinstance(error, TypeError) or "extra" in keywords, "TypeError for a value", str(error))
            return
        expect("extra" not in keywords, "unknown keyword taken")
        opened = capsules.open_capsule(capsule)
        tensor = opened.tensor
        expect(tensor.byte_offset == 0 and tensor.dtype.lanes == 1, "description")
        expect((tensor.device.type, tensor.device.id) == (1, 0), "device", tensor.device.type)
        if wish["dtype"] != "bfloat16":
            shown = capsules.values(tensor)
            expect(
                shown.shape == values.shape and shown.tobytes() == values.tobytes(),
                "values",
                shown.tolist(),
                values.tolist(),
            )
        del x, base
        if wish["then"] == "drop":
            return
        if wish["then"].startswith("consume"):
            opened = capsules.consume(capsule)
            if wish["then"] == "consume late":
                del capsule
            opened.deleter(ctypes.addressof(opened))
        elif wish["then"] == "rename":
            self.judge_renamed(capsule)
        elif wish["then"] == "numpy" and wish["dtype"] != "bfloat16":
            shown = np.from_dlpack(_Holder(capsule))
            expect(shown.tobytes() == values.tobytes(), "values in NumPy")
        else:
            y, _ = refused(lambda: cuarray.from_dlpack(capsule), "import")
            if y is None:
                raise Fault("own capsule refused")
            expect(
                np.ascontiguousarray(y.numpy()).tobytes() == np.ascontiguousarray(values).tobytes(),
                "values after a round trip",
            )
            if wish["then"] == "import twice":
                again, error = refused(lambda: cuarray.from_dlpack(capsule), "second import")
                expect(again is None and isinstance(error, ValueError), "a consumed capsule was taken")

    def judge_renamed(self, capsule):
        """A capsule with an unknown name is not freed: the code that renamed it has to free it."""
        opened = capsules.open_capsule(capsule)
        capsules.api.PyCapsule_SetName(capsule, b"something else")
        x, _ = refused(lambda capsule=capsule: cuarray.from_dlpack(capsule), "import")
        expect(x is None, "a capsule of another name was taken")
        del capsule
        opened.deleter(ctypes.addressof(opened))


class _Holder:
    def __init__(self, capsule):
        self.capsule = capsule

    def __dlpack_device__(self):
        return (1, 0)

    def __dlpack__(self, **keywords):
        return self.capsule
