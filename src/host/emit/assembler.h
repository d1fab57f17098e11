// assembler.h -- encodes the x86-64 instructions that emitted loops use: AVX2 in VEX form and a few of general
// registers.
#pragma once
#include <cstdint>
#include <vector>

namespace cuarray::host::emit {

/// A vector register: ymm0 ... ymm15, or its lower half as xmm.
struct Vector {
    uint8_t id;
};
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
    int32_t offset = 0;

    VectorSource(Vector x) : kind(Kind::Register), id(x.id) {}
    static VectorSource memory(General base, uint8_t scale, int32_t offset = 0) {
        return VectorSource(Kind::Memory, uint8_t(base), scale, offset);
    }
    static VectorSource pool(int number) { return VectorSource(Kind::Pool, 0, 0, number); }

 private:
    VectorSource(Kind k, uint8_t i, uint8_t s, int32_t o) : kind(k), id(i), scale(s), offset(o) {}
};

/// One VEX instruction: the implied prefix (0, 1 = 66, 2 = F3, 3 = F2), the opcode map (1 = 0F, 2 = 0F38, 3 = 0F3A), W
/// and the opcode; as in the manuals' "VEX.256.66.0F38.W0 40 /r".
struct Instruction {
    const char* name;
    uint8_t prefix, map, opcode;
    bool wide = false;
};

/// Writes instructions one behind the other. A constant of the pool is 32 bytes of equal lanes.
class Assembler {
 public:
    static constexpr int64_t kPoolItem = 32;

    /// name to, from1, from2; 256 bits, or 128 if `is_half`.
    void vector(const Instruction& i, Vector to, Vector from1, VectorSource from2, bool is_half = false);
    /// name to, from: instructions of one source.
    void unary(const Instruction& i, Vector to, VectorSource from, bool is_half = false);
    /// name to, from1, from2, immediate
    void vector(const Instruction& i, Vector to, Vector from1, VectorSource from2, uint8_t immediate, bool is_half);
    /// name to, from, immediate
    void unary(const Instruction& i, Vector to, VectorSource from, uint8_t immediate, bool is_half);
    /// name target, from: stores; `from` is the instruction's register operand.
    void store(const Instruction& i, VectorSource target, Vector from, bool is_half = false);
    /// The same with an immediate.
    void store(const Instruction& i, VectorSource target, Vector from, bool is_half, uint8_t immediate);
    /// Shifts by a number: the opcode's extension stands where the register operand does.
    void shift(const Instruction& i, int extension, Vector to, Vector from, uint8_t bits, bool is_half);
    /// vzeroupper
    void zero_upper();

    void push(General x);
    void pop(General x);
    void move(General to, General from);
    void move(General to, uint64_t number);
    void load(General to, General base, int32_t offset);
    void store(General base, int32_t offset, General from);
    void clear(General x);                   ///< xor x, x
    void and_bits(General x, int32_t mask);  ///< and x, mask
    void add(General x, int32_t number);     ///< add x, number
    void compare(General x, General y);      ///< cmp x, y
    void jump_to(General target);            ///< jmp target
    void leave() { put(0xc3); }              ///< ret
    void align(int64_t bytes);               ///< by no-operations
    int64_t position() const { return int64_t(code_.size()); }
    void jump_if_below(int64_t target);         ///< to a position that is known
    int64_t jump_if_equal();                    ///< returns the place to pass to land()
    void land(int64_t place);                   ///< the jump of `place` leads here
    void patch(int64_t place, int32_t number);  ///< writes the 4 bytes at a position

    /// The number of a constant: `bytes` (4 or 8) repeated.
    int constant(uint64_t bits, int bytes);
    /// The code and, 32-byte aligned behind it, the pool.
    std::vector<uint8_t> finish();

 private:
    void put(uint8_t byte) { code_.push_back(byte); }
    void put32(int32_t number);
    void rex(bool wide, uint8_t reg, uint8_t index, uint8_t base);
    void vex(const Instruction& i, uint8_t reg, uint8_t from1, const VectorSource& rm, bool is_half);
    void operand(uint8_t reg, const VectorSource& rm, int bytes_behind);
    void encode(const Instruction& i, uint8_t reg, uint8_t from1, const VectorSource& rm, bool is_half,
                int bytes_behind);

    struct Reference {
        int64_t place;  ///< of the 4 bytes of displacement
        int number;
        int behind;  ///< bytes of the instruction that follow them
    };
    std::vector<uint8_t> code_;
    std::vector<Reference> references_;
    std::vector<uint64_t> pool_;  ///< the repeated 8 bytes of each constant
};

}  // namespace cuarray::host::emit
