// value_text.cpp -- str, repr and format of values on the cpu device: as NumPy's scalars print.
#include "bindings/types/value_text.h"

#include "bindings/types/ndarray.h"
#include "cuarray/runtime/devices.h"

namespace cuarray::python {
namespace {

/// Whether NumPy's scalar prints as the number of Python does.
bool prints_as_pythons(DType dtype) { return info(dtype).kind <= Kind::Signed || dtype == DType::float64; }

/// NumPy's scalar of a number of Python's that has its dtype.
PyObject* numpys_type(DType dtype) {
    static Attribute bools{"numpy", "bool_"}, integers{"numpy", "int64"}, floats{"numpy", "float64"},
        complexes{"numpy", "complex128"};
    switch (dtype) {
        case DType::bool_: return bools.get();
        case DType::int64: return integers.get();
        case DType::float64: return floats.get();
        case DType::complex128: return complexes.get();
        default: return nullptr;
    }
}

}  // namespace

PyObject* str_of_value(PyObject* self) noexcept {
    return guarded([&]() -> PyObject* {
        if (prints_as_pythons(dtype_of_number(self))) return PyObject_Str(to_python(scalar_of_number(self)).get());
        static Attribute python{"cuarray._functions.array_text", "ndarray_str"};
        return PyObject_CallOneArg(python.get(), self);
    });
}

PyObject* repr_of_value(PyObject* self) noexcept {
    return guarded([&]() -> PyObject* {
        PyObject* const type = default_device() == Device{} ? numpys_type(dtype_of_number(self)) : nullptr;
        static Attribute python{"cuarray._functions.array_text", "ndarray_repr"};
        if (!type) return PyObject_CallOneArg(python.get(), self);
        const Object number = to_python(scalar_of_number(self));
        return PyObject_Repr(Object::steal(PyObject_CallOneArg(type, number.get())).get());
    });
}

PyObject* format_of_value(PyObject* self, PyObject* spec) noexcept {
    return guarded([&]() -> PyObject* { return PyObject_Format(to_python(scalar_of_number(self)).get(), spec); });
}

}  // namespace cuarray::python
