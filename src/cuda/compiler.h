// compiler.h -- compiles kernels in a thread of its own, while the program goes on without them.
#pragma once
#include <atomic>
#include <exception>
#include <memory>
#include <string>
#include "cuda/cache.h"
#include "cuda/nvrtc.h"

namespace cuarray::cuda {

/// The text of a kernel, and what it is compiled for.
struct BuildOrder {
    std::string text, entry;
    Target target;
    Hash key;  ///< of the disk cache
};

/// A compilation that has been asked for.
struct Compilation {
    BuildOrder order;
    std::atomic<bool> is_done = false;
    std::string binary;        ///< once it is done
    std::exception_ptr error;  ///< or why there is none
};

/// Whether kernels of chains are compiled beside the program (unless CUARRAY_JIT=wait).
bool compiles_beside();
/// Compiles in the background, in the order of the calls, and stores the result in the disk cache. Null where so many
/// wait already that one more would not be done soon, or where no thread can be started: try again later. Nothing is
/// compiled after the host program's exit handler (shutdown() in hooks.h) has run, which waits for the one at work.
std::shared_ptr<Compilation> compile_beside(BuildOrder order);

}  // namespace cuarray::cuda
