// elementwise.cpp -- divides the collapsed space into blocks or tiles, and these into tasks.
#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <cstring>

#include "core/copy_run.h"
#include "host/caches.h"
#include "host/machine.h"
#include "host/tasks.h"
#include "host/threads.h"

namespace cuarray::host {
namespace {

// Shorter rows are computed several at once, through buffers. Where one step of machine code needs no other buffers, a
// row alone costs as much as kCopiesOfRow copies of elements: with AVX2, chains of 2, 3 and 4 operands that are not
// contiguous, the result among them, take as long either way at rows of 60, 42 and 30 elements. With masks for a row's
// rest the shortest rows were measured for stencils of seven operands.
constexpr int64_t kBufferedRow = 64, kBufferedRowOfMaskedCode = 16, kBufferedRowOfCode = 24, kCopiesOfRow = 125;
constexpr int64_t kTileColumns = 256;   // along the innermost axis: a tile's row is a block
constexpr int64_t kTileRowBytes = 256;  // along the axis on which the operand is contiguous
constexpr int64_t kCacheLine = 64, kPage = 4096;
constexpr int64_t kShortRectangle = 64;     // elements: copied together with others like it, for the calls
constexpr int64_t kCachedRectangle = 2048;  // elements of such a group: it is read and written again from L1

/// One run of a task.
class ElementwiseRun {
 public:
    ElementwiseRun(const LoopLibrary& library, const Elementwise& task, emit::CodeSource& chains = emit::code_cache())
        : plan_(plan_of_thread()) {
        plan_.library = &library;
        lay_out(task);
        plan_.program.build(*task.expr, library, aliased_outputs(task), plan_.space.size, chains);
        plan_.choose_block();
        choose_tiles();
    }

    Fault operator()() {
        // A small matrix stays in L2 while it is transposed, without tiles.
        const bool is_small = tile_axis_ == plan_.space.ndim - 2 && plan_.space.size < 2 * kTaskElements;
        if ((tile_axis_ < 0 || is_small) && is_copy()) {
            copy_elements();
            return Fault::None;
        }
        if (const char* const value = filling()) {
            fill(value);
            return Fault::None;
        }
        const int64_t units = tile_axis_ >= 0 ? tiles() : blocks();
        const int64_t unit = tile_axis_ >= 0 ? tile_rows_ * kTileColumns : block_;
        const int64_t per_task = std::max<int64_t>(1, kTaskElements / unit);
        const int64_t tasks = plan_.space.size < 2 * kTaskElements ? 1 : (units + per_task - 1) / per_task;
        std::atomic<bool> fault{false};
        parallel_for(tasks, [&](int64_t i) {
            const int64_t begin = i * per_task, end = tasks == 1 ? units : std::min(units, begin + per_task);
            Scratch scratch;
            Machine machine(plan_, scratch, plan_.space.size);
            if (tile_axis_ >= 0)
                run_tiles(machine, scratch, begin, end);
            else
                run_blocks(machine, begin, end);
            if (machine.fault()) fault.store(true, std::memory_order_relaxed);
        });
        return fault ? Fault::Raised : Fault::None;
    }

    /// The steps of the run, which is not done.
    const LoopProgram& program() const { return plan_.program; }
    bool moves_elements_alone() const { return is_copy() || filling(); }

 private:
    /// Reused between tasks, for its allocations. No task starts another one in its own thread.
    static Plan& plan_of_thread() {
        thread_local Plan plan;
        return plan;
    }

    static uint64_t aliased_outputs(const Elementwise& task) {
        uint64_t bits = 0;
        for (size_t k = 0; k < task.outputs.size(); ++k)
            for (const View& input : task.inputs)
                if (input.data() == task.outputs[k].data()) bits |= uint64_t(1) << k;
        return bits;
    }

    void lay_out(const Elementwise& task) {
        const size_t ins = task.inputs.size(), outs = task.outputs.size();
        const bool indexed = std::any_of(task.expr->nodes.begin(), task.expr->nodes.end(),
                                         [](const ExprNode& n) { return n.op == ExprNode::Op::Index; });
        if (ins + outs + indexed > size_t(Space::kMaxOperands))
            raise(ErrorKind::Value, task.name, ": ", ins + outs, " operands; the host takes at most ",
                  Space::kMaxOperands - 1);
        const Dims index_strides = indexed ? c_strides(task.shape, 1) : Dims();
        const Dims* strides[Space::kMaxOperands];
        for (size_t k = 0; k < outs; ++k) strides[k] = &task.outputs[k].strides;
        for (size_t k = 0; k < ins; ++k) strides[outs + k] = &task.inputs[k].strides;
        if (indexed) strides[ins + outs] = &index_strides;
        plan_.set_space(task.shape, {strides, ins + outs + indexed});
        Space& space = plan_.space;
        plan_.index_strides = space.strides[ins + outs];
        plan_.index_base = indexed ? space.offset[ins + outs] : 0;
        plan_.operands.resize(ins + outs);
        for (size_t k = 0; k < ins + outs; ++k) {
            const View& view = k < ins ? task.inputs[k] : task.outputs[k - ins];
            const size_t row = k < ins ? outs + k : k - ins;
            SpaceOperand& operand = plan_.operands[k];
            operand.base = view.data() + space.offset[row];
            operand.strides = space.strides[row];
            plan_.classify(operand, view.dtype);
        }
    }

    // Copies: from the input's memory to the output's, without blocks.

    bool is_copy() const {
        const LoopProgram& p = plan_.program;
        return p.inputs == 1 && p.outputs == 1 && p.steps.empty() && p.sources[0] == 0 && !p.late[0] &&
               p.mask == kNoSlot && p.fault == kNoSlot;
    }

    /// The one value that a contiguous output is filled with; null for other tasks.
    const char* filling() const {
        const LoopProgram& p = plan_.program;
        if (p.outputs != 1 || !plan_.is_linear || !p.steps.empty() || p.mask != kNoSlot || p.fault != kNoSlot)
            return nullptr;
        for (const LoopProgram::Constant& constant : p.constants)
            if (constant.slot == p.sources[0]) return reinterpret_cast<const char*>(constant.bytes);
        return nullptr;
    }

    void fill(const char* value) const {
        const SpaceOperand& to = plan_.operands[size_t(plan_.program.inputs)];
        const int64_t size = plan_.space.size, piece = size < 2 * kTaskElements ? size : kTaskElements;
        parallel_for((size + piece - 1) / piece, [&](int64_t i) {
            plan_.library->copy[to.log_size](to.base + i * piece * to.item(), 0, to.item(), value, 0, 0, 1,
                                             std::min(piece, size - i * piece));
        });
    }

    void copy_elements() const {
        const SpaceOperand &from = plan_.operands[0], &to = plan_.operands[1];
        const Space& s = plan_.space;
        const auto is_linear = [](const SpaceOperand& o) { return o.kind == SpaceOperand::Kind::Linear; };
        if (is_linear(from) && is_linear(to)) return copy_bytes(to.base, from.base, s.size * to.item());
        // Rectangles of the last axis and another one: the one before it, or the longest if these two are short.
        const int column = s.ndim - 1;
        int row = std::max(column - 1, 0);
        int64_t most = kTaskElements;
        if (column > 1 && s.shape[row] * s.shape[column] <= kShortRectangle) {
            row = int(std::max_element(s.shape, s.shape + column) - s.shape);
            most = kCachedRectangle;
        }
        const int64_t columns = s.shape[column], rows = column > 0 ? s.shape[row] : 1;
        const int64_t width = std::min(columns, kTaskElements), height = std::clamp(most / width, int64_t(1), rows);
        const int64_t across = (columns + width - 1) / width, down = (rows + height - 1) / height;
        const int64_t rectangles = s.size / (rows * columns) * down * across;
        const int64_t per_task =
            s.size < 2 * kTaskElements ? rectangles : std::max<int64_t>(1, kTaskElements / (width * height));
        parallel_for((rectangles + per_task - 1) / per_task, [&](int64_t task) {
            for (int64_t i = task * per_task; i < std::min((task + 1) * per_task, rectangles); ++i) {
                int64_t at[kMaxDims] = {}, rest = i;
                const int64_t first_column = rest % across * width;
                rest /= across;
                for (int d = column - 1; d >= 0; --d) {
                    if (d == row) continue;
                    at[d] = rest % s.shape[d];
                    rest /= s.shape[d];
                }
                const int64_t first_row = rest * height;  // last, so that rectangles that interleave follow each other
                if (column > 0) at[row] = first_row;
                at[column] = first_column;
                const auto corner = [&](const SpaceOperand& o) {
                    char* p = o.base;
                    for (int d = 0; d <= column; ++d) p += at[d] * o.strides[d];
                    return p;
                };
                const auto row_step = [&](const SpaceOperand& o) { return column > 0 ? o.strides[row] : 0; };
                plan_.library->copy[to.log_size](
                    corner(to), row_step(to), to.strides[column], corner(from), row_step(from), from.strides[column],
                    std::min(height, rows - first_row), std::min(width, columns - first_column));
            }
        });
    }

    // Stretches: blocks of the flattened space, or of its rows if these are long.

    /// The length from which a row is computed alone.
    int64_t least_row() const {
        const LoopProgram& p = plan_.program;
        if (p.steps.size() != 1 || p.codes.empty()) return kBufferedRow;
        int copies = 0;
        for (int k = 0; k < p.inputs + p.outputs; ++k) {
            if (plan_.is_fixed(k)) continue;
            if (!plan_.is_used_in_place(k)) return kBufferedRow;
            copies += plan_.operands[size_t(k)].kind == SpaceOperand::Kind::General;
        }
        const bool has_masks = emit::instruction_set() == emit::InstructionSet::Avx512;
        const int64_t least = has_masks ? kBufferedRowOfMaskedCode : kBufferedRowOfCode;
        return std::clamp(kCopiesOfRow / std::max(copies, 1), least, kBufferedRow);
    }

    int64_t blocks() {
        const int64_t row = plan_.inner();
        if (plan_.is_linear || plan_.space.ndim == 1 || row < least_row()) {
            block_ = plan_.block;
            per_row_ = 0;
            return (plan_.space.size + block_ - 1) / block_;
        }
        per_row_ = (row + plan_.block - 1) / plan_.block;
        block_ = std::min(((row + per_row_ - 1) / per_row_ + 15) & ~int64_t(15), plan_.block);
        return plan_.space.size / row * per_row_;
    }

    void run_blocks(Machine& machine, int64_t begin, int64_t end) const {
        const int64_t row = plan_.inner(), size = plan_.space.size;
        if (plan_.is_linear) {
            const int64_t first = begin * block_;
            return machine.run_linear(first, std::min(end * block_, size) - first);
        }
        if (per_row_ == 1) return machine.run_rows(begin, end - begin);
        for (int64_t i = begin; i < end; ++i) {
            if (per_row_) {
                const int64_t r = i / per_row_, first = (i - r * per_row_) * block_;
                if (first < row) machine.run(r * row + first, std::min(block_, row - first));
            } else {
                machine.run(i * block_, std::min(block_, size - i * block_));
            }
        }
    }

    // Tiles: rectangles of the innermost axis and the axis on which a transposed operand is contiguous, so that
    // every cache line of that operand is read once.

    bool is_transposed(const SpaceOperand& o, int axis) const {
        const int64_t inner = std::abs(o.strides[plan_.space.ndim - 1]), other = std::abs(o.strides[axis]);
        return o.kind == SpaceOperand::Kind::General && inner >= kCacheLine && other > 0 && 2 * other <= kCacheLine;
    }

    void choose_tiles() {
        tile_axis_ = -1;
        const Space& s = plan_.space;
        if (plan_.is_linear || s.ndim < 2 || plan_.program.mask != kNoSlot || plan_.inner() < 8) return;
        for (int axis = 0; axis < s.ndim - 1 && tile_axis_ < 0; ++axis) {
            const bool any = std::any_of(plan_.operands.begin(), plan_.operands.end(),
                                         [&](const SpaceOperand& o) { return is_transposed(o, axis); });
            if (any && s.shape[axis] >= 8) tile_axis_ = axis;
        }
        if (tile_axis_ < 0) return;
        int64_t item = 1;
        for (const SpaceOperand& o : plan_.operands)
            if (is_transposed(o, tile_axis_)) item = std::max(item, o.item());
        tile_rows_ = std::max<int64_t>(kTileRowBytes / item, 8);
    }

    int64_t tile_extent(int axis) const {
        return axis == tile_axis_ ? tile_rows_ : axis == plan_.space.ndim - 1 ? kTileColumns : 1;
    }
    int64_t tiles_along(int axis) const {
        return (plan_.space.shape[axis] + tile_extent(axis) - 1) / tile_extent(axis);
    }

    int64_t tiles() const {
        int64_t number = 1;
        for (int d = 0; d < plan_.space.ndim; ++d) number *= tiles_along(d);
        return number;
    }

    void run_tiles(Machine& machine, Scratch& scratch, int64_t begin, int64_t end) const {
        const Space& s = plan_.space;
        const int last = s.ndim - 1;
        char* buffers[Space::kMaxOperands];
        for (size_t k = 0; k < plan_.operands.size(); ++k) {
            const SpaceOperand& o = plan_.operands[k];
            buffers[k] = is_transposed(o, tile_axis_) ? scratch.take(tile_rows_ * kTileColumns * o.item()) : nullptr;
        }
        for (int64_t i = begin; i < end; ++i) {
            int64_t at[kMaxDims], rest = i;
            for (int d = last; d >= 0; --d) {
                at[d] = rest % tiles_along(d) * tile_extent(d);
                rest /= tiles_along(d);
            }
            run_tile(machine, buffers, at);
        }
    }

    /// Whether tiles of a copy need no buffer: where rows of the result are a multiple of a page apart, its lines fall
    /// into few sets of the caches.
    bool is_copied_directly() const {
        if (!is_copy()) return false;
        const SpaceOperand& to = plan_.operands[1];
        const int64_t apart = std::max(std::abs(to.strides[tile_axis_]), std::abs(to.strides[plan_.space.ndim - 1]));
        return apart % kPage != 0 || to.item() > 8;
    }

    void run_tile(Machine& machine, char* const* buffers, const int64_t* at) const {
        const Space& s = plan_.space;
        const int last = s.ndim - 1;
        const int64_t rows = std::min(tile_rows_, s.shape[tile_axis_] - at[tile_axis_]);
        const int64_t columns = std::min(kTileColumns, s.shape[last] - at[last]);
        const auto corner = [&](const SpaceOperand& o) {
            char* p = o.base;
            for (int d = 0; d <= last; ++d) p += at[d] * o.strides[d];
            return p;
        };
        if (is_copied_directly()) {
            const SpaceOperand &from = plan_.operands[0], &to = plan_.operands[1];
            return plan_.library->copy[to.log_size](corner(to), to.strides[tile_axis_], to.strides[last], corner(from),
                                                    from.strides[tile_axis_], from.strides[last], rows, columns);
        }
        for (size_t k = 0; k < plan_.operands.size(); ++k) {
            if (!buffers[k]) continue;
            const SpaceOperand& o = plan_.operands[k];
            machine.use_tile(int(k), buffers[k], columns);
            if (int(k) >= plan_.program.inputs || !plan_.program.read[k]) continue;
            plan_.library->copy[o.log_size](buffers[k], columns * o.item(), o.item(), corner(o), o.strides[tile_axis_],
                                            o.strides[last], rows, columns);
        }
        int64_t begin = 0, step = 1;
        for (int d = last; d >= 0; --d) {
            begin += at[d] * step;
            step *= s.shape[d];
        }
        const int64_t row_step = rows_apart();
        for (int64_t r = 0; r < rows; ++r) {
            machine.set_tile_row(r);
            machine.run(begin + r * row_step, columns);
        }
        for (size_t k = size_t(plan_.program.inputs); k < plan_.operands.size(); ++k) {
            if (!buffers[k]) continue;
            const SpaceOperand& o = plan_.operands[k];
            plan_.library->copy[o.log_size](corner(o), o.strides[tile_axis_], o.strides[last], buffers[k],
                                            columns * o.item(), o.item(), rows, columns);
        }
    }

    /// The stride of the tile axis in the flattened space, in elements.
    int64_t rows_apart() const {
        int64_t step = 1;
        for (int d = plan_.space.ndim - 1; d > tile_axis_; --d) step *= plan_.space.shape[d];
        return step;
    }

    Plan& plan_;
    int tile_axis_ = -1;
    int64_t tile_rows_ = 0;
    int64_t block_ = 0, per_row_ = 0;
};

/// Calls with the begin and the size of one piece for each thread: memcpy and memset choose their stores by the size.
template <class Function> void for_each_piece_of(int64_t bytes, Function&& function) {
    constexpr int64_t kLeast = int64_t(1) << 20;
    if (bytes <= kLeast) return function(int64_t(0), bytes);
    const int64_t piece = std::max(kLeast, (bytes / thread_count() + 4095) & ~int64_t(4095));
    parallel_for((bytes + piece - 1) / piece,
                 [&](int64_t i) { function(i * piece, std::min(piece, bytes - i * piece)); });
}

}  // namespace

Fault run(const LoopLibrary& library, const Elementwise& task) {
    if (count(task.shape) == 0) return Fault::None;
    if (Fault fault; run_few(library, task, fault)) return fault;
    return ElementwiseRun(library, task)();
}

namespace {

/// Makes code as the cache would, and forgets it: for explanations.
class ForgottenCode final : public emit::CodeSource {
 public:
    std::shared_ptr<const emit::ChainCode> code_for(const emit::Chain& chain, int64_t elements) override {
        is_late = is_late || !emit::would_give_code(chain, elements);
        if (is_late) return nullptr;
        std::shared_ptr<const emit::ChainCode> code = emit::make_code(chain);
        if (code) chains.push_back(chain);
        return code;
    }

    std::vector<emit::Chain> chains;
    bool is_late = false;  ///< a chain gets its code at a later run
};

std::string_view name_of(const LoopProgram::Step& step) {
    return step.id == LoopProgram::Step::kCast ? "astype" : rows()[loops()[step.id].row].name;
}

/// The names of steps that are no machine code: "exp, log".
std::string block_loops(const LoopProgram& program) {
    std::vector<std::string_view> names;
    for (const LoopProgram::Step& step : program.steps) {
        if (step.id == LoopProgram::Step::kOther) continue;
        if (const std::string_view name = name_of(step); std::find(names.begin(), names.end(), name) == names.end())
            names.push_back(name);
    }
    std::string text;
    for (const std::string_view name : names) text.append(text.empty() ? "" : ", ").append(name);
    return text;
}

}  // namespace

TaskExplanation explain(const LoopLibrary& library, const Elementwise& task, bool with_code) {
    const int64_t n = count(task.shape);
    if (n == 0) return {"nothing: there are no elements", ""};
    if (are_few(*task.expr, n)) return {"one operation after the other, over few elements", ""};
    ForgottenCode forgotten;
    const ElementwiseRun run(library, task, forgotten);
    const LoopProgram& program = run.program();
    if (run.moves_elements_alone()) return {"a copy", ""};
    const std::string loops = block_loops(program);
    std::string how;
    for (const emit::Chain& chain : forgotten.chains) {
        const std::string count = std::to_string(chain.operation_count());
        how +=
            (how.empty() ? std::string("machine code, ") + emit::state() + ", of " : ", of ") + count + " operations";
    }
    if (!loops.empty()) how += (how.empty() ? "loops over blocks: " : "; loops over blocks: ") + loops;
    if (forgotten.is_late) how += "; machine code from the next run on";
    if (!emit::is_enabled()) how += std::string("; machine code: ") + emit::state();
    std::string code;
    for (const emit::Chain& chain : forgotten.chains)
        if (with_code) code += (code.empty() ? "" : "\n") + emit::listing_of(chain);
    return {how, code};
}

void copy_bytes(void* to, const void* from, int64_t bytes) {
    for_each_piece_of(bytes, [=](int64_t begin, int64_t n) {
        copy_run(static_cast<char*>(to) + begin, static_cast<const char*>(from) + begin, n);
    });
}

void clear_bytes(void* to, int64_t bytes) {
    for_each_piece_of(bytes,
                      [=](int64_t begin, int64_t n) { std::memset(static_cast<char*>(to) + begin, 0, size_t(n)); });
}

}  // namespace cuarray::host
