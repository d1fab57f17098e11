// correlate.cpp -- cross-correlation: contiguous operands, then one task.
#include "cuarray/array/pending.h"
#include "cuarray/ops/matmul.h"
#include "ops/packed.h"

namespace cuarray {

Array correlate(const Array& signal, const Array& weights, int64_t before, int64_t count, const char* name) {
    const Array values = packed(signal), row = packed(weights);
    const Array result = empty({count}, signal.dtype(), signal.device());
    if (count == 0) return result;
    const auto whole = [&](const Array& array) { return array.as_operand(array.shape(), name); };
    result.storage().front().run(
        Correlate{values.size(), row.size(), before, count, whole(values), whole(row), whole(result), name});
    return result;
}

}  // namespace cuarray
