// clip.cpp -- clip: a call of the row clip, or with one limit of maximum or minimum.
#include "cuarray/ops/clip.h"

namespace cuarray {
namespace {

/// Whether a Python int lies at an end of the dtype or beyond, so that it limits nothing on that side: NumPy accepts
/// clip(uint8_array, 0, 300) although uint8_array + 300 is an error.
bool limits_nothing(const Argument& limit, DType dtype, bool is_upper) {
    const Kind kind = info(dtype).kind;
    if (!limit.weak || limit.weak->kind != Weak::Kind::Int || (kind != Kind::Signed && kind != Kind::Unsigned))
        return false;
    if (limit.weak->big) return (limit.weak->big > 0) == is_upper;
    const bool is_signed = kind == Kind::Signed, is_negative = limit.weak->negative;
    const uint64_t number = limit.weak->integer;
    const uint64_t most = UINT64_MAX >> (64 - item_size(dtype) * 8 + is_signed);
    if (is_upper) return !is_negative && number >= most;
    return is_signed ? is_negative && number <= ~most : is_negative || number == 0;
}

/// A limit by either of its names.
std::optional<Argument> limit_of(const std::optional<Argument>& limit, const OlderName& other, DType dtype,
                                 bool is_upper) {
    if (limit && other.is_given)
        raise(ErrorKind::Value, "clip: an end of the range is given twice; use min and max, or a_min and a_max");
    const std::optional<Argument>& given = other.is_given ? other.value : limit;
    if (given && limits_nothing(*given, dtype, is_upper)) return {};
    return given;
}

}  // namespace

Array clip(const Array& a, const std::optional<Argument>& min, const std::optional<Argument>& max, Array* out,
           const OlderName& a_min, const OlderName& a_max, const ElementMask& where, DType dtype, Casting casting,
           char order) {
    const std::optional<Argument> low = limit_of(min, a_min, a.dtype(), false),
                                  high = limit_of(max, a_max, a.dtype(), true);
    UfuncOptions options;
    options.out[0] = out;
    options.where = where.array;
    options.casting = casting;
    options.order = order;
    const auto called = [&](RowId row, std::span<const Argument> args) {
        options.signature.types[args.size()] = dtype;
        options.has_signature = dtype != DType::none;
        Array result = call(row, args, options).array[0];
        return out ? *out : result;
    };
    if (low && high) return called(row::clip, std::initializer_list<Argument>{a, *low, *high});
    if (low) return called(row::maximum, std::initializer_list<Argument>{a, *low});
    if (high) return called(row::minimum, std::initializer_list<Argument>{a, *high});
    return called(row::positive, std::initializer_list<Argument>{a});
}

}  // namespace cuarray
