// arrays.cpp -- what the Python package is built on: creation, joining, questions about memory, reductions, deferral.
#include <pybind11/numpy.h>
#include <pybind11/stl.h>
#include <algorithm>
#include <optional>
#include <string>
#include <vector>
#include "bindings/module.h"
#include "bindings/ndarray.h"
#include "bindings/other_arrays.h"
#include "bindings/reductions.h"
#include "cuarray/array/pending.h"
#include "cuarray/ops/manipulation.h"
#include "cuarray/ops/matmul.h"
#include "cuarray/ops/reduction.h"
#include "cuarray/runtime/registry.h"

namespace py = pybind11;

namespace cuarray::python {
namespace {

/// What copy= asks for, as NumPy reads it: None stands for "where needed", other objects for their truth.
std::optional<bool> copy_wish(const py::object& copy) {
    if (copy.is_none()) return std::nullopt;
    if (py::isinstance<py::str>(copy)) fail(PyExc_ValueError, "copy must be True, False or None, not %R", copy.ptr());
    return is_true(copy.ptr());
}

py::object array_from_object(const py::object& object, const py::object& dtype, const py::object& device,
                             const py::object& copy, const py::object& order, Integer<"ndmin"> ndmin) {
    CreationOptions options;
    options.dtype = to_dtype(dtype.ptr(), DType::none);
    options.has_device = !device.is_none();
    options.device = to_device(device.ptr(), Device{});
    const std::optional<bool> wish = copy_wish(copy);
    options.copy = !wish ? CreationOptions::Copy::IfNeeded : *wish ? CreationOptions::Copy::Always : CreationOptions::Copy::Never;
    options.order = to_order(order.ptr(), "CFAK", 'K');
    if (ndmin > kMaxDims)
        raise(ErrorKind::Value, "array: ndmin is ", ndmin.value, "; at most ", kMaxDims, " dimensions are supported");
    options.ndmin = int(std::max<int64_t>(ndmin, 0));
    return handed_over(to_ndarray(object.ptr(), options, "array"));
}

MemoryKind to_memory_kind(const py::object& memory) {
    static constexpr std::pair<const char*, MemoryKind> kKinds[] = {{"device", MemoryKind::Device},
                                                                    {"direct", MemoryKind::Direct},
                                                                    {"pinned", MemoryKind::Pinned},
                                                                    {"managed", MemoryKind::Managed}};
    if (memory.is_none()) return MemoryKind::Device;
    for (const auto& [name, kind] : kKinds)
        if (py::isinstance<py::str>(memory) && memory.cast<std::string>() == name) return kind;
    fail(PyExc_ValueError, "memory must be 'device', 'direct', 'pinned' or 'managed', not %R", memory.ptr());
}

Array new_array(const Dims& shape, DType dtype, char order, Device device, MemoryKind kind = MemoryKind::Device) {
    checked_size(shape, item_size(dtype), "empty");
    const Array result = kind == MemoryKind::Device ? empty(shape, dtype, device) : empty(shape, dtype, device, kind);
    return order == 'F' ? result.view({shape, f_strides(shape, item_size(dtype))}) : result;
}

py::object empty_array(const py::object& shape, const py::object& dtype, const py::object& device,
                       const py::object& order, const py::object& memory) {
    return handed_over(wrap(new_array(to_shape(shape.ptr()), to_dtype(dtype.ptr(), DType::float64),
                                      to_order(order.ptr(), "CF", 'C'), to_device(device.ptr(), current_device()),
                                      to_memory_kind(memory))));
}

py::object empty_like_array(const py::object& object, const py::object& dtype, const py::object& order,
                            const py::object& shape, const py::object& device) {
    const Array& like = array_argument(object, "empty_like");
    const DType type = to_dtype(dtype.ptr(), like.dtype());
    const Device place = to_device(device.ptr(), like.device());
    const char letter = to_order(order.ptr(), "CFAK", 'K');
    if (shape.is_none()) return handed_over(wrap(empty_like(like, type, letter, place)));
    return handed_over(wrap(new_array(to_shape(shape.ptr()), type, letter, place)));
}

py::object full_array(const py::object& shape, const py::object& value, const py::object& dtype,
                      const py::object& device, const py::object& order) {
    const Device place = to_device(device.ptr(), current_device());
    const Dims extents = to_shape(shape.ptr());
    const char letter = to_order(order.ptr(), "CF", 'C');
    ArrayOrScalar operand;
    if (operand.load(value.ptr(), {place, false}, "full") && operand.is_scalar()) {
        const DType type = to_dtype(dtype.ptr(), operand.default_dtype());
        checked_size(extents, item_size(type), "full");
        const Scalar element = operand.element(type, "full");
        warn_of_lost_imaginary_part(operand.default_dtype(), type);
        Array result;
        {
            const GilRelease released(is_long(place, count(extents)));
            result = full(extents, element, place, letter);
        }
        return handed_over(wrap(std::move(result)));
    }
    CreationOptions options;
    options.has_device = true;
    options.device = place;
    if (!PyList_Check(value.ptr()) && !PyTuple_Check(value.ptr())) options.reads_as = to_dtype(dtype.ptr(), DType::none);
    const Object source = to_ndarray(value.ptr(), options, "full");
    const Array& from = array_of(source.get());
    Array result = new_array(extents, to_dtype(dtype.ptr(), from.dtype()), letter, place);
    {
        const GilRelease released(is_long(place, result.size()));
        assign(result, from, "full");
    }
    return handed_over(wrap(std::move(result)));
}

py::object arange_fill(int64_t count, const py::object& first, const py::object& second, const py::object& dtype,
                       const py::object& device) {
    const DType type = to_dtype(dtype.ptr(), DType::float64);
    const Device place = to_device(device.ptr(), current_device());
    ArrayOrScalar a, b;
    a.load_any(first.ptr(), place, "arange");
    b.load_any(second.ptr(), place, "arange");
    if (!a.is_scalar() || !b.is_scalar()) fail(PyExc_TypeError, "arange: start and step must be numbers");
    const Scalar from = a.element(type, "arange"), next = b.element(type, "arange");
    Array result;
    {
        const GilRelease released(is_long(place, count));
        result = arange(count, from, next, place);
    }
    return handed_over(wrap(std::move(result)));
}

py::object from_dlpack(const py::object& object, const py::object& device, const py::object& given_copy) {
    refuse_to_strip(object.ptr(), "from_dlpack");
    const std::optional<bool> copy = copy_wish(given_copy);
    const py::object wish = copy ? py::object(py::bool_(*copy)) : py::object(py::none());
    // An array of ours stays in its memory, whose work is in order on all streams: an import would not know of it.
    const bool is_ours = is_ndarray(object.ptr());
    // Before a capsule is consumed.
    if (!device.is_none()) backend(to_device(device.ptr(), Device{}));
    Array imported = is_ours ? array_of(object.ptr()).view(array_of(object.ptr()).layout())
                             : import_dlpack(object.ptr(), device.ptr(), wish.ptr());
    const Device place = to_device(device.ptr(), imported.device());
    if (place == imported.device()) {
        // A producer too old to know copy=True has handed out its own memory.
        const bool is_own = copy && *copy && (is_ours || imported.storage().exported);
        return handed_over(wrap(is_own ? cuarray::copy(imported, 'K') : std::move(imported)));
    }
    if (copy && !*copy)
        raise(ErrorKind::Value, "from_dlpack: moving from ", to_string(imported.device()), " to ", to_string(place),
              " needs a copy, and copy=False was given");
    Array moved;
    {
        const GilRelease released(true);
        moved = to_device(imported, place);
    }
    return handed_over(wrap(std::move(moved)));
}

py::object join(const py::object& sequence, Integer<"axis"> axis, const py::object& out, const py::object& dtype,
                const py::object& casting) {
    std::vector<Object> owners;
    std::vector<Array> arrays;
    for (const py::handle entry : sequence) {
        owners.push_back(to_ndarray(entry.ptr(), "concatenate"));
        arrays.push_back(array_of(owners.back().get()));
    }
    if (arrays.empty()) raise(ErrorKind::Value, "concatenate: need at least one array");
    const DType type = to_dtype(dtype.ptr(), DType::none);
    const Casting rule = to_casting(casting.ptr(), Casting::SameKind);
    Array imported;
    Array* const target = to_output(out.ptr(), arrays[0].device(), "concatenate", imported);
    int64_t elements = 0;
    for (const Array& array : arrays) elements += std::min(array.size(), kShortWork);
    Array result;
    {
        const GilRelease released(is_long(arrays[0].device(), elements));
        result = concatenate(arrays, axis, target, type, rule);
    }
    return target ? out : handed_over(wrap(std::move(result)));
}

py::object multiply_matrices(const py::object& left, const py::object& right, const py::object& dtype) {
    const Array &x = array_argument(left, "matmul"), &y = array_argument(right, "matmul");
    const DType type = to_dtype(dtype.ptr(), DType::none);
    Array result;
    {
        const GilRelease released(is_long(x.device(), std::max(x.size(), y.size())));
        result = matmul(x, y, type);
    }
    return handed_over(wrap_result(std::move(result)));
}

py::object slide_along(const py::object& line, const py::object& taps, int64_t before, int64_t count,
                       const std::string& name) {
    const Array &x = array_argument(line, name.c_str()), &y = array_argument(taps, name.c_str());
    Array result;
    {
        int64_t work = 0;
        if (__builtin_mul_overflow(count, std::min(y.size(), x.size()), &work)) work = INT64_MAX;
        const GilRelease released(is_long(x.device(), work));
        result = correlate(x, y, before, count, name.c_str());
    }
    return handed_over(wrap(std::move(result)));
}

/// Any strides over the memory of `x`, refused where they leave it.
py::object strided_view(const py::object& x, const py::object& shape, const py::object& strides, int64_t offset) {
    const Array& array = array_argument(x, "strided_view");
    Layout layout{to_shape(shape.ptr()), to_dims(strides.ptr(), "strides")};
    if (layout.shape.size() != layout.strides.size())
        raise(ErrorKind::Value, "strided_view: ", layout.shape.size(), " extents but ", layout.strides.size(), " strides");
    checked_size(layout.shape, item_size(array.dtype()), "strided_view");
    const Extent bytes = extent(layout, item_size(array.dtype()));
    int64_t low = array.offset(), high = array.offset();
    bool is_outside = __builtin_add_overflow(low, offset, &low) || __builtin_add_overflow(low, bytes.low, &low);
    is_outside |= __builtin_add_overflow(high, offset, &high) || __builtin_add_overflow(high, bytes.high, &high);
    is_outside |= low < 0 || high > array.storage().bytes;
    if (layout.size() && is_outside)
        raise(ErrorKind::Value, "strided_view: bytes ", low, " to ", high, " are outside the memory of ",
              array.storage().bytes, " bytes");
    return handed_over(wrap_view(array.view(std::move(layout), offset), x.ptr()));
}

/// to[mask] = value elementwise; `value` is an array, on any device, or a number.
void store_where(const py::object& to, const py::object& mask, const py::object& value, const std::string& function) {
    const char* const name = function.c_str();
    const Array &target = array_argument(to, name), &where = array_argument(mask, name);
    ArrayOrScalar operand;
    operand.load_any(value.ptr(), target.device(), name);
    warn_of_lost_imaginary_part(operand.default_dtype(), target.dtype());
    if (operand.is_scalar()) {
        const Scalar element = operand.element(target.dtype(), name);
        const GilRelease released(is_long(target.device(), target.size()));
        return fill_where(target, where, element, name);
    }
    const GilRelease released(true);
    const Array& source = *operand.array();
    if (source.device() == target.device()) return assign_where(target, where, source, name);
    assign_where(target, where, to_device(astype(source, target.dtype(), 'K', false), target.device()), name);
}

bool shares_memory(const py::object& a, const py::object& b) {
    const auto read = [](const py::object& object) {
        return py::isinstance<py::array>(object) ? import_numpy(object.ptr()) : array_argument(object, "shares_memory");
    };
    return overlaps(read(a), read(b));
}

ReductionId reduction_named(const std::string& name) {
    const ReductionId row = find_reduction(name);
    if (row == cuarray::kNone) raise(ErrorKind::Value, "there is no reduction named ", name);
    return row;
}

void bind_creation(py::module_& m) {
    m.def("array_from_object", &array_from_object, py::arg("obj"), py::arg("dtype") = py::none(), py::arg("device") = py::none(),
          py::arg("copy") = py::none(), py::arg("order") = "K", py::arg("ndmin") = 0);
    m.def("empty", &empty_array, py::arg("shape"), py::arg("dtype") = py::none(), py::arg("device") = py::none(),
          py::arg("order") = "C", py::arg("memory") = py::none());
    m.def("empty_like", &empty_like_array, py::arg("array"), py::arg("dtype") = py::none(), py::arg("order") = "K",
          py::arg("shape") = py::none(), py::arg("device") = py::none());
    m.def("full", &full_array, py::arg("shape"), py::arg("value"), py::arg("dtype") = py::none(),
          py::arg("device") = py::none(), py::arg("order") = "C");
    m.def("arange_fill", &arange_fill, py::arg("count"), py::arg("first"), py::arg("second"), py::arg("dtype"),
          py::arg("device") = py::none());
    m.def("from_dlpack", &from_dlpack, py::arg("x"), py::arg("device"), py::arg("copy"));
}

void bind_memory(py::module_& m) {
    m.def("concatenate", &join, py::arg("arrays"), py::arg("axis") = 0, py::arg("out") = py::none(),
          py::arg("dtype") = py::none(), py::arg("casting") = "same_kind");
    m.def("slide", &slide_along, py::arg("line"), py::arg("taps"), py::arg("before"), py::arg("count"), py::arg("name"));
    m.def("matmul", &multiply_matrices, py::arg("left"), py::arg("right"), py::arg("dtype") = py::none());
    m.def("triangle", [](const py::object& x, Integer<"k"> k, bool upper) {
        return handed_over(wrap(triangle(array_argument(x, "triangle"), k, upper)));
    }, py::arg("x"), py::arg("k"), py::arg("upper"));
    m.def("broadcast_to", [](const py::object& x, const py::object& shape) {
        Array view = array_argument(x, "broadcast_to").broadcast_to(to_shape(shape.ptr()));
        view.set_read_only();
        return handed_over(wrap_view(std::move(view), x.ptr()));
    }, py::arg("x"), py::arg("shape"));
    m.def("broadcast_shapes", [](const py::args& shapes) {
        std::vector<Dims> all;
        for (const py::handle shape : shapes) all.push_back(to_shape(shape.ptr()));
        std::vector<const Dims*> pointers;
        for (const Dims& shape : all) pointers.push_back(&shape);
        return handed_over(from_dims(broadcast(pointers, "broadcast_shapes")));
    });
    m.def("strided_view", &strided_view, py::arg("x"), py::arg("shape"), py::arg("strides"), py::arg("offset") = 0);
    m.def("transfer", [](const py::object& to, const py::object& from) {
        const Array &target = array_argument(to, "copyto"), &source = array_argument(from, "copyto");
        const GilRelease released(true);
        transfer(target, source, "copyto");
    }, py::arg("to"), py::arg("source"));
    m.def("assign_where", &store_where, py::arg("to"), py::arg("mask"), py::arg("value"), py::arg("function"));
    m.def("shares_memory", &shares_memory, py::arg("a"), py::arg("b"));
    m.def("as_value", [](const py::object& x) {
        const Array& array = array_argument(x, "as_value");
        if (array.ndim() > 0 || as_ndarray(x.ptr())->is_value) return x;
        return handed_over(wrap(Array(array), true));
    }, py::arg("x"), "A result without axes as a value; other arrays as they are.");
    m.def("is_value", [](const py::object& x) { return is_ndarray(x.ptr()) && as_ndarray(x.ptr())->is_value; },
          py::arg("x"));
    m.def("begin_deferral", &begin_deferral);
    m.def("end_deferral", [] {
        const GilRelease released(true);
        end_deferral();
    });
    m.def("begin_call_deferral", &begin_call_deferral);
    m.def("end_call_deferral", [] {
        const GilRelease released(true);
        end_call_deferral();
    });
}

void bind_reductions(py::module_& m) {
    m.def("reduce", [](const std::string& name, const py::object& array, const py::object& axis,
                       const py::object& dtype, const py::object& out, const py::object& keepdims,
                       const py::object& initial, const py::object& where) {
        const ReductionCall call{axis.ptr(), dtype.ptr(), out.ptr(), keepdims.ptr(), initial.ptr(), where.ptr()};
        return handed_over(reduce_by_name(reduction_named(name), name.c_str(), array.ptr(), call));
    }, py::arg("name"), py::arg("array"), py::arg("axis") = py::none(), py::arg("dtype") = py::none(), py::arg("out") = py::none(),
       py::arg("keepdims") = false, py::arg("initial") = py::reinterpret_borrow<py::object>(no_value()), py::arg("where") = true);
    m.def("weighted_sums", [](const std::string& name, const py::object& array, const py::object& weights,
                              const py::object& axis, const py::object& dtype, const py::object& keepdims) {
        const ReductionCall call{axis.ptr(), dtype.ptr(), nullptr, keepdims.ptr()};
        const Array &a = array_argument(array, name.c_str()), &w = array_argument(weights, name.c_str());
        ReduceOptions options = ReductionOptions(call, device_of_reduction(array.ptr(), call), false, name.c_str()).get();
        options.name = name.c_str();
        std::pair<Array, Array> sums;
        {
            const GilRelease released(is_long(a.device(), a.size()));
            sums = weighted_sums(a, w, options);
        }
        return py::make_tuple(handed_over(wrap_result(std::move(sums.first))),
                              handed_over(wrap_result(std::move(sums.second))));
    }, py::arg("name"), py::arg("array"), py::arg("weights"), py::arg("axis"), py::arg("dtype"), py::arg("keepdims"));
    m.def("variance", [](const py::object& array, const py::object& axis, const py::object& dtype,
                         const py::object& out, const py::object& correction, const py::object& keepdims,
                         const py::object& where, const py::object& mean, bool root) {
        const ReductionCall call{axis.ptr(), dtype.ptr(), out.ptr(), keepdims.ptr(), nullptr, where.ptr(), mean.ptr()};
        const double freedom = to_double(correction.ptr(), root ? "std: correction" : "var: correction");
        return handed_over(variance_of(array.ptr(), call, freedom, root, root ? "std" : "var"));
    }, py::arg("array"), py::arg("axis") = py::none(), py::arg("dtype") = py::none(), py::arg("out") = py::none(),
       py::arg("correction") = 0.0, py::arg("keepdims") = false, py::arg("where") = true, py::arg("mean") = py::none(),
       py::arg("root") = false);
}

}  // namespace

Array& array_argument(const py::object& object, const char* function) {
    if (!is_ndarray(object.ptr())) fail(PyExc_TypeError, "%s: expected a cuarray.ndarray, not %R", function, object.ptr());
    return array_of(object.ptr());
}

void bind_arrays(py::module_& module) {
    bind_creation(module);
    bind_memory(module);
    bind_reductions(module);
}

}  // namespace cuarray::python
