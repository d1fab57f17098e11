"""cuarray.fft: NumPy's bits, types, shapes and errors; values against sums in longdouble; outputs, threads and devices."""

import inspect
import itertools

import layouts
import numpy as np
import pytest
from same import agree

import cuarray
from cuarray import _core
from cuarray import fft as ours
from cuarray._fft import on_cpu as host
from cuarray._fft.on_cpu import TRANSFORMS as HOST_TRANSFORMS

LINES = ["fft", "ifft", "rfft", "irfft", "hfft", "ihfft"]
SEVERAL = ["fftn", "ifftn", "rfftn", "irfftn"]
PAIRS = ["fft2", "ifft2", "rfft2", "irfft2"]
TRANSFORMS = [*LINES, *SEVERAL, *PAIRS]
HELPERS = ["fftfreq", "rfftfreq", "fftshift", "ifftshift"]
OF_REAL = ("rfft", "ihfft", "rfftn", "rfft2")
NORMS = [None, "backward", "ortho", "forward"]
DTYPES = ["?", "i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8", "f2", "f4", "f8", "c8", "c16"]
#: More elements than those whose results are copied.
LARGE = (70, 61)


@pytest.fixture(autouse=True)
def on_cpu():
    """Transforms run on the cpu; tests of other devices have a `device`."""
    with cuarray.device("cpu"):
        yield


@pytest.fixture
def threads():
    """set_num_threads, undone afterwards."""
    before = cuarray.get_num_threads()
    yield cuarray.set_num_threads
    cuarray.set_num_threads(before)


def values(shape, dtype, seed=0):
    rng = np.random.default_rng(seed)
    dtype = np.dtype(dtype)
    found = rng.uniform(-60, 60, shape)
    if dtype.kind == "c":
        found = found + 1j * rng.uniform(-60, 60, shape)
    return np.asarray(abs(found) if dtype.kind in "ub" else found).astype(dtype)


def same(got, want, what=""):
    """Assert equal types, shapes and bits."""
    assert isinstance(got, cuarray.ndarray), what
    assert (got.dtype, got.shape) == (want.dtype, want.shape), what
    np.testing.assert_array_equal(got.numpy(), want, err_msg=str(what))


def check(name, a, *args, **options):
    """Compare a transform with NumPy's."""
    if a.dtype.kind == "c" and name in OF_REAL:
        with pytest.raises(TypeError, match=f"^{name}: the input must be real, not complex"):
            getattr(ours, name)(cuarray.asarray(a), *args, **options)
        return
    got = getattr(ours, name)(cuarray.asarray(a), *args, **options)
    if a.dtype == np.float16:
        want = getattr(np.fft, name)(a, *args, **options)
        exact = getattr(np.fft, name)(a.astype("f4"), *args, **options)
        same(got, exact.astype(want.dtype), (name, a.dtype, args, options))
    else:
        same(got, getattr(np.fft, name)(a, *args, **options), (name, a.dtype, a.shape, args, options))


# The same as NumPy


def test_the_names_and_signatures_are_numpys():
    theirs = {name for name in dir(np.fft) if callable(getattr(np.fft, name)) and name != "test"}
    assert set(ours.__all__) == theirs | {"plan_cache"}
    for name in theirs:
        mine, numpys = (inspect.signature(getattr(m, name)).parameters for m in (ours, np.fft))
        assert [(p.name, p.default) for p in mine.values() if p.name != "dtype"] == [
            (p.name, p.default) for p in numpys.values()
        ]
    assert cuarray.fft is ours


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("name", TRANSFORMS)
def test_every_type(name, dtype):
    for shape in ((4, 6), LARGE):
        check(name, values(shape, dtype))


@pytest.mark.parametrize("name", LINES)
def test_shapes_axes_and_points(name):
    for shape in ((1,), (2,), (7,), (16,), (31,), (3, 5), (1, 4), (0, 3), (3, 0, 4), (2, 3, 5), (2, 1, 6, 3)):
        a = values(shape, "f8")
        for axis, n in itertools.product(range(-len(shape), len(shape)), (None, 1, 2, 5, 8, 13)):
            if shape[axis] == 0 and n is not None and name in ("irfft", "hfft"):  # NumPy reads beyond the array
                found = getattr(ours, name)(cuarray.asarray(a), n, axis)
                assert found.shape[axis] == n and not found.any()
            elif n is not None or shape[axis] > (name in ("irfft", "hfft")):
                check(name, a, n, axis)


@pytest.mark.parametrize("name", LINES)
def test_lengths_of_all_kinds(name):
    for n in [*range(2, 40), 97, 128, 243, 1009, 4096, 5003, 2**14]:
        check(name, values(n, "f8", n))
        check(name, values(n, "c8", n))


@pytest.mark.parametrize("norm", NORMS)
@pytest.mark.parametrize("name", TRANSFORMS)
def test_norms(name, norm):
    for shape, dtype in itertools.product(((3, 6), LARGE), ("f4", "f8", "i4", "c16")):
        check(name, values(shape, dtype), norm=norm)


@pytest.mark.parametrize("name", SEVERAL)
def test_lengths_and_axes(name):
    for shape in ((2, 3, 4), (17, 31, 10)):
        a = values(shape, "f8")
        for axes in (None, (0,), (1, 2), (2, 0), (-1, -3), (0, 1, 2), (1, 1), [2, 1], (2, 2, 0)):
            check(name, a, axes=axes)
        for s, axes in (((2, 2, 3), (0, 1, 2)), ((5, 7), (0, 2)), ((-1, 6), (1, 0)), ((4, -1), (2, 0)), ((20, 3), (2, 1)),
                        ((1, 1), (0, 1)), ((-1, -1, -1), (2, 1, 0)), ([9], [1]), ((40, 12), (1, 1))):  # fmt: skip
            check(name, a, s, axes)


@pytest.mark.parametrize("name", PAIRS)
def test_pairs(name):
    for shape in ((3, 4), (2, 3, 4), (5, 40, 41)):
        a = values(shape, "f8")
        for s in (None, (2, 6), (8, 3), (-1, 7), (50, 45)):
            check(name, a, s)
            check(name, a, s, (0, 1))


def test_lengths_without_axes_are_of_the_last_ones():
    x = cuarray.asarray(values((2, 3, 4), "f8"))
    for name in SEVERAL:
        same(getattr(ours, name)(x, (2, 6)), getattr(np.fft, name)(x.numpy(), (2, 6), (-2, -1)), name)
        with pytest.raises(np.exceptions.AxisError):
            getattr(ours, name)(x, (2, 2, 2, 2))
    same(ours.irfftn(x, (None, None), (0, 2)), np.fft.irfftn(x.numpy(), axes=(0, 2)))


@pytest.mark.parametrize("layout", layouts.LAYOUTS)
@pytest.mark.parametrize("name", TRANSFORMS)
def test_layouts(name, layout):
    for shape, dtype in itertools.product(((3, 4), LARGE), ("f4", "f8", "c16", "i2")):
        a = values(shape, dtype)
        if a.dtype.kind == "c" and name in OF_REAL:
            continue
        same(getattr(ours, name)(layout(a)), getattr(np.fft, name)(a), (name, layout))
        if name in LINES:
            same(getattr(ours, name)(layout(a), axis=0), getattr(np.fft, name)(a, axis=0), (name, layout))


@pytest.mark.parametrize("name", TRANSFORMS)
def test_layouts_of_results(name):
    """As in NumPy; where an axis grows, in the order of a permuted input only if that is C's or Fortran's."""
    for shape in ((4, 6), LARGE):
        for a in (values(shape, "f8"), values(shape, "f8").T):
            x = cuarray.asarray(a)
            for options in ({}, {"n": 5}) if name in LINES else ({},):
                got, want = getattr(ours, name)(x, **options), getattr(np.fft, name)(a, **options)
                assert got.strides == want.strides and got.flags.owndata
    a = values((30, 31, 32), "c16").transpose(2, 0, 1)
    assert ours.fft(cuarray.asarray(a)).strides == np.fft.fft(a).strides
    assert ours.fft(cuarray.asarray(a), 20).strides == np.fft.fft(a, 20).strides
    same(ours.fft(cuarray.asarray(a), 50), np.fft.fft(a, 50))


def test_what_numpy_takes():
    for a in ([1, 2, 3], (1.5, 2j), np.arange(4)[::-1], range(5), [[1, 2], [3, 4]]):
        for name in ("fft", "ifftn", "irfft"):
            same(getattr(ours, name)(a), getattr(np.fft, name)(a))
    for name in ("fftn", "ifftn"):
        x = cuarray.asarray(2.5)
        assert getattr(ours, name)(x) == 2.5 and getattr(ours, name)(x).dtype == np.float64
        assert getattr(ours, name)(cuarray.arange(3), axes=()).tolist() == [0, 1, 2]


@pytest.mark.parametrize("name", TRANSFORMS)
def test_values_that_are_not_finite(name):
    a = values((5, 6), "f8")
    a[1, 2], a[2, 3], a[3, 1] = np.nan, np.inf, 1e308
    with np.errstate(all="ignore"):
        want = getattr(np.fft, name)(a)
    with np.errstate(all="raise"):
        same(getattr(ours, name)(cuarray.asarray(a)), want)


# Mathematics


def sums(a, sign):
    """The transform by its definition, in extended precision."""
    n = a.shape[-1]
    turns = (np.arange(n)[:, None] * np.arange(n) % n).astype(np.longdouble) / n
    angles = sign * 2 * np.arccos(np.longdouble(-1)) * turns
    return a.astype(np.clongdouble) @ (np.cos(angles) + 1j * np.sin(angles)).T


@pytest.mark.parametrize("n", [1, 2, 3, 4, 5, 7, 8, 12, 13, 16, 25, 31, 32, 60, 97])
def test_against_the_definition(n):
    for dtype, tolerance in (("f4", 1e-6), ("f8", 2e-15), ("c8", 1e-6), ("c16", 2e-15)):
        a = values((3, n), dtype)
        x = cuarray.asarray(a)
        scale = np.abs(a).sum()

        def near(got, want, tolerance=tolerance, scale=scale):
            assert np.abs(got.numpy() - want).max() <= tolerance * scale

        near(ours.fft(x), sums(a, -1))
        near(ours.ifft(x), sums(a, 1) / n)
        near(ours.fft(x, norm="ortho"), sums(a, -1) / np.sqrt(np.longdouble(n)))
        if a.dtype.kind == "f":
            near(ours.rfft(x), sums(a, -1)[:, : n // 2 + 1])
            near(ours.ihfft(x), sums(a, 1)[:, : n // 2 + 1] / n)
            near(ours.irfft(ours.rfft(x), n), a)
            near(ours.hfft(ours.ihfft(x), n), a)


@pytest.mark.parametrize("shape", [(64,), (7, 9), (4, 5, 6), (60, 130), (8192,)])
def test_round_trips_and_parseval(shape):
    z, x = (cuarray.asarray(values(shape, dtype)) for dtype in ("c16", "f8"))
    size = x.size
    for norm in NORMS:
        scale = {"ortho": 1.0, "forward": 1 / size}.get(norm, float(size))
        for there, back, a in ((ours.fftn, ours.ifftn, z), (ours.ifftn, ours.fftn, z), (ours.rfftn, ours.irfftn, x)):
            options = {"s": shape, "axes": range(len(shape))} if a is x else {}
            np.testing.assert_allclose(back(there(a, norm=norm), norm=norm, **options).numpy(), a.numpy(), atol=1e-11)
        energy = (abs(ours.fftn(z, norm=norm)) ** 2).sum()
        factor = {"ortho": 1.0, "forward": 1 / size}.get(norm, float(size))
        np.testing.assert_allclose(float(energy), float((abs(z) ** 2).sum()) * factor, rtol=1e-12)
        assert scale == factor


def test_convolution_theorem():
    a, b = (cuarray.asarray(values(100, "f8", k)) for k in (1, 2))
    product = ours.irfft(ours.rfft(a, 199) * ours.rfft(b, 199), 199)
    np.testing.assert_allclose(product.numpy(), np.convolve(a.numpy(), b.numpy()), atol=1e-9)


# Outputs


@pytest.mark.parametrize("name", TRANSFORMS)
def test_outputs(name):
    for shape in ((4, 6), LARGE):
        a = values(shape, "f8")
        want = getattr(np.fft, name)(a)
        narrow = np.complex64 if want.dtype.kind == "c" else np.float32
        for dtype in (want.dtype, narrow, np.complex128):
            for out in (cuarray.full(want.shape, 7, dtype), np.full(want.shape, 7, dtype),
                        cuarray.zeros((*want.shape[:-1], 2 * want.shape[-1]), dtype)[..., ::2]):  # fmt: skip
                assert getattr(ours, name)(cuarray.asarray(a), out=out) is out
                np.testing.assert_array_equal(np.asarray(out), want.astype(dtype))
        with pytest.raises(ValueError, match=rf"^{name}: out= has shape \({want.shape[0]}, 99\), the result"):
            getattr(ours, name)(cuarray.asarray(a), out=cuarray.zeros((want.shape[0], 99), want.dtype))
        with pytest.raises(TypeError, match=f"^{name}: cannot cast the output from {want.dtype} to int64"):
            getattr(ours, name)(cuarray.asarray(a), out=cuarray.zeros(want.shape, int))
        with pytest.raises(TypeError, match=f"^{name}: out must be an array, not list"):
            getattr(ours, name)(cuarray.asarray(a), out=[1, 2])
        fixed = cuarray.zeros(want.shape, want.dtype)
        fixed.flags.writeable = False
        with pytest.raises(ValueError, match=f"^{name}: output array is read-only"):
            getattr(ours, name)(cuarray.asarray(a), out=fixed)


def test_output_over_the_input():
    for shape in ((6, 6), (80, 80)):
        a = values(shape, "c16")
        x = cuarray.asarray(a.copy())
        assert ours.fft(x, axis=0, out=x) is x
        same(x, np.fft.fft(a, axis=0))
        x = cuarray.asarray(a.copy())
        ours.fftn(x, out=x.T)
        same(x.T, np.fft.fftn(a))


def test_outputs_of_transforms_that_change_the_shape():
    """NumPy hands the output to every step, which must have its shape."""
    for shape, s in (((4, 6), (3, 8)), (LARGE, (80, 20))):
        a = values(shape, "f8")
        out = cuarray.empty(s, complex)
        ours.fftn(cuarray.asarray(a), s, (0, 1), out=out)
        same(out, np.fft.fftn(a, s, (0, 1)))


@pytest.mark.parametrize("shape", [(8,), (100, 100)])
def test_results_are_fresh_and_fuse(shape):
    x = cuarray.asarray(values(shape, "c16")).copy()
    y = ours.fft(x)
    assert y.flags.owndata and y.base is None and not cuarray.shares_memory(x, y)
    with cuarray.profile() as profile, cuarray.fuse():
        z = abs(x + y * 2)
        z = z + 1
    assert z.shape == shape
    assert [event.kind for event in profile.events].count("launch") == 1, (
        "neither operand nor result counts as memory that others may write"
    )


# Errors

NAMES = {
    "x": lambda xp: xp.asarray(values((3, 4), "f8")),
    "c": lambda xp: xp.asarray(values((3, 4), "c16")),
    "v": lambda xp: xp.asarray([1.0, 2.0, 3.0]),
    "s": lambda xp: xp.asarray(2.5),
    "e": lambda xp: xp.zeros((2, 0)),
}
BAD = [f"xp.fft.{name}({arguments})" for name in LINES for arguments in (
    "x, 0", "x, -1", "x, -5", "x, 2.0", "x, '3'", "x, [2]", "x, 2**62", "x, axis=2", "x, axis=-3", "x, axis=2**70",
    "x, 3, 2", "x, axis=None", "x, axis=1.0", "x, axis='a'", "x, axis=(0, 1)", "x, norm='no'", "x, norm=''", "x, norm=3", "x, norm=b'ortho'",
    "s", "s, 3", "e", "3", "x, 1, 2, 3, 4, 5", "",
)] + [f"xp.fft.{name}({arguments})" for name in [*SEVERAL, *PAIRS] for arguments in (
    "x, (2,), (0, 1)", "x, (2, 2), (0,)", "x, (0, 2), (0, 1)", "x, (2, -2), (0, 1)", "x, (2.0, 2), (0, 1)", "x, 3", "x, axes=1", "x, axes=(0, 2)",
    "x, axes=(-3,)", "x, (2, 2), (0, 5)", "x, axes=(0.0, 1.0)", "x, 'ab', (0, 1)", "x, norm='no'", "e",
    "x, (True, 2), (0, 1)", "x, (2**62, 2), (0, 1)",
)] + [
    "xp.fft.rfft(c)", "xp.fft.ihfft(c)", "xp.fft.rfftn(c)", "xp.fft.rfft2(c)", "xp.fft.fft2(v)", "xp.fft.ifft2(v)", "xp.fft.rfft2(v)",
    "xp.fft.irfft2(v)", "xp.fft.rfftn(s)", "xp.fft.irfftn(s)", "xp.fft.rfftn(x, axes=())", "xp.fft.irfftn(x, axes=())", "xp.fft.irfft([1])",
    "xp.fft.hfft([1])", "xp.fft.fft(x, out=xp.zeros((3, 5), complex))", "xp.fft.fft(x, out=xp.zeros((3, 4)))",
    "xp.fft.irfft(x, out=xp.zeros((3, 6), int))", "xp.fft.fft(x, True)", "xp.fft.fft(x, 10**30)",
    *(f"xp.fft.{name}(x, {out})" for name in LINES if name != "hfft" for out in ("4, 1, None, xp.zeros((1, 1))", "out=3", "out=()")),
    "xp.fft.fftfreq(2.0)", "xp.fft.fftfreq('a')", "xp.fft.fftfreq(None)", "xp.fft.fftfreq(0)", "xp.fft.fftfreq(-2)", "xp.fft.fftfreq(3, 0)",
    "xp.fft.fftfreq(3, 0.0)", "xp.fft.fftfreq(3, 'a')", "xp.fft.fftfreq(3, [1, 2])", "xp.fft.fftfreq(3, None)", "xp.fft.fftfreq(3, device='no')",
    "xp.fft.rfftfreq(2.0)", "xp.fft.rfftfreq(0)", "xp.fft.rfftfreq(3, 0)", "xp.fft.rfftfreq([3])", "xp.fft.rfftfreq(3, {})",
    "xp.fft.fftshift(x, 2)", "xp.fft.fftshift(x, (0, 2))", "xp.fft.fftshift(x, 1.0)", "xp.fft.fftshift(x, 'a')", "xp.fft.ifftshift(x, -3)",
    "xp.fft.ifftshift(x, [0.5])", "xp.fft.ifftshift(s, 0)",
]  # fmt: skip


@pytest.mark.parametrize("expression", BAD)
def test_errors_are_numpys(expression):
    with pytest.raises(Exception):  # noqa: B017
        eval(expression, {"xp": np, **{n: make(np) for n, make in NAMES.items()}})
    agree(expression, NAMES)


@pytest.mark.parametrize(("call", "error", "words"), [
    ("fft(x, 0)", ValueError, "fft: 0 points along axis 1"), ("ifft(x, norm='up')", ValueError, "ifft: norm must be .* not 'up'"),
    ("fftn(x, (1, 2), (1,))", ValueError, "fftn: s has 2 lengths, and axes has 1 axes"), ("fft2(x, axes=7)", TypeError, "fft2: axes must be a sequence"),
    ("rfft(x, 2.5)", TypeError, r"rfft: n must be an integer, not 2\.5"), ("fft(x, axis=2)", np.exceptions.AxisError, "fft: axis 2"),
    ("fft(b)", TypeError, "fft: there is no transform of bfloat16"), ("ihfft(c)", TypeError, "ihfft: the input must be real, not complex128"),
    ("fftfreq(2.5)", ValueError, r"fftfreq: n must be an integer, not 2\.5"), ("rfftfreq(-3)", ValueError, "rfftfreq: n must not be negative"),
    ("fftfreq(4, dtype='i4')", TypeError, "fftfreq: dtype must be a real floating type, not int32"),
    ("fftn(x, axes='ab')", TypeError, "fftn: axes must be a sequence"), ("rfft(x, True)", TypeError, "rfft: n must be an integer, not True"),
    ("fftn(x, axes=(2**70,))", np.exceptions.AxisError, "fftn: axis 118"), ("irfft(x, 10**30)", ValueError, "empty: "),
    ("fft(['a'])", TypeError, "fft: "), ("fft(np.ma.ones(3))", TypeError, "fft"), ("fft(np.ones(3, np.longdouble))", TypeError, "fft"),
    ("fftshift(x, 5)", np.exceptions.AxisError, "fftshift: axis 5"), ("irfftn(x, axes=())", np.exceptions.AxisError, "irfftn: a real transform needs"),
])  # fmt: skip
def test_errors_say_what_is_wrong(call, error, words):
    names = {"x": cuarray.ones((2, 3)), "b": cuarray.ones(3, cuarray.bfloat16), "c": cuarray.ones(3, complex), "np": np}
    with pytest.raises(error, match=f"^{words}"):
        eval(f"fft.{call}", {"fft": ours, **names})


class Resizing:
    """An integer whose conversion changes the array."""

    def __init__(self, x, value):
        self.x, self.value = x, value

    def __index__(self):
        self.x.resize((2,), refcheck=False)
        return self.value


def test_arguments_that_change_the_array_meanwhile():
    for size in (40, 40_000):
        for call in (lambda x: ours.fft(x, Resizing(x, 8)), lambda x: ours.fft(x, None, Resizing(x, 0)),
                     lambda x: ours.fftn(x, (Resizing(x, 8),)), lambda x: ours.fftn(x, None, (Resizing(x, 0),)),
                     lambda x: ours.fftshift(x, (Resizing(x, 0),)), lambda x: ours.rfftn(x, (-1,), (Resizing(x, 0),))):  # fmt: skip
            assert call(cuarray.ones(size)).shape in ((2,), (8,))


def test_errors_of_an_index_of_its_own():
    class Broken:
        def __index__(self):
            raise RuntimeError("mine")

    for call in (lambda b: ours.fft([1, 2], b), lambda b: ours.fft([1, 2], axis=b), lambda b: ours.fftn([1, 2], (b,))):
        with pytest.raises(RuntimeError, match="mine"):
            call(Broken())


# NumPy's dispatch


@pytest.mark.parametrize("name", [*TRANSFORMS, "fftshift", "ifftshift"])
def test_numpy_calls_ours(name):
    a = values((4, 6), "f8")
    x = cuarray.asarray(a)
    same(getattr(np.fft, name)(x), getattr(np.fft, name)(a))
    if name in TRANSFORMS:
        out = cuarray.empty_like(getattr(ours, name)(x))
        assert getattr(np.fft, name)(x, out=out) is out
        same(out, getattr(np.fft, name)(a))


def test_numpy_finds_the_module_by_itself():
    import subprocess
    import sys

    code = (
        "import sys, numpy as np, cuarray as ca\nx = ca.ones(4, device='cpu')\nassert 'cuarray.fft' not in sys.modules\n"
        "y = np.fft.fft(x)\nassert type(y) is ca.ndarray and y.tolist() == [4, 0, 0, 0]"
    )
    subprocess.run([sys.executable, "-c", code], check=True, timeout=60)


# Threads


@pytest.mark.parametrize("name", TRANSFORMS)
def test_threads_do_not_change_the_result(name, threads, monkeypatch):
    monkeypatch.setattr(host, "SHARE", 20_000)
    for shape in ((600, 300), (3, 70_000), (100_003,), (2, 300, 301)):
        if len(shape) == 1 and name in PAIRS:
            continue
        a = values(shape, "f8")
        found = []
        for count in (1, 5):
            threads(count)
            found.append(getattr(ours, name)(cuarray.asarray(a)))
        same(found[0], getattr(np.fft, name)(a), name)
        assert found[0].tobytes() == found[1].tobytes()
        for axis in range(len(shape)) if name in LINES else ():
            same(getattr(ours, name)(cuarray.asarray(a), axis=axis), getattr(np.fft, name)(a, axis=axis), name)


def test_parts_are_given_to_threads(threads, monkeypatch):
    import threading

    seen = []
    plain = HOST_TRANSFORMS["fft"]

    def watched(a, *rest):
        seen.append((threading.get_ident(), a.shape))
        return plain(a, *rest)

    monkeypatch.setitem(HOST_TRANSFORMS, "fft", watched)
    threads(4)
    ours.fft(cuarray.ones((2048, 256)))
    assert sorted(shape for _, shape in seen) == [(512, 256)] * 4
    seen.clear()
    ours.fft(cuarray.ones((128, 64)))
    assert len(seen) == 1, "too few elements for threads"


def test_few_points_without_numpys_loops(monkeypatch):
    """They are private to NumPy: the results do not depend on them."""
    names = ("fft", "ifft", "rfft", "irfft", "hfft", "ihfft")
    options = ((None, "backward"), (None, "ortho"), (None, "forward"), (5, "backward"), (12, "ortho"))
    for name, dtype, axis, (n, norm) in itertools.product(names, ("f4", "f8", "c8", "c16"), (-1, 0, 1), options):
        if name in ("rfft", "ihfft") and np.dtype(dtype).kind == "c":
            continue
        x = cuarray.asarray(values((3, 8, 7), dtype), device="cpu")
        found = host.transform_few(name, x, axis, n, norm)
        with monkeypatch.context() as without:
            without.setattr(host, "LOOPS", {})
            without.setattr(host, "loop_of_few", host.loop_of_few.__wrapped__)
            assert host.transform_few(name, x, axis, n, norm) is None
            expected = getattr(ours, name)(x, n, axis, norm)
        assert found.dtype == expected.dtype and found.shape == expected.shape, (name, dtype, axis)
        assert found.numpy().tobytes() == expected.numpy().tobytes(), (name, dtype, axis)


def test_errors_of_threads_are_raised(threads, monkeypatch):
    def failing(a, *rest):
        raise MemoryError("none left")

    monkeypatch.setitem(HOST_TRANSFORMS, "fft", failing)
    threads(4)
    with pytest.raises(MemoryError, match="none left"):
        ours.fft(cuarray.ones((2048, 256)))


# Frequencies and shifts, on every device


def test_frequencies(device):
    with cuarray.device(device):
        for n in [*range(1, 20), 100, 1001]:
            for d in (1, 1.0, 0.1, -3, 2.5, np.float32(0.1), 1e-300):
                for name in ("fftfreq", "rfftfreq"):
                    got = getattr(ours, name)(n, d)
                    assert str(got.device) == device
                    same(got, getattr(np.fft, name)(n, d), (name, n, d))
        for dtype in (np.float32, np.float64, np.float16, cuarray.bfloat16):
            got = ours.fftfreq(7, 0.3, dtype=dtype)
            assert got.dtype == dtype
            np.testing.assert_array_equal(got.numpy(), np.fft.fftfreq(7, 0.3).astype(dtype))
            assert ours.rfftfreq(7, 0.3, dtype=dtype).dtype == dtype
        for place in (device, "cpu"):
            assert str(ours.fftfreq(3, device=place).device) == str(ours.rfftfreq(3, 1.0, place).device) == place


def test_shifts(device):
    with cuarray.device(device):
        for shape in ((1,), (4,), (5,), (3, 4), (5, 2, 3), (0, 3), ()):
            for dtype in ("f8", "c8", "i2", "?"):
                a = values(shape, dtype)
                x = cuarray.asarray(a)
                for name in ("fftshift", "ifftshift"):
                    every = [*range(-len(shape), len(shape)), tuple(range(len(shape))), [0], (0, 0)] if shape else []
                    for axes in every:
                        same(getattr(ours, name)(x, axes), getattr(np.fft, name)(a, axes), (name, shape, axes))
                    if shape:
                        same(getattr(ours, name)(x), getattr(np.fft, name)(a), (name, shape))
                np.testing.assert_array_equal(ours.ifftshift(ours.fftshift(x)).numpy(), a)
                assert not shape or not cuarray.shares_memory(ours.fftshift(x), x)
        x = cuarray.asarray(np.arange(12.0).reshape(3, 4))
        same(np.fft.fftshift(x, 1), np.fft.fftshift(x.numpy(), 1))


# Transforms on every device


def near(name, a, device, *args, **options):
    """Compare a transform on a device with NumPy's."""
    x = cuarray.asarray(a, device=device)
    before = x.numpy().copy()
    got = getattr(ours, name)(x, *args, **options)
    want = getattr(np.fft, name)(a, *args, **options)
    what = (name, a.dtype, a.shape, args, options)
    assert (got.dtype, got.shape, str(got.device)) == (want.dtype, want.shape, device), what
    assert got.flags.c_contiguous or device == "cpu"
    single = want.dtype in (np.complex64, np.float32)
    tolerance = 4e-3 if a.dtype == np.float16 else 2e-6 if single else 4e-15  # NumPy scales float16 by a float16
    size = max(1.0, float(np.abs(want).max(initial=0)), float(np.linalg.norm(a.astype("c16"))))
    np.testing.assert_allclose(got.numpy(), want, atol=tolerance * size, rtol=0, err_msg=str(what))
    np.testing.assert_array_equal(x.numpy(), before, err_msg=f"the input of {what}")


def fitting(names, a):
    return [name for name in names if a.dtype.kind != "c" or name not in OF_REAL]


@pytest.mark.parametrize("dtype", DTYPES)
def test_types_on_devices(dtype, device):
    a = values((2, 3, 6), dtype)
    for name in fitting(TRANSFORMS, a):
        near(name, a, device)
        near(name, a[..., ::-1], device, norm="ortho")


@pytest.mark.parametrize("name", LINES)
def test_points_and_axes_on_devices(name, device):
    for shape in ((1,), (7,), (3, 0, 4), (2, 3, 5)):
        a = values(shape, "c16" if name not in OF_REAL else "f8")
        for axis, n in itertools.product(range(-len(shape), len(shape)), (1, 4, 9)):
            if shape[axis] or name not in ("irfft", "hfft"):
                near(name, a, device, n, axis)
        near(name, values((4, 6), "f4"), device, axis=0, norm="forward")
    assert getattr(ours, name)(cuarray.zeros((2, 0), device=device), 4).shape[0] == 2


@pytest.mark.parametrize("name", SEVERAL)
def test_several_axes_on_devices(name, device):
    a = values((2, 3, 4, 2), "f4")
    for axes in (None, (0,), (1, 2), (2, 0), (-1, -3), (3, 1, 2, 0), (1, 1), (2, 2, 0)):
        near(name, a, device, axes=axes)
    for s, axes in (((2, 2, 3), (0, 1, 2)), ((5, 7), (0, 2)), ((-1, 6), (1, 0)), ((3, 3), (1, 1))):
        near(name, a, device, s, axes, "ortho")


@pytest.mark.parametrize("layout", layouts.LAYOUTS)
def test_layouts_on_devices(layout, device):
    for dtype in ("f8", "c8"):
        a = values((3, 4), dtype)
        with cuarray.device(device):
            x = layout(a)
        for name in fitting(("fft", "rfft", "irfft", "ifft2", "irfft2", "hfft"), a):
            got, want = getattr(ours, name)(x), getattr(np.fft, name)(a)
            np.testing.assert_allclose(got.numpy(), want, atol=1e-4 if dtype == "c8" else 1e-11, err_msg=name)


def test_transforms_to_real_look_at_no_other_imaginary_parts(device):
    """Of the first and the middle frequency: those of a real result are real."""
    for n in (6, 7):
        near("irfft", values((3, 4), "c16", 5), device, n)
        near("hfft", values((3, 4), "c8", 6), device, n)
        near("irfft2", values((3, 4), "c16", 7), device, (3, n))
    if device != "cpu":
        z = cuarray.asarray(np.fft.rfft(values((3, 6), "f8")), device=device)
        before = z.numpy().copy()
        assert _core.fourier_transforms(z, [("irfft", 6, 1)], "backward", "test").shape == (3, 6)
        np.testing.assert_array_equal(z.numpy(), before)


def test_outputs_on_devices(device):
    x = cuarray.asarray(values((3, 4), "c16"), device=device)
    out = cuarray.zeros((3, 4), np.complex128, device=device)[:, ::-1]
    assert ours.fft(x, out=out) is out and np.allclose(out.numpy(), np.fft.fft(x.numpy()))
    expected = np.fft.ifft(x.numpy())
    assert ours.ifft(x, out=x) is x and np.allclose(x.numpy(), expected)
    with pytest.raises(ValueError):
        ours.fft(x, out=out[:2])
    with pytest.raises(TypeError, match=r"^rfft: the input must be real"):
        ours.rfft(x)
    with pytest.raises(ValueError, match=r"^fft: 0 points along axis 1"):
        ours.fft(x, 0)


def test_fused_and_dispatched_on_devices(device):
    a = values((4, 6), "f8")
    x = cuarray.asarray(a, device=device)
    with cuarray.fuse():
        got = abs(ours.fft(x * 2 + 1)) + 1
    np.testing.assert_allclose(got.numpy(), abs(np.fft.fft(a * 2 + 1)) + 1, atol=1e-10)
    assert isinstance(found := np.fft.rfft(x), cuarray.ndarray) and str(found.device) == device


def test_plans_are_kept(device):
    with cuarray.device(device):
        plans = ours.plan_cache
        if cuarray.device(device).kind == "cpu":
            assert (plans.count, plans.limit) == (0, 0)
            return
        plans.clear()
        with cuarray.device("cpu"):
            assert (plans.count, plans.limit) == (0, 0) and repr(plans).endswith("device='cpu')")
        limit = plans.limit
        assert (plans.count, limit) == (0, 32)
        for n in (4, 5, 4, 6):
            ours.fft(cuarray.ones(n))
        assert plans.count == 3
        plans.limit = 2
        assert plans.count == 2
        ours.fft(cuarray.ones(7))
        assert plans.count == 2 and repr(plans) == f"plan_cache(count=2, limit=2, device='{device}')"
        for wrong, error in ((-1, ValueError), (1.5, TypeError), ("a", TypeError)):
            with pytest.raises(error, match=r"^plan_cache: the limit must"):
                plans.limit = wrong
        plans.limit = 0
        assert abs(ours.fft(cuarray.ones(7))[0] - 7) < 1e-12 and plans.count == 0
        plans.limit = limit
