// waiting.cpp -- CUARRAY_SYNC=1: a decorator that waits for the device after every operation.
#include "cuarray/runtime/decorator.h"
#include "cuarray/runtime/runtime.h"
#include "runtime/decorators.h"

namespace cuarray {
namespace {

class Waiting final : public Decorator {
 public:
    using Decorator::Decorator;

    Fault elementwise(const Elementwise& task) override {
        const Fault fault = inner_.elementwise(task);
        wait();
        return fault;
    }
    void reduce(const Reduce& task) override {
        inner_.reduce(task);
        wait();
    }
    void fold(const Fold& task) override {
        inner_.fold(task);
        wait();
    }
    void scan(const Scan& task) override {
        inner_.scan(task);
        wait();
    }
    void fold_segments(const Segments& task) override {
        inner_.fold_segments(task);
        wait();
    }
    void matmul(const Matmul& task) override {
        inner_.matmul(task);
        wait();
    }
    void slide(const Slide& task) override {
        inner_.slide(task);
        wait();
    }
    void gather(const Indexed& task) override {
        inner_.gather(task);
        wait();
    }
    void scatter(const Indexed& task) override {
        inner_.scatter(task);
        wait();
    }
    void update(const Update& task) override {
        inner_.update(task);
        wait();
    }
    void compress(const Masked& task) override {
        inner_.compress(task);
        wait();
    }
    void expand(const Masked& task) override {
        inner_.expand(task);
        wait();
    }
    void locate(const Masked& task) override {
        inner_.locate(task);
        wait();
    }
    void sort(const Sort& task) override {
        inner_.sort(task);
        wait();
    }
    void select(const Select& task) override {
        inner_.select(task);
        wait();
    }
    void search(const Search& task) override {
        inner_.search(task);
        wait();
    }
    void tally(const Tally& task) override {
        inner_.tally(task);
        wait();
    }
    void write(Storage& to, int64_t offset, const void* from, int64_t bytes) override {
        inner_.write(to, offset, from, bytes);
        wait();
    }
    void copy(Storage& to, int64_t to_offset, Storage& from, int64_t from_offset, int64_t bytes) override {
        inner_.copy(to, to_offset, from, from_offset, bytes);
        wait();
    }

 private:
    void wait() {
        if (!inner_.runtime().is_capturing()) inner_.synchronize();
    }
};

}  // namespace

Backend& make_waiting(Backend& inner) { return *new Waiting(inner); }

}  // namespace cuarray
