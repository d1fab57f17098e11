// tasks.h -- the backend's computations, one function each; host/backend.cpp calls them.
#pragma once
#include "cuarray/runtime/backend.h"
#include "host/library.h"

namespace cuarray::host {

Fault run(const LoopLibrary& library, const Elementwise& task);
/// The same without a plan; false, with nothing done, unless there are only a few elements.
bool run_few(const LoopLibrary& library, const Elementwise& task, Fault& fault);
/// Whether run_few() takes a task of so many elements.
bool are_few(const Expr& expr, int64_t elements);
/// How run() would compute it.
TaskExplanation explain(const LoopLibrary& library, const Elementwise& task, bool with_code);
void run(const LoopLibrary& library, const Reduce& task);
void run(const LoopLibrary& library, const LeftFold& task);
void run(const LoopLibrary& library, const Scan& task);
void run(const LoopLibrary& library, const SegmentedReduce& task);
void run(const LoopLibrary& library, const Matmul& task);
void run(const LoopLibrary& library, const Correlate& task);
void run(const LoopLibrary& library, const IndexedAccess& task);
void run(const LoopLibrary& library, const Compaction& task);
void run(const LoopLibrary& library, const Sort& task);
void run(const LoopLibrary& library, const OrderStatistics& task);
void run(const LoopLibrary& library, const SearchSorted& task);
void run(const LoopLibrary& library, const Histogram& task);
void run(const LoopLibrary& library, const FourierTransform& task);
void run(const LoopLibrary& library, const LapackRoutine& task);
void run(const LoopLibrary& library, const LapackDriver& task);
void run(const LoopLibrary& library, const RandomFill& task);
void run(const LoopLibrary& library, const SequenceFill& task);

/// One product as a Matmul task by a library would compute it; false, with nothing done, where none does.
bool multiply(const LoopLibrary& library, const MatrixProduct& product);
/// Runs the loop into `to`; returns false, having done nothing, if one of many elements is not dense.
bool run_single_loop(const LoopLibrary& library, const SingleLoop& task, const SingleLoop::Location& to);
/// Folds runs of n > 0 contiguous elements, `apart` bytes from one to the next, with one thread.
void fold_contiguous(const LoopLibrary& library, ReductionId row, DType dtype, const void* data, int64_t n,
                     void* results, int64_t folds = 1, int64_t apart = 0);
MaskCounts count_mask(const LoopLibrary& library, Backend& backend, const View& mask, int64_t size);

/// Whether elements over `shape` are C-contiguous and aligned.
inline bool is_dense(const char* data, const DTypeInfo& type, const Dims& strides, const Dims& shape, int64_t size) {
    if (reinterpret_cast<uintptr_t>(data) & uintptr_t(type.align - 1)) return false;
    if (size == 1) return true;
    int64_t expected = type.size;
    for (int d = shape.size() - 1; d >= 0; --d) {
        if (shape[d] != 1 && strides[d] != expected) return false;
        expected *= shape[d];
    }
    return true;
}
inline bool is_dense(const View& view, const Dims& shape, int64_t size) {
    return is_dense(view.data(), info(view.dtype), view.strides, shape, size);
}

/// memcpy, by several threads for large sizes.
void copy_bytes(void* to, const void* from, int64_t bytes);
void clear_bytes(void* to, int64_t bytes);

}  // namespace cuarray::host
