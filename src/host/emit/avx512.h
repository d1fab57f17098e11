// avx512.h -- values of chains in AVX-512 (F, BW, DQ, VL): vectors of 64 bytes, bools in mask registers. Every access
// to elements is under the mask of those that are left, so that the last vector needs no code of its own. avx2.h has
// the same names.
#pragma once
#include "host/emit/avx2.h"

namespace cuarray::host::emit {

class Avx512 {
 public:
    static constexpr int kBytes = 64, kConstantBytes = 16;  // constants are broadcast from memory, or are bools
    static constexpr int kInterleavedFrom = 64, kMostVectors = 2;
    static constexpr Registers kNumbers{0, 29}, kBools{kFirstMask + 1, kFirstMask + 4};
    static constexpr Vector t0{29}, t1{30}, t2{31};
    static constexpr Vector m0{kFirstMask + 5}, m1{kFirstMask + 6};
    /// The lanes of a vector that hold elements.
    static constexpr Vector tail_of(int vector) { return {uint8_t(kFirstMask + (vector ? 4 : 7))}; }
    static constexpr bool kHasMaskedTail = true;
    // Chains over 20 MB and more take 4 % less time with prefetches (geometric mean of ten; other distances did not
    // differ beyond noise), those in caches the same; in AVX2 they gain nothing.
    static constexpr int kPrefetchBytes = 512;

    Avx512(Assembler& code, bool has_wide) : code_(code), has_wide_(has_wide) {}

    static bool has(RowId, DType) { return true; }
    static bool has_cast(DType, DType) { return true; }

    /// The vector whose elements the next instructions access.
    void select_vector(int vector) { tail_ = number(tail_of(vector)); }

    // Memory.

    void load(DType t, Vector to, VectorSource from) {
        if (is_single(from)) return code_.unary(is_wide(t) ? kBroadcastQ : kBroadcastD, to, from, whole(t));
        code_.unary(of(kMove, t), to, from, form(t, from));
    }
    void store(DType t, VectorSource target, Vector x) {
        code_.store(of(kStore, t), target, x, tail(length(t), false));
    }
    void load_bool(Vector to, VectorSource from) {
        code_.unary(kMoveBytes, t0, from, tail(Form::Xmm, true));
        code_.vector(kTestBytes, to, t0, t0, Form{Form::Xmm, true});
    }
    void store_bool(VectorSource target, Vector x) {
        const VectorSource ones = VectorSource::pool(code_.constant(0x01010101, 4));
        code_.unary(kMoveBytes, t0, ones, Form{Form::Xmm, true, number(x), true});
        code_.store(kStoreBytes, target, t0, tail(Form::Xmm, false));
    }
    void save(DType t, VectorSource target, Vector x) {
        if (is_bool(t)) return code_.store(kMaskStore, target, x, kXmm);
        code_.store(kStore, target, x, kZmm);
    }
    void restore(DType t, Vector to, VectorSource from) {
        if (is_bool(t)) return code_.unary(kMaskLoad, to, from, kXmm);
        code_.unary(kMove, to, from, kZmm);
    }

    // Numbers.

    void apply(const Instruction& i, DType t, Vector to, Vector x, VectorSource y) {
        code_.vector(of(i, t), to, x, spread(y), form(t, y));
    }
    void apply(const Instruction& i, DType t, Vector to, Vector x) { code_.unary(of(i, t), to, x, whole(t)); }
    void round(DType t, Vector to, Vector x, uint8_t mode) {
        code_.unary(is_wide(t) ? kRoundPd : kRoundPs, to, x, mode, whole(t));
    }
    void copy(Vector to, Vector from) {
        if (to.id != from.id) code_.unary(kMove, to, from, kZmm);
    }
    void multiply_wide(Vector to, Vector x, Vector y) { code_.vector(of(kMulD, DType::int64), to, x, y, kZmm); }
    void extreme_wide(DType t, bool is_maximum, Vector to, Vector x, Vector y) {
        const Instruction& i = is_maximum ? (is_unsigned(t) ? kMaxU : kMaxD) : (is_unsigned(t) ? kMinU : kMinD);
        code_.vector(of(i, t), to, x, y, kZmm);
    }
    void absolute_wide(Vector to, Vector x) { code_.unary(kAbsQ, to, x, kZmm); }

    void cast(DType from, DType to_type, Vector to, Vector x) {
        const bool widens = !is_wide(from) && is_wide(to_type), narrows = is_wide(from) && !is_wide(to_type);
        // The longer of both vectors.
        const Form longer = widens ? whole(to_type) : whole(from);
        if (is_float(from) && is_float(to_type)) return code_.unary(widens ? kWidenPs : kNarrowPd, to, x, longer);
        if (is_float(to_type)) return code_.unary(to_float(from, is_wide(to_type)), to, x, longer);
        if (is_float(from)) return truncate(from, to_type, to, x, longer);
        if (widens) return code_.unary(is_unsigned(from) ? kZeroExtendD : kSignExtendD, to, x, longer);
        if (narrows) return code_.store(kNarrowQ, VectorSource(to), x, longer);
        copy(to, x);
    }

    // Comparisons: bools already.

    void compare(DType t, uint8_t predicate, Vector to, Vector x, VectorSource y) {
        const Instruction& i = is_float(t) ? kCmpPs : is_unsigned(t) ? kCompareU : kCompareD;
        const uint8_t immediate = is_float(t) ? predicate : uint8_t(predicate & 7);
        code_.vector(of(i, t), to, x, spread(y), immediate, form_of_comparison(t, y));
    }
    void compare_signs(DType t, Vector to, Vector x) {
        compare(is_wide(t) ? DType::int64 : DType::int32, kLess, to, x, VectorSource::pool(code_.constant(0, 8)));
    }
    void widen_comparison(DType, Vector) {}
    Vector narrow_bool(DType, Vector x, Vector) { return x; }

    void blend(DType t, Vector to, Vector x, VectorSource y, Vector mask) {
        if (is_bool(t)) {
            code_.vector(kMaskAndNot, m0, mask, x, kYmm);
            code_.vector(kMaskAnd, m1, mask, Vector{y.id}, kYmm);
            return code_.vector(kMaskOr, to, m0, m1, kYmm);
        }
        Form masked = whole(t);
        masked.mask = number(mask);
        code_.vector(of(kSelectPs, t), to, x, spread(y), masked);
    }
    void keep(DType t, Vector to, VectorSource y, Vector mask) {
        Form masked = whole(t);
        masked.mask = number(mask), masked.zeroes = true;
        code_.unary(is_wide(t) ? kBroadcastQ : kBroadcastD, to, y, masked);
    }

    void logical_and(Vector to, Vector x, Vector y) { code_.vector(kMaskAnd, to, x, y, kYmm); }
    void logical_or(Vector to, Vector x, Vector y) { code_.vector(kMaskOr, to, x, y, kYmm); }
    void logical_xor(Vector to, Vector x, Vector y) { code_.vector(kMaskXor, to, x, y, kYmm); }
    void logical_not(Vector to, Vector x) { code_.unary(kMaskNot, to, x, kXmm); }

 private:
    static constexpr Form kZmm{Form::Zmm, true};

    static uint8_t number(Vector mask) { return uint8_t(mask.id - kFirstMask); }
    static bool is_single(const VectorSource& x) {
        const bool is_in_frame = x.id == uint8_t(General::rsp);  // whole vectors
        return x.kind == VectorSource::Kind::Pool || (x.kind == VectorSource::Kind::Memory && !x.scale && !is_in_frame);
    }
    static VectorSource spread(const VectorSource& x) { return is_single(x) ? x.broadcast() : x; }

    Form::VectorLength length(DType t) const { return has_wide_ && !is_wide(t) ? Form::Ymm : Form::Zmm; }
    Form whole(DType t) const { return {length(t), true}; }
    Form tail(Form::VectorLength length, bool zeroes) const { return {length, true, tail_, zeroes}; }
    /// That of an instruction whose last source is y: under the tail's mask if y is read element by element.
    Form form(DType t, const VectorSource& y) const {
        return y.kind == VectorSource::Kind::Memory && y.scale ? tail(length(t), true) : whole(t);
    }
    /// Masks have no lanes that could stay.
    Form form_of_comparison(DType t, const VectorSource& y) const {
        Form f = form(t, y);
        f.zeroes = false;
        return f;
    }

    static const Instruction& to_float(DType from, bool is_double) {
        switch (from) {
            case DType::int32: return is_double ? kDoubleD : kFloatD;
            case DType::uint32: return is_double ? kDoubleUnsignedD : kFloatUnsignedD;
            case DType::int64: return is_double ? kDoubleQ : kFloatQ;
            default: return is_double ? kDoubleUnsignedQ : kFloatUnsignedQ;
        }
    }

    /// Towards zero, saturated, and 0 for NaN. The instructions give the lowest (of unsigned integers the highest)
    /// value for all that does not fit.
    void truncate(DType from, DType to_type, Vector to, Vector x, Form longer) {
        const VectorSource zero = VectorSource::pool(code_.constant(0, 8));
        const bool is_double = is_wide(from), is_long = is_wide(to_type);
        if (is_unsigned(to_type)) {
            apply(kMaxPs, from, t0, x, zero);  // the second source, zero, if one is NaN
            const Instruction& i = is_double ? (is_long ? kTruncatePdToUnsignedQ : kTruncatePdToUnsignedD)
                                             : (is_long ? kTruncatePsToUnsignedQ : kTruncatePsToUnsignedD);
            return code_.unary(i, to, t0, longer);
        }
        const Instruction& i =
            is_double ? (is_long ? kTruncatePdToQ : kTruncatePdToD) : (is_long ? kTruncatePsToQ : kTruncatePsToD);
        const double above = is_long ? 0x1p63 : 0x1p31;
        const VectorSource limit = is_double
                                       ? VectorSource::pool(code_.constant(std::bit_cast<uint64_t>(above), 8))
                                       : VectorSource::pool(code_.constant(std::bit_cast<uint32_t>(float(above)), 4));
        const int bytes = item_size(to_type);
        const VectorSource most = VectorSource::pool(code_.constant((uint64_t(1) << (8 * bytes - 1)) - 1, bytes));
        compare(from, kGreaterEqual, m0, x, limit);
        compare(from, kUnordered, m1, x, x);
        code_.unary(i, t0, x, longer);
        blend(to_type, t0, t0, most, m0);
        blend(to_type, to, t0, zero, m1);
    }

    Assembler& code_;
    const bool has_wide_;
    uint8_t tail_ = number(tail_of(0));
};

}  // namespace cuarray::host::emit
