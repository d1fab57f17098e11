// matrix_equations.h -- what a LapackDriver computes, by addresses: linear equations and factors of matrices.
#pragma once
#include <cstdint>
#include "cuarray/runtime/task.h"

namespace cuarray::host {

/// Equations of each matrix of a stack of square ones. Strides in bytes, from row to row, from column to column, and
/// from one matrix to the next.
struct MatrixEquations {
    using Kind = LapackDriver::Kind;
    struct Matrix {
        const char* data;
        int64_t row, column, apart;
    };
    Kind kind;
    DType dtype;
    bool upper;                 ///< Cholesky
    int64_t stack, n, columns;  ///< columns of b
    Matrix a, b;
    char* result;      ///< contiguous rows
    char* logarithms;  ///< of float64
};

/// Factors of each matrix of a stack, or least squares.
struct MatrixDecomposition {
    using Kind = LapackDriver::Kind;
    using VectorSet = LapackDriver::VectorSet;
    Kind kind;
    DType dtype;
    VectorSet vectors;
    bool lower;  ///< Hermitian: the triangle
    int64_t stack, rows, columns;
    MatrixEquations::Matrix a;
    char *left, *values, *right;  ///< contiguous rows
    MatrixEquations::Matrix b;    ///< LeastSquares, as what follows
    int64_t sides;                ///< columns of b
    double cutoff;
    int64_t* rank;
};

}  // namespace cuarray::host
