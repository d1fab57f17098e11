// ndarray.cpp -- the type cuarray.ndarray: making and freeing objects, and the attributes that describe an array.
#include "bindings/types/ndarray.h"
#include <algorithm>
#include <iterator>
#include <optional>
#include <string>
#include <vector>
#include "bindings/functions/convert.h"
#include "bindings/protocols/dlpack.h"
#include "bindings/protocols/interfaces.h"
#include "bindings/types/fallback.h"
#include "bindings/types/value_text.h"
#include "cuarray/ops/shaping.h"
#include "cuarray/runtime/registry.h"
#include "ops/element_access.h"

namespace cuarray::python {

PyTypeObject* ndarray_type = nullptr;
PyTypeObject* value_types[kDTypes] = {};

namespace {

/// Memory of freed objects of one size, kept because most arrays of a program die young. The GIL guards it. It is
/// PyMem_RawMalloc's: that of a number may be freed where nobody holds the GIL.
template <class Object, int kMost>
class FreeObjects {
 public:
    Object* take(PyTypeObject* type) {
        void* const memory = count_ ? objects_[--count_] : PyMem_RawMalloc(sizeof(Object));
        if (!memory) throw std::bad_alloc();
        Object* const object = static_cast<Object*>(memory);
        PyObject_Init(reinterpret_cast<PyObject*>(static_cast<NdArray*>(object)), type);
        object->weakrefs = nullptr;
        return object;
    }
    void give_back(Object* object) {
        if (count_ < kMost)
            objects_[count_++] = object;
        else
            PyMem_RawFree(object);
    }

 private:
    void* objects_[kMost];
    int count_ = 0;
};
FreeObjects<ArrayObject, 256> free_arrays;
FreeObjects<NumberObject, 1024> free_numbers;  // 64 KB: a list of an array's elements

PyObject* as_python(NdArray* object) { return reinterpret_cast<PyObject*>(object); }

}  // namespace

void free_ndarray(PyObject* self) {
    NdArray* object = as_ndarray(self);
    if (object->weakrefs) PyObject_ClearWeakRefs(self);
    PyTypeObject* type = Py_TYPE(self);
    if (object->is_number && object->array) {
        delete object->array;  // and with its last view the memory of the object
    } else if (object->is_number) {
        free_numbers.give_back(static_cast<NumberObject*>(object));
    } else {
        ArrayObject* const array = static_cast<ArrayObject*>(object);
        array->later.~forward_list();
        array->first.~Array();
        Py_XDECREF(array->base);
        free_arrays.give_back(array);
    }
    Py_DECREF(type);
}

namespace {

PyObject* new_ndarray(PyTypeObject*, PyObject* args, PyObject* keywords) {
    static Attribute make{"cuarray._functions.creation", "new_ndarray"};
    return guarded([&] { return PyObject_Call(make.get(), args, keywords); });
}

/// An attribute that is a member function of Array.
template <auto member>
PyObject* attribute(PyObject* self, void*) {
    return guarded([&] {
        if (!is_number(self)) return to_python((array_of(self).*member)()).release();
        const Array shell(StorageRef(), 0, Layout(), dtype_of_number(self));
        return to_python((shell.*member)()).release();
    });
}

PyObject* device(PyObject* self, void*) {
    return guarded([&] { return to_python(device_of(self)).release(); });
}

int set_shape(PyObject* self, PyObject* value, void*) {
    return guarded_number<int>([&] {
        if (!value) fail(PyExc_AttributeError, "cannot delete the shape of an array");
        const Array& array = array_of(self);
        Array reshaped = array.reshape(to_dims(value, {"shape"}));
        if (!array.is_c_contiguous() && !(reshaped.storage_ref() == array.storage_ref()))
            fail(PyExc_AttributeError, "shape: the elements would have to move; write x = x.reshape(...)");
        replace(self, std::move(reshaped));
        return 0;
    });
}

PyObject* itemsize(PyObject* self, void*) {
    const DType dtype = is_number(self) ? dtype_of_number(self) : array_of(self).dtype();
    return PyLong_FromLong(item_size(dtype));
}

PyObject* base(PyObject* self, void*) {
    PyObject* const base = base_or_lender_of(self);
    if (!base || base == base_of(self)) return Py_NewRef(base ? base : Py_None);
    return guarded([&] {
        Object lender = Object::share(base);
        const Export settled = export_memory(array_of(self));
        return lender.release();
    });
}

PyObject* transposed(PyObject* self, void*) {
    return guarded([&] { return wrap_view(permute_dims(array_of(self)), self); });
}

PyObject* matrix_transposed(PyObject* self, void*) {
    return guarded([&] {
        const Array& array = array_of(self);
        if (array.ndim() < 2) raise(ErrorKind::Value, "mT: the array has ", array.ndim(), " dimensions; it needs 2");
        return wrap_view(matrix_transpose(array), self);
    });
}

/// The real (part 0) or imaginary (part 1) parts as a view; real arrays are their own real part.
Array part(const Array& array, int which) {
    const DType dtype = real_part(array.dtype());
    if (dtype != array.dtype()) return array.view(array.layout(), which * item_size(dtype), dtype);
    if (which == 0) return array;
    Array zeros = full(array.shape(), convert(Scalar::of(DType::bool_, false), dtype), array.device());
    zeros.set_read_only();
    return zeros;
}

PyObject* real(PyObject* self, void*) {
    return guarded([&] {
        const bool is_complex = real_part(array_of(self).dtype()) != array_of(self).dtype();
        return is_complex ? wrap_view(part(array_of(self), 0), self) : Py_NewRef(self);
    });
}
PyObject* imaginary(PyObject* self, void*) {
    return guarded([&] {
        const bool is_complex = real_part(array_of(self).dtype()) != array_of(self).dtype();
        return is_complex ? wrap_view(part(array_of(self), 1), self)
                          : wrap(part(array_of(self), 1), as_ndarray(self)->is_value);
    });
}

int set_part(PyObject* self, PyObject* value, void* which) {
    return guarded_number<int>([&] {
        if (!value) fail(PyExc_AttributeError, "cannot delete a part of an array");
        const Array& array = array_of(self);
        const bool is_imaginary = which != nullptr;
        if (is_imaginary && real_part(array.dtype()) == array.dtype())
            raise(ErrorKind::Type, "imag: ", info(array.dtype()).name, " has no imaginary part to set");
        const Object target = Object::steal(wrap(part(array, is_imaginary)));
        return assign_subscript(target.get(), Py_Ellipsis, value);
    });
}

/// From now on the memory of a value is not written to. TypeError where somebody else holds it: a view, a buffer, a
/// capsule.
void close_memory(Array& array) {
    Storage& storage = array.storage();
    if (storage.references() > 1) before_write(storage);  // pending work that reads it holds it, too
    if (storage.references() > 1) wait_on_host(storage, true);
    if (storage.references() > 1)
        fail(PyExc_TypeError,
             "hash: a view or another library holds the memory of this 0-d result, and may change it; "
             "write x.item()");
    array.set_read_only();
}

/// Values hash as the Python numbers that they equal, and stay as they are from then on; arrays have no hash.
Py_hash_t hash(PyObject* self) {
    NdArray* const object = as_ndarray(self);
    if (!object->is_value) return PyObject_HashNotImplemented(self);
    return guarded_number<Py_hash_t>([&] {
        const Scalar scalar = is_number(self) ? scalar_of_number(self) : item(array_of(self), "hash");
        const Py_hash_t value = PyObject_Hash(to_python(scalar).get());
        if (value == -1) throw ExceptionIsSet{};
        if (object->array && !object->is_hashed) close_memory(*object->array);
        object->is_hashed = true;
        return value;
    });
}

int is_imaginary = 1;

const PyGetSetDef description[] = {
    {"shape", attribute<&Array::shape>, set_shape, "Extents of the axes; settable where the memory need not move.",
     nullptr},
    {"strides", attribute<&Array::strides>, nullptr, "Bytes from one element to the next along each axis.", nullptr},
    {"dtype", attribute<&Array::dtype>, nullptr, "The element type, a numpy.dtype.", nullptr},
    {"device", device, nullptr, "Where the memory is.", nullptr},
    {"ndim", attribute<&Array::ndim>, nullptr, "Number of axes.", nullptr},
    {"size", attribute<&Array::size>, nullptr, "Number of elements.", nullptr},
    {"nbytes", attribute<&Array::nbytes>, nullptr, "Bytes of the elements.", nullptr},
    {"itemsize", itemsize, nullptr, "Bytes of one element.", nullptr},
    {"base", base, nullptr, "The object whose memory this array views, or None.", nullptr},
    {"flags", flags_of, nullptr, "How the array lies in memory.", nullptr},
    {"T", transposed, nullptr, "View with the axes reversed.", nullptr},
    {"mT", matrix_transposed, nullptr, "View with the last two axes exchanged.", nullptr},
    {"real", real, set_part, "Real part, a view.", nullptr},
    {"imag", imaginary, set_part, "Imaginary part, a view of complex arrays.", &is_imaginary},
};

/// A type takes one table of each kind; these live as long as it does.
std::vector<PyMethodDef> all_methods;
std::vector<PyGetSetDef> all_attributes;

void collect_members() {
    for (const PyMethodDef* table : {array_methods, protocol_methods})
        for (const PyMethodDef* method = table; method->ml_name; ++method) all_methods.push_back(*method);
    add_reduction_methods(all_methods);
    all_methods.push_back({nullptr, nullptr, 0, nullptr});
    all_attributes.assign(std::begin(description), std::end(description));
    for (const PyGetSetDef* attribute = protocol_attributes; attribute->name; ++attribute)
        all_attributes.push_back(*attribute);
    all_attributes.push_back({nullptr, nullptr, nullptr, nullptr, nullptr});
}

PyMemberDef value_members[] = {
    {"__weaklistoffset__", Py_T_PYSSIZET, offsetof(NdArray, weakrefs), Py_READONLY, nullptr},
    {nullptr, 0, 0, 0, nullptr},
};

}  // namespace

namespace {

/// Whether a value of a dtype is a float or a complex of Python as well.
bool is_pythons(DType dtype) { return dtype == DType::float64 || dtype == DType::complex128; }
PyTypeObject* type_of_value(DType dtype) { return value_types[int(dtype)]; }

NumberObject* new_number(DType dtype) {
    NumberObject* const object = free_numbers.take(type_of_value(dtype));
    object->array = nullptr;
    object->is_value = object->is_number = true;
    object->is_hashed = false;
    object->dtype = dtype;
    return object;
}

}  // namespace

PyObject* wrap(const Scalar& scalar) {
    NumberObject* const object = new_number(scalar.dtype);
    // In two parts: a copy of all 16 bytes would wait until the 8 of most dtypes have been stored.
    std::memcpy(object->element, scalar.bytes, 8);
    if (scalar.dtype == DType::complex128) std::memcpy(object->element + 8, scalar.bytes + 8, 8);
    return as_python(object);
}

PyObject* wrap_truth(bool value) {
    NumberObject* const object = new_number(DType::bool_);
    const uint64_t bytes = value;  // at once: a Scalar's 8 bytes would wait for the one that has just been stored
    std::memcpy(object->element, &bytes, sizeof bytes);
    return as_python(object);
}

PyObject* wrap(Array&& array, bool is_value) {
    PyTypeObject* type = ndarray_type;
    if (is_value && is_on_host(array.device())) {
        if (is_pythons(array.dtype())) array.settle();  // C code reads such a number without asking
        if (const std::optional<Scalar> element = element_now(array)) return wrap(*element);
        // What a graph captures has no number yet.
        const bool is_captured = !array.is_pending() && runtime(array.device()).is_capturing();
        if (!is_captured && !array.is_pending()) return wrap(item(array, "value"));
        if (!is_captured) type = type_of_value(array.dtype());
    }
    ArrayObject* const object = free_arrays.take(type);
    object->array = new (&object->first) Array(std::move(array));
    new (&object->later) std::forward_list<Array>();
    object->base = nullptr;
    object->is_value = is_value;
    object->is_number = object->is_hashed = false;
    return as_python(object);
}

void give_memory(NdArray* number) {
    StorageRef own = foreign_storage(Device{}, number->element, item_size(number->dtype), PyMem_RawFree, number);
    Array array(std::move(own), 0, Layout(), number->dtype);
    if (number->is_hashed) array.set_read_only();
    number->array = new Array(std::move(array));
}

void refuse_hashed(PyObject* object, const char* action) {
    if (as_ndarray(object)->is_hashed)
        fail(PyExc_TypeError, "%s: a 0-d result that has been hashed does not change; write cuarray.array(x)", action);
}

Array shared_with_libraries(PyObject* object) {
    const Array& array = array_of(object);
    return as_ndarray(object)->is_hashed && !is_on_host(array.device()) ? copy(array) : array;
}

void replace(PyObject* object, Array&& array) {
    NdArray* self = as_ndarray(object);
    if (self->is_value) fail(PyExc_TypeError, "a 0-d result stays what it is; write cuarray.array(x) for an array");
    if (!GilRelease::any())
        *self->array = std::move(array);
    else
        self->array = &static_cast<ArrayObject*>(self)->later.emplace_front(std::move(array));
}

PyObject* wrap_view(Array&& array, PyObject* source) {
    // What a value shows of itself without axes is the value, and its real part another one, as of NumPy's scalars.
    if (as_ndarray(source)->is_value && array.ndim() == 0)
        return array.dtype() == dtype_of(source) ? Py_NewRef(source) : wrap(copy(array), true);
    PyObject* self = wrap(std::move(array));
    set_base(self, source);
    return self;
}

void set_base(PyObject* object, PyObject* source) {
    ArrayObject* const self = static_cast<ArrayObject*>(as_ndarray(object));
    PyObject* const base = is_ndarray(source) ? base_of(source) : nullptr;
    const void* const lender = self->first.lender();
    if (base)
        self->base = Py_NewRef(base);
    else if (!lender || (lender != source && !is_ndarray(source)))
        self->base = Py_NewRef(source);
}

namespace {

static_assert(offsetof(NdArray, element) == offsetof(PyFloatObject, ob_fval));
static_assert(offsetof(NdArray, element) == offsetof(PyComplexObject, cval));

/// The class for isinstance, which looks at type(value) first: with cuarray.numpy that of NumPy's scalars of the dtype.
PyObject* class_of_value(PyObject* self, void*) {
    return guarded([&]() -> PyObject* {
        if (!operator_fallback()) return Py_NewRef(reinterpret_cast<PyObject*>(Py_TYPE(self)));
        return PyObject_GetAttrString(to_python(dtype_of(self)).get(), "type");
    });
}

/// Methods of arrays that values do not have, because they are no containers. By these names programs tell numbers from
/// sequences: `hasattr(x, "__len__")`. Python's abstract classes look for None in the class instead.
constexpr const char* kOfContainers[] = {"__len__", "__iter__", "__contains__"};
PyObject* names_of_containers[std::size(kOfContainers)];
PyObject* name_of_index = nullptr;

bool is_integer_kind(DType dtype) { return info(dtype).kind == Kind::Unsigned || info(dtype).kind == Kind::Signed; }

PyObject* attribute_of_value(PyObject* self, PyObject* name) {
    if (PyUnicode_Check(name) && PyUnicode_READ_CHAR(name, 0) == '_') {
        const auto is = [name](PyObject* other) { return PyUnicode_Compare(name, other) == 0; };
        if (std::any_of(std::begin(names_of_containers), std::end(names_of_containers), is) ||
            (is(name_of_index) && !is_integer_kind(dtype_of(self))))
            return PyErr_Format(PyExc_AttributeError, "'%s' object has no attribute '%U'", Py_TYPE(self)->tp_name,
                                name);
    }
    return PyObject_GenericGetAttr(self, name);
}

/// Takes from a type of values what is no number's.
void take_container_methods(PyTypeObject* type, DType dtype) {
    PyObject* const object = reinterpret_cast<PyObject*>(type);
    for (PyObject* const name : names_of_containers) check(PyObject_SetAttr(object, name, Py_None));
    if (!is_integer_kind(dtype)) check(PyObject_SetAttr(object, name_of_index, Py_None));
    // Not the slots that raise because of None: Python says what a number is not, and ours what an index must be.
    type->tp_iter = nullptr;
    type->tp_as_mapping->mp_length = nullptr;
    type->tp_as_sequence->sq_length = nullptr;
    type->tp_as_sequence->sq_contains = nullptr;
    type->tp_as_sequence->sq_item = nullptr;  // PySequence_Check asks for it
    type->tp_as_number->nb_index = ndarray_type->tp_as_number->nb_index;
}

PyMethodDef value_methods[] = {
    {"__format__", format_of_value, METH_O, "Format the number by a format specification of Python's."},
    {nullptr, nullptr, 0, nullptr},
};

PyGetSetDef value_attributes[] = {
    {"__class__", class_of_value, nullptr, "The class for isinstance.", nullptr},
    {nullptr, nullptr, nullptr, nullptr, nullptr},
};

/// Python's type of the numbers that a dtype has.
PyTypeObject* type_of_numbers(DType dtype) {
    const Kind kind = info(dtype).kind;
    return kind == Kind::Bool       ? &PyBool_Type
           : kind < Kind::Floating  ? &PyLong_Type
           : kind == Kind::Floating ? &PyFloat_Type
                                    : &PyComplex_Type;
}

/// bool(x), int(x), float(x) and complex(x, y) as values.
PyObject* new_value(PyTypeObject* type, PyObject* args, PyObject* keywords) {
    return guarded([&]() -> PyObject* {
        const auto dtype = DType(std::find(value_types, value_types + kDTypes, type) - value_types);
        PyTypeObject* const python = type_of_numbers(dtype);
        const Object number = Object::steal(python->tp_new(python, args, keywords));
        ArrayOrScalar element;
        if (!element.load(number.get(), CallDevice({}), info(dtype).name))
            fail(PyExc_TypeError, "%s: a number is needed", info(dtype).name);
        return wrap(element.exact_element(dtype, info(dtype).name));
    });
}

void make_value_type(DType dtype) {
    const std::string name = std::string("cuarray.") + info(dtype).name;
    PyTypeObject* const number = type_of_numbers(dtype);
    const std::string text = std::string("A 0-d result of ") + info(dtype).name + " on the cpu device" +
                             (is_pythons(dtype) ? std::string(": a ") + number->tp_name + " of Python, too." : ".");
    PyType_Slot slots[] = {
        {Py_tp_new, slot(new_value)},
        {Py_tp_dealloc, slot(free_ndarray)},
        {Py_tp_getattro, slot(attribute_of_value)},
        {Py_tp_repr, slot(repr_of_value)},
        {Py_tp_str, slot(str_of_value)},
        {Py_tp_members, value_members},
        {Py_tp_methods, value_methods},
        {Py_tp_getset, value_attributes},
        {Py_tp_doc, const_cast<char*>(text.c_str())},
        {0, nullptr},
    };
    PyType_Spec spec = {name.c_str(), int(sizeof(NumberObject)), 0, Py_TPFLAGS_DEFAULT, slots};
    PyObject* const array = reinterpret_cast<PyObject*>(ndarray_type);
    const Object bases = Object::steal(is_pythons(dtype) ? PyTuple_Pack(2, array, reinterpret_cast<PyObject*>(number))
                                                         : PyTuple_Pack(1, array));
    PyObject* const type = Object::steal(PyType_FromSpecWithBases(&spec, bases.get())).release();
    value_types[int(dtype)] = reinterpret_cast<PyTypeObject*>(type);
    take_container_methods(value_types[int(dtype)], dtype);
}

void make_value_types() {
    const auto interned = [](const char* name) { return Object::steal(PyUnicode_InternFromString(name)).release(); };
    std::transform(std::begin(kOfContainers), std::end(kOfContainers), names_of_containers, interned);
    name_of_index = interned("__index__");
    for (int dtype = 0; dtype < kDTypes; ++dtype) make_value_type(DType(dtype));
}

}  // namespace

void make_ndarray_type(PyObject* module) {
    collect_members();
    std::vector<PyType_Slot> slots = {
        {Py_tp_new, slot(new_ndarray)},
        {Py_tp_dealloc, slot(free_ndarray)},
        {Py_tp_methods, all_methods.data()},
        {Py_tp_getset, all_attributes.data()},
        {Py_tp_hash, slot(hash)},
        {Py_tp_richcompare, slot(compare)},
        {Py_tp_iter, slot(iterate)},
        {Py_mp_length, slot(length)},
        {Py_mp_subscript, slot(subscript)},
        {Py_mp_ass_subscript, slot(assign_subscript)},
        {Py_sq_contains, slot(contains)},
        {Py_sq_length, slot(length)},
        {Py_sq_item, slot(sequence_item)},
        {Py_bf_getbuffer, slot(fill_buffer)},
        {Py_bf_releasebuffer, slot(release_buffer)},
        {Py_tp_doc,
         const_cast<char*>("ndarray(shape, dtype=None, buffer=None, offset=0, strides=None, order=None)\n--\n\n"
                           "An n-dimensional array on one device: memory, a shape, strides and a dtype.\n\n"
                           "Most are made by cuarray.array, asarray, empty, zeros and the like; a call of the type is\n"
                           "empty, or a view of memory that Python shows.")},
    };
    for (const PyType_Slot* number = number_slots(); number->slot; ++number) slots.push_back(*number);
    slots.push_back({0, nullptr});
    // The fields lie behind the size that Python knows, which leaves room for those of float in the types of values.
    PyType_Spec spec = {"cuarray.ndarray", int(sizeof(PyObject)), 0, Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE,
                        slots.data()};
    ndarray_type = reinterpret_cast<PyTypeObject*>(Object::steal(PyType_FromSpec(&spec)).release());
    ndarray_type->tp_weaklistoffset = offsetof(NdArray, weakrefs);  // Python 3.12 takes no member behind the size
    make_value_types();
    ndarray_type->tp_flags &= ~Py_TPFLAGS_BASETYPE;  // no class of Python's has memory for the fields
    // Arrays match patterns of sequences where NumPy's do, from 2.5 on; values, whose types are made, do not.
    static Attribute numpy_ndarray{"numpy", "ndarray"};
    ndarray_type->tp_flags |= reinterpret_cast<PyTypeObject*>(numpy_ndarray.get())->tp_flags & Py_TPFLAGS_SEQUENCE;
    PyType_Modified(ndarray_type);
    PyObject* const type = reinterpret_cast<PyObject*>(ndarray_type);
    check(PyObject_SetAttrString(type, "__dlpack_c_exchange_api__", Object::steal(exchange_capsule()).get()));
    check(PyObject_SetAttrString(type, "__torch_function__", Object::steal(torch_function()).get()));
    check(PyModule_AddObjectRef(module, "ndarray", type));
    const Object values = Object::steal(PyTuple_New(kDTypes));
    for (int dtype = 0; dtype < kDTypes; ++dtype)
        PyTuple_SET_ITEM(values.get(), dtype, Py_NewRef(reinterpret_cast<PyObject*>(value_types[dtype])));
    check(PyModule_AddObjectRef(module, "value_types", values.get()));
}

}  // namespace cuarray::python
