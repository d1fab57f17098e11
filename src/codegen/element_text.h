// element_text.h -- an Expr as a C++ type: what one element is computed from, one statement per node.
#pragma once
#include <string>
#include "cuarray/core/expr.h"

namespace cuarray {

/// The definition of `struct program`, which the device skeletons of kernel/elementwise.h and
/// kernel/reduce_device.h run: its lanes, how it reads and writes them through a walk, and how an element is
/// evaluated.
std::string element_text(const Expr& expr);

}  // namespace cuarray
