// tables.h -- what the translation units of a loop library contribute to it.
#pragma once
#include "cuarray/core/dtype.h"
#include "host/library.h"

namespace cuarray::host {

/// The widest vectors of the level.
#if defined(__AVX512F__)
constexpr int kVectorBytes = 64;
#elif defined(__AVX__)
constexpr int kVectorBytes = 32;
#else
constexpr int kVectorBytes = 16;
#endif

/// The rows are compiled in parts, for several compilers at a time.
constexpr int kRowParts = 4;
/// Writes the loops of one part, in the order of their ids, unless `to` is null; returns how many there are. (g++
/// exports a specialisation that is not told otherwise, whatever -fvisibility says.)
template <int Part> [[gnu::visibility("hidden")]] int collect_rows(BlockLoop* to);

/// Writes the casts, by from * kDTypes + to.
void collect_casts(BlockLoop* to);

/// Writes the reductions, by row * kDTypes + dtype, unless `to` is null; returns how many rows there are.
int collect_reductions(ReductionLoops* to);

/// Writes the scans of associative rows, in the order of the loops' ids.
void collect_scans(ScanLoops* to);
/// Fills the loops that multiply matrices, by dtype.
void collect_matmul(MatmulLoops* to);
/// Writes the sliding sums of products, by dtype.
void collect_correlations(CorrelateLoop* to);
/// Writes the loops that compare elements with pivots, and those that guess bins, by dtype.
void collect_parts(PartitionLoop* to);
void collect_guesses(GuessLoop* to);
/// Writes the sorts by vectors, by dtype, where there are any.
void collect_sorts(ValueSortLoop* to);

/// Fills the loops that move items without looking at them.
void collect_copies(LoopLibrary& library);

/// Fills the loops over elements that indices or masks choose.
void collect_choices(IndexingLoops& loops);

/// The loop that stores past the caches, or null.
NontemporalLoop collect_stream();

/// Points the vector functions to those that `find` knows; returns how many it knew.
int find_vector_functions(SymbolFinder find);

}  // namespace cuarray::host
