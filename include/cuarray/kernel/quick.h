// quick.h -- the branch-free part of the rows that are slow for rare arguments, for the host's vector loops.
//
// `call` decides element by element, and a loop with that branch does not vectorise. A host loop runs `quick` over a
// group into a temporary instead, and where `rare` came out true `call` over the same elements again. Where `rare` is
// false both give the same bits, so an element's result depends on nothing but its arguments.
#pragma once
#include "cuarray/kernel/functors.h"

namespace cuarray::fn {

template <class F> constexpr bool is_division =
    is_same<F, fmod> || is_same<F, remainder> || is_same<F, floor_divide> || is_same<F, divmod>;

/// Whether row F has a quick part at type T; its inputs are then all of type T.
template <class F, class T> constexpr bool has_quick =
    is_division<F> ? is_float<compute_t<T>> && math::has_residue<compute_t<T>>
                   : (is_same<F, sin> || is_same<F, cos>) && is_same<T, f64>;

template <class F, class T> CUARRAY_FN auto quick_value(T x, [[maybe_unused]] T y, bool& rare) {
    if constexpr (is_same<F, sin>) return math::quick_sin(x, rare);
    else if constexpr (is_same<F, cos>) return math::quick_cos(x, rare);
    else if constexpr (is_same<F, fmod>) return math::quick_fmod(x, y, rare);
    else if constexpr (is_same<F, divmod>) return math::quick_divmod(x, y, rare);
    else if constexpr (is_same<F, floor_divide>) return math::quick_divmod(x, y, rare).first;
    else return math::quick_divmod(x, y, rare).second;
}

/// What call<F, T>(x, y) gives, if `rare` is false afterwards; one-input rows ignore y.
template <class F, class T> CUARRAY_FN result_t<typename F::template out<T>> quick(T x, T y, bool& rare) {
    return narrow<result_t<typename F::template out<T>>>(quick_value<F>(widen(x), widen(y), rare));
}

}  // namespace cuarray::fn
