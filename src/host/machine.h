// machine.h -- runs a loop program over any range of an iteration space, block by block, with buffers that stay in L1.
#pragma once
#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>
#include "cuarray/core/layout.h"
#include "cuarray/runtime/backend.h"
#include "host/library.h"
#include "host/loop_program.h"
#include "host/scratch.h"

namespace cuarray::host {

/// The layout of an operand over a space.
struct SpaceOperand {
    enum class Kind : uint8_t {
        Linear,    ///< contiguous in the order of the space and aligned: used in place
        Constant,  ///< one element, broadcast along all axes
        Periodic,  ///< broadcast along all axes but the innermost one, which is short
        General
    };
    char* base = nullptr;
    const int64_t* strides = nullptr;
    int log_size = 0;
    bool aligned = false;  ///< every address has the alignment that loops expect
    Kind kind = Kind::General;

    int64_t item() const { return int64_t(1) << log_size; }
};

/// A planned task: the collapsed space, the operands over it (inputs first, then outputs) and the program.
struct Plan {
    const LoopLibrary* library = nullptr;
    LoopProgram program;
    Space space;
    std::vector<SpaceOperand> operands;
    const int64_t* index_strides = nullptr;  ///< of the linear index, in elements
    int64_t index_base = 0;
    int64_t block = 0;       ///< elements
    bool is_linear = false;  ///< every operand is used in place, or is one element

    int64_t inner() const { return space.shape[space.ndim - 1]; }
    /// Whether an operand is at one address for all elements: one element, which is kept in a buffer, or not read at
    /// all.
    bool is_fixed(int slot) const {
        const bool is_input = slot < program.inputs;
        return is_input && (!program.read[size_t(slot)] || operands[size_t(slot)].kind == SpaceOperand::Kind::Constant);
    }
    /// Whether a whole row of an operand is read, or computed, where it lies.
    bool is_used_in_place(int slot) const;
    /// Collapses the axes, to at least one; the operands' strides then point into the space.
    void set_space(const Dims& shape, std::span<const Dims* const> strides, bool keep_order = false);
    /// Sets the operand's kind from its strides and address.
    void classify(SpaceOperand& operand, DType dtype) const;
    /// Chooses the block size, so that a block's registers stay in L1, and sets is_linear.
    void choose_block();
};

/// One thread's registers and buffers for a plan.
class Machine {
 public:
    Machine(const Plan& plan, Scratch& scratch, int64_t elements);

    /// Computes and stores elements begin ... begin + n - 1 in the order of the space; n at most a block.
    void run(int64_t begin, int64_t n);

    /// The same for whole rows of the space, which are not longer than a block; not where operands are in tiles.
    void run_rows(int64_t first, int64_t rows);

    /// The same for any n, where the plan is linear.
    void run_linear(int64_t begin, int64_t n);

    /// Computes them and returns the address of output 0's values: `to`, or that of the operand or constant
    /// which they are. Prefetches inputs that come from memory.
    const void* evaluate(int64_t begin, int64_t n, void* to, int64_t apart = 0);

    /// The address of output k's values just computed; its buffer is k times `apart` bytes after `to`.
    const void* values(size_t k) const { return slots_[program_.sources[k]]; }

    /// The address of output k's values if they are an operand that is contiguous in memory, else null. Any n.
    const void* direct(int64_t begin, int64_t n, size_t k = 0) const;

    /// Redirects reads or writes of operand k to rows of `columns` items at `tile`.
    void use_tile(int k, char* tile, int64_t columns) { tiles_[k] = {tile, columns}; }
    void set_tile_row(int64_t row) { tile_row_ = row; }

    bool fault() const { return fault_; }

 private:
    struct TransposedTile {
        char* data;
        int64_t columns;
    };

    char* address(const SpaceOperand& operand, const int64_t* at) const;
    char* input(int k, const int64_t* at, int64_t begin, int64_t n);
    char* output(int k, const int64_t* at, int64_t begin, int64_t n);
    void store(int k, const int64_t* at, int64_t begin, int64_t n);
    void fill_index(const int64_t* at, int64_t n);
    void prepare(int64_t begin, int64_t n, int64_t* at);
    void compute(int64_t n);
    void prefetch(const SpaceOperand& operand, const int64_t* at, int64_t begin, int64_t n) const;

    const Plan& plan_;
    const LoopProgram& program_;
    char** slots_;    // current address of each slot
    void** places_;   // those of one step
    char** buffers_;  // by operand: its own buffer of a block, or null
    TransposedTile* tiles_;
    const int64_t block_;
    const char** filled_;  // by operand: the element that its buffer repeats, or null
    int64_t tile_row_ = 0;
    int* streams_;  // the inputs that come from memory: large ones that are not broadcast
    int stream_count_ = 0;
    bool fault_ = false;
};

/// The coordinates of an element of the flattened space.
void locate(const Space& space, int64_t begin, int64_t* at);

/// Visits a range of the space as rectangles of rows along the innermost axis, for an operand's strides: calls
/// piece(address, rows, row_stride, columns, column_stride) in order.
template <class Piece>
void for_each_piece(const Space& space, const int64_t* strides, char* base, const int64_t* start, int64_t n,
                    Piece piece) {
    const int last = space.ndim - 1;
    const int64_t columns = space.shape[last], step = strides[last];
    int64_t at[kMaxDims];
    std::copy_n(start, last + 1, at);
    const auto address = [&] {
        char* p = base;
        for (int d = 0; d <= last; ++d) p += at[d] * strides[d];
        return p;
    };
    const auto next_rows = [&](int64_t rows) {
        at[last] = 0;
        at[last - 1] += rows;
        for (int d = last - 1; d > 0 && at[d] == space.shape[d]; --d) at[d] = 0, ++at[d - 1];
    };
    if (at[last] > 0 || last == 0) {
        const int64_t head = std::min(n, columns - at[last]);
        piece(address(), int64_t(1), int64_t(0), head, step);
        n -= head;
        if (n > 0) next_rows(1);
    }
    while (n >= columns) {
        const int64_t rows = std::min(n / columns, space.shape[last - 1] - at[last - 1]);
        piece(address(), rows, strides[last - 1], columns, step);
        n -= rows * columns;
        if (n > 0) next_rows(rows);
    }
    if (n > 0) piece(address(), int64_t(1), int64_t(0), n, step);
}

}  // namespace cuarray::host
