"""Operators and functions on cuarray's arrays combined with other libraries' arrays, checked by one rule.

The rule: the result is that of NumPy with a NumPy array in place of cuarray's, by the operator or by the other class's
method for it, in the class that NumPy returns (with cuarray's for NumPy's); or, of classes that are their memory
(`__dlpack__` without NumPy's protocols), cuarray's array of these numbers; or an exception where NumPy raises one; or a
TypeError that says what to write. So units, masks and labels are never dropped, and no comparison falls back to
identity.
"""

import importlib.util
import operator
import re
import warnings

import numpy as np
import pytest

import cuarray

#: Operators, and the corresponding methods of the right operand.
OPERATORS = {
    "add": "radd", "sub": "rsub", "mul": "rmul", "truediv": "rtruediv", "floordiv": "rfloordiv", "mod": "rmod",
    "pow": "rpow", "lshift": "rlshift", "and_": "rand", "matmul": "rmatmul", "divmod": "rdivmod", "eq": "eq", "ne": "ne",
    "lt": "gt", "le": "ge", "gt": "lt", "ge": "le", "iadd": "radd", "isub": "rsub", "imul": "rmul", "itruediv": "rtruediv",
}  # fmt: skip

#: Calls of cuarray's functions with f, another library's array of three elements.
READING = [
    "sum(f)", "prod(f)", "mean(f)", "max(f)", "argmax(f)", "var(f)", "std(f)", "median(f)", "any(f)", "all(f)", "cumsum(f)",
    "cumprod(f)", "diff(f)", "sort(f)", "argsort(f)", "unique(f)", "sin(f)", "sqrt(f)", "abs(f)", "negative(f)", "isnan(f)",
    "add(f, 1)", "multiply(2, f)", "maximum(f, f)", "greater(f, 1)", "clip(f, 1, 2)", "where(f > 0, f, 0)", "round(f)",
    "reshape(f, (3, 1))", "ravel(f)", "flip(f)", "roll(f, 1)", "concatenate([f, f])", "stack([f, f])", "repeat(f, 2)",
    "tile(f, 2)", "take(f, [0, 1])", "dot(f, f)", "outer(f, f)", "matmul(f, f)", "vdot(f, f)", "einsum('i,i', f, f)",
    "asarray(f)", "array(f)", "array([f, f])", "zeros_like(f)", "full_like(f, 2.0)", "searchsorted(f, 2.0)",
    "interp(1.5, f, f)", "histogram(f, 2)[0]", "percentile(f, 50)", "average(f)", "nansum(f)", "pad(f, 1)", "insert(f, 1, 0.0)",
    "append(f, f)", "isin(f, [1.0])", "gradient(f)", "convolve(f, f)", "trapezoid(f)", "add.reduce(f)", "logaddexp(f, f)",
    "nan_to_num(f)", "count_nonzero(f)", "array_equal(f, f)", "meshgrid(f, f)[0]", "broadcast_to(f, (2, 3))", "cov(f)",
]  # fmt: skip

#: Calls of NumPy's functions on x, a cuarray array, and f.
MIXED = [
    "add(x, f)", "add(f, x)", "subtract(x, f)", "multiply(x, f)", "divide(f, x + 1)", "power(x, 2 * (f == f))", "maximum(x, f)",
    "hypot(x, f)", "arctan2(f, x)", "equal(x, f)", "less(f, x)", "logical_and(x, f)", "copysign(x, f)", "multiply.outer(x, f)",
    "concatenate([x, f])", "concatenate([f, x])", "stack([x, f])", "hstack([x, f])", "where(x > 1, x, f)", "where(x > 1, f, 0.0)",
    "dot(x, f)", "vdot(x, f)", "inner(x, f)", "outer(f, x)", "matmul(x, f)", "cross(x, f)", "tensordot(x, f, 1)",
    "einsum('i,i', x, f)", "interp(x, f, f)", "searchsorted(f, x)", "append(x, f)", "insert(x, 1, f)", "isin(x, f)", "union1d(x, f)",
    "allclose(x, f)", "array_equal(x, f)", "clip(x, f, 3.0)", "convolve(x, f)", "trapezoid(x, f)", "copyto(x, f)", "average(x, weights=f)",
    "broadcast_arrays(x, f)[0]", "column_stack([x, f])", "cov(x, f)",
]  # fmt: skip


def need(*modules):
    """Skip if a library is not installed."""
    for module in modules:
        if importlib.util.find_spec(module) is None:
            pytest.skip(f"{module} is not installed")


def outcome(call, *args):
    """Return a call's result, or its exception."""
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        try:
            return call(*args)
        except Exception as error:
            return error


def class_of(x):
    """Return the class of a result; cuarray's and NumPy's arrays and their scalars count as one."""
    return np.ndarray if isinstance(x, (cuarray.ndarray, np.generic)) else type(x)


def content(x):
    """Return the contents of a result: numbers, and units, mask or labels."""
    if isinstance(x, tuple | list):
        return [content(entry) for entry in x]
    if isinstance(x, cuarray.ndarray):
        return np.array2string(x.numpy(), precision=10)
    if class_of(x) is np.ndarray:
        return np.array2string(np.asarray(x), precision=10)
    if hasattr(x, "magnitude"):  # pint's, of a cuarray array or of Python numbers
        own = x.magnitude
        return content(np.asarray(own.numpy() if isinstance(own, cuarray.ndarray) else own, float)) + f" {x.units}"
    text = re.sub(r"\d+\.\d+", lambda number: f"{float(number.group()):.9g}", repr(x))
    return re.sub(r"\s+", " ", re.sub(r",\s*device='.*?'", "", text))


def is_told(error):
    """Whether a TypeError says what to write, or is another library's own."""
    if not isinstance(error, TypeError):
        return False
    last = error.__traceback__
    while last.tb_next:
        last = last.tb_next
    return "write" in str(error) or "site-packages" in last.tb_frame.f_code.co_filename


def is_memory(x):
    """Whether an array of another library is its memory alone: operators with cuarray's arrays compute with it."""
    return hasattr(x, "__dlpack__") and not hasattr(x, "__array_ufunc__") and not hasattr(x, "__array_function__")


def is_alike(ours, theirs):
    if isinstance(ours, Exception) or isinstance(theirs, Exception):
        return isinstance(ours, Exception) and isinstance(theirs, Exception)
    return class_of(ours) is class_of(theirs) and content(ours) == content(theirs)


def judge(ours, *references):
    """Return the fault of an outcome, or nothing; the references are NumPy's."""
    if is_told(ours) or any(is_alike(ours, reference) for reference in references):
        return ""
    return f"{type(ours).__name__} {ours}, and NumPy {[(type(r).__name__, str(r)) for r in references]}"


def faults_of_operators(make, axes, left_out=()):
    """Return the faults of each operator on a cuarray array, 0-d or 1-d, and the result of `make`.

    Operators left out are not tested with cuarray's array as the second operand.
    """
    faults = []
    for name, reflected in OPERATORS.items():
        call = divmod if name == "divmod" else getattr(operator, name)
        for is_first in (True,) if name[0] == "i" or name in left_out else (True, False):
            host = np.arange(1.0, 4.0) if axes else np.asarray(3.0)
            x = cuarray.asarray(host.copy()) if axes else cuarray.arange(4.0)[3]
            pair = (lambda a, f: (a, f)) if is_first else (lambda a, f: (f, a))
            ours = outcome(call, *pair(x, make()))
            references = [outcome(call, *pair(host.copy(), make()))]
            if not axes:
                references.append(outcome(call, *pair(host.copy()[()], make())))  # a value is a number, too
            method = getattr(type(make()), f"__{reflected}__", None)
            if is_memory(make()):
                references.append(
                    outcome(call, *pair(host.copy()[()], np.asarray(make())))
                )  # of a value, NumPy's scalar
            if is_first and method:
                references.append(outcome(method, make(), host.copy()))
            if trouble := judge(ours, *references):
                faults.append(f"{name}, ours {'first' if is_first else 'second'}: {trouble}")
    return faults


def evaluate(text, module, **names):
    return outcome(lambda: eval(f"m.{text}", {"m": module, **names}))


def faults_of_reading(make):
    """Return the faults of cuarray's functions on the result of `make`: expected are its numbers, or TypeError."""
    faults = []
    for text in READING:
        numbers = outcome(lambda: np.asarray(make()))
        if trouble := judge(evaluate(text, cuarray, f=make()), evaluate(text, np, f=numbers)):
            faults.append(f"{text}: {trouble}")
    return faults


def faults_of_refusing(make):
    """Return cuarray's functions that do not reject the result of `make` with a TypeError that says what to write."""
    results = {text: evaluate(text, cuarray, f=make()) for text in READING}
    return [f"{t}: {r!r}" for t, r in results.items() if not (isinstance(r, TypeError) and "write" in str(r))]


def faults_of_mixing(make):
    """Return the faults of NumPy's functions on a cuarray array and the result of `make`."""
    faults = []
    for text in MIXED:
        host = np.arange(1.0, 4.0)
        ours = evaluate(text, np, x=cuarray.asarray(host.copy()), f=make())
        numbers = outcome(lambda: np.asarray(make()))
        reading = evaluate(text, np, x=host.copy(), f=numbers)
        if trouble := judge(ours, evaluate(text, np, x=host.copy(), f=make()), *reading_allowed(make, reading)):
            faults.append(f"{text}: {trouble}")
    return faults


def reading_allowed(make, reading):
    """Return the result for the plain numbers, if the class has no functions of its own."""
    return [] if hasattr(type(make()), "__array_function__") else [reading]
