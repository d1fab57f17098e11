// same_value.h -- casts that change no value.
#pragma once
#include "cuarray/array/array.h"

namespace cuarray {

/// Raises ValueError unless `cast`, the cast of `array` to another dtype, holds its values: casting them back gives
/// them again. As in NumPy every number is a bool. Waits for the device.
CUARRAY_API void check_same_value(const Array& array, const Array& cast, const char* function);

}  // namespace cuarray
