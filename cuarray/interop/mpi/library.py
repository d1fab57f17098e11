"""Whether the MPI library of this process is CUDA-aware; checked when mpi4py requests a GPU array."""

import ctypes
import functools
import os
import sys


def library_of_mpi4py():
    """Return mpi4py's extension as a ctypes library, with the symbols of the MPI that it is linked with."""
    return ctypes.CDLL(sys.modules["mpi4py.MPI"].__file__)


def answers(library):
    """Yield the answers of the MPI library's query functions.

    MPIX_Query_cuda_support is in Open MPI, MPICH and MVAPICH, MPIX_GPU_query_support in MPICH and Cray MPICH.
    """
    if hasattr(library, "MPIX_Query_cuda_support"):
        yield bool(library.MPIX_Query_cuda_support())
    if hasattr(library, "MPIX_GPU_query_support"):
        cuda, found = 0, ctypes.c_int(0)
        if library.MPIX_GPU_query_support(cuda, ctypes.byref(found)) == 0:
            yield bool(found.value)


def kinds_of_memory():
    """Return MPI 4.1's supported kinds of memory, such as 'mpi,system,cuda:device', or ''."""
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
    """Tell whether MPI accepts GPU memory.

    Returns
    -------
    bool
        False only if MPI reports no support, or with CUARRAY_MPI_CUDA=0. A library without a query function
        is assumed to support it. CUARRAY_MPI_CUDA=1 overrides MPI's answer: an Open MPI built without CUDA
        may use a UCX built with it.
    """
    setting = os.environ.get("CUARRAY_MPI_CUDA")
    if setting is not None:
        if setting not in ("0", "1"):
            raise ValueError(f"CUARRAY_MPI_CUDA must be 0 or 1, not {setting!r}")
        return setting == "1"
    told = list(answers(library_of_mpi4py()))
    return not told or any(told) or "cuda" in kinds_of_memory()
