"""One GPU memory pool for cuarray and another library: cuarray's arrays in its memory, or its arrays in cuarray's.

`use_rmm`, `use_torch` and `use_cupy` let the other library allocate cuarray's arrays; `serve_rmm`, `serve_torch` and
`serve_cupy` let cuarray allocate the other library's. See docs/sharing_a_gpu.md.
"""

from pathlib import Path

import cuarray
from cuarray import _core

__all__ = ["serve_cupy", "serve_rmm", "serve_torch", "use_cupy", "use_rmm", "use_torch"]


def __dir__() -> list[str]:
    return sorted(__all__)


def _imported(name, install):
    try:
        return __import__(name)
    except ImportError as error:
        raise ImportError(f"cuarray.interop.memory needs {name} here: pip install {install}") from error


def _gpu(device, function):
    """Return a GPU; ValueError for the cpu, whose memory these libraries do not allocate."""
    device = _core.device(device)
    if device.kind == "cpu":
        raise ValueError(f"{function}: {device} has no CUDA memory; pass a GPU as device=")
    return device


class _Stream:
    """A stream by its handle, with the protocol by which other libraries accept it."""

    def __init__(self, handle):
        self.handle = handle

    def __cuda_stream__(self):
        return 0, self.handle


class RmmAllocator:
    """Memory of RMM's resource of a device, as it is at each call."""

    def __init__(self, rmm, device):
        self.rmm, self.device = rmm, device
        self.resources = {}  #: by address: a block goes back to the resource that it came from

    def allocate(self, size, stream):
        resource = self.rmm.mr.get_per_device_resource(self.device.index)
        address = resource.allocate(size, self.stream(stream))
        self.resources[address] = resource
        return address

    def free(self, address, size, stream):
        self.resources.pop(address).deallocate(address, size, self.stream(stream))

    def stream(self, handle):
        return self.rmm.pylibrmm.stream.Stream(_Stream(handle))


class TorchAllocator:
    """Memory of PyTorch's caching allocator."""

    def __init__(self, torch, device):
        self.torch, self.device = torch, device

    def allocate(self, size, stream):
        try:
            return self.torch.cuda.caching_allocator_alloc(size, self.device.index, stream)
        except self.torch.cuda.OutOfMemoryError as error:
            raise MemoryError(str(error)) from error

    def free(self, address, size, stream):
        self.torch.cuda.caching_allocator_delete(address)


class CupyAllocator:
    """Memory of CuPy's current allocator."""

    def __init__(self, cupy, device):
        self.cupy, self.device = cupy, device
        self.blocks = {}  #: CuPy's pointers by address; the memory is free when they are gone

    def on(self, stream):
        return self.cupy.cuda.ExternalStream(stream, self.device.index)

    def allocate(self, size, stream):
        try:
            with self.cupy.cuda.Device(self.device.index), self.on(stream):
                block = self.cupy.cuda.alloc(size)
        except self.cupy.cuda.memory.OutOfMemoryError as error:
            raise MemoryError(str(error)) from error
        self.blocks[block.ptr] = block
        return block.ptr

    def free(self, address, size, stream):
        with self.cupy.cuda.Device(self.device.index), self.on(stream):
            del self.blocks[address]


def use_rmm(device: _core.device | str | None = None) -> None:
    """Let RMM allocate the memory of new arrays, by the resource that is the device's at each allocation.

    Parameters
    ----------
    device : device or str, optional
        A GPU; the current device by default.

    Raises
    ------
    ImportError
        If RMM is not installed.
    ValueError
        If the device is the cpu.

    See Also
    --------
    cuarray.memory.set_allocator : ``set_allocator(None)`` undoes it

    Examples
    --------
    >>> from cuarray.interop import memory
    >>> memory.use_rmm("cuda:0")  # doctest: +SKIP
    """
    device = _gpu(device, "use_rmm")
    cuarray.memory.set_allocator(RmmAllocator(_imported("rmm", "rmm-cu12, or rmm-cu13"), device), device)


def use_torch(device: _core.device | str | None = None) -> None:
    """Let PyTorch's caching allocator allocate the memory of new arrays.

    Parameters
    ----------
    device : device or str, optional
        A GPU; the current device by default.

    Raises
    ------
    ImportError
        If PyTorch is not installed.
    ValueError
        If the device is the cpu.

    See Also
    --------
    cuarray.memory.set_allocator : ``set_allocator(None)`` undoes it

    Examples
    --------
    >>> from cuarray.interop import memory
    >>> memory.use_torch("cuda:0")  # doctest: +SKIP
    """
    device = _gpu(device, "use_torch")
    cuarray.memory.set_allocator(TorchAllocator(_imported("torch", "torch"), device), device)


def use_cupy(device: _core.device | str | None = None) -> None:
    """Let CuPy's allocator, its memory pool by default, allocate the memory of new arrays.

    Parameters
    ----------
    device : device or str, optional
        A GPU; the current device by default.

    Raises
    ------
    ImportError
        If CuPy is not installed.
    ValueError
        If the device is the cpu.

    See Also
    --------
    cuarray.memory.set_allocator : ``set_allocator(None)`` undoes it

    Examples
    --------
    >>> from cuarray.interop import memory
    >>> memory.use_cupy("cuda:0")  # doctest: +SKIP
    """
    device = _gpu(device, "use_cupy")
    cuarray.memory.set_allocator(CupyAllocator(_imported("cupy", "cupy-cuda12x, or cupy-cuda13x"), device), device)


#: The library with the C functions cuarray_allocate and cuarray_deallocate, for serve_torch.
LIBRARY = Path(cuarray.__file__).with_name("libcuarray.so")


def serve_torch() -> None:
    """Let cuarray allocate the memory of PyTorch's tensors on GPUs.

    PyTorch accepts it before its first GPU tensor only, and has no cache of its own then: its memory appears in
    `cuarray.memory.stats`, and `cuarray.memory.limit` holds for it.

    Raises
    ------
    ImportError
        If PyTorch is not installed.
    RuntimeError
        If PyTorch has allocated GPU memory before, or was built without CUDA.

    Examples
    --------
    >>> from cuarray.interop import memory
    >>> memory.serve_torch()  # doctest: +SKIP
    """
    torch = _imported("torch", "torch")
    if not torch.backends.cuda.is_built():
        raise RuntimeError(f"serve_torch: PyTorch {torch.__version__} was built without CUDA")
    pluggable = torch.cuda.memory.CUDAPluggableAllocator(str(LIBRARY), "cuarray_allocate", "cuarray_deallocate")
    torch.cuda.memory.change_current_allocator(pluggable)


def serve_cupy() -> None:
    """Let cuarray allocate the memory of CuPy's arrays, on CuPy's current stream.

    ``cupy.cuda.set_allocator(cupy.get_default_memory_pool().malloc)`` undoes it.

    Raises
    ------
    ImportError
        If CuPy is not installed.

    Examples
    --------
    >>> from cuarray.interop import memory
    >>> memory.serve_cupy()  # doctest: +SKIP
    """
    cupy = _imported("cupy", "cupy-cuda12x, or cupy-cuda13x")

    def allocate(size, device):
        return _core.allocate_block(size, device, cupy.cuda.get_current_stream().ptr)

    def free(address, device):
        _core.free_block(address, 0, device, 0)

    cupy.cuda.set_allocator(cupy.cuda.PythonFunctionAllocator(allocate, free).malloc)


def serve_rmm(device: _core.device | str | None = None) -> None:
    """Let cuarray allocate what RMM's users ask for: cuDF and other RAPIDS libraries.

    Parameters
    ----------
    device : device or str, optional
        A GPU; the current device by default.

    Returns
    -------
    rmm.mr.CallbackMemoryResource
        The device's resource from now on; ``rmm.mr.set_per_device_resource`` replaces it.

    Raises
    ------
    ImportError
        If RMM is not installed.
    ValueError
        If the device is the cpu.

    Examples
    --------
    >>> from cuarray.interop import memory
    >>> memory.serve_rmm("cuda:0")  # doctest: +SKIP
    """
    device = _gpu(device, "serve_rmm")
    rmm = _imported("rmm", "rmm-cu12, or rmm-cu13")

    def allocate(size, stream):
        return _core.allocate_block(size, device.index, stream.__cuda_stream__()[1])

    def free(address, size, stream):
        _core.free_block(address, size, device.index, stream.__cuda_stream__()[1])

    resource = rmm.mr.CallbackMemoryResource(allocate, free)
    rmm.mr.set_per_device_resource(device.index, resource)
    return resource
