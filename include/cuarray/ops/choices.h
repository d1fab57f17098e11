// choices.h -- elements of several arrays, by numbers and by conditions.
#pragma once
#include "cuarray/ops/arguments.h"
#include "cuarray/ops/indexing.h"

namespace cuarray {

namespace functions {

using namespace cuarray;

/// For each element the one of the array of that number, bools counted as 0 and 1; all broadcast, and `out` has the
/// shape of the result. A number out of bounds is an error, for which the call waits; or the remainder; or the nearest
/// number, where negative ones become 0.
CUARRAY_API Array choose(const Array& a, const ArgumentList& choices, Array* out = nullptr,
                         Outside mode = Outside::Raise);

}  // namespace functions

using functions::choose;

inline const Weak kZeroWeak{Weak::Kind::Int, 0, false, 0, 0, 0};
/// For each element the one of the first array whose condition, of type bool, is true, or else that of `otherwise`; all
/// broadcast.
CUARRAY_API Array select(const ArrayList& condlist, const ArgumentList& choicelist,
                         const Argument& otherwise = kZeroWeak);

}  // namespace cuarray
