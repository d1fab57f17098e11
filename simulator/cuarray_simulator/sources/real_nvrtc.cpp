// real_nvrtc.cpp -- a program that compiles texts with NVIDIA's NVRTC, in folders whose names it reads from its
// input.
//
// A separate process: NVRTC loads and initialises a libcuda.so.1, which is none of the tested program's business.
// It answers each line with `accepted` or `refused` and leaves NVRTC's log in the folder, which has the
// resource usage of each kernel from ptxas, and the PTX.
#include <dlfcn.h>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <string>
#include <vector>

#include "nvrtc_abi.h"

namespace {

namespace fs = std::filesystem;

std::vector<std::string> lines_of(const fs::path& path) {
    std::vector<std::string> lines;
    std::ifstream in(path);
    for (std::string line; std::getline(in, line);) lines.push_back(line);
    return lines;
}

std::string read_file(const fs::path& path) {
    std::ifstream in(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

/// The functions of NVRTC that are used, or the reason why they are not available.
struct Library {
    nvrtcResult (*create)(nvrtcProgram*, const char*, const char*, int, void*, void*) = nullptr;
    nvrtcResult (*destroy)(nvrtcProgram*) = nullptr;
    nvrtcResult (*add_name)(nvrtcProgram, const char*) = nullptr;
    nvrtcResult (*compile)(nvrtcProgram, int, const char**) = nullptr;
    nvrtcResult (*log_size)(nvrtcProgram, size_t*) = nullptr;
    nvrtcResult (*log)(nvrtcProgram, char*) = nullptr;
    nvrtcResult (*ptx_size)(nvrtcProgram, size_t*) = nullptr;
    nvrtcResult (*ptx)(nvrtcProgram, char*) = nullptr;
    nvrtcResult (*mangled)(nvrtcProgram, const char*, const char**) = nullptr;
    std::string problem;

    explicit Library(const fs::path& path) {
        // NVRTC finds its builtins only when they are loaded already.
        std::error_code ignored;
        for (auto& file : fs::directory_iterator(path.parent_path(), ignored))
            if (file.path().filename().string().rfind("libnvrtc-builtins.so", 0) == 0)
                dlopen(file.path().c_str(), RTLD_NOW | RTLD_GLOBAL);
        void* handle = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
        if (!handle) {
            problem = dlerror();
            return;
        }
        load(handle, create, "nvrtcCreateProgram");
        load(handle, destroy, "nvrtcDestroyProgram");
        load(handle, add_name, "nvrtcAddNameExpression");
        load(handle, compile, "nvrtcCompileProgram");
        load(handle, log_size, "nvrtcGetProgramLogSize");
        load(handle, log, "nvrtcGetProgramLog");
        load(handle, ptx_size, "nvrtcGetPTXSize");
        load(handle, ptx, "nvrtcGetPTX");
        load(handle, mangled, "nvrtcGetLoweredName");
    }

 private:
    template <class F>
    static void load(void* handle, F& function, const char* name) {
        function = reinterpret_cast<F>(dlsym(handle, name));
    }
};

/// Writes the PTX of a compiled program, and the mangled name of each name expression.
void write_ptx(const Library& nvrtc, nvrtcProgram program, const fs::path& folder) {
    size_t size = 0;
    if (nvrtc.ptx_size(program, &size) != NVRTC_SUCCESS || size == 0) return;
    std::string ptx(size, '\0');
    nvrtc.ptx(program, ptx.data());
    std::ofstream(folder / "kernel.ptx", std::ios::binary) << ptx.c_str();
    std::ofstream names(folder / "mangled");
    for (const std::string& name : lines_of(folder / "names")) {
        const char* mangled = "";
        nvrtc.mangled(program, name.c_str(), &mangled);
        names << mangled << '\n';
    }
}

/// Compiles the folder's text. True if NVRTC accepts it; writes the log in any case.
bool accepts(const Library& nvrtc, const fs::path& folder, std::string& log) {
    if (!nvrtc.problem.empty()) {
        log = "cudasim: CUDASIM_REAL_NVRTC: " + nvrtc.problem + "\n";
        return false;
    }
    nvrtcProgram program = nullptr;
    nvrtc.create(&program, read_file(folder / "kernel.cu").c_str(), "kernel.cu", 0, nullptr, nullptr);
    for (const std::string& name : lines_of(folder / "names")) nvrtc.add_name(program, name.c_str());
    std::vector<std::string> lines = lines_of(folder / "options");
    std::vector<const char*> options;
    for (const std::string& line : lines) options.push_back(line.c_str());
    options.push_back("--ptxas-options=-v");
    nvrtcResult result = nvrtc.compile(program, static_cast<int>(options.size()), options.data());
    size_t size = 0;
    nvrtc.log_size(program, &size);
    log.resize(size);
    if (size) nvrtc.log(program, log.data());
    if (result == NVRTC_SUCCESS) write_ptx(nvrtc, program, folder);
    nvrtc.destroy(&program);
    return result == NVRTC_SUCCESS;
}

}  // namespace

int main(int count, char** arguments) {
    if (count != 2) return 2;
    Library nvrtc(arguments[1]);
    for (std::string folder; std::getline(std::cin, folder);) {
        std::string log;
        bool good = accepts(nvrtc, folder, log);
        std::ofstream(fs::path(folder) / "verdict", std::ios::binary) << log.c_str();
        std::puts(good ? "accepted" : "refused");
        std::fflush(stdout);
    }
}
