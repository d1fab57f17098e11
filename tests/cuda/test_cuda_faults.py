"""Where faults of a GPU are raised when values went to another device, and what a capture rejects; simulated GPUs."""

import backend_program
import pytest

BEGIN = """
import numpy as np
import cuarray as ca
x = ca.arange(3.0, device="cuda:0")
far = ca.asarray([7], device="cuda:0")
"""

# Operations that wait for a value read with an out-of-bounds index, and raise the fault once.
WAITS = {
    "another GPU": "y = x[far].to_device('cuda:1'); wait = y.numpy",
    "another GPU's sum": "y = x[far].to_device('cuda:1').sum(); wait = y.item",
    "pinned memory": "y = ca.empty(1, memory='pinned'); ca.copyto(y, x[far]); wait = lambda: np.asarray(y)",
    "pinned memory, its buffer": "y = ca.empty(1, memory='pinned'); ca.copyto(y, x[far]); wait = lambda: memoryview(y)",
    "pinned memory, an element": "y = ca.empty(1, memory='pinned'); ca.copyto(y, x[far]); wait = lambda: float(y[0])",
}
FAULT = """
try:
    wait()
    print("nothing was said")
except IndexError as error:
    assert "index 7 is out of bounds for axis 0 with size 3" in str(error), error
    ca.synchronize("cuda:0")
    ca.synchronize("cuda:1")
    assert (x + 1).numpy().tolist() == [1, 2, 3]
    print("passed")
"""


@pytest.mark.few
@pytest.mark.parametrize("place", WAITS)
def test_a_fault_is_heard_wherever_its_values_go(place):
    command = ["python", "-c", BEGIN + WAITS[place] + FAULT]
    for mode in ("lazy", "eager"):
        backend_program.check(command, CUDASIM_PROGRESS=mode, CUDASIM_CHECK=1, CUDASIM_SEED=1)


# Work that a capture cannot record, because it goes to another stream.
ESCAPES = {
    "stream": "with s: y = x + 1",
    "device": "y = x.to_device('cuda:1')",
    "work there": "y = other + 1",
    "copy": "y = pinned.to_device('cuda:0', stream=s)",
}
CAPTURE = """
s, graph = ca.Stream(device="cuda:0"), ca.Graph(device="cuda:0")
other, pinned = ca.ones(3, device="cuda:1"), ca.empty(3, memory="pinned")
pinned[...] = 1
try:
    with graph.capture():
        {escape}
    print("recorded")
except RuntimeError as error:
    assert "would run once and not be recorded" in str(error), error
    print("passed")
with graph.capture():
    z = x + 1
x[...] = 5
graph.launch()
assert z.numpy().tolist() == [6, 6, 6] and (other + 1).numpy().tolist() == [2, 2, 2]
with s:
    assert (x + 1).numpy().tolist() == [6, 6, 6]
"""


@pytest.mark.parametrize("escape", ESCAPES)
def test_a_capture_refuses_what_it_cannot_record(escape):
    command = ["python", "-c", BEGIN + CAPTURE.format(escape=ESCAPES[escape])]
    backend_program.check(command, CUDASIM_CHECK=1, CUDASIM_SEED=1)


HEARD = """
import time
pinned = ca.empty(1, memory="pinned")
ca.copyto(pinned, x[far])
stream = ca.current_stream("cuda:0")
while not stream.query():
    time.sleep(0.001)
graph, again = ca.Graph(device="cuda:0"), ca.Graph(device="cuda:0")
with graph.capture():
    y = x + 1
    try:
        float(pinned[0])
        print("nothing was said")
    except IndexError as error:
        assert "index 7 is out of bounds for axis 0 with size 3" in str(error), error
x[...] = 5
graph.launch()
assert y.numpy().tolist() == [6, 6, 6]
with again.capture():
    z = x + 2
again.launch()
assert z.numpy().tolist() == [7, 7, 7]
print("passed")
"""


def test_a_fault_heard_inside_a_capture_leaves_it_whole():
    for mode in ("lazy", "eager"):
        backend_program.check(["python", "-c", BEGIN + HEARD], CUDASIM_PROGRESS=mode, CUDASIM_CHECK=1, CUDASIM_SEED=1)


TWO_STREAMS = """
many = ca.asarray([7, 8, 9] * 100, device="cuda:0")
ca.synchronize("cuda:0")
s, t = ca.Stream(device="cuda:0"), ca.Stream(device="cuda:0")
with s: y = x[many]
with t: z = x[many]
try:
    ca.synchronize("cuda:0")
    print("nothing was said")
except IndexError as error:
    assert "out of bounds for axis 0 with size 3" in str(error), error
ca.synchronize("cuda:0")
assert y.numpy().tolist() == z.numpy().tolist() == [0] * 300
print("passed")
"""


def test_two_streams_may_fault_at_once():
    for mode in ("lazy", "eager", "random"):
        backend_program.check(
            ["python", "-c", BEGIN + TWO_STREAMS], CUDASIM_PROGRESS=mode, CUDASIM_CHECK=1, CUDASIM_SEED=1
        )


MANAGED = """
m = ca.full(4, 3.0, memory="managed", device="cuda:0")
assert m.to_device("cuda:1").numpy().tolist() == [3] * 4
n = ca.empty(4, memory="managed", device="cuda:1")
ca.copyto(n, m * 2)
assert n.numpy().tolist() == [6] * 4
ca.copyto(m, ca.arange(4.0, device="cuda:1"))
assert m.numpy().tolist() == [0, 1, 2, 3]
ca.copyto(n, m)
assert n.numpy().tolist() == [0, 1, 2, 3]


class Lent:  # another library's memory
    __cuda_array_interface__ = x.__cuda_array_interface__


lent = ca.asarray(Lent())
assert lent.to_device("cuda:1").numpy().tolist() == [0, 1, 2]
ca.copyto(lent, ca.ones(3, device="cuda:1"))
assert x.numpy().tolist() == [1, 1, 1]
print("passed")
"""


def test_managed_memory_goes_from_one_gpu_to_another():
    backend_program.check(["python", "-c", BEGIN + MANAGED], CUDASIM_CHECK=1, CUDASIM_SEED=1)
