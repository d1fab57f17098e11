"""MPI with arrays on simulated GPUs: each process has a part, and all get the sum and their neighbour's border.

mpiexec -n 2 python -m cuarray --simulate --memcheck examples/simulated/mpi_sum.py
"""

from mpi4py import MPI

import cuarray as ca
from cuarray.interop import mpi

comm = mpi.Comm(MPI.COMM_WORLD)
part = ca.arange(1000.0) + 1000 * comm.rank

total = ca.empty(1)
comm.Allreduce(part.sum(keepdims=True), total)  # through host memory: this MPI does not read GPUs
border = ca.empty(1)
comm.Sendrecv(part[-1:], (comm.rank + 1) % comm.size, recvbuf=border, source=(comm.rank - 1) % comm.size)

count = 1000 * comm.size
assert float(total[0]) == count * (count - 1) / 2
assert float(border[0]) == (1000 * comm.rank - 1) % count
if comm.rank == 0:
    print(f"{comm.size} processes added {count} elements on {part.device}")
