// vectors.h -- GCC's vector types, for loops that it does not vectorise well by itself.
#pragma once
#include <cstring>

namespace cuarray::host {

template <class T, int lanes> struct VectorType {
    typedef T type [[gnu::vector_size(lanes * sizeof(T))]];
};
template <class T, int lanes> using Vector = typename VectorType<T, lanes>::type;

/// From any address.
template <class T, int lanes> [[gnu::always_inline]] inline Vector<T, lanes> load_vector(const T* from) {
    Vector<T, lanes> vector;
    std::memcpy(&vector, from, sizeof vector);
    return vector;
}

/// Folds a vector to one number; combine(V, V) is associative and commutative.
template <int lanes, class V, class Combine>
[[gnu::always_inline]] inline auto fold_vector(V vector, Combine&& combine) {
#pragma GCC unroll 8
    for (int d = lanes / 2; d > 0; d /= 2) {
        decltype(vector != vector) partner = {};
        for (int l = 0; l < lanes; ++l) partner[l] = (l + d) % lanes;
        vector = combine(vector, __builtin_shuffle(vector, partner));
    }
    return vector[0];
}

}  // namespace cuarray::host
