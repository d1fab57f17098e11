"""Parameters of random numbers: arrays of every shape, layout and place, lists and elements, and their domains."""

import itertools
import math

import numpy as np
import pytest
from random_cases import INTEGERS, METHODS, OTHERS, limits, numpys, philox, state

import cuarray
from cuarray import _core
from cuarray.random import default_rng


def test_the_kernel_and_the_formula_agree(device):
    """Parameters that are arrays: the same numbers, but for the last places of exp and pow."""
    for name, (parameters, _) in METHODS.items():
        expected = getattr(philox(7), name)(*parameters, size=(4, 5000)).numpy()
        for shapes in itertools.product([(), (5000,), (4, 1)], repeat=len(parameters)):
            if not any(shapes):
                continue
            arrays = [cuarray.full(s, p) if s else p for s, p in zip(shapes, parameters, strict=True)]
            result = getattr(philox(7), name)(*arrays, size=(4, 5000))
            assert result.device == cuarray.device()
            np.testing.assert_allclose(result.numpy(), expected, rtol=3e-15, atol=1e-300)


def test_results_are_on_the_device_of_their_parameters(device):
    x = cuarray.asarray([1.0, 2.0])
    assert philox(7, "cpu").normal(x, 1.0).device == x.device
    assert philox(7).exponential(cuarray.asarray(2.0)).shape == ()
    assert _core.is_value(philox(7).gumbel(cuarray.asarray(2.0)))


def test_parameters_go_to_one_device(device):
    here, there = cuarray.ones(2), cuarray.ones(2, device="cpu")
    for x in (here, there):
        for other in ([1.0, 2.0], np.ones(2), cuarray.asarray(1.0, device="cpu")):
            for rng in (philox(3), philox(3, "cpu")):
                assert rng.normal(x, other).device == rng.lognormal(other, x).device == x.device
    if here.device != there.device:
        for call in (lambda rng: rng.normal(here, there), lambda rng: rng.lognormal(there, here)):
            rng = philox(3)
            with pytest.raises(ValueError, match="move one"):
                call(rng)
            assert state(rng) == state(numpys(3))


@pytest.mark.parametrize("name", METHODS)
def test_wrong_parameters_raise_as_numpys(name, device):
    rng, theirs = philox(3), numpys(3)
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


def test_rows_of_arrays_of_parameters(device):
    rng = philox(3)
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
    p = cuarray.asarray([0.2, 0.3, 0.1, 0.4])  # the same numbers by every way
    want = philox(5).multinomial(20, p, (4, 2)).tolist()
    assert philox(5).multinomial(cuarray.full((4, 2), 20), p.tolist()).tolist() == want
    assert philox(5).multinomial(20, cuarray.broadcast_to(p, (4, 2, 4))).tolist() == want
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
            rng = philox(3)
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

    expected = drawn(philox(3), None)
    assert drawn(philox(3), cuarray.asarray) == expected
    with cuarray.device("cpu"):
        assert drawn(philox(3), cuarray.asarray) == expected
    names = {"rng": numpys(), "F": np.float64(0.2), "N": np.int64(5), "A": np.asarray}
    assert np.shape(eval(f"rng.{call}", names)) == expected[1]


def test_parameters_that_are_elements(device):
    """Elements of ours and of NumPy's are the numbers that they hold."""
    kinds = [lambda v: cuarray.asarray([v], device="cpu")[0], lambda v: np.asarray([v])[0]]
    for name, parameters in (
        ("normal", (2.5, 1)), ("poisson", (3,)), ("binomial", (4, 0.5)), ("exponential", (2.0,)), ("gamma", (2.0, 3)),
        ("geometric", (0.5,)), ("hypergeometric", (5, 6, 7)), ("vonmises", (1.0, 2.0)), ("standard_gamma", (2,)),
    ):  # fmt: skip
        want = getattr(philox(3), name)(*parameters, size=5)
        for kind in kinds:
            got = getattr(philox(3), name)(*map(kind, parameters), size=5)
            np.testing.assert_array_equal(got.numpy(), want.numpy(), name)
    for wrong in (2**63 - 1, 2**62 + 1, -(2**63)):
        element = cuarray.asarray(wrong, device="cpu")[...]
        assert philox(3).normal(element[()], 1).item() == philox(3).normal(float(wrong), 1).item()
    with pytest.raises(ValueError):
        philox(3).exponential(cuarray.asarray([-1.0])[0])


def test_seeds_that_were_drawn(device):
    n = cuarray.arange(6).max()
    assert default_rng(n).random() == np.random.default_rng(5).random()
    assert default_rng([n, 1]).random() == np.random.default_rng([5, 1]).random()
    assert default_rng(cuarray.arange(3)).random() == np.random.default_rng([0, 1, 2]).random()
    assert cuarray.random.RandomState(n).rand() == np.random.RandomState(5).rand()
    cuarray.random.seed(n)
    assert cuarray.random.rand() == np.random.RandomState(5).rand()
    assert default_rng(default_rng(1).integers(2**31)).random().shape == ()


def test_arrays_of_ranges(device):
    n = 30_000
    rng = philox(2026)
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
                ours = philox(3)
                with pytest.raises(ValueError):
                    getattr(ours, name)(*ways)
                assert state(ours) == state(numpys(3))
            continue
        with np.errstate(all="ignore"):
            x = getattr(philox(3), name)(*arrays)
            assert x.dtype == expected.dtype and x.shape == (2,) and x.device == cuarray.device()
            assert (np.isnan(x.numpy()) == np.isnan(expected)).all(), values
            a, b = philox(3), philox(3)
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
    wanted = getattr(philox(5, "cpu"), name)(*parameters, size=(3, *shape)).numpy()
    for given in (parameters, there, [there[0], *parameters[1:]], [np.repeat(x, 2, -1)[..., ::2] for x in parameters]):
        rng = philox(5)
        x = getattr(rng, name)(*given, size=(3, *shape))
        assert x.device == cuarray.device() and x.shape == wanted.shape
        np.testing.assert_array_equal(x.numpy(), wanted)
        assert getattr(rng, name)(*given).shape == shape
        with pytest.raises(ValueError):
            getattr(rng, name)(*given, size=(7,))
        assert getattr(rng, name)(*given, size=(0, *shape)).shape == (0, *shape)
    for bad in ("x", None, 1j, [1j], object()):
        with pytest.raises((TypeError, ValueError)):
            getattr(philox(5), name)(bad, *parameters[1:])


@pytest.mark.parametrize("name", [*sorted(METHODS.keys() - {"standard_cauchy"}), *OTHERS, "integers"])
def test_several_are_drawn_as_many(name, device):
    """C-contiguous arrays of a few parameters take a shorter way than others: the same numbers, and the same state."""
    rng = np.random.default_rng(3)
    ways = OTHERS.get(name) or [METHODS[name][0]] if name != "integers" else [(-5, 6), (0, 2**40), (3, 4)]
    for n in (1, 3, 64, 65, 5000):
        columns = [np.array(x) for x in zip(*[ways[i] for i in rng.integers(len(ways), size=n)], strict=True)]
        short = [cuarray.asarray(x) for x in columns]
        long = [cuarray.asarray(np.repeat(x, 2))[::2] for x in columns]
        lists = [x.tolist() if k else short[0] for k, x in enumerate(columns)]
        one = [x if k == 0 else x[0].item() for k, x in enumerate(short)]
        for given, others, size in (
            (short, long, None), (short, long, (n,)), (short, long, (2, n)), (lists, long, None), (lists, long, (2, n)),
            (one, [long[0], *one[1:]], None),
        ):  # fmt: skip
            if given is one and name in ("triangular", "hypergeometric"):
                continue
            a, b = philox(5), philox(5)
            x, y = getattr(a, name)(*given, size=size), getattr(b, name)(*others, size=size)
            assert x.dtype == y.dtype and x.device == cuarray.device() and state(a) == state(b), (n, size)
            np.testing.assert_array_equal(x.numpy(), y.numpy())


def test_arrays_that_do_not_fit_are_refused_below_python(device):
    rng = philox(5)
    draw, row = rng._draws[2], _core.random_draws["poisson_each"]
    for wrong in (cuarray.ones(3), cuarray.ones(4, "f4"), cuarray.ones((2, 3))):
        with pytest.raises(ValueError, match="poisson: parameter 0 must be float64, of the size and the device"):
            draw(row, "poisson", "int64", 4, wrong)
    assert draw(row, "poisson", "int64", 4, cuarray.ones(4)).shape == (4,)


def test_parameters_of_every_element(device):
    """Beyond the tiles, packs and threads of the loops."""
    n = 1000
    means = np.arange(n) * 1000.0
    x = philox(5).poisson(means).numpy()
    assert (abs(x - means) <= 7 * np.sqrt(means)).all()
    x = philox(5).gamma(means + 1e4, 2.0).numpy()
    assert (abs(x / (means + 1e4) - 2) < 0.15).all()
    x = philox(5).geometric(np.where(means < 5e5, 1.0, 1e-12)).numpy()
    assert (x[:500] == 1).all() and (x[501:] > 1e5).all()


def test_standard_gamma_into_out(device):
    shapes = cuarray.asarray([0.5, 2.0, 9.0])
    for dtype in ("f8", "f4"):
        out = cuarray.empty((2, 3), dtype=dtype)
        assert philox(5).standard_gamma(shapes, out=out, dtype=dtype) is out
        np.testing.assert_array_equal(out.numpy(), philox(5).standard_gamma(shapes, (2, 3), dtype).numpy())
        with pytest.raises(ValueError):
            philox(5).standard_gamma(shapes, out=cuarray.empty(2, dtype=dtype), dtype=dtype)
