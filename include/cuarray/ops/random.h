// random.h -- random numbers from the sequence of a Philox generator, the same on every device.
#pragma once
#include "cuarray/array/array.h"
#include "cuarray/runtime/task.h"

namespace cuarray {

/// Where a generator is in its sequence: as the state of NumPy's Philox.
struct PhiloxState {
    u64 key[2];
    kernel::RandomBlock counter;  ///< of the block in `buffer`
    u64 buffer[4];
    int position;      ///< of the next word in the buffer; 4: none is left
    bool has_carried;  ///< whether `carried` is the next 32-bit number
    uint32_t carried;  ///< the upper half of a word of which a 32-bit number was drawn
};

/// The place of the next n elements, and the state behind them: uniform numbers and integers begin at the next word or
/// 32-bit number, the others at the next block.
CUARRAY_API kernel::RandomParameters take_numbers(PhiloxState& state, RandomDraw draw, int64_t n);

/// Draws the elements of an array, in C order; its dtype has the size of the draw's elements.
CUARRAY_API void random_fill(const Array& result, RandomDraw draw, const kernel::RandomParameters& numbers,
                             const char* name);

}  // namespace cuarray
