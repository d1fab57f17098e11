"""Functions that read and plan before they compute, on few elements, compared with NumPy call by call."""

from collections.abc import Iterator

import numpy as np
from measures import measure
from race import Result, race

import cuarray as ca

# x: n float64; k: integers below 7; I: three positions; W: a mask; A: a matrix of 4 x 4; S: a stack of 5 matrices of
# 3 x 3; v: an element; numbers: a list of integers; t, c: targets of `at`; w, v1, w3: windows of 5 x 5 of an image, of
# 8 of a line, of 3 rows of a stack, with weights f, g, h.
CALLS = """
xp.einsum("...ij,...jk->...ik", S, S)
xp.einsum("...i->...", S)
xp.einsum("i...,i...", x, x)
xp.einsum(x, [0], x, [0], [])
xp.einsum(A, [0, 1], A, [1, 2], [0, 2])
xp.einsum(A, [0, 1], A, [1, 2])
xp.delete(x, 3)
xp.delete(x, [1, 3])
xp.delete(x, I)
xp.delete(x, W)
xp.delete(x, slice(1, 8, 2))
xp.delete(A, 1, axis=1)
xp.insert(x, 2, 3.0)
xp.insert(x, [1, 2], [3.0, 4.0])
xp.insert(A, 1, 0, axis=1)
xp.append(x, [1.0, 2.0])
xp.add.at(t, I, 1.0)
xp.add.at(t, [1, 1, 2], 1.0)
xp.add.at(t, 3, 1.0)
xp.add.at(c, k, 1)
xp.subtract.at(t, k, x)
xp.maximum.at(t, I, 0.5)
xp.percentile(x, 50)
xp.percentile(x, [25, 75])
xp.percentile(x, 50, method="nearest")
xp.quantile(A, 0.5, axis=1)
xp.nanpercentile(x, 50)
xp.nanquantile(x, [0.1, 0.9])
xp.nanmedian(x)
xp.median(S, axis=0)
xp.finfo("f4").eps
xp.finfo(x.dtype).tiny
xp.iinfo(int).max
xp.sin(0.1)
xp.sqrt(2)
xp.abs(-3)
xp.add(1.0, 2)
xp.maximum(1, 2)
xp.power(2.0, 3)
xp.isnan(1.0)
xp.hypot(3.0, v)
xp.logical_and(True, False)
xp.bincount(k)
xp.bincount(numbers)
xp.bincount(tuple(numbers), minlength=10)
xp.searchsorted(x, 2.5)
xp.searchsorted(x, 2)
xp.searchsorted(x, v)
xp.searchsorted(x, [1.5, 2.5], side="right")
xp.digitize(x, [1.0, 2.0, 3.0])
x.searchsorted(2.5)
xp.linalg.lstsq(A, A[0], rcond=None)
xp.polyfit(x, x, 1)
xp.random.seed(0)
xp.random.rand()
xp.random.randn(3)
xp.random.random()
xp.random.randint(10)
xp.random.randint(0, 10, 3)
xp.random.normal(0.0, 1.0)
xp.random.uniform(0, 1, 3)
xp.random.choice(10)
""".strip().split("\n")

WINDOWS = """
xp.einsum("ijkl,kl->ij", w, f)
xp.einsum("ij,j->i", v1, g)
xp.einsum("nijk,ojk->noi", w3, h)
""".strip().split("\n")

LEAST = 0.8  # of each call; windows 1


def values(xp, n: int) -> dict:
    generator = np.random.default_rng(0)
    host = {
        "x": np.arange(n) / 2,
        "k": np.arange(n) % 7,
        "I": np.array([3, 1, 2]),
        "W": np.arange(n) % 3 > 0,
        "A": generator.random((4, 4)),
        "S": generator.random((5, 3, 3)),
        "t": np.zeros(n),
        "c": np.zeros(n, int),
    }
    arrays = {name: xp.array(value) for name, value in host.items()}
    return dict(arrays, xp=xp, v=arrays["x"][2], numbers=host["k"].tolist())


def windows(xp) -> dict:
    generator = np.random.default_rng(0)
    view = xp.lib.stride_tricks.sliding_window_view
    image, line, rows, f, g, h = (
        xp.array(generator.random(shape)) for shape in ((750, 750), 4096, (4, 256, 16), (5, 5), 8, (8, 16, 3))
    )
    return {"xp": xp, "w": view(image, (5, 5)), "v1": view(line, 8), "w3": view(rows, 3, 1), "f": f, "g": g, "h": h}


def compared(call: str, ours: dict, theirs: dict, title: str, least: float) -> Result:
    code = compile(call, call, "eval")
    time = race(0.02, ours=lambda: eval(code, ours), numpy=lambda: eval(code, theirs))
    return Result(title, time["ours"], time["numpy"], "numpy", least)


@measure()
def planned_calls() -> Iterator[Result]:
    """Calls of 10 and 1000 elements whose time goes into arguments and plans; sums over windows."""
    for n in (10, 1000):
        ours, theirs = values(ca, n), values(np, n)
        results = [compared(call, ours, theirs, f"{call}, n = {n}", LEAST) for call in CALLS]
        yield from sorted(results, key=lambda result: result.ratio)
    ours, theirs = windows(ca), windows(np)
    for call in WINDOWS:
        yield compared(call, ours, theirs, f"{call}, windows", 1.0)
