// expr.h -- a computation as a list of operations in static single-assignment form. No data, no devices.
#pragma once
#include <cstdint>
#include <vector>
#include "cuarray/core/few.h"
#include "cuarray/core/scalar.h"
#include "cuarray/core/table.h"

namespace cuarray {

/// A value, as the index of the node that computes it.
using ValueId = uint16_t;
constexpr ValueId kNoValue = 0xffff;

/// One operation of an Expr; computes one value of type `dtype`.
struct ExprNode {
    enum class Op : uint8_t {
        Input,   ///< element of input operand `index`
        Scalar,  ///< scalars[index], the same for every element
        Cast,    ///< source[0] converted as astype would
        Loop,    ///< loops()[index] applied to the sources; its first output
        Second,  ///< the second output of the Loop node source[0]
        Index    ///< the element's linear index in the (uncollapsed, C order) space, int64
    };
    Op op;
    DType dtype;
    uint16_t index = 0;
    ValueId source[kMaxIn] = {kNoValue, kNoValue, kNoValue};
};

/// A computation over operands of equal shape. Outputs are stored where `mask` (if any) is true; the backend reports a
/// fault to the caller of the run if `fault` is true for any element.
struct Expr {
    Few<ExprNode, 6> nodes;  ///< sources precede the nodes that use them
    Few<DType, 8> inputs;    ///< dtypes of the input operands
    Few<Scalar, 2> scalars;
    Few<ValueId, 2> outputs;   ///< values to store, one per output operand, of any dtype
    ValueId mask = kNoValue;   ///< a bool value, or none: store everything
    ValueId fault = kNoValue;  ///< a bool value, or none
    uint32_t single = 0;       ///< if not 0, this is a single loop: equal values imply equal structure

    ValueId input(DType dtype) {
        inputs.push_back(dtype);
        return push({ExprNode::Op::Input, dtype, uint16_t(inputs.size() - 1)});
    }
    ValueId scalar(const Scalar& value) {
        scalars.push_back(value);
        return push({ExprNode::Op::Scalar, value.dtype, uint16_t(scalars.size() - 1)});
    }
    /// The value converted to dtype, or the value itself if it already has that dtype.
    ValueId cast(ValueId value, DType dtype) {
        if (nodes[value].dtype == dtype) return value;
        return push({ExprNode::Op::Cast, dtype, 0, {value, kNoValue, kNoValue}});
    }
    ValueId loop(LoopId id, ValueId a, ValueId b = kNoValue, ValueId c = kNoValue) {
        return push({ExprNode::Op::Loop, loops()[id].out[0], id, {a, b, c}});
    }
    ValueId second(ValueId value) {
        return push({ExprNode::Op::Second, loops()[nodes[value].index].out[1], 0, {value, kNoValue, kNoValue}});
    }
    ValueId push(ExprNode node) {
        nodes.push_back(node);
        return ValueId(nodes.size() - 1);
    }
    void clear() {
        nodes.clear(), inputs.clear(), scalars.clear(), outputs.clear();
        mask = fault = kNoValue;
        single = 0;
    }
};

/// The Expr as text, one node per line, with dtypes; used in logs, errors and golden files.
CUARRAY_API std::string to_string(const Expr& expr);

/// The Expr in infix notation on one line: "a*b + sin(c)". Inputs are named a, b, c in order; values used more than
/// once get names: "t1 = exp(a); t1/(t1 + 1)"; scalars without a dtype are s0, s1.
CUARRAY_API std::string to_infix(const Expr& expr);

/// The part of the Expr that computes output `k`; `inputs` receives the indices of the inputs it reads, in order.
CUARRAY_API Expr only_output(const Expr& expr, size_t k, std::vector<uint16_t>& inputs);

/// Whether nodes, dtypes and outputs are equal; scalar values may differ. Kernel caches compare by this.
CUARRAY_API bool same_structure(const Expr& a, const Expr& b);
CUARRAY_API uint64_t structure_hash(const Expr& expr);

}  // namespace cuarray
