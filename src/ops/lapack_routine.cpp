// lapack_routine.cpp -- makes the task of a routine of LAPACK: copies by columns, one batch axis, arrays of results.
#include "cuarray/ops/lapack_routine.h"

#include <algorithm>

#include "cuarray/array/elements.h"
#include "ops/packed.h"

namespace cuarray {
namespace {

using Routine = LapackRoutine::Kind;
using VectorSet = LapackRoutine::VectorSet;

DType real_of(DType dtype) {
    if (dtype == DType::complex64) return DType::float32;
    return dtype == DType::complex128 ? DType::float64 : dtype;
}

DType complex_of(DType dtype) {
    if (dtype == DType::float32) return DType::complex64;
    return dtype == DType::float64 ? DType::complex128 : dtype;
}

/// The dtype of the numbers that a routine computes, or none.
DType numbers_of(Routine kind, DType dtype) {
    switch (kind) {
        case Routine::Getrf: return DType::int64;
        case Routine::Geqrf: return dtype;
        case Routine::Syevd:
        case Routine::Gesvd: return real_of(dtype);
        case Routine::Geev: return complex_of(dtype);
        default: return DType::none;
    }
}

/// A shape with other last axes.
Dims with_last(const Dims& shape, int dropped, const Dims& last) {
    Dims result{std::span<const int64_t>(shape).first(size_t(shape.size() - dropped))};
    for (const int64_t extent : last) result.push_back(extent);
    return result;
}

/// An array as a stack of `batch` parts; one part stands for all.
View as_stack(const Array& array, int64_t batch, const Dims& part, const char* name) {
    Dims own = part, all = part;
    own.insert(0, array.size() / count(part));
    all.insert(0, batch);
    const Array stack = array.reshape(own);
    return stack.as_operand(all, name);
}

}  // namespace

std::vector<Array> lapack_routine(Routine kind, const LapackInputs& inputs, DType dtype, const char* name) {
    const bool solves = kind == Routine::Getrs, decomposes = kind == Routine::Gesvd || kind == Routine::Geev;
    const Array matrix = solves ? packed(inputs.matrix) : astype(inputs.matrix, dtype, 'C');
    const Device device = matrix.device();
    const Dims& shape = matrix.shape();
    const int axes = shape.size();
    const int64_t columns = shape[axes - 2], rows = shape[axes - 1];
    const Array right = solves ? astype(inputs.right, dtype, 'C') : Array();
    Array numbers;
    if (const DType computed = numbers_of(kind, dtype); computed != DType::none)
        numbers = empty(with_last(shape, 2, {std::min(rows, columns)}), computed, device);
    else if (inputs.numbers.defined())
        numbers = packed(inputs.numbers);
    const int64_t count = numbers.defined() ? numbers.shape().back() : 0;
    Array left_vectors, right_vectors;
    if (decomposes && inputs.vectors != VectorSet::None) {
        const int64_t lefts = inputs.vectors == VectorSet::Full ? rows : columns;
        if (kind == Routine::Gesvd) left_vectors = empty(with_last(shape, 2, {lefts, rows}), dtype, device);
        right_vectors = empty(with_last(shape, 2, {columns, columns}), dtype, device);
    }
    const int64_t batch = solves ? right.size() / std::max<int64_t>(1, rows * inputs.solved)
                                 : matrix.size() / std::max<int64_t>(1, rows * columns);
    const Array info = empty(solves ? Dims{batch} : with_last(shape, 2, {}), DType::int32, device);

    std::vector<Array> results;
    if (!decomposes) results.push_back(solves ? right : matrix);
    if (!inputs.numbers.defined() && numbers.defined()) results.push_back(numbers);
    if (left_vectors.defined()) results.push_back(left_vectors);
    if (right_vectors.defined()) results.push_back(right_vectors);
    results.push_back(info);
    if (batch == 0 || matrix.is_empty()) return results;

    const auto view = [&](const Array& array, const Dims& part) {
        return array.defined() ? as_stack(array, batch, part, name) : View{};
    };
    const LapackRoutine task{kind,
                             batch,
                             rows,
                             columns,
                             count,
                             inputs.solved,
                             inputs.lower,
                             inputs.vectors,
                             view(matrix, {columns, rows}),
                             view(numbers, {count}),
                             view(right, {inputs.solved, rows}),
                             view(left_vectors, {left_vectors.defined() ? left_vectors.shape()[axes - 2] : 0, rows}),
                             view(right_vectors, {columns, columns}),
                             view(info, {}),
                             name};
    info.storage().front().run(task);
    return results;
}

}  // namespace cuarray
