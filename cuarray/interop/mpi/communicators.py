"""Communicators and matched messages whose buffers may be arrays of any device and layout."""

import functools
from typing import TYPE_CHECKING

from mpi4py import MPI

from cuarray.interop.mpi.calls import Method, takes_buffers
from cuarray.interop.mpi.requests import Request

# A Comm is of our class and of the communicator's own, whose methods type checkers find in the most common one.
if TYPE_CHECKING:
    from mpi4py.MPI import Intracomm as Communicator
else:
    Communicator = object

#: The bytes above which an elementwise collective of GPU arrays is cut into chunks, unless `Comm` is told otherwise.
CHUNK = 8 << 20


#: Methods whose results are communicators or messages of mpi4py.
RETURN_OURS = (
    "Clone", "Dup", "Dup_with_info", "Idup", "Idup_with_info", "Create", "Create_group", "Split", "Split_type",
    "Shrink", "Create_cart", "Create_graph", "Create_dist_graph", "Create_dist_graph_adjacent", "Create_intercomm",
    "Merge", "Sub", "Spawn", "Spawn_multiple", "Accept", "Connect", "Mprobe", "Improbe",
)  # fmt: skip


def overridden(base):
    """Return methods for a subclass of an mpi4py class: those with buffers, and those that return its classes."""
    methods = {}
    for name in dir(base):
        function = getattr(base, name)
        if takes_buffers(function):
            methods[name] = with_arrays(Method(function))
        elif name in RETURN_OURS and not issubclass(base, MPI.Win):
            methods[name] = returning_ours(function)
    return methods


def with_arrays(method):
    """Return a method that calls mpi4py's with what stands for the arrays."""

    @functools.wraps(method.function, assigned=("__name__", "__doc__"), updated=())
    def call(self, *args, **kwargs):
        return method(self, args, kwargs)

    return call


def returning_ours(function):
    """Return a method whose results are of our classes."""

    @functools.wraps(function, assigned=("__name__", "__doc__"), updated=())
    def call(self, *args, **kwargs):
        result = function(self, *args, **kwargs)
        if isinstance(result, tuple):
            return tuple(ours(entry, self.chunk) for entry in result)
        return ours(result, self.chunk)

    return call


def ours(result, chunk):
    """Return a communicator, message or request of mpi4py as ours, other results unchanged."""
    if isinstance(result, MPI.Comm):
        return Comm(result, chunk) if result != MPI.COMM_NULL else result
    if isinstance(result, MPI.Message):
        return Message(result)
    return Request(result) if isinstance(result, MPI.Request) else result


@functools.cache
def class_of(base):
    """Return our subclass of a communicator class of mpi4py."""
    return type(f"{base.__name__}OfArrays", (Comm, base), {**overridden(base), "__module__": __name__, "chunk": CHUNK})


class Comm(Communicator):
    """A communicator of mpi4py whose buffers may be arrays of any device and layout.

    Parameters
    ----------
    comm : mpi4py.MPI.Comm
        An intracommunicator, with or without a topology, or an intercommunicator. The handle is shared.
    chunk : int or None
        Elementwise collectives of more bytes (`Bcast`, `Reduce`, `Allreduce`, `Scan`, `Exscan`) run in chunks of so
        many bytes if an array of some process is staged on a GPU: MPI works on one chunk while the GPU copies its
        neighbours. All processes must make such calls through a `Comm` of the same `chunk`. None: never.

    Returns
    -------
    Comm
        An instance of the communicator's own class, too.

    Notes
    -----
    Arrays on `cpu` that are contiguous are passed to MPI as they are, and so are contiguous arrays of a GPU if MPI is
    CUDA-aware (`reads_gpus`). Others are copied: packed on their device, in C order, into page-locked host memory, and
    back. Buffers of other libraries are passed unchanged.

    Types and operations that MPI lacks are reduced by cuarray's functions: bfloat16, float16 where MPI has none,
    the order of complex numbers, logical operations on numbers, sums of bools.

    Examples
    --------
    >>> from mpi4py import MPI
    >>> import cuarray as ca
    >>> from cuarray.interop import mpi
    >>> comm = mpi.Comm(MPI.COMM_WORLD)
    >>> x = ca.arange(6.0).reshape(2, 3).T
    >>> total = ca.zeros((3, 2))
    >>> comm.Allreduce(x, total)
    >>> bool((total == x * comm.size).all())
    True
    """

    __slots__ = ()

    def __new__(cls, comm=None, chunk=CHUNK):
        if cls is not Comm:  # mpi4py's own constructors, as of Dup
            return super().__new__(cls, comm)
        if not isinstance(comm, MPI.Comm):
            raise TypeError(f"Comm: expected a communicator of mpi4py, not {type(comm).__name__}")
        if chunk is not None and (isinstance(chunk, bool) or not isinstance(chunk, int) or chunk < 1):
            raise ValueError(f"Comm: chunk is a positive number of bytes or None, not {chunk!r}")
        base = next(kind for kind in type(comm).__mro__ if kind.__module__ == "mpi4py.MPI")
        self = base.__new__(class_of(base), comm)
        self.chunk = chunk
        return self

    def __reduce__(self):
        base = next(kind for kind in type(self).__mro__ if kind.__module__ == "mpi4py.MPI")
        return Comm, (base(self), self.chunk)


class Message(MPI.Message):
    """A matched message of `Comm.Mprobe` and `Comm.Improbe`, to be received into an array of any device and layout."""

    chunk = None


for name, method in overridden(MPI.Message).items():
    setattr(Message, name, method)
