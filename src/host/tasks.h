// tasks.h -- the backend's computations, one function each; host/backend.cpp calls them.
#pragma once
#include "cuarray/runtime/backend.h"
#include "host/library.h"

namespace cuarray::host {

Fault run_elementwise(const LoopLibrary& library, const Elementwise& task);
/// The loop into `to`; false, and nothing done, where the operands are not all dense.
bool run_single_loop(const LoopLibrary& library, const SingleLoop& task, const SingleLoop::Operand& to);
void run_reduce(const LoopLibrary& library, const Reduce& task);
void run_fold(const LoopLibrary& library, const Fold& task);
void run_scan(const LoopLibrary& library, const Scan& task);
void run_segments(const LoopLibrary& library, const Segments& task);
void run_matmul(const LoopLibrary& library, const Matmul& task);
void run_slide(const LoopLibrary& library, const Slide& task);
void run_gather(const LoopLibrary& library, const Indexed& task);
void run_scatter(const LoopLibrary& library, const Indexed& task);
void run_update(const LoopLibrary& library, const Update& task);
Ranks rank_mask(const LoopLibrary& library, Backend* backend, const View& mask, int64_t size);
void run_compress(const LoopLibrary& library, const Masked& task);
void run_expand(const LoopLibrary& library, const Masked& task);
void run_locate(const LoopLibrary& library, const Masked& task);

void run_sort(const LoopLibrary& library, Backend* backend, const Sort& task);
void run_select(const LoopLibrary& library, Backend* backend, const Select& task);
void run_search(const Search& task);
void run_tally(const LoopLibrary& library, const Tally& task);

/// Whether elements over `shape` lie side by side in C order, aligned.
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

/// memcpy, by several threads where that pays.
void copy_bytes(void* to, const void* from, int64_t bytes);

}  // namespace cuarray::host
