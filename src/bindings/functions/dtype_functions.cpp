// dtype_functions.cpp -- result_type, promote_types and can_cast. Python functions describe them.
#include <vector>
#include "bindings/functions/function.h"
#include "bindings/functions/function_call.h"
#include "bindings/module.h"
#include "cuarray/runtime/registry.h"

namespace cuarray::python {
namespace {

PyObject* result_type_of(std::span<PyObject* const> arrays_and_dtypes) {
    if (arrays_and_dtypes.empty()) raise(ErrorKind::Value, "result_type: at least one array or dtype is required");
    std::vector<ArgType> types;
    for (PyObject* const one : arrays_and_dtypes) {
        // To resolve_dtypes Python's types stand for its numbers; here they are dtypes, and so is None.
        const bool is_dtype = one == Py_None || PyType_Check(one) || PyUnicode_Check(one) || is_numpy_dtype(one);
        types.push_back(is_dtype ? ArgType{to_dtype_of_either_order(one, "result_type").dtype, {}} : to_arg_type(one));
    }
    return to_python(result_type(types)).release();
}

/// As in NumPy, None is no dtype here.
StoredDType read_dtype_of_either_order(PyObject* object, const char* function) {
    if (object == Py_None) fail(PyExc_TypeError, "%s: None is not a dtype", function);
    return to_dtype_of_either_order(object, function);
}

/// result_type: *arrays_and_dtypes.
PyObject* run_result_type(const FunctionCall& call) { return result_type_of(call.rest); }

/// promote_types: type1, type2.
PyObject* run_promote_types(const FunctionCall& call) {
    const DType first = read_dtype_of_either_order(call.given[0], "promote_types").dtype;
    return to_python(promote(first, read_dtype_of_either_order(call.given[1], "promote_types").dtype)).release();
}

/// can_cast: from_, to, casting.
PyObject* can_cast_of(PyObject* const* given) {
    PyObject* const from = given[0];
    if (PyLong_CheckExact(from) || PyFloat_CheckExact(from) || PyComplex_CheckExact(from))
        fail(PyExc_TypeError, "can_cast: Python numbers have no dtype; give an array or a dtype, not %R", from);
    const bool is_numpys = is_numpy_array(from) || is_numpy_scalar(from);
    const Object numpys = is_numpys ? Object::steal(PyObject_GetAttrString(from, "dtype")) : Object::share(from);
    const StoredDType source =
        is_ndarray(from) ? StoredDType{dtype_of(from)} : read_dtype_of_either_order(numpys.get(), "can_cast");
    const StoredDType wanted = read_dtype_of_either_order(given[1], "can_cast");
    const Casting casting = to_casting(given[2], Casting::Safe);
    const bool keeps_order = casting != Casting::No || source.is_swapped == wanted.is_swapped;
    return PyBool_FromLong(keeps_order && can_cast(source.dtype, wanted.dtype, casting));
}

PyObject* run_can_cast(const FunctionCall& call) { return can_cast_of(call.given); }

constexpr ObjectFunction kDTypeFunctions[] = {
    {"result_type", run_result_type, true},
    {"promote_types", run_promote_types},
    {"can_cast", run_can_cast, true},
};

}  // namespace

std::span<const ObjectFunction> dtype_functions() { return kDTypeFunctions; }

static PyMethodDef functions_of_dtypes[] = {
    private_method<+[](PyObject* object, const char* function) {
        return to_python(to_dtype_of_either_order(object, function).dtype);
    }>("native_dtype", "A dtype in the machine's byte order, given in either."),
    {"result_type", method(+[](PyObject*, PyObject* const* args, Py_ssize_t count) {
         return guarded([&] { return result_type_of({args, size_t(count)}); });
     }),
     METH_FASTCALL, nullptr},
    {"can_cast", method(+[](PyObject*, PyObject* const* args, Py_ssize_t count) {
         return guarded([&] {
             if (count != 3) fail(PyExc_TypeError, "can_cast takes from_, to and casting");
             return can_cast_of(args);
         });
     }),
     METH_FASTCALL, nullptr},
    {},
};

void bind_dtype_functions(PyObject* module) { check(PyModule_AddFunctions(module, functions_of_dtypes)); }

}  // namespace cuarray::python
