// loop_program.cpp -- compiles an Expr to steps over slots: liveness, constants and register allocation.
#include "host/loop_program.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "host/join_steps.h"

namespace cuarray::host {

int log_item_size(DType dtype) { return std::countr_zero(unsigned(item_size(dtype))); }

/// Builds one program; `last` and `slot` are indexed by value.
struct LoopProgram::Builder {
    using Op = ExprNode::Op;
    static constexpr int kNever = -1, kEnd = 1 << 20;

    LoopProgram& p;
    const Expr& expr;
    const LoopLibrary& library;
    std::vector<int>& last;  // the last node that reads the value, kEnd for the end of the block
    std::vector<SlotId>& slot;
    std::vector<uint8_t>& uniform;  // whether the value is the same for every element
    std::vector<ValueId>& second;   // by Loop node: its Second node
    std::vector<SlotId> (&free)[kItemSizes];

    Builder(LoopProgram& program, const Expr& e, const LoopLibrary& l)
        : p(program),
          expr(e),
          library(l),
          last(p.notes_.last),
          slot(p.notes_.slot),
          uniform(p.notes_.uniform),
          second(p.notes_.second),
          free(p.notes_.free) {
        last.assign(e.nodes.size(), kNever);
        slot.assign(e.nodes.size(), kNoSlot);
        uniform.assign(e.nodes.size(), 0);
        second.assign(e.nodes.size(), kNoValue);
        for (std::vector<SlotId>& pool : free) pool.clear();
    }

    const ExprNode& node(ValueId v) const { return expr.nodes[v]; }
    int count() const { return int(expr.nodes.size()); }

    static int sources(const ExprNode& n) {
        int number = 0;
        while (number < kMaxIn && n.source[number] != kNoValue) ++number;
        return number;
    }

    /// Fills `last`, `second` and `uniform`. A Second and its Loop are live as long as either is used.
    void find_uses() {
        for (ValueId v : expr.outputs) last[v] = kEnd;
        if (expr.mask != kNoValue) last[expr.mask] = kEnd;
        if (expr.fault != kNoValue) last[expr.fault] = kEnd;
        for (int v = count(); v-- > 0;) {
            const ExprNode& n = node(ValueId(v));
            if (last[size_t(v)] == kNever) continue;
            if (n.op == Op::Second) {
                ValueId& one = second[n.source[0]];  // several Second nodes of one Loop share a slot
                if (one != kNoValue) last[size_t(v)] = std::max(last[size_t(v)], last[one]);
                one = ValueId(v);
            }
            for (int k = 0, ins = sources(n); k < ins; ++k) last[n.source[k]] = std::max(last[n.source[k]], v);
        }
        for (int v = 0; v < count(); ++v) {
            const ExprNode& n = node(ValueId(v));
            bool all = n.op != Op::Input && n.op != Op::Index;
            for (int k = 0, ins = sources(n); all && k < ins; ++k) all = uniform[n.source[k]];
            uniform[size_t(v)] = all;
        }
    }

    SlotId new_register(int log_size) {
        std::vector<SlotId>& pool = free[log_size];
        if (!pool.empty()) {
            const SlotId id = pool.back();
            pool.pop_back();
            return id;
        }
        p.registers.push_back(uint8_t(log_size));
        return SlotId(p.inputs + p.outputs + int(p.registers.size()) - 1);
    }
    bool is_register(SlotId id) const { return id != kNoSlot && int(id) >= p.inputs + p.outputs; }
    void release(SlotId id) {
        if (is_register(id) && id != p.index) free[p.registers[size_t(id - p.inputs - p.outputs)]].push_back(id);
    }

    /// Evaluates a constant from its uniform sources.
    Constant evaluate(ValueId v) const {
        const ExprNode& n = node(v);
        Constant c{kNoSlot, uint8_t(log_item_size(n.dtype)), {}};
        if (n.op == Op::Scalar) {
            std::memcpy(c.bytes, expr.scalars[n.index].bytes, sizeof c.bytes);
            return c;
        }
        const ExprNode& made_by = n.op == Op::Second ? node(n.source[0]) : n;
        Constant arguments[kMaxIn], other{};
        const void* in[kMaxIn];
        for (int k = 0; k < sources(made_by); ++k) {
            arguments[k] = evaluate(made_by.source[k]);
            in[k] = arguments[k].bytes;
        }
        void* out[kMaxOut] = {c.bytes, other.bytes};
        if (n.op == Op::Second) std::swap(out[0], out[1]);
        loop_of(made_by)(in, out, 1);
        return c;
    }

    BlockLoop loop_of(const ExprNode& n) const {
        if (n.op == Op::Loop) return library.loops[n.index];
        return library.casts[int(node(n.source[0]).dtype) * library.dtype_count + int(n.dtype)];
    }

    SlotId constant(ValueId v) {
        if (slot[v] == kNoSlot) {
            Constant c = evaluate(v);
            p.registers.push_back(c.log_size);  // never shared: filled once
            c.slot = slot[v] = SlotId(p.inputs + p.outputs + int(p.registers.size()) - 1);
            p.constants.push_back(c);
        }
        return slot[v];
    }

    /// Assigns a slot to a value: that of its output, if it is an output, or a register.
    SlotId place(ValueId v) {
        for (size_t k = 0; k < expr.outputs.size(); ++k) {
            if (expr.outputs[k] != v) continue;
            p.sources[k] = p.output_slot(k);
            return slot[v] = p.sources[k];
        }
        return slot[v] = new_register(log_item_size(node(v).dtype));
    }

    void add_step(ValueId v) {
        const ExprNode& n = node(v);
        const int ins = sources(n);
        SlotId in[kMaxIn], out[kMaxOut] = {kNoSlot, kNoSlot};
        for (int k = 0; k < ins; ++k) {
            const ValueId source = n.source[k];
            in[k] = uniform[source] ? constant(source) : slot[source];
        }
        // Registers of sources that are not used again are released before the result's register is allocated: the
        // result then overwrites an operand that is still in L1. Loops allow that for one output of the operand's item
        // size.
        const bool two = n.op == Op::Loop && loops()[n.index].out[1] != DType::none;
        const auto release_sources = [&] {
            for (int k = 0; k < ins; ++k) {
                const ValueId source = n.source[k];
                const bool repeated = std::find(n.source, n.source + k, source) != n.source + k;
                if (!repeated && !uniform[source] && last[source] == int(v)) release(slot[source]);
            }
        };
        if (!two) release_sources();
        out[0] = place(v);
        if (two) {
            const ValueId other = second[v];
            out[1] = other != kNoValue ? place(other) : new_register(log_item_size(loops()[n.index].out[1]));
            if (other == kNoValue) release(out[1]);
            release_sources();
        }
        const std::span<const SlotId> from{in, size_t(ins)}, to{out, two ? size_t(2) : size_t(1)};
        if (n.op == Op::Loop)
            p.add_step(loop_of(n), from, to, n.index);
        else
            p.add_step(loop_of(n), from, to, Step::kCast, node(n.source[0]).dtype, n.dtype);
    }

    /// An output that aliases an input is written at the block's end if an input is read after the value is computed.
    void find_late_outputs(uint64_t aliased) {
        for (size_t k = 0; k < expr.outputs.size(); ++k) {
            if (!(aliased >> k & 1) || p.late[k] || p.sources[k] != p.output_slot(k)) continue;
            const ExprNode& n = node(expr.outputs[k]);
            const int made = n.op == Op::Second ? n.source[0] : expr.outputs[k];
            for (int v = 0; v < count(); ++v)
                if (node(ValueId(v)).op == Op::Input && last[size_t(v)] > made) p.late[k] = true;
        }
    }

    void run(uint64_t aliased) {
        find_uses();
        for (int i = 0; i < count(); ++i) {
            const ValueId v = ValueId(i);
            const ExprNode& n = node(v);
            if (last[v] == kNever) continue;
            if (n.op == Op::Input) {
                slot[v] = SlotId(n.index);
                p.read[n.index] = true;
            } else if (n.op == Op::Index) {
                p.index = slot[v] = p.index == kNoSlot ? new_index_register() : p.index;
            } else if (!uniform[v] && (n.op == Op::Loop || n.op == Op::Cast)) {
                add_step(v);
            } else if (n.op == Op::Second && !uniform[v]) {
                slot[v] = slot[second[n.source[0]]];
            }
        }
        if (aliased && p.outputs > 1) copy_stored_inputs();
        for (size_t k = 0; k < expr.outputs.size(); ++k)
            if (p.sources[k] == kNoSlot) p.sources[k] = place_of(expr.outputs[k]);
        if (expr.mask != kNoValue) p.mask = place_of_mask(aliased);
        if (expr.fault != kNoValue) p.fault = place_of(expr.fault);
        find_late_outputs(aliased);
    }

    /// An input that is stored unchanged must be read before another output overwrites it.
    void copy_stored_inputs() {
        for (size_t k = 0; k < expr.outputs.size(); ++k) {
            const ExprNode& n = node(expr.outputs[k]);
            if (n.op != Op::Input) continue;
            p.sources[k] = p.output_slot(k);
            p.late[k] = true;
            const BlockLoop copy = library.casts[int(n.dtype) * (library.dtype_count + 1)];
            const SlotId from = SlotId(n.index);
            p.add_step(copy, {&from, 1}, {&p.sources[k], 1});
        }
    }

    /// Every store reads the mask, so it must not alias what the first store writes.
    SlotId place_of_mask(uint64_t aliased) {
        const SlotId place = place_of(expr.mask);
        if (!aliased || p.outputs < 2 || int(place) >= p.inputs) return place;
        const SlotId own = new_register(0);
        const int type = int(node(expr.mask).dtype);
        p.add_step(library.casts[type * (library.dtype_count + 1)], {&place, 1}, {&own, 1});
        return own;
    }

    SlotId new_index_register() {
        p.registers.push_back(uint8_t(log_item_size(DType::int64)));  // never shared: filled before the steps
        return SlotId(p.inputs + p.outputs + int(p.registers.size()) - 1);
    }
    SlotId place_of(ValueId v) { return uniform[v] ? constant(v) : slot[v]; }
};

void LoopProgram::add_step(BlockLoop loop, std::span<const SlotId> in, std::span<const SlotId> out, LoopId id,
                           DType from, DType type) {
    steps.push_back({loop, uint32_t(places.size()), uint16_t(in.size()), uint16_t(out.size()), id, from, type});
    // Few, as a rule, for which insert() takes longer.
    for (const SlotId slot : in) places.push_back(slot);
    for (const SlotId slot : out) places.push_back(slot);
}

void LoopProgram::build(const Expr& expr, const LoopLibrary& library, uint64_t aliased, int64_t elements,
                        emit::CodeSource& chains) {
    inputs = int(expr.inputs.size());
    outputs = int(expr.outputs.size());
    steps.clear(), places.clear(), constants.clear(), tables.clear(), registers.clear(), codes.clear();
    sources.assign(expr.outputs.size(), kNoSlot);
    late.assign(expr.outputs.size(), false);
    read.assign(expr.inputs.size(), false);
    index = mask = fault = kNoSlot;
    Builder(*this, expr, library).run(aliased);
    if (steps.size() > 1) join_steps(*this, elements, chains);
}

}  // namespace cuarray::host
