// ndarray.h -- cuarray.ndarray, a CPython type written by hand: an Array with a reference count.
#pragma once
#include <algorithm>
#include <forward_list>
#include <optional>
#include <vector>
#include "bindings/functions/convert.h"
#include "cuarray/array/array.h"

namespace cuarray::python {

struct NdArray {
    PyObject_HEAD alignas(16) unsigned char element[16];  ///< of a number, where Python's float and complex have theirs
    Array* array;  ///< what the object is now; null for a number that no Array was needed of yet
    PyObject* weakrefs;
    DType dtype;     ///< of a number
    bool is_value;   ///< a 0-d result: in-place operators rebind the name instead of writing (as NumPy's scalars)
    bool is_number;  ///< the object is a NumberObject, else an ArrayObject
    bool is_hashed;  ///< a value that somebody may look for by its hash, so that it no longer changes
};
/// An array with memory, or with pending work.
struct ArrayObject : NdArray {
    Array first;
    std::forward_list<Array> later;  ///< what replaced `first` while another thread may have been reading it
    PyObject* base;                  ///< what this array is a view of, or null
};
/// A value on the cpu device. Its Array, once one is needed, has `element` as its memory, which therefore outlives the
/// object where a view does: C code that takes a float or a complex reads the number there, without asking.
struct NumberObject : NdArray {};

extern PyTypeObject* ndarray_type;

/// The types of values on the cpu device by their dtypes, all of them an ndarray: so that `isinstance` says of them
/// what it says of NumPy's scalars. Values on a GPU, which nobody can read without waiting, are of ndarray itself.
extern PyTypeObject* value_types[kDTypes];

/// __array_priority__: who handles `a op b` among classes that know nothing of each other.
constexpr double kArrayPriority = 100;

/// Frees an array or a value: what their types have in common, and no other type has.
void free_ndarray(PyObject* self);
inline bool is_array_type(const PyTypeObject* type) { return type == ndarray_type || type->tp_dealloc == free_ndarray; }
inline bool is_ndarray(PyObject* object) { return is_array_type(Py_TYPE(object)); }
inline NdArray* as_ndarray(PyObject* object) { return reinterpret_cast<NdArray*>(object); }
/// Whether it is a value on the cpu device.
inline bool is_number(PyObject* object) { return is_ndarray(object) && as_ndarray(object)->is_number; }
inline DType dtype_of_number(PyObject* object) { return as_ndarray(object)->dtype; }
inline const unsigned char* element_of_number(PyObject* object) { return as_ndarray(object)->element; }
inline Scalar scalar_of_number(PyObject* object) {
    Scalar scalar;
    scalar.dtype = dtype_of_number(object);
    std::memcpy(scalar.bytes, element_of_number(object), scalar.dtype == DType::complex128 ? 16 : 8);
    return scalar;
}
/// Makes the Array of a number, read-only for a hashed one.
void give_memory(NdArray* number);
inline Array& array_of(PyObject* object) {
    NdArray* const self = as_ndarray(object);
    if (!self->array) [[unlikely]]
        give_memory(self);
    return *self->array;
}
inline Device device_of(PyObject* object) { return is_number(object) ? Device{} : array_of(object).device(); }
inline DType dtype_of(PyObject* object) {
    return is_number(object) ? dtype_of_number(object) : array_of(object).dtype();
}
/// The base of a view, or null; null as well where the memory knows its lender.
inline PyObject* base_of(PyObject* object) {
    return as_ndarray(object)->is_number ? nullptr : static_cast<ArrayObject*>(as_ndarray(object))->base;
}
/// The same, and else the object that lent the memory: other code that gets it can read and write the elements.
inline PyObject* base_or_lender_of(PyObject* object) {
    if (as_ndarray(object)->is_number) return nullptr;
    PyObject* const base = base_of(object);
    return base ? base : static_cast<PyObject*>(array_of(object).lender());
}
/// Makes a new array, which is no number, a view of `source`, which becomes (or lends) its base. An array does not hold
/// the lender of its memory, whose references tell who else may write.
void set_base(PyObject* object, PyObject* source);
/// Lets a new array, which is no number, hold `source` as its base, whoever lent its memory.
inline void hold_as_base(PyObject* object, PyObject* source) {
    static_cast<ArrayObject*>(as_ndarray(object))->base = Py_NewRef(source);
}
/// Makes the object another array, with a new shape or new memory. Work without the GIL goes on with what it was.
void replace(PyObject* object, Array&& array);

/// TypeError if the object is a value that has been hashed; `action` names the function.
void refuse_hashed(PyObject* object, const char* action);
/// The memory that other libraries get: of a hashed value on a GPU a copy, because not all of them know a read-only
/// flag there.
Array shared_with_libraries(PyObject* object);

/// A new ndarray that holds `array`; a value on the cpu device is computed, if it is pending, and becomes a number.
PyObject* wrap(Array&& array, bool is_value = false);
/// A new value.
PyObject* wrap(const Scalar& scalar);
/// The same of a truth value, sooner: comparisons of numbers are made by the million.
PyObject* wrap_truth(bool value);
inline PyObject* wrap(const Array& array) { return wrap(Array(array)); }
/// The same for the result of an operation, whose 0-d results are values.
inline PyObject* wrap_result(Array&& array) {
    const bool is_value = array.ndim() == 0;
    return wrap(std::move(array), is_value);
}
/// A view of `source`, an array.
PyObject* wrap_view(Array&& array, PyObject* source);

/// The attribute `flags`.
PyObject* flags_of(PyObject* self, void*);

/// Makes the type; called once, at import.
void make_ndarray_type(PyObject* module);

/// The tables that the other files add to the type.
extern PyMethodDef array_methods[];
extern PyMethodDef protocol_methods[];
void add_reduction_methods(std::vector<PyMethodDef>& to);
extern PyGetSetDef array_attributes[];
extern PyGetSetDef protocol_attributes[];

PyObject* subscript(PyObject* self, PyObject* key) noexcept;
/// The element at a position that Python has counted from the front: what reversed() and bisect ask for.
PyObject* sequence_item(PyObject* self, Py_ssize_t position) noexcept;
int assign_subscript(PyObject* self, PyObject* key, PyObject* value) noexcept;
/// Every element becomes that number.
void fill_with(PyObject* self, PyObject* value);
/// self[key] = row(self[key], values), element by element; `values` null for a row of one input.
void update_subscript(RowId row, PyObject* self, PyObject* key, const Array* values);
Py_ssize_t length(PyObject* self) noexcept;
PyObject* iterate(PyObject* self) noexcept;
/// The type of iterators over the elements of an array in C order, as they are when it comes to them.
Object element_iterator_type();
int contains(PyObject* self, PyObject* value) noexcept;
int fill_buffer(PyObject* self, Py_buffer* view, int flags) noexcept;
void release_buffer(PyObject* self, Py_buffer* view) noexcept;
PyObject* compare(PyObject* self, PyObject* other, int operation) noexcept;

/// The slots of numbers and the rows behind them; looks the rows up.
const PyType_Slot* number_slots();
void prepare_operators();  ///< makes their first uses compute as later ones, also while work is recorded

/// Memory that another library owns; `device` and `copy` are from_dlpack's.
Array import_capsule(PyObject* capsule, int64_t stream);  ///< `stream`: where the data is ready
Array import_dlpack(PyObject* object, std::optional<Device> device = {}, std::optional<bool> copy = {});
/// Whether import_dlpack is the way to an object's elements: it has DLPack's methods, and they can give all of it.
bool gives_memory(PyObject* object);
Array import_cuda_array_interface(PyObject* interface, PyObject* owner);

/// The options of array_from_object and its like.
struct CreationOptions {
    enum class Copy { IfNeeded, Always, Never };
    DType dtype = DType::none;     ///< none: as it comes
    DType reads_as = DType::none;  ///< in which NumPy reads what has no memory of its own, unless `dtype` says
    std::optional<Device> device;  ///< none: where it lies; NumPy's and Python's data: `home`
    std::optional<Device> home;    ///< none: the current device
    Copy copy = Copy::IfNeeded;
    char order = 'K';
    int ndmin = 0;
    int depth = 0;  ///< how many lists hold the object
};
/// Anything array-like as an ndarray: the object itself where nothing has to change.
Object to_ndarray(PyObject* object, const CreationOptions& options, const char* function);
/// An argument of a call on that device: as it is where it has a device of its own. TypeError for a NumPy
/// array beside arrays on a GPU.
Object to_ndarray(PyObject* object, CallDevice device, const char* function, int depth = 0);
inline Object to_ndarray(PyObject* object, const char* function) {
    return is_ndarray(object) ? Object::share(object) : to_ndarray(object, CreationOptions{}, function);
}

/// ValueError for what lies within more lists than an array has axes: lists may hold themselves.
void check_depth(int depth);
/// ValueError where two arrays of one call live on two devices.
void refuse_other_device(Device device, Device other, const char* function);
/// The object itself if it is an ndarray, or the first one inside nested lists and tuples, or null. ValueError where
/// they nest deeper than an array can.
PyObject* find_ndarray(PyObject* object, int depth = 0);
/// What `__array__` of an object gives, if that is an array of ours, which NumPy refuses; a list with such entries as
/// one of arrays. Null for all others.
Object array_given_by(PyObject* object, int depth = 0);

}  // namespace cuarray::python
