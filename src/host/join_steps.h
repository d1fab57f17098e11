// join_steps.h -- replaces runs of a loop program's steps by one piece of machine code each.
#pragma once
#include <cstdint>
#include "host/emit/chain.h"

namespace cuarray::host {

struct LoopProgram;

/// Joins the steps of a program that is about to run over `elements`, where that is faster; registers that no step
/// uses any more go.
void join_steps(LoopProgram& program, int64_t elements, emit::CodeSource& codes);

}  // namespace cuarray::host
