// compaction_launch.cpp -- plans compactions: counts of a mask, and moves of the elements where it is true.
#include <algorithm>

#include "codegen/gather_launch.h"
#include "codegen/parameters.h"
#include "codegen/sizes.h"

namespace cuarray {
namespace {

constexpr int kAddingThreads = 512;
constexpr const char* kMaskFunctions[] = {"count_mask", "add_counts", "compress", "expand", "locate"};
constexpr const char* kEntries[] = {"mask_count", "mask_add_up", "mask_compress", "mask_expand", "mask_locate"};

const char* moved_type(int bytes) {
    constexpr const char* names[] = {"u8", "u16", "u32", "u64", "Words16"};
    for (int log = 0; log < 4; ++log)
        if (bytes == 1 << log) return names[log];
    return names[4];
}

template <class Index>
void fill_masked(Launch& launch, const CompactionOperands& places, const Space& space) {
    auto& p = *reinterpret_cast<kernel::CompactionParameters<Index>*>(launch.parameters);
    p = {};
    p.size = uint64_t(count(places.shape));
    p.blocks = uint64_t(mask_blocks(int64_t(p.size)));
    p.mask = reinterpret_cast<const u8*>(places.mask);
    p.before = reinterpret_cast<i64*>(places.before);
    p.axes = uint32_t(space.ndim);
    for (int d = 0; d < space.ndim; ++d) set_extent(p.extents[d], space.shape[d]);
    p.array.data = reinterpret_cast<char*>(space.offset[0]);
    for (int d = 0; d < space.ndim; ++d) p.array.strides[d] = space.strides[0][d];
    p.line.data = reinterpret_cast<char*>(places.line.address);
    if (places.line.strides) p.line.strides[0] = (*places.line.strides)[0];
}

NamedLaunch plan_one(CompactionStep step, const CompactionOperands& places, const Space& space) {
    const int64_t size = count(places.shape);
    const bool narrow = size <= INT32_MAX, moves = step == CompactionStep::Compress || step == CompactionStep::Expand;
    const std::string function = kMaskFunctions[int(step)];
    NamedLaunch to;
    to.kernel.entry =
        std::string(kEntries[int(step)]) + (moves ? "_b" + std::to_string(places.item) : "") + (narrow ? "" : "_64");
    to.kernel.parameters = narrow ? "CompactionParameters<Index32>" : "CompactionParameters<Index64>";
    to.kernel.function = moves ? function + "<" + moved_type(places.item) + ">" : function;
    to.kernel.threads = step == CompactionStep::ScanCounts ? kAddingThreads : kThreads;
    const int64_t blocks = step == CompactionStep::ScanCounts ? 1 : mask_blocks(size);
    to.launch.set_grid(to.kernel.entry, blocks, to.kernel.threads);
    (narrow ? fill_masked<kernel::Index32> : fill_masked<kernel::Index64>)(to.launch, places, space);
    return to;
}

/// Axes first ... first + n - 1 of the shape; the axes before and after them are merged into one each, with line -1:
/// their coordinates are not written.
Space some_axes(const CompactionOperands& places, int first, int n) {
    Space space;
    space.operands = 1;
    space.ndim = 0;
    space.offset[0] = 0;
    const auto add = [&](int64_t extent, int64_t line) {
        space.shape[space.ndim] = extent;
        space.strides[0][space.ndim++] = line;
    };
    int64_t before = 1, behind = 1;
    for (int d = 0; d < first; ++d) before *= places.shape[d];
    for (int d = first + n; d < places.shape.size(); ++d) behind *= places.shape[d];
    if (before > 1) add(before, -1);
    for (int d = first; d < first + n; ++d) add(places.shape[d], d * (*places.line.strides)[0]);
    if (behind > 1) add(behind, -1);
    return space;
}

}  // namespace

int64_t mask_blocks(int64_t size) { return (size + kernel::kMaskBlock - 1) / kernel::kMaskBlock; }

std::vector<NamedLaunch> plan_compaction(CompactionStep step, const CompactionOperands& places) {
    std::vector<NamedLaunch> launches;
    if (step == CompactionStep::Nonzero) {
        constexpr int together = kAxes - 2;
        for (int first = 0; first < places.shape.size(); first += together)
            launches.push_back(
                plan_one(step, places, some_axes(places, first, std::min(together, places.shape.size() - first))));
        return launches;
    }
    Space space;
    space.ndim = 0;
    if (places.array.strides) {
        const Dims* const strides[] = {places.array.strides};
        collapse(space, places.shape, strides, true);
        space.offset[0] += int64_t(places.array.address);
        if (space.ndim == 0) space.ndim = 1, space.shape[0] = 1, space.strides[0][0] = 0;
        if (space.ndim > kAxes) return launches;
    }
    launches.push_back(plan_one(step, places, space));
    return launches;
}

}  // namespace cuarray
