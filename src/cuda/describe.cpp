// describe.cpp -- a GPU's part of the doctor's report, as JSON.
#include <cstdio>
#include <sstream>
#include "cuda/backend.h"
#include "cuda/cache.h"

namespace cuarray::cuda {
namespace {

std::string quoted(const std::string& text) {
    std::string result = "\"";
    for (const char c : text) {
        char escaped[8];
        if (c == '"' || c == '\\')
            (result += '\\') += c;
        else if (static_cast<unsigned char>(c) < 0x20) {
            std::snprintf(escaped, sizeof escaped, "\\u%04x", unsigned(c));
            result += escaped;
        } else
            result += c;
    }
    return result + '"';
}

std::string describe_nvrtc(const Context& context) {
    std::string why_none;
    const Toolchain* const toolchain = find_toolchain(&why_none);
    if (!toolchain) return "{\"missing\": " + quoted(why_none) + "}";
    const Target target = choose_target(*toolchain, context.capability, context.driver.cuda_version);
    std::ostringstream text;
    text << "{\"path\": " << quoted(toolchain->path) << ", \"version\": " << quoted(version_text(toolchain->version))
         << ", \"options\": " << quoted(toolchain->options)
         << ", \"target\": " << quoted((target.ptx ? "compute_" : "sm_") + std::to_string(target.arch)) << "}";
    return text.str();
}

template <class Library>
std::string describe_library() {
    std::string why_none;
    try {
        if (const Library* const library = find_library<Library>(&why_none))
            return "{\"path\": " + quoted(library->path) + ", \"version\": " + quoted(version_text(library->version)) +
                   "}";
    } catch (const Error& error) { why_none = error.what(); }
    return "{\"missing\": " + quoted(why_none) + "}";
}

}  // namespace

std::string GpuBackend::describe() const {
    size_t free = 0, total = 0;
    {
        const Current current(runtime_.context);
        runtime_.context.driver.cuMemGetInfo(&free, &total);
    }
    std::ostringstream text;
    text << "{\"name\": " << quoted(runtime_.context.name) << ", \"compute_capability\": \""
         << runtime_.context.capability / 10 << "." << runtime_.context.capability % 10
         << "\", \"multiprocessors\": " << runtime_.context.processors << ", \"memory\": " << runtime_.context.memory
         << ", \"free_memory\": " << free << ", \"memory_pools\": " << (runtime_.context.has_pools ? "true" : "false")
         << ", \"driver_cuda_version\": " << quoted(version_text(runtime_.context.driver.cuda_version))
         << ", \"nvrtc\": " << describe_nvrtc(runtime_.context) << ", \"cublas\": " << describe_library<Cublas>()
         << ", \"cufft\": " << describe_library<Cufft>() << ", \"cusolver\": " << describe_library<Cusolver>()
         << ", \"kernels\": " << kernels_.size() << ", \"cache\": {\"directory\": " << quoted(disk_cache().directory())
         << ", \"bytes\": " << disk_cache().bytes() << "}}";
    return text.str();
}

}  // namespace cuarray::cuda
