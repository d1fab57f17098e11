// as_array.h -- arguments as arrays, in the dtype that a number has by itself.
#pragma once
#include "cuarray/ops/creation.h"

namespace cuarray {

/// The number as an element; TypeError for an integer of more than 64 bits.
inline Scalar as_scalar(const Weak& number, const char* function) {
    const DType dtype = PlainNumber(number).dtype;
    if (dtype == DType::none) raise(ErrorKind::Type, function, ": an integer of more than 64 bits has no dtype");
    return convert(number, dtype, function);
}

inline Array as_array(const Argument& one, Device device, const char* function) {
    if (one.array) return *one.array;
    return full({}, one.scalar ? *one.scalar : as_scalar(*one.weak, function), device);
}

}  // namespace cuarray
