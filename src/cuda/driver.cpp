// driver.cpp -- opens libcuda and its entry points, and turns result codes into errors with explanations.
#include "cuda/driver.h"
#include <dlfcn.h>
#include <pthread.h>
#include <algorithm>
#include <atomic>
#include <cstdlib>
#include "cuda/journal.h"

namespace cuarray::cuda {
namespace {

enum class DriverState { Alive, Forked, Ended };
std::atomic<DriverState> the_state{DriverState::Alive};

constexpr int kLeastVersion = 12000;

struct Opening {
    Driver* driver = nullptr;
    std::string why_none;
};

template <class EntryType>
bool bind(GetProcAddress* get, EntryType& entry) {
    return get(entry.name, &entry.address, entry.version, 0, nullptr) == CUDA_SUCCESS && entry.address;
}

/// The name of the first required entry point that the driver lacks, or null.
const char* bind_all(GetProcAddress* get, Driver& driver) {
#define CUARRAY_BIND(name, ...) \
    if (!bind(get, driver.name)) return #name;
    CUARRAY_DRIVER_ENTRIES(CUARRAY_BIND, CUARRAY_BIND)
#undef CUARRAY_BIND
#define CUARRAY_BIND(name, ...) bind(get, driver.name);
    CUARRAY_OPTIONAL_DRIVER_ENTRIES(CUARRAY_BIND)
#undef CUARRAY_BIND
    return nullptr;
}

/// Fills `driver`; returns why it cannot be used, or "".
std::string load(Driver& driver) {
    const char* chosen = std::getenv("CUARRAY_LIBCUDA");
    const std::string path = chosen && *chosen ? chosen : "libcuda.so.1";
    void* library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (!library) return "no NVIDIA driver: " + std::string(dlerror());
    auto get = reinterpret_cast<GetProcAddress*>(dlsym(library, kGetProcAddress));
    const std::string wanted = "; cuarray needs driver 525 (CUDA 12.0) or newer";
    if (!get) return "the NVIDIA driver in " + path + " is too old (no " + kGetProcAddress + ")" + wanted;
    if (!bind(get, driver.cuDriverGetVersion)) return "the NVIDIA driver in " + path + " has no version";
    if (const CUresult result = driver.cuDriverGetVersion.status(&driver.cuda_version))
        return "cuDriverGetVersion: CUDA error (" + std::to_string(result) + ")";
    if (driver.cuda_version < kLeastVersion)
        return "the NVIDIA driver is too old (CUDA " + version_text(driver.cuda_version) + ")" + wanted;
    if (const char* missing = bind_all(get, driver)) return "the NVIDIA driver lacks " + std::string(missing) + wanted;
    return "";
}

Opening open() {
    auto* driver = new Driver;
    Opening opening;
    opening.why_none = load(*driver);
    if (opening.why_none.empty()) {
        opening.driver = driver;
        const auto failed = [&](const char* call, CUresult result) {
            const char *name = "", *words = "";
            driver->cuGetErrorName.status(result, &name);
            driver->cuGetErrorString.status(result, &words);
            opening.why_none = std::string(call) + ": " + (name ? name : "unknown error") + " (" +
                               std::to_string(result) + "): " + (words ? words : "");
            opening.driver = nullptr;
        };
        if (const CUresult result = driver->cuInit.status(0))
            failed("cuInit", result);
        else if (const CUresult count = driver->cuDeviceGetCount.status(&driver->devices))
            failed("cuDeviceGetCount", count);
        else
            pthread_atfork(nullptr, nullptr, [] { the_state = DriverState::Forked; });
    }
    if (!opening.driver) delete driver;
    return opening;
}

const Opening& opened_driver() {
    static const Opening* opening = new Opening(open());
    return *opening;
}

}  // namespace

std::string version_text(int version) {
    return std::to_string(version / 1000) + "." + std::to_string(version % 1000 / 10);
}

bool is_alive() { return the_state.load(std::memory_order_relaxed) == DriverState::Alive; }

void end_driver() { the_state = DriverState::Ended; }

const Driver* find_driver(std::string* why_none) {
    const Opening& opening = opened_driver();
    if (why_none) *why_none = opening.why_none;
    return opening.driver;
}

const Driver& driver() {
    const Opening& opening = opened_driver();
    if (!opening.driver) throw Error(ErrorKind::Cuda, opening.why_none);
    return *opening.driver;
}

namespace {

bool is_hardware_fault(CUresult result) {
    return result == CUDA_ERROR_ECC_UNCORRECTABLE || result == CUDA_ERROR_NVLINK_UNCORRECTABLE;
}

}  // namespace

std::string error_text(CUresult result) {
    const char *name = nullptr, *words = nullptr;
    const Driver* const driver = find_driver();
    if (driver && is_alive()) {
        driver->cuGetErrorName.status(result, &name);
        driver->cuGetErrorString.status(result, &words);
    }
    std::string text = name ? name : "CUDA error";
    text += " (" + std::to_string(result) + ")";
    if (words) text += std::string(": ") + words;
    return text;
}

bool is_sticky(CUresult result) {
    // Those of which cuda.h says that the process is left in an inconsistent state, and faults of the hardware.
    constexpr int kSingles[] = {CUDA_ERROR_CONTAINED, CUDA_ERROR_ILLEGAL_ADDRESS,    CUDA_ERROR_LAUNCH_TIMEOUT,
                                CUDA_ERROR_ASSERT,    CUDA_ERROR_TENSOR_MEMORY_LEAK, CUDA_ERROR_EXTERNAL_DEVICE};
    return is_hardware_fault(result) || std::ranges::find(kSingles, result) != std::end(kSingles) ||
           (result >= CUDA_ERROR_HARDWARE_STACK_ERROR && result <= CUDA_ERROR_LAUNCH_FAILED);
}

void fail(CUresult result, const char* call, std::vector<std::string> notes) {
    if (the_state == DriverState::Forked)
        raise(ErrorKind::Cuda, call,
              ": this process was forked after CUDA had been used, and CUDA does not survive "
              "fork; use the cpu device here, or start processes with the spawn method");
    if (the_state == DriverState::Ended || result == CUDA_ERROR_DEINITIALIZED) {
        end_driver();
        raise(ErrorKind::Cuda, call, ": the CUDA driver has been shut down (the process ends)");
    }
    std::string text = std::string(call) + ": " + error_text(result);
    if (result == CUDA_ERROR_OUT_OF_MEMORY) throw Error(ErrorKind::Memory, text);
    if (is_hardware_fault(result))
        text +=
            "\nThe hardware has failed, not the program: the memory of a GPU, or the NVLink between two. What was computed "
            "since the last successful wait is lost; `nvidia-smi -q` and the system's log tell more.";
    if (result == CUDA_ERROR_CONTEXT_IS_DESTROYED)
        text +=
            "\nThe program, or a library in it, has reset the GPU (cudaDeviceReset, cuDevicePrimaryCtxReset), and with it the "
            "memory, streams and kernels of all libraries in this process. Arrays on this GPU are lost, and cuarray cannot "
            "use it again in this process; arrays on cpu still work. Leave the reset out: memory is given back by "
            "cuarray.memory.trim(), and by the end of the process.";
    if (is_sticky(result)) {
        text +=
            "\nThe error stays: no CUDA call will succeed again in this process. Arrays on cpu still work; "
            "arrays on this GPU are lost.";
        if (is_hardware_fault(result)) throw Error(ErrorKind::Cuda, text, std::move(notes));
        if (const std::string queued = journal().text(); !queued.empty())
            text +=
                "\nIt arose in one of the operations queued since the last successful wait, or in a kernel of another "
                "library, not necessarily in the call named above: " +
                queued;
        text +=
            "\nCUARRAY_SYNC=1 waits after every operation and so finds the one; CUARRAY_LOG=launch tells which "
            "lines of the program queued them.";
        const std::vector<std::string> lines = journal().lines();
        notes.insert(notes.end(), lines.begin(), lines.end());
    }
    throw Error(ErrorKind::Cuda, text, std::move(notes));
}

}  // namespace cuarray::cuda
