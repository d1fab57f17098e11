"""Captures of other libraries: no call of ours breaks one, and what goes meanwhile is neither lost nor used anew."""

import sys

import backend_program
import pytest

START = """
import ctypes, gc, os, threading
import numpy as np
import cuarray as ca
from cuarray import memory
driver = ctypes.CDLL(os.environ["CUARRAY_LIBCUDA"])
USED = 7

def call(name, *arguments):
    status = getattr(driver, name)(*arguments)
    assert status == 0, (name, status)

def used():
    "Bytes of the driver's pool that are in use."
    pool, number = ctypes.c_void_p(), ctypes.c_uint64()
    call("cuDeviceGetMemPool", ctypes.byref(pool), 0)
    call("cuMemPoolGetAttribute", pool, USED, ctypes.byref(number))
    return number.value

def elsewhere(function):
    "Calls it in a thread of its own, which has no current context."
    seen = []
    thread = threading.Thread(target=lambda: seen.append(function()))
    thread.start(); thread.join()
    return seen[0]

class Capture:
    "A capture by another library, in the mode that torch uses."
    def __init__(self, flags=1, mode=0):
        self.stream = ctypes.c_void_p()
        call("cuStreamCreate", ctypes.byref(self.stream), flags)
        call("cuStreamBeginCapture_v2", self.stream, mode)
    def end(self):
        graph = ctypes.c_void_p()
        return driver.cuStreamEndCapture(self.stream, ctypes.byref(graph))

class Foreign:
    "A stream of another library, which makes it where no capture forbids that."
    def __init__(self):
        mode, self.handle = ctypes.c_int(2), ctypes.c_void_p()
        call("cuThreadExchangeStreamCaptureMode", ctypes.byref(mode))
        call("cuStreamCreate", ctypes.byref(self.handle), 1)
        call("cuThreadExchangeStreamCaptureMode", ctypes.byref(mode))

def exported(n, dtype="f4"):
    "An array that another library has seen, and its capsule."
    x = ca.ones(n, dtype=dtype, device="cuda:0")
    return x, x.__dlpack__(stream=None)
"""


def run(program, **settings):
    settings = {"CUDASIM_SEED": 1, "CUARRAY_DEVICE": "cuda:0", **settings}
    result = backend_program.run([sys.executable, "-c", START + program], **settings)
    assert result.returncode == 0, result.stdout + result.stderr
    return result


#: Parts of a program, each of which makes driver calls that a capture may forbid.
WORK = {
    "transfers": """
x = ca.asarray(np.arange(3_000_000, dtype="f4"))
assert float(x[-1]) == 2_999_999 and x.numpy().sum() == np.arange(3_000_000, dtype="f4").sum()
for _ in range(40):  # more than the chunks that are filled in turn
    ca.asarray(np.ones(300_000))
""",
    "kinds of memory": """
for kind in ("device", "direct", "pinned", "managed"):
    for _ in range(3):
        x = ca.empty(100_000, memory=kind)
        x[...] = 2
        assert float(x.sum()) == 200_000
        del x
x, y = ca.full(100_000, 3.0), ca.empty(100_000, memory="pinned")
for _ in range(3):
    ca.copyto(y, x)
    assert np.asarray(y)[7] == 3  # waits for the copy alone
""",
    "streams and events": """
for _ in range(3):
    stream, event = ca.Stream(), ca.Event()
    with stream:
        x = ca.ones(1000) * 3
        event.record(stream)
    event.synchronize(); stream.synchronize()
    assert event.query() and stream.query() and float(x.sum()) == 3000
    start, end = ca.Event(timing=True), ca.Event(timing=True)
    start.record(); end.record(); end.synchronize(); end.elapsed_ms(start)
    del stream, event, start, end
""",
    "streams of others": """
ca.ones(1)
theirs = [Foreign() for _ in range(3)]
for _ in range(3):
    for foreign in theirs:
        stream = ca.Stream.from_external(foreign.handle.value)
        with stream:
            x = ca.ones(1000) * 3
            y = x.sum()
        assert float(y) == 3000
        stream.synchronize()
        del stream, x, y
ca.synchronize()
""",
    "libraries": """
for n in range(8, 48):  # more plans than are kept
    np.testing.assert_allclose(ca.fft.ifft(ca.fft.fft(ca.ones(n))).numpy(), np.ones(n), rtol=1e-5)
x = ca.asarray(np.eye(8, dtype="f4") * 2)
assert float((x @ x).sum()) == 32 and abs(float(ca.linalg.inv(x)[0, 0]) - 0.5) < 1e-5
assert float(ca.linalg.eigvalsh(x)[0]) == 2
stack = ca.asarray(np.stack([np.eye(4, dtype="f4") * n for n in (1, 4, 9) * 4]))
for function, want in ((ca.linalg.svdvals, 9), (ca.linalg.eigvalsh, 9), (lambda x: ca.linalg.cholesky(x)[:, 0], 3)):
    assert abs(float(function(stack)[2, 0]) - want) < 1e-5, function
""",
    "graphs": """
def make():
    graph = ca.Graph()
    x = ca.zeros(100)
    with graph.capture():
        x += 1
    return graph, x
old, _ = make()
graph = ca.Graph()
x = ca.zeros(100)
with graph.capture():
    x += 1
    del old, _
    gc.collect()
    x += 1
graph.launch()
assert (x.numpy() == 2).all()
try:
    with ca.Graph().capture():
        x += 1
        raise KeyError
except KeyError:
    pass
del graph
""",
    "errors": """
try:
    ca.asarray([1, 2]) ** ca.asarray([-1, 2])
    ca.synchronize()
except ValueError as error:
    assert "negative" in str(error)
else:
    raise AssertionError("no error")
assert float(ca.ones(3).sum()) == 3
""",
    "two GPUs": """
y = ca.ones(1000, device="cuda:1")
assert float(y.to_device("cuda:0").sum()) == 1000
ca.device("cuda:0").enable_peer_access("cuda:1")
assert float((y.to_device("cuda:0") + 1).sum()) == 2000
""",
    "limits and statistics": """
x, capsule = exported(1000)
del x, capsule
for kind in ("direct", "pinned", "managed"):
    ca.empty(1000, memory=kind)
with memory.limit(1 << 30):  # gives back what is kept
    assert memory.stats()["current"] >= 0
""",
    "exported arrays": """
for n in (10, 2_000_000):
    for _ in range(5):
        x, capsule = exported(n)
        del x, capsule
        assert float(ca.ones(n).sum()) == n
""",
}


@pytest.mark.few
@pytest.mark.parametrize("part", WORK)
@pytest.mark.parametrize("driver", [12040, 13000])
def test_no_call_breaks_a_capture_of_another_thread(part, driver, tmp_path):
    result = run(WORK[part], CUDASIM_CAPTURE="global", CUDASIM_DRIVER=driver, CUARRAY_CACHE_DIR=tmp_path / "kernels")
    assert "spoilt" not in result.stderr, result.stderr


@pytest.mark.few
@pytest.mark.parametrize("driver", [12040, 13000])
@pytest.mark.parametrize("size", [100, 4_000_000])
def test_what_goes_during_a_capture_comes_back(size, driver):
    result = run(
        f"""
x, capsule = exported({size})
ca.synchronize()
capture = Capture()
del x, capsule
gc.collect()
assert float((ca.ones(10) + 1).sum()) == 20
assert capture.end() == 0
memory.trim()
assert used() == 0, used()
x, capsule = exported({size})
ca.synchronize()
del x, capsule
capture = Capture()
memory.trim()  # breaks the capture, and gets nothing
assert capture.end() == 901
assert used() > 0
memory.trim()
assert used() == 0
""",
        CUDASIM_DRIVER=driver,
    )
    assert "freed memory that was exported is kept" in result.stderr


@pytest.mark.few
@pytest.mark.parametrize("driver", [12040, 13000])
def test_captures_of_blocking_streams_are_known(driver):
    result = run(
        """
held = [exported(100) for _ in range(100)]
held += [exported(4_000_000) for _ in range(8)]
ca.synchronize()
capture = Capture(flags=0)
held.clear()
more = [ca.ones(5_000_000) for _ in range(3)]
memory.trim()
del more
assert capture.end() == 0 and used() > 8 * 16_000_000
memory.trim()
assert used() == 0
""",
        CUDASIM_DRIVER=driver,
    )
    assert "spoilt" not in result.stderr and "kept" not in result.stderr


def test_exported_memory_that_goes_in_an_own_capture():
    result = run("""
held = [exported(4_000_000) for _ in range(8)]
x = ca.zeros(10)
ca.synchronize()
graph = ca.Graph()
with graph.capture():
    x += 1
    held.clear()
    elsewhere(lambda: [ca.empty(5_000_000) for _ in range(3)] and None)
    x += 1
graph.launch()
assert (x.numpy() == 2).all()
memory.trim()
assert used() < 4096
""")
    assert "spoilt" not in result.stderr and "kept" not in result.stderr


@pytest.mark.few
@pytest.mark.parametrize("mode", ["lazy", "random"])
def test_exported_memory_is_used_anew_without_trim(mode):
    run(
        """
for size, rounds in ((100, 1000), (2_000_000, 60)):
    for _ in range(rounds):
        x, capsule = exported(size)
        del x, capsule
    assert used() < 160 << 20, used()
""",
        CUDASIM_PROGRESS=mode,
    )


def test_memory_that_is_freed_is_free_at_once():
    run("""
ca.synchronize()
before = used()
x = ca.ones(4_000_000)
assert used() >= before + 16_000_000
del x
assert used() == before, "another user of the pool sees it"
""")


def test_objects_go_in_threads_without_a_context():
    result = run("""
for device in ("cuda:0", "cuda:1"):
    with ca.device(device):
        event, graph, x = ca.Event(), ca.Graph(), ca.zeros(10)
        event.record()
        with graph.capture():
            x += 1
        graph.launch()
        held = [event, graph]
        plan = ca.fft.fft(ca.ones(12))
        ca.synchronize()
        del event, graph
        elsewhere(held.clear)
""")
    assert result.stderr == "", result.stderr
