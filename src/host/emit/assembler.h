// assembler.h -- encodes the x86-64 instructions that emitted loops use: AVX2 in VEX form, AVX-512 in EVEX form, and a
// few of general registers.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>
#include "host/emit/listing.h"

namespace cuarray::host::emit {

/// A vector register: 0 ... 15 in VEX form, 0 ... 31 in EVEX form; or kFirstMask + n, the mask register kn.
struct Vector {
    uint8_t id;
};
constexpr uint8_t kFirstMask = 32;

/// A general register in the processor's numbering.
enum class General : uint8_t { rax, rcx, rdx, rbx, rsp, rbp, rsi, rdi, r8, r9, r10, r11, r12, r13, r14, r15 };

/// The second source of an instruction: a register, or memory.
struct VectorSource {
    enum class Kind : uint8_t {
        Register,
        Memory,  ///< [base + rcx * scale + offset], without rcx if scale is 0
        Pool     ///< constant number `offset` of the pool behind the code
    };
    Kind kind;
    uint8_t id = 0;  ///< the register, or base
    uint8_t scale = 0;
    bool is_broadcast = false;  ///< one element for all lanes, {1toN}: EVEX form
    int32_t offset = 0;

    VectorSource(Vector x) : kind(Kind::Register), id(x.id) {}
    static VectorSource memory(General base, uint8_t scale, int32_t offset = 0) {
        return VectorSource(Kind::Memory, uint8_t(base), scale, offset);
    }
    static VectorSource pool(int number) { return VectorSource(Kind::Pool, 0, 0, number); }
    VectorSource broadcast() const {
        VectorSource all = *this;
        all.is_broadcast = true;
        return all;
    }

 private:
    VectorSource(Kind k, uint8_t i, uint8_t s, int32_t o) : kind(k), id(i), scale(s), offset(o) {}
};

/// One instruction: the implied prefix (0, 1 = 66, 2 = F3, 3 = F2), the opcode map (1 = 0F, 2 = 0F38, 3 = 0F3A), the
/// opcode and W; as in the manuals' "EVEX.512.66.0F38.W0 40 /r".
struct Instruction {
    /// The bytes of a memory operand that is not broadcast: EVEX form counts short offsets in them. HalfVector says as
    /// well that such a register is half as long as the form.
    enum class MemoryExtent : uint8_t { Vector, HalfVector, Element };

    const char* name;
    uint8_t prefix, map, opcode;
    bool wide = false;
    MemoryExtent memory = MemoryExtent::Vector;
    bool halves = false;              ///< the result is half as long as the form
    bool compares = false;            ///< the immediate is a predicate
    bool blends = false;              ///< the immediate is a register
    const char* evex_name = nullptr;  ///< if EVEX form has another one
    bool is_widened = false;          ///< by of(): the name is that of the wider elements
};

/// The form of an instruction.
struct Form {
    enum VectorLength : uint8_t { Xmm, Ymm, Zmm };
    VectorLength length;
    bool is_evex = false;
    uint8_t mask = 0;     ///< the number of the mask register that selects lanes; 0: all lanes
    bool zeroes = false;  ///< the other lanes become zero, and do not stay as they are
};
constexpr Form kXmm{Form::Xmm}, kYmm{Form::Ymm};  // VEX

/// Writes instructions one behind the other. A constant of the pool is 32 bytes of equal lanes.
class Assembler {
 public:
    static constexpr int64_t kPoolItem = 32;

    /// With `lists`, keeps the instructions as text, too.
    explicit Assembler(bool lists = false) {
        if (lists) listing_.emplace();
    }
    /// After finish().
    const Listing& listing() const { return *listing_; }

    /// name to, from1, from2
    void vector(const Instruction& i, Vector to, Vector from1, VectorSource from2, Form form);
    /// name to, from: instructions of one source.
    void unary(const Instruction& i, Vector to, VectorSource from, Form form);
    /// name to, from1, from2, immediate
    void vector(const Instruction& i, Vector to, Vector from1, VectorSource from2, uint8_t immediate, Form form);
    /// name to, from, immediate
    void unary(const Instruction& i, Vector to, VectorSource from, uint8_t immediate, Form form);
    /// name target, from: stores; `from` is the instruction's register operand.
    void store(const Instruction& i, VectorSource target, Vector from, Form form);
    /// The same with an immediate.
    void store(const Instruction& i, VectorSource target, Vector from, Form form, uint8_t immediate);
    /// Shifts by a number: the opcode's extension stands where the register operand does.
    void shift(const Instruction& i, int extension, Vector to, Vector from, uint8_t bits, Form form);
    /// kmovw mask, from: the lower 16 bits of a general register.
    void move_to_mask(Vector mask, General from);
    /// prefetcht0: a cache line to L1.
    void prefetch(VectorSource place);
    /// vzeroupper
    void zero_upper();

    void push(General x);
    void pop(General x);
    void move(General to, General from);
    void move(General to, uint64_t number);
    void load(General to, General base, int32_t offset);
    void store(General base, int32_t offset, General from);
    void clear(General x);                         ///< xor x, x
    void and_bits(General x, int32_t mask);        ///< and x, mask
    void add(General x, int32_t number);           ///< add x, number
    void subtract(General x, General y);           ///< sub x, y
    void compare(General x, General y);            ///< cmp x, y
    void keep_low_bits(General x, General count);  ///< bzhi x, x, count
    void shift_right(General x, uint8_t bits);     ///< shr x, bits
    void jump_to(General target);                  ///< jmp target
    void leave();                                  ///< ret
    void align(int64_t bytes);                     ///< by no-operations
    int64_t position() const { return int64_t(code_.size()); }
    void jump(int64_t target);                  ///< to a position that is known
    void jump_if_below(int64_t target);         ///< likewise
    int64_t jump_if_equal();                    ///< returns the place to pass to land()
    int64_t jump_if_not_above();                ///< likewise; after subtract(): the difference is not positive
    void land(int64_t place);                   ///< the jump of `place` leads here
    void patch(int64_t place, int32_t number);  ///< writes the 4 bytes at a position

    /// The number of a constant: `bytes` (4 or 8) repeated.
    int constant(uint64_t bits, int bytes);
    /// The code and, 32-byte aligned behind it, the pool.
    std::vector<uint8_t> finish();

 private:
    void put(uint8_t byte) { code_.push_back(byte); }
    void put32(int32_t number);
    /// Adds the instruction that began at a position to the listing; `text` is called only where there is one.
    template <class Text> void list(int64_t begin, Text text) {
        if (listing_) listing_->add({begin, text()});
    }
    /// The same of an instruction whose number '@' is written at `place`.
    template <class Text> void list(int64_t begin, Listing::Late late, int64_t place, Text text) {
        if (listing_) listing_->add({begin, text(), late, place});
    }
    /// The same of one with a last source or a target.
    template <class Text> void list(int64_t begin, const VectorSource& rm, Text text) {
        if (rm.kind == VectorSource::Kind::Pool)
            list(begin, Listing::Late::Displacement, references_.back().place, text);
        else
            list(begin, text);
    }
    int64_t jump_forward(const char* name, uint8_t condition);
    void rex(bool wide, uint8_t reg, uint8_t index, uint8_t base);
    void vex(const Instruction& i, uint8_t reg, uint8_t from1, const VectorSource& rm, Form form);
    void evex(const Instruction& i, uint8_t reg, uint8_t from1, const VectorSource& rm, Form form);
    void operand(uint8_t reg, const VectorSource& rm, int bytes_behind, int short_unit = 1);
    void encode(const Instruction& i, uint8_t reg, uint8_t from1, const VectorSource& rm, Form form, int bytes_behind);

    struct Reference {
        int64_t place;  ///< of the 4 bytes of displacement
        int number;
        int behind;  ///< bytes of the instruction that follow them
    };
    std::vector<uint8_t> code_;
    std::vector<Reference> references_;
    std::optional<Listing> listing_;
    std::vector<uint64_t> pool_;  ///< the repeated 8 bytes of each constant
};

}  // namespace cuarray::host::emit
