"""Host overhead of an operation on a GPU, excluding driver calls, whose time the simulator measures.

    tests/cudasim/run python benchmarks/cuda_overhead.py PART

Prints one Result per line as JSON. PART is `operations`, `composites`, `arguments` (of kernels of numba-cuda), or
`first`, which needs a new process each time.
"""

import ast
import ctypes
import importlib.util
import json
import os
import sys
import time
import timeit
from collections.abc import Callable
from dataclasses import asdict

import numpy as np
from race import Result

import cuarray as ca

# The driver calls that an operation may make when its kernel is loaded and all operands are on one stream.
ORDINARY = {"cuLaunchKernel": "launch", "cuCtxGetCurrent": "context read"}
WITH_MEMORY = {**ORDINARY, "cuMemAllocAsync": "alloc", "cuMemFreeAsync": "free"}
CALLS, ROUNDS = 200, 100

# Calls that are one task each. x, y, o: 1000 float64; s: 32; A, B: 32 x 32; I: three positions; W: a mask.
COMPOSITES = """
ca.zeros(1000)
ca.full(1000, 2.0)
ca.arange(1000)
x.copy()
x.astype('f4')
x.fill(2.0)
ca.copyto(o, x)
o[1:5] = y[2:6]
o[2] = 1.5
x[I]
ca.where(W, x, y)
ca.take(x, I)
ca.repeat(x, 2)
ca.tile(x, 2)
x.sum()
A.mean(axis=0)
x.argmax()
ca.cumsum(x)
ca.diff(x)
ca.clip(x, 1, 3)
ca.dot(x, y)
A @ x[:32]
A @ B
ca.outer(s, s)
ca.sort(x)
ca.searchsorted(x, y)
ca.nansum(x)
ca.einsum('ij,jk', A, B)
x**0.5
np.add(x, y)
""".strip().split("\n")


class Meter:
    """The simulated driver's clock and counters."""

    def __init__(self):
        self.driver = ctypes.CDLL(os.environ["CUARRAY_LIBCUDA"])
        self.driver.cudasim_ticks.restype = ctypes.c_uint64
        self.driver.cudasim_calls.restype = ctypes.c_long
        start, begin = time.perf_counter(), self.ticks()[0]
        time.sleep(0.05)
        self.tick = (time.perf_counter() - start) / (self.ticks()[0] - begin)

    def ticks(self) -> tuple[int, int]:
        """Return the clock, and the part of it spent in the driver."""
        inside = ctypes.c_uint64()
        return self.driver.cudasim_ticks(ctypes.byref(inside)), inside.value

    def own_seconds(self, function: Callable[[], object], calls: int) -> float:
        """Return the time per call outside of the driver."""
        now, inside = self.ticks()
        for _ in range(calls):
            function()
        later, more = self.ticks()
        return (later - now - (more - inside)) * self.tick / calls

    def calls(self, entry: str | None = None) -> int:
        """Return the number of calls of one entry point, or of all."""
        return self.driver.cudasim_calls(entry.encode() if entry else None)


def operations():
    """Operations whose kernels are loaded."""
    meter = Meter()
    few = [ca.ones(1000, dtype=ca.float32) for _ in range(3)]
    many = [ca.ones(1 << 20, dtype=ca.float32) for _ in range(2)]
    # Names are looked up beforehand: Python's lookup time is not cuarray's.
    add, (a, b, c), (d, e) = ca.add, few, many
    rows = {
        "add(a, b, out=c)": (lambda: add(a, b, out=c), ORDINARY, 0.5e-6),
        "a + b, memory from the list of small blocks": (lambda: a + b, ORDINARY, 0.8e-6),
        "a + b, memory from the driver": (lambda: d + e, WITH_MEMORY, 0.8e-6),
        "from_dlpack(a)": (lambda: ca.from_dlpack(a), {}, None),
    }
    for name, (function, allowed, goal) in rows.items():
        for _ in range(50):
            function()
        nothing = min(meter.own_seconds(lambda: None, CALLS) for _ in range(ROUNDS))
        own = min(meter.own_seconds(function, CALLS) for _ in range(ROUNDS)) - nothing
        if goal:
            # The simulated driver maps pages for new memory, and leaves the caches empty: not a fair time.
            is_fair = allowed is not WITH_MEMORY
            yield Result(name, own, goal, "goal", 1.0 if is_fair else None)
        before, total = {entry: meter.calls(entry) for entry in allowed}, meter.calls()
        for _ in range(CALLS):
            function()
        total = (meter.calls() - total) / CALLS
        each = {what: (meter.calls(entry) - before[entry]) / CALLS for entry, what in allowed.items()}
        note = ", ".join(f"{count:g} {what}" for what, count in each.items())
        yield Result(f"driver calls of {name}", total, len(allowed), "goal", 1.0, unit="", note=note)


def composites():
    """Calls of one task."""
    meter = Meter()
    x, y, o, a, b = ca.ones(1000), ca.ones(1000) * 2, ca.zeros(1000), ca.ones((32, 32)), ca.ones((32, 32))
    names = {
        "ca": ca,
        "np": np,
        "x": x,
        "y": y,
        "o": o,
        "A": a,
        "B": b,
        "s": ca.ones(32),
        "I": ca.array([3, 1, 2]),
        "W": x > 2,
    }

    def function_of(call: str):
        code = compile(call, "<call>", "exec")
        return lambda: exec(code, names)

    def operands_of(call: str) -> str:
        """Return a tuple of the names in the call: Python's time to load them is not cuarray's."""
        nodes = list(ast.walk(ast.parse(call)))
        functions = [
            node for node in nodes if isinstance(node, ast.Attribute) and ast.unparse(node.value) in ("ca", "np")
        ]
        variables = [node for node in nodes if isinstance(node, ast.Name) and node.id not in ("ca", "np")]
        return "".join(f"{ast.unparse(node)}, " for node in functions + variables)

    for call in COMPOSITES:
        run = function_of(call)
        for _ in range(30):
            run()
        idle = min(meter.own_seconds(function_of(operands_of(call)), CALLS) for _ in range(ROUNDS))
        own = min(meter.own_seconds(run, CALLS) for _ in range(ROUNDS)) - idle
        before = meter.calls("cuLaunchKernel")
        run()
        yield Result(call, own, 1e-6, "goal", 1.0, note=f"{meter.calls('cuLaunchKernel') - before} launches")


def arguments():
    """What numba-cuda asks an array of a GPU when it is an argument of a kernel."""
    x = ca.ones(1000)
    x.device.synchronize()
    best = lambda call, **names: min(timeit.repeat(call, number=CALLS, repeat=ROUNDS, globals=names)) / CALLS  # noqa: E731
    nothing = best(lambda: None)
    goal = {"peer": 0.3e-6, "peer_name": "goal", "least": 1.0}
    for name in ("__array_interface__", "no_such_attribute"):
        own = best(lambda name=name: getattr(x, name, None)) - nothing
        yield Result(f"refused attribute {name}", own, **goal)
    # The exception passes no frame of Python's, each of which would take as long.
    own = best("try:\n    memoryview(x)\nexcept BufferError:\n    pass", x=x)
    yield Result("refused buffer", own, **goal)
    if "numba_cuda" not in sys.modules and importlib.util.find_spec("numba_cuda") is None:
        return
    from numba import cuda
    from numba.cuda.cext._dispatcher import Dispatcher

    @cuda.jit
    def kernel(x):
        pass

    # A launch without its end: types the arguments, and finds the kernel of these types.
    for argument in (x, 1):
        kernel._insert([cuda.dispatcher.typeof(argument)._code], kernel.py_func, cuda=True)
    typed = best(lambda: Dispatcher._cuda_call(kernel, x)) - best(lambda: Dispatcher._cuda_call(kernel, 1))
    # Then cuda.core asks for the memory.
    stream = x.__cuda_array_interface__["stream"] or 1
    asked = best(lambda: (x.__dlpack_device__(), x.__dlpack__(stream=stream, max_version=(1, 0)))) - nothing
    yield Result("numba-cuda: type of an argument", typed, 1e-6, "goal")
    yield Result("numba-cuda: memory of an argument", asked, 1e-6, "goal")
    yield Result("numba-cuda: an argument", typed + asked, 1e-6, "goal", 1.0)


def first():
    """The first result of a process, timed from the end of the import."""
    data = np.ones(1000, np.float32)
    start = time.perf_counter()
    a, b = ca.asarray(data), ca.asarray(data)
    prepared, meter = time.perf_counter(), Meter()
    inside = meter.ticks()[1]
    middle = time.perf_counter()
    a + b
    launched = time.perf_counter() - middle - (meter.ticks()[1] - inside) * meter.tick
    (a + b).numpy()
    whole = prepared - start + time.perf_counter() - middle - meter.ticks()[1] * meter.tick
    for seconds in (launched, whole):
        yield Result("", seconds, 1.0, "")


PARTS = {"operations": operations, "composites": composites, "arguments": arguments, "first": first}

if __name__ == "__main__":
    for result in PARTS[sys.argv[1]]():
        print(json.dumps(asdict(result)), flush=True)
