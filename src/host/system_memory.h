// system_memory.h -- what the operating system gives and tells: pages, and how much memory there is.
#pragma once
#include <cstdint>

namespace cuarray::host {

/// New pages, huge ones where that pays; null where there are none. They go back with munmap.
void* map_pages(int64_t bytes);

/// Bytes that the machine (or this process's control group) has, and could still give.
int64_t total_memory();
int64_t available_memory();

/// Whether the kernel makes huge pages on request.
bool has_huge_pages();

}  // namespace cuarray::host
