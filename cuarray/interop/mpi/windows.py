"""Windows for one-sided communication on arrays of any device and layout."""

import numpy as np
from mpi4py import MPI

import cuarray as ca
from cuarray._arguments.operands import is_on_host
from cuarray.interop.mpi.communicators import overridden
from cuarray.interop.mpi.library import reads_gpus
from cuarray.interop.mpi.operands import host_memory, load
from cuarray.interop.mpi.operations import as_mpi_type


def words(array):
    """Return the elements in C order as a row of unsigned integers: a view of a contiguous array."""
    return ca.ascontiguousarray(array).reshape(-1).view(f"uint{8 * min(array.itemsize, 8)}")


class Mirror:
    """Host memory that other processes access in place of an array that MPI cannot read.

    MPI's separate memory model: the mirror is the public copy, the array the private one, and synchronisation makes
    them equal. An element that the program changed since goes to the mirror, one that other processes changed goes to
    the array; `seen` holds what both had then, on the array's device.
    """

    def __init__(self, array):
        if not array.flags.writeable:
            raise BufferError(f"Win.Create: other processes cannot write a read-only array of shape {array.shape}")
        self.array = array
        self.host = host_memory(array.shape, array)
        load(self.host, array)
        self.seen = words(array).copy()
        self.memory().setflags()  # waits for the copy

    def memory(self):
        """A NumPy view of the mirror, as integers, when no copy is running."""
        return np.asarray(words(self.host))

    def publish(self):
        """Copy what the program changed to the mirror."""
        now = words(self.array)
        changed = now != self.seen
        if bool(changed.any()):
            np.copyto(self.memory(), now.numpy(), where=changed.numpy())
            self.seen = now.copy()

    def take(self):
        """Copy what other processes changed to the array."""
        there = ca.empty_like(self.seen)
        ca.copyto(there, words(self.host))
        arrived = there != self.seen
        if bool(arrived.any()):
            here = words(self.array)
            ca.copyto(here, there, where=arrived)
            if not self.array.flags.c_contiguous:
                self.array[...] = here.view(self.array.dtype).reshape(self.array.shape)
        self.seen = there


class Win(MPI.Win):
    """A window on an array of any device and layout, and one-sided calls with such arrays.

    The methods are those of mpi4py's `Win`. An array that MPI can read is the window itself. Otherwise (an array
    of a GPU without a CUDA-aware MPI, or one that is not contiguous) the window is a host copy, as in MPI's
    separate memory model: `Fence`, `Post`, `Wait`, `Lock` and `Unlock` of the own rank, `Lock_all`, `Unlock_all`
    and `Sync` exchange what the program and other processes have changed. Elements lie in C order.

    `Put`, `Get` and the others take arrays of any device and layout, which may be changed or read after the call
    that completes the operation, as in MPI. Operations that MPI lacks (bfloat16) raise `TypeError`, because windows
    take MPI's own alone.

    Examples
    --------
    >>> from mpi4py import MPI
    >>> import cuarray as ca
    >>> from cuarray.interop import mpi
    >>> x = ca.zeros(4)
    >>> win = mpi.Win.Create(x, disp_unit=x.itemsize, comm=MPI.COMM_SELF)
    >>> win.Fence()
    >>> win.Put(ca.ones(2), 0, target=1)
    >>> win.Fence()
    >>> x.tolist()
    [0.0, 1.0, 1.0, 0.0]
    >>> win.Free()
    """

    _mirror = None
    _rank = None
    _running = ()

    @classmethod
    def Create(cls, memory, disp_unit=1, info=MPI.INFO_NULL, comm=MPI.COMM_SELF):
        """Make a window on an array.

        Parameters
        ----------
        memory : ndarray, buffer or None
            The memory that the processes of `comm` may access; None for none.
        disp_unit : int
            Bytes of a unit of the displacements that other processes give.
        info : mpi4py.MPI.Info
        comm : mpi4py.MPI.Intracomm
            All its processes make this call.

        Returns
        -------
        Win
        """
        mirror = None
        if isinstance(memory, ca.ndarray):
            if not (memory.flags.c_contiguous and (is_on_host(memory) or reads_gpus())):
                mirror = Mirror(memory)
            memory = as_mpi_type(memory if mirror is None else mirror.host)
        win = super().Create(memory, disp_unit, info, comm)
        win._mirror = mirror
        win._rank = comm.Get_rank()
        return win

    def _keep(self, rank, operands):
        """Keep the operands of a call until it is completed."""
        self._running = [*self._running, (rank, operands)] if operands else self._running

    def _finish(self, rank=None):
        """Copy what the completed calls to a rank, or to all, have read to its arrays."""
        done = [entry for entry in self._running if rank in (None, entry[0])]
        self._running = [entry for entry in self._running if rank not in (None, entry[0])]
        for _, operands in done:
            for operand in operands:
                operand.store()

    def _publish(self, rank=None):
        if self._mirror is not None and rank in (None, self._rank):
            self._mirror.publish()

    def _take(self, rank=None):
        if self._mirror is not None and rank in (None, self._rank):
            self._mirror.take()

    def Free(self):
        """Free the window, after a copy of what other processes wrote to the array."""
        super().Free()
        self._take()
        self._mirror = None


def synchronising(name, when):
    """Return a method of Win that also synchronises the mirror, or completes calls.

    Parameters
    ----------
    name : str
    when : str
        Words: 'publish' makes the mirror equal to the array before the call, 'take' the array to the mirror after
        it, 'finish' says that the call completes operations, 'rank' that it is about the rank given first.
    """
    function = getattr(MPI.Win, name)

    def method(self, *args, **kwargs):
        rank = (args[0] if args else kwargs.get("rank")) if "rank" in when else None
        if "publish" in when:
            self._publish(rank)
        result = function(self, *args, **kwargs)
        if "finish" in when:
            self._finish(rank)
        if "take" in when and result is not False:
            self._take(rank)
        return result

    method.__name__, method.__doc__ = name, function.__doc__
    return method


SYNCHRONISATION = {
    "Fence": "publish take finish",
    "Post": "publish",
    "Complete": "finish",
    "Wait": "take",
    "Test": "take",
    "Lock": "take rank",
    "Unlock": "publish take finish rank",
    "Lock_all": "take",
    "Unlock_all": "publish take finish",
    "Flush": "finish rank",
    "Flush_all": "finish",
    "Flush_local": "finish rank",
    "Flush_local_all": "finish",
    "Sync": "publish take",
}

for name, when in SYNCHRONISATION.items():
    setattr(Win, name, synchronising(name, when))
for name, method in overridden(MPI.Win).items():
    setattr(Win, name, method)
