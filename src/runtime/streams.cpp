// streams.cpp -- the numbers of streams, and which one is current in a thread.
#include "cuarray/runtime/registry.h"
#include "cuarray/runtime/runtime.h"
#include "runtime/hooks.h"
#include "runtime/inner_stream.h"

namespace cuarray {
namespace {

constexpr size_t kMost = 65535;

/// Every stream of the process, by number; number 0 means no stream. Constant-initialised, so that its pages are not
/// touched before they are used.
std::atomic<Stream*> the_streams[kMost + 1];
std::atomic<size_t> the_count{0};

uint16_t take_number() {
    const size_t number = ++the_count;
    if (number > kMost) raise(ErrorKind::Runtime, "Stream: ", kMost, " streams exist at once, which is the limit");
    return uint16_t(number);
}

/// The streams of the `with` blocks that this thread is in.
std::vector<StreamRef>& chosen() {
    thread_local std::vector<StreamRef> all;
    return all;
}

}  // namespace

Stream::Stream(Device device) : device_(device), id_(take_number()) {
    the_streams[id_].store(this, std::memory_order_release);
}

void Stream::finish(uint64_t ticket) {
    uint64_t known = finished_.load(std::memory_order_relaxed);
    while (known < ticket && !finished_.compare_exchange_weak(known, ticket, std::memory_order_release)) {}
}

Stream& stream_numbered(uint16_t id) { return *the_streams[id].load(std::memory_order_acquire); }

Stream* chosen_stream(Device device) {
    const std::vector<StreamRef>& all = chosen();
    for (size_t i = all.size(); i-- > 0;)
        if (all[i]->device() == device) return all[i].get();
    return nullptr;
}

Stream& current_stream(Device device) {
    Stream* const stream = chosen_stream(device);
    return stream ? *stream : runtime(device).default_stream();
}

InnerStreamScope::InnerStreamScope(StreamRef stream) { chosen().push_back(std::move(stream)); }

InnerStreamScope::~InnerStreamScope() { chosen().pop_back(); }

StreamScope::StreamScope(StreamRef stream) {
    run_deferred();
    chosen().push_back(std::move(stream));
}

StreamScope::~StreamScope() {
    run_deferred();
    chosen().pop_back();
}

void wait_for_users(const Storage& storage, bool for_write) {
    for (const StreamPoint point : storage.uses.points(for_write))
        stream_numbered(point.stream()).wait_until(point.ticket());
}

}  // namespace cuarray
