// check.cpp -- detects reads of uninitialized memory, and data races.
#include "check.h"

#include <sys/mman.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>

#include "driver.h"
#include "findings.h"

namespace cudasim {
namespace {

/// Shadow blocks above this size are cleared by returning their pages.
constexpr size_t kClearByHand = 1 << 16;
constexpr uint32_t kMostWarpTime = (1u << 18) - 1;
constexpr uint32_t kWholeWork = ~0u;

/// A piece of work; or several unordered ones that have all read the same bytes.
struct Work {
    uint64_t stream, ticket;
    std::string name;
    std::vector<uint32_t> members = {};
};

struct Shadow {
    Cell* cells = nullptr;
    std::vector<Work> works{{0, 0, "nothing"}};
    std::map<std::vector<uint32_t>, uint32_t> groups;
    uint32_t now = 0;
    Clock clock;
    /// Cached last answer about another work, which usually applies to the next query.
    uint32_t asked = 0;
    bool answer = true;
};

Shadow& state() {
    static auto* all = new Shadow;
    return *all;
}

bool single_ordered(uint32_t work) {
    const Shadow& s = state();
    if (work == s.now) return true;
    auto known = s.clock.find(s.works[work].stream);
    return known != s.clock.end() && known->second >= s.works[work].ticket;
}

bool work_ordered(uint32_t work) {
    if (work == 0 || work == current_work()) return true;
    Shadow& s = state();
    if (work == s.asked) return s.answer;
    const auto& members = s.works[work].members;
    s.asked = work;
    s.answer = members.empty() ? single_ordered(work) : std::all_of(members.begin(), members.end(), single_ordered);
    return s.answer;
}

/// All work that must have ended before a write to bytes that `before` and the current work have read.
uint32_t readers_with_current(uint32_t before) {
    Shadow& s = state();
    std::vector<uint32_t> members = s.works[before].members;
    if (members.empty()) members.push_back(before);
    members.erase(std::remove_if(members.begin(), members.end(), single_ordered), members.end());
    members.push_back(s.now);
    std::sort(members.begin(), members.end());
    auto [found, is_new] = s.groups.try_emplace(members, static_cast<uint32_t>(s.works.size()));
    if (is_new) s.works.push_back({0, 0, "one of several readers: " + s.works[members[0]].name, members});
    return found->second;
}

/// The contents of a cell after a read by the current work.
Touch read_note(const Touch& before, const Touch& now) {
    if (work_ordered(before.work)) return now;
    const auto& members = state().works[before.work].members;
    if (std::find(members.begin(), members.end(), now.work) != members.end()) return before;
    Touch all{};
    all.work = readers_with_current(before.work);
    all.block = kWholeWork;
    return all;
}

std::string name_of(const Touch& touch) {
    if (!has_thread(touch)) return work_name(touch);
    return format("%s, block %u, thread %u", work_name(touch).c_str(), touch.block, touch.thread);
}

std::string race(const char* what, const Touch& before, bool was_write) {
    return format("race: %s is not ordered after the %s by %s", what, was_write ? "write" : "read",
                  name_of(before).c_str());
}

bool is_update(Access access) { return access == Access::AtomicUpdate || access == Access::SystemUpdate; }
bool writes(Access access) { return access != Access::Read && access != Access::AtomicRead; }

/// Whether both are atomic towards each other: those of one kernel are, those of several by atomics of the system.
bool both_atomic(const Touch& before, const Touch& now) {
    return before.atomic && now.atomic && (before.work == now.work || (before.system && now.system));
}

using Knowledge = KernelOrder::Knowledge;

void learn_times(std::unordered_map<uint32_t, uint32_t>& known, const std::unordered_map<uint32_t, uint32_t>& news) {
    for (auto [key, time] : news) {
        uint32_t& latest = known[key];
        latest = std::max(latest, time);
    }
}

/// Raises clocks to later ones.
void learn_clocks(std::vector<uint32_t>& known, const std::vector<uint32_t>& news) {
    std::transform(known.begin(), known.end(), news.begin(), known.begin(),
                   [](uint32_t a, uint32_t b) { return std::max(a, b); });
}

void learn(Knowledge& known, const Knowledge& news) {
    for (const auto& [block, reached] : news) {
        auto& here = known[block];
        if (!here) here = reached;
        if (here == reached) continue;
        auto both = std::make_shared<KernelOrder::Reached>(*here);
        both->barrier = std::max(both->barrier, reached->barrier);
        learn_times(both->warps, reached->warps);
        learn_times(both->threads, reached->threads);
        here = std::move(both);
    }
}

void learn(KernelOrder::Messages& known, const KernelOrder::Messages& news) {
    learn(known.released, news.released);
    learn(known.heard, news.heard);
    learn(known.known, news.known);
}

/// Whether an access of another block is ordered before the current one.
bool knows(const Knowledge& known, const Touch& before) {
    auto found = known.find(before.block);
    if (found == known.end()) return false;
    const KernelOrder::Reached& reached = *found->second;
    if (before.clock < reached.barrier) return true;
    auto thread = reached.threads.find(before.thread);
    bool several = before.lanes || before.warps;
    if (thread != reached.threads.end() && !several && before.clock <= thread->second) return true;
    auto warp = reached.warps.find(before.thread / 32);
    return warp != reached.warps.end() && !before.warps &&
           (before.warp_clock < warp->second || before.warp_clock == kMostWarpTime);
}

}  // namespace

uint32_t current_work() { return state().now; }

bool checking() {
    static const bool on = std::getenv("CUDASIM_CHECK") && std::string(std::getenv("CUDASIM_CHECK")) == "1";
    return on;
}

bool has_thread(const Touch& touch) { return touch.block != kWholeWork; }

std::string work_name(const Touch& touch) {
    const Work& work = state().works[touch.work];
    return format("%s (stream %llu)", readable(work.name).c_str(), static_cast<unsigned long long>(work.stream));
}

std::string message_of(const Wrong& wrong) {
    if (wrong.kind == Wrong::Kind::Uninitialised)
        return format("%s of memory that was never written", wrong.is_write ? "an atomic update" : "a read");
    return race(wrong.is_write ? "a write" : "a read", wrong.other, wrong.other_is_write);
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
    state().now = static_cast<uint32_t>(state().works.size());
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
        if (!work_ordered(cell->written.work)) return race(writes(access) ? "a write" : "a read", cell->written, true);
        if (writes(access) && !work_ordered(cell->read.work)) return race("a write", cell->read, false);
        if (writes(access))
            cell->written = now;
        else
            cell->read = read_note(cell->read, now);
    }
    return "";
}

void release_range(size_t offset, size_t bytes) {
    if (bytes <= kClearByHand) return;
    Cell* cells = shadow(offset);
    auto first = (reinterpret_cast<uintptr_t>(cells) + 4095) & ~uintptr_t(4095);
    auto last = reinterpret_cast<uintptr_t>(cells + bytes) & ~uintptr_t(4095);
    madvise(reinterpret_cast<void*>(first), last - first, MADV_DONTNEED);
}

void forget_range(size_t offset, size_t bytes) {
    Cell* cells = shadow(offset);
    release_range(offset, bytes);
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
    block.barrier = 0;
    block.warps.assign((threads + 31) / 32, 1);
    block.seen.clear();
    block.seen_warps.clear();
    block.threads = threads;
    block.common = {};
    block.own.clear();
    block.shared.assign(shared_bytes, Cell{});
}

void KernelOrder::barrier(BlockTime& block) {
    block.barrier = ++block.clock;
    for (auto& [thread, messages] : block.own) learn(block.common, messages);
    block.own.clear();
}

void KernelOrder::arrive(BlockTime& block, unsigned thread, Arrivals& arrivals) {
    if (block.seen.empty()) {
        block.seen.assign(block.warps.size(), std::vector<uint32_t>(block.threads));
        block.seen_warps.assign(block.warps.size(), std::vector<uint32_t>(block.warps.size()));
    }
    const unsigned warp = thread / 32;
    arrivals.clocks.resize(block.threads);
    arrivals.warps.resize(block.warps.size());
    learn_clocks(arrivals.clocks, block.seen[warp]);
    learn_clocks(arrivals.warps, block.seen_warps[warp]);
    arrivals.clocks[thread] = block.clock++;
    arrivals.warps[warp] = std::max(arrivals.warps[warp], block.warps[warp]);
    if (auto own = block.own.find(thread); own != block.own.end()) learn(arrivals.messages, own->second);
}

void KernelOrder::learn_from(BlockTime& block, unsigned thread, const Arrivals& arrivals) {
    if (arrivals.clocks.empty()) return;
    learn_clocks(block.seen[thread / 32], arrivals.clocks);
    learn_clocks(block.seen_warps[thread / 32], arrivals.warps);
    if (!block.own.empty()) learn(block.own[thread], arrivals.messages);
}

void KernelOrder::meet(BlockTime& block, unsigned warp, uint32_t lanes) {
    if (block.warps.empty()) return;
    ++block.warps[warp];
    Messages all;
    bool any = false;
    for (unsigned lane = 0; lane < 32 && !block.own.empty(); ++lane) {
        auto own = block.own.find(32 * warp + lane);
        if (!(lanes >> lane & 1) || own == block.own.end()) continue;
        learn(all, own->second);
        any = true;
    }
    for (unsigned lane = 0; lane < 32 && any; ++lane)
        if (lanes >> lane & 1) block.own[32 * warp + lane] = all;
}

void KernelOrder::fence(BlockTime& block, unsigned thread) {
    Messages& own = block.own[thread];
    learn(own.known, own.heard);
    learn(own.known, block.common.heard);
    own.heard.clear();
    // A fence also publishes its thread's knowledge of others: from barriers, warp synchronization, and messages.
    learn(own.released, block.common.known);
    learn(own.released, own.known);
    auto& released = own.released[block.number];
    Reached here = released ? *released : Reached{};
    here.barrier = block.barrier;
    here.warps[thread / 32] = block.warps[thread / 32];
    here.threads[thread] = block.clock++;
    released = std::make_shared<const Reached>(std::move(here));
}

void KernelOrder::atomic(BlockTime& block, unsigned thread, uintptr_t place) {
    Knowledge& message = messages_[place];
    Messages& own = block.own[thread];
    learn(own.heard, message);
    learn(message, block.common.released);
    learn(message, own.released);
}

bool KernelOrder::ordered(const Touch& before, const Touch& now, const BlockTime& block) const {
    if (before.work != now.work) return work_ordered(before.work);
    if (before.block != now.block) {
        auto own = block.own.find(now.thread);
        return knows(block.common.known, before) || (own != block.own.end() && knows(own->second.known, before));
    }
    if (before.clock < block.barrier) return true;
    // Of several readers the last one stands for all.
    if (!block.seen.empty()) {
        const unsigned warp = now.thread / 32, others = before.thread / 32;
        if (before.clock <= block.seen[warp][before.thread]) return true;
        if (!before.warps && before.warp_clock < block.seen_warps[warp][others]) return true;
    }
    if (before.warps) return false;
    if (before.thread == now.thread && !before.lanes) return true;
    bool same_warp = before.thread / 32 == now.thread / 32;
    return same_warp && (before.warp_clock < now.warp_clock || now.warp_clock == kMostWarpTime);
}

Wrong KernelOrder::judge(Cell& cell, Access access, const Touch& now, const BlockTime& block) const {
    const bool is_write = writes(access);
    Wrong wrong;
    if (cell.written.work && !both_atomic(cell.written, now) && !ordered(cell.written, now, block))
        wrong = {Wrong::Kind::Race, is_write, true, cell.written};
    if (cell.written.work == 0 && (!is_write || is_update(access)))
        wrong = {Wrong::Kind::Uninitialised, is_write, false, {}};
    if (!is_write) {
        if (cell.read.work != now.work) {
            cell.read = read_note(cell.read, now);
            cell.other_reader = {};
            return wrong;
        }
        Touch merged = now;
        Reader other{};
        // For several unordered readers, only their scope is recorded.
        if (cell.read.block == now.block && !ordered(cell.read, now, block)) {
            merged.lanes = cell.read.lanes || cell.read.thread != now.thread;
            merged.warps = cell.read.warps || cell.read.thread / 32 != now.thread / 32;
            other = cell.read.thread != now.thread ? Reader{uint32_t{cell.read.thread} + 1, cell.read.line}
                                                   : cell.other_reader;
        }
        cell.read = merged;
        cell.other_reader = other;
        return wrong;
    }
    if (!wrong && cell.read.work && !both_atomic(cell.read, now) && !ordered(cell.read, now, block)) {
        wrong = {Wrong::Kind::Race, true, false, cell.read};
        const bool is_own =
            cell.read.work == now.work && cell.read.block == now.block && cell.read.thread == now.thread;
        if (is_own && cell.other_reader.thread) {  // a thread that reads, and then writes, is not its own race
            wrong.other.thread = cell.other_reader.thread - 1;
            wrong.other.line = cell.other_reader.line;
        }
    }
    cell.written = now;
    return wrong;
}

Wrong KernelOrder::touch(Cell* cells, size_t bytes, Access access, BlockTime& block, unsigned thread, int line) {
    Touch now{};
    now.work = current_work();
    now.block = block.number;
    now.clock = block.clock;
    now.thread = thread;
    now.warp_clock = std::min(block.warps[thread / 32], kMostWarpTime);
    now.atomic = is_atomic(access);
    now.system = access == Access::SystemWrite || access == Access::SystemUpdate;
    now.line = line;
    Wrong first;
    Cell before{}, after{};
    for (size_t i = 0; i < bytes; ++i) {
        // Most bytes share the history of the byte before them, and so its result.
        if (i > 0 && std::memcmp(&cells[i], &before, sizeof before) == 0) {
            cells[i] = after;
            continue;
        }
        before = cells[i];
        Wrong wrong = judge(cells[i], access, now, block);
        if (wrong && !first) first = wrong;
        after = cells[i];
    }
    return first;
}

}  // namespace cudasim
