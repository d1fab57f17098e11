// recorder.cpp -- the decorator that records every operation, and the list of listeners.
#include "runtime/recorder.h"
#include <algorithm>
#include <atomic>
#include <chrono>
#include <mutex>
#include <shared_mutex>
#include <vector>
#include "cuarray/runtime/registry.h"
#include "cuarray/runtime/runtime.h"
#include "runtime/decorator.h"
#include "runtime/decorators.h"
#include "runtime/hooks.h"
#include "runtime/inner_stream.h"
#include "runtime/programs.h"

namespace cuarray {
namespace {

/// Never destroyed: threads may still compute while the process ends.
struct Listeners {
    std::shared_mutex mutex;
    std::vector<Listener*> list;
};
Listeners& listeners() {
    static Listeners* one = new Listeners;
    return *one;
}

std::atomic<int> listening{0}, timing_listeners{0};
thread_local Record* the_record = nullptr;
thread_local int hidden = 0;

uint32_t thread_number() {
    static std::atomic<uint32_t> threads{0};
    thread_local const uint32_t number = ++threads;
    return number;
}

/// Bytes that a task moves for an operand; a broadcast element counts once.
int64_t bytes_of(const Operand& operand) {
    const View& view = operand.view;
    int64_t elements = 1;
    for (int axis = 0; axis < view.strides.size(); ++axis)
        if (view.strides[axis] != 0 || operand.shape[axis] == 0) elements *= operand.shape[axis];
    if (operand.chosen != Operand::kAll) elements = operand.chosen;
    return elements * item_size(view.dtype) * (operand.access == Access::ReadWrite ? 2 : 1);
}

Dims axes_of(const Elementwise&) { return {}; }
Dims axes_of(const Reduce& task) { return task.axes; }
Dims axes_of(const LeftFold& task) { return task.axes; }
Dims axes_of(const Scan& task) { return {task.axis}; }

/// Fills a record while an operation runs and passes it to the listeners at the end, also if the operation throws.
class RecordScope {
 public:
    RecordScope(const Backend& backend, Record::Kind kind, const char* name)
        : outer_(the_record), compiles_(!backend.is_host_accessible()) {
        record.kind = kind;
        record.name = name;
        record.device = backend.device();
        record.stream = current_stream(record.device).handle();
        record.thread = thread_number();
        SourceLines lines = find_lines();
        record.file = std::move(lines.file), record.line = lines.first, record.last_line = lines.last;
        the_record = &record;
        record.start = record_clock();
    }
    ~RecordScope() {
        if (!begun_) begin();
        record.end = record_clock();
        end_span();
        record.failed = !done;
        the_record = outer_;
        tell([&](Listener& listener) { listener.take(record); });
    }
    RecordScope(const RecordScope&) = delete;
    RecordScope& operator=(const RecordScope&) = delete;

    /// What a launch computes, and the bytes that it moves.
    template <class T>
    void describe(const T& task) {
        if constexpr (requires { task.expr; }) {
            record.kernel = kernel_name(program_of(task));
            record.expression = to_infix(*task.expr);
            record.shape = task.shape;
            if (const Dims axes = axes_of(task); !axes.empty())
                record.expression = record.name + "(" + record.expression + ", axis=" + to_string(axes) + ")";
        } else {
            record.kernel = task.kernel();
        }
        operands(task, [this](const Operand& operand) {
            if (!*record.dtype) {
                record.dtype = info(operand.view.dtype).name;
                if (record.expression.empty()) record.shape = operand.shape;
            }
            record.bytes += bytes_of(operand);
        });
        if (compiles_) record.build = Record::Build::Known;
    }

    Record record;
    bool done = false;

    /// Called before the operation runs, when everything known in advance is in the record.
    void begin() noexcept {
        begun_ = true;
        tell([&](Listener& listener) { listener.begin(record); });
        record.start = record_clock();
    }

    /// On an asynchronous device, records an event before the operation; the destructor records one after it.
    void begin_span(Backend& backend) {
        begin();
        if (timing_listeners.load(std::memory_order_relaxed) == 0 || hidden > 0 || !compiles_) return;
        try {
            const auto span = std::make_shared<DeviceSpan>();
            span->begin = backend.runtime().make_event(true);
            span->end = backend.runtime().make_event(true);
            span->begin->record(current_stream(record.device));
            record.span = span;
        } catch (const Error&) {
            record.bytes = 0;  // in a capture nothing runs: there is no time, and no bytes are moved
        }
        record.start = record_clock();
    }

 private:
    template <class Say> void tell(Say say) noexcept {
        if (hidden > 0) return;
        const std::shared_lock lock(listeners().mutex);
        for (Listener* listener : listeners().list) say(*listener);
    }

    void end_span() noexcept {
        if (!record.span) return;
        try {
            if (!done) raise(ErrorKind::Runtime, record.name, ": nothing was queued");
            record.span->end->record(current_stream(record.device));
        } catch (const Error&) { record.span.reset(); }
    }

    Record* const outer_;
    const bool compiles_;
    bool begun_ = false;
};

class RecordingDecorator final : public Decorator {
 public:
    using Decorator::Decorator;

    StorageRef allocate(int64_t bytes) override {
        RecordScope recorded(inner_, Record::Kind::Alloc, "allocate");
        recorded.record.bytes = bytes;
        recorded.begin();
        StorageRef storage = inner_.allocate(bytes);
        recorded.done = true;
        return storage;
    }
    Fault run(const Task& any) override {
        return any.visit([&](const auto& task) {
            RecordScope recorded(inner_, Record::Kind::Launch, task.name);
            recorded.describe(task);
            recorded.begin_span(inner_);
            const Fault fault = inner_.run(any);
            recorded.done = true;
            return fault;
        });
    }
    MaskCounts count_mask(const View& mask, int64_t size) override {
        RecordScope recorded(inner_, Record::Kind::Launch, "mask");
        recorded.record.kernel = "count_mask";
        recorded.record.shape = {size};
        recorded.record.dtype = info(mask.dtype).name;
        recorded.record.bytes = size;
        recorded.begin_span(inner_);
        MaskCounts counts = inner_.count_mask(mask, size);
        recorded.done = true;
        return counts;
    }
    void write(Storage& to, int64_t offset, const void* from, int64_t bytes) override {
        record_copy("write", bytes, [&] { inner_.write(to, offset, from, bytes); });
    }
    void read(void* to, Storage& from, int64_t offset, int64_t bytes) override {
        record_copy("read", bytes, [&] { inner_.read(to, from, offset, bytes); });
    }
    void copy(Storage& to, int64_t to_offset, Storage& from, int64_t from_offset, int64_t bytes) override {
        record_copy("copy", bytes, [&] { inner_.copy(to, to_offset, from, from_offset, bytes); });
    }
    void synchronize() override {
        RecordScope recorded(inner_, Record::Kind::Wait, "synchronize");
        recorded.begin();
        inner_.synchronize();
        recorded.done = true;
    }

 private:
    template <class Copy>
    void record_copy(const char* name, int64_t bytes, Copy&& copy) {
        RecordScope recorded(inner_, Record::Kind::Copy, name);
        recorded.record.bytes = 2 * bytes;
        recorded.begin_span(inner_);
        copy();
        recorded.done = true;
    }
};

}  // namespace

DeviceSpan::DeviceSpan() = default;
DeviceSpan::~DeviceSpan() = default;

const char* to_string(Record::Kind kind) {
    static constexpr const char* kNames[] = {"launch", "copy", "wait", "alloc"};
    return kNames[int(kind)];
}

const char* to_string(Record::Build build) {
    static constexpr const char* kNames[] = {"", "memory", "disk", "compiled"};
    return kNames[int(build)];
}

void hide_from_listeners(bool hides) { hidden += hides ? 1 : -1; }

Record* current_record() { return the_record; }

void note_build(Record::Build build, int64_t time) {
    Record* const record = the_record;
    if (!record) return;
    record->built += time;
    record->build = build;
    try {
        if (record->span) record->span->begin->record(current_stream(record->device));
    } catch (const Error&) { record->span.reset(); }
}

int64_t record_clock() {
    return std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::steady_clock::now().time_since_epoch())
        .count();
}

void add_listener(Listener& listener) {
    want_lines(true);
    const std::unique_lock lock(listeners().mutex);
    listeners().list.push_back(&listener);
    ++listening;
    timing_listeners += listener.wants_device_times();
    set_recording(true);
}

void remove_listener(Listener& listener) {
    want_lines(false);
    const std::unique_lock lock(listeners().mutex);
    auto& list = listeners().list;
    list.erase(std::remove(list.begin(), list.end(), &listener), list.end());
    --listening;
    timing_listeners -= listener.wants_device_times();
    set_recording(!list.empty());
}

void record_stream_work(Record::Kind kind, const char* name, Stream& stream, const std::function<void()>& run) {
    if (listening.load(std::memory_order_relaxed) == 0) return run();
    Backend& device = backend(stream.device());
    const InnerStreamScope scope{StreamRef(&stream)};
    RecordScope recorded(device, kind, name);
    if (kind == Record::Kind::Launch)
        recorded.begin_span(device);
    else
        recorded.begin();
    run();
    recorded.done = true;
}

Backend& make_recording(Backend& inner) { return *new RecordingDecorator(inner); }

}  // namespace cuarray
