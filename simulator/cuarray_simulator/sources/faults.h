// faults.h -- signals that bad memory accesses raise, in kernels and in the program.
#pragma once

namespace cudasim {

/// Makes faults inside kernels end the launch, and host accesses to device memory print an explanation.
void install_fault_handlers();
/// Gives the calling thread a stack for its handlers: a kernel thread's own stack may have overflowed.
void provide_signal_stack();

/// From watch_kernel to unwatch_kernel, a kernel on the calling thread is ended after CUDASIM_SECONDS.
void watch_kernel();
void unwatch_kernel();

}  // namespace cudasim
