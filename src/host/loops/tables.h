// tables.h -- what the translation units of a loop library contribute to it.
#pragma once
#include "cuarray/core/dtype.h"
#include "cuarray/kernel/flags.h"
#include "cuarray/kernel/types.h"
#include "host/library.h"

namespace cuarray::fn {
struct maximum;
struct minimum;
struct fmax;
struct fmin;
}  // namespace cuarray::fn

namespace cuarray::host {

/// The width of the level's widest vectors.
#if defined(__AVX512F__)
constexpr int kVectorBytes = 64;
#elif defined(__AVX__)
constexpr int kVectorBytes = 32;
#else
constexpr int kVectorBytes = 16;
#endif

/// The type whose loops of a row are those of a type: signed integers have those of unsigned ones if the bits are
/// equal. Not where the other type of the row, U, is another integer.
template <class F, class T, class U = T>
using compiled_t =
    choose_t<(F::flags & Signless) != 0 && is_integer<T> && (is_same<T, U> || !is_integer<U>), unsigned_t<T>, T>;

/// The row whose loops of a type are those of a row: where there is no NaN, fmax is maximum.
template <class F, class T>
using compiled_row =
    choose_t<!is_integer<T> && !is_same<T, bool>, F,
             choose_t<is_same<F, fn::fmax>, fn::maximum, choose_t<is_same<F, fn::fmin>, fn::minimum, F>>>;

/// The rows are divided into parts that are compiled in parallel.
constexpr int kRowParts = 4;
/// Writes the loops of one part, in the order of their ids, unless `to` is null; returns how many there are. (g++
/// exports a specialisation without this attribute, regardless of -fvisibility.)
template <int Part> [[gnu::visibility("hidden")]] int collect_rows(BlockLoop* to);

/// Writes the casts, by from * kDTypes + to.
void collect_casts(BlockLoop* to);

/// The kinds of reductions, by what an accumulator is. Each is compiled on its own.
enum class FoldKind {
    Sum,      ///< a number computed from elements
    Extreme,  ///< one of the elements
    Pair,     ///< two numbers
    Bits,     ///< an element's bits, in any order
    Truth,    ///< a bool or a count, whatever the elements are
    Index,    ///< an element and its index
};
constexpr int kFoldKinds = int(FoldKind::Index) + 1;
/// Writes the reductions of a kind, by row * kDTypes + dtype.
template <FoldKind Kind> [[gnu::visibility("hidden")]] void collect_folds(ReductionLoops* to);

/// Writes the scans of associative rows, in the order of the loops' ids.
void collect_scans(ScanLoops* to);
/// Fills the loops that multiply matrices, by dtype.
void collect_matmul(MatmulLoops* to);
/// Writes the cross-correlations, by dtype.
void collect_correlations(CorrelateLoop* to);
/// Writes the loops that compare elements with pivots, and those that guess bins, by dtype.
void collect_parts(PartitionLoop* to);
void collect_guesses(GuessLoop* to);
/// Writes the SIMD sorts and selections, by dtype, if the level has any.
void collect_sorts(ValueSortLoop* sorts, ValueSelectLoop* selects, SplitLoop* splits);
/// Writes the sorts of short rows, by dtype.
void collect_short_rows(ShortRowSorts* to);

/// The loops that draw random numbers, by RandomDraw.
const RandomLoop* random_loops();
/// The loops that draw the numbers of NumPy's Generator, by SequenceDraw.
const SequenceLoops* sequence_loops();

/// Fills the loops that copy items.
void collect_copies(LoopLibrary& library);

/// Fills the loops of gather, scatter and compaction.
void collect_indexing(IndexingLoops& loops);

/// Fills the loops between bools and bits.
void collect_bit_packing(LoopLibrary& library);

/// The loop with non-temporal stores, or null.
NontemporalLoop collect_nontemporal();

/// Binds the vector functions that `find` returns; returns their number.
int find_vector_functions(SymbolFinder find);

}  // namespace cuarray::host
