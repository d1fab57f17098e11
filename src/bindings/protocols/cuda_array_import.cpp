// cuda_array_import.cpp -- memory behind another library's __cuda_array_interface__.
#include <string>
#include <utility>
#include "array/foreign_memory.h"
#include "bindings/functions/convert.h"
#include "bindings/types/ndarray.h"
#include "cuarray/array/elements.h"
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
    layout.shape = to_shape(entry(interface, "shape", true).get(), "__cuda_array_interface__");
    const bool is_empty = checked_size(layout.shape, item, "__cuda_array_interface__") == 0;
    const Object strides = entry(interface, "strides", false);
    layout.strides =
        strides ? to_dims(strides.get(), {"strides", "__cuda_array_interface__"}) : c_strides(layout.shape, item);
    if (layout.strides.size() != layout.shape.size())
        raise(ErrorKind::Value, "__cuda_array_interface__: ", layout.shape.size(), " extents but ",
              layout.strides.size(), " strides");
    for (int axis = 0; axis < layout.ndim(); ++axis)
        if (!is_empty && layout.shape[axis] > 1 && layout.strides[axis] % item)
            raise(ErrorKind::Value, "__cuda_array_interface__: stride ", layout.strides[axis],
                  " is no multiple of the item size ", item);
    return layout;
}

void check_version(PyObject* interface) {
    constexpr int64_t kNewest = 3;
    const Object version = entry(interface, "version", false);
    if (!version) return;
    const int64_t number = to_int64(version.get(), {"version", "__cuda_array_interface__"});
    if (number < 0 || number > kNewest)
        raise(ErrorKind::Value, "__cuda_array_interface__: version ", number, "; versions 0 to ", kNewest,
              " are known");
}

DType interface_dtype(PyObject* interface) {
    const Object typestr = entry(interface, "typestr", true);
    if (!PyUnicode_Check(typestr.get()))
        fail(PyExc_TypeError, "__cuda_array_interface__: typestr must be a string, not %R", typestr.get());
    return from_numpy_dtype(call_with(typestr_reader.get(), typestr.get()).get());
}

/// The pointer, and whether the memory is read-only.
std::pair<uint64_t, bool> interface_data(PyObject* interface) {
    const Object given = entry(interface, "data", true);
    const Object data = pair_of(given.get());
    if (!data)
        fail(PyExc_ValueError, "__cuda_array_interface__: data must be (pointer, read_only), not %R", given.get());
    const int64_t address = to_int64(PyTuple_GetItem(data.get(), 0), {"pointer", "__cuda_array_interface__"});
    if (address < 0) raise(ErrorKind::Value, "__cuda_array_interface__: pointer ", address, " is negative");
    return {uint64_t(address), is_true(PyTuple_GetItem(data.get(), 1))};
}

/// The stream on which the producer has queued work on the memory; -1 where it says that there is none.
int64_t stream_of(PyObject* interface) {
    const Object stream = entry(interface, "stream", false);
    if (!stream) return -1;
    const int64_t number = to_int64(stream.get(), {"stream", "__cuda_array_interface__"});
    if (number <= 0) raise(ErrorKind::Value, "__cuda_array_interface__: stream ", number, " is ambiguous or invalid");
    return number;
}

}  // namespace

Array import_cuda_array_interface(PyObject* interface, PyObject* owner) {
    if (!PyDict_Check(interface)) fail(PyExc_TypeError, "__cuda_array_interface__ must be a dict, not %R", interface);
    if (entry(interface, "mask", false))
        fail(PyExc_NotImplementedError, "__cuda_array_interface__: masks are not supported");
    check_version(interface);
    const DType dtype = interface_dtype(interface);
    Layout layout = interface_layout(interface, item_size(dtype));
    const auto [address, is_read_only] = interface_data(interface);
    const int64_t stream = stream_of(interface);
    const char* const pointer = layout.size() ? reinterpret_cast<const char*>(address) : nullptr;
    ForeignMemory memory{device_at(pointer), address, 0, std::move(layout), dtype, is_read_only};
    backend(memory.device);
    const ForeignBytes bytes = checked_bytes(memory, "__cuda_array_interface__");
    return adopt_memory(std::move(memory), bytes, drop_reference, Py_NewRef(owner), stream);
}

}  // namespace cuarray::python
