// instruction_sets.h -- the class of the instruction set in use, for code that serves both.
#pragma once
#include <type_traits>
#include "host/emit/avx2.h"
#include "host/emit/avx512.h"
#include "host/emit/chain.h"

namespace cuarray::host::emit {

/// Calls function(set) with a null pointer to the class of the instruction set.
template <class Function>
auto with_set(Function&& function) {
    return instruction_set() == InstructionSet::Avx512 ? function(static_cast<Avx512*>(nullptr))
                                                       : function(static_cast<Avx2*>(nullptr));
}
template <class Set> using SetOf = std::remove_pointer_t<Set>;

}  // namespace cuarray::host::emit
