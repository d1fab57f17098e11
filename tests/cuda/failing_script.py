"""Runs runtime_script.py again and again in one process; each time one more driver call succeeds before one fails.

    failing_script.py CODE FIRST STEP    fail the calls FIRST, FIRST + STEP, ... with CODE, until none is left

Prints a line for each call that failed: its number and name, and what came of it. Exits with 1 where a failure did
not end in a clean exception, something leaked, or the next run was wrong.
"""

import contextlib
import ctypes
import gc
import os
import sys

import runtime_script

import cuarray as ca

driver = ctypes.CDLL(os.environ["CUARRAY_LIBCUDA"])
driver.cudasim_failed.restype = ctypes.c_char_p
GPUS = ("cuda:0", "cuda:1")
CLEAN = (ca.CudaError, MemoryError)


def held():
    """How many blocks are alive on the GPUs, once what a failed run has queued is over."""
    for gpu in GPUS:
        # A fault in values that the failed run could not report.
        with contextlib.suppress(ValueError):
            ca.synchronize(gpu)
    gc.collect()
    return [ca.memory_stats(gpu)["allocations"] for gpu in GPUS]


def fail_at(number, code):
    """Run the script while that call fails; return the call's name, '' where there was none, and what came."""
    driver.cudasim_fail_after(ctypes.c_long(number), code)
    try:
        problems = runtime_script.run()
        result = f"wrong results: {problems}" if problems else "nothing was noticed"
    except CLEAN as error:
        result = f"{type(error).__name__}: {error}"
    name = driver.cudasim_failed().decode()
    driver.cudasim_fail_after(ctypes.c_long(0), 0)
    return name, result.splitlines()[0]


def check(number, code, before):
    """One failure and the run after it; return the call's name and what is wrong."""
    name, result = fail_at(number, code)
    wrong = ["results"] if result.startswith("wrong") else []
    if (leaked := held()) != before:
        wrong.append(f"blocks alive: {leaked} instead of {before}")
    if name:
        print(f"{number:5} {name}: {result}", flush=True)
    if problems := runtime_script.run():
        wrong.append(f"the next run: {problems}")
    return name, wrong


def main(code, first, step):
    for _ in range(2):
        assert runtime_script.run() == []
    before, faults, number = held(), 0, first
    while True:
        name, wrong = check(number, code, before)
        if not name:
            break
        for what in wrong:
            faults += 1
            print(f"      WRONG: {what}", flush=True)
        number += step
    print(f"{number} calls at most, {faults} faults")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main(*map(int, sys.argv[1:])))
