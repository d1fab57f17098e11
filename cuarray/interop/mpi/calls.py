"""Methods of mpi4py's classes with arrays of ours as buffers: what each reads and writes, and when.

The names of mpi4py's parameters say it: `sendbuf` and `origin` are read, `recvbuf` and `result` are written. What
they do not say is in the tables.
"""

import inspect

from mpi4py import MPI

from cuarray.interop.mpi.operands import Operand, is_no_buffer, is_passed, split
from cuarray.interop.mpi.operations import own_op
from cuarray.interop.mpi.pipeline import is_large, run_in_chunks
from cuarray.interop.mpi.requests import Request

#: Parameters that are buffers: whether they are read, and written; `buf` is what its method says.
BUFFERS = {
    "sendbuf": (True, False), "recvbuf": (False, True), "origin": (True, False), "result": (False, True),
    "compare": (True, False), "buf": (True, False),
}  # fmt: skip

#: Methods, without the I and _init of their variants, that write `buf`.
RECEIVES = ("Recv", "Precv")
#: Methods that read and write `buf`.
REPLACES = ("Sendrecv_replace",)
#: The buffer that is significant at the root alone.
AT_ROOT = {"Gather": "recvbuf", "Gatherv": "recvbuf", "Reduce": "recvbuf", "Scatter": "sendbuf", "Scatterv": "sendbuf"}

#: Methods that write all elements of a plain receive buffer. The others may leave some as they are, as a neighbour
#: that does not exist does, so that the buffer is loaded first.
FILLS = (
    "Bcast", "Gather", "Scatter", "Scatterv", "Allgather", "Alltoall", "Reduce", "Allreduce", "Scan", "Reduce_scatter",
    "Reduce_scatter_block", "Get", "Fetch_and_op", "Compare_and_swap", "Get_accumulate",
)  # fmt: skip
#: Methods whose status says how much of a plain receive buffer was written.
REPORTS = ("Recv", "Sendrecv")
#: Methods whose requests send and receive parts of a buffer at a time.
PARTITIONED = ("Psend", "Precv")
#: Methods that combine or copy element by element: their arrays may go in chunks.
ELEMENTWISE = ("Bcast", "Reduce", "Allreduce", "Scan", "Exscan")


class Method:
    """A method of mpi4py that takes buffers.

    Parameters
    ----------
    function : callable
        The method of mpi4py's class.
    """

    def __init__(self, function):
        self.function = function
        self.name = function.__name__
        self.parameters = list(inspect.signature(function).parameters)[1:]
        self.buffers = [name for name in self.parameters if name in BUFFERS]
        stem = self.name.removesuffix("_init")
        is_immediate = stem[0] == "I" or (stem[0] == "R" and stem[1:] in ("put", "get", "accumulate", "get_accumulate"))
        self.stem = stem[1:].capitalize() if is_immediate else stem
        self.returns_request = is_immediate or stem != self.name
        self.is_elementwise = self.stem in ELEMENTWISE and not self.returns_request
        self.reduces = "op" in self.parameters

    def is_root(self, target, root):
        """Whether the calling process has the root's buffers."""
        return root == MPI.ROOT if target.Is_inter() else root == target.Get_rank()

    def access(self, target, name, named):
        """Return whether the method reads and writes a buffer; None if it ignores it."""
        reads, writes = BUFFERS[name]
        if name == "buf" and self.stem == "Bcast":
            root = named.get("root", 0)
            if target.Is_inter() and root == MPI.PROC_NULL:
                return None
            return (True, False) if self.is_root(target, root) else (False, True)
        if (name == "buf" and self.stem in RECEIVES) or (name == "origin" and self.stem == "Get"):
            return (False, True)
        if name == "buf" and self.stem in REPLACES:
            return (True, True)
        if AT_ROOT.get(self.stem) == name and not self.is_root(target, named.get("root", 0)):
            return None
        return reads, writes

    def operand(self, target, name, named, on_host):
        """Return the operand of a buffer, or None if the buffer is ignored."""
        access = self.access(target, name, named)
        if access is None:
            return None
        reads, writes = access
        array, rest = split(named[name])
        if writes and not reads:
            is_in_place = "sendbuf" in self.parameters and is_no_buffer(named.get("sendbuf"))
            is_whole = rest is None and not is_in_place and named.get("target_rank") != MPI.PROC_NULL
            reads = not (is_whole and self.stem in FILLS + REPORTS)
        return Operand(array, rest, reads, writes, on_host)

    def __call__(self, target, args, kwargs):
        named = dict(zip(self.parameters, args, strict=False))
        named.update(kwargs)
        if len(named) != len(args) + len(kwargs):
            return self.function(target, *args, **kwargs)  # which says what is wrong
        ours = {name: split(named.get(name))[0] for name in self.buffers}
        ours = {name: array for name, array in ours.items() if array is not None}
        op = None
        if ours and self.reduces:
            dtype = next(reversed(ours.values())).dtype
            op = own_op(named.get("op", MPI.SUM), dtype)
            if op is not None:
                self.refuse_own_op(named, dtype)
                named["op"] = op
        if self.is_elementwise and is_large(target, [named.get(name) for name in self.buffers]):
            operands = {name: self.operand(target, name, named, op is not None) for name in ours}
            if run_in_chunks(target, self.function, named, self.buffers, operands):
                return None
        elif op is None and all(is_passed(array) for array in ours.values()):
            result = self.function(target, *args, **kwargs)
            return Request(result) if self.returns_request else result
        else:
            operands = {name: self.operand(target, name, named, op is not None) for name in ours}
        return self.run(target, named, operands)

    def refuse_own_op(self, named, dtype):
        """Raise where MPI takes its own operations alone."""
        if "target_rank" in named:
            raise TypeError(f"{self.name}: MPI has no such operation for {dtype} in windows")

    def run(self, target, named, operands):
        """Call mpi4py with what stands for the arrays."""
        for name, operand in operands.items():
            named[name] = None if operand is None else operand.spec
        operands = [operand for operand in operands.values() if operand is not None]
        if self.stem in PARTITIONED and any(operand.is_staged for operand in operands):
            raise NotImplementedError(f"{self.name}: the array needs a copy, and partitions are not copied one by one")
        for operand in operands:
            operand.load()
        if self.returns_request:
            return Request(self.function(target, **named), operands, reports=self.stem in REPORTS)
        is_partial = self.stem in REPORTS and any(o.is_staged and o.writes and o.rest is None for o in operands)
        if is_partial and named.get("status") is None:
            named["status"] = MPI.Status()
        self.function(target, **named)
        if "target_rank" in named:
            target._keep(named["target_rank"], operands)
            return None
        for operand in operands:
            operand.store(received(named["status"]) if is_partial and operand.rest is None else None)
        return None


def received(status):
    """Return the number of bytes of a received message."""
    return 0 if status.Is_cancelled() else status.Get_count(MPI.BYTE)


def takes_buffers(function):
    """Whether a method of mpi4py takes buffers for MPI to read or write."""
    name = getattr(function, "__name__", "")
    if not name[:1].isupper() or isinstance(function, type):
        return False
    try:
        parameters = inspect.signature(function).parameters
    except (TypeError, ValueError):
        return False
    return bool(BUFFERS.keys() & parameters) and name not in ("Attach_buffer", "Iagree")
