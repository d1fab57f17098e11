// decorators.h -- the decorators of backends, which only the registry installs.
#pragma once
#include "cuarray/runtime/backend.h"

namespace cuarray {

/// Waits for the device after every operation, so that an error is raised by the call that caused it.
Backend& make_waiting(Backend& inner);

/// Repeats every computation and copy on the host; RuntimeError with the first element that differs.
Backend& make_validating(Backend& inner);

/// Records every operation for the listeners of runtime/recorder.h.
Backend& make_recording(Backend& inner);

/// Reports floating-point errors (runtime/hooks.h) to a program that asks for them.
Backend& make_signalling(Backend& inner);

/// Installs the recorders of all devices, or removes them (registry.cpp).
void set_recording(bool records);

/// The loops of cpu, behind its decorators (registry.cpp): for what is a part of another device's task. Null while a
/// graph of cpu is captured.
DirectLoops* loops_of_host();

/// Starts the log if CUARRAY_LOG is set; once. Called without any lock of ours.
void start_log();

/// Starts the NVTX ranges if an NVTX tool has started the process; once. Called without any lock of ours.
void start_nvtx();

}  // namespace cuarray
