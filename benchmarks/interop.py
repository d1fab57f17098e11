"""The measures of exchange with other libraries: what they cost us, not what they cost themselves."""

import shutil
import sys
from collections.abc import Iterator

import numpy as np
import peers
from measures import measure, on_simulator
from race import Result, race

import cuarray as ca

#: Goals in seconds: for an argument of a function in another library, and for a question that is answered with no.
ARGUMENT, REFUSAL = 1e-6, 0.3e-6


@measure()
def exchange() -> Iterator[Result]:
    """Arrays of other libraries in and out, 10 float64 on cpu: no memory is copied."""
    a, x = np.arange(10.0), ca.arange(10.0)
    time = race(ours=lambda: ca.from_dlpack(a), numpy=lambda: np.from_dlpack(a))
    yield Result("from_dlpack(numpy array)", time["ours"], time["numpy"], "numpy", 1.0)
    time = race(ours=lambda: ca.asarray(a), numpy=lambda: np.from_dlpack(a))
    yield Result("asarray(numpy array)", time["ours"], time["numpy"], "numpy.from_dlpack")
    if torch := peers.optional("torch"):
        t = torch.arange(10.0, dtype=torch.float64)
        time = race(here=lambda: ca.asarray(t), there=lambda: x.torch(), torch=lambda: torch.from_dlpack(x))
        yield Result("asarray(torch tensor)", time["here"], ARGUMENT, "goal", 1.0)
        yield Result("x.torch()", time["there"], ARGUMENT, "goal", 1.0)
        yield Result("x.torch()", time["there"], time["torch"], "torch.from_dlpack")
        time = race(ours=lambda: x + t, explicit=lambda: x + ca.asarray(t))
        yield Result("x + torch tensor", time["ours"], time["explicit"], "x + asarray(t)")
    if tvm_ffi := peers.optional("tvm_ffi"):
        time = race(ours=lambda: tvm_ffi.from_dlpack(x), numpy=lambda: tvm_ffi.from_dlpack(a))
        yield Result("tvm_ffi.from_dlpack(x), by the C functions", time["ours"], time["numpy"], "numpy array")


@measure()
def kernel_arguments() -> Iterator[Result]:
    """Arrays of a simulated GPU as arguments of numba-cuda's kernels, by its own typing."""
    if not shutil.which("g++"):
        print("kernel_arguments: the simulator needs g++", file=sys.stderr)
        return
    yield from on_simulator("arguments")
