// few_rows.h -- elements of a small array, or rows of one, by few positions: read and written by the caller, without a
// task.
#pragma once
#include <cstring>
#include <type_traits>
#include "cuarray/array/array.h"
#include "cuarray/array/elements.h"
#include "cuarray/ops/indexing.h"

namespace cuarray {

/// The rows, along the first axis, of an array whose memory the host may use now.
class FewRows {
 public:
    static constexpr int64_t kMost = 256;

    /// False where a position is outside, or where this is work for a task.
    bool find(const Array& array, const Array& positions, Outside outside = Outside::Raise) {
        constexpr int64_t kMostBytes = 16 * 1024;
        if (array.ndim() == 0 || array.is_empty() || positions.size() > kMost) return false;
        if (positions.dtype() != DType::int64) return false;
        if (positions.ndim() != 1 && !positions.is_c_contiguous()) return false;
        if (array.ndim() > 1 && (!array.is_c_contiguous() || array.nbytes() > kMostBytes)) return false;
        data_ = direct_data(array);
        const char* const at = data_ ? direct_data(positions) : nullptr;
        if (!at) return false;
        const int64_t extent = array.shape()[0], stride = array.strides()[0];
        const int64_t apart = positions.ndim() == 1 ? positions.strides()[0] : int64_t(sizeof(int64_t));
        count_ = positions.size();
        for (int64_t i = 0; i < count_; ++i) {
            int64_t position;
            std::memcpy(&position, at + i * apart, sizeof position);
            if (outside == Outside::Clip)
                position = std::min(std::max<int64_t>(position, 0), extent - 1);
            else if (outside == Outside::Wrap)
                position %= extent;
            if (position < -extent || position >= extent) return false;
            offsets_[i] = (position < 0 ? position + extent : position) * stride;
        }
        row_ = array.ndim() == 1 ? item_size(array.dtype()) : array.nbytes() / extent;
        return row_ * count_ <= 64 * kMostBytes;
    }
    int64_t count() const { return count_; }

    /// Into a new array; false if the host may not write to it now.
    bool read(const Array& result) const {
        char* const to = direct_data(result);
        if (to) read(to);
        return to;
    }
    void read(char* to) const {
        for_each([&](char* row, int64_t i, auto bytes) { std::memcpy(to + i * bytes, row, size_t(bytes)); });
    }
    /// Copies a vector with an element for each row, which may share their memory; false for other arrays.
    bool read_values(const Array& values, char* to) const {
        const char* const data = values.ndim() == 1 && values.size() == count_ ? direct_data(values) : nullptr;
        if (!data) return false;
        const int64_t item = item_size(values.dtype());
        for (int64_t i = 0; i < count_; ++i) std::memcpy(to + i * item, data + i * values.strides()[0], size_t(item));
        return true;
    }
    /// Row i is that many bytes after row i - 1.
    void write(const char* from, int64_t step) const {
        for_each([&](char* row, int64_t i, auto bytes) { std::memcpy(row, from + i * step, size_t(bytes)); });
    }

 private:
    template <class Visit>
    void for_each(Visit visit) const {
        if (row_ == 8)
            for (int64_t i = 0; i < count_; ++i) visit(data_ + offsets_[i], i, std::integral_constant<int64_t, 8>());
        else
            for (int64_t i = 0; i < count_; ++i) visit(data_ + offsets_[i], i, row_);
    }

    char* data_ = nullptr;
    int64_t count_ = 0, row_ = 0, offsets_[kMost];
};

}  // namespace cuarray
