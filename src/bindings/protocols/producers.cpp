// producers.cpp -- the table of libraries whose arrays need a question before they are imported.
#include "bindings/protocols/producers.h"
#include <string_view>
#include "bindings/functions/convert.h"

namespace cuarray::python {
namespace {

bool is_told(PyObject* object, const char* question) {
    return is_true(Object::steal(PyObject_CallMethod(object, question, nullptr)).get());
}

/// PyTorch's module of tangents, which it imports itself; null while there is none.
PyObject* forward_derivatives() {
    static PyObject* const name = Object::steal(PyUnicode_InternFromString("torch.autograd.forward_ad")).release();
    static PyObject* known = nullptr;
    if (!known) known = PyImport_GetModule(name);
    if (!known) PyErr_Clear();
    return known;
}

/// Whether a tensor has a tangent, inside of forward_ad.dual_level().
bool has_tangent(PyObject* tensor) {
    static PyObject* const level = Object::steal(PyUnicode_InternFromString("_current_level")).release();
    PyObject* const module = forward_derivatives();
    if (!module) return false;
    const Object current = Object::steal(PyObject_GetAttr(module, level));
    if (to_int64(current.get(), {"_current_level"}) < 0) return false;
    const Object pair = Object::steal_or_null(PyObject_CallMethod(module, "unpack_dual", "O", tensor));
    if (!pair) PyErr_Clear();  // sparse tensors, which are refused for that
    return pair && Object::steal(PyObject_GetAttrString(pair.get(), "tangent")).get() != Py_None;
}

/// What PyTorch exports wrongly, and what it refuses without saying what to write. `-x` and `x.conj()` may be flags of
/// a tensor, which capsules have not.
void check_torch(PyObject* tensor) {
    if (is_told(tensor, "is_neg"))
        raise(ErrorKind::Buffer, "from_dlpack: a tensor with its negative bit set; write tensor.resolve_neg()");
    if (is_told(tensor, "is_conj"))
        raise(ErrorKind::Buffer, "from_dlpack: a tensor with its conjugate bit set; write tensor.resolve_conj()");
    const std::string layout = attribute_text(tensor, "layout");
    if (layout != "torch.strided")
        raise(ErrorKind::Buffer, "from_dlpack: a tensor of layout ", layout, "; write tensor.to_dense()");
    if (is_true(Object::steal(PyObject_GetAttrString(tensor, "is_meta")).get()))
        raise(ErrorKind::Buffer, "from_dlpack: a tensor of device 'meta', which has no memory");
    if (has_tangent(tensor))
        raise(ErrorKind::Buffer,
              "from_dlpack: a tensor with a tangent, which would be lost; use cuarray.interop.wrap, or write "
              "tensor.detach()");
}

bool is_lazy_tensor(PyObject* tensor) {
    static PyObject* const is_conj = Object::steal(PyUnicode_InternFromString("is_conj")).release();
    static PyObject* const is_neg = Object::steal(PyUnicode_InternFromString("is_neg")).release();
    for (PyObject* const question : {is_conj, is_neg})
        if (is_true(Object::steal(PyObject_CallMethodNoArgs(tensor, question)).get())) return true;
    return false;
}

bool requires_gradient(PyObject* tensor) {
    static PyObject* const requires_grad = Object::steal(PyUnicode_InternFromString("requires_grad")).release();
    return is_true(Object::steal(PyObject_GetAttr(tensor, requires_grad)).get()) || has_tangent(tensor);
}

/// An attribute of an object that may have none; null then.
Object attribute_or_null(PyObject* object, const char* name) {
    Object value = Object::steal_or_null(object ? PyObject_GetAttrString(object, name) : nullptr);
    if (value || !object) return value;
    if (!PyErr_ExceptionMatches(PyExc_Exception)) throw ExceptionIsSet{};
    PyErr_Clear();
    return {};
}

/// JAX's own errors do not say what to do. Its tracers and buffers have no such attributes.
void check_jax(PyObject* array) {
    const Object is_deleted = attribute_or_null(array, "is_deleted");
    if (!is_deleted) return;
    if (is_true(Object::steal(PyObject_CallNoArgs(is_deleted.get())).get()))
        raise(ErrorKind::Buffer, "from_dlpack: an array of JAX that was deleted or donated to a function");
    const Object sharding = attribute_or_null(array, "sharding");
    const Object devices = attribute_or_null(sharding.get(), "num_devices");
    if (devices && to_int64(devices.get(), {"num_devices", "from_dlpack"}) > 1)
        raise(ErrorKind::Buffer,
              "from_dlpack: an array of JAX on several devices; write jax.device_put(y, jax.devices()[0])");
}

/// TensorFlow ends the process when it is asked for the memory of strings, variants and resources.
void check_tensorflow(PyObject* tensor) {
    const Object dtype = Object::steal(PyObject_GetAttrString(tensor, "dtype"));
    const std::string name = attribute_text(dtype.get(), "name");
    for (int d = 0; d < kDTypes; ++d)
        if (name == info(DType(d)).name) return;
    raise(ErrorKind::Type, "from_dlpack: no dtype for a TensorFlow tensor of dtype ", name);
}

/// Arrow's bools are bits, nulls are a second buffer, and texts have offsets.
bool is_plain_column(PyObject* column) {
    static Attribute number{"numpy", "number"};
    const Object nulls = attribute_or_null(column, "null_count");
    const Object type = attribute_or_null(column, "type");
    if (!nulls || !type) return true;
    if (to_int64(nulls.get(), {"null_count", "asarray"})) return false;
    const Object scalar = Object::steal(PyObject_CallMethod(type.get(), "to_pandas_dtype", nullptr));
    return PyType_Check(scalar.get()) && PyObject_IsSubclass(scalar.get(), number.get()) == 1;
}

/// Dr.Jit exports arrays that gradients are wanted of.
void check_drjit(PyObject* array) {
    static PyObject* const name = Object::steal(PyUnicode_InternFromString("drjit")).release();
    const Object module = Object::steal_or_null(PyImport_GetModule(name));
    if (!module) PyErr_Clear();
    const Object asked = attribute_or_null(module.get(), "grad_enabled");
    if (asked && is_true(Object::steal(PyObject_CallFunctionObjArgs(asked.get(), array, nullptr)).get()))
        raise(
            ErrorKind::Buffer,
            "from_dlpack: an array of Dr.Jit with a gradient, which would be lost; use cuarray.interop.wrap, or write "
            "drjit.detach(y)");
}

constexpr Producer kProducers[] = {
    {.package = "drjit", .is_immutable = false, .check = check_drjit, .has_operators = true},
    {"jax", true, check_jax},
    {"jaxlib", true, check_jax},
    {"mlx", true},
    {"numba", false},
    {"numba_cuda_mlir", false},
    {.package = "pyarrow", .is_immutable = true, .is_plain = is_plain_column},
    {"tensorflow", true, check_tensorflow},
    {"torch", false, check_torch, "Tensor", is_lazy_tensor, requires_gradient, "untyped_storage"},
};

std::string_view package_of(std::string_view module) { return module.substr(0, module.find('.')); }

const Producer* producer_of_class(PyObject* type) {
    static PyObject* const name = Object::steal(PyUnicode_InternFromString("__module__")).release();
    const Object module = Object::steal_or_null(PyObject_GetAttr(type, name));
    if (!module) PyErr_Clear();
    if (!module || !PyUnicode_Check(module.get())) return nullptr;
    Py_ssize_t size = 0;
    const char* const text = PyUnicode_AsUTF8AndSize(module.get(), &size);
    if (!text) {
        PyErr_Clear();
        return nullptr;
    }
    const std::string_view package = package_of({text, size_t(size)});
    for (const Producer& producer : kProducers)
        if (package == producer.package) return &producer;
    return nullptr;
}

}  // namespace

const Producer* own_producer_of(PyTypeObject* type) {
    const Producer* const producer = producer_of_class(reinterpret_cast<PyObject*>(type));
    return producer && producer->has_operators ? nullptr : producer;
}

const Producer* producer_of(PyTypeObject* type) {
    const Object bases = Object::share(type->tp_mro);
    for (Py_ssize_t i = 0; i < PyTuple_Size(bases.get()); ++i)
        if (const Producer* const producer = producer_of_class(PyTuple_GetItem(bases.get(), i))) return producer;
    return nullptr;
}

}  // namespace cuarray::python
