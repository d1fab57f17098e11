// tree_shaking.h -- the embedded kernel text, cut into declarations, of which a program gets those that it
// mentions.
#pragma once
#include <string>
#include <string_view>

namespace cuarray {

/// Appends to `text` what the program at its end needs of the embedded headers and, inside namespace fn, of
/// the rows of ufuncs.def and reductions.def: everything reachable from the identifiers of `program`, in the
/// order of the headers, and nothing else. `complex_numbers`: whether the declarations about complex numbers
/// take part.
void append_reachable(std::string& text, std::string_view program, bool complex_numbers);

}  // namespace cuarray
