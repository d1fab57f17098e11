// elementwise_cases.h -- elementwise tasks of the cpu backend against element-by-element evaluation, bit for bit.
//
// The reference calls the same loops with n = 1, so a difference is a fault of what joins them (loads, stores,
// registers, machine code) or a loop whose result depends on the position of an element.
#pragma once
#include <algorithm>
#include "cuda/random_views.h"
#include "host/loops_of_level.h"

namespace tests {

using Op = ExprNode::Op;

/// An expression with operands; an output may reuse the memory of an input.
struct Case {
    Expr expr;
    Dims shape;
    std::vector<Operand> inputs, outputs;
    std::vector<int> in_place;  // by output: the input whose memory it reuses, or -1
};

inline Scalar random_scalar(Random& random, DType dtype) {
    Scalar scalar;
    scalar.dtype = dtype;
    random_element(random, dtype, reinterpret_cast<char*>(scalar.bytes));
    return scalar;
}

/// Gives the case random operands, some outputs in the memory of an input.
inline void add_operands(Random& random, Case& c) {
    const Expr& e = c.expr;
    for (const DType dtype : e.inputs) c.inputs.push_back(random_operand(random, dtype, c.shape, true));
    for (const ValueId v : e.outputs) {
        c.outputs.push_back(random_operand(random, e.nodes[v].dtype, c.shape, false));
        c.in_place.push_back(-1);
        if (!random.one_in(3)) continue;
        for (size_t k = 0; k < c.inputs.size(); ++k) {
            const bool taken = std::count(c.in_place.begin(), c.in_place.end(), int(k)) > 0;
            const Operand& input = c.inputs[k];
            if (taken || item_size(input.dtype) != item_size(e.nodes[v].dtype)) continue;
            if (may_self_overlap({c.shape, input.strides}, item_size(input.dtype))) continue;
            c.in_place.back() = int(k);
            c.outputs.back() = input;
            c.outputs.back().dtype = e.nodes[v].dtype;
            break;
        }
    }
}

inline int64_t address_of(const Operand& operand, const Dims& shape, int64_t linear) {
    int64_t at = operand.offset;
    for (int axis = shape.size(); axis-- > 0; linear /= shape[axis]) at += linear % shape[axis] * operand.strides[axis];
    return at;
}

struct Element {
    alignas(16) char bytes[16];
};

/// All values of one element, one loop call per node.
inline std::vector<Element> evaluate(const host::LoopLibrary& library, const Case& c, int64_t i) {
    std::vector<Element> values(c.expr.nodes.size());
    for (size_t v = 0; v < values.size(); ++v) {
        const ExprNode& n = c.expr.nodes[v];
        const void* in[kMaxIn] = {};
        for (int k = 0; k < kMaxIn; ++k)
            if (n.source[k] != kNoValue) in[k] = values[n.source[k]].bytes;
        Element other;
        void* out[kMaxOut] = {values[v].bytes, other.bytes};
        switch (n.op) {
            case Op::Input:
                std::memcpy(out[0], c.inputs[n.index].bytes.data() + address_of(c.inputs[n.index], c.shape, i),
                            size_t(item_size(n.dtype)));
                break;
            case Op::Scalar: std::memcpy(out[0], c.expr.scalars[n.index].bytes, 16); break;
            case Op::Index: std::memcpy(out[0], &i, sizeof i); break;
            case Op::Cast:
                library.casts[int(c.expr.nodes[n.source[0]].dtype) * library.dtype_count + int(n.dtype)](in, out, 1);
                break;
            case Op::Loop: library.loops[n.index](in, out, 1); break;
            case Op::Second: {
                const ExprNode& loop = c.expr.nodes[n.source[0]];
                for (int k = 0; k < kMaxIn; ++k)
                    in[k] = loop.source[k] != kNoValue ? values[loop.source[k]].bytes : nullptr;
                std::swap(out[0], out[1]);
                library.loops[loop.index](in, out, 1);
                break;
            }
        }
    }
    return values;
}

/// Runs the case on the cpu backend; `written` receives the memory of its outputs.
inline Fault run_case(const Case& c, std::vector<StorageRef>& written) {
    Backend& cpu = backend({});
    std::vector<StorageRef> read;
    std::vector<View> inputs, outputs;
    for (const Operand& operand : c.inputs) {
        read.push_back(upload(cpu, operand));
        inputs.push_back(view(operand, read.back()));
    }
    for (size_t k = 0; k < c.outputs.size(); ++k) {
        written.push_back(c.in_place[k] >= 0 ? read[size_t(c.in_place[k])] : upload(cpu, c.outputs[k]));
        outputs.push_back(view(c.outputs[k], written.back()));
    }
    return cpu.run(Elementwise{&c.expr, c.shape, inputs, outputs, "test"});
}
inline Fault run_case(const Case& c) {
    std::vector<StorageRef> written;
    return run_case(c, written);
}

inline void compare(const host::LoopLibrary& library, const Case& c, uint64_t seed, int64_t round) {
    Backend& cpu = backend({});
    std::vector<StorageRef> written;
    const Fault fault = run_case(c, written);

    std::vector<std::vector<char>> expected;
    for (const Operand& operand : c.outputs) expected.push_back(operand.bytes);
    bool raised = false;
    for (int64_t i = 0, n = count(c.shape); i < n; ++i) {
        const std::vector<Element> values = evaluate(library, c, i);
        if (c.expr.fault != kNoValue) raised |= values[c.expr.fault].bytes[0] != 0;
        if (c.expr.mask != kNoValue && !values[c.expr.mask].bytes[0]) continue;
        for (size_t k = 0; k < c.outputs.size(); ++k)
            std::memcpy(expected[k].data() + address_of(c.outputs[k], c.shape, i), values[c.expr.outputs[k]].bytes,
                        size_t(item_size(c.outputs[k].dtype)));
    }
    CHECK((fault == Fault::Raised) == raised, "seed %llu round %lld: fault", (unsigned long long)seed,
          (long long)round);
    for (size_t k = 0; k < c.outputs.size(); ++k) {
        const std::vector<char> given = download(cpu, *written[k]);
        for (int64_t i = 0, n = count(c.shape); i < n; ++i) {
            const int64_t at = address_of(c.outputs[k], c.shape, i);
            CHECK(same_element(c.outputs[k].dtype, expected[k].data() + at, given.data() + at, 0),
                  "seed %llu round %lld: output %zu element %lld of %s\n%s", (unsigned long long)seed, (long long)round,
                  k, (long long)i, to_string(c.shape).c_str(), to_string(c.expr).c_str());
            std::memcpy(expected[k].data() + at, given.data() + at, size_t(item_size(c.outputs[k].dtype)));
        }
        CHECK(expected[k] == given, "seed %llu round %lld: output %zu wrote beside its elements",
              (unsigned long long)seed, (long long)round, k);
    }
}

}  // namespace tests
