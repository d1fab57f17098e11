// creation.h -- new arrays: of one value, of the shape of another array.
#pragma once
#include <optional>
#include "cuarray/array/array.h"
#include "cuarray/ops/arguments.h"
#include "cuarray/runtime/runtime.h"

namespace cuarray {

/// What fills an array: a number, or an array that is broadcast to its shape.
struct FillValue : Argument {
    using Argument::Argument;
    FillValue(const Argument& argument) : Argument(argument) {}
};

/// What rows of functions.def mean by a name that has other overloads. All are in cuarray, too.
namespace functions {

using namespace cuarray;  // names without others are found there

/// New arrays in order 'C' or 'F', on the current device unless one is named: with undefined contents, of zeros, of
/// ones. DType::none is float64.
CUARRAY_API Array empty(const Dims& shape, DType dtype = DType::float64, char order = 'C',
                        const std::optional<Device>& device = {}, MemoryKind memory = MemoryKind::Device);
CUARRAY_API Array zeros(const Dims& shape, DType dtype = DType::float64, char order = 'C',
                        const std::optional<Device>& device = {}, MemoryKind memory = MemoryKind::Device);
CUARRAY_API Array ones(const Dims& shape, DType dtype = DType::float64, char order = 'C',
                       const std::optional<Device>& device = {}, MemoryKind memory = MemoryKind::Device);
/// The same of one value, by default in its dtype and on the device of an array.
CUARRAY_API Array full(const Dims& shape, const FillValue& fill_value, DType dtype = DType::none, char order = 'C',
                       const std::optional<Device>& device = {}, MemoryKind memory = MemoryKind::Device);

/// New arrays with the shape, dtype, layout and device of another one, unless others are given. The order is 'C', 'F',
/// 'A' or, by default, 'K': that of the memory.
CUARRAY_API Array empty_like(const Array& prototype, DType dtype = DType::none, const std::optional<char>& order = {},
                             const std::optional<Dims>& shape = {}, const std::optional<Device>& device = {});
CUARRAY_API Array zeros_like(const Array& a, DType dtype = DType::none, const std::optional<char>& order = {},
                             const std::optional<Dims>& shape = {}, const std::optional<Device>& device = {});
CUARRAY_API Array ones_like(const Array& a, DType dtype = DType::none, const std::optional<char>& order = {},
                            const std::optional<Dims>& shape = {}, const std::optional<Device>& device = {});
CUARRAY_API Array full_like(const Array& a, const FillValue& fill_value, DType dtype = DType::none,
                            const std::optional<char>& order = {}, const std::optional<Dims>& shape = {},
                            const std::optional<Device>& device = {});

}  // namespace functions

using functions::empty, functions::zeros, functions::ones, functions::full;
using functions::empty_like, functions::zeros_like, functions::ones_like, functions::full_like;

}  // namespace cuarray
