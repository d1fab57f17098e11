// random_fills.h -- numbers that no method of NumPy's has to draw: the functions of NumPy's library fill our memory
// with what its methods would return, and leave their state; those of a PCG64 are drawn by threads, and on GPUs.
#pragma once
#include "bindings/random/random_source.h"
#include "cuarray/core/dtype.h"

namespace cuarray::python {

// Each returns an array of the shape that `size` says, or a value if that is None; null, and nothing is drawn, for what
// is left to NumPy's method: arrays of parameters, a size that is no plain one, and parameters out of their domain.

/// The row of a method such as "Generator.normal", by the function of one number; -1 where there is none.
int find_distribution(const char* method);
PyObject* fill_with_distribution(const RandomSource& source, int row, PyObject* const* parameters, PyObject* size);

/// The row of a method that fills memory, without parameters or with a shape; -1 where there is none.
int find_standard_fill(const char* method);
PyObject* fill_with_standard(const RandomSource& source, int row, DType dtype, PyObject* size,
                             PyObject* shape = nullptr);

/// Rows of shares of `alpha` as Generator.dirichlet draws them, where a GPU draws them: all of one shape, from 0.1 on.
PyObject* fill_with_shares(const RandomSource& source, PyObject* alpha, PyObject* size);

/// Integers of a range, which Generator rejects by Lemire's method, and RandomState by masks of bits.
struct DrawnIntegers {
    DType dtype;
    uint64_t first, width;
    bool is_masked;
    bool is_pythons;  ///< whether NumPy gives one number as Python's
};
PyObject* fill_with_integers(const RandomSource& source, const DrawnIntegers& range, PyObject* size);

}  // namespace cuarray::python
