// creation.cpp -- new arrays of one value, and of ones on a diagonal.
#include "cuarray/ops/creation.h"
#include <algorithm>
#include <cstring>
#include "cuarray/array/elements.h"
#include "cuarray/ops/triangles.h"
#include "cuarray/runtime/registry.h"
#include "ops/order.h"

namespace cuarray {
namespace {

Device chosen(const std::optional<Device>& device) { return device ? *device : current_device(); }

DType dtype_or(DType dtype, DType fallback) { return dtype == DType::none ? fallback : dtype; }

Array new_array(const Dims& shape, DType dtype, char order, Device device, MemoryKind memory, const char* function) {
    check_order(order, "CF", function);
    Array result = memory == MemoryKind::Device ? empty(shape, dtype, device) : empty(shape, dtype, device, memory);
    return order == 'F' ? result.view({shape, f_strides(shape, item_size(dtype))}) : result;
}

Array filled(const Dims& shape, const Scalar& value, char order, Device device, MemoryKind memory,
             const char* function) {
    check_order(order, "CF", function);
    if (memory == MemoryKind::Device) return full(shape, value, device, order, function);
    Array result = new_array(shape, value.dtype, order, device, memory, function);
    fill(result, value, function);
    return result;
}

Array filled_like(const Array& like, DType dtype, const std::optional<char>& order, const OptionalDims& shape,
                  const std::optional<Device>& device, int64_t number, const char* function) {
    Array result = functions::empty_like(like, dtype, order, shape, device);
    fill(result, Scalar::of(DType::int64, number), function);
    return result;
}

DType dtype_of_value(const FillValue& value) {
    if (value.array) return value.array->dtype();
    if (value.scalar) return value.scalar->dtype;
    return value.weak->big ? DType::int64 : PlainNumber(*value.weak).dtype;
}

/// The number as an element: cast, but for integers, which have to fit.
Scalar element_of(const FillValue& value, DType dtype, const char* function) {
    if (value.scalar) return convert(*value.scalar, dtype);
    const Weak& number = *value.weak;
    if (number.kind == Weak::Kind::Int && info(dtype).kind != Kind::Bool) return convert(number, dtype, function);
    const DType wide = number.big ? DType::float64 : dtype_of_value(value);
    const Scalar element = convert(number, wide, function);
    return wide == dtype ? element : convert(element, dtype);
}

Scalar zero_of(DType dtype) {
    Scalar zero;
    zero.dtype = dtype_or(dtype, DType::float64);
    return zero;
}

Scalar one_of(DType dtype) { return convert(Scalar::of(DType::int64, int64_t(1)), dtype_or(dtype, DType::float64)); }

}  // namespace

namespace functions {

Array empty(const Dims& shape, DType dtype, char order, const std::optional<Device>& device, MemoryKind memory) {
    return new_array(shape, dtype_or(dtype, DType::float64), order, chosen(device), memory, "empty");
}

Array zeros(const Dims& shape, DType dtype, char order, const std::optional<Device>& device, MemoryKind memory) {
    return filled(shape, zero_of(dtype), order, chosen(device), memory, "zeros");
}

Array ones(const Dims& shape, DType dtype, char order, const std::optional<Device>& device, MemoryKind memory) {
    return filled(shape, one_of(dtype), order, chosen(device), memory, "ones");
}

Array full(const Dims& shape, const FillValue& fill_value, DType dtype, char order, const std::optional<Device>& device,
           MemoryKind memory) {
    dtype = dtype_or(dtype, dtype_of_value(fill_value));
    if (!fill_value.array)
        return filled(shape, element_of(fill_value, dtype, "full"), order, chosen(device), memory, "full");
    const Device place = device ? *device : fill_value.array->device();
    Array result = new_array(shape, dtype, order, place, memory, "full");
    transfer(result, *fill_value.array, "full");
    return result;
}

Array empty_like(const Array& prototype, DType dtype, const std::optional<char>& order, const OptionalDims& shape,
                 const std::optional<Device>& device) {
    dtype = dtype_or(dtype, prototype.dtype());
    const char letter = order.value_or('K');
    check_order(letter, "CFAK", "empty_like");
    const Device place = device ? *device : prototype.device();
    if (!shape) return cuarray::empty_like(prototype, dtype, letter, place);
    return new_array(*shape, dtype, letter == 'F' ? 'F' : 'C', place, MemoryKind::Device, "empty_like");
}

Array zeros_like(const Array& a, DType dtype, const std::optional<char>& order, const OptionalDims& shape,
                 const std::optional<Device>& device) {
    return filled_like(a, dtype, order, shape, device, 0, "zeros_like");
}

Array ones_like(const Array& a, DType dtype, const std::optional<char>& order, const OptionalDims& shape,
                const std::optional<Device>& device) {
    return filled_like(a, dtype, order, shape, device, 1, "ones_like");
}

Array full_like(const Array& a, const FillValue& fill_value, DType dtype, const std::optional<char>& order,
                const OptionalDims& shape, const std::optional<Device>& device) {
    Array result = functions::empty_like(a, dtype, order, shape, device);
    if (fill_value.array)
        transfer(result, *fill_value.array, "full_like");
    else
        fill(result, element_of(fill_value, result.dtype(), "full_like"), "full_like");
    return result;
}

Array eye(const Length& N, const std::optional<Length>& M, int64_t k, DType dtype, char order,
          const std::optional<Device>& device) {
    const int64_t rows = N, columns = M ? *M : N;
    Array result = filled({rows, columns}, zero_of(dtype), order, chosen(device), MemoryKind::Device, "eye");
    if (k >= columns || k <= -rows) return result;
    dtype = result.dtype();
    const int64_t length = k >= 0 ? std::min(rows, columns - k) : std::min(rows + k, columns);
    const int64_t down = result.strides()[0], right = result.strides()[1];
    const int64_t begin = k >= 0 ? k * right : -k * down;
    const Scalar one = one_of(dtype);
    char* const few = result.nbytes() <= kFewBytes ? direct_data(result) : nullptr;
    if (!few) fill(result.view({{length}, {down + right}}, begin), one, "eye");
    for (int64_t i = 0; few && i < length; ++i)
        std::memcpy(few + begin + i * (down + right), one.bytes, size_t(item_size(dtype)));
    return result;
}

Array identity(const SquareLength& n, DType dtype, const std::optional<Device>& device) {
    return eye(n, {}, 0, dtype, 'C', device);
}

Array tri(const Length& N, const std::optional<Length>& M, int64_t k, DType dtype,
          const std::optional<Device>& device) {
    const int64_t rows = std::max<int64_t>(N, 0), columns = M ? std::max<int64_t>(*M, 0) : rows;
    return tril(ones({rows, columns}, dtype, 'C', device), k);
}

}  // namespace functions
}  // namespace cuarray
