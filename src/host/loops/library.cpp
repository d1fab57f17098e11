// library.cpp -- the one exported function of a loop library: its tables.
#include "host/loops/tables.h"

namespace cuarray::host {
namespace {

struct LoopCounter {
    int count = 0;
    template <class F, class T, class U> constexpr void loop() { ++count; }
};

template <int Begin, int End> constexpr int loops_of_rows() {
    LoopCounter counter;
    visit_rows<Begin, End>(counter);
    return counter.count;
}

constexpr int kLoops = loops_of_rows<0, kRows>();

BlockLoop loops_table[kLoops];
BlockLoop casts_table[kDTypes * kDTypes];
ReductionLoops reductions_table[kReductions * kDTypes];

template <int... Part> void collect_all_rows(std::integer_sequence<int, Part...>) {
    (collect_rows<Part>(loops_table + loops_of_rows<0, part_begin<Part>>()), ...);
}
template <int... Part> void collect_all_reductions(std::integer_sequence<int, Part...>) {
    (collect_reductions<Part>(reductions_table), ...);
}

#define CUARRAY_TEXT(x) #x
#define CUARRAY_TEXT_OF(x) CUARRAY_TEXT(x)

LoopLibrary make_library(SymbolFinder find) {
    LoopLibrary library{};
    library.bytes = sizeof library;
    library.level = CUARRAY_TEXT_OF(CUARRAY_ISA_LEVEL);
    library.loop_count = kLoops;
    library.reduction_count = kReductions;
    library.dtype_count = kDTypes;
    library.vector_functions = find_vector_functions(find);
    collect_all_rows(std::make_integer_sequence<int, kRowParts>());
    collect_casts(casts_table);
    collect_all_reductions(std::make_integer_sequence<int, kReductionParts>());
    collect_copies(library);
    library.loops = loops_table;
    library.casts = casts_table;
    library.reductions = reductions_table;
    return library;
}

}  // namespace
}  // namespace cuarray::host

const cuarray::host::LoopLibrary* cuarray_host_library(cuarray::host::SymbolFinder find) {
    static const cuarray::host::LoopLibrary library = cuarray::host::make_library(find);
    return &library;
}
