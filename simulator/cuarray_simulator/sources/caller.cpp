// caller.cpp -- names the library that calls the driver.
#include "caller.h"

#include <dlfcn.h>
#include <execinfo.h>

#include <set>
#include <vector>

#include "driver.h"

namespace cudasim {
namespace {

struct Framework {
    const char *folder, *name;
};

constexpr Framework kFrameworks[] = {
    {"/torch/", "PyTorch"},
    {"/cupy", "CuPy"},
    {"/jaxlib/", "JAX"},
    {"/jax_plugins/", "JAX"},
    {"/tensorflow/", "TensorFlow"},
    {"/numba_cuda", "Numba"},
    {"/cuda/core/", "cuda.core"},
    {"/cuda/bindings/", "cuda.bindings"},
    {"/warp/", "Warp"},
};

std::string file_name(const std::string& path) { return path.substr(path.rfind('/') + 1); }

/// The files of the frames above the driver's own, innermost first, each once.
std::vector<std::string> files_of_frames() {
    void* frames[64];
    const int count = backtrace(frames, 64);
    Dl_info own{}, info{};
    dladdr(reinterpret_cast<void*>(&files_of_frames), &own);
    std::vector<std::string> files;
    for (int i = 0; i < count; ++i) {
        if (!dladdr(frames[i], &info) || !info.dli_fname || info.dli_fbase == own.dli_fbase) continue;
        std::string file = info.dli_fname;
        if (files.empty() || files.back() != file) files.push_back(file);
    }
    return files;
}

/// The first framework among the files, or the innermost file.
std::string library_of(const std::vector<std::string>& files) {
    if (files.empty()) return "the program";
    for (const std::string& file : files)
        for (const Framework& framework : kFrameworks)
            if (file.find(framework.folder) != std::string::npos)
                return std::string(framework.name) + " (" + file_name(files.front()) + ")";
    return file_name(files.front());
}

}  // namespace

std::string calling_library() { return library_of(files_of_frames()); }

void refuse_runtime() {
    static auto* said = new std::set<std::string>;
    const std::vector<std::string> files = files_of_frames();
    // NVIDIA's compiler does without.
    if (!files.empty() && file_name(files.front()).rfind("libnvrtc", 0) == 0) return;
    const std::string library = library_of(files);
    if (said->insert(library).second)
        say(library + " uses CUDA's runtime, which is not simulated (error 500): " +
            (library.rfind("Warp ", 0) == 0
                 ? "what Warp does by compiled kernels of its own (sort, scan, meshes, volumes) fails; its arrays, "
                   "launches and graphs run"
                 : "it cannot allocate memory. Kernels that a library hands to the driver as PTX run, on arrays of "
                   "cuarray, Numba or Warp"));
}

}  // namespace cudasim
