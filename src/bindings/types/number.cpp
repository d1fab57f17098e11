// number.cpp -- Python's operators on arrays: each is a row of ufuncs.def.
#include <algorithm>
#include <cstring>
#include <limits>
#include "bindings/functions/convert.h"
#include "bindings/functions/ufunc.h"
#include "bindings/protocols/dlpack.h"
#include "bindings/protocols/other_arrays.h"
#include "bindings/types/dying_operands.h"
#include "bindings/types/fallback.h"
#include "bindings/types/ndarray.h"
#include "bindings/types/object_comparison.h"
#include "cuarray/array/elements.h"
#include "cuarray/array/pending.h"
#include "cuarray/ops/matmul.h"
#include "cuarray/runtime/registry.h"
#include "ops/powers.h"

namespace cuarray::python {
namespace {

/// Python's operators, as operators.def has them.
enum Operator {
#define OTHER(name, row, symbol, precedence, slot) name,
#define BINARY OTHER
#define UNARY OTHER
#define COMPARISON OTHER
#include "cuarray/core/operators.def"
    kOperators
};

constexpr const char* kRowNames[] = {
#define OTHER(name, row, symbol, precedence, slot) #row,
#define BINARY OTHER
#define UNARY OTHER
#define COMPARISON OTHER
#include "cuarray/core/operators.def"
};

RowId operator_rows[kOperators];

/// How programs write the operators whose result may take an operand's memory: those that give one array of a row.
constexpr const char* kSymbols[] = {
#define OTHER(name, row, symbol, precedence, slot) name == MatrixMultiply ? nullptr : symbol,
#define BINARY OTHER
#define UNARY OTHER
#define COMPARISON(name, row, symbol, precedence, slot) nullptr,
#include "cuarray/core/operators.def"
};
static_assert(kOperators <= kMostOperators);
static_assert(GreaterEqual - Less == Py_GE - Py_LT);

/// The operands of an operator that die with the call, as dying_operands has them.
unsigned dying_bits(OperatorText::Kind kind, Operator op, SlotFrame frame, PyObject* const* objects, int count) {
    return kSymbols[op] ? dying_operands({kind, op, kSymbols[op]}, frame, objects, count) : 0;
}

/// Which of the operators are unary.
constexpr bool kIsUnary[] = {
#define OTHER(name, row, symbol, precedence, slot) false,
#define BINARY OTHER
#define COMPARISON OTHER
#define UNARY(name, row, symbol, precedence, slot) true,
#include "cuarray/core/operators.def"
};

/// The slot of each operator, for calling another library's; of comparisons the operation, for tp_richcompare.
constexpr int kSlots[] = {
#define OTHER(name, row, symbol, precedence, slot) Py_nb_##slot,
#define BINARY OTHER
#define UNARY OTHER
#define COMPARISON(name, row, symbol, precedence, slot) Py_##slot,
#include "cuarray/core/operators.def"
};

/// Operands that Python's operators take: numbers, arrays, and what numpy.asarray makes numbers of; false for all that
/// another class handles.
bool load_operand(ArrayOrScalar& operand, PyObject* object, CallDevice device, const char* function) {
    switch (class_of(object)) {
        case ArrayClass::Number: return operand.load(object, device, function);
        case ArrayClass::List: operand.load_any(object, device, function); return true;
        case ArrayClass::Data: return operand.load_data(object, device, function);
        // Arrays of these libraries are their memory; other classes may have units, or labels.
        case ArrayClass::Foreign:
            return (known_exchange(Py_TYPE(object)) || own_producer_of(Py_TYPE(object))) &&
                   operand.load_shared(object, device, function);
        default: return false;
    }
}

/// The same for an array whose class has left the operator to us.
bool load_left_operand(ArrayOrScalar& operand, PyObject* object, CallDevice device, const char* function) {
    return load_operand(operand, object, device, function) ||
           (class_of(object) == ArrayClass::Foreign && operand.load_shared(object, device, function));
}

/// What the operator of `other` says to (a, b), of which it is the second.
Object ask_other(Operator op, PyObject* other, PyObject* a, PyObject* b) {
    static constexpr int kSwapped[] = {Py_GT, Py_GE, Py_EQ, Py_NE, Py_LT, Py_LE};
    PyTypeObject* const type = Py_TYPE(other);
    if (op >= Less && op <= GreaterEqual) {
        const auto compares = reinterpret_cast<richcmpfunc>(PyType_GetSlot(type, Py_tp_richcompare));
        return Object::steal(compares ? compares(b, a, kSwapped[kSlots[op]]) : Py_NewRef(Py_NotImplemented));
    }
    void* const function = PyType_GetSlot(type, kSlots[op]);
    if (!function) return Object::share(Py_NotImplemented);
    return Object::steal(op == Power ? reinterpret_cast<ternaryfunc>(function)(a, b, Py_None)
                                     : reinterpret_cast<binaryfunc>(function)(a, b));
}

/// NumPy's ufunc of the operator, which asks the classes of its arguments, or null where `other` wants none to be
/// asked.
Object call_ufunc_of_numpy(Operator op, PyObject* other, PyObject* a, PyObject* b, PyObject* out) {
    if (!handles_ufuncs(other)) return {};
    const Object numpy = Object::steal(PyImport_ImportModule("numpy"));
    const Object ufunc = Object::steal(PyObject_GetAttrString(numpy.get(), kRowNames[op]));
    const Object args = Object::steal(PyTuple_Pack(2, a, b));
    const Object keywords = out ? Object::steal(Py_BuildValue("{s(O)}", "out", out)) : Object();
    return Object::steal(PyObject_Call(ufunc.get(), args.get(), keywords.get()));
}

/// An operand of @; numbers are none.
const Array& matrix_operand(const ArrayOrScalar& operand, int number) {
    if (operand.array()) return *operand.array();
    raise(ErrorKind::Value, "matmul: argument ", number, " is 0-dimensional; write x * y for products of elements");
}

PyObject* compute(Operator op, const ArrayOrScalar& left, const ArrayOrScalar& right, Device device,
                  unsigned dying = 0) {
    if (op == MatrixMultiply) {
        const Array &x = matrix_operand(left, 1), &y = matrix_operand(right, 2);
        return wrap_result(without_gil(is_long(device, std::max(x.size(), y.size())), [&] { return matmul(x, y); }));
    }
    Argument args[2] = {left.argument(), right.argument()};
    for (int i = 0; i < 2; ++i) args[i].is_dying = dying >> i & 1;
    UfuncResult result = call_unlocked(operator_rows[op], args, {}, device);
    return wrap_results(operator_rows[op], result);
}

/// An operator beside another library's array whose class is not known to be its memory alone. That library goes first,
/// then its memory is used; where it has none, the error says so, because Python would compare identities.
PyObject* leave_to_other(Operator op, PyObject* a, PyObject* b) {
    const bool is_first = is_ndarray(a);
    PyObject* const other = is_first ? b : a;
    const Device device = array_of(is_first ? a : b).device();
    const ArrayClass kind = class_of(other);
    if (op != Equal && op != NotEqual) refuse_text(other, array_of(is_first ? a : b), kRowNames[op]);
    if (kind < ArrayClass::Wrapping || kind == ArrayClass::Nothing) return Py_NewRef(Py_NotImplemented);
    const bool is_for_numpy = is_subclass_of_numpy(kind);
    if (is_first && kind != ArrayClass::Matrix && (!is_for_numpy || is_on_host(device))) {
        Object result = ask_other(op, other, a, b);
        if (result.get() != Py_NotImplemented) return result.release();
    }
    if (kind == ArrayClass::Foreign && is_on_host(device))
        if (Object result = call_ufunc_of_numpy(op, other, a, b, nullptr)) return result.release();
    ArrayOrScalar left, right;
    if (load_left_operand(left, a, device, kRowNames[op]) && load_left_operand(right, b, device, kRowNames[op]))
        return compute(op, left, right, device);
    refuse_beside(other, kind, device, kRowNames[op]);
}

/// `x == y` where y is None or a text, which no element equals: an array of bools as in NumPy, where a plain False
/// would index as one; null for all other operators and operands. A value is asked as a number is.
PyObject* compare_with_nothing(Operator op, PyObject* a, PyObject* b) {
    if (op != Equal && op != NotEqual) return nullptr;
    PyObject* const array = is_ndarray(a) ? a : b;
    PyObject* const other = is_ndarray(a) ? b : a;
    if (other != Py_None && !PyUnicode_Check(other) && !PyBytes_Check(other)) return nullptr;
    if (as_ndarray(array)->is_value) return Py_NewRef(op == Equal ? Py_False : Py_True);
    return wrap_result(
        full(array_of(array).shape(), Scalar::of(DType::bool_, op == NotEqual), array_of(array).device()));
}

PyObject* compute_or_leave(Operator op, PyObject* a, PyObject* b, SlotFrame frame) {
    return guarded([&]() -> PyObject* {
        const RowId row = operator_rows[op];
        const char* name = kRowNames[op];
        if (PyObject* const answer = compare_with_nothing(op, a, b)) return answer;
        PyObject* const objects[2] = {a, b};
        if (is_number(a) || is_number(b))
            if (PyObject* const result = call_on_numbers(row, objects, 2)) return result;
        const unsigned dying = dying_bits(OperatorText::Binary, op, frame, objects, 2);
        if (is_ndarray(a) && is_ndarray(b)) return call_on_arrays(row, objects, 2, dying);
        const Device device = common_device(objects, 2).device;
        ArrayOrScalar left, right;
        if (!load_operand(left, a, device, name) || !load_operand(right, b, device, name))
            return leave_to_other(op, a, b);
        return compute(op, left, right, device, dying);
    });
}

/// The answer of an operator that knows none itself: NotImplemented, or null with an error set.
PyObject* ask_fallback(Operator op, PyObject* a, PyObject* b, PyObject* answer) noexcept {
    PyObject* const fallback = operator_fallback();
    if (!fallback) return answer;
    const Object name = Object::steal_or_null(PyUnicode_FromString(kRowNames[op]));
    if (!name) return nullptr;
    PyObject* const args[] = {name.get(), a, b};
    if (!answer) return call_fallback(fallback, args, 3, nullptr);
    Py_DECREF(answer);
    return PyObject_Vectorcall(fallback, args, 3, nullptr);
}

PyObject* apply(Operator op, PyObject* a, PyObject* b, SlotFrame frame) {
    PyObject* const result = compute_or_leave(op, a, b, frame);
    if (result && result != Py_NotImplemented) return result;
    const bool is_equality = op == Equal || op == NotEqual;
    PyObject* const answer = is_equality ? compare_objects(a, b, op == Equal, result) : result;
    return answer && answer != Py_NotImplemented ? answer : ask_fallback(op, a, b, answer);
}

/// In place beside another library's array: a class with __array_ufunc__ decides what `out` may take, as in NumPy; what
/// is masked does not fit, and the others are left to the operator that is not in place.
PyObject* leave_in_place(Operator op, PyObject* self, PyObject* other) {
    const ArrayClass kind = class_of(other);
    const bool is_array = is_subclass_of_numpy(kind) || kind == ArrayClass::Foreign;
    if (kind == ArrayClass::Masked || kind == ArrayClass::Matrix || (is_array && op == MatrixMultiply) ||
        (is_subclass_of_numpy(kind) && !is_on_host(array_of(self).device())))
        refuse_beside(other, kind, array_of(self).device(), kRowNames[op]);
    Object result = call_ufunc_of_numpy(op, other, self, other, self);
    return result ? result.release() : Py_NewRef(Py_NotImplemented);
}

PyObject* apply_in_place(Operator op, PyObject* self, PyObject* other, SlotFrame frame) {
    if (as_ndarray(self)->is_value) return apply(op, self, other, frame);
    return guarded([&]() -> PyObject* {
        const char* name = kRowNames[op];
        const Device device = array_of(self).device();
        ArrayOrScalar right;
        if (!load_operand(right, other, device, name)) return leave_in_place(op, self, other);
        UfuncOptions options;
        options.out[0] = &array_of(self);
        Argument args[2] = {array_of(self), right.argument()};
        PyObject* const objects[2] = {self, other};
        args[1].is_dying = args[1].array && dying_bits(OperatorText::InPlace, op, frame, objects, 2) >> 1;
        call_unlocked(operator_rows[op], args, options, device);
        return Py_NewRef(self);
    });
}

/// Whether Python's * repeats the object: lists, tuples, text.
bool is_repeated(PyObject* object) {
    if (PyList_CheckExact(object) || PyTuple_CheckExact(object) || PyUnicode_CheckExact(object)) return true;
    if (is_ndarray(object) || PyFloat_CheckExact(object) || PyLong_CheckExact(object)) return false;
    const PyTypeObject* const type = Py_TYPE(object);
    return type->tp_as_sequence && type->tp_as_sequence->sq_repeat &&
           !(type->tp_as_number && type->tp_as_number->nb_multiply);
}

/// A value repeats a sequence, as Python's numbers and NumPy's scalars do.
PyObject* multiply_or_repeat(PyObject* a, PyObject* b, SlotFrame frame) {
    const bool is_first = is_ndarray(a);
    PyObject* const value = is_first ? a : b;
    PyObject* const other = is_first ? b : a;
    if (!as_ndarray(value)->is_value || !is_repeated(other)) return apply(Multiply, a, b, frame);
    return guarded([&] {
        const DType dtype = dtype_of(value);
        if (info(dtype).kind != Kind::Signed && info(dtype).kind != Kind::Unsigned)
            raise(ErrorKind::Type, "can't multiply sequence by non-int of type '", info(dtype).name, "'");
        const Object count = Object::steal(PyNumber_Index(value));
        const Py_ssize_t times = PyNumber_AsSsize_t(count.get(), PyExc_OverflowError);
        if (times == -1 && PyErr_Occurred()) throw ExceptionIsSet{};
        return PySequence_Repeat(other, times);
    });
}

template <Operator op>
PyObject* binary(PyObject* a, PyObject* b) {
    return op == Multiply ? multiply_or_repeat(a, b, slot_frame()) : apply(op, a, b, slot_frame());
}

template <Operator op>
PyObject* in_place(PyObject* self, PyObject* other) {
    return apply_in_place(op, self, other, slot_frame());
}

template <Operator op>
PyObject* unary(PyObject* self) {
    const SlotFrame frame = slot_frame();
    return guarded([&] {
        const unsigned dying = dying_bits(OperatorText::Unary, op, frame, &self, 1);
        return call_on_arrays(operator_rows[op], &self, 1, dying);
    });
}

/// A Python number as an exponent of the array's dtype; of no dtype if it does not leave the power that.
Scalar exponent_beside(const Array& x, PyObject* number) {
    const Kind kind = info(x.dtype()).kind;
    if (PyFloat_CheckExact(number) && kind >= Kind::Floating)
        return convert(Scalar::of(DType::float64, PyFloat_AS_DOUBLE(number)), x.dtype());
    int64_t integer;
    const bool is_small = kind != Kind::Bool && read_plain_int(number, integer) && integer > -100 && integer < 100;
    return is_small ? convert(Scalar::of(DType::int64, integer), x.dtype()) : Scalar();
}

PyObject* power(PyObject* a, PyObject* b, PyObject* modulus) {
    if (modulus != Py_None) return Py_NewRef(Py_NotImplemented);
    const SlotFrame frame = slot_frame();
    PyObject* few = nullptr;
    if (is_ndarray(a) && !is_number(a) && (PyFloat_CheckExact(b) || PyLong_CheckExact(b)))
        few = guarded([&]() -> PyObject* {
            Array powers = powers_of_few(array_of(a), exponent_beside(array_of(a), b));
            return powers.defined() ? wrap(std::move(powers)) : nullptr;
        });
    return few || PyErr_Occurred() ? few : apply(Power, a, b, frame);
}

PyObject* power_in_place(PyObject* self, PyObject* other, PyObject*) {
    return apply_in_place(Power, self, other, slot_frame());
}

/// The product, or nothing where an operand is for somebody else to handle.
Array matrix_product(PyObject* a, PyObject* b) {
    PyObject* const objects[2] = {a, b};
    const Device device = common_device(objects, 2).device;
    ArrayOrScalar left, right;
    if (!load_operand(left, a, device, "matmul") || !load_operand(right, b, device, "matmul")) return {};
    const Array &x = matrix_operand(left, 1), &y = matrix_operand(right, 2);
    const GilRelease released(is_long(device, std::max(x.size(), y.size())));
    return matmul(x, y);
}

PyObject* matrix_multiply(PyObject* a, PyObject* b) {
    PyObject* const result = guarded([&]() -> PyObject* {
        Array product = matrix_product(a, b);
        return product.defined() ? wrap_result(std::move(product)) : leave_to_other(MatrixMultiply, a, b);
    });
    return result && result != Py_NotImplemented ? result : ask_fallback(MatrixMultiply, a, b, result);
}

PyObject* matrix_multiply_in_place(PyObject* self, PyObject* other) {
    return guarded([&]() -> PyObject* {
        const Array result = matrix_product(self, other);
        if (!result.defined()) return leave_in_place(MatrixMultiply, self, other);
        const Array& array = array_of(self);
        if (!(result.shape() == array.shape()))
            raise(ErrorKind::Value, "matmul: the product has shape ", to_string(result.shape()),
                  ", which does not fit in place of ", to_string(array.shape()));
        if (!can_cast(result.dtype(), array.dtype(), Casting::SameKind))
            raise(ErrorKind::Type, "matmul: cannot cast the output from ", info(result.dtype()).name, " to ",
                  info(array.dtype()).name, " with casting rule 'same_kind'");
        assign(array, result, "matmul");
        return Py_NewRef(self);
    });
}

int truth(PyObject* self) {
    return guarded_number<int>([&] {
        if (is_number(self)) {
            if (dtype_of_number(self) == DType::bool_) return int(*element_of_number(self) != 0);
            return int(convert(scalar_of_number(self), DType::bool_).bytes[0] != 0);
        }
        const Array& array = array_of(self);
        if (array.size() == 0)
            raise(ErrorKind::Value, "the truth value of an empty array is ambiguous; write x.size > 0");
        if (array.size() > 1)
            raise(ErrorKind::Value,
                  "the truth value of an array with more than one element is ambiguous; "
                  "write x.any() or x.all()");
        return int(convert(item(array, "bool"), DType::bool_).bytes[0] != 0);
    });
}

Object scalar_of(PyObject* self, const char* function) {
    if (is_number(self)) return to_python(scalar_of_number(self));
    const Array& array = array_of(self);
    if (array.ndim() != 0)
        raise(ErrorKind::Type, function, ": only 0-dimensional arrays can be converted to Python scalars, not shape ",
              to_string(array.shape()));
    return to_python(item(array, function));
}

/// As NumPy's scalars, values that are complex give their real part, with a warning; as its arrays, others have none.
Object real_scalar_of(PyObject* self, const char* function) {
    Object scalar = scalar_of(self, function);
    if (!PyComplex_Check(scalar.get()) || !as_ndarray(self)->is_value) return scalar;
    warn_of_lost_imaginary_part(DType::complex128, DType::float64);
    return Object::steal(PyFloat_FromDouble(PyComplex_RealAsDouble(scalar.get())));
}

PyObject* to_int(PyObject* self) {
    return guarded([&] { return Object::steal(PyNumber_Long(real_scalar_of(self, "int").get())).release(); });
}

PyObject* to_float(PyObject* self) {
    return guarded([&] { return Object::steal(PyNumber_Float(real_scalar_of(self, "float").get())).release(); });
}

PyObject* to_index(PyObject* self) {
    return guarded([&] {
        if (is_number(self) && info(dtype_of_number(self)).kind <= Kind::Signed &&
            dtype_of_number(self) != DType::bool_)
            return to_python(scalar_of_number(self)).release();
        const Array& array = array_of(self);
        const Kind kind = info(array.dtype()).kind;
        if (array.ndim() == 0 && (kind == Kind::Signed || kind == Kind::Unsigned))
            return to_python(item(array, "index")).release();
        // Python asks for an index wherever it takes no float of a class of ours, as in time.sleep; and bytes(x) asks
        // first, so that this is no exception of C++, which takes as long as copying 100 KB.
        return PyErr_Format(
            PyExc_TypeError,
            "only integer scalar arrays can be converted to a scalar index, and this is %s of shape %s; "
            "write float(x) or int(x) for a number",
            info(dtype_of(self)).name, to_string(array.shape()).c_str());
    });
}

const PyType_Slot slots[] = {
#define BINARY(name, row, symbol, precedence, nb) \
    {Py_nb_##nb, slot(binary<name>)}, {Py_nb_inplace_##nb, slot(in_place<name>)},
#define UNARY(name, row, symbol, precedence, nb) {Py_nb_##nb, slot(unary<name>)},
#define COMPARISON(name, row, symbol, precedence, nb)
#define OTHER(name, row, symbol, precedence, nb)
#include "cuarray/core/operators.def"
    {Py_nb_divmod, slot(binary<Divmod>)},
    {Py_nb_power, slot(power)},
    {Py_nb_inplace_power, slot(power_in_place)},
    {Py_nb_matrix_multiply, slot(matrix_multiply)},
    {Py_nb_inplace_matrix_multiply, slot(matrix_multiply_in_place)},
    {Py_nb_bool, slot(truth)},
    {Py_nb_int, slot(to_int)},
    {Py_nb_float, slot(to_float)},
    {Py_nb_index, slot(to_index)},
    {0, nullptr},
};

}  // namespace

namespace {

/// An element or Python number as a float64 or int64, by an integer of the same order: neither rounding nor subnormal
/// modes matter to it.
struct OrderKey {
    int64_t key;
    bool is_nan = false;

    bool read(PyObject* object, DType dtype) {
        double real;
        if (is_number(object) && dtype_of_number(object) == dtype) {
            std::memcpy(&key, element_of_number(object), sizeof key);
            if (dtype == DType::int64) return true;
        } else if (PyLong_CheckExact(object)) {
            int overflow;
            key = PyLong_AsLongLongAndOverflow(object, &overflow);
            if (dtype == DType::int64 || overflow) return !overflow;
            real = double(key);
            std::memcpy(&key, &real, sizeof key);
        } else if (dtype == DType::float64 && (PyFloat_CheckExact(object) || is_numpy_float64(object))) {
            real = PyFloat_AS_DOUBLE(object);
            std::memcpy(&key, &real, sizeof key);
        } else {
            return false;
        }
        constexpr int64_t kLowest = std::numeric_limits<int64_t>::min(), kInfinity = 0x7ff0000000000000;
        is_nan = (key & ~kLowest) > kInfinity;
        if (key < 0) key = kLowest - key;
        return true;
    }
};

/// The comparison of two numbers, one of them a float64 or int64 element: a loop costs more to call. Null for others.
PyObject* compare_numbers(PyObject* a, PyObject* b, int operation) {
    const DType dtype = is_number(a) ? dtype_of_number(a) : DType::none;
    OrderKey x, y;
    if ((dtype != DType::float64 && dtype != DType::int64) || !x.read(a, dtype) || !y.read(b, dtype)) return nullptr;
    static Backend& host = backend(Device{});
    if (!host.front().direct()) return nullptr;
    if (x.is_nan || y.is_nan) return wrap_truth(operation == Py_NE);
    constexpr int kLess = 1, kEqual = 2, kGreater = 4;
    constexpr int kHolds[] = {kLess, kLess | kEqual, kEqual, kLess | kGreater, kGreater, kGreater | kEqual};
    const int order = x.key < y.key ? kLess : x.key == y.key ? kEqual : kGreater;
    return wrap_truth(kHolds[operation] & order);
}

}  // namespace

PyObject* compare(PyObject* self, PyObject* other, int operation) noexcept {
    if (PyObject* const result = guarded([&] { return compare_numbers(self, other, operation); })) return result;
    return apply(Operator(Less + operation), self, other, slot_frame());
}

void prepare_operators() {
    for (int op = 0; op < kOperators; ++op) {
        if (!kSymbols[op]) continue;
        prepare_dying_operands({kIsUnary[op] ? OperatorText::Unary : OperatorText::Binary, op, kSymbols[op]});
        if (!kIsUnary[op]) prepare_dying_operands({OperatorText::InPlace, op, kSymbols[op]});
    }
    prepare_dying_operands({OperatorText::Assignment});
}

const PyType_Slot* number_slots() {
    for (int op = 0; op < kOperators; ++op) {
        if (op == MatrixMultiply) continue;  // no row: a product of arrays, not of their elements
        operator_rows[op] = find_row(kRowNames[op]);
        if (operator_rows[op] == kNone) fail(PyExc_ImportError, "ufuncs.def has no row named %s", kRowNames[op]);
    }
    return slots;
}

}  // namespace cuarray::python
