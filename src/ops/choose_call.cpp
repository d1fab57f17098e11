// choose_call.cpp -- chooses the loop, device and shape of a call, and checks its outputs.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <numeric>

#include "cuarray/runtime/registry.h"
#include "ops/call.h"
#include "runtime/hooks.h"

namespace cuarray {
namespace {

const char* spell(const ArgType& type) {
    static const char* const weak[] = {"", "int", "float", "complex"};
    return type.is_weak() ? weak[int(type.weak)] : info(type.dtype).name;
}

[[noreturn]] void raise_no_loop(const Call& c, std::span<const ArgType> types) {
    std::string text;
    for (size_t i = 0; i < types.size(); ++i) text += (i ? ", " : "") + std::string(spell(types[i]));
    const bool all_bool = std::all_of(types.begin(), types.end(), [](ArgType t) { return t.dtype == DType::bool_; });
    if (c.row.has(NoBool) && all_bool) {
        const bool is_negative = &c.row == &rows()[row::negative], is_difference = &c.row == &rows()[row::subtract];
        raise(ErrorKind::Type, c.name(), ": not supported for bool",
              is_negative     ? "; use the operator ~"
              : is_difference ? "; use the operator ^"
                              : "");
    }
    if (c.options.has_signature)
        raise(ErrorKind::Type, c.name(), ": no loop has the dtypes asked for and takes arguments of the types (", text,
              ")");
    raise(ErrorKind::Type, c.name(), ": not supported for the argument types (", text,
          "), and they cannot be cast safely to any that is");
}

/// Comparisons with Python ints are exact: an int that the other operand's dtype cannot represent becomes int64 or
/// uint64 or, beyond those, an infinity that is compared in float64.
Scalar exact_integer(const Weak& w) {
    if (w.big) return Scalar::of(DType::float64, w.big > 0 ? __builtin_inf() : -__builtin_inf());
    return w.negative || w.integer <= uint64_t(INT64_MAX) ? Scalar::of(DType::int64, int64_t(w.integer))
                                                          : Scalar::of(DType::uint64, w.integer);
}

/// Applies exact_integer to ints that the other operand's integer dtype cannot represent; returns whether there was
/// one. bool with an int becomes int64 by the usual rule.
bool choose_exact(Call& c, ArgType (&types)[kMaxIn]) {
    bool found = false;
    for (size_t i = 0; i < c.args.size(); ++i) {
        const std::optional<Weak>& w = c.args[i].weak;
        if (!w || w->kind != Weak::Kind::Int || types[1 - i].is_weak()) continue;
        if (info(types[1 - i].dtype).kind > Kind::Signed) continue;
        if (c.options.signature.types[i] != DType::none || holds(types[1 - i].dtype, *w)) continue;
        c.scalars[i] = exact_integer(*w);
        types[i] = {c.scalars[i].dtype, {}};
        found = info(types[1 - i].dtype).kind != Kind::Bool;
        if (w->big) types[1 - i] = {DType::float64, {}};
    }
    return found;
}

}  // namespace

bool may_pass(ArgType arg, DType to, Casting casting) {
    if (!arg.is_weak()) return can_cast(arg.dtype, to, casting);
    const Kind kind = info(to).kind;
    const int rank = kind == Kind::Bool ? 0 : kind == Kind::Complex ? 3 : kind == Kind::Floating ? 2 : 1;
    return rank >= int(arg.weak) || casting == Casting::Unsafe;
}

DType default_dtype(Weak::Kind kind) {
    return kind == Weak::Kind::Int ? DType::int64 : kind == Weak::Kind::Float ? DType::float64 : DType::complex128;
}

namespace {

void check_inputs(const Call& c) {
    for (size_t i = 0; i < c.args.size(); ++i) {
        ArgType given = c.args[i].type();
        // A lone Python number has no other operand to adapt to.
        if (given.is_weak() && c.args.size() == 1) given.dtype = default_dtype(given.weak);
        if (!may_pass(given, c.types->in[i], c.options.casting))
            raise(ErrorKind::Type, c.name(), ": cannot cast input ", i, " from ", spell(given), " to ",
                  info(c.types->in[i]).name, " with casting rule '", to_string(c.options.casting), "'");
        warn_of_lost_imaginary_part(given.is_weak() ? default_dtype(given.weak) : given.dtype, c.types->in[i]);
    }
}

[[noreturn]] void raise_devices(const Call& c, const Array& a) {
    raise(ErrorKind::Value, c.name(), ": operands are on ", to_string(c.device), " and ", to_string(a.device()),
          "; move one with .to_device(...)");
}

}  // namespace

bool holds(DType dtype, const Weak& w) {
    const DTypeInfo& type = info(dtype);
    if (w.big || type.kind == Kind::Bool) return false;
    if (w.negative) return type.kind == Kind::Signed && int64_t(w.integer) >> type.bits == -1;
    return type.bits == 64 || w.integer >> type.bits == 0;
}

bool is_true(const Weak& w) { return w.big || w.integer || w.real != 0 || w.imag != 0; }

Scalar stored_element(const Argument& given, DType dtype, const char* function) {
    if (given.scalar) return convert_exactly(*given.scalar, dtype, function);
    const Weak& number = *given.weak;
    const Kind kind = info(dtype).kind;
    if (kind == Kind::Bool) return Scalar::of(DType::bool_, is_true(number));
    if (number.kind == Weak::Kind::Complex && kind != Kind::Complex)
        raise(ErrorKind::Type, function, ": a complex number cannot be stored in ", info(dtype).name);
    return convert(number, dtype, function);
}

/// Whether a row's inputs are truth values, whatever their type.
bool is_logical(const Row& r, const Loop& loop) {
    return loop.out[0] == DType::bool_ && (r.has(Associative) || &r == &rows()[row::logical_not]);
}

namespace {

/// Reports a finite number that is infinite as an element.
void report_overflow(const Weak& w, const Scalar& element) {
    if (info(element.dtype).kind < Kind::Floating || !std::isfinite(w.real) || !std::isfinite(w.imag)) return;
    double parts[2];
    std::memcpy(parts, convert(element, DType::complex128).bytes, sizeof parts);
    if (std::isinf(parts[0]) || std::isinf(parts[1])) report_floating_errors(kOver, "cast");
}

}  // namespace

Scalar element(const Row& row, const Loop& loop, const Weak& w, DType in) {
    const bool asks = is_logical(row, loop) || (in == DType::bool_ && w.kind == Weak::Kind::Int);
    if (asks) return convert(Scalar::of(DType::bool_, is_true(w)), in);
    const Scalar result = convert(w, in, row.name);
    if (are_floating_errors_wanted()) report_overflow(w, result);
    return result;
}

void choose_loop(Call& c) {
    ArgType types[kMaxIn];
    const size_t n = c.args.size();
    for (size_t i = 0; i < n; ++i) types[i] = c.args[i].type();
    const bool is_exact = c.row.has(Exact64) && choose_exact(c, types);
    const RowId row = RowId(&c.row - rows().data());
    c.loop = c.options.has_signature ? resolve(row, {types, n}, c.options.signature) : resolve(row, {types, n});
    if (c.loop == kNone) raise_no_loop(c, {types, n});
    c.types = &loops()[c.loop];
    // A loop resolved from the arguments holds them safely; the casts of an exact comparison are not subject to
    // casting=.
    if (c.options.has_signature || (c.options.casting < Casting::Safe && !is_exact)) check_inputs(c);
    for (size_t i = 0; i < n; ++i) {
        const DType in = c.types->in[i];
        if (c.args[i].array)
            c.arrays[i] = c.args[i].array;
        else if (c.scalars[i].dtype != DType::none)
            c.scalars[i] = convert(c.scalars[i], in);
        else if (c.args[i].scalar)
            c.scalars[i] = convert(*c.args[i].scalar, in);
        else
            c.scalars[i] = element(c.row, *c.types, *c.args[i].weak, in);
    }
}

void choose_device(Call& c) {
    bool is_known = false;
    c.for_each_array([&](const Array& a) {
        const Device device = a.device();
        if (is_known && !(device == c.device)) raise_devices(c, a);
        c.device = device;
        is_known = true;
    });
    if (!is_known) c.device = current_device();
}

/// Whether an array of one shape can be broadcast to the other.
bool fits(const Dims& from, const Dims& to) {
    const int missing = to.size() - from.size();
    for (int axis = 0; missing >= 0 && axis < from.size(); ++axis)
        if (from[axis] != 1 && from[axis] != to[axis + missing]) return false;
    return missing >= 0;
}

/// The shape of a call whose arrays differ in shape.
[[gnu::noinline]] Dims broadcast_call(const Call& c) {
    const Dims* all[kMaxIn + kMaxOut + 1];
    size_t n = 0, inputs = 0;
    for (const Argument& arg : c.args) inputs += arg.array != nullptr;
    c.for_each_array([&](const Array& a) { all[n++] = &a.shape(); });
    const std::span<const Dims* const> shapes(all, n);
    // Broadcast the inputs first: their error must not name an output.
    if (inputs < shapes.size() && inputs) {
        const Dims operands = broadcast(shapes.first(inputs), c.name());
        for (const Array* out : c.options.out)
            if (out && !fits(operands, out->shape()))
                raise(ErrorKind::Value, c.name(), ": out= has shape ", to_string(out->shape()), ", the result ",
                      to_string(operands));
    }
    const Dims shape = broadcast(shapes, c.name());
    for (const Array* out : c.options.out)
        if (out && !(out->shape() == shape))
            raise(ErrorKind::Value, c.name(), ": out= has shape ", to_string(out->shape()), ", the result ",
                  to_string(shape));
    return shape;
}

void choose_shape(Call& c) {
    const Dims* first = nullptr;
    bool is_one = true;
    c.for_each_array([&](const Array& a) {
        if (!first)
            first = &a.shape();
        else
            is_one = is_one && *first == a.shape();
    });
    if (first && is_one)
        c.shape = *first;
    else
        c.shape = broadcast_call(c);
}

void check_outputs(const Call& c) {
    for (int k = 0; k < c.row.nout; ++k) {
        const Array* out = c.options.out[k];
        if (!out) continue;
        if (!out->is_writable()) raise(ErrorKind::Value, c.name(), ": output array is read-only");
        if (!can_cast(c.types->out[k], out->dtype(), c.options.casting))
            raise(ErrorKind::Type, c.name(), ": cannot cast the output from ", info(c.types->out[k]).name, " to ",
                  info(out->dtype()).name, " with casting rule '", to_string(c.options.casting), "'");
        if (c.options.casting == Casting::Unsafe) warn_of_lost_imaginary_part(c.types->out[k], out->dtype());
    }
    if (c.options.where && c.options.where->dtype() != DType::bool_)
        raise(ErrorKind::Type, c.name(), ": where= takes a bool array, not ", info(c.options.where->dtype()).name);
}

Dims result_order(const Call& c) {
    Dims order = Dims::filled(c.shape.size(), 0);
    std::iota(order.begin(), order.end(), 0);
    char wish = c.options.order;
    if (wish == 'A') {
        const bool fortran = std::any_of(c.args.begin(), c.args.end(), [](const Argument& a) { return a.array; }) &&
                             std::all_of(c.args.begin(), c.args.end(), [](const Argument& a) {
                                 return !a.array || (a.array->is_f_contiguous() && !a.array->is_c_contiguous());
                             });
        wish = fortran ? 'F' : 'C';
    }
    if (wish == 'F') std::reverse(order.begin(), order.end());
    if (wish != 'K' || c.shape.size() < 2) return order;
    Dims strides[kMaxIn];
    const Dims* pointers[kMaxIn];
    size_t n = 0;
    bool c_order = true;
    for (const Argument& arg : c.args) {
        if (!arg.array) continue;
        c_order = c_order && arg.array->shape() == c.shape && arg.array->is_c_contiguous();
        strides[n] = broadcast_strides(arg.array->layout(), c.shape, c.name());
        pointers[n] = &strides[n];
        ++n;
    }
    return c_order ? order : memory_order(c.shape, {pointers, n});
}

Dims result_strides(const Call& c, int64_t item) {
    return c.shape.size() < 2 ? c_strides(c.shape, item) : strides_in_order(c.shape, result_order(c), item);
}

}  // namespace cuarray
