// blocks.cpp -- block: arrays in nested lists, copied to their places in one array.
#include <algorithm>
#include <optional>
#include <utility>
#include <vector>
#include "cuarray/ops/creation.h"
#include "cuarray/ops/joining.h"

namespace cuarray {
namespace {

/// The depth of nested lists, which is the same everywhere.
int nesting(const Blocks& blocks) {
    if (blocks.array) return 0;
    if (blocks.entries.empty()) raise(ErrorKind::Value, "block: a list at arrays cannot be empty");
    std::optional<int> depth;
    for (const Blocks& entry : blocks.entries) {
        const int other = nesting(entry);
        if (depth && other != *depth)
            raise(ErrorKind::Value, "block: list depths are mismatched: ", std::min(*depth, other), " and ",
                  std::max(*depth, other), " lie in one list");
        depth = other;
    }
    return *depth + 1;
}

void add_leaves(const Blocks& blocks, Few<const Array*, 8>& leaves) {
    if (blocks.array) leaves.push_back(&*blocks.array);
    for (const Blocks& entry : blocks.entries) add_leaves(entry, leaves);
}

/// Arrays of one rank, and where their first elements go.
struct BlockPlaces {
    int depth, rank;
    std::vector<std::pair<Array, Dims>> blocks = {};

    /// Adds the arrays of one list, which begins at a corner; returns its shape.
    Dims add(const Blocks& list, int level, Dims corner) {
        if (list.array) {
            Dims shape = list.array->shape();
            while (shape.size() < rank) shape.insert(0, 1);
            const bool lacks_axes = shape.size() > list.array->ndim();
            blocks.emplace_back(lacks_axes ? list.array->reshape(shape) : *list.array, corner);
            return shape;
        }
        const int axis = rank - depth + level;
        Dims whole;
        for (const Blocks& entry : list.entries) {
            const Dims shape = add(entry, level + 1, corner);
            corner[axis] += shape[axis];
            if (whole.empty()) {
                whole = shape;
                continue;
            }
            for (int d = 0; d < rank; ++d)
                if (d != axis && shape[d] != whole[d])
                    raise(ErrorKind::Value, "block: arrays of shape ", to_string(shape), " and ", to_string(whole),
                          " do not join on axis ", axis);
            whole[axis] += shape[axis];
        }
        return whole;
    }
};

}  // namespace

Array block(const Blocks& arrays) {
    BlockPlaces places{nesting(arrays), 0};
    places.rank = places.depth;
    Few<const Array*, 8> leaves;
    add_leaves(arrays, leaves);
    Few<ArgType, 8> types;
    bool in_columns = places.depth > 0, in_rows = true;
    for (const Array* const leaf : leaves) {
        types.push_back({leaf->dtype(), {}});
        places.rank = std::max(places.rank, leaf->ndim());
        in_columns = in_columns && leaf->is_f_contiguous();
        in_rows = in_rows && leaf->is_c_contiguous();
    }
    const Dims shape = places.add(arrays, 0, Dims::filled(places.rank, 0));
    const char order = in_columns && !in_rows ? 'F' : 'C';
    Array result = functions::empty(shape, result_type(types), order, leaves[0]->device());
    for (const auto& [block, corner] : places.blocks) {
        int64_t offset = 0;
        for (int d = 0; d < places.rank; ++d) offset += corner[d] * result.strides()[d];
        if (!block.is_empty()) assign(result.view({block.shape(), result.strides()}, offset), block, "block");
    }
    return result;
}

}  // namespace cuarray
