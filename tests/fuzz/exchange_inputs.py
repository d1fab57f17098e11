"""DLPack's tables of C functions: those of other classes, with answers of every kind, and the functions of ours."""

import contextlib
import ctypes
import functools
import gc
import sys
import types
import weakref
from ctypes import POINTER, c_char_p, c_int, c_int32, c_uint32, c_void_p, py_object
from typing import ClassVar

import capsules
import numpy as np
from capsule_inputs import CapsulesIn, Described
from families import HOSTILE, Planted, expect, gpu, refused

import cuarray

NAME = b"dlpack_exchange_api"  # capsules do not copy their names
SET_ERROR = ctypes.CFUNCTYPE(None, c_void_p, c_char_p, c_char_p)
FROM_OBJECT = ctypes.PYFUNCTYPE(c_int, py_object, POINTER(c_void_p))
BORROWED = ctypes.PYFUNCTYPE(c_int, py_object, POINTER(capsules.Tensor))
WORK_STREAM = ctypes.PYFUNCTYPE(c_int, c_int32, c_int32, POINTER(c_void_p))


class Table(ctypes.Structure):
    """DLPackExchangeAPI of DLPack 1.3."""

    _fields_ = [
        ("major", c_uint32),
        ("minor", c_uint32),
        ("previous", c_void_p),
        ("allocate", ctypes.PYFUNCTYPE(c_int, POINTER(capsules.Tensor), POINTER(c_void_p), c_void_p, SET_ERROR)),
        ("from_object", FROM_OBJECT),
        ("to_object", ctypes.PYFUNCTYPE(c_int, c_void_p, POINTER(c_void_p))),
        ("borrowed", BORROWED),
        ("work_stream", WORK_STREAM),
    ]


#: The input in progress: what the functions of the tables answer.
CURRENT = types.SimpleNamespace(described=None, wish=None, calls=0)


def answered(give):
    """The status of a function of a table; one that fails does so without an exception, which a callback cannot set."""
    CURRENT.calls += 1
    if CURRENT.wish["answer"] == "tensor":
        give()
    return -1 if CURRENT.wish["answer"] == "error" else 0


@FROM_OBJECT
def from_object(_, out):
    def give():
        out[0] = ctypes.addressof(CURRENT.described.structure)

    out[0] = None
    return answered(give)


@BORROWED
def borrowed(_, out):
    def give():
        ctypes.memmove(out, ctypes.byref(CURRENT.described.structure.tensor), ctypes.sizeof(capsules.Tensor))

    ctypes.memset(out, 0, ctypes.sizeof(capsules.Tensor))
    return answered(give)


@WORK_STREAM
def work_stream(_, __, out):
    out[0] = None
    return -1 if CURRENT.wish["stream"] == "error" else 0


#: Tables, capsules and classes are used for as long as the process lives.
KEPT = []


def table(chain, missing):
    """A table with a version, or the first of two; functions may be missing."""
    made = Table(1, 3, None, Table._fields_[3][1](), from_object, Table._fields_[5][1](), borrowed, work_stream)
    if missing:
        setattr(made, missing, dict(Table._fields_)[missing]())
    versions = {"1.3": (1, 3), "1.0": (1, 0), "1.99": (1, 99), "0": (0, 9), "2": (2, 0)}
    if chain in versions:
        made.major, made.minor = versions[chain]
    KEPT.append(made)
    if chain == "2 then 1":
        made = Table(2, 0, ctypes.addressof(made))
        KEPT.append(made)
    return made


def make_static(cls):
    """Let a class look like one of C, whose tables are trusted: without the flag of classes of Python's."""
    words = (ctypes.c_size_t * 40).from_address(id(cls))
    place = next(i for i, word in enumerate(words) if word == cls.__flags__)
    words[place] &= ~(1 << 9)
    ctypes.pythonapi.PyObject_GC_UnTrack(py_object(cls))  # the collector expects the flag


class Storage:
    """The owner of a tensor's memory."""


class Members:
    """What every class of the inputs has: PyTorch's questions, and DLPack's methods, which refuse."""

    def __init__(self, wish):
        self.wish = wish
        self.storage = Storage()

    def answer(self, name):
        kind = self.wish[name]
        if kind == "raise":
            raise Planted(name)
        return kind if isinstance(kind, bool) else HOSTILE[kind]()

    @property
    def requires_grad(self):
        return self.answer("requires_grad")

    def is_conj(self):
        return self.answer("is_conj")

    def is_neg(self):
        return self.answer("is_neg")

    def untyped_storage(self):
        if self.wish["owner"] == "raise":
            raise Planted("owner")
        return None if self.wish["owner"] == "None" else self.storage

    def __dlpack_device__(self):
        return 1, 0

    def __dlpack__(self, **keywords):
        raise Planted("dlpack")


@functools.cache
def class_of(kind, chain, missing, capsule):
    """A class with a table; cuarray remembers the tables that it trusts, so that an input does not get one of its own."""
    name = b"other" if capsule == "other name" else NAME
    value = capsules.api.PyCapsule_New(ctypes.addressof(table(chain, missing)), name, None)
    KEPT.extend((value, name))
    value = {"none": None, "number": 3}.get(capsule, value)
    members = {"__dlpack_c_exchange_api__": value, "__module__": "torch" if "torch" in kind else "fuzzed"}
    cls = type("Tensor", (Members,), members)
    if kind == "static":
        make_static(cls)
    base = cls
    if kind.endswith("subclass"):
        if kind.startswith("static"):
            make_static(cls)
        cls = type("Sub", (cls,), {"__module__": members["__module__"]})
    return cls, base


@contextlib.contextmanager
def as_torch(cls):
    """Let `torch.Tensor` be this class."""
    before = sys.modules.get("torch")
    sys.modules["torch"] = types.SimpleNamespace(Tensor=cls)
    try:
        yield
    finally:
        if before is None:
            del sys.modules["torch"]
        else:
            sys.modules["torch"] = before


TENSOR_FIELDS = {name: CapsulesIn.fields[name] for name in (
    "dtype", "shape", "ndim", "shape_null", "strides", "data", "byte_offset", "code", "bits", "lanes", "device", "deleter",
    "version", "flags")}  # fmt: skip
ANSWERS = (False, True, "raise", "None", "1", "text", "raising")
FIXED = {"kind": "versioned", "name": None, "destructor": False}

WAYS = {
    "from_dlpack": cuarray.from_dlpack,
    "asarray": cuarray.asarray,
    "no copy": lambda t: cuarray.from_dlpack(t, copy=False),
    "copy": lambda t: cuarray.from_dlpack(t, copy=True),
    "array": cuarray.array,
    "operand": cuarray.positive,
}


class TablesIn(CapsulesIn):
    """Objects of classes with a table, of C and of PyTorch's kind."""

    name = "tables in"
    fields: ClassVar = {
        "way": tuple(WAYS),
        "class": ("static", "torch", "static subclass", "torch subclass", "plain", "another torch"),
        "chain": ("1.3", "1.0", "1.99", "2 then 1", "2", "0"),
        "missing": (None, "from_object", "borrowed", "work_stream", "to_object", "allocate"),
        "capsule": ("right", "other name", "none", "number"),
        "answer": ("tensor", "error", "no tensor"),
        "stream": ("none", "error"),
        "requires_grad": ANSWERS,
        "is_conj": ANSWERS,
        "is_neg": ANSWERS,
        "owner": ("object", "raise", "None"),
        "then": CapsulesIn.fields["then"],
        **TENSOR_FIELDS,
    }

    def make(self, rng):
        fields = super().make(rng)
        if rng.random() < 0.4:
            fields["class"] = "torch"
        return fields

    def run(self, fields):
        wish = self.filled(fields) | FIXED | {"gives": "capsule", "device_answer": None, "takes": "all"}
        is_torch = "torch" in wish["class"]
        if is_torch:
            wish["version"], wish["flags"] = (1, 3), 0  # a borrowed tensor has neither
        described = Described(wish)
        if not described.is_readable() and wish["way"] not in ("from_dlpack", "no copy"):
            wish["way"] = "from_dlpack"  # the others would read invalid memory
        CURRENT.described, CURRENT.wish, CURRENT.calls = described, wish, 0
        cls, base = class_of(wish["class"], wish["chain"], wish["missing"], wish["capsule"])
        given = cls(wish)
        storage = weakref.ref(given.storage)
        memory = described.memory.copy()
        with as_torch(object if wish["class"] == "another torch" else base):
            x, error = refused(lambda given=given: WAYS[wish["way"]](given), "import")
        is_used, sound = self.is_used(wish, is_torch), described.is_sound()
        expect(bool(CURRENT.calls) <= is_used, "a table was used that is not trusted", CURRENT.calls)
        if not is_used or sound is False or wish["answer"] != "tensor":
            expect(x is None, "taken though wrong", x is not None and (x.shape, x.dtype, x.device))
        elif sound and not (is_torch and wish["owner"] == "raise") and not self.cannot(wish, described):
            expect(error is None, "refused though right", type(error).__name__, str(error))
        if x is not None:
            self.judge(x, described, wish, memory)
        del given
        if is_torch and x is not None and wish["way"] in ("from_dlpack", "no copy") and wish["owner"] == "object":
            expect(storage() is not None or described.on_gpu is not None or 0 in x.shape, "the owner is gone")
        # An import that fails is tried again, to explain why: each time a tensor is passed on.
        passed_on = CURRENT.calls if not is_torch and wish["answer"] == "tensor" else 0
        del x, error
        gc.collect(0)
        expect(storage() is None, "the owner is kept")
        if described.has_deleter:
            expect(described.deleted == passed_on, "deleter calls", described.deleted, passed_on)

    @staticmethod
    def is_used(wish, is_torch):
        if wish["class"] not in ("static", "torch") or wish["capsule"] != "right" or wish["chain"] in ("2", "0"):
            return False
        if wish["missing"] in ("from_object", "work_stream") or (is_torch and wish["missing"] == "borrowed"):
            return False
        questions = [wish[name] for name in ("requires_grad", "is_conj", "is_neg")]
        return not is_torch or all(answer in (False, "None") for answer in questions)

    @staticmethod
    def cannot(wish, described):
        """Whether a way cannot take what the table gives."""
        is_on_gpu = wish["device"][0] in (2, 13)
        return (wish["way"] == "operand" and described.read_as == "b1") or (is_on_gpu and wish["stream"] == "error")


def own_table():
    capsule = cuarray.ndarray.__dlpack_c_exchange_api__
    return ctypes.cast(capsules.api.PyCapsule_GetPointer(capsule, NAME), POINTER(Table))[0]


def taken(out):
    """The object behind a pointer, whose reference is taken over."""
    array = ctypes.cast(out, py_object).value
    ctypes.pythonapi.Py_DecRef(py_object(array))
    return array


class TablesOut(CapsulesIn):
    """The functions of our table, with tensors, prototypes, devices and objects of every kind."""

    name = "tables out"
    fields: ClassVar = {
        "call": ("to_object", "allocate", "from_object", "work_stream"),
        "object": ("array", *HOSTILE),
        "then": CapsulesIn.fields["then"],
        **TENSOR_FIELDS,
    }

    def run(self, fields):
        wish = self.filled(fields) | FIXED | {"way": "from_dlpack"}
        described = Described(wish)
        getattr(self, wish["call"])(wish, described)

    def to_object(self, wish, described):
        memory, out = described.memory.copy(), c_void_p()
        status, error = refused(
            lambda: own_table().to_object(ctypes.addressof(described.structure), ctypes.byref(out)), "to_object"
        )
        x = taken(out) if status == 0 else None
        sound = described.is_sound()
        expect(sound is None or (x is not None) == sound, "taken or refused wrongly", str(error))
        if x is not None:
            self.judge(x, described, wish, memory)
        del error
        was_taken = x is not None
        del x
        if described.has_deleter:
            expect(described.deleted == was_taken, "deleter calls", described.deleted)

    def allocate(self, wish, described):
        said, out = [], c_void_p()
        report = SET_ERROR(lambda context, kind, message: said.append((kind, message)))
        if np.prod([n for n in described.shape[: max(described.ndim, 0)] if n > 0], dtype=object) > 1 << 24:
            wish = wish | {"then": "read"}
        before = cuarray.memory.stats("cpu")["allocations"]
        tensor = described.structure.tensor
        status = own_table().allocate(ctypes.byref(tensor), ctypes.byref(out), None, report)
        expect((status == 0) == (not said), "status and error", status, said)
        if status != 0:
            expect(len(said) == 1 and all(said[0]), "error", said)
        else:
            made = capsules.Versioned.from_address(out.value)
            expect(made.tensor.shape[: tensor.ndim] == tensor.shape[: tensor.ndim] if tensor.ndim else True, "shape")
            expect(bytes(made.tensor.dtype) == bytes(tensor.dtype), "dtype")
            made.deleter(out)
        expect(cuarray.memory.stats("cpu")["allocations"] == before, "leak of blocks")

    def from_object(self, wish, described):
        out = c_void_p()
        x = HOSTILE[wish["object"]]() if wish["object"] != "array" else cuarray.arange(6.0, device="cpu")[::2]
        status, error = refused(lambda: own_table().from_object(x, ctypes.byref(out)), "from_object")
        expect((status == 0) == isinstance(x, cuarray.ndarray), "taken or refused wrongly", str(error))
        if status == 0:
            made = capsules.Versioned.from_address(out.value)
            y = x.numpy()
            del x
            if made.tensor.device.type == 1:
                expect(capsules.values(made.tensor).tolist() == y.tolist(), "values")
            made.deleter(out)
        else:
            expect(isinstance(error, TypeError), "error", str(error))

    def work_stream(self, wish, described):
        out = c_void_p(1)
        status, error = refused(lambda: own_table().work_stream(*wish["device"], ctypes.byref(out)), "work_stream")
        is_here = wish["device"][0] in (1, 3, 11) or (wish["device"][0] in (2, 13) and wish["device"][1] == 0 and gpu())
        if wish["device"][1] == 0:
            expect((status == 0) == bool(is_here), "taken or refused wrongly", str(error))
