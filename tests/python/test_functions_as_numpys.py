"""What Python does with functions: which are bound as methods, and the objects that vectorize and frompyfunc make."""

import inspect
import pickle
import time

import numpy as np
import numpy.lib.recfunctions
import pytest

import cuarray

#: Rows of the ufunc table, which are no Python functions here; and bound methods of the global generator.
EXCEPT = {"real", "imag", "random.ranf", "random.sample"}


def functions():
    for part in ("", "linalg", "fft", "random", "testing", "emath"):
        ours, numpys = (getattr(xp, part) if part else xp for xp in (cuarray, np))
        for name in dir(ours):
            pair = getattr(ours, name), getattr(numpys, name, None)
            if not name.startswith("_") and all(callable(f) and not isinstance(f, type) for f in pair):
                yield ".".join(filter(None, [part, name])), *pair


def is_bound(function):
    return type("Class", (), {"function": function})().function is not function


def test_functions_are_bound_as_methods_where_numpys_are():
    found = {name: (is_bound(ours), is_bound(numpys)) for name, ours, numpys in functions()}
    assert len(found) > 300
    assert {name for name, (ours, numpys) in found.items() if ours != numpys} == EXCEPT


def test_functions_that_are_not_bound(device):
    class Module:
        array, zeros, asanyarray, arange = cuarray.array, cuarray.zeros, cuarray.asanyarray, cuarray.arange

    assert Module().array([1]).tolist() == Module().asanyarray([1]).tolist() == [1]
    assert Module().zeros(2, dtype="i4").tolist() == [0, 0] and Module().arange(2).tolist() == [0, 1]
    for name in ("array", "asanyarray", "promote_types"):
        function = getattr(cuarray, name)
        assert pickle.loads(pickle.dumps(function)) is function and inspect.isroutine(function)
        assert function.__name__ == name and inspect.signature(function).parameters
    with pytest.raises(TypeError, match="array"):
        cuarray.array(1, 2, 3)


# vectorize


def test_attributes_of_vectorize_are_read_at_the_call(device):
    x = cuarray.arange(3)
    twice = cuarray.vectorize(lambda a, b=1: a * 2)
    assert twice(x).tolist() == [0, 2, 4]
    twice.pyfunc = lambda a, b=1: a * b
    assert twice(x, 3).tolist() == [0, 3, 6]
    twice.otypes = "f"
    assert twice(x, 3).dtype == "f4" and twice.otypes == "f"
    twice.excluded = {"b"}
    assert twice(x, b=2).tolist() == [0, 2, 4]
    twice.__doc__ = "text"
    assert twice.__doc__ == "text" and twice.cache is False and twice.signature is None
    with pytest.raises(AttributeError):
        twice.no_such  # noqa: B018


def test_vectorize_as_a_decorator(device):
    empty = cuarray.vectorize(otypes="f")

    def one_more(a):
        """Add one."""
        return a + 1

    made = empty(one_more)
    assert made is empty and made.__name__ == "one_more" and made.__doc__ == one_more.__doc__
    assert made(cuarray.arange(2)).tolist() == [1, 2] and made(1).dtype == "f4"


# frompyfunc


def outcome(call):
    try:
        result = call()
    except Exception as error:
        return type(error).__name__
    values = [r.tolist() if hasattr(r, "tolist") else r for r in (result if isinstance(result, tuple) else (result,))]
    return values if isinstance(result, tuple) else values[0]


CALLS = """
f.nin, f.nout, f.nargs, f.ntypes, f.identity
f.types
f.__name__
f(x, 2)
f(x, x)
f(2, 3)
f(x)
f.reduce(x)
f.reduce(x, 0)
f.reduce(y, axis=1)
f.reduce(y, axis=(0, 1))
f.reduce(y, keepdims=True)
f.reduce(x, initial=10)
f.reduce(x, where=x > 1)
f.reduce(xp.zeros(0))
f.accumulate(x)
f.accumulate(y, 1)
f.outer(x, x)
f.reduceat(x, [0, 2])
f.at(x, [0, 0], 5), x
f.at(x, x > 1, 5), x
f.at(y, (0, xp.arange(2)), 1), y
f.at([1, 2], 0, 1)
g(x)
g(3)
g.reduce(x)
p(x, 2)
f(1, 2, 3, 4)
""".split("\n")[1:-1]


@pytest.mark.parametrize("call", CALLS)
def test_functions_of_objects_are_ufuncs(call, device):
    def value(xp):
        made = {"f": xp.frompyfunc(lambda a, b: a + b, 2, 1, identity=0), "g": xp.frompyfunc(lambda a: a * 2, 1, 1),
                "p": xp.frompyfunc(divmod, 2, 2), "x": xp.arange(4), "y": xp.ones((2, 3), "i8")}  # fmt: skip
        return outcome(lambda: eval(call, {"xp": xp, **made}))

    assert value(cuarray) == value(np)


def test_outputs_of_functions_of_objects(device):
    """NumPy's are arrays of objects; here they are numbers."""
    add, x = cuarray.frompyfunc(lambda a, b: a + b, 2, 1), cuarray.arange(3)
    out = cuarray.zeros(3)
    assert add(x, 1, out=out) is out and out.tolist() == [1, 2, 3]
    assert add(x, x, out) is out and out.tolist() == [0, 2, 4]
    assert add(x, 9, out=out, where=x > 1) is out and out.tolist() == [0, 2, 11]
    assert add.accumulate(x, out=out) is out and out.tolist() == [0, 1, 3]
    total = cuarray.zeros(())
    assert add.reduce(x, out=total) is total and total == 3
    quotients, rests = cuarray.frompyfunc(divmod, 2, 2)(x, 2, out=(out, None))
    assert quotients is out and out.tolist() == [0, 0, 1] and rests.tolist() == [0, 1, 0]
    assert repr(add) == repr(np.frompyfunc(lambda a, b: a, 2, 1)) and cuarray._core.is_value(add(1, 2))
    with pytest.raises(TypeError):
        add(x, 1, out=[0, 0, 0])


# Others that take any object


def test_conj_writes_to_an_output(device):
    for dtype in ("f4", "i8", "c8", "?"):
        for name in ("conj", "conjugate"):
            x, host = cuarray.ones(2, dtype), np.ones(2, dtype)
            out, wanted = cuarray.zeros((3, 2), "c16"), np.zeros((3, 2), "c16")
            assert getattr(x, name)(out) is out and getattr(host, name)(wanted) is wanted
            assert out.tolist() == wanted.tolist()
            if device == "cpu":
                assert getattr(x, name)(wanted) is wanted
                assert out.tolist() == wanted.tolist()
            with pytest.raises(TypeError):
                getattr(x, name)([0, 0])
    with pytest.raises(TypeError):
        cuarray.ones(2).conj(cuarray.ones(2, "i4"))


def test_dumped_files_are_loaded(device, tmp_path):
    x = cuarray.arange(3.0)
    x.dump(tmp_path / "x")
    for load in (cuarray.load, np.load):
        y = load(tmp_path / "x", allow_pickle=True)
        assert type(y) is cuarray.ndarray and y.tolist() == [0, 1, 2] and y.device == x.device
    with pytest.raises(ValueError, match="pickle"):
        cuarray.load(tmp_path / "x")


def test_types_of_any_object_with_a_dtype():
    class Kind:
        def __init__(self, kind):
            self.type = kind

    class Column:
        def __init__(self, kind):
            self.dtype = Kind(kind)

    for kind in (str, object, float, np.complex64, complex):
        assert cuarray.iscomplexobj(Column(kind)) is np.iscomplexobj(Column(kind))
        assert cuarray.isrealobj(Column(kind)) is np.isrealobj(Column(kind))


def test_lists_of_numbers_are_not_read_by_numpy_as_well(monkeypatch):
    """Which took 20 times as long as to read them once."""
    monkeypatch.setattr("cuarray._functions.logic.holds_objects", None)
    assert cuarray.iscomplexobj([1j]) and cuarray.isrealobj([[1.0], (2,)])


def test_functions_of_numpys_modules_are_ours(device):
    x, c = cuarray.arange(3.0), cuarray.asarray([[1.0, 2], [3, 4]])
    part = np.polynomial.polynomial
    for call, other in ((part.polyval2d, (x, x, c)), (part.polygrid2d, (x, x, c)), (np.lib.scimath.sqrt, (x - 1,)),
                        (np.lib.scimath.logn, (2, x + 1))):  # fmt: skip
        result, wanted = call(*other), call(*(y.numpy() if isinstance(y, cuarray.ndarray) else y for y in other))
        assert type(result) is cuarray.ndarray and np.allclose(result.tolist(), wanted, rtol=1e-15)
        assert result.dtype == wanted.dtype and result.device == cuarray.device(device)


def test_functions_of_modules_that_are_numpys_alone(device):
    x = cuarray.arange(6.0).reshape(3, 2)
    if device != "cpu":
        with pytest.raises(TypeError, match=r"unstructured_to_structured: works on NumPy's arrays alone, .* on cuda:0"):
            np.lib.recfunctions.unstructured_to_structured(x)
        return
    result = np.lib.recfunctions.unstructured_to_structured(x)
    assert result.dtype.names == ("f0", "f1") and result["f1"].tolist() == [1, 3, 5]


def test_what_an_index_must_be(device):
    """Also of time.sleep, which takes floats of Python's classes alone."""
    for x, what in (
        (cuarray.asarray([0.5], "f4")[0], r"float32 of shape \(\)"),
        (cuarray.arange(2), r"int64 of shape \(2,\)"),
    ):
        with pytest.raises(TypeError, match=f"only integer scalar arrays .*{what}; write float"):
            time.sleep(x)
    time.sleep(cuarray.asarray([0])[0])
    time.sleep(float(cuarray.asarray([0.0])[0]))
