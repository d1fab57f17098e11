// scalar.h -- a value with a dtype, and Python numbers, which have only a kind.
#pragma once
#include <complex>
#include <cstdint>
#include <cstring>
#include <limits>
#include <type_traits>
#include "cuarray/core/dtype.h"

namespace cuarray {

/// One element of any dtype, stored as bytes; passed to kernels as an argument, never as source text.
struct Scalar {
    DType dtype = DType::none;
    alignas(16) unsigned char bytes[16] = {};

    /// A number of C++, cast as astype would, or an element of `dtype` as kernels store it.
    template <class T>
    static Scalar of(DType dtype, T value);
    friend bool operator==(const Scalar&, const Scalar&) = default;
};

/// A Python bool, int, float or complex: NEP 50's weak scalar. `big` is the sign of an int that exceeds 64 bits.
struct Weak {
    enum class Kind : uint8_t { Int = 1, Float = 2, Complex = 3 };
    Kind kind = Kind::Int;
    int8_t big = 0;         ///< +1 / -1: an int above uint64 / below int64, whose value as a double is in `real`
    bool negative = false;  ///< the int is negative: `integer` is its two's complement
    uint64_t integer = 0;
    double real = 0, imag = 0;  ///< also set for ints; infinite for ints that overflow double
};

/// The weak scalar as an element of `dtype`; OverflowError `add: Python integer 300 out of bounds for uint8`.
CUARRAY_API Scalar convert(const Weak& value, DType dtype, const char* function);

/// The scalar cast as astype would (unsafe).
CUARRAY_API Scalar convert(const Scalar& value, DType dtype);
/// The same, but OverflowError or ValueError if a signed dtype cannot represent the value, as for Python numbers.
/// Unsigned dtypes wrap, as in NumPy's item assignment.
CUARRAY_API Scalar convert_exactly(const Scalar& value, DType dtype, const char* function);

/// The dtype whose elements have the values of a C++ number type; none for any other type.
template <class T>
constexpr DType dtype_of_number() {
    using Limits = std::numeric_limits<T>;
    constexpr Kind kind = std::is_same_v<T, bool> ? Kind::Bool
                          : !Limits::is_integer   ? Kind::Floating
                          : std::is_unsigned_v<T> ? Kind::Unsigned
                                                  : Kind::Signed;
#define DTYPE(name, type, kind_, bits, ...) \
    if (std::is_arithmetic_v<T> && kind == Kind::kind_ && Limits::digits == bits) return DType::name;
#include "cuarray/dtypes.def"
    if (std::is_same_v<T, std::complex<float>>) return DType::complex64;
    if (std::is_same_v<T, std::complex<double>>) return DType::complex128;
    return DType::none;
}

/// A number of C++ that some dtype holds.
template <class T>
concept NumberType = !std::is_array_v<T> && dtype_of_number<T>() != DType::none;

/// An int, float or complex of C++ as an operand, which takes the dtype of the arrays beside it. A bool has one.
template <NumberType T>
Weak weak_number(T value) {
    if constexpr (!std::is_arithmetic_v<T>)
        return {Weak::Kind::Complex, 0, false, 0, double(value.real()), double(value.imag())};
    else if constexpr (std::is_integral_v<T>)
        return {Weak::Kind::Int, 0, std::is_signed_v<T> && value < T(0), uint64_t(value), double(value), 0};
    else
        return {Weak::Kind::Float, 0, false, 0, double(value), 0};
}

template <class T>
Scalar Scalar::of(DType dtype, T value) {
    static_assert(sizeof value <= sizeof bytes);
    constexpr DType native = dtype_of_number<T>();
    Scalar s;
    s.dtype = native == DType::none ? dtype : native;
    std::memcpy(s.bytes, &value, sizeof value);
    return s.dtype == dtype ? s : convert(s, dtype);
}

}  // namespace cuarray
