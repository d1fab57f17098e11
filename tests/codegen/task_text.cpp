// task_text.cpp -- prints the texts of the kernels that have no Expr: those that move or update elements chosen by
// indices or masks, reduce segments, multiply matrices, and correlate.
//
//   task_text          for every kernel a line "ENTRY named BYTES", the text, and a newline
#include <iostream>
#include <map>
#include <string>

#include "codegen/correlate_launch.h"
#include "codegen/gather_launch.h"
#include "codegen/matmul_launch.h"
#include "codegen/random_launch.h"
#include "codegen/segmented_reduce_launch.h"
#include "codegen/sequence_launch.h"

#include "cuarray/kernel/sequence.h"

using namespace cuarray;

namespace {

std::map<std::string, NamedKernel> kernels;

void add(const NamedKernel& kernel) { kernels[kernel.entry] = kernel; }

/// `arrays` index arrays of n indices into an array of as many axes.
void add_choices(int arrays, int64_t item, int64_t n) {
    const Dims elements{item}, array{0}, positions{8};
    std::vector<IndexedDeviceAxis> indices(size_t(arrays), {{4096, &positions}, 100, 100 * item, 0});
    for (kernel::IndexedAccessKind kind : {kernel::IndexedAccessKind::Gather, kernel::IndexedAccessKind::Scatter}) {
        IndexedAccessPlan plan({{n}, {1 << 20, &elements}, {1 << 21, &array}, indices, item, Outside::Raise, kind});
        plan.select(0);
        add(plan.move.kernel);
        if (plan.claim) add(plan.claim->kernel);
    }
}

void add_masks(int item, int64_t n) {
    const Dims array{item}, line{item}, lines{8 * n, 8};
    for (CompactionStep step :
         {CompactionStep::Count, CompactionStep::ScanCounts, CompactionStep::Compress, CompactionStep::Expand})
        for (const NamedLaunch& named :
             plan_compaction(step, {{n}, 4096, 8192, {1 << 20, &array}, {1 << 21, &line}, item}))
            add(named.kernel);
    for (const NamedLaunch& named : plan_compaction(CompactionStep::Nonzero, {{n}, 4096, 8192, {}, {1 << 21, &lines}}))
        add(named.kernel);
}

void add_products() {
    const Dims strides{32, 16};
    for (int type = 0; type < kDTypes; ++type)
        for (int64_t rows : {70, 2})
            add(plan_matmul(
                    {{}, rows, 80, 90, DType(type), {1 << 20, &strides}, {1 << 21, &strides}, {1 << 22, &strides}})
                    .kernel);
}

/// The loops of updates, through `arrays` index arrays.
void add_updates(LoopId loop, DType array, int arrays, int64_t n) {
    const int64_t item = item_size(array);
    const Dims elements{item}, places{0}, positions{8};
    std::vector<IndexedDeviceAxis> indices(size_t(arrays), {{4096, &positions}, 100, 100 * item, 0});
    constexpr auto kUpdate = kernel::IndexedAccessKind::Update;
    IndexedAccessPlan plan({{n}, {1 << 20, &elements}, {1 << 21, &places}, indices, item, Outside::Raise, kUpdate});
    plan.select(0);
    plan.set_keys(1 << 22, 1 << 23);
    add(plan.move.kernel);
    add(plan.steps(loop, array).kernel);
}

void add_all_updates() {
    for (RowId row = 0; row < rows().size(); ++row) {
        if (rows()[row].nout != 1 || rows()[row].nin > 2) continue;
        const std::string name = rows()[row].name;
        const bool often = name == "add" || name == "maximum" || name == "multiply" || name == "logical_or";
        for (int k = 0; k < (often ? rows()[row].loops : 1); ++k) {
            const LoopId loop = LoopId(rows()[row].first_loop + k);
            add_updates(loop, loops()[loop].out[0], 1, 1000);
        }
    }
    const LoopId sum = loop_for(find_row("add"), DType::float32);
    for (int arrays : {0, 2, 16}) add_updates(sum, DType::float32, arrays, 1000);
    add_updates(sum, DType::float32, 1, int64_t(1) << 32);
    add_updates(sum, DType::int8, 1, 1000);
}

void add_segments() {
    const Dims strides{4096, 16};
    for (int type = 0; type < kDTypes; ++type) {
        const DType dtype = DType(type);
        const auto add_one = [&](ReductionId row, LoopId loop) {
            add(plan_segmented_reduce(
                    {{70, 80}, 1, 9, dtype, {1 << 20, &strides}, {1 << 21, &strides}, 4096, 8192, row, loop})
                    ->kernel);
        };
        for (const char* row : {"sum", "prod", "max", "min", "any", "all"})
            if (reduction_result(find_reduction(row), dtype) == dtype) add_one(find_reduction(row), kNone);
        for (const char* row : {"subtract", "divide", "hypot", "bitwise_xor"})
            if (const LoopId loop = loop_for(find_row(row), dtype); loop != kNone && loops()[loop].out[0] == dtype)
                add_one(kNone, loop);
        add(plan_correlate(dtype, {70, 5, 4, 74, nullptr, nullptr, nullptr}).kernel);
    }
}

void add_random_draws() {
    int count = 0;
#define DRAW(name, ...) ++count;
#include "cuarray/random_draws.def"
#undef DRAW
    for (int draw = 0; draw < count; ++draw) add(plan_random_fill(RandomDraw(draw), {.n = 1000}, 250).kernel);
}

void add_sequences() {
    using namespace kernel;
    static constexpr bool kSequences[] = {
#define DRAW(name, ...) is_sequence<__VA_ARGS__>,
#include "cuarray/sequence_draws.def"
#undef DRAW
    };
    for (size_t draw = 0; draw < std::size(kSequences); ++draw) {
        const SequenceParameters p{.numbers = {.n = 1000}, .words = 1000, .tiles = kSequences[draw] ? 2u : 0u};
        add(plan_sequence_fill(SequenceDraw(draw), p).kernel);
    }
}

}  // namespace

int main() {
    add_random_draws();
    add_sequences();
    add_products();
    add_all_updates();
    add_segments();
    for (int64_t n : {int64_t(1000), int64_t(1) << 32})
        for (int item : {1, 2, 4, 8, 16}) {
            for (int arrays : {0, 1, 2, 3, 16}) add_choices(arrays, item, n);
            add_masks(item, n);
        }
    for (int arrays : {1, 2}) add_choices(arrays, 4, int64_t(1) << 30);
    for (const auto& [entry, kernel] : kernels) {
        const std::string text = kernel_source(kernel);
        std::cout << entry << " named " << text.size() << "\n" << text << "\n";
    }
}
