// test_shaping.cpp -- each function of shaping.h and rearranging.h, and grids, from C++, with its options.
#include <vector>
#include "../core/check.h"
#include "cuarray/ops/coordinates.h"
#include "cuarray/ops/rearranging.h"
#include "cuarray/ops/shaping.h"
#include "ops/repeat_in_chunks.h"
#include "values.h"

using namespace cuarray;

namespace {

void test_axes() {
    const Array x = counted({2, 3, 4});
    CHECK(reshape(x, {6, -1}).shape() == (Dims{6, 4}));
    CHECK(holds(reshape(counted({2, 3}), {3, 2}, 'F'), {3, 2}, {0, 4, 3, 2, 1, 5}));
    CHECK(RAISES(Value, reshape(permute_dims(counted({2, 3})), {6}, 'C', false)));
    CHECK(RAISES(Value, reshape(x, {24}, 'K')));
    CHECK(reshape(x, {24}, 'C', true).data() != x.data() && reshape(x, {24}).data() == x.data());
    CHECK(holds(ravel(permute_dims(counted({2, 3}))), {6}, {0, 3, 1, 4, 2, 5}));
    CHECK(holds(ravel(permute_dims(counted({2, 3})), 'K'), {6}, {0, 1, 2, 3, 4, 5}));
    CHECK(permute_dims(x).shape() == (Dims{4, 3, 2}) && permute_dims(x, Dims{1, -1, 0}).shape() == (Dims{3, 4, 2}));
    CHECK(RAISES(Value, permute_dims(x, Dims{0, 0, 1})) && RAISES(Value, permute_dims(x, Dims{0, 1})));
    CHECK(matrix_transpose(x).shape() == (Dims{2, 4, 3}) && RAISES(Value, matrix_transpose(counted({3}))));
    CHECK(swapaxes(x, 0, -1).shape() == (Dims{4, 3, 2}) && RAISES(Axis, swapaxes(x, 0, 3)));
    const Array line = counted({5});
    const int64_t item = item_size(line.dtype());
    CHECK(holds(as_strided(line, {3, 3}, {item, item}), {3, 3}, {0, 1, 2, 1, 2, 3, 2, 3, 4}));
    CHECK(holds(as_strided(line, {3}, {-item}, 4 * item), {3}, {4, 3, 2}));
    CHECK(as_strided(line, {0, 9}, {INT64_MAX, 8}).size() == 0);
    CHECK(RAISES(Value, as_strided(line, {6}, {item})) && RAISES(Value, as_strided(line, {2}, {-item})));
    CHECK(RAISES(Value, as_strided(line, {2}, {item, item})) && RAISES(Value, as_strided(line, {3}, {INT64_MAX})));
    CHECK(moveaxis(x, {0, 1}, {-1, 0}).shape() == (Dims{3, 4, 2}));
    CHECK(RAISES(Value, moveaxis(x, {0, 1}, {0})) && RAISES(Value, moveaxis(x, {0, -3}, {0, 1})));
    CHECK(rollaxis(x, 2).shape() == (Dims{4, 2, 3}) && rollaxis(x, 0, 3).shape() == (Dims{3, 4, 2}));
    CHECK(RAISES(Axis, rollaxis(x, 0, 4)));
    CHECK(expand_dims(x, {0, -1}).shape() == (Dims{1, 2, 3, 4, 1}) && RAISES(Axis, expand_dims(x, {5})));
    CHECK(squeeze(counted({1, 3, 1})).shape() == (Dims{3}) && squeeze(counted({1, 3, 1}), Axes{-1}).ndim() == 2);
    CHECK(RAISES(Value, squeeze(x, Axes{0})));
    const Array one = counted({1}).reshape({});
    CHECK(atleast_1d(one).ndim() == 1 && atleast_2d(counted({3})).shape() == (Dims{1, 3}));
    CHECK(atleast_3d(one).ndim() == 3 && atleast_3d(counted({2, 3})).shape() == (Dims{2, 3, 1}));
    CHECK(!broadcast_to(counted({3}), {2, 3}).is_writable() && RAISES(Value, broadcast_to(x, {2})));
    const Dims shapes[] = {{3, 1}, {4}};
    CHECK(broadcast_shapes(shapes) == (Dims{3, 4}));
    const Array arrays[] = {counted({3, 1}), counted({3, 4})};
    CHECK(broadcast_arrays(arrays)[0].shape() == (Dims{3, 4}) && broadcast_arrays(arrays)[1].is_writable());
}

void test_flips() {
    const Array x = counted({2, 3});
    CHECK(holds(flip(x), {2, 3}, {5, 4, 3, 2, 1, 0}) && holds(flip(x, Dims{0}), {2, 3}, {3, 4, 5, 0, 1, 2}));
    CHECK(holds(fliplr(x), {2, 3}, {2, 1, 0, 5, 4, 3}) && holds(flipud(x), {2, 3}, {3, 4, 5, 0, 1, 2}));
    CHECK(RAISES(Value, fliplr(counted({3}))) && RAISES(Value, flip(x, Dims{0, 0})));
    CHECK(holds(rot90(x), {3, 2}, {2, 5, 1, 4, 0, 3}) && holds(rot90(x, -1), {3, 2}, {3, 0, 4, 1, 5, 2}));
    CHECK(holds(rot90(x, 2, {1, 0}), {2, 3}, {5, 4, 3, 2, 1, 0}) && RAISES(Value, rot90(x, 1, {0, -2})));
}

void test_rearranging() {
    const Array x = counted({2, 3});
    CHECK(holds(roll(x, {1}), {2, 3}, {5, 0, 1, 2, 3, 4}));
    CHECK(holds(roll(x, {1, -1}, Dims{0, 1}), {2, 3}, {4, 5, 3, 1, 2, 0}));
    const Array wide = counted({3, 1 << 15});  // not by the caller
    CHECK(ravel(roll(wide, {1, 1}, Dims{0, 1})).size() == wide.size());
    CHECK(holds(roll(permute_dims(x), {1}, Dims{0}), {3, 2}, {2, 5, 0, 3, 1, 4}));
    CHECK(holds(tile(counted({2}), {2}), {4}, {0, 1, 0, 1}));
    CHECK(holds(tile(counted({2}), {2, 2}), {2, 4}, {0, 1, 0, 1, 0, 1, 0, 1}));
    CHECK(holds(tile(x, {2}), {2, 6}, {0, 1, 2, 0, 1, 2, 3, 4, 5, 3, 4, 5}));
    CHECK(tile(counted({0}), {3, 2}).shape() == (Dims{3, 0}) && RAISES(Value, tile(x, {-1})));
    CHECK(holds(resize(x, {2, 4}), {2, 4}, {0, 1, 2, 3, 4, 5, 0, 1}) && holds(resize(x, {4}), {4}, {0, 1, 2, 3}));
    CHECK(holds(resize(permute_dims(x), {7}), {7}, {0, 3, 1, 4, 2, 5, 0}) && RAISES(Value, resize(x, {-1})));
    CHECK(holds(resize(counted({0}), {2}), {2}, {0, 0}) && resize(x, {0, 2}).shape() == (Dims{0, 2}));
    CHECK(holds(repeat(counted({2}), 2), {4}, {0, 0, 1, 1}) && RAISES(Value, repeat(x, -1)));
    CHECK(holds(repeat(x, numbers({2, 0}), 0), {2, 3}, {0, 1, 2, 0, 1, 2}));
    CHECK(RAISES(Value, repeat(x, numbers({1, 2}), 1)) && RAISES(Axis, repeat(x, 1, 2)));
    for (const int64_t chunk : {1, 3, 64})
        CHECK(holds(repeat_in_chunks(counted({4}), numbers({0, 5, 0, 2}), 0, chunk), {7}, {1, 1, 1, 1, 1, 3, 3}));
}

void test_grids() {
    const Array x = counted({3}), y = numbers({7, 8});
    const std::vector<Array> grids = meshgrid({x, y}), lines = meshgrid({x, y}, false, true);
    CHECK(holds(grids[0], {2, 3}, {0, 1, 2, 0, 1, 2}) && holds(grids[1], {2, 3}, {7, 7, 7, 8, 8, 8}));
    CHECK(holds(lines[0], {1, 3}, {0, 1, 2}) && holds(lines[1], {2, 1}, {7, 8}));
    CHECK(&lines[1].storage() == &y.storage() && &grids[1].storage() != &y.storage());
    const std::vector<Array> turned = meshgrid({x, y}, false, false, GridIndexing::IJ);
    CHECK(holds(turned[0], {3, 2}, {0, 0, 1, 1, 2, 2}) && turned[0].is_read_only());
    CHECK(meshgrid({}).empty() && holds(meshgrid({x, y, y})[2], {2, 3, 2}, {7, 8, 7, 8, 7, 8, 7, 8, 7, 8, 7, 8}));
    CHECK(holds(tril_indices(2)[0], {3}, {0, 1, 1}) && holds(tril_indices(2)[1], {3}, {0, 0, 1}));
    CHECK(holds(triu_indices(2, 1, 3)[1], {3}, {1, 2, 2}) && triu_indices(2, INT64_MIN)[0].size() == 4);
    const Array m = counted({2, 3});
    CHECK(holds(tril_indices_from(m, -1)[0], {1}, {1}) && holds(triu_indices_from(m)[0], {5}, {0, 0, 0, 1, 1}));
    CHECK(RAISES(Value, tril_indices_from(x)) && RAISES(Value, triu_indices_from(counted({1, 1, 1}))));
}

}  // namespace

int main() {
    test_axes();
    test_flips();
    test_rearranging();
    test_grids();
}
