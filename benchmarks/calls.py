"""Everyday calls on small arrays, compared with NumPy call by call: what a call costs apart from its elements."""

import math
from collections.abc import Iterator
from dataclasses import replace
from textwrap import indent

import numpy as np
from measures import measure
from race import Result, race

import cuarray as ca

# x, y: n float64; A, B: matrices of about n of them; k: integers; I: three positions, W: the mask x > 2; v, w: elements
# of x, u: of k; i, j: Python ints; z, C, t: arrays to write to.
CALLS = """
x[i]
x[i] * 2.0
x[i] + x[j]
float(x[i])
int(k[i])
x[i] = 1.5
x[i] = v
A[i, j]
A[i, j] = v
A[i]
A[:, j]
A[i] = A[j]
x[1:5]
x[1:5] = y[2:6]
x[1:5] += y[2:6]
x[::-1]
x[I]
x[I] = 1.5
x[I] = y[1:4]
x[W]
x[W] = 1.5
v + w
v * 2.0
v < w
u == 3
u // 2
-v
abs(v)
xp.sqrt(v)
if v < w: pass
x + y
x + 1.0
x * k
-x
x += y
x > 2
x == y
x**2
x**0.5
xp.sqrt(x)
xp.sin(x)
xp.exp(-x)
xp.maximum(x, y)
xp.maximum(x, 0.0)
xp.where(W, x, y)
xp.where(x > 2, x, 0.0)
xp.clip(x, 1, 3)
xp.round(x, 1)
xp.isnan(x)
x.sum()
xp.sum(x)
A.sum(0)
A.sum(axis=1)
x.mean()
xp.mean(A, axis=0)
x.std()
x.var()
x.max()
x.min()
x.argmax()
xp.argmin(x)
A.argmax(axis=1)
xp.any(W)
W.all()
xp.count_nonzero(W)
x.cumsum()
xp.prod(x)
xp.median(x)
xp.ptp(x)
xp.average(x)
xp.dot(x, y)
x.dot(y)
x @ y
A @ B
A @ A[0]
A[0] @ A
xp.inner(x, y)
xp.outer(x[:4], y[:4])
xp.vdot(x, y)
xp.cross(x[:3], y[:3])
xp.kron(x[:3], y[:3])
xp.einsum("ij,j->i", A, A[0])
xp.trace(A)
xp.convolve(x, y[:3])
xp.zeros(n)
xp.zeros((3, 4))
xp.ones(n)
xp.empty(n)
xp.full(n, 2.0)
xp.zeros_like(x)
xp.empty_like(x)
xp.arange(n)
xp.arange(0.0, 1.0, 0.1)
xp.linspace(0, 1, n)
xp.eye(4)
xp.array([1.0, 2.0, 3.0])
xp.array([[1, 2], [3, 4]])
xp.array([v, w])
xp.asarray(x)
xp.array(x)
x.copy()
x.astype("f4")
x.astype(int)
x.tolist()
x.item(1)
x.fill(1.0)
xp.copyto(x, y)
x.reshape(-1, 1)
A.ravel()
A.flatten()
A.T
xp.transpose(A)
xp.expand_dims(x, 0)
x[:, None]
xp.squeeze(A[:1])
xp.broadcast_to(v, (3, 3))
xp.concatenate([x, y])
xp.concatenate(([0.0], x))
xp.stack([x, y])
xp.hstack([x, y])
xp.vstack([x, y])
xp.append(x, 1.0)
xp.split(x, 2)
xp.tile(x, 2)
xp.repeat(x, 2)
xp.roll(x, 1)
xp.flip(x)
xp.pad(x, 1)
xp.diff(x)
xp.gradient(x)
xp.trapezoid(x)
xp.sort(x)
x.argsort()
xp.unique(k)
xp.searchsorted(x, v)
xp.bincount(k)
xp.histogram(x, 5)
xp.interp(v, x, y)
xp.interp(x, x, y)
xp.nonzero(W)
xp.argwhere(W)
xp.take(x, I)
xp.isin(k, I)
xp.meshgrid(x[:4], y[:4])
xp.diag(A)
xp.tril(A)
xp.array_equal(x, y)
xp.allclose(x, y)
A.mean(axis=1, keepdims=True)
A.sum(axis=(0, 1))
A.cumsum(axis=1)
xp.sum(A, axis=0, out=z)
xp.matmul(A, B, out=C)
xp.take(x, I, out=t)
xp.take(A, I, axis=1)
xp.clip(x, 1, None)
xp.concatenate((A, B), axis=1)
xp.stack([x, y], axis=1)
xp.column_stack([x, y])
xp.array([x, y])
xp.insert(x, 2, 3.0)
xp.diff(A, axis=0)
xp.diag(x[:4])
xp.diagonal(A, offset=1)
xp.moveaxis(A, 0, 1)
xp.partition(x, 3)
xp.unravel_index(A.argmax(), A.shape)
xp.bincount(k, weights=x)
xp.convolve(x, y[:3], mode="same")
xp.linalg.norm(x)
xp.linalg.norm(x, 1)
xp.linalg.norm(A, axis=1)
xp.linalg.inv(B)
xp.linalg.solve(B, A[0])
xp.fft.rfft(x)
np.sum(x)
np.add(x, y)
np.concatenate([x, y])
for e in x: pass
list(x)
max(x)
len(x)
x.shape
x.dtype
x.size
hasattr(x, "__cuda_array_interface__")
""".strip().split("\n")

#: Calls of functions.def and reductions.def with a further keyword or a less common argument.
FURTHER = """
xp.moveaxis(A, (0, 1), (1, 0))
xp.rollaxis(A, 1)
xp.flip(A, (0, 1))
xp.rot90(A, 2)
xp.roll(A, 1, axis=1)
xp.roll(A, (1, 2), axis=(0, 1))
xp.squeeze(A[:1], 0)
xp.expand_dims(A, (0, 2))
xp.broadcast_to(x, (3, n))
xp.ravel(A, order="F")
xp.reshape(A, (-1, 2))
xp.transpose(A, (1, 0))
xp.atleast_2d(x)
xp.tile(x, (2, 2))
xp.repeat(A, 2, axis=1)
xp.repeat(x, k)
xp.concatenate([A, A], axis=None)
xp.concatenate([x, y], dtype="f4")
xp.concatenate([x, k])
xp.stack([x, y], axis=-1)
xp.vstack([A, A])
xp.hstack([A, A])
xp.dstack([A, A])
xp.column_stack([x, y])
xp.append(A, A, axis=0)
xp.append(x, 1.5)
xp.split(x, [2, 5])
xp.array_split(x, 3)
xp.diff(x, n=2)
xp.diff(A, axis=0)
xp.diff(x, prepend=0.0)
xp.ediff1d(x, to_begin=0.0)
xp.gradient(x, 0.5)
xp.gradient(y, x)
xp.gradient(x, edge_order=2)
xp.gradient(A)
xp.trapezoid(A, axis=0)
xp.trapezoid(y, x)
xp.trapezoid(y, dx=0.5)
xp.unravel_index(k, (3, 4))
xp.unravel_index(5, (3, 4), order="F")
xp.ravel_multi_index((k, k), (7, 8))
xp.ravel_multi_index((k, k), (5, 5), mode="clip")
xp.packbits(W, bitorder="little")
xp.packbits(k)
xp.sum(A, axis=(0, 1))
xp.sum(A, axis=0, keepdims=True)
xp.sum(A, dtype="f4")
xp.sum(A, axis=1, out=z)
xp.max(x, initial=3.0)
xp.mean(x, where=W)
xp.any(A, axis=-1)
xp.argmax(A, axis=1, keepdims=True)
xp.count_nonzero(A, axis=0)
""".strip().split("\n")

SIZES = (10, 1000)
LEAST = 0.8  # of each call
DISPATCH = 0.5e-6  # of np.f(x), beyond cuarray.f(x): NumPy's search for __array_ufunc__ alone takes half of it
LEAST_MEAN = 1.3
LEAST_FURTHER, LEAST_FURTHER_MEAN = 0.6, 1.5


def function(call: str, xp, n: int):
    """Return the call as a function without arguments, over arrays of `xp`."""
    side = max(4, math.isqrt(n))
    host = {
        "x": np.arange(n) / 2,
        "y": np.arange(n, 0, -1.0),
        "A": np.arange(side * side).reshape(side, side) + 1.0,
        "B": np.eye(side),
        "k": np.arange(n) % 7,
        "I": np.array([3, 1, 2]),
        "W": np.arange(n) % 3 > 0,
        "z": np.empty(side),
        "C": np.empty((side, side)),
        "t": np.empty(3),
    }
    arrays = {name: xp.array(value) for name, value in host.items()}
    names = dict(arrays, xp=xp, np=np, n=n, i=2, j=3, v=arrays["x"][2], w=arrays["x"][3], u=arrays["k"][3])
    exec(f"def call({', '.join(f'{name}={name}' for name in names)}):\n{indent(call, '    ')}", names)
    return names["call"]


@measure()
def calls() -> Iterator[Result]:
    """Everyday calls on 10 and 1000 elements; the slowest relative to NumPy first, and their geometric mean."""
    for n in SIZES:
        results = []
        with np.errstate(all="ignore"):
            for call in CALLS:
                time = race(0.02, ours=function(call, ca, n), numpy=function(call, np, n))
                results.append(Result(f"{call}, n = {n}", time["ours"], time["numpy"], "numpy", LEAST))
        for result in sorted(results, key=lambda result: result.ratio):
            yield replace(result, least=None) if result.name.startswith("np.") else result
        for call in CALLS:
            if call.startswith("np."):
                ours = race(0.02, ours=function(call, ca, n), own=function(call.replace("np.", "xp.", 1), ca, n))
                yield Result(f"{call}, n = {n}", ours["ours"], ours["own"] + DISPATCH, "xp.f + 0.5 us", 1.0)
        mean = math.exp(sum(math.log(result.ratio) for result in results) / len(results))
        yield Result(f"geometric mean of {len(results)} calls, n = {n}", 1, mean, "numpy", LEAST_MEAN, unit="x")


@measure()
def further_calls() -> Iterator[Result]:
    """The same with a further keyword or a less common argument."""
    for n in SIZES:
        results = []
        with np.errstate(all="ignore"):
            for call in FURTHER:
                time = race(0.02, ours=function(call, ca, n), numpy=function(call, np, n))
                results.append(Result(f"{call}, n = {n}", time["ours"], time["numpy"], "numpy", LEAST_FURTHER))
        yield from sorted(results, key=lambda result: result.ratio)
        mean = math.exp(sum(math.log(result.ratio) for result in results) / len(results))
        yield Result(f"geometric mean of {len(results)} calls, n = {n}", 1, mean, "numpy", LEAST_FURTHER_MEAN, unit="x")
