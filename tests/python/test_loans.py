"""Memory that is lent for the time of a call: arrays over it, and their views, raise afterwards (interop.jax uses it)."""

import pytest

import cuarray
from cuarray import _core


def borrowed(*arrays):
    """Return arrays over the memory of others, as over a library's buffers."""
    device = arrays[0].device
    number = None if device.kind == "cpu" else cuarray.default_stream(device).handle
    return _core.borrow([x.__dlpack__(stream=number, max_version=(1, 0)) for x in arrays], number or 0)


USES = {
    "operator": lambda x: x + 1,
    "ufunc": cuarray.sin,
    "reduction": lambda x: x.sum(),
    "method": lambda x: x.copy(),
    "view": lambda x: x[1:],
    "transpose": lambda x: x.T,
    "element": lambda x: x[0],
    "values": lambda x: x.tolist(),
    "text": repr,
    "numpy": lambda x: x.numpy(),
    "export": lambda x: x.__dlpack__(),
    "assignment": lambda x: x.__setitem__(0, 1),
    "out": lambda x: cuarray.square(cuarray.ones(x.shape, x.dtype), out=x),
    "second operand": lambda x: cuarray.ones(x.shape) + x,
    "joining": lambda x: cuarray.concatenate([cuarray.ones(x.shape), x]),
    "index": lambda x: cuarray.ones(9)[x],
    "matmul": lambda x: x @ x,
    "sort": lambda x: cuarray.sort(x),
    "fuse": lambda x: cuarray.fuse(lambda y: y * 2 + 1)(x),
}


@pytest.mark.parametrize("use", USES.values(), ids=USES)
def test_uses_after_the_loan_raise(use, device):
    owner = cuarray.arange(4)
    x, (view,) = borrowed(owner)[0], [borrowed(owner)[0][::1]]
    views = [x, x[::2], x.reshape(2, 2), x.view("u8")]
    _core.return_loans([x], 0 if device == "cpu" else cuarray.default_stream(device).handle)
    for kept in views:
        with pytest.raises(RuntimeError, match="lent for the time of a call"):
            use(kept)
    assert x.shape == (4,) and x.dtype == owner.dtype and x.ndim == 1 and str(x.device) == device
    assert view.tolist() == owner.tolist() == [0, 1, 2, 3]


def test_reads_and_writes_during_the_loan(device):
    owner, place = cuarray.arange(4.0), cuarray.zeros(4)
    source = owner.view()
    source.flags.writeable = False
    x, out = borrowed(source, place)
    assert not x.flags.writeable and out.flags.writeable
    cuarray.multiply(x, 2, out=out)
    copy = x.copy()
    _core.return_loans([x, out], 0 if device == "cpu" else cuarray.default_stream(device).handle)
    assert place.tolist() == [0, 2, 4, 6] and copy.tolist() == [0, 1, 2, 3]


def test_views_are_counted(device):
    loans = borrowed(cuarray.ones(4), cuarray.ones((2, 3)))
    assert _core.borrowed_views(loans) == 0
    view, capsule = loans[0][1:], loans[1].__dlpack__()
    assert _core.borrowed_views(loans) == 2
    del view, capsule
    assert _core.borrowed_views(loans) == 0


def test_loans_of_no_elements(device):
    (x,) = borrowed(cuarray.zeros((0, 3)))
    assert x.sum() == 0
    _core.return_loans([x], 0 if device == "cpu" else cuarray.default_stream(device).handle)
    with pytest.raises(RuntimeError, match="lent"):
        x + 1


def test_the_owner_waits_for_our_streams(device):
    if device == "cpu":
        return
    owner, other = cuarray.Stream(device), cuarray.Stream(device)
    place = cuarray.zeros(1 << 16, "f4")
    cuarray.synchronize()
    (out,) = borrowed(place)
    with other:
        for _ in range(20):
            out += 1
    _core.return_loans([out], owner.handle)
    driver_stream = cuarray.Stream.from_external(owner.handle, device)
    with driver_stream:
        x = place + 0
    assert float(x.max()) == float(x.min()) == 20


def test_wrong_capsules(device):
    x = cuarray.ones(3)
    capsule = x.__dlpack__(max_version=(1, 0))
    _core.borrow([capsule], 0)
    for wrong in (capsule, object(), x):
        with pytest.raises(ValueError, match="no DLPack capsule"):
            _core.borrow([wrong], 0)
