// torch_function.cpp -- __torch_function__: PyTorch's functions called with arrays among their arguments.
#include <algorithm>
#include <string_view>
#include <utility>
#include <vector>
#include "bindings/protocols/interfaces.h"
#include "bindings/types/ndarray.h"

namespace cuarray::python {
namespace {

/// The arrays of a call, and the tensors over their memory that take their places.
using Pairs = std::vector<std::pair<Object, Object>>;

bool is_of_inference(PyObject* tensor) {
    static PyObject* const name = PyUnicode_InternFromString("is_inference");
    return is_true(Object::steal(PyObject_CallMethodNoArgs(tensor, name)).get());
}

/// Whether a tensor over an array is its memory for certain, so that writes to the tensor need not be counted.
bool is_shared(PyObject* object) {
    const Array& array = array_of(object);
    const int64_t item = item_size(array.dtype());
    const auto is_plain = [item](int64_t stride) { return stride >= 0 && stride % item == 0; };
    return is_on_host(array.device()) && array.is_writable() && std::ranges::all_of(array.strides(), is_plain);
}

Object tensor_of(PyObject* array) {
    static Attribute tensor_class{"torch", "Tensor"};
    static Attribute counting_writes{"cuarray._ndarray.torch_function", "counting_writes"};
    static PyObject* const convert = PyUnicode_InternFromString("torch");
    Object tensor;
    if (is_on_host(device_of(array))) tensor = Object::steal(as_exchanged_method(array, tensor_class.get()));
    if (!tensor || tensor.get() == Py_None) tensor = Object::steal(PyObject_CallMethodNoArgs(array, convert));
    if (is_shared(array)) return tensor;
    return is_of_inference(tensor.get()) ? call_with(counting_writes.get(), array) : std::move(tensor);
}

Object with_tensors(PyObject* value, Pairs& pairs);

/// The same for a tuple, which is returned itself where nothing in it is an array.
Object tuple_with_tensors(PyObject* tuple, Pairs& pairs) {
    const size_t before = pairs.size();
    const Py_ssize_t count = PyTuple_GET_SIZE(tuple);
    Object made = Object::steal(PyTuple_New(count));
    for (Py_ssize_t i = 0; i < count; ++i)
        PyTuple_SET_ITEM(made.get(), i, with_tensors(PyTuple_GET_ITEM(tuple, i), pairs).release());
    return pairs.size() == before ? Object::share(tuple) : std::move(made);
}

Object list_with_tensors(PyObject* list, Pairs& pairs) {
    const Object parts = Object::steal(PyList_AsTuple(list));
    const Object made = tuple_with_tensors(parts.get(), pairs);
    return made.get() == parts.get() ? Object::share(list) : Object::steal(PySequence_List(made.get()));
}

Object dict_with_tensors(PyObject* dict, Pairs& pairs) {
    const size_t before = pairs.size();
    Object made = Object::steal(PyDict_Copy(dict));
    const Object keys = Object::steal(PyDict_Keys(dict));
    for (Py_ssize_t i = 0; i < PyList_GET_SIZE(keys.get()); ++i) {
        PyObject* const key = PyList_GET_ITEM(keys.get(), i);
        const Object part = Object::share(PyDict_GetItemWithError(made.get(), key));
        const Object converted = with_tensors(part.get(), pairs);
        if (converted.get() != part.get()) check(PyDict_SetItem(made.get(), key, converted.get()));
    }
    return pairs.size() == before ? Object::share(dict) : std::move(made);
}

/// A value with tensors in the place of arrays, also in lists, tuples and dicts.
Object with_tensors(PyObject* value, Pairs& pairs) {
    if (is_ndarray(value)) {
        Object tensor = tensor_of(value);
        pairs.emplace_back(Object::share(value), Object::share(tensor.get()));
        return tensor;
    }
    const bool is_tuple = PyTuple_CheckExact(value), is_list = PyList_CheckExact(value);
    if (!is_tuple && !is_list && !PyDict_CheckExact(value)) return Object::share(value);
    if (Py_EnterRecursiveCall(" in a call of PyTorch's")) throw ExceptionIsSet{};
    try {
        Object made = is_tuple  ? tuple_with_tensors(value, pairs)
                      : is_list ? list_with_tensors(value, pairs)
                                : dict_with_tensors(value, pairs);
        Py_LeaveRecursiveCall();
        return made;
    } catch (...) {
        Py_LeaveRecursiveCall();
        throw;
    }
}

/// Whether a tensor may have been written to: those made in inference mode do not say.
bool may_be_written(PyObject* tensor) {
    static PyObject* const name = PyUnicode_InternFromString("_version");
    const Object version = Object::steal_or_null(PyObject_GetAttr(tensor, name));
    if (!version) PyErr_Clear();
    return !version || is_true(version.get());
}

/// Whether a function may give an argument other memory: of PyTorch's in C, those do that are named so, and without
/// `out=` no others.
bool may_resize(PyObject* function) {
    const char* const name = PyCFunction_Check(function) ? reinterpret_cast<PyCFunctionObject*>(function)->m_ml->ml_name
                             : Py_IS_TYPE(function, &PyMethodDescr_Type)
                                 ? reinterpret_cast<PyMethodDescrObject*>(function)->d_method->ml_name
                                 : "_";
    return std::string_view(name).ends_with('_');
}

}  // namespace

constexpr Signature kTorchFunctionSignature{"__torch_function__", {"func", "types", "args", "kwargs"}, 4, 2};
static PyObject* call_torch_function(PyObject*, PyObject** values) {
    static Attribute require_shared{"cuarray._ndarray.torch_function", "require_shared"};
    PyObject *const function = values[0], *const keywords = values[3];
    Pairs pairs;
    const Object given = values[2] ? Object::steal(PySequence_Tuple(values[2])) : Object::steal(PyTuple_New(0));
    const Object args = tuple_with_tensors(given.get(), pairs);
    if (keywords && keywords != Py_None && !PyDict_Check(keywords))
        fail(PyExc_TypeError, "__torch_function__: kwargs must be a dict, not %s", Py_TYPE(keywords)->tp_name);
    const bool has_keywords = keywords && keywords != Py_None && PyDict_GET_SIZE(keywords);
    const Object named = has_keywords ? dict_with_tensors(keywords, pairs) : Object();
    if (pairs.empty()) return Py_NewRef(Py_NotImplemented);
    Object result = Object::steal(PyObject_Call(function, args.get(), named.get()));
    const bool resizes = has_keywords || may_resize(function);
    for (const auto& [array, tensor] : pairs)
        if ((resizes || !is_shared(array.get())) && may_be_written(tensor.get()))
            Object::steal(
                PyObject_CallFunctionObjArgs(require_shared.get(), array.get(), tensor.get(), function, nullptr));
    return result.release();
}

PyObject* torch_function() {
    static PyMethodDef method_of_class = {
        "__torch_function__", method(fast_method<kTorchFunctionSignature, call_torch_function>), kFast,
        "__torch_function__(func, types, args=(), kwargs=None)\n--\n\n"
        "Calls a function of PyTorch's with tensors in the place of arrays, also in lists, tuples and dicts."};
    return PyCFunction_NewEx(&method_of_class, nullptr, nullptr);
}

}  // namespace cuarray::python
