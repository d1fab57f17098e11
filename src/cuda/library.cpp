// library.cpp -- searches for NVIDIA's libraries, and words the errors of their functions.
#include "cuda/library.h"
#include <dlfcn.h>
#include <algorithm>
#include <cctype>
#include <cstdlib>
#include "cuda/context.h"
#include "runtime/hooks.h"

namespace cuarray::cuda {
namespace {

constexpr int kLeastMajor = 12, kNewestMajor = 13;
constexpr int kLastForOldGpus = 12;  ///< compiles for GPUs before Turing, which CUDA 13's driver still runs

/// One search.
class LibrarySearch {
 public:
    LibrarySearch(const LibraryInfo& info, const BindLibrary& bind) : info_(info), bind_(bind) {}

    bool open(const std::string& name, int flags = 0) {
        if (name.empty()) return false;
        void* const handle = dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL | flags);
        if (!handle) {
            if (!(flags & RTLD_NOLOAD)) tried_ += std::string("\n  ") + dlerror();
            return false;
        }
        const std::string objection = bind_(handle, name);
        if (!objection.empty()) tried_ += "\n  " + objection;
        return objection.empty();
    }

    /// The first copy of a major version of CUDA that the driver can use; 12 first for GPUs that only it knows.
    bool open_newest(int driver_major) {
        const bool is_old = has_gpus_before_turing(driver());
        if (is_old && open_between(kLastForOldGpus, kLeastMajor)) return true;
        if (open_between(driver_major, is_old ? kLastForOldGpus + 1 : kLeastMajor)) return true;
        for (int major = driver_major + 1; major <= kNewestMajor; ++major)
            if (const std::string newer = locate_library(info_.name, major); !newer.empty())
                tried_ += "\n  " + newer + " is of CUDA " + std::to_string(major) +
                          ", newer than the driver: update the driver, or install an older " + info_.title;
        return false;
    }

    const std::string& tried() const { return tried_; }

 private:
    bool open_between(int newest, int oldest) {
        for (int major = newest; major >= oldest; --major)
            if (open(soname(major), RTLD_NOLOAD)) return true;
        for (int major = newest; major >= oldest; --major)
            if (open(locate_library(info_.name, major)) || open(soname(major))) return true;
        return false;
    }

    std::string soname(int major) const {
        return std::string("lib") + info_.name + ".so." + std::to_string(major - info_.behind);
    }

    const LibraryInfo& info_;
    const BindLibrary& bind_;
    std::string tried_;
};

/// CUARRAY_LIBCUBLAS
std::string variable_of(const LibraryInfo& info) {
    std::string variable = "CUARRAY_LIB";
    for (const char* letter = info.name; *letter; ++letter) variable += char(std::toupper(*letter));
    return variable;
}

}  // namespace

std::string chosen_library(const LibraryInfo& info) {
    const char* const chosen = std::getenv(variable_of(info).c_str());
    return chosen ? chosen : "";
}

bool open_library(const LibraryInfo& info, const BindLibrary& bind, std::string& why_none) {
    ContextCache::invalidate();  // the locator may run Python code
    LibrarySearch search(info, bind);
    const std::string chosen = chosen_library(info), variable = variable_of(info);
    if (chosen == "off") {
        why_none = variable + "=off";
        return false;
    }
    if (!chosen.empty()) {
        if (search.open(chosen)) return true;
        why_none = variable + " cannot be used:" + search.tried();
        return false;
    }
    const int version = driver().cuda_version;
    if (search.open_newest(version / 1000)) return true;
    why_none = std::string("no ") + info.title + " for this driver (CUDA " + version_text(version) +
               "): pip install \"cuarray[cuda" + std::to_string(std::min(version / 1000, kNewestMajor)) +
               "]\"; tried:" + search.tried();
    return false;
}

std::string file_of(const void* function) {
    Dl_info where;
    if (!dladdr(function, &where) || !where.dli_fname) return "";
    char* const resolved = realpath(where.dli_fname, nullptr);
    const std::string path = resolved ? resolved : where.dli_fname;
    std::free(resolved);
    return path;
}

void* symbol_in(void* handle, const char* name) { return dlsym(handle, name); }

std::string why_unfit(const LibraryInfo& info, const std::string& path, int version) {
    const int driver_version = driver().cuda_version, major = version / 1000 + info.behind;
    if (major > driver_version / 1000)
        return path + " is " + info.title + " " + version_text(version) + ", newer than the driver";
    return major < kLeastMajor ? path + " is older than CUDA 12" : "";
}

void fail(const LibraryInfo& info, const char* function, int status) {
    const char* const name = info.status_name ? info.status_name(status) : nullptr;
    const ErrorKind kind = status == info.no_memory ? ErrorKind::Memory : ErrorKind::Cuda;
    raise(kind, function, ": ", name ? name : "status", " (", status, ")");
}

}  // namespace cuarray::cuda
