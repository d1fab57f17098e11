"""Several array arguments: lists go to the device of an array, NumPy arrays only to the host's; out= everywhere."""

import array
import collections
import ctypes
import itertools
import operator

import numpy as np
import pytest

import cuarray

#: Calls whose NumPy arrays are indices or masks, which any array accepts.
OF_INDICES = (
    "take(x, g)",
    "compress(b, x)",
    "extract(b, x)",
    "take_along_axis(x, g, 0)",
    "x[g]",
    "x[b]",
    "x[[1, 2]][g[:1]]",
    "x.take(g)",
)

CALLS = [
    "isclose(x, h)", "array_equal(h, x)", "array_equiv(x, h)", "kron(x, h)", "cross(x, h)", "convolve(h, x)", "correlate(x, h)", "polyval(h, x)",
    "polyadd(x, h)", "polymul(h, x)", "polydiv(x, h)", "intersect1d(x, h)", "setxor1d(h, x)", "union1d(x, h)", "isin(h, x)", "setdiff1d(x, h)",
    "lexsort([x, h])", "searchsorted(x, h)", "digitize(h, x)", "ix_(i, g)", "ravel_multi_index((i, g), (4, 4))", "choose(i, [x, h, x])", "concat([h, x])",
    "stack([x, h])", "hstack([x, h])", "column_stack([h, x])", "dot(x, h)", "outer(h, x)", "vecdot(x, h)", "einsum('i,i->', h, x)", "broadcast(x, h).shape",
    "tensordot(x, h, 1)", "where(x > 1, x, h)", "where(b, x, 1)", "interp(x, h, h)", "interp(h, x, x)", "cov(x, h)",
    "add(x, h)", "add.outer(h, x)", "add(x, 1, where=b, out=x.copy())", "sum(x, where=b)", "nansum(x, where=b)", "clip(x, h, 3)", "meshgrid(x, h)", "broadcast_arrays(h, x)",
    "average(x, weights=h)", "average(h, weights=x)", "cov(x, aweights=h)", "histogram(x, 3, weights=h)", "bincount(i, weights=h)", "bincount(g, weights=x)",
    "histogram2d(x, h, 2)", "take_along_axis(h, i, 0)", "select([b], [x])", "piecewise(x, [b], [1])", "diff(x, prepend=h)", "ediff1d(x, to_end=h)",
    "gradient(x, h)", "trapezoid(h, x)", "insert(x, 1, h)", "polyint(x, k=h[:1])", "quantile(x, 0.5, weights=h, method='inverted_cdf')", "linspace(x, h, 3)",
    "searchsorted(x, x, sorter=g)", "r_[x, h]", "full_like(x, h)", "var(x, mean=h[:1])", "var(h, mean=x[:1], keepdims=True)", "array([x, h])", "add(h, h, out=cuarray.zeros(3))",
]  # fmt: skip


@pytest.mark.parametrize("call", [*CALLS, *OF_INDICES])
def test_beside_an_array(call, device):
    """NumPy's result for arrays is also that for lists and, on cpu, for NumPy arrays."""
    host, places = np.asarray([1.0, 2.0, 3.0]), np.asarray([0, 1, 2])
    names = {"x": cuarray.asarray(host), "i": cuarray.asarray(places)}
    lists = {"h": host.tolist(), "g": places.tolist(), "b": [True, False, True]}
    arrays = {"h": host, "g": places, "b": np.asarray(lists["b"])}
    code = call if call[0] == "x" else f"cuarray.{call}"
    want = eval(code, {"cuarray": cuarray, **names, **{n: cuarray.asarray(v) for n, v in lists.items()}})
    same(eval(code, {"cuarray": cuarray, **names, **lists}), want, device)
    if device == "cpu" or call in OF_INDICES:
        same(eval(code, {"cuarray": cuarray, **names, **arrays}), want, device)
    else:
        with pytest.raises(TypeError, match="asarray"):
            eval(code, {"cuarray": cuarray, **names, **arrays})


def test_numpy_indices_to_write_with(device):
    """They may be changed as soon as the call returns."""
    places, mask = np.asarray([2, 0]), np.asarray([True, False, False, True])
    x, y = cuarray.zeros(4), cuarray.zeros((2, 2))
    x[places] = 5
    places[...] = 1
    x[mask] += 1
    mask[...] = True
    cuarray.put(x, np.asarray([1]), 7)
    cuarray.put_along_axis(y, np.asarray([[1], [0]]), 3, axis=1)
    cuarray.add.at(x, np.asarray([3, 3]), 10)
    assert x.tolist() == [6, 7, 5, 21] and y.tolist() == [[0, 3], [3, 0]]
    with cuarray.device("cpu"):  # they go to the array's device, not to the default one
        assert x[np.asarray([3, 0])].tolist() == [21, 6] and cuarray.take(x, np.asarray([1])).tolist() == [7]
    with pytest.raises(IndexError):
        x[np.asarray([0.5])]


@pytest.mark.parametrize(
    "call",
    [
        *(call for call in CALLS if "out=" not in call),
        "sin(h)",
        "block([x, h])",
        "isnan(x)",
        "real(x)",
        "fuse(lambda x, y: cuarray.sin(x) * cuarray.cos(y))(x, h)",
    ],
)
def test_without_an_array(call, device):
    """Without cuarray arrays, NumPy arrays go to the current device, like lists and as with asarray."""
    numpy = {"h": np.asarray([1.0, 2.0, 3.0]), "g": np.asarray([0, 1, 2]), "b": np.asarray([True, False, True])}
    numpy |= {"x": numpy["h"], "i": numpy["g"]}
    want = eval(f"cuarray.{call}", {"cuarray": cuarray, **{name: cuarray.asarray(x) for name, x in numpy.items()}})
    same(eval(f"cuarray.{call}", {"cuarray": cuarray, **numpy}), want, device)


SEQUENCES = {"range": range(1, 4), "deque": collections.deque([1, 2.5, 3]), "UserList": collections.UserList([1, 2, 3])}
MEMORY = {
    "array.array": array.array("i", [1, 2, 3]), "memoryview": memoryview(np.asarray([1.0, 2, 3])), "bytearray": bytearray(b"abc"),
    "ctypes": (ctypes.c_float * 3)(1, 2, 3), "poly1d": np.poly1d([1.0, 2, 3]),
}  # fmt: skip
OPERATORS = [
    "add",
    "sub",
    "mul",
    "truediv",
    "floordiv",
    "mod",
    "pow",
    "matmul",
    "eq",
    "ne",
    "lt",
    "le",
    "gt",
    "ge",
    "iadd",
    "imul",
]


@pytest.mark.parametrize("name", OPERATORS)
def test_operators_read_what_numpy_reads(name, device):
    """Sequences of numbers can be combined with any array, host memory with arrays on the host."""
    function = getattr(operator, name)
    rtol = 4e-16 if name == "pow" and device != "cpu" else 0  # a GPU's mathematics library is another one
    for kind, data in {**SEQUENCES, **MEMORY}.items():
        host = np.asarray([1.0, 2, 4])
        if kind in MEMORY and device != "cpu":
            with pytest.raises(TypeError, match=r"asarray"):
                function(cuarray.asarray(host), data)
            continue
        want = function(host.copy(), np.asarray(data))
        same(function(cuarray.asarray(host.copy()), data), cuarray.asarray(want), device, rtol)
        if name[0] == "i" or kind in ("memoryview", "bytearray", "poly1d", "UserList"):  # have operators themselves
            continue
        want = function(np.asarray(data), host)
        same(function(data, cuarray.asarray(host)), cuarray.asarray(want), device, rtol)


def test_operators_do_not_read_what_is_no_numbers(device):
    x = cuarray.ones(3)
    for other in ("abc", b"abc", None, object(), {}, {1}, {"a": 1}, collections.deque("abc")):
        for equal in (x == other, other == x, ~(x != other)):
            assert isinstance(equal, cuarray.ndarray) and equal.device == x.device and not equal.any()
        for function in (operator.add, operator.lt, operator.matmul, operator.iadd):
            with pytest.raises(TypeError):
                function(x, other)


def test_numpy_arrays_that_are_no_operands(device):
    """0-d scalars, sources of copies, and parameters read by the host may be NumPy arrays with any array."""
    x, ones = cuarray.asarray([1.0, 2.0, 3.0]), np.asarray([1, 1, 1])
    same(cuarray.add(x, np.asarray(1.0)), x + 1.0, device)
    same(cuarray.repeat(x, ones), x, device)
    same(cuarray.pad(x, ones[:2])[1:-1], x, device)
    same(cuarray.concat(cuarray.split(x, ones[:1])), x, device)
    same(cuarray.add.reduceat(x, ones - 1), cuarray.asarray([1.0, 1.0, 6.0]), device)
    same(cuarray.quantile(x, np.asarray([0.5])), cuarray.asarray([2.0]), device)
    same(cuarray.histogram(x, np.asarray([0, 2, 4]))[0], cuarray.asarray([1, 2]), device)
    cuarray.copyto(x, ones)
    same(x, cuarray.asarray([1.0, 1.0, 1.0]), device)


@pytest.mark.parametrize(
    "call",
    [
        "array([x, y])",
        "sin([x, y])",
        "meshgrid(x, y)",
        "bincount(i, weights=y)",
        "histogram(x, 2, weights=y)",
        "block([x, y])",
        "r_[x, y]",
    ],
)
def test_arrays_of_two_devices(call):
    """They are rejected, and never silently copied."""
    first, second = cuarray.devices()[0], cuarray.devices()[-1]
    if first == second:
        return
    names = {
        "x": cuarray.ones(3, device=first),
        "y": cuarray.ones(3, device=second),
        "i": cuarray.ones(3, int, device=first),
    }
    with pytest.raises(ValueError, match=f"are on {first} and {second}"):
        eval(f"cuarray.{call}", {"cuarray": cuarray, **names})


def same(got, want, device, rtol=0):
    """Assert equal results, arrays of the device among them."""
    if isinstance(want, tuple | list):
        for a, b in zip(got, want, strict=True):
            same(a, b, device, rtol)
    elif isinstance(want, cuarray.ndarray):
        assert str(got.device) == device and got.dtype == want.dtype and got.shape == want.shape
        np.testing.assert_allclose(got.numpy(), want.numpy(), rtol=rtol, atol=0)
    else:
        assert got == want


@pytest.mark.parametrize(
    "call",
    [
        "dot(a, a, {})",
        "einsum('ij,jk', a, a, out={})",
        "matmul(a, a, out={})",
        "choose(i, [a, a], {})",
        "round(a, 1, {})",
        "vecdot(a, a, out={})",
    ],
)
def test_out(call, device):
    def run(out):
        return eval(f"cuarray.{call.format('out')}", {"cuarray": cuarray, "a": a, "i": i, "out": out})

    a, i = cuarray.asarray([[1.25, 2.0], [3.0, 4.0]]), cuarray.asarray([[0, 1], [1, 0]])

    def of_numpy(out):
        return eval(f"np.{call.format('out')}", {"np": np, "a": a.numpy(), "i": i.numpy(), "out": out})

    plain = run(None)
    outputs = [np.zeros(plain.shape, dtype) for dtype in ("f8", "c16", "f4", "i8")]
    outputs += [np.zeros((3, *plain.shape)), (np.zeros(plain.shape),), (np.zeros(plain.shape),) * 2, [1]]
    for theirs in outputs:
        ours = tuple(map(cuarray.asarray, map(np.copy, theirs))) if isinstance(theirs, tuple) else theirs
        ours = cuarray.asarray(theirs.copy()) if isinstance(theirs, np.ndarray) else ours
        try:
            want = of_numpy(theirs)
        except (TypeError, ValueError) as raised:
            with pytest.raises(TypeError if isinstance(raised, TypeError) else ValueError):
                run(ours)
            continue
        result = run(ours)
        assert result is (ours[0] if isinstance(ours, tuple) else ours) and np.allclose(result.numpy(), want)


WRITES = [
    "copyto(h, x)", "copyto(h, x, where=b)", "put(h, i, x)", "put_along_axis(h, i, x, 0)", "place(h, b, x)", "putmask(h, b, x)", "fill_diagonal(m, x)",
    "add.at(h, i, x)", "negative.at(h, i)", "clip(x, None, None, out=h)", "cumsum(x, out=h)", "add(x, 1, out=h)", "median(m * x, 0, out=h)", "dot(m, x, out=h)", "take(x, i, out=h)", "concat([x], out=h)",
]  # fmt: skip


@pytest.mark.parametrize("call", WRITES)
def test_into_numpy(call, device):
    """NumPy arrays are written in place with arrays on cpu, also by NumPy's own functions; GPU arrays are rejected."""

    def names(xp):
        host = {"h": np.full(3, 7.0), "m": np.ones((3, 3))}
        return {
            "x": xp.asarray([1.0, 2.0, 3.0]),
            "i": xp.asarray([0, 1, 1]),
            "b": xp.asarray([True, False, True]),
            **host,
        }

    want = names(np)
    eval(f"np.{call}", {"np": np}, want)
    for module in (cuarray, np):
        ours = names(cuarray)
        if device == "cpu":
            result = eval(f"xp.{call}", {"xp": module}, ours)
            assert result is None or result is ours["h"]
            assert np.array_equal(ours["h"], want["h"]) and np.array_equal(ours["m"], want["m"])
        elif "copyto" not in call and call != "negative.at(h, i)":
            with pytest.raises((TypeError, ValueError), match=r"device|x\.numpy\(\)"):
                eval(f"xp.{call}", {"xp": module}, ours)
            assert np.array_equal(ours["h"], names(np)["h"])


@pytest.mark.parametrize(
    "call", ["flip(2.5)", "clip(2.5)", "astype(np.float32(1), 'f4')", "lexsort([0])", "lexsort((2, 3))"]
)
def test_results_of_numbers_are_values(call):
    result = kept = eval("ca." + call, {"ca": cuarray, "np": np})
    before = result.item()
    result += 1
    assert kept.item() == before


def test_flip_of_an_array_without_axes_does_not_share_it():
    x = cuarray.array(2.5)
    flipped = cuarray.flip(x)
    x[...] = 1
    assert flipped.item() == 2.5


@pytest.mark.parametrize("dtype", ["i2", "u1", "f2", "f4", "f8"])
@pytest.mark.parametrize("number", [3, 2.5])
def test_append_takes_a_number_by_its_own_type(dtype, number):
    x = cuarray.ones(2, dtype)
    for given, theirs in [((x, number), (x.numpy(), number)), ((number, x), (number, x.numpy()))]:
        assert cuarray.append(*given).dtype == np.append(*theirs).dtype


@pytest.mark.parametrize(
    "call", ["iscomplex(x)", "iscomplex(c)", "isin(x, [1, 2])", "isin(x, x[0])", "isin(x, [1], invert=True)"]
)
def test_answers_lie_in_c_order(call):
    x = np.arange(6).reshape(2, 3)
    theirs = eval("np." + call, {"np": np, "x": x.T, "c": (x * 1j).T})
    x = cuarray.asarray(x)
    ours = eval("ca." + call, {"ca": cuarray, "x": x.T, "c": (x * 1j).T})
    assert ours.flags.c_contiguous and ours.tolist() == theirs.tolist()
    assert cuarray.correlate([1], [1, 2]).flags.c_contiguous


def test_indices_takes_an_iterator_and_roll_numbers_without_axes():
    assert cuarray.indices(iter((2, 3))).shape == (2, 2, 3)
    assert cuarray.roll(cuarray.arange(3), np.array(1)).tolist() == [2, 0, 1]
    assert cuarray.array_split(cuarray.arange(4), cuarray.array(2))[1].tolist() == [2, 3]


@pytest.mark.parametrize("number", [1, 1.5, 1j])
def test_finfo_and_iinfo_take_numbers(number):
    info = "iinfo" if isinstance(number, int) else "finfo"
    assert getattr(cuarray, info)(number).dtype == getattr(np, info)(number).dtype


def test_limits_of_a_dtype_are_one_object():
    assert cuarray.finfo("f4") is cuarray.finfo(np.float32) is cuarray.finfo(np.dtype("f4")) is cuarray.finfo("float32")
    assert cuarray.iinfo(int) is cuarray.iinfo(cuarray.arange(3)) is not cuarray.iinfo("i4")
    assert cuarray.finfo(1.0) is cuarray.finfo(float) is not cuarray.finfo(1j)
    with pytest.raises(ValueError, match="int64 is not a floating-point type"):
        cuarray.finfo(1)  # equal to 1.0


def test_tolerances_may_be_arrays():
    assert cuarray.isclose([1.0, 2.0], [1.5, 2.5], rtol=0, atol=[1, 0.1]).tolist() == [True, False]
    assert cuarray.allclose([1.0], [1.5], rtol=cuarray.array(0.5))


def test_errors_of_what_says_it_is_an_array_arrive():
    """A broken protocol must not fall back to comparing identities."""

    class Broken:
        __array_interface__ = {}  # noqa: RUF012

    class Raising:
        def __array__(self, dtype=None, copy=None):
            raise ValueError("no numbers today")

    x = cuarray.arange(3, device="cpu")
    for broken, message in ((Broken(), "array_interface"), (Raising(), "no numbers today")):
        for compare in (lambda a, b: a == b, lambda a, b: a != b, lambda a, b: a + b, lambda a, b: b in a):
            with pytest.raises(ValueError, match=message):
                compare(x, broken)


def test_in_asks_the_other_class():
    class Two:
        __array_ufunc__ = None

        def __eq__(self, other):
            return other.tolist().count(2) > 0 if isinstance(other, cuarray.ndarray) else NotImplemented

        __hash__ = None

    x = cuarray.arange(3, device="cpu")
    assert Two() in x and Two() not in x[:2] and "a" not in x and None not in x and 2.0 in x and [0, 1, 2] in x


def test_scalars_of_numpy_of_every_type(device):
    """Each keeps its dtype and its bits, also after one of another type."""
    for first, second in itertools.product("?bBhHiIqQlLefdFD", repeat=2):
        for kind in (first, second):
            scalar = np.array([3], kind)[0]
            for x in (np.ones(3, "i1"), np.ones((), "f4")):
                got, want = cuarray.asarray(x.copy()) + scalar, x + scalar
                assert got.dtype == want.dtype
                np.testing.assert_array_equal(got.numpy(), want)


@pytest.mark.parametrize("other", [None, "a", "1", "", b"a", np.str_("a"), np.bytes_(b"a")])
def test_no_element_equals_none_or_a_text(other, device):
    """An array of bools, as in NumPy: a plain False or True would index the array by a new axis."""
    for shape in [(3,), (2, 3), (0, 2), (1,)]:
        x, y = cuarray.ones(shape), np.ones(shape)
        for compare in (lambda a, b: a == b, lambda a, b: a != b):
            for got, want in ((compare(x, other), compare(y, other)), (compare(other, x), compare(other, y))):
                assert isinstance(got, cuarray.ndarray) and got.device == x.device
                assert (got.shape, got.dtype, got.tolist()) == (want.shape, want.dtype, want.tolist())
    assert x[x != other].shape == (1,)
    value = cuarray.ones(3)[0]
    assert (value == other) is False and (value != other) is True
