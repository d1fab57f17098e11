// loop_program.h -- an Expr compiled to a sequence of block loops over slots.
#pragma once
#include <cstdint>
#include <vector>
#include "cuarray/core/expr.h"
#include "host/library.h"

namespace cuarray::host {

using SlotId = uint16_t;
constexpr SlotId kNoSlot = 0xffff;

/// The binary logarithm of a dtype's item size.
int log_item_size(DType dtype);

/// A slot holds one block of elements. Inputs come first, then outputs, then registers. The caller sets the addresses
/// of inputs and outputs for each block; a value that is stored is computed directly into its output.
struct LoopProgram {
    struct Step {
        BlockLoop loop;
        SlotId in[kMaxIn];
        SlotId out[kMaxOut];
        uint8_t ins, outs;
    };
    /// A register that holds one value throughout.
    struct Constant {
        SlotId slot;
        uint8_t log_size;
        alignas(16) unsigned char bytes[16];
    };

    /// Compiles `expr`. Bit k of `aliased` says that output k may alias an input.
    void build(const Expr& expr, const LoopLibrary& library, uint64_t aliased);

    SlotId output_slot(size_t k) const { return SlotId(inputs + k); }

    int inputs = 0, outputs = 0;
    std::vector<Step> steps;
    std::vector<Constant> constants;
    std::vector<uint8_t> registers;  ///< log item size of each
    std::vector<SlotId> sources;     ///< by output: the slot that holds its values at the end of a block
    std::vector<uint8_t> late;       ///< by output: must not be written before the block's end
    std::vector<uint8_t> read;       ///< by input: whether it is used
    SlotId index = kNoSlot, mask = kNoSlot, fault = kNoSlot;

 private:
    struct Builder;
    /// The builder's tables by value, reused for their allocations.
    struct Notes {
        std::vector<int> last;
        std::vector<SlotId> slot;
        std::vector<uint8_t> uniform;
        std::vector<ValueId> second;
        std::vector<SlotId> free[kItemSizes];
    } notes_;
};

}  // namespace cuarray::host
