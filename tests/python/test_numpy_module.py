"""cuarray.numpy: NumPy's whole namespace, ours where we have it and NumPy's on the host for the rest."""

import contextlib
import contextvars
import datetime
import decimal
import fractions
import gc
import importlib.util
import io
import operator
import pickle
import subprocess
import sys
import types
import typing
import warnings

import numpy
import pytest

import cuarray as ca
from cuarray._numpy import consumers, errstate, fallbacks, operators


@pytest.fixture(autouse=True)
def installed():
    """The module's methods and operators are those of the process: other tests are about cuarray alone."""
    operators.install()
    fallbacks.counts.clear()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ca.HostFallbackWarning)
        yield
    operators.remove()


np = importlib.import_module("cuarray.numpy")
operators.remove()


def same(ours, theirs):
    """Whether a result is NumPy's: an array of ours with its numbers, or its own object."""
    if isinstance(theirs, tuple | list):
        return type(ours) is type(theirs) and len(ours) == len(theirs) and all(map(same, ours, theirs))
    if isinstance(theirs, numpy.ndarray) and type(theirs) is numpy.ndarray and theirs.dtype.kind in "biufc":
        return (
            isinstance(ours, ca.ndarray)
            and ours.dtype == theirs.dtype
            and numpy.array_equal(ours.numpy(), theirs, equal_nan=True)
        )
    if isinstance(theirs, numpy.ndarray):
        return type(ours) is type(theirs) and ours.dtype == theirs.dtype and (ours == theirs).all()
    return bool(ours == theirs) or ours != ours


# Names


def test_every_public_name_of_numpy_is_there():
    missing = [name for name in numpy.__all__ if not hasattr(np, name)]
    assert not missing and set(numpy.__all__) <= set(dir(np)) and np.__version__ == numpy.__version__
    for part in (
        "linalg",
        "fft",
        "random",
        "testing",
        "polynomial",
        "ma",
        "lib",
        "char",
        "strings",
        "rec",
        "emath",
        "exceptions",
    ):
        module, theirs = getattr(np, part), getattr(numpy, part)
        assert isinstance(module, types.ModuleType)
        if importlib.util.find_spec(f"numpy.{part}"):
            assert module is importlib.import_module(f"cuarray.numpy.{part}")
        assert not [name for name in dir(theirs) if not name.startswith("_") and not hasattr(module, name)], part


def test_names_that_numpy_has_not_are_missing():
    with pytest.raises(AttributeError, match="module 'numpy' has no attribute"):
        np.fuse  # noqa: B018
    with pytest.raises(ImportError):
        importlib.import_module("cuarray.numpy.nothing")


def test_types_constants_and_errors_are_numpys():
    for name in (
        "float64",
        "int8",
        "object_",
        "str_",
        "datetime64",
        "longdouble",
        "dtype",
        "pi",
        "nan",
        "newaxis",
        "generic",
        "bool",
    ):
        assert getattr(np, name) is getattr(numpy, name), name
    assert np.linalg.LinAlgError is numpy.linalg.LinAlgError and np.exceptions.AxisError is numpy.exceptions.AxisError


def test_ours_are_ours():
    for call in (
        np.arange(3),
        np.sin([1.0]),
        np.linalg.inv(np.eye(2)),
        np.fft.fft([1, 2]),
        np.random.rand(2),
        np.random.default_rng(1).random(2),
    ):
        assert type(call) is ca.ndarray
    assert np.sum.__name__ == "sum" and np.add.reduce([1, 2]) == 3 and isinstance(np.add, np.ufunc)


def test_random_numbers_are_numpys():
    for kind in ("PCG64", "Philox", "MT19937"):
        bits, theirs = getattr(np.random, kind), getattr(numpy.random, kind)
        assert (
            np.random.Generator(bits(1)).normal(size=3).tolist()
            == numpy.random.Generator(theirs(1)).normal(size=3).tolist()
        )
    assert np.random.RandomState(1).randn(3).tolist() == numpy.random.RandomState(1).randn(3).tolist()


def test_random_is_imported_at_its_first_use():
    code = """
import sys, cuarray.numpy as np
assert "numpy.random" not in sys.modules and "cuarray.random" not in sys.modules
import numpy
assert np.random.Philox is numpy.random.Philox and isinstance(np.random.default_rng(1), np.random.Generator)
"""
    subprocess.run([sys.executable, "-c", code], check=True)


def test_star_import():
    names = {}
    exec("from cuarray.numpy import *", names)
    assert set(numpy.__all__) <= set(names) and type(names["ones"](2)) is ca.ndarray


def test_a_call_runs_the_python_that_it_runs_in_cuarray():
    """The module adds no line of Python to a call of its own function."""
    x = ca.ones(3)
    others = {"where": (x > 0, x, x), "take": (x, [0])}
    binary = ("add", "maximum", "power", "roll", "dot", "searchsorted", "append")
    unary = ("sin", "sum", "max", "cumsum", "sort", "argsort", "ravel", "unique", "linalg.norm", "fft.fft")
    calls = others | dict.fromkeys(binary, (x, 1)) | dict.fromkeys(unary, (x,))
    for name, args in calls.items():
        ours, theirs = (python_run_by(operator.attrgetter(name)(module), *args) for module in (np, ca))
        assert ours == theirs, name


def python_run_by(f, *args):
    """The functions entered, and the built-in functions that Python's lines call; without the collector's callbacks."""
    f(*args)  # what a first call imports
    run = []

    def note(frame, event, arg):
        if event in ("call", "c_call"):
            run.append((event, frame.f_code.co_filename, frame.f_code.co_name, getattr(arg, "__name__", None)))

    gc.disable()
    sys.setprofile(note)
    try:
        f(*args)
    finally:
        sys.setprofile(None)
        gc.enable()
    return run


# Fallbacks


CALLS = [
    "np.emath.sqrt(-x)",
    "np.polynomial.polynomial.polyval(2.0, x)",
    "np.polynomial.polynomial.polyval(fractions.Fraction(1, 3), [fractions.Fraction(1, 2), 1])",
    "np.polynomial.Polynomial([fractions.Fraction(1, 2), 1])(fractions.Fraction(1, 3))",
    "str(np.polynomial.Polynomial([decimal.Decimal(1), 2]))",
    "np.ma.filled(np.ma.masked_greater(x, 1.0), 0.0)",
    "np.ma.masked_array(x, x > 1).sum()",
    "np.poly1d(x)(2.0)",
    "np.array(['a', 'bc'])",
    "np.array([1, None, 'a'], dtype=object)",
    "np.array([(1, 2.0)], dtype=[('a', int), ('b', float)])",
    "np.zeros(2, dtype=[('a', int)])",
    "np.full(2, 'no')",
    "np.where(x > 1, 'yes', 'no')",
    "np.unique(['b', 'a', 'b'], return_counts=True)",
    "np.sort(np.array(['b', 'a']))",
    "np.concatenate([np.array(['a']), ['b']])",
    "np.array([2**70])",
    "np.array([fractions.Fraction(1, 2)]) * 2",
    "np.sum(np.array([decimal.Decimal(1)] * 2))",
    "np.arange('2024-01-01', '2024-01-04', dtype='datetime64[D]')",
    "np.datetime64('2024-01-01') + np.arange(3)",
    "np.arange(3) + np.datetime64('2024-01-01')",
    "np.busday_count('2024-01-01', '2024-02-01')",
    "np.is_busday(np.datetime64('2024-01-01') + np.arange(7))",
    "np.add(np.array(['2024-01-01'], dtype='M8[D]'), np.arange(2))",
    "np.logical_or.reduce([np.array(['a']) == 'a', np.array(['b']) == 'c'])",
    "np.add.reduce(np.array([1, 2], dtype=object))",
    "np.char.upper(np.array(['a']))",
    "np.array(['b', 'a'])[np.argsort(x)[:2] % 2]",
    "x.astype(object)",
    "x.astype(str)",
    "x.astype('M8[D]')",
    "np.arange(3).view([('a', int)])",
    "x * fractions.Fraction(1, 2)",
    "fractions.Fraction(1, 2) + np.arange(2)",
    "x == 'a'",
    "x != None",
    "None == x",
    "x < np.array([1, 2, 3], dtype=object)",
    "np.array([1, 2, 3], dtype=object) - np.arange(3)",
    "np.array([1, 2, 3], dtype=np.longdouble).sum()",
    "x.sum(dtype=np.longdouble)",
    "x.mean(0, np.longdouble)",
    "(x.prod(dtype='g'), x.var(dtype=np.longdouble), x.std(dtype=np.longdouble))",
    "x.cumsum(dtype=np.longdouble).tolist()",
    "np.eye(2).trace(dtype=np.clongdouble)",
    "x + np.ma.masked_array([1.0, 2.0, 3.0], [True, False, False])",
    "np.matrix([[1, 2], [3, 4]]) * np.eye(2)",
    "np.mean(np.ma.masked_array([1.0, 3.0], [True, False]))",
    "np.vectorize(lambda s: len(s))(np.array(['a', 'bcd']))",
    "np.loadtxt(io.StringIO('a 1\\nb 2'), dtype=str)",
    "np.genfromtxt(io.StringIO('a,1\\nb,2'), delimiter=',', dtype=None, encoding='utf-8')",
    "np.isin(np.array(['a', 'b']), ['b'])",
    "np.tile(['a'], 2)",
    "np.split(np.array(['a', 'b']), 2)",
    "np.array([datetime.date(2024, 1, 1)])",
    "np.array({1, 2})",
    "np.array([len, print])",
    "np.apply_along_axis(lambda line: 'abc'[: len(line)], 0, np.ones((2, 3)))",
    "np.apply_along_axis(lambda line: {'sum': float(line.sum())}, 1, np.ones((2, 3)))",
    "np.apply_along_axis(lambda line, by: line * by, 1, np.ones((2, 3)), by=2)",
    "np.asarray(len)",
    "np.full(2, len)",
    "np.atleast_1d(len)",
    "np.append([1.0], len)",
    "np.where(x > 1, x, None)",
    "np.where(x > 1, None, None)",
    "np.where(x > 1, len, x)",
    "np.r_[['a', 'b'], ['c']]",
    "np.r_['r', [1, 2]]",
    "np.c_[np.array(['2020-01-01'], dtype='M8[D]'), np.array(['2020-01-02'], dtype='M8[D]')]",
    "np.r_[0:3, 5, [7.5]]",
    "np.c_[x, x]",
    "np.mgrid[0:2, 0:1:3j]",
    "np.ogrid[0:2, 0:3]",
    "np.array_equal(np.array(['a']), np.array(['a']))",
    "np.array([['1', '2.5'], ['3', '4']], dtype=float)",
    "np.array([x[0], 'a'], dtype=object)",
    "np.asarray(['a', x[1]])",
    "np.zeros(2, np.dtype([('a', 'i4'), ('b', 'U2')]))",
    "np.zeros(2, dtype='U3')",
    "np.empty(2, object)",
    "np.zeros_like(x, dtype='timedelta64[s]')",
    "np.full((2, 2), 1, dtype='<U2')",
    "np.concatenate([['a'], ['b']])",
    "np.count_nonzero(['', 'a'])",
    "np.shape([['a', 'b']])",
    "np.stack([np.array(['a']), np.array(['b'])])",
    "np.unique(np.array(['b', 'a', 'b']))",
    "np.array(['2024-01-01', '2024-02'], dtype='datetime64[D]')",
]


@pytest.mark.parametrize("call", CALLS)
def test_what_only_numpy_has_is_numpys(call, device):
    modules = {"io": io, "fractions": fractions, "decimal": decimal, "datetime": datetime}
    ours = eval(call, {**modules, "np": np, "x": np.linspace(0.0, 2.0, 3)})
    theirs = eval(call, {**modules, "np": numpy, "x": numpy.linspace(0.0, 2.0, 3)})
    assert same(ours, theirs), (ours, theirs)


@pytest.mark.parametrize(
    "call",
    [
        "x.astype('>u2')",
        "x.astype(np.dtype('u2').newbyteorder('>'), copy=False)",
        "x.view('>f8')",
        "x.astype('>f4').view('u1')",
        "np.asarray(x, '>i4')",
        "np.array([1, 2], '>i2')",
        "np.array(x, dtype='>i4')",
        "np.array(x.astype('>f4'))",
        "np.asarray(x.astype('>f4'))",
        "np.copy(x.astype('>f4'))",
        "np.reshape(x.astype('>f4'), (3, 1))",
        "np.concatenate([x.astype('>f4'), x.astype('>f4')])",
        "np.zeros((2,), '>f4')",
        "np.full(2, 3, dtype='>c8')",
        "np.zeros_like(x, dtype='>i8')",
        "np.linspace(0, 1, 3, dtype='>f2')",
        "np.eye(2, dtype='>f4')",
        "np.frombuffer(b'abcd', '>i2')",
        "np.frombuffer(bytearray(4), dtype='>u2')",
        "np.fromfile(raw, '>i2', 4)",
        "np.fromiter([1, 2], '>i4')",
        "np.ndarray((2,), '>i2', b'abcd')",
        "np.ndarray(2, dtype='>i2', buffer=bytearray(b'abcdef'), offset=2)",
        "np.loadtxt(['1 2'], dtype='>f4')",
        "np.save(npy, np.arange(3).astype('>i4')) or np.load(npy)",
        "np.savez(npz, a=np.arange(3).astype('>i4')) or np.load(npz)['a']",
        "np.load(npy, mmap_mode='r')[1:]",
        "np.add(x, 1, out=np.empty(3, '>f8'))",
        "x + x.astype('>f4')",
        "np.sin(x.astype('>f8'))",
    ],
)
def test_swapped_bytes_are_numpys(call, device, tmp_path):
    numpy.arange(10, dtype=">i2").tofile(tmp_path / "raw")
    numpy.save(tmp_path / "a.npy", numpy.arange(3, dtype=">i4"))
    names = {"raw": tmp_path / "raw", "npy": tmp_path / "a.npy", "npz": tmp_path / "a.npz"}
    theirs = eval(call, {**names, "np": numpy, "x": numpy.arange(3.0)})
    if device != "cpu" and call == "x + x.astype('>f4')":
        return  # a GPU's array is not added to one of the host
    ours = eval(call, {**names, "np": np, "x": np.arange(3.0)})
    assert ours.dtype == theirs.dtype and numpy.asarray(ours).tobytes() == theirs.tobytes()


def test_swapped_bytes_beside_arrays_of_ours():
    x, swapped = np.arange(4.0), numpy.arange(4, dtype=">f4")
    before = len(np.fallbacks())
    assert np.dot(swapped, x) == 14
    for result in (x + swapped, np.add(swapped, x), np.concatenate([swapped, x]), np.sin(x * swapped)):
        assert type(result) is ca.ndarray
    assert len(np.fallbacks()) == before


def test_files_of_numpys_types_can_be_open(tmp_path):
    texts, records = numpy.array(["a", "b"]), numpy.array([(1, 2.0)], [("x", "i4"), ("y", "f8")])
    numpy.savez(tmp_path / "mixed.npz", names=texts, numbers=numpy.arange(2.0))
    with open(tmp_path / "mixed.npz", "rb") as file:
        found = np.load(file)
        assert found["names"].tolist() == ["a", "b"] and type(found["numbers"]) is ca.ndarray
    with open(tmp_path / "several.npy", "wb") as file:
        for x in (numpy.arange(3), texts, records, numpy.arange(2.0)):
            numpy.save(file, x)
    with open(tmp_path / "several.npy", "rb") as file:
        found = [np.load(file) for _ in range(4)]
    assert [type(x) is ca.ndarray for x in found] == [True, False, False, True]
    assert found[2].dtype == records.dtype and found[3].tolist() == [0.0, 1.0]
    file = io.StringIO("# ignored\na,b\n1,x\n2,y\n")
    file.readline()
    assert np.genfromtxt(file, delimiter=",", names=True)["a"].tolist() == [1.0, 2.0]
    lines = iter(["a,b", "1,x", "2,y"])
    assert np.genfromtxt(lines, delimiter=",", names=True)["a"].tolist() == [1.0, 2.0]
    with pytest.raises(FileNotFoundError):
        np.load(tmp_path / "missing.npy")


def test_lists_that_hold_themselves_end():
    texts = ["a"]
    texts.append(texts)
    with pytest.raises(ValueError, match="inhomogeneous"):
        np.array(texts)


def test_types_whose_hash_is_the_programs():
    class Meta(type):
        def __hash__(cls):
            texts.clear()
            return 7

    class Q(metaclass=Meta):
        pass

    texts = ["a", *([object() for _ in range(50)] for _ in range(200)), Q()]
    assert len(np.asarray(texts, dtype=object)) == 0


def test_texts_that_become_numbers_go_to_a_device(device):
    for call in (np.array, np.asarray):
        for word in ("device", "".join(["dev", "ice"])):  # one that is not interned, too
            assert same(call(["1", "2"], dtype=float, **{word: ca.device(device)}), numpy.array([1.0, 2.0]))


@pytest.mark.parametrize(
    "call",
    ["np.ma.masked_array(x, x > 1).filled(0.0)", "np.isnat(np.array(['NaT'], dtype='M8[D]'))",
     "np.array([(1, 2.0)], dtype=[('a', int), ('b', float)])['b']", "np.strings.str_len(np.array(['abc']))", "np.float32(x)"],
)  # fmt: skip
def test_methods_of_numpys_classes_give_arrays_of_numpys_that_mix(call, device):
    ours = eval(call, {"np": np, "x": np.linspace(0.0, 2.0, 3)})
    theirs = eval(call, {"np": numpy, "x": numpy.linspace(0.0, 2.0, 3)})
    assert type(ours) is type(theirs) and (ours == theirs).all()
    both = np.ones(ours.shape) + ours
    assert isinstance(both, ca.ndarray) and both.device == ca.device(device)


@pytest.mark.parametrize(
    "call",
    ["np.sum(np.ones(2), axis='a')", "np.zeros(2, order='Q')", "np.add(1)", "np.ones(2) + {}", "np.concatenate(np.ones(()))",
     "np.zeros(-1)", "np.reshape(np.ones(3), 2)", "np.array([[1, 2], [3]])", "np.ones(2) @ np.ones(3)", "np.linalg.inv(np.ones(3))",
     "np.r_['q', [1]]", "np.c_[[1, 2], [3]]", "np.mgrid[1]", "np.array([1], dtype=len)",
     "np.dot(np.array(['a']), 1)", "np.sin(np.array(['a']))", "np.ones(2).astype('nothing')", "np.zeros('a')"],
)  # fmt: skip
def test_mistakes_are_errors_of_numpys_type(call):
    with pytest.raises(Exception) as theirs:
        eval(call, {"np": numpy})
    with pytest.raises(Exception) as ours:
        eval(call, {"np": np})
    assert issubclass(ours.type, Exception) and (
        issubclass(theirs.type, ours.type) or issubclass(ours.type, theirs.type)
    )


def test_an_error_of_ours_stays():
    with pytest.raises(TypeError, match="got an unexpected keyword argument 'nothing'"):
        np.roll(np.ones(2), 1, nothing=2)
    with pytest.raises(TypeError, match="nothing"):
        np.cov(np.ones(2), nothing=2)
    with pytest.raises(ValueError, match=r"mode 2\.5"):
        np.pad(np.ones(2), 1, 2.5)
    # errors about types, for which NumPy is asked where it may know better
    with pytest.raises(TypeError, match=r"^bitwise_and: not supported"):
        np.bitwise_and(np.ones(2), np.ones(2))
    with pytest.raises(TypeError, match=r"^take: indices must be integers"):
        np.take(np.ones(2), np.ones(1))
    assert fallbacks.fallbacks() == []


def test_cuarray_itself_never_falls_back():
    with pytest.raises(TypeError):
        ca.array(["a"])
    with pytest.raises(TypeError):
        ca.sort(numpy.array(["a"]))
    operators.remove()
    with pytest.raises(TypeError):
        ca.ones(2).astype(object)
    with pytest.raises(TypeError):
        ca.ones(2) + numpy.datetime64("2024-01-01")


def test_fallbacks_are_counted_and_warned_about_once(device):
    x = np.ones(3)
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        for _ in range(3):
            np.ma.filled(x, 0)
        np.ma.filled(x, 0)
        np.ma.filled(numpy.ones(3), 0)  # no array of ours
    assert [str(w.message).partition(":")[0] for w in seen] == ["numpy.ma.core.filled"] * 2
    assert all(w.category is ca.HostFallbackWarning and w.filename == __file__ for w in seen)
    found = np.fallbacks()
    assert sorted(f.calls for f in found) == [1, 3] and all(f.file == __file__ and f.seconds > 0 for f in found)
    assert sum(f.bytes for f in found) == (0 if device == "cpu" else 4 * x.nbytes)


def test_out_is_written(device):
    x, out = np.array([4.0, 9.0]), np.zeros(2)
    np.ma.add(x, 1)
    y = fallbacks.on_host(numpy.sqrt, (x,), {"out": out})
    assert y is out and out.tolist() == [2, 3]


def doubled(values, output=None):
    """A function of a library that writes to a parameter known by its name."""
    output[...] = values * 2
    return output


def exchanged(a, b):
    """A function of a library that writes to any argument."""
    assert type(a) is type(b) is numpy.ndarray
    a[...], b[...] = b.copy(), a.copy()


@pytest.mark.parametrize(
    "form", ["doubled(x, y)", "doubled(x, output=y)", "doubled(values=x, output=y)", "doubled(x, y[::-1])[::-1]"]
)
def test_outputs_of_libraries_are_written(form, device):
    """Positional ones too; what a function returns of them is the array that was given."""
    x, y = np.array([1.0, -2.0, numpy.nan]), np.zeros(3)
    library = consumers.with_host_arguments(doubled)
    result = eval(form, {"doubled": library, "x": x, "y": y})
    assert (result is y) == ("[" not in form)
    assert repr(y.tolist()) == ("[nan, -4.0, 2.0]" if "[" in form else "[2.0, -4.0, nan]")
    assert repr(x.tolist()) == "[1.0, -2.0, nan]"


def test_arguments_that_libraries_write_to_are_written(device):
    x, y = np.array([1.0, 2.0]), np.array([3.0, numpy.nan])
    library = consumers.with_host_arguments(exchanged, writes=True)
    library(x, b=y)
    assert repr([x.tolist(), y.tolist()]) == "[[3.0, nan], [1.0, 2.0]]"
    if device != "cpu":  # the copies of a function that writes by name alone stay copies
        consumers.with_host_arguments(exchanged)(x, y)
        assert repr([x.tolist(), y.tolist()]) == "[[3.0, nan], [1.0, 2.0]]"
        assert sum(f.bytes for f in np.fallbacks()) == 2 * (x.nbytes + y.nbytes)


def test_results_are_on_the_device_of_the_arguments(device):
    x = np.ones(3)
    assert np.polynomial.polynomial.polyadd(x, [1]).device == x.device == ca.device(device)
    assert type(numpy.asarray(x)) is numpy.ndarray and numpy.sort(x).tolist() == [1, 1, 1]
    assert (x + numpy.ones(3)).device == x.device


# Classes


def test_isinstance():
    assert (
        isinstance(np.ones(2), np.ndarray) and isinstance(numpy.ones(2), np.ndarray) and not isinstance([1], np.ndarray)
    )
    assert (
        isinstance(np.add, np.ufunc)
        and isinstance(numpy.frompyfunc(len, 1, 1), np.ufunc)
        and not isinstance(len, np.ufunc)
    )
    assert (
        issubclass(ca.ndarray, np.ndarray) and issubclass(numpy.matrix, np.ndarray) and not issubclass(int, np.ndarray)
    )
    assert (
        isinstance(np.ones(2), (int, np.ndarray))
        and np.ndarray == type(np.ones(2))  # noqa: E721
        and {np.ndarray: 1}[type(np.ones(2))] == 1
    )
    assert isinstance(3, int | np.ndarray) and np.ndarray[tuple[int], np.dtype[np.float64]]
    assert isinstance(np.array(1.0), np.ndarray)
    for dtype in "?bhilBHILefdFD":
        value, scalar = ca.ones(2, dtype=dtype, device="cpu")[0], numpy.dtype(dtype).type
        assert not isinstance(value, np.ndarray) and isinstance(value, ca.ndarray)
        assert value.__class__ is scalar and np.isscalar(value)
        for kind in (np.generic, np.number, np.integer, np.floating, np.complexfloating, np.bool_, np.float64):
            assert isinstance(value, kind) == issubclass(scalar, kind)


def test_errstate_is_that_of_numpys_numbers_too():
    before = numpy.geterr()
    one = np.float64(1)
    assert type(one) is numpy.float64
    for divide, meets in (
        ("raise", pytest.raises(FloatingPointError, match="divide by zero")),
        ("warn", pytest.warns(RuntimeWarning, match="divide by zero")),
    ):
        for x in (one, np.ones(1)):
            with np.errstate(divide=divide), meets:
                x / 0
        assert numpy.geterr() == before
    with np.errstate(all="ignore"):
        assert one / 0 == np.inf
        assert np.seterr(divide="call")["divide"] == "ignore" and np.geterr()["divide"] == "call"
        met = []
        function = np.seterrcall(lambda words, _: met.append(words))
        assert one / 0 == np.ones(1) / 0 and met == ["divide by zero"] * 2
        np.seterrcall(function)
    assert numpy.geterr() == before and numpy.geterrcall() is ca.geterrcall() is None


def check_that_settings_are_restored():
    """What `seterr` returns restores NumPy's settings and, of ours, that nobody asks; so do all four in `errstate`."""
    before = np.geterr()
    assert before == numpy.geterr() and before["divide"] == "warn" and ca.geterr()["divide"] == "ignore"
    old = np.seterr(all="raise")
    assert old == before and ca.geterr()["over"] == np.geterr()["over"] == "raise"
    with np.errstate(**old):
        assert np.geterr() == before and ca.geterr()["divide"] == "ignore"
        assert np.ones(1) / 0 == np.inf
    assert ca.geterr()["over"] == "raise"
    np.seterr(**old)
    assert np.geterr() == before and ca.geterr()["divide"] == ca.geterr()["over"] == "ignore"
    function = np.seterrcall(print)
    np.seterr(**old)
    assert ca.geterrcall() is print and np.seterrcall(function) is print
    np.seterr(divide="warn")
    with pytest.warns(RuntimeWarning, match="divide by zero"):
        np.ones(1) / 0


def test_settings_are_restored():
    contextvars.Context().run(check_that_settings_are_restored)


def check_that_filters_are_followed():
    """While they want RuntimeWarnings, the errors that NumPy warns about are looked for."""

    def warns():
        with contextlib.suppress(RuntimeWarning):
            ca.ones(1) / 0
            return False
        return True

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        errstate.watch_filters()
        errstate.watch_filters()
        assert not warns() and ca.geterr()["divide"] == "ignore"
        warnings.filterwarnings("error", category=DeprecationWarning)
        assert not warns() and ca.geterr()["divide"] == "ignore"
        warnings.filterwarnings("error", category=RuntimeWarning, module="none")
        assert not warns() and ca.geterr() == {"divide": "warn", "over": "warn", "under": "ignore", "invalid": "warn"}
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            assert warns()
            with ca.errstate(divide="ignore"):
                assert not warns()
        with warnings.catch_warnings(record=True) as met:
            warnings.simplefilter("always")
            ca.log([0.0])
        assert [str(each.message) for each in met] == ["divide by zero encountered in log"] and not warns()
        # What a program chose itself stays.
        with ca.errstate(all="ignore"), warnings.catch_warnings():
            warnings.simplefilter("error")
            assert not warns()
        warnings.simplefilter("ignore")
        assert ca.geterr()["divide"] == "ignore"
        warnings.simplefilter("error")
        errstate.leave_filters()
        assert not warns() and ca.geterr()["divide"] == "ignore"
    assert not hasattr(getattr(warnings, errstate.NOTICES[0], None), "notice")


def test_filters_of_warnings_are_followed():
    # In a context of its own nothing has been set, whatever other tests have left.
    contextvars.Context().run(check_that_filters_are_followed)


def test_simplefilter_error_is_no_error_of_fallbacks():
    with warnings.catch_warnings(record=True) as met:
        warnings.resetwarnings()
        warnings.simplefilter("error")
        assert np.ma.filled(np.array([-4.0]), 0) == -4
        assert [each.category for each in met] == [ca.HostFallbackWarning]
        warnings.filterwarnings("error", category=ca.HostFallbackWarning)
        with pytest.raises(ca.HostFallbackWarning):
            np.ma.filled(np.array([-9.0]), 0)


@pytest.mark.parametrize("dtype", ["?", "i1", "u8", "i8", "f4", "f8", "c8", "c16"])
def test_classes_of_values_are_types_of_numbers(dtype):
    with ca.device("cpu"):
        x, y = np.ones(2, dtype)[0], numpy.ones(2, dtype)[0]
    for family in (np.number, np.integer, np.floating, np.complexfloating, np.inexact, np.bool_, np.generic, np.str_):
        assert np.issubdtype(type(x), family) == numpy.issubdtype(type(y), family), family


def test_real_eigenvalues_are_real_numbers(device):
    for matrix in ([[2.0, 1], [1, 3]], [[0, 1], [-1, 0]], [[1j, 0], [0, 1]], [[1, 0], [0, 1j]], numpy.zeros((2, 0, 0))):
        ours, theirs = np.linalg.eig(np.array(matrix)), numpy.linalg.eig(numpy.array(matrix))
        assert [x.dtype for x in ours] == [x.dtype for x in theirs] and numpy.allclose(
            numpy.sort(ours[0].numpy()), numpy.sort(theirs[0])
        )
        assert np.linalg.eigvals(np.array(matrix)).dtype == theirs[0].dtype == numpy.linalg.eigvals(matrix).dtype
    assert ca.linalg.eigvals(ca.eye(2)).dtype == complex


def test_limits_are_numbers_of_the_type():
    assert repr(np.finfo(np.float32).eps) == repr(numpy.finfo("f4").eps) and np.finfo(np.ones(1).dtype).bits == 64


def test_put_of_subclasses(device):
    class Plain(numpy.ndarray):
        pass

    x = np.zeros(3)
    x.put([0, 2], numpy.array([1.0, 2.0]).view(Plain))
    x.put(numpy.array([1]), numpy.array([3.0], dtype=object))
    assert x.tolist() == [1, 3, 2]
    with pytest.raises(TypeError):
        ca.zeros(3).put([0], {}, mode=5)


def test_a_function_of_lines_is_called_once_for_each():
    lines = []
    np.apply_along_axis(lambda line: lines.append(line.tolist()) or "a", 1, np.arange(4).reshape(2, 2))
    assert lines == [[0, 1], [2, 3]]


def test_annotations_are_numpys():
    """They can be called, as functions, and are none."""
    annotations = np.typing
    assert annotations.NDArray[np.float64] == numpy.typing.NDArray[numpy.float64]
    assert annotations.ArrayLike is numpy.typing.ArrayLike and annotations.DTypeLike is numpy.typing.DTypeLike


def test_ndarray_makes_arrays():
    assert np.ndarray((2, 3)).shape == (2, 3) and type(np.ndarray(2)) is ca.ndarray
    assert np.ndarray.mean(np.array([1.0, 3.0])) == 2


class Labelled(np.ndarray):
    """The example of NumPy's manual."""

    def __new__(cls, values, label=""):
        made = np.asarray(numpy.asarray(values)).view(cls)
        made.label = label
        return made

    def __array_finalize__(self, source):
        self.label = getattr(source, "label", "")


@pytest.mark.parametrize("module", ["", ".linalg", ".fft", ".ma", ".lib.stride_tricks", ".char", ".strings"])
def test_names_of_one_function(module):
    """np.abs is np.absolute: programs have tables by function, and compare with them."""
    theirs, ours = (importlib.import_module(f"{name}{module}") for name in ("numpy", "cuarray.numpy"))
    names = {}
    for name in (name for name in dir(theirs) if not name.startswith("_") and callable(getattr(theirs, name))):
        names.setdefault(id(getattr(theirs, name)), []).append(name)
    assert names and all(len({id(getattr(ours, name)) for name in of_one}) == 1 for of_one in names.values())
    assert module or (ours.abs is ours.absolute and ours.abs.__name__ == "absolute")


def test_subclasses_are_numpys():
    x = Labelled([1.0, 2.0], "m")
    assert issubclass(Labelled, numpy.ndarray) and isinstance(x, np.ndarray) and (x * 2).label == "m"
    assert np.sum(x) == 3 and np.mean(x) == 1.5

    class Plain(np.ndarray):
        def __new__(cls, shape):
            return np.ndarray.__new__(cls, shape, dtype=float)

    class Further(Plain):
        def __new__(cls, shape):
            return super().__new__(cls, shape)

    assert type(Plain(2)) is Plain and type(Further(3)) is Further and Further(3).shape == (3,)


def test_singledispatch():
    import functools

    @functools.singledispatch
    def name(x):
        return "other"

    @name.register(np.ndarray)
    def _(x):
        return "array"

    assert name(np.ones(2)) == "array" and name(1) == "other"


def test_pickles():
    for function in (
        np.sum,
        np.add,
        np.emath.sqrt,
        np.ma.filled,
        np.linalg.norm,
        np.polynomial.polynomial.polyval,
        np.ones,
        np.float32,
        np.ndarray,
    ):
        back = pickle.loads(pickle.dumps(function))
        assert back is function or back.__name__ == function.__name__
    x = pickle.loads(pickle.dumps(np.arange(3)))
    assert type(x) is ca.ndarray and x.tolist() == [0, 1, 2]
    text = "import pickle, sys; f = pickle.loads(sys.stdin.buffer.read()); print(f([3.0, 4.0]))"
    done = subprocess.run(
        [sys.executable, "-c", text], input=pickle.dumps(np.linalg.norm), capture_output=True, check=True
    )
    assert done.stdout.strip() == b"5.0"


def test_inside_of_cuarray_nothing_falls_back():
    with pytest.raises(TypeError):
        operator.add(ca.ones(2), object())


# Classes of the program


class Pairs(np.lib.mixins.NDArrayOperatorsMixin):
    """Numbers with functions of their own, as programs write such classes: tables of the functions of their np."""

    tables: typing.ClassVar = {}

    def __init__(self, *numbers):
        self.numbers = np.array(numbers)

    def __array__(self, dtype=None, copy=None):
        return self.numbers

    def __array_ufunc__(self, ufunc, method, *inputs, **kwargs):
        if ufunc.__name__ == "hypot":
            return NotImplemented
        parts = [x.numbers if isinstance(x, Pairs) else x for x in inputs]
        if "out" in kwargs:
            kwargs["out"] = tuple(x.numbers if isinstance(x, Pairs) else x for x in kwargs["out"])
        result = getattr(ufunc, method)(*parts, **kwargs)
        return self if "out" in kwargs else type(self)(*result) if np.ndim(result) else result

    def __array_function__(self, function, types, args, kwargs):
        if function not in self.tables:
            return NotImplemented
        return self.tables[function](types, *args, **kwargs)


class Triples(Pairs):
    """A subclass, which is asked first."""

    tables: typing.ClassVar = {np.concatenate: lambda types, parts: ("triples", len(types), len(parts))}


Pairs.tables = {
    np.concatenate: lambda types, parts: Pairs(*(x for part in parts for x in part.numbers)),
    np.mean: lambda types, x, axis=None: ("mean", axis),
    np.lib.stride_tricks.sliding_window_view: lambda types, x, n: ("windows", n),
    np.nanargmax: lambda types, x: np.argmax(x.numbers),
}


def test_classes_of_the_program_are_asked_with_its_functions():
    x, y = Pairs(1.0, 2.0), Pairs(3.0, 4.0)
    assert np.concatenate([x, y]).numbers.tolist() == [1, 2, 3, 4]
    assert np.mean(x, axis=0) == ("mean", 0) and np.nanargmax(y) == 1
    assert np.lib.stride_tricks.sliding_window_view(x, 2) == ("windows", 2)
    assert np.concatenate([x, Triples(1.0)]) == ("triples", 2, 2)
    with pytest.raises(TypeError, match=r"no implementation found for 'numpy\.sum'"):
        np.sum(x)
    with pytest.raises(TypeError, match="returned NotImplemented"):
        np.hypot(x, 1)


def test_ufuncs_and_operators_of_classes_of_the_program():
    x, y = Pairs(1.0, 2.0), Pairs(3.0, 4.0)
    ours = np.array([10.0, 20.0])
    for result, want in (
        (np.add(x, y), [4, 6]), (x + y, [4, 6]), (1 - x, [0, -1]), (x * ours, [10, 40]), (ours + x, [11, 22]), (-x, [-1, -2]),
        (abs(x), [1, 2]), (x**2, [1, 4]), (x < y, [True, True]), (x == y, [False, False]), (np.add.accumulate(y), [3, 7]),
        (np.multiply.reduceat(y, [0, 1]), [3, 4]), (numpy.add(x, y), [4, 6]),
    ):  # fmt: skip
        assert type(result) is Pairs and type(result.numbers) is ca.ndarray and result.numbers.tolist() == want
    assert np.add.reduce(x, 0) == np.add.reduce(x, axis=0) == 3 and isinstance(np.add.reduce(x), float)
    kept = x.numbers
    x += y
    assert x.numbers is kept and kept.tolist() == [4, 6]
    out = np.zeros(2)
    np.multiply(x, 2, out)
    np.multiply(x, 2, out=out)
    assert out.tolist() == [8, 12]


def test_classes_of_libraries_are_asked_by_numpy(monkeypatch):
    """Their tables are of NumPy's functions."""

    class Foreign:
        def __array_function__(self, function, types, args, kwargs):
            return function

        def __array_ufunc__(self, ufunc, *inputs):
            return ufunc

    assert np.concatenate([Foreign()]) is np.concatenate and np.sin(Foreign()) is np.sin
    Foreign.__module__ = "decimal"  # of the standard library
    assert np.concatenate([Foreign()]) is numpy.concatenate and np.sin(Foreign()) is numpy.sin


def test_objects_whose_array_is_ours():
    """NumPy refuses what their `__array__` gives: no function of its own, and none of ours, may depend on that."""

    class Holder:
        def __init__(self, array):
            self.array = array

        def __array__(self, dtype=None, copy=None):
            return self.array

    numbers = np.array([3.0, 1.0, 2.0])
    x = Holder(numbers)
    for call in ("np.asarray(x)", "np.array(x)", "np.sort(x)", "np.array([x, x])", "np.sin(x)", "np.ones(3) + x", "x + np.ones(3)"
                 if hasattr(Holder, "__add__") else "np.ones(3) == x", "np.concatenate([x, (1, 2)])", "np.ma.asarray(x)",
                 "np.testing.assert_array_equal(x, [3, 1, 2])", "np.testing.assert_allclose(x, [3, 1, 2])",
                 "np.testing.assert_equal(x, numpy.array([3., 1, 2]))", "np.union1d(x, [9])"):  # fmt: skip
        want = eval(call, {"np": numpy, "numpy": numpy, "x": Holder(numbers.numpy())})
        assert same(eval(call, {"np": np, "numpy": numpy, "x": x}), want), call
    assert np.shares_memory(np.asarray(x), numbers)

    class Wrong(Holder):
        def __array__(self, dtype=None, copy=None):
            raise ValueError("of the class")

    with pytest.raises(ValueError, match="of the class"):
        np.asarray(Wrong(0))


VALUES = [
    "numpy.array([1, 2.5, 3], object)", "numpy.array(['1', '2', '3'])", "'5'", "b'7'", "numpy.array([1, None, 3], object)", "None", "2**70",
    "decimal.Decimal('1.5')", "fractions.Fraction(1, 4)", "[1, None, 2]", "numpy.ma.array([1, 2, 3], mask=[0, 1, 0])", "numpy.longdouble(2)",
    "'abc'", "numpy.array([1, 2], object)", "numpy.array([1j, 2, 3], object)", "[object()]", "{}", "datetime.timedelta(1)",
]  # fmt: skip


@pytest.mark.parametrize("value", VALUES)
@pytest.mark.parametrize("key", ["...", "[2, 0, 1]", "0", "slice(None, None, -1)", "xp.array([True, False, True])"])
def test_values_that_only_numpy_can_assign(key, value, device):
    names = {"numpy": numpy, "decimal": decimal, "fractions": fractions, "datetime": datetime}
    results = []
    for xp in (numpy, np):
        for dtype in ("f8", "i4"):
            x = xp.zeros(3, dtype)
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                try:
                    x[eval(key, {"xp": xp})] = eval(value, names)
                except Exception as error:
                    x = type(error)
            results.append(x if isinstance(x, type) else x.tolist())
    assert numpy.array_equal(*map(repr, (results[:2], results[2:])))


def test_results_of_columns_have_their_class():
    """Classes with `__array__` and ufuncs of their own, such as columns of tables: NumPy's functions call their methods."""

    class Column:
        def __init__(self, values):
            self.values = values

        def __array__(self, dtype=None, copy=None):
            return numpy.asarray(self.values)

        def __array_ufunc__(self, ufunc, method, *inputs, **kwargs):
            parts = [x.values if isinstance(x, Column) else x for x in inputs]
            return Column(getattr(ufunc, method)(*parts, **kwargs))

        def cumsum(self, axis=None, dtype=None, out=None):
            return "of the column"

    for values in (numpy.arange(3.0), np.arange(3.0)):
        x = Column(values)
        for result in (
            np.sqrt(x),
            np.add(x, 1),
            np.add(np.ones(3), x),
            np.multiply.accumulate(x),
            np.hypot(x, x, dtype="f8"),
        ):
            assert type(result) is Column and isinstance(result.values, type(values) | ca.ndarray)
        assert np.cumsum(x) == "of the column" == np.cumsum(x, axis=0)


@pytest.mark.parametrize("name", ["default_rng", "RandomState"])
def test_single_random_numbers_are_of_numpys_types(name):
    """Python's floats and ints, which are weak beside arrays of short types, and print as such in lists."""
    theirs, ours = getattr(numpy.random, name)(3), getattr(np.random, name)(3)
    calls = ["normal()", "uniform(0, 9)", "standard_normal()", "exponential(2)", "poisson(3)", "binomial(9, 0.5)", "gamma(2)", "choice(7)",
             "choice([1.5, 2.5])", "beta(1, 2)", "random()", "standard_t(3)"]  # fmt: skip
    calls += ["integers(9)", "integers(2, dtype=bool)", "integers(9, dtype=int)", "integers(9, dtype='i8')", "random(dtype='f4')", "standard_normal(dtype='f4')"] if name == "default_rng" else [
        "rand()", "randn()", "randint(9)", "randint(9, dtype='i4')", "randint(2, dtype=bool)", "randint(9, dtype=int)", "random_sample()"]  # fmt: skip
    for call in calls * 2:
        want, got = eval(f"rng.{call}", {"rng": theirs}), eval(f"rng.{call}", {"rng": ours})
        assert repr([got]) == repr([want]), call
        assert type(got) is type(want) or (isinstance(got, ca.ndarray) and isinstance(want, numpy.generic)), call
    short = np.ones(2, "f4")
    assert (short * ours.normal()).dtype == "f4"
    operators.remove()
    assert isinstance(ours.normal(), ca.ndarray)
