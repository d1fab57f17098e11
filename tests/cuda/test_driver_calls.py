"""The number of driver calls of each operation, counted by the simulator."""

import os
import re
import subprocess
import sys

import backend_program
import pytest

BEGIN = """
import cuarray as ca
a, b, c, big = ca.ones(1000), ca.ones(1000), ca.empty(1000), ca.ones(1 << 18)
pinned = ca.empty(1000, memory="pinned")
stream, other = ca.Stream(), ca.Stream()
def operation():
    {operation}
with stream:
    for i in range(3):
        operation()
for i in range(40):
    operation()
for i in range({repeats}):
    operation()
"""
# The permitted driver calls and their number, per call of the operation.
PROGRAMS = {
    "into an array": ("ca.add(a, b, out=c)", {"cuLaunchKernel": 1, "cuCtxGetCurrent": 1}),
    "with a new array": ("a + b", {"cuLaunchKernel": 1, "cuCtxGetCurrent": 1}),
    # The array's memory is freed at once, outside of an operation. Beside another stream's capture the pool can grow only
    # in a relaxed mode, which is set and set back.
    "with a new array that the driver gives": (
        "big + big",
        {
            "cuLaunchKernel": 1,
            "cuMemAllocAsync": 1,
            "cuMemFreeAsync": 1,
            "cuCtxGetCurrent": 2,
            "cuThreadExchangeStreamCaptureMode": 2,
        },
    ),
    "a reduction": ("a.sum(out=c[:1].reshape(()))", {"cuLaunchKernel": 1, "cuCtxGetCurrent": 1}),
    "dlpack, same stream": ("ca.from_dlpack(a)", {}),
    "cuda array interface": ("a.__cuda_array_interface__", {}),
    "a copy to pinned memory": (
        "ca.copyto(pinned, a)",
        {"cuMemcpyDtoHAsync": 1, "cuEventRecord": 1, "cuCtxGetCurrent": 2},
    ),
    "readers on another stream": (
        "with other: a.sum(out=c[:1].reshape(()))",
        {"cuLaunchKernel": 1, "cuCtxGetCurrent": 1},
    ),
}


def calls(operation, repeats):
    """Return the number of calls of each entry point by a program with `repeats` operations."""
    program = BEGIN.format(operation=operation, repeats=repeats)
    result = subprocess.run(
        [*backend_program.SIMULATOR, sys.executable, "-c", program],
        env={**os.environ, "CUDASIM_LOG": "1", "CUDASIM_SEED": "1", "CUARRAY_DEVICE": "cuda:0", "CUARRAY_FUSE": "off"},
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert result.returncode == 0, result.stderr[-3000:]
    return {name: int(count) for count, name in re.findall(r"(\d+) calls of (\w+)", result.stderr)}


@pytest.mark.few
@pytest.mark.parametrize("name", PROGRAMS)
def test_calls_per_operation(name):
    operation, allowed = PROGRAMS[name]
    few, many = calls(operation, 0), calls(operation, 100)
    more = {entry: (many[entry] - few.get(entry, 0)) / 100 for entry in many if many[entry] != few.get(entry, 0)}
    assert more == allowed
