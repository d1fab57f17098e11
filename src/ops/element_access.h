// element_access.h -- elements that the host reads and writes one at a time, or a few at once.
#pragma once
#include <cstring>
#include <optional>
#include "cuarray/array/elements.h"
#include "cuarray/array/pending.h"
#include "cuarray/core/scalar.h"
#include "ops/packed.h"

namespace cuarray {

/// The element at an address in host memory.
inline Scalar scalar_at(const char* element, DType dtype) {
    Scalar scalar;
    scalar.dtype = dtype;
    std::memcpy(scalar.bytes, element, size_t(item_size(dtype)));
    return scalar;
}

inline int64_t to_int64(const Scalar& scalar) {
    int64_t number;
    std::memcpy(&number, convert(scalar, DType::int64).bytes, sizeof number);
    return number;
}

/// Bytes from element 0 of an array to the one at a position of an axis. IndexError where there is none.
inline int64_t offset_along(const Array& array, int axis, int64_t position) {
    const int64_t n = array.shape()[axis];
    if (position < -n || position >= n)
        raise(ErrorKind::Index, "index ", position, " is out of bounds for axis ", axis, " with size ", n);
    return (position < 0 ? position + n : position) * array.strides()[axis];
}

/// The element that many bytes from element 0, if the host may read it now.
inline std::optional<Scalar> element_now(const Array& array, int64_t offset = 0) {
    const char* const data = direct_data(array);
    if (!data) return std::nullopt;
    return scalar_at(data + offset, array.dtype());
}

/// The same as an array without axes, on the array's device.
inline Array copy_of_element(const Array& array, int64_t offset) {
    const int64_t item = item_size(array.dtype());
    Storage& storage = array.storage();
    offset += array.offset();
    Array element(storage.front().allocate(item), 0, Layout(), array.dtype());
    storage.front().copy(element.storage(), 0, storage, offset, item);
    return element;
}

/// Stores the bytes of an element; what is pending and reads the array runs first.
inline void store_element(const Array& array, int64_t offset, const void* bytes) {
    Storage& storage = array.storage();
    before_write(storage);
    storage.front().write(storage, array.offset() + offset, bytes, item_size(array.dtype()));
}

/// A new array of elements in host memory, in C order.
inline Array copy_from_host(const void* elements, const Dims& shape, DType dtype, Device device) {
    Array result = empty(shape, dtype, device);
    result.storage().front().write(result.storage(), 0, elements, result.nbytes());
    return result;
}
/// The same; an empty handle where the host may not write to it now.
inline Array copy_of_memory(const void* elements, const Dims& shape, DType dtype, Device device) {
    Array result = empty(shape, dtype, device);
    char* const to = direct_data(result);
    if (!to) return {};
    std::memcpy(to, elements, size_t(result.nbytes()));
    return result;
}

/// Whether the elements are real numbers that the host may read now, one after the other.
inline bool is_readable_line(const Array& array) {
    return !array.is_empty() && array.is_c_contiguous() && is_aligned(array) && direct_data(array) &&
           info(array.dtype()).kind != Kind::Complex;
}
/// Reads such elements as float64.
inline void read_as_float64(const Array& array, double* to) {
    array.storage().front().direct()->cast(array.dtype(), DType::float64, direct_data(array), to, array.size());
}

}  // namespace cuarray
