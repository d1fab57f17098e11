"""Reductions: NumPy's values, types, shapes and errors; their order of folding depends only on the shape."""

import inspect
import itertools
import math
import pickle
import re
from pathlib import Path

import numpy as np
import pytest
from layouts import LAYOUTS, unaligned
from oracle import bits, same_bits
from same import agree

import cuarray
from cuarray import _core

NAMES = {
    "x": lambda xp: xp.arange(24).reshape(2, 3, 4) - 7,
    "f": lambda xp: xp.asarray([[1.5, -2.0, 0.25], [4.0, 0.0, -8.5]]),
    "c": lambda xp: xp.asarray([[1 + 2j, 4 - 3j], [0.5, 2 - 1j]]),
    "b": lambda xp: xp.asarray([[True, False], [True, True]]),
    "u": lambda xp: xp.asarray([[200, 100], [255, 1]], "u1"),
    "n": lambda xp: xp.asarray([[1.0, np.nan, 3.0], [np.nan, np.nan, -1.0]]),
    "e": lambda xp: xp.zeros((0, 3)),
    "s": lambda xp: xp.asarray(-2.5),
    "m": lambda xp: xp.asarray([[True, False, True], [False, False, True]]),
}
ROWS = {row["name"]: row for row in _core.reductions()}
PUBLIC = {name: row for name, row in ROWS.items() if row["parameters"]}
#: Those that NumPy has too; the others are compared in tests/oracle.
NAMED = [*(name for name in PUBLIC if hasattr(np, name)), "var", "std"]
WITH_ONE_AXIS = {name for name, row in ROWS.items() if "GivesIndex" in row["flags"]}


def test_rows_are_what_functions_and_methods_are_made_of():
    assert {"sum", "count_nonzero", "argmax"} <= PUBLIC.keys() and len(NAMED) >= 12
    assert all(row["ufunc"] in _core.ufuncs or row["ufunc"] is None for row in ROWS.values())
    assert {name for name, row in ROWS.items() if row["is_method"]} <= PUBLIC.keys()
    for name, row in ROWS.items():
        assert (name in cuarray._functions.reductions.__all__) == (name in PUBLIC)
        assert hasattr(cuarray.ndarray, name) or not row["is_method"]


@pytest.mark.parametrize("name", PUBLIC)
def test_signatures_stand_in_the_row(name):
    """The function, the method, the stubs and the docstrings say what the row does, of parameters and of an example."""
    row, function = PUBLIC[name], getattr(cuarray, name)
    listed = re.sub(r"=[^,)]*", "", str(inspect.signature(function)))
    assert listed == row["parameters"].replace("(", "(a, ")
    text, doc = f"ca.{name}({row['sample']}, axis=0)\n{row['example']}", inspect.getdoc(function)
    assert row["doc"] in doc and text in doc and pickle.loads(pickle.dumps(function)) is function
    if row["is_method"]:
        method = getattr(cuarray.ndarray, name)
        ours, theirs = (str(inspect.signature(of)).split(", ", 1)[1] for of in (method, function))
        assert re.sub(r"initial=[^,)]*", "", ours.removeprefix("/, ")) == re.sub(r"initial=[^,)]*", "", theirs)
        assert row["doc"] in method.__doc__ and row["example"] in method.__doc__
    package = Path(cuarray.__file__).parent
    for stub, indent in [("__init__.pyi", ""), *([("_core.pyi", "    ")] if row["is_method"] else [])]:
        found = re.findall(
            rf"^{indent}def {name}\(\w+(?:: \w+)?, (.*)\) -> ndarray:", (package / stub).read_text(), re.MULTILINE
        )
        names = [re.split("[:=]", parameter)[0] for parameter in re.split(r", (?=\*|\w+:)", found[0])]
        assert f"({', '.join(names)})" == row["parameters"], stub


@pytest.mark.parametrize("name", [name for name, row in PUBLIC.items() if "initial" in row["parameters"]])
def test_map_keeps_an_initial_value(name, device):
    """The fold maps an initial value as it maps an element."""
    assert getattr(cuarray, name)([], initial=3).item() == 3


@pytest.mark.parametrize("name", [name for name, row in PUBLIC.items() if "where" in row["parameters"]])
def test_elements_that_where_leaves_out_change_nothing(name, device):
    """The fold maps the identity, which takes their place, as it maps an element; rows without one need an initial."""
    start = {} if ROWS[name]["has_identity"] else {"initial": 3}
    function = getattr(cuarray, name)
    masked = function([7.0, 3.0, 5.0], where=[False, True, True], **start)
    assert masked.item() == function([3.0, 5.0], **start).item()


@pytest.mark.parametrize("array", ["x", "f", "c", "b", "u", "n", "e"])
@pytest.mark.parametrize("name", NAMED)
def test_axes(name, array, device):
    shape = NAMES[array](np).shape
    axes = [None, *range(-len(shape) - 1, len(shape) + 1)]
    if name not in WITH_ONE_AXIS:
        axes += [(), (0,), *itertools.permutations(range(len(shape)), 2), (0, 0)]
    rtol = 1e-15 if name in ("mean", "var", "std", "prod") else 0
    for axis, keepdims in itertools.product(axes, (False, True)):
        if name == "count_nonzero" and axis is None and not keepdims:
            assert cuarray.count_nonzero(NAMES[array](cuarray)).item() == np.count_nonzero(NAMES[array](np))
            continue
        agree(f"xp.{name}({array}, axis={axis}, keepdims={keepdims})", NAMES, rtol=rtol)


@pytest.mark.parametrize("name", NAMED)
def test_arrays_without_axes(name, device):
    """They can be reduced over no axes; some of NumPy's functions also accept axis 0, as all do in cuarray."""
    for axis in (None, ()) if name not in WITH_ONE_AXIS else (None,):
        agree(f"xp.{name}(xp.asarray(-2.5), axis={axis}, keepdims=True)", rtol=1e-15)
    s = cuarray.asarray(-2.5)
    assert (
        bits(getattr(cuarray, name)(s, axis=0))
        == bits(getattr(cuarray, name)(s, axis=-1))
        == bits(getattr(cuarray, name)(s))
    )
    with pytest.raises(np.exceptions.AxisError):
        getattr(cuarray, name)(s, axis=1)


@pytest.mark.parametrize(
    "expression",
    [
        "xp.sum(x, dtype='f4')", "xp.sum(f, dtype='i4')", "xp.sum(u)", "xp.sum(u, dtype='u1')", "xp.sum(b)", "xp.sum(b, axis=0, initial=5)", "xp.sum(b, dtype=bool)", "xp.sum(u, axis=0, initial=5)",
        "xp.sum(f, where=m)", "xp.sum(f, axis=1, where=m, initial=10)", "xp.sum(f, out=xp.empty(()))", "xp.sum(f, 0, None, xp.empty(3))", "xp.sum(f, 0, out=xp.empty(2))",
        "xp.sum(x, 0, out=xp.empty((3, 4), 'f4'))", "xp.sum(c, dtype='f8')", "xp.sum([])", "xp.sum(5)", "xp.sum(f, initial=None)",
        "xp.prod(f, where=m)", "xp.prod(u)", "xp.prod(x, axis=2, initial=2)", "xp.prod([])", "xp.prod(b)", "xp.prod(f, dtype='f4')",
        "xp.max(f, where=m)", "xp.max(f, where=m, initial=-1)", "xp.max(f, axis=0, initial=2)", "xp.max([])", "xp.max(e, axis=1)", "xp.max(e, axis=0, initial=3)", "xp.max(b)",
        "xp.min(x, (0, 2))", "xp.min(c)", "xp.max(c, 0)", "xp.amax(x)", "xp.amin(x, 1)", "xp.max(x, out=xp.empty((), int))",
        "xp.mean(x)", "xp.mean(x, dtype='f4')", "xp.mean(u, 0)", "xp.mean(f, where=m)", "xp.mean(f, 1, where=m, keepdims=True)", "xp.mean([])", "xp.mean(e, 0)", "xp.mean(b)",
        "xp.mean(f, out=xp.empty((), 'f4'))", "xp.any(f, where=m)", "xp.all(f, 0, where=m)", "xp.any([])", "xp.all([])", "xp.any(f, out=xp.empty((), bool))", "xp.all(n)",
        "xp.argmax([3, 1, 3])", "xp.argmin([3, 1, 1])", "xp.argmax([])", "xp.argmax(e, 1)", "xp.argmax(f, 0, xp.empty(3, int))", "xp.argmax(f, (0, 1))", "xp.argmax(b, 1)",
        "xp.argmin(n)", "xp.argmin(f.T)", "xp.argmax((x * 5 % 7).T)", "xp.argmin(n, 1)", "xp.argmax(c)", "xp.argmin(u, axis=0)", "xp.argmax(x, keepdims=True)",
        "xp.var(x, ddof=1)", "xp.var(x, correction=1)", "xp.var(x, ddof=1, correction=1)", "xp.std(f, 0)", "xp.std(f, axis=1, ddof=1, keepdims=True)", "xp.var(f, where=m)",
        "xp.var(c)", "xp.std(c, 0)", "xp.var(b)", "xp.var(u, dtype='f4')", "xp.var(f, mean=xp.mean(f, keepdims=True))", "xp.var([])", "xp.std([1], ddof=1)", "xp.var(f, out=xp.empty(()))",
        "xp.var(s)", "f.sum(0)", "f.prod()", "f.max(axis=1)", "f.min()", "f.mean(0)", "f.any()", "f.all(1)", "f.argmax()", "f.argmin(0)", "f.var(ddof=1)", "f.std(1)",
        "f.sum(axis=0, keepdims=True)", "f.sum(0, 'f4')", "xp.sum(f, 0, keepdims=True).shape", "xp.sum([f, f])",
        "xp.add.reduce(x)", "xp.add.reduce(x, axis=None)", "xp.multiply.reduce(x, 1)", "xp.maximum.reduce(x, axis=(0, 1))", "xp.add.reduce(u)", "xp.subtract.reduce(x, 2)",
        "xp.logical_and.reduce(x)", "xp.bitwise_or.reduce(x, 0)", "xp.add.reduce(f, where=m, initial=1)", "xp.subtract.reduce(f, axis=(0, 1))", "xp.minimum.reduce([])",
        "xp.gcd.reduce(xp.abs(x))", "xp.gcd.reduceat([-2, -4, 6], [0, 1, 2])", "xp.gcd.reduceat([-2, -4, 6], [0, 2])", "xp.hypot.reduce(f)", "xp.add.reduce(s)", "xp.multiply.outer([1, 2], [3, 4])", "xp.subtract.outer(f, [1, 2])", "xp.power.reduce([2, 3, 2])",
        "xp.logical_or.reduce(x[:1] * 0, initial=0.5)", "xp.logical_and.reduce(n, initial=1e-300)", "xp.logical_xor.reduce(u, 0, initial=256)", "xp.logical_xor.reduce(b, initial=1j)", "xp.logical_or.reduce([0], initial=-(2**200))",
        "xp.logical_or.reduce(e, 1, initial=np.float64(0.5))", "xp.logical_or.reduce([0], initial=xp.asarray(0.5))", "xp.logical_or.reduce([0], initial=xp.nan)", "xp.logical_and.reduce(f > 0, 0, initial=-0.0)", "xp.equal.reduce(b, initial=2j)", "xp.multiply.reduce(b, dtype=bool, initial=0.5)",
        "xp.sum(x, 0, initial=3, where=False)", "xp.hypot.reduce([], initial=-2)", "xp.gcd.reduce(xp.ones((0, 2), int), 0, initial=-2)",
        "xp.logaddexp.reduce(xp.ones((2, 0)), 1, initial=3)",
        "xp.var(xp.zeros(0, 'f4'), ddof=-1)", "xp.std(xp.zeros(0, 'f2'), ddof=-2)", "xp.var(xp.zeros((2, 0), 'c8'), 1, ddof=-1)", "xp.var(f, 0, 'f4', ddof=-1, where=False)", "xp.var(e, 1, ddof=-1)",
        "xp.divide.reduce(f, 1)", "xp.bitwise_xor.reduce(b)", "xp.logaddexp.reduce(f)", "xp.fmax.reduce(n, 0)",
    ],
)  # fmt: skip
def test_keywords(expression, device):
    agree(expression, NAMES, rtol=1e-6 if "f4" in expression else 2e-15)


@pytest.mark.parametrize(
    "expression",
    [
        "xp.add.reduce([], initial=-0.0)", "xp.sum(e, 0, initial=-0.0)", "xp.sum(f, 1, initial=-0.0, where=False)", "xp.prod([], initial=-0.0)",
        "xp.sum(f * 1j, 0, initial=complex(-0.0, -0.0), where=False)", "xp.sum(f, initial=-0.0, where=False)", "xp.sum([], initial=0.0)", "xp.sum(f, where=False)",
    ],
)  # fmt: skip
def test_an_initial_zero_keeps_its_sign(expression, device):
    agree(expression, NAMES)


NUMBERS = [t for t in map(_core.dtype, _core.dtype_names()) if t.name != "bfloat16"]


@pytest.mark.parametrize("type", NUMBERS, ids=str)
@pytest.mark.parametrize("name", NAMED)
def test_types(name, type, device):
    """Every type that NumPy reduces: the type and value of the result, also along each axis."""
    values = {"a": lambda xp: xp.asarray(np.array([[1, 0, 3], [5, 7, 1]]).astype(type))}
    rtol = {"float16": 2e-3, "float32": 1e-6, "complex64": 1e-6}.get(type.name, 1e-15)
    for axis in (0, 1):
        agree(f"xp.{name}(a, axis={axis})", values, rtol=rtol)


@pytest.mark.parametrize("name", NAMED)
def test_bfloat16(name, device):
    a = cuarray.asarray([[1, 0, 3], [5, 7, 1]], dtype="bfloat16")
    got, want = getattr(cuarray, name)(a, axis=0), getattr(np, name)(a.astype("f4").numpy(), axis=0)
    same_type = name in ("any", "all", "count_nonzero", "argmax", "argmin")
    assert got.dtype == (want.dtype if same_type else cuarray.bfloat16)
    np.testing.assert_allclose(got.astype("f8").numpy(), want, rtol=2**-7)


SHAPES = [(1,), (7,), (31,), (32,), (33,), (255,), (256,), (257,), (1023,), (4097,), (100_003,), (1, 5000), (5000, 1), (3, 4099), (4099, 3),
          (64, 64), (17, 5, 33), (2, 3, 1, 5), (1000, 17), (17, 1000), (40, 1, 50)]  # fmt: skip


EXACT = {
    "bool": ["maximum", "minimum", "bitwise_and", "bitwise_or", "bitwise_xor", "logical_xor", "fmax", "fmin"],
    "int8": ["maximum", "bitwise_and", "bitwise_xor", "logical_xor", "gcd", "fmin"],
    "uint16": ["minimum", "bitwise_or", "logical_xor", "gcd"],
    "int64": ["bitwise_and", "bitwise_or", "bitwise_xor", "gcd"],
    "float16": ["fmax", "logical_xor"],
    "float32": ["fmax", "fmin", "logical_and", "logical_or", "logical_xor"],
    "complex64": ["logical_and", "logical_or", "fmax"],
}


@pytest.mark.parametrize("share", [0.001, 0.5, 0.999])
@pytest.mark.parametrize("type", EXACT)
@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_folds_that_do_not_round(shape, type, share, rng, device):
    """With few, some and many nonzero elements, down columns and along rows: NumPy's values."""
    present = rng.random(shape) < share
    x = (present * rng.integers(1, 100, shape)).astype(type)
    if type in ("float16", "float32"):
        x[rng.random(shape) < 0.3] = np.nan
    array = cuarray.asarray(x)
    for axis in (None, *range(x.ndim)):
        for name in EXACT[type]:
            got, want = getattr(cuarray, name).reduce(array, axis=axis), getattr(np, name).reduce(x, axis=axis)
            np.testing.assert_array_equal(got.numpy(), want, err_msg=name)
        for name in ("any", "all", "count_nonzero", "argmax", "argmin", *(["mean"] if type == "bool" else [])):
            got, want = getattr(cuarray, name)(array, axis=axis), getattr(np, name)(x, axis=axis)
            np.testing.assert_array_equal(cuarray.asarray(got).numpy(), want, err_msg=name)


@pytest.mark.parametrize("size", [1, 5, 16, 17, 64, 300, 5000, 40000])
@pytest.mark.parametrize("type", ["float16", "float32", "float64"])
@pytest.mark.parametrize("name", ["maximum", "minimum", "fmax", "fmin"])
def test_zeros_and_nans_are_chosen_in_order(name, type, size, rng, device):
    """The sign of a zero and the bits of a NaN depend on the fold order, which lines and columns share."""
    reduce = getattr(cuarray, name).reduce
    other = -1.0 if "max" in name else 1.0
    nans = np.array([np.nan, -np.nan]).astype(type)
    for numbers in ([0.0, -0.0], [0.0, -0.0, other], [0.0, other], [-0.0, other], [0.0, other, *nans], nans):
        x = rng.choice(np.array(numbers, type), size)
        down = reduce(cuarray.asarray(np.stack([x] * 40, 1), device=device), axis=0)
        along = reduce(cuarray.asarray(np.stack([x] * 3), device=device), axis=1)
        whole = reduce(cuarray.asarray(x, device=device))
        assert len({v.numpy().tobytes() for v in (*down, *along, whole)}) == 1, numbers


@pytest.mark.parametrize("size", [4095, 4097, 16_384, 16_385, 100_003])
@pytest.mark.parametrize("type", ["uint8", "int16", "int32", "int64", "float16", "float32", "float64"])
def test_extremes_of_large_arrays_at_any_place(type, size, rng, device):
    """Around the sizes of blocks and chunks, at addresses that are no multiple of a vector's size."""
    numbers = rng.integers(1, 100, size + 3).astype(type)
    for start in (0, 3):
        for place in (0, 1, 4096, 8192, 16_384, size // 2, size - 1):
            if place >= size:
                continue
            for sign in (1, -1):
                x = numbers[start : start + size].copy()
                x[place] = 0
                x = sign * x if sign < 0 and type != "uint8" else x
                whole = np.concatenate([numbers[:start], x])
                ours = cuarray.asarray(whole, device=device)[start:]
                assert ours.argmin() == x.argmin() and ours.argmax() == x.argmax()
                assert ours.min() == x.min() and ours.max() == x.max()
                if np.issubdtype(x.dtype, np.floating):
                    assert np.signbit(ours.max().item()) == np.signbit(x.max())
                    assert np.signbit(ours.min().item()) == np.signbit(x.min())


@pytest.mark.parametrize("rows", range(1, 19))
@pytest.mark.parametrize("type", ["int8", "int64", "float16", "float32", "float64", "complex64"])
def test_few_rows_fold_as_lines(rows, type, rng, device):
    x = cuarray.asarray((rng.standard_normal((rows, 1500)) * 100).astype(type), device=device)
    for name in ("add", "multiply", "maximum", "fmin"):
        reduce = getattr(cuarray, name).reduce
        assert same_bits(reduce(x, axis=0).numpy(), reduce(x.T.copy(), axis=1).numpy()).all(), name


@pytest.mark.parametrize("rows", [1, 3, 16, 17, 33, 50, 64, 65, 300])
@pytest.mark.parametrize("type", ["int8", "float16", "float32", "float64"])
def test_columns_of_expressions(rows, type, rng, device):
    """Rows longer than a block of the host's loops: the bits of the reduction of an array."""
    a, b = (
        cuarray.array(rng.integers(-9, 10, (rows, 2500)).astype(type)) for _ in range(2)
    )  # copies: they can be deferred
    eager = a * b + a
    for name in ("sum", "max", "ptp", "any", "all", "count_nonzero", "argmax", "argmin"):
        with cuarray.fuse():
            got = getattr(cuarray, name)(a * b + a, axis=0)
        assert bits(got) == bits(getattr(cuarray, name)(eager, axis=0)), name


@pytest.mark.parametrize("name", ["hypot", "gcd", "logical_xor", "logaddexp"])
def test_one_element_is_folded_with_the_identity(name, device):
    x = np.array([[-5]])
    for axis in (None, 0, 1):
        got, want = getattr(cuarray, name).reduce(cuarray.asarray(x), axis=axis), getattr(np, name).reduce(x, axis=axis)
        assert (got.tolist(), got.dtype) == (want.tolist(), want.dtype)


def exact_sum(x, axis):
    return np.apply_along_axis(lambda line: math.fsum(line.tolist()), axis, x) if x.size else x.sum(axis)


@pytest.mark.parametrize("type", ["float32", "float64"])
@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_sums_are_accurate(shape, type, rng, device):
    """Within the bound of pairwise summation: eps * (log2 n + 4) * sum of magnitudes."""
    x = rng.standard_normal(shape).astype(type)
    for axis in range(x.ndim):
        n = shape[axis]
        bound = np.finfo(type).eps * (math.log2(n) + 4) * np.abs(x.astype("f8")).sum(axis)
        for name in ("sum", "mean"):
            got = getattr(cuarray, name)(cuarray.asarray(x), axis=axis).numpy()
            want = exact_sum(x, axis) / (n if name == "mean" else 1)
            assert (np.abs(got.astype("f8") - want) <= bound).all()
    total = cuarray.asarray(x).sum().item()
    assert (
        abs(total - math.fsum(x.ravel().tolist()))
        <= np.finfo(type).eps * (math.log2(x.size) + 4) * np.abs(x.astype("f8")).sum()
    )


def test_a_long_sum_of_equal_values(device, full):
    n = 2**24 if full else 2**22
    x = cuarray.full(n, 0.1, dtype="f4")
    exact = float(np.float32(0.1)) * n
    assert abs(x.sum().item() - exact) <= 4 * np.spacing(np.float32(exact))
    assert abs(x.mean().item() - float(np.float32(0.1))) <= 4 * np.spacing(np.float32(0.1))


def test_half_types_are_added_in_float32(device):
    assert cuarray.ones(5000, "f2").sum().item() == 5000
    assert cuarray.ones(4096, "bfloat16").sum().item() == 4096
    assert cuarray.full(10_000, 100, "f2").mean().item() == 100


def exact_variance(x, where=True, **options):
    """The variance in long double about a long double mean."""
    wide = x.astype(np.clongdouble if x.dtype.kind == "c" else np.longdouble)
    axis = options.get("axis")
    away = wide - wide.mean(axis, keepdims=True, where=where)
    squares = (away.real**2 + away.imag**2).sum(axis, where=where)
    count = np.broadcast_to(where, x.shape).sum(axis)
    return squares / (count - options.get("ddof", options.get("correction", 0)))


@pytest.mark.parametrize("options", [{}, {"axis": 0}, {"axis": 1, "ddof": 1}, {"correction": 2.5}], ids=str)
@pytest.mark.parametrize("masked", [False, True], ids=["all", "masked"])
@pytest.mark.parametrize(
    ("dtype", "centre", "most"),
    [("f4", 1e8, 1e-6), ("c8", 1e7 * (1 + 1j), 1e-6), ("f8", 1e9, 1e-12), ("c16", 1e9j, 1e-12), ("f2", 1000, 1e-3)],
)
def test_variance_far_from_zero(dtype, centre, most, masked, options, rng, device):
    """The error of a rounded mean may be as large as the spread of the numbers; the result must be unaffected."""
    x = centre + 20 * rng.standard_normal((300, 70))
    if dtype[0] == "c":
        x = x + 7j * rng.standard_normal(x.shape)
    x = x.astype(dtype)
    where = rng.random(x.shape) < 0.7 if masked else True
    want = exact_variance(x, where, **options)
    options = {**options, "where": cuarray.asarray(where)} if masked else options
    got = cuarray.var(cuarray.asarray(x), **options)
    assert got.dtype == np.empty(0, dtype).real.dtype
    np.testing.assert_allclose(got.numpy(), want.astype("f8"), rtol=most)
    np.testing.assert_allclose(
        cuarray.std(cuarray.asarray(x), **options).numpy(), np.sqrt(want).astype("f8"), rtol=most
    )


def test_variance_of_equal_numbers_is_zero(device):
    for number in (0.1, 1e8 + 8, -3e30):
        x = cuarray.full(100_001, number, dtype="f4")
        assert x.var().item() == cuarray.nanvar(x).item() == x.var(where=x != 0).item() == 0


@pytest.mark.parametrize("dtype", ["f4", "c8"])
@pytest.mark.parametrize("centre", [1, 1e4, 1e7])
def test_variances_with_a_mask_are_those_without(dtype, centre, rng, device):
    """The squares are added in double precision in both cases."""
    x = cuarray.asarray((centre + rng.standard_normal((500, 7))).astype(dtype))
    for axis in (None, 0, 1):
        for name in ("var", "std"):
            want = getattr(x, name)(axis).numpy()
            for got in (getattr(cuarray, "nan" + name)(x, axis), getattr(x, name)(axis, where=x == x)):
                np.testing.assert_array_max_ulp(got.numpy(), want, 1)


@pytest.mark.parametrize(
    "call", ["(x * 1.5).sum()", "(x - x).sum()", "(x * 1.5).prod(axis=1)", "(x / 2).mean(axis=0)", "(x * 1.5).std()"]
)
@pytest.mark.parametrize("type", ["f2", "f4", "f8", "c8", "c16"])
def test_a_nan_has_one_sign(call, type, rng):
    """Compilers and processors choose the operand whose sign and payload a NaN gets."""
    for shape in ((1, 1), (5, 20), (1, 1000), (3000, 7)):
        x = rng.standard_normal(shape).astype(type)
        x[rng.random(shape) < 0.3] = rng.choice([np.nan, -np.nan, np.inf, -np.inf])
        x[-1, -1], x[0, 0] = -np.nan, np.nan
        with cuarray.device("cpu"):
            x = cuarray.asarray(x)
            plain, fused = (f(x).numpy() for f in (lambda x: eval(call), cuarray.fuse(lambda x: eval(call))))
        assert plain.tobytes() == fused.tobytes()
        assert not np.signbit(plain.real[np.isnan(plain.real)]).any()


def test_variance_of_nothing_and_of_too_few(device):
    x = cuarray.asarray([1.0, 3.0], dtype="f4")
    none = cuarray.asarray([False, False])
    for result in (x[:0].var(), x.var(where=none), x[:0].std(), cuarray.ones((0, 2), "f4").var(axis=0)):
        assert np.isnan(result.numpy()).all()
    assert np.isinf(x.var(ddof=2).item()) and np.isinf(x.std(correction=5).item())
    assert np.isnan(x[:1].var(ddof=1).item())
    assert cuarray.ones((0, 3)).var(axis=1).shape == (0,)
    assert np.isnan(cuarray.asarray([1, np.inf], dtype="f4").var().item())


def test_a_masked_mean_counts_exactly(device):
    """2**24 + 1 is not a float32."""
    count = 2**24 + 1
    x = cuarray.ones(count + 1, "f4")
    where = cuarray.arange(count + 1) < count
    x[1::2] = 0  # so that the sum is one
    assert x.mean(where=where).item() == np.float32((count + 1) // 2 / count) != np.float32((count + 1) // 2 / 2**24)


def test_a_mask_may_be_one_bool_but_no_number(device):
    x = cuarray.arange(4.0)
    assert x.sum(where=False).item() == 0 and x.sum(where=np.True_).item() == 6
    assert cuarray.add(x, 1, where=np.True_).tolist() == [1, 2, 3, 4]
    for call in (x.sum, lambda where: cuarray.add(x, 1, where=where)):
        for mask in (1, 0, 1.5, np.int8(1), [1, 0, 1, 0]):
            with pytest.raises(TypeError, match="bool"):
                call(where=mask)


# The order of folding


@pytest.mark.parametrize("name", ["sum", "prod", "mean", "max", "argmax", "var"])
@pytest.mark.parametrize("shape", [(257,), (37, 41), (5, 130, 7), (3, 2000)], ids=str)
def test_layout_changes_no_bit(name, shape, rng, device):
    x = (rng.standard_normal(shape) + 1).astype("f4")
    for axis in (None, *range(len(shape))):
        want = bits(getattr(cuarray, name)(cuarray.asarray(x), axis=axis))
        for recipe in LAYOUTS:
            if recipe.__name__ == "fortran":
                continue  # the fold follows the order of the axes in memory
            got = getattr(cuarray, name)(recipe(x), axis=axis)
            assert bits(got) == want, (recipe.__name__, axis)


def test_threads_change_no_bit(rng, device):
    x = cuarray.asarray(rng.standard_normal((700, 1100)).astype("f4"))
    before = cuarray.get_num_threads()
    results = []
    try:
        for threads in (1, 2, 3):
            cuarray.set_num_threads(threads)
            results.append([bits(x.sum(axis)) for axis in (None, 0, 1)] + [bits(x.var())])
    finally:
        cuarray.set_num_threads(before)
    assert results[0] == results[1] == results[2]


def test_operand_type_changes_no_bit(rng, device):
    """The order is a function of the accumulator's type, not of the operands'."""
    x = rng.integers(-1000, 1000, (50, 70))
    small, wide = cuarray.asarray(x.astype("i2")), cuarray.asarray(x.astype("f8"))
    for axis in (None, 0, 1):
        assert bits(small.sum(axis, dtype="f8")) == bits(wide.sum(axis))


# NaN


@pytest.mark.parametrize("type", ["float16", "float32", "float64"])
@pytest.mark.parametrize("axis", [0, 1])
def test_nan_wins_in_ranges_wherever_it_is(type, axis, rng, device):
    """Each fold has one NaN at another position, or two, or none."""
    x = rng.standard_normal((600, 600)).astype(type)
    rows = np.arange(0, 600, 2)
    x[rows, rng.permutation(600)[rows]] = x[rows, rows] = np.nan
    want = np.ptp(x, axis)
    np.testing.assert_array_equal(cuarray.ptp(cuarray.asarray(x), axis).numpy(), want)
    assert np.isnan(want).any() and not np.isnan(want).all()
    assert np.isnan(cuarray.ptp(cuarray.asarray(x)).item())


def test_nan_wins_in_max_and_argmax(device):
    x = np.ones(1000, "f4")
    x[[700, 300]] = np.nan
    a = cuarray.asarray(x)
    assert np.isnan(a.max().item()) and np.isnan(a.min().item())
    assert a.argmax().item() == a.argmin().item() == 300


def test_the_first_of_equals_is_found(rng, device):
    x = rng.integers(0, 3, (40, 333))
    a = cuarray.asarray(x)
    for axis in (None, 0, 1):
        np.testing.assert_array_equal(a.argmax(axis).numpy(), x.argmax(axis))
        np.testing.assert_array_equal(a.argmin(axis).numpy(), x.argmin(axis))


def test_out_is_cast_by_the_rule_of_ufuncs(device):
    """NumPy writes floating-point sums into an integer out=; ufuncs reject it, and so do cuarray's reductions."""
    with pytest.raises(TypeError, match=r"sum.*float64.*int64"):
        cuarray.sum(cuarray.ones(3), out=cuarray.empty((), int))


def test_out_may_overlap_the_input(device):
    x = cuarray.arange(12.0).reshape(3, 4)
    want = x.sum(axis=0).tolist()
    assert cuarray.sum(x, axis=0, out=x[0, ...]).tolist() == want
    assert x[0, ...].tolist() == want
    backwards = slice(None, None, -1)
    for shape, axis, part in (((1000, 100), 1, (backwards, 0)), ((20, 20_000), 0, (0, backwards))):
        x = cuarray.asarray((np.arange(shape[0] * shape[1]) % 977).reshape(shape))
        want = x.numpy().sum(axis)
        cuarray.sum(x, axis, out=x[part])
        assert (x[part].numpy() == want).all()


@pytest.mark.parametrize("dtype", list("?bBhHiIqQefdFD"))
def test_positions_of_the_best_in_lines(dtype, device, rng):
    """The first of equal elements, and the first NaN, in lines around the widths of vectors, leaves and chunks."""
    for n in (*range(1, 20), 31, 32, 33, 63, 64, 65, 100, 255, 256, 257, 300, 16385, 65537):
        few = rng.integers(0, 3, (3 if n > 300 else 70, n)).astype(dtype)
        one = few * 0
        one[range(len(one)), rng.integers(0, n, len(one))] = 1
        kinds = [few, one]
        if few.dtype.kind in "fc":
            kinds += [np.where(one == 1, np.nan, few).astype(dtype), np.where(rng.random(few.shape) < 0.5, -few, few)]
        for x in kinds:
            a = cuarray.asarray(x)
            for name, axis in itertools.product(("argmax", "argmin"), (0, 1, None)):
                wide = np.ascontiguousarray(np.concatenate((x.T, x.T), 1))
                spread = [(cuarray.asarray(wide)[:, part], wide[:, part]) for part in (slice(3), slice(1, 3))]
                for ours, theirs in ((a, x), (a.T.copy(), x.T), (a[::2], x[::2]), *spread):
                    got = getattr(ours, name)(axis)
                    np.testing.assert_array_equal(got.numpy(), getattr(theirs, name)(axis), f"{name} {x.shape} {axis}")


def test_large_axes_of_every_kind(device):
    """Sizes on both sides of block boundaries, reduced exactly because the numbers are small integers."""
    for n in (1, 15, 16, 17, 4095, 4096, 4097, 65537, 200_001):
        x = cuarray.ones(n, "i8")
        assert x.sum().item() == n and cuarray.count_nonzero(x).item() == n
        assert cuarray.ones((n, 2), "f8").sum(axis=0).tolist() == [n, n]
        assert cuarray.ones((2, n), "f8").sum(axis=1).tolist() == [n, n]


@pytest.mark.parametrize(
    "name, dtype",
    [
        ("bitwise_and", "int16"),
        ("bitwise_and", "uint8"),
        ("bitwise_or", "int64"),
        ("bitwise_xor", "uint32"),
        ("gcd", "int32"),
        ("hypot", "float64"),
        ("logaddexp", "float64"),
        ("logical_xor", "bool"),
    ],
)
def test_folds_start_from_the_identity(name, dtype, device):
    numbers = np.arange(1, 13).reshape(3, 4).astype(dtype)
    mask = numbers.astype(np.int64) % 3 == 0
    ours, theirs = getattr(cuarray, name), getattr(np, name)
    x, m = cuarray.asarray(numbers, device=device), cuarray.asarray(mask, device=device)
    close = np.testing.assert_allclose if dtype == "float64" else np.testing.assert_array_equal
    close(ours.reduce(x, axis=0, where=m).numpy(), theirs.reduce(numbers, axis=0, where=mask))
    close(ours.reduce(x[:0], axis=0).numpy(), theirs.reduce(numbers[:0], axis=0))


def accurate_fold(name, x, axis):
    """The fold in long double, without intermediate overflow."""
    x = x.astype(np.longdouble)
    if name == "hypot":
        return np.sqrt((x * x).sum(axis))
    power, log = (np.exp, np.log) if name == "logaddexp" else (np.exp2, np.log2)
    most = x.max(axis, keepdims=True)
    return most.squeeze(axis) + log(power(x - most).sum(axis))


@pytest.mark.parametrize("name", ["logaddexp", "logaddexp2", "hypot"])
@pytest.mark.parametrize("type", ["float16", "float32", "float64"])
def test_folds_in_float64(name, type, rng, device):
    """Results of 16 and 32 bits are rounded once, those of 64 bits are off by a few ulp per level of the tree."""
    fold = getattr(cuarray, name).reduce
    for n in (1, 2, 15, 17, 255, 300, 2000):
        x = (rng.standard_normal((n, 3)) * 5).astype(type)
        want = accurate_fold(name, x, 0)
        # A term may be nearly cancelled, by the logarithm of another.
        unit = np.finfo(type).eps / 2 * np.maximum(abs(want), abs(x).max(0))
        bound = unit * (4 * math.log2(n) + 1 if type == "float64" else 1.01)
        down, across = fold(cuarray.asarray(x), axis=0), fold(cuarray.asarray(x.T.copy()), axis=1)
        assert down.dtype == type and (abs(down.numpy() - want) <= bound).all(), n
        assert bits(down) == bits(across), n
        started = fold(cuarray.asarray(x), axis=0, initial=2.0, where=x > 0)
        want = accurate_fold(name, np.vstack([np.where(x > 0, x, 0 if name == "hypot" else -np.inf), [[2.0] * 3]]), 0)
        np.testing.assert_allclose(started.numpy().astype("f8"), want.astype("f8"), 4 * np.finfo(type).eps)


@pytest.mark.parametrize("name", ["logaddexp", "logaddexp2", "hypot"])
def test_folds_in_float64_of_unusual_numbers(name, device):
    inf, nan = np.inf, np.nan
    ours, theirs = getattr(cuarray, name).reduce, getattr(np, name).reduce
    for numbers in (
        [inf, 1],
        [-inf, 1],
        [-inf, -inf],
        [inf, -inf],
        [nan, 1],
        [nan, inf],
        [1e300, 1e300],
        [5e-324, 5e-324],
    ):
        x = np.array(numbers * 20)
        with np.errstate(all="ignore"):
            np.testing.assert_allclose(ours(cuarray.asarray(x)).item(), theirs(x), 1e-12)


@pytest.mark.parametrize("dtype", ["?", "i1", "u2", "i4", "u8", "f2", "f4", "f8", "c8", "c16"])
def test_one_element_decides(dtype, device):
    """A single different element among many is found at any position."""
    for size in (255, 256, 257, 511, 1000, 16385):
        for place in {0, 1, 127, 128, 254, size // 2, size - 2, size - 1}:
            ones, zeros = np.ones(size, dtype), np.zeros(size, dtype)
            ones[place], zeros[place] = 0, 1
            x, y = cuarray.asarray(ones, device=device), cuarray.asarray(zeros, device=device)
            assert (bool(x.any()), bool(x.all()), int(cuarray.count_nonzero(x))) == (True, False, size - 1)
            assert (bool(y.any()), bool(y.all()), int(cuarray.count_nonzero(y))) == (True, False, 1)
            assert (int(x.argmin()), int(y.argmax())) == (place, place)


@pytest.mark.parametrize("name", ["any", "all", "count_nonzero", "sum", "prod"])
@pytest.mark.parametrize("dtype", ["?", "i1", "u2", "i4", "u8", "f2", "f4", "f8", "c8", "c16"])
def test_what_a_mask_hides_counts_as_nothing(device, name, dtype):
    """Also for truth values, for any element size."""
    for values, mask in [
        ([5, 0], [True, False]),
        ([5, 0], [False, True]),
        ([5, 6, 7], [False] * 3),
        ([0, 0], [False, True]),
    ]:
        x, where = np.array(values, dtype), np.array(mask)
        want = np.sum(x != 0, where=where) if name == "count_nonzero" else getattr(np, name)(x, where=where)
        ours, masked = cuarray.asarray(x), cuarray.asarray(where)
        if name == "count_nonzero":
            got = ours.astype(bool).sum(where=masked)
        else:
            got = getattr(cuarray, name)(ours, where=masked)
        assert got.item() == want, (values, mask)


@pytest.mark.parametrize("size", [100, 20_000, 500_000])
def test_folds_that_one_element_has_decided(size, device, rng):
    """any, all, argmax and argmin may skip the rest; also for a mask, with where= and for a pending value."""
    for place in (0, 3, 16_383, 16_384, size - 1, None):
        x = np.zeros(size, bool)
        if place is not None and place < size:
            x[place] = x[-1] = x[place + (size - place) // 2] = True
        ours = cuarray.asarray(x, device=device)
        for make in (lambda a: a, lambda a: a.astype(float), cuarray.fuse(lambda a: a * 2.0)):
            values = make(ours)
            assert bool(cuarray.any(values)) == x.any() == bool(cuarray.max(values))
            assert bool(cuarray.all(~(values > 0))) == (~x).all()
            assert cuarray.count_nonzero(values) == x.sum()
            assert cuarray.argmax(values > 0) == x.argmax() and cuarray.argmin(~(values > 0)) == x.argmax()
        assert not cuarray.any(ours, where=~ours)
        assert ours.argmax() == x.argmax() and ours.argmin() == x.argmin()
        for byte in (6, 255):
            truth = cuarray.asarray(x.view("u1") * np.uint8(byte), device=device).view(bool)
            assert truth.argmax() == x.argmax() and truth[::-1].copy().argmin() == x[::-1].argmin()


def test_threads_find_the_first_that_decides():
    """It may be in a chunk that one thread reaches after another thread has decided with a later one."""
    threads, size, chunk = cuarray.get_num_threads(), 1_000_000, 16_384
    cuarray.set_num_threads(2)
    try:
        for task in [*range(14)] * 3:
            place = 4 * chunk * task + 3 * chunk + 1000  # a thread takes four chunks
            x = np.zeros(2 * size, bool)
            x[2 * place :] = True
            assert cuarray.asarray(x, device="cpu")[::2].argmax() == place
    finally:
        cuarray.set_num_threads(threads)


@pytest.mark.parametrize("shape", [(0, 2, 0), (0, 0), (0, 3)])
def test_nothing_has_no_largest_even_where_there_are_no_results(shape, device):
    x = cuarray.zeros(shape)
    for function in (cuarray.max, cuarray.argmin, cuarray.ptp, cuarray.minimum.reduce, cuarray.subtract.reduce):
        with pytest.raises(ValueError):
            function(x, axis=0)
    assert cuarray.max(x, axis=1).shape == (0, *shape[2:]) if shape[1] else True
    assert cuarray.sum(x, axis=0).shape == shape[1:]


@pytest.mark.parametrize("dtype", ["?", "i1", "u2", "i8", "f2", "f4", "f8", "c8", "c16"])
@pytest.mark.parametrize("shape, axis", [((1000,), 0), ((37, 300), 0), ((300, 5), 0), ((37, 300), 1), ((5, 700), None)])
def test_what_differs_from_zero(dtype, shape, axis, device, rng):
    """Minus zero does not, NaN and the smallest numbers do; in columns, rows and whole arrays."""
    x = np.zeros(shape, dtype)
    for positions in (0, 1, 7, x.size):
        places = rng.choice(x.size, positions, replace=False)
        x.flat[:] = -0.0 if dtype[0] in "fc" else 0
        special = [np.nan, 6e-8, -1.0, np.inf] if dtype[0] in "fc" else [1]
        x.flat[places] = np.resize(np.array(special, dtype), positions)
        ours = cuarray.asarray(x)
        for name in ("any", "all", "count_nonzero"):
            got = getattr(cuarray, name)(ours, axis=axis)
            np.testing.assert_array_equal(got.numpy(), getattr(np, name)(x, axis=axis))
        got = cuarray.logical_xor.reduce(ours, axis=axis)
        np.testing.assert_array_equal(got.numpy(), np.count_nonzero(x, axis=axis) % 2 == 1)


def test_nothing_beyond_the_end_is_read(device):
    """An unaligned array without elements, which lies behind the memory of another one and repeats along its axis."""
    behind = unaligned(np.ones(4))[4:]
    nothing = cuarray.lib.stride_tricks.as_strided(behind, (0, 3), (0, 8))
    assert nothing.sum(axis=0).tolist() == [0, 0, 0] and (nothing + 1).shape == (0, 3)
