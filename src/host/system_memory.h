// system_memory.h -- pages from the operating system, and the size of total and available memory.
#pragma once
#include <cstdint>

namespace cuarray::host {

/// Maps new pages, huge ones for large sizes; null on failure. Release with munmap.
void* map_pages(int64_t bytes);

/// Total and available bytes of the machine, or of this process's control group.
int64_t total_memory();
int64_t available_memory();

/// Whether the kernel provides huge pages on request.
bool has_huge_pages();

}  // namespace cuarray::host
