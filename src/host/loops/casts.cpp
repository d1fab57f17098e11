// casts.cpp -- every dtype to every other, element by element; a dtype to itself is a copy.
#include "core/loops.h"
#include "host/loops/halves.h"
#include "host/loops/tables.h"

namespace cuarray::host {
namespace {

template <class From, class To> void cast_loop(const void* const* in, void* const* out, int64_t n) {
    const auto* x = static_cast<const stored_t<From>*>(in[0]);
    auto* y = static_cast<stored_t<To>*>(out[0]);
    if constexpr (is_same<From, To>) {
        __builtin_memmove(y, x, size_t(n) * sizeof *x);
    } else if constexpr (is_half<From>) {
        alignas(64) f32 widened[kStage];
        for (int64_t begin = 0; begin < n; begin += kStage) {
            const int64_t count = n - begin < kStage ? n - begin : kStage;
            widen_block(x + begin, widened, count);
            if constexpr (is_half<To>) {
                round_block(widened, y + begin, count);
            } else {
#pragma omp simd
                for (int64_t i = 0; i < count; ++i) y[begin + i] = store<To>(cast<To>(widened[i]));
            }
        }
    } else if constexpr (is_half<To> && is_float<From>) {
        alignas(64) f32 narrowed[kStage];
        for (int64_t begin = 0; begin < n; begin += kStage) {
            const int64_t count = n - begin < kStage ? n - begin : kStage;
#pragma omp simd
            for (int64_t i = 0; i < count; ++i) {
                if constexpr (is_same<From, f64>)
                    narrowed[i] = round_to_odd(x[begin + i]);
                else
                    narrowed[i] = x[begin + i];
            }
            round_block(narrowed, y + begin, count);
        }
    } else if constexpr (is_same<From, bool> && !is_integer<To>) {
        // The processor converts integers to floats, but has no conversion from bool.
#pragma omp simd
        for (int64_t i = 0; i < n; ++i) y[i] = store<To>(cast<To>(i32(x[i] != 0)));
    } else {
#pragma omp simd
        for (int64_t i = 0; i < n; ++i) y[i] = store<To>(cast<To>(load<From>(x[i])));
    }
}

/// The types whose loop casts between integers: what is written depends on the sign of what is read, and that only
/// where it becomes wider.
template <class From, class To>
constexpr bool casts_integers = is_integer<To> && (is_integer<From> || is_same<From, bool>);
template <class From, class To>
using source_t =
    choose_t<casts_integers<From, To> && is_integer<From> && sizeof(To) <= sizeof(From), unsigned_t<From>, From>;
template <class From, class To> using target_t = choose_t<casts_integers<From, To>, unsigned_t<To>, To>;

template <class From, class... To> void collect_from(BlockLoop*& to, fn::list<To...>) {
    const auto add = [&]<class T>(fn::list<T>) {
        if constexpr (!is_same<T, fn::nothing>) *to++ = cast_loop<source_t<From, T>, target_t<From, T>>;
    };
    (add(fn::list<To>()), ...);
}

template <class... From> void collect_all(BlockLoop* to, fn::list<From...>) {
    const auto add = [&]<class T>(fn::list<T>) {
        if constexpr (!is_same<T, fn::nothing>) collect_from<T>(to, KernelTypes());
    };
    (add(fn::list<From>()), ...);
}

}  // namespace

void collect_casts(BlockLoop* to) { collect_all(to, KernelTypes()); }

}  // namespace cuarray::host
