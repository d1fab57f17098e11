// memory.cpp -- allocation: statistics, reuse, and running out.
#include "programs.h"
#include "random_views.h"

namespace tests {

void test_memory() {
    Backend& gpu = backend({Device::Kind::Cuda, 0});
    const MemoryStats start = gpu.memory().stats();
    CHECK(start.current == 0 && start.allocations == 0, "memory is in use before anything was allocated");
    CHECK(gpu.allocate(0)->data == nullptr, "zero bytes have an address");

    {
        const StorageRef a = gpu.allocate(1000), b = gpu.allocate(3 << 20);
        CHECK(uintptr_t(a->data) % 256 == 0 && uintptr_t(b->data) % 256 == 0, "not aligned to 256 bytes");
        CHECK(gpu.memory().stats().allocations == 2 && gpu.memory().stats().current >= 1000 + (3 << 20), "statistics");
    }
    CHECK(gpu.memory().stats().allocations == 0 && gpu.memory().stats().current == 0, "freed blocks are counted");
    CHECK(gpu.memory().stats().peak >= 1000 + (3 << 20), "peak");

    // More than the device has: the driver is not called, so nothing is reserved.
    const int64_t reserved = gpu.memory().stats().reserved;
    try {
        gpu.allocate(start.total + 1);
        CHECK(false, "more than the device's memory was allocated");
    } catch (const Error& error) {
        CHECK(error.kind() == ErrorKind::Memory, "%s", error.what());
        CHECK(std::string(error.what()).find(std::to_string(start.total + 1)) != std::string::npos, "%s", error.what());
    }
    CHECK(gpu.memory().stats().reserved == reserved, "a refused allocation reserved memory");

    // Until it is full; then freed blocks of any size are found again.
    std::vector<StorageRef> blocks;
    const int64_t big = start.total / 8 + 1;
    CHECK(RAISES(Memory, for (;;) blocks.push_back(gpu.allocate(big))), "memory never ends");
    CHECK(blocks.size() == 7, "%zu blocks of an eighth fit", blocks.size());
    blocks.resize(4);
    const StorageRef third = gpu.allocate(start.total / 3);
    CHECK(third->data != nullptr, "a third of the memory");
    blocks.clear();
    gpu.memory().trim();
    CHECK(gpu.memory().stats().allocations == 1, "one block is left");
}

}  // namespace tests
