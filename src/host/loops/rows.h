// rows.h -- every row of ufuncs.def at every type as a loop over contiguous elements.
//
// Four kinds of loop, chosen at compile time. The bits of a result do not depend on the element's position:
//   exact    n elements; for bodies whose vector and scalar code round alike
//   grouped  groups of kGroup; for bodies that call the vector math library, whose results differ from those of the
//            scalar functions. The last group is padded with copies of an element.
//   quick    branch-free code for all elements, then the general code for those that it reports as rare
//   staged   halves through float32, by the loop of float32
// Integers that are all divided by one number have a loop before theirs.
#pragma once
#include <algorithm>
#include <cstdint>
#include "core/loops.h"
#include "host/loops/division.h"
#include "host/loops/halves.h"
#include "host/loops/old_glibc.h"
#include "host/loops/shifts.h"
#include "host/loops/tables.h"

namespace cuarray::host {

constexpr int kGroup = 16;
constexpr int kQuickStage = 64;

/// Row F at T and U over its operands' memory.
template <class F, class T, class U> struct BoundRow {
    using In = typename F::template in<T, U>;
    using Out = typename F::template out<T, U>;
    static constexpr int ins = In::size, outs = Out::size;
    template <int K> using in = stored_t<fn::item_t<K, In>>;
    template <int K> using out = stored_t<fn::item_t<K, Out>>;

    const in<0>* x;
    const in<1>* y;
    const in<2>* z;
    out<0>* a;
    out<1>* b;

    BoundRow(const void* const* from, void* const* to)
        : x(static_cast<const in<0>*>(from[0])),
          y(static_cast<const in<1>*>(ins > 1 ? from[1] : nullptr)),
          z(static_cast<const in<2>*>(ins > 2 ? from[2] : nullptr)),
          a(static_cast<out<0>*>(to[0])),
          b(static_cast<out<1>*>(outs > 1 ? to[1] : nullptr)) {}

    /// The same row, starting at element `begin`.
    BoundRow from(int64_t begin) const {
        const void* const in[] = {x + begin, ins > 1 ? y + begin : nullptr, ins > 2 ? z + begin : nullptr};
        void* const out[] = {a + begin, outs > 1 ? b + begin : nullptr};
        return BoundRow(in, out);
    }
    CUARRAY_FN auto call(int64_t i) const {
        if constexpr (ins == 1)
            return fn::call<F, T, U>(x[i]);
        else if constexpr (ins == 2)
            return fn::call<F, T, U>(x[i], y[i]);
        else
            return fn::call<F, T, U>(x[i], y[i], z[i]);
    }
    /// Another function of one or two operands.
    template <class Function> CUARRAY_FN auto apply(int64_t i, Function f) const {
        if constexpr (ins == 1)
            return f(x[i]);
        else
            return f(x[i], y[i]);
    }
    template <class R> CUARRAY_FN void put(int64_t i, R result) const {
        if constexpr (outs == 1) {
            a[i] = store(result);
        } else {
            a[i] = store(result.first);
            b[i] = store(result.second);
        }
    }
};

/// Room for N elements of each operand of a row.
template <class Row, int N> struct RowBlock {
    alignas(64) typename Row::template in<0> x[N];
    alignas(64) typename Row::template in<1> y[N];
    alignas(64) typename Row::template in<2> z[N];
    alignas(64) typename Row::template out<0> a[N];
    alignas(64) typename Row::template out<1> b[N];

    Row row() {
        const void* const in[] = {x, y, z};
        void* const out[] = {a, b};
        return Row(in, out);
    }
    void take_results(const Row& to, int64_t begin, int64_t n) const {
        for (int64_t j = 0; j < n; ++j) {
            to.a[begin + j] = a[j];
            if constexpr (Row::outs > 1) to.b[begin + j] = b[j];
        }
    }
};

/// Elements [begin, n) in vectors of N bytes, then of half of them: a compiler's own remainder is one element at a
/// time.
template <int N, class Row> CUARRAY_FN void bytes_loop(const Row& row, int64_t begin, int64_t n) {
    for (; begin + N <= n; begin += N)
#pragma omp simd
        for (int j = 0; j < N; ++j) row.put(begin + j, row.call(begin + j));
    if constexpr (N > 1) bytes_loop<N == 8 ? 1 : N / 2>(row, begin, n);
}

template <class F, class T, class U> void exact_loop(const void* const* in, void* const* out, int64_t n) {
    using Row = BoundRow<F, T, U>;
    const Row row(in, out);
    if constexpr (Row::ins == 2 && sizeof(T) == 1 && sizeof(typename Row::template out<0>) == 1) {
        bytes_loop<64>(row, 0, n);
    } else {
#pragma omp simd
        for (int64_t i = 0; i < n; ++i) row.put(i, row.call(i));
    }
}

/// Rows whose functions take longer for some numbers, most of which are far from zero: `is_far` finds groups with such
/// numbers, which `call` computes, and `near` computes the others. `are_few` where `call` is no vector function: then
/// it computes only the far ones of a group. `is_own` where no function of the vector math library is called.
template <class F, class T> struct FarNumbers {
    static constexpr bool exists = false, is_own = false;
};
struct FarNumbersOfVectors {
    static constexpr bool exists = true, are_few = false, is_own = true;
};
/// f of numbers from `least` to `most`, f(0) being 1; beyond them 0 or infinity, which a product gives with f's flags.
template <class T, class Function>
CUARRAY_FN T of_near_numbers(T x, T least, T most, T tiny, T huge, Function f) {
    const bool is_below = x<least, is_above = x> most;
    const T far = is_below ? (x == -infinity<T>() ? T(0) : tiny) : (x == infinity<T>() ? x : huge);
    const T scale = is_below | is_above ? far : T(1);
    return f(is_below | is_above ? T(0) : x) * scale * scale;
}
template <> struct FarNumbers<fn::exp, f32> : FarNumbersOfVectors {
    static constexpr bool is_own = false;
    static CUARRAY_FN bool is_far(f32 x) { return (x < -87) | (x > 87); }
    static CUARRAY_FN f32 near(f32 x) { return math::exp(x); }
    static CUARRAY_FN f32 call(f32 x) {
        return of_near_numbers(x, -104.0f, 89.0f, 1e-30f, 1e30f, [](f32 y) { return math::exp(y); });
    }
};
template <class Function> struct FarExps : FarNumbersOfVectors {
    static CUARRAY_FN bool is_far(f64 x) { return math::is_far_exp<Function>(x); }
    static CUARRAY_FN f64 near(f64 x) { return math::near_exp<Function>(x); }
    static CUARRAY_FN f64 call(f64 x) { return math::any_exp<Function>(x); }
};
template <> struct FarNumbers<fn::exp, f64> : FarExps<math::NaturalExp> {};
template <> struct FarNumbers<fn::exp2, f64> : FarExps<math::Exp2> {};

template <class Base> struct FarLogs : FarNumbersOfVectors {
    static CUARRAY_FN bool is_far(f64 x) { return math::is_far_log(x); }
    static CUARRAY_FN f64 near(f64 x) { return math::near_log<Base>(x); }
    static CUARRAY_FN f64 call(f64 x) { return math::any_log<Base>(x); }
};
template <> struct FarNumbers<fn::log, f64> : FarLogs<math::NaturalBase> {};
template <> struct FarNumbers<fn::log2, f64> : FarLogs<math::BaseTwo> {};
template <> struct FarNumbers<fn::log10, f64> : FarLogs<math::BaseTen> {};
template <> struct FarNumbers<fn::log1p, f64> : FarNumbersOfVectors {
    static CUARRAY_FN bool is_far(f64 x) { return math::is_far_log1p(x); }
    static CUARRAY_FN f64 near(f64 x) { return math::near_log1p(x); }
    static CUARRAY_FN f64 call(f64 x) { return math::log1p(x); }
};

template <> struct FarNumbers<fn::pow, f64> {
    static constexpr bool exists = true, are_few = true, is_own = true;
    static CUARRAY_FN bool is_far(f64 x, f64 y) { return math::is_far_pow(x, y); }
    static CUARRAY_FN f64 near(f64 x, f64 y) { return math::near_pow(x, y); }
    static f64 call(f64 x, f64 y) { return CUARRAY_C(pow)(x, y); }
};
template <> struct FarNumbers<fn::float_power, f64> : FarNumbers<fn::pow, f64> {};

template <> struct FarNumbers<fn::hypot, f64> : FarNumbersOfVectors {
    static CUARRAY_FN bool is_far(f64 x, f64 y) { return math::is_far_hypot(x, y); }
    static CUARRAY_FN f64 near(f64 x, f64 y) { return math::near_hypot(x, y); }
    static CUARRAY_FN f64 call(f64 x, f64 y) { return math::hypot(x, y); }
};
template <> struct FarNumbers<fn::abs, c128> : FarNumbersOfVectors {
    static CUARRAY_FN bool is_far(c128 z) { return math::is_far_hypot(z.re, z.im); }
    static CUARRAY_FN f64 near(c128 z) { return math::near_hypot(z.re, z.im); }
    static CUARRAY_FN f64 call(c128 z) { return math::abs(z); }
};
template <class R> struct FarNumbers<fn::divide, complex<R>> : FarNumbersOfVectors {
    static CUARRAY_FN bool is_far(complex<R> x, complex<R> y) { return math::is_far_quotient(x, y); }
    static CUARRAY_FN complex<R> near(complex<R> x, complex<R> y) { return math::moderate_quotient(x, y); }
    static CUARRAY_FN complex<R> call(complex<R> x, complex<R> y) { return math::divide(x, y); }
};
template <class R> struct FarNumbers<fn::reciprocal, complex<R>> : FarNumbersOfVectors {
    static CUARRAY_FN bool is_far(complex<R> z) { return math::is_far_quotient(complex<R>{1, 0}, z); }
    static CUARRAY_FN complex<R> near(complex<R> z) { return math::moderate_reciprocal(z); }
    static CUARRAY_FN complex<R> call(complex<R> z) { return math::reciprocal(z); }
};

/// A group of a row that has far numbers.
template <class Far, class Row> CUARRAY_FN void far_group(const Row& row) {
    constexpr auto is_far = [](auto... x) __attribute__((always_inline)) { return Far::is_far(x...); };
    constexpr auto near = [](auto... x) __attribute__((always_inline)) { return Far::near(x...); };
    constexpr auto call = [](auto... x) __attribute__((always_inline)) { return Far::call(x...); };
    unsigned has_far = 0;
    for (int j = 0; j < kGroup; ++j) has_far |= row.apply(j, is_far);
    if (!has_far) {
#pragma omp simd
        for (int j = 0; j < kGroup; ++j) row.put(j, row.apply(j, near));
    } else if constexpr (Far::are_few) {
        RowBlock<Row, kGroup> block;  // results may replace the operands
        std::copy_n(row.x, kGroup, block.x);
        std::copy_n(row.y, kGroup, block.y);
#pragma omp simd
        for (int j = 0; j < kGroup; ++j) {
            const bool is_one = is_far(block.x[j], block.y[j]);
            row.put(j, near(is_one ? 1 : block.x[j], is_one ? 1 : block.y[j]));
        }
        for (int j = 0; j < kGroup; ++j)
            if (is_far(block.x[j], block.y[j])) row.put(j, call(block.x[j], block.y[j]));
    } else {
#pragma omp simd
        for (int j = 0; j < kGroup; ++j) row.put(j, row.apply(j, call));
    }
}

/// The only compiled copy of a group: another one, inlined elsewhere, might not be vectorised and round differently.
template <class F, class T, class U>
[[gnu::noinline, gnu::noclone]] void whole_groups(const void* const* in, void* const* out, int64_t groups) {
    const BoundRow<F, T, U> row(in, out);
    for (int64_t g = 0; g < groups; ++g) {
        if constexpr (FarNumbers<F, T>::exists) {
            far_group<FarNumbers<F, T>>(row.from(g * kGroup));
            continue;
        }
#pragma omp simd
        for (int j = 0; j < kGroup; ++j) row.put(g * kGroup + j, row.call(g * kGroup + j));
    }
}

/// Whether the scalar function gives the bits of the group's, which takes the time of this many of them.
template <class F, class T> constexpr bool are_scalars_alike = FarNumbers<F, T>::is_own;
template <> inline constexpr bool are_scalars_alike<fn::logaddexp, f64> = true;
template <> inline constexpr bool are_scalars_alike<fn::logaddexp2, f64> = true;
template <> inline constexpr bool are_scalars_alike<fn::hypot, f32> = true;
constexpr int64_t kScalars = 3;

template <class F, class T, class U> void grouped_loop(const void* const* in, void* const* out, int64_t n) {
    using Row = BoundRow<F, T, U>;
    const int64_t groups = n / kGroup, begin = groups * kGroup;
    whole_groups<F, T, U>(in, out, groups);
    if (begin == n) return;
    const Row row(in, out);
    if constexpr (are_scalars_alike<F, T>)
        if (n - begin <= kScalars) {
            for (int64_t i = begin; i < n; ++i) row.put(i, row.call(i));
            return;
        }
    RowBlock<Row, kGroup> last;
    for (int64_t j = 0; j < kGroup; ++j) {
        const int64_t i = begin + j < n ? begin + j : begin;
        last.x[j] = row.x[i];
        if constexpr (Row::ins > 1) last.y[j] = row.y[i];
        if constexpr (Row::ins > 2) last.z[j] = row.z[i];
    }
    const void* const from[] = {last.x, last.y, last.z};
    void* const to[] = {last.a, last.b};
    whole_groups<F, T, U>(from, to, 1);
    last.take_results(row, begin, n - begin);
}

/// The branch-free form of a row, if kernel/math*.h has one: call(x, y, rare).
template <class F, class T> struct BranchFree {
    static constexpr bool exists = false;
};
template <class T> struct BranchFreeOfFloats {
    static constexpr bool exists = is_float<T>;
};
/// Floats, and 64-bit integers, for which there is no SIMD division.
template <class T> struct BranchFreeDivision {
    static constexpr bool exists = is_float<T> || (is_integer<T> && sizeof(T) == 8);
};

template <> struct BranchFree<fn::sin, f64> {
    static constexpr bool exists = true;
    static CUARRAY_FN f64 call(f64 x, bool& rare) { return math::quick_sin(x, rare); }
};
template <> struct BranchFree<fn::cos, f64> {
    static constexpr bool exists = true;
    static CUARRAY_FN f64 call(f64 x, bool& rare) { return math::quick_cos(x, rare); }
};
template <class T> struct BranchFree<fn::ldexp, T> : BranchFreeOfFloats<T> {
    template <class N> static CUARRAY_FN T call(T x, N n, bool& rare) { return math::quick_ldexp(x, n, rare); }
};
template <class T> struct BranchFree<fn::fmod, T> : BranchFreeDivision<T> {
    static CUARRAY_FN T call(T x, T y, bool& rare) { return math::quick_fmod(x, y, rare); }
};
template <class T> struct BranchFree<fn::divmod, T> : BranchFreeDivision<T> {
    static CUARRAY_FN pair<T, T> call(T x, T y, bool& rare) { return math::quick_divmod(x, y, rare); }
};
template <class T> struct BranchFree<fn::floor_divide, T> : BranchFreeDivision<T> {
    static CUARRAY_FN T call(T x, T y, bool& rare) { return math::quick_divmod(x, y, rare).first; }
};
template <class T> struct BranchFree<fn::remainder, T> : BranchFreeDivision<T> {
    static CUARRAY_FN T call(T x, T y, bool& rare) { return math::quick_divmod(x, y, rare).second; }
};

template <class F, class T, class U> void quick_loop(const void* const* in, void* const* out, int64_t n) {
    using Row = BoundRow<F, T, U>;
    const Row row(in, out);
    if constexpr (is_integer<T>)
        if (n == 1) return row.put(0, row.call(0));
    RowBlock<Row, kQuickStage> stage;
    alignas(64) u8 rare[kQuickStage];
    // Rare elements are computed from inputs that an in-place output would have overwritten.
    bool in_place = false;
    for (int i = 0; i < Row::ins; ++i)
        for (int o = 0; o < Row::outs; ++o) in_place |= in[i] == out[o];
    for (int64_t begin = 0; begin < n; begin += kQuickStage) {
        const int64_t count = n - begin < kQuickStage ? n - begin : kQuickStage;
        const Row to = in_place ? stage.row() : row.from(begin);
        unsigned any = 0;
#pragma omp simd reduction(| : any)
        for (int64_t j = 0; j < count; ++j) {
            bool is_rare;
            if constexpr (Row::ins == 1)
                to.put(j, BranchFree<F, T>::call(row.x[begin + j], is_rare));
            else
                to.put(j, BranchFree<F, T>::call(row.x[begin + j], row.y[begin + j], is_rare));
            rare[j] = is_rare;
            any |= is_rare;
        }
        if (any)
            for (int64_t j = 0; j < count; ++j)
                if (rare[j]) to.put(j, row.call(begin + j));
        if (in_place) stage.take_results(row, begin, count);
    }
}

/// An operand of a staged loop: unchanged, or converted to float32.
template <class T> struct Stage {
    alignas(64) choose_t<is_half<T>, f32, u8> widened[is_half<T> ? kStage : 1];

    const void* load(const void* from, int64_t begin, int64_t n) {
        const T* const x = static_cast<const T*>(from) + begin;
        if constexpr (!is_half<T>)
            return x;
        else {
            widen_block(x, widened, n);
            return widened;
        }
    }
    void* place(void* to, int64_t begin) {
        if constexpr (!is_half<T>)
            return static_cast<T*>(to) + begin;
        else
            return widened;
    }
    void finish(void* to, int64_t begin, int64_t n) const {
        if constexpr (is_half<T>) round_block(widened, static_cast<T*>(to) + begin, n);
    }
};

template <class F, class T, class U> constexpr BlockLoop loop_of();

template <class F, class T> void staged_loop(const void* const* in, void* const* out, int64_t n) {
    using Row = BoundRow<F, T, T>;
    Stage<typename Row::template in<0>> x;
    Stage<typename Row::template in<1>> y;
    Stage<typename Row::template in<2>> z;
    Stage<typename Row::template out<0>> a;
    Stage<typename Row::template out<1>> b;
    constexpr BlockLoop loop = loop_of<F, f32, f32>();
    for (int64_t begin = 0; begin < n; begin += kStage) {
        const int64_t count = n - begin < kStage ? n - begin : kStage;
        const void* from[3] = {x.load(in[0], begin, count), nullptr, nullptr};
        if constexpr (Row::ins > 1) from[1] = y.load(in[1], begin, count);
        if constexpr (Row::ins > 2) from[2] = z.load(in[2], begin, count);
        void* to[2] = {a.place(out[0], begin), nullptr};
        if constexpr (Row::outs > 1) to[1] = b.place(out[1], begin);
        loop(from, to, count);
        a.finish(out[0], begin, count);
        if constexpr (Row::outs > 1) b.finish(out[1], begin, count);
    }
}

template <class F, class T, class U> constexpr BlockLoop loop_of_elements() {
    // Of complex rows also those without vector functions: some have far numbers, which are found by groups.
    constexpr bool grouped = is_complex<T> || ((F::flags & VectorMath) != 0 && !is_integer<T>);
    if constexpr (is_half<T> && (F::flags & HalfBits) == 0)
        return staged_loop<F, T>;
    else if constexpr (BranchFree<F, T>::exists)
        return quick_loop<F, T, U>;
    else if constexpr (grouped)
        return grouped_loop<F, T, U>;
    else
        return exact_loop<F, T, U>;
}

/// Quotients or remainders of integers, which are often all divided by one number.
template <class F, class T> void division_loop(const void* const* in, void* const* out, int64_t n) {
    const BoundRow<F, T, T> row(in, out);
    if (!are_one_divisor(row.y, n)) return loop_of_elements<F, T, T>()(in, out, n);
    const Reciprocal<T> by(row.y[0]);
    if constexpr (is_same<F, fn::divmod>)
        divide<true, true>(by, row.x, row.a, row.b, n);
    else if constexpr ((F::flags & IntQuotient) != 0)
        divide<true, false, T>(by, row.x, row.a, nullptr, n);
    else
        divide<false, true, T>(by, row.x, nullptr, row.a, n);
}

/// Shifts of integers, as a rule all by one number of bits.
template <class F, class T> void shift_loop(const void* const* in, void* const* out, int64_t n) {
    const BoundRow<F, T, T> row(in, out);
    if (!are_one_shift(row.y, n)) return loop_of_elements<F, T, T>()(in, out, n);
    shift<is_same<F, fn::bitwise_left_shift>>(row.x, row.a, n, int(row.y[0]));
}

template <class F, class T, class U> constexpr BlockLoop loop_of() {
    if constexpr (is_integer<T> && (is_same<F, fn::divmod> || (F::flags & (IntQuotient | IntRemainder)) != 0))
        return division_loop<F, T>;
    else if constexpr (is_same<F, fn::bitwise_left_shift> || is_same<F, fn::bitwise_right_shift>)
        return shift_loop<F, T>;
    else
        return loop_of_elements<F, T, U>();
}

/// Collects the loops of one part of the table and counts them.
struct RowCollector {
    BlockLoop* to;
    int count = 0;
    template <class F, class T, class U> constexpr void loop() {
        if (to) to[count] = loop_of<compiled_row<F, T>, compiled_t<F, T, U>, compiled_t<F, U, T>>();
        ++count;
    }
};

/// The definition of collect_rows, for the one file that compiles a part.
#define CUARRAY_ROWS_PART(part)                                                          \
    template <> int cuarray::host::collect_rows<part>(BlockLoop * to) {                  \
        RowCollector collector{to};                                                      \
        visit_rows<kRows*(part) / kRowParts, kRows*((part) + 1) / kRowParts>(collector); \
        return collector.count;                                                          \
    }

}  // namespace cuarray::host
