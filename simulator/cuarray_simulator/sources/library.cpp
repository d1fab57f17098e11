// library.cpp -- cuLibrary* and cuKernel*: images without a context, whose modules are opened in each context at their
// first use there.
#include <algorithm>
#include <fstream>
#include <iterator>
#include <map>
#include <unordered_map>

#include "image.h"

namespace cudasim {
namespace {

struct Library;

struct Kernel {
    Library* library;
    std::string name;
};

struct Library {
    Image image;
    /// Opened in no context, for its description.
    std::shared_ptr<Module> description;
    std::map<Context*, CUmodule> modules;
    std::map<std::string, std::unique_ptr<Kernel>> kernels;

    const cudasim_module& info() const { return *description->info; }
    Kernel* kernel(const std::string& name) {
        if (!kernel_named(info(), name)) return nullptr;
        auto& found = kernels[name];
        if (!found) found.reset(new Kernel{this, name});
        return found.get();
    }
};

std::unordered_map<CUlibrary, std::unique_ptr<Library>>& libraries() {
    static auto* table = new std::unordered_map<CUlibrary, std::unique_ptr<Library>>;
    return *table;
}

Library* library_of(CUlibrary handle) {
    auto found = libraries().find(handle);
    return found == libraries().end() ? nullptr : found->second.get();
}

Kernel* kernel_of(CUkernel handle) {
    for (auto& [_, library] : libraries())
        for (auto& [name, kernel] : library->kernels)
            if (reinterpret_cast<CUkernel>(kernel.get()) == handle) return kernel.get();
    return nullptr;
}

CUresult load(CUlibrary* out, const void* code, unsigned count, CUjit_option* keys, void** values) {
    if (!out || !code) return CUDA_ERROR_INVALID_VALUE;
    auto library = std::make_unique<Library>();
    std::string log;
    CUresult result = read_image(code, library->image, log);
    if (result == CUDA_SUCCESS) result = open_image(library->image, nullptr, library->description);
    give_log(log, count, keys, values);
    if (result != CUDA_SUCCESS) return result;
    *out = reinterpret_cast<CUlibrary>(library.get());
    libraries()[*out] = std::move(library);
    return CUDA_SUCCESS;
}

/// The library's module in a context, opened at its first use.
CUresult module_in(Library& library, Context& context, CUmodule& module) {
    auto found = library.modules.find(&context);
    if (found == library.modules.end()) {
        std::shared_ptr<Module> opened;
        CUresult result = open_image(library.image, &context, opened);
        if (result != CUDA_SUCCESS) return result;
        found = library.modules.emplace(&context, enter(opened)).first;
    }
    module = found->second;
    return CUDA_SUCCESS;
}

std::shared_ptr<Function> function_in(Kernel& kernel, Context& context) {
    CUmodule module = nullptr;
    if (module_in(*kernel.library, context, module) != CUDA_SUCCESS) return nullptr;
    return function_named(module, kernel.name);
}

/// The kernel's function in the primary context of a device.
CUresult function_on(CUkernel handle, CUdevice device, std::shared_ptr<Function>& function) {
    Kernel* kernel = kernel_of(handle);
    if (!kernel) return CUDA_ERROR_INVALID_HANDLE;
    if (device < 0 || device >= settings().devices) return CUDA_ERROR_INVALID_DEVICE;
    function = function_in(*kernel, driver().contexts[static_cast<size_t>(device)]);
    return function ? CUDA_SUCCESS : CUDA_ERROR_NO_BINARY_FOR_GPU;
}

}  // namespace

std::shared_ptr<Function> launchable(CUfunction handle) {
    if (Kernel* kernel = kernel_of(reinterpret_cast<CUkernel>(handle))) return function_in(*kernel, *current_context());
    return function_of(handle);
}

}  // namespace cudasim

using namespace cudasim;

CUDASIM_API cuLibraryLoadData(CUlibrary* out, const void* code, CUjit_option* keys, void** values, unsigned count,
                              CUlibraryOption*, void**, unsigned) {
    CUDASIM_ENTER(Init);
    return load(out, code, count, keys, values);
}

CUDASIM_API cuLibraryLoadFromFile(CUlibrary* out, const char* path, CUjit_option* keys, void** values, unsigned count,
                                  CUlibraryOption*, void**, unsigned) {
    CUDASIM_ENTER(Init);
    std::ifstream in(path ? path : "", std::ios::binary);
    if (!in) return CUDA_ERROR_FILE_NOT_FOUND;
    return load(out, std::string(std::istreambuf_iterator<char>(in), {}).c_str(), count, keys, values);
}

CUDASIM_API cuLibraryUnload(CUlibrary handle) {
    CUDASIM_ENTER(Init);
    Library* library = library_of(handle);
    if (!library) return CUDA_ERROR_INVALID_HANDLE;
    for (auto& [context, module] : library->modules) unload(module);
    libraries().erase(handle);
    return CUDA_SUCCESS;
}

CUDASIM_API cuLibraryGetKernel(CUkernel* out, CUlibrary handle, const char* name) {
    CUDASIM_ENTER(Init);
    Library* library = library_of(handle);
    if (!out || !name) return CUDA_ERROR_INVALID_VALUE;
    if (!library) return CUDA_ERROR_INVALID_HANDLE;
    Kernel* kernel = library->kernel(name);
    if (!kernel) return CUDA_ERROR_NOT_FOUND;
    *out = reinterpret_cast<CUkernel>(kernel);
    return CUDA_SUCCESS;
}

CUDASIM_API cuLibraryGetKernelCount(unsigned* count, CUlibrary handle) {
    CUDASIM_ENTER(Init);
    Library* library = library_of(handle);
    if (!count) return CUDA_ERROR_INVALID_VALUE;
    if (!library) return CUDA_ERROR_INVALID_HANDLE;
    *count = library->info().kernel_count;
    return CUDA_SUCCESS;
}

CUDASIM_API cuLibraryEnumerateKernels(CUkernel* out, unsigned room, CUlibrary handle) {
    CUDASIM_ENTER(Init);
    Library* library = library_of(handle);
    if (!out || !room) return CUDA_ERROR_INVALID_VALUE;
    if (!library) return CUDA_ERROR_INVALID_HANDLE;
    for (unsigned i = 0; i < std::min(room, library->info().kernel_count); ++i)
        out[i] = reinterpret_cast<CUkernel>(library->kernel(library->info().kernels[i].name));
    return CUDA_SUCCESS;
}

CUDASIM_API cuLibraryGetModule(CUmodule* out, CUlibrary handle) {
    CUDASIM_ENTER(Context);
    Library* library = library_of(handle);
    if (!out) return CUDA_ERROR_INVALID_VALUE;
    return library ? module_in(*library, *current_context(), *out) : CUDA_ERROR_INVALID_HANDLE;
}

CUDASIM_API cuLibraryGetGlobal(CUdeviceptr* address, size_t* bytes, CUlibrary handle, const char* name) {
    CUDASIM_ENTER(Context);
    Library* library = library_of(handle);
    if (!name) return CUDA_ERROR_INVALID_VALUE;
    if (!library) return CUDA_ERROR_INVALID_HANDLE;
    CUmodule module = nullptr;
    CUresult result = module_in(*library, *current_context(), module);
    return result == CUDA_SUCCESS ? global_of(module, name, address, bytes) : result;
}

CUDASIM_API cuKernelGetFunction(CUfunction* out, CUkernel handle) {
    CUDASIM_ENTER(Context);
    Kernel* kernel = kernel_of(handle);
    if (!out) return CUDA_ERROR_INVALID_VALUE;
    if (!kernel) return CUDA_ERROR_INVALID_HANDLE;
    auto function = function_in(*kernel, *current_context());
    if (!function) return CUDA_ERROR_NO_BINARY_FOR_GPU;
    *out = reinterpret_cast<CUfunction>(function.get());
    return CUDA_SUCCESS;
}

CUDASIM_API cuKernelGetLibrary(CUlibrary* out, CUkernel handle) {
    CUDASIM_ENTER(Init);
    Kernel* kernel = kernel_of(handle);
    if (!out) return CUDA_ERROR_INVALID_VALUE;
    if (!kernel) return CUDA_ERROR_INVALID_HANDLE;
    *out = reinterpret_cast<CUlibrary>(kernel->library);
    return CUDA_SUCCESS;
}

CUDASIM_API cuKernelGetName(const char** name, CUkernel handle) {
    CUDASIM_ENTER(Init);
    Kernel* kernel = kernel_of(handle);
    if (!name) return CUDA_ERROR_INVALID_VALUE;
    if (!kernel) return CUDA_ERROR_INVALID_HANDLE;
    *name = kernel->name.c_str();
    return CUDA_SUCCESS;
}

CUDASIM_API cuKernelGetParamInfo(CUkernel handle, size_t index, size_t* offset, size_t* bytes) {
    CUDASIM_ENTER(Init);
    Kernel* kernel = kernel_of(handle);
    if (!kernel) return CUDA_ERROR_INVALID_HANDLE;
    return parameter_of(*kernel_named(kernel->library->info(), kernel->name), index, offset, bytes);
}

CUDASIM_API cuKernelGetAttribute(int* value, CUfunction_attribute key, CUkernel handle, CUdevice device) {
    CUDASIM_ENTER(Init);
    std::shared_ptr<Function> function;
    CUresult result = function_on(handle, device, function);
    return result == CUDA_SUCCESS ? attribute_of(*function, key, value) : result;
}

CUDASIM_API cuKernelSetAttribute(CUfunction_attribute key, int value, CUkernel handle, CUdevice device) {
    CUDASIM_ENTER(Init);
    std::shared_ptr<Function> function;
    CUresult result = function_on(handle, device, function);
    return result == CUDA_SUCCESS ? set_attribute(*function, key, value) : result;
}

CUDASIM_API cuKernelSetCacheConfig(CUkernel handle, CUfunc_cache config, CUdevice device) {
    CUDASIM_ENTER(Init);
    std::shared_ptr<Function> function;
    CUresult result = function_on(handle, device, function);
    return result == CUDA_SUCCESS ? set_cache_config(config) : result;
}
