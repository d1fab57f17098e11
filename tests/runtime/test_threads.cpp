// test_threads.cpp -- eight concurrent threads on every present device: streams, events, memory, kernels,
// and the host's own threads. Made for ThreadSanitizer (scripts/sanitize_threads.sh), and right without it.
#include <array>
#include <cstdint>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "core/check.h"
#include "cuarray/core/error.h"
#include "cuarray/runtime/registry.h"
#include "cuarray/runtime/runtime.h"

namespace {

using namespace cuarray;

constexpr int kThreads = 8, kRounds = 24;
// One element, sizes on both sides of a small memory block, and enough for all of the host's threads.
constexpr std::array<int64_t, 4> kSizes = {1, 1000, 70'000, 300'000};
constexpr std::array<const char*, 4> kRows = {"add", "maximum", "subtract", "multiply"};

int32_t expected(const std::string& row, int32_t a, int32_t b) {
    if (row == "add") return a + b;
    if (row == "subtract") return a - b;
    return row == "maximum" ? std::max(a, b) : a * b;
}

/// An array of equal elements, which any thread may use.
struct Parcel {
    StorageRef storage;
    int64_t size = 0;
    int32_t value = 0;
};

/// Exchange of arrays between threads; work on them may still be queued.
class Exchange {
 public:
    Parcel swap(Parcel mine) {
        const std::lock_guard lock(mutex_);
        parcels_.push_back(std::move(mine));
        if (parcels_.size() < kThreads) return {};
        Parcel oldest = std::move(parcels_.front());
        parcels_.erase(parcels_.begin());
        return oldest;
    }

 private:
    std::mutex mutex_;
    std::vector<Parcel> parcels_;
};

View view(const Parcel& parcel) { return {parcel.storage.get(), 0, DType::int32, Dims{4}}; }

Parcel computed(Backend& backend, const char* row, const Parcel& a, int32_t b, MemoryKind kind) {
    Expr expr;
    const ValueId x = expr.input(DType::int32), y = expr.scalar(Scalar::of(DType::int32, b));
    expr.outputs = {expr.loop(loop_for(find_row(row), DType::int32), x, y)};
    Parcel result{backend.runtime().allocate(a.size * 4, kind), a.size, expected(row, a.value, b)};
    const View input = view(a), output = view(result);
    backend.run(Elementwise{&expr, Dims{a.size}, {&input, 1}, {&output, 1}, row});
    return result;
}

/// The smallest and the largest element are the parcel's value.
void check(Backend& backend, const Parcel& parcel) {
    for (const char* const row : {"min", "max"}) {
        Expr expr;
        expr.outputs = {expr.input(DType::int32)};
        const StorageRef to = backend.allocate(4);
        const View input = view(parcel), output{to.get(), 0, DType::int32, Dims{0}};
        backend.run(
            Reduce{&expr, Dims{parcel.size}, {&input, 1}, {&output, 1}, Dims{0}, find_reduction(row), nullptr, row});
        int32_t value = 0;
        backend.read(&value, *to, 0, 4);
        CHECK(value == parcel.value, "the %s is %d, not %d", row, value, parcel.value);
    }
}

void work(Backend& backend, int number, Exchange& exchange) {
    constexpr std::array<MemoryKind, 4> kKinds = {MemoryKind::Device, MemoryKind::Direct, MemoryKind::Device,
                                                  MemoryKind::Managed};
    Runtime& runtime = backend.runtime();
    for (int round = 0; round < kRounds; ++round) {
        const int turn = number + round;
        const StreamScope scope(runtime.make_stream(0, turn % 3 == 0));
        const int64_t size = kSizes[size_t(turn) % kSizes.size()];
        const std::vector<int32_t> values(size_t(size), turn);
        Parcel made{runtime.allocate(size * 4, kKinds[size_t(round) % kKinds.size()]), size, turn};
        backend.write(*made.storage, 0, values.data(), size * 4);
        const char* const row = kRows[size_t(round) % kRows.size()];
        Parcel taken = exchange.swap(computed(backend, row, made, number, MemoryKind::Device));
        if (taken.storage) check(backend, computed(backend, row, taken, round, MemoryKind::Direct));
        taken = {};
        if (round % 6 == number % 6) {
            const std::unique_ptr<Event> event = runtime.make_event(false);
            event->record(current_stream(backend.device()));
            event->synchronize();
            CHECK(event->is_done(), "an event is done after it was waited for");
        }
        if (round % 8 == number) backend.memory().trim();
        CHECK(backend.memory().stats().current >= 0, "statistics");
    }
}

void hammer(Backend& backend) {
    const int64_t before = backend.memory().stats().allocations;
    {
        Exchange exchange;
        std::vector<std::thread> threads;
        for (int number = 0; number < kThreads; ++number)
            threads.emplace_back([&backend, number, &exchange] { work(backend, number, exchange); });
        for (std::thread& thread : threads) thread.join();
    }
    backend.synchronize();
    CHECK(backend.memory().stats().allocations == before, "threads leaked");
}

}  // namespace

int main() {
    // Threads also look up the devices concurrently.
    std::vector<std::thread> openers;
    for (int number = 0; number < kThreads; ++number)
        openers.emplace_back([] { CHECK(backend({Device::Kind::Cpu, 0}).memory().stats().current >= 0); });
    for (std::thread& thread : openers) thread.join();
    hammer(backend({Device::Kind::Cpu, 0}));
    if (missing_reason(Device::Kind::Cuda).empty()) hammer(backend({Device::Kind::Cuda, 0}));
    return 0;
}
