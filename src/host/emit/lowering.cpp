// lowering.cpp -- lowers a chain to instructions: some vectors of elements at a time, registers by furthest next
// use. What differs between instruction sets has one name in avx2.h and avx512.h. Which rows have instructions stands
// in emittable.cpp.
#include "host/emit/lowering.h"

#include <algorithm>
#include <bit>
#include <limits>
#include <utility>

#include "host/emit/instruction_sets.h"

namespace cuarray::host::emit {
namespace {

bool has_wide(const Chain& chain) {
    return std::any_of(chain.nodes.begin(), chain.nodes.end(),
                       [](const ChainNode& n) { return is_wide(n.dtype()) || is_wide(DType(n.from)); });
}

int source_count(const ChainNode& n) { return n.is_load() ? 0 : n.what == ChainNode::kCast ? 1 : rows()[n.what].nin; }

/// The computed values that are needed at one place of the chain, on average.
double values_alive(const Chain& chain) {
    constexpr int kNever = -1;
    const int count = int(chain.nodes.size());
    std::vector<int> last(size_t(count), kNever), ends(size_t(count) + 1, 0);
    for (int at = 0; at < count; ++at) {
        const ChainNode& n = chain.nodes[size_t(at)];
        for (int k = 0; k < source_count(n); ++k) last[n.source[k]] = at;
    }
    for (const uint16_t v : chain.outputs) last[v] = count;
    int alive = 0, places = 0;
    int64_t sum = 0;
    for (int at = 0; at < count; ++at) {
        if (chain.nodes[size_t(at)].is_load() || last[size_t(at)] == kNever) continue;
        sum += ++alive, ++places;
        ++ends[size_t(last[size_t(at)])];
        alive -= std::exchange(ends[size_t(at)], 0);
    }
    return double(sum) / std::max(places, 1);
}

/// The vectors that a pass of the loop computes side by side. An operation waits for its operands longer than it takes
/// to start: short chains overlap with the next pass, of a long one a processor sees too little. Values without a
/// register cost less than waiting, if they are not too many.
template <class Set> int vectors_in_pass(const Chain& chain) {
    if (chain.operation_count() < Set::kInterleavedFrom) return 1;
    const double alive = values_alive(chain), registers = Set::kNumbers.end - Set::kNumbers.first;
    if (Set::kMostVectors >= 4 && 4 * alive <= registers) return 4;
    return 2 * alive <= 1.4 * registers ? 2 : 1;
}

template <class Set> class Lowering {
 public:
    Lowering(const Chain& chain, bool lists)
        : chain_(chain),
          vectors_(vectors_in_pass<Set>(chain)),
          lanes_(vectors_ * (Set::kBytes / (has_wide(chain) ? 8 : 4))),
          has_table_(chain.constants > 0),
          code_(lists),
          set_(code_, has_wide(chain)) {
        std::fill(std::begin(owner_), std::end(owner_), kNobody);
        add_values();
    }

    Code run(const void* self, void (*finish)(), std::string* listing) {
        find_uses();
        begin();
        for (int at = 0; at < count(); ++at)
            if (!node(at).is_load()) compute(at);
        for (int k = 0; k < int(outputs_.size()); ++k) put(k / vectors_, outputs_[size_t(k)]);
        end(self, finish);
        Code code{code_.finish(), lanes_};
        if (listing) *listing = code_.listing().text();
        return code;
    }

 private:
    static constexpr int kOwners = std::max(Set::kNumbers.end, Set::kBools.end), kNobody = -1, kNever = 1 << 30;
    static constexpr Vector t0 = Set::t0, t1 = Set::t1, t2 = Set::t2, m0 = Set::m0, m1 = Set::m1;
    static constexpr General kPointers[] = {General::r8,  General::r9,  General::r10, General::r11, General::rbx,
                                            General::r12, General::r13, General::r14, General::r15};
    static constexpr int kPointerCount = 9, kFreePointers = 4;  // the others belong to the caller

    struct Place {
        int reg = kNobody, spill = kNobody;
        std::vector<int> uses;  ///< positions of the nodes that read the value, descending: the next one is the last
    };

    /// A node of the chain for one of the vectors of a pass.
    struct Value {
        ChainNode node;  ///< whose sources are values
        int vector;
    };

    /// The nodes for each vector, side by side; constants are the same in all.
    void add_values() {
        std::vector<int> value_of[Set::kMostVectors];
        for (const ChainNode& n : chain_.nodes)
            for (int vector = 0; vector < vectors_; ++vector) {
                const bool is_known = vector && n.what == ChainNode::kLoadConstant;
                value_of[vector].push_back(is_known ? value_of[0].back() : count());
                if (is_known) continue;
                Value value{n, vector};
                for (int k = 0; k < source_count(n); ++k)
                    value.node.source[k] = uint16_t(value_of[vector][n.source[k]]);
                values_.push_back(value);
            }
        for (const uint16_t v : chain_.outputs)
            for (int vector = 0; vector < vectors_; ++vector) outputs_.push_back(value_of[vector][v]);
        places_.resize(values_.size());
    }

    int count() const { return int(values_.size()); }
    const ChainNode& node(int v) const { return values_[size_t(v)].node; }
    int vector_of(int v) const { return values_[size_t(v)].vector; }
    Place& place(int v) { return places_[size_t(v)]; }

    void find_uses() {
        for (const int v : outputs_) place(v).uses.push_back(count());
        for (int at = count(); at-- > 0;)
            for (int k = 0; k < source_count(node(at)); ++k) place(node(at).source[k]).uses.push_back(at);
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
        const int pointers = pointer_count();
        code_.push(General::rbp);
        code_.move(General::rbp, General::rsp);
        for (int k = kFreePointers; k < pointers; ++k) code_.push(kPointers[k]);
        code_.add(General::rsp, 0);
        frame_ = code_.position() - 4;
        code_.and_bits(General::rsp, -Set::kBytes);
        code_.store(General::rsp, 0, General::rdx);
        code_.and_bits(General::rdx, -lanes_);
        if constexpr (!Set::kHasMaskedTail) nothing_ = code_.jump_if_equal();
        if (has_table_) code_.load(kPointers[0], General::rdi, 8 * chain_.inputs);
        for (int k = has_table_; k < pointers; ++k) load_pointer(kPointers[k], k - has_table_);
        code_.clear(General::rcx);
        if constexpr (Set::kHasMaskedTail) {
            for (int vector = 0; vector < vectors_; ++vector) set_tail(vector);
            code_.compare(General::rcx, General::rdx);
            nothing_ = code_.jump_if_equal();
        }
        code_.align(16);
        loop_ = code_.position();
        if (Set::kPrefetchBytes) prefetch_inputs();
    }

    void prefetch_inputs() {
        for (int v = 0; v < count(); ++v)
            if (const ChainNode& n = node(v); n.what == ChainNode::kLoad && n.source[0] + has_table_ < kPointerCount)
                code_.prefetch(elements(pointer(n.source[0]), v, Set::kPrefetchBytes));
    }

    void load_pointer(General to, int operand) {
        const bool is_input = operand < chain_.inputs;
        code_.load(to, is_input ? General::rdi : General::rsi, 8 * (is_input ? operand : operand - chain_.inputs));
    }
    /// The elements of value v's type and vector behind a pointer.
    VectorSource elements(General base, int v, int distance = 0) const {
        const int item = is_bool(node(v).dtype()) ? 1 : item_size(node(v).dtype());
        return VectorSource::memory(base, uint8_t(item), vector_of(v) * (lanes_ / vectors_) * item + distance);
    }
    /// The registers that hold a pointer during the loop: to the table of constants, to inputs, to outputs.
    int pointer_count() const { return std::min(chain_.input_count() + int(chain_.outputs.size()), kPointerCount); }
    General pointer(int operand) {
        if (operand + has_table_ < kPointerCount) return kPointers[operand + has_table_];
        load_pointer(General::rax, operand);
        return General::rax;
    }

    void end(const void* self, void (*finish)()) {
        code_.add(General::rcx, lanes_);
        code_.compare(General::rcx, General::rdx);
        code_.jump_if_below(loop_);
        if constexpr (!Set::kHasMaskedTail) run_last_pass();
        code_.land(nothing_);
        if constexpr (Set::kHasMaskedTail) run_masked_tail();
        code_.zero_upper();
        code_.load(General::rdx, General::rsp, 0);
        const int pointers = pointer_count();
        code_.move(General::rsp, General::rbp);
        code_.add(General::rsp, -8 * std::max(pointers - kFreePointers, 0));
        for (int k = pointers; k-- > kFreePointers;) code_.pop(kPointers[k]);
        code_.pop(General::rbp);
        if constexpr (!Set::kHasMaskedTail) finish_tail(self, finish);
        code_.leave();
        code_.patch(frame_, int32_t(-Set::kBytes * (spills_ + 1)));
    }

    /// Runs the loop's body once more if elements are left, for as many as a pass takes, the last ones: some are
    /// computed again. Not where an output has taken an input's place. finish() is left nothing then.
    void run_last_pass() {
        const int outputs = int(chain_.outputs.size());
        if (chain_.input_count() + outputs > kPointerCount) return;
        code_.load(General::rdx, General::rsp, 0);
        code_.compare(General::rcx, General::rdx);
        const int64_t whole = code_.jump_if_equal();
        std::vector<int64_t> in_place;
        for (int out = chain_.inputs; out < chain_.inputs + outputs; ++out)
            for (int in = 0; in < chain_.inputs; ++in) {
                code_.compare(pointer(out), pointer(in));
                in_place.push_back(code_.jump_if_equal());
            }
        code_.move(General::rcx, General::rdx);
        code_.add(General::rcx, -lanes_);
        code_.jump(loop_);
        code_.land(whole);
        code_.clear(General::rax);
        code_.store(General::rsp, 0, General::rax);
        for (const int64_t jump : in_place) code_.land(jump);
    }

    /// Leaves the function by a jump to finish() if elements are left.
    void finish_tail(const void* self, void (*finish)()) {
        code_.move(General::rax, General::rdx);
        code_.and_bits(General::rax, lanes_ - 1);
        const int64_t whole = code_.jump_if_equal();
        code_.move(General::rcx, reinterpret_cast<uint64_t>(self));
        code_.move(General::rax, reinterpret_cast<uint64_t>(finish));
        code_.jump_to(General::rax);
        code_.land(whole);
    }

    /// Runs the loop's body once more if elements are left. Their number, below lanes_, then stands where the loop
    /// looks for the elements of whole vectors, and ends it.
    void run_masked_tail() {
        code_.load(General::rdx, General::rsp, 0);
        code_.subtract(General::rdx, General::rcx);
        const int64_t none = code_.jump_if_not_above();
        for (int vector = 0; vector < vectors_; ++vector) set_tail(vector, General::rdx);
        code_.jump(loop_);
        code_.land(none);
    }
    /// Sets the mask of a vector's elements: all, or those among the first `count` of the pass.
    void set_tail(int vector, General count = General::rax) {
        const int lanes = lanes_ / vectors_, before = vector * lanes;
        code_.move(General::rax, (uint64_t(1) << (before + lanes)) - 1);
        if (count != General::rax) code_.keep_low_bits(General::rax, count);
        if (before) code_.shift_right(General::rax, uint8_t(before));
        code_.move_to_mask(Set::tail_of(vector), General::rax);
    }

    static VectorSource spilled(int place) { return VectorSource::memory(General::rsp, 0, Set::kBytes * (place + 1)); }

    // Registers.

    /// A register for what node `at` reads or computes. If none is free, that of the value which is used last is: it is
    /// moved to the frame. The node's own sources are used first, so it is none of these before they have been read.
    int take(DType t, int at) {
        const Registers all = is_bool(t) ? Set::kBools : Set::kNumbers;
        int best = all.first, furthest = -1;
        for (int r = all.first; r < all.end; ++r) {
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
            set_.save(node(v).dtype(), spilled(place(v).spill), Vector{uint8_t(r)});
        }
        place(v).reg = kNobody;
        owner_[r] = kNobody;
    }

    VectorSource memory_of(int v) {
        const ChainNode& n = node(v);
        if (n.what == ChainNode::kLoadConstant)
            return VectorSource::memory(kPointers[0], 0, n.source[0] * Set::kConstantBytes);
        return n.is_load() ? elements(pointer(n.source[0]), v) : spilled(place(v).spill);
    }

    /// The register of a value, into which it is loaded if it is in none.
    Vector in_register(int v, int at) {
        if (place(v).reg == kNobody) {
            const DType t = node(v).dtype();
            const int r = take(t, at);
            const Vector to{uint8_t(r)};
            set_.select_vector(vector_of(v));
            if (!node(v).is_load())
                set_.restore(t, to, memory_of(v));
            else if (is_bool(t))
                set_.load_bool(to, memory_of(v));
            else
                set_.load(t, to, memory_of(v));
            place(v).reg = r;
            owner_[r] = v;
        }
        return Vector{uint8_t(place(v).reg)};
    }

    /// Whether the instruction reads the value from memory: if no register holds it, and no later one needs it there.
    bool stays_in_memory(int v) {
        if (is_bool(node(v).dtype()) || place(v).reg != kNobody) return false;
        return node(v).what == ChainNode::kLoadConstant || place(v).uses.size() == 1;
    }

    // Constants.

    VectorSource zero() { return VectorSource::pool(code_.constant(0, 8)); }
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

    /// The instruction of a row of numbers that is one of two sources, or null.
    static const Instruction* single(const ChainNode& n) {
        const DType t = DType(n.from);
        if (is_bool(t)) return nullptr;
        const bool wide = is_wide(t);
        switch (n.what) {
            case row::add: return is_float(t) ? &kAddPs : wide ? &kAddQ : &kAddD;
            case row::subtract: return is_float(t) ? &kSubPs : wide ? &kSubQ : &kSubD;
            case row::multiply: return is_float(t) ? &kMulPs : wide ? nullptr : &kMulD;
            case row::divide: return &kDivPs;
            case row::bitwise_and: return &kAnd;
            case row::bitwise_or: return &kOr;
            case row::bitwise_xor: return &kXor;
            case row::bitwise_left_shift: return wide ? &kLeftQ : &kLeftD;
            case row::bitwise_right_shift: return !is_unsigned(t) ? &kSignedRightD : wide ? &kRightQ : &kRightD;
            case row::maximum: return is_float(t) || wide ? nullptr : is_unsigned(t) ? &kMaxU : &kMaxD;
            case row::minimum: return is_float(t) || wide ? nullptr : is_unsigned(t) ? &kMinU : &kMinD;
            default: return nullptr;
        }
    }

    void compute(int at) {
        const ChainNode& n = node(at);
        const int ins = source_count(n);
        int values[3];
        for (int k = 0; k < ins; ++k) values[k] = n.source[k];
        const Instruction* const plain = single(n);
        if (plain && rows()[n.what].has(Commutative) && stays_in_memory(values[0]) && !stays_in_memory(values[1]))
            std::swap(values[0], values[1]);
        const bool from_memory = plain && values[0] != values[1] && stays_in_memory(values[1]);
        const int needed = from_memory ? 1 : ins;
        Vector x[3] = {};
        for (int k = 0; k < needed; ++k) x[k] = in_register(values[k], at);
        set_.select_vector(vector_of(at));
        const VectorSource last = from_memory ? memory_of(values[1]) : VectorSource(x[1]);
        for (int k = 0; k < needed; ++k) forget_use(values[k], at);
        const DType t = DType(n.from);
        const int r = take(n.dtype(), at);
        const Vector to{uint8_t(r)};
        place(at).reg = r;
        owner_[r] = at;
        if (plain)
            set_.apply(*plain, t, to, x[0], last);
        else if (n.what == ChainNode::kCast)
            cast(t, n.dtype(), to, x[0]);
        else if (is_bool(t) && n.what != row::where)
            logical(n.what, to, x[0], x[1]);
        else
            compute(n, to, x[0], x[1], x[2]);
        if (from_memory) forget_use(values[1], at);  // not before: take() may save to the place that it frees
        if (place(at).uses.empty()) owner_[r] = place(at).reg = kNobody;
    }

    void logical(uint16_t what, Vector to, Vector x, Vector y) {
        switch (what) {
            case row::add:
            case row::maximum:
            case row::bitwise_or:
            case row::logical_or: return set_.logical_or(to, x, y);
            case row::multiply:
            case row::minimum:
            case row::bitwise_and:
            case row::logical_and: return set_.logical_and(to, x, y);
            case row::equal: set_.logical_xor(to, x, y); return set_.logical_not(to, to);
            case row::not_equal:
            case row::bitwise_xor:
            case row::logical_xor: return set_.logical_xor(to, x, y);
            case row::bitwise_invert:
            case row::logical_not: return set_.logical_not(to, x);
            default: raise_for(what);
        }
    }

    void compute(const ChainNode& n, Vector to, Vector x, Vector y, Vector z) {
        const DType t = DType(n.from);
        const bool wide = is_wide(t);
        switch (n.what) {
            case row::square:
                if (wide && !is_float(t)) return set_.multiply_wide(to, x, x);
                return set_.apply(is_float(t) ? kMulPs : kMulD, t, to, x, x);
            case row::multiply: return set_.multiply_wide(to, x, y);
            case row::negative:
                if (is_float(t)) return set_.apply(kXor, t, to, x, sign_bit(t));
                set_.apply(kXor, t, t0, t0, t0);
                return set_.apply(wide ? kSubQ : kSubD, t, to, t0, x);
            case row::abs:
            case row::fabs:
                if (is_float(t)) return set_.apply(kAnd, t, to, x, magnitude_bits(t));
                if (is_unsigned(t)) return set_.copy(to, x);
                return wide ? set_.absolute_wide(to, x) : set_.apply(kAbsD, t, to, x);
            case row::sign:
                set_.compare(t, kEq, m0, x, zero());
                set_.blend(t, t1, x, zero(), m0);
                set_.compare(t, kLess, m0, x, zero());
                set_.blend(t, t1, t1, number(t, -1), m0);
                set_.compare(t, kGreater, m0, x, zero());
                return set_.blend(t, to, t1, number(t, 1), m0);
            case row::reciprocal: set_.load(t, t0, number(t, 1)); return set_.apply(kDivPs, t, to, t0, x);
            case row::sqrt: return set_.apply(kSqrtPs, t, to, x);
            case row::rsqrt:
                set_.apply(kSqrtPs, t, t1, x);
                set_.load(t, t0, number(t, 1));
                return set_.apply(kDivPs, t, to, t0, t1);
            case row::degrees: return set_.apply(kMulPs, t, to, x, number(t, 57.295779513082320876798154814105));
            case row::radians: return set_.apply(kMulPs, t, to, x, number(t, 0.017453292519943295769236907684886));
            case row::rint:
            case row::round: return set_.round(t, to, x, kNearest);
            case row::floor: return set_.round(t, to, x, kDown);
            case row::ceil: return set_.round(t, to, x, kUp);
            case row::trunc: return set_.round(t, to, x, kTowardsZero);
            case row::copysign:
                set_.apply(kAnd, t, t0, x, magnitude_bits(t));
                set_.apply(kAnd, t, t1, y, sign_bit(t));
                return set_.apply(kOr, t, to, t0, t1);
            case row::signbit: set_.compare_signs(t, to, x); return set_.widen_comparison(t, to);
            case row::maximum:
            case row::minimum:
                if (!is_float(t)) return set_.extreme_wide(t, n.what == row::maximum, to, x, y);
                set_.apply(n.what == row::maximum ? kMaxPs : kMinPs, t, t0, x, y);
                set_.compare(t, kUnordered, m1, x, x);
                return set_.blend(t, to, t0, x, m1);
            case row::fmax:
            case row::fmin:
                set_.compare(t, n.what == row::fmax ? kGreaterEqual : kLessEqual, m0, x, y);
                set_.compare(t, kUnordered, m1, y, y);
                set_.logical_or(m0, m0, m1);
                return set_.blend(t, to, y, x, m0);
            case row::clip:
                set_.compare(t, kGreater, m0, x, y);
                set_.compare(t, kUnordered, m1, x, x);
                set_.logical_or(m0, m0, m1);
                set_.blend(t, t2, y, x, m0);
                set_.compare(t, kLess, m0, t2, z);
                set_.compare(t, kUnordered, m1, t2, t2);
                set_.logical_or(m0, m0, m1);
                return set_.blend(t, to, z, t2, m0);
            case row::where: return set_.blend(t, to, z, y, set_.narrow_bool(t, x, t0));
            case row::isnan: set_.compare(t, kUnordered, to, x, x); return set_.widen_comparison(t, to);
            case row::isinf:
            case row::isfinite:
                set_.apply(kAnd, t, t0, x, magnitude_bits(t));
                set_.compare(t, n.what == row::isinf ? kEq : kLess, to, t0,
                             number(t, std::numeric_limits<double>::infinity()));
                return set_.widen_comparison(t, to);
            case row::logical_not: set_.compare(t, kEq, to, x, zero()); return set_.widen_comparison(t, to);
            case row::logical_and:
            case row::logical_or:
            case row::logical_xor:
                set_.compare(t, kNotEqual, m0, x, zero());
                set_.compare(t, kNotEqual, m1, y, zero());
                logical(n.what, to, m0, m1);
                return set_.widen_comparison(t, to);
            case row::bitwise_invert:
                return set_.apply(kXor, t, to, x, VectorSource::pool(code_.constant(~uint64_t(0), 8)));
            default: set_.compare(t, predicate_of(n.what), to, x, y); return set_.widen_comparison(t, to);
        }
    }

    [[noreturn]] static void raise_for(uint16_t what) {
        raise(ErrorKind::Runtime, "cpu: there are no instructions for ", rows()[what].name);
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
            default: raise_for(what);
        }
    }

    void cast(DType from, DType to_type, Vector to, Vector x) {
        if (is_bool(from)) return set_.keep(to_type, to, one(to_type), set_.narrow_bool(to_type, x, t0));
        if (!is_bool(to_type)) return set_.cast(from, to_type, to, x);
        set_.compare(from, kNotEqual, to, x, zero());
        set_.widen_comparison(from, to);
    }

    void put(int output, int v) {
        const Vector x = in_register(v, count());
        set_.select_vector(vector_of(v));
        const DType t = node(v).dtype();
        const VectorSource target = elements(pointer(chain_.inputs + output), v);
        if (is_bool(t))
            set_.store_bool(target, x);
        else
            set_.store(t, target, x);
    }

    const Chain& chain_;
    const int vectors_, lanes_;  ///< of a pass of the loop
    const bool has_table_;
    Assembler code_;
    Set set_;
    std::vector<Value> values_;
    std::vector<int> outputs_;  ///< values: by output, then by vector
    std::vector<Place> places_;
    int owner_[kOwners];
    std::vector<int> free_spills_;
    int spills_ = 0;
    int64_t frame_ = 0, nothing_ = 0, loop_ = 0;
};

}  // namespace

Code lower(const Chain& chain, const void* self, void (*finish)(), std::string* listing) {
    return with_set(
        [&](auto set) { return Lowering<SetOf<decltype(set)>>(chain, listing).run(self, finish, listing); });
}

}  // namespace cuarray::host::emit
