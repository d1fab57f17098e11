// gather_launch.h -- which kernels move elements chosen by indices or by a mask, their grids and parameters.
#pragma once
#include <optional>
#include <vector>
#include "codegen/launch.h"
#include "cuarray/core/table.h"
#include "cuarray/kernel/gather.h"

namespace cuarray {

/// An axis that an index array goes along.
struct IndexedDeviceAxis {
    DeviceOperand positions;
    int64_t size, stride;
    int axis;
};

/// What is done with chosen elements.
enum class Choosing : uint8_t { Gather, Scatter, Update };

/// A gather, a scatter or an update. It takes as many launches as `slices`, in order; more than one beyond 8 axes only.
class CUARRAY_API IndexedAccessPlan {
 public:
    IndexedAccessPlan(const Dims& shape, const DeviceOperand& elements, const DeviceOperand& array, std::span<const IndexedDeviceAxis> indices,
               int64_t item, kernel::Outside outside, Choosing what);

    int64_t slices() const { return slices_; }
    /// Fills `move`, and `claim` where values may meet in one place; the table must then be set. Of an update `move` makes
    /// the keys.
    void select(int64_t slice);
    NamedLaunch move;
    std::optional<NamedLaunch> claim;
    /// Bytes that must be zeroed in the stream before `claim`.
    int64_t table_bytes() const { return competes_ ? table_bytes_ : 0; }
    void set_table(uint64_t address);

    /// Of an update: the bits of its keys that count.
    int key_bits() const;
    void set_keys(uint64_t keys, uint64_t order);
    /// The launch behind `move`, once `order` sorts the keys: the loop on the elements of the array.
    NamedLaunch steps(LoopId loop, DType array) const;

 private:
    void number_places();
    void choose_word(int64_t item);
    void limit_keys(int64_t item);
    void fill(NamedLaunch& to, const Space& space, bool claims) const;

    Space space_;  ///< operands: elements, array, keys, numbers, then the index arrays
    uint64_t addresses_[kernel::kMaxIndices + 4];
    std::span<const IndexedDeviceAxis> indices_;
    int64_t weights_[kernel::kMaxIndices] = {};
    kernel::Outside outside_;
    const Choosing what_;
    bool meets_ = false;     ///< whether several elements may have one place
    bool differs_ = false;   ///< and be different
    bool competes_ = false;  ///< so that a table must say which of them stays
    int word_ = 1;
    int64_t base_ = 0, key_limit_ = 0;
    int64_t slices_ = 1, table_bytes_ = 0, slots_ = 0;
    bool hashes_ = false;
};

/// What is done with the true elements of a mask.
enum class CompactionStep : uint8_t { Count, AddUp, Compress, Expand, Nonzero };

/// A mask of `shape`, contiguous; `before` has room for stretches + 1 counts. `array` lies over the shape. Locate: `line`
/// is one line per axis, its first stride apart.
struct CompactionOperands {
    Dims shape;
    uint64_t mask, before;
    DeviceOperand array, line;
    int item = 1;
};
CUARRAY_API int64_t mask_blocks(int64_t size);
/// The launches, in order: more than one for Locate beyond 6 axes only; none where an array has more than 8 axes that do
/// not merge: the caller then makes it contiguous.
CUARRAY_API std::vector<NamedLaunch> plan_compaction(CompactionStep step, const CompactionOperands& places);

}  // namespace cuarray
