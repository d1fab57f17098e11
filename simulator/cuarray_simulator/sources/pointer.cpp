// pointer.cpp -- the attributes of an address for cuPointerGetAttribute.
#include <cstring>

#include "host_memory.h"
#include "memory.h"

namespace cudasim {
namespace {

/// The kind of an address: in an allocated block, or in host memory known to the driver.
struct Pointed {
    const Allocation* block = nullptr;
    const HostRange* host = nullptr;

    explicit Pointed(CUdeviceptr address) {
        Allocation* found = allocation_at(address);
        if (found && found->allocated && address < found->base + found->size) block = found;
        host = host_range_at(address);
    }
    bool known() const { return block || host; }
    bool managed() const { return host && host->kind == HostRange::Kind::Managed; }
    Context* context() const { return block ? block->context : host->context; }
};

template <class T>
CUresult put(void* out, T value) {
    std::memcpy(out, &value, sizeof value);
    return CUDA_SUCCESS;
}

CUresult attribute(void* out, CUpointer_attribute key, CUdeviceptr address) {
    Pointed p(address);
    if (!p.known()) return CUDA_ERROR_INVALID_VALUE;
    bool device = p.block || p.managed();
    switch (key) {
        case CU_POINTER_ATTRIBUTE_CONTEXT: return put(out, handle_of(p.context()));
        case CU_POINTER_ATTRIBUTE_MEMORY_TYPE: return put(out, device ? CU_MEMORYTYPE_DEVICE : CU_MEMORYTYPE_HOST);
        case CU_POINTER_ATTRIBUTE_DEVICE_POINTER: return put(out, address);
        case CU_POINTER_ATTRIBUTE_HOST_POINTER:
            return p.block ? CUDA_ERROR_INVALID_VALUE : put(out, reinterpret_cast<void*>(address));
        case CU_POINTER_ATTRIBUTE_BUFFER_ID: return put<unsigned long long>(out, p.block ? p.block->id : p.host->id);
        case CU_POINTER_ATTRIBUTE_IS_MANAGED: return put<unsigned>(out, p.managed());
        case CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL: return put(out, p.context()->device);
        case CU_POINTER_ATTRIBUTE_IS_LEGACY_CUDA_IPC_CAPABLE: return put<unsigned>(out, p.block && !p.block->pool);
        case CU_POINTER_ATTRIBUTE_RANGE_START_ADDR:
            return put<CUdeviceptr>(out, p.block ? p.block->base : p.host->base);
        case CU_POINTER_ATTRIBUTE_RANGE_SIZE: return put(out, p.block ? p.block->size : p.host->size);
        case CU_POINTER_ATTRIBUTE_MAPPED: return put<unsigned>(out, 1);
        case CU_POINTER_ATTRIBUTE_MEMPOOL_HANDLE: return put<const void*>(out, p.block ? p.block->pool : nullptr);
    }
    return CUDA_ERROR_INVALID_VALUE;
}

size_t attribute_size(CUpointer_attribute key) {
    switch (key) {
        case CU_POINTER_ATTRIBUTE_MEMORY_TYPE:
        case CU_POINTER_ATTRIBUTE_IS_MANAGED:
        case CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL:
        case CU_POINTER_ATTRIBUTE_IS_LEGACY_CUDA_IPC_CAPABLE:
        case CU_POINTER_ATTRIBUTE_MAPPED: return 4;
        default: return 8;
    }
}

}  // namespace
}  // namespace cudasim

using namespace cudasim;

CUDASIM_API cuPointerGetAttribute(void* out, CUpointer_attribute key, CUdeviceptr address) {
    CUDASIM_ENTER(Context);
    return out ? attribute(out, key, address) : CUDA_ERROR_INVALID_VALUE;
}

CUDASIM_API cuPointerGetAttributes(unsigned count, CUpointer_attribute* keys, void** out, CUdeviceptr address) {
    CUDASIM_ENTER(Context);
    if (!keys || !out) return CUDA_ERROR_INVALID_VALUE;
    for (unsigned i = 0; i < count; ++i)
        if (attribute(out[i], keys[i], address) != CUDA_SUCCESS) std::memset(out[i], 0, attribute_size(keys[i]));
    return CUDA_SUCCESS;
}
