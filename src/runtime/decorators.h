// decorators.h -- what can stand in front of a backend, and who puts it there: the registry alone.
#pragma once
#include "cuarray/runtime/backend.h"

namespace cuarray {

/// Waits for the device after every operation, so that an error is raised by the call that caused it.
Backend& make_waiting(Backend& inner);

/// Repeats every computation and copy on the host; RuntimeError with the first element that differs.
Backend& make_validating(Backend& inner);

/// Makes a record of every operation for the listeners of runtime/recorder.h.
Backend& make_recording(Backend& inner);

/// Puts the recorders in front of all devices, or takes them away again (registry.cpp).
void set_recording(bool records);

/// Begins to write what CUARRAY_LOG asks for, where it is set; once. Called without any lock of ours.
void start_log();

/// Begins to tell a tool that listens to NVTX, where one has started the process; once. Called without any lock of ours.
void start_nvtx();

}  // namespace cuarray
