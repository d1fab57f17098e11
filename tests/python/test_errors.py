"""Bad input: the type of the exception, its message, and that it leaks nothing."""

import gc
from fractions import Fraction

import ml_dtypes
import numpy as np
import pytest
from capsules import Producer

import cuarray


def ro(x):
    x.flags.writeable = False
    return x


ones = lambda *shape, dtype="f8": cuarray.ones(shape, dtype)  # noqa: E731


@cuarray.fuse
def fused_power(x):
    return (x + 1) ** -1 + 2


# The call, the exception, and words of its message.
BAD = {
    "shapes": (lambda: ones(3, 4) + ones(5), ValueError, ["add", "(3, 4)", "(5,)"]),
    "shapes of where": (lambda: cuarray.where(ones(3) > 0, ones(2), 0), ValueError, ["where", "(3,)", "(2,)"]),
    "shapes in place": (lambda: ones(3).__iadd__(ones(2, 3)), ValueError, ["(2, 3)", "(3,)"]),
    "shape of a value": (lambda: ones(3).__setitem__(slice(None), ones(2)), ValueError, ["(2,)", "(3,)"]),
    "datetime64": (lambda: cuarray.zeros(3, "datetime64[s]"), TypeError, ["datetime64", "int64"]),
    "object": (lambda: cuarray.asarray([object()]), TypeError, ["object"]),
    "None": (lambda: cuarray.asarray([None, 1]), TypeError, ["asarray", "None", "object", "dtype=float"]),
    "None among operands": (lambda: cuarray.add(ones(2), [None, 1]), TypeError, ["add", "None", "dtype=float"]),
    "int beyond all": (lambda: cuarray.array([2**70, 1]), TypeError, ["array", str(2**70), "int64", "dtype=float"]),
    "objects": (lambda: cuarray.array([Fraction(1, 2)]), TypeError, ["array", "Fraction", "dtype=float"]),
    "set": (lambda: cuarray.array({1, 2}), TypeError, ["array", "set", "list(...)"]),
    "generator": (lambda: cuarray.array(x for x in [1]), TypeError, ["array", "generator", "fromiter"]),
    "text beside an array": (lambda: cuarray.add("a", ones(2)), TypeError, ["add", "<U1", "text"]),
    "float8": (lambda: cuarray.zeros(2, ml_dtypes.float8_e4m3fn), TypeError, ["zeros", "float8_e4m3fn", "float32"]),
    "int4": (lambda: cuarray.zeros(2, ml_dtypes.int4), TypeError, ["zeros", "int4", "int8"]),
    "dates of arange": (
        lambda: cuarray.arange("2024-01", "2024-02", dtype="datetime64[D]"),
        TypeError,
        ["arange", "datetime64[D]", "int64"],
    ),
    "text of arange": (lambda: cuarray.arange("a", "b"), TypeError, ["arange", "'a'", "numbers"]),
    "memory": (lambda: cuarray.ones((10**6, 10**6)), MemoryError, ["(1000000, 1000000)", "float64", "7.3 TiB"]),
    "out of more": (lambda: cuarray.add(ones(2, 3), 1, out=ones(3)), ValueError, ["add", "out", "(2, 3)", "(3,)"]),
    "str": (lambda: cuarray.asarray(["a"]), TypeError, ["<U1", "text"]),
    "longdouble": (lambda: cuarray.asarray(np.longdouble(1)), TypeError, ["longdouble", "float64"]),
    "big-endian": (
        lambda: cuarray.asarray(np.ones(2, ">f8"), copy=False),
        ValueError,
        ["asarray", ">f8", "cuarray.array(x)"],
    ),
    "big-endian dtype": (lambda: cuarray.zeros(2, ">f8"), TypeError, ["zeros", ">f8", "newbyteorder"]),
    "float8 of DLPack": (
        lambda: cuarray.from_dlpack(Producer(np.zeros(2, "u1"), code=10)),
        BufferError,
        ["float8", "t.view(torch.uint8)"],
    ),
    "structured": (lambda: cuarray.asarray(np.zeros(2, "i4,f4")), TypeError, []),
    "out shape": (lambda: cuarray.add(ones(3), 1, out=ones(4)), ValueError, ["add", "(3,)", "(4,)"]),
    "out dtype": (
        lambda: cuarray.add(ones(3), 1, out=ones(3, dtype="i4")),
        TypeError,
        ["add", "float64", "int32", "same_kind"],
    ),
    "out read-only": (lambda: cuarray.add(ones(3), 1, out=ro(ones(3))), ValueError, ["read-only"]),
    "out no array": (lambda: cuarray.add(ones(3), 1, out=[1, 2, 3]), TypeError, ["out"]),
    "out of reduction": (lambda: cuarray.sum(ones(3, 4), axis=0, out=ones(3)), ValueError, ["sum", "(4,)", "(3,)"]),
    "broadcast view": (lambda: cuarray.broadcast_to(ones(3), (2, 3)).__setitem__(0, 1), ValueError, ["read-only"]),
    "axis of a method": (lambda: ones(3).sum(axis="x"), TypeError, ["sum: axis must be", "not str"]),
    "axis of accumulate": (
        lambda: cuarray.add.accumulate(ones(3), axis="x"),
        TypeError,
        ["add: axis must be", "not str"],
    ),
    "shape of a method": (lambda: ones(3).reshape("a"), TypeError, ["reshape: shape must be", "not str"]),
    "number for a dtype": (lambda: cuarray.fromregex("file", "1", 3), TypeError, ["3 is not a dtype"]),
    "shape for a dtype": (lambda: ones(3).view(-1), TypeError, ["view", "x.reshape(-1)"]),
    "dtype of a method": (lambda: ones(3).astype("word"), TypeError, ["astype: 'word' is not a dtype"]),
    "dtype of a ufunc": (lambda: cuarray.add(ones(3), 1, dtype="word"), TypeError, ["add: 'word' is not a dtype"]),
    "order of a method": (lambda: ones(3).flatten("Z"), ValueError, ["flatten: order must be", "CFAK", "'Z'"]),
    "casting of a method": (
        lambda: ones(3).astype(int, casting="all"),
        ValueError,
        ["astype: casting must be", "'safe'", "'all'"],
    ),
    "device of a method": (lambda: ones(3).to_device(3), TypeError, ["to_device: device must be", "not int"]),
    "index of item": (lambda: ones(3, 4).item(0, 7), IndexError, ["index 7", "axis 1", "size 4"]),
    "extent": (lambda: cuarray.zeros(2**64), ValueError, ["shape", str(2**64)]),
    "extent of reshape": (lambda: ones(3).reshape(2**63), ValueError, ["shape", str(2**63)]),
    "product": (lambda: cuarray.vecdot(ones(2, 1), ones(3)), ValueError, ["vecdot", "(2, 1)", "(3,)"]),
    "product of stacks": (lambda: cuarray.matvec(ones(2, 4), ones(3)), ValueError, ["matvec", "(2, 4)", "(3,)"]),
    "inner product": (lambda: cuarray.inner(ones(2), ones(3)), ValueError, ["inner", "(2,)", "(3,)"]),
    "index": (lambda: ones(3, 4)[1, 9], IndexError, ["9", "axis 1", "size 4"]),
    "negative index": (lambda: ones(3)[-4], IndexError, ["-4", "axis 0", "size 3"]),
    "too many indices": (lambda: ones(3)[0, 0], IndexError, ["2", "1"]),
    "index type": (lambda: ones(3)[1.5], IndexError, []),
    "axis": (lambda: ones(3).sum(axis=2), np.exceptions.AxisError, ["2", "1"]),
    "axis of concat": (lambda: cuarray.concat([ones(3)], axis=1), np.exceptions.AxisError, ["1"]),
    "repeated axis": (lambda: ones(3, 3).sum(axis=(0, 0)), ValueError, ["sum", "axis"]),
    "axis type": (lambda: ones(3).sum(axis=1.5), TypeError, []),
    "range": (lambda: ones(3, dtype="u1") + 300, OverflowError, ["300", "uint8"]),
    "negative range": (lambda: ones(3, dtype="u1") * -1, OverflowError, ["-1", "uint8"]),
    "setitem range": (lambda: ones(3, dtype="i1").__setitem__(0, 200), OverflowError, ["200", "int8"]),
    "truth": (lambda: bool(ones(2)), ValueError, ["any", "all"]),
    "truth of nothing": (lambda: bool(ones(0)), ValueError, []),
    "int of many": (lambda: int(ones(2)), TypeError, []),
    "item of many": (lambda: ones(2).item(), ValueError, ["item", "2"]),
    "no loop": (lambda: cuarray.bitwise_and(ones(2), 1), TypeError, ["bitwise_and", "float64"]),
    "no bool loop": (lambda: -(ones(2) > 0), TypeError, ["negative", "bool"]),
    "complex order": (lambda: cuarray.floor(ones(2) * 1j), TypeError, ["floor", "complex128"]),
    "casting": (lambda: cuarray.add(ones(2), 1, casting="safe", dtype="f4"), TypeError, ["add", "float64", "safe"]),
    "casting word": (lambda: cuarray.add(ones(2), 1, casting="sure"), ValueError, ["sure"]),
    "astype casting": (lambda: ones(2).astype("i4", casting="safe"), TypeError, ["float64", "int32", "safe"]),
    "where type": (lambda: cuarray.add(ones(2), 1, where=ones(2)), TypeError, ["bool"]),
    "arguments": (lambda: cuarray.add(ones(2)), TypeError, ["add", "2"]),
    "keyword": (lambda: cuarray.add(ones(2), 1, speed="fast"), TypeError, ["speed"]),
    "beyond float": (lambda: ones(2) + 10**400, OverflowError, ["add", "int too large to convert to float"]),
    "below float": (lambda: ones(2, dtype="c8") * -(10**400), OverflowError, ["multiply", "too large"]),
    "float compared": (lambda: ones(2) < 10**400, OverflowError, ["less", "too large"]),
    "beyond integers": (lambda: ones(2, dtype="i8") + 10**400, OverflowError, ["add", "above 2**1024", "int64"]),
    "set beyond float": (lambda: ones(2).__setitem__(0, 10**400), OverflowError, ["too large"]),
    "integer power in place": (lambda: ones(2, dtype="i4").__ipow__(-1).numpy(), ValueError, ["pow"]),
    "integer power by name": (lambda: cuarray.power(ones(2, dtype="i4"), -1).numpy(), ValueError, ["pow"]),
    "integer power fused": (lambda: fused_power(ones(2, dtype="i4")).numpy(), ValueError, ["pow"]),
    "integer power": (lambda: (ones(2, dtype="i4") ** -1).numpy(), ValueError, ["pow"]),
    "empty maximum": (lambda: cuarray.max(ones(0)), ValueError, ["max"]),
    "empty argmin": (lambda: cuarray.argmin(ones(0)), ValueError, ["argmin"]),
    "ragged": (lambda: cuarray.asarray([[1], [2, 3]]), ValueError, []),
    "reshape": (lambda: ones(6).reshape(4, 2), ValueError, ["6", "(4, 2)"]),
    "two unknown extents": (lambda: ones(6).reshape(-1, -1), ValueError, []),
    "view": (lambda: ones(3, dtype="u1").view("f4"), ValueError, []),
    "negative extent": (lambda: cuarray.zeros((2, -1)), ValueError, ["-1"]),
    "beyond int64": (lambda: cuarray.empty((2**40, 2**40)), ValueError, []),
    "beyond memory": (lambda: cuarray.empty(2**50, "u1"), MemoryError, [str(2**50)]),
    "too many axes": (lambda: cuarray.zeros((1,) * 65), ValueError, ["65", "64"]),
    "device": (lambda: cuarray.zeros(2, device="gpu:0"), ValueError, ["gpu:0"]),
    "device type": (lambda: cuarray.device(3), TypeError, []),
    "matmul": (lambda: ones(2, 3) @ ones(2, 4), ValueError, ["matmul", "(2, 3)", "(2, 4)"]),
    "matmul of a number": (lambda: ones(2, 3) @ 2, ValueError, ["matmul", "0-dimensional"]),
    "accumulate": (lambda: cuarray.add.accumulate(ones(3).sum()), TypeError, ["accumulate"]),
    "reduceat": (lambda: cuarray.add.reduceat(ones(3), [3]), IndexError, ["reduceat", "3"]),
    "at": (lambda: cuarray.add.at(ones(3), 0), ValueError, ["add.at", "second operand"]),
    "array api version": (lambda: ones(3).__array_namespace__(api_version="1999.12"), ValueError, ["1999.12"]),
    "setting": (lambda: cuarray.seterr(all="explode"), ValueError, ["explode"]),
    "frombuffer": (lambda: cuarray.frombuffer(b"abc", "f4"), ValueError, []),
    "concat nothing": (lambda: cuarray.concat([]), ValueError, []),
    "stack shapes": (lambda: cuarray.stack([ones(2), ones(3)]), ValueError, ["(2,)", "(3,)"]),
    "fuse argument": (lambda: cuarray.fuse("f"), TypeError, ["fuse"]),
    "threads": (lambda: cuarray.set_num_threads(0), ValueError, ["0"]),
}


@pytest.mark.parametrize("name", BAD)
def test_bad_input(name, device):
    action, kind, words = BAD[name]
    with pytest.raises(kind) as error:
        action()
    for word in words:
        assert word in str(error.value), f"{word!r} is not in {str(error.value)!r}"
    assert (ones(3) + 1).tolist() == [2, 2, 2], "the next call works"


@pytest.mark.parametrize("name", BAD)
def test_nothing_is_leaked(name, device):
    action, kind, _ = BAD[name]

    def once():
        with pytest.raises(kind):
            action()

    once()
    gc.collect(1)  # the young generations suffice, and are fast
    before = cuarray.memory.stats()
    for _ in range(5):
        once()
    gc.collect(1)
    after = cuarray.memory.stats()
    assert (after["allocations"], after["current"]) == (before["allocations"], before["current"])


# Calls of public functions that fail in a function that they call.
NAMED = {
    "nanmax": (lambda: cuarray.nanmax(ones(2, 3), axis=5), "axis 5"),
    "nanmean": (lambda: cuarray.nanmean(ones(2, 3), axis=5), "axis 5"),
    "isclose": (lambda: cuarray.isclose(ones(2, 3), ones(4)), "shapes (2, 3) and (4,) cannot be broadcast together"),
    "insert": (lambda: cuarray.insert(ones(2, 3), 0, ones(5), axis=0), "shape (1, 5)"),
    "matrix_transpose": (lambda: cuarray.matrix_transpose(ones(3)), "the array has 1 axes"),
    "select": (lambda: cuarray.select([ones(2) > 0], [ones(2, dtype="u1")], -1), "Python integer -1"),
    "vstack": (lambda: cuarray.vstack([ones(2, 3), ones(1, 5)]), "shapes (2, 3) and (1, 5) differ"),
    "kron": (lambda: cuarray.kron(ones(2), "text"), "dtype <U4"),
    "concatenate": (lambda: cuarray.concatenate([ones(2), ones(2, 2)]), "all arrays must have"),
    "gradient": (lambda: cuarray.gradient(ones(3), axis=1), "axis 1"),
    "cumulative_sum": (lambda: cuarray.cumulative_sum(ones(3), axis=1, include_initial=True), "axis 1"),
    "linspace": (lambda: cuarray.linspace(0, 1, axis=2), "axis 2"),
    "logspace": (lambda: cuarray.logspace(0, 1, -1), "the number of samples -1"),
    "vdot": (lambda: cuarray.vdot(ones(6), ones(5)), "shapes (6,) and (5,)"),
    "corrcoef": (lambda: cuarray.corrcoef(ones(2, 2, 2)), "3 axes"),
    "hsplit": (lambda: cuarray.hsplit(ones(2, 3), 2), "3 elements"),
    "trace": (lambda: cuarray.trace(ones(2, 3), axis1=5), "axis 5"),
    "unstack": (lambda: cuarray.unstack(ones(2, 3), axis=4), "axis 4"),
    "unwrap": (lambda: cuarray.unwrap(ones(2, 3), axis=-3), "axis -3"),
}


@pytest.mark.parametrize("name", NAMED)
def test_errors_name_the_function_that_was_called(name, device):
    action, words = NAMED[name]
    with pytest.raises((TypeError, ValueError, IndexError, OverflowError)) as error:
        action()
    assert str(error.value).startswith(f"{name}: {words}")


def test_errors_of_functions_that_a_function_calls_are_theirs(device):
    with pytest.raises(ValueError, match=r"^add: shapes"):
        cuarray.apply_along_axis(lambda row: row + ones(7), 0, ones(3, 2))
    with pytest.raises(ValueError, match=r"^sum: axis 9"):
        cuarray.piecewise(ones(3), [ones(3) > 0], [lambda x: cuarray.sum(x, axis=9)])


def test_allocations_are_counted(device):
    gc.collect()
    before = cuarray.memory.stats()
    x = cuarray.zeros(1000)
    during = cuarray.memory.stats()
    assert during["allocations"] == before["allocations"] + 1
    assert during["current"] >= before["current"] + x.nbytes
    del x
    assert cuarray.memory.stats()["allocations"] == before["allocations"]


def test_errors_leave_targets_alone(device):
    x = cuarray.arange(3.0)
    for action in (
        lambda: cuarray.add(x, ones(4), out=x),
        lambda: x.__setitem__(slice(None), ones(2)),
        lambda: cuarray.add(x, 1j, out=x),
    ):
        with pytest.raises((ValueError, TypeError)):
            action()
        assert x.tolist() == [0, 1, 2]


def test_operands_on_two_devices():
    others = [d for d in cuarray.devices() if d != "cpu"]
    if not others:
        return
    x, y = cuarray.ones(3, device="cpu"), cuarray.ones(3, device=others[0])
    for action in (
        lambda: x + y,
        lambda: cuarray.where(x > 0, y, 0),
        lambda: cuarray.concat([x, y]),
        lambda: y.__setitem__(0, x[0, ...]),
    ):
        with pytest.raises(ValueError, match="to_device") as error:
            action()
        assert "cpu" in str(error.value) and str(others[0]) in str(error.value)
    with pytest.raises(TypeError, match=r"cuarray\.asarray\(x, device="):
        y + np.ones(3)
    with pytest.raises(TypeError, match=r"\.numpy\(\)"):
        np.asarray(y)
    assert (y + np.float64(1)).tolist() == (y + 1).tolist() == [2, 2, 2]


def test_complex_to_real_warns(device):
    z = cuarray.asarray([1 + 2j])
    x = cuarray.zeros(1)
    with pytest.warns(cuarray.ComplexWarning):
        assert z.astype("f8").tolist() == [1]
    with pytest.warns(cuarray.ComplexWarning):
        x[...] = z
    assert x.tolist() == [1]
    with pytest.raises(TypeError):
        float(z)


def test_no_floating_point_warnings(device, recwarn):
    zero = cuarray.zeros(2)
    assert np.isnan((zero / zero).numpy()).all() and np.isinf((1 / zero).numpy()).all()
    cuarray.log(zero)
    cuarray.asarray([np.nan, 1e300]).astype("i4")
    (cuarray.ones(2, "i4") // 0).numpy()
    cuarray.mean(cuarray.zeros(0)).item()
    assert not recwarn.list


TOO_MUCH = [
    "ca.ones((1,) * 64)[(None,) * 64]", "ca.ones(2)[(None,) * 129]", "ca.array(1.0, ndmin=200)", "ca.expand_dims(ca.ones((1,) * 64), tuple(range(64)))",
    "ca.ones(()).reshape(*((1,) * 130))", "ca.ones(3).transpose(*range(130))", "ca.ones(3).item(*((0,) * 200))", "ca.broadcast_to(ca.ones(1), (2**32, 2**32))",
    "ca.broadcast_to(ca.ones(1), (2**32, 2**31))", "ca.broadcast_to(ca.ones(1), (2**40, 1)) + ca.broadcast_to(ca.ones(1), (1, 2**40))",
    "ca.lib.stride_tricks.as_strided(ca.ones(4), (5,), (2**62,))", "ca.lib.stride_tricks.as_strided(ca.ones(4), (2**32, 2**32), (2**40, 2**40))",
    "ca.asarray(endless)", "ca.ones(3) + endless", "ca.asarray(mixed)", "ca.asarray(deep)",
]  # fmt: skip


@pytest.mark.parametrize("call", TOO_MUCH)
def test_too_many_axes_elements_and_lists(call, device):
    endless, mixed, deep = [], [cuarray.ones(3)], 1.0
    endless.append(endless)
    mixed.append(mixed)
    for _ in range(100_000):
        deep = [deep]
    with pytest.raises((ValueError, IndexError, RecursionError)):
        eval(call, {"ca": cuarray, "endless": endless, "mixed": mixed, "deep": deep})
    while isinstance(deep, list):
        deep = deep.pop()
    assert (cuarray.ones(2) + 1).tolist() == [2, 2]


AS_NUMPY = [
    "xp.interp(2, [1, 2, 2], [0, 1, 2])", "xp.interp([1, 2, 2.5, 0, 1.5], [1, 1, 2, 2], [0, 5, 1, 2])", "xp.interp(0.5 + 1j, [0, 1], [0, 1.0])",
    "xp.choose([0, 1], [xp.ones(2, 'f4'), 0.5])", "xp.choose([0, 1], [xp.ones(2, 'i1'), 0])", "xp.choose([0, 1], [3, 4.5])",
    "xp.round(xp.geomspace(-1, 1, num=3, dtype=complex), 9)", "xp.gradient(xp.ones((2, 2)), axis=(0, 0))", "xp.gradient(xp.ones((2, 2)), axis=[0])",
    "xp.roll(xp.arange(3), 1, axis=())", "xp.sum(xp.ones(2), initial=1j)", "xp.max(xp.ones(2), initial=1j)", "xp.sum(xp.ones(2, 'c8'), initial=1j)",
    "xp.add(xp.asarray([1]), xp.asarray([2.5]), casting='no')", "xp.sqrt(xp.asarray([4]), casting='equiv')", "xp.sqrt(xp.asarray([4.0]), casting='no')",
]  # fmt: skip


@pytest.mark.parametrize("call", AS_NUMPY)
def test_rare_arguments_mean_what_they_mean_to_numpy(call, device):
    try:
        want = eval(call, {"xp": np})
    except (TypeError, ValueError) as error:
        with pytest.raises(TypeError if isinstance(error, TypeError) else ValueError):
            eval(call, {"xp": cuarray})
    else:
        got = eval(call, {"xp": cuarray})
        assert got.dtype == want.dtype and np.array_equal(got.numpy(), want)


class Shrinks:
    """An axis, and who asks for its number makes an array smaller."""

    def __init__(self, x):
        self.x = x

    def __index__(self):
        self.x.resize(())
        return -1


RESIZED = [
    "gradient(x, axis=s)", "delete(x, 0, axis=s)", "insert(x, 0, 1, axis=s)", "split(x, 2, s)",
    "array_split(x, 2, axis=s)", "partition(x, 0, axis=s)", "top_k(x, 1, axis=s)", "trim_zeros(x, axis=(s,))",
    "x.partition(0, axis=s)", "lib.stride_tricks.sliding_window_view(x, (1,), s)",
]  # fmt: skip


@pytest.mark.parametrize("call", RESIZED)
def test_an_axis_is_one_of_the_array_as_it_is_then(call, device):
    """What resizes the array while it is asked for its number leaves no axis, and no accident of a list's."""
    x = cuarray.arange(6.0).reshape(2, 3)
    names = {name: getattr(cuarray, name) for name in (*cuarray.__all__, "lib")}
    with pytest.raises(np.exceptions.AxisError, match="axis -1"):
        eval(call, {**names, "x": x, "s": Shrinks(x)})


def test_functions_that_take_what_is_left_of_the_array(device):
    """Of an array without axes NumPy's repeat and argpartition make one of one axis, and its diff refuses it."""
    x = cuarray.arange(6.0).reshape(2, 3)
    assert cuarray.repeat(x, 2, axis=Shrinks(x)).tolist() == np.repeat(np.zeros(()), 2, axis=-1).tolist() == [0, 0]
    x = cuarray.arange(6.0).reshape(2, 3)
    assert cuarray.argpartition(x, 0, axis=Shrinks(x)).tolist() == np.argpartition(np.zeros(()), 0).tolist() == [0]
    x = cuarray.arange(6.0).reshape(2, 3)
    with pytest.raises(ValueError, match="diff: requires an array of at least one dimension"):
        cuarray.diff(x, axis=Shrinks(x))
    with pytest.raises(ValueError, match="at least one dimension"):
        np.diff(np.zeros(()), axis=-1)
