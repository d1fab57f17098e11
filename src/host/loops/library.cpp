// library.cpp -- the one exported function of a loop library: its tables.
#include <utility>

#include "cuarray/core/table.h"
#include "host/loops/tables.h"

namespace cuarray::host {
namespace {

template <int... Part> int collect_all_rows(BlockLoop* to, std::integer_sequence<int, Part...>) {
    int count = 0;
    ((count += collect_rows<Part>(to ? to + count : nullptr)), ...);
    return count;
}

template <int... Kind> void collect_reductions(ReductionLoops* to, std::integer_sequence<int, Kind...>) {
    (collect_folds<FoldKind(Kind)>(to), ...);
}

#define CUARRAY_TEXT(x) #x
#define CUARRAY_TEXT_OF(x) CUARRAY_TEXT(x)

LoopLibrary make_library(SymbolFinder find) {
    constexpr std::make_integer_sequence<int, kRowParts> parts;
    LoopLibrary library{};
    library.bytes = sizeof library;
    library.level = CUARRAY_TEXT_OF(CUARRAY_ISA_LEVEL);
    library.loop_count = collect_all_rows(nullptr, parts);
    library.reduction_count = kReductions;
    library.dtype_count = kDTypes;
    library.vector_functions = find_vector_functions(find);

    // The tables live as long as the process.
    const auto loops = new BlockLoop[size_t(library.loop_count)];
    const auto casts = new BlockLoop[kDTypes * kDTypes];
    const auto reductions = new ReductionLoops[size_t(library.reduction_count * kDTypes)];
    collect_all_rows(loops, parts);
    collect_casts(casts);
    collect_reductions(reductions, std::make_integer_sequence<int, kFoldKinds>());
    const auto scans = new ScanLoops[size_t(library.loop_count)];
    collect_scans(scans);
    library.scans = scans;
    const auto matmul = new MatmulLoops[kDTypes];
    collect_matmul(matmul);
    const auto correlations = new CorrelateLoop[kDTypes];
    collect_correlations(correlations);
    const auto partition_loops = new PartitionLoop[kDTypes]();
    collect_parts(partition_loops);
    library.partitions = partition_loops;
    const auto guess_loops = new GuessLoop[kDTypes]();
    collect_guesses(guess_loops);
    library.guesses = guess_loops;
    const auto sorts = new ValueSortLoop[kDTypes]();
    const auto selects = new ValueSelectLoop[kDTypes]();
    const auto splits = new SplitLoop[kDTypes]();
    collect_sorts(sorts, selects, splits);
    library.sorts = sorts;
    library.selects = selects;
    library.splits = splits;
    const auto short_rows = new ShortRowSorts[kDTypes]();
    collect_short_rows(short_rows);
    library.short_rows = short_rows;
    library.draws = random_loops();
    library.sequences = sequence_loops();
    collect_copies(library);
    collect_indexing(library.indexing);
    collect_bit_packing(library);
    library.nontemporal = collect_nontemporal();
    library.loops = loops;
    library.casts = casts;
    library.reductions = reductions;
    library.matmul = matmul;
    library.correlations = correlations;
    return library;
}

}  // namespace
}  // namespace cuarray::host

const cuarray::host::LoopLibrary* cuarray_host_library(cuarray::host::SymbolFinder find) {
    static const cuarray::host::LoopLibrary library = cuarray::host::make_library(find);
    return &library;
}
