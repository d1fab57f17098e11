// backend.cpp -- the cpu device: hands tasks to the loops, memory to the pool.
#include "cuarray/runtime/backend.h"

#include <pthread.h>

#include <sstream>

#include "cuarray/runtime/registry.h"
#include "host/levels.h"
#include "host/memory.h"
#include "host/system_memory.h"
#include "host/tasks.h"
#include "host/threads.h"

namespace cuarray {
namespace {

class HostBackend final : public Backend {
 public:
    HostBackend() : Backend({Device::Kind::Cpu, 0}) {}

    StorageRef allocate(int64_t bytes) override { return host::memory().allocate(this, bytes); }

    Fault elementwise(const Elementwise& task) override { return host::run_elementwise(loops_, task); }
    void reduce(const Reduce& task) override { host::run_reduce(loops_, task); }
    void fold(const Fold& task) override { host::run_fold(loops_, task); }
    void gather(const Indexed& task) override { host::run_gather(loops_, task); }
    void scatter(const Indexed& task) override { host::run_scatter(loops_, task); }
    Ranks rank(const View& mask, int64_t size) override { return host::rank_mask(loops_, this, mask, size); }
    void compress(const Masked& task) override { host::run_compress(loops_, task); }
    void expand(const Masked& task) override { host::run_expand(loops_, task); }
    void locate(const Masked& task) override { host::run_locate(loops_, task); }

    void write(Storage& to, int64_t offset, const void* from, int64_t bytes) override {
        host::copy_bytes(static_cast<char*>(to.data) + offset, from, bytes);
    }
    void read(void* to, Storage& from, int64_t offset, int64_t bytes) override {
        host::copy_bytes(to, static_cast<const char*>(from.data) + offset, bytes);
    }
    void copy(Storage& to, int64_t to_offset, Storage& from, int64_t from_offset, int64_t bytes) override {
        if (!from.backend->is_host_accessible()) return from.backend->copy(to, to_offset, from, from_offset, bytes);
        if (!to.backend->is_host_accessible()) return to.backend->copy(to, to_offset, from, from_offset, bytes);
        host::copy_bytes(static_cast<char*>(to.data) + to_offset, static_cast<const char*>(from.data) + from_offset,
                         bytes);
    }

    void synchronize() override {}
    bool is_host_accessible() const override { return true; }

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
    const host::LoopLibrary& loops_ = host::loop_library();
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
