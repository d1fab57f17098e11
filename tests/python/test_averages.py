"""Averages with weights, ranges, covariances and correlations: NumPy's values, types, shapes and errors."""

import warnings

import layouts
import numpy as np
import pytest
from same import agree

import cuarray

NAMES = {
    "f": lambda xp: xp.asarray(np.linspace(1, 4, 12).reshape(3, 4) ** 2),
    "g": lambda xp: xp.asarray(np.linspace(1, 4, 12).reshape(3, 4), dtype="f4"),
    "x": lambda xp: xp.asarray(np.arange(24).reshape(2, 3, 4) % 7),
    "c": lambda xp: xp.asarray([[1 + 2j, 2, 3 - 1j], [4, 2j, 5]]),
    "w": lambda xp: xp.asarray([1.0, 2.0, 0.5, 3.0]),
    "v": lambda xp: xp.arange(1, 6),
    "k": lambda xp: xp.asarray([1, 2, 1, 3]),
    "e": lambda xp: xp.zeros((0, 3)),
    "b": lambda xp: xp.asarray([True, False]),
    "s": lambda xp: xp.asarray(3.5),
}

AVERAGES = """
xp.average(f)
xp.average(f, 0)
xp.average(f, axis=(0, 1))
xp.average(x, axis=(0, 2), keepdims=True)
xp.average(x, 1)
xp.average(f, 1, w)
xp.average(f, 1, w, returned=True)
xp.average(f, weights=f, returned=True)
xp.average(f, 0, [1, 2, 3], keepdims=True)
xp.average(x, 2, k)
xp.average(x, (0, 2), xp.ones((2, 4)))
xp.average(x, (2, 0), xp.asarray(np.arange(8.0).reshape(4, 2)))
xp.average(x, (2, 0), xp.asarray(np.arange(8.0).reshape(2, 4)))
xp.average(g, 1, k)
xp.average(g, 1, w)
xp.average(g, 1, returned=True)
xp.average(v, weights=v)
xp.average(c, 0, [1, 2])
xp.average(b, weights=[1, 3])
xp.average(s)
xp.average(s, weights=2)
xp.average(f, weights=w)
xp.average(f, 0, w)
xp.average(f, 1, [1, -1, 1, -1])
xp.average(f, 7)
xp.average(f, (0, 0))
xp.average(e, 0)
xp.average(e, 0, returned=True)
xp.average([1, 2, 3], weights=[1, 0, 1])
xp.ptp(f)
xp.ptp(f, 0)
xp.ptp(f, 1, keepdims=True)
xp.ptp(x, (0, 2))
xp.ptp(x, 1, out=xp.zeros((2, 4), int))
xp.ptp(xp.asarray([-100, 100], dtype='i1'))
xp.ptp(c, 0)
xp.ptp(b)
xp.ptp(e)
xp.ptp(e, 1)
xp.ptp(s)
xp.ptp(xp.asarray([1.0, np.nan]))
""".split("\n")[1:-1]


@pytest.mark.parametrize("expression", AVERAGES)
def test_averages(expression, device):
    agree(expression, NAMES, rtol=1e-6 if "g" in expression.split("(", 1)[1][:1] else 1e-13)


def test_halves_are_weighted_in_float32(device):
    """A float16 does not hold the sum of 70,000 weights."""
    x, weights = cuarray.ones((70_000, 2), "f2"), cuarray.full(70_000, 3, dtype="f2")
    for got in (
        cuarray.average(x, 0, weights),
        cuarray.average(x, weights=3 * x),
        cuarray.average(x[:, 0], weights=weights),
    ):
        assert got.dtype == np.float16 and (got == 1).all()
    assert cuarray.average(x, 0, weights, returned=True)[1].dtype == np.float16
    assert hash(cuarray.average(x, weights=x)) == hash(1.0)


COVARIANCES = """
xp.{0}(f)
xp.{0}(f, rowvar=False)
xp.{0}(f[:, 0], xp.asarray([[1.0, 2.0, 5.0]]), rowvar=False)
xp.{0}(f[:, 0], xp.asarray([[1.0], [2.0], [5.0]]), rowvar=False)
xp.{0}(f[:2, :2], xp.asarray([[1.0, 2.0]]), rowvar=False)
xp.{0}(w)
xp.{0}(w, k)
xp.{0}(f, w)
xp.{0}(f, f[:1])
xp.{0}(f.T, w[:3])
xp.{0}(f, w, rowvar=False)
xp.{0}(f.T, f[0][:, None], rowvar=False)
xp.{0}(c)
xp.{0}(g, dtype='f4')
xp.{0}(g)
xp.{0}(x)
xp.{0}(x[0])
xp.{0}(f, w[:2])
xp.{0}(s)
""".split("\n")[1:-1]

WEIGHTED = """
xp.cov(f, ddof=0)
xp.cov(f, ddof=1e300)
xp.cov(f, dtype=int)
xp.corrcoef(f, dtype=bool)
xp.cov(f, bias=True)
xp.cov(f, ddof=1.5)
xp.cov(f, ddof=2)
xp.cov(f, ddof=4)
xp.cov(f, fweights=k)
xp.cov(f, aweights=w)
xp.cov(f, fweights=k, aweights=w)
xp.cov(f, fweights=k, aweights=w, ddof=0)
xp.cov(f, fweights=w)
xp.cov(f, aweights=-w)
xp.cov(f, fweights=[k])
xp.cov(f, aweights=w[:2])
xp.cov(c, aweights=w[:3])
xp.cov(xp.zeros((3, 1)), ddof=0)
""".split("\n")[1:-1]


@pytest.mark.parametrize("expression", [c.format(n) for n in ("cov", "corrcoef") for c in COVARIANCES] + WEIGHTED)
def test_covariances(expression, device):
    want, got = ({"xp": xp, "np": np, **{n: make(xp) for n, make in NAMES.items()}} for xp in (np, cuarray))
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            reference = eval(expression, want)
    except Exception:
        agree(expression, NAMES)
        return
    result = eval(expression, got)
    assert (result.dtype, result.shape) == (reference.dtype, np.shape(reference))
    np.testing.assert_allclose(result.numpy(), reference, rtol=1e-5 if "f4" in expression else 1e-12, atol=1e-13)


@pytest.mark.parametrize("layout", layouts.LAYOUTS)
@pytest.mark.parametrize("dtype", ["i4", "f4", "f8", "c16"])
def test_layouts_and_types(layout, dtype, device, rng):
    x = rng.uniform(1, 9, (15, 18)).astype(dtype)
    y, limit = layout(x), 1e-5 if dtype == "f4" else 1e-12
    weights = rng.uniform(1, 2, 18)
    np.testing.assert_allclose(
        cuarray.average(y, 1, cuarray.asarray(weights)).numpy(), np.average(x, 1, weights), rtol=limit
    )
    np.testing.assert_allclose(cuarray.cov(y).numpy(), np.cov(x), rtol=limit, atol=limit)
    np.testing.assert_allclose(cuarray.corrcoef(y).numpy(), np.corrcoef(x), rtol=limit, atol=limit)
    for axis in (None, 0, 1):
        assert np.array_equal(cuarray.ptp(y, axis).numpy(), np.ptp(x, axis))


@pytest.mark.parametrize("shape", [(3, 17), (700, 3), (3, 20000), (20000, 3), (40, 2500), (2, 3, 301), (0, 3), (3, 0)])
@pytest.mark.parametrize("dtype", ["f2", "f4", "f8", "c8", "c16"])
def test_sums_taken_together_are_those_taken_alone(shape, dtype, device, rng):
    given = [cuarray.asarray(rng.uniform(1, 2, shape).astype(dtype)) for _ in range(2)]
    for turn in (lambda v: v, lambda v: v.T, lambda v: v[..., ::-1]):
        x, w = map(turn, given)
        for axis in (None, 0, -1, tuple(range(x.ndim))):
            products, total = cuarray._core.weighted_sums("average", x, w, axis, x.dtype, False)
            with cuarray.fuse():
                alone = (x * w).sum(axis)
            for together, expected in ((products, alone), (total, w.sum(axis))):
                assert (together.dtype, together.shape) == (expected.dtype, expected.shape)
                assert np.array_equal(together.numpy(), expected.numpy(), equal_nan=True)


def test_weighted_averages_of_what_is_pending(device, rng):
    x, w = rng.uniform(1, 2, (2, 40, 300))
    a, weights = cuarray.array(x), cuarray.array(w)
    with cuarray.fuse():
        average, total = cuarray.average(2 * a - 1, 0, weights + 3, returned=True)
        of_itself = cuarray.average(a * a, 1, a * a)
    np.testing.assert_allclose(average.numpy(), np.average(2 * x - 1, 0, w + 3), rtol=1e-13)
    np.testing.assert_allclose(total.numpy(), (w + 3).sum(0), rtol=1e-13)
    np.testing.assert_allclose(of_itself.numpy(), np.average(x * x, 1, x * x), rtol=1e-13)


@pytest.mark.parametrize("call", ["var(n, dtype='c8')", "std(n, dtype='c16')", "var(c, dtype='c8')", "var(c)", "std(f, dtype='c8', axis=0)",
                                  "nanvar(f, dtype='c8')", "nanstd(n, dtype='c8')", "var(c, dtype='c16', keepdims=True)"])  # fmt: skip
def test_variance_in_a_complex_type(call, device):
    names = {
        "n": lambda xp: xp.arange(4),
        "f": lambda xp: xp.asarray([[1.5, 2], [4, 8]]),
        "c": lambda xp: xp.asarray([1 + 1j, 1 - 3j]),
    }
    agree(f"xp.{call}", names, rtol=1e-6)


@pytest.mark.parametrize("call", ["xp.zeros((3, 0)), axis=0", "xp.zeros((0, 0)), axis=1", "xp.zeros((3, 0)), axis=1", "xp.zeros((0, 3)), axis=0",
                                  "xp.zeros((3, 0)), axis=0, weights=xp.ones(3)", "[], weights=[]", "xp.zeros((3, 0, 2)), axis=(0, 2)"])  # fmt: skip
def test_average_of_nothing(call, device):
    agree(f"xp.average({call})")
