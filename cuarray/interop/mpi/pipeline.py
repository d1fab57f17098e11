"""Large arrays of GPUs in chunks: MPI works on one while the GPU copies the next and the one before.

All processes cut at the same elements, and agree on that first, so that arrays of any device may meet.
"""

import math

import numpy as np
from mpi4py import MPI

import cuarray as ca
from cuarray._arguments.operands import is_on_host
from cuarray.interop.mpi.operands import host_memory, is_no_buffer, load, store
from cuarray.interop.mpi.operations import as_mpi_type


def size_of(spec):
    """Return the bytes that a buffer argument sends or receives; 0 if they cannot be told."""
    if isinstance(spec, (ca.ndarray, np.ndarray)):
        return spec.nbytes
    buffer, *rest = spec if isinstance(spec, (list, tuple)) and spec else [spec]
    counts = [entry for entry in rest if isinstance(entry, (int, np.integer))]
    types = [entry for entry in rest if isinstance(entry, (MPI.Datatype, str))]
    try:
        if not counts:
            return MPI.buffer(buffer).nbytes if not isinstance(buffer, ca.ndarray) else buffer.nbytes
        if not types:
            return counts[0] * (buffer if hasattr(buffer, "itemsize") else MPI.buffer(buffer)).itemsize
        kind = MPI.Datatype.fromcode(types[0]) if isinstance(types[0], str) else types[0]
        return counts[0] * kind.Get_size()
    except (TypeError, ValueError, BufferError, MPI.Exception):
        return 0


def elements(spec):
    """Return the array of a plain buffer argument that can be cut, else None."""
    if isinstance(spec, ca.ndarray):
        return spec
    if isinstance(spec, np.ndarray) and spec.flags.c_contiguous and spec.dtype.kind in "biufc":
        return spec
    return None


class Whole:
    """An argument that is the same for all chunks: MPI.IN_PLACE or None."""

    is_staged = False

    def __init__(self, value):
        self.value = value

    def load(self, begin, end):
        """Nothing to copy."""

    def chunk(self, begin, end):
        """The value."""
        return self.value

    store = load

    def finish(self):
        """Nothing is left to do."""


class Direct:
    """An array whose chunks are views; a copy of an array that is not contiguous."""

    def __init__(self, array, writes):
        self.array = array
        self.flat = np.ravel(array) if isinstance(array, np.ndarray) else ca.ravel(array)
        self.is_copied = writes and not array.flags.c_contiguous

    def load(self, begin, end):
        """Nothing to copy."""

    def chunk(self, begin, end):
        """The elements."""
        part = self.flat[begin:end]
        return part if isinstance(part, np.ndarray) else as_mpi_type(part)

    store = load

    def finish(self):
        """Copy what arrived to an array that is not contiguous."""
        if self.is_copied:
            self.array[...] = self.flat.reshape(self.array.shape)


class Staged:
    """An array of a GPU, whose chunks take turns in two blocks of page-locked memory.

    One stream copies in the order of the calls, so that a block is not overwritten before it was read. Asking for
    a chunk waits for the copies of its own block alone.
    """

    def __init__(self, operand, length):
        self.array = operand.array
        self.loads, self.writes = operand.loads, operand.writes
        self.flat = ca.ascontiguousarray(self.array).reshape(-1)
        self.blocks = [host_memory((length,), self.array) for _ in range(2)]
        self.length = length

    def block(self, begin, end):
        """The host memory of a chunk."""
        return self.blocks[begin // self.length % 2][: end - begin]

    def load(self, begin, end):
        """Queue the copy of a chunk to the host."""
        if self.loads:
            load(self.block(begin, end), self.flat[begin:end])

    def chunk(self, begin, end):
        """The chunk's host memory."""
        return as_mpi_type(self.block(begin, end))

    def store(self, begin, end):
        """Queue the copy of a chunk to the GPU."""
        if self.writes:
            store(self.flat[begin:end], self.block(begin, end))

    def finish(self):
        """Unpack what arrived, for an array that is not contiguous."""
        if self.writes and not self.array.flags.c_contiguous:
            self.array[...] = self.flat.reshape(self.array.shape)


def is_large(comm, specs):
    """Whether a collective has more bytes than a chunk: the same in all processes."""
    if comm.chunk is None:
        return False
    data = next((spec for spec in specs if not is_no_buffer(spec)), None)
    return data is not None and size_of(data) > comm.chunk and not comm.Is_inter()


def run_in_chunks(comm, function, named, buffers, operands):
    """Run an elementwise collective in chunks if an array of some process is staged on a GPU.

    Parameters
    ----------
    comm : Comm
    function : callable
        The method of mpi4py.
    named : dict
        The arguments by name.
    buffers : list of str
        The names of those that are buffers.
    operands : dict
        The `Operand` of each buffer that is an array of ours; None for a buffer that this process does not need.

    Returns
    -------
    bool
        False if the call is to be made as a whole. Nothing has happened then.
    """
    used = {name: named.get(name) for name in buffers if operands.get(name, True) is not None}
    arrays = [elements(spec) for spec in used.values() if not is_no_buffer(spec)]
    can_cut = all(array is not None for array in arrays) and len({(a.size, a.itemsize) for a in arrays}) == 1
    on_gpu = [
        name for name, operand in operands.items() if operand and operand.is_staged and not is_on_host(operand.array)
    ]
    answers = np.array([bool(on_gpu), not can_cut], np.int32)
    total = np.zeros_like(answers)
    MPI.Intracomm.Allreduce(comm, answers, total, MPI.MAX)
    if not total[0] or total[1]:
        return False
    size, length = arrays[0].size, max(1, comm.chunk // arrays[0].itemsize)
    parts = {}
    for name in buffers:
        if name in on_gpu:
            parts[name] = Staged(operands[name], length)
        elif is_no_buffer(used.get(name)):
            parts[name] = Whole(used.get(name))
        else:
            parts[name] = Direct(elements(used[name]), writes=operands[name].writes if operands.get(name) else False)
    run_pipeline(comm, function, named, parts, size, length)
    return True


def run_pipeline(comm, function, named, parts, size, length):
    """Copy chunk k + 1 to the host, let MPI work on chunk k, and copy it back, all queued where the GPU works."""
    ends = [(k * length, min(size, (k + 1) * length)) for k in range(math.ceil(size / length))]
    for part in parts.values():
        part.load(*ends[0])
    for k, bounds in enumerate(ends):
        if k + 1 < len(ends):
            for part in parts.values():
                part.load(*ends[k + 1])
        function(comm, **{**named, **{name: part.chunk(*bounds) for name, part in parts.items()}})
        for part in parts.values():
            part.store(*bounds)
    for part in parts.values():
        part.finish()
