"""Types and reductions that MPI lacks: halves travel as 16 bits, and cuarray's functions reduce them.

MPI has no bfloat16, not always a float16, no order of complex numbers and no sum of bools.
"""

import functools

import numpy as np
from mpi4py import MPI

import cuarray as ca

#: MPI's predefined operations and the functions that compute them.
FUNCTIONS = [
    (MPI.SUM, ca.add), (MPI.PROD, ca.multiply), (MPI.MAX, ca.maximum), (MPI.MIN, ca.minimum),
    (MPI.LAND, ca.logical_and), (MPI.LOR, ca.logical_or), (MPI.LXOR, ca.logical_xor),
    (MPI.BAND, ca.bitwise_and), (MPI.BOR, ca.bitwise_or), (MPI.BXOR, ca.bitwise_xor),
]  # fmt: skip

#: The standard's operations by kind of dtype; integers have all.
STANDARD = {
    "f": (MPI.SUM, MPI.PROD, MPI.MAX, MPI.MIN),
    "c": (MPI.SUM, MPI.PROD),
    "b": (MPI.LAND, MPI.LOR, MPI.LXOR),
}


#: What `own_op` has found, by handle and dtype.
known_ops: dict[tuple[int, np.dtype], MPI.Op | None] = {}


@functools.cache
def has_type(dtype):
    """Whether MPI has a type for the dtype."""
    try:
        return MPI.Datatype.fromcode(dtype.char) != MPI.DATATYPE_NULL
    except (ValueError, KeyError, MPI.Exception):
        return False


def as_mpi_type(array):
    """Return a view of the array with a dtype that MPI has."""
    return array if has_type(array.dtype) else array.view(f"uint{8 * array.itemsize}")


@functools.cache
def adds_halves():
    """Whether MPI reduces float16, which the standard leaves open."""
    one, total = np.ones(1, np.float16), np.ones(1, np.float16)
    try:
        MPI.SUM.Reduce_local(one, total)
    except (MPI.Exception, ValueError, KeyError):
        return False
    return total[0] == 2


def is_standard(op, dtype):
    """Whether MPI itself reduces the dtype with the operation."""
    if not has_type(dtype):
        return False
    if dtype == np.float16 and not adds_halves():
        return False
    return dtype.kind not in STANDARD or any(op == standard for standard in STANDARD[dtype.kind])


def function_of(op):
    """Return the function of a predefined operation; None for others."""
    return next((function for known, function in FUNCTIONS if known == op), None)


def own_op(op, dtype):
    """Return cuarray's operation for a dtype that MPI does not reduce; None where the given one serves.

    Raises
    ------
    TypeError
        If the dtype has no such operation, such as bits of floating-point numbers.
    """
    try:
        return known_ops[op.handle, dtype]
    except (KeyError, AttributeError):
        function = function_of(op)
        own = None if function is None or is_standard(op, dtype) else made_op(function, dtype)
        if function is not None:  # the handle of an operation of the program's may come again for another
            known_ops[op.handle, dtype] = own
        return own


@functools.cache
def made_op(function, dtype):
    """Return an operation of MPI that reduces with a function of cuarray."""
    one = ca.ones(1, dtype, device="cpu")
    function(one, one)  # raises where the dtype has none

    def reduce(source, target, _datatype):
        source, target = (ca.asarray(np.frombuffer(memory, dtype), device="cpu") for memory in (source, target))
        target[...] = function(source, target)

    return MPI.Op.Create(reduce, commute=True)
