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

/// The function behind the handle of a function or, in the current context, of a library's kernel; or null.
std::shared_ptr<Function> launchable(CUfunction handle);

/// Enters a module into the table of loaded ones.
CUmodule enter(const std::shared_ptr<Module>& module);
/// False if the handle is none of a loaded module.
bool unload(CUmodule handle);
void unload_modules_of(const Context& context);

/// A kernel of a module by name, or null.
const cudasim_kernel* kernel_named(const cudasim_module& info, const std::string& name);
std::shared_ptr<Function> function_named(CUmodule handle, const std::string& name);

/// What the entry points of functions and of kernels give.
CUresult attribute_of(const Function& function, CUfunction_attribute key, int* value);
CUresult set_attribute(Function& function, CUfunction_attribute key, int value);
/// No cache is simulated: any valid preference is accepted.
CUresult set_cache_config(CUfunc_cache config);
CUresult parameter_of(const cudasim_kernel& kernel, size_t index, size_t* offset, size_t* bytes);
CUresult global_of(CUmodule handle, const char* name, CUdeviceptr* address, size_t* bytes);

}  // namespace cudasim
