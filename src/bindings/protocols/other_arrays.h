// other_arrays.h -- array classes of other libraries: which operators go first, and what is not read as plain numbers.
#pragma once
#include "bindings/functions/convert.h"

namespace cuarray::python {

/// What an object is beside our arrays.
enum class ArrayClass {
    Number,       ///< a number, one of our arrays, or an array of NumPy's that is nothing else
    List,         ///< a list or a tuple
    Data,         ///< memory or a sequence that numpy.asarray reads
    Wrapping,     ///< a numpy.ndarray with attributes that NumPy hands on: its numbers are an array by themselves
    Dispatching,  ///< a numpy.ndarray with __array_ufunc__ or __array_function__ of its own, such as units
    Masked,       ///< a numpy.ma.MaskedArray
    Matrix,       ///< a numpy.matrix
    Foreign,      ///< another library's array
    Nothing,      ///< no array
};

ArrayClass class_of(PyObject* object);
inline bool is_subclass_of_numpy(ArrayClass kind) { return kind >= ArrayClass::Wrapping && kind <= ArrayClass::Matrix; }
/// An array of a subclass of numpy.ndarray as one of that class. By `has_numpys_functions` it is one whose class has
/// none of its own, though it may get NumPy's by descriptors.
Object as_base_array(PyObject* object);
bool has_numpys_functions(PyObject* object);
/// Whether operators are left to the object: by __array_ufunc__ = None, or by its __array_priority__.
bool goes_first(PyObject* object);
/// Whether the class has the attribute: what NumPy asks for __array_ufunc__ and __array_function__.
bool has_attribute(PyTypeObject* type, const char* name);
/// Whether the object's class or the object itself has it: what NumPy asks for the other protocols.
bool has_attribute(PyObject* object, const char* name);
/// Whether it has one of the protocols by which numpy.asarray reads an object as an array.
bool has_array_protocol(PyObject* object);
/// Whether its class has an __array_ufunc__ that can be called.
bool handles_ufuncs(PyObject* object);
/// Whether it, a numpy.ndarray, is one whose numbers alone say less than it does.
bool is_more_than_numbers(PyObject* numpy_array);
/// TypeError for an operator of an array with axes and a text, which would repeat itself beside one element.
void refuse_text(PyObject* other, const Array& array, const char* function);
/// TypeError where to read its numbers would lose units, a mask or the meaning of `*`; looks into lists.
void refuse_to_strip(PyObject* object, const char* function);
/// TypeError for an operation on one of our arrays, on `device`, and another library's array.
[[noreturn]] void refuse_beside(PyObject* other, ArrayClass kind, Device device, const char* function);

}  // namespace cuarray::python
