// lapack_routine.h -- routines of LAPACK for stacks of matrices, by a GPU's library.
#pragma once
#include <vector>
#include "cuarray/array/array.h"
#include "cuarray/runtime/task.h"

namespace cuarray {

/// What a routine takes. Arrays hold matrices by columns: the last axis runs down a column.
struct LapackInputs {
    Array matrix;        ///< (..., columns, rows), with elements; converted to `dtype`, float32, float64 or complex
    Array numbers = {};  ///< Getrs: pivots; Orgqr: factors of reflectors
    Array right = {};    ///< Getrs: (..., solved, rows) or (..., rows); a stack, or one matrix for all of it
    int64_t solved = 1;
    bool lower = true;
    LapackRoutine::VectorSet vectors = LapackRoutine::VectorSet::None;
};

/// New arrays: what a routine leaves in the matrix (Getrs: the solutions; Gesvd, Geev: nothing), the numbers that it
/// computes, the singular or right eigenvectors asked for, and one int32 for each matrix: 0, or where it failed.
/// NotImplementedError on `cpu`, and where the library is not installed.
CUARRAY_API std::vector<Array> lapack_routine(LapackRoutine::Kind kind, const LapackInputs& inputs, DType dtype,
                                              const char* name);

}  // namespace cuarray
