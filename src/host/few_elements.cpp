// few_elements.cpp -- elementwise tasks of a few elements, node by node: a plan would cost more than the work.
#include <cstring>

#include "host/scratch.h"
#include "host/strided_copy.h"
#include "host/tasks.h"
#include "host/threads.h"

namespace cuarray::host {
namespace {

constexpr int64_t kMostElements = 256;
constexpr size_t kMostNodes = 16;

/// The values of one Expr over all elements of a task, a contiguous array for each node.
class FewElements {
 public:
    FewElements(const LoopLibrary& library, const Elementwise& task, int64_t n)
        : library_(library), task_(task), expr_(*task.expr), n_(n) {}

    /// Whether the outputs can be stored: under a mask, contiguous ones alone.
    bool can_store() const {
        for (const View& output : task_.outputs)
            if (expr_.mask != kNoValue && !is_dense(output, task_.shape, n_)) return false;
        return true;
    }

    void evaluate() {
        for (size_t v = 0; v < expr_.nodes.size(); ++v)
            if (expr_.nodes[v].op == ExprNode::Op::Input) values_[v] = elements(task_.inputs[expr_.nodes[v].index]);
        for (size_t v = 0; v < expr_.nodes.size(); ++v)
            if (!values_[v]) values_[v] = value(expr_.nodes[v], v);
        // What is stored or asked after a store must not lie in an operand, which may be an output.
        for (const ValueId v : expr_.outputs) keep(v);
        keep(expr_.mask);
        keep(expr_.fault);
    }

    void store() const {
        const char* const mask = expr_.mask == kNoValue ? nullptr : values_[expr_.mask];
        for (size_t k = 0; k < task_.outputs.size(); ++k) {
            const int64_t item = item_size(task_.outputs[k].dtype);
            char* const to = task_.outputs[k].data();
            const char* const from = values_[expr_.outputs[k]];
            if (!mask) StridedElements(library_, task_.shape, task_.outputs[k].strides, item).scatter(to, from);
            for (int64_t i = 0; mask && i < n_; ++i)
                if (mask[i]) std::memcpy(to + i * item, from + i * item, size_t(item));
        }
    }

    Fault fault() const {
        const char* const faults = expr_.fault == kNoValue ? nullptr : values_[expr_.fault];
        return faults && std::memchr(faults, 1, size_t(n_)) ? Fault::Raised : Fault::None;
    }

 private:
    char* room(DType dtype) { return scratch_.take(n_ * item_size(dtype)); }

    /// The operand itself, or a contiguous copy.
    const char* elements(const View& view) {
        if (is_dense(view, task_.shape, n_)) return view.data();
        char* const to = room(view.dtype);
        StridedElements(library_, task_.shape, view.strides, item_size(view.dtype)).gather(to, view.data());
        return to;
    }

    void keep(ValueId v) {
        if (v == kNoValue || expr_.nodes[v].op != ExprNode::Op::Input) return;
        char* const to = room(expr_.nodes[v].dtype);
        std::memcpy(to, values_[v], size_t(n_ * item_size(expr_.nodes[v].dtype)));
        values_[v] = to;
    }

    const char* value(const ExprNode& node, size_t v) {
        char* const to = room(node.dtype);
        const int64_t item = item_size(node.dtype);
        switch (node.op) {
            case ExprNode::Op::Scalar:
                for (int64_t i = 0; i < n_; ++i)
                    std::memcpy(to + i * item, expr_.scalars[node.index].bytes, size_t(item));
                break;
            case ExprNode::Op::Index:
                for (int64_t i = 0; i < n_; ++i) std::memcpy(to + i * item, &i, sizeof i);
                break;
            case ExprNode::Op::Cast: {
                const DType from = expr_.nodes[node.source[0]].dtype;
                call(library_.casts[int(from) * library_.dtype_count + int(node.dtype)], node, to, nullptr);
                break;
            }
            case ExprNode::Op::Loop: {
                const Loop& loop = loops()[node.index];
                if (rows()[loop.row].nout > 1) second_[v] = room(loop.out[1]);
                call(library_.loops[node.index], node, to, second_[v]);
                break;
            }
            case ExprNode::Op::Second: return second_[node.source[0]];
            case ExprNode::Op::Input: break;
        }
        return to;
    }

    void call(BlockLoop loop, const ExprNode& node, char* to, char* second) const {
        const void* in[kMaxIn] = {};
        for (int k = 0; k < kMaxIn; ++k)
            if (node.source[k] != kNoValue) in[k] = values_[node.source[k]];
        void* const out[kMaxOut] = {to, second};
        loop(in, out, n_);
    }

    const LoopLibrary& library_;
    const Elementwise& task_;
    const Expr& expr_;
    const int64_t n_;
    Scratch scratch_;
    const char* values_[kMostNodes] = {};
    char* second_[kMostNodes] = {};
};

}  // namespace

bool are_few(const Expr& expr, int64_t elements) {
    return elements <= kMostElements && expr.nodes.size() <= kMostNodes;
}

bool run_few(const LoopLibrary& library, const Elementwise& task, Fault& fault) {
    const int64_t n = count(task.shape);
    if (!are_few(*task.expr, n)) return false;
    const DefaultFloatMode mode;
    FewElements few(library, task, n);
    if (!few.can_store()) return false;
    few.evaluate();
    few.store();
    fault = few.fault();
    return true;
}

}  // namespace cuarray::host
