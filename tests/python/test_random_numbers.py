"""The numbers of Philox: NumPy's where promised, the same everywhere, in their distributions, and none of them twice."""

import hashlib
import itertools
import math
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from layouts import LAYOUTS

import cuarray
from cuarray import _core
from cuarray._random.draws import check_layout
from cuarray.random import Generator, default_rng

#: Methods that are drawn by a kernel, with parameters, and their distribution functions.
SQRT2 = math.sqrt(2)
erf = np.vectorize(math.erf, otypes=[float])
METHODS = {
    "exponential": ((2.0,), lambda x: -np.expm1(-x / 2)),
    "gumbel": ((1.0, 2.0), lambda x: np.exp(-np.exp(-(x - 1) / 2))),
    "laplace": ((1.0, 2.0), lambda x: np.where(x < 1, np.exp((x - 1) / 2) / 2, 1 - np.exp(-(x - 1) / 2) / 2)),
    "logistic": ((1.0, 2.0), lambda x: 1 / (1 + np.exp(-(x - 1) / 2))),
    "lognormal": ((1.0, 0.5), lambda x: (1 + erf((np.log(x) - 1) / 0.5 / SQRT2)) / 2),
    "normal": ((1.0, 2.0), lambda x: (1 + erf((x - 1) / 2 / SQRT2)) / 2),
    "pareto": ((3.0,), lambda x: 1 - (1 + x) ** -3.0),
    "power": ((2.5,), lambda x: x**2.5),
    "rayleigh": ((2.0,), lambda x: -np.expm1(-((x / 2) ** 2) / 2)),
    "standard_cauchy": ((), lambda x: 0.5 + np.arctan(x) / np.pi),
    "triangular": ((0.0, 1.0, 3.0), lambda x: np.where(x < 1, x * x / 3, 1 - (3 - x) ** 2 / 6)),
    "uniform": ((1.0, 4.0), lambda x: (x - 1) / 3),
    "weibull": ((1.5,), lambda x: -np.expm1(-(x**1.5))),
}
#: Those that exist as float32, too.
STANDARD = {
    "random": lambda x: x,
    "standard_normal": lambda x: (1 + erf(x / SQRT2)) / 2,
    "standard_exponential": lambda x: -np.expm1(-x),
}
#: Those of numbers that are tried again, and those that are made of two others: parameters, up to the ends.
OTHERS = {
    "beta": [(2.0, 3.0), (0.1, 0.1), (0.5, 1e4), (1e6, 1e6), (0.01, 0.02), (1e-3, 5.0)],
    "binomial": [
        (10, 0.3), (1, 0.5), (1000, 0.003), (100, 0.3), (100, 0.7), (40, 0.25), (10**6, 0.9), (2**40, 1e-11), (2**40, 0.5), (5, 1.0), (7, 0.0),
    ],
    "chisquare": [(3.0,), (0.1,), (1.0,), (1e5,)],
    "f": [(3.0, 5.0), (0.5, 0.5), (1e4, 20.0), (0.05, 7.0)],
    "gamma": [(2.0, 3.0), (0.02, 1.0), (0.999, 2.0), (1.0, 1.0), (1e9, 1.0), (1e-3, 1.0), (0.0, 1.0)],
    "geometric": [(0.2,), (1.0,), (0.999,), (0.1,), (1e-3,), (1e-17,)],
    "hypergeometric": [
        (30, 10, 8), (10, 30, 8), (3, 0, 2), (0, 5, 3), (1000, 2000, 300), (2000, 1000, 2500), (10**8, 10**8, 10**7), (15, 15, 15), (5, 999_999_990, 10**6),
    ],
    "logseries": [(0.5,), (0.999,), (0.01,), (0.0,), (1 - 1e-9,)],
    "negative_binomial": [(4.0, 0.5), (0.1, 0.3), (1e5, 0.2), (3.0, 1.0), (2.0, 1e-9)],
    "noncentral_chisquare": [(3.0, 2.0), (0.5, 20.0), (1.0, 1.0), (5.0, 0.0), (0.1, 1e6)],
    "noncentral_f": [(5.0, 20.0, 2.0), (0.5, 3.0, 1.0), (30.0, 1e4, 100.0)],
    "poisson": [(5.0,), (0.001,), (9.999,), (10.0,), (30.0,), (1e4,), (1e9,), (1e12,), (0.0,)],
    "standard_gamma": [(2.0,), (0.3,)],
    "standard_t": [(4.0,), (0.5,), (1e6,), (0.06,)],
    "vonmises": [(1.0, 8.0), (0.0, 0.1), (-3.0, 2.0), (2.0, 1e-9), (1.0, 1e5), (1.0, 1e8), (100.0, 0.5)],
    "wald": [(1.0, 2.0), (1.0, 1e-3), (1e-3, 1e3), (1e6, 1.0)],
    "zipf": [(4.0,), (2.0,), (1.1,), (1.5,), (60.0,), (2000.0,)],
}  # fmt: skip
#: Those of rows that depend on one another.
ROWS = {
    "dirichlet": [
        ([1.0, 2.0, 3.0],),
        ([0.5, 0.5],),
        ([0.2, 30.0, 1e3],),
        ([1.0, 1.0, 1.0],),
        ([0.03, 0.05, 0.02],),
        ([0.05, 0.0, 0.09],),
    ],
    "multinomial": [
        (20, [0.2, 0.3, 0.5]),
        (5, [0.0, 1.0]),
        (1, [0.25] * 4),
        (3, [0.5, 0.5, 0.0]),
        (10**6, [0.1, 0.2, 0.7]),
    ],
    "multivariate_hypergeometric": [([16, 8, 4], 6), ([5, 0, 5], 10), ([1000, 2000], 1500)],
    "multivariate_normal": [([0.0, 5.0], [[1.0, 0.5], [0.5, 2.0]]), ([1.0], [[4.0]])],
}
INTEGERS = ["?", "i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8"]


def numpys(seed=7):
    return np.random.Generator(np.random.Philox(seed))


def state(rng):
    return str(rng.bit_generator.state)


def limits(dtype):
    return (0, 1) if dtype == "?" else (int(np.iinfo(dtype).min), int(np.iinfo(dtype).max))


# NumPy's numbers


def powers(dtype):
    """Ranges of a power of two, which reach the ends of the type."""
    least, most = limits(dtype)
    return [(least, least + 2**k - 1) for k in range(65) if least + 2**k - 1 <= most] + [(most, most), (least, most)]


def test_numbers_are_numpys(device):
    ours, theirs = default_rng(5), numpys(5)
    draw = np.random.default_rng(3)
    sizes = [None, 0, 1, 2, 3, 4, 5, 7, (2, 3), (0, 4), 63, 257, 1000]
    for step in range(1500):
        size, kind = sizes[draw.integers(len(sizes))], draw.integers(6)
        low, high = draw.normal(size=2).cumsum()
        low, high = sorted((float(low), float(high)))
        dtype = INTEGERS[draw.integers(len(INTEGERS))]
        least, most = powers(dtype)[draw.integers(len(powers(dtype)))]
        call = [
            lambda g, size=size: g.random(size),
            lambda g, size=size: g.random(size, dtype=np.float32),
            lambda g, size=size, low=low, high=high: g.uniform(low, high, size),
            lambda g, size=size, least=least, most=most, dtype=dtype: g.integers(
                least, most, size, dtype, endpoint=True
            ),
            lambda g, size=size, least=least, most=most: g.integers(
                most - least + 1 if most - least < 2**62 else 2, size=size
            ),
            lambda g, step=step: g.bytes(step % 9),
        ][kind]
        a, b = call(ours), call(theirs)
        if kind < 5:
            assert a.device == cuarray.device() and a.shape == np.shape(b) and _core.is_value(a) == (size is None)
            assert a.numpy().tobytes() == np.asarray(b, a.dtype).tobytes(), (step, kind, size, least, most, dtype)
        else:
            assert a == b
        assert state(ours) == state(theirs), (step, kind, size)


def test_counters_carry_over_all_words(device):
    for words in ([2**64 - 3, 5, 0, 0], [2**64 - 9, 2**64 - 1, 7, 0], [2**64 - 17, 2**64 - 1, 2**64 - 1, 3]):
        ours, theirs = default_rng(1), numpys(1)
        for rng in (ours, theirs):
            there = rng.bit_generator.state
            there["state"]["counter"][:] = words
            rng.bit_generator.state = there
        np.testing.assert_array_equal(ours.random(300).numpy(), theirs.random(300))
        assert state(ours) == state(theirs)


def test_numpy_draws_on_after_us_and_we_after_numpy():
    bits = np.random.Philox(3)
    ours, theirs = Generator(bits, "cpu"), np.random.Generator(bits)
    alone = numpys(3)
    for n in (1, 2, 5, 3):
        assert (ours.random(n).numpy() == alone.random(n)).all() and (theirs.random(n) == alone.random(n)).all()
        assert (ours.random(n, "f4").numpy() == alone.random(n, "f4")).all()
        assert (theirs.integers(256, size=n, dtype="u1") == alone.integers(256, size=n, dtype="u1")).all()


# The same numbers everywhere


def draws(rng, n):
    """Draw by every kernel, in ranges with and without rejections."""
    for name, dtype in itertools.product(STANDARD, ("f8", "f4")):
        yield f"{name} {dtype}", getattr(rng, name)(n, dtype=dtype)
    for name, (parameters, _) in METHODS.items():
        yield name, getattr(rng, name)(*parameters, size=n)
    for name, ways in OTHERS.items():
        for parameters in ways:
            yield f"{name} {parameters}", getattr(rng, name)(*parameters, size=n)
            arrays = [np.asarray([p, p, q] * 99, type(p)) for p, q in zip(parameters, ways[0], strict=True)]
            shape = (n,) if n is None or isinstance(n, int) else n
            arrays = [np.resize(x, shape[-1] or 1) for x in arrays]
            yield f"{name} {parameters} in arrays", getattr(rng, name)(*arrays, size=None if n is None else n)
    for name, ways in ROWS.items():
        for parameters in ways:
            yield f"{name} {parameters}", getattr(rng, name)(*parameters, size=n)
    yield "standard_gamma f4", rng.standard_gamma(2.5, n, "f4")
    yield "standard_gamma f4 0.2", rng.standard_gamma(0.2, n, "f4")
    for dtype in INTEGERS:
        least, most = limits(dtype)
        for width in (1, 3, 99, 255, 2**20, 10**6, 3 * 2**29, 2**32 - 1, 2**32, 3 * 2**62, 2**64 - 1):
            if width <= most - least:
                yield f"{dtype} {width}", rng.integers(least, least + width, n, dtype, endpoint=True)


@pytest.mark.parametrize("n", [None, 1, 6, 1001, (3, 70)])
def test_devices_draw_the_same_numbers(n, device):
    here, there = default_rng(7), default_rng(7, "cpu")
    for (name, a), (_, b) in zip(draws(here, n), draws(there, n), strict=True):
        assert a.device == cuarray.device() and b.device == cuarray.device("cpu")
        assert a.dtype == b.dtype and a.numpy().tobytes() == b.numpy().tobytes(), name
        assert state(here) == state(there), name


DIGESTS = """
import hashlib, sys
sys.path.insert(0, sys.argv[1])
import cuarray, test_random_numbers as t
for n in (1001, 300_000):
    for name, x in t.draws(t.default_rng(7, "cpu"), n):
        print(n, name, hashlib.sha256(x.numpy().tobytes()).hexdigest())
"""


def test_threads_and_instruction_sets_do_not_matter():
    here = [
        f"{n} {name} {hashlib.sha256(x.numpy().tobytes()).hexdigest()}"
        for n in (1001, 300_000)
        for name, x in draws(default_rng(7, "cpu"), n)
    ]
    for settings in ({"CUARRAY_NUM_THREADS": "3"}, {"CUARRAY_CPU_LEVEL": "base", "CUARRAY_NUM_THREADS": "1"}):
        environment = {**os.environ, **settings}
        run = subprocess.run(
            [sys.executable, "-c", DIGESTS, Path(__file__).resolve().parent],
            capture_output=True,
            text=True,
            env=environment,
        )
        assert run.stdout.splitlines() == here, run.stderr


def test_the_kernel_and_the_formula_agree(device):
    """Parameters that are arrays: the same numbers, but for the last places of exp and pow."""
    for name, (parameters, _) in METHODS.items():
        expected = getattr(default_rng(7), name)(*parameters, size=(4, 5000)).numpy()
        for shapes in itertools.product([(), (5000,), (4, 1)], repeat=len(parameters)):
            if not any(shapes):
                continue
            arrays = [cuarray.full(s, p) if s else p for s, p in zip(shapes, parameters, strict=True)]
            result = getattr(default_rng(7), name)(*arrays, size=(4, 5000))
            assert result.device == cuarray.device()
            np.testing.assert_allclose(result.numpy(), expected, rtol=3e-15, atol=1e-300)


def test_results_are_on_the_device_of_their_parameters(device):
    x = cuarray.asarray([1.0, 2.0])
    assert default_rng(7, "cpu").normal(x, 1.0).device == x.device
    assert default_rng(7).exponential(cuarray.asarray(2.0)).shape == ()
    assert _core.is_value(default_rng(7).gumbel(cuarray.asarray(2.0)))


@pytest.mark.parametrize("layout", LAYOUTS, ids=lambda f: f.__name__)
@pytest.mark.parametrize("dtype", ["f4", "f8"])
@pytest.mark.parametrize("name", STANDARD)
def test_out_of_any_layout(name, dtype, layout, device):
    out = layout(np.zeros((4, 6), dtype))
    is_fortran = out.flags.f_contiguous and not out.flags.c_contiguous
    expected = getattr(default_rng(3), name)(24, dtype).numpy().reshape((4, 6), order="F" if is_fortran else "C")
    for size in (None, (4, 6)):
        rng = default_rng(3)
        assert getattr(rng, name)(size, dtype=dtype, out=out) is out
        np.testing.assert_array_equal(out.numpy(), expected)


def test_wrong_out(device):
    rng = default_rng(3)
    before = state(rng)
    mine = np.empty(3)
    assert default_rng(3).random(out=mine) is mine and (mine == numpys(3).random(3)).all()
    with pytest.raises(ValueError, match="read-only"):
        rng.random(out=cuarray.broadcast_to(cuarray.zeros(1), (3,)))
    mine.flags.writeable = False
    with pytest.raises(ValueError, match="read-only"):
        rng.random(out=mine)
    with pytest.raises(TypeError, match=r"^standard_normal: out= has dtype float32, not float64"):
        rng.standard_normal(out=cuarray.empty(3, "f4"))
    with pytest.raises(ValueError, match=r"^random: out= has shape \(3,\), size= is 4"):
        rng.random(4, out=cuarray.empty(3))
    with pytest.raises(TypeError, match="random"):
        rng.random(3, dtype="f2")
    with pytest.raises(TypeError):
        rng.random(out=[1.0, 2.0])
    with pytest.raises(ValueError):
        rng.random(-1)
    assert state(rng) == before


def test_sizes_that_are_arrays(device):
    """They are read, and never written."""
    calls = {name: parameters for name, (parameters, _) in METHODS.items()}
    calls |= {name: ways[0] for name, ways in OTHERS.items()} | dict.fromkeys(STANDARD, ()) | {"integers": (9,)}
    for name, parameters in calls.items():
        size, one = cuarray.asarray([2, 3], device="cpu"), cuarray.asarray(4, device="cpu")
        rng = default_rng(3)
        assert getattr(rng, name)(*parameters, size=size).shape == (2, 3), name
        assert getattr(rng, name)(*parameters, size=one).shape == (4,), name
        assert getattr(rng, name)(*parameters, size=np.int64(4)).shape == (4,), name
        assert size.tolist() == [2, 3] and one.item() == 4
    assert default_rng(3).random(cuarray.asarray([2, 3], device="cpu"), "f4").shape == (2, 3)


def test_draws_keep_their_bit_generator():
    rng = default_rng(3)
    for draw in (rng._draw_floats, rng._draw_integers, *rng._draws_for(cuarray.device("cpu"))):
        assert rng.bit_generator in draw.__self__


def test_parameters_go_to_one_device(device):
    here, there = cuarray.ones(2), cuarray.ones(2, device="cpu")
    for x in (here, there):
        for other in ([1.0, 2.0], np.ones(2), cuarray.asarray(1.0, device="cpu")):
            for rng in (default_rng(3), default_rng(3, "cpu")):
                assert rng.normal(x, other).device == rng.lognormal(other, x).device == x.device
    if here.device != there.device:
        for call in (lambda rng: rng.normal(here, there), lambda rng: rng.lognormal(there, here)):
            rng = default_rng(3)
            with pytest.raises(ValueError, match="move one"):
                call(rng)
            assert state(rng) == state(numpys(3))


def test_results_at_the_ends(device):
    rng = default_rng(3)
    for mean, scale in (
        (1.0, 1e-17),
        (1e154, 1e154),
        (1e155, 1.0),
        (1e308, 1.5),
        (1.5, 1e308),
        (1.5, 5e-324),
        (1e-300, 1.0),
    ):
        x = rng.wald(mean, scale, 10_000).numpy()
        assert (x >= 0).all(), (mean, scale)
    assert rng.geometric(1e-300, 3).tolist() == [2**63 - 1] * 3
    assert rng.poisson(1e-300, 100).max() == 0
    assert rng.poisson(1e12, 1000).numpy().std() < 2e6
    for p in (1.5, -0.5, math.nan):
        with pytest.raises(ValueError):
            rng.geometric(p)
    with pytest.raises(TypeError):
        rng.integers(5, dtype=None)
    turned = cuarray.zeros((2, 3)).T
    default_rng(3).standard_gamma(2.0, out=turned)
    assert (turned == default_rng(3).standard_gamma(2.0, (3, 2))).all()


@pytest.mark.parametrize("name", METHODS)
def test_wrong_parameters_raise_as_numpys(name, device):
    rng, theirs = default_rng(3), numpys(3)
    count = len(METHODS[name][0])
    numbers = [-1.0, -0.0, 0.0, 0.5, 2.0, np.inf, np.nan, 3]
    for values in itertools.product(numbers, repeat=count):
        try:
            with np.errstate(all="ignore"):
                getattr(theirs, name)(*values, size=2)
            kind = None
        except (ValueError, OverflowError) as error:
            kind = type(error)
        before = state(rng)
        for ways in (values, [np.float64(v) for v in values], [cuarray.asarray([v, v]) for v in values]):
            if kind is None:
                assert getattr(rng, name)(*ways, size=2).shape == (2,), (name, values)
                before = state(rng)
            elif count:
                with pytest.raises(kind, match=f"^{name}: "):
                    getattr(rng, name)(*ways, size=2)
                assert state(rng) == before, (name, values)
    if count:
        with pytest.raises(TypeError):
            getattr(rng, name)(*["a"] * count)
        with pytest.raises(TypeError, match="real"):
            getattr(rng, name)(*[cuarray.asarray([1j])] * count)
        with pytest.raises(ValueError, match=f"^{name}: .*do not fit 2"):
            getattr(rng, name)(*[cuarray.asarray([1.0, 1.5, 2.0])] + [cuarray.asarray(4.0)] * (count - 1), size=2)


def test_wrong_ranges_raise_as_numpys(device):
    rng, theirs = default_rng(3), numpys(3)
    for call in (
        lambda g: g.integers(3, 3),
        lambda g: g.integers(0),
        lambda g: g.integers(5, 2),
        lambda g: g.integers(-1, 5, dtype="u1"),
        lambda g: g.integers(0, 257, dtype="u1"),
        lambda g: g.integers(0, 2**63 + 1),
        lambda g: g.integers(2**70),
        lambda g: g.integers(0, 5, dtype="f4"),
        lambda g: g.integers(0, 5, size=-1),
    ):
        with pytest.raises(Exception) as raised:
            call(theirs)
        before = state(rng)
        with pytest.raises(raised.type):
            call(rng)
        assert state(rng) == before
    for same in (
        lambda g: g.integers(np.int64(0), np.uint8(8), 5),
        lambda g: g.integers(8.0, size=5),
        lambda g: g.integers(0, 7, 5, endpoint=1),
        lambda g: g.integers([0], [8], 3),
    ):
        assert (same(rng).numpy() == same(numpys(3))).all() or same is not None
        assert same(default_rng(4)).max() < 8


def test_ranges_of_one_number_draw_nothing(device):
    rng, theirs = default_rng(3), numpys(3)
    for dtype in INTEGERS:
        for end in limits(dtype):
            drawn = rng.integers(end, end, (2, 3), dtype, endpoint=True)
            assert drawn.dtype == dtype and (drawn.numpy() == end).all()
    assert state(rng) == state(theirs)


# Distributions


def assert_distribution(x, function, name):
    """Kolmogorov and Smirnov's test, at a probability of 1e-5."""
    x = np.sort(x.astype(float))
    n = len(x)
    expected = function(x)
    distance = max((np.arange(1, n + 1) / n - expected).max(), (expected - np.arange(n) / n).max())
    assert distance * math.sqrt(n) < 2.48, (name, distance * math.sqrt(n))


def test_distributions(full):
    n = 1_000_000 if full else 100_000
    rng = default_rng(2026, "cpu")
    for name, (parameters, function) in METHODS.items():
        assert_distribution(getattr(rng, name)(*parameters, size=n).numpy(), function, name)
    for (name, function), dtype in itertools.product(STANDARD.items(), ("f8", "f4")):
        x = getattr(rng, name)(n, dtype=dtype).numpy()
        assert_distribution(x, function, f"{name} {dtype}")
        # Neighbours, and those of a pair or of a block, are not correlated.
        for lag in (1, 2, 3, 4, 8):
            assert abs(np.corrcoef(x[:-lag].astype(float), x[lag:].astype(float))[0, 1]) * math.sqrt(n) < 4.5, name
        assert len(np.unique(x)) > (0.999 if dtype == "f8" else 0.9) * n, name


def assert_same_distribution(x, y, what):
    """Kolmogorov and Smirnov's test of two samples, at a probability of 1e-5."""
    assert x.dtype == y.dtype
    x, y = np.sort(x), np.sort(y)
    both = np.concatenate([x, y])
    distance = abs(np.searchsorted(x, both, "right") - np.searchsorted(y, both, "right")).max() / len(x)
    assert distance * math.sqrt(len(x) / 2) < 2.48, (what, distance * math.sqrt(len(x) / 2))


@pytest.mark.parametrize("name", OTHERS)
def test_distributions_are_numpys(name, full):
    n = 1_000_000 if full else 50_000
    ours, theirs = default_rng(2026, "cpu"), np.random.default_rng(2026)
    for parameters in OTHERS[name]:
        y = getattr(theirs, name)(*parameters, size=n)
        assert_same_distribution(getattr(ours, name)(*parameters, size=n).numpy(), y, parameters)
        arrays = [np.full(n, p) for p in parameters]
        assert_same_distribution(getattr(ours, name)(*arrays).numpy(), y, f"{parameters} in arrays")
        single = getattr(ours, name)(*parameters)
        assert single.shape == () and _core.is_value(single) and single.dtype == y.dtype
        singles = np.array([getattr(ours, name)(*parameters) for _ in range(2000)])
        assert_same_distribution(singles, y[:2000].copy(), f"{parameters} one by one")
    if name == "standard_gamma":
        x = ours.standard_gamma(2.0, n, "f4").numpy().astype(float)
        assert_distribution(x, lambda x: 1 - np.exp(-x) * (1 + x), "standard_gamma f4")
        x = ours.standard_gamma(np.full(n, 2.0), dtype="f4").numpy()
        assert x.dtype == np.float32
        assert_distribution(x.astype(float), lambda x: 1 - np.exp(-x) * (1 + x), "standard_gamma f4 in arrays")


def test_numbers_that_numpy_draws_with_errors():
    n, rng = 200_000, default_rng(3, "cpu")
    for x in (rng.zipf(1 + 1e-15, n), rng.zipf(np.full(n, 1 + 1e-15))):
        for k in (1, 2, 5, 100, 10_000):
            share = (1 / np.arange(1, k + 1)).sum() / (np.log(2.0**63) + np.euler_gamma)
            assert abs((x <= k).mean() - share) < 4.5 * math.sqrt(share / n)
    for x in (rng.poisson(9e17, n), rng.poisson(np.full(n, 9e17))):
        away = (x.numpy() - 9 * 10**17).astype(float) / 3e8 / math.sqrt(10)
        assert abs(away.mean()) < 0.01 and abs(away.std() - 1) < 0.01
    with pytest.raises(ValueError):
        rng.poisson(9.3e18)


@pytest.mark.parametrize("name", ROWS)
def test_rows_are_distributed_as_numpys(name, full):
    n = 300_000 if full else 30_000
    ours, theirs = default_rng(2026, "cpu"), np.random.default_rng(2026)
    for parameters in ROWS[name]:
        x, y = getattr(ours, name)(*parameters, size=n).numpy(), getattr(theirs, name)(*parameters, size=n)
        assert x.shape == y.shape
        for k in range(x.shape[-1]):
            assert_same_distribution(x[:, k], y[:, k], (parameters, k))
        weights = np.arange(1, x.shape[-1] + 1) ** 1.5
        assert_same_distribution(x @ weights, y @ weights, (parameters, "together"))
        if "normal" not in name:
            np.testing.assert_allclose(x.sum(-1), y.sum(-1), rtol=1e-12)
        for size in (None, 0, 5, (2, 3)):
            a, b = (getattr(rng, name)(*parameters, size=size) for rng in (ours, theirs))
            assert a.shape == b.shape and a.dtype == b.dtype


def test_the_older_interface_draws_the_same():
    for name, ways in (OTHERS | ROWS).items():
        if hasattr(cuarray.random.RandomState, name):
            new = getattr(default_rng(3), name)(*ways[0], size=4)
            assert getattr(cuarray.random.RandomState(3), name)(*ways[0], size=4).tolist() == new.tolist(), name
            cuarray.random.seed(3)
            assert getattr(cuarray.random, name)(*ways[0], size=4).tolist() == new.tolist(), name


def test_rows_of_arrays_of_parameters(device):
    rng = default_rng(3)
    n, pvals = np.array([[5], [1000]]), np.array([[0.2, 0.3, 0.5], [0.0, 0.0, 1.0], [0.7, 0.3, 0.0]])
    x = rng.multinomial(n, pvals)
    assert x.shape == (2, 3, 3) and (x.sum(-1).numpy() == n).all() and x.device == cuarray.device()
    assert (x.numpy()[:, 1] == n * [0, 0, 1]).all() and (x.numpy()[:, 2, 2] == 0).all()
    pairs = np.array([[0.2, 0.3, 0.5], [0.6, 0.3, 0.1]])
    mean = rng.multinomial(50, pairs, size=(4000, 2)).mean(0).numpy()
    assert (abs(mean - 50 * pairs) < 5 * np.sqrt(50 * pairs * (1 - pairs) / 4000)).all()
    x = rng.multinomial(n, pvals, size=(4, 2, 3))
    assert x.shape == (4, 2, 3, 3) and (x.sum(-1).numpy() == n).all()
    for call in (
        lambda rng: rng.multinomial(n, pvals, size=(4,)),
        lambda rng: rng.multinomial(5, [0.7, 0.7, 0.0]),
        lambda rng: rng.multinomial(-1, [0.5, 0.5]),
        lambda rng: rng.dirichlet([1.0, -1.0]),
        lambda rng: rng.multivariate_hypergeometric([1, 2], 4),
        lambda rng: rng.multivariate_normal([1.0, 2.0], [[1.0]]),
        lambda rng: rng.multivariate_normal([1.0, 2.0], [[1.0, 3.0], [3.0, 1.0]], check_valid="raise"),
    ):
        with pytest.raises(ValueError):
            call(numpys())
        with pytest.raises(ValueError):
            call(rng)
    with pytest.warns(RuntimeWarning, match="positive"):
        rng.multivariate_normal([1.0, 2.0], [[1.0, 3.0], [3.0, 1.0]])
    for method in ("svd", "eigh", "cholesky"):
        x = rng.multivariate_normal([1.0, 2.0], [[2.0, 1.0], [1.0, 3.0]], 30_000, method=method).numpy()
        np.testing.assert_allclose(np.cov(x.T), [[2, 1], [1, 3]], atol=0.15)


#: Calls whose parameters P are lists, arrays of NumPy, or arrays of any device.
PLACES = """
multinomial(20, P([0.2, 0.3, 0.5])) | multinomial(P(20), P([0.2, 0.3, 0.5]), size=3) | multinomial(P([[3], [7]]), P([[0.2, 0.8], [1.0, 0.0]]))
multinomial(P([20, 30]), P([0.2, 0.3, 0.5]), size=(4, 2)) | multinomial(P([5]), P([0.7, 0.7, 0.0])) | multinomial(P(-5), P([0.7, 0.3])) | multinomial(5, P(0.5))
multinomial(5, P([0.5, np.nan, 0.1])) | multinomial(5, P([0.5, 0.6, -0.1])) | multinomial(P([1, 2]), P([0.5, 0.5]), size=3) | multinomial(5, P([]))
dirichlet(P([1.0, 2, 3]), 2) | dirichlet(P([1.0, 1, 1])) | dirichlet(P([0.01, 0.02, 0.03]), 3) | dirichlet(P([0.01, 0, 0.03, 0]), 3) | dirichlet(P([0.0, 0]), 3)
dirichlet(P([1e-300, 1e-200, 5e-324]), 3) | dirichlet(P([0.05]), 3) | dirichlet(P([np.inf, 2])) | dirichlet(P([np.nan, 2])) | dirichlet(P([-1.0, 2]))
dirichlet(P([]), (2,)) | dirichlet(P([[1.0]])) | dirichlet(P(1.0)) | dirichlet(P([2, 3]), 0)
multivariate_hypergeometric(P([5, 6, 7]), 4) | multivariate_hypergeometric(P([5, 6, 7]), P(4), (2, 3)) | multivariate_hypergeometric(P([5, -6, 7]), 4)
multivariate_hypergeometric(P([5, 6, 7]), 40) | multivariate_hypergeometric(P([5, 6]), -1) | multivariate_hypergeometric(P([]), 0) | multivariate_hypergeometric(P([[1]]), 1)
multivariate_normal(P([1.0, 2]), P([[2.0, 0.5], [0.5, 1]]), 3, method="cholesky") | multivariate_normal(P([1.0, 2, 3]), P([[1.0, 3], [3, 1]]), 3)
multivariate_normal(P([1.0, -1, 0]), P([[2, 0.5, 0], [0.5, 1, 0.3], [0, 0.3, 0.5]]), 2).round(9) | multivariate_normal(P([1.0, 2]), P([[2, 0.5], [0.5, 2]]), method="eigh").round(9)
multivariate_normal(P([1.0, 2]), P([[1.0, 3], [3, 1]]), check_valid="raise") | multivariate_normal(P([[1.0]]), P([[1.0]]))
integers(P([0, 5]), P([[10], [2**62]])) | integers(P([1, 5]), size=(3, 2), dtype="i1") | integers(P([1, 5]), endpoint=True, dtype="u8") | integers(P([0]), 2, dtype=bool, size=9)
integers(-(2**63), P([2**63 - 1]), endpoint=True, size=4) | integers(P([0, 5]), P([3, 5])) | integers(P([0, 5]), 300, dtype="i1") | integers(P([-200, 5]), 3, dtype="i1")
integers(P([0.5, 1]), 3) | integers(P([np.nan, 1]), 3) | integers(P([0, 5]), 6, size=3) | integers(P([]), 6) | integers(P([4, 5]), P([4, 5]), endpoint=True) | integers(-1, P([5]), dtype="u2")
choice(3, 5, p=P([0.2, 0.3, 0.5])) | choice(3, p=P([0.2, 0.3, 0.5])) | choice(P([5, 6, 7]), (2, 2), p=P([0.2, 0.3, 0.5])) | choice(P([[5, 6, 7]]), 4, p=P([0.2, 0.3, 0.5]), axis=1)
choice(P([5.0, 6, 7]), p=P([0.2, 0.3, 0.5])) | choice(3, 2, False, P([0.2, 0.3, 0.5])) | choice(P([5, 6, 7]), (3, 1), False, P([0.2, 0.3, 0.5])) | choice(3, 0, p=P([0.2, 0.3, 0.5]))
choice(3, 4, False, P([0.2, 0.3, 0.5])) | choice(3, 2, False, P([1.0, 0, 0])) | choice(3, p=P([0.2, 0.8])) | choice(3, p=P([0.2, 0.9, -0.1])) | choice(3, p=P([0.2, 0.9, np.nan]))
choice(3, p=P([0.2, 0.3, 0.6])) | choice(2, p=P([[0.5, 0.5]])) | choice(P([]), 2) | choice(P([]), 0) | choice(P([5, 6]), 3, p=P([1e-9, 1.0]))
"""


@pytest.mark.parametrize("call", [call for line in PLACES.strip().splitlines() for call in line.split(" | ")])
def test_parameters_of_every_place(call, device):
    """The same numbers and errors for lists and for arrays of any place, and errors where NumPy raises."""

    def drawn(place, convert):
        with cuarray.device(place), np.errstate(invalid="ignore"):
            rng = default_rng(3)
            try:
                x = eval(f"rng.{call}", {"rng": rng, "np": np, "P": convert})
            except (TypeError, ValueError) as error:
                return type(error).__name__, str(error)
            assert x.device == cuarray.device(place)
            return repr(x.tolist()), x.dtype, x.shape, _core.is_value(x), rng.random().item()

    expected = drawn("cpu", list_of)
    if "multivariate_normal" in call and "cholesky" in call:  # products and roots of libraries
        expected = None
    for place, convert in [
        ("cpu", np.asarray),
        ("cpu", lambda x: cuarray.asarray(x, device="cpu")),
        (device, list_of),
        (device, cuarray.asarray),
    ]:
        found = drawn(place, convert)
        assert expected is None or found == expected
    try:
        eval(f"rng.{call}", {"rng": numpys(), "np": np, "P": np.asarray})
    except (TypeError, ValueError):
        assert len(found) == 2 and found[1].startswith(call[: call.index("(")])
    else:
        assert len(found) == 5, found


def list_of(x):
    return x


#: F and N are arrays without axes: elements, or sums.
NUMBERS = """
binomial(5, F, size=3) | integers(N) | integers(N, [10, 20]) | integers(0, size=0) | beta(F, 2.0) | poisson(F, N) | geometric(F) | standard_t(F) | f(F, 2)
negative_binomial(N, F) | triangular(0, F, 1) | noncentral_chisquare(N, F) | normal(F, F) | gamma(F) | standard_gamma(F) | standard_gamma(F, N, "f4") | exponential(F, 3)
uniform(F, N) | wald(F, N) | hypergeometric(N, N, N) | vonmises(F, F) | zipf(N) | lognormal(F, F, size=(N,)).round(12) | binomial(N, A([F, F])) | binomial([N, N], 0.5)
choice(N) | choice(N, 3) | choice(5, size=N) | choice(5, N, replace=False) | choice(5, N, p=[0.2] * 5) | choice(2, p=[F, 1 - F]) | permutation(N) | random(N) | random((N, 2))
multinomial(N, [F, 1 - F], size=N) | dirichlet([F, F], N) | multivariate_hypergeometric([N, 2, N], N, N) | beta([F, F], 1) | multivariate_normal([F, F], [[F, 0], [0, 2 * F]]).round(9) | standard_normal((N, 2)) | standard_exponential(N)
"""


@pytest.mark.parametrize("call", [call for line in NUMBERS.strip().splitlines() for call in line.split(" | ")])
def test_arrays_without_axes_are_numbers(call, device):
    """Of every place: the same numbers and state as of Python's numbers, in a shape of NumPy's."""

    def drawn(rng, array):
        f, n = (array([0.2, 0.6])[0], array([3, 5]).max()) if array else (0.2, 5)
        x = eval(f"rng.{call}", {"rng": rng, "F": f, "N": n, "A": array or cuarray.asarray})
        return x.tolist(), x.shape, rng.random().item()

    expected = drawn(default_rng(3), None)
    assert drawn(default_rng(3), cuarray.asarray) == expected
    with cuarray.device("cpu"):
        assert drawn(default_rng(3), cuarray.asarray) == expected
    names = {"rng": numpys(), "F": np.float64(0.2), "N": np.int64(5), "A": np.asarray}
    assert np.shape(eval(f"rng.{call}", names)) == expected[1]


def test_seeds_that_were_drawn(device):
    n = cuarray.arange(6).max()
    assert (
        default_rng(n).random() == default_rng(5).random()
        and default_rng([n, 1]).random() == default_rng([5, 1]).random()
    )
    assert cuarray.random.RandomState(n).rand() == default_rng(5).random()
    cuarray.random.seed(n)
    assert cuarray.random.rand() == default_rng(5).random()
    assert default_rng(default_rng(1).integers(2**31)).random().shape == ()


def test_arrays_of_ranges(device):
    n = 30_000
    rng = default_rng(2026)
    for count in (2, 3, 7, 1000, 2**32, 3 * 2**61, 2**63 + 1, 2**64 - 1):
        for low in (0, -(2**63)):
            if low + count > 2**63:
                continue
            x = rng.integers(cuarray.full(n, low), cuarray.full(n, low + count - 1), endpoint=True).numpy()
            share = (x.view(np.uint64) - np.uint64(low % 2**64)) / count
            assert (x >= low).all() and (share <= 1).all()
            counts = np.histogram(share, min(count, 8), (0, 1))[0]
            assert (abs(counts - n / len(counts)) < 5 * math.sqrt(n / len(counts))).all(), count
            if count % 3 == 0:  # neighbours, which products prefer where none is rejected
                assert (abs(np.bincount(x % 3) - n / 3) < 5 * math.sqrt(n / 3)).all(), count
    x = rng.integers(cuarray.zeros(n, "u8"), cuarray.full(n, 2**64 - 1, "u8"), dtype="u8", endpoint=True).numpy()
    assert abs((x >> np.uint64(63)).mean() - 0.5) < 0.02
    for dtype in INTEGERS:
        least, most = limits(dtype)
        x = rng.integers(least, cuarray.full(50, most), dtype=dtype, endpoint=True)
        assert x.dtype == np.dtype(dtype)


def test_orders_are_equally_frequent(device):
    """All 24 orders of four entries, by every method that draws one; rows have orders of their own."""
    rng, n = default_rng(5), 2400

    def assert_uniform(orders):
        counts = np.unique(np.asarray(orders) @ [64, 16, 4, 1], return_counts=True)[1]
        assert len(counts) == 24 and ((counts - n / 24) ** 2 / (n / 24)).sum() < 60  # 23 degrees of freedom: 3e-5

    rows = cuarray.broadcast_to(cuarray.arange(4), (n, 4))
    assert_uniform(rng.permuted(rows, axis=1).numpy())
    assert_uniform(rng.permuted(rows.T, axis=0).numpy().T)
    ways = [
        lambda: rng.permutation(4),
        lambda: rng.permutation(cuarray.arange(4)),
        lambda: rng.choice(4, 4, replace=False),
        lambda: rng.permuted(cuarray.arange(4).reshape(2, 2)).reshape(4),
        lambda: (x := cuarray.arange(4), rng.shuffle(x))[0],
        lambda: (x := cuarray.arange(8).reshape(4, 2), rng.shuffle(x))[0][:, 0] // 2,
    ]
    for way in ways:
        assert_uniform([way().tolist() for _ in range(n)])


def test_orders_of_every_size(device):
    for n in (0, 1, 2, 17, 1000, 100_000):
        here, there = default_rng(n), default_rng(n, "cpu")
        x = here.permutation(n)
        assert x.device == cuarray.device() and x.dtype == np.int64
        assert x.tolist() == there.permutation(n).tolist() and sorted(x.tolist()) == list(range(n))
        assert (np.sort(here.permutation(cuarray.ones((n, 2)) * x[:, None])[:, 0].numpy()) == np.arange(n)).all()
    for n, count in [(10, 3), (1001, 1000), (1001, 10), (10**6, 3), (5, 5), (5, 0)]:
        here, there = default_rng(n), default_rng(n, "cpu")
        x = here.choice(n, count, replace=False)
        assert x.tolist() == there.choice(n, count, replace=False).tolist() and len(set(x.tolist())) == count
        x = here.choice(n, (count, 2))
        assert x.tolist() == there.choice(n, (count, 2)).tolist() and x.shape == (count, 2)
        assert here.choice(cuarray.arange(n) * 2, replace=False).item() % 2 == 0
    x = default_rng(3).choice(7, 70_000).numpy()
    assert (abs(np.bincount(x, minlength=7) - 10_000) < 500).all()


def test_samples_without_replacement_by_probabilities(device):
    rng, n = default_rng(11), 2000
    p = np.array([0.1, 0.5, 0.0, 0.4])
    first = np.bincount([rng.choice(4, 3, False, cuarray.asarray(p))[0].item() for _ in range(n)], minlength=4)
    assert first[2] == 0 and (abs(first - n * p) <= 5 * np.sqrt(n * p)).all()
    second = np.array([rng.choice(4, 2, False, p).tolist() for _ in range(n)])
    assert (second[:, 0] != second[:, 1]).all()
    share = 0.1 * 0.5 / 0.9 + 0.5 * 0.1 / 0.5
    assert abs((second.sum(1) == 1).mean() - share) < 5 * math.sqrt(share / n)


#: Numbers that parameters may be.
ENDS = [-1.0, -0.0, 0.0, 0.05, 0.5, 1.0, 2.0, np.inf, np.nan]


@pytest.mark.parametrize("name", OTHERS)
def test_ends_of_parameters_are_numpys(name, device):
    """Arrays and numbers raise where NumPy does, and take nothing from the sequence then."""
    counts = {"binomial": 1, "hypergeometric": 3}.get(name, 0)
    first = OTHERS[name][0]
    choices = [[-1, 0, 1, 5] if k < counts else ENDS for k in range(len(first))]
    for values in itertools.product(*choices):
        arrays = [np.asarray([v, v]) for v in values]
        try:
            with np.errstate(all="ignore"):
                expected = getattr(numpys(3), name)(*arrays)
        except ValueError:
            for ways in (values, arrays, [np.asarray(v)[()] for v in values], [cuarray.asarray(x) for x in arrays]):
                ours = default_rng(3)
                with pytest.raises(ValueError):
                    getattr(ours, name)(*ways)
                assert state(ours) == state(numpys(3))
            continue
        with np.errstate(all="ignore"):
            x = getattr(default_rng(3), name)(*arrays)
            assert x.dtype == expected.dtype and x.shape == (2,) and x.device == cuarray.device()
            assert (np.isnan(x.numpy()) == np.isnan(expected)).all(), values
            a, b = default_rng(3), default_rng(3)
            x, y = getattr(a, name)(*values, size=5), getattr(b, name)(*[np.asarray(v)[()] for v in values], size=5)
            np.testing.assert_array_equal(x.numpy(), y.numpy())


@pytest.mark.parametrize("name", OTHERS)
def test_arrays_of_parameters(name, device):
    """Shapes broadcast, layouts do not matter, and results are where the parameters are."""
    ways = OTHERS[name][:2]
    columns = [np.array(x) for x in zip(*ways, strict=True)]
    parameters = [x[:, None] if k else x[None, :] for k, x in enumerate(columns)]
    shape = np.broadcast_shapes(*[x.shape for x in parameters])
    there = [cuarray.asarray(x) for x in parameters]
    wanted = getattr(default_rng(5, "cpu"), name)(*parameters, size=(3, *shape)).numpy()
    for given in (parameters, there, [there[0], *parameters[1:]], [np.repeat(x, 2, -1)[..., ::2] for x in parameters]):
        rng = default_rng(5)
        x = getattr(rng, name)(*given, size=(3, *shape))
        assert x.device == cuarray.device() and x.shape == wanted.shape
        np.testing.assert_array_equal(x.numpy(), wanted)
        assert getattr(rng, name)(*given).shape == shape
        with pytest.raises(ValueError):
            getattr(rng, name)(*given, size=(7,))
        assert getattr(rng, name)(*given, size=(0, *shape)).shape == (0, *shape)
    for bad in ("x", None, 1j, [1j], object()):
        with pytest.raises((TypeError, ValueError)):
            getattr(default_rng(5), name)(bad, *parameters[1:])


def test_arrays_that_do_not_fit_are_refused_below_python(device):
    rng = default_rng(5)
    draw, row = rng._draws[2], _core.random_draws["poisson_each"]
    for wrong in (cuarray.ones(3), cuarray.ones(4, "f4"), cuarray.ones((2, 3))):
        with pytest.raises(ValueError, match="poisson: parameter 0 must be float64, of the size and the device"):
            draw(row, "poisson", "int64", 4, wrong)
    assert draw(row, "poisson", "int64", 4, cuarray.ones(4)).shape == (4,)


def test_parameters_of_every_element(device):
    """Beyond the tiles, packs and threads of the loops."""
    n = 1000
    means = np.arange(n) * 1000.0
    x = default_rng(5).poisson(means).numpy()
    assert (abs(x - means) <= 7 * np.sqrt(means)).all()
    x = default_rng(5).gamma(means + 1e4, 2.0).numpy()
    assert (abs(x / (means + 1e4) - 2) < 0.15).all()
    x = default_rng(5).geometric(np.where(means < 5e5, 1.0, 1e-12)).numpy()
    assert (x[:500] == 1).all() and (x[501:] > 1e5).all()


def test_standard_gamma_into_out(device):
    shapes = cuarray.asarray([0.5, 2.0, 9.0])
    for dtype in ("f8", "f4"):
        out = cuarray.empty((2, 3), dtype=dtype)
        assert default_rng(5).standard_gamma(shapes, out=out, dtype=dtype) is out
        np.testing.assert_array_equal(out.numpy(), default_rng(5).standard_gamma(shapes, (2, 3), dtype).numpy())
        with pytest.raises(ValueError):
            default_rng(5).standard_gamma(shapes, out=cuarray.empty(2, dtype=dtype), dtype=dtype)


def test_parameters_at_the_ends(full):
    n = 200_000 if full else 50_000
    rng = default_rng(11, "cpu")
    for a in (0.05, 0.5, 1.0, 30.0, 1e6):
        assert_distribution(rng.weibull(a, n).numpy(), lambda x, a=a: -np.expm1(-(x**a)), f"weibull {a}")
        assert_distribution(rng.power(a, n).numpy(), lambda x, a=a: x**a, f"power {a}")
        with np.errstate(over="ignore"):
            x = rng.pareto(a, n).numpy()
        assert_distribution(x, lambda x, a=a: -np.expm1(-a * np.log1p(x)), f"pareto {a}")
    assert (rng.weibull(0.0, 5) == 0).all() and (rng.normal(3.0, 0.0, 5) == 3).all()
    assert rng.lognormal(800.0, 1.0, 5).numpy().tolist() == [np.inf] * 5
    assert rng.lognormal(-800.0, 1.0, 5).numpy().tolist() == [0.0] * 5
    tiny = rng.lognormal(-740.0, 1.0, 100).numpy()  # subnormal
    assert ((tiny > 0) & (tiny < 1e-318)).all()


def test_tails():
    n = 4_000_000
    rng = default_rng(5, "cpu")
    for dtype in ("f8", "f4"):
        x = np.abs(rng.standard_normal(n, dtype).numpy())
        assert x.max() < (8.6 if dtype == "f8" else 6.7)
        for bound in (3.0, 4.0, 4.5):
            expected = n * math.erfc(bound / SQRT2)
            assert abs((x > bound).sum() - expected) < 5 * math.sqrt(expected), (dtype, bound)
        y = rng.standard_exponential(n, dtype).numpy()
        assert y.max() < (37 if dtype == "f8" else 23) and y.min() >= 0
        for bound in (5.0, 10.0):
            expected = n * math.exp(-bound)
            assert abs((y > bound).sum() - expected) < 5 * math.sqrt(expected), (dtype, bound)


@pytest.mark.parametrize("dtype", INTEGERS)
def test_integers_are_equally_frequent(dtype):
    """Chi-square over at most 64 equal parts of each range; 3/4 of some types make the most rejections."""
    n = 200_000
    rng = default_rng(17, "cpu")
    least, most = limits(dtype)
    ranges = {2, 3, 7, 100, 3 * 2**5, 3 * 2**13, 2**24 - 1, 2**24 + 1, 3 * 2**29, 3 * 2**30 + 3, 3 * 2**61, 3 * 2**62}
    for range_ in sorted(r for r in ranges if r <= most - least + 1):
        x = rng.integers(least, least + range_ - 1, n, dtype, endpoint=True).numpy()
        if range_ % 3 == 0:  # of four numbers that become three, two become the first
            thirds = np.bincount([(int(v) - least) % 3 for v in x[:50_000]], minlength=3)
            assert abs(thirds - 50_000 / 3).max() < 600, range_
        offsets = [int(v) - least for v in (x.min(), x.max())]
        assert offsets[0] >= 0 and offsets[1] < range_
        parts = min(range_, 64)
        part = (
            np.array([(int(v) - least) * parts // range_ for v in x[:50_000]])
            if range_ > 2**24
            else ((x.astype("i8") - least) * parts // range_)
        )
        counts = np.bincount(part, minlength=parts)
        sizes = (
            np.bincount([k * parts // range_ for k in range(range_)], minlength=parts) / range_
            if range_ < 10**4
            else (np.full(parts, 1 / parts))
        )
        expected = len(part) * sizes
        chi = ((counts - expected) ** 2 / expected).sum()
        assert chi < (parts - 1) + 6 * math.sqrt(2 * (parts - 1)) + 10, (range_, chi)


def test_no_number_is_drawn_twice():
    """Calls of a few numbers each, of types that share words and blocks."""
    rng = default_rng(23, "cpu")
    seen = []
    for step in range(3000):
        kind = step % 5
        if kind == 0:
            seen += rng.standard_normal(1 + step % 7).tolist()
        elif kind == 1:
            seen += rng.random(1 + step % 5).tolist()
        elif kind == 2:
            seen += rng.standard_exponential(1 + step % 3).tolist()
        elif kind == 3:
            seen += rng.integers(3 * 2**62, size=1 + step % 9, dtype="u8").tolist()
        else:
            rng.integers(10, size=step % 4, dtype="i4")  # leaves half a word
    assert len(seen) == len(set(seen))
    # Rejected numbers, with a 32-bit number carried over and without.
    seen = []
    for _ in range(400):
        seen += rng.integers(3 * 2**62, size=5, dtype="u8").tolist()
        rng.random(1, "f4")
    assert len(seen) == len(set(seen)) == 2000


def test_streams_are_independent():
    n = 100_000
    rngs = [default_rng(s, "cpu") for s in (1, 2)]
    rngs += default_rng(1, "cpu").spawn(2) + [Generator(np.random.Philox(1).jumped(k), "cpu") for k in (1, 2)]
    numbers = np.array([rng.standard_normal(n).numpy() for rng in rngs])
    assert len(np.unique(numbers)) == numbers.size
    correlation = np.corrcoef(numbers) - np.eye(len(rngs))
    assert abs(correlation).max() * math.sqrt(n) < 4.5


# The state


def test_own_draws_begin_at_a_block_and_take_whole_groups():
    rng = default_rng(1, "cpu")
    rng.random(3)
    x = rng.standard_normal(3)
    there = rng.bit_generator.state
    assert there["state"]["counter"][0] == 2 and there["buffer_pos"] == 4
    again = default_rng(1, "cpu")
    again.random(4)
    assert (again.standard_normal(4)[:3] == x).all()
    rng.random(1, "f4")
    carried = rng.bit_generator.state
    assert carried["has_uint32"] == 1
    rng.standard_normal(2)
    assert rng.bit_generator.state["has_uint32"] == 1  # NumPy's next 32-bit number waits


def test_another_layout_of_the_state_is_refused(monkeypatch):
    monkeypatch.setattr(_core, "read_philox", lambda capsule: None)
    check_layout.cache_clear()
    try:
        with pytest.raises(RuntimeError, match=r"PCG64\(\)\)$"):
            default_rng(1)
        assert Generator(np.random.PCG64(1)).random().shape == ()
    finally:
        monkeypatch.undo()
        check_layout.cache_clear()
        check_layout()


def test_parameters_that_are_elements(device):
    """Elements of ours and of NumPy's are the numbers that they hold."""
    kinds = [lambda v: cuarray.asarray([v], device="cpu")[0], lambda v: np.asarray([v])[0]]
    for name, parameters in (
        ("normal", (2.5, 1)), ("poisson", (3,)), ("binomial", (4, 0.5)), ("exponential", (2.0,)), ("gamma", (2.0, 3)),
        ("geometric", (0.5,)), ("hypergeometric", (5, 6, 7)), ("vonmises", (1.0, 2.0)), ("standard_gamma", (2,)),
    ):  # fmt: skip
        want = getattr(default_rng(3), name)(*parameters, size=5)
        for kind in kinds:
            got = getattr(default_rng(3), name)(*map(kind, parameters), size=5)
            np.testing.assert_array_equal(got.numpy(), want.numpy(), name)
    for wrong in (2**63 - 1, 2**62 + 1, -(2**63)):
        element = cuarray.asarray(wrong, device="cpu")[...]
        assert default_rng(3).normal(element[()], 1).item() == default_rng(3).normal(float(wrong), 1).item()
    with pytest.raises(ValueError):
        default_rng(3).exponential(cuarray.asarray([-1.0])[0])
