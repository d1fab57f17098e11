// loop_program.h -- an Expr as block loops over slots: which loop reads and writes which piece of memory, in order.
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

/// Slots are places of one block of elements each: first the inputs, then the outputs, then the registers. Who runs
/// the program decides where the first two lie, block by block; a value that is stored is computed into its output.
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

    /// `expr` as steps. A set bit of `aliased` says that this output may lie on an input's memory.
    void build(const Expr& expr, const LoopLibrary& library, uint64_t aliased);

    SlotId output_slot(size_t k) const { return SlotId(inputs + k); }

    int inputs = 0, outputs = 0;
    std::vector<Step> steps;
    std::vector<Constant> constants;
    std::vector<uint8_t> registers;    ///< log item size of each
    std::vector<SlotId> sources;       ///< by output: the slot that holds its values at the end of a block
    std::vector<uint8_t> late;         ///< by output: must not be written before the block's end
    std::vector<uint8_t> read;         ///< by input: whether anything reads it
    SlotId index = kNoSlot, mask = kNoSlot, fault = kNoSlot;

 private:
    struct Builder;
    /// What the builder notes down by value, kept for its memory.
    struct Notes {
        std::vector<int> last;
        std::vector<SlotId> slot;
        std::vector<uint8_t> uniform;
        std::vector<ValueId> second;
        std::vector<SlotId> free[kItemSizes];
    } notes_;
};

}  // namespace cuarray::host
