"""Array creation: NumPy's values, types, layouts and errors."""

import itertools
import random
import warnings

import numpy as np
import pytest
from same import agree

import cuarray
from cuarray import _core

SCALAR_TYPES = [_core.dtype(name) for name in _core.dtype_names() if name != "bfloat16"]


@pytest.mark.parametrize(
    "expression",
    [
        "xp.arange(5)", "xp.arange(5.0)", "xp.arange(2, 7)", "xp.arange(2, 7, 2)", "xp.arange(7, 2, -2)", "xp.arange(0)",
        "xp.arange(5, 2)", "xp.arange(0, 1, 0.1)", "xp.arange(0.5, 3)", "xp.arange(3, dtype='f4')", "xp.arange(3, dtype='u1')",
        "xp.arange(250, 260, dtype='u1')", "xp.arange(5, 0, -1, dtype='u1')", "xp.arange(0, 2, 0.5, dtype=int)",
        "xp.arange(2, dtype=bool)", "xp.arange(3, dtype=bool)", "xp.arange(stop=3)", "xp.arange(start=1, stop=3, step=1)",
        "xp.arange(1, 3, dtype='c8')", "xp.arange(np.float32(3))", "xp.arange(np.int8(3))", "xp.arange(True)",
        "xp.arange(np.float16(0), np.int8(3))", "xp.arange(0, 5, 0)", "xp.arange(0.0, 5.0, 0.0)", "xp.arange(0, np.nan)",
        "xp.arange(10**19)", "xp.arange()", "xp.arange([None, []])", "xp.arange(0, [None, []])", "xp.arange(([], None))", "xp.arange((1, 2))", "xp.arange(300, 305, dtype='u1')", "xp.arange(2**62, 2**62 + 3)",
        "xp.arange(0, 1, np.inf)", "xp.arange(0, -1, -np.inf, 'f4')", "xp.arange(0, 1, -np.inf)", "xp.arange(5, 5, np.inf)", "xp.arange(0, 5e-324, 2)", "xp.arange(3, 1, xp.asarray(-np.inf))", "xp.arange(1, np.inf, np.inf)",
        "xp.arange(-3, 3, 1.5)", "xp.arange(3, dtype='f2')", "xp.arange(xp.asarray(4))", "xp.arange(1, 2, 0.3, 'f4')",
    ],
)  # fmt: skip
def test_arange(expression, device):
    agree(expression)


@pytest.mark.parametrize(
    "expression",
    [
        "xp.linspace(0, 1)", "xp.linspace(0, 10, 11)", "xp.linspace(0, 1, 5, endpoint=False)", "xp.linspace(0, 1, 1)",
        "xp.linspace(0, 1, 0)", "xp.linspace(0, 1, -1)", "xp.linspace(5, 5, 3)", "xp.linspace(0, 1, 3, dtype=int)",
        "xp.linspace(0, 10, 4, dtype='f4')", "xp.linspace(-2.5, 3, 4, dtype=int)", "xp.linspace(-3, 3, 7, dtype='i1')", "xp.linspace(0, 1, 5, retstep=True)",
        "xp.linspace(0, 1, 1, retstep=True, endpoint=False)", "xp.linspace(0, 1j, 3)", "xp.linspace(np.float32(0), 1, 3)",
        "xp.linspace(0, 5e-324, 4)", "xp.linspace(xp.asarray([0.0, 1.0]), 10, 5)", "xp.linspace(xp.asarray([0.0, 1.0]), 10, 5, axis=1)",
        "xp.linspace(xp.asarray([0.0, 1.0]), xp.asarray([[2.0], [3.0]]), 3, axis=-1)", "xp.linspace(0, 1, 3, axis=1)",
        "xp.linspace(xp.asarray([1, 2]), xp.asarray([1, 5]), 4)", "xp.linspace(0, 1, 2.5)", "xp.linspace(xp.asarray([0, 1], 'f4'), 2, 5, retstep=True)",
    ],
)  # fmt: skip
def test_linspace(expression, device):
    agree(expression)


@pytest.mark.parametrize("num", [11, 4000])
def test_the_end_of_linspace_is_the_number_given(num, device):
    """Multiples of the step miss it by a rounding."""
    ends = [k / 7 for k in range(1, 40)]
    assert [float(cuarray.linspace(0.1, end, num)[-1]) for end in ends] == ends
    assert cuarray.linspace(0.1, cuarray.asarray(ends), num)[-1].tolist() == ends


@pytest.mark.parametrize(
    "expression",
    [
        "xp.logspace(0, 3, 4)", "xp.logspace(0, 1, 5, base=2)", "xp.logspace(0, 3, 4, endpoint=False)",
        "xp.logspace(0, 3, 4, dtype=int)", "xp.logspace(xp.asarray([0.0, 1.0]), 2, 3, axis=1)",
        "xp.logspace(0, 2, 3, base=xp.asarray([2.0, 3.0]))",
        "xp.geomspace(1, 1000, 4)", "xp.geomspace(1, 256, 9)", "xp.geomspace(1000, 1, 4)", "xp.geomspace(-1, -8, 4)",
        "xp.geomspace(1, 8, 3, endpoint=False)", "xp.geomspace(np.float32(2), 2.5, 3)", "xp.geomspace(xp.asarray([2, 3], dtype='f4'), 4, 3)", "xp.arange(-3, 7, -3, dtype='u1')", "xp.geomspace(0, 1, 3)", "xp.geomspace(1, 8, 0)", "xp.geomspace(1j, 1000j, 4)",
        "xp.geomspace(1, 2, 3, dtype='f4')", "xp.geomspace(xp.asarray([1.0, 2.0]), 8, 3, axis=1)", "xp.geomspace(1, 8, -1)",
    ],
)  # fmt: skip
def test_logarithmic_scales(expression, device):
    agree(expression, rtol=2e-6 if "f4" in expression else 1e-14)


@pytest.mark.parametrize(
    "expression",
    [
        "xp.zeros(3)", "xp.zeros((2, 0), dtype='i4')", "xp.zeros(())", "xp.ones((2, 3), 'c8')", "xp.ones([2, 2], dtype=bool)",
        "xp.full(3, 7)", "xp.full((2,), 2.5)", "xp.full((2, 2), [1, 2])", "xp.full(2, 300, dtype='u1')", "xp.full(2, 1.7, dtype=int)",
        "xp.full(2, np.float32(3))", "xp.full(2, True)", "xp.full(2, 1j)", "xp.full(2, 1j, dtype=bool)", "xp.full(2, 0j, dtype=bool)", "xp.full((2, 2), xp.asarray([[1.5], [2.5]]))",
        "xp.full(3, xp.asarray([1, 2]))", "xp.zeros(-1)", "xp.zeros((2, -3))", "xp.zeros('x')", "xp.zeros(2.5)",
        "xp.zeros_like(xp.ones((2, 3), 'f4'))", "xp.ones_like([1.5, 2.5])", "xp.full_like(xp.ones(2, int), 2.9)",
        "xp.full_like(xp.ones(2, 'u1'), 256)", "xp.full_like([1, 2], [3, 4], dtype='f2')", "xp.zeros_like(xp.ones(2), shape=(3, 1))",
        "xp.empty_like(xp.ones((2, 3)), dtype='i2').shape", "xp.empty((2, 3), 'f4').dtype", "xp.empty(3).shape",
        "xp.identity(3)", "xp.identity(2, 'i4')", "xp.eye(3)", "xp.eye(2, 3)", "xp.eye(3, 2, 1)", "xp.eye(3, k=-1)", "xp.eye(3, k=5)",
        "xp.eye(3, k=-5)", "xp.eye(0)", "xp.eye(2, dtype=bool)", "xp.eye(-1)",
        "xp.tri(3)", "xp.tri(2, 4, 1)", "xp.tri(3, k=-1, dtype=int)", "xp.tri(3, 3, -9)", "xp.tri(3, 3, 9)",
        "xp.diag([1, 2, 3])", "xp.diag([1, 2], 1)", "xp.diag([1, 2], -2)", "xp.diag(xp.arange(12).reshape(3, 4))",
        "xp.diag(xp.arange(12).reshape(3, 4), 2)", "xp.diag(xp.arange(12).reshape(3, 4), -1)", "xp.diag(xp.arange(12).reshape(3, 4), 9)",
        "xp.diag(xp.arange(12).reshape(3, 4).T[::-1], 1)", "xp.diag(xp.ones((2, 2, 2)))", "xp.diag(3)", "xp.diagflat([[1, 2], [3, 4]])",
        "xp.diagflat(5, 1)", "xp.diag(xp.arange(6)[::2])", "xp.diag(xp.arange(6.)[::-1], -2)", "xp.diag(xp.arange(0), 2)", "xp.diag(v=[1, 2], k=1)",
        "xp.diag([1, 2], 1.5)", "xp.diagflat(xp.arange(6).reshape(2, 3).T, k=-1)", "xp.diag([True, False])", "xp.diag(xp.arange(1500.))", "xp.diag([1j, 2])",
    ],
)  # fmt: skip
def test_filled(expression, device):
    agree(expression)


@pytest.mark.parametrize("k", range(-5, 6))
@pytest.mark.parametrize("shape", [(3, 4), (4, 3), (2, 3, 3), (1, 1), (0, 3), (3,)])
@pytest.mark.parametrize("function", ["tril", "triu"])
def test_triangles(function, shape, k, device):
    names = {"m": lambda xp: xp.arange(1, 1 + np.prod(shape)).reshape(shape)}
    agree(f"xp.{function}(m, {k})", names)
    agree(f"xp.{function}(m.T, {k})", names)


@pytest.mark.parametrize(
    "expression",
    [
        "xp.meshgrid([1, 2, 3], [4, 5])", "xp.meshgrid([1, 2, 3], [4, 5], indexing='ij')", "xp.meshgrid([1, 2])", "xp.meshgrid()",
        "xp.meshgrid([1, 2], [3.5], [4, 5, 6])", "xp.meshgrid([1, 2], [3, 4], sparse=True)", "xp.meshgrid([1], [2], copy=False)",
        "xp.meshgrid([1], [2], indexing='zz')", "xp.meshgrid(3, [1, 2])", "xp.meshgrid([], [1, 2])",
        "xp.fromfunction(lambda i, j: i + 10 * j, (2, 3))", "xp.fromfunction(lambda i: i * 2, (4,), dtype=int)",
        "xp.fromfunction(lambda i: i * 2, (4,), dtype=None)", "xp.indices((2, 3), dtype=None)",
        "xp.fromfunction(lambda i, j, k: i + k, (2, 2), k=5)",
        "xp.frombuffer(b'abcd', dtype='u1')", "xp.frombuffer(b'abcdefgh', 'i2', 2, 2)", "xp.frombuffer(b'abc', 'i2')",
        "xp.frombuffer(b'abcdefgh')", "xp.frombuffer(b'ab', 'u1', 5)", "xp.fromiter(range(4), 'f4')",
        "xp.fromiter((x * x for x in range(9)), int, 4)", "xp.fromiter(range(2), int, 4)",
    ],
)  # fmt: skip
def test_grids_and_sources(expression, device):
    agree(expression)


@pytest.mark.parametrize(
    "expression",
    [
        "xp.array(3)", "xp.array([1, 2])", "xp.array([1, 2.5])", "xp.array([[1, 2], [3, 4]], 'f4')", "xp.array([])", "xp.array([[]])",
        "xp.array([True, 2])", "xp.array([1, 2j])", "xp.array((1, [2][0]))", "xp.array([2**63])", "xp.array([-1, 2**63])",
        "xp.array([[1], [2, 3]])", "xp.array(['a'])", "xp.array([None])", "xp.array([1, 2], ndmin=3)", "xp.array(range(3))",
        "xp.array([np.float32(1), 2])", "xp.array([np.arange(3), np.arange(3)])", "xp.array(b'ab')", "xp.array({1: 2})",
        "xp.array([300], 'u1')", "xp.array([1.7], 'i4')", "xp.array(memoryview(b'abc'))", "xp.array(bytearray(b'abc'))",
        "xp.asarray(np.arange(6).reshape(2, 3).T)", "xp.asarray(np.float16(2))", "xp.asarray(5, 'u1')", "xp.asarray([1, 2], dtype=bool)",
        "xp.asarray([xp.asarray(1), xp.asarray(2)])", "xp.asarray([[xp.asarray(1.5), 2], [3, 4]])", "xp.asarray([xp.ones(2), xp.zeros(2)])",
        "xp.asarray(np.arange(4)[::-1])", "xp.asarray(np.datetime64('2020-01-01'))", "xp.ascontiguousarray(3)",
        "xp.ascontiguousarray(xp.ones((2, 3)).T).flags.c_contiguous", "xp.asfortranarray(xp.ones((2, 3))).flags.f_contiguous",
        "xp.copy([1, 2])", "xp.asanyarray([1])",
    ],
)  # fmt: skip
def test_from_objects(expression, device):
    agree(expression)


@pytest.mark.parametrize("type", SCALAR_TYPES, ids=str)
def test_numpy_arrays_of_every_type_go_there_and_back(type, device):
    host = np.array([0, 1, 1]).astype(type)
    for view in (host, host[::-1], host[:0], host[1], host.reshape(3, 1)):
        there = cuarray.asarray(view)
        assert there.dtype == type and there.shape == view.shape
        back = there.numpy()
        np.testing.assert_array_equal(back, view, strict=True)
        assert back.flags.writeable and not np.shares_memory(back, host)


def test_unaligned_input(device):
    raw = np.frombuffer(bytes(range(41)), np.uint8)
    unaligned = raw[1:].view(np.float64)
    np.testing.assert_array_equal(cuarray.asarray(unaligned).numpy(), unaligned)
    np.testing.assert_array_equal((cuarray.asarray(unaligned) + 0).numpy(), unaligned)


def test_asarray_on_cpu_shares_memory():
    host = np.arange(6.0).reshape(2, 3)
    with cuarray.device("cpu"):
        x = cuarray.asarray(host)
        x[0, 0] = 7
        assert host[0, 0] == 7
        host[1, 2] = 9
        assert x[1, 2] == 9
        assert cuarray.asarray(host.T).strides == host.T.strides
        y = cuarray.array(host)
        y[0, 0] = 1
        assert host[0, 0] == 7
        host.flags.writeable = False
        with pytest.raises(ValueError, match="read-only"):
            cuarray.asarray(host)[0, 0] = 1


def test_copy_keyword(device):
    x = cuarray.arange(3)
    assert [x.astype(int, copy=wish) is x for wish in (True, False, None)] == [False, True, True]
    assert cuarray.asarray(x) is x
    assert cuarray.shares_memory(cuarray.asarray(x, copy=False), x)
    assert not cuarray.shares_memory(cuarray.asarray(x, copy=True), x)
    assert not cuarray.shares_memory(cuarray.array(x), x)
    with pytest.raises(ValueError, match="copy"):
        cuarray.asarray(x, dtype=float, copy=False)
    with pytest.raises(ValueError, match="copy"):
        cuarray.asarray([1, 2], copy=False)


@pytest.mark.parametrize(("order", "source"), list(itertools.product("CFAK", ["c", "f", "strided"])))
def test_order_keyword(order, source, device):
    def make(xp):
        x = xp.arange(24.0).reshape(2, 3, 4)
        return {"c": x, "f": xp.asfortranarray(x), "strided": x.transpose(1, 0, 2)}[source]

    names = {"x": make}
    agree(f"xp.array(x, order={order!r}).strides", names)
    agree(f"xp.array(x, order={order!r})", names)
    agree(f"xp.empty_like(x, order={order!r}).strides", names)
    agree(f"x.copy(order={order!r}).strides", names)
    agree(f"x.astype('f4', order={order!r}).strides", names)
    agree(f"x.ravel(order={order!r})", names)
    agree(f"x.flatten(order={order!r})", names)
    if order in "CF":
        agree(f"xp.zeros((2, 3, 4), order={order!r}).strides", names)
        agree(f"xp.full((2, 3, 4), 5, order={order!r}).strides", names)
        agree(f"xp.eye(3, 4, order={order!r}).strides", names)


def test_device_and_like(device):
    x = cuarray.zeros(3, device=device)
    assert x.device == device and str(x.device) == device
    for make in (cuarray.zeros, cuarray.ones, cuarray.empty, cuarray.arange, cuarray.eye, cuarray.identity):
        assert make(2, like=x).device == x.device
        assert make(2, device=device).device == x.device
    assert cuarray.asarray([1], like=x).device == x.device
    assert cuarray.linspace(0, 1, 3, device=device).device == x.device
    for make in (lambda **where: cuarray.linspace(x[0], 1, 3, **where), lambda **where: cuarray.full(2, x[0], **where)):
        assert make(device=device).device == x.device
        with pytest.raises(TypeError, match="device must be"):
            make(device=[])
    assert cuarray.zeros_like(x, device="cpu").device == "cpu"
    with pytest.raises(TypeError, match="like"):
        cuarray.zeros(3, like=[1])
    with pytest.raises(ValueError, match="tpu"):
        cuarray.zeros(3, device="tpu")


def test_sizes_that_do_not_fit(device):
    with pytest.raises(ValueError, match="4611686018427387904"):
        cuarray.empty((2**62, 2), "f8")
    with pytest.raises(ValueError):
        cuarray.zeros((2**40, 2**40))
    with pytest.raises(MemoryError, match=str(2**50)):
        cuarray.empty(2**50, "u1")
    with pytest.raises(ValueError):
        cuarray.zeros((2**62, 0, 2))  # as NumPy: the extent of length 0 does not count
    assert cuarray.zeros((2**40, 0, 2)).size == 0


def test_64_axes(device):
    x = cuarray.zeros((1,) * 64)
    assert x.ndim == 64 and (x + 1).shape == x.shape
    with pytest.raises(ValueError):
        cuarray.zeros((1,) * 65)


@pytest.mark.parametrize("of", [np.array, cuarray.array])
def test_shapes_may_be_arrays(of):
    shape = of([2, 3])
    assert cuarray.zeros(shape).shape == (2, 3) and cuarray.ones(shape + 1).reshape(of([4, 3])).shape == (4, 3)
    assert cuarray.zeros(of(4)).shape == (4,) and cuarray.arange(6).reshape(shape).shape == (2, 3)
    assert cuarray.broadcast_to(1, shape).shape == (2, 3)
    with pytest.raises(TypeError, match="integer"):
        cuarray.zeros(of([2.0, 3.0]))


@pytest.mark.parametrize("call", ["full_like(x, 1+2j)", "full_like(x, np.complex128(1+2j))", "full(3, 1+2j, dtype=int)", "full(3, 1+2j, dtype=bool)",
                                  "full(3, 1+2j)", "full_like(xp.ones(2, dtype='c8'), 1+2j)", "zeros_like(1.5)", "ones_like(2)", "full_like(3, 4.5)",
                                  "full_like(x, xp.asarray([1, 2]))"])  # fmt: skip
def test_complex_numbers_and_numbers_alone(call, device):
    agree(f"xp.{call}", {"x": lambda xp: xp.arange(2)})


def test_python_floats_are_cast_where_numpy_casts_them(device):
    """Out of range as everywhere: clamped, and 0 for NaN."""
    for number, want in ((float("nan"), 0), (float("inf"), 127), (-1e300, -128), (3.7, 3)):
        x = cuarray.zeros(2, "i1", device=device)
        cuarray.copyto(x, number, casting="unsafe")
        made = [x, cuarray.full(2, number, "i1"), cuarray.full_like(x, number), cuarray.zeros(2, "i1", device=device)]
        cuarray.copyto(made[-1], number, casting="unsafe", where=True if want == 3 else [True, True])
        assert [y.tolist() for y in made] == [[want] * 2] * 4
    x = cuarray.zeros(2, "u1", device=device)
    cuarray.copyto(x[:1], 5 + 0j, casting="unsafe")
    assert x.tolist() == [5, 0]


# Each drops imaginary parts at the caller's word.
LOSSES = """
full(2, 1j, dtype=float)
full_like(ones(2), 1j)
array(c, dtype=float)
asarray(c[0], dtype="i4")
array([c, c], dtype=float)
array([c[0], 1], dtype="f4")
array([[1, c[1]]], dtype=int)
array([np.complex128(1j)], dtype="f2")
c.astype("f4")
zeros(2).fill(c[0])
zeros(2).__setitem__(0, c[0])
zeros(2).__setitem__([0, 1], c)
zeros(2).__setitem__(slice(None), [c[0], 1])
copyto(zeros(2), c, casting="unsafe")
concatenate([c, c], dtype=float, casting="unsafe")
concatenate([c, c], out=zeros(4), casting="unsafe")
stack([c, c], dtype=float, casting="unsafe")
add(c, 1, dtype=float, casting="unsafe")
add(c, 1, out=zeros(2), casting="unsafe")
negative(c, out=zeros(2), casting="unsafe")
clip(c, 0, 1, out=zeros(2), casting="unsafe")
sum(c, dtype=float)
prod(c, dtype=float)
mean(c, dtype=float)
var(c, dtype=float)
std(c, dtype=float)
trace(array([c, c]), dtype=float)
cumsum(c, dtype=float)
cumprod(c, dtype=float)
add.reduce(c, dtype=float)
subtract.reduce(c, dtype=float)
cumsum(c, out=zeros(2))
cumprod(c, out=zeros(2))
nancumsum(c, out=zeros(2))
cumulative_sum(c, dtype=float, include_initial=True)
add.accumulate(c, out=zeros(2))
add.reduceat(c, [0, 1], out=zeros(2))
add(ones(2), 1j, dtype=float, casting="unsafe")
add(1.0, 1j, dtype=float, casting="unsafe")
pad(zeros(2), 1, constant_values=1j)
gradient(array([1.0, 2.0, 4.0]), 1 + 1j)
add.at(frombuffer(bytearray(25), "f8", 3, 1), [0, 0], 1j)
add.accumulate(c, dtype=float)
add.reduceat(c, [0, 1], dtype=float)
add.at(zeros(2), [0, 1], c)
einsum("i->", c, dtype=float, casting="unsafe")
matmul(c, c, dtype=float, casting="unsafe")
matmul(c, c, out=zeros(()), casting="unsafe")
linspace(c[0], c[1], 3, dtype=float)
geomspace(c[0], c[1], 3, dtype=float)
logspace(c[0], c[1], 3, dtype=float)
choose([0, 1], [c, c], out=zeros(2))
take(c, [0, 1], out=zeros(2), mode="clip")
put(zeros(2), [0, 1], c)
"""


@pytest.mark.parametrize("call", LOSSES.strip().splitlines())
def test_lost_imaginary_parts_are_told(call, device):
    """As a warning, or as the error that a filter makes of it; and truth values lose nothing."""
    counts = []
    for module in (np, cuarray) if device == "cpu" else (cuarray,):
        names = {**vars(module), "np": np, "c": module.asarray([3 + 2j, 1 + 1j])}
        with pytest.warns(np.exceptions.ComplexWarning, match="discards the imaginary part") as told:
            eval(call, names)
        counts.append(len(told))
    assert counts[-1] <= counts[0], "no more often than NumPy"
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(np.exceptions.ComplexWarning):
            eval(call, names)
        assert cuarray.array(names["c"], dtype=bool).all() and cuarray.sum(names["c"]) == 4 + 3j


def test_refusals_come_before_warnings(device):
    """What is refused drops nothing."""
    x, z = cuarray.zeros(3), cuarray.asarray([1j, 2, 3])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(TypeError):
            cuarray.put(x, [0], 1j)
        for function in (cuarray.place, cuarray.putmask):
            with pytest.raises(TypeError):
                function(x, x == 0, z)
    assert x.tolist() == [0, 0, 0]


NUMBERS = [
    True,
    False,
    0,
    1,
    -1,
    2,
    127,
    128,
    255,
    256,
    -128,
    -129,
    65535,
    65536,
    2**31,
    2**53 + 1,
    2**63,
    2**64 - 1,
    -(2**63),
]
NUMBERS += [
    0.0,
    -0.0,
    1.5,
    -1.5,
    0.1,
    1e10,
    65504.0,
    65519.9,
    65520.0,
    3.4028235e38,
    3.5e38,
    float("inf"),
    float("nan"),
]
NUMBERS += [2.9e-8, 1e-40, 1j, -0.0 + 1j, complex(1e300, 1)]
TYPES = [None, *"?bBhHiIqQefdFD"]


def test_lists_of_numbers_are_read_as_numpy_reads_them(device):
    """Any mixture of Python's numbers and elements, in any type: the same bits, or an exception of the same kind."""

    def made(module, dtype, entries):
        numbers = [x if t is None else module.asarray([x]).astype(t)[0] for x, t in entries]
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("error")
                return module.array([numbers, numbers], dtype=dtype)
        except Exception as error:
            return type(error)

    twice = 2**59 + 2**35 + 1  # rounded to float64, and then to float32
    want = np.array([twice], "f4").tolist()
    assert cuarray.array([twice], "f4").tolist() == want != np.asarray([twice]).astype("f4").tolist()
    choice = random.Random(20).choice
    for _ in range(3000):
        part = choice([NUMBERS, NUMBERS[:19], NUMBERS[5:32]])
        entries = [
            (choice(part), None) if choice("aab") == "a" else (choice((0, 1, 3)), choice(TYPES[1:])) for _ in "123"
        ]
        dtype = choice(TYPES)
        ours, numpys = made(cuarray, dtype, entries), made(np, dtype, entries)
        if isinstance(numpys, type):
            assert ours is numpys, (dtype, entries)
        elif numpys.dtype == object:
            assert ours is TypeError, (dtype, entries)
        else:
            assert ours.dtype == numpys.dtype and ours.shape == numpys.shape, (dtype, entries)
            np.testing.assert_array_equal(ours.numpy(), numpys, strict=True)
            assert ours.numpy()[numpys == 0].tobytes() == numpys[numpys == 0].tobytes()  # with the signs of zeros


@pytest.mark.parametrize("first", [1, None, []])
def test_lists_that_hold_themselves(first, device):
    """Each of them holds itself twice: there are 2**64 ways down to the depth of an array."""
    endless = [] if first is None else [first]
    endless += [endless, endless]
    for read in (
        cuarray.array,
        cuarray.asarray,
        cuarray.sum,
        lambda x: cuarray.ones(2) + x,
        lambda x: cuarray.stack([x, x]),
    ):
        with pytest.raises(ValueError, match="nested more than 64 deep"):
            read(endless)


def plain(value):
    """The numbers of nested lists that hold elements."""
    if isinstance(value, list | tuple):
        return [plain(entry) for entry in value]
    return value.item() if isinstance(value, cuarray.ndarray) else value


def test_lists_that_hold_elements(device):
    """Lists of numbers have one short way, whichever function takes them."""
    values = [3, 0.5, 2, -1]
    x = cuarray.asarray(values)
    for numbers in (values, list(x), [x[0], 0.5, 2, x[3]], [[x[0], 1], (2, x[1])], [x[0] > 1, True], [], [2**60, 1]):
        host = np.array(plain(numbers))
        for function in ("sum", "cumsum", "negative", "sqrt", "sort") if host.dtype.kind != "b" else ("sum", "any"):
            if function == "sqrt":
                host = abs(host)
                numbers = abs(cuarray.asarray(numbers)).tolist()
            got, want = getattr(cuarray, function)(numbers), getattr(np, function)(host)
            assert got.dtype == want.dtype
            np.testing.assert_array_equal(got.numpy(), want)
        for dtype in ("f8", "i8", "f4", "i2", "?", "c16"):
            if host.size and abs(host).max() > 2**15:
                continue
            got = cuarray.array(numbers, dtype=dtype, ndmin=3)
            assert got.dtype == dtype and got.ndim == 3 and got.device == x.device
            np.testing.assert_array_equal(got.numpy(), np.array(host, dtype, ndmin=3))
    with pytest.raises(OverflowError):
        cuarray.array([x[0] > 1, 300], dtype="u1")
    with pytest.raises(ValueError):
        cuarray.array([1, 2], copy=False)


def test_memory_that_may_be_written_stays_on_cpu(device, tmp_path):
    """Writes to a copy on another device would reach nobody."""
    path = tmp_path / "x.npy"
    cuarray.save(path, cuarray.arange(4.0))
    mapped = cuarray.load(path, mmap_mode="r+")
    memory = bytearray(16)
    for x in (mapped, cuarray.frombuffer(memory), cuarray.ndarray((2,), buffer=memory)):
        assert x.device.kind == "cpu"
        x[1] = 7
    assert np.load(path).tolist() == [0, 7, 2, 3] and np.frombuffer(memory)[1] == 7
    for x in (
        cuarray.load(path, mmap_mode="r"),
        cuarray.frombuffer(bytes(16)),
        cuarray.frombuffer(memory, device=device),
        cuarray.load(path),
    ):
        assert x.device == device


@pytest.mark.parametrize("size", [1 << 20, (1 << 22) + 3, 1 << 26])
def test_zeros_in_memory_that_was_used(size, device):
    """A block of the pool is cleared, or its pages are exchanged."""
    for _ in range(2):
        used = cuarray.full(size, 255, "u1", device=device)
        assert used[0] == used[-1] == 255
        del used
        zeros = cuarray.zeros(size, "u1", device=device)
        assert not zeros.any()
        zeros += 1
        assert zeros.all()
        del zeros


@pytest.mark.parametrize("value", [0, 1, -1, 257, 0x0101010101010101])
def test_fills_of_all_types(value, device):
    for type in SCALAR_TYPES:
        with np.errstate(all="ignore"):
            number = np.array(value).astype(type.name).item()
        for size in (3, 1000, 70000):
            x = cuarray.full(size, number, type, device=device)
            assert (x == x[0]).all() and x[0] == number
            x[1:-1] = 0
            assert x[0] == number == x[-1] and not x[1:-1].any()


@pytest.mark.parametrize("size", [8191, 8192, 8193, 40_000, 2**20 - 1, 2**20, 3 * 2**20])
def test_zeros_are_cleared_where_memory_was_in_use(size, device):
    for dtype, order in (("u1", "C"), ("c16", "F")):
        count = size // np.dtype(dtype).itemsize
        for shape in ((count,), (2, count // 2)):
            cuarray.full(shape, 255, dtype=dtype, device=device)  # given back at once
            x = cuarray.zeros(shape, dtype=dtype, order=order, device=device)
            assert not x.numpy().any()
