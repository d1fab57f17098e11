// decorator.h -- a backend that wraps a backend and forwards every call; subclasses override the calls they observe.
#pragma once
#include "cuarray/runtime/backend.h"

namespace cuarray {

/// Forwards every call. Storages belong to the wrapped backend: a decorator receives work, but owns no memory. The
/// registry chooses the decorators of a device; they live as long as the process.
class CUARRAY_API Decorator : public Backend {
 public:
    explicit Decorator(Backend& inner) : Backend(inner.device()), inner_(inner) {}

    StorageRef allocate(int64_t bytes) override { return inner_.allocate(bytes); }
    Fault run(const Task& task) override { return inner_.run(task); }
    TaskExplanation explain(const Elementwise& task, bool with_code) override {
        return inner_.explain(task, with_code);
    }
    bool is_prepared(const Elementwise& task) override { return inner_.is_prepared(task); }
    bool runs_at_call() override { return inner_.runs_at_call(); }
    bool multiplies_by_library(DType dtype) override { return inner_.multiplies_by_library(dtype); }
    PlanCache* plan_cache() override { return inner_.plan_cache(); }
    bool sums_by_library() const override { return inner_.sums_by_library(); }
    bool has_lapack_drivers() const override { return inner_.has_lapack_drivers(); }
    MaskCounts count_mask(const View& mask, int64_t size) override { return inner_.count_mask(mask, size); }
    void write(Storage& to, int64_t offset, const void* from, int64_t bytes) override {
        inner_.write(to, offset, from, bytes);
    }
    void read(void* to, Storage& from, int64_t offset, int64_t bytes) override { inner_.read(to, from, offset, bytes); }
    void copy(Storage& to, int64_t to_offset, Storage& from, int64_t from_offset, int64_t bytes) override {
        inner_.copy(to, to_offset, from, from_offset, bytes);
    }
    void synchronize() override { inner_.synchronize(); }
    bool is_host_accessible() const override { return inner_.is_host_accessible(); }
    Runtime& runtime() override { return inner_.runtime(); }
    Memory& memory() override { return inner_.memory(); }
    std::string describe() const override { return inner_.describe(); }

 protected:
    Backend& inner_;
};

}  // namespace cuarray
