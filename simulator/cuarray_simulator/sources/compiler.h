// compiler.h -- makes kernel modules with g++: from CUDA text, if the real NVRTC accepts it too, and from PTX.
#pragma once
#include <string>
#include <utility>
#include <vector>

namespace cudasim {

/// The input of a compilation.
struct Job {
    std::string text;
    std::vector<std::pair<std::string, std::string>> headers;
    std::vector<std::string> name_expressions;
    std::vector<std::string> options;
    /// Taken from the options.
    unsigned architecture = 75;
    bool contract = true;
};

/// A module image, or the error log.
struct Compiled {
    bool good = false;
    std::string image, log;
};

/// Compiles, or takes an earlier result from the cache beside this library.
Compiled compile(const Job& job);

/// Makes a kernel module from PTX that another compiler wrote.
Compiled assemble(const std::string& ptx);

/// The name under which cuModuleGetFunction finds a name expression.
std::string lowered_name(const std::string& expression);

}  // namespace cudasim
