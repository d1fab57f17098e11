// decorators.h -- what can stand in front of a backend; only the registry makes them.
#pragma once
#include "cuarray/runtime/backend.h"

namespace cuarray {

/// Waits for the device after every operation, so that an error is raised by the call that caused it.
Backend& make_waiting(Backend& inner);

}  // namespace cuarray
