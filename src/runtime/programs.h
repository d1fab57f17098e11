// programs.h -- the Program that the kernel of a task over an Expr computes.
#pragma once
#include "codegen/source.h"
#include "cuarray/runtime/task.h"

namespace cuarray {

inline Program program_of(const Elementwise& task) { return {task.expr}; }
inline Program program_of(const Reduce& task) { return {task.expr, task.row}; }
inline Program program_of(const LeftFold& task) { return {task.expr, kNone, task.loop}; }
inline Program program_of(const Scan& task) { return {task.expr, kNone, task.loop, true}; }

}  // namespace cuarray
