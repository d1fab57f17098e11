// function.cpp -- the C++ functions of the namespaces as objects of Python, with NumPy's signatures, by which the
// arguments of a call are placed.
#include "bindings/functions/function.h"
#include <algorithm>
#include <cstring>
#include <forward_list>
#include <string_view>
#include <utility>
#include "bindings/functions/bound_functions.h"
#include "bindings/functions/reductions.h"
#include "bindings/module.h"
#include "bindings/random/random_methods.h"

namespace cuarray::python {
namespace {

struct TableFunction {
    PyObject_HEAD vectorcallfunc vectorcall;
    const FunctionRow* row;
    const BoundFunction* bound;
    PyObject* name;       ///< the row's, or an alias
    PyObject* prototype;  ///< a Python function of the same signature
    PyObject* names;      ///< of the parameters: a tuple
    PyObject* weakrefs;
    const char* owner;                    ///< the class of a method that is the function of a row, else null
    PyObject* defaults[kMostParameters];  ///< owned; null where there is none
    int8_t place[kMostParameters];        ///< of a parameter in the C++ function; -1: it is ignored
    int8_t positional_only, positional, count;
    int8_t required;  ///< those behind it have defaults
    int8_t variadic;  ///< the parameter that takes all other positional arguments, or -1
    int8_t on, like;  ///< the parameters `device` and `like`, or -1
};

PyTypeObject* table_function_type = nullptr;
PyTypeObject* unbound_function_type = nullptr;  ///< of functions that are no methods where a class has them

TableFunction* as_table_function(PyObject* self) { return reinterpret_cast<TableFunction*>(self); }

/// The public rows of reductions.def, of which Python words the descriptions; and those that leave NaN out.
FunctionRow reduction_rows[2 * kReductions], variance_rows[2];

PyObject* run_reduction(const FunctionCall& call) {
    const auto place = &call.row - reduction_rows;
    const auto id = ReductionId(place % kReductions);
    return reduce_by_name(id, call.row.name, call.given[0], call_of(id, call.given + 1), place >= kReductions);
}

PyObject* run_variance(const FunctionCall& call) {
    return reduce_variance(call.given[0], call.given + 1, &call.row == &variance_rows[1]);
}

// Arguments

/// "1 required positional argument: 'a'", as Python words it.
[[noreturn]] void fail_for_missing(const TableFunction& f, PyObject* const* given) {
    std::vector<std::string> missing;
    for (int k = 0; k < f.count; ++k)
        if (!given[k] && k != f.variadic)
            missing.push_back(std::string("'") + PyUnicode_AsUTF8(PyTuple_GET_ITEM(f.names, k)) + "'");
    std::string listed;
    for (size_t i = 0; i < missing.size(); ++i)
        listed += (i == 0 ? "" : i + 1 < missing.size() ? ", " : missing.size() == 2 ? " and " : ", and ") + missing[i];
    fail(PyExc_TypeError, "%U() missing %zd required positional argument%s: %s", f.name, Py_ssize_t(missing.size()),
         missing.size() > 1 ? "s" : "", listed.c_str());
}

[[noreturn]] void fail_for_many(const TableFunction& f, Py_ssize_t count) {
    int least = 0;
    while (least < f.positional && !f.defaults[least]) ++least;
    // Of a method those that its caller writes.
    const int self = f.positional && !PyUnicode_CompareWithASCIIString(PyTuple_GET_ITEM(f.names, 0), "self");
    const int most = f.positional - self;
    least -= self, count -= self;
    const std::string takes =
        (least < most ? "from " + std::to_string(least) + " to " : std::string()) + std::to_string(most);
    fail(PyExc_TypeError, "%U() takes %s positional argument%s but %zd %s given", f.name, takes.c_str(),
         most == 1 && least == 1 ? "" : "s", count, count == 1 ? "was" : "were");
}

/// The parameter of a keyword.
int place_of_keyword(const TableFunction& f, PyObject* keyword) {
    for (int k = f.positional_only; k < f.count; ++k)
        if (PyTuple_GET_ITEM(f.names, k) == keyword && k != f.variadic) return k;
    for (int k = f.positional_only; k < f.count; ++k)
        if (PyUnicode_Compare(PyTuple_GET_ITEM(f.names, k), keyword) == 0 && k != f.variadic) return k;
    if (PyErr_Occurred()) throw ExceptionIsSet{};
    for (int k = 0; k < f.positional_only; ++k)
        if (PyUnicode_Compare(PyTuple_GET_ITEM(f.names, k), keyword) == 0)
            fail(PyExc_TypeError, "%U() got some positional-only arguments passed as keyword arguments: '%U'", f.name,
                 keyword);
    std::vector<std::string> names;
    for (int k = f.positional_only; k < f.count; ++k) names.push_back(PyUnicode_AsUTF8(PyTuple_GET_ITEM(f.names, k)));
    refuse_keyword(PyUnicode_AsUTF8(f.name), keyword, names);
}

/// Puts the arguments of a call, and defaults, in the order of the signature.
void place_arguments(const TableFunction& f, PyObject* const* args, Py_ssize_t count, PyObject* keywords,
                     PyObject** given) {
    if (count > f.positional && f.variadic < 0) fail_for_many(f, count);
    const Py_ssize_t placed = std::min<Py_ssize_t>(count, f.positional);
    std::copy_n(args, placed, given);
    std::copy(f.defaults + placed, f.defaults + f.count, given + placed);
    for (Py_ssize_t i = 0; keywords && i < PyTuple_GET_SIZE(keywords); ++i) {
        PyObject* const keyword = PyTuple_GET_ITEM(keywords, i);
        const int at = place_of_keyword(f, keyword);
        if (at < placed) fail(PyExc_TypeError, "%U() got multiple values for argument '%U'", f.name, keyword);
        given[at] = args[count + i];
    }
    for (Py_ssize_t k = placed; k < f.required; ++k)
        if (!given[k] && k != f.variadic) fail_for_missing(f, given);
}

PyObject* call_table_function(PyObject* self, PyObject* const* args, size_t flagged_count,
                              PyObject* keywords) noexcept {
    const TableFunction& f = *as_table_function(self);
    PyObject* const result = guarded([&] {
        PyObject *placed[kMostParameters], *given[kMostParameters];
        const Py_ssize_t count = PyVectorcall_NARGS(flagged_count);
        place_arguments(f, args, count, keywords, placed);
        for (int k = 0; k < f.count; ++k)
            if (f.place[k] >= 0) given[f.place[k]] = placed[k];
        FunctionCall call{*f.row, f.names, f.place, given, f.bound->are_arrays, f.bound->parameters};
        if (f.on >= 0) call.on = placed[f.on];
        if (f.like >= 0) call.like = placed[f.like];
        if (f.variadic >= 0 && count > f.positional) call.rest = {args + f.positional, size_t(count - f.positional)};
        return f.bound->run(call);
    });
    if (!result) name_function_of_error(PyUnicode_AsUTF8(f.name));
    return result;
}

// The type

void free_table_function(PyObject* self) {
    PyTypeObject* const type = Py_TYPE(self);
    TableFunction& f = *as_table_function(self);
    if (f.weakrefs) PyObject_ClearWeakRefs(self);
    Py_DECREF(f.name);
    Py_DECREF(f.prototype);
    Py_DECREF(f.names);
    for (int k = 0; k < f.count; ++k) Py_XDECREF(f.defaults[k]);
    PyObject_Free(self);
    Py_DECREF(type);
}

/// Bound as a method, as Python's functions are; inspect and pydoc take it for a routine.
PyObject* bind_table_function(PyObject* self, PyObject* object, PyObject*) {
    return object && object != Py_None ? PyMethod_New(self, object) : Py_NewRef(self);
}

/// As NumPy's functions in C; with a __get__ inspect and pydoc take it for a routine as well.
PyObject* leave_table_function(PyObject* self, PyObject*, PyObject*) { return Py_NewRef(self); }

PyObject* name_of_table_function(PyObject* self, void*) { return Py_NewRef(as_table_function(self)->name); }

/// That of a method has the class.
PyObject* qualified_name_of_table_function(PyObject* self, void*) {
    const TableFunction& f = *as_table_function(self);
    if (f.owner) return PyUnicode_FromFormat("%s.%U", f.owner, f.name);
    const bool is_method = std::strchr(f.row->name, '.');
    return is_method ? PyUnicode_FromString(f.row->name) : Py_NewRef(f.name);
}

PyObject* repr_of_table_function(PyObject* self) {
    return guarded([&] {
        const Object name = Object::steal(qualified_name_of_table_function(self, nullptr));
        return PyUnicode_FromFormat("<function %s.%U>", as_table_function(self)->row->module, name.get());
    });
}

PyObject* module_of_table_function(PyObject* self, void*) {
    return PyUnicode_FromString(as_table_function(self)->row->module);
}

PyObject* doc_of_table_function(PyObject* self, void*) {
    return guarded([&] {
        const TableFunction& f = *as_table_function(self);
        if (!*f.row->summary) return PyObject_GetAttrString(f.prototype, "__doc__");
        const std::string text = docstring(*f.row);
        return PyUnicode_FromStringAndSize(text.data(), Py_ssize_t(text.size()));
    });
}

PyObject* signature_of_table_function(PyObject* self, void*) {
    static Attribute signature{"inspect", "signature"};
    return guarded([&] { return call_with(signature.get(), as_table_function(self)->prototype).release(); });
}

PyObject* attribute_of_prototype(PyObject* self, void* name) {
    return PyObject_GetAttrString(as_table_function(self)->prototype, static_cast<const char*>(name));
}

PyGetSetDef table_function_attributes[] = {
    {"__name__", name_of_table_function, nullptr, nullptr, nullptr},
    {"__qualname__", qualified_name_of_table_function, nullptr, nullptr, nullptr},
    {"__module__", module_of_table_function, nullptr, nullptr, nullptr},
    {"__doc__", doc_of_table_function, nullptr, nullptr, nullptr},
    {"__signature__", signature_of_table_function, nullptr, nullptr, nullptr},
    {"__defaults__", attribute_of_prototype, nullptr, nullptr, const_cast<char*>("__defaults__")},
    {"__kwdefaults__", attribute_of_prototype, nullptr, nullptr, const_cast<char*>("__kwdefaults__")},
    {nullptr, nullptr, nullptr, nullptr, nullptr},
};
/// Pickled by name, as Python's functions are.
PyMethodDef table_function_methods[] = {
    {"__reduce__", method(+[](PyObject* self, PyObject*) { return qualified_name_of_table_function(self, nullptr); }),
     METH_NOARGS, nullptr},
    {nullptr, nullptr, 0, nullptr},
};
PyMemberDef table_function_members[] = {
    {"__weaklistoffset__", Py_T_PYSSIZET, offsetof(TableFunction, weakrefs), Py_READONLY, nullptr},
    {"__vectorcalloffset__", Py_T_PYSSIZET, offsetof(TableFunction, vectorcall), Py_READONLY, nullptr},
    {nullptr, 0, 0, 0, nullptr},
};

void make_table_function_type() {
    PyType_Slot slots[] = {{Py_tp_dealloc, slot(free_table_function)},   {Py_tp_call, slot(PyVectorcall_Call)},
                           {Py_tp_descr_get, slot(bind_table_function)}, {Py_tp_repr, slot(repr_of_table_function)},
                           {Py_tp_methods, table_function_methods},      {Py_tp_getset, table_function_attributes},
                           {Py_tp_members, table_function_members},      {0, nullptr}};
    PyType_Spec spec = {"cuarray.function", int(sizeof(TableFunction)), 0,
                        unsigned(Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION | Py_TPFLAGS_HAVE_VECTORCALL |
                                 Py_TPFLAGS_METHOD_DESCRIPTOR | Py_TPFLAGS_IMMUTABLETYPE | Py_TPFLAGS_BASETYPE),
                        slots};
    table_function_type = reinterpret_cast<PyTypeObject*>(Object::steal(PyType_FromSpec(&spec)).release());
    PyType_Slot unbound_slots[] = {
        {Py_tp_descr_get, slot(leave_table_function)}, {Py_tp_getset, table_function_attributes}, {0, nullptr}};
    PyType_Spec unbound = {"cuarray.unbound_function", int(sizeof(TableFunction)), 0,
                           unsigned(Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION |
                                    Py_TPFLAGS_HAVE_VECTORCALL | Py_TPFLAGS_IMMUTABLETYPE),
                           unbound_slots};
    PyObject* const base = reinterpret_cast<PyObject*>(table_function_type);
    unbound_function_type =
        reinterpret_cast<PyTypeObject*>(Object::steal(PyType_FromSpecWithBases(&unbound, base)).release());
}

/// Python functions of the rows' signatures, from which their parameters are read.
Object make_prototypes() {
    std::string text = "(";
    for (const FunctionRow& row : function_rows()) text += std::string("lambda ") + row.signature + ": None,";
    const Object globals = Object::steal(PyDict_New());
    check(PyDict_SetItemString(globals.get(), "NOT_GIVEN", no_value()));
    return Object::steal(PyRun_String((text + ")").c_str(), Py_eval_input, globals.get(), globals.get()));
}

int number_in(PyObject* code, const char* attribute) {
    return int(python::to_int64(Object::steal(PyObject_GetAttrString(code, attribute)).get(), {attribute}));
}

Object make_table_function(const FunctionRow& row, const BoundFunction& bound, PyObject* prototype, PyObject* name) {
    const Object code = Object::steal(PyObject_GetAttrString(prototype, "__code__"));
    const Object variables = Object::steal(PyObject_GetAttrString(code.get(), "co_varnames"));
    const Object of_positional = Object::steal(PyObject_GetAttrString(prototype, "__defaults__"));
    const Object by_name = Object::steal(PyObject_GetAttrString(prototype, "__kwdefaults__"));
    const int positional = number_in(code.get(), "co_argcount"), others = number_in(code.get(), "co_kwonlyargcount");
    const bool is_variadic = number_in(code.get(), "co_flags") & CO_VARARGS;
    // The name of a *parameter is the last of the variables; here it follows the positional ones.
    Object names = Object::steal(PyTuple_New(positional + is_variadic + others));
    for (int k = 0; k < PyTuple_GET_SIZE(names.get()); ++k) {
        const int variable = k < positional                   ? k
                             : k == positional && is_variadic ? positional + others
                                                              : k - is_variadic;
        PyTuple_SET_ITEM(names.get(), k, Py_NewRef(PyTuple_GET_ITEM(variables.get(), variable)));
    }
    TableFunction* const f = new_object_of<TableFunction>(row.is_bound ? table_function_type : unbound_function_type);
    f->vectorcall = call_table_function;
    f->row = &row;
    f->bound = &bound;
    f->name = Py_NewRef(name);
    f->prototype = Py_NewRef(prototype);
    f->weakrefs = nullptr;
    f->owner = nullptr;
    f->variadic = int8_t(is_variadic ? positional : -1);
    f->on = f->like = -1;
    f->required = 0;
    f->positional_only = int8_t(number_in(code.get(), "co_posonlyargcount"));
    f->positional = int8_t(positional);
    f->count = int8_t(PyTuple_GET_SIZE(names.get()));
    const int with_default = of_positional.get() == Py_None ? 0 : int(PyTuple_GET_SIZE(of_positional.get()));
    for (int k = 0, place = 0; k < f->count; ++k) {
        PyObject* const own = PyTuple_GET_ITEM(names.get(), k);
        PyObject* value = nullptr;
        if (k < positional)
            value = k < positional - with_default
                        ? nullptr
                        : PyTuple_GET_ITEM(of_positional.get(), k - (positional - with_default));
        else if (by_name.get() != Py_None)
            value = PyDict_GetItemWithError(by_name.get(), own);
        f->defaults[k] = Py_XNewRef(value);
        if (!value && k != f->variadic) f->required = int8_t(k + 1);
        const std::string_view name = PyUnicode_AsUTF8(own);
        f->place[k] = int8_t(is_ignored(name) ? -1 : place++);
        if (name == "device") f->on = int8_t(k);
        if (name == "like") f->like = int8_t(k);
    }
    f->names = names.release();
    return Object::steal(reinterpret_cast<PyObject*>(f));
}

/// The same function by another name.
Object make_function_alias(PyObject* function, const char* name) {
    if (!PyObject_TypeCheck(function, table_function_type))
        fail(PyExc_TypeError, "function_alias: a function of the table is needed, not %R", function);
    const TableFunction& f = *as_table_function(function);
    const Object text = Object::steal(PyUnicode_InternFromString(name));
    return make_table_function(*f.row, *f.bound, f.prototype, text.get());
}

/// Makes a row of what a Python function describes: only its name and what it gives are said here.
void describe_in_python(FunctionRow& row, const char* name, Gives gives) {
    row.name = name;
    row.gives = gives;
    row.signature = row.summary = row.parameters = row.raises = row.example = row.chapter = "";
}

/// The function of a public row of reductions.def, or of one behind "nan", or var or std, with the signature and the
/// docstring of a Python function.
Object make_reduction_function(PyObject* prototype) {
    const std::string name = attribute_text(prototype, "__name__");
    const Object code = Object::steal(PyObject_GetAttrString(prototype, "__code__"));
    const int parameters = number_in(code.get(), "co_argcount") + number_in(code.get(), "co_kwonlyargcount");
    if (name == "var" || name == "std") {
        static const BoundFunction kVariance{run_variance, parameters, {}};
        FunctionRow& row = variance_rows[name == "std"];
        describe_in_python(row, name == "std" ? "std" : "var", Gives::Value);
        return make_table_function(row, kVariance, prototype,
                                   Object::steal(PyUnicode_InternFromString(row.name)).get());
    }
    const bool skips_nan = name.starts_with("nan");
    const ReductionId id = find_reduction(skips_nan ? name.substr(3) : name);
    if (id == kNone || !reductions()[id].parameters)
        fail(PyExc_TypeError, "reduction_function: %R has no public row of its name", prototype);
    static BoundFunction bound[kReductions];
    static std::string names[kReductions];
    FunctionRow& row = reduction_rows[skips_nan ? id + kReductions : id];
    describe_in_python(row, skips_nan ? (names[id] = name).c_str() : reductions()[id].name, Gives::Value);
    bound[id].run = run_reduction;
    bound[id].parameters = parameters;
    const Object text = Object::steal(PyUnicode_InternFromString(row.name));
    return make_table_function(row, bound[id], prototype, text.get());
}

/// The function of cuarray.linalg of that name, with the signature and the docstring of a Python function.
Object make_linalg_function(PyObject* prototype) {
    static std::forward_list<FunctionRow> rows;
    const std::string name = attribute_text(prototype, "__name__");
    for (const LinalgFunction& one : linalg_functions()) {
        if (name != one.name) continue;
        FunctionRow& row = rows.emplace_front();
        describe_in_python(row, one.name, Gives::Value);
        row.module = "cuarray.linalg";
        const Object text = Object::steal(PyUnicode_InternFromString(row.name));
        return make_table_function(row, one.bound, prototype, text.get());
    }
    fail(PyExc_TypeError, "linalg_function: there is no function of the name of %R", prototype);
}

/// One of array_functions() or dtype_functions(), with the signature and the docstring of a Python function.
Object make_array_function(PyObject* prototype) {
    static std::forward_list<std::pair<FunctionRow, BoundFunction>> all;
    const std::string name = attribute_text(prototype, "__name__");
    for (const auto& chapter : {array_functions(), dtype_functions()})
        for (const ObjectFunction& one : chapter) {
            if (name != one.name) continue;
            auto& [row, bound] = all.emplace_front();
            describe_in_python(row, one.name, Gives::Array);
            row.is_bound = one.is_bound;
            bound.run = one.run;
            const Object text = Object::steal(PyUnicode_InternFromString(row.name));
            return make_table_function(row, bound, prototype, text.get());
        }
    fail(PyExc_TypeError, "array_function: there is none of the name of %R", prototype);
}

/// The method that is the function of its name, with the array in the place of the parameter `a`; a Python function has
/// its signature and docstring.
Object make_array_method(PyObject* prototype) {
    static std::forward_list<FunctionRow> rows;
    static Attribute functions{"cuarray._core", "functions"};
    const std::string name = attribute_text(prototype, "__name__");
    PyObject* const function = PyDict_GetItemString(functions.get(), name.c_str());
    if (!function) fail(PyExc_TypeError, "array_method: functions.def has no row of the name of %R", prototype);
    const TableFunction& of = *as_table_function(function);
    FunctionRow& row = rows.emplace_front();
    describe_in_python(row, of.row->name, of.row->gives);
    Object made = make_table_function(row, *of.bound, prototype, of.name);
    TableFunction& method = *as_table_function(made.get());
    int array = 0;
    while (array < of.count && PyUnicode_CompareWithASCIIString(PyTuple_GET_ITEM(of.names, array), "a")) ++array;
    if (method.count != of.count || array == of.count)
        fail(PyExc_TypeError, "array_method: %R has other parameters than the function", prototype);
    method.owner = "ndarray";
    method.place[0] = of.place[array];
    for (int k = 1; k < method.count; ++k) method.place[k] = of.place[k <= array ? k - 1 : k];
    return made;
}

/// A method of a generator, with the signature and the docstring of a Python function of its qualified name.
Object make_generator_method(PyObject* prototype) {
    static std::forward_list<BoundFunction> all;
    RandomMethod& method = make_random_method(prototype);
    describe_in_python(method, method.name, Gives::Array);
    BoundFunction& bound = all.emplace_front();
    bound.run = method.run;
    return make_table_function(method, bound, prototype, method.own_name);
}

PyMethodDef function_makers[] = {
    private_method<make_reduction_function>(
        "reduction_function", "The function of a public row of reductions.def, described by a Python function."),
    private_method<make_linalg_function>(
        "linalg_function", "The function of cuarray.linalg of that name, described by a Python function."),
    private_method<make_array_function>("array_function",
                                        "A function that reads objects, described by a Python function."),
    private_method<make_array_method>("array_method",
                                      "A method that is the function of its name, described by a Python function."),
    private_method<make_generator_method>("random_method", "A method of a generator, described by a Python function."),
    private_method<make_function_alias>("function_alias", "The same function by another name."),
    {},
};

}  // namespace

void bind_functions(PyObject* module) {
    make_table_function_type();
    const Object prototypes = make_prototypes();
    const Object made = Object::steal(PyDict_New()), methods = Object::steal(PyDict_New()),
                 chapters = Object::steal(PyDict_New());
    for (size_t i = 0; i < function_rows().size(); ++i) {
        const FunctionRow& row = function_rows()[i];
        const Object name = Object::steal(PyUnicode_InternFromString(python_name(row).c_str()));
        Object function = make_table_function(row, bound_functions()[i],
                                              PyTuple_GET_ITEM(prototypes.get(), Py_ssize_t(i)), name.get());
        if (row.core) function = make_generalized(function.get(), row.name, row.core);
        check(PyDict_SetItem((is_method(row) ? methods : made).get(), name.get(), function.get()));
        if (is_method(row)) continue;
        const Object chapter = Object::steal(PyUnicode_FromString(row.chapter));
        check(PyDict_SetItemString(chapters.get(), row.name, chapter.get()));
    }
    check(PyModule_AddObjectRef(module, "functions", made.get()));
    check(PyModule_AddObjectRef(module, "methods", methods.get()));
    check(PyModule_AddObjectRef(module, "chapters", chapters.get()));
    check(PyModule_AddObjectRef(module, "function", reinterpret_cast<PyObject*>(table_function_type)));
    check(PyModule_AddObjectRef(module, "unbound_function", reinterpret_cast<PyObject*>(unbound_function_type)));
    check(PyModule_AddFunctions(module, function_makers));
}

}  // namespace cuarray::python
