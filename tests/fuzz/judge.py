"""judge.py -- runs the same statements with NumPy and with cuarray, and says where they part.

A program is a list of statements, texts in `xp`; `fuse` is cuarray's, and does nothing beside NumPy. After each statement
every live array is compared: value, dtype, shape, contiguity, writability, who shares memory with whom, whether a result is
a value (`y = x; y += 1` leaves x alone); if NumPy raises, cuarray must raise the same type, and no array may have changed.

What is meant to be different stands in MEANT, with its reason, and nowhere else. Inexact functions have limits
(`INEXACT`, `SUMS`); after such a statement NumPy's array takes cuarray's digits over, so that one rounding is not counted twice.
"""

import ast
import contextlib
import functools
import math
import operator
import re
import sys
import warnings
from pathlib import Path
from typing import NamedTuple

import numpy as np

sys.path[:0] = [str(Path(__file__).resolve().parents[1] / "python")]

import oracle
from same import public_type

import cuarray as ca

DTYPES = ["?", "i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8", "f2", "f4", "f8", "c8", "c16"]
KNOWN = {np.dtype(t) for t in DTYPES}

#: Functions that are not rounded exactly, here or in NumPy, by NumPy's name; the limits are those of tests/python/oracle.py.
INEXACT = {
    name
    for ours in {*oracle.CUDA_LIMITS, *oracle.OTHER, "floor_divide"}
    for name in (ours, oracle.NUMPY_NAMES.get(ours, ours))
} | {"power", "absolute", "float_power", "reciprocal", "deg2rad", "rad2deg", "sinc", "i0", "angle", "nan_to_num",
     "linspace", "logspace", "geomspace", "interp", "round", "around", "hanning", "hamming", "kaiser", "bartlett",
     "blackman", "square"}  # fmt: skip
#: What NumPy's own functions may be off, beside ours.
NUMPYS = 4.5

#: Functions that may give either zero, of 0.0 and -0.0.
EITHER_ZERO = {
    "abs",
    "sort",
    "unique",
    "clip",
    "maximum",
    "minimum",
    "fmax",
    "fmin",
    "max",
    "min",
    "nanmax",
    "nanmin",
    "ptp",
}

#: Complex powers are exp(y * log(x)): the exponent's error is the result's relative one, and exponents may be hundreds.
EXPONENT = 400.0

#: Functions that add or multiply in an order of their own.
SUMS = {
    "sum", "mean", "var", "std", "prod", "cumsum", "cumprod", "cumulative_sum", "cumulative_prod", "dot", "inner",
    "vdot", "vecdot", "matvec", "vecmat", "matmul", "einsum", "trace", "average", "nansum", "nanmean", "nanprod",
    "nanvar", "nanstd", "nancumsum", "nancumprod", "tensordot", "convolve", "correlate", "kron", "cov", "corrcoef",
    "median", "percentile", "quantile", "nanmedian", "nanpercentile", "nanquantile", "gradient", "trapezoid", "reduce",
    "accumulate", "reduceat", "at", "histogram", "histogram2d", "histogramdd", "bincount", "polyval", "polydiv",
    "polymul", "polyadd", "polysub", "polyint", "polyder", "poly", "vander", "cross", "outer", "diff", "ediff1d", "unwrap",
    "apply_along_axis", "apply_over_axes", "matpow", "pad", "linspace", "logspace", "geomspace",
}  # fmt: skip
SUM_LIMIT = 64

#: As ast calls them.
OPERATORS = {"Add", "Sub", "Mult", "Div", "FloorDiv", "Mod", "Pow", "BitAnd", "BitOr", "BitXor", "LShift", "RShift", "Lt", "LtE",
             "Eq", "NotEq", "Gt", "GtE", "USub", "UAdd", "Invert"}  # fmt: skip

#: Functions of integers whose results are floats, which out= or at() may make integers again.
FRACTIONAL = INEXACT | {"ldexp", "/", "divide", "true_divide", "sqrt", "cbrt", "at", "mean", "reciprocal"}

UFUNCS = {name for name in dir(np) if isinstance(getattr(np, name), np.ufunc)}

NAME = re.compile(r"[A-Za-z_]\w*")
LIVE_WORD = re.compile(r"\b[a-z]\d+\b")
BOUND = re.compile(r"\b([a-z]\d+)(?=(?:, [a-z]\d+)* [-+*/%&|^<>]*= )")
#: Statements that ask for an order of new memory, which is free elsewhere.
ORDER_ASKED_FOR = re.compile(r"order='[CF]'|contiguousarray|asfortranarray|flatten|ravel|copy\('[CF]'\)")
#: Functions whose results without axes are values here, as those of ufuncs, and arrays in NumPy.
VALUES = {"where", "select", "isin"}
#: Names of arrays in programs and calls.
LIVE = frozenset(f"{letter}{digit}" for letter in "rvwx" for digit in range(10))


class Difference(NamedTuple):
    """Where the two parted: `kind` is what findings of one fault have in common, `text` says it."""

    kind: tuple
    text: str


class Step(NamedTuple):
    """What a row of MEANT looks at; errors are None where the statement went well."""

    names: frozenset
    statement: str
    want: object
    got: object
    inputs: list


def words(statement):
    """Return the identifiers of a statement and, as words of their own, its operators."""
    found = set(NAME.findall(statement))
    found |= {sign for sign in ("//", "%", "**", "@", "*", "/", "-") if sign in statement}
    return frozenset(found)


def bare_fuse(function=None):
    """NumPy's stand-in for fuse."""
    return contextlib.nullcontext() if function is None else function


#: Called with True before NumPy runs and with False after: NumPy crashes, too, `np.cumsum(np.array(1), out=np.array(1))` at times.
watchers = []


def turn(numpys):
    for watcher in watchers:
        watcher(numpys)


def quiet():
    """Turn off what NumPy says about values, for the rest of this process."""
    warnings.simplefilter("ignore")
    np.seterr(all="ignore")


# ---- what is meant to be different -------------------------------------------------------------------------------------


def raised(*names):
    """Only cuarray raises, one of these types."""
    return lambda step: step.want is None and type(step.got).__name__ in names


def has(*names):
    return lambda step: any(name in step.names for name in names)


def every(*tests):
    return lambda step: all(test(step) for test in tests)


def inexact_inputs(step):
    return any(x.dtype.kind in "fc" for x in step.inputs)


def values_differ(step):
    return isinstance(step.want, np.ndarray)


def out_of_range(step):
    """Whether integers differ where an input has NaN, an infinity, or a number that the integers do not hold."""
    if not values_differ(step) or step.want.dtype.kind not in "iu":
        return False
    floats = [x for x in step.inputs if x.dtype.kind in "fc"]
    info = np.iinfo(step.want.dtype)
    parted = step.got[step.want != step.got]
    if step.names & FRACTIONAL and np.isin(parted, [info.min, info.max, 0]).all():
        return True
    unsafe = re.search(r"unsafe|'[fc]\d|\d\.\d", step.statement)
    # Of uint64 and signed integers floats are made.
    mixed = any(x.dtype == "u8" for x in step.inputs) and any(x.dtype.kind == "i" for x in step.inputs)
    if (mixed or unsafe) and np.isin(parted, [info.min, info.max, 0]).all():
        return True
    wild = any(
        not np.isfinite(x).all() or (x.real.astype("f8") >= info.max + 1).any() or (x.real < info.min).any()
        for x in floats
    )
    wild |= bool(re.search(r"nan|inf|\de\d|\d\.\d*e|array\(-\d", step.statement))
    return wild


def out_of_loop_range(step):
    """Whether an integer dtype= or signature= is given that does not hold the floats that go into it."""
    if not values_differ(step):
        return False
    for name in re.findall(r"'([iu][1248])'", step.statement):
        info = np.iinfo(name)
        floats = [x.real for x in step.inputs if x.dtype.kind in "fc"]
        if any(not np.isfinite(x).all() or (x > info.max).any() or (x < info.min).any() for x in floats):
            return True
    return False


def out_of_range_before(step):
    """Whether a line of a fused block may have cast floats to integers that do not hold them."""
    if is_single(step.statement):
        return False
    integers = {x.dtype for x in step.inputs if x.dtype.kind in "iu"}
    integers |= {np.dtype(t) for t in re.findall(r"'([iu][1248])'", step.statement)}
    if integers and re.search(r"nan|inf\b|\de\+?\d", step.statement):
        return True
    floats = [x.real.astype("f8") for x in step.inputs if x.dtype.kind in "fc"]
    return any(
        not np.isfinite(x).all() or (x >= np.iinfo(t).max + 1).any() or (x <= np.iinfo(t).min - 1).any()
        for x in floats
        for t in integers
    )


def unsorted(step):
    """Whether positions were searched in what is not sorted."""
    return values_differ(step) and any(
        x.ndim == 1 and x.dtype.kind != "c" and (x[1:] < x[:-1]).any() for x in step.inputs
    )


def not_finite(step):
    """Whether numbers differ only where one side is not finite, or too large for sums to be."""
    if not values_differ(step) or step.want.dtype.kind not in "fc":
        return False
    with np.errstate(all="ignore"):
        odd = [not np.isfinite(x).all() or (np.abs(x) > math.sqrt(np.finfo(x.dtype).max)).any()
               for x in [*step.inputs, step.want, step.got] if x.dtype.kind in "fc"]  # fmt: skip
    return any(odd)


#: (reason, test of a Step). The reasons are rows of docs/differences.md.
MEANT = [
    ("float to integer out of range is undefined in NumPy; here the nearest end, 0 for NaN", out_of_range),
    ("float to integer out of range is undefined in NumPy; here the nearest end, 0 for NaN", out_of_loop_range),
    ("float to integer out of range is undefined in NumPy; here the nearest end, 0 for NaN", out_of_range_before),
    ("positions in what is not sorted are undefined", every(has("searchsorted", "interp", "digitize"), unsorted)),
    ("// and % of floats: the exact floor, infinities as the Array API has them",
     every(values_differ, lambda step: inexact_inputs(step) or bool(re.search(r"inf|nan|\d\.\d|\de", step.statement)),
           has("//", "%", "floor_divide", "divmod", "remainder", "mod"))),
    ("sums and products in another order: not finite ones may differ",
     every(not_finite, has(*SUMS, "@"))),
    ("complex products, quotients and functions of infinities and NaN as the Array API has them",
     every(not_finite, lambda step: any(x.dtype.kind == "c" for x in [*step.inputs, step.want]))),
    ("where=, logical functions and choices check the range of Python numbers",
     every(lambda step: isinstance(step.got, OverflowError),
           has("where", "logical_and", "logical_or", "logical_xor", "select", "choose", "outer",
                                                                 "union1d", "setxor1d", "intersect1d", "append", "concatenate"))),
    ("float numbers as indices or counts: TypeError",
     every(raised("TypeError"), has("take", "put", "repeat", "tri"), lambda step: bool(re.search(r"\d\.\d|nan", step.statement)))),
    ("dtype=int of mean, var and std: TypeError", every(raised("TypeError"), has("mean", "var", "std", "dtype"),
     lambda step: bool(step.names & {"mean", "var", "std"}) and "dtype" in step.names)),
    ("x == None, x != 'text': False and True, as for objects that are no numbers",
     lambda step: isinstance(step.want, tuple) and isinstance(step.got, tuple) and isinstance(step.got[-1], bool) and
     bool(re.search("[!=]=", step.statement))),
    ("comparisons and truth values of Python numbers are exact, of any size",
     lambda step: isinstance(step.want, OverflowError) and step.got is None
        and (bool(re.search(r"[=!<>]= |[<>] | in |equal|less|greater|logical_", re.sub(r"^[\w, ]+ = ", "", step.statement)))
             or any(x.dtype == bool for x in step.inputs))),
    ("without out=, what where= leaves out has no value",
     every(values_differ, has("where"), lambda step: ("out" not in step.names or re.search(r"out=(None|\(None,)", step.statement)) and bool(step.names & UFUNCS))),
    ("with where=, the layout follows the first argument", every(has("where"), lambda step: isinstance(step.want, tuple) and step.want[0] == "flag")),
    ("real(x), imag(x): new arrays", every(has("real", "imag"), lambda step: isinstance(step.want, tuple) and step.want[0] == "flag")),
    ("an index outside in take, where the result has no elements: IndexError",
     every(raised("IndexError"), has("take", "compress"),
           lambda step: any(not x.size for x in step.inputs) or bool(re.search(r"\[[^]]*:", step.statement)))),
    ("ufunc.at of a read-only array: ValueError", every(raised("ValueError"), has("at"), lambda step: "read-only" in str(step.got))),
    ("equal elements keep their order in partitions", every(values_differ, has("partition", "argpartition"))),
    (
        "arctan2.reduce and power.reduce from left to right, as NumPy's accumulate has them",
        every(values_differ, has("reduce", "reduceat"), has("arctan2", "atan2", "power", "pow", "float_power")),
    ),
    (
        "the reciprocal of the integer 0 is 0",
        every(values_differ, has("reciprocal"), lambda step: any(x.dtype.kind in "biu" and not x.all() for x in step.inputs)),
    ),
    (
        "NumPy arrays beside cuda arrays: TypeError, no transfer",
        every(raised("TypeError"), lambda step: "cuda" in str(step.got) and "np." in step.statement),
    ),
    ("unique_values in ascending order", every(values_differ, has("unique_values"))),
    ("x @ y of scalars is no operator of NumPy's scalars; here it is the product of arrays without axes: ValueError",
     every(has("@"), lambda step: isinstance(step.want, TypeError) and "unsupported operand type(s) for @" in str(step.want))),
    ("NumPy's scalars are no arrays that could be written to; 0-d arrays are",
     lambda step: isinstance(step.want, TypeError) and bool(re.search(r"must be (numpy.ndarray|an array)", str(step.want)))),
    ("mean, var and std of an array without axes along axis 0, as sum",
     every(has("mean", "var", "std", "average", "median", "nanmean", "nanvar", "nanstd", "nanmedian"), lambda step: step.got is None
           and isinstance(step.want, np.exceptions.AxisError) and "dimension 0" in str(step.want))),
    ("a Python number in outer takes the array's type",
     every(has("outer"), lambda step: isinstance(step.want, tuple) or bool(re.search(r"\(.*, -?\d|\.outer\(-?\d", step.statement)))),
    ("numbers that only Python's int holds make arrays of objects in NumPy: TypeError",
     every(lambda step: isinstance(step.got, TypeError | OverflowError),
           lambda step: bool(re.search(r"10 ?\*\* ?30|2 ?\*\* ?6[34]|5 ?\*\* ?28", step.statement)))),
    ("unsigned positions beyond int64 lie outside; NumPy counts them from the end",
     lambda step: isinstance(step.got, IndexError) and f"index {2**63 - 1} is out of bounds" in str(step.got)),
    ("positions that int64 does not hold: IndexError",
     lambda step: isinstance(step.got, IndexError) and isinstance(step.want, OverflowError)),
    ("bool ** 2 is int64, as numpy.power", every(has("**"), lambda step: isinstance(step.want, tuple) and step.want == ("dtype", "int8", "int64"))),
    ("logical functions cast their inputs by the rule that is asked for",
     every(raised("TypeError"), has("logical_and", "logical_or", "logical_xor", "logical_not"), has("casting", "dtype", "signature"))),
    ("ufunc.at looks at negative exponents even where there is no position",
     every(raised("ValueError"), has("at"), lambda step: "negative integer powers" in str(step.got))),
    ("ufunc.at looks at shapes before it looks at positions",
     every(has("at"), lambda step: isinstance(step.want, IndexError) and "does not broadcast" in str(step.got))),
    ("numbers that only Python's int holds make arrays of objects in NumPy: TypeError, or floats",
     every(lambda step: raised("TypeError", "OverflowError")(step) or (isinstance(step.got, tuple) and step.got[0] == "dtype" and step.got[1] == "object"),
           lambda step: bool(re.search(r"10\*\*30|2\*\*64|2\*\*63", step.statement)))),
    ("NumPy's scalars take no items; 0-d arrays do",
     lambda step: isinstance(step.want, TypeError) and "does not support item assignment" in str(step.want)),
    ("one element of a bool array from a sequence of one: ValueError",
     every(raised("ValueError"), lambda step: "setting an array element" in str(step.got) and any(x.dtype == bool for x in step.inputs))),
    ("one element of a complex array from a sequence of one: ValueError, as for other types",
     lambda step: "setting an array element" in str(step.got) and isinstance(step.want, TypeError)),
    ("arrays of broadcast_arrays are read-only",
     every(has("broadcast_arrays"), lambda step: (isinstance(step.want, tuple) and step.want == ("flag", "writeable"))
           or (isinstance(step.got, ValueError) and "read-only" in str(step.got)))),
    ("Python numbers pass every casting rule; in NumPy all but 'equiv'",
     every(has("equiv"), lambda step: step.got is None and "cannot cast Python" in str(step.want))),
    ("reductions of ufuncs that take and give different types: TypeError",
     every(raised("TypeError"), lambda step: "no loop takes and gives" in str(step.got))),
    ("values without elements must fit places without elements",
     every(raised("ValueError"), lambda step: bool(re.search(r"does not broadcast to \((0|.*, 0)[,)]", str(step.got))))),
    ("select takes Python numbers as ufuncs do",
     every(has("select"), lambda step: step.got is None and isinstance(step.want, TypeError) and "Cannot cast " in str(step.want))),
    ("tri() is called without its argument: NumPy's accident",
     lambda step: isinstance(step.got, Exception) and "missing 1 required positional argument" in str(step.want)),
    ("put, repeat and choose with uint64 numbers are allowed",
     every(has("put", "repeat", "choose"), lambda step: isinstance(step.want, TypeError) and "uint64" in str(step.want))),
    ("out= of reductions, take and dot: cast by the rule of ufuncs",
     every(lambda step: "out" in step.names, has(*SUMS, "take", "max", "min", "all", "any", "argmax", "argmin", "ptp",
                                                 "compress", "choose", "clip"),
           lambda step: isinstance(step.got, TypeError) or isinstance(step.want, TypeError))),
]  # fmt: skip


# ---- comparing ---------------------------------------------------------------------------------------------------------


def limit_of(names, dtype, device):
    """Return how many units of the last place a statement's result may be off, and whether they are those of a sum."""
    off = 0.0
    for name in names & INEXACT:
        ours = ca._elementwise.ALIASES.get(name, name)
        off = max(off, oracle.limit(ours, dtype, dtype, device) + NUMPYS)
    if names & {"abs", "absolute"}:
        off = max(off, oracle.limit("hypot", dtype, dtype, device) + NUMPYS)
    if names & {"**", "//", "%"} or dtype.kind == "c":
        off = max(off, oracle.limit("pow", dtype, dtype, device) + NUMPYS)
    if names & {"logspace", "geomspace"}:
        off *= EXPONENT
    if dtype.kind == "c" and names & {"**", "power", "pow", "float_power"}:
        off *= EXPONENT
    return off, bool(names & SUMS) or "@" in names


def same_values(want, got, names, device, scale, coarsest=0.0):
    """Whether two NumPy arrays of one dtype and shape are equal, to the limits of the functions in `names`."""
    if want.dtype.kind not in "fc":
        return bool(np.array_equal(want, got))
    off, sums = limit_of(names, want.dtype, device)
    unsigned = off or sums or names & EITHER_ZERO
    equal = oracle.same_bits(got, want, zeros=not unsigned)
    if equal.all():
        return True
    if not off and not sums:
        return False
    want, got = want[~equal], got[~equal]
    wide = oracle.wider(want.dtype)
    info = np.finfo(want.dtype)
    error = np.abs(got.astype(wide) - want.astype(wide))
    size = np.abs(want.astype(wide))
    if sums:
        size, off = np.maximum(size, scale()), max(off, SUM_LIMIT)
    return bool((error <= off * (max(info.eps, coarsest) * size + info.smallest_subnormal)).all())


#: What Python programs compare, tell apart, or print.
PLAIN = (bool, int, float, complex, str, bytes, type(None), np.dtype, type)


def compare_objects(name, want, got, function):
    """Compare results that are no arrays of NumPy's."""
    if isinstance(got, ca.ndarray) and not isinstance(want, PLAIN):
        return Difference((function, "type", type(want).__name__), f"{name}: an array, NumPy: {want!r:.80}")
    if not isinstance(want, PLAIN) or isinstance(got, ca.ndarray):
        return None
    if not (isinstance(got, (type(want), *PLAIN))) or not (got == want or got != got):
        return Difference((function, "object"), f"{name}: NumPy {want!r:.100}, cuarray {got!r:.100}")
    return None


def shares(module, x, y):
    try:
        return bool(module.shares_memory(x, y))
    except Exception:
        return bool(module.may_share_memory(x, y))


def is_value(x):
    """Whether `y = x; y += 1` leaves x alone. Adds nothing."""
    try:
        return operator.ior(x, False) is not x if x.dtype == bool else operator.iadd(x, 0) is not x
    except ValueError:
        return False  # read-only, and in place all the same


def headline(error):
    return f"{type(error).__name__}: {' '.join(str(error).split())[:160]}"


def shown(x):
    text = np.array2string(np.asarray(x), threshold=24, edgeitems=6, max_line_width=10**6).replace("\n", "")
    return f"{text[:200]} {x.dtype}"


@functools.lru_cache(maxsize=4096)
def main_function(statement):
    """Return the name of what a statement does: of the outermost call, operator, or kind of assignment."""
    if statement.startswith(("with fuse", "@fuse")):
        body = [main_function(line.strip()) for line in statement.split("\n")[1:]
                if line.startswith("    ") and "return" not in line]  # fmt: skip
        return "fuse:" + "+".join(sorted({name for name in body if name}))[:80]
    try:
        node = ast.parse(statement).body[0]
    except SyntaxError:
        return "?"
    if isinstance(node, ast.AugAssign):
        return f"{type(node.op).__name__}=" + ("[]" if isinstance(node.target, ast.Subscript) else "")
    if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Subscript):
        return "setitem"
    if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Attribute):
        return "set " + node.targets[0].attr
    return name_of(getattr(node, "value", None))


def blamed(function, statement, name):
    """Return the function in a fused block that made the value of a name, or the last one that mentions it."""
    if not function.startswith("fuse:"):
        return function
    lines = [
        line.strip() for line in statement.split("\n") if line.startswith("    ") and "return" not in line
    ]
    for line in reversed(lines):
        if re.search(rf"\b{name}\b", line):
            return "fuse:" + main_function(line)
    return function


def family(function):
    """Return one name for all elementwise functions and operators: their errors are made in one place."""
    fused, _, name = function.rpartition(":")
    known = getattr(np, name.partition(".")[0], None)
    if isinstance(known, np.ufunc):
        name = "ufunc" + "".join(name.partition(".")[1:])
    elif name.rstrip("=[]") in OPERATORS:
        name = "operator" + name[len(name.rstrip("=[]")) :]
    return f"{fused}:{name}" if fused else name


def is_single(statement):
    """Whether a statement does one thing, so that nothing has changed where it raises."""
    return "\n" not in statement and ";" not in statement


def raiser(function, statement, error):
    """Return the function of the line of a fused block that raised."""
    if not function.startswith("fuse:") or error is None:
        return function
    frame, number = error.__traceback__, None
    while frame:
        if frame.tb_frame.f_code.co_filename == "<program>":
            number = frame.tb_lineno
        frame = frame.tb_next
    line = statement.split("\n")[number - 1].strip() if number else ""
    return "fuse:" + main_function(line) if line and not line.startswith(("with fuse", "@fuse")) else function


def name_of(node):
    if isinstance(node, ast.Call):
        function = node.func
        if isinstance(function, ast.Attribute):
            inner = function.value
            of_ufunc = (
                isinstance(inner, ast.Attribute)
                and isinstance(inner.value, ast.Name)
                and inner.value.id == "xp"
            )
            if isinstance(inner, ast.Name) and inner.id == "xp":
                return function.attr
            return f"{inner.attr if of_ufunc else ''}.{function.attr}"
        return getattr(function, "id", "call")
    if isinstance(node, ast.Subscript):
        return "getitem" if isinstance(node.value, ast.Name) else name_of(node.value) + "[]"
    if isinstance(node, ast.Attribute):
        return "." + node.attr
    if isinstance(node, ast.BinOp | ast.UnaryOp):
        return type(node.op).__name__
    if isinstance(node, ast.Compare):
        return type(node.ops[0]).__name__
    return type(node).__name__


def with_simpler_parts(statement, simple=lambda call, k, name: ("0", "1", "...")):
    """Yield a statement with one argument, operand or index left out or made harmless."""
    tree = ast.parse(statement)
    body = tree.body[0]
    for node in ast.walk(body):
        if isinstance(node, ast.Call):
            for k, keyword in enumerate(list(node.keywords)):
                del node.keywords[k]
                yield ast.unparse(tree)
                node.keywords.insert(k, keyword)
        places = []
        if isinstance(node, ast.Call):
            places = [(node.args, k, None) for k in range(len(node.args))]
        elif isinstance(node, ast.Subscript):
            places = [(node, "slice", None)]
        elif isinstance(node, ast.AugAssign) or (
            isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Subscript)
        ):
            places = [(node, "value", None)]
        elif isinstance(node, ast.BinOp):
            places = [(node, "left", None), (node, "right", None)]
        for holder, key, name in places:
            old = holder[key] if isinstance(holder, list) else getattr(holder, key)
            for text in simple(node, key, name):
                new = ast.parse(text, mode="eval").body
                if isinstance(holder, list):
                    holder[key] = new
                else:
                    setattr(holder, key, new)
                yield ast.unparse(tree)
            if isinstance(holder, list):
                holder[key] = old
            else:
                setattr(holder, key, old)


def with_harmless_casts(statement):
    """Yield a statement with casts allowed, or with an assignment in the place of an operation in place."""
    tree = ast.parse(statement)
    body = tree.body[0]
    for node in ast.walk(body):
        if isinstance(node, ast.Call) and any(k.arg == "out" for k in node.keywords):
            keywords = node.keywords
            node.keywords = [k for k in keywords if k.arg != "casting"] + [
                ast.keyword("casting", ast.Constant("unsafe"))
            ]
            yield ast.unparse(tree)
            node.keywords = keywords
    if isinstance(body, ast.AugAssign):
        target = ast.unparse(body.target)
        yield f"np.add({target}, {ast.unparse(body.value)}, out={target}, casting='unsafe')"


def writable(x):
    return x if x.flags.writeable else x.copy(order="K")


def filled(x):
    """An array of ones where there are no elements."""
    return x if x.size else np.ones([max(n, 1) for n in x.shape], x.dtype)


def copied(x):
    return x.copy(order="K") if isinstance(x, np.ndarray) else x


#: Functions that write into their first argument what they read from the others.
WRITERS = {"place", "putmask", "put", "copyto", "put_along_axis", "at"}


def is_none(node):
    return isinstance(node, ast.Constant) and node.value is None


class Copies(ast.NodeTransformer):
    """Lets NumPy write what it would have written from copies of what it reads.

    It promises that where memory overlaps, but `x[mask] = x[::-1]`, `place(x, m, x)` and `f(x, out=x[::-1], where=m)` with casts
    read what they have written.
    """

    def visit_Assign(self, node):
        self.generic_visit(node)
        if isinstance(node.targets[0], ast.Subscript | ast.Attribute):
            node.value = self.copy(node.value)
        return node

    def visit_Call(self, node):
        self.generic_visit(node)
        if isinstance(node.func, ast.Attribute) and node.func.attr in WRITERS:
            node.args = node.args[:1] + [self.copy(x) for x in node.args[1:]]
            self.keywords(node)
        elif any(k.arg == "out" and not is_none(k.value) for k in node.keywords):
            node.args = [self.copy(x) for x in node.args]
            self.keywords(node)
        return node

    def keywords(self, node):
        for keyword in node.keywords:
            if keyword.arg != "out":
                keyword.value = self.copy(keyword.value)

    def copy(self, node):
        if not any(isinstance(part, ast.Name) and part.id in LIVE for part in ast.walk(node)):
            return node
        return ast.Call(ast.Name("copied", ast.Load()), [node], [])


@functools.lru_cache(maxsize=64)
def with_copies(statement):
    """Return the statement that NumPy runs."""
    if (
        not re.search(r"(\]|\.\w+) = ", statement)
        and "out=" not in statement
        and not any(f".{name}(" in statement for name in WRITERS)
    ):
        return statement
    return ast.unparse(ast.fix_missing_locations(Copies().visit(ast.parse(statement))))


@functools.lru_cache(maxsize=64)
def compiled(statement):
    return compile(statement, "<program>", "exec")


class Pair:
    """The two sides of one program, its live names, and the values that they had after the last statement."""

    def __init__(self, device="cpu", prelude=None, meant=(), mended=None):
        self.device = device
        self.mended = mended or with_simpler_parts
        self.meant = [*MEANT, *meant]
        common = {"np": np, "copied": copied, **(prelude or {})}
        self.theirs = {"xp": np, "fuse": bare_fuse, **common}
        self.ours = {"xp": ca, "fuse": ca.fuse, **common}
        self.saved = {}
        self.statement, self.bound = "", set()
        self.parted = set()

    def live(self):
        """Return the arrays and scalars of NumPy's side by name."""
        return {name: x for name, x in self.theirs.items() if name in LIVE}

    # Each side alone; the generator of fused blocks goes step by step with NumPy before cuarray sees the block.

    def run_theirs(self, statement, undo=False):
        """Return the exception that NumPy raises, or None. After an exception, or with undo, its arrays are what they were."""
        turn(True)
        held = {name: (x, x.copy() if isinstance(x, np.ndarray) else None) for name, x in self.live().items()}
        try:
            exec(compiled(with_copies(statement)), self.theirs)
        except Exception as error:
            self.undo(held)
            return error
        finally:
            turn(False)
        if undo:
            self.undo(held)
        return None

    def undo(self, held):
        for name in self.live():
            if name not in held:
                del self.theirs[name]
        for name, (x, copy) in held.items():
            self.theirs[name] = x
            if copy is not None and x.shape == copy.shape and x.flags.writeable:
                np.copyto(x, copy)

    def run_ours(self, statement):
        try:
            exec(compiled(statement), self.ours)
            if self.device != "cpu":
                ca.synchronize()
        except Exception as error:
            return error
        return None

    def prepare(self, statements):
        """Make the arrays that a call is about, on both sides, as they were before any other call."""
        code = compiled("\n".join(statements))
        for names in (self.theirs, self.ours):
            for name in [n for n in names if n in LIVE]:
                del names[name]
            exec(code, names)
        self.saved = {name: x.copy() for name, x in self.live().items()}

    def step(self, statement):
        """Run a statement on both sides and return the Difference, or None."""
        want = self.run_theirs(statement)
        return self.finish(statement, want, self.run_ours(statement))

    def finish(self, statement, want, got):
        """Compare what a statement has left on both sides; `want` and `got` are what it raised."""
        inputs = None
        self.statement = statement
        self.bound = set(BOUND.findall(statement))
        function = main_function(statement)
        names = words(statement)

        def excused(theirs, ours):
            nonlocal inputs
            if inputs is None:
                inputs = [np.asarray(x) for n, x in self.saved.items() if n in names]
                inputs += [
                    np.asarray(x) for n, x in self.live().items() if n in names and hasattr(x, "dtype")
                ]
                inputs = [x for x in inputs if x.dtype in KNOWN]
            step = Step(names, statement, theirs, ours, inputs)
            return any(test(step) for _, test in self.meant)

        found = None
        if want is None and isinstance(got, TypeError | ValueError) and self.unsupported(statement):
            want = got
            self.parted |= self.bound
        if (want is None) != (got is None) or (want is not None and not is_single(statement)):
            self.parted |= self.bound  # by one side alone, or before the line that raised
        if want is not None or got is not None:
            alike = got is not None and want is not None and isinstance(got, public_type(want))
            if (
                not alike
                and not excused(want, got)
                and not (want and got and self.has_other_fault(statement, got))
            ):
                kind = (
                    family(raiser(function, statement, got)),
                    "raises",
                    type(want).__name__,
                    type(got).__name__,
                )
                said = [headline(e) if e is not None else "no exception" for e in (want, got)]
                found = Difference(kind, f"NumPy: {said[0]}; cuarray: {said[1]}")
            if (want is not None and got is not None and not found and is_single(statement)
                    and "negative integer powers" not in str(want)  # some elements are written before
                    and not (function.endswith(".at") and "read-only" in str(got))):  # by NumPy  # fmt: skip
                found = self.compare_all(names, function + " raising", lambda a, b: False, results=False)
            self.drop_unequal()
            return found
        found = self.compare_all(names, function, excused)
        self.drop_unequal()
        return found

    def has_other_fault(self, statement, got):
        """Whether a call has two faults, and NumPy names cuarray's once the other one is gone."""
        if "\n" in statement:
            return False
        for variant in [*self.mended(statement), *with_harmless_casts(statement)]:
            error = self.run_theirs(variant, undo=True)
            if error is not None and isinstance(got, public_type(error)):
                return True
        found = {
            name: x
            for name, x in self.live().items()
            if name in words(statement) and isinstance(x, np.ndarray)
        }
        if (
            isinstance(got, ValueError)
            and "read-only" in str(got)
            and not all(x.flags.writeable for x in found.values())
        ):
            return True
        for change in (writable, filled):
            changed = {name: change(x) for name, x in found.items()}
            changed = {name: x for name, x in changed.items() if x is not found[name]}
            for some in [changed, *({name: x} for name, x in changed.items())] if changed else ():
                self.theirs.update(some)
                error = self.run_theirs(statement, undo=True)
                self.theirs.update(found)
                if error is not None and isinstance(got, public_type(error)):
                    return True
        return False

    def unsupported(self, statement):
        """Whether NumPy's result is of a dtype that cuarray has not, or a list or text."""
        made = [self.theirs.get(name) for name in LIVE_WORD.findall(statement)]
        return any(getattr(x, "dtype", None) is not None and x.dtype not in KNOWN for x in made)

    def compare_all(self, names, function, excused, results=True):
        """Compare every live name; NumPy's side takes over what may differ. Return the first Difference."""
        found = None
        fresh = []
        # What can be written first: views that cannot then show our digits as well.
        for name, want in sorted(
            self.live().items(),
            key=lambda item: not item[1].flags.writeable if isinstance(item[1], np.ndarray) else False,
        ):
            if name in self.parted:
                continue
            if name not in self.ours:
                if not results:
                    continue
                found = found or Difference((function, "missing"), f"{name} is missing")
                continue
            if self.saved.get(name) is None or name in names:
                fresh.append(name)
            by = blamed(function, self.statement, name)
            found = (
                self.compare_one(name, want, self.ours[name], names if results else set(), by, excused)
                or found
            )
        return found or (self.compare_sharing(fresh, function) if results else None)

    def compare_one(self, name, want, got, names, function, excused):
        """Compare a name's two values."""
        if isinstance(want, np.ma.MaskedArray | np.matrix):
            self.parted.add(name)
            return (
                None
                if isinstance(got, type(want))
                else Difference((function, "stripped"), f"{name}: {type(want).__name__}")
            )
        if isinstance(want, tuple | list):
            return self.compare_sequences(name, want, got, names, function, excused)
        if not isinstance(want, np.ndarray | np.generic):
            found = compare_objects(name, want, got, function)
            return None if found and excused(("object", want), ("object", got)) else found
        if got is want or (
            want.dtype not in KNOWN and isinstance(got, np.ndarray) and names & {"s_", "index_exp"}
        ):
            return None
        if want.dtype not in KNOWN:
            if excused(("dtype", str(want.dtype)), ("dtype", str(want.dtype))):
                self.parted.add(name)
                return None
            return Difference(
                (function, "dtype", str(want.dtype)), f"{name}: NumPy gives {want.dtype}, cuarray {got!r:.80}"
            )
        if not isinstance(got, ca.ndarray):
            if isinstance(want, np.generic) and isinstance(got, type(want.item()) | np.generic):
                return None
            if isinstance(got, np.ndarray) and names & {"__array__", "s_", "index_exp", "out"}:
                return None
            if excused(("type", want), ("type", got)):
                self.parted.add(name)
                return None
            return Difference(
                (function, "type", type(got).__name__), f"{name}: {type(got).__name__} instead of an array"
            )
        try:
            host = got.to_numpy()
        except Exception as error:
            return Difference((function, "to_numpy", type(error).__name__), f"{name}: {headline(error)}")
        changed = name not in names
        if host.dtype != want.dtype or host.shape != want.shape:
            what = "dtype" if host.shape == want.shape else "shape"
            detail = (str(want.dtype), str(host.dtype)) if what == "dtype" else ()
            if excused((what, *detail), (what, *detail)):
                self.parted.add(name)
                return None
            return Difference((function, what, *detail), f"{name}: NumPy {want.dtype} {want.shape}, "
                              f"cuarray {host.dtype} {host.shape}")  # fmt: skip
        if host.tobytes() != want.tobytes():
            plain = np.asarray(want)
            if isinstance(want, np.generic) and name not in self.bound and not is_single(self.statement):
                self.parted.add(name)  # a view of a value has been written to
                return None
            if not same_values(
                plain, host, names, self.device, lambda: self.scale(names), self.coarsest(names)
            ) and not excused(plain, host):
                kind = (function, "value", "elsewhere" if changed else plain.dtype.kind)
                return Difference(kind, f"{name}: NumPy {shown(plain)}, cuarray {shown(host)}")
            self.take_over(name, want, host)
        if "[" in name:
            return None
        self.saved[name] = host
        if names and name in self.bound and isinstance(want, np.ndarray):
            if want.ndim == 0 and names & VALUES and is_value(got):
                self.make_value(want)
                return None
            return self.compare_flags(name, want, got, function, excused)
        if (
            names
            and name in self.bound
            and isinstance(want, np.generic)
            and "out" not in names
            and not is_value(got)
        ):
            self.parted.add(name)
            if excused(("no value", want), ("no value", got)):
                return None
            return Difference(
                (function, "no value"), f"{name} is a value in NumPy: y = {name}; y += 1 changes it here"
            )
        return None

    def compare_sequences(self, name, want, got, names, function, excused):
        if not isinstance(got, tuple | list) or len(got) != len(want):
            if excused(("results", want), ("results", got)):
                return None
            said = f"{len(got)} results" if isinstance(got, tuple | list) else f"{type(got).__name__}"
            return Difference((function, "results"), f"{name}: NumPy {len(want)} results, cuarray {said}")
        for k, (a, b) in enumerate(zip(want, got, strict=True)):
            difference = self.compare_one(f"{name}[{k}]", a, b, names, function, excused)
            if difference:
                return difference
        return None

    def compare_flags(self, name, want, got, function, excused):
        ours, theirs = got.flags, want.flags
        for flag in ("c_contiguous", "f_contiguous", "writeable"):
            if getattr(ours, flag) == getattr(theirs, flag):
                continue
            lines = [line for line in self.statement.split("\n") if f"{name} = " in line]
            asked_for = any(map(ORDER_ASKED_FOR.search, lines[-1:]))
            if flag != "writeable" and self.is_new(want) and not asked_for:
                self.take_layout_over(name, want, got)
                continue
            self.parted.add(name)
            if excused(("flag", flag), ("flag", flag)) or (ours.writeable and not want.size):
                continue
            kind = (function, flag, getattr(theirs, flag))
            return Difference(
                kind, f"{name}: {flag} is {getattr(theirs, flag)} in NumPy, {getattr(ours, flag)} here"
            )
        return None

    def is_new(self, want):
        """Whether an array of NumPy's shares no memory with what was there before the statement."""
        return not any(
            shares(np, want, x)
            for name, x in self.live().items()
            if name not in self.bound and x is not want and isinstance(x, np.ndarray)
        )

    def make_value(self, want):
        for other, x in self.live().items():
            if x is want:
                self.theirs[other] = want[()]

    def take_layout_over(self, name, want, got):
        """Let NumPy's new array lie as ours: the order of new memory is free."""
        strides, shape = got.strides, want.shape
        if got.flags.c_contiguous or got.flags.f_contiguous:
            mine = want.copy("C" if got.flags.c_contiguous else "F")
        else:
            order = sorted(range(want.ndim), key=lambda k: -abs(strides[k]))
            mine = np.empty([shape[k] for k in order], want.dtype).transpose(np.argsort(order))
            mine[...] = want
        mine.flags.writeable = want.flags.writeable
        alike = all(getattr(mine.flags, f) == getattr(got.flags, f) for f in ("c_contiguous", "f_contiguous"))
        for other, x in self.live().items():
            if x is want and alike and self.ours.get(other) is got:
                self.theirs[other] = mine
            elif x is want or (isinstance(x, np.ndarray) and shares(np, x, want)):
                self.parted |= {name, other}

    def compare_sharing(self, fresh, function):
        """Compare who shares memory with the names that a statement has touched."""
        for name in fresh:
            mine, ours = self.theirs.get(name), self.ours.get(name)
            if (
                not isinstance(ours, ca.ndarray)
                or not hasattr(mine, "dtype")
                or not mine.size
                or name in self.parted
            ):
                continue
            for other, theirs in self.live().items():
                beside = self.ours.get(other)
                if (
                    other == name
                    or (beside is ours and (theirs is mine or not isinstance(mine, np.ndarray)))
                    or not isinstance(beside, ca.ndarray)
                    or not hasattr(theirs, "dtype")
                    or not theirs.size
                    or other in self.parted
                ):
                    continue
                arrays = isinstance(mine, np.ndarray) and isinstance(theirs, np.ndarray)
                want, got = arrays and shares(np, mine, theirs), shares(ca, ours, beside)
                if want and not got and re.search(r"xp\.(real|imag|histogram\w*)\(", self.statement):
                    self.parted |= {name}  # new arrays, as docs/differences.md says
                    continue
                if got and not want and "broadcast_arrays" in self.statement:
                    self.parted |= {name, other}  # read-only, or both of one value
                    continue
                if want == got or (arrays and got and np.may_share_memory(mine, theirs)):
                    continue
                self.parted |= {name, other}
                if not arrays and not (
                    isinstance(mine, np.generic)
                    and isinstance(theirs, np.ndarray)
                    and name in self.bound
                    and other not in self.bound
                ):
                    continue  # a view of a value: it shares the value's memory, as docs/differences.md says
                kind = (blamed(function, self.statement, name), "shares", want)
                return Difference(kind, f"{name} and {other} share memory in NumPy: {want}, here: {got}")
        return None

    def coarsest(self, names):
        """Return the eps of the shortest floats in a statement: those in the middle of a fused block have no names any more."""
        if re.search(r"dtype=.*(f2|f4|c8|float16|float32)", self.statement):
            return float(np.finfo("f2" if re.search("f2|float16", self.statement) else "f4").eps)
        if is_single(self.statement):
            return 0.0
        inputs = [x for n, x in {**self.live(), **self.saved}.items() if n in names and hasattr(x, "dtype")]
        return max((float(np.finfo(x.dtype).eps) for x in inputs if x.dtype.kind in "fc"), default=0.0)

    def scale(self, names):
        """Return the size that roundings of a sum are measured by: the largest sum or product of inputs' magnitudes."""
        inputs = [
            x
            for n, x in {**self.live(), **self.saved}.items()
            if n in names and hasattr(x, "dtype") and np.size(x)
        ]
        sizes = [float(np.nanmax(np.abs(x.astype(np.complex128)))) for x in inputs if x.dtype in KNOWN]
        return min(max([1.0, *sizes]), 1e150) ** 2 * max([1, *(np.size(x) for x in inputs)])

    def take_over(self, name, want, host):
        """Give NumPy's side our digits."""
        if isinstance(want, np.ndarray) and want.flags.writeable:
            np.copyto(want, host)
        elif "[" in name:
            return
        elif isinstance(want, np.ndarray):
            # Of broadcast_to, or protected: what it shows has another name, or none that can be written.
            if np.array_equal(want, host, equal_nan=want.dtype.kind in "fc"):
                return
            try:
                want.flags.writeable = True
                np.copyto(want, host)
                want.flags.writeable = False
                return
            except ValueError:
                pass  # its memory is another array's that is protected
            self.theirs[name] = np.array(host)
            self.theirs[name].flags.writeable = False
        else:
            self.theirs[name] = host[()]

    def drop_unequal(self):
        """Go on after a difference: drop names whose two sides are not alike, and give NumPy our values of the others."""
        for name in {n for n in (*self.theirs, *self.ours) if n in LIVE}:
            if name in self.parted:
                self.forget(name)
                continue
            want, got = self.theirs.get(name), self.ours.get(name)
            try:
                host = got.to_numpy()
                alike = (
                    host.dtype == want.dtype
                    and host.shape == want.shape
                    and isinstance(want, np.ndarray | np.generic)
                )
            except Exception:
                alike = False
            if not alike:
                self.forget(name)
                continue
            if host.tobytes() != want.tobytes():
                self.take_over(name, want, host)
            self.saved[name] = host
        self.parted.clear()

    def forget(self, name):
        for names in (self.theirs, self.ours, self.saved):
            names.pop(name, None)
