// foreign_memory.cpp -- addresses, strides and alignment of other libraries' memory; exports of ours.
#include "array/foreign_memory.h"
#include <utility>
#include "cuarray/array/elements.h"
#include "cuarray/array/pending.h"
#include "cuarray/runtime/registry.h"
#include "cuarray/runtime/runtime.h"

namespace cuarray {

ForeignBytes checked_bytes(const ForeignMemory& memory, const char* function) {
    const int64_t item = item_size(memory.dtype);
    if (!memory.layout.size()) return {nullptr, 0, 0};
    if (!memory.address)
        raise(ErrorKind::Buffer, function, ": the address of an array of shape ", to_string(memory.layout.shape),
              " is 0; its producer has no memory for it");
    const Extent reach = extent(memory.layout, item);
    // Integers, because to leave the memory is undefined for pointers. No address has the highest bit set.
    uint64_t start = 0;
    int64_t low = 0, high = 0;
    const bool is_outside = __builtin_add_overflow(memory.address, memory.byte_offset, &start) || start > INT64_MAX ||
                            __builtin_add_overflow(int64_t(start), reach.low, &low) || low <= 0 ||
                            __builtin_add_overflow(int64_t(start), reach.high, &high);
    if (is_outside)
        raise(ErrorKind::Buffer, function, ": address ", memory.address, ", byte offset ", memory.byte_offset,
              ", shape ", to_string(memory.layout.shape), " and strides ", to_string(memory.layout.strides),
              " lead out of the address space");
    if (!backend(memory.device).is_host_accessible() && start % uint64_t(info(memory.dtype).align))
        raise(ErrorKind::Buffer, function, ": address ", start, " is not aligned to ", info(memory.dtype).align,
              " bytes, as ", info(memory.dtype).name, " on a GPU must be");
    return {reinterpret_cast<char*>(low), high - low, int64_t(start) - low};
}

Array adopt_memory(ForeignMemory&& memory, const ForeignBytes& bytes, void (*free)(void*), void* owner, int64_t stream,
                   bool (*is_held)(void*)) {
    StorageRef storage = foreign_storage(memory.device, bytes.first, bytes.count, free, owner, is_held);
    storage->read_only = memory.is_read_only;
    if (stream != kDataIsReady) runtime(memory.device).adopt(*storage, stream);
    return Array(std::move(storage), bytes.origin, std::move(memory.layout), memory.dtype);
}

Export export_memory(const Array& array) {
    StorageRef storage = array.storage_ref();
    storage->front().runtime().open_to_host(*storage);
    return export_storage(std::move(storage), array.is_writable());
}

}  // namespace cuarray
