// size_classes.h -- the block sizes of pools: a freed block can be reused for a request of about its size.
#pragma once
#include <bit>
#include <cstdint>

namespace cuarray {

// Multiples of 256 up to 2048, then eight classes per doubling: at most an eighth is wasted.
constexpr int kFirstSizeClasses = 8;
constexpr int kSizeClasses = kFirstSizeClasses + 8 * 48;

/// The smallest class that holds `bytes` bytes; at least one.
constexpr int class_of(int64_t bytes) {
    if (bytes <= 2048) return int((bytes + 255) / 256) - 1;
    const int doubling = std::bit_width(uint64_t(bytes - 1)) - 1;  // bytes - 1 in [2^doubling, 2^(doubling + 1))
    return kFirstSizeClasses + 8 * (doubling - 11) + int(((bytes - 1) >> (doubling - 3)) & 7);
}
/// Bytes of a block of a class.
constexpr int64_t class_bytes(int size_class) {
    if (size_class < kFirstSizeClasses) return (size_class + 1) * 256;
    const int doubling = 11 + (size_class - kFirstSizeClasses) / 8, eighth = (size_class - kFirstSizeClasses) % 8;
    return (int64_t(9 + eighth)) << (doubling - 3);
}
constexpr int64_t kLargestBlock = class_bytes(kSizeClasses - 1);
static_assert(class_bytes(class_of(2049)) >= 2049 && class_bytes(class_of(32768)) == 32768);
static_assert(class_of(32769) == class_of(32768) + 1 && class_of(class_bytes(100)) == 100);

}  // namespace cuarray
