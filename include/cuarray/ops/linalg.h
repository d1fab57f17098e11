// linalg.h -- linear equations, factorisations and norms of matrices and of stacks of them, as numpy.linalg.
//
// Matrices are the last two axes. On cpu all is computed by LAPACK in double precision and rounded to the type of the
// argument, as in NumPy; on a GPU in the argument's type by the vendor's library. Integers and bools become float64.
// ErrorKind::LinAlg if a matrix is not square where it must be, is singular, or an iteration does not converge;
// ErrorKind::Type for float16 and bfloat16; ErrorKind::NotImplemented without a library.
#pragma once
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include "cuarray/array/array.h"
#include "cuarray/ops/arguments.h"

namespace cuarray::linalg {

struct SlogdetResult {
    Array sign, logabsdet;
};
struct EigResult {
    Array eigenvalues, eigenvectors;
};
struct EighResult {
    Array eigenvalues, eigenvectors;
};
struct LstsqResult {
    Array x, residuals, rank, s;
};
struct QRResult {
    Array Q, R;
};
struct SVDResult {
    Array U, S, Vh;
};

/// The triangle of a symmetric or Hermitian matrix that is read.
enum class Triangle : uint8_t { Lower, Upper };
/// Q has min(m, n) columns, or m; or only R; or what LAPACK computes: reflectors, transposed, and their factors.
enum class QRMode : uint8_t { Reduced, Complete, R, Raw };

/// The determinants; exact for small matrices of small integers, and 0 for singular ones.
CUARRAY_API Array det(const Array& a);
/// Their signs, and the logarithms of their absolute values.
CUARRAY_API SlogdetResult slogdet(const Array& a);
CUARRAY_API Array inv(const Array& a);
/// x of a @ x = b. One right side, if `b` has one axis; else its columns are right sides, and stacks broadcast.
CUARRAY_API Array solve(const Array& a, const Array& b);
/// The shortest x for which a @ x - b is shortest, for one right side or columns of them; the squared lengths of what
/// is left, none of them unless `a` has more rows than columns and full rank; the rank, and the singular values. Of
/// these, the ones up to `rcond` times the largest count as zero; by default, the machine epsilon of the computation
/// times max(m, n), and that epsilon if `rcond` is negative. For the rank the host waits.
CUARRAY_API LstsqResult lstsq(const Array& a, const Array& b, std::optional<double> rcond = {});
/// The lower triangle L of a = L @ L.mT.conj(), or the upper one U of a = U.mT.conj() @ U; only that triangle is read.
CUARRAY_API Array cholesky(const Array& a, bool upper = false);

/// Eigenvalues, complex and in no order, and eigenvectors as columns.
CUARRAY_API EigResult eig(const Array& a);
CUARRAY_API Array eigvals(const Array& a);
/// Those of symmetric or Hermitian matrices: real and ascending.
CUARRAY_API EighResult eigh(const Array& a, Triangle UPLO = Triangle::Lower);
CUARRAY_API Array eigvalsh(const Array& a, Triangle UPLO = Triangle::Lower);

/// Orthonormal columns Q and an upper triangle R with Q @ R = a. For QRMode::R without Q; for QRMode::Raw the factors
/// of the reflectors are Q, and the reflectors R.
CUARRAY_API QRResult qr(const Array& a, QRMode mode = QRMode::Reduced);
/// Singular values in descending order, and vectors: columns of U, rows of Vh. Of Hermitian matrices the lower triangle
/// is read.
CUARRAY_API SVDResult svd(const Array& a, bool full_matrices = true, bool hermitian = false);
CUARRAY_API Array svdvals(const Array& a, bool hermitian = false);

/// The order of a norm: a number, or a word for matrices ("fro", "nuc"); by default the square root of the sum of
/// squares.
struct NormOrder {
    enum class Kind : uint8_t { Default, Number, Word, Complex, NoNumber };
    Kind kind = Kind::Default;
    double number = 0;
    std::string text = {};  ///< the word; of others what an error message shows

    NormOrder() = default;
    template <class Number>
        requires std::is_arithmetic_v<Number>
    NormOrder(Number order) : kind(Kind::Number), number(double(order)) {}
    NormOrder(const char* word) : kind(Kind::Word), text(word) {}
};

/// The norm of a vector or a matrix in one or two axes, by default in all; or of all elements. Real, in the precision
/// of the argument; float16 and bfloat16 are computed in float32. Value if there is no norm of that order.
CUARRAY_API Array norm(const Array& x, const NormOrder& ord = {}, const OptionalAxes& axis = {}, bool keepdims = false);
/// The norms of the vectors in these axes, or in all.
CUARRAY_API Array vector_norm(const Array& x, const OptionalAxes& axis = {}, bool keepdims = false,
                              const NormOrder& ord = 2);
/// The norms of matrices.
CUARRAY_API Array matrix_norm(const Array& x, bool keepdims = false, const NormOrder& ord = "fro");

/// The product of matrices, multiplied in the order that needs the fewest multiplications. The first may be a vector, a
/// row, and the last one, a column, whose axis the result does not have. `out` has the type of the result.
CUARRAY_API Array multi_dot(const ArrayList& arrays, Array* out = nullptr);

}  // namespace cuarray::linalg
