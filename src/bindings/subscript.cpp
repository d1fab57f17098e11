// subscript.cpp -- x[...] and x[...] = y, len, iteration and `in`.
#include <algorithm>
#include "bindings/convert.h"
#include "bindings/ndarray.h"
#include "cuarray/ops/indexing.h"
#include "cuarray/ops/reduction.h"

namespace cuarray::python {
namespace {

/// A key has at most an integer or slice per axis, one Ellipsis, and as many newaxis as there are axes left.
constexpr int kMaxEntries = 2 * kMaxDims + 1;

struct Key {
    Index entries[kMaxEntries];
    int count = 0;
    std::span<const Index> span() const { return {entries, size_t(count)}; }
};

[[noreturn]] void refuse_entry(PyObject* entry) {
    const bool is_array_like = PyList_Check(entry) || PyBool_Check(entry) || is_numpy_array(entry) ||
                               is_numpy_scalar(entry) || is_ndarray(entry);
    if (is_array_like)
        fail(PyExc_NotImplementedError, "index: arrays, lists and booleans as indices are not implemented yet; "
                                        "use integers, slices, ... and newaxis, or cuarray.where");
    fail(PyExc_IndexError, "only integers, slices (`:`), ellipsis (`...`) and cuarray.newaxis (`None`) are valid "
                           "indices, not %R", entry);
}

bool is_integer_array(PyObject* entry) {
    const Array& array = array_of(entry);
    const Kind kind = info(array.dtype()).kind;
    return array.ndim() == 0 && (kind == Kind::Signed || kind == Kind::Unsigned);
}

int64_t to_position(PyObject* entry) {
    const Object integer = Object::steal(PyNumber_Index(entry));
    const Py_ssize_t position = PyNumber_AsSsize_t(integer.get(), PyExc_IndexError);
    if (position == -1 && PyErr_Occurred()) throw ExceptionIsSet{};
    return position;
}

Index to_entry(PyObject* entry) {
    Index index;
    if (entry == Py_Ellipsis) {
        index.kind = Index::Kind::Ellipsis;
    } else if (entry == Py_None) {
        index.kind = Index::Kind::NewAxis;
    } else if (PySlice_Check(entry)) {
        Py_ssize_t start, stop, step;
        check(PySlice_Unpack(entry, &start, &stop, &step));
        index.kind = Index::Kind::Slice;
        // The lowest number stands for "not given" here, and in Python for any number too low to hold.
        index.start = std::max(start, PY_SSIZE_T_MIN + 1);
        index.stop = step > 0 ? std::max(stop, PY_SSIZE_T_MIN + 1) : stop;
        index.step = step;
    } else if (PyLong_CheckExact(entry) || (is_ndarray(entry) && is_integer_array(entry)) ||
               (PyIndex_Check(entry) && !PyBool_Check(entry) && !is_ndarray(entry) && !is_numpy_array(entry))) {
        index.value = to_position(entry);
    } else {
        refuse_entry(entry);
    }
    return index;
}

void read_key(PyObject* key, Key& entries) {
    if (!PyTuple_Check(key)) {
        entries.entries[entries.count++] = to_entry(key);
        return;
    }
    const Py_ssize_t count = PyTuple_Size(key);
    if (count > kMaxEntries) fail(PyExc_IndexError, "too many indices for an array: %zd", count);
    for (Py_ssize_t i = 0; i < count; ++i) entries.entries[entries.count++] = to_entry(PyTuple_GetItem(key, i));
}

/// The element at an index of the first axis: a copy (a value) of a 1-d array's, a view of a longer one's.
PyObject* element_at(PyObject* self, int64_t position) {
    Index index;
    index.value = position;
    bool is_value = false;
    Array chosen = basic_index(array_of(self), {&index, 1}, &is_value);
    return is_value ? wrap(copy(chosen), true) : wrap_view(std::move(chosen), self);
}

struct Iterator {
    PyObject_HEAD
    PyObject* array;
    int64_t next;
};

PyTypeObject* iterator_type();

void free_iterator(PyObject* self) {
    PyTypeObject* type = Py_TYPE(self);
    Py_XDECREF(reinterpret_cast<Iterator*>(self)->array);
    PyObject_Free(self);
    Py_DECREF(type);
}

PyObject* next_element(PyObject* self) {
    Iterator* iterator = reinterpret_cast<Iterator*>(self);
    const Array& array = array_of(iterator->array);
    if (iterator->next >= array.shape()[0]) return nullptr;
    return guarded([&] { return element_at(iterator->array, iterator->next++); });
}

PyTypeObject* iterator_type() {
    static PyTypeObject* type = nullptr;
    if (type) return type;
    PyType_Slot slots[] = {{Py_tp_dealloc, slot(free_iterator)},
                           {Py_tp_iter, slot(PyObject_SelfIter)},
                           {Py_tp_iternext, slot(next_element)},
                           {0, nullptr}};
    PyType_Spec spec = {"cuarray.ndarray_iterator", int(sizeof(Iterator)), 0,
                        Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION, slots};
    type = reinterpret_cast<PyTypeObject*>(Object::steal(PyType_FromSpec(&spec)).release());
    return type;
}

void store(const Array& target, PyObject* value, bool is_element) {
    Operand operand;
    if (operand.load(value, target.device(), "assignment") && operand.is_scalar()) {
        const Scalar element = operand.element(target.dtype(), "assignment");
        warn_of_lost_imaginary_part(operand.default_dtype(), target.dtype());
        const Unlocked unlocked(is_long(target.device(), target.size()));
        fill(target, element, "assignment");
        return;
    }
    Object converted;
    const Array* source = operand.array();
    if (!source) {
        Request request;
        request.has_device = true;
        request.device = target.device();
        converted = to_ndarray(value, request, "assignment");
        source = &array_of(converted.get());
    }
    if (is_element && source->ndim() > 0)
        raise(ErrorKind::Value, "setting an array element with a sequence of shape ", to_string(source->shape()));
    warn_of_lost_imaginary_part(source->dtype(), target.dtype());
    const Unlocked unlocked(is_long(target.device(), target.size()));
    assign(target, *source, "assignment");
}

}  // namespace

PyObject* subscript(PyObject* self, PyObject* key) noexcept {
    return guarded([&] {
        Key entries;
        read_key(key, entries);
        bool is_value = false;
        Array chosen = basic_index(array_of(self), entries.span(), &is_value);
        return is_value ? wrap(copy(chosen), true) : wrap_view(std::move(chosen), self);
    });
}

int assign_subscript(PyObject* self, PyObject* key, PyObject* value) noexcept {
    return guarded_number<int>([&] {
        if (!value) fail(PyExc_ValueError, "cannot delete array elements");
        Key entries;
        read_key(key, entries);
        bool is_element = false;
        const Array target = basic_index(array_of(self), entries.span(), &is_element);
        store(target, value, is_element);
        return 0;
    });
}

PyObject* iterate(PyObject* self) noexcept {
    return guarded([&] {
        if (array_of(self).ndim() == 0) fail(PyExc_TypeError, "iteration over a 0-d array");
        PyTypeObject* type = iterator_type();
        void* memory = PyObject_Malloc(sizeof(Iterator));
        if (!memory) throw std::bad_alloc();
        Iterator* iterator = reinterpret_cast<Iterator*>(PyObject_Init(static_cast<PyObject*>(memory), type));
        iterator->array = Py_NewRef(self);
        iterator->next = 0;
        return reinterpret_cast<PyObject*>(iterator);
    });
}

Py_ssize_t length(PyObject* self) noexcept {
    if (array_of(self).ndim()) return array_of(self).shape()[0];
    PyErr_SetString(PyExc_TypeError, "len() of unsized object");
    return -1;
}

int contains(PyObject* self, PyObject* value) noexcept {
    return guarded_number<int>([&] {
        const Object equal = Object::steal(compare(self, value, Py_EQ));
        if (!is_ndarray(equal.get())) return 0;
        ReduceOptions options;
        const Array any = reduce(find_reduction("any"), array_of(equal.get()), options);
        return int(item(any, "in").bytes[0] != 0);
    });
}

}  // namespace cuarray::python
