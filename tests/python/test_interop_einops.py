"""einops, by its functions and by those for the Array API, and opt_einsum on our arrays: NumPy's results, as arrays of ours."""

import importlib
import subprocess
import sys

import numpy as np
import pytest
from foreign import need

import cuarray

#: Patterns of rearrange for an array of shape (2, 3, 4), and sizes of axes.
REARRANGED = [
    ("a b c -> c b a", {}), ("a b c -> (a b) c", {}), ("a b c -> a (c b)", {}), ("a b c -> (a b c)", {}), ("a b c -> b 1 (a c)", {}),
    ("a b (c d) -> d a b c", {"d": 2}), ("... c -> c ...", {}), ("a ... -> ... a", {}),
]  # fmt: skip
REDUCED = ["a b c -> a", "a b c -> c a", "a b (c d) -> a d", "a b c -> 1 b 1", "... c -> ...", "a b c ->"]
#: opt_einsum's subscripts for operands of shapes (2, 3, 4), (4, 3) and (3,).
CONTRACTED = ["abc,cd,d->ab", "abc,cb,b->a", "abc,cb,b->", "abc,cd,e->eba", "abc,cb,b->abc"]


@pytest.fixture(autouse=True)
def installed():
    need("einops", "opt_einsum")


@pytest.fixture(params=["einops", "einops.array_api"])
def functions(request):
    """einops' functions, and those for the Array API."""
    importlib.import_module("cuarray.interop.einops")
    return importlib.import_module(request.param)


def pair(shape=(2, 3, 4), dtype="f8"):
    """Return the same numbers as an array of ours and as NumPy's."""
    host = (np.arange(np.prod(shape)) % 7 + 1).astype(dtype).reshape(shape)
    return cuarray.asarray(host), host


def agree(ours, theirs, device):
    assert isinstance(ours, cuarray.ndarray) and ours.device == device and ours.dtype == theirs.dtype
    np.testing.assert_allclose(ours.numpy(), theirs, rtol=1e-14)


@pytest.mark.parametrize(("pattern", "sizes"), REARRANGED)
def test_rearrange(pattern, sizes, functions, device):
    import einops

    for dtype in ("f8", "i4", "?", "c8"):
        x, host = pair(dtype=dtype)
        agree(functions.rearrange(x, pattern, **sizes), einops.rearrange(host, pattern, **sizes), device)
    agree(
        functions.rearrange([x, x], "n a b c -> a n (b c)"),
        einops.rearrange([host, host], "n a b c -> a n (b c)"),
        device,
    )
    assert cuarray.shares_memory(functions.rearrange(x, "a b c -> c a b"), x)


@pytest.mark.parametrize("pattern", REDUCED)
@pytest.mark.parametrize("reduction", ["sum", "mean", "min", "max", "prod"])
def test_reduce(pattern, reduction, functions, device):
    import einops

    x, host = pair()
    sizes = {"d": 2} if "d" in pattern else {}
    agree(
        functions.reduce(x, pattern, reduction, **sizes),
        einops.reduce(host, pattern, reduction, **sizes),
        device,
    )


def test_repeat(functions, device):
    import einops

    x, host = pair()
    for pattern in ("a b c -> a n b c", "a b c -> a (b n) c", "a b c -> (n a) b c", "a b c -> a b c n"):
        agree(functions.repeat(x, pattern, n=3), einops.repeat(host, pattern, n=3), device)


def test_pack_and_unpack(functions, device):
    import einops

    x, host = pair()
    packed, shapes = functions.pack([x, x[:, 0], x[..., :1]], "a *")
    expected, their_shapes = einops.pack([host, host[:, 0], host[..., :1]], "a *")
    agree(packed, expected, device)
    assert shapes == their_shapes
    parts = functions.unpack(packed, shapes, "a *")
    for part, other in zip(parts, einops.unpack(expected, their_shapes, "a *"), strict=True):
        agree(part, other, device)


@pytest.mark.parametrize("subscripts", CONTRACTED)
def test_contract(subscripts, device):
    import opt_einsum

    for dtype in ("f8", "c16"):
        operands, hosts = zip(*(pair(shape, dtype) for shape in ((2, 3, 4), (4, 3), (3,))), strict=True)
        expected = opt_einsum.contract(subscripts, *hosts)
        agree(opt_einsum.contract(subscripts, *operands), expected, device)
        expression = opt_einsum.contract_expression(subscripts, *(host.shape for host in hosts))
        agree(expression(*operands), expected, device)
        expression = opt_einsum.contract_expression(
            subscripts, operands[0], *(h.shape for h in hosts[1:]), constants=[0]
        )
        agree(expression(*operands[1:]), expected, device)


def test_what_only_einops_own_functions_have(device):
    import einops

    importlib.import_module("cuarray.interop.einops")
    x, host = pair()
    y, other = pair((4, 5))
    agree(einops.einsum(x, y, "a b c, c d -> a d b"), einops.einsum(host, other, "a b c, c d -> a d b"), device)
    agree(
        einops.rearrange([x, x], "n a b c -> a (n b) c"), einops.rearrange([host, host], "n a b c -> a (n b) c"), device
    )
    assert einops.parse_shape(x, "a b _") == {"a": 2, "b": 3}
    agree(einops.reduce(x, "a b c -> b", lambda t, axes: t.max(axes) - t.min(axes)), np.ptp(host, (0, 2)), device)
    backend = einops._backends.get_backend(x)
    assert type(backend).__module__ == "cuarray.interop.einops"
    assert backend.to_numpy(x).tolist() == host.tolist() and type(backend.from_numpy(host)) is cuarray.ndarray
    assert backend.arange(1, 3).tolist() == [1, 2]
    with pytest.raises(NotImplementedError, match="non-floating"):
        einops.reduce(x.astype(int), "a b c -> a", "mean")


def test_einops_itself_does_not_import_us():
    code = "import sys, einops, numpy as np; einops.rearrange(np.ones((2, 3)), 'a b -> b a'); print('cuarray' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "False\n"
