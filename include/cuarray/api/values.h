// values.h -- arrays from numbers of C++, numbers from arrays, and arrays as text.
#pragma once
#include <initializer_list>
#include <iosfwd>
#include <span>
#include <string>
#include <type_traits>
#include <vector>
#include "cuarray/array/array.h"
#include "cuarray/ops/creation.h"
#include "cuarray/runtime/devices.h"

namespace cuarray {

/// A new array of `shape` on a device, of elements in C order in the memory of the program.
template <NumberType T>
Array array(const T* elements, const Dims& shape, Device device = current_device()) {
    Dims strides(shape.size(), 0);
    int64_t step = sizeof(T);
    for (int axis = shape.size() - 1; axis >= 0; --axis) {
        strides[axis] = step;
        step *= shape[axis];
    }
    return from_host(elements, shape, strides, dtype_of_number<T>(), device);
}
template <NumberType T>
Array array(const std::vector<T>& elements, const Dims& shape, Device device = current_device()) {
    int64_t size = 1;
    for (const int64_t extent : shape) size *= extent;
    if (size != int64_t(elements.size()))
        raise(ErrorKind::Value, "array: ", elements.size(), " elements do not fill the shape ", to_string(shape));
    if constexpr (std::is_same_v<T, bool>) {  // a vector of bits
        const std::vector<unsigned char> bytes(elements.begin(), elements.end());
        return array(reinterpret_cast<const bool*>(bytes.data()), shape, device);
    } else {
        return array(elements.data(), shape, device);
    }
}
template <NumberType T>
Array array(const std::vector<T>& elements, Device device = current_device()) {
    return array(elements, Dims{int64_t(elements.size())}, device);
}
template <NumberType T>
Array array(T element, Device device = current_device()) {
    return array(&element, Dims{}, device);
}
/// array({1., 2.}), array({{1, 2}, {3, 4}}): the dtype is that of the numbers, int32 for int. ValueError for lists of
/// unequal lengths.
template <NumberType T>
Array array(std::initializer_list<T> elements, Device device = current_device()) {
    return array(elements.begin(), Dims{int64_t(elements.size())}, device);
}
template <NumberType T>
Array array(std::initializer_list<std::initializer_list<T>> rows, Device device = current_device()) {
    const int64_t length = rows.size() ? int64_t(rows.begin()->size()) : 0;
    std::vector<T> all;
    for (const auto& row : rows) {
        if (int64_t(row.size()) != length)
            raise(ErrorKind::Value, "array: a row of ", row.size(), " elements beside one of ", length);
        all.insert(all.end(), row);
    }
    return array(all, rows.size() ? Dims{int64_t(rows.size()), length} : Dims{0}, device);
}
template <NumberType T>
Array array(std::initializer_list<std::initializer_list<std::initializer_list<T>>> stack,
            Device device = current_device()) {
    const auto& first = stack.size() ? *stack.begin() : std::initializer_list<std::initializer_list<T>>{};
    const int64_t rows = int64_t(first.size()), length = rows ? int64_t(first.begin()->size()) : 0;
    std::vector<T> all;
    for (const auto& matrix : stack) {
        if (int64_t(matrix.size()) != rows)
            raise(ErrorKind::Value, "array: a matrix of ", matrix.size(), " rows beside one of ", rows);
        for (const auto& row : matrix) {
            if (int64_t(row.size()) != length)
                raise(ErrorKind::Value, "array: a row of ", row.size(), " elements beside one of ", length);
            all.insert(all.end(), row);
        }
    }
    const int64_t count = int64_t(stack.size());
    return array(all, !count ? Dims{0} : !rows ? Dims{count, 0} : Dims{count, rows, length}, device);
}

/// `num` equally spaced numbers from start to stop, which is the last one or, without `endpoint`, the one behind it; of
/// arrays along a new axis. functions::linspace gives their distance, too.
inline Array linspace(const Argument& start, const Argument& stop, int64_t num = 50, bool endpoint = true,
                      DType dtype = DType::none, int64_t axis = 0) {
    return functions::linspace(start, stop, num, endpoint, false, dtype, axis)[0];
}

template <NumberType T>
T Array::item() const {
    const Scalar element = convert(cuarray::item(*this, "item"), dtype_of_number<T>());
    T value;
    std::memcpy(&value, element.bytes, sizeof value);
    return value;
}

template <NumberType T>
std::vector<T> Array::to_vector() const {
    const Array elements = astype(*this, dtype_of_number<T>(), 'K', false);
    if constexpr (std::is_same_v<T, bool>) {
        std::vector<unsigned char> bytes(size_t(elements.size()));
        read_contiguous(elements, bytes.data());
        return {bytes.begin(), bytes.end()};
    } else {
        std::vector<T> values(size_t(elements.size()));
        read_contiguous(elements, values.data());
        return values;
    }
}

/// NumPy's text of an array, "array([1., 2.])": of more than 1000 elements the first and last three along each axis.
CUARRAY_API std::string to_string(const Array& array);
CUARRAY_API std::ostream& operator<<(std::ostream& stream, const Array& array);
/// "float64", "cuda:0".
CUARRAY_API std::ostream& operator<<(std::ostream& stream, DType dtype);
CUARRAY_API std::ostream& operator<<(std::ostream& stream, const Device& device);
/// "(3, 4)".
CUARRAY_API std::ostream& operator<<(std::ostream& stream, const Dims& shape);

}  // namespace cuarray
