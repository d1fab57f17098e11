// plain_values.cpp -- reads Python's ints, floats, shapes, dtypes and lists of numbers at once, or leaves them.
#include "bindings/functions/plain_values.h"
#include <algorithm>
#include <cmath>
#include <complex>
#include <cstring>
#include <vector>
#include "cuarray/array/elements.h"
#include "cuarray/runtime/registry.h"

namespace cuarray::python {

bool read_int(PyObject* object, int64_t& value) {
    return read_plain_int(object, value) && value > -(int64_t(1) << 60) && value < int64_t(1) << 60;
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

bool is_numpys(DType dtype) { return info(dtype).typestr[0] != 'V'; }

/// The largest finite number of a floating-point type, or of the parts of a complex one.
double largest_of(DType dtype) {
    const DTypeInfo& type = info(dtype);
    return std::ldexp(2 - std::ldexp(1, 1 - type.bits), (1 << (type.exponent - 1)) - 1);
}

/// The numbers in nested lists and tuples of one shape, as NumPy reads them: integers, doubles or complex ones.
class NumberReader {
 public:
    static constexpr int64_t kMost = 1 << 22;

    bool read(PyObject* object) { return find_shape(object) && read_list(object, 0); }
    bool read_one(PyObject* object) {
        numbers_.resize(1);
        return read_number(object);
    }

    /// The array in the type `wanted`, or in the one common to all numbers; an empty handle where NumPy may raise or
    /// warn.
    Array array(DType wanted) const {
        if (wanted == DType::none) wanted = common_;
        if (!is_numpys(wanted) || !holds_all(wanted)) return {};
        const Kind kind = std::max(info(wanted).kind, kind_);
        if (kind == Kind::Complex)
            return filled<std::complex<double>>(DType::complex128, wanted, [](const Number& n) {
                return std::complex<double>(n.as_real(), n.imaginary);
            });
        if (kind == Kind::Floating && info(wanted).kind != Kind::Signed && info(wanted).kind != Kind::Unsigned)
            return filled<double>(DType::float64, wanted, [](const Number& n) { return n.as_real(); });
        return filled<int64_t>(DType::int64, wanted,
                               [](const Number& n) { return n.is_integer ? n.integer : int64_t(n.real); });
    }

 private:
    struct Number {
        bool is_integer;
        int64_t integer;
        double real, imaginary;
        double as_real() const { return is_integer ? double(integer) : real; }
    };

    template <class T, class Value>
    Array filled(DType dtype, DType wanted, Value value) const {
        Array result = empty(shape_, dtype, current_device());
        char* const to = direct_data(result);
        if (!to) return {};
        for (int64_t i = 0; i < count_; ++i) reinterpret_cast<T*>(to)[i] = value(numbers_[size_t(i)]);
        return dtype == wanted ? result : astype(result, wanted, 'K', false);
    }

    /// Whether each number is one of `dtype`, perhaps rounded.
    bool holds_all(DType dtype) const {
        const DTypeInfo& type = info(dtype);
        if (type.kind == Kind::Bool) return kind_ != Kind::Complex;
        const bool is_integer = type.kind == Kind::Signed || type.kind == Kind::Unsigned;
        if (is_integer ? kind_ == Kind::Complex : type.kind < kind_) return false;
        if (dtype == DType::float64 || dtype == DType::complex128) return true;
        if (dtype == DType::int64 && kind_ < Kind::Floating) return true;
        const double largest = is_integer ? std::ldexp(1, std::min(type.bits, 53)) : largest_of(dtype);
        const auto holds = [&](double part) {
            if (is_integer) return part > -largest && part < largest && (part >= 0 || type.kind == Kind::Signed);
            return std::fabs(part) <= largest || !std::isfinite(part);
        };
        return std::all_of(numbers_.begin(), numbers_.end(),
                           [&](const Number& n) { return holds(n.as_real()) && holds(n.imaginary); });
    }

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
        number = {};
        if (PyFloat_CheckExact(object) || is_numpy_float64(object)) {
            number.real = PyFloat_AS_DOUBLE(object);
            return note(DType::float64, Kind::Floating);
        }
        if (is_number(object)) return read_value(scalar_of_number(object), number);
        if (PyComplex_CheckExact(object)) {
            const Py_complex parts = PyComplex_AsCComplex(object);
            number.real = parts.real, number.imaginary = parts.imag;
            return note(DType::complex128, Kind::Complex);
        }
        number.is_integer = true;
        if (PyBool_Check(object)) {
            number.integer = object == Py_True;
            return note(DType::bool_, Kind::Bool);
        }
        return read_int(object, number.integer) && note(DType::int64, Kind::Signed);
    }

    bool read_value(const Scalar& value, Number& number) {
        const DType dtype = value.dtype;
        const Kind kind = info(dtype).kind;
        if (!is_numpys(dtype)) return false;
        if (kind < Kind::Floating) {
            number.is_integer = true;
            std::memcpy(&number.integer, convert(value, DType::int64).bytes, 8);
            return (dtype != DType::uint64 || number.integer >= 0) && note(dtype, kind);
        }
        const Scalar parts = convert(value, DType::complex128);
        std::memcpy(&number.real, parts.bytes, 8);
        std::memcpy(&number.imaginary, parts.bytes + 8, 8);
        return note(dtype, kind);
    }

    bool note(DType dtype, Kind kind) {
        if (dtype != common_) common_ = common_ == DType::none ? dtype : promote(common_, dtype);
        kind_ = std::max(kind_, kind);
        return true;
    }

    Dims shape_;
    int64_t count_ = 0;
    Kind kind_ = Kind::Bool;  ///< the highest of the numbers
    DType common_ = DType::none;
    std::vector<Number> numbers_;
};

}  // namespace

Array read_number(PyObject* object, DType dtype) {
    NumberReader reader;
    return is_direct(current_device()) && reader.read_one(object) ? reader.array(dtype) : Array();
}

Array read_numbers(PyObject* object, DType dtype) {
    if (!is_list(object) && !PyRange_Check(object)) return {};
    if (!is_direct(current_device())) return {};
    if (PyRange_Check(object)) {
        const Py_ssize_t count = PyObject_Size(object);
        PyErr_Clear();  // more than a Py_ssize_t holds
        if (count < 0 || count > NumberReader::kMost) return {};
        return read_numbers(Object::steal(PySequence_List(object)).get(), dtype);
    }
    NumberReader reader;
    return reader.read(object) ? reader.array(dtype) : Array();
}

}  // namespace cuarray::python
