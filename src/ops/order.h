// order.h -- the letters that name an order of elements.
#pragma once
#include <cstring>
#include "cuarray/core/error.h"

namespace cuarray {

/// ValueError for a letter that is not among those allowed.
inline void check_order(char order, const char* allowed, const char* function) {
    if (order != allowed[0] && (!order || !std::strchr(allowed, order)))
        raise(ErrorKind::Value, function, ": order must be one of the letters ", allowed, ", not '", order, "'");
}

}  // namespace cuarray
