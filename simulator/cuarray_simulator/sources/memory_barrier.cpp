// memory_barrier.cpp -- arrivals, bytes and phases of a barrier in shared memory.
#include "memory_barrier.h"

#include "driver.h"

namespace cudasim {
namespace {

using Number = unsigned long long;

constexpr int64_t kMostBytes = (1 << 20) - 1;

Fault wrong_use(const std::string& message) { return {message, Cause::MemoryBarrier}; }

}  // namespace

Fault MemoryBarrier::init(uint64_t arrivals) {
    if (arrivals < 1 || arrivals > kMostArrivals)
        return wrong_use(format("a barrier in memory for %llu arrivals: it takes 1 to %llu",
                                static_cast<Number>(arrivals), static_cast<Number>(kMostArrivals)));
    expected_ = pending_ = arrivals;
    return {};
}

Fault MemoryBarrier::expect(int64_t bytes) {
    bytes_ += bytes;
    if (bytes_ < -kMostBytes || bytes_ > kMostBytes)
        return wrong_use(format("a barrier in memory that expects %lld bytes: it counts to %lld",
                                static_cast<long long>(bytes_), static_cast<long long>(kMostBytes)));
    return {};
}

Fault MemoryBarrier::complete(int64_t bytes) {
    if (Fault wrong = expect(-bytes)) return wrong;
    end_phase_if_complete();
    return {};
}

Fault MemoryBarrier::drop(uint64_t arrivals) {
    if (arrivals > expected_)
        return wrong_use(format("%llu threads leave a barrier in memory that is for %llu",
                                static_cast<Number>(arrivals), static_cast<Number>(expected_)));
    expected_ -= arrivals;
    return {};
}

Fault MemoryBarrier::arrive(uint64_t arrivals, bool may_complete) {
    if (arrivals < 1 || arrivals > pending_)
        return wrong_use(format("%llu arrivals at a barrier in memory whose phase lacks %llu of %llu",
                                static_cast<Number>(arrivals), static_cast<Number>(pending_),
                                static_cast<Number>(expected_)));
    pending_ -= arrivals;
    if (!may_complete && pending_ == 0 && bytes_ == 0)
        return wrong_use("an arrival that must not complete the phase (noComplete) of a barrier in memory does");
    end_phase_if_complete();
    return {};
}

Fault MemoryBarrier::expect_arrival() {
    if (++pending_ > kMostArrivals) return wrong_use("a barrier in memory that lacks more arrivals than it counts");
    return {};
}

void MemoryBarrier::end_phase_if_complete() {
    if (pending_ > 0 || bytes_ != 0) return;
    ++phase_;
    pending_ = expected_;
    arrived = std::move(arriving);
    arriving = {};
}

Fault MemoryBarrier::has_ended(uint64_t token, bool& ended) const {
    const uint64_t phase = token >> 20;
    ended = phase != phase_;
    if (phase == phase_ || phase + 1 == phase_) return {};
    return wrong_use(
        format("a wait for phase %llu of a barrier in memory, which is in phase %llu: it knows the last "
               "one and the current one",
               static_cast<Number>(phase), static_cast<Number>(phase_)));
}

uint64_t MemoryBarrier::word() const {
    const auto bytes = static_cast<uint64_t>(bytes_) & 0x1FFFFF;
    return (phase_ & 1) << 63 | uint64_t(1) << 62 | expected_ << 41 | bytes << 20 | pending_;
}

std::string MemoryBarrier::in_words() const {
    std::string text = format("phase %llu lacks %llu of %llu arrivals", static_cast<Number>(phase_),
                              static_cast<Number>(pending_), static_cast<Number>(expected_));
    if (bytes_ > 0) text += format(" and %lld bytes", static_cast<long long>(bytes_));
    if (bytes_ < 0) text += format(", and has %lld bytes more than it expects", static_cast<long long>(-bytes_));
    return text;
}

}  // namespace cudasim
