// scan_launch.cpp -- chooses the walk of a scan: how a block is divided into lines, and lines into tiles.
#include <algorithm>
#include <bit>
#include <cstdlib>

#include "codegen/lanes.h"
#include "codegen/launch.h"
#include "codegen/parameters.h"
#include "codegen/sizes.h"
#include "cuarray/kernel/scan.h"

namespace cuarray {
namespace {

constexpr int kScanThreadBits = 8, kMostLineBits = 5;

template <class Index>
using ScanParametersOf = kernel::ScanParameters<Index, kOperands>;
static_assert(sizeof(ScanParametersOf<kernel::Index64>) <= sizeof(Launch::parameters));
static_assert(kernel::kScanThreads == 1u << kScanThreadBits);

/// The lines of a task: the other axes, collapsed, and each operand's stride along a line.
struct ScanLayout {
    Space space;
    ElementSizes sizes;
    int64_t n = 0, along[kOperands];
};

void lay_out(ScanLayout& layout, const Expr& expr, const Dims& shape, int axis, const DeviceOperand& output,
             std::span<const DeviceOperand> inputs) {
    layout.sizes = element_sizes(expr);
    layout.n = shape[axis];
    Dims others = shape, index_strides;
    others[axis] = 1;  // axes of extent 1 are dropped
    const Dims* strides[kOperands];
    uint64_t addresses[kOperands];
    int operands = 0;
    const auto add = [&](const DeviceOperand& place) {
        strides[operands] = place.strides;
        layout.along[operands] = (*place.strides)[axis];
        addresses[operands++] = place.address;
    };
    add(output);
    for (const DeviceOperand& input : inputs) add(input);
    if (layout.sizes.has_index) {
        index_strides = c_strides(shape, 1);
        add({0, &index_strides});
    }
    collapse(layout.space, others, {strides, size_t(operands)});
    for (int k = 0; k < operands; ++k) layout.space.offset[k] += int64_t(addresses[k]);
    if (layout.space.ndim > 0) return;
    layout.space.ndim = 1;
    layout.space.shape[0] = 1;
    for (int k = 0; k < operands; ++k) layout.space.strides[k][0] = 0;
}

/// Whether the strides between neighbouring lines are smaller than those along a line, by a vote weighted with the item
/// sizes.
bool runs_across(const ScanLayout& layout) {
    const int last = layout.space.ndim - 1;
    int64_t votes = 0;
    for (int k = 0; k < layout.sizes.memory_operands; ++k) {
        const int64_t across = std::abs(layout.space.strides[k][last]), along = std::abs(layout.along[k]);
        if (across != 0 && along != 0) votes += (across < along ? 1 : -1) * layout.sizes.size[k];
    }
    return votes > 0 && layout.space.shape[last] > 1;
}

/// Whether vectors of `width` elements, along a line or across lines, are contiguous, or broadcast, and aligned.
bool scans_vectors(const ScanLayout& layout, bool across, int64_t width) {
    const Space& space = layout.space;
    const int last = space.ndim - 1;
    if (across && space.shape[last] % width != 0) return false;
    for (int k = 0; k < layout.sizes.memory_operands; ++k) {
        const int64_t size = layout.sizes.size[k], aligned = std::min<int64_t>(16, width * size);
        const int64_t step = across ? space.strides[k][last] : layout.along[k];
        if (step == 0 && k >= layout.sizes.outputs) continue;
        if (step != size || space.offset[k] % aligned != 0 || (across && layout.along[k] % aligned != 0)) return false;
        for (int d = 0; d < space.ndim - across; ++d)
            if (space.strides[k][d] % aligned != 0) return false;
    }
    return true;
}

/// Bytes of an accumulator: float32 for 16-bit floats.
int64_t running_size(DType dtype) {
    const bool is_half = info(dtype).kind == Kind::Floating && item_size(dtype) == 2;
    return is_half ? 4 : item_size(dtype);
}

template <class Index>
bool fill_scan(Launch& launch, const ScanLayout& layout, const Program& program, bool across, int line_bits,
               int64_t tiles, bool vectors) {
    const size_t unused = size_t(kOperands - layout.space.operands) * sizeof(kernel::ScannedOperand<Index>);
    const size_t scalars = (program.expr->scalars.size() + 1) * sizeof(kernel::Slot) + sizeof(kernel::FaultSink);
    if (sizeof(ScanParametersOf<Index>) - unused + scalars > kParameterBytes) return false;
    auto& p = *reinterpret_cast<ScanParametersOf<Index>*>(launch.parameters);
    p = {};
    p.lines = uint64_t(layout.space.size);
    p.n = uint64_t(layout.n);
    p.tiles = uint32_t(tiles);
    p.line_bits = uint32_t(line_bits);
    p.groups = uint32_t(kScanThreadBits - line_bits);
    p.along_lines = across;
    p.vectors = vectors;
    p.axes = uint32_t(layout.space.ndim);
    for (int d = 0; d < layout.space.ndim; ++d) set_extent(p.extents[d], layout.space.shape[d]);
    for (int k = 0; k < layout.space.operands; ++k) {
        p.operands[k].data = reinterpret_cast<char*>(layout.space.offset[k]);
        p.operands[k].along = layout.along[k];
        for (int d = 0; d < layout.space.ndim; ++d)
            p.operands[k].strides[d] = typename Index::offset(layout.space.strides[k][d]);
    }
    return true;
}

}  // namespace

bool plan_scan(const Program& program, const Dims& shape, int axis, const DeviceOperand& output,
               std::span<const DeviceOperand> inputs, Launch& launch) {
    launch.grid = 0;
    launch.partials = launch.counters = 0;
    if (int(inputs.size()) + 2 > kOperands || program.expr->scalars.size() + 1 > size_t(kernel::kMaxScalars))
        return false;
    ScanLayout layout;
    lay_out(layout, *program.expr, shape, axis, output, inputs);
    if (layout.space.ndim > kAxes) return false;
    set_scalars(launch, *program.expr, nullptr);
    if (layout.space.size == 0 || layout.n == 0) return true;

    const int64_t count = layout.space.size, threads = kernel::kScanThreads;
    const Row& row = rows()[loops()[program.loop].row];
    if (!row.has(Associative)) {
        launch.walk = Walk::ScanInOrder;
        launch.set_grid("scan", (count + threads - 1) / threads, kernel::kScanThreads);
        return fill_scan<kernel::Index64>(launch, layout, program, false, 0, 1, false);
    }
    const int64_t accumulator = running_size(loops()[program.loop].in[0]);
    const int64_t items = accumulator <= 4 ? 16 : 64 / accumulator;
    const bool across = runs_across(layout), vectors = scans_vectors(layout, across, 16 / accumulator);
    // Threads that a line does not need take other lines; if lines are contiguous across, a warp reads 32 neighbours.
    const int needed = std::min(kScanThreadBits, bits_for((layout.n + items - 1) / items));
    int line_bits = kScanThreadBits - needed;
    if (across) line_bits = std::max(line_bits, std::min(kMostLineBits, bits_for(count)));
    const int64_t length = items << (kScanThreadBits - line_bits), tiles = (layout.n + length - 1) / length;
    const int64_t groups = (count + (int64_t(1) << line_bits) - 1) >> line_bits;
    launch.set_grid("scan", groups * tiles, kernel::kScanThreads);
    if (tiles > 1) {
        launch.partials = tiles * count * accumulator;
        launch.counters = (tiles * groups + 1) * int64_t(sizeof(uint32_t));
    }
    if (fits_32_bits(layout.space)) {
        launch.walk = Walk::Scan;
        return fill_scan<kernel::Index32>(launch, layout, program, across, line_bits, tiles, vectors);
    }
    launch.walk = Walk::Scan64;
    return fill_scan<kernel::Index64>(launch, layout, program, across, line_bits, tiles, vectors);
}

}  // namespace cuarray
