// ptx_barriers.h -- barriers in shared memory, and the bulk copies that arrive there.
#pragma once
#include "ptx_memory.h"

namespace ptx {

/// What an instruction does with a barrier in memory; the numbers are the simulator's.
enum class Step { Init, Invalidate, Expect, Complete, Arrive, Drop, Test, TestParity, ArriveAfterCopies };

/// Does a step with a number and a count of bytes; the flags are of module_abi.h.
inline u64 memory_barrier(Step step, u64 place, u64 number, s64 bytes, unsigned flags, int line) {
    cudasim_here.line = line;
    maybe_yield();
    aligned(place, 8, line);
    return cudasim_runtime_table->memory_barrier(int(step), reinterpret_cast<void*>(place), number, bytes, flags);
}
/// Copies to shared memory and tells a barrier, or, without one, from shared memory as a part of the thread's group.
inline void copy_bulk(u64 to, u64 from, u32 bytes, u64 barrier, int line) {
    aligned(to | from | bytes, 16, line);
    cudasim_here.line = line;
    cudasim_runtime_table->copy_bulk(reinterpret_cast<void*>(to), reinterpret_cast<const void*>(from), bytes,
                                     reinterpret_cast<void*>(barrier));
}

}  // namespace ptx
