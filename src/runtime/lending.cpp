// lending.cpp -- the devices' memory as C functions, by which other libraries allocate in cuarray's pool.
#include <mutex>
#include <unordered_map>
#include "cuarray/runtime/allocator.h"
#include "cuarray/runtime/registry.h"
#include "cuarray/runtime/runtime.h"
#include "runtime/hooks.h"
#include "runtime/inner_stream.h"

namespace cuarray {
namespace {

/// The blocks that other libraries hold, by address.
class LentBlocks {
 public:
    void add(StorageRef block) {
        const std::lock_guard lock(mutex_);
        blocks_.emplace(block->data, block);
    }
    StorageRef take(void* address) {
        const std::lock_guard lock(mutex_);
        const auto found = blocks_.find(address);
        if (found == blocks_.end()) return {};
        StorageRef block = std::move(found->second);
        blocks_.erase(found);
        return block;
    }

 private:
    std::mutex mutex_;
    std::unordered_map<void*, StorageRef> blocks_;
};

LentBlocks& lent_blocks() {
    static auto* const blocks = new LentBlocks;  // libraries free memory when the process ends, in any order
    return *blocks;
}

}  // namespace
}  // namespace cuarray

using namespace cuarray;

void* cuarray_allocate(int64_t bytes, int device, void* stream) {
    if (bytes <= 0) return nullptr;
    thread_local bool is_asking = false;
    if (is_asking)
        raise(ErrorKind::Runtime, "cuarray_allocate: cuarray's allocator and that of another library call each other");
    struct Asking {
        Asking() { is_asking = true; }
        ~Asking() { is_asking = false; }
    } asking;
    Runtime& owner = runtime(Device{Device::Kind::Cuda, uint8_t(device)});
    const InnerStreamScope scope(owner.foreign_stream(reinterpret_cast<int64_t>(stream)));
    StorageRef block = owner.allocate(bytes, MemoryKind::Device);
    void* const address = block->data;
    lent_blocks().add(std::move(block));
    return address;
}

void cuarray_deallocate(void* address, int64_t bytes, int device, void*) {
    if (!address || lent_blocks().take(address)) return;
    report_unraisable("cuarray_deallocate: no block of " + std::to_string(bytes) +
                      " bytes on cuda:" + std::to_string(device) + " was allocated at that address");
}
