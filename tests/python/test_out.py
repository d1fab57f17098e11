"""out= of every function that has it: invalid outputs are rejected, with an error that names out."""

import ast
import doctest
import inspect
import itertools

import numpy as np
import pytest
from layouts import LAYOUTS

import cuarray
from cuarray._namespace.aliases import ALIASES


def takes_out(name):
    function = getattr(cuarray, name)
    if isinstance(function, cuarray.ufunc):
        return True
    return inspect.isfunction(inspect.unwrap(function)) and "out" in inspect.signature(function).parameters


def example(name):
    """The statements before the first call in the docstring that has no out=, and the call's tree."""
    before = []
    for one in doctest.DocTestParser().get_examples(inspect.getdoc(getattr(cuarray, name))):
        calls = [node for node in ast.walk(ast.parse(one.source)) if isinstance(node, ast.Call)]
        for call in calls:
            is_of = ast.unparse(call.func) in (f"ca.{name}", f"ca.{ALIASES.get(name)}")
            if is_of and all(k.arg != "out" for k in call.keywords):
                call.func = ast.parse(f"ca.{name}", mode="eval").body
                return before, call
        before.append(one.source)
    raise LookupError(f"the docstring of {name} has no call of it")


def read_only(x):
    x.flags.writeable = False
    return x


WRONG = {
    "int": lambda result: 3,
    "list": lambda result: [1, 2],
    "tuple": lambda result: (cuarray.zeros(1),) * 4,
    "shape": lambda result: cuarray.zeros((*result.shape[:-1], result.shape[-1] + 1)),
    "type": lambda result: cuarray.zeros(result.shape, bool),
    "read-only": lambda result: read_only(cuarray.zeros(result.shape, result.dtype)),
}
#: Functions that compute in the type of out=, as NumPy's do.
CASTS = {"cumsum", "cumprod", "cumulative_sum", "cumulative_prod", "nancumsum", "nancumprod"}
NAMES = [name for name in cuarray.__all__ if takes_out(name)]


@pytest.mark.parametrize("name", NAMES)
def test_what_out_cannot_be(name, device):
    """Read-only arrays included: a write to them is an error (nanobind #1122, #206)."""
    before, call = example(name)
    names = {"ca": cuarray}
    for line in before:
        exec(line, names)
    results = eval(ast.unparse(call), names)
    first = results[0] if isinstance(results, tuple) else results
    call.keywords.append(ast.keyword("out", ast.Name("OUT")))
    for kind, make in WRONG.items():
        if (kind == "shape" and first.ndim == 0) or (kind == "type" and (first.dtype == bool or name in CASTS)):
            continue  # broadcast to any shape; cast to any type
        out = make(first)
        # NumPy's way for functions with several results.
        names["OUT"] = (out, *[None] * (len(results) - 1)) if isinstance(results, tuple) and kind != "tuple" else out
        with pytest.raises((TypeError, ValueError), match=rf"^{name}\b.*\bout(put)?\b"):
            eval(ast.unparse(call), names)


def test_there_are_many():
    assert len(NAMES) >= 150


@pytest.mark.parametrize("dtype", ["?", "i2", "f4", "f8", "c16"])
@pytest.mark.parametrize("shape", [(5,), (3, 4), (2, 3, 4), (2, 2, 3, 5), (3, 40), (2, 3, 2, 100)])
def test_results_of_any_layout(shape, dtype, device, rng):
    """In place, into other elements and into overlapping ones; few elements and more of them."""
    x, y = (rng.integers(0, 9, shape).astype(dtype) for _ in range(2))
    function = "logical_xor" if dtype == "?" else "add"
    want = getattr(np, function)(x, y)
    for left, right in itertools.product(LAYOUTS, LAYOUTS):
        note = f"{left.__name__} {right.__name__}"
        ours, others = left(x.copy()), right(y)
        got = getattr(cuarray, function)(ours, others, out=ours)
        assert got is ours
        np.testing.assert_array_equal(ours.numpy(), want, note)
        np.testing.assert_array_equal(others.numpy(), y, note)
        result = left(np.zeros_like(x))
        getattr(cuarray, function)(right(y), cuarray.asarray(x), out=result)
        np.testing.assert_array_equal(result.numpy(), want, note)
    for step in (1, -1):
        ours, wanted = cuarray.asarray(x.copy()), x.copy()
        getattr(cuarray, function)(ours[..., 1:], ours[..., :-1], out=ours[..., 1:][..., ::step])
        getattr(np, function)(wanted[..., 1:], wanted[..., :-1], out=wanted[..., 1:][..., ::step])
        np.testing.assert_array_equal(ours.numpy(), wanted)
        ours[..., 1:] = ours[..., :-1]
        wanted[..., 1:] = wanted[..., :-1]
        ours[:] = ours
        np.testing.assert_array_equal(ours.numpy(), wanted)
