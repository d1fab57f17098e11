// nontemporal_stores.cpp -- a loop with non-temporal stores, which need not read the lines that they overwrite.
#include <cstring>
#if defined(__AVX__)
#include <immintrin.h>
#endif

#include "host/loops/tables.h"

namespace cuarray::host {
namespace {

#if defined(__AVX__)

constexpr int64_t kLine = 64, kBlock = 256;

void put_line(char* to, const char* from) {
#if defined(__AVX512F__)
    _mm512_stream_si512(reinterpret_cast<__m512i*>(to), _mm512_load_si512(from));
#else
    const __m256i low = _mm256_load_si256(reinterpret_cast<const __m256i*>(from));
    const __m256i high = _mm256_load_si256(reinterpret_cast<const __m256i*>(from) + 1);
    _mm256_stream_si256(reinterpret_cast<__m256i*>(to), low);
    _mm256_stream_si256(reinterpret_cast<__m256i*>(to) + 1, high);
#endif
}

void stream(BlockLoop loop, const char* const* in, const int64_t* in_items, int ins, char* to, int64_t item,
            int64_t n) {
    alignas(kLine) char block[kBlock * 16];
    const void* at[3] = {};
    for (int k = 0; k < ins; ++k) at[k] = in[k];
    const auto advance = [&](int64_t count) {
        for (int k = 0; k < ins; ++k) at[k] = static_cast<const char*>(at[k]) + count * in_items[k];
        to += count * item;
        n -= count;
    };
    const int64_t to_line = -reinterpret_cast<intptr_t>(to) & (kLine - 1);
    // complex128 is aligned only to 8 bytes; then no element may begin at a cache line.
    const int64_t before_line = to_line % item ? n : to_line / item;
    if (const int64_t head = before_line < n ? before_line : n) {
        void* out[2] = {to, nullptr};
        loop(at, out, head);
        advance(head);
    }
    while (n > 0) {
        const int64_t count = n < kBlock ? n : kBlock, bytes = count * item;
        void* out[2] = {block, nullptr};
        loop(at, out, count);
        // Stores whole lines: a line that is filled in part would be read from memory after all.
        int64_t b = 0;
        for (; b + kLine <= bytes; b += kLine) put_line(to + b, block + b);
        std::memcpy(to + b, block + b, size_t(bytes - b));
        advance(count);
    }
    // Orders the non-temporal stores for other threads.
    _mm_sfence();
}

#endif

}  // namespace

NontemporalLoop collect_nontemporal() {
#if defined(__AVX__)
    return stream;
#else
    return nullptr;  // 16-byte non-temporal stores are no faster than ordinary stores
#endif
}

}  // namespace cuarray::host
