// flags.cpp -- ndarray.flags: the memory layout of an array, by NumPy's names.
#include <iterator>
#include <string_view>
#include "bindings/python.h"
#include "bindings/types/ndarray.h"

namespace cuarray::python {
namespace {

/// The bits of `num`, which are NumPy's.
enum FlagBit { kC = 0x1, kF = 0x2, kOwner = 0x4, kAligned = 0x100, kWriteable = 0x400 };

/// As NumPy's it says what was so when `x.flags` was read.
struct Flags {
    PyObject_HEAD PyObject* array;
    int num;
};

PyTypeObject* flags_type();

struct MemoryFlag {
    const char *name, *key;
    bool (*is_set)(int num);
    const char* doc;
};

constexpr bool has_all(int num, int bits) { return (num & bits) == bits; }

const MemoryFlag kFlags[] = {
    {"c_contiguous", "C_CONTIGUOUS", [](int num) { return has_all(num, kC); },
     "Whether the elements lie side by side, the last axis first."},
    {"f_contiguous", "F_CONTIGUOUS", [](int num) { return has_all(num, kF); },
     "Whether the elements lie side by side, the first axis first."},
    {"owndata", "OWNDATA", [](int num) { return has_all(num, kOwner); },
     "Whether the array is no view of another object."},
    {"writeable", "WRITEABLE", [](int num) { return has_all(num, kWriteable); },
     "Whether the elements can be written through the array; settable."},
    {"aligned", "ALIGNED", [](int num) { return has_all(num, kAligned); },
     "Whether each element lies at an address that its type asks for."},
    {"writebackifcopy", "WRITEBACKIFCOPY", [](int) { return false; }, "False: no array is a copy to be written back."},
    {"behaved", "BEHAVED", [](int num) { return has_all(num, kAligned | kWriteable); }, "Aligned and writeable."},
    {"carray", "CARRAY", [](int num) { return has_all(num, kC | kAligned | kWriteable); },
     "Aligned, writeable and in C order."},
    // NumPy's test of several bits is true for one of them.
    {"farray", "FARRAY", [](int num) { return (num & (kF | kAligned | kWriteable)) && !(num & kC); },
     "What NumPy calls so: aligned, writeable or in Fortran order, and not in C order."},
    {"fnc", "FNC", [](int num) { return has_all(num, kF) && !(num & kC); }, "In Fortran order and not in C order."},
    {"forc", "FORC", [](int num) { return (num & (kC | kF)) != 0; }, "In Fortran order or in C order."},
    {"contiguous", "CONTIGUOUS", [](int num) { return has_all(num, kC); }, "The same as c_contiguous."},
    {"fortran", "FORTRAN", [](int num) { return has_all(num, kF); }, "The same as f_contiguous."},
};
constexpr int kWriteableFlag = 3, kAlignedFlag = 4, kCopyFlag = 5;  // those that can be set
constexpr int kShown = 6;                                           // those that repr() shows

bool is_settable(const MemoryFlag& flag) { return &flag >= &kFlags[kWriteableFlag] && &flag <= &kFlags[kCopyFlag]; }

/// NumPy's short keys.
constexpr struct {
    const char *key, *whole;
} kShortKeys[] = {{"C", "C_CONTIGUOUS"}, {"F", "F_CONTIGUOUS"}, {"O", "OWNDATA"},
                  {"W", "WRITEABLE"},    {"A", "ALIGNED"},      {"X", "WRITEBACKIFCOPY"},
                  {"B", "BEHAVED"},      {"CA", "CARRAY"},      {"FA", "FARRAY"}};

Flags* as_flags(PyObject* self) { return reinterpret_cast<Flags*>(self); }

/// Whether each element lies at a multiple of what its type needs, as those of pending arrays do.
bool has_aligned_elements(const Array& array) {
    if (array.is_pending() || array.is_empty()) return true;
    uint64_t bits = reinterpret_cast<uintptr_t>(array.data());
    for (int axis = 0; axis < array.ndim(); ++axis)
        if (array.shape()[axis] > 1) bits |= uint64_t(array.strides()[axis]);
    return bits % uint64_t(info(array.dtype()).align) == 0;
}

int num_of(PyObject* object) {
    const Array& array = array_of(object);
    return (array.is_c_contiguous() ? kC : 0) | (array.is_f_contiguous() ? kF : 0) |
           (base_or_lender_of(object) ? 0 : kOwner) | (has_aligned_elements(array) ? kAligned : 0) |
           (array.is_writable() ? kWriteable : 0);
}

/// Whether the base, asked now, lets its memory be written: an array of ours or any other object.
bool is_writable_base(PyObject* base) {
    if (is_ndarray(base)) return array_of(base).is_writable();
    Py_buffer view;
    if (PyObject_GetBuffer(base, &view, PyBUF_WRITABLE) < 0) {
        PyErr_Clear();
        return false;
    }
    PyBuffer_Release(&view);
    return true;
}

/// Allows writes through this array or refuses them, as NumPy's setflags does. Memory that came without the right to
/// write may be written once the object that lent it says so.
void set_writable(PyObject* self, bool is_writable) {
    Array& array = array_of(self);
    if (!is_writable) {
        array.set_read_only();
    } else if (!array.is_writable()) {
        PyObject* const base = base_or_lender_of(self);
        StorageRef storage = array.storage_ref();
        if (base ? !is_writable_base(base) : storage->read_only)
            raise(ErrorKind::Value, "cannot set WRITEABLE flag to True of this array");
        storage->read_only = false;
        replace(self, Array(std::move(storage), array.offset(), array.layout(), array.dtype()));
    }
}

void set_flag(PyObject* array, const MemoryFlag& flag, bool value) {
    if (as_ndarray(array)->is_value)
        raise(ErrorKind::Value, "cannot set flags of a 0-d result, which is a value; write cuarray.array(x)");
    if (&flag == &kFlags[kWriteableFlag]) return set_writable(array, value);
    if (&flag == &kFlags[kCopyFlag] && value) raise(ErrorKind::Value, "cannot set WRITEBACKIFCOPY flag to True");
    if (&flag != &kFlags[kAlignedFlag] || value == has_aligned_elements(array_of(array))) return;
    if (value) raise(ErrorKind::Value, "cannot set aligned flag of mis-aligned array to True");
    raise(ErrorKind::Value,
          "cannot set aligned flag of an aligned array to False: cuarray asks for the address itself");
}

PyObject* get_flag(PyObject* self, void* flag) {
    return PyBool_FromLong(static_cast<const MemoryFlag*>(flag)->is_set(as_flags(self)->num));
}

int set_flag_attribute(PyObject* self, PyObject* value, void* flag) {
    const MemoryFlag& chosen = *static_cast<const MemoryFlag*>(flag);
    if (!value) {
        PyErr_Format(PyExc_AttributeError, "flags: %s cannot be deleted", chosen.name);
        return -1;
    }
    return guarded_number<int>([&] {
        set_flag(as_flags(self)->array, chosen, is_true(value));
        return 0;
    });
}

/// The flag of one of NumPy's keys, which may be bytes; null with KeyError set.
const MemoryFlag* flag_of(PyObject* key, bool to_set) {
    std::string_view text;
    if (PyUnicode_Check(key)) {
        Py_ssize_t length = 0;
        const char* const data = PyUnicode_AsUTF8AndSize(key, &length);
        if (data) text = {data, size_t(length)};
        PyErr_Clear();  // of a key that is no text
    } else if (PyBytes_Check(key)) {
        text = {PyBytes_AS_STRING(key), size_t(PyBytes_GET_SIZE(key))};
    }
    for (const auto& entry : kShortKeys)
        if (text == entry.key) text = entry.whole;
    for (const MemoryFlag& flag : kFlags)
        if (text == flag.key && (is_settable(flag) || !to_set)) return &flag;
    PyErr_SetString(PyExc_KeyError, "Unknown flag");
    return nullptr;
}

PyObject* flag_at(PyObject* self, PyObject* key) {
    const MemoryFlag* const flag = flag_of(key, false);
    return flag ? PyBool_FromLong(flag->is_set(as_flags(self)->num)) : nullptr;
}

int set_flag_at(PyObject* self, PyObject* key, PyObject* value) {
    const MemoryFlag* const flag = flag_of(key, true);
    return flag ? set_flag_attribute(self, value, const_cast<MemoryFlag*>(flag)) : -1;
}

PyObject* number_of_flags(PyObject* self, void*) { return PyLong_FromLong(as_flags(self)->num); }

PyObject* compare_flags(PyObject* self, PyObject* other, int operation) {
    if (Py_TYPE(other) != flags_type() || (operation != Py_EQ && operation != Py_NE)) Py_RETURN_NOTIMPLEMENTED;
    return PyBool_FromLong((as_flags(self)->num == as_flags(other)->num) == (operation == Py_EQ));
}

PyObject* show_flags(PyObject* self) {
    return guarded([&] {
        std::string text;
        for (int i = 0; i < kShown; ++i)
            text += std::string("  ") + kFlags[i].key + " : " +
                    (kFlags[i].is_set(as_flags(self)->num) ? "True" : "False") + "\n";
        return PyUnicode_FromStringAndSize(text.data(), Py_ssize_t(text.size()));
    });
}

void free_flags(PyObject* self) {
    PyTypeObject* const type = Py_TYPE(self);
    Py_XDECREF(as_flags(self)->array);
    PyObject_Free(self);
    Py_DECREF(type);
}

PyTypeObject* make_flags_type() {
    static std::vector<PyGetSetDef> flag_attributes;
    for (const MemoryFlag& flag : kFlags)
        flag_attributes.push_back({flag.name, get_flag, is_settable(flag) ? set_flag_attribute : nullptr, flag.doc,
                                   const_cast<MemoryFlag*>(&flag)});
    flag_attributes.push_back({"num", number_of_flags, nullptr, "All flags as one number, by NumPy's bits.", nullptr});
    flag_attributes.push_back({nullptr, nullptr, nullptr, nullptr, nullptr});
    PyType_Slot slots[] = {{Py_tp_dealloc, slot(free_flags)},
                           {Py_tp_repr, slot(show_flags)},
                           {Py_tp_richcompare, slot(compare_flags)},
                           {Py_tp_hash, slot(PyObject_HashNotImplemented)},
                           {Py_mp_subscript, slot(flag_at)},
                           {Py_mp_ass_subscript, slot(set_flag_at)},
                           {Py_tp_getset, flag_attributes.data()},
                           {Py_tp_doc, const_cast<char*>("The memory layout of an array, by NumPy's names: attributes, "
                                                         "and items in both spellings.")},
                           {0, nullptr}};
    PyType_Spec spec = {"cuarray.flags", int(sizeof(Flags)), 0, Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION,
                        slots};
    return reinterpret_cast<PyTypeObject*>(Object::steal(PyType_FromSpec(&spec)).release());
}

PyTypeObject* flags_type() {
    static PyTypeObject* const type = make_flags_type();
    return type;
}

}  // namespace

PyObject* flags_of(PyObject* self, void*) {
    return guarded([&] {
        PyObject* const made = Object::steal(flags_type()->tp_alloc(flags_type(), 0)).release();
        as_flags(made)->array = Py_NewRef(self);
        as_flags(made)->num = num_of(self);
        return made;
    });
}

}  // namespace cuarray::python
