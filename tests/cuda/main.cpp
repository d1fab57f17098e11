// main.cpp -- the backend test program: main FAMILY [SEED ROUNDS | DIRECTORY]. Run it with simulated GPUs.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include "programs.h"

int main(int argc, char** argv) {
    using namespace tests;
    const auto is = [&](const char* family) { return argc > 1 && std::strcmp(argv[1], family) == 0; };
    const uint64_t seed = argc > 2 ? std::strtoull(argv[2], nullptr, 10) : 1;
    const int64_t rounds = argc > 3 ? std::atoll(argv[3]) : 10;
    try {
        if (is("elementwise"))
            test_elementwise(seed, rounds);
        else if (is("reductions"))
            test_reductions(seed, rounds);
        else if (is("long-reduction"))
            test_long_reduction();
        else if (is("transfers"))
            test_transfers(seed, rounds);
        else if (is("memory"))
            test_memory();
        else if (is("failures"))
            test_failures();
        else if (is("fork"))
            test_fork();
        else if (is("threads"))
            test_threads();
        else if (is("foreign"))
            test_foreign_streams();
        else if (is("faults"))
            test_faults();
        else if (is("kernels"))
            test_kernels();
        else if (is("cache") && argc > 2)
            test_cache_directory(argv[2]);
        else
            return std::fprintf(stderr, "no such family\n"), 2;
    } catch (const std::exception& error) {
        std::fprintf(stderr, "unexpected error: %s\n", error.what());
        return 1;
    }
    std::puts("passed");
    return 0;
}
