// comparison.h -- fetches elements of a device to the host, and compares them with those that the host computes.
#pragma once
#include <span>

#include "cuarray/runtime/backend.h"

namespace cuarray {

/// Elements, contiguous in C order: on the device, and the same bytes on the host.
struct Values {
    StorageRef device, mirror;
    DType dtype = DType::none;

    View on(const StorageRef& storage, const Dims& shape) const {
        return {storage.get(), 0, dtype, c_strides(shape, item_size(dtype))};
    }
    const unsigned char* element(int64_t i) const {
        return static_cast<const unsigned char*>(mirror->data) + i * item_size(dtype);
    }
};

/// The elements of a view of the device, extracted on the host from the storage's bytes, without any kernel of the
/// device.
StorageRef fetched(Backend& device, const View& view, const Dims& shape);

/// What is compared, for the message; `expr` is null if it is not the value of an Expr.
struct Subject {
    Device device;
    const char* what;
    const char* name;
    const Expr* expr = nullptr;
};

/// Elements to compare with the `wanted` ones: all, or those where `mask` is true. They agree if all bits are equal;
/// unless `exact`, also within 64 units in the last place of the result or of the `sources` that it was computed from.
struct Comparison {
    const Values& got;
    const Values& wanted;
    const Dims& shape;
    bool exact;
    const Values* mask = nullptr;
    std::span<const Values* const> sources = {};
};

/// RuntimeError with the first element that does not agree.
void compare(const Comparison& c, const Subject& subject);

}  // namespace cuarray
