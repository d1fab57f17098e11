"""Results of non-temporal stores: the same bytes, and no write outside, for any address and length."""

import os
import subprocess
import sys

import pytest

CODE = """
import numpy as np, cuarray as ca

rng = np.random.default_rng(5)


def check(name, inputs, expected, begin, in_place=False):
    # `begin` bytes after a cache line's start, with bytes around it that must stay.
    size, item = expected.nbytes, expected.itemsize
    memory = np.full(size + 256, 0xA5, np.uint8)
    start = -memory.ctypes.data % 64 + begin
    window = memory[start : start + size].view(expected.dtype)
    if in_place:
        window[:] = inputs[0]
        inputs = [window, *inputs[1:]]
    getattr(ca, name)(*map(ca.asarray, inputs), out=ca.asarray(window))
    assert window.tobytes() == expected.tobytes(), (name, expected.dtype, expected.size, begin, in_place)
    assert (memory[:start] == 0xA5).all() and (memory[start + size :] == 0xA5).all(), (name, size, begin)


SIZES = [1, 2, 15, 16, 17, 31, 63, 64, 255, 256, 257, 1000, 200_003]
for dtype in (np.uint8, np.int16, np.float32, np.float64, np.complex128):
    item = np.dtype(dtype).itemsize
    for n in SIZES:
        x, y = (rng.integers(0, 100, n).astype(dtype) for _ in range(2))
        for begin in range(0, 64, min(item, 8)) if n < 300 else (0, item, 48):
            check("add", [x, y], x + y, begin)
            check("multiply", [x, y], x * y, begin)
            check("equal", [x, y], x == y, begin)
            check("add", [x, y], x + y, begin, in_place=True)
x = ca.arange(300_000, dtype=ca.float64)
total = ca.add(x, x)
assert (total.numpy() == 2 * np.arange(300_000)).all()   # read by every thread as soon as it is there
assert (ca.multiply(total, total).sum() == (4 * np.arange(300_000.0) ** 2).sum()).item()
"""


def run(code, **environment):
    return subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, env={**os.environ, **environment}, timeout=120
    )


@pytest.mark.parametrize("threads", ["1", "3"])
def test_streamed_results(threads):
    result = run(CODE, CUARRAY_STREAM_FROM="0", CUARRAY_NUM_THREADS=threads, CUARRAY_DEVICE="cpu")
    assert result.returncode == 0, result.stderr


@pytest.mark.parametrize("text", ["-1", "many", "1M", "1.5"])
def test_bad_limit(text):
    result = run("import cuarray; cuarray.ones(3) + 1", CUARRAY_STREAM_FROM=text, CUARRAY_DEVICE="cpu")
    assert "ValueError: CUARRAY_STREAM_FROM: a number of bytes expected, got '" + text in result.stderr
