"""Times compared with CuPy, torch and JAX, and with the copy bandwidth: a part of gpu_check.sh."""

import importlib
import time
from functools import partial

import numpy as np
from results import SIMULATED, tell, unavailable

import cuarray as ca

GPU = "cuda:0"
N = 1 << 26  # float32 elements: 256 MiB, larger than every cache
SIDE = 1 << 13
ROUNDS = 7


def optional(name):
    try:
        return importlib.import_module(name)
    except Exception:
        return None


def seconds(function, wait):
    """The best time of a call, over rounds that are long enough for the clock."""
    function()
    wait()
    start = time.perf_counter()
    function()
    wait()
    calls = max(1, min(200, int(0.02 / max(time.perf_counter() - start, 1e-6))))
    best = float("inf")
    for _ in range(ROUNDS):
        start = time.perf_counter()
        for _ in range(calls):
            function()
        wait()
        best = min(best, (time.perf_counter() - start) / calls)
    return best


class Ours:
    name = "cuarray"

    def __init__(self):
        self.wait = lambda: ca.synchronize(GPU)
        self.array = lambda host: ca.asarray(host, device=GPU)
        self.sin, self.sum, self.max, self.argmax = ca.sin, ca.sum, ca.max, ca.argmax
        self.fused = ca.fuse(lambda a, b, c: a * b + ca.sin(c))
        self.transposed = lambda x: x.T.copy()
        self.copied = ca.copyto


class Cupy:
    name = "cupy"

    def __init__(self):
        xp = importlib.import_module("cupy")
        self.wait = xp.cuda.get_current_stream().synchronize
        self.array, self.sin, self.sum, self.max, self.argmax = xp.asarray, xp.sin, xp.sum, xp.max, xp.argmax
        self.fused = xp.fuse(lambda a, b, c: a * b + xp.sin(c))
        self.transposed = lambda x: xp.ascontiguousarray(x.T)
        self.copied = xp.copyto


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


class Jax:
    name = "jax"

    def __init__(self):
        jax = importlib.import_module("jax")
        xp = jax.numpy
        last = []
        self.wait = lambda: last and jax.block_until_ready(last.pop())

        def kept(function):
            compiled = jax.jit(function, static_argnames="axis")

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
        times = {}
        for library in (ours, *peers):
            try:
                operands = [library.array(host) for host in hosts]
                times[library.name] = seconds(partial(call, library, *operands), library.wait)
                del operands
            except Exception as error:
                if library is ours:
                    tell(name, "FAILED", f"{type(error).__name__}: {error}")
        if "cuarray" not in times:
            continue
        share = moved / times["cuarray"] / copy
        others = ", ".join(f"{t / times['cuarray']:.2f}x as fast as {n}" for n, t in times.items() if n != "cuarray")
        detail = f"{times['cuarray'] * 1e6:.0f} us, {share:.0%} of a copy (goal {least:.0%}); {others}"
        tell(name, "passed", detail, seconds=times, share=share, met=share >= least)


main()
