// task.h -- what a device can be asked to compute: one struct per task, and the operands that each reads and writes.
#pragma once
#include <cstdint>
#include <span>
#include <variant>
#include "cuarray/core/expr.h"
#include "cuarray/core/layout.h"
#include "cuarray/kernel/gather.h"
#include "cuarray/runtime/storage.h"

namespace cuarray {

/// Memory plus how the task's shape walks over it (zero strides where broadcast).
struct View {
    Storage* storage = nullptr;
    int64_t offset = 0;  ///< bytes from storage->data to the element at index 0
    DType dtype = DType::none;
    Dims strides;        ///< bytes, one per axis of the task's shape

    char* data() const { return static_cast<char*>(storage->data) + offset; }
};

/// How a task uses an operand's memory.
enum class Access : uint8_t { Read, Write, ReadWrite };

/// A view that a task reads or writes.
struct Operand {
    const View& view;
    const Dims& shape;                 ///< that the view walks over
    Access access = Access::Read;
    bool may_be_in_place = false;      ///< whether it may address exactly the elements of an operand that is read
    int64_t chosen = kAll;             ///< how many elements indices or a mask choose

    static constexpr int64_t kAll = -1;
    bool is_written() const { return access != Access::Read; }
};

// Each task has a function `operands(task, visit)`, which calls visit(Operand) for every view that has memory. The first
// operand's shape and dtype stand for the task in profiles. Backends order streams by the operands, graphs hold their
// memory, the validating decorator copies and compares them.

/// The operands of a task over an Expr.
template <class T, class Visit>
void visit_inputs(const T& task, Visit& visit) {
    for (const View& view : task.inputs) visit(Operand{view, task.shape});
}

/// Runs `expr` for every index of `shape`. An output either shares no byte with any input, or addresses exactly the
/// input's elements in the same order (in-place). Addresses and strides may be no multiples of the item size.
struct Elementwise {
    const Expr* expr;
    Dims shape;
    std::span<const View> inputs;   ///< one per expr->inputs
    std::span<const View> outputs;  ///< one per expr->outputs; output k holds dtype of value outputs[k]
    const char* name = "";          ///< for messages, profiles and kernel names
};
template <class Visit> void operands(const Elementwise& task, Visit&& visit) {
    for (const View& view : task.outputs) visit(Operand{view, task.shape, Access::Write, true});
    visit_inputs(task, visit);
}

/// The shape of a task's results: 1 where it reduces.
inline Dims without(Dims shape, const Dims& axes) {
    for (const int64_t axis : axes) shape[int(axis)] = 1;
    return shape;
}

/// Reduces each output of `expr` over the axes in `axes` (sorted), in the order of kernel/reduce.h. The reduced elements
/// are numbered in C order over `shape`'s reduced axes as they stand here: the planner has permuted them.
struct Reduce {
    const Expr* expr;               ///< the producer; its outputs have dtype T, a dtype of the row's domain
    Dims shape;                     ///< full shape, reduced axes included
    std::span<const View> inputs;
    std::span<const View> outputs;  ///< strides are zero on the reduced axes; dtype reduction_result(row, T)
    Dims axes;
    ReductionId row;
    const Scalar* initial = nullptr;  ///< of dtype T; combined last: combine(map(initial), result)
    const char* name = "";
};
template <class Visit> void operands(const Reduce& task, Visit&& visit) {
    const Dims results = without(task.shape, task.axes);
    for (const View& view : task.outputs) visit(Operand{view, results, Access::Write});
    visit_inputs(task, visit);
}

/// Folds output 0 of `expr` over `axes` with a binary loop strictly left to right, one fold per output element: for rows
/// that are not associative, or have no reduction of their own.
struct LeftFold {
    const Expr* expr;
    Dims shape;
    std::span<const View> inputs;
    std::span<const View> outputs;    ///< one
    Dims axes;
    LoopId loop;                      ///< (T, T) -> T
    const Scalar* initial = nullptr;  ///< the first left operand, where given
    const char* name = "";
};
template <class Visit> void operands(const LeftFold& task, Visit&& visit) {
    const Dims results = without(task.shape, task.axes);
    for (const View& view : task.outputs) visit(Operand{view, results, Access::Write});
    visit_inputs(task, visit);
}

/// Running results of output 0 of `expr` along `axis` with a binary ufunc loop: output[..., i, ...] is the result over
/// the elements up to i, in the order of kernel/scan.h. The output shares no byte with any input, or addresses exactly
/// the input's elements.
struct Scan {
    const Expr* expr;                 ///< the producer; its value outputs[0] has the loop's dtype T
    Dims shape;
    std::span<const View> inputs;
    std::span<const View> outputs;    ///< one, of dtype T
    int axis;
    LoopId loop;                      ///< (T, T) -> T
    const char* name = "";
};
template <class Visit> void operands(const Scan& task, Visit&& visit) {
    for (const View& view : task.outputs) visit(Operand{view, task.shape, Access::Write, true});
    visit_inputs(task, visit);
}

/// Reduces segments of an axis: result[..., k, ...] is that of the elements begins[k] ... ends[k] - 1 of `values`, with a
/// reduction, or with a binary loop strictly left to right. Where a segment is empty the result stays as it is; none is
/// longer than kernel::kLongestSegment. Values are aligned, and contiguous along the axis or along another one; the result
/// shares no byte with them.
struct SegmentedReduce {
    Dims shape;               ///< of the values
    int axis;
    View values;              ///< dtype T
    int64_t count;            ///< segments
    View begins, ends;        ///< int64, contiguous
    View result;              ///< dtype T; its stride at `axis` is from segment to segment
    ReductionId row = kNone;  ///< gives T again
    LoopId loop = kNone;      ///< (T, T) -> T
    const char* name = "";

    const char* kernel() const { return "segmented_reduce"; }
};
template <class Visit> void operands(const SegmentedReduce& task, Visit&& visit) {
    const Dims segments{task.count};
    Dims results = task.shape;
    results[task.axis] = task.count;
    visit(Operand{task.values, task.shape});
    visit(Operand{task.begins, segments});
    visit(Operand{task.ends, segments});
    visit(Operand{task.result, results, Access::Write});
}

/// Products of stacks of matrices: result[i, j] = sum over k of left[i, k] * right[k, j] for each index of `batch`, in the
/// order of kernel/matmul.h. All are of one dtype; strides are over the batch, then rows and columns. The result shares
/// no byte with the factors; at most 8 axes of the batch.
struct Matmul {
    Dims batch;
    int64_t rows, depth, columns;
    View left, right, result;
    const char* name = "";

    const char* kernel() const { return "matmul"; }
    Dims stack_of(int64_t matrix_rows, int64_t matrix_columns) const {
        Dims shape = batch;
        shape.push_back(matrix_rows);
        shape.push_back(matrix_columns);
        return shape;
    }
};
template <class Visit> void operands(const Matmul& task, Visit&& visit) {
    visit(Operand{task.result, task.stack_of(task.rows, task.columns), Access::Write});
    visit(Operand{task.left, task.stack_of(task.rows, task.depth)});
    visit(Operand{task.right, task.stack_of(task.depth, task.columns)});
}

/// Cross-correlation of a signal with weights: result[i] is the sum over k of signal[i - before + k] * weights[k], in the
/// order of kernel/correlate.h. Memory is contiguous and aligned, of one dtype; the result shares no byte.
struct Correlate {
    int64_t n, taps;        ///< elements of the signal, and weights
    int64_t before, count;  ///< elements before the signal that the first result reaches, and results
    View signal, weights, result;
    const char* name = "";

    const char* kernel() const { return "correlate"; }
};
template <class Visit> void operands(const Correlate& task, Visit&& visit) {
    visit(Operand{task.result, Dims{task.count}, Access::Write});
    visit(Operand{task.signal, Dims{task.n}});
    visit(Operand{task.weights, Dims{task.taps}});
}

/// An axis along which an index, and not the task's own coordinate, says where an element lies.
struct IndexedAxis {
    View index;      ///< int64 positions
    int64_t size;    ///< the axis's extent
    int64_t stride;  ///< bytes, in the indexed array
    int axis;        ///< its number, for messages
};

/// Elements chosen by indices: for every p of `shape`, elements[p] goes with the array's element at
/// array[p] + the sum of position(index[p]) * stride over `indices`. Nothing overlaps; items are of one size, except
/// those of an update. An index outside raises IndexError before anything is written; on an asynchronous device the next
/// synchronisation raises it, reads give zero and writes are dropped.
struct IndexedAccess {
    enum class Kind : uint8_t {
        Gather,   ///< elements[p] = the array's
        Scatter,  ///< the array's = elements[p]; of several for one place the last in C order stays
        Update    ///< the array's = loop(the array's, elements[p]), one p after the other in C order, each in the loop's types
    };
    Kind kind;
    Dims shape;
    View array;             ///< strides are zero where only indices move
    std::span<const IndexedAxis> indices;
    View elements;          ///< of an update: of the loop's second type; not read where it has one input
    kernel::Outside outside = kernel::Outside::Raise;
    const char* name = "";
    LoopId loop = kNone;    ///< of an update; one output

    const char* kernel() const {
        static constexpr const char* kNames[] = {"gather", "scatter", "update"};
        return kNames[int(kind)];
    }
};
template <class Visit> void operands(const IndexedAccess& task, Visit&& visit) {
    using Kind = IndexedAccess::Kind;
    const bool gathers = task.kind == Kind::Gather;
    visit(Operand{task.elements, task.shape, gathers ? Access::Write : Access::Read});
    visit(Operand{task.array, task.shape,
                  gathers ? Access::Read : task.kind == Kind::Scatter ? Access::Write : Access::ReadWrite, false,
                  count(task.shape)});
    for (const IndexedAxis& axis : task.indices) visit(Operand{axis.index, task.shape});
}

/// How many elements of a mask are true.
struct MaskCounts {
    int64_t total = 0;
    StorageRef before;  ///< the backend's own: how many are true before each block of the mask
};

/// Elements chosen by a mask, packed: array[p] goes with packed[k], where p is the k-th index in C order at which the mask
/// is true.
struct Compaction {
    enum class Kind : uint8_t {
        Compress,  ///< packed[k] = array[p]
        Expand,    ///< array[p] = packed[k]
        Nonzero    ///< packed[i, k] = p[i]: two axes, dtype int64; there is no array
    };
    Kind kind;
    Dims shape;
    View mask;                 ///< bool, contiguous in C order
    const MaskCounts* counts;  ///< of this mask
    View array;                ///< over `shape`
    View packed;               ///< one axis of counts->total elements
    const char* name = "";

    const char* kernel() const {
        static constexpr const char* kNames[] = {"compress", "expand", "nonzero"};
        return kNames[int(kind)];
    }
};
template <class Visit> void operands(const Compaction& task, Visit&& visit) {
    using Kind = Compaction::Kind;
    const int64_t total = task.counts->total;
    const Dims packed = task.kind == Kind::Nonzero ? Dims{task.shape.size(), total} : Dims{total};
    if (task.array.storage)
        visit(Operand{task.array, task.shape, task.kind == Kind::Expand ? Access::Write : Access::Read, false, total});
    visit(Operand{task.mask, task.shape});
    visit(Operand{View{task.counts->before.get(), 0, DType::int64, {}}, Dims{}});
    visit(Operand{task.packed, packed, task.kind == Kind::Expand ? Access::Read : Access::Write});
}

/// Sorts rows of elements, stable, in the order of kernel/sort.h. Memory is contiguous and aligned. Where `kth` is given,
/// at most 8 ascending positions, only the elements there need be those of the sorted row, smaller ones before and larger
/// ones behind, equal ones in their order; values and result then share no memory.
struct Sort {
    int64_t rows, n;
    View values;   ///< (rows, n)
    View result;   ///< (rows, n): the values, of a real dtype, possibly in their own memory; or int64 indices
    bool indices;  ///< whether the result is the indices in their rows of the sorted values
    bool refines;  ///< the result holds such indices already, which stay in order where values are equal
    bool descending;
    const char* name = "";
    std::span<const int64_t> kth = {};

    const char* kernel() const { return "sort"; }
};
template <class Visit> void operands(const Sort& task, Visit&& visit) {
    const Dims shape{task.rows, task.n};
    visit(Operand{task.values, shape});
    visit(Operand{task.result, shape, task.refines ? Access::ReadWrite : Access::Write, !task.indices});
}

/// The elements that would stand at the positions `kth` if the rows were sorted in ascending order. Memory is contiguous
/// and aligned.
struct OrderStatistics {
    int64_t rows, n;
    View values;                   ///< (rows, n), of a real dtype
    std::span<const int64_t> kth;  ///< ascending
    View result;                   ///< (rows, number of kth)
    const char* name = "";

    const char* kernel() const { return "order_statistics"; }
};
template <class Visit> void operands(const OrderStatistics& task, Visit&& visit) {
    visit(Operand{task.values, Dims{task.rows, task.n}});
    visit(Operand{task.result, Dims{task.rows, int64_t(task.kth.size())}, Access::Write});
}

/// Where values belong in one sorted row. Memory is contiguous and aligned, of one dtype.
struct SearchSorted {
    int64_t n, count;
    View sorted, values;
    View result;  ///< int64
    bool right;   ///< behind equal elements, not before them
    const char* name = "";

    const char* kernel() const { return "searchsorted"; }
};
template <class Visit> void operands(const SearchSorted& task, Visit&& visit) {
    const Dims shape{task.count};
    visit(Operand{task.values, shape});
    visit(Operand{task.sorted, Dims{task.n}});
    visit(Operand{task.result, shape, Access::Write});
}

/// How many of n values fall into each of some bins, or the sums of their weights, in an order that is always the same.
/// Values are bin numbers, or lie between edges; those outside are left out. Memory is contiguous and aligned.
struct Histogram {
    int64_t n, bins;
    View values;      ///< float32, float64, int64 or uint64
    View edges;       ///< bins + 1 ascending ones of the same dtype; no storage: the values are bin numbers
    bool equal_bins;  ///< a hint: the edges are floats, equally spaced
    View weights;     ///< float64, or no storage
    View result;      ///< int64 counts, or float64 sums
    const char* name = "";

    const char* kernel() const { return "histogram"; }
};
template <class Visit> void operands(const Histogram& task, Visit&& visit) {
    const Dims values{task.n};
    visit(Operand{task.values, values});
    if (task.edges.storage) visit(Operand{task.edges, Dims{task.bins + 1}});
    if (task.weights.storage) visit(Operand{task.weights, values});
    visit(Operand{task.result, Dims{task.bins}, Access::Write});
}

/// Any task, by reference.
class Task {
 public:
    template <class T> Task(const T& task) : task_(&task) {}

    template <class Visit> decltype(auto) visit(Visit&& visit) const {
        return std::visit([&](const auto* task) -> decltype(auto) { return visit(*task); }, task_);
    }

 private:
    std::variant<const Elementwise*, const Reduce*, const LeftFold*, const Scan*, const SegmentedReduce*, const Matmul*,
                 const Correlate*, const IndexedAccess*, const Compaction*, const Sort*, const OrderStatistics*,
                 const SearchSorted*, const Histogram*>
        task_;
};

}  // namespace cuarray
