// uses.cpp -- records readers on several streams.
#include "cuarray/runtime/uses.h"

namespace cuarray {
namespace {

std::mutex& mutex() {
    static auto* one = new std::mutex;
    return *one;
}

}  // namespace

void Uses::keep(StreamPoint point) {
    has_more_.store(true, std::memory_order_release);
    for (StreamPoint& known : more_)
        if (known.stream() == point.stream()) {
            if (known.ticket() < point.ticket()) known = point;
            return;
        }
    more_.push_back(point);
}

void Uses::read_at(StreamPoint point) {
    uint64_t known = read_.load(std::memory_order_relaxed);
    while (known == 0 || StreamPoint::from_bits(known).stream() == point.stream()) {
        if (known >= point.bits()) return;  // another thread has recorded a later ticket of the same stream
        if (read_.compare_exchange_weak(known, point.bits(), std::memory_order_acq_rel)) return;
    }
    const std::lock_guard lock(mutex());
    const StreamPoint displaced = StreamPoint::from_bits(read_.exchange(point.bits(), std::memory_order_acq_rel));
    if (displaced) keep(displaced);
}

void Uses::written_at(StreamPoint point) {
    write_.store(point.bits(), std::memory_order_release);
    read_.store(0, std::memory_order_release);
    if (!has_more_.load(std::memory_order_acquire)) return;
    const std::lock_guard lock(mutex());
    more_.clear();
    has_more_.store(false, std::memory_order_release);
}

Few<StreamPoint, 4> Uses::points(bool with_reads) const {
    Few<StreamPoint, 4> all;
    if (const StreamPoint write = last_write()) all.push_back(write);
    if (!with_reads) return all;
    if (const StreamPoint read = last_read()) all.push_back(read);
    if (!has_more_.load(std::memory_order_acquire)) return all;
    const std::lock_guard lock(mutex());
    for (const StreamPoint read : more_) all.push_back(read);
    return all;
}

}  // namespace cuarray
