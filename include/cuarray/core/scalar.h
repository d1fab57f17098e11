// scalar.h -- one value with a dtype, and Python's numbers, which have only a kind.
#pragma once
#include <cstdint>
#include <cstring>
#include "cuarray/core/dtype.h"

namespace cuarray {

/// One element of any dtype, kept as its bytes; passed to kernels as a parameter, never as text.
struct Scalar {
    DType dtype = DType::none;
    alignas(16) unsigned char bytes[16] = {};

    template <class T>
    static Scalar of(DType dtype, T value) {
        Scalar s;
        s.dtype = dtype;
        std::memcpy(s.bytes, &value, sizeof value);
        return s;
    }
    friend bool operator==(const Scalar&, const Scalar&) = default;
};

/// A Python bool, int, float or complex: NEP 50's weak scalar. Beyond 64 bits `big` is an int's sign.
struct Weak {
    enum class Kind : uint8_t { Int = 1, Float = 2, Complex = 3 };
    Kind kind = Kind::Int;
    int8_t big = 0;         ///< +1 / -1: an int above uint64 / below int64; real holds its double
    bool negative = false;  ///< the int is negative: `integer` is its two's complement
    uint64_t integer = 0;
    double real = 0, imag = 0;  ///< also set for ints; an infinity for those that no double is near
};

/// The weak scalar as an element; OverflowError `add: Python integer 300 out of bounds for uint8`.
CUARRAY_API Scalar convert(const Weak& value, DType dtype, const char* function);

/// The scalar cast as astype would (unsafe).
CUARRAY_API Scalar convert(const Scalar& value, DType dtype);
/// The same, but OverflowError or ValueError where a signed dtype does not hold the value, as for Python's numbers.
/// Unsigned ones wrap: so NumPy sets elements.
CUARRAY_API Scalar convert_exactly(const Scalar& value, DType dtype, const char* function);

}  // namespace cuarray
