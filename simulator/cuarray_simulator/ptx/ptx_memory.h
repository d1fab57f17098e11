// ptx_memory.h -- loads, stores, atomics and fences.
//
// A generic address of global memory is the device's, of which the CPU reaches the bytes elsewhere; others are the
// CPU's. One in shared memory counts from the block's window: first the static arrays, then
// the dynamic one, as on a GPU. Alignment is judged at every access, by its full width.
#pragma once
#include "ptx_float.h"

namespace ptx {

alignas(128) static char shared_window[PTX_STATIC_SHARED ? PTX_STATIC_SHARED : 1];
/// The most shared memory that a block can have.
constexpr u64 kMostShared = 227 << 10;

inline u64 shared_to_generic(u64 at) {
    if (u32(at) < PTX_STATIC_SHARED) return u64(shared_window) + u32(at);
    return u64(cudasim_here.dynamic_shared) + (u32(at) - PTX_STATIC_SHARED);
}
inline u64 generic_to_shared(u64 at) {
    if (at - u64(shared_window) < PTX_STATIC_SHARED) return at - u64(shared_window);
    return at - u64(cudasim_here.dynamic_shared) + PTX_STATIC_SHARED;
}
inline bool in_shared(u64 at) {
    return at - u64(shared_window) < PTX_STATIC_SHARED || at - u64(cudasim_here.dynamic_shared) < kMostShared;
}
/// A thread's own memory is on its fiber's stack; a function that calls none uses some bytes below the pointer, too.
inline bool in_local(u64 at) {
    constexpr u64 kStack = 640 << 10, kRedZone = 128;
    u64 pointer;
    asm("mov %%rsp, %0" : "=r"(pointer));
    return at - (pointer - kRedZone) < kStack;
}
inline bool in_global(u64 at) { return !in_shared(at) && !in_local(at); }

/// Where the CPU reaches what is at a generic address.
inline u64 reach(u64 at) { return at - CUDASIM_MEMORY < CUDASIM_MEMORY_SIZE ? at + CUDASIM_MEMORY_SIZE : at; }

/// The kinds of module_abi.h.
enum Access { kRead, kWrite, kReadAtomic, kWriteAtomic, kWriteSystem, kUpdateAtomic, kUpdateSystem };

[[noreturn]] inline void fail(int code, const char* message, int line) {
    cudasim_here.line = line;
    cudasim_runtime_table->fail(code, message);
    __builtin_unreachable();
}
inline void aligned(u64 at, unsigned bytes, int line) {
    if (at & (bytes - 1)) fail(716, "access to an address that is no multiple of the access's size", line);
}
/// Whether an access lies in an array.
inline bool lies_in(u64 at, unsigned bytes, u64 array, u64 size) {
    return at - array < size && size - (at - array) >= bytes;
}
[[noreturn]] inline void fail_outside_own(int line) { fail(700, "access outside of the thread's own arrays", line); }
inline void note(u64 at, unsigned bytes, Access kind, int line) {
    aligned(at, bytes, line);
#ifdef CUDASIM_CHECKED
    cudasim_here.line = line;
    cudasim_runtime_table->access(reinterpret_cast<void*>(at), bytes, kind);
#endif
}
inline void maybe_yield() {
    if ((++cudasim_ticks & 15) == 0) cudasim_runtime_table->yield();
}
template <class T>
inline T load(u64 at) {
    T x;
    memcpy(&x, reinterpret_cast<const void*>(at), sizeof x);
    return x;
}
template <class T>
inline void store(u64 at, T x) {
    memcpy(reinterpret_cast<void*>(at), &x, sizeof x);
}
/// Copies to shared memory when the thread waits for it; of `bytes` the first ones are read, the others are zero.
inline void copy_async(u64 to, u64 from, unsigned bytes, unsigned read, int line) {
    aligned(to, bytes, line);
    aligned(from, bytes, line);
    cudasim_here.line = line;
    cudasim_runtime_table->copy_async(reinterpret_cast<void*>(to), reinterpret_cast<const void*>(from), bytes,
                                      read < bytes ? read : bytes);
}
inline void wait_for_all_copies() {
    cudasim_runtime_table->commit_copies();
    cudasim_runtime_table->wait_for_copies(0);
}
/// Changes a value in memory; returns the previous one.
template <class T, class F>
inline T atomic(u64 at, F change, Access kind, int line) {
    maybe_yield();
    note(at, sizeof(T), kind, line);
    T old = load<T>(at);
    store<T>(at, change(old));
    return old;
}
template <class T>
inline T atomic_sum(T a, T b, bool) {
    return T(a + b);
}
/// Single precision flushes subnormals in global memory, not in shared memory.
inline f32 atomic_sum(f32 a, f32 b, bool flushes) { return flushes ? add<kNearest, true>(a, b) : add<kNearest>(a, b); }
inline f16 atomic_sum(f16 a, f16 b, bool) { return half_add(a, b); }
inline bf16 atomic_sum(bf16 a, bf16 b, bool) { return half_add(a, b); }
template <class T>
inline u32 sum_of_pairs(u32 a, u32 b) {
    return as<u16>(half_add(as<T>(u16(a)), as<T>(u16(b)))) |
           u32(as<u16>(half_add(as<T>(u16(a >> 16)), as<T>(u16(b >> 16))))) << 16;
}
inline void fence(bool beyond_block) {
#ifdef CUDASIM_CHECKED
    if (beyond_block) cudasim_runtime_table->fence();
#endif
    maybe_yield();
}

}  // namespace ptx
