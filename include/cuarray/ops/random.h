// random.h -- random numbers, the same on every device: from the sequence of a Philox generator, or NumPy's own from
// that of a PCG64.
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

/// The state of NumPy's PCG64.
struct Pcg64State {
    kernel::u128 state, increment;
    bool has_carried;  ///< whether `carried` is the next 32-bit number
    uint32_t carried;  ///< the upper half of the last word of which a 32-bit number was drawn
};

/// The factor of a step of its state.
constexpr kernel::u128 kPcg64Multiplier{4865540595714422341u, 2549297995355413924u};

/// What NumPy's Generator draws: numbers of a row of sequence_draws.def, mostly start + width * x, or integers of a
/// range.
struct SequenceNumbers {
    SequenceDraw draw;
    double start = -0.0, width = 1;  ///< -0.0 + x is x, of any sign
    double value[6] = {};
    uint64_t low = 0, most = 0, least = 0;
    /// Numbers whose acceptance is within this share of a tie are decided by the host's exp and log1p, as NumPy's are.
    double margin = -1;  ///< by default one that exceeds the errors of a device
};

/// Sets the parameters of a row, in the order of the method of NumPy's Generator, all of them, and in their domain.
/// False where numbers of these parameters do not follow from the sequence alone.
CUARRAY_API bool set_parameters(SequenceNumbers& numbers, std::span<const double> parameters);

/// Integers of a dtype from low to low + most, most > 0.
CUARRAY_API SequenceNumbers sequence_integers(DType dtype, uint64_t low, uint64_t most);

/// Draws the elements of an array, in C order, as NumPy's Generator does, and moves the state behind them; the array's
/// dtype has the size of the draw's elements. Numbers are NumPy's bit for bit, but for those of a GPU that are made by
/// its log1p, exp, log or pow, which are as exact as these. Waits for draws that take as many words as they need.
CUARRAY_API void draw_sequence(const Array& result, const SequenceNumbers& numbers, Pcg64State& state,
                               const char* name);

/// Divides rows of numbers by their sums, from left to right and by a product with the inverse, as NumPy's dirichlet
/// does.
CUARRAY_API Array shares_of_rows(const Array& numbers);

}  // namespace cuarray
