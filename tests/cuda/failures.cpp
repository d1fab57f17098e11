// failures.cpp -- one driver call fails in the simulator: the error names it, nothing leaks, and
// the next round works.
#include <cstdio>
#include "programs.h"
#include "random_views.h"

namespace tests {
namespace {

/// A sample of everything that a program does.
void scenario() {
    Backend& gpu = backend({Device::Kind::Cuda, 0});
    Backend& other = backend({Device::Kind::Cuda, 1});
    const DType dtype = DType::float32;
    const int64_t n = 3000;
    std::vector<float> ones(n, 1.0f), result(n);
    const StorageRef a = gpu.allocate(n * 4), b = gpu.allocate(n * 4), c = other.allocate(n * 4);
    gpu.write(*a, 0, ones.data(), n * 4);
    Expr sum;
    sum.outputs = {sum.loop(loop_for(find_row("add"), dtype), sum.input(dtype), sum.input(dtype))};
    const Dims shape{n}, strides{4};
    const View va{a.get(), 0, dtype, strides}, vb{b.get(), 0, dtype, strides};
    const View inputs[] = {va, va};
    gpu.run(Elementwise{&sum, shape, inputs, {&vb, 1}, "add"});
    Expr plain;
    plain.outputs = {plain.input(dtype)};
    const View total{a.get(), 0, dtype, Dims{0}};
    gpu.run(Reduce{&plain, shape, {&vb, 1}, {&total, 1}, Dims{0}, find_reduction("sum"), nullptr, "sum"});
    gpu.copy(*b, 4, *a, 0, 4);
    other.copy(*c, 0, *b, 0, n * 4);
    other.read(result.data(), *c, 0, n * 4);
    CHECK(result[0] == 2 && result[1] == 2 * n && result[2] == 2, "wrong result: %g %g %g", double(result[0]),
          double(result[1]), double(result[2]));
    gpu.synchronize();
    gpu.memory().trim();
}

}  // namespace

void test_failures() {
    if (const std::string reason = missing_reason(Device::Kind::Cuda); !reason.empty()) {
        std::printf("error: %s\n", reason.c_str());
        return;
    }
    int failed = 0;
    for (int round = 0; round < 3; ++round) {
        try {
            scenario();
        } catch (const Error& error) {
            ++failed;
            std::printf("error: %s\n", error.what());
        }
    }
    CHECK(failed <= 1, "%d of 3 rounds failed", failed);
    for (const uint8_t index : {0, 1}) {
        const MemoryStats stats = backend({Device::Kind::Cuda, index}).memory().stats();
        CHECK(stats.allocations == 0 && stats.current == 0, "%lld blocks leaked", (long long)stats.allocations);
    }
}

}  // namespace tests
