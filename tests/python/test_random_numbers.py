"""The numbers of Philox: NumPy's where promised, the same everywhere, in their distributions, and none of them twice."""

import hashlib
import itertools
import math
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import peers
import pytest
from layouts import LAYOUTS
from random_cases import INTEGERS, METHODS, OTHERS, ROWS, SQRT2, STANDARD, limits, numpys, philox, state

import cuarray
from cuarray import _core
from cuarray._random.philox import check_layout
from cuarray.random import Generator, Philox

# NumPy's numbers


def powers(dtype):
    """Ranges of a power of two, which reach the ends of the type."""
    least, most = limits(dtype)
    return [(least, least + 2**k - 1) for k in range(65) if least + 2**k - 1 <= most] + [(most, most), (least, most)]


def test_numbers_are_numpys(device):
    ours, theirs = philox(5), numpys(5)
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
        ours, theirs = philox(1), numpys(1)
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
    here, there = philox(7), philox(7, "cpu")
    for (name, a), (_, b) in zip(draws(here, n), draws(there, n), strict=True):
        assert a.device == cuarray.device() and b.device == cuarray.device("cpu")
        assert a.dtype == b.dtype and state(here) == state(there), name
        if name.startswith("multivariate_normal") and not peers.is_simulated():  # a product by the vendor's library
            np.testing.assert_allclose(a.numpy(), b.numpy(), rtol=1e-13, atol=1e-13, err_msg=name)
        else:
            assert a.numpy().tobytes() == b.numpy().tobytes(), name


DIGESTS = """
import hashlib, sys
sys.path.insert(0, sys.argv[1])
import cuarray, test_random_numbers as t
for n in map(int, sys.argv[2:]):
    for name, x in t.draws(t.philox(7, "cpu"), n):
        print(n, name, hashlib.sha256(x.numpy().tobytes()).hexdigest())
"""


def test_threads_and_instruction_sets_do_not_matter(every):
    sizes = (1001, 300_000 if every else 70_000)
    here = [
        f"{n} {name} {hashlib.sha256(x.numpy().tobytes()).hexdigest()}"
        for n in sizes
        for name, x in draws(philox(7, "cpu"), n)
    ]
    ways = [{"CUARRAY_CPU_LEVEL": "base", "CUARRAY_NUM_THREADS": "1"}, {"CUARRAY_NUM_THREADS": "3"}]
    for settings in ways if every else ways[:1]:
        environment = {**os.environ, **settings}
        run = subprocess.run(
            [sys.executable, "-c", DIGESTS, Path(__file__).resolve().parent, *map(str, sizes)],
            capture_output=True,
            text=True,
            env=environment,
        )
        assert run.stdout.splitlines() == here, run.stderr


@pytest.mark.parametrize("layout", LAYOUTS, ids=lambda f: f.__name__)
@pytest.mark.parametrize("dtype", ["f4", "f8"])
@pytest.mark.parametrize("name", STANDARD)
def test_out_of_any_layout(name, dtype, layout, device):
    out = layout(np.zeros((4, 6), dtype))
    is_fortran = out.flags.f_contiguous and not out.flags.c_contiguous
    expected = getattr(philox(3), name)(24, dtype).numpy().reshape((4, 6), order="F" if is_fortran else "C")
    for size in (None, (4, 6)):
        rng = philox(3)
        assert getattr(rng, name)(size, dtype=dtype, out=out) is out
        np.testing.assert_array_equal(out.numpy(), expected)


def test_wrong_out(device):
    rng = philox(3)
    before = state(rng)
    mine = np.empty(3)
    assert philox(3).random(out=mine) is mine and (mine == numpys(3).random(3)).all()
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
        rng = philox(3)
        assert getattr(rng, name)(*parameters, size=size).shape == (2, 3), name
        assert getattr(rng, name)(*parameters, size=one).shape == (4,), name
        assert getattr(rng, name)(*parameters, size=np.int64(4)).shape == (4,), name
        assert size.tolist() == [2, 3] and one.item() == 4
    assert philox(3).random(cuarray.asarray([2, 3], device="cpu"), "f4").shape == (2, 3)


def test_draws_keep_their_bit_generator():
    rng = philox(3)
    for draw in (rng._draw_floats, rng._draw_integers, *rng._draws_for(cuarray.device("cpu"))):
        assert rng.bit_generator in draw.__self__


def test_results_at_the_ends(device):
    rng = philox(3)
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
    philox(3).standard_gamma(2.0, out=turned)
    assert (turned == philox(3).standard_gamma(2.0, (3, 2))).all()


def test_wrong_ranges_raise_as_numpys(device):
    rng, theirs = philox(3), numpys(3)
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
        assert same(philox(4)).max() < 8


def test_ranges_of_one_number_draw_nothing(device):
    rng, theirs = philox(3), numpys(3)
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
    rng = philox(2026, "cpu")
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
    ours, theirs = philox(2026, "cpu"), np.random.default_rng(2026)
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
    n, rng = 200_000, philox(3, "cpu")
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
    ours, theirs = philox(2026, "cpu"), np.random.default_rng(2026)
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


def test_orders_are_equally_frequent(device):
    """All 24 orders of four entries, by every method that draws one; rows have orders of their own."""
    rng, n = philox(5), 2400

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
        here, there = philox(n), philox(n, "cpu")
        x = here.permutation(n)
        assert x.device == cuarray.device() and x.dtype == np.int64
        assert x.tolist() == there.permutation(n).tolist() and sorted(x.tolist()) == list(range(n))
        assert (np.sort(here.permutation(cuarray.ones((n, 2)) * x[:, None])[:, 0].numpy()) == np.arange(n)).all()
    for n, count in [(10, 3), (1001, 1000), (1001, 10), (10**6, 3), (5, 5), (5, 0)]:
        here, there = philox(n), philox(n, "cpu")
        x = here.choice(n, count, replace=False)
        assert x.tolist() == there.choice(n, count, replace=False).tolist() and len(set(x.tolist())) == count
        x = here.choice(n, (count, 2))
        assert x.tolist() == there.choice(n, (count, 2)).tolist() and x.shape == (count, 2)
        assert here.choice(cuarray.arange(n) * 2, replace=False).item() % 2 == 0
    x = philox(3).choice(7, 70_000).numpy()
    assert (abs(np.bincount(x, minlength=7) - 10_000) < 500).all()


def test_samples_without_replacement_by_probabilities(device):
    rng, n = philox(11), 2000
    p = np.array([0.1, 0.5, 0.0, 0.4])
    first = np.bincount([rng.choice(4, 3, False, cuarray.asarray(p))[0].item() for _ in range(n)], minlength=4)
    assert first[2] == 0 and (abs(first - n * p) <= 5 * np.sqrt(n * p)).all()
    second = np.array([rng.choice(4, 2, False, p).tolist() for _ in range(n)])
    assert (second[:, 0] != second[:, 1]).all()
    share = 0.1 * 0.5 / 0.9 + 0.5 * 0.1 / 0.5
    assert abs((second.sum(1) == 1).mean() - share) < 5 * math.sqrt(share / n)


def test_parameters_at_the_ends(full):
    n = 200_000 if full else 50_000
    rng = philox(11, "cpu")
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
    rng = philox(5, "cpu")
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
    rng = philox(17, "cpu")
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
    rng = philox(23, "cpu")
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
    rngs = [philox(s, "cpu") for s in (1, 2)]
    rngs += philox(1, "cpu").spawn(2) + [Generator(Philox(1).jumped(k), "cpu") for k in (1, 2)]
    numbers = np.array([rng.standard_normal(n).numpy() for rng in rngs])
    assert len(np.unique(numbers)) == numbers.size
    correlation = np.corrcoef(numbers) - np.eye(len(rngs))
    assert abs(correlation).max() * math.sqrt(n) < 4.5


# The state


def test_own_draws_begin_at_a_block_and_take_whole_groups():
    rng = philox(1, "cpu")
    rng.random(3)
    x = rng.standard_normal(3)
    there = rng.bit_generator.state
    assert there["state"]["counter"][0] == 2 and there["buffer_pos"] == 4
    again = philox(1, "cpu")
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
            philox(1)
        assert Generator(np.random.PCG64(1)).random().shape == ()
    finally:
        monkeypatch.undo()
        check_layout.cache_clear()
        check_layout()
