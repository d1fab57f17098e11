"""Where arrays live, and what the devices are busy with."""

from cuarray import _core
from cuarray._core import (
    default_device,
    device,
    get_num_threads,
    set_default_device,
    set_num_threads,
)

__all__ = [
    "default_device", "device", "devices", "get_num_threads", "memory_stats", "memory_trim",
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


def memory_stats(device=None):
    """Return how much memory arrays use on a device.

    Parameters
    ----------
    device : device or str, optional
        The current device by default.

    Returns
    -------
    dict
        Bytes: 'current' in arrays, 'peak' at most so far, 'reserved' with what is kept for reuse, 'limit';
        and the number of 'allocations' alive.

    Examples
    --------
    >>> import cuarray as ca
    >>> before = ca.memory_stats("cpu")["current"]
    >>> x = ca.zeros(1000, device="cpu")
    >>> ca.memory_stats("cpu")["current"] - before >= x.nbytes
    True
    """
    return _core.memory_stats(device)


def memory_trim(device=None):
    """Give memory that is kept for reuse back to the system.

    Parameters
    ----------
    device : device or str, optional
        The current device by default.

    Examples
    --------
    >>> import cuarray as ca
    >>> ca.memory_trim("cpu")
    """
    _core.memory_trim(device)
