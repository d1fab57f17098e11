"""Calls and the forms of their arguments that NumPy takes or refuses: the same answer, or the same type of error."""

import itertools

import numpy as np
import pytest
from same import agree

import cuarray

BIG = 2**200
NAMES = {
    "a": lambda xp: xp.asarray([[1.5, 2, 3], [4, 5, 6]]),
    "n": lambda xp: xp.asarray([[1, 2, 3], [4, 5, 6]], dtype="i4"),
    "v": lambda xp: xp.arange(3.0),
    "BIG": lambda xp: BIG,
}
CALLS = """
xp.vecdot(a, a, axes=[0, 0], keepdims=True)
xp.vecdot(a, a, axes=[0, 1], keepdims=True)
xp.vecdot(a, a, axes=[0, 0, 1], keepdims=True)
xp.vecdot(a, a, axes=[-1.0, -1, ()])
xp.vecdot(a, a, axes=[0, 0, ()], keepdims=True)
xp.vecdot(a, a, axes=[0, 0], axis=0)
xp.vecdot(a, a, axis=None)
xp.vecdot(a, a, keepdims=1)
xp.matmul(a, a, axes=[(0, 1), (1, 0), (1, 0)])
xp.matmul(a, a, axes=[(0, 1), [1, 0], (0, 1)])
xp.matmul(a, a, axes=[(0, 1), (1, 0), (0, 0)])
xp.matmul(v, v, axes=[0, 0])
xp.convolve(v, [1, 2], 0)
xp.convolve(v, [1, 2], mode=1)
xp.convolve(v, [1, 2], np.int64(2))
xp.convolve(v, [1, 2], 3)
xp.convolve(v, [1, 2], True)
xp.correlate(v, [1, 2], mode=2)
xp.asarray(1.5).reshape((1,)).strides
xp.asarray(1.5).reshape((1, 1)).strides
xp.broadcast_to(v[:1], (1, 1)).reshape((1,)).strides
a.T[:1, :1].reshape((1, 1, 1)).strides
a.reshape((2, 1, 3)).strides
xp.einsum('i->i', v, dtype='bogus')
xp.einsum('i->i', v, dtype=[1])
xp.einsum('i->i', v, order='Q')
xp.einsum('i->i', v, order=3)
xp.einsum('i->i', v, casting='bogus')
xp.einsum('i->i', v, dtype='f4', order='c', casting='no')
xp.linalg.tensorsolve(v[:0], v[:0])
xp.linalg.tensorsolve(v[1:2], v[2:])
xp.linalg.tensorsolve(v[1:2], a[:1, :1])
xp.linalg.tensorsolve(a[:1, :1], xp.asarray(3.0))
xp.linalg.tensorsolve(v, v)
xp.histogramdd(xp.ones((2, 20)))
xp.histogramdd(xp.ones((2, 100)))
xp.nanmedian(v[:0], out=xp.zeros(2))
xp.nanquantile(v[:0], 0.5, out=xp.zeros(2))
xp.nanpercentile(a[:0], 50, axis=0, out=xp.zeros((2, 3)))
xp.nanquantile(v, 0.5, out=xp.zeros(2))
xp.nanmedian(a[:0], axis=0, out=xp.zeros((2, 3)))
xp.nanmedian(v, out=xp.zeros(2))
xp.fft.fftfreq(3, d=[1])
xp.fft.rfftfreq(3, d='a')
xp.fft.fftfreq(3, d=object())
v.conj(v[::-1])
v.conj(1)
xp.isdtype(xp.dtype('i8'), (xp.dtype('i8'), 'bogus'))
xp.isdtype(xp.dtype('i8'), ('integral', None))
xp.isdtype(xp.dtype('i8'), ('integral', 'bool'))
[xp.block(x).strides for x in (a.T, [a.T, a.T], [[a], [a]], [[a.T], [a.T]], [v, v], [[v], [v]], [a.T, xp.ones((3, 1))])]
xp.block([[xp.ones((9, 7)).T], [xp.ones((9, 5)).T]]).flags.f_contiguous
xp.frompyfunc('', -1, 1)
n.conj(xp.zeros((2, 3), 'u1'))
xp.array([1, 2], ndmax=1)
xp.array(a, ndmax=1)
xp.array([[1], [2]], ndmax=1)
xp.array([v], ndmax=1)
xp.array([1], ndmax=2, ndmin=3)
xp.array([1], ndmax=65)
xp.array(range(3), ndmax=0)
xp.array(range(3), ndmax=1)
xp.array(memoryview(b'ab'), ndmax=1)
xp.array([1], ndmax=None)
xp.pad(v, 0, 'minimum', stat_length=0)
xp.pad(v, (0, 1), 'maximum', stat_length=(0, 1))
xp.pad(v, 0, 'mean', stat_length=-1)
xp.pad(v, 0, 'minimum', stat_length='a')
xp.pad(v, 0, 'constant', constant_values='a')
xp.pad(v, 2, 'maximum', stat_length=(1, 2))
xp.pad(v[:0], 0, 'minimum', stat_length=0)
xp.pad(xp.asarray(1), 0, 'minimum', stat_length=0)
xp.interp([0.5], v, v, left=1j)
xp.interp([0.5], v, v, right=[1])
xp.interp([0.5], v, v, left='a')
xp.interp([-1.0, 9.0], v, v * 1j, left=1j, right=2.5)
xp.interp([-1.0, 9.0], v, v, left=xp.asarray(2.5), right=True)
xp.interp([-1.0], v, v, left=1j, period=2)
xp.equal(BIG, 1)
xp.equal(BIG, BIG)
xp.not_equal(2**64, 2**64 - 1)
xp.less(-BIG, 2)
xp.greater_equal(BIG, BIG + 1)
xp.less(2**64 - 1, -1)
xp.einsum('i,i->i', v, v, optimize=['einsum_path', (0,), (0, 1)])
xp.einsum('i,i,i->i', v, v, v, optimize=['einsum_path', (1,), (0, 2), (0, 1)])
xp.einsum('i,j,k->kji', v, v, v[:2], optimize=['einsum_path', (0,), (0, 2), (0, 1), (0,)])
xp.einsum('i,i,i->i', v, v, v, optimize=['einsum_path', (0, 1)])
xp.einsum('i,i->i', v, v, optimize=['einsum_path'])
xp.einsum('i,i->i', v, v, optimize=['einsum_path', (0, 2)])
xp.einsum('...->', n[0, 0], dtype='f8')
xp.einsum('...ij->...ji', n, dtype='f8')
xp.einsum('ij->...ji', n, dtype='f8')
xp.einsum('...i->...', n, dtype='f8')
xp.einsum('ij->ji', n, dtype='f8')
xp.einsum('ii->i', n[:, :2], dtype='f8')
xp.einsum('ij->i', n, dtype='f8')
xp.einsum('ij->ji', a, dtype='i4')
xp.add.resolve_dtypes((np.dtype('f4'), np.dtype('f8'), None), casting='no')
xp.add.resolve_dtypes((np.dtype('f4'), np.dtype('f8'), None), casting='safe')
xp.add.resolve_dtypes((np.dtype('f4'), np.dtype('f8'), np.dtype('i4')))
xp.add.resolve_dtypes((np.dtype('f4'), np.dtype('f8')))
xp.add.resolve_dtypes((None, np.dtype('i1'), None), reduction=True)
xp.add.resolve_dtypes((None, np.dtype('i1'), None))
xp.multiply.resolve_dtypes((np.dtype('i4'), np.dtype('i4'), None), reduction=True)
xp.sin.resolve_dtypes((np.dtype('f4'), None), reduction=True)
xp.add.resolve_dtypes((np.dtype('i4'), int, None), signature='dd->d')
xp.add.resolve_dtypes((np.dtype('i4'), int, None), signature=(None, None, np.dtype('f8')))
setattr(a[:, :2], 'shape', (4,))
setattr(a.T, 'shape', (6,))
setattr(a, 'shape', (5,))
xp.ones((2,) * 23)[([1],) * 23]
xp.ones((1,) * 63)[([0],) * 63]
xp.ones((1,) * 64)[([0],) * 64]
xp.ones((1,) * 23)[([0],) * 22 + ([1],)]
xp.insert(v[:0], [0], a[:1, :1])
xp.insert(v, 1, a[:1, :1])
xp.insert(v, [0, 1], a[:1, :2])
xp.insert(v, [0], a[:1, :2])
xp.insert(v, [0], a[:, :1])
xp.insert(v, 0, a[:1, :2])
xp.insert(v, v == 1, a[:1, :1])
xp.insert(a, 1, a[None, :1], axis=0)
xp.insert(a, [1], a[None, :1], axis=0)
xp.insert(a, [1], a[None, :, :1], axis=1)
xp.insert(a, [1], a[None], axis=1)
xp.insert(a, [0, 1], a[None, :, :2], axis=1)
xp.insert(a, slice(0, 1), a[None, :1], axis=0)
xp.lib.stride_tricks.as_strided(v.sum())
xp.lib.stride_tricks.as_strided(v.sum(), writeable=False).flags.writeable
xp.lib.stride_tricks.as_strided(v[1], (2, 2), (0, 0)).flags.writeable
xp.lib.stride_tricks.sliding_window_view(v[1], ())
xp.lib.stride_tricks.sliding_window_view(v.sum(), (), ()).flags.writeable
xp.dot(v, 2, out=xp.zeros(3, 'f4'))
xp.dot(2, v, out=xp.zeros(3, 'c16'))
xp.dot(v[:0], 2, out=xp.zeros(0, 'f4'))
xp.dot(n, 2, out=xp.zeros((2, 3)))
n.dot(xp.asarray(2), out=xp.zeros((2, 3), 'f4'))
xp.dot(n, 2, out=xp.zeros((2, 3), 'u1'))
xp.dot(n[0], 2, out=xp.zeros((2, 3), 'i8'))
xp.dot(n[0], 2, out=xp.zeros(2, 'i4'))
xp.dot(n[0], 2, out=(xp.zeros(3, 'i4'),))
xp.linalg.multi_dot((v, 2), out=xp.zeros(3, 'f2'))
xp.linalg.pinv(v.reshape((3, 1))[:0], hermitian=True)
xp.linalg.pinv(v.reshape((3, 1)), hermitian=True)
xp.linalg.pinv(a, rcond=())
xp.linalg.pinv(a, rcond=[0.0])
xp.linalg.pinv(a, rtol=[0.0, 0.5])
xp.linalg.pinv(xp.stack([a, a]), rcond=[0.5]).shape
xp.linalg.pinv(xp.stack([a, a]), rcond=[[0.5, 0.5]])
xp.fft.fftn(n[0, 0], out=xp.zeros(()))
xp.fft.ifftn(n[0, 0], norm='x')
xp.fft.fftn(n, axes=())
xp.fft.fftn(n, axes=xp.zeros(0, 'i8'))
xp.fft.ifftn(v, axes=xp.zeros(0))
xp.fft.fft2(a, s=xp.zeros(0), axes=[])
xp.nanpercentile(a, [50], axis=1, out=xp.zeros(2))
xp.nanquantile(xp.where(a > 2, a, xp.nan), [0.5], axis=1, out=xp.zeros(2))
xp.nanquantile(n, [0.5], axis=1, out=xp.zeros(2))
xp.nanquantile(a, [[0.5]], axis=1, out=xp.zeros((1, 2)))
xp.nanquantile(a, [0.25, 0.5], axis=1, out=xp.zeros(2))
xp.nanquantile(a, [0.5], axis=1, out=xp.zeros(3))
xp.quantile(a, [0.5], axis=1, out=xp.zeros(2))
xp.quantile(n, [0.5], axis=1, method='lower', out=xp.zeros(2))
xp.nanmedian(a[None, :1], axis=1, out=xp.zeros(3))
xp.nanquantile(a, [0.5], axis=1, keepdims=True, out=xp.zeros((2, 1)))
xp.quantile(n, 0.5, axis=1, keepdims=True, out=xp.zeros((3, 2, 1)))
xp.logical_not(BIG)
xp.logical_not(-BIG)
xp.add(1, 2, signature=None)
xp.sin(v, sig=None)
xp.modf(v, signature=None)
xp.shares_memory(v, v, max_work=-3)
xp.shares_memory(v, v, 1.5)
xp.shares_memory(v, v, BIG)
xp.shares_memory(v, v, max_work=None)
xp.may_share_memory(v, v, max_work=-3)
xp.may_share_memory(v, v[1:], max_work='a')
[xp.can_cast(x, y, rule) for x in ('>f8', 'f4', '<f8') for y in ('>f8', 'f8', '>f4') for rule in ('no', 'equiv', 'safe', 'unsafe')]
xp.can_cast(v, '>f8')
xp.can_cast('>bogus', 'f8')
xp.promote_types('>f4', np.dtype('>f8'))
xp.result_type('>i2', v[0], 'u2')
[xp.isdtype(np.dtype('>f4'), kind) for kind in ('real floating', 'integral', xp.dtype('f4'), np.dtype('>f4'))]
(xp.finfo('>f4').bits, xp.iinfo(np.dtype('>i2')).max)
xp.compress([1, 0, 0], v, out=xp.zeros(1, int))
xp.take(v, [0], out=xp.zeros(1, 'f4'), mode='clip')
[xp.logspace(0, np.float32(1), 2, base=b).dtype for b in (2, 2.0, np.int8(2), np.float32(2), np.float64(2), xp.asarray(2, dtype='i1'), xp.asarray([2], dtype='i1'))]
xp.logspace(np.float16(0), 2, 3, base=np.int8(2))
xp.logspace(0, 1, 2, base=np.complex64(2))
xp.arange(-0.0, 3)
xp.arange(-0.0, 0.5, dtype='f4')
xp.arange(np.float32(-0.0), 1, 0.25)
xp.arange(-0.0, 1, xp.inf)
xp.arange(-0.0)
xp.arange(-0.0, -2, -1)
xp.arange(-0.0, 2000)
xp.arange(complex(-0.0, -0.0), 2)
xp.argpartition(v, [2**64])
xp.argpartition(v[:0], [2**70])
xp.partition(v, [1, -2**64])
xp.partition(v, [2**63])
xp.bitwise_or.resolve_dtypes((np.dtype('?'), int, None), signature=(None, None, '?'))
xp.add.resolve_dtypes((np.dtype('i4'), float, None), signature=(None, None, 'i4'))
xp.add.resolve_dtypes((np.dtype('f4'), complex, None), signature=(None, None, 'f4'))
xp.add.resolve_dtypes((np.dtype('f4'), complex, None), signature=(None, None, 'f4'), casting='unsafe')
xp.add.resolve_dtypes((np.dtype('f4'), int, None), signature=(None, None, 'f4'))
v == ['a', 'b', 'c']
v != ('a', 'b', 'c')
v == ['a', 'b']
a == [['a', 'b', 'c']]
v == [b'a', None, 2]
v != [1, '1', {}]
n == [2**70, 2, 3]
v[1] == ['a', 'b']
v == np.array(['a', 'b', 'c'])
v != np.array('a')
v[:, None] == np.array([b'a', b'b'])
v == np.array(['2020-01-01'] * 3, 'M8[D]')
v == np.datetime64(1, 's')
v == np.array([0.0, None, 'a'], object)
v != np.array([0, 5.0, 2], object)
v == np.array([0, 1], object)
v[:0] == np.array([], object)
np.array(['a', 'b', 'c']) == v
np.array([0.0, None, 2], object) != v
['a', 'b', 'c'] == v
v == {}
a != {1: 2}
{} == v
v == object()
v[:0] != set()
xp.asarray(2.0) == {}
v[1] == object()
v == __import__('fractions').Fraction(1)
v[::-1] != __import__('decimal').Decimal(2)
v == slice(1)
xp.array_equal(v, ['a', 'b', 'c'])
xp.array_equal({}, v)
xp.array_equal([None], [None])
xp.array_equal(v, np.array([0, 1, 2], object))
xp.array_equiv(v, 'a')
xp.array_equiv([None], xp.asarray(2))
[xp.array_equal(v, x) for x in (np.arange(5, dtype='g'), np.arange(5, dtype='G'), [np.longdouble(1)], [[1, 2], [3]], (1j, [2]))]
[xp.array_equal(x, v, equal_nan=True) for x in (np.arange(5, dtype='g'), [[1, 2], [3]])]
[xp.array_equiv(v, x) for x in (np.arange(5, dtype='g'), [np.longdouble(1)], [[1, 2], [3]])]
[xp.array_equiv(x, v) for x in (np.arange(5, dtype='G'), [[1, 2], [3]])]
[xp.iscomplexobj(x) for x in ('a', None, [1, 'a'], {}, [1j], [np.longdouble(1)], [np.clongdouble(1)], [2**70])]
xp.isrealobj([1, None])
xp.add(v, np.array([1.0], '>f8'), casting='no')
xp.sin(np.array(1.0, '>f8'), casting='no')
xp.sin(np.array([1.0], '>f8'), casting='equiv')
xp.modf(np.array([1.0], '>f4'), casting='no')
xp.multiply.outer(np.array([1.0], '>f8'), 2.0, casting='no')
xp.copyto(v, np.array([1.0], '>f8'), casting='no')
xp.concatenate([v, np.array([1.0], '>f8')], casting='no')
xp.stack((np.array([1.0], '>f8'),), casting='no', dtype='f8')
xp.einsum('i->', np.array([1.0], '>f8'), casting='no')
xp.clip(np.array([1.0], '>f8'), 0.0, 1.0, casting='no')
xp.vecdot(np.array([1.0], '>f8'), np.array([1.0]), casting='no')
xp.sin(v, casting='no')
xp.tile(v, xp.zeros(0, bool))
xp.flip(v, xp.zeros(0, bool))
xp.expand_dims(v, xp.ones(1, bool))
[xp.fft.fftfreq(m, d) for m in (0, 3) for d in (np.float64(0), np.float32(0), v[0])]
xp.fft.rfftfreq(0, np.int64(0))
xp.fft.fftfreq(3, 0.0)
xp.fft.fftfreq(0)
xp.fft.rfftfreq(3, False)
xp.histogram([1.0], [0, xp.nan])
xp.histogram([1.0, 0.5, xp.nan], [0, 1, xp.nan])
xp.histogram([1.0, 0.5, 3], [0, 1, xp.nan, 2])
xp.histogram(xp.asarray([1.0, xp.inf, -1]), [xp.nan, xp.nan])
xp.histogram([1.0, 0.5], [0, 1, xp.nan], weights=[0.5, 2])
xp.histogram(xp.asarray([1.0, 0.5], dtype='f4'), xp.asarray([0, xp.nan], dtype='f4'), weights=xp.asarray([1j, 2]))
[x.strides for x in (xp.ones((0, 3)), xp.empty((3, 0, 4), order='F'), xp.zeros((2, 0)) + 1, xp.array(a[:0]), a[:0])]
""".strip().splitlines()


@pytest.mark.parametrize("call", CALLS)
def test_calls(call, device):
    agree(call, NAMES)


def test_a_view_by_einsum_has_its_own_type(device):
    x = cuarray.ones((2, 3), "i4")
    assert cuarray.shares_memory(cuarray.einsum("ij->ji", x, dtype="f8", order="C"), x)
    assert cuarray.einsum("ij,j->ij", x.copy("F"), x[0], order="A").flags.f_contiguous


#: Results without axes, alone or in tuples: values where NumPy gives scalars, and arrays where it gives arrays.
KINDS = (
    """
average(v, returned=True) average(s, returned=True) average(a, axis=0, returned=True) average(v, weights=v, returned=True)
linspace(0, 1, 3, retstep=True) linspace(s, 1, 3, retstep=True) einsum('', s) einsum('i,i', v, v) einsum('i->', v) isin(1, v) isin(s, v)
quantile(v, 0.5) quantile(v, 0.5, weights=v, method='inverted_cdf') nanquantile(v, 0.5) median(s) percentile(v, 50, method='lower')
choose(0, [1, 2]) where(True, 1, 2) interp(0.5, v, v) searchsorted(v, 1.5) digitize(1.5, v) digitize(1.5, [0, xp.nan]) polyval(v, 2) trapezoid(v) cov(v)
divmod(s, s) modf(s) frexp(s) linalg.det(a[:, :2]) linalg.slogdet(a[:, :2]) linalg.norm(v) clip(s, 0, 1) round(s) fix(s) sinc(s)
matmul(v, v) vecdot(v, v) tensordot(v, v, 1) inner(s, s) squeeze(ones((1, 1))) copy(s) asarray(s) full((), 1) take(v, 1) count_nonzero(v)
add(1, 1) add.reduce(v) add.outer(1, 1) ptp(v) unravel_index(2, (2, 3)) ravel_multi_index((1, 1), (2, 3)) nan_to_num(s) isclose(s, s)
""".replace("(ones(", "(xp.ones(")
    .replace(") ", ")\n")
    .strip()
    .splitlines()
)


def kinds(x):
    """Which results are values, writable arrays without axes, or other arrays."""
    if isinstance(x, tuple):
        return tuple(map(kinds, x))
    if isinstance(x, cuarray.ndarray) and x.ndim == 0:
        try:
            return f"value, writable: {x.flags.writeable}" if hash(x) is not None else None
        except TypeError:
            return f"array, writable: {x.flags.writeable}"
    if isinstance(x, np.ndarray) and x.ndim == 0:
        return f"array, writable: {x.flags.writeable}"
    return "array" if isinstance(x, np.ndarray | cuarray.ndarray) else "value, writable: False"


@pytest.mark.parametrize("call", KINDS)
def test_results_without_axes(call, device):
    names = {"a": NAMES["a"], "v": lambda xp: xp.arange(1.0, 4), "s": lambda xp: xp.asarray(1.5)}
    ours, numpys = (
        eval(f"xp.{call}", {"xp": xp, **{name: make(xp) for name, make in names.items()}}) for xp in (cuarray, np)
    )
    assert kinds(ours) == kinds(numpys)


@pytest.mark.parametrize("step", [1, -1])
def test_many_index_arrays(step, device):
    """More index arrays than a task takes, in views, between slices, with negative indices and repeated ones."""
    shape = (2,) * 19
    host = np.arange(2**19, dtype="i4").reshape(shape)[::step, ..., ::step]
    ours = cuarray.asarray(host.copy())[..., ::step]
    host = host.copy()[..., ::step]
    rng = np.random.default_rng(1)
    lists = [rng.integers(-2, 2, (3, 1) if k % 2 else 4) for k in range(18)]
    keys = [(*lists, slice(None)), (*lists[:9], slice(None), *lists[9:]), (*lists, 1)]
    for key in keys:
        mine = tuple(cuarray.asarray(k) if isinstance(k, np.ndarray) else k for k in key)
        np.testing.assert_array_equal(ours[mine].numpy(), host[key])
    mine = tuple(map(cuarray.asarray, lists))
    ours[mine] = cuarray.arange(24).reshape(3, 4, 2)
    host[tuple(lists)] = np.arange(24).reshape(3, 4, 2)
    np.testing.assert_array_equal(ours.numpy(), host)
    mask = host > 2**18
    np.testing.assert_array_equal(ours[..., None][cuarray.asarray(mask), :].numpy(), host[..., None][mask, :])


class Endless:
    """A sequence without an end, and without a length."""

    def __init__(self, entry):
        self.entry = entry

    def __getitem__(self, k):
        if k > 10**5:
            raise AssertionError("read too far")
        return k if self.entry is None else self.entry


#: Calls with an endless argument E, for which NumPy raises at once or never.
ENDLESS = (
    """
flip(a, axis=E) median(a, axis=E) quantile(a, 0.5, axis=E) average(a, axis=E) sum(a, axis=E) moveaxis(a, E, 0) expand_dims(a, E)
squeeze(a, E) roll(a, E) roll(a, 1, E) rot90(a, 1, E) tile(a, E) gradient(a, axis=E) apply_over_axes(ca.sum, a, E) transpose(a, E)
tensordot(a, a, E) tensordot(a, a, (E, 0)) fft.fftn(a, axes=E) fft.fftn(a, s=E) fft.fftshift(a, axes=E) linalg.norm(a, axis=E)
array_split(a, E) indices(E) zeros(E) reshape(a, E) broadcast_to(a, E) concatenate(E) stack(E) vstack(E) choose([0], E)
select(E, E) piecewise(a, E, [1]) linalg.multi_dot(E) einsum(a, E) einsum('i,i', v, v, optimize=['einsum_path', E])
require(a, None, E) vectorize(len, excluded=E) histogramdd(a, E) histogramdd(a, 3, E) unravel_index(0, E) lexsort(E) asarray(E)
matmul(a, a, axes=[E, (0, 1), (0, 1)]) add.reduce(a, axis=E) random.default_rng(1).random(E) savez(None, E) block(E)
""".replace(") ", ")\n")
    .strip()
    .splitlines()
)


@pytest.mark.parametrize("call", ENDLESS)
def test_endless_arguments(call, device):
    """They are read no further than an answer may need."""
    names = {"ca": cuarray, "a": cuarray.ones((2, 3)), "v": cuarray.ones(3)}
    for make in (
        lambda: Endless(None), lambda: Endless(0), lambda: Endless((0, 1)), lambda: Counted(itertools.count()),
        lambda: Counted(itertools.repeat(0)), lambda: Counted(itertools.repeat(np.ones(2))),
    ):  # fmt: skip
        with pytest.raises((TypeError, ValueError, IndexError)):
            eval(f"ca.{call}", {**names, "E": make()})


class Counted:
    """An iterator that fails where it is read too far."""

    def __init__(self, entries):
        self.entries, self.left = entries, 10**5

    def __iter__(self):
        return self

    def __next__(self):
        self.left -= 1
        assert self.left, "read too far"
        return next(self.entries)


def test_numpys_errors_for_endless_axes():
    for call in ("flip(a, axis=E)", "median(a, axis=E)", "moveaxis(a, E, 0)", "expand_dims(a, E)"):
        agree(f"xp.{call}", {"a": NAMES["a"], "E": lambda xp: itertools.count()})
