// segmented_reduce_launch.cpp -- plans segmented reductions: the lines, and whether neighbouring threads take
// neighbouring segments of a line or the same segment of neighbouring lines.
#include "codegen/segmented_reduce_launch.h"

#include <cstdlib>
#include <cstring>
#include <string>

#include "codegen/parameters.h"
#include "codegen/sizes.h"
#include "cuarray/kernel/reduce.h"

namespace cuarray {
namespace {

NamedKernel kernel_of(const SegmentedReduceOperands& places) {
    const std::string type = info(places.dtype).text;
    NamedKernel kernel;
    kernel.parameters = "SegmentedReduceParameters";
    kernel.has_complex = info(places.dtype).kind == Kind::Complex;
    if (places.row != kNone) {
        const std::string row = reductions()[places.row].name;
        kernel.entry = "segmented_" + row + "_" + type;
        kernel.function = "segmented_reduce<red::" + row + "<" + type + ">, " + type + ">";
    } else {
        const std::string row = rows()[loops()[places.loop].row].name;
        kernel.entry = "segmented_left_fold_" + row + "_" + type;
        kernel.function = "segmented_left_fold<fn::" + row + ", " + type + ">";
    }
    return kernel;
}

void place_lines(kernel::SegmentedReduceParameters& p, const Space& space) {
    p.axes = uint32_t(space.ndim);
    for (int d = 0; d < space.ndim; ++d) {
        set_extent(p.extents[d], space.shape[d]);
        p.results.strides[d] = space.strides[0][d];
        p.values.strides[d] = space.strides[1][d];
    }
    p.results.data = reinterpret_cast<char*>(space.offset[0]);
    p.values.data = reinterpret_cast<char*>(space.offset[1]);
}

}  // namespace

std::optional<NamedLaunch> plan_segmented_reduce(const SegmentedReduceOperands& places) {
    static_assert(sizeof(kernel::SegmentedReduceParameters) <= sizeof(Launch::parameters));
    Dims others, from, to;
    for (int d = 0; d < places.shape.size(); ++d) {
        if (d == places.axis) continue;
        others.push_back(places.shape[d]);
        to.push_back((*places.result.strides)[d]);
        from.push_back((*places.values.strides)[d]);
    }
    const Dims* const strides[] = {&to, &from};
    Space space;
    collapse(space, others, strides);
    if (space.ndim > kernel::kMaxAxes) return std::nullopt;
    space.offset[0] += int64_t(places.result.address);
    space.offset[1] += int64_t(places.values.address);

    NamedLaunch named;
    named.kernel = kernel_of(places);
    kernel::SegmentedReduceParameters p{};
    p.lines = uint64_t(space.size), p.parts = uint64_t(places.count);
    p.along = (*places.values.strides)[places.axis], p.step = (*places.result.strides)[places.axis];
    p.across = space.ndim > 0 && std::abs(space.strides[1][space.ndim - 1]) < std::abs(p.along);
    p.begins = reinterpret_cast<const i64*>(places.begins), p.ends = reinterpret_cast<const i64*>(places.ends);
    place_lines(p, space);

    int64_t blocks = (space.size * places.count + kThreads - 1) / kThreads;
    if (places.row != kNone) {
        const int64_t together = kThreads / kernel::kLanes;
        const int64_t inner = p.across ? space.size : places.count, outer = p.across ? places.count : space.size;
        blocks = (inner + together - 1) / together * outer;
    }
    named.launch.set_grid(named.kernel.entry, blocks, kThreads);
    std::memcpy(named.launch.parameters, &p, sizeof p);
    return named;
}

}  // namespace cuarray
