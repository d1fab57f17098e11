"""0-d results on the cpu device are numbers for Python; on a GPU they are 0-d arrays."""

import collections.abc
import ctypes
import datetime
import fractions
import gc
import json
import math
import numbers
import operator
import statistics
import threading
import time
import typing

import numpy as np
import pytest

import cuarray

DTYPES = "?bhilBHILefdFD"


@pytest.mark.parametrize("dtype", DTYPES)
def test_classes(device, dtype):
    x = cuarray.asarray([1, 0], dtype=dtype)
    for value in (x[0], x.max(), x[:1].prod()):
        assert isinstance(value, cuarray.ndarray) and cuarray.ndarray in type(value).__mro__
        scalar = np.dtype(value.dtype).type
        for kind in (float, complex, int, bool, numbers.Number, numbers.Complex, numbers.Real, numbers.Integral):
            assert isinstance(value, kind) == (device == "cpu" and isinstance(scalar(1), kind)), (kind, value.dtype)
        if device == "cpu":
            assert value.__class__ is type(value)
            assert repr(value) == repr(value.numpy()[()]) and str(value) == str(value.numpy()[()])
            assert f"{value:}" == f"{value.numpy()[()]}" and hash(value) == hash(value.item())
    assert type(cuarray.asarray(1, dtype=dtype)) is cuarray.ndarray and type(x[:1]) is cuarray.ndarray


def test_what_python_does_with_numbers():
    x = cuarray.asarray([1.5, 2.5, 4.0], device="cpu")
    y = x.numpy()
    for call in (
        lambda x: json.dumps({"mean": x.mean(), "all": list(x)}),
        lambda x: statistics.fmean(x),
        lambda x: statistics.median(x),
        lambda x: fractions.Fraction(x[0]),
        lambda x: datetime.timedelta(seconds=x[0]),
        lambda x: (x[0].is_integer(), x[2].is_integer(), x[0].hex(), x[0].as_integer_ratio()),
        lambda x: (math.sqrt(x[2]), math.floor(x[0]), math.fsum(x), math.hypot(*x)),
        lambda x: (round(x[0]), round(x.mean(), 2), int(x[1]), divmod(x[1], 2)),
        lambda x: operator.mod("%5.2f %d %s %r", (x[0], x[1], x[2], x[2])),
        lambda x: f"{x.mean():.3e} {x.sum()!r}",
        lambda x: (complex(x[0], x[1]), float.__add__(x[0], 1.0), pow(x[0], 2), 2.0 ** x[0]),
        lambda x: sorted([x[1], 2.0, x[0]]),
    ):
        got, wanted = call(x), call(y)
        assert got == wanted and repr(got) == repr(wanted)
    time.sleep(x[0] * 0)
    z = cuarray.asarray([3 + 4j], device="cpu")[0]
    assert complex.__abs__(z) == abs(z) == 5 and complex(z) == 3 + 4j and z.conjugate() == 3 - 4j


def test_values_meet_arrays_in_their_own_type(device):
    """A value of float64 is no weak number of Python, although it is a float."""
    x = cuarray.ones(2, dtype="f4")
    value = cuarray.asarray([2.0])[0]
    for result in (x * value, value * x, cuarray.add(x, value), np.add(x, value), x + value):
        assert result.dtype == cuarray.float64
    assert (x * 2.0).dtype == (2.0 * x).dtype == cuarray.float32
    for result in (value + 1, 1 + value, 2.0 * value, value**2, value // 1, -value, abs(value)):
        assert type(result) is type(value)


def test_values_repeat_sequences(device):
    n, m = cuarray.asarray([3, 2.5]).astype(int)[0], cuarray.asarray([2.5])[0]
    for sequence in ([1, 2], (1,), "ab", b"ab", bytearray(b"a")):
        assert sequence * n == n * sequence == sequence * 3
        for other in (m, n > 0, m * 1j):
            with pytest.raises(TypeError, match=f"can't multiply sequence by non-int of type '{other.dtype}'"):
                sequence * other
    assert (cuarray.asarray(3, device=device) * [1, 2]).tolist() == [3, 6]  # which is an array
    with pytest.raises(OverflowError):
        [0] * cuarray.asarray([2**64 - 1], dtype="u8")[0]


def test_values_are_no_sequences():
    check = ctypes.pythonapi.PySequence_Check
    check.argtypes = [ctypes.py_object]
    for dtype in DTYPES:
        value = cuarray.ones(1, dtype=dtype, device="cpu")[0]
        assert not check(value) and not check(value.numpy()[()])
        for call in (len, iter, list, lambda v: v[0], lambda v: 1 in v):
            with pytest.raises((TypeError, IndexError)):
                call(value)
        assert value[()] == value[...] == 1
    assert check(cuarray.ones(1))


#: What programs ask to tell numbers from containers.
NAMES = ("__len__", "__iter__", "__contains__", "__getitem__", "__index__", "__float__", "__array__")
NAMES += ("is_integer", "as_integer_ratio", "bit_count", "numerator", "denominator", "real", "imag", "conjugate")
CLASSES = [getattr(collections.abc, name) for name in collections.abc.__all__] + [typing.SupportsIndex]


@pytest.mark.parametrize("dtype", DTYPES)
def test_values_have_what_numbers_have(dtype):
    value = cuarray.ones(1, dtype=dtype, device="cpu")[0] * 3
    scalar = value.numpy()[()]
    for name in NAMES:
        is_there = [hasattr(x, name) for x in (value, scalar)]
        assert is_there[0] == is_there[1], name
    for kind in CLASSES:
        assert isinstance(value, kind) == isinstance(scalar, kind), kind
    for name in {"is_integer", "as_integer_ratio", "bit_count"} & {*dir(scalar)}:
        assert getattr(value, name)() == getattr(scalar, name)()
    for name in (3, None):
        with pytest.raises(TypeError, match="attribute name must be string"):
            value.__getattribute__(name)
    assert not hasattr(value, "")
    if hasattr(scalar, "numerator"):
        assert (value.numerator, value.denominator) == (3, 1) and value.denominator.dtype == value.dtype
    assert pytest.approx(value) == 3 and value == pytest.approx(3) and value == pytest.approx(value)


WRITES = [
    lambda v, n: v.__setitem__(..., n),
    lambda v, n: v.fill(n),
    lambda v, n: np.copyto(v, n),
    lambda v, n: cuarray.add(n, 0, out=v),
    lambda v, n: cuarray.full(4, n / 4).sum(out=v),
    lambda v, n: v.reshape(1).__setitem__(0, n),
    lambda v, n: v[None].__iadd__(n - v.item()),
    lambda v, n: v.__array__().fill(n),
    lambda v, n: np.from_dlpack(v).fill(n),
    lambda v, n: cuarray.from_dlpack(v).fill(n),
    lambda v, n: memoryview(v).cast("B").__setitem__(slice(None), np.asarray(n, v.dtype).tobytes()),
    lambda v, n: np.frombuffer(v, v.dtype).fill(n),
    lambda v, n: np.asarray(Interface(v.__array_interface__, v)).fill(n),
]


class Interface:
    def __init__(self, interface, owner):
        self.__array_interface__, self.owner = interface, owner


@pytest.mark.parametrize("write", WRITES)
@pytest.mark.parametrize("deferred", [False, True])
def test_c_code_sees_every_write(write, deferred):
    """C code reads a float's number in the object, without asking."""
    for value in (cuarray.ones(3, device="cpu").sum(), cuarray.ones(3, dtype="c16", device="cpu")[1]):
        base = float if isinstance(value, float) else complex
        for n in (7.0, -2.5):
            if deferred:
                with cuarray.fuse():
                    write(value, n)
                    assert base.__repr__(value) == repr(base(n))
            else:
                write(value, n)
            assert base.__repr__(value) == repr(base(n)) and value == n and value.item() == n


def test_no_value_of_pending_work():
    n = 1_000_000
    x = cuarray.arange(float(n), device="cpu")
    with cuarray.fuse():
        total, one = (x * 2).sum(), (x + 1)[3]
        assert float.__repr__(total) == repr(float(n) * (n - 1)) and float.__repr__(one) == "4.0"
        product = cuarray.asarray(2.0, device="cpu") * 3  # deferred whatever its size
        assert float.__repr__(product) == "6.0"
        count = (x > 3).sum()
        assert isinstance(count, numbers.Integral) and count == n - 4
    with cuarray.profile():
        assert float.__repr__(x.mean()) == repr((n - 1) / 2)


def test_memory_outlives_the_value():
    """Views of a value keep its memory, also where another thread drops the last one."""
    for _ in range(300):
        value = cuarray.asarray([1.25, 2.5], device="cpu").sum()
        views = [value.reshape(1), np.from_dlpack(value), memoryview(value), value.__array__()]
        del value
        others = [cuarray.full(1, k, device="cpu")[0] for k in range(80)]  # which would take freed memory
        assert all(np.asarray(view).item() == 3.75 for view in views)
        thread = threading.Thread(target=views.clear)
        thread.start()
        thread.join()
        del others
    gc.collect()


def test_classes_are_called():
    real, whole = type(cuarray.ones(1, device="cpu")[0]), type(cuarray.arange(1, device="cpu")[0])
    imaginary = type(cuarray.ones(1, dtype="c16", device="cpu")[0])
    assert type(real(3)) is real and real("1e3") == 1000 and real.fromhex("0x1p3") == 8 and real() == 0
    assert type(imaginary(1, 2)) is imaginary and imaginary("1+2j") == 1 + 2j
    assert type(whole("7")) is whole and whole(2.9) == 2 and whole() == 0
    for call in (lambda: whole(1, 2), lambda: float.__new__(real, 3), lambda: type("Mine", (real,), {})):
        with pytest.raises(TypeError):
            call()
    with pytest.raises(ValueError):
        real("x")
    for dtype in DTYPES:
        kind, numpys = type(cuarray.ones(1, dtype=dtype, device="cpu")[0]), np.dtype(dtype).type
        made = kind("1")
        assert type(made) is kind and made == numpys("1") and made.dtype == np.dtype(dtype) and kind() == numpys()
        assert (
            kind.__name__ == numpys.__name__ and np.zeros(2, kind).dtype == cuarray.zeros(2, kind).dtype == made.dtype
        )
        assert np.dtype(kind) == kind.dtype and np.issubdtype(kind, numpys) and cuarray.issubdtype(kind, numpys)
        if np.dtype(dtype).kind in "iu":
            with pytest.raises(OverflowError):
                kind(2**70)


def test_a_capture_has_no_numbers_yet(device):
    x = cuarray.ones(4, device=device)
    graph = cuarray.Graph(device)
    with graph.capture():
        total = (x * 2).sum()
        assert type(total) is cuarray.ndarray
    x[...] = 3
    graph.launch()
    assert total == 24


#: Powers that have a short form, and others.
EXPONENTS = [-3, -2, -1, -0.5, 0, 0.5, 1, 1.5, 2, 2.5, 3, 4, 5, 7.5, 16, 17]


@pytest.mark.parametrize("dtype", ["i1", "u1", "i4", "u4", "i8", "u8", "f2", "f4", "f8", "c8", "c16"])
@pytest.mark.filterwarnings("ignore")
def test_elements_beside_numbers_are_as_arrays(dtype):
    """Bit for bit: elements are computed by loops of one element, arrays by chains of rows."""
    rng = np.random.default_rng(3)
    real = rng.normal(size=12) * 10 ** rng.integers(0, 5, 12).astype(float)
    values = (
        np.abs(real).astype(int) % 100 if dtype[0] in "iu" else np.append(real, [0.0, -0.0, np.inf, -np.inf, 1e-30])
    )
    if dtype[0] == "c":
        values = values + 1j * values[::-1]
    x = cuarray.array(values.astype(dtype), device="cpu")
    exponents = [n for n in EXPONENTS if n == abs(int(n))] if dtype[0] in "iu" else EXPONENTS
    numbers = [0.1, -2.5, 3, -(2**63), 2**24 + 1, 1e39, np.nan, -0.0, np.float64(0.3)]
    calls = [(operator.pow, n) for n in exponents]
    calls += [(call, n) for call in (operator.add, operator.mul, operator.truediv, operator.lt) for n in numbers]
    for call, number in calls:
        if dtype[0] in "iuc" and (call is operator.lt or not -(2**7) <= number < 2**7):
            continue  # refused, or compared as Python compares
        for given in (number, x.dtype.type(number)) if call is operator.pow else (number,):
            expected = call(x, given)
            for i, value in enumerate(x):
                result = call(value, given)
                assert result.dtype == expected.dtype, (call, given)
                one, other = np.asarray(result), expected.numpy()[i]
                assert one.tobytes() == other.tobytes() or (one != one and other != other), (call, given, value)


@pytest.mark.parametrize(
    "dtype", "bool int8 uint8 int32 int64 uint64 float16 float32 float64 complex64 complex128".split()
)
def test_values_print_as_numpys(dtype):
    given = np.array([0, 1, 3] if np.dtype(dtype).kind in "bui" else [0, 0.1, 1 / 3, 1e-5, 1234.5678], dtype)
    for ours, theirs in zip(cuarray.array(given), given, strict=True):
        assert (str(ours), repr(ours), f"{ours}") == (str(theirs), repr(theirs), f"{theirs}")
        if given.dtype.kind == "f":
            assert f"{ours:.3e} {ours:10.2f}" == f"{theirs:.3e} {theirs:10.2f}"
    with pytest.raises(ValueError, match="format"):
        f"{cuarray.array(given)[0]:zz}"
