// dtype.cpp -- dtypes.def as data, casts and promotion.
#include "cuarray/core/dtype.h"
#include <algorithm>
#include "cuarray/core/dispatch.h"

namespace cuarray {
namespace {

constexpr DTypeInfo kInfo[kDTypes] = {
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

bool is_integer_kind(Kind kind) { return kind == Kind::Signed || kind == Kind::Unsigned; }

bool is_safe(const DTypeInfo& from, const DTypeInfo& to) {
    if (from.kind == Kind::Bool) return true;
    if (is_integer_kind(from.kind)) {
        if (from.kind == Kind::Signed && to.kind == Kind::Unsigned) return false;
        // NumPy calls 64-bit integers to float64 safe, though they lose bits.
        const bool wide = from.size == 8 && to.kind >= Kind::Floating && to.bits == 53;
        return to.kind != Kind::Bool && (from.bits <= to.bits || wide);
    }
    return from.kind <= to.kind && from.bits <= to.bits && from.exponent <= to.exponent;
}

struct Promotions {
    DType table[kDTypes][kDTypes];
    Promotions() {
        for (int a = 0; a < kDTypes; ++a)
            for (int b = 0; b < kDTypes; ++b) {
                int to = 0;
                while (!can_cast(DType(a), DType(to)) || !can_cast(DType(b), DType(to))) ++to;
                table[a][b] = DType(to);
            }
    }
};

}  // namespace

const DTypeInfo& info(DType dtype) {
    if (dtype == DType::none) raise(ErrorKind::Type, "info: no dtype");
    return kInfo[int(dtype)];
}

const char* to_string(Casting casting) {
    constexpr const char* names[] = {"no", "equiv", "safe", "same_kind", "unsafe"};
    return names[int(casting)];
}

bool can_cast(DType from, DType to, Casting casting) {
    const DTypeInfo &a = info(from), &b = info(to);
    if (from == to || casting == Casting::Unsafe) return true;
    if (casting < Casting::Safe) return false;
    return is_safe(a, b) || (casting == Casting::SameKind && a.kind <= b.kind);
}

DType promote(DType a, DType b) {
    static const Promotions promotions;
    return promotions.table[int(a)][int(b)];
}

DType find_dtype(std::string_view name) {
    if (name == "bool_") return DType::bool_;
    const auto found =
        std::find_if(kInfo, kInfo + kDTypes, [&](const DTypeInfo& i) { return name == i.name; });
    return DType(found - kInfo);
}

DType real_part(DType dtype) {
    return dispatch(dtype, []<class T>() { return dtype_of<real_t<T>>; });
}

}  // namespace cuarray
