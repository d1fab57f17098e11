// convert.h -- Python objects to and from dtypes, devices, shapes, scalars and the arguments of operations.
#pragma once
#include <new>
#include <optional>
#include "bindings/python.h"
#include "cuarray/array/array.h"
#include "cuarray/ops/indexing.h"
#include "cuarray/ops/ufunc.h"
#include "cuarray/runtime/runtime.h"

namespace cuarray::python {

/// An int of Python itself that fits; false for all else.
inline bool read_plain_int(PyObject* object, int64_t& value) {
    if (!PyLong_CheckExact(object)) return false;
    int overflow = 0;
    value = PyLong_AsLongLongAndOverflow(object, &overflow);
    return !overflow;
}

inline Object to_python(int64_t number) { return Object::steal(PyLong_FromLongLong(number)); }
/// A real numpy.dtype; that of bfloat16 comes from ml_dtypes.
Object to_python(DType dtype);
/// Whatever numpy.dtype() takes; null and None give `fallback`. TypeError names what is not supported and what is.
DType to_dtype(PyObject* object, DType fallback, const char* function = nullptr);
/// The dtype of a numpy.dtype instance.
DType from_numpy_dtype(PyObject* descriptor, const char* function = nullptr);
/// The same; none for a type that we do not have, and for bytes in the other order.
DType find_numpy_dtype(PyObject* descriptor);
/// Whether the bytes of a numpy.dtype are not in the machine's order.
bool is_foreign_order(PyObject* descriptor);
bool is_numpy_dtype(PyObject* object);
/// What is given as a dtype, or as its name, is one whose bytes are not in the machine's order.
bool has_foreign_order(PyObject* object);
/// The dtype of numbers in memory or in a file, and whether their bytes are in the other order.
struct StoredDType {
    DType dtype = DType::none;
    bool is_swapped = false;
};
StoredDType to_dtype_of_either_order(PyObject* object, const char* function);

Object to_python(Device device);
/// A device, its name, or null and None for `fallback`.
Device to_device(PyObject* object, Device fallback, const char* function = nullptr);
/// A cuarray.Stream, or another library's stream of `device`.
StreamRef to_stream(PyObject* object, Device device);
/// Whether Python may follow pointers of that device.
bool is_on_host(Device device);
/// Work on so many elements is over before another thread could have had the GIL.
constexpr int64_t kShortWork = 16 * 1024;
/// Whether work on so many elements there is worth releasing the GIL.
inline bool is_long(Device device, int64_t elements) { return elements > kShortWork || !is_on_host(device); }
/// The result of work(), which goes through the elements of `array`, without the GIL where that is worth it.
template <class Work>
auto without_gil(const Array& array, Work&& work) {
    return without_gil(is_long(array.device(), array.size()), std::forward<Work>(work));
}

Object to_python(const Dims& dims);
/// One integer or a sequence of them.
Dims to_dims(PyObject* object, Parameter parameter);
/// Integers given one by one, or as one sequence.
Dims to_dims(Arguments args, Py_ssize_t count, Parameter parameter);
/// Axes as reductions take them: an integer or a tuple. A list or an array there is an operand that went
/// astray.
Dims to_axes(PyObject* object, const char* function);
/// A shape: as to_dims, without negative extents.
Dims to_shape(PyObject* object, const char* function = nullptr);
/// A slice of Python as an index.
Index to_slice(PyObject* slice);
/// One letter of `allowed` in either case; null and None give `fallback`.
char to_order(PyObject* object, const char* allowed, char fallback, const char* function = nullptr);
Casting to_casting(PyObject* object, Casting fallback, const char* function = nullptr);
/// TypeError where the rule is "no" and one of the objects is a NumPy array of swapped bytes.
void refuse_swapped_bytes(Casting casting, std::span<PyObject* const> objects, const char* function);

/// The array of an ndarray; TypeError for anything else.
Array& to_array(PyObject* object, const char* function = nullptr);

/// The element as a Python bool, int, float or complex.
Object to_python(const Scalar& scalar);
/// Fills a new list with the elements in memory, as to_python gives them.
void fill_list(PyObject* list, DType dtype, const char* elements);

/// The device that a call runs on, and whether one of its arrays is there. Beside an array on a GPU a NumPy
/// array is refused; where there is no array, NumPy arrays go to the current device, as asarray brings them
/// there.
struct CallDevice {
    CallDevice(Device device, bool has_arrays = true) : device(device), has_arrays(has_arrays) {}
    operator Device() const { return device; }
    Device device;
    bool has_arrays;
};

/// The device of a call on these objects, of which some may be null: that of the first array among them, else
/// the current one. Arrays inside lists count.
CallDevice common_device(PyObject* const* objects, Py_ssize_t count);

/// One argument of an operation, converted: a borrowed or an owned array, a scalar, or a Python number.
class ArrayOrScalar {
 public:
    ArrayOrScalar() = default;
    ArrayOrScalar(const ArrayOrScalar&) = delete;
    ArrayOrScalar& operator=(const ArrayOrScalar&) = delete;

    /// Takes arrays, scalars and NumPy arrays; false where the object is something else.
    bool load(PyObject* object, CallDevice device, const char* function);
    /// As load; other objects (lists, buffers) are converted as numpy.asarray does. TypeError where that fails.
    void load_any(PyObject* object, CallDevice device, const char* function);
    /// As load, for what numpy.asarray reads; false where there are no numbers in it.
    bool load_data(PyObject* object, CallDevice device, const char* function);
    /// As load, for another library's array on that device, whose memory is used as it is; false for classes that have
    /// none, or that handle operators beside others themselves.
    bool load_shared(PyObject* object, CallDevice device, const char* function);
    Argument argument() const;
    const Array* array() const { return kind_ == Kind::Array ? array_ : nullptr; }
    bool is_scalar() const { return kind_ == Kind::Scalar || kind_ == Kind::Weak; }
    /// The scalar as an element of dtype, as an assignment casts it.
    Scalar element(DType dtype, const char* function) const;
    /// The same, but OverflowError or ValueError where a float does not fit an integer dtype, or a NumPy scalar a
    /// signed one.
    Scalar exact_element(DType dtype, const char* function) const;
    /// Whether it is a Python int that fits neither int64 nor uint64.
    bool is_beyond_integers() const { return kind_ == Kind::Weak && weak_.big != 0; }
    /// The dtype that an array made from the scalar has.
    DType default_dtype() const;

 private:
    enum class Kind { Nothing, Array, Scalar, Weak };
    void load_python_int(PyObject* object);
    void load_numpy_scalar(PyObject* object, const char* function);
    void load_array_like(PyObject* object, CallDevice device, const char* function);

    Kind kind_ = Kind::Nothing;
    const Array* array_ = nullptr;
    std::optional<Array> owned_;
    Scalar scalar_;
    Weak weak_;
};

/// The same of an elementwise operation on these arguments.
bool is_long(Device device, std::span<const Argument> args);

/// A numpy.ndarray whose numbers say all that it is: no units, no mask.
bool is_numpy_array(PyObject* object);
bool is_numpy_scalar(PyObject* object);
/// An element of NumPy's of float64, which is a Python float, too, but not a weak one.
bool is_numpy_float64(PyObject* object);
/// Whether the object is exactly a bool, int, float or complex.
bool is_python_number(PyObject* object);
bool has_no_axes(PyObject* numpy_array);
/// The memory of a NumPy array as an array on cpu, kept alive and, where it is read-only, protected.
Array import_numpy(PyObject* numpy_array, const char* function = nullptr);
/// Whether a numpy.dtype is one of objects, texts, bytes, dates or records; and whether an object is NumPy's array of
/// one.
bool is_numpys_alone(PyObject* descriptor);
bool has_dtype_of_numpys_alone(PyObject* object);
/// Whether the bytes of a NumPy array's elements are not in the machine's order.
bool has_swapped_bytes(PyObject* numpy_array);
/// A NumPy array itself, or where its bytes are swapped a copy in the machine's order.
Object in_native_order(PyObject* numpy_array);
/// A copy of a small C-contiguous numpy.ndarray, on a device that the host may write; an empty handle for others.
Array copy_of_few(PyObject* object, Device device);
/// Whether it is exactly a numpy.ndarray, of a dtype that arrays here have.
bool is_native_numpy(PyObject* object);
/// Its memory, as of import_numpy; an empty handle for other objects.
Array import_native_numpy(PyObject* object);
/// A NumPy array over the memory of a host array, which holds `source`, the object of that; or a copy of any array.
Object view_as_numpy(const Array& array, PyObject* source = nullptr);
Object copy_to_numpy(const Array& array);
/// Copies into an existing NumPy array, casting as an assignment does. Only where the memory is pinned can it return
/// before the data has arrived.
void copy_into_numpy(const Array& array, PyObject* out, bool waits);
/// A NumPy array in pinned memory; the copy into it is queued.
Object copy_to_pinned_numpy(const Array& array);

}  // namespace cuarray::python
