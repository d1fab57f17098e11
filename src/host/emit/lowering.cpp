// lowering.cpp -- lowers a chain to AVX2: one vector of elements at a time, registers by furthest next use.
#include "host/emit/lowering.h"

#include <algorithm>
#include <bit>
#include <limits>

#include "cuarray/core/dtype.h"
#include "host/emit/instructions.h"

namespace cuarray::host::emit {
namespace {

bool is_kind(DType t, Kind kind) { return info(t).kind == kind && (kind == Kind::Bool || item_size(t) >= 4); }
bool is_float(DType t) { return is_kind(t, Kind::Floating); }
bool is_unsigned(DType t) { return is_kind(t, Kind::Unsigned); }
bool is_integer(DType t) { return is_kind(t, Kind::Signed) || is_unsigned(t); }
bool is_bool(DType t) { return is_kind(t, Kind::Bool); }
bool is_known(DType t) { return is_float(t) || is_integer(t) || is_bool(t); }
bool is_wide(DType t) { return !is_bool(t) && item_size(t) == 8; }

}  // namespace

bool can_emit(const Loop& loop) {
    const DType T = loop.T;
    if (loop.U != T || !is_known(T)) return false;
    switch (loop.row) {
        case row::add:
        case row::multiply:
        case row::where:
        case row::equal:
        case row::not_equal:
        case row::maximum:
        case row::minimum: return true;
        case row::subtract:
        case row::square:
        case row::negative:
        case row::less:
        case row::less_equal:
        case row::greater:
        case row::greater_equal:
        case row::abs: return !is_bool(T);
        case row::divide:
        case row::fabs:
        case row::sign:
        case row::reciprocal:
        case row::sqrt:
        case row::rsqrt:
        case row::rint:
        case row::round:
        case row::floor:
        case row::ceil:
        case row::trunc:
        case row::signbit:
        case row::copysign:
        case row::degrees:
        case row::radians:
        case row::fmax:
        case row::fmin:
        case row::clip:
        case row::isnan:
        case row::isinf:
        case row::isfinite: return is_float(T);
        case row::logical_and:
        case row::logical_or:
        case row::logical_xor:
        case row::logical_not: return is_bool(T) || is_float(T);
        case row::bitwise_and:
        case row::bitwise_or:
        case row::bitwise_xor:
        case row::bitwise_invert: return !is_float(T);
        case row::bitwise_left_shift: return is_integer(T);
        case row::bitwise_right_shift: return is_integer(T) && T != DType::int64;
        default: return false;
    }
}

bool can_emit_cast(DType from, DType to) {
    if (!is_known(from) || !is_known(to) || from == to) return false;
    if (is_bool(from) || is_bool(to)) return true;
    if (is_float(from)) return is_float(to);
    if (is_float(to)) return from == DType::int32;
    return true;
}

int lanes_of(const Chain& chain) {
    const bool has_wide = std::any_of(chain.nodes.begin(), chain.nodes.end(),
                                      [](const ChainNode& n) { return is_wide(n.dtype()) || is_wide(DType(n.from)); });
    return has_wide ? 4 : 8;
}

namespace {

class Lowering {
 public:
    explicit Lowering(const Chain& chain) : chain_(chain), lanes_(lanes_of(chain)), places_(chain.nodes.size()) {
        std::fill(std::begin(owner_), std::end(owner_), kNobody);
    }

    std::vector<uint8_t> run(const void* self, void (*finish)()) {
        find_uses();
        begin();
        for (int at = 0; at < count(); ++at)
            if (!chain_.nodes[size_t(at)].is_load()) compute(at);
        for (size_t k = 0; k < chain_.outputs.size(); ++k) put(int(k), chain_.outputs[k]);
        end(self, finish);
        return code_.finish();
    }

 private:
    static constexpr int kRegisters = 13, kNobody = -1, kNever = 1 << 30;
    static constexpr Vector t0{13}, t1{14}, t2{15};  // for one value's instructions
    static constexpr General kPointers[] = {General::r8,  General::r9,  General::r10, General::r11, General::rbx,
                                            General::r12, General::r13, General::r14, General::r15};
    static constexpr int kPointerCount = 9, kFreePointers = 4;  // the others belong to the caller

    struct Place {
        int reg = kNobody, spill = kNobody;
        std::vector<int> uses;  ///< positions of the nodes that read the value, descending: the next one is the last
    };

    int count() const { return int(chain_.nodes.size()); }
    const ChainNode& node(int v) const { return chain_.nodes[size_t(v)]; }
    Place& place(int v) { return places_[size_t(v)]; }

    static int sources(const ChainNode& n) {
        return n.is_load() ? 0 : n.what == ChainNode::kCast ? 1 : rows()[n.what].nin;
    }

    void find_uses() {
        for (const uint16_t v : chain_.outputs) place(v).uses.push_back(count());
        for (int at = count(); at-- > 0;)
            for (int k = 0; k < sources(node(at)); ++k) place(node(at).source[k]).uses.push_back(at);
    }
    void forget_use(int v, int at) {
        std::vector<int>& uses = place(v).uses;
        while (!uses.empty() && uses.back() == at) uses.pop_back();
        if (!uses.empty()) return;
        if (place(v).reg != kNobody) owner_[place(v).reg] = kNobody;
        if (place(v).spill != kNobody) free_spills_.push_back(place(v).spill);
        place(v).reg = place(v).spill = kNobody;
    }

    // The frame: [rsp] is n, behind it values that had no register.

    void begin() {
        const int pointers = std::min(chain_.inputs + int(chain_.outputs.size()), kPointerCount);
        code_.push(General::rbp);
        code_.move(General::rbp, General::rsp);
        for (int k = kFreePointers; k < pointers; ++k) code_.push(kPointers[k]);
        code_.add(General::rsp, 0);
        frame_ = code_.position() - 4;
        code_.and_bits(General::rsp, -32);
        code_.store(General::rsp, 0, General::rdx);
        code_.and_bits(General::rdx, -lanes_);
        nothing_ = code_.jump_if_equal();
        for (int k = 0; k < pointers; ++k) load_pointer(kPointers[k], k);
        code_.clear(General::rcx);
        code_.align(16);
        loop_ = code_.position();
    }

    void load_pointer(General to, int operand) {
        const bool is_input = operand < chain_.inputs;
        code_.load(to, is_input ? General::rdi : General::rsi, 8 * (is_input ? operand : operand - chain_.inputs));
    }
    General pointer(int operand) {
        if (operand < kPointerCount) return kPointers[operand];
        load_pointer(General::rax, operand);
        return General::rax;
    }

    void end(const void* self, void (*finish)()) {
        code_.add(General::rcx, lanes_);
        code_.compare(General::rcx, General::rdx);
        code_.jump_if_below(loop_);
        code_.land(nothing_);
        code_.zero_upper();
        code_.load(General::rdx, General::rsp, 0);
        const int pointers = std::min(chain_.inputs + int(chain_.outputs.size()), kPointerCount);
        code_.move(General::rsp, General::rbp);
        code_.add(General::rsp, -8 * std::max(pointers - kFreePointers, 0));
        for (int k = pointers; k-- > kFreePointers;) code_.pop(kPointers[k]);
        code_.pop(General::rbp);
        code_.move(General::rax, General::rdx);
        code_.and_bits(General::rax, lanes_ - 1);
        const int64_t whole = code_.jump_if_equal();
        code_.move(General::rcx, reinterpret_cast<uint64_t>(self));
        code_.move(General::rax, reinterpret_cast<uint64_t>(finish));
        code_.jump_to(General::rax);
        code_.land(whole);
        code_.leave();
        code_.patch(frame_, int32_t(-32 * (spills_ + 1)));
    }

    static VectorSource spilled(int place) { return VectorSource::memory(General::rsp, 0, 32 * (place + 1)); }

    // Registers.

    /// A register for what node `at` reads or computes. If none is free, that of the value which is used last is: it is
    /// moved to the frame. The node's own sources are used first, so it is none of these before they have been read.
    int take(int at) {
        int best = 0, furthest = -1;
        for (int r = 0; r < kRegisters; ++r) {
            if (owner_[r] == kNobody) return r;
            const std::vector<int>& uses = place(owner_[r]).uses;
            const auto next = std::find_if(uses.rbegin(), uses.rend(), [at](int use) { return use >= at; });
            const int when = next == uses.rend() ? kNever : *next;
            if (when > furthest) furthest = when, best = r;
        }
        evict(best);
        return best;
    }

    void evict(int r) {
        const int v = owner_[r];
        if (!node(v).is_load() && place(v).spill == kNobody) {
            if (free_spills_.empty()) free_spills_.push_back(spills_++);
            place(v).spill = free_spills_.back();
            free_spills_.pop_back();
            code_.store(kStore, spilled(place(v).spill), Vector{uint8_t(r)});
        }
        place(v).reg = kNobody;
        owner_[r] = kNobody;
    }

    bool is_half(DType t) const { return lanes_ == 4 && !is_bool(t) && item_size(t) == 4; }

    VectorSource memory_of(int v) {
        const ChainNode& n = node(v);
        const int scale = n.what == ChainNode::kLoadConstant ? 0 : item_size(n.dtype());
        return VectorSource::memory(pointer(n.source[0]), uint8_t(scale));
    }

    /// The register of a value, into which it is loaded if it is in none.
    Vector in_register(int v, int at) {
        if (place(v).reg == kNobody) {
            const int r = take(at);
            const Vector to{uint8_t(r)};
            if (!node(v).is_load()) {
                code_.unary(kMove, to, spilled(place(v).spill));
            } else if (is_bool(node(v).dtype())) {
                code_.unary(lanes_ == 4 ? kBytesToQ : kBytesToD, to, memory_of(v));
                code_.vector(lanes_ == 4 ? kGreaterQ : kGreaterD, to, to, zero());
            } else {
                code_.unary(kMove, to, memory_of(v), is_half(node(v).dtype()));
            }
            place(v).reg = r;
            owner_[r] = v;
        }
        return Vector{uint8_t(place(v).reg)};
    }

    /// Whether the instruction can read the value from memory: a load for one use.
    bool stays_in_memory(int v) {
        return node(v).is_load() && !is_bool(node(v).dtype()) && place(v).reg == kNobody && place(v).uses.size() == 1;
    }

    // Constants.

    VectorSource zero() { return VectorSource::pool(code_.constant(0, 8)); }
    VectorSource ones() { return VectorSource::pool(code_.constant(~uint64_t(0), 8)); }
    VectorSource number(DType t, double x) {
        return VectorSource::pool(t == DType::float64 ? code_.constant(std::bit_cast<uint64_t>(x), 8)
                                                      : code_.constant(std::bit_cast<uint32_t>(float(x)), 4));
    }
    VectorSource one(DType t) {
        return is_float(t) ? number(t, 1) : VectorSource::pool(code_.constant(1, item_size(t)));
    }
    VectorSource sign_bit(DType t) {
        const int bytes = item_size(t);
        return VectorSource::pool(code_.constant(uint64_t(1) << (8 * bytes - 1), bytes));
    }
    VectorSource magnitude_bits(DType t) {
        const int bytes = item_size(t);
        return VectorSource::pool(code_.constant((uint64_t(1) << (8 * bytes - 1)) - 1, bytes));
    }

    // Values.

    static Instruction of(Instruction i, DType t) {
        if (t == DType::float64) i.prefix = 1;
        return i;
    }

    /// The instruction of a row that is one of two sources, or null.
    const Instruction* single(const ChainNode& n) const {
        const DType t = DType(n.from);
        const bool wide = is_wide(t);
        switch (n.what) {
            case row::add: return is_bool(t) ? &kOr : is_float(t) ? &kAddPs : wide ? &kAddQ : &kAddD;
            case row::subtract: return is_float(t) ? &kSubPs : wide ? &kSubQ : &kSubD;
            case row::multiply: return is_bool(t) ? &kAnd : is_float(t) ? &kMulPs : wide ? nullptr : &kMulD;
            case row::divide: return &kDivPs;
            case row::bitwise_and: return &kAnd;
            case row::bitwise_or: return &kOr;
            case row::bitwise_xor: return &kXor;
            case row::bitwise_left_shift: return wide ? &kLeftQ : &kLeftD;
            case row::bitwise_right_shift: return t == DType::int32 ? &kSignedRightD : wide ? &kRightQ : &kRightD;
            case row::maximum:
                return is_bool(t) ? &kOr : is_float(t) || wide ? nullptr : is_unsigned(t) ? &kMaxU : &kMaxD;
            case row::minimum:
                return is_bool(t) ? &kAnd : is_float(t) || wide ? nullptr : is_unsigned(t) ? &kMinU : &kMinD;
            case row::logical_and: return is_bool(t) ? &kAnd : nullptr;
            case row::logical_or: return is_bool(t) ? &kOr : nullptr;
            case row::logical_xor:
            case row::not_equal: return is_bool(t) ? &kXor : nullptr;
            default: return nullptr;
        }
    }

    void compute(int at) {
        const ChainNode& n = node(at);
        const int ins = sources(n);
        int values[3];
        for (int k = 0; k < ins; ++k) values[k] = n.source[k];
        const Instruction* const plain = single(n);
        if (plain && rows()[n.what].has(Commutative) && stays_in_memory(values[0]) && !stays_in_memory(values[1]))
            std::swap(values[0], values[1]);
        const bool from_memory = plain && values[0] != values[1] && stays_in_memory(values[1]);
        const int needed = from_memory ? 1 : ins;
        Vector x[3] = {};
        for (int k = 0; k < needed; ++k) x[k] = in_register(values[k], at);
        const VectorSource last = from_memory ? memory_of(values[1]) : VectorSource(x[1]);
        for (int k = 0; k < ins; ++k) forget_use(values[k], at);
        const int r = take(at);
        const Vector to{uint8_t(r)};
        place(at).reg = r;
        owner_[r] = at;
        if (plain)
            code_.vector(of(*plain, DType(n.from)), to, x[0], last, is_half(DType(n.from)));
        else if (n.what == ChainNode::kCast)
            cast(DType(n.from), n.dtype(), to, x[0]);
        else
            compute(n, to, x[0], x[1], x[2]);
        if (place(at).uses.empty()) owner_[r] = place(at).reg = kNobody;
    }

    void copy(Vector to, Vector from) {
        if (to.id != from.id) code_.unary(kMove, to, from);
    }
    /// Where the mask is set y, else x.
    void blend(DType t, Vector to, Vector x, VectorSource y, Vector mask) {
        const bool wide = is_bool(t) ? lanes_ == 4 : is_wide(t);
        code_.vector(wide ? kBlendPd : kBlendPs, to, x, y, uint8_t(mask.id << 4), is_half(t));
    }
    void compare(DType t, uint8_t predicate, Vector to, Vector x, VectorSource y) {
        code_.vector(of(kCmpPs, t), to, x, y, predicate, is_half(t));
    }
    /// Turns a mask of lanes as wide as t into one of bools: as wide as the widest type.
    void finish_mask(DType t, Vector to, Vector mask) {
        if (is_half(t))
            code_.unary(kSignExtendD, to, mask);
        else
            copy(to, mask);
    }
    /// A bool's mask in lanes as wide as t, in `spare` if it must be made.
    Vector mask_for(DType t, Vector mask, Vector spare) {
        if (!is_half(t)) return mask;
        halve(spare, mask);
        return spare;
    }
    /// The lower halves of four lanes of 64 bits, as four of 32; `from` may be `to`.
    void halve(Vector to, Vector from) {
        const Vector upper = to.id == t2.id ? t1 : t2;
        code_.store(kUpper, VectorSource(upper), from, false, 1);
        code_.vector(kShufflePs, to, from, upper, 0x88, true);
    }
    /// x > y of integers, as a mask in `to`; uses t0 and t1.
    void greater(DType t, Vector to, Vector x, Vector y) {
        const Instruction& i = is_wide(t) ? kGreaterQ : kGreaterD;
        if (!is_unsigned(t)) return code_.vector(i, to, x, y, is_half(t));
        code_.vector(kXor, t0, x, sign_bit(t), is_half(t));
        code_.vector(kXor, t1, y, sign_bit(t), is_half(t));
        code_.vector(i, to, t0, t1, is_half(t));
    }

    void compute(const ChainNode& n, Vector to, Vector x, Vector y, Vector z) {
        const DType t = DType(n.from);
        const bool half = is_half(t), wide = is_wide(t);
        switch (n.what) {
            case row::square:
                if (is_float(t)) return code_.vector(of(kMulPs, t), to, x, x, half);
                if (!wide) return code_.vector(kMulD, to, x, x, half);
                return multiply(to, x, x);
            case row::multiply: return multiply(to, x, y);
            case row::negative:
                if (is_float(t)) return code_.vector(kXor, to, x, sign_bit(t), half);
                code_.vector(kXor, t0, t0, t0);
                return code_.vector(wide ? kSubQ : kSubD, to, t0, x, half);
            case row::abs:
            case row::fabs:
                if (is_float(t)) return code_.vector(kAnd, to, x, magnitude_bits(t), half);
                if (is_unsigned(t)) return copy(to, x);
                if (!wide) return code_.unary(kAbsD, to, x, half);
                code_.vector(kXor, t0, t0, t0);
                code_.vector(kGreaterQ, t1, t0, x);
                code_.vector(kXor, t0, x, t1);
                return code_.vector(kSubQ, to, t0, t1);
            case row::sign:
                compare(t, kEq, t0, x, zero());
                code_.vector(kAndNot, t1, t0, x, half);
                compare(t, kLess, t0, x, zero());
                blend(t, t1, t1, number(t, -1), t0);
                compare(t, kGreater, t0, x, zero());
                return blend(t, to, t1, number(t, 1), t0);
            case row::reciprocal:
                code_.unary(kMove, t0, number(t, 1));
                return code_.vector(of(kDivPs, t), to, t0, x, half);
            case row::sqrt: return code_.unary(of(kSqrtPs, t), to, x, half);
            case row::rsqrt:
                code_.unary(of(kSqrtPs, t), t1, x, half);
                code_.unary(kMove, t0, number(t, 1));
                return code_.vector(of(kDivPs, t), to, t0, t1, half);
            case row::degrees:
                return code_.vector(of(kMulPs, t), to, x, number(t, 57.295779513082320876798154814105), half);
            case row::radians:
                return code_.vector(of(kMulPs, t), to, x, number(t, 0.017453292519943295769236907684886), half);
            case row::rint:
            case row::round: return round(t, to, x, kNearest);
            case row::floor: return round(t, to, x, kDown);
            case row::ceil: return round(t, to, x, kUp);
            case row::trunc: return round(t, to, x, kTowardsZero);
            case row::copysign:
                code_.vector(kAnd, t0, x, magnitude_bits(t), half);
                code_.vector(kAnd, t1, y, sign_bit(t), half);
                return code_.vector(kOr, to, t0, t1, half);
            case row::signbit:
                code_.vector(kXor, t0, t0, t0);
                code_.vector(wide ? kGreaterQ : kGreaterD, t0, t0, x, half);
                return finish_mask(t, to, t0);
            case row::maximum:
            case row::minimum:
                if (!is_float(t)) {
                    const bool is_max = n.what == row::maximum;
                    greater(t, t0, x, y);
                    return blend(t, to, is_max ? y : x, is_max ? x : y, t0);
                }
                code_.vector(of(n.what == row::maximum ? kMaxPs : kMinPs, t), t0, x, y, half);
                compare(t, kUnordered, t1, x, x);
                return blend(t, to, t0, x, t1);
            case row::fmax:
            case row::fmin:
                compare(t, n.what == row::fmax ? kGreaterEqual : kLessEqual, t0, x, y);
                compare(t, kUnordered, t1, y, y);
                code_.vector(kOr, t0, t0, t1, half);
                return blend(t, to, y, x, t0);
            case row::clip:
                compare(t, kGreater, t0, x, y);
                compare(t, kUnordered, t1, x, x);
                code_.vector(kOr, t0, t0, t1, half);
                blend(t, t2, y, x, t0);
                compare(t, kLess, t0, t2, z);
                compare(t, kUnordered, t1, t2, t2);
                code_.vector(kOr, t0, t0, t1, half);
                return blend(t, to, z, t2, t0);
            case row::where: return blend(t, to, z, y, mask_for(t, x, t0));
            case row::isnan: compare(t, kUnordered, t0, x, x); return finish_mask(t, to, t0);
            case row::isinf:
            case row::isfinite:
                code_.vector(kAnd, t0, x, magnitude_bits(t), half);
                compare(t, n.what == row::isinf ? kEq : kLess, t0, t0,
                        number(t, std::numeric_limits<double>::infinity()));
                return finish_mask(t, to, t0);
            case row::logical_not:
                if (is_bool(t)) return code_.vector(kXor, to, x, ones());
                compare(t, kEq, t0, x, zero());
                return finish_mask(t, to, t0);
            case row::logical_and:
            case row::logical_or:
            case row::logical_xor:
                compare(t, kNotEqual, t0, x, zero());
                compare(t, kNotEqual, t1, y, zero());
                code_.vector(n.what == row::logical_and  ? kAnd
                             : n.what == row::logical_or ? kOr
                                                         : kXor,
                             t0, t0, t1, half);
                return finish_mask(t, to, t0);
            case row::bitwise_invert: return code_.vector(kXor, to, x, ones(), half);
            default: return comparison(n.what, t, to, x, y);
        }
    }

    void round(DType t, Vector to, Vector x, uint8_t mode) {
        code_.unary(t == DType::float64 ? kRoundPd : kRoundPs, to, x, mode, is_half(t));
    }

    /// The lower 64 bits of a product: low * low + ((high * low + low * high) << 32).
    void multiply(Vector to, Vector x, Vector y) {
        code_.shift(kShiftImmediateQ, kRightExtension, t0, x, 32, false);
        code_.vector(kMulWide, t0, t0, y);
        code_.shift(kShiftImmediateQ, kRightExtension, t1, y, 32, false);
        code_.vector(kMulWide, t1, t1, x);
        code_.vector(kAddQ, t0, t0, t1);
        code_.shift(kShiftImmediateQ, kLeftExtension, t0, t0, 32, false);
        code_.vector(kMulWide, t1, x, y);
        code_.vector(kAddQ, to, t0, t1);
    }

    /// Raises for a row that can_emit() lets through by mistake: no code is made then.
    static uint8_t predicate_of(uint16_t what) {
        switch (what) {
            case row::equal: return kEq;
            case row::not_equal: return kNotEqual;
            case row::less: return kLess;
            case row::less_equal: return kLessEqual;
            case row::greater: return kGreater;
            case row::greater_equal: return kGreaterEqual;
            default: raise(ErrorKind::Runtime, "cpu: there are no instructions for ", rows()[what].name);
        }
    }

    void comparison(uint16_t what, DType t, Vector to, Vector x, Vector y) {
        if (is_float(t)) {
            compare(t, predicate_of(what), t0, x, y);
            return finish_mask(t, to, t0);
        }
        predicate_of(what);
        const bool half = is_half(t);
        bool inverted = false;
        if (is_bool(t)) {
            code_.vector(kXor, t0, x, y);
            inverted = true;  // equal: the only comparison of bools that is not one instruction
        } else if (what == row::equal || what == row::not_equal) {
            code_.vector(is_wide(t) ? kEqualQ : kEqualD, t0, x, y, half);
            inverted = what == row::not_equal;
        } else {
            const bool is_less = what == row::less || what == row::greater_equal;
            greater(t, t0, is_less ? y : x, is_less ? x : y);
            inverted = what == row::less_equal || what == row::greater_equal;
        }
        if (inverted) code_.vector(kXor, t0, t0, ones(), half);
        finish_mask(t, to, t0);
    }

    void cast(DType from, DType to_type, Vector to, Vector x) {
        if (is_bool(to_type)) {
            if (is_float(from)) {
                compare(from, kNotEqual, t0, x, zero());
            } else {
                code_.vector(is_wide(from) ? kEqualQ : kEqualD, t0, x, zero(), is_half(from));
                code_.vector(kXor, t0, t0, ones(), is_half(from));
            }
            return finish_mask(from, to, t0);
        }
        if (is_bool(from)) return code_.vector(kAnd, to, mask_for(to_type, x, t0), one(to_type), is_half(to_type));
        const bool widens = !is_wide(from) && is_wide(to_type), narrows = is_wide(from) && !is_wide(to_type);
        if (is_float(from)) return code_.unary(widens ? kWidenPs : kNarrowPd, to, x);
        if (is_float(to_type)) return code_.unary(widens ? kDoubleD : kFloatD, to, x, is_half(to_type));
        if (widens) return code_.unary(is_unsigned(from) ? kZeroExtendD : kSignExtendD, to, x);
        if (narrows) {
            halve(t0, x);
            return copy(to, t0);
        }
        copy(to, x);
    }

    void put(int output, int v) {
        const Vector x = in_register(v, count());
        const DType t = node(v).dtype();
        const auto target = [&](int scale) {
            return VectorSource::memory(pointer(chain_.inputs + output), uint8_t(scale));
        };
        if (!is_bool(t)) return code_.store(kStore, target(item_size(t)), x, is_half(t));
        if (lanes_ == 4) {
            halve(t0, x);
            code_.vector(kPackD, t0, t0, t0, true);
        } else {
            code_.store(kUpper, VectorSource(t0), x, false, 1);
            code_.vector(kPackD, t0, x, t0, true);
        }
        code_.vector(kPackW, t0, t0, t0, true);
        code_.vector(kAnd, t0, t0, VectorSource::pool(code_.constant(0x01010101, 4)), true);
        code_.store(lanes_ == 4 ? kStoreD : kStoreQ, target(1), t0, true);
    }

    const Chain& chain_;
    const int lanes_;
    Assembler code_;
    std::vector<Place> places_;
    int owner_[kRegisters];
    std::vector<int> free_spills_;
    int spills_ = 0;
    int64_t frame_ = 0, nothing_ = 0, loop_ = 0;
};

}  // namespace

std::vector<uint8_t> lower(const Chain& chain, const void* self, void (*finish)()) {
    return Lowering(chain).run(self, finish);
}

}  // namespace cuarray::host::emit
