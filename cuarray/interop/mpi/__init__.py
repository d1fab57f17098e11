"""MPI for arrays of any device and layout, through mpi4py.

`Comm(comm)` has the methods of mpi4py's communicator. Arrays that MPI can read are passed to it; others are copied
to contiguous host memory first, page-locked beside a GPU, and back afterwards. `Win` makes windows likewise.
"""

try:
    from mpi4py import MPI as MPI
    from mpi4py import __version__ as version_of_mpi4py
except (ImportError, RuntimeError) as error:  # RuntimeError: mpi4py found no MPI library
    raise ImportError("cuarray.interop.mpi: needs mpi4py and an MPI library; pip install mpi4py mpich") from error
if int(version_of_mpi4py.partition(".")[0]) < 4:  # its methods do not say what their parameters are
    raise ImportError(f"cuarray.interop.mpi: needs mpi4py 4.0 or newer, not {version_of_mpi4py}")

from cuarray.interop.mpi.communicators import Comm, Message
from cuarray.interop.mpi.library import reads_gpus
from cuarray.interop.mpi.requests import Request
from cuarray.interop.mpi.windows import Win

__all__ = ["Comm", "Message", "Request", "Win", "reads_gpus"]


def __dir__() -> list[str]:
    return sorted(__all__)
