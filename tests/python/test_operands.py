"""Arguments of several arrays: lists join the device of an array, NumPy's arrays only that of the host; out= everywhere."""

import numpy as np
import pytest

import cuarray

CALLS = [
    "isclose(x, h)", "array_equal(h, x)", "array_equiv(x, h)", "kron(x, h)", "cross(x, h)", "convolve(h, x)", "correlate(x, h)", "polyval(h, x)",
    "polyadd(x, h)", "polymul(h, x)", "polydiv(x, h)", "intersect1d(x, h)", "setxor1d(h, x)", "union1d(x, h)", "isin(h, x)", "setdiff1d(x, h)",
    "lexsort([x, h])", "searchsorted(x, h)", "digitize(h, x)", "ix_(i, g)", "ravel_multi_index((i, g), (4, 4))", "choose(i, [x, h, x])", "concat([h, x])",
    "stack([x, h])", "hstack([x, h])", "column_stack([h, x])", "dot(x, h)", "outer(h, x)", "vecdot(x, h)", "einsum('i,i->', h, x)", "broadcast(x, h).shape",
    "tensordot(x, h, 1)", "take(x, g)", "compress(b, x)", "where(x > 1, x, h)", "interp(x, h, h)", "cov(x, h)",
]  # fmt: skip


@pytest.mark.parametrize("call", CALLS)
def test_beside_an_array(call, device):
    """What NumPy gives for arrays alone is given for lists and, on cpu, for NumPy's arrays."""
    host, places = np.asarray([1.0, 2.0, 3.0]), np.asarray([0, 1, 2])
    names = {"x": cuarray.asarray(host), "i": cuarray.asarray(places)}
    lists = {"h": host.tolist(), "g": places.tolist(), "b": [True, False, True]}
    arrays = {"h": host, "g": places, "b": np.asarray(lists["b"])}
    want = eval(f"cuarray.{call}", {"cuarray": cuarray, **names, **{n: cuarray.asarray(v) for n, v in lists.items()}})
    same(eval(f"cuarray.{call}", {"cuarray": cuarray, **names, **lists}), want, device)
    if device == "cpu":
        same(eval(f"cuarray.{call}", {"cuarray": cuarray, **names, **arrays}), want, device)
    else:
        with pytest.raises(TypeError, match="asarray"):
            eval(f"cuarray.{call}", {"cuarray": cuarray, **names, **arrays})


def same(got, want, device):
    """Assert equal results, arrays of the device among them."""
    if isinstance(want, tuple):
        for a, b in zip(got, want, strict=True):
            same(a, b, device)
    elif isinstance(want, cuarray.ndarray):
        assert str(got.device) == device and got.dtype == want.dtype and np.array_equal(got.numpy(), want.numpy())
    else:
        assert got == want


@pytest.mark.parametrize("call", ["dot(a, a, {})", "einsum('ij,jk', a, a, out={})", "matmul(a, a, {})", "choose(i, [a, a], {})", "round(a, 1, {})", "vecdot(a, a, {})"])
def test_out(call, device):
    def run(out):
        return eval(f"cuarray.{call.format('out')}", {"cuarray": cuarray, "a": a, "i": i, "out": out})

    a, i = cuarray.asarray([[1.25, 2.0], [3.0, 4.0]]), cuarray.asarray([[0, 1], [1, 0]])
    plain = run(None)
    for dtype in ("f8", "c16", "f4"):
        out = cuarray.zeros(plain.shape, dtype)
        assert run(out) is out and np.array_equal(out.numpy(), plain.numpy().astype(dtype))
    assert run((out,)) is out
    for wrong, error in ((cuarray.zeros(plain.shape, int), TypeError), (cuarray.zeros((3, *plain.shape)), ValueError), ([1], TypeError)):
        with pytest.raises(error):
            run(wrong)
