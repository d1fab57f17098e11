// client.cpp -- compiles and launches the kernels of simulated libraries, through the driver that the process uses.
#include "client.h"

#include <dlfcn.h>

#include <cstdio>
#include <cstdlib>
#include <map>
#include <mutex>
#include <string>
#include <utility>

#include "nvrtc_abi.h"

namespace cudasim {
namespace {

/// A function of the library that an environment variable names.
template <class Signature>
Signature* function(const char* variable, const char* name) {
    const char* const path = std::getenv(variable);
    void* const library = dlopen(path ? path : "", RTLD_NOW | RTLD_LOCAL);
    void* const address = library ? dlsym(library, name) : nullptr;
    if (!address) {
        std::fprintf(stderr, "cudasim: %s, of which a simulated library needs %s, cannot be used\n", variable, name);
        std::abort();
    }
    return reinterpret_cast<Signature*>(address);
}
#define DRIVER(name, ...) static auto* const name = function<CUresult(__VA_ARGS__)>("CUARRAY_LIBCUDA", #name)
#define NVRTC(name, ...) static auto* const name = function<nvrtcResult(__VA_ARGS__)>("CUARRAY_LIBNVRTC", #name)

std::string compiled(const std::string& text, const char* entry) {
    NVRTC(nvrtcCreateProgram, nvrtcProgram*, const char*, const char*, int, const char* const*, const char* const*);
    NVRTC(nvrtcCompileProgram, nvrtcProgram, int, const char* const*);
    NVRTC(nvrtcGetProgramLogSize, nvrtcProgram, size_t*);
    NVRTC(nvrtcGetProgramLog, nvrtcProgram, char*);
    NVRTC(nvrtcGetPTXSize, nvrtcProgram, size_t*);
    NVRTC(nvrtcGetPTX, nvrtcProgram, char*);
    NVRTC(nvrtcDestroyProgram, nvrtcProgram*);
    nvrtcProgram program = nullptr;
    const std::string name = std::string(entry) + ".cu";
    const char* const options[] = {"-arch=compute_75", "-fmad=false"};
    nvrtcCreateProgram(&program, text.c_str(), name.c_str(), 0, nullptr, nullptr);
    const bool is_good = nvrtcCompileProgram(program, 2, options) == NVRTC_SUCCESS;
    std::string log(1, '\0'), binary;
    size_t bytes = 0;
    if (nvrtcGetProgramLogSize(program, &bytes) == NVRTC_SUCCESS) {
        log.resize(bytes + 1);
        nvrtcGetProgramLog(program, log.data());
    }
    if (is_good && nvrtcGetPTXSize(program, &bytes) == NVRTC_SUCCESS) {
        binary.resize(bytes);
        nvrtcGetPTX(program, binary.data());
    } else
        std::fprintf(stderr, "cudasim: the kernel %s of a simulated library: %s\n", entry, log.c_str());
    nvrtcDestroyProgram(&program);
    return binary;
}

// In the capture mode of the caller: that a library relaxes it is not documented.
CUresult load(const std::string& binary, const char* entry, CUfunction* result) {
    DRIVER(cuModuleLoadData, CUmodule*, const void*);
    DRIVER(cuModuleGetFunction, CUfunction*, CUmodule, const char*);
    CUmodule module = nullptr;
    CUresult status = cuModuleLoadData(&module, binary.data());
    if (status == CUDA_SUCCESS) status = cuModuleGetFunction(result, module, entry);
    return status;
}

/// The entry in the current context.
CUresult find(const ClientLaunch& what, CUfunction* result) {
    static std::mutex mutex;
    static auto& binaries = *new std::map<std::string, std::string>;
    static auto& functions = *new std::map<std::pair<CUcontext, std::string>, CUfunction>;
    const std::lock_guard lock(mutex);
    const std::string name = std::string(what.types) + what.entry;
    const std::pair<CUcontext, std::string> key{current_context(), name};
    if (const auto known = functions.find(key); known != functions.end()) {
        *result = known->second;
        return CUDA_SUCCESS;
    }
    std::string& binary = binaries[name];
    if (binary.empty()) binary = compiled(std::string(what.types) + what.text, what.entry);
    if (binary.empty()) return CUDA_ERROR_INVALID_IMAGE;
    const CUresult status = load(binary, what.entry, result);
    if (status == CUDA_SUCCESS) functions[key] = *result;
    return status;
}

}  // namespace

InUse::InUse(std::atomic<bool>& flag, const char* library) : flag_(flag) {
    static auto* const ticks = function<uint64_t(uint64_t*)>("CUARRAY_LIBCUDA", "cudasim_ticks");
    begin_ = ticks(&inside_);
    if (flag.exchange(true)) misuse(library, "two threads use one handle", 0);
}

InUse::~InUse() {
    static auto* const ticks = function<uint64_t(uint64_t*)>("CUARRAY_LIBCUDA", "cudasim_ticks");
    static auto* const spend = function<void(uint64_t)>("CUARRAY_LIBCUDA", "cudasim_spend");
    flag_ = false;
    uint64_t inside;
    const uint64_t end = ticks(&inside);
    spend(end - begin_ - (inside - inside_));
}

CUcontext current_context() {
    DRIVER(cuCtxGetCurrent, CUcontext*);
    CUcontext context = nullptr;
    cuCtxGetCurrent(&context);
    return context;
}

bool library_property(int which, int* value) {
    const char* const text = std::getenv("CUDASIM_DRIVER");
    const int version = text && *text ? std::atoi(text) : 13000;
    const int parts[] = {version / 1000, version % 1000 / 10, 0};
    if (which < 0 || which > 2) return false;
    *value = parts[which];
    return true;
}

CUresult touch_memory() {
    DRIVER(cuMemAlloc_v2, CUdeviceptr*, size_t);
    DRIVER(cuMemFree_v2, CUdeviceptr);
    CUdeviceptr address = 0;
    const CUresult status = cuMemAlloc_v2(&address, 1024);
    return status == CUDA_SUCCESS ? cuMemFree_v2(address) : status;
}

CUresult upload(const void* bytes, size_t count, CUdeviceptr* address) {
    DRIVER(cuMemAlloc_v2, CUdeviceptr*, size_t);
    DRIVER(cuMemcpyHtoD_v2, CUdeviceptr, const void*, size_t);
    const CUresult status = cuMemAlloc_v2(address, count);
    return status == CUDA_SUCCESS ? cuMemcpyHtoD_v2(*address, bytes, count) : status;
}

CUresult free_memory(CUdeviceptr address) {
    DRIVER(cuMemFree_v2, CUdeviceptr);
    return cuMemFree_v2(address);
}

CUresult copy_later(void* to, const void* bytes, size_t count, CUstream stream) {
    DRIVER(cuMemcpyHtoDAsync_v2, CUdeviceptr, const void*, size_t, CUstream);
    return cuMemcpyHtoDAsync_v2(reinterpret_cast<CUdeviceptr>(to), bytes, count, stream);
}

CUresult launch(const ClientLaunch& what, CUstream stream) {
    DRIVER(cuLaunchKernel, CUfunction, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, CUstream,
           void**, void**);
    constexpr unsigned kThreads = 128;
    if (what.threads == 0) return CUDA_SUCCESS;
    CUfunction kernel = nullptr;
    if (const CUresult status = find(what, &kernel)) return status;
    void* parameters[] = {what.parameters};
    const auto blocks = unsigned((what.threads + kThreads - 1) / kThreads);
    return cuLaunchKernel(kernel, blocks, 1, 1, kThreads, 1, 1, 0, stream, parameters, nullptr);
}

int misuse(const char* library, const char* message, int status) {
    std::fprintf(stderr, "cudasim: %s: %s\n", library, message);
    if (status == 0) std::abort();
    return status;
}

}  // namespace cudasim
