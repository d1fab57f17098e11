// loop_dtypes.cpp -- signatures of loops, and the dtypes of the loop that a ufunc chooses for given ones.
#include <string>
#include <vector>
#include "bindings/functions/ufunc.h"
#include "bindings/types/ndarray.h"
#include "cuarray/ops/reduction.h"
#include "ops/call.h"

namespace cuarray::python {
namespace {

/// "dd->d" as a tuple of its letters.
Object letters_of(PyObject* text, int nin, int nout, const char* function) {
    const Py_ssize_t length = PyUnicode_GetLength(text), arrow = PyUnicode_FindChar(text, '-', 0, length, 1);
    if (arrow != nin || length != nin + 2 + nout || PyUnicode_ReadChar(text, arrow + 1) != '>')
        fail(length == 1 ? PyExc_TypeError : PyExc_ValueError,
             "%s: the signature %R must have %d type letters before and %d after '->'", function, text, nin, nout);
    const Object letters = Object::steal(PyObject_CallMethod(text, "replace", "ss", "->", ""));
    return Object::steal(PySequence_Tuple(letters.get()));
}

}  // namespace

LoopSignature read_signature(PyObject* object, int nin, int nout, const char* function) {
    const bool is_text = PyUnicode_Check(object);
    if (!is_text && !PyTuple_Check(object))
        fail(PyExc_TypeError, "%s: the signature must be a string or a tuple, not %R", function, object);
    const Object parts = is_text ? letters_of(object, nin, nout, function) : Object::share(object);
    const Py_ssize_t count = PyTuple_Size(parts.get()), types = nin + nout;
    if (count == 1 && types > 1)
        fail(PyExc_TypeError,
             "%s: a signature of one type; use dtype=, or a tuple of %zd with None where any type will do", function,
             types);
    if (count != types)
        fail(PyExc_ValueError, "%s: the signature must name %zd types, not %zd", function, types, count);
    LoopSignature signature;
    for (Py_ssize_t i = 0; i < count; ++i)
        signature.types[i] = to_dtype(PyTuple_GetItem(parts.get(), i), DType::none, function);
    return signature;
}

ArgType to_arg_type(PyObject* object) {
    using Weakness = Weak::Kind;
    if (is_ndarray(object)) return {array_of(object).dtype(), {}};
    if (object == reinterpret_cast<PyObject*>(&PyLong_Type)) return {DType::none, Weakness::Int};
    if (object == reinterpret_cast<PyObject*>(&PyFloat_Type)) return {DType::none, Weakness::Float};
    if (object == reinterpret_cast<PyObject*>(&PyComplex_Type)) return {DType::none, Weakness::Complex};
    ArrayOrScalar operand;
    if (!PyUnicode_Check(object) && !PyType_Check(object) && operand.load(object, Device{}, "result_type"))
        return operand.argument().type();
    return {to_dtype(object, DType::none), {}};
}

namespace {

/// The dtypes that are given: one for each operand, None for outputs and for the first input of a reduction.
void read_dtypes(const Row& row, PyObject* given, bool is_reduction, ArgType (&types)[kMaxIn + kMaxOut]) {
    const int operands = row.nin + row.nout;
    if (!PyTuple_Check(given) || PyTuple_Size(given) != operands)
        fail(PyExc_TypeError, "%s.resolve_dtypes: a tuple of %d dtypes is needed, not %R", row.name, operands, given);
    for (int i = 0; i < operands; ++i) {
        PyObject* const one = PyTuple_GetItem(given, i);
        if (one != Py_None)
            types[i] = to_arg_type(one);
        else if (i < row.nin && !(is_reduction && i == 0))
            fail(PyExc_TypeError, "%s.resolve_dtypes: the dtype of input %d is missing", row.name, i);
        if (i >= row.nin && one != Py_None && types[i].is_weak())
            fail(PyExc_TypeError, "%s.resolve_dtypes: an output has a dtype, not %R", row.name, one);
    }
    if (is_reduction && PyTuple_GetItem(given, operands - 1) != Py_None)
        fail(PyExc_TypeError, "%s.resolve_dtypes: a reduction has the first dtype for its output", row.name);
}

/// The type in which a reduction folds elements of that type.
ArgType accumulator_of(RowId id, ArgType element, const LoopSignature& signature) {
    const ArgType both[] = {element, element};
    const LoopId loop = resolve(id, both, signature);
    const ReductionId reduction = rows()[id].reduction;
    const DType result = loop == kNone ? DType::none : loops()[loop].out[0];
    if (reduction != kNone && result != DType::bool_ && !element.is_weak())
        return {reduction_dtype(reduction, element.dtype), {}};
    return loop == kNone ? element : ArgType{result, {}};
}

void check_casts(const Row& row, const Loop& loop, const ArgType* types, Casting casting) {
    for (int i = 0; i < row.nin + row.nout; ++i) {
        const bool is_input = i < row.nin;
        // An output that is not given, or a lone Python number.
        if (types[i].is_weak() && (!is_input || row.nin == 1)) continue;
        static constexpr const char* kPythonNames[] = {"int", "float", "complex"};
        const ArgType from = is_input ? types[i] : ArgType{loop.out[i - row.nin], {}};
        const DType to = is_input ? loop.in[i] : types[i].dtype;
        if (!may_pass(from, to, casting))
            raise(ErrorKind::Type, row.name, ": cannot cast ", is_input ? "input " : "output ",
                  is_input ? i : i - row.nin, " from ",
                  from.is_weak() ? kPythonNames[int(from.weak) - 1] : info(from.dtype).name, " to ", info(to).name,
                  " with casting rule '", to_string(casting), "'");
    }
}

}  // namespace

Object resolve_dtypes(RowId id, PyObject* given, const LoopSignature& signature, Casting casting, bool is_reduction) {
    const Row& row = rows()[id];
    if (is_reduction && (row.nin != 2 || row.nout != 1))
        fail(PyExc_ValueError, "%s.resolve_dtypes: only functions of two inputs and one output reduce", row.name);
    ArgType types[kMaxIn + kMaxOut];
    read_dtypes(row, given, is_reduction, types);
    if (is_reduction && PyTuple_GetItem(given, 0) == Py_None) types[0] = accumulator_of(id, types[1], signature);
    // As in NumPy, where elements of any type are folded as truth values.
    if (is_reduction && types[0].dtype == DType::bool_ && row.reduction != kNone) types[1] = types[0];
    const std::span<const ArgType> inputs(types, size_t(row.nin));
    const bool is_fixed = std::ranges::any_of(signature.types, [](DType dtype) { return dtype != DType::none; });
    const LoopId chosen = is_fixed ? resolve(id, inputs, signature) : resolve(id, inputs);
    if (chosen == kNone) fail(PyExc_TypeError, "%s: no loop takes the types %R", row.name, given);
    const Loop& loop = loops()[chosen];
    check_casts(row, loop, types, casting);
    Object result = Object::steal(PyTuple_New(row.nin + row.nout));
    for (int i = 0; i < row.nin + row.nout; ++i) {
        const DType dtype = i < row.nin ? loop.in[i] : loop.out[i - row.nin];
        check(PyTuple_SetItem(result.get(), i, to_python(dtype).release()));
    }
    return result;
}

}  // namespace cuarray::python
