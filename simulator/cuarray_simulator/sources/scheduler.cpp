// scheduler.cpp -- the order in which queued work runs.
#include "stream.h"

#include <algorithm>
#include <chrono>
#include <thread>
#include <utility>

#include "pool.h"

namespace cudasim {
namespace {

struct Scheduler {
    /// Streams with pending work; destroyed ones stay until their work has run.
    std::vector<std::shared_ptr<Stream>> busy;
    std::function<CUresult()>* host_function = nullptr;
    /// A query has met a host function: the worker runs what is pending without further delay.
    bool is_asked = false;
    /// The work that the host has waited for.
    Clock host;
    /// Maximum number of operations that may run at a call without a wait.
    uint32_t pace = 0;
};

Scheduler& scheduler() {
    static auto* state = new Scheduler;
    return *state;
}

bool ready(const Stream& stream) {
    if (stream.running || stream.queue.empty()) return false;
    const auto& waits = stream.queue.front().waits;
    return std::all_of(waits.begin(), waits.end(), [](const Point& p) { return p.reached(); });
}

thread_local bool is_worker = false;

void call_unlocked(const std::function<CUresult()>& function) {
    Driver& d = driver();
    d.mutex.unlock();
    in_host_function = true;
    function();
    in_host_function = false;
    d.mutex.lock();
}

/// Has the worker run a host function and waits for it; others may take the driver's lock meanwhile.
void run_host_function(Operation& operation) {
    if (is_worker) return call_unlocked(operation.run);
    Driver& d = driver();
    while (scheduler().host_function) d.changed.wait(d.mutex);
    scheduler().host_function = &operation.run;
    d.changed.notify_all();
    while (scheduler().host_function == &operation.run) d.changed.wait(d.mutex);
}

void run_front(std::shared_ptr<Stream> stream) {
    Operation operation = std::move(stream->queue.front());
    stream->queue.pop_front();
    stream->running = true;
    if (stream->queue.empty()) {
        auto& busy = scheduler().busy;
        busy.erase(std::find(busy.begin(), busy.end(), stream));
    }
    Context& context = *stream->context;
    if (operation.clock) begin_work(operation.name, stream->id, stream->done + 1, *operation.clock);
    if (operation.run && (context.sticky == CUDA_SUCCESS || operation.bookkeeping)) {
        if (operation.host_function)
            run_host_function(operation);
        else
            operation.run();
    }
    stream->running = false;
    ++stream->done;
    driver().changed.notify_all();
}

/// The stream whose first operation must run next to reach the point; null if another thread is running it.
std::shared_ptr<Stream> next_towards(const Point& point) {
    std::shared_ptr<Stream> stream = point.stream;
    for (;;) {
        if (stream->running) return nullptr;
        const auto& waits = stream->queue.front().waits;
        auto open = std::find_if(waits.begin(), waits.end(), [](const Point& p) { return !p.reached(); });
        if (open == waits.end()) return stream;
        stream = open->stream;
    }
}

/// A random stream that could run now, or null.
std::shared_ptr<Stream> any_ready(Random& random) {
    auto& busy = scheduler().busy;
    if (busy.empty()) return nullptr;
    size_t start = random.below(static_cast<uint32_t>(busy.size()));
    for (size_t i = 0; i < busy.size(); ++i) {
        auto& stream = busy[(start + i) % busy.size()];
        if (ready(*stream)) return stream;
    }
    return nullptr;
}

void run_towards(const Point& point) {
    Driver& d = driver();
    while (!point.reached()) {
        std::shared_ptr<Stream> stream;
        if (settings().progress != Progress::Lazy && d.random.chance(2)) stream = any_ready(d.random);
        if (!stream) stream = next_towards(point);
        if (stream)
            run_front(stream);
        else
            d.changed.wait(d.mutex);
    }
}

/// Eager progress. A host function may need a lock that this thread holds, so it is left to the worker.
void run_all_but_host_functions(const Point& point) {
    while (!point.reached()) {
        std::shared_ptr<Stream> stream = next_towards(point);
        if (!stream || stream->queue.front().host_function) return;
        run_front(stream);
    }
}

/// The clock of an operation: its stream so far, its waits, and the work seen by the host. Itself
/// included.
std::shared_ptr<const Clock> clock_after(const Stream& stream, const std::vector<Point>& waits) {
    auto clock = std::make_shared<Clock>(scheduler().host);
    if (stream.clock) join(*clock, *stream.clock);
    for (const Point& point : waits)
        if (point.clock) join(*clock, *point.clock);
    (*clock)[stream.id] = stream.issued + 1;
    return clock;
}

void host_has_seen(const Point& point) {
    if (point.clock && point.reached()) join(scheduler().host, *point.clock);
}

/// CUDA's implicit order: the legacy stream and the blocking streams of a context wait for each other.
void add_implicit_waits(Stream& stream, Operation& operation) {
    if (!stream.blocking()) return;
    Context& context = *stream.context;
    if (&stream != context.legacy.get()) {
        operation.waits.push_back(context.legacy->end());
        return;
    }
    for (auto& other : context.streams)
        if (other.get() != &stream && other->blocking()) operation.waits.push_back(other->end());
}

/// The worker: runs host functions; and, when the program makes no call for a while, the pending work, as a
/// GPU would.
void work() {
    Driver& d = driver();
    std::unique_lock<std::mutex> lock(d.mutex);
    is_worker = true;
    uint64_t seen = d.calls;
    const auto idle_time = std::chrono::milliseconds(settings().idle);
    // When it runs depends on the time, so it leaves the random numbers of the calls alone.
    Random random(settings().seed);
    for (;;) {
        d.changed.wait_for(d.mutex, idle_time);
        if (scheduler().host_function) {
            call_unlocked(*scheduler().host_function);
            scheduler().host_function = nullptr;
            d.changed.notify_all();
        }
        bool idle = std::exchange(scheduler().is_asked, false) || seen == d.calls;
        seen = d.calls;
        while (idle && !d.exiting && seen == d.calls) {
            std::shared_ptr<Stream> stream = any_ready(random);
            if (!stream) break;
            run_front(stream);
        }
    }
}

}  // namespace

Point enqueue(Stream& stream, Operation operation) {
    add_implicit_waits(stream, operation);
    if (checking()) operation.clock = stream.clock = clock_after(stream, operation.waits);
    auto& waits = operation.waits;
    waits.erase(std::remove_if(waits.begin(), waits.end(), [](const Point& p) { return p.reached(); }), waits.end());
    auto self = stream.shared_from_this();
    if (stream.queue.empty()) scheduler().busy.push_back(self);
    stream.queue.push_back(std::move(operation));
    ++stream.issued;
    Point point = stream.end();
    if (settings().progress == Progress::Eager) run_all_but_host_functions(point);
    return point;
}

CUresult wait_for(Context& context, const Point& point) {
    run_towards(point);
    host_has_seen(point);
    shrink_pools(context.device);
    return context.sticky;
}

CUresult wait_for_all(Context& context) {
    std::vector<Point> ends;
    for (auto& stream : context.streams) ends.push_back(stream->end());
    for (auto& end : ends) {
        run_towards(end);
        host_has_seen(end);
    }
    shrink_pools(context.device);
    return context.sticky;
}

bool query(const Point& point) {
    if (!point.reached() && !driver().random.chance(2)) {
        const std::shared_ptr<Stream> stream = next_towards(point);
        if (stream && stream->queue.front().host_function) {
            scheduler().is_asked = true;  // a query does not wait, and this thread may hold what the function needs
            driver().changed.notify_all();
        } else if (stream) {
            run_front(stream);
        }
    }
    host_has_seen(point);
    return point.reached();
}

void begin_host_work(const char* name) {
    constexpr uint64_t kHostStream = 0;
    if (!checking()) return;
    Clock& host = scheduler().host;
    ++host[kHostStream];
    begin_work(name, kHostStream, host[kHostStream], host);
}

void background_progress() {
    Driver& d = driver();
    if (settings().progress != Progress::Random) return;
    // A device lags behind, or keeps up, for a while: this exposes both kinds of errors.
    constexpr uint32_t kPaces[] = {0, 0, 1, 4};
    constexpr unsigned kCallsPerPace = 32;
    if (d.calls == 1 || d.random.chance(kCallsPerPace)) scheduler().pace = kPaces[d.random.below(4)];
    if (scheduler().busy.empty() || scheduler().pace == 0) return;
    for (uint32_t n = d.random.below(scheduler().pace + 1); n > 0; --n) {
        std::shared_ptr<Stream> stream = any_ready(d.random);
        if (!stream || stream->queue.front().host_function) return;
        run_front(stream);
    }
}

void start_worker() {
    static bool started = false;
    if (started) return;
    started = true;
    std::thread(work).detach();
}

}  // namespace cudasim
