// faults.cpp -- handlers of SIGSEGV and its kin.
#include "faults.h"

#include <signal.h>

#include <cstdlib>

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
    // Returning repeats the instruction, now under the handler that was there before.
    sigaction(signal, &previous_handler[signal], nullptr);
}

}  // namespace

void install_fault_handlers() {
    struct sigaction action{};
    action.sa_sigaction = on_fault;
    // Without SA_NODEFER the signal would stay blocked after a handler that never returns.
    action.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER;
    for (int signal : {SIGSEGV, SIGBUS, SIGFPE, SIGILL})
        sigaction(signal, &action, &previous_handler[signal]);
}

void provide_signal_stack() {
    thread_local bool provided = false;
    if (provided) return;
    provided = true;
    stack_t present{};
    sigaltstack(nullptr, &present);
    constexpr size_t kSize = 64 << 10;
    if (!(present.ss_flags & SS_DISABLE) && present.ss_size >= kSize) return;
    stack_t made{};
    made.ss_sp = std::malloc(kSize);
    made.ss_size = kSize;
    sigaltstack(&made, nullptr);
}

}  // namespace cudasim
