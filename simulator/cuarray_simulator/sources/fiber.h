// fiber.h -- a stack with a guard page, and the switch between stacks.
#pragma once
#include <cstddef>

namespace cudasim {

/// A separate stack that runs an endless function; it is resumed and left by `switch_stacks`.
class Fiber {
 public:
    explicit Fiber(void (*body)());
    ~Fiber();
    Fiber(const Fiber&) = delete;
    Fiber& operator=(const Fiber&) = delete;
    /// Discards the running function: the next resume restarts the body.
    void rewind();
    /// True when the address lies in the guard page below the stack.
    bool overflowed_at(const void* address) const;
    bool contains(const void* address) const;

    void* stack_pointer = nullptr;

 private:
    void (*body_)();
    char* memory_;
};

}  // namespace cudasim

/// Saves the callee-saved registers and the stack pointer in `*save`, continues at `resume`.
extern "C" void cudasim_switch_stacks(void** save, void* resume);
