"""The time of calls on a GPU, which work asynchronously: used by the parts of gpu_check.sh."""

import os
import time

ROUNDS = 7
os.environ.setdefault("CUARRAY_FUSE", "off")  # each call launches; read when cuarray is imported, after this module


def seconds(function, wait, round_seconds=0.02):
    """Return the best time of a call, over rounds that are long enough for the clock; `wait` waits for the GPU."""
    function()
    wait()
    start = time.perf_counter()
    function()
    wait()
    calls = max(1, min(200, int(round_seconds / max(time.perf_counter() - start, 1e-6))))
    best = float("inf")
    for _ in range(ROUNDS):
        start = time.perf_counter()
        for _ in range(calls):
            function()
        wait()
        best = min(best, (time.perf_counter() - start) / calls)
    return best
