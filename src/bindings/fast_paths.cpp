// fast_paths.cpp -- the objects that public functions with a fast path are, and what fast paths read.
#include "bindings/fast_paths.h"
#include <algorithm>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>
#include <vector>
#include "bindings/fallback.h"
#include "bindings/module.h"
#include "cuarray/runtime/registry.h"

namespace cuarray::python {

bool are_absent(Given given, std::initializer_list<int> parameters) {
    return std::ranges::all_of(parameters, [&](int k) { return !given[k]; });
}

bool read_int(PyObject* object, int64_t& value) {
    int overflow = 0;
    if (!PyLong_CheckExact(object)) return false;
    value = PyLong_AsLongLongAndOverflow(object, &overflow);
    return !overflow && value > -(int64_t(1) << 60) && value < int64_t(1) << 60;
}

bool read_shape(PyObject* object, Dims& shape) {
    constexpr int64_t kMost = int64_t(1) << 28;  // so that products do not overflow
    int64_t elements = 1;                        // with empty axes left out
    const auto add = [&](PyObject* extent) {
        int64_t value;
        if (!read_int(extent, value) || value < 0 || value > kMost) return false;
        shape.push_back(value);
        elements *= std::max<int64_t>(value, 1);
        return elements <= kMost;
    };
    if (!object) return false;
    if (!PyTuple_CheckExact(object)) return add(object);
    if (PyTuple_GET_SIZE(object) > 8) return false;
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(object); ++i)
        if (!add(PyTuple_GET_ITEM(object, i))) return false;
    return true;
}

bool read_dtype(PyObject* object, DType& dtype) {
    if (!object) return true;
    try {
        dtype = to_dtype(object, dtype);
        return true;
    } catch (const ExceptionIsSet&) { PyErr_Clear(); } catch (const Error&) {
    }
    return false;
}

bool read_float(PyObject* object, double& number) {
    int64_t integer;
    if (PyFloat_CheckExact(object)) {
        number = PyFloat_AS_DOUBLE(object);
        return true;
    }
    if (is_number(object) && dtype_of_number(object) == DType::float64) {
        std::memcpy(&number, element_of_number(object), sizeof number);
        return true;
    }
    if (!read_int(object, integer)) return false;
    number = double(integer);
    return int64_t(number) == integer;
}

bool is_direct(Device device) { return is_on_host(device) && backend(device).front().direct(); }

namespace {

/// The numbers in nested lists and tuples of one shape.
class NumberReader {
 public:
    static constexpr int64_t kMost = 1 << 20;

    bool read(PyObject* object) { return find_shape(object) && read_list(object, 0); }
    Array array() const {
        const DType dtype = has_bools_ ? DType::bool_ : has_floats_ ? DType::float64 : DType::int64;
        Array result = empty(shape_, dtype, current_device());
        char* const to = direct_data(result);
        if (!to) return {};
        for (int64_t i = 0; i < count_; ++i) {
            const Number& number = numbers_[size_t(i)];
            const double real = number.is_float ? number.real : double(number.integer);
            if (has_bools_)
                to[i] = number.integer != 0;
            else
                std::memcpy(to + i * 8, has_floats_ ? static_cast<const void*>(&real) : &number.integer, 8);
        }
        return result;
    }

 private:
    bool find_shape(PyObject* object) {
        constexpr int kDeepest = 4;
        int64_t total = 1;
        for (; is_list(object); object = entry_of(object, 0)) {
            const Py_ssize_t n = length_of(object);
            if (n == 0 || shape_.size() == kDeepest || (total *= n) > kMost) return false;
            shape_.push_back(n);
        }
        numbers_.resize(size_t(total));
        return shape_.size() > 0;
    }

    bool read_list(PyObject* list, int axis) {
        if (!is_list(list) || length_of(list) != shape_[axis]) return false;
        for (Py_ssize_t i = 0; i < shape_[axis]; ++i)
            if (!(axis + 1 < shape_.size() ? read_list(entry_of(list, i), axis + 1) : read_number(entry_of(list, i))))
                return false;
        return true;
    }

    bool read_number(PyObject* object) {
        Number& number = numbers_[size_t(count_++)];
        number.is_float = false;
        if (PyBool_Check(object)) {
            has_bools_ = true;
            number.integer = object == Py_True;
            return !has_others_;
        }
        has_others_ = true;
        if (PyFloat_CheckExact(object)) {
            number.is_float = has_floats_ = true;
            number.real = PyFloat_AS_DOUBLE(object);
        } else if (is_number(object)) {
            const Scalar& scalar = scalar_of_number(object);
            if (scalar.dtype != DType::float64 && scalar.dtype != DType::int64) return false;
            number.is_float = scalar.dtype == DType::float64;
            has_floats_ |= number.is_float;
            std::memcpy(number.is_float ? static_cast<void*>(&number.real) : &number.integer, scalar.bytes, 8);
        } else if (!read_int(object, number.integer)) {
            return false;
        }
        return !has_bools_;
    }

    struct Number {
        bool is_float;
        double real;
        int64_t integer;
    };
    Dims shape_;
    int64_t count_ = 0;
    bool has_bools_ = false, has_floats_ = false, has_others_ = false;
    std::vector<Number> numbers_;
};

}  // namespace

Array read_numbers(PyObject* object) {
    if (!is_list(object)) return {};
    if (!is_direct(current_device())) return {};
    NumberReader reader;
    return reader.read(object) ? reader.array() : Array();
}

const Array* read_array(PyObject* object) {
    if (!object || !is_ndarray(object)) return nullptr;
    const Array& array = array_of(object);
    return array.is_pending() ? nullptr : &array;
}

namespace {

constexpr int kMaxParameters = 12;
/// So many arguments of a *parameter that is the first are placed as if they were parameters.
constexpr int kVariadic = 7;

/// The object that a caller sees in place of the Python function.
struct FunctionObject {
    PyObject_HEAD vectorcallfunc vectorcall;
    PyObject* python;
    FastPath path;
    int which;
    PyObject* names;     ///< of the parameters, interned: a tuple; None for the first arguments of a *parameter
    PyObject* defaults;  ///< a tuple, too, with `names` itself where there is none
    PyObject* fallback;  ///< asked after an error about types; null without one
    PyObject* weakrefs;
    int positional_only, positional, count;
    int out;  ///< the place of the parameter of this name, or -1
};

PyTypeObject* function_type = nullptr;
PyTypeObject* builtin_type = nullptr;  ///< of functions that are no methods where a class has them

FunctionObject* as_function(PyObject* self) { return reinterpret_cast<FunctionObject*>(self); }

/// Puts the arguments in their places; false for what Python is to refuse.
bool place_in_order(const FunctionObject& f, PyObject* const* args, Py_ssize_t count, PyObject* keywords,
                    PyObject** given) {
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
    // Many programs write out defaults, as in axis=None. They are known by their identity.
    for (int k = 0; k < f.count; ++k)
        if (given[k] == PyTuple_GET_ITEM(f.defaults, k)) given[k] = nullptr;
    return true;
}

/// The array to which a call on the host writes a few elements; null where that is for the Python function.
PyObject* take_out(const FunctionObject& f, PyObject** given) {
    constexpr int64_t kMostCopied = 1 << 15;  // bytes; more elements are better written where they are to be
    PyObject* const out = f.out < 0 ? nullptr : given[f.out];
    const Array* const array = out && is_ndarray(out) && !is_number(out) ? read_array(out) : nullptr;
    if (!array || !is_on_host(array->device()) || !array->is_writable()) return nullptr;
    if (array->size() * item_size(array->dtype()) > kMostCopied) return nullptr;
    given[f.out] = nullptr;
    return out;
}

/// Copies a result to `out`; null if that has another shape or dtype, on which Python decides.
PyObject* write_out(PyObject* out, const Object& result) {
    if (!result || !is_ndarray(result.get())) return nullptr;
    const Array &to = array_of(out), &from = array_of(result.get());
    if (to.dtype() != from.dtype() || to.shape() != from.shape() || !(to.device() == from.device())) return nullptr;
    assign(to, from, "out");
    return Py_NewRef(out);
}

PyObject* call_function(PyObject* self, PyObject* const* args, size_t flagged_count, PyObject* keywords) noexcept {
    const FunctionObject& f = *as_function(self);
    PyObject* given[kMaxParameters];
    if (f.path && place_in_order(f, args, PyVectorcall_NARGS(flagged_count), keywords, given)) {
        PyObject* const out = take_out(f, given);
        PyObject* const result = guarded([&] {
            PyObject* const found = f.path(given, f.which);
            return out ? write_out(out, Object::steal_or_null(found)) : found;
        });
        if (result || (!out && PyErr_Occurred())) return result;
        PyErr_Clear();  // of a call without `out`, where that may be the error
    }
    PyObject* const result = PyObject_Vectorcall(f.python, args, flagged_count, keywords);
    return result ? result : call_fallback(f.fallback, args, PyVectorcall_NARGS(flagged_count), keywords);
}

void free_function(PyObject* self) {
    PyTypeObject* const type = Py_TYPE(self);
    if (as_function(self)->weakrefs) PyObject_ClearWeakRefs(self);
    Py_DECREF(as_function(self)->python);
    Py_DECREF(as_function(self)->names);
    Py_DECREF(as_function(self)->defaults);
    Py_XDECREF(as_function(self)->fallback);
    PyObject_Free(self);
    Py_DECREF(type);
}

/// Bound as a method, as Python functions are; inspect and pydoc take it for a routine.
PyObject* bind_function(PyObject* self, PyObject* object, PyObject*) {
    return object && object != Py_None ? PyMethod_New(self, object) : Py_NewRef(self);
}

/// As NumPy's functions in C; with a __get__ inspect and pydoc take it for a routine as well.
PyObject* leave_unbound(PyObject* self, PyObject*, PyObject*) { return Py_NewRef(self); }

/// Attributes are the Python function's: __name__, __doc__, __defaults__, __code__ ... A fallback says in which module
/// the function is, for pickles.
PyObject* attribute_of_function(PyObject* self, PyObject* name) {
    const char* const text = PyUnicode_AsUTF8(name);
    if (!text) return nullptr;
    const std::string_view wanted = text;
    if (wanted == "__wrapped__") return Py_NewRef(as_function(self)->python);
    if (wanted == "__module__" && as_function(self)->fallback)
        return PyObject_GetAttr(as_function(self)->fallback, name);
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
/// For pydoc, which goes past the attributes above.
PyGetSetDef function_attributes[] = {
    {"__doc__", [](PyObject* self, void*) { return PyObject_GetAttrString(as_function(self)->python, "__doc__"); },
     nullptr, nullptr, nullptr},
    {nullptr, nullptr, nullptr, nullptr, nullptr},
};
PyMemberDef function_members[] = {
    {"__weaklistoffset__", Py_T_PYSSIZET, offsetof(FunctionObject, weakrefs), Py_READONLY, nullptr},
    {"__vectorcalloffset__", Py_T_PYSSIZET, offsetof(FunctionObject, vectorcall), Py_READONLY, nullptr},
    {nullptr, 0, 0, 0, nullptr},
};

PyTypeObject* make_function_type(const char* name, descrgetfunc bind, unsigned int flags) {
    PyType_Slot slots[] = {{Py_tp_dealloc, slot(free_function)},
                           {Py_tp_call, slot(PyVectorcall_Call)},
                           {Py_tp_descr_get, slot(bind)},
                           {Py_tp_getattro, slot(attribute_of_function)},
                           {Py_tp_setattro, slot(set_attribute_of_function)},
                           {Py_tp_repr, slot(repr_of_function)},
                           {Py_tp_methods, function_methods},
                           {Py_tp_getset, function_attributes},
                           {Py_tp_members, function_members},
                           {0, nullptr}};
    PyType_Spec spec = {
        name, int(sizeof(FunctionObject)), 0,
        unsigned(Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION | Py_TPFLAGS_HAVE_VECTORCALL) | flags, slots};
    return reinterpret_cast<PyTypeObject*>(Object::steal(PyType_FromSpec(&spec)).release());
}

int number_of(PyObject* code, const char* attribute) {
    return int(to_int64(Object::steal(PyObject_GetAttrString(code, attribute)).get(), {attribute}));
}

/// The defaults of a function's parameters, of which the first ones are `positional`.
Object defaults_of(PyObject* python, const Object& names, int positional) {
    const Object of_positional = Object::steal(PyObject_GetAttrString(python, "__defaults__"));
    const Object by_name = Object::steal(PyObject_GetAttrString(python, "__kwdefaults__"));
    const Py_ssize_t count = PyTuple_GET_SIZE(names.get());
    const Py_ssize_t given = of_positional.get() == Py_None ? 0 : PyTuple_GET_SIZE(of_positional.get());
    Object defaults = Object::steal(PyTuple_New(count));
    for (Py_ssize_t k = 0; k < count; ++k) {
        PyObject* value = nullptr;
        if (k < positional)
            value = k < positional - given ? nullptr : PyTuple_GET_ITEM(of_positional.get(), k - (positional - given));
        else if (by_name.get() != Py_None)
            value = PyDict_GetItemWithError(by_name.get(), PyTuple_GET_ITEM(names.get(), k));
        PyTuple_SET_ITEM(defaults.get(), k, Py_NewRef(value ? value : names.get()));
    }
    return defaults;
}

/// Calls take(function) for every function with a fast path; not for methods.
template <class Take>
void for_each_path(Take take) {
    for (const auto& paths : {array_paths()})
        for (const FastFunction& function : paths) take(function);
}

/// The function with the fast path of that name, by default its own; itself where there is none.
Object with_fast_path(PyObject* python, const std::optional<std::string>& called) {
    const std::string name = called ? *called : attribute_text(python, "__name__");
    const FastFunction* found = nullptr;
    const auto look_at = [&](const FastFunction& function) {
        if (function.name == name) found = &function;
    };
    for_each_path(look_at);
    if (!found) return Object::share(python);
    const Object code = Object::steal(PyObject_GetAttrString(python, "__code__"));
    const int parameters = number_of(code.get(), "co_argcount"), others = number_of(code.get(), "co_kwonlyargcount");
    const bool is_method = name.find('.') != name.npos;
    const bool is_variadic = parameters == int(is_method) && (number_of(code.get(), "co_flags") & CO_VARARGS);
    const Object variables = Object::steal(PyObject_GetAttrString(code.get(), "co_varnames"));
    const int positional = is_variadic ? parameters + kVariadic : parameters;
    if (positional + others > kMaxParameters)
        fail(PyExc_TypeError, "with_fast_path: %R has too many parameters", python);
    Object names = Object::steal(PySequence_GetSlice(variables.get(), 0, parameters + others));
    if (is_variadic) {
        const Object place = Object::steal(PyTuple_Pack(1, Py_None));
        const Object places = Object::steal(PySequence_Repeat(place.get(), kVariadic));
        const Object first = Object::steal(PySequence_GetSlice(names.get(), 0, parameters));
        const Object later = Object::steal(PySequence_GetSlice(names.get(), parameters, parameters + others));
        names = Object::steal(PySequence_Concat(first.get(), places.get()));
        names = Object::steal(PySequence_Concat(names.get(), later.get()));
    }
    Object defaults = defaults_of(python, names, is_variadic ? 0 : parameters);
    FunctionObject* const function = new_object_of<FunctionObject>(function_type);
    function->vectorcall = call_function;
    function->python = Py_NewRef(python);
    function->fallback = function->weakrefs = nullptr;
    function->path = found->path;
    function->which = found->which;
    function->positional_only = is_variadic ? positional : number_of(code.get(), "co_posonlyargcount");
    function->positional = positional;
    function->count = positional + others;
    function->out = -1;
    // A method without its `out` may draw other random numbers.
    for (int k = 0; k < function->count && !is_method; ++k)
        if (PyObject* const name = PyTuple_GET_ITEM(names.get(), k);
            name != Py_None && PyUnicode_CompareWithASCIIString(name, "out") == 0)
            function->out = k;
    function->names = names.release();
    function->defaults = defaults.release();
    return Object::steal(reinterpret_cast<PyObject*>(function));
}

/// The callable as a function of that type, with its fast path if it has one.
FunctionObject* copy_as(PyTypeObject* type, PyObject* callable) {
    FunctionObject* const function = new_object_of<FunctionObject>(type);
    function->vectorcall = call_function;
    function->fallback = function->weakrefs = nullptr;
    if (Py_TYPE(callable) == function_type || Py_TYPE(callable) == builtin_type) {
        const FunctionObject& from = *as_function(callable);
        function->python = Py_NewRef(from.python);
        function->names = Py_NewRef(from.names);
        function->defaults = Py_NewRef(from.defaults);
        function->path = from.path;
        function->which = from.which;
        function->positional_only = from.positional_only;
        function->positional = from.positional;
        function->count = from.count;
        function->out = from.out;
    } else {
        function->python = Py_NewRef(callable);
        function->names = Py_NewRef(Py_None);
        function->defaults = Py_NewRef(Py_None);
        function->path = nullptr;
        function->which = function->positional_only = function->positional = function->count = 0;
        function->out = -1;
    }
    return function;
}

/// The function as one that classes do not bind as a method.
Object without_binding(PyObject* callable) {
    return Object::steal(reinterpret_cast<PyObject*>(copy_as(builtin_type, callable)));
}

/// The function as one that asks a fallback after errors about types.
Object with_fallback(PyObject* callable, PyObject* fallback) {
    const bool is_bound_by_classes = PyType_GetFlags(Py_TYPE(callable)) & Py_TPFLAGS_METHOD_DESCRIPTOR;
    FunctionObject* const function = copy_as(is_bound_by_classes ? function_type : builtin_type, callable);
    function->fallback = Py_NewRef(fallback);
    return Object::steal(reinterpret_cast<PyObject*>(function));
}

}  // namespace

void bind_fast_paths(pybind11::module_& m) {
    function_type = make_function_type("cuarray.fast_function", bind_function, Py_TPFLAGS_METHOD_DESCRIPTOR);
    builtin_type = make_function_type("cuarray.builtin_function", leave_unbound, 0);
    check(PyModule_AddObjectRef(m.ptr(), "fast_function", reinterpret_cast<PyObject*>(function_type)));
    check(PyModule_AddObjectRef(m.ptr(), "builtin_function", reinterpret_cast<PyObject*>(builtin_type)));
    m.def("without_binding", &without_binding);
    m.def("with_fallback", &with_fallback);
    m.def("with_fast_path", &with_fast_path, pybind11::arg(), pybind11::arg("name") = pybind11::none());
    pybind11::list names;
    for_each_path([&](const FastFunction& function) { names.append(function.name); });
    m.attr("fast_functions") = pybind11::tuple(names);
}

}  // namespace cuarray::python
