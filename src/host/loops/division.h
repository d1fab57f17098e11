// division.h -- integers divided by one number: by a multiplication and a shift, which vectors have.
//
// Granlund, Montgomery: Division by invariant integers using multiplication. PLDI 1994. For bits N and a divisor d with
// 2^(l-1) < d <= 2^l, numbers below 2^(N-1) are divided by the high half of a product with floor(2^(N-1+l) / d) + 1,
// which has N bits; for all numbers the factor has one bit more, which is added.
#pragma once
#include <bit>
#include <climits>
#include <cstdint>
#include <cstring>
#include "core/loops.h"
#include "host/loops/vectors.h"

namespace cuarray::host {

template <class U> using twice_as_wide_t =
    choose_t<sizeof(U) == 1, u16, choose_t<sizeof(U) == 2, u32, choose_t<sizeof(U) == 4, u64, unsigned __int128>>>;

/// What divides integers of a type by one number, which is 2 or more.
template <class T> class Reciprocal {
    using U = unsigned_t<T>;
    using Wide = choose_t<sizeof(U) == 8, unsigned __int128, u64>;
    static constexpr int kBits = CHAR_BIT * sizeof(T);

 public:
    static constexpr int kLanes = sizeof(Words) / sizeof(T);
    using Lanes = choose_t<sizeof(T) == 8, Words, ShortWords>;

    explicit Reciprocal(T divisor) : divisor_(divisor) {
        const int length = int(std::bit_width(U(U(divisor) - 1)));
        const Wide beyond = (Wide(1) << length) - U(divisor);
        const Wide factor =
            is_signed<T> ? (Wide(1) << (kBits - 1 + length)) / U(divisor) : (beyond << kBits) / U(divisor);
        factor_ = U(factor + 1);
        shift_ = length - 1;
    }

    /// The quotient, rounded towards minus infinity.
    CUARRAY_FN T quotient(T x) const {
        const U sign = is_signed<T> && x < T(0) ? U(-1) : U(0);
        return T(quotient<U>(U(x), sign, [this](U word) {
            using Product = twice_as_wide_t<U>;
            return U(Product(Product(word) * Product(factor_)) >> kBits);
        }));
    }
    CUARRAY_FN T remainder(T x) const { return math::subtract(x, math::multiply(quotient(x), divisor_)); }

    /// The same of vectors.
    CUARRAY_FN Lanes quotient(Lanes x) const {
        const Lanes factor = Lanes{} + factor_, sign = is_signed<T> ? Lanes(Vector<T, kLanes>(x) < 0) : Lanes{};
        return quotient<Lanes>(x, sign, [&](Lanes words) { return product_high(words, factor); });
    }
    CUARRAY_FN Lanes remainder(Lanes x) const { return x - quotient(x) * U(divisor_); }

 private:
    /// Of words, and all bits where they are of negative numbers, whose complement is divided.
    template <class W, class HighHalf> CUARRAY_FN W quotient(W x, W sign, HighHalf high_half) const {
        if constexpr (is_signed<T>) return W(W(high_half(W(x ^ sign)) >> shift_) ^ sign);
        const W high = high_half(x);
        return W(W(high + W(W(x - high) >> 1)) >> shift_);
    }

    T divisor_;
    U factor_;
    int shift_;
};

/// Quotients, remainders or both of n integers; null for those that are not wanted.
template <bool has_quotients, bool has_remainders, class T>
void divide(const Reciprocal<T>& by, const T* x, T* quotients, T* remainders, int64_t n) {
    const auto put = [](T* to, auto result) { std::memcpy(to, &result, sizeof result); };
    const auto divide_at = [&](auto numbers, int64_t i) {
        if constexpr (has_quotients) put(quotients + i, by.quotient(numbers));
        if constexpr (has_remainders) put(remainders + i, by.remainder(numbers));
    };
    int64_t begin = 0;
    if constexpr (sizeof(T) >= 4) {  // GCC makes vectors of the others
        constexpr int lanes = Reciprocal<T>::kLanes;
        for (; begin + lanes <= n; begin += lanes)
            divide_at(typename Reciprocal<T>::Lanes(load_vector<T, lanes>(x + begin)), begin);
    }
#pragma omp simd
    for (int64_t i = begin; i < n; ++i) {
        const T number = x[i];
        if constexpr (has_quotients) quotients[i] = by.quotient(number);
        if constexpr (has_remainders) remainders[i] = by.remainder(number);
    }
}

/// Whether all numbers are one that Reciprocal takes.
template <class T> bool are_one_divisor(const T* y, int64_t n) {
    constexpr int64_t kFew = 32;  // whose divisions take less than a Reciprocal is made in
    return n >= kFew && y[0] >= T(2) && are_one(y, n);
}

}  // namespace cuarray::host
