"""intended.py -- intended differences from NumPy: rows of docs/differences.md, and the tests that recognize them."""

import ast
import math
import re
from typing import NamedTuple

import numpy as np
from arguments import IS_HOSTILE, IS_USELESS, PARAMETERS, array_arguments, has_argument, is_numeric
from hostile import Planted
from limits import EXPONENT, FRACTIONAL, INEXACT, SUMS, UFUNCS
from statements import WRITERS

import cuarray as ca


class Step(NamedTuple):
    """The input of a row of INTENDED; errors are None if the statement succeeded."""

    names: frozenset
    statement: str
    want: object
    got: object
    inputs: list


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


def near_the_terms(step):
    """Whether results differ by some units in the last place of the largest term, in the type that is added in."""
    terms = [np.abs(x[np.isfinite(x)]).max(initial=1) for x in step.inputs if x.dtype.kind in "iufb"]
    types = [x.dtype for x in (step.want, *step.inputs) if x.dtype.kind == "f"] or [np.dtype("f8")]
    eps = max(float(np.finfo(t).eps) for t in types)
    return np.allclose(step.got, step.want, rtol=16 * eps, atol=16 * eps * max(terms, default=1), equal_nan=True)


def has_quotients_at(step):
    """Whether ufunc.at casts fractions to integers, element by element: a division by 0 has no integer result."""
    return "at" in step.names and bool(step.names & FRACTIONAL - {"at"})


def out_of_range(step):
    """Whether integers differ where an input has NaN, an infinity, or a number that the integers do not hold."""
    if not values_differ(step) or step.want.dtype.kind not in "iu" or "digitize" in step.names:
        return False
    floats = [x for x in step.inputs if x.dtype.kind in "fc"]
    info = np.iinfo(step.want.dtype)
    parted = step.got[step.want != step.got]
    is_cast_sum = bool(step.names & SUMS) and "out" in step.names and bool(floats)
    wanted = step.want[step.want != step.got]
    is_single = bool(re.search(r"float(16|32)|'(f[24]|c8)'", step.statement))  # the type that the sum is added in
    is_long = is_cast_sum or (is_single and bool(step.names & SUMS))
    is_long |= bool(step.names & INEXACT) & (np.abs(wanted.astype("f8")) > 2**53)
    last_digit = 1e-6 if is_single else 1e-13
    parted = parted[~(is_long & np.isclose(parted, wanted, rtol=last_digit, atol=0))]
    if (step.names & FRACTIONAL or is_cast_sum) and np.isin(parted, [info.min, info.max, 0]).all():
        return True
    if has_quotients_at(step) and any(not x.all() for x in step.inputs):
        return True
    unsafe = re.search(r"unsafe|'[fc]\d|\d\.\d|(dtype=|xp\.|np\.)(float|complex)", step.statement)
    # uint64 and signed integers promote to floats.
    is_signed = any(x.dtype.kind == "i" for x in step.inputs) or bool(re.search(r"\bint(8|16|32|64)\(", step.statement))
    mixed = any(x.dtype == "u8" for x in step.inputs) and is_signed
    if (mixed or unsafe) and np.isin(parted, [info.min, info.max, 0]).all():
        return True
    wild = any(
        not np.isfinite(x).all() or (x.real.astype("f8") >= info.max + 1).any() or (x.real < info.min).any()
        for x in floats
    )
    wild |= bool(re.search(r"nan|inf|\de\d|\d\.\d*e|array\(-\d", step.statement))
    # A ufunc's at() casts each element to integers again.
    wild |= bool(step.names & FRACTIONAL) and (
        any(int(n) > info.max for n in re.findall(r"\b\d+\b", step.statement))
        or any((x.astype("f8") >= info.max + 1).any() for x in step.inputs if x.dtype == "u8")
    )
    return wild


def integers_differ_where_some_are_uint64(step):
    is_meant = any(x.dtype == "u8" for x in step.inputs) or "u8" in step.statement or "uint64" in step.statement
    return values_differ(step) and step.want.dtype.kind == "i" and is_meant


def out_of_range_in_view(step):
    """Whether floats beyond the integer range were written through an integer view of a float array."""
    if not values_differ(step) or step.want.dtype.kind not in "fc":
        return False
    integers = {x.dtype for x in step.inputs if x.dtype.kind in "iu"}
    floats = [x.real.astype("f8") for x in step.inputs if x.dtype.kind in "fc"]
    return bool(WRITERS & step.names or "] = " in step.statement) and any(
        not np.isfinite(x).all() or (np.abs(x) > np.iinfo(t).max).any() for x in floats for t in integers
    )


def out_of_loop_range(step):
    """Whether an integer dtype= or signature= is given that does not hold the float inputs."""
    if not values_differ(step):
        return False
    for name in re.findall(r"'([iu][1248])'", step.statement):
        info = np.iinfo(name)
        floats = [x.real for x in step.inputs if x.dtype.kind in "fc"]
        if any(not np.isfinite(x).all() or (x > info.max).any() or (x < info.min).any() for x in floats):
            return True
    return False


def unsorted(step):
    """Whether searchsorted was called with an unsorted array."""
    return values_differ(step) and any(
        x.ndim == 1 and x.dtype.kind != "c" and (x[1:] < x[:-1]).any() for x in step.inputs
    )


def searched_unsorted(step):
    """Whether searchsorted is called with an unsorted literal list."""
    call = getattr(ast.parse(step.statement).body[0], "value", None)
    if "searchsorted" not in step.names or not isinstance(call, ast.Call) or not call.args:
        return False
    try:
        numbers = np.asarray(eval(ast.unparse(call.args[0]), {"np": np}))
    except Exception:
        return False  # not a list of numbers
    return numbers.ndim == 1 and bool((numbers[1:] < numbers[:-1]).any())


def roots_of_minus_infinity(step):
    """Whether results differ where the exponent 0.5 gives infinity here and no number in NumPy, and nowhere else."""
    has_half = "0.5" in step.statement or any(x.ndim == 0 and x == 0.5 for x in step.inputs)
    if not has_half or step.want.dtype.kind not in "fc":
        return False
    parted = ~((step.want == step.got) | (np.isnan(step.want) & np.isnan(step.got)))
    return bool((np.isnan(step.want) & np.isinf(step.got))[parted].all())


def not_finite(step):
    """Whether numbers differ only where one side is not finite, or so large that sums overflow."""
    if not values_differ(step) or step.want.dtype.kind not in "fc" or "ddof=-" in step.statement:
        return False
    with np.errstate(all="ignore"):
        odd = [not np.isfinite(x).all() or (np.abs(x) > math.sqrt(np.finfo(x.dtype).max)).any()
               for x in [*step.inputs, step.want, step.got] if x.dtype.kind in "fc"]  # fmt: skip
    return any(odd)


#: (reason, test of a Step). The reasons are rows of docs/differences.md.


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


def gives(*difference):
    """The kind of difference of two results, such as ("dtype", "int64", "float64")."""
    return lambda step: isinstance(step.want, tuple) and step.want[: len(difference)] == difference


def raised_by_argument(step):
    """Whether a function argument of the call has raised."""
    trace = getattr(step.got, "__traceback__", None)
    while trace and trace.tb_next:
        trace = trace.tb_next
    return "lambda" in step.statement and bool(trace) and trace.tb_frame.f_code.co_name == "<lambda>"


def unexpected_keyword(step):
    return isinstance(step.want, TypeError) and bool(
        re.search(
            r"unexpected keyword|positional argument|takes (no|at most|from|exactly)|no attribute|keyword argument",
            str(step.want),
        )
    )


def other_types(step):
    """Whether an array argument has objects, strings, dates or records in NumPy."""
    if not isinstance(step.got, TypeError | ValueError):
        return False
    keys = bool(re.search(r"^(r0 = )?x\d|\.at\(|\.(flat|r_|c_|s_|mgrid|ogrid|index_exp)\[", step.statement))
    return any(not is_numeric(x, keys) for x in array_arguments(step.statement))


def cut_off(step):
    """Whether integers of logspace or geomspace, or of linspace in float32, differ by 1, or by rounding of large ones."""
    names = {"logspace", "geomspace"}
    narrow = "float32" in step.statement or any(x.dtype in ("f2", "f4") for x in step.inputs)
    names |= {"linspace"} if narrow else set()
    if not values_differ(step) or step.want.dtype.kind not in "iu" or not step.names & names:
        return False
    want, got = step.want.astype("f8"), step.got.astype("f8")
    # A power is as far off as its exponent, which may be hundreds.
    units = 4 if "linspace" in step.names else EXPONENT
    close = np.abs(want - got) <= 1 + units * np.finfo("f4" if narrow else "f8").eps * np.abs(want)
    return bool((close | np.isin(step.got, [np.iinfo(step.got.dtype).min, np.iinfo(step.got.dtype).max])).all())


def odd_flag(step):
    """Whether cuarray accepts a call in which a flag is neither bool, number nor None."""
    if (step.got is not None and "truth value" not in str(step.got)) or not isinstance(
        step.want, TypeError | ValueError | OverflowError | Planted
    ):
        return False
    call = getattr(ast.parse(step.statement).body[0], "value", None)
    keywords = call.keywords if isinstance(call, ast.Call) else []
    flags = [k.value for k in keywords if PARAMETERS.get(k.arg) == "flag"]
    return any(not isinstance(x, ast.Constant) or not isinstance(x.value, bool) for x in flags)


#: Python's errors for an object in the middle of NumPy's own Python code, which does not check the argument.
ACCIDENT = re.compile(
    r"not supported between instances|unsupported operand type|bad operand type|object has no attribute|not subscriptable"
    r"|has no len\(\)|object is not (iterable|callable|an iterator)|unpack|inhomogeneous|no callable \w+ method"
    r"|did not contain a loop|not supported for the input types|truth value of|object cannot be interpreted as an integer"
    r"|(tuple|list) index out of range|indices must be integers or slices|got an unexpected keyword|must be real number"
    r"|too many values|not enough values|can only concatenate|unhashable|object too deep|object of too small depth"
    r"|cannot be converted to|__len__\(\) should return|argument must be a string(,| or) a|can't multiply sequence"
    r"|not supported for inputs with DType|list assignment index|argument of type|an integer is required|only 0-dimensional arrays can be converted to Python scalars|of unsized object|iteration over a 0-d|'out' kwarg is necessary|must be str, not|element conversion"
    r"|multi-dimensional slicing is not implemented|unorderable types for comparison|^memoryview: "
)


def accident(step):
    """Whether NumPy raises such an error of Python, where cuarray checks the argument, or accepts it."""
    is_limit = "interp(" in step.statement and "complex" in str(step.want)
    return isinstance(step.want, Exception) and bool(ACCIDENT.search(str(step.want))) and not is_limit


def refused(step):
    """Whether a rejected call has an invalid argument, or, if NumPy rejects it too, a hostile one.

    tests/oracle/test_bad_calls.py checks the error types of single faults.
    """
    if step.want is None and "byte order" in str(step.got):
        return False
    return isinstance(step.got, TypeError | ValueError | IndexError | OverflowError | Planted) and has_argument(
        step.statement, IS_USELESS if step.want is None else IS_HOSTILE
    )


#: cuarray's messages for arguments that are not numbers, and for unsupported types.
NO_NUMBERS = re.compile(
    r"is no array of numbers|is no number|an array is needed, not None|no masked arrays|must be numbers|out must be an array|is not a dtype|is not supported by cuarray|a numpy\.(matrix|ma)|no units|start, stop and step must be"
)


def no_numbers(step):
    said = str(step.got)
    odd = "byte order" in said or "type('A'" in step.statement or "out=(" in step.statement
    return isinstance(step.got, TypeError) and bool(NO_NUMBERS.search(said)) and not odd


#: (reason, test of a Step) for programs and calls; the reasons are rows or sections of docs/differences.md.


#: (reason, test of a Step). The reasons are rows of docs/differences.md.
INTENDED = [
    ("float to integer out of range is undefined in NumPy; here the nearest end, 0 for NaN", out_of_range),
    ("float to integer out of range is undefined in NumPy; here the nearest end, 0 for NaN", out_of_loop_range),
    ("float to integer out of range is undefined in NumPy; here the nearest end, 0 for NaN", out_of_range_in_view),
    ("positions in what is not sorted are undefined", every(has("searchsorted", "interp", "digitize"), unsorted)),
    ("// and % of floats: the exact floor, infinities as the Array API has them",
     every(values_differ, lambda step: inexact_inputs(step) or bool(re.search(r"inf|nan|\d\.\d|\de", step.statement)),
           has("//", "%", "floor_divide", "divmod", "remainder", "mod"))),
    ("sums and products in another order: not finite ones may differ",
     every(not_finite, has(*SUMS, "@"))),
    ("complex products, quotients and functions of infinities and NaN as the Array API has them",
     every(not_finite, lambda step: any(x.dtype.kind == "c" for x in [*step.inputs, step.want]))),
    ("logical functions cast their inputs by the rule that is asked for",
     lambda step: isinstance(step.got, TypeError) and bool(re.search(r"logical_.*(casting|dtype|signature)=", step.statement))),
    ("log1p and expm1 of complex numbers near 0: NumPy loses their digits",
     every(values_differ, has("log1p", "expm1"), lambda step: step.want.dtype.kind == "c")),
    ("where=, logical functions and choices check the range of Python numbers",
     every(lambda step: isinstance(step.got, OverflowError) and "initial" not in step.names,
           has("where", "logical_and", "logical_or", "logical_xor", "select", "choose", "outer",
                                                                 "union1d", "setxor1d", "intersect1d", "append", "concatenate"))),
    ("float numbers as indices or counts: TypeError",
     every(raised("TypeError"), has("take", "put", "repeat", "tri"), lambda step: bool(re.search(r"\d\.\d|nan", step.statement)))),
    ("dtype=int of mean, var and std: TypeError", every(raised("TypeError"), has("mean", "var", "std", "dtype"),
     lambda step: bool(step.names & {"mean", "var", "std"}) and "dtype" in step.names)),
    ("x == None, x != 'text': False and True, as for objects that are no numbers",
     lambda step: isinstance(step.want, tuple) and isinstance(step.got, tuple) and isinstance(step.got[-1], bool) and
     bool(re.search("[!=]=", step.statement)) and "flags" not in step.statement),
    ("comparisons and truth values of Python numbers are exact, of any size",
     lambda step: isinstance(step.want, OverflowError) and step.got is None
        and (bool(re.search(r"dtype=(bool|'\?')|[=!<>]= |[<>] | in |equal|less|greater|logical_", re.sub(r"^[\w, ]+ = ", "", step.statement)))
             or any(x.dtype == bool for x in step.inputs))),
    ("without out=, what where= leaves out has no value",
     every(values_differ, has("where"), lambda step: ("out" not in step.names or re.search(r"out=(None|\(None,|\.\.\.)", step.statement)) and bool(step.names & (UFUNCS | {"clip"})))),
    ("with where=, the layout follows the first argument", every(has("where"), lambda step: isinstance(step.want, tuple) and step.want[0] == "flag")),
    ("real(x), imag(x): new arrays", every(has("real", "imag"), lambda step: isinstance(step.want, tuple) and step.want[0] == "flag")),
    ("an index outside in take, where the result has no elements: IndexError",
     every(raised("IndexError"), has("take", "compress"),
           lambda step: any(not x.size for x in step.inputs) or bool(re.search(r"\[[^]]*:", step.statement)))),
    ("writes to 0-d results raise; some of NumPy's functions write to a copy of a scalar",
     every(raised("ValueError", "TypeError"), has("put", "copyto", "putmask", "place", "at"), lambda step: re.search("read-only|0-d result", str(step.got)),
           lambda step: any(x.ndim == 0 for x in step.inputs))),
    ("ufunc.at of a read-only array: ValueError", every(raised("ValueError"), has("at"), lambda step: "read-only" in str(step.got))),
    ("equal elements keep their order in partitions", every(values_differ, has("partition", "argpartition"))),
    (
        "arctan2.reduce and power.reduce from left to right, as NumPy's accumulate has them",
        every(values_differ, has("reduce", "reduceat"), has("arctan2", "atan2", "power", "pow", "float_power")),
    ),
    (
        "the reciprocal of the integer 0 is 0",
        every(values_differ, has("reciprocal"), lambda step: not step.got[step.want != step.got].any()),
    ),
    (
        "NumPy arrays beside cuda arrays: TypeError, no transfer",
        every(raised("TypeError"), lambda step: "cuda" in str(step.got) and "np." in step.statement),
    ),
    ("unique_values in ascending order", every(values_differ, has("unique_values"))),
    ("x @ y of scalars is no operator of NumPy's scalars; here it is the product of arrays without axes: ValueError",
     every(has("@"), lambda step: isinstance(step.want, TypeError) and "unsupported operand type(s) for @" in str(step.want))),
    ("NumPy's scalars are no arrays that could be written to; 0-d arrays are",
     lambda step: isinstance(step.want, TypeError) and bool(re.search(r"must be (numpy.ndarray|an array)", str(step.want)))
     and "out=(" not in step.statement),
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
    ("ufunc.at looks at negative exponents even where there is no position",
     every(raised("ValueError"), has("at"), lambda step: "negative integer powers" in str(step.got))),
    ("ufunc.at looks at positions before it looks for a loop",
     every(has("at"), lambda step: isinstance(step.want, TypeError) and isinstance(step.got, IndexError))),
    ("Python numbers that dtype= does not hold: an error under any casting rule",
     every(raised("OverflowError", "ValueError"), lambda step: "dtype=" in step.statement or "signature=" in step.statement)),
    ("x ** 0.5 is a power: of -inf it is inf, where NumPy takes the square root", every(values_differ, has("**", "power", "pow"), roots_of_minus_infinity)),
    ("complex numbers to powers of thousands: the error of NumPy's is as large as the exponent",
     every(values_differ, has("**", "pow", "power"), lambda step: step.want.dtype.kind == "c"
           and (bool(re.search(r"\*\* ?\d\d|\d{4}", step.statement)) or any(x.dtype.kind in "iu" and x.size and abs(x.astype("f8")).max() >= 1000 for x in step.inputs)))),
    ("float to integer out of range is undefined in NumPy; ufunc.at reads it again", every(values_differ, has("at"), has("heaviside"))),
    ("order of complex numbers with NaN as the imaginary part: NumPy's scalars look at the real parts alone",
     every(values_differ, lambda step: step.want.ndim == 0 and bool(re.search(r" [<>]=? ", step.statement)),
           lambda step: any(x.dtype.kind == "c" and x.ndim == 0 and np.isnan(x.imag) for x in step.inputs))),
    ("isclose of short floats and a Python number beyond: compared in float64",
     every(has("isclose", "allclose"), lambda step: "float32" in step.statement or (any(x.dtype in ("f2", "f4", "c8") for x in step.inputs)
           and bool(re.search(r"\de\+?\d\d|1 << |\*\* ?\d\d|\d{8}", step.statement))))),
    ("float to integer out of range is undefined in NumPy, and may give a negative exponent",
     lambda step: isinstance(step.want, ValueError) and "negative integer powers" in str(step.want)
     and bool(re.search(r"unsafe|power\.(accumulate|reduce\w*)\(.*dtype='[iu]", step.statement))),
    ("Python divides its own complex numbers by NumPy's float64",
     lambda step: isinstance(step.want, ZeroDivisionError) and step.got is None and "complex division" in str(step.want)),
    ("the parts of a complex quotient, seen in a view, have its error",
     every(values_differ, has("/"), lambda step: step.want.dtype.kind == "f" and any(x.dtype.kind == "c" for x in step.inputs)
           and np.allclose(step.want, step.got, 64 * np.finfo(step.want.dtype).eps, equal_nan=True))),
    ("lcm.reduce over several axes", every(has("lcm", "gcd"), lambda step: step.got is None and "is not reorderable" in str(step.want))),
    ("intersect1d of numbers of several types that are equal as floats alone: NumPy joins them before it looks for twins",
     every(has("intersect1d"), lambda step: isinstance(step.want, tuple) and step.want[0] == "shape"
           and any(x.dtype in ("i8", "u8") for x in step.inputs) and len({x.dtype for x in step.inputs}) > 1)),
    ("values that do not broadcast: ValueError also where no element is selected",
     lambda step: isinstance(step.got, ValueError) and "does not broadcast" in str(step.got) and "] = " in step.statement
     and (step.want is None or isinstance(step.want, IndexError)) and any(not x.size for x in step.inputs)),
    ("ufunc.at looks at shapes before it looks at positions",
     every(has("at"), lambda step: isinstance(step.want, IndexError) and "does not broadcast" in str(step.got))),
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
    ("reductions of ufuncs that take and give different types: TypeError, whatever else is wrong",
     lambda step: isinstance(step.got, TypeError) and "no loop takes and gives" in str(step.got)),
    ("lcm beyond the integers is undefined", every(values_differ, has("lcm"), lambda step: any(
        x.dtype.kind in "iu" and x.size and max(abs(int(x.min())), int(x.max())) > 2**31 for x in step.inputs))),
    ("an element to a complex power, stored as an integer: undefined where NaN",
     every(values_differ, lambda step: bool(re.search(r"\] \*\*= .*j", step.statement)))),
    ("values without elements must fit places without elements",
     every(raised("ValueError"), lambda step: bool(re.search(r"does not broadcast to \((0|.*, 0)[,)]", str(step.got))))),
    ("select takes Python numbers as ufuncs do",
     every(has("select"), lambda step: step.got is None and isinstance(step.want, TypeError) and "Cannot cast " in str(step.want))),
    ("fill_diagonal reads the value before it looks at the axes: of two faults the other one is named",
     every(has("fill_diagonal"), lambda step: isinstance(step.got, OverflowError | TypeError | ValueError)
           and isinstance(step.want, ValueError) and re.search("at least 2-d|equal length", str(step.want)) is not None)),
    ("a number is read before the places it goes to: of two faults the other one is named",
     every(lambda step: step.want is not None, has("place", "put", "putmask", "put_along_axis"), got_says("out of bounds for|cannot convert float NaN"))),
    ("products read axes= before they look at the arrays: of two faults the other one is named",
     every(has("matmul", "matvec", "vecmat", "vecdot"), lambda step: isinstance(step.got, TypeError)
           and isinstance(step.want, ValueError) and "does not have enough dimensions" in str(step.want))),
    ("select makes views of read-only memory writable, which NumPy refuses", both(lambda step: step.got is None, text_has(r"select\("), want_says("cannot set WRITEABLE flag to True"))),
    ("partial products may overflow, and infinity times 0 is NaN, which is true",
     both(values_differ, text_has(r"(prod|multiply\.(reduce|accumulate|reduceat))\(.*out="), lambda step: step.want.dtype == bool and inexact_inputs(step))),
    ("a result of a gigabyte that NumPy's side of the process has just taken", both(raised("MemoryError"), got_says(r"cpu: \d{10,} bytes asked"))),
    ("tri() is called without its argument: NumPy's accident",
     lambda step: isinstance(step.got, Exception) and "missing 1 required positional argument" in str(step.want)),
    ("put, repeat and choose with uint64 numbers are allowed",
     every(has("put", "repeat", "choose"), lambda step: isinstance(step.want, TypeError) and "uint64" in str(step.want))),
    ("out= of reductions without dtype=: uint64 and signed integers stay integers",
     every(integers_differ_where_some_are_uint64, has(*SUMS), has("out"))),
    ("out= of reductions: cast by the rule of ufuncs",
     every(lambda step: "out" in step.names and not re.search(r"choose\(|compress\(|einsum\(|out=\(", step.statement),
           has(*SUMS, "max", "min", "all", "any", "ptp", "clip"),
           lambda step: isinstance(step.got, TypeError) or isinstance(step.want, TypeError))),
]  # fmt: skip

#: The same, for calls only, whose arguments are less usual.
MEANT_IN_CALLS = [
    ("out= of take and compress: safe to cast to the elements, or from them by 'same_kind', as NumPy 2.5 has it",
     both(want_type(TypeError), text_has(r"(take|compress)\(.*out="), want_says(r"Cannot cast array data.*'safe'"))),
    ("singular values of an infinite element: LinAlgError, and cond is infinite or NaN",
     every(text_has(r"svd|matrix_rank|pinv|norm\(|lstsq|cond\("), lambda step: "LinAlgError" in f"{type(step.got)} {type(step.want)}",
           lambda step: any(x.dtype.kind in "fc" and not np.isfinite(x).all() for x in step.inputs))),
    ("arguments that are of no use: an error, where NumPy makes arrays of objects and text, or raises another", refused),
    ("x.resize(shape) keeps what refers to the array: it replaces the memory",
     lambda step: isinstance(step.want, ValueError) and "cannot resize" in str(step.want) and step.got is None),
    ("out= has the result's shape: ValueError, where NumPy does not check it, or looks at something else first",
     lambda step: isinstance(step.got, ValueError) and "out= has shape" in str(step.got)
     and not re.search(r"percentile|quantile|median|mat(mul|vec)|vec(mat|dot)", step.statement)),
    ("finfo and iinfo of arrays, as the Array API has them", both(text_has("finfo|iinfo"), lambda step: step.got is None)),
    ("windows have a real number of elements, and a possible one",
     both(raises_only_here, text_has("bartlett|blackman|hamming|hanning|kaiser"), got_type(TypeError, ValueError))),
    ("isdtype takes names of dtypes", both(text_has("isdtype"), want_type(TypeError))),
    ("conditions of any type of numbers", both(lambda step: (step.got is None or re.search("cannot be broadcast|out of bounds", str(step.got))) and "dtype('bool') according" in str(step.want))),
    ("complex numbers do not fall into bins: TypeError", both(text_has("histogram"), got_type(TypeError), lambda step: "complex" in str(step.got))),
    ("numpy.dtype takes objects with a dtype, as our arrays are", both(text_has(r"xp\.(dtype|issubdtype|vectorize)\(|\bnp\.\w+\(.*\bx(\d|p\.)"), lambda step: "dtype from an array" in str(step.want))),
    ("like= is an array of ours", both(got_type(TypeError), text_has("like="), lambda step: "like must be" in str(step.got))),
    ("astype takes what arrays are made of", both(text_has(r"xp\.astype"), lambda step: "Input should be a NumPy array" in str(step.want))),
    ("fromregex of numbers: one column", both(text_has("fromregex"), lambda step: "structured" in str(step.want))),
    ("dtype= of means and variances is floating", lambda step: isinstance(step.got, TypeError) and "dtype must be floating" in str(step.got)),
    ("numbers that only Python's int holds are floats", lambda step: "dtype('O')" in str(step.want)),
    ("interp takes real coordinates", both(text_has("interp"), got_type(TypeError), lambda step: "coordinates are real" in str(step.got))),
    ("fromiter takes elements as Python numbers", both(text_has("fromiter"), got_type(OverflowError))),
    ("weights have a number for each point", both(text_has("histogram|bincount"), lambda step: "weights have shape" in str(step.got))),
    ("out= of round as of ufuncs", both(text_has("round"), lambda step: step.got is None and "'divide' output" in str(step.want))),
    ("initial= is one number", lambda step: isinstance(step.got, ValueError) and "only an array of size 1" in str(step.got)),
    ("no coordinates: ValueError", lambda step: isinstance(step.got, ValueError) and "the sample is empty" in str(step.got)),
    ("numbers of another byte order come out in the machine's", both(text_has("'>f4'"), lambda step: isinstance(step.want, tuple))),
    ("the text of values is that of arrays without axes", text_has(r"array_(repr|str)\((a(rr)?=)?np\.(u?int|float)")),
    ("equal elements in any order without stable=", both(text_has(r"argsort\((?!.*stable=(True|1|'))"), lambda step: isinstance(step.want, np.ndarray))),
    ("objects, records, masked arrays and matrices: TypeError, whatever else is wrong with a call", no_numbers),
    ("flags take any object that has a truth value", odd_flag),
    ("errors of Python's that NumPy's code meets: cuarray checks the argument, or takes it as an array, a number or a sequence", accident),
    ("strings, objects, dates and records are no numbers: TypeError", other_types),
    ("parameters that NumPy has not, or names otherwise", unexpected_keyword),
    ("functions and methods that NumPy has not", both(want_type(AttributeError), lambda step: "has no attribute" in str(step.want))),
    ("float numbers as indices or counts: TypeError", both(raises_only_here, got_type(TypeError), text_has(r"\d\.\d|nan|inf|1j"),
     text_has(r"take|put|repeat|tri|insert|delete|split|roll|eye|bincount"))),
    ("device= is an argument of ours", want_says("Device not understood")),
    ("round(x) of an array with axes: as x.round()", both(want_type(TypeError), text_has(r"^(r0 = )?round\("))),
    ("axis 0 of an array without axes: taken by sums and the like, AxisError for squeeze",
     lambda step: any(isinstance(e, np.exceptions.AxisError) and "dimension 0" in str(e) for e in (step.want, step.got))),
    ("split(x, 0): ValueError", both(want_type(ZeroDivisionError), got_type(ValueError), text_has("split"))),
    # Of functions from a to m.
    ("flags take any object that has a truth value", text_has(r"cov\(.*bias=(?!True|False|[01]\b)")),
    ("edge_order of gradient is 1 or 2", got_says("edge_order must be 1 or 2")),
    ("out=None of ufuncs with two results", want_says("'out' must be a tuple of arrays")),
    ("arange(start=3) is arange(3)", want_says(r"arange\(\) requires stop")),
    ("more elements than an array can have: ValueError", both(raises_only_here, got_says("elements are more than an array can have"))),
    ("a step of 0: ZeroDivisionError", both(got_type(ZeroDivisionError), got_says("arange: step must not be 0"))),
    ("Python numbers that dtype= of a ufunc does not hold: OverflowError",
     both(raises_only_here, got_type(OverflowError), got_says(r"Python (integer|float) \S+ out of bounds"), text_has(r"dtype="))),
    ("a complex initial= of real numbers: TypeError", both(raises_only_here, got_says("a complex initial value does not go with"))),
    ("bools have no decimals: TypeError", got_says("bools have no decimals")),
    ("apply_over_axes hands over Python's ints", both(text_has(r"apply_over_axes\(.*, .*(np\.|xp\.|x\d)"), gives("dtype"))),
    ("no edges: no counts", both(text_has("histogram"), lambda step: step.got is None, want_says("index -1 is out of bounds for axis 0 with size 0"))),
    ("fromstring: too short a text is a ValueError, and what is no text a TypeError", got_says("fromstring: (the text holds fewer|text is needed)")),
    ("logspace and geomspace of integers are cut off: a rounding may be 1", cut_off),
    ("which of several wrong settings is told is not promised", both(text_has("array2string"), want_type(ValueError), got_says("must be numeric"))),
    ("bincount of nothing, with weights", both(text_has(r"bincount\(.*weights"), lambda step: gives("dtype", "int64", "float64")(step) or
                                              (raises_only_here(step) and "weights must be real" in str(step.got)))),
    ("a function that is given raises what its operands raise", raised_by_argument),
    ("dtype= of mean, var and std: TypeError, whatever else is wrong", both(got_type(TypeError), got_says("(mean|var|std): not supported for (bool|u?int\\d+)"))),
    ("dtype= of cov with weights is that of the result", both(text_has(r"cov\(.*weights=.*dtype=|cov\(.*dtype=.*weights="), gives("dtype"))),
    ("common_type makes arrays of all arguments before it looks at their types", both(text_has("common_type"), got_type(TypeError, ValueError))),
    ("einsum_path: stand-ins of the operands, for einsum_call=", both(text_has(r"einsum_path\(.*einsum_call="), gives("type"))),
    ("no elements, however far a range goes the other way", both(lambda step: step.got is None, text_has(r"arange\("), want_says("Maximum allowed size exceeded"))),
    ("max_line_width= is left alone; NumPy writes to an array", both(text_has("max_line_width="), lambda step: values_differ(step) or "output array is read-only" in str(step.want) or "Cannot cast ufunc 'subtract' output" in str(step.want)
                                                        or "truth value of an empty array" in str(step.got))),
    ("fill_diagonal reads all values before it writes", both(values_differ, text_has(r"fill_diagonal\(.*(x\d).*\1|fill_diagonal\(.*x[15].*x[15]"))),
    ("None is no array: array_equiv and array_equal are False", both(text_has(r"array_equ\w+\(.*None"), gives("object"))),
    ("histogram with edges takes bools as weights, as with a number of bins",
     both(text_has(r"histogram\(.*weights="), lambda step: step.got is None, want_says("Cannot cast ufunc 'add' output .* to dtype\\('bool'\\)"))),
    # Of functions from m to z, of methods and of operators.
    ("a sequence of axes is taken wherever a tuple is, and an array without axes where a number is",
     both(want_type(TypeError), want_says(r"object cannot be interpreted as an integer|only integer scalar arrays can be converted|integer argument expected|'subok' must be|__array_function__ did not"))),
    ("median and quantiles leave x alone, whatever overwrite_input= says",
     both(text_has("overwrite_input="), lambda step: values_differ(step) or "read-only" in str(step.want))),
    ("positions in what is not sorted are undefined", both(values_differ, text_has(r"(searchsorted|digitize|interp)\(.*(\[::-1\]|\.T)|searchsorted\(x[01]|x[01]\.searchsorted"))),
    ("where= of ufuncs, reductions and copyto: bool arrays and bools", got_says("where= takes a bool array")),
    ("dtype=bool, dtype=int of mean, var and std: TypeError",
     both(raises_only_here, got_type(TypeError), text_has(r"nan(mean|var|std)\(.*dtype="))),
    ("out= of reductions, of take and of dot: cast by the rule of ufuncs",
     both(want_says(r"Cannot cast (array data|scalar)|output array is not acceptable|output array does not match|invalid output shape"),
          text_has(r"\.(sum|mean|max|min|argmax|argmin|cumsum|take|dot|trace|nanargmax|nanargmin|round)\("))),
    ("an array that is given as out= is returned", lambda step: isinstance(step.got, tuple) and step.got[0] in ("type", "no value")
     and isinstance(step.got[1], np.ndarray | ca.ndarray) and bool(re.search(r"out=|np\.|xp\.zeros|x5\)|\.dot\(.*, (x\d|xp\.).*\)", step.statement))),
    ("views of numbers are arrays of their own: no value", lambda step: isinstance(step.got, tuple) and step.got[0] == "no value"
     and bool(re.search(r"(transpose|permute_dims|matrix_transpose|reshape|squeeze|ravel|swapaxes|flip|positive|real|imag|moveaxis|rollaxis)\(", step.statement))),
    ("new arrays of indexing, joining, folding and partitions lie in C order or in that of x; NumPy's lie as its loops go",
     lambda step: isinstance(step.want, tuple) and step.want[0] == "flag" and step.want[1].endswith("_contiguous")),
    ("an unknown extent of a shape is -1; NumPy takes any negative number", both(raises_only_here, got_says("negative dimensions are not allowed"))),
    ("an axis that C's int does not hold is not cut: AxisError",
     both(raises_only_here, lambda step: isinstance(step.got, np.exceptions.AxisError) and bool(re.search(r"axis -?\d{10}", str(step.got))))),
    ("numbers that C's int or long do not hold are taken where Python's are",
     both(lambda step: step.got is None, want_says("signed integer is (greater|less) than|too large to convert to C (int|long)$"))),
    ("x.real = value is x[...] = value where x is real, and x.imag = value an assignment to floats",
     both(raises_only_here, text_has(r"^x\d\.(real|imag) = "))),
    ("a nested list deeper than what it is assigned to: leading axes of one element go, as those of arrays do",
     both(lambda step: step.got is None, want_says("would exceed the maximum number of dimension|requires a 0 or 1-dimensional input"))),
    ("memoryviews are arrays", want_says("Cannot interpret '<memory")),
    ("mode= of the method put: NumPy takes numbers, or fails within", both(text_has(r"\.put\("), got_says("mode must be 'raise', 'wrap' or 'clip'"))),
    ("unsigned positions beyond int64 lie behind the end, also under mode='clip'", both(values_differ, text_has(r"(put|take|choose)\(.*2\s?\*\*\s?63"))),
    ("places and counts are looked at where there are no elements, too", both(raises_only_here, got_says("kth .* is out of bounds|the count -.* is negative"))),
    ("flags are not asked for an index", both(lambda step: step.got is None, text_has(r"\.(sum|prod|mean|var|std|any|all|max|min)\(.*index="),
                                              lambda step: isinstance(step.want, Planted) or "__index__ returned non-int" in str(step.want))),
    ("diff(x, append=None) joins nothing, as the Array API has it", both(text_has(r"diff\(.*(prepend|append)=None"), gives("dtype", "object"))),
    ("unpackbits of nothing: the bits that count= asks for are 0; NumPy's are what the memory held",
     both(values_differ, text_has(r"unpackbits\(.*count="), lambda step: not step.got.any() and any(not x.size for x in step.inputs))),
    ("numbers that only Python's int holds are floats",
     both(lambda step: step.got is None, text_has(r"2 ?\*\* ?6[34]|10 ?\*\* ?30|5 ?\*\* ?28"), want_says("No loop matching the specified signature"))),
    ("load looks at max_header_size= before it reads the header of an archive", got_says("max_header_size must be")),
    ("load reads an archive at once", both(raises_only_here, text_has(r"load\('f\.npz'"), got_says("Object arrays cannot be loaded|Header info length"))),
    ("put_along_axis along no axis writes to views, which NumPy copies and protects",
     both(text_has(r"put_along_axis\(.*None\)"), lambda step: step.got is None, want_says("read-only"))),
    ("two results into one array: which stays is not defined", both(values_differ, text_has(r"(modf|frexp|divmod)\(.*(x\d), \2[\[)]"))),
    ("round(x, n) of short floats multiplies by 10**n, which may be too large: garbage in NumPy as well",
     both(values_differ, text_has(r"round\(.*out="), lambda step: not np.isfinite(step.want).all())),
    ("edges that are given come back as a copy", both(text_has(r"histogram\w*\("), gives("flag", "writeable"))),
    ("None is no operand", both(raises_only_here, got_type(TypeError), got_says(r"unsupported operand type.*'NoneType'"))),
    ("x.flat[key] is x.reshape(-1)[key]", text_has(r"\.flat(\[| = )")),
    ("x.view(None): as x.view()", text_has(r"view\(None\)")),
    ("pickles are cuarray's own", text_has(r"__reduce_ex__")),
    ("max_work= is not looked at", both(text_has("max_work="), want_says("max_work|C ssize_t"))),
    ("shares_memory of what is no array: TypeError", both(got_type(TypeError), text_has("share[s_]*memory"))),
    ("mgrid and ogrid take slices", got_says(r"grid: takes slices")),
    ("as_strided without strides= takes those of x; NumPy those of a new array where x is contiguous",
     both(values_differ, text_has(r"as_strided\([^,]+, ([^,]*|\([^)]*\))(, (strides=)?None)?\)$"))),
    ("as_strided checks what NumPy believes", both(got_type(ValueError, OverflowError), text_has("as_strided"))),
    ("nan_to_num(number, copy=False): a number has no memory that could be written", both(text_has("copy=(False|0)"), want_says("Unable to avoid copy"))),
    ("words are of type str", both(got_type(TypeError), got_says(r"must be (a string|'raise', 'wrap' or 'clip')"),
                                          lambda step: not re.search("convolve|correlate", step.statement))),
    ("coefficients have one axis: ValueError", both(got_type(ValueError), got_says("coefficients must have one axis"))),
    ("ddof= and correction= are real numbers, m= and k= integers", both(got_type(TypeError), got_says(r"must be (a real number|an integer), not"))),
    ("initial=: a sequence of one number is that number", both(text_has(r"initial=([\[(]|np\.|xp\.|x\d)"), lambda step: step.got is None)),
    ("assume_unique=True of what is not unique is undefined", both(text_has("assume_unique="), lambda step: got_type(tuple)(step) or values_differ(step))),
    ("two faults in one call: which is told is not promised",
     both(want_says(r"Cannot cast ufunc|cannot specify both|Cannot interpret .* as a data type|remapped shapes|out of bounds for array of dimension|read-only|zero-size array"),
          lambda step: isinstance(step.got, TypeError | ValueError | OverflowError))),
    ("out= is cast to by the rule of ufuncs", both(raises_only_here, got_says("cannot cast the output|cannot cast from"),
                                                   lambda step: not re.search(r"choose\(|compress\(|einsum\(", step.statement))),
    ("positions of unravel_index are integers, no bools", both(got_type(TypeError), got_says("only integers are permitted"))),
    ("a shape, axes and a target are what they are called: TypeError", both(got_type(TypeError), got_says("must be an integer or a sequence|expected an array to write into|out must be an array"))),
    ("choose reads all before it writes, also where out= is the array of numbers", both(values_differ, text_has(r"(x\d)\b.*\bchoose\(.*out=\1|\bchoose\(.*(x\d)\b.*out=\2"))),
    ("choose reads all before it writes, also where out= is the array of numbers", both(lambda step: step.got is None, want_says("invalid entry in choice array"))),
    ("None and records where a type is promoted", text_has(r"(promote_types|result_type|can_cast)\(.*(None|\{\}|datetime|M8)")),
    ("mean= of var and std broadcasts to the array: ValueError", both(raises_only_here, text_has(r"(var|std)\(.*mean="), got_says("does not broadcast to"))),
    ("mean= of var and std does not change the type, and nothing wraps",
     both(text_has(r"(var|std)\(.*mean="), lambda step: values_differ(step) or (isinstance(step.want, tuple) and step.want[0] == "dtype") or bool(re.search("boolean subtract|out of bounds for uint", str(step.want))))),
    ("isin(invert=) takes any object that has a truth value", both(values_differ, text_has(r"isin\(.*invert=(?!True|False)"))),
    ("which of two wrong arguments of loadtxt is told is not promised", both(text_has("loadtxt"), want_type(TypeError, ValueError), got_type(TypeError, ValueError))),
    ("mean= of var and std is not cast to an integer type", both(lambda step: step.got is None, text_has(r"(var|std)\(.*mean="), want_says(r"out of bounds for u?int\d+"))),
    ("which of several modes are ints is not looked at: TypeError or ValueError", both(text_has(r"ravel_multi_index\(.*mode="), got_says("mode must be"))),
    ("einsum to one element gives a value, also where NumPy goes through tensordot",
     both(text_has(r"einsum\(.*optimize="), lambda step: step.want == ("flag", "writeable"))),
    ("precision= is looked at even where nothing is rounded", both(raises_only_here, text_has(r"array_(str|repr|2string)\(.*precision="))),
    ("unique(sorted=False) is sorted", both(values_differ, text_has(r"unique\(.*sorted="))),
    ("quantiles of an empty q of several axes: an empty result", both(text_has("quantile|percentile"), lambda step: step.got is None, want_says("zero-size array to reduction operation minimum"))),
    ("shapes that 64 bits do not hold: ValueError", both(lambda step: step.want is None or isinstance(step.want, OverflowError), got_says(r"must (fit|be an integer of) 64 bits, not \d{19}"), text_has(r"tri|tile|repeat"))),
    ("rcond= of polyfit is one number: TypeError for arrays with axes", both(raises_only_here, text_has("polyfit"), got_says("rcond must be a real number"))),
    ("polyfit(full=) returns rcond as float64, whatever the type in which it is given",
     both(text_has(r"polyfit\(.*rcond=.*full="), lambda step: isinstance(step.want, tuple) and step.want[0] == "dtype")),
    ("NumPy calls itself for each derivative", both(text_has("polyder|polyint"), want_type(RecursionError))),
    ("trim_zeros: a list or tuple stays one, all else is an array",
     both(text_has(r"trim_zeros"), lambda step: isinstance(step.want, tuple) and isinstance(step.want[1], bytearray | memoryview | range))),
    ("the extents of triangles are taken as Python's integers", both(text_has(r"tri([ul](_indices)?)?\("), lambda step: step.got is None, want_says(r"out of bounds for u?int\d|Maximum allowed size exceeded"))),
    ("products of vectors: axes=None is none", both(text_has("axes=None"), lambda step: step.got is None, want_says("axes should be a list|both 'axis' and 'axes'"))),
    ("flags take any object that has a truth value", want_says("'keepdims' must be a boolean")),
    ("piecewise: one condition without axes", both(text_has("piecewise"), lambda step: step.got is None, want_says("array is 0-dimensional, but 1 were indexed"))),
    ("nanmax([], initial=1): NaN in NumPy, but not of an array of NumPy's",
     both(values_differ, text_has(r"nanm(ax|in)\(.*initial="), lambda step: np.isnan(step.want).all())),
    ("bitorder= is 'big' or 'little', not any word that begins so", both(raises_only_here, got_says("must be either 'little' or 'big'"))),
    ("elements of arrays are unhashable", got_says("unhashable type: 'cuarray.ndarray'")),
    ("a Python integer counts as int64 among types, whatever its value", both(text_has(r"result_type\(.*2 ?\*\* ?63"), lambda step: isinstance(step.want, tuple))),
    ("vecmat(x, y, order='F') adds to memory that is not cleared: NumPy's fault", both(values_differ, text_has(r"(vecmat|matvec|matmul)\(.*order="))),
    ("widths of pad may be unsigned", both(text_has(r"pad\("), lambda step: step.got is None, want_says("must be of integral type"))),
    ("numbers that only Python's int holds are floats", both(text_has(r"2 ?\*\* ?6[34]|10 ?\*\* ?30"), gives("dtype", "object"))),
    ("q= of quantiles are real numbers, even if all is NaN", both(raises_only_here, got_says("q must (have real numbers|be a scalar)"))),
    ("two faults in one call: which is told is not promised", both(want_says("Cannot cast array data"), got_says("does not broadcast"))),
    ("two faults in one call: which is told is not promised", both(want_type(ValueError), got_says("(mean|var|std): not supported for"))),
    ("two faults in one call: which is told is not promised", both(want_type(TypeError), got_says(r"needs \d axes at least"))),
    ("where(condition, None) is where(condition)", both(text_has(r"where\(.*None\)"), lambda step: step.got is None, want_says("either both or neither of x and y"))),
    ("positions in what is not sorted are undefined", both(values_differ, searched_unsorted)),
    ("float numbers as indices or counts: TypeError", both(want_type(IndexError), got_says("indices must be integers, not float"))),
    ("initial= must fit the type of the loop, which out= does not choose", both(raises_only_here, got_type(OverflowError), text_has("out=.*initial=|initial=.*out="))),
    ("nanquantile with weights of one axis: NumPy hands its slices the wrong weights",
     both(text_has(r"nan(quantile|percentile)\(.*weights="), lambda step: step.got is None, want_says("out of bounds for axis 0 with size 1$"))),
    ("piecewise writes no value where there is no place for it", both(text_has("piecewise"), lambda step: step.got is None, want_says("boolean array indexing assignment requires"))),
    ("medians and quantiles of no elements along no axes", both(lambda step: step.got is None, want_says(r"cannot reshape array of size 0 into shape \(.*newaxis"))),
    ("an empty list is float64 beside other arrays, also in dot, vdot and inner",
     both(text_has(r"(dot|inner)\(.*(\[\]|\(\))"), lambda step: isinstance(step.want, tuple) and step.want[0] == "dtype")),
    ("objects that are no numbers have no arrays like them, also bound as methods of theirs",
     both(raises_only_here, text_has(r"f=xp\.\w+\)"), got_says("type <class 'A'> is no array of numbers"))),
    ("a number as a mode that C's int does not hold: ValueError, as others that are no mode",
     both(want_says("clipmode not understood|correlate mode not understood"), got_says("mode must be '(raise|valid)'"))),
    ("nanmax and nanmin take a tuple of one array as out= of a list, too",
     both(lambda step: step.got is None, text_has(r"nanm(ax|in)\(.*out=\("), want_says("return arrays must be of ArrayType"))),
    ("two faults in one call: which is told is not promised", both(want_says("cannot be broadcast to a single shape"), got_says("not bool"))),
    ("two faults in one call: which is told is not promised", both(want_says("infs or NaNs"), got_says("no factorisations in float16"))),
    ("two faults in one call: which is told is not promised", both(want_says("out parameter does not have the correct"), got_says("cannot cast"))),
    ("medians and quantiles into an array of another shape, with keepdims=: ValueError, where NumPy leaves elements out",
     both(text_has(r"(percentile|quantile|median)\(.*out=.*keepdims=|(percentile|quantile|median)\(.*keepdims=.*out="), got_type(ValueError), got_says("out= has shape"))),
    ("the order of a norm is one number: TypeError", both(text_has(r"norm\("), got_says("the order must be a number"))),
    ("the order of a norm may be any object with __index__", both(lambda step: step.got is None, text_has("norm.*hostile"), want_says("Invalid norm order"))),
    ("tensorsolve takes negative axes", both(lambda step: step.got is None, want_says(r"list\.remove\(x\)"))),
    ("options of printing are single numbers", both(text_has("array_(str|repr)|array2string"), got_says("truth value of an"))),
    ("an axis is an integer", both(raises_only_here, text_has(r"norm\("), got_says("axis must be an integer"))),
    ("a number that C's int does not hold: ValueError, as others out of range", both(want_says("too large to convert to C (int|long)"), got_says(r"ndmax must be in 0\.\."))),
    ("a Python number takes the array's type in outer, too", both(lambda step: step.got is None, text_has(r"\.outer\(.*casting="), want_says("Cannot cast ufunc"))),
    ("float to integer out of range is undefined in NumPy: sums of weights, and the mean or median of nothing, as integers",
     both(lambda step: values_differ(step) and step.want.dtype.kind in "iu" and np.isin(step.got[step.want != step.got], [np.iinfo(step.want.dtype).min, np.iinfo(step.want.dtype).max, 0]).all(),
          text_has(r"histogram\w*\(.*weights=|pad\(.*'(mean|median)'.*stat_length=(0|x\d)"))),
    ("two faults in one call: which is told is not promised", both(want_says("must have a single dimension"), got_says("must be an integer array"))),
    ("two faults in one call: which is told is not promised", both(want_says("too many subscripts|(more|fewer) operands provided|more dimensions than subscripts"), got_says("cannot cast"))),
    ("two faults in one call: which is told is not promised", both(want_says("too many indices"), got_says("slice indices must be integers"))),
    ("two faults in one call: which is told is not promised", both(want_says("non-empty take from an empty axes|is out of bounds for axis 0"), got_says("axes must be a sequence"))),
    ("resolve_dtypes of logical functions: the types of the loop that runs", both(text_has(r"logical_\w+\.resolve_dtypes"), gives("object"))),
    ("choose takes any number of arrays", both(lambda step: step.got is None, want_says("Need at least . and at most 64 array objects"))),
    ("insert at unsigned positions", both(text_has(r"insert\("), lambda step: step.got is None, want_says("ufunc 'add' output from .* to dtype\\('uint"))),
    ("einsum(optimize=) adds along the axes of an ellipsis that the result lacks", both(raises_only_here, text_has("optimize="), got_says(r"the result of .* lacks '\.\.\.'"))),
    ("resolve_dtypes takes whatever names a dtype", both(text_has("resolve_dtypes"), lambda step: step.got is None, want_says("must be a valid NumPy dtype"))),
    ("concatenate into, and conj and round to, a read-only array that would not change: ValueError",
     both(raises_only_here, text_has(r"(concatenate|stack|conj|conjugate|round|around)\("), got_says("array is read-only"))),
    ("memory of another byte order is neither shared nor written",
     both(raises_only_here, got_says("are in the other order, so that|are swapped; (fill an array of ours|leave out= away)"),
          text_has(r"copy=(False|0|\[\]|\(\)|xp\.)|out=|conj|(copyto|put|place|putmask|fill_diagonal|put_along_axis)\("))),
    ("ifft2, irfft2 and hfft ignore out= in NumPy", both(text_has(r"fft\.(ifft2|irfft2|hfft)\(.*out="), lambda step: values_differ(step) or gives("dtype")(step) or gives("flag")(step))),
    ("ifft2, irfft2 and hfft ignore out= in NumPy", both(raises_only_here, text_has(r"fft\.(ifft2|irfft2|hfft)\("), got_says("output array|out= has shape|out= is a tuple|cannot cast the output"))),
    ("a tuple that is given as out= is not returned", both(text_has(r"out=\("), lambda step: isinstance(step.want, tuple) and step.want[0] == "results")),
    ("the format of unaligned memory is one that Python reads", both(text_has(r"memoryview\(.*format"), gives("object"))),
    ("the values of an empty array are not defined", both(values_differ, text_has(r"f=xp\.empty\)"))),
    ("positions of a sorter outside: ValueError", both(raises_only_here, got_says("sorter holds positions outside"))),
    ("tile(x, ()) and nan_to_num(x, copy=False) of a buffer are copies", both(text_has(r"tile\(.*\(\)\)|nan_to_num\("), gives("flag", "writeable"))),
    ("var, std of complex numbers with a real dtype are about their mean, not about its real part",
     both(values_differ, text_has(r"(var|std)\(.*dtype="), lambda step: "1j" in step.statement or any(x.dtype.kind == "c" for x in step.inputs))),
    ("comparisons with an integer that the type does not hold go by a wider type, which casting= may refuse",
     both(raises_only_here, text_has("(equal|less|greater).*casting='(no|equiv|safe)'"), got_says("cannot cast input"))),
    ("two results into one array: which stays is not defined", both(lambda step: step.got is None, text_has(r"(modf|frexp|divmod)\(.*(x\d), \2[\[)]"))),
    ("two faults in one call: which is told is not promised", both(want_says("of unsigned byte data type"), got_says("'bitorder' must be"))),
    ("two faults in one call: which is told is not promised", both(want_says("clipmode must be one of"), got_says("indices must be integers"))),
    ("matmul(out=) of vectors without elements: NumPy does not compare lengths", both(raises_only_here, text_has(r"matmul\(.*out="), got_says(r"0 and \d+ elements|\d+ and 0 elements"))),
    ("differences of unsigned numbers wrap to 2**64, and their sum cancels", both(values_differ, text_has(r"trapezoid\("), lambda step: any(x.dtype.kind == "u" for x in step.inputs))),
    ("digits of decompositions and solutions depend on the library; tests/python/test_linalg*.py multiplies them out",
     both(values_differ, text_has(r"linalg\."), lambda step: step.want.dtype.kind in "fc")),
    ("eigenvalues of general matrices are complex, as in the Array API", both(text_has(r"linalg\.eig(vals)?\("), gives("dtype"))),
    ("memory that is not in C order is no buffer: BufferError, as Python's protocol has it", both(want_says("not C-contiguous"), got_type(BufferError))),
    ("irfft and hfft of axes without elements: NumPy reads beyond the array",
     both(values_differ, text_has(r"fft\.(irfft|hfft)"), lambda step: any(not x.size for x in step.inputs) and not np.any(step.got))),
    ("halves are added in another order, before out= makes them integers",
     both(values_differ, text_has(r"(cumsum|sum|cumulative_sum|add\.(reduce|accumulate))\(.*'f2'"),
          lambda step: step.want.dtype.kind in "iu" and bool((np.abs(step.want.astype("f8") - step.got) <= 2**-8 * np.abs(step.want).max()).all()))),
    ("strides of arrays without elements lead nowhere", both(text_has("strides"), lambda step: any(not x.size for x in step.inputs))),
    ("frompyfunc of negative numbers of arguments or results: ValueError", both(raises_only_here, got_says("nin and nout must not be negative"))),
    ("rfftfreq of a negative number of points: ValueError", both(raises_only_here, got_says("rfftfreq: n must not be negative"))),
    ("concatenate reads all before it writes, also where out= is one of its arrays", both(values_differ, text_has(r"(concatenate|stack)\(.*out=x\d"))),
    ("fftfreq takes what NumPy takes for an integer elsewhere", both(text_has("fftfreq"), lambda step: step.got is None, want_says("single integer"))),
    ("Python's floats out of range raise in assignments", both(raises_only_here, got_says("cannot convert float (NaN|infinity) to integer"))),
    ("ddof=-2**63: n - ddof wraps in NumPy", both(values_differ, text_has(r"(var|std)\(.*(ddof|correction)=-2 ?\*\* ?63"))),
    ("choose writes to memory that is not C-contiguous as it lies; NumPy's modes wrap and clip write elsewhere",
     both(values_differ, text_has(r"choose\(.*out=.*mode=|choose\(.*mode=.*out="))),
    ("diff(x, n=0) is an array", both(text_has(r"diff\(.*n=0"), lambda step: not isinstance(step.want, np.ndarray | Exception))),
    ("gradient with a distance of 0: infinities and NaN", both(lambda step: step.got is None, text_has(r"gradient\(.*edge_order="), want_type(ZeroDivisionError))),
    ("tile: an array of bools is none of repetitions", both(raises_only_here, got_says("tile: reps must be"))),
    ("float to integer out of range is undefined in NumPy: an exponent that becomes negative there",
     both(lambda step: step.got is None, want_says("Integers to negative integer powers"), text_has(r"pow(er)?\.(reduce|accumulate|reduceat)\(.*dtype="))),
    ("two faults in one call: which is told is not promised", both(want_says("only works on arrays of"), got_says("indices_or_sections must be (an integer|integers)"))),
    ("two faults in one call: which is told is not promised", both(want_says("select kind must be"), got_says("kth must be integers"))),
    ("two faults in one call: which is told is not promised", both(want_says("setting an array element with a sequence"), got_says("a complex initial value"))),
    ("sums of weights are float to integer casts, out of range, before they become a density",
     both(text_has(r"histogram\(.*density=.*weights="), lambda step: step.want is not None and any(x.dtype.kind in "iub" for x in step.inputs))),
    ("NaN comes last in rows of float16, too", both(text_has(r"unique\(.*axis="), lambda step: any(x.dtype == "f2" and np.isnan(x).any() for x in step.inputs))),
    ("offsets and positions do not narrow sizes", both(lambda step: step.got is None, text_has("diagflat|tri[lu]|delete"), want_says("out of bounds for u?int"))),
    ("matmul(out=) of vectors: NumPy does not compare lengths where out= has no axes", both(raises_only_here, text_has(r"matmul\(.*out="), got_says("do not go together"))),
    ("out= of dot and multi_dot may have any layout, and has the type of the result", both(text_has(r"dot\("), lambda step: bool(re.search("output array is not acceptable", str(step.want))) or bool(re.search("out= has type", str(step.got))))),
    ("argsort is stable, whatever stable= says", both(values_differ, text_has(r"argsort\(.*stable="))),
    ("digits of sums of logarithms near 0 are those of their largest term", both(values_differ, text_has("logaddexp"), near_the_terms)),
    ("digits of fits depend on the order of sums", both(values_differ, text_has("polyfit"), lambda step: np.allclose(step.got, step.want))),
    ("a numpy.matrix as the distance of frequencies: TypeError", both(raises_only_here, text_has("fftfreq"), got_says("numpy.matrix"))),
    ("two faults in one call: which is told is not promised", both(want_says("Shape and axes have different lengths"), got_says("axes must be integers"))),
    ("two faults in one call: which is told is not promised", both(want_type(OverflowError), got_says(r"needs \d axes at least"))),
    ("two faults in one call: which is told is not promised", both(want_type(IndexError), got_says("axes must be integers, not bool"))),
    ("two faults in one call: which is told is not promised", both(want_says("only takes `out` or `dtype` as an argument"), got_type(ValueError))),
    ("genfromtxt(unpack=True) of nothing is an array", both(text_has(r"genfromtxt\(.*unpack="), lambda step: (isinstance(step.want, tuple) and step.want[0] == "results") or step.want == [])),
    ("transforms along no axes give the array itself", both(text_has(r"fft\.i?fftn?\("), lambda step: any(gives("flag", name)(step) for name in ("writeable", "aligned")) or gives("shares")(step))),
    ("matmul(out=) of no axes for a matrix: NumPy leaves it as it was", both(raises_only_here, text_has(r"matmul\(.*out="), got_says(r"out= has shape \(\), the result"))),
    ("unique(sorted=) is a truth value, whatever the elements", both(raises_only_here, text_has(r"unique\(.*sorted="), got_says("truth value of an (empty )?array"))),
    ("lcm wraps in any order where the type does not hold the multiples", both(values_differ, text_has(r"lcm\.(reduce|accumulate|reduceat)"))),
    ("max and min of float16 zeros of both signs: the last one",
     both(values_differ, text_has(r"(max|min|maximum|minimum)"), lambda step: step.want.dtype == "f2" and (np.asarray(step.want) == np.asarray(step.got)).all())),
    ("float to integer out of range is undefined in NumPy, also in a loop of integers whose results are cast",
     both(values_differ, text_has(r"dtype=(int|'[iu]\d').*casting='unsafe'|casting='unsafe'.*dtype=(int|'[iu]\d')"))),
]  # fmt: skip
