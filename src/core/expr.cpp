// expr.cpp -- printing, comparing, hashing and splitting computations.
#include "cuarray/core/expr.h"
#include <sstream>

namespace cuarray {

std::string to_string(const Expr& expr) {
    std::ostringstream text;
    for (size_t i = 0; i < expr.nodes.size(); ++i) {
        const ExprNode& node = expr.nodes[i];
        text << "v" << i << ": " << info(node.dtype).name << " = ";
        switch (node.op) {
            case ExprNode::Op::Input: text << "input " << node.index; break;
            case ExprNode::Op::Scalar: text << "scalar " << node.index; break;
            case ExprNode::Op::Cast: text << "cast"; break;
            case ExprNode::Op::Loop: text << rows()[loops()[node.index].row].name; break;
            case ExprNode::Op::Second: text << "second"; break;
            case ExprNode::Op::Index: text << "index"; break;
        }
        for (ValueId source : node.source)
            if (source != kNoValue) text << " v" << source;
        text << "\n";
    }
    text << "store";
    for (ValueId output : expr.outputs) text << " v" << output;
    if (expr.mask != kNoValue) text << " where v" << expr.mask;
    if (expr.fault != kNoValue) text << " fault v" << expr.fault;
    text << "\n";
    return text.str();
}

Expr only_output(const Expr& expr, size_t k, std::vector<uint16_t>& inputs) {
    std::vector<ValueId> place(expr.nodes.size(), kNoValue);
    const ValueId roots[] = {expr.outputs[k], expr.mask, expr.fault};
    constexpr ValueId kWanted = 0;
    for (const ValueId root : roots)
        if (root != kNoValue) place[root] = kWanted;
    for (size_t v = expr.nodes.size(); v-- > 0;)
        for (const ValueId source : expr.nodes[v].source)
            if (place[v] != kNoValue && source != kNoValue) place[source] = kWanted;
    Expr result;
    const auto placed = [&](ValueId value) { return value == kNoValue ? kNoValue : place[value]; };
    for (size_t v = 0; v < expr.nodes.size(); ++v) {
        if (place[v] == kNoValue) continue;
        ExprNode node = expr.nodes[v];
        for (ValueId& source : node.source) source = placed(source);
        if (node.op == ExprNode::Op::Input) {
            inputs.push_back(node.index);
            place[v] = result.input(node.dtype);
        } else if (node.op == ExprNode::Op::Scalar) {
            place[v] = result.scalar(expr.scalars[node.index]);
        } else {
            place[v] = result.push(node);
        }
    }
    result.outputs = {placed(expr.outputs[k])};
    result.mask = placed(expr.mask), result.fault = placed(expr.fault);
    return result;
}

bool same_structure(const Expr& a, const Expr& b) {
    auto same_node = [](const ExprNode& x, const ExprNode& y) {
        return x.op == y.op && x.dtype == y.dtype && x.index == y.index &&
               std::equal(std::begin(x.source), std::end(x.source), std::begin(y.source));
    };
    return a.inputs == b.inputs && a.outputs == b.outputs && a.mask == b.mask && a.fault == b.fault &&
           a.scalars.size() == b.scalars.size() &&
           std::equal(a.nodes.begin(), a.nodes.end(), b.nodes.begin(), b.nodes.end(), same_node);
}

uint64_t structure_hash(const Expr& expr) {
    uint64_t hash = 0xcbf29ce484222325ull;
    auto mix = [&](uint64_t value) { hash = (hash ^ value) * 0x100000001b3ull; };
    for (const ExprNode& node : expr.nodes) {
        mix(uint64_t(node.op) << 48 | uint64_t(node.dtype) << 32 | uint64_t(node.index) << 16 | node.source[0]);
        mix(uint64_t(node.source[1]) << 16 | node.source[2]);
    }
    for (DType dtype : expr.inputs) mix(uint64_t(dtype));
    for (ValueId output : expr.outputs) mix(output);
    mix(expr.mask), mix(expr.fault);
    return hash ^ hash >> 29;
}

}  // namespace cuarray
