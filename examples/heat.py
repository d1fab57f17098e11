"""The heat equation on a plate, shared among MPI processes that exchange the edges of their parts.

    mpiexec -n 4 python examples/heat.py [--device cpu] [--size 480] [--steps 4000]

Process 0 writes heat.png: the temperatures at the start, in between and at the end, with the borders of the parts.
Needs mpi4py and an MPI library (pip install mpi4py mpich). With GPUs each process takes one, in turn.
"""

import argparse
import time

import numpy as np
from mpi4py import MPI
from PIL import Image

import cuarray as ca
from cuarray.interop import mpi

#: Share of the difference to its neighbours' mean that a point moves in a step; 1 at most.
RATE = 0.9
#: Colours from cold to hot.
COLOURS = [(0, 0, 20), (70, 10, 110), (190, 40, 90), (250, 130, 30), (255, 240, 160)]


class Plate:
    """This process's part of the plate, with a border of one point from each neighbour."""

    def __init__(self, size):
        world = MPI.COMM_WORLD
        parts = MPI.Compute_dims(world.size, 2)
        self.grid = mpi.Comm(world).Create_cart(parts, periods=[False, False])
        self.edges = [[size * k // count for k in range(count + 1)] for count in parts]
        places = zip(self.edges, self.grid.coords, strict=True)
        (self.top, self.bottom), (self.left, self.right) = [edges[k : k + 2] for edges, k in places]
        own = hot_shapes(size)[self.top : self.bottom, self.left : self.right]
        self.points = ca.asarray(np.pad(own, 1))

    def step(self):
        """Exchange the borders, then move every point towards the mean of its neighbours."""
        u = self.points
        requests = []
        for axis in (0, 1):
            v = u if axis == 0 else u.T  # columns are strided: they are packed and unpacked on the device
            before, after = self.grid.Shift(axis, 1)
            requests += [
                self.grid.Irecv(v[0, 1:-1], before),
                self.grid.Irecv(v[-1, 1:-1], after),
                self.grid.Isend(v[1, 1:-1], before),
                self.grid.Isend(v[-2, 1:-1], after),
            ]
        mpi.Request.Waitall(requests)
        u[1:-1, 1:-1] = relaxed(u[1:-1, 1:-1], u[:-2, 1:-1], u[2:, 1:-1], u[1:-1, :-2], u[1:-1, 2:])

    def whole(self):
        """The whole plate as a NumPy array, on process 0; None elsewhere."""
        part = (self.top, self.bottom, self.left, self.right, self.points[1:-1, 1:-1].numpy())
        parts = self.grid.gather(part)
        if parts is None:
            return None
        plate = np.zeros((self.edges[0][-1], self.edges[1][-1]))
        for top, bottom, left, right, points in parts:
            plate[top:bottom, left:right] = points
        return plate


@ca.fuse
def relaxed(here, up, down, left, right):
    """Points after a step: one kernel, or one pass of the CPU."""
    return here + RATE * (0.25 * (up + down + left + right) - here)


def hot_shapes(size):
    """The temperatures at the start: a ring, a bar and points, as far as they lie on the plate."""
    y, x = np.mgrid[:size, :size] / size
    radius = np.hypot(x - 0.4, y - 0.4)
    hot = (abs(radius - 0.25) < 0.03) | ((abs(y - 0.8) < 0.02) & (x > 0.2)) | (np.hypot(x - 0.8, y - 0.25) < 0.08)
    return hot.astype(float)


def alone(size, steps):
    """The same by NumPy in one process."""
    u = np.pad(hot_shapes(size), 1)
    for _ in range(steps):
        neighbours = 0.25 * (u[:-2, 1:-1] + u[2:, 1:-1] + u[1:-1, :-2] + u[1:-1, 2:])
        u[1:-1, 1:-1] += RATE * (neighbours - u[1:-1, 1:-1])
    return u[1:-1, 1:-1]


def picture(plates, edges):
    """The plates side by side in colours, with the borders of the parts drawn into the first."""
    stops = np.linspace(0, 1, len(COLOURS))
    panels = []
    for k, plate in enumerate(plates):
        level = np.sqrt(plate / max(plate.max(), 1e-9))
        panel = np.stack([np.interp(level, stops, channel) for channel in zip(*COLOURS, strict=True)], axis=2)
        if k == 0:
            for row in edges[0][1:-1]:
                panel[row, ::4] = 255
            for column in edges[1][1:-1]:
                panel[::4, column] = 255
        panels += [panel, np.full((len(panel), 12, 3), 255)]
    return Image.fromarray(np.hstack(panels[:-1]).astype(np.uint8))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--device", help="cpu, cuda:0, ...; by default a GPU for each process, if there is one")
    parser.add_argument("--size", type=int, default=480, help="points of a side")
    parser.add_argument("--steps", type=int, default=4000)
    options = parser.parse_args()
    world = MPI.COMM_WORLD
    devices = [device for device in ca.devices() if str(device) != "cpu"] or ["cpu"]
    ca.set_default_device(options.device or devices[world.rank % len(devices)])

    plate = Plate(options.size)
    plates, seconds = [plate.whole()], 0.0
    for steps in (options.steps // 10, options.steps - options.steps // 10):
        world.Barrier()
        start = time.perf_counter()
        for _ in range(steps):
            plate.step()
        ca.synchronize()
        world.Barrier()
        seconds += time.perf_counter() - start
        plates.append(plate.whole())
    if world.rank == 0:
        print(f"{options.size} x {options.size} points, {options.steps} steps: {seconds:.2f} s")
        expected = alone(options.size, options.steps)
        np.testing.assert_allclose(
            plates[-1], expected, rtol=1e-9, atol=1e-12, err_msg="the processes disagree with NumPy"
        )
        print("the same as NumPy's in one process")
        picture(plates, plate.edges).save("heat.png")
        print("wrote heat.png: start | after a tenth | end")


if __name__ == "__main__":
    main()
