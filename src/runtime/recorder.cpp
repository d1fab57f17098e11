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
#include "cuarray/runtime/registry.h"
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

std::atomic<int> listening{0}, timing_listeners{0};
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

/// Memory that an operation reads or writes: a view over a shape, nothing where it has no storage.
struct Part {
    const View& view;
    Dims shape;
    int64_t bytes() const { return view.storage ? bytes_of(view, shape) : 0; }
};

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

    /// What has a kernel of its own, and no expression.
    void describe(const char* kernel, const Dims& shape, DType dtype, std::initializer_list<Part> parts) {
        record.kernel = kernel;
        record.shape = shape;
        record.dtype = info(dtype).name;
        for (const Part& part : parts) record.bytes += part.bytes();
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
            record.bytes = 0;  // inside a capture nothing runs: there is no time to note, and nothing moves
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
        recorded.describe({task.expr, task.row}, task.shape, task.axes, task.inputs, task.outputs);
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
        Dims folded = task.shape;
        folded[task.axis] = task.count;
        record_kernel("segments", task.name, task.shape, task.values.dtype,
                      {{task.values, task.shape}, {task.begins, {task.count}}, {task.ends, {task.count}}, {task.result, folded}},
                      [&] { inner_.fold_segments(task); });
    }
    void matmul(const Matmul& task) override {
        const auto stack = [&](int64_t rows, int64_t columns) {
            Dims shape = task.batch;
            shape.push_back(rows);
            shape.push_back(columns);
            return shape;
        };
        const Dims shape = stack(task.rows, task.columns);
        record_kernel("matmul", task.name, shape, task.result.dtype,
                      {{task.left, stack(task.rows, task.depth)}, {task.right, stack(task.depth, task.columns)},
                       {task.result, shape}},
                      [&] { inner_.matmul(task); });
    }
    void slide(const Slide& task) override {
        record_kernel("slide", task.name, {task.count}, task.result.dtype,
                      {{task.line, {task.n}}, {task.row, {task.taps}}, {task.result, {task.count}}},
                      [&] { inner_.slide(task); });
    }
    void gather(const Indexed& task) override { record_indexed("gather", task, 1, [&] { inner_.gather(task); }); }
    void scatter(const Indexed& task) override { record_indexed("scatter", task, 1, [&] { inner_.scatter(task); }); }
    void update(const Update& task) override { record_indexed("update", task.at, 2, [&] { inner_.update(task); }); }
    Ranks rank(const View& mask, int64_t size) override {
        Ranks ranks;
        record_kernel("rank", "mask", {size}, mask.dtype, {{mask, {size}}}, [&] { ranks = inner_.rank(mask, size); });
        return ranks;
    }
    void compress(const Masked& task) override { record_masked("compress", task, [&] { inner_.compress(task); }); }
    void expand(const Masked& task) override { record_masked("expand", task, [&] { inner_.expand(task); }); }
    void locate(const Masked& task) override {
        record_kernel("locate", task.name, task.shape, task.line.dtype,
                      {{task.mask, task.shape}, {task.line, {int64_t(task.shape.size()), task.ranks->count}}},
                      [&] { inner_.locate(task); });
    }
    void sort(const Sort& task) override {
        const Dims shape{task.rows, task.n};
        record_kernel("sort", task.name, shape, task.values.dtype, {{task.values, shape}, {task.result, shape}},
                      [&] { inner_.sort(task); });
    }
    void select(const Select& task) override {
        const Dims shape{task.rows, task.n};
        record_kernel("select", task.name, shape, task.values.dtype,
                      {{task.values, shape}, {task.result, {task.rows, int64_t(task.ranks.size())}}},
                      [&] { inner_.select(task); });
    }
    void search(const Search& task) override {
        record_kernel("search", task.name, {task.count}, task.values.dtype,
                      {{task.sorted, {task.n}}, {task.values, {task.count}}, {task.places, {task.count}}},
                      [&] { inner_.search(task); });
    }
    void tally(const Tally& task) override {
        record_kernel("tally", task.name, {task.n}, task.values.dtype,
                      {{task.values, {task.n}}, {task.edges, {task.bins + 1}}, {task.weights, {task.n}}, {task.result, {task.bins}}},
                      [&] { inner_.tally(task); });
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
    void record_kernel(const char* kernel, const char* name, const Dims& shape, DType dtype, std::initializer_list<Part> parts,
                       Run&& run) {
        Recorded recorded(inner_, Record::Kind::Launch, name);
        recorded.describe(kernel, shape, dtype, parts);
        recorded.begin_span(inner_);
        run();
        recorded.done = true;
    }
    /// Each chosen element of the array is visited once, or read and written.
    template <class Run>
    void record_indexed(const char* kernel, const Indexed& task, int visits, Run&& run) {
        Recorded recorded(inner_, Record::Kind::Launch, task.name);
        recorded.describe(kernel, task.shape, task.elements.dtype, {{task.elements, task.shape}});
        recorded.record.bytes += visits * count(task.shape) * item_size(task.array.dtype);
        for (const IndexedAxis& axis : task.indices) recorded.record.bytes += bytes_of(axis.index, task.shape);
        recorded.begin_span(inner_);
        run();
        recorded.done = true;
    }
    template <class Run>
    void record_masked(const char* kernel, const Masked& task, Run&& run) {
        const Dims line{task.ranks->count};
        // As many elements of the array as of the line.
        record_kernel(kernel, task.name, task.shape, task.line.dtype, {{task.mask, task.shape}, {task.line, line}, {task.line, line}},
                      std::forward<Run>(run));
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
    const StreamScope scope{StreamRef(&stream)};
    Recorded recorded(device, kind, name);
    if (kind == Record::Kind::Launch) recorded.begin_span(device);
    else recorded.begin();
    run();
    recorded.done = true;
}

Backend& make_recording(Backend& inner) { return *new Recording(inner); }

}  // namespace cuarray
