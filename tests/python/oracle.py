"""Reference results of functions, from NumPy in higher precision, and the permitted errors.

The limits are in units in the last place (ulp) of the result, of the CUDA programming guide for CUDA and of the vector
library of glibc for the CPU, half a unit added where those tables leave out the final rounding.
"""

import ctypes
import ctypes.util
import zlib

import ml_dtypes
import numpy as np

from cuarray._namespace.aliases import ALIASES

NUMPY_NAMES = {ours: theirs for theirs, ours in ALIASES.items()}
BFLOAT16 = np.dtype(ml_dtypes.bfloat16)

# The limits for (float32, float64) on CUDA, from the programming guide of CUDA 13.
CUDA_LIMITS = {
    "rsqrt": (2.5, 1.5),
    "exp": (2.5, 1.5), "exp2": (2.5, 1.5), "expm1": (1.5, 1.5),
    "log": (1.5, 1.5), "log2": (1.5, 1.5), "log10": (2.5, 1.5), "log1p": (1.5, 1.5),
    "sin": (2.5, 2.5), "cos": (2.5, 2.5), "tan": (4.5, 2.5),
    "asin": (4.5, 2.5), "acos": (3.5, 2.5), "atan": (2.5, 2.5), "atan2": (3.5, 2.5),
    "sinh": (3.5, 2.5), "cosh": (2.5, 1.5), "tanh": (2.5, 1.5),
    "asinh": (3.5, 3.5), "acosh": (4.5, 3.5), "atanh": (3.5, 2.5),
    "cbrt": (1.5, 1.5), "hypot": (3.5, 2.5), "pow": (4.5, 2.5), "float_power": (4.5, 2.5),
    "erf": (2.5, 2.5), "erfc": (4.5, 5.5), "gamma": (11.5, 10.5), "lgamma": (6.5, 4.5),
}  # fmt: skip

# Functions without a table entry: a few roundings of those with one. The ulp of a product may be half of a factor's.
OTHER = {"logaddexp": 4.5, "logaddexp2": 4.5, "expit": 4.5, "logit": 4.5, "xlogy": 8.0, "degrees": 4.5, "radians": 4.5}

# On the CPU, every function of glibc's vector library has the limit that the library needs at some instruction
# set level; these functions are not in it, and have limits for (float32, float64). float64 sine, cosine,
# exponentials, logarithms and powers are cuarray's own.
NOT_IN_VECTOR_LIBRARY = {"rsqrt": (2.5, 1.5), "gamma": (11.5, 8.5), "lgamma": (6.5, 4.5), "hypot": (0.51, 0.51)}
VECTOR_LIBRARY_LIMIT = 4.5
CPU_FLOAT64 = {
    "sin": 1.5,
    "cos": 1.5,
    "exp": 1.0,
    "exp2": 1.0,
    "log": 1.0,
    "log2": 1.0,
    "log10": 1.0,
    "log1p": 1.0,
    "pow": 1.0,
    "float_power": 1.0,
}

# Exact where the quotient is an exact integer of the type; NumPy's own may be off by one even there.
QUOTIENT_LIMIT = 1.0

# Half types are computed in float32 and rounded once.
HALF_LIMIT = 0.51

# Complex results, by the distance in the plane in units of the last place of the magnitude.
COMPLEX_LIMIT = 4.0
COMPLEX_LIMITS = {"tan": 6.0, "tanh": 6.0}  # quotients of several functions
# CUDA's log, log1p and atan2 of float64 are less accurate than the C library's.
CUDA_COMPLEX128_LIMITS = {"pow": 5.0, "float_power": 5.0, "atan": 5.0, "atanh": 5.0}
COMPLEX_EXACT = {
    "add", "subtract", "negative", "positive", "conj", "real", "imag", "rint", "round", "where", "maximum", "minimum",
    "fmax", "fmin", "clip", "equal", "not_equal", "less", "less_equal", "greater", "greater_equal", "isnan", "isinf",
    "isfinite", "logical_and", "logical_or", "logical_xor", "logical_not",
}  # fmt: skip


def limit(name, in_dtype, dtype, device):
    """Return the permitted error in ulp of a result of this dtype; 0 for functions whose result is defined exactly."""
    dtype = np.dtype(dtype)
    if name == "abs" and np.dtype(in_dtype).kind == "c":
        name = "hypot"
    if dtype.kind == "c":
        if name in COMPLEX_EXACT:
            return 0
        is_less_accurate = device != "cpu" and dtype.itemsize == 16
        own = CUDA_COMPLEX128_LIMITS if is_less_accurate else {}
        return own.get(name, COMPLEX_LIMITS.get(name, COMPLEX_LIMIT))
    if dtype.kind not in "fV" or name not in {*CUDA_LIMITS, *OTHER, "floor_divide"}:
        return 0
    if dtype.itemsize == 2:
        return HALF_LIMIT
    if name == "floor_divide":
        return QUOTIENT_LIMIT
    double = dtype.itemsize == 8
    if name in OTHER:
        return OTHER[name]
    if device == "cpu" and name in NOT_IN_VECTOR_LIBRARY:
        return NOT_IN_VECTOR_LIBRARY[name][double]
    if device == "cpu":
        return CPU_FLOAT64.get(name, VECTOR_LIBRARY_LIMIT) if double else VECTOR_LIBRARY_LIMIT
    return CUDA_LIMITS[name][double]


def largest_term(name, inputs, result):
    """Return the magnitude of the largest intermediate, whose ulp is the unit of the limit where terms cancel."""
    size = np.abs(result)
    if name in ("logaddexp", "logaddexp2"):
        return np.maximum(size, np.maximum(*map(np.abs, inputs)))
    if name == "lgamma":
        # Of a negative number it is a difference from lgamma(1 - x).
        reflected = REFERENCES["lgamma"](1 - np.minimum(np.nan_to_num(inputs[0]), 0))
        return np.maximum(size, np.maximum(reflected, 1))
    if result.dtype.kind == "c" and name in ("pow", "float_power"):
        # exp(y * log(x)): the exponent's error is the result's relative error.
        return size * np.maximum(1, np.abs(inputs[1] * np.log(inputs[0])))
    if result.dtype.kind == "c" and name == "exp2":
        return size * np.maximum(1, np.abs(inputs[0]))
    return size


def wider(dtype):
    """Return the type of a reference computation."""
    dtype = np.dtype(dtype)
    if dtype.kind == "c":
        return np.dtype(np.complex128 if dtype.itemsize == 8 else np.clongdouble)
    return np.dtype(np.longdouble if dtype.itemsize == 8 else np.float64)


def from_libm(name):
    """A function of the C library in long double, elementwise; its result is rounded to float64."""
    function = getattr(ctypes.CDLL(ctypes.util.find_library("m")), name)
    function.restype = ctypes.c_longdouble
    function.argtypes = [ctypes.c_longdouble]
    return lambda x: np.array([function(v) for v in np.asarray(x, np.float64).ravel()], np.float64).reshape(np.shape(x))


def xlogy(x, y):
    return np.where((x == 0) & ~np.isnan(y), x * 0, x * np.log(y))


def log1p(z):
    """NumPy's own is inaccurate near zero for complex numbers."""
    if z.dtype.kind != "c":
        return np.log1p(z)
    x, y = z.real, z.imag
    near_zero = np.log1p(x * (2 + x) + y * y) / 2 + 1j * np.arctan2(y, 1 + x)
    return np.where(np.abs(x) < 0.5, near_zero, np.log1p(z))


# Functions that NumPy lacks or computes inaccurately, in terms of others.
REFERENCES = {
    "erf": from_libm("erfl"),
    "erfc": from_libm("erfcl"),
    "gamma": from_libm("tgammal"),
    "lgamma": from_libm("lgammal"),
    "rsqrt": lambda x: 1 / np.sqrt(x),
    "expit": lambda x: 1 / (1 + np.exp(-x)),
    "logit": lambda x: np.where(np.abs(x - 0.5) < 0.25, np.log1p((2 * x - 1) / (1 - x)), np.log(x / (1 - x))),
    "log1p": log1p,
    "xlogy": xlogy,
    "real": lambda x: np.array(np.real(x)),
    "imag": lambda x: np.array(np.imag(x)),
    "round": lambda x: x.copy() if x.dtype.kind in "iu" else np.rint(x),
    "clip": lambda x, y, z: np.minimum(np.maximum(x, y), z),
    "where": np.where,
    # NumPy's result for the integer zero is undefined.
    "reciprocal": lambda x: (
        np.where((x == 1) | (x + x.dtype.type(1) == 0), x, 0).astype(x.dtype)
        if x.dtype.kind in "i"
        else (x == 1).astype(x.dtype)
        if x.dtype.kind == "u"
        else np.reciprocal(x)
    ),
    # As NumPy's for float16, which steps towards plus infinity; its wider types step away from zero.
    "spacing": lambda x: (
        np.where(np.isinf(x), np.array(np.nan, x.dtype), np.nextafter(x, np.array(np.inf, x.dtype)) - x)
        if x.dtype == BFLOAT16
        else np.spacing(x)
    ),
}


def reference(name):
    """Return the reference function of the row `name`, on NumPy arrays."""
    function = REFERENCES.get(name) or getattr(np, NUMPY_NAMES.get(name, name), None)
    if function is None:
        raise NotImplementedError(
            f"NumPy has no {name}: give it a function of NumPy arrays in REFERENCES of tests/python/oracle.py, "
            "and in OTHER how many ulp it may be off, if it is not exact"
        )
    return function


def expected(row, inputs, out_dtypes, approximate):
    """Return the tuple of reference results of a row for NumPy arrays of the loop's own types.

    With `approximate`, they are of a wider type; else of the loop's.
    """
    function = reference(row["name"])
    with np.errstate(all="ignore"):
        if approximate:
            results = function(*(x.astype(wider(x.dtype)) for x in inputs))
        elif BFLOAT16 in (x.dtype for x in inputs) and "HalfBits" not in row["flags"]:
            results = function(*(x.astype(np.float32) if x.dtype == BFLOAT16 else x for x in inputs))
        else:
            results = function(*inputs)
        results = results if isinstance(results, tuple) else (results,)
        if approximate:
            return results
        return tuple(np.asarray(r).astype(t, copy=False) for r, t in zip(results, out_dtypes, strict=True))


def same_bits(a, b, *, zeros=True):
    """Return the mask of equal elements of one dtype: every NaN equals every NaN; with `zeros`, -0.0 is not 0.0."""
    if a.dtype.kind == "c":
        return same_bits(a.real, b.real, zeros=zeros) & same_bits(a.imag, b.imag, zeros=zeros)
    if a.dtype.kind not in "fV":
        return a == b
    with np.errstate(invalid="ignore"):
        equal = (a == b) | (np.isnan(a) & np.isnan(b))
        return equal & ((np.signbit(a) == np.signbit(b)) | np.isnan(a)) if zeros else equal


class bits:
    """The shape, type and bytes of a cuarray array, with all NaNs made equal; equal for equal bits."""

    def __init__(self, array):
        host = array.numpy()
        if host.dtype.kind in "fcV":
            nan = np.full(1, np.nan).astype(host.dtype)
            host = np.where(np.isnan(host), nan, host)
        self.shape, self.dtype, self.bytes = host.shape, host.dtype, np.ascontiguousarray(host).tobytes()

    def __eq__(self, other):
        return (self.shape, self.dtype, self.bytes) == (other.shape, other.dtype, other.bytes)

    def __repr__(self):
        return f"<{self.dtype} {self.shape} {zlib.crc32(self.bytes):08x}>"


def distance(name, actual, inputs, exact):
    """Return the error of `actual` in ulp; infinite where only one is NaN or infinite."""
    wide = exact.dtype
    with np.errstate(all="ignore"):
        rounded = exact.astype(actual.dtype)
        real = actual.real.dtype if actual.dtype.kind == "c" else actual.dtype
        error = np.abs(actual.astype(wide) - exact)
        size = largest_term(name, [x.astype(wide) for x in inputs], exact).astype(real)
        # In the binade of the largest number, also where the exact value rounds to infinity.
        size = np.minimum(size, ml_dtypes.finfo(real).max)
        ulp = np.spacing(size).astype(error.dtype)
        result = (error / ulp).astype(np.float64)
    alike = same_bits(actual, rounded, zeros=False) & ~np.isfinite(rounded)
    return np.where(alike, 0.0, np.where(np.isnan(result), np.inf, result))
