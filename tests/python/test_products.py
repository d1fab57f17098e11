"""Products of vectors and matrices: NumPy's values, types, shapes and errors; accurate; deterministic where asked."""

import itertools
import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from functools import reduce

import numpy as np
import peers
import pytest
from layouts import LAYOUTS
from oracle import bits
from same import agree

import cuarray
from cuarray import _core

NAMES = {
    "a": lambda xp: xp.arange(6).reshape(2, 3) - 2,
    "b": lambda xp: xp.arange(12).reshape(3, 4) - 5,
    "f": lambda xp: xp.asarray([[1.5, -2.0, 0.25], [4.0, 0.0, -8.5]]),
    "c": lambda xp: xp.asarray([[1 + 2j, 4 - 3j, 1j], [0.5, 2 - 1j, 3]]),
    "x": lambda xp: xp.arange(24).reshape(2, 3, 4) - 7,
    "y": lambda xp: xp.arange(40).reshape(2, 4, 5),
    "v": lambda xp: xp.asarray([1, -2, 3]),
    "w": lambda xp: xp.asarray([2j, 1, -1j]),
    "q": lambda xp: xp.asarray([[True, False, True], [False, False, True]]),
    "e": lambda xp: xp.zeros((0, 3)),
    "s": lambda xp: xp.asarray(3),
    "r": lambda xp: xp.asarray([[1, 2], [3, 4]]),
}

EXPRESSIONS = """
xp.matmul(a, b)
xp.matmul(a, v)
xp.matmul(v, b)
xp.matmul(v, v)
xp.matmul(v, w)
xp.matmul(x, y)
xp.matmul(x[:, None], y)
xp.matmul(x[0], y)
xp.matmul(x, y[0, :, 0])
xp.matmul(c, v)
xp.matmul(f, c.T)
xp.matmul(q, q.T)
xp.matmul(q, v)
xp.matmul(e, b)
xp.matmul(e.T, e)
xp.matmul(xp.zeros((2, 0)), xp.zeros((0, 3)))
xp.matmul(xp.zeros((0, 2, 3)), b)
xp.matmul(a.astype('i1'), b.astype('u1'))
xp.matmul(a.astype('u8'), b)
xp.matmul([[1, 2]], [[3], [4]])
xp.matmul(a, a)
xp.matmul(v, a)
xp.matmul(a, 2)
xp.matmul(s, a)
xp.matmul(x, xp.zeros((3, 4, 5)))
xp.matmul(a, b, dtype='f4')
xp.matmul(f, b, dtype='i4')
xp.matmul(f, b, dtype='i4', casting='unsafe')
xp.matmul(f, b, casting='no')
xp.matmul(a, b, out=xp.zeros((2, 4)))
xp.matmul(a, b, out=xp.zeros((2, 4), dtype='i4'))
xp.matmul(f, b, out=xp.zeros((2, 4), dtype='i4'))
xp.matmul(a, b, out=xp.zeros((3, 4)))
xp.matmul(a, b, xp.zeros((2, 4)))
xp.matmul(r, r, out=r)
xp.matmul(x, y, axes=[(1, 2), (1, 2), (0, 1)])
xp.matmul(x, y, axes=[(0, 1), (1, 0), (-1, -2)])
xp.matmul(x, y, axes=[(1, 2), (1, 2)])
xp.matmul(x, y, axes=[(1, 2), (1, 2), (0, 5)])
xp.matmul(x, y, axes=[(1, 1), (1, 2), (0, 1)])
xp.matmul(x, y, axes=[1, (1, 2), (0, 1)])
xp.matmul(a, b, order='F').flags.f_contiguous
a @ b
x @ y
v @ v
v @ b
a @ v
c @ w
[[1, 2]] @ r
r @ [1, 2]
r @ 2
2 @ r
a @ a
r.__matmul__(r)
r.__imatmul__(r)
r.__imatmul__(r * 1.5)
r.__imatmul__(xp.asarray([1, 2]))
v.__imatmul__(xp.asarray([[1, 2, 3], [4, 5, 6], [7, 8, 9]]))
r @ 'text'
xp.vecdot(a, v)
xp.vecdot(c, w)
xp.vecdot(w, c)
xp.vecdot(c[:, None], c)
xp.vecdot(w, c, axis=1)
xp.vecdot(x, y[0].T[:4].T[:3])
xp.vecdot(x, x, axis=0)
xp.vecdot(x, x, axis=-2)
xp.vecdot(x, x, axis=3)
xp.vecdot(x, x, axes=[0, 0])
xp.vecdot(x, x, axes=[0, 1, 0])
xp.vecdot(x, x, axes=[(1,), (1,), ()])
xp.vecdot(x, x, keepdims=True)
xp.vecdot(x, x, axis=0, keepdims=True)
xp.vecdot(a, [1, 2])
xp.vecdot(a, 3)
xp.vecdot(q, q)
xp.vecdot(e, e)
xp.vecdot(xp.zeros((3, 0)), xp.zeros((3, 0)))
xp.vecdot(a, v, out=xp.zeros(2))
xp.vecdot(a, v, dtype='c16')
xp.matvec(a, v)
xp.matvec(x, [1, 2, 3, 4])
xp.matvec(c, w)
xp.matvec(a, [1, 2])
xp.matvec(v, v)
xp.matvec(a, a)
xp.matvec(x, xp.ones((2, 4)))
xp.vecmat(v, b)
xp.vecmat(w, b)
xp.vecmat([1, 2], c)
xp.vecmat(v, v)
xp.vecmat([1, 2], b)
xp.tensordot(a, b, 1)
xp.tensordot(x, x, 3)
xp.tensordot(x, x, 0).shape
xp.tensordot(x, y, ([0, 2], [0, 1]))
xp.tensordot(x, y, (0, 0))
xp.tensordot(x, y, ([2, 0], [1, 0]))
xp.tensordot(x, y, (-1, -2))
xp.tensordot(x, y)
xp.tensordot(x, y, 5)
xp.tensordot(x, y, ([0], [0, 1]))
xp.tensordot(e, e, 2)
xp.tensordot(e, e, ([0], [0]))
xp.tensordot(s, s, 0)
xp.tensordot(f, c, ([1], [1]))
xp.dot(a, b)
xp.dot(v, v)
xp.dot(w, w)
xp.dot(x, y[0])
xp.dot(x, y).shape
xp.dot(2, a)
xp.dot(a, s)
xp.dot(s, s)
xp.dot(a, a)
xp.dot(x, v)
xp.dot(a, b, xp.zeros((2, 4), dtype=int))
a.dot(b)
a.dot(v)
v.dot(2)
xp.inner(a, a)
xp.inner(v, w)
xp.inner(x, x[0])
xp.inner(a, 3)
xp.inner(a, b)
xp.outer(v, w)
xp.outer(a, v)
xp.outer(2, v)
xp.outer(v, v, out=xp.zeros((3, 3)))
xp.vdot(c, c)
xp.vdot(w, v)
xp.vdot(a, a.T)
xp.vdot(a, v)
xp.vdot(s, s)
xp.matrix_transpose(x)
xp.matrix_transpose(v)
xp.einsum('ij,jk->ik', a, b)
xp.einsum('ij,jk', a, b)
xp.einsum('ij->ji', a)
xp.einsum('ij', a)
xp.einsum('ii->i', r)
xp.einsum('ii', r)
xp.einsum('ij->j', f)
xp.einsum('ij->', f)
xp.einsum('i,i', v, w)
xp.einsum('i,j->ij', v, w)
xp.einsum('i,j->ji', v, w)
xp.einsum('bij,bjk->bik', x, y)
xp.einsum('bij,bjk->ikb', x, y)
xp.einsum('bij,bjk->k', x, y)
xp.einsum('...ij,...jk->...ik', x, y)
xp.einsum('...ij,jk->...ik', x, y[0])
xp.einsum('...j,j', x, [1, 2, 3, 4])
xp.einsum('i...->...', x)
xp.einsum('ij,ij->ij', a, f)
xp.einsum('ij,j,kj->ik', a, v, f)
xp.einsum('ij,k,jl->kl', a, v, b)
xp.einsum('ba', a)
xp.einsum('kj,ji', b.T, a.T)
xp.einsum('ij,jk,kl->il', r, r, r)
xp.einsum('ij,jk,kl->', r, r, r)
xp.einsum('iij->j', xp.ones((2, 2, 3)))
xp.einsum('ij,kj->ik', a, xp.ones((4, 1)))
xp.einsum('ij,ij->i', a, xp.ones((2, 1)))
xp.einsum('ij,ij->j', q, q)
xp.einsum('i->', q[0])
xp.einsum(a, [0, 1], b, [1, 2], [0, 2])
xp.einsum(a, [0, 1], b, [1, 2])
xp.einsum(x, [Ellipsis, 0], [1, 2, 3, 4], [0], [Ellipsis])
xp.einsum('ij,jk->ik', a, b, dtype='f8')
xp.einsum('ij,jk->ik', a, b, out=xp.zeros((2, 4)))
xp.einsum('ij,jk->ik', a, a)
xp.einsum('ij->ik', a)
xp.einsum('ij->ii', a)
xp.einsum('ijk->i', a)
xp.einsum('ij,jk->ik', a)
xp.einsum('i1->i', a)
xp.einsum('i->i', a)
xp.einsum('...->', a)
xp.einsum('...ij->ij', x)
xp.einsum('ij,jk->ik', e, b)
np.matmul(a, b)
np.vecdot(c, w)
np.dot(a, b)
np.tensordot(x, y, ([0, 2], [0, 1]))
np.einsum('ij,jk->ik', a, b)
np.inner(a, a)
np.outer(v, w)
np.vdot(c, c)
"""


@pytest.mark.parametrize("expression", EXPRESSIONS.split("\n")[1:-1])
def test_values_types_and_errors(expression, device):
    agree(expression, NAMES, rtol=2e-15)


def exact(x, y):
    """The product, and that of the magnitudes, in long double or in integers that wrap as ours."""
    if x.dtype.kind not in "fcV":
        return x @ y, None
    wide = np.clongdouble if x.dtype.kind == "c" else np.longdouble
    x, y = x.astype(wide), y.astype(wide)
    return np.matmul(x, y), np.matmul(np.abs(x), np.abs(y))


def numbers(type, shape, rng):
    if type.kind == "b":
        return rng.integers(0, 2, shape).astype(bool)
    if type.kind in "iu":
        info = np.iinfo(type)
        return rng.integers(info.min, info.max, shape, type, endpoint=True)
    parts = rng.standard_normal((2, *shape))
    return (parts[0] + 1j * parts[1]).astype(type) if type.kind == "c" else parts[0].astype(type)


#: Rows, depth, columns: around the boundaries of tiles and panels.
SIZES = [(1, 1, 1), (1, 300, 1), (1, 7, 70), (70, 257, 1), (2, 2, 2), (3, 0, 4), (4, 16, 16), (5, 17, 15), (64, 16, 64), (65, 33, 63),
         (63, 256, 17), (7, 257, 9), (129, 20, 257), (20, 1025, 31)]  # fmt: skip


def assert_accurate(got, x, y, note):
    """Whether a product is within the error of adding its terms in any order."""
    want, scale = exact(x, y)
    host, depth = got.numpy(), x.shape[-1]
    assert got.shape == want.shape, note
    if scale is None:
        assert (host == want).all(), note
        return
    eps = float(cuarray.finfo(cuarray.float32 if got.dtype.itemsize == 2 else got.dtype).eps)
    rounding = float(cuarray.finfo(got.dtype).eps) * np.abs(want) / 2
    error = np.abs(host.astype(want.dtype) - want)
    assert (error <= (min(depth, 270) + depth / 256 + 4) * eps * scale + rounding).all(), note


@pytest.fixture(params=["library", "deterministic"])
def order(request):
    """Both ways in which products are computed."""
    if request.param == "deterministic":
        _core.begin_deterministic()  # the context manager refuses generators, which fixtures are
        request.addfinalizer(_core.end_deterministic)
    return request.param


@pytest.mark.parametrize("type", [_core.dtype(t) for t in _core.dtype_names()], ids=str)
def test_sizes_and_types(type, order, device, rng):
    for rows, depth, columns in SIZES if device == "cpu" else SIZES[:10]:
        x, y = numbers(type, (rows, depth), rng), numbers(type, (depth, columns), rng)
        got = cuarray.matmul(cuarray.asarray(x), cuarray.asarray(y))
        assert got.dtype == type
        assert_accurate(got, x, y, (rows, depth, columns))


@pytest.mark.parametrize("type", ["float32", "float64", "complex64", "complex128"])
@pytest.mark.parametrize("stack", [(), (3,)], ids=["matrix", "stack"])
def test_layouts(type, stack, order, device, rng):
    """A library takes rows or columns of contiguous elements; all else is copied."""
    for rows, depth, columns in [(6, 5, 7), (1, 9, 6), (8, 9, 1), (1, 6, 1), (40, 70, 35), (600, 3, 4)]:
        x, y = (
            numbers(np.dtype(type), (*stack, rows, depth), rng),
            numbers(np.dtype(type), (*stack, depth, columns), rng),
        )
        for left, right in itertools.product(LAYOUTS, LAYOUTS):
            note = left.__name__, right.__name__, rows, depth, columns
            assert_accurate(left(x) @ right(y), x, y, note)
            if rows == 1 and not stack:
                assert_accurate(left(x[0]) @ right(y), x[0], y, note)
            if columns == 1 and not stack:
                assert_accurate(left(x) @ right(y[:, 0]), x, y[:, 0], note)


@pytest.mark.parametrize("type", ["float32", "complex128"])
def test_overlapping_factors(type, order, device, rng):
    """Steps of zero, windows and negative steps over one block of memory."""
    line = numbers(np.dtype(type), (40,), rng)
    own = cuarray.asarray(line)
    item = line.itemsize
    views = [
        ((6, 5), (item, item)), ((6, 5), (0, item)), ((6, 5), (item, 0)), ((6, 5), (0, 0)), ((6, 5), (3 * item, item)),
        ((6, 5), (-item, -2 * item)), ((6, 5), (item, 6 * item)), ((6, 5), (item, 2 * item)), ((1, 5), (0, 2 * item)),
    ]  # fmt: skip
    for (shape, strides), (other, steps) in itertools.product(views, views):
        start = 20 if min(strides) < 0 else 0, 20 if min(steps) < 0 else 0
        x = np.lib.stride_tricks.as_strided(line[start[0] :], shape, strides)
        y = np.lib.stride_tricks.as_strided(line[start[1] :], other[::-1], steps)
        left = cuarray.lib.stride_tricks.as_strided(own[start[0] :], shape, strides)
        right = cuarray.lib.stride_tricks.as_strided(own[start[1] :], other[::-1], steps)
        assert_accurate(left @ right, x, y, (strides, steps))


@pytest.mark.parametrize("type", ["float32", "float64", "complex64", "complex128"])
def test_products_with_the_own_transpose_are_symmetric(type, order, device, rng):
    for rows, depth in [(3, 5), (32, 33), (33, 7), (100, 64), (129, 40)]:
        x = numbers(np.dtype(type), (rows, depth), rng)
        for layout in LAYOUTS:
            own = layout(x)
            product = own @ own.T
            # cuBLAS on a GPU does not promise it: one of complex128 was not (H200, cuBLAS 13).
            if order == "deterministic" or device == "cpu" or peers.is_simulated():
                assert (product == product.T).all(), (rows, depth, layout.__name__)
            assert_accurate(product, x, x.T, (rows, depth, layout.__name__))
            other = numbers(np.dtype(type), (rows, depth), rng)
            assert_accurate(own @ layout(other).T, x, other.T, (rows, depth, layout.__name__))


def test_one_matrix_of_a_stack_after_another(order, device, rng):
    """Stacks larger than a thread's share, broadcast along either side."""
    for left, right in [
        ((500, 4, 5), (5, 3)),
        ((4, 5), (500, 5, 3)),
        ((20, 1, 3, 40), (30, 40, 9)),
        ((70, 9, 9), (70, 9, 1)),
    ]:
        x, y = rng.standard_normal(left), rng.standard_normal(right)
        assert_accurate(cuarray.asarray(x) @ cuarray.asarray(y), x, y, (left, right))


@pytest.mark.parametrize("type", ["float32", "int16", "complex128"])
@cuarray.deterministic()
def test_bits_depend_on_no_layout(type, device, rng):
    x, y = numbers(np.dtype(type), (3, 67, 40), rng), numbers(np.dtype(type), (3, 40, 35), rng)
    want = bits(cuarray.matmul(cuarray.asarray(x), cuarray.asarray(y)))
    for left, right in itertools.product(LAYOUTS, LAYOUTS[:1]):
        assert bits(cuarray.matmul(left(x), right(y))) == want, left.__name__
        assert bits(cuarray.matmul(right(x), left(y))) == want, left.__name__


@pytest.mark.parametrize(
    "text",
    ["ij,ij->", "ij,ij->i", "ij,ij->j", "ij,jk->ik", "ij,j->i", "i,ij,j->", "bij,bjk->bik", "ijk,jki->", "bij,bji->b"],
)
@pytest.mark.parametrize("type", ["float32", "float64", "complex64"])
@cuarray.deterministic()
def test_bits_of_einsum_depend_on_no_layout(text, type, device, rng):
    for n in (7, 31, 40):
        terms = [numbers(np.dtype(type), (n,) * len(labels), rng) for labels in text.partition("->")[0].split(",")]
        want = bits(cuarray.einsum(text, *map(cuarray.asarray, terms)))
        for layout in LAYOUTS:
            assert bits(cuarray.einsum(text, *map(layout, terms))) == want, (n, layout.__name__)


@pytest.mark.parametrize("threads", [1, 2, 5])
@cuarray.deterministic()
def test_bits_depend_on_no_number_of_threads(threads, rng):
    x, y = rng.standard_normal((300, 700)), rng.standard_normal((700, 530))
    before = cuarray.get_num_threads()
    try:
        with cuarray.device("cpu"):
            cuarray.set_num_threads(threads)
            some = cuarray.matmul(x, y)
            cuarray.set_num_threads(1)
            assert bits(some) == bits(cuarray.matmul(x, y))
    finally:
        cuarray.set_num_threads(before)


@pytest.mark.parametrize("type", ["float32", "float64", "complex64", "int32", "float16"])
@cuarray.deterministic()
def test_bits_of_all_devices_are_equal(type, device, rng):
    """Wide products, narrow ones, stacks of small ones up to a block's elements, and those with vectors."""
    narrow = [((3, 5, 40), (3, 40, columns)) for columns in range(1, 10)]
    narrow += [
        ((2, 3, 4, 600), (3, 600, 5)),
        ((40, 2, 3), (40, 3, 2)),
        ((2, 16, 30), (30, 16)),
        ((2, 16, 30), (30, 17)),
    ]
    for left, right in [((2, 5, 600), (600, 70)), *narrow, ((40,), (40, 7)), ((6, 50), (50,)), ((500,), (500,))]:
        x, y = numbers(np.dtype(type), left, rng), numbers(np.dtype(type), right, rng)
        got = cuarray.matmul(cuarray.asarray(x), cuarray.asarray(y))
        want = cuarray.matmul(cuarray.asarray(x, device="cpu"), cuarray.asarray(y, device="cpu"))
        assert bits(got) == bits(want), (left, right)


@pytest.mark.parametrize("type", ["float32", "float64", "complex64", "complex128", "int8", "uint16", "int32", "int64"])
@pytest.mark.parametrize("depth", [*range(1, 42), 63, 64, 65, 100, 129, 1000, 4095, 4097])
def test_pairs_of_vectors(type, depth, device, rng):
    """Each sum of a stack is that of its pair alone, wherever the vectors lie."""
    rows = 40 if depth < 200 else 3
    a, b = (rng.integers(-9, 9, (rows, depth)).astype(type) for _ in range(2))
    if type.startswith("c"):
        b = (b * 1j + a).astype(type)
    want = [np.vdot(p, q) for p, q in zip(a, b, strict=True)]  # of small integers: exact
    x, y = (cuarray.asarray(v, device=device) for v in (a, b))
    spread = cuarray.zeros((rows, depth + 3), type, device=device)
    spread[:, 2:-1] = x
    for left, right in [(x, y), (spread[:, 2:-1], y), (x[::-1][::-1], y.copy(order="F")), (x[:, ::-1], y[:, ::-1])]:
        assert cuarray.vecdot(left, right).tolist() == want
    assert cuarray.vecdot(x[0], y).tolist() == [np.vdot(a[0], q) for q in b]
    assert cuarray.matmul(x.conj()[:, None, :], y[:, :, None]).ravel().tolist() == want
    if type.startswith("f"):
        noise = [cuarray.asarray(rng.standard_normal((rows, depth)).astype(type), device=device) for _ in range(2)]
        spread[:, 2:-1] = noise[0]
        sums = cuarray.vecdot(*noise)
        for again in (cuarray.vecdot(spread[:, 2:-1], noise[1]), cuarray.vecdot(noise[0][::-1], noise[1][::-1])[::-1]):
            assert bits(again) == bits(sums)
        exact = (noise[0].numpy().astype(np.longdouble) * noise[1].numpy()).sum(-1)
        bound = np.abs(noise[0].numpy() * noise[1].numpy()).sum(-1) * depth * np.finfo(type).eps
        assert (abs(sums.numpy() - exact) <= bound).all()


DIGEST = """
import hashlib, numpy as np, cuarray
rng, digest = np.random.default_rng(5), hashlib.sha256()
for type in ("f4", "f8"):
    for depth in (5, 7, 16, 31, 33, 100, 1000, 3001):
        x, y = (cuarray.asarray(rng.standard_normal((70, depth)).astype(type), device="cpu") for _ in range(2))
        digest.update(cuarray.vecdot(x, y).numpy().tobytes())
print(digest.hexdigest())
"""


def test_pairs_of_vectors_with_every_instruction_set():
    digests = set()
    for settings in ({}, {"CUARRAY_CPU_LEVEL": "base"}, {"CUARRAY_NUM_THREADS": "1"}):
        run = subprocess.run(
            [sys.executable, "-c", DIGEST], capture_output=True, text=True, env={**os.environ, **settings}
        )
        digests.add(run.stdout)
        assert run.stdout, run.stderr
    assert len(digests) == 1


def test_stacks_broadcast(device, rng):
    for left, right in [
        ((2, 1, 3, 4), (5, 4, 2)),
        ((3, 4), (2, 3, 4, 5)),
        ((7, 1, 3, 2), (1, 2, 2, 2)),
        ((1,) * 6 + (2, 3), (2,) * 6 + (3, 2)),
    ]:
        x, y = numbers(np.dtype("i4"), left, rng), numbers(np.dtype("i4"), right, rng)
        assert bits(cuarray.matmul(cuarray.asarray(x), cuarray.asarray(y))) == bits(cuarray.asarray(np.matmul(x, y)))


def test_many_axes(device, rng):
    """More batch axes than a kernel supports, none of which can be collapsed."""
    shape = (2, 1) * 10 + (3, 4)
    x = numbers(np.dtype("i4"), shape, rng)
    y = numbers(np.dtype("i4"), (1, 2) * 10 + (4, 2), rng)[..., :1, :1, :1, :1, :1, :1, :1, :1, :1, :1, :1, :1, :, :]
    assert bits(cuarray.matmul(cuarray.asarray(x), cuarray.asarray(y))) == bits(cuarray.asarray(np.matmul(x, y)))


def test_sums_of_halves_are_rounded_once(device):
    x = cuarray.ones((2, 5000), dtype="float16")
    assert (cuarray.matmul(x, x.T).numpy() == 5000).all() and cuarray.vecdot(x, x).tolist() == [5000, 5000]


def test_small_integers_wrap(device):
    x = cuarray.full((2, 3), 100, "int8")
    assert cuarray.matmul(x, x.T).tolist() == [[48, 48], [48, 48]] == (x.numpy() @ x.numpy().T).tolist()


def test_the_result_may_be_an_argument(device):
    x = cuarray.arange(9.0).reshape(3, 3)
    want = x.numpy() @ x.numpy()
    assert cuarray.matmul(x, x, out=x) is x and (x.numpy() == want).all()
    x @= cuarray.eye(3) * 2
    assert (x.numpy() == 2 * want).all()


def test_pending_arguments(device, rng):
    a, b = (cuarray.asarray(one).copy() for one in rng.standard_normal((2, 4, 4)))

    @cuarray.fuse
    def both(x, y):
        return (x + 1) @ (y * 2) - 1, (x + 1) @ y[0]

    for got, want in zip(both(a, b), ((a + 1) @ (b * 2) - 1, (a + 1) @ b[0]), strict=True):
        assert bits(got) == bits(want)


@pytest.mark.parametrize("type", ["float64", "int32", "complex64", "bool", "float16"])
def test_random_einsums(type, order, device, rng):
    """Terms with drawn labels in drawn layouts, broadcast, repeated and summed; and drawn paths."""
    type = np.dtype(type)
    tolerance = 0 if type.kind in "ib" else {8: 1e-12 if type.kind == "f" else 1e-4, 2: 2e-2}[type.itemsize]
    for _ in range(300):
        extents = dict(zip("abcdef", rng.permutation([1, 2, 3, 4, 5, 2]), strict=True))
        terms, hosts = [], []
        for _ in range(rng.integers(1, 5)):
            labels = "".join(rng.choice(list("abcdef"), rng.integers(0, 4)))
            shape = [int(extents[label]) for label in labels]
            for k, label in enumerate(labels):
                if labels.count(label) == 1 and rng.random() < 0.1:
                    shape[k] = 1
            terms.append(labels)
            hosts.append(numbers(type, tuple(shape), rng))
        known = sorted(set("".join(terms)))
        result = "".join(rng.permutation(known)[: rng.integers(0, len(known) + 1)])
        text = ",".join(terms) + ("->" + result if rng.random() < 0.8 else "")
        layouts = [LAYOUTS[rng.integers(len(LAYOUTS))] if host.ndim else cuarray.asarray for host in hosts]
        path = ["einsum_path"]
        for left in range(len(terms), 1, -1):
            path.append(tuple(int(k) for k in rng.permutation(left)[: rng.integers(2, left + 1)]))
            if len(path[-1]) > 2:
                path.append(tuple(range(left - len(path[-1]) + 1)))
                break
        optimize = (False, True, "optimal", path)[rng.integers(4)] if len(terms) > 1 else False
        wide = [host.astype("f4") if type.itemsize == 2 else host for host in hosts]
        if type.kind == "b":
            want = np.einsum(text, *(host.astype(int) for host in hosts)) > 0
        else:
            want = np.einsum(text, *wide)
        got = cuarray.einsum(
            text, *(layout(host) for layout, host in zip(layouts, hosts, strict=True)), optimize=optimize
        )
        note = text, [host.shape for host in hosts], [layout.__name__ for layout in layouts], optimize
        assert got.dtype == type and got.shape == want.shape, note
        scale = np.einsum(text, *(np.abs(host.astype("c16")).real for host in hosts))
        assert (
            np.abs(got.numpy().astype(want.dtype) ^ want if type.kind == "b" else got.numpy() - want)
            <= tolerance * scale
        ).all(), note


def test_einsums_multiply_in_the_order_of_their_path(device, rng):
    """Powers of two whose products overflow or vanish in other orders; steps of one term, two and three."""
    for _ in range(50):
        terms = list(2.0 ** rng.integers(-700, 700, (6, 30)))
        arrays, path = [cuarray.asarray(x, device=device) for x in terms], ["einsum_path"]
        while len(terms) > 1:
            step = sorted(rng.permutation(len(terms))[: rng.integers(1, 4)].tolist())
            path.append(tuple(step))
            with np.errstate(all="ignore"):
                product = reduce(np.multiply, [terms[k] for k in step])
            terms = [x for k, x in enumerate(terms) if k not in step] + [product]
        got = cuarray.einsum("i,i,i,i,i,i->i", *arrays, optimize=path)
        np.testing.assert_array_equal(got.numpy(), terms[0], err_msg=str(path))


@pytest.mark.parametrize("text", ["ij->ij", "ij->ji", "...->...", "ij...->...ji"])
def test_einsums_that_are_views(text, device):
    x = cuarray.arange(6.0).reshape(2, 3)
    y = cuarray.einsum(text, x)
    assert y.base is x.base and cuarray.shares_memory(x, y)
    y[0, 0] = 9
    assert x[0, 0] == 9


@pytest.mark.parametrize("type", ["complex64", "complex128"])
def test_conjugated_products_of_every_layout(type, device, rng):
    for n in (0, 1, 5, 700, 3000, 20_000):
        a, b = (numbers(np.dtype(type), (3 * n,), rng) for _ in range(2))
        x, y = cuarray.asarray(a), cuarray.asarray(b)
        for layout in (slice(None, n), slice(None, None, 3), slice(n, None, -1)):
            for ours, theirs in [(x[layout], a[layout]), (cuarray.broadcast_to(x[:1], n), np.broadcast_to(a[:1], n))]:
                if len(ours) != n:
                    continue
                for got in (cuarray.vdot(ours, y[:n]), cuarray.vecdot(ours, y[:n])):
                    want = (theirs.astype("c16").conj() * b[:n]).sum()
                    bound = np.finfo(type).eps * (abs(theirs) * abs(b[:n])).sum()
                    assert got.dtype == type and abs(got.item() - want) <= bound


@pytest.mark.parametrize("type", ["float32", "float64", "complex128", "int32", "float16"])
@pytest.mark.parametrize(
    "product",
    [
        lambda x, y, a: (x + y) @ y,
        lambda x, y, a: cuarray.dot(x * 2, y),
        lambda x, y, a: cuarray.vdot(x, y - x),
        lambda x, y, a: cuarray.einsum("i,i", x - y, x),
        lambda x, y, a: (a + a) @ x,
        lambda x, y, a: (x + y) @ a.T,
        lambda x, y, a: (a + a) @ a.T,
        lambda x, y, a: cuarray.einsum("ij,ij->i", a + a, a),
        lambda x, y, a: cuarray.einsum("ij,j->i", a * 2, x + y),
        lambda x, y, a: cuarray.vecdot(a - x, a),
    ],
)
def test_fused_and_observed_products_have_the_same_bits(type, product, order, device, rng):
    for n in (3, 95, 96, 127, 128, 200, 500, 1100, 3000):
        x, y = (cuarray.asarray(numbers(np.dtype(type), (n,), rng)).copy() for _ in range(2))
        a = cuarray.asarray(numbers(np.dtype(type), (7, n), rng)).copy()
        want = bits(product(x, y, a))
        assert bits(cuarray.fuse(product)(x, y, a)) == want, n
        with cuarray.profile():
            observed = product(x, y, a)
        assert bits(observed) == want, n


def test_deterministic_is_a_state_of_the_thread(rng):
    x = cuarray.asarray(rng.standard_normal((60, 700)), device="cpu")
    y = cuarray.asarray(rng.standard_normal((700, 50)), device="cpu")
    with cuarray.deterministic():
        want = bits(x @ y)
    library = bits(x @ y)
    with cuarray.deterministic() as outer:
        with outer:
            assert bits(x @ y) == want
        assert bits(x @ y) == want
        with ThreadPoolExecutor(1) as other:
            assert other.submit(lambda: bits(x @ y)).result() == library
    assert bits(x @ y) == library
    assert bits(cuarray.deterministic(cuarray.matmul)(x, y)) == want
    with pytest.raises(TypeError, match="deterministic: a function is needed, not int"):
        cuarray.deterministic(3)

    def generator():
        with cuarray.deterministic():
            yield

    with pytest.raises(TypeError, match="generator"):
        next(generator())
    with pytest.raises(TypeError, match=r"deterministic: .*generator is a generator or coroutine"):
        cuarray.deterministic(generator)


def test_devices_are_not_mixed():
    others = [d for d in cuarray.devices() if d != "cpu"]
    if others:
        with pytest.raises(ValueError, match="cpu"):
            cuarray.ones((2, 2), device="cpu") @ cuarray.ones((2, 2), device=others[0])


@pytest.mark.parametrize(
    "text",
    [
        "ijkl,kl->ij", "kl,ijkl->ji", "ijkl,kl->i", "ijkl,okl->oij", "ijkl,okl->ijo", "ijkl,ikl->ij", "ijkl->ij",
        "ijkl,k,l->ij",
    ],
)  # fmt: skip
def test_windows_are_not_copied(text, device, rng):
    """A view whose windows overlap would take 25 times the memory of the image."""
    image = rng.standard_normal((400, 301))
    shapes = {"kl": (5, 5), "okl": (3, 5, 5), "ikl": (396, 5, 5), "k": 5, "l": 5}
    inputs = text.partition("->")[0].split(",")
    others = [rng.standard_normal(shapes[one]) for one in inputs if one in shapes]

    def operands(xp, image, *others):
        windows = xp.lib.stride_tricks.sliding_window_view(image, (5, 5))
        rest = iter(others)
        return [next(rest) if one in shapes else windows for one in inputs]

    want = np.einsum(text, *operands(np, image, *others), optimize=True)
    arrays = [cuarray.asarray(x, device=device) for x in (image, *others)]
    given = operands(cuarray, *arrays)
    cuarray.memory.reset_peak(device)
    before = cuarray.memory.stats(device)["peak"]
    got = cuarray.einsum(text, *given)
    copied = 0 if device == "cpu" else 396 * 297 * 25 * 8  # cuBLAS multiplies matrices that lie in memory
    assert cuarray.memory.stats(device)["peak"] - before < 4 * got.nbytes + (12 << 20) + copied
    np.testing.assert_allclose(got.numpy(), want, rtol=1e-9, atol=1e-9)


def test_labels_without_an_end():
    with pytest.raises(ValueError, match="at most 64 axes"):
        cuarray.einsum(cuarray.ones(2), itertools.repeat(0))


@pytest.mark.parametrize("components", [(3, 2), (2, 3), (2, 2)])
def test_cross_of_vectors_of_two_components(components, device):
    """The third component is zero; of two such vectors the result is the third component alone."""
    x, y = (cuarray.arange(2.0 * n, device=device).reshape(2, n) - 1.5 for n in components)
    three = [cuarray.concatenate([v, cuarray.zeros((2, 1), device=device)], axis=1)[:, :3] for v in (x, y)]
    want = np.cross(*(v.numpy() for v in three))
    found = cuarray.cross(x, y)
    assert found.dtype == np.float64 and np.array_equal(found.numpy(), want[:, 2] if components == (2, 2) else want)
