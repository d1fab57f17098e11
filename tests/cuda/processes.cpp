// processes.cpp -- threads without a context, forked children, kernels from memory and disk.
#include <sys/wait.h>
#include <unistd.h>
#include <cstdio>
#include <fstream>
#include <thread>
#include "programs.h"
#include "random_views.h"

namespace tests {
namespace {

/// x + x on the GPU.
void add(Backend& gpu, const StorageRef& x, const StorageRef& result, int64_t n) {
    Expr expr;
    expr.outputs = {
        expr.loop(loop_for(find_row("add"), DType::int32), expr.input(DType::int32), expr.input(DType::int32))};
    const View input{x.get(), 0, DType::int32, Dims{4}}, output{result.get(), 0, DType::int32, Dims{4}};
    const View inputs[] = {input, input};
    gpu.run(Elementwise{&expr, Dims{n}, inputs, {&output, 1}, "add"});
}

int32_t doubled(Backend& gpu, int32_t value) {
    const StorageRef x = gpu.allocate(4), y = gpu.allocate(4);
    gpu.write(*x, 0, &value, 4);
    add(gpu, x, y, 1);
    int32_t result = 0;
    gpu.read(&result, *y, 0, 4);
    return result;
}

bool is_mapped(const std::string& name) {
    std::ifstream maps("/proc/self/maps");
    for (std::string line; std::getline(maps, line);)
        if (line.find(name) != std::string::npos) return true;
    return false;
}

bool says_forked(Backend& gpu) {
    try {
        gpu.synchronize();
    } catch (const Error& error) { return std::string(error.what()).find("forked") != std::string::npos; }
    return false;
}

}  // namespace

void test_threads() {
    Backend& gpu = backend({Device::Kind::Cuda, 0});
    std::vector<std::thread> threads;
    for (int t = 0; t < 4; ++t)
        threads.emplace_back([&gpu, t] {
            Backend& mine = t % 2 ? gpu : backend({Device::Kind::Cuda, 1});
            for (int i = 0; i < 20; ++i) CHECK(doubled(mine, 100 * t + i) == 2 * (100 * t + i), "thread %d", t);
        });
    for (std::thread& thread : threads) thread.join();
    CHECK(gpu.memory().stats().allocations == 0, "threads leaked");
}

void test_fork() {
    Backend& gpu = backend({Device::Kind::Cuda, 0});
    StorageRef x = gpu.allocate(4), y = gpu.allocate(4);
    const int32_t value = 21;
    gpu.write(*x, 0, &value, 4);
    std::fflush(nullptr);
    const pid_t child = fork();
    if (child == 0) {
        // Nothing works, every call reports it, and dropping storages has no effect.
        bool good = says_forked(gpu) && RAISES(Cuda, gpu.synchronize()) && RAISES(Cuda, gpu.write(*x, 0, &value, 4)) &&
                    RAISES(Cuda, gpu.allocate(4)) && RAISES(Cuda, add(gpu, x, y, 1));
        x = StorageRef();
        const StorageRef host = backend({Device::Kind::Cpu, 0}).allocate(64);
        _exit(good && host->data ? 0 : 1);
    }
    int status = -1;
    waitpid(child, &status, 0);
    CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0, "the child ended with status %d", status);
    add(gpu, x, y, 1);
    int32_t result = 0;
    gpu.read(&result, *y, 0, 4);
    CHECK(result == 42, "the parent computes %d after a fork", result);
}

// Prints whether NVRTC was opened: a kernel from the disk cache must not need it.
void test_kernels() {
    Backend& gpu = backend({Device::Kind::Cuda, 0});
    for (int i = 0; i < 3; ++i) CHECK(doubled(gpu, i) == 2 * i, "wrong sum");
    std::printf("%s\n", gpu.describe().c_str());
    std::printf("nvrtc %s\n", is_mapped("nvrtc") ? "opened" : "not opened");
}

}  // namespace tests
