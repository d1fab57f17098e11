// launch.cpp -- chooses the walk of an elementwise task and fills the parameters of its launches.
#include "codegen/launch.h"

#include <algorithm>
#include <numeric>

#include "codegen/lanes.h"
#include "codegen/parameters.h"
#include "codegen/sizes.h"
#include "cuarray/kernel/rows.h"
#include "cuarray/kernel/tiles.h"

namespace cuarray {
namespace {

// Below this extent a tile is mostly empty.
constexpr int64_t kWorthTiling = 16;

using FlatParameters = kernel::Flat<kOperands>;
using RowsParameters = kernel::Rows<kOperands>;
using TilesParameters = kernel::Tiles<kOperands>;
using StridedParameters = kernel::Strided<kOperands>;
static_assert(sizeof(RowsParameters) <= sizeof(Launch::parameters));
static_assert(sizeof(TilesParameters) <= sizeof(Launch::parameters));
static_assert(sizeof(StridedParameters) <= sizeof(Launch::parameters));

char* address_of(const Space& space, int k) { return reinterpret_cast<char*>(space.offset[k]); }

/// Whether Walk::Contiguous applies: one axis, and every operand contiguous and aligned to the vector, or a broadcast
/// element.
bool is_flat(const Space& space, const ElementSizes& sizes) {
    if (space.ndim != 1) return false;
    const int lanes = contiguous_lanes(sizes);
    for (int k = 0; k < space.operands; ++k) {
        const int64_t stride = space.strides[k][0];
        const bool is_index = sizes.has_index && k == space.operands - 1;
        if (stride == 0 && k >= sizes.outputs) continue;
        if (stride != (is_index ? 1 : sizes.size[k]) && space.size != 1) return false;
        if (is_index) continue;
        const int64_t border = std::min(16, sizes.size[k] * lanes);  // a power of two
        if ((space.offset[k] & (border - 1)) != 0) return false;
    }
    return true;
}

void fill_flat(Launch& launch, const Space& space, const ElementSizes& sizes) {
    auto& p = *reinterpret_cast<FlatParameters*>(launch.parameters);
    p = {};
    const int64_t per_block = kThreads * contiguous_lanes(sizes);
    launch.walk = Walk::Contiguous;
    launch.grid = uint32_t((space.size + per_block - 1) / per_block);
    launch.block = kThreads;
    p.size = uint64_t(space.size);
    for (int k = 0; k < space.operands; ++k) {
        const bool steps = space.strides[k][0] != 0 || k < sizes.outputs;
        p.operands[k] = {address_of(space, k), steps};
    }
}

/// Whether operand k is contiguous along the axis and aligned to vectors of `lanes` elements, or an input that is
/// broadcast along it.
bool has_vectors(const Space& space, const ElementSizes& sizes, int k, int axis, int lanes) {
    const int64_t step = space.strides[k][axis];
    if (step == 0 && k >= sizes.outputs) return true;
    int64_t bits = space.offset[k];
    for (int d = 0; d < space.ndim; ++d) bits |= d == axis ? 0 : space.strides[k][d];
    return step == sizes.size[k] && (bits & (std::min(16, sizes.size[k] * lanes) - 1)) == 0;
}

/// Whether Walk::Rows applies: whole vectors in each row, which all operands have along the rows.
bool has_rows(const Space& space, const ElementSizes& sizes) {
    const int last = space.ndim - 1, lanes = contiguous_lanes(sizes);
    if (lanes == 1 || space.shape[last] % lanes != 0) return false;
    for (int k = 0; k < sizes.memory_operands; ++k)
        if (!has_vectors(space, sizes, k, last, lanes)) return false;
    return true;
}

/// Threads of a block along a row, as a power of two: as many as leave at most an eighth of them idle; a warp at least.
int bits_along_rows(int64_t vectors) {
    int bits = 0;
    while (bits < 5 && (int64_t(1) << bits) < vectors) ++bits;
    for (int more = bits + 1; more <= 8; ++more) {
        const int64_t threads = (vectors + (int64_t(1) << more) - 1) >> more << more;
        if (threads - vectors <= threads / 8) bits = more;
    }
    return bits;
}

/// Walk::Rows or Walk::StridedRows, which differ in the elements that a thread has of each row.
void fill_rows(Launch& launch, const Space& space, const ElementSizes& sizes, const int (&rows_per_thread)[2]) {
    auto& p = *reinterpret_cast<RowsParameters*>(launch.parameters);
    p = {};
    const int last = space.ndim - 1;
    launch.walk = has_rows(space, sizes) ? Walk::Rows : Walk::StridedRows;
    launch.block = kThreads;
    const bool strided = launch.walk == Walk::StridedRows;
    const int lanes = strided ? 1 : contiguous_lanes(sizes);
    const int64_t vectors = space.shape[last] / lanes, rows = space.size / space.shape[last];
    const int bits = bits_along_rows(vectors);
    const int64_t across = (vectors + (int64_t(1) << bits) - 1) >> bits;
    const int64_t per_block = (kThreads >> bits) * rows_per_thread[strided];
    launch.set_grid(to_string(launch.walk), across * ((rows + per_block - 1) / per_block), kThreads);
    p.rows = uint32_t(rows), p.columns = uint32_t(space.shape[last]);
    p.axes = uint32_t(last), p.column_bits = uint32_t(bits);
    set_extent(p.row_blocks, across);
    for (int d = 0; d < last; ++d) set_extent(p.extents[d], space.shape[d]);
    for (int k = 0; k < space.operands; ++k) {
        p.operands[k].data = address_of(space, k);
        p.operands[k].step = int32_t(space.strides[k][last]);
        for (int d = 0; d < last; ++d) p.operands[k].strides[d] = int32_t(space.strides[k][d]);
    }
}

void fill_strided(Launch& launch, const Space& space, const ElementSizes& sizes) {
    auto& p = *reinterpret_cast<StridedParameters*>(launch.parameters);
    p = {};
    const int64_t per_block = kThreads * strided_lanes(sizes);
    launch.walk = Walk::Strided;
    launch.grid = uint32_t((space.size + per_block - 1) / per_block);
    launch.block = kThreads;
    p.size = uint32_t(space.size);
    for (int k = 0; k < space.operands; ++k) p.operands[k] = {address_of(space, k), space.strides[k][0]};
}

/// Whether operand k has a smaller stride along `axis` than along the last axis.
bool runs_along(const Space& space, int k, int axis) {
    const int64_t along = std::abs(space.strides[k][axis]), last = std::abs(space.strides[k][space.ndim - 1]);
    return along != 0 && along < last;
}

/// The axis along which an input has a smaller stride than along the last one, or -1 if tiling does not help.
int tile_axis(const Space& space, const ElementSizes& sizes) {
    const int last = space.ndim - 1;
    if (last < 1 || space.shape[last] < kWorthTiling) return -1;
    for (int k = sizes.outputs; k < sizes.memory_operands; ++k) {
        int best = -1;
        for (int axis = 0; axis < last; ++axis) {
            const bool closer = runs_along(space, k, axis) &&
                                (best < 0 || std::abs(space.strides[k][axis]) < std::abs(space.strides[k][best]));
            if (closer && space.shape[axis] >= kWorthTiling) best = axis;
        }
        if (best < 0) continue;
        for (int out = 0; out < sizes.outputs; ++out)
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

/// Whether Walk::Tiles applies: whole vectors in each row and column, which operands have down the columns if their bit
/// is set in `turned`, and else along the rows.
bool has_tiles(const Space& space, const ElementSizes& sizes, uint32_t turned, int lanes) {
    const int row = space.ndim - 2, column = row + 1;
    if (lanes == 1 || (space.shape[row] | space.shape[column]) % lanes != 0) return false;
    for (int k = 0; k < sizes.memory_operands; ++k)
        if (!has_vectors(space, sizes, k, turned >> k & 1u ? row : column, lanes)) return false;
    return true;
}

/// Walk::Tiles or Walk::StridedTiles: the last two axes are cut into tiles, one a block.
void fill_tiles(Launch& launch, const Space& space, const ElementSizes& sizes, const TileShape (&shapes)[2]) {
    auto& p = *reinterpret_cast<TilesParameters*>(launch.parameters);
    p = {};
    const int row = space.ndim - 2, column = row + 1;
    for (int k = sizes.outputs; k < sizes.memory_operands; ++k) p.turned |= uint32_t(runs_along(space, k, row)) << k;
    const bool strided = !has_tiles(space, sizes, p.turned, shapes[0].lanes);
    const TileShape& tile = shapes[strided];
    const auto tiles_of = [&](int axis) { return (space.shape[axis] + tile.edge - 1) / tile.edge; };
    launch.walk = strided ? Walk::StridedTiles : Walk::Tiles;
    launch.block = uint32_t(tile.threads());
    launch.set_grid(to_string(launch.walk),
                    space.size / (space.shape[row] * space.shape[column]) * tiles_of(row) * tiles_of(column),
                    launch.block);
    p.rows = uint32_t(space.shape[row]), p.columns = uint32_t(space.shape[column]), p.axes = uint32_t(row);
    set_extent(p.tiles_across, tiles_of(column)), set_extent(p.tiles_down, tiles_of(row));
    for (int d = 0; d < row; ++d) set_extent(p.extents[d], space.shape[d]);
    for (int k = 0; k < space.operands; ++k) {
        const auto& strides = space.strides[k];
        p.operands[k].data = address_of(space, k);
        p.operands[k].down = int32_t(strides[row]), p.operands[k].across = int32_t(strides[column]);
        for (int d = 0; d < row; ++d) p.operands[k].strides[d] = int32_t(strides[d]);
    }
}

/// Whether 32 bits hold the number of elements and the byte range of every operand, including the overshoot of
/// the last block.
bool fits_a_launch(const Space& space) {
    constexpr int64_t limit = INT32_MAX / 2;
    if (space.size > limit / 2) return false;
    for (int k = 0; k < space.operands; ++k) {
        int64_t reach = 0;
        for (int d = 0; d < space.ndim; ++d) {
            const int64_t stride = std::abs(space.strides[k][d]);
            if (stride > limit && space.shape[d] > 1) return false;
            if ((reach += stride * (space.shape[d] - 1)) > limit) return false;
        }
    }
    return true;
}

/// The axis to cut next: the one with the largest byte range, or the outermost if there are too many axes.
int axis_to_cut(const Space& space) {
    const auto is_long = [&](int d) { return space.shape[d] > 1; };
    int long_axes = 0, best = 0;
    for (int d = 0; d < space.ndim; ++d) long_axes += is_long(d);
    double furthest = -1;
    for (int d = space.ndim - 1; d >= 0; --d) {
        if (!is_long(d)) continue;
        double reach = double(space.shape[d]);
        for (int k = 0; k < space.operands; ++k)
            reach = std::max(reach, std::abs(double(space.strides[k][d])) * double(space.shape[d] - 1));
        if (long_axes > kAxes || reach > furthest) best = d, furthest = reach;
    }
    return best;
}

int count_long_axes(const Space& space) {
    return int(std::count_if(space.shape, space.shape + space.ndim, [](int64_t extent) { return extent > 1; }));
}

void drop_short_axes(Space& space) {
    int kept = 0;
    for (int d = 0; d < space.ndim; ++d) {
        if (space.shape[d] == 1 && space.ndim - d + kept > 1) continue;
        space.shape[kept] = space.shape[d];
        for (int k = 0; k < space.operands; ++k) space.strides[k][kept] = space.strides[k][d];
        ++kept;
    }
    space.ndim = kept;
}

}  // namespace

ElementwisePlan::ElementwisePlan(const Expr& expr, const Dims& shape, std::span<const DeviceOperand> outputs,
                                 std::span<const DeviceOperand> inputs)
    : sizes_(element_sizes(expr)) {
    if (sizes_.operands > kOperands)
        raise(ErrorKind::NotImplemented, "elementwise: ", sizes_.operands, " operands; at most ", kOperands);
    const Dims* strides[kOperands];
    uint64_t addresses[kOperands];
    int k = 0;
    for (const auto& places : {outputs, inputs})
        for (const DeviceOperand& place : places) strides[k] = place.strides, addresses[k++] = place.address;
    Dims index_strides;
    if (sizes_.has_index) {
        index_strides = c_strides(shape, 1);
        strides[k] = &index_strides, addresses[k++] = 0;
    }

    collapse(space_, shape, {strides, size_t(k)});
    for (int i = 0; i < k; ++i) space_.offset[i] += int64_t(addresses[i]);
    if (space_.ndim == 0) {
        space_.ndim = 1;
        space_.shape[0] = 1;
        for (int i = 0; i < k; ++i) space_.strides[i][0] = 0;
    }
    set_scalars(launch, expr, nullptr);
    if (space_.size == 0) return;
    if (is_flat(space_, sizes_)) {
        fill_flat(launch, space_, sizes_);
    } else {
        rows_[0] = rows_per_thread(expr, sizes_, contiguous_lanes(sizes_));
        rows_[1] = rows_per_thread(expr, sizes_, 1);
        for (int strided : {0, 1}) tiles_[strided] = tile_shape(expr, sizes_, !strided);
        cut();
        select(0);
    }
}

void ElementwisePlan::cut() {
    Space part = space_;
    std::copy(space_.shape, space_.shape + space_.ndim, pieces_);
    while (count_long_axes(part) > kAxes || !fits_a_launch(part)) {
        const int axis = axis_to_cut(part);
        part.shape[axis] = pieces_[axis] = count_long_axes(part) > kAxes ? 1 : (pieces_[axis] + 1) / 2;
        part.size = count(std::span(part.shape, size_t(part.ndim)));
    }
    slices_ = 1;
    for (int d = 0; d < space_.ndim; ++d) slices_ *= (space_.shape[d] + pieces_[d] - 1) / pieces_[d];
}

void ElementwisePlan::select(int64_t slice) {
    if (launch.walk == Walk::Contiguous && launch.grid != 0) return;
    Space part = space_;
    for (int d = space_.ndim - 1; d >= 0; --d) {
        const int64_t pieces = (space_.shape[d] + pieces_[d] - 1) / pieces_[d];
        const int64_t from = slice % pieces * pieces_[d];
        slice /= pieces;
        part.shape[d] = std::min(pieces_[d], space_.shape[d] - from);
        for (int k = 0; k < part.operands; ++k) part.offset[k] += from * part.strides[k][d];
    }
    part.size = count(std::span(part.shape, size_t(part.ndim)));
    drop_short_axes(part);
    const int axis = tile_axis(part, sizes_);
    if (axis < 0 && part.ndim > 1) return fill_rows(launch, part, sizes_, rows_);
    if (axis < 0) return fill_strided(launch, part, sizes_);
    move_axis(part, axis, part.ndim - 2);
    fill_tiles(launch, part, sizes_, tiles_);
}

}  // namespace cuarray
