"""The ufunc objects themselves: attributes, every form of a call, keywords, reduce and outer, bad calls."""

import copy
import doctest
import functools
import gc
import inspect
import itertools
import pickle
import random
import sys
import threading

import numpy as np
import pytest
from same import public_type

import cuarray
from cuarray import _core

UFUNCS = sorted(_core.ufuncs.items())
#: NumPy's ufunc of each, if it has one under the name or the alias.
THEIRS = {name: next((getattr(np, n) for n in (name, *(a for a in dir(cuarray) if getattr(cuarray, a) is ufunc))
                      if isinstance(getattr(np, n, None), np.ufunc)), None) for name, ufunc in UFUNCS}  # fmt: skip


@pytest.mark.parametrize(("name", "ufunc"), UFUNCS)
def test_signatures(name, ufunc):
    signature = inspect.signature(ufunc)
    inputs = [p for p in signature.parameters.values() if p.default is p.empty]
    assert len(inputs) == ufunc.nin
    assert ufunc.__doc__.startswith(f"{name}{signature}") and (
        "out=None" if ufunc.nout == 1 else "out=(None, None)"
    ) in str(signature)
    keywords = {p.name: p.default for p in signature.parameters.values() if p not in inputs}
    signature.bind(*[cuarray.ones(2)] * ufunc.nin, **keywords)
    assert inspect.signature(cuarray.ufunc) is not None


@pytest.mark.parametrize(("name", "ufunc"), UFUNCS)
def test_attributes(name, ufunc):
    assert ufunc.__name__ == name and repr(ufunc) == f"<ufunc '{name}'>" and type(ufunc) is cuarray.ufunc
    assert ufunc.nargs == ufunc.nin + ufunc.nout and ufunc.ntypes == len(ufunc.types) > 0
    for signature in ufunc.types:
        inputs, _, outputs = signature.partition("->")
        assert len(inputs) == ufunc.nin and len(outputs) == ufunc.nout
    theirs = THEIRS[name]
    if theirs is not None:
        assert (ufunc.nin, ufunc.nout) == (theirs.nin, theirs.nout)
        if ufunc.nin == 2 and ufunc.nout == 1:
            assert ufunc.identity == theirs.identity


def test_identities_have_numpys_types():
    for name in ("add", "logical_and", "logaddexp", "bitwise_and", "subtract"):
        assert type(getattr(cuarray, name).identity) is type(getattr(np, name).identity)


@pytest.mark.parametrize(("name", "ufunc"), UFUNCS)
def test_copies_and_pickles_are_the_object(name, ufunc):
    assert getattr(cuarray, name, ufunc) is ufunc or callable(getattr(cuarray, name))
    assert copy.copy(ufunc) is copy.deepcopy(ufunc) is ufunc
    if getattr(cuarray, name, None) is ufunc:
        assert pickle.loads(pickle.dumps(ufunc)) is ufunc


@pytest.mark.parametrize(("name", "ufunc"), UFUNCS)
def test_docstrings_hold(name, ufunc):
    if getattr(cuarray, name, None) is not ufunc:
        return  # a function of the same name overrides it
    with cuarray.device("cpu"):
        for test in doctest.DocTestFinder(recurse=False).find(ufunc, name, globs={}):
            assert test.examples
            assert doctest.DocTestRunner(verbose=False).run(test).failed == 0


def test_types_cannot_be_made_or_changed():
    with pytest.raises(TypeError):
        cuarray.ufunc()
    with pytest.raises(AttributeError):
        cuarray.add.identity = 5
    with pytest.raises(TypeError):
        type("Mine", (cuarray.ufunc,), {})


# Calls


def test_forms_of_output(device):
    x, out = cuarray.arange(3.0), cuarray.zeros(3)
    for result in (cuarray.add(x, 1, out), cuarray.add(x, 1, out=out), cuarray.add(x, 1, out=(out,))):
        assert result is out and out.tolist() == [1, 2, 3]
    assert cuarray.add(x, 1, out=None).tolist() == [1, 2, 3] and cuarray.add(x, 1, None).tolist() == [1, 2, 3]
    quotient, rest = cuarray.divmod(x, 2, out=(out, None))
    assert quotient is out and out.tolist() == [0, 0, 1] and rest.tolist() == [0, 1, 0]
    fraction = cuarray.zeros(3)
    assert cuarray.modf(x / 2, fraction)[0] is fraction and fraction.tolist() == [0, 0.5, 0]


def test_where(device):
    x, out = cuarray.arange(3.0), cuarray.full(3, 9.0)
    assert cuarray.add(x, 10, out=out, where=cuarray.asarray([True, False, True])).tolist() == [10, 9, 12]
    assert cuarray.add(x, 1, out=out, where=False).tolist() == [10, 9, 12]
    assert cuarray.add(x, 1, out=out, where=True).tolist() == [1, 2, 3]
    assert cuarray.add(x, 5, out=out, where=[True, False, False]).tolist() == [5, 2, 3]


def test_dtype_and_signature(device):
    x = cuarray.arange(3)
    for keywords in ({"dtype": "f4"}, {"sig": "ff->f"}, {"signature": ("f4", None, None)},
                     {"signature": (None, None, np.float32)}):  # fmt: skip
        assert cuarray.add(x, 1, casting="unsafe", **keywords).dtype == np.float32, keywords
    assert cuarray.add(cuarray.ones(2, "f4"), 0.5, dtype="f4", casting="safe").tolist() == [1.5, 1.5]
    assert cuarray.add(x, x, dtype=float, subok=False, order="F").dtype == np.float64


TYPES = [np.dtype(t) for t in ("?", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "f2", "f4", "f8", "c8", "c16")]


def hard_to_narrow(dtype):
    """Return numbers that a narrower type would change: 1.0000001 becomes 1, and 256 becomes 0."""
    wide = {"b": [True] * 3, "i": [256, 3, 1], "u": [256, 3, 1], "f": [1.0000001, 0.5, 3.25], "c": [1.5 + 2j, 0.5j, 3]}
    return np.asarray([3, 80, 1] if dtype.itemsize == 1 and dtype.kind in "iu" else wide[dtype.kind], dtype)


def outcome(function, arrays, keywords):
    try:
        with np.errstate(all="ignore"):
            results = function(*arrays, **keywords)
    except (TypeError, ValueError, OverflowError) as error:
        return type(error)
    return [np.asarray(r) for r in (results if isinstance(results, tuple) else (results,))]


def loops_asked_for(ufunc):
    """Yield dtypes of arguments, and keywords that select a loop: every dtype=, and signatures of all forms."""
    choose = random.Random(ufunc.__name__).choice
    for _ in range(400):
        given = [choose(TYPES) for _ in range(ufunc.nin)]
        if choose((True, False)):
            keywords = {"dtype": choose(TYPES)}
        else:
            inputs = [choose((None, None, own, choose(TYPES))) for own in given]
            keywords = {"signature": (*inputs, *(choose((None, choose(TYPES))) for _ in range(ufunc.nout)))}
        if casting := choose((None, None, "safe", "unsafe")):
            keywords["casting"] = casting
        yield given, keywords


def may_differ(name, given, keywords):
    """Tell whether only one of both may have the loop: NumPy's logical functions have rules of their own for signatures,
    and ours compares int64 with uint64 exactly."""
    if name.startswith("logical_"):
        return "signature" in keywords
    is_comparison = _core.ufuncs[name].types[0] == "??->?"
    return is_comparison and np.dtype("u8") in {*given, *keywords.get("signature", ())}


@pytest.mark.parametrize("name", [name for name, theirs in THEIRS.items() if theirs is not None])
def test_what_is_asked_for_chooses_numpys_loop(name):
    ours, theirs = _core.ufuncs[name], THEIRS[name]
    for given, keywords in loops_asked_for(ours):
        arrays = [hard_to_narrow(dtype) for dtype in given]
        want = outcome(theirs, arrays, keywords)
        got = outcome(ours, [cuarray.asarray(x, device="cpu") for x in arrays], keywords)
        call = f"{name}{tuple(map(str, given))}, {keywords}"
        if isinstance(want, type) or isinstance(got, type):
            if may_differ(name, given, keywords):
                continue
            assert isinstance(want, type) and isinstance(got, type) and issubclass(want, got), (
                f"{call}: {got}, not {want}"
            )
            continue
        for x, y in zip(got, want, strict=True):
            assert x.dtype == y.dtype, f"{call}: {x.dtype}, not {y.dtype}"
            if y.dtype.kind in "fc":
                finite = np.isfinite(y)  # complex functions differ at infinities and NaN
                np.testing.assert_allclose(x[finite], y[finite], 4e-3 if y.dtype == np.float16 else 1e-5, err_msg=call)
            elif name != "reciprocal":  # which is undefined for the integer 0
                np.testing.assert_array_equal(x, y, err_msg=call)


def test_dtype_is_that_of_the_output(device):
    x = cuarray.asarray([1.0000001, 256.0, 0.25], device=device)
    assert cuarray.equal(x, [1.0, 0.0, 0.0], dtype=bool).tolist() == [False] * 3
    assert cuarray.isfinite(x * 1e10, dtype=bool).all() and cuarray.isnan(x, dtype="?").any().item() is False
    assert cuarray.logical_or.outer(x, [0, 0], dtype=bool).all() and cuarray.logical_or.reduce(x[2:], dtype=bool).item()
    assert cuarray.bitwise_count(cuarray.asarray([256, 255], dtype="u4", device=device), dtype="u1").tolist() == [1, 8]
    for method in (cuarray.logical_or.reduce, cuarray.logical_and.reduce, cuarray.less):
        with pytest.raises(TypeError):
            method(*[x] * (2 if method is cuarray.less else 1), dtype="i1")


@pytest.mark.parametrize(
    "number", [-129, -128, -1, 0, 3, 127, 128, 255, 256, 2**31, 2**63 - 1, 2**63, 2**64, -(2**63), -(2**70)]
)
def test_comparisons_with_ints_are_exact(number, device):
    for dtype in "bhilBHIL":
        least, most = np.iinfo(dtype).min, np.iinfo(dtype).max
        x = cuarray.asarray([least, 0, 1, most], dtype=dtype, device=device)
        assert (x == number).tolist() == [v == number for v in (least, 0, 1, most)]
        assert (x < number).tolist() == [v < number for v in (least, 0, 1, most)]
        assert (number <= x).tolist() == [number <= v for v in (least, 0, 1, most)]
    assert cuarray.equal(cuarray.ones(2, "i4"), 1, casting="no").all()
    assert not cuarray.equal(cuarray.ones(2, "i1"), number, casting="no").any()


def test_what_goes_in(device):
    x = cuarray.arange(3)
    assert cuarray.add(x, np.float32(0.5)).dtype == np.float64
    assert cuarray.add(x, True).dtype == np.int64 and cuarray.add(1, 2).item() == 3
    assert cuarray.add(True, True).dtype == np.bool_ and cuarray.add(1, 2.5).dtype == np.float64
    assert cuarray.add(1j, np.float32(1)).dtype == np.complex64
    assert cuarray.add(x, 2**40).tolist() == [2**40 + k for k in range(3)]
    assert cuarray.add(cuarray.zeros(1, "u8"), 2**64 - 1).tolist() == [2**64 - 1]
    assert (cuarray.zeros(2) + 2**100).tolist() == [2.0**100] * 2
    assert (x == 2**100).tolist() == [False] * 3 and (x < 2**100).tolist() == [True] * 3
    assert (x > -(2**100)).all()


def test_lists_beside_cpu_arrays():
    x = cuarray.arange(3, device="cpu")
    with cuarray.device("cpu"):
        assert (x + (one := [1, 2, 3])).tolist() == [1, 3, 5] == (one + x).tolist() == cuarray.add(one, x).tolist()
        assert cuarray.add([1, 2], (3, 4)).tolist() == [4, 6]


BAD = {
    "add(x)": TypeError, "add(x, 1, o, 3)": TypeError, "add(x, 1, bogus=1)": TypeError, "add(x, 'a')": TypeError,
    "add(x, None)": TypeError, "add(x, object())": TypeError, "add(x, 1, out=5)": TypeError,
    "add(x, 1, out=(o, o))": ValueError, "add(x, 1, out=ca.zeros(2))": ValueError, "add(x, 1, casting='x')": ValueError,
    "add(x, 1, out=ca.zeros(3, int))": TypeError, "add(x, 1, order='Z')": ValueError, "add.at(x, 0)": ValueError,
    "add.accumulate(x, 1)": np.exceptions.AxisError, "add.reduceat(x, [3])": IndexError,
    "sin.outer(x, x)": ValueError, "sin.reduce(x)": ValueError, "divmod.reduce(x)": ValueError,
    "add.outer(x)": TypeError, "add(x, 1, sig='ddd->d')": ValueError,
    "add(x, 1, sig='dd')": ValueError, "add(x, 1, sig=('f4',))": TypeError, "add(x, 1, sig=3)": TypeError,
    "add(x, 1, sig='dd->d', dtype='f8')": TypeError, "add(x, 1, where=None)": TypeError, "add(x, 1, where=[1, 0, 1])": TypeError,
    "add(x, 1, dtype='M8[s]')": TypeError, "add(x, 1, dtype='q!')": TypeError, "add(u, 300)": OverflowError,
    "add(u, -1)": OverflowError, "add(i, 2**70)": OverflowError, "add(x, ca.ones(4))": ValueError,
    "invert(x)": TypeError, "negative(b)": TypeError, "subtract(b, b)": TypeError, "power(i, -1)": ValueError,
    "maximum.reduce(x[:0])": ValueError, "add.reduce(x, axis=1)": np.exceptions.AxisError,
    "add.reduce(x, axis=(0, 0))": ValueError, "add.reduce(x, bogus=1)": TypeError,
}  # fmt: skip


@pytest.mark.parametrize("call", BAD)
def test_bad_calls_name_the_function_and_leave_nothing(call, device):
    names = {"ca": cuarray, "x": cuarray.arange(3.0), "o": cuarray.zeros(3), "i": cuarray.arange(3),
             "u": cuarray.zeros(3, "u1"), "b": cuarray.ones(3, bool)}  # fmt: skip
    gc.collect()  # exceptions of earlier tests hold arrays
    cuarray.synchronize()
    before = cuarray.memory.stats()["allocations"]
    with pytest.raises(BAD[call]):
        eval(f"ca.{call}", names)
        cuarray.synchronize()  # faults in values on a GPU
    assert cuarray.memory.stats()["allocations"] == before
    assert (names["x"] + 1).tolist() == [1, 2, 3] and names["o"].tolist() == [0, 0, 0]


def test_reduce_and_outer(device):
    x = cuarray.arange(6).reshape(2, 3)
    host = x.numpy()
    for name in ("add", "multiply", "maximum", "minimum", "logical_or", "bitwise_xor", "subtract"):
        ours, theirs = getattr(cuarray, name), getattr(np, name)
        assert ours.reduce(x).tolist() == theirs.reduce(host).tolist()
        assert ours.reduce(x, axis=1, keepdims=True).tolist() == theirs.reduce(host, axis=1, keepdims=True).tolist()
        assert ours.outer(x, x[0]).tolist() == theirs.outer(host, host[0]).tolist()
    assert cuarray.add.reduce(x, None).item() == 15 and cuarray.add.reduce(x, (0, 1), "f4").dtype == np.float32
    assert cuarray.add.reduce(x, initial=10).tolist() == [13, 15, 17]
    assert cuarray.maximum.reduce(x, axis=1, initial=2, where=x < 2).tolist() == [2, 2]
    out = cuarray.zeros(3, int)
    assert cuarray.add.reduce(x, out=out) is out and out.tolist() == [3, 5, 7]
    assert cuarray.subtract.outer(5, x[0]).tolist() == [5, 4, 3]


@pytest.mark.parametrize(
    "name",
    ["subtract", "floor_divide", "power", "logaddexp", "hypot", "add", "maximum", "gcd", "equal", "bitwise_or", "fmax"],
)
def test_wider_outputs_widen_a_reduction(name, device):
    for given, result in (("u1", "i8"), ("u1", "f8"), ("i8", "f8"), ("f4", "f8"), ("f8", "c16"), ("i4", "i4")):
        values = np.asarray([10, 20]).astype(given)
        want, got = np.zeros((), result), cuarray.zeros((), result)
        try:
            getattr(np, name).reduce(values, out=want)
        except TypeError:
            with pytest.raises(TypeError):
                getattr(cuarray, name).reduce(cuarray.asarray(values), out=got)
            continue
        if np.can_cast(getattr(np, name).reduce(values).dtype, result, "same_kind"):
            getattr(cuarray, name).reduce(cuarray.asarray(values), out=got)
            np.testing.assert_allclose(got.numpy(), want, rtol=1e-14)


@pytest.mark.parametrize(
    "name",
    [
        "subtract",
        "divide",
        "floor_divide",
        "pow",
        "remainder",
        "atan2",
        "copysign",
        "fmax",
        "fmin",
        "bitwise_left_shift",
        "lcm",
    ],
)
@pytest.mark.parametrize("dtype", ["i4", "u1", "f4", "f8"])
def test_masked_folds_without_identity(name, dtype, device, rng):
    if name in ("bitwise_left_shift", "lcm") and dtype[0] == "f":
        dtype = "i8"
    function, step = getattr(cuarray, name), THEIRS[name]
    for shape, axis in (
        ((9,), 0),
        ((4, 5), 0),
        ((4, 5), -1),
        ((2, 3, 4), 1),
        ((40, 130), 0),
        ((130, 40), 1),
        ((3, 0), 1),
        ((3, 0), 0),
        ((3,), ()),
        ((), None),
    ):
        x = rng.integers(1, 4, shape).astype(dtype)
        mask = np.asarray(rng.random(shape) < 0.3)
        lines = np.moveaxis(x, axis, -1) if axis not in ((), None) else x[..., None]
        chosen = np.moveaxis(mask, axis, -1) if axis not in ((), None) else mask[..., None]
        with np.errstate(all="ignore"):
            kind = step(x.ravel()[:1], x.ravel()[:1]).dtype
            want = np.empty(lines.shape[:-1], kind)
            for place in np.ndindex(want.shape):
                want[place] = functools.reduce(
                    lambda a, b: step(a, b, dtype=kind), lines[place][chosen[place]], kind.type(2)
                )
        ours, where = cuarray.asarray(x), cuarray.asarray(mask)
        got = function.reduce(ours, axis, where=where, initial=2)
        assert (got.dtype, got.shape) == (want.dtype, want.shape)
        np.testing.assert_allclose(got.numpy(), want, rtol=1e-5)
        kept = function.reduce(
            ours,
            axis,
            keepdims=True,
            where=where,
            initial=2,
            out=cuarray.empty(got.shape if axis == () else np.empty(shape).sum(axis, keepdims=True).shape, kind),
        )
        assert (kept.numpy().reshape(want.shape) == got.numpy()).all()


def test_at_takes_values_in_their_order(device):
    x = cuarray.asarray([7, 7, 7])
    cuarray.remainder.at(x, [0, 0, 2, 2], [4, 3, 3, 4])
    assert x.tolist() == [0, 7, 1]


@pytest.mark.parametrize("type", ["i1", "u2", "i8", "f2", "f4", "f8", "c16"])
@pytest.mark.parametrize("name", ["add", "subtract", "multiply", "maximum"])
def test_at_of_many_values(name, type, device, rng):
    """Integers at random: results are exact, and wrap."""
    target, values = rng.integers(0, 3, 50).astype(type), rng.integers(0, 2, 1000).astype(type)
    places = rng.integers(-50, 50, 1000)
    for step in (1, -2):
        ours, theirs = cuarray.array(target, device=device), target.copy()
        index = cuarray.asarray(places[::step], device=device)
        getattr(cuarray, name).at(ours, index, cuarray.asarray(values, device=device)[::step])
        getattr(np, name).at(theirs, places[::step], values[::step])
        np.testing.assert_array_equal(ours.numpy(), theirs)


def test_masked_folds_start_from_something(device):
    x, mask = cuarray.asarray([[3, -1], [2, 2]]), cuarray.asarray([[True, False], [True, True]])
    assert cuarray.pow.reduce(x, 1, where=mask, initial=2).tolist() == [8, 16], (
        "an exponent that is not chosen is no fault"
    )
    with pytest.raises(ValueError):
        cuarray.pow.reduce(x, 1, where=~mask, initial=2)
    assert cuarray.subtract.reduce(x, 0, where=cuarray.asarray([True, False]), initial=0).tolist() == [-5, 0]
    waiting = cuarray.fuse(lambda v: cuarray.subtract.reduce(v * 2, 1, where=v > 0, initial=1))
    assert waiting(x).tolist() == [-5, -7]
    for name, options in (
        ("subtract", {}),
        ("fmax", {}),
        ("add", {"initial": None}),
        ("hypot", {"initial": None}),
        ("subtract", {"initial": None}),
    ):
        for xp, a, where in ((np, x.numpy(), mask.numpy()), (cuarray, x, mask)):
            with pytest.raises(ValueError):
                getattr(xp, name).reduce(a, where=where, **options)
    with pytest.raises(TypeError):
        cuarray.subtract.reduce(x, where=x, initial=1)


def test_resolve_dtypes():
    assert cuarray.add.resolve_dtypes((np.int8, int, None)) == (np.int8,) * 3
    assert cuarray.divide.resolve_dtypes(("i4", "i4", None)) == (np.float64,) * 3
    assert cuarray.less.resolve_dtypes((np.dtype("i8"), np.dtype("u8"), None))[2] == np.bool_
    with pytest.raises(TypeError):
        cuarray.invert.resolve_dtypes(("f4", None))
    with pytest.raises(TypeError):
        cuarray.add.resolve_dtypes(("f4",))


# References and threads


def test_calls_keep_no_references(device):
    x, out = cuarray.ones(3), cuarray.zeros(3)
    count = sys.getrefcount(x), sys.getrefcount(out), sys.getrefcount(cuarray.add), sys.getrefcount(None)
    for _ in range(200):
        cuarray.add(x, 1, out=out), x + x, cuarray.add.reduce(x), cuarray.divmod(x, x)
        x += 0
        cuarray.add(x, 1, out=(out,), where=True, dtype=None, casting="same_kind")
    now = sys.getrefcount(x), sys.getrefcount(out), sys.getrefcount(cuarray.add), sys.getrefcount(None)
    assert now[:3] == count[:3] and abs(now[3] - count[3]) < 100


def test_long_work_lets_other_threads_run():
    """A long sum of sines releases the GIL."""
    with cuarray.device("cpu"):
        x = cuarray.arange(1_000_000.0)
    steps, stop = [], threading.Event()

    def count():
        while not stop.is_set():
            steps.append(1)
            stop.wait(0.001)

    other = threading.Thread(target=count)
    before = sys.getswitchinterval()
    sys.setswitchinterval(10)  # only a release of the GIL lets the other thread in
    try:
        other.start()
        for _ in range(1000):  # on a busy machine the other thread may be late
            float(cuarray.sin(x)[0])
            if (ran := len(steps)) >= 3:
                break
    finally:
        sys.setswitchinterval(before)
        stop.set()
        other.join()
    assert ran >= 3


# What ufunc objects say of themselves


ELEMENTWISE = sorted(name for name in vars(np) if isinstance(getattr(np, name), np.ufunc) and not getattr(np, name).signature and name in cuarray.__all__)  # fmt: skip


@pytest.mark.parametrize("name", ELEMENTWISE)
def test_signatures_of_ufuncs_are_numpys(name):
    assert inspect.signature(getattr(cuarray, name)) == inspect.signature(getattr(np, name))


@pytest.mark.parametrize("name", ELEMENTWISE)
def test_types_have_numpys_rows(name):
    """But for types that are not ours and for bfloat16; NumPy's names of 64-bit integers are one type each here."""
    same = str.maketrans("qQ", "lL")
    rows = {types.translate(same) for types in getattr(np, name).types if not set(types) & set("gGOMm")}
    ours = getattr(cuarray, name).types
    assert len(set(ours)) == len(ours) == getattr(cuarray, name).ntypes
    assert {types for types in ours if "E" not in types} == rows


def test_signatures_of_methods_are_numpys():
    for name in ("item", "reshape", "transpose"):
        assert inspect.signature(getattr(cuarray.ndarray, name)) == inspect.signature(getattr(np.ndarray, name))
    for name in ("outer", "accumulate", "at", "reduceat"):
        assert inspect.signature(getattr(cuarray.ufunc, name)) == inspect.signature(getattr(np.ufunc, name))
        assert inspect.signature(getattr(cuarray.add, name)) == inspect.signature(getattr(np.add, name))
    assert inspect.signature(cuarray.outer) == inspect.signature(np.outer)


@pytest.mark.parametrize("name", ["real", "imag"])
def test_argument_by_name(name, device):
    ours, theirs = getattr(cuarray, name), getattr(np, name)
    z = np.asarray([1 + 2j, 3 - 4j])
    x = cuarray.asarray(z)
    assert ours(val=x).tolist() == theirs(val=z).tolist() and ours(val=5 - 2j) == theirs(val=5 - 2j)
    assert ours(dtype="f4", val=[1, 2]).dtype == np.float32
    assert ours(val=x, out=(out := cuarray.zeros(2))) is out and out.tolist() == theirs(z).tolist()
    assert next(iter(inspect.signature(ours).parameters)) == "val"
    for call in (lambda f: f(), lambda f: f(z, val=z), lambda f: f(value=z)):
        for function in (ours, theirs):
            with pytest.raises(TypeError):
                call(function)
    with pytest.raises(TypeError):
        cuarray.abs(val=x)


# Generalized ufuncs


GENERALIZED = ("matmul", "matvec", "vecdot", "vecmat")


@pytest.mark.parametrize("name", GENERALIZED)
def test_generalized_ufuncs(name, device):
    ours, theirs = getattr(cuarray, name), getattr(np, name)
    assert isinstance(ours, cuarray.ufunc) and repr(ours) == f"<ufunc '{name}'>" and ours.__name__ == name
    for attribute in ("signature", "nin", "nout", "nargs", "identity"):
        assert getattr(ours, attribute) == getattr(theirs, attribute)
    assert set(ours.types) - {"EE->E"} == set(theirs.types) - {"qq->q", "QQ->Q", "gg->g", "GG->G", "OO->O"}
    assert ours.ntypes == len(ours.types)
    types = (np.dtype("f4"), np.dtype("i8"), None)
    assert ours.resolve_dtypes(types) == theirs.resolve_dtypes(types)
    assert pickle.loads(pickle.dumps(ours)) is copy.deepcopy(ours) is ours
    assert list(inspect.signature(ours).parameters)[:3] == ["x1", "x2", "out"]
    assert "Examples" in ours.__doc__
    x = cuarray.ones((3, 3))
    assert ours(x, x, out=(out := cuarray.zeros_like(ours(x, x)),)) is out and out.any()


@pytest.mark.parametrize("name", ["matmul", "vecdot"])
def test_arrays_of_generalized_ufuncs(name, device):
    """out=... asks for an array where there would be a value; None, also in a tuple, asks for nothing."""
    product, v = getattr(cuarray, name), cuarray.arange(3.0)
    assert _core.is_value(product(v, v)) and _core.is_value(product(v, v, out=None))
    assert _core.is_value(product(v, v, out=(None,)))
    made = product(v, v, out=...)
    assert not _core.is_value(made) and made.shape == () and made == 5
    assert product(v[None], v[:, None] if name == "matmul" else v, out=...).shape == (
        (1, 1) if name == "matmul" else (1,)
    )
    for wrong, error in (((made, made), ValueError), ((), ValueError), ([made], TypeError), (5.0, TypeError)):
        with pytest.raises(error, match=name):
            product(v, v, out=wrong)


@pytest.mark.parametrize("name", GENERALIZED)
@pytest.mark.parametrize("method", ["reduce", "accumulate", "reduceat", "outer", "at"])
def test_generalized_ufuncs_have_no_methods_of_elements(name, method):
    ours, theirs = (getattr(getattr(xp, name), method) for xp in (cuarray, np))
    arguments = {"reduceat": ([0],), "outer": (cuarray.ones(2),), "at": ([0], cuarray.ones(2))}.get(method, ())
    with pytest.raises((RuntimeError, TypeError)) as want:
        theirs(np.ones((2, 2)), *(np.asarray(x.numpy() if isinstance(x, cuarray.ndarray) else x) for x in arguments))
    with pytest.raises(want.type, match=rf"{name}.{method}: not defined for a ufunc with the signature"):
        ours(cuarray.ones((2, 2)), *arguments)


@pytest.mark.parametrize("name", GENERALIZED)
@pytest.mark.parametrize(
    "keywords",
    [
        {"signature": "ff->f"},
        {"signature": ("f4", "f4", "f4")},
        {"signature": (None, None, np.complex64), "casting": "unsafe"},
        {"signature": (None, None, None)},
        {"signature": "ll->l"},
        {"signature": "fd->d"},
        {"signature": "d"},
        {"signature": "dd"},
        {"signature": np.float32},
        {"signature": ("f4",)},
        {"signature": "ff->f", "dtype": "f4"},
    ],
    ids=str,
)
def test_signatures_of_generalized_ufuncs(name, keywords, device):
    def result(xp):
        x = xp.asarray([[1.5, 2.0], [3.0, 4.0]])
        try:
            return getattr(xp, name)(x, x, **keywords)
        except (TypeError, ValueError) as error:
            return error

    ours, theirs = result(cuarray), result(np)
    if isinstance(theirs, Exception):
        assert isinstance(ours, public_type(theirs)) and name in str(ours)
    else:
        assert ours.dtype == theirs.dtype and ours.tolist() == theirs.tolist()


#: Python's numbers, NumPy's and values of ours: what the functions below are called with, alone and in pairs.
NUMBERS = [
    True, 2, -3, 0, 2.5, -0.0, float("nan"), 1.5 - 2j, 2**63, 2**70, np.float64(0.5), np.float32(0.25), np.float16(3),
    np.int8(100), np.uint64(7), np.int64(-1), np.bool_(False), np.complex64(1j), "f4", "i2",
]  # fmt: skip


def number_of(given):
    """A number, or for the name of a dtype a value of it."""
    return cuarray.asarray([3], given)[0] if isinstance(given, str) else given


@pytest.mark.parametrize("name", [name for name, ufunc in UFUNCS if ufunc.nin <= 2])
def test_calls_on_numbers_alone(name):
    """They run no task; with a keyword that changes nothing, one does."""
    ufunc = _core.ufuncs[name]

    def outcome(arguments, **keywords):
        try:
            found = ufunc(*(number_of(x) for x in arguments), **keywords)
        except (TypeError, ValueError, OverflowError) as error:
            return type(error)
        found = found if isinstance(found, tuple) else (found,)
        return [(x.dtype, x.numpy().tobytes(), hash(x) is not None) for x in found]

    for arguments in itertools.product(NUMBERS, repeat=ufunc.nin):
        assert outcome(arguments) == outcome(arguments, where=True), arguments


@pytest.mark.parametrize("name", ["add", "multiply", "true_divide", "maximum", "less", "power", "logaddexp", "arctan2"])
def test_dtypes_of_calls_on_numbers(name):
    numbers = [x for x in NUMBERS if not isinstance(x, str) and not (type(x) is int and x >= 2**63)]
    for pair in itertools.product(numbers, repeat=2):
        with np.errstate(all="ignore"):
            try:
                want = getattr(np, name)(*pair).dtype
            except (TypeError, ValueError, OverflowError):
                continue
        assert getattr(cuarray, name)(*pair).dtype == want, pair


def test_calls_on_numbers_are_made_on_the_current_device(device):
    with cuarray.device(device):
        assert cuarray.sin(0.5).device == cuarray.device(device) == cuarray.add(np.float32(1), 2).device
    x = cuarray.asarray(2.0, device=device)[()]
    assert cuarray.add(x, np.float32(1)).device == cuarray.device(device)


def test_numbers_are_fused():
    @cuarray.fuse
    def f(x):
        return x * cuarray.sin(0.5) + cuarray.maximum(1, 2)

    x = cuarray.arange(3.0)
    assert (f(x) == x * np.sin(0.5) + 2).all()
