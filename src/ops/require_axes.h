// require_axes.h -- the least number of axes that a function needs.
#pragma once
#include "cuarray/array/array.h"

namespace cuarray {

inline void require_axes(const Array& array, int least, const char* function) {
    if (array.ndim() < least)
        raise(ErrorKind::Value, function, ": the array has ", array.ndim(), " axes and at least ", least,
              " are needed");
}

}  // namespace cuarray
