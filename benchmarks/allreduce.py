"""Seconds of MPI's Allreduce of 64 MB, for parallel.py: mpiexec -n 2 python allreduce.py DEVICE.

Prints the best times of all processes as JSON: of mpi4py on NumPy arrays, of mpi4py and of
`cuarray.interop.mpi.Comm` on arrays of the device, and of the copies to the host and back.
"""

import json
import sys
import time

import numpy as np
from mpi4py import MPI

import cuarray as ca
from cuarray.interop import mpi

ROUNDS = 15
SIZE = 8 << 20


def main(device):
    world = MPI.COMM_WORLD
    comm = mpi.Comm(world)
    host, host_total = np.ones(SIZE), np.zeros(SIZE)
    x, total = ca.ones(SIZE, device=device), ca.zeros(SIZE, device=device)
    to_host, from_host = (ca.zeros(SIZE, device=device, memory="pinned") for _ in range(2))

    def there_and_back():
        ca.copyto(to_host, x)
        ca.copyto(total, from_host)

    functions = {
        "numpy": lambda: world.Allreduce(host, host_total),
        "comm": lambda: comm.Allreduce(x, total),
        "copies": there_and_back,
    }
    if device == "cpu":
        functions["mpi4py"] = lambda: world.Allreduce(x, total)
    best = dict.fromkeys(functions, float("inf"))
    for _ in range(ROUNDS):
        for name, function in functions.items():
            world.Barrier()
            start = time.perf_counter()
            function()
            ca.synchronize(device)
            seconds = world.allreduce(time.perf_counter() - start, MPI.MAX)
            best[name] = min(best[name], seconds)
    functions["comm"]()
    assert float(total.min()) == float(total.max()) == world.size
    if world.rank == 0:
        print(json.dumps(best))


if __name__ == "__main__":
    main(sys.argv[1])
