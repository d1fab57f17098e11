// scalar.h -- a value with a dtype, and Python numbers, which have only a kind.
#pragma once
#include <cstdint>
#include <cstring>
#include "cuarray/core/dtype.h"

namespace cuarray {

/// One element of any dtype, stored as bytes; passed to kernels as an argument, never as source text.
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

}  // namespace cuarray
