// driver.h -- the NVIDIA driver, opened at first use: each entry point is a callable that checks its result.
#pragma once
#include <string>
#include <vector>
#include "cuarray/core/error.h"
#include "cuda/driver_api.h"
#include "runtime/hooks.h"

namespace cuarray::cuda {

/// "13.5" for 13050.
std::string version_text(int version);

/// Whether the driver may be called: not in a child that was forked after cuInit, nor once the process ends.
bool is_alive();
/// Makes all later driver calls fail without reaching the driver (at process exit).
void end_driver();

/// Throws the error of a failed call: MemoryError for CUDA_ERROR_OUT_OF_MEMORY, else CudaError with CUDA's error name
/// and description, the meaning of a sticky error, and the operations that may have caused it.
[[noreturn]] void fail(CUresult result, const char* call, std::vector<std::string> notes = {});
/// "CUDA_ERROR_ILLEGAL_ADDRESS (700): an illegal memory access was encountered".
std::string error_text(CUresult result);
/// Whether every later call in this process will fail as well.
bool is_sticky(CUresult result);

/// One function of the driver.
template <class... Args>
class Entry {
 public:
    Entry(const char* name, int version) : name(name), version(version) {}

    /// Calls the driver; throws if the call fails.
    void operator()(Args... args) const {
        if (const CUresult result = status(args...)) fail(result, name);
    }
    /// Calls the driver and returns the result, for callers that handle a failure.
    CUresult status(Args... args) const {
        return is_alive() ? reinterpret_cast<CUresult (*)(Args...)>(address)(args...) : CUDA_ERROR_DEINITIALIZED;
    }
    explicit operator bool() const { return address != nullptr; }

    const char* const name;
    const int version;
    void* address = nullptr;
};

/// A function of the driver that may wait for the device, whose work may wait for the host program: a host function in
/// a stream takes the GIL. Every wait for a device is one of these, so no caller has to think of the GIL.
template <class... Args>
class WaitingEntry : public Entry<Args...> {
 public:
    using Entry<Args...>::Entry;

    void operator()(Args... args) const {
        if (const CUresult result = status(args...)) fail(result, this->name);
    }
    CUresult status(Args... args) const {
        CUresult result = CUDA_SUCCESS;
        run_unlocked([&] { result = Entry<Args...>::status(args...); });
        return result;
    }
};

/// The entry points, under the driver's own names.
struct Driver {
#define CUARRAY_ENTRY(name, version, ...) Entry<__VA_ARGS__> name{#name, version};
#define CUARRAY_WAITING_ENTRY(name, version, ...) WaitingEntry<__VA_ARGS__> name{#name, version};
    CUARRAY_DRIVER_ENTRIES(CUARRAY_ENTRY, CUARRAY_WAITING_ENTRY)
    CUARRAY_OPTIONAL_DRIVER_ENTRIES(CUARRAY_ENTRY)
#undef CUARRAY_WAITING_ENTRY
#undef CUARRAY_ENTRY
    int cuda_version = 0;  ///< 13000 for CUDA 13.0
    int devices = 0;
};

/// The driver, loaded and initialised at the first call; null with the reason if that fails. Never calls cuInit
/// twice. CUARRAY_LIBCUDA names a library to use instead of libcuda.so.1.
const Driver* find_driver(std::string* why_none = nullptr);
/// The driver; CudaError with the reason if there is none.
const Driver& driver();

}  // namespace cuarray::cuda
