"""Functions of float64 that are cuarray's own on the cpu device: nearly always the nearest number, whoever computes it."""

import numpy as np
import pytest

import cuarray as ca

#: Exponents of 10 are drawn for ranges of texts.
RANGES = {
    "exp": {"usual": (-5, 5), "all": (-708, 709.7), "subnormal": (-746, -708), "tiny": (-1e-12, 1e-12)},
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


def test_powers_are_exact():
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
    if name == "exp":
        assert said(-np.inf) is None


@pytest.mark.parametrize("name", RANGES)
def test_zeros_keep_their_signs(name):
    with ca.errstate(all="ignore"), np.errstate(all="ignore"):
        for count in (1, 9):
            for zero in (0.0, -0.0):
                found = getattr(ca, name)(ca.full(count, zero, device="cpu")).numpy()
                wanted = getattr(np, name)(zero)
                assert (found == wanted).all() and (np.signbit(found) == np.signbit(wanted)).all()
