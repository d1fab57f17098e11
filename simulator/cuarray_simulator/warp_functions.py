"""Warp's memory, copies, fills and graphs by the driver: Warp has them from CUDA's runtime, which is not simulated."""

import contextlib
import ctypes
import functools
import math
import re

CURRENT_STREAM = 0xFFFFFFFFFFFFFFFF
#: Of the driver's API: attribute and value of a pointer to pinned memory, the flag of memory for all streams, the mode
#: of a capture that allows all calls, the flag of graphs whose launch frees what the one before has allocated.
MEMORY_TYPE, HOST, ATTACH_GLOBAL, RELAXED, FREE_ON_LAUNCH = 2, 1, 1, 2, 1
#: Functions that run kernels which are compiled in Warp's library; those that make objects say by 0 that they failed.
COMPILED = re.compile(r"wp_(array|bsr|deterministic|radix|runlength|segmented)_\w+_device")
size = ctypes.c_size_t


def pointer(address=None):
    """An address that is given as a number, as bytes or as an object of ctypes."""
    is_number = address is None or isinstance(address, int)
    return ctypes.c_void_p(address) if is_number else ctypes.cast(address, ctypes.c_void_p)


class DriverFunctions:
    """Functions with the names and parameters of those in Warp's library, whose first parameter is a context."""

    def __init__(self, library):
        self.library, self.driver = library, ctypes.CDLL("libcuda.so.1")
        self.stream_of_context = library.wp_cuda_context_get_stream
        self.stream_of_context.argtypes, self.stream_of_context.restype = [ctypes.c_void_p], ctypes.c_void_p
        #: The streams that another library captures.
        self.captured_by_others = set()

    def succeeds(self, context, name, *arguments):
        """Whether a call of the driver in a context, or in the current one, succeeds."""
        if context:
            self.driver.cuCtxPushCurrent_v2(pointer(context))
        else:
            self.make_current()
        try:
            return self.driver[name](*arguments) == 0
        finally:
            if context:
                self.driver.cuCtxPopCurrent_v2(ctypes.byref(pointer()))

    def fill(self, context, name, *arguments):
        """A fill, of which Warp does not look at the result."""
        if not self.succeeds(context, name, *arguments):
            raise RuntimeError(f"a fill of Warp failed: {name}")
        return True

    def make_current(self):
        """Make the first device's primary context the current one if there is none, as the runtime does."""
        context = pointer()
        self.driver.cuCtxGetCurrent(ctypes.byref(context))
        if not context.value:
            self.driver.cuDevicePrimaryCtxRetain(ctypes.byref(context), 0)
            self.driver.cuCtxSetCurrent(context)

    @contextlib.contextmanager
    def relaxed(self):
        """Calls that a capture of this thread does not see, and allows."""
        mode = ctypes.c_int(RELAXED)
        self.succeeds(None, "cuThreadExchangeStreamCaptureMode", ctypes.byref(mode))
        try:
            yield
        finally:
            self.succeeds(None, "cuThreadExchangeStreamCaptureMode", ctypes.byref(mode))

    def stream(self, context, stream):
        stream = pointer(stream)
        return pointer(self.stream_of_context(context)) if stream.value == CURRENT_STREAM else stream

    def allocated(self, context, name, bytes_, *more):
        address = pointer()
        done = self.succeeds(context, name, ctypes.byref(address), size(max(bytes_, 1)), *more)
        return address.value if done else None

    def wp_alloc_device(self, context, bytes_, _tag):
        return self.wp_alloc_device_async(context, bytes_, CURRENT_STREAM, None)

    def wp_alloc_device_default(self, context, bytes_, _tag):
        return self.allocated(context, "cuMemAlloc_v2", bytes_)

    def wp_alloc_device_async(self, context, bytes_, stream, _tag):
        return self.allocated(context, "cuMemAllocAsync", bytes_, self.stream(context, stream))

    def wp_alloc_device_managed(self, context, bytes_, _tag):
        return self.allocated(context, "cuMemAllocManaged", bytes_, ctypes.c_uint(ATTACH_GLOBAL))

    def wp_alloc_pinned(self, bytes_, _tag):
        return self.allocated(None, "cuMemHostAlloc", bytes_, ctypes.c_uint(1))

    def wp_free_device(self, context, address):
        self.wp_free_device_async(context, address, CURRENT_STREAM)

    def wp_free_device_default(self, context, address):
        self.succeeds(context, "cuCtxSynchronize")  # as cudaFree does
        self.succeeds(context, "cuMemFree_v2", pointer(address))

    def wp_free_device_async(self, context, address, stream):
        stream = CURRENT_STREAM if stream is None else stream
        self.succeeds(context, "cuMemFreeAsync", pointer(address), self.stream(context, stream))

    def wp_free_pinned(self, address):
        self.succeeds(None, "cuMemFreeHost", pointer(address))

    def wp_memset_device(self, context, to, value, bytes_, stream):
        stream = self.stream(context, stream)
        return self.fill(context, "cuMemsetD8Async", pointer(to), ctypes.c_ubyte(value), size(bytes_), stream)

    def wp_memtile_device(self, context, to, source, bytes_, count):
        """Fills with copies of an item."""
        stream = self.stream(context, CURRENT_STREAM)
        item = ctypes.string_at(pointer(source), bytes_)
        if bytes_ in (1, 2, 4):
            value = ctypes.c_uint(int.from_bytes(item, "little"))
            self.fill(context, f"cuMemsetD{8 * bytes_}Async", pointer(to), value, size(count), stream)
        else:
            items = item * min(count, math.ceil(2**20 / bytes_))
            for begin in range(0, bytes_ * count, len(items)):
                self.wp_memcpy_h2d(context, to + begin, items, min(len(items), bytes_ * count - begin), CURRENT_STREAM)

    def copies(self, context, name, to, source, bytes_, stream, host):
        """A copy between host and device, which pageable memory waits for, as by the runtime."""
        stream = self.stream(context, stream)
        kind = ctypes.c_uint()
        self.succeeds(context, "cuPointerGetAttribute", ctypes.byref(kind), MEMORY_TYPE, host)
        done = self.succeeds(context, name, to, source, size(bytes_), stream)
        if done and kind.value != HOST and not self.wp_cuda_stream_is_capturing(stream):
            done = self.succeeds(context, "cuStreamSynchronize", stream)
        return done

    def wp_memcpy_h2d(self, context, to, source, bytes_, stream):
        host = pointer(source)
        return self.copies(context, "cuMemcpyHtoDAsync_v2", pointer(to), host, bytes_, stream, host)

    def wp_memcpy_d2h(self, context, to, source, bytes_, stream):
        host = pointer(to)
        return self.copies(context, "cuMemcpyDtoHAsync_v2", host, pointer(source), bytes_, stream, host)

    def wp_memcpy_d2d(self, context, to, source, bytes_, stream):
        stream = self.stream(context, stream)
        return self.succeeds(context, "cuMemcpyDtoDAsync_v2", pointer(to), pointer(source), size(bytes_), stream)

    def wp_memcpy_p2p(self, to_context, to, context, source, bytes_, stream):
        stream = self.stream(context, stream)
        to_context, context = pointer(to_context), pointer(context)
        arguments = pointer(to), to_context, pointer(source), context, size(bytes_), stream
        return self.succeeds(context.value, "cuMemcpyPeerAsync", *arguments)

    def wp_cuda_stream_is_capturing(self, stream):
        status = ctypes.c_int()
        self.succeeds(None, "cuStreamIsCapturing", pointer(stream), ctypes.byref(status))
        return status.value

    def wp_cuda_stream_get_capture_id(self, stream):
        status, number = ctypes.c_int(), ctypes.c_uint64()
        found = ctypes.byref(status), ctypes.byref(number), *[None] * 4
        self.succeeds(None, "cuStreamGetCaptureInfo_v3", pointer(stream), *found)
        return number.value

    def wp_cuda_context_set_current(self, context):
        """No context stays no context for CUDA's runtime alone: the driver's calls need one."""
        if context:
            self.driver.cuCtxSetCurrent(pointer(context))
        else:
            self.make_current()

    def wp_cuda_context_check(self, context):
        return int(not self.succeeds(context, "cuCtxSynchronize"))

    def wp_cuda_event_elapsed_time(self, start, end):
        """The milliseconds between two events, for which it waits."""
        milliseconds = ctypes.c_float()
        for event in (start, end):
            self.succeeds(None, "cuEventSynchronize", pointer(event))
        self.succeeds(None, "cuEventElapsedTime", ctypes.byref(milliseconds), pointer(start), pointer(end))
        return milliseconds.value

    def wp_cuda_graph_begin_capture(self, context, stream, is_of_others, mode):
        if is_of_others:
            self.captured_by_others.add(stream)
            return True
        return self.succeeds(context, "cuStreamBeginCapture_v2", pointer(stream), mode)

    def wp_cuda_graph_end_capture(self, context, stream, graph):
        if stream in self.captured_by_others:
            self.captured_by_others.remove(stream)
            return True
        return self.succeeds(context, "cuStreamEndCapture", pointer(stream), graph)

    def wp_cuda_graph_create_exec(self, context, _stream, graph, executable):
        return self.succeeds(
            context, "cuGraphInstantiateWithFlags", executable, graph, ctypes.c_ulonglong(FREE_ON_LAUNCH)
        )

    def wp_cuda_graph_launch(self, executable, stream):
        return self.succeeds(None, "cuGraphLaunch", executable, pointer(stream))

    def wp_cuda_graph_exec_destroy(self, context, executable):
        with self.relaxed():
            return self.succeeds(context, "cuGraphExecDestroy", executable)

    def wp_cuda_graph_destroy(self, context, graph):
        with self.relaxed():
            return self.succeeds(context, "cuGraphDestroy", graph)

    def wp_cuda_load_module(self, *arguments):
        """Warp loads modules while it captures, which drivers have allowed since CUDA 12.3."""
        load = self.library["wp_cuda_load_module"]
        load.argtypes, load.restype = self.library.wp_cuda_load_module.argtypes, ctypes.c_void_p
        with self.relaxed():
            return load(*arguments)


class Library(ctypes.CDLL):
    """Warp's library, of which functions that cannot work raise, where they would only print."""

    def __getattr__(self, name):
        function = super().__getattr__(name)
        if not COMPILED.fullmatch(name):
            return function

        @functools.partial  # Warp notes the types of parameters at each function
        def refuse(*_arguments):
            raise RuntimeError(f"{name} is compiled in Warp's library, and simulated GPUs run kernels of PTX alone")

        setattr(self, name, refuse)
        return refuse


def with_driver_functions(context):
    """Have Warp's runtime, of the module that is its context, use DriverFunctions."""
    load = context.Runtime.load_dll

    @functools.wraps(load)
    def load_dll(self, path):
        library = load(self, path)
        if hasattr(library, "wp_memcpy_h2d"):
            library.__class__ = Library
            functions = DriverFunctions(library)
            for name in filter(lambda name: name.startswith("wp_"), dir(functions)):
                # Warp notes the types of parameters at each function.
                setattr(library, name, functools.partial(getattr(functions, name)))
        return library

    context.Runtime.load_dll = load_dll
    context.warp.config.lineinfo = True
