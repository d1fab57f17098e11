// ufunc.cpp -- calling a row from Python: positional and keyword arguments, outputs, reduce and outer.
#include "bindings/functions/ufunc.h"
#include <cstring>
#include <list>
#include <optional>
#include <string>
#include "bindings/functions/reductions.h"
#include "bindings/types/fallback.h"
#include "bindings/types/ndarray.h"
#include "cuarray/ops/reduction.h"
#include "ops/call.h"

namespace cuarray::python {
namespace {

struct Ufunc {
    PyObject_HEAD vectorcallfunc vectorcall;
    RowId row;           ///< of a generalized ufunc: multiply, which has the same loops
    const char* name;    ///< the row's, or NumPy's for the same function
    const char* core;    ///< the signature of a generalized ufunc, such as "(m,n),(n)->(m)"; else null
    PyObject* function;  ///< the row of functions.def that a generalized ufunc calls; else null
    PyObject* fallback;  ///< asked after an error about types; null without one
};

PyTypeObject* ufunc_type = nullptr;

const Row& row_at(PyObject* self) { return rows()[reinterpret_cast<Ufunc*>(self)->row]; }
const char* name_of(PyObject* self) { return reinterpret_cast<Ufunc*>(self)->name; }

/// An error that a row's other name has raised: it begins with that name, as the caller knows the function.
void name_alias(PyObject* self) {
    const std::string row = row_at(self).name;
    SavedException raised;
    const std::string text = raised.text();
    if (text.starts_with(row) && std::strchr(":.(", text[row.size()]))
        raised.set_text(name_of(self) + text.substr(row.size()));
}

using FastMethod = PyObject*(PyObject*, Arguments, Py_ssize_t, PyObject*);

bool is_generalized(PyObject* self) { return reinterpret_cast<Ufunc*>(self)->core; }

/// Methods apply a function in other ways element by element: NumPy's error for those that take vectors.
PyObject* refuse_generalized(PyObject* self, PyObject* error, const char* method) {
    return PyErr_Format(error, "%s.%s: not defined for a ufunc with the signature %s", name_of(self), method,
                        reinterpret_cast<Ufunc*>(self)->core);
}

enum class Method { reduce, outer, accumulate, at, reduceat };
constexpr const char* kMethodNames[] = {"reduce", "outer", "accumulate", "at", "reduceat"};

/// Where a method has its positional out; 0 for those that have none.
constexpr Py_ssize_t output_position(Method which) {
    return which == Method::reduceat ? 4 : which == Method::reduce || which == Method::accumulate ? 3 : 0;
}

/// Whether the object may be a positional output: tuples and `...` go with the keyword alone.
bool is_output(PyObject* object) { return !PyTuple_Check(object) && object != Py_Ellipsis; }

/// The same method of a fallback, after an error that is set.
PyObject* ask_method(PyObject* fallback, const char* name, Arguments args, Py_ssize_t count, PyObject* keywords) {
    Object method;
    {
        const SavedException raised;
        method = Object::steal_or_null(PyObject_GetAttrString(fallback, name));
        if (!method) PyErr_Clear();
    }
    return call_fallback(method.get(), args, count, keywords);
}

/// A method whose errors name the function as it was called.
template <Method which, FastMethod* run>
PyObject* named(PyObject* self, Arguments args, Py_ssize_t count, PyObject* keywords) {
    if (is_generalized(self)) {
        constexpr bool is_of_pairs = which == Method::outer || which == Method::at;
        return refuse_generalized(self, is_of_pairs ? PyExc_TypeError : PyExc_RuntimeError, kMethodNames[int(which)]);
    }
    if (const Py_ssize_t at = output_position(which); at && count > at && !is_output(args[at]))
        return PyErr_Format(PyExc_TypeError,
                            "%s.%s: out must be an array, not %R; a tuple or ... goes with out=", name_of(self),
                            kMethodNames[int(which)], reinterpret_cast<PyObject*>(Py_TYPE(args[at])));
    PyObject* const fallback = reinterpret_cast<Ufunc*>(self)->fallback;
    if (fallback && has_other_class(args, count, keywords)) {
        const Object method = Object::steal_or_null(PyObject_GetAttrString(fallback, kMethodNames[int(which)]));
        if (PyObject* const result = call_for_others(method.get(), args, count, keywords)) return result;
        if (PyErr_Occurred()) return nullptr;
    }
    PyObject* const result = run(self, args, count, keywords);
    if (!result && name_of(self) != row_at(self).name) name_alias(self);
    return result || !fallback ? result : ask_method(fallback, kMethodNames[int(which)], args, count, keywords);
}

/// The keywords of a call and the objects that they keep alive.
class CallOptions {
 public:
    CallOptions(const Row& row, CallDevice device) : row_(row), device_(device) {}

    void read(PyObject* const* values, PyObject* keywords);
    void set_output(int index, PyObject* object);
    const UfuncOptions& get() const { return options_; }
    /// What the call returns: the given outputs themselves, new arrays for the others.
    PyObject* wrap(UfuncResult& result) const;

    void set_signature(PyObject* object);

 private:
    void set_outputs(PyObject* object);
    void fix_type(int operand, DType dtype);

    const Row& row_;
    CallDevice device_;
    UfuncOptions options_;
    PyObject* out_objects_[kMaxOut] = {};
    std::optional<Array> imported_[kMaxOut];
    std::optional<ArrayOrScalar> where_;
    std::optional<Array> where_scalar_;
    bool gives_arrays_ = false;  ///< out=...: results without axes are arrays, not values
};

void CallOptions::set_output(int index, PyObject* object) {
    if (is_ndarray(object)) refuse_hashed(object, row_.name);
    options_.out[index] =
        is_ndarray(object) ? &array_of(object) : to_output(object, device_, row_.name, imported_[index].emplace());
    if (options_.out[index]) out_objects_[index] = object;
}

void CallOptions::set_outputs(PyObject* object) {
    if (object == Py_Ellipsis) {
        gives_arrays_ = true;
        return;
    }
    if (!PyTuple_Check(object)) {
        if (row_.nout > 1 && object != Py_None) fail(PyExc_TypeError, "%s: 'out' must be a tuple of arrays", row_.name);
        set_output(0, object);
        return;
    }
    if (PyTuple_Size(object) != row_.nout)
        fail(PyExc_ValueError, "%s: the 'out' tuple must have exactly %d entries", row_.name, int(row_.nout));
    for (int i = 0; i < row_.nout; ++i) set_output(i, PyTuple_GetItem(object, i));
}

void CallOptions::set_signature(PyObject* object) {
    options_.signature = read_signature(object, row_.nin, row_.nout, row_.name);
    for (const DType type : options_.signature.types) options_.has_signature |= type != DType::none;
}

void CallOptions::fix_type(int operand, DType dtype) {
    options_.signature.types[operand] = dtype;
    options_.has_signature |= dtype != DType::none;
}

enum Keyword { Out, Where, Dtype, Casts, Order, Sig, LongSignature, Subok, kKeywords };
constexpr const char* kKeywordNames[kKeywords] = {"out",   "where", "dtype",     "casting",
                                                  "order", "sig",   "signature", "subok"};

void CallOptions::read(PyObject* const* values, PyObject* keywords) {
    const Py_ssize_t count = PyTuple_Size(keywords);
    unsigned given = 0;
    for (Py_ssize_t i = 0; i < count; ++i) {
        PyObject* name = PyTuple_GetItem(keywords, i);
        int keyword = 0;
        while (keyword < kKeywords && PyUnicode_CompareWithASCIIString(name, kKeywordNames[keyword])) ++keyword;
        if (keyword == kKeywords) refuse_keyword(row_.name, name, {kKeywordNames, kKeywordNames + kKeywords});
        const int group = keyword == LongSignature || keyword == Dtype ? Sig : keyword;
        if (given & 1u << group)
            fail(PyExc_TypeError, "%s: only one of dtype=, sig= and signature= can be given", row_.name);
        given |= 1u << group;
        switch (keyword) {
            case Out: set_outputs(values[i]); break;
            case Where:
                options_.where = to_mask(values[i], device_, row_.name, where_.emplace(), where_scalar_.emplace());
                break;
            case Dtype:
                for (int k = 0; k < row_.nout; ++k) fix_type(row_.nin + k, to_dtype(values[i], DType::none, row_.name));
                break;
            case Casts: options_.casting = to_casting(values[i], Casting::SameKind, row_.name); break;
            case Order: options_.order = to_order(values[i], "CFAK", 'K', row_.name); break;
            case Sig:
            case LongSignature: set_signature(values[i]); break;
            default: break;
        }
    }
}

PyObject* wrap_of_row(const Row& row, Array&& result) {
    return gives_values(row) ? wrap_result(std::move(result)) : wrap(std::move(result));
}

PyObject* CallOptions::wrap(UfuncResult& result) const {
    Object objects[kMaxOut];
    for (int i = 0; i < row_.nout; ++i) {
        Array& array = result.array[i];
        objects[i] = Object::steal(out_objects_[i] ? Py_NewRef(out_objects_[i])
                                   : gives_arrays_ ? python::wrap(std::move(array))
                                                   : wrap_of_row(row_, std::move(array)));
    }
    if (row_.nout == 1) return objects[0].release();
    return Object::steal(PyTuple_Pack(2, objects[0].get(), objects[1].get())).release();
}

/// The inputs of a call, converted.
class UfuncInputs {
 public:
    UfuncInputs(const Row& row, PyObject* const* objects, CallDevice device)
        : arguments_{load(row, 0, objects, device), load(row, 1, objects, device), load(row, 2, objects, device)},
          count_(row.nin) {}
    std::span<const Argument> arguments() const { return {arguments_, size_t(count_)}; }

 private:
    Argument load(const Row& row, int i, PyObject* const* objects, CallDevice device) {
        static const Weak kNothing;
        if (i >= row.nin) return kNothing;
        if (is_ndarray(objects[i])) return array_of(objects[i]);
        ArrayOrScalar& operand = operands_[i].emplace();
        operand.load_any(objects[i], device, row.name);
        return operand.argument();
    }

    std::optional<ArrayOrScalar> operands_[kMaxIn];
    Argument arguments_[kMaxIn];
    int count_;
};

/// Two Python ints, of which int64 does not hold one, as two small ones of the same order; unchanged otherwise.
class ComparedInts {
 public:
    ComparedInts(const Row& row, PyObject* const* args) : args_(args) {
        if (!row.has(Exact64) || !PyLong_CheckExact(args[0]) || !PyLong_CheckExact(args[1])) return;
        if (!is_long(args[0]) && !is_long(args[1])) return;
        const int above = PyObject_RichCompareBool(args[0], args[1], Py_GT);
        const int below = PyObject_RichCompareBool(args[0], args[1], Py_LT);
        order_ = Object::steal(PyLong_FromLong(above - below));
        zero_ = Object::steal(PyLong_FromLong(0));
        small_[0] = order_.get(), small_[1] = zero_.get();
        args_ = small_;
    }
    PyObject* const* get() const { return args_; }

 private:
    static bool is_long(PyObject* object) {
        int overflow;
        PyLong_AsLongLongAndOverflow(object, &overflow);
        return overflow != 0;
    }

    PyObject* const* args_;
    Object order_, zero_;
    PyObject* small_[2] = {};
};

bool are_ndarrays(PyObject* const* objects, Py_ssize_t count) {
    for (Py_ssize_t i = 0; i < count; ++i)
        if (!is_ndarray(objects[i])) return false;
    return true;
}

/// The device of a call: out= and where= count, too.
CallDevice device_of_call(PyObject* const* args, Py_ssize_t count, PyObject* keywords) {
    return common_device(args, count + (keywords ? PyTuple_Size(keywords) : 0));
}

/// real(val=x) and imag(val=x): NumPy's name of their argument, which other ufuncs take by position alone. Null,
/// without an error, for calls without it.
PyObject* call_by_name(PyObject* self, PyObject* const* values, PyObject* keywords) {
    const RowId id = reinterpret_cast<Ufunc*>(self)->row;
    if (!keywords || (id != row::real && id != row::imag)) return nullptr;
    const Object others = Object::steal(PyDict_New());
    PyObject* val = nullptr;
    for (Py_ssize_t i = 0; i < PyTuple_Size(keywords); ++i) {
        PyObject* const name = PyTuple_GetItem(keywords, i);
        if (!PyUnicode_CompareWithASCIIString(name, "val"))
            val = values[i];
        else
            check(PyDict_SetItem(others.get(), name, values[i]));
    }
    if (!val) return nullptr;
    return Object::steal(PyObject_VectorcallDict(self, &val, 1, others.get())).release();
}

PyObject* call_ufunc(PyObject* self, PyObject* const* args, size_t flagged_count, PyObject* keywords) noexcept {
    return guarded([&] {
        const Row& row = row_at(self);
        const RowId id = reinterpret_cast<Ufunc*>(self)->row;
        const Py_ssize_t count = PyVectorcall_NARGS(flagged_count);
        if (!count)
            if (PyObject* const result = call_by_name(self, args, keywords)) return result;
        if (count < row.nin || count > row.nin + row.nout)
            fail(PyExc_TypeError, "%s() takes from %d to %d positional arguments but %zd %s given", row.name,
                 int(row.nin), row.nin + row.nout, count, count == 1 ? "was" : "were");
        if (!keywords && count == row.nin && are_ndarrays(args, count)) return call_on_arrays(id, args, row.nin);
        if (!keywords && count == row.nin)
            if (PyObject* const result = call_on_numbers(id, args, row.nin)) return result;
        const CallDevice device = device_of_call(args, count, keywords);
        CallOptions options(row, device);
        for (Py_ssize_t i = row.nin; i < count; ++i) options.set_output(int(i - row.nin), args[i]);
        if (keywords) options.read(args + count, keywords);
        refuse_swapped_bytes(options.get().casting, {args, size_t(count)}, row.name);
        const ComparedInts given(row, args);
        const UfuncInputs inputs(row, given.get(), device);
        UfuncResult result = call_unlocked(id, inputs.arguments(), options.get(), device);
        return options.wrap(result);
    });
}

/// The same by another name than the row's.
PyObject* call_alias(PyObject* self, PyObject* const* args, size_t flagged_count, PyObject* keywords) noexcept {
    PyObject* const result = call_ufunc(self, args, flagged_count, keywords);
    if (!result) name_alias(self);
    return result;
}

constexpr Signature kReduceOfUfuncSignature{
    "reduce", {"array", "axis", "dtype", "out", "keepdims", "initial", "where"}, 7, 1};
PyObject* reduce_of_ufunc(PyObject* self, PyObject** values) {
    const Row& row = row_at(self);
    const ReductionCall given{values[1], values[2], single_output(values[3], row.name),
                              values[4], values[5], values[6]};
    const CallDevice device = device_of_reduction(values[0], given);
    const Object owner = to_ndarray(values[0], device, row.name);
    const Array& array = array_of(owner.get());
    const ReductionOptions options(given, device, true, row.name);
    const RowId id = reinterpret_cast<Ufunc*>(self)->row;
    Array result = without_gil(array, [&] { return ufunc_reduce(id, array, options.get()); });
    return values[3] == Py_Ellipsis ? wrap(std::move(result)) : options.wrap(std::move(result));
}

PyObject* outer_method(PyObject* self, Arguments args, Py_ssize_t count, PyObject* keywords) {
    return guarded([&] {
        const Row& row = row_at(self);
        if (row.nin != 2)
            fail(PyExc_ValueError, "%s.outer: outer product only supported for binary functions", row.name);
        if (count != 2)
            fail(PyExc_TypeError, "%s.outer() takes 2 positional arguments but %zd were given", row.name, count);
        const CallDevice device = device_of_call(args, count, keywords);
        CallOptions options(row, device);
        if (keywords) options.read(args + count, keywords);
        refuse_swapped_bytes(options.get().casting, {args, size_t(count)}, row.name);
        const UfuncInputs inputs(row, args, device);
        const Argument &a = inputs.arguments()[0], &b = inputs.arguments()[1];
        const RowId id = reinterpret_cast<Ufunc*>(self)->row;
        UfuncResult result =
            without_gil(is_long(device, inputs.arguments()), [&] { return ufunc_outer(id, a, b, options.get()); });
        return options.wrap(result);
    });
}

constexpr Signature kResolveSignature{"resolve_dtypes", {"dtypes", "signature", "casting", "reduction"}, 1, 1};
PyObject* resolve_dtypes_of_ufunc(PyObject* self, PyObject** values) {
    const RowId id = reinterpret_cast<Ufunc*>(self)->row;
    CallOptions options(row_at(self), CallDevice(Device{}, false));
    if (is_given(values[1])) options.set_signature(values[1]);
    const Casting casting = to_casting(values[2], Casting::SameKind, name_of(self));
    const bool is_reduction = values[3] && is_true(values[3]);
    return resolve_dtypes(id, values[0], options.get().signature, casting, is_reduction).release();
}

PyObject* name(PyObject* self, void*) { return PyUnicode_FromString(name_of(self)); }
PyObject* row(PyObject* self, void*) { return PyUnicode_FromString(row_at(self).name); }
PyObject* nin(PyObject* self, void*) { return PyLong_FromLong(row_at(self).nin); }
PyObject* nout(PyObject* self, void*) { return PyLong_FromLong(row_at(self).nout); }
PyObject* nargs(PyObject* self, void*) { return PyLong_FromLong(row_at(self).nin + row_at(self).nout); }
PyObject* ntypes(PyObject* self, void*) { return PyLong_FromLong(row_at(self).loops); }
PyObject* signature(PyObject* self, void*) {
    return is_generalized(self) ? PyUnicode_FromString(reinterpret_cast<Ufunc*>(self)->core) : Py_NewRef(Py_None);
}

PyObject* function(PyObject* self, void*) {
    return Py_NewRef(is_generalized(self) ? reinterpret_cast<Ufunc*>(self)->function : Py_None);
}

std::string letter_of(DType dtype) { return attribute_text(to_python(dtype).get(), "char"); }

PyObject* types(PyObject* self, void*) {
    return guarded([&] {
        const Row& row = row_at(self);
        Object list = Object::steal(PyList_New(0));
        for (const Loop& loop : loops().subspan(row.first_loop, row.loops)) {
            std::string text;
            for (int i = 0; i < row.nin; ++i) text += letter_of(loop.in[i]);
            text += "->";
            for (int i = 0; i < row.nout; ++i) text += letter_of(loop.out[i]);
            check(PyList_Append(list.get(), Object::steal(PyUnicode_FromString(text.c_str())).get()));
        }
        return list.release();
    });
}

PyObject* identity_of_ufunc(PyObject* self, void*) {
    return guarded([&] {
        const char* text = row_at(self).identity;
        if (!text || is_generalized(self)) return Py_NewRef(Py_None);
        if (!std::strcmp(text, "true")) return Py_NewRef(Py_True);
        if (!std::strcmp(text, "false")) return Py_NewRef(Py_False);
        const Object string = Object::steal(PyUnicode_FromString(text));
        const bool is_float = std::strpbrk(text, ".in") != nullptr;
        return Object::steal(is_float ? PyFloat_FromString(string.get()) : PyLong_FromString(text, nullptr, 10))
            .release();
    });
}

PyObject* represent(PyObject* self) { return PyUnicode_FromFormat("<ufunc '%s'>", name_of(self)); }

/// What NumPy's function of this name computes without asking classes, where that is no ufunc, as for `real`.
PyObject* implementation_of(PyObject* self, void*) noexcept {
    PyObject* const fallback = reinterpret_cast<Ufunc*>(self)->fallback;
    if (fallback) return PyObject_GetAttrString(fallback, "_implementation");
    return PyErr_Format(PyExc_AttributeError, "'cuarray.ufunc' object has no attribute '_implementation'");
}

/// A string tells pickle to look the object up by name in its module. A fallback knows another module.
PyObject* reduce_to_name(PyObject* self, PyObject*) {
    PyObject* const fallback = reinterpret_cast<Ufunc*>(self)->fallback;
    return fallback ? PyObject_CallMethod(fallback, "pickled", "s", name_of(self))
                    : PyUnicode_FromString(name_of(self));
}

void free_ufunc(PyObject* self) {
    PyTypeObject* type = Py_TYPE(self);
    Py_XDECREF(reinterpret_cast<Ufunc*>(self)->function);
    Py_XDECREF(reinterpret_cast<Ufunc*>(self)->fallback);
    PyObject_Free(self);
    Py_DECREF(type);
}

PyMethodDef methods[] = {
    {"reduce", method(named<Method::reduce, fast_method<kReduceOfUfuncSignature, reduce_of_ufunc>>), kFast,
     "reduce($self, array, /, axis=0, dtype=None, out=None, keepdims=False, initial=None, where=True)\n--\n\n"
     "Folds one or more axes with this function."
     "\n\nExamples\n--------\n"
     ">>> import cuarray as ca\n"
     ">>> ca.add.reduce([[1, 2], [3, 4]])\n"
     "array([4, 6])"},
    {"outer", method(named<Method::outer, outer_method>), kFast,
     "outer($self, A, B, /, **kwargs)\n--\n\nThe function of all pairs of elements of two arrays."
     "\n\nExamples\n--------\n"
     ">>> import cuarray as ca\n"
     ">>> ca.multiply.outer([1, 2], [3, 4])\n"
     "array([[3, 4],\n"
     "       [6, 8]])"},
    {"accumulate", method(named<Method::accumulate, accumulate_method>), kFast,
     "accumulate($self, array, /, axis=0, dtype=None, out=None)\n--\n\n"
     "The results of folding an axis up to each of its elements."
     "\n\nExamples\n--------\n"
     ">>> import cuarray as ca\n"
     ">>> ca.maximum.accumulate([1, 3, 2])\n"
     "array([1, 3, 3])"},
    {"at", method(named<Method::at, at_method>), kFast,
     "at($self, a, indices, b=None, /)\n--\n\n"
     "Applies this function to the elements that indices choose, once for each time they are chosen."
     "\n\nExamples\n--------\n"
     ">>> import cuarray as ca\n"
     ">>> x = ca.zeros(3, int)\n"
     ">>> ca.add.at(x, [0, 0, 2], 1)\n"
     ">>> x\n"
     "array([2, 0, 1])"},
    {"reduceat", method(named<Method::reduceat, reduceat_method>), kFast,
     "reduceat($self, array, /, indices, axis=0, dtype=None, out=None)\n--\n\n"
     "Folds the segments of an axis that begin at indices."
     "\n\nExamples\n--------\n"
     ">>> import cuarray as ca\n"
     ">>> ca.add.reduceat([1, 2, 3, 4], [0, 2])\n"
     "array([3, 7])"},
    {"resolve_dtypes", method(fast_method<kResolveSignature, resolve_dtypes_of_ufunc>), kFast,
     "resolve_dtypes($self, dtypes, /, *, signature=None, casting=None, reduction=False)\n--\n\n"
     "The dtypes of the loop that such arguments choose: inputs, then outputs."
     "\n\nExamples\n--------\n"
     ">>> import cuarray as ca\n"
     ">>> ca.add.resolve_dtypes((\"float32\", int, None))\n"
     "(dtype('float32'), dtype('float32'), dtype('float32'))"},
    {"__reduce__", method(reduce_to_name), METH_NOARGS, nullptr},
    {nullptr, nullptr, 0, nullptr},
};

PyGetSetDef attributes[] = {
    {"__name__", name, nullptr, nullptr, nullptr},
    {"__qualname__", name, nullptr, nullptr, nullptr},
    {"_row", row, nullptr, "The row's name, which aliases share.", nullptr},
    {"nin", nin, nullptr, "Number of inputs.", nullptr},
    {"nout", nout, nullptr, "Number of outputs.", nullptr},
    {"nargs", nargs, nullptr, "Number of inputs and outputs.", nullptr},
    {"ntypes", ntypes, nullptr, "Number of loops.", nullptr},
    {"types", types, nullptr, "The loops, in NumPy's letters: 'ff->f'.", nullptr},
    {"identity", identity_of_ufunc, nullptr, "What an empty reduce gives, or None.", nullptr},
    {"signature", signature, nullptr, "The core dimensions, as '(m,n),(n)->(m)'; None: works element by element.",
     nullptr},
    {"_function", function, nullptr, "The row of functions.def of a generalized ufunc, or None.", nullptr},
    {"_implementation", implementation_of, nullptr, nullptr, nullptr},
    {nullptr, nullptr, nullptr, nullptr, nullptr},
};

PyMemberDef ufunc_members[] = {
    {"__vectorcalloffset__", Py_T_PYSSIZET, offsetof(Ufunc, vectorcall), Py_READONLY, nullptr},
    {nullptr, 0, 0, 0, nullptr},
};

PyTypeObject* make_type() {
    PyType_Slot slots[] = {{Py_tp_dealloc, slot(free_ufunc)},
                           {Py_tp_call, slot(PyVectorcall_Call)},
                           {Py_tp_repr, slot(represent)},
                           {Py_tp_methods, methods},
                           {Py_tp_getset, attributes},
                           {Py_tp_members, ufunc_members},
                           {0, nullptr}};
    PyType_Spec spec = {"cuarray.ufunc", int(sizeof(Ufunc)), 0,
                        Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION | Py_TPFLAGS_HAVE_VECTORCALL, slots};
    return reinterpret_cast<PyTypeObject*>(Object::steal(PyType_FromSpec(&spec)).release());
}

}  // namespace

namespace {

/// Releases the GIL for a call that does not wait.
[[gnu::noinline]] UfuncResult call_long(RowId row, std::span<const Argument> args, const UfuncOptions& options) {
    const Call planned = planned_call(row, args, options);
    UfuncResult result;
    if (!defer_planned(planned, result)) {
        const GilRelease released;
        result = call_planned(planned);
    }
    return result;
}

}  // namespace

UfuncResult call_unlocked(RowId row, std::span<const Argument> args, const UfuncOptions& options, Device device) {
    return is_long(device, args) ? call_long(row, args, options) : call(row, args, options);
}

PyObject* wrap_results(RowId row, UfuncResult& result) {
    if (rows()[row].nout == 1) return wrap_of_row(rows()[row], std::move(result.array[0]));
    const Object first = Object::steal(wrap_result(std::move(result.array[0])));
    const Object second = Object::steal(wrap_result(std::move(result.array[1])));
    return Object::steal(PyTuple_Pack(2, first.get(), second.get())).release();
}

RowId row_of(PyObject* object) {
    const bool has_row = Py_TYPE(object) == ufunc_type && !is_generalized(object);
    return has_row ? reinterpret_cast<Ufunc*>(object)->row : kNone;
}

namespace {

Object make_ufunc(RowId row, const char* name, vectorcallfunc call, const char* core = nullptr,
                  PyObject* function = nullptr) {
    Ufunc* const ufunc = new_object_of<Ufunc>(ufunc_type);
    ufunc->vectorcall = call;
    ufunc->row = row;
    ufunc->name = name;
    ufunc->core = core;
    ufunc->function = Py_XNewRef(function);
    ufunc->fallback = nullptr;
    return Object::steal(reinterpret_cast<PyObject*>(ufunc));
}

/// A copy that lives as long as the process, as the names of rows do.
const char* lasting(const std::string& text) {
    static std::list<std::string> texts;
    return texts.emplace_back(text).c_str();
}

PyObject* call_generalized(PyObject* self, PyObject* const* args, size_t flagged_count, PyObject* keywords) noexcept {
    PyObject* const function = reinterpret_cast<Ufunc*>(self)->function;
    return PyVectorcall_Function(function)(function, args, flagged_count, keywords);
}

PyObject* call_with_fallback(PyObject* self, PyObject* const* args, size_t flagged_count, PyObject* keywords) noexcept {
    const Ufunc& ufunc = *reinterpret_cast<Ufunc*>(self);
    const Py_ssize_t count = PyVectorcall_NARGS(flagged_count);
    if (PyObject* const result = call_for_others(ufunc.fallback, args, count, keywords)) return result;
    if (PyErr_Occurred()) return nullptr;
    PyObject* const result = (ufunc.core ? call_generalized : call_alias)(self, args, flagged_count, keywords);
    return result ? result : call_fallback(ufunc.fallback, args, count, keywords);
}

}  // namespace

Object make_ufunc_with_fallback(PyObject* object, PyObject* fallback) {
    if (Py_TYPE(object) != ufunc_type) fail(PyExc_TypeError, "ufunc_with_fallback: a ufunc is needed, not %R", object);
    const Ufunc& from = *reinterpret_cast<Ufunc*>(object);
    Object made = make_ufunc(from.row, from.name, call_with_fallback, from.core, from.function);
    reinterpret_cast<Ufunc*>(made.get())->fallback = Py_NewRef(fallback);
    return made;
}

Object make_alias(PyObject* ufunc, const char* name) {
    if (row_of(ufunc) == kNone) fail(PyExc_TypeError, "alias: a ufunc is needed, not %R", ufunc);
    return make_ufunc(row_of(ufunc), lasting(name), call_alias);
}

Object make_generalized(PyObject* function, const char* name, const char* core) {
    return make_ufunc(row::multiply, name, call_generalized, core, function);
}

void make_ufuncs(PyObject* module) {
    ufunc_type = make_type();
    check(PyModule_AddObjectRef(module, "ufunc", reinterpret_cast<PyObject*>(ufunc_type)));
    const Object all = Object::steal(PyDict_New());
    for (size_t row = 0; row < rows().size(); ++row) {
        const char* const name = rows()[row].name;
        check(PyDict_SetItemString(all.get(), name, make_ufunc(RowId(row), name, call_ufunc).get()));
    }
    check(PyModule_AddObjectRef(module, "ufuncs", all.get()));
}

}  // namespace cuarray::python
