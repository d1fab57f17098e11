// module.cpp -- loading of images (ELF objects, or "PTX" that carries one), functions and global variables.
#include "module.h"

#include <dlfcn.h>
#include <elf.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstring>
#include <map>
#include <unordered_map>

#include "capture.h"
#include "host_memory.h"
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

/// The bytes of an ELF object, with the length from its own headers; empty if it is none. It is followed by
/// the output of ptxas.
std::string elf_image(const void* image, std::string& resources) {
    if (std::memcmp(image, ELFMAG, SELFMAG) != 0) return "";
    Elf64_Ehdr header;
    std::memcpy(&header, image, sizeof header);
    size_t size = header.e_shoff + size_t(header.e_shnum) * header.e_shentsize;
    const char* behind = static_cast<const char*>(image) + size;
    if (std::strncmp(behind, kResourcesMark.c_str(), kResourcesMark.size()) == 0)
        resources = behind + kResourcesMark.size();
    return {static_cast<const char*>(image), size};
}

/// The ELF object that the simulated NVRTC wrote in hexadecimal into its "PTX".
CUresult image_in_ptx(const char* text, std::string& image) {
    int major = 0, minor = 0;
    const char* version = std::strstr(text, ".version ");
    const char* data = std::strstr(text, "//cudasim:");
    if (!version || !data || std::sscanf(version, ".version %d.%d", &major, &minor) != 2) return CUDA_ERROR_INVALID_PTX;
    // PTX ISA 9.0 came with CUDA 13.0, 8.8 with 12.9, 8.0 with 12.0.
    int cuda = major >= 9 ? 13000 + 10 * minor : 12000 + 10 * minor;
    if (cuda > settings().driver_version) return CUDA_ERROR_UNSUPPORTED_PTX_VERSION;
    auto digit = [](char c) { return c <= '9' ? c - '0' : c - 'a' + 10; };
    for (data += std::strlen("//cudasim:"); *data && *data != '\n'; data += 2)
        image.push_back(static_cast<char>(digit(data[0]) << 4 | digit(data[1])));
    return CUDA_SUCCESS;
}

/// Opens the image as a separate library.
CUresult open_image(Module& module, const std::string& image) {
    module.file = static_cast<int>(syscall(SYS_memfd_create, "cudasim-module", 0));
    if (write(module.file, image.data(), image.size()) != static_cast<ssize_t>(image.size()))
        return CUDA_ERROR_INVALID_IMAGE;
    // The file stays open: dlopen treats equal paths as the same library, and a closed descriptor's number
    // is reused.
    std::string path = format("/proc/self/fd/%d", module.file);
    module.library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (!module.library) {
        say(format("module: %s", dlerror()));
        return CUDA_ERROR_INVALID_IMAGE;
    }
    auto* info = static_cast<const cudasim_module*>(dlsym(module.library, "cudasim_module_info"));
    if (!info || info->abi != CUDASIM_ABI) {
        say("module: the image was not made by this simulator's NVRTC");
        return CUDA_ERROR_INVALID_IMAGE;
    }
    module.info = info;
    return CUDA_SUCCESS;
}

bool runs_here(unsigned architecture) {
    unsigned major = architecture / 10, minor = architecture % 10;
    return major == static_cast<unsigned>(settings().major) && minor <= static_cast<unsigned>(settings().minor);
}

CUresult load(CUmodule* out, const void* image) {
    if (!out || !image) return CUDA_ERROR_INVALID_VALUE;
    auto module = std::make_shared<Module>();
    std::string bytes = elf_image(image, module->resources);
    bool binary = !bytes.empty();
    if (!binary) {
        const char* text = static_cast<const char*>(image);
        std::string carried;
        CUresult result = image_in_ptx(text, carried);
        if (result != CUDA_SUCCESS) return result;
        bytes = elf_image(carried.c_str(), module->resources);
    }
    module->context = current_context();
    CUresult result = open_image(*module, bytes);
    if (result != CUDA_SUCCESS) return result;
    // PTX runs on its own architecture and all later ones.
    const unsigned architecture = module->info->architecture;
    const bool runs =
        binary ? runs_here(architecture) : architecture <= unsigned(settings().major * 10 + settings().minor);
    if (!runs) return CUDA_ERROR_NO_BINARY_FOR_GPU;
    *out = reinterpret_cast<CUmodule>(module.get());
    modules()[*out] = module;
    return CUDA_SUCCESS;
}

}  // namespace

Module::~Module() {
    if (library) dlclose(library);
    if (file >= 0) close(file);
}

unsigned Function::most_threads() const {
    unsigned threads = kernel->max_threads;
    while (threads > 32 && registers(threads) > kRegistersPerBlock) threads -= 32;
    return threads;
}

std::shared_ptr<Function> function_of(CUfunction handle) {
    for (auto& [key, function] : functions())
        if (reinterpret_cast<CUfunction>(function.get()) == handle) return function;
    return nullptr;
}

}  // namespace cudasim

using namespace cudasim;

CUDASIM_API cuModuleLoadData(CUmodule* out, const void* image) {
    CUDASIM_ENTER(Context);
    CUDASIM_REFUSE_UNSAFE();
    return load(out, image);
}

CUDASIM_API cuModuleLoadDataEx(CUmodule* out, const void* image, unsigned count, CUjit_option* keys, void** values) {
    CUDASIM_ENTER(Context);
    CUDASIM_REFUSE_UNSAFE();
    CUresult result = load(out, image);
    for (unsigned i = 0; i < count; ++i) {
        if (keys[i] == CU_JIT_ERROR_LOG_BUFFER || keys[i] == CU_JIT_INFO_LOG_BUFFER) *static_cast<char*>(values[i]) = 0;
        if (keys[i] == CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES || keys[i] == CU_JIT_INFO_LOG_BUFFER_SIZE_BYTES)
            values[i] = nullptr;
    }
    return result;
}

CUDASIM_API cuModuleUnload(CUmodule handle) {
    CUDASIM_ENTER(Context);
    CUDASIM_REFUSE_UNSAFE();
    auto module = module_of(handle);
    if (!module) return CUDA_ERROR_INVALID_HANDLE;
    module->unloaded = true;
    for (auto it = functions().begin(); it != functions().end();)
        it = it->first.first == handle ? functions().erase(it) : std::next(it);
    modules().erase(handle);
    return CUDA_SUCCESS;
}

CUDASIM_API cuModuleGetFunction(CUfunction* out, CUmodule handle, const char* name) {
    CUDASIM_ENTER(Context);
    auto module = module_of(handle);
    if (!out || !name) return CUDA_ERROR_INVALID_VALUE;
    if (!module) return CUDA_ERROR_INVALID_HANDLE;
    auto& function = functions()[{handle, name}];
    for (unsigned i = 0; !function && i < module->info->kernel_count; ++i) {
        if (std::strcmp(module->info->kernels[i].name, name) != 0) continue;
        function = std::make_shared<Function>();
        function->module = module;
        function->kernel = &module->info->kernels[i];
        Resources& has = function->resources = resources_of(module->resources, name);
        // Without ptxas, the resource usage of each of several kernels is unknown.
        if (!has.known() && module->info->kernel_count == 1)
            has.shared = static_cast<unsigned>(module->info->shared_end - module->info->shared_begin);
        function->dynamic_shared_limit = kStaticSharedLimit - std::min(kStaticSharedLimit, has.shared);
    }
    if (!function) {
        functions().erase({handle, name});
        return CUDA_ERROR_NOT_FOUND;
    }
    *out = reinterpret_cast<CUfunction>(function.get());
    return CUDA_SUCCESS;
}

CUDASIM_API cuModuleGetGlobal_v2(CUdeviceptr* address, size_t* bytes, CUmodule handle, const char* name) {
    CUDASIM_ENTER(Context);
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

CUDASIM_API cuFuncGetAttribute(int* value, CUfunction_attribute key, CUfunction handle) {
    CUDASIM_ENTER(Context);
    auto function = function_of(handle);
    if (!value) return CUDA_ERROR_INVALID_VALUE;
    if (!function) return CUDA_ERROR_INVALID_HANDLE;
    int architecture = static_cast<int>(function->module->info->architecture);
    switch (key) {
        case CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK: *value = static_cast<int>(function->most_threads()); break;
        case CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES: *value = static_cast<int>(function->resources.shared); break;
        case CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES: *value = static_cast<int>(function->resources.local); break;
        case CU_FUNC_ATTRIBUTE_NUM_REGS: *value = static_cast<int>(function->resources.registers); break;
        case CU_FUNC_ATTRIBUTE_PTX_VERSION:
        case CU_FUNC_ATTRIBUTE_BINARY_VERSION: *value = architecture; break;
        case CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES:
            *value = static_cast<int>(function->dynamic_shared_limit);
            break;
        case CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT: *value = -1; break;
        default: *value = 0;
    }
    return CUDA_SUCCESS;
}

CUDASIM_API cuFuncSetAttribute(CUfunction handle, CUfunction_attribute key, int value) {
    CUDASIM_ENTER(Context);
    auto function = function_of(handle);
    if (!function) return CUDA_ERROR_INVALID_HANDLE;
    if (key == CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT) return CUDA_SUCCESS;
    bool fits =
        value >= 0 && static_cast<unsigned>(value) + function->resources.shared <= limits().shared_per_block_optin;
    if (key != CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES || !fits) return CUDA_ERROR_INVALID_VALUE;
    function->dynamic_shared_limit = static_cast<unsigned>(value);
    return CUDA_SUCCESS;
}

CUDASIM_API cuFuncLoad(CUfunction handle) {
    CUDASIM_ENTER(Context);
    return function_of(handle) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_HANDLE;
}
