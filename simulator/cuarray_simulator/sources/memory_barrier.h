// memory_barrier.h -- barriers in shared memory (mbarrier), and the copies that arrive at them.
#pragma once
#include <vector>

#include "check.h"
#include "findings.h"

namespace cudasim {

/// What an instruction does with a barrier; the numbers are those of ptx_barriers.h.
enum class BarrierStep { Init, Invalidate, Expect, Complete, Arrive, Drop, Test, TestParity, ArriveAfterCopies };

/// A copy to or from shared memory that nobody has waited for.
struct PendingCopy {
    char* to;
    const char* from;
    unsigned bytes, read, group;
    int line;
};

/// The copies of one kind that a thread has begun, in groups.
struct PendingCopies {
    std::vector<PendingCopy> copies;
    unsigned group = 0;
};

/// What a barrier is told by a copy, by no instruction: the bytes of a bulk copy, or an arrival when the first copies
/// of a thread are over.
struct Delivery {
    unsigned thread;
    PendingCopy copy;
    /// The number of groups, with the begun one, whose copies the arrival is for; 0: a bulk copy.
    unsigned groups;
};

/// A barrier: its phase ends when all arrivals and all bytes that it expects have come. The memory holds a word of no
/// meaning to the program, by which other writes to it are found.
class MemoryBarrier {
 public:
    static constexpr uint64_t kMostArrivals = (1u << 20) - 1;

    Fault init(uint64_t arrivals);
    Fault expect(int64_t bytes);
    Fault complete(int64_t bytes);
    /// Fewer arrivals are expected in all later phases.
    Fault drop(uint64_t arrivals);
    Fault arrive(uint64_t arrivals, bool may_complete = true);
    /// One more arrival is expected in this phase.
    Fault expect_arrival();

    /// The phase and the arrivals that it lacks: what an arrival gives the program.
    uint64_t token() const { return phase_ << 20 | pending_; }
    /// Whether the phase of a token, or the last one of a parity, has ended.
    Fault has_ended(uint64_t token, bool& ended) const;
    bool has_ended_of_parity(uint64_t parity) const { return (phase_ & 1) != (parity & 1); }
    /// What the memory holds.
    uint64_t word() const;
    std::string in_words() const;
    /// Whether a phase has begun and not ended.
    bool lacks_something() const { return pending_ != expected_ || bytes_ != 0; }

    /// Of this phase, and of the last one.
    KernelOrder::Arrivals arriving, arrived;
    std::vector<Delivery> deliveries;
    int line = 0;

 private:
    void end_phase_if_complete();

    uint64_t expected_ = 0, pending_ = 0, phase_ = 0;
    int64_t bytes_ = 0;
};

}  // namespace cudasim
