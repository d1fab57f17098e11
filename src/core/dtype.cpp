// dtype.cpp -- dtypes.def as data, casts and promotion.
#include "cuarray/core/dtype.h"
#include <algorithm>
#include <array>
#include <bit>
#include "core/dispatch.h"

namespace cuarray {

constexpr DTypeInfo kDTypeInfo[kDTypes] = {
#define DTYPE(name, T, kind, bits, exponent, typestr) \
    {Kind::kind == Kind::Bool ? "bool" : #name,       \
     #T,                                              \
     typestr,                                         \
     Kind::kind,                                      \
     bits,                                            \
     exponent,                                        \
     int(sizeof(stored_t<T>)),                        \
     int(alignof(stored_t<T>))},
#include "cuarray/dtypes.def"
};

namespace {

constexpr bool is_integer_kind(Kind kind) { return kind == Kind::Signed || kind == Kind::Unsigned; }

constexpr bool is_safe(const DTypeInfo& from, const DTypeInfo& to) {
    if (from.kind == Kind::Bool) return true;
    if (is_integer_kind(from.kind)) {
        if (from.kind == Kind::Signed && to.kind == Kind::Unsigned) return false;
        // NumPy defines 64-bit integers to float64 as safe, although the cast may round.
        const bool wide = from.size == 8 && to.kind >= Kind::Floating && to.bits == 53;
        return to.kind != Kind::Bool && (from.bits <= to.bits || wide);
    }
    return from.kind <= to.kind && from.bits <= to.bits && from.exponent <= to.exponent;
}

constexpr std::array<uint32_t, kDTypes> kSafeTargets = [] {
    std::array<uint32_t, kDTypes> targets{};
    for (int from = 0; from < kDTypes; ++from)
        for (int to = 0; to < kDTypes; ++to)
            targets[from] |= uint32_t(from == to || is_safe(kDTypeInfo[from], kDTypeInfo[to])) << to;
    return targets;
}();

}  // namespace

void raise_no_dtype() { raise(ErrorKind::Type, "info: no dtype"); }

const char* to_string(Casting casting) {
    constexpr const char* names[] = {"no", "equiv", "safe", "same_kind", "unsafe"};
    return names[int(casting)];
}

bool can_cast(DType from, DType to, Casting casting) {
    const DTypeInfo &a = info(from), &b = info(to);
    if (from == to || casting == Casting::Unsafe) return true;
    if (casting < Casting::Safe) return false;
    return (safe_targets(from) >> int(to) & 1) || (casting == Casting::SameKind && a.kind <= b.kind);
}

uint32_t safe_targets(DType from) {
    if (from == DType::none) raise(ErrorKind::Type, "safe_targets: no dtype");
    return kSafeTargets[int(from)];
}

DType promote(DType a, DType b) { return DType(std::countr_zero(safe_targets(a) & safe_targets(b))); }

DType find_dtype(std::string_view name) {
    if (name == "bool_") return DType::bool_;
    const auto found =
        std::find_if(kDTypeInfo, kDTypeInfo + kDTypes, [&](const DTypeInfo& i) { return name == i.name; });
    return DType(found - kDTypeInfo);
}

DType real_part(DType dtype) {
    return dispatch(dtype, []<class T>() { return dtype_of<real_t<T>>; });
}

}  // namespace cuarray
