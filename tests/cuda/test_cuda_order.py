"""Order of work on other libraries' streams, through pinned memory, after a failed operation, and during captures."""

from datetime import date

import backend_program
import pytest

BEGIN = """
import ctypes, itertools, os
import numpy as np
import cuarray as ca

driver = ctypes.CDLL(os.environ["CUARRAY_LIBCUDA"])
driver.cudasim_failed.restype = ctypes.c_char_p
ca.set_default_device("cuda:0")
x = ca.asarray(np.arange(100_000)[::-1].astype(float))
places = ca.asarray(np.arange(1000) * 7 % 1000)


def fail_at(number):
    driver.cudasim_fail_after(ctypes.c_long(number), 2)


class Entered:  # a context that this thread makes current for a while
    def __enter__(self):
        self.context = ctypes.c_void_p()
        assert driver.cuDevicePrimaryCtxRetain(ctypes.byref(self.context), 0) == 0
        assert driver.cuCtxPushCurrent_v2(self.context) == 0

    def __exit__(self, *exception):
        assert driver.cuCtxPopCurrent_v2(ctypes.byref(self.context)) == 0


def other_librarys_stream():
    stream = ctypes.c_void_p()
    with Entered():
        assert driver.cuStreamCreate(ctypes.byref(stream), 1) == 0
    return ca.Stream.from_external(stream.value, device="cuda:0")
"""


def check(script, *modes, **settings):
    for mode in modes or backend_program.drivers:
        backend_program.check(
            ["python", "-c", BEGIN + script], CUDASIM_PROGRESS=mode, CUDASIM_CHECK=1, CUDASIM_SEED=1, **settings
        )


# Operations that need temporary memory.
TEMPORARIES = [
    "ca.sort(x[:9000])", "ca.argsort(x[:9000])", "ca.cumsum(x)", "ca.median(x[:9000])", "x.sum()", "ca.bincount(places, x[:1000])",
    "ca.add.at(y, places, 1.0)", "y.__setitem__(places, x[:1000])", "y.__setitem__(slice(1, None), y[:-1])",
    "bytes_[1:8001].view('f8') + 1", "x[x > 5]", "x[:400].reshape(20, 20) @ x[:400].reshape(20, 20)[::-1]",
]  # fmt: skip


@pytest.mark.few
@pytest.mark.parametrize("cache", ["on", "off"])
@pytest.mark.parametrize("call", TEMPORARIES)
def test_temporaries_on_another_librarys_stream(call, cache):
    check(
        f"""
with other_librarys_stream():
    y, bytes_ = x + 1, ca.ones(8008, "u1")
    for _ in range(3):
        result = {call}
        result, y = None, y + 1  # what was used is free for others
ca.synchronize()
print("passed")
""",
        CUARRAY_MEMORY_CACHE=cache,
    )


def test_a_wait_is_work_of_its_stream():
    """Who synchronises waits for it, too, though nothing else is on the stream of another library."""
    check(
        """
n, theirs = 100_000, ctypes.c_void_p()
y = ca.zeros(n)
ca.synchronize()
with Entered():
    assert driver.cuStreamCreate(ctypes.byref(theirs), 1) == 0
    address = y.__cuda_array_interface__["data"]
    assert driver.cuMemsetD8Async(ctypes.c_void_p(address[0]), ctypes.c_ubyte(1), ctypes.c_size_t(8 * n), theirs) == 0
described = {"shape": (n,), "typestr": "<f8", "data": address, "version": 3, "stream": theirs.value}
with other_librarys_stream():
    z = ca.asarray(type("Theirs", (), {"__cuda_array_interface__": described})())
ca.synchronize()
with Entered():
    assert driver.cuStreamQuery(theirs) == 0
print("passed")
""",
        "lazy",
    )


SHOWN = {
    "the owner writes": "y = ca.asarray(shown); shown[:] = 5",
    "the array writes": "y = ca.asarray(shown); pinned[...] = 5",
    "it is freed": "y = ca.asarray(shown); del shown, pinned; again = ca.full(100_000, 7.0, memory='pinned')",
    "it is copied into": "ca.copyto(shown, ca.ones(100_000)); y = ca.asarray(pinned.copy(), device='cuda:0')",
    "it is read": "ca.copyto(pinned, x * 0 + 1); y = ca.asarray(shown)",
}


@pytest.mark.few
@pytest.mark.parametrize("what", SHOWN)
def test_pinned_memory_that_numpy_shows(what):
    check(f"""
pinned = ca.ones(100_000, memory="pinned")
shown = np.asarray(pinned)
{SHOWN[what]}
assert (y == 1).all()
print("passed")
""")


def test_pinned_memory_between_two_gpus():
    check("""
ca.ones(2, device="cuda:1")
pinned = ca.ones(100_000, memory="pinned")  # the first GPU's
ca.copyto(pinned, x)
there = pinned.to_device("cuda:1")
ca.copyto(pinned, there * 2)
back = pinned.to_device("cuda:0")
pinned[...] = 0
assert (there.numpy() == x.numpy()).all() and (back.numpy() == 2 * x.numpy()).all()
print("passed")
""")


def test_a_consumer_on_the_legacy_stream_waits_for_another_gpu():
    check("""
y = x.to_device("cuda:1")  # the other GPU's stream reads x
capsule = x.__dlpack__(stream=1)
ca.ones(1)
with Entered():
    address = ctypes.c_uint64(x.__cuda_array_interface__["data"][0])
    assert driver.cuMemsetD8Async(address, 9, ctypes.c_size_t(x.nbytes), ctypes.c_void_p(1)) == 0
ca.synchronize()
assert (y.numpy() == np.arange(100_000)[::-1]).all()
print("passed")
""")


HALVES = [
    "ca.cumsum(unaligned)",
    "ca.sort(x, 0)",
    "ca.median(unaligned)",
    "x[5]",
    "ca.copyto(x, pinned)",
    "x.to_device('cuda:1')",
]


@pytest.mark.few
@pytest.mark.parametrize("call", HALVES)
def test_half_an_operation_is_over_before_its_memory_is_reused(call, full):
    for own in [True, False] if full else [date.today().toordinal() % 2 == 0]:
        check_halves(call, own)


def check_halves(call, own):
    check(f"""
def made():
    return ca.asarray(np.ones(5000)), ca.ones(40_008, "u1")[1:40_001].view("f8"), ca.ones(5000, memory="pinned")

stream = ca.Stream(device="cuda:0") if {own} else other_librarys_stream()
x, unaligned, pinned = made()
with stream:
    {call}
ca.synchronize()
for number in itertools.count(1):
    x, unaligned, pinned = made()
    ca.synchronize()
    fail_at(number)
    try:
        with stream:
            result = {call}
    except (ca.CudaError, MemoryError):
        pass
    name = driver.cudasim_failed()
    fail_at(0)
    if not name:
        break
    result = x = unaligned = None
    pinned[...] = 5
    others = made(), made()
    ca.synchronize()
print("passed")
""", "random", CUARRAY_MEMORY_CACHE="off")  # fmt: skip


BESIDE = {
    "an event is asked": "assert event.is_done() if hasattr(event, 'is_done') else event.query()",
    "an event is waited for": "event.synchronize()",
    "time is taken": "later.elapsed_ms(event)",
    "memory is trimmed": "ca.memory.trim()",
    "memory runs out once": "fail_at(3); z = x * 2; fail_at(0)",
}


@pytest.mark.few
@pytest.mark.parametrize("what", BESIDE)
def test_a_capture_stays_whole_when(what):
    check(f"""
event, later = ca.Event(timing=True, device="cuda:0"), ca.Event(timing=True, device="cuda:0")
event.record(), later.record()
kept = [ca.ones(1000, memory=memory) for memory in ("pinned", "direct", "managed")]
graph = ca.Graph(device="cuda:0")
y = x + 1
ca.synchronize()
del kept
with graph.capture():
    y = x + 1
    {BESIDE[what]}
    y = y + 1
x[...] = 1
graph.launch()
assert (y == 3).all()
print("passed")
""")


def test_a_consumer_waits_for_pending_readers():
    check("""
stream = ca.Stream(device="cuda:0")
with ca.fuse():
    y = x * 2
    capsule = x.__dlpack__(stream=stream.handle)
    with Entered():
        address = ctypes.c_uint64(x.__cuda_array_interface__["data"][0])
        assert driver.cuMemsetD8Async(address, 0, ctypes.c_size_t(x.nbytes), ctypes.c_void_p(stream.handle)) == 0
ca.synchronize()
assert (y.numpy() == 2.0 * np.arange(100_000)[::-1]).all()
print("passed")
""")


def test_a_graph_tells_its_operations():
    check("""
graph = ca.Graph(device="cuda:0")
with graph.capture():
    y = x + 1
    z = ca.sum(y)
assert "0 operations" not in repr(graph) and "operations" in repr(graph), repr(graph)
print("passed")
""")
