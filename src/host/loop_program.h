// loop_program.h -- an Expr compiled to a sequence of block loops over slots.
#pragma once
#include <algorithm>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>
#include "cuarray/core/expr.h"
#include "host/emit/chain.h"
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
        uint32_t first;  ///< of its slots in `places`: inputs, then outputs
        uint16_t ins, outs;
        LoopId id;         ///< what `loop` computes, or kCast, or kOther
        DType from, type;  ///< of a cast
        static constexpr LoopId kCast = 0xffff, kOther = 0xfffe;
    };
    /// A register that holds one value throughout.
    struct Constant {
        SlotId slot;
        uint8_t log_size;
        alignas(16) unsigned char bytes[16];
    };

    /// A register that holds the constants of a step of machine code, emit::constant_bytes() each.
    struct ConstantTable {
        SlotId slot;
        std::vector<Constant> constants;
    };
    static constexpr uint8_t kTable = 0xff;  ///< in `registers`

    /// Compiles `expr`, to run over `elements`. Bit k of `aliased` says that output k may alias an input.
    void build(const Expr& expr, const LoopLibrary& library, uint64_t aliased, int64_t elements,
               emit::CodeSource& chains = emit::code_cache());

    std::span<const SlotId> ins(const Step& step) const { return {&places[step.first], step.ins}; }
    std::span<const SlotId> outs(const Step& step) const { return {&places[step.first] + step.ins, step.outs}; }

    void add_step(BlockLoop loop, std::span<const SlotId> in, std::span<const SlotId> out, LoopId id = Step::kOther,
                  DType from = DType::none, DType type = DType::none);

    SlotId output_slot(size_t k) const { return SlotId(inputs + k); }

    /// The largest number of slots of a step.
    int64_t most_places() const {
        int64_t most = 0;
        for (const Step& step : steps) most = std::max<int64_t>(most, step.ins + step.outs);
        return most;
    }

    int inputs = 0, outputs = 0;
    std::vector<Step> steps;
    std::vector<SlotId> places;  ///< the slots of all steps
    std::vector<Constant> constants;
    std::vector<ConstantTable> tables;
    std::vector<uint8_t> registers;  ///< log item size of each, or kTable
    std::vector<SlotId> sources;     ///< by output: the slot that holds its values at the end of a block
    std::vector<uint8_t> late;       ///< by output: must not be written before the block's end
    std::vector<uint8_t> read;       ///< by input: whether it is used
    SlotId index = kNoSlot, mask = kNoSlot, fault = kNoSlot;
    std::vector<std::shared_ptr<const emit::ChainCode>> codes;  ///< of steps that several loops were joined to

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
