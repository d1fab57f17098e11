"""Arrays as arguments of MPI: as they are where MPI can read them, else contiguous host memory in their place."""

from mpi4py import MPI

import cuarray as ca
from cuarray import _core
from cuarray._arguments.operands import is_on_host
from cuarray.interop.mpi.library import reads_gpus
from cuarray.interop.mpi.operations import as_mpi_type, has_type

CPU = ca.device("cpu")


def split(spec):
    """Return the array and the counts and types of a buffer argument such as x or [x, count, type].

    Returns
    -------
    tuple
        The array, or None if it is no array of ours; the rest, or None if there is none.
    """
    if isinstance(spec, ca.ndarray):
        return spec, None
    if isinstance(spec, (list, tuple)) and spec and isinstance(spec[0], ca.ndarray):
        return spec[0], [*spec[1:]]
    return None, None


def is_no_buffer(spec):
    """Whether a buffer argument is None or MPI.IN_PLACE, which mean the same to mpi4py."""
    return spec is None or spec is MPI.IN_PLACE


def is_readable(array, on_host=False):
    """Whether MPI, or a function on the host, can use the array's memory as it is."""
    return array.flags.c_contiguous and (array.device == CPU or (not on_host and reads_gpus()))


def is_passed(array):
    """Whether mpi4py can be given the array itself, to read and to write."""
    return is_readable(array) and array.flags.writeable and has_type(array.dtype)


def host_memory(shape, array):
    """Return contiguous host memory for an array's elements, page-locked if its device is a GPU."""
    return ca.empty(shape, array.dtype, device=array.device, memory="pinned")


def load(host, array):
    """Copy an array to host memory of its shape, packed on its own device; queued on a GPU."""
    ca.copyto(host, ca.ascontiguousarray(array).reshape(array.shape))


def store(array, host):
    """Copy host memory to an array of its shape, unpacked on the array's device; queued on a GPU."""
    if array.flags.c_contiguous:
        ca.copyto(array, host)
    else:
        array[...] = host.to_device(array.device)


class Operand:
    """An array in a call of MPI.

    Parameters
    ----------
    array : ndarray
    rest : list or None
        Counts, displacements and types.
    reads, writes : bool
        Whether MPI reads the array, and writes it.
    on_host : bool
        Whether a function that runs on the host is to read it: a reduction of ours.
    """

    __slots__ = ("_host", "array", "is_staged", "loads", "rest", "writes")

    def __init__(self, array, rest, reads, writes, on_host=False):
        if writes and not array.flags.writeable:
            if _core.is_value(array):
                raise BufferError("mpi: cannot receive into a 0-d result that has been hashed; write cuarray.array(x)")
            raise BufferError(f"mpi: cannot receive into a read-only array of shape {array.shape}")
        self.array = array
        self.rest = rest
        self.writes = writes
        self.loads = reads
        self.is_staged = not is_readable(array, on_host)
        self._host = None

    @property
    def host(self):
        """The host memory that takes the place of an array that is staged; made when it is needed."""
        if self._host is None:
            self._host = host_memory(self.array.shape, self.array)
        return self._host

    @property
    def spec(self):
        """The argument for mpi4py."""
        buffer = as_mpi_type(self.host if self.is_staged else self.array)
        return buffer if self.rest is None else [buffer, *self.rest]

    def load(self):
        """Copy what MPI reads to host memory, where there is some; queued on a GPU."""
        if self.is_staged and self.loads:
            load(self.host, self.array)

    def wait(self):
        """Wait until MPI may use the memory whose address it already has."""
        if self.is_staged or not is_on_host(self.array):
            MPI.Get_address(self.spec if self.rest is None else self.spec[0])

    def store(self, size=None):
        """Copy what MPI wrote back to the array; of a message that may be shorter, the given number of bytes."""
        if not self.is_staged or not self.writes:
            return
        if size is None or size >= self.array.nbytes:
            store(self.array, self.host)
            return
        count = size // self.array.itemsize
        if count <= 0:
            return
        flat = self.host.reshape(-1)
        if self.array.flags.c_contiguous:
            store(self.array.reshape(-1)[:count], flat[:count])
        else:
            arrived = ca.arange(self.array.size, device=self.array.device).reshape(self.array.shape) < count
            ca.copyto(self.array, self.host.to_device(self.array.device), where=arrived)
