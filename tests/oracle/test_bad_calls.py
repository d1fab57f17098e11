"""Bad calls: NumPy raises, and cuarray raises the same type of exception. One line is one call; `a` has shape (2, 3), `v` (5,)
and `z` none of float64; `n` (3,) of int64, `u` (3,) of uint8, `c` (2,) of complex128, `b` (3,) of bool, `e` (0, 3)."""

import re
import sys
from pathlib import Path

import numpy as np
import pytest

sys.path[:0] = [str(Path(__file__).resolve().parents[1] / "python")]

from same import agree, evaluate

import cuarray


def frozen(xp, shape):
    x = xp.zeros(shape)
    x.flags.writeable = False
    return x


NAMES = {
    "frozen": lambda xp: frozen,
    "a": lambda xp: xp.asarray([[1.5, 2, 3], [4, 5, 6]]),
    "v": lambda xp: xp.arange(5.0),
    "z": lambda xp: xp.asarray(2.5),
    "n": lambda xp: xp.arange(3),
    "u": lambda xp: xp.asarray([1, 2, 255], dtype="uint8"),
    "c": lambda xp: xp.asarray([1j, 2]),
    "b": lambda xp: xp.asarray([True, False, True]),
    "e": lambda xp: xp.zeros((0, 3)),
}

BAD = """
a + v
u.__setitem__(slice(None), [300, 1, -1])
u.__setitem__([0, 1, 2], range(300, 303))
u.__setitem__(u > 0, [1, 2, 2**70])
n.__setitem__(slice(None), [xp.nan, 1, 2])
a.__setitem__(0, [1j, 1, 2])
v.fill([1, 2, 3, 4, 5])
v.var(ddof='a')
xp.max(n, n)
xp.sum(v, axis='')
xp.ravel_multi_index(((), ()), (2, 3))
xp.sum(a, [0, 1])
a.std([0])
a.squeeze([0])
xp.argmax(a, axis=[0])
xp.add.reduce(a, [0])
v * '2'
'a' + v
xp.asarray(2**100, dtype='i8')
v.getfield('i4', [1])
xp.packbits(n[0], axis=1)
xp.unpackbits(u[0], axis=1)
xp.packbits(u, bitorder=10)
xp.unpackbits(u, bitorder=None)
xp.asarray(range(300, 303), dtype='u1')
float(xp.asarray(1j))
int(xp.asarray(1j))
v + xp.zeros(4)
a - xp.zeros((3, 2))
xp.add(a)
xp.add(a, a, a, a)
xp.add(a, a, out=xp.zeros(3))
xp.add(a, a, out=xp.zeros((2, 3), dtype=int))
xp.add(a, 1, out=[1])
xp.add(a, 1, casting='sure')
xp.add(a, 1, order='Z')
xp.add(a, 1, dtype='i4')
xp.add(a, 1, dtype='no such type')
xp.add(a, 1, where=[True, False])
xp.add(a, 1, speed=3)
xp.add(a, 'text')
xp.sin('text')
xp.sin(None)
xp.sin()
xp.bitwise_and(a, 1)
xp.bitwise_or(a, a)
xp.bitwise_xor(n, 1.5)
~a
a & b
a | 1
a ^ 1
n << 1.5
n >> a[0]
-b
b - b
xp.subtract(b, b)
xp.negative(b)
c // 2
c % 2
xp.floor(c)
xp.ceil(c)
xp.trunc(c)
xp.arctan2(c, c)
xp.hypot(c, c)
xp.fmod(c, 2)
xp.signbit(c)
xp.logaddexp(c, c)
xp.cbrt(c)
xp.gcd(a, a)
xp.lcm(a, 2)
xp.ldexp(a, a)
xp.add.accumulate(z)
xp.add.accumulate(a, axis=2)
xp.add.accumulate(a, axis=None)
xp.sin.accumulate(v)
xp.less.accumulate(v)
xp.power.accumulate(n - 3)
xp.add.reduceat(v, [5])
xp.add.reduceat(v, [-1])
xp.add.reduceat(v, 0)
xp.add.reduceat(z, [0])
xp.sin.reduceat(v, [0])
xp.add.at(v, [5], 1)
xp.add.at(v, [0])
xp.add.at(v, [0, 1], [1, 2, 3])
xp.sin.at(v, [0], 1)
xp.cumsum(a, axis=2)
xp.cumsum(a, axis=(0,))
xp.cumsum(a, axis=1.5)
xp.cumsum(v, out=xp.zeros(4))
xp.cumprod('text')
xp.cumulative_sum(a)
xp.diff(z)
xp.diff(v, n=-1)
xp.diff(a, axis=2)
xp.ediff1d(n, to_end=1.5)
xp.gradient(v[:1])
xp.gradient(v, object())
xp.choose([0], [v], mode=True)
xp.array_repr(n, max_line_width=n)
xp.take(v, 0, mode=True)
xp.ravel_multi_index((0,), (1,), mode=True)
xp.zeros(True)
xp.lexsort(v, axis='a')
xp.lexsort(v, axis=7)
xp.concatenate(iter([1, 2]), axis=None)
xp.max(a, initial=...)
xp.full((2, True), 1)
xp.full_like(a, 1, shape=True)
xp.resize(a, True)
a.reshape(True, 6)
a.resize(True)
xp.broadcast_to(z, True)
xp.broadcast_shapes(True)
xp.frombuffer(bytes(), a)
xp.block((a, 0))
xp.block([[a, (0,)]])
xp.indices((2, True))
xp.fromfunction(xp.add, (2, True))
xp.unravel_index(0, True)
xp.ravel_multi_index((0,), (True,))
a.sum(axis=(True,))
a.transpose(True, False)
a.item(True, 0)
xp.array(a, order='')
xp.fromfunction(xp.add, (), dtype=())
xp.histogram(v, range=0)
xp.histogram(v, range=(0, object()))
xp.histogramdd(v, range=(0,))
xp.histogramdd(a, bins=[1, 0.99, 1])
xp.histogramdd(xp.ones((1, 10)), bins=2**10)
xp.histogram2d(v, v, bins=0.5)
xp.interp(1, c, [0, 0, 0])
xp.einsum_path(a, a)
xp.einsum_path((), xp.asarray([False]))
xp.arange(0, 1, 0)
xp.gradient(v, edge_order=3)
xp.gradient(a, 1, 2, 3)
xp.gradient(v, [0, 1])
xp.trapezoid(a, axis=2)
xp.trapezoid(range(3), x=xp.ones((6, 1)))
xp.select((), True)
xp.select([b], 2.5)
xp.piecewise(v, [v > 1], 0)
xp.piecewise(v, [], [0])
xp.rot90(a, axes=None)
xp.resize(a, object())
v.resize(0.5)
v.var(ddof=object())
xp.zeros(3, dtype=v)
v.astype(v)
xp.promote_types('f4', v)
xp.pad(2.5, -1)
xp.polydiv((), v)
xp.polydiv(v, ())
xp.roll(v, xp.zeros((2, 2), int))
xp.quantile(v, 0.5, weights=v)
xp.nanquantile(xp.zeros(0), 0.5, weights=xp.zeros(0))
xp.nanquantile(xp.zeros(0), 2)
xp.add.reduceat(v, [float('nan')])
frozen(xp, 0).__setitem__(0, 1)
frozen(xp, 3).__setitem__(9, 1)
frozen(xp, 3).__setitem__(slice(None), 1j)
frozen(xp, 3).fill(1j)
xp.invert(a)
u + 256
u - 300
u * -1
n ** -1
xp.power(n, -2)
xp.zeros(3, dtype='i1').__setitem__(0, 200)
u.__setitem__(0, -1)
u.__iadd__(1.5)
n.__itruediv__(2)
n.__iadd__(1j)
b.__iadd__(1.5)
v.__iadd__(xp.zeros((2, 5)))
v[5]
v[-6]
v[0, 0]
a[2]
a[0, 3]
a[:, -4]
a[0, 0, 0]
v[1.5]
v['x']
v[None, 0, 0]
a[..., ...]
v[[5]]
v[[0.5]]
v[[-6]]
v[[True, False]]
a[[True, False, True]]
a[xp.zeros((2, 4), dtype=bool)]
a[[0, 1], [0, 1, 2]]
z[0]
z[:]
v.__setitem__(5, 0)
v.__setitem__(slice(0, 3), xp.zeros(2))
v.__setitem__([0, 9], 1)
v.__setitem__([0, 1], [1, 2, 3])
v.__setitem__(b, 1)
a.__setitem__((slice(None), 3), 1)
v.__setitem__(0, [1, 2])
v[::0]
xp.take(v, 5)
xp.take(a, 0, axis=2)
xp.take(v, [0], mode='jump')
xp.take_along_axis(a, n, 0)
xp.take_along_axis(a, a, 0)
xp.take_along_axis(a, xp.zeros((2, 3), dtype=int), 2)
xp.put(xp.zeros(3), [3], 1)
xp.choose([0, 3], [v[:2], v[:2]])
xp.compress([True], a, axis=3)
xp.extract(b, xp.zeros(2))
xp.nonzero(z)
xp.where(b, v)
xp.where(b, v, v)
xp.select([b], [v, v])
xp.diagonal(v)
xp.diagonal(a, 0, 0, 0)
xp.unravel_index(9, (2, 3))
xp.ravel_multi_index(([2], [0]), (2, 3))
xp.ix_(a)
xp.sum(a, axis=2)
xp.sum(a, axis=(0, 0))
xp.sum(a, axis=1.5)
xp.sum(a, axis='x')
xp.sum(a, out=xp.zeros(3))
xp.sum(a, axis=0, out=xp.zeros(2))
xp.prod(a, axis=-3)
xp.max(v[:0])
xp.min(e)
xp.max(e, axis=0)
xp.argmax(v[:0])
xp.argmin(e, axis=0)
xp.argmax(a, axis=2)
xp.mean(a, axis=5)
xp.std(a, axis=(1, 1))
xp.max(a, where=b)
xp.sum(a, where=[True, False])
xp.any(a, axis=4)
xp.all(a, axis=(0, 5))
xp.count_nonzero(a, axis=2)
xp.add.reduce(a, axis=3)
xp.sin.reduce(a)
xp.subtract.reduce(a, axis=(0, 1))
xp.minimum.reduce([])
xp.sin.outer(v, v)
xp.reshape(a, (4, 2))
xp.reshape(a, (-1, -1))
xp.reshape(a, (-1, 4))
a.reshape(7)
xp.transpose(a, (0, 0))
xp.transpose(a, (0,))
xp.transpose(a, (0, 2))
xp.moveaxis(a, 0, 2)
xp.moveaxis(a, (0, 1), 0)
xp.swapaxes(a, 0, 2)
xp.rollaxis(a, 3)
xp.expand_dims(a, 5)
xp.expand_dims(a, (0, 0))
xp.squeeze(a, 0)
xp.squeeze(a, 3)
xp.flip(a, 2)
xp.roll(a, 1, 3)
xp.rot90(v)
xp.rot90(a, 1, (0, 0))
xp.fliplr(v)
xp.flipud(z)
xp.repeat(a, -1)
xp.repeat(a, [1, 2], axis=1)
xp.repeat(a, 2, axis=4)
xp.broadcast_to(a, (3, 2))
xp.broadcast_to(a, 3)
xp.broadcast_arrays(a, v)
xp.broadcast_shapes((2,), (3,))
xp.concatenate([])
xp.concatenate([a, v])
xp.concatenate([a, a], axis=2)
xp.concatenate([a, xp.zeros((2, 4))])
xp.concatenate([z, z])
xp.stack([])
xp.stack([a, v])
xp.stack([a, a], axis=4)
xp.hstack([a, v])
xp.vstack([a, v])
xp.dstack([a, v])
xp.column_stack([a, v])
xp.split(v, 2)
xp.split(v, 2, axis=1)
xp.array_split(v, 0)
xp.hsplit(z, 2)
xp.vsplit(v, 2)
xp.dsplit(a, 2)
xp.meshgrid(v, indexing='up')
xp.zeros(-1)
xp.zeros((2, -1))
xp.zeros('x')
xp.zeros(2.5)
xp.empty((2**40, 2**40))
xp.full((2, 3), [1, 2])
xp.eye(-1)
xp.eye(2.5)
xp.arange()
xp.linspace(0, 1, -1)
xp.linspace(0, 1, 2.5)
xp.geomspace(0, 1)
xp.diag(xp.zeros((2, 2, 2)))
xp.tril_indices('x')
xp.asarray([[1], [2, 3]])
xp.asarray(a, dtype='no type')
xp.asarray(a, dtype='f4', copy=False)
xp.array([1j]).__float__()
xp.frombuffer(b'abc', 'f4')
xp.from_dlpack(3)
a.astype('no type')
a.astype('i4', casting='safe')
u.view('f4')
a.item(9)
a.item()
int(a)
float(v)
complex(v)
bool(a)
bool(v[:0])
len(z)
hash(a)
iter(z)
z.__index__()
a.__index__()
a.__array_namespace__(api_version='1999.12')
a.no_such_attribute
a.shape.__setitem__(0, 1)
a.swapaxes(0, 2)
a.sum(axis=3)
a.argmax(3)
a.reshape((7, 1))
a.flat[6]
a.flat.__setitem__(7, 1)
xp.clip(a, [1, 2], 3)
xp.round(a, 1.5)
xp.astype(a, 'no type')
xp.can_cast(1, 'f4')
xp.can_cast('f4', 'f4', 'never')
xp.result_type()
xp.promote_types('f4', 'no type')
xp.isdtype(xp.float32, 'no kind')
xp.finfo('i4')
xp.iinfo('f4')
xp.matmul(a, a)
xp.matmul(a, 2)
xp.matmul(a, xp.zeros((4, 3, 2)), out=xp.zeros(3))
xp.matmul(a)
a @ v
z @ a
a @ 2
xp.vecdot(a, v)
xp.vecdot(a, a, axis=2)
xp.matvec(a, v)
xp.vecmat(v, a)
xp.tensordot(a, a, 2.5j)
xp.tensordot(a, v, 1)
xp.dot(a, a)
xp.inner(a, v)
xp.vdot(a, v)
xp.outer(v, v, out=xp.zeros(3))
xp.einsum('ij,jk->ik', a, a)
xp.einsum('ij', v)
xp.add(a, 1, sig=('f4',))
xp.add(a, 1, sig='dd')
xp.add(a, 1, sig='dd->d', dtype='f8')
xp.less(a, 1, dtype='f8')
xp.isfinite(a, dtype='f8')
xp.negative(2.5, dtype='f2', casting='no')
xp.logical_or.reduce(a, dtype='i1')
xp.mean(a, where=None)
xp.var(a, where=None)
xp.array_split(v, 1 << 62)
xp.split(xp.zeros(0), 1 << 62)
v.reshape(1 << 40, 1 << 40)
v.reshape(1 << 62, 1 << 62, 5)
v.reshape(-1, 1 << 63)
xp.zeros((1 << 40, 1 << 40))
xp.empty((1 << 40, 1 << 40, 0, 1 << 40))
xp.broadcast_to(1.0, (1 << 40, 1 << 40))
xp.cumsum(v, axis=1 << 63)
xp.tri(3, k=1 << 70)
xp.tri(3, k=None)
xp.array([1], ndmin=None)
xp.array([1], copy='yes')
xp.repeat(v, 1 << 64)
xp.repeat(v, 1 << 62)
xp.round(v, 1 << 40)
xp.percentile(v, 1 << 64)
xp.add.reduceat(v, [0], axis=1 << 70)
xp.average(xp.zeros((3, 0)), axis=0)
xp.concatenate((u, 3.5), axis=None, dtype='u1')
xp.digitize(None, [1, 2])
xp.searchsorted([1, 2], None)
xp.searchsorted([1, 2], 1, side=None)
xp.trapezoid(v, dx=None)
xp.interp(1, [1, 2], [3, 4], period='x')
xp.nanvar(None)
xp.nanvar(v, ddof=None)
xp.union1d(n, None)
xp.stack([a, a], axis=None)
xp.sort(v, kind=3)
xp.argsort(v, kind=3.5)
xp.partition(v, 1, kind=None)
xp.ravel_multi_index(None, (2, 3))
xp.ravel_multi_index((1, 2), (2, 3), mode=3)
xp.take(v, [1], mode=3)
xp.full_like(n, None)
xp.quantile(a, 0.5, out=(1, 2))
xp.matmul(a, a.T, out=(1, 2))
xp.cumulative_sum(v, include_initial=True, out='text')
xp.squeeze(a, b'x')
xp.put(e, [0], [])
xp.bincount(n, minlength=1 << 63)
frozen(xp, 0).sort()
frozen(xp, 0).put([], [])
frozen(xp, 0).partition(0)
xp.putmask(frozen(xp, 0), [], [])
xp.place(frozen(xp, 0), [], [])
xp.copyto(frozen(xp, 2), 1, where=False)
xp.fill_diagonal(frozen(xp, (0, 0)), 1)
xp.round(e[0], 1, out=frozen(xp, 3))
xp.quantile(xp.ones((3, 0)), 0.5, 0, out=frozen(xp, 0))
xp.random.Generator(xp.random.Philox(1)).shuffle(frozen(xp, 0))
xp.array(a, dtype=a)
xp.zeros(3, v)
xp.isdtype(a.dtype, None)
xp.digitize(v, c)
xp.kaiser(3, 1j)
xp.frexp(v, out=xp.zeros(5))
xp.fromstring('1,2')
xp.argsort(v, kind=(), stable=True)
xp.fromfunction(lambda i: i, (-1,))
xp.concatenate((v,), out=xp.zeros((), int))
xp.convolve(v, v, mode=['full'])
xp.histogram(v, [0, object()])
xp.hanning('five')
xp.einsum(['b'])
xp.concatenate(3, axis=None)
xp.concatenate((u, 3), axis=None, out=0)
xp.concatenate((u, 3), axis=None, out=(xp.zeros(4),))
xp.clip(2.0, min=1j, a_min=None, a_max=0.5)
xp.clip(v, min=1, max=2, a_min=None, a_max=None)
xp.power.at(xp.zeros(0, 'i8'), [1], -1)
xp.power.at(n, [9], -1)
xp.power.at(n, [0], -1)
xp.nanmax(n, initial=xp.nan, where=b)
xp.nanmin(n, initial=xp.nan)
xp.max(n, initial=np.float32(xp.nan))
xp.max(n, initial=np.float64(xp.inf))
xp.max(n.astype('i1'), initial=np.int64(300))
xp.add.reduce(n, initial=np.float64(xp.nan))
xp.loadtxt(['1 2'], comments=v)
xp.apply_over_axes(xp.sum, a, None)
xp.diff(v, n=2.5)
xp.ones((True, 2))
v.reshape(True)
a.transpose(True, 0)
xp.transpose(z, True)
xp.sum(a, axis=True)
xp.squeeze(v[None], True)
xp.broadcast_to(z, (True,))
xp.resize(v, True)
xp.resize(v, (True, 2))
xp.resize(v, iter([1]))
xp.resize(v, {})
xp.resize(v, -1)
v.resize(True)
xp.unravel_index(0, iter([1]))
xp.unravel_index([], (-1,))
xp.unravel_index(xp.zeros(0, int), (-1,))
xp.ravel_multi_index(([0],), True)
xp.ravel_multi_index((), (), mode=3)
xp.take(v, [0], mode=True)
xp.put(v, [0], 1, mode=True)
xp.pad(v, ())
xp.pad(v[:0], [])
xp.piecewise([], xp.zeros(2, int), [0, 0, 0])
xp.nanmax(z, initial=0, where=[False])
xp.nanmin(v, initial=0, where=[[True]])
xp.nansum(v[:0], initial=None)
xp.polyder(a)
xp.polyder(xp.zeros((2, 3, 4)))
xp.roll(v, {})
xp.roll(v, iter([1]))
xp.roll(v, [], axis=1)
xp.repeat(v[:0], xp.zeros(0))
xp.ptp(c, out=xp.zeros(2, complex))
xp.dot(u, u, out=xp.zeros((), int))
xp.dot(v, v, out=xp.zeros((), 'f4'))
xp.dot(a, a.T, out=xp.zeros((2, 2), complex))
u.dot(u, out=xp.zeros((), int))
a.dot(a.T, out=1)
xp.dot(a, a.T, out=(xp.zeros((2, 2)),))
xp.linalg.multi_dot([a, a.T], out=xp.zeros((2, 2), 'f4'))
xp.linalg.multi_dot([a, a.T, a], out=xp.zeros((2, 3), complex))
xp.einsum('i->', n, out=xp.zeros((), 'f4'))
xp.einsum('i->', v, out=xp.zeros((), 'f4'))
xp.einsum('i->', v, out=xp.zeros((), 'c8'))
xp.einsum('i->', v, out=xp.zeros((), 'i4'), casting='same_kind')
xp.einsum('i->', v, out=xp.zeros((), 'f4'), dtype='f8')
xp.einsum('i->', u, out=xp.zeros(()), dtype='u1')
xp.einsum('i->', u, out=xp.zeros((), int), casting='equiv')
xp.einsum('i->', v, out=0)
xp.clip(v, None, None, out=xp.zeros(5, 'i4'))
xp.clip(b, None, None)
xp.clip(v, None, None, casting='x')
xp.fft.fft(v, out=v)
xp.round(v, 1, out=xp.zeros(5, int))
xp.quantile(v, 0.8, out=xp.zeros((), int))
xp.bitwise_or.reduce(n, out=xp.zeros(()))
xp.nan_to_num(v, nan=c[:1])
xp.nan_to_num(v[:0], nan=c[:0])
xp.nan_to_num(v, posinf=1j)
xp.place(u, b, xp.arange(1))
xp.trim_zeros(v, axis=(0, 0))
xp.nanmin(v, initial=None, where=v > 1)
xp.unravel_index(0, (1,), order='')
xp.ravel_multi_index(([0], [0]), (0, 0), mode='wrap')
xp.ravel_multi_index(([0],), (0,), mode='clip')
xp.nanstd(v, mean=v[:0])
xp.std(v, mean=a)
xp.sum(n, initial=...)
xp.nanprod(n, initial=...)
xp.add.reduce(n, initial=...)
n.max(initial=...)
xp.quantile(v, 0.5, method='inverted_cdf', weights=1.0)
xp.nanquantile(v[:0], 0.5, method='inverted_cdf', weights=1.0)
xp.nanquantile(e, 0.5, method='inverted_cdf', weights=[1.0], axis=0)
xp.add(v, v, signature=(None,))
xp.modf(v, signature=(None,))
v.flat.__delitem__(0)
xp.ones((3,) * 5)[xp.ix_(*[xp.zeros(7133, int)] * 5)]
xp.ones((3,) * 5).__setitem__(xp.ix_(*[xp.zeros(7133, int)] * 5), 0)
xp.ones((3, 3))[[0, 1], [0, 1, 2]]
"""

CALLS = BAD.split("\n")[1:-1]


@pytest.mark.parametrize("call", CALLS)
def test_bad_call(call, device):
    agree(call, NAMES)


@pytest.mark.parametrize("call", CALLS)
def test_numpy_raises(call):
    """Otherwise the comparison would not be one of exceptions."""
    assert isinstance(evaluate(call, np, NAMES), Exception), call


def test_there_are_enough():
    assert len(set(CALLS)) == len(CALLS) >= 250


INTERNALS = re.compile(
    r"_core|incompatible function|object has no attribute '(?!__|no_such)|values to unpack|is not subscriptable|_NoValue"
)


@pytest.mark.parametrize("call", CALLS)
def test_messages_are_about_the_call(call):
    error = evaluate(call, cuarray, NAMES)
    assert not INTERNALS.search(str(error)), f"{call}: {error}"


@pytest.mark.parametrize(
    "call",
    [
        "load('x.npy', max_header_size='a')",
        "hanning([])",
        "blackman('a')",
        "bartlett(1j)",
        "kaiser([], 1)",
        "histogramdd([])",
        "histogramdd(a, bins=2.5)",
        "histogram2d(3, 4)",
        "histogram(v, [0, object()])",
        "cumulative_sum(v, axis=(0,))",
        "logspace(0, 1, axis='x')",
        "indices(2.5)",
        "fromiter(3, float)",
        "loadtxt(['1'], comments=True)",
        "genfromtxt(['1'], max_rows='a')",
        "common_type('a')",
        "einsum(3)",
        "einsum(v, 3)",
        "einsum_path(v, [0], optimize=0)",
        "array2string(v, formatter=3)",
        "format_float_positional(object())",
        "format_float_scientific(1.5, exp_digits='a')",
        "apply_over_axes(xp.sum, a, None)",
        "from_dlpack(3)",
        "fromfile(3.5)",
        "allclose(v, 1, rtol=object())",
        "diff(v, n='a')",
        "frompyfunc(len, (1,), 1)",
        "hsplit(v, object())",
        "roll(v, 'a')",
        "tile(v, 1.5)",
        "rot90(a, 'a')",
        "eye('a')",
        "unwrap(v, period=int)",
        "vectorize(excluded=0)",
        "real_if_close(v + 0j, tol='a')",
        "nanvar(v, correction=v)",
        "std(v, ddof=[1])",
    ],
)
def test_messages_begin_with_the_function(call):
    """Not an error of Python from the middle of it."""
    names = {name: make(cuarray) for name, make in NAMES.items()}
    with pytest.raises((TypeError, ValueError, AttributeError, IndexError), match="^" + call.partition("(")[0] + ": "):
        eval("xp." + call, {"xp": cuarray, **names})


@pytest.mark.parametrize("given", ["None", "'text'", "object()", "len", "(1, 2)", "2.5j"])
@pytest.mark.parametrize("call", [
    "bincount({})", "bincount([1], weights={})", "choose({}, [v, v])", "compress({}, v)", "concat([v, {}])", "concat([v, {}], axis=None)",
    "digitize({}, [1, 2])", "digitize([1, 2], {})", "dot(a, {})", "extract(v > 1, {})", "interp({}, [1, 2], [3, 4])", "interp(1, {}, [3, 4])",
    "interp(1, [1, 2], {})", "isin(v, {})", "kron(v, {})", "meshgrid(v, {})", "nanvar({})", "partition(v, 1, kind={})", "polyval({}, 1)",
    "polyval([1], {})", "ravel_multi_index({}, (2, 3))", "searchsorted({}, 1)", "searchsorted(v, {})", "searchsorted(v, 1, side={})",
    "sort(v, kind={})", "stack([v, {}])", "take({}, [0])", "take(v, {})", "take(v, [0], mode={})", "trapezoid({})", "trapezoid(v, dx={})",
    "union1d(v, {})", "vstack([v, {}])", "cumsum(v, axis={})", "tri(3, k={})", "array([1], ndmin={})", "array(v, copy={})", "put(v.copy(), [0], 1, {})",
])  # fmt: skip
def test_what_is_no_array_is_called_so(call, given):
    names = {name: make(cuarray) for name, make in NAMES.items()}
    try:
        eval("xp." + call.format(given), {"xp": cuarray, **names})
    except (TypeError, ValueError, IndexError) as error:
        assert not INTERNALS.search(str(error)), error
