// subscript.cpp -- x[...] and x[...] = y, len, iteration and `in`.
#include <algorithm>
#include <cstring>
#include <optional>
#include <vector>
#include "bindings/functions/convert.h"
#include "bindings/protocols/other_arrays.h"
#include "bindings/types/dying_operands.h"
#include "bindings/types/fallback.h"
#include "bindings/types/ndarray.h"
#include "cuarray/ops/indexing.h"
#include "cuarray/ops/reduceat.h"
#include "cuarray/ops/reduction.h"
#include "ops/element_access.h"
#include "ops/few_rows.h"

namespace cuarray::python {
namespace {

/// A key has at most an integer or slice per axis, one Ellipsis, and as many newaxis as there are axes left; bools take
/// no axis, and have none to spare either.
constexpr Py_ssize_t kMaxEntries = 2 * kMaxDims + 1;

[[noreturn]] void refuse_entry(PyObject* entry) {
    fail(PyExc_IndexError,
         "only integers, slices (`:`), ellipsis (`...`), cuarray.newaxis (`None`) and integer or "
         "boolean arrays are valid indices, not %R",
         entry);
}

/// Whether the object is an integer that lies in an ndarray object.
bool is_integer_value(PyObject* object) {
    if (!is_number(object)) return false;
    const Kind kind = info(dtype_of_number(object)).kind;
    return kind == Kind::Signed || kind == Kind::Unsigned;
}

/// Whether an entry is an int, an element of NumPy's of its default integer, or an integer of ours.
bool is_integer(PyObject* entry) {
    static Attribute int64{"numpy", "int64"};
    return PyLong_CheckExact(entry) || is_integer_value(entry) ||
           reinterpret_cast<PyObject*>(Py_TYPE(entry)) == int64.get();
}

int64_t to_position(PyObject* entry) {
    int64_t position;
    if (is_integer_value(entry) && dtype_of_number(entry) != DType::uint64) {
        std::memcpy(&position, convert(scalar_of_number(entry), DType::int64).bytes, sizeof position);
        return position;
    }
    if (read_plain_int(entry, position)) return position;
    const Object integer = Object::steal(PyNumber_Index(entry));
    position = PyNumber_AsSsize_t(integer.get(), PyExc_IndexError);
    if (position == -1 && PyErr_Occurred()) throw ExceptionIsSet{};
    return position;
}

bool is_bool_scalar(PyObject* entry) {
    if (PyBool_Check(entry)) return true;
    if (!is_numpy_scalar(entry)) return false;
    ArrayOrScalar operand;
    return operand.load(entry, Device{}, "index") && operand.default_dtype() == DType::bool_;
}

/// The entries of x[key]. Arrays among them are borrowed from the key, or owned here where they had to be made.
class SubscriptKey {
 public:
    SubscriptKey(PyObject* key, Device device) : device_(device) {
        if (!PyTuple_Check(key)) {
            few_[count_++] = to_entry(key);
            return;
        }
        const Py_ssize_t count = PyTuple_Size(key);
        if (count > kMaxEntries) fail(PyExc_IndexError, "too many indices for an array: %zd", count);
        if (count > kFew) many_.resize(size_t(count));
        Index* const entries = many_.empty() ? few_ : many_.data();
        for (; count_ < count; ++count_) entries[count_] = to_entry(PyTuple_GetItem(key, count_));
    }

    std::span<const Index> span() const { return {many_.empty() ? few_ : many_.data(), size_t(count_)}; }

    /// Whether an array without axes stands for an integer: as every array in a key, it makes the result a copy.
    bool has_array_as_integer() const { return has_array_as_integer_; }

    /// Whether choosing elements of `array` is worth releasing the GIL.
    bool is_long_for(const Array& array) const {
        int64_t most = array.size();
        for (const Index& entry : span())
            if (entry.array) most = std::max(most, entry.array->size());
        return is_long(device_, most);
    }

 private:
    Index to_entry(PyObject* entry) {
        Index index;
        if (is_integer(entry))
            index.value = to_position(entry);
        else if (PySlice_Check(entry))
            index = to_slice(entry);
        else if (entry == Py_Ellipsis)
            index.kind = Index::Kind::Ellipsis;
        else if (entry == Py_None)
            index.kind = Index::Kind::NewAxis;
        else if (is_bool_scalar(entry))
            index.kind = Index::Kind::Bool, index.value = is_true(entry);
        else if (is_ndarray(entry))
            index = of_array(array_of(entry), entry);
        else if (PyIndex_Check(entry) && (is_numpy_scalar(entry) || !has_attribute(entry, "__array__")))
            index.value = to_position(entry);
        else
            index = of_array_like(entry);
        return index;
    }

    Index of_array(const Array& array, PyObject* object) {
        Index index;
        const Kind kind = info(array.dtype()).kind;
        if (array.ndim() == 0 && (kind == Kind::Signed || kind == Kind::Unsigned)) {
            index.value = to_position(object);
            has_array_as_integer_ |= !as_ndarray(object)->is_value;
        } else {
            index.kind = Index::Kind::Array;
            index.array = &array;
        }
        return index;
    }

    /// A list of Python integers and signed ones of ours as an array, without NumPy; null where it is none.
    Object of_integers(PyObject* entry) const {
        if (!PyList_CheckExact(entry) || PyList_Size(entry) == 0) return {};
        std::vector<int64_t> values;
        for (Py_ssize_t i = 0; i < PyList_Size(entry); ++i) {
            PyObject* const value = PyList_GetItem(entry, i);
            int64_t position;
            if (is_number(value) && info(dtype_of_number(value)).kind == Kind::Signed)
                position = to_position(value);
            else if (!read_plain_int(value, position))
                return {};
            values.push_back(position);
        }
        const int64_t count = int64_t(values.size());
        return Object::steal(wrap(copy_from_host(values.data(), {count}, DType::int64, device_)));
    }

    /// An array of a class with functions of its own as one of numpy.ndarray: as positions its numbers alone count, in
    /// programs of cuarray.numpy also those of a masked array or a matrix, as in NumPy. Null for others.
    static Object numbers_of_subclass(PyObject* entry) {
        const ArrayClass kind = class_of(entry);
        const bool is_numpys = operator_fallback() && (kind == ArrayClass::Masked || kind == ArrayClass::Matrix);
        return kind == ArrayClass::Dispatching || is_numpys ? as_base_array(entry) : Object();
    }

    Index of_array_like(PyObject* entry) {
        if (const Object made = of_integers(entry)) {
            owned_.push_back(made);
            return of_array(array_of(made.get()), made.get());
        }
        if (PyFloat_Check(entry) || PyComplex_Check(entry)) refuse_entry(entry);
        const Object numbers = numbers_of_subclass(entry);
        if (numbers) entry = numbers.get();
        refuse_to_strip(entry, "index");
        CreationOptions options;  // NumPy's indices are small parameters: they are copied to a GPU, which does not wait
        options.device = device_;
        Object made;
        try {
            made = to_ndarray(entry, options, "index");
        } catch (const ExceptionIsSet&) {
            if (!PyErr_ExceptionMatches(PyExc_TypeError)) throw;
            PyErr_Clear();
        } catch (const Error& error) {
            if (error.kind() != ErrorKind::Type) throw;
        }
        if (!made) refuse_entry(entry);
        // An empty list has no type of its own.
        if (!is_numpy_array(entry) && array_of(made.get()).is_empty() &&
            info(array_of(made.get()).dtype()).kind == Kind::Floating)
            made = Object::steal(wrap(astype(array_of(made.get()), DType::int64)));
        owned_.push_back(made);
        return of_array(array_of(made.get()), made.get());
    }

    static constexpr Py_ssize_t kFew = 4;
    const Device device_;
    Py_ssize_t count_ = 0;
    bool has_array_as_integer_ = false;
    Index few_[kFew];
    std::vector<Index> many_;
    std::vector<Object> owned_;
};

/// The element that many bytes from element 0: a copy, and a value.
PyObject* element_at_offset(const Array& array, int64_t offset) {
    if (const std::optional<Scalar> element = element_now(array, offset)) return wrap(*element);
    return wrap(copy_of_element(array, offset), true);
}

/// The element of a 1-d array.
PyObject* element_at(const Array& array, int64_t position) {
    return element_at_offset(array, offset_along(array, 0, position));
}

/// Whether a key is one integer for each axis; then `offset` is that of the element. IndexError where there is none.
bool is_element_key(const Array& array, PyObject* key, int64_t& offset) {
    if (is_integer(key)) {
        if (array.ndim() != 1) return false;
        offset = offset_along(array, 0, to_position(key));
        return true;
    }
    if (!PyTuple_CheckExact(key) || PyTuple_GET_SIZE(key) != array.ndim()) return false;
    for (int axis = 0; axis < array.ndim(); ++axis)
        if (!is_integer(PyTuple_GET_ITEM(key, axis))) return false;
    offset = 0;
    for (int axis = 0; axis < array.ndim(); ++axis)
        offset += offset_along(array, axis, to_position(PyTuple_GET_ITEM(key, axis)));
    return true;
}

/// The element of a 1-d array, or the view of a longer one's.
PyObject* first_axis_at(PyObject* self, int64_t position) {
    const Array& array = array_of(self);
    if (array.ndim() == 1) return element_at(array, position);
    Index index;
    index.value = position;
    return wrap_view(basic_index(array, {&index, 1}), self);
}

/// The rows at positions; false where the key is another one, or where that is a task, or an error.
bool find_rows(FewRows& rows, const Array& array, PyObject* key) {
    return is_ndarray(key) && !is_number(key) && array_of(key).ndim() == 1 && rows.find(array, array_of(key));
}

/// array[key] = value for a few elements, with a number or as many of them; false where that is a task, or an error.
bool put_few(const Array& array, PyObject* key, PyObject* value) {
    FewRows rows;
    if (array.ndim() != 1 || !find_rows(rows, array, key)) return false;
    const char* from = nullptr;
    int64_t step = 0;
    Scalar number;
    char copied[FewRows::kMost * sizeof number.bytes];
    if (PyFloat_CheckExact(value) && array.dtype() == DType::float64) {
        number = Scalar::of(DType::float64, PyFloat_AS_DOUBLE(value));
        from = reinterpret_cast<const char*>(number.bytes);
    } else if (is_number(value) && dtype_of_number(value) == array.dtype()) {
        from = reinterpret_cast<const char*>(element_of_number(value));
    } else if (is_ndarray(value) && !is_number(value)) {
        const Array& values = array_of(value);
        if (values.dtype() != array.dtype() || !rows.read_values(values, copied)) return false;
        step = item_size(array.dtype());
        from = copied;
    }
    if (!from) return false;
    before_write(array.storage());
    rows.write(from, step);
    return true;
}

/// Over the first axis of an array, or over all its elements in C order.
struct Iterator {
    PyObject_HEAD PyObject* array;
    int64_t next;
    bool is_flat;

    int64_t end() const { return is_flat ? array_of(array).size() : array_of(array).shape()[0]; }
};

PyTypeObject* iterator_type();

void free_iterator(PyObject* self) {
    PyTypeObject* type = Py_TYPE(self);
    Py_XDECREF(reinterpret_cast<Iterator*>(self)->array);
    type->tp_free(self);
    Py_DECREF(type);
}

/// Bytes from element 0 of an array to the element at a position in C order.
int64_t offset_in_order(const Array& array, int64_t position) {
    int64_t offset = 0;
    for (int axis = array.ndim() - 1; axis > 0; --axis) {
        const int64_t extent = array.shape()[axis];
        offset += position % extent * array.strides()[axis];
        position /= extent;
    }
    return array.ndim() ? offset + position * array.strides()[0] : 0;
}

PyObject* next_element(PyObject* self) {
    Iterator* iterator = reinterpret_cast<Iterator*>(self);
    if (iterator->next >= iterator->end()) return nullptr;
    return guarded([&] {
        const int64_t position = iterator->next++;
        if (!iterator->is_flat) return first_axis_at(iterator->array, position);
        const Array& array = array_of(iterator->array);
        return element_at_offset(array, offset_in_order(array, position));
    });
}

PyObject* length_hint(PyObject* self, PyObject*) {
    const Iterator* iterator = reinterpret_cast<Iterator*>(self);
    return PyLong_FromLongLong(std::max<int64_t>(iterator->end() - iterator->next, 0));
}

PyObject* new_element_iterator(PyTypeObject* type, PyObject* args, PyObject*) {
    PyObject* array = nullptr;
    if (!PyArg_ParseTuple(args, "O", &array)) return nullptr;
    if (!is_ndarray(array)) return PyErr_Format(PyExc_TypeError, "element_iterator: an array is needed, not %R", array);
    PyObject* const self = type->tp_alloc(type, 0);
    if (!self) return nullptr;
    Iterator* const iterator = reinterpret_cast<Iterator*>(self);
    iterator->array = Py_NewRef(array);
    iterator->next = 0;
    iterator->is_flat = true;
    return self;
}

PyMethodDef iterator_methods[] = {
    {"__length_hint__", method(length_hint), METH_NOARGS, nullptr},
    {},
};
PyMemberDef iterator_members[] = {
    {"base", Py_T_OBJECT_EX, offsetof(Iterator, array), Py_READONLY, "The array."},
    {"index", Py_T_LONGLONG, offsetof(Iterator, next), Py_READONLY, "The position of the next element in C order."},
    {},
};

PyTypeObject* iterator_type() {
    static PyTypeObject* type = nullptr;
    if (type) return type;
    PyType_Slot slots[] = {{Py_tp_dealloc, slot(free_iterator)},
                           {Py_tp_iter, slot(PyObject_SelfIter)},
                           {Py_tp_iternext, slot(next_element)},
                           {Py_tp_methods, iterator_methods},
                           {0, nullptr}};
    PyType_Spec spec = {"cuarray.ndarray_iterator", int(sizeof(Iterator)), 0,
                        Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION, slots};
    type = reinterpret_cast<PyTypeObject*>(Object::steal(PyType_FromSpec(&spec)).release());
    return type;
}

/// Whether NumPy would have a scalar there, which must fit where elements are set one by one. A GPU's is not looked at.
bool is_checked_value(PyObject* value, DType dtype) {
    if (is_number(value)) return !can_cast(dtype_of_number(value), dtype, Casting::Safe);
    return is_ndarray(value) && as_ndarray(value)->is_value && is_on_host(array_of(value).device()) &&
           !can_cast(array_of(value).dtype(), dtype, Casting::Safe);
}

/// Calls store(value) with the value to be assigned: a Scalar of the target's dtype, or an Array on any device, because
/// a write into an existing array asks for the transfer. Numbers with a dtype are cast, or, where NumPy calls `setitem`
/// (basic keys and fill), must fit a signed target.
template <class Store>
void with_value(PyObject* value, const Array& target, bool must_fit, Store store) {
    if (PyFloat_CheckExact(value)) {
        const double number = PyFloat_AsDouble(value);
        if (target.dtype() == DType::float64) return store(Scalar::of(DType::float64, number));
        Weak weak;
        weak.kind = Weak::Kind::Float;
        weak.real = number;
        return store(convert(weak, target.dtype(), "assignment"));
    }
    if (must_fit && is_checked_value(value, target.dtype())) {
        const Scalar number = is_number(value) ? scalar_of_number(value) : item(array_of(value), "assignment");
        warn_of_lost_imaginary_part(number.dtype, target.dtype());
        return store(convert_exactly(number, target.dtype(), "assignment"));
    }
    if (is_number(value) && is_on_host(target.device())) {
        const Scalar& number = scalar_of_number(value);
        warn_of_lost_imaginary_part(number.dtype, target.dtype());
        return store(convert(number, target.dtype()));
    }
    if (is_numpy_array(value) && !has_no_axes(value) && !is_on_host(target.device())) {
        const Array source = import_numpy(in_native_order(value).get(), "assignment");
        warn_of_lost_imaginary_part(source.dtype(), target.dtype());
        return store(source);
    }
    if (class_of(value) == ArrayClass::Dispatching && has_numpys_functions(value))
        return with_value(as_base_array(value).get(), target, must_fit, store);
    ArrayOrScalar operand;
    if (operand.load(value, target.device(), "assignment") && operand.is_scalar()) {
        const Scalar element = must_fit && is_numpy_scalar(value) ? operand.exact_element(target.dtype(), "assignment")
                                                                  : operand.element(target.dtype(), "assignment");
        warn_of_lost_imaginary_part(operand.default_dtype(), target.dtype());
        return store(element);
    }
    Object converted;
    const Array* source = operand.array();
    if (!source) {
        CreationOptions options;
        options.reads_as = target.dtype();
        options.home = target.device();
        converted = to_ndarray(value, options, "assignment");
        source = &array_of(converted.get());
    }
    warn_of_lost_imaginary_part(source->dtype(), target.dtype());
    store(*source);
}

/// As NumPy, which looks at this before it looks at the key and the value.
void check_is_writable(const Array& array) {
    if (!array.is_writable()) raise(ErrorKind::Value, "assignment destination is read-only");
}

struct StoreView {
    const Array& target;
    bool is_element;
    bool is_dying = false;  ///< the value, if it is an array

    void operator()(const Scalar& element) const {
        const GilRelease released(is_long(target.device(), target.size()));
        fill(target, element, "assignment");
    }
    void operator()(const Array& source) const {
        if (is_element && source.ndim() > 0)
            raise(ErrorKind::Value, "setting an array element with a sequence of shape ", to_string(source.shape()));
        const GilRelease released(is_long(target.device(), target.size()));
        transfer(target, source, "assignment", is_dying);
    }
};

/// One element, which on a host device needs neither a view nor a program.
struct StoreElement {
    const Array& array;
    PyObject* key;

    /// Found when the value is there: its conversion may have run Python code that resized the array.
    void operator()(const Scalar& element) const {
        int64_t offset;
        if (!is_element_key(array, key, offset)) return StoreView{part(), false}(element);
        if (!is_on_host(array.device()) || !array.is_writable())
            return fill(array.view(Layout(), offset), element, "assignment");
        store_element(array, offset, element.bytes);
    }
    void operator()(const Array& source) const { StoreView{part(), true}(source); }

 private:
    Array part() const { return basic_index(array, SubscriptKey(key, array.device()).span()); }
};

/// Stores a number of the array's dtype on the host, whose conversion runs no Python code; false for others.
bool store_as_it_is(const Array& array, int64_t offset, PyObject* value) {
    double number;
    const void* bytes;
    if (is_number(value) && dtype_of_number(value) == array.dtype()) {
        bytes = element_of_number(value);
    } else if (PyFloat_CheckExact(value) && array.dtype() == DType::float64) {
        number = PyFloat_AS_DOUBLE(value);
        bytes = &number;
    } else {
        return false;
    }
    if (!is_on_host(array.device())) return false;
    store_element(array, offset, bytes);
    return true;
}

/// array[key] for a few rows; null where that is a task, or an error.
PyObject* taken_rows(const Array& array, PyObject* key) {
    FewRows rows;
    if (!find_rows(rows, array, key)) return nullptr;
    Dims shape = array.shape();
    shape[0] = rows.count();
    Array result = empty(shape, array.dtype(), array.device());
    if (!rows.read(result)) return nullptr;
    return wrap(std::move(result));
}

}  // namespace

PyObject* subscript(PyObject* self, PyObject* key) noexcept {
    return guarded([&] {
        const Array& array = array_of(self);
        int64_t offset;
        if (array.ndim() > 0 && is_element_key(array, key, offset)) return element_at_offset(array, offset);
        if (PyObject* const taken = taken_rows(array, key)) return taken;
        const SubscriptKey entries(key, array.device());
        if (is_advanced(entries.span())) {
            return wrap(without_gil(entries.is_long_for(array), [&] { return elements_at(array, entries.span()); }));
        }
        bool is_value = false;
        Array chosen = basic_index(array, entries.span(), &is_value);
        if (is_value || entries.has_array_as_integer()) return wrap(copy(chosen), is_value);
        return wrap_view(std::move(chosen), self);
    });
}

PyObject* sequence_item(PyObject* self, Py_ssize_t position) noexcept {
    return guarded([&] {
        if (array_of(self).ndim() == 0)
            raise(ErrorKind::Index, "too many indices for array: array is 0-dimensional, but 1 were indexed");
        if (position < 0)
            raise(ErrorKind::Index, "index ", position, " is out of bounds for axis 0 with size ",
                  array_of(self).shape()[0]);
        return first_axis_at(self, position);
    });
}

/// x[key] = value, by our types alone.
int assign_own(PyObject* self, PyObject* key, PyObject* value, SlotFrame frame) noexcept {
    return guarded_number<int>([&] {
        if (!value) fail(PyExc_ValueError, "cannot delete array elements");
        refuse_hashed(self, "assignment");
        const Array& array = array_of(self);
        check_is_writable(array);
        int64_t offset;
        if (array.ndim() > 0 && is_element_key(array, key, offset)) {  // reports a wrong index before a wrong value
            if (!store_as_it_is(array, offset, value)) with_value(value, array, true, StoreElement{array, key});
            return 0;
        }
        if (put_few(array, key, value)) return 0;
        const SubscriptKey entries(key, array.device());
        if (is_advanced(entries.span())) {
            with_value(value, array, false, [&](const auto& source) {
                const GilRelease released(entries.is_long_for(array));
                assign_at(array, entries.span(), source);
            });
            return 0;
        }
        bool is_element = false;
        const Array target = basic_index(array, entries.span(), &is_element);
        PyObject* const objects[2] = {self, value};
        const bool is_dying = dying_operands({OperatorText::Assignment}, frame, objects, 2) >> 1;
        with_value(value, target, true, StoreView{target, is_element, is_dying});
        return 0;
    });
}

int assign_subscript(PyObject* self, PyObject* key, PyObject* value) noexcept {
    const SlotFrame frame = slot_frame();
    if (assign_own(self, key, value, frame) == 0) return 0;
    PyObject* const fallback = value ? operator_fallback() : nullptr;
    if (!fallback) return -1;
    const Object name = Object::steal_or_null(PyUnicode_FromString("setitem"));
    const Object pair = Object::steal_or_null(PyTuple_Pack(2, key, value));
    if (!name || !pair) return -1;
    PyObject* const args[] = {name.get(), self, pair.get()};
    return Object::steal_or_null(call_fallback(fallback, args, 3, nullptr)) ? 0 : -1;
}

void fill_with(PyObject* self, PyObject* value) {
    refuse_hashed(self, "fill");
    const Array& array = array_of(self);
    check_is_writable(array);
    with_value(value, array, true, StoreView{array, true});
}

void update_subscript(RowId row, PyObject* self, PyObject* key, const Array* values) {
    const Array& array = array_of(self);
    const SubscriptKey entries(key, array.device());
    const GilRelease released(entries.is_long_for(array));
    update_at(row, array, entries.span(), values);
}

PyObject* iterate(PyObject* self) noexcept {
    return guarded([&] {
        if (array_of(self).ndim() == 0) fail(PyExc_TypeError, "iteration over a 0-d array");
        Iterator* const iterator = new_object_of<Iterator>(iterator_type());
        iterator->array = Py_NewRef(self);
        iterator->next = 0;
        iterator->is_flat = false;
        return reinterpret_cast<PyObject*>(iterator);
    });
}

Object element_iterator_type() {
    PyType_Slot slots[] = {{Py_tp_new, slot(new_element_iterator)},
                           {Py_tp_dealloc, slot(free_iterator)},
                           {Py_tp_iter, slot(PyObject_SelfIter)},
                           {Py_tp_iternext, slot(next_element)},
                           {Py_tp_methods, iterator_methods},
                           {Py_tp_members, iterator_members},
                           {0, nullptr}};
    PyType_Spec spec = {"cuarray._core.element_iterator", int(sizeof(Iterator)), 0,
                        Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE, slots};
    return Object::steal(PyType_FromSpec(&spec));
}

Py_ssize_t length(PyObject* self) noexcept {
    if (array_of(self).ndim()) return array_of(self).shape()[0];
    PyErr_SetString(PyExc_TypeError, "len() of unsized object");
    return -1;
}

int contains(PyObject* self, PyObject* value) noexcept {
    return guarded_number<int>([&] {
        static Attribute numpy_any{"numpy", "any"};
        // As Python compares: classes that our comparison leaves alone have their say.
        const Object equal = Object::steal(PyObject_RichCompare(self, value, Py_EQ));
        if (PyBool_Check(equal.get())) return int(equal.get() == Py_True);
        if (!is_ndarray(equal.get()))
            return int(
                is_true(Object::steal(PyObject_CallFunctionObjArgs(numpy_any.get(), equal.get(), nullptr)).get()));
        ReduceOptions options;
        const Array any = reduce(reduction::any, array_of(equal.get()), options);
        return int(item(any, "in").bytes[0] != 0);
    });
}

}  // namespace cuarray::python
