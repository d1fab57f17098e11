// levels.h -- which loop library this processor gets, and opening it.
#pragma once
#include "host/library.h"

namespace cuarray::host {

/// The loops of the highest instruction set that the processor has, or of the lower one that CUARRAY_CPU_LEVEL names
/// (base, v3, v4). Opened at the first call; Error where the file is missing, of another build, or asks too much.
const LoopLibrary& loop_library();

}  // namespace cuarray::host
