// lanes.cpp -- elements per thread, from the sizes of the operands and the length of the body.
#include "codegen/lanes.h"

#include <algorithm>

#include "codegen/sizes.h"
#include "cuarray/kernel/reduce.h"

namespace cuarray {
namespace {

constexpr int kLaneBytes = 256;     // of operands per thread: a quarter of its registers
constexpr int kBytesInFlight = 16;  // per thread: hides memory latency at full occupancy
constexpr int kOffsets = 24;        // of operands, kept in registers per thread
constexpr size_t kShortNodes = 24;
constexpr int kUnrolledNodes = 128;    // of all lanes
constexpr int kAccumulatorBytes = 64;  // of Walk::TreeLines per thread
constexpr int kLineRows = 4;           // with 16 bytes each, 1,024 threads of a multiprocessor have 64 KiB in flight

}  // namespace

ElementSizes element_sizes(const Expr& expr) {
    ElementSizes sizes;
    for (const ExprNode& node : expr.nodes) sizes.has_index |= node.op == ExprNode::Op::Index;
    sizes.outputs = int(expr.outputs.size());
    sizes.memory_operands = sizes.outputs + int(expr.inputs.size());
    sizes.operands = sizes.memory_operands + sizes.has_index;
    const auto add = [&](int k, int size, bool is_read) {
        if (k < kernel::kMaxOperands) sizes.size[k] = size;
        sizes.smallest = std::min(sizes.smallest, size);
        sizes.largest = std::max(sizes.largest, size);
        sizes.total += size;
        sizes.read += is_read ? size : 0;
    };
    int k = 0;
    for (ValueId output : expr.outputs) add(k++, item_size(expr.nodes[output].dtype), false);
    for (DType dtype : expr.inputs) add(k++, item_size(dtype), true);
    return sizes;
}

int contiguous_lanes(const ElementSizes& sizes) {
    int lanes = std::max(1, std::min(16 / sizes.smallest, 32 / sizes.largest));
    while (lanes > 1 && lanes * sizes.total > kLaneBytes) lanes /= 2;
    return lanes;
}

int rows_per_thread(const Expr& expr, const ElementSizes& sizes, int lanes) {
    if (!is_short(expr)) return 1;
    int rows = lanes > 1 ? 4 : 8;
    while (rows > 1 && (rows * lanes * sizes.total > kLaneBytes || rows * sizes.operands > kOffsets ||
                        rows * lanes * int(expr.nodes.size()) > kUnrolledNodes))
        rows /= 2;
    return rows;
}

TileShape tile_shape(const Expr& expr, const ElementSizes& sizes, bool vectors) {
    // A thread transposes squares of vectors: it has at least as many rows as elements of each.
    int most = !is_short(expr) ? 4 : sizes.largest > 4 ? 8 : 16;
    while (most > 4 && (most * sizes.total > kLaneBytes || most * int(expr.nodes.size()) > kUnrolledNodes)) most /= 2;
    const int lanes = vectors ? std::min(contiguous_lanes(sizes), most == 16 ? 4 : 2) : 1;
    return {sizes.largest > 8 || most == 4 ? 32 : 64, lanes, most / lanes};
}

int line_lanes(const Program& program) {
    const Expr& expr = *program.expr;
    int largest = 1;
    for (const DType input : expr.inputs) largest = std::max(largest, item_size(input));
    int lanes = expr.inputs.empty() ? 4 : std::clamp(16 / largest, 2, 8);
    const int64_t accumulator = accumulator_size(program.reduction, expr.nodes[expr.outputs[0]].dtype);
    while (lanes > 2 && lanes * accumulator > kAccumulatorBytes) lanes /= 2;
    return lanes;
}

int line_rows(const Program& program) {
    const Expr& expr = *program.expr;
    if (!is_short(expr)) return 1;
    const ElementSizes sizes = element_sizes(expr);
    const int lanes = line_lanes(program);
    int rows = kLineRows;
    while (rows > 1 &&
           (rows * lanes * sizes.read > kLaneBytes || rows * lanes * int(expr.nodes.size()) > kUnrolledNodes))
        rows /= 2;
    return rows;
}

int line_threads(const Program& program) {
    return kernel::kChunk / kernel::kLeaf * kernel::kLanes / line_lanes(program);
}

int strided_lanes(const ElementSizes& sizes) {
    int lanes = 8;
    while (lanes > 1 && (lanes * sizes.read > kBytesInFlight || lanes * sizes.operands > kOffsets)) lanes /= 2;
    return lanes;
}

bool can_fold_in_registers(const ElementSizes& sizes) { return 16 * sizes.total <= 2 * kLaneBytes; }

bool is_short(const Expr& expr) {
    for (const ExprNode& node : expr.nodes)
        if (node.op == ExprNode::Op::Loop && rows()[loops()[node.index].row].has(VectorMath)) return false;
    return expr.nodes.size() <= kShortNodes;
}

}  // namespace cuarray
