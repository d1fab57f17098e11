"""Whether the MPI of this process reads the memory of GPUs; asked when mpi4py wants an array of one."""

import ctypes
import functools
import os
import sys


def library_of_mpi4py():
    """Return mpi4py's extension as a ctypes library, with the symbols of the MPI that it is linked with."""
    return ctypes.CDLL(sys.modules["mpi4py.MPI"].__file__)


def answers(library):
    """Yield what the functions that MPI libraries have for this question say.

    MPIX_Query_cuda_support is in Open MPI, MPICH and MVAPICH, MPIX_GPU_query_support in MPICH and Cray MPICH.
    """
    if hasattr(library, "MPIX_Query_cuda_support"):
        yield bool(library.MPIX_Query_cuda_support())
    if hasattr(library, "MPIX_GPU_query_support"):
        cuda, found = 0, ctypes.c_int(0)
        if library.MPIX_GPU_query_support(cuda, ctypes.byref(found)) == 0:
            yield bool(found.value)


def kinds_of_memory():
    """Return what MPI 4.1 tells of the memory it takes, such as 'mpi,system,cuda:device', or ''."""
    mpi = sys.modules["mpi4py.MPI"]
    if not mpi.Is_initialized() or mpi.Is_finalized():
        return ""
    info = mpi.COMM_WORLD.Get_info()
    try:
        return info.get("mpi_memory_alloc_kinds") or ""
    finally:
        info.Free()


@functools.cache
def reads_gpus():
    """Tell whether MPI takes the memory of GPUs.

    Returns
    -------
    bool
        False only where MPI itself denies it, or CUARRAY_MPI_CUDA=0 does. A library that has no answer is
        believed to know what it does, and so is CUARRAY_MPI_CUDA=1: below an Open MPI that was built without
        CUDA may be a UCX that was built with it.
    """
    setting = os.environ.get("CUARRAY_MPI_CUDA")
    if setting is not None:
        if setting not in ("0", "1"):
            raise ValueError(f"CUARRAY_MPI_CUDA must be 0 or 1, not {setting!r}")
        return setting == "1"
    told = list(answers(library_of_mpi4py()))
    return not told or any(told) or "cuda" in kinds_of_memory()
