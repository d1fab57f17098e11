// recorder.cpp -- the decorator that makes a record of every operation, and the list of those who listen.
#include "cuarray/runtime/recorder.h"
#include <algorithm>
#include <atomic>
#include <chrono>
#include <mutex>
#include <shared_mutex>
#include <vector>
#include "cuarray/codegen/source.h"
#include "cuarray/runtime/decorator.h"
#include "cuarray/runtime/hooks.h"
#include "cuarray/runtime/runtime.h"
#include "runtime/decorators.h"

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

std::atomic<int> timing_listeners{0};
thread_local Record* the_record = nullptr;
thread_local int hidden = 0;

uint32_t thread_number() {
    static std::atomic<uint32_t> threads{0};
    thread_local const uint32_t number = ++threads;
    return number;
}

/// Bytes of the view's elements, those that repeat themselves counted once.
int64_t bytes_of(const View& view, const Dims& shape) {
    int64_t elements = 1;
    for (int axis = 0; axis < shape.size(); ++axis)
        if (view.strides[axis] != 0 || shape[axis] == 0) elements *= shape[axis];
    return elements * item_size(view.dtype);
}

/// Fills a record while an operation runs and hands it to the listeners at the end, also where it throws.
class Recorded {
 public:
    Recorded(const Backend& backend, Record::Kind kind, const char* name)
        : outer_(the_record), compiles_(!backend.is_host_accessible()) {
        record.kind = kind;
        record.name = name;
        record.device = backend.device();
        record.stream = current_stream(record.device).handle();
        record.thread = thread_number();
        find_line(&record.file, &record.line);
        the_record = &record;
        record.start = record_clock();
    }
    ~Recorded() {
        if (!begun_) begin();
        record.end = record_clock();
        end_span();
        record.failed = !done;
        the_record = outer_;
        tell([&](Listener& listener) { listener.take(record); });
    }
    Recorded(const Recorded&) = delete;
    Recorded& operator=(const Recorded&) = delete;

    /// What a launch computes.
    void describe(const Program& program, const Dims& shape, const Dims& axes, std::span<const View> inputs,
                  std::span<const View> outputs) {
        record.kernel = kernel_name(program);
        record.expression = to_infix(*program.expr);
        record.shape = shape;
        if (!axes.empty()) {
            const std::string& text = record.expression;
            record.expression = record.name + "(" + text + ", axis=" + to_string(axes) + ")";
        }
        if (compiles_) record.build = Record::Build::Known;
        if (!outputs.empty()) record.dtype = info(outputs[0].dtype).name;
        for (const View& view : inputs) record.bytes += bytes_of(view, shape);
        for (const View& view : outputs) record.bytes += bytes_of(view, shape);
    }

    /// What moves elements that indices or a mask choose.
    void describe(const char* kernel, const Dims& shape, const View& elements, const Dims& elements_shape) {
        record.kernel = kernel;
        record.shape = shape;
        record.dtype = info(elements.dtype).name;
        record.bytes = 2 * bytes_of(elements, elements_shape);
        if (compiles_) record.build = Record::Build::Known;
    }

    Record record;
    bool done = false;

    /// The operation is about to run: all is said about it that is known by now.
    void begin() noexcept {
        begun_ = true;
        tell([&](Listener& listener) { listener.begin(record); });
        record.start = record_clock();
    }

    /// Where the device works on its own, has it note when it begins and ends.
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
            // Inside a capture nothing runs: there is no time to note.
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
        } catch (const Error&) {
            record.span.reset();
        }
    }

    Record* const outer_;
    const bool compiles_;
    bool begun_ = false;
};

class Recording final : public Decorator {
 public:
    using Decorator::Decorator;

    StorageRef allocate(int64_t bytes) override {
        Recorded recorded(inner_, Record::Kind::Alloc, "allocate");
        recorded.record.bytes = bytes;
        recorded.begin();
        StorageRef storage = inner_.allocate(bytes);
        recorded.done = true;
        return storage;
    }
    Fault elementwise(const Elementwise& task) override {
        Recorded recorded(inner_, Record::Kind::Launch, task.name);
        recorded.describe({task.expr}, task.shape, {}, task.inputs, task.outputs);
        recorded.begin_span(inner_);
        const Fault fault = inner_.elementwise(task);
        recorded.done = true;
        return fault;
    }
    void reduce(const Reduce& task) override {
        Recorded recorded(inner_, Record::Kind::Launch, task.name);
        recorded.describe({task.expr, task.row}, task.shape, task.axes, task.inputs, {&task.output, 1});
        recorded.begin_span(inner_);
        inner_.reduce(task);
        recorded.done = true;
    }
    void fold(const Fold& task) override {
        Recorded recorded(inner_, Record::Kind::Launch, task.name);
        recorded.describe({task.expr, kNone, task.loop}, task.shape, task.axes, task.inputs,
                          {&task.output, 1});
        recorded.begin_span(inner_);
        inner_.fold(task);
        recorded.done = true;
    }
    void scan(const Scan& task) override {
        Recorded recorded(inner_, Record::Kind::Launch, task.name);
        recorded.describe({task.expr, kNone, task.loop, true}, task.shape, {task.axis}, task.inputs, {&task.output, 1});
        recorded.begin_span(inner_);
        inner_.scan(task);
        recorded.done = true;
    }
    void fold_segments(const Segments& task) override {
        record_choice("segments", task.name, task.shape, task.values, task.shape, [&] { inner_.fold_segments(task); });
    }
    void matmul(const Matmul& task) override {
        Dims shape = task.batch;
        shape.push_back(task.rows);
        shape.push_back(task.columns);
        record_choice("matmul", task.name, shape, task.result, shape, [&] { inner_.matmul(task); });
    }
    void slide(const Slide& task) override {
        record_choice("slide", task.name, {task.count}, task.result, {task.count}, [&] { inner_.slide(task); });
    }
    void gather(const Indexed& task) override {
        record_choice("gather", task.name, task.shape, task.elements, task.shape,
                      [&] { inner_.gather(task); });
    }
    void scatter(const Indexed& task) override {
        record_choice("scatter", task.name, task.shape, task.elements, task.shape,
                      [&] { inner_.scatter(task); });
    }
    void update(const Update& task) override {
        record_choice("update", task.at.name, task.at.shape, task.at.elements, task.at.shape,
                      [&] { inner_.update(task); });
    }
    Ranks rank(const View& mask, int64_t size) override {
        Ranks ranks;
        record_choice("rank", "mask", {size}, mask, {size}, [&] { ranks = inner_.rank(mask, size); });
        return ranks;
    }
    void compress(const Masked& task) override {
        record_choice("compress", task.name, task.shape, task.line, {task.ranks->count},
                      [&] { inner_.compress(task); });
    }
    void expand(const Masked& task) override {
        record_choice("expand", task.name, task.shape, task.line, {task.ranks->count},
                      [&] { inner_.expand(task); });
    }
    void locate(const Masked& task) override {
        const Dims lines{int64_t(task.shape.size()), task.ranks->count};
        record_choice("locate", task.name, task.shape, task.line, lines, [&] { inner_.locate(task); });
    }
    void sort(const Sort& task) override {
        const Dims shape{task.rows, task.n};
        record_choice("sort", task.name, shape, task.values, shape, [&] { inner_.sort(task); });
    }
    void select(const Select& task) override {
        const Dims shape{task.rows, task.n};
        record_choice("select", task.name, shape, task.values, shape, [&] { inner_.select(task); });
    }
    void search(const Search& task) override {
        record_choice("search", task.name, {task.count}, task.values, {task.count}, [&] { inner_.search(task); });
    }
    void tally(const Tally& task) override {
        record_choice("tally", task.name, {task.n}, task.values, {task.n}, [&] { inner_.tally(task); });
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
        Recorded recorded(inner_, Record::Kind::Wait, "synchronize");
        recorded.begin();
        inner_.synchronize();
        recorded.done = true;
    }

 private:
    template <class Run>
    void record_choice(const char* kernel, const char* name, const Dims& shape, const View& elements,
                       const Dims& elements_shape, Run&& run) {
        Recorded recorded(inner_, Record::Kind::Launch, name);
        recorded.describe(kernel, shape, elements, elements_shape);
        recorded.begin_span(inner_);
        run();
        recorded.done = true;
    }
    template <class Copy>
    void record_copy(const char* name, int64_t bytes, Copy&& copy) {
        Recorded recorded(inner_, Record::Kind::Copy, name);
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
    } catch (const Error&) {
        record->span.reset();
    }
}

int64_t record_clock() {
    return std::chrono::duration_cast<std::chrono::nanoseconds>(
               std::chrono::steady_clock::now().time_since_epoch())
        .count();
}

void add_listener(Listener& listener) {
    want_lines(true);
    const std::unique_lock lock(listeners().mutex);
    listeners().list.push_back(&listener);
    timing_listeners += listener.wants_device_times();
    set_recording(true);
}

void remove_listener(Listener& listener) {
    want_lines(false);
    const std::unique_lock lock(listeners().mutex);
    auto& list = listeners().list;
    list.erase(std::remove(list.begin(), list.end(), &listener), list.end());
    timing_listeners -= listener.wants_device_times();
    set_recording(!list.empty());
}

Backend& make_recording(Backend& inner) { return *new Recording(inner); }

}  // namespace cuarray
