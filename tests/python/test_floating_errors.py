"""seterr and errstate: which floating-point errors are reported, and how."""

import asyncio
import collections
import gc
import itertools
import threading
import warnings

import numpy as np
import pytest

import cuarray
from cuarray import _core
from cuarray._numpy.fallbacks import on_host

BITS = {"divide by zero": 1, "overflow": 2, "underflow": 4, "invalid value": 8}

#: Ufuncs whose underflows are compared, too; libm's and NumPy's vector functions differ in those of the others.
ARITHMETIC = ("add", "subtract", "multiply", "divide", "negative", "absolute", "square", "reciprocal", "sqrt", "fmod", "remainder",
              "floor", "ceil", "rint", "trunc", "maximum", "minimum", "copysign", "sign", "heaviside", "modf", "frexp", "ldexp", "positive", "conjugate")  # fmt: skip
FUNCTIONS = ("floor_divide", "divmod", "exp", "exp2", "expm1", "log", "log2", "log10", "log1p", "sin", "cos", "tan", "arcsin", "arccos", "arctan", "sinh", "cosh", "tanh", "arcsinh",
             "arccosh", "arctanh", "hypot", "arctan2", "power", "float_power", "degrees", "radians", "cbrt", "nextafter", "spacing")  # fmt: skip


def errors_of(xp, function):
    """Return the sum of the bits of the errors that a call reports."""
    got = 0

    def note(words, errors):
        nonlocal got
        got |= BITS[words]

    with warnings.catch_warnings(), xp.errstate(all="call", call=note):
        warnings.simplefilter("ignore")
        function()
    return got


def special_values(dtype):
    dtype = np.dtype(dtype)
    if dtype.kind in "iu":
        limits = np.iinfo(dtype)
        return np.array(sorted({0, 1, 2, 3, limits.max, limits.max - 1, limits.min, limits.min + 1, *((-1, -2) if dtype.kind == "i" else ())}), dtype)  # fmt: skip
    limits = np.finfo(dtype)
    most, tiny, least = float(limits.max), float(limits.tiny), float(limits.smallest_subnormal)
    values = [0, -0.0, 1, -1, 2, -2, 0.5, -0.5, 3.3, most, -most, tiny, -tiny, least, 1.5 * tiny, 100, -100, 900, np.inf, -np.inf, np.nan]  # fmt: skip
    return np.array(values, dtype)


def loops(names):
    for name in names:
        for types in dict.fromkeys(getattr(np, name).types):
            inputs, _, _ = types.partition("->")
            if not set(types) - set("bBhHiIlLefd->"):
                yield pytest.param(name, inputs, id=f"{name}-{inputs}")


@pytest.mark.parametrize(("name", "inputs"), list(loops((*ARITHMETIC, *FUNCTIONS))))
def test_errors_are_numpys(name, inputs):
    """Of every combination of special values, each in a call of its own."""
    ours, theirs = getattr(cuarray, name), getattr(np, name)
    differ = []
    for values in itertools.product(*map(special_values, inputs)):
        arguments = [np.array([value]) for value in values]
        try:
            want = errors_of(np, lambda: theirs(*arguments))
        except ValueError:  # a negative power of an integer
            continue
        mine = [cuarray.asarray(x, device="cpu") for x in arguments]
        got = errors_of(cuarray, lambda: ours(*mine))
        looked_at = 15 if name in ARITHMETIC else 11
        if name == "power" and inputs in ("ff", "dd") and np.isinf(values[1]):
            want = 0  # the powers are exact; NumPy reports errors of some with AVX-512
        if name == "spacing" and not np.isfinite(values[0]):  # an error in NumPy for float16 alone
            continue
        if (
            name in ("floor_divide", "divmod")
            and inputs[0] in "efd"
            and not np.isfinite(ours(*mine)[0] if name == "divmod" else ours(*mine)).all()
        ):
            looked_at &= ~BITS["invalid value"]  # infinite quotients are infinite here, and not a number in NumPy
        if got & looked_at != want & looked_at:
            differ.append((values, want, got))
    assert not differ


@pytest.mark.parametrize("types", [("f8", "f4"), ("f8", "f2"), ("f4", "f2"), ("f8", "i4"), ("f8", "i8"), ("f4", "i1"), ("c16", "c8"), ("i8", "f2"), ("i8", "i1")])  # fmt: skip
def test_errors_of_casts(types):
    given, wanted = types
    for value in special_values(given) if given[0] != "c" else special_values("f8") + 1j:
        x = np.array([value])
        if x.dtype.kind == "f" and wanted[0] == "i" and np.isfinite(value) and abs(value) > 127:
            continue  # processors differ in which of these they report
        ours = cuarray.asarray(x, device="cpu")
        want = errors_of(np, lambda: x.astype(wanted))
        assert errors_of(cuarray, lambda: ours.astype(wanted)) == want, value
    for bad in (np.nan, np.inf, 1e30):
        x = cuarray.asarray([1.0, bad])
        assert errors_of(cuarray, lambda: x.astype("i4")) == BITS["invalid value"]
        out = cuarray.zeros(2, "i8")
        assert errors_of(cuarray, lambda: out.__setitem__(..., x)) == BITS["invalid value"]


def test_complex_errors():
    z = np.array([1 + 1j, 0, 1j, -2.5, 1e200, 1e-200j])
    for name in ("add", "multiply", "divide", "square", "exp", "log", "sqrt", "abs"):
        for pair in itertools.product(z, repeat=2):
            arguments = [np.array([x]) for x in pair[: getattr(np, name).nin]]
            want = errors_of(np, lambda: getattr(np, name)(*arguments))
            mine = [cuarray.asarray(x, device="cpu") for x in arguments]
            assert errors_of(cuarray, lambda: getattr(cuarray, name)(*mine)) & 11 == want & 11, (name, pair)


@pytest.mark.parametrize("types", list(itertools.product("fd", "FD")), ids="".join)
def test_real_numbers_beside_complex_ones(types):
    """They are cast, and have no imaginary part that is lost."""
    for values in ([1.0, 0.0], [1e-300, 1.0]):
        x, z = np.array(values, types[0]), np.array([1 + 1j, 0], types[1])
        mine = cuarray.asarray(x, device="cpu"), cuarray.asarray(z, device="cpu")
        for call in (lambda xp, a, b: xp.add(a, b), lambda xp, a, b: b - a, lambda xp, a, b: a.astype(types[1])):
            assert errors_of(cuarray, lambda: call(cuarray, *mine)) == errors_of(np, lambda: call(np, x, z))


LAYOUTS = [
    (lambda xp, x: x, "whole"),
    (lambda xp, x: x[::-3], "reversed"),
    (lambda xp, x: x.reshape(-1, 7)[:, 2:5].T, "columns"),
    (lambda xp, x: xp.broadcast_to(x[:, None], (x.size, 2)), "broadcast"),
]


@pytest.mark.parametrize(("arrange", "name"), LAYOUTS, ids=[name for _, name in LAYOUTS])
@pytest.mark.parametrize("size", [7, 70, 7000])
def test_where_the_element_is_does_not_matter(arrange, name, size, device):
    for place in (0, size // 2, size - 1):
        host = np.ones(size)
        host[place] = 0
        x, y = cuarray.asarray(host), arrange(np, host)
        hit = not y.all()
        view = arrange(cuarray, x)
        assert errors_of(cuarray, lambda: 1 / view) == hit * BITS["divide by zero"]
        assert errors_of(cuarray, lambda: cuarray.log(view)) == hit * BITS["divide by zero"]


def test_elements_that_are_not_computed_have_no_errors(device):
    x = cuarray.asarray([0.0, 4.0])
    assert errors_of(cuarray, lambda: cuarray.divide(1, x, where=x != 0)) == 0
    assert errors_of(cuarray, lambda: cuarray.divide(1, x, where=x == 0)) == 1
    assert errors_of(cuarray, lambda: cuarray.zeros(0) / 0) == 0


def test_results_are_written_first(device):
    out = cuarray.ones(3)
    with (
        cuarray.errstate(divide="raise"),
        pytest.raises(FloatingPointError, match=r"^divide by zero encountered in divide$"),
    ):
        cuarray.divide([1.0, 2.0, 3.0], [1.0, 0.0, 2.0], out=out)
    assert out.tolist() == [1, np.inf, 1.5]
    with cuarray.errstate(invalid="raise"), pytest.raises(FloatingPointError):
        out -= out
    assert np.isnan(out[1].item()) and out[0] == 0


WORDS = [
    (lambda xp: xp.arccos(xp.asarray([2.0])), "invalid value encountered in arccos"),
    (lambda xp: xp.asarray([0.0]) ** -1, "divide by zero encountered in "),
    (lambda xp: xp.asarray([7]) // 0, "divide by zero encountered in floor_divide"),
    (lambda xp: xp.asarray([7]) % 0, "divide by zero encountered in remainder"),
    (lambda xp: xp.asarray([-(2**31)], dtype="i4") // xp.asarray([-1], dtype="i4"), "overflow encountered in floor_divide"),
    (lambda xp: xp.asarray([1e308]) * 10, "overflow encountered in multiply"),
    (lambda xp: xp.asarray([1e-308]) * 1e-10, "underflow encountered in multiply"),
    (lambda xp: xp.asarray([np.nan]).astype("i4"), "invalid value encountered in cast"),
    (lambda xp: xp.asarray([1e300]).astype("f4"), "overflow encountered in cast"),
    (lambda xp: xp.asarray([1e308, 1e308]).sum(), "overflow encountered in reduce"),
    (lambda xp: xp.asarray([np.inf, -np.inf]).sum(), "invalid value encountered in reduce"),
    (lambda xp: xp.asarray([1e200, 1e200]).prod(), "overflow encountered in reduce"),
    (lambda xp: xp.cumsum(xp.asarray([1e308, 1e308])), "overflow encountered in accumulate"),
    (lambda xp: xp.matmul(xp.asarray([[1e200]]), xp.asarray([[1e200]])), "overflow encountered in matmul"),
    (lambda xp: xp.asarray([[1e200]]) @ xp.asarray([[1e200]]), "overflow encountered in matmul"),
]  # fmt: skip


@pytest.mark.parametrize(
    ("call", "words"), WORDS, ids=[f"{i}-{words.split()[-1]}" for i, (_, words) in enumerate(WORDS)]
)
def test_words_are_numpys(call, words, device):
    for xp in (np, cuarray):
        with xp.errstate(all="raise"), pytest.raises(FloatingPointError) as error:
            call(xp)
        assert str(error.value).startswith(words)
        with xp.errstate(all="warn"), pytest.warns(RuntimeWarning, match=words) as caught:
            call(xp)
        assert xp is np or caught[0].filename == __file__


def test_folds_look_at_their_own_elements(device):
    x = np.ones((3, 4, 5))
    x[1, 2, 3] = np.nan
    x[0, :2, 0] = np.inf, -np.inf
    ours = cuarray.asarray(x)
    for axis in (0, 1, 2, (0, 1), (1, 2), None):
        want = errors_of(np, lambda: x.sum(axis=axis))
        assert errors_of(cuarray, lambda: ours.sum(axis=axis)) == want, axis
    for axis in (0, 1, 2):
        want = errors_of(np, lambda: np.cumsum(x, axis=axis))
        assert errors_of(cuarray, lambda: cuarray.cumsum(ours, axis=axis)) == want, axis
    assert errors_of(cuarray, lambda: (ours.max(), ours.min(axis=1), (ours == 1).sum(), cuarray.sum([]))) == 0
    a = np.ones((2, 3, 4))
    b = np.ones((2, 4, 5))
    a[0, 1, 2], b[1, 0, 4], a[1, 2, :2] = np.nan, np.inf, 1e308
    want = errors_of(np, lambda: a @ b)
    assert errors_of(cuarray, lambda: cuarray.asarray(a) @ cuarray.asarray(b)) == want == 2
    a[1, 2, :2] = 1  # what is left are infinities and NaNs of operands
    assert errors_of(cuarray, lambda: cuarray.asarray(a) @ cuarray.asarray(b)) == 0


def test_segments_look_at_their_own_elements(device):
    x = np.ones((3, 6, 2))
    x[0, 1, 0], x[1, 3, 1], x[2, 4:, 0], x[2, 4, 1], x[2, 5, 1] = np.nan, np.inf, 1e308, np.inf, -np.inf
    ours = cuarray.asarray(x)
    for begins, axis in (([0, 3], 1), ([4], 1), ([0, 5, 2], 1), ([4, 3], 1), ([0, 2], 0), ([0, 2, 1], 0), ([1], 2)):
        want = errors_of(np, lambda: np.add.reduceat(x, begins, axis))
        assert errors_of(cuarray, lambda: cuarray.add.reduceat(ours, begins, axis)) == want, (begins, axis)
    assert errors_of(cuarray, lambda: cuarray.add.reduceat(ours[:2], [0, 3], 1)) == 0
    assert errors_of(cuarray, lambda: cuarray.add.reduceat(cuarray.arange(3), [0, 1])) == 0


def test_updates_look_at_their_own_elements(device):
    """NumPy names the ufunc; several updates of one element are one fold."""
    nan, inf = np.nan, np.inf
    for name, x, at, values in (
        ("add", [1e308, 1.0], [0], 1e308), ("add", [1e308, inf], [1], 1e308), ("add", [inf, 1], [0, 1], [-inf, 2]),
        ("add", [nan, 1], [0], inf), ("divide", [1.0, 2], [1], 0.0), ("divide", [0.0, 2], [0], 0.0), ("add", [1.0, 2], [0, -1], 3),
        ("add", [1e308, 0], [0, 0, 1], 5e307), ("add", [0, inf], [1, 1, 0], [-inf, 1, 1]), ("multiply", [1e-300, 1], [0], 1e-300),
        ("subtract", [1.0, inf, 3], [[0, 1], [2, 2]], [[1.0, 5.0], [1e308, -2e307]]), ("add", [[1e308, 1], [2, 3]], ([0, 1], [0, 1]), 1e308),
        ("add", [[1e308, 1], [2, 3]], 0, [1e308, 1]), ("add", [1.0, 2], [0, 0], [nan, 1]), ("add", [1.0, 2], [1, -1], [inf, 1]),
    ):  # fmt: skip
        x = np.array(x, float)
        values = np.array(values, float)
        want = errors_of(np, lambda: getattr(np, name).at(x.copy(), at, values))
        ours = cuarray.asarray(x)
        found = errors_of(cuarray, lambda: getattr(cuarray, name).at(ours.copy(), at, cuarray.asarray(values)))
        assert found == want, (name, x, at, values)
    assert (
        errors_of(cuarray, lambda: cuarray.log.at(cuarray.zeros(2), [0]))
        == errors_of(np, lambda: np.log.at(np.zeros(2), [0]))
        == 1
    )
    assert errors_of(cuarray, lambda: cuarray.add.at(cuarray.arange(3), [0], 2)) == 0
    with cuarray.errstate(over="raise"), pytest.raises(FloatingPointError, match="overflow encountered in add"):
        cuarray.add.at(cuarray.full(2, 1e308), [0], 1e308)
    with cuarray.errstate(all="raise"), pytest.raises(IndexError):
        cuarray.add.at(cuarray.ones(2), [5], 1.0)
        cuarray.synchronize()


def test_intervals_overflow(device):
    for ends, num in (((-1e308, 1e308), 5), ((-1e308, 1.7e308), 2000), ((0, 1e308), 3), ((0, np.inf), 3)):
        want = errors_of(np, lambda: np.linspace(*ends, num))
        assert errors_of(cuarray, lambda: cuarray.linspace(*ends, num)) == want, ends


def test_numbers_and_pending_values(device):
    x = cuarray.asarray([1.0, 0.0])
    assert errors_of(cuarray, lambda: x[0] / x[1]) == 1
    assert errors_of(cuarray, lambda: cuarray.divide(1.0, 0.0)) == 1
    assert errors_of(cuarray, lambda: cuarray.log(0.0)) == 1
    with cuarray.errstate(divide="raise"), cuarray.fuse(), pytest.raises(FloatingPointError):
        x / x[1]

    @cuarray.fuse
    def divided(a, b):
        return (a + 1) / b

    with cuarray.errstate(divide="raise"), pytest.raises(FloatingPointError, match="in divide"):
        divided(x, x)
    assert divided(x, x).tolist() == [2, np.inf]


def test_settings(device):
    default = dict.fromkeys(("divide", "over", "under", "invalid"), "ignore")
    x = cuarray.zeros(1)
    assert cuarray.geterr() == default == cuarray.seterr(all="raise", over="warn")
    try:
        assert cuarray.geterr() == {"divide": "raise", "over": "warn", "under": "raise", "invalid": "raise"}
        with pytest.raises(FloatingPointError):
            1 / x
        with cuarray.errstate(divide="ignore"):
            1 / x
            assert cuarray.geterr()["over"] == "warn"
        with pytest.raises(FloatingPointError):
            1 / x
    finally:
        assert cuarray.seterr(all="ignore")["over"] == "warn"
    1 / x
    with pytest.raises(ValueError, match="explode"):
        cuarray.errstate(all="explode")
    with pytest.raises(TypeError, match="twice"), (state := cuarray.errstate(over="warn")), state:
        pass
    assert cuarray.geterr() == default


def test_decorator_and_recursion():
    @cuarray.errstate(divide="raise")
    def down(n):
        return down(n - 1) if n else 1 / cuarray.zeros(1)

    for _ in range(2):
        with pytest.raises(FloatingPointError):
            down(3)
    assert cuarray.geterr()["divide"] == "ignore"


def test_calls_logs_and_lines(capsys):
    class Log:
        def __init__(self):
            self.lines = []
            self.write = self.lines.append

    x = cuarray.asarray([0.0], device="cpu")
    calls = []
    before = cuarray.seterrcall(lambda *given: calls.append(given))
    try:
        with cuarray.errstate(all="call"):
            x / x, 1 / x, cuarray.asarray([1.0, 0.0]) / cuarray.asarray([0.0, 0.0])
        assert calls == [("invalid value", 8), ("divide by zero", 1), ("divide by zero", 9), ("invalid value", 9)]
    finally:
        cuarray.seterrcall(before)
    log = Log()
    with cuarray.errstate(call=log, divide="log"):
        assert cuarray.geterrcall() is log
        1 / x
    assert log.lines == ["Warning: divide by zero encountered in divide\n"] and cuarray.geterrcall() is None
    with cuarray.errstate(divide="print"):
        1 / x
    assert capsys.readouterr().err == log.lines[0]
    with cuarray.errstate(divide="call"), pytest.raises(NameError, match="divide by zero"):
        1 / x
    with pytest.raises(TypeError, match="seterrcall"):
        cuarray.seterrcall(3)

    def refuse(*given):
        raise KeyError(given)

    with cuarray.errstate(call=refuse, divide="call"), pytest.raises(KeyError):
        1 / x
    with warnings.catch_warnings(), cuarray.errstate(divide="warn"):
        warnings.simplefilter("error")
        with pytest.raises(RuntimeWarning, match="divide by zero encountered in divide"):
            1 / x


def test_functions_that_numpy_computes_are_asked_too():
    x = cuarray.numpy.array([0.0])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        with cuarray.numpy.errstate(divide="raise"), pytest.raises(FloatingPointError):
            on_host(np.log, (x,), {})
        assert on_host(np.log, (x,), {}) == -np.inf


def test_settings_are_of_a_thread_and_of_a_task():
    x = cuarray.asarray([0.0], device="cpu")
    results = []

    def other():
        results.append((1 / x).tolist())

    async def asking(name):
        with cuarray.errstate(divide="raise"):
            await asyncio.sleep(0.01)
            try:
                1 / x
            except FloatingPointError:
                results.append(name)

    async def silent():
        await asyncio.sleep(0.005)
        1 / x

    async def both():
        await asyncio.gather(asking("task"), silent())

    with cuarray.errstate(divide="raise"):
        (thread := threading.Thread(target=other)).start()
        thread.join()
    assert results == [[np.inf]]
    asyncio.run(both())
    assert results[1:] == ["task"]


def test_nobody_asks_nothing_is_looked_for(monkeypatch):
    """Settings that are gone ask no longer: those of ended threads, and those behind an exception that is kept."""

    def asks():
        cuarray.seterr(all="raise")

    (thread := threading.Thread(target=asks)).start()
    thread.join()
    with cuarray.errstate(all="warn"):
        pass
    with pytest.raises(FloatingPointError) as kept, cuarray.errstate(all="raise"):
        1 / cuarray.asarray([0.0], device="cpu")
    gc.collect()
    handled = collections.Counter()
    _core.set_floating_error_handler(lambda errors, name: handled.update([name]))
    try:
        1 / cuarray.asarray([0.0], device="cpu")
        assert not handled
        with cuarray.errstate(all="warn"):
            1 / cuarray.asarray([0.0], device="cpu")
        assert handled == {"divide": 1} and kept.tb
    finally:
        from cuarray._functions import errstate

        _core.set_floating_error_handler(errstate.handle)


def test_a_graph_reports_nothing(device):
    x = cuarray.zeros(3)
    with cuarray.errstate(all="raise"):
        graph = cuarray.Graph()
        with graph.capture():
            y = 1 / x
        graph.launch()
    assert np.isinf(y.numpy()).all()


@pytest.mark.parametrize(
    "call",
    [
        lambda xp, x: x * 1e300,
        lambda xp, x: xp.add(x, -1e39),
        lambda xp, x: x + 1e300j,
        lambda xp, x: x.astype("f2") * 100_000,
        lambda xp, x: x < 1e300,
        lambda xp, x: x[:1].sum() * 1e300,
        lambda xp, x: x * float("inf"),
        lambda xp, x: x.astype("f8") * 1e300,
    ],
)
def test_numbers_that_are_infinite_as_elements(call, device):
    said = []
    for xp, x in ((np, np.ones(2, "f4")), (cuarray, cuarray.ones(2, "f4"))):
        with xp.errstate(over="raise"):
            try:
                call(xp, x)
                said.append("")
            except FloatingPointError as error:
                said.append(str(error))
    assert said[0] == said[1]
