// plain_calls.cpp -- the way that most calls of ufuncs go: on arrays or numbers alone, without keywords.
#include <algorithm>
#include <array>
#include <cmath>
#include <complex>
#include <cstring>
#include <limits>
#include <vector>
#include "bindings/functions/ufunc.h"
#include "bindings/types/ndarray.h"
#include "cuarray/array/elements.h"
#include "cuarray/array/pending.h"
#include "cuarray/runtime/registry.h"
#include "ops/call.h"
#include "ops/powers.h"

namespace cuarray::python {
namespace {

/// The loop of a row whose inputs all have that dtype, and whose one result is a value; kNone where the call takes more
/// than that loop. The GIL guards what is known.
LoopId loop_of_equals(RowId id, DType dtype) {
    constexpr LoopId kUnknown = kNone - 1;
    static std::vector<std::array<LoopId, kDTypes>> known;
    if (known.empty()) {
        known.resize(rows().size());
        for (auto& loops : known) loops.fill(kUnknown);
    }
    LoopId& loop = known[id][size_t(dtype)];
    if (loop != kUnknown) return loop;
    const Row& row = rows()[id];
    const ArgType types[kMaxIn] = {{dtype, {}}, {dtype, {}}, {dtype, {}}};
    loop = gives_values(row) && row.nout == 1 ? resolve(id, {types, row.nin}) : LoopId(kNone);
    for (int i = 0; loop != kNone && i < row.nin; ++i)
        if (loops()[loop].in[i] != dtype) loop = kNone;
    return loop;
}

/// The Python number as an element of the dtype, if that is what adding it to one means and is easily done. Bytes are
/// written in place: the copy of a Scalar would wait for them.
bool read_as(PyObject* object, DType dtype, Scalar& number) {
    const auto put = [&](auto value) { std::memcpy(number.bytes, &value, sizeof value); };
    number.dtype = dtype;
    if (PyFloat_CheckExact(object) || is_numpy_float64(object)) {
        const double real = PyFloat_AS_DOUBLE(object);
        if (dtype == DType::complex128) return put(std::complex(real)), true;
        if (dtype == DType::float32 && PyFloat_CheckExact(object)) {
            put(float(real));
            return std::abs(real) <= std::numeric_limits<float>::max();  // others overflow, or are not numbers
        }
        put(real);
        return dtype == DType::float64;
    }
    if (PyComplex_CheckExact(object)) {
        put(PyComplex_AsCComplex(object));
        return dtype == DType::complex128;
    }
    int64_t integer;
    const DTypeInfo& type = info(dtype);
    if (type.kind == Kind::Bool || !read_plain_int(object, integer)) return false;
    if (type.kind == Kind::Complex) {
        put(std::complex(double(integer)));
        return dtype == DType::complex128;
    }
    if (dtype == DType::float32) {
        put(float(integer));
        return integer >= -(1 << 24) && integer <= 1 << 24;  // the others are rounded
    }
    if (type.kind == Kind::Floating) {
        put(double(integer));
        return dtype == DType::float64;
    }
    const int bits = int(type.size) * 8 - (type.kind == Kind::Signed);
    if ((integer < 0 && type.kind == Kind::Unsigned) || (bits < 63 && (integer < 0 ? ~integer : integer) >> bits))
        return false;
    put(integer);  // its low bytes
    return true;
}

/// The dtype in which numbers meet, which read_as judges: that of a value among them, or else of Python's complex
/// numbers, floats or ints, on the cpu device; none for others.
DType dtype_of_numbers(PyObject* const* objects, int count) {
    bool has_floats = false, has_complex = false;
    for (int i = 0; i < count; ++i) {
        if (is_number(objects[i])) return dtype_of_number(objects[i]);
        has_complex |= PyComplex_CheckExact(objects[i]);
        has_floats |= PyFloat_CheckExact(objects[i]) || is_numpy_float64(objects[i]);
    }
    if (current_device() != Device{}) return DType::none;
    return has_complex ? DType::complex128 : has_floats ? DType::float64 : DType::int64;
}

/// The usual call on numbers: of one dtype, or of one and Python numbers. Null for others.
PyObject* call_on_equals(RowId row, PyObject* const* objects, int count) {
    if (is_deferring()) return nullptr;
    const DType dtype = dtype_of_numbers(objects, count);
    const LoopId loop = dtype == DType::none ? LoopId(kNone) : loop_of_equals(row, dtype);
    if (loop == kNone) return nullptr;
    Scalar converted[2], result;
    const void* in[kMaxIn];
    for (int i = 0; i < count; ++i) {
        const bool is_element = is_number(objects[i]) && dtype_of_number(objects[i]) == dtype;
        if (!is_element && !read_as(objects[i], dtype, converted[i])) return nullptr;
        in[i] = is_element ? element_of_number(objects[i]) : converted[i].bytes;
    }
    static Backend& host = backend(Device{});
    DirectLoops* const direct = host.front().direct();
    if (!direct) return nullptr;
    void* out[] = {result.bytes};
    if (!rows()[row].has(NegativeFault))
        direct->run(loop, in, out, 1);
    else if (!take_power(*direct, loop, dtype, in, out))
        return nullptr;
    result.dtype = loops()[loop].out[0];
    return wrap(result);
}

}  // namespace

PyObject* call_on_numbers(RowId row, PyObject* const* objects, int count) {
    if (count <= 2)
        if (PyObject* const result = call_on_equals(row, objects, count)) return result;
    if (!gives_values(rows()[row])) return nullptr;
    bool has_own = false, has_values = false;
    for (int i = 0; i < count; ++i) {
        has_own |= is_number(objects[i]);
        has_values |= has_own || is_numpy_scalar(objects[i]);
        if (!is_number(objects[i]) && !is_python_number(objects[i]) && !is_numpy_scalar(objects[i])) return nullptr;
    }
    if (!has_own && current_device() != Device{}) return nullptr;
    static const Weak kNothing;
    Argument args[kMaxIn] = {kNothing, kNothing, kNothing};
    ArrayOrScalar loaded[kMaxIn];
    Scalar elements[kMaxIn];  // values, and Python's numbers alone, which are of their own dtypes
    for (int i = 0; i < count; ++i) {
        if (is_number(objects[i])) {
            args[i] = elements[i] = scalar_of_number(objects[i]);
            continue;
        }
        if (!loaded[i].load(objects[i], Device{}, rows()[row].name) || loaded[i].is_beyond_integers()) return nullptr;
        if (!has_values && loaded[i].default_dtype() == DType::uint64) return nullptr;  // an int of more than 63 bits
        if (has_values)
            args[i] = loaded[i].argument();
        else
            args[i] = elements[i] = loaded[i].element(loaded[i].default_dtype(), rows()[row].name);
    }
    Scalar results[kMaxOut];
    if (!call_on_values(row, {args, size_t(count)}, results)) return nullptr;
    if (rows()[row].nout == 1) return wrap(results[0]);
    const Object first = Object::steal(wrap(results[0])), second = Object::steal(wrap(results[1]));
    return Object::steal(PyTuple_Pack(2, first.get(), second.get())).release();
}

namespace {

/// An ndarray as an argument of a call on `device`. A number stays a scalar beside arrays of the host.
[[gnu::always_inline]] inline Argument argument_of(PyObject* object, Device device) {
    if (is_number(object) && is_on_host(device)) return scalar_of_number(object);
    return array_of(object);
}

}  // namespace

PyObject* call_on_arrays(RowId row, PyObject* const* objects, int count, unsigned dying) {
    int first = 0;  // with memory
    while (first < count && is_number(objects[first])) ++first;
    if (first == count) {
        if (PyObject* const result = call_on_numbers(row, objects, count)) return result;
        first = 0;
    }
    const Device device = array_of(objects[first]).device();
    Argument args[kMaxIn] = {argument_of(objects[0], device), argument_of(objects[std::min(1, count - 1)], device),
                             argument_of(objects[count - 1], device)};
    for (int i = 0; dying >> i; ++i) args[i].is_dying = dying >> i & 1;
    UfuncResult result = call_unlocked(row, {args, size_t(count)}, {}, device);
    return wrap_results(row, result);
}

}  // namespace cuarray::python
