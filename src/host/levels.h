// levels.h -- selects and loads the loop library for this processor.
#pragma once
#include "host/library.h"

namespace cuarray::host {

/// The loops of the processor's highest instruction-set level that was built, or of the one in CUARRAY_CPU_LEVEL (base,
/// v3, v4). Loaded at the first call; Error if the file is missing or of another build, or the processor lacks the
/// level.
const LoopLibrary& loop_library();

/// The processor's highest level, built or not.
const char* processor_level_name();

}  // namespace cuarray::host
