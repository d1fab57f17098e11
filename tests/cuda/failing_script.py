"""Runs runtime_script.py in a process where driver calls fail.

    failing_script.py every CODE    the first call fails, in the next run the second, ... up to the last
    failing_script.py cold          three runs, while CUDASIM_FAIL names one call that fails
    failing_script.py calls CODE    each call in each line of LINES fails; prints line, call, outcome
    failing_script.py stays         one call fails with a sticky error

Prints the outcome of each failure. Exits with 1 if one did not end in a clean exception, something leaked,
or the next run was wrong.
"""

import contextlib
import ctypes
import gc
import itertools
import os
import sys
import types

import runtime_script

import cuarray as ca

driver = ctypes.CDLL(os.environ["CUARRAY_LIBCUDA"])
driver.cudasim_failed.restype = ctypes.c_char_p
GPUS = ("cuda:0", "cuda:1")
CLEAN = (ca.CudaError, MemoryError)
ILLEGAL_ADDRESS = 700


def held():
    """The number of live blocks on the GPUs, after the work queued by a failed run."""
    for gpu in GPUS:
        # A fault in values that the failed run could not report.
        with contextlib.suppress(ValueError):
            ca.synchronize(gpu)
    gc.collect()
    return [ca.memory.stats(gpu)["allocations"] for gpu in GPUS]


def fail_at(number, code):
    """Run the script while that call fails; return the call's name, if there was one, and the outcome."""
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
    """One failure and the run after it; return the call's name and the errors."""
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


# Calls that runtime_script.py does not make; `made` are the objects of `calls`. test_cuda_failures.py tests failing
# captures, each in its own process: a stream whose cuStreamEndCapture failed never stops capturing.
LINES = """
made.stream.query()
made.stream.record()
made.stream.wait(made.event)
made.stream.wait(ca.default_stream("cuda:0"))
made.stream.synchronize()
made.event.query()
made.event.synchronize()
made.end.elapsed_ms(made.event)
made.graph.launch()
made.place.properties
made.place.memory_info()
made.place.enable_peer_access("cuda:1")
ca.Stream.from_external(made.stream.handle, device="cuda:0")
ca.Stream.from_external(made.foreign, device="cuda:0")
ca.asarray(made.lent)
ca.copyto(made.x, made.pinned)
made.kept.append(ca.empty(3 << 20, dtype="u1", device="cuda:0"))
made.kept.append(ca.empty(5000, memory="direct", device="cuda:0"))
made.kept.append(ca.empty(5000, memory="managed", device="cuda:0"))
made.kept.append(ca.empty(5000, memory="pinned"))
"""


def foreign_stream():
    """The handle of a stream of cuda:0 that another library made."""
    context, stream = ctypes.c_void_p(), ctypes.c_void_p()
    assert driver.cuDevicePrimaryCtxRetain(ctypes.byref(context), 0) == 0
    assert driver.cuCtxPushCurrent_v2(context) == 0
    assert driver.cuStreamCreate(ctypes.byref(stream), 1) == 0
    assert driver.cuCtxPopCurrent_v2(ctypes.byref(context)) == 0
    return stream.value


def calls(code):
    """Each driver call in each line fails once."""
    made = types.SimpleNamespace(kept=[], place=ca.device("cuda:0"), stream=ca.Stream(device="cuda:0"))
    made.foreign = foreign_stream()
    made.x, made.pinned = ca.ones(5, device="cuda:0"), ca.ones(5, memory="pinned")
    made.lent = types.SimpleNamespace(__cuda_array_interface__=made.x.__cuda_array_interface__, array=made.x)
    made.event, made.end = (ca.Event(timing=True, device="cuda:0") for _ in range(2))
    made.event.record()
    made.end.record().synchronize()
    made.graph = ca.Graph(device="cuda:0")
    with made.graph.capture():
        made.x += 1
    # Twice: a failure may come between a call and one that is made only the first time.
    for line in 2 * LINES.split("\n")[1:-1]:
        for number in itertools.count(1):
            driver.cudasim_fail_after(ctypes.c_long(number), code)
            try:
                exec(line, {"ca": ca, "made": made})
                result = "nothing was noticed"
            except CLEAN as error:
                result = str(error).splitlines()[0]
            name = driver.cudasim_failed().decode()
            driver.cudasim_fail_after(ctypes.c_long(0), 0)
            if not name:
                break
            print(f"{line} | {name} | {result}", flush=True)
        assert result == "nothing was noticed", (line, result)
    return 0


def stays():
    """A sticky error is reported at every call, and the cpu continues to work."""
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
    faults = {"every": every, "cold": cold, "calls": calls, "stays": stays}[mode](*map(int, numbers))
    sys.exit(1 if faults else 0)
