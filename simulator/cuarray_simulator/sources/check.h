// check.h -- shadow memory: the last writer and readers of every byte, to check each access.
#pragma once
#include <map>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "cuda_abi.h"

namespace cudasim {

/// A vector clock of streams: the points that a piece of work is ordered after.
using Clock = std::map<uint64_t, uint64_t>;
/// Merges the clock of `other`.
void join(Clock& clock, const Clock& other);

/// True when CUDASIM_CHECK=1: kernels report every access.
bool checking();

/// In the order of the kinds in module_abi.h.
enum class Access { Read, Write, AtomicRead, AtomicWrite, SystemWrite, AtomicUpdate, SystemUpdate };

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
    /// The line of the text, as modules note it; 0: unknown.
    int line;
};

/// A reader as reports name it.
struct Reader {
    uint32_t thread;  ///< 1 is thread 0; 0: none
    int line;
};

/// A byte's shadow; zero means never written.
struct Cell {
    Touch written, read;
    /// Of several readers in a block that are not ordered, one of another thread than the last.
    Reader other_reader;
};

/// What is wrong with an access, if anything.
struct Wrong {
    enum class Kind { Nothing, Race, Uninitialised } kind = Kind::Nothing;
    bool is_write = false;
    /// The access that a race is with.
    bool other_is_write = false;
    Touch other{};

    explicit operator bool() const { return kind != Kind::Nothing; }
};
/// The number of the work that is running.
uint32_t current_work();
/// In words: "a read of memory that was never written".
std::string message_of(const Wrong& wrong);
/// The kernel, copy or fill of an access, as reports name it.
std::string work_name(const Touch& touch);
/// Whether an access is of one thread, not of a whole copy or fill.
bool has_thread(const Touch& touch);

/// Reserves shadow for a number of bytes of device memory.
void map_shadow(size_t device_bytes);

/// Work that is not a kernel: it accesses whole ranges. Each function returns an error, or nothing.
void begin_work(const char* name, uint64_t stream, uint64_t ticket, const Clock& clock);
std::string touch_range(size_t offset, size_t bytes, Access access);
/// Returns a large range's shadow to the system: the bytes are not queried before they are fresh again.
void release_range(size_t offset, size_t bytes);
/// Fresh memory: uninitialized, and every use must be ordered after the current work.
void forget_range(size_t offset, size_t bytes);
/// A copy propagates "uninitialized" from its source.
void copy_range(size_t to, size_t from, size_t bytes);

/// Ordering inside one kernel: threads of different blocks are ordered only by fences and
/// atomics.
class KernelOrder {
 public:
    /// The known progress of a block: all of it up to a barrier, some warps and threads further.
    struct Reached {
        uint32_t barrier = 0;
        std::unordered_map<uint32_t, uint32_t> warps, threads;
    };
    /// By block. Clocks are shared: the last of many blocks has the clocks of all, in each of its threads.
    using Knowledge = std::unordered_map<uint32_t, std::shared_ptr<const Reached>>;
    /// The clocks that a thread has published by a fence, has read from atomics, and, after another fence,
    /// has acquired.
    struct Messages {
        Knowledge released, heard, known;
    };
    /// A block's own time. It advances at barriers and fences.
    struct BlockTime {
        uint32_t number = 0;
        uint32_t clock = 1, barrier = 0;
        unsigned threads = 0;
        std::vector<uint32_t> warps;
        /// Up to which clock each warp knows each thread, and up to which warp clock each warp, from barriers of a part
        /// of the block; empty without such.
        std::vector<std::vector<uint32_t>> seen, seen_warps;
        /// The clocks of all threads since the last barrier, and the additional ones of single threads.
        Messages common;
        std::unordered_map<uint32_t, Messages> own;
        std::vector<Cell> shared;
    };

    /// The clocks of the threads that have arrived at a barrier of a part of the block, and of their warps, whose lanes
    /// may have met before, and what they knew.
    struct Arrivals {
        std::vector<uint32_t> clocks, warps;
        Messages messages;
    };

    static void start(BlockTime& block, uint32_t number, unsigned threads, size_t shared_bytes);
    static void barrier(BlockTime& block);
    /// A thread arrives at a barrier of a part of the block; one that has waited for it knows the arrived.
    static void arrive(BlockTime& block, unsigned thread, Arrivals& arrivals);
    static void learn_from(BlockTime& block, unsigned thread, const Arrivals& arrivals);
    /// The synchronized lanes of a warp.
    static void meet(BlockTime& block, unsigned warp, uint32_t lanes);
    static void fence(BlockTime& block, unsigned thread);
    void atomic(BlockTime& block, unsigned thread, uintptr_t place);

    /// Checks one access by a thread and records it, also if it is wrong.
    Wrong touch(Cell* cells, size_t bytes, Access access, BlockTime& block, unsigned thread, int line);

 private:
    Wrong judge(Cell& cell, Access access, const Touch& now, const BlockTime& block) const;
    bool ordered(const Touch& before, const Touch& now, const BlockTime& block) const;

    std::unordered_map<uintptr_t, Knowledge> messages_;
};

/// The shadow of device memory from an offset on.
Cell* shadow(size_t offset);

}  // namespace cudasim
