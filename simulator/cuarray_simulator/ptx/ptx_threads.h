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

/// The lowest of the lanes that take part.
inline u32 elect(u32 mask) { return u32(__builtin_ctz(exchange(mask, kVote, 0).lanes)); }

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

template <class T, class F>
inline T reduce_warp(T value, u32 mask, F combine) {
    cudasim_exchanged all = exchange(mask, kVote, value);
    bool any = false;
    for (u32 i = 0; i < 32; ++i) {
        if (!(all.lanes >> i & 1)) continue;
        const T other = load<T>(u64(all.slots + 16 * i));
        value = any ? combine(value, other) : other;
        any = true;
    }
    return value;
}

/// Arrives at a barrier of the block and waits there, or only arrives; without a number of threads it is for all.
inline void barrier(u32 number, u32 threads, bool waits, int line) {
    cudasim_here.line = line;
    cudasim_runtime_table->barrier(number, threads, waits, line);
}
static u32 votes[16];  // in .bss: every block has its own
/// The number of threads at a barrier whose predicate is true.
inline u32 barrier_count(u32 number, u32 threads, bool predicate, int line) {
    barrier(number, threads, true, line);
    votes[number & 15] = 0;
    barrier(number, threads, true, line);
    votes[number & 15] += predicate;
    barrier(number, threads, true, line);
    return votes[number & 15];
}
/// The barrier of a cooperative launch, as cooperative_groups.h writes it: the top bit of a word changes when all
/// blocks have added to it.
inline void grid_barrier(int line) {
    if (!cudasim_here.grid_workspace) fail(719, "a barrier of the grid in a launch that is not cooperative", line);
    constexpr u32 kTop = 1u << 31;
    const auto &b = cudasim_here.block, &g = cudasim_here.grid_size;
    const u64 arrived = u64(cudasim_here.grid_workspace + 1);
    barrier(0, 0, true, line);
    if (thread_number() == 0) {
        const u32 added = b.x + b.y + b.z == 0 ? kTop - (g.x * g.y * g.z - 1) : 1;
        fence(true);
        const u32 before = atomic<u32>(arrived, [&](u32 old) { return old + added; }, kUpdateAtomic, line);
        for (u32 now = before; ((before ^ now) & kTop) == 0; now = load<u32>(arrived)) {
            cudasim_runtime_table->yield();
            note(arrived, sizeof(u32), kReadAtomic, line);
        }
        fence(true);
    }
    barrier(0, 0, true, line);
}
inline void sleep(u64) { cudasim_runtime_table->yield(); }
inline u32 env_register(u32 number) {
    const u64 workspace = u64(cudasim_here.grid_workspace);
    return number == 1 ? u32(workspace >> 32) : number == 2 ? u32(workspace) : 0;
}
[[noreturn]] inline void trap(int line) { fail(719, "trap", line); }

/// A function by its address, which is the CPU's.
template <class F>
inline F function_at(u64 address, int line) {
    if (address == 0) fail(718, "a call through a null pointer", line);
    return reinterpret_cast<F>(address);
}

/// An argument of a call of CUDA's library of device functions.
template <class T>
inline T argument(const char* place) {
    return load<T>(u64(place));
}
inline void vprintf(char* result, const char* pattern, const char* arguments, int) {
    store<u32>(u64(result),
               cudasim_runtime_table->print(argument<const char*>(pattern), argument<const char*>(arguments)));
}
inline void malloc(char* result, const char* bytes, int line) {
    cudasim_here.line = line;
    store<u64>(u64(result), u64(cudasim_runtime_table->allocate(argument<u64>(bytes))));
}
inline void free(const char* place, int line) {
    cudasim_here.line = line;
    cudasim_runtime_table->release(reinterpret_cast<void*>(argument<u64>(place)));
}
inline void __assertfail(const char* text, const char* file, const char* number, const char* function, const char*,
                         int line) {
    cudasim_here.line = line;
    cudasim_runtime_table->assertion(argument<const char*>(text), argument<const char*>(file), argument<u32>(number),
                                     argument<const char*>(function));
}
inline void cudaCGGetIntrinsicHandle(char* result, const char* scope, int) {
    store<u64>(u64(result), argument<u32>(scope));
}
inline void cudaCGSynchronize(char* result, const char* handle, const char*, int line) {
    constexpr u64 kGrid = 1;
    if (argument<u64>(handle) != kGrid) fail(719, "a barrier of several GPUs is not simulated", line);
    grid_barrier(line);
    store<u32>(u64(result), 0);
}

}  // namespace ptx
