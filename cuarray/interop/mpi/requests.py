"""Requests of non-blocking and persistent calls: what arrived is copied to its arrays when they complete."""

from mpi4py import MPI

from cuarray.interop.mpi.operands import Operand

#: Host memory of requests that were dropped before they completed: MPI may still use it.
abandoned: list[list[Operand]] = []


class Request:
    """A running call of MPI with arrays of ours.

    It is completed by its own methods: mpi4py's `MPI.Request.Waitall` does not take it, because it would not
    copy what arrived to the arrays. The arrays may be changed, and read, when it has completed.

    Parameters
    ----------
    request : mpi4py.MPI.Request
    operands : list of Operand
    reports : bool
        Whether the status says how much was received.

    Examples
    --------
    >>> from mpi4py import MPI
    >>> import cuarray as ca
    >>> from cuarray.interop import mpi
    >>> comm = mpi.Comm(MPI.COMM_SELF)
    >>> x, y = ca.arange(3.0), ca.zeros(3)
    >>> mpi.Request.Waitall([comm.Irecv(y, source=0), comm.Isend(x, dest=0)])
    True
    >>> y.tolist()
    [0.0, 1.0, 2.0]
    """

    def __init__(self, request, operands=(), reports=False):
        self._request = request
        self._operands = list(operands)
        self._reports = reports
        self._is_persistent = isinstance(request, MPI.Prequest)
        self._is_running = not self._is_persistent

    def __repr__(self):
        state = "running" if self._is_running else "inactive" if self._request else "complete"
        return f"<cuarray.interop.mpi.Request, {state}>"

    def __bool__(self):
        return bool(self._request)

    def __getattr__(self, name):
        if name.startswith("_"):
            raise AttributeError(f"a Request has no {name}")
        return getattr(self._request, name)  # such as Pready

    def __del__(self):
        if self._is_running and any(operand.is_staged for operand in self._operands):
            abandoned.append(self._operands)

    def _complete(self, status):
        """Copy what arrived to its arrays, once."""
        if not self._is_running:
            return
        self._is_running = False
        is_cancelled = status.Is_cancelled()
        size = status.Get_count(MPI.BYTE) if self._reports and not is_cancelled else None
        for operand in self._operands:
            if not is_cancelled:
                operand.store(size if operand.rest is None else None)
        if not self._is_persistent:
            self._operands = []

    def Start(self):
        """Start a persistent call with what the arrays hold now."""
        if not self._is_persistent:
            raise TypeError("Request.Start: the request is not persistent; make it by Send_init or another ..._init")
        for operand in self._operands:
            operand.load()
        for operand in self._operands:
            operand.wait()
        self._request.Start()
        self._is_running = True

    def Wait(self, status=None):
        """Wait for completion, and copy what arrived to its arrays.

        Parameters
        ----------
        status : mpi4py.MPI.Status, optional
            Where to store the source, tag and length of the message.

        Returns
        -------
        bool
            True.
        """
        status = MPI.Status() if status is None else status
        self._request.Wait(status)
        self._complete(status)
        return True

    def Test(self, status=None):
        """Tell whether the call has completed; then as `Wait`."""
        status = MPI.Status() if status is None else status
        is_done = self._request.Test(status)
        if is_done:
            self._complete(status)
        return is_done

    def Cancel(self):
        """Cancel the call; a `Wait` must follow."""
        self._request.Cancel()

    def Free(self):
        """Give the request up. Host memory of a call that still runs stays, because MPI may use it."""
        self._request.Free()

    def Get_status(self, status=None):
        """Tell whether the call has completed, without completing the request."""
        return self._request.Get_status(status)

    def wait(self, status=None):
        """Wait for completion, as `Wait`; returns None, as mpi4py's does for a call with buffers."""
        self.Wait(status)

    def test(self, status=None):
        """Return (True, None) if the call has completed, else (False, None)."""
        return self.Test(status), None

    @classmethod
    def Startall(cls, requests):
        """Start persistent calls."""
        for request in requests:
            request.Start()

    @classmethod
    def Waitall(cls, requests, statuses=None):
        """Wait for all requests, of ours or of mpi4py."""
        found = [MPI.Status() for _ in requests]
        MPI.Request.Waitall([handle(request) for request in requests], found)
        cls._finish(requests, range(len(found)), found, statuses)
        return True

    @classmethod
    def Testall(cls, requests, statuses=None):
        """Tell whether all requests have completed; then as `Waitall`."""
        found = [MPI.Status() for _ in requests]
        is_done = MPI.Request.Testall([handle(request) for request in requests], found)
        if is_done:
            cls._finish(requests, range(len(found)), found, statuses)
        return is_done

    @classmethod
    def Waitany(cls, requests, status=None):
        """Wait for one of the requests and return its index; MPI.UNDEFINED if none runs."""
        status = MPI.Status() if status is None else status
        index = MPI.Request.Waitany([handle(request) for request in requests], status)
        if index != MPI.UNDEFINED:
            cls._finish(requests, [index], [status])
        return index

    @classmethod
    def Testany(cls, requests, status=None):
        """Return an index and whether a request has completed; then as `Waitany`."""
        status = MPI.Status() if status is None else status
        index, is_done = MPI.Request.Testany([handle(request) for request in requests], status)
        if is_done and index != MPI.UNDEFINED:
            cls._finish(requests, [index], [status])
        return index, is_done

    @classmethod
    def Waitsome(cls, requests, statuses=None):
        """Wait for at least one request and return the indices of those that completed; None if none runs."""
        return cls._some(MPI.Request.Waitsome, requests, statuses)

    @classmethod
    def Testsome(cls, requests, statuses=None):
        """Return the indices of the requests that have completed; None if none runs."""
        return cls._some(MPI.Request.Testsome, requests, statuses)

    @classmethod
    def _some(cls, function, requests, statuses):
        found = [MPI.Status() for _ in requests]
        indices = function([handle(request) for request in requests], found)
        if indices:
            cls._finish(requests, indices, found, statuses)
        return indices

    @staticmethod
    def _finish(requests, indices, found, statuses=None):
        for index, status in zip(indices, found, strict=False):
            if isinstance(requests[index], Request):
                requests[index]._complete(status)
        if statuses is not None:
            statuses[: len(found)] = found[: len(statuses) or None]


def handle(request):
    """Return mpi4py's request of one of ours, or the given one."""
    return request._request if isinstance(request, Request) else request
