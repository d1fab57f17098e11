// tree_shaking.h -- selects the declarations of the embedded kernel text that a program uses.
#pragma once
#include <string>
#include <string_view>

namespace cuarray {

/// Appends to `text` the declarations of the embedded headers and, inside namespace fn, the rows of ufuncs.def and
/// reductions.def that are reachable from the identifiers of `program`, in the order of the headers.
/// `complex_numbers`: whether declarations about complex numbers are included.
void append_reachable(std::string& text, std::string_view program, bool complex_numbers);

}  // namespace cuarray
