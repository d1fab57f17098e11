// fold_launch.cpp -- chooses the walk of a reduction: how a block is divided into outputs, lanes and leaves.
#include <algorithm>
#include <bit>
#include <cstring>

#include "codegen/lanes.h"
#include "codegen/launch.h"
#include "codegen/parameters.h"
#include "codegen/sizes.h"
#include "cuarray/kernel/reduce.h"
#include "cuarray/kernel/scan.h"

namespace cuarray {
namespace {

constexpr int kThreadBits = 9, kLaneBits = 4, kMostColumns = 5;
// One thread folds a short row if there are this many outputs to keep the GPU busy, or if most lanes would idle.
constexpr int64_t kManyOutputs = 1 << 15;
// With fewer blocks, most of a large GPU idles, and fewer columns per block are faster.
constexpr int64_t kFewBlocks = 256;

template <class Index>
using Parameters = kernel::Folded<Index, kOperands>;
static_assert(sizeof(Parameters<kernel::Index64>) <= sizeof(Launch::parameters));

/// Kept and reduced axes of a task, collapsed separately.
struct AxisSplit {
    Space kept, reduced;
    ElementSizes sizes;
    uint64_t addresses[kOperands];
};

void one_axis_at_least(Space& space) {
    if (space.ndim > 0) return;
    space.ndim = 1;
    space.shape[0] = 1;
    for (int k = 0; k < space.operands; ++k) space.strides[k][0] = 0;
}

void split_axes(AxisSplit& split, const Program& program, const FoldOperands& fold) {
    split.sizes = element_sizes(*program.expr);
    Dims index_strides;
    const Dims* strides[kOperands];
    int operands = 0;
    const auto add = [&](const DeviceOperand& place) {
        strides[operands] = place.strides;
        split.addresses[operands++] = place.address;
    };
    add(fold.output);
    for (const DeviceOperand& input : fold.inputs) add(input);
    if (split.sizes.has_index) {
        index_strides = c_strides(fold.shape, 1);
        add({0, &index_strides});
    }

    // Axes of extent 1 are dropped.
    Dims kept = fold.shape, reduced = fold.shape;
    for (int axis = 0; axis < fold.shape.size(); ++axis) {
        const bool folds = std::find(fold.axes.begin(), fold.axes.end(), axis) != fold.axes.end();
        (folds ? kept : reduced)[axis] = 1;
    }
    collapse(split.kept, kept, {strides, size_t(operands)});
    collapse(split.reduced, reduced, {strides, size_t(operands)}, true);
    for (int k = 0; k < operands; ++k) split.addresses[k] += uint64_t(split.kept.offset[k] + split.reduced.offset[k]);
    one_axis_at_least(split.kept);
    one_axis_at_least(split.reduced);
}

/// Whether the inputs' strides between neighbouring outputs are smaller than between elements of one fold, by a vote
/// weighted with the item sizes.
bool runs_along_outputs(const AxisSplit& split, const Program& program) {
    const int kept = split.kept.ndim - 1, reduced = split.reduced.ndim - 1;
    int64_t votes = 0;
    for (size_t k = 0; k < program.expr->inputs.size(); ++k) {
        const int64_t along = std::abs(split.kept.strides[k + 1][kept]);
        const int64_t fold = std::abs(split.reduced.strides[k + 1][reduced]);
        if (along == 0 || fold == 0) continue;
        votes += (along < fold ? 1 : -1) * item_size(program.expr->inputs[k]);
    }
    return votes > 0 && split.kept.shape[kept] > 1;
}

/// How the threads of a block are divided; columns, groups and leaves are base-2 logarithms.
struct ThreadDivision {
    int columns = 0, groups = 0, leaves = 0;
    int64_t tiles = 0, chunks = 1;
};

ThreadDivision divide_with(int columns, int64_t outputs, int64_t n) {
    ThreadDivision division;
    division.columns = columns;
    division.chunks = std::max<int64_t>(1, (n + kernel::kChunk - 1) / kernel::kChunk);
    const int64_t leaves = (std::min<int64_t>(n, kernel::kChunk) + kernel::kLeaf - 1) / kernel::kLeaf;
    const int leaf_bits = bits_for(leaves);
    division.groups = std::min(leaf_bits, kThreadBits - kLaneBits - columns);
    division.leaves = leaf_bits - division.groups;
    const int tile_bits = kThreadBits - kLaneBits - division.groups;
    division.tiles = (outputs + (int64_t(1) << tile_bits) - 1) >> tile_bits;
    return division;
}

ThreadDivision divide(const AxisSplit& split, bool by_columns) {
    const int64_t outputs = split.kept.size, n = split.reduced.size;
    if (!by_columns) return divide_with(0, outputs, n);
    ThreadDivision division = divide_with(std::min(kMostColumns, bits_for(outputs)), outputs, n);
    while (division.columns > 3 && division.tiles * division.chunks < kFewBlocks)
        division = divide_with(division.columns - 1, outputs, n);
    return division;
}

template <class Index>
bool fill_fold(Launch& launch, const AxisSplit& split, const Program& program, const Scalar* initial,
               const ThreadDivision& division) {
    const size_t unused = size_t(kOperands - split.kept.operands) * sizeof(kernel::FoldedOperand<Index>);
    const size_t used = sizeof(Parameters<Index>) - unused;
    const size_t scalars = (program.expr->scalars.size() + 1) * sizeof(kernel::Slot) + sizeof(kernel::FaultSink);
    if (used + scalars > kParameterBytes) return false;
    std::memset(launch.parameters, 0, used);
    auto& p = *reinterpret_cast<Parameters<Index>*>(launch.parameters);
    p.outputs = uint64_t(split.kept.size);
    p.n = uint64_t(split.reduced.size);
    p.chunks = uint64_t(division.chunks);
    p.partials = nullptr;
    p.counters = nullptr;
    p.kept_axes = uint32_t(split.kept.ndim);
    p.reduced_axes = uint32_t(split.reduced.ndim);
    p.columns = uint32_t(division.columns);
    p.groups = uint32_t(division.groups);
    p.leaves = uint32_t(division.leaves);
    p.has_initial = initial != nullptr;
    for (int d = 0; d < split.kept.ndim; ++d) set_extent(p.kept[d], split.kept.shape[d]);
    for (int d = 0; d < split.reduced.ndim; ++d) set_extent(p.reduced[d], split.reduced.shape[d]);
    using Offset = typename Index::offset;
    for (int k = 0; k < split.kept.operands; ++k) {
        p.operands[k].data = reinterpret_cast<char*>(split.addresses[k]);
        for (int d = 0; d < split.kept.ndim; ++d) p.operands[k].kept[d] = Offset(split.kept.strides[k][d]);
        for (int d = 0; d < split.reduced.ndim; ++d) p.operands[k].reduced[d] = Offset(split.reduced.strides[k][d]);
    }
    return true;
}

bool one_thread_each(const AxisSplit& split, bool by_columns) {
    const int64_t n = split.reduced.size;
    if (split.reduced.ndim > 1 || n > kernel::kLeaf || !can_fold_in_registers(split.sizes)) return false;
    return by_columns ? split.kept.size >= kManyOutputs : n <= kernel::kLanes;
}

/// Whether Walk::TreeLines applies: one reduced axis, along which every input is contiguous and aligned to the
/// vector, or one of several and broadcast.
bool has_lines(const AxisSplit& split, const Program& program) {
    if (split.reduced.ndim > 1) return false;
    const int lanes = line_lanes(program);
    for (int k = 1; k < split.sizes.memory_operands; ++k) {
        const int64_t step = split.reduced.strides[k][0];
        if (step == 0 && split.sizes.operands > 2) continue;
        if (step != split.sizes.size[k]) return false;
        int64_t bits = int64_t(split.addresses[k]);
        for (int d = 0; d < split.kept.ndim; ++d) bits |= split.kept.strides[k][d];
        if ((bits & (std::min(16, split.sizes.size[k] * lanes) - 1)) != 0) return false;
    }
    return true;
}

/// The leaves of an output in a block of Walk::TreeLines: of a chunk, or of fewer outputs' leaves.
ThreadDivision divide_lines(const AxisSplit& split) {
    ThreadDivision division;
    const int64_t n = split.reduced.size;
    division.chunks = std::max<int64_t>(1, (n + kernel::kChunk - 1) / kernel::kChunk);
    division.leaves = bits_for((std::min<int64_t>(n, kernel::kChunk) + kernel::kLeaf - 1) / kernel::kLeaf);
    const int64_t outputs = kernel::kChunk / kernel::kLeaf >> division.leaves;
    division.tiles = (split.kept.size + outputs - 1) / outputs;
    return division;
}

}  // namespace

bool plan_fold(const Program& program, const FoldOperands& operands, Launch& launch) {
    launch.grid = 0;
    launch.partials = launch.counters = 0;
    if (int(operands.inputs.size()) + 2 > kOperands || program.expr->scalars.size() + 1 > size_t(kernel::kMaxScalars))
        return false;
    AxisSplit split;
    split_axes(split, program, operands);
    if (split.kept.ndim > kAxes || split.reduced.ndim > kAxes) return false;
    set_scalars(launch, *program.expr, operands.initial);
    if (split.kept.size == 0) return true;

    const bool by_columns = runs_along_outputs(split, program);
    const bool in_order = program.loop != kNone;
    if (in_order || one_thread_each(split, by_columns)) {
        launch.walk = in_order ? Walk::InOrder : Walk::Short;
        launch.set_grid("reduce", (split.kept.size + kThreads - 1) / kThreads, kThreads);
        return fill_fold<kernel::Index64>(launch, split, program, operands.initial, {});
    }
    const bool lines = !by_columns && has_lines(split, program);
    const ThreadDivision division = lines ? divide_lines(split) : divide(split, by_columns);
    launch.set_grid("reduce", division.tiles * division.chunks, lines ? line_threads(program) : 1 << kThreadBits);
    if (division.chunks > 1) {
        const DType T = program.expr->nodes[program.expr->outputs[0]].dtype;
        launch.partials = split.kept.size * division.chunks * accumulator_size(program.reduction, T);
        launch.counters = division.tiles * int64_t(sizeof(uint32_t));
    }
    const bool several = split.reduced.ndim > 1;
    if (several && fits_32_bits(split.kept) && fits_32_bits(split.reduced)) {
        launch.walk = Walk::TreeStrided;
        return fill_fold<kernel::Index32>(launch, split, program, operands.initial, division);
    }
    launch.walk = lines ? Walk::TreeLines : several ? Walk::TreeStrided64 : Walk::Tree;
    return fill_fold<kernel::Index64>(launch, split, program, operands.initial, division);
}

void Launch::set_grid(std::string_view kernel, int64_t blocks, int64_t threads) {
    if (blocks > INT32_MAX)
        raise(ErrorKind::NotImplemented, kernel, ": ", blocks, " blocks; a grid has at most ", INT32_MAX);
    grid = uint32_t(blocks);
    block = uint32_t(threads);
}

void Launch::set_workspace(uint64_t partials_address, uint64_t counters_address) {
    const auto fold = [&](auto& p) {
        p.partials = reinterpret_cast<void*>(partials_address);
        p.counters = reinterpret_cast<uint32_t*>(counters_address);
    };
    const auto scan = [&](auto& p) {
        p.trees = reinterpret_cast<void*>(partials_address);
        p.ticket = reinterpret_cast<uint32_t*>(counters_address);
        p.flags = p.ticket + 1;
    };
    if (walk == Walk::TreeStrided)
        fold(*reinterpret_cast<Parameters<kernel::Index32>*>(parameters));
    else if (walk == Walk::Scan)
        scan(*reinterpret_cast<kernel::ScanParameters<kernel::Index32, kOperands>*>(parameters));
    else if (walk == Walk::Scan64)
        scan(*reinterpret_cast<kernel::ScanParameters<kernel::Index64, kOperands>*>(parameters));
    else
        fold(*reinterpret_cast<Parameters<kernel::Index64>*>(parameters));
}

}  // namespace cuarray
