// values.h -- small arrays of int64, and what they hold, for tests of ops.
#pragma once
#include <vector>
#include "cuarray/array/array.h"

/// 0, 1, 2 ... in that shape.
inline cuarray::Array counted(const cuarray::Dims& shape) {
    using namespace cuarray;
    const Scalar first = Scalar::of(DType::int64, int64_t(0)), second = Scalar::of(DType::int64, int64_t(1));
    return arange(count(shape), first, second, Device{}).reshape(shape);
}

inline cuarray::Array numbers(const std::vector<int64_t>& values) {
    return cuarray::from_host(values.data(), {int64_t(values.size())}, {8}, cuarray::DType::int64, cuarray::Device{});
}

inline cuarray::Array doubles(const std::vector<double>& values) {
    return cuarray::from_host(values.data(), {int64_t(values.size())}, {8}, cuarray::DType::float64, cuarray::Device{});
}

/// Whether an array has that shape and, cast to T, these elements.
template <class T = int64_t>
bool holds(const cuarray::Array& array, const cuarray::Dims& shape, const std::vector<T>& wanted) {
    const cuarray::DType dtype = std::is_same_v<T, double> ? cuarray::DType::float64 : cuarray::DType::int64;
    std::vector<T> found(size_t(array.size()));
    cuarray::read_contiguous(cuarray::astype(array, dtype), found.data());
    return array.shape() == shape && found == wanted;
}
