// fast_linalg.cpp -- fast paths of solve, inv, det and cholesky: LAPACK's routines, without a call of NumPy's.
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

constexpr FastFunction kLinalgPaths[] = {
    {"solve", solutions},
    {"inv", of_same_shape, int(Routine::Invert)},
    {"det", determinants},
    {"cholesky", of_same_shape, int(Routine::Cholesky)},
};

}  // namespace

std::span<const FastFunction> linalg_paths() { return kLinalgPaths; }

}  // namespace cuarray::python
