// source.h -- CUDA text as a host compiler must read it: what macros alone cannot change.
#pragma once
#include <string>
#include <vector>

namespace cudasim {

/// A kernel found in a text: its name, as text what __launch_bounds__ says, and the namespaces it stands in
/// ("a::b::").
struct FoundKernel {
    std::string name, bounds, scope;
};

/// The text with dynamic shared arrays and device variables spelt for a host compiler; lines stay where they
/// are.
std::string for_host_compiler(const std::string& text);
/// The non-template kernels defined in the text, also when they are declared through a macro.
std::vector<FoundKernel> find_kernels(const std::string& text);

}  // namespace cudasim
