// each_parameters.h -- arrays of parameters of a few random numbers, one for each.
#pragma once
#include <algorithm>
#include <vector>
#include "bindings/functions/plain_values.h"
#include "ops/element_access.h"

namespace cuarray::python {

/// Parameters of several numbers, as one float64 for each: of numbers, of C-contiguous arrays that the host may read
/// now, NumPy's or ours, and of lists. The arrays have the shape of the result, or its last axes.
class EachParameters {
 public:
    /// Reads the parameters; false for others, or if a size that is not null does not fit.
    bool read(PyObject* const* objects, Py_ssize_t count, PyObject* size, int64_t most) {
        if (count > 3) return false;
        count_ = int(count);
        const Array* first = nullptr;
        for (int k = 0; k < count_; ++k) {
            if (is_ndarray(objects[k]) && array_of(objects[k]).ndim() > 0)
                arrays_[k] = array_of(objects[k]);
            else if (is_list(objects[k]))
                arrays_[k] = read_numbers(objects[k]);
            else if (is_native_numpy(objects[k]))
                arrays_[k] = import_native_numpy(objects[k]);
            else if (!read_float(objects[k], numbers_[k]))
                return false;
            else
                continue;
            if (!is_readable(arrays_[k])) return false;
            if (!first || arrays_[k].ndim() > first->ndim()) first = &arrays_[k];
        }
        if (!first) return false;
        shape_ = first->shape(), device_ = first->device();
        Dims given;
        if (size != Py_None) {
            if (!read_shape(size, given)) return false;
            shape_ = given;
        }
        n_ = 1;
        for (const int64_t extent : shape_) n_ *= std::min(extent, most + 1);
        if (n_ == 0 || n_ > most) return false;
        values_.resize(size_t(count_ * n_));
        for (int k = 0; k < count_; ++k)
            if (!fill(k)) return false;
        return true;
    }
    /// Parameter number k of each element.
    const double* operator[](int k) const { return values_.data() + k * n_; }
    double* operator[](int k) { return values_.data() + k * n_; }
    int count() const { return count_; }
    int64_t size() const { return n_; }
    const Dims& shape() const { return shape_; }
    const Device& device() const { return device_; }
    /// Whether parameter number k is an array of floating-point numbers.
    bool is_floating(int k) const { return arrays_[k].defined() && info(arrays_[k].dtype()).kind == Kind::Floating; }

 private:
    static bool is_readable(const Array& array) {
        return array.defined() && array.ndim() > 0 && is_readable_line(array);
    }
    /// Writes the parameter of each element; false if its shape is not that of the last axes.
    bool fill(int k) {
        double* const to = (*this)[k];
        const Array& from = arrays_[k];
        if (!from.defined()) return std::fill_n(to, n_, numbers_[k]), true;
        const int64_t skipped = int64_t(shape_.size()) - from.ndim(), length = from.size();
        if (skipped < 0 || !(from.device() == device_) ||
            !std::equal(from.shape().begin(), from.shape().end(), shape_.begin() + skipped))
            return false;
        read_as_float64(from, to);
        for (int64_t i = length; i < n_; i += length) std::copy_n(to, length, to + i);
        return true;
    }

    int count_ = 0;
    int64_t n_ = 0;
    Dims shape_;
    Device device_{};
    Array arrays_[3];
    double numbers_[3] = {};
    std::vector<double> values_;
};

}  // namespace cuarray::python
