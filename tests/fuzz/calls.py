"""calls.py -- every public function with generated good and hostile arguments.

    python tests/fuzz/calls.py --seconds 60 --seed 1 [--count K] [--first I] [--device cuda:0] [--jobs J] [--only REGEX]

Functions are read from the namespace, and their parameters from their signatures: a new function takes part by itself. What
is generated for a parameter follows from its name (PARAMETERS); what that does not tell stands in FUNCTIONS, a line each.
Asked of every call: it returns in time and without a crash; an exception is of NumPy's type, names the function and not the
insides of cuarray; a result is NumPy's; no array is changed by a call that raises.
"""

import ast
import functools
import gc
import inspect
import os
import re
import sys
import tempfile

import batches
import numpy as np
from hostile import NAMES, Planted
from judge import (
    KNOWN,
    Difference,
    Pair,
    headline,
    is_none,
    main_function,
    values_differ,
    with_simpler_parts,
)

import cuarray as ca

NAME = "calls"

#: Not called, and why.
LEFT_OUT = {
    "set_default_device": "for the whole process", "set_num_threads": "for the whole process",
    "set_printoptions": "for the whole process", "seterr": "for the whole process", "errstate": "for the whole process",
    "fuse": "tests/fuzz/programs.py", "ndarray": "its methods are called", "ufunc": "has no constructor",
    "empty": "its values are not defined", "empty_like": "its values are not defined",
}  # fmt: skip

#: Kinds of arguments: texts, of which one is taken. x0 and x1 are arrays of one shape, x2 is a mask of it, x3 has positions
#: in its first axis, x4 is ascending, of one axis; x5 is read-only.
KINDS = {
    "array": "x0 x0 x0 x0 x1 x1 x1 x2 x4 x5 x0[::-1] x0.T x1[...,::2] 2 1.5 [1,2,3] x1[None] np.asarray([1,2]) np.float32(2) range(3)",
    "flat": "x0.ravel() x4 x1.ravel() [1,2,3] x0",
    "mask": "x2 x2 x2 x0>1 True [True,False] x1",
    "ints": "x3 x3 x3 0 1 -1 [0] [0,1] np.array([0,1]) xp.array(0) x2",
    "sorted": "x4 x4 [0,1,2] x0 x4[::-1]",
    "arrays": "(x0,x1) [x0,x1] (x0,) (x0,x1,x0) x0 [x0,x4] (x0,3) (x2,x1) [x0[None],x1[None]]",
    "axis": "0 -1 1 None 0 -1 (0,) (0,1) -2 2",
    "axes": "(0,1) (1,0) (0,) None 0 2 ([0],[1]) (-1,0) ((0,),(0,))",
    "dtype": "'f4' 'f8' 'i4' 'u1' 'c8' bool int float np.int16 None 'f2' xp.float32 'i8' np.dtype('u4')",
    "out": "xp.zeros(x0.shape) xp.zeros(x0.shape,x0.dtype) x1 x0 None xp.zeros(()) x5 xp.zeros(x0.shape[1:]) xp.zeros(x0.shape[:-1],'i8')",
    "flag": "True False True False 0 1 None",
    "int": "0 1 2 3 -1 5 np.int8(2) xp.array(2) True",
    "size": "0 1 3 4 7 np.int64(3)",
    "number": "0 1 -1 2.5 3 255 1j np.float32(1.5) True xp.array(2) float('nan') 300",
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
    "keys": "0 -1 ... None slice(None) x2 x3 (0,...) (...,0) slice(None,None,-1) (x3,) [0,1] (slice(None),x3) True x0>1 (None,x2) xp.array(0) np.int64(0)",
    "subscripts": "'ij,jk' 'i,i' 'ij->ji' 'ii' '...i,...i' 'ij,ij->' 'i->' 'i,j->ij'",
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
choice: indexing bitorder trim reflect_type sign
device: device
counts: repeats pad_width indices_or_sections
bins: bins
pair: range
"""
PARAMETERS = {
    name: line.split(":")[0]
    for line in PARAMETERS.strip().splitlines()
    for name in line.split(":")[1].split()
}

#: What names do not tell: function, then parameter=kind; `name=-` leaves a parameter out, `*=kind` is for more of them.
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
    line.split()[0]: dict(part.split("=") for part in line.split()[1:])
    for line in FUNCTIONS.strip().splitlines()
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
x0.choose({arrays}, {out}, {mode})
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
x0.to_device({device})
"""
FORMS = FORMS.strip().splitlines()

#: In place of any argument.
HOSTILE = """
None
'text'
b'bytes'
''
[]
()
{}
object()
...
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
10**30
float('nan')
float('inf')
1e300
(0, 0)
(5,)
(0, 1, 2, 3)
(None,)
(-1, -1)
(1 << 62, 4)
(1 << 32, 1 << 32)
[1.5]
['a']
[None, 1]
[[1, 2], [3]]
[10**30]
[float('nan')]
[[]]
[[[[1]]]]
range(3)
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
np.zeros(3, '>f4')
np.zeros((2, 0))
np.zeros((0, 3))
np.float128(1)
np.ma.array([1.0, 2, 3], mask=[0, 1, 0])
np.matrix([[1, 2]])
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
hostile(index=boom)
hostile(index=lambda: 'a')
hostile(index=lambda: 1 << 62)
hostile(index=lambda: scribble(x0))
hostile(index=lambda: shrink(x0))
hostile(index=lambda: freeze(x0))
hostile(float=lambda: 1.5)
hostile(float=boom)
hostile(float=lambda: scribble(x0, 1.5))
hostile(float=lambda: shrink(x0, 1.5))
hostile(float=lambda: freeze(x0, 1.5))
hostile(int=lambda: 2)
hostile(complex=lambda: 1j)
hostile(bool=boom)
hostile(len=lambda: 3)
hostile(len=boom, getitem=boom)
hostile(len=lambda: 2, getitem=boom)
hostile(len=lambda: -1, getitem=boom)
hostile(len=lambda: 2, getitem=lambda: shrink(x0))
hostile(iter=boom)
hostile(iter=lambda: iter([1, 2]))
hostile(array=lambda: np.arange(3))
hostile(array=boom)
hostile(array=lambda: 3)
hostile(array=lambda: None)
hostile(array=lambda: scribble(x0, np.ones(x0.shape)))
hostile(array=lambda: shrink(x0, np.ones(3)))
hostile(array=lambda: freeze(x0, np.ones(3)))
hostile(array_interface=lambda: {})
hostile(eq=boom)
hostile(repr=boom)
hostile(str=boom)
hostile(hash=boom)
[hostile(float=boom)]
[hostile(index=lambda: shrink(x0)), 1]
[1, hostile(float=lambda: shrink(x0))]
(hostile(index=boom),)
(0, hostile(index=lambda: shrink(x0)))
""".strip().splitlines()  # fmt: skip
#: Numbers are files of this process's own.
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


# ---- what is meant to be different -------------------------------------------------------------------------------------


def got_type(*types):
    return lambda step: isinstance(step.got, types)


def want_type(*types):
    return lambda step: isinstance(step.want, types)


def text_has(pattern):
    found = re.compile(pattern)
    return lambda step: bool(found.search(step.statement))


def want_says(pattern):
    found = re.compile(pattern)
    return lambda step: isinstance(step.want, Exception) and bool(found.search(str(step.want)))


def got_says(pattern):
    found = re.compile(pattern)
    return lambda step: isinstance(step.got, Exception) and bool(found.search(str(step.got)))


def both(*tests):
    return lambda step: all(test(step) for test in tests)


def raises_only_here(step):
    return step.want is None and isinstance(step.got, Exception)


def unexpected_keyword(step):
    return isinstance(step.want, TypeError) and bool(
        re.search(
            r"unexpected keyword|positional argument|takes (no|at most|from|exactly)|no attribute|keyword argument",
            str(step.want),
        )
    )


def other_types(step):
    """Whether an argument stands for an array and is one of objects, text, dates or records in NumPy."""
    if not isinstance(step.got, TypeError | ValueError):
        return False
    keys = bool(re.search(r"^(r0 = )?x\d|\.at\(|\.(flat|r_|c_|s_|mgrid|ogrid|index_exp)\[", step.statement))
    return any(not is_numeric(x, keys) for x in array_arguments(step.statement))


def odd_flag(step):
    """Whether a call goes well here although a flag is given an object that is neither bool, number nor None."""
    if (step.got is not None and "truth value" not in str(step.got)) or not isinstance(
        step.want, TypeError | ValueError | OverflowError | Planted
    ):
        return False
    call = getattr(ast.parse(step.statement).body[0], "value", None)
    keywords = call.keywords if isinstance(call, ast.Call) else []
    flags = [k.value for k in keywords if PARAMETERS.get(k.arg) == "flag"]
    return any(not isinstance(x, ast.Constant) or not isinstance(x.value, bool) for x in flags)


#: What Python says of an object that NumPy's own Python code cannot use: it has not looked at the argument.
ACCIDENT = re.compile(
    r"not supported between instances|unsupported operand type|bad operand type|object has no attribute|not subscriptable"
    r"|has no len\(\)|object is not (iterable|callable|an iterator)|unpack|inhomogeneous|no callable \w+ method"
    r"|did not contain a loop|not supported for the input types|truth value of|object cannot be interpreted as an integer"
    r"|(tuple|list) index out of range|indices must be integers or slices|got an unexpected keyword|must be real number"
    r"|too many values|not enough values|can only concatenate|unhashable|object too deep|object of too small depth"
    r"|cannot be converted to|__len__\(\) should return|argument must be a string or a|can't multiply sequence"
    r"|not supported for inputs with DType|list assignment index|argument of type|an integer is required|only 0-dimensional arrays can be converted to Python scalars|of unsized object|iteration over a 0-d|'out' kwarg is necessary|must be str, not|element conversion"
)


def accident(step):
    """Whether NumPy raises what Python says in the middle of NumPy's code, where cuarray checks the argument, or takes it."""
    return isinstance(step.want, Exception) and bool(ACCIDENT.search(str(step.want)))


#: How cuarray refuses arguments that are no numbers, and types that it has not.
NO_NUMBERS = re.compile(
    r"is no array of numbers|is no number|must be numbers|out must be an array|is not a dtype|is not supported by cuarray|a numpy\.(matrix|ma)|no units|start, stop and step must be"
)


def no_numbers(step):
    return isinstance(step.got, TypeError) and bool(NO_NUMBERS.search(str(step.got)))


#: (reason, test), beside those of judge.py; the reasons are rows or sections of docs/differences.md.
MEANT = [
    ("x.resize(shape) keeps what refers to the array: it replaces the memory",
     lambda step: isinstance(step.want, ValueError) and "cannot resize" in str(step.want) and step.got is None),
    ("out= has the result's shape: ValueError, where NumPy resizes, broadcasts, or looks at something else first",
     lambda step: isinstance(step.got, ValueError) and "out= has shape" in str(step.got)),
    ("where= takes bools: TypeError, whatever else is wrong with a call",
     lambda step: isinstance(step.got, TypeError) and "where= takes a bool array" in str(step.got)),
    ("Python numbers that dtype= does not hold: OverflowError, where NumPy makes arrays of them and casts those",
     both(got_type(OverflowError), text_has("dtype="))),
    ("what does not fit a C int is out of range like other numbers",
     lambda step: isinstance(step.want, OverflowError) and re.search("to C (int|long)|signed integer is (greater|less)", str(step.want)) and isinstance(step.got, ValueError | IndexError | None)),
    ("exceptions of arguments arrive, where NumPy drops them", both(raises_only_here, got_type(Planted))),
    ("an axis is one integer: TypeError for a tuple of one",
     lambda step: isinstance(step.got, TypeError) and "axis must be an integer" in str(step.got)),
    ("Python numbers beside arrays under any casting rule", lambda step: step.got is None and "cannot cast Python" in str(step.want)),
    ("finfo and iinfo of arrays, as the Array API has them", both(text_has("finfo|iinfo"), lambda step: step.got is None)),
    ("windows have a real number of elements, and a possible one",
     both(text_has("bartlett|blackman|hamming|hanning|kaiser"), got_type(TypeError, ValueError))),
    ("isdtype takes names of dtypes", both(text_has("isdtype"), want_type(TypeError))),
    ("edge_order is 1 or 2", both(text_has("gradient"), lambda step: "edge_order must be" in str(step.got))),
    ("a type is needed where None stands for float64", both(text_has("can_cast"), lambda step: "did not understand" in str(step.want))),
    ("conditions of any type of numbers", both(lambda step: (step.got is None or re.search("do not broadcast|out of bounds", str(step.got))) and "dtype('bool') according" in str(step.want))),
    ("genfromtxt has no masked arrays: TypeError before the file is opened", both(text_has("usemask"), got_type(TypeError))),
    ("complex numbers do not fall into bins: TypeError", both(text_has("histogram"), got_type(TypeError), lambda step: "complex" in str(step.got))),
    ("out=...: TypeError; results without axes are arrays here", both(text_has(r"out=\.\.\."), got_type(TypeError))),
    ("out=None of functions with two results", both(text_has("out=None"), lambda step: "'out' must be a tuple" in str(step.want))),
    ("arange(start=n): the first argument alone is where it stops", both(text_has(r"arange\("), lambda step: "stop to be specified" in str(step.want))),
    ("a shape is a sequence of integers: TypeError for arrays of more axes", lambda step: isinstance(step.got, TypeError) and "shape must be an integer, not list" in str(step.got)),
    ("numpy.dtype takes objects with a dtype, as our arrays are", both(text_has(r"xp\.(dtype|issubdtype)\("), lambda step: "dtype from an array" in str(step.want))),
    ("bias= of cov by its truth value", text_has(r"(cov|corrcoef)\(.*bias=")),
    ("what is no array cannot be written into: TypeError", lambda step: isinstance(step.got, TypeError) and "expected an array to write into" in str(step.got)),
    ("bytes are no words and no sequences of numbers: TypeError", lambda step: isinstance(step.got, TypeError) and " must be " in str(step.got) and "not b'" in str(step.got)),
    ("[] is an array of float64, also beside other types", both(text_has(r"(inner|dot)\(.*(\[\]|\(\)|\(x0,\))"), lambda step: isinstance(step.want, tuple))),
    ("like= is an array of ours", both(got_type(TypeError), text_has("like="), lambda step: "like must be" in str(step.got))),
    ("astype takes what arrays are made of", both(text_has(r"xp\.astype"), lambda step: "Input should be a NumPy array" in str(step.want))),
    ("fromregex of numbers: one column", both(text_has("fromregex"), lambda step: "structured" in str(step.want))),
    ("fromstring of arrays: TypeError", both(text_has("fromstring"), got_type(TypeError))),
    ("dtype= of means and variances is floating", lambda step: isinstance(step.got, TypeError) and "dtype must be floating" in str(step.got)),
    ("numbers that only Python's int holds are floats", lambda step: "dtype('O')" in str(step.want)),
    ("interp takes real coordinates", both(text_has("interp"), got_type(TypeError), lambda step: "coordinates are real" in str(step.got))),
    ("logical functions have loops of one type: casting= is asked of their inputs", both(text_has("logical_.*casting="), got_type(TypeError))),
    ("delete and insert give results in C order", both(text_has("delete|insert"), lambda step: isinstance(step.want, tuple) and step.want[0] == "flag")),
    ("arrays that are too large: ValueError", lambda step: isinstance(step.got, ValueError) and "more than an array can have" in str(step.got)),
    ("fromiter takes elements as Python numbers", both(text_has("fromiter"), raises_only_here, got_type(OverflowError))),
    ("weights have a number for each point", both(text_has("histogram|bincount"), lambda step: "weights have shape" in str(step.got))),
    ("memoryviews of bytes are arrays", both(want_type(NotImplementedError), lambda step: step.got is None)),
    ("interp checks the lengths before the types", both(text_has("interp"), want_type(TypeError), got_type(ValueError))),
    ("dot of an out= of any layout and type that holds the result", lambda step: step.got is None and "output array is not acceptable" in str(step.want)),
    ("out= of round as of ufuncs", both(text_has("round"), lambda step: step.got is None and "invalid output shape" in str(step.want))),
    ("the number of entries of out= is wrong: ValueError", lambda step: isinstance(step.got, ValueError) and "'out' tuple must have" in str(step.got)),
    ("initial= is one number", lambda step: isinstance(step.got, ValueError) and "only an array of size 1" in str(step.got)),
    ("an integer is no array with axes, no float and no sequence: TypeError",
     lambda step: isinstance(step.got, TypeError) and re.search("must be an integer( or a sequence of integers)?, not ", str(step.got))),
    ("no coordinates: ValueError", lambda step: isinstance(step.got, ValueError) and "the sample is empty" in str(step.got)),
    ("the arrays that fromfunction makes are ours", both(text_has("fromfunction"), want_type(TypeError))),
    ("einsum_path gives what it was given", both(text_has("einsum_path"), lambda step: isinstance(step.want, tuple))),
    ("what __array_interface__ says wrong is told first", lambda step: isinstance(step.got, ValueError) and "__array_interface__" in str(step.got)),
    ("True is the shape (1,)", both(text_has("broadcast_shapes"), lambda step: step.got is None and "expected a sequence of integers" in str(step.want))),
    ("an array of one element is an axis", both(lambda step: "only integer scalar arrays" in str(step.want), text_has("axis="))),
    ("numbers of another byte order come out in the machine's", both(text_has("'>f4'"), lambda step: isinstance(step.want, tuple))),
    ("the text of values is that of arrays without axes", text_has("array_repr|array_str")),
    ("equal elements in any order without stable=", both(text_has(r"argsort\((?!.*stable)"), lambda step: isinstance(step.want, np.ndarray))),
    ("numbers of choices outside: ValueError, also where the result has no elements",
     both(raises_only_here, got_type(ValueError), text_has("choose"), lambda step: any(not x.size for x in step.inputs))),
    ("objects, records, masked arrays and matrices: TypeError, whatever else is wrong with a call", no_numbers),
    ("flags take any object that has a truth value", odd_flag),
    ("errors of Python's that NumPy's code meets: cuarray checks the argument, or takes it as an array, a number or a sequence", accident),
    ("strings, objects, dates and records are no numbers: TypeError", other_types),
    ("parameters that NumPy has not, or names otherwise", unexpected_keyword),
    ("functions and methods that NumPy has not", both(want_type(AttributeError), lambda step: "has no attribute" in str(step.want))),
    ("float numbers as indices or counts: TypeError", both(raises_only_here, got_type(TypeError), text_has(r"\d\.\d|nan|inf|1j"),
     text_has(r"take|put|repeat|tri|insert|delete|split|roll|eye|bincount"))),
    ("masked arrays and matrices: TypeError", both(raises_only_here, got_type(TypeError), text_has(r"np\.(ma|matrix)"))),
    ("device= is an argument of ours", text_has("device=|to_device")),
    ("round(x) of an array with axes: as x.round()", both(want_type(TypeError), text_has(r"^(r0 = )?round\("))),
    ("axis 0 of an array without axes: taken by sums and the like, AxisError for squeeze",
     lambda step: any(isinstance(e, np.exceptions.AxisError) and "dimension 0" in str(e) for e in (step.want, step.got))),
    ("split(x, 0): ValueError", both(want_type(ZeroDivisionError), got_type(ValueError), text_has("split"))),
    ("big-endian and long double numbers: TypeError", both(got_type(TypeError), text_has(r"'>|float128"))),
    ("where= of ufuncs: bool arrays and bools", both(raises_only_here, got_type(TypeError), text_has(r"where=(?!None)"))),
    ("einsum, dot and others of bools and halves in their own orders", text_has(r"^r0 = xp\.empty")),
    # Of functions from m to z, of methods and of operators.
    ("an axis that 32 bits do not hold: AxisError", both(want_type(OverflowError), got_type(np.exceptions.AxisError))),
    ("numbers that C's int or long do not hold are taken where Python's are",
     both(lambda step: step.got is None, want_type(OverflowError), want_says(r"C (int|long)|signed integer is greater"))),
    ("a sequence of axes is taken wherever a tuple is, and an array without axes where a number is",
     both(want_type(TypeError), want_says(r"object cannot be interpreted as an integer|only integer scalar arrays can be converted|integer argument expected|'subok' must be|__array_function__ did not"))),
    ("a bool is an integer, as in Python",
     both(lambda step: step.got is None, want_type(TypeError), want_says(r"integer is required|a single integer, got '(np\.)?(True|False|array)"))),
    ("median and quantiles leave x alone, whatever overwrite_input= says", text_has("overwrite_input=")),
    ("unique(sorted=False) in ascending order", both(values_differ, text_has(r"unique.*sorted="))),
    ("positions in what is not sorted are undefined", both(values_differ, text_has(r"(searchsorted|digitize|interp)\(.*(\[::-1\]|\.T)|searchsorted\(x[01]|x[01]\.searchsorted"))),
    ("where= of ufuncs, reductions and copyto: bool arrays and bools", got_says("where= takes a bool array")),
    ("dtype=bool, dtype=int of mean, var and std: TypeError",
     both(raises_only_here, got_type(TypeError), text_has(r"nan(mean|var|std)\(.*dtype="))),
    ("out= of functions that are no ufuncs has the result's shape",
     both(got_type(ValueError), got_says(r"out= has shape"), lambda step: not isinstance(step.want, ValueError))),
    ("out= of reductions, of take and of dot: cast by the rule of ufuncs",
     both(want_says(r"Cannot cast (array data|scalar)|output array is not acceptable|output array does not match|invalid output shape"),
          text_has(r"\.(sum|mean|max|min|argmax|argmin|cumsum|take|dot|choose|trace|nanargmax|nanargmin|round|compress)\("))),
    ("an array that is given as out= is returned", lambda step: isinstance(step.got, tuple) and step.got[0] in ("type", "no value")
     and isinstance(step.got[1], np.ndarray | ca.ndarray) and bool(re.search(r"out=|np\.|xp\.zeros|x5\)", step.statement))),
    ("views of numbers are arrays of their own: no value", lambda step: isinstance(step.got, tuple) and step.got[0] == "no value"
     and bool(re.search(r"(transpose|permute_dims|matrix_transpose|reshape|squeeze|ravel|swapaxes|flip|positive|real|imag|moveaxis|rollaxis)\(", step.statement))),
    ("new arrays of indexing, joining, folding and partitions lie in C order or in that of x; NumPy's lie as its loops go",
     lambda step: isinstance(step.want, tuple) and step.want[0] == "flag" and step.want[1].endswith("_contiguous")),
    ("an unknown extent of a shape is -1; NumPy takes any negative number", both(raises_only_here, got_says("negative dimensions are not allowed"))),
    ("union1d, setxor1d and their like check the range of Python numbers", both(raises_only_here, got_type(OverflowError),
     text_has(r"union1d|setxor1d|intersect1d|setdiff1d|isin|concatenate|append"))),
    ("an empty list is an array of float64", both(text_has(r"\[\]|\(\)"), lambda step: isinstance(step.want, tuple) and step.want[0] == "dtype")),
    ("x.flat[key] is x.reshape(-1)[key]", text_has(r"\.flat(\[| = )")),
    ("x.view(None): as x.view()", text_has(r"view\(None\)")),
    ("counts of nothing, and places in what has no axes, are checked", both(raises_only_here, got_type(ValueError), text_has("repeat|partition"))),
    ("a slice has a step: looked at before the axes are counted", got_says("slice step cannot be zero")),
    ("pickles are cuarray's own", text_has(r"__reduce_ex__")),
    ("max_work= is not looked at", text_has("max_work=")),
    ("shares_memory of what is no array: TypeError", both(got_type(TypeError), text_has("share[s_]*memory"))),
    ("mgrid and ogrid take slices", got_says(r"grid: takes slices")),
    ("as_strided checks what NumPy believes", both(got_type(ValueError, OverflowError), text_has("as_strided"))),
    ("objects are asked for their numbers even where no element is written", lambda step: isinstance(step.got, Planted) and step.want is None),
    ("x == y of what is no array: False and True", both(lambda step: step.got is None, want_says("__array__ method not producing an array"))),
    ("nan_to_num(number, copy=False): a number has no memory that could be written", both(text_has("copy=(False|0)"), want_says("Unable to avoid copy"))),
    ("words are of type str", both(got_type(TypeError), got_says(r"must be (a string|'raise', 'wrap' or 'clip')"))),
    ("coefficients have one axis: ValueError", both(got_type(ValueError), got_says("coefficients must have one axis"))),
    ("x.real = number is x[...] = number where x is real", both(raises_only_here, text_has(r"^x\d\.(real|imag) = "))),
    ("ddof= and correction= are real numbers, m= and k= integers", both(got_type(TypeError), got_says(r"must be (a real number|an integer), not"))),
    ("initial=: a sequence of one number is that number", text_has(r"initial=([\[(]|np\.)")),
    ("assume_unique=True of what is not unique is undefined", both(text_has("assume_unique="), lambda step: got_type(tuple)(step) or values_differ(step))),
    ("diagonals of any number, which need not fit int64", both(text_has(r"tri[lu]?(_\w+)?\("), want_says("Maximum allowed size exceeded"))),
    ("a complex fill of nan_to_num is written as a copy writes it", both(text_has(r"nan_to_num\(.*1j"), want_says("Cannot cast scalar from"))),
    ("arrays of numbers to index with: TypeError for a matrix", both(got_type(TypeError), text_has(r"\[.*np\.(matrix|ma)"))),
    ("two faults in one call: which is told is not promised",
     both(want_says(r"Cannot cast ufunc|cannot specify both|remapped shapes|out of bounds for array of dimension|read-only|zero-size array"),
          lambda step: isinstance(step.got, TypeError | ValueError | OverflowError))),
    ("out= of one result of two may be one array", both(text_has(r"(modf|divmod|frexp)\("), want_says("must be a tuple of arrays"))),
    ("out= is cast to by the rule of ufuncs", both(raises_only_here, got_says("cannot cast the output|cannot cast from"))),
    ("positions of unravel_index are integers, no bools", both(got_type(TypeError), got_says("only integers are permitted"))),
    ("a shape, axes and a target are what they are called: TypeError", both(got_type(TypeError), got_says("must be an integer or a sequence|expected an array to write into|out must be an array"))),
    ("trim_zeros of other sequences gives arrays", text_has(r"trim_zeros\((range|bytearray|b'|\(|memoryview)")),
    ("the length of a sequence is asked for", text_has(r"hostile\(len=lambda: -1")),
    ("choose reads all before it writes, also where out= is the array of numbers", both(lambda step: step.got is None, want_says("invalid entry in choice array"))),
    ("vectorize looks at otypes= when it is called", text_has(r"vectorize\(otypes=")),
    ("flags are not asked for an index", both(lambda step: step.got is None and isinstance(step.want, Planted), text_has("keepdims="))),
    ("nanmax(number, initial=...): as of an array", both(values_differ, text_has(r"nan(max|min)\(.*initial="))),
    ("what tile returns is new memory, and can be written", both(text_has(r"tile\("), lambda step: isinstance(step.want, tuple) and step.want[0] == "flag")),
    ("files of arrays of text or objects: TypeError", both(got_type(TypeError), text_has(r"xp\.(save|savez|savez_compressed|savetxt)\("))),
    ("None and records where a type is promoted", text_has(r"(promote_types|result_type|can_cast)\(.*(None|\{\}|datetime|M8)")),
    ("like= is an array of cuarray", got_says("like must be")),
    ("more than the numbers of a mean= given beside var and std", text_has(r"(var|std)\(.*mean=")),
    ("the depth of recursion is no limit of polyder", want_type(RecursionError)),
    ("Python's floats out of range raise in assignments", both(raises_only_here, got_says("cannot convert float (NaN|infinity) to integer"))),
]  # fmt: skip


def array_arguments(statement):
    """Return the values of the arguments of a statement that stand for arrays, as far as they can be made again."""
    tree = ast.parse(statement).body[0]
    call = tree.value if isinstance(tree, ast.Assign | ast.Expr) else None
    texts = []
    if (
        isinstance(call, ast.Call)
        and isinstance(call.func, ast.Attribute)
        and ast.unparse(call.func.value) == "xp"
    ):
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
    """Yield the operands, indices, values and arguments of a statement, not what those are made of."""
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
    """Return the value of an argument in a list, or nothing where it depends on the arrays of the program."""
    if "hostile(" in text or "object()" in text:
        return [object()]
    try:
        return [eval(text, {"np": np, "xp": np, "__builtins__": __builtins__})]
    except Exception:
        return []


def is_numeric(value, keys=False):
    """Whether NumPy makes an array of numbers of a value; where there are keys, slices and ... are none."""
    if isinstance(value, np.dtype):
        return True
    if isinstance(value, slice) or value is ...:
        return keys
    try:
        return np.asarray(value).dtype in KNOWN
    except Exception:
        return False


def mended(statement):
    """Yield a call with one argument left out or made a good one."""

    def good(node, k, _):
        if (
            isinstance(node, ast.Call)
            and isinstance(node.func, ast.Attribute)
            and ast.unparse(node.func.value) == "xp"
        ):
            kinds = parameters(node.func.attr) if hasattr(ca, node.func.attr) else []
            if kinds:
                return list(dict.fromkeys(KINDS[kinds[min(k, len(kinds) - 1)][1]]))[:12]
        return ("0", "1", "None", "x0", "xp.zeros(3)")

    yield from with_simpler_parts(statement, good)
    if "x5" in statement:
        yield statement.replace("x5", "x1")  # not read-only


# ---- the functions -----------------------------------------------------------------------------------------------------


@functools.cache
def parameters(name):
    """Return (name, kind, how) of every parameter of a public function; how: "must", "may", "keyword", "more"."""
    function = getattr(ca, name)
    special = FUNCTIONS.get(name, {})
    if isinstance(function, ca.ufunc):
        options = {"out": "out", "where": "mask", "dtype": "dtype", "casting": "casting", "order": "order"}
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
        return set(inspect.signature(getattr(np, name)).parameters)
    except (TypeError, ValueError, AttributeError):
        return None


def functions():
    """Return the names of all public functions that are called."""
    names = [n for n in ca.__all__ if callable(getattr(ca, n)) and n not in LEFT_OUT]
    return [
        n
        for n in names
        if not (isinstance(getattr(ca, n), type) and issubclass(getattr(ca, n), np.generic | Exception))
    ]


ALL = functions()


def restrict(pattern):
    """Call only the functions whose names a pattern matches at the beginning, and FORMS that it matches with a dot before them."""
    ALL[:] = [name for name in ALL if re.match(pattern, name)]
    FORMS[:] = [form for form in FORMS if re.match(pattern, "." + form)]
    if not ALL and not FORMS:
        raise SystemExit(f"calls: nothing is called {pattern!r}")


class Writer:
    """Writes calls."""

    def __init__(self, rng):
        self.rng = rng
        self.shape = ()

    def arrays(self):
        """Return the statements that make x0 to x5."""
        rng = self.rng
        shape = self.shape = rng.choice(SHAPES)
        size = int(np.prod(shape))
        first, second = rng.choice(DTYPES), rng.choice(DTYPES)
        if rng.random() < 0.5:
            second = first
        lines = [f"x0 = xp.array({self.numbers(first, size)}, {first!r}).reshape({shape})",
                 f"x1 = xp.array({self.numbers(second, size)}, {second!r}).reshape({shape})",
                 f"x2 = xp.array({[rng.random() < 0.5 for _ in range(size)]}, '?').reshape({shape})",
                 f"x3 = xp.array({[rng.randrange(max(shape[0] if shape else 1, 1)) for _ in range(min(size, 5))]}, 'i8')",
                 f"x4 = xp.array({sorted(rng.randrange(9) for _ in range(shape[-1] if shape else 3))}, {first if first != '?' else 'f8'!r})",
                 "x5 = x1.copy(); x5.setflags(write=False)"]  # fmt: skip
        return lines

    def numbers(self, dtype, size):
        rng = self.rng
        if dtype[0] in "iu?":
            low = -9 if dtype[0] == "i" else 0
            return [rng.randrange(low, 2 if dtype == "?" else 10) for _ in range(size)]
        return [rng.randrange(-8, 9) / 2 for _ in range(size)]

    def argument(self, kind, hostile=False):
        if hostile:
            while True:
                text = self.rng.choice(HOSTILE)
                if kind != "file" or not NO_FILES.search(text):
                    return text
        return self.rng.choice(KINDS[kind])

    def call(self):
        """Return the text of a call."""
        rng = self.rng
        if FORMS and (not ALL or rng.random() < 0.25):
            return self.form()
        name = rng.choice(ALL)
        chosen = []
        known = names_of_numpy(name)
        for parameter, kind, how in parameters(name):
            if how == "more":
                chosen += [("", kind)] * rng.randrange(3)
            elif how == "must" or (how == "may" and rng.random() < 0.7 and not any(k for k, _ in chosen)):
                chosen.append(("", kind))
            elif how == "keyword":
                strange = known is not None and parameter not in known
                if rng.random() < (0.02 if strange else 0.25):
                    chosen.append((parameter, kind))
        spoilt = self.spoilt(len(chosen))
        texts = [
            (f"{p}=" if p else "") + self.argument(kind, k in spoilt) for k, (p, kind) in enumerate(chosen)
        ]
        if rng.random() < 0.01 and texts:
            texts.pop(rng.randrange(len(texts)))
        texts.sort(key=lambda t: bool(re.match(r"[a-z_]\w*=(?!=)", t)))
        return f"xp.{name}({', '.join(texts)})"

    def spoilt(self, count):
        """Return which arguments are hostile: none, one, or two."""
        kind = self.rng.random()
        if not count or kind < 0.45:
            return set()
        return {self.rng.randrange(count) for _ in range(1 if kind < 0.9 else 2)}

    def form(self):
        parts = re.split(r"\{(\w+)\}", self.rng.choice(FORMS))
        spoilt = self.spoilt(len(parts) // 2)
        for k in range(1, len(parts), 2):
            parts[k] = self.argument(parts[k], k // 2 in spoilt)
        return "".join(parts)


def statement_of(call):
    """Return a statement that keeps what a call gives."""
    try:
        ast.parse(f"r0 = {call}")
    except SyntaxError:
        return call
    return call if re.match(r"x\d(\.\w+|(\.flat)?\[.*\])? [-+*/]?= ", call) else f"r0 = {call}"


# ---- judging -----------------------------------------------------------------------------------------------------------

INSIDES = re.compile(
    r"_core\b|incompatible function arguments|cuarray\._|::|pybind|basic_string|\b_[a-z]\w*\(\) "
)

#: What Python says, and does not say where: behind a function's name it will do.
UNNAMED = re.compile(
    r"^(?![a-z_]\w*(\.\w+)?: ).*(object has no attribute|not subscriptable|object is not iterable|cannot unpack|must be real number"
    r"|object of type '\w+' has no len|not supported between instances|unsupported operand|list index out of range"
    r"|object cannot be interpreted as an integer|argument must be a string or a)",
    re.DOTALL,
)


#: What these change, and when, differs from NumPy's order: such calls must end well, and no more.
CHANGING = re.compile(r"\b(shrink|scribble|freeze)\(")


def judge_message(statement, error, want):
    """Return the Difference of a message that tells of cuarray's insides, unless it is NumPy's own or the interpreter's."""
    try:
        text = str(error)
    except Planted:
        return None  # it quotes an argument that raises when it is printed
    if want is not None and text == str(want):
        return None
    function = main_function(statement)
    if getattr(ca, function, ca) is getattr(np, function, np):
        return None  # is NumPy's
    if (
        isinstance(error, Planted | MemoryError | SyntaxError | StopIteration | RecursionError | OSError)
        or "planted" in text
    ):
        return None
    if isinstance(error, NameError) or ("hostile" in text.lower() and "object" in text):
        return None
    if getattr(ca, function, None) is getattr(np, function, ca):
        return None  # NumPy's own, such as ndindex
    if re.match(r"unsupported operand type|'\S+' not supported between instances", text) and "cuarray.ndarray'" in text:
        return None  # Python's of an operator, where neither side knows the other
    if function in ("setitem", ".fill") and "must be real number" in text:
        return None  # Python's of an element, as in NumPy
    trace = error.__traceback__
    while trace and trace.tb_next:
        trace = trace.tb_next
    if trace and trace.tb_frame.f_code.co_name == "<lambda>":
        return None  # a function that the call was given has raised
    insides, unnamed = INSIDES.search(text), UNNAMED.search(text)
    if insides or unnamed:
        found = insides[0] if insides else unnamed[2]
        return Difference((function, "message", type(error).__name__, found), f"cuarray: {headline(error)}")
    return None


def run(pair, statement, trace, before):
    """Run a call on both sides, cuarray's first; return its Differences."""
    trace([*before, statement])
    got = pair.run_ours(statement)
    if CHANGING.search(statement):
        found = judge_message(statement, got, None) if got else None
        return [found] if found else []
    want = pair.run_theirs(statement)
    differences = []
    if got is not None:
        told = judge_message(statement, got, want)
        differences += [told] if told else []
    if isinstance(got, MemoryError) or isinstance(want, MemoryError):
        return differences
    if isinstance(got, Planted) and want is not None:
        return differences
    found = pair.finish(statement, want, got)
    return differences + ([found] if found else [])


#: NumPy calculates these with Python's integers, for ever.
ENDLESS = re.compile(r"(\*\* |pow|<<|shift).*10\*\*30|10\*\*30.*(\*\* |<<)")


def case(rng, device, trace):
    """Make a few arrays and call functions with them."""
    settle()
    writer = Writer(rng)
    setup = writer.arrays()
    pair = Pair(device, NAMES, MEANT, mended)
    for _ in range(10):
        statement = statement_of(writer.call())
        if ENDLESS.search(statement):
            continue
        if "resize(" in statement and "xp.resize(" not in statement:
            statement = statement.replace("x0.resize", "x1.resize")
        made = setup
        if "shrink(x0" in statement and rng.random() < 0.3:
            made = ["x0 = xp.zeros(20_000_000)", *setup[1:]]  # memory that goes back to the system at once
            gc.collect()  # exceptions hold the frames that they went through
        try:
            pair.prepare(made)
        except MemoryError:
            continue  # the limit of this process
        for difference in run(pair, statement, trace, made):
            yield difference, [*made, statement]


def settle():
    """Files go where they hurt nobody."""
    if not os.getcwd().startswith(tempfile.gettempdir()):
        os.chdir(tempfile.mkdtemp(prefix="cuarray-fuzz-"))


def replay(statements, device):
    """Run statements, the last of which is the call, and return the Differences."""
    settle()
    pair = Pair(device, NAMES, MEANT, mended)
    found = []
    pair.prepare(statements[:-1])
    if not all(isinstance(x, ca.ndarray) for n, x in pair.ours.items() if re.match(r"x\d$", n)):
        return []
    return found + run(pair, statements[-1], lambda _: None, [])


def header(text):
    """Return what stands before a program that is printed."""
    lines = "import numpy as np, cuarray as ca\n\nxp = ca\n"
    names = sorted(n for n in NAMES if re.search(rf"\b{n}\b", text))
    return f"from hostile import {', '.join(names)}  # tests/fuzz\n{lines}" if names else lines


def function_of(statements):
    return main_function(statements[-1])


if __name__ == "__main__":
    sys.exit(batches.main(sys.modules[__name__]))
