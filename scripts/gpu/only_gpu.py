"""Checks that a simulator cannot do: the GPU's functions, full grids, exhausted memory, lost contexts."""

import json
import os
import subprocess
import sys
import time

import numpy as np
from results import run_all, tell

import cuarray as ca

GPU = "cuda:0"
CHUNK = 1 << 26  # float32 values at a time
# The limits of docs/differences.md, in units in the last place; other functions are reported, not checked.
FREE = (
    "exp",
    "exp2",
    "expm1",
    "log",
    "log2",
    "log10",
    "log1p",
    "sin",
    "cos",
    "tan",
    "sinh",
    "cosh",
    "tanh",
    "asin",
)
BUDGET = 30.0  # seconds for the accuracy of all functions


def float_rows():
    """Unary functions of one floating-point result whose float32 values can be checked in float64."""
    for row in ca._core.rows():
        function = ca._core.ufuncs[row["name"]]
        # The distance to the next number depends on the type.
        if function.nin != 1 or function.nout != 1 or row["name"] == "spacing":
            continue
        try:
            if function(ca.ones(1, dtype=ca.float32, device=GPU)).dtype == np.float32:
                yield row["name"], function
        except (TypeError, ValueError):
            continue


def worst_ulp(function, bits):
    """The largest error of a float32 function over bit patterns, in ulp of the float64 result rounded."""
    x = bits.view(ca.float32)
    got, exact = function(x), function(x.astype(ca.float64))
    near = exact.astype(ca.float32)
    counts = ca.isfinite(near) & ca.isfinite(got) & (ca.abs(near) > np.float32(1.2e-38))
    unit = ca.abs(ca.spacing(near)).astype(ca.float64)
    error = ca.where(counts, ca.abs(got.astype(ca.float64) - exact) / unit, 0.0)
    differ = ca.isnan(got) != ca.isnan(near)
    return float(error.max()), int(differ.sum())


def accuracy_of_float32_functions():
    """Every function over all 2**32 values if time allows, else over an evenly distributed sample."""
    rows = list(float_rows())
    pieces = (1 << 32) // CHUNK
    order = [piece * 37 % pieces for piece in range(pieces)]
    worst = {name: [0.0, 0, 0] for name, _ in rows}
    start = time.monotonic()
    for count, piece in enumerate(order, start=1):
        low = piece * CHUNK
        bits = ca.arange(low, low + CHUNK, dtype=ca.uint32, device=GPU)
        for name, function in rows:
            ulp, nans = worst_ulp(function, bits)
            known = worst[name]
            worst[name] = [max(known[0], ulp), known[1] + nans, count]
        if time.monotonic() - start > BUDGET:
            break
    for name, (ulp, nans, count) in worst.items():
        bad = nans > 0 or (name in FREE and ulp > 5)
        share = f"{count / pieces:.0%} of all values"
        tell(
            f"float32 {name}",
            "FAILED" if bad else "passed",
            f"{ulp:.2f} ulp, {nans} NaNs differ, {share}",
            ulp=ulp,
        )
    return f"{len(rows)} functions"


def reductions_repeat():
    """A thousand reductions at full grid: the last block must see all partial results, every time."""
    host = np.random.default_rng(1).standard_normal(1 << 24, dtype=np.float32)
    x = ca.asarray(host, device=GPU)
    table = x.reshape(16, -1)
    first = (
        x.sum().numpy().tobytes(),
        table.sum(axis=1).numpy().tobytes(),
        table.max(axis=1).numpy().tobytes(),
    )
    sums = [x.sum() for _ in range(1000)]
    rows = [table.sum(axis=1) for _ in range(200)]
    assert all(s.numpy().tobytes() == first[0] for s in sums), "a sum differs from the first"
    assert all(r.numpy().tobytes() == first[1] for r in rows), "a row sum differs from the first"
    on_cpu = ca.asarray(host, device="cpu").sum().numpy().tobytes()
    return "the same bits as on cpu" if on_cpu == first[0] else "repeatable, but other bits than on cpu"


def two_streams_at_once():
    if not hasattr(ca, "Stream"):
        raise NotImplementedError("cuarray.Stream is missing")
    x = ca.asarray(np.random.default_rng(2).standard_normal(1 << 22, dtype=np.float32), device=GPU)
    expected = x.sum().numpy().tobytes()
    ca.synchronize(GPU)
    streams = [ca.Stream(GPU) for _ in range(2)]
    sums = []
    for _ in range(500):
        for stream in streams:
            with stream:
                sums.append(x.sum())
    assert all(s.numpy().tobytes() == expected for s in sums), "a sum differs"


def arithmetic_equals_the_cpu():
    """Correctly rounded operations give the cpu's bits, also for subnormal numbers, infinities and halves."""
    rng = np.random.default_rng(3)
    bits = rng.integers(0, 1 << 32, 1 << 20, dtype=np.uint32)
    a, b = bits.view(np.float32), np.roll(bits, 7).view(np.float32)
    wrong = []
    for dtype in (np.float32, np.float64, np.float16):
        with np.errstate(all="ignore"):
            p, q = a.astype(dtype), b.astype(dtype)
        for name in (
            "add",
            "subtract",
            "multiply",
            "divide",
            "sqrt",
            "remainder",
            "floor_divide",
            "nextafter",
            "rint",
        ):
            function = getattr(ca, name)
            operands = (p, q)[: function.nin]
            here = function(*(ca.asarray(o, device="cpu") for o in operands)).numpy()
            there = function(*(ca.asarray(o, device=GPU) for o in operands)).numpy()
            if not np.array_equal(here, there, equal_nan=True):
                wrong.append(f"{name} {np.dtype(dtype)}")
    assert not wrong, ", ".join(wrong)


def conversions_saturate():
    values = np.array([np.nan, np.inf, -np.inf, 1e30, -1e30, 2.5, -2.5, 3e9, 1e19], dtype=np.float32)
    x = ca.asarray(values, device=GPU)
    for dtype in (ca.int8, ca.uint8, ca.int32, ca.uint32, ca.int64, ca.uint64):
        here = ca.asarray(values, device="cpu").astype(dtype).numpy()
        assert np.array_equal(x.astype(dtype).numpy(), here), np.dtype(dtype)


def memory_runs_out_and_comes_back():
    held, size = [], 8 << 30
    try:
        while size >= 64 << 20:
            try:
                held.append(ca.empty(size, dtype=ca.uint8, device=GPU))
            except MemoryError:
                size //= 2
        message = ""
        try:
            ca.empty(8 << 30, dtype=ca.uint8, device=GPU)
        except MemoryError as error:
            message = str(error)
        assert GPU in message, message
    finally:
        taken = sum(block.nbytes for block in held)
        held.clear()
    assert float(ca.ones(1 << 20, device=GPU).sum()) == 1 << 20
    return f"{taken / 2**30:.1f} GiB taken and given back"


def pool_is_reused():
    """The pool's threshold keeps freed memory: after a synchronization the next allocation is not slower."""

    def seconds():
        start = time.perf_counter()
        for _ in range(200):
            ca.empty(1 << 26, dtype=ca.uint8, device=GPU)
            ca.synchronize(GPU)
        return (time.perf_counter() - start) / 200

    seconds()
    return f"{seconds() * 1e6:.1f} us for allocating 64 MiB and waiting"


def cost_of_calls():
    x = ca.ones(16, dtype=ca.float32, device=GPU)
    out = ca.empty_like(x)
    for _ in range(100):
        ca.add(x, x, out=out)
    ca.synchronize(GPU)
    start = time.perf_counter()
    for _ in range(20_000):
        ca.add(x, x, out=out)
    queued = (time.perf_counter() - start) / 20_000
    ca.synchronize(GPU)
    with ca.eager():
        start = time.perf_counter()
        for _ in range(20_000):
            ca.add(x, x)
        allocating = (time.perf_counter() - start) / 20_000
    tell(
        "host time of add",
        "passed",
        f"{queued * 1e6:.2f} us, allocating {allocating * 1e6:.2f} us",
        out=queued,
        new=allocating,
    )


def in_a_child(program):
    child = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=40)
    print(child.stdout, child.stderr, file=sys.stderr)
    # How long a compilation took says how busy the machine is.
    said = [line for line in child.stderr.splitlines() if not line.startswith(("cudasim:", "cuarray: compiling "))]
    return child.returncode, child.stdout + "\n".join(said)


def illegal_access_is_explained():
    code, said = in_a_child("""
import cuarray as ca
real = ca.ones(3, dtype=ca.float32, device="cuda:0")
class Wrong:  # memory of the GPU, with elements 64 GiB apart: all but the first are nobody's
    __cuda_array_interface__ = dict(
        shape=(1000,), typestr="<f4", data=real.__cuda_array_interface__["data"], version=3, strides=(1 << 36,)
    )
x = ca.asarray(Wrong(), device="cuda:0")
try:
    y = x + 1
    ca.synchronize("cuda:0")
except ca.CudaError as error:
    print("ERROR", error, getattr(error, "__notes__", []))
print("cpu works:", float(ca.ones(3, device="cpu").sum()))
""")
    assert "ERROR" in said and "(700)" in said and "add" in said and "cpu works: 3.0" in said, said[-500:]
    return f"status {code}"


def fork_is_refused():
    code, said = in_a_child("""
import os, cuarray as ca
x = ca.ones(3, device="cuda:0")
x.sum().numpy()
if os.fork() == 0:
    try:
        (x + 1).numpy()
    except ca.CudaError as error:
        print("REFUSED", "fork" in str(error), flush=True)
    print("cpu", float(ca.ones(2, device="cpu").sum()), flush=True)
    os._exit(0)
os.wait()
print("parent", float(x.sum()))
""")
    assert "REFUSED True" in said and "cpu 2.0" in said and "parent 3.0" in said and code == 0, said[-500:]


def exit_with_live_arrays():
    code, said = in_a_child("""
import cuarray as ca, threading
x = [ca.ones(1 << 20, device="cuda:0") + i for i in range(50)]
threading.Thread(target=lambda: globals().update(y=ca.ones(3, device="cuda:0") * 2)).start()
""")
    assert code == 0 and not said.strip(), said[-500:]


def doctor():
    code = subprocess.run([sys.executable, "-m", "cuarray", "--json"], capture_output=True, text=True, timeout=60)
    faults = json.loads(code.stdout)["faults"]
    assert not faults, faults


CHECKS = [
    arithmetic_equals_the_cpu, conversions_saturate, reductions_repeat, two_streams_at_once, fork_is_refused,
    exit_with_live_arrays, doctor, illegal_access_is_explained, pool_is_reused, cost_of_calls,
    accuracy_of_float32_functions, memory_runs_out_and_comes_back,
]  # fmt: skip
# Checks that need a real grid, real memory or real math functions. The simulator runs the others, slowly.
NEEDS_GPU = {
    reductions_repeat, two_streams_at_once, pool_is_reused, cost_of_calls,
    accuracy_of_float32_functions, memory_runs_out_and_comes_back, arithmetic_equals_the_cpu,
}  # fmt: skip

os.environ.setdefault("CUARRAY_DEVICE", GPU)
run_all(CHECKS, NEEDS_GPU)
