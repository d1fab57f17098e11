// cuda_array_import.cpp -- memory behind another library's __cuda_array_interface__.
#include <string>
#include <string_view>
#include "bindings/convert.h"
#include "bindings/ndarray.h"
#include "cuarray/runtime/registry.h"

namespace cuarray::python {
namespace {

Attribute typestr_reader{"numpy", "dtype"};

/// An entry of the interface, or null where it is absent or None.
Object entry(PyObject* interface, const char* key, bool is_required) {
    const Object name = Object::steal(PyUnicode_FromString(key));
    Object value = Object::share(PyDict_GetItemWithError(interface, name.get()));
    if (value && value.get() != Py_None) return value;
    if (PyErr_Occurred()) throw ExceptionIsSet{};
    if (is_required) fail(PyExc_ValueError, "__cuda_array_interface__: '%s' is missing", key);
    return {};
}

/// The device that the memory is on; any one for no memory.
Device device_at(const char* address) {
    const Device current = current_device();
    const Device some = is_on_host(current) ? Device{Device::Kind::Cuda, 0} : current;
    return address ? runtime(some).device_of(address) : some;
}

Layout interface_layout(PyObject* interface, int64_t item) {
    Layout layout;
    layout.shape = to_shape(entry(interface, "shape", true).get());
    checked_size(layout.shape, item, "__cuda_array_interface__");
    const Object strides = entry(interface, "strides", false);
    layout.strides = strides ? to_dims(strides.get(), "strides") : c_strides(layout.shape, item);
    if (layout.strides.size() != layout.shape.size())
        raise(ErrorKind::Value, "__cuda_array_interface__: ", layout.shape.size(), " extents but ",
              layout.strides.size(), " strides");
    for (int64_t stride : layout.strides)
        if (stride % item)
            raise(ErrorKind::Value, "__cuda_array_interface__: stride ", stride, " is no multiple of the item size ", item);
    return layout;
}

/// The stream on which the producer has queued work on the memory; -1 where it says that there is none.
int64_t stream_of(PyObject* interface) {
    const Object stream = entry(interface, "stream", false);
    if (!stream) return -1;
    const int64_t number = to_int64(stream.get(), "stream");
    if (number <= 0) raise(ErrorKind::Value, "__cuda_array_interface__: stream ", number, " is ambiguous or invalid");
    return number;
}

}  // namespace

Array import_cuda_array_interface(PyObject* interface, PyObject* owner) {
    if (!PyDict_Check(interface)) fail(PyExc_TypeError, "__cuda_array_interface__ must be a dict, not %R", interface);
    if (entry(interface, "mask", false)) fail(PyExc_NotImplementedError, "__cuda_array_interface__: masks are not supported");
    const Object descriptor = call_with(typestr_reader.get(), entry(interface, "typestr", true).get());
    const DType dtype = from_numpy_dtype(descriptor.get());
    Layout layout = interface_layout(interface, item_size(dtype));
    const Object data = Object::steal(PySequence_Tuple(entry(interface, "data", true).get()));
    if (PyTuple_Size(data.get()) != 2) fail(PyExc_ValueError, "__cuda_array_interface__: data must be (pointer, read_only)");
    const unsigned long long address = PyLong_AsUnsignedLongLong(PyTuple_GetItem(data.get(), 0));
    if (PyErr_Occurred()) throw ExceptionIsSet{};
    if (!address && layout.size())
        raise(ErrorKind::Value, "__cuda_array_interface__: the pointer of shape ", to_string(layout.shape), " is 0");
    const bool is_read_only = is_true(PyTuple_GetItem(data.get(), 1));
    const int64_t stream = stream_of(interface);
    const Extent bytes = extent(layout, item_size(dtype));
    char* first = layout.size() ? reinterpret_cast<char*>(address) + bytes.low : nullptr;
    const Device device = device_at(first);
    auto drop = [](void* object) {
        call_with_gil([](void* context) { Py_DECREF(static_cast<PyObject*>(context)); }, object);
    };
    backend(device);
    StorageRef storage = foreign_storage(device, first, bytes.high - bytes.low, drop, Py_NewRef(owner));
    storage->exported = true;
    storage->read_only = is_read_only;
    runtime(device).adopt(*storage, stream);
    return Array(std::move(storage), -bytes.low, std::move(layout), dtype);
}

}  // namespace cuarray::python
