// backend.cpp -- the cpu device: hands tasks to the loops, memory to the pool.
#include "cuarray/runtime/backend.h"

#include <pthread.h>

#include <sstream>

#include "cuarray/runtime/registry.h"
#include "host/levels.h"
#include "host/memory.h"
#include "host/runtime.h"
#include "host/system_memory.h"
#include "host/tasks.h"
#include "host/threads.h"

namespace cuarray {
namespace {

class HostBackend final : public Backend {
 public:
    HostBackend() : Backend({Device::Kind::Cpu, 0}) {}

    StorageRef allocate(int64_t bytes) override { return host::memory().allocate(this, bytes); }

    Fault elementwise(const Elementwise& task) override {
        if (is_captured(task, [this](const Elementwise& again) { run_again(again); })) return Fault::None;
        make_ready(task.outputs, task.inputs);
        return host::run_elementwise(loops_, task);
    }
    StorageRef single_loop(const SingleLoop& task) override {
        if (host::capture() || !is_ready(task)) return Backend::single_loop(task);
        StorageRef made;
        SingleLoop::Operand out = task.out;
        if (!out.storage) {
            made = allocate(task.bytes);
            out.storage = made.get();
        }
        if (task.bytes > 0 && !host::run_single_loop(loops_, task, out)) {
            SingleLoop planned = task;
            planned.out = out;
            Backend::single_loop(planned);
        }
        return made;
    }
    void reduce(const Reduce& task) override {
        if (is_captured(task, [this](const Reduce& again) { reduce(again); })) return;
        make_ready(task.outputs, task.inputs);
        host::run_reduce(loops_, task);
    }
    void fold(const Fold& task) override {
        if (is_captured(task, [this](const Fold& again) { fold(again); })) return;
        make_ready({&task.output, 1}, task.inputs);
        host::run_fold(loops_, task);
    }
    void scan(const Scan& task) override {
        if (is_captured(task, [this](const Scan& again) { scan(again); })) return;
        make_ready({&task.output, 1}, task.inputs);
        host::run_scan(loops_, task);
    }
    void fold_segments(const Segments& task) override {
        if (is_captured(task, [this](const Segments& again) { fold_segments(again); })) return;
        const View read[] = {task.values, task.begins, task.ends};
        make_ready({&task.result, 1}, read);
        host::run_segments(loops_, task);
    }
    void matmul(const Matmul& task) override {
        if (is_captured(task, [this](const Matmul& again) { matmul(again); })) return;
        const View factors[] = {task.left, task.right};
        make_ready({&task.result, 1}, factors);
        host::run_matmul(loops_, task);
    }
    void slide(const Slide& task) override {
        if (is_captured(task, [this](const Slide& again) { slide(again); })) return;
        const View read[] = {task.line, task.row};
        make_ready({&task.result, 1}, read);
        host::run_slide(loops_, task);
    }
    void gather(const Indexed& task) override {
        if (is_captured(task, [this](const Indexed& again) { gather(again); })) return;
        make_ready(task, task.elements, task.array);
        host::run_gather(loops_, task);
    }
    void scatter(const Indexed& task) override {
        if (is_captured(task, [this](const Indexed& again) { scatter(again); })) return;
        make_ready(task, task.array, task.elements);
        host::run_scatter(loops_, task);
    }
    void update(const Update& task) override {
        if (is_captured(task, [this](const Update& again) { update(again); })) return;
        make_ready(task.at, task.at.array, task.at.elements);
        host::run_update(loops_, task);
    }
    Ranks rank(const View& mask, int64_t size) override {
        host::refuse_in_capture("counting the true elements of a mask");
        wait_on_host(*mask.storage, false);
        return host::rank_mask(loops_, this, mask, size);
    }
    void compress(const Masked& task) override {
        make_ready(task, task.line, task.array);
        host::run_compress(loops_, task);
    }
    void expand(const Masked& task) override {
        make_ready(task, task.array, task.line);
        host::run_expand(loops_, task);
    }
    void locate(const Masked& task) override {
        make_ready(task, task.line, task.mask);
        host::run_locate(loops_, task);
    }

    void sort(const Sort& task) override {
        if (is_captured(task, [this](const Sort& again) { sort(again); })) return;
        make_ready({&task.result, 1}, {&task.values, 1});
        host::run_sort(loops_, this, task);
    }
    void select(const Select& task) override {
        if (is_captured(task, [this](const Select& again) { select(again); })) return;
        make_ready({&task.result, 1}, {&task.values, 1});
        host::run_select(loops_, this, task);
    }
    void search(const Search& task) override {
        if (is_captured(task, [this](const Search& again) { search(again); })) return;
        const View read[] = {task.sorted, task.values};
        make_ready({&task.places, 1}, read);
        host::run_search(task);
    }
    void tally(const Tally& task) override {
        if (is_captured(task, [this](const Tally& again) { tally(again); })) return;
        make_ready({&task.result, 1}, {&task.values, 1});
        for (const View* view : {&task.edges, &task.weights})
            if (view->storage) wait_on_host(*view->storage, false);
        host::run_tally(loops_, task);
    }

    void write(Storage& to, int64_t offset, const void* from, int64_t bytes) override {
        host::refuse_in_capture("a copy from the host");
        wait_on_host(to, true);
        host::copy_bytes(static_cast<char*>(to.data) + offset, from, bytes);
    }
    void read(void* to, Storage& from, int64_t offset, int64_t bytes) override {
        host::refuse_in_capture("a copy to the host");
        wait_on_host(from, false);
        host::copy_bytes(to, static_cast<const char*>(from.data) + offset, bytes);
    }
    void copy(Storage& to, int64_t to_offset, Storage& from, int64_t from_offset, int64_t bytes) override {
        if (host::HostGraph* const graph = host::capture())
            return graph->add([this, to = StorageRef(&to), to_offset, from = StorageRef(&from), from_offset, bytes] {
                copy(*to, to_offset, *from, from_offset, bytes);
            });
        for (Backend* const side : {from.backend, to.backend})
            if (side != this && !side->is_host_accessible()) return side->copy(to, to_offset, from, from_offset, bytes);
        wait_on_host(from, false);
        wait_on_host(to, true);
        host::copy_bytes(static_cast<char*>(to.data) + to_offset, static_cast<const char*>(from.data) + from_offset,
                         bytes);
    }

    void synchronize() override { host::refuse_in_capture("synchronize"); }
    bool is_host_accessible() const override { return true; }

    Runtime& runtime() override { return runtime_; }
    Memory& memory() override { return host::memory(); }

    std::string describe() const override {
        std::ostringstream text;
        text << "{\"name\": \"cpu\", \"level\": \"" << loops_.level << "\", \"threads\": " << host::thread_count()
             << ", \"vector_functions\": " << loops_.vector_functions
             << ", \"libmvec\": " << (loops_.vector_functions ? "true" : "false")
             << ", \"huge_pages\": " << (host::has_huge_pages() ? "true" : "false")
             << ", \"available_memory\": " << host::available_memory() << "}";
        return text.str();
    }

 private:
    /// Pinned memory may still be in use by a GPU.
    static void make_ready(std::span<const View> outputs, std::span<const View> inputs) {
        for (const View& view : inputs) wait_on_host(*view.storage, false);
        for (const View& view : outputs) wait_on_host(*view.storage, true);
    }

    /// Whether no GPU was ever asked to work on the task's memory.
    static bool is_ready(const SingleLoop& task) {
        for (const SingleLoop::Operand& in : task.in)
            if (in.storage && !in.storage->uses.is_empty()) return false;
        return !task.out.storage || task.out.storage->uses.is_empty();
    }

    static void make_ready(const Indexed& task, const View& written, const View& read) {
        make_ready({&written, 1}, {&read, 1});
        for (const IndexedAxis& axis : task.indices) wait_on_host(*axis.index.storage, false);
    }
    static void make_ready(const Masked& task, const View& written, const View& read) {
        host::refuse_in_capture("indexing by a mask");
        make_ready({&written, 1}, {&read, 1});
        wait_on_host(*task.mask.storage, false);
    }

    /// Whether this thread records a graph, which the task then is part of.
    template <class Task, class Run>
    bool is_captured(const Task& task, Run run) {
        host::HostGraph* const graph = host::capture();
        if (graph) graph->add(host::replay(task, std::function<void(const Task&)>(run)));
        return graph != nullptr;
    }
    void run_again(const Elementwise& task) {
        if (elementwise(task) == Fault::Raised)
            raise(ErrorKind::Value, task.name, ": ", kNegativePower);
    }

    const host::LoopLibrary& loops_ = host::loop_library();
    host::HostRuntime runtime_{*this};
};

/// Never destroyed: arrays may outlive static destructors.
Backend& open_host(int) {
    static Backend* const backend = [] {
        pthread_atfork([] { host::stop_threads(), host::lock_memory(); },
                       [] { host::unlock_memory(), host::allow_threads(); },
                       [] { host::unlock_memory(), host::allow_threads(); });
        return new HostBackend;
    }();
    return *backend;
}

}  // namespace

BackendFactory host_factory() {
    return {[](std::string*) { return 1; }, open_host};
}

}  // namespace cuarray
