// avx2.h -- values of chains in AVX2: vectors of 32 bytes. A bool is a lane of ones or zeros, as wide as the widest
// type of the chain. avx512.h has the same names.
#pragma once
#include <bit>
#include <limits>
#include "cuarray/core/table.h"
#include "host/emit/element_types.h"
#include "host/emit/instructions.h"

namespace cuarray::host::emit {

/// Registers [first, end).
struct Registers {
    int first, end;
};

class Avx2 {
 public:
    static constexpr int kBytes = 32, kConstantBytes = 32;
    static constexpr int kInterleavedFrom = 24, kMostVectors = 4;  // operations, vectors in a pass
    static constexpr Registers kNumbers{0, 13}, kBools{0, 13};
    static constexpr Vector t0{13}, t1{14}, t2{15};  // for one value's instructions
    static constexpr Vector m0 = t0, m1 = t1;        // likewise, for what compare() gives
    static constexpr bool kHasMaskedTail = false;
    static constexpr int kPrefetchBytes = 0;  // how far ahead inputs are prefetched; 0: not at all

    Avx2(Assembler& code, bool has_wide) : code_(code), has_wide_(has_wide) {}

    /// Whether the set computes rows and casts that not every set has.
    static bool has(RowId row, DType t) { return row != row::bitwise_right_shift || t != DType::int64; }
    static bool has_cast(DType from, DType to) {
        if (is_bool(from) || is_bool(to)) return true;
        if (is_float(from)) return is_float(to);
        return !is_float(to) || from == DType::int32;
    }

    /// All accesses are of whole vectors.
    void select_vector(int) {}

    // Memory.

    void load(DType t, Vector to, VectorSource from) { code_.unary(kMove, to, from, form(t)); }
    void store(DType t, VectorSource target, Vector x) { code_.store(kStore, target, x, form(t)); }
    void load_bool(Vector to, VectorSource from) {
        code_.unary(has_wide_ ? kBytesToQ : kBytesToD, to, from, kYmm);
        code_.vector(has_wide_ ? kGreaterQ : kGreaterD, to, to, zero(), kYmm);
    }
    void store_bool(VectorSource target, Vector x) {
        if (has_wide_) {
            halve(t0, x);
            code_.vector(kPackD, t0, t0, t0, kXmm);
        } else {
            code_.store(kUpper, VectorSource(t0), x, kYmm, 1);
            code_.vector(kPackD, t0, x, t0, kXmm);
        }
        code_.vector(kPackW, t0, t0, t0, kXmm);
        code_.vector(kAnd, t0, t0, VectorSource::pool(code_.constant(0x01010101, 4)), kXmm);
        code_.store(has_wide_ ? kStoreD : kStoreQ, target, t0, kXmm);
    }
    void save(DType, VectorSource target, Vector x) { code_.store(kStore, target, x, kYmm); }
    void restore(DType, Vector to, VectorSource from) { code_.unary(kMove, to, from, kYmm); }

    // Numbers.

    void apply(const Instruction& i, DType t, Vector to, Vector x, VectorSource y) {
        code_.vector(of(i, t), to, x, y, form(t));
    }
    void apply(const Instruction& i, DType t, Vector to, Vector x) { code_.unary(of(i, t), to, x, form(t)); }
    void round(DType t, Vector to, Vector x, uint8_t mode) {
        code_.unary(is_wide(t) ? kRoundPd : kRoundPs, to, x, mode, form(t));
    }
    void copy(Vector to, Vector from) {
        if (to.id != from.id) code_.unary(kMove, to, from, kYmm);
    }

    /// The lower 64 bits of a product: low * low + ((high * low + low * high) << 32).
    void multiply_wide(Vector to, Vector x, Vector y) {
        code_.shift(kShiftImmediateQ, kRightExtension, t0, x, 32, kYmm);
        code_.vector(kMulWide, t0, t0, y, kYmm);
        code_.shift(kShiftImmediateQ, kRightExtension, t1, y, 32, kYmm);
        code_.vector(kMulWide, t1, t1, x, kYmm);
        code_.vector(kAddQ, t0, t0, t1, kYmm);
        code_.shift(kShiftImmediateQ, kLeftExtension, t0, t0, 32, kYmm);
        code_.vector(kMulWide, t1, x, y, kYmm);
        code_.vector(kAddQ, to, t0, t1, kYmm);
    }
    void extreme_wide(DType t, bool is_maximum, Vector to, Vector x, Vector y) {
        greater(t, t0, x, y);
        blend(t, to, is_maximum ? y : x, is_maximum ? x : y, t0);
    }
    void absolute_wide(Vector to, Vector x) {
        code_.vector(kXor, t0, t0, t0, kYmm);
        code_.vector(kGreaterQ, t1, t0, x, kYmm);
        code_.vector(kXor, t0, x, t1, kYmm);
        code_.vector(kSubQ, to, t0, t1, kYmm);
    }
    void cast(DType from, DType to_type, Vector to, Vector x) {
        const bool widens = !is_wide(from) && is_wide(to_type), narrows = is_wide(from) && !is_wide(to_type);
        if (is_float(from)) return code_.unary(widens ? kWidenPs : kNarrowPd, to, x, kYmm);
        if (is_float(to_type)) return code_.unary(widens ? kDoubleD : kFloatD, to, x, form(to_type));
        if (widens) return code_.unary(is_unsigned(from) ? kZeroExtendD : kSignExtendD, to, x, kYmm);
        if (!narrows) return copy(to, x);
        halve(t0, x);
        copy(to, t0);
    }

    // Comparisons: lanes of ones or zeros as wide as t, which widen_comparison() makes a bool.

    void compare(DType t, uint8_t predicate, Vector to, Vector x, VectorSource y) {
        if (is_float(t)) return code_.vector(of(kCmpPs, t), to, x, y, predicate, form(t));
        const bool is_less = predicate == kLess || predicate == kGreaterEqual;
        if (predicate == kEq || predicate == kNotEqual) {
            code_.vector(is_wide(t) ? kEqualQ : kEqualD, to, x, y, form(t));
        } else if (is_less) {
            const bool is_register = y.kind == VectorSource::Kind::Register;
            if (!is_register) code_.unary(kMove, t1, y, kYmm);
            greater(t, to, is_register ? Vector{y.id} : t1, x);
        } else {
            greater(t, to, x, y);
        }
        const bool inverts = predicate == kNotEqual || predicate == kLessEqual || predicate == kGreaterEqual;
        if (inverts) code_.vector(kXor, to, to, ones(), form(t));
    }
    /// The sign bits of a type's lanes.
    void compare_signs(DType t, Vector to, Vector x) {
        code_.vector(kXor, t0, t0, t0, kYmm);
        code_.vector(is_wide(t) ? kGreaterQ : kGreaterD, to, t0, x, form(t));
    }
    void widen_comparison(DType t, Vector x) {
        if (is_half(t)) code_.unary(kSignExtendD, x, x, kYmm);
    }
    /// A bool in lanes as wide as t, in `spare` if it must be made.
    Vector narrow_bool(DType t, Vector x, Vector spare) {
        if (!is_half(t)) return x;
        halve(spare, x);
        return spare;
    }
    /// Where the mask is set y, else x.
    void blend(DType t, Vector to, Vector x, VectorSource y, Vector mask) {
        const bool wide = is_bool(t) ? has_wide_ : is_wide(t);
        code_.vector(wide ? kBlendPd : kBlendPs, to, x, y, uint8_t(mask.id << 4), form(t));
    }
    /// y where the mask is set, else zero.
    void keep(DType t, Vector to, VectorSource y, Vector mask) { code_.vector(kAnd, to, mask, y, form(t)); }

    void logical_and(Vector to, Vector x, Vector y) { code_.vector(kAnd, to, x, y, kYmm); }
    void logical_or(Vector to, Vector x, Vector y) { code_.vector(kOr, to, x, y, kYmm); }
    void logical_xor(Vector to, Vector x, Vector y) { code_.vector(kXor, to, x, y, kYmm); }
    void logical_not(Vector to, Vector x) { code_.vector(kXor, to, x, ones(), kYmm); }

 private:
    bool is_half(DType t) const { return has_wide_ && !is_bool(t) && item_size(t) == 4; }
    Form form(DType t) const { return is_half(t) ? kXmm : kYmm; }

    VectorSource zero() { return VectorSource::pool(code_.constant(0, 8)); }
    VectorSource ones() { return VectorSource::pool(code_.constant(~uint64_t(0), 8)); }

    /// The lower halves of four lanes of 64 bits, as four of 32; `from` may be `to`.
    void halve(Vector to, Vector from) {
        const Vector upper = to.id == t2.id ? t1 : t2;
        code_.store(kUpper, VectorSource(upper), from, kYmm, 1);
        code_.vector(kShufflePs, to, from, upper, 0x88, kXmm);
    }
    /// x > y of integers; of unsigned ones by t0 and t1.
    void greater(DType t, Vector to, Vector x, VectorSource y) {
        const Instruction& i = is_wide(t) ? kGreaterQ : kGreaterD;
        if (!is_unsigned(t)) return code_.vector(i, to, x, y, form(t));
        const int bytes = item_size(t);
        const VectorSource sign = VectorSource::pool(code_.constant(uint64_t(1) << (8 * bytes - 1), bytes));
        const bool first_is_t1 = x.id == t1.id;  // from compare()
        const Vector first = first_is_t1 ? t1 : t0, second = first_is_t1 ? t0 : t1;
        code_.vector(kXor, first, x, sign, form(t));
        code_.unary(kMove, second, sign, form(t));
        code_.vector(kXor, second, second, y, form(t));
        code_.vector(i, to, first, second, form(t));
    }

    Assembler& code_;
    const bool has_wide_;
};

}  // namespace cuarray::host::emit
