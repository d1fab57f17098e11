"""out= of every function that has it: invalid outputs are rejected, with an error that names out."""

import ast
import doctest
import inspect
import itertools
import re
from types import FunctionType

import numpy as np
import pytest
from layouts import LAYOUTS
from same import agree, public_type

import cuarray
from cuarray import _core
from cuarray._namespace.aliases import ALIASES


def takes_out(name):
    function = getattr(cuarray, name)
    if isinstance(function, cuarray.ufunc):
        return True
    is_function = isinstance(inspect.unwrap(function), FunctionType | _core.function)
    return is_function and "out" in inspect.signature(function).parameters


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
CASTS = {
    "choose",
    "take",
    "compress",
    "argmax",
    "argmin",
    "nanargmax",
    "nanargmin",  # cast as NumPy's, to bool as well
    "cumsum",
    "cumprod",
    "cumulative_sum",
    "cumulative_prod",
    "nancumsum",
    "nancumprod",
}
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


#: Calls whose results depend on the type of out=: with an operand's own they would wrap, overflow or round.
CHOOSES = """
xp.einsum('i->', u, out=xp.zeros((), 'i8'))
xp.einsum('i->', b, out=xp.zeros((), 'i8'))
xp.einsum('i->', h, out=xp.zeros(()))
xp.einsum('i,i->i', u, u, out=xp.zeros(3, 'i8'))
xp.einsum('i,i->', u, u, out=xp.zeros((), 'i8'))
xp.einsum('i,j->ij', u, u, out=xp.zeros((3, 3), 'f4'))
xp.einsum('ij,jk->ik', u[None], u[:, None], out=xp.zeros((1, 1), 'i8'))
xp.einsum('i,i,i->', u, u, u, out=xp.zeros((), 'i8'))
xp.einsum('i->', u, out=xp.zeros((), 'i8'), dtype='i8')
xp.einsum('i->', f, out=xp.zeros((), 'f2'), casting='same_kind')
xp.einsum('i->', f, out=xp.zeros((), 'i2'), casting='unsafe')
xp.round(h / 7, 2, out=xp.zeros(3))
xp.round(f, 2, out=xp.zeros(3))
xp.round(f, -1, out=xp.zeros(3))
xp.round(f, 1, out=xp.zeros(3, 'c16'))
xp.round(123456 * f.astype('f8'), 2, out=xp.zeros(3, 'f4'))
xp.round(xp.asarray([255], dtype='u1'), -1, out=xp.zeros(1))
f.round(2, out=xp.zeros(3))
xp.fft.fft(f, out=xp.zeros(3, 'c16'))
xp.fft.fft(f.astype('c8'), out=xp.zeros(3, 'c16'))
xp.fft.fft(h / 7, out=xp.zeros(3, 'c16'))
xp.fft.ifft(f, 5, norm='forward', out=xp.zeros(5, 'c16'))
xp.fft.rfft(f, out=xp.zeros(2, 'c16'))
xp.fft.ihfft(f, norm='forward', out=xp.zeros(2, 'c16'))
xp.fft.irfft(f, out=xp.zeros(4))
xp.fft.irfft(f, out=xp.zeros(4, 'c16'))
xp.fft.fft2(f[None], out=xp.zeros((1, 3), 'c16'))
xp.fft.rfftn(f[None], out=xp.zeros((1, 2), 'c16'))
xp.sum(u, out=xp.zeros((), 'u1'))
xp.sum(f, out=xp.zeros(()))
xp.sum(h, out=xp.zeros((), 'f4'))
xp.sum(b, out=xp.zeros((), bool))
xp.sum(xp.asarray([2**62] * 3), out=xp.zeros((), 'f4'))
xp.prod(xp.repeat(u, 4), out=xp.zeros((), 'f4'))
xp.mean(f, out=xp.zeros(()))
xp.mean(f, out=xp.zeros(()), where=b)
xp.ptp(xp.asarray([-100, 100], dtype='i1'), out=xp.zeros((), 'i8'))
xp.ptp(f + xp.asarray(1j, dtype='c8'), out=xp.zeros((), 'c16'))
xp.median(f[:2], out=xp.zeros(()))
xp.quantile(f, 0.8, out=xp.zeros(()))
xp.quantile(f, 0.3, out=xp.zeros(()))
xp.quantile(f.astype('f8'), 0.8, out=xp.zeros((), 'f4'))
xp.percentile(h / 7, [10, 90], out=xp.zeros(2))
xp.nanquantile(xp.concatenate((f, [np.nan]), dtype='f4'), [0.8, 0.3], out=xp.zeros(2))
xp.nansum(f, out=xp.zeros(()))
xp.nanmean(f, out=xp.zeros(()))
xp.trace(xp.diag(u), out=xp.zeros((), 'i8'))
xp.cumsum(u, out=xp.zeros(3, 'f4'))
xp.cumprod(u, out=xp.zeros(3, 'i8'))
xp.add.reduce(u, out=xp.zeros((), 'f4'))
xp.subtract.reduce(u, out=xp.zeros((), 'i8'))
xp.subtract.reduce(u.astype('i8'), out=xp.zeros((), 'f4'))
xp.subtract.accumulate(u, out=xp.zeros(3, 'i8'))
xp.multiply.reduceat(u, [0, 1], out=xp.zeros(2, 'f4'))
xp.hypot.reduce(f, out=xp.zeros(()))
xp.logical_or.reduce(u, out=xp.zeros((), 'i8'))
xp.bitwise_or.reduce(u, out=xp.zeros((), 'i8'))
xp.bitwise_or.reduce(u, out=xp.zeros(()))
xp.outer(u, u, out=xp.zeros((3, 3), 'i8'))
xp.matmul(u, u, out=xp.zeros((), 'i8'))
xp.matmul(f[:1], f[None, :1], out=xp.zeros((), 'f4'))
xp.matmul(f, xp.ones((3, 2), 'f4'), out=xp.zeros((), 'f4'))
xp.add(u, u, out=xp.zeros(3, 'i8'))
xp.dot(u, 2, out=xp.zeros(3, 'i8'))
""".split("\n")[1:-1]
NUMBERS = {
    "u": lambda xp: xp.asarray([200, 100, 99], dtype="u1"),
    "b": lambda xp: xp.asarray([True, False, True]),
    "h": lambda xp: xp.asarray([60000, 50000, 33], dtype="f2"),
    "f": lambda xp: xp.asarray([1 / 3, 22 / 7, 5.4321], dtype="f4"),
}


@pytest.mark.parametrize("expression", CHOOSES)
def test_out_helps_to_choose_the_type(expression, device):
    narrow = "'f4'" in expression.split("out=")[1] or "'f2'" in expression.split("out=")[1]
    agree(expression, NUMBERS, rtol=3e-7 if narrow else 1e-14)


def test_uint64_and_signed_integers_stay_integers(device):
    """NumPy folds in float64."""
    x = cuarray.asarray([2**53, 1], dtype="u8")
    assert cuarray.sum(x, out=cuarray.zeros((), int)).item() == 2**53 + 1
    assert cuarray.cumsum(x, out=cuarray.zeros(2, int)).tolist() == [2**53, 2**53 + 1]
    y = cuarray.asarray([2**31 - 1, 1], dtype="i4")
    assert cuarray.cumsum(y, out=cuarray.zeros(2, "u8")).tolist() == [2**31 - 1, 2**31]
    assert cuarray.subtract.reduce(x, out=cuarray.zeros((), int)).item() == 2**53 - 1


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


#: Calls with out=OUT, on `a` of shape (2, 3), `v` (3,) and `s` without axes; everything about OUT is compared with NumPy.
CALLS = (
    """
matmul(a, a.T) matmul(a, v) matmul(v, v) matmul(a[:1], a.T) matmul(a[None], a.T) matmul(a[:1], a[:1].T)
matmul(a, a.T, axes=[(0, 1), (0, 1), (1, 0)]) vecdot(a, v) vecdot(v, v) vecdot(a[None], v) vecdot(a, v, keepdims=True)
vecdot(a, a, axis=0) vecdot(a, a, axes=[0, 0], keepdims=True) matvec(a, v) vecmat(v, a.T)
quantile(a, 0.5) quantile(a, [0.5, 0.2]) percentile(a, 50, axis=0) quantile(a, [0.5], axis=1, keepdims=True)
nanquantile(a, 0.5) nanpercentile(a, [50], axis=1) nanmedian(a, axis=0) nanmedian(a)
choose([0, 1, 0], a) choose([[0, 1, 0]], [v, s]) take(a, [0, 1]) take(a, [0, 1], axis=0, mode='clip') take(a, 0)
compress([1, 0], a, axis=0) compress([1, 0, 1], a) argmax(a) argmin(a, axis=0) nanargmax(a, axis=1, keepdims=True)
isposinf(s) isneginf(a) outer(v, v) fix(a) round(a, 1) round(a) round(s)
add.reduce(a) maximum.reduce(a, axis=None) logical_and.reduce(a) nanmin(a, axis=0) nanmax(a) add.reduceat(a, [0, 1])
""".replace(") ", ")\n")
    .strip()
    .splitlines()
)
SHAPES = {
    "same": lambda shape: shape,
    "two stacks": lambda shape: (2, *shape),
    "a stack": lambda shape: (1, *shape),
    "an axis more": lambda shape: (*shape, 1),
    "an axis less": lambda shape: shape[1:],
    "longer": lambda shape: (shape[0] + 1, *shape[1:]) if shape else (10,),
    "empty": lambda shape: (0, *shape[1:]),
    "ones grown": lambda shape: tuple(3 if n == 1 else n for n in shape),
}
FORMS = {
    "(y,)": lambda y: (y,), "(y, y)": lambda y: (y, y), "()": lambda y: (), "(None,)": lambda y: (None,),
    "[y]": lambda y: [y], "3": lambda y: 3,
}  # fmt: skip
#: As documented: a sum of reductions is cast by same_kind, and what is no array is a TypeError.
UNSAFE = {"maximum", "add", "nanmin", "nanmax", "nanmedian", "nanquantile", "nanpercentile", "percentile", "quantile"}

#: NumPy before 2.5 asks whether the output can be cast to the elements, and warns of other outputs from then on.
TAKES = {"take", "compress"}


#: NumPy assigns (1, n) to n elements, or does not check the shape.
UNCHECKED = {("an axis less", "nanpercentile(a, [50], axis=1)"), ("an axis more", "add.reduceat(a, [0, 1])")}


def outcome(xp, call, dtype, make):
    """What the call does to an output: the type of its error, or whether it returns the output, and the output."""
    a = xp.asarray(np.asarray([[1.5, 2, 3], [4, 5, 6]]).astype(dtype))
    names = {"xp": xp, "a": a, "v": a[0], "s": xp.asarray(a[0, 0])}
    out = make(xp)
    try:
        result = eval(f"xp.{call[:-1]}, out=OUT)", {**names, "OUT": out})
    except Exception as error:
        return public_type(error)
    array = out[0] if isinstance(out, tuple) and out else out
    return result is array, np.asarray(array.tolist() if hasattr(array, "tolist") else 0)


def compare_outcomes(call, dtype, make, note):
    ours, numpys = outcome(cuarray, call, dtype, make), outcome(np, call, dtype, make)
    if isinstance(numpys, type) or isinstance(ours, type):
        assert ours is numpys, f"{call} of {dtype}, out= {note}: {ours} instead of {numpys}"
    elif numpys[0]:
        assert ours[0], f"{call} of {dtype}, out= {note} returns another array"
        np.testing.assert_allclose(ours[1], numpys[1], err_msg=f"{call} of {dtype}, out= {note}")


@pytest.mark.parametrize("call", CALLS)
@pytest.mark.parametrize("dtype", ["f8", "i4"])
def test_shapes_forms_and_types_of_out(call, dtype, device):
    a = np.asarray([[1.5, 2, 3], [4, 5, 6]]).astype(dtype)
    want = np.asarray(eval(f"np.{call}", {"np": np, "a": a, "v": a[0], "s": a[0, 0]}))
    for note, change in SHAPES.items():
        if (note == "ones grown" and "keepdims" in call) or (note, call) in UNCHECKED:
            continue
        shape = change(want.shape)
        compare_outcomes(call, dtype, lambda xp, shape=shape: xp.zeros(shape, want.dtype), note)
    for note, form in FORMS.items():
        if re.match("quantile|percentile", call) and (note == "(None,)" or "keepdims" in call):
            continue  # by accident, NumPy takes or refuses tuples by the other arguments
        compare_outcomes(call, dtype, lambda xp, form=form: form(xp.zeros(want.shape, want.dtype)), note)
    for other in ("?", "i1", "i8", "u8", "f4", "f8", "c16"):
        name = re.split(r"\W", call)[0]
        if name in UNSAFE | TAKES and not np.can_cast(want.dtype, other, "same_kind"):
            continue
        if name in TAKES and not np.can_cast(other, want.dtype):
            continue
        compare_outcomes(call, dtype, lambda xp, other=other: xp.zeros(want.shape, other), other)


def test_out_of_elements_that_are_taken(device):
    """The output can be cast to the elements, as before NumPy 2.5, or they to it by same_kind, as from then on."""
    x = cuarray.asarray([1, 2, 3], "i4")
    for call in (lambda y: cuarray.take(x, [1], out=y), lambda y: x.compress([0, 1], out=y)):
        for dtype in ("?", "i1", "i2", "i8", "u1", "f4", "f8", "c16"):
            y = cuarray.zeros(1, dtype)
            assert call(y) is y and y.tolist() == [bool(2) if dtype == "?" else 2], dtype
        for dtype in ("u4", "u8"):
            with pytest.raises(TypeError, match=f"from int32 to {np.dtype(dtype)}.*'same_kind'"):
                call(cuarray.zeros(1, dtype))


def test_out_as_an_ellipsis(device):
    """Results without axes are arrays to write to, not values."""
    for call in ("add(1, 1", "add.reduce([1, 2]", "modf(1.5", "matmul([1], [2]", "add.outer(1, 1", "sin.__call__(0"):
        got, want = (eval(f"xp.{call}, out=...)", {"xp": xp}) for xp in (cuarray, np))
        for ours, numpys in zip(*(x if isinstance(x, tuple) else (x,) for x in (got, want)), strict=True):
            assert type(numpys) is np.ndarray
            assert ours.flags.writeable, call
            assert ours.tolist() == numpys.tolist(), call
    for call in ("add(1, 1, ...)", "add.reduce([1], 0, None, ...)", "sum([1], out=...)", "add(1, 1, out=(...,))"):
        agree(f"xp.{call}")
