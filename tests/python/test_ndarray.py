"""The type: attributes, methods, operators, conversion to Python numbers, formatting, copying, pickling."""

import base64
import bisect
import collections
import copy
import gc
import io
import math
import operator
import pickle
import re
import subprocess
import sys
import weakref
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest
from oracle import bits, same_bits
from same import agree, public_type
from samples import integers

import cuarray
from cuarray import _core

NAMES = {
    "x": lambda xp: xp.arange(6).reshape(2, 3),
    "f": lambda xp: xp.asarray([[1.5, -2.0, 0.25], [4.0, 0.0, -8.5]]),
    "c": lambda xp: xp.asarray([1 + 2j, -3j]),
    "u": lambda xp: xp.asarray([200, 3], "u1"),
    "b": lambda xp: xp.asarray([True, False]),
    "s": lambda xp: xp.asarray(2.75),
    "i": lambda xp: xp.asarray(7),
    "e": lambda xp: xp.zeros((0, 3)),
}


@pytest.mark.parametrize(
    "expression",
    [
        "x.shape", "x.dtype", "x.ndim", "x.size", "x.nbytes", "x.itemsize", "x.strides", "x.T.strides", "x.T", "x.mT", "e.nbytes", "s.shape", "s.size",
        "c.real", "c.imag", "f.real", "f.imag", "c.T", "c.conj()", "f.conjugate()", "x.flat[3]", "x.flat[1:4]", "list(x.flat)[2]", "len(x.flat)",
        "x.flags.c_contiguous", "x.T.flags.f_contiguous", "x.T.flags['C_CONTIGUOUS']", "x[:, ::2].flags.contiguous", "x.flags.writeable", "x.flags.owndata",
        "x.tolist()", "s.tolist()", "c.tolist()", "b.tolist()", "e.tolist()", "x.item(4)", "x.item(1, 2)", "s.item()", "x.item()", "x.item(9)", "c.item(0)",
        "x.view('f8').dtype", "x.view('i4')", "u.view('i1')", "u.view('u2')", "x.T.view('i4')", "u.view('u4')", "s.view('i8')", "x.view()",
        "f.astype('i4')", "f.astype(int, copy=False)", "f.astype('f4', casting='safe')", "f.astype('f4', casting='same_kind')", "f.astype('O')", "x.astype('c8')",
        "f.round()", "f.clip(0, 2)", "f.repeat(2, 0)", "x.transpose(1, 0)", "x.swapaxes(0, 1)", "x.squeeze()", "x.ravel()", "x.flatten()", "x.reshape(3, 2)",
        "f.sum()", "f.mean(axis=1)", "f.std(0)", "f.argmax()", "x.copy()", "x.nonexistent", "f.base is None", "f[1:].base is not None",
    ],
)  # fmt: skip
def test_attributes_and_methods(expression, device):
    agree(expression, NAMES)


@pytest.mark.parametrize("order", ["setflat", "fill", "imag", "real", "protect", "fillfloat"])
def test_changing_in_place(order, device):
    programs = {
        "setflat": "x.flat[2] = 9; x.flat[4:] = [7, 8]",
        "fill": "x.fill(5)",
        "fillfloat": "x.fill(2.9); f.fill(True)",
        "imag": "c.imag = 7; c.imag[0] = 1",
        "real": "c.real = [5, 6]; f.real = 1",
        "protect": "x.flags.writeable = False",
    }
    results = []
    for xp in (np, cuarray):
        names = {n: make(xp) for n, make in NAMES.items()}
        exec(programs[order], {}, names)
        results.append({n: np.asarray(a.numpy() if xp is cuarray else a).tolist() for n, a in names.items()})
        if order == "protect":
            with pytest.raises(ValueError, match="read-only"):
                names["x"][0] = 1
            with pytest.raises(ValueError, match="read-only"):
                names["x"][1:] += 1
    assert results[0] == results[1]


BINARY = ["+", "-", "*", "/", "//", "%", "**", "&", "|", "^", "<<", ">>", "<", "<=", "==", "!=", ">", ">="]
OPERANDS = [
    "x",
    "f",
    "c",
    "u",
    "b",
    "s",
    "i",
    "e",
    "2",
    "-1",
    "2.5",
    "True",
    "1j",
    "np.float32(2)",
    "np.int8(3)",
    "[1, 2]",
]


@pytest.mark.parametrize("symbol", BINARY)
def test_operators(symbol, device):
    rtol = 1e-14 if symbol == "**" else 2e-16
    for left in OPERANDS:
        for right in OPERANDS:
            if not {left, right} & set(NAMES):
                continue
            if symbol == "**" and left == "b" and right == "2":
                continue
            agree(f"{left} {symbol} {right}", NAMES, rtol=rtol)


def test_rounding_by_python(device):
    """NumPy's scalars can be rounded, its arrays cannot; cuarray's 0-d arrays serve as both."""
    s = cuarray.asarray(2.75)
    assert round(s) == 3 and round(s, 1).item() == 2.8 and math.trunc(s) == 2 and round(cuarray.asarray(7)) == 7
    assert [type(f(s)) for f in (round, math.trunc, math.floor, math.ceil)] == [int] * 4


def test_square_of_bool(device):
    """NumPy's array gives int8 here, but numpy.power int64."""
    assert (cuarray.asarray([True]) ** 2).dtype == np.int64 == np.power(np.array([True]), 2).dtype


def test_comparing_with_what_is_no_number(device):
    x = cuarray.arange(3)
    for other in (None, "a", object()):
        assert (x == other) is False or not (x == other).any()
        for operation in (operator.lt, operator.add, operator.mul, operator.pow, operator.and_):
            for pair in ((x, other), (other, x)):
                with pytest.raises(TypeError):
                    operation(*pair)


@pytest.mark.parametrize("symbol", BINARY[:12])
def test_operators_in_place(symbol, device):
    for target in ("x", "f", "c", "u", "b", "s"):
        for value in ("2", "2.5", "1j", "x", "f", "u", "np.int8(2)", "[1, 2, 3]"):
            program = f"{target} {symbol}= {value}"
            results = []
            for xp in (np, cuarray):
                names = {n: make(xp) for n, make in NAMES.items()}
                before = names[target]
                try:
                    with np.errstate(all="ignore"):
                        exec(program, {"np": np}, names)
                    assert names[target] is before or before.ndim == 0, program
                    after = names[target]
                    results.append(np.asarray(after.numpy() if xp is cuarray else after))
                except Exception as error:
                    results.append(error)
            want, got = results
            if isinstance(want, Exception):
                # If both types and shapes are wrong, either may be reported first.
                kinds = (public_type(want), ValueError) if isinstance(want, TypeError) else public_type(want)
                assert isinstance(got, kinds), f"{program}: {got!r} instead of {want!r}"
            else:
                assert not isinstance(got, Exception), f"{program}: {got!r} instead of {want!r}"
                assert got.dtype == want.dtype, program
                np.testing.assert_allclose(got, want, rtol=1e-14, err_msg=program)


@pytest.mark.parametrize(
    "expression",
    [
        "-x", "+f", "abs(f)", "~x", "~b", "-b", "abs(c)", "~f", "divmod(x, 2)", "divmod(7, f + 10)", "divmod(x, x)", "pow(x, 2)", "pow(x, 2, 3)",
        "bool(s)", "bool(f)", "bool(e)", "bool(x[:1, :1])", "int(s)", "int(f)", "int(x[:1, :1])", "float(i)", "float(f)", "float(c[0])", "complex(s)", "complex(c[1])",
        "operator.index(i)", "operator.index(s)", "operator.index(x)", "[10, 20, 30, 40, 50, 60, 70, 80][i]", "len(x)", "len(s)", "len(e)", "3 in x", "9 in x",
        "math.floor(s)", "math.ceil(s)", "f'{s:.1f}'", "f'{s}'", "f'{i:04d}'", "f'{x:.1f}'", "str(x)", "str(s)", "str(f)",
        "hash(x)", "not s", "x if s else f", "sum(x)", "max(x[0])", "min(x.ravel().tolist())", "list(range(i))", "iter(s)", "x @ x.T",
    ],
)  # fmt: skip
def test_python_protocols(expression, device):
    agree(expression, {**NAMES, "operator": lambda xp: operator, "math": lambda xp: math})


def test_the_type_itself():
    assert cuarray.ndarray.__module__ == "cuarray" and cuarray.ndarray.__name__ == "ndarray"
    with pytest.raises(TypeError):
        cuarray.ndarray()
    with pytest.raises(TypeError):
        type("Mine", (cuarray.ndarray,), {})
    with pytest.raises(TypeError, match="unhashable"):
        hash(cuarray.ones(2))
    with pytest.raises(AttributeError):
        cuarray.ones(2).new_attribute = 1


def test_weak_references(device):
    x = cuarray.ones(3)
    reference = weakref.ref(x)
    assert reference() is x
    del x
    gc.collect()
    assert reference() is None


# Formatting


@pytest.mark.parametrize("type", [_core.dtype(t) for t in _core.dtype_names()], ids=str)
def test_repr_is_that_of_numpy(type):
    default = cuarray.default_device()
    for shape in [(), (3,), (2, 2), (0,), (0, 2), (1, 1, 1), (2000,), (50, 60)]:
        host = (np.arange(int(np.prod(shape))) % 7).reshape(shape).astype(type)
        x = cuarray.asarray(host, device=default)
        assert repr(x) == repr(host) and str(x) == str(host)


def test_repr_names_other_devices(device):
    x = cuarray.arange(3, device=device)
    suffix = "" if x.device == cuarray.default_device() else f", device='{device}'"
    assert repr(x) == f"array([0, 1, 2]{suffix})"
    shown = {np.int64(2): x[2], np.True_: x[2] > 1, np.float64(0.5): x[2] / 4}
    for scalar, value in shown.items():
        assert repr(value) == (f"array({scalar}{suffix})" if suffix else repr(scalar))


def test_html_shows_what_text_shows(device):
    html = cuarray.zeros((3, 4), "f4")._repr_html_()
    for text in ("(3, 4)", "float32", device, "48", "[0. 0. 0. 0.]"):
        assert text in html
    # A large array shows its corners, the only elements copied from a GPU.
    large = cuarray.arange(10**6).reshape(1000, 1000)
    html, pictures = re.subn("<img .*?>", "", large._repr_html_())
    assert pictures == 1 and f"<pre>{large}</pre>" in html
    assert "500500" not in html and "..." in html and "999999" in html and len(html) < 2000


def picture(array):
    """The pixels of the picture in an array's HTML, decoded by Pillow."""
    image = pytest.importorskip("PIL.Image", reason="Pillow is not installed")
    (data,) = re.findall(r'src="data:image/png;base64,(.*?)"', array._repr_html_())
    return np.asarray(image.open(io.BytesIO(base64.b64decode(data))))


def test_html_has_a_picture_of_images(device):
    host = np.arange(256, dtype="f4").reshape(16, 16).repeat(4, 0).repeat(4, 1)
    grey = host.astype(np.uint8)
    for dtype in ("f4", "i8", "u1", "f2", "bfloat16", "?"):
        x = cuarray.asarray(host, device=device).astype(dtype)
        expected = 255 * (host > 0) if dtype == "?" else grey
        assert np.abs(picture(x)[..., 0].astype(int) - expected).max() <= 1, dtype  # bfloat16 has 8 bits
        assert (picture(x)[..., 1] == 255).all()
    x = cuarray.asarray(np.tile(grey, (4, 8))[::-1].T, device=device)  # steps: 2 along the columns, 4 along the rows
    assert (picture(x)[..., 0] == np.tile(grey, (4, 8))[::-1].T[::4, ::2]).all()
    colours = np.random.default_rng(0).integers(0, 256, (40, 50, 3), dtype=np.uint8)
    assert (picture(cuarray.asarray(colours, device=device)) == colours).all()
    host[:2], host[2, 0], host[3, 0] = np.nan, np.inf, -np.inf
    shown = picture(cuarray.asarray(host * np.float64(1e300), device=device))
    assert (shown[:2, :, 1] == 0).all() and (shown[2:, :, 1] == 255).all()
    assert shown[2, 0, 0] == 255 and shown[3, 0, 0] == 0 and shown[-1, -1, 0] == 255
    assert (picture(cuarray.full((32, 32), 7, device=device))[..., 0] == 0).all()
    for other in (cuarray.zeros((31, 99)), cuarray.zeros((64, 64), complex), cuarray.zeros((40, 40, 3))):
        assert "<img" not in other._repr_html_()


def test_html_of_one_number_is_that_number(device):
    x = cuarray.arange(4.0).mean()
    assert x._repr_html_() == f"<pre>{repr(x).replace(chr(39), '&#x27;')}</pre>" and "1.5" in x._repr_html_()


# Copies


TYPES = ["bool", "int8", "uint64", "float16", "bfloat16", "float32", "complex128"]


@pytest.mark.parametrize("protocol", range(pickle.HIGHEST_PROTOCOL + 1))
@pytest.mark.parametrize("type", TYPES)
def test_pickle(type, protocol, device):
    base = cuarray.arange(24).reshape(4, 6).astype(type)
    for x in (base, base.T, base[::2, ::-1], base[0, :1].reshape(()), base[:0]):
        y = pickle.loads(pickle.dumps(x, protocol))
        assert bits(y) == bits(x) and y.device == x.device and y.flags.writeable
        if y.size:
            y[...] = 0
    value = base[1, 1]
    read = pickle.loads(pickle.dumps(value, protocol))
    assert bits(read) == bits(value) and read.device == value.device and hash(read) == hash(value)
    assert pickle.loads(pickle.dumps({value: 1}, protocol)) == {value: 1}


def test_reduce_is_what_pickles_call(device):
    x = cuarray.arange(3)
    function, arguments = x.__reduce__()
    assert bits(function(*arguments)) == bits(x)


def test_pickle_out_of_band(device):
    cube = cuarray.arange(1000.0).reshape(10, 4, 25)
    for x in (cube.ravel(), cube, cube.T, cube.transpose(1, 0, 2), cube[:5].transpose(2, 0, 1)):
        buffers = []
        data = pickle.dumps(x, 5, buffer_callback=buffers.append)
        assert len(data) < 500 and len(buffers) == 1
        assert bits(pickle.loads(data, buffers=buffers)) == bits(x)


def test_pickles_of_parts_need_no_buffers(device):
    for x in (
        cuarray.arange(12).reshape(3, 4)[:, :2],
        cuarray.arange(6)[::-2],
        cuarray.ones((2, 4), "bfloat16")[:, 1:],
    ):
        assert bits(pickle.loads(pickle.dumps(x, 5, buffer_callback=pytest.fail))) == bits(x)
    buffers, x = [], cuarray.arange(24).reshape(2, 3, 4).transpose(1, 0, 2)
    assert bits(pickle.loads(pickle.dumps(x, 5, buffer_callback=buffers.append), buffers=buffers)) == bits(x)
    assert len(buffers) == 1


def test_copy_and_deepcopy(device):
    x = cuarray.arange(6).reshape(2, 3).T
    for y in (copy.copy(x), copy.deepcopy(x), copy.deepcopy([x])[0]):
        assert bits(y) == bits(x) and not cuarray.shares_memory(x, y) and y.device == x.device


def test_pickles_of_before_are_read():
    """Pickles outlive the layout of the package: the names that they refer to are stable."""
    array = b"ccuarray._bytes\nrebuild\n(c_codecs\nencode\n(V\\u0000\\u0000\xc0?\\u0000\\u0000\\u0000@\nVlatin1\ntRVfloat32\n(I2\ntVC\nVcpu\ntR."
    code = (
        f"import pickle; print(pickle.loads({array!r}), pickle.loads(b'ccuarray._sets\\nUniqueAllResult\\n.').__name__)"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert run.stdout == "[1.5 2. ] UniqueAllResult\n", run.stderr
    with cuarray.device("cpu"):
        assert b"cuarray._bytes" in pickle.dumps(cuarray.asarray([1.5])), "what is written is read by every version"


def test_pickles_are_read_in_another_process(tmp_path):
    file = tmp_path / "x.pickle"
    with cuarray.device("cpu"):
        file.write_bytes(pickle.dumps(cuarray.asarray([1.5, 2.5])))
    code = f"import pickle; print(pickle.load(open({str(file)!r}, 'rb')).tolist())"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "[1.5, 2.5]"


# Devices


def test_to_device_and_back(device):
    x = cuarray.arange(6).reshape(2, 3).T
    y = x.to_device("cpu")
    assert y.device == "cpu" and bits(y) == bits(x)
    assert y.to_device(device).device == device
    np.testing.assert_array_equal(x.numpy(), y.numpy())
    host = np.empty((3, 2), x.dtype)
    assert x.numpy(out=host) is host and host.tolist() == x.tolist()
    with pytest.raises(ValueError):
        x.to_device("cuda:77")


@pytest.mark.parametrize("type", TYPES)
def test_numpy_gives_a_copy(type, device):
    x = cuarray.ones(3, type)
    host = x.numpy()
    host[0] = 0
    assert x.astype("f8", copy=True).tolist()[0] == 1.0 if type != "complex128" else x.tolist()[0] == 1


def test_subclass_independent_methods_keep_device(device):
    x = cuarray.ones((2, 3))
    for y in (
        x + 1,
        x.T,
        x.sum(),
        x[0],
        x.astype("f4"),
        cuarray.sin(x),
        cuarray.zeros_like(x),
        x.copy(),
        cuarray.concat([x, x]),
    ):
        assert y.device == x.device


@pytest.mark.parametrize("dtype", ["i1", "u2", "i8", "f2", "f4", "f8", "c8", "c16"])
def test_a_square_is_a_product(device, dtype):
    """As in NumPy, where pow may be off in the last place; in place and fused, too."""
    rng = np.random.default_rng(2)
    x = (rng.standard_normal(1000) * 5 + (rng.standard_normal(1000) * 1j if dtype[0] == "c" else 0)).astype(dtype)
    ours = cuarray.asarray(x, device=device)
    want = (ours * ours).numpy()
    exponents = [2, 2.0] if dtype[0] in "fc" else [2]
    for exponent in exponents:
        for got in (ours**exponent, cuarray.fuse(lambda a, n=exponent: a**n)(ours)):
            assert got.dtype == x.dtype and got.numpy().tobytes() == want.tobytes()
        changed = ours.copy()
        changed **= exponent
        assert changed.numpy().tobytes() == want.tobytes()
    assert (ours ** cuarray.array(2)).shape == ours.shape and (ours**3)[:3].shape == (3,)


@pytest.mark.parametrize("dtype", ["?", "i1", "u1", "i4", "u8", "f2", "f4", "f8", "c8", "c16"])
def test_exponents_beside_few_elements(dtype, device):
    """The type of a power and the errors of its exponent are NumPy's, also where the exponent would be 2 in x's type."""
    numbers = np.array([0, 1, 1, 0]).astype(dtype)
    x = cuarray.asarray(numbers, device=device)
    for exponent in (2, 2.0, 0.5, -1.0, True, 258, 2 + 2**32, 2 + 2**64, 2j, 1.5 + 2**-40):
        try:
            with np.errstate(all="ignore"):
                want = numbers**exponent
        except OverflowError:
            with pytest.raises(OverflowError):
                x**exponent
            continue
        if dtype == "?" and not isinstance(exponent, (bool, float, complex)):
            want = np.power(numbers, exponent)  # NumPy's operator has int8 for small exponents: docs/differences.md
        got = x**exponent
        assert got.dtype == want.dtype, exponent
        np.testing.assert_allclose(got.numpy(), want, rtol=1e-6)


def test_powers_of_few_elements_wait_within_fuse():
    x = cuarray.arange(4.0, device="cpu")
    with cuarray.fuse():
        assert _core.is_pending(x**2) and _core.is_pending(x**0.5)
    assert not _core.is_pending(x**2)


@pytest.mark.parametrize("dtype", ["f2", "f4", "f8", cuarray.bfloat16], ids=str)
def test_powers_that_other_functions_compute(device, dtype, rng):
    """For a scalar exponent as for an array: special values of the Array API standard."""
    special = [0.0, -0.0, np.inf, -np.inf, np.nan, 1, -1, 2, 0.25, -4]
    x = cuarray.asarray(np.concatenate([special, rng.standard_normal(500) * 9]).astype(dtype), device=device)
    for exponent in (2, 0.5, -1, -1.0, 0, 1):
        want = cuarray.pow(x, cuarray.full_like(x, exponent)).numpy()
        for got in (
            x**exponent,
            cuarray.pow(x, exponent),
            cuarray.fuse(lambda a, n=exponent: a**n)(x),
            cuarray.pow(x, exponent, out=cuarray.empty_like(x)),
            cuarray.pow(x, np.dtype(dtype).type(exponent)),
        ):
            got = got.numpy()
            np.testing.assert_array_equal(np.isnan(got), np.isnan(want))
            known = ~np.isnan(want)
            assert (np.signbit(got) == np.signbit(want))[known].all()
            eps = float(cuarray.finfo(dtype).eps)
            np.testing.assert_allclose(got[known].astype("f8"), want[known].astype("f8"), rtol=2 * eps)


@pytest.mark.parametrize("dtype", ["i1", "u1", "i4", "u4", "i8", "u8"])
def test_floats_that_an_integer_cannot_hold_are_refused(device, dtype):
    least, most = np.iinfo(dtype).min, np.iinfo(dtype).max
    x = cuarray.zeros(2, dtype, device=device)
    for value, error in [
        (np.nan, ValueError),
        (np.inf, OverflowError),
        (-np.inf, OverflowError),
        (2.0 * most + 2, OverflowError),
        (2.0 * least - 2, OverflowError),
        (float(most) + 1, OverflowError),
    ]:
        for call in (
            lambda v=value: x.__setitem__(0, v),
            lambda v=value: x.__setitem__(slice(None), v),
            lambda v=value: x.fill(v),
        ):
            with pytest.raises(error):
                call()
    x[0], x[1] = 100.9, float(least) - 0.5 if least > -(2**53) else -3.5
    assert x.tolist() == [100, least if least > -(2**53) else -3]


def test_sequence(device):
    x = cuarray.asarray([1.0, 2.0, 4.0])
    assert [v.item() for v in reversed(x)] == [4, 2, 1] and bisect.bisect(x, 3) == 2
    rows = list(reversed(cuarray.asarray([[1, 2], [3, 4]])))
    assert rows[0].tolist() == [3, 4]
    for empty in (cuarray.asarray(1.0), cuarray.zeros((0, 2))):
        with pytest.raises((TypeError, IndexError)):
            next(reversed(empty)) if empty.ndim == 0 else operator.getitem(empty, 0)


RESHAPED = """
import sys, threading, cuarray
sys.setswitchinterval(1e-5)
cuarray.set_default_device(DEVICE)
x, done = cuarray.ones(1 << COUNT), False


def reshape():
    while not done:
        x.shape = (1 << 10, 1 << (COUNT - 10))
        x.shape = (1 << COUNT,)


thread = threading.Thread(target=reshape)
thread.start()
for _ in range(60):
    assert cuarray.sin(x).size == (x + x).size >= x.sum(axis=-1).size
done = True
thread.join()
print("done")
"""


def test_a_new_shape_while_other_threads_compute(device):
    """Running work keeps the shape and memory that the array had; in a separate process."""
    code = RESHAPED.replace("DEVICE", repr(device)).replace("COUNT", "22" if device == "cpu" else "14")
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=120)
    assert run.stdout == "done\n", run.stderr[-2000:]


@pytest.mark.parametrize(
    "call",
    [
        "(2, 3)", "3, 'f4'", "(), None", "(2, 3), 'i2', memory, 4", "(2, 3), 'i2', memory, strides=(12, 4)", "(2, 3), 'i2', memory, order='F'",
        "0", "(200,), 'i4', memory", "-1", "(2,), 'i4', 5", "(2, 2), order='F'",
    ],
)  # fmt: skip
def test_calls_of_the_type(call):
    memory = bytearray(range(48))
    names = {"memory": memory}
    try:
        expected = eval(f"np.ndarray({call})", {"np": np, **names})
    except (TypeError, ValueError) as error:
        with pytest.raises(type(error)):
            eval(f"xp.ndarray({call})", {"xp": cuarray, **names})
        return
    array = eval(f"xp.ndarray({call})", {"xp": cuarray, **names})
    assert (array.shape, array.dtype) == (expected.shape, expected.dtype) and (
        array.size == 0 or array.strides == expected.strides
    )
    if "memory" in call:
        array[...] = 7
        assert (expected == 7).all()


def test_the_type_is_made_by_its_own_new_alone():
    with pytest.raises(TypeError):
        object.__new__(cuarray.ndarray)
    with pytest.raises(ValueError, match="buffer"):
        cuarray.ndarray(3, strides=(8,))
    assert cuarray.ndarray[int, float].__origin__ is cuarray.ndarray


def test_flat_is_an_iterator(device):
    x = cuarray.asarray([[1, 2], [3, 4]]).T
    flat = x.flat
    assert iter(flat) is flat and next(flat).item() == 1 and flat.coords == (0, 1) and flat.index == 1
    assert [v.item() for v in flat] == [3, 2, 4] and next(flat, None) is None
    assert (x.flat == [1, 0, 2, 0]).tolist() == [True, False, True, False]
    assert (x.flat > 2).tolist() == [False, True, False, True] and (x.flat != 3).sum() == 3


def results(device):
    """An array that begins with 4, and kinds of results without axes that are 4."""
    x = cuarray.asarray([4.0, 5.0], device=device)
    return x, [x.min(), x[0], 8 - x[0], abs(x[0]), x[0].copy(), cuarray.asarray([4 + 1j], device=device)[0].real]


def test_results_without_axes_are_written_to(device):
    x = cuarray.asarray([4.0, 5.0], device=device)
    for write in (
        lambda v: v.__setitem__((), 1),
        lambda v: v.__setitem__(..., 1),
        lambda v: v.__setitem__(v > 2, 1),
        lambda v: v.__setitem__(cuarray.asarray(True, device=device), 1),
        lambda v: v[...].__setitem__((), 1),
        lambda v: v[None].__setitem__(0, 1),
        lambda v: v.T.reshape(1).fill(1),
        lambda v: v.fill(1),
        lambda v: setattr(v, "real", 1),
        lambda v: cuarray.subtract(x[1], 4, out=v),
        lambda v: cuarray.subtract(v, 3, out=v),
        lambda v: cuarray.prod(x - 4, out=v) is None or v.fill(v + 1),
        lambda v: cuarray.copyto(v, 1),
        lambda v: cuarray.put(v, 0, 1),
        lambda v: cuarray.add.at(v, (), -3),
    ):
        for value in results(device)[1]:
            same = value
            write(value)
            assert same is value and (value, value + 1, float(value), x[0]) == (1, 2, 1, 4)
            value += 1
            assert (same, value) == (1, 2) and {same: 3}[1] == 3
    flag = (x > 0).any()
    flag[...] = False
    assert not flag and (x > 0).any() and (x > 0).all()


def test_views_of_results_keep_them_from_being_hashed(device):
    views = [lambda v: v[None], lambda v: v.reshape(1, 1), lambda v: v.__dlpack__(), lambda v: cuarray.from_dlpack(v)]
    if device == "cpu":
        views += [np.asarray, memoryview, lambda v: np.from_dlpack(v)[...]]
    for view in views:
        for value in results(device)[1]:
            if view is np.asarray and isinstance(value, float | complex):
                continue  # NumPy copies Python's numbers
            seen = view(value)
            with pytest.raises(TypeError, match="holds the memory"):
                hash(value)
            if isinstance(seen, np.ndarray | cuarray.ndarray):
                seen[...] = 3
            value[...] = value + 1
            assert np.ndim(seen) > 1 or not hasattr(seen, "tolist") or seen.tolist() in (value.item(), [value.item()])
            del seen
            assert hash(value) == hash(value.item())
            later = view(value)
            assert hash(value) == hash(value.item()), "it cannot change any more"
            if device == "cpu" and isinstance(later, np.ndarray | cuarray.ndarray):
                assert not later.flags.writeable


def test_values_that_are_keys_do_not_change(device):
    x, values = results(device)
    for value in values:
        known = {value: 1}
        for write in (
            lambda v: v.__setitem__((), 1),
            lambda v: v.fill(1),
            lambda v: cuarray.add(x[0], 1, out=v),
            lambda v: x.sum(out=v),
            lambda v: setattr(v, "shape", (1,)),
            lambda v: v.resize(1),
        ):
            with pytest.raises(TypeError, match="a 0-d result"):
                write(value)
        with pytest.raises(ValueError, match="read-only"):
            cuarray.copyto(value, 1)
        assert value == 4
        array = cuarray.asarray(value)
        array[...] = 1
        array += 1
        assert (value, array) == (4, 2) and cuarray.array(value) is not value and known[4.0] == 1


def test_values_are_keys(device):
    x = cuarray.asarray([2, 3, 2], device=device)
    assert {x[0], x[2], x.max()} == {2, 3} and {x[1]: "three"}[3] == "three" and x[0] in {2.0}
    assert collections.Counter(x).most_common(1) == [(2, 2)] and len(set(x > 2)) == 2
    for number in (True, -7, 2**63, 0.5, -0.0, float("inf"), 1.5 - 2j):
        assert hash(cuarray.asarray([number], device=device)[0]) == hash(number)
    with pytest.raises(TypeError, match="unhashable"):
        hash(cuarray.asarray(2, device=device))


def test_getsizeof_counts_the_elements_once(device):
    """As NumPy's; what another library's memory holds counts, too, because the array keeps it."""
    x = cuarray.zeros((100, 100), device=device)
    assert 80_000 <= sys.getsizeof(x) < 81_000 and 80_000 <= sys.getsizeof(pickle.loads(pickle.dumps(x))) < 81_000
    for view in (x[::2], x.T, x.reshape(-1), x[:0], x[3, ...]):
        assert sys.getsizeof(view) < 1000, "a view of x"


def test_numbers_have_memory_where_it_is_asked_for(device):
    number = cuarray.asarray([1.5, 2.5], device=device)[1]
    assert sys.getsizeof(number) <= 80 or device != "cpu"
    assert (number.dtype, number.shape, number.ndim, number.nbytes, str(number.device)) == ("f8", (), 0, 8, device)
    same = number.reshape(1)
    assert same.base is number and same.tolist() == [2.5] and number.real == 2.5 and number.T == 2.5
    assert pickle.loads(pickle.dumps(number)) == 2.5 and copy.deepcopy(number) == 2.5
    assert (number + 1, 1 + number, -number, number < 3, divmod(number, 2)) == (3.5, 3.5, -2.5, True, (1.0, 0.5))


def test_sequences_are_assigned_as_numpy_reads_them(device):
    x = cuarray.zeros(3)
    x[:] = [Fraction(1, 2), "2", None]
    assert x.numpy().tolist()[:2] == [0.5, 2] and cuarray.isnan(x[2])
    x[1] = Decimal("2.5")
    x[[0, 2]] = range(2)
    assert x.tolist() == [0, 2.5, 1]
    x.fill(Fraction(3, 4))
    assert x.tolist() == [0.75] * 3
    assert cuarray.full(2, Fraction(1, 4), dtype="f4").tolist() == [0.25] * 2
    assert cuarray.asarray("3", dtype=int) == 3
    for value in ([300, 1, 2], range(299, 302), (1, -1, 2), [cuarray.asarray(1, device=device), 300, 2]):
        y = cuarray.asarray([7, 8, 9], dtype="u1")
        with pytest.raises(OverflowError):
            y[:] = value
        assert y.tolist() == [7, 8, 9]
    z = cuarray.zeros(2, dtype=int)
    z[:] = [cuarray.asarray(1.0, device=device), 2**53 + 1]
    assert z.tolist() == [1, 2**53 + 1]
    assert cuarray.array([cuarray.asarray(1.0, device=device), 2**53 + 1], dtype=int).tolist() == [1, 2**53 + 1]
    with pytest.raises(ValueError):
        z[:] = [cuarray.asarray(1.0, device=device), np.nan]


@pytest.mark.parametrize("dtype", ["i1", "u1", "i2", "i4", "u4", "i8", "u8"])
def test_division_by_powers_of_two(device, dtype, rng):
    """Shifts and masks equal floor divisions, for every sign."""
    ends = np.iinfo(dtype)
    x = np.array([ends.min, ends.min + 1, 0, 1, ends.max], dtype)
    x = np.concatenate([x, rng.integers(ends.min, ends.max, 1000, dtype)])
    ours = cuarray.asarray(x, device=device)
    for bit in range(ends.bits - (ends.min < 0)):
        divisor = 1 << bit
        for symbol, function in (("//", operator.floordiv), ("%", operator.mod)):
            want = function(x, np.dtype(dtype).type(divisor))
            for got in (
                function(ours, divisor),
                function(ours, np.dtype(dtype).type(divisor)),
                cuarray.fuse(lambda a, f=function, d=divisor: f(a, d) + 0)(ours),
            ):
                assert got.dtype == x.dtype, symbol
                np.testing.assert_array_equal(got.numpy(), want, err_msg=f"{symbol} {divisor}")
        changed = ours.copy()
        changed //= divisor
        np.testing.assert_array_equal(changed.numpy(), x // np.dtype(dtype).type(divisor))
    for divisor in (0, -1, -2, -8, 3) if ends.min < 0 else (0, 3):
        with np.errstate(all="ignore"):
            np.testing.assert_array_equal((ours // divisor).numpy(), x // np.dtype(dtype).type(divisor))
            np.testing.assert_array_equal((ours % divisor).numpy(), x % np.dtype(dtype).type(divisor))


@pytest.mark.parametrize("dtype", ["i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8"])
def test_division_by_one_number(device, dtype, rng):
    """Multiplications by a reciprocal equal floor divisions: of multiples and their neighbours, by divisors of each
    length.
    """
    ends, kind = np.iinfo(dtype), np.dtype(dtype).type
    divisors = {(1 << bit) + d for bit in range(1, ends.bits) for d in (-1, 0, 1)} | {7, 10, 100, ends.max}
    divisors |= set(rng.integers(2, ends.max, 5, dtype).tolist())
    divisors = sorted(d for d in divisors if 2 <= d <= ends.max)
    # `cpu` only in full: a GPU divides each element.
    for divisor in divisors if device == "cpu" else divisors[:2]:
        multiples = integers(dtype, rng, 100) // kind(divisor) * kind(divisor)
        x = np.concatenate([integers(dtype, rng, 40), multiples, multiples - kind(1), multiples + kind(1)])
        ours, result = cuarray.asarray(x, device=device), x // kind(divisor)
        np.testing.assert_array_equal((ours // divisor).numpy(), result, err_msg=f"// {divisor}")
        np.testing.assert_array_equal((ours % divisor).numpy(), x % kind(divisor), err_msg=f"% {divisor}")
        for got, want in zip(divmod(ours, divisor), (result, x % kind(divisor)), strict=True):
            np.testing.assert_array_equal(got.numpy(), want, err_msg=f"divmod {divisor}")
        repeated = cuarray.full(x.size, divisor, dtype=dtype, device=device)
        np.testing.assert_array_equal(cuarray.floor_divide(ours, repeated, out=repeated).numpy(), result)


@pytest.mark.parametrize("change", [0, 1, 31, 99])
def test_division_by_almost_one_number(device, change):
    y = np.full(100, 7)
    y[change] = 3
    x, ours = np.arange(100) * 5, cuarray.asarray(y, device=device)
    np.testing.assert_array_equal((cuarray.asarray(x, device=device) // ours).numpy(), x // y)


@pytest.mark.parametrize("dtype", ["?", "i1", "f4", "c8"])
def test_conj_of_real_arrays_is_the_array(dtype, device):
    x = cuarray.ones(3, dtype=dtype)
    assert x.conj().dtype == x.dtype == x.conjugate().dtype and (x.conj() is x) == (
        np.ones(3, dtype).conj().dtype.kind != "c"
    )


def test_what_stays_itself():
    """As in NumPy: without a change the array itself is returned, not a view, which has its own shape and flags."""
    x = cuarray.ones(3)
    assert x.squeeze() is x and cuarray.squeeze(x) is x and x.squeeze(()) is x
    assert x.astype(x.dtype, copy=None) is x
    assert cuarray.ones((1, 1)).item(()) == 1.0
    assert cuarray.ones((1, 3)).squeeze().shape == (3,)


def test_roots_of_few_elements_are_those_of_many(device):
    numbers = np.array([-np.inf, -0.0, 0.0, np.nan, -1, 2, 3, np.inf, 5e-324, 1e308, -1e-320])
    for dtype in ("f4", "f8"):
        few = cuarray.asarray(numbers.astype(dtype), device=device)
        many = cuarray.tile(few, 2000)
        roots = (many**0.5)[: few.size]
        with cuarray.fuse():
            fused = few**0.5
        for x in (few**0.5, few[::-1][::-1] ** 0.5, cuarray.power(few, 0.5), fused):
            assert same_bits(x.numpy(), roots.numpy()).all()
        assert roots[:3].tolist() == [math.inf, 0, 0] and math.copysign(1, float(roots[1])) == 1


@pytest.mark.parametrize("exponent", [-16, -5, -3, -2, -1, -0.5, 0.5, 1.5, 2, 2.5, 3, 4, 5, 6, 7, 16, 17])
@pytest.mark.parametrize("dtype", ["f2", "f4", "f8"])
def test_floats_to_the_power_of_a_number(exponent, dtype, rng, device):
    """By products, roots and quotients: within the limit of `pow`, NumPy's special values, the same bits for a value."""
    special = [-np.inf, -0.0, 0.0, np.nan, -1, 2, 3, np.inf, 5e-324, 1e308, -1e-320, 1e160, -1e160, 1e-160]
    with np.errstate(all="ignore"):
        numbers = np.concatenate((special, np.exp(rng.uniform(-300, 300, 3000)), rng.random(3000))).astype(dtype)
        exact = np.power(numbers.astype(np.longdouble), np.full(numbers.shape, exponent, np.longdouble))
        want = exact.astype(dtype)
    x = cuarray.asarray(numbers, device=device)
    got = (x**exponent).numpy()
    normal = np.isfinite(got) & np.isfinite(want)
    error = np.abs(got[normal].astype(np.longdouble) - exact[normal]) / np.spacing(np.abs(want[normal]))
    assert error.max() <= (0.51 if dtype == "f2" else 2.5)
    np.testing.assert_array_equal(got[~normal], want[~normal])
    signed = ~np.isnan(want[: len(special)]) | (device == "cpu")  # a GPU's NaNs are positive
    np.testing.assert_array_equal(np.signbit(got[: len(special)])[signed], np.signbit(want[: len(special)])[signed])
    for i in range(len(special)):
        assert same_bits(cuarray.asarray(x[i] ** exponent).numpy(), got[i]).all()


@pytest.mark.parametrize("dtype", ["i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8"])
def test_integers_to_the_power_of_a_number(dtype, rng, device):
    numbers = rng.integers(0, 256, 700).astype("u1").view("i1").astype(dtype)
    x = cuarray.asarray(numbers, device=device)
    for exponent in range(20):
        got, want = x**exponent, numbers**exponent
        assert got.dtype == want.dtype
        np.testing.assert_array_equal(got.numpy(), want)


def matched(x):
    """Which pattern the object matches; the type of the error of an array without axes."""
    try:
        match x:
            case [_, _]:
                return "pair"
            case [_, *_]:
                return "some"
            case []:
                return "none"
            case float() | int():
                return "number"
    except TypeError:
        return TypeError
    return "other"


def test_patterns_of_sequences(device):
    """Arrays match them where NumPy's do, from 2.5 on; values do not."""
    for call in ("xp.zeros(2)", "xp.zeros((2, 3))", "xp.ones(3)", "xp.zeros(0)", "xp.asarray(1.5)", "xp.float64(1)"):
        ours, theirs = (matched(eval(call, {"xp": xp})) for xp in (cuarray, np))
        assert ours == theirs, call
    assert matched(cuarray.ones(3, device="cpu")[0]) == matched(np.ones(3)[0]) == "number"
