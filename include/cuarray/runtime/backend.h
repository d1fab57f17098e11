// backend.h -- what a device must be able to do: run an Expr, fold one, copy bytes. Two implementations, host and
// cuda, that nobody includes; runtime/registry.h hands them out.
#pragma once
#include <atomic>
#include <cstdint>
#include <span>
#include <string>
#include "cuarray/core/device.h"
#include "cuarray/core/expr.h"
#include "cuarray/core/layout.h"
#include "cuarray/kernel/gather.h"
#include "cuarray/runtime/memory.h"
#include "cuarray/runtime/storage.h"

namespace cuarray {

/// An operand: memory plus how the task's shape walks over it (zero strides where broadcast).
struct View {
    Storage* storage = nullptr;
    int64_t offset = 0;  ///< bytes from storage->data to the element at index 0
    DType dtype = DType::none;
    Dims strides;        ///< bytes, one per axis of the task's shape

    char* data() const { return static_cast<char*>(storage->data) + offset; }
};

/// Runs `expr` for every index of `shape`. An output either shares no byte with any input, or addresses exactly the
/// input's elements in the same order (in-place). Addresses and strides may be no multiples of the item size.
struct Elementwise {
    const Expr* expr;
    Dims shape;
    std::span<const View> inputs;   ///< one per expr->inputs
    std::span<const View> outputs;  ///< one per expr->outputs; output k holds dtype of value outputs[k]
    const char* name = "";          ///< for messages, profiles and kernel names
};

/// One loop of the table, with one result and no fault, over operands of its own dtypes: what most calls are, told
/// without an Expr. What holds for the outputs of an Elementwise holds for this one's.
struct SingleLoop {
    struct Operand {
        Storage* storage = nullptr;      ///< null: a scalar; of the result: new memory
        int64_t offset = 0;              ///< as in a View
        const Dims* strides = nullptr;
        const Scalar* scalar = nullptr;

        char* data() const { return static_cast<char*>(storage->data) + offset; }
    };
    LoopId loop;
    const Dims& shape;
    const char* name;
    int64_t bytes = 0;  ///< of the result
    Operand in[kMaxIn] = {}, out = {};
};

/// Folds each output of `expr` over the axes in `axes` (sorted). The fold order is that of kernel/reduce.h, the reduced
/// elements being numbered in C order over `shape`'s reduced axes as they stand here (whoever plans has permuted them).
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

/// Folds output 0 of `expr` along `axes` with a binary ufunc loop strictly left to right (the rows that are not
/// associative, or have no reduction of their own), one fold per output element.
struct Fold {
    const Expr* expr;
    Dims shape;
    std::span<const View> inputs;
    View output;
    Dims axes;
    LoopId loop;                      ///< (T, T) -> T
    const Scalar* initial = nullptr;  ///< the first left operand, where given
    const char* name = "";
};

/// Where a task's results go, and how they are made to go elsewhere.
inline std::span<const View> targets_of(const Reduce& task) { return task.outputs; }
inline std::span<const View> targets_of(const Fold& task) { return {&task.output, 1}; }
inline void set_targets(Reduce& task, std::span<const View> outputs) { task.outputs = outputs; }
inline void set_targets(Fold& task, std::span<const View> outputs) { task.output = outputs.front(); }

/// Running results of output 0 of `expr` along `axis` with a binary ufunc loop: output[..., i, ...] is the result over
/// the elements up to i, in the order of kernel/scan.h. The output walks over `shape` and either shares no byte with any
/// input, or addresses exactly the input's elements.
struct Scan {
    const Expr* expr;                 ///< the producer; its value outputs[0] has the loop's dtype T
    Dims shape;
    std::span<const View> inputs;
    View output;                      ///< dtype T
    int axis;
    LoopId loop;                      ///< (T, T) -> T
    const char* name = "";
};

/// Folds of parts of an axis: result[..., k, ...] is that of the elements begins[k] ... ends[k] - 1 of `values`, with a
/// reduction, or with a binary loop strictly left to right. Where a part is empty the result stays as it is; none is longer
/// than kernel::kLongestSegment. Values are aligned, and lie side by side along the axis or along another one; the result shares no byte with them.
struct Segments {
    Dims shape;               ///< of the values
    int axis;
    View values;              ///< dtype T
    int64_t count;            ///< parts
    View begins, ends;        ///< int64, contiguous
    View result;              ///< dtype T; its stride at `axis` is from part to part
    ReductionId row = kNone;  ///< gives T again
    LoopId loop = kNone;      ///< (T, T) -> T
    const char* name = "";
};

/// Products of stacks of matrices: result[i, j] = sum over k of left[i, k] * right[k, j] for each index of `batch`, in the
/// order of kernel/matmul.h. All are of one dtype; strides are over the batch, then rows and columns. The result shares
/// no byte with the factors; at most 8 axes of the batch.
struct Matmul {
    Dims batch;
    int64_t rows, depth, columns;
    View left, right, result;
    const char* name = "";
};

/// Sums of products of a row of taps that slides along a line: result[i] is the sum over k of line[i - before + k] *
/// taps[k], in the order of kernel/slide.h. Memory is contiguous and aligned, of one dtype; the result shares no byte.
struct Slide {
    int64_t n, taps, before, count;
    View line, row, result;
    const char* name = "";
};

/// An axis along which an index, and not the task's own coordinate, says where an element lies.
struct IndexedAxis {
    View index;      ///< int64 positions
    int64_t size;    ///< the axis's extent
    int64_t stride;  ///< bytes, in the indexed array
    int axis;        ///< its number, for messages
};

/// Elements chosen by indices: for every p of `shape`, elements[p] is the array's element at
/// array[p] + the sum of position(index[p]) * stride over `indices`. Nothing overlaps; items are of one size.
struct Indexed {
    Dims shape;
    View array;                           ///< strides are zero where only indices move
    std::span<const IndexedAxis> indices;
    View elements;                        ///< gather writes it; scatter reads it
    kernel::Outside outside = kernel::Outside::Raise;
    const char* name = "";
};

/// Elements chosen by indices become loop(array[p], elements[p]), one p after the other in C order, also where several
/// choose one place. Every step is taken in the loop's types and cast to the array's.
struct Update {
    Indexed at;   ///< elements have the loop's second type; where it has one input they are not read
    LoopId loop;  ///< one output
};

/// The true elements of a mask, numbered in C order.
struct Ranks {
    int64_t count = 0;
    StorageRef before;  ///< the backend's own: how many stand before each stretch of the mask
};

/// Elements chosen by a mask: array[p] goes with line[k], where p is the k-th index at which the mask is true.
struct Masked {
    Dims shape;
    View mask;           ///< bool, contiguous in C order
    const Ranks* ranks;  ///< of this mask
    View array;          ///< over `shape`
    View line;           ///< one axis of ranks->count elements
    const char* name = "";
};

/// Sorts rows of elements, stable, in the order of kernel/sort.h. Memory is contiguous and aligned. Where ranks are given,
/// at most 8 ascending ones, it is enough if those elements stand at them that do so in the sorted row, smaller ones before
/// and larger ones behind, equal ones in their order; values and result are then no memory in common.
struct Sort {
    int64_t rows, n;
    View values;   ///< (rows, n)
    View result;   ///< (rows, n): the values, of a real dtype, possibly in their own memory; or int64 indices
    bool indices;  ///< whether the result is the places in their rows that the sorted values come from
    bool refines;  ///< the result holds such places already, which stay in order where values are equal
    bool descending;
    const char* name = "";
    std::span<const int64_t> ranks = {};
};

/// The elements that would stand at some places if the rows were sorted in ascending order. Memory is contiguous and
/// aligned.
struct Select {
    int64_t rows, n;
    View values;                     ///< (rows, n), of a real dtype
    std::span<const int64_t> ranks;  ///< places in a sorted row, ascending
    View result;                     ///< (rows, ranks)
    const char* name = "";
};

/// Where values belong in one sorted row. Memory is contiguous and aligned, of one dtype.
struct Search {
    int64_t n, count;
    View sorted, values;
    View places;  ///< int64
    bool right;   ///< behind equal elements, not before them
    const char* name = "";
};

/// How many of n values fall into each of some bins, or the sums of their weights, in an order that is always the same.
/// Values are bins themselves, or lie between edges; those outside are left out. Memory is contiguous and aligned.
struct Tally {
    int64_t n, bins;
    View values;      ///< float32, float64, int64 or uint64
    View edges;       ///< bins + 1 ascending ones of the same dtype; no storage: the values are bins
    bool equal_bins;  ///< a hint: the edges are floats, equally spaced
    View weights;     ///< float64, or no storage
    View result;      ///< int64 counts, or float64 sums
    const char* name = "";
};

/// What went wrong inside a run that could only be seen in the values.
enum class Fault : uint32_t { None = 0, Raised = 1 };
inline constexpr char kNegativePower[] =
    "integers to negative integer powers are not allowed; use float_power, or a floating-point dtype";

class Runtime;

/// A device. Methods may be called from any thread; work is ordered as if it ran at the call.
class CUARRAY_API Backend {
 public:
    explicit Backend(Device device) : device_(device) {}
    virtual ~Backend() = default;
    Backend(const Backend&) = delete;
    Backend& operator=(const Backend&) = delete;
    Device device() const { return device_; }

    /// The outermost decorator around this backend (runtime/decorator.h), or itself: who is to be asked for work.
    Backend& front() const { return *front_.load(std::memory_order_acquire); }
    /// For the registry, which installs decorators; a front is never destroyed.
    void set_front(Backend& front) { front_.store(&front, std::memory_order_release); }

    /// A new block of at least `bytes` (256-byte aligned, contents undefined); MemoryError with bytes asked and
    /// available. Zero bytes give a storage with a null address.
    virtual StorageRef allocate(int64_t bytes) = 0;

    /// Returns Fault::Raised where expr.fault was true; on an asynchronous device the fault is raised by the next
    /// synchronisation instead.
    virtual Fault elementwise(const Elementwise& task) = 0;
    /// The same of one loop; gives the result's memory where that is new. Unless a device knows a shorter way, it is
    /// an Expr made once per thread.
    virtual StorageRef single_loop(const SingleLoop& task);
    virtual void reduce(const Reduce& task) = 0;
    virtual void fold(const Fold& task) = 0;
    virtual void scan(const Scan& task) = 0;
    virtual void fold_segments(const Segments& task) = 0;
    virtual void matmul(const Matmul& task) = 0;
    virtual void slide(const Slide& task) = 0;

    /// Reads, or writes, the elements that indices choose. An index outside raises IndexError before anything is
    /// written; on an asynchronous device the next synchronisation raises it, reads give zero and writes are dropped.
    /// Of several elements for one place the last in C order stays.
    virtual void gather(const Indexed& task) = 0;
    virtual void scatter(const Indexed& task) = 0;
    virtual void update(const Update& task) = 0;

    /// Counts a contiguous mask of `size` elements; waits for the count.
    virtual Ranks rank(const View& mask, int64_t size) = 0;
    /// line[k] = array[p]
    virtual void compress(const Masked& task) = 0;
    /// array[p] = line[k]
    virtual void expand(const Masked& task) = 0;
    /// line[i, k] = p[i]: `line` has two axes and dtype int64; there is no array.
    virtual void locate(const Masked& task) = 0;

    virtual void sort(const Sort& task) = 0;
    virtual void select(const Select& task) = 0;
    virtual void search(const Search& task) = 0;
    virtual void tally(const Tally& task) = 0;

    /// Raw bytes between host memory and a storage of this device. The host memory may be reused on return.
    virtual void write(Storage& to, int64_t offset, const void* from, int64_t bytes) = 0;
    virtual void read(void* to, Storage& from, int64_t offset, int64_t bytes) = 0;
    /// Raw bytes between two storages, at least one of this device.
    virtual void copy(Storage& to, int64_t to_offset, Storage& from, int64_t from_offset, int64_t bytes) = 0;

    /// Waits for everything queued here on any stream; raises what went wrong since the last wait.
    virtual void synchronize() = 0;
    /// True where the host may follow Storage::data once `wait` has returned (cpu).
    virtual bool is_host_accessible() const = 0;
    /// Streams, kinds of memory and properties of the device.
    virtual Runtime& runtime() = 0;

    /// Figures, limits and the like; always the same object.
    virtual Memory& memory() = 0;
    /// JSON text of what the doctor prints: name, level or compute capability, threads, libraries.
    virtual std::string describe() const = 0;

 private:
    const Device device_;
    std::atomic<Backend*> front_{this};
};

inline Device Storage::device() const { return backend->device(); }
inline Backend& Storage::front() const { return backend->front(); }

}  // namespace cuarray
