// memory.cpp -- the device address space: mapping, allocations in it, and access checks.
#include "memory.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <map>

#include "findings.h"
#include "module_abi.h"
#include "pool.h"

namespace cudasim {
namespace {

// An unlikely upper half, so that no pair of 32-bit sizes in a parameter block looks like an address. Both lie below
// all programs, which begin at 0x555555554000, and where ThreadSanitizer and AddressSanitizer allow memory.
constexpr size_t kSpans = CUDASIM_MEMORY_SIZE;
constexpr CUdeviceptr kDeviceBase = CUDASIM_MEMORY;
constexpr CUdeviceptr kViewBase = kDeviceBase + kSpans;
constexpr size_t kGuard = 256;
// The shadow takes 32 times as much memory as what it describes.
constexpr size_t kMostShadowed = 16 << 20;
constexpr size_t kReturnToSystem = 1 << 20;
constexpr unsigned char kFreed = 0xDD, kGuardByte = 0xB7;

/// Address space of one device: a frontier, and reusable ranges by capacity.
struct Space {
    CUdeviceptr frontier = 0, end = 0;
    std::map<size_t, std::deque<Allocation*>> unused;
};

struct Memory {
    std::vector<Space> spaces = std::vector<Space>(settings().devices);
    std::map<CUdeviceptr, Allocation> allocations;
    int file = -1;
};

Memory& memory() {
    static auto* state = new Memory;
    return *state;
}

Space& space(int device) { return memory().spaces[static_cast<size_t>(device)]; }

void fill(CUdeviceptr address, size_t bytes, unsigned char value) { std::memset(view(address), value, bytes); }

void poison(const Allocation& block, size_t size, unsigned char value) {
    size_t edge = std::min(size, kPoisonEdge);
    fill(block.base, edge, value);
    fill(block.base + size - edge, edge, value);
}

void set_guards(const Allocation& block) {
    fill(block.base - kGuard, kGuard, kGuardByte);
    fill(block.base + block.live_size, kGuard, kGuardByte);
}

bool all_guard(CUdeviceptr address) {
    // Never destroyed: a worker may still check when the process ends.
    static const std::string& expected = *new std::string(kGuard, static_cast<char>(kGuardByte));
    return std::memcmp(view(address), expected.data(), kGuard) == 0;
}

}  // namespace

const int64_t kViewOffset = static_cast<int64_t>(kViewBase) - static_cast<int64_t>(kDeviceBase);

void map_device_memory() {
    Memory& m = memory();
    const size_t span = kSpans / m.spaces.size(), total = span * m.spaces.size();
    m.file = static_cast<int>(syscall(SYS_memfd_create, "cudasim", MFD_CLOEXEC));
    bool sized = m.file >= 0 && ftruncate(m.file, static_cast<off_t>(total)) == 0;
    constexpr int kFixed = MAP_FIXED_NOREPLACE | MAP_NORESERVE;
    void* device =
        mmap(reinterpret_cast<void*>(kDeviceBase), total, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | kFixed, -1, 0);
    void* seen =
        mmap(reinterpret_cast<void*>(kViewBase), total, PROT_READ | PROT_WRITE, MAP_SHARED | kFixed, m.file, 0);
    if (!sized || device == MAP_FAILED || seen == MAP_FAILED) {
        say(format("cannot map device memory: %s", std::strerror(errno)));
        std::abort();
    }
    map_shadow(total);
    for (size_t i = 0; i < m.spaces.size(); ++i) {
        m.spaces[i].frontier = kDeviceBase + i * span;
        m.spaces[i].end = m.spaces[i].frontier + span;
    }
}

size_t offset_of(CUdeviceptr address) { return address - kDeviceBase; }

bool is_device_address(CUdeviceptr address) { return address - kDeviceBase < kSpans; }

char* view(CUdeviceptr address) {
    CUdeviceptr shown = is_device_address(address) ? address + static_cast<CUdeviceptr>(kViewOffset) : address;
    return reinterpret_cast<char*>(shown);
}

size_t capacity_for(size_t bytes) {
    // Eight sizes per power of two, so that freed space can be reused.
    size_t step = 512;
    while (step * 16 <= bytes) step *= 2;
    return (bytes + step - 1) / step * step;
}

Allocation* carve(int device, size_t capacity) {
    Space& s = space(device);
    auto& unused = s.unused[capacity];
    if (!unused.empty()) {
        Allocation* block = unused.front();
        unused.pop_front();
        return block;
    }
    // Blocks start at odd multiples of 256: CUDA promises no larger alignment.
    CUdeviceptr base = s.frontier + kGuard;
    if (base + capacity + kGuard > s.end) return nullptr;
    s.frontier = base + capacity + kGuard;
    Allocation& block = memory().allocations[base];
    block.base = base;
    block.capacity = capacity;
    block.device = device;
    return &block;
}

void give_back(Allocation& allocation) { space(allocation.device).unused[allocation.capacity].push_back(&allocation); }

void begin_life(Allocation& block, size_t size) {
    block.live = true;
    block.live_size = size;
    poison(block, size, kFresh);
    set_guards(block);
    if (shadowed(&block))
        forget_range(offset_of(block.base), size);
    else if (checking())
        tally('m');
}

std::string end_life(Allocation& block) {
    std::string wrong;
    if (shadowed(&block)) {
        wrong = touch_range(offset_of(block.base), block.live_size, Access::Write);
        // Later accesses report that the block is dead, independent of its bytes' shadow.
        release_range(offset_of(block.base), block.live_size);
    }
    block.live = false;
    if (block.capacity >= kReturnToSystem)
        fallocate(memory().file, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE,
                  static_cast<off_t>(block.base - kDeviceBase), static_cast<off_t>(block.live_size));
    poison(block, block.live_size, kFreed);
    return wrong;
}

std::map<CUdeviceptr, Allocation>& allocations() { return memory().allocations; }

Allocation* allocation_at(CUdeviceptr address) {
    auto& all = memory().allocations;
    auto after = all.upper_bound(address);
    if (after == all.begin()) return nullptr;
    Allocation& block = std::prev(after)->second;
    return address < block.base + block.capacity ? &block : nullptr;
}

/// Describes an address between blocks: usually the program meant one of the two.
std::string describe_gap(CUdeviceptr address) {
    auto& all = memory().allocations;
    auto after = all.upper_bound(address);
    std::string text = "device memory that was never allocated";
    if (after != all.begin()) {
        const Allocation& block = std::prev(after)->second;
        text += format(", %llu bytes behind a block of %zu", address - block.base - block.size, block.size);
    }
    if (after != all.end())
        text += format(", %llu bytes before one of %zu", after->first - address, after->second.size);
    return text;
}

std::string describe(CUdeviceptr address) {
    Allocation* block = allocation_at(address);
    if (!block) return is_device_address(address) ? describe_gap(address) : "no device address";
    const char* state = block->allocated ? "allocated" : "freed";
    return format("byte %llu of a block of %zu bytes (%s) on device %d", address - block->base, block->size, state,
                  block->device);
}

Fault why_unusable(const Context& context, CUdeviceptr address, size_t bytes) {
    if (!is_device_address(address)) return {};
    Allocation* block = allocation_at(address);
    if (!block) return {format("0x%llx is %s", address, describe_gap(address).c_str()), Cause::OutOfBounds};
    if (!block->live)
        return {format("0x%llx: the memory is not alive at this time in its stream: %s", address,
                       describe(address).c_str()),
                Cause::Freed};
    if (address + bytes > block->base + block->live_size)
        return {
            format("%zu bytes at 0x%llx reach past the end of a block of %zu bytes", bytes, address, block->live_size),
            Cause::OutOfBounds};
    auto device = static_cast<size_t>(block->device);
    if (block->device == context.device) {
        if (block->pool || block->context == &context) return {};
        return {format("0x%llx is memory of another context of device %d", address, block->device), Cause::NoAccess};
    }
    bool pool_access = block->pool && context.device < static_cast<int>(block->pool->accessible.size()) &&
                       block->pool->accessible[static_cast<size_t>(context.device)];
    if (block->pool ? pool_access : context.peers[device]) return {};
    return {format("0x%llx lies on device %d, to which device %d has no peer access", address, block->device,
                   context.device),
            Cause::NoAccess};
}

bool shadowed(const Allocation* allocation) {
    return checking() && allocation && allocation->capacity <= kMostShadowed;
}

bool guards_intact(const Allocation& block) {
    return !block.live || (all_guard(block.base - kGuard) && all_guard(block.base + block.live_size));
}

}  // namespace cudasim
