// numba_arguments.cpp -- arrays on cpu as arguments of Numba's compiled functions, without a NumPy array between.
#include <cstdint>
#include <memory>
#include <new>
#include <utility>
#include "bindings/functions/casters.h"
#include "bindings/module.h"
#include "bindings/protocols/interfaces.h"
#include "bindings/types/ndarray.h"

namespace py = pybind11;

namespace cuarray::python {
namespace {

/// Numba's arystruct_t: an array inside a compiled function. `meminfo` counts references and keeps `parent`.
struct NumbaArray {
    void* meminfo;
    PyObject* parent;
    intptr_t size, itemsize;
    void* data;
    intptr_t shape_and_strides[1];  ///< 2 * ndim of them
};

using MakeMemInfo = void* (*)(void* data, PyObject* owner);
/// Numba's NRT_meminfo_new_from_pyobject.
MakeMemInfo make_meminfo = nullptr;

/// What the memory's counter holds, an object of Python: the array, and the export that says that others may write
/// to its memory.
struct ArgumentOwner {
    PyObject_HEAD Export memory;
    Object array;
};

/// The memory of an owner that was freed, for the next one: most live as long as one call.
void* spare_owner = nullptr;

void free_owner(PyObject* self) {
    auto* owner = reinterpret_cast<ArgumentOwner*>(self);
    std::destroy_at(&owner->array);  // which may run other code
    std::destroy_at(&owner->memory);
    PyObject_Free(std::exchange(spare_owner, owner));
}

PyTypeObject owner_type{
    .ob_base = {PyObject_HEAD_INIT(nullptr) 0},
    .tp_name = "cuarray._core.NumbaArgument",
    .tp_basicsize = sizeof(ArgumentOwner),
    .tp_dealloc = free_owner,
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION,
    .tp_doc = "Keeps an array alive while compiled code uses it.",
};

Object make_owner(Export memory, PyObject* array) {
    if (!spare_owner) spare_owner = PyObject_Malloc(sizeof(ArgumentOwner));
    if (!spare_owner) throw std::bad_alloc();
    auto* owner = static_cast<ArgumentOwner*>(std::exchange(spare_owner, nullptr));
    PyObject_Init(reinterpret_cast<PyObject*>(owner), &owner_type);
    std::construct_at(&owner->memory, std::move(memory));
    std::construct_at(&owner->array, Object::share(array));
    return Object::steal(reinterpret_cast<PyObject*>(owner));
}

/// A dtype in compiled code, by its letter and size.
int32_t key_of(DType dtype) { return info(dtype).typestr[0] << 8 | int32_t(item_size(dtype)); }

bool is_described(const Array& array, int32_t ndim, int32_t key) {
    return array.ndim() == ndim && key_of(array.dtype()) == key;
}

/// Fills `out` with an array of the dtype and number of axes that Numba has compiled for. -1 with an exception set
/// where the object is none.
int32_t unbox_argument(PyObject* object, NumbaArray* out, int32_t ndim, int32_t key) {
    return guarded_number<int32_t>([&] {
        static char nothing[16];
        const auto refuse = [] {
            fail(PyExc_TypeError, "numba: an argument is not the cuarray.ndarray that the function was compiled for");
        };
        if (!is_ndarray(object) || !is_on_host(device_of(object))) refuse();
        const Array& array = array_of(object);
        const Object owner = make_owner(export_memory(array), object);
        char* const data = exported_address(array);
        // After the export, which may let other threads run: one may assign to the array's shape.
        if (!is_described(array, ndim, key)) refuse();
        out->data = data ? data : nothing;
        out->parent = object;
        out->size = array.size();
        out->itemsize = item_size(array.dtype());
        for (int axis = 0; axis < ndim; ++axis) {
            out->shape_and_strides[axis] = array.shape()[axis];
            out->shape_and_strides[ndim + axis] = array.strides()[axis];
        }
        out->meminfo = make_meminfo(out->data, owner.get());
        return 0;
    });
}

/// The argument that a result is, as a new reference; null, without an exception, where it is another array.
PyObject* boxed_argument(const NumbaArray* value, int32_t ndim, int32_t key) {
    if (!value->parent || !is_ndarray(value->parent)) return nullptr;
    const Array& array = array_of(value->parent);
    const auto is_its_memory = [&] {
        try {
            return array.is_empty() || array.data() == value->data;
        } catch (const Error&) { return false; }  // its memory was lent, and is not there any more
    };
    if (!is_described(array, ndim, key) || !is_its_memory()) return nullptr;
    for (int axis = 0; axis < ndim; ++axis)
        if (value->shape_and_strides[axis] != array.shape()[axis] ||
            value->shape_and_strides[ndim + axis] != array.strides()[axis])
            return nullptr;
    return Py_NewRef(value->parent);
}

}  // namespace

void bind_numba_arguments(py::module_& m) {
    m.def(
        "numba_functions",
        [](uintptr_t meminfo_new_from_pyobject) {
            if (PyType_Ready(&owner_type) != 0) throw py::error_already_set();
            make_meminfo = reinterpret_cast<MakeMemInfo>(meminfo_new_from_pyobject);
            py::dict functions;
            functions["cuarray_unbox_argument"] = reinterpret_cast<uintptr_t>(&unbox_argument);
            functions["cuarray_boxed_argument"] = reinterpret_cast<uintptr_t>(&boxed_argument);
            return functions;
        },
        "The addresses of the functions that Numba's machine code calls, by their names there.");
}

}  // namespace cuarray::python
