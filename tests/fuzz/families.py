"""Shared code of the input families: fields with plain and hostile values, hostile objects, checks of errors."""

import contextlib
import functools
import math
from typing import ClassVar

from protocol_runner import Fault

import cuarray


class Planted(Exception):
    """Raised by objects of the inputs: it must propagate, or be replaced by an allowed error."""


#: Errors that a rejected call may raise. SystemError, RuntimeError and AssertionError are faults of the library.
ALLOWED = (BufferError, TypeError, ValueError, OverflowError, NotImplementedError, AttributeError, IndexError, MemoryError,
           Planted, cuarray.CudaError)  # fmt: skip


@functools.cache
def gpu():
    """The first GPU, or None; looked up in the child, because CUDA does not survive a fork."""
    return next((str(device) for device in cuarray.devices() if str(device) != "cpu"), None)


class Family:
    """Inputs of one protocol.

    ``fields`` maps a name to a tuple of values, the first of which is plain. ``run`` is called with the fields that are
    not plain.
    """

    name = ""
    fields: ClassVar[dict] = {}
    #: The probability that a field is not plain.
    share = 0.2

    def make(self, rng):
        return {name: rng.choice(values[1:]) for name, values in self.fields.items() if rng.random() < self.share}

    def filled(self, fields):
        return {name: fields.get(name, values[0]) for name, values in self.fields.items()}


def refused(call, where, *others):
    """Call and return (result, None) or (None, the error); Fault if the error is not an allowed one.

    ``others`` are additional allowed types, or errors that NumPy raised for the same object: their types are allowed,
    and no words where they have none.
    """
    types = [other if isinstance(other, type) else type(other) for other in others]
    try:
        return call(), None
    except (*ALLOWED, *types) as error:
        may_be_silent = isinstance(error, (Planted, MemoryError)) or "" in map(str, others)
        if not may_be_silent and not str(error):
            raise Fault(f"{where} raised {type(error).__name__} without a word") from None
        return None, bare(error)
    except Fault:
        raise
    except BaseException as error:
        raise Fault(f"{where} raised {type(error).__name__}: {error}") from error


def bare(error):
    """The error without frames and causes, which would keep arrays alive."""
    error.__cause__ = error.__context__ = None
    return error.with_traceback(None)


def expect(condition, kind, *values):
    if not condition:
        raise Fault(f"{kind}: " + ", ".join(map(repr, values)))


class RaisingNumber:
    """Raises on every conversion to a number."""

    def __index__(self):
        raise Planted("index")

    __float__ = __complex__ = __int__ = __bool__ = __len__ = __iter__ = __hash__ = __index__

    def __getitem__(self, key):
        raise Planted("item")

    def __eq__(self, other):
        raise Planted("eq")

    def __repr__(self):
        raise Planted("repr")

    def __str__(self):
        raise Planted("str")


class LyingSequence:
    """Reports a length that is too large, and different at every call."""

    def __init__(self):
        self.asked = 0

    def __len__(self):
        self.asked += 1
        return 2 + self.asked

    def __getitem__(self, key):
        if key > 2:
            raise IndexError(key)
        return key


class NegativeLength:
    def __len__(self):
        return -1

    def __getitem__(self, key):
        return 1


class EndlessSequence:
    def __len__(self):
        return 1 << 40

    def __getitem__(self, key):
        return 1


class WrongIndex:
    def __index__(self):
        return 1.5


class HugeIndex:
    def __index__(self):
        return 1 << 70


class IntSubclass(int):
    def __index__(self):
        raise Planted("subclass")


class DictSubclass(dict):
    def __getitem__(self, key):
        raise Planted("dict")

    get = __getitem__


def _endless_list():
    entries = []
    entries.append(entries)
    return entries


#: Objects by name, created for each input.
HOSTILE = {
    "None": lambda: None,
    "True": lambda: True,
    "0": lambda: 0,
    "1": lambda: 1,
    "-1": lambda: -1,
    "2": lambda: 2,
    "1.5": lambda: 1.5,
    "nan": lambda: math.nan,
    "2**31": lambda: 1 << 31,
    "2**63": lambda: 1 << 63,
    "2**64": lambda: 1 << 64,
    "-2**63": lambda: -(1 << 63),
    "2**200": lambda: 1 << 200,
    "text": lambda: "text",
    "surrogate": lambda: "\ud800",
    "bytes": lambda: b"bytes",
    "()": tuple,
    "[]": list,
    "{}": dict,
    "(1,)": lambda: (1,),
    "(1, 2)": lambda: (1, 2),
    "[1, 2]": lambda: [1, 2],
    "(1, 2, 3)": lambda: (1, 2, 3),
    "('a', 'b')": lambda: ("a", "b"),
    "(2**70, 2**70)": lambda: (1 << 70, 1 << 70),
    "nested": lambda: [[1, 2], [3, 4]],
    "endless list": _endless_list,
    "object": object,
    "class": lambda: object,
    "module": lambda: math,
    "raising": RaisingNumber,
    "lying": LyingSequence,
    "negative length": NegativeLength,
    "endless": EndlessSequence,
    "wrong index": WrongIndex,
    "huge index": HugeIndex,
    "int subclass": lambda: IntSubclass(1),
    "dict subclass": lambda: DictSubclass(a=1),
    "generator": lambda: (n for n in (1, 2)),
    "array": lambda: cuarray.arange(2),
    "array without axes": lambda: cuarray.asarray(1),
    "dtype": lambda: cuarray.float32,
}


@contextlib.contextmanager
def nothing_left(device="cpu"):
    """Fault if cuarray memory is alive at the end that was not alive at the beginning."""
    before = cuarray.memory.stats(device)["allocations"]
    yield
    after = cuarray.memory.stats(device)["allocations"]
    expect(after <= before, "leak of blocks", before, after)
