"""Runs runtime_script.py in a process where driver calls fail.

    failing_script.py every CODE    the first call fails, in the next run the second, ... until none is left
    failing_script.py cold          three runs, while CUDASIM_FAIL names one call that fails
    failing_script.py stays         one call fails with an error that spoils the context

Prints what came of each failure. Exits with 1 where one did not end in a clean exception, something leaked,
or the next run was wrong.
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
ILLEGAL_ADDRESS = 700


def held():
    """How many blocks are alive on the GPUs, once what a failed run has queued is over."""
    for gpu in GPUS:
        # A fault in values that the failed run could not report.
        with contextlib.suppress(ValueError):
            ca.synchronize(gpu)
    gc.collect()
    return [ca.memory.stats(gpu)["allocations"] for gpu in GPUS]


def fail_at(number, code):
    """Run the script while that call fails; return the call's name, if there was one, and what came of it."""
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


def every(code):
    """All calls of a warm run, one after the other."""
    for _ in range(2):
        assert runtime_script.run() == []
    before, faults, number = held(), 0, 0
    while True:
        number += 1
        name, wrong = check(number, code, before)
        if not name:
            break
        for what in wrong:
            faults += 1
            print(f"      WRONG: {what}", flush=True)
    print(f"{number - 1} calls, {faults} faults")
    return faults


def cold():
    """One call of the first run, where devices are opened and kernels compiled."""
    failed = 0
    for _ in range(3):
        try:
            assert runtime_script.run() == []
        except (*CLEAN, ValueError) as error:
            print("error:", str(error).splitlines()[0], flush=True)
            failed += 1
    missing = not any(str(device) == GPUS[0] for device in ca.devices())
    if not missing:
        assert held() == [0, 0], held()
    return failed > (3 if missing else 1)


def stays():
    """What CUDA never takes back is said at every call, and the cpu goes on."""
    assert runtime_script.run() == []
    texts = []
    driver.cudasim_fail_after(ctypes.c_long(30), ILLEGAL_ADDRESS)
    for _ in range(3):
        try:
            runtime_script.run()
        except CLEAN as error:
            texts.append(str(error))
    assert len(texts) == 3 and all("The error stays" in text for text in texts), texts
    assert (ca.ones(3, device="cpu") + 1).tolist() == [2, 2, 2]
    return 0


if __name__ == "__main__":
    mode, *numbers = sys.argv[1:]
    faults = {"every": every, "cold": cold, "stays": stays}[mode](*map(int, numbers))
    sys.exit(1 if faults else 0)
