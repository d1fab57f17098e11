// launch.cpp -- chooses the walk of an elementwise task and fills the parameters of its launches.
#include "cuarray/codegen/launch.h"

#include <algorithm>
#include <bit>

#include "codegen/lanes.h"
#include "codegen/parameters.h"

namespace cuarray {
namespace {

constexpr int64_t kThreads = 256;
constexpr int kAxes = kernel::kMaxAxes, kOperands = kernel::kMaxOperands;
constexpr int64_t kTile = 32;
constexpr int64_t kWorthTiling = 16;

using FlatParameters = kernel::Flat<kOperands>;
using TiledParameters = kernel::Tiled<kOperands>;
template <class Index> using StridedParameters = kernel::Strided<Index, kOperands>;

static_assert(sizeof(StridedParameters<kernel::Index64>) <= sizeof(Launch::parameters));
static_assert(sizeof(TiledParameters) <= sizeof(Launch::parameters));

/// The item size of each operand, outputs first; 1 for the index, whose strides count elements.
struct Items {
    int size[kOperands];
    int count = 0, outputs = 0;
};

Items items_of(const Expr& expr) {
    Items items;
    items.outputs = int(expr.outputs.size());
    for (ValueId output : expr.outputs) items.size[items.count++] = item_size(expr.nodes[output].dtype);
    for (DType dtype : expr.inputs) items.size[items.count++] = item_size(dtype);
    return items;
}

bool is_flat(const Space& space, const Items& items) {
    if (space.ndim != 1) return false;
    for (int k = 0; k < space.operands; ++k)
        if (space.strides[k][0] != items.size[k] && space.strides[k][0] != 0 && space.size != 1) return false;
    return true;
}

/// Whether operand k is closer together along `axis` than along the last one.
bool runs_along(const Space& space, int k, int axis) {
    const int64_t along = std::abs(space.strides[k][axis]), last = std::abs(space.strides[k][space.ndim - 1]);
    return along != 0 && along < last;
}

/// The axis along which an input lies that is scattered along the last one, or -1 where a tile does not help.
int tile_axis(const Space& space, const Items& items, const ElementSizes& sizes) {
    const int last = space.ndim - 1;
    if (last < 1 || space.ndim > kAxes || !can_transpose(sizes) || space.shape[last] < kWorthTiling) return -1;
    for (int k = items.outputs; k < items.count; ++k) {
        int best = -1;
        for (int axis = 0; axis < last; ++axis) {
            const bool closer = runs_along(space, k, axis) &&
                                (best < 0 || std::abs(space.strides[k][axis]) < std::abs(space.strides[k][best]));
            if (closer && space.shape[axis] >= kWorthTiling) best = axis;
        }
        if (best < 0) continue;
        for (int out = 0; out < items.outputs; ++out)
            if (runs_along(space, out, best)) return -1;
        return best;
    }
    return -1;
}

void move_axis(Space& space, int from, int to) {
    const auto move = [&](int64_t* values) { std::rotate(values + from, values + from + 1, values + to + 1); };
    move(space.shape);
    for (int k = 0; k < space.operands; ++k) move(space.strides[k]);
}

char* address_of(const Space& space, int k) { return reinterpret_cast<char*>(space.offset[k]); }

void fill_flat(Launch& launch, const Space& space, const Items& items, int lanes) {
    auto& p = *reinterpret_cast<FlatParameters*>(launch.parameters);
    launch.walk = Walk::Contiguous;
    launch.grid = uint32_t((space.size + kThreads * lanes - 1) / (kThreads * lanes));
    p.size = uint64_t(space.size);
    for (int k = 0; k < space.operands; ++k) {
        const int vector = std::min(16, items.size[k] * lanes);
        const bool steps = space.strides[k][0] != 0 || k < items.outputs;
        p.operands[k] = {address_of(space, k), steps, space.offset[k] % vector == 0};
    }
}

template <class Index>
void fill_strided(Launch& launch, const Space& space, int from, int lanes) {
    auto& p = *reinterpret_cast<StridedParameters<Index>*>(launch.parameters);
    launch.walk = std::is_same_v<Index, kernel::Index32> ? Walk::Strided : Walk::Strided64;
    const int64_t size = count(std::span(space.shape + from, size_t(space.ndim - from)));
    launch.grid = uint32_t((size + kThreads * lanes - 1) / (kThreads * lanes));
    p.size = typename Index::type(size);
    p.axes = uint32_t(space.ndim - from);
    for (int d = from; d < space.ndim; ++d) set_extent(p.extents[d - from], space.shape[d]);
    for (int k = 0; k < space.operands; ++k) {
        p.operands[k].data = address_of(space, k);
        for (int d = from; d < space.ndim; ++d)
            p.operands[k].strides[d - from] = typename Index::offset(space.strides[k][d]);
    }
}

/// False where the grid would be too large.
bool fill_tiled(Launch& launch, const Space& space, const Items& items) {
    auto& p = *reinterpret_cast<TiledParameters*>(launch.parameters);
    const int row = space.ndim - 2, column = space.ndim - 1;
    p.row_tiles = uint64_t((space.shape[row] + kTile - 1) / kTile);
    p.column_tiles = uint64_t((space.shape[column] + kTile - 1) / kTile);
    const int64_t blocks =
        int64_t(p.row_tiles * p.column_tiles) * count(std::span(space.shape, size_t(row)));
    if (blocks > INT32_MAX) return false;
    launch.walk = Walk::Transposed;
    launch.grid = uint32_t(blocks);
    p.axes = uint32_t(space.ndim);
    p.transposed = 0;
    for (int d = 0; d < space.ndim; ++d) p.extents[d] = uint64_t(space.shape[d]);
    for (int k = 0; k < space.operands; ++k) {
        if (k >= items.outputs && k < items.count && runs_along(space, k, row)) p.transposed |= 1u << k;
        p.operands[k].data = address_of(space, k);
        std::copy(space.strides[k], space.strides[k] + space.ndim, p.operands[k].strides);
    }
    return true;
}

template <class Parameters>
void move_operands(Launch& launch, const Space& space, const int64_t* offsets) {
    auto& p = *reinterpret_cast<Parameters*>(launch.parameters);
    for (int k = 0; k < space.operands; ++k) p.operands[k].data = address_of(space, k) + offsets[k];
}

}  // namespace

ElementwisePlan::ElementwisePlan(const Expr& expr, const Dims& shape, std::span<const Place> outputs,
                                 std::span<const Place> inputs) {
    const ElementSizes sizes = element_sizes(expr);
    if (sizes.operands > kOperands)
        raise(ErrorKind::NotImplemented, "elementwise: ", sizes.operands, " operands; at most ", kOperands);
    Items items = items_of(expr);
    const Dims* strides[kOperands];
    uint64_t addresses[kOperands];
    int k = 0;
    for (const auto& places : {outputs, inputs})
        for (const Place& place : places) strides[k] = place.strides, addresses[k++] = place.address;
    const Dims index_strides = c_strides(shape, 1);
    if (sizes.has_index) strides[k] = &index_strides, addresses[k] = 0, items.size[k++] = 1;

    collapse(space_, shape, {strides, size_t(k)});
    for (int i = 0; i < k; ++i) space_.offset[i] += int64_t(addresses[i]);
    if (space_.ndim == 0) {
        space_.ndim = 1;
        space_.shape[0] = 1;
        for (int i = 0; i < k; ++i) space_.strides[i][0] = 0;
    }
    set_scalars(launch, expr, nullptr);
    launch.block = kThreads;
    if (space_.size == 0) return;
    if (is_flat(space_, items)) {
        fill_flat(launch, space_, items, contiguous_lanes(sizes));
        return;
    }
    const int axis = tile_axis(space_, items, sizes);
    if (axis >= 0) {
        move_axis(space_, axis, space_.ndim - 2);
        if (fill_tiled(launch, space_, items)) return;
    }
    const int outer = std::max(0, space_.ndim - kAxes);
    slices_ = count(std::span(space_.shape, size_t(outer)));
    if (fits_32_bits(space_)) fill_strided<kernel::Index32>(launch, space_, outer, strided_lanes(sizes));
    else fill_strided<kernel::Index64>(launch, space_, outer, strided_lanes(sizes));
}

void ElementwisePlan::select(int64_t slice) {
    if (slices_ == 1) return;
    int64_t offsets[kOperands] = {};
    for (int d = space_.ndim - kAxes - 1; d >= 0; --d) {
        const int64_t coordinate = slice % space_.shape[d];
        slice /= space_.shape[d];
        for (int k = 0; k < space_.operands; ++k) offsets[k] += coordinate * space_.strides[k][d];
    }
    if (launch.walk == Walk::Strided) move_operands<StridedParameters<kernel::Index32>>(launch, space_, offsets);
    else move_operands<StridedParameters<kernel::Index64>>(launch, space_, offsets);
}

}  // namespace cuarray
