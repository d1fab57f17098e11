"""The measures of linear algebra, Fourier transforms and random numbers."""

import math
from collections.abc import Iterator
from functools import partial

import numpy as np
from measures import measure, uniform, versus_numpy
from race import Result, race

import cuarray as ca

#: Stacks of small matrices: their number and their side.
MANY, FEW = 10_000, 4


@measure()
def products() -> Iterator[Result]:
    """Products of matrices and vectors, by the BLAS of NumPy, 1 thread."""
    for dtype in (np.float32, np.float64):
        name = np.dtype(dtype).name
        for n in (2, 4, 8, 16, 64, 256, 1024):
            a, b = uniform((n, n), dtype), uniform((n, n), dtype, 0.2, 0.8)
            least = 1.0 if n <= 32 else 0.97
            yield from versus_numpy(f"matmul, {n} x {n} {name}", lambda xp, a, b: xp.matmul(a, b), a, b, least=least)
        a, b = uniform((512, 512), dtype), uniform((512, 512), dtype, 0.2, 0.8)
        yield from versus_numpy(f"a.T @ b, 512 x 512 {name}", lambda xp, a, b: a.T @ b, a, b, least=0.97)
        yield from versus_numpy(
            f"a[::2] @ b[:, ::2], 512 x 512 {name}", lambda xp, a, b: a[::2] @ b[:, ::2], a, b, least=0.97
        )
        for n in (4, 32, 512, 4096):
            a, v = uniform((n, n), dtype), uniform(n, dtype)
            least = 1.0 if n <= 32 else 0.97
            yield from versus_numpy(f"matrix @ vector, {n} {name}", lambda xp, a, v: a @ v, a, v, least=least)
            yield from versus_numpy(f"vector @ matrix, {n} {name}", lambda xp, a, v: v @ a, a, v, least=least)
            yield from versus_numpy(f"dot, {n} {name}", lambda xp, v: xp.dot(v, v), v, least=least)
            if n <= 512:
                yield from versus_numpy(f"outer, {n} {name}", lambda xp, v: xp.outer(v, v), v, least=least)
        stack = uniform((10_000, 8, 8), dtype)
        least = 1.4 if dtype is np.float32 else 1.0
        yield from versus_numpy(f"matmul, 10,000 of 8 x 8 {name}", lambda xp, a: a @ a, stack, least=least)
        stack = uniform((1000, 4, 4), dtype)
        yield from versus_numpy(f"matmul, 1000 of 4 x 4 {name}", lambda xp, a: a @ a, stack, least=3.0)


@measure()
def factorisations() -> Iterator[Result]:
    """Functions of `linalg`, by the LAPACK of NumPy, float64, 1 thread."""
    generator = np.random.default_rng(1)
    functions = {
        "solve": lambda xp, a, b: xp.linalg.solve(a, b),
        "inv": lambda xp, a, b: xp.linalg.inv(a),
        "det": lambda xp, a, b: xp.linalg.det(a),
        "cholesky": lambda xp, a, b: xp.linalg.cholesky(a),
        "qr": lambda xp, a, b: xp.linalg.qr(a),
        "eigh": lambda xp, a, b: xp.linalg.eigh(a),
        "svd": lambda xp, a, b: xp.linalg.svd(a),
    }
    for shape, title in (
        ((4, 4), "4 x 4"),
        ((32, 32), "32 x 32"),
        ((512, 512), "512 x 512"),
        ((MANY, FEW, FEW), "10,000 of 4 x 4"),
    ):
        x = generator.normal(size=shape)
        a = x @ np.swapaxes(x, -1, -2) + shape[-1] * np.eye(shape[-1])
        b = generator.normal(size=shape)
        for name, function in functions.items():
            least = 1.5 if len(shape) == 3 and name in ("solve", "inv", "det", "cholesky") else 1.0
            yield from versus_numpy(f"{name}, {title}", function, a, b, least=least)


@measure()
def transforms() -> Iterator[Result]:
    """Fourier transforms, by NumPy's library, 1 thread."""
    for name, shape in (("2^20", 1 << 20), ("1024 of 1024", (1024, 1024)), ("64", 64)):
        x = uniform(shape, np.float64).astype(complex)
        yield from versus_numpy(f"fft, {name} complex128", lambda xp, x: xp.fft.fft(x), x, least=1.0)
        yield from versus_numpy(f"rfft, {name} float64", lambda xp, x: xp.fft.rfft(x), x.real.copy(), least=1.0)
    x = uniform((1000, 1000), np.float64).astype(complex)
    yield from versus_numpy("fft2, 1000 x 1000 complex128", lambda xp, x: xp.fft.fft2(x), x, least=1.0)


#: Methods of generators and their parameters.
METHODS = {
    "random": "", "random, float32": "dtype=np.float32", "uniform": "1.0, 4.0", "standard_normal": "",
    "standard_normal, float32": "dtype=np.float32", "normal": "1.0, 2.0", "integers": "0, 1000",
    "integers, uint8": "0, 100, dtype=np.uint8", "integers, of 2^60": "0, 2**60 - 1", "standard_exponential": "",
    "exponential": "2.0", "gumbel": "1.0, 2.0", "laplace": "1.0, 2.0", "logistic": "1.0, 2.0", "lognormal": "1.0, 0.5",
    "pareto": "3.0", "power": "2.0", "rayleigh": "2.0", "standard_cauchy": "", "triangular": "0.0, 1.0, 3.0",
    "weibull": "2.0", "wald": "1.0, 2.0", "gamma": "2.0, 3.0", "standard_gamma": "0.5", "chisquare": "3.0",
    "beta": "2.0, 3.0", "f": "3.0, 5.0", "standard_t": "4.0", "poisson": "5.0", "geometric": "0.2",
    "binomial": "10, 0.3", "negative_binomial": "4.0, 0.3", "vonmises": "1.0, 2.0", "zipf": "3.0", "logseries": "0.7",
    "hypergeometric": "20, 10, 7", "noncentral_chisquare": "3.0, 1.0",
}  # fmt: skip
#: Goals of 1 M numbers against PCG64.
GOALS = {"random": 1.0, "random, float32": 1.0, "uniform": 1.0, "standard_normal, float32": 2.0, "integers": 1.2}


#: Subscripts of `einsum`, and the shapes of the arrays: from NumPy's documentation, of products and sums of two arrays,
#: small and larger ones, and contractions of three to five, as quantum chemistry and tensor networks have them.
CONTRACTIONS = (
    ("ii", (200, 200)),
    ("ii->i", (200, 200)),
    ("ij->i", (300, 300)),
    ("ij->ji", (300, 300)),
    ("i,i", (1000,), (1000,)),
    ("ij,j", (200, 300), (300,)),
    ("i,j->ij", (300,), (200,)),
    ("ij,jk->ik", (4, 4), (4, 4)),
    ("ij,jk->ik", (200, 300), (300, 100)),
    ("ij,jk", (200, 300), (300, 100)),
    ("ij,ij->i", (1000, 100), (1000, 100)),
    ("ij,ij->ij", (300, 300), (300, 300)),
    ("ij,ij->", (300, 300), (300, 300)),
    ("ij,ij->j", (300, 300), (300, 300)),
    ("ik,jk->ij", (100, 64), (150, 64)),
    ("ki,kj->ij", (64, 100), (64, 150)),
    ("bij,bjk->bik", (100, 8, 8), (100, 8, 8)),
    ("bij,bjk->bik", (16, 64, 64), (16, 64, 64)),
    ("bhid,bhjd->bhij", (2, 4, 50, 32), (2, 4, 50, 32)),
    ("ijk,jil->kl", (30, 40, 20), (40, 30, 25)),
    ("ijk,ilm,njm,nlk,abc->", (4, 5, 6), (4, 7, 8), (9, 5, 8), (9, 7, 6), (2, 3, 4)),
    ("ij,jk,kl->il", (60, 70), (70, 80), (80, 50)),
    ("ij,jk,kl,lm->im", (30, 40), (40, 20), (20, 60), (60, 10)),
    ("i,ij,j->", (100,), (100, 120), (120,)),
    ("ni,ij,nj->n", (300, 20), (20, 20), (300, 20)),
    ("ia,jb,ijkl,kc,ld->abcd", (12, 10), (12, 10), (12, 12, 12, 12), (12, 10), (12, 10)),
    ("ea,fb,abcd,gc,hd->efgh", (10, 10), (10, 10), (10, 10, 10, 10), (10, 10), (10, 10)),
    ("abc,cd,de->abe", (20, 20, 20), (20, 30), (30, 20)),
    ("ijk,ia,jb,kc->abc", (20, 20, 20), (20, 8), (20, 8), (20, 8)),
    ("abij,cdij->abcd", (8, 8, 10, 10), (8, 8, 10, 10)),
    ("...ij,...jk->...ik", (3, 5, 20, 20), (5, 20, 20)),
)


@measure()
def contractions() -> Iterator[Result]:
    """`einsum` of one to five arrays against NumPy's with `optimize=True`, float64, 1 thread."""
    for subscripts, *shapes in CONTRACTIONS:
        arrays = [uniform(shape, np.float64) for shape in shapes]
        title = f"{subscripts}, {' '.join('x'.join(map(str, shape)) for shape in shapes)}"
        yield from versus_numpy(title, lambda xp, *a, s=subscripts: xp.einsum(s, *a, optimize=True), *arrays, least=1.0)


@measure()
def random() -> Iterator[Result]:
    """Random numbers of cuarray's Philox, against NumPy's default, PCG64, and against its Philox, 1 thread."""
    ours, theirs = ca.random.Generator(ca.random.Philox(1)), np.random.default_rng(1)
    philox = np.random.Generator(np.random.Philox(1))
    for title, parameters in METHODS.items():
        for n in (10, 1_000_000):
            given = ", ".join(filter(None, [parameters, f"size={n}"]))
            call = eval(f"lambda rng: rng.{title.split(',')[0]}({given})", {"np": np})
            time = race(0.2, cuarray=partial(call, ours), numpy=partial(call, theirs), philox=partial(call, philox))
            goal = GOALS.get(title, 0.8) if n > 10 else 1.0 if title == "random" else None
            yield Result(f"{title}, {n}", time["cuarray"], time["numpy"], "numpy, PCG64", goal)
            goal = 1.5 if n > 10 and title == "random" else None
            yield Result(f"{title}, {n}", time["cuarray"], time["philox"], "numpy, Philox", goal)
    for name in ("permutation", "shuffle"):
        x, y = ca.arange(1_000_000), np.arange(1_000_000)
        time = race(0.5, cuarray=partial(getattr(ours, name), x), numpy=partial(getattr(theirs, name), y))
        yield Result(f"{name}, 1,000,000", time["cuarray"], time["numpy"], "numpy, PCG64", 0.5)


#: Methods whose numbers of NumPy's take at most NumPy's time: of a million, and of one.
DEFAULT = {"random": "", "normal": "", "integers": "10", "exponential": "", "uniform": "1.0, 4.0", "poisson": "5.0"}


@measure(threads=1)
def random_default() -> Iterator[Result]:
    """NumPy's numbers, of `default_rng`, against NumPy, 1 thread."""
    ours, theirs = ca.random.default_rng(1), np.random.default_rng(1)
    for name, parameters in DEFAULT.items():
        for n in (None, 1_000_000):
            given = ", ".join(filter(None, [parameters, f"size={n}"]))
            call = eval(f"lambda rng: rng.{name}({given})")
            time = race(0.2, cuarray=partial(call, ours), numpy=partial(call, theirs))
            yield Result(
                f"{name}({given})", time["cuarray"], time["numpy"], "numpy", 1.0 if name in "random normal" else 0.95
            )


# s, t: five numbers of 0.1 to 2; k: five integers above 4; p: five probabilities; a: 0 to 9.
CALLS = """
random() | random(3) | random((2, 3)) | uniform() | uniform(-1.0, 1.0) | uniform(-1.0, 1.0, 5) | uniform(s, 3.0) | normal() | normal(1.0, 2.0)
normal(1.0, 2.0, 5) | normal(s, t) | normal(s, 0.1, (4, 5)) | standard_normal() | standard_normal(5) | standard_normal((5, 5)) | exponential(2.0)
exponential(2.0, 5) | exponential(s) | integers(10) | integers(0, 100) | integers(0, 2, 5) | integers(0, k) | integers(1, 7, endpoint=True)
binomial(10, 0.3) | binomial(10, 0.3, 5) | binomial(k, 0.3) | poisson(3.0) | poisson(3.0, 5) | poisson(s) | gamma(2.0) | gamma(2.0, 1.0, 5) | gamma(s, t)
beta(2.0, 3.0) | beta(2.0, 3.0, 5) | beta(s, t) | lognormal(0.0, 1.0, 5) | lognormal(s, t) | geometric(0.3, 5) | chisquare(3.0, 5) | standard_t(3.0, 5)
triangular(0.0, 1.0, 2.0, 5) | weibull(2.0, 5) | laplace(0.0, 1.0, 5) | dirichlet(s) | multinomial(20, p) | multinomial(20, p, 4) | choice(5) | choice(a)
choice(a, 3) | choice(a, 3, replace=False) | choice(a, p=None) | choice(5, 3, p=p) | permutation(5) | permutation(a) | shuffle(a) | permuted(a)
"""  # noqa: E501


@measure(threads=1)
def random_calls() -> Iterator[Result]:
    """Everyday calls of a generator that draw one number or a few, against NumPy's default, 1 thread."""
    generator = np.random.default_rng(1)
    s, t, p = generator.uniform(0.1, 2, 5), generator.uniform(0.1, 2, 5), np.full(5, 0.2)
    given = {"s": s, "t": t, "p": p, "k": generator.integers(5, 20, 5), "a": np.arange(10)}
    ours = {"rng": ca.random.default_rng(1), **{name: ca.asarray(x) for name, x in given.items()}}
    theirs, ratios = {"rng": np.random.default_rng(1), **given}, []
    for line in CALLS.strip().splitlines():
        for call in line.split(" | "):
            time = race(0.02, cuarray=eval(f"lambda: rng.{call}", ours), numpy=eval(f"lambda: rng.{call}", theirs))
            result = Result(f"rng.{call}", time["cuarray"], time["numpy"], "numpy, PCG64")
            ratios.append(result.ratio)
            yield result
    mean = math.exp(sum(map(math.log, ratios)) / len(ratios))
    yield Result(f"geometric mean of {len(ratios)}", 1.0, mean, "numpy, PCG64", 1.0, unit="")
