// readers.h -- what a call gives for a parameter, read by the parameter's type in C++: the common object first, the
// careful reading and its errors behind it.
#pragma once
#include "bindings/functions/plain_readers.h"
#include "cuarray/array/pending.h"

namespace cuarray::python {

template <>
struct Reader<Array> {
    static constexpr bool is_array = true;
    void read(const FunctionCall& call, int k) { read(call, call.given[k]); }
    [[gnu::always_inline]] void read(const FunctionCall& call, PyObject* given) {
        object = given;
        if (!is_ndarray(given)) return read_other(call, given);
        // Functions settle copies of the handle: each call would find it pending again.
        if (const Array& array = array_of(given); array.is_pending()) settle_if_run(array);
    }
    [[gnu::noinline]] void read_other(const FunctionCall& call, PyObject* given) {
        if (given == Py_None) raise(ErrorKind::Type, call.row.name, ": an array is needed, not None");
        owner = to_ndarray(given, call.device(), call.row.name);
        object = owner.get();
        if (given == call.given[0]) call.made = object;
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

/// Of index arrays; an empty list has no dtype.
template <>
struct Reader<IndexList> {
    static constexpr bool is_array = true;
    void read(const FunctionCall& call, int k) {
        entries.read(call, k);
        for (Py_ssize_t i = 0; i < entries.size(); ++i) {
            PyObject* const given = entries[i];
            value.emplace_back(array_of(entries.read_array(call, i)), is_ndarray(given) || is_numpy_array(given));
        }
    }
    void add_to(CallWork& work) const {
        for (const IndexArray& one : value) work.add(one.array);
    }
    const IndexList& get() const { return value; }

    SequenceEntries entries;
    IndexList value;
};

/// Lists of lists of arrays.
template <>
struct Reader<Blocks> {
    static constexpr bool is_array = true;
    void read(const FunctionCall& call, int k) { value = read_blocks(call, call.given[k]); }
    void add_to(CallWork& work) const { add_to(work, value); }
    const Blocks& get() const { return value; }

    Blocks value{};
    std::optional<Device> device;

 private:
    struct NestedList;
    Blocks read_blocks(const FunctionCall& call, PyObject* given, const NestedList* outer = nullptr);
    static void add_to(CallWork& work, const Blocks& blocks);
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

template <>
struct Reader<AxisPositions> {
    static constexpr bool is_array = false;
    void read(const FunctionCall& call, int k) {
        if (int64_t one; read_plain_int(call.given[k], one))
            value = one;
        else
            value = read_axis_positions(call.given[k], call.row.name);
    }
    void add_to(CallWork& work) const {
        const auto* const index = std::get_if<IndexArray>(&value);
        if (index && !is_on_host(index->array.device())) work.add(index->array);
    }
    const AxisPositions& get() const { return value; }
    AxisPositions value;
};

/// A number, or what gives an array; lists in the dtype of the first array.
template <>
struct Reader<InsertedValues> {
    static constexpr bool is_array = true;
    void read(const FunctionCall& call, int k);
    void add_to(CallWork& work) const {
        if (array.object) array.add_to(work);
    }
    InsertedValues get() const { return array.object ? Argument(array.get()) : number.argument(); }

    Reader<Array> array;
    ArrayOrScalar number;
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

/// None, or what another reader reads.
template <class T, class Value>
struct OptionalReader {
    static constexpr bool is_array = Reader<T>::is_array;
    void read(const FunctionCall& call, int k) {
        if (call.given[k] == Py_None) return;
        reader.read(call, k);
        value = reader.get();
    }
    void add_to(CallWork& work) const {
        if (value) reader.add_to(work);
    }
    const Value& get() const { return value; }
    Reader<T> reader;
    Value value;
};
template <class T>
struct Reader<std::optional<T>> : OptionalReader<T, std::optional<T>> {};
template <class List>
struct Reader<OptionalList<List>> : OptionalReader<List, OptionalList<List>> {};

}  // namespace cuarray::python
