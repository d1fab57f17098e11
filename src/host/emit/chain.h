// chain.h -- a run of a loop program's steps as machine code, whose intermediate values stay in vector registers.
#pragma once
#include <cstdint>
#include <memory>
#include <string>
#include <vector>
#include "cuarray/core/table.h"
#include "host/library.h"

namespace cuarray::host::emit {

/// A value of a chain. Loads read an input, the others compute from values before them.
struct ChainNode {
    static constexpr uint16_t kLoad = 0xffff, kLoadConstant = 0xfffe, kCast = 0xfffd;

    uint16_t what;       ///< a row of ufuncs.def, or one of the above
    uint8_t from, type;  ///< DType of the sources (of where: of the last two), and of the value
    uint16_t source[3];  ///< values; of a load: source[0] is the number of the input or constant

    bool is_load() const { return what == kLoad || what == kLoadConstant; }
    DType dtype() const { return DType(type); }
};

/// Values in static single-assignment form; equal bytes mean equal code.
struct Chain {
    std::vector<ChainNode> nodes;
    std::vector<uint16_t> outputs;  ///< the values that are stored, one for each output
    int inputs = 0, constants = 0;  ///< if there are constants, their table is the input behind the others

    /// The largest number of inputs and outputs together.
    static constexpr int kMaxOperands = 256;
    int input_count() const { return inputs + (constants > 0); }
    int operation_count() const { return int(nodes.size()) - inputs - constants; }
};

/// The instructions that chains become: of the level of the loops (CUARRAY_CPU_LEVEL), or fewer by CUARRAY_JIT.
enum class InstructionSet : uint8_t { None, Avx2, Avx512 };
InstructionSet instruction_set();

/// The bytes of each constant in a chain's table, which are filled with equal items.
int constant_bytes();

/// Whether a loop, or a cast, can be a node of a chain.
bool can_emit(const Loop& loop);
bool can_emit_cast(DType from, DType to);

/// Machine code of a chain as a loop over n elements; outputs may have the address of an input of the same item size.
class ChainCode {
 public:
    explicit ChainCode(const Chain& chain);  ///< raises RuntimeError where the system refuses executable memory
    ~ChainCode();
    ChainCode(const ChainCode&) = delete;
    ChainCode& operator=(const ChainCode&) = delete;

    BlockLoop loop() const { return reinterpret_cast<BlockLoop>(memory_); }
    int64_t bytes() const { return bytes_; }

 private:
    static void finish(const void* const* in, void* const* out, int64_t n, const ChainCode* code);

    int lanes_;
    std::vector<uint8_t> in_sizes_, out_sizes_;  ///< bytes of an element; 0: a table of constants
    void* memory_ = nullptr;
    int64_t bytes_ = 0;
};

/// The instructions of a chain's code as text.
std::string listing_of(const Chain& chain);

/// Where programs get the code of their chains.
class CodeSource {
 public:
    /// The code of a chain that is about to run over `elements`; null: the chain's loops run instead.
    virtual std::shared_ptr<const ChainCode> code_for(const Chain& chain, int64_t elements) = 0;

 protected:
    ~CodeSource() = default;
};

/// New code; null where the system refuses executable memory, after which is_enabled() is false.
std::shared_ptr<const ChainCode> make_code(const Chain& chain);
/// From the cache or, where that pays, made now.
CodeSource& code_cache();
/// Whether the cache would give code: nothing is made, and the cache forgets that it was asked.
bool would_give_code(const Chain& chain, int64_t elements);

/// Whether the processor, the system and CUARRAY_JIT allow machine code.
bool is_enabled();
/// The same in words: "avx512", "avx2", "off", "refused by the system" or "none for this processor".
const char* state();
/// The number of chains that have code.
int64_t code_count();

/// Around a fork: its child must not find the cache locked by a thread that it does not have.
void lock_code_cache();
void unlock_code_cache();

}  // namespace cuarray::host::emit
