// geometric.h -- numbers whose ratio is constant.
#pragma once
#include "cuarray/ops/creation.h"

namespace cuarray {

inline const Weak kTenWeak{Weak::Kind::Float, 0, false, 0, 10, 0};
/// Numbers from base**start to base**stop, equally spaced on a logarithmic scale, along `axis`; arrays broadcast. The
/// device is by default that of the first array, else the current one.
CUARRAY_API Array logspace(const Argument& start, const Argument& stop, const Length& num = 50, bool endpoint = true,
                           const Argument& base = kTenWeak, DType dtype = DType::none, int64_t axis = 0,
                           const std::optional<Device>& device = {});
/// Numbers from start to stop, neither of which is zero.
CUARRAY_API Array geomspace(const Argument& start, const Argument& stop, const Length& num = 50, bool endpoint = true,
                            DType dtype = DType::none, int64_t axis = 0, const std::optional<Device>& device = {});

}  // namespace cuarray
