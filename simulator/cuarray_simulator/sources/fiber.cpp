// fiber.cpp -- stacks and the switch between them, for x86-64.
#include "fiber.h"

#include <sys/mman.h>

#include <cstdint>
#include <new>

#ifndef __x86_64__
#error "cudasim: fiber.cpp needs a stack switch for this architecture"
#endif

__asm__(R"(
.text
.globl cudasim_switch_stacks
.hidden cudasim_switch_stacks
.type cudasim_switch_stacks, @function
cudasim_switch_stacks:
    pushq %rbp
    pushq %rbx
    pushq %r12
    pushq %r13
    pushq %r14
    pushq %r15
    movq %rsp, (%rdi)
    movq %rsi, %rsp
    popq %r15
    popq %r14
    popq %r13
    popq %r12
    popq %rbx
    popq %rbp
    ret
.size cudasim_switch_stacks, . - cudasim_switch_stacks
)");

namespace cudasim {
namespace {

// A thread may have 512 KB of local memory; pages are taken when they are touched.
constexpr size_t kStack = 640 << 10;
constexpr size_t kGuardPage = 4096;

}  // namespace

Fiber::Fiber(void (*body)()) : body_(body) {
    constexpr int kFlags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK;
    void* memory = mmap(nullptr, kGuardPage + kStack, PROT_READ | PROT_WRITE, kFlags, -1, 0);
    if (memory == MAP_FAILED) throw std::bad_alloc();
    memory_ = static_cast<char*>(memory);
    mprotect(memory_, kGuardPage, PROT_NONE);
    rewind();
}

Fiber::~Fiber() { munmap(memory_, kGuardPage + kStack); }

void Fiber::rewind() {
    constexpr int kSavedRegisters = 6;
    // The body starts as if it had been called: the stack is 8 above a multiple of 16.
    auto* top = reinterpret_cast<void**>(memory_ + kGuardPage + kStack) - 1;
    *top = nullptr;
    *--top = reinterpret_cast<void*>(body_);
    for (int i = 0; i < kSavedRegisters; ++i) *--top = nullptr;
    stack_pointer = top;
}

bool Fiber::overflowed_at(const void* address) const {
    auto at = reinterpret_cast<uintptr_t>(address), low = reinterpret_cast<uintptr_t>(memory_);
    return at - low < kGuardPage;
}

bool Fiber::contains(const void* address) const {
    auto at = reinterpret_cast<uintptr_t>(address), low = reinterpret_cast<uintptr_t>(memory_);
    return at - low < kGuardPage + kStack;
}

}  // namespace cudasim
