"""Devices: the list of them, the default one, synchronization and the number of threads."""

from cuarray import _core
from cuarray._arguments.axes import integer
from cuarray._core import device

__all__ = [
    "default_device", "device", "devices", "get_num_threads",
    "set_default_device", "set_num_threads", "synchronize",
]  # fmt: skip


def devices():
    """Return the devices of this machine, the default one first.

    Returns
    -------
    tuple of device

    Examples
    --------
    >>> import cuarray as ca
    >>> ca.device("cpu") in ca.devices()
    True
    """
    return tuple(_core.devices())


def synchronize(device=None):
    """Compute what this thread has deferred, wait until all work queued on a device is done, and raise its errors.

    Parameters
    ----------
    device : device or str, optional
        The current device by default.

    Raises
    ------
    IndexError, CudaError
        Faults of the device since the last wait.

    Examples
    --------
    >>> import cuarray as ca
    >>> ca.synchronize("cpu")
    """
    _core.settle_all()
    _core.synchronize(device)


def default_device():
    """Return the device that new arrays go to, outside of `with cuarray.device(...)`.

    Returns
    -------
    device
        The one set last; initially CUARRAY_DEVICE, else cuda:0 if a GPU is usable, else cpu.

    Raises
    ------
    ValueError
        If CUARRAY_DEVICE names a device that does not exist.

    Examples
    --------
    >>> import cuarray as ca
    >>> ca.default_device() in ca.devices()
    True
    """
    return _core.default_device()


def set_default_device(device):
    """Set the device of new arrays, for all threads.

    Parameters
    ----------
    device : device or str

    Raises
    ------
    ValueError
        If there is no such device.

    Examples
    --------
    >>> import cuarray as ca
    >>> ca.set_default_device(ca.default_device())
    """
    _core.set_default_device(device)


def get_num_threads():
    """Return the number of threads of the cpu device.

    Returns
    -------
    int
        The number set last; initially CUARRAY_NUM_THREADS, else the cores that this process may use.

    Examples
    --------
    >>> import cuarray as ca
    >>> ca.get_num_threads() >= 1
    True
    """
    return _core.get_num_threads()


def set_num_threads(count):
    """Set the number of threads of the cpu device, and of the library that multiplies matrices there.

    Parameters
    ----------
    count : int
        1 to 4096.

    Raises
    ------
    ValueError
        If the number is out of range.

    Notes
    -----
    Results do not depend on it, except for products outside `deterministic()`. The library is the one that
    NumPy uses: its products get the same number of threads.

    See Also
    --------
    deterministic

    Examples
    --------
    >>> import cuarray as ca
    >>> ca.set_num_threads(ca.get_num_threads())
    """
    _core.set_num_threads(integer(count, "the number of threads", "set_num_threads"))
