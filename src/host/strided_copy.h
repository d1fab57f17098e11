// strided_copy.h -- copies of a few elements between a strided layout and contiguous memory.
#pragma once
#include <bit>
#include <cstring>

#include "cuarray/core/layout.h"
#include "host/library.h"

namespace cuarray::host {

/// Elements of a shape that lie `strides` apart, and the same elements one after the other. `copy` copies rectangles.
class StridedElements {
 public:
    StridedElements(const LoopLibrary& library, const Dims& shape, const Dims& strides, int64_t item)
        : copy_(library.copy[std::countr_zero(uint64_t(item))]), shape_(shape), strides_(strides), item_(item) {}

    void gather(char* dense, const char* strided) const {
        for_each_rectangle([&](int64_t from, int64_t to, int64_t rows, int64_t columns, int64_t row, int64_t column) {
            copy_(dense + to, columns * item_, item_, strided + from, row, column, rows, columns);
        });
    }
    void scatter(char* strided, const char* dense) const {
        for_each_rectangle([&](int64_t to, int64_t from, int64_t rows, int64_t columns, int64_t row, int64_t column) {
            copy_(strided + to, row, column, dense + from, columns * item_, item_, rows, columns);
        });
    }

 private:
    /// Calls with the offsets of rectangles of the last two axes.
    template <class Function>
    void for_each_rectangle(Function&& function) const {
        const int ndim = shape_.size();
        const int64_t columns = ndim > 0 ? shape_[ndim - 1] : 1, column = ndim > 0 ? strides_[ndim - 1] : item_;
        const int64_t rows = ndim > 1 ? shape_[ndim - 2] : 1, row = ndim > 1 ? strides_[ndim - 2] : 0;
        int64_t rectangles = 1;
        for (int d = 0; d < ndim - 2; ++d) rectangles *= shape_[d];
        for (int64_t k = 0; k < rectangles; ++k) {
            int64_t offset = 0, rest = k;
            for (int d = ndim - 3; d >= 0; --d) {
                offset += rest % shape_[d] * strides_[d];
                rest /= shape_[d];
            }
            function(offset, k * rows * columns * item_, rows, columns, row, column);
        }
    }

    const CopyLoop copy_;
    const Dims &shape_, &strides_;
    const int64_t item_;
};

}  // namespace cuarray::host
