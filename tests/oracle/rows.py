"""The oracle's table: for every public function at least one row, an expression that is compared with NumPy.

A row is one line:

    row("xp.roll(a, 2, axis=0)")                       exact: the values are moved, counted or compared
    row("xp.sum(a, axis=0)", off=SUM, sums=True)       inexact: the permitted error in units in the last place
    row("xp.unstack(a)", "np.unstack(a)")              if NumPy spells it differently

The expression is evaluated with xp = cuarray, on a device, and with xp = numpy: exact rows on the same values, inexact ones
in a wider type. With `sums` the units are those of the same expression over the magnitudes of its arguments, because terms
cancel; with `scale` those of that number. `types` are the letters of the row's kinds: b bool, i signed, u unsigned,
f floating, c complex; `dtypes` names them instead. Arrays of the row's dtype, in every layout of tests/python/layouts.py, of no
elements and in sizes n around block boundaries:

    v, w    n numbers; w differs         a, b, d   two axes, about n numbers; d has the transposed shape of a
    x       three axes                   s         no axes                       p    n positive numbers
    i, j    positions in v, int64; j has no negative ones                        t    v in ascending order
    m, k    a mask of v, and of a

The rows of elementwise functions are generated from the table ufuncs.def.
"""

import re
from dataclasses import dataclass

NUMBERS, REAL, INEXACT, INTEGERS, ALL = "iufc", "iuf", "fc", "iu", "biufc"
#: Limits for accumulated rounding errors: a few functions; a tree of additions; products added one by one.
FEW, SUM, PRODUCTS = 8, 24, 64

ROWS = []


@dataclass(frozen=True)
class Row:
    """One comparison; `name` is the tested public function."""

    name: str
    expression: str
    reference: str
    types: str = ALL
    off: float = 0
    sums: bool = False
    scale: float = 0
    dtypes: tuple = ()


def row(expression, reference=None, **options):
    """Add a row to the table."""
    name = re.search(r"xp\.(\w+)", expression).group(1)
    ROWS.append(Row(name, expression, reference or expression, **options))


# Creation and conversion
row("xp.asarray(a)")
row("xp.array(a)")
row("xp.asanyarray(a)")
row("xp.ascontiguousarray(a)")
row("xp.asfortranarray(a)")
row("xp.copy(a)")
row("xp.astype(a, 'f8')", types=REAL)
row("xp.astype(a, 'c16')", types=NUMBERS)
row("xp.arange(3, len(v), 2)")
row("xp.linspace(-2.5, 7, len(v))", off=FEW, sums=True)
row("xp.logspace(-2.5, 2, len(v))", off=2048)
row("xp.geomspace(1, 1000, len(v))", off=64)
row("xp.empty(a.shape, a.dtype).shape")
row("xp.empty_like(a).dtype")
row("xp.zeros(a.shape, a.dtype)")
row("xp.zeros_like(a)")
row("xp.ones(a.shape, a.dtype)")
row("xp.ones_like(a)")
row("xp.full(a.shape, 3, a.dtype)", types=NUMBERS)
row("xp.full_like(a, 3)", types=NUMBERS)
row("xp.eye(len(a), k=1)")
row("xp.identity(len(a))")
row("xp.tri(*a.shape, k=1)")
row("xp.fromfunction(lambda i, j: i * 10 + j, a.shape)")
row("xp.fromiter(range(len(v)), 'i4')")
row("xp.frombuffer(bytes(range(64)), 'u2')")
row("xp.fromstring('3 1.5 7', sep=' ')")
row("xp.loadtxt(['3 1.5', '7 2'])")
row("xp.genfromtxt(['3,', '7,2'], delimiter=',')")
row("xp.from_dlpack(xp.array(v))", "v.copy()", types="iufc")
row("xp.meshgrid(v[:40], w[:20])", "tuple(np.meshgrid(v[:40], w[:20]))")
row("xp.indices(a.shape)")
row("xp.mgrid[0 : len(v[:99]), 0:1:3j]")
row("xp.ogrid[0 : len(v), -1:1:3j]")
row("xp.diag(v[:40], 1)")
row("xp.diag(a)")
row("xp.diagflat(a[:5, :4])")
row("xp.tril(x)")
row("xp.triu(x, -1)")

# Shapes and order
row("xp.reshape(a, -1)")
row("xp.ravel(a)")
row("xp.transpose(x)")
row("xp.permute_dims(x, (2, 0, 1))")
row("xp.matrix_transpose(x)")
row("xp.moveaxis(x, 0, -1)")
row("xp.rollaxis(x, 2)")
row("xp.swapaxes(x, 0, 2)")
row("xp.expand_dims(a, (0, 2))")
row("xp.squeeze(a[:1], 0)")
row("xp.atleast_1d(s)")
row("xp.atleast_2d(v)")
row("xp.atleast_3d(a)")
row("xp.broadcast_to(v, (3, len(v)))")
row("xp.broadcast_arrays(a, a[0])", "tuple(np.broadcast_arrays(a, a[0]))")
row("xp.broadcast_shapes(a.shape, (1,))")
row("xp.flip(x, (0, 2))")
row("xp.fliplr(a)")
row("xp.flipud(a)")
row("xp.roll(a, (1, 2), (0, 1))")
row("xp.rot90(x)")
row("xp.repeat(a, 3, axis=1)")
row("xp.tile(a, (2, 3))")
row("xp.concat([a, b], axis=1)", "np.concatenate([a, b], axis=1)")
row("xp.concatenate([v, w, v])")
row("xp.stack([a, b], axis=1)")
row("xp.hstack([a, b])")
row("xp.vstack([a, b])")
row("xp.dstack([a, b])")
row("xp.column_stack([v, w])")
row("xp.r_[v, 0, w]")
row("xp.c_[v, w]")
row("xp.split(v, [2, 5])")
row("xp.array_split(a, 3)")
row("xp.hsplit(a, [1, 2])")
row("xp.vsplit(a, [1, 2])")
row("xp.dsplit(x, [1])")
row("xp.unstack(a[:9])", "tuple(a[:9])")

# Indexing
row("xp.take(v, i)")
row("xp.take_along_axis(a, xp.argmax(a, axis=1, keepdims=True), 1)", types="biuf")
row("xp.put(r := xp.array(v), i, w) or r", "np.put(r := np.array(v), i, w[:len(i)]) or r")
row("xp.put_along_axis(r := xp.array(a), xp.argmin(a, axis=1, keepdims=True), 1, 1) or r", types="biuf")
row("xp.choose(xp.arange(len(v)) % 2, [v, w])")
row("xp.compress(m, v)")
row("xp.extract(k, a)")
row("xp.place(r := xp.array(a), k, w) or r")
row("xp.putmask(r := xp.array(a), k, b) or r")
row("xp.copyto(r := xp.array(a), b, where=k) or r")
row("xp.select([k, a != 0], [a, b])")
row("xp.where(k, a, b)")
row("xp.where(k)")
row("list(xp.ndenumerate(a[:2, :3]))")
row("xp.nonzero(k)")
row("xp.flatnonzero(k)")
row("xp.argwhere(k)")
row("xp.diagonal(x, 1, 0, 2)")
row("xp.trace(x, 1, 0, 2)", off=SUM, sums=True)
row("xp.fill_diagonal(r := xp.array(a), 1) or r")
row("xp.diag_indices(5)")
row("xp.diag_indices_from(a[:1, :1])")
row("xp.tril_indices(*a.shape[:1], 1)")
row("xp.tril_indices_from(a)")
row("xp.triu_indices(*a.shape[:1], 1)")
row("xp.triu_indices_from(a)")
row("xp.mask_indices(5, xp.triu)")
row("xp.ix_(i[:9], [1, 0])")
row("xp.ravel_multi_index((j, j), (len(v), len(v)))")
row("xp.unravel_index(j, (len(v) + 3, 2))")

# Reductions
row("xp.sum(a, axis=0)", off=SUM, sums=True)
row("xp.prod(1 + a[:5] / 64, axis=0)", off=FEW * 8, types=INEXACT)
row("xp.max(a, axis=1)")
row("xp.min(a, axis=0)")
row("xp.amax(x, axis=(0, 2))")
row("xp.amin(x, axis=1)")
row("xp.mean(a, axis=1)", off=SUM, sums=True)
row("xp.var(a, axis=0)", off=64, types="f")
row("xp.std(a, axis=1)", off=64, types="f")
row("xp.any(k, axis=0)")
row("xp.all(k, axis=1)")
row("xp.count_nonzero(a, axis=0)")
row("xp.argmax(a, axis=1)")
row("xp.argmin(a, axis=0)")

# Sorting, sets, counts
row("xp.sort(a, axis=0)", "np.sort(a, axis=0, kind='stable')")
row("xp.sort(a, descending=True)", "np.sort(a, axis=1)[:, ::-1]")
row("xp.argsort(a, axis=1)", "np.argsort(a, axis=1, kind='stable')")
row(
    "[p := xp.partition(v, len(v) // 2), xp.sort(p[: len(v) // 2]), xp.sort(p[len(v) // 2 :])][1:]",
    "np.split(np.sort(v), [len(v) // 2])",
)
row(
    "[v[p := xp.argpartition(v, len(v) // 3)], xp.sort(v[p[: len(v) // 3]]), xp.sort(v[p[len(v) // 3 :]])][1:]",
    "np.split(np.sort(v), [len(v) // 3])",
)
row("xp.lexsort((v, m))")
row("xp.sort_complex(v)", types=NUMBERS)
row(
    "xp.top_k(v, len(v) // 2, largest=False)",
    "(np.sort(v)[: len(v) // 2], np.argsort(v, kind='stable')[: len(v) // 2])",
)
row("xp.searchsorted(t, w, 'right')")
row("xp.digitize(v, xp.asarray([-1, 0, 1]))", "np.digitize(v, np.asarray([-1, 0, 1]))", types=REAL)
row("xp.unique(v)")
row("xp.unique(v, True, True, True)")
row("xp.unique_all(v)")
row("xp.unique_counts(v)")
row("xp.unique_inverse(a)")
row("xp.unique_values(v)", "np.unique(v)")
row("xp.isin(a, w[:9])")
row("xp.intersect1d(v, v[::3])")
row("xp.setdiff1d(v, w[:9])")
row("xp.setxor1d(v, w)")
row("xp.union1d(v, w)")
row("xp.median(a, axis=1)", off=FEW, scale=9)
row("xp.nanmedian(a, axis=0)", off=FEW, scale=9)
row("xp.quantile(a, 0.6, axis=0)", off=FEW, scale=9, types=REAL)
row("xp.percentile(a, 30, axis=1)", off=FEW, scale=9, types=REAL)
row("xp.nanquantile(a, 0.3, axis=0)", off=FEW, scale=9, types=REAL)
row("xp.nanpercentile(a, 20, axis=1)", off=FEW, scale=9, types=REAL)
row("xp.histogram(v, 7)", off=FEW, scale=9, types=REAL)
row("xp.histogram_bin_edges(v, 9)", off=FEW, scale=9, types=REAL)
row("xp.histogram2d(v, w, 3)", off=FEW, scale=9, dtypes=("f4", "f8"))
row("xp.histogramdd([v, w], (2, 5))", off=FEW, scale=9, dtypes=("f4", "f8"))
row("xp.bincount(j)")
row("xp.bincount(xp.arange(len(v) + 1) % 7, xp.arange(len(v) + 1) / 2)")

# Along an axis
row("xp.cumsum(v)", off=SUM, sums=True)
row("xp.cumsum(a, axis=0)", off=SUM, sums=True)
row("xp.cumprod(1 + a[:5] / 64, axis=0)", off=FEW * 8, types=INEXACT)
row("xp.cumulative_sum(a, axis=1, include_initial=True)", off=SUM, sums=True)
row("xp.cumulative_prod(1 + v[:9] / 64)", off=FEW * 8, types=INEXACT)
row("xp.nancumsum(a, axis=1)", off=SUM, sums=True)
row("xp.nancumprod(1 + a[:5] / 64, axis=0)", off=FEW * 8, types=INEXACT)
row("xp.diff(a, axis=0)")
row("xp.ediff1d(v, to_end=v[:1])", types=NUMBERS)
row("xp.gradient(xp.stack([v, w, v]), axis=0)", off=FEW, types=INEXACT)
row("xp.trapezoid(a, axis=0)", off=SUM, sums=True, types=INEXACT)

# Logic and numbers
row("xp.allclose(a, b)", types=NUMBERS)
row("xp.isclose(a, b, atol=1)", types=NUMBERS)
row("xp.array_equal(a, a)")
row("xp.array_equiv(a[:1], a)")
row("xp.iscomplex(a)")
row("xp.isreal(a)")
row("xp.iscomplexobj(a)")
row("xp.isrealobj(a)")
row("xp.round(a, 1)", types="f")
row("xp.around(a)", types=INEXACT)
row("xp.clip(a, 1, 2)", types=REAL)

# Products
row("xp.matmul(a, d)", off=PRODUCTS, sums=True)
row("xp.matmul(xp.matrix_transpose(x), x)", off=PRODUCTS, sums=True)
row("xp.matmul(x[:, :99], xp.matrix_transpose(x)[..., :33])", off=PRODUCTS, sums=True)
row("xp.vecdot(a, b)", off=PRODUCTS, sums=True)
row("xp.matvec(a, a[0])", off=PRODUCTS, sums=True)
row("xp.vecmat(a[:, 0], a)", off=PRODUCTS, sums=True)
row("xp.tensordot(x, x, ([1, 2], [1, 2]))", off=PRODUCTS, sums=True)
row("xp.dot(a, d)", off=PRODUCTS, sums=True)
row("xp.inner(a, b)", off=PRODUCTS, sums=True)
row("xp.outer(v[:300], w[:200])", off=FEW)
row("xp.vdot(v, w)", off=PRODUCTS, sums=True)
row("xp.einsum('ij,kj->ki', a, b)", off=PRODUCTS, sums=True)
row("xp.einsum_path('ij,ik,kl->jl', a[:9, :2], b[:9], d)[0]")

# Editing, padding, blocks
row("xp.append(a, b, axis=0)")
row("xp.insert(v, [0, len(v) // 2], w[:1])")
row("xp.delete(v, slice(0, len(v), 2))")
row("xp.resize(a, (3, 7))")
row("xp.trim_zeros(v)")
row("xp.pad(a, 2, mode='reflect')")
row("xp.pad(a, ((1, 0), (0, 3)))")
row("xp.block([[a, b], [b, a]])")
row("xp.packbits(m)", types="b")
row("xp.unpackbits(v)", dtypes=("u1",))
row("xp.vander(v[:9], 3)", off=FEW)
row("xp.kron(a[:5, :4], b[:3, :2])", off=FEW)
row("xp.cross(x[:, :1, :3], x[:, :1, 2:])", off=FEW, scale=8, types=NUMBERS)
row("xp.apply_along_axis(xp.flip, 1, a[:5])")
row("xp.apply_over_axes(xp.max, x, (0, 2))")
row("xp.piecewise(v, [m], [1, 2])", types=NUMBERS)
row(
    "xp.frompyfunc(lambda p, q: p + q, 2, 1)(v[:20], w[:20]).astype(v.dtype)",
    "np.frompyfunc(lambda p, q: p + q, 2, 1)(v[:20], w[:20]).astype(v.dtype)",
)

# Averages
row("xp.ptp(a, axis=0)", types="iuf")
row("xp.average(a, axis=0, weights=xp.arange(1, len(a) + 1))", off=SUM, sums=True, types="f")
row("xp.average(a, axis=0, weights=abs(b) + 1)", off=SUM, sums=True, types="f")
row("xp.cov(a)", off=512, types="f", scale=1)
row("xp.corrcoef(a)", off=512, types="f", scale=1)

# Ignoring NaN
row("xp.nansum(a, axis=0)", off=SUM, sums=True)
row("xp.nanprod(1 + a[:5] / 64, axis=0)", off=FEW * 8, types=INEXACT)
row("xp.nanmax(a, axis=1)", types=REAL)
row("xp.nanmin(a, axis=0)", types=REAL)
row("xp.nanargmax(a, axis=1)", types=REAL)
row("xp.nanargmin(a, axis=0)", types=REAL)
row("xp.nanmean(a, axis=1)", off=SUM, sums=True, types="f")
row("xp.nanvar(a, axis=0)", off=64, types="f")
row("xp.nanstd(a, axis=1)", off=64, types="f")
row("xp.nan_to_num(a)", types="f")

# Polynomials, windows, functions of numbers
row("xp.poly(v[:4])", off=64, types="f", scale=16, dtypes=("f8",))
row("xp.polyval(v[:5], w)", off=64, scale=256, dtypes=("f4", "f8"))
row("xp.polyadd(v[:5], w[:3])", dtypes=("f8",))
row("xp.polysub(v[:5], w[:3])", dtypes=("f8",))
row("xp.polymul(v[:5], w[:3])", off=FEW, scale=16, dtypes=("f8",))
row("xp.polydiv([2.5, 1, 7, 3], [1.5, 2])", off=FEW)
row("xp.roots([2.5, 1, -7, -3])", off=64)
row("xp.polyfit([0.5, 1, 3, 4], [2.5, -1, 7, 3], 2)", off=256)
row("xp.polyder(v[:5])", off=FEW, dtypes=("f8",))
row("xp.polyint(v[:5])", off=FEW, dtypes=("f8",))
row("xp.convolve(v[:300], w[:20])", off=PRODUCTS, sums=True, dtypes=("f4", "f8"))
row("xp.correlate(v[:300], w[:20], 'same')", off=PRODUCTS, sums=True, dtypes=("f4", "f8"))
row("xp.bartlett(len(v[:300]))", off=64, scale=1)
row("xp.blackman(len(v[:300]))", off=64, scale=1)
row("xp.hamming(len(v[:300]))", off=64, scale=1)
row("xp.hanning(len(v[:300]))", off=64, scale=1)
row("xp.kaiser(len(v[:300]), 8.6)", off=64, scale=1)
row("xp.i0(v)", off=64, dtypes=("f8",))
row("xp.sinc(v)", off=64, scale=1, dtypes=("f8",))
row("xp.angle(v)", off=FEW, scale=4, dtypes=("c16",))
row("xp.fix(a)", types="f")
row("xp.isposinf(a)", types="f")
row("xp.isneginf(a)", types="f")
row("xp.real_if_close(v)", types=INEXACT)
row("xp.asarray_chkfinite(a)")
row("xp.require(a, requirements='C')")

# Interpolation
row(
    "xp.interp(v, t, t * t)",
    # Without points an error, which NumPy gives from 2.5 on only where there is something to interpolate.
    "np.interp(*(o.astype('f8') for o in (v, t, t * t))) if len(t) else np.interp([1.0], [], [])",
    off=PRODUCTS,
    scale=30,
    dtypes=("f8",),
)
row("xp.unwrap(i, period=7)")
