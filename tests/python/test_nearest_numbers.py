"""Functions of float64 that are cuarray's own on the cpu device: nearly always the nearest number, whoever computes it."""

import numpy as np
import pytest

import cuarray as ca

#: Exponents of 10 are drawn for ranges of texts.
RANGES = {
    "exp": {"usual": (-5, 5), "all": (-708, 709.7), "subnormal": (-746, -708), "tiny": (-1e-12, 1e-12)},
    "exp2": {"usual": (-5, 5), "all": (-1022, 1024), "subnormal": (-1074, -1022), "tiny": (-1e-12, 1e-12)},
    "log": {"usual": (0, 10), "near 1": (0.7, 1.5), "all": "-307 308", "subnormal": "-323 -307", "tiny": (1 - 1e-9, 1 + 1e-9)},
    "log1p": {"usual": (-1, 5), "near 0": (-0.3, 0.5), "all": "-307 308", "tiny": (-1e-9, 1e-9), "tinier": (-1e-17, 1e-16)},
}  # fmt: skip
RANGES |= dict.fromkeys(("log2", "log10"), RANGES["log"])
CASES = [(name, values) for name, ranges in RANGES.items() for values in ranges]
ERRORS = {
    "exp": {
        "underflow": (-800.0, -745.0),
        "overflow": (710.0, 1e308),
        None: (0.0, 1e-300, -1e-320, 5.0, -700.0, 709.0),
    },
    "exp2": {
        "underflow": (-1100.0, -1074.5, -1e308),
        "overflow": (1024.0, 1e308),
        None: (0.0, 1e-300, -1e-320, 5.0, -1022.0, 1023.0),
    },
    "log": {"divide": (0.0, -0.0), "invalid": (-1.0, -1e-320, -np.inf), None: (1.0, 5e-324, 2.0, 1e308, 0.5)},
    "log1p": {"divide": (-1.0,), "invalid": (-1.1, -1e308, -np.inf), None: (0.0, -0.0, 1e-320, 1e308, -0.5)},
}
ERRORS |= dict.fromkeys(("log2", "log10"), ERRORS["log"])


@pytest.fixture(params=CASES, ids=" ".join)
def case(request, rng):
    name, values = request.param
    values = RANGES[name][values]
    drawn = rng.uniform(*(map(int, values.split()) if isinstance(values, str) else values), 20_000)
    return name, 10.0**drawn if isinstance(values, str) else drawn


def test_nearly_all_are_the_nearest_numbers(case):
    name, values = case
    nearest = getattr(np, name)(values.astype(np.longdouble)).astype(np.float64)
    found = getattr(ca, name)(ca.asarray(values, device="cpu")).numpy()
    assert (found != nearest).mean() < 0.04
    assert (abs(found.view(np.int64) - nearest.view(np.int64)) <= 1).all()


def test_powers_of_two_are_exact():
    x = range(-1074, 1024)
    assert ca.exp2(ca.asarray(x, dtype=float, device="cpu")).tolist() == [2.0**n for n in x]


def test_logarithms_of_powers_are_exact():
    for name, base, numbers in [("log2", 2.0, range(-1074, 1024)), ("log10", 10.0, range(23))]:
        x = ca.asarray([base**n for n in numbers], device="cpu")
        assert getattr(ca, name)(x).tolist() == list(numbers)


def test_bits_depend_on_nothing_else(case):
    name, values = case
    function = getattr(ca, name)
    x = ca.asarray(values, device="cpu")
    with ca.eager():
        wanted = function(x).numpy().view(np.int64)
        for begin, step in [(1, 1), (3, 2), (5, 7)]:
            assert (function(x[begin::step]).numpy().view(np.int64) == wanted[begin::step]).all()
        assert all(
            np.float64(function(float(v))).view(np.int64) == w for v, w in zip(values[:50], wanted, strict=False)
        )
    with ca.fuse():
        assert ((function(x + 0) * 1).numpy().view(np.int64) == wanted).all()
    special = np.asarray([np.nan, np.inf, -np.inf, -800.0, 800.0])
    mixed = ca.concatenate([x[:9], ca.asarray(special, device="cpu"), x[:9]])
    with np.errstate(all="ignore"), ca.errstate(all="ignore"):
        found = function(mixed).numpy()
        assert (found.view(np.int64)[:9] == wanted[:9]).all() and (found.view(np.int64)[14:] == wanted[:9]).all()
        np.testing.assert_allclose(found[9:14], getattr(np, name)(special), rtol=1e-15)


@pytest.mark.parametrize("count", [1, 9, 100])
@pytest.mark.parametrize("name", RANGES)
def test_errors_are_those_of_the_values(name, count):
    def said(value):
        with ca.errstate(all="raise"):
            try:
                getattr(ca, name)(ca.full(count, value, device="cpu"))
            except FloatingPointError as error:
                return str(error).split()[0]
        return None

    for kind, values in ERRORS[name].items():
        assert [said(value) for value in values] == [kind] * len(values)
    assert [said(value) for value in (np.inf, np.nan)] == [None, None]
    if name.startswith("exp"):
        assert said(-np.inf) is None


@pytest.mark.parametrize("name", RANGES)
def test_zeros_keep_their_signs(name):
    with ca.errstate(all="ignore"), np.errstate(all="ignore"):
        for count in (1, 9):
            for zero in (0.0, -0.0):
                found = getattr(ca, name)(ca.full(count, zero, device="cpu")).numpy()
                wanted = getattr(np, name)(zero)
                assert (found == wanted).all() and (np.signbit(found) == np.signbit(wanted)).all()


POWERS = {
    "usual": (0, 10, -3, 3),
    "near 1": (0.5, 2, -30, 30),
    "of -1": (0.9, 1.1, -500, 500),
    "large": (1, 1000, -100, 100),
    "all": (1e-300, 1e300, -1.02, 1.02),
}
BASES = (
    0.0,
    1.0,
    2.0,
    0.5,
    3.0,
    1 - 2**-53,
    1 + 2**-52,
    1e-320,
    5e-324,
    1e308,
    2**-1022,
    np.inf,
    np.nan,
    1e19,
    0.7,
    10.0,
)
EXPONENTS = (
    0.0,
    1.0,
    2.0,
    3.0,
    0.5,
    2.5,
    7.0,
    1e-300,
    1e-19,
    1e300,
    1023.0,
    1024.0,
    1074.0,
    np.inf,
    np.nan,
    2.0**53,
    9.75,
)


@pytest.mark.parametrize("name", ["pow", "float_power"])
@pytest.mark.parametrize("values", POWERS)
def test_nearly_all_powers_are_the_nearest_numbers(name, values, rng):
    least, most, low, high = POWERS[values]
    x, y = rng.uniform(least, most, 20_000), rng.uniform(low, high, 20_000)
    x[::7], y[::7] = -x[::7], np.rint(y[::7])
    nearest = np.power(x.astype(np.longdouble), y.astype(np.longdouble)).astype(np.float64)
    a, b = ca.asarray(x, device="cpu"), ca.asarray(y, device="cpu")
    function = getattr(ca, name)
    with ca.eager():
        found = function(a, b).numpy()
        for begin, step in [(1, 1), (3, 2), (5, 7)]:
            assert np.array_equal(function(a[begin::step], b[begin::step]).numpy(), found[begin::step])
        assert [float(function(v, w)) for v, w in zip(a[:50], b[:50], strict=True)] == found[:50].tolist()
    with ca.fuse():
        assert np.array_equal((function(a + 0, b) * 1).numpy(), found)
    assert (found != nearest).mean() < 0.03
    assert (abs(found.view(np.int64) - nearest.view(np.int64)) <= 1).all()
    # In groups with numbers that another function computes, the others stay.
    a[::5] = 0.0
    mixed = function(a, b).numpy()
    kept = np.arange(20_000) % 5 > 0
    assert np.array_equal(mixed[kept], found[kept])


@pytest.mark.parametrize("name", ["pow", "float_power"])
def test_powers_of_special_numbers(name):
    signed = [[sign * v for v in values for sign in (1, -1)] for values in (BASES, EXPONENTS)]
    x, y = (grid.ravel() for grid in np.meshgrid(*signed))
    a, b = ca.asarray(x, device="cpu"), ca.asarray(y, device="cpu")

    def errors(library, v, w):
        try:
            with library.errstate(all="raise"):
                getattr(library, name)(v, w)
        except FloatingPointError as error:
            return str(error).split()[0]
        return None

    with np.errstate(all="ignore"), ca.errstate(all="ignore"):
        wanted, found = np.float_power(x, y), getattr(ca, name)(a, b).numpy()
        single = np.asarray([getattr(ca, name)(a[k : k + 1], b[k : k + 1])[0] for k in range(x.size)])
    np.testing.assert_array_max_ulp(found, wanted, 1)
    assert (np.signbit(found) == np.signbit(wanted))[~np.isnan(wanted)].all()
    assert np.array_equal(found, single, equal_nan=True)
    # Results that are exact have no error.
    exact = np.isin(wanted, [0, 1, np.inf]) | np.isin(x, [0, 1, -1, np.inf, -np.inf, 2])
    assert np.array_equal(found[exact], wanted[exact], equal_nan=True)
    for k in range(0, x.size, 7):
        assert errors(ca, a[k : k + 1], b[k : k + 1]) == errors(np, x[k : k + 1], y[k : k + 1]), (x[k], y[k])


@pytest.mark.parametrize("scale", [1, 1e-300, 1e300, 1e-320])
def test_lengths_are_the_nearest_numbers(scale, rng):
    x, y = rng.standard_normal((2, 20_000)) * scale
    y[::2] *= 10.0 ** rng.uniform(-25, 0, 10_000)
    a, b = ca.asarray(x, device="cpu"), ca.asarray(y, device="cpu")
    nearest = np.hypot(x.astype(np.longdouble), y.astype(np.longdouble))
    with ca.eager():
        found = ca.hypot(a, b).numpy()
        assert (abs(found - nearest) <= 0.501 * np.spacing(found)).all()
        assert np.array_equal(ca.hypot(b[1::3], -a[1::3]).numpy(), found[1::3])
        assert [float(ca.hypot(v, w)) for v, w in zip(a[:50], b[:50], strict=True)] == found[:50].tolist()
        assert np.array_equal(abs(a + 1j * b).numpy(), found)
    with ca.fuse():
        assert np.array_equal((ca.hypot(a + 0, b) * 1).numpy(), found)
    with np.errstate(all="ignore"), ca.errstate(all="ignore"):
        short = [v.astype("f4") for v in (x, y)]
        found = ca.hypot(*(ca.asarray(v, device="cpu") for v in short)).numpy()
        x, y = (v.astype("f8") for v in short)
        assert (found == np.sqrt(x * x + y * y).astype("f4")).all()


def test_lengths_of_special_numbers():
    def error(count, *values):
        try:
            with ca.errstate(all="raise"):
                ca.hypot(*(ca.full(count, value, device="cpu") for value in values))
        except FloatingPointError as error:
            return str(error).split()[0]
        return None

    inf, nan = np.inf, np.nan
    for count in (1, 40):
        assert error(count, 1.5e308, 1.5e308) == "overflow"
        for pair in [(1e300, 1e-310), (1e-310, 5e-324), (1.0, 1e-200), (inf, nan), (-inf, inf), (nan, 1), (0.0, -0.0)]:
            assert error(count, *pair) is None, pair
    numbers = np.array([0.0, -0.0, 1.0, 5e-324, 1e308, inf, -inf, nan])
    x, y = (grid.ravel() for grid in np.meshgrid(numbers, numbers))
    found = ca.hypot(ca.asarray(x, device="cpu"), ca.asarray(y, device="cpu")).numpy()
    assert np.array_equal(found, np.hypot(x, y), equal_nan=True) and not np.signbit(found).any()
