// copy_run.h -- a copy of contiguous bytes at any addresses.
#pragma once
#include <cstdint>
#include <cstring>

namespace cuarray {

/// memcpy, without its string instruction (rep movsb) where that stalls: on AMD processors it takes 12 times as long if
/// the target lies a few bytes behind the source modulo 4096, as in a shift of rows between blocks that begin on a
/// page.
inline void copy_run(void* to, const void* from, int64_t bytes) {
#if defined(__AVX512F__)
    constexpr int kVector = 64;
#elif defined(__AVX__)
    constexpr int kVector = 32;
#else
    constexpr int kVector = 16;
#endif
    typedef char Vector [[gnu::vector_size(kVector), gnu::aligned(1), gnu::may_alias]];
    constexpr int kVectors = 4, kStep = kVectors * kVector;
    constexpr int64_t kLeast = 1024, kMost = int64_t(4)
                                             << 20;  // memcpy uses the instruction between sizes within these
    const uintptr_t behind = (reinterpret_cast<uintptr_t>(to) - reinterpret_cast<uintptr_t>(from)) % 4096;
    auto* target = static_cast<char*>(to);
    const auto* source = static_cast<const char*>(from);
    if (behind > 0 && behind < 64 && bytes >= kLeast && bytes <= kMost) {
        for (; bytes >= kStep; bytes -= kStep, target += kStep, source += kStep) {
            Vector vectors[kVectors];
#pragma GCC unroll 4
            for (int k = 0; k < kVectors; ++k) vectors[k] = reinterpret_cast<const Vector*>(source)[k];
#pragma GCC unroll 4
            for (int k = 0; k < kVectors; ++k) reinterpret_cast<Vector*>(target)[k] = vectors[k];
        }
    }
    if (bytes > 0) std::memcpy(target, source, size_t(bytes));  // the addresses of none may be null
}

/// Copies of at least one vector each: the last one ends with the run, and overlaps the one before it.
template <int kVector>
void copy_runs_by_vectors(char* to, int64_t to_step, const char* from, int64_t from_step, int64_t count,
                          int64_t bytes) {
    typedef char Vector [[gnu::vector_size(kVector), gnu::aligned(1), gnu::may_alias]];
    for (int64_t i = 0; i < count; ++i, to += to_step, from += from_step) {
        for (int64_t b = 0; b + kVector < bytes; b += kVector)
            *reinterpret_cast<Vector*>(to + b) = *reinterpret_cast<const Vector*>(from + b);
        *reinterpret_cast<Vector*>(to + bytes - kVector) = *reinterpret_cast<const Vector*>(from + bytes - kVector);
    }
}

/// `count` runs of contiguous bytes, which lie at steps. Of short ones a call of memcpy takes longer than the copy.
inline void copy_runs(char* to, int64_t to_step, const char* from, int64_t from_step, int64_t count, int64_t bytes) {
    constexpr int64_t kShort = 512;
    if (bytes == 1) {
        for (int64_t i = 0; i < count; ++i) to[i * to_step] = from[i * from_step];
    } else if (bytes == 0 || bytes > kShort) {
        for (int64_t i = 0; i < count; ++i) copy_run(to + i * to_step, from + i * from_step, bytes);
    } else if (bytes < 4) {
        copy_runs_by_vectors<2>(to, to_step, from, from_step, count, bytes);
    } else if (bytes < 8) {
        copy_runs_by_vectors<4>(to, to_step, from, from_step, count, bytes);
    } else if (bytes < 16) {
        copy_runs_by_vectors<8>(to, to_step, from, from_step, count, bytes);
    } else if (bytes < 32) {
        copy_runs_by_vectors<16>(to, to_step, from, from_step, count, bytes);
    } else {
        copy_runs_by_vectors<32>(to, to_step, from, from_step, count, bytes);
    }
}

}  // namespace cuarray
