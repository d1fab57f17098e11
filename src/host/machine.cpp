// machine.cpp -- blocks: gather operands that are not contiguous, run the steps, store.
#include "host/machine.h"

#include <algorithm>
#include <cstring>
#include <utility>

namespace cuarray::host {
namespace {

/// Whether the operand is broadcast along an axis.
bool is_broadcast(const Space& space, const SpaceOperand& o) {
    for (int d = 0; d < space.ndim && o.kind != SpaceOperand::Kind::Linear; ++d)
        if (o.strides[d] == 0 && space.shape[d] > 1) return true;
    return false;
}

// A block of 2 KiB of the largest items is short enough for the processor to overlap the next step's loads with this
// step; a single step has nothing to overlap, and may use as much as L1 holds.
constexpr int64_t kBlock = 256, kBlockBytes = 2048, kLongestBlock = 2048, kL1Share = 16 * 1024;
constexpr int64_t kLongestRow = 16 * 1024;  // where nothing of a block has to stay in L1
constexpr size_t kPlaces = 8;
constexpr int64_t kAhead = 8192;      // prefetch distance in bytes, to L2
constexpr int64_t kStream = 1 << 20;  // bytes from which an operand is taken to come from memory, not from caches
constexpr int64_t kLongestPeriod = 1024;

}  // namespace

void Plan::set_space(const Dims& shape, std::span<const Dims* const> strides, bool keep_order) {
    collapse(space, shape, strides, keep_order);
    if (space.ndim > 0) return;
    space.ndim = 1;
    space.shape[0] = 1;
    for (int k = 0; k < space.operands; ++k) space.strides[k][0] = 0;
}

void Plan::classify(SpaceOperand& operand, DType dtype) const {
    operand.log_size = log_item_size(dtype);
    const int64_t item = operand.item();
    uint64_t bits = reinterpret_cast<uintptr_t>(operand.base);
    bool linear = true, constant = true, periodic = true;
    int64_t expected = item;
    for (int d = space.ndim - 1; d >= 0; --d) {
        const int64_t stride = operand.strides[d];
        bits |= uint64_t(stride);
        linear = linear && stride == expected;
        constant = constant && stride == 0;
        periodic = periodic && (d == space.ndim - 1 || stride == 0);
        expected *= space.shape[d];
    }
    operand.aligned = (bits & uint64_t(info(dtype).align - 1)) == 0;
    operand.kind = constant && space.size != 1                               ? SpaceOperand::Kind::Constant
                   : (linear || space.size == 1) && operand.aligned          ? SpaceOperand::Kind::Linear
                   : periodic && space.ndim > 1 && inner() <= kLongestPeriod ? SpaceOperand::Kind::Periodic
                                                                             : SpaceOperand::Kind::General;
}

void Plan::choose_block() {
    constexpr int64_t kNothing = 1;
    int64_t bytes = kNothing, largest = 1;
    const auto add = [&](int64_t item) { bytes += item, largest = std::max(largest, item); };
    for (const uint8_t log_size : program.registers)
        if (log_size != LoopProgram::kTable) add(int64_t(1) << log_size);
    // One step streams what it reads and stores where that lies. Folds read their values from a block.
    const bool is_one_step = program.steps.size() == 1 && int(operands.size()) == program.inputs + program.outputs;
    for (int k = 0; k < int(operands.size()); ++k)
        if (!is_one_step || !is_used_in_place(k)) add(operands[size_t(k)].item());
    const bool all = std::all_of(operands.begin(), operands.end(), [](const SpaceOperand& o) {
        return o.kind == SpaceOperand::Kind::Linear || o.kind == SpaceOperand::Kind::Constant;
    });
    bool stored = true;
    for (size_t k = 0; k < program.sources.size(); ++k)
        stored = stored && !program.late[k] && program.sources[k] == program.output_slot(k);
    is_linear = all && stored && program.index == kNoSlot && program.mask == kNoSlot && program.fault == kNoSlot;
    const int64_t most = bytes > kNothing ? kLongestBlock : kLongestRow;
    const int64_t room = std::clamp(kL1Share / bytes & -kBlock, kBlock, most);
    block = program.steps.size() > 1 ? std::clamp(kBlockBytes / largest, kBlock, room) : room;
}

Machine::Machine(const Plan& plan, Scratch& scratch, int64_t elements)
    : plan_(plan), program_(plan.program), block_(std::min(plan.block, elements)) {
    const LoopProgram& p = program_;
    const int64_t block = block_;
    const size_t operands = plan.operands.size(), slots = size_t(p.inputs + p.outputs) + p.registers.size();
    slots_ = scratch.take_array<char*>(int64_t(slots));
    buffers_ = scratch.take_array<char*>(int64_t(operands));
    filled_ = scratch.take_array<const char*>(int64_t(operands));
    tiles_ = scratch.take_array<TransposedTile>(int64_t(operands));
    streams_ = scratch.take_array<int>(p.inputs);
    places_ = scratch.take_array<void*>(p.most_places());
    for (size_t k = 0; k < operands; ++k) {
        const SpaceOperand& o = plan.operands[k];
        const bool is_output = int(k) >= p.inputs;
        const bool staged = is_output && (p.late[k - size_t(p.inputs)] || p.mask != kNoSlot);
        int64_t size = o.kind != SpaceOperand::Kind::Linear || staged ? block * o.item() : 0;
        if (o.kind == SpaceOperand::Kind::Periodic) size += plan.inner() * o.item();
        buffers_[k] = size ? scratch.take(size) : nullptr;
        filled_[k] = nullptr;
        tiles_[k] = {nullptr, 0};
        if (is_output || !p.read[k] || plan.space.size == 0) continue;
        if (plan.space.size * o.item() >= kStream && !is_broadcast(plan.space, o)) streams_[stream_count_++] = int(k);
        if (o.kind == SpaceOperand::Kind::Constant) {
            plan.library->copy[o.log_size](buffers_[k], 0, o.item(), o.base, 0, 0, 1, block);
        } else if (o.kind == SpaceOperand::Kind::Periodic) {
            const int64_t start[kMaxDims] = {};
            char* to = buffers_[k];
            for_each_piece(plan.space, o.strides, o.base, start, std::min(block + plan.inner(), plan.space.size),
                           [&](char* from, int64_t rows, int64_t row, int64_t columns, int64_t column) {
                               plan.library->copy[o.log_size](to, columns * o.item(), o.item(), from, row, column, rows,
                                                              columns);
                               to += rows * columns * o.item();
                           });
        }
    }
    for (size_t r = 0; r < p.registers.size(); ++r)
        if (p.registers[r] != LoopProgram::kTable)
            slots_[size_t(p.inputs + p.outputs) + r] = scratch.take(block << p.registers[r]);
    const auto fill = [&](char* to, const LoopProgram::Constant& c, int64_t items) {
        plan.library->copy[c.log_size](to, 0, int64_t(1) << c.log_size, reinterpret_cast<const char*>(c.bytes), 0, 0, 1,
                                       items);
    };
    for (const LoopProgram::Constant& c : p.constants) fill(slots_[c.slot], c, block);
    for (const LoopProgram::ConstantTable& table : p.tables) {
        const int64_t bytes = emit::constant_bytes();
        char* to = slots_[table.slot] = scratch.take(bytes * int64_t(table.constants.size()));
        for (const LoopProgram::Constant& c : table.constants) fill(to, c, bytes >> c.log_size), to += bytes;
    }
}

void locate(const Space& s, int64_t begin, int64_t* at) {
    for (int d = s.ndim - 1; d > 0; --d) {
        const int64_t outer = begin / s.shape[d];
        at[d] = begin - outer * s.shape[d];
        begin = outer;
    }
    at[0] = begin;
}

char* Machine::address(const SpaceOperand& operand, const int64_t* at) const {
    char* p = operand.base;
    for (int d = 0; d < plan_.space.ndim; ++d) p += at[d] * operand.strides[d];
    return p;
}

char* Machine::input(int k, const int64_t* at, int64_t begin, int64_t n) {
    const SpaceOperand& o = plan_.operands[size_t(k)];
    if (tiles_[k].data) return tiles_[k].data + tile_row_ * tiles_[k].columns * o.item();
    if (o.kind == SpaceOperand::Kind::Linear) return o.base + begin * o.item();
    if (o.kind == SpaceOperand::Kind::Constant) return buffers_[k];
    const Space& s = plan_.space;
    const int last = s.ndim - 1;
    const CopyLoop copy = plan_.library->copy[o.log_size];
    char* const buffer = buffers_[k];
    if (at[last] + n > s.shape[last]) {
        if (o.kind == SpaceOperand::Kind::Periodic) return buffer + at[last] * o.item();
        char* to = buffer;
        for_each_piece(s, o.strides, o.base, at, n,
                       [&](char* from, int64_t rows, int64_t row, int64_t columns, int64_t column) {
                           copy(to, columns * o.item(), o.item(), from, row, column, rows, columns);
                           to += rows * columns * o.item();
                       });
        filled_[k] = nullptr;
        return buffer;
    }
    char* const from = address(o, at);
    const int64_t stride = o.strides[last];
    if (stride == o.item() && o.aligned) return from;
    if (o.kind == SpaceOperand::Kind::Periodic) return buffer + at[last] * o.item();
    if (stride != 0) {
        copy(buffer, 0, o.item(), from, 0, stride, 1, n);
    } else if (filled_[k] != from) {
        copy(buffer, 0, o.item(), from, 0, 0, 1, std::min(block_, s.shape[last]));
        filled_[k] = from;
    }
    return buffer;
}

char* Machine::output(int k, const int64_t* at, int64_t begin, int64_t n) {
    const SpaceOperand& o = plan_.operands[size_t(program_.inputs + k)];
    const TransposedTile& tile = tiles_[program_.inputs + k];
    if (tile.data) return tile.data + tile_row_ * tile.columns * o.item();
    if (program_.late[size_t(k)] || program_.mask != kNoSlot) return buffers_[program_.inputs + k];
    if (o.kind == SpaceOperand::Kind::Linear) return o.base + begin * o.item();
    const int last = plan_.space.ndim - 1;
    if (at[last] + n <= plan_.space.shape[last] && o.strides[last] == o.item() && o.aligned) return address(o, at);
    return buffers_[program_.inputs + k];
}

/// Stores output k's values, unless they were computed in place.
void Machine::store(int k, const int64_t* at, int64_t begin, int64_t n) {
    const SpaceOperand& o = plan_.operands[size_t(program_.inputs + k)];
    const char* from = slots_[program_.sources[size_t(k)]];
    const bool masked = program_.mask != kNoSlot;
    const SlotId own = program_.output_slot(size_t(k));
    char* const placed = slots_[own];
    if (!masked && placed != buffers_[program_.inputs + k]) {
        // The slot is the output's memory or a tile: only values computed elsewhere are copied.
        if (from != placed) std::memcpy(placed, from, size_t(n << o.log_size));
        return;
    }
    const auto* mask = masked ? reinterpret_cast<const uint8_t*>(slots_[program_.mask]) : nullptr;
    const auto put = [&](char* to, int64_t rows, int64_t row, int64_t columns, int64_t column) {
        if (masked) {
            for (int64_t r = 0; r < rows; ++r, mask += columns)
                plan_.library->store_where[o.log_size](to + r * row, column, from + (r * columns << o.log_size), mask,
                                                       columns);
        } else {
            plan_.library->copy[o.log_size](to, row, column, from, columns << o.log_size, o.item(), rows, columns);
        }
        from += rows * columns << o.log_size;
    };
    if (o.kind == SpaceOperand::Kind::Linear)
        put(o.base + begin * o.item(), 1, 0, n, o.item());
    else
        for_each_piece(plan_.space, o.strides, o.base, at, n, put);
}

void Machine::fill_index(const int64_t* at, int64_t n) {
    auto* to = reinterpret_cast<int64_t*>(slots_[program_.index]);
    const auto count = plan_.library->count;
    // The index is traversed like an operand of one-byte elements, whose "address" is the index itself.
    for_each_piece(plan_.space, plan_.index_strides, reinterpret_cast<char*>(plan_.index_base), at, n,
                   [&](char* from, int64_t rows, int64_t row, int64_t columns, int64_t column) {
                       for (int64_t r = 0; r < rows; ++r, to += columns)
                           count(to, int64_t(reinterpret_cast<intptr_t>(from)) + r * row, column, columns);
                   });
}

void Machine::prepare(int64_t begin, int64_t n, int64_t* at) {
    locate(plan_.space, begin, at);
    for (int k = 0; k < program_.inputs; ++k)
        if (program_.read[size_t(k)]) slots_[k] = input(k, at, begin, n);
    if (program_.index != kNoSlot) fill_index(at, n);
}

void Machine::compute(int64_t n) {
    for (const LoopProgram::Step& step : program_.steps) {
        const std::span<const SlotId> ins = program_.ins(step), outs = program_.outs(step);
        for (size_t k = 0; k < ins.size(); ++k) places_[k] = slots_[ins[k]];
        for (size_t k = 0; k < outs.size(); ++k) places_[ins.size() + k] = slots_[outs[k]];
        step.loop(const_cast<const void* const*>(places_), places_ + ins.size(), n);
    }
    if (program_.fault != kNoSlot && !fault_)
        fault_ = plan_.library->any(reinterpret_cast<const uint8_t*>(slots_[program_.fault]), n);
}

void Machine::run(int64_t begin, int64_t n) {
    int64_t at[kMaxDims];
    prepare(begin, n, at);
    for (int k = 0; k < program_.outputs; ++k) slots_[program_.inputs + k] = output(k, at, begin, n);
    compute(n);
    for (int k = 0; k < program_.outputs; ++k) store(k, at, begin, n);
}

bool Plan::is_used_in_place(int slot) const {
    const SpaceOperand& o = operands[size_t(slot)];
    const bool is_staged =
        slot >= program.inputs && (program.late[size_t(slot - program.inputs)] || program.mask != kNoSlot);
    return !is_staged && o.aligned && o.strides[space.ndim - 1] == o.item();
}

void Machine::run_rows(int64_t first, int64_t rows) {
    const Space& s = plan_.space;
    const int last = s.ndim - 1, operands = program_.inputs + program_.outputs;
    const int64_t n = s.shape[last];
    Scratch scratch;
    int* const moving = scratch.take_array<int>(operands);
    int* const others = scratch.take_array<int>(operands);
    int moving_count = 0, other_count = 0;
    for (int k = 0; k < operands; ++k) {
        if (plan_.is_fixed(k)) continue;
        if (plan_.is_used_in_place(k))
            moving[moving_count++] = k;
        else
            others[other_count++] = k;
    }
    const auto move_to = [&](int k, const int64_t* at, int64_t begin) {
        slots_[k] = k < program_.inputs ? input(k, at, begin, n) : output(k - program_.inputs, at, begin, n);
    };
    int64_t at[kMaxDims];
    for (int64_t row = first; row < first + rows; ++row) {
        const int64_t begin = row * n;
        // Only the first row of each plane is located anew.
        if (row == first || last == 0 || ++at[last - 1] == s.shape[last - 1]) {
            prepare(begin, n, at);
            for (int k = program_.inputs; k < operands; ++k) move_to(k, at, begin);
        } else {
            for (const int k : std::span(moving, size_t(moving_count)))
                slots_[k] += plan_.operands[size_t(k)].strides[last - 1];
            for (const int k : std::span(others, size_t(other_count))) move_to(k, at, begin);
            if (program_.index != kNoSlot) fill_index(at, n);
        }
        compute(n);
        for (int k = 0; k < program_.outputs; ++k) store(k, at, begin, n);
    }
}

void Machine::run_linear(int64_t begin, int64_t n) {
    struct LoopCall {
        BlockLoop loop;
        void** in;
        void** out;
        void operator()(int64_t count) const { loop(const_cast<const void* const*>(in), out, count); }
    };
    struct Moving {
        void** pointer;
        int64_t step;
    };
    const LoopProgram& p = program_;
    Scratch scratch;
    LoopCall* const calls = scratch.take_array<LoopCall>(int64_t(p.steps.size()));
    void** const places = scratch.take_array<void*>(int64_t(p.places.size()));
    Moving* const moving = scratch.take_array<Moving>(int64_t(p.places.size()));
    Moving* end = moving;
    const int operands = p.inputs + p.outputs;
    for (size_t k = 0; k < p.places.size(); ++k) {
        const SlotId slot = p.places[k];
        const SpaceOperand* const o = int(slot) < operands ? &plan_.operands[slot] : nullptr;
        if (!o || o->kind == SpaceOperand::Kind::Constant) {
            places[k] = o ? buffers_[slot] : slots_[slot];
        } else {
            places[k] = o->base + begin * o->item();
            *end++ = {&places[k], block_ * o->item()};
        }
    }
    for (size_t k = 0; k < p.steps.size(); ++k) {
        const LoopProgram::Step& step = p.steps[k];
        calls[k] = {step.loop, places + step.first, places + step.first + step.ins};
    }
    // One call site per step (first 8): a shared indirect call is mispredicted, and then the loads of the next step do
    // not overlap this one.
    const auto call_from_places = [&]<size_t... K>(std::index_sequence<K...>, int64_t count) {
        ((K < p.steps.size() ? calls[K](count) : void()), ...);
    };
    for (; n > 0; n -= block_) {
        const int64_t count = std::min(n, block_);
        call_from_places(std::make_index_sequence<kPlaces>(), count);
        for (size_t k = kPlaces; k < p.steps.size(); ++k) calls[k](count);
        for (const Moving* m = moving; m < end; ++m) *static_cast<char**>(static_cast<void*>(m->pointer)) += m->step;
    }
}

/// Prefetches n elements to L2, kAhead bytes after the element at `at`: the hardware prefetcher stops at the end of a
/// row.
void Machine::prefetch(const SpaceOperand& operand, const int64_t* at, int64_t begin, int64_t n) const {
    const Space& s = plan_.space;
    const int last = s.ndim - 1;
    const int64_t item = operand.item(), ahead = kAhead / item;
    if (begin + ahead >= s.size || operand.strides[last] != item) return;
    const auto lines = [&](const char* from, int64_t rows, int64_t row, int64_t columns, int64_t) {
        for (int64_t r = 0; r < rows; ++r, from += row)
            for (int64_t line = 0; line < columns * item; line += 64) __builtin_prefetch(from + line, 0, 2);
    };
    if (at[last] + ahead + n <= s.shape[last]) return lines(address(operand, at) + kAhead, 1, 0, n, item);
    int64_t next[kMaxDims];
    locate(s, begin + ahead, next);
    for_each_piece(s, operand.strides, operand.base, next, std::min(n, s.size - begin - ahead), lines);
}

const void* Machine::evaluate(int64_t begin, int64_t n, void* to, int64_t apart) {
    int64_t at[kMaxDims];
    prepare(begin, n, at);
    for (int k = 0; k < program_.outputs; ++k) slots_[program_.inputs + k] = static_cast<char*>(to) + k * apart;
    for (const int k : std::span(streams_, size_t(stream_count_))) prefetch(plan_.operands[size_t(k)], at, begin, n);
    compute(n);
    return values(0);
}

const void* Machine::direct(int64_t begin, int64_t n, size_t k) const {
    const SlotId source = program_.sources[k];
    if (int(source) >= program_.inputs) return nullptr;
    const SpaceOperand& o = plan_.operands[source];
    if (o.kind == SpaceOperand::Kind::Linear) return o.base + begin * o.item();
    const int last = plan_.space.ndim - 1;
    if (!o.aligned || o.strides[last] != o.item()) return nullptr;
    int64_t at[kMaxDims];
    locate(plan_.space, begin, at);
    return at[last] + n <= plan_.space.shape[last] ? address(o, at) : nullptr;
}

}  // namespace cuarray::host
