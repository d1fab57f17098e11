// creation.cpp -- new arrays of one value.
#include "cuarray/ops/creation.h"
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
    if (memory == MemoryKind::Device) return full(shape, value, device, order);
    Array result = new_array(shape, value.dtype, order, device, memory, function);
    fill(result, value, function);
    return result;
}

Array filled_like(const Array& like, DType dtype, const std::optional<char>& order, const std::optional<Dims>& shape,
                  const std::optional<Device>& device, int64_t number) {
    Array result = functions::empty_like(like, dtype, order, shape, device);
    fill(result, Scalar::of(DType::int64, number), "full");
    return result;
}

DType default_dtype(const FillValue& value) {
    if (value.array) return value.array->dtype();
    if (value.scalar) return value.scalar->dtype;
    if (value.weak->kind == Weak::Kind::Complex) return DType::complex128;
    if (value.weak->kind == Weak::Kind::Float) return DType::float64;
    return value.weak->negative || value.weak->integer <= uint64_t(INT64_MAX) ? DType::int64 : DType::uint64;
}

/// The number as an element: cast, but for integers, which have to fit.
Scalar element_of(const FillValue& value, DType dtype, const char* function) {
    if (value.scalar) return convert(*value.scalar, dtype);
    const Weak& number = *value.weak;
    if (number.kind == Weak::Kind::Int && info(dtype).kind != Kind::Bool) return convert(number, dtype, function);
    const DType wide = number.big ? DType::float64 : default_dtype(value);
    const Scalar element = convert(number, wide, function);
    return wide == dtype ? element : convert(element, dtype);
}

}  // namespace

namespace functions {

Array empty(const Dims& shape, DType dtype, char order, const std::optional<Device>& device, MemoryKind memory) {
    return new_array(shape, dtype_or(dtype, DType::float64), order, chosen(device), memory, "empty");
}

Array zeros(const Dims& shape, DType dtype, char order, const std::optional<Device>& device, MemoryKind memory) {
    Scalar zero{};
    zero.dtype = dtype_or(dtype, DType::float64);
    return filled(shape, zero, order, chosen(device), memory, "zeros");
}

Array ones(const Dims& shape, DType dtype, char order, const std::optional<Device>& device, MemoryKind memory) {
    const Scalar one = convert(Scalar::of(DType::int64, int64_t(1)), dtype_or(dtype, DType::float64));
    return filled(shape, one, order, chosen(device), memory, "ones");
}

Array full(const Dims& shape, const FillValue& fill_value, DType dtype, char order, const std::optional<Device>& device,
           MemoryKind memory) {
    dtype = dtype_or(dtype, default_dtype(fill_value));
    if (!fill_value.array)
        return filled(shape, element_of(fill_value, dtype, "full"), order, chosen(device), memory, "full");
    const Device place = device ? *device : fill_value.array->device();
    Array result = new_array(shape, dtype, order, place, memory, "full");
    transfer(result, *fill_value.array, "full");
    return result;
}

Array empty_like(const Array& prototype, DType dtype, const std::optional<char>& order,
                 const std::optional<Dims>& shape, const std::optional<Device>& device) {
    dtype = dtype_or(dtype, prototype.dtype());
    const char letter = order.value_or('K');
    check_order(letter, "CFAK", "empty_like");
    const Device place = device ? *device : prototype.device();
    if (!shape) return cuarray::empty_like(prototype, dtype, letter, place);
    return new_array(*shape, dtype, letter == 'F' ? 'F' : 'C', place, MemoryKind::Device, "empty_like");
}

Array zeros_like(const Array& a, DType dtype, const std::optional<char>& order, const std::optional<Dims>& shape,
                 const std::optional<Device>& device) {
    return filled_like(a, dtype, order, shape, device, 0);
}

Array ones_like(const Array& a, DType dtype, const std::optional<char>& order, const std::optional<Dims>& shape,
                const std::optional<Device>& device) {
    return filled_like(a, dtype, order, shape, device, 1);
}

Array full_like(const Array& a, const FillValue& fill_value, DType dtype, const std::optional<char>& order,
                const std::optional<Dims>& shape, const std::optional<Device>& device) {
    Array result = functions::empty_like(a, dtype, order, shape, device);
    if (fill_value.array)
        transfer(result, *fill_value.array, "full_like");
    else
        fill(result, element_of(fill_value, result.dtype(), "full_like"), "full_like");
    return result;
}

}  // namespace functions
}  // namespace cuarray
