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

/// The Vandermonde matrix of a vector: a row with the first N powers of each number, from the highest one or, where
/// they increase, from 1. As many as there are numbers by default.
CUARRAY_API Array vander(const Array& x, const std::optional<Length>& N = {}, bool increasing = false);

}  // namespace cuarray
