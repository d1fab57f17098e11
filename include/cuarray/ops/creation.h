// creation.h -- new arrays: of one value, of ones on a diagonal, of numbers in order.
#pragma once
#include <complex>
#include <optional>
#include <type_traits>
#include <vector>
#include "cuarray/array/array.h"
#include "cuarray/core/integers.h"
#include "cuarray/ops/arguments.h"
#include "cuarray/runtime/runtime.h"

namespace cuarray {

/// What fills an array: a number, or an array that is broadcast to its shape.
struct FillValue : Argument {
    using Argument::Argument;
    FillValue(const Argument& argument) : Argument(argument) {}
};

/// The extent of a new axis; of both axes of a square matrix.
struct Length {
    Length() = default;
    Length(int64_t extent) : value(extent) {}
    operator int64_t() const { return value; }
    int64_t value = 0;
};
struct SquareLength : Length {
    using Length::Length;
};

/// A number of a sequence, and the dtype that an array of it has; DType::none for an integer beyond 64 bits.
struct CUARRAY_API PlainNumber {
    template <IntegerType T>
    PlainNumber(T number) : PlainNumber(weak_number(std::conditional_t<std::is_enum_v<T>, int64_t, T>(number))) {}
    PlainNumber(double number) : value(weak_number(number)), dtype(DType::float64) {}
    PlainNumber(std::complex<double> number) : PlainNumber(Scalar::of(DType::complex128, number)) {}
    explicit PlainNumber(const Scalar& number);
    explicit PlainNumber(const Weak& number);
    Weak value;
    DType dtype = DType::none;
};
/// The distance of two numbers of a sequence: not zero.
struct NumberStep : PlainNumber {
    using PlainNumber::PlainNumber;
    explicit NumberStep(const PlainNumber& number) : PlainNumber(number) {}
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
                             const OptionalDims& shape = {}, const std::optional<Device>& device = {});
CUARRAY_API Array zeros_like(const Array& a, DType dtype = DType::none, const std::optional<char>& order = {},
                             const OptionalDims& shape = {}, const std::optional<Device>& device = {});
CUARRAY_API Array ones_like(const Array& a, DType dtype = DType::none, const std::optional<char>& order = {},
                            const OptionalDims& shape = {}, const std::optional<Device>& device = {});
CUARRAY_API Array full_like(const Array& a, const FillValue& fill_value, DType dtype = DType::none,
                            const std::optional<char>& order = {}, const OptionalDims& shape = {},
                            const std::optional<Device>& device = {});

/// A matrix of ones on the k-th diagonal and zeros elsewhere, square by default.
CUARRAY_API Array eye(const Length& N, const std::optional<Length>& M = {}, int64_t k = 0, DType dtype = DType::float64,
                      char order = 'C', const std::optional<Device>& device = {});
CUARRAY_API Array identity(const SquareLength& n, DType dtype = DType::float64,
                           const std::optional<Device>& device = {});
/// A matrix of ones at and below the k-th diagonal and zeros above, square by default; negative extents are 0.
CUARRAY_API Array tri(const Length& N, const std::optional<Length>& M = {}, int64_t k = 0, DType dtype = DType::float64,
                      const std::optional<Device>& device = {});

/// The numbers start, start + step, ... before stop; the first number alone is stop.
CUARRAY_API Array arange(const std::optional<PlainNumber>& start, const std::optional<PlainNumber>& stop = {},
                         const std::optional<NumberStep>& step = {}, DType dtype = DType::none,
                         const std::optional<Device>& device = {});
/// Equally spaced numbers from start to stop along a new axis; with `retstep` their distance as well.
CUARRAY_API std::vector<ArrayOrNumber> linspace(const Argument& start, const Argument& stop, const Length& num = 50,
                                                bool endpoint = true, bool retstep = false, DType dtype = DType::none,
                                                int64_t axis = 0, const std::optional<Device>& device = {});

}  // namespace functions

using functions::empty, functions::zeros, functions::ones, functions::full;
using functions::empty_like, functions::zeros_like, functions::ones_like, functions::full_like;
using functions::eye, functions::identity, functions::tri, functions::arange;

}  // namespace cuarray
