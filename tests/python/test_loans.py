"""Memory that is lent for the time of a call: arrays over it, and their views, raise afterwards (interop.jax uses it)."""

import pytest

import cuarray
from cuarray import _core


class Context:
    """What a library tells of a call: the stream that it works on."""

    def __init__(self, device, stream=None):
        self.stream = 0 if str(device) == "cpu" else (stream or cuarray.default_stream(device)).handle


def lend(work, results, *arguments, if_kept=None, stream=None):
    """Call `work` with arrays over the memory of others, as over a library's buffers."""
    _core.lend(work, if_kept, Context(results[0].device, stream), results, *arguments)


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
    owner, views = cuarray.arange(4), []

    def work(results, _arguments):
        (x,) = results
        assert x.tolist() == [0, 1, 2, 3]
        views.extend([x, x[::2], x.reshape(2, 2), x.view("u8")])

    lend(work, [owner])
    for kept in views:
        with pytest.raises(RuntimeError, match="lent for the time of a call"):
            use(kept)
    assert views[0].shape == (4,) and views[0].dtype == owner.dtype and str(views[0].device) == device
    assert owner.tolist() == [0, 1, 2, 3]


def test_reads_and_writes_during_the_loan(device):
    owner, place, copies = cuarray.arange(4.0), cuarray.zeros(4), []
    source = owner.view()
    source.flags.writeable = False

    def work(results, arguments):
        (out,), (x,) = results, arguments
        assert not x.flags.writeable and out.flags.writeable
        cuarray.multiply(x, 2, out=out)
        copies.append(x.copy())

    lend(work, (place,), source)
    assert place.tolist() == [0, 2, 4, 6] and copies[0].tolist() == [0, 1, 2, 3]


def test_the_owners_device_is_current(device):
    seen = []
    lend(lambda *_: seen.append(str(cuarray.zeros(1).device)), [cuarray.ones(3, device=device)])
    with cuarray.device("cpu"):
        lend(lambda *_: seen.append(str(cuarray.zeros(1).device)), [cuarray.ones(3, device=device)])
        assert str(cuarray.zeros(1).device) == "cpu"
    assert seen == [device, device]


def test_views_that_are_kept(device):
    kept = []
    arrays = [cuarray.ones(4), cuarray.ones((2, 3))]
    for keep in (lambda x: x[1:], lambda x: x.__dlpack__(), cuarray.ravel):
        with pytest.raises(RuntimeError, match="a view was kept"):
            lend(lambda results, _: kept.append(keep(results[1])), arrays, if_kept="a view was kept")
        lend(lambda results, _: kept.append(keep(results[1])), arrays)
    cycle = []
    lend(lambda results, _: cycle.append([results[0][1:], cycle]) or cycle.clear(), arrays, if_kept="a view was kept")
    assert arrays[0].tolist() == [1, 1, 1, 1]


def test_a_failure_ends_the_loan(device):
    owner, seen = cuarray.arange(4), []

    def work(results, _arguments):
        seen.append(results[0][1:])
        raise LookupError("within the call")

    for if_kept in ("a view was kept", None):
        with pytest.raises(LookupError, match="within the call"):
            lend(work, [owner], if_kept=if_kept)
        with pytest.raises(RuntimeError, match="lent"):
            seen[-1].sum()
    assert owner.tolist() == [0, 1, 2, 3] and str(cuarray.zeros(1).device) == device


def test_loans_of_no_elements(device):
    seen = []
    lend(lambda results, _: seen.append((results[0], results[0].sum())), [cuarray.zeros((0, 3))])
    assert seen[0][1] == 0
    with pytest.raises(RuntimeError, match="lent"):
        seen[0][0] + 1


def test_the_owner_waits_for_our_streams(device):
    if device == "cpu":
        return
    owner, other = cuarray.Stream(device), cuarray.Stream(device)
    place = cuarray.zeros(1 << 16, "f4")
    cuarray.synchronize()

    def work(results, _arguments):
        (out,) = results
        assert cuarray.current_stream(device).handle == owner.handle
        with other:
            for _ in range(20):
                out += 1

    lend(work, [place], stream=owner)
    driver_stream = cuarray.Stream.from_external(owner.handle, device)
    with driver_stream:
        x = place + 0
    assert float(x.max()) == float(x.min()) == 20


def test_results_are_written_to_or_stored(device):
    stored = []

    def lend_out(function):
        place = cuarray.zeros(3)
        context = Context(device)
        _core.lend_out(function, lambda *found: stored.append(found), None, context, [place], cuarray.arange(3.0))
        return place.tolist()

    assert lend_out(lambda x, out: cuarray.add(x, 1, out=out)) == [1, 2, 3] and not stored
    assert lend_out(lambda x, out: x.copy()) == [0, 0, 0] and stored[0][1].tolist() == [0, 1, 2]
    with pytest.raises(RuntimeError, match="lent"):
        stored[0][0][0].sum()
    with pytest.raises(TypeError, match="out"):
        lend_out(lambda x: x)


def test_wrong_producers(device):
    x = cuarray.ones(3)

    class Producer:
        def __init__(self, gives):
            self.gives = gives

        def __dlpack_device__(self):
            return x.__dlpack_device__()

        def __dlpack__(self, stream, max_version):
            return self.gives

    def work(results, arguments):
        raise AssertionError("work is not called")

    for wrong in (object(), x):
        for buffers in ([[Producer(wrong)]], [[x], Producer(wrong)]):
            with pytest.raises(ValueError, match="no DLPack capsule"):
                _core.lend(work, None, Context(device), *buffers)
    with pytest.raises(AttributeError, match="__dlpack__"):
        lend(work, [x], 1.0)
    with pytest.raises(AttributeError, match="__dlpack_device__"):
        _core.lend(work, None, Context(device), [1.0])
    with pytest.raises(TypeError, match="results"):
        _core.lend(work, None, Context(device), 1.0)
    lend(lambda *_: None, [x])
