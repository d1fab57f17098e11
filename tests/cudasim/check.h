// check.h -- shadow memory: for every byte who wrote and read it last, so that each access can be judged.
#pragma once
#include <map>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "cuda_abi.h"

namespace cudasim {

/// Streams and how far each is known to have come: what a piece of work is ordered after.
using Clock = std::map<uint64_t, uint64_t>;
/// Adds what `other` knows.
void join(Clock& clock, const Clock& other);

/// True when CUDASIM_CHECK=1: kernels report every access.
bool checking();

/// In the order of the kinds in module_abi.h.
enum class Access { Read, Write, AtomicRead, AtomicWrite, SystemWrite };

inline bool is_atomic(Access access) { return access >= Access::AtomicRead; }

/// The last access of one kind to a byte. Work 0 is none.
struct Touch {
    uint32_t work;
    uint32_t block;
    uint32_t clock;
    uint32_t thread : 10;
    uint32_t warp_clock : 18;
    uint32_t atomic : 1;
    uint32_t system : 1;  ///< atomic for every kernel and the host
    /// Several lanes of a warp, or several warps of a block, have read since the last write.
    uint32_t lanes : 1;
    uint32_t warps : 1;
};

/// A byte's shadow; zero means never written.
struct Cell {
    Touch written, read;
};

/// Reserves shadow for so many bytes of device memory.
void map_shadow(size_t device_bytes);

/// Work that is not a kernel: it touches whole ranges. Each function returns what is wrong, or nothing.
void begin_work(const char* name, uint64_t stream, uint64_t ticket, const Clock& clock);
std::string touch_range(size_t offset, size_t bytes, Access access);
/// Gives a large range's shadow back to the system: nobody is to ask about these bytes before they are fresh again.
void release_range(size_t offset, size_t bytes);
/// Fresh memory: nothing in it has been written, and whoever uses it must come after the current work.
void forget_range(size_t offset, size_t bytes);
/// A copy takes its source's "never written" along.
void copy_range(size_t to, size_t from, size_t bytes);

/// Ordering inside one kernel: threads of different blocks know each other's progress through fences and
/// atomics only.
class KernelOrder {
 public:
    /// How far a block is known to have come: all of it up to a barrier, some warps and threads further.
    struct Reached {
        uint32_t barrier = 0;
        std::unordered_map<uint32_t, uint32_t> warps, threads;
    };
    /// By block. What is known is shared: the last of many blocks knows of all, in each of its threads.
    using Knowledge = std::unordered_map<uint32_t, std::shared_ptr<const Reached>>;
    /// What a thread has made ready for others by a fence, has read from atomics, and, after another fence,
    /// knows.
    struct Messages {
        Knowledge released, heard, known;
    };
    /// A block's own time. It advances at barriers and fences.
    struct BlockTime {
        uint32_t number = 0;
        uint32_t clock = 1, barrier = 0;
        std::vector<uint32_t> warps;
        /// What all threads have since the last barrier, and what single ones have besides.
        Messages common;
        std::unordered_map<uint32_t, Messages> own;
        std::vector<Cell> shared;
    };

    static void start(BlockTime& block, uint32_t number, unsigned threads, size_t shared_bytes);
    static void barrier(BlockTime& block);
    /// The lanes of a warp that have met.
    static void meet(BlockTime& block, unsigned warp, uint32_t lanes);
    static void fence(BlockTime& block, unsigned thread);
    void atomic(BlockTime& block, unsigned thread, uintptr_t place);

    /// Judges one access by a thread and notes it. Empty when nothing is wrong.
    std::string touch(Cell* cells, size_t bytes, Access access, BlockTime& block, unsigned thread);

 private:
    std::string judge(Cell& cell, Access access, const Touch& now, const BlockTime& block) const;
    bool ordered(const Touch& before, const Touch& now, const BlockTime& block) const;

    std::unordered_map<uintptr_t, Knowledge> messages_;
};

/// The shadow of device memory from an offset on.
Cell* shadow(size_t offset);

}  // namespace cudasim
