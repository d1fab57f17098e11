// scan.cpp -- scans of any layout in the scan order of kernel/scan.h, by rows or by columns.
//
// If the smaller strides are along the lines, or there are few lines, each line is scanned by itself; several threads
// share a long line by first computing the trees of blocks of it, and from these the prefix of each block. If the
// smaller strides are across the lines, many lines are advanced together as columns, one element of each at a time.
#include <algorithm>
#include <bit>
#include <cstdlib>
#include <cstring>
#include <memory>

#include "cuarray/kernel/scan.h"
#include "host/machine.h"
#include "host/tasks.h"
#include "host/threads.h"

namespace cuarray::host {
namespace {

constexpr int64_t kPart = 256 * 1024;   // elements per thread of a line that several threads share; a power of two
constexpr int64_t kShortScan = 32;      // shorter lines are faster as columns, whatever the layout
constexpr int64_t kFewLines = 16;       // fewer are not worth advancing as columns
constexpr int64_t kColumnBytes = 2048;  // of each row of columns that are advanced together
constexpr int64_t kItem = 16;           // room for any accumulator

class ScanRun {
 public:
    ScanRun(const LoopLibrary& library, const Scan& task) : library_(library), task_(task), n_(task.shape[task.axis]) {
        const Loop& loop = loops()[task.loop];
        const RowId row = loop.row;
        is_in_order_ = !rows()[row].has(Associative);
        dtype_ = loop.in[0];
        const bool is_half = info(dtype_).kind == Kind::Floating && item_size(dtype_) == 2;
        // Halves are accumulated in float32 and rounded once; a strict left-to-right scan rounds every step.
        accumulator_ = is_half && !is_in_order_ ? DType::float32 : dtype_;
        const LoopId id = accumulator_ == dtype_ ? task.loop : loop_for(row, accumulator_);
        combine_ = library.loops[id];
        scans_ = library.scans[id];
        item_ = item_size(accumulator_);
        lay_out();
    }

    void operator()() {
        if (lines_ == 0 || n_ == 0) return;
        const DefaultFloatMode mode;
        if (by_columns_) return scan_all_columns();
        if (!is_in_order_ && thread_count() > 1 && lines_ < 2 * thread_count() && n_ >= 4 * kPart)
            return scan_long_lines();
        const int64_t per_task = lines_ * n_ < 2 * kTaskElements ? lines_ : std::max<int64_t>(1, kTaskElements / n_);
        parallel_for((lines_ + per_task - 1) / per_task, [&](int64_t i) {
            Scratch scratch;
            Machine machine(plan_, scratch, lines_ * n_);
            const int64_t end = std::min(lines_, (i + 1) * per_task);
            for (int64_t line = i * per_task; line < end; ++line) {
                if (is_in_order_)
                    scan_line_in_order(machine, line);
                else
                    scan_line(machine, line);
            }
        });
    }

 private:
    void lay_out();
    bool runs_across(const Space& lines, const int64_t* along) const;

    // Elements and results, by their position in the space.

    /// The elements from `first` on as contiguous accumulators: in place, or in `values`.
    const char* elements(Machine& machine, int64_t first, int64_t n, char* values) const;
    /// The address of the results from `first` on if they are contiguous accumulators, or null.
    char* place(int64_t first, int64_t n) const;
    void store(int64_t first, int64_t n, const char* results) const;

    // Rows.

    void scan_part(Machine& machine, int64_t first, int64_t n, ScanState& state) const;
    void scan_line(Machine& machine, int64_t line) const {
        ScanState state = {};
        scan_part(machine, line * n_, n_, state);
    }
    void tree_of_part(Machine& machine, int64_t first, char* tree) const;
    void scan_long_lines() const;
    void scan_line_in_order(Machine& machine, int64_t line) const;

    // Columns.

    void scan_all_columns() const;
    void scan_columns(Machine& machine, int64_t first, int64_t columns) const;
    void scan_columns_in_order(Machine& machine, int64_t first, int64_t columns) const;

    void combine(const char* a, const char* b, char* to, int64_t n) const {
        const void* const in[] = {a, b};
        void* const out[] = {to};
        combine_(in, out, n);
    }
    /// Bytes for n elements, at least for a block of them, because elements are computed in blocks.
    int64_t block_room(int64_t n) const { return std::max(n, plan_.block) * kItem; }

    const LoopLibrary& library_;
    const Scan& task_;
    const int64_t n_;
    Plan plan_;
    SpaceOperand output_;
    BlockLoop combine_;
    ScanLoops scans_;
    DType dtype_, accumulator_;
    int64_t item_ = 0, lines_ = 0;
    bool is_in_order_ = false, by_columns_ = false;
};

void ScanRun::lay_out() {
    const int ins = int(task_.inputs.size());
    const Expr& expr = *task_.expr;
    const bool indexed = std::any_of(expr.nodes.begin(), expr.nodes.end(),
                                     [](const ExprNode& node) { return node.op == ExprNode::Op::Index; });
    const int operands = 1 + ins + indexed;
    if (operands > Space::kMaxOperands)
        raise(ErrorKind::Value, task_.name, ": ", ins, " inputs; the host takes at most ", Space::kMaxOperands - 2);
    const Dims index_strides = indexed ? c_strides(task_.shape, 1) : Dims();
    Dims others, strides[Space::kMaxOperands];
    const Dims* pointers[Space::kMaxOperands];
    int64_t along[Space::kMaxOperands];
    for (int d = 0; d < task_.shape.size(); ++d)
        if (d != task_.axis) others.push_back(task_.shape[d]);
    for (int k = 0; k < operands; ++k) {
        const Dims& from = k == 0     ? task_.outputs[0].strides
                           : k <= ins ? task_.inputs[size_t(k - 1)].strides
                                      : index_strides;
        for (int d = 0; d < task_.shape.size(); ++d)
            if (d != task_.axis) strides[k].push_back(from[d]);
        along[k] = from[task_.axis];
        pointers[k] = &strides[k];
    }
    Space& space = plan_.space;
    collapse(space, others, {pointers, size_t(operands)});
    lines_ = space.size;
    by_columns_ = lines_ > 1 && (n_ < kShortScan || (lines_ >= kFewLines && runs_across(space, along)));
    const int at = by_columns_ ? 0 : space.ndim;
    const auto insert = [&](int64_t* values, int64_t value) {
        std::copy_backward(values + at, values + space.ndim, values + space.ndim + 1);
        values[at] = value;
    };
    insert(space.shape, n_);
    for (int k = 0; k < operands; ++k) insert(space.strides[k], along[k]);
    ++space.ndim;
    space.size *= n_;

    plan_.library = &library_;
    plan_.operands.resize(size_t(ins));
    for (int k = 0; k < ins; ++k) {
        SpaceOperand& operand = plan_.operands[size_t(k)];
        operand.base = task_.inputs[size_t(k)].data() + space.offset[k + 1];
        operand.strides = space.strides[k + 1];
        plan_.classify(operand, task_.inputs[size_t(k)].dtype);
    }
    plan_.index_strides = space.strides[ins + 1];
    plan_.index_base = indexed ? space.offset[ins + 1] : 0;
    plan_.program.build(expr, library_, 0, space.size);
    plan_.choose_block();
    output_.base = task_.outputs[0].data() + space.offset[0];
    output_.strides = space.strides[0];
    plan_.classify(output_, task_.outputs[0].dtype);
}

/// Whether most operands have smaller strides across lines than along them.
bool ScanRun::runs_across(const Space& lines, const int64_t* along) const {
    int64_t votes = 0;
    for (int k = 0; k < lines.operands && k <= int(task_.inputs.size()); ++k) {
        int64_t across = INT64_MAX;
        for (int d = 0; d < lines.ndim; ++d)
            if (lines.strides[k][d] != 0) across = std::min(across, std::abs(lines.strides[k][d]));
        if (along[k] != 0 && across != INT64_MAX) votes += across < std::abs(along[k]) ? 1 : -1;
    }
    return votes > 0;
}

const char* ScanRun::elements(Machine& machine, int64_t first, int64_t n, char* values) const {
    const bool converts = accumulator_ != dtype_;
    if (!converts)
        if (const void* const x = machine.direct(first, n)) return static_cast<const char*>(x);
    Scratch scratch;
    char* const block = scratch.take(plan_.block * kItem);
    for (int64_t i = 0; i < n; i += plan_.block) {
        const int64_t count = std::min(plan_.block, n - i);
        char* const to = values + i * item_;
        const void* const x = machine.evaluate(first + i, count, converts ? block : to);
        if (converts) {
            void* const out[] = {to};
            library_.casts[int(dtype_) * library_.dtype_count + int(accumulator_)](&x, out, count);
        } else if (x != to) {
            std::memcpy(to, x, size_t(count * item_));
        }
    }
    return values;
}

char* ScanRun::place(int64_t first, int64_t n) const {
    if (accumulator_ != dtype_ || !output_.aligned) return nullptr;
    if (output_.kind == SpaceOperand::Kind::Linear) return output_.base + first * item_;
    const Space& space = plan_.space;
    const int last = space.ndim - 1;
    if (output_.strides[last] != item_) return nullptr;
    int64_t at[kMaxDims];
    locate(space, first, at);
    if (at[last] + n > space.shape[last]) return nullptr;
    char* address = output_.base;
    for (int d = 0; d <= last; ++d) address += at[d] * output_.strides[d];
    return address;
}

void ScanRun::store(int64_t first, int64_t n, const char* results) const {
    Scratch scratch;
    if (accumulator_ != dtype_) {
        char* const rounded = scratch.take(n * output_.item());
        const void* const in[] = {results};
        void* const out[] = {rounded};
        library_.casts[int(accumulator_) * library_.dtype_count + int(dtype_)](in, out, n);
        results = rounded;
    }
    const int64_t item = output_.item();
    int64_t at[kMaxDims];
    locate(plan_.space, first, at);
    for_each_piece(plan_.space, output_.strides, output_.base, at, n,
                   [&](char* to, int64_t rows, int64_t row, int64_t columns, int64_t column) {
                       library_.copy[output_.log_size](to, row, column, results, columns * item, item, rows, columns);
                       results += rows * columns * item;
                   });
}

void ScanRun::scan_part(Machine& machine, int64_t first, int64_t n, ScanState& state) const {
    if (accumulator_ == dtype_)
        if (const void* const x = machine.direct(first, n))
            if (char* const to = place(first, n)) return scans_.run(x, n, &state, to);
    Scratch scratch;
    char* const values = scratch.take(plan_.block * item_);
    char* const results = scratch.take(plan_.block * item_);
    for (int64_t i = 0; i < n; i += plan_.block) {
        const int64_t count = std::min(plan_.block, n - i);
        const char* const x = elements(machine, first + i, count, values);
        char* const to = place(first + i, count);
        scans_.run(x, count, &state, to ? to : results);
        if (!to) store(first + i, count, results);
    }
}

void ScanRun::tree_of_part(Machine& machine, int64_t first, char* tree) const {
    Scratch scratch;
    constexpr int64_t kBlocks = 128, kBlock = kPart / kBlocks;
    char* const values = scratch.take(block_room(kBlock));
    char* const trees = scratch.take(kBlocks * item_);
    for (int64_t i = 0; i < kBlocks; ++i)
        scans_.tree(elements(machine, first + i * kBlock, kBlock, values), kBlock, trees + i * item_);
    scans_.tree(trees, kBlocks, tree);
}

void ScanRun::scan_long_lines() const {
    const int64_t blocks = (n_ + kPart - 1) / kPart, whole = n_ / kPart;
    const std::unique_ptr<ScanState[]> states(new ScanState[size_t(lines_ * blocks)]);
    const std::unique_ptr<char[]> trees(new char[size_t(lines_ * whole * item_)]);
    parallel_for(lines_ * whole, [&](int64_t unit) {
        Scratch scratch;
        Machine machine(plan_, scratch, plan_.space.size);
        tree_of_part(machine, unit / whole * n_ + unit % whole * kPart, trees.get() + unit * item_);
    });
    for (int64_t line = 0; line < lines_; ++line) {
        ScanState state = {};
        for (int64_t i = 0; i < blocks; ++i) {
            states[size_t(line * blocks + i)] = state;
            if (i < whole) scans_.push(&state, trees.get() + (line * whole + i) * item_, kPart);
        }
    }
    parallel_for(lines_ * blocks, [&](int64_t unit) {
        const int64_t begin = unit % blocks * kPart;
        Scratch scratch;
        Machine machine(plan_, scratch, plan_.space.size);
        scan_part(machine, unit / blocks * n_ + begin, std::min(kPart, n_ - begin), states[size_t(unit)]);
    });
}

void ScanRun::scan_line_in_order(Machine& machine, int64_t line) const {
    Scratch scratch;
    char* const values = scratch.take(block_room(plan_.block));
    char* const results = scratch.take(plan_.block * item_);
    alignas(kItem) char previous[kItem];
    for (int64_t i = 0; i < n_; i += plan_.block) {
        const int64_t count = std::min(plan_.block, n_ - i);
        const char* const x = elements(machine, line * n_ + i, count, values);
        for (int64_t j = 0; j < count; ++j) {
            char* const to = results + j * item_;
            if (i + j == 0)
                std::memcpy(to, x, size_t(item_));
            else
                combine(j ? to - item_ : previous, x + j * item_, to, 1);
        }
        store(line * n_ + i, count, results);
        std::memcpy(previous, results + (count - 1) * item_, size_t(item_));
    }
}

void ScanRun::scan_all_columns() const {
    const int64_t threads = thread_count();
    const int64_t share = ((lines_ + threads - 1) / threads + 15) & ~int64_t(15);
    const int64_t group = std::min({std::max(kColumnBytes / item_, kFewLines), share, plan_.block});
    const int64_t groups = (lines_ + group - 1) / group;
    const int64_t per_task = lines_ * n_ < 2 * kTaskElements ? groups : 1;
    parallel_for((groups + per_task - 1) / per_task, [&](int64_t i) {
        Scratch scratch;
        Machine machine(plan_, scratch, plan_.space.size);
        for (int64_t g = i * per_task; g < std::min(groups, (i + 1) * per_task); ++g) {
            const int64_t first = g * group, columns = std::min(group, lines_ - first);
            if (is_in_order_)
                scan_columns_in_order(machine, first, columns);
            else
                scan_columns(machine, first, columns);
        }
    });
}

/// The pending trees are a binary counter. results[k] is the last result over a number of rows that 2^k divides, but no
/// higher power of two; later results build on it.
void ScanRun::scan_columns(Machine& machine, int64_t first, int64_t columns) const {
    Scratch scratch;
    const int levels = std::bit_width(uint64_t(n_));
    const int64_t bytes = columns * item_;
    char *trees[64], *memory[64], *node = scratch.take(bytes), *const values = scratch.take(block_room(columns));
    const char* results[64];
    for (int k = 0; k < levels; ++k) trees[k] = scratch.take(bytes), memory[k] = scratch.take(bytes);
    const char* waiting = nullptr;
    for (int64_t row = 0; row < n_; ++row) {
        const int64_t at = row * lines_ + first;
        const char* const x = elements(machine, at, columns, values);
        char* const placed = place(at, columns);
        const char* tree = x;
        int level = 0;
        if (row % 2 != 0) {
            combine(waiting, x, node, columns);
            for (level = 1; row >> level & 1; ++level) {
                combine(trees[level], node, trees[level], columns);
                std::swap(trees[level], node);
            }
            tree = node;
        } else if (x == values || x == placed) {
            waiting = static_cast<const char*>(std::memcpy(trees[0], x, size_t(bytes)));
            tree = waiting;
        } else {
            waiting = x;
        }
        char* const to = placed ? placed : memory[level];
        const int64_t above = (row + 1) & row;
        if (above)
            combine(results[std::countr_zero(uint64_t(above))], tree, to, columns);
        else if (to != tree)
            std::memcpy(to, tree, size_t(bytes));
        results[level] = to;
        if (!placed) store(at, columns, to);
        if (level > 0) std::swap(trees[level], node);
    }
}

void ScanRun::scan_columns_in_order(Machine& machine, int64_t first, int64_t columns) const {
    Scratch scratch;
    char* const values = scratch.take(block_room(columns));
    char* const results = scratch.take(columns * item_);
    for (int64_t row = 0; row < n_; ++row) {
        const int64_t at = row * lines_ + first;
        const char* const x = elements(machine, at, columns, values);
        if (row == 0)
            std::memcpy(results, x, size_t(columns * item_));
        else
            combine(results, x, results, columns);
        store(at, columns, results);
    }
}

}  // namespace

void run(const LoopLibrary& library, const Scan& task) { ScanRun(library, task)(); }

}  // namespace cuarray::host
