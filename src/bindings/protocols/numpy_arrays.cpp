// numpy_arrays.cpp -- the memory of NumPy arrays as arrays on cpu, and the other way round.
#include <pybind11/numpy.h>
#include <cstring>
#include <memory>
#include <utility>
#include "array/foreign_memory.h"
#include "bindings/functions/convert.h"
#include "bindings/functions/plain_values.h"
#include "bindings/protocols/interfaces.h"
#include "bindings/types/ndarray.h"
#include "cuarray/array/pending.h"
#include "cuarray/runtime/registry.h"
#include "ops/element_access.h"

namespace py = pybind11;

namespace cuarray::python {
namespace {

constexpr Device kHost{};

py::array new_numpy_array(const Array& array, const Dims& shape) {
    const py::dtype dtype = py::reinterpret_steal<py::dtype>(to_python(array.dtype()).release());
    return py::array(dtype, py::array::ShapeContainer(shape.begin(), shape.end()));
}

/// numpy.ndarray, once an array has been imported: asking NumPy for it needs the GIL.
PyTypeObject* numpy_type = nullptr;

/// Whether anybody but the storage that has the one counted reference can find the array, or one whose memory it shows.
/// Called without the GIL, too: where the storage has the only reference, nobody can change what is read here.
bool is_held_elsewhere([[maybe_unused]] void* numpy_array) {
#ifdef Py_GIL_DISABLED
    return true;  // counts of references are spread over threads
#else
    PyTypeObject* const plain = numpy_type;
    for (auto* object = static_cast<PyObject*>(numpy_array); object && Py_TYPE(object) == plain;) {
        const PyObject* weak = nullptr;
        std::memcpy(&weak, reinterpret_cast<char*>(object) + plain->tp_weaklistoffset, sizeof weak);
        if (Py_REFCNT(object) != 1 || weak) return true;
        const auto* const array = py::detail::array_proxy(object);
        if (array->flags & py::detail::npy_api::NPY_ARRAY_OWNDATA_) return array->base != nullptr;
        object = array->base;
    }
    return true;
#endif
}

void end_loan(void* lent) { delete static_cast<Export*>(lent); }

/// The memory of an array of NumPy's whose dtype is known.
Array import_as(PyObject* numpy_array, DType dtype) {
    const auto* const source = py::detail::array_proxy(numpy_array);
    Layout layout;
    for (int axis = 0; axis < source->nd; ++axis) {
        layout.shape.push_back(source->dimensions[axis]);
        layout.strides.push_back(source->strides[axis]);
    }
    const bool is_read_only = !(source->flags & py::detail::npy_api::NPY_ARRAY_WRITEABLE_);
    numpy_type = py::detail::npy_api::get().PyArray_Type_;
    ForeignMemory memory{kHost, reinterpret_cast<uintptr_t>(source->data), 0, std::move(layout), dtype, is_read_only};
    const ForeignBytes bytes = checked_bytes(memory, "asarray");
    return adopt_memory(std::move(memory), bytes, drop_reference, Py_NewRef(numpy_array), kDataIsReady,
                        is_held_elsewhere);
}

bool read_numpy_dtype(PyObject* object, DType& dtype) {
    if (Py_TYPE(object) == py::detail::npy_api::get().PyArray_Type_)
        dtype = find_numpy_dtype(py::detail::array_proxy(object)->descr);
    return dtype != DType::none;
}

}  // namespace

Array import_numpy(PyObject* numpy_array, const char* function) {
    return import_as(numpy_array, from_numpy_dtype(py::detail::array_proxy(numpy_array)->descr, function));
}

bool is_foreign_order(PyObject* descriptor) { return py::reinterpret_borrow<py::dtype>(descriptor).byteorder() == '>'; }

bool is_numpys_alone(PyObject* descriptor) {
    constexpr int kObject = 17, kTimedelta = 22;  // NumPy's numbers; between them bytes, text, records and dates
    const int number = py::reinterpret_borrow<py::dtype>(descriptor).num();
    return (number >= kObject && number <= kTimedelta) || is_foreign_order(descriptor);
}

bool has_dtype_of_numpys_alone(PyObject* object) {
    return Py_TYPE(object) == py::detail::npy_api::get().PyArray_Type_ &&
           is_numpys_alone(py::detail::array_proxy(object)->descr);
}

bool has_swapped_bytes(PyObject* numpy_array) {
    PyObject* const dtype = py::detail::array_proxy(numpy_array)->descr;
    return find_numpy_dtype(dtype) == DType::none && is_foreign_order(dtype);
}

Object in_native_order(PyObject* numpy_array) {
    if (!has_swapped_bytes(numpy_array)) return Object::share(numpy_array);
    PyObject* const dtype = py::detail::array_proxy(numpy_array)->descr;
    const Object native = Object::steal(PyObject_CallMethod(dtype, "newbyteorder", "s", "="));
    return Object::steal(PyObject_CallMethod(numpy_array, "astype", "O", native.get()));
}

Array import_native_numpy(PyObject* object) {
    DType dtype = DType::none;
    return read_numpy_dtype(object, dtype) ? import_as(object, dtype) : Array();
}

bool is_native_numpy(PyObject* object) {
    DType dtype = DType::none;
    return read_numpy_dtype(object, dtype);
}

Array copy_of_few(PyObject* object, Device device) {
    constexpr int64_t kMost = 1 << 16;  // bytes
    if (Py_TYPE(object) != py::detail::npy_api::get().PyArray_Type_) return {};
    const auto* const source = py::detail::array_proxy(object);
    const bool is_contiguous = source->flags & py::detail::npy_api::NPY_ARRAY_C_CONTIGUOUS_;
    DType dtype = DType::none;
    if (!is_contiguous || source->nd == 0 || !read_dtype(source->descr, dtype)) return {};
    Dims shape;
    int64_t bytes = item_size(dtype);
    for (int axis = 0; axis < source->nd; ++axis) {
        shape.push_back(source->dimensions[axis]);
        if (__builtin_mul_overflow(bytes, source->dimensions[axis], &bytes)) return {};
    }
    if (bytes > kMost) return {};
    return copy_of_memory(source->data, shape, dtype, device);
}

Object view_as_numpy(const Array& array, PyObject* source) {
    // The base is an array over memory that is lent as long as the base lives, because NumPy asks it whether it may
    // write.
    auto lent = std::make_unique<Export>(export_memory(array));
    const Storage& memory = array.storage();
    StorageRef storage = foreign_storage(kHost, memory.data, memory.bytes, end_loan, lent.get());
    lent.release();
    storage->read_only = !array.is_writable();
    const Object base = Object::steal(wrap(Array(std::move(storage), array.offset(), array.layout(), array.dtype())));
    if (source) hold_as_base(base.get(), source);
    const auto& numpy = py::detail::npy_api::get();
    Dims shape = array.shape(), strides = array.strides();
    const int flags = array.is_writable() ? py::detail::npy_api::NPY_ARRAY_WRITEABLE_ : 0;
    char* const data = array.is_empty() ? nullptr : array.data();
    Object view = Object::steal(numpy.PyArray_NewFromDescr_(numpy.PyArray_Type_, to_python(array.dtype()).release(),
                                                            array.ndim(), reinterpret_cast<Py_intptr_t*>(shape.data()),
                                                            reinterpret_cast<Py_intptr_t*>(strides.data()), data, flags,
                                                            nullptr));
    if (data)
        check(numpy.PyArray_SetBaseObject_(view.get(), Object::share(base.get()).release()));
    else if (!array.is_writable())
        Object::steal(PyObject_CallMethod(view.get(), "setflags", "O", Py_False));
    return view;
}

Object copy_to_numpy(const Array& array) {
    const bool is_fortran = array.is_f_contiguous() && !array.is_c_contiguous();
    Dims axes;
    for (int axis = array.ndim() - 1; axis >= 0; --axis) axes.push_back(axis);
    const Array source = is_fortran ? array.transpose(axes) : array;
    source.settle();
    py::array result = new_numpy_array(source, source.shape());
    if (!source.is_empty()) {
        void* to = result.mutable_data();
        const GilRelease released(is_long(source.device(), source.size()));
        read_contiguous(source.is_c_contiguous() ? source : copy(source), to);
    }
    if (is_fortran) return Object::steal(PyObject_GetAttrString(result.ptr(), "T"));
    return Object::steal(result.release().ptr());
}

void copy_into_numpy(const Array& array, PyObject* out, bool waits) {
    if (!is_numpy_array(out)) fail(PyExc_TypeError, "numpy: out must be a numpy.ndarray, not %R", Py_TYPE(out));
    if (has_swapped_bytes(out))
        fail(PyExc_TypeError, "numpy: the bytes of out are swapped; write out[...] = x.numpy()");
    Array target = import_numpy(out, "numpy");
    if (!can_cast(array.dtype(), target.dtype(), Casting::SameKind))
        raise(ErrorKind::Type, "numpy: cannot cast from ", info(array.dtype()).name, " to ", info(target.dtype()).name,
              ", the dtype of out, by the rule 'same_kind'; write x.astype(out.dtype).numpy(out=out)");
    StorageRef pinned = waits ? StorageRef() : runtime(array.device()).pinned_memory_at(target.data());
    if (pinned) {
        const int64_t offset = target.data() - static_cast<char*>(pinned->data);
        const bool is_writable = target.is_writable();
        target = Array(std::move(pinned), offset, target.layout(), target.dtype());
        if (!is_writable) target.set_read_only();
    }
    const GilRelease released(is_long(array.device(), array.size()));
    transfer(target, array, "numpy");
}

Object copy_to_pinned_numpy(const Array& array) {
    const Array pinned = empty(array.shape(), array.dtype(), array.device(), MemoryKind::Pinned);
    Object view = view_as_numpy(pinned);
    transfer(pinned, array, "numpy");
    return view;
}

}  // namespace cuarray::python
