// check.cpp -- finds reads of memory that was never written, and accesses that nothing orders.
#include "check.h"

#include <sys/mman.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>

#include "driver.h"

namespace cudasim {
namespace {

/// Blocks above this share of shadow are cleared by giving the pages back.
constexpr size_t kClearByHand = 1 << 16;
constexpr uint32_t kMostWarpTime = (1u << 18) - 1;
constexpr uint32_t kWholeWork = ~0u;

struct Work {
    uint64_t stream, ticket;
    std::string name;
};

struct Shadow {
    Cell* cells = nullptr;
    std::vector<Work> works{{0, 0, "nothing"}};
    Clock clock;
    /// The last answer about another work, which is mostly the next one too.
    uint32_t asked = 0;
    bool answer = true;
};

Shadow& state() {
    static auto* all = new Shadow;
    return *all;
}

uint32_t current_work() { return static_cast<uint32_t>(state().works.size() - 1); }

bool work_ordered(uint32_t work) {
    if (work == 0 || work == current_work()) return true;
    Shadow& s = state();
    if (work == s.asked) return s.answer;
    const Work& before = s.works[work];
    auto known = s.clock.find(before.stream);
    s.asked = work;
    s.answer = known != s.clock.end() && known->second >= before.ticket;
    return s.answer;
}

std::string name_of(const Touch& touch) {
    const Work& work = state().works[touch.work];
    if (touch.block == kWholeWork)
        return format("%s (stream %llu)", work.name.c_str(), static_cast<unsigned long long>(work.stream));
    return format("%s (stream %llu), block %u, thread %u", work.name.c_str(),
                  static_cast<unsigned long long>(work.stream), touch.block, touch.thread);
}

std::string race(const char* what, const Touch& before, bool was_write) {
    return format("race: %s is not ordered after the %s by %s", what, was_write ? "write" : "read",
                  name_of(before).c_str());
}

bool writes(Access access) { return access == Access::Write || access == Access::AtomicWrite; }
bool atomic_access(Access access) { return access == Access::AtomicRead || access == Access::AtomicWrite; }

}  // namespace

bool checking() {
    static const bool on = std::getenv("CUDASIM_CHECK") && std::string(std::getenv("CUDASIM_CHECK")) == "1";
    return on;
}

void join(Clock& clock, const Clock& other) {
    for (auto [stream, ticket] : other) {
        uint64_t& known = clock[stream];
        known = std::max(known, ticket);
    }
}

void map_shadow(size_t device_bytes) {
    if (!checking()) return;
    constexpr int kFlags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;
    void* cells = mmap(nullptr, device_bytes * sizeof(Cell), PROT_READ | PROT_WRITE, kFlags, -1, 0);
    if (cells == MAP_FAILED) {
        say("CUDASIM_CHECK: cannot reserve address space for the shadow");
        std::abort();
    }
    state().cells = static_cast<Cell*>(cells);
}

Cell* shadow(size_t offset) { return state().cells + offset; }

void begin_work(const char* name, uint64_t stream, uint64_t ticket, const Clock& clock) {
    state().works.push_back({stream, ticket, name});
    state().clock = clock;
    state().asked = 0;
    state().answer = true;
}

std::string touch_range(size_t offset, size_t bytes, Access access) {
    Touch now{};
    now.work = current_work();
    now.block = kWholeWork;
    for (Cell *cell = shadow(offset), *end = cell + bytes; cell != end; ++cell) {
        if (!work_ordered(cell->written.work))
            return race(writes(access) ? "a write" : "a read", cell->written, true);
        if (writes(access) && !work_ordered(cell->read.work)) return race("a write", cell->read, false);
        (writes(access) ? cell->written : cell->read) = now;
    }
    return "";
}

void forget_range(size_t offset, size_t bytes) {
    Cell* cells = shadow(offset);
    if (bytes > kClearByHand) {
        auto first = (reinterpret_cast<uintptr_t>(cells) + 4095) & ~uintptr_t(4095);
        auto last = reinterpret_cast<uintptr_t>(cells + bytes) & ~uintptr_t(4095);
        madvise(reinterpret_cast<void*>(first), last - first, MADV_DONTNEED);
    }
    Cell fresh{};
    fresh.read.work = current_work();
    fresh.read.block = kWholeWork;
    std::fill(cells, cells + std::min(bytes, kClearByHand), fresh);
    std::fill(cells + bytes - std::min(bytes, kClearByHand), cells + bytes, fresh);
}

void copy_range(size_t to, size_t from, size_t bytes) {
    Cell *target = shadow(to), *source = shadow(from);
    for (size_t i = 0; i < bytes; ++i)
        if (source[i].written.work == 0) target[i].written = {};
}

void KernelOrder::start(BlockTime& block, uint32_t number, unsigned threads, size_t shared_bytes) {
    block.number = number;
    block.clock = 1;
    block.barrier = block.released = 0;
    block.warps.assign((threads + 31) / 32, 1);
    block.known.clear();
    block.heard.clear();
    block.shared.assign(shared_bytes, Cell{});
}

void KernelOrder::fence(BlockTime& block) {
    block.released = block.clock++;
    for (auto [other, clock] : block.heard) {
        uint32_t& known = block.known[other];
        known = std::max(known, clock);
    }
    block.heard.clear();
}

void KernelOrder::atomic(BlockTime& block, uintptr_t place) {
    auto& message = messages_[place];
    for (auto [other, clock] : message)
        if (other != block.number) block.heard[other] = std::max(block.heard[other], clock);
    if (block.released) message[block.number] = std::max(message[block.number], block.released);
    for (auto [other, clock] : block.known) message[other] = std::max(message[other], clock);
}

bool KernelOrder::ordered(const Touch& before, const Touch& now, const BlockTime& block) const {
    if (before.work != now.work) return work_ordered(before.work);
    if (before.block != now.block) {
        auto known = block.known.find(before.block);
        return known != block.known.end() && known->second >= before.clock;
    }
    if (before.clock < block.barrier) return true;
    if (before.warps) return false;
    if (before.thread == now.thread && !before.lanes) return true;
    bool same_warp = before.thread / 32 == now.thread / 32;
    return same_warp && (before.warp_clock < now.warp_clock || now.warp_clock == kMostWarpTime);
}

std::string KernelOrder::judge(Cell& cell, Access access, const Touch& now, const BlockTime& block) const {
    bool both_atomic = atomic_access(access) && cell.written.atomic && cell.written.work == now.work;
    const char* what = writes(access) ? "a write" : "a read";
    if (cell.written.work && !both_atomic && !ordered(cell.written, now, block))
        return race(what, cell.written, true);
    if (!writes(access)) {
        if (cell.written.work == 0) return "a read of memory that was never written";
        Touch merged = now;
        // Of several readers that nothing orders, the note says only how widely they are spread.
        if (cell.read.work == now.work && cell.read.block == now.block && !ordered(cell.read, now, block)) {
            merged.lanes = cell.read.lanes || cell.read.thread != now.thread;
            merged.warps = cell.read.warps || cell.read.thread / 32 != now.thread / 32;
        }
        cell.read = merged;
        return "";
    }
    bool atomic_read_before = atomic_access(access) && cell.read.atomic && cell.read.work == now.work;
    if (cell.read.work && !atomic_read_before && !ordered(cell.read, now, block))
        return race(what, cell.read, false);
    cell.written = now;
    return "";
}

std::string KernelOrder::touch(Cell* cells, size_t bytes, Access access, BlockTime& block, unsigned thread) {
    Touch now{};
    now.work = current_work();
    now.block = block.number;
    now.clock = block.clock;
    now.thread = thread;
    now.warp_clock = std::min(block.warps[thread / 32], kMostWarpTime);
    now.atomic = atomic_access(access);
    Cell before{}, after{};
    for (size_t i = 0; i < bytes; ++i) {
        // Most bytes share their history with the byte before them, and so its judgement.
        if (i > 0 && std::memcmp(&cells[i], &before, sizeof before) == 0) {
            cells[i] = after;
            continue;
        }
        before = cells[i];
        std::string wrong = judge(cells[i], access, now, block);
        if (!wrong.empty()) return wrong;
        after = cells[i];
    }
    return "";
}

}  // namespace cudasim
