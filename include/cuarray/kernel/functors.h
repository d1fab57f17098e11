// functors.h -- turns each row of ufuncs.def into a callable type, and calls it on elements.
//
// `fn::call<fn::hypot, f16>(x, y)` is everything that a backend does per element: it takes the row's inputs,
// widens halves to f32 unless the row works on their bits, and returns the row's outputs. A generator for
// NVRTC emits the declarations below and, instead of the #include, the rows that it needs.
#pragma once
#include "cuarray/kernel/flags.h"
#include "cuarray/kernel/math.h"
#include "cuarray/kernel/math_complex.h"
#include "cuarray/kernel/math_complex_trig.h"
#include "cuarray/kernel/math_float.h"
#include "cuarray/kernel/math_half.h"
#include "cuarray/kernel/math_special.h"

namespace cuarray::fn {

/// A list of types; item_t<K, list> is its K-th type, or `nothing` beyond the end.
template <class... X>
struct list {
    static constexpr int size = sizeof...(X);
};
struct nothing {};
template <int K, class List>
struct item {
    using type = nothing;
};
template <class First, class... Rest>
struct item<0, list<First, Rest...>> {
    using type = First;
};
template <int K, class First, class... Rest>
struct item<K, list<First, Rest...>> : item<K - 1, list<Rest...>> {};
template <int K, class List>
using item_t = typename item<K, List>::type;

/// What a row returns: its one output, or a pair.
template <class List>
struct result;
template <class A>
struct result<list<A>> {
    using type = A;
};
template <class A, class B>
struct result<list<A, B>> {
    using type = pair<A, B>;
};
template <class List>
using result_t = typename result<List>::type;

#define CUARRAY_LIST(...) list<__VA_ARGS__>
#define UFUNC(name, inputs, outputs, domain, flags_, identity, doc, ...)                               \
    struct name {                                                                                      \
        static constexpr unsigned flags = flags_;                                                      \
        template <class T, class U = T>                                                                \
        using in = CUARRAY_LIST inputs;                                                                \
        template <class T, class U = T>                                                                \
        using out = CUARRAY_LIST outputs;                                                              \
        template <class T, class U = T>                                                                \
        CUARRAY_FN result_t<out<T, U>> operator()([[maybe_unused]] item_t<0, in<T, U>> x,              \
                                                  [[maybe_unused]] item_t<1, in<T, U>> y = {},         \
                                                  [[maybe_unused]] item_t<2, in<T, U>> z = {}) const { \
            return result_t<out<T, U>>(__VA_ARGS__);                                                   \
        }                                                                                              \
    };

#include "cuarray/ufuncs.def"

template <class To, class From>
CUARRAY_FN To narrow(From x) {
    if constexpr (is_half<To> && !is_half<From>)
        return round_to_half<To>(x);
    else
        return To(x);
}
template <class To, class A, class B>
CUARRAY_FN To narrow(pair<A, B> x) {
    return {narrow<decltype(To::first)>(x.first), narrow<decltype(To::second)>(x.second)};
}

/// Applies row F at T (and U) to elements; a stored bool may be passed as its byte.
template <class F, class T, class U = T>
CUARRAY_FN result_t<typename F::template out<T, U>> call(item_t<0, typename F::template in<T, U>> x,
                                                         item_t<1, typename F::template in<T, U>> y = {},
                                                         item_t<2, typename F::template in<T, U>> z = {}) {
    using R = result_t<typename F::template out<T, U>>;
    if constexpr ((F::flags & HalfBits) != 0)
        return F().template operator()<T, U>(x, y, z);
    else
        return narrow<R>(F().template operator()<compute_t<T>, compute_t<U>>(widen(x), widen(y), widen(z)));
}

}  // namespace cuarray::fn
