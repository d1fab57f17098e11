"""Common calls on arrays that fit a cache, compared with NumPy line by line, the slowest first."""

from collections.abc import Iterator

import numpy as np
from measures import measure
from race import Result, race

import cuarray as ca

# x, f: (1000, 1000) float64 and float32; k, i: integers of 64 and 32 bits; u: bytes; b: bools; s: 64 numbers.
CALLS = """
x + f
x * 2
x > 0
-x
x // 7
x % 7
x**2
x**0.5
x**3
k // 7
k % 7
i // 7
k << 2
u + u
u * 2
b & b
~b
abs(x)
xp.sqrt(x * x)
xp.exp(x)
xp.log(x * x)
xp.sin(f)
xp.tanh(x)
xp.hypot(x, x)
xp.arctan2(x, x)
xp.floor(x)
xp.round(x, 2)
xp.isnan(x)
xp.where(b, x, 1.0)
xp.clip(x, -1, 1)
xp.nan_to_num(x)
xp.sum(x)
xp.sum(k, 0)
xp.sum(u)
xp.mean(x, 1)
xp.prod(x, 1)
xp.max(x, 0)
xp.min(k, 1)
xp.ptp(f, 1)
xp.argmax(x)
xp.argmax(x, 0)
xp.argmin(f, 1)
xp.std(x, 0)
xp.var(f, 1)
xp.median(x, 1)
xp.percentile(x, [10, 90])
xp.nanmean(x)
xp.any(x > 9)
xp.all(b)
xp.count_nonzero(b)
xp.cumsum(x, 1)
xp.maximum.accumulate(x, 1)
xp.diff(x)
xp.gradient(x)
xp.trapezoid(x)
xp.sort(x)
xp.sort(f, 0)
xp.sort(k)
xp.argsort(x)
xp.unique(k)
xp.isin(k, [1, 5, 9])
xp.isin(k, k[0])
xp.bincount(k.ravel())
xp.histogram(x, 50)
xp.searchsorted(s, x)
xp.interp(x, s, s)
xp.nonzero(b)
xp.flatnonzero(x > 2)
x[b]
x[k[0]]
x[::2, ::3] + 1
xp.take(x, k[0], 1)
xp.take_along_axis(x, k, 1)
xp.concatenate([x, x])
xp.stack([x, x], -1)
xp.repeat(s, 100)
xp.tile(s, 100)
xp.roll(x, 3, 1)
xp.pad(x, 3)
xp.flip(x, 0) + 0
x.T.copy()
xp.rot90(x).copy()
xp.insert(s, 5, 1)
xp.delete(s, 5)
xp.append(s, 1)
x.astype("f4")
k.astype("f8")
x.astype("i8")
xp.packbits(b)
xp.unpackbits(u)
xp.zeros((1000, 1000))
xp.full((1000, 1000), 3.0)
xp.arange(1000000)
xp.linspace(0, 1, 1000000)
xp.eye(1000)
xp.tri(1000)
xp.triu(x)
xp.trace(x)
xp.outer(s, s)
xp.kron(s, s)
x @ x
f @ f
x @ x[0]
xp.einsum("ij->i", x)
xp.convolve(x[0], s)
xp.cov(x[:50])
xp.average(x, 0, weights=x[:, 0])
xp.polyval([1.0, 2, 3], x)
xp.allclose(x, x)
xp.array_equal(x, x)
""".strip().split("\n")


def values(xp) -> dict:
    rng = np.random.default_rng(0)
    numbers = {
        "x": rng.standard_normal((1000, 1000)),
        "f": rng.standard_normal((1000, 1000)).astype(np.float32),
        "k": rng.integers(0, 1000, (1000, 1000)),
        "i": rng.integers(0, 1000, (1000, 1000)).astype(np.int32),
        "u": rng.integers(0, 256, (1000, 1000)).astype(np.uint8),
        "b": rng.random((1000, 1000)) > 0.5,
        "s": np.sort(rng.standard_normal(64)),
    }
    return {"xp": xp, **{name: xp.array(value) for name, value in numbers.items()}}


@measure()
def everyday() -> Iterator[Result]:
    """Common calls on 1000 x 1000 elements, without goals: shows where NumPy is faster."""
    mine, theirs = values(ca), values(np)
    results = []
    with np.errstate(all="ignore"):
        for call in CALLS:
            code = compile(call, call, "eval")
            time = race(0.05, ours=lambda c=code: eval(c, mine), numpy=lambda c=code: eval(c, theirs))
            results.append(Result(call, time["ours"], time["numpy"], "numpy"))
    yield from sorted(results, key=lambda result: result.ratio)
