// lapack_composites.cpp -- factorisations made of LAPACK's routines. By columns, memory by rows is the transposed
// matrix.
#include "ops/lapack_composites.h"
#include <algorithm>
#include <cmath>
#include <cstring>
#include "cuarray/ops/diagonals.h"
#include "cuarray/ops/matmul.h"
#include "cuarray/ops/rearranging.h"
#include "cuarray/ops/reduction.h"
#include "cuarray/ops/shaping.h"
#include "cuarray/ops/triangles.h"

namespace cuarray::linalg {
namespace {

using Routine = LapackRoutine::Kind;
using VectorSet = LapackRoutine::VectorSet;

Scalar number(int64_t value, DType dtype) { return convert(Scalar::of(DType::int64, value), dtype); }

Array by_rows(const Array& x) { return copy(x, 'C'); }
Array conjugate(const Array& x) { return info(x.dtype()).kind == Kind::Complex ? apply_row(row::conj, x) : x; }

ReduceOptions along_last() {
    ReduceOptions options;
    options.all_axes = false, options.axes = {-1};
    return options;
}

int64_t batch_of(const Array& a) { return a.size() / (a.shape()[a.ndim() - 2] * a.shape()[a.ndim() - 1]); }

Dims stack_of(const Array& a, int dropped = 2) {
    return Dims(std::span<const int64_t>(a.shape()).first(size_t(a.ndim() - dropped)));
}

Dims extended(Dims stack, std::initializer_list<int64_t> extents) {
    for (const int64_t extent : extents) stack.push_back(extent);
    return stack;
}

/// The first rows of matrices.
Array first_rows(const Array& a, int64_t count) {
    Layout layout = a.layout();
    layout.shape[a.ndim() - 2] = count;
    return a.view(layout);
}
Array first_columns(const Array& a, int64_t count) {
    Layout layout = a.layout();
    layout.shape[a.ndim() - 1] = count;
    return a.view(layout);
}

/// With an axis of length 1 at that place, counted from the end of the result.
Array expanded(const Array& a, int place) { return expand_dims(a, {place}); }

Array imaginary_part(const Array& a) { return a.view(a.layout(), item_size(a.dtype()) / 2, real_part(a.dtype())); }

Array is_different(const Array& a, int64_t value) {
    const Scalar other = number(value, a.dtype());
    return apply_row(row::not_equal, a, other);
}

/// Numbers divided by their absolute values.
Array signs_of(const Array& numbers, const Array& sizes) {
    if (info(numbers.dtype()).kind == Kind::Complex) return apply_row(row::divide, numbers, sizes);
    const Scalar one = number(1, numbers.dtype());
    return apply_row(row::copysign, one, numbers);
}

/// -1 for an odd number of rows that were exchanged, else 1.
Array parity_of(const Array& pivots, DType dtype) {
    const Scalar two = number(2, DType::int64), one = number(1, dtype), minus = number(-1, dtype);
    const Array places = arange(pivots.shape().back(), number(1, DType::int64), two, pivots.device());
    const Array exchanges = reduce(reduction::sum, apply_row(row::not_equal, pivots, places), along_last());
    const Array is_odd = is_different(apply_row(row::remainder, exchanges, two), 0);
    return apply_row(row::where, is_odd, minus, one);
}

/// Complex eigenvectors of real matrices. LAPACK gives a pair as both parts of the first.
Array vectors_of_pairs(const Array& values, const Array& lines) {
    const Array imaginary = imaginary_part(values);
    const Scalar zero = number(0, lines.dtype()), unit = [&] {
        Scalar one;
        one.dtype = values.dtype();
        const Scalar part = number(1, lines.dtype());
        const size_t half = size_t(item_size(lines.dtype()));
        std::memcpy(one.bytes + half, part.bytes, half);
        return one;
    }();
    const Array is_first = expanded(apply_row(row::greater, imaginary, zero), -1);
    const Array is_second = expanded(apply_row(row::less, imaginary, zero), -1);
    const Array before = roll(lines, {1}, Dims{-2}), after = roll(lines, {-1}, Dims{-2});
    const Array real = apply_row(row::where, is_second, before, lines);
    const Array opposite = apply_row(row::negative, lines);
    const Array second = apply_row(row::where, is_second, opposite, zero);
    const Array part = apply_row(row::where, is_first, after, second);
    const Array product = apply_row(row::multiply, part, unit);
    return apply_row(row::add, real, product);
}

}  // namespace

std::vector<Array> Composites::lapack(Routine kind, const LapackInputs& inputs) const {
    return lapack_routine(kind, inputs, dtype_, name_);
}

void Composites::fail(const char* what) const { raise(ErrorKind::LinAlg, name_, ": ", what); }

void Composites::require_success(const Array& failures, const char* what) const {
    if (item(reduce(reduction::any, failures, {}), name_).bytes[0]) fail(what);
}

Array Composites::identity(int64_t rows, int64_t columns, Device device) const {
    const Array result = full({rows, columns}, number(0, dtype_), device);
    fill(view_of_diagonal(result, 0, 0, 1), number(1, dtype_), name_);
    return result;
}

std::vector<Array> Composites::factors(const Array& a) const {
    std::vector<Array> found = lapack(Routine::Getrf, {a});
    require_success(is_different(found[2], 0), "Singular matrix");
    return found;
}

Array Composites::cholesky(const Array& a, bool upper) const {
    const std::vector<Array> found = lapack(Routine::Potrf, {.matrix = a, .lower = upper});
    require_success(is_different(found[1], 0), "Matrix is not positive definite");
    return upper ? triu(found[0]) : tril(found[0]);
}

Array Composites::inv(const Array& a) const {
    // The inverse of the transposed matrix by columns is that of the matrix by rows.
    const int64_t n = a.shape().back();
    const std::vector<Array> found = factors(a);
    const Array sides = identity(n, n, a.device()).broadcast_to(a.shape());
    return lapack(Routine::Getrs, {.matrix = found[0], .numbers = found[1], .right = sides, .solved = n})[0];
}

Array Composites::solve(const Array& a, const Array& b) const {
    const bool is_vector = b.ndim() == 1;
    const Array lines = is_vector ? b : matrix_transpose(b);
    const Dims own = stack_of(a), other = is_vector ? Dims() : stack_of(b);
    const Dims* const stacks[] = {&own, &other};
    const Dims stack = broadcast(stacks, name_);
    const Array sides =
        lines.broadcast_to(is_vector ? extended(stack, {lines.shape().back()})
                                     : extended(stack, {lines.shape()[lines.ndim() - 2], lines.shape().back()}));
    std::vector<Array> found = factors(matrix_transpose(a));
    if (count(own) != 1) {
        const int64_t n = a.shape().back();
        found[0] = found[0].broadcast_to(extended(stack, {n, n}));
        found[1] = found[1].broadcast_to(extended(stack, {n}));
    }
    const int64_t solved = is_vector ? 1 : b.shape().back();
    const Array x =
        lapack(Routine::Getrs, {.matrix = found[0], .numbers = found[1], .right = sides, .solved = solved})[0];
    return is_vector ? x : by_rows(matrix_transpose(x));
}

SlogdetResult Composites::slogdet(const Array& a) const {
    const std::vector<Array> found = lapack(Routine::Getrf, {a});
    const int axes = a.ndim();
    const Array diagonal = view_of_diagonal(found[0], 0, axes - 2, axes - 1), sizes = apply_row(row::abs, diagonal);
    const Array signs = signs_of(diagonal, sizes), parity = parity_of(found[1], sizes.dtype());
    const Array sign = apply_row(row::multiply, parity, reduce(reduction::prod, signs, along_last()));
    const Array logarithm = reduce(reduction::sum, apply_row(row::log, sizes), along_last());
    const Array is_singular = is_different(found[2], 0);
    const Scalar none = number(0, dtype_), least = convert(Scalar::of(DType::float64, -HUGE_VAL), sizes.dtype());
    return {apply_row(row::where, is_singular, none, sign), apply_row(row::where, is_singular, least, logarithm)};
}

QRResult Composites::qr(const Array& a, QRMode mode) const {
    const int64_t rows = a.shape()[a.ndim() - 2], columns = a.shape().back();
    const std::vector<Array> found = lapack(Routine::Geqrf, {matrix_transpose(a)});
    const Array &reflectors = found[0], &numbers = found[1];
    if (mode == QRMode::Raw) return {numbers, reflectors};
    const int64_t count = mode == QRMode::Complete ? rows : std::min(rows, columns);
    const Array R = triu(by_rows(first_rows(matrix_transpose(reflectors), count)));
    if (mode == QRMode::R) return {{}, R};
    if (batch_of(a) > 1) return {product_of_reflectors(reflectors, numbers, count), R};
    Array lines = first_rows(reflectors, std::min(count, columns));
    if (count > columns) {
        const Array wide = full(extended(stack_of(a), {count, rows}), number(0, dtype_), a.device());
        assign(first_rows(wide, columns), lines, name_);
        lines = wide;
    }
    return {by_rows(matrix_transpose(lapack(Routine::Orgqr, {.matrix = lines, .numbers = numbers})[0])), R};
}

/// The first columns of Q for a whole stack, for which cuSOLVER has no routine.
///
/// Q = I - V T V^H, where T is the inverse of an upper triangle: that of V^H V with 1 / factors on its diagonal (the UT
/// transform: Joffrain et al., Accumulating Householder transformations, revisited, ACM TOMS 32, 2006).
Array Composites::product_of_reflectors(const Array& reflectors, const Array& numbers, int64_t count) const {
    const int64_t rows = reflectors.shape().back(), columns = numbers.shape().back();
    const Device device = numbers.device();
    const Scalar zero = number(0, dtype_), one = number(1, dtype_);
    const Array is_used = is_different(numbers, 0);  // otherwise the reflector is the identity
    const Array below = tril(first_columns(matrix_transpose(reflectors), columns), -1);
    const Array all = apply_row(row::add, below, identity(rows, columns, device));
    const Array vectors = apply_row(row::where, expanded(is_used, -2), all, zero);
    const Array products = triu(matmul(conjugate(matrix_transpose(vectors)), vectors), 1);
    const Array inverse = apply_row(row::divide, one, apply_row(row::where, is_used, numbers, one));
    const Array diagonal = apply_row(row::where, is_used, inverse, one);
    const Array on_diagonal = apply_row(row::multiply, expanded(diagonal, -1), identity(columns, columns, device));
    const std::vector<Array> lower =
        lapack(Routine::Getrf, {matrix_transpose(apply_row(row::add, products, on_diagonal))});
    const Array sides = first_rows(conjugate(vectors), count);
    const Array solved =
        lapack(Routine::Getrs, {.matrix = lower[0], .numbers = lower[1], .right = sides, .solved = count})[0];
    return apply_row(row::subtract, identity(rows, count, device), matmul(vectors, matrix_transpose(solved)));
}

EighResult Composites::eigh(const Array& a, bool lower, bool with_vectors) const {
    const std::vector<Array> found = lapack(
        Routine::Syevd,
        {.matrix = matrix_transpose(a), .lower = lower, .vectors = with_vectors ? VectorSet::Full : VectorSet::None});
    require_success(is_different(found[2], 0), "Eigenvalues did not converge");
    return {found[1], with_vectors ? by_rows(matrix_transpose(found[0])) : Array()};
}

EigResult Composites::eig(const Array& a, bool with_vectors) const {
    require_success(apply_row(row::logical_not, apply_row(row::isfinite, a)), "Array must not contain infs or NaNs");
    const std::vector<Array> found = lapack(
        Routine::Geev, {.matrix = matrix_transpose(a), .vectors = with_vectors ? VectorSet::Full : VectorSet::None});
    require_success(is_different(found.back(), 0), "Eigenvalues did not converge");
    const Array& values = found[0];
    if (!with_vectors) return {values, {}};
    const Array lines = info(dtype_).kind == Kind::Complex ? found[1] : vectors_of_pairs(values, found[1]);
    return {values, by_rows(matrix_transpose(lines))};
}

SVDResult Composites::svd(const Array& a, bool full_matrices, bool with_vectors) const {
    // The routine wants no fewer rows than columns: others are transposed.
    const bool is_tall = a.shape()[a.ndim() - 2] >= a.shape().back();
    const VectorSet vectors = !with_vectors ? VectorSet::None : full_matrices ? VectorSet::Full : VectorSet::Reduced;
    const std::vector<Array> found =
        lapack(Routine::Gesvd, {.matrix = is_tall ? matrix_transpose(a) : a, .vectors = vectors});
    const Array& values = found[0];
    // Without vectors cuSOLVER reports success for a matrix with NaN.
    const Array is_nan = reduce(reduction::any, apply_row(row::isnan, values), along_last());
    require_success(apply_row(row::logical_or, is_different(found.back(), 0), is_nan), "SVD did not converge");
    if (!with_vectors) return {{}, values, {}};
    if (is_tall) return {by_rows(matrix_transpose(found[1])), values, by_rows(matrix_transpose(found[2]))};
    return {found[2], values, found[1]};
}

}  // namespace cuarray::linalg
