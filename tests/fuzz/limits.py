"""limits.py -- the permitted differences of results: inexact functions, and sums in another order."""

import sys
from pathlib import Path

import numpy as np

sys.path[:0] = [str(Path(__file__).resolve().parents[1] / "python")]

import oracle

import cuarray as ca

DTYPES = ["?", "i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8", "f2", "f4", "f8", "c8", "c16"]
KNOWN = {np.dtype(t) for t in DTYPES}

#: Functions that are not correctly rounded, here or in NumPy, by NumPy's name; limits are in tests/python/oracle.py.
INEXACT = {
    name
    for ours in {*oracle.CUDA_LIMITS, *oracle.OTHER, "floor_divide"}
    for name in (ours, oracle.NUMPY_NAMES.get(ours, ours))
} | {"power", "absolute", "float_power", "reciprocal", "deg2rad", "rad2deg", "sinc", "i0", "angle", "nan_to_num",
     "linspace", "logspace", "geomspace", "interp", "round", "around", "hanning", "hamming", "kaiser", "bartlett",
     "blackman", "square"}  # fmt: skip
#: The errors of NumPy's own functions, in addition to cuarray's.
NUMPYS = 4.5

#: Functions that may give either zero, of 0.0 and -0.0.
EITHER_ZERO = {
    "abs",
    "sort",
    "unique",
    "unique_values",
    "unique_counts",
    "unique_inverse",
    "unique_all",
    "union1d",
    "intersect1d",
    "setdiff1d",
    "setxor1d",
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

#: Functions with another order of additions or multiplications than NumPy's.
SUMS = {
    "sum", "mean", "var", "std", "prod", "cumsum", "cumprod", "cumulative_sum", "cumulative_prod", "dot", "inner",
    "vdot", "vecdot", "matvec", "vecmat", "matmul", "einsum", "trace", "average", "nansum", "nanmean", "nanprod",
    "nanvar", "nanstd", "nancumsum", "nancumprod", "tensordot", "convolve", "correlate", "kron", "cov", "corrcoef",
    "median", "percentile", "quantile", "nanmedian", "nanpercentile", "nanquantile", "gradient", "trapezoid", "reduce",
    "accumulate", "reduceat", "at", "histogram", "histogram2d", "histogramdd", "bincount", "polyval", "polydiv",
    "polymul", "polyadd", "polysub", "polyint", "polyder", "poly", "vander", "cross", "outer", "diff", "ediff1d", "unwrap",
    "apply_along_axis", "apply_over_axes", "matpow", "pad", "linspace", "logspace", "geomspace",
}  # fmt: skip
#: Functions of xp.fft, which are sums.
TRANSFORMS = {f"{i}{name}{n}" for i in ("", "i") for name in ("fft", "rfft") for n in ("", "2", "n")} | {
    "hfft",
    "ihfft",
}
SUMS |= TRANSFORMS
SUM_LIMIT = 64
#: Those that NumPy adds from left to right, products where an array is no plain matrix.
IN_LINE = {"dot", "inner", "vdot", "vecdot", "matvec", "vecmat", "matmul", "einsum", "tensordot", "@",
           "cumsum", "cumulative_sum", "nancumsum", "accumulate"}  # fmt: skip

#: Functions of integers whose results are floats, which out= or at() may make integers again.
FRACTIONAL = INEXACT | {"ldexp", "/", "divide", "true_divide", "sqrt", "cbrt", "at", "mean", "reciprocal"}

UFUNCS = {name for name in dir(np) if isinstance(getattr(np, name), np.ufunc)}


def limit_of(names, dtype, device):
    """Return the permitted error of a statement's result in units in the last place, and whether it is a sum."""
    off = 0.0
    for name in names & INEXACT:
        ours = ca._namespace.aliases.ALIASES.get(name, name)
        off = max(off, oracle.limit(ours, dtype, dtype, device) + NUMPYS)
    if names & {"abs", "absolute"}:
        off = max(off, oracle.limit("hypot", dtype, dtype, device) + NUMPYS)
    of_complex = dtype.kind == "c" or (names & {"divide", "true_divide"} and "unsafe" in names)
    if names & {"**", "//", "%"} or of_complex:
        off = max(off, oracle.limit("pow", dtype, dtype, device) + NUMPYS)
    if names & {"logspace", "geomspace"}:
        off *= EXPONENT
    if dtype.kind == "c" and names & {"exp2", "**", "power", "pow", "float_power"}:
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
