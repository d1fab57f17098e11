"""The simulated driver and NVRTC through ctypes, for the simulator's own tests."""

import ctypes
import os
from ctypes import byref, c_char_p, c_float, c_int, c_size_t, c_uint, c_uint64, c_void_p


class CudaError(Exception):
    def __init__(self, entry, code):
        super().__init__(f"{entry}: {code}")
        self.code = code


class Driver:
    """One per process; `Driver()` initialises it and makes device 0 current."""

    NON_BLOCKING = 1
    LEGACY = c_void_p(1)

    def __init__(self, init=True):
        self.cuda = ctypes.CDLL(os.environ["CUARRAY_LIBCUDA"])
        self.nvrtc = ctypes.CDLL(os.environ["CUARRAY_LIBNVRTC"])
        self.lowered = {}
        if init:
            self.call("cuInit", 0)
            self.contexts = [self.retain(i) for i in range(self.device_count())]
            self.call("cuCtxSetCurrent", self.contexts[0])

    def call(self, entry, *arguments):
        code = self.code(entry, *arguments)
        if code:
            raise CudaError(entry, code)

    def code(self, entry, *arguments):
        return getattr(self.cuda, entry)(*arguments)

    def device_count(self):
        count = c_int()
        self.call("cuDeviceGetCount", byref(count))
        return count.value

    def retain(self, device):
        context = c_void_p()
        self.call("cuDevicePrimaryCtxRetain", byref(context), device)
        return context

    def attribute(self, key, device=0):
        value = c_int()
        self.call("cuDeviceGetAttribute", byref(value), key, device)
        return value.value

    def stream(self, flags=NON_BLOCKING):
        handle = c_void_p()
        self.call("cuStreamCreate", byref(handle), flags)
        return handle

    def event(self, flags=0):
        handle = c_void_p()
        self.call("cuEventCreate", byref(handle), flags)
        return handle

    def alloc(self, size):
        address = c_uint64()
        self.call("cuMemAlloc_v2", byref(address), c_size_t(size))
        return address.value

    def alloc_async(self, size, stream=None):
        address = c_uint64()
        self.call("cuMemAllocAsync", byref(address), c_size_t(size), stream)
        return address.value

    def free_async(self, address, stream=None):
        self.call("cuMemFreeAsync", c_uint64(address), stream)

    def free(self, address):
        self.call("cuMemFree_v2", c_uint64(address))

    def pinned(self, size):
        memory = c_void_p()
        self.call("cuMemHostAlloc", byref(memory), c_size_t(size), 0)
        return (ctypes.c_char * size).from_address(memory.value)

    def upload(self, address, data, stream=None):
        """Copies bytes to the device and waits."""
        data = bytes(data)
        source = ctypes.create_string_buffer(data, len(data))
        self.call("cuMemcpyHtoDAsync_v2", c_uint64(address), source, c_size_t(len(data)), stream)
        self.synchronize(stream)

    def download(self, address, size, stream=None):
        target = ctypes.create_string_buffer(size)
        self.call("cuMemcpyDtoHAsync_v2", target, c_uint64(address), c_size_t(size), stream)
        self.synchronize(stream)
        return target.raw

    def fill(self, address, value, count, stream=None):
        self.call("cuMemsetD32Async", c_uint64(address), c_uint(value), c_size_t(count), stream)

    def synchronize(self, stream=None):
        self.call("cuStreamSynchronize", stream)

    def compile(self, text, options=("-arch=sm_90",), kind="CUBIN", names=()):
        """The image of a CUDA text, or a RuntimeError with the log; `lowered` gets the names of name expressions."""
        program = c_void_p()
        assert self.nvrtc.nvrtcCreateProgram(byref(program), text.encode(), b"test.cu", 0, None, None) == 0
        for name in names:
            assert self.nvrtc.nvrtcAddNameExpression(program, name.encode()) == 0
        given = (c_char_p * len(options))(*[o.encode() for o in options])
        result = self.nvrtc.nvrtcCompileProgram(program, len(options), given)
        size = c_size_t()
        if result:
            self.nvrtc.nvrtcGetProgramLogSize(program, byref(size))
            log = ctypes.create_string_buffer(size.value)
            self.nvrtc.nvrtcGetProgramLog(program, log)
            raise RuntimeError(f"nvrtc {result}: {log.value.decode()}")
        getattr(self.nvrtc, f"nvrtcGet{kind}Size")(program, byref(size))
        image = ctypes.create_string_buffer(size.value)
        getattr(self.nvrtc, f"nvrtcGet{kind}")(program, image)
        for name in names:
            lowered = c_char_p()
            assert self.nvrtc.nvrtcGetLoweredName(program, name.encode(), byref(lowered)) == 0
            self.lowered[name] = lowered.value.decode()
        self.nvrtc.nvrtcDestroyProgram(byref(program))
        return image

    def module(self, image):
        handle = c_void_p()
        self.call("cuModuleLoadData", byref(handle), image)
        return handle

    def function(self, module, name):
        handle = c_void_p()
        self.call("cuModuleGetFunction", byref(handle), module, name.encode())
        return handle

    def kernel(self, text, name, options=("-arch=sm_90",)):
        return self.function(self.module(self.compile(text, options)), name)

    def launch(self, function, grid, block, arguments, stream=None, shared=0):
        """Arguments are ctypes values; an int is a device address."""
        values = [c_uint64(a) if isinstance(a, int) else a for a in arguments]
        pointers = (c_void_p * max(1, len(values)))(*[ctypes.addressof(v) for v in values])
        grid, block = (tuple(d) + (1,) * (3 - len(d)) if isinstance(d, tuple) else (d, 1, 1) for d in (grid, block))
        self.call(
            "cuLaunchKernel",
            function,
            *map(c_uint, grid),
            *map(c_uint, block),
            c_uint(shared),
            stream,
            pointers,
            None,
        )

    def elapsed(self, start, end):
        milliseconds = c_float()
        self.call("cuEventElapsedTime", byref(milliseconds), start, end)
        return milliseconds.value
