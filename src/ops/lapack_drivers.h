// lapack_drivers.h -- makes a LapackDriver of arrays: one axis for stacks, double precision, arrays of results.
#pragma once
#include <initializer_list>
#include "cuarray/array/array.h"
#include "cuarray/array/elements.h"
#include "cuarray/runtime/task.h"

namespace cuarray::linalg {

/// One LapackDriver. Add what it reads and writes, then run it.
class DriverCall {
 public:
    using Kind = LapackDriver::Kind;
    using Stack = LapackDriver::Stack;

    /// `dtype`, float64 or complex128, is the type of the computation; `stack` the shape in front of the matrices, to
    /// which those of `a` broadcast. Arguments outlive the object.
    DriverCall(Kind kind, const Array& a, DType dtype, const Dims& stack, const char* name);
    DriverCall(const DriverCall&) = delete;
    DriverCall& operator=(const DriverCall&) = delete;

    /// Right sides of Solve and LeastSquares, or one of one axis.
    void read_sides(const Array& b) { read(task_.sides, sides_, b); }
    void set_vectors(LapackDriver::VectorSet vectors) { task_.vectors = vectors; }
    void set_lower(bool lower) { task_.lower = lower; }
    void set_cutoff(double cutoff) { task_.cutoff = cutoff; }
    int64_t rank() const { return rank_; }
    /// A new array for a result with these axes after those of the stack.
    Array left(std::initializer_list<int64_t> extents, DType dtype) { return write(task_.left, extents, dtype); }
    Array values(std::initializer_list<int64_t> extents, DType dtype) { return write(task_.values, extents, dtype); }
    Array right(std::initializer_list<int64_t> extents, DType dtype) { return write(task_.right, extents, dtype); }

    /// False if a matrix is singular, not positive definite, or does not converge.
    bool run();

 private:
    /// `keep` holds what had to be converted.
    void read(Stack& to, Array& keep, const Array& matrices);
    Array write(Stack& to, std::initializer_list<int64_t> extents, DType dtype);

    LapackDriver task_;
    DType dtype_;
    Device device_;
    const Dims& stack_;
    Array matrix_, sides_;
    int64_t rank_ = 0;
};

}  // namespace cuarray::linalg
