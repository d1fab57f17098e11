// bound_functions.cpp -- calls of C++ functions: arguments are read by the types of the parameters, the function runs
// without the GIL where that is worth it, and its result is wrapped.
#include "bindings/functions/bound_functions.h"
#include <algorithm>
#include <tuple>
#include <utility>
#include "bindings/functions/function.h"
#include "cuarray/array/elements.h"
#include "cuarray/ops/bincount.h"
#include "cuarray/ops/choices.h"
#include "cuarray/ops/clip.h"
#include "cuarray/ops/comparison.h"
#include "cuarray/ops/convolution.h"
#include "cuarray/ops/coordinates.h"
#include "cuarray/ops/creation.h"
#include "cuarray/ops/cross.h"
#include "cuarray/ops/diagonals.h"
#include "cuarray/ops/differences.h"
#include "cuarray/ops/editing.h"
#include "cuarray/ops/einsum.h"
#include "cuarray/ops/geometric.h"
#include "cuarray/ops/interpolation.h"
#include "cuarray/ops/joining.h"
#include "cuarray/ops/matmul.h"
#include "cuarray/ops/products.h"
#include "cuarray/ops/rearranging.h"
#include "cuarray/ops/rounding.h"
#include "cuarray/ops/scan.h"
#include "cuarray/ops/selection.h"
#include "cuarray/ops/shaping.h"
#include "cuarray/ops/sort.h"
#include "cuarray/ops/triangles.h"
#include "cuarray/ops/unique.h"
#include "ops/singular_values.h"

namespace cuarray::python {
namespace {

// Results

/// A result by what its row gives; `source` is the first array.
template <Gives gives>
[[gnu::noinline]] PyObject* give(Array&& result, PyObject* source) {
    if constexpr (gives == Gives::Array || gives == Gives::Blank) return wrap(std::move(result));
    if constexpr (gives == Gives::Value) {
        if (!source || result.is_pending() || array_of(source).is_pending() ||
            &result.storage() != &array_of(source).storage())
            return wrap_result(std::move(result));
        return Py_NewRef(source);  // what changes nothing gives the argument
    }
    if (source && !result.is_pending() && !array_of(source).is_pending()) {
        const Array& from = array_of(source);
        if (&result.storage() == &from.storage()) {
            const bool is_same = gives == Gives::Same && result.shape() == from.shape() &&
                                 result.strides() == from.strides() && result.is_read_only() == from.is_read_only();
            return is_same ? Py_NewRef(source) : wrap_view(std::move(result), source);
        }
    }
    return gives == Gives::Shown ? wrap(std::move(result)) : wrap_result(std::move(result));
}

template <Gives gives>
PyObject* give(const Dims& result, PyObject*) {
    return to_python(result).release();
}

template <Gives gives>
PyObject* give(bool result, PyObject*) {
    return PyBool_FromLong(result);
}

/// A number, too, lies on the device of the arrays.
[[gnu::noinline]] PyObject* give_on(std::optional<Device> given, ArrayOrNumber&& result) {
    if (auto* const array = std::get_if<Array>(&result)) return wrap_result(std::move(*array));
    const Scalar& number = std::get<Scalar>(result);
    const Device device = given ? *given : current_device();
    return is_on_host(device) ? wrap(number) : wrap_result(full({}, number, device));
}

template <Gives gives>
PyObject* give(ArrayOrNumber&& result, PyObject* source) {
    return give_on(source ? std::optional(device_of(source)) : std::nullopt, std::move(result));
}

/// NumPy's warning, where a new array drops imaginary parts.
void warn_of_fill_value(const Reader<FillValue>& reader, const Array& made) {
    warn_of_lost_imaginary_part(reader.dtype(), made.dtype());
}
template <class T, class R>
void warn_of_fill_value(const Reader<T>&, const R&) {}

PyObject* source_of(const Reader<Array>& reader) { return reader.object; }
PyObject* source_of(const Reader<EinsumOperands>& reader) { return reader.first; }
template <class T>
PyObject* source_of(const Reader<T>&) {
    return nullptr;
}

/// Several results; those of a *parameter are views of its arrays, others of the first one.
template <Gives gives, class Result, class T>
PyObject* give_all(std::vector<Result>&& results, const Reader<T>& reader) {
    constexpr Gives each = gives == Gives::List     ? Gives::View
                           : gives == Gives::Each   ? Gives::Value
                           : gives == Gives::Arrays ? Gives::Array
                                                    : gives;
    const Py_ssize_t n = Py_ssize_t(results.size());
    if ((gives == Gives::Each || gives == Gives::Arrays) && n == 1) return give<each>(std::move(results[0]), nullptr);
    Object all = Object::steal(gives == Gives::List ? PyList_New(n) : PyTuple_New(n));
    for (Py_ssize_t i = 0; i < n; ++i) {
        PyObject* source = source_of(reader);
        if constexpr (std::is_same_v<T, ArrayList>) source = reader.objects[size_t(i)];
        PyObject* const one = Object::steal(give<each>(std::move(results[size_t(i)]), source)).release();
        gives == Gives::List ? PyList_SET_ITEM(all.get(), i, one) : PyTuple_SET_ITEM(all.get(), i, one);
    }
    return all.release();
}

/// The array that was read, or the first of several; null for others.
const Array* array_in(const Reader<Array>& reader) { return &reader.get(); }
const Array* array_in(const Reader<std::optional<Array>>& reader) { return reader.value ? &*reader.value : nullptr; }
const Array* array_in(const Reader<Argument>& reader) { return reader.get().array; }
const Array* array_in(const Reader<InsertedValues>& reader) { return reader.get().array; }
const Array* array_in(const Reader<FillValue>& reader) { return reader.get().array; }
const Array* array_in(const Reader<CountedIntegers>& reader) { return &reader.get().array; }
const Array* array_in(const Reader<std::optional<Argument>>& reader) {
    return reader.value ? reader.value->array : nullptr;
}
const Array* array_in(const Reader<OlderName>& reader) {
    return reader.value.value ? reader.value.value->array : nullptr;
}
template <class T>
const Array* array_in(const Reader<T>&) {
    return nullptr;
}

/// The object of `out`, where it was given.
PyObject* output_of(const Reader<Array*>& reader) { return reader.object; }
PyObject* output_of(const Reader<UfuncOutput>& reader) { return reader.object; }
template <class T>
PyObject* output_of(const Reader<T>&) {
    return nullptr;
}

/// Several results as an object of a class.
PyObject* give_named(Attribute& kind, std::initializer_list<Array*> results) {
    Few<PyObject*, 3> objects;
    Object owners[3];
    for (Array* const result : results) {
        Object& owner = owners[objects.size()];
        owner = Object::steal(wrap_result(std::move(*result)));
        objects.push_back(owner.get());
    }
    return PyObject_Vectorcall(kind.get(), objects.data(), objects.size(), nullptr);
}

template <Gives gives>
PyObject* give(linalg::SlogdetResult&& result, PyObject*) {
    static Attribute kind{"cuarray._linalg.equations", "SlogdetResult"};
    return give_named(kind, {&result.sign, &result.logabsdet});
}
template <Gives gives>
PyObject* give(linalg::EigResult&& result, PyObject*) {
    static Attribute kind{"cuarray._linalg.decompositions", "EigResult"};
    return give_named(kind, {&result.eigenvalues, &result.eigenvectors});
}
template <Gives gives>
PyObject* give(linalg::EighResult&& result, PyObject*) {
    static Attribute kind{"cuarray._linalg.decompositions", "EighResult"};
    return give_named(kind, {&result.eigenvalues, &result.eigenvectors});
}
template <Gives gives>
PyObject* give(linalg::LstsqResult&& result, PyObject*) {
    Object parts[] = {
        Object::steal(wrap_result(std::move(result.x))), Object::steal(wrap_result(std::move(result.residuals))),
        Object::steal(wrap_result(std::move(result.rank))), Object::steal(wrap_result(std::move(result.s)))};
    return PyTuple_Pack(4, parts[0].get(), parts[1].get(), parts[2].get(), parts[3].get());
}
template <Gives gives>
PyObject* give(linalg::QRResult&& result, PyObject*) {
    static Attribute kind{"cuarray._linalg.decompositions", "QRResult"};
    return give_named(kind, {&result.Q, &result.R});
}
template <Gives gives>
PyObject* give(linalg::SVDResult&& result, PyObject*) {
    static Attribute kind{"cuarray._linalg.decompositions", "SVDResult"};
    return give_named(kind, {&result.U, &result.S, &result.Vh});
}
template <Gives gives>
PyObject* give(std::pair<Array, Array>&& result, PyObject*) {
    const Object first = Object::steal(wrap_result(std::move(result.first)));
    const Object second = Object::steal(wrap_result(std::move(result.second)));
    return PyTuple_Pack(2, first.get(), second.get());
}
/// Several results where another argument would have given one.
template <Gives gives>
PyObject* give(std::vector<Array>&& results, PyObject* source) {
    const Py_ssize_t n = Py_ssize_t(results.size());
    Object all = Object::steal(PyTuple_New(n));
    for (Py_ssize_t i = 0; i < n; ++i)
        PyTuple_SET_ITEM(all.get(), i, give<gives>(std::move(results[size_t(i)]), source));
    return all.release();
}
/// One of several kinds of results, as an argument of the call says.
template <Gives gives, class... Results>
PyObject* give(std::variant<Results...>&& result, PyObject* source) {
    constexpr Gives each = gives == Gives::Arrays ? Gives::Array : gives;
    return std::visit([&](auto&& one) { return give<each>(std::move(one), source); }, std::move(result));
}

// Calls

/// The work for each element: one step, a step for each row of its matrix, or for each element of the other array; one
/// step, too, in functions that give a view only where it is all that is asked for.
enum class Work { OfElements, OfMatrices, OfPairs, OfTerms };
template <auto function>
constexpr Work kWork = Work::OfElements;
template <>
constexpr Work kWork<&cuarray::outer> = Work::OfPairs;
template <>
constexpr Work kWork<&cuarray::convolve> = Work::OfPairs;
template <>
constexpr Work kWork<&cuarray::correlate> = Work::OfPairs;
template <>
constexpr Work kWork<&functions::einsum> = Work::OfTerms;

/// Whether the work of a view is a copy: of elements that are not in order, or as the call asks for.
bool copies_elements(const FunctionCall& call, PyObject* source) {
    if (!source || !array_of(source).is_c_contiguous()) return true;
    for (int k = 1; k < call.count; ++k)
        if (call.given[k] == Py_True) return true;
    return false;
}

/// A reader whose room is not zeroed first, as std::tuple would do.
template <class T>
struct UnsetReader : Reader<std::remove_cvref_t<T>> {
    UnsetReader() {}
};

template <Gives gives, auto function, Work kind, class R, class... Parameters, size_t... k>
PyObject* run_function(const FunctionCall& call, R (*)(Parameters...), std::index_sequence<k...>) {
    if (gives == Gives::Nothing && is_method(call.row) && !is_ndarray(call.given[0]))
        fail(PyExc_TypeError, "descriptor '%s' for 'ndarray' objects doesn't apply to a '%s' object",
             python_name(call.row).c_str(), Py_TYPE(call.given[0])->tp_name);
    std::tuple<UnsetReader<Parameters>...> readers;
    // Types first: what is asked for is judged before what is given, as NumPy does.
    constexpr auto is_dtype = []<class T>(const Reader<T>&) { return std::is_same_v<T, DType>; };
    ((is_dtype(std::get<k>(readers)) ? std::get<k>(readers).read(call, int(k)) : void()), ...);
    ((is_dtype(std::get<k>(readers)) ? void() : std::get<k>(readers).read(call, int(k))), ...);
    const Array* first = nullptr;
    if constexpr ((Reader<std::remove_cvref_t<Parameters>>::is_array + ... + 0) > 1 ||
                  std::is_same_v<R, ArrayOrNumber>) {
        const auto compare = [&](const Array* array) {
            if (array && first) refuse_other_device(first->device(), array->device(), call.row.name);
            if (!first) first = array;
        };
        (compare(array_in(std::get<k>(readers))), ...);
    }
    PyObject* const source = source_of(std::get<0>(readers));
    CallWork work;
    bool is_long = false;
    constexpr bool gives_views = gives == Gives::View || gives == Gives::Same || gives == Gives::List;
    constexpr bool is_done = kind != Work::OfTerms && (gives_views || gives == Gives::Blank);
    if constexpr (!is_done) {
        (std::get<k>(readers).add_to(work), ...);
        if constexpr (kind == Work::OfMatrices)
            if (const Dims& shape = std::get<0>(readers).get().shape(); shape.size() > 0)
                work.multiply(4 * shape.back());
        if constexpr (kind == Work::OfPairs)
            work.multiply(std::min(std::get<0>(readers).get().size(), std::get<1>(readers).get().size()));
        is_long = work.is_long() && (gives != Gives::Shown || copies_elements(call, source));
    }
    if constexpr (gives == Gives::Nothing) {
        without_gil(is_long, [&] { function(std::get<k>(readers).get()...); });
        return Py_NewRef(Py_None);
    } else {
        auto result = without_gil(is_long, [&] { return function(std::get<k>(readers).get()...); });
        (warn_of_fill_value(std::get<k>(readers), result), ...);
        PyObject* out = nullptr;
        ((out = out ? out : output_of(std::get<k>(readers))), ...);
        if constexpr (std::is_same_v<R, Array>)
            if (out == Py_Ellipsis) return wrap(std::move(result));
        if (out) return Py_NewRef(out);
        if constexpr (std::is_same_v<R, std::vector<Array>> || std::is_same_v<R, std::vector<ArrayOrNumber>>)
            return give_all<gives>(std::move(result), std::get<0>(readers));
        else if constexpr (std::is_same_v<R, ArrayOrNumber>)
            return give_on(first ? std::optional(first->device()) : std::nullopt, std::move(result));
        else
            return give<gives>(std::move(result), source);
    }
}

/// Runs a function of one array for each that is given: one result, or a tuple.
template <Gives gives, auto function>
PyObject* run_for_each(const FunctionCall& call) {
    const auto result_of = [&](PyObject* object) {
        Reader<Array> reader;
        reader.read(call, object);
        return Object::steal(give<gives>(function(reader.get()), reader.object));
    };
    if (call.rest.size() == 1) return result_of(call.rest[0]).release();
    Object tuple = Object::steal(PyTuple_New(Py_ssize_t(call.rest.size())));
    for (size_t i = 0; i < call.rest.size(); ++i)
        PyTuple_SET_ITEM(tuple.get(), Py_ssize_t(i), result_of(call.rest[i]).release());
    return tuple.release();
}

template <Gives gives, auto function, bool for_each, Work kind = kWork<function>, class R, class... Parameters>
constexpr BoundFunction bound_function(R (*)(Parameters...)) {
    BoundFunction bound{nullptr, int(sizeof...(Parameters)), {Reader<std::remove_cvref_t<Parameters>>::is_array...}};
    if constexpr (for_each)
        bound.run = [](const FunctionCall& call) { return run_for_each<gives, function>(call); };
    else
        bound.run = [](const FunctionCall& call) {
            return run_function<gives, function, kind>(call, function, std::index_sequence_for<Parameters...>());
        };
    return bound;
}

template <class First, class... Others, class R>
constexpr bool takes_one_array(R (*)(First, Others...)) {
    return std::is_same_v<std::remove_cvref_t<First>, Array>;
}

constexpr BoundFunction kBoundFunctions[] = {
#define FUNCTION(name, gives, signature, ...)                                                                 \
    bound_function<Gives::gives, &functions::name, signature[0] == '*' && takes_one_array(&functions::name)>( \
        &functions::name),
#include "cuarray/functions.def"
};

// The functions of cuarray.linalg

using linalg::QRMode, linalg::QRResult, linalg::SVDResult;

std::variant<SVDResult, Array> svd_or_values(const Array& a, bool full_matrices, bool compute_uv, bool hermitian) {
    if (compute_uv) return linalg::svd(a, full_matrices, hermitian);
    return linalg::singular_values(a, hermitian, "svd");
}

std::variant<QRResult, Array, std::pair<Array, Array>> qr_of_mode(const Array& a, QRMode mode) {
    QRResult found = linalg::qr(a, mode);
    if (mode == QRMode::R) return std::move(found.R);
    if (mode == QRMode::Raw) return std::pair(std::move(found.R), std::move(found.Q));
    return found;
}

Array values_of_svd(const Array& x) { return linalg::svdvals(x); }

template <auto function, Work kind = Work::OfMatrices>
constexpr BoundFunction of_matrices = bound_function<Gives::Value, function, false, kind>(function);
template <auto function>
constexpr BoundFunction of_elements = of_matrices<function, Work::OfElements>;

constexpr LinalgFunction kLinalgFunctions[] = {
    {"cholesky", of_matrices<&linalg::cholesky>},
    {"det", of_matrices<&linalg::det>},
    {"eig", of_matrices<&linalg::eig>},
    {"eigh", of_matrices<&linalg::eigh>},
    {"eigvals", of_matrices<&linalg::eigvals>},
    {"eigvalsh", of_matrices<&linalg::eigvalsh>},
    {"inv", of_matrices<&linalg::inv>},
    {"lstsq", of_matrices<&linalg::lstsq>},
    {"qr", of_matrices<&qr_of_mode>},
    {"slogdet", of_matrices<&linalg::slogdet>},
    {"solve", of_matrices<&linalg::solve>},
    {"svd", of_matrices<&svd_or_values>},
    {"svdvals", of_matrices<&values_of_svd>},
    {"matrix_norm", of_elements<&linalg::matrix_norm>},
    {"multi_dot", of_elements<&linalg::multi_dot>},
    {"norm", of_elements<&linalg::norm>},
    {"vector_norm", of_elements<&linalg::vector_norm>},
};

}  // namespace

std::span<const BoundFunction> bound_functions() { return kBoundFunctions; }
std::span<const LinalgFunction> linalg_functions() { return kLinalgFunctions; }

}  // namespace cuarray::python
