// fast_linalg.cpp -- fast paths of equations and decompositions: LAPACK's routines, without a call of NumPy's.
#include <algorithm>
#include <limits>
#include "bindings/fast_paths.h"
#include "cuarray/ops/matmul.h"
#include "cuarray/ops/reduction.h"
#include "ops/packed.h"

namespace cuarray::python {
namespace {

using Equations = MatrixEquations::Kind;
using Decomposition = MatrixDecomposition::Kind;
using VectorSet = MatrixDecomposition::VectorSet;

bool is_single(DType dtype) { return dtype == DType::float32 || dtype == DType::complex64; }

/// All is computed in double precision, as NumPy does; none for dtypes without factorisations.
DType computed_in(DType dtype) {
    switch (info(dtype).kind) {
        case Kind::Bool:
        case Kind::Signed:
        case Kind::Unsigned: return DType::float64;
        case Kind::Floating: return item_size(dtype) < 4 ? DType::none : DType::float64;
        case Kind::Complex: return DType::complex128;
        default: return DType::none;
    }
}

/// One matrix, or a stack along one axis, that the host may read now. No array for what Python must judge.
struct MatrixStack {
    explicit MatrixStack(PyObject* given) : MatrixStack(read_array(given)) {}
    explicit MatrixStack(const Array* given) {
        const int ndim = given ? given->ndim() : 0;
        if (ndim < 2 || ndim > 3 || given->is_empty() || !is_aligned(*given) || !direct_data(*given)) return;
        dtype = computed_in(given->dtype());
        if (dtype == DType::none) return;
        const Array wide = astype(*given, dtype, 'K', false);
        const Dims& strides = wide.strides();
        if (!direct_data(wide)) return;
        from = {direct_data(wide), strides[ndim - 2], strides[ndim - 1], ndim == 3 ? strides[0] : 0};
        rows = wide.shape()[ndim - 2], columns = wide.shape()[ndim - 1];
        if (ndim == 3) stack = wide.shape()[0];
        gives_single = is_single(given->dtype());
        array = wide;
    }

    bool are_square() const { return array && rows == columns; }
    /// A new array with the axis of the stack, if there is one, and others.
    Array result(std::initializer_list<int64_t> extents, DType of) const {
        Dims shape;
        if (array.ndim() == 3) shape.push_back(stack);
        for (const int64_t extent : extents) shape.push_back(extent);
        return empty(shape, of, array.device());
    }
    Array result(std::initializer_list<int64_t> extents) const { return result(extents, dtype); }
    /// An array as an object, in single precision if the matrices are.
    PyObject* given_back(const Array& computed) const {
        const DType single = computed.dtype() == DType::float64 ? DType::float32 : DType::complex64;
        return wrap_result(gives_single ? astype(computed, single, 'K', false) : Array(computed));
    }

    Array array;
    MatrixEquations::Matrix from{};
    DType dtype = DType::none;
    bool gives_single = false;
    int64_t stack = 1, rows = 0, columns = 0;
};

/// Equations of square matrices on the left.
MatrixEquations equations_of(Equations kind, const MatrixStack& left) {
    MatrixEquations equations{};
    equations.kind = kind, equations.dtype = left.dtype;
    equations.stack = left.stack, equations.n = left.rows, equations.a = left.from;
    return equations;
}

/// Whether LAPACK computes what `result` holds then.
bool solve(MatrixEquations& equations, const Array& result) {
    equations.result = direct_data(result);
    DirectLoops* const loops = result.storage().front().direct();
    if (!equations.result || !loops) return false;
    const bool is_long = equations.stack * equations.n * equations.n * (equations.n + equations.columns) > 4096;
    return without_gil(is_long, [&] { return loops->solve(equations); });
}

/// inv: a; cholesky: a, upper; det: a.
PyObject* of_one(Given given, int kind) {
    const MatrixStack left(given[0]);
    if (!left.are_square()) return nullptr;
    MatrixEquations equations = equations_of(Equations(kind), left);
    if (equations.kind == Equations::Cholesky && given[1] && given[1] != Py_False) {
        if (given[1] != Py_True) return nullptr;
        equations.upper = true;
    }
    if (equations.kind == Equations::Invert) equations.columns = left.rows;
    const Array result =
        equations.kind == Equations::Determinant ? left.result({}) : left.result({left.rows, left.rows});
    return solve(equations, result) ? left.given_back(result) : nullptr;
}

/// solve: a, b. One vector for one matrix, or as many matrices of right sides as there are on the left.
PyObject* solutions(Given given, int) {
    const Array* const vector = read_array(given[1]);
    const MatrixStack left(vector ? given[0] : nullptr);
    if (!left.are_square()) return nullptr;
    const bool is_vector = vector->ndim() == 1;
    Array column;
    if (is_vector) column = vector->view({{vector->shape()[0], 1}, {vector->strides()[0], item_size(vector->dtype())}});
    const MatrixStack right(is_vector ? &column : vector);
    if (!right.array || right.dtype != left.dtype || right.gives_single != left.gives_single ||
        right.array.ndim() != left.array.ndim() || right.stack != left.stack || right.rows != left.rows ||
        !(right.array.device() == left.array.device()))
        return nullptr;
    MatrixEquations equations = equations_of(Equations::Solve, left);
    equations.b = right.from, equations.columns = right.columns;
    const Array result = is_vector ? left.result({left.rows}) : right.result({right.rows, right.columns});
    return solve(equations, result) ? left.given_back(result) : nullptr;
}

/// The results as one object, of a class if there are several.
PyObject* together(const MatrixStack& of, Attribute* kind, std::initializer_list<Array> results) {
    if (!kind) return of.given_back(*results.begin());
    Object owners[3];
    PyObject* objects[3];
    size_t count = 0;
    for (const Array& result : results) {
        owners[count] = Object::steal(of.given_back(result));
        objects[count] = owners[count].get();
        ++count;
    }
    return PyObject_Vectorcall(kind->get(), objects, count, nullptr);
}

/// slogdet: a.
PyObject* log_determinants(Given given, int) {
    static Attribute kind{"cuarray._linalg.equations", "SlogdetResult"};
    const MatrixStack left(given[0]);
    if (!left.are_square()) return nullptr;
    MatrixEquations equations = equations_of(Equations::LogDeterminant, left);
    const Array signs = left.result({}), logarithms = left.result({}, DType::float64);
    equations.logarithms = direct_data(logarithms);
    return equations.logarithms && solve(equations, signs) ? together(left, &kind, {signs, logarithms}) : nullptr;
}

/// Whether LAPACK decomposes the matrices into `left`, `values` and `right`, of which some may be missing.
bool decompose(Decomposition kind, VectorSet vectors, bool lower, const MatrixStack& a, const Array& left,
               const Array& values, const Array& right) {
    const auto data = [](const Array& array) { return array ? direct_data(array) : nullptr; };
    const Array& any = values ? values : left;
    DirectLoops* const loops = any.storage().front().direct();
    const int64_t length = std::max(a.rows, a.columns);
    return loops && direct_data(any) && without_gil(a.stack * length * length * length > 4096, [&] {
               return loops->decompose({kind, a.dtype, vectors, lower, a.stack, a.rows, a.columns, a.from, data(left),
                                        data(values), data(right)});
           });
}

/// eigh and eigvalsh: a, UPLO; eig and eigvals: a.
template <Decomposition kind, bool with_vectors>
PyObject* eigenvalues(Given given, int) {
    static Attribute hermitian{"cuarray._linalg.decompositions", "EighResult"};
    static Attribute general{"cuarray._linalg.decompositions", "EigResult"};
    constexpr bool is_hermitian = kind == Decomposition::Hermitian;
    bool is_lower = true;
    if (is_hermitian && given[1]) {
        if (!PyUnicode_CheckExact(given[1])) return nullptr;
        is_lower = PyUnicode_CompareWithASCIIString(given[1], "L") == 0;
        if (!is_lower && PyUnicode_CompareWithASCIIString(given[1], "U") != 0) return nullptr;
    }
    const MatrixStack a(given[0]);
    if (!a.are_square()) return nullptr;
    const Array values = a.result({a.rows}, is_hermitian ? DType::float64 : DType::complex128);
    const Array vectors =
        with_vectors ? a.result({a.rows, a.rows}, is_hermitian ? a.dtype : DType::complex128) : Array();
    if (!decompose(kind, with_vectors ? VectorSet::Full : VectorSet::None, is_lower, a, vectors, values, {}))
        return nullptr;
    return together(a, !with_vectors ? nullptr : is_hermitian ? &hermitian : &general, {values, vectors});
}

/// The singular values of matrices, with vectors or without them.
PyObject* singular(const MatrixStack& a, VectorSet vectors) {
    static Attribute kind{"cuarray._linalg.decompositions", "SVDResult"};
    if (!a.array) return nullptr;
    const int64_t few = std::min(a.rows, a.columns);
    const bool is_full = vectors == VectorSet::Full, has_vectors = vectors != VectorSet::None;
    const Array values = a.result({few}, DType::float64);
    const Array left = has_vectors ? a.result({a.rows, is_full ? a.rows : few}) : Array();
    const Array right = has_vectors ? a.result({is_full ? a.columns : few, a.columns}) : Array();
    if (!decompose(Decomposition::Singular, vectors, false, a, left, values, right)) return nullptr;
    return has_vectors ? together(a, &kind, {left, values, right}) : together(a, nullptr, {values});
}

/// svd: a, full_matrices, compute_uv, hermitian.
PyObject* singular_vectors(Given given, int) {
    const auto is_bool = [](PyObject* object) { return !object || PyBool_Check(object); };
    if (given[3] || !is_bool(given[1]) || !is_bool(given[2])) return nullptr;
    return singular(MatrixStack(given[0]), given[2] == Py_False   ? VectorSet::None
                                           : given[1] == Py_False ? VectorSet::Reduced
                                                                  : VectorSet::Full);
}

/// svdvals: x.
PyObject* singular_values(Given given, int) { return singular(MatrixStack(given[0]), VectorSet::None); }

/// qr: a, mode. The reduced factors.
PyObject* orthogonal_columns(Given given, int) {
    static Attribute kind{"cuarray._linalg.decompositions", "QRResult"};
    const MatrixStack a(given[1] ? nullptr : given[0]);
    if (!a.array) return nullptr;
    const int64_t few = std::min(a.rows, a.columns);
    const Array left = a.result({a.rows, few}), right = a.result({few, a.columns});
    if (!decompose(Decomposition::Orthogonal, VectorSet::Reduced, false, a, left, {}, right)) return nullptr;
    return together(a, &kind, {left, right});
}

/// Norms that take one pass: the length, the sum of magnitudes, and the largest one.
enum class Order { Two, One, Infinity };

/// The order of a norm of vectors; of a matrix only the length, by name. False for others.
bool read_order(PyObject* object, bool is_matrix, Order& order) {
    order = Order::Two;
    if (!object) return true;
    if (is_matrix) return PyUnicode_CheckExact(object) && PyUnicode_CompareWithASCIIString(object, "fro") == 0;
    double number;
    if (!(PyFloat_CheckExact(object) || PyLong_CheckExact(object)) || !read_float(object, number)) return false;
    order = number == 1 ? Order::One : number == 2 ? Order::Two : Order::Infinity;
    return number == 1 || number == 2 || number == std::numeric_limits<double>::infinity();
}

/// norm: x, ord, axis, keepdims. Of all elements, or of the vectors along an axis, in the type of the array.
PyObject* lengths(Given given, int) {
    const Array* const array = read_array(given[0]);
    if (!array || (array->dtype() != DType::float64 && array->dtype() != DType::float32)) return nullptr;
    ReduceOptions options;
    if (given[3] && !PyBool_Check(given[3])) return nullptr;
    options.keepdims = given[3] == Py_True;
    const bool is_of_all = !is_given(given[2]);
    Order order;
    if (given[1] && is_of_all && array->ndim() > 2) return nullptr;
    if (!read_order(given[1], is_of_all && array->ndim() == 2, order)) return nullptr;
    if (order != Order::Two &&
        (array->dtype() != DType::float64 || array->is_empty() || is_long(array->device(), array->size())))
        return nullptr;  // Python fuses the magnitudes of many elements with their sum
    int64_t axis = 0;
    if (!is_of_all && !read_axis(given[2], array->ndim(), axis)) return nullptr;
    if (is_of_all && (options.keepdims || !array->is_c_contiguous() || array->ndim() == 0)) return nullptr;
    options.all_axes = false, options.axes = {axis}, options.dtype = array->dtype(), options.name = "norm";
    if (order != Order::Two)
        return made(array->device(), array->size(), [&, x = *array] {
            const Argument args[] = {x};
            const Array sizes = call(row::abs, args).array[0];
            return reduce(order == Order::One ? reduction::sum : reduction::max, sizes, options);
        });
    return made(array->device(), array->size(), [&, x = *array] {
        const Array flat = is_of_all ? x.reshape({x.size()}) : Array();
        const Array squares = is_of_all ? matmul(flat, flat) : sums_of_products(x, x, options);
        const Argument args[] = {squares};
        return call(row::sqrt, args).array[0];
    });
}

constexpr FastFunction kLinalgPaths[] = {
    {"cholesky", of_one, int(Equations::Cholesky)},
    {"det", of_one, int(Equations::Determinant)},
    {"eig", eigenvalues<Decomposition::General, true>},
    {"eigh", eigenvalues<Decomposition::Hermitian, true>},
    {"eigvals", eigenvalues<Decomposition::General, false>},
    {"eigvalsh", eigenvalues<Decomposition::Hermitian, false>},
    {"inv", of_one, int(Equations::Invert)},
    {"norm", lengths},
    {"qr", orthogonal_columns},
    {"slogdet", log_determinants},
    {"solve", solutions},
    {"svd", singular_vectors},
    {"svdvals", singular_values},
};

}  // namespace

std::span<const FastFunction> linalg_paths() { return kLinalgPaths; }

}  // namespace cuarray::python
