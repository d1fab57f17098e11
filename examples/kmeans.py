"""k-means of points that are shared among MPI processes: each sums its own, Allreduce adds the sums.

    mpiexec -n 4 python examples/kmeans.py [--device cpu] [--points 400000] [--clusters 12]

Needs mpi4py and an MPI library (pip install mpi4py mpich). With GPUs each process takes one, in turn.
"""

import argparse
import time

import numpy as np
from mpi4py import MPI

import cuarray as ca
from cuarray.interop import mpi

AXES = 8
ROUNDS = 30


def points_of(rank, count, clusters):
    """This process's points around the clusters' true centres, and those centres: the same on every device."""
    centres = ca.random.default_rng(0).uniform(-10, 10, (clusters, AXES))
    rng = ca.random.default_rng([1, rank])
    own = rng.integers(0, clusters, count)
    return centres[own] + rng.normal(0, 0.5, (count, AXES)), centres


def first_centres(comm, points, clusters):
    """Start with a point of process 0, then always take the point that is farthest from all centres so far."""
    centres = ca.zeros((clusters, AXES))
    centres[0] = points[0]
    comm.Bcast(centres[0, ...], root=0)
    nearest = ca.inf
    for k in range(1, clusters):
        nearest = ca.minimum(((points - centres[k - 1, ...]) ** 2).sum(axis=1), nearest)
        farthest = int(nearest.argmax())
        _, owner = comm.allreduce((float(nearest[farthest]), comm.rank), op=MPI.MAXLOC)
        centres[k] = points[farthest]
        comm.Bcast(centres[k, ...], root=owner)
    return centres


def kmeans(comm, points, clusters):
    """Return the centres, and the sum of squared distances to the nearest one."""
    centres = first_centres(comm, points, clusters)
    squares = (points**2).sum()
    for _ in range(ROUNDS):
        offsets = (centres**2).sum(axis=1)
        distances = offsets - 2 * (points @ centres.T)
        labels = distances.argmin(axis=1)
        # Sums of coordinates, and in the last column the number of points.
        sums = ca.zeros((clusters, AXES + 1))
        for axis in range(AXES):
            sums[:, axis] = ca.bincount(labels, weights=points[:, axis], minlength=clusters)
        sums[:, AXES] = ca.bincount(labels, minlength=clusters)
        comm.Allreduce(MPI.IN_PLACE, sums)
        counts = sums[:, AXES:]
        centres = ca.where(counts > 0, sums[:, :AXES] / ca.maximum(counts, 1), centres)
    cost = squares + distances.min(axis=1).sum()
    total = ca.zeros(())
    comm.Allreduce(cost, total)
    return centres, float(total)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--device", help="cpu, cuda:0, ...; by default a GPU for each process, if there is one")
    parser.add_argument("--points", type=int, default=400_000, help="of all processes")
    parser.add_argument("--clusters", type=int, default=12)
    options = parser.parse_args()
    comm = mpi.Comm(MPI.COMM_WORLD)
    devices = [device for device in ca.devices() if str(device) != "cpu"] or ["cpu"]
    ca.set_default_device(options.device or devices[comm.rank % len(devices)])

    count = options.points // comm.size
    points, truth = points_of(comm.rank, count, options.clusters)
    comm.Barrier()
    start = time.perf_counter()
    centres, cost = kmeans(comm, points, options.clusters)
    seconds = time.perf_counter() - start

    # The centres on all processes, and those that the points were drawn around.
    same = comm.allgather(centres.numpy())
    assert all(np.array_equal(other, same[0]) for other in same), "the processes disagree"
    distance = ca.sqrt(((centres[:, None, :] - truth) ** 2).sum(axis=2)).min(axis=1)
    if comm.rank == 0:
        print(f"{count * comm.size} points, {options.clusters} clusters, {ROUNDS} rounds: {seconds:.2f} s")
        print(f"mean squared distance {cost / (count * comm.size):.3f}, expected {AXES * 0.25:.3f}")
        print(f"centres found within {float(distance.max()):.3f} of the true ones")
        assert float(distance.max()) < 0.1


if __name__ == "__main__":
    main()
