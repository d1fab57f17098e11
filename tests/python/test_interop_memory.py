"""cuarray.interop.memory: one pool for cuarray and RMM, PyTorch or CuPy, in both directions.

The libraries are stand-ins with the calls and signatures of the real ones, over the driver's memory.
"""

import contextlib
import ctypes
import gc
import os
import sys
from types import SimpleNamespace

import allocators
import pytest

import cuarray
from cuarray import memory
from cuarray.interop import memory as interop


class Exhausted(RuntimeError):
    """A library's own error when memory has run out."""


class Peer:
    """What the stand-ins have in common: a lender, and the streams of the calls."""

    def __init__(self):
        self.lender = allocators.GpuLender()
        self.streams, self.is_exhausted = [], False

    def take(self, size, stream):
        if self.is_exhausted:
            raise Exhausted("no more")
        self.streams.append(stream)
        return self.lender.allocate(size, stream)

    def give(self, address, stream):
        self.streams.append(stream)
        self.lender.free(address, self.lender.live[address], stream)


class Torch(Peer):
    """torch.cuda.caching_allocator_alloc and _delete; CUDAPluggableAllocator."""

    __version__ = "stand-in"

    def __init__(self):
        super().__init__()
        self.home, self.current = {}, None
        self.backends = SimpleNamespace(cuda=SimpleNamespace(is_built=lambda: True))
        self.cuda = SimpleNamespace(
            caching_allocator_alloc=self.alloc, caching_allocator_delete=self.delete, OutOfMemoryError=Exhausted,
            memory=SimpleNamespace(CUDAPluggableAllocator=self.pluggable, change_current_allocator=self.change),
        )  # fmt: skip

    def alloc(self, size, device=None, stream=None):
        assert isinstance(device, int) and isinstance(stream, int)
        address = self.take(size, stream)
        self.home[address] = stream
        return address

    def delete(self, mem_ptr):
        self.give(mem_ptr, self.home.pop(mem_ptr))

    def pluggable(self, path_to_so_file, alloc_fn_name, free_fn_name):
        library = ctypes.CDLL(path_to_so_file)
        types = (
            ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.c_ssize_t, ctypes.c_int, ctypes.c_void_p),
            ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_ssize_t, ctypes.c_int, ctypes.c_void_p),
        )
        return [kind((name, library)) for kind, name in zip(types, (alloc_fn_name, free_fn_name), strict=True)]

    def change(self, allocator):
        self.current = allocator


class Cupy(Peer):
    """cupy.cuda.alloc on the current stream; PythonFunctionAllocator."""

    def __init__(self):
        super().__init__()
        self.stack, self.current = [0], None
        self.cuda = SimpleNamespace(
            alloc=self.alloc, ExternalStream=self.external, Device=lambda index: contextlib.nullcontext(),
            get_current_stream=lambda: SimpleNamespace(ptr=self.stack[-1]), set_allocator=self.set_allocator,
            memory=SimpleNamespace(OutOfMemoryError=Exhausted),
            PythonFunctionAllocator=self.python_allocator,
        )  # fmt: skip

    @contextlib.contextmanager
    def external(self, ptr, device_id=-1):
        self.stack.append(ptr)
        yield
        self.stack.pop()

    def alloc(self, size):
        peer = self

        class Pointer:
            ptr = self.take(size, self.stack[-1])

            def __del__(self):
                peer.give(self.ptr, peer.stack[-1])

        return Pointer()

    def python_allocator(self, malloc_func, free_func):
        self.free = free_func  # called with address and device when a pointer is dropped
        return SimpleNamespace(malloc=malloc_func)

    def set_allocator(self, allocator):
        self.current = allocator


class Rmm(Peer):
    """Resources with allocate and deallocate; CallbackMemoryResource. Streams have __cuda_stream__, as RMM's accept it."""

    def __init__(self):
        super().__init__()
        self.current = SimpleNamespace(allocate=self.allocate, deallocate=self.deallocate)
        self.mr = SimpleNamespace(
            get_per_device_resource=lambda index: self.current, set_per_device_resource=self.set_resource,
            CallbackMemoryResource=lambda allocate, free: SimpleNamespace(allocate=allocate, deallocate=free),
        )  # fmt: skip
        self.pylibrmm = SimpleNamespace(stream=SimpleNamespace(Stream=self.stream))

    def stream(self, obj=None):
        handle = obj.__cuda_stream__()[1]
        return SimpleNamespace(__cuda_stream__=lambda: (0, handle), handle=handle)

    def allocate(self, size, stream):
        try:
            return self.take(size, stream.handle)
        except Exhausted as error:
            raise MemoryError(str(error)) from error

    def deallocate(self, address, size, stream):
        assert self.lender.live[address] == size
        self.give(address, stream.handle)

    def set_resource(self, index, resource):
        self.current = resource


PEERS = {"torch": (Torch, interop.use_torch), "cupy": (Cupy, interop.use_cupy), "rmm": (Rmm, interop.use_rmm)}


@pytest.fixture
def gpu(device):
    """A GPU, or the cpu where there is none: the tests of the cpu are those of errors."""
    return device if device != "cpu" else None


@pytest.fixture
def peer(request, gpu, monkeypatch):
    if gpu is None:
        yield
        return
    made = PEERS[request.param][0]()
    monkeypatch.setitem(sys.modules, request.param, made)
    yield made
    memory.set_allocator(None, gpu)


def errors_of_cpu(call):
    with pytest.raises(ValueError, match="cpu has no CUDA memory"):
        call("cpu")


@pytest.mark.parametrize("peer, name", [(n, n) for n in PEERS], indirect=["peer"])
def test_arrays_in_the_memory_of_a_peer(peer, name, gpu):
    use = PEERS[name][1]
    errors_of_cpu(use)
    if gpu is None:
        return
    use(gpu)
    x = cuarray.ones((1000, 3), "f4")
    address = x.__cuda_array_interface__["data"][0]
    assert peer.lender.live[address] >= x.nbytes
    y = (x * 2).sum()
    assert float(y) == 6000
    stream = cuarray.Stream(gpu)
    with stream:
        z = x + 1
    assert peer.streams[-1] == stream.handle
    del x, y, z
    memory.set_allocator(None, gpu)
    memory.trim()  # exported memory is kept until the driver is asked when other libraries have finished with it
    assert not peer.lender.live, "a block was not given back"
    assert set(peer.streams) <= {stream.handle, cuarray.default_stream(gpu).handle}


@pytest.mark.parametrize("peer, name", [(n, n) for n in PEERS], indirect=["peer"])
def test_a_peer_without_memory(peer, name, gpu):
    errors_of_cpu(PEERS[name][1])
    if gpu is None:
        return
    PEERS[name][1](gpu)
    peer.is_exhausted = True
    with pytest.raises(MemoryError, match="no more"):
        cuarray.ones(1000)
    peer.is_exhausted = False
    assert cuarray.ones(1000).sum() == 1000


def work_on(address, size, stream):
    """Fill a block on a stream, as the library's kernels would."""
    driver = ctypes.CDLL(os.environ.get("CUARRAY_LIBCUDA", "libcuda.so.1"))
    status = driver.cuMemsetD8Async(
        ctypes.c_uint64(address), ctypes.c_ubyte(7), ctypes.c_size_t(size), ctypes.c_void_p(stream)
    )
    assert status == 0


def check_served(gpu, allocate, free):
    """Blocks are cuarray's, distinct, counted, limited, and may be used until they are freed, on any stream."""
    gc.collect()  # what earlier tests left
    before = memory.stats(gpu)
    streams = [cuarray.Stream(gpu) for _ in range(2)]
    blocks = []
    for size, stream in ((1000, streams[0]), (1 << 20, streams[1]), (1, cuarray.default_stream(gpu))):
        address = allocate(size, stream.handle)
        assert address % 256 == 0
        work_on(address, size, stream.handle)
        blocks.append((address, size, stream.handle))
    now = memory.stats(gpu)
    assert now["current"] == before["current"] + 1001 + (1 << 20) and now["allocations"] == before["allocations"] + 3
    for address, size, stream in blocks:
        free(address, size, stream)
    again = allocate(1000, streams[1].handle)
    work_on(again, 1000, streams[1].handle)
    free(again, 1000, streams[1].handle)
    cuarray.synchronize()
    assert memory.stats(gpu)["current"] == before["current"]


@pytest.mark.parametrize("peer", ["torch"], indirect=True)
def test_tensors_of_torch_in_our_memory(peer, gpu):
    assert interop.LIBRARY.exists()
    symbols = ctypes.CDLL(str(interop.LIBRARY))
    assert symbols.cuarray_allocate and symbols.cuarray_deallocate
    if gpu is None:
        return
    interop.serve_torch()
    allocate, free = peer.current
    index = cuarray.device(gpu).index
    check_served(
        gpu, lambda size, stream: allocate(size, index, stream), lambda a, size, stream: free(a, size, index, stream)
    )
    assert not allocate(0, index, None)


@pytest.mark.parametrize("peer", ["cupy"], indirect=True)
def test_arrays_of_cupy_in_our_memory(peer, gpu):
    errors_of_cpu(interop.use_cupy)
    if gpu is None:
        return
    interop.serve_cupy()
    index = cuarray.device(gpu).index

    def allocate(size, stream):
        with peer.external(stream):
            return peer.current(size, index)

    check_served(gpu, allocate, lambda address, size, stream: peer.free(address, index))


@pytest.mark.parametrize("peer", ["rmm"], indirect=True)
def test_resources_of_rmm_in_our_memory(peer, gpu):
    errors_of_cpu(interop.serve_rmm)
    if gpu is None:
        return
    resource = interop.serve_rmm(gpu)
    assert peer.current is resource
    as_stream = lambda handle: peer.stream(interop._Stream(handle))  # noqa: E731
    check_served(gpu, lambda size, stream: resource.allocate(size, as_stream(stream)),
                 lambda a, size, stream: resource.deallocate(a, size, as_stream(stream)))  # fmt: skip


@pytest.mark.parametrize("peer", ["rmm"], indirect=True)
def test_allocators_that_call_each_other(peer, gpu):
    errors_of_cpu(interop.use_rmm)
    if gpu is None:
        return
    interop.serve_rmm(gpu)
    interop.use_rmm(gpu)
    with pytest.raises(RuntimeError, match="call each other"):
        cuarray.ones(1000)
    memory.set_allocator(None, gpu)
    assert cuarray.ones(1000).sum() == 1000


def test_blocks_that_are_not_ours(gpu, monkeypatch):
    reported = []
    monkeypatch.setattr(sys, "unraisablehook", lambda args: reported.append(str(args.exc_value)))
    cuarray._core.free_block(0, 0, 0, 0)
    size = 8 if gpu is None else 16  # a message is reported once
    cuarray._core.free_block(256, size, 0, 0)
    assert len(reported) == 1 and f"no block of {size} bytes on cuda:0" in reported[0]
    with pytest.raises(ValueError, match=r"device|cuda:99"):
        cuarray._core.allocate_block(8, 99, 0)
    if gpu is not None:
        with memory.limit(1000, gpu), pytest.raises(MemoryError):
            cuarray._core.allocate_block(memory.stats(gpu)["current"] + 2000, cuarray.device(gpu).index, 0)


@pytest.mark.parametrize("name", PEERS)
def test_missing_libraries(name, gpu, monkeypatch):
    monkeypatch.setitem(sys.modules, name, None)
    call = {"torch": interop.serve_torch, "cupy": interop.serve_cupy, "rmm": lambda: interop.use_rmm(gpu or "cuda:0")}[
        name
    ]
    with pytest.raises((ImportError, ValueError), match=r"pip install|device"):
        call()
