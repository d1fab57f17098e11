"""The type rule, exhaustively against NumPy: the loop for each combination of arguments, and the safe casts."""

import itertools

import numpy as np
import pytest
from oracle import NUMPY_NAMES, same_bits

import cuarray
from cuarray import _core

ROWS = {row["name"]: row for row in _core.rows()}
DTYPES = [_core.dtype(name) for name in _core.dtype_names()]
NUMPY_DTYPES = [t for t in DTYPES if t.name != "bfloat16"]
WEAK_VALUES = {int: 1, float: 1.0, complex: 1j}
WEAK = list(WEAK_VALUES)
LEFT_OUT = {"isnat"}
# NumPy's loops for these take two numbers of any type to bool without converting; only the result can be compared.
RESULT_ONLY = {"logical_and", "logical_or", "logical_xor"}
NOT_IN_NUMPY = {
    "erf",
    "erfc",
    "gamma",
    "lgamma",
    "rsqrt",
    "logit",
    "expit",
    "xlogy",
    "where",
    "clip",
    "round",
    "real",
    "imag",
}

NUMPY_UFUNCS = {f.__name__: f for f in vars(np).values() if isinstance(f, np.ufunc)}
COMPARED = sorted(set(ROWS) - NOT_IN_NUMPY)


def numpy_ufunc(name):
    return getattr(np, NUMPY_NAMES.get(name, name))


def test_every_ufunc_of_numpy_is_there():
    missing = {name for name in NUMPY_UFUNCS if not isinstance(getattr(cuarray, name, None), _core.ufunc)}
    assert missing == LEFT_OUT


def test_every_row_has_a_counterpart():
    assert all(isinstance(numpy_ufunc(name), np.ufunc) for name in COMPARED)
    assert len(COMPARED) >= 83


def is_weak(t):
    """Whether this is Python's int, float or complex, which numpy.dtype compares equal to."""
    return isinstance(t, type)


def signatures(count):
    """All combinations of dtypes and Python numbers, except those of only Python numbers."""
    for signature in itertools.product([*NUMPY_DTYPES, *WEAK], repeat=count):
        if not all(map(is_weak, signature)):
            yield signature


def numpy_rule(ufunc, signature):
    """NumPy's types of inputs and outputs, or None."""
    try:
        return ufunc.resolve_dtypes(signature + (None,) * ufunc.nout)
    except TypeError:
        return None


def our_rule(name, signature):
    try:
        return _core.resolve_types(name, tuple(signature) + (None,) * _core.ufuncs[name].nout)
    except TypeError:
        return None


@pytest.mark.parametrize("name", COMPARED)
def test_types_are_those_of_numpy(name):
    ufunc = numpy_ufunc(name)
    differences = []
    for signature in signatures(ufunc.nin):
        want, got = numpy_rule(ufunc, signature), our_rule(name, signature)
        if name in RESULT_ONLY and want is not None and got is not None:
            want, got = want[ufunc.nin :], got[ufunc.nin :]
        if want != got:
            differences.append(f"{signature}: {got} instead of {want}")
    assert not differences, "\n".join([f"{len(differences)} differences", *differences[:20]])


@pytest.mark.parametrize("name", ["where", "clip"])
def test_types_of_choices(name):
    """These have the common type of the operands that they select from."""
    for signature in signatures(2):
        ours = [bool, *signature] if name == "where" else [signature[0], signature[1], signature[1]]
        values = [WEAK_VALUES[t] if is_weak(t) else np.empty(1, t) for t in signature]
        assert our_rule(name, ours)[-1] == np.result_type(*values), ours


@pytest.mark.parametrize("name", sorted(NOT_IN_NUMPY - {"where", "clip", "round", "real", "imag"}))
def test_types_of_functions_beyond_numpy(name):
    """They have the types of NumPy's floating-point functions: atan2 and cbrt."""
    pattern = np.arctan2 if ROWS[name]["nin"] == 2 else np.cbrt
    for signature in signatures(pattern.nin):
        assert our_rule(name, signature) == numpy_rule(pattern, signature), signature


def test_round_real_and_imag():
    for t in NUMPY_DTYPES:
        assert our_rule("real", [t])[-1] == our_rule("imag", [t])[-1] == np.empty(0, t).real.dtype
        if t.kind != "b":
            assert our_rule("round", [t])[-1] == t


def test_resolve_dtypes_is_the_same_rule():
    assert cuarray.add.resolve_dtypes((np.dtype("f4"), np.dtype("i4"), None)) == np.add.resolve_dtypes(
        (np.dtype("f4"), np.dtype("i4"), None)
    )
    with pytest.raises(TypeError):
        cuarray.bitwise_and.resolve_dtypes((np.dtype("f4"), np.dtype("i4"), None))


@pytest.mark.parametrize("name", COMPARED)
def test_calls_give_what_the_rule_says(name, device):
    """Calls follow the rule: with arrays, 0-d arrays and Python numbers."""
    row = ROWS[name]
    for signature in itertools.product(
        [np.dtype(t) for t in ("b1", "i1", "u8", "f2", "f8", "c8")] + WEAK, repeat=row["nin"]
    ):
        if all(map(is_weak, signature)) or row["nin"] > 2:
            continue
        args = [WEAK_VALUES[t] if is_weak(t) else cuarray.ones(() if i else 3, t) for i, t in enumerate(signature)]
        rule = our_rule(name, signature)
        if rule is None:
            with pytest.raises(TypeError, match=name):
                getattr(cuarray, name)(*args)
        else:
            result = getattr(cuarray, name)(*args)
            results = result if isinstance(result, tuple) else (result,)
            assert tuple(r.dtype for r in results) == rule[row["nin"] :], signature


# Common types


def test_promotion_of_two_dtypes():
    for a, b in itertools.product(NUMPY_DTYPES, repeat=2):
        assert cuarray.promote_types(a, b) == cuarray.result_type(a, b) == np.promote_types(a, b), (a, b)


def test_result_type_of_dtypes_and_numbers():
    for signature in itertools.product(NUMPY_DTYPES, [*NUMPY_DTYPES, *WEAK], WEAK):
        values = [WEAK_VALUES[t] if is_weak(t) else t for t in signature]
        assert cuarray.result_type(*values) == np.result_type(*values), signature


def test_result_type_of_three_dtypes():
    for signature in itertools.product(NUMPY_DTYPES, repeat=3):
        assert cuarray.result_type(*signature) == np.result_type(*signature), signature


def test_result_type_of_arrays(device):
    for a, b in itertools.product(NUMPY_DTYPES, repeat=2):
        assert cuarray.result_type(cuarray.ones(2, a), cuarray.ones((), b)) == np.result_type(a, b)
    assert cuarray.result_type(np.float32(1), cuarray.ones(2, "f2")) == np.float32
    with pytest.raises(ValueError):
        cuarray.result_type()


EDGES = [
    0.0, -0.0, 1, -1, 0.5, 0.1, 127, 128, -128, -129, 255, 256, 65504, 65535, 70000, 2**24 + 1, 2.0**31, -(2.0**31), 2**53 + 1, 2**63 - 1, 2.0**63,
    -(2.0**63), 2**64 - 1, 2.0**64, 1e300, np.inf, -np.inf, np.nan, 1 + 1j, 0.1j, complex(np.nan, 0), complex(0, np.inf), 2.0**63 + 0j,
]  # fmt: skip


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("source", list("?bBhHiIlLefdFD"))
def test_casts_that_change_no_value(source, device):
    """NumPy's own cast of 2.4, and where it has none yet, casts there and back in Python's numbers."""
    for edge in EDGES:
        with np.errstate(all="ignore"):
            theirs = np.array([edge]).astype(source)
        x = cuarray.asarray(theirs)
        is_odd = edge == 65504 or (edge == 0 and np.signbit(edge))  # of halves; docs/differences.md
        for target in "?bBhHiIlLefdFD" if device == "cpu" else "bief":  # each is a kernel
            if is_odd and "e" in (source, target):
                continue
            try:
                want = theirs.astype(target, casting="same_value")
            except ValueError as raised:
                if "casting must be" in str(raised):
                    pytest.skip("this NumPy has no same_value")
                with pytest.raises(ValueError, match=r"astype: could not cast 'same_value' .* 1 of 1 elements"):
                    x.astype(target, casting="same_value")
                continue
            np.testing.assert_array_equal(x.astype(target, casting="same_value").numpy(), want)


def test_one_changed_value_of_many(device):
    x = cuarray.arange(100_000.0)
    assert x.astype("i4", casting="same_value").dtype == "i4"
    x[99_999] = 0.5
    with pytest.raises(ValueError, match="float64 to int32: 1 of 100000 elements"):
        x.astype("i4", casting="same_value")
    assert x[:0].astype("i1", casting="same_value").size == 0 and x[3].astype("i1", casting="same_value") == 3
    with pytest.raises(ValueError, match="casting"):
        cuarray.can_cast("f8", "f4", "same_value")


@pytest.mark.parametrize("casting", ["no", "equiv", "safe", "same_kind", "unsafe"])
def test_casts_that_are_allowed(casting):
    for a, b in itertools.product(NUMPY_DTYPES, repeat=2):
        assert cuarray.can_cast(a, b, casting) == np.can_cast(a, b, casting), (a, b)
    for a, b in itertools.product((">f4", "<f4", np.dtype(">f4"), "f4", ">f8", ">i2", "u1", ">u1"), repeat=2):
        assert cuarray.can_cast(a, b, casting) == np.can_cast(a, b, casting), (a, b)
        assert cuarray.promote_types(a, b) == cuarray.result_type(a, b) == np.promote_types(a, b)


@pytest.mark.parametrize("bad", [">M8[s]", ">U3", "no dtype", ">", "S3"])
def test_functions_of_dtypes_name_what_is_none(bad):
    for function in (cuarray.promote_types, cuarray.result_type, cuarray.can_cast):
        with pytest.raises((TypeError, ValueError), match=function.__name__):
            function(bad, "f4")
    assert cuarray.result_type(None, "f4") == np.result_type(None, "f4")
    for function in (cuarray.promote_types, cuarray.can_cast):
        with pytest.raises(TypeError, match=f"{function.__name__}: None is not a dtype"):
            function(None, "f4")


def test_casts_of_numpys_arrays():
    for given in (np.arange(3), np.arange(3).astype(">i4"), np.float32(1), np.ones(())):
        for dtype in ("f4", ">f8", "i2"):
            assert cuarray.can_cast(given, dtype) == np.can_cast(given.dtype, dtype)
    for given in (b">f4", np.ones(1, ">f4"), ">f4"):
        raw = np.arange(3, dtype=">f4").tobytes()
        dtype = given if isinstance(given, str | bytes) else given.dtype
        assert cuarray.frombuffer(raw, dtype).tolist() == [0, 1, 2]


BFLOAT16_WITH = {
    "bool": "bfloat16", "int8": "bfloat16", "uint8": "bfloat16", "int16": "float32", "uint16": "float32",
    "int32": "float64", "uint32": "float64", "int64": "float64", "uint64": "float64", "float16": "float32",
    "bfloat16": "bfloat16", "float32": "float32", "float64": "float64", "complex64": "complex64",
    "complex128": "complex128",
}  # fmt: skip


def test_bfloat16_with_others():
    """NumPy has no rule of its own here; this is the table of docs/differences.md."""
    for other, want in BFLOAT16_WITH.items():
        assert cuarray.promote_types("bfloat16", other) == cuarray.promote_types(other, "bfloat16") == _core.dtype(want)
    assert len(BFLOAT16_WITH) == len(DTYPES)
    assert cuarray.result_type(cuarray.bfloat16, 1.0) == cuarray.bfloat16
    assert cuarray.result_type(cuarray.bfloat16, 1) == cuarray.bfloat16
    assert cuarray.result_type(cuarray.bfloat16, 1j) == np.complex64


# Python numbers


@pytest.mark.parametrize(
    ("type", "number"),
    [("uint8", 256), ("uint8", -1), ("int8", 128), ("int8", -129), ("int64", 2**63), ("uint64", 2**64), ("uint64", -1)],
)
def test_a_python_int_must_fit(type, number, device):
    x = cuarray.ones(3, type)
    for operation in (lambda: x + number, lambda: number * x, lambda: cuarray.maximum(x, number)):
        with pytest.raises(OverflowError, match=f"{number}.*{type}"):
            operation()


@pytest.mark.parametrize("number", [-1, 0, 255, 256, 300, 2**63, 2**64, 2**70, -(2**63), -(2**64), -(2**70)])
@pytest.mark.parametrize("type", ["uint8", "int8", "int64", "uint64"])
def test_comparing_with_any_python_int_is_exact(number, type, device):
    limits = np.iinfo(type)
    values = np.array([limits.min, 0, 1, limits.max - 1, limits.max], type)
    x = cuarray.asarray(values)
    for compare in ("__lt__", "__le__", "__eq__", "__ne__", "__ge__", "__gt__"):
        want = [getattr(int(v), compare)(number) for v in values]
        assert getattr(x, compare)(number).tolist() == want, compare


def test_int64_and_uint64_compare_exactly(device):
    a = np.array([-1, 0, 2**62, 2**63 - 1, -(2**63)], np.int64)
    b = np.array([2**64 - 1, 0, 2**62 + 1, 2**63, 2**63], np.uint64)
    for (i, x), (j, y) in itertools.product(enumerate(a), enumerate(b)):
        less = cuarray.asarray(a)[i, ...] < cuarray.asarray(b)[j, ...]
        assert less.item() == (int(x) < int(y))
        assert (cuarray.asarray(b)[j, ...] == cuarray.asarray(a)[i, ...]).item() == (int(x) == int(y))


# Casts


def values_for(a, b):
    """Values of dtype a for which NumPy's cast to dtype b is defined."""
    numbers = [0, 1, 2, 3, 100, 127]
    if a.kind != "u" and b.kind != "u" and a.kind != "b":
        numbers += [-1, -2, -100, -128]
    if a.kind in "fcV":
        numbers += [0.5, 1.75, 100.25]
    if a.kind in "fcV" and b.kind in "fcV":
        numbers += [np.inf, np.nan, -0.0, 1e-3]
    return np.array(numbers).astype(a)


@pytest.mark.parametrize("to", DTYPES, ids=str)
@pytest.mark.parametrize("from_", DTYPES, ids=str)
def test_casts(from_, to, device):
    values = values_for(from_, to)
    with np.errstate(all="ignore"):
        if from_.kind == "c" and to.kind != "c" and to.kind != "b":
            want = values.real.astype(to)
            with pytest.warns(cuarray.ComplexWarning):
                got = cuarray.asarray(values).astype(to)
        else:
            want = values.astype(to)
            got = cuarray.asarray(values).astype(to)
    assert got.dtype == to
    assert same_bits(got.numpy(), want).all(), f"{got} instead of {want}"


@pytest.mark.parametrize("to", [t for t in NUMPY_DTYPES if t.kind in "iu"], ids=str)
@pytest.mark.parametrize("from_", ["float16", "bfloat16", "float32", "float64"])
def test_casts_out_of_range_saturate(from_, to, device):
    info = np.iinfo(to)
    values = np.array([np.inf, -np.inf, np.nan, 6e4, -6e4, 3e38, -3e38])
    got = cuarray.asarray(values).astype(from_).astype(to).tolist()
    stored = [float(x) for x in values.astype(_core.dtype(from_))]
    want = [0 if np.isnan(x) else max(min(int(x) if np.isfinite(x) else int(np.sign(x)) * 2**70, int(info.max)), int(info.min))
            for x in stored]  # fmt: skip
    assert got == want


def test_dtypes_are_those_of_numpy():
    assert cuarray.float32 is np.float32 and cuarray.bool is np.bool_ and cuarray.complex128 is np.complex128
    assert {_core.dtype(getattr(cuarray, t.name)) for t in DTYPES} == set(DTYPES)
    import ml_dtypes

    assert cuarray.bfloat16 is ml_dtypes.bfloat16


@pytest.mark.parametrize("bad", ["datetime64[s]", "timedelta64[D]", object, str, "S3", np.longdouble, np.clongdouble, ">f4",
                                 [("a", "i4")]])  # fmt: skip
def test_unsupported_dtypes(bad, device):
    for make in (cuarray.zeros, cuarray.empty):
        with pytest.raises(TypeError) as error:
            make(3, dtype=bad)
        name = np.dtype(bad).name if np.dtype(bad).names is None else "a"
        assert name in str(error.value) or str(np.dtype(bad)) in str(error.value)


def test_isdtype_knows_bfloat16():
    assert cuarray.isdtype(cuarray.bfloat16, "real floating")
    assert not cuarray.isdtype(cuarray.bfloat16, "integral")
    with pytest.raises(ValueError, match="real"):
        cuarray.isdtype(np.float32, "real")
    for t in NUMPY_DTYPES:
        for kind in (
            "bool",
            "signed integer",
            "unsigned integer",
            "integral",
            "real floating",
            "complex floating",
            "numeric",
        ):
            assert cuarray.isdtype(t, kind) == np.isdtype(t, kind)


@pytest.mark.parametrize("type", ["float16", "float32", "float64", "complex64", "complex128"])
def test_finfo(type):
    ours, theirs = cuarray.finfo(type), np.finfo(type)
    for name in (
        "bits",
        "eps",
        "epsneg",
        "max",
        "min",
        "smallest_normal",
        "smallest_subnormal",
        "tiny",
        "precision",
        "nmant",
    ):
        assert getattr(ours, name) == getattr(theirs, name)
        assert isinstance(getattr(ours, name), int | float) and not isinstance(getattr(ours, name), np.generic)
    assert ours.dtype == theirs.dtype
    with pytest.raises(ValueError):
        cuarray.finfo("int32")


def test_info_of_arrays_and_bfloat16(device):
    assert cuarray.finfo(cuarray.ones(2, "float32")).eps == np.finfo("float32").eps
    assert cuarray.finfo("bfloat16").eps == 2**-7
    assert (cuarray.iinfo(cuarray.ones(2, "int8")).max, cuarray.iinfo("uint64").max) == (127, 2**64 - 1)
    with pytest.raises(ValueError):
        cuarray.iinfo("float32")


@pytest.mark.parametrize("dtype", ["i1", "u8", "f4", "f8", "c8"])
@pytest.mark.parametrize("number", [True, 3, 1.5, 2j])
def test_python_numbers_beside_a_dtype_that_is_asked_for(dtype, number):
    """A Python number matches a loop of its own kind or a higher one, as in NumPy."""
    x = np.ones(2, dtype)

    def kind_of(xp, array):
        try:
            return xp.add(array, number, dtype=dtype).dtype
        except TypeError:
            return TypeError

    assert kind_of(cuarray, cuarray.asarray(x)) == kind_of(np, x)


def test_python_types_are_dtypes_to_result_type():
    for given in ((float, "f4"), (int, "i1"), (complex, "c8"), (bool, "u1"), (None,), (None, "f4")):
        assert cuarray.result_type(*given) == np.result_type(*given)
    assert cuarray.result_type(1.0, "f4") == np.float32
