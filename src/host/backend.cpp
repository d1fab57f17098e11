// backend.cpp -- the cpu device: dispatches tasks to the loops, allocations to the pool.
#include "cuarray/runtime/backend.h"

#include <pthread.h>

#include <sstream>
#include <type_traits>

#include "cuarray/runtime/registry.h"
#include "host/blas.h"
#include "host/emit/chain.h"
#include "host/levels.h"
#include "host/memory.h"
#include "host/runtime.h"
#include "host/system_memory.h"
#include "host/tasks.h"
#include "host/threads.h"
#include "runtime/owned_task.h"

namespace cuarray {
namespace {

class HostLoops final : public DirectLoops {
 public:
    explicit HostLoops(const host::LoopLibrary& loops) : loops_(loops) {}

    char* address(const Storage& storage) override {
        return storage.uses.is_empty() ? static_cast<char*>(storage.data) : nullptr;
    }
    void run(LoopId loop, const void* const* in, void* const* out, int64_t n) override {
        const host::DefaultFloatMode mode;
        loops_.loops[loop](in, out, n);
    }
    void cast(DType from, DType to, const void* in, void* out, int64_t n) override {
        const host::DefaultFloatMode mode;
        loops_.casts[int(from) * loops_.dtype_count + int(to)](&in, &out, n);
    }
    void reduce(ReductionId row, DType dtype, const void* in, int64_t n, void* out, int64_t folds,
                int64_t apart) override {
        host::fold_contiguous(loops_, row, dtype, in, n, out, folds, apart);
    }
    bool multiply(const MatrixProduct& product) override { return host::multiply(loops_, product); }
    void pack_bits(const void* from, void* to, int64_t n, bool highest_first) override {
        loops_.pack_bits(static_cast<const uint8_t*>(from), static_cast<uint8_t*>(to), n, highest_first);
    }
    void unpack_bits(const void* from, void* to, int64_t n, bool highest_first) override {
        loops_.unpack_bits(static_cast<const uint8_t*>(from), static_cast<uint8_t*>(to), n, highest_first);
    }
    void draw(const RandomFill& task, void* result) override {
        kernel::RandomParameters p = task.numbers;
        p.result = result;
        loops_.draws[int(task.draw)](&p, 0, task.blocks());
    }
    void draw(const SequenceFill& task, void* result) override {
        kernel::SequenceParameters p = task.parameters;
        p.numbers.result = result;
        loops_.sequences[int(task.draw)].fill(&p, 0, task.words());
    }
    int64_t follow(SequenceDraw draw, const kernel::SequenceParameters& parameters, int64_t& unit, int64_t end,
                   void* to, int64_t most) override {
        return loops_.sequences[int(draw)].follow(&parameters, unit, end, to, most);
    }

 private:
    const host::LoopLibrary& loops_;
};

class HostBackend final : public Backend {
 public:
    HostBackend() : Backend({Device::Kind::Cpu, 0}) {}

    StorageRef allocate(int64_t bytes) override { return host::memory().allocate(this, bytes); }
    StorageRef allocate_zeros(int64_t bytes) override {
        return host::capture() ? StorageRef() : host::memory().allocate_zeros(this, bytes);
    }

    Fault run(const Task& any) override {
        return any.visit([this](const auto& task) {
            if (host::HostGraph* const graph = host::capture()) {
                add(*graph, task);
                return Fault::None;
            }
            make_ready(task);
            if constexpr (std::is_same_v<decltype(task), const Elementwise&>) return host::run(loops_, task);
            host::run(loops_, task);
            return Fault::None;
        });
    }
    TaskExplanation explain(const Elementwise& task, bool with_code) override {
        return host::explain(loops_, task, with_code);
    }
    StorageRef single_loop(const SingleLoop& task) override {
        if (host::capture() || !is_ready(task)) return Backend::single_loop(task);
        StorageRef made;
        SingleLoop::Location out = task.out;
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
    DirectLoops* direct() override { return host::capture() ? nullptr : &direct_; }
    bool multiplies_by_library(DType dtype) override { return host::Blas::has(dtype) && host::Blas::find(); }
    bool sums_by_library() const override { return true; }
    bool has_lapack_drivers() const override { return true; }
    MaskCounts count_mask(const View& mask, int64_t size) override {
        host::refuse_in_capture("counting the true elements of a mask");
        wait_on_host(*mask.storage, false);
        return host::count_mask(loops_, *this, mask, size);
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
    bool runs_at_call() override { return runtime_.is_capturing(); }
    bool is_host_accessible() const override { return true; }

    Runtime& runtime() override { return runtime_; }
    Memory& memory() override { return host::memory(); }

    std::string describe() const override {
        std::ostringstream text;
        text << "{\"name\": \"cpu\", \"level\": \"" << loops_.level << "\", \"processor_level\": \""
             << host::processor_level_name() << "\", \"threads\": " << host::thread_count()
             << ", \"vector_functions\": " << loops_.vector_functions
             << ", \"libmvec\": " << (loops_.vector_functions ? "true" : "false") << ", \"blas\": \""
             << (host::Blas::find() ? host::Blas::find()->file() : "") << "\""
             << ", \"machine_code\": \"" << host::emit::state() << "\", \"chains\": " << host::emit::code_count()
             << ", \"huge_pages\": " << (host::has_huge_pages() ? "true" : "false")
             << ", \"available_memory\": " << host::available_memory() << "}";
        return text.str();
    }

 private:
    /// Pinned memory may still be in use by a GPU.
    template <class T>
    static void make_ready(const T& task) {
        operands(task, [](const Operand& operand) { wait_on_host(*operand.view.storage, operand.is_written()); });
    }

    /// Whether no GPU has used the task's memory.
    static bool is_ready(const SingleLoop& task) {
        for (const SingleLoop::Location& in : task.in)
            if (in.storage && !in.storage->uses.is_empty()) return false;
        return !task.out.storage || task.out.storage->uses.is_empty();
    }

    template <class T>
    void add(host::HostGraph& graph, const T& task) {
        graph.add([this, owned = std::make_shared<OwnedTask<T>>(task)] {
            if (run(owned->task) == Fault::Raised) raise(ErrorKind::Value, owned->task.name, ": ", kNegativePower);
        });
    }
    void add(host::HostGraph&, const Compaction&) { host::raise_in_capture("indexing by a mask"); }
    void add(host::HostGraph&, const LapackDriver& task) { host::raise_in_capture(task.name); }

    const host::LoopLibrary& loops_ = host::loop_library();
    HostLoops direct_{loops_};
    host::HostRuntime runtime_{*this};
};

/// After a fork, in the parent and in the child.
void resume() {
    host::emit::unlock_code_cache();
    host::unlock_memory();
    host::allow_threads();
}

/// Never destroyed: arrays may outlive static destructors.
Backend& open_host(int) {
    static Backend* const backend = [] {
        pthread_atfork([] { host::stop_threads(), host::lock_memory(), host::emit::lock_code_cache(); }, resume,
                       resume);
        return new HostBackend;
    }();
    return *backend;
}

}  // namespace

BackendFactory host_factory() {
    return {[](std::string*) { return 1; }, open_host};
}

}  // namespace cuarray
