// choose_call.cpp -- the loop, device and shape of a call, and whether its outputs can take the result.
#include <algorithm>
#include <numeric>

#include "cuarray/runtime/registry.h"
#include "ops/call.h"

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
    if (c.row.has(NoBool) && all_bool)
        raise(ErrorKind::Type, c.name(), ": not supported for bool; use logical_not, logical_xor or bitwise_xor");
    if (c.options.dtype != DType::none || c.options.has_signature)
        raise(ErrorKind::Type, c.name(), ": no loop matches the given dtype or signature and casting rule '",
              to_string(c.options.casting), "' for argument types (", text, ")");
    raise(ErrorKind::Type, c.name(), ": not supported for the argument types (", text,
          "), and they cannot be cast safely to any that is");
}

/// Whether a Python number of this kind may be given where the loop takes dtype.
bool weak_fits(Weak::Kind weak, DType dtype) {
    const Kind kind = info(dtype).kind;
    const int rank = kind == Kind::Bool ? 0 : kind == Kind::Complex ? 3 : kind == Kind::Floating ? 2 : 1;
    return rank >= int(weak);
}

/// The loop that dtype= or signature= asks for.
LoopId requested_loop(const Call& c, std::span<const ArgType> types) {
    const UfuncOptions& o = c.options;
    for (int k = 0; k < c.row.loops; ++k) {
        const LoopId id = LoopId(c.row.first_loop + k);
        const Loop& loop = loops()[id];
        bool fits = o.dtype == DType::none || loop.out[0] == o.dtype;
        for (int i = 0; i < c.row.nin; ++i) {
            if (o.has_signature && o.signature[i] != DType::none && o.signature[i] != loop.in[i]) fits = false;
            const ArgType& t = types[size_t(i)];
            if (!(t.is_weak() ? weak_fits(t.weak, loop.in[i]) : can_cast(t.dtype, loop.in[i], o.casting))) fits = false;
        }
        for (int i = 0; i < c.row.nout; ++i)
            if (o.has_signature && o.signature[c.row.nin + i] != DType::none && o.signature[c.row.nin + i] != loop.out[i])
                fits = false;
        if (fits) return id;
    }
    return kNone;
}

/// Comparisons with Python ints are exact: an int that an integer dtype cannot hold becomes int64, uint64, or, beyond
/// those, an infinity beside floats.
Scalar exact_integer(const Weak& w) {
    if (w.big) return Scalar::of(DType::float64, w.big > 0 ? __builtin_inf() : -__builtin_inf());
    return w.negative || w.integer <= uint64_t(INT64_MAX) ? Scalar::of(DType::int64, int64_t(w.integer))
                                                          : Scalar::of(DType::uint64, w.integer);
}

bool is_integer(DType dtype) { return info(dtype).kind <= Kind::Signed; }

void choose_exact(Call& c, ArgType (&types)[kMaxIn]) {
    for (size_t i = 0; i < c.args.size(); ++i) {
        const Weak* w = c.args[i].weak;
        if (!w || w->kind != Weak::Kind::Int || types[1 - i].is_weak() || !is_integer(types[1 - i].dtype)) continue;
        c.scalars[i] = exact_integer(*w);
        types[i] = {c.scalars[i].dtype, {}};
        if (w->big) types[1 - i] = {DType::float64, {}};
    }
}

[[noreturn]] void raise_devices(const Call& c, const Array& a) {
    raise(ErrorKind::Value, c.name(), ": operands are on ", to_string(c.device), " and ", to_string(a.device()),
          "; move one with .to_device(...)");
}

}  // namespace

void choose_loop(Call& c) {
    ArgType types[kMaxIn];
    const size_t n = c.args.size();
    for (size_t i = 0; i < n; ++i) types[i] = c.args[i].type();
    if (c.row.has(Exact64)) choose_exact(c, types);
    const bool requested = c.options.dtype != DType::none || c.options.has_signature;
    c.loop = requested ? requested_loop(c, {types, n}) : resolve(RowId(&c.row - rows().data()), {types, n});
    if (c.loop == kNone) raise_no_loop(c, {types, n});
    c.types = &loops()[c.loop];
    if (c.options.casting < Casting::Safe)
        for (size_t i = 0; i < n; ++i)
            if (c.args[i].array && c.args[i].array->dtype() != c.types->in[i])
                raise(ErrorKind::Type, c.name(), ": cannot cast input ", i, " from ", info(c.args[i].array->dtype()).name, " to ",
                      info(c.types->in[i]).name, " with casting rule '", to_string(c.options.casting), "'");
    for (size_t i = 0; i < n; ++i) {
        const DType in = c.types->in[i];
        if (c.args[i].array) c.arrays[i] = c.args[i].array;
        else if (c.scalars[i].dtype != DType::none) c.scalars[i] = convert(c.scalars[i], in);
        else if (c.args[i].scalar) c.scalars[i] = convert(*c.args[i].scalar, in);
        else c.scalars[i] = convert(*c.args[i].weak, in, c.name());
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

void choose_shape(Call& c) {
    const Dims* shapes[kMaxIn + kMaxOut + 1];
    size_t n = 0, inputs = 0;
    bool is_one = true;
    for (const Argument& arg : c.args) inputs += arg.array != nullptr;
    c.for_each_array([&](const Array& a) {
        shapes[n++] = &a.shape();
        is_one = is_one && *shapes[0] == a.shape();
    });
    if (n && is_one) {
        c.shape = *shapes[0];
        return;
    }
    // Inputs alone first: their message must not name an output.
    if (inputs < n && inputs) broadcast({shapes, inputs}, c.name());
    c.shape = broadcast({shapes, n}, c.name());
    for (Array* out : c.options.out)
        if (out && !(out->shape() == c.shape))
            raise(ErrorKind::Value, c.name(), ": non-broadcastable output operand with shape ", to_string(out->shape()),
                  " doesn't match the broadcast shape ", to_string(c.shape));
}

void check_outputs(const Call& c) {
    for (int k = 0; k < c.row.nout; ++k) {
        const Array* out = c.options.out[k];
        if (!out) continue;
        if (!out->is_writable()) raise(ErrorKind::Value, c.name(), ": output array is read-only");
        if (!can_cast(c.types->out[k], out->dtype(), c.options.casting))
            raise(ErrorKind::Type, c.name(), ": cannot cast the output from ", info(c.types->out[k]).name, " to ",
                  info(out->dtype()).name, " with casting rule '", to_string(c.options.casting), "'");
    }
    if (c.options.where && c.options.where->dtype() != DType::bool_)
        raise(ErrorKind::Type, c.name(), ": where= takes a bool array, not ", info(c.options.where->dtype()).name);
}

Dims result_order(const Call& c) {
    Dims order(c.shape.size(), 0);
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

}  // namespace cuarray
