// waiting.cpp -- CUARRAY_SYNC=1: a decorator that waits for the device after every operation.
#include "cuarray/runtime/runtime.h"
#include "runtime/decorator.h"
#include "runtime/decorators.h"

namespace cuarray {
namespace {

class WaitingDecorator final : public Decorator {
 public:
    using Decorator::Decorator;

    bool runs_at_call() override { return true; }
    Fault run(const Task& task) override {
        const Fault fault = inner_.run(task);
        wait();
        return fault;
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

Backend& make_waiting(Backend& inner) { return *new WaitingDecorator(inner); }

}  // namespace cuarray
