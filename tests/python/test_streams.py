"""Streams, events, graphs and kinds of memory: required and unnecessary waits, and values seen by the host."""

import ctypes
import gc
import os
import subprocess
import sys
import threading
import types
import weakref

import numpy as np
import pytest
from capsules import consume, open_capsule
from peers import complaints

import cuarray

SIZE = 5000


@pytest.fixture
def remote(device):
    """A device whose memory the host cannot read."""
    if device == "cpu":
        pytest.skip("cpu runs everything at the call")
    return device


def counting(first=0):
    return cuarray.arange(first, first + SIZE, dtype="float64")


def test_streams_have_names_devices_and_identity(device):
    stream = cuarray.Stream()
    assert stream.device == device and stream == stream and stream != cuarray.Stream() and stream != 3
    assert hash(stream) == hash(stream) and device in repr(stream) and not stream.is_external
    assert cuarray.current_stream() == cuarray.default_stream() != stream
    assert weakref.ref(stream)() is stream
    assert cuarray.Stream(device="cpu").device == "cpu"
    with pytest.raises(ValueError):
        cuarray.Stream(device="cuda:77")
    with pytest.raises(TypeError):
        cuarray.Stream(priority=1.5)


def test_priorities_are_clamped(remote):
    assert cuarray.Stream(priority=7).priority == 0 > cuarray.Stream(priority=-1).priority == -1
    assert cuarray.Stream(priority=-1000).priority >= -100


def test_the_current_stream_is_the_innermost_and_the_thread_s(device):
    outer, inner, seen = cuarray.Stream(), cuarray.Stream(), []
    with outer as entered:
        assert entered is outer and cuarray.current_stream() == outer
        with inner:
            assert cuarray.current_stream() == inner
            thread = threading.Thread(target=lambda: seen.append(cuarray.current_stream(device)))
            thread.start()
            thread.join()
        with pytest.raises(ZeroDivisionError), inner:
            raise ZeroDivisionError
        assert cuarray.current_stream() == outer
    assert cuarray.current_stream() == cuarray.default_stream() == seen[0]


def test_each_device_has_its_own_current_stream(remote):
    with cuarray.Stream() as stream:
        assert cuarray.current_stream() == stream
        assert cuarray.current_stream("cpu") == cuarray.default_stream("cpu")
        with cuarray.Stream(device="cpu"):
            assert cuarray.current_stream() == stream


def test_work_on_one_stream_is_seen_on_another(device):
    streams = [cuarray.Stream() for _ in range(3)] + [cuarray.default_stream()]
    x = counting()
    expected = x.numpy()
    for step in range(24):
        with streams[step % 4]:
            x = x * 2 - counting()
        expected = expected * 2 - np.arange(SIZE)
        expected, x = expected % 1001, x % 1001
    np.testing.assert_array_equal(x.numpy(), expected)


def test_writes_wait_for_readers_on_other_streams(device):
    a, b, writer = cuarray.Stream(), cuarray.Stream(), cuarray.Stream()
    for step in range(12):
        x = counting(step)
        with a:
            first = x + 1
        with b:
            second = x.sum()
        with writer:
            x[...] = -1
        expected = np.arange(step, step + SIZE, dtype="float64")
        np.testing.assert_array_equal(first.numpy(), expected + 1)
        assert float(second) == expected.sum()
        assert (x.numpy() == -1).all()


def test_memory_freed_on_one_stream_is_not_used_too_early_by_another(device):
    a, b = cuarray.Stream(), cuarray.Stream()
    for step in range(30):
        with a:
            x = counting(step)
        with b:
            y = x * 3
            del x
        with a:
            z = cuarray.full(SIZE, -5.0)
        np.testing.assert_array_equal(y.numpy(), np.arange(step, step + SIZE) * 3.0)
        assert (z.numpy() == -5).all()


def test_a_dropped_stream_finishes_its_work(device):
    for step in range(20):
        stream = cuarray.Stream()
        with stream:
            x = counting(step) + 1
        del stream
        gc.collect()
        with cuarray.Stream():
            y = x * 2
        np.testing.assert_array_equal(y.numpy(), (np.arange(step, step + SIZE) + 1.0) * 2)


@pytest.mark.parametrize("what", ["stream", "event"])
def test_streams_wait_for_streams_and_events(device, what):
    first, second = cuarray.Stream(), cuarray.Stream()
    with first:
        x = counting() + 1
    event = first.record()
    second.wait(event if what == "event" else first)
    second.wait(cuarray.Stream(device="cpu"))
    with second:
        y = x + 1
    second.synchronize()
    assert second.query() and second.is_done() and event.query()
    np.testing.assert_array_equal(y.numpy(), np.arange(SIZE) + 2.0)
    cuarray.Stream(device="cpu").wait(second)
    with pytest.raises(TypeError):
        second.wait("soon")


def test_queries_end(device):
    stream = cuarray.Stream()
    with stream:
        x = counting() + 1
    event = stream.record()
    while not event.query():
        pass
    while not stream.query():
        pass
    assert float(x[0]) == 1


def test_events_measure_time(device):
    start, end = cuarray.Event(timing=True), cuarray.Event(timing=True)
    assert start.device == device and start.timing and start.query() and "timing" in repr(start)
    with pytest.raises(ValueError, match="recorded"):
        end - start
    assert start.record() is start
    x = counting().sum()
    cuarray.current_stream().record(end)
    end.synchronize()
    assert end - start == end.elapsed_ms(start) >= 0
    assert (start - end) <= 0 and float(x) == SIZE * (SIZE - 1) / 2
    if start - end < 0:
        with pytest.raises(ValueError, match=r"write end.elapsed_ms\(start\)"):
            start.elapsed_ms(end)
    with pytest.raises(ValueError, match="timing=True"):
        end - cuarray.Event().record()
    with pytest.raises(TypeError):
        end - 3


def test_events_belong_to_their_device(remote):
    event = cuarray.Event()
    with pytest.raises(ValueError, match=r"cannot be recorded on a stream of cpu"):
        cuarray.Stream(device="cpu").record(event)
    with pytest.raises(ValueError):
        cuarray.Event(timing=True).record() - cuarray.Event(timing=True, device="cpu").record()


def test_an_event_recorded_anew_means_the_new_moment(device):
    stream, event = cuarray.Stream(), cuarray.Event()
    for step in range(10):
        with stream:
            x = counting(step) * 2
        event.record(stream)
        event.synchronize()
        assert event.query() and float(x[1]) == 2 * (step + 1)


def test_protocol_of_streams(device):
    stream = cuarray.Stream()
    if device == "cpu":
        assert stream.handle == 0 and not hasattr(stream, "__cuda_stream__")
        with pytest.raises(ValueError):
            cuarray.Stream.from_external(5)
        return
    assert stream.__cuda_stream__() == (0, stream.handle) and stream.handle > 2
    assert cuarray.Stream.from_external(stream) == stream
    assert cuarray.Stream.from_external(stream.handle) == stream
    for legacy in (0, 1):
        assert cuarray.Stream.from_external(legacy) == cuarray.default_stream()
    with pytest.raises(ValueError, match="per-thread"):
        cuarray.Stream.from_external(2)
    with pytest.raises(ValueError):
        cuarray.Stream.from_external(-1)

    class Newer:
        def __cuda_stream__(self):
            return 7, stream.handle

    class Torch:
        cuda_stream = stream.handle

    class CuPy:
        ptr = stream.handle

    with pytest.raises(ValueError, match="version 7"):
        cuarray.Stream.from_external(Newer())
    with pytest.raises(TypeError, match="__cuda_stream__"):
        cuarray.Stream.from_external("stream")
    assert cuarray.Stream.from_external(Torch()) == cuarray.Stream.from_external(CuPy()) == stream


@pytest.mark.parametrize("number", [-1, 1 << 63, 1 << 64, 1 << 200, -(1 << 63)])
def test_handles_are_addresses(number):
    """Python's own errors, not those of the binding with the text of its signature."""

    class Said:
        def __cuda_stream__(self):
            return 0, number

    for stream in (number, Said()):
        with pytest.raises(ValueError, match=f"{number} is no stream handle"):
            cuarray.Stream.from_external(stream, "cpu")


def test_small_numbers_are_no_handles_on_gpus(remote):
    """A driver crashes on them; in the exchange of arrays, too."""
    x = cuarray.ones(3, device=remote) + 1
    for number in (3, 5, 4095):
        with pytest.raises(ValueError, match=f"{number} is no stream handle"):
            cuarray.Stream.from_external(number, remote)
    with pytest.raises(ValueError, match="5 is no stream handle"):
        (x + 1).__dlpack__(stream=5)
    assert float(x.sum()) == 6


@pytest.mark.parametrize("answer", [None, 5, (0,), (0, 1, 2), (0, None), (0, "1"), (0, 1.5), {"version": 0}], ids=str)
def test_what_cuda_stream_may_not_answer(answer):
    called = type("Called", (), {"__cuda_stream__": lambda self: answer})()
    told = type("Told", (), {"__cuda_stream__": answer})()
    for stream in (called, *([told] if answer is not None else [])):
        with pytest.raises(TypeError, match="stream"):
            cuarray.Stream.from_external(stream, "cpu")


def test_streams_of_other_devices(remote):
    if len(cuarray.devices()) < 3:
        pytest.skip("one GPU is present")
    other = cuarray.Stream(device="cuda:1")
    with pytest.raises(ValueError, match="does not belong to cuda:0"):
        cuarray.Stream.from_external(other.handle, "cuda:0")
    for device in ("cuda:0", "cpu"):
        with pytest.raises(ValueError, match=f"belongs to cuda:1, not to {device}"):
            cuarray.Stream.from_external(other, device)
    assert cuarray.Stream.from_external(other) == cuarray.Stream.from_external(other, "cuda:1") == other
    x = counting()
    with other, cuarray.device("cuda:1"):
        y = x.to_device("cuda:1") + 1
    x[...] = 0
    np.testing.assert_array_equal(y.numpy(), np.arange(SIZE) + 1.0)
    z = y.to_device("cuda:0")
    y[...] = 0
    np.testing.assert_array_equal(z.numpy(), np.arange(SIZE) + 1.0)


def test_synchronize_waits_for_all_streams(device):
    streams = [cuarray.Stream() for _ in range(3)]
    arrays = []
    for stream in streams:
        with stream:
            arrays.append(counting() + 1)
    cuarray.synchronize(device)
    assert all(stream.query() for stream in streams)
    cuarray.device(device).synchronize()


@pytest.mark.parametrize("what", ["event", "stream"])
def test_a_stream_that_only_waits_is_not_done(device, what):
    """A wait is work of its stream: when it has been waited for, so has what it waits for."""
    first, second = cuarray.Stream(), cuarray.Stream()
    for _ in range(3):
        second.synchronize()
        with first:
            x = counting() + 1
        event = first.record()
        second.wait(event if what == "event" else first)
        second.synchronize()
        assert second.is_done() and event.query() and x.size


def test_faults_come_to_who_waits(remote):
    with cuarray.Stream() as stream:
        cuarray.asarray([2, 3]) ** cuarray.asarray([1, -1])
        with pytest.raises(ValueError, match="negative integer powers"):
            stream.synchronize()
        stream.synchronize()


def test_a_stream_s_next_fault_is_found_too(remote):
    """The last fault report is reset before anything else runs, on any stream."""
    with cuarray.Stream() as stream:
        powers = cuarray.asarray([1, -1])
        for _ in range(3):
            2**powers + 0
            with pytest.raises(ValueError, match="negative integer powers"):
                stream.synchronize()


def test_one_fault_speaks_for_all_that_was_queued(remote):
    """All work is waited for before faults are checked again."""
    first, second, powers = cuarray.Stream(), cuarray.Stream(), cuarray.asarray([1, -1])
    with first:
        2**powers + 0
    second.wait(first)
    with second:
        2**powers + 0
    with pytest.raises(ValueError, match="negative integer powers"):
        first.synchronize()
    second.synchronize()


# Kinds of memory.


@pytest.mark.parametrize("memory", ["device", "direct", "pinned", "managed"])
@pytest.mark.parametrize("shape", [(), (0,), (7,), (3, 4)])
def test_kinds_of_memory(device, memory, shape):
    for order in "CF":
        x = cuarray.empty(shape, dtype="float32", order=order, memory=memory)
        assert x.device == ("cpu" if memory == "pinned" else device)
        assert x.flags.c_contiguous if order == "C" else x.flags.f_contiguous
        x[...] = 3
        assert (x.numpy() == 3).all() and x.shape == shape
        y = (x + 1).to_device(device) * 2
        assert (y.numpy() == 8).all()
    for make, value in ((cuarray.zeros, 0), (cuarray.ones, 1)):
        made = make(shape, memory=memory)
        assert (made.numpy() == value).all() and made.dtype == "float64"
    made = cuarray.full(shape, 5, memory=memory)
    assert (made.numpy() == 5).all() and made.dtype == "int64"
    assert cuarray.full(shape, 5, dtype="int8", memory=memory).dtype == "int8"


def test_unknown_kinds_of_memory(device):
    for bad in ("host", 3, ""):
        with pytest.raises(ValueError, match="memory must be"):
            cuarray.empty(3, memory=bad)


def test_memory_that_is_kept_is_used_again_when_its_users_are_done(device):
    for memory in ("direct", "pinned", "managed"):
        for step in range(20):
            with cuarray.Stream():
                x = cuarray.full(SIZE, float(step), memory=memory)
                y = x.to_device(device) + 1
                del x
            assert (y.numpy() == step + 1).all()


# Each of these must wait; all return element 0 of an array of equal elements.
LOOKS = {
    "item": lambda x: float(x[0]),
    "operation": lambda x: float((x * 2)[0]) / 2,
    "reduction": lambda x: float(x.sum()) / SIZE,
    "fold": lambda x: float(cuarray.maximum.reduce(x)),
    "index": lambda x: float(x[cuarray.asarray([0], device="cpu")][0]),
    "mask": lambda x: float(x[cuarray.ones(SIZE, dtype=bool, device="cpu")][0]),
    "copy": lambda x: float(x.copy()[0]),
    "numpy": lambda x: x.numpy()[0],
    "view": lambda x: np.asarray(x)[0],
    "buffer": lambda x: memoryview(x)[0],
    "dlpack": lambda x: np.from_dlpack(x)[0],
}


@pytest.mark.parametrize("look", LOOKS)
def test_pinned_arrays_wait_for_copies(device, look):
    """Pinned memory is exported as the host's, once it is written (jax #22346, #37896; pytorch #136250)."""
    x, stream = cuarray.zeros(SIZE), cuarray.Stream(device=device)
    pinned = cuarray.empty(SIZE, memory="pinned")
    for step in range(6):
        with stream:
            x += 1
            cuarray.copyto(pinned, x)
        assert LOOKS[look](pinned) == step + 1


@pytest.mark.parametrize(
    "overwrite",
    [
        lambda x: x.__setitem__(..., -1),
        lambda x: cuarray.sum(cuarray.ones((3, SIZE), device="cpu"), axis=0, out=x),
        lambda x: x.__setitem__(cuarray.arange(SIZE, device="cpu"), -1),
        lambda x: np.asarray(x).fill(-1),
        lambda x: cuarray.copyto(x, cuarray.ones(SIZE, device="cpu")),
    ],
)
def test_pinned_arrays_are_not_overwritten_while_they_are_copied(device, overwrite):
    stream = cuarray.Stream(device=device)
    pinned = cuarray.empty(SIZE, memory="pinned")
    for step in range(10):
        pinned[...] = step
        x = cuarray.empty(SIZE)
        with stream:
            cuarray.copyto(x, pinned)
        overwrite(pinned)
        assert (x.numpy() == step).all()


def test_pinned_memory_outlives_its_array_while_a_copy_runs(device):
    stream = cuarray.Stream(device=device)
    shape = (7, SIZE)  # in a separate size class: no other test has left blocks there
    for step in range(10):
        x = cuarray.full(shape, float(step), memory="pinned").to_device(device, stream=stream)
        others = [cuarray.full(shape, -1.0, memory="pinned") for _ in range(step + 1)]
        assert (x.numpy() == step).all()
        del others


def test_copies_between_devices_cast_broadcast_and_refuse(device):
    pinned = cuarray.full((3, 4), 7, dtype="int32", memory="pinned")
    x = cuarray.empty((3, 4), dtype="float64", device=device)
    cuarray.copyto(x, pinned)
    assert (x.numpy() == 7).all()
    cuarray.copyto(x, pinned[0] * 2)
    assert (x.numpy() == 14).all()
    cuarray.copyto(x[:, ::-1], cuarray.arange(4, device="cpu"))
    np.testing.assert_array_equal(x.numpy(), np.broadcast_to([3, 2, 1, 0], (3, 4)))
    cuarray.copyto(pinned.T, x.T, casting="unsafe")
    np.testing.assert_array_equal(pinned.numpy(), np.broadcast_to([3, 2, 1, 0], (3, 4)))
    with pytest.raises(TypeError, match="same_kind"):
        cuarray.copyto(pinned, x)
    with pytest.raises(ValueError):
        cuarray.copyto(pinned[:2], x, casting="unsafe")
    with pytest.raises(ValueError, match="read-only"):
        cuarray.copyto(cuarray.broadcast_to(pinned, (2, 3, 4)), x, casting="unsafe")


def test_to_device_takes_a_stream(device):
    stream = cuarray.Stream(device=device)
    x = cuarray.arange(SIZE, device="cpu").to_device(device, stream=stream)
    y = (x + 1).to_device("cpu", stream=stream)
    np.testing.assert_array_equal(y.numpy(), np.arange(SIZE) + 1)


def test_numpy_without_waiting(device):
    x = counting()
    stream = cuarray.Stream()
    pinned = cuarray.empty(SIZE, memory="pinned")
    with stream:
        out = pinned.numpy() if device == "cpu" else np.asarray(pinned)
        assert (x + 1).numpy(out=out, blocking=False) is out
        fresh = (x + 2).numpy(blocking=False)
        cast = np.empty(SIZE, "float32")
        (x + 3).numpy(out=cast, blocking=False)
    np.testing.assert_array_equal(cast, np.arange(SIZE) + np.float32(3))
    stream.synchronize()
    np.testing.assert_array_equal(out, np.arange(SIZE) + 1.0)
    np.testing.assert_array_equal(fresh, np.arange(SIZE) + 2.0)
    locked = np.empty(SIZE)
    locked.flags.writeable = False
    with pytest.raises(ValueError, match="read-only"):
        x.numpy(out=locked, blocking=False)


# Graphs.


def test_graphs_run_again_on_the_same_arrays(device):
    x, total = counting(), cuarray.zeros(())
    graph = cuarray.Graph()
    assert graph.device == device and not graph.is_captured and "not captured" in repr(graph)
    with graph.capture():
        y = (x * 2 + 1)[::-1]
        z = y.reshape(50, 100).sum(axis=0)
        total += z.max()
    assert graph.is_captured
    expected = 0
    for step in range(4):
        x[...] = cuarray.arange(step, step + SIZE)
        graph.launch()
        values = (np.arange(step, step + SIZE) * 2.0 + 1)[::-1]
        expected += values.reshape(50, 100).sum(axis=0).max()
        np.testing.assert_array_equal(y.numpy(), values)
        np.testing.assert_array_equal(z.numpy(), values.reshape(50, 100).sum(axis=0))
        assert float(total) == expected
    with pytest.raises(RuntimeError, match="captured before"), graph.capture():
        pass


def test_nothing_runs_during_a_capture(device):
    x = cuarray.zeros(5)
    graph = cuarray.Graph()
    with graph.capture():
        x += 1
    assert (x.numpy() == 0).all()
    graph.launch()
    graph.launch(cuarray.Stream())
    assert (x.numpy() == 2).all()


def test_a_capture_lets_other_streams_be_made_and_waited_for(device):
    x, graph, other = cuarray.zeros(5), cuarray.Graph(), cuarray.Stream()
    with other:
        y = x + 3
    cuarray.Stream()  # released, and considered for reuse
    with graph.capture():
        x += 1
        cuarray.Stream()
        other.query()
        other.synchronize()
    graph.launch()
    assert (x.numpy() == 1).all() and (y.numpy() == 3).all()


def test_a_capture_names_what_it_refuses(remote):
    x, pinned, captured = cuarray.zeros(5), cuarray.empty(5, memory="pinned"), cuarray.Graph()
    with captured.capture():
        x += 1
    with_work = {**x.__cuda_array_interface__, "stream": 1}  # None once the work on x has run: nothing to refuse
    lent = types.SimpleNamespace(__cuda_array_interface__=with_work, owner=x)
    before = cuarray.current_stream().record()
    refused = [
        ("launch", captured.launch),
        ("counting the true elements of a mask", lambda: x[x > 0]),
        ("a copy from the host", lambda: cuarray.asarray([1, 2])),
        ("a copy to the host", x.numpy),
        ("export", lambda: x.__cuda_array_interface__),
        ("import", lambda: cuarray.asarray(lent)),
        ("wait", lambda: cuarray.current_stream().wait(cuarray.Stream())),
        ("wait", lambda: cuarray.Stream().wait(cuarray.current_stream())),
        ("wait", lambda: cuarray.current_stream().wait(before)),
        ("wait", lambda: (cuarray.copyto(pinned, x), pinned.numpy())),
    ]
    for name, call in refused:
        with pytest.raises(RuntimeError, match=f"^{name}: not while a graph is being"), cuarray.Graph().capture():
            call()
    captured.launch()
    assert (x.numpy() == 1).all()


@pytest.mark.parametrize(
    "look",
    [
        lambda x: float(x[0]),
        lambda x: x.numpy(),
        lambda x: x.tolist(),
        lambda x: repr(x),
        lambda x: bool((x == 0).all()),
        lambda x: x.to_device("cpu").numpy(),
        lambda x: cuarray.synchronize(),
        lambda x: cuarray.current_stream().synchronize(),
        lambda x: cuarray.current_stream().query(),
        lambda x: cuarray.Event().record(),
        lambda x: cuarray.Graph().capture().__enter__(),
    ],
)
def test_a_capture_refuses_to_look(device, look):
    x = cuarray.zeros(5)
    graph = cuarray.Graph()
    with pytest.raises(RuntimeError, match="captured"), graph.capture():
        look(x + 1)
    assert not graph.is_captured
    with pytest.raises(RuntimeError, match="nothing was captured"):
        graph.launch()
    assert (x.numpy() == 0).all()
    again = cuarray.Graph()
    with again.capture():
        x += 1
    again.launch()
    assert (x.numpy() == 1).all()


def test_graphs_hold_their_memory(device):
    graph = cuarray.Graph()
    x = counting()
    with graph.capture():
        y = x + 1
        for _ in range(5):
            y = y * 2
    del x
    gc.collect()
    others = [cuarray.full(SIZE, float(i)) for i in range(8)]
    graph.launch()
    np.testing.assert_array_equal(y.numpy(), (np.arange(SIZE) + 1) * 32.0)
    assert all((other.numpy() == i).all() for i, other in enumerate(others))


def test_exported_arrays_may_go_during_a_capture(device):
    x, exported = cuarray.zeros(SIZE), cuarray.ones(SIZE)
    capsule = exported.__dlpack__()
    graph = cuarray.Graph()
    with graph.capture():
        x += 1
        del capsule, exported
        x += 1
    graph.launch()
    assert (x.numpy() == 2).all()


def test_graphs_and_streams_wait_for_each_other(device):
    a, b = cuarray.Stream(), cuarray.Stream()
    x = cuarray.zeros(SIZE)
    graph = cuarray.Graph()
    with graph.capture():
        y = x + 1
    for step in range(10):
        with a:
            x[...] = step
        graph.launch(b)
        with a:
            z = y * 2
        assert (z.numpy() == 2 * (step + 1)).all()


def test_graphs_of_pinned_memory(device):
    source = cuarray.zeros(SIZE, memory="pinned")
    target = cuarray.empty(SIZE, memory="pinned")
    x = cuarray.empty(SIZE)
    graph = cuarray.Graph(device)
    with graph.capture():
        cuarray.copyto(x, source)
        cuarray.copyto(target, x * 3)
    for step in range(5):
        source[...] = step
        graph.launch()
        assert (target.numpy() == 3 * step).all()


def test_what_was_deferred_before_is_no_part_of_a_graph(device):
    graph = cuarray.Graph()
    x = cuarray.zeros(5)

    @cuarray.fuse
    def twice(a):
        return (a + 1) * 2

    with graph.capture():
        y = twice(x)
    x[...] = 2
    graph.launch()
    assert (y.numpy() == 6).all()


def test_graphs_belong_to_their_device(remote):
    graph = cuarray.Graph()
    x = cuarray.zeros(3)
    with graph.capture():
        x += 1
    with pytest.raises(ValueError, match="cannot run on a stream of cpu"):
        graph.launch(cuarray.Stream(device="cpu"))


def test_other_threads_go_on_during_a_capture(device):
    results = []

    def work():
        with cuarray.device(device), cuarray.Stream():
            results.append(float((counting() + 1).sum()))

    graph = cuarray.Graph()
    x = cuarray.zeros(SIZE)
    with graph.capture():
        x += 1
        thread = threading.Thread(target=work)
        thread.start()
        thread.join()
        x += 1
    graph.launch()
    assert results == [SIZE * (SIZE + 1) / 2] and (x.numpy() == 2).all()


# Devices.


def test_properties_of_devices(device):
    place = cuarray.device(device)
    free, total = place.memory_info()
    assert 0 < free <= total and place.name
    assert place.properties["total_memory"] >= total
    if device == "cpu":
        assert place.compute_capability is None and place.properties["threads"] >= 1
        assert not place.can_access_peer("cpu")
        with pytest.raises(ValueError):
            place.enable_peer_access("cpu")
        return
    major, minor = place.compute_capability
    assert place.properties["compute_capability"] == f"{major}.{minor}"
    assert place.properties["warp_size"] == 32 and place.properties["uuid"].startswith("GPU-")
    assert not place.can_access_peer("cpu") and not place.can_access_peer(place)


def test_peer_access(remote):
    if len(cuarray.devices()) < 3:
        pytest.skip("one GPU is present")
    here = cuarray.device("cuda:0")
    if here.can_access_peer("cuda:1"):
        here.enable_peer_access("cuda:1")
        here.enable_peer_access("cuda:1")
    with pytest.raises(ValueError):
        here.enable_peer_access("cpu")
    with pytest.raises(ValueError, match="there is no cuda:99"):
        here.can_access_peer("cuda:99")
    with pytest.raises(ValueError, match="cuda:0 is this device itself"):
        here.enable_peer_access("cuda:0")


# Other libraries' arrays.


class Lent:
    """Another library's array: only the interface."""

    def __init__(self, array, **changes):
        self.__cuda_array_interface__ = {**array.__cuda_array_interface__, **changes}
        self.array = array


def test_imported_memory_tells_its_device(remote):
    """The pointer tells the device, whichever is current (pytorch #169186)."""
    if len(cuarray.devices()) < 3:
        pytest.skip("one GPU is present")
    x = cuarray.arange(5, device="cuda:1")
    with cuarray.device("cuda:0"):
        imported = cuarray.asarray(Lent(x))
        assert imported.device == "cuda:1"
        assert (imported + 1).tolist() == [1, 2, 3, 4, 5]


def test_imported_memory_must_be_a_gpu_s(remote):
    """Arrays without elements have a null pointer (cupy #2104, #2610, #2789; numba #4140, #4175; pytorch #98133)."""
    x = cuarray.arange(5)
    host = np.arange(5)
    for changes in ({"data": (host.ctypes.data, False)}, {"data": (0, False)}, {"stream": 0}, {"stream": -1}):
        with pytest.raises(BufferError if changes.get("data") == (0, False) else ValueError):
            cuarray.asarray(Lent(x, **changes))
    empty = cuarray.asarray(Lent(x[:0]))
    assert empty.shape == (0,) and empty.device == remote


@pytest.fixture
def driver(remote):
    """CUDA's driver, and the context of a GPU, which is current as it is for other libraries."""
    driver, context = ctypes.CDLL(os.environ.get("CUARRAY_LIBCUDA", "libcuda.so.1")), ctypes.c_void_p()
    assert driver.cuDevicePrimaryCtxRetain(ctypes.byref(context), 0) == 0
    assert driver.cuCtxPushCurrent_v2(context) == 0
    yield driver
    current = ctypes.c_void_p()
    assert driver.cuCtxPopCurrent_v2(ctypes.byref(current)) == 0 and current.value == context.value
    assert driver.cuDevicePrimaryCtxRelease_v2(0) == 0


def test_numbers_of_streams(remote):
    """As DLPack defines them: 1 and None are the legacy default stream, 2 is that of the thread, -1 waits for nothing."""
    stream = cuarray.Stream()
    for number in (None, 1, 2, -1, stream.handle):
        with cuarray.Stream():
            x = counting() * 2
        assert x.__dlpack__(stream=number) is not None
    for number in (0, -2, True, False, "1", 1.5, [1]):
        with pytest.raises(ValueError, match=r"__dlpack__: stream"):
            x.__dlpack__(stream=number)


def test_a_consumer_reads_what_it_gave_back(remote, driver):
    """The memory of an export is used again after the work on the consumer's stream."""
    stream = cuarray.Stream()
    for step in range(10):
        x, target = counting(step), cuarray.zeros(SIZE)
        to = open_capsule(held := target.__dlpack__(stream=stream.handle)).tensor.data
        opened = consume(x.__dlpack__(stream=stream.handle))
        of = opened.tensor.data
        del x
        assert (
            driver.cuMemcpyDtoDAsync_v2(
                ctypes.c_uint64(to), ctypes.c_uint64(of), ctypes.c_size_t(8 * SIZE), ctypes.c_void_p(stream.handle)
            )
            == 0
        )
        opened.deleter(ctypes.addressof(opened))
        others = [cuarray.full(SIZE, -1.0) for _ in range(3)]
        assert all((other.numpy() == -1).all() for other in others)
        stream.synchronize()
        del held
        np.testing.assert_array_equal(target.numpy(), np.arange(step, step + SIZE))


def test_exports_of_a_device_that_is_not_current(remote, driver):
    """The context that was current stays so (pytorch #169186)."""
    if len(cuarray.devices()) < 3:
        pytest.skip("one GPU is present")
    before, after = ctypes.c_void_p(), ctypes.c_void_p()
    assert driver.cuCtxGetCurrent(ctypes.byref(before)) == 0
    x = cuarray.arange(5, device="cuda:1")
    tensor = open_capsule(capsule := x.__dlpack__()).tensor
    assert (tensor.device.type, tensor.device.id) == x.__dlpack_device__() == (2, 1)
    y = cuarray.from_dlpack(capsule)
    assert y.device == "cuda:1" and (y + 1).tolist() == [1, 2, 3, 4, 5]
    assert driver.cuCtxGetCurrent(ctypes.byref(after)) == 0 and after.value == before.value


def test_direct_memory_can_be_shared_with_other_processes(remote, driver):
    """Memory of a pool cannot: MPI and UCX need this kind (UCX #7110, #7194; kokkos #4228)."""
    x, handle = cuarray.ones(SIZE, memory="direct"), ctypes.create_string_buffer(64)
    address = ctypes.c_uint64(x.__cuda_array_interface__["data"][0])
    assert driver.cuIpcGetMemHandle(handle, address) == 0


def test_kinds_of_memory_in_capsules(remote):
    """Pinned memory is the host's, and managed memory the GPU's (pytorch #96318, #136250; jax #22346; pyamrex #454)."""
    for memory, kind in (("pinned", 1), ("managed", 2), ("direct", 2)):
        x = cuarray.ones(5, memory=memory)
        tensor = open_capsule(capsule := x.__dlpack__()).tensor
        assert tensor.device.type == x.__dlpack_device__()[0] == kind
        assert cuarray.from_dlpack(capsule).tolist() == [1] * 5


def test_arrays_of_user_streams_are_exchanged(remote):
    """Consumers see finished data (numba #4933, #5162; DALI #5125; drjit #198, #211, #377)."""
    stream, other = cuarray.Stream(), cuarray.Stream()
    for step in range(10):
        with stream:
            x = counting(step) * 2
            capsule = x.__dlpack__(stream=other.handle)
        with other:
            imported = cuarray.from_dlpack(capsule)
        with cuarray.Stream():
            y = imported + 1
        np.testing.assert_array_equal(y.numpy(), np.arange(step, step + SIZE) * 2.0 + 1)
        with stream:
            x = counting(step) * 3
        with other:
            y = cuarray.asarray(Lent(x)) + 1
        np.testing.assert_array_equal(y.numpy(), np.arange(step, step + SIZE) * 3.0 + 1)


def test_the_cuda_array_interface_names_no_stream_when_all_work_has_run(remote):
    """Consumers stop the host until the stream that is named has run; without work they need not."""
    for _ in range(10):
        x = counting() * 2
        cuarray.synchronize()
        assert x.__cuda_array_interface__["stream"] is None
        stream = x.__cuda_array_interface__["stream"]
        y = x * 3
        np.testing.assert_array_equal(y.numpy(), np.arange(SIZE) * 6.0)
        assert stream is None
    with cuarray.Stream() as mine:
        z = counting(7) * 2
        interface = z.__cuda_array_interface__
        assert interface["stream"] in (None, mine.handle)
    with cuarray.Stream():
        imported = cuarray.asarray(Lent(z, **{"stream": interface["stream"]})) + 1
    np.testing.assert_array_equal(imported.numpy(), np.arange(7, 7 + SIZE) * 2.0 + 1)


# Threads.


def test_threads_with_streams_of_their_own(device):
    shared = counting()
    failures = []

    def work(number):
        try:
            with cuarray.device(device), cuarray.Stream() as stream:
                mine = shared
                for step in range(20):
                    mine = mine * 2 - shared
                    if step % 5 == number % 5:
                        np.testing.assert_array_equal(mine.numpy(), np.arange(SIZE))
                stream.synchronize()
        except BaseException as error:
            failures.append(error)

    threads = [threading.Thread(target=work, args=(i,)) for i in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures, failures[0]


# Processes.

LIVING = """
import os, sys
import cuarray as ca
stream, event = ca.Stream(), ca.Event(timing=True)
pinned = ca.zeros(1000, memory="pinned")
graph = ca.Graph()
with stream:
    x = ca.arange(1000.0)
    ca.copyto(pinned, x)
    event.record(stream)
    with graph.capture():
        y = x + 1
graph.launch(stream)
"""

FORKED = """
child = os.fork()
if child == 0:
    del stream, event, pinned, graph, x, y
    assert (ca.arange(3, device="cpu") + 1).tolist() == [1, 2, 3]
    with ca.Stream(device="cpu"):
        ca.ones(3, device="cpu")
    os._exit(0)
_, status = os.waitpid(child, 0)
assert status == 0, status
assert y.numpy()[5] == 6 and float(pinned[7]) == 7
"""


EARLY_FORK = """
import os, signal, cuarray as ca
child = os.fork()
if child == 0:
    signal.alarm(20)
    ca.Event("cpu").record()
    ca.Stream("cpu").synchronize()
    with ca.fuse():
        x = ca.ones(3, device="cpu") + 1
    assert x.tolist() == [2, 2, 2]
    os._exit(0)
assert os.waitpid(child, 0)[1] == 0
"""


def test_a_fork_before_anything_was_deferred():
    """The lock of pending nodes is held during a fork, and the child's thread is another one."""
    result = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", EARLY_FORK], capture_output=True, text=True, timeout=300
    )
    assert result.returncode == 0, result.stderr


def test_a_forked_process_cannot_use_its_parents_gpu(remote):
    code = f"""
import os, cuarray as ca
x = ca.ones(3, device={remote!r}) + 1
child = os.fork()
if child == 0:
    try:
        ca.ones(3, device={remote!r})
    except Exception as error:
        os._exit(0 if "forked" in str(error) and "spawn" in str(error) else 1)
    os._exit(2)
assert os.waitpid(child, 0)[1] == 0
assert x.tolist() == [2, 2, 2]
"""
    result = subprocess.run([sys.executable, "-W", "ignore", "-c", code], capture_output=True, text=True, timeout=300)
    assert result.returncode == 0 and not complaints(result.stderr), result.stderr


@pytest.mark.few
@pytest.mark.parametrize("end", ["", FORKED, "x[...] = 3\nsys.exit()"])
def test_processes_end_quietly(device, end):
    environment = {**os.environ, "CUARRAY_DEVICE": device}
    result = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", LIVING + end],
        env=environment, capture_output=True, text=True, timeout=300,
    )  # fmt: skip
    assert result.returncode == 0 and not complaints(result.stderr), result.stderr


@pytest.mark.parametrize(
    ("priority", "error"), [((), TypeError), (1.5, TypeError), (2**31, ValueError), (-(2**70), ValueError)]
)
def test_priorities_are_small_integers(priority, error):
    with pytest.raises(error, match="Stream: priority must"):
        cuarray.Stream("cpu", priority)
