// random.h -- random numbers from the sequence of a Philox generator, the same on every device.
#pragma once
#include <span>
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

/// What is drawn: the numbers of a row of random_draws.def, with the parameters of a distribution or a range.
struct RandomNumbers {
    RandomDraw draw;
    kernel::RandomParameters parameters{};  ///< all but those of the place in the sequence
};

/// Sets the parameters of a row, in the order of the method of NumPy's Generator, by default 0 and 1. It chooses
/// another row for some. False where one is outside the domain, or NumPy judges it.
CUARRAY_API bool set_parameters(RandomNumbers& numbers, std::span<const double> parameters);

/// Integers of a dtype from low to low + most. Ranges of a power of two read as many bits as NumPy does; others so many
/// that few numbers are drawn again.
CUARRAY_API RandomNumbers random_integers(DType dtype, uint64_t low, uint64_t most);

/// Sets the place of the next n elements, and the state behind them: uniform numbers and integers begin at the next
/// word or 32-bit number, the others at the next block.
CUARRAY_API void take_numbers(PhiloxState& state, RandomNumbers& numbers, int64_t n);

/// Draws the elements of an array, in C order; its dtype has the size of the draw's elements. Draws that end in _each
/// take arrays of float64, of the shape and the device of the result, in the place of parameters; empty handles for
/// none. ValueError for others.
CUARRAY_API void random_fill(const Array& result, const RandomNumbers& numbers, const char* name,
                             std::span<const Array> parameters = {});

}  // namespace cuarray
