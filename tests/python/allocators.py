"""Allocators over a device's real memory, like those of another library, which count their allocations."""

import ctypes
import os

from cuarray import memory


def exhausted():
    raise MemoryError("sold out")


class Lender:
    """The base class: the record of requested and live blocks."""

    def __init__(self):
        self.live = {}
        self.asked = []

    def allocate(self, size, stream):
        self.asked.append((size, stream))
        address = self.take(size, stream)
        self.live[address] = size
        return address

    def free(self, address, size, stream):
        assert self.live.pop(address) == size
        self.give(address, stream)

    def drop(self):
        for address in list(self.live):
            self.free(address, self.live[address], 0)


class HostLender(Lender):
    libc = ctypes.CDLL(None)
    libc.aligned_alloc.restype = ctypes.c_void_p

    def take(self, size, stream):
        assert stream == 0
        # C requires multiples of the alignment.
        return self.libc.aligned_alloc(ctypes.c_size_t(256), ctypes.c_size_t(-(-size // 256) * 256))

    def give(self, address, stream):
        self.libc.free(ctypes.c_void_p(address))


class GpuLender(Lender):
    """In stream order, with the driver's calls; without pools, with a wait before each free."""

    def __init__(self):
        super().__init__()
        driver = ctypes.CDLL(os.environ.get("CUARRAY_LIBCUDA", "libcuda.so.1"))
        self.driver = driver
        found = ctypes.c_void_p()
        self.has_pools = driver.cuDeviceGetMemPool(ctypes.byref(found), 0) == 0

    def take(self, size, stream):
        address = ctypes.c_uint64()
        size, stream = ctypes.c_size_t(size), ctypes.c_void_p(stream)
        if self.has_pools:
            status = self.driver.cuMemAllocAsync(ctypes.byref(address), size, stream)
        else:
            status = self.driver.cuMemAlloc_v2(ctypes.byref(address), size)
        assert status == 0, status
        return address.value

    def give(self, address, stream):
        address, stream = ctypes.c_uint64(address), ctypes.c_void_p(stream)
        if self.has_pools:
            status = self.driver.cuMemFreeAsync(address, stream)
        else:
            status = self.driver.cuStreamSynchronize(stream) or self.driver.cuMemFree_v2(address)
        assert status == 0, status


def over(device):
    """Return an allocator for a device."""
    return HostLender() if memory.stats(device)["kinds"].keys() == {"host"} else GpuLender()


ALLOCATE = ctypes.CFUNCTYPE(
    ctypes.c_int, ctypes.c_void_p, ctypes.c_int64, ctypes.c_int32, ctypes.c_void_p, ctypes.POINTER(ctypes.c_void_p)
)
FREE = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int64, ctypes.c_int32, ctypes.c_void_p)


class Functions(ctypes.Structure):
    """The struct cuarray_allocator_v1."""

    _fields_ = (("context", ctypes.c_void_p), ("allocate", ALLOCATE), ("free", FREE), ("name", ctypes.c_char_p))


alive = []  # objects that capsules point to; ctypes' callbacks must outlive them


def capsule(lender, name=b"cuarray_allocator_v1", status=None, without=None):
    """Return a capsule with C functions that call a lender; with a status, allocate returns that and no address."""

    def allocate(context, size, device, stream, address):
        assert context == 99 and isinstance(device, int)
        if status is None:
            address[0] = lender.allocate(size, stream or 0)
        return status or 0

    def free(context, address, size, device, stream):
        lender.free(address, size, stream or 0)
        return 0

    functions = {"allocate": ALLOCATE(allocate), "free": FREE(free)}
    functions.pop(without, None)
    struct = Functions(context=99, name=b"a lender in C", **functions)
    alive.append((struct, functions, name))
    new = ctypes.pythonapi.PyCapsule_New
    new.restype, new.argtypes = ctypes.py_object, (ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p)
    return new(ctypes.addressof(struct), name, None)
