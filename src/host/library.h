// library.h -- the interface between a loop library (_host_base, _host_v3, ...) and the host backend: tables of loops.
//
// The same sources are compiled once per instruction set into a separate shared object, whose only exported symbol is
// `cuarray_host_library`. Everything here is plain C data, because the two sides are compiled for different processors.
#pragma once
#include <cstdint>

namespace cuarray::host {

/// Looks up a function of the vector math library by name; null if there is none.
using SymbolFinder = void* (*)(const char* name);

/// One row at one type (or one cast) over n contiguous elements in their stored types. An output may have the address
/// of an input of the same item size.
using BlockLoop = void (*)(const void* const* in, void* const* out, int64_t n);

/// A loop of one output over n elements with non-temporal stores; the output must not overlap any input.
using NontemporalLoop = void (*)(BlockLoop loop, const char* const* in, const int64_t* in_items, int ins, char* to,
                                 int64_t item, int64_t n);

/// Copies a rectangle of items between strided layouts; strides in bytes. Addresses need no alignment.
using CopyLoop = void (*)(char* to, int64_t to_row, int64_t to_column, const char* from, int64_t from_row,
                          int64_t from_column, int64_t rows, int64_t columns);

/// Stores n contiguous items to a strided destination where the mask (bytes) is true.
using MaskedStore = void (*)(char* to, int64_t stride, const char* from, const uint8_t* mask, int64_t n);

/// Item sizes 1, 2, 4, 8 and 16 by their binary logarithm.
constexpr int kItemSizes = 5;

/// A reduction at one element type, in the fold order of kernel/reduce.h. Accumulators are contiguous.
struct ReductionLoops {
    int accumulator_size = 0;  ///< 0: the row does not have this type
    int result_size = 0;
    int decided = -1;          ///< the accumulator's first byte, 0 or 1, where no further element changes it; -1: none
    bool needs_index = false;  ///< whether the result is an index

    /// Folds n contiguous elements, at most a chunk, to nodes[leaf][lane]; the first one has index `first` and begins a
    /// leaf.
    void (*fold_leaves)(const void* x, int64_t n, int64_t first, void* nodes) = nullptr;
    /// Folds the nodes of a chunk of n elements, which are overwritten, to its accumulator.
    void (*fold_nodes)(void* nodes, int64_t n, void* acc) = nullptr;
    /// Folds `lines` contiguous lines of n > 0 elements, at most a chunk, one after the other, to an accumulator each
    /// of at most 16 bytes; null where this is no faster than the two above.
    void (*fold_lines)(const void* x, int64_t n, int64_t lines, void* acc) = nullptr;
    /// Folds all rows of contiguous columns, `stride` bytes apart, at most a chunk, to an accumulator of each column;
    /// `first` is the index of the first row. Null where lanes are as fast.
    void (*fold_rows)(const void* x, int64_t stride, int64_t rows, int64_t columns, int64_t first, void* acc) = nullptr;
    /// The same of at most kLanes rows; null where lanes are as fast.
    decltype(fold_rows) fold_few_rows = nullptr;
    /// Folds `rows` rows of contiguous columns, `stride` bytes apart, into one lane of each column; they are its first
    /// ones if `fresh`. Columns are independent folds; `first` is the index of the first row.
    void (*fold_lane)(const void* x, int64_t stride, int64_t rows, int64_t columns, int64_t first, bool fresh,
                      void* lane) = nullptr;
    /// result[k] = the finished fold of x[begins[k]] ... x[ends[k] - 1], for `count` segments; null if the row needs
    /// indices. Empty segments are skipped.
    void (*segmented_reduce)(const void* x, const int64_t* begins, const int64_t* ends, int64_t count,
                             void* result) = nullptr;
    /// to[i] = combine(to[i], from[i])
    void (*combine)(void* to, const void* from, int64_t n) = nullptr;
    /// acc[i] = the identity; null if the row has none.
    void (*identity)(void* acc, int64_t n) = nullptr;
    /// acc[i] = map(value)
    void (*map)(const void* value, void* acc, int64_t n) = nullptr;
    /// result[i] = finish(acc[i], count)
    void (*finish)(const void* acc, void* result, int64_t n, int64_t count) = nullptr;
};

/// The state of the scan of a line; all bytes are zero before its first element.
constexpr int kScanStateLevels = 60;
struct ScanState {
    alignas(64) char bytes[(2 * kScanStateLevels + 2) * 16];
};

/// Scans of an associative row at one type, in the scan order of kernel/scan.h; null for other rows, and for the
/// halves, which are scanned as float32.
struct ScanLoops {
    /// Scans the next n > 0 elements of a line; n is a multiple of 16 except at the end of the line. `out` may be x.
    void (*run)(const void* x, int64_t n, void* state, void* out) = nullptr;
    /// The tree over n elements; n is a power of two and at least 16.
    void (*tree)(const void* x, int64_t n, void* to) = nullptr;
    /// Advances the state as `run` would over n elements with this tree; they begin at a multiple of n.
    void (*push)(void* state, const void* tree, int64_t n) = nullptr;
    /// Replaces the item at array + offsets[i] by the row of it and of elements[i], in order of i; for halves too.
    void (*update)(char* array, const int64_t* offsets, const char* elements, int64_t stride, int64_t n) = nullptr;
};

/// Matrix products at one type, by register tiles of the result, from packed panels of the factors that are contiguous
/// along the depth. Strides in bytes; matrices need no alignment, panels and sums 64 bytes.
struct MatmulLoops {
    int64_t rows = 0, columns = 0;  ///< of a tile
    int64_t item = 0;               ///< bytes per element of panels and sums
    /// Packs `depth` times `count` elements, padded with zeros to `width`.
    void (*pack)(void* panel, int64_t width, const char* from, int64_t step, int64_t depth_step, int64_t count,
                 int64_t depth) = nullptr;
    /// Adds the products of two panels to a tile of sums.
    void (*multiply)(const void* left, const void* right, void* sums, int64_t depth) = nullptr;
    /// Rounds a tile's sums and stores them to the result.
    void (*store)(const void* sums, char* to, int64_t row_step, int64_t column_step, int64_t rows,
                  int64_t columns) = nullptr;
    /// The product of a matrix with one of `depth` <= kPanel rows, into contiguous rows, in the same order of
    /// additions, without panels; by the number of columns, null where there is none. The right factor's rows are
    /// padded with zeros to a power of two.
    static constexpr int kFewColumns = 8;
    using NarrowProduct = void (*)(const char* left, int64_t row_step, int64_t column_step, const void* right,
                                   void* result, int64_t rows, int64_t depth);
    NarrowProduct narrow[kFewColumns + 1] = {};
    /// `count` sums of products of `depth` neighbours, in an order of additions of its own: the same for every
    /// alignment and instruction set. Null for types that are not computed as they are stored.
    void (*dots)(const char* left, int64_t left_step, const char* right, int64_t right_step, char* result,
                 int64_t result_step, int64_t count, int64_t depth) = nullptr;
};

/// to[i] = the sum over k of line[i + k] * taps[k] in the order of kernel/correlate.h, for n results.
/// Only the elements [low, high) of the line contribute; all of them are readable.
using CorrelateLoop = void (*)(const void* line, const void* taps, int64_t count, void* to, int64_t n, int64_t low,
                               int64_t high);

/// Classifies n elements by `count` ascending pivot keys into 2 * count + 1 parts: part 2 k + 1 has the key pivots[k],
/// part 2 k lies before it. Adds the size of each part to counts; n is below 2^31.
using PartitionLoop = void (*)(const void* x, int64_t n, bool descending, const uint64_t* pivots, int count,
                               uint8_t* parts, int64_t* counts);

/// Sorts n > 0 values into `to`, which may be x; `spare` has room for n values. Returns false, with only `spare`
/// written, if different values have the same key: these need a stable sort.
using ValueSortLoop = bool (*)(const void* x, void* to, void* spare, int64_t n, bool descending);

/// Finds the values at `count` > 0 ascending ranks among n; `keys` and `spare` have room for n values each. Returns
/// false if different values have the same key.
using ValueSelectLoop = bool (*)(const void* x, void* keys, void* spare, int64_t n, bool descending,
                                 const int64_t* ranks, int64_t count, void* found);

/// Writes n items, or their places, to `to`: those with keys below the pivot, those with its key, the others, each in
/// their order. The pivot is the key of rank `rank`. `spare` has room for n items of the result.
using SplitLoop = void (*)(const void* x, int64_t n, bool descending, uint64_t pivot, int64_t rank, bool gives_places,
                           void* to, void* spare);

/// Rows of at most this many items are sorted many at a time.
constexpr int64_t kShortRow = 64;

/// Sorts rows of n <= kShortRow values stably, into `to`, which may be x, or writes the indices that sort them.
struct ShortRowSorts {
    void (*values)(const void* x, void* to, int64_t rows, int64_t n, bool descending);
    void (*indices)(const void* x, int64_t* to, int64_t rows, int64_t n, bool descending);
};

/// bins[i] = the integer part of (x[i] - first) * scale if it is in 0 ... count - 1 and the nearest integers are
/// farther than `margin`; else `count`. Returns the number of the latter; n is below 2^31.
using GuessLoop = int64_t (*)(const void* x, int64_t n, double first, double scale, double margin, int32_t count,
                              int32_t* bins);

/// Draws the elements of blocks `begin` to `end` - 1 of a kernel::RandomParameters.
using RandomLoop = void (*)(const void* parameters, int64_t begin, int64_t end);

/// The loops of a row of sequence_draws.def, of a kernel::SequenceParameters; null where they are of the other kind.
struct SequenceLoops {
    /// Draws the elements of words `begin` to `end` - 1.
    void (*fill)(const void* parameters, int64_t begin, int64_t end);
    /// Draws at most `most` numbers that begin before unit `end` to `to`, or only counts them if that is null. `unit`,
    /// where the first one begins, becomes the unit behind the last one. Returns their number.
    int64_t (*follow)(const void* parameters, int64_t& unit, int64_t end, void* to, int64_t most);
    bool is_chain = false;  ///< each number takes several units
};

/// Gather, scatter and compaction; strides in bytes, addresses need no alignment.
struct IndexingLoops {
    /// offsets[i] = position(index[i]) * stride, or is incremented by it (`more`); false if an index is out of bounds.
    /// One loop per kernel::OutsideRule.
    bool (*resolve[3])(int64_t* offsets, const char* index, int64_t index_stride, int64_t n, int64_t size,
                       int64_t stride, bool more);
    /// to[i] = the item at from + offsets[i]; one loop per item size
    void (*gather[kItemSizes])(char* to, int64_t to_stride, const char* from, const int64_t* offsets, int64_t n);
    /// the item at to + offsets[i] = from[i], in order of i
    void (*scatter[kItemSizes])(char* to, const int64_t* offsets, const char* from, int64_t from_stride, int64_t n);
    int64_t (*count_true)(const uint8_t* mask, int64_t n);
    /// Packs the items of `from` where the mask is true into `to`; like expand, returns their number, at most `room`.
    int64_t (*compress[kItemSizes])(char* to, int64_t to_stride, const char* from, int64_t from_stride,
                                    const uint8_t* mask, int64_t n, int64_t room);
    /// Stores consecutive items of `from` to the items of `to` where the mask is true.
    int64_t (*expand[kItemSizes])(char* to, int64_t to_stride, const char* from, int64_t from_stride,
                                  const uint8_t* mask, int64_t n, int64_t room);
    /// Writes first + i for each i where the mask is true; there are `room` of them.
    void (*find_true)(int64_t* to, int64_t first, const uint8_t* mask, int64_t n, int64_t room);
};

struct LoopLibrary {
    int64_t bytes;  ///< sizeof(LoopLibrary) as compiled, checked when it is opened
    const char* level;
    int loop_count, reduction_count, dtype_count;
    int vector_functions;               ///< number of functions of the vector math library in use
    const BlockLoop* loops;             ///< by LoopId
    const BlockLoop* casts;             ///< by from * dtype_count + to
    const ReductionLoops* reductions;   ///< by ReductionId * dtype_count + dtype
    const ScanLoops* scans;             ///< by LoopId
    const MatmulLoops* matmul;          ///< by dtype
    const CorrelateLoop* correlations;  ///< by dtype
    const PartitionLoop* partitions;    ///< by dtype; null for the complex ones
    const GuessLoop* guesses;           ///< by dtype; null except for float32 and float64
    const ValueSortLoop* sorts;         ///< by dtype; null where radix sort is as fast
    const ValueSelectLoop* selects;     ///< by dtype; null where `sorts` is
    const SplitLoop* splits;            ///< by dtype; null where `sorts` is
    const ShortRowSorts* short_rows;    ///< by dtype; null for the complex ones
    const RandomLoop* draws;            ///< by RandomDraw
    const SequenceLoops* sequences;     ///< by SequenceDraw
    CopyLoop copy[kItemSizes];
    MaskedStore store_where[kItemSizes];
    IndexingLoops indexing;
    NontemporalLoop nontemporal;  ///< null where non-temporal stores do not pay
    /// to[i] = first + step * i
    void (*count)(int64_t* to, int64_t first, int64_t step, int64_t n);
    /// Whether any of n bytes is not zero.
    bool (*any)(const uint8_t* x, int64_t n);
    /// Packs n bytes, eight in each, as bits that say which are not zero; the last ones are padded with zeros.
    void (*pack_bits)(const uint8_t* from, uint8_t* to, int64_t n, bool highest_first);
    /// The 8 n bits of n bytes, as bytes.
    void (*unpack_bits)(const uint8_t* from, uint8_t* to, int64_t n, bool highest_first);
};

}  // namespace cuarray::host

/// The tables of this library, filled at the first call. If `find` is null, all functions are scalar.
extern "C" __attribute__((visibility("default"))) const cuarray::host::LoopLibrary* cuarray_host_library(
    cuarray::host::SymbolFinder find);
