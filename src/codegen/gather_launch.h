// gather_launch.h -- plans gathers, scatters, updates and compactions: kernels, grids and parameters.
#pragma once
#include <optional>
#include <vector>
#include "codegen/launch.h"
#include "cuarray/core/outside.h"
#include "cuarray/kernel/gather.h"

namespace cuarray {

/// An indexed axis and its index array.
struct IndexedDeviceAxis {
    DeviceOperand positions;
    int64_t size, stride;
    int axis;
};

/// The operands of an IndexedAccess (runtime/task.h) in device memory; strides over `shape`. The plan refers to the
/// indices.
struct IndexedAccessOperands {
    Dims shape;
    DeviceOperand elements, array;
    std::span<const IndexedDeviceAxis> indices;
    int64_t item;  ///< bytes of an element
    Outside outside;
    kernel::IndexedAccessKind kind;
};

/// What has 64 bits in a kernel: nothing, byte offsets, or indices too.
enum class IndexWidth { Near, Far, Wide };

/// Plans a gather, a scatter or an update: `slices` rounds of launches, in order; more than one only beyond 8 axes.
class CUARRAY_API IndexedAccessPlan {
 public:
    explicit IndexedAccessPlan(const IndexedAccessOperands& operands);

    int64_t slices() const { return slices_; }
    /// Fills `move` for a slice, and `claim` if stores to one position conflict; set_table() must follow then. In an
    /// update, `move` computes the sort keys.
    void select(int64_t slice);
    NamedLaunch move;
    std::optional<NamedLaunch> claim;
    /// Bytes of the table, to be zeroed in stream order before `claim`; 0: no table.
    int64_t table_bytes() const;
    void set_table(uint64_t address);

    /// Update: the number of significant bits of the keys.
    int key_bits() const;
    void set_keys(uint64_t keys, uint64_t order);
    /// Update: the launch that applies the loop to the array's elements, once `order` sorts the keys.
    NamedLaunch steps(LoopId loop, DType array) const;

 private:
    int64_t winner_bytes() const;
    IndexWidth width() const;
    void number_places();
    void choose_word(int64_t item);
    void limit_keys(int64_t item);
    void fill(NamedLaunch& to, const Space& space, bool claims) const;

    Space space_;  ///< operands: elements, array, keys, numbers, then the index arrays
    uint64_t addresses_[kernel::kMaxIndices + 4];
    std::span<const IndexedDeviceAxis> indices_;
    int64_t weights_[kernel::kMaxIndices] = {};
    Outside outside_;
    const kernel::IndexedAccessKind kind_;
    bool has_repeated_targets_ = false;  ///< several elements may be stored to one position
    bool has_unequal_repeats_ = false;   ///< and may have different values
    bool needs_table_ = false;           ///< which selects the element to store
    int word_ = 1;
    int64_t base_ = 0, key_limit_ = 0;
    int64_t slices_ = 1, slots_ = 0;
    bool hashes_ = false;
    IndexWidth width_ = IndexWidth::Wide;
};

/// The steps of a compaction: counts per block of the mask, their prefix sums, and one of the moves.
enum class CompactionStep : uint8_t { Count, ScanCounts, Compress, Expand, Nonzero };

/// The operands of a compaction: a contiguous mask of `shape`, and mask_blocks(size) + 1 counts in `before`. `array`
/// has the shape of the mask, `line` is the packed side; for Nonzero it has one row per axis, the first stride apart.
struct CompactionOperands {
    Dims shape;
    uint64_t mask, before;
    DeviceOperand array, line;
    int item = 1;
};
CUARRAY_API int64_t mask_blocks(int64_t size);
/// The launches, in order; more than one only for Nonzero beyond 6 axes. Empty if the array has more than 8 axes after
/// merging: the caller then uses a contiguous copy.
CUARRAY_API std::vector<NamedLaunch> plan_compaction(CompactionStep step, const CompactionOperands& places);

}  // namespace cuarray
