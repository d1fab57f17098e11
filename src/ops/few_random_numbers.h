// few_random_numbers.h -- few random numbers, drawn at once by the host: one, those of a new array, and several with
// parameters of their own.
#pragma once
#include <functional>
#include <span>
#include <vector>

#include "cuarray/ops/random.h"

namespace cuarray {

/// Parameters of several numbers, as one float64 for each, in C order.
struct SeveralParameters {
    Dims shape;
    Device device{};
    int count = 0;
    int64_t size = 0;
    /// Which of them are arrays of floating-point numbers.
    bool are_floating[3] = {};
    std::vector<double> values;

    double* operator[](int k) { return values.data() + k * size; }
};

/// Sets the place of the next n numbers of a sequence.
using TakeNumbers = std::function<void(RandomNumbers& numbers, int64_t n)>;

/// One number of the host.
CUARRAY_API Scalar random_number(const RandomNumbers& numbers, DType dtype, const char* name);
/// Draws into a new array; false if the host cannot write it now.
CUARRAY_API bool random_fill_now(const Array& result, const RandomNumbers& numbers, const char* name);

/// Whether parameter number k of a draw is an integer.
CUARRAY_API bool is_count(RandomDraw draw, int k);

// Each gives an array without a storage, and draws nothing, where the parameters are not surely those that NumPy takes,
// or the host cannot write the result now.

/// Numbers of a distribution.
CUARRAY_API Array draw_several(RandomDraw draw, SeveralParameters& each, DType dtype, const char* name,
                               const TakeNumbers& take);
/// Integers of ranges: from the first parameter to the second one, with it or without.
CUARRAY_API Array draw_several_integers(SeveralParameters& ends, bool with_end, const char* name,
                                        const TakeNumbers& take);
/// Rows, of a shape, of how often each outcome of n comes.
CUARRAY_API Array draw_outcomes(int64_t n, std::span<const double> probabilities, const Dims& shape, Device device,
                                const char* name, const TakeNumbers& take);

}  // namespace cuarray
