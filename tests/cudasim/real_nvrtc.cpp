// real_nvrtc.cpp -- a program that has NVIDIA's NVRTC compile a text: LIBRARY SOURCE NAMES-FILE OPTION...
//
// A process of its own, because NVRTC asks a loaded libcuda.so.1 for tables that the simulated one has not.
#include <dlfcn.h>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "nvrtc_abi.h"

namespace {

namespace fs = std::filesystem;

/// Exit codes: accepted, refused, and NVRTC itself not usable.
enum Exit { kAccepted = 0, kRefused = 1, kUnusable = 2 };

template <class F>
F load(void* library, const char* name) {
    return reinterpret_cast<F>(dlsym(library, name));
}

std::vector<std::string> lines_of(const char* path) {
    std::vector<std::string> lines;
    std::ifstream in(path);
    for (std::string line; std::getline(in, line);) lines.push_back(line);
    return lines;
}

void* open_library(const fs::path& path) {
    // NVRTC finds its builtins only when they are loaded already.
    std::error_code ignored;
    for (auto& file : fs::directory_iterator(path.parent_path(), ignored))
        if (file.path().filename().string().rfind("libnvrtc-builtins.so", 0) == 0)
            dlopen(file.path().c_str(), RTLD_NOW | RTLD_GLOBAL);
    void* library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (!library) std::fprintf(stderr, "cudasim: CUDASIM_REAL_NVRTC: %s\n", dlerror());
    return library;
}

}  // namespace

int main(int count, char** arguments) {
    if (count < 4) return kUnusable;
    void* library = open_library(arguments[1]);
    if (!library) return kUnusable;
    auto create = load<nvrtcResult (*)(nvrtcProgram*, const char*, const char*, int, void*, void*)>(
        library, "nvrtcCreateProgram");
    auto add_name = load<nvrtcResult (*)(nvrtcProgram, const char*)>(library, "nvrtcAddNameExpression");
    auto compile = load<nvrtcResult (*)(nvrtcProgram, int, char**)>(library, "nvrtcCompileProgram");
    auto log_size = load<nvrtcResult (*)(nvrtcProgram, size_t*)>(library, "nvrtcGetProgramLogSize");
    auto get_log = load<nvrtcResult (*)(nvrtcProgram, char*)>(library, "nvrtcGetProgramLog");

    std::ifstream in(arguments[2], std::ios::binary);
    std::string text{std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
    nvrtcProgram program = nullptr;
    if (create(&program, text.c_str(), "kernel.cu", 0, nullptr, nullptr) != NVRTC_SUCCESS) return kUnusable;
    for (const std::string& name : lines_of(arguments[3])) add_name(program, name.c_str());
    nvrtcResult result = compile(program, count - 4, arguments + 4);
    size_t size = 0;
    log_size(program, &size);
    std::string log(size, '\0');
    if (size) get_log(program, log.data());
    std::fputs(log.c_str(), stderr);
    return result == NVRTC_SUCCESS ? kAccepted : kRefused;
}
