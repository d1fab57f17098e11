// module.cpp -- loaded modules, their functions and their global variables.
#include "module.h"

#include <dlfcn.h>
#include <elf.h>
#include <unistd.h>

#include <cstring>
#include <map>
#include <unordered_map>

#include "capture.h"
#include "host_memory.h"
#include "image.h"
#include "memory.h"
#include "simt.h"

namespace cudasim {
namespace {

std::unordered_map<CUmodule, std::shared_ptr<Module>>& modules() {
    static auto* table = new std::unordered_map<CUmodule, std::shared_ptr<Module>>;
    return *table;
}

std::map<std::pair<CUmodule, std::string>, std::shared_ptr<Function>>& functions() {
    static auto* table = new std::map<std::pair<CUmodule, std::string>, std::shared_ptr<Function>>;
    return *table;
}

std::shared_ptr<Module> module_of(CUmodule handle) {
    auto found = modules().find(handle);
    return found == modules().end() ? nullptr : found->second;
}

CUresult load(CUmodule* out, const void* data, unsigned count, CUjit_option* keys, void** values) {
    if (!out || !data) return CUDA_ERROR_INVALID_VALUE;
    Image image;
    std::string log;
    std::shared_ptr<Module> module;
    CUresult result = read_image(data, image, log);
    if (result == CUDA_SUCCESS) result = open_image(image, current_context(), module);
    give_log(log, count, keys, values);
    if (result == CUDA_SUCCESS) *out = enter(module);
    return result;
}

}  // namespace

Module::~Module() {
    if (info)
        forget_globals(reinterpret_cast<uintptr_t>(info->image_begin), reinterpret_cast<uintptr_t>(info->shared_end));
    if (library) dlclose(library);
    if (file >= 0) close(file);
}

unsigned Function::most_threads() const {
    unsigned threads = kernel->max_threads;
    while (threads > 32 && registers(threads) > kRegistersPerBlock) threads -= 32;
    return threads;
}

CUmodule enter(const std::shared_ptr<Module>& module) {
    auto handle = reinterpret_cast<CUmodule>(module.get());
    modules()[handle] = module;
    return handle;
}

bool unload(CUmodule handle) {
    auto module = module_of(handle);
    if (!module) return false;
    module->unloaded = true;
    for (auto it = functions().begin(); it != functions().end();)
        it = it->first.first == handle ? functions().erase(it) : std::next(it);
    modules().erase(handle);
    return true;
}

void unload_modules_of(const Context& context) {
    std::vector<CUmodule> found;
    for (auto& [handle, module] : modules())
        if (module->context == &context) found.push_back(handle);
    for (CUmodule handle : found) unload(handle);
}

std::shared_ptr<Function> function_named(CUmodule handle, const std::string& name) {
    auto found = functions().find({handle, name});
    if (found != functions().end()) return found->second;
    auto module = module_of(handle);
    const cudasim_kernel* kernel = module ? kernel_named(*module->info, name) : nullptr;
    if (!kernel) return nullptr;
    auto function = std::make_shared<Function>();
    function->module = module;
    function->kernel = kernel;
    Resources& has = function->resources = resources_of(module->resources, name);
    // Without ptxas, the registers are unknown, and in a CUDA text the resource usage of each of several kernels.
    if (!has.known() && kernel->declared) {
        has.shared = kernel->declared->shared;
        has.local = kernel->declared->local;
    } else if (!has.known() && module->info->kernel_count == 1)
        has.shared = static_cast<unsigned>(module->info->shared_end - module->info->shared_begin);
    function->dynamic_shared_limit = kStaticSharedLimit - std::min(kStaticSharedLimit, has.shared);
    return functions()[{handle, name}] = function;
}

const cudasim_kernel* kernel_named(const cudasim_module& info, const std::string& name) {
    for (unsigned i = 0; i < info.kernel_count; ++i)
        if (info.kernels[i].name == name) return &info.kernels[i];
    return nullptr;
}

CUresult global_of(CUmodule handle, const char* name, CUdeviceptr* address, size_t* bytes) {
    auto module = module_of(handle);
    if (!module) return CUDA_ERROR_INVALID_HANDLE;
    void* found = dlsym(module->library, name);
    Dl_info where;
    Elf64_Sym* symbol = nullptr;
    if (!found || !dladdr1(found, &where, reinterpret_cast<void**>(&symbol), RTLD_DL_SYMENT) || !symbol)
        return CUDA_ERROR_NOT_FOUND;
    auto base = reinterpret_cast<uintptr_t>(found);
    if (!host_range_at(base)) add_host_range({base, symbol->st_size, HostRange::Kind::Global, 0, module->context, 0});
    if (address) *address = base;
    if (bytes) *bytes = symbol->st_size;
    return CUDA_SUCCESS;
}

CUresult attribute_of(const Function& function, CUfunction_attribute key, int* value) {
    if (!value) return CUDA_ERROR_INVALID_VALUE;
    int architecture = static_cast<int>(function.module->info->architecture);
    switch (key) {
        case CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK: *value = static_cast<int>(function.most_threads()); break;
        case CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES: *value = static_cast<int>(function.resources.shared); break;
        case CU_FUNC_ATTRIBUTE_CONST_SIZE_BYTES:
            *value = function.kernel->declared ? static_cast<int>(function.kernel->declared->constant) : 0;
            break;
        case CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES: *value = static_cast<int>(function.resources.local); break;
        case CU_FUNC_ATTRIBUTE_NUM_REGS: *value = static_cast<int>(function.resources.registers); break;
        case CU_FUNC_ATTRIBUTE_PTX_VERSION:
        case CU_FUNC_ATTRIBUTE_BINARY_VERSION: *value = architecture; break;
        case CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES:
            *value = static_cast<int>(function.dynamic_shared_limit);
            break;
        case CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT: *value = -1; break;
        default: *value = 0;
    }
    return CUDA_SUCCESS;
}

CUresult set_attribute(Function& function, CUfunction_attribute key, int value) {
    if (key == CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT) return CUDA_SUCCESS;
    bool fits =
        value >= 0 && static_cast<unsigned>(value) + function.resources.shared <= limits().shared_per_block_optin;
    if (key != CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES || !fits) return CUDA_ERROR_INVALID_VALUE;
    function.dynamic_shared_limit = static_cast<unsigned>(value);
    return CUDA_SUCCESS;
}

CUresult set_cache_config(CUfunc_cache config) {
    return config >= CU_FUNC_CACHE_PREFER_NONE && config <= CU_FUNC_CACHE_PREFER_EQUAL ? CUDA_SUCCESS
                                                                                       : CUDA_ERROR_INVALID_VALUE;
}

CUresult parameter_of(const cudasim_kernel& kernel, size_t index, size_t* offset, size_t* bytes) {
    if (!offset || index >= kernel.parameter_count) return CUDA_ERROR_INVALID_VALUE;
    *offset = kernel.offsets[index];
    if (bytes) *bytes = kernel.sizes[index];
    return CUDA_SUCCESS;
}

std::shared_ptr<Function> function_of(CUfunction handle) {
    for (auto& [key, function] : functions())
        if (reinterpret_cast<CUfunction>(function.get()) == handle) return function;
    return nullptr;
}

}  // namespace cudasim

using namespace cudasim;

CUDASIM_API cuModuleLoadDataEx(CUmodule* out, const void* data, unsigned count, CUjit_option* keys, void** values) {
    CUDASIM_ENTER(Context);
    CUDASIM_REFUSE_UNSAFE();
    return load(out, data, count, keys, values);
}

CUDASIM_API cuModuleLoadData(CUmodule* out, const void* data) {
    CUDASIM_ENTER(Context);
    CUDASIM_REFUSE_UNSAFE();
    return load(out, data, 0, nullptr, nullptr);
}

CUDASIM_API cuModuleGetLoadingMode(CUmoduleLoadingMode* mode) {
    CUDASIM_ENTER(Init);
    if (!mode) return CUDA_ERROR_INVALID_VALUE;
    *mode = CU_MODULE_LAZY_LOADING;
    return CUDA_SUCCESS;
}

CUDASIM_API cuModuleUnload(CUmodule handle) {
    CUDASIM_ENTER(Context);
    CUDASIM_REFUSE_UNSAFE();
    return unload(handle) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_HANDLE;
}

CUDASIM_API cuModuleGetFunction(CUfunction* out, CUmodule handle, const char* name) {
    CUDASIM_ENTER(Context);
    if (!out || !name) return CUDA_ERROR_INVALID_VALUE;
    if (!module_of(handle)) return CUDA_ERROR_INVALID_HANDLE;
    auto function = function_named(handle, name);
    if (!function) return CUDA_ERROR_NOT_FOUND;
    *out = reinterpret_cast<CUfunction>(function.get());
    return CUDA_SUCCESS;
}

CUDASIM_API cuModuleGetFunctionCount(unsigned* count, CUmodule handle) {
    CUDASIM_ENTER(Context);
    auto module = module_of(handle);
    if (!count) return CUDA_ERROR_INVALID_VALUE;
    if (!module) return CUDA_ERROR_INVALID_HANDLE;
    *count = module->info->kernel_count;
    return CUDA_SUCCESS;
}

CUDASIM_API cuModuleEnumerateFunctions(CUfunction* out, unsigned room, CUmodule handle) {
    CUDASIM_ENTER(Context);
    auto module = module_of(handle);
    if (!out || !room) return CUDA_ERROR_INVALID_VALUE;
    if (!module) return CUDA_ERROR_INVALID_HANDLE;
    for (unsigned i = 0; i < std::min(room, module->info->kernel_count); ++i)
        out[i] = reinterpret_cast<CUfunction>(function_named(handle, module->info->kernels[i].name).get());
    return CUDA_SUCCESS;
}

CUDASIM_API cuModuleGetGlobal_v2(CUdeviceptr* address, size_t* bytes, CUmodule handle, const char* name) {
    CUDASIM_ENTER(Context);
    return global_of(handle, name, address, bytes);
}

CUDASIM_API cuFuncGetModule(CUmodule* out, CUfunction handle) {
    CUDASIM_ENTER(Context);
    auto function = function_of(handle);
    if (!function) return CUDA_ERROR_INVALID_HANDLE;
    *out = reinterpret_cast<CUmodule>(function->module.get());
    return CUDA_SUCCESS;
}

CUDASIM_API cuFuncGetName(const char** name, CUfunction handle) {
    CUDASIM_ENTER(Context);
    auto function = function_of(handle);
    if (!function) return CUDA_ERROR_INVALID_HANDLE;
    *name = function->kernel->name;
    return CUDA_SUCCESS;
}

CUDASIM_API cuFuncGetParamInfo(CUfunction handle, size_t index, size_t* offset, size_t* bytes) {
    CUDASIM_ENTER(Context);
    auto function = function_of(handle);
    return function ? parameter_of(*function->kernel, index, offset, bytes) : CUDA_ERROR_INVALID_HANDLE;
}

CUDASIM_API cuFuncGetAttribute(int* value, CUfunction_attribute key, CUfunction handle) {
    CUDASIM_ENTER(Context);
    auto function = function_of(handle);
    return function ? attribute_of(*function, key, value) : CUDA_ERROR_INVALID_HANDLE;
}

CUDASIM_API cuFuncSetAttribute(CUfunction handle, CUfunction_attribute key, int value) {
    CUDASIM_ENTER(Context);
    auto function = function_of(handle);
    return function ? set_attribute(*function, key, value) : CUDA_ERROR_INVALID_HANDLE;
}

CUDASIM_API cuFuncSetCacheConfig(CUfunction handle, CUfunc_cache config) {
    CUDASIM_ENTER(Context);
    return function_of(handle) ? set_cache_config(config) : CUDA_ERROR_INVALID_HANDLE;
}

CUDASIM_API cuFuncLoad(CUfunction handle) {
    CUDASIM_ENTER(Context);
    return function_of(handle) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_HANDLE;
}
