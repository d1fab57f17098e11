// readers.h -- what a call gives for a parameter, read by the parameter's type in C++: the common object first, the
// careful reading and its errors behind it.
#pragma once
#include <algorithm>
#include <cmath>
#include <forward_list>
#include <memory>
#include <optional>
#include <span>
#include <variant>
#include <vector>
#include "bindings/functions/reductions.h"
#include "bindings/functions/ufunc.h"
#include "bindings/types/ndarray.h"
#include "cuarray/ops/arguments.h"
#include "cuarray/ops/bincount.h"
#include "cuarray/ops/bit_packing.h"
#include "cuarray/ops/convolution.h"
#include "cuarray/ops/creation.h"
#include "cuarray/ops/einsum.h"
#include "cuarray/ops/functions.h"
#include "cuarray/ops/linalg.h"
#include "cuarray/ops/matmul.h"
#include "cuarray/ops/selection.h"
#include "cuarray/ops/sort.h"
#include "cuarray/runtime/registry.h"

namespace cuarray::python {

/// The arguments of a call, by the parameters of the C++ function; defaults where nothing was given.
struct FunctionCall {
    const FunctionRow& row;
    PyObject* names;       ///< of the signature: a tuple
    const int8_t* places;  ///< of these parameters in the C++ function, or -1
    PyObject* const* given;
    const bool* are_arrays;                ///< of the parameters
    int count;                             ///< of parameters
    std::span<PyObject* const> rest = {};  ///< of a *parameter, which is the first
    PyObject* on = Py_None;                ///< what was given for a parameter `device`
    PyObject* like = Py_None;              ///< what was given for a parameter `like`

    [[gnu::noinline]] Parameter parameter(int k) const {
        const auto named = std::find(places, places + PyTuple_GET_SIZE(names), k) - places;
        return {PyUnicode_AsUTF8(PyTuple_GET_ITEM(names, named)), row.name};
    }
    /// The device that lists and NumPy arrays go to.
    CallDevice device() const;
    /// The device that `device` names, or else that of the array `like`; nothing without either.
    std::optional<Device> named_device() const {
        return on == Py_None && like == Py_None ? std::nullopt : read_device();
    }
    std::optional<Device> read_device() const;
};

/// How much a call has to do, at least: it decides whether others get the GIL.
struct CallWork {
    int64_t elements = 0, times = 1;
    Device device{};
    bool has_arrays = false;

    [[gnu::noinline]] void add(const Array& array) {
        elements += std::min(array.size(), kShortWork + 1);
        device = array.device();
        has_arrays = true;
    }
    [[gnu::noinline]] void multiply(int64_t factor) {
        times = std::min(times * std::clamp<int64_t>(factor, 1, kShortWork + 1), kShortWork + 1);
    }
    bool is_long() const { return python::is_long(device, std::min(elements, kShortWork + 1) * times); }
};

/// Integers of any iterable, or one.
Dims read_integers(PyObject* object, Parameter parameter);
/// One axis, or a tuple or a list of them.
Dims read_list_of_axes(PyObject* object, Parameter parameter);
/// One integer, or those of a list, a tuple or an array of one axis.
Dims read_line_of_integers(PyObject* object, Parameter parameter);
/// Whether it is a sequence with a length, and no array without axes.
bool has_entries(PyObject* object);
/// An integer, of which one that does not fit becomes the largest or the smallest: a count that is too large.
int64_t read_count(PyObject* object, Parameter parameter);
/// One count, or an array of them.
std::variant<int64_t, Object> read_counts(PyObject* object, CallDevice device, Parameter parameter);

/// Positions in a sorted order: integers, and no bools.
Ranks read_ranks(PyObject* object, Parameter parameter);
/// A word, or the number that means it.
Overlaps read_overlaps(PyObject* object, Parameter parameter);
SortKind read_sort_kind(PyObject* object, Parameter parameter);
/// 'L' or 'U', in either case.
linalg::Triangle read_triangle(PyObject* object, const char* function);
linalg::QRMode read_qr_mode(PyObject* object, const char* function);
linalg::NormOrder read_norm_order(PyObject* object, const char* function);

Side read_side(PyObject* object, Parameter parameter);
BitOrder read_bit_order(PyObject* object, const char* function);
MemoryKind read_memory_kind(PyObject* object, const char* function);
/// What an index out of bounds means: 'raise', also for None, 'wrap' or 'clip'.
Outside read_outside(PyObject* object, Parameter parameter);

/// The entry of a tuple of one output.
PyObject* entry_of_output(PyObject* outputs, const char* function);
/// A list of a tuple of integers or of one for each operand.
CoreAxes read_core_axes(PyObject* object, Parameter parameter);
ContractedAxes read_contracted_axes(PyObject* object, Parameter parameter);
/// Python's bools and NumPy's; TypeError for what only is true or false.
bool read_strict_bool(PyObject* object, Parameter parameter);

/// An array of indices or a mask.
IndexArray read_index_array(const FunctionCall& call, int k);
/// An array to write into; TypeError for what has no memory of its own, ValueError for what is read-only.
OutputArray read_target(PyObject* object, const char* function);
/// What a function writes into a target: numbers and lists in its dtype.
StoredValues read_values(PyObject* object, PyObject* target, const char* function);

/// What is copied to the target; a warning where only the rule 'unsafe' lets an imaginary part go.
void read_source(const FunctionCall& call, int k, ArrayOrScalar& source);

/// An array to write the result to; a NumPy array is imported.
inline Array* read_output(PyObject* object, const FunctionCall& call, Array& imported) {
    return to_output(object, is_ndarray(object) ? Device{} : Device(call.device()), call.row.name, imported);
}

inline bool read_plain_int(PyObject* object, int64_t& value) {
    if (!PyLong_CheckExact(object)) return false;
    int overflow = 0;
    value = PyLong_AsLongLongAndOverflow(object, &overflow);
    return !overflow;
}

/// Ints and tuples of them; false for others.
inline bool read_plain_dims(PyObject* object, Dims& dims) {
    int64_t value;
    if (read_plain_int(object, value)) return dims.push_back(value), true;
    if (!PyTuple_CheckExact(object)) return false;
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(object); ++i) {
        if (!read_plain_int(PyTuple_GET_ITEM(object, i), value)) return dims.resize(0), false;
        dims.push_back(value);
    }
    return dims.size() <= kMaxDims;
}

template <class T>
struct Reader;

template <>
struct Reader<Array> {
    static constexpr bool is_array = true;
    void read(const FunctionCall& call, int k) { read(call, call.given[k]); }
    void read(const FunctionCall& call, PyObject* given) {
        object = given;
        if (!is_ndarray(given)) read_other(call, given);
    }
    [[gnu::noinline]] void read_other(const FunctionCall& call, PyObject* given) {
        if (given == Py_None) raise(ErrorKind::Type, call.row.name, ": an array is needed, not None");
        owner = to_ndarray(given, call.device(), call.row.name);
        object = owner.get();
    }
    void add_to(CallWork& work) const { work.add(array_of(object)); }
    const Array& get() const { return array_of(object); }

    PyObject* object = nullptr;
    Object owner;
};

/// A Python number as it is, anything else as an array.
template <>
struct Reader<Argument> {
    static constexpr bool is_array = true;
    [[gnu::noinline]] void read(const FunctionCall& call, int k) {
        PyObject* const given = call.given[k];
        if (is_python_number(given))
            number.load(given, {Device{}, false}, call.row.name);
        else
            array.read(call, given);
    }
    void add_to(CallWork& work) const {
        if (array.object) array.add_to(work);
    }
    Argument get() const { return array.object ? Argument(array.get()) : number.argument(); }

    Reader<Array> array;
    ArrayOrScalar number;
};

/// A number, or what gives an array; what is a number by Python's word alone is read in the dtype of the call, which is
/// the parameter after this one.
template <>
struct Reader<FillValue> {
    static constexpr bool is_array = true;
    void read(const FunctionCall& call, int k);
    void add_to(CallWork& work) const {
        if (array.object) array.add_to(work);
    }
    FillValue get() const { return array.object ? FillValue(array.get()) : FillValue(number.argument()); }
    DType dtype() const { return array.object ? array.get().dtype() : number.default_dtype(); }

    Reader<Array> array;
    ArrayOrScalar number;
};

template <>
struct Reader<OlderName> {
    static constexpr bool is_array = true;
    [[gnu::noinline]] void read(const FunctionCall& call, int k) {
        value.is_given = call.given[k] != no_value();
        if (!value.is_given || call.given[k] == Py_None) return;
        reader.read(call, k);
        value.value = reader.get();
    }
    void add_to(CallWork& work) const {
        if (value.value) reader.add_to(work);
    }
    const OlderName& get() const { return value; }
    Reader<Argument> reader;
    OlderName value;
};

template <>
struct Reader<ElementMask> {
    static constexpr bool is_array = true;
    [[gnu::noinline]] void read(const FunctionCall& call, int k) {
        if (call.given[k] != Py_True)
            value.array = to_mask(call.given[k], call.device(), call.row.name, operand, scalar);
    }
    void add_to(CallWork&) const {}
    const ElementMask& get() const { return value; }
    ArrayOrScalar operand;
    Array scalar;
    ElementMask value;
};

/// The entries of a sequence of arrays, or of a *parameter: the rows of an array, the entries of a list. It keeps them
/// and the arrays that are made of them.
class SequenceEntries {
 public:
    void read(const FunctionCall& call, int k);
    Py_ssize_t size() const { return size_; }
    PyObject* operator[](Py_ssize_t i) const { return objects_[i]; }
    /// An entry as an array, on the device of the others.
    [[gnu::noinline]] PyObject* read_array(const FunctionCall& call, Py_ssize_t i) {
        PyObject* object = objects_[i];
        if (!is_ndarray(object)) {
            Reader<Array> reader;
            reader.read(call, object);
            object = made_.emplace_back(std::move(reader.owner)).get();
        }
        if (first_) refuse_other_device(array_of(first_).device(), array_of(object).device(), call.row.name);
        if (!first_) first_ = object;
        return object;
    }

 private:
    Object owner_;
    std::vector<Object> made_;
    PyObject* first_ = nullptr;  ///< array
    PyObject* const* objects_ = nullptr;
    Py_ssize_t size_ = 0;
};

template <>
struct Reader<ArrayList> {
    static constexpr bool is_array = true;
    [[gnu::noinline]] void read(const FunctionCall& call, int k) {
        entries.read(call, k);
        for (Py_ssize_t i = 0; i < entries.size(); ++i) {
            objects.push_back(entries.read_array(call, i));
            arrays.push_back(&array_of(objects.back()));
        }
    }
    void add_to(CallWork& work) const {
        for (const Array* const array : arrays) work.add(*array);
    }
    const ArrayList& get() const { return arrays; }

    SequenceEntries entries;
    Few<PyObject*, 8> objects;
    ArrayList arrays;
};

/// Numbers that stay where they are, the first four without an allocation.
class NumbersOfCall {
 public:
    NumbersOfCall() {}  // not defaulted: value-initialisation would zero the room
    NumbersOfCall(const NumbersOfCall&) = delete;
    NumbersOfCall& operator=(const NumbersOfCall&) = delete;
    ~NumbersOfCall() { std::destroy_n(first(), count_); }
    ArrayOrScalar& add() {
        if (count_ == kInline) return more_.emplace_front();
        return *new (first() + count_++) ArrayOrScalar();
    }

 private:
    static constexpr size_t kInline = 4;
    ArrayOrScalar* first() { return reinterpret_cast<ArrayOrScalar*>(room_); }

    size_t count_ = 0;
    std::forward_list<ArrayOrScalar> more_;
    alignas(ArrayOrScalar) std::byte room_[kInline * sizeof(ArrayOrScalar)];
};

template <>
struct Reader<ArgumentList> {
    static constexpr bool is_array = true;
    [[gnu::noinline]] void read(const FunctionCall& call, int k) {
        entries.read(call, k);
        for (Py_ssize_t i = 0; i < entries.size(); ++i) {
            if (is_python_number(entries[i])) {
                ArrayOrScalar& number = numbers.add();
                number.load(entries[i], {Device{}, false}, call.row.name);
                operands.push_back(number.argument());
            } else {
                operands.push_back(array_of(entries.read_array(call, i)));
            }
        }
    }
    void add_to(CallWork& work) const {
        for (const Argument& one : operands)
            if (one.array) work.add(*one.array);
    }
    const ArgumentList& get() const { return operands; }

    SequenceEntries entries;
    NumbersOfCall numbers;
    ArgumentList operands;
};

/// A *parameter: subscripts and arrays, or arrays each followed by a list of labels.
template <>
struct Reader<EinsumOperands> {
    static constexpr bool is_array = true;
    void read(const FunctionCall& call, int k);
    void add_to(CallWork& work) const {
        for (const Array* const array : value.arrays) work.add(*array);
    }
    const EinsumOperands& get() const { return value; }

    EinsumOperands value;
    PyObject* first = nullptr;  ///< array
    std::vector<Object> made;
};

/// A path as numpy.einsum_path gives it, or how it finds one; a bool asks for any.
template <>
struct Reader<ContractionOrder> {
    static constexpr bool is_array = false;
    void read(const FunctionCall& call, int k);
    void add_to(CallWork&) const {}
    const ContractionOrder& get() const { return value; }
    ContractionOrder value;
};

/// An index array or a mask; a NumPy array is a small parameter, which is copied to the device of the call's arrays.
template <>
struct Reader<IndexArray> {
    static constexpr bool is_array = true;
    void read(const FunctionCall& call, int k) { value = read_index_array(call, k); }
    void add_to(CallWork& work) const { work.add(value.array); }
    const IndexArray& get() const { return value; }
    IndexArray value;
};

template <>
struct Reader<CountedIntegers> {
    static constexpr bool is_array = true;
    void read(const FunctionCall& call, int k) {
        array.read(call, k);
        value = {array.get(), is_ndarray(call.given[k]) || is_numpy_array(call.given[k])};
    }
    void add_to(CallWork& work) const { array.add_to(work); }
    const CountedIntegers& get() const { return value; }
    Reader<Array> array;
    CountedIntegers value;
};

template <>
struct Reader<WhereMask> {
    static constexpr bool is_array = false;
    void read(const FunctionCall& call, int k) {
        if (call.given[k] == Py_True) return;
        if (call.given[k] == Py_None) raise(ErrorKind::Type, call.row.name, ": where= takes a bool array, not None");
        static_cast<IndexArray&>(value) = read_index_array(call, k);
    }
    void add_to(CallWork&) const {}
    const WhereMask& get() const { return value; }
    WhereMask value;
};

/// The first parameter: an array of ours, or the memory of a NumPy array.
template <>
struct Reader<OutputArray> {
    static constexpr bool is_array = true;
    void read(const FunctionCall& call, int k) { value = read_target(call.given[k], call.row.name); }
    void add_to(CallWork& work) const { work.add(value.array); }
    const OutputArray& get() const { return value; }
    OutputArray value;
};

template <>
struct Reader<StoredValues> {
    static constexpr bool is_array = false;
    void read(const FunctionCall& call, int k) { value = read_values(call.given[k], call.given[0], call.row.name); }
    void add_to(CallWork& work) const {
        if (!value.number) work.add(value.array);
    }
    const StoredValues& get() const { return value; }
    StoredValues value;
};

/// Anything array-like goes to the target's device. The parameter behind it is the casting rule.
template <>
struct Reader<CopySource> {
    static constexpr bool is_array = false;
    void read(const FunctionCall& call, int k) { read_source(call, k, number); }
    void add_to(CallWork& work) const {
        if (number.array()) work.add(*number.array());
    }
    CopySource get() const { return number.argument(); }
    ArrayOrScalar number;
};

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
        const bool is_shape = name == "shape" || name == "dims" || name == "axes" ||
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
struct Reader<std::variant<int64_t, Array>> {
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
    const std::variant<int64_t, Array>& get() const { return value; }
    std::variant<int64_t, Array> value;
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
    ContractedAxes value;
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
struct Reader<std::variant<int64_t, Dims>> : PlainReader {
    void read(const FunctionCall& call, int k) {
        if (has_entries(call.given[k]))
            value = read_integers(call.given[k], call.parameter(k));
        else
            value = read_count(call.given[k], call.parameter(k));
    }
    const std::variant<int64_t, Dims>& get() const { return value; }
    std::variant<int64_t, Dims> value;
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

/// None, or what another reader reads.
template <class T>
struct Reader<std::optional<T>> {
    static constexpr bool is_array = Reader<T>::is_array;
    void read(const FunctionCall& call, int k) {
        if (call.given[k] == Py_None) return;
        reader.read(call, k);
        value = reader.get();
    }
    void add_to(CallWork& work) const {
        if (value) reader.add_to(work);
    }
    const std::optional<T>& get() const { return value; }
    Reader<T> reader;
    std::optional<T> value;
};

}  // namespace cuarray::python
