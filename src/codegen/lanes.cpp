// lanes.cpp -- elements per thread, from the sizes of the operands and the length of the body.
#include "codegen/lanes.h"

#include <algorithm>

namespace cuarray {
namespace {

constexpr int kLaneBytes = 256;      // of a thread's registers, half of them
constexpr size_t kShortNodes = 24;

}  // namespace

ElementSizes element_sizes(const Expr& expr) {
    ElementSizes sizes;
    const auto add = [&](DType dtype) {
        const int size = item_size(dtype);
        sizes.smallest = std::min(sizes.smallest, size);
        sizes.largest = std::max(sizes.largest, size);
        sizes.total += size;
        ++sizes.operands;
    };
    for (ValueId output : expr.outputs) add(expr.nodes[output].dtype);
    for (DType dtype : expr.inputs) add(dtype);
    for (const ExprNode& node : expr.nodes) sizes.has_index |= node.op == ExprNode::Op::Index;
    if (sizes.has_index) ++sizes.operands, sizes.total += 8;
    return sizes;
}

int contiguous_lanes(const ElementSizes& sizes) {
    int lanes = std::max(1, std::min(16 / sizes.smallest, 32 / sizes.largest));
    while (lanes > 1 && lanes * sizes.total > kLaneBytes) lanes /= 2;
    return lanes;
}

int strided_lanes(const ElementSizes& sizes) { return sizes.operands <= 4 ? 4 : sizes.operands <= 8 ? 2 : 1; }

bool can_transpose(const ElementSizes& sizes) { return sizes.operands <= 8 && 4 * sizes.total <= kLaneBytes; }

bool is_short(const Expr& expr) {
    for (const ExprNode& node : expr.nodes)
        if (node.op == ExprNode::Op::Loop && rows()[loops()[node.index].row].has(VectorMath)) return false;
    return expr.nodes.size() <= kShortNodes;
}

}  // namespace cuarray
