"""Heat in a plate that MPI processes share: each holds a part, and exchanges its edges with its neighbours.

mpiexec -n 4 python examples/gallery/heat.py, or one process without mpiexec. With GPUs each takes one, in turn.
"""

from mpi4py import MPI
from PIL import Image

import cuarray as ca
from cuarray.interop import mpi

#: Share of the difference to its neighbours' mean that a point moves in a step; 1 at most.
RATE = 0.9
#: Colours from cold to hot.
COLOURS = [(0, 0, 20), (70, 10, 110), (190, 40, 90), (250, 130, 30), (255, 240, 160)]


@ca.fuse
def relaxed(here, up, down, left, right):
    """Points after a step: one kernel, or one pass of the CPU."""
    return here + RATE * (0.25 * (up + down + left + right) - here)


def hot_shapes(size):
    """The temperatures at the start: a ring, a bar and a disc."""
    y, x = ca.arange(size)[:, None] / size, ca.arange(size)[None, :] / size
    ring = abs(ca.hypot(x - 0.4, y - 0.4) - 0.25) < 0.03
    return (ring | ((abs(y - 0.8) < 0.02) & (x > 0.2)) | (ca.hypot(x - 0.8, y - 0.25) < 0.08)).astype(float)


def step(grid, u):
    """Exchange the borders of this process's part, then move every point towards the mean of its neighbours."""
    requests = []
    for axis in (0, 1):
        v = u if axis == 0 else u.T  # columns are strided: they are packed and unpacked on the device
        before, after = grid.Shift(axis, 1)
        requests += [grid.Irecv(v[0, 1:-1], before), grid.Irecv(v[-1, 1:-1], after)]
        requests += [grid.Isend(v[1, 1:-1], before), grid.Isend(v[-2, 1:-1], after)]
    mpi.Request.Waitall(requests)
    u[1:-1, 1:-1] = relaxed(u[1:-1, 1:-1], u[:-2, 1:-1], u[2:, 1:-1], u[1:-1, :-2], u[1:-1, 2:])


def plates(size, steps):
    """The whole plate at the start and after these numbers of steps, on process 0; empty lists elsewhere."""
    parts = MPI.Compute_dims(MPI.COMM_WORLD.size, 2)
    grid = mpi.Comm(MPI.COMM_WORLD).Create_cart(parts, periods=[False, False])
    rows, columns = (slice(size * k // n, size * (k + 1) // n) for k, n in zip(grid.coords, parts, strict=True))
    u = ca.pad(hot_shapes(size)[rows, columns], 1)
    seen = []
    for count in (0, *steps):
        for _ in range(count):
            step(grid, u)
        whole = ca.zeros((size, size), device="cpu")
        for place, part in grid.gather(((rows, columns), u[1:-1, 1:-1].numpy())) or []:
            whole[place] = part
        seen.append(whole)
    return seen if grid.rank == 0 else []


def draw(size=160, steps=(50, 450)):
    """At the start, soon after and later, side by side, as an array of bytes of shape (size, 3 size, 3)."""
    gpus = [device for device in ca.devices() if device.kind == "cuda"]
    with ca.device(gpus[MPI.COMM_WORLD.rank % len(gpus)] if gpus else "cpu"):
        seen = plates(size, steps)
    if not seen:
        return None
    stops = ca.linspace(0, 1, len(COLOURS), device="cpu")
    levels = [ca.sqrt(plate / plate.max()) for plate in seen]
    channels = [ca.interp(ca.concatenate(levels, axis=1), stops, channel) for channel in zip(*COLOURS, strict=True)]
    return ca.stack(channels, axis=-1).astype(ca.uint8)


if __name__ == "__main__":
    picture = draw()
    if picture is not None:
        Image.fromarray(picture.numpy()).save("heat.png")
