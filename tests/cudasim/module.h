// module.h -- loaded modules, and functions as launches see them.
#pragma once
#include <memory>
#include <string>

#include "driver.h"
#include "module_abi.h"
#include "resources.h"

namespace cudasim {

/// A loaded image. Queued launches keep it alive after cuModuleUnload; graphs must not use it any more.
struct Module {
    Context* context = nullptr;
    bool unloaded = false;
    void* library = nullptr;
    int file = -1;
    const cudasim_module* info = nullptr;
    std::string source;
    /// ptxas' output for its kernels.
    std::string resources;

    ~Module();
};

/// A kernel of a module with the attributes that can be set on it.
struct Function {
    std::shared_ptr<Module> module;
    const cudasim_kernel* kernel = nullptr;
    Resources resources;
    unsigned dynamic_shared_limit = 0;

    /// Registers of a block; the hardware allocates them per warp, in units of 256.
    unsigned registers(unsigned threads) const {
        return (threads + 31) / 32 * ((resources.registers * 32 + 255) / 256 * 256);
    }
    unsigned most_threads() const;
};

/// The function behind a handle, or null.
std::shared_ptr<Function> function_of(CUfunction handle);

}  // namespace cudasim
