// plain_readers.h -- what a call gives for a parameter that is no array: numbers, axes, shapes, dtypes, words, outputs.
#pragma once
#include "bindings/functions/function_call.h"

namespace cuarray::python {

/// What no array is, and adds no work.
struct PlainReader {
    static constexpr bool is_array = false;
    void add_to(CallWork&) const {}
};

template <>
struct Reader<int64_t> : PlainReader {
    void read(const FunctionCall& call, int k) {
        if (!read_plain_int(call.given[k], value)) value = python::to_int64(call.given[k], call.parameter(k));
    }
    int64_t get() const { return value; }
    int64_t value;
};

template <>
struct Reader<Length> : PlainReader {
    void read(const FunctionCall& call, int k) {
        if (!read_plain_int(call.given[k], value.value))
            value.value = python::to_int64(call.given[k], call.parameter(k));
    }
    void add_to(CallWork& work) const { work.multiply(value); }
    const Length& get() const { return value; }
    Length value;
};

/// By default as long as the extents before it.
template <>
struct Reader<std::optional<Length>> : PlainReader {
    void read(const FunctionCall& call, int k) {
        if (call.given[k] == Py_None) return;
        Reader<Length> reader;
        reader.read(call, k);
        value = reader.value;
    }
    void add_to(CallWork& work) const { work.multiply(value ? int64_t(*value) : work.times); }
    const std::optional<Length>& get() const { return value; }
    std::optional<Length> value;
};

template <>
struct Reader<SquareLength> : PlainReader {
    void read(const FunctionCall& call, int k) {
        Reader<Length> reader;
        reader.read(call, k);
        value.value = reader.value;
    }
    void add_to(CallWork& work) const {
        work.multiply(value);
        work.multiply(value);
    }
    const SquareLength& get() const { return value; }
    SquareLength value;
};

/// A number by itself or in an array; read_number() is the careful reading.
PlainNumber read_number(PyObject* object, const FunctionCall& call);

template <>
struct Reader<std::optional<PlainNumber>> : PlainReader {
    void read(const FunctionCall& call, int k) {
        int64_t integer;
        PyObject* const object = call.given[k];
        if (object == Py_None) return;
        if (PyFloat_CheckExact(object))
            value.emplace(PyFloat_AS_DOUBLE(object));
        else if (read_plain_int(object, integer))
            value.emplace(integer);
        else
            value = read_number(object, call);
    }
    /// A sequence has at most as many elements as twice its largest number times the inverse of its smallest one.
    void add_to(CallWork& work) const {
        const double size = value ? std::abs(value->value.real) : 1;
        if (size > 0) work.multiply(int64_t(std::min(size < 1 ? 1 / size : size, double(kShortWork + 1))));
    }
    const std::optional<PlainNumber>& get() const { return value; }
    std::optional<PlainNumber> value;
};

template <>
struct Reader<std::optional<double>> : PlainReader {
    void read(const FunctionCall& call, int k);
    const std::optional<double>& get() const { return value; }
    std::optional<double> value;
};

template <>
struct Reader<std::optional<NumberStep>> : PlainReader {
    void read(const FunctionCall& call, int k);
    void add_to(CallWork& work) const { reader.add_to(work); }
    std::optional<NumberStep> get() const {
        return reader.value ? std::optional(NumberStep(*reader.value)) : std::nullopt;
    }
    Reader<std::optional<PlainNumber>> reader;
};

template <>
struct Reader<bool> : PlainReader {
    void read(const FunctionCall& call, int k) {
        PyObject* const object = call.given[k];
        value = object == Py_True || (object != Py_False && is_true(object));
    }
    bool get() const { return value; }
    bool value;
};

/// A letter for an order; None is the default.
template <>
struct Reader<char> : PlainReader {
    void read(const FunctionCall& call, int k) {
        static PyObject* const usual = PyUnicode_InternFromString("C");
        value = call.given[k] == usual ? 'C' : to_order(call.given[k], "CFAK", 'C', call.row.name);
    }
    char get() const { return value; }
    char value;
};

template <>
struct Reader<std::optional<char>> : PlainReader {
    void read(const FunctionCall& call, int k) {
        static PyObject* const usual = PyUnicode_InternFromString("K");
        if (call.given[k] == usual)
            value = 'K';
        else if (const char letter = to_order(call.given[k], "CFAK", '\0', call.row.name))
            value = letter;
    }
    const std::optional<char>& get() const { return value; }
    std::optional<char> value;
};

template <>
struct Reader<Dims> : PlainReader {
    [[gnu::noinline]] void read(const FunctionCall& call, int k) {
        if (read_plain_dims(call.given[k], value)) { return; }
        const Parameter parameter = call.parameter(k);
        const std::string_view name = parameter.name;
        const bool is_grid = name == "dimensions";
        const bool is_shape = name == "shape" || name == "dims" || name == "axes" || name == "new_shape" ||
                              (is_grid && !PyIter_Check(call.given[k]));  // numpy.indices makes a tuple of it
        value = is_shape ? to_dims(call.given[k], parameter) : read_integers(call.given[k], parameter);
    }
    const Dims& get() const { return value; }
    void add_to(CallWork& work) const {
        for (const int64_t number : value) work.multiply(number);
    }
    Dims value;
};

template <>
struct Reader<Axes> : PlainReader {
    [[gnu::noinline]] void read(const FunctionCall& call, int k) {
        if (!read_plain_dims(call.given[k], value)) value = to_axes(call.given[k], call.row.name);
    }
    const Axes& get() const { return value; }
    Axes value;
};

template <>
struct Reader<AxisList> : PlainReader {
    [[gnu::noinline]] void read(const FunctionCall& call, int k) {
        if (!read_plain_dims(call.given[k], value)) value = read_list_of_axes(call.given[k], call.parameter(k));
    }
    const AxisList& get() const { return value; }
    AxisList value;
};

template <>
struct Reader<Integers> : PlainReader {
    [[gnu::noinline]] void read(const FunctionCall& call, int k) {
        if (!read_plain_dims(call.given[k], value)) value = read_line_of_integers(call.given[k], call.parameter(k));
    }
    const Integers& get() const { return value; }
    Integers value;
};

template <>
struct Reader<std::span<const Dims>> : PlainReader {
    void read(const FunctionCall& call, int) {
        for (PyObject* const one : call.rest) shapes.push_back(to_shape(one, call.row.name));
    }
    std::span<const Dims> get() const { return shapes; }
    std::vector<Dims> shapes;
};

template <>
struct Reader<RepeatCounts> {
    static constexpr bool is_array = true;
    [[gnu::noinline]] void read(const FunctionCall& call, int k) {
        int64_t count;
        if (read_plain_int(call.given[k], count)) {
            value = count;
            return;
        }
        if (is_ndarray(call.given[k])) {
            value.emplace<Array>(array_of(call.given[k]));
            return;
        }
        auto counts = read_counts(call.given[k], call.device(), call.parameter(k));
        if (const auto* const one = std::get_if<int64_t>(&counts))
            value = *one;
        else
            value = array_of((owner = std::get<Object>(counts)).get());
    }
    void add_to(CallWork& work) const {
        if (const auto* const count = std::get_if<int64_t>(&value))
            work.multiply(*count);
        else
            work.add(std::get<Array>(value));
    }
    const RepeatCounts& get() const { return value; }
    RepeatCounts value;
    Object owner;
};

template <>
struct Reader<DType> : PlainReader {
    void read(const FunctionCall& call, int k) {
        PyObject* const object = call.given[k];
        if (object == reinterpret_cast<PyObject*>(&PyFloat_Type))
            value = DType::float64;
        else if (object != Py_None)
            value = to_dtype(object, DType::none, call.row.name);
    }
    DType get() const { return value; }
    DType value = DType::none;
};

template <>
struct Reader<Casting> : PlainReader {
    [[gnu::noinline]] void read(const FunctionCall& call, int k) {
        static PyObject* const usual = PyUnicode_InternFromString("same_kind");
        value =
            call.given[k] == usual ? Casting::SameKind : to_casting(call.given[k], Casting::SameKind, call.row.name);
        const std::span<PyObject* const> given{call.given, size_t(call.count)};
        refuse_swapped_bytes(value, given, call.row.name);
        refuse_swapped_bytes(value, call.rest, call.row.name);
        for (PyObject* const object : given)
            if (object && (PyList_Check(object) || PyTuple_Check(object)))  // of arrays to join
                refuse_swapped_bytes(value, {PySequence_Fast_ITEMS(object), size_t(PySequence_Fast_GET_SIZE(object))},
                                     call.row.name);
    }
    Casting get() const { return value; }
    Casting value;
};

template <>
struct Reader<Array*> : PlainReader {
    static constexpr bool is_array = true;  // lists go to its device
    void read(const FunctionCall& call, int k) {
        if (call.given[k] != Py_None) read_given(call, call.given[k]);
    }
    [[gnu::noinline]] void read_given(const FunctionCall& call, PyObject* given) {
        target = read_output(given, call, imported);
        object = given;
    }
    Array* get() const { return target; }
    PyObject* object = nullptr;
    Array* target = nullptr;
    Array imported;
};

/// A tuple of one stands for its entry; `...` asks for a new array where there would be a value.
template <>
struct Reader<UfuncOutput> : PlainReader {
    static constexpr bool is_array = true;  // lists go to its device
    [[gnu::noinline]] void read(const FunctionCall& call, int k) {
        object = call.given[k];
        if (object == Py_Ellipsis) return;
        if (object != Py_None && PyTuple_Check(object)) object = entry_of_output(object, call.row.name);
        if (object == Py_None)
            object = nullptr;
        else
            value.array = read_output(object, call, imported.emplace());
    }
    const UfuncOutput& get() const { return value; }
    PyObject* object;
    UfuncOutput value;
    std::optional<Array> imported;
};

/// The types of two inputs and of one output.
template <>
struct Reader<std::optional<LoopSignature>> : PlainReader {
    void read(const FunctionCall& call, int k) {
        if (call.given[k] != Py_None) value = read_signature(call.given[k], 2, 1, call.row.name);
    }
    const std::optional<LoopSignature>& get() const { return value; }
    std::optional<LoopSignature> value;
};

template <>
struct Reader<std::optional<CoreAxes>> : PlainReader {
    void read(const FunctionCall& call, int k) {
        if (call.given[k] != Py_None) value = read_core_axes(call.given[k], call.parameter(k));
    }
    const std::optional<CoreAxes>& get() const { return value; }
    std::optional<CoreAxes> value;
};

template <>
struct Reader<ContractedAxes> : PlainReader {
    void read(const FunctionCall& call, int k) {
        int64_t count;
        value = read_plain_int(call.given[k], count) ? ContractedAxes(count)
                                                     : read_contracted_axes(call.given[k], call.parameter(k));
    }
    const ContractedAxes& get() const { return value; }
    ContractedAxes value = 0;
};

template <>
struct Reader<SingleAxis> : PlainReader {
    void read(const FunctionCall& call, int k) {
        if (call.given[k] != no_value()) value.emplace(python::to_int64(call.given[k], call.parameter(k)));
    }
    const SingleAxis& get() const { return value; }
    SingleAxis value;
};

template <>
struct Reader<StrictBool> : PlainReader {
    void read(const FunctionCall& call, int k) {
        PyObject* const object = call.given[k];
        value = PyBool_Check(object) ? object == Py_True : read_strict_bool(object, call.parameter(k));
    }
    StrictBool get() const { return value; }
    bool value;
};

template <>
struct Reader<Sections> : PlainReader {
    void read(const FunctionCall& call, int k) {
        if (has_entries(call.given[k]))
            value = read_integers(call.given[k], call.parameter(k));
        else
            value = read_count(call.given[k], call.parameter(k));
    }
    const Sections& get() const { return value; }
    Sections value;
};

template <>
struct Reader<Outside> : PlainReader {
    void read(const FunctionCall& call, int k) {
        static PyObject* const usual = PyUnicode_InternFromString("raise");
        value = call.given[k] == usual ? Outside::Raise : read_outside(call.given[k], call.parameter(k));
    }
    Outside get() const { return value; }
    Outside value;
};

template <>
struct Reader<Side> : PlainReader {
    void read(const FunctionCall& call, int k) {
        static PyObject* const usual = PyUnicode_InternFromString("left");
        value = call.given[k] == usual ? Side::Left : read_side(call.given[k], call.parameter(k));
    }
    Side get() const { return value; }
    Side value;
};

template <>
struct Reader<GridIndexing> : PlainReader {
    void read(const FunctionCall& call, int k) { value = read_grid_indexing(call.given[k], call.parameter(k)); }
    GridIndexing get() const { return value; }
    GridIndexing value;
};

template <>
struct Reader<BitOrder> : PlainReader {
    void read(const FunctionCall& call, int k) { value = read_bit_order(call.given[k], call.row.name); }
    BitOrder get() const { return value; }
    BitOrder value;
};

template <>
struct Reader<Ranks> : PlainReader {
    [[gnu::noinline]] void read(const FunctionCall& call, int k) {
        if (PyLong_CheckExact(call.given[k]) && read_plain_dims(call.given[k], value)) return;
        value = read_ranks(call.given[k], call.parameter(k));
    }
    const Ranks& get() const { return value; }
    Ranks value;
};

template <>
struct Reader<SortKind> : PlainReader {
    void read(const FunctionCall& call, int k) { value = read_sort_kind(call.given[k], call.parameter(k)); }
    SortKind get() const { return value; }
    SortKind value;
};

template <>
struct Reader<Overlaps> : PlainReader {
    void read(const FunctionCall& call, int k) { value = read_overlaps(call.given[k], call.parameter(k)); }
    Overlaps get() const { return value; }
    Overlaps value;
};

template <>
struct Reader<SelectionKind> : PlainReader {
    void read(const FunctionCall& call, int k) {
        static PyObject* const usual = PyUnicode_InternFromString("introselect");
        if (call.given[k] == usual || to_text(call.given[k], call.parameter(k)) == "introselect") return;
        refuse(PyExc_ValueError, call.parameter(k), "'introselect'", call.given[k]);
    }
    SelectionKind get() const { return SelectionKind::Introselect; }
};

template <>
struct Reader<NoFields> : PlainReader {
    void read(const FunctionCall& call, int k) {
        if (call.given[k] == Py_None) return;
        fail_in(call.row.name, PyExc_ValueError, "cannot specify order when the array has no fields");
    }
    NoFields get() const { return {}; }
};

template <>
struct Reader<linalg::Triangle> : PlainReader {
    void read(const FunctionCall& call, int k) { value = read_triangle(call.given[k], call.row.name); }
    linalg::Triangle get() const { return value; }
    linalg::Triangle value;
};

template <>
struct Reader<linalg::QRMode> : PlainReader {
    void read(const FunctionCall& call, int k) { value = read_qr_mode(call.given[k], call.row.name); }
    linalg::QRMode get() const { return value; }
    linalg::QRMode value;
};

template <>
struct Reader<linalg::NormOrder> : PlainReader {
    void read(const FunctionCall& call, int k) {
        if (call.given[k] != Py_None) value = read_norm_order(call.given[k], call.row.name);
    }
    const linalg::NormOrder& get() const { return value; }
    linalg::NormOrder value;
};

template <>
struct Reader<Few<Outside, 4>> : PlainReader {
    [[gnu::noinline]] void read(const FunctionCall& call, int k) {
        PyObject* const object = call.given[k];
        static PyObject* const usual = PyUnicode_InternFromString("raise");
        if (object == usual) return value.push_back(Outside::Raise);
        if (!is_list(object)) return value.push_back(read_outside(object, call.parameter(k)));
        for (Py_ssize_t i = 0; i < length_of(object); ++i)
            value.push_back(read_outside(entry_of(object, i), call.parameter(k)));
    }
    const Few<Outside, 4>& get() const { return value; }
    Few<Outside, 4> value;
};

/// The device of a new array, by `device` or `like`; without them and arrays the current one.
template <>
struct Reader<std::optional<Device>> {
    static constexpr bool is_array = false;
    void read(const FunctionCall& call, int) { value = call.named_device(); }
    void add_to(CallWork& work) {
        if (!work.has_arrays) work.elements = 1;
        if (!value && !work.has_arrays) value = current_device();
        if (value) work.device = *value;
    }
    const std::optional<Device>& get() const { return value; }
    std::optional<Device> value;
};

template <>
struct Reader<MemoryKind> : PlainReader {
    void read(const FunctionCall& call, int k) {
        if (call.given[k] != Py_None) value = read_memory_kind(call.given[k], call.row.name);
    }
    MemoryKind get() const { return value; }
    MemoryKind value = MemoryKind::Device;
};

}  // namespace cuarray::python
