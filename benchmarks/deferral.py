"""The measure of plain chains: operations that wait and run together as machine code, against NumPy and jax.jit."""

import operator
import time
from collections.abc import Callable, Iterator
from functools import partial

import numpy as np
import peers
from measures import measure, triad, uniform
from programs import chains, check_equal, ocean
from programs.registry import random
from race import Result, race

import cuarray as ca
from cuarray import _core

clocked = partial(race, clock=time.process_time)


def on_both(function: Callable, *arrays: np.ndarray) -> tuple[Callable, Callable]:
    """The function of a module, for cuarray and for NumPy, each with arrays of its own."""
    return partial(function, ca, *map(ca.array, arrays)), partial(function, np, *arrays)


def eagerly(function: Callable) -> Callable:
    def call():
        with ca.eager():
            return function()

    return call


def jitted(function: Callable, arrays: list[np.ndarray]) -> dict[str, Callable]:
    """The function by jax.jit, if JAX is installed."""
    if not (jax := peers.optional("jax")):
        return {}
    jax.config.update("jax_enable_x64", True)
    compiled, given = jax.jit(partial(function, jax.numpy)), [jax.numpy.array(x) for x in arrays]
    return {"jax": lambda: jax.block_until_ready(compiled(*given))}


def program(title: str, function: Callable, arrays: list, least: float, of_jax: float | None = None, jax: bool = True):
    """A program as it is, against NumPy, and against jax.jit where it does not write into arrays."""
    ours, theirs = on_both(function, *arrays)
    timed = clocked(0.5, ours=ours, numpy=theirs, **(jitted(function, arrays) if jax else {}))
    check_equal(title, ours(), theirs())
    yield Result(title, timed["ours"], timed["numpy"], "numpy", least)
    if "jax" in timed:
        yield Result(title, timed["ours"], timed["jax"], "jax.jit", of_jax)


def programs() -> Iterator[Result]:
    for n, name in ((1 << 16, "64 K"), (1 << 20, "1 M")):
        title = f"equation of state, 366 operations, {name}"
        yield from program(title, ocean.equation_of_state, ocean.state(n), 18.0, 0.95)
    arrays = list(map(ca.array, ocean.state(1 << 16)))
    ours = partial(ocean.equation_of_state, ca, *arrays)
    timed = clocked(0.5, ours=ours, eager=eagerly(ours))
    yield Result("equation of state, 366 operations, 64 K", timed["ours"], timed["eager"], "eager", 3.5)
    for (n, name), least in zip(((1 << 16, "64 K"), (1 << 20, "1 M")), (1.7, 2.0), strict=True):
        yield from program(f"isoneutral mixing, {name}", ocean.isoneutral_mixing, ocean.water(n), least, jax=False)
    for n, least in ((150, 3.0), (700, 4.0)):
        yield from program(f"jacobi, {n} x {n}", chains.jacobi_2d, [random(n, n)], least, jax=False)
    for n, least in ((25, 3.5), (70, 5.0)):
        yield from program(f"heat, {n} x {n} x {n}", chains.heat_3d, [random(n, n, n)], least, jax=False)


def plain_triad(xp, a, b, c):
    return a * b + xp.sin(c)


def without_fuse() -> Iterator[Result]:
    """The chain of the measure `fused`, as written."""
    a, b, c = (uniform(1 << 24) for _ in range(3))
    x, y, z = map(ca.array, (a, b, c))
    timed = clocked(
        1.0,
        plain=lambda: plain_triad(ca, x, y, z),
        fused=lambda: triad(x, y, z),
        numpy=lambda: plain_triad(np, a, b, c),
    )
    yield Result("a*b+sin(c), 16 M float32, as written", timed["plain"], timed["fused"], "in fuse", 1 / 1.1)
    yield Result("a*b+sin(c), 16 M float32, as written", timed["plain"], timed["numpy"], "numpy", 3.0)


def new_code() -> Iterator[Result]:
    """The first run of a chain that was never seen, less a later one: planning and code of 366 operations."""
    arrays = list(map(ca.array, ocean.state(1 << 16)))
    extra = []
    for k in range(12):

        def changed(k=k):
            y = ocean.equation_of_state(ca, *arrays)
            for bit in range(4):
                y = y + arrays[0] if k >> bit & 1 else y - arrays[0]
            ca.synchronize()

        taken = []
        for _ in range(9):
            start = time.process_time()
            changed()
            taken.append(time.process_time() - start)
        extra.append(taken[0] - min(taken[1:]))
    yield Result("machine code of 366 operations", sorted(extra)[len(extra) // 2], 3e-4, "goal", 1.0)


def per_operation() -> Iterator[Result]:
    """What it costs to record and to run an operation, of few elements, and to find that it need not wait."""
    x = ca.ones(10)

    def recorded():
        with ca.fuse():
            y = x
            for _ in range(32):
                y = y + x
        return y

    def empty():
        with ca.fuse():
            y = x
            for _ in range(32):
                pass
        return y

    def added():
        return x + x

    timed = clocked(0.5, recorded=recorded, empty=empty)
    yield Result("an operation in fuse, 10 elements", (timed["recorded"] - timed["empty"]) / 32, 250e-9, "goal", 1.0)
    timed = clocked(0.5, plain=added)
    timed |= eagerly(partial(clocked, 0.5, eager=added))()
    yield Result("x + x, 10 elements, not eager()", timed["plain"], timed["eager"] + 10e-9, "eager() + 10 ns", 1.0)


def single_operations() -> Iterator[Result]:
    """Columns, and chains that run step by step."""
    for n in (100, 400):
        matrix = random(n, 8)
        ours, theirs = (partial(operator.add, of[:, 0], of[:, 1]) for of in (ca.array(matrix), matrix))
        timed = clocked(0.3, ours=ours, numpy=theirs)
        yield Result(f"column + column of {n}", timed["ours"], timed["numpy"], "numpy", 1.0)
    for n in (300_000, 3_000_000):
        ours, theirs = on_both(lambda xp, a, b: (a * b + a - b) * a + b, random(n), random(n)[::-1].copy())
        timed = clocked(0.5, ours=eagerly(ours), numpy=theirs)
        yield Result(f"six operations, {n // 1000} K float64, eager", timed["ours"], timed["numpy"], "numpy", 0.97)


def reductions() -> Iterator[Result]:
    """Chains that end in reductions, fused and eager."""

    def four(xp, x):
        e = xp.tanh(x) * xp.exp(x)
        return [float(r) for r in (e.sum(), e.max(), e.min(), e.mean())]

    cases = {
        "four reductions of one chain, 100 K": (four, [random(100_000)]),
        "softmax of 1000 x 256": (chains.softmax, [random(1000, 256)]),
        "convolution layer, 26 x 26": (chains.convolution_layer, [random(26, 26, 3), random(3, 3, 3, 8)]),
        "convolution layer, 90 x 90": (chains.convolution_layer, [random(90, 90, 3), random(3, 3, 3, 8)]),
    }
    for title, (function, arrays) in cases.items():
        ours, _ = on_both(function, *arrays)
        timed = clocked(0.5, fused=ca.fuse(ours), plain=ours, eager=eagerly(ours))
        yield Result(f"{title}, in fuse", timed["fused"], timed["eager"], "eager", 1.0)
        yield Result(f"{title}, as written", timed["plain"], timed["eager"], "eager", 1.0)


def peak_of(function: Callable) -> int:
    """The most bytes of arrays that a function adds."""
    before = ca.memory.stats()["current"]
    ca.memory.reset_peak()
    function()
    return ca.memory.stats()["peak"] - before


def memory() -> Iterator[Result]:
    """Peaks of a loop that adds fresh arrays, and of a long chain."""
    n = 500_000

    def loop():
        accumulated = ca.zeros(n)
        for k in range(120):
            accumulated = accumulated + ca.full(n, float(k))
        ca.synchronize()
        return accumulated

    plain = peak_of(loop)
    yield Result("acc = acc + fresh, 120 steps of 4 MB, peak", plain, 2 * peak_of(eagerly(loop)), "2 of eager's", 1.0,
                 unit="B")  # fmt: skip
    x = ca.ones(4_000_000)

    def chain():
        y = x
        for k in range(200):
            y = y * 0.5 + k
        ca.synchronize()
        return y

    # Live beside x: the result.
    yield Result("chain of 400 on 32 MB, peak", x.nbytes + peak_of(chain), 1.05 * 2 * x.nbytes, "1.05 of live", 1.0,
                 unit="B")  # fmt: skip


def still_waits() -> Iterator[Result]:
    """Whether a chain waits after somebody has looked at its operands, and does not while their memory is lent."""
    x, host = ca.ones(20_000), np.ones(20_000)
    looks = {
        "str(x)": lambda: str(x),
        "np.asarray(x).sum()": lambda: np.asarray(x).sum(),
        "np.sum(x)": lambda: np.sum(x),
        "x.tolist()": lambda: x.tolist(),
    }
    for title, look in looks.items():
        look()
        yield Result(f"waits after {title}", 1.0, float(_core.is_pending(x * 2)), "1: yes", 1.0, unit="")
    y = ca.asarray(np.random.default_rng(1).random(20_000))
    yield Result("waits: asarray(rng.random(n))", 1.0, float(_core.is_pending(y * 2)), "1: yes", 1.0, unit="")
    is_pending = _core.is_pending(ca.asarray(host) * 2)
    yield Result("does not wait: NumPy holds the memory", 1.0, float(not is_pending), "1: yes", 1.0, unit="")


@measure()
def plain_chains() -> Iterator[Result]:
    """Chains as they are written in NumPy: processor time, 1 thread."""
    parts = (still_waits, memory, new_code, per_operation, single_operations, reductions, programs, without_fuse)
    for part in parts:
        yield from part()
