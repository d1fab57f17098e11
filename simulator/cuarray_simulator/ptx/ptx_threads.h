// ptx_threads.h -- barriers of a block, and what the lanes of a warp do together.
#pragma once
#include "ptx_memory.h"

namespace ptx {

inline u32 thread_number() {
    const auto &t = cudasim_here.thread, &b = cudasim_here.block_size;
    return t.x + b.x * (t.y + b.y * t.z);
}
inline u32 lane() { return thread_number() % 32; }

/// What an exchange is for; the numbers are the simulator's.
enum Kind { kSync, kShuffle, kVote, kMatch };
template <class T>
inline cudasim_exchanged exchange(u32 mask, Kind kind, T value) {
    return cudasim_runtime_table->exchange(mask, kind, &value, sizeof value);
}

enum class Shuffle { Up, Down, Bfly, Idx };
template <Shuffle S>
inline u32 shfl(u32 value, u32 b, u32 c, u32 mask, bool& valid) {
    u32 self = lane(), segment = c >> 8 & 31, clamp = c & 31, n = b & 31;
    int most = int((self & segment) | (clamp & ~segment)), least = int(self & segment);
    int source = S == Shuffle::Up     ? int(self) - int(n)
                 : S == Shuffle::Down ? int(self + n)
                 : S == Shuffle::Bfly ? int(self ^ n)
                                      : least | int(n & ~segment);
    valid = S == Shuffle::Up ? source >= most : source <= most;
    if (!valid) source = int(self);
    cudasim_exchanged all = exchange(mask, kShuffle, value);
    if (!(all.lanes >> source & 1)) return poison<u32>();  // the value of a lane that takes no part is undefined
    memcpy(&value, all.slots + 16 * source, sizeof value);
    return value;
}
inline u32 ballot(u32 mask, bool predicate) {
    cudasim_exchanged all = exchange(mask, kVote, u32(predicate));
    u32 set = 0;
    for (u32 i = 0; i < 32; ++i)
        if ((all.lanes >> i & 1) && all.slots[16 * i]) set |= 1u << i;
    return set;
}
inline bool uniform(u32 mask, bool predicate) {
    cudasim_exchanged all = exchange(mask, kVote, u32(predicate));
    for (u32 i = 0; i < 32; ++i)
        if ((all.lanes >> i & 1) && (all.slots[16 * i] != 0) != predicate) return false;
    return true;
}
template <class T>
inline u32 match_any(T value, u32 mask) {
    cudasim_exchanged all = exchange(mask, kMatch, value);
    u32 same = 0;
    for (u32 i = 0; i < 32; ++i)
        if ((all.lanes >> i & 1) && __builtin_memcmp(all.slots + 16 * i, &value, sizeof value) == 0) same |= 1u << i;
    return same;
}
/// The lanes that take part if all have the same value, or none.
template <class T>
inline u32 match_all(T value, u32 mask, bool& all_same) {
    cudasim_exchanged all = exchange(mask, kMatch, value);
    all_same = true;
    for (u32 i = 0; i < 32; ++i)
        if ((all.lanes >> i & 1) && __builtin_memcmp(all.slots + 16 * i, &value, sizeof value) != 0) all_same = false;
    return all_same ? all.lanes : 0;
}

inline void barrier(u64 number, int line) {
    if (number != 0) fail(719, "the simulator knows barrier 0 only", line);
    cudasim_here.line = line;
    cudasim_runtime_table->barrier(line);
}
static u32 votes;  // in .bss: every block has its own
/// The number of threads of the block whose predicate is true.
inline u32 barrier_count(u64 number, bool predicate, int line) {
    barrier(number, line);
    votes = 0;
    barrier(number, line);
    votes += predicate;
    barrier(number, line);
    return votes;
}
inline void sleep(u64) { cudasim_runtime_table->yield(); }
[[noreturn]] inline void trap(int line) { fail(719, "trap", line); }

}  // namespace ptx
