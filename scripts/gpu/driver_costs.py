"""What the driver's own calls cost, by ctypes and without a library between: a part of gpu_check.sh."""

import ctypes
import os
import time

from results import attempt, tell

CALLS, ROUNDS = 2000, 7
TEXT = b"""
.version 7.0
.target sm_70
.address_size 64
.visible .entry nothing(.param .u64 p) { ret; }
"""


class Driver:
    """CUDA's driver: calls by name, whose errors are exceptions."""

    def __init__(self):
        self.library = ctypes.CDLL(os.environ.get("CUARRAY_LIBCUDA", "libcuda.so.1"))

    def __call__(self, name, *arguments):
        code = getattr(self.library, name)(*arguments)
        if code:
            raise RuntimeError(f"{name}: error {code}")


def nanoseconds(function, finish, calls=CALLS):
    """Return the best time of a call; `finish` runs after each round, outside of the time."""
    best = float("inf")
    for _ in range(ROUNDS):
        start = time.perf_counter_ns()
        for _ in range(calls):
            function()
        best = min(best, (time.perf_counter_ns() - start) / calls)
        finish()
    return best


def costs():
    driver = Driver()
    p, byref, size = ctypes.c_void_p, ctypes.byref, ctypes.c_size_t
    context, module, function, stream, event, memory, number = p(), p(), p(), p(), p(), p(), ctypes.c_int()
    driver("cuInit", 0)
    driver("cuDevicePrimaryCtxRetain", byref(context), 0)
    driver("cuCtxSetCurrent", context)
    driver("cuModuleLoadData", byref(module), TEXT)
    driver("cuModuleGetFunction", byref(function), module, b"nothing")
    driver("cuStreamCreate", byref(stream), 1)
    driver("cuEventCreate", byref(event), 2)
    driver("cuMemAlloc_v2", byref(memory), size(1 << 20))
    host, pinned = ctypes.create_string_buffer(64), p()
    driver("cuMemHostAlloc", byref(pinned), size(1 << 20), 0)
    value, other = ctypes.c_uint64(), p()
    parameters = (p * 1)(ctypes.cast(byref(value), p))

    def wait():
        driver("cuStreamSynchronize", stream)

    def allocate():
        driver("cuMemAllocAsync", byref(other), size(1 << 12), stream)
        driver("cuMemFreeAsync", other, stream)

    def launch(threads=32):
        driver("cuLaunchKernel", function, 1, 1, 1, threads, 1, 1, 0, stream, parameters, None)

    def launch_and_wait():
        launch()
        wait()

    def read_back():
        driver("cuMemcpyDtoHAsync_v2", host, memory, size(8), stream)
        wait()

    def read_back_pinned():
        driver("cuMemcpyDtoHAsync_v2", pinned, memory, size(8), stream)
        wait()

    rows = {
        "an empty ctypes call (cuDriverGetVersion)": lambda: driver("cuDriverGetVersion", byref(number)),
        "cuCtxGetCurrent": lambda: driver("cuCtxGetCurrent", byref(other)),
        "cuStreamIsCapturing": lambda: driver("cuStreamIsCapturing", stream, byref(number)),
        "cuEventRecord": lambda: driver("cuEventRecord", event, stream),
        "cuEventQuery": lambda: driver.library.cuEventQuery(event),
        "cuStreamWaitEvent": lambda: driver("cuStreamWaitEvent", stream, event, 0),
        "cuMemAllocAsync and cuMemFreeAsync": allocate,
        "cuMemsetD8Async": lambda: driver("cuMemsetD8Async", memory, ctypes.c_ubyte(0), size(64), stream),
        "cuLaunchKernel": launch,
        "cuLaunchKernel, cuStreamSynchronize": launch_and_wait,
        "8 bytes to pageable memory, and wait": read_back,
        "8 bytes to pinned memory, and wait": read_back_pinned,
    }
    for name, row in rows.items():
        for _ in range(20):
            row()
        wait()
        taken = nanoseconds(row, wait, 500)
        tell(name, "passed", f"{taken / 1e3:.2f} us", seconds=taken / 1e9)


attempt("driver's calls", costs)
