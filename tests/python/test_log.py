"""CUARRAY_LOG, in separate processes: the settings are read when the first device is opened."""

import os
import re
import subprocess
import sys
import threading

import pytest
from peers import complaints

PROGRAM = """
import sys
import cuarray as ca
a = ca.asarray([1.0, 2.0, 3.0], dtype=ca.float32)
b = a * 2 + a
b.sum()
ca.synchronize()
b.numpy()
"""


def run(device, program=PROGRAM, **settings):
    environment = {**os.environ, "CUARRAY_DEVICE": device, "PYTHONWARNINGS": "always", **settings}
    result = subprocess.run(
        [sys.executable, "-c", program], env=environment, capture_output=True, text=True, timeout=120
    )
    assert result.returncode == 0, result.stderr
    return complaints(result.stderr)


def test_off_says_nothing(device):
    assert run(device, CUARRAY_LOG="") == []


@pytest.mark.parametrize(
    ("kinds", "seen"),
    [
        ("launch", {"launch"}),
        ("alloc,wait", {"alloc", "wait"}),
        ("copy", {"copy"}),
        (" alloc , wait", {"alloc", "wait"}),
    ],
)
def test_kinds(device, kinds, seen):
    lines = run(device, CUARRAY_LOG=kinds)
    assert all(line.startswith("cuarray ") for line in lines), lines
    assert {line.split()[1] for line in lines} == seen


def test_line(device):
    lines = [line for line in run(device, CUARRAY_LOG="launch", CUARRAY_FUSE="off") if "  astype  " not in line]
    pattern = rf"cuarray launch  multiply  a\*2  \(3,\) float32  24 B  {device}( stream 0x\w+)?  [\d.]+ [um]s"
    assert re.match(pattern, lines[0]), lines[0]
    assert lines[0].endswith("<string>:5"), "the line of the program, not of the package"
    assert [line.split()[2] for line in lines] == ["multiply", "add", "sum"]
    assert "sum(a, axis=(0,))" in lines[2] and lines[2].endswith("<string>:6")


def test_lines_without_the_gil(device):
    # Long operations release the GIL before the backend is called.
    program = "import cuarray as ca\na = ca.ones(200_000)\nb = (\n    a\n    + a\n)\nca.synchronize()\n"
    lines = run(device, program, CUARRAY_LOG="launch")
    assert lines[0].endswith("<string>:2") and re.search(r"<string>:[345]$", lines[1]), lines


def test_wrong_word(device):
    lines = run(device, CUARRAY_LOG="launch,lunch")
    assert any("CUARRAY_LOG: 'lunch' is none of launch, alloc, copy, wait" in line for line in lines)
    assert any(line.startswith("cuarray launch") for line in lines)
    assert any(line.startswith("<string>:4: RuntimeWarning") for line in lines), "the line of the program"


def test_failed_operation_is_logged(device):
    program = """
import cuarray as ca
try:
    ca.asarray([1, 2]) ** ca.asarray([1, -1])
    ca.synchronize()
except ValueError as error:
    print(error)
"""
    lines = run(device, program, CUARRAY_LOG="launch,wait")
    assert any("a**b" in line for line in lines)


def test_threads():
    before = threading.active_count()
    program = """
import threading
import cuarray as ca
a = ca.ones(100)
def work():
    for _ in range(50):
        a + a
threads = [threading.Thread(target=work) for _ in range(4)]
[t.start() for t in threads]
[t.join() for t in threads]
"""
    lines = run("cpu", program, CUARRAY_LOG="launch")
    assert len(lines) == 201
    assert all(re.match(r"cuarray launch  (ones|add) .*<string>:\d+$", line) for line in lines), "torn lines"
    assert threading.active_count() == before
