// linalg.cpp -- linear equations and factorisations: checks, empty matrices, and who computes: drivers of LAPACK on the
// host, its single routines on a GPU.
#include "cuarray/ops/linalg.h"
#include <algorithm>
#include <cstring>
#include "cuarray/array/elements.h"
#include "cuarray/ops/diagonals.h"
#include "cuarray/ops/matmul.h"
#include "cuarray/ops/reduction.h"
#include "cuarray/ops/selection.h"
#include "cuarray/ops/shaping.h"
#include "cuarray/ops/sort.h"
#include "cuarray/runtime/backend.h"
#include "ops/lapack_composites.h"
#include "ops/lapack_drivers.h"
#include "ops/singular_values.h"

namespace cuarray::linalg {
namespace {

using Driver = LapackDriver::Kind;
using VectorSet = LapackRoutine::VectorSet;

double machine_epsilon(DType real) { return real == DType::float32 ? 0x1p-23 : 0x1p-52; }
DType complex_type(DType dtype) { return item_size(real_part(dtype)) == 4 ? DType::complex64 : DType::complex128; }
bool is_complex_type(DType dtype) { return info(dtype).kind == Kind::Complex; }
bool is_single(DType dtype) { return dtype == DType::float32 || dtype == DType::complex64; }

/// The matrices of one call: their extents, and the types of the computation.
struct MatrixArgument {
    const Array& a;
    const char* name;
    Dims stack;
    int64_t rows, columns;
    DType dtype;     ///< of results that may be complex
    bool is_driven;  ///< by drivers

    DType real() const { return real_part(dtype); }
    /// The type in which the host computes.
    DType wide() const { return is_complex_type(dtype) ? DType::complex128 : DType::float64; }
    int64_t few() const { return std::min(rows, columns); }
    bool are_empty() const { return a.is_empty(); }
    Composites composites() const { return {dtype, name}; }
    DriverCall driver(Driver kind) const { return {kind, a, wide(), stack, name}; }

    Dims shape(std::initializer_list<int64_t> extents) const {
        Dims result = stack;
        for (const int64_t extent : extents) result.push_back(extent);
        return result;
    }
    Array zeros(std::initializer_list<int64_t> extents, DType of) const { return numbers(extents, 0, of); }
    Array numbers(std::initializer_list<int64_t> extents, int64_t value, DType of) const {
        return full(shape(extents), convert(Scalar::of(DType::int64, value), of), a.device());
    }
    Array identities(int64_t n) const {
        const Array result = zeros({n, n}, dtype);
        fill(view_of_diagonal(result, 0, result.ndim() - 2, result.ndim() - 1),
             convert(Scalar::of(DType::int64, int64_t(1)), dtype), name);
        return result;
    }
    /// A result of the host in the precision of the argument.
    Array rounded(Array&& wide) const {
        if (!wide.defined() || !is_single(dtype)) return std::move(wide);
        return astype(wide, is_complex_type(wide.dtype()) ? DType::complex64 : DType::float32, 'K', false);
    }
    [[noreturn]] void fail(const char* what) const {
        raise(ErrorKind::LinAlg, name, ": ", what, " (shape ", to_string(a.shape()), ")");
    }
    /// The result of work() on a GPU, whose errors get the shape.
    template <class Work>
    auto on_gpu(Work work) const {
        try {
            return work(composites());
        } catch (const Error& error) {
            if (error.kind() != ErrorKind::LinAlg) throw;
            raise(ErrorKind::LinAlg, error.what(), " (shape ", to_string(a.shape()), ")");
        }
    }
};

void require_supported(const Array& array, const char* name) {
    if (info(array.dtype()).kind == Kind::Floating && item_size(array.dtype()) < 4)
        raise(ErrorKind::Type, name, ": there are no factorisations in ", info(array.dtype()).name,
              "; write x.astype('float32')");
}

void require_matrices(const Array& a, bool are_square, const char* name) {
    if (a.ndim() < 2) raise(ErrorKind::LinAlg, name, ": a matrix has two axes, and the array has ", a.ndim());
    const int64_t rows = a.shape()[a.ndim() - 2], columns = a.shape().back();
    if (are_square && rows != columns)
        raise(ErrorKind::LinAlg, name, ": the matrix must be square, and it is ", rows, " by ", columns);
}

DType common_type(std::initializer_list<DType> dtypes) {
    const bool are_single = std::ranges::all_of(dtypes, is_single);
    if (std::ranges::any_of(dtypes, is_complex_type)) return are_single ? DType::complex64 : DType::complex128;
    return are_single ? DType::float32 : DType::float64;
}

MatrixArgument matrices_of(const Array& a, bool are_square, const char* name) {
    require_matrices(a, are_square, name);
    require_supported(a, name);
    return {a,
            name,
            Dims(std::span<const int64_t>(a.shape()).first(size_t(a.ndim() - 2))),
            a.shape()[a.ndim() - 2],
            a.shape().back(),
            common_type({a.dtype()}),
            a.storage().front().has_lapack_drivers()};
}

SlogdetResult signs_and_logarithms(const MatrixArgument& m) {
    if (m.are_empty()) return {m.numbers({}, 1, m.dtype), m.zeros({}, m.real())};
    if (!m.is_driven) return m.on_gpu([&](const Composites& gpu) { return gpu.slogdet(m.a); });
    DriverCall driver = m.driver(Driver::LogDeterminant);
    Array signs = driver.left({}, m.wide()), logarithms = driver.values({}, DType::float64);
    driver.run();
    return {m.rounded(std::move(signs)), m.rounded(std::move(logarithms))};
}

EighResult hermitian_factors(const MatrixArgument& m, bool lower, bool with_vectors) {
    if (m.are_empty()) return {m.zeros({m.rows}, m.real()), m.zeros({m.rows, m.rows}, m.dtype)};
    if (!m.is_driven) return m.on_gpu([&](const Composites& gpu) { return gpu.eigh(m.a, lower, with_vectors); });
    DriverCall driver = m.driver(Driver::Hermitian);
    driver.set_lower(lower);
    driver.set_vectors(with_vectors ? VectorSet::Full : VectorSet::None);
    Array values = driver.values({m.rows}, DType::float64);
    Array vectors = with_vectors ? driver.left({m.rows, m.rows}, m.wide()) : Array();
    if (!driver.run()) m.fail("Eigenvalues did not converge");
    return {m.rounded(std::move(values)), m.rounded(std::move(vectors))};
}

EigResult general_factors(const MatrixArgument& m, bool with_vectors) {
    const DType complex = complex_type(m.dtype);
    if (m.are_empty()) return {m.zeros({m.rows}, complex), m.zeros({m.rows, m.rows}, complex)};
    if (!m.is_driven) return m.on_gpu([&](const Composites& gpu) { return gpu.eig(m.a, with_vectors); });
    DriverCall driver = m.driver(Driver::General);
    driver.set_vectors(with_vectors ? VectorSet::Full : VectorSet::None);
    Array values = driver.values({m.rows}, DType::complex128);
    Array vectors = with_vectors ? driver.left({m.rows, m.rows}, DType::complex128) : Array();
    if (!driver.run()) {
        const bool are_finite = item(reduce(reduction::all, apply_row(row::isfinite, m.a), {}), m.name).bytes[0];
        m.fail(are_finite ? "Eigenvalues did not converge" : "Array must not contain infs or NaNs");
    }
    return {m.rounded(std::move(values)), m.rounded(std::move(vectors))};
}

SVDResult singular_factors(const MatrixArgument& m, bool is_full, bool with_vectors) {
    const int64_t few = m.few(), lefts = is_full ? m.rows : few, rights = is_full ? m.columns : few;
    if (m.are_empty())
        return {is_full ? m.identities(m.rows) : m.zeros({m.rows, few}, m.dtype), m.zeros({few}, m.real()),
                is_full ? m.identities(m.columns) : m.zeros({few, m.columns}, m.dtype)};
    if (!m.is_driven) return m.on_gpu([&](const Composites& gpu) { return gpu.svd(m.a, is_full, with_vectors); });
    DriverCall driver = m.driver(Driver::Singular);
    driver.set_vectors(!with_vectors ? VectorSet::None : is_full ? VectorSet::Full : VectorSet::Reduced);
    Array values = driver.values({few}, DType::float64);
    Array left = with_vectors ? driver.left({m.rows, lefts}, m.wide()) : Array();
    Array right = with_vectors ? driver.right({rights, m.columns}, m.wide()) : Array();
    if (!driver.run()) m.fail("SVD did not converge");
    return {m.rounded(std::move(left)), m.rounded(std::move(values)), m.rounded(std::move(right))};
}

/// By way of eigenvalues, whose signs go to the right vectors; the vectors of a zero keep theirs, so that all have
/// length 1.
SVDResult hermitian_singular_factors(const MatrixArgument& m, bool with_vectors) {
    const EighResult found = hermitian_factors(m, true, with_vectors);
    const Array sizes = apply_row(row::abs, found.eigenvalues);
    const int last = sizes.ndim() - 1;
    const Array order = copy(flip(argsort(sizes, last), Dims{last}), 'C');
    const Array values = take_along_axis(sizes, order, last);
    if (!with_vectors) return {{}, values, {}};
    const Array left = take_along_axis(found.eigenvectors, expand_dims(order, {-2}), last + 1);
    const Scalar one = Scalar::of(found.eigenvalues.dtype(), 1.0);
    const Array signs = apply_row(row::copysign, one, take_along_axis(found.eigenvalues, order, last));
    const Array turned = apply_row(row::multiply, left, expand_dims(signs, {-2}));
    const Array right = is_complex_type(turned.dtype()) ? apply_row(row::conj, turned) : turned;
    return {left, values, matrix_transpose(right)};
}

SVDResult decompose(const Array& a, bool is_full, bool with_vectors, bool hermitian, const char* name) {
    const MatrixArgument m = matrices_of(a, hermitian, name);
    return hermitian ? hermitian_singular_factors(m, with_vectors) : singular_factors(m, is_full, with_vectors);
}

/// Least squares through singular values, for devices without drivers.
LstsqResult least_squares(const MatrixArgument& m, const Array& sides, std::optional<double> rcond) {
    const Array a = astype(m.a, m.dtype, 'K', false), b = astype(sides, m.dtype, 'K', false);
    const SVDResult found = singular_factors({a, m.name, {}, m.rows, m.columns, m.dtype, m.is_driven}, false, true);
    const double epsilon = machine_epsilon(m.real());
    const double part = !rcond ? epsilon * double(std::max(m.rows, m.columns)) : *rcond < 0 ? epsilon : *rcond;
    const auto number = [&](double value) { return convert(Scalar::of(DType::float64, value), m.real()); };
    const Scalar scale = number(part), zero = number(0), one = number(1);
    Layout first = found.S.layout();
    first.shape[0] = std::min<int64_t>(1, m.few());
    const Array largest = found.S.view(first);
    const Array is_kept = apply_row(row::greater, found.S, apply_row(row::multiply, largest, scale));
    const Array inverses = apply_row(row::where, is_kept, apply_row(row::divide, one, found.S), zero);
    const auto adjoint = [](const Array& x) {
        const Array turned = matrix_transpose(x);
        return is_complex_type(x.dtype()) ? apply_row(row::conj, turned) : turned;
    };
    const Array parts = apply_row(row::multiply, matmul(adjoint(found.U), b), expand_dims(inverses, {-1}));
    const Array x = matmul(adjoint(found.Vh), parts);
    const Array rank = astype(reduce(reduction::sum, is_kept, {}), DType::int32, 'K', false);
    const Array rest = apply_row(row::abs, apply_row(row::subtract, b, matmul(a, x)));
    ReduceOptions down;
    down.all_axes = false, down.axes = {0};
    return {x, reduce(reduction::sum, apply_row(row::square, rest), down), rank, found.S};
}

}  // namespace

Array det(const Array& a) {
    const MatrixArgument m = matrices_of(a, true, "det");
    if (m.are_empty()) return m.numbers({}, 1, m.dtype);
    if (!m.is_driven) {
        const SlogdetResult found = signs_and_logarithms(m);
        return apply_row(row::multiply, found.sign, apply_row(row::exp, found.logabsdet));
    }
    DriverCall driver = m.driver(Driver::Determinant);
    Array result = driver.left({}, m.wide());
    driver.run();
    return m.rounded(std::move(result));
}

SlogdetResult slogdet(const Array& a) { return signs_and_logarithms(matrices_of(a, true, "slogdet")); }

Array inv(const Array& a) {
    const MatrixArgument m = matrices_of(a, true, "inv");
    if (m.are_empty()) return m.zeros({m.rows, m.rows}, m.dtype);
    if (!m.is_driven) return m.on_gpu([&](const Composites& gpu) { return gpu.inv(a); });
    DriverCall driver = m.driver(Driver::Invert);
    Array result = driver.left({m.rows, m.rows}, m.wide());
    if (!driver.run()) m.fail("Singular matrix");
    return m.rounded(std::move(result));
}

Array solve(const Array& a, const Array& b) {
    require_matrices(a, true, "solve");
    if (b.ndim() == 0) raise(ErrorKind::Value, "solve: the right side has no axis");
    const bool is_vector = b.ndim() == 1;
    const int64_t length = b.shape()[b.ndim() - (is_vector ? 1 : 2)];
    if (length != a.shape().back())
        raise(ErrorKind::Value, "solve: ", a.shape().back(), " equations, but ", length,
              " numbers on the right side of shape ", to_string(b.shape()));
    MatrixArgument m = matrices_of(a, true, "solve");
    require_supported(b, "solve");
    if (b.ndim() > 2) {
        const Dims own = m.stack, other(std::span<const int64_t>(b.shape()).first(size_t(b.ndim() - 2)));
        const Dims* const stacks[] = {&own, &other};
        try {
            m.stack = broadcast(stacks, "solve");
        } catch (const Error&) {
            raise(ErrorKind::Value, "solve: the stacks of shapes ", to_string(a.shape()), " and ", to_string(b.shape()),
                  " cannot be broadcast together");
        }
    }
    m.dtype = common_type({a.dtype(), b.dtype()});
    const int64_t columns = is_vector ? 1 : b.shape().back();
    if (a.is_empty() || columns == 0 || count(m.stack) == 0)
        return is_vector ? m.zeros({m.rows}, m.dtype) : m.zeros({m.rows, columns}, m.dtype);
    if (!m.is_driven) return m.on_gpu([&](const Composites& gpu) { return gpu.solve(a, b); });
    DriverCall driver = m.driver(Driver::Solve);
    driver.read_sides(b);
    Array result = is_vector ? driver.left({m.rows}, m.wide()) : driver.left({m.rows, columns}, m.wide());
    if (!driver.run()) m.fail("Singular matrix");
    return m.rounded(std::move(result));
}

LstsqResult lstsq(const Array& a, const Array& b, std::optional<double> rcond) {
    if (a.ndim() != 2 || b.ndim() < 1 || b.ndim() > 2)
        raise(ErrorKind::LinAlg, "lstsq: a matrix and one or two axes of right sides are needed, not ", a.ndim(),
              " and ", b.ndim(), " axes");
    if (a.shape()[0] != b.shape()[0])
        raise(ErrorKind::LinAlg, "lstsq: ", a.shape()[0], " equations, but ", b.shape()[0], " rows on the right side");
    MatrixArgument m = matrices_of(a, false, "lstsq");
    require_supported(b, "lstsq");
    m.dtype = common_type({a.dtype(), b.dtype()});
    const bool is_vector = b.ndim() == 1;
    const int64_t sides = is_vector ? 1 : b.shape()[1];
    LstsqResult result;
    int64_t rank = 0;
    if (m.rows == 0 || !m.is_driven) {
        result = least_squares(m, is_vector ? expand_dims(b, {-1}) : b, rcond);
        std::memcpy(&rank, convert(item(result.rank, m.name), DType::int64).bytes, sizeof rank);
    } else {
        // Without right sides LAPACK computes one of zeros, for the rank.
        const Array none = sides == 0 ? m.zeros({m.rows, 1}, m.dtype) : Array();
        const int64_t solved = std::max<int64_t>(sides, 1);
        DriverCall driver = m.driver(Driver::LeastSquares);
        driver.read_sides(sides == 0 ? none : b);
        driver.set_cutoff(rcond.value_or(machine_epsilon(DType::float64) * double(std::max(m.rows, m.columns))));
        Array x = driver.left({m.columns, solved}, m.wide()), s = driver.values({m.few()}, DType::float64);
        Array residuals = driver.right({solved}, DType::float64);
        if (!driver.run()) m.fail("SVD did not converge in Linear Least Squares");
        rank = driver.rank();
        if (sides == 0) x = m.zeros({m.columns, 0}, m.dtype), residuals = m.zeros({0}, m.real());
        result = {m.rounded(std::move(x)), m.rounded(std::move(residuals)),
                  full({}, convert(Scalar::of(DType::int64, rank), DType::int32), a.device()), m.rounded(std::move(s))};
    }
    if (is_vector) result.x = result.x.reshape({m.columns});
    if (m.rows <= m.columns || rank != m.columns) result.residuals = m.zeros({0}, m.real());
    return result;
}

Array cholesky(const Array& a, bool upper) {
    const MatrixArgument m = matrices_of(a, true, "cholesky");
    if (m.are_empty()) return m.zeros({m.rows, m.rows}, m.dtype);
    if (!m.is_driven) return m.on_gpu([&](const Composites& gpu) { return gpu.cholesky(a, upper); });
    DriverCall driver = m.driver(Driver::Cholesky);
    driver.set_lower(!upper);
    Array result = driver.left({m.rows, m.rows}, m.wide());
    if (!driver.run()) m.fail("Matrix is not positive definite");
    return m.rounded(std::move(result));
}

EigResult eig(const Array& a) { return general_factors(matrices_of(a, true, "eig"), true); }

Array eigvals(const Array& a) { return general_factors(matrices_of(a, true, "eigvals"), false).eigenvalues; }

EighResult eigh(const Array& a, Triangle UPLO) {
    return hermitian_factors(matrices_of(a, true, "eigh"), UPLO == Triangle::Lower, true);
}

Array eigvalsh(const Array& a, Triangle UPLO) {
    return hermitian_factors(matrices_of(a, true, "eigvalsh"), UPLO == Triangle::Lower, false).eigenvalues;
}

QRResult qr(const Array& a, QRMode mode) {
    const MatrixArgument m = matrices_of(a, false, "qr");
    const bool is_raw = mode == QRMode::Raw, is_complete = mode == QRMode::Complete;
    const int64_t rows = is_complete ? m.rows : m.few();  // of R
    if (m.are_empty() && is_raw) return {m.zeros({m.few()}, m.dtype), m.zeros({m.columns, m.rows}, m.dtype)};
    if (m.are_empty())
        return {is_complete ? m.identities(m.rows) : m.zeros({m.rows, rows}, m.dtype),
                m.zeros({rows, m.columns}, m.dtype)};
    if (!m.is_driven) return m.on_gpu([&](const Composites& gpu) { return gpu.qr(a, mode); });
    DriverCall driver = m.driver(is_raw ? Driver::Reflectors : Driver::Orthogonal);
    Array Q, R;
    if (is_raw) {
        Q = driver.values({m.few()}, m.wide());
        R = driver.right({m.columns, m.rows}, m.wide());
    } else {
        driver.set_vectors(mode == QRMode::R ? VectorSet::None : is_complete ? VectorSet::Full : VectorSet::Reduced);
        if (mode != QRMode::R) Q = driver.left({m.rows, rows}, m.wide());
        R = driver.right({rows, m.columns}, m.wide());
    }
    if (!driver.run()) m.fail("a QR factorisation failed");
    return {m.rounded(std::move(Q)), m.rounded(std::move(R))};
}

SVDResult svd(const Array& a, bool full_matrices, bool hermitian) {
    return decompose(a, full_matrices, true, hermitian, "svd");
}

Array singular_values(const Array& a, bool hermitian, const char* name) {
    return decompose(a, false, false, hermitian, name).S;
}

Array svdvals(const Array& a, bool hermitian) { return singular_values(a, hermitian, "svdvals"); }

}  // namespace cuarray::linalg
