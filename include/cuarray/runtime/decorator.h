// decorator.h -- a backend around a backend: passes everything on, so that what wraps it overrides only what it watches.
#pragma once
#include "cuarray/runtime/backend.h"

namespace cuarray {

/// Forwards every call. Storages belong to the backend inside: a decorator is asked for work, it owns no memory. The
/// registry decides which decorators stand in front of a device; they live as long as the process.
class CUARRAY_API Decorator : public Backend {
 public:
    explicit Decorator(Backend& inner) : Backend(inner.device()), inner_(inner) {}

    StorageRef allocate(int64_t bytes) override { return inner_.allocate(bytes); }
    Fault elementwise(const Elementwise& task) override { return inner_.elementwise(task); }
    void reduce(const Reduce& task) override { inner_.reduce(task); }
    void fold(const Fold& task) override { inner_.fold(task); }
    void scan(const Scan& task) override { inner_.scan(task); }
    void fold_segments(const Segments& task) override { inner_.fold_segments(task); }
    void matmul(const Matmul& task) override { inner_.matmul(task); }
    void slide(const Slide& task) override { inner_.slide(task); }
    void gather(const Indexed& task) override { inner_.gather(task); }
    void scatter(const Indexed& task) override { inner_.scatter(task); }
    void update(const Update& task) override { inner_.update(task); }
    Ranks rank(const View& mask, int64_t size) override { return inner_.rank(mask, size); }
    void compress(const Masked& task) override { inner_.compress(task); }
    void expand(const Masked& task) override { inner_.expand(task); }
    void locate(const Masked& task) override { inner_.locate(task); }
    void sort(const Sort& task) override { inner_.sort(task); }
    void select(const Select& task) override { inner_.select(task); }
    void search(const Search& task) override { inner_.search(task); }
    void tally(const Tally& task) override { inner_.tally(task); }
    void write(Storage& to, int64_t offset, const void* from, int64_t bytes) override {
        inner_.write(to, offset, from, bytes);
    }
    void read(void* to, Storage& from, int64_t offset, int64_t bytes) override {
        inner_.read(to, from, offset, bytes);
    }
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
