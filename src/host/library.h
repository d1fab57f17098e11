// library.h -- what a loop library (_host_base, _host_v3, ...) hands to the host backend: tables of block loops.
//
// The same sources are compiled once per instruction set into an object of its own, whose only exported symbol is
// `cuarray_host_library`. Everything here is plain C data, because the two sides are compiled for different processors.
#pragma once
#include <cstdint>

namespace cuarray::host {

/// Finds a function of the vector mathematics library by name; null where it has none.
using SymbolFinder = void* (*)(const char* name);

/// One row at one type (or one cast) over n elements that lie side by side, in their stored types. An output may be the
/// very memory of an input of the same item size.
using BlockLoop = void (*)(const void* const* in, void* const* out, int64_t n);

/// A loop of one output over n elements, stored past the caches; the output shares no byte with any input.
using NontemporalLoop = void (*)(BlockLoop loop, const char* const* in, const int64_t* in_items, int ins, char* to,
                            int64_t item, int64_t n);

/// A rectangle of items between strided places; strides in bytes. Addresses need no alignment.
using CopyLoop = void (*)(char* to, int64_t to_row, int64_t to_column, const char* from, int64_t from_row,
                          int64_t from_column, int64_t rows, int64_t columns);

/// n items side by side to a strided place, where the mask (bytes) is true.
using MaskedStore = void (*)(char* to, int64_t stride, const char* from, const uint8_t* mask, int64_t n);

/// Item sizes 1, 2, 4, 8 and 16 by their binary logarithm.
constexpr int kItemSizes = 5;

/// A reduction at one element type, in the fold order of kernel/reduce.h. Accumulators lie side by side.
struct ReductionLoops {
    int accumulator_size = 0;  ///< 0: the row has no such type
    int result_size = 0;
    int decided = -1;          ///< the accumulator, 0 or 1, that no further element changes; -1: none
    bool needs_index = false;  ///< whether the result is an index

    /// nodes[leaf][lane] of n elements side by side, at most a chunk, that begin a leaf; `first` is the first's index.
    void (*fold_leaves)(const void* x, int64_t n, int64_t first, void* nodes) = nullptr;
    /// The accumulator of a chunk of n elements from its nodes, which are overwritten.
    void (*fold_nodes)(void* nodes, int64_t n, void* acc) = nullptr;
    /// Adds `rows` rows of contiguous columns, `stride` bytes apart, to one lane of each column; they are its first ones if
    /// `fresh`. Columns are independent; `first` is the index of the first row.
    void (*fold_lane)(const void* x, int64_t stride, int64_t rows, int64_t columns, int64_t first, bool fresh,
                      void* lane) = nullptr;
    /// result[k] = the finished fold of x[begins[k]] ... x[ends[k] - 1], for `count` parts; null where the row asks for
    /// places. Empty parts are passed over.
    void (*segmented_reduce)(const void* x, const int64_t* begins, const int64_t* ends, int64_t count, void* result) = nullptr;
    /// to[i] = combine(to[i], from[i])
    void (*combine)(void* to, const void* from, int64_t n) = nullptr;
    /// acc[i] = what a fold of nothing gives; null where the row has no identity.
    void (*identity)(void* acc, int64_t n) = nullptr;
    /// acc[i] = map(value)
    void (*map)(const void* value, void* acc, int64_t n) = nullptr;
    /// result[i] = finish(acc[i], count)
    void (*finish)(const void* acc, void* result, int64_t n, int64_t count) = nullptr;
};

/// How far the scan of a line has come; zero bytes before its first element.
constexpr int kScanStateLevels = 60;
struct ScanState {
    alignas(64) char bytes[(2 * kScanStateLevels + 2) * 16];
};

/// An associative row at one type, in the scan order of kernel/scan.h; null where there is none, and for the halves,
/// which are scanned as float32.
struct ScanLoops {
    /// The results at the next n > 0 elements of a line, a multiple of 16 unless they end it; `out` may be x.
    void (*run)(const void* x, int64_t n, void* state, void* out) = nullptr;
    /// The tree over n elements, a power of two from 16 on.
    void (*tree)(const void* x, int64_t n, void* to) = nullptr;
    /// Goes on as `run` over n elements that have this tree would; they begin at a multiple of n.
    void (*push)(void* state, const void* tree, int64_t n) = nullptr;
    /// The item at array + offsets[i] becomes the row of itself and of elements[i], one after the other; for the halves too.
    void (*update)(char* array, const int64_t* offsets, const char* elements, int64_t stride, int64_t n) = nullptr;
};

/// Products of matrices at one type, a tile of the result at a time: packed panels of the factors lie side by side, each
/// number by number of the depth. Strides in bytes; matrices need no alignment, panels and sums 64 bytes.
struct MatmulLoops {
    int64_t rows = 0, columns = 0;  ///< of a tile
    int64_t item = 0;               ///< bytes that an element takes in panels and sums
    /// `depth` times `count` elements, made `width` by zeros.
    void (*pack)(void* panel, int64_t width, const char* from, int64_t step, int64_t depth_step, int64_t count,
                 int64_t depth) = nullptr;
    /// Adds the products of two panels to a tile of sums.
    void (*multiply)(const void* left, const void* right, void* sums, int64_t depth) = nullptr;
    /// A tile's sums, rounded, to their places in the result.
    void (*store)(const void* sums, char* to, int64_t row_step, int64_t column_step, int64_t rows,
                  int64_t columns) = nullptr;
};

/// to[i] = the sum over k of line[i + k] * taps[k] in the order of kernel/correlate.h, for n results.
/// Of the line only the elements from `low` to `high` count; there is memory for all.
using CorrelateLoop = void (*)(const void* line, const void* taps, int64_t count, void* to, int64_t n, int64_t low, int64_t high);

/// To which of 2 * count + 1 parts of their order n elements belong, by `count` ascending keys: part 2 k + 1 has the key
/// pivots[k], part 2 k lies before it. Each part's elements are added to counts; n is below 2^31.
using PartitionLoop = void (*)(const void* x, int64_t n, bool descending, const uint64_t* pivots, int count, uint8_t* parts,
                          int64_t* counts);

/// Sorts n > 0 values into `to`, which may be where they are; `spare` has room for as many. Returns false, having written
/// to `spare` alone, where different values have one key: only a stable sort knows their order.
using ValueSortLoop = bool (*)(const void* x, void* to, void* spare, int64_t n, bool descending);

/// bins[i] = the whole part of (x[i] - first) * scale where it is one of 0 ... count - 1 and its neighbours are farther
/// than `margin`; else `count`. Returns how many of n elements, below 2^31, those are.
using GuessLoop = int64_t (*)(const void* x, int64_t n, double first, double scale, double margin, int32_t count,
                              int32_t* bins);

/// Elements that indices or masks choose; strides in bytes, addresses need no alignment.
struct IndexingLoops {
    /// offsets[i] = position(index[i]) * stride, or that added to it (`more`); false where an index lies outside. By
    /// kernel::Outside.
    bool (*resolve[3])(int64_t* offsets, const char* index, int64_t index_stride, int64_t n, int64_t size,
                       int64_t stride, bool more);
    /// to[i] = the item at from + offsets[i]; by the item's size
    void (*gather[kItemSizes])(char* to, int64_t to_stride, const char* from, const int64_t* offsets, int64_t n);
    /// the item at to + offsets[i] = from[i], one after the other
    void (*scatter[kItemSizes])(char* to, const int64_t* offsets, const char* from, int64_t from_stride, int64_t n);
    int64_t (*count_true)(const uint8_t* mask, int64_t n);
    /// The items of `from` at which the mask is true, to `to`; both loops return how many, of at most `room`.
    int64_t (*compress[kItemSizes])(char* to, int64_t to_stride, const char* from, int64_t from_stride,
                                    const uint8_t* mask, int64_t n, int64_t room);
    /// The next items of `from`, to those of `to` at which the mask is true.
    int64_t (*expand[kItemSizes])(char* to, int64_t to_stride, const char* from, int64_t from_stride,
                                  const uint8_t* mask, int64_t n, int64_t room);
    /// first + i for each i at which the mask is true; there are `room`.
    void (*find_true)(int64_t* to, int64_t first, const uint8_t* mask, int64_t n, int64_t room);
};

struct LoopLibrary {
    int64_t bytes;                     ///< sizeof(LoopLibrary) as compiled, checked when it is opened
    const char* level;
    int loop_count, reduction_count, dtype_count;
    int vector_functions;              ///< variants of the vector mathematics library in use
    const BlockLoop* loops;            ///< by LoopId
    const BlockLoop* casts;            ///< by from * dtype_count + to
    const ReductionLoops* reductions;  ///< by ReductionId * dtype_count + dtype
    const ScanLoops* scans;            ///< by LoopId
    const MatmulLoops* matmul;         ///< by dtype
    const CorrelateLoop* correlations;           ///< by dtype
    const PartitionLoop* parts;             ///< by dtype; null for the complex ones
    const GuessLoop* guesses;          ///< by dtype; null but for float32 and float64
    const ValueSortLoop* sorts;        ///< by dtype; null where radix is as good
    CopyLoop copy[kItemSizes];
    MaskedStore store_where[kItemSizes];
    IndexingLoops choices;
    NontemporalLoop stream;                 ///< null where it does not pay
    /// to[i] = first + step * i
    void (*count)(int64_t* to, int64_t first, int64_t step, int64_t n);
    /// Whether any of n bytes is not zero.
    bool (*any)(const uint8_t* x, int64_t n);
};

}  // namespace cuarray::host

/// The tables of this library, filled at the first call. `find` may be null: then every function is scalar.
extern "C" __attribute__((visibility("default"))) const cuarray::host::LoopLibrary* cuarray_host_library(
    cuarray::host::SymbolFinder find);
