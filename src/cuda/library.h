// library.h -- NVIDIA's libraries beside the driver: finds a copy that fits the driver, binds its functions, and turns
// their status codes into errors.
#pragma once
#include <functional>
#include <memory>
#include <string>
#include <vector>
#include "cuda/driver.h"
#include "runtime/mutex.h"

namespace cuarray::cuda {

/// One of the libraries: how its file is called, and what its functions return.
struct LibraryInfo {
    const char* name;    ///< "cublas", of libcublas.so
    const char* title;   ///< "cuBLAS"
    int behind;          ///< CUDA's major version minus that of the file
    int no_memory = -1;  ///< the status of a failed allocation
    const char* (*status_name)(int) = nullptr;
};

/// The value of CUARRAY_LIB<NAME>: a file, "off" or "".
std::string chosen_library(const LibraryInfo& info);

/// Opens a copy of a library, the first that `bind` takes of: the chosen file, a copy that the process has loaded, the
/// locator's (hooks.h), the system's; never of a major version above the driver's. `bind` gets a handle and the
/// name by which it was opened, and returns why the copy cannot be used, or "". False with the reason if there is none.
/// Call without a lock: the locator may take the GIL.
using BindLibrary = std::function<std::string(void* handle, const std::string& name)>;
bool open_library(const LibraryInfo& info, const BindLibrary& bind, std::string& why_none);

/// The file in which a function lies, without symbolic links.
std::string file_of(const void* function);

/// Throws the error of a failed call: MemoryError if memory was missing, else CudaError with the status.
[[noreturn]] void fail(const LibraryInfo& info, const char* function, int status);

/// Whether copies of a library without a function are used.
enum class IsOptional : bool { No, Yes };

/// One function of a library. All return a status, 0 for success.
template <class... Args>
class LibraryFunction {
 public:
    LibraryFunction(const LibraryInfo& info, const char* name, IsOptional is_optional = IsOptional::No)
        : name(name), is_optional(is_optional == IsOptional::Yes), info_(info) {}

    /// Calls the library; throws if the call fails.
    void operator()(Args... args) const {
        if (!is_alive()) fail(CUDA_ERROR_DEINITIALIZED, name);
        int status = 0;
        run_unlocked([&] { status = reinterpret_cast<int (*)(Args...)>(address)(args...); });  // some wait
        if (status) fail(info_, name, status);
    }

    const char* const name;
    const bool is_optional;
    void* address = nullptr;  ///< null only of an optional function

 private:
    const LibraryInfo& info_;
};

/// A library, searched for at the first call; null with the reason if there is none, CudaError if there is a chosen
/// file that cannot be used. A Library has `info`, `functions` (a visitor of its LibraryFunctions), `get_property`,
/// `path` and `version`.
template <class Library>
const Library* find_library(std::string* why_none = nullptr) {
    struct FoundLibrary {
        Mutex mutex;
        bool is_known = false, is_optional = true;
        std::unique_ptr<const Library> library;
        std::string why_none;
    };
    static FoundLibrary& found = *new FoundLibrary;
    const auto result = [&]() -> const Library* {
        if (!found.library && !found.is_optional) throw Error(ErrorKind::Cuda, found.why_none);
        if (why_none) *why_none = found.why_none;
        return found.library.get();
    };
    {
        const std::lock_guard lock(found.mutex);
        if (found.is_known) return result();
    }
    auto library = std::make_unique<Library>();
    std::string why;
    const bool is_open = open_library(
        Library::info, [&](void* handle, const std::string& name) { return bind_library(*library, handle, name); },
        why);
    const std::lock_guard lock(found.mutex);
    if (!found.is_known) {
        found.is_known = true;
        found.why_none = why;
        const std::string chosen = chosen_library(Library::info);
        found.is_optional = chosen.empty() || chosen == "off";
        if (is_open) found.library = std::move(library);
    }
    return result();
}

/// The address of a symbol in an opened library, or null.
void* symbol_in(void* handle, const char* name);
/// Why a copy of a library cannot be used with this driver, or "".
std::string why_unfit(const LibraryInfo& info, const std::string& path, int version);

template <class Library>
std::string bind_library(Library& library, void* handle, const std::string& name) {
    const char* missing = nullptr;
    library.functions([&](auto& function) {
        function.address = symbol_in(handle, function.name);
        if (!function.address && !function.is_optional && !missing) missing = function.name;
    });
    if (missing) return name + " has no " + missing;
    constexpr int kMajor = 0, kMinor = 1;  // libraryPropertyType
    int major = 0, minor = 0;
    library.get_property()(kMajor, &major);
    library.get_property()(kMinor, &minor);
    library.version = major * 1000 + minor * 10;
    library.path = file_of(library.get_property().address);
    return why_unfit(Library::info, library.path, library.version);
}

/// The handles of a library on one GPU. A handle is used by one thread at a time, and never destroyed: at the end of
/// the process the driver may be gone.
template <class Handle>
class Handles {
 public:
    /// A handle for the life of the object: an idle one, or what `make` returns.
    class Lease {
     public:
        template <class Make>
        Lease(Handles& handles, Make make) : handles_(handles), handle_(handles.take(make)) {}
        ~Lease() { handles_.give_back(handle_); }
        Lease(const Lease&) = delete;
        Lease& operator=(const Lease&) = delete;
        operator Handle() const { return handle_; }

     private:
        Handles& handles_;
        const Handle handle_;
    };

 private:
    template <class Make>
    Handle take(Make make) {
        {
            const std::lock_guard lock(mutex_);
            if (!idle_.empty()) {
                const Handle handle = idle_.back();
                idle_.pop_back();
                return handle;
            }
        }
        return make();
    }
    void give_back(Handle handle) {
        const std::lock_guard lock(mutex_);
        idle_.push_back(handle);
    }

    Mutex mutex_;
    std::vector<Handle> idle_;
};

}  // namespace cuarray::cuda
