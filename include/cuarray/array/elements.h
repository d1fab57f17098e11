// elements.h -- arrays as operands of tasks, and their elements where the host may read and write them.
#pragma once
#include "cuarray/array/array.h"
#include "cuarray/runtime/backend.h"

namespace cuarray {

inline View Array::as_operand(const Dims& shape, const char* function) const {
    if (shape == layout_.shape) return {&storage(), offset_, dtype_, layout_.strides};
    return {&storage(), offset_, dtype_, broadcast_strides(layout_, shape, function)};
}

/// Arrays of at most so many bytes are copied, filled, folded ... by the caller where the device allows it
/// (Backend::direct): a task costs more.
constexpr int64_t kFewBytes = 8192;

/// The address of element 0 if the host may read and write the elements now, without a task; else null, as for pending
/// arrays.
[[gnu::always_inline]] inline char* direct_data(const Array& array) {
    if (array.is_pending()) return nullptr;
    Storage& storage = array.storage();
    DirectLoops* const direct = storage.front().direct();
    char* const data = direct ? direct->address(storage) : nullptr;
    return data ? data + array.offset() : nullptr;
}

/// The same for a few elements that are contiguous in C or F order and aligned, as DirectLoops take them.
CUARRAY_API char* direct_elements(const Array& array);

/// Evaluates an Expr into existing arrays; every elementwise write goes through it. `inputs` and `outputs` are
/// broadcast to `shape`.
CUARRAY_API Fault run(const Expr& expr, const Dims& shape, std::span<const View> inputs, std::span<const Array> outputs,
                      const char* name);
/// The same for outputs that no pending node reads but those that `expr` computes.
CUARRAY_API Fault run_unread(const Expr& expr, const Dims& shape, std::span<const View> inputs,
                             std::span<const Array> outputs, const char* name);

/// Dying arrays of at least so many bytes lend their memory to results: smaller ones stay in the caches anyway.
constexpr int64_t kReusedFrom = 64 << 10;

/// Rethrows the error of an allocation; adds shape and dtype of the array to a MemoryError.
[[noreturn]] CUARRAY_API void raise_for(const Dims& shape, DType dtype, const Error& error);
/// The memory of a new array, from `allocate()`; a MemoryError names the array.
template <class Allocate>
StorageRef new_memory(const Dims& shape, DType dtype, Allocate allocate) {
    try {
        return allocate();
    } catch (const Error& error) { raise_for(shape, dtype, error); }
}

}  // namespace cuarray
