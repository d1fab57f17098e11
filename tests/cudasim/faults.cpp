// faults.cpp -- handlers of SIGSEGV and similar signals.
#include "faults.h"

#include <signal.h>

#include <memory>

#include "memory.h"
#include "simt.h"

namespace cudasim {
namespace {

struct sigaction previous_handler[NSIG];

void on_fault(int signal, siginfo_t* info, void*) {
    end_kernel(signal, info->si_addr);
    auto at = reinterpret_cast<CUdeviceptr>(info->si_addr);
    if (signal == SIGSEGV && is_device_address(at))
        say(format("the host touched device memory at 0x%llx: %s", at, describe(at).c_str()));
    // Returning repeats the instruction, now with the previous handler.
    sigaction(signal, &previous_handler[signal], nullptr);
}

/// An alternate signal stack, if the thread has none. The previous one is restored when the thread ends:
/// AddressSanitizer unmaps the current one then.
class SignalStack {
 public:
    SignalStack() {
        constexpr size_t kSize = 64 << 10;
        sigaltstack(nullptr, &before_);
        if (!(before_.ss_flags & SS_DISABLE) && before_.ss_size >= kSize) return;
        memory_.reset(new char[kSize]);
        stack_t made{};
        made.ss_sp = memory_.get();
        made.ss_size = kSize;
        sigaltstack(&made, nullptr);
    }
    ~SignalStack() {
        if (memory_) sigaltstack(&before_, nullptr);
    }
    SignalStack(const SignalStack&) = delete;
    SignalStack& operator=(const SignalStack&) = delete;

 private:
    stack_t before_{};
    std::unique_ptr<char[]> memory_;
};

}  // namespace

void install_fault_handlers() {
    struct sigaction action{};
    action.sa_sigaction = on_fault;
    // Without SA_NODEFER the signal would stay blocked after a handler that never returns.
    action.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER;
    for (int signal : {SIGSEGV, SIGBUS, SIGFPE, SIGILL}) sigaction(signal, &action, &previous_handler[signal]);
}

void provide_signal_stack() { [[maybe_unused]] thread_local const SignalStack stack; }

}  // namespace cudasim
