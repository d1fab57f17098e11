// slide.cpp -- sums of products of taps that slide along a line: packed operands, one task.
#include "cuarray/array/pending.h"
#include "cuarray/ops/matmul.h"
#include "ops/packed.h"

namespace cuarray {

Array slide(const Array& line, const Array& taps, int64_t before, int64_t count, const char* name) {
    const Array values = packed(line), row = packed(taps);
    const Array result = empty({count}, line.dtype(), line.device());
    if (count == 0) return result;
    const auto whole = [&](const Array& array) { return array.as_operand(array.shape(), name); };
    result.storage().front().run(
        Correlate{values.size(), row.size(), before, count, whole(values), whole(row), whole(result), name});
    return result;
}

}  // namespace cuarray
