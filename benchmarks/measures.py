"""The measures: one function per line of the table in docs/benchmarks.md; each yields its results."""

import json
import math
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import numpy as np
import peers
from race import Result, race

import cuarray as ca

MEASURES: dict[str, Callable[[], Iterator[Result]]] = {}
THREADS: dict[str, int] = {}


def measure(threads: int = 1):
    """Register a measure; it runs in its own process with that many threads."""

    def register(function):
        MEASURES[function.__name__] = function
        THREADS[function.__name__] = threads
        return function

    return register


def uniform(shape, dtype=np.float32, low=0.1, high=0.9) -> np.ndarray:
    """Reproducible random numbers between low and high."""
    return np.random.default_rng(1).uniform(low, high, shape).astype(dtype)


@ca.fuse
def triad(a, b, c):
    return a * b + ca.sin(c)


@measure()
def fused() -> Iterator[Result]:
    """a*b + sin(c), 16 M float32: against a hand-written a*b + c, and against NumPy."""
    a, b, c = (uniform(1 << 24) for _ in range(3))
    result = np.ones_like(a)
    x, y, z = map(ca.array, (a, b, c))
    contenders = {
        "fused": lambda: triad(x, y, z),
        "eager": lambda: x * y + ca.sin(z),
        "numpy": lambda: a * b + np.sin(c),
        "loop": lambda: peers.run_loop("multiply_add", a, b, c, result),
    }
    if torch := peers.optional("torch"):
        t, u, v = map(torch.from_numpy, (a, b, c))
        contenders["torch"] = lambda: t * u + torch.sin(v)
    if numexpr := peers.optional("numexpr"):
        contenders["numexpr"] = lambda: numexpr.evaluate("a*b + sin(c)", {"a": a, "b": b, "c": c})
    time = race(1.0, **contenders)
    yield Result("a*b+sin(c), 16 M float32, fused", time["fused"], time["loop"], "loop a*b+c", 1 / 1.2)
    yield Result("a*b+sin(c), 16 M float32, eager", time["eager"], time["numpy"], "numpy", 1.7)
    yield Result("a*b+sin(c), 16 M float32, fused", time["fused"], time["numpy"], "numpy", 3.5)
    for name in ("torch", "numexpr"):
        if name in time:
            yield Result("a*b+sin(c), 16 M float32, eager", time["eager"], time[name], name)
            yield Result("a*b+sin(c), 16 M float32, fused", time["fused"], time[name], name)


# Arguments outside of 0.1 ... 0.9, for functions that need them.
RANGES = {"acosh": (1.1, 4.0), "floor_divide": (0.1, 9.0), "gamma": (0.5, 9.0), "lgamma": (0.5, 9.0)}


def elementwise(name: str, dtype) -> Iterator[Result]:
    ours, theirs = getattr(ca, name), getattr(np, name, None)
    if not isinstance(theirs, np.ufunc):
        return
    inputs = [uniform(1_000_000, dtype, *RANGES.get(name, (0.1, 0.9))) for _ in range(ours.nin)]
    if ours.nin == 2:
        inputs[1] = inputs[1][::-1].copy()
    try:
        results = theirs(*inputs)
    except TypeError:  # no loop for floating-point numbers
        return
    out = results if isinstance(results, tuple) else (results,)
    our_inputs, our_out = tuple(map(ca.array, inputs)), tuple(ca.empty(r.shape, dtype=r.dtype) for r in out)
    contenders = {
        "cuarray": lambda: ours(*our_inputs, out=our_out),
        "numpy": lambda: theirs(*inputs, out=out),
    }
    if loop := peers.vector_loop(name, dtype):
        contenders["library"] = lambda: peers.run_loop(loop, *inputs, out[0])
    torch = peers.optional("torch")
    if torch and len(out) == 1 and hasattr(torch, name):
        tensors, tensor = list(map(torch.from_numpy, inputs)), torch.from_numpy(out[0])
        call = partial(getattr(torch, name), *tensors, out=tensor)
        try:
            call()
            contenders["torch"] = call
        except (TypeError, RuntimeError):  # some take no out=, or not this dtype
            pass
    time = race(0.05, **contenders)
    title = f"{name} {np.dtype(dtype)}"
    # If a plain loop over the vector library is not faster, the library is the limit.
    limited = "library" in time and time["cuarray"] < 1.15 * time["library"]
    note = f"vector library alone {time['numpy'] / time['library']:.2f}x" if "library" in time else ""
    yield Result(title, time["cuarray"], time["numpy"], "numpy", None if limited else 0.8, note=note)
    if "torch" in time:
        yield Result(title, time["cuarray"], time["torch"], "torch")


@measure()
def ufuncs() -> Iterator[Result]:
    """Every elementwise ufunc that NumPy also has, 1 M float32 and float64, out=."""
    ratios = []
    found = {name: value for name, value in vars(ca).items() if isinstance(value, ca.ufunc) and not value.signature}
    names = sorted(name for name, value in found.items() if value._row == name)  # aliases once
    for name in names:
        for dtype in (np.float32, np.float64):
            for result in elementwise(name, dtype):
                ratios += [result.ratio] if result.peer_name == "numpy" else []
                yield result
    mean = math.exp(sum(map(math.log, ratios)) / len(ratios))
    yield Result(f"geometric mean of {len(ratios)}", 1.0, mean, "numpy", 1.5, unit="")


def versus_numpy(title: str, expression: Callable, *arrays: np.ndarray, least: float = 1.0) -> Iterator[Result]:
    """One expression, written once, on NumPy arrays and on the same memory as cuarray arrays."""
    ours = [ca.array(array) for array in arrays]
    time = race(cuarray=lambda: expression(ca, *ours), numpy=lambda: expression(np, *arrays))
    yield Result(title, time["cuarray"], time["numpy"], "numpy", least)


@measure()
def layouts() -> Iterator[Result]:
    """Broadcast, strided and transposed operands, 4096 x 4096 float32; (5.6 M, 3) arrays."""
    a, b, c, wide = uniform((4096, 4096)), uniform((4096, 4096)), uniform((4096, 4096)), uniform((4096, 8192))
    column, row = uniform((4096, 1)), uniform((1, 4096))
    fused_triad = triad

    def expression(xp, a, b, c):
        return fused_triad(a, b, c) if xp is ca else a * b + xp.sin(c)

    yield from versus_numpy("a(H,1)*b(1,W)+sin(c), fused", expression, column, row, c)
    yield from versus_numpy("a[:, ::2]*b+sin(c), fused", expression, wide[:, ::2], b, c)
    yield from versus_numpy("a*b.T+sin(c), fused", expression, a, b.T, c)
    yield from versus_numpy("a(H,1)+b(1,W)", lambda xp, a, b: a + b, column, row)
    yield from versus_numpy("a[:, ::2]+b", lambda xp, a, b: a + b, wide[:, ::2], b)
    yield from versus_numpy("a+b.T", lambda xp, a, b: a + b, a, b.T)
    points, scale = uniform((5_600_000, 3)), uniform(3)
    yield from versus_numpy("(5.6 M, 3) * (3,)", lambda xp, p, s: p * s, points, scale)
    yield from versus_numpy("(5.6 M, 3).sum(axis=0)", lambda xp, p: p.sum(axis=0), points)
    yield from versus_numpy("(5.6 M, 3).sum(axis=1)", lambda xp, p: p.sum(axis=1), points)


def small_calls(xp, a, b, c) -> dict[str, Callable]:
    """Common operations on small arrays; `np.add` on cuarray's arrays goes through __array_ufunc__."""

    def add_in_place():
        nonlocal c
        c += b

    return {
        "a+b": lambda: a + b,
        "a+1.0": lambda: a + 1.0,
        "a+=b": add_in_place,
        "add(a, b, out=c)": lambda: xp.add(a, b, out=c),
        "np.add(a, b, out=c)": lambda: np.add(a, b, out=c),
        "a[1:3]": lambda: a[1:3],
        "a[0]": lambda: a[0],
        "a.shape": lambda: a.shape,
        "a.dtype": lambda: a.dtype,
    }


@measure()
def small() -> Iterator[Result]:
    """Operations on one element (slices: on four): the cost of a call, less that of an empty function."""
    arrays = [np.ones(1, np.float32) for _ in range(3)]
    four = [np.ones(4, np.float32) for _ in range(3)]
    torch = peers.optional("torch")
    for name in small_calls(np, *arrays):
        given = four if "[" in name else arrays
        contenders = {
            "cuarray": small_calls(ca, *map(ca.array, given))[name],
            "numpy": small_calls(np, *given)[name],
            "nothing": lambda: None,
        }
        if torch and name == "a+b":
            contenders["torch"] = small_calls(torch, *map(torch.from_numpy, map(np.copy, given)))[name]
        time = race(0.1, **contenders)
        for peer in contenders.keys() - {"cuarray", "nothing"}:
            least = 1.0 if name == "a+b" and peer == "numpy" else None
            ours, theirs = (time[key] - time["nothing"] for key in ("cuarray", peer))
            yield Result(f"{name}, {len(given[0])} element(s)", ours, theirs, peer, least)


@measure()
def reductions() -> Iterator[Result]:
    """Sums of 4096 x 4096 float32."""
    a = uniform((4096, 4096))
    yield from versus_numpy("sum over all", lambda xp, a: a.sum(), a)
    yield from versus_numpy("sum over axis 0", lambda xp, a: a.sum(axis=0), a)
    yield from versus_numpy("sum over axis 1", lambda xp, a: a.sum(axis=1), a)
    x, target = ca.array(a), np.ones_like(a)
    time = race(cuarray=lambda: x.sum(), copy=lambda: np.copyto(target, a))
    # A copy moves each byte twice, a sum once.
    yield Result("sum over all, bandwidth", 2 * time["cuarray"], time["copy"], "copy", 0.8)


THREADED = """
import numpy as np, cuarray as ca
from race import race
x = ca.array(np.random.default_rng(1).uniform(0.1, 0.9, 1 << 24))
y = ca.array(np.random.default_rng(2).uniform(0.1, 0.9, 1 << 24))
function = ca.fuse(lambda x, y: ca.sin(x) * ca.exp(y))
print(race(1.0, f=lambda: function(x, y))["f"])
"""


@measure(threads=2)
def threads() -> Iterator[Result]:
    """2 threads over 1 thread, 16 M float64, fused sin(x)*exp(y)."""
    times = [
        float(
            subprocess.run(
                [sys.executable, "-c", THREADED],
                check=True,
                capture_output=True,
                text=True,
                env={
                    **os.environ,
                    "CUARRAY_NUM_THREADS": str(count),
                    "PYTHONPATH": str(Path(__file__).parent),
                },
            ).stdout
        )
        for count in (1, 2)
    ]
    yield Result("sin(x)*exp(y), 16 M float64, 2 threads", times[1], times[0], "1 thread", 1.7)


def status(field: str) -> int:
    """A field of /proc/self/status, in bytes."""
    with open("/proc/self/status") as file:
        return next(int(line.split()[1]) * 1024 for line in file if line.startswith(field))


# The minimum time of NVRTC: an empty program, and the shortest addition.
EMPTY_KERNEL = 'extern "C" __global__ void empty() {}'
BARE_ADD = """extern "C" __global__ void bare(const float* a, const float* b, float* c, unsigned n) {
    unsigned i = blockIdx.x * 256 + threadIdx.x;
    if (i < n) c[i] = a[i] + b[i];
}"""


@measure()
def compile() -> Iterator[Result]:
    """NVRTC on the kernels of add, float32, after a first compile in the process."""
    tests = Path(__file__).resolve().parents[1] / "tests"
    sys.path[:0] = [str(tests / "nvrtc"), str(tests / "codegen")]
    from compiler import Compiler, find_library
    from program import compile_options, kernel_names, kernel_texts

    if find_library() is None:
        print("compile: nvidia-cuda-nvrtc is not installed", file=sys.stderr)
        return
    nvrtc = Compiler(find_library(), compile_options())
    names = [name for name in kernel_names() if name.startswith("add_f32_f32_")]
    texts = kernel_texts(names)
    floors = {"an empty kernel": EMPTY_KERNEL, "a bare addition": BARE_ADD}
    nvrtc.compile(texts[names[0]], "sm_90")
    contenders = {name: partial(nvrtc.compile, text, "sm_90") for name, text in {**texts, **floors}.items()}
    time = race(0.2, **contenders)
    variants = {
        "NVRTC, add float32, the variant of a call": (time["add_f32_f32_contiguous"], 0.030, "30 ms"),
        "NVRTC, add float32, all variants": (sum(time[name] for name in names), 0.045, "45 ms"),
    }
    for title, (ours, goal, goal_name) in variants.items():
        yield Result(title, ours, goal, goal_name, 1.0)
        for floor in floors:
            yield Result(title, ours, time[floor], floor)


def on_simulator(part: str, **settings: str) -> list[Result]:
    """Run a part of cuda_overhead.py on simulated GPUs that launch nothing."""
    here = Path(__file__).resolve().parent
    simulator, program = here.parent / "tests" / "cudasim" / "run", here / "cuda_overhead.py"
    simulated = {"CUDASIM_LAUNCHES": "off", "CUDASIM_SEED": "1", "CUDASIM_PROGRESS": "eager"}
    environment = {**os.environ, "CUARRAY_DEVICE": "cuda:0", "CUARRAY_FUSE": "off", **simulated, **settings}
    # Other libraries find the simulated driver by its name.
    driver = subprocess.run([simulator, "--paths"], check=True, stdout=subprocess.PIPE, text=True).stdout.split()[0]
    environment["LD_LIBRARY_PATH"] = str(Path(driver).parent)
    command = [sys.executable, simulator, sys.executable, program, part]
    done = subprocess.run(command, env=environment, check=True, stdout=subprocess.PIPE, text=True)
    return [Result(**json.loads(text)) for text in done.stdout.splitlines()]


def best_first(runs: int, **settings: str) -> tuple[float, float]:
    """Return the best seconds of the first launch of a process, and of its first result."""
    figures = [[result.ours for result in on_simulator("first", **settings)] for _ in range(runs)]
    return min(launch for launch, _ in figures), min(result for _, result in figures)


@measure()
def cuda_overhead() -> Iterator[Result]:
    """Host overhead of an operation on a GPU, excluding driver calls."""
    if not shutil.which("g++"):
        print("cuda_overhead: the simulator needs g++", file=sys.stderr)
        return
    yield from on_simulator("operations")
    yield from on_simulator("composites")
    with tempfile.TemporaryDirectory() as folder:
        kept = str(Path(folder, "kept"))
        best_first(1, CUARRAY_CACHE_DIR=kept)
        launch, _ = best_first(5, CUARRAY_CACHE_DIR=kept)
        yield Result("a + b, first launch, kernel on disk", launch, 0.002, "goal", 1.0)
        # The simulator has the kernel compiled already: the rest is everything except NVRTC.
        cold = [best_first(1, CUARRAY_CACHE_DIR=str(Path(folder, str(i))))[1] for i in range(5)]
        yield Result("(a + b).numpy(), cold start less NVRTC", min(cold), 0.050, "goal", 1.0)


@measure()
def memory() -> Iterator[Result]:
    """Peak memory of a fused chain of 10 operations, 16 M float32."""

    @ca.fuse
    def chain(x, y):
        for _ in range(5):
            x = ca.sqrt(x * y)
        return x

    small_x, small_y = ca.array(uniform(1000)), ca.array(uniform(1000))
    chain(small_x, small_y)
    before = status("VmRSS")
    # Empty arrays filled in place, because NumPy's temporaries would count.
    n = 1 << 24
    x, y = ca.full(n, 0.5, dtype=ca.float32), ca.full(n, 0.25, dtype=ca.float32)
    with open("/proc/self/clear_refs", "w") as file:
        file.write("5")  # resets the peak
    result = chain(x, y)
    peak = status("VmHWM") - before
    needed = x.nbytes + y.nbytes + result.nbytes
    yield Result("fused chain of 10, 16 M float32", peak, needed + (1 << 20), "inputs + output + 1 MB", 1.0, unit="B")
