"""cuarray.random: NumPy's numbers bit by bit and its states, signatures, errors, arrays of all layouts, threads, pickles."""

import ast
import copy
import inspect
import itertools
import pickle
import re
import subprocess
import sys
import threading
import warnings
from pathlib import Path

import numpy as np
import peers
import pytest
from layouts import LAYOUTS

import cuarray
from cuarray import _core
from cuarray.random import Generator, RandomState, default_rng

STUB = Path(cuarray.__file__).with_name("random.pyi")


def pair(seed=7):
    """A generator, and NumPy's. Those over cuarray's Philox are in test_random_numbers.py."""
    return default_rng(seed), np.random.default_rng(seed)


def plain(state):
    """A state with lists in the place of arrays."""
    return {k: plain(v) if isinstance(v, dict) else np.asarray(v).tolist() for k, v in state.items()}


def assert_states(ours, theirs):
    assert plain(ours.bit_generator.state) == plain(theirs.bit_generator.state)


#: What exp, log or pow makes of the bits: on a GPU, to the last places.
ROUNDED = r"\b(gumbel|laplace|logistic|lognormal|pareto|power|rayleigh|weibull)\b"


def assert_same(ours, theirs, call=""):
    assert isinstance(ours, cuarray.ndarray), call
    assert ours.shape == np.shape(theirs) and ours.device == cuarray.device(), call
    # A number of Python has no type; that of the result is int64, float64 or the one asked for.
    if isinstance(theirs, np.ndarray | np.generic):
        assert ours.dtype == theirs.dtype, call
    if re.search(ROUNDED, call) and ours.device.kind == "cuda" and not peers.is_simulated():
        np.testing.assert_allclose(ours.numpy(), theirs, rtol=1e-14, atol=1e-14, err_msg=call)
    else:
        assert ours.numpy().tobytes() == np.asarray(theirs, ours.dtype).tobytes(), call
    assert _core.is_value(ours) == (not isinstance(theirs, np.ndarray)), call


# Parameters: of one number each, and of arrays that broadcast

#: The parameters of every method that draws, without size; A is an array.
SCALARS = {
    "beta": "2.0, 3.0", "binomial": "10, 0.3", "chisquare": "3.0", "dirichlet": "[1.0, 2.0, 0.5]", "exponential": "2.0",
    "f": "3.0, 5.0", "gamma": "2.0, 3.0", "geometric": "0.3", "gumbel": "1.0, 2.0", "hypergeometric": "20, 10, 7",
    "integers": "3, 1000", "laplace": "1.0, 2.0", "logistic": "1.0, 2.0", "lognormal": "1.0, 0.5", "logseries": "0.7",
    "multinomial": "20, [0.2, 0.3, 0.5]", "multivariate_hypergeometric": "[5, 6, 7], 4",
    "multivariate_normal": "[1.0, 2.0], [[2.0, 0.5], [0.5, 1.0]]", "negative_binomial": "4.0, 0.3",
    "noncentral_chisquare": "3.0, 1.0", "noncentral_f": "3.0, 9.0, 1.0", "normal": "1.0, 2.0", "pareto": "3.0",
    "poisson": "5.0", "power": "2.0", "random": "", "rayleigh": "2.0", "standard_cauchy": "", "standard_exponential": "",
    "standard_gamma": "2.0", "standard_normal": "", "standard_t": "4.0", "triangular": "0.0, 1.0, 3.0", "uniform": "1.0, 4.0",
    "vonmises": "1.0, 2.0", "wald": "1.0, 2.0", "weibull": "2.0", "zipf": "3.0",
}  # fmt: skip
ARRAYS = {
    "beta": "A([[1.0], [2.0]]), A([2.0, 3.0, 4.0])", "binomial": "A([[5], [9]]), A([0.2, 0.5, 1.0])", "chisquare": "A([1.0, 2.5, 9.0])",
    "dirichlet": "A([1.0, 2.0, 0.5])", "exponential": "A([0.0, 1.0, 5.0])", "f": "A([[3.0], [4.0]]), A([5.0, 6.0, 7.0])",
    "gamma": "A([[0.5], [4.0]]), A([1.0, 2.0, 3.0])", "geometric": "A([0.1, 0.5, 1.0])", "gumbel": "A([[0.0], [1.0]]), A([1.0, 2.0, 3.0])",
    "hypergeometric": "A([[20], [15]]), A([10, 5, 2]), 7", "integers": "A([[0], [5]]), A([10, 20, 30])",
    "laplace": "A([[0.0], [1.0]]), A([1.0, 2.0, 3.0])", "logistic": "0.5, A([1.0, 2.0, 3.0])", "lognormal": "A([0, 1, 2]), A([0.1, 0.2, 0.3])",
    "logseries": "A([0.1, 0.5, 0.9])", "multinomial": "A([[3], [7]]), A([[0.2, 0.8], [0.5, 0.5], [1.0, 0.0]])",
    "multivariate_hypergeometric": "A([5, 6, 7]), 4", "multivariate_normal": "A([1.0, 2.0]), A([[2.0, 0.5], [0.5, 1.0]])",
    "negative_binomial": "A([1.0, 4.0, 9.0]), 0.3", "noncentral_chisquare": "A([[3.0], [0.5]]), A([0.0, 1.0, 2.0])",
    "noncentral_f": "A([3.0, 4.0, 5.0]), 9.0, A([[0.0], [1.0]])", "normal": "A([[0.0], [10.0]]), A([1.0, 2.0, 3.0])", "pareto": "A([1.0, 2.0, 3.0])",
    "poisson": "A([0.0, 5.0, 500.0])", "power": "A([1.0, 2.0, 3.0])", "rayleigh": "A([0.0, 1.0, 2.0])", "standard_gamma": "A([0.0, 1.0, 2.5])",
    "standard_t": "A([1.0, 4.0, 40.0])", "triangular": "A([[0.0], [0.5]]), 1.0, A([2.0, 3.0, 4.0])", "uniform": "A([[0], [1]]), A([4, 5, 6])",
    "vonmises": "A([[1.0], [2.0]]), A([0.0, 1.0, 50.0])", "wald": "A([1.0, 2.0, 3.0]), 2.0", "weibull": "A([0.5, 1.0, 2.0])", "zipf": "A([2.0, 3.0, 4.0])",
}  # fmt: skip
SIZES = ["None", "()", "5", "(4, 3)", "0", "(0, 3)", "[2, 3]", "np.int64(3)", "A([2, 3])"]


def both(call, ours, theirs):
    """Compare a call of a generator `rng` with NumPy's."""
    here = {"A": cuarray.asarray, "np": np, "rng": ours}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        expected = eval(call, {"A": np.asarray, "np": np, "rng": theirs})
        assert_same(eval(call, here), expected, call)


@pytest.mark.parametrize("name", SCALARS)
def test_numbers_of_one_parameter_each(name, device):
    ours, theirs = pair()
    for size in SIZES:
        both(f"rng.{name}({', '.join(filter(None, [SCALARS[name], f'size={size}']))})", ours, theirs)
        assert_states(ours, theirs)


@pytest.mark.parametrize("name", ARRAYS)
def test_numbers_of_arrays_of_parameters(name, device):
    ours, theirs = pair()
    shape = np.shape(eval(f"rng.{name}({ARRAYS[name]})", {"A": np.asarray, "rng": np.random.default_rng(1)}))
    rows = {"dirichlet", "multinomial", "multivariate_hypergeometric", "multivariate_normal"}
    outer = shape[: len(shape) - (name in rows)]
    for size in ("None", outer, (4, *outer)):
        for array in ("A", "list", "np.asarray"):
            arguments = ARRAYS[name].replace("A(", f"{array}(")
            both(f"rng.{name}({arguments}, size={size})", ours, theirs)
    assert_states(ours, theirs)


def test_every_method_is_compared():
    ways = {"bytes", "choice", "permutation", "permuted", "shuffle", "spawn", "bit_generator"}
    assert {n for n in dir(np.random.Generator) if not n.startswith("_")} <= SCALARS.keys() | ways
    parameters = {n: inspect.signature(getattr(Generator, n)).parameters for n in SCALARS}
    assert {n for n in SCALARS if [*parameters[n]][1] not in ("size",)} == ARRAYS.keys()


def test_parameters_are_views_of_any_layout(device):
    values = np.arange(1.0, 13).reshape(4, 3)
    ways = [layout(values) for layout in LAYOUTS]
    for x in [*ways, cuarray.asarray(values, dtype="bfloat16"), cuarray.asarray(values, dtype="i1")]:
        ours, theirs = pair()
        assert_same(ours.normal(x, x), theirs.normal(values, values))
        assert_same(ours.integers(x.astype(int)), theirs.integers(values.astype(int)))
        assert_states(ours, theirs)


@pytest.mark.parametrize("name", ["random", "standard_normal", "standard_exponential", "standard_gamma"])
def test_types_of_floating_point_numbers(name, device):
    ours, theirs = pair()
    first = "2.0, " if name == "standard_gamma" else ""
    for dtype, size in itertools.product(["'f4'", "'f8'", "np.float32", "np.dtype('f4')", "float", "'float64'"], SIZES):
        both(f"rng.{name}({first}{size}, {dtype})", ours, theirs)
    assert getattr(ours, name)(*([2.0] if first else []), dtype="f4").dtype == "f4"
    getattr(theirs, name)(*([2.0] if first else []), dtype="f4")
    if name == "standard_exponential":
        both("rng.standard_exponential(5, method='inv')", ours, theirs)
        both("rng.standard_exponential(5, 'f4', 'inv')", ours, theirs)
        both("rng.standard_exponential(method='inv')", ours, theirs)
    if name == "standard_gamma":
        both("rng.standard_gamma(A([1.0, 2.0]), (3, 2), 'f4')", ours, theirs)
        both("rng.standard_gamma(A([1.0, 2.0]), dtype='f4')", ours, theirs)
    assert_states(ours, theirs)


@pytest.mark.parametrize("dtype", ["bool", *(f"{kind}{size}" for kind in "iu" for size in (1, 2, 4, 8))])
def test_types_of_integers(dtype, device):
    ours, theirs = pair()
    info = np.iinfo(dtype) if dtype != "bool" else None
    low, high = (0, 1) if info is None else (int(info.min), int(info.max))
    for size in SIZES:
        both(f"rng.integers({low}, {high}, {size}, '{dtype}', endpoint=True)", ours, theirs)
        both(f"rng.integers({high}, size={size}, dtype='{dtype}')", ours, theirs)
    both(
        f"rng.integers(A([0, 1]), A([[1], [2]]), dtype='{dtype}', endpoint={dtype != 'bool'})"
        if info
        else "rng.integers(2, size=9, dtype=bool)",
        ours,
        theirs,
    )
    assert_states(ours, theirs)


def test_options(device):
    ours, theirs = pair()
    for method in ("svd", "eigh", "cholesky"):
        both(f"rng.multivariate_normal([1.0, 2.0], A([[2.0, 0.5], [0.5, 1.0]]), 5, method='{method}')", ours, theirs)
    both("rng.multivariate_normal([1.0, 2.0], np.ones((2, 2)), (2, 5), 'raise', 1e-5)", ours, theirs)
    for method in ("marginals", "count"):
        both(f"rng.multivariate_hypergeometric(A([5, 6, 7]), 4, 3, '{method}')", ours, theirs)
    assert ours.bytes(11) == theirs.bytes(11)
    assert_states(ours, theirs)


MIXED = [
    "rng.random()", "rng.random(3, 'f4')", "rng.integers(10)", "rng.integers(10, size=7, dtype='i1')", "rng.integers(2**40, size=3)",
    "rng.choice(9, 4, False)", "rng.choice([3, 5, 7, 9], (2, 2), p=A([0.1, 0.2, 0.3, 0.4]))", "rng.permutation(6)", "rng.standard_normal(5)",
    "rng.permuted([[1, 2, 3], [4, 5, 6]], axis=1)", "rng.permutation([[1, 2], [3, 4], [5, 6]])", "rng.standard_exponential((2, 2))",
    *(f"rng.{name}({parameters})" for name, parameters in ARRAYS.items()),
]  # fmt: skip


def test_mixed_calls(rng):
    with cuarray.device("cpu"):
        ours, theirs = pair(2026)
        for which in rng.integers(len(MIXED), size=1500):
            both(MIXED[which], ours, theirs)
        assert_states(ours, theirs)


@pytest.mark.parametrize("kind", [np.random.MT19937, np.random.PCG64, np.random.SFC64])
def test_few_numbers_are_numpys(kind):
    """Those that are drawn without NumPy's functions, beside those that are not, from one generator."""
    draw = np.random.default_rng(11)
    ours, theirs = cuarray.random.default_rng(kind(5)), np.random.Generator(kind(5))
    edges = [0, 1, 2, 3, 7, 255, 256, 2**31, 2**32 - 2, 2**32 - 1, 2**32, 2**32 + 1, 2**40, 2**59, 2**60, 2**62]
    sizes = [None, 0, 1, 3, (2, 3), (0, 4), 5000]
    for _ in range(600):
        size = sizes[draw.integers(len(sizes))]
        low = int(draw.integers(-5, 5)) * int(draw.integers(2**40))
        most = edges[draw.integers(len(edges))]
        calls = [
            lambda g, size=size: g.random(size),
            lambda g, size=size: g.random(size, dtype=np.float32),
            lambda g, size=size, low=low: g.uniform(low / 8, low / 8 + 2.5, size),
            lambda g, size=size, most=most: g.integers(most + 1, size=size),
            lambda g, size=size, low=low, most=most: g.integers(low, low + most, size, endpoint=True),
            lambda g, size=size: g.integers(3, 9, size, np.int16),
            lambda g, size=size: g.standard_normal(size),
            lambda g, size=size: g.uniform([0, 1], [1, 3], None),
        ]
        call = calls[draw.integers(len(calls))]
        assert_same(call(ours), call(theirs))
    assert_states(ours, theirs)
    for wrong in (
        lambda g: g.integers(3, 3),
        lambda g: g.integers(0),
        lambda g: g.uniform(1, 0),
        lambda g: g.random(-1),
    ):
        with pytest.raises(ValueError):
            wrong(ours)
    assert_states(ours, theirs)


def test_names_of_bit_generators():
    for kind in ("PCG64", "PCG64DXSM", "MT19937", "SFC64", "SeedSequence", "BitGenerator"):
        assert getattr(cuarray.random, kind) is getattr(np.random, kind)
    assert issubclass(cuarray.random.Philox, np.random.Philox) and cuarray.random.Philox.__name__ == "Philox"


def test_philox_of_numpy_and_of_cuarray():
    """The same words and states; a generator over NumPy's has NumPy's numbers, one over ours those of places."""
    ours, theirs = cuarray.random.Philox(3), np.random.Philox(3)
    assert plain(ours.state) == plain(theirs.state) and ours.random_raw() == theirs.random_raw()
    theirs.state = ours.state
    assert pickle.loads(pickle.dumps(ours)).random_raw() == theirs.random_raw()
    assert (
        type(ours.jumped()) is type(ours.spawn(1)[0]) is type(pickle.loads(pickle.dumps(ours))) is cuarray.random.Philox
    )
    normal = np.random.Generator(np.random.Philox(3)).normal()
    assert Generator(np.random.Philox(3)).normal().item() == normal
    assert (
        np.random.Generator(cuarray.random.Philox(3)).normal() == normal != Generator(cuarray.random.Philox(3)).normal()
    )
    rng = Generator(cuarray.random.Philox(3), "cpu")
    assert isinstance(rng, Generator) and str(rng) == "Generator(Philox)" and default_rng(rng) is rng
    for other in (pickle.loads(pickle.dumps(rng)), copy.deepcopy(rng), rng.spawn(1)[0], default_rng(rng.bit_generator)):
        assert type(other) is type(rng) and type(other.bit_generator) is cuarray.random.Philox
    assert type(RandomState(cuarray.random.Philox(3))) is RandomState
    assert RandomState(cuarray.random.Philox(3)).normal() == np.random.RandomState(np.random.Philox(3)).normal()
    derived = type("Derived", (Generator,), {})
    assert derived(np.random.PCG64(3)).random() == default_rng(3).random()
    with pytest.raises(TypeError, match=r"^Derived: .* Philox"):
        derived(cuarray.random.Philox(3))


@pytest.mark.parametrize("kind", ["PCG64", "PCG64DXSM", "MT19937", "SFC64", "Philox"])
def test_bit_generators(kind, device):
    ours, theirs = Generator(getattr(np.random, kind)(3)), np.random.Generator(getattr(np.random, kind)(3))
    for call in MIXED:
        both(call, ours, theirs)
    assert_states(ours, theirs)
    assert str(ours) == f"Generator({kind})" and repr(ours).startswith(f"Generator({kind}) at 0x")


# Memory of results, and out=


@pytest.mark.parametrize("bits", [cuarray.random.Philox, cuarray.random.PCG64])
def test_results_own_their_memory(bits, device):
    rng = cuarray.random.Generator(bits(1))
    x = cuarray.arange(4.0)
    for result in (
        rng.random(5),
        rng.normal(size=5),
        rng.integers(9, size=5),
        rng.choice(x, 3),
        rng.permutation(x),
        rng.permuted(x),
        rng.permutation(4),
    ):
        assert result.flags.owndata and result.flags.writeable and result.flags.c_contiguous and result.base is None
    for value in (rng.random(), rng.random(()), rng.choice(x, ())):
        assert value.flags.owndata and value.flags.writeable


def fill(name, rng, out, dtype, **options):
    return getattr(rng, name)(*([2.0] if name == "standard_gamma" else []), dtype=dtype, out=out, **options)


@pytest.mark.parametrize("layout", LAYOUTS, ids=lambda f: f.__name__)
@pytest.mark.parametrize("dtype", ["f4", "f8"])
@pytest.mark.parametrize("name", ["random", "standard_normal", "standard_exponential", "standard_gamma"])
def test_out_of_any_layout(name, dtype, layout, device):
    ours, theirs = pair()
    out = layout(np.zeros((4, 6), dtype))
    order = "F" if out.flags.f_contiguous and name != "standard_gamma" else "C"
    expected = fill(name, theirs, np.empty((4, 6), dtype, order), dtype)
    assert fill(name, ours, out, dtype) is out
    np.testing.assert_array_equal(out.numpy(), expected)
    assert_states(ours, theirs)
    fill(name, ours, out, dtype, size=(4, 6))


def test_other_out(device):
    ours, theirs = pair()
    mine, expected = np.empty(3), np.empty(3)
    assert ours.random(out=mine) is mine and (mine == theirs.random(out=expected)).all()
    point = cuarray.empty(())
    assert ours.random(out=point) is point and point.item() == theirs.random()
    nothing = cuarray.empty((0, 3))
    assert ours.random(out=nothing) is nothing
    shape, out = cuarray.asarray([1.0, 2.0, 3.0], device="cpu"), cuarray.empty((2, 3))
    np.testing.assert_array_equal(
        ours.standard_gamma(shape, out=out).numpy(), theirs.standard_gamma([1.0, 2.0, 3.0], (2, 3))
    )
    assert_states(ours, theirs)
    frozen, hashed = cuarray.broadcast_to(cuarray.zeros(1), (3,)), cuarray.zeros(3).sum()
    assert {hashed}
    for wrong in (frozen, hashed):
        with pytest.raises(ValueError, match=r"^random: output array is read-only"):
            ours.random(out=wrong)
    with pytest.raises(TypeError, match="wrong type"):
        ours.random(out=cuarray.empty(3, "f4"))
    with pytest.raises(TypeError, match="wrong type"):
        ours.random(out=cuarray.empty(6, "f4")[::2])
    with pytest.raises(ValueError, match="size"):
        ours.random((4,), out=cuarray.empty(3))
    assert_states(ours, theirs)


@pytest.mark.parametrize("bits", [cuarray.random.Philox, cuarray.random.PCG64])
def test_pending_work_reads_what_was_there_before(bits, device):
    rng = lambda: Generator(bits(1))  # noqa: E731
    x = cuarray.zeros(100)
    with cuarray.fuse():
        y = x + 1
        rng().random(out=x)
        z = x * 2
    assert (y == 1).all() and (z == x * 2).all() and x.max() > 0
    x = cuarray.arange(100)
    with cuarray.fuse():
        y = x + 1
        rng().shuffle(x)
        z = rng().normal(size=100) + rng().normal()
    assert (y == cuarray.arange(1, 101)).all() and (cuarray.sort(x) == cuarray.arange(100)).all() and z.shape == (100,)


# Permutations and samples


@pytest.mark.parametrize("layout", LAYOUTS, ids=lambda f: f.__name__)
@pytest.mark.parametrize("shape", [(12,), (5, 4), (3, 4, 5)])
def test_permutations_of_arrays_of_any_layout(layout, shape, device):
    values = np.arange(np.prod(shape), dtype="i4").reshape(shape)
    ours, theirs = pair()
    for axis in range(-len(shape), len(shape)):
        x, y = layout(values), values.copy()
        assert_same(ours.permutation(x, axis), theirs.permutation(y, axis))
        assert_same(ours.permuted(x, axis=axis), theirs.permuted(y, axis=axis))
        assert (x.numpy() == values).all()
        assert ours.shuffle(x, axis) is theirs.shuffle(y, axis) is None
        np.testing.assert_array_equal(x.numpy(), y)
        x, y = layout(values), values.copy()
        assert ours.permuted(x, axis=axis, out=x) is x
        np.testing.assert_array_equal(x.numpy(), theirs.permuted(y, axis=axis))
        assert_states(ours, theirs)


@pytest.mark.parametrize("order", ["C", "F", "K"])
def test_permuted_without_an_axis(order, device):
    values = (
        np.asarray(np.arange(24).reshape(2, 3, 4), order=order)
        if order != "K"
        else np.arange(24).reshape(4, 2, 3).transpose(1, 2, 0)
    )
    x = (
        cuarray.asarray(np.arange(24)).reshape(2, 3, 4).copy(order)
        if order != "K"
        else cuarray.arange(24).reshape(4, 2, 3).transpose(1, 2, 0)
    )
    ours, theirs = pair()
    assert_same(ours.permuted(x), theirs.permuted(values))
    for way in ("C", "F"):
        out, expected = cuarray.zeros((2, 3, 4), order=way), np.zeros((2, 3, 4), order=way)
        assert ours.permuted(x, out=out) is out
        theirs.permuted(values, out=expected)
        np.testing.assert_array_equal(out.numpy(), expected)
    strided = cuarray.zeros((2, 3, 8))
    np.testing.assert_array_equal(
        ours.permuted(x, out=strided[..., ::2]).numpy(), theirs.permuted(values, out=np.zeros((2, 3, 8))[..., ::2])
    )
    assert (strided[..., 1::2] == 0).all()
    assert_states(ours, theirs)


def test_permuted_between_numpy_and_cuarray(device):
    ours, theirs = pair()
    mine = np.zeros(5)
    assert ours.permuted(cuarray.arange(5, device="cpu"), out=mine) is mine
    np.testing.assert_array_equal(mine, theirs.permuted(np.arange(5)))
    out = cuarray.zeros(3)
    np.testing.assert_array_equal(ours.permuted([3, 1, 2], out=out).numpy(), theirs.permuted([3, 1, 2]))
    assert_same(ours.permuted([[3, 1, 2]], axis=1), theirs.permuted([[3, 1, 2]], axis=1))
    assert_same(ours.permuted(np.arange(5)), theirs.permuted(np.arange(5)))
    assert_states(ours, theirs)


def test_arrays_of_nothing(device):
    ours, theirs = pair()
    for shape in [(0,), (5, 0), (0, 5)]:
        x, y = cuarray.zeros(shape), np.zeros(shape)
        for axis in range(len(shape)):
            assert_same(ours.permutation(x, axis), theirs.permutation(y, axis))
            assert_same(ours.permuted(x, axis=axis), theirs.permuted(y, axis=axis))
            ours.shuffle(x, axis)
            theirs.shuffle(y, axis)
            assert_states(ours, theirs)
        assert_same(ours.permuted(x), theirs.permuted(y))
    assert_same(ours.choice([], 0), theirs.choice([], 0))
    assert_same(ours.choice(0, (0, 3)), theirs.choice(0, (0, 3)))
    assert_states(ours, theirs)


def test_shuffle_of_rows_keeps_all_rows(device):
    x = cuarray.arange(2000).reshape(1000, 2)
    default_rng(1).shuffle(x)
    assert (cuarray.sort(x[:, 0]) == cuarray.arange(0, 2000, 2)).all() and (x[:, 1] == x[:, 0] + 1).all()
    assert not (x[:, 0] == cuarray.arange(0, 2000, 2)).all()


def test_shuffle_of_other_sequences(device):
    ours, theirs = pair()
    for make in (lambda: list(range(9)), lambda: np.arange(10).reshape(5, 2), lambda: ["a", "b", "c"]):
        x, y = make(), make()
        ours.shuffle(x)
        theirs.shuffle(y)
        assert np.array_equal(x, y) and type(x) is type(y)
    assert_states(ours, theirs)


def test_permutation_of_other_things(device):
    ours, theirs = pair()
    for x in (
        7,
        np.int32(7),
        0,
        [3, 1, 2],
        (1.5, 2.5),
        [[1, 2], [3, 4], [5, 6]],
        np.arange(5, dtype="u1"),
        [True, False],
    ):
        assert_same(ours.permutation(x), theirs.permutation(x))
    assert_states(ours, theirs)


@pytest.mark.parametrize("replace", [True, False])
@pytest.mark.parametrize("p", [None, [0.1, 0.2, 0.3, 0.4]])
@pytest.mark.parametrize("shuffle", [True, False])
def test_choice(replace, p, shuffle, device):
    ours, theirs = pair()
    population = np.arange(12.0, dtype="f4").reshape(4, 3)
    for a, axis in [
        (4, 0),
        ([2, 3, 5, 7], 0),
        (population, 0),
        (population.T, 1),
        (population.T, -1),
        (population[:, 0], 0),
    ]:
        for size in (None, (), 1, 3, (2, 2), 0, (0, 2)):
            x = cuarray.asarray(a) if isinstance(a, np.ndarray) else a
            expected = theirs.choice(a, size, replace, p, axis, shuffle)
            result = ours.choice(x, size, replace, p and cuarray.asarray(p, device="cpu"), axis, shuffle)
            assert result.shape == np.shape(expected) and (result.numpy() == expected).all()
            assert result.dtype == getattr(expected, "dtype", "i8"), (a, axis, size)
            assert_states(ours, theirs)
    assert ours.choice(cuarray.asarray(5, device="cpu")).item() == theirs.choice(np.asarray(5))
    assert ours.choice(7, replace=False).item() == theirs.choice(7, replace=False)


# Seeds, states, copies


@pytest.mark.parametrize(
    "seed", [0, 7, 2**100, [1, 2, 3], (4,), np.arange(3), np.random.SeedSequence(5)], ids=lambda x: type(x).__name__
)
def test_seeds(seed):
    assert_states(default_rng(seed), np.random.default_rng(seed))
    assert_states(default_rng(cuarray.asarray([1, 2, 3])), np.random.default_rng([1, 2, 3]))
    assert plain(default_rng().bit_generator.state) != plain(default_rng().bit_generator.state)


def test_generators_as_seeds():
    ours, theirs = pair()
    assert default_rng(ours) is ours and default_rng(ours, None) is ours
    elsewhere = default_rng(ours, "cpu")
    assert (
        elsewhere is not ours
        and elsewhere.bit_generator is ours.bit_generator
        and default_rng(elsewhere, "cpu") is elsewhere
    )
    assert default_rng(theirs).bit_generator is theirs.bit_generator is default_rng(theirs.bit_generator).bit_generator
    old, older = RandomState(3), np.random.RandomState(3)
    assert default_rng(old).bit_generator is old._host._bit_generator
    assert default_rng(older).bit_generator is older._bit_generator
    # NumPy and SciPy continue with the numbers of a generator.
    assert np.random.Generator(ours.bit_generator).random() != ours.random().item()
    assert_states(ours, np.random.Generator(ours.bit_generator))


def test_states_are_numpys():
    ours, theirs = pair()
    ours.normal(size=9)
    theirs.bit_generator.state = ours.bit_generator.state
    assert ours.random().item() == theirs.random()
    ours.bit_generator.state = np.random.default_rng(3).bit_generator.state
    assert ours.random().item() == np.random.default_rng(3).random()


def test_spawn(device):
    ours, theirs = pair()
    for kind, other in [
        (ours, theirs),
        (Generator(np.random.PCG64(3), "cpu"), np.random.Generator(np.random.PCG64(3))),
    ]:
        children, others = kind.spawn(3), other.spawn(3)
        assert [type(c) for c in children] == [Generator] * 3 and children[0]._device == kind._device
        for child, reference in zip(children, others, strict=True):
            assert_states(child, reference)


def test_pickles_and_copies():
    for kind in (default_rng(7), Generator(np.random.SFC64(7), "cpu"), RandomState(7)):
        kind.standard_normal(5)
        for duplicate in (lambda x: pickle.loads(pickle.dumps(x)), copy.deepcopy):
            clone = duplicate(kind)
            assert type(clone) is type(kind) and clone._device == kind._device and clone._host is not kind._host
            before = plain(kind._host._bit_generator.state)
            assert plain(clone._host._bit_generator.state) == before
            assert clone.standard_normal().item() == kind.standard_normal().item()
        twin = copy.copy(kind)  # shares the bit generator, as that of NumPy's does
        assert twin._host._bit_generator is kind._host._bit_generator
    assert pickle.loads(pickle.dumps(default_rng)) is default_rng
    children = pickle.loads(pickle.dumps(default_rng(7))).spawn(1), np.random.default_rng(7).spawn(1)
    assert_states(children[0][0], children[1][0])


def test_devices(device):
    fixed = default_rng(7, "cpu")
    assert str(fixed.random(3).device) == str(fixed.random().device) == str(fixed.integers(9, size=3).device) == "cpu"
    assert (
        str(fixed.permutation(3).device)
        == str(fixed.choice([1, 2], 2).device)
        == str(fixed.permuted([1, 2]).device)
        == "cpu"
    )
    assert default_rng(7, device).normal(size=2).device == cuarray.device(device) == default_rng(7).normal().device
    # Results made of an array are where it is.
    x = cuarray.arange(5)
    assert (
        fixed.permutation(x).device
        == fixed.choice(x, 2).device
        == fixed.choice(x).device
        == fixed.permuted(x).device
        == x.device
    )
    assert str(RandomState(7, "cpu").randn(2).device) == "cpu"
    with pytest.raises(ValueError, match="nowhere"):
        default_rng(7, "nowhere")
    with pytest.raises(ValueError, match="nowhere"):
        Generator(np.random.PCG64(7), "nowhere")


def test_permuted_stays_on_its_device(device):
    x, here = cuarray.arange(5.0), cuarray.arange(5.0, device="cpu")
    if x.device == here.device:
        assert default_rng(7).permuted(x, out=np.zeros(5)).sum() == 10
        return
    for a, out in [(x, here), (here, x), (x, np.zeros(5))]:
        with pytest.raises((TypeError, ValueError), match=r"^permuted: .* on "):
            default_rng(7).permuted(a, out=out)


def test_numbers_do_not_depend_on_the_device(device):
    here, there = default_rng(7), default_rng(7, "cpu")
    for draw in (
        lambda r: r.random((3, 4), "f4"),
        lambda r: r.poisson(3.0, 50),
        lambda r: r.standard_gamma(2.0),
        lambda r: r.permutation(9),
    ):
        assert draw(here).tolist() == draw(there).tolist()


def test_results_are_beside_their_parameters(device):
    rng, x = default_rng(7, "cpu"), cuarray.asarray([0.5, 0.5])
    for drawn in (
        rng.normal(x), rng.standard_gamma(x), rng.integers(x.astype(int) + 1), rng.dirichlet(x), rng.poisson(x[1:]),
        rng.multivariate_normal(x, cuarray.eye(2)), RandomState(7, "cpu").normal(x),
    ):  # fmt: skip
        assert drawn.device == x.device
    assert (
        str(rng.choice(2, p=x).device) == str(rng.normal(size=2).device) == str(rng.normal([1.0, 2.0]).device) == "cpu"
    )
    if str(x.device) != "cpu":
        with pytest.raises(ValueError, match=r"^normal: .* on cpu and"):
            rng.normal(cuarray.zeros(2, device="cpu"), x)


# Threads and processes


def test_threads_share_a_generator():
    ours, theirs = pair()
    parts, each = [[] for _ in range(6)], 200

    def draw(part):
        for _ in range(each):
            part.append(ours.random(50))

    threads = [threading.Thread(target=draw, args=(part,)) for part in parts]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    # Each call drew one run of the numbers: together they are those of one thread.
    rows = sorted(tuple(row.tolist()) for part in parts for row in part)
    assert rows == sorted(map(tuple, theirs.random((6 * each, 50)).tolist()))
    assert_states(ours, theirs)


def test_threads_share_the_module():
    failures = []

    def use(seed):
        try:
            for _ in range(100):
                cuarray.random.seed(seed)
                state = cuarray.random.get_state()
                cuarray.random.normal(size=20)
                cuarray.random.shuffle(cuarray.arange(20))
                cuarray.random.set_state(state)
        except BaseException as error:
            failures.append(error)

    threads = [threading.Thread(target=use, args=(i,)) for i in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures


def test_forked_processes_have_the_numbers_of_the_parent():
    code = """
import os, cuarray as ca
rng = ca.random.default_rng(7)
child = os.fork()
numbers = rng.random(3, ).tolist() + ca.random.default_rng(7).random(3).tolist()
if child == 0: os._exit(0 if numbers[:3] == numbers[3:] else 3)
assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0 and numbers[:3] == numbers[3:]
"""
    subprocess.run([sys.executable, "-c", code], check=True, timeout=120)


# Names and signatures


def parameters(function):
    found = inspect.signature(function).parameters.values()
    return [(p.name, p.kind, None if p.name == "dtype" else p.default) for p in found if p.name != "device"]


@pytest.mark.parametrize("name", [n for n in dir(np.random.Generator) if not n.startswith("_")])
def test_methods_of_generators_are_numpys(name):
    ours, theirs = getattr(Generator, name), getattr(np.random.Generator, name)
    if callable(theirs):
        assert parameters(ours) == parameters(theirs)
    else:
        assert isinstance(ours, property)


@pytest.mark.parametrize("name", [n for n in dir(np.random.RandomState) if not n.startswith("_")])
def test_methods_of_randomstates_are_numpys(name):
    assert parameters(getattr(RandomState, name)) == parameters(getattr(np.random.RandomState, name))


def test_names_of_the_module_are_numpys():
    names = {*np.random.__all__, "get_bit_generator", "set_bit_generator"} & {*dir(np.random)}
    assert names <= {*cuarray.random.__all__} <= {*dir(np.random)} and len(set(cuarray.random.__all__)) == len(
        cuarray.random.__all__
    )
    assert set(dir(cuarray.random)) == set(cuarray.random.__all__)
    for name in names - {"Generator", "RandomState", "ranf", "sample"}:
        ours, theirs = getattr(cuarray.random, name), getattr(np.random, name)
        assert ours is theirs or parameters(ours) == parameters(theirs), name
    with pytest.raises(AttributeError, match=r"'test'; use numpy\.random\.test"):
        cuarray.random.test  # noqa: B018
    with pytest.raises(AttributeError, match=r"'no_such_name'$"):
        cuarray.random.no_such_name  # noqa: B018


def in_stub(node):
    """The signature of a function in the stub, as inspect has it."""
    names = {"np": np, "int": int}
    arguments = node.args.args
    defaults = [inspect.Parameter.empty] * (len(arguments) - len(node.args.defaults)) + node.args.defaults
    pairs = [*zip(arguments, defaults, strict=True), *zip(node.args.kwonlyargs, node.args.kw_defaults, strict=True)]
    if node.args.vararg:
        pairs.append((node.args.vararg, inspect.Parameter.empty))
    return [(a.arg, eval(ast.unparse(d), names) if isinstance(d, ast.expr) else d) for a, d in pairs]


def test_the_stub_has_the_signatures():
    tree = ast.parse(STUB.read_text("utf-8"))
    classes = {node.name: node for node in tree.body if isinstance(node, ast.ClassDef)}
    for kind in (Generator, RandomState):
        members = {node.name: node for node in classes[kind.__name__].body}
        public = {n for n in vars(kind) if not n.startswith("_")} | {"__init__"}
        assert members.keys() == public | ({"random_integers"} if kind is RandomState else set())
        for name in public - {"bit_generator"}:
            there = [(p.name, p.default) for p in inspect.signature(getattr(kind, name)).parameters.values()]
            assert in_stub(members[name]) == there, name
    functions = {node.name for node in tree.body if isinstance(node, ast.FunctionDef)}
    assigned = {node.targets[0].id: ast.unparse(node.value) for node in tree.body if isinstance(node, ast.Assign)}
    imported = {alias.asname for node in tree.body if isinstance(node, ast.ImportFrom) for alias in node.names}
    assert {*cuarray.random.__all__} <= functions | assigned.keys() | imported | classes.keys()
    for name, source in assigned.items():
        if name != "random_integers" or hasattr(RandomState, name):
            shared = eval(source, {"_shared": cuarray.random._shared})
            assert getattr(cuarray.random, name) == shared, name


# The module's functions


#: Methods of RandomState alone, with arguments.
OLDER = {
    "rand": "2, 3", "randn": "4", "random_sample": "(2, 3)", "random": "5", "ranf": "3", "sample": "3", "randint": "2, 9, (2, 2), 'u1'",
    "choice": "[1, 2, 3], 5, p=[0.2, 0.3, 0.5]", "permutation": "9",
}  # fmt: skip


def test_functions_draw_from_one_generator(device):
    cuarray.random.seed(7)
    theirs = np.random.RandomState(7)
    same_as = {"ranf": "random_sample", "sample": "random_sample"}
    for name in cuarray.random.__all__:
        if name not in SCALARS | OLDER or name == "default_rng":
            continue
        for arguments in (SCALARS | OLDER, ARRAYS):
            if name not in arguments or (name == "multinomial" and arguments is ARRAYS):  # which takes one n
                continue
            here = {"f": getattr(cuarray.random, name), "A": cuarray.asarray}
            there = {"f": getattr(theirs, same_as.get(name, name)), "A": np.asarray}
            for _ in range(2):
                assert_same(eval(f"f({arguments[name]})", here), eval(f"f({arguments[name]})", there), name)
    assert_same(cuarray.random.rand(), theirs.rand())
    assert_same(cuarray.random.randn(), theirs.randn())
    assert_same(cuarray.random.randint(5), theirs.randint(5))
    assert_same(cuarray.random.random(), theirs.random())
    x, y = cuarray.arange(12).reshape(4, 3), np.arange(12).reshape(4, 3)
    cuarray.random.shuffle(x)
    theirs.shuffle(y)
    assert (x.numpy() == y).all() and cuarray.random.bytes(5) == theirs.bytes(5)
    if hasattr(np.random, "random_integers"):
        with pytest.warns(DeprecationWarning, match="randint"):
            numbers = cuarray.random.random_integers(6, size=100)
        assert_same(numbers, theirs.randint(1, 7, 100))
    assert_older_states(cuarray.random, theirs)
    assert_same(RandomState(7).tomaxint(50), np.random.RandomState(7).tomaxint(50))


def assert_older_states(ours, theirs):
    assert plain(ours.get_state(legacy=False)) == plain(theirs.get_state(legacy=False))


def test_states_of_the_module():
    """NumPy's, exchangeable both ways at any point: the normal number that is left is part of them."""
    for draws in range(4):
        ours, theirs = RandomState(5), np.random.RandomState(5)
        for _ in range(draws):
            assert ours.randn() == theirs.randn()
        assert_older_states(ours, theirs)
        other, again = np.random.RandomState(), RandomState()
        for state in (ours.get_state(), ours.get_state(legacy=False)):
            other.set_state(state)
            again.set_state(state)
            assert other.randn() == again.randn() == np.random.RandomState(5).randn(draws + 1)[-1]
        again.set_state(theirs.get_state())
        for clone in (pickle.loads(pickle.dumps(again)), copy.deepcopy(again), copy.copy(RandomState(5))):
            assert type(clone) is RandomState
        clone = pickle.loads(pickle.dumps(again))
        assert clone.randn() == again.randn() == theirs.randn()
    state = cuarray.random.get_state()
    assert state[0] == "MT19937" and len(state) == 5
    np_state = np.random.get_state()  # noqa: NPY002
    try:
        np.random.set_state(state)  # noqa: NPY002
        assert np.random.standard_normal() == cuarray.random.standard_normal()  # noqa: NPY002
        cuarray.random.set_state(np.random.get_state())  # noqa: NPY002
        assert np.random.rand() == cuarray.random.rand()  # noqa: NPY002
    finally:
        np.random.set_state(np_state)  # noqa: NPY002
    cuarray.random.set_state(state)
    numbers = cuarray.random.rand(5).tolist()
    for again in (state, state[:3], list(state)):
        cuarray.random.set_state(again)
        assert cuarray.random.rand(5).tolist() == numbers
    cuarray.random.seed()
    assert cuarray.random.rand(5).tolist() != numbers
    cuarray.random.seed([1, 2])
    assert_older_states(cuarray.random, np.random.RandomState([1, 2]))
    for wrong in (3, "a", None):
        with pytest.raises(TypeError, match=r"^set_state: "):
            cuarray.random.set_state(wrong)


def test_the_bit_generator_of_the_module():
    before = cuarray.random.get_bit_generator()
    try:
        cuarray.random.set_bit_generator(np.random.PCG64(7))
        assert cuarray.random.normal().item() == np.random.RandomState(np.random.PCG64(7)).normal()
        assert cuarray.random.get_state(legacy=False)["bit_generator"] == "PCG64"
        cuarray.random.seed(3)
        assert cuarray.random.rand() == np.random.default_rng(3).random()
        with pytest.raises(TypeError, match="MT19937"):
            RandomState(np.random.PCG64(7)).seed(3)
    finally:
        cuarray.random.set_bit_generator(before)
    assert cuarray.random.get_bit_generator() is before


# Errors

BAD_CALLS = """
rng.random(-1) | rng.random((2, -1)) | rng.random('a') | rng.random(2.5) | rng.random(True) | rng.random({}) | rng.random([2, 'b'])
rng.random(3, 'i4') | rng.random(3, 'f2') | rng.random(dtype=int) | rng.random(3, 'nothing') | rng.random(size=3, out=A([0.0])) | rng.random(out=A([1]))
rng.random(out=F(3)) | rng.random(1, 2, 3, 4) | rng.random(shape=3) | rng.random(10**30) | rng.normal(size=10**30)
rng.standard_normal(3, 'c16') | rng.standard_normal(-3) | rng.standard_normal(2.0) | rng.standard_normal(out=F(3)) | rng.standard_normal(out=A([1]))
rng.standard_exponential(3, 'i8') | rng.standard_gamma(-1.0) | rng.standard_gamma(A([1.0, -1.0]))
rng.standard_gamma(A([1.0, 2.0]), 3) | rng.standard_gamma() | rng.standard_gamma('a') | rng.standard_gamma(1.0, 3, 'i4')
rng.normal(0, -1) | rng.normal(A([1.0, 2.0]), A([1.0, 2.0, 3.0])) | rng.normal('a') | rng.normal(None) | rng.normal(1j) | rng.normal(A([1j]))
rng.normal(size=-1) | rng.normal(size='x') | rng.normal(size=1.5) | rng.normal(1, 2, 3, 4) | rng.normal(mean=1) | rng.normal(A([1.0, 2.0]), size=3)
rng.beta(0, 1) | rng.beta(1) | rng.binomial(-1, 0.5) | rng.binomial(3, 1.5) | rng.binomial(3, A([0.5, np.nan]))
rng.chisquare(-1) | rng.dirichlet([-1.0, 2.0]) | rng.dirichlet(A([[1.0]])) | rng.dirichlet('a') | rng.exponential(-1) | rng.f(0, 1) | rng.gamma(-1)
rng.geometric(0) | rng.geometric(1.1) | rng.gumbel(0, -1) | rng.hypergeometric(5, 5, 11) | rng.hypergeometric(-1, 5, 2) | rng.laplace(0, -1)
rng.logistic(0, -1) | rng.lognormal(0, -1) | rng.logseries(1.0) | rng.logseries(-0.1) | rng.multinomial(-1, [0.5, 0.5]) | rng.multinomial(3, [0.9, 0.9, 0.1])
rng.multinomial(3, 0.5) | rng.multivariate_hypergeometric([3, 4], 8) | rng.multivariate_hypergeometric([-3, 4], 1) | rng.multivariate_hypergeometric(3, 1)
rng.multivariate_hypergeometric([3, 4], 2, method='x') | rng.multivariate_normal([0], [[1, 2]]) | rng.multivariate_normal(A([0, 0]), A([[1]]))
rng.multivariate_normal([0, 0], [[1, 2], [2, 1]], check_valid='raise') | rng.multivariate_normal([0], [[1]], method='x') | rng.multivariate_normal([0], [[1]], check_valid='x')
rng.multivariate_normal([0], [[1]], 1, 'warn', 1e-8, 'svd') | rng.multivariate_normal([[0]], [[1]]) | rng.multivariate_normal([0], A([[1j]]))
rng.negative_binomial(0, 0.5) | rng.negative_binomial(2, 1.5) | rng.noncentral_chisquare(0, 1) | rng.noncentral_f(1, 1, -1) | rng.pareto(0) | rng.poisson(-1)
rng.poisson(1e30) | rng.power(0) | rng.rayleigh(-1) | rng.standard_t(0) | rng.triangular(1, 0, 2) | rng.triangular(0, 0, 0) | rng.triangular(0, 1)
rng.uniform(0, np.inf) | rng.uniform(1, 0) | rng.uniform(A([0.0, 1.0]), A([1.0, np.nan])) | rng.vonmises(0, -1) | rng.wald(0, 1) | rng.weibull(-1) | rng.zipf(1.0)
rng.integers(0) | rng.integers(5, 2) | rng.integers(300, dtype='u1') | rng.integers(5, dtype='f4') | rng.integers(5, dtype='>i4') | rng.integers() | rng.integers(A([1, 2]), A([1, 1]))
rng.integers(-1, 5, dtype='u8') | rng.integers(2**70) | rng.integers('a') | rng.integers(5, size=-1) | rng.integers(5, size=2.5) | rng.integers(5, endpoint=2, d=1)
rng.choice([]) | rng.choice(0) | rng.choice(-3) | rng.choice(2.5) | rng.choice(3, 5, replace=False) | rng.choice(3, p=[0.5, 0.6, -0.1]) | rng.choice(3, p=[0.5, 0.5])
rng.choice(3, p=[0.5, 0.6, 0.7]) | rng.choice(A([1, 2]), axis=1) | rng.choice(A([1, 2]), -1) | rng.choice(3, 2.5) | rng.choice(A([1, 2]), p=A([[0.5, 0.5]])) | rng.choice()
rng.choice(3, 2, p=[1, 0, 0], replace=False) | rng.choice(3, 2, p=[np.nan, 0, 0])
rng.permutation(A(3)) | rng.permutation(3.5) | rng.permutation(A([1, 2]), 1) | rng.permutation(A([1, 2]), -2) | rng.permutation() | rng.permutation(A([1, 2]), 'a')
rng.permuted(A(3)) | rng.permuted(3) | rng.permuted(A([1, 2]), axis=1) | rng.permuted(A([1, 2]), 0) | rng.permuted(A([1.5, 2]), out=A([1, 2])) | rng.permuted(A([1, 2]), out=A([1, 2, 3]))
rng.permuted(A([1, 2]), out=[1, 2]) | rng.permuted(A([0.0, 1, 2]), out=F(3)) | rng.permuted(A([1, 2]), axis='a')
rng.shuffle(A(3)) | rng.shuffle(3) | rng.shuffle(A([1, 2]), 1) | rng.shuffle(A([1, 2]), -2) | rng.shuffle([1, 2], 1) | rng.shuffle(F(3)) | rng.shuffle(F(3, 2)) | rng.shuffle() | rng.shuffle((1, 2))
rng.bytes('a') | rng.bytes() | rng.spawn('a') | rng.spawn(-1) | rng.spawn()
"""
CALLS = [call.strip() for line in BAD_CALLS.strip().splitlines() for call in line.split(" | ")]


def refusal(call, names):
    """The type of the error that a call raises; that of what it returns, if it does not."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return "no error", eval(call, names)
        except Exception as error:
            return type(error), str(error)


def not_ours(text):
    """Whether a text is that of a conversion before the method: to an integer or a dtype."""
    return text.startswith(("'str' object cannot be interpreted", "data type 'nothing'"))


@pytest.mark.parametrize("call", CALLS)
def test_errors_are_numpys(call, device):
    ours, theirs = pair()
    there = {"np": np, "rng": theirs, "A": np.asarray, "F": lambda *s: np.broadcast_to(np.zeros(1), s)}
    here = {"np": np, "rng": ours, "A": cuarray.asarray, "F": lambda *s: cuarray.broadcast_to(cuarray.zeros(1), s)}
    (kind, text), (expected, reason) = refusal(call, here), refusal(call, there)
    assert kind == expected, f"{call}: {text!r} instead of {reason!r}"
    assert kind != "no error", call
    assert_states(ours, theirs)
    for said in (text, refusal(call, here | {"rng": Generator(cuarray.random.Philox(7))})[1]):
        name = call[len("rng.") : call.index("(")]
        is_named = said.startswith(name) or re.search(rf"{name}\(\)|for {name}$", said)  # Python's words, and NumPy's
        assert is_named or not_ours(said), said


@pytest.mark.parametrize(
    "seed", [-1, "a", 1.5, [1, -1], [1.5], {}, object(), b"ab", np.float64(2), -(2**70)], ids=lambda x: type(x).__name__
)
def test_bad_seeds(seed):
    kind, _ = refusal("f(seed)", {"f": np.random.default_rng, "seed": seed})
    older, _ = refusal("f(seed)", {"f": np.random.RandomState, "seed": seed})
    for function in (default_rng, RandomState, cuarray.random.seed):
        expected = kind if function is default_rng else older
        assert refusal("f(seed)", {"f": function, "seed": seed})[0] == expected


@pytest.mark.parametrize(
    "bit_generator", [3, None, np.random.PCG64, "PCG64", np.random.SeedSequence(3)], ids=lambda x: str(type(x))
)
def test_bad_bit_generators(bit_generator):
    kind, _ = refusal("f(b)", {"f": np.random.Generator, "b": bit_generator})
    assert kind != "no error" and refusal("f(b)", {"f": Generator, "b": bit_generator})[0] == kind
    assert refusal("f(b)", {"f": cuarray.random.set_bit_generator, "b": bit_generator})[0] == kind


def test_our_own_texts_name_the_function(device):
    rng = default_rng(1)
    with pytest.raises(TypeError, match=r"^normal: a masked array"):
        rng.normal(np.ma.ones(2))
    with pytest.raises(TypeError, match=r"^shuffle: "):
        rng.shuffle(cuarray.asarray(3))
    with pytest.raises(ValueError, match=r"^shuffle: .*read-only"):
        rng.shuffle(cuarray.broadcast_to(cuarray.zeros(1), (3,)))
    with pytest.raises(TypeError, match=r"^permuted: "):
        rng.permuted([1, 2], out=[1, 2])
    with pytest.raises(ValueError, match=r"^permuted: .*read-only"):
        rng.permuted([1, 2], out=cuarray.broadcast_to(cuarray.zeros(1, int), (2,)))
    with pytest.raises(ValueError, match=r"^choice: a must have one axis"):
        cuarray.random.choice(cuarray.ones((2, 2)))


def test_texts_and_objects(device):
    """No arrays here hold them: they stay NumPy's, in NumPy's order."""
    ours, theirs = pair()
    words = ["a", "bc", "d", "e"]
    for call in (
        lambda r: r.choice(words), lambda r: r.choice(words, 3), lambda r: r.choice(words, (2, 2), p=[0.1, 0.2, 0.3, 0.4]),
        lambda r: r.choice(words, 2, replace=False), lambda r: r.choice(np.array([words, words]), 3, axis=1),
        lambda r: r.choice(np.array([{}, None, 3], object), 2), lambda r: r.permutation(words), lambda r: r.permuted(words),
        lambda r: r.choice(np.array(["2020-01-01", "2021-01-01"], "M8[D]"), 5),
    ):  # fmt: skip
        mine, other = call(ours), call(theirs)
        assert type(mine) is type(other) and np.array_equal(mine, other)
    assert_states(ours, theirs)
    old, older = RandomState(3), np.random.RandomState(3)
    assert old.choice(words, 5).tolist() == older.choice(words, 5).tolist()
    assert old.permutation(words).tolist() == older.permutation(words).tolist()
    # Of our own Philox: the entries at the positions that it draws.
    for size, replace, p in (
        (None, True, None),
        (3, True, None),
        ((2, 2), True, [0.1, 0.2, 0.3, 0.4]),
        (2, False, None),
    ):
        where = Generator(cuarray.random.Philox(5)).choice(4, size, replace, p).numpy()
        picked = Generator(cuarray.random.Philox(5)).choice(words, size, replace, p)
        assert np.array_equal(picked, np.asarray(words)[where])


def test_memory_that_is_not_there_is_an_error():
    x = cuarray.ones(3, device="cpu")
    with cuarray.memory.limit(2**20, "cpu"), cuarray.device("cpu"), pytest.raises(MemoryError):
        default_rng(1).random(2**20)
    assert x.sum() == 3
