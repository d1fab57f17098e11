"""Warp's memory, copies and fills by the driver: Warp has them from CUDA's runtime, which is not simulated."""

import ctypes
import functools
import math

CURRENT_STREAM = 0xFFFFFFFFFFFFFFFF
#: Of the driver's API: attribute and value of a pointer to pinned memory, the flag of memory for all streams.
MEMORY_TYPE, HOST, ATTACH_GLOBAL = 2, 1, 1
pointer, size = ctypes.c_void_p, ctypes.c_size_t


class Memory:
    """Functions with the names and parameters of those in Warp's library, whose first parameter is a context."""

    def __init__(self, library):
        self.driver = ctypes.CDLL("libcuda.so.1")
        self.stream_of_context = library.wp_cuda_context_get_stream
        self.stream_of_context.argtypes, self.stream_of_context.restype = [pointer], pointer

    def succeeds(self, context, name, *arguments):
        """Whether a call of the driver in a context, or in the current one, succeeds."""
        if context:
            self.driver.cuCtxPushCurrent_v2(pointer(context))
        try:
            return self.driver[name](*arguments) == 0
        finally:
            if context:
                self.driver.cuCtxPopCurrent_v2(ctypes.byref(pointer()))

    def stream(self, context, stream):
        stream = getattr(stream, "value", stream)
        return pointer(self.stream_of_context(context) if stream == CURRENT_STREAM else stream)

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
        self.succeeds(context, "cuMemFree_v2", pointer(address))

    def wp_free_device_async(self, context, address, stream):
        stream = CURRENT_STREAM if stream is None else stream
        self.succeeds(context, "cuMemFreeAsync", pointer(address), self.stream(context, stream))

    def wp_free_pinned(self, address):
        self.succeeds(None, "cuMemFreeHost", pointer(address))

    def wp_memset_device(self, context, to, value, bytes_, stream):
        stream = self.stream(context, stream)
        return self.succeeds(context, "cuMemsetD8Async", pointer(to), ctypes.c_ubyte(value), size(bytes_), stream)

    def wp_memtile_device(self, context, to, source, bytes_, count):
        """Fills with copies of an item."""
        stream = self.stream(context, CURRENT_STREAM)
        item = ctypes.string_at(getattr(source, "value", source), bytes_)
        if bytes_ in (1, 2, 4):
            value = ctypes.c_uint(int.from_bytes(item, "little"))
            self.succeeds(context, f"cuMemsetD{8 * bytes_}Async", pointer(to), value, size(count), stream)
        else:
            items = item * min(count, math.ceil(2**20 / bytes_))
            for begin in range(0, bytes_ * count, len(items)):
                self.wp_memcpy_h2d(context, to + begin, items, min(len(items), bytes_ * count - begin), CURRENT_STREAM)

    def copies(self, context, name, to, source, bytes_, stream, host):
        """A copy between host and device, which pageable memory waits for, as by the runtime."""
        stream = self.stream(context, stream)
        capturing, kind = ctypes.c_int(), ctypes.c_uint()
        self.driver.cuStreamIsCapturing(stream, ctypes.byref(capturing))
        self.driver.cuPointerGetAttribute(ctypes.byref(kind), MEMORY_TYPE, host)
        done = self.succeeds(context, name, to, source, size(bytes_), stream)
        if done and kind.value != HOST and not capturing.value:
            done = self.succeeds(context, "cuStreamSynchronize", stream)
        return done

    def wp_memcpy_h2d(self, context, to, source, bytes_, stream):
        source = source if isinstance(source, bytes) else pointer(getattr(source, "value", source))
        host = ctypes.cast(source, pointer)
        return self.copies(context, "cuMemcpyHtoDAsync_v2", pointer(to), host, bytes_, stream, host)

    def wp_memcpy_d2h(self, context, to, source, bytes_, stream):
        host = pointer(getattr(to, "value", to))
        return self.copies(context, "cuMemcpyDtoHAsync_v2", host, pointer(source), bytes_, stream, host)

    def wp_memcpy_d2d(self, context, to, source, bytes_, stream):
        stream = self.stream(context, stream)
        return self.succeeds(context, "cuMemcpyDtoDAsync_v2", pointer(to), pointer(source), size(bytes_), stream)

    def wp_memcpy_p2p(self, to_context, to, context, source, bytes_, stream):
        stream = self.stream(context, stream)
        to_context, context = pointer(to_context), pointer(context)
        arguments = pointer(to), to_context, pointer(source), context, size(bytes_), stream
        return self.succeeds(context.value, "cuMemcpyPeerAsync", *arguments)


def with_driver_memory(context):
    """Have Warp's runtime, of the module that is its context, use the functions of Memory."""
    load = context.Runtime.load_dll

    @functools.wraps(load)
    def load_dll(self, path):
        library = load(self, path)
        if hasattr(library, "wp_memcpy_h2d"):
            memory = Memory(library)
            for name in filter(lambda name: name.startswith("wp_"), dir(memory)):
                # Warp notes the types of parameters at each function.
                setattr(library, name, functools.partial(getattr(memory, name)))
        return library

    context.Runtime.load_dll = load_dll
