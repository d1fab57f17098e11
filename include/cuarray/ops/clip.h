// clip.h -- elements limited to a range.
#pragma once
#include <optional>
#include "cuarray/ops/arguments.h"

namespace cuarray {

/// Limits elements to min..max, of which either may be missing; they broadcast. An integer beyond the dtype of `a` is
/// no limit. a_min and a_max are the same by NumPy's older names. The others are the options of a ufunc.
CUARRAY_API Array clip(const Array& a, const std::optional<Argument>& min = {}, const std::optional<Argument>& max = {},
                       Array* out = nullptr, const OlderName& a_min = {}, const OlderName& a_max = {},
                       const ElementMask& where = {}, DType dtype = DType::none, Casting casting = Casting::SameKind,
                       char order = 'K');

}  // namespace cuarray
