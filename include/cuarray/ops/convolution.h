// convolution.h -- convolution and correlation of sequences.
#pragma once
#include "cuarray/array/array.h"

namespace cuarray {

/// Which overlaps count: complete ones, as many as the longer sequence has elements, or all of at least one element.
enum class Overlaps : uint8_t { Valid, Same, Full };

/// The discrete convolution of two sequences: n + m - 1, max(n, m) or max(n, m) - min(n, m) + 1 elements. Terms are
/// added from left to right along the shorter one.
CUARRAY_API Array convolve(const Array& a, const Array& v, Overlaps mode = Overlaps::Full);
/// The cross-correlation: sums of a[n + k] times the conjugate of v[n].
CUARRAY_API Array correlate(const Array& a, const Array& v, Overlaps mode = Overlaps::Valid);

}  // namespace cuarray
