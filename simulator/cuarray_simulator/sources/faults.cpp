// faults.cpp -- handlers of SIGSEGV and similar signals.
#include "faults.h"

#include <signal.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <memory>
#include <thread>

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

using Time = std::chrono::steady_clock;

/// The signal that ends a late kernel; few programs use it.
constexpr int kLate = SIGXCPU;
/// The thread that runs a kernel, 0 if none does, and since when.
std::atomic<pid_t> kernel_thread = 0;
std::atomic<Time::duration> kernel_begin{};

const void* instruction_of(const void* context) {
    const mcontext_t& state = static_cast<const ucontext_t*>(context)->uc_mcontext;
#if defined(__x86_64__)
    return reinterpret_cast<const void*>(state.gregs[REG_RIP]);
#else
    return reinterpret_cast<const void*>(state.pc);
#endif
}

/// Sends the signal again and again, until it meets the kernel's own code.
[[noreturn]] void watch() {
    for (;;) {
        std::this_thread::sleep_for(std::chrono::milliseconds(50));
        const pid_t thread = kernel_thread;
        const std::chrono::duration<double> taken = Time::now().time_since_epoch() - kernel_begin.load();
        if (thread && taken.count() > settings().seconds) syscall(SYS_tgkill, getpid(), thread, kLate);
    }
}

}  // namespace

void watch_kernel() {
    if (settings().seconds <= 0) return;
    static const bool started = [] {
        struct sigaction action{};
        action.sa_sigaction = [](int, siginfo_t*, void* context) { end_late_kernel(instruction_of(context)); };
        action.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER | SA_RESTART;
        sigaction(kLate, &action, nullptr);
        std::thread(watch).detach();
        return true;
    }();
    (void)started;
    kernel_begin = Time::now().time_since_epoch();
    kernel_thread = gettid();
}

void unwatch_kernel() {
    if (settings().seconds > 0) kernel_thread = 0;
}

void install_fault_handlers() {
    struct sigaction action{};
    action.sa_sigaction = on_fault;
    // Without SA_NODEFER the signal would stay blocked after a handler that never returns.
    action.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER;
    for (int signal : {SIGSEGV, SIGBUS, SIGFPE, SIGILL}) sigaction(signal, &action, &previous_handler[signal]);
}

void provide_signal_stack() { [[maybe_unused]] thread_local const SignalStack stack; }

}  // namespace cudasim
