"""The measures of functions over arrays: scans, segments, sorting, indexing, statistics, sequences."""

from collections.abc import Iterator
from functools import partial

import numpy as np
from measures import measure, uniform, versus_numpy
from race import Result, race

import cuarray as ca

SIDE = 4096


@measure()
def scans() -> Iterator[Result]:
    """Scans of 16 M and 4096 x 4096 numbers."""
    for dtype in (np.float32, np.int32, np.float64):
        line = uniform(1 << 24, dtype, 0, 100)
        name, plane = np.dtype(dtype).name, line.reshape(4096, 4096)
        least = 1.5 if dtype != np.float64 else None
        yield from versus_numpy(f"cumsum, 16 M {name}", lambda xp, x: xp.cumsum(x), line, least=least)
        for axis in (0, 1):
            yield from versus_numpy(
                f"cumsum along axis {axis}, 4096 x 4096 {name}",
                lambda xp, x, axis=axis: xp.cumsum(x, axis=axis),
                plane,
                least=least,
            )
    yield from versus_numpy("maximum.accumulate, 16 M float64", lambda xp, x: xp.maximum.accumulate(x), line)


def choice_of(share: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """16 M numbers, a mask with a given fraction of true elements, and a value for each of them."""
    x = uniform(1 << 24)
    mask = np.random.default_rng(2).random(1 << 24) < share
    return x, mask, x[mask]


def largest(xp, x):
    """The largest elements and their positions; NumPy has top_k only since 2.6."""
    if xp is ca:
        return ca.top_k(x, 100)
    places = np.argpartition(x, len(x) - 100)[-100:]
    places = places[np.argsort(-x[places], kind="stable")]
    return x[places], places


@measure()
def sorting() -> Iterator[Result]:
    """Sorting against NumPy's stable sort, and functions based on it, 16 M elements, 1 thread."""
    generator = np.random.default_rng(1)
    x = uniform(1 << 24)
    n = generator.integers(-(2**62), 2**62, 1 << 24)
    few = generator.integers(0, 1024, 1 << 24)
    for name, values in (("float32", x), ("int64", n)):
        yield from versus_numpy(f"sort, 16 M {name}", lambda xp, v: xp.sort(v, kind="stable"), values, least=2.0)
        yield from versus_numpy(f"argsort, 16 M {name}", lambda xp, v: xp.argsort(v, kind="stable"), values, least=2.0)
    yield from versus_numpy("unique, 16 M float32", lambda xp, v: xp.unique(v), x)
    yield from versus_numpy("unique, 16 M of 1024 integers", lambda xp, v: xp.unique(v), few)
    yield from versus_numpy("median, 16 M float32", lambda xp, v: xp.median(v), x)
    for axis in (0, 1):
        yield from versus_numpy(
            f"median along axis {axis}, 4096 x 4096 float32",
            lambda xp, v, axis=axis: xp.median(v, axis=axis),
            x.reshape(SIDE, SIDE),
        )
    many = np.linspace(0, 1, 21)
    yield from versus_numpy("quantile at 21 places, 16 M float32", lambda xp, v: xp.quantile(v, many), x)
    yield from versus_numpy("partition in the middle, 16 M float32", lambda xp, v: xp.partition(v, 1 << 23), x)
    yield from versus_numpy("argpartition in the middle, 16 M float32", lambda xp, v: xp.argpartition(v, 1 << 23), x)
    yield from versus_numpy("the 100 largest of 16 M float32", largest, x)
    rows = np.random.default_rng(2).random((600, 2400))
    yield from versus_numpy("argpartition of rows of 2400", lambda xp, v: xp.argpartition(v, 5, axis=1), rows)
    yield from versus_numpy("median of rows of 2400", lambda xp, v: xp.median(v, axis=1), rows)
    matrices = np.random.default_rng(2).random((27000, 3, 3))
    yield from versus_numpy("copy of transposed 3 x 3 matrices", lambda xp, v: v.transpose(0, 2, 1).copy(), matrices)
    yield from versus_numpy("bincount, 16 M of 1024 integers", lambda xp, v: xp.bincount(v), few)
    yield from versus_numpy("histogram, 100 equal bins, 16 M float32", lambda xp, v: xp.histogram(v, 100), x, least=3.0)
    ordered, sought = np.sort(x[: 1 << 20]), x[1 << 20 : 2 << 20]
    yield from versus_numpy("searchsorted, 1 M in 1 M", lambda xp, a, v: xp.searchsorted(a, v), ordered, sought)


@measure()
def indexing() -> Iterator[Result]:
    """Masks and indices over 16 M float32, and the cost of indexing a small array."""

    def put(xp, x, key, values):
        x[key] = values

    for share, least in ((0.1, 1.0), (0.5, 2.0), (0.9, 1.0)):
        x, mask, values = choice_of(share)
        title = f"{share:.0%} of 16 M"
        yield from versus_numpy(f"x[mask], {title}", lambda xp, x, m: x[m], x, mask, least=least)
        yield from versus_numpy(f"x[mask] = values, {title}", put, x, mask, values, least=least)
        yield from versus_numpy(f"x[mask] = 1, {title}", lambda xp, x, m: put(xp, x, m, 1), x, mask, least=least)
        yield from versus_numpy(f"nonzero, {title}", lambda xp, m: m.nonzero(), mask)
    x, mask, _ = choice_of(1e-4)
    yield from versus_numpy("x[mask] = 1, 0.01% of 16 M", lambda xp, x, m: put(xp, x, m, 1), x, mask, least=1.0)
    places = np.random.default_rng(3).integers(0, 1 << 24, 1 << 22)
    values = uniform(1 << 22)
    yield from versus_numpy("x[i], 4 M of 16 M", lambda xp, x, i: x[i], x, places)
    yield from versus_numpy("take, 4 M of 16 M", lambda xp, x, i: xp.take(x, i), x, places)
    yield from versus_numpy("x[i] = values, 4 M of 16 M", put, x, places, values)
    yield from versus_numpy("put, 4 M of 16 M", lambda xp, x, i, v: xp.put(x, i, v), x, places, values)
    rows = np.random.default_rng(4).integers(0, 1 << 20, 1 << 18)
    yield from versus_numpy("rows of 16", lambda xp, x, i: x[i], x.reshape(-1, 16), rows)
    yield from versus_numpy("columns", lambda xp, x, i: x[:, i], x.reshape(-1, 4096), rows[:1000] % 4096)
    part, chosen = x[: 1 << 22], mask[: 1 << 22]
    points = part.reshape(-1, 4)
    yield from versus_numpy("x[:, [0, 2]], 1 M rows of 4", lambda xp, x: x[:, [0, 2]], points, least=0.8)
    pairs, key = points[:, :2].copy(), np.s_[:, [0, 2]]
    yield from versus_numpy("x[:, [0, 2]] = values", lambda xp, x, v: put(xp, x, key, v), points, pairs, least=0.8)
    yield from versus_numpy("delete of 3, 4 M", lambda xp, x: xp.delete(x, [1, 5, 9]), part, least=0.8)
    yield from versus_numpy("delete by mask, 4 M", lambda xp, x, m: xp.delete(x, m), part, chosen, least=0.8)
    order = np.argsort(uniform((4096, 1024)), axis=1)
    yield from versus_numpy(
        "take_along_axis (4096, 1024)",
        lambda xp, x, i: xp.take_along_axis(x, i, 1),
        uniform((4096, 1024)),
        order,
    )
    small = np.arange(10.0)
    for title, expression, least in (
        ("x[3]", lambda xp, x: x[3], 0.5),
        ("x[2:5]", lambda xp, x: x[2:5], 0.5),
        ("x[3] = 1.0", lambda xp, x: put(xp, x, 3, 1.0), 1.0),
        ("x[[1, 2]]", lambda xp, x: x[[1, 2]], None),
    ):
        mine = ca.array(small)
        time = race(cuarray=partial(expression, ca, mine), numpy=partial(expression, np, small))
        yield Result(f"{title}, 10 elements", time["cuarray"], time["numpy"], "numpy", least)


def beside_memory(result: Result, memory: float) -> Result:
    """Add the time of only reading the operands: half that of a copy, which reads and writes."""
    result.memory = memory
    result.note = f"{memory / result.ours:.0%} of copy bandwidth"
    return result


@measure()
def statistics() -> Iterator[Result]:
    """Averages, spreads and ranges of 4096 x 4096 numbers, over all and along each axis."""
    weights = uniform((SIDE, SIDE), np.float64)
    functions = {
        "std": lambda xp, x, axis: xp.std(x, axis=axis),
        "var": lambda xp, x, axis: xp.var(x, axis=axis),
        "average": lambda xp, x, axis: xp.average(x, axis=axis),
        "nanmean": lambda xp, x, axis: xp.nanmean(x, axis=axis),
        "ptp": lambda xp, x, axis: xp.ptp(x, axis=axis),
    }
    for dtype in (np.float32, np.float64):
        x, target = uniform((SIDE, SIDE), dtype), np.ones((SIDE, SIDE), dtype)
        copy = race(copy=lambda to=target, of=x: np.copyto(to, of))["copy"]
        for name, function in functions.items():
            for axis in (None, 0, 1):
                title = f"{name} {'of all' if axis is None else f'along axis {axis}'}, {x.dtype}"
                for result in versus_numpy(title, partial(function, axis=axis), x, least=2.0):
                    yield beside_memory(result, copy / 2)
        for axis in (None, 0, 1):
            for result in versus_numpy(
                f"average with weights, {'of all' if axis is None else f'along axis {axis}'}, {x.dtype}",
                lambda xp, x, w, axis=axis: xp.average(x, axis=axis, weights=w),
                x,
                weights.astype(dtype),
                least=2.0,
            ):
                yield beside_memory(result, copy)
    rows = uniform((100, 100_000), np.float64)
    yield from versus_numpy("cov of 100 variables, 100000 times", lambda xp, x: xp.cov(x), rows, least=None)


@measure()
def sequences() -> Iterator[Result]:
    """Functions of neighbouring elements, padding and repeating, 16 M float32."""
    x, xd = uniform(1 << 24), uniform(1 << 22, np.float64)
    for taps in (3, 9, 33):
        kernel = uniform(taps)
        yield from versus_numpy(f"convolve with {taps} taps, 16 M", lambda xp, x, k: xp.convolve(x, k), x, kernel)
    yield from versus_numpy(
        "convolve with 9 taps, 4 M float64", lambda xp, x, k: xp.convolve(x, k), xd, uniform(9, np.float64)
    )
    yield from versus_numpy("convolve 20000 with 2000", lambda xp, x, k: xp.convolve(x, k), x[:20000], x[:2000])
    yield from versus_numpy("correlate with 9 taps, 16 M", lambda xp, x, k: xp.correlate(x, k), x, uniform(9))
    for points in (1000, 1 << 20):
        known, values = np.linspace(0, 1, points), uniform(points, np.float64)
        yield from versus_numpy(f"interp of 4 M in {points}", lambda xp, x, k, v: xp.interp(x, k, v), xd, known, values)
    plane = x.reshape(SIDE, SIDE)
    yield from versus_numpy("diff, 16 M", lambda xp, x: xp.diff(x), x)
    yield from versus_numpy("gradient, 16 M", lambda xp, x: xp.gradient(x), x)
    yield from versus_numpy("trapezoid, 16 M", lambda xp, x: xp.trapezoid(x), x)
    for axis in (0, 1):
        for name in ("diff", "gradient"):
            yield from versus_numpy(
                f"{name} along axis {axis}, 4096 x 4096",
                lambda xp, x, name=name, axis=axis: getattr(xp, name)(x, axis=axis),
                plane,
            )
    for mode in ("constant", "edge", "reflect", "wrap"):
        yield from versus_numpy(
            f"pad, mode {mode!r}, 4096 x 4096", lambda xp, x, mode=mode: xp.pad(x, 8, mode=mode), plane
        )
    yield from versus_numpy("roll, 16 M", lambda xp, x: xp.roll(x, 1000), x)
    for axis in (0, 1):
        yield from versus_numpy(
            f"roll along axis {axis}, 4096 x 4096", lambda xp, x, axis=axis: xp.roll(x, 1000, axis), plane
        )
    yield from versus_numpy("repeat 4 times, 4 M", lambda xp, x: xp.repeat(x, 4), x[: 1 << 22])
    counts = np.random.default_rng(6).integers(0, 8, 1 << 22)
    yield from versus_numpy("repeat by counts, 4 M", lambda xp, x, n: xp.repeat(x, n), x[: 1 << 22], counts)
    for axis in (0, 1):
        yield from versus_numpy(
            f"repeat 4 times along axis {axis}, 2048 x 2048",
            lambda xp, x, axis=axis: xp.repeat(x, 4, axis),
            x[: 1 << 22].reshape(2048, 2048),
        )
    yield from versus_numpy("tile 4 times, 4 M", lambda xp, x: xp.tile(x, 4), x[: 1 << 22])
    yield from versus_numpy(
        "tile (2, 2), 2048 x 2048", lambda xp, x: xp.tile(x, (2, 2)), x[: 1 << 22].reshape(2048, 2048)
    )


# Shifts, powers and extremes of the sizes of images and signals: a, b, c 512 x 512 and d 1000 x 1000 float64, f 1 M
# float32, u 1 M bytes, k 1 M int64; the last column is the goal.
OF_IMAGES = """
xp.roll(a, 1, axis=-1) | 0.8
xp.hstack([a[:, :1], a]) | 0.8
xp.pad(a, ((0, 0), (1, 0))) | 0.8
d.__setitem__(left, e[right]) | 0.8
xp.maximum.reduce([a, b, c]) | 0.8
xp.max(xp.stack([a, b, c]), 0) | 0.8
d**3 | 1
d**2.5 | 1
d**-2 | 1
f**3 | 1
f**5 | 1
f**-3 | 1
k**3 | 1
xp.max(u) | 0.8
xp.min(k) | 0.8
xp.max(f) | 0.8
xp.nanmax(f) | 0.8
xp.argmax(u) | 0.8
xp.argmax(f) | 0.8
xp.any(h) | 0.8
xp.all(m) | 0.8
xp.logical_or(w, shifted, w) | 0.8
xp.subtract.at(t, i, v) | 0.8
xp.zeros(2**16) | 0.8
xp.zeros(2**18) | 0.8
xp.zeros(2**28, "u1") | 1
xp.zeros((1000, 1000)) | 0.8
""".strip().split("\n")


@measure()
def images() -> Iterator[Result]:
    """Shifts, powers and extremes at the sizes of images and signals."""
    rng = np.random.default_rng(9)
    numbers = {name: rng.standard_normal((512, 512)) for name in "abc"}
    numbers |= {name: uniform((1000, 1000), np.float64) for name in "de"}
    numbers |= {"f": uniform(10**6), "u": rng.integers(0, 255, 10**6).astype("u1"), "k": rng.integers(0, 99, 10**6)}
    numbers |= {"h": np.zeros(10**6, bool), "m": np.ones(10**6, bool), "w": np.zeros((512, 512), bool)}
    numbers |= {"t": np.zeros(1000), "i": rng.integers(0, 1000, 1000), "v": rng.random(1000)}
    places = {"left": (slice(None), slice(1, None)), "right": (slice(None), slice(None, -1))}
    mine = {"xp": ca, **places, **{name: ca.array(value) for name, value in numbers.items()}}
    theirs = {"xp": np, **places, **numbers}
    for names, xp in ((mine, ca), (theirs, np)):
        names["shifted"] = xp.zeros((513, 513), bool)[1:, :-1]
    yield from against_goals(OF_IMAGES, mine, theirs)


def against_goals(lines, mine, theirs) -> Iterator[Result]:
    """The calls of lines that end with their goals, with the names of either library."""
    for line in lines:
        call, least = line.split(" | ")
        code = compile(call, call, "eval")
        time = race(cuarray=lambda c=code: eval(c, mine), numpy=lambda c=code: eval(c, theirs))
        yield Result(call, time["cuarray"], time["numpy"], "numpy", float(least))


# Short rows: a 20,000 x 16 and b 20,000 x 64 float64, c 20,000 x 16 int16; ascending numbers: t 1000, u 100,000
# and w 1 M points; v 1000, p and q 100,000 random and ascending queries; e three edges, i three begins, k integers.
OF_SHORT_ROWS = """
xp.sort(a, axis=1) | 0.8
xp.argsort(a, axis=1) | 0.8
xp.partition(a, 8, axis=1) | 0.8
xp.argpartition(a, 8, axis=1) | 0.8
xp.median(a, axis=1) | 0.8
xp.sort(b, axis=1) | 0.8
xp.argsort(b, axis=1) | 0.8
xp.partition(b, 32, axis=1) | 0.8
xp.median(b, axis=1) | 0.8
xp.sort(c, axis=1) | 0.8
xp.lexsort((k, v)) | 0.8
xp.add.reduceat(v, i) | 0.8
xp.searchsorted(t, q) | 0.8
xp.searchsorted(u, q) | 0.8
xp.searchsorted(u, p) | 0.8
t.searchsorted(2.5) | 0.8
xp.digitize(v, e) | 0.8
xp.interp(q, t, t) | 1
xp.interp(q[::10].copy(), t, t) | 1
xp.interp(q[::-10], t, t) | 1
xp.interp(q, u, u) | 1
xp.interp(p, u, u) | 1
xp.interp(v, w, w) | 1
""".strip().split("\n")


@measure()
def short_rows() -> Iterator[Result]:
    """Sorts of many short rows, and searches for few and for ascending numbers, 1 thread."""
    rng = np.random.default_rng(11)
    numbers = {"a": rng.random((20_000, 16)), "b": rng.random((20_000, 64)), "v": rng.random(1000)}
    numbers |= {"c": rng.integers(0, 999, (20_000, 16)).astype("i2"), "k": rng.integers(0, 99, 1000)}
    numbers |= {name: np.sort(rng.random(n)) for name, n in (("t", 1000), ("u", 10**5), ("w", 10**6), ("q", 10**5))}
    numbers |= {"p": rng.random(10**5), "e": np.array([0.2, 0.5, 0.7]), "i": np.array([0, 300, 700])}
    mine = {"xp": ca, **{name: ca.array(value) for name, value in numbers.items()}}
    yield from against_goals(OF_SHORT_ROWS, mine, {"xp": np, **numbers})


@measure()
def segments() -> Iterator[Result]:
    """Segmented reductions of 16 M float32, and 4 M updates of 1 M elements."""
    x, generator = uniform(1 << 24), np.random.default_rng(5)
    borders = {
        "65536 segments of one length": np.arange(0, 1 << 24, 256),
        "65536 segments": np.sort(generator.choice(1 << 24, 1 << 16, replace=False)),
        "4 M segments": np.sort(generator.choice(1 << 24, 1 << 22, replace=False)),
    }
    for name in ("add", "maximum"):
        for title, begins in borders.items():
            yield from versus_numpy(
                f"{name}.reduceat, {title}",
                lambda xp, x, i, name=name: getattr(xp, name).reduceat(x, i),
                x,
                begins,
                least=1.0,
            )
    yield from versus_numpy(
        "add.reduceat along axis 0, 512 segments",
        lambda xp, x, i: xp.add.reduceat(x, i, 0),
        x.reshape(SIDE, SIDE),
        np.sort(generator.choice(SIDE, 512, replace=False)),
    )
    places = generator.integers(0, 1 << 20, 1 << 22)
    few = generator.integers(0, 100, 1 << 22)
    for name, dtype in (("add", np.float32), ("add", np.float64), ("add", np.int64), ("maximum", np.float64)):
        target, values = np.zeros(1 << 20, dtype), uniform(1 << 22, dtype, 0, 100)
        for where, i in (("1 M", places), ("100", few)):
            yield from versus_numpy(
                f"{name}.at, 4 M in {where}, {target.dtype}",
                lambda xp, a, i, v, name=name: getattr(xp, name).at(a, i, v),
                target,
                i,
                values,
            )
