// random_methods.cpp -- the methods of generators: what is drawn by NumPy's methods, and what we draw in their place.
#include "bindings/random/random_methods.h"
#include <algorithm>
#include <forward_list>
#include <string>
#include "bindings/functions/plain_values.h"
#include "bindings/functions/readers.h"
#include "bindings/random/numpys_methods.h"
#include "bindings/random/random_fills.h"
#include "cuarray/array/elements.h"
#include "cuarray/ops/selection.h"
#include "ops/packed.h"

namespace cuarray::python {
namespace {

/// Refuses a draw for a GPU whose work is captured, before a number is taken: the host's memory cannot be copied then.
void refuse_in_capture(Device device, const char* name) {
    if (device == Device{} || !runtime(device).is_capturing()) return;
    raise(ErrorKind::Runtime, name, ": numbers of NumPy's generators are not copied to ", to_string(device),
          " while a graph is being captured; draw them before the capture, or with random.Philox");
}

const RandomMethod& method_of(const FunctionCall& call) { return static_cast<const RandomMethod&>(call.row); }

/// What a method of NumPy's is called with: the arguments of ours, read for it.
class MethodCall {
 public:
    explicit MethodCall(const FunctionCall& call)
        : method_(method_of(call)),
          name(PyUnicode_AsUTF8(method_.own_name)),
          source(to_source(call.given[0], name)),
          given(call.given) {
        refuse_in_capture(device_of(source), name);
        for (int k = 1; k < method_.count; ++k)
            if (is_ndarray(given[k])) refuse_in_capture(array_of(given[k]).device(), name);
    }

    const RandomMethod& method_;
    const char* const name;
    const RandomSource& source;
    PyObject* const* given;
    PyObject* size() const { return given[method_.size]; }
    bool is_of_older_class() const { return method_.name[0] == 'R'; }

    /// The result of NumPy's method, of the arguments as they are, with `out` in the place of the last one.
    Object by_numpy(PyObject* out = nullptr) const {
        Object kept[kMost];
        NumpysCall call(source, method_.own_name);
        const int count = out ? method_.count : count_of_given();
        for (int k = 1; k < count; ++k) {
            kept[k] = k < method_.size    ? numpys_argument(given[k], name)
                      : k == method_.size ? numpys_size(given[k], name)
                                          : Object::share(out && k == method_.count - 1 ? out : given[k]);
            call.add(kept[k].get());
        }
        return call.run(method_.names_of_last);
    }
    /// The same as an array, or a value of a dtype.
    PyObject* given_by_numpy(DType dtype = DType::none) const {
        const Device device = device_of_draw(source, {given + 1, size_t(method_.size - 1)}, name);
        return give_drawn(by_numpy().get(), device, name, dtype);
    }

 private:
    static constexpr int kMost = 12;

    /// How many arguments there are up to the last one that is no default, but all up to `size`.
    int count_of_given() const {
        int count = method_.count;
        if (method_.names_of_last || method_.defaults == Py_None) return count;
        const int before = count - int(PyTuple_GET_SIZE(method_.defaults));
        while (count > method_.size + 1 && given[count - 1] == PyTuple_GET_ITEM(method_.defaults, count - 1 - before))
            --count;
        return count;
    }
};

/// method(self, *parameters, size, *options)
PyObject* draw_distribution(const FunctionCall& call) {
    const MethodCall draw(call);
    if (const int row = draw.method_.fill; row >= 0)
        if (PyObject* const made = fill_with_distribution(draw.source, row, call.given + 1, draw.size())) return made;
    return draw.given_by_numpy();
}

/// Generator.dirichlet(self, alpha, size)
PyObject* draw_shares(const FunctionCall& call) {
    const MethodCall draw(call);
    PyObject* const made = fill_with_shares(draw.source, call.given[1], draw.size());
    return made ? made : draw.given_by_numpy();
}

/// method(self, size) of numbers without parameters.
PyObject* draw_standard(const FunctionCall& call) {
    const MethodCall draw(call);
    if (PyObject* const made = fill_with_standard(draw.source, draw.method_.fill, DType::float64, draw.size()))
        return made;
    return draw.given_by_numpy();
}

/// Draws into an array of ours, whose memory NumPy fills where it can: in the order of the memory, but for
/// standard_gamma.
void draw_into(const MethodCall& draw, PyObject* out) {
    const Array& array = array_of(out);
    if (!array.is_writable()) raise(ErrorKind::Value, draw.name, ": output array is read-only");
    const bool is_gamma = std::string_view(draw.name) == "standard_gamma";
    const bool is_fortran = array.is_f_contiguous() && !array.is_c_contiguous() && !is_gamma;
    if (is_on_host(array.device()) && is_aligned(array) && (array.is_c_contiguous() || is_fortran)) {
        draw.by_numpy(view_as_numpy(array, out).get());
        return;
    }
    const Array place = empty_like(array, array.dtype(), is_fortran ? 'F' : 'C', Device{});
    draw.by_numpy(view_as_numpy(place).get());
    without_gil(true, [&] { assign(array, to_device(place, array.device()), draw.name); });
}

/// method(self, *parameters, size, dtype, *options, out)
PyObject* draw_of_dtype(const FunctionCall& call) {
    const MethodCall draw(call);
    const int last = draw.method_.count - 1;
    PyObject* const out = call.given[last];
    if (out != Py_None) {
        if (is_ndarray(out))
            draw_into(draw, out);
        else
            draw.by_numpy();
        return Py_NewRef(out);
    }
    DType dtype = DType::float64;
    if (!read_dtype(call.given[draw.method_.size + 1], dtype)) return draw.given_by_numpy();
    const bool has_method = draw.method_.size + 2 < last;  // "zig" or "inv"
    PyObject* const option = call.given[last - 1];
    const bool is_usual =
        !has_method || (PyUnicode_Check(option) && PyUnicode_CompareWithASCIIString(option, "zig") == 0);
    if (is_usual && draw.method_.fill >= 0)
        if (PyObject* const made =
                fill_with_standard(draw.source, draw.method_.fill, dtype, draw.size(), call.given[1]))
            return made;
    return draw.given_by_numpy(dtype);
}

/// Generator.integers(self, low, high, size, dtype, endpoint) and RandomState.randint(self, low, high, size, dtype)
PyObject* draw_in_range(const FunctionCall& call) {
    const MethodCall draw(call);
    const bool is_older = draw.is_of_older_class();
    PyObject* const end = is_older ? Py_False : call.given[5];
    DType dtype = DType::int64;
    __int128 low, high;
    PyObject* const type = call.given[4];
    const bool is_pythons = type == reinterpret_cast<PyObject*>(&PyLong_Type) ||
                            type == reinterpret_cast<PyObject*>(&PyBool_Type) || (is_older && !is_given(type));
    if (PyBool_Check(end) && call.given[4] != Py_None && read_dtype(call.given[4], dtype) &&
        read_range(call.given[1], call.given[2], end == Py_True, dtype, low, high))
        if (PyObject* const made = fill_with_integers(
                draw.source, {dtype, uint64_t(low), uint64_t(high - low), is_older, is_pythons}, draw.size()))
            return made;
    return draw.given_by_numpy();
}

/// RandomState.rand(self, *shape) and randn
PyObject* draw_of_shape(const FunctionCall& call) {
    const MethodCall draw(call);
    if (draw.method_.fill >= 0) {
        Object size = Object::share(Py_None);
        if (call.rest.size() == 1) size = Object::share(call.rest[0]);
        if (call.rest.size() > 1) {
            size = Object::steal(PyTuple_New(Py_ssize_t(call.rest.size())));
            for (size_t k = 0; k < call.rest.size(); ++k)
                PyTuple_SET_ITEM(size.get(), Py_ssize_t(k), Py_NewRef(call.rest[k]));
        }
        const bool is_extent = call.rest.size() != 1 || PyLong_CheckExact(size.get());
        if (is_extent)
            if (PyObject* const made = fill_with_standard(draw.source, draw.method_.fill, DType::float64, size.get()))
                return made;
    }
    NumpysCall numpys(draw.source, draw.method_.own_name);
    for (PyObject* const extent : call.rest) numpys.add(extent);
    return give_drawn(numpys.run().get(), device_of(draw.source), draw.name);
}

// Entries of arrays

/// Whether NumPy takes an object for one entry.
bool is_one(PyObject* object) {
    static Attribute is_scalar{"numpy", "isscalar"};
    if (is_python_number(object) || is_numpy_scalar(object)) return true;
    if (is_list(object) || is_ndarray(object) || is_numpy_array(object)) return false;
    return is_true(call_with(is_scalar.get(), object).get());
}

/// An array of ours without axes as a number; all else as it is.
Object plain_number(PyObject* object) {
    const bool is_number =
        is_ndarray(object) && array_of(object).ndim() == 0 && info(array_of(object).dtype()).kind != Kind::Complex;
    return is_number ? Object::steal(PyObject_CallMethod(object, "item", nullptr)) : Object::share(object);
}

/// The entries of an axis in another order, or those of a sample, at positions that NumPy has drawn.
Array entries_at(const Array& array, const Object& positions, int64_t axis, const char* method) {
    CreationOptions options;
    options.device = array.device();
    const Object places = to_ndarray(positions.get(), options, method);
    const IndexArray indices = array_of(places.get());
    return without_gil(array, [&] { return take(array, indices, axis); });
}

/// Whether a size asks for any number.
bool asks_for_numbers(const Object& size) {
    if (size.get() == Py_None) return true;
    const Dims extents = to_dims(size.get(), {"size"});
    return std::ranges::find(extents, 0) == extents.end();
}

/// Generator.choice(self, a, size, replace, p, axis, shuffle) and RandomState.choice(self, a, size, replace, p)
PyObject* choose_entries(const FunctionCall& call) {
    const MethodCall draw(call);
    const Object size = numpys_size(draw.size(), draw.name);
    const Object entries = is_one(call.given[1]) ? Object::share(call.given[1])
                                                 : population_of(call.given[1], draw.source.device, draw.name);
    const Object p = numpys_argument(call.given[4], draw.name);
    const bool is_ours = is_ndarray(entries.get()), has_axis = draw.method_.count > 5;
    const auto chosen_of = [&](PyObject* first, PyObject* axis) {
        NumpysCall numpys(draw.source, draw.method_.own_name);
        for (PyObject* const argument : {first, size.get(), call.given[3], p.get()}) numpys.add(argument);
        if (has_axis) numpys.add(axis), numpys.add(call.given[6]);
        return numpys.run();
    };
    if (!is_ours || array_of(entries.get()).ndim() == 0) {
        const Object number = plain_number(entries.get());
        const Object first = numpys_argument(number.get(), draw.name);
        Object chosen = chosen_of(first.get(), has_axis ? call.given[5] : nullptr);
        const bool is_of_objects = !is_ours && is_numpy_array(entries.get());
        return is_of_objects ? chosen.release() : give_drawn(chosen.get(), device_of(draw.source), draw.name);
    }
    const Array array = array_of(entries.get());
    int64_t axis = has_axis ? to_int64(call.given[5], {"axis", draw.name}) : 0;
    if (!has_axis && array.ndim() > 1) raise(ErrorKind::Value, "choice: a must have one axis, not ", array.ndim());
    if (axis < -array.ndim() || axis >= array.ndim())
        raise(ErrorKind::Index, "choice: axis ", axis, " is out of bounds for array of dimension ", array.ndim());
    if (axis < 0) axis += array.ndim();
    const int64_t n = array.shape()[int(axis)];
    if (n == 0 && asks_for_numbers(size))
        raise(ErrorKind::Value, "choice: a cannot be empty unless no samples are taken");
    const Object count = to_python(n), first_axis = to_python(int64_t(0));
    const Object chosen = chosen_of(count.get(), first_axis.get());
    if (array.ndim() == 1 && size.get() == Py_None) return subscript(entries.get(), chosen.get());
    return wrap(entries_at(array, chosen, axis, draw.name));  // with size=() an array and no value
}

/// A new order of n entries.
Object drawn_order(const MethodCall& draw, int64_t n) {
    static PyObject* const permutation = PyUnicode_InternFromString("permutation");
    static PyObject* const permuted = PyUnicode_InternFromString("permuted");
    static PyObject* const by_axis = Py_BuildValue("(s)", "axis");
    static Attribute arange{"numpy", "arange"};
    const Object count = to_python(n);
    if (draw.is_of_older_class()) {
        NumpysCall numpys(draw.source, permutation);
        numpys.add(count.get());
        return numpys.run();
    }
    const Object positions = call_with(arange.get(), count.get()), axis = to_python(int64_t(0));
    NumpysCall numpys(draw.source, permuted);
    numpys.add(positions.get());
    numpys.add(axis.get());
    return numpys.run(by_axis);
}

/// Brings the elements of an array of one axis on the host into random order.
void shuffle_line(const MethodCall& draw, PyObject* object) {
    static PyObject* const shuffle = PyUnicode_InternFromString("shuffle");
    const Object view = view_as_numpy(array_of(object), object);
    NumpysCall numpys(draw.source, shuffle);
    numpys.add(view.get());
    numpys.run();
}

int64_t axis_given(const MethodCall& draw, const Array& array) {
    if (draw.method_.count < 3) return 0;
    return normalise_axis(to_int64(draw.given[2], {"axis", draw.name}), array.ndim(), draw.name);
}

Array in_random_order(const MethodCall& draw, const Array& array) {
    const int64_t axis = axis_given(draw, array);
    return entries_at(array, drawn_order(draw, array.shape()[int(axis)]), axis, draw.name);
}

/// Generator.permutation(self, x, axis) and RandomState.permutation(self, x)
PyObject* permute_entries(const FunctionCall& call) {
    const MethodCall draw(call);
    PyObject* const given = call.given[1];
    const Object x = is_ndarray(given) && as_ndarray(given)->is_value ? plain_number(given) : Object::share(given);
    const auto by_numpy = [&](const Object& argument, bool with_axis) {
        NumpysCall numpys(draw.source, draw.method_.own_name);
        numpys.add(argument.get());
        if (with_axis) numpys.add(call.given[2]);
        return numpys.run();
    };
    const bool has_axis = draw.method_.count > 2;
    const bool is_integer = PyLong_Check(x.get()) || (PyIndex_Check(x.get()) && is_numpy_scalar(x.get()));
    if (is_integer || (!has_axis && is_one(x.get())))
        return give_drawn(by_numpy(numpys_argument(x.get(), draw.name), false).get(), device_of(draw.source),
                          draw.name);
    const Object entries = population_of(x.get(), draw.source.device, draw.name);
    if (!is_ndarray(entries.get())) return by_numpy(entries, has_axis).release();
    const Array array = array_of(entries.get());
    axis_given(draw, array);
    if (!has_axis && array.ndim() == 0)
        return give_drawn(by_numpy(numpys_argument(x.get(), draw.name), false).get(), device_of(draw.source),
                          draw.name);
    if (array.ndim() > 1 || !is_on_host(array.device())) return wrap(in_random_order(draw, array));
    Object copied = Object::steal(wrap(without_gil(array, [&] { return copy(array); })));
    shuffle_line(draw, copied.get());
    return copied.release();
}

/// Generator.shuffle(self, x, axis) and RandomState.shuffle(self, x)
PyObject* shuffle_entries(const FunctionCall& call) {
    const MethodCall draw(call);
    PyObject* const x = call.given[1];
    if (!is_ndarray(x)) {
        NumpysCall numpys(draw.source, draw.method_.own_name);
        for (int k = 1; k < draw.method_.count; ++k) numpys.add(call.given[k]);
        return numpys.run().release();
    }
    const Array array = array_of(x);
    if (array.ndim() == 0) raise(ErrorKind::Type, "shuffle: an array without axes has no order");
    axis_given(draw, array);
    if (!array.is_writable()) raise(ErrorKind::Value, "shuffle: the array is read-only");
    if (array.ndim() == 1 && is_on_host(array.device()))
        shuffle_line(draw, x);
    else if (!array.is_empty())
        without_gil(array, [&, order = in_random_order(draw, array)] { assign(array, order, draw.name); });
    return Py_NewRef(Py_None);
}

/// Methods that are more than a draw of numbers with parameters.
struct Body {
    const char* method;
    PyObject* (*run)(const FunctionCall& call);
    const char* fill = nullptr;  ///< the row of random_fills.h, if it has another name
};
constexpr Body kBodies[] = {
    {"Generator.random", draw_of_dtype},          {"Generator.standard_exponential", draw_of_dtype},
    {"Generator.standard_gamma", draw_of_dtype},  {"Generator.standard_normal", draw_of_dtype},
    {"Generator.dirichlet", draw_shares},         {"Generator.integers", draw_in_range},
    {"Generator.choice", choose_entries},         {"Generator.permutation", permute_entries},
    {"Generator.shuffle", shuffle_entries},       {"RandomState.random", draw_standard},
    {"RandomState.random_sample", draw_standard}, {"RandomState.rand", draw_of_shape, "RandomState.random_sample"},
    {"RandomState.randn", draw_of_shape},         {"RandomState.randint", draw_in_range},
    {"RandomState.choice", choose_entries},       {"RandomState.permutation", permute_entries},
    {"RandomState.shuffle", shuffle_entries},
};

}  // namespace

RandomMethod& make_random_method(PyObject* prototype) {
    static std::forward_list<RandomMethod> all;
    static std::forward_list<std::string> names;
    const char* const name = names.emplace_front(attribute_text(prototype, "__qualname__")).c_str();
    RandomMethod& method = all.emplace_front();
    method.name = name;
    method.module = "cuarray.random";
    method.own_name = PyUnicode_InternFromString(attribute_text(prototype, "__name__").c_str());
    const Object code = Object::steal(PyObject_GetAttrString(prototype, "__code__"));
    const auto number_of_code = [&](const char* attribute) {
        return int(to_int64(Object::steal(PyObject_GetAttrString(code.get(), attribute)).get(), {attribute}));
    };
    const Object variables = Object::steal(PyObject_GetAttrString(code.get(), "co_varnames"));
    const int positional = number_of_code("co_argcount"), others = number_of_code("co_kwonlyargcount");
    method.count = positional + others;
    method.names_of_last = others ? PyTuple_GetSlice(variables.get(), positional, positional + others) : nullptr;
    method.defaults = Object::steal(PyObject_GetAttrString(prototype, "__defaults__")).release();
    method.size = -1;
    for (int k = 0; k < positional; ++k)
        if (PyUnicode_CompareWithASCIIString(PyTuple_GET_ITEM(variables.get(), k), "size") == 0) method.size = k;
    const auto* const body =
        std::ranges::find_if(kBodies, [&](const Body& one) { return std::string_view(one.method) == name; });
    const bool is_plain = body == std::end(kBodies);
    method.run = is_plain ? draw_distribution : body->run;
    method.fill = is_plain ? find_distribution(name) : find_standard_fill(body->fill ? body->fill : name);
    return method;
}

}  // namespace cuarray::python
