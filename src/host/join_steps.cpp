// join_steps.cpp -- finds runs of steps that chains can compute, and which of their values others need.
#include "host/join_steps.h"

#include <algorithm>
#include <span>
#include <utility>
#include <vector>

#include "host/loop_program.h"

namespace cuarray::host {
namespace {

using emit::Chain;
using emit::ChainNode;
using Step = LoopProgram::Step;

constexpr uint16_t kNoNode = 0xffff;
constexpr int kNever = -1, kEnd = 1 << 30;
constexpr int64_t kFewestElements = 1024;  // fewer do not pay for the look-up
constexpr size_t kLongestRun = 4096;

class StepJoiner {
 public:
    StepJoiner(LoopProgram& program, emit::CodeSource& codes)
        : p_(program),
          codes_(codes),
          steps_(std::move(program.steps)),
          places_(std::move(program.places)),
          last_read_(steps_.size(), kNever),
          node_of_(size_t(p_.inputs + p_.outputs) + p_.registers.size(), kNoNode),
          constant_(node_of_.size(), nullptr) {
        for (const LoopProgram::Constant& c : p_.constants) constant_[c.slot] = &c;
        p_.steps.clear();
        p_.places.clear();
    }

    void run(int64_t elements) {
        find_last_reads();
        for (size_t begin = 0; begin < steps_.size();) {
            const size_t end = next_run(begin);
            const std::shared_ptr<const emit::ChainCode> code =
                end > begin + 1 ? codes_.code_for(chain_, elements) : nullptr;
            if (code) {
                if (chain_.constants) in_.push_back(add_table());
                p_.add_step(code->loop(), in_, out_);
                p_.codes.push_back(code);
            } else {
                for (size_t k = begin; k < std::max(end, begin + 1); ++k) keep(steps_[k]);
            }
            begin = std::max(end, begin + 1);
        }
        if (!p_.codes.empty()) drop_registers();
    }

 private:
    std::span<const SlotId> ins(const Step& step) const { return {&places_[step.first], step.ins}; }
    std::span<const SlotId> outs(const Step& step) const { return {&places_[step.first] + step.ins, step.outs}; }
    void keep(const Step& step) { p_.add_step(step.loop, ins(step), outs(step), step.id, step.from, step.type); }

    void find_last_reads() {
        std::vector<int> writer(node_of_.size(), kNever);
        const auto read = [&](SlotId slot, int at) {
            if (slot != kNoSlot && writer[slot] != kNever) last_read_[size_t(writer[slot])] = at;
        };
        for (int i = 0; i < int(steps_.size()); ++i) {
            for (const SlotId slot : ins(steps_[size_t(i)])) read(slot, i);
            const std::span<const SlotId> written = outs(steps_[size_t(i)]);
            for (const SlotId slot : written) writer[slot] = written.size() == 1 ? i : kNever;
        }
        for (int k = 0; k < p_.outputs; ++k) read(p_.output_slot(size_t(k)), kEnd);
        for (const SlotId slot : p_.sources) read(slot, kEnd);
        read(p_.mask, kEnd);
        read(p_.fault, kEnd);
    }

    static bool can_join(const Step& step) {
        if (step.id == Step::kOther) return false;
        return step.id == Step::kCast ? emit::can_emit_cast(step.from, step.type) : emit::can_emit(loops()[step.id]);
    }

    /// Makes chain_, in_ and out_ of the longest run from `begin` on and returns its end; `begin` if there is none.
    size_t next_run(size_t begin) {
        size_t end = begin;
        while (end < steps_.size() && end - begin < kLongestRun && can_join(steps_[end])) ++end;
        while (end > begin + 1 && !make_chain(begin, end)) end = begin + (end - begin) / 2;
        const bool has_numbers =
            end > begin + 1 && std::any_of(chain_.nodes.begin(), chain_.nodes.end(),
                                           [](const ChainNode& n) { return n.from != uint8_t(DType::bool_); });
        return has_numbers ? end : begin;
    }

    /// False if the steps have too many operands.
    bool make_chain(size_t begin, size_t end) {
        std::fill(node_of_.begin(), node_of_.end(), kNoNode);
        chain_.nodes.clear(), chain_.outputs.clear(), chain_.inputs = chain_.constants = 0;
        in_.clear(), out_.clear(), table_.clear();
        for (size_t k = begin; k < end; ++k) {
            const uint16_t node = add(steps_[k]);
            if (last_read_[k] < int(end)) continue;
            chain_.outputs.push_back(node);
            out_.push_back(outs(steps_[k])[0]);
        }
        return chain_.input_count() + int(out_.size()) <= Chain::kMaxOperands;
    }

    uint16_t add(const Step& step) {
        const bool is_cast = step.id == Step::kCast;
        const Loop* const loop = is_cast ? nullptr : &loops()[step.id];
        ChainNode node{is_cast ? ChainNode::kCast : loop->row,
                       uint8_t(is_cast ? step.from : loop->T),
                       uint8_t(is_cast ? step.type : loop->out[0]),
                       {0, 0, 0}};
        const std::span<const SlotId> slots = ins(step);
        for (size_t k = 0; k < slots.size(); ++k) node.source[k] = load(slots[k], is_cast ? step.from : loop->in[k]);
        return node_of_[outs(step)[0]] = push(node);
    }

    uint16_t load(SlotId slot, DType dtype) {
        if (node_of_[slot] != kNoNode) return node_of_[slot];
        uint16_t what = ChainNode::kLoad, number = 0;
        if (constant_[slot]) {
            what = ChainNode::kLoadConstant, number = uint16_t(chain_.constants++);
            table_.push_back(*constant_[slot]);
        } else {
            number = uint16_t(chain_.inputs++);
            in_.push_back(slot);
        }
        return node_of_[slot] = push({what, uint8_t(dtype), uint8_t(dtype), {number, 0, 0}});
    }

    /// A register for the constants of chain_.
    SlotId add_table() {
        p_.registers.push_back(LoopProgram::kTable);
        p_.tables.push_back({SlotId(p_.inputs + p_.outputs + int(p_.registers.size()) - 1), table_});
        return p_.tables.back().slot;
    }

    uint16_t push(const ChainNode& node) {
        chain_.nodes.push_back(node);
        return uint16_t(chain_.nodes.size() - 1);
    }

    void drop_registers() {
        const int operands = p_.inputs + p_.outputs;
        std::vector<SlotId> renamed(p_.registers.size(), kNoSlot);
        std::vector<uint8_t> kept;
        const auto rename = [&](SlotId& slot) {
            if (slot == kNoSlot || int(slot) < operands) return;
            SlotId& to = renamed[size_t(slot - operands)];
            if (to == kNoSlot) {
                to = SlotId(operands + int(kept.size()));
                kept.push_back(p_.registers[size_t(slot - operands)]);
            }
            slot = to;
        };
        for (SlotId& slot : p_.places) rename(slot);
        for (SlotId& slot : p_.sources) rename(slot);
        for (LoopProgram::ConstantTable& table : p_.tables) rename(table.slot);
        for (SlotId* slot : {&p_.index, &p_.mask, &p_.fault}) rename(*slot);
        std::erase_if(p_.constants, [&](LoopProgram::Constant& c) {
            c.slot = renamed[size_t(c.slot - operands)];
            return c.slot == kNoSlot;
        });
        p_.registers = std::move(kept);
    }

    LoopProgram& p_;
    emit::CodeSource& codes_;
    const std::vector<Step> steps_;
    const std::vector<SlotId> places_;
    std::vector<int> last_read_;                          // by step: the last one that reads its only output
    std::vector<uint16_t> node_of_;                       // by slot: its value in the run
    std::vector<const LoopProgram::Constant*> constant_;  // by slot: the one value that it holds throughout
    Chain chain_;
    std::vector<SlotId> in_, out_;
    std::vector<LoopProgram::Constant> table_;  // of chain_
};

}  // namespace

void join_steps(LoopProgram& program, int64_t elements, emit::CodeSource& codes) {
    if (elements >= kFewestElements && emit::is_enabled()) StepJoiner(program, codes).run(elements);
}

}  // namespace cuarray::host
