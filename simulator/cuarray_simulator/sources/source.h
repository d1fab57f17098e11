// source.h -- rewrites CUDA text for a host compiler, where macros are not sufficient.
#pragma once
#include <string>
#include <vector>

namespace cudasim {

/// A kernel found in a text: its name, the text of its __launch_bounds__, and its namespaces
/// ("a::b::").
struct FoundKernel {
    std::string name, bounds, scope;
};

/// The text with dynamic shared arrays and device variables rewritten for a host compiler; line numbers
/// are kept.
std::string for_host_compiler(const std::string& text);
/// The non-template kernels defined in the text, also when they are declared through a macro.
std::vector<FoundKernel> find_kernels(const std::string& text);

}  // namespace cudasim
