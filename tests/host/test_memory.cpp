// test_memory.cpp -- the pool: alignment, reuse, statistics, limits, threads; and that everything works after a fork.
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cstdint>
#include <cstring>
#include <thread>
#include <vector>

#include "core/check.h"
#include "cuarray/core/error.h"
#include "cuarray/runtime/registry.h"

namespace {

using namespace cuarray;

void check_blocks(Backend& cpu) {
    CHECK(cpu.allocate(0)->data == nullptr);
    for (int64_t bytes = 1; bytes < (int64_t(1) << 25); bytes = bytes * 5 / 4 + 1) {
        const StorageRef block = cpu.allocate(bytes);
        CHECK(block->bytes == bytes && reinterpret_cast<uintptr_t>(block->data) % 256 == 0);
        std::memset(block->data, 1, size_t(bytes));
    }
    const void* const address = cpu.allocate(5000)->data;
    CHECK(cpu.allocate(5000)->data == address, "a freed block is used again");
}

void check_statistics(Backend& cpu) {
    const MemoryStats before = cpu.memory().stats();
    {
        const StorageRef a = cpu.allocate(1000), b = cpu.allocate(int64_t(1) << 22);
        const MemoryStats during = cpu.memory().stats();
        CHECK(during.allocations == before.allocations + 2);
        CHECK(during.current == before.current + 1000 + (int64_t(1) << 22));
        CHECK(during.peak >= during.current && during.reserved >= during.current);
    }
    const MemoryStats after = cpu.memory().stats();
    CHECK(after.allocations == before.allocations && after.current == before.current);
    CHECK(after.reserved > after.current, "freed blocks are kept");
    cpu.memory().trim();
    CHECK(cpu.memory().stats().reserved < after.reserved, "trim gives them back");
}

void check_limits(Backend& cpu) {
    const int64_t before = cpu.memory().stats().allocations;
    CHECK(RAISES(Memory, cpu.allocate(int64_t(1) << 45)));
    CHECK(RAISES(Memory, cpu.allocate(INT64_MAX)));
    try {
        cpu.allocate(int64_t(1) << 45);
    } catch (const Error& e) {
        CHECK(std::strstr(e.what(), "35184372088832 bytes asked") && std::strstr(e.what(), "bytes available"), "%s",
              e.what());
    }
    CHECK(cpu.memory().stats().allocations == before);
}

/// Blocks allocated in one thread and freed in another, many at a time.
void check_threads(Backend& cpu) {
    const int64_t before = cpu.memory().stats().allocations;
    std::vector<StorageRef> handed(64 * 8);
    for (int round = 0; round < 20; ++round) {
        std::vector<std::thread> threads;
        for (int t = 0; t < 8; ++t)
            threads.emplace_back([&, t] {
                for (int i = 0; i < 64; ++i) {
                    StorageRef& place = handed[size_t((i * 8 + t + round) % 512)];
                    place = cpu.allocate(1 + (i * 977 + t) % 40000);
                    std::memset(place->data, t, size_t(place->bytes));
                }
            });
        for (std::thread& thread : threads) thread.join();
    }
    handed.clear();
    CHECK(cpu.memory().stats().allocations == before);
}

/// Threads that fill the device to its limit again and again never go beyond it.
void check_limit_under_threads(Backend& cpu) {
    Memory& memory = cpu.memory();
    memory.reset_peak();
    const int64_t before = memory.stats().current, limit = before + 20'000;
    memory.set_limit(limit);
    std::atomic<int> refused{0};
    std::vector<std::thread> threads;
    for (int t = 0; t < 8; ++t)
        threads.emplace_back([&] {
            std::vector<StorageRef> held;
            for (int i = 0; i < 5000; ++i) {
                try {
                    held.push_back(cpu.allocate(1000));
                } catch (const Error&) {
                    ++refused;
                    held.clear();
                }
            }
        });
    for (std::thread& thread : threads) thread.join();
    const MemoryStats after = memory.stats();
    memory.set_limit(kNoLimit);
    CHECK(refused > 0 && after.peak <= limit && after.current == before);
    CHECK(RAISES(Value, memory.set_limit(-1)));
}

/// y = x + x over enough elements for every worker.
bool adds(Backend& cpu) {
    constexpr int64_t n = 1 << 20;
    Expr expr;
    const ValueId x = expr.input(DType::float32);
    expr.outputs = {expr.loop(loop_for(find_row("add"), DType::float32), x, x)};
    const StorageRef in = cpu.allocate(n * 4), out = cpu.allocate(n * 4);
    auto *from = static_cast<float*>(in->data), *to = static_cast<float*>(out->data);
    for (int64_t i = 0; i < n; ++i) from[i] = float(i), to[i] = 0;
    const View inputs[] = {{in.get(), 0, DType::float32, {4}}}, outputs[] = {{out.get(), 0, DType::float32, {4}}};
    cpu.run(Elementwise{&expr, {n}, inputs, outputs, "add"});
    for (int64_t i = 0; i < n; ++i)
        if (to[i] != 2 * float(i)) return false;
    return true;
}

void check_fork(Backend& cpu) {
    CHECK(adds(cpu));
    for (int round = 0; round < 5; ++round) {
        const pid_t child = fork();
        if (child == 0) {
            alarm(30);  // a hang ends the child with a signal
            _exit(adds(cpu) && adds(cpu) ? 0 : 1);
        }
        CHECK(adds(cpu));
        int status = 0;
        CHECK(waitpid(child, &status, 0) == child);
        CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0, "the child computes as its parent does");
    }
}

void check_callers(Backend& cpu) {
    std::vector<std::thread> callers;
    bool good[4] = {};
    for (bool& result : good) callers.emplace_back([&] { result = adds(cpu) && adds(cpu) && adds(cpu); });
    for (std::thread& caller : callers) caller.join();
    for (const bool result : good) CHECK(result);
}

}  // namespace

int main() {
    setenv("CUARRAY_NUM_THREADS", "4", 1);
    Backend& cpu = backend({});
    check_blocks(cpu);
    check_statistics(cpu);
    check_limits(cpu);
    check_threads(cpu);
    check_limit_under_threads(cpu);
    check_fork(cpu);
    check_callers(cpu);
}
