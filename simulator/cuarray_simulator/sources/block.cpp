// block.cpp -- barriers and warp-wide exchanges of one block.
#include "block.h"

#include <algorithm>

#include "driver.h"
#include "findings.h"

namespace cudasim {
namespace {

constexpr size_t kSharedGuard = 64;
constexpr char kSharedGuardByte = static_cast<char>(0xB7);

unsigned lanes_below(unsigned n) { return n >= 32 ? ~0u : (1u << n) - 1; }

// The only exchange that orders memory: CUDA does not promise this for shuffles, votes and matches.
constexpr int kSyncWarp = 0;

const char* kind_name(int kind) {
    constexpr const char* kNames[] = {"__syncwarp", "a shuffle", "a vote", "a match"};
    return kNames[kind];
}

}  // namespace

Snapshot& Warp::free_snapshot() {
    auto unread = std::find_if(kept.begin(), kept.end(), [](const Snapshot& s) { return s.readers == 0; });
    return unread == kept.end() ? kept.emplace_back() : *unread;
}

const Snapshot& Warp::snapshot_of(unsigned lane) const {
    return *std::find_if(kept.begin(), kept.end(), [=](const Snapshot& s) { return s.readers >> lane & 1; });
}

void Warp::forget(unsigned lane) {
    for (Snapshot& snapshot : kept) snapshot.readers &= ~(1u << lane);
}

void Block::start(const cudasim_extent& where, const cudasim_extent& grid, const cudasim_extent& size, unsigned first,
                  unsigned step, size_t static_bytes, size_t dynamic_bytes) {
    index = where;
    size_ = size;
    count_ = unstarted_ = size.x * size.y * size.z;
    ended_ = at_barrier_ = 0;
    next_ = first;
    step_ = step;
    dynamic_bytes_ = dynamic_bytes;
    static_shared.assign(static_bytes, kPoison);
    dynamic_shared.assign(dynamic_bytes, kPoison);
    dynamic_shared.resize(dynamic_bytes + kSharedGuard, kSharedGuardByte);
    threads_.resize(count_);
    warps_.resize((count_ + 31) / 32);
    for (unsigned w = 0; w < warps_.size(); ++w) {
        warps_[w].alive = lanes_below(count_ - 32 * w);
        warps_[w].open.clear();
        for (Snapshot& snapshot : warps_[w].kept) snapshot.readers = 0;
    }
    ready_.clear();
    named_.fill({});
    memory_barriers.clear();
    if (checking()) {
        uint32_t number = static_cast<uint32_t>(where.x + grid.x * (where.y + static_cast<size_t>(grid.y) * where.z));
        KernelOrder::start(time, number, count_, static_bytes + dynamic_bytes);
    }
}

Thread& Block::take_ready(size_t which) {
    std::swap(ready_[which], ready_.back());
    Thread& thread = threads_[ready_.back()];
    ready_.pop_back();
    return thread;
}

void Block::make_ready(Thread& thread) {
    thread.waiting = false;
    ready_.push_back(thread.number);
}

Fault Block::left_early(const Thread& thread, const cudasim_module& module) const {
    return {format("divergent barrier: thread %u left the kernel while others wait in ", thread.number) +
                line_name(module, barrier_line_),
            Cause::Barrier};
}

Fault Block::arrive(Thread& thread, int line, bool& waits, const cudasim_module& module) {
    if (ended_ > 0)
        return {"divergent barrier: " + line_name(module, line) +
                    " is reached after a thread of the block has left the kernel",
                Cause::Barrier};
    if (at_barrier_ > 0 && line != barrier_line_)
        return {format("divergent barrier: threads of one block wait in lines %d and %d", number_of(barrier_line_),
                       number_of(line)),
                Cause::Barrier};
    barrier_line_ = line;
    waits = ++at_barrier_ < count_;
    thread.waiting = waits;
    if (waits) return {};
    at_barrier_ = 0;
    KernelOrder::barrier(time);
    for (Thread& other : threads_)
        if (&other != &thread) make_ready(other);
    return {};
}

Fault Block::arrive_named(Thread& thread, unsigned number, unsigned threads, int line, bool& waits) {
    if (number >= kBarriers) return {format("barrier %u: a block has the barriers 0 to 15", number)};
    if (threads % 32) return {format("barrier %u for %u threads: it takes whole warps of 32", number, threads)};
    // The last warp may have fewer threads.
    if (threads == 0 || threads == (count_ + 31) / 32 * 32) threads = count_;
    if (threads > count_)
        return {format("barrier %u waits for %u threads, and the block has %u", number, threads, count_)};
    NamedBarrier& b = named_[number];
    if (!b.arrived.empty() && b.threads != threads)
        return {format("divergent barrier: barrier %u is for %u threads in line %d and for %u in line %d", number,
                       b.threads, number_of(b.line), threads, number_of(line)),
                Cause::Barrier};
    b.threads = threads;
    b.line = line;
    b.arrived.push_back(thread.number);
    if (waits) b.waiting.push_back(thread.number);
    if (checking()) KernelOrder::arrive(time, thread.number, b.arrivals);
    thread.waiting = waits && b.arrived.size() < threads;
    waits = thread.waiting;
    if (b.arrived.size() < threads) return {};
    for (unsigned other : b.waiting) {
        if (checking()) KernelOrder::learn_from(time, other, b.arrivals);
        if (other != thread.number) make_ready(threads_[other]);
    }
    b = {};
    return {};
}

Fault Block::join(Thread& thread, unsigned mask, int kind, const void* value, unsigned bytes, bool& waits) {
    unsigned w = thread.number / 32, lane = thread.number % 32, bit = 1u << lane;
    Warp& warp = warps_[w];
    if (!(mask & bit)) return {format("%s: lane %u is not in its own mask 0x%x", kind_name(kind), lane, mask)};
    warp.forget(lane);
    std::memcpy(warp.given[lane], value, bytes);
    auto same = std::find_if(warp.open.begin(), warp.open.end(), [&](auto& r) { return r.mask == mask; });
    if (same == warp.open.end()) {
        same = warp.open.insert(warp.open.end(), {mask, bit, kind});
    } else {
        if (same->kind != kind)
            return {format("warp %u: some lanes are in %s, others in %s", w, kind_name(same->kind), kind_name(kind))};
        same->arrived |= bit;
    }
    for (const Rendezvous& other : warp.open)
        if (&other != &*same && (other.arrived & mask) && (same->arrived & other.mask))
            return {format("%s: lanes of warp %u wait for each other with masks 0x%x and 0x%x", kind_name(kind), w,
                           other.mask, mask)};
    thread.waiting = true;
    complete(w, &thread);
    waits = thread.waiting;
    return {};
}

const Delivery* Block::undelivered() const {
    // An arrival whose copies its thread has waited for by other means is late for nobody.
    for (const auto& [place, barrier] : memory_barriers)
        for (const Delivery& delivery : barrier.deliveries)
            if (delivery.groups == 0 || !threads_[delivery.thread].copies.copies.empty()) return &delivery;
    return nullptr;
}

/// Completes the exchanges of a warp whose live lanes have all arrived. The lane that arrived last continues
/// running.
void Block::complete(unsigned w, const Thread* running) {
    Warp& warp = warps_[w];
    for (size_t i = 0; i < warp.open.size();) {
        Rendezvous meeting = warp.open[i];
        unsigned needed = meeting.mask & warp.alive;
        if ((meeting.arrived & needed) != needed) {
            ++i;
            continue;
        }
        warp.open.erase(warp.open.begin() + static_cast<long>(i));
        if (meeting.kind == kSyncWarp) KernelOrder::meet(time, w, meeting.arrived);
        Snapshot& snapshot = warp.free_snapshot();
        snapshot.lanes = snapshot.readers = meeting.arrived;
        std::memcpy(snapshot.values, warp.given, sizeof warp.given);
        for (unsigned lane = 0; lane < 32; ++lane) {
            if (!(meeting.arrived >> lane & 1)) continue;
            Thread& thread = threads_[32 * w + lane];
            thread.waiting = false;
            if (&thread != running) make_ready(thread);
        }
    }
}

cudasim_exchanged Block::exchanged(const Thread& thread) const {
    const Snapshot& snapshot = warps_[thread.number / 32].snapshot_of(thread.number % 32);
    return {&snapshot.values[0][0], snapshot.lanes};
}

const Thread* Block::waiting_thread() const {
    auto waits = [&](const Thread& t) { return t.waiting && (warps_[t.number / 32].alive >> (t.number % 32) & 1); };
    auto found = std::find_if(threads_.begin(), threads_.begin() + count_, waits);
    return found == threads_.begin() + count_ ? nullptr : &*found;
}

/// The number of threads in each line, without those that have not started, have ended or wait at a barrier.
std::map<int, unsigned> Block::threads_by_line() const {
    std::vector<bool> is_elsewhere(count_, false);
    for (unsigned i = 0, number = next_; i < unstarted_; ++i, number = (number + step_) % count_)
        is_elsewhere[number] = true;
    for (const NamedBarrier& b : named_)
        for (unsigned number : b.waiting) is_elsewhere[number] = true;
    std::map<int, unsigned> found;
    for (unsigned number = 0; number < count_; ++number) {
        const Thread& thread = threads_[number];
        const bool ended = !(warps_[number / 32].alive >> (number % 32) & 1);
        const bool at_barrier = at_barrier_ > 0 && thread.waiting && thread.line == barrier_line_;
        if (!is_elsewhere[number] && !ended && !at_barrier) ++found[thread.line];
    }
    return found;
}

/// The offset of a place in static or dynamic shared memory.
std::string Block::place_in_shared(const void* place, const cudasim_module& module) const {
    const auto at = static_cast<const char*>(place);
    const bool is_dynamic = at >= dynamic_shared.data() && at < dynamic_shared.data() + dynamic_bytes_;
    return format("%td of %s shared memory", at - (is_dynamic ? dynamic_shared.data() : module.shared_begin),
                  is_dynamic ? "dynamic" : "static");
}

std::string Block::stalled(const cudasim_module& module) const {
    std::string text = format("block (%u, %u, %u): %u threads, %u ended", index.x, index.y, index.z, count_, ended_);
    if (unstarted_ > 0) text += format(", %u not started", unstarted_);
    if (at_barrier_ > 0) text += format(", %u at a barrier in ", at_barrier_) + line_name(module, barrier_line_);
    for (auto [line, threads] : threads_by_line())
        if (number_of(line) > 0) text += format(", %u in ", threads) + line_name(module, line);
    for (unsigned number = 0; number < kBarriers; ++number)
        if (const NamedBarrier& b = named_[number]; !b.arrived.empty())
            text += format("; %zu of %u threads at barrier %u in ", b.arrived.size(), b.threads, number) +
                    line_name(module, b.line);
    for (const auto& [place, barrier] : memory_barriers)
        if (barrier.lacks_something())
            text += "; the barrier in memory made at " + line_name(module, barrier.line) + ", at byte " +
                    place_in_shared(place, module) + ": " + barrier.in_words();
    for (size_t w = 0; w < warps_.size(); ++w)
        for (const Rendezvous& r : warps_[w].open)
            text += format("; warp %zu: lanes 0x%x in %s with mask 0x%x", w, r.arrived, kind_name(r.kind), r.mask);
    return text;
}

bool Block::dynamic_guard_intact() const {
    return std::all_of(dynamic_shared.begin() + static_cast<long>(dynamic_bytes_), dynamic_shared.end(),
                       [](char c) { return c == kSharedGuardByte; });
}

}  // namespace cudasim
