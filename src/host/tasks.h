// tasks.h -- the backend's computations, one function each; host/backend.cpp calls them.
#pragma once
#include "cuarray/runtime/backend.h"
#include "host/library.h"

namespace cuarray::host {

Fault run_elementwise(const LoopLibrary& library, const Elementwise& task);
void run_reduce(const LoopLibrary& library, const Reduce& task);
void run_fold(const LoopLibrary& library, const Fold& task);
void run_scan(const LoopLibrary& library, const Scan& task);
void run_gather(const LoopLibrary& library, const Indexed& task);
void run_scatter(const LoopLibrary& library, const Indexed& task);
Ranks rank_mask(const LoopLibrary& library, Backend* backend, const View& mask, int64_t size);
void run_compress(const LoopLibrary& library, const Masked& task);
void run_expand(const LoopLibrary& library, const Masked& task);
void run_locate(const LoopLibrary& library, const Masked& task);

void run_sort(Backend* backend, const Sort& task);
void run_select(Backend* backend, const Select& task);
void run_search(const Search& task);
void run_tally(const Tally& task);

/// Whether the view's elements lie side by side in C order, aligned.
bool is_plain(const View& view, const Dims& shape, int64_t size);

/// memcpy, by several threads where that pays.
void copy_bytes(void* to, const void* from, int64_t bytes);

}  // namespace cuarray::host
