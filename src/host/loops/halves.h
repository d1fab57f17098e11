// halves.h -- blocks of float16 and bfloat16 to and from float32, by hardware where the level has it.
#pragma once
#include <cstdint>
#if defined(__F16C__)
#include <immintrin.h>
#endif
#include "cuarray/kernel/types.h"

namespace cuarray::host {

/// Elements per stage of a conversion to or from float32.
constexpr int64_t kStage = 256;

// Never inlined: they are called once per stage, and every loop of halves would contain several copies.

[[gnu::noinline]] inline void widen_block(const bf16* x, f32* y, int64_t n) {
#pragma omp simd
    for (int64_t i = 0; i < n; ++i) y[i] = widen(x[i]);
}

[[gnu::noinline]] inline void round_block(const f32* x, bf16* y, int64_t n) {
#pragma omp simd
    for (int64_t i = 0; i < n; ++i) y[i] = round_to_half<bf16>(x[i]);
}

// The instructions give the same bits as the code in kernel/types.h, NaN payloads included: a test compares them.

[[gnu::noinline]] inline void widen_block(const f16* x, f32* y, int64_t n) {
    int64_t i = 0;
#if defined(__F16C__)
    for (; i + 8 <= n; i += 8)
        _mm256_storeu_ps(y + i, _mm256_cvtph_ps(_mm_loadu_si128(reinterpret_cast<const __m128i*>(x + i))));
#endif
#pragma omp simd
    for (int64_t k = i; k < n; ++k) y[k] = widen(x[k]);
}

[[gnu::noinline]] inline void round_block(const f32* x, f16* y, int64_t n) {
    int64_t i = 0;
#if defined(__F16C__)
    for (; i + 8 <= n; i += 8)
        _mm_storeu_si128(reinterpret_cast<__m128i*>(y + i),
                         _mm256_cvtps_ph(_mm256_loadu_ps(x + i), _MM_FROUND_TO_NEAREST_INT));
#endif
#pragma omp simd
    for (int64_t k = i; k < n; ++k) y[k] = round_to_half<f16>(x[k]);
}

}  // namespace cuarray::host
