// scan.cpp -- the scan order of kernel/scan.h as loops over contiguous elements; updates of elements at offsets.
#include "cuarray/kernel/scan.h"
#include "core/loops.h"
#include "host/loops/items.h"
#include "host/loops/tables.h"

namespace cuarray::host {
namespace {

constexpr int kGroup = 16;
constexpr int kGroupBits = 4;

/// The state of the scan of a line: the pending trees, by the power of two of groups that they span, and the results
/// on which later ones build, by the power of two that divides their number of groups.
template <class R> struct ScanProgress {
    using A = typename R::A;
    A trees[kScanStateLevels], results[kScanStateLevels], last;
    uint64_t groups;

    /// Appends a tree over 2^level groups; returns the result at its end.
    CUARRAY_FN A push(A tree, int level) {
        const uint64_t after = groups + (uint64_t(1) << level);
        for (; groups >> level & 1; ++level) tree = R::combine(trees[level], tree);
        trees[level] = tree;
        groups = after;
        const uint64_t before = after & (after - 1);
        last = before ? R::combine(results[__builtin_ctzll(before)], tree) : tree;
        results[level] = last;
        return last;
    }
};

/// An associative row whose combine is many instructions: not inlined, because a group has 30 of them.
template <class F, class T> struct OutlinedRow : kernel::ScanRow<F, T> {
    using A = T;
    [[gnu::noinline]] static A combine(A a, A b) { return kernel::ScanRow<F, T>::combine(a, b); }
};

/// The scan loops of an associative row at one type.
template <class F, class T> struct TreeScan {
    static constexpr bool chooses = is_complex<T> && !is_same<F, fn::add> && !is_same<F, fn::multiply>;
    using R = choose_t<chooses, OutlinedRow<F, T>, kernel::ScanRow<F, T>>;
    using A = typename R::A;
    using X = stored_t<T>;
    using LoopState = ScanProgress<R>;

    static CUARRAY_FN A group_tree(const X* x) {
        A a[kGroup];
        for (int i = 0; i < kGroup; ++i) a[i] = load<T>(x[i]);
        kernel::grow_trees<R, kGroup>(a);
        return a[kGroup - 1];
    }

    static CUARRAY_FN void run_group(const X* x, LoopState& state, X* out) {
        A a[kGroup];
#pragma GCC unroll 16
        for (int i = 0; i < kGroup; ++i) a[i] = load<T>(x[i]);
        kernel::grow_trees<R, kGroup>(a);
        const bool follows = state.groups > 0;
        const A before = follows ? state.last : a[0];
        a[kGroup - 1] = state.push(a[kGroup - 1], 0);
        kernel::fill_results<R, kGroup>(a, before, follows);
#pragma GCC unroll 16
        for (int i = 0; i < kGroup; ++i) out[i] = store<T>(a[i]);
    }

    /// A partial group at the end of a line, padded with elements that do not change its results.
    static void run_rest(const X* x, int64_t n, LoopState& state, X* out) {
        X from[kGroup], to[kGroup];
        for (int i = 0; i < kGroup; ++i) from[i] = x[i < n ? i : 0];
        run_group(from, state, to);
        for (int64_t i = 0; i < n; ++i) out[i] = to[i];
    }

    static void run(const void* from, int64_t n, void* progress, void* to) {
        const X* const x = static_cast<const X*>(from);
        X* const out = static_cast<X*>(to);
        LoopState& state = *static_cast<LoopState*>(progress);
        const int64_t whole = n & -int64_t(kGroup);
        for (int64_t i = 0; i < whole; i += kGroup) run_group(x + i, state, out + i);
        if (whole < n) run_rest(x + whole, n - whole, state, out + whole);
    }

    static void tree(const void* from, int64_t n, void* to) {
        const X* const x = static_cast<const X*>(from);
        A trees[kScanStateLevels], node{};
        int level = 0;
        for (int64_t i = 0; i < n; i += kGroup) {
            node = group_tree(x + i);
            for (level = 0; i >> (level + kGroupBits) & 1; ++level) node = R::combine(trees[level], node);
            trees[level] = node;
        }
        *static_cast<X*>(to) = store<T>(node);
    }

    static void push(void* progress, const void* tree, int64_t n) {
        static_cast<LoopState*>(progress)->push(load<T>(*static_cast<const X*>(tree)),
                                                __builtin_ctzll(uint64_t(n)) - kGroupBits);
    }
};

/// The same for types whose operations are exact: any order gives the same bits, and a serial loop is fastest.
template <class F, class T> struct SerialScan {
    using R = kernel::ScanRow<F, T>;
    using X = stored_t<T>;
    struct LoopState {
        T value;
        bool follows;
    };

    static void run(const void* from, int64_t n, void* progress, void* to) {
        const X* const x = static_cast<const X*>(from);
        X* const out = static_cast<X*>(to);
        LoopState& state = *static_cast<LoopState*>(progress);
        T value = state.follows ? R::combine(state.value, load<T>(x[0])) : load<T>(x[0]);
        out[0] = store<T>(value);
        for (int64_t i = 1; i < n; ++i) out[i] = store<T>(value = R::combine(value, load<T>(x[i])));
        state = {value, true};
    }

    static void tree(const void* from, int64_t n, void* to) {
        const X* const x = static_cast<const X*>(from);
        T value = load<T>(x[0]);
        for (int64_t i = 1; i < n; ++i) value = R::combine(value, load<T>(x[i]));
        *static_cast<X*>(to) = store<T>(value);
    }

    static void push(void* progress, const void* tree, int64_t) {
        LoopState& state = *static_cast<LoopState*>(progress);
        const T next = load<T>(*static_cast<const X*>(tree));
        state = {state.follows ? R::combine(state.value, next) : next, true};
    }
};

template <class F, class T>
using LoopsOf = choose_t<is_integer<T> || is_same<T, bool>, SerialScan<F, T>, TreeScan<F, T>>;

template <class F, class T>
void update(char* array, const int64_t* offsets, const char* elements, int64_t stride, int64_t n) {
    using X = stored_t<T>;
    for_each_place(array, offsets, n, [=](int64_t i) {
        char* const place = array + offsets[i];
        put(place, store<T>(fn::call<F, T>(load<T>(get<X>(place)), load<T>(get<X>(elements + i * stride)))));
    });
}

struct ScanCollector {
    ScanLoops* to;
    int count = 0;
    template <class F, class Element, class U> void loop() {
        using Out = fn::item_t<0, typename F::template out<Element, U>>;
        if constexpr ((F::flags & Associative) != 0 && is_same<Element, U> && is_same<Element, Out>) {
            using T = compiled_t<F, Element>;
            if constexpr (!is_half<T>) {
                using Loops = LoopsOf<compiled_row<F, T>, T>;
                static_assert(sizeof(typename Loops::LoopState) <= sizeof(ScanState));
                to[count] = {Loops::run, Loops::tree, Loops::push, nullptr};
            }
            to[count].update = update<compiled_row<F, T>, T>;
        }
        if constexpr (is_same<F, fn::subtract> && is_same<Element, U>)
            to[count].update = update<F, compiled_t<F, Element>>;
        ++count;
    }
};

}  // namespace

void collect_scans(ScanLoops* to) {
    ScanCollector collector{to};
    visit_rows(collector);
}

}  // namespace cuarray::host
