// task.h -- the tasks that a device runs: one struct per task, and the operands that it reads and writes.
#pragma once
#include <cstdint>
#include <span>
#include <variant>
#include "cuarray/core/expr.h"
#include "cuarray/core/layout.h"
#include "cuarray/core/outside.h"
#include "cuarray/core/random_draw.h"
#include "cuarray/kernel/gather.h"
#include "cuarray/kernel/pcg64.h"
#include "cuarray/runtime/storage.h"

namespace cuarray {

/// Memory with strides over the task's shape (zero where broadcast).
struct View {
    Storage* storage = nullptr;
    int64_t offset = 0;  ///< bytes from storage->data to the element at index 0
    DType dtype = DType::none;
    Dims strides;  ///< bytes, one per axis of the task's shape

    char* data() const { return static_cast<char*>(storage->data) + offset; }
};

/// How a task uses an operand's memory.
enum class Access : uint8_t { Read, Write, ReadWrite };

/// A view that a task reads or writes.
struct Operand {
    const View& view;
    const Dims& shape;  ///< of the view
    Access access = Access::Read;
    bool may_be_in_place = false;  ///< whether it may address exactly the elements of an operand that is read
    int64_t chosen = kAll;         ///< number of elements that indices or a mask select

    static constexpr int64_t kAll = -1;
    bool is_written() const { return access != Access::Read; }
};

// Each task has a function `operands(task, visit)`, which calls visit(Operand) for every view that has memory. Profiles
// show the first operand's shape and dtype. Backends order streams by the operands, graphs hold their memory, the
// validating decorator copies and compares them.

/// The operands of a task over an Expr.
template <class T, class Visit>
void visit_inputs(const T& task, Visit& visit) {
    for (const View& view : task.inputs) visit(Operand{view, task.shape});
}

/// Runs `expr` for every index of `shape`. An output either shares no byte with any input, or addresses exactly the
/// input's elements in the same order (in-place). Addresses and strides need not be multiples of the item size.
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

/// The shape of a task's results: extent 1 along the reduced axes.
inline Dims without(Dims shape, const Dims& axes) {
    for (const int64_t axis : axes) shape[int(axis)] = 1;
    return shape;
}

/// Reduces each output of `expr` over the axes in `axes` (sorted), in the order of kernel/reduce.h. The reduced
/// elements are numbered in C order over the reduced axes of `shape`, which the planner has permuted.
struct Reduce {
    const Expr* expr;  ///< the producer; its outputs have dtype T, a dtype of the row's domain
    Dims shape;        ///< full shape, reduced axes included
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

/// Folds output 0 of `expr` over `axes` with a binary loop strictly left to right, one fold per output element: for
/// rows that are not associative, or have no reduction of their own.
struct LeftFold {
    const Expr* expr;
    Dims shape;
    std::span<const View> inputs;
    std::span<const View> outputs;  ///< one
    Dims axes;
    LoopId loop;                      ///< (T, T) -> T
    const Scalar* initial = nullptr;  ///< the first left operand, if given
    const char* name = "";
};
template <class Visit> void operands(const LeftFold& task, Visit&& visit) {
    const Dims results = without(task.shape, task.axes);
    for (const View& view : task.outputs) visit(Operand{view, results, Access::Write});
    visit_inputs(task, visit);
}

/// Inclusive scan of output 0 of `expr` along `axis` with a binary ufunc loop: output[..., i, ...] is the result over
/// the elements up to i, in the order of kernel/scan.h. The output shares no byte with any input, or addresses exactly
/// the input's elements.
struct Scan {
    const Expr* expr;  ///< the producer; its value outputs[0] has the loop's dtype T
    Dims shape;
    std::span<const View> inputs;
    std::span<const View> outputs;  ///< one, of dtype T
    int axis;
    LoopId loop;  ///< (T, T) -> T
    const char* name = "";
};
template <class Visit> void operands(const Scan& task, Visit&& visit) {
    for (const View& view : task.outputs) visit(Operand{view, task.shape, Access::Write, true});
    visit_inputs(task, visit);
}

/// Reduces segments of an axis: result[..., k, ...] is the reduction of the elements begins[k] ... ends[k] - 1 of
/// `values` with a row, or their left fold with a binary loop. The result of an empty segment is not written; no
/// segment is longer than kernel::kLongestSegment. Values are aligned, and contiguous along the axis or along another
/// one; the result shares no byte with them.
struct SegmentedReduce {
    Dims shape;  ///< of the values
    int axis;
    View values;              ///< dtype T
    int64_t count;            ///< segments
    View begins, ends;        ///< int64, contiguous
    View result;              ///< dtype T; its stride along `axis` is from segment to segment
    ReductionId row = kNone;  ///< with results of dtype T
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

/// Products of stacks of matrices: result[i, j] = sum over k of left[i, k] * right[k, j] for each index of `batch`, in
/// the order of kernel/matmul.h. All are of one dtype; strides are over the batch, then rows and columns. The result
/// shares no byte with the factors; at most 8 axes of the batch.
struct Matmul {
    Dims batch;
    int64_t rows, depth, columns;
    View left, right, result;
    bool by_library;  ///< by the vendor's library, in its order of additions, if it takes the task
    bool tf32;        ///< the library may round float32 factors to 10 bits of mantissa, for tensor cores
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

/// Cross-correlation of a signal with weights: result[i] is the sum over k of signal[i - before + k] * weights[k], in
/// the order of kernel/correlate.h. Memory is contiguous and aligned, of one dtype; the result shares no byte.
struct Correlate {
    int64_t n, taps;        ///< elements of the signal, and weights
    int64_t before, count;  ///< elements by which the first result starts before the signal, and number of results
    View signal, weights, result;
    const char* name = "";

    const char* kernel() const { return "correlate"; }
};
template <class Visit> void operands(const Correlate& task, Visit&& visit) {
    visit(Operand{task.result, Dims{task.count}, Access::Write});
    visit(Operand{task.signal, Dims{task.n}});
    visit(Operand{task.weights, Dims{task.taps}});
}

/// An axis along which an index array, not the task's coordinate, gives the position of an element.
struct IndexedAxis {
    View index;      ///< int64 positions
    int64_t size;    ///< the axis's extent
    int64_t stride;  ///< bytes, in the indexed array
    int axis;        ///< its number, for messages
};

/// Elements selected by indices: for every p of `shape`, elements[p] corresponds to the array's element at
/// array[p] + the sum of position(index[p]) * stride over `indices`. Operands do not overlap; items have one size,
/// except in an update. An index out of bounds raises IndexError before anything is written; on an asynchronous
/// device the next synchronisation raises it, reads give zero and writes are dropped.
struct IndexedAccess {
    using Kind = kernel::IndexedAccessKind;
    Kind kind;
    Dims shape;
    View array;  ///< strides are zero along axes where only the indices vary
    std::span<const IndexedAxis> indices;
    View elements;  ///< update: of the loop's second dtype; not read if the loop has one input
    Outside outside = Outside::Raise;
    const char* name = "";
    LoopId loop = kNone;  ///< update: a loop with one output

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
                  gathers                      ? Access::Read
                  : task.kind == Kind::Scatter ? Access::Write
                                               : Access::ReadWrite,
                  false, count(task.shape)});
    for (const IndexedAxis& axis : task.indices) visit(Operand{axis.index, task.shape});
}

/// The number of true elements of a mask.
struct MaskCounts {
    int64_t total = 0;
    StorageRef before;  ///< the number of true elements before each block of the mask; format private to the backend
};

/// Elements selected by a mask, packed: array[p] corresponds to packed[k], where p is the k-th index in C order at
/// which the mask is true.
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

/// Sorts rows of elements, stable, in the order of kernel/sort.h. Memory is contiguous and aligned. With `kth`, at
/// most 8 ascending positions, partitions the rows: only the elements at those positions need be those of the sorted
/// row, with smaller ones before and larger ones after, equal ones in their order; values and result then share no
/// memory.
struct Sort {
    int64_t rows, n;
    View values;   ///< (rows, n)
    View result;   ///< (rows, n): the values, of a real dtype, possibly in place; or int64 indices
    bool indices;  ///< whether the result is the indices, within the row, of the sorted values
    bool refines;  ///< the result already holds such indices, whose order is kept for equal values (lexsort)
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

/// The elements that would be at the positions `kth` if the rows were sorted in ascending order. Memory is contiguous
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

/// The positions at which values would be inserted in one sorted row. Memory is contiguous and aligned, of one dtype.
struct SearchSorted {
    int64_t n, count;
    View sorted, values;
    View result;  ///< int64
    bool right;   ///< after equal elements, not before them
    const char* name = "";

    const char* kernel() const { return "searchsorted"; }
};
template <class Visit> void operands(const SearchSorted& task, Visit&& visit) {
    const Dims shape{task.count};
    visit(Operand{task.values, shape});
    visit(Operand{task.sorted, Dims{task.n}});
    visit(Operand{task.result, shape, Access::Write});
}

/// Counts n values per bin, or sums their weights per bin, always in the same order. Values are bin numbers, or lie
/// between edges; values outside are ignored. Memory is contiguous and aligned.
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

/// Discrete Fourier transforms of a stack, over its last one, two or three axes, without scaling. Memory is contiguous
/// in C order and aligned to 16 bytes. By a library of the device; on `cpu` Python's transforms are NumPy's.
struct FourierTransform {
    enum class Kind : uint8_t {
        Forward,   ///< complex to complex, exp(-2 pi i ...)
        Inverse,   ///< exp(+2 pi i ...)
        FromReal,  ///< forward, real to complex: of the last axis, points / 2 + 1 frequencies
        ToReal     ///< inverse, complex to real; overwrites its input
    };
    Kind kind;
    int64_t batch;
    Dims points;  ///< extents of the transformed axes, of their real side
    View from, to;
    const char* name = "";

    const char* kernel() const { return "fft"; }
    /// The shape of the real or of the complex side; both sides of a complex transform are the former.
    Dims shape_of(bool is_half) const {
        Dims shape = points;
        if (is_half) shape.back() = points.back() / 2 + 1;
        shape.insert(0, batch);
        return shape;
    }
};
template <class Visit> void operands(const FourierTransform& task, Visit&& visit) {
    using Kind = FourierTransform::Kind;
    visit(Operand{task.from, task.shape_of(task.kind == Kind::ToReal),
                  task.kind == Kind::ToReal ? Access::ReadWrite : Access::Read});
    visit(Operand{task.to, task.shape_of(task.kind == Kind::FromReal), Access::Write, true});
}

/// A routine of LAPACK, for each matrix of a stack. Matrices are stored by columns: memory is contiguous in C order and
/// aligned, and the last axis of a matrix runs down its columns. For devices whose vendor has these routines alone; the
/// host runs a LapackDriver.
struct LapackRoutine {
    enum class Kind : uint8_t {
        Potrf,  ///< Cholesky: a triangle becomes the factor; the other one is not defined
        Getrf,  ///< both factors of P @ L @ U; numbers: pivots, int64, from 1
        Getrs,  ///< right sides become solutions; matrix and pivots are Getrf's, of each matrix or of one for all
        Geqrf,  ///< R, and below it the reflectors of Q; numbers: their factors
        Orgqr,  ///< reflectors become columns of Q; the factors are Geqrf's
        Syevd,  ///< Hermitian: eigenvectors, if asked for; numbers: eigenvalues, ascending
        Gesvd,  ///< rows >= columns; numbers: singular values, descending
        Geev    ///< square; numbers: complex eigenvalues; of real matrices, pairs of right vectors as LAPACK's
    };
    enum class VectorSet : uint8_t { None, Reduced, Full };  ///< Full: left is square
    Kind kind;
    int64_t batch, rows, columns;
    int64_t count;      ///< numbers of each matrix
    int64_t solved;     ///< Getrs: right sides of each matrix
    bool lower;         ///< Potrf, Syevd: the triangle that is read
    VectorSet vectors;  ///< Syevd, Gesvd, Geev
    View matrix;        ///< (batch, columns, rows), overwritten
    View numbers;       ///< (batch, count), of the matrix's dtype, its real or complex one, or int64; or no storage
    View right;         ///< (batch, solved, rows), or no storage
    View left_vectors, right_vectors;  ///< (batch, columns or rows, rows), (batch, columns, columns), or no storage
    View info;                         ///< (batch), int32: 0, or where the routine failed
    const char* name = "";

    const char* kernel() const {
        static constexpr const char* kNames[] = {"potrf", "getrf", "getrs", "geqrf", "orgqr", "syevd", "gesvd", "geev"};
        return kNames[int(kind)];
    }
};
template <class Visit> void operands(const LapackRoutine& task, Visit&& visit) {
    using Kind = LapackRoutine::Kind;
    const bool solves = task.kind == Kind::Getrs, uses_numbers = solves || task.kind == Kind::Orgqr;
    const int64_t left = task.vectors == LapackRoutine::VectorSet::Full ? task.rows : task.columns;
    const auto visit_if_there = [&](const View& view, const Dims& shape, Access access) {
        if (view.storage) visit(Operand{view, shape, access});
    };
    visit_if_there(task.matrix, {task.batch, task.columns, task.rows}, solves ? Access::Read : Access::ReadWrite);
    visit_if_there(task.numbers, {task.batch, task.count}, uses_numbers ? Access::Read : Access::Write);
    visit_if_there(task.right, {task.batch, task.solved, task.rows}, Access::ReadWrite);
    visit_if_there(task.left_vectors, {task.batch, left, task.rows}, Access::Write);
    visit_if_there(task.right_vectors, {task.batch, task.columns, task.columns}, Access::Write);
    visit_if_there(task.info, {task.batch}, Access::Write);
}

/// Linear equations or factors of each matrix of a stack of float64 or complex128, by LAPACK's drivers as NumPy calls
/// them. Matrices that are read have any strides; what is written is contiguous in C order and aligned. Only for the
/// host, which runs it at once.
struct LapackDriver {
    enum class Kind : uint8_t {
        Solve,           ///< left: x of matrix @ x = sides
        Invert,          ///< left: the inverse
        Determinant,     ///< left: one number
        LogDeterminant,  ///< left: its sign; values: the logarithm of its absolute value
        Cholesky,        ///< left: the triangle that is read as a factor, lower or upper
        Hermitian,       ///< values in ascending order; left: eigenvectors as columns
        General,         ///< the same of any square matrix, complex, in no order
        Singular,        ///< left: columns; values in descending order; right: rows
        Orthogonal,      ///< left: orthonormal columns; right: the upper triangle
        Reflectors,      ///< right: what Geqrf leaves, transposed; values: the factors of the reflectors
        LeastSquares     ///< one matrix. left: x of matrix @ x = sides; values as Singular's; right: squared lengths of
                         ///< the columns of the sides that are left, from row `columns` on
    };
    using VectorSet = LapackRoutine::VectorSet;
    /// A stack of matrices: what is one number or line for each matrix has one row. Without storage it is missing.
    struct Stack {
        View view;  ///< (batch, rows, columns)
        int64_t rows = 0, columns = 0;
    };
    Kind kind;
    VectorSet vectors;  ///< of all but equations; Orthogonal: no, min(rows, columns) or rows columns of `left`
    bool lower;         ///< Cholesky, Hermitian: the triangle
    int64_t batch;
    Stack matrix, sides;        ///< read
    Stack left, values, right;  ///< written
    bool* has_failed;           ///< set if a matrix is singular, not positive definite, or does not converge
    const char* name = "";
    double cutoff = 0;        ///< LeastSquares: the part of the largest singular value up to which others are zero
    int64_t* rank = nullptr;  ///< LeastSquares: how many are not

    const char* kernel() const {
        static constexpr const char* kNames[] = {"gesv", "gesv",  "getrf", "getrf", "potrf", "syevd",
                                                 "geev", "gesdd", "orgqr", "geqrf", "gelsd"};
        return kNames[int(kind)];
    }
};
template <class Visit> void operands(const LapackDriver& task, Visit&& visit) {
    const auto visit_if_there = [&](const LapackDriver::Stack& stack, Access access) {
        const Dims shape{task.batch, stack.rows, stack.columns};
        if (stack.view.storage) visit(Operand{stack.view, shape, access});
    };
    visit_if_there(task.matrix, Access::Read);
    visit_if_there(task.sides, Access::Read);
    for (const LapackDriver::Stack* const written : {&task.left, &task.values, &task.right})
        visit_if_there(*written, Access::Write);
}

/// Fills contiguous, aligned memory with random numbers.
struct RandomFill {
    RandomDraw draw;
    kernel::RandomParameters numbers;  ///< all but the address of the result
    View result;
    const char* name = "";
    View parameters[3] = {};  ///< of each element, float64, contiguous in C order and aligned; or no storage

    const char* kernel() const { return "random_fill"; }
    /// The words of the sequence that are drawn together, and the elements that are made of them.
    struct Group {
        int words, elements;
    };
    CUARRAY_API static Group group_of(RandomDraw draw);
    /// The number of blocks of the sequence that are read, at least one.
    int64_t blocks() const {
        const Group group = group_of(draw);
        const int64_t of_block = 4 / group.words * group.elements, carried = numbers.has_carried ? of_block / 8 : 0;
        const int64_t last = int64_t(numbers.n) - carried + numbers.first * of_block / 4;
        return last <= of_block ? 1 : (last + of_block - 1) / of_block;
    }
};
template <class Visit> void operands(const RandomFill& task, Visit&& visit) {
    const Dims shape{int64_t(task.numbers.n)};
    visit(Operand{task.result, shape, Access::Write});
    for (const View& parameter : task.parameters)
        if (parameter.storage) visit(Operand{parameter, shape, Access::Read});
}

/// Numbers of NumPy's Generator over a PCG64, to contiguous, aligned memory.
struct SequenceFill {
    SequenceDraw draw;
    kernel::SequenceParameters parameters;  ///< all but addresses
    View result;                            ///< n elements
    const char* name = "";
    View end = {};  ///< of numbers that take several units: a kernel::SequenceEnd, as int64

    const char* kernel() const { return "sequence_fill"; }
    int64_t words() const { return int64_t(parameters.words); }
};
template <class Visit> void operands(const SequenceFill& task, Visit&& visit) {
    visit(Operand{task.result, Dims{int64_t(task.parameters.numbers.n)}, Access::Write});
    if (task.end.storage) visit(Operand{task.end, Dims{2}, Access::Write});
}

/// Any task, by reference.
class Task {
 public:
    template <class T> Task(const T& task) : task_(&task) {}

    /// The number of kinds of tasks.
    static constexpr size_t kinds() { return std::variant_size_v<decltype(task_)>; }

    template <class Visit> decltype(auto) visit(Visit&& visit) const {
        return std::visit([&](const auto* task) -> decltype(auto) { return visit(*task); }, task_);
    }

 private:
    std::variant<const Elementwise*, const Reduce*, const LeftFold*, const Scan*, const SegmentedReduce*, const Matmul*,
                 const Correlate*, const IndexedAccess*, const Compaction*, const Sort*, const OrderStatistics*,
                 const SearchSorted*, const Histogram*, const FourierTransform*, const LapackRoutine*,
                 const LapackDriver*, const RandomFill*, const SequenceFill*>
        task_;
};

}  // namespace cuarray
