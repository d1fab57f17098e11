"""Simulated GPUs for this process; the distribution cuarray-simulator is what simulates."""

import atexit

from cuarray import _core

__all__ = ["simulate"]

MISSING = (
    "simulated GPUs are a distribution of their own, cuarray-simulator, which is not installed; type: "
    'pip install "cuarray[simulator]"   (in a source tree of cuarray: pip install ./simulator)'
)


def simulate(count=1, *, like="H100", memcheck=False, seed=0, limit=100, suppress=(), json="", seconds=60.0):
    """Give this process simulated GPUs, for every library that hands PTX to CUDA's driver.

    cuarray, numba-cuda, cuda.core and Warp then find `count` GPUs, whose kernels run on the CPU. Libraries of CUDA's
    runtime (PyTorch, CuPy, JAX) do not run on them, which is said when one of them opens the driver.

    Parameters
    ----------
    count : int, optional
        The number of GPUs, 1 to 16.
    like : str, optional
        'T4', 'A100', 'A100-80', 'L4', 'H100', 'H200' or 'B200': what the device attributes say, from compute
        capability to L2 cache.
    memcheck : bool, optional
        Judge every access of every kernel: bounds, races, uninitialised memory, barriers. Reports go to stderr, and
        their number at the end of the process.
    seed : int, optional
        Decides the order of blocks, threads and streams; the same seed gives the same order.
    limit : int, optional
        End a kernel with an error at this finding.
    suppress : str or sequence of str, optional
        Kernels whose races and uninitialised reads are not reported, by name; '*' stands for any characters.
    json : str, optional
        A file that gets a line of JSON for each finding of this process and its child processes.
    seconds : float, optional
        End a kernel that runs longer with an error; 0 for no limit.

    Raises
    ------
    RuntimeError
        If the driver is in use already, in which case the call belongs further up; and if g++ or NVRTC is missing.
    ModuleNotFoundError
        If cuarray-simulator is not installed.

    Notes
    -----
    Child processes get simulated GPUs, too, and their findings are counted. The exit status is the program's own:
    ``python -m cuarray --simulate program.py``, which needs no call in the program, ends with 1 if something was found.

    Examples
    --------
    At the top of a program, ``ca.simulate()`` is all. Once GPUs have been looked for, it is too late:

    >>> import cuarray as ca
    >>> all_devices = ca.devices()
    >>> ca.simulate()
    Traceback (most recent call last):
    RuntimeError: simulate: GPUs have been looked for already; call it at the top, before the first array is made
    """
    if _core.has_looked_for_gpus():
        raise RuntimeError(
            "simulate: GPUs have been looked for already; call it at the top, before the first array is made"
        )
    package = simulator()
    package.start(
        count=count,
        like=like,
        memcheck=memcheck,
        seed=seed,
        limit=limit,
        suppress=suppress,
        json=json,
        seconds=seconds,
    )
    atexit.register(package.end)


def simulator():
    """Return the package that simulates; ModuleNotFoundError, with the command to type, if it is not installed."""
    try:
        import cuarray_simulator
    except ModuleNotFoundError as error:
        if error.name != "cuarray_simulator":
            raise
        raise ModuleNotFoundError(MISSING, name=error.name) from None
    return cuarray_simulator
