"""float64 exp of the cpu device, which is cuarray's own: nearly always the nearest number, whoever computes it."""

import numpy as np
import pytest

import cuarray as ca

RANGES = {"usual": (-5, 5), "all": (-708, 709.7), "subnormal": (-746, -708), "tiny": (-1e-12, 1e-12)}


@pytest.fixture(params=RANGES)
def values(request, rng):
    return rng.uniform(*RANGES[request.param], 20_000)


def test_nearly_all_are_the_nearest_numbers(values):
    nearest = np.exp(values.astype(np.longdouble)).astype(np.float64)
    found = ca.exp(ca.asarray(values, device="cpu")).numpy()
    assert (found != nearest).mean() < 0.03
    assert (abs(found.view(np.int64) - nearest.view(np.int64)) <= 1).all()


def test_bits_depend_on_nothing_else(values):
    x = ca.asarray(values, device="cpu")
    with ca.eager():
        wanted = ca.exp(x).numpy().view(np.int64)
        for begin, step in [(1, 1), (3, 2), (5, 7)]:
            assert (ca.exp(x[begin::step]).numpy().view(np.int64) == wanted[begin::step]).all()
        assert all(np.float64(ca.exp(float(v))).view(np.int64) == w for v, w in zip(values[:50], wanted, strict=False))
    with ca.fuse():
        assert ((ca.exp(x + 0) * 1).numpy().view(np.int64) == wanted).all()
    mixed = ca.concatenate([x[:9], ca.asarray([np.nan, np.inf, -np.inf, -800.0, 800.0], device="cpu"), x[:9]])
    found = ca.exp(mixed).numpy()
    assert (found.view(np.int64)[:9] == wanted[:9]).all() and (found.view(np.int64)[14:] == wanted[:9]).all()
    assert np.isnan(found[9]) and found[10:14].tolist() == [np.inf, 0, 0, np.inf]


@pytest.mark.parametrize("count", [1, 9, 100])
def test_errors_are_those_of_the_values(count):
    def said(value):
        with ca.errstate(all="raise"):
            try:
                ca.exp(ca.full(count, value, device="cpu"))
            except FloatingPointError as error:
                return str(error).split()[0]
        return None

    quiet = (0.0, 1e-300, -1e-320, 5.0, -700.0, 709.0, np.inf, -np.inf, np.nan)
    assert [said(value) for value in quiet] == [None] * len(quiet)
    assert [said(value) for value in (-800.0, -745.0, 710.0, 1e308)] == [
        "underflow",
        "underflow",
        "overflow",
        "overflow",
    ]
