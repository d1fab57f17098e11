// fast_paths.cpp -- functions of the package whose common calls are answered here, before any Python code runs.
//
// The Python function is the description and the general way: its signature, docstring and every check and error. A
// fast path answers a call of plain arguments, or declines; then the Python function runs, as if there were none.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <string_view>
#include <vector>
#include "bindings/module.h"
#include "bindings/ndarray.h"
#include "cuarray/ops/manipulation.h"
#include "cuarray/ops/matmul.h"
#include "cuarray/ops/reduction.h"
#include "cuarray/runtime/registry.h"

namespace cuarray::python {
namespace {

/// The arguments of a call by the parameters' positions; null where the default holds.
using Given = PyObject* const*;
/// The result, or null to decline. Only memory may be missing where it does not decline: other errors are Python's.
using FastPath = PyObject* (*)(Given given);

constexpr int kMaxParameters = 12;

bool are_absent(Given given, std::initializer_list<int> parameters) {
    return std::ranges::all_of(parameters, [&](int k) { return !given[k]; });
}

/// A non-negative int, or a tuple of them.
bool read_shape(PyObject* object, Dims& shape) {
    const auto add = [&](PyObject* extent) {
        int overflow = 0;
        if (!PyLong_CheckExact(extent)) return false;
        const int64_t value = PyLong_AsLongLongAndOverflow(extent, &overflow);
        if (overflow || value < 0) return false;
        shape.push_back(value);
        return true;
    };
    if (!object) return false;
    if (!PyTuple_CheckExact(object)) return add(object);
    if (PyTuple_GET_SIZE(object) > 8) return false;
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(object); ++i)
        if (!add(PyTuple_GET_ITEM(object, i))) return false;
    return true;
}

/// A dtype, None or nothing for what `dtype` is; false for what is none.
bool read_dtype(PyObject* object, DType& dtype) {
    if (!object) return true;
    try {
        dtype = to_dtype(object, dtype);
        return true;
    } catch (const ExceptionIsSet&) {
        PyErr_Clear();
    } catch (const Error&) {
    }
    return false;
}

/// Creation: shape, dtype, order, device, like, memory.
template <int Number>
PyObject* filled(Given given) {
    Dims shape;
    if (!are_absent(given, {2, 3, 4, 5}) || !read_shape(given[0], shape)) return nullptr;
    DType dtype = DType::float64;
    if (!read_dtype(given[1], dtype)) return nullptr;
    const Device device = current_device();
    if (count(shape) > kShortWork || !is_on_host(device)) return nullptr;
    Array result = empty(shape, dtype, device);
    if (Number >= 0) fill(result, convert(Scalar::of(DType::int64, int64_t(Number)), dtype), "full");
    return wrap(std::move(result));
}

/// zeros_like and its like: a, dtype, order, subok, shape, device.
template <int Number>
PyObject* filled_like(Given given) {
    if (!given[0] || !is_ndarray(given[0]) || !are_absent(given, {2, 3, 4, 5})) return nullptr;
    const Array& like = array_of(given[0]);
    DType dtype = like.dtype();
    if (!read_dtype(given[1], dtype)) return nullptr;
    if (like.is_pending() || like.size() > kShortWork || !is_on_host(like.device())) return nullptr;
    Array result = empty_like(like, dtype, 'K', like.device());
    if (Number >= 0) fill(result, convert(Scalar::of(DType::int64, int64_t(Number)), dtype), "full");
    return wrap(std::move(result));
}

bool read_int(PyObject* object, int64_t& value) {
    int overflow = 0;
    if (!PyLong_CheckExact(object)) return false;
    value = PyLong_AsLongLongAndOverflow(object, &overflow);
    return !overflow && value > -(int64_t(1) << 60) && value < int64_t(1) << 60;
}

/// arange: start, stop, step, dtype, device, like.
PyObject* count_up(Given given) {
    if (!given[0] || !are_absent(given, {3, 4, 5})) return nullptr;
    int64_t start = 0, stop = 0, step = 1;
    const bool has_stop = given[1] && given[1] != Py_None;
    if (has_stop ? !read_int(given[0], start) || !read_int(given[1], stop) : !read_int(given[0], stop)) return nullptr;
    if (given[2] && given[2] != Py_None && !read_int(given[2], step)) return nullptr;
    if (step == 0) return nullptr;
    const int64_t span = step > 0 ? stop - start : start - stop, stride = step > 0 ? step : -step;
    const int64_t count = span > 0 ? (span + stride - 1) / stride : 0;
    const Device device = current_device();
    if (count > kShortWork || !is_on_host(device)) return nullptr;
    return wrap(arange(count, Scalar::of(DType::int64, start), Scalar::of(DType::int64, start + step), device));
}

/// A list or tuple of Python floats and ints as float64, or of ints as int64; an empty array for others.
Array read_numbers(PyObject* object) {
    const bool is_list = PyList_CheckExact(object);
    if (!is_list && !PyTuple_CheckExact(object)) return {};
    const Py_ssize_t n = is_list ? PyList_GET_SIZE(object) : PyTuple_GET_SIZE(object);
    if (n == 0 || n > 1024) return {};
    const auto entry = [&](Py_ssize_t i) { return is_list ? PyList_GET_ITEM(object, i) : PyTuple_GET_ITEM(object, i); };
    bool has_floats = false;
    for (Py_ssize_t i = 0; i < n; ++i) {
        if (PyFloat_CheckExact(entry(i)))
            has_floats = true;
        else if (!PyLong_CheckExact(entry(i)))
            return {};
    }
    Array result = empty({n}, has_floats ? DType::float64 : DType::int64, current_device());
    char* const to = direct_data(result);
    if (!to) return {};
    for (Py_ssize_t i = 0; i < n; ++i) {
        int64_t integer = 0;
        if (PyLong_CheckExact(entry(i)) && !read_int(entry(i), integer)) return {};
        const double real = PyFloat_CheckExact(entry(i)) ? PyFloat_AS_DOUBLE(entry(i)) : double(integer);
        std::memcpy(to + i * 8, has_floats ? static_cast<const void*>(&real) : &integer, 8);
    }
    return result;
}

/// array: object, dtype, copy, order, subok, ndmin, device, like.
PyObject* new_array_of(Given given) {
    if (!given[0] || !are_absent(given, {1, 2, 3, 4, 5, 6, 7})) return nullptr;
    if (is_ndarray(given[0])) {
        const Array& array = array_of(given[0]);
        return array.is_pending() || array.size() > kShortWork || !is_on_host(array.device()) ? nullptr
                                                                                              : wrap(copy(array, 'K'));
    }
    Array made = read_numbers(given[0]);
    return made ? wrap(std::move(made)) : nullptr;
}

/// asarray: a, dtype, order, device, copy, like.
PyObject* array_itself(Given given) {
    if (!given[0] || !are_absent(given, {1, 2, 3, 4, 5})) return nullptr;
    if (is_ndarray(given[0])) return as_ndarray(given[0])->is_value ? nullptr : Py_NewRef(given[0]);
    Array made = read_numbers(given[0]);
    return made ? wrap(std::move(made)) : nullptr;
}

/// Arrays of one dtype with memory that the host may read now.
bool read_arrays(PyObject* sequence, std::vector<const Array*>& arrays) {
    const bool is_list = sequence && PyList_CheckExact(sequence);
    if (!is_list && !(sequence && PyTuple_CheckExact(sequence))) return false;
    const Py_ssize_t n = is_list ? PyList_GET_SIZE(sequence) : PyTuple_GET_SIZE(sequence);
    if (n == 0 || n > 64) return false;
    for (Py_ssize_t i = 0; i < n; ++i) {
        PyObject* const entry = is_list ? PyList_GET_ITEM(sequence, i) : PyTuple_GET_ITEM(sequence, i);
        if (!is_ndarray(entry)) return false;
        const Array& array = array_of(entry);
        if (array.ndim() == 0 || array.dtype() != (arrays.empty() ? array : *arrays[0]).dtype()) return false;
        if (!array.is_c_contiguous() || array.nbytes() > kShortWork || !direct_data(array)) return false;
        arrays.push_back(&array);
    }
    return true;
}

/// The arrays one after the other in memory, as an array of that shape.
PyObject* joined(const std::vector<const Array*>& arrays, const Dims& shape) {
    Array result = empty(shape, arrays[0]->dtype(), arrays[0]->device());
    char* to = direct_data(result);
    if (!to) return nullptr;
    for (const Array* array : arrays) {
        std::memcpy(to, direct_data(*array), size_t(array->nbytes()));
        to += array->nbytes();
    }
    return wrap(std::move(result));
}

/// Whether the shapes agree from an axis on.
bool agree_from(const Array& a, const Array& b, int axis) {
    if (a.ndim() != b.ndim()) return false;
    for (int d = axis; d < a.ndim(); ++d)
        if (a.shape()[d] != b.shape()[d]) return false;
    return true;
}

PyObject* join_along_first(PyObject* sequence, int least_axes) {
    std::vector<const Array*> arrays;
    if (!read_arrays(sequence, arrays)) return nullptr;
    int64_t extent = 0;
    for (const Array* array : arrays) {
        if (array->ndim() < least_axes || !agree_from(*array, *arrays[0], 1)) return nullptr;
        extent += array->shape()[0];
    }
    Dims shape = arrays[0]->shape();
    shape[0] = extent;
    return joined(arrays, shape);
}

/// concat and concatenate: arrays, axis, out, dtype, casting.
PyObject* concatenated(Given given) {
    int64_t axis = 0;
    if (!are_absent(given, {2, 3, 4}) || (given[1] && (!read_int(given[1], axis) || axis != 0))) return nullptr;
    return join_along_first(given[0], 1);
}

/// stack: arrays, axis, out, dtype, casting.
PyObject* stacked(Given given) {
    int64_t axis = 0;
    if (!are_absent(given, {2, 3, 4}) || (given[1] && (!read_int(given[1], axis) || axis != 0))) return nullptr;
    std::vector<const Array*> arrays;
    if (!read_arrays(given[0], arrays)) return nullptr;
    for (const Array* array : arrays)
        if (!agree_from(*array, *arrays[0], 0)) return nullptr;
    Dims shape = arrays[0]->shape();
    if (shape.size() >= kMaxDims) return nullptr;
    shape.insert(0, int64_t(arrays.size()));
    return joined(arrays, shape);
}

/// hstack: tup, dtype, casting.
PyObject* stacked_along_only_axis(Given given) {
    if (!are_absent(given, {1, 2})) return nullptr;
    std::vector<const Array*> arrays;
    if (!read_arrays(given[0], arrays) || arrays[0]->ndim() != 1) return nullptr;
    return join_along_first(given[0], 1);
}

/// vstack: tup, dtype, casting.
PyObject* stacked_rows(Given given) {
    if (!are_absent(given, {1, 2})) return nullptr;
    std::vector<const Array*> arrays;
    if (!read_arrays(given[0], arrays)) return nullptr;
    if (arrays[0]->ndim() > 1) return join_along_first(given[0], 2);
    PyObject* const parameters[] = {given[0], nullptr, nullptr, nullptr, nullptr};
    return stacked(parameters);
}

/// dot: a, b, out. Arrays of one or two axes.
PyObject* product(Given given) {
    if (!given[0] || !given[1] || given[2] || !is_ndarray(given[0]) || !is_ndarray(given[1])) return nullptr;
    const Array &a = array_of(given[0]), &b = array_of(given[1]);
    if (a.ndim() < 1 || a.ndim() > 2 || b.ndim() < 1 || b.ndim() > 2 || !(a.device() == b.device())) return nullptr;
    if (a.shape()[a.ndim() - 1] != b.shape()[0]) return nullptr;
    if (is_long(a.device(), std::max(a.size(), b.size()))) return nullptr;
    return wrap_result(matmul(a, b));
}

/// inner: a, b. Arrays of one axis.
PyObject* inner_product(Given given) {
    if (!given[0] || !given[1] || !is_ndarray(given[0]) || !is_ndarray(given[1])) return nullptr;
    if (array_of(given[0]).ndim() != 1 || array_of(given[1]).ndim() != 1) return nullptr;
    PyObject* const parameters[] = {given[0], given[1], nullptr};
    return product(parameters);
}

/// copyto: dst, src, casting, where. Arrays of one dtype and shape.
PyObject* copied_to(Given given) {
    if (!given[0] || !given[1] || !are_absent(given, {2, 3}) || !is_ndarray(given[0]) || !is_ndarray(given[1]))
        return nullptr;
    const Array &to = array_of(given[0]), &from = array_of(given[1]);
    if (to.dtype() != from.dtype() || !(to.shape() == from.shape()) || !to.is_writable()) return nullptr;
    if (!direct_data(to) || !direct_data(from) || to.size() > kShortWork) return nullptr;
    assign(to, from, "copyto");
    return Py_NewRef(Py_None);
}

/// A public function with a fast path.
struct FastFunction {
    const char* name;
    FastPath path;
};
constexpr FastFunction kFastFunctions[] = {
    {"empty", filled<-1>},
    {"zeros", filled<0>},
    {"ones", filled<1>},
    {"empty_like", filled_like<-1>},
    {"zeros_like", filled_like<0>},
    {"ones_like", filled_like<1>},
    {"arange", count_up},
    {"array", new_array_of},
    {"asarray", array_itself},
    {"concat", concatenated},
    {"concatenate", concatenated},
    {"stack", stacked},
    {"hstack", stacked_along_only_axis},
    {"vstack", stacked_rows},
    {"dot", product},
    {"inner", inner_product},
    {"copyto", copied_to},
};

/// The object that a caller sees in place of the Python function.
struct FunctionObject {
    PyObject_HEAD vectorcallfunc vectorcall;
    PyObject* python;
    FastPath path;
    PyObject* names;  ///< of the parameters, interned: a tuple
    int positional_only, positional, count;
};

PyTypeObject* function_type = nullptr;

FunctionObject* as_function(PyObject* self) { return reinterpret_cast<FunctionObject*>(self); }

/// Puts the arguments in their places; false for what Python is to refuse.
bool place(const FunctionObject& f, PyObject* const* args, Py_ssize_t count, PyObject* keywords, PyObject** given) {
    if (count > f.positional) return false;
    std::copy_n(args, count, given);
    std::fill(given + count, given + f.count, nullptr);
    for (Py_ssize_t k = 0; keywords && k < PyTuple_GET_SIZE(keywords); ++k) {
        PyObject* const name = PyTuple_GET_ITEM(keywords, k);
        int at = f.positional_only;
        while (at < f.count && PyTuple_GET_ITEM(f.names, at) != name) ++at;
        if (at == f.count || given[at]) return false;
        given[at] = args[count + k];
    }
    return true;
}

PyObject* call_function(PyObject* self, PyObject* const* args, size_t flagged_count, PyObject* keywords) noexcept {
    const FunctionObject& f = *as_function(self);
    PyObject* given[kMaxParameters];
    if (place(f, args, PyVectorcall_NARGS(flagged_count), keywords, given)) {
        PyObject* const result = guarded([&] { return f.path(given); });
        if (result || PyErr_Occurred()) return result;
    }
    return PyObject_Vectorcall(f.python, args, flagged_count, keywords);
}

void free_function(PyObject* self) {
    PyTypeObject* const type = Py_TYPE(self);
    Py_DECREF(as_function(self)->python);
    Py_DECREF(as_function(self)->names);
    PyObject_Free(self);
    Py_DECREF(type);
}

/// Bound as a method, as Python functions are; inspect and pydoc take it for a routine.
PyObject* bind_function(PyObject* self, PyObject* object, PyObject*) {
    return object && object != Py_None ? PyMethod_New(self, object) : Py_NewRef(self);
}

/// Attributes are the Python function's: __name__, __doc__, __defaults__, __code__ ...
PyObject* attribute_of_function(PyObject* self, PyObject* name) {
    const char* const text = PyUnicode_AsUTF8(name);
    if (!text) return nullptr;
    const std::string_view wanted = text;
    if (wanted == "__wrapped__") return Py_NewRef(as_function(self)->python);
    const bool is_own = wanted == "__class__" || wanted == "__reduce__" || wanted == "__reduce_ex__" ||
                        wanted == "__get__" || wanted == "__call__" || wanted == "__repr__" || wanted == "__dict__";
    return is_own ? PyObject_GenericGetAttr(self, name) : PyObject_GetAttr(as_function(self)->python, name);
}

int set_attribute_of_function(PyObject* self, PyObject* name, PyObject* value) {
    return PyObject_SetAttr(as_function(self)->python, name, value);
}

PyObject* repr_of_function(PyObject* self) { return PyObject_Repr(as_function(self)->python); }

/// Pickled by name, as Python functions are.
PyObject* reduce_function(PyObject* self, PyObject*) {
    return PyObject_GetAttrString(as_function(self)->python, "__qualname__");
}

PyMethodDef function_methods[] = {
    {"__reduce__", method(reduce_function), METH_NOARGS, nullptr},
    {nullptr, nullptr, 0, nullptr},
};
PyMemberDef function_members[] = {
    {"__vectorcalloffset__", Py_T_PYSSIZET, offsetof(FunctionObject, vectorcall), Py_READONLY, nullptr},
    {nullptr, 0, 0, 0, nullptr},
};

PyTypeObject* make_function_type() {
    PyType_Slot slots[] = {{Py_tp_dealloc, slot(free_function)},
                           {Py_tp_call, slot(PyVectorcall_Call)},
                           {Py_tp_descr_get, slot(bind_function)},
                           {Py_tp_getattro, slot(attribute_of_function)},
                           {Py_tp_setattro, slot(set_attribute_of_function)},
                           {Py_tp_repr, slot(repr_of_function)},
                           {Py_tp_methods, function_methods},
                           {Py_tp_members, function_members},
                           {0, nullptr}};
    PyType_Spec spec = {"cuarray.function", int(sizeof(FunctionObject)), 0,
                        Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION | Py_TPFLAGS_HAVE_VECTORCALL |
                            Py_TPFLAGS_METHOD_DESCRIPTOR,
                        slots};
    return reinterpret_cast<PyTypeObject*>(Object::steal(PyType_FromSpec(&spec)).release());
}

int number_of(PyObject* code, const char* attribute) {
    return int(to_int64(Object::steal(PyObject_GetAttrString(code, attribute)).get(), {attribute}));
}

/// The function with its fast path; itself where it has none.
Object with_fast_path(PyObject* python) {
    const std::string name = attribute_text(python, "__name__");
    const auto* const found = std::ranges::find(kFastFunctions, std::string_view(name), &FastFunction::name);
    if (found == std::end(kFastFunctions)) return Object::share(python);
    const Object code = Object::steal(PyObject_GetAttrString(python, "__code__"));
    const int positional = number_of(code.get(), "co_argcount"), others = number_of(code.get(), "co_kwonlyargcount");
    const Object variables = Object::steal(PyObject_GetAttrString(code.get(), "co_varnames"));
    if (positional + others > kMaxParameters)
        fail(PyExc_TypeError, "with_fast_path: %R has too many parameters", python);
    FunctionObject* const function = new_object_of<FunctionObject>(function_type);
    function->vectorcall = call_function;
    function->python = Py_NewRef(python);
    function->path = found->path;
    function->positional_only = number_of(code.get(), "co_posonlyargcount");
    function->positional = positional;
    function->count = positional + others;
    function->names = PySequence_GetSlice(variables.get(), 0, function->count);
    return Object::steal(reinterpret_cast<PyObject*>(function));
}

}  // namespace

void bind_fast_paths(pybind11::module_& m) {
    function_type = make_function_type();
    check(PyModule_AddObjectRef(m.ptr(), "function", reinterpret_cast<PyObject*>(function_type)));
    m.def("with_fast_path", &with_fast_path);
    pybind11::list names;
    for (const FastFunction& function : kFastFunctions) names.append(function.name);
    m.attr("fast_functions") = pybind11::tuple(names);
}

}  // namespace cuarray::python
