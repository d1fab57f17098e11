// programs.h -- the parts of the backend test program; each is one family, chosen by the first argument.
#pragma once
#include <cstdint>

namespace tests {

void test_elementwise(uint64_t seed, int64_t rounds);
void test_reductions(uint64_t seed, int64_t rounds);
void test_long_reduction();
void test_transfers(uint64_t seed, int64_t rounds);
void test_memory();
void test_failures();
void test_fork();
void test_threads();
void test_foreign_streams();
void test_faults();
void test_kernels();
void test_cache_directory(const char* directory);

}  // namespace tests
