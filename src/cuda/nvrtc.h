// nvrtc.h -- NVRTC: finds a copy that fits the driver, chooses its target, and compiles.
#pragma once
#include <string>
#include <vector>
#include "cuarray/core/error.h"

namespace cuarray::cuda {

/// The properties of an NVRTC that compiled kernels depend on. Stored in the disk cache, so that a process whose
/// kernels are all cached neither searches for NVRTC nor opens it.
struct Toolchain {
    std::string path;
    int64_t bytes = 0, modified = 0;  ///< of the file, to detect its replacement
    int version = 0;                  ///< 13050 for NVRTC 13.5
    std::vector<int> archs;           ///< 75, 80, ...
    std::string options;              ///< our options that it knows, separated by blanks

    std::string identity() const;  ///< the part of a cache key
};

/// What a kernel is compiled to for one GPU.
struct Target {
    int arch = 0;      ///< 90 for sm_90; 0: this NVRTC has no target for the GPU
    bool ptx = false;  ///< PTX, which the driver compiles, instead of a cubin
};

/// A cubin for the GPU's own architecture, else for the highest lower minor of the same major, else PTX if the
/// driver is not older than NVRTC. `capability` is 90 for 9.0.
Target choose_target(const Toolchain& toolchain, int capability, int driver_version);

/// The NVRTC to compile kernels with, the first of: CUARRAY_LIBNVRTC, a copy that the process has loaded, the
/// locator's (hooks.h), the system's; never of a major version above the driver's. Null with the reason if there
/// is none.
const Toolchain* find_toolchain(std::string* why_none = nullptr);

/// The text with a number before each line.
std::string numbered(const std::string& text);

/// Compiles a program; if that fails, CudaError with the program, its lines numbered.
std::string compile(const std::string& text, const std::string& name, const Target& target);

}  // namespace cuarray::cuda
