// plain_values.cpp -- reads Python's ints, floats, shapes, dtypes and lists of numbers at once, or leaves them.
#include "bindings/functions/plain_values.h"
#include <algorithm>
#include <cstring>
#include <vector>
#include "cuarray/array/elements.h"
#include "cuarray/runtime/registry.h"

namespace cuarray::python {

bool read_int(PyObject* object, int64_t& value) {
    int overflow = 0;
    if (!PyLong_CheckExact(object)) return false;
    value = PyLong_AsLongLongAndOverflow(object, &overflow);
    return !overflow && value > -(int64_t(1) << 60) && value < int64_t(1) << 60;
}

bool read_shape(PyObject* object, Dims& shape) {
    constexpr int64_t kMost = int64_t(1) << 28;  // so that products do not overflow
    int64_t elements = 1;                        // with empty axes left out
    const auto add = [&](PyObject* extent) {
        int64_t value;
        if (!read_int(extent, value) || value < 0 || value > kMost) return false;
        shape.push_back(value);
        elements *= std::max<int64_t>(value, 1);
        return elements <= kMost;
    };
    if (!object) return false;
    if (!PyTuple_CheckExact(object)) return add(object);
    if (PyTuple_GET_SIZE(object) > 8) return false;
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(object); ++i)
        if (!add(PyTuple_GET_ITEM(object, i))) return false;
    return true;
}

bool read_dtype(PyObject* object, DType& dtype) {
    if (!object) return true;
    try {
        dtype = to_dtype(object, dtype);
        return true;
    } catch (const ExceptionIsSet&) { PyErr_Clear(); } catch (const Error&) {
    }
    return false;
}

bool read_float(PyObject* object, double& number) {
    int64_t integer;
    if (PyFloat_CheckExact(object)) {
        number = PyFloat_AS_DOUBLE(object);
        return true;
    }
    if (is_number(object) && dtype_of_number(object) == DType::float64) {
        std::memcpy(&number, element_of_number(object), sizeof number);
        return true;
    }
    if (!read_int(object, integer)) return false;
    number = double(integer);
    return int64_t(number) == integer;
}

bool is_direct(Device device) { return is_on_host(device) && backend(device).front().direct(); }

namespace {

/// The numbers in nested lists and tuples of one shape.
class NumberReader {
 public:
    static constexpr int64_t kMost = 1 << 20;

    bool read(PyObject* object) { return find_shape(object) && read_list(object, 0); }
    Array array() const {
        const DType dtype = has_bools_ ? DType::bool_ : has_floats_ ? DType::float64 : DType::int64;
        Array result = empty(shape_, dtype, current_device());
        char* const to = direct_data(result);
        if (!to) return {};
        for (int64_t i = 0; i < count_; ++i) {
            const Number& number = numbers_[size_t(i)];
            const double real = number.is_float ? number.real : double(number.integer);
            if (has_bools_)
                to[i] = number.integer != 0;
            else
                std::memcpy(to + i * 8, has_floats_ ? static_cast<const void*>(&real) : &number.integer, 8);
        }
        return result;
    }

 private:
    bool find_shape(PyObject* object) {
        constexpr int kDeepest = 4;
        int64_t total = 1;
        for (; is_list(object); object = entry_of(object, 0)) {
            const Py_ssize_t n = length_of(object);
            if (n == 0 || shape_.size() == kDeepest || (total *= n) > kMost) return false;
            shape_.push_back(n);
        }
        numbers_.resize(size_t(total));
        return shape_.size() > 0;
    }

    bool read_list(PyObject* list, int axis) {
        if (!is_list(list) || length_of(list) != shape_[axis]) return false;
        for (Py_ssize_t i = 0; i < shape_[axis]; ++i)
            if (!(axis + 1 < shape_.size() ? read_list(entry_of(list, i), axis + 1) : read_number(entry_of(list, i))))
                return false;
        return true;
    }

    bool read_number(PyObject* object) {
        Number& number = numbers_[size_t(count_++)];
        number.is_float = false;
        if (PyBool_Check(object)) {
            has_bools_ = true;
            number.integer = object == Py_True;
            return !has_others_;
        }
        has_others_ = true;
        if (PyFloat_CheckExact(object)) {
            number.is_float = has_floats_ = true;
            number.real = PyFloat_AS_DOUBLE(object);
        } else if (is_number(object)) {
            const Scalar& scalar = scalar_of_number(object);
            if (scalar.dtype != DType::float64 && scalar.dtype != DType::int64) return false;
            number.is_float = scalar.dtype == DType::float64;
            has_floats_ |= number.is_float;
            std::memcpy(number.is_float ? static_cast<void*>(&number.real) : &number.integer, scalar.bytes, 8);
        } else if (!read_int(object, number.integer)) {
            return false;
        }
        return !has_bools_;
    }

    struct Number {
        bool is_float;
        double real;
        int64_t integer;
    };
    Dims shape_;
    int64_t count_ = 0;
    bool has_bools_ = false, has_floats_ = false, has_others_ = false;
    std::vector<Number> numbers_;
};

}  // namespace

Array read_numbers(PyObject* object) {
    if (!is_list(object)) return {};
    if (!is_direct(current_device())) return {};
    NumberReader reader;
    return reader.read(object) ? reader.array() : Array();
}

}  // namespace cuarray::python
