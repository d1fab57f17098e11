// functions.h -- functions.def as data: what a caller is told of each public function.
#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>
#include "cuarray/core/error.h"

namespace cuarray {

/// What becomes of a result that is an array, as the head of functions.def explains.
enum class Gives : uint8_t { Array, Blank, Value, View, Shown, Same, List, Each, Arrays, Nothing };

struct FunctionRow {
    const char *chapter, *name;
    Gives gives;
    const char *signature, *summary, *parameters, *raises, *example;
    std::span<const char* const> types = {};  ///< of the parameters of the C++ function, in the words of docstrings
    const char* result = "";                  ///< the same of the result
    const char* core = nullptr;               ///< the core dimensions of a generalized ufunc, as "(m,n),(n)->(m)"
    bool is_bound = true;                     ///< whether it is a method of a class that has it
    const char* module = "cuarray";
};

/// All rows, in the order of the table.
CUARRAY_API std::span<const FunctionRow> function_rows();

/// The names of the parameters in a signature, with their stars.
CUARRAY_API std::vector<std::string> parameter_names(const FunctionRow& row);
/// Whether it is a method of ndarray alone: its name ends in `_in_place`.
CUARRAY_API bool is_method(const FunctionRow& row);
/// The name in Python: a method's without that end.
CUARRAY_API std::string python_name(const FunctionRow& row);
/// Whether the C++ function has no such parameter: `subok` is accepted and ignored, `like` gives the device.
CUARRAY_API bool is_ignored(std::string_view parameter);

/// What help() shows: a docstring in numpydoc's format.
CUARRAY_API std::string docstring(const FunctionRow& row);

}  // namespace cuarray
