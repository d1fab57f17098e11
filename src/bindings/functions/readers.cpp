// readers.cpp -- the careful reading of integers and of the device of a call.
#include "bindings/functions/readers.h"
#include <algorithm>
#include <cmath>
#include <string>
#include "bindings/protocols/other_arrays.h"

namespace cuarray::python {

void SequenceEntries::read(const FunctionCall& call, int k) {
    if (!call.given[k]) {
        objects_ = call.rest.data();
        size_ = Py_ssize_t(call.rest.size());
        return;
    }
    PyObject* const given = call.given[k];
    const bool is_number_of_ours = is_ndarray(given) && array_of(given).ndim() == 0;
    const bool is_sequence = is_list(given) || is_ndarray(given);
    if (is_number_of_ours ||
        (!is_sequence && !(has_attribute(given, "__getitem__") && has_attribute(given, "__len__")))) {
        const std::string what = is_number_of_ours ? "an array without axes" : Py_TYPE(given)->tp_name;
        fail(PyExc_TypeError, "%s: a sequence of arrays is needed, not %s", call.row.name, what.c_str());
    }
    if (is_ndarray(given)) {
        // Its rows as arrays: elements stay arrays without axes.
        const Array& array = array_of(given);
        owner_ = Object::steal(PyTuple_New(Py_ssize_t(array.shape()[0])));
        Layout layout = array.layout();
        const int64_t apart = layout.strides[0];
        layout.shape.erase(0);
        layout.strides.erase(0);
        for (Py_ssize_t i = 0; i < Py_ssize_t(array.shape()[0]); ++i)
            PyTuple_SET_ITEM(owner_.get(), i,
                             Object::steal(wrap(array.view(layout, array.is_empty() ? 0 : i * apart))).release());
    } else {
        owner_ = Object::steal(PySequence_Tuple(given));  // a list may change meanwhile
    }
    size_ = PyTuple_GET_SIZE(owner_.get());
    objects_ = PySequence_Fast_ITEMS(owner_.get());
}

CallDevice FunctionCall::device() const {
    Few<PyObject*, 16> arrays;
    for (int k = 0; k < count; ++k)
        if (are_arrays[k] && given[k] && given[k] != Py_None && given[k] != no_value()) arrays.push_back(given[k]);
    for (PyObject* const one : rest) arrays.push_back(one);
    if (const std::optional<Device> named = named_device()) {
        // The current device is not asked for: it may not work.
        for (PyObject* const one : arrays)
            if (PyObject* const first = find_ndarray(one)) return device_of(first);
        return {*named, false};
    }
    return common_device(arrays.data(), Py_ssize_t(arrays.size()));
}

std::optional<Device> FunctionCall::read_device() const {
    if (on != Py_None) return to_device(on, {}, row.name);
    if (!is_ndarray(like)) fail(PyExc_TypeError, "like must be a cuarray.ndarray, not %s", Py_TYPE(like)->tp_name);
    return array_of(like).device();
}

/// A list, and those that it lies in.
struct Reader<Blocks>::NestedList {
    PyObject* list;
    const NestedList* outer;
    int depth;
};

Blocks Reader<Blocks>::read_blocks(const FunctionCall& call, PyObject* given, const NestedList* outer) {
    if (PyTuple_Check(given))
        fail_in(call.row.name, PyExc_TypeError, "arrays is a tuple; only lists can be used to arrange blocks");
    if (PyList_Check(given)) {
        for (const NestedList* around = outer; around; around = around->outer)
            if (around->list == given) fail_in(call.row.name, PyExc_RecursionError, "a list contains itself");
        const NestedList nested{given, outer, outer ? outer->depth + 1 : 1};
        if (nested.depth > kMaxDims)
            fail_in(call.row.name, PyExc_ValueError, "lists are nested more than %d deep", kMaxDims);
        const Object entries = Object::steal(PyList_AsTuple(given));  // the list may change meanwhile
        std::vector<Blocks> blocks;
        for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(entries.get()); ++i)
            blocks.push_back(read_blocks(call, PyTuple_GET_ITEM(entries.get(), i), &nested));
        return Blocks(std::move(blocks));
    }
    Reader<Array> reader;
    reader.read(call, given);
    const Array& array = reader.get();
    if (device) refuse_other_device(*device, array.device(), call.row.name);
    device = array.device();
    return array;
}

void Reader<Blocks>::add_to(CallWork& work, const Blocks& blocks) {
    if (blocks.array) work.add(*blocks.array);
    for (const Blocks& entry : blocks.entries) add_to(work, entry);
}

void Reader<FillValue>::read(const FunctionCall& call, int k) {
    static Attribute python_number{"numbers", "Number"};
    PyObject* const given = call.given[k];
    if (is_python_number(given)) return void(number.load(given, {Device{}, false}, call.row.name));
    if (is_ndarray(given)) return array.read(call, given);
    const bool is_several = is_list(given) || is_numpy_array(given);
    if (!is_several && number.load(given, {Device{}, false}, call.row.name)) return;
    const int is_number = is_several ? 0 : PyObject_IsInstance(given, python_number.get());
    check(is_number);
    if (!is_number) return array.read(call, given);
    CreationOptions options;
    options.home = call.device();
    options.reads_as = to_dtype(call.given[k + 1], DType::none, call.row.name);
    array.owner = to_ndarray(given, options, call.row.name);
    array.object = array.owner.get();
}

namespace {

/// The most entries that are read of what may be endless: more than any function takes.
constexpr int kMostEntries = 1024;

bool is_array_of(PyObject* object) { return is_ndarray(object) || is_numpy_array(object); }

bool has_axes(PyObject* object) {
    return is_ndarray(object) ? array_of(object).ndim() > 0 : is_numpy_array(object) && !has_no_axes(object);
}

Object entries_of(PyObject* array) { return Object::steal(PyObject_CallMethod(array, "tolist", nullptr)); }

bool holds_bools(PyObject* array) {
    const Object dtype = Object::steal(PyObject_GetAttrString(array, "dtype"));
    return attribute_text(dtype.get(), "kind") == "b";
}

}  // namespace

bool has_entries(PyObject* object) {
    if (is_array_of(object)) return has_axes(object);
    return has_attribute(object, "__len__");
}

Dims read_integers(PyObject* object, Parameter parameter) {
    if (has_axes(object)) {
        const Object entries = entries_of(object);
        const bool is_empty = PyList_CheckExact(entries.get()) && PyList_GET_SIZE(entries.get()) == 0;
        if (!is_empty && holds_bools(object)) refuse(PyExc_TypeError, parameter, "integers", object);
        return read_integers(entries.get(), parameter);
    }
    const bool is_one = PyUnicode_Check(object) || is_array_of(object) || PyIndex_Check(object);
    const Object iterator = is_one ? Object() : Object::steal_or_null(PyObject_GetIter(object));
    if (!iterator) {
        PyErr_Clear();
        return Dims{to_int64(object, parameter)};
    }
    const bool is_sized = PyObject_Size(object) >= 0;
    PyErr_Clear();
    Dims numbers;
    for (int n = 0;; ++n) {
        const Object entry = Object::steal_or_null(PyIter_Next(iterator.get()));
        if (!entry && PyErr_Occurred()) throw ExceptionIsSet{};
        if (!entry) return numbers;
        numbers.push_back(n < kMostEntries || is_sized ? to_int64(entry.get(), parameter) : INT64_MAX);
        if (n == kMostEntries && !is_sized) return numbers;  // the last one is no axis of any array
    }
}

Dims read_list_of_axes(PyObject* object, Parameter parameter) {
    if (!PyTuple_Check(object) && !PyList_Check(object)) return Dims{to_int64(object, parameter)};
    return read_integers(object, parameter);
}

Dims read_line_of_integers(PyObject* object, Parameter parameter) {
    const Object listed = has_axes(object) ? entries_of(object) : Object::share(object);
    if (!is_list(listed.get())) return Dims{to_int64(listed.get(), parameter)};
    static constexpr char rule[] = "%s must be an integer or have one axis";
    const Object axes = Object::steal_or_null(has_axes(object) ? PyObject_GetAttrString(object, "ndim") : nullptr);
    if (axes && PyLong_AsLong(axes.get()) > 1) fail_in(parameter.function, PyExc_ValueError, rule, parameter.name);
    Dims numbers;
    for (Py_ssize_t i = 0; i < length_of(listed.get()); ++i) {
        const Object entry = Object::share(entry_of(listed.get(), i));
        if (is_list(entry.get()) || has_axes(entry.get()))
            fail_in(parameter.function, PyExc_ValueError, rule, parameter.name);
        numbers.push_back(to_int64(entry.get(), parameter));
    }
    return numbers;
}

int64_t read_count(PyObject* object, Parameter parameter) {
    int64_t number;
    if (read_plain_int(object, number)) return number;
    int overflow = 0;
    if (PyLong_Check(object)) PyLong_AsLongLongAndOverflow(object, &overflow);
    return overflow ? (overflow > 0 ? INT64_MAX : INT64_MIN) : python::to_int64(object, parameter);
}

Ranks read_ranks(PyObject* object, Parameter parameter) {
    Object listed = Object::share(object);
    const auto is_plain = [&] {
        if (!is_list(object) || length_of(object) == 0) return false;
        for (Py_ssize_t i = 0; i < length_of(object); ++i)
            if (int64_t number; !read_plain_int(entry_of(object, i), number)) return false;
        return true;
    };
    if (!is_plain()) {
        // NumPy reads them, on the host.
        refuse_to_strip(object, parameter.function);
        static Attribute as_numpy{"numpy", "asarray"};
        const Object places = is_ndarray(object) ? copy_to_numpy(array_of(object)) : call_with(as_numpy.get(), object);
        const std::string kind =
            attribute_text(Object::steal(PyObject_GetAttrString(places.get(), "dtype")).get(), "kind");
        if (kind == "b") refuse(PyExc_ValueError, parameter, "integers, not bools", object);
        if (kind != "i" && kind != "u") refuse(PyExc_TypeError, parameter, "integers", object);
        listed = entries_of(places.get());
        if (PyLong_Check(listed.get())) return Dims{read_count(listed.get(), parameter)};
    }
    Ranks ranks;
    ranks.resize(int(length_of(listed.get())));
    for (int i = 0; i < ranks.size(); ++i) {
        PyObject* const entry = entry_of(listed.get(), i);
        if (is_list(entry))
            fail_in(parameter.function, PyExc_ValueError, "%s must be an integer or have one axis", parameter.name);
        ranks[i] = read_count(entry, parameter);
    }
    return ranks;
}

Overlaps read_overlaps(PyObject* object, Parameter parameter) {
    static constexpr char need[] = "'valid', 'same' or 'full', or 0, 1 or 2";
    if (!PyUnicode_Check(object)) {
        if (PyBool_Check(object) || !PyIndex_Check(object)) refuse(PyExc_TypeError, parameter, need, object);
        const int64_t number = read_count(object, parameter);
        if (number < 0 || number > 2) refuse(PyExc_ValueError, parameter, need, object);
        return Overlaps(number);
    }
    const std::string_view text = to_text(object, parameter);
    if (text == "valid") return Overlaps::Valid;
    if (text == "same") return Overlaps::Same;
    if (text == "full") return Overlaps::Full;
    refuse(PyExc_ValueError, parameter, need, object);
}

SortKind read_sort_kind(PyObject* object, Parameter parameter) {
    const std::string_view text = to_text(object, parameter);
    switch (text.empty() ? 0 : text[0] | 32) {  // its first letter says it, as in NumPy
        case 'q': return SortKind::Quicksort;
        case 'h': return SortKind::Heapsort;
        case 'm': return SortKind::Mergesort;
        case 's': return SortKind::Stable;
        default: refuse(PyExc_ValueError, parameter, "'quicksort', 'heapsort', 'mergesort' or 'stable'", object);
    }
}

Side read_side(PyObject* object, Parameter parameter) {
    const std::string_view side = to_text(object, parameter);
    if (side == "left") return Side::Left;
    if (side == "right") return Side::Right;
    refuse(PyExc_ValueError, parameter, "'left' or 'right'", object);
}

GridIndexing read_grid_indexing(PyObject* object, Parameter parameter) {
    const bool is_text = PyUnicode_Check(object);
    if (is_text && PyUnicode_CompareWithASCIIString(object, "xy") == 0) return GridIndexing::XY;
    if (is_text && PyUnicode_CompareWithASCIIString(object, "ij") == 0) return GridIndexing::IJ;
    refuse(PyExc_ValueError, parameter, "'xy' or 'ij'", object);
}

BitOrder read_bit_order(PyObject* object, const char* function) {
    const bool is_text = PyUnicode_Check(object);
    if (is_text && PyUnicode_CompareWithASCIIString(object, "big") == 0) return BitOrder::Big;
    if (is_text && PyUnicode_CompareWithASCIIString(object, "little") == 0) return BitOrder::Little;
    fail_in(function, is_text ? PyExc_ValueError : PyExc_TypeError,
            "'bitorder' must be either 'little' or 'big', not %R", object);
}

PlainNumber read_number(PyObject* object, const FunctionCall& call) {
    ArrayOrScalar number;
    refuse_to_strip(object, call.row.name);
    Object host;
    if (is_numpy_array(object)) host = Object::steal(PyObject_CallMethod(object, "item", nullptr));
    const bool is_read = number.load(host ? host.get() : object, {Device{}, false}, call.row.name);
    if (!is_read && is_list(object)) to_ndarray(object, Device{}, call.row.name);  // a ragged list: ValueError
    if (!is_read) fail(PyExc_TypeError, "%s: start, stop and step must be numbers, not %R", call.row.name, object);
    const Argument argument = number.argument();
    if (argument.array) return PlainNumber(item(*argument.array, call.row.name));
    return argument.scalar ? PlainNumber(*argument.scalar) : PlainNumber(*argument.weak);
}

void Reader<std::optional<double>>::read(const FunctionCall& call, int k) {
    PyObject* const object = call.given[k];
    if (object == Py_None) return;
    refuse_to_strip(object, call.row.name);
    value = to_double(object, call.parameter(k));
}

void Reader<std::optional<NumberStep>>::read(const FunctionCall& call, int k) {
    reader.read(call, k);
    if (reader.value && reader.value->value.real == 0 && reader.value->value.imag == 0)
        fail(PyExc_ZeroDivisionError, "%s: step must not be 0", call.row.name);
}

MemoryKind read_memory_kind(PyObject* object, const char* function) {
    static constexpr std::pair<std::string_view, MemoryKind> kKinds[] = {{"device", MemoryKind::Device},
                                                                         {"direct", MemoryKind::Direct},
                                                                         {"pinned", MemoryKind::Pinned},
                                                                         {"managed", MemoryKind::Managed}};
    const Parameter parameter{"memory", function};
    for (const auto& [name, kind] : kKinds)
        if (PyUnicode_Check(object) && to_text(object, parameter) == name) return kind;
    refuse(PyExc_ValueError, parameter, "'device', 'direct', 'pinned' or 'managed'", object);
}

Outside read_outside(PyObject* object, Parameter parameter) {
    const bool is_text = PyUnicode_Check(object);
    const std::string_view text = is_text ? to_text(object, parameter) : object == Py_None ? "raise" : "";
    if (text == "raise") return Outside::Raise;
    if (text == "wrap") return Outside::Wrap;
    if (text == "clip") return Outside::Clip;
    const bool is_wrong_value = is_text || (PyLong_Check(object) && !PyBool_Check(object));
    refuse(is_wrong_value ? PyExc_ValueError : PyExc_TypeError, parameter, "'raise', 'wrap' or 'clip'", object);
}

linalg::Triangle read_triangle(PyObject* object, const char* function) {
    const bool is_text = PyUnicode_Check(object);
    const std::string_view letter = is_text ? to_text(object, {"UPLO", function}) : "";
    if (letter == "L" || letter == "l") return linalg::Triangle::Lower;
    if (letter == "U" || letter == "u") return linalg::Triangle::Upper;
    fail(is_text ? PyExc_ValueError : PyExc_TypeError, "%s: UPLO must be 'L' or 'U', not %R", function, object);
}

linalg::QRMode read_qr_mode(PyObject* object, const char* function) {
    const std::string_view word = PyUnicode_Check(object) ? to_text(object, {"mode", function}) : "";
    if (word == "reduced") return linalg::QRMode::Reduced;
    if (word == "complete") return linalg::QRMode::Complete;
    if (word == "r") return linalg::QRMode::R;
    if (word == "raw") return linalg::QRMode::Raw;
    fail(PyExc_ValueError, "%s: mode must be 'reduced', 'complete', 'r' or 'raw', not %R", function, object);
}

linalg::NormOrder read_norm_order(PyObject* object, const char* function) {
    using Kind = linalg::NormOrder::Kind;
    linalg::NormOrder order;
    if (PyUnicode_Check(object)) {
        order.kind = Kind::Word;
        order.text = to_text(object, {"ord", function});
        return order;
    }
    order.kind = PyComplex_Check(object) && !PyFloat_Check(object) ? Kind::Complex : Kind::Number;
    if (order.kind == Kind::Number) {
        order.number = PyFloat_AsDouble(object);
        if (order.number == -1 && PyErr_Occurred()) {
            if (!PyErr_ExceptionMatches(PyExc_TypeError) && !PyErr_ExceptionMatches(PyExc_ValueError))
                throw ExceptionIsSet{};
            PyErr_Clear();
            order.kind = Kind::NoNumber;
        }
        const double size = std::fabs(order.number);
        const bool is_usual = size == 0 || size == 1 || size == 2 || size == HUGE_VAL;
        if (order.kind == Kind::Number && is_usual) return order;
    }
    const Object shown = Object::steal(PyObject_Repr(object));
    order.text = std::string(to_text(shown.get(), {"ord", function})).substr(0, 80);
    return order;
}

std::variant<int64_t, Object> read_counts(PyObject* object, CallDevice device, Parameter parameter) {
    refuse_to_strip(object, parameter.function);
    if (!is_array_of(object) && PyIndex_Check(object)) return python::to_int64(object, parameter);
    // NumPy reads the counts, on the host; objects among them are integers by their __index__.
    static Attribute as_numpy{"numpy", "asarray"};
    Object counts = call_with(as_numpy.get(), object);
    const Object dtype = Object::steal(PyObject_GetAttrString(counts.get(), "dtype"));
    const std::string kind = attribute_text(dtype.get(), "kind");
    if (kind == "O") {
        const Object listed = entries_of(counts.get());
        const Dims numbers = read_line_of_integers(listed.get(), parameter);
        if (!is_list(listed.get())) return numbers[0];
        counts = Object::steal(PyList_New(numbers.size()));
        for (int i = 0; i < numbers.size(); ++i) PyList_SET_ITEM(counts.get(), i, to_python(numbers[i]).release());
    }
    CreationOptions options;
    options.home = device;
    const bool is_nothing = is_list(object) && kind == "f" && length_of(object) == 0;
    if (is_nothing) options.dtype = DType::int64;  // a list without entries
    return to_ndarray(counts.get(), options, parameter.function);
}

PyObject* entry_of_output(PyObject* outputs, const char* function) {
    if (PyTuple_GET_SIZE(outputs) == 1) return PyTuple_GET_ITEM(outputs, 0);
    fail_in(function, PyExc_ValueError, "out= is a tuple of %zd, and there is one result", PyTuple_GET_SIZE(outputs));
}

CoreAxes read_core_axes(PyObject* object, Parameter parameter) {
    if (!PyList_Check(object))
        fail_in(parameter.function, PyExc_TypeError, "axes= takes a list, not %s", Py_TYPE(object)->tp_name);
    const Object entries = Object::steal(PySequence_Tuple(object));  // a list may change meanwhile
    CoreAxes axes;
    for (Py_ssize_t i = 0; i < length_of(entries.get()); ++i) {
        PyObject* const entry = entry_of(entries.get(), i);
        Dims& own = axes.emplace_back();
        if (!PyTuple_Check(entry)) {
            own.push_back(to_int64(entry, {"an entry of axes=", parameter.function}));
            continue;
        }
        for (Py_ssize_t k = 0; k < length_of(entry); ++k)
            own.push_back(to_int64(entry_of(entry, k), {"axis", parameter.function}));
    }
    return axes;
}

ContractedAxes read_contracted_axes(PyObject* object, Parameter parameter) {
    const Object entries =
        PyIndex_Check(object) && !has_axes(object) ? Object() : Object::steal_or_null(PyObject_GetIter(object));
    if (!entries) {
        PyErr_Clear();
        return python::to_int64(object, parameter);
    }
    Dims axes[2];
    for (int n = 0;; ++n) {
        const Object entry = Object::steal_or_null(PyIter_Next(entries.get()));
        if (!entry && PyErr_Occurred()) throw ExceptionIsSet{};
        if (!entry && n == 2) return {axes[0], axes[1]};
        if (!entry || n == 2)
            fail_in(parameter.function, PyExc_ValueError,
                    "axes= takes a number, or two entries with the axes of both arrays, not %s",
                    n == 2 ? "more" : "less");
        axes[n] = read_integers(entry.get(), parameter);
    }
}

bool read_strict_bool(PyObject* object, Parameter parameter) {
    if (PyBool_Check(object) || (is_numpy_scalar(object) && holds_bools(object))) return is_true(object);
    refuse(PyExc_TypeError, parameter, "a bool", object);
}

IndexArray read_index_array(const FunctionCall& call, int k) {
    PyObject* const object = call.given[k];
    if (is_ndarray(object)) return array_of(object);
    if (object == Py_None) raise(ErrorKind::Type, call.row.name, ": an array is needed, not None");
    const CallDevice device = call.device();
    CreationOptions options;
    if (is_numpy_array(object) && device.has_arrays) options.device = device.device;
    options.home = device.device;
    const Object array = to_ndarray(object, options, call.row.name);
    return {array_of(array.get()), is_numpy_array(object) || !is_list(object)};
}

OutputArray read_target(PyObject* object, const char* function) {
    Array array;
    if (is_numpy_array(object)) {
        if (has_swapped_bytes(object))
            fail_in(function, PyExc_TypeError,
                    "the bytes of the array are swapped; fill an array of ours and write y[...] = x.numpy()");
        array = import_numpy(object, function);
    } else if (is_ndarray(object)) {
        array = array_of(object);
    } else {
        fail_in(function, PyExc_TypeError, "expected an array to write into, not %s", Py_TYPE(object)->tp_name);
    }
    if (!array.is_writable()) raise(ErrorKind::Value, function, ": the array is read-only");
    return array;
}

StoredValues read_values(PyObject* object, PyObject* given, const char* function) {
    const OutputArray target = read_target(given, function);
    const DType dtype = target.array.dtype();
    if (is_ndarray(object) && !is_number(object)) {
        const Array& values = array_of(object);
        if (!is_ndarray(given)) refuse_other_device(target.array.device(), values.device(), function);
        return {values, !as_ndarray(object)->is_value};
    }
    if (is_number(object)) {
        const Scalar number = scalar_of_number(object);
        warn_of_lost_imaginary_part(number.dtype, dtype);
        return convert(number, dtype);
    }
    if (is_python_number(object) || is_numpy_scalar(object)) {
        ArrayOrScalar number;
        if (number.load(object, {target.array.device(), false}, function) && number.is_scalar()) {
            const Scalar element =
                is_python_number(object) ? number.exact_element(dtype, function) : number.element(dtype, function);
            warn_of_lost_imaginary_part(number.default_dtype(), dtype);
            return element;
        }
    }
    CreationOptions options;
    options.home = target.array.device();
    const bool is_plain = is_list(object);
    if (is_numpy_array(object)) options.device = target.array.device();
    if (is_plain) options.dtype = dtype;
    const Object values = to_ndarray(object, options, function);
    return {array_of(values.get()), has_attribute(object, "__array__")};
}

AxisPositions read_axis_positions(PyObject* object, const char* function) {
    AxisPositions slice;
    if (PySlice_Check(object)) return slice.emplace<Index>(to_slice(object)), slice;
    if (is_ndarray(object)) return array_of(object);
    CreationOptions options;
    options.device = Device{};
    const Object array = to_ndarray(object, options, function);
    return IndexArray(array_of(array.get()), is_numpy_array(object));
}

void Reader<InsertedValues>::read(const FunctionCall& call, int k) {
    PyObject* const given = call.given[k];
    if (is_python_number(given)) {
        number.load(given, {Device{}, false}, call.row.name);
    } else if (is_list(given)) {
        const Array& target = array_of(call.made ? call.made : call.given[0]);
        CreationOptions options;
        options.dtype = target.dtype();
        options.device = target.device();
        array.owner = to_ndarray(given, options, call.row.name);
        array.object = array.owner.get();
    } else {
        array.read(call, k);
    }
}

void read_source(const FunctionCall& call, int k, ArrayOrScalar& source) {
    const Array target = read_target(call.given[0], call.row.name).array;
    source.load_any(call.given[k], {target.device(), false}, call.row.name);
    if (to_casting(call.given[k + 1], Casting::SameKind, call.row.name) == Casting::Unsafe)
        warn_of_lost_imaginary_part(source.default_dtype(), target.dtype());
}

}  // namespace cuarray::python
