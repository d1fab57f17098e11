// fast_linalg.cpp -- fast paths of solve, inv, det, cholesky, eigh and svd: LAPACK's routines, without a call of
// NumPy's.
#include <algorithm>
#include "bindings/fast_paths.h"
#include "ops/packed.h"

namespace cuarray::python {
namespace {

using Routine = MatrixEquations::Kind;

/// Single precision is computed in double precision, as NumPy does; none for other dtypes.
DType computed_in(DType dtype) {
    switch (dtype) {
        case DType::float32:
        case DType::float64: return DType::float64;
        case DType::complex64:
        case DType::complex128: return DType::complex128;
        default: return DType::none;
    }
}

/// The matrices of an array of a dtype that LAPACK has: one, or a stack along one axis, that the host may read now. An
/// empty handle for others.
Array read_matrices(const Array* array, MatrixEquations::Matrix& matrices) {
    const int ndim = array ? array->ndim() : 0;
    if (ndim < 2 || ndim > 3 || array->is_empty() || !is_aligned(*array) || !direct_data(*array)) return {};
    const DType dtype = computed_in(array->dtype());
    if (dtype == DType::none) return {};
    const Array wide = astype(*array, dtype, 'K', false);
    const Dims& strides = wide.strides();
    matrices = {direct_data(wide), strides[ndim - 2], strides[ndim - 1], ndim == 3 ? strides[0] : 0};
    return matrices.data ? wide : Array();
}

/// The same for square matrices, which are the left sides.
Array read_square(const Array* array, MatrixEquations& equations) {
    const Array a = read_matrices(array, equations.a);
    if (!a || a.shape()[a.ndim() - 1] != a.shape()[a.ndim() - 2]) return {};
    equations.n = a.shape().back();
    equations.stack = a.ndim() == 3 ? a.shape()[0] : 1;
    equations.dtype = a.dtype();
    return a;
}

/// The result in the left side's dtype, or null where LAPACK cannot compute it.
PyObject* solved(MatrixEquations equations, const Dims& shape, const Array& left) {
    Array result = empty(shape, equations.dtype, left.device());
    equations.result = direct_data(result);
    DirectLoops* const loops = result.storage().front().direct();
    if (!equations.result || !loops) return nullptr;
    const bool is_long = equations.stack * equations.n * equations.n * (equations.n + equations.columns) > 4096;
    if (!without_gil(is_long, [&] { return loops->solve(equations); })) return nullptr;
    return wrap_result(astype(result, left.dtype(), 'K', false));
}

/// inv: a; cholesky: a, upper.
PyObject* of_same_shape(Given given, int kind) {
    MatrixEquations equations{};
    equations.kind = Routine(kind);
    const Array* const left = read_array(given[0]);
    const Array a = read_square(left, equations);
    if (!a || (equations.kind == Routine::Cholesky && given[1])) return nullptr;
    if (equations.kind == Routine::Invert) equations.columns = equations.n;
    return solved(equations, a.shape(), *left);
}

/// det: a.
PyObject* determinants(Given given, int) {
    MatrixEquations equations{};
    equations.kind = Routine::Determinant;
    const Array* const left = read_array(given[0]);
    const Array a = read_square(left, equations);
    return a ? solved(equations, a.ndim() == 3 ? Dims{equations.stack} : Dims(), *left) : nullptr;
}

/// solve: a, b. One vector for one matrix, or as many matrices of right sides as there are on the left.
PyObject* solutions(Given given, int) {
    MatrixEquations equations{};
    equations.kind = Routine::Solve;
    const Array *const left = read_array(given[0]), *const right = read_array(given[1]);
    const Array a = right ? read_square(left, equations) : Array();
    if (!a || left->dtype() != right->dtype() || !(right->device() == a.device())) return nullptr;
    const bool is_vector = right->ndim() == 1;
    Array column;
    if (is_vector) column = right->view({{right->shape()[0], 1}, {right->strides()[0], item_size(right->dtype())}});
    const Array b = read_matrices(is_vector ? &column : right, equations.b);
    if (!b || b.ndim() != a.ndim() || (a.ndim() == 3 && b.shape()[0] != equations.stack)) return nullptr;
    if (b.shape()[b.ndim() - 2] != equations.n) return nullptr;
    equations.columns = b.shape().back();
    return solved(equations, is_vector ? right->shape() : b.shape(), *left);
}

/// A matrix decomposition of the arrays of results, as an object of a named tuple.
template <size_t n>
PyObject* decomposed(const MatrixDecomposition& decomposition, Attribute& kind, Array (&results)[n], DType dtype) {
    DirectLoops* const loops = results[0].storage().front().direct();
    const int64_t length = std::max(decomposition.rows, decomposition.columns);
    const bool is_long = decomposition.stack * length * length * length > 4096;
    if (!loops || !without_gil(is_long, [&] { return loops->decompose(decomposition); })) return nullptr;
    PyObject* objects[n];
    Object owners[n];
    for (size_t k = 0; k < n; ++k) {
        owners[k] = Object::steal(wrap_result(astype(results[k], dtype, 'K', false)));
        objects[k] = owners[k].get();
    }
    return PyObject_Vectorcall(kind.get(), objects, n, nullptr);
}

/// eigh: a, UPLO. Real matrices.
PyObject* eigenvectors(Given given, int) {
    static Attribute kind{"cuarray._linalg.decompositions", "EighResult"};
    MatrixEquations equations{};
    const Array* const matrices = read_array(given[0]);
    const Array a = given[1] ? Array() : read_square(matrices, equations);
    if (!a || a.dtype() != DType::float64) return nullptr;
    Dims values = a.shape();
    values.resize(values.size() - 1);
    Array results[] = {empty(values, DType::float64, a.device()), empty(a.shape(), DType::float64, a.device())};
    const int64_t n = equations.n;
    return decomposed({MatrixDecomposition::Kind::Hermitian, equations.stack, n, n, equations.a,
                       direct_data(results[1]), direct_data(results[0]), nullptr},
                      kind, results, matrices->dtype());
}

/// svd: a, full_matrices, compute_uv, hermitian. Real matrices, with all vectors.
PyObject* singular_vectors(Given given, int) {
    static Attribute kind{"cuarray._linalg.decompositions", "SVDResult"};
    MatrixEquations::Matrix from;
    const Array* const matrices = read_array(given[0]);
    const Array a = are_absent(given, {1, 2, 3}) ? read_matrices(matrices, from) : Array();
    if (!a || a.dtype() != DType::float64) return nullptr;
    const int64_t stack = a.ndim() == 3 ? a.shape()[0] : 1, rows = a.shape()[a.ndim() - 2], columns = a.shape().back();
    const auto result = [&](std::initializer_list<int64_t> extents) {
        Dims shape;
        if (a.ndim() == 3) shape.push_back(stack);
        for (const int64_t extent : extents) shape.push_back(extent);
        return empty(shape, DType::float64, a.device());
    };
    Array results[] = {result({rows, rows}), result({std::min(rows, columns)}), result({columns, columns})};
    return decomposed({MatrixDecomposition::Kind::Singular, stack, rows, columns, from, direct_data(results[0]),
                       direct_data(results[1]), direct_data(results[2])},
                      kind, results, matrices->dtype());
}

constexpr FastFunction kLinalgPaths[] = {
    {"eigh", eigenvectors}, {"svd", singular_vectors},
    {"solve", solutions},   {"inv", of_same_shape, int(Routine::Invert)},
    {"det", determinants},  {"cholesky", of_same_shape, int(Routine::Cholesky)},
};

}  // namespace

std::span<const FastFunction> linalg_paths() { return kLinalgPaths; }

}  // namespace cuarray::python
