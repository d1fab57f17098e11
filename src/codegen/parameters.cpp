// parameters.cpp -- extents with their division constants, scalars, and the limits of 32 bits.
#include "codegen/parameters.h"

#include <algorithm>
#include <bit>

namespace cuarray {

void set_extent(kernel::Extent32& extent, int64_t size) {
    // Granlund and Montgomery's round-up method: exact for every dividend below 2^31.
    const uint64_t divisor = uint64_t(std::max<int64_t>(size, 1));  // an empty fold divides nothing
    const int shift = size <= 1 ? 0 : int(std::bit_width(divisor - 1));
    const uint64_t multiplier = ((uint64_t(1) << 32) * ((uint64_t(1) << shift) - divisor)) / divisor + 1;
    extent = {uint32_t(size), uint32_t(multiplier), uint32_t(shift)};
}

void set_extent(kernel::Extent64& extent, int64_t size) { extent = {uint64_t(size)}; }

void set_scalars(Launch& launch, const Expr& expr, const Scalar* initial) {
    if (expr.scalars.size() + 1 > size_t(kernel::kMaxScalars))
        raise(ErrorKind::NotImplemented, "launch: ", expr.scalars.size(), " scalars; at most ",
              kernel::kMaxScalars - 1);
    size_t k = 0;
    for (const Scalar& scalar : expr.scalars) std::memcpy(launch.scalars.values[k++].bytes, scalar.bytes, 16);
    // Fill the slot even if the kernel ignores it: parameters must be reproducible from run to run.
    std::memcpy(launch.scalars.values[k].bytes, initial ? initial->bytes : Scalar().bytes, 16);
}

bool fits_32_bits(const Space& space) {
    constexpr int64_t limit = INT32_MAX;
    if (space.size > limit) return false;
    for (int k = 0; k < space.operands; ++k) {
        int64_t reach = 0;
        for (int d = 0; d < space.ndim; ++d)
            // An extent of 1 has no second element, so its stride does not count.
            if (__builtin_add_overflow(reach, std::abs(space.strides[k][d]) * (space.shape[d] - 1), &reach) ||
                reach > limit)
                return false;
    }
    return true;
}

}  // namespace cuarray
