"""Loops of integers that are one loop for many numbers: shifts by one number of bits, and floats cast to short ones."""

import numpy as np
import pytest

import cuarray

INTEGERS = ["u1", "i1", "u2", "i2", "u4", "i4", "u8", "i8"]
SIZES = [1, 31, 32, 33, 63, 64, 100, 1000, 3001]


@pytest.mark.parametrize("dtype", INTEGERS)
def test_shifts_by_one_number(dtype, device, rng):
    ends = np.iinfo(dtype)
    for n in SIZES:
        host = rng.integers(ends.min, ends.max, n, dtype=dtype, endpoint=True)
        x = cuarray.asarray(host)
        for bits in (0, 1, ends.bits // 2, ends.bits - 1, ends.bits, 100):
            number = np.dtype(dtype).type(bits)
            assert np.array_equal((x << bits).numpy(), host << number), (n, bits)
            assert np.array_equal((x >> bits).numpy(), host >> number), (n, bits)
            assert np.array_equal((x[::-1] >> bits).numpy(), host[::-1] >> number), (n, bits)


@pytest.mark.parametrize("dtype", INTEGERS)
def test_shifts_by_many_numbers(dtype, device, rng):
    ends = np.iinfo(dtype)
    host = rng.integers(ends.min, ends.max, 999, dtype=dtype, endpoint=True)
    for bits in (rng.integers(0, ends.bits + 2, 999), np.where(np.arange(999) == 500, 3, 1)):
        bits = bits.astype(dtype)
        x, y = cuarray.asarray(host), cuarray.asarray(bits)
        assert np.array_equal((x << y).numpy(), host << bits)
        assert np.array_equal((x >> y).numpy(), host >> bits)


@pytest.mark.parametrize("source", ["f4", "f8"])
@pytest.mark.parametrize("dtype", ["u1", "i1", "u2", "i2"])
def test_floats_become_short_integers(dtype, source, device, rng):
    """Rounded towards zero, the nearest end beyond, 0 for NaN."""
    ends = np.iinfo(dtype)
    edges = [np.nan, np.inf, -np.inf, -0.0, 0.9, -0.9, 1e30, -1e30]
    edges += [end + step for end in (ends.min, ends.max) for step in (-1.5, -1, -0.5, 0, 0.5, 0.99, 1, 1.5)]
    for n in SIZES:
        host = np.concatenate((edges, rng.uniform(ends.min - 2.0, ends.max + 2.0, n))).astype(source)
        whole = np.clip(np.trunc(host.astype("f8")), ends.min, ends.max)
        want = np.where(np.isnan(host), 0, whole).astype(dtype)
        assert np.array_equal(cuarray.asarray(host).astype(dtype).numpy(), want)
