// block.h -- a resident thread block: runnable threads, and threads waiting at the barrier or in a warp-wide exchange.
#pragma once
#include <array>
#include <cstring>
#include <map>
#include <string>
#include <vector>

#include "check.h"
#include "fiber.h"
#include "memory_barrier.h"
#include "module_abi.h"

namespace cudasim {

/// Finite and huge as a float or a double, odd as an integer: an uninitialized read is visible.
constexpr char kPoison = static_cast<char>(0xCB);
/// The barriers of a block.
constexpr unsigned kBarriers = 16;

/// A thread that has started and not ended.
struct Thread {
    PendingCopies copies, bulk_copies;
    Fiber* fiber = nullptr;
    unsigned number = 0;
    cudasim_extent index = {};
    bool waiting = false;
    /// The line that it was at when it last let another thread run.
    int line = 0;
};

/// Lanes of a warp that wait for each other with the same mask.
struct Rendezvous {
    unsigned mask, arrived;
    int kind;
};

/// The values of a completed exchange, kept until each of its lanes reaches the next one or ends.
struct Snapshot {
    unsigned lanes = 0, readers = 0;
    unsigned char values[32][16];
};

/// The exchanges of a warp: values given so far, and the completed exchanges that lanes may still be
/// reading.
struct Warp {
    unsigned alive = 0;
    std::vector<Rendezvous> open;
    unsigned char given[32][16];
    std::vector<Snapshot> kept;

    Snapshot& free_snapshot();
    const Snapshot& snapshot_of(unsigned lane) const;
    void forget(unsigned lane);
};

/// A barrier of the block that is not for all threads at number 0: who has arrived, and who of them waits.
struct NamedBarrier {
    unsigned threads = 0;
    int line = 0;
    std::vector<unsigned> arrived, waiting;
    KernelOrder::Arrivals arrivals;
};

/// One resident block.
class Block {
 public:
    void start(const cudasim_extent& index, const cudasim_extent& grid, const cudasim_extent& size, unsigned first,
               unsigned step, size_t static_bytes, size_t dynamic_bytes);

    bool runnable() const { return unstarted_ > 0 || !ready_.empty(); }
    bool finished() const { return ended_ == count_; }
    unsigned unstarted() const { return unstarted_; }
    size_t ready() const { return ready_.size(); }

    /// The next thread in the block's own order.
    Thread& begin_thread(Fiber* fiber) {
        Thread& thread = threads_[next_];
        thread.fiber = fiber;
        thread.number = next_;
        thread.index = {next_, 0, 0};
        if (next_ >= size_.x) thread.index = {next_ % size_.x, next_ / size_.x % size_.y, next_ / size_.x / size_.y};
        thread.waiting = false;
        thread.line = 0;
        thread.copies = {};
        thread.bulk_copies = {};
        --unstarted_;
        next_ += step_;
        if (next_ >= count_) next_ -= count_;
        return thread;
    }
    Thread& take_ready(size_t which);
    void make_ready(Thread& thread);

    /// Ends a thread. False when others wait for it at a barrier.
    bool end_thread(Thread& thread) {
        ++ended_;
        Warp& warp = warps_[thread.number / 32];
        warp.alive &= ~(1u << (thread.number % 32));
        if (!warp.kept.empty()) warp.forget(thread.number % 32);
        if (!warp.open.empty()) complete(thread.number / 32, nullptr);
        return at_barrier_ == 0;
    }
    /// The line of the barrier at which threads wait, or at which they last met.
    int barrier_line() const { return barrier_line_; }
    Fault left_early(const Thread& thread, const cudasim_module& module) const;
    /// Arrives at barrier 0, of all threads, in `line`; `waits` tells whether the thread must wait.
    Fault arrive(Thread& thread, int line, bool& waits, const cudasim_module& module);
    /// Arrives at one of the other barriers, or at one of a part of the threads; `waits` asks and tells likewise.
    Fault arrive_named(Thread& thread, unsigned number, unsigned threads, int line, bool& waits);
    /// Joins an exchange; `waits` tells whether the thread must wait.
    Fault join(Thread& thread, unsigned mask, int kind, const void* value, unsigned bytes, bool& waits);
    Thread& thread(unsigned number) { return threads_[number]; }
    /// The barriers in shared memory, by their addresses.
    std::map<const void*, MemoryBarrier> memory_barriers;
    /// A copy that a barrier still waits for: it would come into memory that another block has.
    const Delivery* undelivered() const;
    cudasim_exchanged exchanged(const Thread& thread) const;

    /// A thread that waits, where none can run.
    const Thread* waiting_thread() const;
    /// The threads and their positions, for the report of a kernel that does not end.
    std::string stalled(const cudasim_module& module) const;
    bool dynamic_guard_intact() const;

    cudasim_extent index = {};
    std::vector<char> static_shared, dynamic_shared;
    KernelOrder::BlockTime time;

 private:
    void complete(unsigned warp, const Thread* running);
    std::map<int, unsigned> threads_by_line() const;
    std::string place_in_shared(const void* place, const cudasim_module& module) const;

    cudasim_extent size_ = {};
    unsigned count_ = 0, unstarted_ = 0, ended_ = 0, at_barrier_ = 0;
    unsigned next_ = 0, step_ = 1;
    int barrier_line_ = 0;
    std::array<NamedBarrier, kBarriers> named_;
    size_t dynamic_bytes_ = 0;
    std::vector<Thread> threads_;
    std::vector<Warp> warps_;
    std::vector<unsigned> ready_;
};

}  // namespace cudasim
