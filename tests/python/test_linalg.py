"""cuarray.linalg: NumPy's values, types, shapes and errors; residuals where results are not unique; every device."""

import inspect
import os
import re
import subprocess
import sys
import warnings
from itertools import pairwise

import layouts
import numpy as np
import pytest
import same
from numpy.linalg import LinAlgError

import cuarray

linalg = cuarray.linalg
#: Names that numpy.linalg does not have.
OWN = {"precision"}
NAMES = [name for name in linalg.__all__ if name not in {"LinAlgError", *OWN}]
PRIMITIVES = "cholesky det eig eigh eigvals eigvalsh inv lstsq qr slogdet solve svd svdvals".split()
DTYPES = ["f4", "f8", "c8", "c16"]
#: Shapes of stacks of square matrices. On a GPU, one call factorises eight matrices or more.
SQUARES = [
    (0, 0),
    (1, 1),
    (2, 2),
    (5, 5),
    (3, 4, 4),
    (2, 3, 3, 3),
    (0, 3, 3),
    (2, 0, 0),
    (33, 33),
    (8, 1, 1),
    (3, 4, 5, 5),
]
#: Shapes of stacks of any matrices.
SHAPES = [
    *SQUARES,
    (5, 3),
    (3, 5),
    (0, 3),
    (3, 0),
    (1, 7),
    (7, 1),
    (2, 6, 3),
    (2, 3, 6),
    (0, 4, 2),
    (2, 0, 3),
    (2, 3, 0),
    (40, 9),
    (9, 6, 3),
    (2, 4, 3, 6),
    (8, 34, 2),
]


@pytest.fixture(autouse=True)
def on_cpu():
    """Factorisations run on cpu; tests of other devices ask for them."""
    with cuarray.device("cpu"):
        yield


def drawn(rng, shape, dtype):
    """Random numbers, complex ones for complex dtypes."""
    x = rng.standard_normal(shape)
    return (x + 1j * rng.standard_normal(shape) if dtype[0] == "c" else x).astype(dtype)


def invertible(rng, shape, dtype):
    """Random matrices that are far from singular."""
    return (drawn(rng, shape, dtype) + 2 * shape[-1] * np.eye(shape[-1])).astype(dtype)


def hermitian(rng, shape, dtype):
    x = drawn(rng, shape, dtype)
    return x + np.conj(np.swapaxes(x, -1, -2))


def adjoint(x):
    return np.conj(np.swapaxes(x, -1, -2))


def wide(x):
    """Host values in the widest type."""
    x = x.numpy() if isinstance(x, cuarray.ndarray) else np.asarray(x)
    return x.astype(np.clongdouble if x.dtype.kind == "c" else np.longdouble)


def skip_slow(shape, device):
    """Skip the largest matrices on simulated GPUs."""
    if device != "cpu" and max(shape) > 8:
        pytest.skip("small matrices are enough on a GPU")


def close_to(a, b, dtype, factor=100.0, scale=None):
    """Assert that two arrays are equal up to the rounding errors of a type, relative to the largest element."""
    a, b = wide(a), wide(b)
    assert a.shape == b.shape
    if a.size:
        scale = max(np.abs(b).max(), np.abs(a).max()) if scale is None else scale
        worst = np.abs(a - b).max()
        assert worst <= factor * np.finfo(dtype).eps * scale, f"{worst} of {scale}"


def owns(*results):
    """Assert that results are arrays with memory of their own."""
    for x in results:
        assert isinstance(x, cuarray.ndarray) and x.base is None and x.device == cuarray.default_device()
        assert x.ndim == 0 or (x.flags.writeable and x.flags.owndata)


# Names


def test_all_of_numpys_names_are_there():
    assert set(linalg.__all__) == set(np.linalg.__all__) | OWN
    assert linalg.LinAlgError is np.linalg.LinAlgError
    assert cuarray.linalg is sys.modules["cuarray.linalg"]


@pytest.mark.parametrize("name", NAMES)
def test_signatures_are_those_of_numpy(name):
    ours, theirs = (inspect.signature(getattr(module, name)).parameters for module in (linalg, np.linalg))
    assert [(p.name, p.kind, p.default) for p in ours.values()] == [
        (p.name, p.kind, p.default) for p in theirs.values()
    ]


@pytest.mark.parametrize("name", NAMES)
def test_docstrings_say_what_they_must(name):
    doc = inspect.getdoc(getattr(linalg, name))
    for section in ("Parameters", "Returns", "Raises", "See Also", "Examples"):
        assert f"\n{section}\n---" in doc
    assert f"numpy.linalg.{name}" in doc
    for parameter in inspect.signature(getattr(linalg, name)).parameters:
        assert re.search(rf"^{parameter}\b|, {parameter}\b", doc.partition("Parameters\n")[2], re.MULTILINE), parameter


@pytest.mark.parametrize(("call", "fields"), [
    ("eig(x)", "eigenvalues eigenvectors"), ("eigh(x)", "eigenvalues eigenvectors"), ("qr(x)", "Q R"),
    ("slogdet(x)", "sign logabsdet"), ("svd(x)", "U S Vh"),
])  # fmt: skip
def test_results_have_numpys_fields(call, fields):
    ours, theirs = (eval(f"module.{call}", {"module": m, "x": m.inv(np.eye(2))}) for m in (linalg, np.linalg))
    assert " ".join(ours._fields) == " ".join(theirs._fields) == fields
    assert type(ours).__name__ == type(theirs).__name__ and isinstance(ours, tuple)


def test_import_of_the_package_does_not_import_it():
    code = "import sys, cuarray; assert not [m for m in sys.modules if 'cuarray' in m and 'linalg' in m]; cuarray.linalg.inv"
    subprocess.run([sys.executable, "-c", code], check=True, timeout=60)
    code = "import sys, numpy, cuarray; x = numpy.linalg.det(cuarray.eye(2, device='cpu')); assert isinstance(x, cuarray.ndarray) and x == 1"
    subprocess.run([sys.executable, "-c", code], check=True, timeout=60)


# Agreement with NumPy


def array(values, dtype=None):
    return lambda xp: xp.asarray(np.asarray(values, dtype))


RNG = np.random.default_rng(7)
SQUARE = RNG.integers(-9, 9, (4, 4)) + 12 * np.eye(4, dtype=int)
STACK = RNG.integers(-9, 9, (2, 3, 4, 4)) + 20 * np.eye(4, dtype=int)
NAMED = {
    "i": array(SQUARE), "u": array(abs(SQUARE), "u1"), "b": array([[True, False], [True, True]]), "f": array(SQUARE / 7, "f4"), "d": array(SQUARE / 7),
    "c": array(SQUARE + 1j * SQUARE.T, "c8"), "z": array(SQUARE - 1j * SQUARE.T), "h": array(SQUARE, "f2"),
    "S": array(STACK / 3), "T": array(STACK + 1j, "c8"), "I": array(STACK),
    "E": array(np.zeros((0, 3, 3))), "O": array(np.zeros((0, 0))), "P": array(np.zeros((2, 0, 0))), "R": array(np.zeros((0, 3))), "C": array(np.zeros((3, 0))),
    "N": array(np.full((3, 3), np.nan)), "n": array([[1, np.nan], [1, 1]]), "F": array([[np.inf, 1], [1, 1]]), "X": array(np.zeros((3, 3))),
    "t": array(RNG.standard_normal((6, 3))), "w": array(RNG.standard_normal((3, 6))), "y": array(RNG.standard_normal((2, 5, 3)), "f4"),
    "v": array([3.0, -4.0, 0.0]), "k": array([3, -4, 12, 0]), "q": array([3 + 4j, -1j, 0]), "g": array([3.0, -4.0, 0.5], "f4"), "e": array(np.zeros(0)),
    "o": array(2.5), "x": array(RNG.standard_normal((2, 3, 4))),
}  # fmt: skip

ORDERS = [
    "None",
    "2",
    "1",
    "-1",
    "np.inf",
    "-np.inf",
    "0",
    "3",
    "2.5",
    "-2",
    "0.5",
    "-3.5",
    "'fro'",
    "'nuc'",
    "'f'",
    "'no'",
    "np.nan",
    "np.float32(2)",
    "True",
]
NORMS = [f"xp.linalg.norm({x}, {p})" for x in "vkqgedizfNoxCP" for p in ORDERS if x not in "io" or p != "True"]
NORMS += [f"xp.linalg.norm({x}, {p}, axis={axis}, keepdims={kept})"
          for x in "xITy" for p in ORDERS for axis in ("0", "-1", "(0, 1)", "(-1, 0)", "(1, -1)") for kept in (False, True)]  # fmt: skip
NORMS += [f"xp.linalg.vector_norm({x}, ord={p}, axis={axis}, keepdims={kept})"
          for x in "xT" for p in ORDERS[:12] for axis in ("None", "1", "(0, -1)", "()") for kept in (False, True)]  # fmt: skip
NORMS += [
    f"xp.linalg.matrix_norm({x}, ord={p}, keepdims={kept})"
    for x in "xSTdRCEP"
    for p in ORDERS
    for kept in (False, True)
]
NORMS += [
    f"xp.linalg.cond({x}{p})"
    for x in "ifdczSTItwyXNnFOEPR"
    for p in ("", ", 'fro'", ", 1", ", -1", ", 2", ", -2", ", np.inf", ", -np.inf", ", 'nuc'", ", 3", ", 'no'")
]

ONE = ["cholesky", "det", "eigvalsh", "inv", "pinv", "qr", "slogdet", "svd", "svdvals", "eigh", "matrix_rank", "cond", "trace", "diagonal",
       "matrix_transpose", "tensorinv"]  # fmt: skip
CALLS = [f"tuple(xp.linalg.{name}({x}))" if name in ("qr", "slogdet", "svd", "eigh") else f"xp.linalg.{name}({x})"
         for name in ONE for x in NAMED if name != "tensorinv" or x not in "Po"]  # fmt: skip
CALLS += """
tuple(xp.linalg.eigh(z, 'U'))
tuple(xp.linalg.eigh(f, 'u'))
tuple(xp.linalg.eigh(f, 'l'))
xp.linalg.eigvalsh(S, 'U')
xp.linalg.eigvalsh(S, 'M')
xp.linalg.eigh(S, '')
xp.linalg.cholesky(d @ d.mT)
xp.linalg.cholesky(d @ d.mT, upper=True)
xp.linalg.cholesky(T @ T.mT.conj(), upper=True)
xp.linalg.cholesky(T @ T.mT.conj())
xp.linalg.cholesky(-(d @ d.mT))
xp.linalg.cholesky(n)
tuple(xp.linalg.qr(t, 'complete'))
tuple(xp.linalg.qr(w, 'complete'))
xp.linalg.qr(t, 'r')
xp.linalg.qr(T, mode='r')
xp.linalg.qr(y, 'raw')
xp.linalg.qr(R, 'raw')
tuple(xp.linalg.qr(C, 'complete'))
xp.linalg.qr(t, 'no')
xp.linalg.qr(t, 3)
tuple(xp.linalg.svd(t, full_matrices=False))
tuple(xp.linalg.svd(y, False))
xp.linalg.svd(y, False, False)
xp.linalg.svd(y, compute_uv=False)
tuple(xp.linalg.svd(d + d.mT, hermitian=True))
xp.linalg.svd(t, hermitian=True)
xp.linalg.solve(d, k)
xp.linalg.solve(d, f)
xp.linalg.solve(f, f)
xp.linalg.solve(f, c)
xp.linalg.solve(f, k)
xp.linalg.solve(i, i)
xp.linalg.solve(b, b)
xp.linalg.solve(S, k)
xp.linalg.solve(S, d)
xp.linalg.solve(d, S)
xp.linalg.solve(S, T)
xp.linalg.solve(S[0], S)
xp.linalg.solve(S[:, :1], S)
xp.linalg.solve(S[:, :2], S)
xp.linalg.solve(S, v)
xp.linalg.solve(d, t)
xp.linalg.solve(d, o)
xp.linalg.solve(t, v)
xp.linalg.solve(v, v)
xp.linalg.solve(X, v)
xp.linalg.solve(E, v)
xp.linalg.solve(E, E)
xp.linalg.solve(O, O)
xp.linalg.solve(O, e)
xp.linalg.solve(P, P)
xp.linalg.solve(d, d[:, :0])
xp.linalg.solve(h, h)
xp.linalg.solve(n, n)
xp.linalg.lstsq(t, t[:, 0])
xp.linalg.lstsq(t, t)
xp.linalg.lstsq(t, t[:, :0])
xp.linalg.lstsq(w, w[:, :2])
xp.linalg.lstsq(d, z)
xp.linalg.lstsq(f, k)
xp.linalg.lstsq(f, f[:, 1], rcond=0.5)
xp.linalg.lstsq(i, i, -1)
xp.linalg.lstsq(X, v)
xp.linalg.lstsq(R, e)
xp.linalg.lstsq(C, v)
xp.linalg.lstsq(O, O)
xp.linalg.lstsq(t, v)
xp.linalg.lstsq(S, v)
xp.linalg.lstsq(t, S)
xp.linalg.lstsq(t, o)
xp.linalg.lstsq(t, t, 'a')
xp.linalg.lstsq(N, v)
xp.linalg.pinv(t, 0.5)
xp.linalg.pinv(t, rtol=0.5)
xp.linalg.pinv(S, rcond=xp.asarray([[0.1, 0.2, 0.3], [0.9, 0.5, 0.01]]))
xp.linalg.pinv(S, rtol=None)
xp.linalg.pinv(f, rtol=None)
xp.linalg.pinv(t, 0.5, rtol=0.5)
xp.linalg.pinv(t, 0.5, rtol=None)
xp.linalg.pinv(d + d.mT, hermitian=True)
xp.linalg.pinv(z + z.mT.conj(), hermitian=True)
xp.linalg.pinv(t, hermitian=True)
xp.linalg.matrix_rank(t, 0.5)
xp.linalg.matrix_rank(S, tol=xp.asarray([[1.0, 20, 30], [9, 5, 0.01]]))
xp.linalg.matrix_rank(S, rtol=xp.asarray([[0.1, 0.2, 0.3], [0.9, 0.5, 0.01]]))
xp.linalg.matrix_rank(t, rtol=0.5)
xp.linalg.matrix_rank(t, 0.5, rtol=0.5)
xp.linalg.matrix_rank(d + d.mT, hermitian=True)
xp.linalg.matrix_rank(t, hermitian=True)
xp.linalg.matrix_rank(xp.zeros(3))
xp.linalg.matrix_rank([0, 1])
xp.linalg.matrix_rank(xp.asarray(3))
xp.linalg.matrix_rank(xp.ones((3, 3), dtype='f4'))
xp.linalg.matmul(S, T)
xp.linalg.matmul(d, v)
xp.linalg.matmul(o, d)
xp.linalg.matmul(h, i)
xp.linalg.vecdot(q, v)
xp.linalg.vecdot(x, x, axis=1)
xp.linalg.vecdot(x, v)
xp.linalg.vecdot(o, v)
xp.linalg.vecdot(v, v, axis=2)
xp.linalg.tensordot(x, x)
xp.linalg.tensordot(x, x, axes=3)
xp.linalg.tensordot(x, x, axes=([1, 2], [1, 2]))
xp.linalg.tensordot(x, x, axes=([1], [2]))
xp.linalg.outer(v, k)
xp.linalg.outer(q, k)
xp.linalg.outer(o, k)
xp.linalg.outer(d, k)
xp.linalg.outer(e, k)
xp.linalg.cross(v, [1, 2, 3])
xp.linalg.cross(q, v)
xp.linalg.cross(x, x[:1], axis=1)
xp.linalg.cross(x[0], v[:, None], axis=0)
xp.linalg.cross(k, k)
xp.linalg.cross(v, k)
xp.linalg.cross(v[:2], v[:2])
xp.linalg.cross(v, v, axis=1)
xp.linalg.cross(o, o)
xp.linalg.diagonal(x, offset=1)
xp.linalg.diagonal(x, offset=-5)
xp.linalg.diagonal(S, offset=-1)
xp.linalg.diagonal(x, offset=0.5)
xp.linalg.trace(x, offset=2)
xp.linalg.trace(x, dtype='c8')
xp.linalg.trace(u)
xp.linalg.trace(u, dtype='u1')
xp.linalg.trace(h, offset=-1)
xp.linalg.matrix_power(i, 0)
xp.linalg.matrix_power(i, 1)
xp.linalg.matrix_power(i, 2)
xp.linalg.matrix_power(i, 5)
xp.linalg.matrix_power(i, 60)
xp.linalg.matrix_power(u, 11)
xp.linalg.matrix_power(b, 3)
xp.linalg.matrix_power(b, 0)
xp.linalg.matrix_power(h / 16, 3)
xp.linalg.matrix_power(S / 9, 6)
xp.linalg.matrix_power(T, 0)
xp.linalg.matrix_power(i, -1)
xp.linalg.matrix_power(S, -3)
xp.linalg.matrix_power(X, -3)
xp.linalg.matrix_power(h, -1)
xp.linalg.matrix_power(O, 3)
xp.linalg.matrix_power(E, -2)
xp.linalg.matrix_power(d, 1.0)
xp.linalg.matrix_power(d, 'a')
xp.linalg.matrix_power(t, 2)
xp.linalg.matrix_power(v, 2)
xp.linalg.multi_dot([t, w])
xp.linalg.multi_dot([v, v])
xp.linalg.multi_dot([v, w])
xp.linalg.multi_dot([t, v])
xp.linalg.multi_dot([t, w, t])
xp.linalg.multi_dot((v, w, t))
xp.linalg.multi_dot([w, t, v])
xp.linalg.multi_dot([v, w, t, v])
xp.linalg.multi_dot([i, f, z])
xp.linalg.multi_dot([i, u, i, f])
xp.linalg.multi_dot([t, w, t, w, t[:, :1]])
xp.linalg.multi_dot([R, w, t])
xp.linalg.multi_dot([C, R, w])
xp.linalg.multi_dot([d, d, d], out=xp.zeros((4, 4)))
xp.linalg.multi_dot([t, v], out=xp.zeros(6))
xp.linalg.multi_dot([d, d, d], out=xp.zeros((4, 3)))
xp.linalg.multi_dot([t])
xp.linalg.multi_dot([])
xp.linalg.multi_dot(3)
xp.linalg.multi_dot([v, v, v])
xp.linalg.multi_dot([d, S, d])
xp.linalg.multi_dot([d, S])
xp.linalg.multi_dot([o, d, o])
xp.linalg.multi_dot([o, d])
xp.linalg.multi_dot([t, t])
xp.linalg.multi_dot([t, w, w])
xp.linalg.tensorinv(xp.eye(24).reshape(4, 6, 8, 3))
xp.linalg.tensorinv((xp.eye(24) + 1).reshape(24, 8, 3), ind=1)
xp.linalg.tensorinv(d, ind=1)
xp.linalg.tensorinv(d, ind=0)
xp.linalg.tensorinv(d, ind=-1)
xp.linalg.tensorinv(x, ind=1.5)
xp.linalg.tensorinv(xp.zeros((2, 2, 4)))
xp.linalg.tensorsolve((xp.eye(24) + 1).reshape(6, 4, 2, 3, 4), xp.arange(24.0).reshape(6, 4))
xp.linalg.tensorsolve((xp.eye(24) + 1).reshape(6, 2, 4, 3, 4), xp.arange(24.0).reshape(6, 4), axes=(1,))
xp.linalg.tensorsolve(xp.eye(4).reshape(2, 2, 4), xp.zeros(3))
xp.linalg.tensorsolve(xp.eye(4).reshape(2, 2, 4), xp.ones((2, 2)), axes=(7,))
xp.linalg.tensorsolve(xp.eye(2), xp.ones((2, 2)))
xp.linalg.tensorsolve(xp.eye(1), 5)
xp.linalg.tensorsolve(xp.zeros((2, 2)), xp.ones(2))
xp.linalg.norm(d, axis=(0, 0))
xp.linalg.norm(d, axis=(0, 2))
xp.linalg.norm(d, axis=2)
xp.linalg.norm(d, axis='a')
xp.linalg.norm(d, axis=[0, 1])
xp.linalg.norm(d, axis=())
xp.linalg.norm(x, axis=(0, 1, 2))
xp.linalg.norm(o, 2)
xp.linalg.norm(o, axis=0)
xp.linalg.norm(x, keepdims=True)
xp.linalg.norm(v, keepdims=True)
xp.linalg.norm(h, 2)
xp.linalg.norm(d, 1j)
xp.linalg.norm(v, 1j)
xp.linalg.norm([[1, 2], [3, 4]])
xp.linalg.norm([True, True])
xp.linalg.vector_norm(x, axis=(0, 0))
xp.linalg.vector_norm(x, axis=[0, 1])
xp.linalg.vector_norm(x, axis=3)
xp.linalg.vector_norm(o)
xp.linalg.vector_norm(e)
xp.linalg.vector_norm(e, ord=-np.inf)
xp.linalg.vector_norm(h, ord=0)
xp.linalg.vector_norm(x, ord='fro')
xp.linalg.vector_norm(x, ord=None)
xp.linalg.matrix_norm(v)
xp.linalg.matrix_norm(h, ord=1)
""".strip().splitlines()


def limit(expression):
    """The relative difference that is allowed: rounding errors in the order of additions."""
    single = re.search(r"\b[fTcygh]\b|f4|c8|float32", expression)
    return 2e-4 if single else 1e-10


def where_not_finite(expression, want):
    """What NumPy 2.5 says of singular values of matrices that are not finite, of which older ones say what LAPACK does."""
    name, matrix = re.search(r"linalg\.(\w+)\((\w*)", expression).groups()
    if name == "cond" and "SVD did not converge" in str(want):
        return np.float64(np.nan if matrix in ("N", "n") else np.inf)
    if matrix == "F" and name in ("matrix_rank", "pinv", "svd", "svdvals"):
        return LinAlgError("SVD did not converge")
    return want


@pytest.mark.parametrize("expression", [*CALLS, *NORMS])
def test_agrees_with_numpy(expression):
    want, got = (same.evaluate(expression, xp, NAMED) for xp in (np, cuarray))
    want = where_not_finite(expression, want)
    if isinstance(want, LinAlgError) or isinstance(got, LinAlgError):
        assert isinstance(want, LinAlgError | ValueError) and isinstance(got, LinAlgError), (
            f"{got!r} instead of {want!r}"
        )
    elif isinstance(want, Exception):
        assert isinstance(got, same.public_type(want)), f"{got!r} instead of {want!r}"
    else:
        if isinstance(got, Exception):
            raise got
        alike(got, want, limit(expression))
        return
    name = re.search(r"linalg\.(\w+)", expression).group(1)
    assert re.match(rf"{name}\b", str(got)), f"{got!r} does not name {name}"


def alike(got, want, rtol):
    """Assert equal types and shapes, and values up to a factor, or up to rounding errors of the largest one."""
    if isinstance(want, tuple):
        assert type(got) is tuple and len(got) == len(want)
        for a, b in zip(got, want, strict=True):
            alike(a, b, rtol)
        return
    assert isinstance(got, cuarray.ndarray)
    host, want = got.numpy(), np.asarray(want)
    assert (host.dtype, host.shape) == (want.dtype, want.shape), (
        f"{host.dtype} {host.shape} instead of {want.dtype} {want.shape}"
    )
    finite = np.abs(want[np.isfinite(want)])
    np.testing.assert_allclose(host, want, rtol=rtol, atol=rtol * finite.max() / 10 if finite.size else 0)


# Factorisations, by what defines them


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("shape", SQUARES)
@pytest.mark.parametrize("right", ["vector", "matrix", "stack", "broadcast", "empty"])
def test_solve(shape, dtype, right, device, rng):
    skip_slow(shape, device)
    a = invertible(rng, shape, dtype)
    n, before = shape[-1], shape[:-2]
    form = {
        "vector": (n,),
        "matrix": (n, 3),
        "stack": (*before, n, 2),
        "broadcast": (4, *(1 for _ in before), n, 2),
        "empty": (n, 0),
    }
    b = drawn(rng, form[right], dtype)
    x = linalg.solve(cuarray.asarray(a), cuarray.asarray(b))
    owns(x)
    assert x.dtype == np.dtype(dtype)
    back = wide(a) @ wide(x)[..., None] if right == "vector" else wide(a) @ wide(x)
    want = np.broadcast_to(b[:, None] if right == "vector" else b, back.shape)
    close_to(back, want, dtype)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("shape", SQUARES)
def test_inverses_and_determinants(shape, dtype, device, rng):
    skip_slow(shape, device)
    a = invertible(rng, shape, dtype)
    ours = cuarray.asarray(a)
    x = linalg.inv(ours)
    owns(x)
    identity = np.broadcast_to(np.eye(shape[-1]), shape)
    close_to(wide(a) @ wide(x), identity, dtype)
    close_to(linalg.matrix_power(ours, -1), x, dtype)
    close_to(linalg.pinv(ours), x, dtype, 1000)
    det, (sign, logarithm) = linalg.det(ours), linalg.slogdet(ours)
    assert det.shape == sign.shape == logarithm.shape == shape[:-2]
    assert det.dtype == sign.dtype == np.dtype(dtype) and logarithm.dtype == np.dtype(dtype).type(0).real.dtype
    if shape[-1] < 20 and det.size:
        close_to(wide(sign) * np.exp(wide(logarithm)), det, dtype, 300)
        close_to(abs(wide(sign)), np.ones(shape[:-2]), dtype)
    owns(det, sign, logarithm)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("shape", SQUARES)
@pytest.mark.parametrize("upper", [False, True])
def test_cholesky(shape, dtype, upper, device, rng):
    skip_slow(shape, device)
    x = drawn(rng, shape, dtype)
    a = (x @ adjoint(x) + shape[-1] * np.eye(shape[-1])).astype(dtype)
    # The other triangle is not read.
    spoiled = (np.triu if upper else np.tril)(a) + (np.tril if upper else np.triu)(
        np.full(shape, 77), -1 if upper else 1
    ).astype(dtype)
    factor = linalg.cholesky(cuarray.asarray(spoiled), upper=upper)
    owns(factor)
    assert factor.dtype == np.dtype(dtype)
    f = wide(factor)
    np.testing.assert_array_equal(f, (np.triu if upper else np.tril)(f))
    close_to(adjoint(f) @ f if upper else f @ adjoint(f), a, dtype)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("mode", ["reduced", "complete", "r", "raw"])
def test_qr(shape, dtype, mode, device, rng):
    skip_slow(shape, device)
    a = drawn(rng, shape, dtype)
    m, n = shape[-2:]
    k = m if mode == "complete" else min(m, n)
    found = linalg.qr(cuarray.asarray(a), mode)
    if mode == "r":
        owns(found)
        assert found.shape == (*shape[:-2], k, n)
        close_to(adjoint(wide(found)) @ wide(found), adjoint(wide(a)) @ wide(a), dtype, 200)
        return
    owns(*found)
    if mode == "raw":
        assert [x.shape for x in found] == [(*shape[:-2], n, m), (*shape[:-2], k)]
        return
    q, r = found
    assert q.shape == (*shape[:-2], m, k) and r.shape == (*shape[:-2], k, n) and q.dtype == r.dtype == np.dtype(dtype)
    close_to(wide(q) @ wide(r), a, dtype)
    close_to(adjoint(wide(q)) @ wide(q), np.broadcast_to(np.eye(k), (*shape[:-2], k, k)), dtype)
    np.testing.assert_array_equal(np.triu(wide(r)), wide(r))


@pytest.mark.parametrize("dtype", DTYPES)
def test_qr_of_special_stacks(dtype, device):
    """Columns that need no reflector, dependent ones, and numbers near the ends of the range."""
    triangle, grid = np.triu(np.ones((4, 4))), np.arange(16.0).reshape(4, 4)
    big = 2.0 ** (60 if dtype in ("f4", "c8") else 500)
    kinds = [np.zeros((4, 4)), np.eye(4), triangle, triangle.T, grid, grid * big, grid / big, np.roll(np.eye(4), 1, 0)]
    stack = np.array(kinds).astype(dtype)
    if dtype[0] == "c":
        stack[4] *= 1j
    for a in (stack, stack[..., :2], stack[..., :2, :]):
        for mode in ("reduced", "complete"):
            q, r = (wide(x) for x in linalg.qr(cuarray.asarray(a), mode))
            k = q.shape[-1]
            close_to(adjoint(q) @ q, np.broadcast_to(np.eye(k), (len(a), k, k)), dtype)
            for one, product in zip(wide(a), q @ r, strict=True):
                close_to(product / (abs(one).max() or 1), one / (abs(one).max() or 1), dtype)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("full", [False, True])
def test_svd(shape, dtype, full, device, rng):
    skip_slow(shape, device)
    a = drawn(rng, shape, dtype)
    m, n = shape[-2:]
    k = min(m, n)
    u, s, vh = linalg.svd(cuarray.asarray(a), full_matrices=full)
    owns(u, s, vh)
    assert u.shape == (*shape[:-2], m, m if full else k) and vh.shape == (*shape[:-2], n if full else k, n)
    assert (
        s.shape == (*shape[:-2], k)
        and u.dtype == vh.dtype == np.dtype(dtype)
        and s.dtype == np.dtype(dtype).type(0).real.dtype
    )
    close_to((wide(u)[..., :k] * wide(s)[..., None, :]) @ wide(vh)[..., :k, :], a, dtype)
    for q in (wide(u), adjoint(wide(vh))):
        close_to(adjoint(q) @ q, np.broadcast_to(np.eye(q.shape[-1]), (*shape[:-2], q.shape[-1], q.shape[-1])), dtype)
    values = wide(s)
    assert (values >= 0).all() and (np.diff(values, axis=-1) <= 0).all()
    for others in (linalg.svdvals(cuarray.asarray(a)), linalg.svd(cuarray.asarray(a), compute_uv=False)):
        close_to(others, s, dtype)


#: Matrices whose eigenvalues come in pairs, are equal, defective, zero, or of very different sizes.
SPECIAL_MATRICES = {
    "rotation": np.array([[0.0, -1.0], [1.0, 0.0]]),
    "two rotations": np.kron(np.diag([1.0, 3.0]), np.array([[1.0, -2.0], [2.0, 1.0]])),
    "permutation": np.roll(np.eye(5), 1, 0),
    "one block of Jordan": np.diag(np.full(4, 2.0)) + np.diag(np.ones(3), 1),
    "nilpotent": np.triu(np.ones((4, 4)), 1),
    "zeros": np.zeros((3, 3)),
    "identity": np.eye(4),
    "triangle": np.triu(np.arange(1.0, 17.0).reshape(4, 4)),
    "lower triangle": np.tril(np.arange(1.0, 17.0).reshape(4, 4)),
    "rank one": np.outer(np.arange(1.0, 5.0), [1.0, -1.0, 2.0, 0.5]),
    "companion": np.vstack([[15.0, -85.0, 225.0, -274.0, 120.0], np.eye(4, 5)]),
    "sizes": np.diag([1e6, 1.0, 1e-6]) + np.array([[0, 1e3, 1.0], [1.0, 0, 1e-3], [1e-3, 1.0, 0]]),
    "huge": 1e35 * np.array([[1.0, 2.0], [-3.0, 1.0]]),
    "tiny": 1e-35 * np.array([[1.0, 2.0], [-3.0, 1.0]]),
}


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("name", SPECIAL_MATRICES)
def test_eig_of_special_matrices(name, dtype, device):
    a = (SPECIAL_MATRICES[name] * (1 + 0.5j if dtype[0] == "c" else 1)).astype(dtype)
    values, vectors = linalg.eig(cuarray.asarray(a))
    size = np.abs(wide(a)).sum() or 1
    close_to(wide(a) @ wide(vectors) / size, wide(vectors) * wide(values) / size, dtype, 50, scale=1)
    close_to(np.sqrt((abs(wide(vectors)) ** 2).sum(-2)), np.ones(len(a)), dtype)
    if dtype[0] == "f":  # pairs are exact, and real eigenvalues have real vectors
        found = values.numpy()
        pairs = found.imag != 0
        assert set(found[pairs].tolist()) == set(found[pairs].conj().tolist())
        assert not vectors.numpy().imag[:, ~pairs].any()
    close_to(wide(linalg.eigvals(cuarray.asarray(a))).sum() / size, np.trace(wide(a)) / size + 0j, dtype, 50, scale=1)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("shape", SQUARES)
def test_eig(shape, dtype, device, rng):
    skip_slow(shape, device)
    a = drawn(rng, shape, dtype)
    values, vectors = linalg.eig(cuarray.asarray(a))
    owns(values, vectors)
    kind = np.dtype("c8" if dtype in ("f4", "c8") else "c16")
    assert values.dtype == vectors.dtype == kind and values.shape == shape[:-1] and vectors.shape == shape
    close_to(
        wide(a) @ wide(vectors),
        wide(vectors) * wide(values)[..., None, :],
        dtype,
        500,
        scale=max(1, np.abs(a).sum(initial=0)),
    )
    close_to(np.sqrt((abs(wide(vectors)) ** 2).sum(-2)), np.ones(shape[:-1]), dtype)
    others = linalg.eigvals(cuarray.asarray(a))
    assert others.dtype == kind
    close_to(
        wide(others).sum(-1), np.trace(wide(a), axis1=-2, axis2=-1) + 0j, dtype, scale=max(1, np.abs(a).sum(initial=0))
    )
    # Real eigenvalues are complex numbers, too.
    symmetric = hermitian(rng, shape, dtype)
    assert (
        linalg.eigvals(cuarray.asarray(symmetric)).dtype
        == kind
        == linalg.eig(cuarray.asarray(symmetric)).eigenvectors.dtype
    )


@pytest.mark.parametrize("dtype", DTYPES)
def test_vectors_of_a_singular_hermitian_matrix_have_length_one(dtype, device):
    a = np.zeros((2, 3, 3), dtype)
    a[1] = [[0, 2, 0], [2, 0, 0], [0, 0, 0]]
    left, values, right = linalg.svd(cuarray.asarray(a), hermitian=True)
    close_to(wide(right) @ np.swapaxes(wide(right).conj(), -1, -2), np.broadcast_to(np.eye(3), a.shape), dtype)
    close_to((wide(left) * wide(values)[:, None, :]) @ wide(right), a, dtype)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("shape", SQUARES)
@pytest.mark.parametrize("letter", ["L", "U", "l", "u"])
def test_eigh(shape, dtype, letter, device, rng):
    skip_slow(shape, device)
    a = hermitian(rng, shape, dtype)
    part, k = (np.tril, 1) if letter in "lL" else (np.triu, -1)
    # The other triangle is not read.
    spoiled = part(a) + (np.triu if letter in "lL" else np.tril)(np.full(shape, 77), k).astype(dtype)
    values, vectors = linalg.eigh(cuarray.asarray(spoiled), letter)
    owns(values, vectors)
    assert values.dtype == np.dtype(dtype).type(0).real.dtype and vectors.dtype == np.dtype(dtype)
    close_to(
        wide(a) @ wide(vectors),
        wide(vectors) * wide(values)[..., None, :],
        dtype,
        scale=max(1, np.abs(a).sum(initial=0)),
    )
    close_to(adjoint(wide(vectors)) @ wide(vectors), np.broadcast_to(np.eye(shape[-1]), shape), dtype)
    assert (np.diff(wide(values), axis=-1) >= 0).all()
    close_to(linalg.eigvalsh(cuarray.asarray(spoiled), UPLO=letter), values, dtype)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("shape", [s for s in SHAPES if len(s) == 2])
@pytest.mark.parametrize("columns", [None, 1, 3, 0])
def test_lstsq(shape, dtype, columns, device, rng):
    skip_slow(shape, device)
    a = drawn(rng, shape, dtype)
    b = drawn(rng, (shape[0],) if columns is None else (shape[0], columns), dtype)
    x, residuals, rank, s = linalg.lstsq(cuarray.asarray(a), cuarray.asarray(b))
    owns(x, residuals, rank, s)
    assert x.shape == (shape[1], *b.shape[1:]) and rank == min(shape) and s.shape == (min(shape),)
    rest = wide(b) - wide(a) @ wide(x)
    # Least squares: what is left is orthogonal to the columns; the shortest solution lies in the space of the rows.
    close_to(adjoint(wide(a)) @ rest, np.zeros(x.shape), dtype, 1000, scale=max(1, np.abs(a).sum(initial=0)))
    close_to(wide(linalg.pinv(cuarray.asarray(a))) @ wide(b), x, dtype, 1000)
    if shape[0] > shape[1] > 0 and columns != 0:
        close_to(np.atleast_1d((abs(rest) ** 2).sum(0)), residuals, dtype, 1000)
    if min(shape):
        close_to(s, linalg.svdvals(cuarray.asarray(a)), dtype)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("shape", SHAPES)
def test_pinv(shape, dtype, rng, device):
    a = drawn(rng, shape, dtype)
    x = linalg.pinv(cuarray.asarray(a), rtol=None)
    assert x.shape == (*shape[:-2], shape[-1], shape[-2]) and x.dtype == np.dtype(dtype)
    a, p = wide(a), wide(x)
    bound = 1e4 * max(1, float(np.abs(p).max(initial=0)))
    close_to(a @ p @ a, a, dtype, bound)
    close_to(p @ a @ p, p, dtype, bound)
    for product in (a @ p, p @ a):
        close_to(product, adjoint(product), dtype, bound)


@pytest.mark.parametrize("layout", layouts.LAYOUTS)
@pytest.mark.parametrize("dtype", ["f4", "c16"])
@pytest.mark.parametrize(
    "name", [n for n in NAMES if n not in ("lstsq", "tensorsolve", "tensorinv", "cross", "outer", "multi_dot")]
)
def test_layouts_give_the_same(name, layout, dtype, rng, device):
    a = invertible(rng, (3, 4, 4), dtype)
    if name in ("cholesky", "eigh", "eigvalsh"):
        a = (a @ adjoint(a)).astype(dtype)
    more = (a,) if name in ("solve", "matmul", "vecdot", "tensordot") else ()
    options = {"axes": ([1, 2], [2, 1])} if name == "tensordot" else {"n": 3} if name == "matrix_power" else {}
    view = layout(a)
    assert (view.numpy() == a).all()
    keep = view.copy()
    ours = getattr(linalg, name)(view, *(layout(x) for x in more), **options)
    # Signs of vectors and the order of eigenvalues are a library's own.
    module, right = (np.linalg, a) if device == "cpu" else (linalg, cuarray.asarray(a))
    theirs = getattr(module, name)(right, *(right for _ in more), **options)
    for x, y in zip(
        ours if isinstance(ours, tuple) else [ours], theirs if isinstance(theirs, tuple) else [theirs], strict=True
    ):
        close_to(x, y, dtype, 500)
    assert (view == keep).all()


@pytest.mark.parametrize(
    "name", ["solve", "inv", "det", "svdvals", "eigh", "qr", "pinv", "norm", "matrix_rank", "cond"]
)
def test_integers_and_bools_become_float64(name, device):
    for dtype in ("?", "i1", "u2", "i8"):
        x = np.asarray([[1, 0], [1, 1]], dtype)
        arrays = (x, x) if name == "solve" else (x,)
        got = getattr(linalg, name)(*map(cuarray.asarray, arrays))
        first = got[0] if isinstance(got, tuple) else got
        assert first.dtype == (np.int64 if name == "matrix_rank" else np.float64)


# Difficult matrices


def hilbert(n):
    return 1 / (np.arange(n)[:, None] + np.arange(n) + 1.0)


def test_ill_conditioned(device):
    a = hilbert(10)
    ours = cuarray.asarray(a)
    b = np.ones(10)
    x = linalg.solve(ours, cuarray.asarray(b))
    # Backward stable: the residual is small, although x is far off.
    assert np.abs(wide(a) @ wide(x) - b).max() < 1e-14 * np.abs(wide(x)).max() * 10
    assert (
        1e12 < linalg.cond(ours) < 1e14 and linalg.matrix_rank(ours) == 10 and linalg.matrix_rank(ours, rtol=1e-6) < 8
    )
    assert np.isclose(linalg.slogdet(ours).logabsdet.item(), np.linalg.slogdet(a).logabsdet)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("scale", ["huge", "tiny"])
def test_scales(dtype, scale, rng, device):
    limits = np.finfo(dtype)
    factor = np.sqrt(float(limits.max)) / 100 if scale == "huge" else float(limits.tiny) ** 0.5 * 100
    a = (invertible(rng, (4, 4), "f8") * factor).astype(dtype)
    ours = cuarray.asarray(a)
    close_to(wide(a) @ wide(linalg.inv(ours)), np.eye(4), dtype, 1000)
    u, s, vh = linalg.svd(ours)
    close_to((wide(u) * wide(s)) @ wide(vh), a, dtype)
    assert np.isclose(linalg.norm(ours).item(), np.linalg.norm(a.astype("c16")), rtol=1e-5)
    _, logarithm = linalg.slogdet(ours)
    assert np.isclose(logarithm.item(), np.linalg.slogdet(a.astype("c16")).logabsdet, rtol=1e-5)
    assert linalg.matrix_rank(ours) == 4


@pytest.mark.parametrize("call", ["inv(x)", "solve(x, x)", "solve(x, ca.ones(3))", "matrix_power(x, -2)", "tensorinv(x, ind=1)", "tensorsolve(x, ca.ones(3))",
                                  "solve(stack, stack)", "inv(stack)"])  # fmt: skip
def test_singular_matrices_raise(call, device):
    x = cuarray.zeros((3, 3))
    stack = cuarray.asarray(np.stack([np.eye(3), np.ones((3, 3)), np.eye(3)]))
    name = call.partition("(")[0]
    with pytest.raises(LinAlgError, match=rf"^{name}: Singular matrix.*3, 3\)"):
        eval(f"linalg.{call}", {"linalg": linalg, "x": x, "stack": stack, "ca": cuarray})


def test_singular_matrices_elsewhere():
    x = cuarray.asarray(np.stack([np.eye(3), np.ones((3, 3)), np.zeros((3, 3))]))
    assert linalg.det(x)[0] == 1 and abs(linalg.det(x)[1:]).max() < 1e-15
    assert linalg.slogdet(x).logabsdet[2] == -cuarray.inf and linalg.slogdet(x).sign[2] == 0
    assert linalg.matrix_rank(x).tolist() == [3, 1, 0]
    close_to(linalg.pinv(x), np.stack([np.eye(3), np.full((3, 3), 1 / 9), np.zeros((3, 3))]), "f8")
    for p in (None, 2, 1, "fro", np.inf):
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            found = linalg.cond(x, p)
        assert np.isfinite(found[0].item()) and found[1].item() > 1e15 and found[2].item() == np.inf
    assert linalg.cond(x[None], 1).shape == (1, 3)
    with pytest.raises(LinAlgError, match=r"^cholesky: .*not positive definite"):
        linalg.cholesky(x)
    x, residuals, rank, s = linalg.lstsq(cuarray.ones((3, 2)), cuarray.asarray([1.0, 2, 3]))
    assert rank == 1 and residuals.size == 0 and np.allclose(x.numpy(), 1) and s[1] < 1e-15


def test_nothing_warns():
    bad = cuarray.asarray([[np.nan, np.inf], [1e308, 1e308]])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        linalg.det(bad)
        linalg.slogdet(bad)
        linalg.slogdet(cuarray.zeros((2, 2)))
        linalg.det(cuarray.full((3, 3), 1e30, dtype="f4") * cuarray.eye(3, dtype="f4"))
        linalg.inv(cuarray.eye(2, dtype="f4") * cuarray.asarray(1e-45, dtype="f4"))
        linalg.norm(bad)
        linalg.norm(bad, -1)
        linalg.vector_norm(cuarray.zeros(2), ord=-1)
        assert np.isnan(linalg.cond(bad)) and np.isnan(linalg.cond(bad, "nuc"))
        for call in (linalg.eig, linalg.eigvals, linalg.svd, linalg.pinv, linalg.matrix_rank):
            with pytest.raises(LinAlgError, match=rf"^{call.__name__}: "):
                call(bad)


# Norms


def test_halves_are_computed_in_float32(device):
    x = cuarray.full(1000, 300, dtype="f2")
    for norm in (
        linalg.norm(x),
        linalg.vector_norm(x),
        linalg.norm(x, 2, axis=0),
        linalg.norm(x.reshape(10, 100), "fro", axis=(0, 1)),
    ):
        assert norm.dtype == np.float16 and abs(norm.item() - 300 * np.sqrt(1000)) < 8
    assert linalg.norm(x, 3).item() == np.float16(3000)
    import ml_dtypes

    y = cuarray.full(1000, 3, dtype=ml_dtypes.bfloat16)
    assert linalg.norm(y).dtype == ml_dtypes.bfloat16 and abs(float(linalg.norm(y)) - 94.9) < 0.5
    assert linalg.norm(y, 1).dtype == ml_dtypes.bfloat16 and abs(float(linalg.norm(y, 1)) - 3000) < 16
    # A norm that a sum of squares in float16 loses: 2**-24 is its smallest number.
    assert linalg.norm(cuarray.full(4, 2.0**-20, dtype="f2")).item() == 2.0**-19


@pytest.mark.parametrize("dtype", ["f4", "f8", "c8", "c16"])
@pytest.mark.parametrize("count", [1, 7, 1000, 100001])
def test_lengths_are_accurate(dtype, count, rng, device):
    x = drawn(rng, count, dtype)
    exact = np.sqrt((abs(wide(x)) ** 2).sum())
    for norm in (linalg.norm(cuarray.asarray(x)), linalg.vector_norm(cuarray.asarray(x), axis=0)):
        close_to(norm, exact, dtype, 20)
    for p in (1, 1.5, 3, np.inf):
        exact = abs(wide(x)).max() if p == np.inf else (abs(wide(x)) ** p).sum() ** (1 / np.longdouble(p))
        close_to(linalg.vector_norm(cuarray.asarray(x), ord=p), exact, dtype, 20)


@pytest.mark.parametrize("dtype", ["f8", "f4"])
@pytest.mark.parametrize("shape", [(7,), (5, 6), (300, 200), (3, 40, 5)])
def test_short_and_general_ways_to_a_length_agree(shape, dtype, device, rng):
    x = cuarray.asarray(rng.standard_normal(shape).astype(dtype), device=device)
    for axis in (None, *range(-x.ndim, x.ndim)):
        for keepdims in (False, True):
            short = linalg.norm(x, axis=axis, keepdims=keepdims)
            general = linalg.vector_norm(x, axis=axis, keepdims=keepdims)
            assert short.numpy().tobytes() == general.numpy().tobytes() and short.shape == general.shape


def test_norms_are_values(device):
    x = cuarray.asarray([[3.0, 4.0], [0.0, 1.0]])
    for one in (linalg.norm(x), linalg.norm(x, 1), linalg.norm(x, "nuc"), linalg.vector_norm(x), linalg.matrix_norm(x), linalg.cond(x), linalg.cond(x, 1),
                linalg.det(x), linalg.slogdet(x).sign, linalg.slogdet(x).logabsdet, linalg.matrix_rank(x), linalg.trace(x), linalg.norm(x[0], 3),
                linalg.matrix_rank(x[0]), linalg.lstsq(x, x)[2]):  # fmt: skip
        assert one.shape == () and hash(one) == hash(one.item()), one
    assert linalg.matrix_rank(x).dtype == np.int64


# Products


def products_in_all_orders(arrays):
    """Yield the product in each order, and how many multiplications it takes."""
    if len(arrays) == 1:
        yield arrays[0], 0
    for split in range(1, len(arrays)):
        for left, cost_of_left in products_in_all_orders(arrays[:split]):
            for right, cost_of_right in products_in_all_orders(arrays[split:]):
                cost = left.shape[0] * left.shape[1] * right.shape[1]
                yield left @ right, cost_of_left + cost_of_right + cost


def test_multi_dot_multiplies_in_the_best_order(rng):
    for count in (2, 3, 4, 5):
        for _ in range(20):
            lengths = rng.integers(1, 30, count + 1).tolist()
            arrays = [cuarray.array(rng.standard_normal(shape)) for shape in pairwise(lengths)]
            products = list(products_in_all_orders(arrays))
            least = min(cost for _, cost in products)
            best = {product.tobytes() for product, cost in products if cost == least}
            assert linalg.multi_dot(arrays).tobytes() in best  # orders differ in rounding errors
            assert linalg.multi_dot(arrays, out=(out := cuarray.zeros(products[0][0].shape))) is out
            assert out.tobytes() in best


@pytest.mark.parametrize("others", [1, 0])
@pytest.mark.parametrize("n", range(1, 9))
def test_nan_in_a_small_matrix_makes_nan(n, others, device):
    for i, j in np.ndindex(n, n):
        x = others * (np.eye(n) + 1)
        x[i, j] = np.nan
        a = cuarray.asarray(x, device="cpu")
        assert np.isnan(linalg.det(a)) and np.isnan(linalg.slogdet(a).logabsdet), (i, j)
        assert np.isnan(linalg.inv(a)).any() and np.isnan(linalg.solve(a, a)).any(), (i, j)


@pytest.mark.parametrize("n", [*range(1, 14), 33])
@pytest.mark.parametrize("stack", [(), (5,)])
@pytest.mark.parametrize("dtype", ["f8", "f4", "c16", "c8", "i4", "u1", "?"])
@pytest.mark.parametrize("is_transposed", [False, True])
def test_equations_of_every_length(n, stack, dtype, is_transposed, rng, device):
    x = (
        (rng.standard_normal((*stack, n, n)) * 3).astype(dtype)
        if dtype != "?"
        else np.eye(n)[::-1] * np.ones((*stack, 1, 1)) > 0
    )
    if dtype in "c16c8":
        x = x + (1j * rng.standard_normal(x.shape)).astype(dtype)
    if dtype in ("i4", "u1"):
        x = (x % 4 + 5 * np.eye(n)).astype(dtype)
    definite = (x @ x.conj().mT + np.eye(n)).astype(dtype) if x.dtype.kind in "fc" else np.eye(n, dtype=dtype)
    a, s = cuarray.asarray(x, device="cpu"), cuarray.asarray(definite, device="cpu")
    if is_transposed:
        x, a, definite, s = x.mT, a.mT, definite.mT, s.mT
    b = rng.standard_normal((*stack, n, 3)).astype(x.dtype if x.dtype.kind in "fc" else float)
    rtol = 2e-3 if x.dtype in ("f4", "c8") else 1e-9
    alike(linalg.det(a), np.linalg.det(x), rtol)
    alike(tuple(linalg.slogdet(a)), tuple(np.linalg.slogdet(x)), rtol)
    alike(linalg.inv(a), np.linalg.inv(x), rtol)
    alike(linalg.solve(a, cuarray.asarray(b, device="cpu")), np.linalg.solve(x, b), rtol)
    for upper in (False, True):
        alike(linalg.cholesky(s, upper=upper), np.linalg.cholesky(definite, upper=upper), rtol)


def test_small_determinants_are_exact_and_do_not_overflow_early(device):
    assert linalg.det(cuarray.asarray([[1.0, 2.0], [3.0, 4.0]], device="cpu")) == -2
    scales = cuarray.asarray([1e300, 1e300, 1e-300, 1e-300], device="cpu")
    assert linalg.det(cuarray.diag(scales)) == pytest.approx(1)
    assert linalg.det(cuarray.diag(scales[:2])) == np.inf and linalg.det(cuarray.diag(scales[2:])) == 0
    assert linalg.slogdet(cuarray.diag(scales[:2])).logabsdet == pytest.approx(2 * np.log(1e300))
    for n in range(1, 9):
        assert tuple(linalg.slogdet(cuarray.eye(n, device="cpu"))) == (1, 0)


@pytest.mark.parametrize("n", [1, 2, 5, 9, 20])
@pytest.mark.parametrize("stack", [(), (4,)])
@pytest.mark.parametrize("dtype", ["f8", "f4", "c16", "c8", "i4"])
def test_decompositions_without_all_vectors(n, stack, dtype, rng, device):
    x = (rng.standard_normal((*stack, n, n + 2)) * 5).astype(dtype)
    if np.dtype(dtype).kind == "c":
        x = x + (1j * rng.standard_normal(x.shape)).astype(dtype)
    square = x[..., :n]
    rtol = 2e-3 if dtype in ("f4", "c8") else 1e-9
    for y in (x, x.mT, square):
        a = cuarray.asarray(y, device="cpu")
        wanted = np.linalg.svdvals(y)
        for full in (False, True):
            u, values, vh = linalg.svd(a, full_matrices=full)
            alike(values, wanted, rtol)
            assert u.dtype == vh.dtype == np.linalg.qr(y).Q.dtype and u.shape == np.linalg.svd(y, full).U.shape
            k = values.shape[-1]
            np.testing.assert_allclose(
                ((u[..., :k] * values[..., None, :]) @ vh[..., :k, :]).numpy(), y, atol=rtol * 20
            )
            np.testing.assert_allclose(
                (u.conj().mT @ u).numpy(), np.eye(u.shape[-1]) * np.ones((*stack, 1, 1)), atol=rtol
            )
        alike(linalg.svd(a, compute_uv=False), wanted, rtol)
        alike(linalg.svdvals(a), wanted, rtol)
    a = cuarray.asarray(square, device="cpu")
    for letter in "LUlu":
        values, vectors = linalg.eigh(a, letter)
        alike(linalg.eigvalsh(a, UPLO=letter), np.linalg.eigvalsh(square, letter), rtol)
        alike(values, np.linalg.eigvalsh(square, letter), rtol)
        lower = np.tril(square) if letter in "Ll" else np.triu(square).conj().mT
        hermitian = lower + np.tril(lower, -1).conj().mT
        hermitian = hermitian - 1j * np.imag(hermitian) * np.eye(n) if np.dtype(dtype).kind == "c" else hermitian
        np.testing.assert_allclose(
            (hermitian @ vectors.numpy()), vectors.numpy() * values.numpy()[..., None, :], atol=rtol * 50
        )
    values, vectors = linalg.eig(a)
    assert values.dtype == vectors.dtype == (np.complex64 if dtype in ("f4", "c8") else np.complex128)
    np.testing.assert_allclose(square @ vectors.numpy(), vectors.numpy() * values.numpy()[..., None, :], atol=rtol * 50)
    np.testing.assert_allclose(np.abs(vectors.numpy() ** 2).sum(-2), 1, rtol=rtol)
    alike(linalg.eigvals(a), np.linalg.eigvals(square).astype(values.dtype), rtol)


@pytest.mark.parametrize("n", [2, 3, 7, 8, 31, 100])
def test_powers_are_exact_for_integers(n, device):
    a = np.asarray([[1, 1], [1, 0]], object)
    want = np.linalg.matrix_power(np.asarray([[1, 1], [1, 0]]), min(n, 90))
    if n <= 90:
        assert (linalg.matrix_power(cuarray.asarray([[1, 1], [1, 0]]), n).numpy() == want).all()
    exact = a
    for _ in range(n - 1):
        exact = exact @ a
    got = linalg.matrix_power(cuarray.asarray([[1.0, 1], [1, 0]]), n).numpy()
    np.testing.assert_allclose(got, exact.astype(float), rtol=1e-13)


def test_diagonals_are_views():
    x = cuarray.zeros((2, 3, 4))
    assert cuarray.shares_memory(linalg.diagonal(x), x) and not linalg.diagonal(x).flags.writeable
    assert cuarray.shares_memory(linalg.matrix_transpose(x), x)


# NumPy's functions


@pytest.mark.parametrize("name", NAMES)
def test_numpys_functions_answer_with_ours(name):
    x = cuarray.asarray([[4.0, 1.0, 0.0], [1.0, 3.0, 1.0], [0.0, 1.0, 5.0]])
    arguments = {"solve": (x, x), "lstsq": (x, x), "tensorsolve": (x, x[0]), "tensorinv": (x, 1), "matrix_power": (x, 2), "multi_dot": ([x, x, x],), "outer": (x[0], x[0]),
                 "matmul": (x, x), "cross": (x, x), "vecdot": (x, x), "tensordot": (x, x)}.get(name, (x,))  # fmt: skip
    theirs, ours = getattr(np.linalg, name)(*arguments), getattr(linalg, name)(*arguments)
    for a, b in zip(
        theirs if isinstance(theirs, tuple) else [theirs], ours if isinstance(ours, tuple) else [ours], strict=True
    ):
        assert isinstance(a, cuarray.ndarray) and a.dtype == b.dtype and (a == b).all()
    assert type(theirs) is type(ours)


def test_numpy_arrays_beside_ours():
    x = cuarray.asarray([[2.0, 0.0], [0.0, 4.0]])
    assert isinstance(np.linalg.solve(np.eye(2), x), cuarray.ndarray)
    assert np.linalg.norm(x, axis=1).tolist() == [2, 4] and np.linalg.norm(x, ord=1, keepdims=True).shape == (1, 1)


def test_inside_fuse(device):
    @cuarray.fuse
    def f(x):
        y = x * 2 + 1
        return linalg.solve(y @ y.mT, y[:, 0]) * 3 + linalg.norm(y - 1)

    x = cuarray.asarray([[1.0, 2.0], [5.0, 3.0]])
    y = x.numpy() * 2 + 1
    np.testing.assert_allclose(f(x).numpy(), np.linalg.solve(y @ y.T, y[:, 0]) * 3 + np.linalg.norm(y - 1), rtol=1e-10)


#: Factorisations with their options, each once.
EVERY = """det(x); slogdet(x); inv(x); solve(x, x[0]); cholesky(x @ x.mT); cholesky(x @ x.mT, upper=True); eig(x); eigvals(x); eigh(x); eigh(x, "U");
eigvalsh(x); qr(x); qr(x[:3]); qr(x[:, :3], "complete"); qr(x, "r"); qr(x, "raw"); svd(x); svd(x[:3], False); svd(x, hermitian=True); svdvals(x)"""


@pytest.mark.parametrize("n", [5, 12])
@pytest.mark.parametrize("call", [call.strip() for call in EVERY.split(";")])
def test_observed_calls_are_tasks_with_the_same_bits(call, n, rng):
    """A profile shows LAPACK's drivers; results do not depend on it, nor on fusing, nor on the layout."""
    x = cuarray.asarray(rng.standard_normal((n, n)), device="cpu")
    want = flat_bits(eval(f"linalg.{call}", {"linalg": linalg, "x": x}))
    with cuarray.profile() as profile:
        got = flat_bits(eval(f"linalg.{call}", {"linalg": linalg, "x": x}))
    name = call.partition("(")[0]
    kernels = [event.kernel for event in profile.events if event.kind == "launch" and event.name == name]
    assert got == want and any(
        k in ("gesv", "getrf", "potrf", "syevd", "geev", "gesdd", "orgqr", "geqrf") for k in kernels
    )
    with cuarray.fuse():
        assert flat_bits(eval(f"linalg.{call}", {"linalg": linalg, "x": x * 1})) == want
    assert flat_bits(eval(f"linalg.{call}", {"linalg": linalg, "x": x.copy("F")})) == want


def flat_bits(results):
    return [x.numpy().tobytes() for x in (results if isinstance(results, tuple) else (results,))]


def test_factorisations_without_a_blas():
    """CUARRAY_LIBBLAS chooses the products; LAPACK is NumPy's even so."""
    code = (
        "import numpy, cuarray; x = cuarray.asarray(numpy.arange(81.).reshape(9, 9) % 7 + 9 * numpy.eye(9), device='cpu')\n"
        "assert all((a == b).all() for a, b in zip(cuarray.linalg.eigh(x), numpy.linalg.eigh(x.numpy())))\n"
        "assert (cuarray.linalg.inv(x) == numpy.linalg.inv(x.numpy())).all()"
    )
    subprocess.run([sys.executable, "-c", code], check=True, timeout=60, env=os.environ | {"CUARRAY_LIBBLAS": "off"})


def test_captures_refuse_factorisations():
    x, graph = cuarray.eye(3, device="cpu"), cuarray.Graph()
    with pytest.raises(RuntimeError, match="inv"), graph.capture():
        linalg.inv(x)


def test_results_do_not_change_with_the_argument(device):
    x = cuarray.eye(3)
    found = [
        linalg.inv(x),
        *linalg.eigh(x),
        linalg.cholesky(x),
        *linalg.svd(x),
        *linalg.qr(x),
        linalg.pinv(x),
        linalg.matrix_power(x, 2),
    ]
    assert not [y for y in found if cuarray.shares_memory(x, y)]
    before = [y.copy() for y in found]
    x[...] = 7
    assert all((a == b).all() for a, b in zip(found, before, strict=True))


# Errors


@pytest.mark.parametrize(("call", "kind", "words"), [
    ("inv(ca.ones((2, 3)))", LinAlgError, r"inv: the matrix must be square, and it is 2 by 3"),
    ("det(ca.ones(3))", LinAlgError, r"det: a matrix has two axes, and the array has 1"),
    ("solve(ca.eye(2), ca.ones(3))", ValueError, r"solve: 2 equations, but 3 numbers on the right side of shape \(3,\)"),
    ("solve(ca.ones((3, 2, 2)), ca.ones((2, 2, 2)))", ValueError, r"solve: the stacks of shapes \(3, 2, 2\) and \(2, 2, 2\)"),
    ("lstsq(ca.ones((3, 2)), ca.ones(4))", LinAlgError, r"lstsq: 3 equations, but 4 rows"),
    ("svd(ca.ones((2, 2), dtype='f2'))", TypeError, r"svd: there are no factorisations in float16"),
    ("inv(ca.ones((2, 2), dtype=ca.bfloat16))", TypeError, r"inv: there are no factorisations in bfloat16"),
    ("eigh(ca.eye(2), 'X')", ValueError, r"eigh: UPLO must be 'L' or 'U', not 'X'"),
    ("eigh(ca.eye(2), 3)", TypeError, r"eigh: UPLO must be 'L' or 'U', not 3"),
    ("qr(ca.eye(2), 'full')", ValueError, r"qr: mode must be 'reduced'.*not 'full'"),
    ("norm(ca.ones(3), 'fro')", ValueError, r"norm: vectors have no norm of order 'fro'"),
    ("norm(ca.eye(2), 3)", ValueError, r"norm: matrices have no norm of order 3"),
    ("norm(ca.ones((2, 2, 2)), 1)", ValueError, r"norm: a vector has one axis and a matrix two, not 3"),
    ("matrix_norm(ca.zeros((0, 2)), ord=-2)", ValueError, r"matrix_norm: there is no smallest"),
    ("cond(ca.zeros((0, 0)))", LinAlgError, r"cond: matrices without elements"),
    ("matrix_rank(ca.eye(2), 1, rtol=1)", ValueError, r"matrix_rank: tol and rtol"),
    ("pinv(ca.eye(2), 1, rtol=1)", ValueError, r"pinv: rcond and rtol"),
    ("matrix_power(ca.eye(2), 1.5)", TypeError, r"matrix_power: the exponent must be an integer, not 1.5"),
    ("multi_dot([ca.ones((2, 3)), ca.ones((2, 3)), ca.ones(3)])", ValueError, r"multi_dot: arrays 0 and 1 of shapes \(2, 3\) and \(2, 3\)"),
    ("cross(ca.ones(2), ca.ones(3))", ValueError, r"cross: vectors must have 3 components, not 2 and 3"),
    ("outer(ca.ones((2, 2)), ca.ones(2))", ValueError, r"outer: the arrays must be one-dimensional, and they have 2 and 1 axes"),
    ("tensorinv(ca.ones((2, 3)), ind=1)", LinAlgError, r"tensorinv: axes of 2 and 3 elements"),
    ("tensorsolve(ca.ones((2, 3)), ca.ones(2))", LinAlgError, r"tensorsolve: shapes \(2, 3\) and \(2,\)"),
    ("eig(ca.full((2, 2), ca.nan))", LinAlgError, r"eig: .*infs or NaNs"),
    ("svdvals(ca.full((2, 2), ca.nan))", LinAlgError, r"svdvals: SVD did not converge"),
    ("lstsq(ca.eye(2), ca.ones(2), [1, 2])", TypeError, r"lstsq: rcond must be a real number"),
    ("lstsq(ca.eye(2), ca.ones(2), ca.ones((1, 1)))", TypeError, r"lstsq: rcond must be a real number"),
    ("inv('a')", TypeError, r"inv: "),
    ("norm(None)", TypeError, r"norm: "),
])  # fmt: skip
def test_errors_name_the_function_and_the_values(call, kind, words):
    with pytest.raises(kind, match=f"^{words}"):
        eval(f"linalg.{call}", {"linalg": linalg, "ca": cuarray})


def test_masked_arrays_are_refused():
    with pytest.raises(TypeError):
        linalg.inv(np.ma.array(np.eye(2), mask=np.eye(2)))


# Devices


def test_arrays_of_two_devices_are_refused(device):
    if device == "cpu":
        return
    x = cuarray.eye(3)
    for call in (lambda: linalg.solve(x, x.to_device("cpu")), lambda: linalg.multi_dot([x, x.to_device("cpu")])):
        with pytest.raises(ValueError, match="device"):
            call()


#: Calls whose results are unique, with the names of NAMED.
UNIQUE = """
cholesky(d @ d.mT); cholesky(i @ i.mT, upper=True); cholesky(T @ T.mT.conj()); cholesky(E); cholesky(-(d @ d.mT)); cholesky(t); det(d); det(i); det(b); det(f);
det(c); det(S); det(T); det(X); det(E); det(O); det(P); det(t); slogdet(d); slogdet(z); slogdet(S[::-1, 1:]); slogdet(X); slogdet(O); slogdet(c * 0); slogdet(-I);
inv(u); inv(d.mT); inv(T[:, ::2]); inv(S[..., ::-1]); inv(X); inv(O); inv(P); inv(v); inv(h); solve(d, k); solve(d, f); solve(f, f); solve(f, c); solve(f, k); solve(i, i);
solve(S, k); solve(S, d); solve(d, S); solve(S, T); solve(S[0], S); solve(S[:, :1], S); solve(S[:1, :1], S); solve(S[:, :2], S); solve(S, v); solve(d, o);
solve(d, S.mT[:, ::-1]); solve(X, v); solve(E, v); solve(E, E); solve(O, O); solve(O, e); solve(P, P); solve(d, d[:, :0]); solve(d[::-1, ::-1], k[::-1]);
eigvalsh(d); eigvalsh(f, 'U'); eigvalsh(S.mT, 'U'); eigvalsh(z); eigvalsh(O); eigvalsh(t); svdvals(t); svdvals(w); svdvals(y); svdvals(C); svdvals(T); svdvals(i);
svd(y, compute_uv=False); svd(d, compute_uv=False, hermitian=True); svd(S, False, False, True); svd(t, hermitian=True); svd(C); svd(R, False); qr(C, 'complete');
qr(R); qr(C, 'raw'); lstsq(t, t[:, 0] ** 2); lstsq(t, t ** 2); lstsq(t, t[:, :0]); lstsq(w, w[:, :2]); lstsq(d, z); lstsq(f, k); lstsq(f, f[:, 1], rcond=0.5); lstsq(i, i, -1);
lstsq(X, v); lstsq(R, e); lstsq(C, v); lstsq(O, O); lstsq(t, v); lstsq(S, v); pinv(t); pinv(w, 0.5); pinv(S, rtol=None); pinv(z + z.mT.conj(), hermitian=True);
matrix_rank(t); matrix_rank(X); matrix_rank(d + d.mT, hermitian=True); cond(d); cond(S); cond(d, 1); cond(X, 1); norm(d, 2); norm(d, 'nuc'); norm(S, -2, axis=(0, 2));
matrix_power(S, -3); matrix_power(X, -3); matrix_power(i, -1); tensorinv(d, 1); tensorsolve(d.reshape(4, 2, 2), k)
"""


@pytest.mark.parametrize("call", [call.strip() for call in UNIQUE.split(";")])
def test_devices_agree_with_numpy(call, device):
    want, got = (same.evaluate(f"xp.linalg.{call}", xp, NAMED) for xp in (np, cuarray))
    if isinstance(want, Exception):
        assert isinstance(got, LinAlgError if isinstance(want, LinAlgError) else same.public_type(want)), f"{got!r}"
        assert str(got).startswith(call.partition("(")[0])
        return
    if isinstance(got, Exception):
        raise got
    assert type(got) is type(want) or not isinstance(want, tuple) or type(got).__name__ == type(want).__name__
    alike(
        got if not isinstance(want, tuple) else tuple(got),
        tuple(want) if isinstance(want, tuple) else want,
        limit(call),
    )
    for x in got if isinstance(got, tuple) else (got,):
        assert x.device == device and x.flags.c_contiguous


@pytest.mark.parametrize(("call", "words"), [
    ("inv(X)", r"inv: Singular matrix \(shape \(3, 3\)\)"),
    ("solve(X, v)", r"solve: Singular matrix"),
    ("cholesky(-d)", r"cholesky: Matrix is not positive definite"),
    ("cholesky(c)", r"cholesky: Matrix is not positive definite"),
    ("inv(t)", r"inv: the matrix must be square, and it is 6 by 3"),
    ("svd(N)", r"svd: SVD did not converge"),
    ("svdvals(N)", r"svdvals: SVD did not converge"),
])  # fmt: skip
def test_failures_are_numpys_on_every_device(call, words, device):
    got = same.evaluate(f"xp.linalg.{call.replace('(c)', '(-(T @ T.mT.conj()))')}", cuarray, NAMED)
    assert isinstance(got, LinAlgError) and re.match(words, str(got)), repr(got)


@pytest.mark.parametrize("count", [3, 9])
def test_one_bad_matrix_of_a_stack_fails(count, device):
    for place in range(count):
        x = cuarray.stack([cuarray.eye(3)] * count)
        x[place] = 0
        for name in ("inv", "cholesky"):
            with pytest.raises(LinAlgError, match=f"^{name}: "):
                getattr(linalg, name)(x)
        signs = [float(k != place) for k in range(count)]
        assert linalg.det(x).tolist() == linalg.slogdet(x).sign.tolist() == signs
        assert linalg.slogdet(x).logabsdet.tolist() == [0 if sign else -np.inf for sign in signs]


def test_arguments_are_not_changed_on_any_device(device):
    before = np.asarray(SQUARE / 7)
    for dtype in ("f8", "c16"):
        x = cuarray.asarray(before.astype(dtype))
        found = [linalg.inv(x), linalg.solve(x, x), linalg.solve(x, x[0]), *linalg.qr(x), *linalg.svd(x), *linalg.eigh(x), linalg.det(x),
                 linalg.cholesky(x @ x.mT.conj()), *linalg.qr(x, "raw"), *linalg.lstsq(x, x)]  # fmt: skip
        assert (x.numpy() == before).all() and not any(cuarray.shares_memory(x, y) for y in found)
        owns(*found)


def test_inside_fuse_on_every_device(device):
    @cuarray.fuse
    def f(x):
        y = x * 2 + 1
        return linalg.solve(y @ y.mT, y[:, 0]) * 3 + linalg.det(y - 1)

    x = cuarray.asarray([[1.0, 2.0], [5.0, 3.0]])
    y = x.numpy() * 2 + 1
    np.testing.assert_allclose(f(x).numpy(), np.linalg.solve(y @ y.T, y[:, 0]) * 3 + np.linalg.det(y - 1), rtol=1e-10)


def test_everything_else_runs_on_every_device(device, rng):
    with cuarray.device(device):
        check_composed(device, rng)


def check_composed(device, rng):
    """Composed functions give NumPy's results and stay on the device."""
    host = {"a": rng.standard_normal((4, 4)).astype("f4"), "s": rng.standard_normal((2, 3, 3)), "c": rng.standard_normal((3, 3)) + 1j,
            "v": rng.standard_normal(3), "i": rng.integers(-3, 4, (3, 3))}  # fmt: skip
    ours = {name: cuarray.asarray(x, device=device) for name, x in host.items()}
    for call in """matmul(s, c); cross(s, v); outer(v, v); tensordot(s, c); vecdot(c, v); diagonal(s, offset=1); trace(s); trace(i); matrix_transpose(s);
            vector_norm(s); vector_norm(s, axis=1); vector_norm(c, ord=3); vector_norm(v, ord=0); vector_norm(s, axis=(0, 2), ord=INF, keepdims=True);
            vector_norm(v, ord=-INF); matrix_norm(s); matrix_norm(s, ord=1); matrix_norm(a, ord=-1); matrix_norm(s, ord=INF, keepdims=True);
            norm(v); norm(c); norm(i); norm(a, -INF); norm(s, axis=(2, 0)); norm(v, 1); matrix_power(i, 5); matrix_power(s, 0); multi_dot([v, c, i, v]);
            multi_dot([i, c, c]); matrix_rank(v)""".replace("\n", " ").split(";"):
        want = eval(f"linalg.{call.strip()}", {"linalg": np.linalg, "INF": np.inf, **host})
        got = eval(f"linalg.{call.strip()}", {"linalg": linalg, "INF": np.inf, **ours})
        assert got.device == device, call
        np.testing.assert_allclose(got.numpy(), want, rtol=2e-5, atol=1e-12, err_msg=call)
        assert got.dtype == np.asarray(want).dtype and got.shape == np.shape(want), call


def test_devices_do_not_mix():
    others = [d for d in cuarray.devices() if d != "cpu"]
    for other in others:
        with pytest.raises(ValueError):
            linalg.solve(cuarray.eye(2), cuarray.ones(2, device=other))


# roots and polyfit


@pytest.mark.parametrize("expression", """
xp.roots([1, -3, 2])
xp.roots([0, 0, 1, -3, 2, 0, 0])
xp.roots([])
xp.roots([0, 0])
xp.roots([5])
xp.roots([1, 0, 1])
xp.roots([True, False, True])
xp.roots(g)
xp.roots(q)
xp.roots(d)
xp.roots(o)
xp.roots([1, np.nan, 2])
xp.roots(xp.asarray([1, 2, 3], dtype='f2'))
xp.polyfit(xp.arange(5), [1, 2, 5, 3, 4], 2)
xp.polyfit(t[:, 0], t, 2)
xp.polyfit(t[:, 0], t[:, 1], 3, full=True)
xp.polyfit(t[:, 0], t[:, 1], 3, 0.2, True)
xp.polyfit(t[:, 0], t, 1, cov=True)
xp.polyfit(t[:, 0], t[:, 1], 1, cov='unscaled', w=abs(t[:, 2]))
xp.polyfit(t[:, 0] + 1j, t[:, 1], 2)
xp.polyfit(v, g, 1)
xp.polyfit(g, g, 1)
xp.polyfit(v, v, 0)
xp.polyfit(v, v, -1)
xp.polyfit(v, v, [1, 2])
xp.polyfit(v, k, 1)
xp.polyfit(v, o, 1)
xp.polyfit(d, d, 1)
xp.polyfit(e, e, 1)
xp.polyfit(v, v, 1, w=k)
xp.polyfit(v, v, 1, w=t[:3])
xp.polyfit(v, v, 1, rcond='a')
xp.polyfit(v, v, 1, rcond='0.1')
xp.polyfit(v, v, 1, rcond=xp.asarray(0.1))
xp.polyfit(v, v, 2, cov=True)
xp.polyfit(v, h[0, :3], 1)
xp.polyfit(v * np.nan, v, 1)
""".strip().splitlines())  # fmt: skip
def test_polynomials_agree_with_numpy(expression):
    want, got = (same.evaluate(expression, xp, NAMED) for xp in (np, cuarray))
    if isinstance(want, Exception):
        assert isinstance(got, same.public_type(want)) and isinstance(got, LinAlgError) == isinstance(
            want, LinAlgError
        ), f"{got!r} instead of {want!r}"
        assert re.match(r"(roots|polyfit): ", str(got))
        return
    if isinstance(got, Exception):
        raise got
    alike(got, want, 1e-4 if re.search(r"\bg\b", expression) else 1e-9)


def test_polynomials_on_every_device(device):
    with cuarray.device(device):
        p = cuarray.asarray([2.0, -6.0, 4.0], device=device)
        assert cuarray.roots(p).device == device and np.allclose(cuarray.roots(p).numpy(), [2, 1])
        x = cuarray.arange(6.0, device=device)
        fit, residuals, rank, s, rcond = cuarray.polyfit(x, cuarray.polyval(p, x), 2, full=True)
        assert np.allclose(fit.numpy(), [2, -6, 4]) and {y.device for y in (fit, residuals, rank, s, rcond)} == {
            p.device
        }
        assert rank == 3 and rank.shape == () and hash(rank) == 3 and s.shape == (3,)
        fit, covariance = cuarray.polyfit(x, cuarray.polyval(p, x), 2, cov=True)
        assert covariance.shape == (3, 3) and covariance.device == device


def test_a_poor_fit_warns_as_numpys():
    with pytest.warns(np.exceptions.RankWarning):
        cuarray.polyfit([1.0, 1.0, 1.0], [1.0, 2.0, 3.0], 1)


def test_precision(device):
    x = cuarray.asarray(np.random.default_rng(3).standard_normal((20, 30)).astype("f4"), device=device)
    with linalg.precision("tf32"), linalg.precision("tf32"):
        less = x @ x.T
    exact = cuarray.deterministic(lambda: x @ x.T)
    assert abs(less - exact()).max() < 0.1
    assert (linalg.precision("tf32")(exact)() == exact()).all()
    with pytest.raises(ValueError, match=r"^precision: mode must be 'tf32', not 'bf16'"):
        linalg.precision("bf16")
