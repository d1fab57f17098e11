"""The measures of several processes and of chunked arrays: MPI and Dask."""

import importlib.util
import json
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from measures import measure, uniform
from race import Result, race

import cuarray as ca

HERE = Path(__file__).resolve().parent
SIMULATOR = HERE.parent / "tests" / "cudasim" / "run"


def is_missing(*modules: str) -> bool:
    """Whether one of the modules is not installed; says so."""
    missing = [module for module in modules if importlib.util.find_spec(module) is None]
    if missing:
        print(f"{', '.join(missing)}: not installed", file=sys.stderr)
    return bool(missing)


def seconds_of_allreduce(device: str, *prefix: str) -> dict[str, float]:
    """Run allreduce.py on two processes."""
    beside = Path(sys.executable).parent / "mpiexec"
    launcher = str(beside) if beside.exists() else shutil.which("mpiexec") or "mpiexec"
    command = [launcher, "-n", "2", *prefix, sys.executable, str(HERE / "allreduce.py"), device]
    done = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True)
    return json.loads(done.stdout[done.stdout.index("{") :])


@measure()
def mpi() -> Iterator[Result]:
    """Allreduce of 64 MB between two processes, against mpi4py on NumPy arrays."""
    if is_missing("mpi4py"):
        return
    time = seconds_of_allreduce("cpu")
    yield Result("Allreduce, 64 MB, mpi4py", time["mpi4py"], time["numpy"], "numpy", 1 / 1.02)
    yield Result("Allreduce, 64 MB, interop.mpi.Comm", time["comm"], time["numpy"], "numpy", 1 / 1.02)
    if shutil.which("g++"):
        time = seconds_of_allreduce("cuda:0", str(SIMULATOR))
        peer = time["numpy"] + time["copies"]
        yield Result("Allreduce, 64 MB, simulated GPU, staged", time["comm"], peer, "numpy + copies", 1.0)


@measure()
def dask() -> Iterator[Result]:
    """Dask over 64 chunks, against NumPy's chunks; its scheduler runs in one thread."""
    if is_missing("dask"):
        return
    import dask
    import dask.array as da

    import cuarray.interop.dask  # noqa: F401, tells Dask about the arrays

    data = uniform((2048, 2048), np.float64)
    chunks = (256, 256)
    theirs = da.from_array(data, chunks=chunks, asarray=False).persist(scheduler="sync")
    ours = da.from_array(ca.asarray(data, device="cpu"), chunks=chunks, asarray=False).persist(scheduler="sync")
    calls = {
        "sum": lambda x: x.sum(),
        "sum(axis=0)": lambda x: x.sum(axis=0),
        "matmul": lambda x: x @ x,
        "map_overlap": lambda x: x.map_overlap(five_points, depth=1, boundary="reflect"),
    }
    for name, call in calls.items():
        (mine,), (peer,) = (dask.optimize(call(x)) for x in (ours, theirs))
        time = race(
            2.0, ours=lambda x=mine: x.compute(scheduler="sync"), numpy=lambda x=peer: x.compute(scheduler="sync")
        )
        yield Result(f"dask {name}, 64 chunks", time["ours"], time["numpy"], "numpy", 1.0)


def five_points(x):
    """Return the mean of each element's neighbours, as in Jacobi's iteration."""
    y = x.copy()
    y[1:-1, 1:-1] = 0.25 * (x[:-2, 1:-1] + x[2:, 1:-1] + x[1:-1, :-2] + x[1:-1, 2:])
    return y
