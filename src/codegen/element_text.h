// element_text.h -- generates a C++ type from an Expr: the computation of one element, one statement per node.
#pragma once
#include <string>
#include "cuarray/core/expr.h"

namespace cuarray {

/// The definition of `struct program`, the template argument of the device skeletons in kernel/elementwise.h and
/// kernel/reduce_device.h: its lanes, how a walk reads and writes them, and how an element is evaluated.
std::string element_text(const Expr& expr);

}  // namespace cuarray
