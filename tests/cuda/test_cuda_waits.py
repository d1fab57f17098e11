"""Waiting for a GPU lets other threads run Python: work that waits for a host function in Python would never run otherwise."""

import re
import sys
from pathlib import Path

import backend_program
import pytest

SCRIPT = Path(__file__).with_name("waiting_calls.py")


@pytest.mark.rest
def test_every_call_lets_other_threads_run(full):
    """Quickly: the calls that ask an object for a value, and a few of all others; with --full: every public call."""
    first, stuck, made = 0, [], 0
    while first is not None and len(stuck) < 3:  # each takes half a minute
        command = [sys.executable, SCRIPT, first, "all" if full else "few"]
        done = backend_program.run(command, seconds=3000 if full else 600, CUDASIM_SEED=3)
        numbers = re.findall(r"^(\d+) (.*)", done.stdout, re.MULTILINE)
        made += len(numbers)
        if done.returncode == 0:
            first = None
        else:
            assert numbers and "Timeout" in done.stderr, done.stdout[-500:] + done.stderr[-2000:]
            stuck.append(numbers[-1][1])
            first = int(numbers[-1][0]) + 1
    assert not stuck, f"these calls wait with the GIL held: {stuck}"
    assert made > (1000 if full else 150), made


BEGIN = """
import ctypes, faulthandler, os, sys, threading
import numpy as np, cuarray as ca
faulthandler.dump_traceback_later(60, exit=True)
driver, passed = ctypes.CDLL(os.environ["CUARRAY_LIBCUDA"]), []
function = ctypes.CFUNCTYPE(None, ctypes.c_void_p)(lambda _: passed.append(1))
def gate(stream):
    ca.zeros(1, device="cuda:0")  # makes the context current in a new thread
    assert driver.cuLaunchHostFunc(ctypes.c_void_p(stream.handle), function, None) == 0
x = ca.arange(3.0, device="cuda:0")
"""

PROGRAMS = {
    # Eight chunks of an upload are in flight behind the host function; each thread waits with the lock of the chunks.
    "uploads of three threads, one lock": """
s = ca.Stream(device="cuda:0")
big = np.ones(3 << 17)
def work():
    for _ in range(4):
        with s:
            gate(s)
            y = ca.asarray(big, device="cuda:0")
            y[0] = 5
            assert float(y[0]) == 5 and float(y.sum()) == big.size + 4
threads = [threading.Thread(target=work) for _ in range(3)]
for t in threads: t.start()
for t in threads: t.join()
assert len(passed) == 12
""",
    # The start of a GPU waits for it with the lock of all devices, which the other threads want.
    "starts of four threads, one lock": """
barrier = threading.Barrier(4)
def work():
    barrier.wait()
    with ca.device("cuda:1"):
        passed.append(float(ca.ones(2).sum()))
threads = [threading.Thread(target=work) for _ in range(4)]
for t in threads: t.start()
for t in threads: t.join()
assert passed == [2] * 4
""",
    # One thread holds the lock of the graph, in which it waits; the other wants it.
    "fused in two threads": """
def work():
    s = ca.Stream(device="cuda:0")
    for _ in range(20):
        with s, ca.fuse():
            gate(s)
            y = (x + 1) * 2
            assert float(y.sum()) == 12 and y[x > 0].tolist() == [4, 6]
threads = [threading.Thread(target=work) for _ in range(3)]
for t in threads: t.start()
for t in threads: t.join()
""",
    "an error": """
s = ca.Stream(device="cuda:0")
with s:
    gate(s)
    bad = x[ca.asarray([7], device="cuda:0")]
    try:
        float(bad[0])
    except IndexError as error:
        assert "index 7" in str(error)
    else:
        raise AssertionError("no error")
    assert float(x[1]) == 1 and passed
""",
    "the end of the process": """
s = ca.Stream(device="cuda:0")
with s:
    gate(s)
    y = x + 1
class Last:
    def __del__(self):
        assert float(y[0]) == 1
        os.write(1, b"at the end\\n")
sys.last_words = Last()
""",
    "a destructor": """
s = ca.Stream(device="cuda:0")
class Last:
    def __init__(self, y): self.y = y
    def __del__(self): passed.append(float(self.y.sum()))
with s:
    gate(s)
    last = Last(x * 2)
    del last
assert passed == [1, 6.0]
""",
}


@pytest.mark.few
@pytest.mark.parametrize("name", PROGRAMS)
@pytest.mark.parametrize("progress", ["lazy", "random"])
def test_threads_wait_for_each_other(name, progress):
    command = ["python", "-c", BEGIN + PROGRAMS[name] + "\nprint('passed')"]
    backend_program.check(command, CUDASIM_PROGRESS=progress, CUDASIM_SEED=1)
