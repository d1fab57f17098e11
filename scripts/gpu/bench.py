"""Times compared with CuPy, torch and JAX, and with the copy bandwidth: a part of gpu_check.sh."""

import importlib
from functools import partial
from inspect import signature

import numpy as np
from results import SIMULATED, tell, unavailable
from timing import seconds

import cuarray as ca

GPU = "cuda:0"
N = 1 << 26  # float32 elements: 256 MiB, larger than every cache
SIDE = 1 << 13


def optional(name):
    try:
        return importlib.import_module(name)
    except Exception:
        return None


class Ours:
    name = "cuarray"

    def __init__(self):
        self.wait = lambda: ca.synchronize(GPU)
        self.array = lambda host: ca.asarray(host, device=GPU)
        self.sin, self.sum, self.max, self.argmax = ca.sin, ca.sum, ca.max, ca.argmax
        self.fused = ca.fuse(lambda a, b, c: a * b + ca.sin(c))
        self.transposed = lambda x: x.T.copy()
        self.copied = ca.copyto
        self.matmul, self.fft, self.fft2, self.rfft = ca.matmul, ca.fft.fft, ca.fft.fft2, ca.fft.rfft


class Cupy:
    name = "cupy"

    def __init__(self):
        xp = importlib.import_module("cupy")
        self.wait = xp.cuda.get_current_stream().synchronize
        self.array, self.sin, self.sum, self.max, self.argmax = xp.asarray, xp.sin, xp.sum, xp.max, xp.argmax
        self.fused = xp.fuse(lambda a, b, c: a * b + xp.sin(c))
        self.transposed = lambda x: xp.ascontiguousarray(x.T)
        self.copied = xp.copyto
        self.matmul, self.fft, self.fft2, self.rfft = xp.matmul, xp.fft.fft, xp.fft.fft2, xp.fft.rfft


class Torch:
    name = "torch"

    def __init__(self):
        xp = importlib.import_module("torch")
        self.wait = xp.cuda.synchronize
        self.array = lambda host: xp.from_numpy(host).cuda()
        self.sin = xp.sin
        self.sum = lambda x, axis=None: xp.sum(x) if axis is None else xp.sum(x, dim=axis)
        self.max = lambda x, axis=None: xp.max(x) if axis is None else xp.amax(x, dim=axis)
        self.argmax = lambda x, axis=None: xp.argmax(x, dim=axis)
        self.fused = lambda a, b, c: a * b + xp.sin(c)
        self.transposed = lambda x: x.T.contiguous()
        self.copied = lambda to, x: to.copy_(x)
        self.matmul, self.fft, self.fft2, self.rfft = xp.matmul, xp.fft.fft, xp.fft.fft2, xp.fft.rfft


class Jax:
    name = "jax"

    def __init__(self):
        jax = importlib.import_module("jax")
        jax.config.update("jax_enable_x64", True)
        xp = jax.numpy
        last = []
        self.wait = lambda: last and jax.block_until_ready(last.pop())

        def kept(function):
            static = [name for name in signature(function).parameters if name == "axis"]
            compiled = jax.jit(function, static_argnames=static)

            def call(*args, **kwargs):
                last[:] = [compiled(*args, **kwargs)]

            return call

        self.array = lambda host: jax.device_put(host, jax.devices("gpu")[0])
        self.sin = kept(lambda x: xp.sin(x))
        self.sum = kept(lambda x, axis=None: xp.sum(x, axis=axis))
        self.max = kept(lambda x, axis=None: xp.max(x, axis=axis))
        self.argmax = kept(lambda x, axis=None: xp.argmax(x, axis=axis))
        self.fused = kept(lambda a, b, c: a * b + xp.sin(c))
        self.transposed = kept(lambda x: x.T + 0)
        self.copied = kept(lambda to, x: x + 0)
        self.matmul = kept(lambda x, y: xp.matmul(x, y, precision="highest"))
        self.fft, self.fft2, self.rfft = (kept(lambda x, f=f: f(x)) for f in (xp.fft.fft, xp.fft.fft2, xp.fft.rfft))


def cases():
    """(name, bytes moved, required fraction of the copy bandwidth, operands, call)."""
    flat = np.random.default_rng(0).random(N, dtype=np.float32)
    square = flat[: SIDE * SIDE].reshape(SIDE, SIDE)
    item = 4
    yield "sin", 2 * N * item, 0.9, (flat,), lambda f, x: f.sin(x)
    yield (
        "a*b + sin(c), fused",
        4 * N * item,
        0.9,
        (flat, flat[::-1].copy(), flat),
        lambda f, a, b, c: f.fused(a, b, c),
    )
    yield "transpose", 2 * SIDE * SIDE * item, 0.8, (square,), lambda f, x: f.transposed(x)
    yield "sum of all", N * item, 0.8, (flat,), lambda f, x: f.sum(x)
    for rows, columns in ((SIDE, SIDE), (1 << 20, 64), (1 << 23, 8), (16, N // 16)):
        table = flat.reshape(rows, columns) if rows * columns == N else square
        for axis in (1, 0):
            shape = f"{table.shape[0]} x {table.shape[1]}"
            yield (
                f"sum of {shape}, axis {axis}",
                table.size * item,
                0.8,
                (table,),
                lambda f, x, a=axis: f.sum(x, axis=a),
            )
    yield "max, axis 1", SIDE * SIDE * item, 0.8, (square,), lambda f, x: f.max(x, axis=1)
    yield "argmax, axis 1", SIDE * SIDE * item, 0.8, (square,), lambda f, x: f.argmax(x, axis=1)


def library_cases():
    """(name, operands, call) of what vendors' libraries compute for all; the goal is 0.95 of the fastest peer."""
    rng = np.random.default_rng(1)
    for dtype in ("f4", "f8", "f2"):
        for n in (32, 256, 1024, 4096):
            x, y = (rng.random((n, n)).astype(dtype) for _ in range(2))
            yield f"{n} x {n} @ {n} x {n}, {np.dtype(dtype)}", (x, y), lambda f, x, y: f.matmul(x, y)
    x = rng.random((4096, 4096), dtype=np.float32)
    yield "x.T @ y, 4096, float32", (x, x), lambda f, x, y: f.matmul(x.T, y)
    yield "matrix @ vector, 4096, float32", (x, x[0].copy()), lambda f, x, y: f.matmul(x, y)
    stack = rng.random((10000, 8, 8), dtype=np.float32)
    yield "10000 of 8 x 8, float32", (stack, stack), lambda f, x, y: f.matmul(x, y)
    line = rng.random(1 << 22, dtype=np.float32).astype(np.complex64)
    yield "fft of 2**22, complex64", (line,), lambda f, x: f.fft(x)
    yield "fft of 1024 x 4096, complex64", (line.reshape(1024, 4096),), lambda f, x: f.fft(x)
    yield "fft2 of 2048 x 2048, complex64", (line.reshape(2048, 2048),), lambda f, x: f.fft2(x)
    yield "rfft of 1024 x 4096, float32", (line.real.reshape(1024, 4096).copy(),), lambda f, x: f.rfft(x)


def race(name, libraries, hosts, call):
    """The time of each library, and the errors of the others; ours missing if it failed."""
    times, errors = {}, {}
    for library in libraries:
        try:
            operands = [library.array(host) for host in hosts]
            times[library.name] = seconds(partial(call, library, *operands), library.wait)
            del operands
        except Exception as error:
            errors[library.name] = f"{type(error).__name__}: {error}".partition("\n")[0][:200]
            if library is libraries[0]:
                tell(name, "FAILED", errors[library.name])
    return times, errors


def beside(times, errors):
    found = [f"{t / times['cuarray']:.2f}x as fast as {n}" for n, t in times.items() if n != "cuarray"]
    return ", ".join([*found, *(f"{n}: {error}" for n, error in errors.items())])


def copy_bandwidth(ours):
    source = ours.array(np.ones(N, dtype=np.float32))
    target = ca.empty_like(source)
    return 2 * source.nbytes / seconds(lambda: ours.copied(target, source), ours.wait)


def main():
    if SIMULATED:
        return unavailable("benchmarks", "need a GPU, and this one is simulated")
    ours = Ours()
    peers = []
    for kind in (Cupy, Torch, Jax):
        try:
            peers.append(kind())
        except Exception as error:
            unavailable(kind.name, f"{type(error).__name__}: {error}")
    copy = copy_bandwidth(ours)
    tell("copy bandwidth", "passed", f"{copy / 1e12:.2f} TB/s, read and written", bytes_per_second=copy)
    for name, moved, least, hosts, call in cases():
        times, errors = race(name, (ours, *peers), hosts, call)
        if "cuarray" not in times:
            continue
        share = moved / times["cuarray"] / copy
        detail = f"{times['cuarray'] * 1e6:.0f} us, {share:.0%} of a copy (goal {least:.0%}); {beside(times, errors)}"
        tell(name, "passed", detail, seconds=times, share=share, met=share >= least)
    for name, hosts, call in library_cases():
        times, errors = race(name, (ours, *peers), hosts, call)
        if "cuarray" not in times:
            continue
        best = min([t for n, t in times.items() if n != "cuarray"], default=float("inf"))
        detail = f"{times['cuarray'] * 1e6:.1f} us; {beside(times, errors)}"
        tell(name, "passed", detail, seconds=times, met=times["cuarray"] <= best / 0.95)


main()
