"""Where arrays live, and what the devices are busy with."""

from operator import index

from cuarray import _core
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
    """Wait until everything asked of a device is done, and raise what went wrong there meanwhile.

    Parameters
    ----------
    device : device or str, optional
        The current device by default.

    Raises
    ------
    IndexError, CudaError
        Faults that a device has found since the last wait.

    Examples
    --------
    >>> import cuarray as ca
    >>> ca.synchronize("cpu")
    """
    _core.synchronize(device)


def default_device():
    """Return the device that new arrays go to, outside of `with cuarray.device(...)`.

    Returns
    -------
    device
        What was set last; at first CUARRAY_DEVICE, else cuda:0 where a GPU can be used, else cpu.

    Raises
    ------
    ValueError
        If CUARRAY_DEVICE names a device that is not there.

    Examples
    --------
    >>> import cuarray as ca
    >>> ca.default_device() in ca.devices()
    True
    """
    return _core.default_device()


def set_default_device(device):
    """Choose the device that new arrays of all threads go to from now on.

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
    """Return how many threads the cpu device computes with.

    Returns
    -------
    int
        What was set last; at first CUARRAY_NUM_THREADS, else the cores that this process may use.

    Examples
    --------
    >>> import cuarray as ca
    >>> ca.get_num_threads() >= 1
    True
    """
    return _core.get_num_threads()


def set_num_threads(count):
    """Choose how many threads the cpu device computes with. Results do not depend on it.

    Parameters
    ----------
    count : int
        1 to 4096.

    Raises
    ------
    ValueError
        If the number is out of range.

    Examples
    --------
    >>> import cuarray as ca
    >>> ca.set_num_threads(ca.get_num_threads())
    """
    _core.set_num_threads(index(count))
