// casts.cpp -- every dtype to every other, element by element; a dtype to itself is a copy.
#include "core/loops.h"
#include "host/loops/halves.h"
#include "host/loops/tables.h"
#include "host/loops/vectors.h"

namespace cuarray::host {
namespace {

#ifdef __AVX512DQ__
template <class To, class From> To cast_alone(From x) { return cast<To>(x); }
#else
/// Conversions between 64-bit integers and f64, for which vectors have instructions from AVX-512 on: by parts of 32
/// bits, each added to a power of two so that its bits are the lowest ones of the sum. They round once.
template <class From> f64 joined_f64(From x) {
    constexpr f64 low = 0x1p52, high = 0x1p84, offset = is_signed<From> ? 0x1p63 : 0;
    const f64 upper = bit_cast<f64>(u64(x) >> 32 ^ bits_of(high + offset)),
              lower = bit_cast<f64>((u64(x) & 0xffffffff) | bits_of(low));
    return upper - (high + offset + low) + lower;
}
template <class To> To split_integer(f64 x) {
    constexpr f64 signed_place = 0x1.8p52, place = 0x1p52;
    const f64 whole = __builtin_trunc(x), high = __builtin_floor(whole * 0x1p-32), low = whole - high * 0x1p32;
    const u64 upper = bits_of(high + signed_place) - bits_of(signed_place),
              lower = bits_of(low + place) - bits_of(place);
    return To((upper << 32) + lower);
}

template <class To, class From> To cast_alone(From x) {
    if constexpr (is_integer<From> && sizeof(From) == 8 && is_same<To, f64>) {
        return joined_f64(x);
    } else if constexpr (is_same<From, f64> && is_integer<To> && sizeof(To) == 8) {
        // As `saturate`.
        constexpr f64 above = is_signed<To> ? 0x1p63 : 0x1p64, least = is_signed<To> ? -above : 0;
        const f64 from_below = x > least ? x : least;
        const bool is_high = from_below >= above;
        const To inside = split_integer<To>(is_high ? 0 : from_below), y = is_high ? highest<To> : inside;
        return x == x ? y : To(0);
    } else {
        return cast<To>(x);
    }
}
#endif

/// The choices of `saturate` among numbers within `least` and `most`, which i32 holds.
template <class V> CUARRAY_FN V within(V x, V least, V most, bool has_nans) {
    const V from_below = x > least ? x : least, inside = from_below < most ? from_below : most;
    return has_nans ? (x == x ? inside : V{}) : inside;  // of the others NaN is `least`
}

/// Floats as integers whose limits they hold, by way of 32 bits. By vectors: GCC would convert both sides of each
/// choice.
template <class To, class From> void cast_to_few_bits(const From* x, To* to, int64_t n) {
    constexpr int lanes = kWordLanes * int(sizeof(u64)) / int(sizeof(From));
    using V = Vector<From, lanes>;
    constexpr From least = From(lowest<To>), most = From(highest<To>);
    alignas(64) i32 whole[kStage];
    for (int64_t begin = 0; begin < n; begin += kStage) {
        const int64_t count = n - begin < kStage ? n - begin : kStage;
        int64_t i = 0;
        for (; i + lanes <= count; i += lanes) {
            const V inside = within(load_vector<From, lanes>(x + begin + i), V{} + least, V{} + most, is_signed<To>);
            const auto converted = __builtin_convertvector(inside, Vector<i32, lanes>);
            __builtin_memcpy(whole + i, &converted, sizeof converted);
        }
        for (; i < count; ++i) whole[i] = i32(saturate<To>(x[begin + i]));
#pragma omp simd
        for (int64_t k = 0; k < count; ++k) to[begin + k] = To(whole[k]);
    }
}

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
    } else if constexpr (is_float<From> && is_integer<To> &&
                         (sizeof(To) < 4 || (is_same<From, f64> && is_same<To, i32>))) {
        cast_to_few_bits(x, y, n);
    } else if constexpr (is_same<From, bool> && !is_integer<To>) {
        // The processor converts integers to floats, but has no conversion from bool.
#pragma omp simd
        for (int64_t i = 0; i < n; ++i) y[i] = store<To>(cast<To>(i32(x[i] != 0)));
    } else {
#pragma omp simd
        for (int64_t i = 0; i < n; ++i) y[i] = store<To>(cast_alone<To>(load<From>(x[i])));
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
