"""arguments.py -- arguments of public functions: valid ones by the names of parameters, and hostile ones."""

import ast
import functools
import inspect
import operator
import re

import numpy as np
from limits import KNOWN
from statements import is_none

import cuarray as ca

#: Functions that are not called, with the reason.
LEFT_OUT = {
    "set_default_device": "for the whole process", "set_num_threads": "for the whole process",
    "set_printoptions": "for the whole process", "seterr": "for the whole process", "errstate": "for the whole process",
    "fuse": "tests/fuzz/programs.py", "ndarray": "its methods are called", "ufunc": "has no constructor",
    "empty": "its values are not defined", "empty_like": "its values are not defined",
}  # fmt: skip

#: Kinds of arguments: source texts to choose from. x0 and x1 are arrays of one shape, x2 is a mask of it, x3 has
#: indices of its first axis, x4 is 1-d and ascending; x5 is read-only.
KINDS = {
    "array": "x0 x0 x0 x0 x1 x1 x1 x2 x4 x5 x0[::-1] x0.T x1[...,::2] 2 1.5 [1,2,3] x1[None] np.asarray([1,2]) np.float32(2) range(3)",
    "flat": "x0.ravel() x4 x1.ravel() [1,2,3] x0",
    "mask": "x2 x2 x2 x0>1 True [True,False] x1",
    "ints": "x3 x3 x3 0 1 -1 [0] [0,1] np.array([0,1]) xp.array(0) x2",
    "sorted": "x4 x4 [0,1,2] x0 x4[::-1] [0,nan]",
    "arrays": "(x0,x1) [x0,x1] (x0,) (x0,x1,x0) x0 [x0,x4] (x0,3) (x2,x1) [x0[None],x1[None]]",
    "axis": "0 -1 1 None 0 -1 (0,) (0,1) -2 2",
    "axes": "(0,1) (1,0) (0,) None 0 2 ([0],[1]) (-1,0) ((0,),(0,))",
    "dtype": "'f4' 'f8' 'i4' 'u1' 'c8' bool int float np.int16 None 'f2' xp.float32 'i8' np.dtype('u4')",
    "out": "xp.zeros(x0.shape) xp.zeros(x0.shape,x0.dtype) x1 x0 None xp.zeros(()) x5 xp.zeros(x0.shape[1:]) xp.zeros(x0.shape[:-1],'i8') "
    "x0[::-1] x1.T (xp.zeros(x0.shape),) (x0,) xp.zeros(x0.shape,'c16') xp.zeros(x0.shape,'f2') xp.zeros(x0.shape,'i8') xp.zeros(1) "
    "xp.zeros((2,*x0.shape)) xp.zeros((),'i8') xp.zeros(x0.shape[1:],x0.dtype) ... xp.zeros(x0.shape[::-1]).T",
    "flag": "True False True False 0 1 None",
    "int": "0 1 2 3 -1 5 np.int8(2) xp.array(2) True",
    "size": "0 1 3 4 7 np.int64(3)",
    "number": "0 1 -1 2.5 3 255 0.5 256 -0.0 inf 1j np.float32(1.5) True xp.array(2) float('nan') 300",
    "shape": "(3,) 4 (2,3) () (0,) (1,2,3) x0.shape (-1,) -1 [2,2]",
    "order": "'C' 'F' 'K' 'A' None",
    "casting": "'same_kind' 'unsafe' 'safe' 'no' 'equiv'",
    "kind": "None 'stable' 'quicksort' 'mergesort' 'heapsort'",
    "mode": "'raise' 'wrap' 'clip' 'same' 'valid' 'full' 'constant' 'edge' 'reflect' 'wrap' 'symmetric' 'linear_ramp' 'mean' 'maximum'",
    "side": "'left' 'right'",
    "method": "'linear' 'lower' 'higher' 'nearest' 'midpoint' 'inverted_cdf' 'weibull' 'hazen'",
    "q": "0.5 [0.25,0.75] 0 1 50 [10,90] 1.0",
    "text": "'1,2' '0.5' 'abc' '' 'i,i'",
    "function": "(lambda*a:a[0]) (lambda*a:sum(a)) np.sum (lambda*a:1) xp.sum len",
    "file": "'f.npy' 'none.txt' 'f.npz' __import__('io').BytesIO(b'1,2') __import__('io').StringIO('1')",
    "choice": "None 'ij' 'xy' 'big' 'little' 'even' 'odd' 'fb' 'f' 'b'",
    "device": "'cpu' None x0.device",
    "counts": "2 [1,2] x3 3 (1,) 0",
    "bins": "3 10 [0,1,2] x4 'auto' 'sturges'",
    "pair": "(0,1) None (0,10) (1,1) (-1.5,3)",
    "keys": "0 -1 ... None slice(None) x2 x3 (0,...) (...,0) slice(None,None,-1) (x3,) [0,1] (slice(None),x3) True x0>1 (None,x2) xp.array(0) np.int64(0) slice(0,36,3j) slice(0,36,np.complex64(3j)) slice(None,None,2)",
    "subscripts": "'ij,jk' 'i,i' 'ij->ji' 'ii' '...i,...i' 'ij,ij->' 'i->' 'i,j->ij' 'i' '...->' '...->...' 'ij->j'",
    "requirement": "'A' 'C' 'F' 'W' 'O' ['C','A'] ['F','W'] None",
    "creator": "array zeros ones empty full arange asarray zeros_like eye linspace concatenate sum sort",
    "flagname": "'C' 'F' 'A' 'W' 'O' 'B' 'CA' 'FA' 'CARRAY' 'BEHAVED' 'FNC' 'FORC' 'C_CONTIGUOUS' 'WRITEABLE' 'ALIGNED' 'X'",
    "flagattr": "num carray farray behaved fnc forc contiguous fortran aligned owndata c_contiguous f_contiguous writeable",
    "gaxes": "[0,0] [-1,-1] [(0,),(0,),()] [-1,-1,()] [-1.0,-1,()] [(0,),(0,)] [(0,1),(0,1),(0,1)] [(-2,-1),(-2,-1),(-2,-1)] [-1] None 0",
    "plaindtype": "'f8' 'f4' 'i4' 'u1' '?' 'c8' 'i8' 'f2'",
    "anydtype": "'>i2' '>f4' '<f8' '>c8' 'i2' '>u4' 'u1'",
    "oneshape": "1 () (1,1) 2",
    "deviation": "var std nanvar nanstd",
    "ddof": "-1 0 1 0.5",
    "bigint": "2**200 -2**200 2**64 2**63 1 True",
    "padmode": "'minimum' 'maximum' 'mean' 'median' 'edge' 'wrap' 'reflect' 'linear_ramp'",
    "convmode": "0 1 2 'same' 'valid' 'full' 3 None 1.0",
    "many": "3 22 23 30",
    "gufunc": "matmul vecdot matvec vecmat",
    "ufunc": "add multiply maximum logical_or logical_and logical_xor subtract arctan2 bitwise_or",
    "part": "x0 x0[::-1] x0[:1] x0[1:] x0[None] x0.T x1",
    "own_part": "x0 x0[::-1] x0[:1] x0[1:] x0[None] x0.T",  # never objects of NumPy's, which no file may write
    "norm": "None 'ortho' 'forward' 'backward'",
    "ord": "None 1 2 -1 np.inf 'fro' 'nuc' 0",
    "any": "x0 None 1 'C' (0,1) 2.5 True [0,1]",
}  # fmt: skip
KINDS = {kind: texts.split() for kind, texts in KINDS.items()}

#: Parameters by name; others are "any".
PARAMETERS = """
array: a x y z b x1 x2 x3 arr ary array m a1 a2 ar1 ar2 A X f element test_elements dst src prototype u v val values vals fp xp val
array: filt seq_of_zeros c tensor sample initial_value weights fweights aweights to_end to_begin prepend append mean object fill_value operand
flat: p keys
mask: where condition mask
ints: indices ind obj multi_index kth sorter repeats_
sorted: bins_
arrays: arrays tup condlist choicelist choices arys xi xi_ operands args_ arrays_and_dtypes typechars_
axis: axis axis1 axis2 axisa axisb axisc source destination start_axis
axes: axes
dtype: dtype type1 type2 from_ to arg1 arg2 char_
out: out
flag: keepdims subok copy endpoint retstep density rowvar bias assume_unique return_indices return_index return_inverse return_counts
flag: equal_nan sparse increasing wrap invert overwrite_input optimize stable descending largest sorted include_initial returned
flag: suppress_small allow_pickle fix_imports fractional unique deg right_ unpack refcheck rounding
int: k n N M offset ddof correction decimals shift edge_order num width padding precision max_work edgeitems ndim nin nout count
int: minlength max_line_width threshold pad_left pad_right min_digits exp_digits number base
size: ndmin
number: initial rtol atol left right period dx discont tol beta start stop step min max a_min a_max nan posinf neginf default value
shape: shape new_shape newshape dims dimensions reps shapes new
order: order
casting: casting
kind: kind
mode: mode
side: side
method: method
q: q
text: string sep separator prefix suffix formatter_
function: func func1d function mask_func pyfunc
file: file fname
norm: norm
ord: ord
number: rcond p hermitian_
flag: full_matrices compute_uv hermitian
choice: UPLO
axes: axes s
choice: indexing bitorder trim reflect_type sign
device: device
counts: repeats pad_width indices_or_sections
bins: bins
pair: range
"""
PARAMETERS = {
    name: line.split(":")[0] for line in PARAMETERS.strip().splitlines() for name in line.split(":")[1].split()
}

#: Exceptions to PARAMETERS: function, then parameter=kind; `name=-` omits a parameter, `*=kind` is for variadic ones.
FUNCTIONS = """
where x=array y=array condition=mask
arange start=number stop=number step=number
full fill_value=number
full_like fill_value=number
array object=array
asarray a=array
concatenate axis=axis
diag k=int v=array
repeat repeats=counts
tile reps=shape
split indices_or_sections=counts
interp x=array xp=sorted fp=sorted
require requirements=requirement
convolve mode=convmode
correlate mode=convmode
pad mode=padmode
einsum_ a=subscripts
searchsorted a=sorted v=array
digitize x=array bins=sorted
select default=number
piecewise condlist=arrays funclist=counts
einsum *=array operands=subscripts
einsum_path *=array operands=subscripts
unravel_index indices=ints shape=shape
ravel_multi_index multi_index=arrays dims=shape
take_along_axis indices=ints
put_along_axis indices=ints values=array
insert obj=ints values=array
delete obj=ints
bincount x=ints weights=array
choose a=ints choices=arrays
polyval p=array x=array
vander x=flat N=int
gradient *=number
unstack x=array
fromiter iter=flat
frombuffer buffer=any
ix_ args=ints
broadcast_shapes args=shape
broadcast_arrays args=array
broadcast args=array
meshgrid xi=flat
result_type arrays_and_dtypes=dtype
block arrays=arrays
linspace start=number stop=number
ndindex *=int
lexsort keys=arrays
trim_zeros filt=flat
"""
FUNCTIONS = {
    line.split()[0]: dict(part.split("=") for part in line.split()[1:]) for line in FUNCTIONS.strip().splitlines()
}

#: Calls that are not `xp.function(...)`: methods, operators, indexing; {kind} is an argument.
FORMS = """
x0[{keys}]
x0[{keys}]
x0[{keys}] = {array}
x0[{keys}] = {number}
x0[{keys}] += {number}
x0[{int}, {int}]
x0[{int}] = {number}
x0 + {array}
{array} * x0
x0 ** {number}
x0 // {number}
x0 % {array}
x0 @ {array}
x0 << {int}
x0 & {array}
x0 == {array}
x0 < {array}
x0 != {any}
x0 += {array}
x0 *= {number}
divmod(x0, {number})
pow(x0, {number})
round(x0, {int})
{array} in x0
complex({number} * x0)
x0.T + {array}
xp.add.reduce({array}, axis={axis}, keepdims={flag}, out={out})
xp.multiply.reduce({array}, axis={axis}, dtype={dtype}, initial={number}, where={mask})
xp.maximum.reduce({array}, {axis})
xp.add.accumulate({array}, axis={axis}, dtype={dtype}, out={out})
xp.logaddexp.accumulate({array}, {axis})
xp.add.reduceat({array}, {ints}, axis={axis})
xp.minimum.reduceat({array}, {ints})
xp.add.outer({array}, {array}, dtype={dtype})
xp.add.at(x0, {keys}, {array})
xp.negative.at(x0, {keys})
xp.divmod({array}, {array}, out=({out}, {out}))
xp.modf({array}, {out}, {out})
x0.reshape({shape})
x0.reshape({shape}, order={order})
x0.reshape({int}, {int})
x0.transpose({axes})
x0.transpose({int}, {int})
x0.swapaxes({axis}, {axis})
x0.item({int})
x0.item({keys})
x0.astype({dtype}, order={order}, casting={casting}, copy={flag})
x0.view({dtype})
x0.resize({shape}, refcheck=False)
x0.fill({number})
x0.sort({axis}, {kind})
x5.sort({axis})
x5.fill({number})
x5[{keys}] = {number}
x5 += {number}
x0[:].resize(x0.shape)
x0.conj()
x0.real
x0.imag
np.ones(3).clip(x0, {number})
np.add(x0, {array})
np.ones(3) + x0
x0.sort(axis={axis})
x0.argsort(axis={axis}, kind='stable')
x0.partition({int}, {axis})
x0.clip({number}, {array})
x0.clip({array}, {array}, out={out})
x0.round({int}, out={out})
x0.sum({axis}, {dtype}, {out}, {flag})
x0.mean(axis={axis}, dtype={dtype})
x0.max({axis}, {out})
x0.min(axis={axis}, initial={number}, where={mask})
x0.argmax({axis}, {out})
x0.cumsum({axis}, {dtype}, {out})
x0.var(axis={axis}, ddof={number})
x0.any({axis})
x0.take({ints}, {axis}, {out}, {mode})
x0.put({ints}, {array}, {mode})
x0.repeat({counts}, {axis})
x0.searchsorted({array}, {side}, {ints})
x0.compress({mask}, {axis})
x0.choose({arrays}, out={out}, mode={mode})
x3.choose({array}, {array})
x0.diagonal({int}, {axis}, {axis})
x0.trace({int}, {axis}, {axis}, {dtype}, {out})
x0.flatten({order})
x0.ravel({order})
x0.copy({order})
x0.squeeze({axis})
x0.nonzero()
x0.dot({array}, {out})
x0.tobytes({order})
x0.tolist()
x0.byteswap({flag})
x0.getfield({dtype}, {int})
x0.setfield({number}, {dtype}, {int})
x0.setflags(write={flag})
x0.shape = {shape}
x0.real = {array}
x0.imag = {array}
x0.flat[{keys}]
x0.flat[{keys}] = {array}
x0.flat = {array}
xp.lib.stride_tricks.sliding_window_view({array}, {shape}, {axis})
xp.lib.stride_tricks.as_strided({array}, {shape}, {shape})
xp.r_[{keys}]
xp.c_[{array}, {array}]
xp.mgrid[{keys}]
xp.s_[{keys}]
len({array} + x0)
iter(x0[{keys}])
format(x0, {text})
str(x0.dtype.type({number}))
x0.__array__({dtype})
x0.__array__({dtype}, copy={flag})
x0.__array_ufunc__(np.add, {text}, {array}, {array})
x0.__array_function__(np.sum, {arrays}, {arrays}, {any})
x0.__reduce_ex__({int})
x0 == interface({part})
xp.add(interface({part}), {number})
xp.einsum({subscripts}, {part}, out={out})
xp.einsum('i->', {flat}, out={out})
xp.einsum({subscripts}, {part}, dtype={dtype}, order={order}, casting={casting})
xp.einsum({subscripts}, {part}, {part}, out={out}, casting={casting})
xp.{gufunc}({part}, {part}, out={out})
xp.{gufunc}({part}, {part}, axes={gaxes})
xp.vecdot({part}, {part}, axes={gaxes}, keepdims={flag})
xp.vecdot({part}, {part}, axis={axis}, keepdims={flag}, out={out})
xp.{ufunc}.resolve_dtypes((np.dtype({plaindtype}), np.dtype({plaindtype}), None), casting={casting})
xp.{ufunc}.resolve_dtypes((np.dtype({plaindtype}), int, None), signature=(None, None, np.dtype({plaindtype})))
xp.{ufunc}.reduce({part}, axis={axis}, initial={number}, where={mask})
x0.flags[{flagname}]
x0.T.flags.{flagattr}
x0.flags.{flagattr}
x0.flags == x1.flags
x5.flags.writeable = {flag}
x0.flags.writeable = {flag}
x0.strides
x0[None].strides
x0.reshape(-1, 1).strides
xp.zeros((1, 1), x0.dtype)[:, ::-1].strides
x0.__array_interface__['strides']
x0.__array_interface__['typestr']
x0.data.shape
x0.data.readonly
bytes(x0.data)
bytes(memoryview({part}))
memoryview({part}).format
memoryview({part}).readonly
__import__('zlib').crc32({part})
b''.join([{part}])
bytearray({part})
__import__('struct').unpack_from('B', {part})
__import__('io').BytesIO().write({part})
__import__('io').BytesIO(bytes(range(64))).readinto({own_part})
tuple(x0.ctypes.shape)
x0.ctypes.strides and tuple(x0.ctypes.strides)
__import__('pickle').loads(x0.dumps())
type('A', (), dict(f=xp.{creator}))().f({shape})
xp.frompyfunc({function}, 2, 1).nin
xp.frompyfunc({function}, 2, 1).reduce
xp.zeros((1,) * 30)[([0],) * {many}]
xp.equal({bigint}, {number})
xp.less({bigint}, {array})
xp.pad({part}, {counts}, {padmode}, stat_length={counts})
xp.array({array}, ndmax={int})
xp.concatenate([x0[1:], x0[:1]], out=x0)
xp.concatenate([{part}, {part}], axis={axis}, out={out}, casting={casting})
xp.stack([x0, x1], axis={axis}, out={out})
xp.frombuffer(bytes(range(48)), {anydtype})
xp.array(np.arange(3).astype({anydtype}))
xp.array(np.arange(3).astype({anydtype}), copy={flag})
xp.asarray(np.arange(3).astype({anydtype}), dtype={dtype})
x0[...] = np.ones(x0.shape, {anydtype})
xp.choose({ints}, {arrays}, out={out}, mode={mode})
xp.compress({mask}, {array}, axis={axis}, out={out})
xp.linspace({number}, {number}, {int}, retstep=True)
xp.linspace({array}, {array}, {int}, retstep=True)
xp.average({array}, axis={axis}, weights={array}, returned=True)
xp.interp({array}, x4, x4, left={number}, right={number})
xp.percentile({array}, {q}, axis={axis}, out={out}, keepdims={flag})
xp.percentile({array}, 50, out=xp.zeros({oneshape}))
xp.vecdot(x0, x1, out=xp.zeros((2, *x0.shape[:-1]), {plaindtype}))
xp.matmul(x0, x1.T, out=xp.zeros((2, *x0.shape[:1], *x0.shape[:1]), {plaindtype}))
xp.{deviation}(x0, axis={axis}, ddof={ddof})
xp.{deviation}(x0[:0], ddof={ddof})
xp.unique({part}, axis={axis}, return_counts=True)
xp.flip({array}, axis=endless())
x0.reshape(endless())
xp.moveaxis({array}, endless(), 0)
x0.to_device({device})
"""
FORMS = FORMS.strip().splitlines()

#: Methods with the names of their parameters; a keyword is left out more often than not. UFUNC is any ufunc that has the method.
METHODS = """
x0.sum axis= dtype= out= keepdims= initial= where=
x0.prod axis= dtype= out= keepdims= initial= where=
x0.max axis= out= keepdims= initial= where=
x0.min axis= out= keepdims= initial= where=
x0.all axis= out= keepdims= where=
x0.any axis= out= keepdims= where=
x0.mean axis= dtype= out= keepdims= where=
x0.var axis= dtype= out= ddof= keepdims= where= mean= correction=
x0.std axis= dtype= out= ddof= keepdims= where= mean= correction=
x0.argmax axis= out= keepdims=
x0.argmin axis= out= keepdims=
x0.cumsum axis= dtype= out=
x0.cumprod axis= dtype= out=
x0.clip min= max= out= where= dtype= casting=
x0.round decimals= out=
x0.take indices axis= out= mode=
x0.compress condition axis= out=
x0.choose choices out= mode=
x0.dot b out=
x0.trace offset= axis1= axis2= dtype= out=
x0.conj out
x0.conjugate out
x0.argsort axis= kind= stable=
x0.argpartition kth axis=
x0.repeat repeats axis=
x0.diagonal offset= axis1= axis2=
x0.searchsorted v side= sorter=
UFUNC.reduce array axis= dtype= out= keepdims= initial= where=
UFUNC.accumulate array axis= dtype= out=
UFUNC.reduceat array indices axis= dtype= out=
UFUNC.outer a b out= dtype= casting= where= order=
"""
METHODS = {line.split()[0]: line.split()[1:] for line in METHODS.strip().splitlines()}
PARAMETERS_OF = dict(METHODS)
METHODS = list(METHODS)
BINARY = sorted(n for n in ca.__all__ if isinstance(getattr(ca, n), ca.ufunc) and getattr(ca, n).nin == 2 and getattr(ca, n).nout == 1
                and getattr(ca, n).signature is None and isinstance(getattr(np, n, None), np.ufunc))  # fmt: skip
UFUNCS = {"reduce": BINARY, "accumulate": BINARY, "reduceat": BINARY, "outer": BINARY}

#: Replacements of any argument: unusual values that are valid for some functions.
ODD = """
None
[]
()
1.5
1j
True
-1
-5
100
1 << 31
1 << 40
1 << 62
-(1 << 62)
2**63
2**64
-2**63
float('nan')
float('inf')
1e300
(0, 0)
(5,)
(0, 1, 2, 3)
(-1, -1)
(1 << 62, 4)
(1 << 32, 1 << 32)
[1.5]
[float('nan')]
[[]]
[[[[1]]]]
range(3)
np.zeros(3, '>f4')
np.zeros((2, 0))
np.zeros((0, 3))
np.int8(-3)
np.uint64(2**63)
np.float64('nan')
np.array(3)
np.array([3])
xp.zeros(0)
xp.zeros((0, 3))
xp.array(3)
xp.array(-1.5)
xp.zeros((1, 1, 1, 1))
xp.ones(7)
memoryview(b'abc')
bytearray(b'abc')
x5
x0
x2
hostile(index=lambda: 1)
hostile(index=lambda: 1 << 62)
hostile(index=lambda: scribble(x0))
hostile(index=lambda: shrink(x0))
hostile(index=lambda: freeze(x0))
hostile(float=lambda: 1.5)
hostile(float=lambda: scribble(x0, 1.5))
hostile(float=lambda: shrink(x0, 1.5))
hostile(float=lambda: freeze(x0, 1.5))
hostile(int=lambda: 2)
hostile(complex=lambda: 1j)
hostile(array=lambda: np.arange(3))
hostile(array=lambda: scribble(x0, np.ones(x0.shape)))
hostile(array=lambda: shrink(x0, np.ones(3)))
hostile(array=lambda: freeze(x0, np.ones(3)))
[hostile(index=lambda: shrink(x0)), 1]
[1, hostile(float=lambda: shrink(x0))]
(0, hostile(index=lambda: shrink(x0)))
""".strip().splitlines()  # fmt: skip
#: Replacements of any argument: invalid for numeric functions. Rejecting them is right; NumPy's error may differ.
USELESS = """
'text'
b'bytes'
''
{}
object()
...
10**30
(None,)
['a']
[None, 1]
[[1, 2], [3]]
[10**30]
iter([1, 2])
(k for k in range(3))
slice(1)
slice(None, None, 0)
int
lambda *a: 0
np.array([None, 1])
np.array('a')
np.array(['a', 'b'])
np.datetime64('2020')
np.zeros(3, 'M8[s]')
np.zeros(2, [('a', 'i4')])
np.float128(1)
np.ma.array([1.0, 2, 3], mask=[0, 1, 0])
np.matrix([[1, 2]])
hostile(index=boom)
hostile(index=lambda: 'a')
hostile(float=boom)
hostile(bool=boom)
hostile(len=lambda: 3)
hostile(len=boom, getitem=boom)
hostile(len=lambda: 2, getitem=boom)
hostile(len=lambda: -1, getitem=boom)
hostile(len=lambda: 2, getitem=lambda: shrink(x0))
hostile(iter=boom)
hostile(iter=lambda: iter([1, 2]))
hostile(array=boom)
hostile(array=lambda: 3)
hostile(array=lambda: None)
hostile(array_interface=lambda: {})
hostile(eq=boom)
hostile(repr=boom)
hostile(str=boom)
hostile(hash=boom)
[hostile(float=boom)]
(hostile(index=boom),)
""".strip().splitlines()  # fmt: skip
HOSTILE = ODD + USELESS


def normal(text):
    """Return an expression as formatted by ast."""
    return ast.unparse(ast.parse(text, mode="eval"))


IS_USELESS = frozenset({normal(text) for text in USELESS})
IS_HOSTILE = frozenset(
    {normal(text) for text in HOSTILE} - {normal(text) for texts in KINDS.values() for text in texts}
)


@functools.lru_cache(maxsize=64)
def has_argument(statement, which):
    """Whether an expression of a statement is in a set."""
    tree = ast.parse(statement)
    return any(isinstance(node, ast.expr) and ast.unparse(node) in which for node in ast.walk(tree))


#: Numbers are private files of this process.
NO_FILES = re.compile(r"^[-(\d]|^True|index|int|np\.|xp\.|^x\d")

ARRAY_KINDS = {
    "array",
    "flat",
    "mask",
    "ints",
    "sorted",
    "arrays",
    "out",
    "keys",
    "number",
    "counts",
    "bins",
    "q",
    "any",
}
SHAPES = [(5,), (5,), (3, 4), (2, 3), (4, 4), (3, 3), (), (0,), (0, 3), (2, 3, 4), (1,), (6, 1)]
DTYPES = ["f8", "f8", "f4", "i8", "i4", "i1", "u1", "u8", "?", "c16", "c8", "f2", "i2", "u2", "u4"]


def array_arguments(statement):
    """Return the values of a statement's array arguments, as far as they can be evaluated again."""
    tree = ast.parse(statement).body[0]
    call = tree.value if isinstance(tree, ast.Assign | ast.Expr) else None
    texts = []
    if isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute) and ast.unparse(call.func.value) == "xp":
        kinds = parameters(call.func.attr)
        known = {name: kind for name, kind, _ in kinds}
        for k, argument in enumerate(call.args):
            if (kinds[min(k, len(kinds) - 1)][1] if kinds else "any") in ARRAY_KINDS:
                texts.append(ast.unparse(argument))
        texts += [
            ast.unparse(k.value)
            for k in call.keywords
            if known.get(k.arg, "any") in ARRAY_KINDS and not is_none(k.value)
        ]
    else:
        texts = [ast.unparse(node) for node in operands(tree)]
    return [value for text in texts for value in made(text)]


def operands(node):
    """Yield the operands, indices, values and arguments of a statement, without their subexpressions."""
    for child in ast.iter_child_nodes(node):
        if (
            isinstance(child, ast.Call)
            and isinstance(child.func, ast.Attribute)
            and ast.unparse(child.func).startswith("x")
        ):
            yield from (*child.args, *(k.value for k in child.keywords if not is_none(k.value)))
        elif isinstance(child, ast.Call | ast.Constant | ast.List | ast.Lambda):
            yield child
        elif isinstance(child, ast.AST) and not isinstance(child, ast.Name):
            yield from operands(child)


@functools.lru_cache(maxsize=10_000)
def made(text):
    """Return the value of an argument in a list, or an empty list if it depends on the arrays of the program."""
    if "hostile(" in text or "object()" in text:
        return [object()]
    try:
        return [eval(text, {"np": np, "xp": np, "__builtins__": __builtins__})]
    except Exception:
        return []


def is_numeric(value, keys=False):
    """Whether NumPy converts a value to a numeric array; in keys, slices and ... do not count."""
    if isinstance(value, np.dtype):
        return True
    if isinstance(value, slice) or value is ...:
        return keys
    try:
        return np.asarray(value).dtype.newbyteorder("=") in KNOWN
    except Exception:
        return False


@functools.cache
def parameters(name):
    """Return (name, kind, how) of every parameter of a public function; how: "must", "may", "keyword", "more"."""
    if name in PARAMETERS_OF:
        return [
            (p.rstrip("="), PARAMETERS[p.rstrip("=")], "keyword" if p.endswith("=") else "must")
            for p in PARAMETERS_OF[name]
        ]
    function = operator.attrgetter(name)(ca)
    special = FUNCTIONS.get(name, {})
    if isinstance(function, ca.ufunc):
        options = {"out": "out", "where": "mask", "dtype": "dtype", "casting": "casting", "order": "order"}
        if function.signature is not None:
            options = {**options, "axes": "gaxes", "axis": "axis", "keepdims": "flag", "where": "mask"}
        return [(f"x{k + 1}", "array", "must") for k in range(function.nin)] + [
            (n, k, "keyword") for n, k in options.items()
        ]
    try:
        signature = inspect.signature(function)
    except (TypeError, ValueError):
        return [("x", "any", "must"), ("y", "any", "may")]
    result = []
    for p in signature.parameters.values():
        kind = special.get(p.name) or PARAMETERS.get(p.name, "any")
        if kind == "-" or p.kind is p.VAR_KEYWORD:
            continue
        if p.kind is p.VAR_POSITIONAL:
            how = "more"
        elif p.default is p.empty:
            how = "must"
        else:
            how = "may" if p.kind is p.POSITIONAL_ONLY else "keyword"
        result.append((p.name, kind, how))
    if "*" in special:
        result.append(("*", special["*"], "more"))
    return result


@functools.cache
def names_of_numpy(name):
    """Return the parameters' names of NumPy's function, or None if they are not known."""
    try:
        return set(inspect.signature(operator.attrgetter(name)(np)).parameters) if name not in PARAMETERS_OF else None
    except (TypeError, ValueError, AttributeError):
        return None


def functions():
    """Return the names of all public functions to call."""
    names = [n for n in ca.__all__ if callable(getattr(ca, n)) and n not in LEFT_OUT]
    for module in ("linalg", "fft"):
        theirs, ours = getattr(np, module), getattr(ca, module)
        names += [f"{module}.{n}" for n in dir(ours) if callable(getattr(ours, n)) and n in theirs.__all__]

    def is_type(name):
        found = operator.attrgetter(name)(ca)
        return isinstance(found, type) and issubclass(found, np.generic | Exception)

    return [n for n in names if not is_type(n)]


ALL = functions()


def restrict(pattern):
    """Call only the functions whose names a pattern matches at the beginning, and FORMS that it matches with a dot before them."""
    ALL[:] = [name for name in ALL if re.match(pattern, name)]
    FORMS[:] = [form for form in FORMS if re.match(pattern, "." + form)]
    METHODS[:] = [name for name in METHODS if re.match(pattern, "." + name)]
    if not (ALL or FORMS or METHODS):
        raise SystemExit(f"calls: nothing is called {pattern!r}")
