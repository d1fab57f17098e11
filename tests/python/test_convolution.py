"""convolve and correlate: every overlap of taps and signal, every type, and elements outside."""

import numpy as np
import pytest

import cuarray

LENGTHS = [1, 2, 5, 15, 63, 64, 65, 130, 1000]


@pytest.mark.parametrize("taps", LENGTHS)
def test_lengths_and_modes(taps, device, rng):
    for n in LENGTHS:
        x, v = rng.integers(-9, 9, n).astype("f8"), rng.integers(-9, 9, taps).astype("f8")
        a, b = cuarray.asarray(x), cuarray.asarray(v)
        for mode in ("full", "same", "valid"):
            np.testing.assert_array_equal(cuarray.convolve(a, b, mode).numpy(), np.convolve(x, v, mode), f"{n} {mode}")
            np.testing.assert_array_equal(
                cuarray.correlate(a, b, mode).numpy(), np.correlate(x, v, mode), f"{n} {mode}"
            )


@pytest.mark.parametrize("dtype", ["?", "i1", "u2", "i4", "u8", "f2", "f4", "f8", "c8", "c16"])
def test_kinds(dtype, device, rng):
    x, v = (rng.integers(0, 2 if dtype == "?" else 9, n).astype(dtype) for n in (300, 7))
    want = np.convolve(x, v)
    got = cuarray.convolve(cuarray.asarray(x), cuarray.asarray(v))
    assert got.dtype == want.dtype
    np.testing.assert_array_equal(got.numpy(), want)


def test_terms_are_added_from_the_left(device, rng):
    """Bit for bit, also at the ends, independent of neighbouring results."""
    x, v = rng.standard_normal(500).astype("f4"), rng.standard_normal(9).astype("f4")
    want = np.zeros(508, "f4")
    for i in range(508):
        for k in range(9):
            if 0 <= i - 8 + k < 500:
                want[i] += x[i - 8 + k] * v[::-1][k]
    assert cuarray.convolve(cuarray.asarray(x), cuarray.asarray(v)).numpy().tobytes() == want.tobytes()


def test_nothing_is_made_of_what_lies_outside(device):
    x, v = [1.0, 2.0, 3.0], [np.inf, 1.0]
    np.testing.assert_array_equal(cuarray.convolve(x, v).numpy(), np.convolve(x, v))


@pytest.mark.parametrize("taps", [1, 2, 33, 63, 64, 65, 200])
@pytest.mark.parametrize("dtype", ["f4", "f8", "c8", "i2", "?"])
def test_ends_leave_out_taps(taps, dtype, device, rng):
    """Elements beyond the ends are excluded, not zero: an infinite tap shows it."""
    x, v = (rng.integers(1, 5, n).astype(dtype) for n in (300, taps))
    if v.dtype.kind in "fc":
        v[taps // 3] = np.inf
    for mode in ("full", "same", "valid"):
        with np.errstate(invalid="ignore"):
            want = np.convolve(x, v, mode)
        assert np.array_equal(
            cuarray.convolve(cuarray.asarray(x), cuarray.asarray(v), mode).numpy(),
            want,
            equal_nan=want.dtype.kind in "fc",
        )
