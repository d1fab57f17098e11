// faults.h -- signals that bad memory accesses raise, in kernels and in the program.
#pragma once

namespace cudasim {

/// Makes faults inside kernels end the launch, and faults of the host on device memory say what they are.
void install_fault_handlers();
/// Gives the calling thread a stack for its handlers: a kernel thread's may be what overflowed.
void provide_signal_stack();

}  // namespace cudasim
