// deferral.cpp -- whether an operation waits: the scopes of a thread, and by itself where that pays.
#include "cuarray/array/deferral.h"

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <exception>
#include <string_view>

#include "array/pending_graph.h"
#include "cuarray/array/elements.h"
#include "cuarray/runtime/registry.h"
#include "cuarray/runtime/runtime.h"
#include "runtime/hooks.h"

namespace cuarray {
namespace {

// Elements. From 8192 on, 2 of 45 programs of chains ran at less than 0.95 of their eager speed, from 5000 on 10; the
// geometric mean was 1.3 and 1.4.
constexpr int64_t kAutomaticallyFrom = 8192;

/// CUARRAY_FUSE: "off", "on", or the number of elements. Other values have no effect, of which Python warns.
int64_t automatic_size() {
    const char* const value = std::getenv("CUARRAY_FUSE");
    const std::string_view wish = value ? value : "";
    if (wish == "off") return INT64_MAX;
    int64_t number = 0;
    const auto [rest, fault] = std::from_chars(wish.data(), wish.data() + wish.size(), number);
    const bool is_number = fault == std::errc() && rest == wish.data() + wish.size() && number > 0;
    return is_number ? number : kAutomaticallyFrom;
}

/// Whether no other thread than that of the graph has asked yet, with `registers`. A run holds the lock of all graphs:
/// threads that compute side by side do so at the call.
bool computes_alone(PendingGraph* own, bool registers) {
    static constinit std::atomic<PendingGraph*> first = nullptr;
    static constinit std::atomic<bool> are_several = false;
    if (are_several.load(std::memory_order_relaxed)) return false;
    PendingGraph* known = first.load(std::memory_order_relaxed);
    if (known == own || (!known && !registers)) return true;
    if (!known && first.compare_exchange_strong(known, own)) return true;
    if (registers) are_several = true;
    return false;
}

/// Why an operation outside of the scopes that ask for deferral runs at its call.
AtCall why_not_automatically(PendingGraph& own, std::span<const Array* const> arrays, int64_t elements,
                             bool registers) {
    if (deferred_from == INT64_MAX) return AtCall::Off;
    const auto some = std::find_if(arrays.begin(), arrays.end(), [](const Array* a) { return a; });
    const Device device = some == arrays.end() ? Device{} : (*some)->device();
    if (device == Device{} && elements < deferred_from) return AtCall::Few;
    if (own.eager) return AtCall::Eager;
    if (std::any_of(some, arrays.end(), [=](const Array* a) { return a && !(a->device() == device); }))
        return AtCall::Devices;
    if (!computes_alone(&own, registers)) return AtCall::Threads;
    prepare_deferral();
    return backend(device).runs_at_call() ? AtCall::AtOnce : AtCall::No;
}

}  // namespace

const int64_t deferred_from = automatic_size();

void begin_eager() { ++own_graph().eager; }
void end_eager() { --own_graph().eager; }

std::atomic<int> deferring_threads = 0;
bool is_deferring_here() { return own_graph().depth > 0; }

void begin_deferral() {
    prepare_deferral();
    deferring_threads += own_graph().depth++ == 0;
}

void end_deferral() {
    // Leave deferred mode first: if the run fails, the next operation must be eager.
    PendingGraph& g = own_graph();
    if (--g.depth > 0) return;
    --deferring_threads;
    g.ends_scope = true;
    try {
        settle_all();
    } catch (...) {
        g.ends_scope = false;
        abandon(g, std::current_exception());
        throw;
    }
    g.ends_scope = false;
}

void begin_call_deferral() {
    begin_deferral();
    ++own_graph().library_calls;
}

void begin_function_deferral() {
    begin_deferral();
    if (own_graph().functions++ == 0) own_graph().called_at = export_clock;
}

namespace {

/// Settles what the enclosing scope does not tolerate.
void end_call(int& calls) {
    PendingGraph& g = own_graph();
    --calls;
    std::exception_ptr error;
    try {
        if (g.depth > 1 && g.latest_export > g.tolerated()) settle_all();
    } catch (...) {
        error = std::current_exception();
        abandon(g, error);
    }
    end_deferral();
    if (error) std::rethrow_exception(error);
}

}  // namespace

void end_call_deferral() { end_call(own_graph().library_calls); }
void end_function_deferral() { end_call(own_graph().functions); }

Deferral::Deferral() { begin_call_deferral(); }

Deferral::~Deferral() noexcept(false) {
    try {
        end_call_deferral();
    } catch (...) {
        // An exception already in flight is the cause; keep that one.
        if (!std::uncaught_exceptions()) throw;
    }
}

namespace {

bool are_ready_on_host(std::span<const Array* const> arrays) {
    return std::all_of(arrays.begin(), arrays.end(),
                       [](const Array* a) { return !a || (!a->is_pending() && a->device() == Device{}); });
}

}  // namespace

AtCall why_at_call(std::span<const Array* const> arrays, int64_t elements, bool registers) {
    if (are_floating_errors_wanted()) return AtCall::FloatingErrors;
    PendingGraph& g = own_graph();
    if (!g.depth)
        if (const AtCall why = why_not_automatically(g, arrays, elements, registers); why != AtCall::No) return why;
    if (g.library_calls == g.depth && elements <= kFewElements && are_ready_on_host(arrays)) return AtCall::Few;
    return reads_shared_memory(arrays) ? AtCall::Shared : AtCall::No;
}

bool reads_shared_memory(std::span<const Array* const> arrays) {
    return std::any_of(arrays.begin(), arrays.end(), [](const Array* a) {
        if (!a || a->is_pending()) return false;
        const Storage& storage = a->storage();
        return storage.is_exported() && storage.last_export() > own_graph().tolerated();
    });
}

bool can_defer(std::span<const Array* const> arrays, int64_t elements) {
    return why_at_call(arrays, elements, true) == AtCall::No;
}

}  // namespace cuarray
