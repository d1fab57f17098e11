// tables.h -- what the translation units of a loop library contribute to it.
#pragma once
#include "cuarray/core/loops.h"
#include "host/library.h"

namespace cuarray::host {

/// The rows are compiled in parts, for several compilers at a time.
constexpr int kRowParts = 8;
template <int Part> constexpr int part_begin = kRows * Part / kRowParts;
/// Writes the loops of one part, in the order of their ids.
template <int Part> void collect_rows(BlockLoop* to);

/// Writes the casts, by from * kDTypes + to.
void collect_casts(BlockLoop* to);

/// Writes the reductions, by row * kDTypes + dtype; compiled in parts too.
constexpr int kReductionParts = 2;
template <int Part> void collect_reductions(ReductionLoops* to);

/// Fills the loops that move items without looking at them.
void collect_copies(LoopLibrary& library);

/// Points the vector functions to those that `find` knows; returns how many it knew.
int find_vector_functions(SymbolFinder find);

}  // namespace cuarray::host
